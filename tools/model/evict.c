/*
 * Lines leaving levels: victims, write-backs, removals.
 */
#include "tools/model/model.h"

static uint64_t now_overlap(const struct model_cpu *cpu)
{
    return model_instructions(cpu) + cpu->timing.overlap_stall;
}

void model_drop(struct model *model, struct model_cpu *cpu, uint32_t k, uint64_t line,
                bool by_store)
{
    uint64_t *entry = cache_find(cpu->cache[k], line);

    if (!entry) {
        return;
    }
    cache_remove(cpu->cache[k], entry);
    if (model->split_on) {
        split_remove(cpu->split[k], line, by_store);
    }
    if (k == 0) {
        cpu->last[0] = MODEL_NONE;
        cpu->last[1] = MODEL_NONE;
    }
}

/* Level k of a CPU lets a line go and includes the inner levels: they lose it too. Returns true if
 * one of their copies was modified. */
static bool empty_inner(struct model *model, struct model_cpu *cpu, uint32_t k, uint64_t line)
{
    bool modified = false;

    for (uint32_t j = 0; j < k; j++) {
        uint64_t *entry = cache_find(cpu->cache[j], line);

        if (entry) {
            modified |= cache_entry_state(*entry) == CACHE_MODIFIED;
            cpu->counts.level[j].back_invalidates++;
            model_drop(model, cpu, j, line, false);
        }
    }
    return modified;
}

static enum cache_state back_invalidate(struct model *model, struct model_cpu *cpu, uint32_t k,
                                        uint64_t line, enum cache_state state)
{
    bool modified = false;

    if (k < model->private_levels) {
        modified = empty_inner(model, cpu, k, line);
    } else {
        for (uint32_t i = 0; i < model->machine.cpus; i++) {
            /* only its private levels: between shared ones there is nothing to do twice */
            modified |= empty_inner(model, &model->cpu[i], model->private_levels, line);
        }
        for (uint32_t j = model->private_levels; j < k; j++) {
            uint64_t *entry = cache_find(cpu->cache[j], line);

            if (entry) {
                modified |= cache_entry_state(*entry) == CACHE_MODIFIED;
                cpu->counts.level[j].back_invalidates++;
                model_drop(model, cpu, j, line, false);
            }
        }
    }
    return modified ? CACHE_MODIFIED : state;
}

/* An exclusive level takes what the level inside it had to let go. */
static void take_victim(struct model *model, struct model_cpu *cpu, uint32_t k, uint64_t line,
                        enum cache_state state)
{
    uint64_t *entry = cache_touch(cpu->cache[k], cache_set(cpu->cache[k], line, line), line);

    timing_bus_take(cpu->bus[k], now_overlap(cpu), model->occupancy[k]);
    if (!entry) {
        model_fill(model, cpu, k, line, line, state);
        return;
    }
    if (state == CACHE_MODIFIED) {
        cache_entry_set_state(entry, state);
    }
    if (model->split_on) {
        split_use(cpu->split[k], line);
    }
}

void model_evict(struct model *model, struct model_cpu *cpu, uint32_t k, uint64_t line,
                 enum cache_state state)
{
    uint32_t next = k + 1;

    if (model->machine.level[k].inclusion == MACHINE_INCLUSIVE) {
        state = back_invalidate(model, cpu, k, line, state);
    }
    if (state == CACHE_MODIFIED) {
        cpu->counts.level[k].writebacks++;
    }
    if (next < model->machine.levels && model->machine.level[next].inclusion == MACHINE_EXCLUSIVE) {
        take_victim(model, cpu, next, line, state);
    } else if (state == CACHE_MODIFIED) {
        model_write_back(model, cpu, next, line);
    }
}

void model_evict_synonym(struct model *model, struct model_cpu *cpu, uint64_t line)
{
    enum cache_state state = cache_entry_state(*cache_find(cpu->cache[0], line));

    model_drop(model, cpu, 0, line, false);
    model_evict(model, cpu, 0, line, state);
}

void model_write_back(struct model *model, struct model_cpu *cpu, uint32_t k, uint64_t line)
{
    uint64_t *entry;

    timing_bus_take(cpu->bus[k], now_overlap(cpu), model->occupancy[k]);
    if (k == model->machine.levels) {
        cpu->counts.memory_writes++;
        return;
    }
    entry = cache_touch(cpu->cache[k], cache_set(cpu->cache[k], line, line), line);
    if (!entry) {
        model_fill(model, cpu, k, line, line, CACHE_MODIFIED);
        return;
    }
    cache_entry_set_state(entry, CACHE_MODIFIED);
    if (model->split_on) {
        split_use(cpu->split[k], line);
    }
}
