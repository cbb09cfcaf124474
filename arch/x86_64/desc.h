/* Descriptor tables: segments, the task state with its IST stacks, the interrupt table. */
#ifndef X86_DESC_H
#define X86_DESC_H

#define SELECTOR_CODE 0x08
#define SELECTOR_DATA 0x10
#define SELECTOR_TSS  0x18

#define VECTOR_DIVIDE        0
#define VECTOR_NMI           2
#define VECTOR_DOUBLE_FAULT  8
#define VECTOR_PAGE_FAULT    14
#define VECTOR_MACHINE_CHECK 18

#define TRAP_VECTORS    32  /* the exceptions */
#define IDT_VECTORS     256 /* and the interrupts (lapic.h) */
#define TRAP_STUB_BYTES 16  /* of code for each */

/* Segments: 64-bit code and data of ring 0, marked accessed so that a GDT stays unwritten. */
#define DESCRIPTOR_CODE 0x00af9b000000ffff
#define DESCRIPTOR_DATA 0x00cf93000000ffff

#ifndef __ASSEMBLER__

#include <stdint.h>

/* Makes the interrupt table, and loads all three tables on CPU 0. Once, first. */
void desc_init(void);

/* Top of the stack of CPU id for entry i of enum ist (stacks.h); before desc_load. */
void desc_set_ist(unsigned id, unsigned i, uint64_t top);
uint64_t desc_ist(unsigned id, unsigned i);

/* Loads all three tables on the CPU that runs this, whose number is id. */
void desc_load(unsigned id);

#endif

#endif
