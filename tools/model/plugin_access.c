/*
 * Every load and store of the guest. Three ways through, from the cheapest: the line is the one of
 * the last access (a counter goes up); its translation is known (the model gets it); or QEMU is
 * asked for the physical address, which costs about 20 ns. Nothing here changes what is counted:
 * all ways give the model the same accesses in the same order.
 */
#include "tools/model/plugin.h"

#include <pthread.h>
#include <string.h>

/* What an access is, remembered by QEMU's description of it (whose bits are QEMU's business). */
#define KIND_STORE      1u
#define KIND_SIZE_SHIFT 1u /* log2 of the size, 3 bits */
#define KIND_PHYSICAL   16u
#define KIND_KNOWN      128u
#define KIND_INFOS      (1u << 18)

static uint8_t kinds[KIND_INFOS];

/* Alpha's KSEG: the virtual addresses with these upper bits are physical ones, uncached I/O off. */
#define KSEG_BASE  UINT64_C(0xfffffc0000000000)
#define KSEG_SHIFT 40u

/* QEMU's third MMU index on Alpha is PALcode's "physical"; the index is in the lowest 4 bits. */
#define ALPHA_MMU_PHYSICAL 2u

static uint8_t __attribute__((noinline)) learn_kind(qemu_plugin_meminfo_t info)
{
    uint8_t kind = KIND_KNOWN;

    kind |= qemu_plugin_mem_is_store(info) ? KIND_STORE : 0;
    kind |= (uint8_t)(qemu_plugin_mem_size_shift(info) & 7u) << KIND_SIZE_SHIFT;
    kind |= plugin.alpha && (info & 15u) == ALPHA_MMU_PHYSICAL ? KIND_PHYSICAL : 0;
    if (info < KIND_INFOS) {
        kinds[info] = kind;
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
    }
}

/* Ask QEMU. Returns false when the access is none of the model's business. */
static bool __attribute__((noinline)) translate(unsigned int vcpu, qemu_plugin_meminfo_t info,
                                                uint64_t virt, uint32_t store, uint64_t *phys)
{
    struct plugin_cpu *cpu = &plugin.cpu[vcpu];
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
            plugin_operand(vcpu, *phys);
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

/* The address if it is in RAM, and everything is as usual; false: ask QEMU. */
static inline bool translate_kseg(const struct plugin_cpu *cpu, uint64_t virt, uint64_t *phys)
{
    *phys = virt & ((UINT64_C(1) << KSEG_SHIFT) - 1);
    return plugin.area && cpu->pending == 0 && !cpu->model->idle && *phys < plugin.ram_bytes &&
           *phys - plugin.area_phys >= MODEL_AREA_BYTES;
}

/* An access with bytes in a second line. */
static void __attribute__((noinline))
straddle(unsigned int vcpu, uint64_t virt, uint64_t phys, uint64_t end, uint32_t store, uint64_t pc)
{
    struct plugin_cpu *cpu = &plugin.cpu[vcpu];
    uint64_t next = end >> plugin.line_shift << plugin.line_shift;

    if (virt >> plugin.page_shift != end >> plugin.page_shift) {
        cpu->model->counts.page_crossers++;
        return;
    }
    cpu->model->counts.straddles++;
    model_access(plugin.model, cpu->model, next, phys + (next - virt), store, pc);
}

static inline void access_known(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t virt,
                                uint8_t kind, uint64_t pc)
{
    struct plugin_cpu *cpu = &plugin.cpu[vcpu];
    uint64_t end = virt + (UINT64_C(1) << (kind >> KIND_SIZE_SHIFT & 7u)) - 1;
    uint64_t page = virt >> plugin.page_shift;
    const struct plugin_translation *entry = &cpu->tlb[page % PLUGIN_TLB_ENTRIES];
    uint32_t store = kind & KIND_STORE;
    uint64_t phys = virt + entry->delta;

    if (virt >> KSEG_SHIFT == KSEG_BASE >> KSEG_SHIFT && plugin.alpha) {
        uint64_t qemu_virt = kind & KIND_PHYSICAL ? virt - KSEG_BASE : virt;

        if (!translate_kseg(cpu, virt, &phys) && !translate(vcpu, info, qemu_virt, store, &phys)) {
            return;
        }
        /* no TLB is used for KSEG: as if the page had just been used */
        cpu->model->last_page = virt >> plugin.model->page_shift;
    } else if (entry->tag != (page | cpu->generation) &&
               !translate(vcpu, info, virt, store, &phys)) {
        return;
    }
    plugin_lock();
    model_access(plugin.model, cpu->model, virt, phys, store, pc);
    if (virt >> plugin.line_shift != end >> plugin.line_shift) {
        straddle(vcpu, virt, phys, end, store, pc);
    }
    plugin_unlock();
}

/* Whatever the filter did not settle. */
static void __attribute__((noinline))
access_line(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t virt, uint64_t pc)
{
    uint8_t kind = info < KIND_INFOS && kinds[info] ? kinds[info] : learn_kind(info);

    virt += kind & KIND_PHYSICAL ? KSEG_BASE : 0; /* PALcode's view of the same place */
    access_known(vcpu, info, virt, kind, pc);
}

void plugin_on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t virt, void *pc)
{
    uint8_t kind = info < KIND_INFOS ? kinds[info] : 0;
    struct model_cpu *model = plugin.cpu_model[vcpu];
    uint32_t store = kind & KIND_STORE;
    uint64_t line = virt >> plugin.line_shift;
    uint64_t end = virt + (UINT64_C(1) << (kind >> KIND_SIZE_SHIFT & 7u)) - 1;

    if (line == __atomic_load_n(&model->last[store], __ATOMIC_RELAXED) &&
        end >> plugin.line_shift == line && (kind & (KIND_KNOWN | KIND_PHYSICAL)) == KIND_KNOWN) {
        model->count[store]++;
        return;
    }
    access_line(vcpu, info, virt, (uint64_t)(uintptr_t)pc);
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
