/*
 * The short way through an access: L1 looked up and counters advanced in the caller's own code.
 * The plugin's callback and the differential tests use it; what it does not settle, and whatever
 * the settings do not allow (model_choose_path()), is left to model_access(), which does the same
 * in every case. It must never change what model_access() would have counted.
 */
#ifndef TOOLS_MODEL_QUICK_H
#define TOOLS_MODEL_QUICK_H

#include "tools/model/model.h"

/* One access inside a line; page is virt's. False: nothing was counted, call model_access(). */
static inline bool model_quick(struct model *model, struct model_cpu *cpu, uint64_t virt,
                               uint64_t phys, uint64_t page, uint32_t store)
{
    const struct model_quick *quick = &cpu->quick;
    uint64_t line = phys >> quick->line_shift;
    uint64_t virtual_line = virt >> quick->line_shift;
    uint64_t index = (quick->virtual_index ? virtual_line : line) & quick->set_mask;
    uint64_t *entry = quick->entry + (index << quick->set_shift);
    enum cache_state state;

    if (!cache_touch_at(entry, quick->ways, line)) {
        if (!quick->plain) {
            return false;
        }
        model_miss_plain(model, cpu, entry, virt, line, store);
        return true;
    }
    state = cache_entry_state(*entry);
    if (store && state != CACHE_MODIFIED) {
        if (state != CACHE_EXCLUSIVE || !quick->write_back) {
            return false; /* others have to be asked: having touched the line changes nothing */
        }
        state = CACHE_MODIFIED;
        cache_entry_set_state(entry, state);
    }
    cpu->count[store]++;
    cpu->last[0] = virtual_line;
    cpu->last[1] = state == CACHE_MODIFIED ? virtual_line : MODEL_NONE;
    if (page != cpu->last_page) {
        model_use_tlb(model, cpu, page);
    }
    return true;
}

#endif
