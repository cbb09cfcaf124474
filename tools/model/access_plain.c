/*
 * The miss that most runs consist of: two private write-back levels, neither of them exclusive or
 * fetching extra lines, one CPU at work, no split, no named range (model_choose_path()). Does what
 * request() in access.c would do, in a third of the instructions; the differential tests hold the
 * two together. With one CPU no line is ever shared, so nothing is asked of anybody.
 */
#include "tools/model/model.h"

static inline void miss(struct model *model, struct model_cpu *cpu, uint32_t level)
{
    timing_miss(&cpu->timing, model_instructions(cpu), model->latency[level],
                model->latency[level] - model->latency[0], cpu->bus[level],
                model->occupancy[level]);
}

static inline void insert(struct model *model, struct model_cpu *cpu, uint32_t k, uint64_t *set,
                          uint64_t line, enum cache_state state)
{
    uint64_t victim = cache_insert_at(cpu->cache[k], set, line, state);

    if (victim && (model->victim_matters[k] || cache_entry_state(victim) == CACHE_MODIFIED)) {
        model_evict(model, cpu, k, cache_entry_line(victim), cache_entry_state(victim));
    }
}

enum cache_state model_miss_plain(struct model *model, struct model_cpu *cpu, uint64_t *l1_set,
                                  uint64_t line, bool store)
{
    enum cache_state state = store ? CACHE_MODIFIED : CACHE_EXCLUSIVE;
    struct cache *l1 = cpu->cache[0];
    struct cache *l2 = cpu->cache[1];
    uint64_t *set = cache_set_entries(l2, cache_set(l2, line, line));

    cpu->counts.level[0].misses++;
    if (l1->held && cache_find(l1, line)) {
        cpu->counts.synonyms++;
        model_evict_synonym(model, cpu, line);
    }
    cpu->counts.level[1].accesses++;
    if (cache_touch_at(l2, set, line)) {
        miss(model, cpu, 1);
    } else {
        cpu->counts.level[1].misses++;
        cpu->counts.memory_reads++;
        miss(model, cpu, 2);
        insert(model, cpu, 1, set, line, CACHE_EXCLUSIVE);
    }
    insert(model, cpu, 0, l1_set, line, state);
    return state;
}
