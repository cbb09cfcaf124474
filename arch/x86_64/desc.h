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

#define TRAP_VECTORS 32 /* the exceptions; interrupts stay off */

/* Loads all three tables. Once per boot: this CPU's. */
void desc_init(void);

#endif
