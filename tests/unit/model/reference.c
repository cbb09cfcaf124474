/*
 * The slow model: see reference.h. Written from the rules in tools/model/model.h and timing.h.
 */
#include "tests/unit/model/reference.h"

#include <stdlib.h>
#include <string.h>

/* ---- where things are ---- */

static bool is_private(const struct reference *ref, uint32_t k)
{
    return ref->machine.level[k].shared_by == 1 || ref->machine.cpus == 1;
}

static struct ref_cache *cache_of(struct reference *ref, uint32_t c, uint32_t k)
{
    return &ref->cache[k][is_private(ref, k) ? c : 0];
}

static uint32_t lines_in(const struct reference *ref, uint32_t k)
{
    return (uint32_t)(ref->machine.level[k].size_bytes / ref->machine.line_bytes);
}

static uint32_t set_of(const struct reference *ref, uint32_t k, uint64_t virt, uint64_t phys)
{
    const struct machine_level *level = &ref->machine.level[k];
    uint32_t sets = lines_in(ref, k) / level->ways;
    uint32_t set = (uint32_t)(phys / ref->machine.line_bytes % sets);

    if (level->virtual_index) {
        set = (uint32_t)(virt / ref->machine.line_bytes % sets);
    }
    if (level->hash_bits) {
        uint32_t plain = sets >> level->hash_bits;

        set %= plain;
        for (uint32_t bit = 0; bit < level->hash_bits; bit++) {
            uint64_t picked =
                phys / ref->machine.line_bytes * ref->machine.line_bytes & level->hash_mask[bit];
            uint32_t ones = 0;

            for (; picked; picked >>= 1) {
                ones += picked & 1;
            }
            set += ones % 2 * plain << bit;
        }
    }
    return set;
}

static struct ref_copy *anywhere(struct reference *ref, uint32_t c, uint32_t k, uint64_t line)
{
    struct ref_cache *cache = cache_of(ref, c, k);

    for (uint32_t i = 0; i < lines_in(ref, k); i++) {
        if (cache->copy[i].state && cache->copy[i].line == line) {
            return &cache->copy[i];
        }
    }
    return NULL;
}

/* ---- kinds of misses ---- */

static void shadow_use(struct reference *ref, uint32_t c, uint32_t k, uint64_t line)
{
    struct ref_cache *cache = cache_of(ref, c, k);
    struct ref_copy *oldest = &cache->shadow[0];

    if (!ref->split) {
        return;
    }
    cache->met[line] = 1;
    for (uint32_t i = 0; i < lines_in(ref, k); i++) {
        struct ref_copy *copy = &cache->shadow[i];

        if (copy->state && copy->line == line) {
            copy->used = ++ref->now;
            return;
        }
        if (copy->used < oldest->used) {
            oldest = copy;
        }
    }
    *oldest = (struct ref_copy){.line = line, .state = 'E', .used = ++ref->now};
}

static void shadow_remove(struct reference *ref, uint32_t c, uint32_t k, uint64_t line, bool store)
{
    struct ref_cache *cache = cache_of(ref, c, k);

    if (!ref->split) {
        return;
    }
    for (uint32_t i = 0; i < lines_in(ref, k); i++) {
        if (cache->shadow[i].state && cache->shadow[i].line == line) {
            memset(&cache->shadow[i], 0, sizeof(cache->shadow[i]));
        }
    }
    if (store) {
        cache->taken[line] = 1;
    }
}

static void count_miss(struct reference *ref, uint32_t c, uint32_t k, uint64_t line)
{
    struct model_level_counts *counts = &ref->cpu[c].counts.level[k];
    struct ref_cache *cache = cache_of(ref, c, k);
    bool in_shadow = false;

    counts->misses++;
    if (!ref->split) {
        return;
    }
    for (uint32_t i = 0; i < lines_in(ref, k); i++) {
        in_shadow = in_shadow || (cache->shadow[i].state && cache->shadow[i].line == line);
    }
    if (cache->taken[line]) {
        counts->coherence++;
        cache->taken[line] = 0;
    } else if (!cache->met[line]) {
        counts->compulsory++;
        cache->met[line] = 1;
    } else if (in_shadow) {
        counts->conflict++;
    } else {
        counts->capacity++;
    }
}

