/*
 * Worked by hand: LRU, write-back, coherence, kinds of misses, TLB, each clock, release and
 * acquire, regions, ranges, idle time, samples. Every expected number has its sum beside it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/model/model.h"

/*
 * L1: 2 sets of 2 lines of 64 bytes, 3 cycles. L2: 16 lines, direct-mapped, 10 cycles, 16 bytes a
 * cycle (4 cycles a line). Memory: 50 cycles, 4 bytes a cycle (16 cycles a line). 2 misses may be
 * outstanding. From another CPU: 60 cycles.
 */
static struct model *small(uint32_t cpus)
{
    struct machine machine = {
        .name = "small",
        .cpus = cpus,
        .clock_khz = 1000000,
        .page_bytes = 4096,
        .line_bytes = 64,
        .levels = 2,
        .level = {{256, 2, 64, 3, 16000, 1, MACHINE_NEITHER, false, true, true, false, 0, {0}},
                  {1024, 1, 64, 10, 16000, 1, MACHINE_NEITHER, false, true, true, false, 0, {0}}},
        .memory_latency_cycles = 50,
        .memory_bandwidth_milli = 4000,
        .transfer_latency_cycles = 60,
        .outstanding_misses = 2,
        .tlb_entries = 2,
        .tlb_ways = 2,
        .tlb_miss_cycles = 20,
    };
    struct model *model = model_create(&machine);

    assert_non_null(model);
    return model;
}

static uint64_t instructions[MODEL_MAX_CPUS];

static void start(struct model *model)
{
    memset(instructions, 0, sizeof(instructions));
    for (uint32_t i = 0; i < model->machine.cpus; i++) {
        model_set_instructions(model, i, &instructions[i]);
    }
}

/* Access a line of page 0 by its number; one instruction. */
static void touch(struct model *model, uint32_t cpu, uint64_t line, bool store)
{
    instructions[cpu]++;
    model_access(model, &model->cpu[cpu], line * 64, line * 64, store, 0x1000 + line);
}

static struct model_cpu_counts read_cpu(struct model *model, uint32_t cpu)
{
    struct model_cpu_counts counts;

    model_read(model, cpu, &counts);
    return counts;
}

static void test_lru(void **state)
{
    struct model *model = small(1);

    (void)state;
    start(model);
    /* even lines share set 0, which holds two: 0 2 | 0 again | 4 evicts 2, not 0 */
    touch(model, 0, 0, false);
    touch(model, 0, 2, false);
    touch(model, 0, 0, false);
    touch(model, 0, 4, false);
    assert_int_equal(read_cpu(model, 0).level[0].misses, 3);
    touch(model, 0, 0, false);
    assert_int_equal(read_cpu(model, 0).level[0].misses, 3);
    touch(model, 0, 2, false);
    assert_int_equal(read_cpu(model, 0).level[0].misses, 4);
    /* that miss of 2 hit L2, where it still was */
    assert_int_equal(read_cpu(model, 0).level[1].misses, 3);
    assert_int_equal(read_cpu(model, 0).level[1].accesses, 4);
    model_destroy(model);
}

static void test_write_back(void **state)
{
    struct model *model = small(1);
    struct model_cpu_counts counts;

    (void)state;
    start(model);
    touch(model, 0, 0, true); /* modified in L1 */
    touch(model, 0, 2, false);
    assert_int_equal(read_cpu(model, 0).level[0].writebacks, 0);
    touch(model, 0, 4, false); /* evicts 0 into L2 */
    counts = read_cpu(model, 0);
    assert_int_equal(counts.level[0].writebacks, 1);
    assert_int_equal(counts.memory_writes, 0);
    touch(model, 0, 16, false); /* takes 0's place in L2: to memory */
    counts = read_cpu(model, 0);
    assert_int_equal(counts.level[1].writebacks, 1);
    assert_int_equal(counts.memory_writes, 1);
    touch(model, 0, 32, false); /* 16 was clean */
    counts = read_cpu(model, 0);
    assert_int_equal(counts.memory_writes, 1);
    assert_int_equal(counts.memory_reads, 5);
    model_destroy(model);
}

