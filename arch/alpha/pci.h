/* PCI configuration space of the first bus, as far as leaving QEMU needs it. */
#ifndef ALPHA_PCI_H
#define ALPHA_PCI_H

#include <stdbool.h>
#include <stdint.h>

struct pci_function {
    unsigned device, function;
};

/* The first function on bus 0 with these ids; false when there is none. Bounded. */
bool pci_find(uint16_t vendor, uint16_t id, struct pci_function *out);

/* Its first memory BAR, decoding switched on; NULL when it has none or nobody gave it a place. */
volatile void *pci_memory_bar0(struct pci_function f);

#endif
