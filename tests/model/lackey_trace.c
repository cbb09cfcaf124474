/*
 * Run a valgrind lackey trace (--trace-mem=yes) through the model: standard input, and a machine
 * file as the argument; prints D1 and LL accesses and misses. Addresses are taken as physical.
 *
 * What cachegrind does otherwise than a machine is done here, so that the counts can be equal: a
 * modify is one reference; an access that straddles lines counts once, as a miss if any of its
 * lines misses; a store is like a load (cachegrind knows no dirty lines, so no write-back ever
 * refreshes a line of LL: option "w" keeps stores, to see the difference); instructions reach the
 * unified last level through an instruction cache of D1's geometry.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/model/model.h"

struct unified {
    struct model *model; /* its L1 is D1, its L2 is LL */
    struct cache i1;
    uint64_t d_accesses;
    uint64_t d1_misses;
    uint64_t ll_misses_data;
};

/* Look a line up in the last level behind the model's back. Returns true on a miss. */
static bool touch_last(struct unified *u, uint64_t line)
{
    struct cache *ll = u->model->cpu[0].cache[1];
    uint32_t set = cache_set(ll, line, line);

    if (cache_touch(ll, set, line)) {
        return false;
    }
    cache_insert(ll, set, line, CACHE_EXCLUSIVE);
    return true;
}

static void data_access(struct unified *u, uint64_t address, uint64_t size, bool store)
{
    struct model_cpu *cpu = &u->model->cpu[0];
    uint64_t d1 = cpu->counts.level[0].misses;
    uint64_t ll = cpu->counts.level[1].misses;
    uint64_t first = address >> u->model->line_shift;
    uint64_t last = (address + size - 1) >> u->model->line_shift;
    bool hit[2] = {false, false};
    bool ll_missed;

    for (uint64_t line = first; line <= last; line++) {
        uint64_t at = line << u->model->line_shift;
        uint64_t before = cpu->counts.level[0].misses;

        model_access(u->model, cpu, at, at, store, 0);
        hit[line != first] = cpu->counts.level[0].misses == before;
    }
    ll_missed = cpu->counts.level[1].misses > ll;
    if (first != last && hit[0] != hit[1]) {
        /* cachegrind asks LL for both lines when one of them missed D1 */
        ll_missed |= touch_last(u, hit[0] ? first : last);
    }
    u->d_accesses++;
    u->d1_misses += cpu->counts.level[0].misses > d1;
    u->ll_misses_data += ll_missed;
}

/* An instruction fetch: I1, and on a miss the unified last level, as cachegrind has it. */
static void fetch(struct unified *u, uint64_t address, uint64_t size)
{
    uint64_t first = address >> u->model->line_shift;
    uint64_t last = (address + size - 1) >> u->model->line_shift;
    bool missed = false;

    for (uint64_t line = first; line <= last; line++) {
        uint32_t set = cache_set(&u->i1, line, line);

        if (!cache_touch(&u->i1, set, line)) {
            cache_insert(&u->i1, set, line, CACHE_EXCLUSIVE);
            missed = true;
        }
    }
    for (uint64_t line = first; line <= last && missed; line++) {
        touch_last(u, line);
    }
}

int main(int argc, char **argv)
{
    struct machine machine;
    char error[MACHINE_ERROR_BYTES];
    struct unified u = {0};
    bool stores = argc == 3 && strcmp(argv[2], "w") == 0;
    char line[128];

    if (argc < 2 || machine_load(&machine, argv[1], error) != 0 || machine.levels != 2) {
        fprintf(stderr, "usage: lackey_trace MACHINE [w] < TRACE; two levels: %s\n",
                argc < 2 ? "" : error);
        return 2;
    }
    u.model = model_create(&machine);
    if (!u.model || cache_init(&u.i1, &machine, 0) != 0) {
        return 2;
    }
    while (fgets(line, sizeof(line), stdin)) {
        uint64_t address;
        uint64_t size;

        if (sscanf(line + 2, " %" SCNx64 ",%" SCNu64, &address, &size) != 2 || size == 0) {
            continue; /* valgrind's own lines */
        }
        if (line[0] == 'I') {
            fetch(&u, address, size);
        } else if (line[0] == ' ' && strchr("LSM", line[1])) {
            data_access(&u, address, size, stores && line[1] != 'L');
        }
    }
    printf("accesses %" PRIu64 "\nd1_misses %" PRIu64 "\nll_misses %" PRIu64 "\n", u.d_accesses,
           u.d1_misses, u.ll_misses_data);
    cache_destroy(&u.i1);
    model_destroy(u.model);
    return 0;
}