/* A range of many pieces, added in any order, counts what a naive list of lines says. */
static void test_range_of_pieces(void **state)
{
    struct model *model = small(1);
    const char name[MODEL_NAME_BYTES] = "pieces";
    bool in[1024] = {false};
    unsigned expect = 0;

    (void)state;
    start(model);
    for (unsigned i = 0; i < 300; i++) {
        unsigned line = i * 389 % 1024; /* 389 is odd: no line twice */

        in[line] = true;
        if (i == 0) {
            assert_false(model_add_piece(model, 3, 0, 64)); /* no name yet */
            model_set_range(model, 3, name, line * 64, line * 64 + 64);
        } else {
            assert_true(model_add_piece(model, 3, line * 64, line * 64 + 64));
            assert_false(model_add_piece(model, 3, line * 64 + 32, line * 64 + 96));
        }
    }
    for (unsigned line = 0; line < 1024; line++) {
        model_flush(model); /* each access is a miss */
        touch(model, 0, line, false);
        expect += in[line];
        assert_int_equal(model->range[3].misses, expect);
    }
    model_set_range(model, 3, name, 7 * 64, 9 * 64); /* one piece again */
    model_flush(model);
    touch(model, 0, 8, false);
    assert_int_equal(model->range[3].misses, 1);
    model_destroy(model);
}

static void test_coherence(void **state)
{
    struct model *model = small(2);
    struct model_cpu_counts a;
    struct model_cpu_counts b;
    const char name[MODEL_NAME_BYTES] = "line5";

    (void)state;
    start(model);
    model_set_split(model, true);
    model_set_range(model, 0, name, 5 * 64, 6 * 64);
    touch(model, 0, 5, false); /* A: exclusive */
    touch(model, 1, 5, false); /* both: shared; clean, so from memory */
    touch(model, 0, 5, true);  /* upgrade; B loses L1's and L2's copy */
    a = read_cpu(model, 0);
    b = read_cpu(model, 1);
    assert_int_equal(a.upgrades, 1);
    assert_int_equal(a.memory_reads + b.memory_reads, 2);
    assert_int_equal(b.level[0].invalidations, 1);
    assert_int_equal(b.level[1].invalidations, 1);
    assert_int_equal(b.transfers_in, 0);
    touch(model, 1, 5, false); /* A's modified line comes over, and to memory */
    a = read_cpu(model, 0);
    b = read_cpu(model, 1);
    assert_int_equal(b.level[0].coherence, 1);
    assert_int_equal(b.transfers_in, 1);
    assert_int_equal(a.transfers_out, 1);
    assert_int_equal(a.snoop_writebacks, 1);
    assert_int_equal(b.memory_reads, 1);
    touch(model, 1, 5, true); /* shared: upgrade */
    touch(model, 0, 5, true); /* taken over modified: no memory write */
    a = read_cpu(model, 0);
    assert_int_equal(read_cpu(model, 1).upgrades, 1);
    assert_int_equal(a.transfers_in, 1);
    assert_int_equal(read_cpu(model, 1).memory_writes, 0);
    /* the range saw four misses beyond private caches, two of them transfers; three invalidations:
     * B's copy by A's upgrade, A's by B's, B's by A's last store */
    assert_int_equal(model->range[0].misses, 4);
    assert_int_equal(model->range[0].transfers, 2);
    assert_int_equal(model->range[0].upgrades, 2);
    assert_int_equal(model->range[0].invalidations, 3);
    model_destroy(model);
}

static void test_kinds(void **state)
{
    struct model *model = small(1);
    struct model_cpu_counts counts;

    (void)state;
    start(model);
    model_set_split(model, true);
    for (uint64_t line = 0; line < 6; line += 2) {
        touch(model, 0, line, false); /* 0 2 4: compulsory, all in set 0 */
    }
    touch(model, 0, 0, false); /* L1 lost it; four lines, fully associative, would not: conflict */
    for (uint64_t line = 1; line < 9; line++) {
        touch(model, 0, line, false);
    }
    /* 1 3 5 6 7 8: compulsory. 2 missed, the shadow having 1 0 4 2: conflict. 4 missed, the shadow
     * having 3 2 1 0: capacity */
    counts = read_cpu(model, 0);
    assert_int_equal(counts.level[0].compulsory, 9);
    assert_int_equal(counts.level[0].conflict, 2);
    assert_int_equal(counts.level[0].capacity, 1);
    touch(model, 0, 0, false); /* 8 7 6 5 are in the shadow */
    counts = read_cpu(model, 0);
    assert_int_equal(counts.level[0].capacity, 2);
    assert_int_equal(counts.level[0].misses, counts.level[0].compulsory + counts.level[0].conflict +
                                                 counts.level[0].capacity);
    model_destroy(model);
}

