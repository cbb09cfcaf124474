/* The experiment runner. Contract in runner.h. */
#include "lab/runner.h"

#include "core/cmdline.h"
#include "core/crash.h"
#include "core/interleave.h"
#include "core/ktap.h"
#include "core/panic.h"
#include "core/trap.h"
#include "core/watchdog.h"
#include "lab/account_log.h"
#include "lab/experiment_log.h"
#include "lab/list.h"
#include "lab/options.h"
#include "lab/own_log.h"
#include "lab/preset.h"
#include "lab/probe.h"
#include "lab/profile_log.h"
#include "lab/sample.h"
#include "lab/selftests.h"
#include "lab/stray.h"
#include "lab/subject.h"
#include "mm/own.h"
#include "perf/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Streams of the runner, away from those of mm/memory.c: block orders, then seeds of blocks. */
enum { STREAM_ORDER = 1001, STREAM_BLOCK = 1002, STREAM_WARMUP = 1003 };

/* Everything about the experiment that is running; large, so not on a stack. */
static struct {
    const struct topology *topology;
    const struct workload *work;
    struct levels levels;
    struct subject subject;
    struct results results;
    uint64_t refusals;     /* of own memory, before it began */
    struct memory *memory; /* own memory, as the descriptors are that it is about */
    struct account_sum account[LEVELS_MAX];
    char failure[256];
} lab;

static int fail(const char *why)
{
    snprintf(lab.failure, sizeof lab.failure, "%s", why);
    return -1;
}

/* ---- one run ----------------------------------------------------------------------------------
 */

static void call_workload(void *arg)
{
    struct sample *s = arg;
    crash_in_workload();
    int status = lab.work->run(s);
    if (status) /* 0 does not undo what lab_fail() said about a working set that did not fit */
        s->status = status;
}

/* Runs the workload on the built instance; exceptions in it end the experiment, not the boot. */
static int run_guarded(struct sample *s)
{
    struct trap_info trap;
    if (!trap_guard(call_workload, s, &trap)) {
        snprintf(lab.failure, sizeof lab.failure, "exception: %s at %#lx, address %#lx", trap.name,
                 (unsigned long)trap.pc, (unsigned long)trap.address);
        return -1;
    }
    return s->status ? fail(s->failure) : 0;
}

static int check_instance(struct sample *s)
{
    const char *broken = sample_check_account(s);
    /* O(frames): for every sample in checked builds, else once per level. */
    if (!broken && (CHECK >= 2 || (s->record && s->block == 0))) {
        broken = memory_check(lab.memory);
        if (!broken)
            broken = own_log_check(&s->space);
    }
    return broken ? fail(broken) : 0;
}

static int run_in_space(struct sample *s)
{
    arch_space_switch(&s->space);
    model_flush();
    if (s->record)
        profile_log_start();
    int bad = run_guarded(s);
    profile_log_stop(s->level);
    if (!bad)
        bad = check_instance(s);
    if (!bad && lab.memory->setup->page_order && !s->grown)
        bad = fail("pages=: this experiment maps no working set, only small pages mean something");
    arch_space_switch(NULL);
    return bad;
}

/* Builds the level's instance, runs one sample on it, checks it, takes it down. */
static int run_sample(unsigned level, unsigned block, unsigned order, bool record, uint64_t seed)
{
    const struct level *l = &lab.levels.level[level];
    struct sample s = {.results = &lab.results,
                       .level = level,
                       .block = block,
                       .record = record,
                       .seed = seed,
                       .passes = lab_options.passes,
                       .memory = lab.memory};
    panic_context("%s, level %s, block %u%s", lab.work->name, l->name, block,
                  record ? "" : " (warm-up)");
    memory_build(lab.memory, &l->setup, &lab.subject, seed);
    for (unsigned k = 0; k <= MAX_ORDER; k++)
        lab.account[level].free_blocks[k] = (uint32_t)nodes_blocks(&lab.memory->nodes, k);
    s.per_color = malloc(lab.memory->color.colors * sizeof *s.per_color);
    if (!s.per_color || arch_space_create(&s.space)) {
        free(s.per_color);
        return fail("no memory left for a sample's address space");
    }
    interleave_every(l->setup.smp.interleave);
    int bad = run_in_space(&s);
    watchdog_kick();
    arch_space_destroy(&s.space);
    free(s.per_color);
    if (record) {
        results_write_samples(&lab.results, level, block, order);
        account_sum_add(&lab.account[level], lab.memory);
        if (lab_options.proc && block + 1 == lab_options.reps)
            account_print_proc(lab.memory);
    }
    return bad;
}

