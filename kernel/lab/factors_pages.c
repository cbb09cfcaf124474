/*
 * The factor `pages`: base or large pages under a working set.
 *
 * A large page is one block of the policy, so it has all colours of a cache whose way is not
 * larger, in order: within it no policy has a choice left. On aged memory there may be no block of
 * its order free: then the point is missing, and the accounting counts the failure.
 */
#include "lab/factor.h"

#include <string.h>

#define LARGE_ORDER (LARGE_PAGE_SHIFT - PAGE_SHIFT)

/* Names of all page sizes that a port has; NAME of any other would be wrong, so it is refused. */
#define NAME(shift) ((shift) == 12 ? "4K" : (shift) == 13 ? "8K" : (shift) == 21 ? "2M" : "4M")
_Static_assert(PAGE_SHIFT == 12 || PAGE_SHIFT == 13, "NAME knows the base page");
_Static_assert(LARGE_PAGE_SHIFT == 21 || LARGE_PAGE_SHIFT == 22, "NAME knows the large page");
_Static_assert(LARGE_ORDER <= MAX_ORDER, "the free lists have blocks of a large page");

static const char *const names[] = {NAME(PAGE_SHIFT), NAME(LARGE_PAGE_SHIFT), NULL};

static const char *nth_size(unsigned i)
{
    return names[i];
}

static int level_pages(const char *text, struct setup *s, char *err, size_t err_bytes)
{
    bool large = !strcmp(text, names[1]);
    if (!large && strcmp(text, names[0]))
        return factor_no_such_level(text, names, err, err_bytes);
    s->page_order = large ? LARGE_ORDER : 0;
    return 0;
}

REGISTER_FACTOR(pages, ',', NAME(PAGE_SHIFT), "SIZE[,SIZE]|all",
                "size of the pages that a working set is mapped with", level_pages, nth_size, NULL);
