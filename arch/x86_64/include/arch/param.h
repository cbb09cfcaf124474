/*
 * Constants of the x86_64 port: page sizes and the layout of virtual addresses.
 *
 * Included by C, by assembly and by linker.ld: plain numbers only, no suffixes, no casts.
 *
 *     0x0000100000000000  window: address spaces of subjects (arch_space_*), 16 TiB
 *     0xffff800000000000  direct map of RAM, 64 TiB: the most that 46 address bits can name
 *     0xffffc00000000000  device window: registers (uncached) and firmware tables (read-only)
 *     0xffffd00000000000  own window: stacks, and own memory of chosen colours (mm/own_window.c)
 *     0xffffffff80000000  the image: the top 2 GiB, as -mcmodel=kernel requires
 *
 * Everything else has no translation. In the lower half nothing but the window ever has one.
 */
#ifndef ARCH_PARAM_H
#define ARCH_PARAM_H

#define ARCH_NAME "x86_64"

#define PAGE_SHIFT       12
#define PAGE_SIZE        0x1000
#define LARGE_PAGE_SHIFT 21
#define LARGE_PAGE_SIZE  0x200000

/* Two 64-byte lines: Intel's adjacent-line prefetcher moves lines in pairs. */
#define LINE_BYTES 128

/* The image is write-protected page by page, and there are guard pages below stacks. */
#define ARCH_IMAGE_PROTECTED 1

/* A read that no device answers returns ones. */
#define ARCH_BUS_ERROR 0

#define ARCH_WINDOW     0x0000100000000000
#define ARCH_WINDOW_END 0x0000200000000000

#define ARCH_DIRECT     0xffff800000000000
#define ARCH_DIRECT_END 0xffffc00000000000

#define ARCH_DEVICE     0xffffc00000000000
#define ARCH_DEVICE_END 0xffffc00010000000

/* One slot of the root, so that every root has it. */
#define ARCH_OWN     0xffffd00000000000
#define ARCH_OWN_END 0xffffd08000000000

/* The boot page tables map this much of the direct map (four page directories of 2M pages). */
#define ARCH_EARLY_MAP 0x100000000

/* Where the image is linked. It may be loaded any multiple of 2 MiB away from LINK_PHYS. */
#define LINK_BASE   0xffffffff80000000
#define LINK_PHYS   0x200000
#define LINK_ENTRY  multiboot2_entry
#define LINK_FORMAT "elf64-x86-64"

#endif
