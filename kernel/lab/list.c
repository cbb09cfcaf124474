/* What there is to run, from the registries. */
#include "lab/list.h"

#include "core/kprintf.h"
#include "core/selftest.h"
#include "lab/factor.h"
#include "lab/preset.h"
#include "lab/workload.h"
#include "perf/pmu.h"

static void list_workload(const struct workload *w)
{
    kprintf("#   %-12s %s [%s]\n#     metrics:", w->name, w->what, w->source);
    for (unsigned i = 0; i < w->metrics; i++)
        kprintf(" %s (%s)", w->metric[i].name, w->metric[i].unit);
    kprintf("\n");
}

void list_print(void)
{
    kprintf("# experiments (run=):\n");
    for_each_registered (workload, w)
        list_workload(w);
    kprintf("#   selftest     the self-tests below\n#   list         this list\n");
    kprintf("# presets (run=):\n");
    for_each_registered (preset, p) {
        kprintf("#   %-12s %s\n", p->name, p->what);
        for (unsigned i = 0; p->stage[i]; i++)
            kprintf("#     %s\n", p->stage[i]);
    }
    kprintf("# factors (KEY=LEVEL,LEVEL...):\n");
    for_each_registered (factor, f) {
        kprintf("#   %-12s default %s%s%s\n", f->name, f->initial, f->workloads ? ", of " : "",
                f->workloads ? f->workloads : "");
        for (unsigned i = 0; f->words && f->words[i]; i++)
            kprintf("#     %s\n", f->words[i]);
        if (f->list)
            f->list();
    }
    pmu_list();
    kprintf("# self-tests:\n");
    for_each_registered (selftest, t)
        kprintf("#   %-12s %s\n", t->name, t->proves);
}
