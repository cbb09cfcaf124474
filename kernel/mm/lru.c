/* LRU lists. Contract in lru.h. Only link and unlink below touch links, flags and counts. */
#include "mm/lru.h"

#include "core/panic.h"

void lru_init(struct lru *l, struct pages *pages, unsigned node)
{
    *l = (struct lru){.pages = pages, .node = node, .lock = LOCK_INIT("lru")};
    for (unsigned i = 0; i < LRU_LISTS; i++)
        l->list[i].first = l->list[i].last = PAGE_NR_NONE;
}

static bool on_list(const struct lru *l, uint32_t page)
{
    return page_flags(l->pages, page) & PAGE_LRU;
}

static enum lru_list list_of(const struct lru *l, uint32_t page)
{
    return page_flags(l->pages, page) & PAGE_ACTIVE ? LRU_ACTIVE : LRU_INACTIVE;
}

static void link(struct lru *l, enum lru_list which, uint32_t page)
{
    uint32_t old = l->list[which].first;
    *page_next(l->pages, page) = old;
    *page_prev(l->pages, page) = PAGE_NR_NONE;
    if (old == PAGE_NR_NONE)
        l->list[which].last = page;
    else
        *page_prev(l->pages, old) = page;
    l->list[which].first = page;
    l->list[which].count++;
    *page_flag_word(l->pages, page) |= PAGE_LRU | (which == LRU_ACTIVE ? PAGE_ACTIVE : 0);
}

static void unlink(struct lru *l, uint32_t page)
{
    enum lru_list which = list_of(l, page);
    uint32_t next = *page_next(l->pages, page), prev = *page_prev(l->pages, page);
    if (prev == PAGE_NR_NONE)
        l->list[which].first = next;
    else
        *page_next(l->pages, prev) = next;
    if (next == PAGE_NR_NONE)
        l->list[which].last = prev;
    else
        *page_prev(l->pages, next) = prev;
    l->list[which].count--;
    *page_flag_word(l->pages, page) &= ~(uint32_t)(PAGE_LRU | PAGE_ACTIVE);
}

void lru_add(struct lru *nodes, enum lru_list which, const struct pagevec *v)
{
    const struct pages *pages = nodes->pages;
    unsigned n = pagevec_count(v);
    uint8_t count = pages->shape->count;
    struct lru *l = NULL;
    for (unsigned i = 0; i < n; i++) {
        struct lru *of = &nodes[page_node(pages, pagevec_get(v, i))];
        if (of != l) {
            if (l)
                lock_drop(&l->lock);
            l = of;
            lock_take(&l->lock);
        }
        check(1, !on_list(l, pagevec_get(v, i)));
        link(l, which, pagevec_get(v, i));
    }
    if (l)
        lock_drop(&l->lock);
    for (unsigned i = 0; i < n; i++)
        fetch_add(page_field(pages, pagevec_get(v, i), count), (uint32_t)-1);
    pagevec_set_count(v, 0);
}

bool lru_activate(struct lru *l, uint32_t page)
{
    lock_take(&l->lock);
    bool there = on_list(l, page);
    if (there) {
        unlink(l, page);
        link(l, LRU_ACTIVE, page);
    }
    lock_drop(&l->lock);
    return there;
}

bool lru_remove(struct lru *l, uint32_t page)
{
    lock_take(&l->lock);
    bool there = on_list(l, page);
    if (there)
        unlink(l, page);
    lock_drop(&l->lock);
    return there;
}

uint32_t lru_take_oldest(struct lru *l, enum lru_list which)
{
    lock_take(&l->lock);
    uint32_t page = l->list[which].last;
    if (page != PAGE_NR_NONE)
        unlink(l, page);
    lock_drop(&l->lock);
    return page;
}

static const char *check_list(struct lru *l, enum lru_list which)
{
    uint32_t prev = PAGE_NR_NONE, n = 0;
    for (uint32_t p = l->list[which].first; p != PAGE_NR_NONE; p = *page_next(l->pages, p)) {
        if (p >= l->pages->count || n++ == l->list[which].count)
            return "an LRU list leads nowhere, or is longer than its count";
        if (!on_list(l, p) || list_of(l, p) != which)
            return "a page on an LRU list says that it is not";
        if (*page_prev(l->pages, p) != prev)
            return "a page on an LRU list does not point back";
        if (page_node(l->pages, p) != l->node)
            return "a page is on an LRU list of another node";
        if ((page_flags(l->pages, p) & PAGE_STATE_MASK) == PAGE_FREE << PAGE_STATE_SHIFT)
            return "a free page is on an LRU list";
        prev = p;
    }
    if (l->list[which].last != prev)
        return "an LRU list ends elsewhere than it says";
    return n == l->list[which].count ? NULL : "an LRU list is shorter than its count";
}

const char *lru_check(struct lru *l)
{
    lock_take(&l->lock);
    const char *broken = NULL;
    for (unsigned i = 0; i < LRU_LISTS && !broken; i++)
        broken = check_list(l, (enum lru_list)i);
    lock_drop(&l->lock);
    return broken;
}
