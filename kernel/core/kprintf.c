/*
 * kprintf and ksnprintf: one formatter, two places to put its bytes.
 *
 * Called from anywhere, traps and panic included: no state outside the stack, no allocation, no
 * floating point.
 */
#include "core/kprintf.h"

#include "core/console.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Where bytes go: a caller's buffer (cut at its end), or pieces that are flushed to the console. */
struct sink {
    char *text;
    size_t room;
    size_t used;
    size_t total; /* bytes of the full text, cut or not */
    bool flush;
};

static void put(struct sink *k, char c)
{
    k->total++;
    if (k->used == k->room) {
        if (!k->flush)
            return;
        console_write(k->text, k->used);
        k->used = 0;
    }
    k->text[k->used++] = c;
}

/* One conversion's modifiers, as far as they are understood. */
struct spec {
    bool left, zero;
    unsigned width;
    int precision; /* of strings; -1: none */
    int length;    /* 0 int, 1 long, 2 long long, 3 size_t */
};

static void put_padded(struct sink *k, const struct spec *s, const char *sign, const char *body,
                       size_t n)
{
    size_t len = strlen(sign) + n;
    size_t pad = s->width > len ? s->width - len : 0;
    if (!s->left && !s->zero)
        for (; pad; pad--)
            put(k, ' ');
    for (; *sign; sign++)
        put(k, *sign);
    if (!s->left && s->zero)
        for (; pad; pad--)
            put(k, '0');
    while (n--)
        put(k, *body++);
    for (; pad; pad--)
        put(k, ' ');
}

static void put_number(struct sink *k, const struct spec *s, const char *sign, uint64_t v,
                       unsigned base)
{
    char digits[20]; /* 2^64 - 1 has 20 decimal digits */
    char *p = digits + sizeof(digits);
    do {
        *--p = "0123456789abcdef"[v % base];
        v /= base;
    } while (v);
    put_padded(k, s, sign, p, (size_t)(digits + sizeof(digits) - p));
}

static const char *parse_spec(const char *f, struct spec *s)
{
    *s = (struct spec){.precision = -1};
    for (;; f++) {
        if (*f == '-')
            s->left = true;
        else if (*f == '0')
            s->zero = true;
        else
            break;
    }
    for (; *f >= '0' && *f <= '9'; f++)
        s->width = s->width * 10 + (unsigned)(*f - '0');
    if (*f == '.') {
        s->precision = 0;
        for (f++; *f >= '0' && *f <= '9'; f++)
            s->precision = s->precision * 10 + (*f - '0');
    }
    if (*f == 'z') {
        s->length = 3;
        f++;
    }
    for (; *f == 'l' && s->length < 2; f++)
        s->length++;
    return f;
}

/* va_list is an array type on some targets: inside a struct it can be passed by reference. */
struct args {
    va_list ap;
};

static uint64_t take_unsigned(struct args *a, int length)
{
    switch (length) {
    case 0:
        return va_arg(a->ap, unsigned);
    case 1:
        return va_arg(a->ap, unsigned long);
    case 2:
        return va_arg(a->ap, unsigned long long);
    default:
        return va_arg(a->ap, size_t);
    }
}

static int64_t take_signed(struct args *a, int length)
{
    switch (length) {
    case 0:
        return va_arg(a->ap, int);
    case 1:
        return va_arg(a->ap, long);
    case 2:
        return va_arg(a->ap, long long);
    default:
        return (int64_t)va_arg(a->ap, size_t);
    }
}

static void put_string(struct sink *k, struct spec *s, const char *text)
{
    size_t n = 0;
    if (!text)
        text = "(null)";
    while ((s->precision < 0 || n < (size_t)s->precision) && text[n])
        n++;
    s->zero = false;
    put_padded(k, s, "", text, n);
}

static void format(struct sink *k, const char *f, struct args *a)
{
    for (; *f; f++) {
        if (*f != '%') {
            put(k, *f);
            continue;
        }
        const char *start = f;
        struct spec s;
        f = parse_spec(f + 1, &s);
        switch (*f) {
        case '%':
            put(k, '%');
            break;
        case 'c': {
            char c = (char)va_arg(a->ap, int);
            put_padded(k, &s, "", &c, 1);
            break;
        }
        case 's':
            put_string(k, &s, va_arg(a->ap, const char *));
            break;
        case 'd':
        case 'i': {
            int64_t v = take_signed(a, s.length);
            put_number(k, &s, v < 0 ? "-" : "", v < 0 ? -(uint64_t)v : (uint64_t)v, 10);
            break;
        }
        case 'u':
            put_number(k, &s, "", take_unsigned(a, s.length), 10);
            break;
        case 'x':
            put_number(k, &s, "", take_unsigned(a, s.length), 16);
            break;
        case 'p':
            put_number(k, &s, "0x", (uintptr_t)va_arg(a->ap, void *), 16);
            break;
        case '\0':
            f--; /* a format that ends in the middle of a conversion */
            /* fall through */
        default:
            for (; start <= f; start++)
                put(k, *start);
        }
    }
}

size_t kvsnprintf(char *buf, size_t bytes, const char *fmt, va_list ap)
{
    struct sink k = {.text = buf, .room = bytes ? bytes - 1 : 0};
    struct args a;
    va_copy(a.ap, ap);
    format(&k, fmt, &a);
    va_end(a.ap);
    if (bytes)
        buf[k.used] = '\0';
    return k.total;
}

size_t ksnprintf(char *buf, size_t bytes, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    size_t n = kvsnprintf(buf, bytes, fmt, ap);
    va_end(ap);
    return n;
}

void kprintf(const char *fmt, ...)
{
    char piece[128];
    struct sink k = {.text = piece, .room = sizeof(piece), .flush = true};
    struct args a;
    va_start(a.ap, fmt);
    console_lock();
    format(&k, fmt, &a);
    console_write(piece, k.used);
    console_unlock();
    va_end(a.ap);
}
