/*
 * The Cchip of the Tsunami/Typhoon 21272: which interrupts reach which CPU (21272 system
 * programmer's manual, "Cchip CSRs"). Registers are 64 bits wide, 64 bytes apart.
 */
#ifndef ALPHA_TSUNAMI_H
#define ALPHA_TSUNAMI_H

#include <arch/cpu.h>
#include <arch/param.h>
#include <stdint.h>

#define TSUNAMI_CPUS 4 /* as many as it has wires for */

/* HWRPB, system type: the DP264 family, of which the DS10 is one. */
#define SYSTEM_TSUNAMI 34

enum cchip_reg {
    CCHIP_MISC = 0x080,
    CCHIP_DIM0 = 0x200, /* device interrupts let through to CPU 0; see cchip_of() */
    CCHIP_IIC0 = 0x380, /* clock interrupts of CPU 0 to be left out before the next one */
};

/* CPU 0's clock interrupt is pending; written: acknowledged. CPU 1's is the next bit. */
#define MISC_CLOCK 0x10

#define DIM_ISA (1ul << 55) /* the bridge's, for all ISA interrupts together */

/* Ignores some 16 million interrupts of the clock: for a CPU that wants none. */
#define IIC_NONE 0xffffff

/* The same register of another CPU: 0 and 1 stand side by side, 2 and 3 0x400 or 0x380 behind. */
static inline uint64_t cchip_of(enum cchip_reg reg, uint32_t hw_id)
{
    return reg + (hw_id & 1) * 0x40u + (hw_id & 2 ? (reg == CCHIP_DIM0 ? 0x400u : 0x380u) : 0u);
}

static inline void cchip_write(uint64_t reg, uint64_t v)
{
    *(volatile uint64_t *)(ARCH_KSEG_IO + 0x1a0000000 + reg) = v;
    cpu_mb();
}

static inline uint64_t cchip_read(uint64_t reg)
{
    uint64_t v = *(volatile uint64_t *)(ARCH_KSEG_IO + 0x1a0000000 + reg);

    cpu_mb();
    return v;
}

#endif
