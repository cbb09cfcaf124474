/*
 * Self-test `space`: address spaces of any port map, protect, look up and unmap as arch.h says,
 * through the processor as well as by walking, and give back every table page.
 */
#include "arch.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/selftest.h"
#include "core/trap.h"
#include "mm/own.h"

#define LARGE_ORDER (LARGE_PAGE_SHIFT - PAGE_SHIFT)

/* Far apart: the last page of the window, and a large page that is not the first. */
#define VA_SMALL (ARCH_WINDOW_END - PAGE_SIZE)
#define VA_LARGE (ARCH_WINDOW + 3 * (uintptr_t)LARGE_PAGE_SIZE)

/* Notes the first thing that is not as it should be. */
#define expect(cond)                                                                               \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            ksnprintf(msg, msg_bytes, "line %d: %s", __LINE__, #cond);                             \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

static const char constant[] = "in rodata";

static void store(void *p)
{
    *(volatile char *)p = 1;
}

static bool check_small(struct arch_space *s, void *page, char *msg, size_t msg_bytes)
{
    volatile uint64_t *direct = page, *mapped = (uint64_t *)VA_SMALL;
    pfn_t frame = phys_to_pfn(arch_virt_to_phys(page));
    unsigned prot = 0, always; /* what cannot be refused: PROT_R, and PROT_X on a CPU without NX */
    struct trap_info t;

    expect(arch_space_map(s, VA_SMALL, frame, 0, PROT_R | PROT_W) == 0);
    expect(arch_space_map(s, VA_SMALL, frame, 0, PROT_R) == -TT_EEXIST);
    expect(arch_space_lookup(s, VA_SMALL + 5, &prot).a == pfn_to_phys(frame).a + 5);
    always = PROT_R | (prot & PROT_X);
    expect(prot == (always | PROT_W));
    /* Executable is allowed only where the machine cannot refuse it, not even for constants. */
    arch_space_lookup(NULL, (uintptr_t)constant, &prot);
    expect((always & ~prot) == 0);
    expect(arch_space_lookup(s, VA_SMALL - 1, NULL).a == PHYS_NONE.a);

    *direct = 0x1234;
    expect(*mapped == 0x1234);
    *mapped = 0x5678;
    expect(*direct == 0x5678);

    /* The stores above left a writable translation in the TLB: it must be forgotten. */
    expect(arch_space_protect(s, VA_SMALL, PROT_R) == 0);
    expect(!trap_guard(store, (void *)VA_SMALL, &t));
    expect(t.kind == TRAP_PAGE_FAULT && t.address == VA_SMALL && t.write && t.present);
    expect(arch_space_lookup(s, VA_SMALL, &prot).a == pfn_to_phys(frame).a && prot == always);

    expect(arch_space_unmap(s, VA_SMALL).n == frame.n);
    expect(arch_space_unmap(s, VA_SMALL).n == PFN_NONE.n);
    expect(arch_space_protect(s, VA_SMALL, PROT_R) == -TT_ENOENT);
    expect(!trap_guard(store, (void *)VA_SMALL, &t) && !t.present);
    return true;
}

/* Never touched, only looked up: the frames are somebody else's. */
static bool check_large(struct arch_space *s, char *msg, size_t msg_bytes)
{
    pfn_t frame = pfn(LARGE_PAGE_SIZE >> PAGE_SHIFT);

    expect(arch_space_map(s, VA_LARGE, frame, LARGE_ORDER, PROT_R) == 0);
    expect(arch_space_map(s, VA_LARGE + PAGE_SIZE, frame, 0, PROT_R) == -TT_EEXIST);
    expect(arch_space_lookup(s, VA_LARGE + 0x12345, NULL).a == LARGE_PAGE_SIZE + 0x12345);
    expect(arch_space_unmap(s, VA_LARGE + PAGE_SIZE).n == frame.n);
    expect(arch_space_lookup(s, VA_LARGE, NULL).a == PHYS_NONE.a);

    expect(arch_space_map(s, VA_LARGE, frame, 1, PROT_R) == -TT_EINVAL);
    expect(arch_space_map(s, VA_LARGE + PAGE_SIZE, frame, LARGE_ORDER, PROT_R) == -TT_EINVAL);
    expect(arch_space_map(s, VA_LARGE, frame, 0, PROT_R | PROT_W | PROT_X) == -TT_EINVAL);
    expect(arch_space_map(s, ARCH_WINDOW_END, frame, 0, PROT_R) == -TT_EINVAL);
    expect(arch_space_map(s, ARCH_WINDOW - PAGE_SIZE, frame, 0, PROT_R) == -TT_EINVAL);
    return true;
}

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    size_t used = own_usage().used_bytes;
    struct arch_space s;
    void *page = own_page_alloc();

    if (!page || arch_space_create(&s)) {
        ksnprintf(msg, msg_bytes, "no memory for a space");
        return SELFTEST_FAIL;
    }
    arch_space_switch(&s);

    bool ok = check_small(&s, page, msg, msg_bytes) && check_large(&s, msg, msg_bytes);

    arch_space_switch(NULL);
    size_t tables = own_usage().used_bytes - used - PAGE_SIZE;

    if (ok && s.table_pages != tables / PAGE_SIZE) {
        ksnprintf(msg, msg_bytes, "%u table pages counted, %lu taken", s.table_pages,
                  tables / PAGE_SIZE);
        ok = false;
    }
    arch_space_destroy(&s);
    own_page_free(page);
    if (ok && own_usage().used_bytes != used) {
        ksnprintf(msg, msg_bytes, "own memory: %lu bytes in use before, %lu after", used,
                  own_usage().used_bytes);
        ok = false;
    }
    return ok ? SELFTEST_OK : SELFTEST_FAIL;
}

REGISTER(selftest, space) = {
    .name = "space",
    .proves = "address spaces map, protect and unmap pages, and lose no memory",
    .run = run,
};
