/*
 * Self-test `trap_regs`: a page fault that is handled and retried leaves every general and every
 * floating point register as it was.
 *
 * The fault is a real one: a store to a page of the window that the fault hook maps only then. The
 * hook itself overwrites the general registers, so that one which is not restored cannot survive
 * by luck.
 */
#include "arch.h"
#include "core/kprintf.h"
#include "core/selftest.h"
#include "core/trap.h"
#include "mm/own.h"

#include <string.h>

/* selftest_regs_probe.S knows this layout. */
struct probe_regs {
    uint64_t gpr[32];
    uint64_t fpr[32];
};

struct probe_area {
    struct probe_regs in, out;
    uint64_t kept_sp;
};
_Static_assert(offsetof(struct probe_regs, fpr) == 256, "IN_FPR");
_Static_assert(offsetof(struct probe_area, out) == 512, "OUT_GPR");
_Static_assert(offsetof(struct probe_area, kept_sp) == 1024, "KEPT_SP");

#define REG_V0 0
#define REG_A0 16
#define REGS   31 /* the last of 32 is zero */

/* The area, with the stack that the trap is handled on below it. */
static struct __attribute__((aligned(16))) {
    char stack[16384];
    struct probe_area area;
} probe_stack;

void trap_regs_probe(struct probe_area *area);

struct fault {
    struct arch_space space;
    void *page;
    unsigned count;
};

static bool map_page(const struct trap_info *t, void *arg)
{
    struct fault *f = arg;

    if (++f->count > 1 || t->address != ARCH_WINDOW || !t->write || t->present)
        return false;
    if (arch_space_map(&f->space, ARCH_WINDOW, phys_to_pfn(arch_virt_to_phys(f->page)), 0,
                       PROT_R | PROT_W))
        return false;
    __asm__ volatile(".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25\n"
                     "lda $\\n, -23131($31)\n"
                     ".endr\n"
                     "lda $27, -23131($31)\n" ::
                         : "$0", "$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8", "$9", "$10", "$11",
                           "$12", "$13", "$14", "$15", "$16", "$17", "$18", "$19", "$20", "$21",
                           "$22", "$23", "$24", "$25", "$27");
    return true;
}

/* A different word everywhere, none of them a likely leftover. */
static void poison(struct probe_area *a, uint64_t seed)
{
    uint64_t *word = (uint64_t *)&a->in;

    for (size_t i = 0; i < sizeof(a->in) / sizeof(*word); i++)
        word[i] = seed ^ (i + 1) * 0x9e3779b97f4a7c15; /* odd: no two multiples are equal */
    memset(&a->out, 0, sizeof(a->out));
    a->in.gpr[REG_A0] = ARCH_WINDOW;
}

static bool compare(const struct fault *f, const struct probe_area *a, char *msg, size_t msg_bytes)
{
    if (f->count != 1) {
        ksnprintf(msg, msg_bytes, "%u faults instead of 1", f->count);
        return false;
    }
    for (unsigned i = 0; i < REGS; i++) {
        if (a->in.gpr[i] != a->out.gpr[i]) {
            ksnprintf(msg, msg_bytes, "r%u: %lx before the trap, %lx after", i, a->in.gpr[i],
                      a->out.gpr[i]);
            return false;
        }
        if (a->in.fpr[i] != a->out.fpr[i]) {
            ksnprintf(msg, msg_bytes, "f%u: %lx before the trap, %lx after", i, a->in.fpr[i],
                      a->out.fpr[i]);
            return false;
        }
    }
    if (*(uint64_t *)f->page != a->in.gpr[REG_V0]) {
        ksnprintf(msg, msg_bytes, "the store was not done again");
        return false;
    }
    return true;
}

/* One fault, with all registers poisoned from seed. */
static bool probe(uint64_t seed, char *msg, size_t msg_bytes)
{
    struct fault f = {.page = own_page_alloc()};
    struct probe_area *a = &probe_stack.area;

    if (!f.page) {
        ksnprintf(msg, msg_bytes, "no memory for a page");
        return false;
    }
    if (arch_space_create(&f.space)) {
        ksnprintf(msg, msg_bytes, "no memory for a space");
        own_page_free(f.page);
        return false;
    }
    poison(a, seed);
    trap_set_fault_hook(map_page, &f);
    arch_space_switch(&f.space);
    trap_regs_probe(a);
    arch_space_switch(NULL);
    trap_set_fault_hook(NULL, NULL);

    bool same = compare(&f, a, msg, msg_bytes);

    arch_space_destroy(&f.space);
    own_page_free(f.page);
    return same;
}

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    bool ok = probe(0, msg, msg_bytes) && probe(UINT64_MAX, msg, msg_bytes);

    return ok ? SELFTEST_OK : SELFTEST_FAIL;
}

REGISTER(selftest, trap_regs) = {
    .name = "trap_regs",
    .proves = "a handled fault changes no general and no floating point register",
    .run = run,
};