/* ---- blocks -----------------------------------------------------------------------------------
 */

static void shuffle(unsigned *v, unsigned n, struct rng rng)
{
    for (unsigned i = n; i > 1; i--) {
        unsigned j = rng_below(&rng, i), t = v[i - 1];
        v[i - 1] = v[j];
        v[j] = t;
    }
}

/*
 * A block's seed: the block-th of a stream of seed='s own, so that neither two blocks nor two boots
 * with different seeds share placements. Warm-up blocks have a stream apart: warmup= does not
 * change the samples.
 */
static uint64_t block_seed(unsigned block, bool record)
{
    struct rng root = rng_stream(lab_options.seed, record ? STREAM_BLOCK : STREAM_WARMUP);
    struct rng mine = rng_stream(rng_next(&root), block);
    return rng_next(&mine);
}

static int run_block(unsigned block, bool record)
{
    unsigned order[LEVELS_MAX];
    uint64_t seed = block_seed(block, record);
    for (unsigned i = 0; i < lab.levels.count; i++)
        order[i] = i;
    shuffle(order, lab.levels.count, rng_stream(seed, STREAM_ORDER));
    for (unsigned i = 0; i < lab.levels.count; i++) {
        int bad = run_sample(order[i], block, i, record, seed);
        if (bad)
            return bad;
    }
    experiment_progress(lab.work, block, record);
    return 0;
}

static int run_blocks(void)
{
    for (unsigned i = 0; i < lab_options.warmup; i++) {
        if (run_block(i, false))
            return -1;
    }
    for (unsigned i = 0; i < lab_options.reps; i++) {
        if (run_block(i, true))
            return -1;
    }
    return 0;
}

/* ---- one experiment ---------------------------------------------------------------------------
 */

static struct lab_scale scale_of(const struct levels *levels)
{
    struct lab_scale scale = {0};
    for (unsigned i = 0; i < levels->count; i++)
        scale.cache_bytes = max_u64(scale.cache_bytes, levels->level[i].setup.color.size_bytes);
    return scale;
}

static int start_accounts(void)
{
    for (unsigned i = 0; i < lab.levels.count; i++) {
        static struct color_map map[LEVELS_MAX];
        color_spec_map(&lab.levels.level[i].setup.color, &map[i]);
        if (account_sum_init(&lab.account[i], &map[i], lab.work->name, lab.levels.level[i].name))
            return fail("no memory left for the colour accounting");
    }
    return 0;
}

/* What a level's setup has from the workload: the tables it needs, and what pcp=auto means; a
 * policy that picks blocks by itself goes past any lists. */
static void settle(struct setup *s, uint64_t subject_bytes)
{
    static const struct pcp_spec none;

    if (s->pcp.automatic)
        s->pcp = s->policy->pick ? none : lab.work->pcp;
    if (lab.work->tables_bytes)
        s->cache.tables_bytes = lab.work->tables_bytes(&s->cache, subject_bytes);
}

static int prepare(const struct memmap *map)
{
    if (!lab.memory)
        lab.memory = own_array(sizeof *lab.memory);
    if (!lab.memory)
        return fail("no memory left for an instance");
    if (levels_build(&lab.levels, lab.work->name, lab.failure, sizeof lab.failure))
        return -1;
    struct lab_scale scale = scale_of(&lab.levels);
    bool strict = lab_options.subject_bytes != 0;
    uint64_t bytes = strict ? lab_options.subject_bytes : lab.work->subject_bytes(&scale);
    for (unsigned i = 0; i < lab.levels.count; i++)
        settle(&lab.levels.level[i].setup, bytes);
    if (subject_plan(&lab.subject, map, lab.topology, &lab.levels, bytes, strict, lab.failure,
                     sizeof lab.failure))
        return -1;
    if (probe_levels(lab.work, &lab.levels, &lab.subject, lab.failure, sizeof lab.failure))
        return -1;
    results_init(&lab.results, lab.work, &lab.levels, &scale, lab_options.reps);
    /* Before the memory for it is taken: a log without samples says for what it did not suffice. */
    experiment_write_plan(&lab.results, &lab.subject);
    if (results_alloc(&lab.results))
        return fail("no memory left for the samples: fewer reps or levels");
    if (start_accounts())
        return -1;
    if (profile_log_init(lab.levels.count))
        return fail("no memory left for a profile of each level");
    return 0;
}