static void test_tlb(void **state)
{
    struct model *model = small(1);
    const uint64_t pages[] = {0, 1, 0, 2, 0, 1};

    (void)state;
    start(model);
    for (size_t i = 0; i < 6; i++) {
        model_access(model, &model->cpu[0], pages[i] << 12, pages[i] << 12, 0, 0);
    }
    /* 0 1 miss, 0 hits, 2 misses and evicts 1, 0 hits, 1 misses */
    assert_int_equal(read_cpu(model, 0).tlb_misses, 4);
    model_flush_tlb(model, 0);
    model_access(model, &model->cpu[0], UINT64_C(1) << 12, UINT64_C(1) << 12, 0, 0);
    assert_int_equal(read_cpu(model, 0).tlb_misses, 5);
    model_destroy(model);
}

static void test_serial_clock(void **state)
{
    struct model *model = small(1);

    (void)state;
    start(model);
    instructions[0] = 10;
    touch(model, 0, 0, false);
    /* 11 instructions, 1 access x (3 - 1), 50 - 3 beyond L1, TLB 20 */
    assert_int_equal(read_cpu(model, 0).serial_cycles, 11 + 2 + 47 + 20);
    touch(model, 0, 0, false); /* a hit: 1 + 2 */
    assert_int_equal(read_cpu(model, 0).serial_cycles, 80 + 3);
    touch(model, 0, 2, false); /* memory: 1 + 2 + 47 */
    touch(model, 0, 4, false);
    touch(model, 0, 0, false); /* 1 + 2, and 10 - 3 from L2 */
    assert_int_equal(read_cpu(model, 0).serial_cycles, 83 + 50 + 50 + 10);
    model_destroy(model);
}

static void test_overlap_clock(void **state)
{
    struct model *model = small(1);

    (void)state;
    start(model);
    /* 1: TLB, now 21. Done at 21 + 50 = 71, the bus busy for 16 of window 0 */
    touch(model, 0, 0, false);
    assert_int_equal(read_cpu(model, 0).overlap_cycles, 71);
    /* 2: now 22, done 72: the bus has had 32 cycles of the window, which end before */
    touch(model, 0, 1, false);
    assert_int_equal(read_cpu(model, 0).overlap_cycles, 72);
    /* a hit costs its instruction, and that is hidden: now 23 */
    touch(model, 0, 1, false);
    assert_int_equal(read_cpu(model, 0).overlap_cycles, 72);
    /* 4: now 24; both entries are taken, the first is free at 71: waits 47; done at 121 */
    touch(model, 0, 2, false);
    assert_int_equal(read_cpu(model, 0).overlap_cycles, 121);
    assert_int_equal(model->cpu[0].timing.overlap_stall, 20 + 47);
    /* 200 instructions later nothing is outstanding: 204 + 67 */
    instructions[0] += 200;
    assert_int_equal(read_cpu(model, 0).overlap_cycles, 4 + 200 + 67);
    model_destroy(model);
}

static void test_bus(void **state)
{
    struct timing_bus *bus = calloc(1, sizeof(*bus));

    (void)state;
    /* 512 cycles each: two fill a window, whoever asks */
    assert_int_equal(timing_bus_take(bus, 100, 512), 512);
    assert_int_equal(timing_bus_take(bus, 900, 512), 1024);
    assert_int_equal(timing_bus_take(bus, 100, 512), 1024 + 512);
    assert_int_equal(timing_bus_take(bus, 2000, 512), 2048);
    assert_int_equal(timing_bus_take(bus, 100, 512), 2048 + 512);
    /* a CPU more than 1024 windows behind finds it free */
    assert_int_equal(timing_bus_take(bus, 1024 * 1024 + 5, 512), 1024 * 1024 + 512);
    assert_int_equal(timing_bus_take(bus, 7, 512), 7);
    /* 64 bytes at 5.33 bytes a cycle: 12.008, rounded up */
    assert_int_equal(timing_occupancy(64, 5330), 13);
    free(bus);
}

