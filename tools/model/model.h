/*
 * The cache model: a machine's caches, TLBs and clocks, fed with one data access after the other.
 * Knows nothing of QEMU or of the guest; the plugin, the trace reader and the tests drive it.
 *
 * What it models, exactly (tests/unit/model/reference.c says the same in slow words):
 * - An access is looked up level by level from L1 outwards until it hits; each level looked at
 *   counts an access. Replacement is LRU; a write-back into a level counts as use, not as access.
 * - A line comes in through every level between where it was found and L1, outermost first, except
 *   exclusive levels: those are filled by victims and give a line away when it is hit. A victim
 *   goes to the next level if that is exclusive, or if it is modified; else it is dropped.
 *   An inclusive level's victim takes the inner copies with it.
 * - A write-through L1 passes each store on to level 2 (an access there); a level 1 without
 *   write-allocate is not filled by stores.
 * - MESI between the CPUs' private levels: the state of a CPU's line is the strongest among its
 *   copies. A load that leaves the private levels makes other copies shared (a modified one is
 *   supplied by its owner, and written to the shared level that has it or to memory); a store
 *   takes them away. A store to a shared line is an upgrade. Only modified lines travel from CPU to
 *   CPU; clean ones come from the shared level or from memory.
 * - The last level may fetch its other lines of the sector, and the next line if that is in the
 *   same page, whenever it misses and memory serves; a line that another CPU holds is not fetched.
 * - A virtually indexed L1 finds a line that sits in another position on a miss, and moves it.
 * Not modelled: instruction fetches, page walks, DMA, pseudo-LRU, partial sectors, queues inside
 * caches. See timing.h for the clocks.
 */
#ifndef TOOLS_MODEL_MODEL_H
#define TOOLS_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/model/cache.h"
#include "tools/model/split.h"
#include "tools/model/timing.h"
#include "tools/model/tlb.h"

/* A virtual line or page number that no access can have. */
#define MODEL_NONE UINT64_MAX

/*
 * Where L1 is looked up without further questions (quick.h). When it may not be, set_mask is 0 and
 * entry a set in which no line ever is.
 */
struct model_quick {
    uint64_t *entry;
    uint32_t set_mask;
    uint32_t set_shift;
    uint32_t ways;
    uint8_t line_shift;
    bool virtual_index;
    bool write_back;
    bool plain; /* its misses may go the short way too (access_plain.c) */
};

struct model_cpu {
    uint32_t index;
    /*
     * The line of the last access, by virtual line number, if an access like it needs no lookup:
     * [0] for loads, [1] for stores (line modified, or nothing to do). Kept for the plugin, which
     * skips the translation too. MODEL_NONE whenever anything happened to the line.
     */
    uint64_t last[2];
    uint64_t count[2];            /* line accesses: loads, stores */
    const uint64_t *instructions; /* retired, ever growing; whoever drives the model owns it */
    uint64_t instructions_base;   /* at the last reset, idle time taken off */
    uint64_t last_page;
    struct model_quick quick; /* model_choose_path() */
    bool active;              /* made an access since the last flush: may hold lines */
    bool idle;
    uint64_t idle_since;
    struct cache *cache[MODEL_MAX_LEVELS]; /* the instances this CPU uses */
    struct split *split[MODEL_MAX_LEVELS];
    struct timing_bus *bus[MODEL_MAX_LEVELS + 1]; /* into level k - 1 from level k; memory last */
    struct timing_cpu timing;
    struct tlb tlb;
    struct model_cpu_counts counts; /* events; loads, hits, clocks are made up when read */
    struct model_cpu_counts region_start[MODEL_MAX_REGIONS];
};

struct model_sampler {
    bool on;
    uint32_t *bucket;
    uint64_t buckets;
    uint64_t pc_base;
    uint32_t shift;
    uint64_t interval;
    uint64_t next[MODEL_MAX_CPUS]; /* serial clock of the next sample */
};