/* The reason of a failure; what may have caused it, where own_colors= left too little. */
static void say_result(const char *name, bool bad)
{
    char advice[200] = "";
    if (bad && own_usage().refusals > lab.refusals && !strstr(lab.failure, "own_colors="))
        own_advise(advice, sizeof advice);
    ktap_result(bad ? KTAP_FAIL : KTAP_OK, name, bad ? "%s%s%s" : NULL, lab.failure,
                advice[0] ? "; " : "", advice);
}

static void run_experiment(const struct workload *w, const struct memmap *map)
{
    lab.work = w;
    lab.failure[0] = '\0';
    lab.refusals = own_usage().refusals;
    int bad = prepare(map);
    if (!bad) {
        bad = run_blocks();
        /* Also after a failure: what was measured is not lost. */
        results_write_summary(&lab.results);
        for (unsigned i = 0; i < lab.levels.count; i++)
            account_sum_write(&lab.account[i]);
        results_write_tables(&lab.results);
        if (w->conclude)
            w->conclude(&lab.results);
        profile_log_write(w->name, &lab.levels);
        own_log_experiment(w->name);
    }
    profile_log_free();
    results_free(&lab.results);
    for (unsigned i = 0; i < LEVELS_MAX; i++)
        account_sum_free(&lab.account[i]);
    probe_free();
    panic_context("%s", "");
    say_result(w->name, bad);
}

/* ---- run= -------------------------------------------------------------------------------------
 */

static void run_named(const char *name, const struct memmap *map)
{
    if (!strcmp(name, "selftest")) {
        selftests_run();
        return;
    }
    if (!strcmp(name, "list")) {
        list_print();
        ktap_result(KTAP_OK, "list", NULL);
        return;
    }
    for_each_registered (workload, w) {
        if (!strcmp(w->name, name)) {
            run_experiment(w, map);
            return;
        }
    }
    panic("run=%s passed the parser but is nothing", name);
}

/* The parser's complaints were heard at boot: taking the same words again makes none. */
static void not_again(const char *message, void *arg)
{
    (void)arg;
    panic("command line: %s", message);
}

/* A single stage was taken at boot, and nothing else since. */
static void take_stage(const struct preset *p, unsigned stage, const char *cmdline)
{
    if (preset_stages(p) > 1)
        preset_take(p, stage, cmdline, not_again, NULL);
}

#define RUN_ALL_BYTES (PRESET_STAGES_MAX * sizeof lab_options.run)

/* The run= of all stages as one list; returns how many names it has. */
static unsigned all_runs(const struct preset *p, const char *cmdline, char *out)
{
    unsigned names = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < preset_stages(p); i++) {
        take_stage(p, i, cmdline);
        if (out[0])
            strcat(out, ",");
        strcat(out, lab_options.run);
    }
    for (const char *c = out; *c; c++)
        names += *c == ',';
    return names + 1;
}

void lab_run(const struct memmap *map, const struct topology *topology, const char *cmdline)
{
    static char runs[RUN_ALL_BYTES];
    char name[32], why[96];
    bool ok = true;
    const struct preset *preset = preset_of(cmdline);
    lab.topology = topology;
    unsigned plan = all_runs(preset, cmdline, runs);
    if (stray_key(runs, why, sizeof why)) {
        ktap_begin(1);
        ktap_result(KTAP_FAIL, "cmdline", "%s", why);
        ktap_end();
        return;
    }
    ktap_begin(plan);
    for (unsigned i = 0; i < preset_stages(preset); i++) {
        take_stage(preset, i, cmdline);
        for (const char *rest = lab_options.run; rest;) {
            rest = parse_item(rest, ',', name, sizeof name, &ok);
            run_named(name, map);
        }
    }
    ktap_end();
}
