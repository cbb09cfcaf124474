/*
 * Every load and store of the guest. Four ways through, from the cheapest: the line is the one of
 * the last access (a counter goes up); its translation is known and the model settles it at once
 * (quick.h); the model gets it as a whole; or QEMU is asked for the physical address, which costs
 * about 20 ns. Nothing here changes what is counted: all ways give the model the same accesses in
 * the same order.
 */
#include "tools/model/plugin.h"

#include <pthread.h>
#include <string.h>

#include "tools/model/quick.h"

/* What an access is, remembered by QEMU's description of it (whose bits are QEMU's business). */
#define KIND_STORE      1u
#define KIND_SIZE_SHIFT 1u /* log2 of the size, 3 bits */
#define KIND_PHYSICAL   16u
#define KIND_KNOWN      128u
#define KIND_INFOS      (1u << 18)

static uint8_t kinds[KIND_INFOS];

/*
 * The same for the short ways: store | room << 1, where an access lies in one line when its offset
 * there is less than room. 0, which no access fits: not known yet, or PALcode's physical ones.
 */
static uint16_t rooms[KIND_INFOS];

/* QEMU's third MMU index on Alpha is PALcode's "physical"; the index is in the lowest 4 bits. */
#define ALPHA_MMU_PHYSICAL 2u

static uint8_t __attribute__((noinline)) learn_kind(qemu_plugin_meminfo_t info)
{
    uint8_t kind = KIND_KNOWN;

    kind |= qemu_plugin_mem_is_store(info) ? KIND_STORE : 0;
    kind |= (uint8_t)(qemu_plugin_mem_size_shift(info) & 7u) << KIND_SIZE_SHIFT;
    kind |= plugin.alpha && (info & 15u) == ALPHA_MMU_PHYSICAL ? KIND_PHYSICAL : 0;
    if (info < KIND_INFOS) {
        uint32_t line_bytes = 1u << plugin.line_shift;
        uint32_t bytes = 1u << (kind >> KIND_SIZE_SHIFT & 7u);

        kinds[info] = kind;
        if (!(kind & KIND_PHYSICAL) && bytes <= line_bytes) {
            rooms[info] = (uint16_t)((line_bytes - bytes + 1) << 1 | (kind & KIND_STORE));
        }
    }
    return kind;
}

void plugin_flush(struct plugin_cpu *cpu)
{
    cpu->generation += UINT64_C(1) << PLUGIN_GENERATION_SHIFT;
    if (cpu->generation == 0) { /* after 4095 flushes */
        memset(cpu->tlb, 0, sizeof(cpu->tlb));
        cpu->generation = UINT64_C(1) << PLUGIN_GENERATION_SHIFT;
    }
    cpu->model->last[0] = MODEL_NONE;
    cpu->model->last[1] = MODEL_NONE;
}

static void watch_threads(struct plugin_cpu *cpu)
{
    static uint64_t first;

    cpu->seen = true;
    cpu->thread = (uint64_t)pthread_self();
    if (first == 0) {
        first = cpu->thread;
    } else if (first != cpu->thread) {
        plugin.lock_on = true;
        model_set_threads(plugin.model);
    }
}

/* Ask QEMU. Returns false when the access is none of the model's business. */
static bool __attribute__((noinline)) translate(struct plugin_cpu *cpu, qemu_plugin_meminfo_t info,
                                                uint64_t virt, uint32_t store, uint64_t *phys)
{
    const struct qemu_plugin_hwaddr *address;
    struct plugin_translation *entry;
    uint64_t page = virt >> plugin.page_shift;

    if (!cpu->seen) {
        watch_threads(cpu);
    }
    if (!plugin.area && cpu->pending == 0) {
        return false;
    }
    if (cpu->model->idle && cpu->pending == 0) {
        cpu->model->counts.idle_skipped++;
        return false;
    }
    address = qemu_plugin_get_hwaddr(info, virt);
    if (!address || qemu_plugin_hwaddr_is_io(address)) {
        return false;
    }
    *phys = qemu_plugin_hwaddr_phys_addr(address);
    if (cpu->pending != 0) {
        if (store) {
            plugin_operand((unsigned int)(cpu - plugin.cpu), *phys);
        }
        return false;
    }
    if (*phys - plugin.area_phys < MODEL_AREA_BYTES) {
        return false;
    }
    entry = &cpu->tlb[page % PLUGIN_TLB_ENTRIES];
    entry->tag = page | cpu->generation;
    entry->delta = *phys - virt;
    return true;
}

/*
 * KSEG needs no question: a physical address in RAM, if everything is as usual. Remembered like a
 * translation, for the short way.
 */
