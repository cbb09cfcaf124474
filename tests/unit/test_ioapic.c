/*
 * The IO-APIC driver on simulated controllers: everything off at first, halves that belong
 * together, levels masked while they are served, and who can be reached.
 */
#include "host.h"

#include "arch/x86_64/ioapic.c"
#include "arch/x86_64/ioapic_line.c"

#include <string.h>

#define AT(i)  (0xfec00000ul + 0x1000 * (i))
#define UNITS  3
#define PINS   24
#define MASKED 0x10000u

static struct {
    uint32_t select;
    uint32_t version;
    uint32_t low[PINS], high[PINS];
} unit[UNITS];

static struct madt madt;
static bool has_madt;
static uint32_t number_of_cpu[2];
static unsigned eois;
static bool served;    /* set up: from now on a level stays a level */
static uint8_t pic[2]; /* masks of the 8259s */
static struct {
    const struct arch_irq_chip *chip;
    unsigned first, n;
} added[UNITS];
static unsigned added_count;

/* ---- the machine --------------------------------------------------------------------------- */

static unsigned unit_of(const volatile void *at, unsigned *offset)
{
    uintptr_t a = (uintptr_t)at - AT(0);
    *offset = a & 0xfff;
    if (a >> 12 >= UNITS || (*offset != 0 && *offset != 0x10))
        fail_msg("no IO-APIC is at %p", (const void *)(uintptr_t)at);
    return (unsigned)(a >> 12);
}

uint32_t mmio_read32(const volatile void *at)
{
    unsigned offset, u = unit_of(at, &offset);
    assert_int_equal(offset, 0x10);
    assert_int_equal(unit[u].select, 1);
    return unit[u].version;
}

void mmio_write32(volatile void *at, uint32_t v)
{
    unsigned offset, u = unit_of(at, &offset);
    if (offset == 0) {
        unit[u].select = v;
        return;
    }
    unsigned pin = (unit[u].select - 0x10) / 2;
    assert_in_range(unit[u].select, 0x10, 0x10 + 2 * PINS - 1);
    if (unit[u].select & 1) {
        assert_true(unit[u].low[pin] & MASKED); /* or an interrupt may go to nowhere */
        unit[u].high[pin] = v;
    } else {
        if (served)
            assert_int_equal(v & ENTRY_LEVEL, unit[u].low[pin] & ENTRY_LEVEL);
        unit[u].low[pin] = v;
    }
}

uint8_t inb(uint16_t port)
{
    fail_msg("port 0x%x is read", port);
    return 0;
}

void outb(uint16_t port, uint8_t v)
{
    assert_true(port == 0x21 || port == 0xa1);
    pic[port == 0xa1] = v;
}

volatile void *arch_map_device(phys_t a, size_t bytes)
{
    (void)bytes;
    return (volatile void *)(uintptr_t)a.a;
}

const struct madt *topology_madt(void)
{
    return has_madt ? &madt : NULL;
}

int lapic_init(const struct madt *m, const char **why)
{
    (void)why;
    assert_true(!m->has_pic || (pic[0] == 0xff && pic[1] == 0xff)); /* masked before LINT0 is */
    return 0;
}

uint32_t lapic_id(void)
{
    return number_of_cpu[0];
}

void lapic_eoi(void)
{
    eois++;
}

uint32_t percpu_apic_id(unsigned id)
{
    return number_of_cpu[id];
}

void percpu_set_apic_id(unsigned id, uint32_t apic_id)
{
    number_of_cpu[id] = apic_id;
}

void cpu_chips_init(void)
{
}

void irq_add_chip(const struct arch_irq_chip *c, unsigned first, unsigned n, bool per_cpu)
{
    assert_false(per_cpu);
    added[added_count].chip = c;
    added[added_count].first = first;
    added[added_count++].n = n;
}

static int start(void **state)
{
    (void)state;
    memset(unit, 0, sizeof unit); /* every pin open, as no firmware should leave it */
    for (unsigned u = 0; u < UNITS; u++)
        unit[u].version = (PINS - 1) << 16 | 0x20;
    madt = (struct madt){.has_pic = true,
                         .ioapics = UNITS,
                         .ioapic = {{0, AT(0), 0}, {1, AT(1), 24}, {2, AT(2), 48}},
                         .overrides = 2,
                         .override = {{0, 2, false, false}, {9, 9, true, true}}};
    has_madt = true;
    number_of_cpu[0] = 0;
    number_of_cpu[1] = 254;
    eois = count = added_count = 0;
    served = false;
    pic[0] = pic[1] = 0;
    memset(entries, 0, sizeof entries);
    return 0;
}

/* ---- tests --------------------------------------------------------------------------------- */

