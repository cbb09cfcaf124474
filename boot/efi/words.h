/*
 * The kernel's command line and modules, from the load options and from \tintype.cfg.
 *
 * The file is lines of ASCII. `#` begins a comment line; `module PATH [LABEL...]` names a file to
 * hand over; every other line is words of the command line. Pure; also compiled for the host.
 */
#ifndef BOOT_EFI_WORDS_H
#define BOOT_EFI_WORDS_H

#include <stddef.h>
#include <stdint.h>

#define WORDS_CMDLINE_MAX 2048 /* BOOT_CMDLINE_MAX of the kernel */
#define WORDS_MODULES_MAX 16   /* BOOT_MODULE_MAX */

struct words {
    char cmdline[WORDS_CMDLINE_MAX];
    unsigned modules;
    struct words_module {
        char path[128];
        char label[64];
    } module[WORDS_MODULES_MAX];
};

/* Reads the file's text into w; NULL, or what is wrong with it. */
const char *words_from_file(struct words *w, const char *text, size_t bytes);

enum words_options {
    OPTIONS_NONE,     /* empty, or nothing but the program's name: cmdline is as it was */
    OPTIONS_TAKEN,    /* cmdline is theirs */
    OPTIONS_NOT_TEXT, /* firmware leaves binary data there: cmdline is as it was */
    OPTIONS_TOO_LONG
};

/* UTF-16 text, with or without the program's name in front and an end. */
enum words_options words_from_options(struct words *w, const void *options, size_t bytes);

#endif
