/* Text for people, with floating point: newlib's printf onto the console, for lab/ and work/. */
#ifndef TT_LAB_SAY_H
#define TT_LAB_SAY_H

/* At most 1023 bytes; lines that are neither records nor KTAP are led by "# " by the caller. */
__attribute__((format(printf, 1, 2))) void say(const char *fmt, ...);

#endif
