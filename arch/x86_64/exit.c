/*
 * Leaving the machine: QEMU's debug exit, ACPI power off, reset.
 *
 * arch_exit is called last, from the end of the boot or from a panic, so it uses nothing that
 * could be broken by then: ports only.
 */
#include "acpi.h"
#include "arch.h"
#include "regs.h"

/* isa-debug-exit,iobase=0xf4: QEMU's status is value * 2 + 1, so 33 and 35. */
#define QEMU_EXIT_PORT   0xf4
#define QEMU_EXIT_OK     0x10
#define QEMU_EXIT_NOT_OK 0x11

/* ACPI: SLP_EN with the sleep type that QEMU's \_S5 names. */
#define QEMU_PM_CONTROL 0x604
#define SLEEP_ENABLE    0x2000

#define KEYBOARD_STATUS 0x64
#define KEYBOARD_BUSY   0x02
#define KEYBOARD_RESET  0xfe

/* The keyboard controller takes a byte within 1 ms; a read of its port takes about 1 us. */
#define KEYBOARD_POLLS 10000

static void reboot(void)
{
    static const struct __attribute__((packed)) {
        uint16_t limit;
        uint64_t base;
    } no_idt;

    for (unsigned i = 0; i < KEYBOARD_POLLS && (inb(KEYBOARD_STATUS) & KEYBOARD_BUSY); i++)
        ;
    outb(KEYBOARD_STATUS, KEYBOARD_RESET);

    /* Still here: an exception that cannot be delivered resets the processor. */
    __asm__ volatile("lidt %0\n\tint3" ::"m"(no_idt));
}

void arch_exit(enum exit_way way, bool ok)
{
    switch (way) {
    case EXIT_QEMU:
        outb(QEMU_EXIT_PORT, ok ? QEMU_EXIT_OK : QEMU_EXIT_NOT_OK);
        break;
    case EXIT_POWEROFF:
        /*
         * The sleep type stands in AML, which we do not run. QEMU's is known (0); any other
         * machine halts.
         */
        if (acpi_pm_control() == QEMU_PM_CONTROL)
            outw(QEMU_PM_CONTROL, SLEEP_ENABLE);
        break;
    case EXIT_REBOOT:
        reboot();
        break;
    case EXIT_HALT:
        break;
    }
    arch_halt();
}
