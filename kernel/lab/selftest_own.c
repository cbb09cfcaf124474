/*
 * Self-test `own_colors`: where own_colors= restricts the kernel's own memory, everything of it
 * really lies in the chosen colours, each page found by a walk of the page tables and judged by
 * the colour map's naive definition: what is there, and what is taken for the test.
 */
#include "arch.h"
#include "core/kprintf.h"
#include "core/selftest.h"
#include "lab/own_log.h"
#include "mm/own.h"

#include <stdlib.h>

#define PAGES  200   /* more than are free again at boot, so that new ones come */
#define BLOCKS 25    /* of the heap, */
#define BYTES  20000 /* several pages each */
#define SPREAD 16    /* pages in a space, far enough apart that each needs tables of its own */

static bool wrong_color(const void *p, char *msg, size_t msg_bytes, const char *what)
{
    phys_t at = arch_space_lookup(NULL, (uintptr_t)p, NULL);
    if (at.a != PHYS_NONE.a && own_color_allowed_naive(at))
        return false;
    ksnprintf(msg, msg_bytes, "%s at %p, physical 0x%llx: not of a colour that own_colors= names",
              what, p, (unsigned long long)at.a);
    return true;
}

static bool pages_are_wrong(char *msg, size_t msg_bytes)
{
    void *page[PAGES];
    bool bad = false;
    unsigned n = 0;
    while (n < PAGES && (page[n] = own_page_alloc()))
        bad |= wrong_color(page[n++], msg, msg_bytes, "page");
    while (n)
        own_page_free(page[--n]);
    return bad;
}

/* Takes heap, so that it grows, and gives it back: its pages stay. */
static void grow_heap(void)
{
    char *block[BLOCKS];
    unsigned n = 0;
    while (n < BLOCKS && (block[n] = malloc(BYTES)))
        n++;
    while (n)
        free(block[--n]);
}

/* With tables of every level: large pages apart, and large steps of those. */
static bool any_kind_is_wrong(char *msg, size_t msg_bytes)
{
    struct arch_space s;
    void *page = own_page_alloc();
    const char *bad = NULL;
    if (!page || arch_space_create(&s)) {
        own_advise(msg, msg_bytes);
        return true;
    }
    for (unsigned i = 0; i < SPREAD && !bad; i++)
        if (arch_space_map(&s, ARCH_WINDOW + i * 37ul * LARGE_PAGE_SIZE * 64,
                           phys_to_pfn(arch_virt_to_phys(page)), 0, PROT_R))
            own_advise(msg, msg_bytes), bad = msg;
    if (!bad && (bad = own_log_check(&s)))
        ksnprintf(msg, msg_bytes, "%s", bad);
    else if (!bad && s.table_pages < SPREAD)
        ksnprintf(msg, msg_bytes, "%s", bad = "a space with far pages has few tables");
    arch_space_destroy(&s);
    own_page_free(page);
    return bad;
}

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    if (!own_colors().given) {
        ksnprintf(msg, msg_bytes, "own_colors= is not on the command line");
        return SELFTEST_SKIP;
    }
    grow_heap();
    bool bad = pages_are_wrong(msg, msg_bytes) || any_kind_is_wrong(msg, msg_bytes);
    return bad ? SELFTEST_FAIL : SELFTEST_OK;
}

REGISTER(selftest, own_colors) = {
    .name = "own_colors",
    .proves = "with own_colors=, every page of own memory has one of those colours",
    .run = run,
};
