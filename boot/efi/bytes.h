/*
 * What the loader needs of <string.h>: GNU-EFI has no headers for it, and its functions differ
 * between versions.
 */
#ifndef BOOT_EFI_BYTES_H
#define BOOT_EFI_BYTES_H

#include <stdbool.h>
#include <stddef.h>

static inline void bytes_copy(void *to, const void *from, size_t n)
{
    __builtin_memcpy(to, from, n);
}

static inline void bytes_zero(void *to, size_t n)
{
    __builtin_memset(to, 0, n);
}

static inline size_t string_length(const char *s)
{
    size_t n = 0;

    while (s[n])
        n++;
    return n;
}

/* Does s[0, n) begin with the string `with`? */
static inline bool begins_with(const char *s, size_t n, const char *with)
{
    size_t m = 0;

    while (with[m]) {
        if (m == n || s[m] != with[m])
            return false;
        m++;
    }
    return true;
}

#endif
