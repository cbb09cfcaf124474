/*
 * Values of a machine file: numbers, times, rates, words. Each says where it is wrong and what
 * would be right.
 */
#include "tools/model/machine_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void machine_fail(struct machine_reader *reader, const struct machine_entry *entry, const char *key,
                  const char *what, const char *valid)
{
    if (reader->failed) {
        return;
    }
    reader->failed = true;
    if (entry) {
        snprintf(reader->error, MACHINE_ERROR_BYTES, "line %u: %s: %s; valid: %s", entry->line, key,
                 what, valid);
    } else {
        /* the line is where the file ends: nothing more specific is true */
        const struct machine_text *text = reader->text;
        uint32_t line = text->entries ? text->entry[text->entries - 1].line : 1;

        snprintf(reader->error, MACHINE_ERROR_BYTES, "line %u (last): %s: %s; valid: %s", line, key,
                 what, valid);
    }
}

struct machine_entry *machine_entry(struct machine_reader *reader, const char *key)
{
    struct machine_text *text = reader->text;

    for (uint32_t i = 0; i < text->entries; i++) {
        if (strcmp(text->entry[i].key, key) == 0) {
            text->entry[i].used = true;
            return &text->entry[i];
        }
    }
    return NULL;
}

static const struct machine_entry *find(struct machine_reader *reader, const char *key,
                                        uint64_t fallback, const char *valid)
{
    const struct machine_entry *entry = machine_entry(reader, key);

    if (!entry && fallback == MACHINE_REQUIRED) {
        machine_fail(reader, NULL, key, "missing", valid);
    }
    return entry;
}

/* Digits, a point and up to three more digits; x 1000. Returns false if it is none. */
static bool scan_milli(const char *text, uint64_t *milli, const char **rest)
{
    char *end;
    uint64_t unit = 1000;

    if (*text < '0' || *text > '9') {
        return false;
    }
    errno = 0;
    *milli = strtoull(text, &end, 10);
    if (errno != 0 || *milli > UINT64_MAX / 1000000) {
        return false;
    }
    *milli *= 1000;
    if (*end == '.') {
        for (end++; *end >= '0' && *end <= '9'; end++) {
            unit /= 10;
            if (unit == 0) {
                return false;
            }
            *milli += (uint64_t)(*end - '0') * unit;
        }
    }
    *rest = end;
    return true;
}

uint64_t machine_read_number(struct machine_reader *reader, const char *key, uint64_t min,
                             uint64_t max, uint64_t fallback)
{
    char valid[96];
    const struct machine_entry *entry;
    const char *rest;
    uint64_t value;

    snprintf(valid, sizeof(valid), "a whole number from %" PRIu64 " to %" PRIu64 "%s", min, max,
             max >= 1024 ? ", K and M allowed" : "");
    entry = find(reader, key, fallback, valid);
    if (!entry) {
        return fallback;
    }
    if (!scan_milli(entry->value, &value, &rest) || value % 1000 != 0) {
        machine_fail(reader, entry, key, "not a whole number", valid);
        return min;
    }
    value /= 1000;
    if (*rest == 'K' || *rest == 'M') {
        value *= *rest == 'K' ? 1024 : 1024 * 1024;
        rest++;
    }
    if (*rest != '\0' || value < min || value > max) {
        machine_fail(reader, entry, key, *rest ? "something follows the number" : "out of range",
                     valid);
        return min;
    }
    return value;
}

uint64_t machine_read_milli(struct machine_reader *reader, const char *key, uint64_t min,
                            uint64_t max)
{
    char valid[96];
    const struct machine_entry *entry;
    const char *rest;
    uint64_t value;

    snprintf(valid, sizeof(valid), "a decimal number from %" PRIu64 " to %" PRIu64, min / 1000,
             max / 1000);
    entry = find(reader, key, MACHINE_REQUIRED, valid);
    if (!entry) {
        return min;
    }
    if (!scan_milli(entry->value, &value, &rest) || *rest != '\0' || value < min || value > max) {
        machine_fail(reader, entry, key, "not a number in range", valid);
        return min;
    }
    return value;
}

