/*
 * Interrupt descriptors and dispatch, laid out as Linux 2.2 had them on i386: one record of four
 * 32-bit words per interrupt, one lock over all of them, counts kept elsewhere per CPU.
 *
 * A word that was a pointer there is the index of a table here, so that the record keeps its 16
 * bytes on every machine. Stride and offset of the records are chosen at run time (irq_desc=): the
 * factor of seed 000, where four records of 16 bytes share a line of 64 and every CPU that takes
 * an interrupt writes to its own of them.
 *
 * Handlers run with interrupts off, on the CPU that was interrupted; no newlib, no floating point,
 * no output. Numbers are the port's (arch.h), below IRQ_MAX.
 */
#ifndef TT_IRQ_IRQ_H
#define TT_IRQ_IRQ_H

#include "arch.h"
#include "irq/layout.h"

/* One record; touched only under the lock, as there. */
struct irq_desc {
    uint32_t status; /* enum irq_status */
    uint32_t chip;   /* index of its controller; 0: nobody's */
    uint32_t action; /* index of the first action; 0: none */
    uint32_t depth;  /* how often it was disabled */
};
_Static_assert(sizeof(struct irq_desc) == IRQ_DESC_BYTES, "as posted");

enum irq_status {
    IRQ_INPROGRESS = 1, /* its actions run on some CPU */
    IRQ_DISABLED = 2,   /* depth > 0, or no action */
    IRQ_PENDING = 4,    /* it came while it was in progress or disabled */
    IRQ_SHUT = 8,       /* given up: IRQ_UNHANDLED_MAX in a row that no action knew */
    IRQ_PER_CPU = 16,   /* each CPU has its own: never "in progress", nobody waits for another */
};

/* No device raises thousands of interrupts in a row that its own handler does not know. */
#define IRQ_UNHANDLED_MAX 1000

/* Finds the port's controllers. Once, after arch_vm_init. */
void irq_init(void);

/* Returns whether the device of this action had raised the interrupt. */
typedef bool (*irq_handler)(unsigned irq, void *arg);

/*
 * Adds an action behind those that are there, and turns the interrupt on with the first one. 0,
 * -TT_ENODEV (no controller has this number), -TT_ENOSPC (no action left) or -TT_EBUSY (this
 * handler is there with the same arg).
 */
int irq_request(unsigned irq, irq_handler handler, void *arg);

/*
 * Takes that action away; turns the interrupt off with the last one. 0 or -TT_ENOENT. When it
 * returns the handler runs nowhere: not to be called by it. (Of IRQ_PER_CPU interrupts the caller
 * has to see to that.)
 */
int irq_free(unsigned irq, irq_handler handler, void *arg);

/*
 * Off and on again; nests. An edge that comes in between is forgotten. enable without a disable
 * before it: -TT_EINVAL.
 */
int irq_disable(unsigned irq);
int irq_enable(unsigned irq);

/* How often it came, on one CPU; and how often no action knew it, on all of them. */
uint64_t irq_count(unsigned irq, unsigned cpu);
uint64_t irq_unhandled(unsigned irq);

/* Interrupts of numbers that no controller owns, on all CPUs. */
uint64_t irq_spurious(void);

/* A copy of the record, for tests and reports. */
struct irq_desc irq_describe(unsigned irq);

/* Moves all records to another layout; none of them is lost. No interrupt may be in progress. */
void irq_set_layout(const struct irq_layout *l);

/* Where they are now: of record 0, and their distance (for the cache model's ranges). */
const void *irq_desc_base(void);

/* NULL, or what is broken: status against depth and actions, chains, tables. */
const char *irq_check(void);

#endif
