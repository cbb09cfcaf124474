/*
 * Values of command-line words: sizes, numbers, lists, and the word that was perhaps meant.
 *
 * Used by the parse functions of options anywhere in the kernel. Nothing here guesses: a value is
 * valid as a whole or it is an error.
 */
#include "core/cmdline.h"
#include "core/errno.h"
#include "core/types.h"

#include <string.h>

/* Value of c in base, or -1. */
static int digit(char c, unsigned base)
{
    unsigned v = c >= '0' && c <= '9' ? (unsigned)(c - '0') : 99;
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
        v = (unsigned)((c | 0x20) - 'a') + 10;
    return v < base ? (int)v : -1;
}

/* Reads digits (0x: hexadecimal) from *s on; 0, -TT_EINVAL when there is none, or -TT_ERANGE. */
static int take_number(const char **s, uint64_t *out)
{
    unsigned base = 10;
    uint64_t v = 0;
    bool overflow = false;

    if ((*s)[0] == '0' && ((*s)[1] | 0x20) == 'x') {
        base = 16;
        *s += 2;
    }
    if (digit(**s, base) < 0)
        return -TT_EINVAL;
    for (; digit(**s, base) >= 0; (*s)++)
        overflow |= __builtin_mul_overflow(v, base, &v) |
                    __builtin_add_overflow(v, (uint64_t)digit(**s, base), &v);
    *out = v;
    return overflow ? -TT_ERANGE : 0;
}

int parse_size(const char *s, uint64_t *out)
{
    static const char suffixes[] = "kmgt";
    uint64_t v;
    int bad = take_number(&s, &v);

    if (bad == -TT_EINVAL)
        return bad;
    const char *suffix = *s ? strchr(suffixes, *s | 0x20) : NULL;
    unsigned shift = suffix ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
    if (suffix)
        s++;
    if (*s)
        return -TT_EINVAL;
    if (bad || v << shift >> shift != v)
        return -TT_ERANGE;
    *out = v << shift;
    return 0;
}

int parse_u64(const char *s, uint64_t lo, uint64_t hi, uint64_t *out)
{
    uint64_t v;
    int bad = take_number(&s, &v);

    if (bad == -TT_EINVAL || *s)
        return -TT_EINVAL;
    if (bad || v < lo || v > hi)
        return -TT_ERANGE;
    *out = v;
    return 0;
}

/* Reads one "N" or "N-M" of a list. */
static int take_span(const char **s, uint64_t *first, uint64_t *last)
{
    int bad = take_number(s, first);
    if (bad)
        return bad;
    *last = *first;
    if (**s != '-')
        return 0;
    (*s)++;
    bad = take_number(s, last);
    if (bad)
        return bad;
    return *last < *first ? -TT_EINVAL : 0;
}

int parse_list(const char *s, uint64_t *bitmap, unsigned bits)
{
    /* Twice: nothing is set unless the whole list is valid. */
    for (int setting = 0; setting <= 1; setting++) {
        const char *p = s;
        for (;;) {
            uint64_t first, last;
            int bad = take_span(&p, &first, &last);
            if (bad)
                return bad;
            if (last >= bits)
                return -TT_ERANGE;
            for (uint64_t i = first; setting && i <= last; i++)
                bitmap[i / 64] |= UINT64_C(1) << (i % 64);
            if (!*p)
                break;
            if (*p++ != ',')
                return -TT_EINVAL;
        }
    }
    return 0;
}

const char *parse_item(const char *s, char sep, char *buf, size_t bytes, bool *ok)
{
    size_t n = 0;
    while (s[n] && s[n] != sep)
        n++;
    *ok = n > 0 && n < bytes;
    if (bytes) {
        size_t kept = n < bytes ? n : bytes - 1;
        memcpy(buf, s, kept);
        buf[kept] = '\0';
    }
    return s[n] ? s + n + 1 : NULL;
}

bool list_has(const char *list, const char *word)
{
    size_t n = strlen(word);
    while (strncmp(list, word, n) || (list[n] && list[n] != ',')) {
        list = strchr(list, ',');
        if (!list)
            return false;
        list++;
    }
    return true;
}

/* ---- the nearest word ---------------------------------------------------------------------- */

#define NEAR_MAX 32 /* longer words are compared by their first bytes */

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned m = a < b ? a : b;
    return m < c ? m : c;
}

/*
 * Edit distance with exchange of neighbours ("optimal string alignment"): row i of the table from
 * the two rows above it.
 */
static unsigned distance(const char *a, const char *b)
{
    unsigned rows[3][NEAR_MAX + 1];
    unsigned la = (unsigned)strnlen(a, NEAR_MAX), lb = (unsigned)strnlen(b, NEAR_MAX);

    for (unsigned j = 0; j <= lb; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= la; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= lb; j++) {
            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                above2[j - 2] + 1 < row[j])
                row[j] = above2[j - 2] + 1;
        }
    }
    return rows[la % 3][lb];
}

/* Is one of the two (at least two letters) how the other begins? Then it was cut short. */
static bool is_beginning(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b), n = la < lb ? la : lb;
    return n >= 2 && memcmp(a, b, n) == 0;
}

const char *nearest_word(const char *s, const char *const *words)
{
    const char *best = NULL;
    unsigned best_distance = 0;

    for (; *words; words++) {
        unsigned longer = (unsigned)max_u64(strnlen(s, NEAR_MAX), strnlen(*words, NEAR_MAX));
        unsigned d = distance(s, *words);
        unsigned limit = longer < 6 ? 1 : longer / 3; /* a third of the letters may be wrong */
        if (d > 1 && is_beginning(s, *words))
            d = 1;
        if (d <= limit && (!best || d < best_distance)) {
            best = *words;
            best_distance = d;
        }
    }
    return best;
}
