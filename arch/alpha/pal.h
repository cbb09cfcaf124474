/*
 * Calls of PALcode, the OSF/1 set (Alpha Architecture Reference Manual, part II-B): the privileged
 * functions of the machine. Each may change v0, t0 and t8 to t11 besides its arguments.
 */
#ifndef ALPHA_PAL_H
#define ALPHA_PAL_H

#define PAL_HALT      0x00
#define PAL_WRIPIR    0x0d
#define PAL_WRFEN     0x2b
#define PAL_SWPCTX    0x30
#define PAL_WRVAL     0x31
#define PAL_RDVAL     0x32
#define PAL_TBI       0x33
#define PAL_WRENT     0x34
#define PAL_SWPIPL    0x35
#define PAL_RDPS      0x36
#define PAL_WRKGP     0x37
#define PAL_WRPERFMON 0x39
#define PAL_WHAMI     0x3c
#define PAL_WTINT     0x3e
#define PAL_RTI       0x3f
#define PAL_GENTRAP   0xaa

/* Interrupt priority levels: what is at or below the current one waits. */
#define IPL_NONE   0
#define IPL_DEVICE 4 /* the clock, at 5, and other CPUs', at 6, come through */
#define IPL_ALL    7

#define PS_IPL 7 /* mask of the level in the processor status */

/* Entry points for wrent. */
#define ENT_INT   0
#define ENT_ARITH 1
#define ENT_MM    2
#define ENT_IF    3
#define ENT_UNA   4
#define ENT_SYS   5
#define ENTRIES   6

#ifndef __ASSEMBLER__

#include <stdint.h>

#define PAL_CLOBBERS "$1", "$22", "$23", "$24", "$25", "memory"

static inline uint64_t pal_call2(const unsigned function, uint64_t a0, uint64_t a1)
{
    register uint64_t v0 __asm__("$0");
    register uint64_t r16 __asm__("$16") = a0;
    register uint64_t r17 __asm__("$17") = a1;

    __asm__ volatile("call_pal %3" : "=r"(v0), "+r"(r16), "+r"(r17) : "i"(function) : PAL_CLOBBERS);
    return v0;
}

/* What a translation buffer entry is forgotten by. */
enum tbi_kind { TBI_ALL = -2, TBI_PROCESS = -1, TBI_ONE = 3 };

#define pal_tbi(kind, va)          ((void)pal_call2(PAL_TBI, (uint64_t)(kind), (va)))
#define pal_swpipl(ipl)            pal_call2(PAL_SWPIPL, (ipl), 0)
#define pal_wrfen(on)              ((void)pal_call2(PAL_WRFEN, (on), 0))
#define pal_wrent(address, number) ((void)pal_call2(PAL_WRENT, (address), (number)))
#define pal_wrkgp(gp)              ((void)pal_call2(PAL_WRKGP, (gp), 0))
#define pal_wtint()                ((void)pal_call2(PAL_WTINT, 0, 0))
#define pal_whami()                ((uint32_t)pal_call2(PAL_WHAMI, 0, 0))
#define pal_rdps()                 pal_call2(PAL_RDPS, 0, 0)
#define pal_wrval(v)               ((void)pal_call2(PAL_WRVAL, (v), 0))
#define pal_wripir(hw_id)          ((void)pal_call2(PAL_WRIPIR, (hw_id), 0))
#define pal_halt()                 ((void)pal_call2(PAL_HALT, 0, 0))

#endif
#endif
