/*
 * What the boot paths (boot/x86_64) and the port share: bounds of the image, and what a boot path
 * must tell the port before kernel_main runs.
 */
#ifndef ARCH_BOOT_H
#define ARCH_BOOT_H

#include "core/types.h"

/* Page-aligned bounds from linker.ld, virtual. Text comes first, then rodata, then data. */
extern char __image_start[], __text_start[], __text_end[], __rodata_start[], __rodata_end[],
    __data_start[], __image_end[];

/* Where the image really lies, less where it was linked to lie: a multiple of 2 MiB. */
extern uint64_t arch_load_delta;

/* ACPI's root pointer as the loader handed it over; 0: no ACPI. */
void arch_set_rsdp(phys_t rsdp);

#endif