/* Of a range whose memory is not in one piece: ascending, apart; none: all of its span. */
struct model_pieces {
    struct model_piece {
        uint64_t start_phys;
        uint64_t end_phys;
    } * piece;
    size_t count;
    size_t room;
};

struct model {
    struct machine machine;
    uint32_t line_shift;
    uint32_t page_shift;
    uint32_t private_levels;
    uint32_t latency[MODEL_MAX_LEVELS + 1];   /* memory last */
    uint32_t occupancy[MODEL_MAX_LEVELS + 1]; /* of one line */
    bool split_on;
    bool filter_on;                        /* may last[] be used at all */
    bool threads;                          /* more than one drives the model */
    bool victim_matters[MODEL_MAX_LEVELS]; /* even a clean one: to inner levels or the next */
    uint32_t active_cpus;
    struct model_cpu cpu[MODEL_MAX_CPUS];
    struct cache cache[MODEL_MAX_LEVELS][MODEL_MAX_CPUS];
    struct split split[MODEL_MAX_LEVELS][MODEL_MAX_CPUS];
    struct timing_bus *buses;
    struct timing_sync sync;
    struct model_range range[MODEL_MAX_RANGES];
    struct model_pieces pieces[MODEL_MAX_RANGES];
    uint32_t ranges; /* highest used + 1 */
    struct model_region region[MODEL_MAX_REGIONS];
    struct model_sampler sampler;
};

/* Retired since the last reset, time the CPU is idle in included. */
static inline uint64_t model_instructions(const struct model_cpu *cpu)
{
    return *cpu->instructions - cpu->instructions_base;
}

/* ---- life: model.c ---- */

/* A model with empty caches and clocks at 0; NULL when memory is short. */
struct model *model_create(const struct machine *machine);
void model_destroy(struct model *model);

/* Say where a CPU's retired instructions are counted; without it, it runs none. */
void model_set_instructions(struct model *model, uint32_t cpu, const uint64_t *instructions);

/* Counters, clocks, regions and what ranges counted to 0; caches keep their lines. */
void model_reset(struct model *model);

/* Empty caches and TLBs, without write-backs; forget what was ever seen. */
void model_flush(struct model *model);

/* Empty one CPU's TLB. */
void model_flush_tlb(struct model *model, uint32_t cpu);

/*
 * Decide which CPUs may hit and miss by the short ways (quick.h, access_plain.c). Call after
 * anything changed that it depends on; what is counted never does.
 */
void model_choose_path(struct model *model);

/* From now on several threads make accesses, one at a time: only by model_access(). */
void model_set_threads(struct model *model);

/* Classify misses from now on, or do not; either way what was seen is forgotten. */
void model_set_split(struct model *model, bool on);

/* ---- one access: access.c ---- */

/*
 * A load (store = 0) or a store (1) inside one line. pc only matters for sampling. The CPU must
 * not be idle.
 */
void model_access(struct model *model, struct model_cpu *cpu, uint64_t virt, uint64_t phys,
                  uint32_t store, uint64_t pc);

/* Use the modelled TLB for a page that is not the last one. */
void model_use_tlb(struct model *model, struct model_cpu *cpu, uint64_t page);

/* An access that missed in this set of L1, of a CPU whose quick.plain is set: all of it. */
void model_miss_plain(struct model *model, struct model_cpu *cpu, uint64_t *l1_set, uint64_t virt,
                      uint64_t line, uint32_t store);

/* ---- lines leaving and changing hands: evict.c, coherence.c ---- */

/* A line has just left level k of a CPU to make room. */
void model_evict(struct model *model, struct model_cpu *cpu, uint32_t k, uint64_t line,
                 enum cache_state state);

