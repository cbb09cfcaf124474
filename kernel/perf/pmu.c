/*
 * Hardware performance counters: which events (pmu=), and a self-test that they count. Where the
 * CPU has none (QEMU's TCG, an unknown CPU) the reason goes into the machine record, and nothing is
 * printed in their place.
 */
#include "perf/pmu.h"

#include "arch.h"
#include "core/cmdline.h"
#include "core/cpu.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/panic.h"
#include "core/record.h"
#include "core/selftest.h"
#include "perf/counters.h"

#include <string.h>

#define AUTO_EVENTS 4 /* more make the log long, and a small CPU has no more counters */

static struct pmu_event event[PMU_EVENTS_MAX];
static unsigned events;
static char raw_name[PMU_EVENTS_MAX][COUNTER_NAME_MAX]; /* of an event without a name */
static bool given;                                      /* pmu= names events */
static bool off;                                        /* pmu=off */

static const char *missing = "not started";
static PER_CPU(bool, started); /* counters are each CPU's own */

/* ---- pmu= ---------------------------------------------------------------------------------- */

#define NAMES_MAX 16

static void valid_events(char *err, size_t err_bytes, const char *word)
{
    const char *names[NAMES_MAX], *near;
    unsigned n;
    const struct pmu_event *e = arch_pmu_events(&n);
    size_t used = ksnprintf(err, err_bytes, "%.20s is no event of this CPU", word);
    n = n < NAMES_MAX - 1 ? n : NAMES_MAX - 1;
    for (unsigned i = 0; i < n; i++)
        names[i] = e[i].name;
    names[n] = NULL;
    near = nearest_word(word, names);
    if (near)
        used += ksnprintf(err + used, err_bytes - used, "; nearest: %s", near);
    used += ksnprintf(err + used, err_bytes - used, "; valid are");
    for (unsigned i = 0; i < n; i++)
        used += ksnprintf(err + used, err_bytes - used, "%s %s", i ? "," : "", names[i]);
    if (arch_pmu_raw_bits())
        ksnprintf(err + used, err_bytes - used, ", or rHEX as in the CPU's select register: r%x",
                  (unsigned)e[n - 1].select);
}

/* "r412e": 0, or -TT_EINVAL; other bits than an event has: -TT_ERANGE. */
static int parse_raw(const char *word, uint64_t *select)
{
    char number[2 + COUNTER_NAME_MAX];
    if (word[0] != 'r' || !arch_pmu_raw_bits())
        return -TT_EINVAL;
    ksnprintf(number, sizeof number, "0x%s", word + 1);
    if (parse_u64(number, 1, UINT64_MAX, select))
        return -TT_EINVAL;
    return *select & ~arch_pmu_raw_bits() ? -TT_ERANGE : 0;
}

static int take_event(const char *word, char *err, size_t err_bytes)
{
    struct pmu_event *e = &event[events];
    unsigned n;
    const struct pmu_event *known = arch_pmu_events(&n);
    for (unsigned i = 0; i < events; i++)
        if (!strcmp(event[i].name, word)) {
            ksnprintf(err, err_bytes, "%s is there twice", word);
            return -TT_EINVAL;
        }
    for (unsigned i = 0; i < n; i++)
        if (!strcmp(known[i].name, word)) {
            *e = known[i];
            return 0;
        }
    int bad = parse_raw(word, &e->select);
    if (bad == -TT_ERANGE)
        ksnprintf(err, err_bytes,
                  "%s has bits other than event, unit mask, edge, invert, threshold", word);
    else if (bad)
        valid_events(err, err_bytes, word);
    ksnprintf(raw_name[events], COUNTER_NAME_MAX, "%s", word);
    e->name = raw_name[events];
    return bad;
}

static int parse_pmu(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o;
    char word[COUNTER_NAME_MAX];
    const char *why;
    bool ok = true;
    events = 0;
    given = false;
    off = !strcmp(value, "off");
    if (off || !strcmp(value, "auto"))
        return 0;
    unsigned counters = arch_pmu_counters(&why);
    if (!counters) {
        ksnprintf(err, err_bytes, "valid here: auto, off (%s)", why);
        return -TT_EINVAL;
    }
    for (const char *rest = value; rest; events++) {
        rest = parse_item(rest, ',', word, sizeof word, &ok);
        if (!ok) {
            ksnprintf(err, err_bytes, "an event has a name of 1 to %u characters",
                      COUNTER_NAME_MAX - 1);
            return -TT_EINVAL;
        }
        if (events < PMU_EVENTS_MAX && take_event(word, err, err_bytes))
            return -TT_EINVAL;
        if (events == PMU_EVENTS_MAX || arch_pmu_fit(event, events + 1)) {
            ksnprintf(err, err_bytes, "%s is one event too many: this CPU has %u counters", word,
                      counters);
            return -TT_EINVAL;
        }
    }
    given = true;
    return 0;
}

