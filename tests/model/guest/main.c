/*
 * The model's test guest: one small experiment per boot, named by the command line, its result
 * printed as "key value" lines. tests/model/test_plugin.py and bench.py know what to expect; the
 * guest computes itself what depends on where its pages lie.
 */
#include <arch/model_cmd.h>

#include "guest.h"
#include "kernel/perf/model_abi.h"

/*
 * The area, and behind the part of it that means something a table that the tests may read
 * without being counted: the whole of it is out of the model's sight.
 */
static union {
    struct model_area area;
    struct {
        char unused[MODEL_AREA_BYTES - 4096];
        const char *page[4096 / sizeof(char *)];
    } tail;
} shared __attribute__((aligned(MODEL_AREA_ALIGN)));

_Static_assert(sizeof(shared) == MODEL_AREA_BYTES, "the area is exactly what it says");
_Static_assert(sizeof(struct model_area) <= MODEL_AREA_BYTES - 4096, "the tail is free");

#define area (shared.area)

static uint32_t samples[64];

static void print(const char *text)
{
    while (*text) {
        guest_putc(*text++);
    }
}

static void print_number(const char *key, uint64_t value)
{
    char digits[24];
    int i = sizeof(digits);

    digits[--i] = '\0';
    do {
        digits[--i] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    print(key);
    print(" ");
    print(&digits[i]);
    print("\n");
}

/* The n-th word of the command line is this one. */
static int is(const char *text, const char *word)
{
    while (*word && *text == *word) {
        text++;
        word++;
    }
    return *word == '\0' && (*text == '\0' || *text == ' ');
}

static uint64_t number_after(const char *text)
{
    uint64_t value = 0;

    while (*text && *text != ' ') {
        text++;
    }
    while (*text == ' ') {
        text++;
    }
    for (; *text >= '0' && *text <= '9'; text++) {
        value = value * 10 + (uint64_t)(*text - '0');
    }
    return value;
}

static int announce(void)
{
    model_cmd_store(MODEL_CMD_ANNOUNCE, 0, &area.announce, 1);
    if (((volatile struct model_area *)&area)->magic != MODEL_MAGIC) {
        print("no model\n");
        return 0;
    }
    model_cmd_store(MODEL_CMD_ATTACH, 0, &area.box[0].attach, 1);
    print("machine ");
    print(area.machine.name);
    print("\n");
    return 1;
}

/* What CPU 0 counted between two snapshots. */
#define SINCE(field) (area.snapshot[1].cpu[0].field - area.snapshot[0].cpu[0].field)

static void print_counts(void)
{
    print_number("instructions", SINCE(instructions));
    print_number("loads", SINCE(loads));
    print_number("stores", SINCE(stores));
    print_number("l1_misses", SINCE(level[0].misses));
    print_number("l2_accesses", SINCE(level[1].accesses));
    print_number("l2_misses", SINCE(level[1].misses));
    print_number("l2_conflict", SINCE(level[1].conflict));
    print_number("l2_capacity", SINCE(level[1].capacity));
    print_number("l2_compulsory", SINCE(level[1].compulsory));
    print_number("memory_reads", SINCE(memory_reads));
    print_number("straddles", SINCE(straddles));
    print_number("tlb_misses", SINCE(tlb_misses));
    print_number("serial", SINCE(serial_cycles));
    print_number("overlap", SINCE(overlap_cycles));
}

/* Read a buffer in steps of 8 or 64 bytes. In assembly: exactly one access, and three other
 * instructions, an iteration. */
#if defined(__x86_64__)
#define SWEEP(p, end, step)                                                                        \
    __asm__ volatile("1: mov (%0), %%rax\n\tadd %2, %0\n\tcmp %1, %0\n\tjb 1b"                     \
                     : "+r"(p)                                                                     \
                     : "r"(end), "i"(step)                                                         \
                     : "rax", "cc", "memory")
#else
#define SWEEP(p, end, step)                                                                        \
    __asm__ volatile("1: ldq $1, 0(%0)\n\taddq %0, %2, %0\n\tcmpult %0, %1, $1\n\tbne $1, 1b"      \
                     : "+r"(p)                                                                     \
                     : "r"(end), "i"(step)                                                         \
                     : "$1", "memory")
#endif

static void sweep8(const char *start, uint64_t bytes)
{
    const char *end = start + bytes;

    SWEEP(start, end, 8);
}

static void sweep64(const char *start, uint64_t bytes)
{
    const char *end = start + bytes;

    SWEEP(start, end, 64);
}

/* QEMU's own TLB grows only when it is flushed while in use; unless it does, it is the bottleneck
 * of every measurement. */
static void warm_qemu(void)
{
    for (int i = 0; i < 14; i++) {
        for (uint64_t p = GUEST_POOL_PHYS; p < GUEST_POOL_END; p += guest_page_bytes) {
            *(volatile char *)guest_at(p);
        }
        guest_flush_all();
    }
}

/* megaloads: 8 loads a line over 2 MiB. */
static void run_load(uint64_t megaloads)
{
    for (uint64_t done = 0; done < megaloads * 1000000; done += 2 * 1024 * 1024 / 8) {
        sweep8(guest_at(GUEST_POOL_PHYS), 2 * 1024 * 1024);
    }
}

/* A 64-byte stride over 16 MiB: misses all the levels of the machines it is used with. */
static void run_stride(uint64_t megaloads)
{
    for (uint64_t done = 0; done < megaloads * 1000000; done += 16 * 1024 * 1024 / 64) {
        sweep64(guest_at(GUEST_POOL_PHYS), 16 * 1024 * 1024);
    }
}

static uint32_t random_state;

/* Marsaglia's xorshift32. */
static uint32_t random32(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

#define MAX_PAGES 512u

static uint8_t taken[(GUEST_POOL_END - GUEST_POOL_PHYS) / 4096];
static uint32_t on_color[MAX_PAGES];

/* Read one word of each line; no access to anything else that is counted. */
static __attribute__((noinline)) void sweep_pages(uint32_t pages)
{
    const char *const *page = shared.tail.page;
    uint64_t bytes = guest_page_bytes;

    for (uint32_t i = 0; i < pages; i++) {
        sweep64(page[i], bytes);
    }
}

/*
 * As many pages as a direct-mapped 2 MiB cache has colours, placed in order or at random; the
 * second pass over them misses exactly on the pages that share their colour.
 */
static void run_pages(uint64_t seed)
{
    uint32_t pages = (uint32_t)(2 * 1024 * 1024 / guest_page_bytes);
    uint64_t frames = (GUEST_POOL_END - GUEST_POOL_PHYS) / guest_page_bytes;
    uint32_t sharing = 0;

    random_state = (uint32_t)seed;
    for (uint32_t i = 0; i < pages; i++) {
        uint64_t frame = i;

        if (seed != 0) {
            do {
                frame = random32() % frames;
            } while (taken[frame]);
            taken[frame] = 1;
        }
        shared.tail.page[i] = guest_at(GUEST_POOL_PHYS + frame * guest_page_bytes);
        on_color[frame % pages]++;
    }
    for (uint32_t color = 0; color < pages; color++) {
        sharing += on_color[color] > 1 ? on_color[color] : 0;
    }
    model_cmd(MODEL_CMD_FLUSH, 0);
    for (int pass = 0; pass < 2; pass++) {
        /* the calls' own stack accesses stay outside */
        model_cmd(MODEL_CMD_LATCH, 0);
        sweep_pages(pages);
        model_cmd(MODEL_CMD_LATCH, 1);
    }
    print_number("lines", pages * guest_page_bytes / 64);
    print_number("expected_misses", sharing * guest_page_bytes / 64);
    print_counts();
}

/* The same virtual page, another frame: with a flush of the TLB that is another line. */
static void run_remap(void)
{
    volatile uint64_t *window = guest_window();

    guest_map_window(GUEST_POOL_PHYS, 1);
    model_cmd(MODEL_CMD_FLUSH, 0);
    model_cmd(MODEL_CMD_LATCH, 0);
    (void)*window;
    guest_map_window(GUEST_POOL_PHYS + 0x100000, 1);
    (void)*window;
    model_cmd(MODEL_CMD_LATCH, 1);
    print_number("fill_with_tables", SINCE(memory_reads));
    /* a range round each of the frames tells their misses from the page table's */
    print_number("range0_misses", area.range[0].misses);
    print_number("range1_misses", area.range[1].misses);
}

static void name_range(uint64_t start, uint64_t end)
{
    area.box[0].args[0] = start;
    area.box[0].args[1] = end;
    area.box[0].name[0] = 'r';
}

static __attribute__((noinline)) void run_commands(void)
{
    volatile uint64_t *data = guest_at(GUEST_POOL_PHYS);

    model_cmd(MODEL_CMD_FLUSH, 0);
    model_cmd(MODEL_CMD_RESET, 0);
    /* nothing but commands: no access may be counted */
    model_cmd(MODEL_CMD_LATCH, 0);
    model_cmd(MODEL_CMD_LATCH, 1);
    print_number("empty_loads", SINCE(loads));
    print_number("empty_stores", SINCE(stores));

    model_cmd(MODEL_CMD_REGION_BEGIN, 3);
    (void)data[0];
    (void)data[1];
    model_cmd(MODEL_CMD_REGION_END, 3);
    print_number("region_ends", area.region[3].ends);
    print_number("region_loads", area.region[3].sum.loads);
    print_number("region_misses", area.region[3].sum.level[0].misses);

    model_cmd(MODEL_CMD_LATCH, 0);
    model_cmd(MODEL_CMD_IDLE_BEGIN, 0);
    sweep64((const char *)data, 4096);
    model_cmd(MODEL_CMD_IDLE_END, 0);
    model_cmd(MODEL_CMD_LATCH, 1);
    print_number("idle_loads", SINCE(loads));
    print_number("idle_skipped_enough", SINCE(idle_skipped) >= 64);

    area.box[0].args[MODEL_SAMPLE_PHYS] = guest_phys(samples);
    area.box[0].args[MODEL_SAMPLE_BUCKETS] = 64;
    area.box[0].args[MODEL_SAMPLE_PC_BASE] = (uint64_t)(uintptr_t)run_commands;
    area.box[0].args[MODEL_SAMPLE_SHIFT] = 6; /* 4 KiB of code in all */
    area.box[0].args[MODEL_SAMPLE_INTERVAL] = 100;
    model_cmd(MODEL_CMD_LATCH, 0);
    model_cmd(MODEL_CMD_SAMPLE_START, 0);
    sweep64(guest_at(GUEST_POOL_PHYS + 0x400000), 0x100000);
    model_cmd(MODEL_CMD_SAMPLE_STOP, 0);
    model_cmd(MODEL_CMD_LATCH, 1);
    uint64_t sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += samples[i];
    }
    print_number("samples", sum);
    print_number("samples_outside", samples[63]);
    print_number("sampled_cycles", SINCE(serial_cycles));

    area.box[0].status = 99;
    model_cmd(MODEL_CMD_LATCH, 7);
    print_number("bad_argument", ((volatile struct model_area *)&area)->box[0].status);
    model_cmd(0x7f, 0);
    print_number("bad_command", ((volatile struct model_area *)&area)->box[0].status);
}

void guest_main(const char *line)
{
    int model = announce();

    if (is(line, "load") || is(line, "stride")) {
        warm_qemu();
        model_cmd(MODEL_CMD_LATCH, 0);
        if (is(line, "load")) {
            run_load(number_after(line));
        } else {
            run_stride(number_after(line));
        }
        model_cmd(MODEL_CMD_LATCH, 1);
        if (model) {
            print_counts();
        }
    } else if (is(line, "pages") && model) {
        run_pages(number_after(line));
    } else if (is(line, "remap") && model) {
        name_range(GUEST_POOL_PHYS, GUEST_POOL_PHYS + 0x1000);
        model_cmd(MODEL_CMD_RANGE, 0);
        name_range(GUEST_POOL_PHYS + 0x100000, GUEST_POOL_PHYS + 0x101000);
        model_cmd(MODEL_CMD_RANGE, 1);
        run_remap();
    } else if (is(line, "commands") && model) {
        run_commands();
    } else if (model || !is(line, "none")) {
        print("unknown command line\n");
        guest_exit(1);
    }
    guest_exit(0x10);
}