/* Put a line that is absent into level k of a CPU, and deal with the victim. */
static inline void model_fill(struct model *model, struct model_cpu *cpu, uint32_t k,
                              uint64_t virtual_line, uint64_t line, enum cache_state state)
{
    uint32_t set = cache_set(cpu->cache[k], virtual_line, line);
    uint64_t victim = cache_insert(cpu->cache[k], set, line, state);

    if (model->split_on) {
        split_use(cpu->split[k], line);
    }
    if (victim && (model->victim_matters[k] || cache_entry_state(victim) == CACHE_MODIFIED)) {
        model_evict(model, cpu, k, cache_entry_line(victim), cache_entry_state(victim));
    }
}

/* A modified line leaves level k - 1 of a CPU: to level k, or, k being past the last, to memory. */
void model_write_back(struct model *model, struct model_cpu *cpu, uint32_t k, uint64_t line);

/* A line leaves level k of a CPU for another reason than room. */
void model_drop(struct model *model, struct model_cpu *cpu, uint32_t k, uint64_t line,
                bool by_store);

/* An L1 line leaves a position in which it cannot be used; it must be in L1. */
void model_evict_synonym(struct model *model, struct model_cpu *cpu, uint64_t line);

/* What the other CPUs' private levels said to a request that left this CPU's. */
struct model_snoop {
    bool held;     /* somebody had a copy (and, after a load, still has) */
    bool modified; /* and that copy was modified: the data comes from there */
};

struct model_snoop model_snoop_others(struct model *model, struct model_cpu *cpu, uint64_t line,
                                      bool store);

static inline struct model_snoop model_snoop(struct model *model, struct model_cpu *cpu,
                                             uint64_t line, bool store)
{
    struct model_snoop nobody = {false, false};

    return model->active_cpus <= 1 ? nobody : model_snoop_others(model, cpu, line, store);
}

/* Does any other CPU hold the line in its private levels? */
bool model_held_elsewhere(struct model *model, const struct model_cpu *cpu, uint64_t line);

/* The range a line lies in, NULL if in none; the first wins. */
struct model_range *model_find_range(struct model *model, uint64_t line);

static inline struct model_range *model_range_of(struct model *model, uint64_t line)
{
    return model->ranges == 0 ? NULL : model_find_range(model, line);
}

/* ---- time and reading: read.c ---- */

uint64_t model_serial(const struct model *model, const struct model_cpu *cpu);

/* All of a CPU's counters, made consistent: hits, sums, clocks. */
void model_read(const struct model *model, uint32_t cpu, struct model_cpu_counts *counts);

void model_idle_begin(struct model *model, uint32_t cpu);
void model_idle_end(struct model *model, uint32_t cpu);

/* Clocks meet; false when there is no room for the key. An acquire of a key that nobody released
 * does nothing. */
bool model_release(struct model *model, uint32_t cpu, uint64_t key);
void model_acquire(struct model *model, uint32_t cpu, uint64_t key);

void model_region_begin(struct model *model, uint32_t cpu, uint32_t region);
void model_region_end(struct model *model, uint32_t cpu, uint32_t region);

/* Name [start, end), a physical range; start == end frees the entry. */
void model_set_range(struct model *model, uint32_t range, const char name[MODEL_NAME_BYTES],
                     uint64_t start_phys, uint64_t end_phys);

/* Add a piece that overlaps none to a range that has a name. False: it does, or memory is short. */
bool model_add_piece(struct model *model, uint32_t range, uint64_t start_phys, uint64_t end_phys);

/* Is some byte of [start, end) in a piece? */
bool model_in_pieces(const struct model_pieces *pieces, uint64_t start_phys, uint64_t end_phys);

/* Sample pc into bucket[] every interval cycles of each CPU's serial clock. */
void model_sample_start(struct model *model, uint32_t *bucket, uint64_t buckets, uint64_t pc_base,
                        uint32_t shift, uint64_t interval);
void model_sample_stop(struct model *model);
void model_sample(struct model *model, struct model_cpu *cpu, uint64_t pc);

#endif
