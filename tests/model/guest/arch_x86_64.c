/*
 * The test guest's x86 half: COM1, debug exit, one remappable page at 512 GiB.
 */
#include "guest.h"

extern uint64_t guest_pml4[512];

static uint64_t tables[3][512] __attribute__((aligned(4096)));

const uint64_t guest_page_bytes = 4096;

static inline void outb(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" ::"a"(value), "Nd"(port));
}

void guest_putc(char c)
{
    outb(0x3f8, (uint8_t)c);
}

_Noreturn void guest_exit(int status)
{
    outb(0xf4, (uint8_t)status);
    for (;;) {
        __asm__ volatile("hlt");
    }
}

void *guest_at(uint64_t phys)
{
    return (void *)phys;
}

uint64_t guest_phys(const void *pointer)
{
    return (uint64_t)pointer;
}

volatile uint64_t *guest_window(void)
{
    return (volatile uint64_t *)(UINT64_C(1) << 39);
}

void guest_map_window(uint64_t phys, int flush)
{
    guest_pml4[1] = guest_phys(tables[0]) | 3;
    tables[0][0] = guest_phys(tables[1]) | 3;
    tables[1][0] = guest_phys(tables[2]) | 3;
    *(volatile uint64_t *)&tables[2][0] = phys | 3;
    if (flush) {
        __asm__ volatile("invlpg (%0)" ::"r"(guest_window()) : "memory");
    }
}

void guest_flush_all(void)
{
    __asm__ volatile("mov %%cr3, %%rax\n\tmov %%rax, %%cr3" ::: "rax", "memory");
}

/* The compiler may call it. */
void *memset(void *to, int value, unsigned long bytes);
void *memset(void *to, int value, unsigned long bytes)
{
    for (unsigned long i = 0; i < bytes; i++) {
        ((volatile char *)to)[i] = (char)value;
    }
    return to;
}
