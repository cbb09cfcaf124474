/* Interrupt descriptors against a simulated controller, and the pure part of the IO-APIC driver. */
#include "host.h"

#include "arch/x86_64/ioapic.h"
#include "core/cpu.h"
#include "core/errno.h"
#include "core/rng.h"
#include "irq/irq.h"

#include <string.h>

/* ---- the controller: what it was told, by number -------------------------------------------- */

#define FIRST 4
#define LINES 16
#define OWN   40 /* of each CPU */

static struct {
    bool on;
    unsigned acks, ends;
} line[IRQ_MAX];

static void enable(unsigned irq)
{
    line[irq].on = true;
}

static void disable(unsigned irq)
{
    line[irq].on = false;
}

static void ack(unsigned irq)
{
    line[irq].acks++;
}

static void end(unsigned irq)
{
    line[irq].ends++;
}

static const struct arch_irq_chip chip = {"simulated", enable, disable, ack, end};

void arch_irqs_init(void)
{
    irq_add_chip(&chip, FIRST, LINES, false);
    irq_add_chip(&chip, OWN, 1, true);
}

/* ---- a device -------------------------------------------------------------------------------- */

struct device {
    bool raised;    /* it has something to say */
    unsigned seen;  /* how often its handler found that */
    unsigned again; /* how often its interrupt comes once more while its handler runs */
};

static bool handle(unsigned irq, void *arg)
{
    struct device *d = arg;
    if (!d->raised)
        return false;
    d->seen++;
    assert_true(irq_describe(irq).status & (IRQ_INPROGRESS | IRQ_PER_CPU));
    if (d->again) {
        d->again--;
        assert_true(irq_enter(irq)); /* as if on another CPU */
    } else {
        d->raised = false;
    }
    return true;
}

static bool ignore(unsigned irq, void *arg)
{
    (void)irq, (void)arg;
    return false;
}

