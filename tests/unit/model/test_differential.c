/*
 * The model against the slow reference: over 26 geometries, 10^6 accesses each, every counter and
 * both clocks of every CPU equal; with misses split by kind, and without, when the short ways of
 * quick.h and access_plain.c are taken; with two CPUs also as their threads would go. The last-line
 * filter that the plugin uses is applied to the model's side.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/model/reference.h"
#include "tools/model/quick.h"

#define ACCESSES 1000000u

enum { BACK = 1, ALLOCATE = 2, VIRTUAL = 4, NEXT = 8, SHARED = 16 };

struct level_shape {
    uint32_t lines;
    uint32_t ways;
    uint32_t flags;
    enum machine_inclusion inclusion;
    uint32_t sector_lines; /* 0: 1 */
    uint32_t hash_bits;
};

struct shape {
    const char *name;
    uint32_t cpus;
    uint32_t line_bytes;
    struct level_shape level[3]; /* lines 0: none */
    uint32_t tlb_entries;
    uint32_t tlb_ways;
};

#define WB (BACK | ALLOCATE)

static const struct shape shapes[] = {
    {"one direct-mapped level", 1, 64, {{64, 1, WB, 0, 0, 0}}, 0, 0},
    {"one 4-way level", 1, 32, {{64, 4, WB, 0, 0, 0}}, 16, 16},
    {"one fully associative level", 1, 64, {{16, 16, WB, 0, 0, 0}}, 16, 4},
    {"one level, sectors", 1, 64, {{64, 2, WB, 0, 2, 0}}, 0, 0},
    {"one level, next line", 1, 64, {{64, 2, WB | NEXT, 0, 0, 0}}, 0, 0},
    {"two levels", 1, 64, {{32, 2, WB, 0, 0, 0}, {256, 1, WB, 0, 0, 0}}, 32, 32},
    {"two levels, inclusive", 1, 64, {{32, 2, WB, 0, 0, 0}, {64, 1, WB, 1, 0, 0}}, 16, 4},
    {"two levels, exclusive", 1, 64, {{32, 2, WB, 0, 0, 0}, {128, 16, WB, 2, 0, 0}}, 16, 1},
    {"write-through", 1, 64, {{32, 4, ALLOCATE, 0, 0, 0}, {128, 8, WB, 0, 0, 0}}, 16, 4},
    {"write-through, no allocate", 1, 64, {{32, 4, 0, 0, 0, 0}, {128, 8, WB, 0, 2, 0}}, 16, 4},
    {"back, no allocate", 1, 64, {{32, 4, BACK, 0, 0, 0}, {128, 8, WB | NEXT, 1, 0, 0}}, 16, 4},
    {"virtual index", 1, 64, {{256, 1, WB | VIRTUAL, 0, 0, 0}, {512, 1, WB, 0, 0, 0}}, 16, 16},
    {"virtual, 2-way, exclusive",
     1,
     64,
     {{256, 2, WB | VIRTUAL, 0, 0, 0}, {256, 8, WB, 2, 0, 0}},
     16,
     16},
    {"hashed second level", 1, 64, {{32, 2, WB, 0, 0, 0}, {256, 2, WB, 0, 0, 2}}, 0, 0},
    {"sets not 2^n", 1, 64, {{48, 2, WB, 0, 0, 0}, {192, 2, WB, 0, 0, 0}}, 0, 0},
    {"three levels, inclusive last",
     1,
     64,
     {{16, 2, WB, 0, 0, 0}, {64, 4, WB, 0, 0, 0}, {256, 8, WB, 1, 0, 0}},
     16,
     16},
    {"2 CPUs", 2, 32, {{32, 2, WB, 0, 0, 0}, {256, 4, WB, 0, 0, 0}}, 16, 4},
    {"4 CPUs, one level", 4, 32, {{64, 4, WB, 0, 0, 0}}, 16, 4},
    {"4 CPUs, sectors", 4, 64, {{32, 4, ALLOCATE, 0, 0, 0}, {128, 8, WB, 0, 2, 0}}, 16, 16},
    {"4 CPUs, inclusive", 4, 32, {{32, 2, WB, 0, 0, 0}, {128, 4, WB, 1, 0, 0}}, 16, 4},
    {"4 CPUs, exclusive", 4, 64, {{32, 2, WB, 0, 0, 0}, {128, 16, WB, 2, 0, 0}}, 0, 0},
    {"4 CPUs, virtual index",
     4,
     64,
     {{256, 2, WB | VIRTUAL, 0, 0, 0}, {256, 2, WB, 0, 0, 0}},
     16,
     4},
    {"8 CPUs, shared victim cache",
     8,
     64,
     {{16, 2, WB, 0, 0, 0}, {32, 4, WB, 1, 0, 0}, {512, 16, WB | SHARED, 2, 0, 0}},
     16,
     16},
    {"4 CPUs, shared inclusive",
     4,
     64,
     {{16, 2, WB, 0, 0, 0}, {32, 4, WB, 0, 0, 0}, {128, 4, WB | SHARED, 1, 0, 2}},
     16,
     16},
    {"4 CPUs, shared, neither",
     4,
     64,
     {{16, 2, WB, 0, 0, 0}, {128, 4, WB | SHARED | NEXT, 0, 2, 0}},
     16,
     16},
    {"2 CPUs, write-through, shared last",
     2,
     64,
     {{16, 2, 0, 0, 0, 0}, {32, 4, WB, 1, 0, 0}, {128, 4, WB | SHARED, 1, 0, 0}},
     16,
     16},
};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static struct machine machine_of(const struct shape *shape)
{
    struct machine machine = {
        .name = "test",
        .cpus = shape->cpus,
        .clock_khz = 500000,
        .page_bytes = 4096,
        .line_bytes = shape->line_bytes,
        .memory_latency_cycles = 100,
        .memory_bandwidth_milli = 2700,
        .transfer_latency_cycles = 120,
        .outstanding_misses = 4,
        .tlb_entries = shape->tlb_entries,
        .tlb_ways = shape->tlb_ways,
        .tlb_miss_cycles = 25,
    };

    for (; machine.levels < 3 && shape->level[machine.levels].lines; machine.levels++) {
        const struct level_shape *from = &shape->level[machine.levels];

        machine.level[machine.levels] = (struct machine_level){
            .size_bytes = (uint64_t)from->lines * shape->line_bytes,
            .ways = from->ways,
            .sector_bytes = (from->sector_lines ? from->sector_lines : 1) * shape->line_bytes,
            .latency_cycles = 3 + 9 * machine.levels,
            .bandwidth_milli = 16000 >> machine.levels,
            .shared_by = from->flags & SHARED ? shape->cpus : 1,
            .inclusion = from->inclusion,
            .virtual_index = (from->flags & VIRTUAL) != 0,
            .write_back = (from->flags & BACK) != 0,
            .write_allocate = (from->flags & ALLOCATE) != 0,
            .prefetch_next = (from->flags & NEXT) != 0,
            .hash_bits = from->hash_bits,
            .hash_mask = {0x15540, 0x2ab80},
        };
    }
    return machine;
}

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    /* Knuth's MMIX generator; the upper bits are good */
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % limit);
}

