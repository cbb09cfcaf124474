/*
 * A few words on the screen of a real machine, which would otherwise stay black: that the results
 * go to the serial port, or why the boot failed.
 *
 * Written once, before the kernel's own map, with the loader's mode as it is. White is all ones and
 * black all zeros in every direct-colour format, so formats need no telling apart.
 */
#include "boot.h"

#include "core/console.h"
#include "core/kprintf.h"
#include "font.h"

#include <string.h>

/* Dots between glyphs and lines, in units of a dot of the font. */
#define CELL_WIDTH  (FONT_WIDTH + 1)
#define CELL_HEIGHT (FONT_HEIGHT + 3)
#define MARGIN      2

#define TEXT_WHITE 0x0f00 /* attribute of an EGA text cell: bright on black */

struct screen {
    char *base; /* NULL: none that can be used */
    struct boot_framebuffer fb;
    uint32_t scale;
    uint32_t columns, rows;
};

static struct screen open_screen(const struct boot_framebuffer *fb)
{
    struct screen s = {.fb = *fb};
    uint32_t bytes = fb->text ? 2 : fb->bits_per_pixel / 8;
    const void *memory = boot_memory(fb->base.a, (uint64_t)fb->pitch_bytes * fb->height);

    /* 16, 24 or 32 bits; rows that hold their dots. Anything else is left alone. */
    if (!memory || (!fb->text && (bytes < 2 || bytes > 4 || fb->bits_per_pixel % 8)) ||
        (uint64_t)fb->width * bytes > fb->pitch_bytes)
        return s;
    s.base = (char *)(uintptr_t)memory;
    s.scale = fb->width >= 800 ? 2 : 1;
    s.columns = fb->text ? fb->width : fb->width / (CELL_WIDTH * s.scale);
    s.rows = fb->text ? fb->height : fb->height / (CELL_HEIGHT * s.scale);
    s.columns -= min_u64(s.columns, 2 * MARGIN);
    s.rows -= min_u64(s.rows, MARGIN);
    return s;
}

static void put_dot(const struct screen *s, uint32_t x, uint32_t y, bool white)
{
    uint32_t bytes = s->fb.bits_per_pixel / 8;

    for (uint32_t i = 0; i < s->scale; i++) {
        char *line = s->base + (uint64_t)(y * s->scale + i) * s->fb.pitch_bytes;

        memset(line + (uint64_t)x * s->scale * bytes, white ? 0xff : 0, s->scale * bytes);
    }
}

static void put_char(const struct screen *s, uint32_t column, uint32_t row, char c)
{
    if (s->fb.text) {
        uint16_t cell = TEXT_WHITE | (unsigned char)c;

        memcpy(s->base + (uint64_t)row * s->fb.pitch_bytes + 2 * column, &cell, sizeof(cell));
        return;
    }

    const uint8_t *glyph = font_glyph(c);

    for (uint32_t y = 0; y < CELL_HEIGHT; y++) {
        for (uint32_t x = 0; x < CELL_WIDTH; x++) {
            bool dot = y < FONT_HEIGHT && x < FONT_WIDTH && (glyph[y] >> (FONT_WIDTH - 1 - x) & 1);

            put_dot(s, column * CELL_WIDTH + x, row * CELL_HEIGHT + y, dot);
        }
    }
}

/* Writes text from row `row` on, breaking lines at blanks; the row after it. */
static uint32_t put_text(const struct screen *s, uint32_t row, const char *text)
{
    while (*text && row < s->rows) {
        size_t left = strlen(text), n = min_u64(left, s->columns);

        while (n < left && n > 0 && text[n] != ' ')
            n--;
        if (n == 0)
            n = min_u64(left, s->columns);
        for (uint32_t i = 0; i < s->columns; i++)
            put_char(s, MARGIN + i, row, i < n ? text[i] : ' ');
        row++;
        for (text += n; *text == ' '; text++)
            ;
        if (!s->columns)
            break;
    }
    return row;
}

void screen_say(const struct boot_info *bi)
{
    struct screen s = open_screen(&bi->fb);

    if (!s.base || !bi->fb.base.a)
        return;

    uint32_t row = put_text(&s, 1, "Tintype is running.");

    char where[160];

    console_init(bi->cmdline); /* once more in kernel_main, for machines without a screen */
    ksnprintf(where, sizeof(where),
              "Its results go to the serial port: %s. Nothing more will be shown here.",
              console_name());
    row = put_text(&s, row, where);
    if (bi->error[0]) {
        row = put_text(&s, row + 1, "This boot has failed:");
        put_text(&s, row, bi->error);
    }
}
