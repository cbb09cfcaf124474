/*
 * Which CPU is of which kind, on simulated processors: Intel's hybrids, AMD's mixed cores, and
 * those of one kind, which must say nothing and ask no other CPU. QEMU has no such processor.
 */
#include "host.h"

#include "arch/x86_64/cpu_kind.c"
#include "core/cpu.h"
#include "core/cpu_kinds.h"
#include "core/errno.h"

#include <string.h>

#define CORE 0x40000001u
#define ATOM 0x20000001u

static struct {
    uint32_t max, extended_max; /* highest leaves */
    uint32_t leaf7_edx;
    uint32_t amd_eax;
    uint32_t word[CPU_MAX]; /* leaf 0x1a eax, or 0x80000026 ebx */
} machine;

static unsigned running, calls;
static unsigned busy; /* a CPU that takes no call; 0: none */

struct cpuid cpuid(uint32_t leaf, uint32_t sub)
{
    struct cpuid c = {0};
    assert_int_equal(sub, 0);
    switch (leaf) {
    case 0:
        c.eax = machine.max;
        break;
    case 7:
        c.edx = machine.leaf7_edx;
        break;
    case 0x1a:
        assert_true(machine.max >= leaf);
        c.eax = machine.word[host_cpu];
        break;
    case 0x80000000:
        c.eax = machine.extended_max;
        break;
    case 0x80000026:
        assert_true(machine.extended_max >= leaf);
        c.eax = machine.amd_eax;
        c.ebx = machine.word[host_cpu];
        break;
    default:
        fail_msg("cpuid leaf 0x%x", leaf);
    }
    return c;
}

uint32_t cpuid_max(uint32_t range)
{
    return cpuid(range, 0).eax;
}

unsigned cpus_running(void)
{
    return running;
}

int cpu_start_call(unsigned id, void (*fn)(void *arg), void *arg)
{
    assert_in_range(id, 1, running - 1);
    if (id == busy)
        return -TT_EBUSY;
    host_cpu = id;
    fn(arg);
    host_cpu = 0;
    calls++;
    return 0;
}

int cpu_wait_call(unsigned id, uint64_t cycles, char *why, size_t why_bytes)
{
    (void)cycles, (void)why, (void)why_bytes;
    assert_int_not_equal(id, busy);
    return 0;
}

static int intel(void **state)
{
    (void)state;
    memset(&machine, 0, sizeof machine);
    machine.max = 0x20;
    machine.extended_max = 0x80000008;
    machine.leaf7_edx = 1u << 15;
    running = 6;
    calls = busy = 0;
    for (unsigned i = 0; i < CPU_MAX; i++)
        machine.word[i] = i < 4 ? CORE : ATOM;
    host_console_clear();
    return 0;
}

static int amd(void **state)
{
    intel(state);
    machine.max = 0x10;
    machine.leaf7_edx = 0;
    machine.extended_max = 0x80000028;
    machine.amd_eax = 1u << 30;
    for (unsigned i = 0; i < CPU_MAX; i++)
        machine.word[i] = i % 2 ? 1u << 28 | 0x00050002 : 0x00ff0002; /* rank and threads differ */
    return 0;
}

/* How often `text` stands in the log. */
static unsigned said(const char *text)
{
    unsigned n = 0;
    for (const char *at = host_console(); (at = strstr(at, text)); at += strlen(text))
        n++;
    return n;
}

static void assert_silent(void)
{
    cpu_kinds_log();
    assert_string_equal(host_console(), "");
    assert_int_equal(calls, 0);
}

static void two_kinds(void **state)
{
    (void)state;
    cpu_kinds_log();
    assert_int_equal(calls, 5);
    assert_int_equal(said("\"what\":\"kind\""), 2);
    assert_int_equal(said("\"kind\":\"performance 0x40000001\",\"cpus\":[0,1,2,3]"), 1);
    assert_int_equal(said("\"kind\":\"efficiency 0x20000001\",\"cpus\":[4,5]"), 1);
    assert_int_equal(said("{\"tt\":\"note\""), 1);
    assert_int_equal(said("\"level\":\"warning\""), 1);
    assert_int_equal(said("cpus= above 4 mixes them"), 1);
}

