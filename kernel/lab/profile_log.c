/* Profiles by level and function. Contract in profile_log.h. */
#include "lab/profile_log.h"

#include "core/cmdline.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/record.h"
#include "core/symbols.h"
#include "lab/say.h"
#include "perf/model.h"
#include "perf/profile.h"

#include <stdlib.h>

#define TOP           16   /* functions listed per level; the rest is in the total */
#define FUNCTIONS_MAX 1024 /* the whole image has about 700 */

static uint64_t interval_cycles; /* 0: no profile */
static uint32_t *sums;           /* [level][bucket] */
static bool sampling;

static int parse_profile(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o;
    if (!model_present()) {
        ksnprintf(err, err_bytes, "profiles are the cache model's, and none answered (MODEL=)");
        return -TT_EINVAL;
    }
    if (!parse_u64(value, 1, 1u << 30, &interval_cycles))
        return 0;
    ksnprintf(err, err_bytes, "valid: cycles of the modelled machine between samples, 1 to 2^30");
    return -TT_EINVAL;
}

REGISTER(option, profile) = {.name = "profile",
                             .grammar = "CYCLES",
                             .help = "sample where the modelled processor is, every CYCLES",
                             .parse = parse_profile};

int profile_log_init(unsigned levels)
{
    sums = NULL;
    if (interval_cycles)
        sums = calloc(levels * profile_buckets(), sizeof *sums);
    return interval_cycles && !sums ? -TT_ENOMEM : 0;
}

void profile_log_free(void)
{
    free(sums);
    sums = NULL;
}

void profile_log_start(void)
{
    sampling = sums && profile_start(interval_cycles);
}

void profile_log_stop(unsigned level)
{
    if (sampling)
        profile_stop(sums + level * profile_buckets());
    sampling = false;
}

struct share {
    uintptr_t start; /* of the function; of the bucket where code has no name */
    uint32_t samples;
};

static uintptr_t function_start(uintptr_t pc)
{
    uintptr_t offset = 0;
    return symbol_of(pc, &offset) ? pc - offset : pc;
}

static int by_samples(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->samples != y->samples)
        return x->samples < y->samples ? 1 : -1;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Functions that have samples, most first, at most max of them; returns how many. Only buckets with
 * samples are looked up: finding a name walks the symbol table. */
static size_t functions(const uint32_t *v, struct share *out, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < profile_buckets(); i++) {
        if (!v[i])
            continue;
        uintptr_t start = function_start(profile_bucket_pc(i));
        if (!n || out[n - 1].start != start) {
            if (n == max)
                break;
            out[n++] = (struct share){start, 0};
        }
        out[n - 1].samples += v[i];
    }
    qsort(out, n, sizeof *out, by_samples);
    return n;
}

static void write_function(const char *experiment, const char *level, const char *name, uint32_t n,
                           uint64_t total)
{
    struct record r;
    record_begin(&r, "profile");
    record_str(&r, "exp", experiment);
    record_str(&r, "level", level);
    record_str(&r, "function", name);
    record_u64(&r, "samples", n);
    record_u64(&r, "of", total);
    record_u64(&r, "every_cycles", interval_cycles);
    record_str(&r, "source", "model");
    record_str(&r, "machine", model_machine()->name);
    record_end(&r);
    say("#   %6.2f%% %s\n", 100.0 * n / (double)total, name);
}

static void write_level(const char *experiment, const char *level, const uint32_t *v)
{
    static struct share shares[FUNCTIONS_MAX];
    uint64_t total = 0;
    for (size_t i = 0; i < profile_buckets(); i++)
        total += v[i];
    say("# profile of %s, %s: %llu samples, one every %llu cycles\n", experiment, level,
        (unsigned long long)total, (unsigned long long)interval_cycles);
    size_t n = functions(v, shares, FUNCTIONS_MAX);
    for (size_t i = 0; i < n && i < TOP; i++) {
        const char *name = symbol_of(shares[i].start, NULL);
        write_function(experiment, level, name ? name : "(no name)", shares[i].samples, total);
    }
}

void profile_log_write(const char *experiment, const struct levels *levels)
{
    for (unsigned i = 0; sums && i < levels->count; i++)
        write_level(experiment, levels->level[i].name, sums + i * profile_buckets());
}
