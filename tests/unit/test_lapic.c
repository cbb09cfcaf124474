/*
 * The local APIC driver, whole, on a simulated CPU in both modes: how it is turned on from whatever
 * firmware left, messages, ends of interrupts. QEMU's TCG has no x2APIC, and firmware that left one
 * on, or CPU numbers above 254, no emulator shows.
 */
#include "apic_machine.h"

#include "arch/x86_64/lapic.c"

#include <string.h>

static unsigned entered; /* what irq_enter got, + 1 */
static bool known;

bool irq_enter(unsigned irq)
{
    entered = irq + 1;
    return known;
}

/* The driver as it is when the machine starts. */
static int start(void **state)
{
    (void)state;
    apic_reset();
    ready = x2 = false;
    page = NULL;
    lints = 1 << 1;
    low = 0;
    entered = 0;
    return 0;
}

static void init(const struct madt *m)
{
    const char *why = NULL;
    assert_int_equal(lapic_init(m, &why), 0);
    assert_null(why);
}

static const struct madt small = {.cpus = 2, .apic_id = {0, 1}, .highest_id = 1};

static void firmware_left_x2apic_on(void)
{
    apic.base |= APIC_X2;
}

/* ---- modes --------------------------------------------------------------------------------- */

static void test_no_apic(void **state)
{
    const char *why = NULL;
    (void)state;
    apic.cpuid1_edx = 0;
    assert_int_equal(lapic_init(&small, &why), -TT_ENODEV);
    assert_non_null(strstr(why, "no local APIC"));
}

static void test_xapic_is_the_choice_where_nothing_asks_for_more(void **state)
{
    (void)state;
    init(&small);
    assert_int_equal(apic.base & (APIC_ON | APIC_X2), APIC_ON);
    assert_int_equal(lapic_id_leaf(), 1);
    apic.id = 254;
    assert_int_equal(lapic_id(), 254);
    assert_true(lapic_reaches(254));
    assert_false(lapic_reaches(255));
}

static void test_an_apic_that_is_off_is_turned_on(void **state)
{
    (void)state;
    apic.base = APIC_PAGE;
    init(&small);
    assert_int_equal(apic.base & (APIC_ON | APIC_X2), APIC_ON);
}

/* The page is not there then, and cannot be had back on machines that lock it. */
static void test_x2apic_stays_on_if_firmware_left_it_on(void **state)
{
    (void)state;
    firmware_left_x2apic_on();
    init(&small);
    assert_true(apic.base & APIC_X2);
    assert_null(page);
    assert_int_equal(lapic_id_leaf(), 0xb);
    apic.id = 0x12345678;
    assert_int_equal(lapic_id(), 0x12345678);
    assert_true(lapic_reaches(0xfffffffe));
}

static void test_numbers_above_254_turn_x2apic_on(void **state)
{
    struct madt large = {.highest_id = 255};
    (void)state;
    init(&large);
    assert_true(apic.base & APIC_X2);
    assert_true(lapic_reaches(255));
}

static void test_numbers_above_254_without_x2apic_are_out_of_reach(void **state)
{
    struct madt large = {.highest_id = 300};
    (void)state;
    apic.cpuid1_ecx = 0;
    init(&large);
    assert_false(apic.base & APIC_X2);
    assert_false(lapic_reaches(300));
}

/* A further CPU gets the mode of the first, from whatever mode it comes in. */
static void test_all_cpus_are_in_one_mode(void **state)
{
    const uint64_t modes[] = {0, APIC_ON, APIC_ON | APIC_X2};
    for (unsigned first = 1; first < 3; first++) {
        for (unsigned next = 0; next < 3; next++) {
            start(state);
            apic.base = APIC_PAGE | modes[first];
            init(&small);
            apic_reset();
            apic.base = APIC_PAGE | modes[next];
            lapic_enable();
            assert_int_equal(apic.base, APIC_PAGE | modes[first]);
        }
    }
}

/* ---- turning on ---------------------------------------------------------------------------- */

static void in_both_modes(void **state, void (*test)(void))
{
    test();
    start(state);
    firmware_left_x2apic_on();
    test();
}

