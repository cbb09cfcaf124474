/* Grouping frames by eviction sets. Contract in eviction.h. */
#include "lab/eviction.h"

#include <string.h>

#define READS_MAX (UINT64_C(1) << 33)

/* Of frames that no colour's lines throw out: one in so many is noise, more are an error. */
#define GUESSED_ONE_IN 100

#define YES 5
#define NO  2

#define PROGRESS_EVERY 1024

#define NO_FRAME UINT32_MAX

/* The lines that stand for a colour, and the bits in which the numbers of all its frames agree. */
struct lines {
    uint32_t like, agree;
    uint32_t n, enough;
    uint32_t line[EVICTION_LINES_MAX];
};

/* Scratch, in this order. */
struct work {
    struct lines *of; /* [colors] */
    color_t *near;    /* [colors] by stated colour: the one that its last frame had */
    uint32_t *pool;   /* [frames] candidates of a new colour */
    uint32_t *trial;  /* [frames] the same without some */
};

static struct work work_in(const struct eviction *e, void *scratch)
{
    struct work w;
    w.of = scratch;
    w.near = (color_t *)(w.of + e->colors);
    w.pool = w.near + e->colors;
    w.trial = w.pool + e->frames;
    return w;
}

size_t eviction_bytes(const struct eviction *e)
{
    return e->colors * (sizeof(struct lines) + sizeof(color_t)) +
           2ul * e->frames * sizeof(uint32_t);
}

/* ---- asking ------------------------------------------------------------------------------------
 */

static bool once(struct eviction *e, const uint32_t *set, uint32_t n, uint32_t victim)
{
    e->reads += n + 1;
    return e->evicts(e->arg, set, n, victim);
}

/*
 * A wrong no costs another question, a wrong yes gathers wrong frames, and they are not rare: what
 * the kernel itself reads throws out a line now and then. So the first no counts, a yes is asked
 * again until YES of them stand against fewer than NO.
 */
static bool surely(struct eviction *e, const uint32_t *set, uint32_t n, uint32_t victim)
{
    unsigned yes = once(e, set, n, victim), no = 0;
    while (yes && yes < YES && no < NO) {
        if (once(e, set, n, victim))
            yes++;
        else
            no++;
    }
    return yes == YES;
}

/* A frame that stands for the colour itself is tried against the others. */
static bool is_member(struct eviction *e, const struct work *w, uint32_t i, color_t c)
{
    const struct lines *l = &w->of[c];
    uint32_t other[EVICTION_LINES_MAX], n = 0;
    for (uint32_t k = 0; k < l->n; k++)
        if (l->line[k] != i)
            other[n++] = l->line[k];
    return surely(e, other, n, i);
}

bool eviction_member(struct eviction *e, void *scratch, uint32_t i, color_t c)
{
    struct work w = work_in(e, scratch);
    return is_member(e, &w, i, c);
}

/* ---- a new colour ------------------------------------------------------------------------------
 */

/* Frames without a colour whose numbers agree with i's modulo m. */
static uint32_t collect(const struct eviction *e, const struct work *w, uint32_t i, uint64_t m)
{
    /* So many that every colour has more than enough in it, by a wide margin. */
    uint64_t limit = (uint64_t)e->colors * (2 * e->ways + 8);
    uint32_t n = 0;
    for (uint32_t j = 0; j < e->frames && n < limit; j++)
        if (j != i && e->color[j] == COLOR_NONE && e->frame[j].n % m == e->frame[i].n % m)
            w->pool[n++] = j;
    return n;
}

/* The pool without its g-th of `groups` parts, into trial; returns how many. */
static uint32_t without(const struct work *w, uint32_t n, uint32_t groups, uint32_t g)
{
    uint32_t from = (uint32_t)((uint64_t)n * g / groups);
    uint32_t to = (uint32_t)((uint64_t)n * (g + 1) / groups);
    memcpy(w->trial, w->pool, from * sizeof *w->pool);
    memcpy(w->trial + from, w->pool + to, (n - to) * sizeof *w->pool);
    return n - (to - from);
}

