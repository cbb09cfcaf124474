/* The line and the pair that falseshare's samples show, beside the machine's. falseshare.h. */
#include "core/kprintf.h"
#include "core/record.h"
#include "lab/record_float.h"
#include "lab/say.h"
#include "lab/step.h"
#include "perf/caches.h"
#include "perf/model.h"
#include "work/falseshare.h"

#include <stdlib.h>
#include <string.h>

/* One thing to be found. */
struct question {
    const char *what; /* in the record */
    const char *text; /* for people */
    unsigned metric;
    enum step_way way;
    uint64_t says; /* the machine; 0: it does not say */
};

/* The outermost cache's line: what CPUs take from each other. */
static uint64_t machine_line(void)
{
    struct arch_cache c[8];
    unsigned n = machine_caches(c, ARRAY_SIZE(c));
    return n ? c[n - 1].line_bytes : 0;
}

/* What comes along with a line, by the machine file; no processor says that of itself. */
static uint64_t machine_fetch(void)
{
    if (!model_present())
        return 0;
    const struct model_machine_info *m = model_machine();
    const struct model_level_info *last = &m->level[m->levels - 1];
    uint64_t unit = max_u64(last->sector_bytes, last->line_bytes);
    return last->prefetch ? max_u64(unit, 2 * last->line_bytes) : unit;
}

static const char *verdict_of(const struct step *s, uint64_t says, const char *source)
{
    if (!s->known)
        return "unknown"; /* one block has no spread */
    if (!s->found)
        return "no difference seen";
    if (!strcmp(source, "emulation"))
        return "not comparable"; /* QEMU's own time, whatever makes it differ */
    if (!says)
        return "machine does not say";
    return s->at == says ? "agrees" : "differs";
}

static void write_finding(const struct results *r, unsigned level, const struct question *q,
                          const struct step *s, const char *verdict)
{
    struct record rec;
    record_begin(&rec, "finding");
    record_str(&rec, "exp", r->work->name);
    record_str(&rec, "level", r->levels->level[level].name);
    record_str(&rec, "what", q->what);
    record_str(&rec, "metric", r->metric[q->metric].name);
    record_str(&rec, "source", metric_source(&r->metric[q->metric]));
    if (s->found) {
        record_u64(&rec, "found", s->at);
        record_u64(&rec, "above", s->above);
    } else {
        record_null(&rec, "found");
    }
    if (s->known) {
        record_f64(&rec, "step", s->height);
        record_f64(&rec, "p", s->p);
    }
    if (q->says)
        record_u64(&rec, "says", q->says);
    else
        record_null(&rec, "says");
    record_str(&rec, "rule", STEP_RULE);
    record_str(&rec, "verdict", verdict);
    record_end(&rec);
}

static void say_finding(const struct question *q, const struct step *s, const char *verdict)
{
    char found[24] = "none", says[24] = "nothing";
    if (s->found)
        ksnprintf(found, sizeof found, "%lu bytes", (unsigned long)s->at);
    if (q->says)
        ksnprintf(says, sizeof says, "%lu bytes", (unsigned long)q->says);
    say("#   %s: found %s; the machine says %s%s%s: %s\n", q->text, found, says,
        model_present() ? ", model " : "", model_present() ? model_machine()->name : "", verdict);
}

void falseshare_conclude(const struct results *r)
{
    const struct question questions[] = {
        {"line", "line (two CPUs share it)", FALSESHARE_ADD, STEP_DOWN, machine_line()},
        {"fetch", "fetched at a time (the line, or a pair)", FALSESHARE_FETCH, STEP_UP,
         machine_fetch()},
    };
    double *scratch = malloc(2 * r->blocks * sizeof *scratch);
    if (!scratch)
        return;
    for (unsigned level = 0; level < r->levels->count; level++) {
        say("#\n# %s, %s (%s):\n", r->work->name, r->levels->level[level].name, STEP_RULE);
        for (unsigned i = 0; i < ARRAY_SIZE(questions); i++) {
            const struct question *q = &questions[i];
            struct step s = step_find(r, level, q->metric, q->way, scratch);
            const char *verdict = verdict_of(&s, q->says, metric_source(&r->metric[q->metric]));
            write_finding(r, level, q, &s, verdict);
            say_finding(q, &s, verdict);
        }
    }
    free(scratch);
}
