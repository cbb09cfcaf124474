/*
 * The counters of x86 CPUs against simulated ones: Intel's of several versions, AMD's of several
 * families, hypervisors that state what they have not got. A register that the CPU has not traps.
 */
#include "host.h"

#include "arch/x86_64/pmu.c"
#include "arch/x86_64/pmu_events.c"

#include "core/cmdline.h"
#include "perf/counters.h"
#include "perf/pmu.h"

#include <setjmp.h>
#include <string.h>

/* ---- a CPU --------------------------------------------------------------------------------- */

#define COUNTERS 8

static struct {
    const char *vendor, *hypervisor;
    unsigned family;
    struct cpuid leaf_a, leaf_80000001, leaf_80000022;
    uint32_t select, counter, step, global; /* global 0: none */
    unsigned general, fixed, bits;
    uint64_t control[COUNTERS], fixed_control, enable;
    uint64_t count[2 * COUNTERS]; /* true ones; fixed ones from COUNTERS on */
    bool still, deaf;             /* counts nothing; every register traps */
    unsigned rate[2 * COUNTERS];  /* counts between two readings */
} sim;

static jmp_buf *guard;

static void trap(const char *what, uint32_t number)
{
    if (!guard)
        fail_msg("#GP: %s 0x%x", what, number);
    longjmp(*guard, 1);
}

bool trap_guard(void (*fn)(void *arg), void *arg, struct trap_info *t)
{
    jmp_buf here, *outer = guard;
    volatile bool done = false;
    (void)t;
    guard = &here;
    if (!setjmp(here)) {
        fn(arg);
        done = true;
    }
    guard = outer;
    return done;
}

void arch_machine_info(struct arch_machine *m)
{
    *m = (struct arch_machine){.family = sim.family};
    strcpy(m->vendor, sim.vendor);
    strcpy(m->hypervisor, sim.hypervisor);
}

struct cpuid cpuid(uint32_t leaf, uint32_t sub)
{
    (void)sub;
    return leaf == 0xa          ? sim.leaf_a
           : leaf == 0x80000001 ? sim.leaf_80000001
           : leaf == 0x80000022 ? sim.leaf_80000022
                                : (struct cpuid){0};
}

uint32_t cpuid_max(uint32_t range)
{
    return range ? 0x80000022 : 0xa;
}

static uint64_t mask(void)
{
    return (UINT64_C(1) << sim.bits) - 1;
}

void wrmsr(uint32_t msr, uint64_t v)
{
    if (sim.deaf)
        trap("wrmsr", msr);
    for (unsigned g = 0; g < sim.general; g++) {
        if (msr == sim.select + g * sim.step) {
            sim.control[g] = v;
            return;
        }
        if (msr == sim.counter + g * sim.step) {
            sim.count[g] = v;
            return;
        }
    }
    for (unsigned f = 0; f < sim.fixed; f++)
        if (msr == 0x309 + f) {
            sim.count[COUNTERS + f] = v;
            return;
        }
    if (msr == 0x38d && sim.fixed)
        sim.fixed_control = v;
    else if (sim.global && msr == sim.global)
        sim.enable = v;
    else
        trap("wrmsr", msr);
}

static bool is_counting(unsigned i)
{
    if (i >= COUNTERS)
        return (sim.fixed_control >> 4 * (i - COUNTERS) & 0xf) == 3 &&
               (sim.enable >> (32 + i - COUNTERS) & 1);
    /* Enabled, in all rings, without interrupt; and where there is a global register, there, too.
     */
    return (sim.control[i] & 0x530000) == 0x430000 && (!sim.global || (sim.enable >> i & 1));
}

uint64_t rdpmc(uint32_t counter)
{
    unsigned i = (counter & ~(1u << 30)) + (counter >> 30 & 1 ? COUNTERS : 0);
    if (i >= COUNTERS ? i - COUNTERS >= sim.fixed : i >= sim.general)
        trap("rdpmc", counter);
    for (unsigned k = 0; !sim.still && k < 2 * COUNTERS; k++)
        if (is_counting(k))
            sim.count[k] += sim.rate[k];
    return sim.count[i] & mask();
}

/* ---- boots --------------------------------------------------------------------------------- */

static struct counter list[COUNTERS_MAX];
static char err[320];

static int option_pmu(const char *value)
{
    err[0] = '\0';
    for_each_registered (option, o)
        if (!strcmp(o->name, "pmu"))
            return o->parse(o, value, err, sizeof err);
    fail_msg("no option pmu=");
    return 0;
}

static const struct counter_source *source(void)
{
    for_each_registered (counter_source, s)
        return s;
    return NULL;
}

/* A boot on sim with pmu=words; how many counters run. */
static unsigned boot(const char *words)
{
    looked = false;
    places = 0;
    memset(sim.control, 0xff, sizeof sim.control); /* what firmware left */
    sim.fixed_control = sim.enable = UINT64_MAX;
    assert_int_equal(option_pmu(words), 0);
    return source()->start(list, COUNTERS_MAX);
}

