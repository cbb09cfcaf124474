/*
 * The symbol table's reader. See symbols.h; tools/ksyms.awk writes what struct ksyms describes.
 */
#include "core/symbols.h"

#include "core/kprintf.h"

#include <string.h>

/* Then follow count names, each NUL-terminated, in the order of their offsets. */
struct ksyms {
    uint64_t base; /* address of the first function */
    uint64_t end;  /* behind the last byte of text */
    uint32_t count;
    uint32_t offset[]; /* from base, ascending, no two alike */
};

/* linker.ld; equal when there is no table. */
extern const char __ksyms_start[], __ksyms_end[];

static const struct ksyms *table(void)
{
    uintptr_t start = (uintptr_t)__ksyms_start; /* an integer: two arrays may not be equal in C */
    return start == (uintptr_t)__ksyms_end ? NULL : (const struct ksyms *)start;
}

unsigned symbols_count(void)
{
    const struct ksyms *k = table();
    return k ? k->count : 0;
}

static const char *first_name(const struct ksyms *k)
{
    return (const char *)(k->offset + k->count);
}

const char *symbol_of(uintptr_t pc, uintptr_t *offset)
{
    const struct ksyms *k = table();
    if (!k || pc < k->base || pc >= k->end)
        return NULL;

    /* lo: the last function known to begin at or below pc; hi: one that begins above. */
    uint32_t lo = 0, hi = k->count;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (k->offset[mid] <= pc - k->base)
            lo = mid;
        else
            hi = mid;
    }
    if (offset)
        *offset = pc - k->base - k->offset[lo];
    /* Walked, not indexed: a panic prints a score of names, an index would cost 4 bytes each. */
    const char *name = first_name(k);
    for (uint32_t i = 0; i < lo; i++)
        name += strlen(name) + 1;
    return name;
}

size_t symbol_format(char *buf, size_t bytes, uintptr_t pc)
{
    uintptr_t offset;
    const char *name = symbol_of(pc, &offset);
    if (!name)
        return ksnprintf(buf, bytes, "0x%lx", (unsigned long)pc);
    return ksnprintf(buf, bytes, "%s+0x%lx", name, (unsigned long)offset);
}

const char *symbols_check(void)
{
    const struct ksyms *k = table();
    if (!k || !k->count)
        return "no symbol table in this image";
    if (k->offset[0] != 0 || k->end <= k->base)
        return "bounds";
    for (uint32_t i = 1; i < k->count; i++)
        if (k->offset[i] <= k->offset[i - 1])
            return "offsets are not ascending";
    if (k->offset[k->count - 1] >= k->end - k->base)
        return "a function lies behind the end";
    const char *name = first_name(k);
    for (uint32_t i = 0; i < k->count; i++) {
        size_t room = (size_t)(__ksyms_end - name);
        size_t n = name < __ksyms_end ? strnlen(name, room) : 0;
        if (n == 0 || n == room)
            return "a name is empty or cut";
        name += n + 1;
    }
    return NULL;
}
