/*
 * Self-test `wx`: the live page tables keep the rules of audit.c. Before it is believed, the audit
 * has to find one planted breach of each kind in tables that are never loaded.
 */
#include "arch.h"
#include "audit.h"
#include "core/kprintf.h"
#include "core/selftest.h"
#include "pte.h"
#include "regs.h"

#include <arch/boot.h>
#include <string.h>

/* A breach: one translation with these flags, in tables of its own. */
struct breach {
    const char *why; /* the audit's words for it */
    uintptr_t va;
    const void *what; /* whose frame is mapped */
    unsigned level;
    pte_t flags;
};

/* The audit of an otherwise clean space with the breach in it. */
static struct audit audit_with(const struct breach *b)
{
    struct audit a = {.why = "not mapped: no memory"};
    struct arch_space s;
    uint64_t pa = align_down(arch_virt_to_phys(b->what).a, 1ul << table_shift(b->level));

    if (arch_space_create(&s))
        return a;
    if (table_map(s.root, b->va, pa, b->level, PTE_LEAF | b->flags, &s.table_pages) == 0)
        a = audit_tables(s.root);
    arch_space_destroy(&s);
    return a;
}

static bool sees_breaches(char *msg, size_t msg_bytes)
{
    const struct breach breaches[] = {
        {"writable and executable", ARCH_WINDOW, __data_start, 0, PTE_WRITE},
        {"in the lower half, outside the window", LINK_PHYS, __image_start, 1, PTE_NX},
        {"a writable alias of text or rodata", ARCH_WINDOW, __text_start, 0, PTE_WRITE | PTE_NX},
        {"a writable alias of text or rodata", ARCH_WINDOW, __rodata_start, 0, PTE_WRITE | PTE_NX},
        {"a writable alias of text or rodata", ARCH_WINDOW, __text_start, 1, PTE_WRITE | PTE_NX},
    };

    for (unsigned i = 0; i < ARRAY_SIZE(breaches); i++) {
        struct audit a = audit_with(&breaches[i]);

        if (a.offences != 1 || strcmp(a.why, breaches[i].why)) {
            ksnprintf(msg, msg_bytes, "planted, but not found: %s (case %u: %lu, %s)",
                      breaches[i].why, i, a.offences, a.why ? a.why : "none");
            return false;
        }
    }
    return true;
}

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    struct audit a = audit_tables(phys(read_cr3() & PTE_ADDRESS));

    if (!pte_nx()) {
        ksnprintf(msg, msg_bytes, "the CPU has no NX bit");
        return SELFTEST_SKIP;
    }
    if (!(read_cr0() & CR0_WP)) {
        ksnprintf(msg, msg_bytes, "CR0.WP is clear: ring 0 ignores read-only pages");
        return SELFTEST_FAIL;
    }
    if (a.offences) {
        ksnprintf(msg, msg_bytes, "%lu translations break a rule, first at %lx: %s", a.offences,
                  a.first, a.why);
        return SELFTEST_FAIL;
    }
    return sees_breaches(msg, msg_bytes) ? SELFTEST_OK : SELFTEST_FAIL;
}

REGISTER(selftest, wx) = {
    .name = "wx",
    .proves = "no page is writable and executable, text and rodata have no writable alias, the "
              "identity map is gone",
    .run = run,
};
