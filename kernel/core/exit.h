/*
 * Leaving: which way the boot ends (exit=halt|poweroff|reboot|qemu; halt when nothing is said).
 */
#ifndef TT_CORE_EXIT_H
#define TT_CORE_EXIT_H

#include <stdbool.h>

/*
 * Takes exit= from the raw command line, so that a panic before the command line is parsed, or a
 * word in it that is wrong, still ends the boot the way that was asked for. After console_init.
 */
void exit_init(const char *cmdline);

/* Ends the boot that way; ok chooses the status where there is one. */
__attribute__((noreturn)) void exit_machine(bool ok);

#endif
