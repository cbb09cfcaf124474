/* A page cache full of files. Contract in file_cache.h. */
#include "work/file_cache.h"

#include "work/files.h"
#include "work/take_page.h"

#include <stdlib.h>

#define STREAM_SIZES 0x66696c65u

static uint32_t file_pages(struct rng *sizes)
{
    return (uint32_t)((file_kib(sizes) * 1024 + PAGE_SIZE - 1) >> PAGE_SHIFT);
}

const char *file_cache_init(struct file_cache *f, struct memory *m, uint32_t files, uint64_t seed)
{
    const struct cache_setup *setup = &m->setup->cache;
    unsigned bits = hash_bits(setup, PAGE_HASH_BITS, (uint64_t)m->pages.count << PAGE_SHIFT);
    struct rng sizes = rng_stream(seed, STREAM_SIZES);
    uint32_t pages = 0;
    *f = (struct file_cache){.memory = m, .file = malloc(files * sizeof *f->file)};
    for (uint32_t i = 0; f->file && i < files; i++) {
        f->file[i] = (struct file){.first = pages, .pages = file_pages(&sizes)};
        pages += f->file[i].pages;
    }
    f->page = malloc(pages * sizeof *f->page);
    f->swap = malloc((pages / 3 + 1) * sizeof *f->swap);
    if (!f->file || !f->page || !f->swap)
        return "no memory left for a list of the files";
    return page_cache_init(&f->cache, &m->pages, setup, bits, m->tables);
}

void file_cache_free(struct file_cache *f)
{
    free(f->swap);
    free(f->page);
    free(f->file);
}

/* ---- filling ----------------------------------------------------------------------------------
 */

bool file_cache_add_inodes(struct file_cache *f, uint32_t files)
{
    for (; f->inodes < files; f->inodes++) {
        uint32_t i = f->inodes;
        if (i % INODES_PER_PAGE == 0)
            f->inode_page = take_page(f->memory, i / INODES_PER_PAGE);
        if (f->inode_page == PAGE_NR_NONE)
            return false;
        f->file[i].inode = inode_address(f->inode_page, i % INODES_PER_PAGE);
    }
    return true;
}

static bool add_file(struct file_cache *f, const struct file *file)
{
    for (uint32_t i = 0; i < file->pages; i++) {
        uint32_t page = take_page(f->memory, f->pages);
        if (page == PAGE_NR_NONE)
            return false;
        page_cache_add(&f->cache, page, file->inode, i << PAGE_SHIFT);
        f->page[f->pages++] = page;
    }
    return true;
}

static bool add_swap(struct file_cache *f)
{
    uint32_t page = take_page(f->memory, f->swaps);
    if (page == PAGE_NR_NONE)
        return false;
    page_cache_add(&f->cache, page, SWAPPER_INODE, SWAP_ENTRY(f->swaps + 1));
    f->swap[f->swaps++] = page;
    return true;
}

bool file_cache_fill(struct file_cache *f, uint32_t files, bool swap)
{
    bool room = file_cache_add_inodes(f, files);
    for (; room && f->files < files; f->files++) {
        room = add_file(f, &f->file[f->files]);
        while (room && swap && f->swaps < f->pages / 3)
            room = add_swap(f);
    }
    return room;
}

const char *file_cache_empty(struct file_cache *f)
{
    const struct pages *pages = f->cache.pages;
    for (uint32_t i = 0; i < f->pages + f->swaps; i++) {
        uint32_t page = i < f->pages ? f->page[i] : f->swap[i - f->pages];
        page_cache_remove(&f->cache, page);
        if (*page_field(pages, page, pages->shape->count))
            return "a page keeps a reference";
    }
    if (f->cache.table.count)
        return "pages are left in the cache";
    return page_cache_check(&f->cache);
}

/* ---- looking up -------------------------------------------------------------------------------
 */

/* The file that a page of page[] belongs to. */
static const struct file *file_of(const struct file_cache *f, uint32_t page)
{
    uint32_t lo = 0, hi = f->files;
    while (hi - lo > 1) {
        uint32_t mid = (lo + hi) / 2;
        if (page < f->file[mid].first)
            hi = mid;
        else
            lo = mid;
    }
    return &f->file[lo];
}

static struct file_key key_of(uint32_t inode, uint32_t offset, const uint32_t *page, uint32_t n,
                              uint64_t *sum)
{
    for (uint32_t i = 0; i < n; i++)
        *sum += page[i];
    return (struct file_key){inode, offset | n};
}

/* As every run is read to its end, pages are equally likely when runs are. */
static struct file_key draw_run(const struct file_cache *f, struct rng *rng, uint64_t *sum)
{
    uint32_t i = rng_below(rng, f->files + f->swaps / SWAP_CLUSTER);
    if (i < f->files) {
        const struct file *file = &f->file[i];
        return key_of(file->inode, 0, f->page + file->first, file->pages, sum);
    }
    i = (i - f->files) * SWAP_CLUSTER;
    return key_of(SWAPPER_INODE, SWAP_ENTRY(i + 1), f->swap + i, SWAP_CLUSTER, sum);
}

static struct file_key draw_page(const struct file_cache *f, struct rng *rng, uint64_t *sum)
{
    uint32_t i = rng_below(rng, f->pages + f->swaps);
    if (i < f->pages) {
        const struct file *file = file_of(f, i);
        return key_of(file->inode, (i - file->first) << PAGE_SHIFT, f->page + i, 1, sum);
    }
    i -= f->pages;
    return key_of(SWAPPER_INODE, SWAP_ENTRY(i + 1), f->swap + i, 1, sum);
}

struct file_key file_cache_draw(const struct file_cache *f, struct rng *rng, bool single,
                                uint64_t *sum)
{
    return single ? draw_page(f, rng, sum) : draw_run(f, rng, sum);
}

double file_cache_swap_probes(const struct file_cache *f)
{
    const struct page_cache *c = &f->cache;
    uint64_t probes = 0;
    for (uint32_t i = 0; i < f->swaps; i++) {
        uint32_t bucket = c->hash(SWAPPER_INODE, SWAP_ENTRY(i + 1), c->table.bits);
        for_each_in_chain(&c->table, bucket, page)
        {
            probes++;
            if (page == f->swap[i])
                break;
        }
    }
    return (double)probes / f->swaps;
}
