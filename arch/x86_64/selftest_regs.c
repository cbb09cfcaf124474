/*
 * Self-test `trap_regs`: a page fault that is handled and retried leaves every general register,
 * the flags and the xmm registers as they were.
 *
 * The fault is a real one: a store to a page of the window that the fault hook maps only then. The
 * hook itself overwrites all general registers, so that one which is not restored cannot survive
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
    uint64_t gpr[16]; /* in the order of reg_names; rsp last */
    uint64_t flags;
    uint64_t pad;
    uint64_t xmm[16][2];
};
_Static_assert(offsetof(struct probe_regs, flags) == 8 * 16, "FLAGS");
_Static_assert(offsetof(struct probe_regs, xmm) == 8 * 18, "XMM");

#define REG_RAX 0
#define REG_RBX 1
#define REG_RSP 15

static const char reg_names[16][4] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8",
                                      "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rsp"};

/* CF PF AF ZF SF DF OF, and the bit that is always set; interrupts stay off. */
#define FLAGS_ALL  0xcd7
#define FLAGS_NONE 0x002

extern struct probe_regs trap_regs_in, trap_regs_out;
struct probe_regs trap_regs_in, trap_regs_out;
void trap_regs_probe(void);

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
    __asm__ volatile(
        ".irp reg, rax, rbx, rcx, rdx, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15\n\t"
        "movq $-0x5a5a5a5b, %%\\reg\n\t"
        ".endr" ::
            : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
              "r14", "r15");
    return true;
}

/* A different word everywhere, none of them a likely leftover. */
static void poison(uint64_t seed)
{
    uint64_t *word = (uint64_t *)&trap_regs_in;

    for (size_t i = 0; i < sizeof(trap_regs_in) / sizeof(*word); i++)
        word[i] = seed ^ (i + 1) * 0x9e3779b97f4a7c15; /* odd: no two multiples are equal */
    memset(&trap_regs_out, 0, sizeof(trap_regs_out));
    trap_regs_in.gpr[REG_RBX] = ARCH_WINDOW;
}

static bool compare(const struct fault *f, char *msg, size_t msg_bytes)
{
    const struct probe_regs *in = &trap_regs_in, *out = &trap_regs_out;

    if (f->count != 1) {
        ksnprintf(msg, msg_bytes, "%u faults instead of 1", f->count);
        return false;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(in->gpr); i++) {
        if (in->gpr[i] != out->gpr[i]) {
            ksnprintf(msg, msg_bytes, "%s: %lx before the trap, %lx after", reg_names[i],
                      in->gpr[i], out->gpr[i]);
            return false;
        }
    }
    if (in->flags != out->flags) {
        ksnprintf(msg, msg_bytes, "flags: %lx before the trap, %lx after", in->flags, out->flags);
        return false;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(in->xmm); i++) {
        if (memcmp(in->xmm[i], out->xmm[i], sizeof(in->xmm[i]))) {
            ksnprintf(msg, msg_bytes, "xmm%u: %lx:%lx before the trap, %lx:%lx after", i,
                      in->xmm[i][1], in->xmm[i][0], out->xmm[i][1], out->xmm[i][0]);
            return false;
        }
    }
    if (*(uint64_t *)f->page != in->gpr[REG_RAX]) {
        ksnprintf(msg, msg_bytes, "the store was not done again");
        return false;
    }
    return true;
}

/* One fault, with all registers poisoned from seed and these flags. */
static bool probe(uint64_t seed, uint64_t flags, char *msg, size_t msg_bytes)
{
    struct fault f = {.page = own_page_alloc()};

    if (!f.page) {
        ksnprintf(msg, msg_bytes, "no memory for a page");
        return false;
    }
    if (arch_space_create(&f.space)) {
        ksnprintf(msg, msg_bytes, "no memory for a space");
        own_page_free(f.page);
        return false;
    }
    poison(seed);
    trap_regs_in.flags = flags;
    trap_set_fault_hook(map_page, &f);
    arch_space_switch(&f.space);
    trap_regs_probe();
    arch_space_switch(NULL);
    trap_set_fault_hook(NULL, NULL);

    bool same = compare(&f, msg, msg_bytes);

    arch_space_destroy(&f.space);
    own_page_free(f.page);
    return same;
}

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    bool ok = probe(0, FLAGS_ALL, msg, msg_bytes) && probe(UINT64_MAX, FLAGS_NONE, msg, msg_bytes);

    return ok ? SELFTEST_OK : SELFTEST_FAIL;
}

REGISTER(selftest, trap_regs) = {
    .name = "trap_regs",
    .proves = "a handled fault changes no general register, no flag and no xmm register",
    .run = run,
};
