/*
 * Splitting a machine file into keys and values.
 */
#include "tools/model/machine_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static int fail_line(char *error, uint32_t line, const char *key, const char *what)
{
    snprintf(error, MACHINE_ERROR_BYTES,
             "line %u: %s: %s; valid: key = value  # source: where from", line, key, what);
    return -1;
}

/* Copy [start, end) without spaces around it. False: longer than a word may be. */
static bool copy_word(char word[MACHINE_WORD_BYTES], const char *start, const char *end)
{
    while (start < end && isspace((unsigned char)*start)) {
        start++;
    }
    while (start < end && isspace((unsigned char)end[-1])) {
        end--;
    }
    if ((size_t)(end - start) >= MACHINE_WORD_BYTES) {
        return false;
    }
    memcpy(word, start, (size_t)(end - start));
    word[end - start] = '\0';
    return true;
}

/* "unknown 2" gives "2" and asks for "taken:" where a known figure has "source:". */
static int check_source(struct machine_entry *entry, const char *comment, const char *end,
                        char *error)
{
    static const char unknown[] = "unknown";
    const char *wanted = "source:";
    char *value = entry->value;
    const char *found;

    if (strncmp(value, unknown, sizeof(unknown) - 1) == 0) {
        const char *taken = value + sizeof(unknown) - 1;

        while (*taken == ' ') {
            taken++;
        }
        if (*taken == '\0') {
            return fail_line(error, entry->line, entry->key,
                             "unknown, and no value is taken instead (key = unknown VALUE)");
        }
        memmove(value, taken, strlen(taken) + 1);
        wanted = "taken:";
    }
    found = strstr(comment, wanted);
    if (!found || found >= end) {
        return fail_line(error, entry->line, entry->key,
                         wanted[0] == 's' ? "no '# source:' is cited"
                                          : "unknown, and no '# taken:' says why this value");
    }
    for (found += strlen(wanted); found < end && isspace((unsigned char)*found); found++) {
    }
    if (found == end) {
        return fail_line(error, entry->line, entry->key, "the source is empty");
    }
    return 0;
}

static int split_line(struct machine_text *text, uint32_t number, const char *line, const char *end,
                      char *error)
{
    struct machine_entry *entry = &text->entry[text->entries];
    const char *comment = memchr(line, '#', (size_t)(end - line));
    const char *stop = comment ? comment : end;
    const char *equals = memchr(line, '=', (size_t)(stop - line));
    char word[MACHINE_WORD_BYTES];

    if (!equals) {
        if (copy_word(word, line, stop) && word[0] == '\0') {
            return 0; /* empty, or only a comment */
        }
        return fail_line(error, number, "(no key)", "not of the form key = value");
    }
    if (text->entries == MACHINE_MAX_LINES) {
        return fail_line(error, number, "(file)", "too many keys");
    }
    memset(entry, 0, sizeof(*entry));
    entry->line = number;
    if (!copy_word(entry->key, line, equals) || entry->key[0] == '\0') {
        return fail_line(error, number, "(no key)", "the key is empty or too long");
    }
    if (!copy_word(entry->value, equals + 1, stop) || entry->value[0] == '\0') {
        return fail_line(error, number, entry->key, "the value is empty or too long");
    }
    for (uint32_t i = 0; i < text->entries; i++) {
        if (strcmp(text->entry[i].key, entry->key) == 0) {
            return fail_line(error, number, entry->key, "given twice");
        }
    }
    text->entries++;
    return check_source(entry, comment ? comment : end, end, error);
}

int machine_text_split(struct machine_text *text, const char *file, char error[MACHINE_ERROR_BYTES])
{
    uint32_t number = 1;

    text->entries = 0;
    for (const char *line = file; *line; number++) {
        const char *end = strchr(line, '\n');
        const char *stop = end ? end : line + strlen(line);

        for (const char *c = line; c < stop; c++) {
            if ((unsigned char)*c > 126 || ((unsigned char)*c < 32 && *c != '\t' && *c != '\r')) {
                return fail_line(error, number, "(line)", "not plain ASCII");
            }
        }
        if (split_line(text, number, line, stop, error) != 0) {
            return -1;
        }
        line = end ? end + 1 : stop;
    }
    return 0;
}
