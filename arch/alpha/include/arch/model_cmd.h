/*
 * Commands to the cache model on Alpha: `lda $31,0xCCAA($31)` (CC command, AA argument, both
 * compile-time constants). It writes the zero register: without the model, and on real hardware,
 * it does nothing.
 */
#ifndef ARCH_MODEL_CMD_H
#define ARCH_MODEL_CMD_H

#include <stdint.h>

/* Opcode 08 (lda), ra = rb = 31. */
#define MODEL_CMD_ALPHA_MAGIC 0x23ff0000

/* The instruction's immediate. */
#define MODEL_CMD_WORD(command, arg) (MODEL_CMD_ALPHA_MAGIC | ((command) << 8) | (arg))

/* Issue a command; a barrier for the compiler, so that counted code stays where it was written. */
#define model_cmd(command, arg)                                                                    \
    __asm__ volatile(".long %0" ::"i"(MODEL_CMD_WORD(command, arg)) : "memory")

/* Issue a command whose operand is the place of the store right behind it (ANNOUNCE, ATTACH). */
#define model_cmd_store(command, arg, pointer, value)                                              \
    __asm__ volatile(".long %1\n\tstq %2, %0"                                                      \
                     : "=m"(*(volatile uint64_t *)(pointer))                                       \
                     : "i"(MODEL_CMD_WORD(command, arg)), "r"((uint64_t)(value))                   \
                     : "memory")

#endif
