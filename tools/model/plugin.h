/*
 * The plugin's own state, shared by its three files: plugin.c (loading, translation),
 * plugin_access.c (every load and store), plugin_command.c (the guest's commands and the shared
 * area).
 *
 * Threads: under -icount, or with one CPU, QEMU runs all CPUs in one thread and nothing is
 * locked. As soon as a second thread is seen, everything beyond the last-line filter happens under
 * one lock: correct, but in whatever order the threads arrive.
 */
#ifndef TOOLS_MODEL_PLUGIN_H
#define TOOLS_MODEL_PLUGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/perf/model_abi.h"
#include "tools/model/model.h"
#include "tools/model/plugin_decode.h"
#include "tools/model/qemu_plugin_v1.h"

/* 8192 entries, 128 KiB a CPU: 32 MiB of 4 KiB pages, so that asking QEMU stays rare. */
#define PLUGIN_TLB_ENTRIES 8192u

/* A virtual page's tag holds the flush generation in its top 12 bits (a page needs 52). */
#define PLUGIN_GENERATION_SHIFT 52u
#define PLUGIN_GENERATIONS      (1u << (64 - PLUGIN_GENERATION_SHIFT))

/* Alpha's KSEG: the virtual addresses with these upper bits are physical ones, uncached I/O off. */
#define PLUGIN_KSEG_BASE  UINT64_C(0xfffffc0000000000)
#define PLUGIN_KSEG_SHIFT 40u

struct plugin_translation {
    uint64_t tag;   /* page | generation << PLUGIN_GENERATION_SHIFT; 0: none */
    uint64_t delta; /* physical - virtual address */
};

struct plugin_cpu {
    struct model_cpu *model;
    uint64_t generation; /* already shifted; never 0 */
    struct plugin_translation tlb[PLUGIN_TLB_ENTRIES];
    uint64_t instructions; /* counted per translation block at its start */
    uint8_t pending;       /* ANNOUNCE or ATTACH: the next store is its operand; else 0 */
    uint8_t box;           /* which of the area's CPUs this is */
    bool seen;
    uint64_t thread; /* pthread_self() of the first access */
};

struct plugin {
    struct model *model;
    uint32_t line_shift;
    uint32_t page_shift; /* of the guest */
    uint64_t line_mask;
    uint64_t kseg; /* Alpha: the upper bits of a KSEG address; elsewhere a value that none has */
    bool alpha;
    bool lock_on;
    char lock;
    uint32_t vcpus;
    const char *ram_path;
    uint8_t *ram; /* mapped at ANNOUNCE */
    uint64_t ram_bytes;
    struct model_area *area; /* NULL until ANNOUNCE: nothing is modelled before */
    uint64_t area_phys;
    struct plugin_cpu cpu[MODEL_MAX_CPUS];
};

extern struct plugin plugin;

static inline void plugin_lock(void)
{
    if (plugin.lock_on) {
        while (__atomic_test_and_set(&plugin.lock, __ATOMIC_ACQUIRE)) {
        }
    }
}

static inline void plugin_unlock(void)
{
    if (plugin.lock_on) {
        __atomic_clear(&plugin.lock, __ATOMIC_RELEASE);
    }
}

/* The callback of every load and store; pc is the instruction's virtual address. */
void plugin_on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t virt, void *pc);

/* Forget a CPU's translations. */
void plugin_flush(struct plugin_cpu *cpu);

/* Callbacks of the guest's TLB instructions; userdata: enum decoded_kind. */
void plugin_on_tlb(unsigned int vcpu, void *kind);

/* Callback of the guest's commands; userdata: command << 8 | argument. */
void plugin_on_command(unsigned int vcpu, void *word);

/* The store behind ANNOUNCE or ATTACH went to this physical address. */
void plugin_operand(unsigned int vcpu, uint64_t phys);

#endif
