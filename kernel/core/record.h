/*
 * Records: one JSON object per line, {"tt":"KIND","seq":N,...,"crc":"xxxxxxxx"}.
 *
 * Built whole in a buffer of RECORD_MAX bytes and written in one piece, always from column 0.
 * crc is zlib's CRC-32 of every byte of the line before `,"crc":`. seq counts the records of a
 * boot from 0 without gaps, so a lost line is known to be lost. The integer and string parts use
 * general registers only (panic needs them); numbers with a fraction are in lab/record_float.h.
 */
#ifndef TT_CORE_RECORD_H
#define TT_CORE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_MAX 512 /* bytes of a whole line, '\n' excluded */

/*
 * A record under construction. It gets its seq when it is written, so one that is abandoned
 * half-way (a trap ended the experiment) leaves no gap.
 */
struct record {
    size_t used;
    size_t kind_end; /* where "seq" will be inserted */
    bool overflow; /* something did not fit: record_end panics at CHECK >= 1, else writes a note */
    bool array;    /* inside an array */
    bool first;    /* no comma before the next member */
    char text[RECORD_MAX + 1];
};

/* kind: a plain word, it is not escaped. */
void record_begin(struct record *r, const char *kind);
void record_str(struct record *r, const char *key, const char *value); /* escapes; non-ASCII as ? */
void record_u64(struct record *r, const char *key, uint64_t value);
void record_i64(struct record *r, const char *key, int64_t value);
void record_hex(struct record *r, const char *key, uint64_t value); /* as string "0x..." */
void record_bool(struct record *r, const char *key, bool value);
void record_null(struct record *r, const char *key);

/* Raw JSON text for a value that the caller has formatted (lab/record_float.c). */
void record_raw(struct record *r, const char *key, const char *json);

/* Arrays: record_array(r, "hist"); record_u64(r, NULL, v)...; record_array_end(r). No nesting. */
void record_array(struct record *r, const char *key);
void record_array_end(struct record *r);

/* True when n more bytes of text would fit: for arrays that are cut into parts. */
bool record_fits(const struct record *r, size_t n);

/* Adds the crc and writes the line. */
void record_end(struct record *r);

/*
 * Writes a long array as records of one kind. In each, head adds what says whose array it is (the
 * same text every time), then follow "first" (index of the first value), "part" (from 0), "parts"
 * and the values under key. An empty array is one part.
 */
void record_u32_parts(const char *kind, void (*head)(struct record *r, void *arg), void *arg,
                      const char *key, const uint32_t *v, size_t n);

/* zlib's CRC-32, of n bytes, continuing from crc (0 to start). */
uint32_t crc32_zlib(uint32_t crc, const void *data, size_t n);

#endif