/* After INIT all lines are masked until the APIC is on: LINT1 has to be set behind that. */
static void enabled(void)
{
    apic.reg[REG_TPR] = 0x20;
    init(&small);
    assert_int_equal(apic.reg[REG_SVR], 0x1ff);
    assert_int_equal(apic.reg[REG_TPR], 0);
    assert_int_equal(apic.reg[REG_LVT_TIMER], LVT_MASKED);
    assert_int_equal(apic.reg[REG_LVT_LINT0], LVT_MASKED);
    assert_int_equal(apic.reg[REG_LVT_LINT1], LVT_NMI);
    assert_int_equal(apic.reg[REG_LVT_ERROR], LVT_MASKED);
}

static void test_enabled(void **state)
{
    in_both_modes(state, enabled);
}

/* A timer that runs, counters that interrupt, the old controllers' line, interrupts not ended. */
static void leftovers(void)
{
    apic.reg[REG_SVR] = 0x1ef;
    apic.reg[REG_LVT_TIMER] = 0x20040;
    apic.reg[REG_TIMER_INITIAL] = 1000;
    apic.reg[REG_LVT_LINT0] = 0x700;
    apic.reg[REG_LVT_COUNTERS] = 0x400;
    apic.reg[REG_LVT_THERMAL] = 0x200; /* an SMI: firmware's business */
    apic.reg[REG_LVT_CMCI] = 0xf4;
    apic.reg[REG_ISR + 1] = 1u << 8 | 1u << 30;
    apic.reg[REG_ISR + 7] = 1u << 31;
    init(&small);
    assert_int_equal(apic.reg[REG_LVT_TIMER], LVT_MASKED);
    assert_int_equal(apic.reg[REG_TIMER_INITIAL], 0);
    assert_int_equal(apic.reg[REG_LVT_LINT0], LVT_MASKED);
    assert_int_equal(apic.reg[REG_LVT_COUNTERS], LVT_MASKED);
    assert_int_equal(apic.reg[REG_LVT_THERMAL], 0x200);
    assert_int_equal(apic.reg[REG_LVT_CMCI], LVT_MASKED);
    assert_int_equal(apic.eois, 3);
}

static void test_what_firmware_left_is_cleared(void **state)
{
    in_both_modes(state, leftovers);
}

/* In-service bits that never clear: the wait is bounded. */
static void stuck(void)
{
    apic.reg[REG_ISR + 2] = 0xffffffff;
    init(&small);
    assert_int_equal(apic.eois, OPEN_MAX);
}

static void test_interrupts_that_do_not_end_do_not_hang(void **state)
{
    in_both_modes(state, stuck);
}

/* Registers that older APICs have not: the simulated machine would fail the test. */
static void old(void)
{
    for (unsigned last = 3; last <= 6; last++) {
        apic.last_lvt = last;
        lapic_enable();
    }
}

static void test_only_registers_that_are_there(void **state)
{
    init(&small);
    old();
    start(state);
    firmware_left_x2apic_on();
    init(&small);
    old();
}

static void nmi_lines(void)
{
    struct madt m = {.nmi_lints = 1, .nmi_low = 1};
    init(&m);
    assert_int_equal(apic.reg[REG_LVT_LINT0], LVT_NMI | LVT_LOW);
    assert_int_equal(apic.reg[REG_LVT_LINT1], LVT_MASKED);
}

static void test_nmi_lines_are_as_the_table_says(void **state)
{
    in_both_modes(state, nmi_lines);
}

/* ---- messages ------------------------------------------------------------------------------ */

static void messages(uint32_t to)
{
    apic.messages = 0;
    lapic_send_init(to);
    lapic_send_startup(to, 0x9f);
    lapic_send(to, 0x61);
    lapic_send_nmi(to);
    assert_int_equal(apic.messages, 4);
    assert_true(apic.message[0] == ((uint64_t)to << 32 | 0x4500)); /* INIT, assert, edge */
    assert_true(apic.message[1] == ((uint64_t)to << 32 | 0x469f));
    assert_true(apic.message[2] == ((uint64_t)to << 32 | 0x4061));
    assert_true(apic.message[3] == ((uint64_t)to << 32 | 0x4400));
}