/* 256 KiB of physical memory in 64 pages; 128 virtual pages, so that each has aliases. */
#define PHYS_PAGES 64u
#define VIRT_PAGES 128u

static uint32_t page_of[VIRT_PAGES];

struct step {
    uint32_t cpu;
    uint64_t virt;
    bool store;
};

/* A mixture of patterns, changing every 4096 accesses; each is the worst for something. */
static struct step next_step(const struct machine *machine, uint32_t i)
{
    static uint64_t position;
    uint64_t span = machine->level[machine->levels - 1].size_bytes;
    uint64_t way = machine->level[0].size_bytes / machine->level[0].ways;
    struct step step = {random_below(machine->cpus), 0, random_below(4) == 0};

    switch (i / 4096 % 7) {
    case 0: /* anywhere */
        step.virt = random_below(VIRT_PAGES * 4096);
        break;
    case 1: /* a loop just larger than the last level: LRU's worst */
        position = (position + machine->line_bytes) % (span + 4 * machine->line_bytes);
        step.virt = position;
        break;
    case 2: /* one set of L1 */
        step.virt = random_below(2 * machine->level[0].ways + 1) * way;
        break;
    case 3: /* a few hot lines, many stores, all CPUs */
        step.virt = random_below(8) * machine->line_bytes + random_below(2) * 8;
        step.store = random_below(2);
        break;
    case 4: /* words in order: the filter's case; one CPU after the other */
        position = (position + 8) % (VIRT_PAGES * 4096);
        step.virt = position;
        step.cpu = i / 64 % machine->cpus;
        break;
    case 5: /* the same few physical pages by different virtual ones */
        step.virt =
            random_below(8) * 4096 + random_below(2) * PHYS_PAGES * 4096 + random_below(64) * 64;
        break;
    case 6: /* columns: a page a step */
        position += 4096 + 8;
        step.virt = position;
        break;
    }
    step.virt = step.virt % (VIRT_PAGES * 4096) & ~UINT64_C(7);
    return step;
}

