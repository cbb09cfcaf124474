/*
 * Registries: const records that announce themselves from the file that defines them.
 *
 * A policy, workload, factor, self-test or command-line key is one `const struct` in one file;
 * REGISTER puts its address into a linker section named after the kind, and for_each_registered
 * walks it in link order, which the Makefile keeps sorted by path.
 *
 *     REGISTER(policy, va) = {.name = "va", ...};      // defines const struct policy va_policy
 *     for_each_registered(policy, p) { use(p->name); }
 */
#ifndef TT_CORE_REGISTRY_H
#define TT_CORE_REGISTRY_H

#define REGISTER(kind, id)                                                                         \
    static const struct kind id##_##kind;                                                          \
    static const struct kind *const kind##_entry_##id                                              \
        __attribute__((used, section("tt_" #kind))) = &id##_##kind;                                \
    static const struct kind id##_##kind

/* Declares the section's bounds; once per kind, in the header that defines struct kind. */
#define DECLARE_REGISTRY(kind)                                                                     \
    extern const struct kind *const __start_tt_##kind[] __attribute__((weak));                     \
    extern const struct kind *const __stop_tt_##kind[] __attribute__((weak))

#define for_each_registered(kind, var)                                                             \
    for (const struct kind *const *var##_it = __start_tt_##kind, *var;                             \
         var##_it < __stop_tt_##kind && ((var = *var##_it), true); var##_it++)

#define registered_count(kind) ((unsigned)(__stop_tt_##kind - __start_tt_##kind))

#endif
