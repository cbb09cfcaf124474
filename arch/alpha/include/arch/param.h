/*
 * Constants of the Alpha port: page sizes and the layout of virtual addresses.
 *
 * Included by C, by assembly and by linker.ld: plain numbers only, no suffixes, no casts.
 *
 *     0x0000000200000000  window: address spaces of subjects (arch_space_*), 2 TiB less 8 GiB
 *     0xfffffc0000000000  KSEG: all of RAM and the image in it, without page tables
 *     0xfffffd0000000000  KSEG's upper half: device registers (Tsunami)
 *     0xfffffffc00000000  own window: stacks, and own memory of chosen colours (mm/own_window.c)
 *     0xfffffffe00000000  the page tables themselves, where PALcode looks for entries
 *
 * 43 bits are translated (three levels of 8K tables). The first 8 GiB have no translation, so
 * that null and what is near it faults; the firmware keeps its HWRPB there until arch_vm_init.
 */
#ifndef ARCH_PARAM_H
#define ARCH_PARAM_H

#define ARCH_NAME "alpha"

#define PAGE_SHIFT       13
#define PAGE_SIZE        0x2000
#define LARGE_PAGE_SHIFT 22 /* 512 pages, the largest granularity hint */
#define LARGE_PAGE_SIZE  0x400000

/* The 21264's cache lines, which its prefetch does not pair. */
#define LINE_BYTES 64

/* The image and the stacks lie in KSEG, which protects nothing. */
#define ARCH_IMAGE_PROTECTED 0

/* PCI memory that the firmware gives to no device: reading it is a machine check. */
#define ARCH_BUS_ERROR 0x800e0000000

#define ARCH_WINDOW     0x0000000200000000
#define ARCH_WINDOW_END 0x0000020000000000

#define ARCH_KSEG     0xfffffc0000000000
#define ARCH_KSEG_END 0xfffffe0000000000
#define ARCH_KSEG_IO  0xfffffd0000000000
#define ARCH_VPTB     0xfffffffe00000000

/* One slot of the root, so that every root has it. */
#define ARCH_OWN     0xfffffffc00000000
#define ARCH_OWN_END 0xfffffffe00000000

/* KSEG is there from the first instruction on. */
#define ARCH_EARLY_MAP 0x10000000000

/*
 * Where the image is linked and loaded. The firmware's own pages end at 0x1e000, and the loader
 * leaves the command line 0x6000 below the image.
 */
#define LINK_BASE   0xfffffc0000000000
#define LINK_PHYS   0x310000
#define LINK_ENTRY  _start
#define LINK_FORMAT "elf64-alpha"

#endif
