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

#define TOP 16 /* functions listed per level; the rest is in the total */

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

/* Samples of the function that bucket first begins with; *end: the first bucket behind it. */
static uint32_t function_samples(const uint32_t *v, size_t first, size_t *end)
{
    const char *name = symbol_of(profile_bucket_pc(first), NULL);
    uint32_t n = 0;
    size_t i = first;
    for (; i < profile_buckets() && symbol_of(profile_bucket_pc(i), NULL) == name; i++)
        n += v[i];
    *end = i;
    return n;
}

/* The function with most samples below `limit`, or with as many as that behind `after`. */
static uint32_t next_largest(const uint32_t *v, uint32_t limit, size_t after, size_t *at)
{
    uint32_t best = 0;
    for (size_t i = 0, end; i < profile_buckets(); i = end) {
        uint32_t n = function_samples(v, i, &end);
        if (n > best && (n < limit || (n == limit && i > after))) {
            best = n;
            *at = i;
        }
    }
    return best;
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
    uint64_t total = 0;
    for (size_t i = 0; i < profile_buckets(); i++)
        total += v[i];
    say("# profile of %s, %s: %llu samples, one every %llu cycles\n", experiment, level,
        (unsigned long long)total, (unsigned long long)interval_cycles);
    uint32_t n = UINT32_MAX;
    size_t at = 0;
    for (unsigned i = 0; i < TOP && (n = next_largest(v, n, at, &at)); i++) {
        const char *name = symbol_of(profile_bucket_pc(at), NULL);
        write_function(experiment, level, name ? name : "(no name)", n, total);
    }
}

void profile_log_write(const char *experiment, const struct levels *levels)
{
    for (unsigned i = 0; sums && i < levels->count; i++)
        write_level(experiment, levels->level[i].name, sums + i * profile_buckets());
}
