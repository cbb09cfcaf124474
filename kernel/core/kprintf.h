/*
 * kprintf: formatted text to the console, for code that may not use newlib (boot, traps, panic).
 *
 * Understands %c %s %d %i %u %x %p with l, ll, z, width, 0, - and precision for strings; no
 * floating point. Uses general registers only and never allocates. Lines that are not records
 * or KTAP are led by "# " by their callers.
 */
#ifndef TT_CORE_KPRINTF_H
#define TT_CORE_KPRINTF_H

#include <stdarg.h>
#include <stddef.h>

__attribute__((format(printf, 1, 2))) void kprintf(const char *fmt, ...);

/* Into buf, always NUL-terminated; returns the length that the full text would have. */
__attribute__((format(printf, 3, 4))) size_t ksnprintf(char *buf, size_t bytes, const char *fmt,
                                                       ...);
size_t kvsnprintf(char *buf, size_t bytes, const char *fmt, va_list ap);

#endif
