/* Contract in i8259.h. Registers: Intel 8259A data sheet. */
#include "i8259.h"

#include "core/lock.h"

#include <arch/io.h>

#define PIC1_COMMAND 0x20
#define PIC1_MASK    0x21
#define PIC2_COMMAND 0xa0
#define PIC2_MASK    0xa1

#define CASCADE      2    /* the line of the first that the second one drives */
#define EOI_SPECIFIC 0x60 /* and the line */

static struct lock pic_lock = LOCK_INIT("8259"); /* over the mask and the registers */
static uint16_t mask = 0xffff & ~(1u << CASCADE);

static void write_mask(unsigned irq)
{
    if (irq < 8)
        outb(PIC1_MASK, (uint8_t)mask);
    else
        outb(PIC2_MASK, (uint8_t)(mask >> 8));
}

void pic_init(void)
{
    write_mask(0);
    write_mask(8);
}

static void set(unsigned irq, bool masked)
{
    uint16_t bit = (uint16_t)(1u << irq);

    mask = masked ? mask | bit : mask & (uint16_t)~bit;
    write_mask(irq);
}

void pic_unmask(unsigned irq)
{
    unsigned long was = lock_take_irq(&pic_lock);

    set(irq, false);
    lock_drop_irq(&pic_lock, was);
}

void pic_mask(unsigned irq)
{
    unsigned long was = lock_take_irq(&pic_lock);

    set(irq, true);
    lock_drop_irq(&pic_lock, was);
}

void pic_mask_ack(unsigned irq)
{
    unsigned long was = lock_take_irq(&pic_lock);

    set(irq, true);
    if (irq >= 8) {
        outb(PIC2_COMMAND, (uint8_t)(EOI_SPECIFIC | (irq - 8)));
        irq = CASCADE;
    }
    outb(PIC1_COMMAND, (uint8_t)(EOI_SPECIFIC | irq));
    lock_drop_irq(&pic_lock, was);
}
