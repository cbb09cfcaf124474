/*
 * Records: building one in its buffer, and writing it. See record.h for the format.
 *
 * General registers only and no allocation: panic writes its end record with this.
 */
#include "core/record.h"

#include "core/console.h"
#include "core/kprintf.h"
#include "core/panic.h"
#include "core/types.h"

#include <string.h>

/* What record_end adds: ,"seq":4294967295 and ,"crc":"xxxxxxxx"} at their longest. */
#define SEQ_MAX_BYTES (sizeof(",\"seq\":4294967295") - 1)
#define CRC_BYTES     (sizeof(",\"crc\":\"xxxxxxxx\"}") - 1)
#define BODY_MAX      (RECORD_MAX - SEQ_MAX_BYTES - CRC_BYTES)

static uint32_t next_seq;

static void append(struct record *r, const char *text, size_t n)
{
    if (r->overflow || n > BODY_MAX - r->used) {
        r->overflow = true;
        return;
    }
    memcpy(r->text + r->used, text, n);
    r->used += n;
}

static void append_text(struct record *r, const char *text)
{
    append(r, text, strlen(text));
}

/* The quoted form of s: JSON's escapes, and ? for what is not ASCII. */
static void append_quoted(struct record *r, const char *s)
{
    append(r, "\"", 1);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        char escaped[] = {'\\', (char)c}, control[8];
        if (c < 0x20) {
            size_t n = ksnprintf(control, sizeof(control), "\\u%04x", c);
            append(r, control, n);
        } else if (c == '"' || c == '\\')
            append(r, escaped, sizeof(escaped));
        else
            append(r, c < 0x7f ? s : "?", 1);
    }
    append(r, "\"", 1);
}

/*
 * Comma and name of the next member; in an array there is no name (key NULL). Every kind of value
 * begins with it: one copy, because what an emulator takes for a boot is mostly first executions.
 */
static __attribute__((noinline)) void append_key(struct record *r, const char *key)
{
    check(1, !key == r->array);
    if (!r->first)
        append(r, ",", 1);
    r->first = false;
    if (key) {
        append_quoted(r, key);
        append(r, ":", 1);
    }
}

void record_begin(struct record *r, const char *kind)
{
    r->used = 0;
    r->overflow = r->array = r->first = false;
    append_text(r, "{\"tt\":\"");
    append_text(r, kind);
    append_text(r, "\"");
    r->kind_end = r->used;
}

void record_raw(struct record *r, const char *key, const char *json)
{
    append_key(r, key);
    append_text(r, json);
}

void record_str(struct record *r, const char *key, const char *value)
{
    append_key(r, key);
    append_quoted(r, value);
}

void record_u64(struct record *r, const char *key, uint64_t value)
{
    char text[24];
    ksnprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    record_raw(r, key, text);
}

void record_i64(struct record *r, const char *key, int64_t value)
{
    char text[24];
    ksnprintf(text, sizeof(text), "%lld", (long long)value);
    record_raw(r, key, text);
}

void record_hex(struct record *r, const char *key, uint64_t value)
{
    char text[24];
    ksnprintf(text, sizeof(text), "\"0x%llx\"", (unsigned long long)value);
    record_raw(r, key, text);
}

void record_bool(struct record *r, const char *key, bool value)
{
    record_raw(r, key, value ? "true" : "false");
}

void record_null(struct record *r, const char *key)
{
    record_raw(r, key, "null");
}

void record_array(struct record *r, const char *key)
{
    append_key(r, key);
    append(r, "[", 1);
    r->array = r->first = true;
}

void record_array_end(struct record *r)
{
    check(1, r->array);
    append(r, "]", 1);
    r->array = r->first = false;
}

bool record_fits(const struct record *r, size_t n)
{
    return !r->overflow && n <= BODY_MAX - r->used;
}

/* What to do about a record that did not fit: its kind is known, its content is lost. */
static void replace_by_note(struct record *r)
{
    char kind[32];
    size_t prefix = strlen("{\"tt\":\"");
    size_t n = min_u64(r->kind_end - 1 - prefix, sizeof(kind) - 1);
    memcpy(kind, r->text + prefix, n);
    kind[n] = '\0';
    if (CHECK >= 1)
        panic("record \"%s\" is longer than %d bytes", kind, RECORD_MAX);
    record_begin(r, "note");
    record_str(r, "level", "warning");
    record_str(r, "text", "a record did not fit into a line and is lost");
    record_str(r, "kind", kind);
}

void record_end(struct record *r)
{
    check(1, !r->array);
    if (r->overflow)
        replace_by_note(r);
    console_lock(); /* also orders the sequence numbers of several CPUs */
    char seq[SEQ_MAX_BYTES + 1];
    size_t n = ksnprintf(seq, sizeof(seq), ",\"seq\":%u", (unsigned)next_seq++);
    memmove(r->text + r->kind_end + n, r->text + r->kind_end, r->used - r->kind_end);
    memcpy(r->text + r->kind_end, seq, n);
    r->used += n;

    char tail[CRC_BYTES + 2];
    n = ksnprintf(tail, sizeof(tail), ",\"crc\":\"%08x\"}\n",
                  (unsigned)crc32_zlib(0, r->text, r->used));
    memcpy(r->text + r->used, tail, n); /* RECORD_MAX + 1 bytes: the '\n' has its place */
    r->used += n;
    if (!console_at_line_start())
        console_write("\n", 1);
    console_write(r->text, r->used);
    console_unlock();
}

/* ---- long arrays --------------------------------------------------------------------------- */

static void begin_part(struct record *r, const char *kind, void (*head)(struct record *, void *),
                       void *arg, const char *key, size_t first, size_t part, size_t parts)
{
    record_begin(r, kind);
    head(r, arg);
    record_u64(r, "first", first);
    record_u64(r, "part", part);
    record_u64(r, "parts", parts);
    record_array(r, key);
}

static size_t digits(uint32_t v)
{
    size_t n = 1;
    for (; v >= 10; v /= 10)
        n++;
    return n;
}

/* How many values from v[0..n) go into one part of `room` bytes; at least one. */
static size_t part_length(const uint32_t *v, size_t n, size_t room)
{
    size_t count = 0, used = 0;
    while (count < n && used + digits(v[count]) + 1 <= room)
        used += digits(v[count++]) + 1;
    return count || !n ? count : 1;
}

void record_u32_parts(const char *kind, void (*head)(struct record *r, void *arg), void *arg,
                      const char *key, const uint32_t *v, size_t n)
{
    struct record r;
    size_t parts = 0, at = 0, room = 0;

    /* Numbers that are at least as long as any that will stand in the head. */
    begin_part(&r, kind, head, arg, key, n, n + 1, n + 1);
    while (record_fits(&r, room + 1 + 1)) /* one more byte, and the closing bracket */
        room++;

    do {
        at += part_length(v + at, n - at, room);
        parts++;
    } while (at < n);

    at = 0;
    for (size_t part = 0; part < parts; part++) {
        size_t length = part_length(v + at, n - at, room);
        begin_part(&r, kind, head, arg, key, at, part, parts);
        for (size_t i = 0; i < length; i++)
            record_u64(&r, NULL, v[at + i]);
        record_array_end(&r);
        record_end(&r);
        at += length;
    }
}
