/* Kinds of pagevecs. Contract in pagevec.h. */
#include "mm/pagevec.h"

#include "core/cmdline.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/panic.h"
#include "core/types.h"

#include <string.h>

#define KIND(id, ...) static const struct pagevec_kind id = {__VA_ARGS__}

KIND(kind_16, "16", "Linux 2.6 up to 2.6.9-rc1, 64-bit: unsigned nr, int cold; 136 bytes", 16, 8, 4,
     8);
KIND(kind_15, "15", "Linux Sep 2004, 64-bit: two u16; 128 bytes", 15, 8, 2, 8);
KIND(kind_14, "14", "Linux Oct 2004, 64-bit: two longs; 128 bytes", 14, 16, 8, 8);
KIND(kind_15u8, "15u8", "Linux from 2017, 64-bit: u8 nr, bool; 128 bytes", 15, 8, 1, 8);
KIND(kind_31, "31", "folio_batch of 2024: u8 nr, u8 i, bool; 256 bytes", 31, 8, 1, 8);
KIND(kind_4, "4", "Irwin 2004 for one CPU, 64-bit: unsigned nr, int cold; 40 bytes", 4, 8, 4, 8);
KIND(kind_lg, "lg", "Irwin 2004: max(4, 4 * ceil(log2 CPUs)) entries", 0, 8, 4, 8);
KIND(kind_16p32, "16p32", "seed 004 before the patch, 32-bit: 72 bytes", 16, 8, 4, 4);
KIND(kind_15p32, "15p32", "seed 004 with the patch, 32-bit: two u16; 64 bytes", 15, 4, 2, 4);

const struct pagevec_kind *const pagevec_kinds[] = {&kind_16,    &kind_15, &kind_14, &kind_15u8,
                                                    &kind_31,    &kind_4,  &kind_lg, &kind_16p32,
                                                    &kind_15p32, NULL};

static int invalid(const char *s, char *err, size_t err_bytes)
{
    size_t used =
        ksnprintf(err, err_bytes, "%s: valid, with +OFFSET below %u:", s, PAGEVEC_OFFSET_MAX);
    for (unsigned i = 0; pagevec_kinds[i] && used < err_bytes; i++)
        used += ksnprintf(err + used, err_bytes - used, " %s", pagevec_kinds[i]->name);
    return -TT_EINVAL;
}

int pagevec_layout_parse(const char *s, struct pagevec_layout *out, char *err, size_t err_bytes)
{
    char name[16];
    bool ok;
    uint64_t offset = 0;
    unsigned i = 0;
    const char *rest = parse_item(s, '+', name, sizeof name, &ok);
    if (!ok || (rest && (parse_u64(rest, 0, PAGEVEC_OFFSET_MAX - 1, &offset) || offset % 4)))
        return invalid(s, err, err_bytes);
    while (pagevec_kinds[i] && strcmp(pagevec_kinds[i]->name, name))
        i++;
    if (!pagevec_kinds[i])
        return invalid(s, err, err_bytes);
    *out = (struct pagevec_layout){pagevec_kinds[i], (uint32_t)offset};
    return 0;
}

unsigned pagevec_capacity(const struct pagevec_kind *k, unsigned cpus)
{
    unsigned bits = 0;
    if (k->capacity)
        return k->capacity;
    while (1u << bits < cpus)
        bits++;
    return bits ? 4 * bits : 4;
}

void pagevec_init(struct pagevec *v, const struct pagevec_layout *l, unsigned cpus, void *memory)
{
    *v = (struct pagevec){.at = (uint8_t *)memory + l->offset_bytes,
                          .kind = l->kind,
                          .capacity = pagevec_capacity(l->kind, cpus)};
    check(1, v->capacity <= PAGEVEC_CAPACITY_MAX);
    pagevec_set_count(v, 0);
}