static void raise(unsigned irq, struct device *d)
{
    d->raised = true;
    assert_true(irq_enter(irq));
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_request_and_free(void **state)
{
    struct device d = {0};
    (void)state;
    assert_int_equal(irq_request(FIRST, handle, &d), 0);
    assert_true(line[FIRST].on);
    assert_int_equal(irq_request(FIRST, handle, &d), -TT_EBUSY);
    assert_int_equal(irq_request(FIRST - 1, handle, &d), -TT_ENODEV);
    assert_int_equal(irq_request(IRQ_MAX, handle, &d), -TT_ENODEV);
    raise(FIRST, &d);
    assert_int_equal(d.seen, 1);
    assert_int_equal(line[FIRST].acks, 1);
    assert_int_equal(line[FIRST].ends, 1);
    assert_null(irq_check());
    assert_int_equal(irq_free(FIRST, handle, &d), 0);
    assert_false(line[FIRST].on);
    assert_int_equal(irq_free(FIRST, handle, &d), -TT_ENOENT);
    assert_null(irq_check());
}

static void test_depth(void **state)
{
    struct device d = {0};
    (void)state;
    assert_int_equal(irq_enable(FIRST), -TT_EINVAL);
    irq_request(FIRST, handle, &d);
    irq_disable(FIRST);
    irq_disable(FIRST);
    assert_false(line[FIRST].on);
    raise(FIRST, &d); /* it was on its way */
    assert_int_equal(d.seen, 0);
    assert_int_equal(irq_enable(FIRST), 0);
    assert_false(line[FIRST].on);
    assert_int_equal(irq_enable(FIRST), 0);
    assert_true(line[FIRST].on);
    assert_int_equal(irq_enable(FIRST), -TT_EINVAL);
    raise(FIRST, &d);
    assert_int_equal(d.seen, 1);
    irq_free(FIRST, handle, &d);

    /* Disabled before it has an action: the action does not turn it on. */
    irq_disable(FIRST);
    irq_request(FIRST, handle, &d);
    assert_false(line[FIRST].on);
    assert_null(irq_check());
    irq_enable(FIRST);
    assert_true(line[FIRST].on);
    irq_free(FIRST, handle, &d);
}

static void test_shared(void **state)
{
    struct device d[3] = {{0}};
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(irq_request(FIRST + 1, handle, &d[i]), 0);
    raise(FIRST + 1, &d[2]);
    raise(FIRST + 1, &d[0]);
    assert_int_equal(d[0].seen + 10 * d[1].seen + 100 * d[2].seen, 101);
    assert_int_equal(irq_unhandled(FIRST + 1), 0);
    irq_free(FIRST + 1, handle, &d[1]); /* from the middle */
    assert_null(irq_check());
    raise(FIRST + 1, &d[2]);
    assert_int_equal(d[2].seen, 2);
    irq_free(FIRST + 1, handle, &d[0]);
    assert_true(line[FIRST + 1].on);
    irq_free(FIRST + 1, handle, &d[2]);
    assert_false(line[FIRST + 1].on);
}

static void test_what_comes_while_it_runs_is_not_lost(void **state)
{
    struct device d = {.again = 3};
    (void)state;
    irq_request(FIRST + 2, handle, &d);
    raise(FIRST + 2, &d);
    assert_int_equal(d.seen, 4);
    assert_int_equal(irq_describe(FIRST + 2).status, 0);
    irq_free(FIRST + 2, handle, &d);
}

static void test_counts_are_per_cpu(void **state)
{
    struct device d = {0};
    uint64_t before = irq_count(FIRST, 0);
    (void)state;
    irq_request(FIRST, handle, &d);
    host_cpu = 3;
    raise(FIRST, &d);
    raise(FIRST, &d);
    host_cpu = 0;
    raise(FIRST, &d);
    assert_int_equal(irq_count(FIRST, 3), 2);
    assert_int_equal(irq_count(FIRST, 0), before + 1);
    irq_free(FIRST, handle, &d);
}

static void test_per_cpu_interrupts_do_not_wait_for_each_other(void **state)
{
    struct device d = {.again = 2};
    (void)state;
    irq_request(OWN, handle, &d);
    raise(OWN, &d); /* each of the nested ones runs at once */
    assert_int_equal(d.seen, 3);
    assert_int_equal(irq_describe(OWN).status, IRQ_PER_CPU);
    irq_free(OWN, handle, &d);
    assert_null(irq_check());
}

static void test_unhandled_ones_are_counted_and_shut_off(void **state)
{
    struct device d = {0};
    unsigned irq = FIRST + 3;
    (void)state;
    irq_request(irq, ignore, NULL);
    irq_request(irq, handle, &d);
    for (unsigned i = 0; i < IRQ_UNHANDLED_MAX - 1; i++)
        irq_enter(irq);
    raise(irq, &d); /* a known one starts the count anew */
    for (unsigned i = 0; i < IRQ_UNHANDLED_MAX - 1; i++)
        irq_enter(irq);
    assert_true(line[irq].on);
    irq_enter(irq);
    assert_false(line[irq].on);
    assert_true(irq_describe(irq).status & IRQ_SHUT);
    assert_int_equal(irq_unhandled(irq), 2 * IRQ_UNHANDLED_MAX - 1);
    irq_disable(irq);
    irq_enable(irq);
    assert_false(line[irq].on); /* stays off */
    assert_null(irq_check());
    irq_free(irq, ignore, NULL);
    irq_free(irq, handle, &d);
    assert_int_equal(irq_request(irq, handle, &d), 0); /* a new driver may try */
    assert_true(line[irq].on);
    irq_free(irq, handle, &d);
}

static void test_numbers_of_nobody(void **state)
{
    uint64_t before = irq_spurious();
    (void)state;
    assert_false(irq_enter(IRQ_MAX - 1));
    assert_int_equal(irq_spurious(), before + 1);
}

/* Every stride and offset: the records keep their contents, lie where they should, and work. */
static void test_layouts(void **state)
{
    static const char *const texts[] = {"16", "32", "64", "128", "16+4", "64+32", "128+124"};
    struct device d[LINES] = {{0}};
    (void)state;
    for (unsigned i = 0; i < LINES; i++)
        irq_request(FIRST + i, handle, &d[i]);
    irq_disable(FIRST + 5);
    for (unsigned t = 0; t < ARRAY_SIZE(texts); t++) {
        struct irq_layout l;
        char err[80];
        assert_int_equal(irq_layout_parse(texts[t], &l, err, sizeof err), 0);
        irq_set_layout(&l);
        assert_int_equal((uintptr_t)irq_desc_base() % PAGE_SIZE, l.offset_bytes);
        const struct irq_desc *there =
            (const void *)((const char *)irq_desc_base() + (FIRST + 5) * l.stride_bytes);
        assert_int_equal(there->depth, 1);
        assert_null(irq_check());
        for (unsigned i = 0; i < LINES; i++)
            raise(FIRST + i, &d[i]);
        assert_int_equal(d[0].seen, t + 1);
        assert_int_equal(d[5].seen, 0);
    }
    irq_set_layout(&IRQ_LAYOUT_POSTED);
    irq_enable(FIRST + 5);
    for (unsigned i = 0; i < LINES; i++)
        irq_free(FIRST + i, handle, &d[i]);
}

static void test_wrong_layouts(void **state)
{
    static const char *const texts[] = {"",     "8",  "24", "256",   "16+", "16+2",  "16+128",
                                        "16+x", "+4", "x",  "16 +4", "-16", "16+4+4"};
    (void)state;
    for (unsigned t = 0; t < ARRAY_SIZE(texts); t++) {
        struct irq_layout l;
        char err[120] = "";
        assert_int_equal(irq_layout_parse(texts[t], &l, err, sizeof err), -TT_EINVAL);
        assert_non_null(strstr(err, "16, 32, 64 or 128"));
    }
}

/* Random operations: the whole-structure check after each of them. */
static void test_random_operations(void **state)
{
    static struct device d[8];
    struct rng rng = {7};
    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        unsigned irq = FIRST + rng_below(&rng, 3);
        struct device *which = &d[rng_below(&rng, ARRAY_SIZE(d))];
        switch (rng_below(&rng, 6)) {
        case 0:
            irq_request(irq, handle, which);
            break;
        case 1:
            irq_free(irq, handle, which);
            break;
        case 2:
            if (irq_describe(irq).depth < 3)
                irq_disable(irq);
            break;
        case 3:
            irq_enable(irq);
            break;
        default:
            raise(irq, which);
        }
        const char *broken = irq_check();
        if (broken)
            fail_msg("%s", broken);
        struct irq_desc now = irq_describe(irq);
        assert_int_equal(line[irq].on, !(now.status & IRQ_DISABLED));
    }
}

