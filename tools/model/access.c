/*
 * One access: L1, then outwards level by level, then the line comes in. The order of the steps is
 * part of the model (model.h) and repeated by the reference in tests/unit/model.
 */
#include "tools/model/model.h"

static void count_miss(struct model *model, struct model_cpu *cpu, uint32_t k, uint64_t line)
{
    struct model_level_counts *counts = &cpu->counts.level[k];

    counts->misses++;
    if (model->split_on) {
        switch (split_miss(cpu->split[k], line)) {
        case SPLIT_COMPULSORY:
            counts->compulsory++;
            break;
        case SPLIT_CAPACITY:
            counts->capacity++;
            break;
        case SPLIT_CONFLICT:
            counts->conflict++;
            break;
        case SPLIT_COHERENCE:
            counts->coherence++;
            break;
        }
    }
}

/* A store to a line held shared: the others give up their copies. */
static void upgrade(struct model *model, struct model_cpu *cpu, uint64_t line)
{
    struct model_range *range = model_range_of(model, line);
    uint32_t k = model->private_levels;

    cpu->counts.upgrades++;
    if (range) {
        range->upgrades++;
    }
    model_snoop(model, cpu, line, true);
    if (k < model->machine.levels && model->machine.level[k].inclusion == MACHINE_EXCLUSIVE) {
        model_drop(model, cpu, k, line, false);
    }
    timing_miss(&cpu->timing, model_instructions(cpu), model->machine.transfer_latency_cycles,
                model->machine.transfer_latency_cycles, NULL, 0);
}

/* One line that nobody asked for comes into the last level. */
static void fetch_extra(struct model *model, struct model_cpu *cpu, uint64_t virtual_line,
                        uint64_t line)
{
    uint32_t last = model->machine.levels - 1;

    if (cache_find(cpu->cache[last], line) || model_held_elsewhere(model, cpu, line)) {
        return;
    }
    cpu->counts.level[last].extra_fills++;
    cpu->counts.memory_reads++;
    timing_bus_take(cpu->bus[last + 1], model_instructions(cpu) + cpu->timing.overlap_stall,
                    model->occupancy[last + 1]);
    model_fill(model, cpu, last, virtual_line, line, CACHE_EXCLUSIVE);
}

/* The rest of the sector, in ascending order, then the next line. */
static void fetch_extras(struct model *model, struct model_cpu *cpu, uint64_t virtual_line,
                         uint64_t line)
{
    const struct machine_level *last = &model->machine.level[model->machine.levels - 1];
    uint64_t sector_lines = last->sector_bytes >> model->line_shift;
    uint64_t page_lines = UINT64_C(1) << (model->page_shift - model->line_shift);
    uint64_t first = line & ~(sector_lines - 1);

    for (uint64_t other = first; other < first + sector_lines; other++) {
        if (other != line) {
            fetch_extra(model, cpu, virtual_line + (other - line), other);
        }
    }
    if (last->prefetch_next && (line + 1) % page_lines != 0) {
        fetch_extra(model, cpu, virtual_line + 1, line + 1);
    }
}

/* What a request found out on its way outwards. */
struct found {
    uint32_t level;         /* where the line was; levels: memory */
    bool left;              /* the private levels did not have it */
    bool transfer;          /* another CPU supplies it */
    enum cache_state grant; /* as which the line comes in; M if it arrives dirty */
    uint64_t *entry;        /* in that level, if it stays there */
};

/* Walk outwards from level k until somebody has the line. */
static struct found look_outwards(struct model *model, struct model_cpu *cpu, uint32_t k,
                                  uint64_t virtual_line, uint64_t line, bool store)
{
    uint32_t levels = model->machine.levels;
    struct found found = {.grant = store ? CACHE_MODIFIED : CACHE_EXCLUSIVE};
    struct model_snoop snoop = {false, false};

    for (;; k++) {
        uint64_t *entry;

        found.level = k;
        if (k == model->private_levels) {
            found.left = true;
            snoop = model_snoop(model, cpu, line, store);
            found.transfer = snoop.modified;
            if (snoop.held && !store) {
                found.grant = CACHE_SHARED;
            }
        }
        if (k == levels || found.transfer) {
            return found;
        }
        cpu->counts.level[k].accesses++;
        entry = cache_touch(cpu->cache[k], cache_set(cpu->cache[k], virtual_line, line), line);
        if (!entry) {
            count_miss(model, cpu, k, line);
            continue;
        }
        if (!found.left && !(store && cache_entry_state(*entry) != CACHE_SHARED)) {
            found.grant = cache_entry_state(*entry);
        }
        if (model->machine.level[k].inclusion == MACHINE_EXCLUSIVE) {
            bool dirty = cache_entry_state(*entry) == CACHE_MODIFIED;

            if (dirty && found.grant == CACHE_EXCLUSIVE) {
                found.grant = CACHE_MODIFIED;
            }
            model_drop(model, cpu, k, line, false);
        } else {
            found.entry = entry;
            if (found.grant == CACHE_MODIFIED && !store) {
                found.grant = CACHE_EXCLUSIVE; /* the dirty copy stays where it is */
            }
            if (model->split_on) {
                split_use(cpu->split[k], line);
            }
        }
        return found;
    }
}

/*
 * Get a line from level k or beyond it, into the levels from there down to `inner`. Returns the
 * state in which level `inner` has it afterwards.
 */