static bool translate_kseg(struct plugin_cpu *cpu, uint64_t virt, uint64_t *phys)
{
    uint64_t page = virt >> plugin.page_shift;
    struct plugin_translation *entry = &cpu->tlb[page % PLUGIN_TLB_ENTRIES];

    *phys = virt & ((UINT64_C(1) << PLUGIN_KSEG_SHIFT) - 1);
    if (!plugin.area || cpu->pending != 0 || cpu->model->idle || *phys >= plugin.ram_bytes ||
        *phys - plugin.area_phys < MODEL_AREA_BYTES) {
        return false;
    }
    entry->tag = page | cpu->generation;
    entry->delta = *phys - virt;
    return true;
}

/* An access with bytes in a second line. */
static void __attribute__((noinline)) straddle(struct plugin_cpu *cpu, uint64_t virt, uint64_t phys,
                                               uint64_t end, uint32_t store, uint64_t pc)
{
    uint64_t next = end >> plugin.line_shift << plugin.line_shift;

    if (virt >> plugin.page_shift != end >> plugin.page_shift) {
        cpu->model->counts.page_crossers++;
        return;
    }
    cpu->model->counts.straddles++;
    model_access(plugin.model, cpu->model, next, phys + (next - virt), store, pc);
}

static inline bool is_kseg(uint64_t virt)
{
    return virt >> PLUGIN_KSEG_SHIFT == plugin.kseg;
}

static void access_known(struct plugin_cpu *cpu, qemu_plugin_meminfo_t info, uint64_t virt,
                         uint8_t kind, uint64_t pc)
{
    uint64_t end = virt + (UINT64_C(1) << (kind >> KIND_SIZE_SHIFT & 7u)) - 1;
    uint64_t page = virt >> plugin.page_shift;
    const struct plugin_translation *entry = &cpu->tlb[page % PLUGIN_TLB_ENTRIES];
    uint32_t store = kind & KIND_STORE;
    uint64_t phys = virt + entry->delta;

    if (is_kseg(virt)) {
        uint64_t qemu_virt = kind & KIND_PHYSICAL ? virt - PLUGIN_KSEG_BASE : virt;

        if (!translate_kseg(cpu, virt, &phys) && !translate(cpu, info, qemu_virt, store, &phys)) {
            return;
        }
        /* no TLB is used for KSEG: as if the page had just been used */
        cpu->model->last_page = page;
    } else if (entry->tag != (page | cpu->generation) &&
               !translate(cpu, info, virt, store, &phys)) {
        return;
    }
    plugin_lock();
    model_access(plugin.model, cpu->model, virt, phys, store, pc);
    if (virt >> plugin.line_shift != end >> plugin.line_shift) {
        straddle(cpu, virt, phys, end, store, pc);
    }
    plugin_unlock();
}

/* Whatever the short ways did not settle. */
static void __attribute__((noinline))
access_line(struct plugin_cpu *cpu, qemu_plugin_meminfo_t info, uint64_t virt, uint64_t pc)
{
    uint8_t kind = info < KIND_INFOS && kinds[info] ? kinds[info] : learn_kind(info);

    virt += kind & KIND_PHYSICAL ? PLUGIN_KSEG_BASE : 0; /* PALcode's view of the same place */
    access_known(cpu, info, virt, kind, pc);
}

/* An access inside one line, of a kind that is known: settled at once if its page is known too. */
static void __attribute__((noinline))
access_quick(struct plugin_cpu *cpu, qemu_plugin_meminfo_t info, uint64_t virt, uint64_t pc,
             uint32_t store)
{
    uint64_t page = virt >> plugin.page_shift;
    const struct plugin_translation *entry = &cpu->tlb[page % PLUGIN_TLB_ENTRIES];

    if (entry->tag == (page | cpu->generation)) {
        if (is_kseg(virt)) {
            cpu->model->last_page = page;
        }
        if (model_quick(plugin.model, cpu->model, virt, virt + entry->delta, page, store)) {
            return;
        }
    }
    access_line(cpu, info, virt, pc);
}

void plugin_on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t virt, void *pc)
{
    uint32_t room = info < KIND_INFOS ? rooms[info] : 0;
    struct plugin_cpu *cpu = &plugin.cpu[vcpu];
    struct model_cpu *model = cpu->model;
    uint32_t store = room & KIND_STORE;

    if ((virt & plugin.line_mask) >= room >> 1) {
        access_line(cpu, info, virt, (uint64_t)(uintptr_t)pc);
    } else if (virt >> plugin.line_shift !=
               __atomic_load_n(&model->last[store], __ATOMIC_RELAXED)) {
        access_quick(cpu, info, virt, (uint64_t)(uintptr_t)pc, store);
    } else {
        model->count[store]++;
    }
}

void plugin_on_tlb(unsigned int vcpu, void *kind)
{
    struct plugin_cpu *cpu = &plugin.cpu[vcpu];

    plugin_flush(cpu);
    /* one entry: the model's TLB cannot know which, and keeps it */
    if ((uintptr_t)kind == DECODED_TLB_ALL) {
        plugin_lock();
        model_flush_tlb(plugin.model, vcpu);
        plugin_unlock();
    }
}
