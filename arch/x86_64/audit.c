/*
 * The rules that a root of ours keeps, checked entry by entry on the live tables:
 *  - nothing is writable and executable
 *  - outside the window only the image's text is executable
 *  - text and rodata are writable under no address
 *  - no translation in the lower half but in the window: no identity map is left
 *  - guard pages have none
 */
#include "audit.h"

#include "arch.h"
#include "pte.h"
#include "stacks.h"

#include <arch/boot.h>

/* Rights as the levels above granted them. */
struct rights {
    bool write, exec;
};

static bool in_image_text(uintptr_t start, uintptr_t end)
{
    return start >= (uintptr_t)__text_start && end <= (uintptr_t)__text_end;
}

static bool overlaps_read_only(uint64_t pa, uint64_t bytes)
{
    uint64_t start = arch_virt_to_phys(__image_start).a;
    uint64_t end = arch_virt_to_phys(__data_start).a;

    return pa < end && pa + bytes > start;
}

/* Which rule the translation breaks, or NULL. */
static const char *judge(uintptr_t va, uint64_t pa, uint64_t bytes, struct rights r)
{
    bool in_window = va >= ARCH_WINDOW && va < ARCH_WINDOW_END;

    if (r.write && r.exec)
        return "writable and executable";
    if (va < ARCH_DIRECT && !in_window)
        return "in the lower half, outside the window";
    if (r.exec && !in_window && !in_image_text(va, va + bytes))
        return "executable outside of text";
    if (r.write && overlaps_read_only(pa, bytes))
        return "a writable alias of text or rodata";
    if (va >= LINK_BASE && stack_is_guard(va))
        return "a guard page that is mapped";
    return NULL;
}

static void walk(struct audit *a, uint64_t table_pa, unsigned level, uintptr_t base,
                 struct rights above)
{
    const pte_t *table = arch_phys_to_virt(phys(table_pa));

    for (unsigned i = 0; i < TABLE_ENTRIES; i++) {
        pte_t e = table[i];
        uint64_t bytes = 1ul << table_shift(level);
        uintptr_t va = base + i * bytes;
        struct rights r = {
            .write = above.write && (e & PTE_WRITE),
            .exec = above.exec && !(e & PTE_NX),
        };

        if (!(e & PTE_PRESENT))
            continue;
        if (level == TABLE_LEVELS - 1 && i >= TABLE_KERNEL_SLOT)
            va |= ~((1ul << (table_shift(level) + 9)) - 1); /* canonical: sign-extended */
        if (level > 0 && !(e & PTE_LARGE)) {
            walk(a, e & PTE_ADDRESS, level - 1, va, r);
            continue;
        }

        const char *why = judge(va, e & PTE_ADDRESS & ~(bytes - 1), bytes, r);

        a->leaves++;
        if (why && !a->offences++) {
            a->first = va;
            a->why = why;
        }
    }
}

struct audit audit_tables(phys_t root)
{
    struct audit a = {0};

    walk(&a, root.a, TABLE_LEVELS - 1, 0, (struct rights){true, true});
    return a;
}
