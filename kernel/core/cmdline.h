/*
 * The kernel command line: key=value words, each key a const record in the file that uses it.
 *
 * Grammar, Linux habits: words are separated by blanks; "double quotes" keep blanks inside a
 * word; in keys '-' equals '_'; the last of several equal keys wins unless the option repeats;
 * BOOT_IMAGE=... is ignored; a first word without '=' that ends in the kernel's file name is
 * not special: boot paths strip it. A key without '=' has the value "".
 *
 * Never a silent default: an unknown key or a bad value is an error that names the word and the
 * nearest valid ones; all errors are reported, not only the first.
 */
#ifndef TT_CORE_CMDLINE_H
#define TT_CORE_CMDLINE_H

#include "core/registry.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct option {
    const char *name;    /* "reps" */
    const char *grammar; /* "N", "SIZE@ADDR": shown by help */
    const char *help;    /* one line */
    bool repeats;        /* every occurrence counts (hole=), instead of the last */
    /*
     * Takes the value of one occurrence. 0, or -TT_EINVAL with a message in err that says what
     * would be valid ("from 1 to 10000"). cmdline_parse puts the word in front ("reps=0: "), and
     * the grammar behind it when err stays empty.
     */
    int (*parse)(const struct option *o, const char *value, char *err, size_t err_bytes);
    const void *data; /* for parse functions shared by several options */
};
DECLARE_REGISTRY(option);

/* Called for each error with its whole message. */
typedef void (*cmdline_report)(const char *message, void *arg);

/* Parses all words; returns the number of errors, each reported. */
unsigned cmdline_parse(const char *text, cmdline_report report, void *arg);

/*
 * Raw value of key's last occurrence copied to buf, before parsing (console=); false if absent or
 * too long for buf.
 */
bool cmdline_early(const char *text, const char *key, char *buf, size_t bytes);

/* ---- for parse functions ------------------------------------------------------------------- */

/* "64K", "3M", "1G", "2t", "0x1000", "4096": whole string; 0 or -TT_EINVAL / -TT_ERANGE (overflow).
 */
int parse_size(const char *s, uint64_t *out);

/* Decimal (also with leading zeros) or 0x number within [lo, hi]; 0, -TT_EINVAL or -TT_ERANGE. */
int parse_u64(const char *s, uint64_t lo, uint64_t hi, uint64_t *out);

/*
 * CPU or colour lists: "0-7,12"; sets these bits in bitmap[0..bits), which the caller has cleared,
 * or none when it returns -TT_EINVAL or -TT_ERANGE.
 */
int parse_list(const char *s, uint64_t *bitmap, unsigned bits);

/*
 * Splits off the next item of a list at sep: copies it to buf, returns the rest (NULL after the
 * last). An empty item, or one that does not fit, makes *ok false.
 */
const char *parse_item(const char *s, char sep, char *buf, size_t bytes, bool *ok);

/* Is word one of a list's items, "a,b,c"? */
bool list_has(const char *list, const char *word);

/* Of words (NULL-terminated array), the one nearest to s by edit distance; NULL if none is near. */
const char *nearest_word(const char *s, const char *const *words);

/* Prints every option with grammar and help, sorted by name. */
void cmdline_help(void);

/* Was the word `help` given? Then main prints the help and ends the boot, ok. */
bool cmdline_help_asked(void);

#endif