/* ---- time ---- */

static uint64_t bus_take(struct reference *ref, uint32_t c, uint32_t k, uint64_t ready)
{
    bool memory = k == ref->machine.levels;
    struct ref_bus *bus = &ref->bus[k][!memory && is_private(ref, k) ? c : 0];
    uint32_t rate =
        memory ? ref->machine.memory_bandwidth_milli : ref->machine.level[k].bandwidth_milli;
    uint64_t length = (ref->machine.line_bytes * 1000ull + rate - 1) / rate;
    uint64_t window = ready / 1024;

    for (;; window++) {
        uint32_t i = window % REF_WINDOWS;

        if (bus->number[i] > window + 1) {
            return ready;
        }
        if (bus->number[i] < window + 1) {
            bus->number[i] = window + 1;
            bus->used[i] = 0;
        }
        if (bus->used[i] + length <= 1024) {
            bus->used[i] += length;
            return bus->used[i] + window * 1024 > ready ? bus->used[i] + window * 1024 : ready;
        }
    }
}

static uint64_t now_overlap(const struct ref_cpu *cpu)
{
    return cpu->instructions + cpu->overlap_stall;
}

/* k: whose bus; -1: none */
static void wait_for(struct reference *ref, uint32_t c, uint64_t latency, uint64_t stall, int k)
{
    struct ref_cpu *cpu = &ref->cpu[c];
    uint64_t *done = &cpu->done[cpu->misses_issued++ % ref->machine.outstanding_misses];

    cpu->serial_stall += stall;
    if (*done > now_overlap(cpu)) {
        cpu->overlap_stall += *done - now_overlap(cpu);
    }
    *done = now_overlap(cpu) + latency;
    if (k >= 0) {
        *done = bus_take(ref, c, (uint32_t)k, *done);
    }
    cpu->last_done = *done > cpu->last_done ? *done : cpu->last_done;
}

static void use_tlb(struct reference *ref, uint32_t c, uint64_t page)
{
    const struct machine *m = &ref->machine;
    struct ref_cpu *cpu = &ref->cpu[c];
    uint32_t sets = m->tlb_entries ? m->tlb_entries / m->tlb_ways : 0;
    uint32_t oldest = UINT32_MAX;

    if (sets == 0) {
        return;
    }
    for (uint32_t i = (uint32_t)(page % sets); i < m->tlb_entries; i += sets) {
        if (cpu->tlb[i].used && cpu->tlb[i].page == page) {
            cpu->tlb[i].used = ++ref->now;
            return;
        }
        if (oldest == UINT32_MAX || cpu->tlb[i].used < cpu->tlb[oldest].used) {
            oldest = i;
        }
    }
    cpu->tlb[oldest].page = page;
    cpu->tlb[oldest].used = ++ref->now;
    cpu->counts.tlb_misses++;
    cpu->serial_stall += m->tlb_miss_cycles;
    cpu->overlap_stall += m->tlb_miss_cycles;
}

/* ---- lines coming and going ---- */

static void put(struct reference *ref, uint32_t c, uint32_t k, uint64_t virt, uint64_t phys,
                char state);

static void write_back(struct reference *ref, uint32_t c, uint32_t k, uint64_t line)
{
    uint64_t phys = line * ref->machine.line_bytes;
    struct ref_copy *copy;

    bus_take(ref, c, k, now_overlap(&ref->cpu[c]));
    if (k == ref->machine.levels) {
        ref->cpu[c].counts.memory_writes++;
        return;
    }
    copy = anywhere(ref, c, k, line);
    if (copy) {
        copy->state = 'M';
        copy->used = ++ref->now;
        shadow_use(ref, c, k, line);
    } else {
        put(ref, c, k, phys, phys, 'M');
    }
}

