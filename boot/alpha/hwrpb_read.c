/* Checks of the HWRPB. Contract in hwrpb_read.h. */
#include "hwrpb_read.h"

#include "core/errno.h"
#include "core/kprintf.h"

#define refuse(...) (ksnprintf(why, why_bytes, __VA_ARGS__), -TT_EINVAL)

int hwrpb_check(const struct hwrpb *h, char *why, size_t why_bytes)
{
    const uint64_t *word = (const uint64_t *)h;
    uint64_t sum = 0;

    if (h->id != HWRPB_ID && h->id != HWRPB_ID_SWAPPED)
        return refuse("its id is 0x%lx", h->id);
    if (h->revision < HWRPB_REVISION && h->revision != HWRPB_REVISION_NONE)
        return refuse("revision %lu, needed is %u", h->revision, HWRPB_REVISION);
    if (h->size_bytes < sizeof(*h))
        return refuse("%lu bytes long, needed are %lu", h->size_bytes, sizeof(*h));
    for (size_t i = 0; i < offsetof(struct hwrpb, checksum) / sizeof(*word); i++)
        sum += word[i];
    if (sum != h->checksum)
        return refuse("checksum 0x%lx, should be 0x%lx", h->checksum, sum);
    if (h->page_bytes != PAGE_SIZE)
        return refuse("pages of %lu bytes, this image is built for %lu", h->page_bytes,
                      (uint64_t)PAGE_SIZE);
    return 0;
}

int hwrpb_clusters(const struct hwrpb *h, struct boot_info *bi, char *why, size_t why_bytes)
{
    const struct mddt *m = (const struct mddt *)((const char *)h + h->mddt_offset);

    if (h->mddt_offset < sizeof(*h) || h->mddt_offset % sizeof(uint64_t))
        return refuse("memory descriptors at offset 0x%lx", h->mddt_offset);
    if (m->count == 0 || m->count > HWRPB_CLUSTERS_MAX)
        return refuse("%lu memory clusters, expected are 1 to %u", m->count, HWRPB_CLUSTERS_MAX);
    /* A frame number that does not fit would come out as another, harmless looking range. */
    for (uint64_t i = 0; i < m->count; i++) {
        const struct cluster *c = &m->cluster[i];

        if ((c->start_pfn | c->pages) >> (64 - PAGE_SHIFT))
            return refuse("memory cluster %lu has %lu pages at 0x%lx", i, c->pages, c->start_pfn);
    }
    for (uint64_t i = 0; i < m->count; i++) {
        const struct cluster *c = &m->cluster[i];

        bi->map[bi->map_count++] = (struct boot_range){
            .start = c->start_pfn << PAGE_SHIFT,
            .size = c->pages << PAGE_SHIFT,
            .type = c->usage == USAGE_SYSTEM ? MEM_RAM : MEM_RESERVED,
        };
    }
    return 0;
}
