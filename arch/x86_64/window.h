/*
 * The device window: virtual addresses for what is not RAM, handed out upwards, never given back.
 *
 * Usable after arch_vm_init; before it everything returns NULL.
 */
#ifndef X86_WINDOW_H
#define X86_WINDOW_H

#include "core/types.h"

/* Makes the window's upper tables in root, so that every address space shares them. */
int window_init(phys_t root, unsigned *made);

/* Firmware's tables: cached, read-only. NULL when the window or own memory is full. */
const void *window_map_firmware(phys_t a, size_t bytes);

/* Own memory as a stack, with a page below it that has no translation. NULL when full. */
void *window_map_stack(size_t bytes);

#endif
