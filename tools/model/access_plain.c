/*
 * The miss that most runs consist of: two private write-back levels, neither of them exclusive or
 * fetching extra lines, one CPU at work, no split, no named range (model_choose_path()). Does what
 * model_access() would do, in a third of the instructions; the differential tests hold the two
 * together. With one CPU no line is ever shared, so nothing is asked of anybody.
 */
#include "tools/model/model.h"

static inline void wait_for(struct model *model, struct model_cpu *cpu, uint32_t level)
{
    timing_miss(&cpu->timing, model_instructions(cpu), model->latency[level],
                model->latency[level] - model->latency[0], cpu->bus[level],
                model->occupancy[level]);
}

/* A modified line goes from L1 into L2, where it nearly always is. */
static inline void write_back_l1(struct model *model, struct model_cpu *cpu, uint64_t line)
{
    struct cache *l2 = cpu->cache[1];
    uint64_t *entry = cache_set_entries(l2, cache_set(l2, line, line));

    if (!cache_touch_at(entry, l2->ways, line)) {
        model_evict(model, cpu, 0, line, CACHE_MODIFIED);
        return;
    }
    cpu->counts.level[0].writebacks++;
    timing_bus_take(cpu->bus[1], model_instructions(cpu) + cpu->timing.overlap_stall,
                    model->occupancy[1]);
    cache_entry_set_state(entry, CACHE_MODIFIED);
}

__attribute__((noinline)) void model_miss_plain(struct model *model, struct model_cpu *cpu,
                                                uint64_t *l1_set, uint64_t virt, uint64_t line,
                                                uint32_t store)
{
    struct cache *l1 = cpu->cache[0];
    struct cache *l2 = cpu->cache[1];
    uint64_t *l2_set = cache_set_entries(l2, cache_set(l2, line, line));
    uint64_t page = virt >> model->page_shift;
    uint64_t virtual_line = virt >> model->line_shift;
    uint64_t victim;
    bool hit;

    cpu->count[store]++;
    cpu->last[0] = virtual_line;
    cpu->last[1] = store ? virtual_line : MODEL_NONE;
    if (page != cpu->last_page) {
        model_use_tlb(model, cpu, page);
    }
    cpu->counts.level[0].misses++;
    cpu->counts.level[1].accesses++;
    if (l1->positions > 1 && cache_find(l1, line)) {
        cpu->counts.synonyms++;
        model_evict_synonym(model, cpu, line);
    }
    hit = cache_touch_at(l2_set, l2->ways, line) != NULL;
    wait_for(model, cpu, hit ? 1 : 2);
    if (!hit) {
        cpu->counts.level[1].misses++;
        cpu->counts.memory_reads++;
        victim = cache_insert_at(l2, l2_set, line, CACHE_EXCLUSIVE);
        if (victim && (model->victim_matters[1] || cache_entry_state(victim) == CACHE_MODIFIED)) {
            model_evict(model, cpu, 1, cache_entry_line(victim), cache_entry_state(victim));
        }
    }
    victim = cache_insert_at(l1, l1_set, line, store ? CACHE_MODIFIED : CACHE_EXCLUSIVE);
    if (cache_entry_state(victim) == CACHE_MODIFIED) {
        write_back_l1(model, cpu, cache_entry_line(victim));
    }
}
