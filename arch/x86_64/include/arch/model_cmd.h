/*
 * Commands to the cache model on x86: a long nop whose displacement is 0x5051CCAA (CC command,
 * AA argument, both compile-time constants). Without the model, and on real hardware, it is a nop:
 * it names an address and does not touch it. Works in 32-bit and in 64-bit mode.
 */
#ifndef ARCH_MODEL_CMD_H
#define ARCH_MODEL_CMD_H

#include <stdint.h>

#define MODEL_CMD_X86_MAGIC 0x50510000

/* The instruction's immediate. */
#define MODEL_CMD_WORD(command, arg) (MODEL_CMD_X86_MAGIC | ((command) << 8) | (arg))

/* Issue a command; a barrier for the compiler, so that counted code stays where it was written. */
#define model_cmd(command, arg)                                                                    \
    __asm__ volatile("nopl %c0(%%rax)" ::"i"(MODEL_CMD_WORD(command, arg)) : "memory")

/* Issue a command whose operand is the place of the store right behind it (ANNOUNCE, ATTACH). */
#define model_cmd_store(command, arg, pointer, value)                                              \
    __asm__ volatile("nopl %c1(%%rax)\n\tmovq %2, %0"                                              \
                     : "=m"(*(volatile uint64_t *)(pointer))                                       \
                     : "i"(MODEL_CMD_WORD(command, arg)), "r"((uint64_t)(value))                   \
                     : "memory")

#endif