/*
 * Thins the pool out until no line can be spared; returns how many are left. With one part more
 * than lines are needed one part has none of those; where the cache needs more lines than expected
 * the parts get smaller, down to single lines.
 */
static uint32_t thin_out(struct eviction *e, const struct work *w, uint32_t n, uint32_t victim)
{
    uint32_t groups = e->ways + 1;
    while (n > 1) {
        uint32_t g = 0, left = n;
        groups = groups < n ? groups : n;
        for (; g < groups && left == n; g++) {
            uint32_t fewer = without(w, n, groups, g);
            if (surely(e, w->trial, fewer, victim))
                left = fewer;
        }
        if (left < n) {
            memcpy(w->pool, w->trial, left * sizeof *w->pool);
            n = left;
        } else if (groups == n) {
            break;
        } else {
            groups *= 2;
        }
        if (e->reads > READS_MAX)
            break;
    }
    return n;
}

static bool stands_for(const struct lines *l, uint32_t i)
{
    for (uint32_t k = 0; k < l->n; k++)
        if (l->line[k] == i)
            return true;
    return false;
}

static void join(struct eviction *e, const struct work *w, uint32_t i, color_t c)
{
    struct lines *l = &w->of[c];
    e->color[i] = c;
    l->agree &= ~((uint32_t)e->frame[i].n ^ l->like);
    w->near[e->frame[i].n % e->colors] = c;
    if (l->n < l->enough && !stands_for(l, i) && surely(e, l->line, l->n, i))
        l->line[l->n++] = i;
}

/*
 * A line that was needed only to push the victim out of a smaller cache in front does not share
 * its colour: it stays when the others and the victim are read.
 */
static bool shares(struct eviction *e, const struct work *w, uint32_t n, uint32_t k,
                   uint32_t victim)
{
    uint32_t fewer = without(w, n, n, k);
    w->trial[fewer] = victim;
    return surely(e, w->trial, fewer + 1, w->pool[k]);
}

/*
 * The known colour whose lines throw i's out: first the one of the last frame with the same stated
 * colour, then those whose frames have been like i in all that they share, then the rest.
 */
static color_t known(struct eviction *e, const struct work *w, uint32_t i)
{
    uint32_t number = (uint32_t)e->frame[i].n;
    color_t guess = w->near[e->frame[i].n % e->colors];
    if (guess != COLOR_NONE && is_member(e, w, i, guess))
        return guess;
    for (unsigned rest = 0; rest < 2; rest++) {
        for (color_t c = 0; c < e->found; c++) {
            bool unlike = (number ^ w->of[c].like) & w->of[c].agree;
            if (c != guess && unlike == rest && is_member(e, w, i, c))
                return c;
        }
    }
    return COLOR_NONE;
}

/* A colour of its own for i: NULL and *made says whether one was found; or an error. */
static const char *new_color(struct eviction *e, const struct work *w, uint32_t i, bool *made)
{
    uint32_t n = 0;
    /* Most hashes keep most of the plain index: look among frames that agree in much of it. */
    for (uint64_t m = e->colors;; m = m % 2 ? 1 : m / 2) {
        n = collect(e, w, i, m);
        if ((n && surely(e, w->pool, n, i)) || m == 1)
            break;
    }
    *made = n && surely(e, w->pool, n, i);
    if (!*made)
        return NULL;
    n = thin_out(e, w, n, i);
    *made = n <= EVICTION_LINES_MAX / 2 && surely(e, w->pool, n, i);
    if (!*made)
        return NULL;
    /* A no by mistake would make a second colour of one that is known. */
    color_t old = known(e, w, i);
    if (old == COLOR_NONE)
        old = known(e, w, w->pool[0]);
    if (old != COLOR_NONE) {
        join(e, w, i, old);
        return NULL;
    }
    if (e->found == e->colors)
        return "more colours than the cache of page_color= has: give its true size and ways";
    color_t c = e->found++;
    e->lines[n]++;
    struct lines *l = &w->of[c];
    *l = (struct lines){
        .like = (uint32_t)e->frame[i].n, .agree = UINT32_MAX, .n = n, .enough = n + n / 4 + 1};
    memcpy(l->line, w->pool, n * sizeof *w->pool);
    for (uint32_t k = 0; k < n; k++)
        if (shares(e, w, n, k, i))
            join(e, w, w->pool[k], c);
    join(e, w, i, c);
    return NULL;
}