static enum cache_state request(struct model *model, struct model_cpu *cpu, uint32_t k,
                                uint64_t virtual_line, uint64_t line, bool store, uint32_t inner)
{
    uint32_t levels = model->machine.levels;
    uint32_t dirty_level = inner == 0 && model->machine.level[0].write_back ? 0 : 1;
    struct found found = look_outwards(model, cpu, k, virtual_line, line, store);
    uint32_t from = found.level;

    if (found.left) {
        struct model_range *range = model_range_of(model, line);

        if (range) {
            range->misses++;
            range->transfers += found.transfer;
        }
    }
    if (found.transfer) {
        timing_miss(&cpu->timing, model_instructions(cpu), model->machine.transfer_latency_cycles,
                    model->machine.transfer_latency_cycles - model->latency[0], cpu->bus[levels],
                    model->occupancy[levels]);
    } else if (!(inner == 1 && from == 1)) {
        timing_miss(&cpu->timing, model_instructions(cpu), model->latency[from],
                    model->latency[from] - model->latency[0], cpu->bus[from],
                    model->occupancy[from]);
    }
    if (from == levels && !found.transfer) {
        cpu->counts.memory_reads++;
        fetch_extras(model, cpu, virtual_line, line);
    }
    if (store && found.grant == CACHE_SHARED) {
        upgrade(model, cpu, line);
        found.grant = CACHE_MODIFIED;
    }
    if (found.entry && from == dirty_level && found.grant == CACHE_MODIFIED) {
        cache_entry_set_state(found.entry, CACHE_MODIFIED);
    }
    while (from-- > inner) {
        enum cache_state state = found.grant;

        if (from > 0 && model->machine.level[from].inclusion == MACHINE_EXCLUSIVE) {
            continue;
        }
        if (state == CACHE_MODIFIED && from != dirty_level) {
            state = CACHE_EXCLUSIVE;
        }
        model_fill(model, cpu, from, virtual_line, line, state);
    }
    return found.grant == CACHE_MODIFIED && dirty_level != inner ? CACHE_EXCLUSIVE : found.grant;
}

/* The line is not where L1 should have it. Returns its state in L1 afterwards. */
static __attribute__((noinline)) enum cache_state miss_l1(struct model *model,
                                                          struct model_cpu *cpu,
                                                          uint64_t virtual_line, uint64_t line,
                                                          bool store)
{
    uint32_t inner = store && !model->machine.level[0].write_allocate ? 1 : 0;

    if (!cpu->active) {
        cpu->active = true;
        model->active_cpus++;
        model_choose_path(model);
    }
    count_miss(model, cpu, 0, line);
    if (cpu->cache[0]->positions > 1 && cache_find(cpu->cache[0], line)) {
        cpu->counts.synonyms++;
        model_evict_synonym(model, cpu, line);
    }
    return request(model, cpu, 1, virtual_line, line, store, inner);
}

/* A store found its line in L1. Returns the line's state there afterwards. */
static __attribute__((noinline)) enum cache_state store_hit(struct model *model,
                                                            struct model_cpu *cpu, uint64_t *entry,
                                                            uint64_t virtual_line, uint64_t line)
{
    enum cache_state state = cache_entry_state(*entry);

    if (!model->machine.level[0].write_back) {
        request(model, cpu, 1, virtual_line, line, true, 1);
        return state;
    }
    if (state == CACHE_SHARED) {
        upgrade(model, cpu, line);
    }
    cache_entry_set_state(entry, CACHE_MODIFIED);
    return CACHE_MODIFIED;
}

__attribute__((noinline)) void model_use_tlb(struct model *model, struct model_cpu *cpu,
                                             uint64_t page)
{
    cpu->last_page = page;
    if (tlb_miss(&cpu->tlb, page)) {
        cpu->counts.tlb_misses++;
        timing_stall(&cpu->timing, model->machine.tlb_miss_cycles);
    }
}

void model_access(struct model *model, struct model_cpu *cpu, uint64_t virt, uint64_t phys,
                  uint32_t store, uint64_t pc)
{
    uint64_t virtual_line = virt >> model->line_shift;
    uint64_t line = phys >> model->line_shift;
    uint64_t *set;
    uint64_t *entry;
    enum cache_state state;

    cpu->count[store]++;
    if (virt >> model->page_shift != cpu->last_page) {
        model_use_tlb(model, cpu, virt >> model->page_shift);
    }
    set = cache_set_entries(cpu->cache[0], cache_set(cpu->cache[0], virtual_line, line));
    entry = cache_touch_at(set, cpu->cache[0]->ways, line);
    if (entry) {
        if (model->split_on) {
            split_use(cpu->split[0], line);
        }
        state = cache_entry_state(*entry);
        if (store && state != CACHE_MODIFIED) {
            state = store_hit(model, cpu, entry, virtual_line, line);
        }
    } else {
        state = miss_l1(model, cpu, virtual_line, line, store);
        if (store && !model->machine.level[0].write_allocate) {
            virtual_line = MODEL_NONE; /* not in L1 */
        }
    }
    if (model->filter_on) {
        cpu->last[0] = virtual_line;
        cpu->last[1] = state == CACHE_MODIFIED ? virtual_line : MODEL_NONE;
    }
    if (model->sampler.on) {
        model_sample(model, cpu, pc);
    }
}
