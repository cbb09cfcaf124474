/*
 * hier: a tree of counts, descended at each node to the child that the address space uses less; of
 * equals, to the one with more free frames. O(log colours) per frame.
 *
 * Source: hierarchical page mapping, Kessler and Hill, TOCS 10(4), 1992: bestbin's rule at a
 * logarithmic price, and good for caches of several sizes at once. A colour is read as digits, the
 * lowest first, and the first digit decides at the root. With 2^n colours each node splits by one
 * bit, so that a node at depth d is a colour of a cache with 2^d colours: every such cache is
 * served. For other numbers the factors of two come first; an odd digit is halved as a range of
 * values. With several caches in page_color= (KB,WAYS+KB,WAYS) the digits of the smallest come
 * first, so that each cache's colours are nodes. Children of unequal size are compared per
 * colour. A block above order 0 is counted frame by frame: O(2^order log colours).
 */
#include "mm/policy_state.h"

#define DIGITS_MAX (COLOR_BITS_MAX + COLOR_CACHES_MAX)

struct hier {
    unsigned digits;
    uint32_t radix[DIGITS_MAX];
    uint32_t free, used[POLICY_SPACES]; /* of the root */
    /* What stands left of a node's split, by position of the split: every split has its own. */
    uint32_t left[]; /* free [colors], then used [POLICY_SPACES][colors] */
};

/* Positions [lo, lo + length): whole runs of `unit` positions that differ in digit `digit`. */
struct node {
    uint32_t lo, length, unit;
    unsigned digit;
};

static size_t state_bytes(const struct color_spec *spec)
{
    return sizeof(struct hier) + (size_t)spec->colors * (1 + POLICY_SPACES) * sizeof(uint32_t);
}

/* ---- digits ------------------------------------------------------------------------------------
 */

static uint32_t common_multiple(uint32_t a, uint32_t b)
{
    uint32_t m = a;
    while (m % b)
        m += a;
    return m;
}

static void find_digits(struct hier *h, const struct color_spec *spec)
{
    uint32_t done = 1;
    for (unsigned i = 0; i < spec->caches; i++) {
        uint32_t factor = common_multiple(done, spec->cache_colors[i]) / done;
        done *= factor;
        for (; factor % 2 == 0; factor /= 2)
            h->radix[h->digits++] = 2;
        if (factor > 1)
            h->radix[h->digits++] = factor;
    }
}

/* The position of a colour: its digits, the first the most significant. */
static uint32_t position_of(const struct hier *h, uint32_t colors, color_t c)
{
    uint32_t at = 0;
    for (unsigned i = 0; i < h->digits; i++) {
        colors /= h->radix[i];
        at += c % h->radix[i] * colors;
        c /= h->radix[i];
    }
    return at;
}

static color_t color_at(const struct hier *h, uint32_t colors, uint32_t at)
{
    color_t c = 0;
    uint32_t weight = 1;
    for (unsigned i = 0; i < h->digits; i++) {
        colors /= h->radix[i];
        c += at / colors * weight;
        at %= colors;
        weight *= h->radix[i];
    }
    return c;
}

/* ---- the tree ----------------------------------------------------------------------------------
 */

static struct node root(const struct hier *h, uint32_t colors)
{
    return (struct node){0, colors, h->digits ? colors / h->radix[0] : 1, 0};
}

/* Where an inner node's right child begins. */
static uint32_t split(const struct hier *h, struct node *n)
{
    if (n->length == n->unit)
        n->unit /= h->radix[++n->digit];
    return n->lo + n->length / n->unit / 2 * n->unit;
}

static void go(struct node *n, uint32_t middle, bool left)
{
    uint32_t end = n->lo + n->length;
    n->lo = left ? n->lo : middle;
    n->length = (left ? middle : end) - n->lo;
}

static uint32_t *left_used(struct hier *h, uint32_t colors, unsigned slot)
{
    return h->left + (size_t)(1 + slot) * colors;
}

static void count_frame(struct policy_state *s, color_t c, unsigned slot, int by)
{
    struct hier *h = s->own;
    uint32_t colors = s->map->colors, at = position_of(h, colors, c);
    uint32_t *used = left_used(h, colors, slot);
    h->free -= (uint32_t)by;
    h->used[slot] += (uint32_t)by;
    for (struct node n = root(h, colors); n.length > 1;) {
        uint32_t middle = split(h, &n);
        if (at < middle) {
            h->left[middle] -= (uint32_t)by;
            used[middle] += (uint32_t)by;
        }
        go(&n, middle, at < middle);
    }
}

static color_t want(struct policy_state *s, const struct place_request *q)
{
    struct hier *h = s->own;
    uint32_t colors = s->map->colors;
    unsigned slot = q->space % POLICY_SPACES;
    const uint32_t *left = left_used(h, colors, slot);
    uint64_t free = h->free, used = h->used[slot];
    struct node n = root(h, colors);
    while (n.length > 1) {
        uint32_t middle = split(h, &n);
        uint64_t l = middle - n.lo, r = n.length - l; /* colours on each side */
        uint64_t lf = h->left[middle], rf = free - lf, lu = left[middle], ru = used - lu;
        bool go_left = lu * r != ru * l ? lu * r < ru * l : lf * r >= rf * l;
        if (!lf || !rf)
            go_left = lf != 0;
        free = go_left ? lf : rf;
        used = go_left ? lu : ru;
        go(&n, middle, go_left);
    }
    return color_at(h, colors, n.lo);
}

/* Free frames are counted as if slot 0 gave them back; then that is forgotten. */
static void start(struct policy_state *s)
{
    struct hier *h = s->own;
    const struct pages *p = s->buddy->pages;
    find_digits(h, s->spec);
    for (uint32_t nr = 0; nr < p->count; nr++) {
        unsigned order = page_flags(p, nr) & PAGE_ORDER_MASK;
        if (!page_is_block(p, nr, PAGE_FREE, order))
            continue;
        for (uint32_t i = 0; i < 1u << order; i++)
            count_frame(s, color_of(s->map, page_pfn(p, nr + i)), 0, -1);
    }
    h->used[0] = 0;
    for (uint32_t i = 0; i < s->map->colors; i++)
        left_used(h, s->map->colors, 0)[i] = 0;
}

static void got(struct policy_state *s, const struct place_request *q, pfn_t p)
{
    policy_each_got(s, q, p, count_frame);
}

static void freed(struct policy_state *s, pfn_t p, unsigned order)
{
    policy_each_freed(s, p, order, count_frame);
}

REGISTER(policy, hier) = {
    .name = "hier",
    .rule = "down a tree of counts, to the half less used, then more free: all cache sizes at once",
    .source = "hierarchical: Kessler and Hill, TOCS 10(4), 1992",
    .colored = true,
    .want = want,
    .state_bytes = state_bytes,
    .start = start,
    .got = got,
    .freed = freed,
};