/* A line has left level k for want of room, or from a wrong position. */
static void leave(struct reference *ref, uint32_t c, uint32_t k, uint64_t line, char state)
{
    const struct machine *m = &ref->machine;

    if (m->level[k].inclusion == MACHINE_INCLUSIVE) {
        for (uint32_t o = 0; o < m->cpus; o++) {
            for (uint32_t j = 0; j < k; j++) {
                /* a private level belongs to this CPU, or level k is everybody's */
                bool concerned = is_private(ref, k) || !is_private(ref, j) ? o == c : true;
                struct ref_copy *copy = concerned ? anywhere(ref, o, j, line) : NULL;

                if (copy) {
                    state = copy->state == 'M' ? 'M' : state;
                    copy->state = 0;
                    ref->cpu[o].counts.level[j].back_invalidates++;
                    shadow_remove(ref, o, j, line, false);
                }
            }
        }
    }
    if (state == 'M') {
        ref->cpu[c].counts.level[k].writebacks++;
    }
    if (k + 1 < m->levels && m->level[k + 1].inclusion == MACHINE_EXCLUSIVE) {
        struct ref_copy *copy = anywhere(ref, c, k + 1, line);

        bus_take(ref, c, k + 1, now_overlap(&ref->cpu[c]));
        if (copy) {
            copy->state = state == 'M' ? 'M' : copy->state;
            copy->used = ++ref->now;
            shadow_use(ref, c, k + 1, line);
        } else {
            put(ref, c, k + 1, line * m->line_bytes, line * m->line_bytes, state);
        }
    } else if (state == 'M') {
        write_back(ref, c, k + 1, line);
    }
}

static void put(struct reference *ref, uint32_t c, uint32_t k, uint64_t virt, uint64_t phys,
                char state)
{
    struct ref_cache *cache = cache_of(ref, c, k);
    uint32_t set = set_of(ref, k, virt, phys);
    uint64_t line = phys / ref->machine.line_bytes;
    struct ref_copy *place = NULL;
    struct ref_copy victim = {0};
    uint32_t in_set = 0;

    for (uint32_t i = 0; i < lines_in(ref, k); i++) {
        struct ref_copy *copy = &cache->copy[i];

        if (copy->state && copy->set == set) {
            in_set++;
            if (!place || copy->used < place->used) {
                place = copy;
            }
        }
    }
    if (in_set == ref->machine.level[k].ways) {
        victim = *place;
    } else {
        for (place = cache->copy; place->state; place++) {
        }
    }
    *place = (struct ref_copy){line, set, state, ++ref->now};
    shadow_use(ref, c, k, line);
    if (victim.state) {
        leave(ref, c, k, victim.line, victim.state);
    }
}

/* ---- the other CPUs ---- */

static bool held_elsewhere(struct reference *ref, uint32_t c, uint64_t line)
{
    for (uint32_t o = 0; o < ref->machine.cpus; o++) {
        for (uint32_t k = 0; k < ref->machine.levels && o != c; k++) {
            if (is_private(ref, k) && anywhere(ref, o, k, line)) {
                return true;
            }
        }
    }
    return false;
}

/* The first level that all CPUs share, or the number of levels. */
static uint32_t first_shared(const struct reference *ref)
{
    uint32_t k = 0;

    while (k < ref->machine.levels && is_private(ref, k)) {
        k++;
    }
    return k;
}

/* Tell the others of a load or a store. Returns 'M' if one had the line modified, 'S' if any had
 * it, 0 if none. */
