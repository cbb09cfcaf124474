/*
 * The two cascaded 8259A of the ISA bridge, as the firmware has set them up: interrupt numbers and
 * masks. PALcode reads their vector when a device interrupts.
 */
#ifndef ALPHA_I8259_H
#define ALPHA_I8259_H

#define ISA_IRQS 16

/* Masks all lines. Once. */
void pic_init(void);

void pic_unmask(unsigned irq);
void pic_mask(unsigned irq);

/* Masks it and says that it has been taken. */
void pic_mask_ack(unsigned irq);

#endif
