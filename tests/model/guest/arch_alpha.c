/*
 * The test guest's Alpha half: COM1 behind Tsunami, halt, one remappable page. The firmware's page
 * table stays in use; its first-level entry 1 (unused by it) gets a table of ours.
 */
#include "guest.h"

#define KSEG UINT64_C(0xfffffc0000000000)
#define COM1 ((volatile uint8_t *)UINT64_C(0xfffffd01fc0003f8))

static uint64_t tables[2][1024] __attribute__((aligned(8192)));
static uint64_t *level1;

const uint64_t guest_page_bytes = 8192;

void guest_putc(char c)
{
    *COM1 = (uint8_t)c;
    __asm__ volatile("mb" ::: "memory");
}

/* QEMU has no exit status for Alpha's halt: the log carries it. */
_Noreturn void guest_exit(int status)
{
    const char *text = status == 0x10 ? "exit: ok\n" : "exit: failed\n";

    while (*text) {
        guest_putc(*text++);
    }
    for (;;) {
        __asm__ volatile("call_pal 0");
    }
}

void *guest_at(uint64_t phys)
{
    return (void *)(KSEG + phys);
}

uint64_t guest_phys(const void *pointer)
{
    return (uint64_t)pointer - KSEG;
}

volatile uint64_t *guest_window(void)
{
    return (volatile uint64_t *)(UINT64_C(1) << 33); /* level 1 entry 1: 2^(13+10+10) */
}

void guest_map_window(uint64_t phys, int flush)
{
    /* the firmware's process control block is at 0xafa8, its third word is the table's frame */
    level1 = guest_at(*(volatile uint64_t *)guest_at(0xafa8 + 16) << 13);
    level1[1] = guest_phys(tables[0]) >> 13 << 32 | 0x1101;
    tables[0][0] = guest_phys(tables[1]) >> 13 << 32 | 0x1101;
    *(volatile uint64_t *)&tables[1][0] = phys >> 13 << 32 | 0x1101;
    __asm__ volatile("mb" ::: "memory");
    if (flush) {
        register uint64_t type __asm__("$16") = 3; /* one entry, instructions and data */
        register uint64_t page __asm__("$17") = (uint64_t)guest_window();

        __asm__ volatile("call_pal 0x33" /* tbi */
                         : "+r"(type), "+r"(page)
                         :
                         : "$0", "$1", "$22", "$23", "$24", "$25", "memory");
    }
}

void guest_flush_all(void)
{
    register uint64_t type __asm__("$16") = (uint64_t)-2; /* all */
    register uint64_t page __asm__("$17") = 0;

    __asm__ volatile("call_pal 0x33"
                     : "+r"(type), "+r"(page)
                     :
                     : "$0", "$1", "$22", "$23", "$24", "$25", "memory");
}

/* gcc calls these for / and %: arguments in $24 and $25, result in $27, return through $23, and
 * nothing else may change. Shift and subtract. */
__asm__(".text\n"
        ".globl __divqu, __remqu\n"
        ".set noat\n"
        "__divqu: lda $30,-48($30)\n stq $0,0($30)\n stq $1,8($30)\n stq $2,16($30)\n"
        " stq $3,24($30)\n stq $4,32($30)\n br $2,9f\n"
        " mov $0,$27\n br $31,8f\n"
        "__remqu: lda $30,-48($30)\n stq $0,0($30)\n stq $1,8($30)\n stq $2,16($30)\n"
        " stq $3,24($30)\n stq $4,32($30)\n br $2,9f\n"
        " mov $1,$27\n"
        "8: ldq $0,0($30)\n ldq $1,8($30)\n ldq $2,16($30)\n ldq $3,24($30)\n ldq $4,32($30)\n"
        " lda $30,48($30)\n ret $31,($23)\n"
        /* $0 quotient, $1 remainder, $3 dividend being shifted out, $27 counts */
        "9: mov $31,$0\n mov $31,$1\n mov $24,$3\n lda $27,64($31)\n"
        "7: srl $3,63,$4\n addq $3,$3,$3\n addq $1,$1,$1\n bis $1,$4,$1\n addq $0,$0,$0\n"
        " cmpule $25,$1,$4\n beq $4,6f\n subq $1,$25,$1\n bis $0,1,$0\n"
        "6: subq $27,1,$27\n bne $27,7b\n jmp $31,($2)\n"
        ".set at\n");

/* The compiler may call it. */
void *memset(void *to, int value, unsigned long bytes);
void *memset(void *to, int value, unsigned long bytes)
{
    for (unsigned long i = 0; i < bytes; i++) {
        ((volatile char *)to)[i] = (char)value;
    }
    return to;
}
