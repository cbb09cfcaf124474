/*
 * Which frames share a colour, found by nothing but: does reading some lines throw another one out
 * of the cache? Grouping by eviction sets, after Vila, Köpf and Morales, "Theory and Practice of
 * Finding Eviction Sets", IEEE S&P 2019: a set that throws a line out is thinned out group by group
 * until nothing can be spared; what is left shares the line's colour and stands for it from then
 * on. Every other frame is tried against the colours known so far.
 *
 * Knows neither clocks nor memory, so that the tests can give it any cache.
 */
#ifndef TT_LAB_EVICTION_H
#define TT_LAB_EVICTION_H

#include "mm/color.h"

#define EVICTION_LINES_MAX                                                                         \
    64 /* that it may take to throw a line out: ways of all levels together */

struct eviction {
    /* Reads victim's line, then those of set[0..n); true: the victim's is not cached any more. */
    bool (*evicts)(void *arg, const uint32_t *set, uint32_t n, uint32_t victim);
    /* Called now and then with how many frames have a colour. May be NULL. */
    void (*progress)(void *arg, uint32_t done);
    void *arg;

    const pfn_t *frame; /* sets and victims are indexes into it */
    uint32_t frames;
    uint32_t colors; /* expected; more are an error */
    unsigned ways;   /* expected */

    /* Results: */
    color_t *color;   /* [frames], colours numbered as they were found */
    uint32_t found;   /* colours */
    uint32_t guessed; /* frames that no colour's lines threw out: they have their neighbours' */
    unsigned lines[EVICTION_LINES_MAX + 1]; /* colours by the lines it took to throw one out */
    uint64_t reads;
};

/* Bytes of scratch that eviction_group() needs beside color[]. */
size_t eviction_bytes(const struct eviction *e);

/*
 * Fills color[] and the other results. NULL, or why it could not: more colours than expected, too
 * few frames or answers too contradictory (more than one frame in a hundred fits nowhere), or more
 * than 2^33 reads.
 */
const char *eviction_group(struct eviction *e, void *scratch);

/* Does frame i's line leave when those of colour c are read? For checks behind eviction_group(). */
bool eviction_member(struct eviction *e, void *scratch, uint32_t i, color_t c);

/*
 * How well a partition of the frames by stated colours agrees with the one found, in
 * ten-thousandths: right, of pairs of frames with one stated colour, those that share a colour;
 * known, of pairs that share a colour, those with one stated colour. scratch: eviction_bytes().
 */
struct eviction_agreement {
    uint32_t right, known;
};
struct eviction_agreement eviction_agree(const struct eviction *e, const struct color_map *stated,
                                         void *scratch);

#endif