static char ask_others(struct reference *ref, uint32_t c, uint64_t line, bool store)
{
    char answer = 0;

    for (uint32_t o = 0; o < ref->machine.cpus; o++) {
        bool had = false;
        bool dirty = false;

        for (uint32_t k = 0; k < first_shared(ref) && o != c; k++) {
            struct ref_copy *copy = anywhere(ref, o, k, line);

            if (!copy) {
                continue;
            }
            had = true;
            dirty = dirty || copy->state == 'M';
            copy->state = store ? 0 : 'S';
            if (store) {
                ref->cpu[o].counts.level[k].invalidations++;
                shadow_remove(ref, o, k, line, true);
            }
        }
        if (dirty) {
            uint32_t shared = first_shared(ref);
            struct ref_copy *behind = NULL;

            ref->cpu[c].counts.transfers_in++;
            ref->cpu[o].counts.transfers_out++;
            if (shared < ref->machine.levels &&
                ref->machine.level[shared].inclusion != MACHINE_EXCLUSIVE) {
                behind = anywhere(ref, o, shared, line);
            }
            if (!store && behind) {
                behind->state = 'M';
            } else if (!store) {
                ref->cpu[o].counts.snoop_writebacks++;
                ref->cpu[o].counts.memory_writes++;
            }
        }
        answer = dirty ? 'M' : had && !answer ? 'S' : answer;
    }
    return answer;
}

static void upgrade(struct reference *ref, uint32_t c, uint64_t line)
{
    uint32_t shared = first_shared(ref);

    ref->cpu[c].counts.upgrades++;
    ask_others(ref, c, line, true);
    if (shared < ref->machine.levels && ref->machine.level[shared].inclusion == MACHINE_EXCLUSIVE) {
        struct ref_copy *copy = anywhere(ref, c, shared, line);

        if (copy) {
            copy->state = 0;
            shadow_remove(ref, c, shared, line, false);
        }
    }
    wait_for(ref, c, ref->machine.transfer_latency_cycles, ref->machine.transfer_latency_cycles,
             -1);
}

/* ---- one access ---- */

static void fetch_unasked(struct reference *ref, uint32_t c, uint64_t virt, uint64_t phys)
{
    uint32_t last = ref->machine.levels - 1;
    uint64_t line = phys / ref->machine.line_bytes;

    if (!anywhere(ref, c, last, line) && !held_elsewhere(ref, c, line)) {
        ref->cpu[c].counts.level[last].extra_fills++;
        ref->cpu[c].counts.memory_reads++;
        bus_take(ref, c, last + 1, now_overlap(&ref->cpu[c]));
        put(ref, c, last, virt, phys, 'E');
    }
}

static void memory_served(struct reference *ref, uint32_t c, uint64_t virt, uint64_t phys)
{
    const struct machine *m = &ref->machine;
    const struct machine_level *last = &m->level[m->levels - 1];
    uint64_t sector = phys / last->sector_bytes * last->sector_bytes;

    ref->cpu[c].counts.memory_reads++;
    for (uint64_t other = sector; other < sector + last->sector_bytes; other += m->line_bytes) {
        if (other != phys) {
            fetch_unasked(ref, c, virt + other - phys, other);
        }
    }
    if (last->prefetch_next && phys / m->page_bytes == (phys + m->line_bytes) / m->page_bytes) {
        fetch_unasked(ref, c, virt + m->line_bytes, phys + m->line_bytes);
    }
}

/*
 * Look for the line from level k outwards and bring it into the levels inside of where it was,
 * down to `inner`. virt and phys are those of the line's first byte.
 */
