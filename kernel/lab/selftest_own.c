/*
 * Self-test `own_colors`: where own_colors= restricts the kernel's own memory, pages, the page
 * tables of a space and newlib's heap really lie in the chosen colours: each frame
 * by a walk of the kernel's page tables and the colour map's naive definition.
 */
#include "arch.h"
#include "core/kprintf.h"
#include "core/selftest.h"
#include "mm/own.h"

#include <stdlib.h>

#define PAGES  200   /* more than are free again at boot, so that new ones come */
#define BLOCKS 100   /* of the heap, */
#define BYTES  20000 /* several pages each, so that the heap grows by runs of frames */

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

static bool heap_is_wrong(char *msg, size_t msg_bytes)
{
    char *block[BLOCKS];
    bool bad = false;
    unsigned n = 0;
    for (; n < BLOCKS && (block[n] = malloc(BYTES)); n++) {
        for (size_t at = 0; at < BYTES; at += PAGE_SIZE)
            bad |= wrong_color(block[n] + at, msg, msg_bytes, "heap");
        bad |= wrong_color(block[n] + BYTES - 1, msg, msg_bytes, "heap");
    }
    while (n)
        free(block[--n]);
    return bad;
}

static bool tables_are_wrong(char *msg, size_t msg_bytes)
{
    struct arch_space s;
    if (arch_space_create(&s))
        return false;
    bool bad = wrong_color(arch_phys_to_virt(s.root), msg, msg_bytes, "page table");
    arch_space_destroy(&s);
    return bad;
}

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    if (!own_colors().given) {
        ksnprintf(msg, msg_bytes, "own_colors= is not on the command line");
        return SELFTEST_SKIP;
    }
    bool bad = pages_are_wrong(msg, msg_bytes) || heap_is_wrong(msg, msg_bytes) ||
               tables_are_wrong(msg, msg_bytes);
    return bad ? SELFTEST_FAIL : SELFTEST_OK;
}

REGISTER(selftest, own_colors) = {
    .name = "own_colors",
    .proves = "with own_colors=, pages, page tables and heap of the kernel have those colours",
    .run = run,
};