/* ---- the IO-APIC driver's pure part ------------------------------------------------------------
 */

static void test_overrides(void **state)
{
    struct madt m = {.overrides = 2, .override = {{0, 2, false, false}, {9, 20, true, true}}};
    (void)state;
    assert_int_equal(isa_line_of(&m, 0).gsi, 2);
    assert_int_equal(isa_line_of(&m, 4).gsi, 4);
    assert_true(isa_line_of(&m, 9).low && isa_line_of(&m, 9).level);
    assert_false(gsi_line_of(&m, 2).level); /* the timer, which is not where it was */
    assert_true(gsi_line_of(&m, 20).level);
    assert_true(gsi_line_of(&m, 17).level && gsi_line_of(&m, 17).low); /* PCI */
}

static void test_entries(void **state)
{
    (void)state;
    struct isa_line edge = {4, false, false}, pci = {17, true, true};
    assert_true(ioapic_entry(edge, 0x34, 0) == 0x10034);
    assert_true(ioapic_entry(pci, 0x41, 3) == 0x030000000001a041);
    assert_true(ioapic_entry_to(0x030000000000a041, 254) == 0xfe0000000000a041);
}

static int init(void **state)
{
    (void)state;
    irq_init();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request_and_free),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_what_comes_while_it_runs_is_not_lost),
        cmocka_unit_test(test_counts_are_per_cpu),
        cmocka_unit_test(test_per_cpu_interrupts_do_not_wait_for_each_other),
        cmocka_unit_test(test_unhandled_ones_are_counted_and_shut_off),
        cmocka_unit_test(test_numbers_of_nobody),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_wrong_layouts),
        cmocka_unit_test(test_random_operations),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_entries),
    };
    return cmocka_run_group_tests(tests, init, NULL);
}
