/*
 * Segments, task state and interrupt table (AMD64 Architecture Programmer's Manual vol. 2, ch. 4
 * and 8; Intel SDM vol. 3, ch. 3, 6, 7). Called by arch_init, afterwards a fault reports; and by
 * each further CPU, which has segments and task state of its own and shares the interrupt table.
 */
#include "desc.h"

#include "core/cpu.h"
#include "stacks.h"

#include <stddef.h>
#include <stdint.h>

struct __attribute__((packed)) table_pointer {
    uint16_t limit;
    uint64_t base;
};

struct __attribute__((packed)) tss {
    uint32_t reserved0;
    uint64_t rsp[3]; /* for entries from user mode, which does not exist */
    uint64_t reserved1;
    uint64_t ist[7]; /* ist[i - 1] is number i of enum ist */
    uint64_t reserved2;
    uint16_t reserved3;
    uint16_t io_map; /* past the limit: no I/O bitmap */
};

struct gate {
    uint16_t offset0;
    uint16_t selector;
    uint8_t ist;
    uint8_t type;
    uint16_t offset1;
    uint32_t offset2;
    uint32_t reserved;
};

_Static_assert(sizeof(struct tss) == 104 && sizeof(struct gate) == 16, "fixed by hardware");

#define GATE_INTERRUPT 0x8e /* present, ring 0, interrupts off on entry */
#define TSS_AVAILABLE  0x89

struct segments {
    uint64_t gdt[5];
    struct tss tss;
};

static PER_CPU(struct segments, segments);
static struct gate idt[IDT_VECTORS];

/* trap_entry.S: where each vector enters, one behind the other. */
extern const char trap_stubs[];

static unsigned ist_of(unsigned vector)
{
    switch (vector) {
    case VECTOR_NMI:
        return IST_NMI;
    case VECTOR_DOUBLE_FAULT:
        return IST_DOUBLE_FAULT;
    case VECTOR_MACHINE_CHECK:
        return IST_MACHINE_CHECK;
    default:
        return 0; /* the interrupted stack, so that handlers may nest */
    }
}

static void fill_segments(struct segments *s)
{
    uint64_t base = (uint64_t)&s->tss, limit = sizeof(s->tss) - 1;

    s->tss.io_map = sizeof(s->tss);
    s->gdt[SELECTOR_CODE / 8] = DESCRIPTOR_CODE;
    s->gdt[SELECTOR_DATA / 8] = DESCRIPTOR_DATA;
    s->gdt[SELECTOR_TSS / 8] =
        limit | (base & 0xffffff) << 16 | (uint64_t)TSS_AVAILABLE << 40 | (base >> 24 & 0xff) << 56;
    s->gdt[SELECTOR_TSS / 8 + 1] = base >> 32;
}

static void fill_idt(void)
{
    for (unsigned v = 0; v < IDT_VECTORS; v++) {
        uint64_t at = (uint64_t)&trap_stubs[v * TRAP_STUB_BYTES];

        idt[v] = (struct gate){
            .offset0 = (uint16_t)at,
            .selector = SELECTOR_CODE,
            .ist = (uint8_t)ist_of(v),
            .type = GATE_INTERRUPT,
            .offset1 = (uint16_t)(at >> 16),
            .offset2 = (uint32_t)(at >> 32),
        };
    }
}

void desc_set_ist(unsigned id, unsigned i, uint64_t top)
{
    cpu_of(segments, id).tss.ist[i - 1] = top;
}

uint64_t desc_ist(unsigned id, unsigned i)
{
    return cpu_of(segments, id).tss.ist[i - 1];
}

void desc_load(unsigned id)
{
    struct segments *s = &cpu_of(segments, id);
    struct table_pointer gdt_pointer = {sizeof(s->gdt) - 1, (uint64_t)s->gdt};
    struct table_pointer idt_pointer = {sizeof(idt) - 1, (uint64_t)idt};

    fill_segments(s);
    __asm__ volatile("lgdt %0\n\t"
                     "pushq %2\n\t" /* a far return is the way to load cs */
                     "leaq 1f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "lretq\n"
                     "1:\n\t"
                     "movl %3, %%eax\n\t"
                     "movl %%eax, %%ds\n\t"
                     "movl %%eax, %%es\n\t"
                     "movl %%eax, %%ss\n\t"
                     "ltr %w4\n\t"
                     "lidt %1"
                     :
                     : "m"(gdt_pointer), "m"(idt_pointer), "i"(SELECTOR_CODE), "i"(SELECTOR_DATA),
                       "r"(SELECTOR_TSS)
                     : "rax", "memory");
}

void desc_init(void)
{
    fill_idt();
    for (unsigned i = IST_DOUBLE_FAULT; i < IST_END; i++)
        desc_set_ist(0, i, (uint64_t)(ist_stack[i - 1].stack + IST_STACK_BYTES));
    desc_load(0);
}
