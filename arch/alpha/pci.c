/*
 * PCI configuration through Tsunami's hose 0 (pci.h). A function that is not there reads as all
 * ones on QEMU; real Tsunami may raise a machine check instead, so that nothing here is called
 * unless exit=qemu is given.
 */
#include "pci.h"

#include <arch/cpu.h>
#include <arch/param.h>
#include <stddef.h>

/* Tsunami/Typhoon 21272 manual, system address map: hose 0. */
#define PCI_CONFIG                                                                                 \
    (ARCH_KSEG_IO + 0x1fe000000) /* type 0: bus 0, then device, function, register                 \
                                  */
#define PCI_MEMORY ARCH_KSEG_IO

#define PCI_DEVICES   32
#define PCI_FUNCTIONS 8

#define REG_ID      0x00 /* device id, vendor id */
#define REG_COMMAND 0x04
#define REG_HEADER  0x0e
#define REG_BAR0    0x10

#define COMMAND_MEMORY 0x0002
#define HEADER_MULTI   0x80
#define BAR_IO         0x00000001

static uintptr_t config(struct pci_function f, unsigned reg)
{
    return PCI_CONFIG | f.device << 11 | f.function << 8 | reg;
}

static uint32_t read32(struct pci_function f, unsigned reg)
{
    return *(volatile uint32_t *)config(f, reg);
}

bool pci_find(uint16_t vendor, uint16_t id, struct pci_function *out)
{
    struct pci_function f;

    for (f.device = 0; f.device < PCI_DEVICES; f.device++) {
        for (f.function = 0; f.function < PCI_FUNCTIONS; f.function++) {
            if (read32(f, REG_ID) == ((uint32_t)id << 16 | vendor)) {
                *out = f;
                return true;
            }
            if (f.function == 0 && !(*(volatile uint8_t *)config(f, REG_HEADER) & HEADER_MULTI))
                break;
        }
    }
    return false;
}

volatile void *pci_memory_bar0(struct pci_function f)
{
    uint32_t bar = read32(f, REG_BAR0);

    if ((bar & BAR_IO) || !(bar & ~UINT32_C(15)))
        return NULL;
    *(volatile uint16_t *)config(f, REG_COMMAND) |= COMMAND_MEMORY;
    cpu_mb();
    return (volatile void *)(PCI_MEMORY + (bar & ~UINT32_C(15)));
}