/* Two kinds of efficiency cores are two kinds; CPUs of one kind need not follow each other. */
static void three_kinds_mixed(void **state)
{
    (void)state;
    machine.word[0] = machine.word[5] = ATOM;
    machine.word[2] = ATOM + 1;
    cpu_kinds_log();
    assert_int_equal(said("\"kind\":\"efficiency 0x20000001\",\"cpus\":[0,4,5]"), 1);
    assert_int_equal(said("\"kind\":\"performance 0x40000001\",\"cpus\":[1,3]"), 1);
    assert_int_equal(said("\"kind\":\"efficiency 0x20000002\",\"cpus\":[2]"), 1);
    assert_int_equal(said("cpus= above 1 mixes them"), 1);
}

/* A hybrid of which CPUs of one kind run: they are named, and nobody is warned. */
static void one_kind_of_a_hybrid(void **state)
{
    (void)state;
    for (running = 1; running <= 4; running += 3) {
        host_console_clear();
        cpu_kinds_log();
        assert_int_equal(said("\"kind\":\"performance 0x40000001\",\"cpus\":[0"), 1);
        assert_int_equal(said("{\"tt\""), 1);
    }
}

static void types_nobody_knows(void **state)
{
    (void)state;
    machine.word[0] = 0; /* leaf 0x1a is there, and empty */
    machine.word[1] = 0x99000001;
    busy = 2;
    cpu_kinds_log();
    assert_int_equal(said("\"kind\":\"unknown 0x00000000\",\"cpus\":[0]"), 1);
    assert_int_equal(said("\"kind\":\"unknown 0x99000001\",\"cpus\":[1]"), 1);
    assert_int_equal(said("\"kind\":\"does not say\",\"cpus\":[2]"), 1);
    assert_int_equal(said("cpus= above 1 mixes them"), 1);
}

static void alike_cpus_say_nothing(void **state)
{
    (void)state;
    machine.leaf7_edx = ~(1u << 15);
    assert_silent();
}

/* The leaves that would say are beyond the highest: what an old processor has there is anything. */
static void old_processors_say_nothing(void **state)
{
    (void)state;
    machine.max = 0x19;
    assert_silent();
    machine.leaf7_edx = 0;
    machine.max = 0xd;
    machine.amd_eax = 1u << 30;
    machine.extended_max = 0x80000025;
    assert_silent();
    machine.extended_max = 0; /* no extended leaves at all */
    assert_silent();
}

static void amd_mixed(void **state)
{
    (void)state;
    cpu_kinds_log();
    assert_int_equal(said("\"kind\":\"performance 0x0\",\"cpus\":[0,2,4]"), 1);
    assert_int_equal(said("\"kind\":\"efficiency 0x1\",\"cpus\":[1,3,5]"), 1);
    assert_int_equal(said("cpus= above 1 mixes them"), 1);
    assert_int_equal(said("{\"tt\""), 3);
}

static void amd_alike(void **state)
{
    (void)state;
    machine.amd_eax = ~(1u << 30);
    assert_silent();
}

/* Records hold all the CPUs that there can be. */
static void as_many_as_there_can_be(void **state)
{
    (void)state;
    running = CPU_MAX;
    for (unsigned i = 0; i < CPU_MAX; i++)
        machine.word[i] = i ? ATOM : CORE;
    cpu_kinds_log();
    assert_int_equal(said("60,61,62,63]"), 1);
    assert_int_equal(said("is lost"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(two_kinds, intel),
        cmocka_unit_test_setup(three_kinds_mixed, intel),
        cmocka_unit_test_setup(one_kind_of_a_hybrid, intel),
        cmocka_unit_test_setup(types_nobody_knows, intel),
        cmocka_unit_test_setup(as_many_as_there_can_be, intel),
        cmocka_unit_test_setup(alike_cpus_say_nothing, intel),
        cmocka_unit_test_setup(old_processors_say_nothing, intel),
        cmocka_unit_test_setup(amd_mixed, amd),
        cmocka_unit_test_setup(amd_alike, amd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
