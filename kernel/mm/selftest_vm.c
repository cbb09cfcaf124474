/*
 * Self-test `vm`: demand faults, copy on write and protection through real page faults, on a small
 * instance over frames of the kernel's own image.
 */
#include "core/kprintf.h"
#include "core/selftest.h"
#include "core/trap.h"
#include "mm/vm.h"

#include <arch/cpu.h>

#define FRAMES 32

static uint8_t frames[FRAMES * PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static uint8_t area[4 * PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static struct memory memory;
static struct vm_space parent, child;

/* Notes the first thing that is not as it should be. */
#define expect(cond)                                                                               \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            ksnprintf(msg, msg_bytes, "line %d: %s", __LINE__, #cond);                             \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

static uint32_t *word(unsigned page)
{
    return (uint32_t *)(ARCH_WINDOW + page * (uintptr_t)PAGE_SIZE);
}

/* The fault behind an access changes counters that the compiler believes untouched. */
static void set(unsigned page, uint32_t value)
{
    *(volatile uint32_t *)word(page) = value;
    compiler_barrier();
}

static uint32_t get(unsigned page)
{
    uint32_t value = *(volatile uint32_t *)word(page);
    compiler_barrier();
    return value;
}

static void store(void *p)
{
    *(volatile uint32_t *)p = 1;
}

static bool build(char *msg, size_t msg_bytes)
{
    static struct setup setup;
    static struct subject on;
    setup = (struct setup){.policy = policy_named("va"),
                           .fallback = fallback_named("next"),
                           .color = {.colors = 4, .ways = 1, .caches = 1, .cache_colors = {4}},
                           .layout = {page_shapes[2], page_shapes[2]->size_bytes, 0}};
    expect(setup.policy && setup.fallback);
    pfn_t first = phys_to_pfn(arch_virt_to_phys(frames));
    on = (struct subject){.range_count = 1,
                          .range = {{first, pfn(first.n + FRAMES)}},
                          .pages = FRAMES,
                          .area = area,
                          .area_bytes = sizeof area};
    expect(memory_bytes(&setup, &on.topology, FRAMES) <= sizeof area);
    memory_build(&memory, &setup, &on, 1);
    return true;
}

static bool check_faults(char *msg, size_t msg_bytes)
{
    struct trap_info t;
    struct vm_area a = {ARCH_WINDOW, ARCH_WINDOW + 8 * PAGE_SIZE, PROT_R | PROT_W, 0, true};
    uint64_t before = trap_count(TRAP_PAGE_FAULT);
    expect(vm_map(&parent, &a) == 0);
    vm_switch(&parent);
    expect(get(3) == 0);
    set(3, 33); /* the fault mapped it writable: no other */
    set(5, 55);
    compiler_barrier(); /* faults count where the compiler sees no call, here and below */
    expect(parent.counts.demand == 2 && trap_count(TRAP_PAGE_FAULT) == before + 2);
    phys_t at = arch_space_lookup(&parent.hw, (uintptr_t)word(3), NULL);
    expect(color_of(&memory.color, phys_to_pfn(at)) == 3);

    expect(vm_copy(&child, &parent) == 0);
    set(3, 34); /* the translation that the store above left must be gone */
    compiler_barrier();
    expect(parent.counts.copied == 1);
    vm_switch(&child);
    expect(get(3) == 33 && get(5) == 55);
    set(3, 35);
    compiler_barrier();
    expect(child.counts.reused == 1 && child.counts.copied == 0);
    expect(vm_protect(&child, (uintptr_t)word(5), (uintptr_t)word(6), PROT_R) == 0);
    expect(!trap_guard(store, word(5), &t) && t.address == (uintptr_t)word(5));
    expect(child.counts.refused == 1);
    vm_switch(&parent);
    expect(get(3) == 34);
    expect(!trap_guard(store, word(8), &t) && parent.counts.refused == 1);
    expect(!vm_check(&parent) && !vm_check(&child) && !memory_check(&memory));
    return true;
}

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    if (!build(msg, msg_bytes))
        return SELFTEST_FAIL;
    if (vm_create(&parent, &memory, 0, 1) || vm_create(&child, &memory, 1, 2)) {
        ksnprintf(msg, msg_bytes, "no memory for address spaces");
        return SELFTEST_FAIL;
    }
    bool ok = check_faults(msg, msg_bytes);
    vm_switch(NULL);
    vm_destroy(&child);
    vm_destroy(&parent);
    if (ok && nodes_free_pages(&memory.nodes) != FRAMES) {
        ksnprintf(msg, msg_bytes, "frames are still out after the spaces have ended");
        ok = false;
    }
    return ok ? SELFTEST_OK : SELFTEST_FAIL;
}

REGISTER(selftest, vm) = {
    .name = "vm",
    .proves = "page faults map, copy and refuse as the areas say, and every frame comes back",
    .run = run,
};
