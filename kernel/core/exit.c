/*
 * exit=: how the boot ends. See exit.h.
 */
#include "core/exit.h"

#include "arch.h"
#include "core/cmdline.h"
#include "core/errno.h"

#include <string.h>

static const char *const names[] = {[EXIT_HALT] = "halt",
                                    [EXIT_POWEROFF] = "poweroff",
                                    [EXIT_REBOOT] = "reboot",
                                    [EXIT_QEMU] = "qemu"};

static enum exit_way way = EXIT_HALT;

/* False when s is no way to leave. */
static bool set_way(const char *s)
{
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
        if (strcmp(s, names[i]) == 0) {
            way = (enum exit_way)i;
            return true;
        }
    return false;
}

void exit_init(const char *cmdline)
{
    char value[16];
    if (cmdline_early(cmdline, "exit", value, sizeof(value)))
        set_way(value); /* a bad value is reported by cmdline_parse */
}

void exit_machine(bool ok)
{
    arch_exit(way, ok);
}

static int parse_exit(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o, (void)err, (void)err_bytes; /* the grammar says what is valid */
    return set_way(value) ? 0 : -TT_EINVAL;
}

REGISTER(option, exit) = {.name = "exit",
                          .grammar = "halt|poweroff|reboot|qemu",
                          .help = "how the boot ends (halt); qemu: with a status, see HACKING.md",
                          .parse = parse_exit};
