/* Looks presets up. Contract in preset.h. */
#include "lab/preset.h"

#include "core/cmdline.h"

#include <string.h>

/* What a machine that was started without a word runs. */
#define PRESET_DEFAULT "demo"

const struct preset *preset_named(const char *name)
{
    for_each_registered (preset, p) {
        if (!strcmp(p->name, name))
            return p;
    }
    return NULL;
}

const struct preset *preset_of(const char *cmdline)
{
    char run[32];
    if (!cmdline_early(cmdline, "run", run, sizeof run)) {
        /* Absent, or longer than any preset's name: the parser takes care of the latter. */
        return strstr(cmdline, "run=") ? NULL : preset_named(PRESET_DEFAULT);
    }
    return preset_named(run);
}
