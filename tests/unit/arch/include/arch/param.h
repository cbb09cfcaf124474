/* The host as an architecture for unit tests: only what machine-independent code includes. */
#ifndef TT_ARCH_PARAM_H
#define TT_ARCH_PARAM_H

#define ARCH_NAME "host"

#define PAGE_SHIFT 12
#define PAGE_SIZE  (1ul << PAGE_SHIFT)

#define LARGE_PAGE_SHIFT 21
#define LARGE_PAGE_SIZE  (1ul << LARGE_PAGE_SHIFT)

#define LINE_BYTES 64

#define ARCH_IMAGE_PROTECTED 1

#define ARCH_BUS_ERROR 0

/* An address space's window, as on x86_64; nothing on the host ever touches an address in it. */
#define ARCH_WINDOW     0x0000100000000000ul
#define ARCH_WINDOW_END 0x0000200000000000ul

/* The own window; test_mm_own.c really maps pages there. */
#define ARCH_OWN     0x0000300000000000ul
#define ARCH_OWN_END 0x0000304000000000ul

#endif