static void test_clocks_meet(void **state)
{
    struct model *model = small(2);

    (void)state;
    start(model);
    instructions[0] = 1000;
    instructions[1] = 10;
    model_acquire(model, 1, 77); /* nobody released: nothing happens */
    assert_int_equal(read_cpu(model, 1).serial_cycles, 10);
    assert_true(model_release(model, 0, 77));
    model_acquire(model, 1, 77);
    assert_int_equal(read_cpu(model, 1).serial_cycles, 1000 + 60);
    assert_int_equal(read_cpu(model, 1).overlap_cycles, 1000 + 60);
    instructions[1] += 5000;
    assert_true(model_release(model, 1, 77));
    model_acquire(model, 1, 77); /* one's own release lies behind: the transfer only */
    assert_int_equal(read_cpu(model, 1).serial_cycles, 6060 + 60);
    model_reset(model);
    assert_int_equal(read_cpu(model, 1).serial_cycles, 0);
    model_acquire(model, 0, 77);
    assert_int_equal(read_cpu(model, 0).serial_cycles, 0);
    model_destroy(model);
}

static void test_sync_full(void **state)
{
    struct timing_sync *sync = calloc(1, sizeof(*sync));
    uint64_t serial;
    uint64_t overlap;

    (void)state;
    for (uint64_t key = 0; key < TIMING_SYNC_SLOTS / 4 * 3; key++) {
        assert_true(timing_sync_release(sync, key * 64, key, 2 * key));
    }
    assert_false(timing_sync_release(sync, 1, 5, 5));
    assert_false(timing_sync_acquire(sync, 1, &serial, &overlap));
    for (uint64_t key = 0; key < TIMING_SYNC_SLOTS / 4 * 3; key++) {
        assert_true(timing_sync_acquire(sync, key * 64, &serial, &overlap));
        assert_int_equal(serial, key);
        assert_int_equal(overlap, 2 * key);
    }
    free(sync);
}

static void test_regions_and_idle(void **state)
{
    struct model *model = small(1);

    (void)state;
    start(model);
    touch(model, 0, 0, false);
    model_region_begin(model, 0, 4);
    touch(model, 0, 0, false);
    touch(model, 0, 1, true);
    model_region_end(model, 0, 4);
    touch(model, 0, 2, false);
    assert_int_equal(model->region[4].ends, 1);
    assert_int_equal(model->region[4].sum.loads, 1);
    assert_int_equal(model->region[4].sum.stores, 1);
    assert_int_equal(model->region[4].sum.level[0].misses, 1);
    assert_int_equal(model->region[4].sum.serial_cycles, 3 + 50);
    model_idle_begin(model, 0);
    instructions[0] += 1000;
    assert_int_equal(read_cpu(model, 0).instructions, 4);
    model_idle_end(model, 0);
    instructions[0] += 1;
    assert_int_equal(read_cpu(model, 0).instructions, 5);
    model_destroy(model);
}

static void test_samples(void **state)
{
    struct model *model = small(1);
    uint32_t bucket[4] = {0};

    (void)state;
    start(model);
    model_access(model, &model->cpu[0], 0, 0, 0, 0); /* 2 + 47 + 20 = 69 cycles, no instruction */
    /* from 69: a sample every 25 cycles; buckets of 2 bytes from 0x1000 */
    model_sample_start(model, bucket, 4, 0x1000, 1, 25);
    touch(model, 0, 2, false); /* pc 0x1002, 50 cycles, to 119: samples of 94 and 119 */
    for (int i = 0; i < 9; i++) {
        touch(model, 0, 2, false); /* 3 each, to 146: 144 */
    }
    touch(model, 0, 20, false); /* outside: the last bucket. To 196: 169 and 194 */
    model_sample_stop(model);
    touch(model, 0, 1, false);
    assert_int_equal(bucket[0], 0);
    assert_int_equal(bucket[1], 3);
    assert_int_equal(bucket[2], 0);
    assert_int_equal(bucket[3], 2);
    model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lru),
        cmocka_unit_test(test_write_back),
        cmocka_unit_test(test_range_of_pieces),
        cmocka_unit_test(test_coherence),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_tlb),
        cmocka_unit_test(test_serial_clock),
        cmocka_unit_test(test_overlap_clock),
        cmocka_unit_test(test_bus),
        cmocka_unit_test(test_clocks_meet),
        cmocka_unit_test(test_sync_full),
        cmocka_unit_test(test_regions_and_idle),
        cmocka_unit_test(test_samples),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