static void test_messages(void **state)
{
    init(&small);
    messages(3);
    messages(254);
    start(state);
    firmware_left_x2apic_on();
    init(&small);
    messages(3);
    messages(255);
    messages(0x12345678);
}

/* Writing the low half is what sends. */
static void test_xapic_writes_the_high_half_first(void **state)
{
    (void)state;
    init(&small);
    apic.order[0] = '\0';
    lapic_send(1, 0x40);
    assert_string_equal(apic.order, "high low");
}

static void test_xapic_waits_for_the_message_before(void **state)
{
    (void)state;
    init(&small);
    apic.busy = 1000;
    lapic_send(1, 0x40);
    assert_int_equal(apic.busy, 0);
    assert_int_equal(apic.messages, 1);
    apic.busy = UINT32_MAX; /* it never leaves: not for ever */
    apic.icr_reads = 0;
    lapic_send(1, 0x41);
    assert_int_equal(apic.icr_reads, SEND_POLLS);
    assert_int_equal(apic.messages, 2);
}

/* One write, which does not wait for what was stored before it: the fence does. */
static void test_x2apic_writes_once_behind_a_fence(void **state)
{
    (void)state;
    firmware_left_x2apic_on();
    init(&small);
    apic.order[0] = '\0';
    apic.icr_reads = 0;
    lapic_send(1, 0x40);
    assert_string_equal(apic.order, "fence icr");
    assert_int_equal(apic.icr_unfenced, 0);
    assert_int_equal(apic.icr_reads, 0);
}

/* ---- taking -------------------------------------------------------------------------------- */

static void take(unsigned vector, bool somebody_knows)
{
    struct trap_frame f = {.vector = vector};
    known = somebody_knows;
    entered = apic.eois = 0;
    interrupt_enter(&f);
}

static void taking(void)
{
    init(&small);
    take(VECTOR_SPURIOUS, false);
    assert_int_equal(apic.eois, 0); /* it is not in service: an end would end another one */
    assert_int_equal(entered, 0);
    take(VECTOR_WAKE, false);
    assert_int_equal(apic.eois, 1);
    assert_int_equal(entered, 0);
    take(VECTOR_IRQ_BASE + 5, true);
    assert_int_equal(apic.eois, 0); /* whoever owns it ends it */
    assert_int_equal(entered, 5 + 1);
    take(VECTOR_IRQ_BASE + 5, false);
    assert_int_equal(apic.eois, 1);
}

static void test_what_is_taken_is_ended_once(void **state)
{
    in_both_modes(state, taking);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_no_apic, start),
        cmocka_unit_test_setup(test_xapic_is_the_choice_where_nothing_asks_for_more, start),
        cmocka_unit_test_setup(test_an_apic_that_is_off_is_turned_on, start),
        cmocka_unit_test_setup(test_x2apic_stays_on_if_firmware_left_it_on, start),
        cmocka_unit_test_setup(test_numbers_above_254_turn_x2apic_on, start),
        cmocka_unit_test_setup(test_numbers_above_254_without_x2apic_are_out_of_reach, start),
        cmocka_unit_test_setup(test_all_cpus_are_in_one_mode, start),
        cmocka_unit_test_setup(test_enabled, start),
        cmocka_unit_test_setup(test_what_firmware_left_is_cleared, start),
        cmocka_unit_test_setup(test_interrupts_that_do_not_end_do_not_hang, start),
        cmocka_unit_test_setup(test_only_registers_that_are_there, start),
        cmocka_unit_test_setup(test_nmi_lines_are_as_the_table_says, start),
        cmocka_unit_test_setup(test_messages, start),
        cmocka_unit_test_setup(test_xapic_writes_the_high_half_first, start),
        cmocka_unit_test_setup(test_xapic_waits_for_the_message_before, start),
        cmocka_unit_test_setup(test_x2apic_writes_once_behind_a_fence, start),
        cmocka_unit_test_setup(test_what_is_taken_is_ended_once, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
