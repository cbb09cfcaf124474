/*
 * Leaving the machine: PALcode's halt, and QEMU's pvpanic device for a status that is not 0.
 *
 * arch_exit is called last, from the end of the boot or from a panic.
 */
#include "arch.h"
#include "pal.h"
#include "pci.h"

#include <arch/cpu.h>

/* -device pvpanic-pci -action panic=exit-failure: QEMU leaves with status 1. */
#define PVPANIC_VENDOR   0x1b36
#define PVPANIC_ID       0x0011
#define PVPANIC_PANICKED 0x01

static void qemu_fail(void)
{
    struct pci_function f;
    volatile uint8_t *events = NULL;

    if (pci_find(PVPANIC_VENDOR, PVPANIC_ID, &f))
        events = pci_memory_bar0(f);
    if (events) {
        *events = PVPANIC_PANICKED;
        cpu_mb();
    }
}

void arch_exit(enum exit_way way, bool ok)
{
    switch (way) {
    case EXIT_QEMU:
        /* PALcode's halt ends QEMU with status 0, so a failure must not come near it. */
        if (ok)
            pal_halt();
        qemu_fail();
        break;
    case EXIT_POWEROFF:
        pal_halt(); /* to the console on a real machine, which is the one that can switch it off */
        break;
    case EXIT_REBOOT: /* the console reboots, by its own settings, only after an error */
    case EXIT_HALT:
        break;
    }
    arch_halt();
}
