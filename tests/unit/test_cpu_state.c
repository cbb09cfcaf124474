/*
 * What firmware left in model-specific registers, and what cpuid says about the cycle counter, on
 * simulated CPUs. A register that this CPU has not fails the test: on a real one it is a fault.
 */
#include "host.h"

#include "arch/x86_64/clocks.c"
#include "arch/x86_64/cpu_state.c"

#include <string.h>

#define MSRS 16

static struct {
    uint32_t msr;
    uint64_t value;
    unsigned writes;
} there[MSRS];
static unsigned msr_count, flushes, flushed_at_write;

static struct {
    uint32_t leaf;
    struct cpuid says;
} leaves[16];
static unsigned leaf_count;

static unsigned msr_index(uint32_t msr)
{
    for (unsigned i = 0; i < msr_count; i++)
        if (there[i].msr == msr)
            return i;
    fail_msg("#GP: no MSR 0x%x", msr);
    return 0;
}

uint64_t rdmsr(uint32_t msr)
{
    return there[msr_index(msr)].value;
}

void wrmsr(uint32_t msr, uint64_t v)
{
    there[msr_index(msr)].value = v;
    there[msr_index(msr)].writes++;
    flushed_at_write = flushes;
}

void flush_caches(void)
{
    flushes++;
}

struct cpuid cpuid(uint32_t leaf, uint32_t sub)
{
    (void)sub;
    for (unsigned i = 0; i < leaf_count; i++)
        if (leaves[i].leaf == leaf)
            return leaves[i].says;
    return (struct cpuid){0};
}

uint32_t cpuid_max(uint32_t range)
{
    return cpuid(range, 0).eax;
}

static bool absent(struct arch_ref_clock *r)
{
    (void)r;
    return false;
}

bool hpet_probe(struct arch_ref_clock *r)
{
    return absent(r);
}

bool acpi_pm_probe(struct arch_ref_clock *r)
{
    return absent(r);
}

bool pit_probe(struct arch_ref_clock *r)
{
    return absent(r);
}

static void msr(uint32_t number, uint64_t value)
{
    there[msr_count].msr = number;
    there[msr_count].writes = 0;
    there[msr_count++].value = value;
}

static void leaf(uint32_t number, uint32_t eax, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
    leaves[leaf_count].leaf = number;
    leaves[leaf_count++].says = (struct cpuid){eax, ebx, ecx, edx};
}

static int start(void **state)
{
    (void)state;
    msr_count = leaf_count = flushes = 0;
    host_console_clear();
    return 0;
}

/* ---- set-up -------------------------------------------------------------------------------- */

static void test_a_cpu_without_any_of_it(void **state)
{
    (void)state;
    cpu_state_init();
    machine_check_print();
    assert_string_equal(host_console(), "");
}

static void test_a_limit_on_cpuid_is_lifted(void **state)
{
    (void)state;
    leaf(0, 3, INTEL, 0, 0);
    msr(MSR_MISC_ENABLE, MISC_LIMIT_CPUID | 0x850089);
    cpu_state_init();
    assert_int_equal(there[0].value, 0x850089);
}

/* AMD has no such register; an Intel CPU that states more is not limited: nothing is touched. */
static void test_no_limit_nothing_touched(void **state)
{
    leaf(0, 1, 0x68747541, 0, 0); /* "Auth" */
    cpu_state_init();
    start(state);
    leaf(0, 0x20, INTEL, 0, 0);
    cpu_state_init();
}

static void test_memory_types_are_those_of_reset(void **state)
{
    (void)state;
    leaf(1, 0, 0, 0, CPUID_PAT);
    msr(MSR_PAT, 0x0007010600070106); /* entry 1 and 5: write combining, as Linux has them */
    cpu_state_init();
    assert_true(there[0].value == 0x0007040600070406);
    assert_int_equal(flushed_at_write, 1);
    assert_int_equal(flushes, 2);
    cpu_state_init(); /* the usual case: a look, no more */
    assert_int_equal(there[0].writes, 1);
    assert_int_equal(flushes, 2);
}

/* ---- machine checks ------------------------------------------------------------------------ */

static void test_banks_that_hold_an_error_are_printed(void **state)
{
    (void)state;
    leaf(1, 0, 0, 0, CPUID_MCA);
    msr(MSR_MC_CAP, 0x1000c03); /* three banks */
    msr(MSR_MC_STATUS, 0);
    msr(MSR_MC_STATUS + 4, MC_VALID | MC_HAS_ADDRESS | 0x135);
    msr(MSR_MC_STATUS + 5, 0x12345000);
    msr(MSR_MC_STATUS + 8, MC_VALID | MC_HAS_MISC | 0x151);
    msr(MSR_MC_STATUS + 10, 0x8c);
    machine_check_print();
    assert_string_equal(host_console(),
                        "# machine check: bank 1 status 8400000000000135 address 0000000012345000\n"
                        "# machine check: bank 2 status 8800000000000151 misc 000000000000008c\n");
}

/* ---- the cycle counter --------------------------------------------------------------------- */

static void test_invariant(void **state)
{
    (void)state;
    assert_int_equal(arch_cycle_invariant(), -1);
    leaf(0x80000000, 0x80000006, 0, 0, 0);
    leaf(0x80000007, 0, 0, 0, 1u << 8); /* stale bits behind the last leaf say nothing */
    assert_int_equal(arch_cycle_invariant(), -1);
    leaves[0].says.eax = 0x80000008;
    assert_int_equal(arch_cycle_invariant(), 1);
    leaves[1].says.edx = ~(1u << 8);
    assert_int_equal(arch_cycle_invariant(), 0);
}

static void test_stated_frequency(void **state)
{
    assert_true(arch_cycle_hz_stated() == 0);
    leaf(0, 0x16, INTEL, 0, 0);
    leaf(0x15, 2, 216, 24000000, 0); /* Skylake client with its crystal: 2592 MHz */
    assert_true(arch_cycle_hz_stated() == 2592000000);
    start(state);
    leaf(0, 0x16, INTEL, 0, 0);
    leaf(0x15, 2, 216, 0, 0);
    leaf(0x16, 2600, 3500, 100, 0);
    assert_true(arch_cycle_hz_stated() == 2600000000);
    start(state);
    leaf(0, 0xd, INTEL, 0, 0);
    leaf(1, 0, 0, CPUID_HYPERVISOR, 0);
    leaf(0x40000000, 0x40000010, 0, 0, 0);
    leaf(0x40000010, 3000123, 1000000, 0, 0);
    assert_true(arch_cycle_hz_stated() == 3000123000);
    leaves[1].says.ecx = 0; /* no hypervisor: that range means nothing */
    assert_true(arch_cycle_hz_stated() == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_cpu_without_any_of_it, start),
        cmocka_unit_test_setup(test_a_limit_on_cpuid_is_lifted, start),
        cmocka_unit_test_setup(test_no_limit_nothing_touched, start),
        cmocka_unit_test_setup(test_memory_types_are_those_of_reset, start),
        cmocka_unit_test_setup(test_banks_that_hold_an_error_are_printed, start),
        cmocka_unit_test_setup(test_invariant, start),
        cmocka_unit_test_setup(test_stated_frequency, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
