/* The factor `numa`: whether nodes have lists of their own, and what they come before. */
#include "lab/factor.h"

#include <string.h>

static const char *const names[] = {"on", "off", "color", NULL};
_Static_assert(NUMA_ON == 0 && NUMA_OFF == 1 && NUMA_COLOR == 2, "names are in their order");

static const char *nth_rule(unsigned i)
{
    return names[i];
}

static int level_numa(const char *text, struct setup *s, char *err, size_t err_bytes)
{
    for (unsigned i = 0; names[i]; i++) {
        if (!strcmp(names[i], text)) {
            s->numa = (enum numa_rule)i;
            return 0;
        }
    }
    return factor_no_such_level(text, names, err, err_bytes);
}

REGISTER_FACTOR(numa, ',', "on", "on|off|color[,...]|all",
                "lists by node: any colour here first, no nodes, the colour anywhere first",
                level_numa, nth_rule, NULL);
