/*
 * The console: where the log goes. One CPU at a time: each call writes in one piece, and what is
 * written between console_lock and console_unlock stays together. Handlers of interrupts do not
 * write (they could hit their own CPU in the middle of a line); panic does, by console_seize.
 *
 * Which port, console= says; auto is ttyS0, or else the one that firmware names. An absent port
 * costs a bounded wait and the log is then kept only in the ring (the last CONSOLE_RING bytes, for
 * gdb).
 */
#ifndef TT_CORE_CONSOLE_H
#define TT_CORE_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

#define CONSOLE_RING 65536

/* Keeps other CPUs' output out until console_unlock. Nests on one CPU. */
void console_lock(void);
void console_unlock(void);

/* For panic: the console is this CPU's from now on, whoever had it. */
void console_seize(void);

/* Opens the device that the command line names (text: the whole raw command line); again, too. */
void console_init(const char *cmdline);

/* Writes n bytes; '\n' becomes CR LF on a serial line. */
void console_write(const char *s, size_t n);

/* True when the last byte written was '\n' or nothing was written yet (records need column 0). */
bool console_at_line_start(void);

/* "ttyS0,115200", "none (ttyS0 does not answer)": for the boot record. */
const char *console_name(void);

#endif