REGISTER(option, pmu) = {.name = "pmu",
                         .grammar = "auto|off|EVENT[,EVENT...]",
                         .help = "what the CPU's counters count; run=list has the events",
                         .parse = parse_pmu};

void pmu_list(void)
{
    const char *why;
    unsigned counters = arch_pmu_counters(&why), n;
    if (!counters) {
        kprintf("# hardware counters (pmu=): none: %s\n", why);
        return;
    }
    kprintf("# hardware counters (pmu=EVENT,EVENT...), %u at once:\n", counters);
    const struct pmu_event *e = arch_pmu_events(&n);
    for (unsigned i = 0; i < n; i++)
        kprintf("#   %-14s r%-8lx %s\n", e[i].name, (unsigned long)e[i].select, e[i].what);
}

/* ---- counting ------------------------------------------------------------------------------ */

/* auto: the first that fit. */
static void choose(void)
{
    unsigned n;
    const struct pmu_event *e = arch_pmu_events(&n);
    for (events = 0; events < n && events < AUTO_EVENTS; events++) {
        event[events] = e[events];
        if (arch_pmu_fit(event, events + 1))
            break;
    }
}

static int index_of(const char *name)
{
    for (unsigned i = 0; i < events; i++)
        if (!strcmp(event[i].name, name))
            return (int)i;
    return -1;
}

#define STILL_ROUNDS 1000

/* Some hypervisors take every write to a counter and count nothing. */
static bool stands_still(void)
{
    int i = index_of("cycles");
    if (i < 0)
        i = index_of("instructions");
    if (i < 0)
        return false;
    uint64_t before = arch_pmu_read((unsigned)i);
    for (volatile unsigned k = 0; k < STILL_ROUNDS; k++)
        ;
    return arch_pmu_read((unsigned)i) == before;
}

static const char *start_counting(void)
{
    const char *why;
    if (off)
        return "pmu=off";
    if (!arch_pmu_counters(&why))
        return why;
    if (!given)
        choose();
    why = arch_pmu_start(event, events);
    if (!why && stands_still())
        why = "the CPU takes events for its counters, but they stand still";
    return why;
}

const char *pmu_failed(void)
{
    return given ? missing : NULL;
}

static unsigned start(struct counter *c, unsigned max)
{
    missing = start_counting();
    this_of(started) = !missing;
    unsigned n = 0;
    for (; !missing && n < events && n < max; n++) {
        c[n] = (struct counter){.source = "pmu"};
        ksnprintf(c[n].name, sizeof c[n].name, "%s", event[n].name);
    }
    return n;
}

static void read(uint64_t *v)
{
    if (missing)
        return;
    if (!this_of(started)) {
        const char *why = arch_pmu_start(event, events);
        if (why)
            panic("the counters of CPU 0 run, not those of CPU %u: %s", cpu_id(), why);
        this_of(started) = true;
    }
    for (unsigned i = 0; i < events; i++)
        v[i] = arch_pmu_read(i);
}

static void log_pmu(void)
{
    struct record r;
    record_begin(&r, "machine");
    record_str(&r, "what", "pmu");
    record_u64(&r, "counters", missing ? 0 : events);
    if (missing) {
        record_str(&r, "why", missing);
    } else {
        record_array(&r, "events");
        for (unsigned i = 0; i < events; i++)
            record_str(&r, NULL, event[i].name);
        record_array_end(&r);
    }
    record_end(&r);
}

REGISTER(counter_source, pmu) = {.name = "pmu", .start = start, .read = read, .log = log_pmu};

/* ---- self-test ----------------------------------------------------------------------------- */

#define LOOPS 100000u

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    int c = index_of("cycles"), i = index_of("instructions");
    if (missing || c < 0 || i < 0) {
        ksnprintf(msg, msg_bytes, "%s", missing ? missing : "pmu= names other events");
        return SELFTEST_SKIP;
    }
    uint64_t cycles = arch_pmu_read((unsigned)c), instructions = arch_pmu_read((unsigned)i);
    for (volatile unsigned k = 0; k < LOOPS; k++)
        ;
    instructions = arch_pmu_read((unsigned)i) - instructions;
    cycles = arch_pmu_read((unsigned)c) - cycles;

    /* A volatile counter's loop is 3 to 8 instructions, and no CPU retires 8 of them a cycle. */
    if (instructions >= 3 * LOOPS && instructions <= 9 * LOOPS && cycles >= instructions / 8)
        return SELFTEST_OK;
    ksnprintf(msg, msg_bytes, "%u loops: %llu instructions, %llu cycles", LOOPS,
              (unsigned long long)instructions, (unsigned long long)cycles);
    return SELFTEST_FAIL;
}

REGISTER(selftest, pmu) = {
    .name = "pmu", .proves = "the hardware counters count cycles and instructions", .run = run};
