/*
 * What a unit test gets instead of a machine: a console that captures, a panic that can be
 * expected, own memory out of malloc, an identity "direct map".
 *
 * Everything in host.c is weak: a test that links the kernel's real implementation of a function
 * (kernel/core/console.c, say) uses that one.
 */
#ifndef TT_UNIT_HOST_H
#define TT_UNIT_HOST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* cmocka.h needs the four above to come first. */
#include <cmocka.h>

#include "core/types.h"

/* What has been written to the console since the last host_console_clear(), NUL-terminated. */
const char *host_console(void);
void host_console_clear(void);

/*
 * Runs a statement that must panic with `text` somewhere in its message; fails the test if it
 * returns or says something else. A panic outside of this fails the test.
 */
#define assert_panics(statement, text)                                                             \
    do {                                                                                           \
        host_panic_armed = true;                                                                   \
        if (setjmp(host_panic_jump) == 0) {                                                        \
            statement;                                                                             \
            host_panic_armed = false;                                                              \
            fail_msg("did not panic: %s", #statement);                                             \
        }                                                                                          \
        host_panic_armed = false;                                                                  \
        if (!strstr(host_panic_message, text))                                                     \
            fail_msg("panicked with \"%s\", not \"%s\"", host_panic_message, text);                \
    } while (0)

extern bool host_panic_armed;
extern jmp_buf host_panic_jump;
extern char host_panic_message[512];

/* own_array and own_page_alloc fail once this many pages are live. SIZE_MAX at start. */
extern size_t host_own_limit_pages;

#endif