static const char *refused(const char *words)
{
    looked = false;
    assert_int_not_equal(option_pmu(words), 0);
    return err;
}

static void intel(unsigned version, unsigned general, unsigned bits, unsigned fixed)
{
    memset(&sim, 0, sizeof sim);
    sim.vendor = "GenuineIntel";
    sim.hypervisor = "";
    sim.family = 6;
    sim.leaf_a =
        (struct cpuid){7u << 24 | bits << 16 | general << 8 | version, 0, 0, bits << 5 | fixed};
    sim.general = general;
    sim.fixed = fixed;
    sim.bits = bits;
    sim.select = 0x186;
    sim.counter = 0xc1;
    sim.step = 1;
    sim.global = version >= 2 ? 0x38f : 0;
    for (unsigned i = 0; i < 2 * COUNTERS; i++)
        sim.rate[i] = 100 + i;
}

static void amd(unsigned family, bool extended, bool version2)
{
    intel(0, extended ? 6 : 4, 48, 0);
    sim.vendor = "AuthenticAMD";
    sim.family = family;
    sim.leaf_a = (struct cpuid){0};
    sim.leaf_80000001.ecx = extended ? 1u << 23 : 0;
    sim.leaf_80000022.eax = version2;
    sim.select = extended ? 0xc0010200 : 0xc0010000;
    sim.counter = extended ? 0xc0010201 : 0xc0010004;
    sim.step = extended ? 2 : 1;
    sim.global = version2 ? 0xc0000301 : 0;
}

static void names_are(unsigned n, ...)
{
    va_list ap;
    va_start(ap, n);
    for (unsigned i = 0; i < n; i++)
        assert_string_equal(list[i].name, va_arg(ap, const char *));
    va_end(ap);
}

/* Between two reads each counter advanced by its rate at every rdpmc; the selects stand where. */
static void counts_up(unsigned n)
{
    uint64_t before[PMU_EVENTS_MAX], after[PMU_EVENTS_MAX];
    source()->read(before);
    source()->read(after);
    for (unsigned i = 0; i < n; i++) {
        uint64_t d = after[i] - before[i];
        assert_true(d >= n * 100ul && d <= n * (100ul + 2 * COUNTERS));
    }
}

static void test_intel_takes_fixed_counters_first(void **state)
{
    (void)state;
    intel(2, 2, 40, 3);
    assert_int_equal(boot("auto"), 4);
    names_are(4, "cycles", "instructions", "llc_references", "llc_misses");
    assert_int_equal(sim.fixed_control, 0x33);
    assert_int_equal(sim.enable, 3ul << 32 | 3);
    assert_int_equal(sim.control[0], 0x434f2e);
    assert_int_equal(sim.control[1], 0x43412e);
    counts_up(4);
}

static void test_intel_of_the_first_version(void **state)
{
    (void)state;
    intel(1, 2, 40, 0);
    assert_int_equal(boot("auto"), 2);
    names_are(2, "cycles", "instructions");
    assert_int_equal(sim.control[0], 0x43003c);
    assert_int_equal(sim.control[1], 0x4300c0);
    counts_up(2);
    assert_int_equal(boot("llc_misses,branch_misses"), 2);
    names_are(2, "llc_misses", "branch_misses");
    assert_non_null(strstr(refused("llc_misses,cycles,llc_references"),
                           "llc_references is one event too many: this CPU has 2"));
}

static void test_events_that_leaf_10_denies(void **state)
{
    (void)state;
    intel(2, 4, 48, 3);
    sim.leaf_a.ebx = 1u << 3; /* no references */
    assert_int_equal(boot("auto"), 4);
    names_are(4, "cycles", "instructions", "llc_misses", "branches");
    assert_non_null(strstr(refused("llc_references"), "is no event of this CPU"));
    assert_null(strstr(err, " llc_references,"));
    /* A list of two bits says nothing about later events: they are not there. */
    sim.leaf_a.eax = 2u << 24 | 48u << 16 | 4u << 8 | 2;
    assert_int_equal(boot("auto"), 2);
}

static void test_amd_by_generation(void **state)
{
    (void)state;
    amd(0xf, false, false);
    assert_int_equal(boot("auto"), 4);
    names_are(4, "cycles", "instructions", "l2_references", "l2_misses");
    assert_int_equal(sim.control[0], 0x430076);
    assert_int_equal(sim.control[3], 0x43027e);
    counts_up(4);

    amd(0x17, true, false);
    assert_int_equal(boot("cycles,instructions,l2_references,l2_misses,dtlb_misses,dtlb_walks"), 6);
    assert_int_equal(sim.control[2], 0x43c860);
    assert_int_equal(sim.control[5], 0x43f045);
    counts_up(6);

    amd(0x19, true, true);
    assert_int_equal(boot("l2_references,l2_misses"), 2);
    assert_int_equal(sim.control[0], 0x43e860);
    assert_int_equal(sim.enable, 3);
    counts_up(2);

    amd(0x16, true, false); /* whose L2 has other counters */
    assert_int_equal(boot("auto"), 2);
    names_are(2, "cycles", "instructions");
}