static void get(struct reference *ref, uint32_t c, uint32_t k, uint64_t virt, uint64_t phys,
                bool store, uint32_t inner)
{
    const struct machine *m = &ref->machine;
    uint64_t line = phys / m->line_bytes;
    uint32_t dirty_level = inner > 0 || !m->level[0].write_back ? 1 : 0;
    char others = 0;
    char grant = store ? 'M' : 'E';
    bool found = false;
    bool shared_before = false;

    for (; !found; k++) {
        struct ref_copy *copy;

        if (k == first_shared(ref)) {
            others = ask_others(ref, c, line, store);
            grant = others && !store ? 'S' : grant;
        }
        if (k == m->levels || others == 'M') {
            break;
        }
        ref->cpu[c].counts.level[k].accesses++;
        copy = anywhere(ref, c, k, line);
        if (!copy || copy->set != set_of(ref, k, virt, phys)) {
            count_miss(ref, c, k, line);
            continue;
        }
        found = true;
        copy->used = ++ref->now;
        if (k < first_shared(ref)) {
            shared_before = copy->state == 'S';
            grant = store ? 'M' : copy->state;
        } else if (copy->state == 'M' && grant == 'E' &&
                   m->level[k].inclusion == MACHINE_EXCLUSIVE) {
            grant = 'M';
        }
        if (m->level[k].inclusion == MACHINE_EXCLUSIVE) {
            copy->state = 0;
            shadow_remove(ref, c, k, line, false);
        } else {
            shadow_use(ref, c, k, line);
            if (store && k == dirty_level) {
                copy->state = 'M';
            }
            if (!store && grant == 'M') {
                grant = 'E';
            }
        }
        break;
    }
    /* k is where the line was, or the first level that was not looked at */
    if (others == 'M') {
        wait_for(ref, c, m->transfer_latency_cycles,
                 m->transfer_latency_cycles - m->level[0].latency_cycles, (int)m->levels);
    } else if (inner == 0 || k != 1) {
        uint32_t latency = k == m->levels ? m->memory_latency_cycles : m->level[k].latency_cycles;

        wait_for(ref, c, latency, latency - m->level[0].latency_cycles, (int)k);
    }
    if (k == m->levels && others != 'M') {
        memory_served(ref, c, virt, phys);
    }
    if (store && shared_before) {
        upgrade(ref, c, line);
    }
    while (k-- > inner) {
        if (k == 0 || m->level[k].inclusion != MACHINE_EXCLUSIVE) {
            put(ref, c, k, virt, phys, grant == 'M' && k != dirty_level ? 'E' : grant);
        }
    }
}

void reference_access(struct reference *ref, uint32_t c, uint64_t virt, uint64_t phys, bool store)
{
    const struct machine *m = &ref->machine;
    struct ref_copy *copy;
    uint64_t line = phys / m->line_bytes;

    virt -= virt % m->line_bytes;
    phys -= phys % m->line_bytes;
    ref->cpu[c].instructions++;
    ref->cpu[c].counts.loads += !store;
    ref->cpu[c].counts.stores += store;
    ref->cpu[c].counts.level[0].accesses++;
    use_tlb(ref, c, virt / m->page_bytes);
    copy = anywhere(ref, c, 0, line);
    if (copy && copy->set == set_of(ref, 0, virt, phys)) {
        copy->used = ++ref->now;
        shadow_use(ref, c, 0, line);
        if (store && !m->level[0].write_back) {
            get(ref, c, 1, virt, phys, true, 1);
        } else if (store) {
            if (copy->state == 'S') {
                upgrade(ref, c, line);
            }
            copy->state = 'M';
        }
        return;
    }
    count_miss(ref, c, 0, line);
    if (copy) {
        char state = copy->state;

        copy->state = 0;
        shadow_remove(ref, c, 0, line, false);
        ref->cpu[c].counts.synonyms++;
        leave(ref, c, 0, line, state);
    }
    get(ref, c, 1, virt, phys, store, store && !m->level[0].write_allocate ? 1 : 0);
}

struct reference *reference_create(const struct machine *machine, bool split)
{
    struct reference *ref = calloc(1, sizeof(*ref));

    if (ref) {
        ref->machine = *machine;
        ref->split = split;
    }
    return ref;
}

void reference_read(const struct reference *ref, uint32_t c, struct model_cpu_counts *counts)
{
    const struct ref_cpu *cpu = &ref->cpu[c];
    uint64_t accesses = cpu->counts.loads + cpu->counts.stores;

    *counts = cpu->counts;
    counts->instructions = cpu->instructions;
    for (uint32_t k = 0; k < ref->machine.levels; k++) {
        counts->level[k].hits = counts->level[k].accesses - counts->level[k].misses;
    }
    counts->serial_cycles = cpu->instructions +
                            accesses * (ref->machine.level[0].latency_cycles - 1) +
                            cpu->serial_stall;
    counts->overlap_cycles = cpu->last_done > now_overlap(cpu) ? cpu->last_done : now_overlap(cpu);
}
