/*
 * Tables for people: per metric one table, levels down, points across, median of the blocks.
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

#define COLUMN 10 /* digits and point of a value; its mark comes behind */

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
    struct summary s = results_summary(r, level, point, metric, scratch);
    double v = s.stats.median;
    if (!s.stats.n)
        say(" %*s ", COLUMN, "-");
    else if (fabs(v) >= 1e6 || v == floor(v))
        say(" %*.0f%c", COLUMN, v, mark(s.verdict));
    else
        say(" %*.2f%c", COLUMN, v, mark(s.verdict));
}

static int name_width(const struct results *r)
{
    size_t width = r->work->axis ? strlen(r->work->axis) : 0;
    for (unsigned level = 0; level < r->levels->count; level++) {
        size_t n = strlen(r->levels->level[level].name);
        if (n > width)
            width = n;
    }
    return (int)width;
}

static void print_table(const struct results *r, unsigned metric, double *scratch)
{
    const struct metric *m = &r->metric[metric];
    int width = name_width(r);
    say("#\n# %s: %s, %s (median of %u; source %s%s)\n", r->work->name, m->name, metric_unit(m),
        r->blocks, metric_source(m),
        m->better == BETTER_HIGHER  ? "; higher is better"
        : m->better == BETTER_LOWER ? "; lower is better"
                                    : "");
    say("# %-*s", width, r->work->axis ? r->work->axis : "");
    for (unsigned point = 0; r->work->axis && point < r->points; point++) {
        char x[24];
        size_text(r->x[point], x, sizeof x);
        say(" %*s ", COLUMN, x);
    }
    say("\n");
    for (unsigned level = 0; level < r->levels->count; level++) {
        say("# %-*s", width, r->levels->level[level].name);
        for (unsigned point = 0; point < r->points; point++)
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
    say("#\n# marks against the reference level (95%% interval, %s): + higher, - lower, ~ no "
        "difference seen\n",
        STATS_PAIRED_T_METHOD);
    free(scratch);
}
