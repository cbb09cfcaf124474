/* Presets and their stages. Contract in preset.h. */
#include "lab/preset.h"

#include "lab/axis.h"
#include "lab/factor.h"
#include "lab/options.h"

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
    if (cmdline_early(cmdline, "run", run, sizeof run))
        return preset_named(run);
    /* Absent, or longer than any preset's name: the parser takes care of the latter. */
    return strstr(cmdline, "run=") ? NULL : preset_named(PRESET_DEFAULT);
}

unsigned preset_stages(const struct preset *p)
{
    unsigned n = 0;
    while (p && p->stage[n])
        n++;
    return p ? n : 1;
}

unsigned preset_take(const struct preset *p, unsigned stage, const char *cmdline,
                     cmdline_report report, void *arg)
{
    lab_options = lab_options_initial;
    for_each_registered (factor, f)
        memset(f->levels, 0, sizeof *f->levels);
    for_each_registered (axis, a)
        memset(a->given, 0, sizeof *a->given);
    unsigned errors = p ? cmdline_parse(p->stage[stage], report, arg) : 0;
    return errors + cmdline_parse(cmdline, report, arg);
}