/* ---- all frames --------------------------------------------------------------------------------
 */

/* Gives every frame a colour that has one; returns the number of those without. */
static const char *round_of(struct eviction *e, const struct work *w, uint32_t *without_color)
{
    const char *why = NULL;
    *without_color = 0;
    for (uint32_t i = 0; i < e->frames && !why; i++) {
        if (e->progress && i % PROGRESS_EVERY == 0)
            e->progress(e->arg, i);
        if (e->color[i] != COLOR_NONE)
            continue;
        color_t c = known(e, w, i);
        bool made = false;
        if (c != COLOR_NONE)
            join(e, w, i, c);
        else
            why = new_color(e, w, i, &made);
        *without_color += c == COLOR_NONE && !made;
        if (e->reads > READS_MAX)
            why = "given up after 2^33 reads";
    }
    return why;
}

const char *eviction_group(struct eviction *e, void *scratch)
{
    struct work w = work_in(e, scratch);
    uint32_t left;
    memset(w.near, 0xff, e->colors * sizeof *w.near);
    memset(e->color, 0xff, e->frames * sizeof *e->color);
    memset(e->lines, 0, sizeof e->lines);
    e->found = e->guessed = 0;
    e->reads = 0;
    const char *why = round_of(e, &w, &left);
    /* Once more: by now all colours are known. */
    if (!why && left && e->found)
        why = round_of(e, &w, &left);
    if (why)
        return why;
    if (!e->found || left > e->frames / GUESSED_ONE_IN)
        return "too many frames fit no colour: too few frames in the subject, a cache that is "
               "none, "
               "or times too uneven";
    for (uint32_t i = 0; i < e->frames; i++) {
        if (e->color[i] == COLOR_NONE) {
            color_t guess = w.near[e->frame[i].n % e->colors];
            e->color[i] = guess == COLOR_NONE ? 0 : guess;
            e->guessed++;
        }
    }
    return NULL;
}

/* ---- agreement ---------------------------------------------------------------------------------
 */

static uint64_t pairs(uint64_t n)
{
    return n * (n - 1) / 2;
}

struct eviction_agreement eviction_agree(const struct eviction *e, const struct color_map *stated,
                                         void *scratch)
{
    uint32_t *count = scratch; /* [colors], then frames by colour: first of each, next */
    uint32_t *first = count + stated->colors, *next = first + e->colors;
    uint64_t both = 0, same_found = 0, same_stated = 0;
    memset(count, 0, stated->colors * sizeof *count);
    memset(first, 0xff, e->colors * sizeof *first);
    for (uint32_t i = 0; i < e->frames; i++) {
        count[color_of(stated, e->frame[i])]++;
        next[i] = first[e->color[i]];
        first[e->color[i]] = i;
    }
    for (color_t c = 0; c < stated->colors; c++)
        same_stated += pairs(count[c]);
    memset(count, 0, stated->colors * sizeof *count);
    for (color_t c = 0; c < e->found; c++) {
        uint64_t members = 0;
        for (uint32_t i = first[c]; i != NO_FRAME; i = next[i], members++)
            both += count[color_of(stated, e->frame[i])]++;
        same_found += pairs(members);
        for (uint32_t i = first[c]; i != NO_FRAME; i = next[i])
            count[color_of(stated, e->frame[i])] = 0;
    }
    return (struct eviction_agreement){same_stated ? (uint32_t)(both * 10000 / same_stated) : 10000,
                                       same_found ? (uint32_t)(both * 10000 / same_found) : 10000};
}
