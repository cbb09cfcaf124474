/* Reading command lines and \tintype.cfg (words.h). */
#include "words.h"

#include "bytes.h"

#include <stdbool.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Cuts the blanks off both ends of s[*from, *to). */
static void trim(const char *s, size_t *from, size_t *to)
{
    while (*from < *to && is_blank(s[*from]))
        ++*from;
    while (*to > *from && is_blank(s[*to - 1]))
        --*to;
}

/* Appends s[0, n) and, if there is something already, a blank before it. */
static bool append(char *to, size_t room, const char *s, size_t n)
{
    size_t used = string_length(to);

    if (used + !!used + n >= room)
        return false;
    if (used)
        to[used++] = ' ';
    bytes_copy(to + used, s, n);
    to[used + n] = '\0';
    return true;
}

static const char *take_module(struct words *w, const char *s, size_t n)
{
    struct words_module *m = &w->module[w->modules];
    size_t path = 0, label, end = n;

    while (path < n && !is_blank(s[path]))
        path++;
    label = path;
    trim(s, &label, &end);
    if (w->modules == WORDS_MODULES_MAX)
        return "more than 16 modules";
    if (!path)
        return "a module line without a path";
    if (path >= sizeof(m->path) || end - label >= sizeof(m->label))
        return "the path or the label of a module is too long";
    bytes_copy(m->path, s, path);
    m->path[path] = '\0';
    bytes_copy(m->label, s + label, end - label);
    m->label[end - label] = '\0';
    for (size_t i = 0; i < path; i++) {
        if (m->path[i] == '/') /* EFI knows only the other one */
            m->path[i] = '\\';
    }
    w->modules++;
    return NULL;
}

static const char *take_line(struct words *w, const char *s, size_t n)
{
    static const char keyword[] = "module ";
    size_t from = 0, to = n;

    trim(s, &from, &to);
    s += from;
    n = to - from;
    if (n == 0 || s[0] == '#')
        return NULL;
    if (begins_with(s, n, keyword)) {
        from = sizeof(keyword) - 1;
        trim(s, &from, &n);
        return take_module(w, s + from, n - from);
    }
    return append(w->cmdline, sizeof(w->cmdline), s, n) ? NULL : "the command line is too long";
}

const char *words_from_file(struct words *w, const char *text, size_t bytes)
{
    static const char utf8_mark[] = "\xef\xbb\xbf"; /* Windows' editors put it there */
    size_t at = begins_with(text, bytes, utf8_mark) ? sizeof(utf8_mark) - 1 : 0;

    bytes_zero(w, sizeof(*w));
    for (size_t i = at; i < bytes; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c >= 0x7f || (c < ' ' && c != '\t' && c != '\r' && c != '\n'))
            return "not ASCII text (UTF-16, perhaps)";
    }
    while (at < bytes) {
        size_t end = at;

        while (end < bytes && text[end] != '\n' && text[end] != '\r')
            end++;

        const char *wrong = take_line(w, text + at, end - at);

        if (wrong)
            return wrong;
        at = end + 1;
    }
    return NULL;
}

static bool is_program_name(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '=')
            return false;
    }
    return n >= 4 && s[n - 4] == '.' && (s[n - 3] | 0x20) == 'e' && (s[n - 2] | 0x20) == 'f' &&
           (s[n - 1] | 0x20) == 'i';
}

enum words_options words_from_options(struct words *w, const void *options, size_t bytes)
{
    char text[WORDS_CMDLINE_MAX + 256]; /* a path may stand in front */
    size_t n = 0;

    for (size_t at = 0; at + 2 <= bytes; at += 2) {
        uint16_t unit;

        bytes_copy(&unit, (const char *)options + at, sizeof(unit));
        if (unit == 0)
            break;
        if (unit == '\t' || unit == '\r' || unit == '\n')
            unit = ' ';
        if (unit < ' ' || unit >= 0x7f)
            return OPTIONS_NOT_TEXT;
        if (n == sizeof(text))
            return OPTIONS_TOO_LONG;
        text[n++] = (char)unit;
    }

    size_t from = 0, name = 0;

    trim(text, &from, &n);
    while (from + name < n && !is_blank(text[from + name]))
        name++;
    if (is_program_name(text + from, name))
        from += name;
    trim(text, &from, &n);
    if (from == n)
        return bytes == 1 ? OPTIONS_NOT_TEXT : OPTIONS_NONE;
    if (n - from >= sizeof(w->cmdline))
        return OPTIONS_TOO_LONG;
    bytes_copy(w->cmdline, text + from, n - from);
    w->cmdline[n - from] = '\0';
    return OPTIONS_TAKEN;
}
