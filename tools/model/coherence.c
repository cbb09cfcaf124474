/*
 * MESI between the CPUs' private levels: what a request that left one CPU does to the others.
 */
#include "tools/model/model.h"

struct model_range *model_find_range(struct model *model, uint64_t line)
{
    uint64_t first = line << model->line_shift;
    uint64_t end = first + model->machine.line_bytes;

    for (uint32_t i = 0; i < model->ranges; i++) {
        struct model_range *range = &model->range[i];

        if (first < range->end_phys && range->start_phys < end &&
            (model->pieces[i].count == 0 || model_in_pieces(&model->pieces[i], first, end))) {
            return range;
        }
    }
    return NULL;
}

bool model_held_elsewhere(struct model *model, const struct model_cpu *cpu, uint64_t line)
{
    if (model->active_cpus <= 1) {
        return false;
    }
    for (uint32_t i = 0; i < model->machine.cpus; i++) {
        struct model_cpu *other = &model->cpu[i];

        if (other == cpu || !other->active) {
            continue;
        }
        for (uint32_t k = 0; k < model->private_levels; k++) {
            if (cache_find(other->cache[k], line)) {
                return true;
            }
        }
    }
    return false;
}

/* A store elsewhere: this CPU's copies go. Returns the strongest state among them. */
static enum cache_state take_away(struct model *model, struct model_cpu *cpu, uint64_t line)
{
    enum cache_state best = CACHE_INVALID;

    for (uint32_t k = 0; k < model->private_levels; k++) {
        uint64_t *entry = cache_find(cpu->cache[k], line);

        if (entry) {
            best = cache_entry_state(*entry) > best ? cache_entry_state(*entry) : best;
            cpu->counts.level[k].invalidations++;
            model_drop(model, cpu, k, line, true);
        }
    }
    return best;
}

/* A load elsewhere: this CPU's copies become shared. Returns the strongest state they had. */
static enum cache_state make_shared(struct model *model, struct model_cpu *cpu, uint64_t line)
{
    enum cache_state best = CACHE_INVALID;

    for (uint32_t k = 0; k < model->private_levels; k++) {
        uint64_t *entry = cache_find(cpu->cache[k], line);

        if (entry) {
            best = cache_entry_state(*entry) > best ? cache_entry_state(*entry) : best;
            cache_entry_set_state(entry, CACHE_SHARED);
            cpu->last[1] = MODEL_NONE;
        }
    }
    return best;
}

/* A modified line was read by another CPU: the shared level that has it, or memory, is updated. */
static void update_behind(struct model *model, struct model_cpu *owner, uint64_t line)
{
    uint32_t k = model->private_levels;

    if (k < model->machine.levels && model->machine.level[k].inclusion != MACHINE_EXCLUSIVE) {
        uint64_t *entry = cache_find(owner->cache[k], line);

        if (entry) {
            cache_entry_set_state(entry, CACHE_MODIFIED);
            return;
        }
    }
    owner->counts.snoop_writebacks++;
    owner->counts.memory_writes++;
}

struct model_snoop model_snoop_others(struct model *model, struct model_cpu *cpu, uint64_t line,
                                      bool store)
{
    struct model_snoop snoop = {false, false};
    struct model_range *range = model_range_of(model, line);

    for (uint32_t i = 0; i < model->machine.cpus; i++) {
        struct model_cpu *other = &model->cpu[i];
        enum cache_state state;

        if (other == cpu || !other->active) {
            continue;
        }
        state = store ? take_away(model, other, line) : make_shared(model, other, line);
        if (state == CACHE_INVALID) {
            continue;
        }
        snoop.held = true;
        if (store && range) {
            range->invalidations++;
        }
        if (state == CACHE_MODIFIED) {
            snoop.modified = true;
            cpu->counts.transfers_in++;
            other->counts.transfers_out++;
            if (!store) {
                update_behind(model, other, line);
            }
        }
    }
    return snoop;
}
