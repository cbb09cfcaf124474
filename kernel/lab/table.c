/*
 * Tables for people: per metric one table, points down, levels across, median of the blocks.
 *
 * A mark after a value compares it with its reference level: + higher, - lower, ~ no difference
 * seen (95% interval). No mark: the reference itself, or nothing can be said (fewer than two
 * blocks).
 */
#include "lab/results.h"
#include "lab/say.h"
#include "perf/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMN_MIN 14

/* 131072 -> "128K"; values that are no multiple of 1024 in full. */
static void size_text(uint64_t v, char *out, size_t bytes)
{
    static const char unit[] = {0, 'K', 'M', 'G', 'T'};
    unsigned u = 0;
    while (v && v % 1024 == 0 && u + 1 < sizeof unit) {
        v /= 1024;
        u++;
    }
    snprintf(out, bytes, "%llu%c", (unsigned long long)v, unit[u]);
}

static char mark(const char *verdict)
{
    switch (verdict[0]) {
    case 'h':
        return '+';
    case 'l':
        return '-';
    case 'n':
        return '~';
    default:
        return ' ';
    }
}

static void print_cell(const struct results *r, unsigned level, unsigned point, unsigned metric,
                       double *scratch)
{
    int width = (int)strlen(r->levels->level[level].name);
    if (width < COLUMN_MIN)
        width = COLUMN_MIN;
    struct summary s = results_summary(r, level, point, metric, scratch);
    if (!s.stats.n)
        say("  %*s ", width, "-");
    else if (fabs(s.stats.median) >= 1e6 || s.stats.median == floor(s.stats.median))
        say("  %*.0f%c", width, s.stats.median, mark(s.verdict));
    else
        say("  %*.2f%c", width, s.stats.median, mark(s.verdict));
}

static void print_table(const struct results *r, unsigned metric, double *scratch)
{
    const struct metric *m = &r->metric[metric];
    say("#\n# %s: %s, %s (median of %u; source %s%s)\n", r->work->name, m->name, metric_unit(m),
        r->blocks, metric_source(m),
        m->better == BETTER_HIGHER  ? "; higher is better"
        : m->better == BETTER_LOWER ? "; lower is better"
                                    : "");
    say("# %14s", r->work->axis ? r->work->axis : "");
    for (unsigned level = 0; level < r->levels->count; level++)
        say("  %*s ", COLUMN_MIN, r->levels->level[level].name);
    say("\n");
    for (unsigned point = 0; point < r->points; point++) {
        char x[24] = "";
        if (r->work->axis)
            size_text(r->x[point], x, sizeof x);
        say("# %14s", x);
        for (unsigned level = 0; level < r->levels->count; level++)
            print_cell(r, level, point, metric, scratch);
        say("\n");
    }
}

void results_write_tables(const struct results *r)
{
    double *scratch = malloc(3 * r->blocks * sizeof *scratch);
    if (!scratch)
        return;
    for (unsigned metric = 0; metric < r->metrics; metric++) {
        if (!r->metric[metric].brief)
            print_table(r, metric, scratch);
    }
    say("# marks against the reference level, 95%% interval, %s: + higher, - lower, ~ no "
        "difference "
        "seen, ? unknown\n",
        STATS_PAIRED_T_METHOD);
    free(scratch);
}