static void test_events_by_number(void **state)
{
    (void)state;
    intel(2, 4, 48, 3);
    assert_int_equal(boot("r412e,rc0"), 2);
    names_are(2, "r412e", "rc0");
    assert_int_equal(sim.control[0], 0x43412e);
    assert_int_equal(sim.fixed_control, 3); /* rc0: instructions */
    assert_int_equal(boot("r0284f824"), 1); /* threshold, invert, edge */
    assert_int_equal(sim.control[0], 0x2c7f824);
    assert_non_null(strstr(refused("r412e,r100412e00"), "bits other than"));
    assert_non_null(strstr(refused("r41002e"), "bits other than")); /* user rings only */
    assert_non_null(strstr(refused("rxyz"), "is no event of this CPU"));
    amd(0x15, true, false);
    assert_int_equal(boot("r1000000c0"), 1); /* AMD's events have 12 bits */
    assert_int_equal(sim.control[0], 0x1004300c0);
}

static void test_words_that_are_refused(void **state)
{
    (void)state;
    intel(2, 4, 48, 3);
    assert_non_null(strstr(refused("llc_mises"), "nearest: llc_misses"));
    assert_non_null(strstr(err, "cycles, instructions"));
    assert_non_null(strstr(refused("cycles,cycles"), "cycles is there twice"));
    assert_non_null(strstr(refused("cycles,"), "1 to 19 characters"));
    assert_non_null(strstr(refused(""), "1 to 19 characters"));
    assert_non_null(strstr(refused("a_name_of_more_than_twenty_bytes"), "1 to 19"));
    assert_non_null(strstr(refused("r1,r2,r3,r4,r5"), "r5 is one event too many"));
    assert_non_null(strstr(refused("r1,r2,r3,r4,r5,r6,r7,r8,r9"), "one event too many"));
}

/* Without counters nothing is touched: the simulated registers would trap outside of a guard. */
static void test_no_counters(void **state)
{
    (void)state;
    intel(0, 4, 48, 3);
    assert_int_equal(boot("auto"), 0);
    assert_null(pmu_failed());
    assert_non_null(strstr(refused("cycles"), "valid here: auto, off (no architectural PMU"));
    intel(2, 4, 48, 3);
    sim.hypervisor = "TCGTCGTCGTCG";
    assert_int_equal(boot("auto"), 0);
    amd(0x6, false, false);
    assert_int_equal(boot("auto"), 0);
    intel(2, 0, 0, 3);
    assert_int_equal(boot("auto"), 0);
    intel(2, 4, 48, 3);
    assert_int_equal(boot("off"), 0);
    assert_null(pmu_failed());
    assert_int_equal(sim.enable, UINT64_MAX);
}

/* Counters that are stated and not there: an end of the boot only for who asked for events. */
static void test_counters_that_trap_or_stand_still(void **state)
{
    (void)state;
    intel(2, 4, 48, 3);
    sim.deaf = true;
    assert_int_equal(boot("auto"), 0);
    assert_null(pmu_failed());
    assert_int_equal(boot("cycles"), 0);
    assert_non_null(strstr(pmu_failed(), "traps"));
    amd(0x17, true, false);
    sim.still = true;
    assert_int_equal(boot("auto"), 0);
    assert_int_equal(boot("cycles"), 0);
    assert_non_null(strstr(pmu_failed(), "stand still"));
}

/* 40 bits that go round more than a thousand times: the sum is what was counted. */
static void test_counts_beyond_the_counters_width(void **state)
{
    (void)state;
    intel(1, 2, 40, 0);
    assert_int_equal(boot("auto"), 2);
    sim.rate[0] = 0xf0000000;
    uint64_t v[PMU_EVENTS_MAX], first;
    source()->read(v);
    first = v[0];
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t last = v[0];
        source()->read(v);
        assert_int_equal(v[0] - last, 2 * 0xf0000000ul); /* two counters are read */
    }
    assert_true(v[0] - first > 1000ul << 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intel_takes_fixed_counters_first),
        cmocka_unit_test(test_intel_of_the_first_version),
        cmocka_unit_test(test_events_that_leaf_10_denies),
        cmocka_unit_test(test_amd_by_generation),
        cmocka_unit_test(test_events_by_number),
        cmocka_unit_test(test_words_that_are_refused),
        cmocka_unit_test(test_no_counters),
        cmocka_unit_test(test_counters_that_trap_or_stand_still),
        cmocka_unit_test(test_counts_beyond_the_counters_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
