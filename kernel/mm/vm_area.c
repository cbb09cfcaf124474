/* The list of a space's areas: add, find, cut, remove, join. Contract in vm.h. */
#include "core/errno.h"
#include "mm/vm.h"

#include <string.h>

static uintptr_t page_bytes(const struct vm_area *a)
{
    return (uintptr_t)PAGE_SIZE << a->order;
}

bool vm_prot_valid(unsigned prot)
{
    return prot & PROT_R && (prot & (PROT_W | PROT_X)) != (PROT_W | PROT_X);
}

static void insert(struct vm_space *s, unsigned i, const struct vm_area *a)
{
    memmove(&s->area[i + 1], &s->area[i], (s->area_count - i) * sizeof *a);
    s->area[i] = *a;
    s->area_count++;
}

int vm_map(struct vm_space *s, const struct vm_area *a)
{
    if (a->order && a->order != LARGE_PAGE_SHIFT - PAGE_SHIFT)
        return -TT_EINVAL;
    if (a->start % page_bytes(a) || a->end % page_bytes(a) || a->start >= a->end ||
        a->start < ARCH_WINDOW || a->end > ARCH_WINDOW_END || !vm_prot_valid(a->prot))
        return -TT_EINVAL;
    unsigned i = 0;
    while (i < s->area_count && s->area[i].end <= a->start)
        i++;
    if (i < s->area_count && s->area[i].start < a->end)
        return -TT_EEXIST;
    if (s->area_count == VM_AREAS)
        return -TT_ENOSPC;
    insert(s, i, a);
    vm_area_join(s);
    return 0;
}

struct vm_area *vm_area_at(struct vm_space *s, uintptr_t va)
{
    for (unsigned i = 0; i < s->area_count; i++) {
        if (va >= s->area[i].start && va < s->area[i].end)
            return &s->area[i];
    }
    return NULL;
}

/* The area with at strictly inside, NULL if none has. */
static struct vm_area *cut_by(struct vm_space *s, uintptr_t at)
{
    struct vm_area *a = vm_area_at(s, at);
    return a && a->start != at ? a : NULL;
}

static void cut(struct vm_space *s, uintptr_t at)
{
    struct vm_area *a = cut_by(s, at);
    if (!a)
        return;
    struct vm_area upper = *a;
    upper.start = a->end = at;
    insert(s, (unsigned)(a - s->area) + 1, &upper);
}

int vm_area_cut(struct vm_space *s, uintptr_t start, uintptr_t end)
{
    const uintptr_t at[2] = {start, end};
    unsigned cuts = 0;
    if (start >= end)
        return -TT_EINVAL;
    for (unsigned i = 0; i < 2; i++) {
        const struct vm_area *a = cut_by(s, at[i]);
        if (a && at[i] % page_bytes(a))
            return -TT_EINVAL;
        cuts += a != NULL;
    }
    if (s->area_count + cuts > VM_AREAS)
        return -TT_ENOSPC;
    cut(s, start);
    cut(s, end);
    return 0;
}

bool vm_area_covers(const struct vm_space *s, uintptr_t start, uintptr_t end)
{
    for (unsigned i = 0; i < s->area_count && start < end; i++) {
        if (s->area[i].start <= start && start < s->area[i].end)
            start = s->area[i].end;
    }
    return start >= end;
}

void vm_area_remove(struct vm_space *s, uintptr_t start, uintptr_t end)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < s->area_count; i++) {
        if (s->area[i].start < start || s->area[i].end > end)
            s->area[kept++] = s->area[i];
    }
    s->area_count = kept;
}

void vm_area_join(struct vm_space *s)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < s->area_count; i++) {
        struct vm_area *a = &s->area[i], *last = kept ? &s->area[kept - 1] : NULL;
        if (last && last->end == a->start && last->prot == a->prot && last->order == a->order &&
            last->zero == a->zero)
            last->end = a->end;
        else
            s->area[kept++] = *a;
    }
    s->area_count = kept;
}
