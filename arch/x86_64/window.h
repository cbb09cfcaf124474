/*
 * The device window: virtual addresses for what is not RAM, handed out upwards, never given back;
 * and the tables of the own window, whose addresses are mm/own_window.c's.
 *
 * Before arch_vm_init they give addresses of the early map, which that takes away, as far as it
 * goes. MMIO is uncached there by its MTRR.
 */
#ifndef X86_WINDOW_H
#define X86_WINDOW_H

#include "core/types.h"

/* Makes the windows' upper tables in root, so that every address space shares them. */
int window_init(phys_t root, unsigned *made);

/* Firmware's tables: cached, read-only. NULL when the window or own memory is full. */
const void *window_map_firmware(phys_t a, size_t bytes);

#endif
