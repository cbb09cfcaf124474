/*
 * Self-test: newlib works in the kernel: formats, numbers, heap, sorting, errno, stdio's locks.
 */
#include "core/kprintf.h"
#include "core/selftest.h"
#include "core/types.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/lock.h>

static const char *check_formats(void)
{
    char text[128];
    snprintf(text, sizeof(text), "%.3f %e %g %lld %zu %lx", 1.5, -2.5e-10, 0.1, LLONG_MIN, SIZE_MAX,
             0xdeadbeefcafeul);
    return strcmp(text, "1.500 -2.500000e-10 0.1 -9223372036854775808 18446744073709551615 "
                        "deadbeefcafe")
               ? "snprintf"
               : NULL;
}

static const char *check_numbers(void)
{
    volatile double two = 2, third = 1.0 / 3;
    if (sqrt(two) * sqrt(two) - 2 > 1e-15 || fabs(sin(two) - 0.90929742682568171) > 1e-15 ||
        fabs(pow(third, 0.5) - 0.57735026918962573) > 1e-15 ||
        fabs(lgamma(two + 8.5) - 13.940625219403763) > 1e-13)
        return "math";
    if (strtod("0.3333333333333333", NULL) != third || strtod("1e-320", NULL) == 0)
        return "strtod";
    errno = 0;
    if (strtoul("99999999999999999999", NULL, 10) != ULONG_MAX || errno != ERANGE)
        return "errno";
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

/* Grows in steps, so that realloc moves, and sorts what is in it. */
static const char *check_heap(void)
{
    unsigned *v = NULL, n = 0;
    for (unsigned room = 16; room <= 16384; room *= 4) {
        unsigned *bigger = realloc(v, room * sizeof(*v));
        if (!bigger) {
            free(v);
            return "realloc";
        }
        v = bigger;
        for (; n < room; n++)
            v[n] = n * 2654435761u; /* odd: all different, in no order */
    }
    qsort(v, n, sizeof(*v), by_value);
    const char *broken = NULL;
    for (unsigned i = 1; i < n; i++)
        if (v[i - 1] >= v[i])
            broken = "qsort";
    free(v);
    return broken;
}

static const char *check_setjmp(void)
{
    static jmp_buf back;
    volatile int times = 0;
    int value = setjmp(back);
    times++;
    if (value < 3)
        longjmp(back, value + 1);
    return times == 4 ? NULL : "setjmp";
}

/* An unbuffered stream takes a new lock in every call of printf: more of them than there are. */
static const char *check_locks(void)
{
    for (int i = 0; i < 100; i++) {
        _LOCK_T lock = NULL;
        __retarget_lock_init_recursive(&lock);
        if (!lock)
            return "locks";
        __retarget_lock_close_recursive(lock);
    }
    return NULL;
}

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    static const char *(*const checks[])(void) = {check_formats, check_numbers, check_heap,
                                                  check_setjmp, check_locks};
    for (unsigned i = 0; i < ARRAY_SIZE(checks); i++) {
        const char *broken = checks[i]();
        if (broken) {
            ksnprintf(msg, msg_bytes, "%s", broken);
            return SELFTEST_FAIL;
        }
    }
    return SELFTEST_OK;
}

REGISTER(selftest, newlib) = {
    .name = "newlib", .proves = "the C library formats, computes, allocates and sorts", .run = run};
