/* The list of all sources' counters. Contract in counters.h. */
#include "perf/counters.h"

#define SOURCES_MAX 4

static struct counter counter[COUNTERS_MAX];
static unsigned counters;
static unsigned first[SOURCES_MAX]; /* of each source's counters in the list */

void counters_init(void)
{
    unsigned source = 0;
    for_each_registered (counter_source, s) {
        if (source == SOURCES_MAX)
            return;
        first[source++] = counters;
        counters += s->start(&counter[counters], COUNTERS_MAX - counters);
    }
}

unsigned counters_count(void)
{
    return counters;
}

const struct counter *counter_at(unsigned i)
{
    return &counter[i];
}

void counters_read(uint64_t *v)
{
    unsigned source = 0;
    for_each_registered (counter_source, s)
        s->read(v + first[source++]);
}

void counters_log(void)
{
    for_each_registered (counter_source, s)
        s->log();
}