static void test_everything_is_off_at_first(void **state)
{
    (void)state;
    arch_irqs_init();
    for (unsigned u = 0; u < UNITS; u++)
        for (unsigned pin = 0; pin < PINS; pin++)
            assert_true(unit[u].low[pin] & MASKED);
    assert_int_equal(pic[0], 0xff);
    assert_int_equal(pic[1], 0xff);
    assert_int_equal(added_count, 2); /* the third has no number below IRQ_DEVICES */
    assert_int_equal(added[1].first, 24);
    assert_int_equal(added[1].n, 24);
}

static void test_one_that_is_not_there(void **state)
{
    (void)state;
    unit[1].version = 0xffffffff;
    arch_irqs_init();
    assert_int_equal(added_count, 1);
    assert_true(ioapic_has(23));
    assert_false(ioapic_has(24));
}

static void test_no_8259(void **state)
{
    (void)state;
    madt.has_pic = false;
    arch_irqs_init();
    assert_int_equal(pic[0] + pic[1], 0);
    assert_int_equal(added_count, 2);
}

static void test_no_table(void **state)
{
    (void)state;
    has_madt = false;
    arch_irqs_init();
    assert_int_equal(added_count, 0);
    assert_int_equal(arch_irq_of_isa(4), -TT_ENODEV);
}

static void test_isa_lines_are_where_the_table_says(void **state)
{
    (void)state;
    arch_irqs_init();
    assert_int_equal(arch_irq_of_isa(0), 2);
    assert_int_equal(arch_irq_of_isa(4), 4);
    assert_int_equal(arch_irq_of_isa(16), -TT_ENODEV);
    chip.enable(9);
    assert_int_equal(unit[0].low[9], (VECTOR_IRQ_BASE + 9) | ENTRY_LOW | ENTRY_LEVEL);
    chip.enable(4);
    assert_int_equal(unit[0].low[4], VECTOR_IRQ_BASE + 4);
}

static void test_a_level_is_masked_until_it_is_served(void **state)
{
    (void)state;
    arch_irqs_init();
    served = true;
    chip.enable(20);
    chip.enable(4);
    assert_false(unit[0].low[20] & MASKED);
    chip.ack(20);
    assert_int_equal(eois, 1);
    assert_true(unit[0].low[20] & MASKED);
    chip.end(20);
    assert_false(unit[0].low[20] & MASKED);
    chip.ack(4);
    assert_int_equal(eois, 2);
    assert_false(unit[0].low[4] & MASKED); /* an edge that came meanwhile would be lost */
}

static void test_routes(void **state)
{
    (void)state;
    arch_irqs_init();
    chip.enable(4);
    assert_null(arch_irq_route(4, 1));
    assert_int_equal(unit[0].high[4], 254u << 24);
    assert_int_equal(unit[0].low[4], VECTOR_IRQ_BASE + 4); /* as it was, and open */
    assert_null(arch_irq_route(4, 0));
    assert_int_equal(unit[0].high[4], 0);
    assert_non_null(strstr(arch_irq_route(47 + 1, 0), "no IO-APIC"));
}

/* 255 would be all of them, and 256 would be 0. */
static void test_cpus_that_an_ioapic_cannot_name(void **state)
{
    static const uint32_t far[] = {255, 256, 0x12345678};
    (void)state;
    arch_irqs_init();
    for (unsigned i = 0; i < ARRAY_SIZE(far); i++) {
        number_of_cpu[1] = far[i];
        assert_non_null(strstr(arch_irq_route(4, 1), "interrupt remapping"));
        assert_int_equal(ioapic_nmi(0, far[i], true), -TT_ENODEV);
        assert_int_equal(unit[0].high[4], 0);
    }
    /* The first CPU is one: then no device has an interrupt, and none gets a wrong one. */
    start(state);
    number_of_cpu[0] = 256;
    arch_irqs_init();
    assert_int_equal(added_count, 0);
    assert_int_equal(arch_irq_of_isa(4), -TT_ENODEV);
    for (unsigned pin = 0; pin < PINS; pin++)
        assert_true(unit[0].low[pin] & MASKED);
}

static void test_a_line_as_nmi(void **state)
{
    (void)state;
    arch_irqs_init();
    assert_int_equal(ioapic_nmi(0, 3, true), 0);
    assert_int_equal(unit[0].low[2], ENTRY_NMI);
    assert_int_equal(unit[0].high[2], 3u << 24);
    assert_int_equal(ioapic_nmi(0, 3, false), 0);
    assert_true(unit[0].low[2] & MASKED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_everything_is_off_at_first, start),
        cmocka_unit_test_setup(test_one_that_is_not_there, start),
        cmocka_unit_test_setup(test_no_8259, start),
        cmocka_unit_test_setup(test_no_table, start),
        cmocka_unit_test_setup(test_isa_lines_are_where_the_table_says, start),
        cmocka_unit_test_setup(test_a_level_is_masked_until_it_is_served, start),
        cmocka_unit_test_setup(test_routes, start),
        cmocka_unit_test_setup(test_cpus_that_an_ioapic_cannot_name, start),
        cmocka_unit_test_setup(test_a_line_as_nmi, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
