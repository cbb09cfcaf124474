/* Looks policies and fallbacks up by name. */
#include "mm/policy.h"

#include <string.h>

const struct policy *policy_named(const char *name)
{
    for_each_registered (policy, p) {
        if (!strcmp(p->name, name))
            return p;
    }
    return NULL;
}

const struct fallback *fallback_named(const char *name)
{
    for_each_registered (fallback, f) {
        if (!strcmp(f->name, name))
            return f;
    }
    return NULL;
}
