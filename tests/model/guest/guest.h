/*
 * What the test guest needs from each architecture, and its printing. Only for tests/model.
 */
#ifndef TESTS_MODEL_GUEST_H
#define TESTS_MODEL_GUEST_H

#include <stdint.h>

#define GUEST_POOL_PHYS UINT64_C(0x2000000) /* 32 MiB: free memory from here on */
#define GUEST_POOL_END  UINT64_C(0x8000000) /* the tests start QEMU with 128 MiB */

void guest_putc(char c);
_Noreturn void guest_exit(int status);

/* Physical memory as the guest sees it. */
void *guest_at(uint64_t phys);
uint64_t guest_phys(const void *pointer);

/* Base page, and a virtual page of that size whose mapping can be changed. */
extern const uint64_t guest_page_bytes;
volatile uint64_t *guest_window(void);

/* Map the window to a physical page; flush: also tell the TLB. */
void guest_map_window(uint64_t phys, int flush);

/* Drop all translations (QEMU enlarges its own TLB on such occasions). */
void guest_flush_all(void);

void guest_main(const char *command_line);

#endif
