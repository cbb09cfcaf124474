/* Finds keys without their workload. Contract in stray.h. */
#include "lab/stray.h"

#include "core/kprintf.h"
#include "lab/axis.h"
#include "lab/factor.h"

/* Does any of the workloads run? */
static bool runs(const char *run, const char *workloads)
{
    char name[32];
    bool ok = true;
    for (const char *rest = workloads; rest && ok;) {
        rest = parse_item(rest, ',', name, sizeof name, &ok);
        if (ok && list_has(run, name))
            return true;
    }
    return false;
}

static bool say_stray(const char *key, const char *workloads, char *err, size_t err_bytes)
{
    ksnprintf(err, err_bytes, "%s= belongs to %s, which run= does not name", key, workloads);
    return true;
}

bool stray_key(const char *run, char *err, size_t err_bytes)
{
    for_each_registered (factor, f) {
        if (f->workloads && f->levels->count && !runs(run, f->workloads))
            return say_stray(f->name, f->workloads, err, err_bytes);
    }
    for_each_registered (axis, a) {
        if (a->given->count && !runs(run, a->workload))
            return say_stray(a->name, a->workload, err, err_bytes);
    }
    return false;
}