static void map_pages(void)
{
    for (uint32_t i = 0; i < PHYS_PAGES; i++) {
        page_of[i] = i;
    }
    for (uint32_t i = PHYS_PAGES; i < VIRT_PAGES; i++) {
        page_of[i] = random_below(PHYS_PAGES);
    }
}

static void expect_equal(const struct shape *shape, uint32_t cpu, uint32_t at,
                         const struct model_cpu_counts *model,
                         const struct model_cpu_counts *reference)
{
    const uint64_t *m = (const uint64_t *)model;
    const uint64_t *r = (const uint64_t *)reference;

    for (size_t i = 0; i < sizeof(*model) / sizeof(uint64_t); i++) {
        if (m[i] != r[i]) {
            fail_msg(
                "%s: after %u accesses, CPU %u, counter at byte %zu: model %llu, reference %llu",
                shape->name, at, cpu, i * 8, (unsigned long long)m[i], (unsigned long long)r[i]);
        }
    }
}

/* The settings that decide on the way an access goes. */
enum way { SPLIT, QUICK, WHOLE };

static void compare(const struct shape *shape, enum way way)
{
    bool split = way == SPLIT;
    struct machine machine = machine_of(shape);
    struct model *model = model_create(&machine);
    struct reference *reference = reference_create(&machine, split);
    uint64_t instructions[MODEL_MAX_CPUS] = {0};
    uint32_t quick = 0;

    assert_non_null(model);
    assert_non_null(reference);
    random_state = 1;
    map_pages();
    for (uint32_t c = 0; c < machine.cpus; c++) {
        model_set_instructions(model, c, &instructions[c]);
    }
    model_set_split(model, split);
    if (way == WHOLE) {
        model_set_threads(model);
    }
    for (uint32_t i = 1; i <= ACCESSES; i++) {
        struct step step = next_step(&machine, i);
        uint64_t phys = (uint64_t)page_of[step.virt / 4096] * 4096 + step.virt % 4096;
        struct model_cpu *cpu = &model->cpu[step.cpu];

        reference_access(reference, step.cpu, step.virt, phys, step.store);
        instructions[step.cpu]++;
        if (step.virt >> model->line_shift == cpu->last[step.store]) {
            cpu->count[step.store]++;
        } else if (model_quick(model, cpu, step.virt, phys, step.virt / 4096, step.store)) {
            quick++;
        } else {
            model_access(model, cpu, step.virt, phys, step.store, 0);
        }
        /* often at first, so that a difference is found near its cause */
        if (i % 1000 == 0 || i < 1000) {
            for (uint32_t c = 0; c < machine.cpus; c++) {
                struct model_cpu_counts a;
                struct model_cpu_counts b;

                model_read(model, c, &a);
                reference_read(reference, c, &b);
                expect_equal(shape, c, i, &a, &b);
            }
        }
    }
    /* what L1 can be looked up in directly is, at least on a hit */
    if (way == QUICK && model->cpu[0].quick.set_mask != 0) {
        assert_in_range(quick, ACCESSES / 50, ACCESSES);
    }
    assert_int_equal(way == QUICK || quick == 0, true);
    model_destroy(model);
    free(reference);
}

static void test_shape(void **state)
{
    const struct shape *shape = *state;

    compare(shape, SPLIT);
    compare(shape, QUICK);
    if (shape->cpus == 2) {
        compare(shape, WHOLE);
    }
}

int main(void)
{
    struct CMUnitTest tests[SHAPES];

    for (size_t i = 0; i < SHAPES; i++) {
        tests[i] = (struct CMUnitTest){shapes[i].name, test_shape, NULL, NULL,
                                       (void *)(uintptr_t)&shapes[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
