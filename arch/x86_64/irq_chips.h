/* The interrupts that CPUs make themselves: timer, and what they send each other. */
#ifndef X86_IRQ_CHIPS_H
#define X86_IRQ_CHIPS_H

/* Adds their controllers. After lapic_init. */
void cpu_chips_init(void);

#endif
