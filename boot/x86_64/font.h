/* A font of 5 by 7 dots for the few words on the screen. Capitals only; small letters become them.
 */
#ifndef BOOT_FONT_H
#define BOOT_FONT_H

#include <stdint.h>

#define FONT_WIDTH  5
#define FONT_HEIGHT 7

/* Rows from the top, the leftmost dot in bit 4. A frame for what has no glyph. */
const uint8_t *font_glyph(char c);

#endif
