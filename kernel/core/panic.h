/*
 * panic: the end of the boot when an invariant of ours is broken or a trap has no owner.
 *
 * Prints the reason, what was running, registers and a symbolised backtrace, an `end` record
 * with verdict "panic", and leaves with a non-zero status. Safe at any point after
 * console_init; a panic inside a panic halts.
 */
#ifndef TT_CORE_PANIC_H
#define TT_CORE_PANIC_H

#include <stdbool.h>

struct trap_frame;
struct trap_info;

__attribute__((noreturn, format(printf, 1, 2))) void panic(const char *fmt, ...);
/* The same from a handler: registers and backtrace are the interrupted code's. */
__attribute__((noreturn, format(printf, 2, 3))) void panic_frame(struct trap_frame *f,
                                                                 const char *fmt, ...);
__attribute__((noreturn)) void panic_trap(const struct trap_info *t, struct trap_frame *f);

/* What to name as "running" in a panic: the experiment and sample; "" for none. Kept by value. */
__attribute__((format(printf, 1, 2))) void panic_context(const char *fmt, ...);

/*
 * CHECK levels (make CHECK=0..3): 0 none, 1 entry checks, 2 whole-structure validators now and
 * then and junk fill, 3 validators around every operation. check(level, cond) costs nothing
 * below its level. The boot record carries CHECK and tools refuse to compare across levels.
 */
#ifndef CHECK
#define CHECK 1
#endif

#define check(level, cond)                                                                         \
    do {                                                                                           \
        if (CHECK >= (level) && __builtin_expect(!(cond), 0))                                      \
            panic("%s:%d: %s: check failed: %s", __FILE__, __LINE__, __func__, #cond);             \
    } while (0)

#endif
