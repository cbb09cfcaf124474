/*
 * The lines of a machine file: "key = value  # source: where the figure is from". Inside the
 * parser only.
 *
 * Every line needs its "# source:". A figure that no source gives is written
 * "key = unknown VALUE  # taken: why this value".
 */
#ifndef TOOLS_MODEL_MACHINE_TEXT_H
#define TOOLS_MODEL_MACHINE_TEXT_H

#include <stdint.h>

#include "tools/model/machine.h"

#define MACHINE_MAX_LINES  128u
#define MACHINE_WORD_BYTES 64u

struct machine_entry {
    uint32_t line; /* from 1 */
    char key[MACHINE_WORD_BYTES];
    char value[MACHINE_WORD_BYTES];
    bool used; /* the reader has asked for the key */
};

struct machine_text {
    struct machine_entry entry[MACHINE_MAX_LINES];
    uint32_t entries;
};

/* Split a file into entries. Returns 0, or -1 with a message. */
int machine_text_split(struct machine_text *text, const char *file,
                       char error[MACHINE_ERROR_BYTES]);

/* What the value parsers need, beside the text: where to say what is wrong. */
struct machine_reader {
    struct machine_text *text;
    char *error;
    bool failed; /* error is set; everything read afterwards is meaningless */
};

/* Report "line N: key: what; valid: valid" once. entry NULL: the key is missing. */
void machine_fail(struct machine_reader *reader, const struct machine_entry *entry, const char *key,
                  const char *what, const char *valid);

/* The entry of a key, NULL if the file has none; marks it used. */
struct machine_entry *machine_entry(struct machine_reader *reader, const char *key);

/* A number in [min, max], with a suffix K or M (binary) if bytes. Missing: fallback, or an error
 * when that is MACHINE_REQUIRED. */
#define MACHINE_REQUIRED UINT64_MAX
uint64_t machine_read_number(struct machine_reader *reader, const char *key, uint64_t min,
                             uint64_t max, uint64_t fallback);

/* Decimal number x 1000. */
uint64_t machine_read_milli(struct machine_reader *reader, const char *key, uint64_t min,
                            uint64_t max);

/* Cycles, or "75ns" at clock_khz, rounded to the nearest cycle. */
uint32_t machine_read_latency(struct machine_reader *reader, const char *key, uint32_t clock_khz,
                              uint64_t fallback);

/* Bytes per core cycle x 1000, written "8", "5.33" or "1300MB/s" (10^6). */
uint32_t machine_read_bandwidth(struct machine_reader *reader, const char *key, uint32_t clock_khz,
                                uint32_t line_bytes);

/* One of the words in "a|b|c"; its index. fallback as above. */
uint32_t machine_read_word(struct machine_reader *reader, const char *key, const char *words,
                           uint64_t fallback);

/* Up to MACHINE_MAX_HASH hexadecimal masks, separated by commas; returns how many. */
uint32_t machine_read_masks(struct machine_reader *reader, const char *key,
                            uint64_t mask[MACHINE_MAX_HASH]);

#endif
