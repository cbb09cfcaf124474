/* What boot/alpha and the port share: bounds of the image, and the HWRPB. */
#ifndef ARCH_BOOT_H
#define ARCH_BOOT_H

#include "core/types.h"

/* Page-aligned bounds from linker.ld, virtual. Text comes first, then rodata, then data. */
extern char __image_start[], __text_start[], __text_end[], __rodata_start[], __rodata_end[],
    __data_start[], __image_end[];

/* The stack that _start switches to; it grows down from the end. */
#define BOOT_STACK_BYTES 0x10000
extern char boot_stack[BOOT_STACK_BYTES];

/*
 * The hardware restart parameter block (Alpha Architecture Reference Manual, console part): what
 * the firmware tells about the machine. Fields that nobody here reads are in the gaps.
 */
struct hwrpb {
    uint64_t phys_addr; /* of itself */
    uint64_t id;        /* "HWRPB" */
    uint64_t revision;
    uint64_t size_bytes;
    uint64_t cpu_id;
    uint64_t page_bytes;
    uint64_t pa_bits;
    uint64_t max_asn;
    char ssn[16]; /* system serial number */
    uint64_t system_type, system_variation, system_revision;
    uint64_t clock_hz_4096; /* interval clock, interrupts per second times 4096 */
    uint64_t cycle_hz;
    uint64_t vptb;
    uint64_t reserved1, tbhb_offset;
    uint64_t cpus, cpu_bytes, cpu_offset; /* per-CPU slots */
    uint64_t ctb_count, ctb_bytes, ctb_offset, crb_offset;
    uint64_t mddt_offset; /* memory data descriptor table */
    uint64_t gap[6];
    uint64_t cpu_restart, cpu_restart_data; /* where a secondary CPU goes, and its $27 there */
    uint64_t gap2[2];
    uint64_t checksum; /* sum of the words before it */
    uint64_t rx_ready; /* by CPU: there is a message for it in its slot */
};

/* Through KSEG; NULL when boot found none that it could believe. */
extern const struct hwrpb *arch_hwrpb;

/* The per-CPU slot of cpu, a table of words; NULL when there is none. */
const uint64_t *hwrpb_slot(unsigned cpu);

#endif