/* A day of cycles is no latency: one second of a 10 GHz machine is the most that makes sense. */
#define MAX_LATENCY_CYCLES 1000000u

uint32_t machine_read_latency(struct machine_reader *reader, const char *key, uint32_t clock_khz,
                              uint64_t fallback)
{
    static const char valid[] = "cycles (15) or nanoseconds (32ns), 1 to 1000000 cycles";
    const struct machine_entry *entry = find(reader, key, fallback, valid);
    const char *rest;
    uint64_t value;

    if (!entry) {
        return (uint32_t)fallback;
    }
    if (!scan_milli(entry->value, &value, &rest) || value > UINT64_C(1000000) * 1000) {
        machine_fail(reader, entry, key, "not a latency", valid);
        return 1;
    }
    if (strcmp(rest, "ns") == 0) {
        value = value * clock_khz / 1000000; /* ns x 10^-3 at kHz: cycles x 10^-3 */
    }
    value = (value + 500) / 1000;
    if ((*rest != '\0' && strcmp(rest, "ns") != 0) || value < 1 || value > MAX_LATENCY_CYCLES) {
        machine_fail(reader, entry, key, "not a latency", valid);
        return 1;
    }
    return (uint32_t)value;
}

uint32_t machine_read_bandwidth(struct machine_reader *reader, const char *key, uint32_t clock_khz,
                                uint32_t line_bytes)
{
    char valid[160];
    const struct machine_entry *entry;
    const char *rest;
    uint64_t value;
    /* a line must fit a window of bus time: timing.h */
    uint64_t least = line_bytes * UINT64_C(1000) / 1024 + 1;

    snprintf(valid, sizeof(valid),
             "bytes per core cycle (8, 5.33) or megabytes per second (1300MB/s), "
             "at least %" PRIu64 ".%03" PRIu64 " bytes per cycle",
             least / 1000, least % 1000);
    entry = find(reader, key, MACHINE_REQUIRED, valid);
    if (!entry) {
        return 1;
    }
    if (!scan_milli(entry->value, &value, &rest)) {
        machine_fail(reader, entry, key, "not a rate", valid);
        return 1;
    }
    if (strcmp(rest, "MB/s") == 0) {
        value = (value * 1000 + clock_khz / 2) / clock_khz; /* 10^6 B/s / 10^3 Hz */
        rest += strlen(rest);
    }
    if (*rest != '\0' || value < least || value > 1000000) {
        machine_fail(reader, entry, key, "not a rate", valid);
        return 1;
    }
    return (uint32_t)value;
}

uint32_t machine_read_word(struct machine_reader *reader, const char *key, const char *words,
                           uint64_t fallback)
{
    const struct machine_entry *entry = find(reader, key, fallback, words);
    uint32_t index = 0;

    if (!entry) {
        return (uint32_t)fallback;
    }
    for (const char *word = words; word; index++) {
        const char *bar = strchr(word, '|');
        size_t length = bar ? (size_t)(bar - word) : strlen(word);

        if (strlen(entry->value) == length && strncmp(entry->value, word, length) == 0) {
            return index;
        }
        word = bar ? bar + 1 : NULL;
    }
    machine_fail(reader, entry, key, "no such word", words);
    return 0;
}

uint32_t machine_read_masks(struct machine_reader *reader, const char *key,
                            uint64_t mask[MACHINE_MAX_HASH])
{
    static const char valid[] = "up to 4 masks of physical address bits, 0x..,0x..";
    const struct machine_entry *entry = machine_entry(reader, key);
    uint32_t count = 0;

    if (!entry) {
        return 0;
    }
    for (const char *text = entry->value;; text++) {
        char *end;

        if (strncmp(text, "0x", 2) != 0 || count == MACHINE_MAX_HASH) {
            machine_fail(reader, entry, key, "not a list of masks", valid);
            return 0;
        }
        mask[count++] = strtoull(text, &end, 16);
        text = end;
        if (*text == '\0') {
            return count;
        }
        if (*text != ',') {
            machine_fail(reader, entry, key, "not a list of masks", valid);
            return 0;
        }
    }
}
