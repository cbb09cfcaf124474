/*
 * Calibration of the cycle counter. See calibrate.h; clock.c decides what to believe.
 *
 * A reading of a reference clock is slow (microseconds, far more when a host takes the CPU away, or
 * an emulator translates this code while it runs for the first time), so each is bracketed by two
 * readings of the cycle counter and dated to their middle, and of several the one with the
 * narrowest bracket is taken. If it is wide all the same it disagrees with the other sources and
 * the window is repeated: that is what two are for.
 */
#include "perf/calibrate.h"

#include "arch.h"

#include <arch/cpu.h>

#define WINDOW_PER_S 800 /* a whole window is 1.25 ms: a tick of the PIT is 670 ppm of it */

/* A clock is read to one tick: after so many it is known to 714 ppm. The PIT makes 1,491. */
#define TICKS_MIN 1400

/* Readings of which the best counts: the first ones pay for cold caches and translations. */
#define READINGS 4

/*
 * Rounds of the waiting loop when no clock moves. A round reads every clock; the quickest of them
 * takes 50 ns, so 1.25 ms are at most 25,000 rounds, and with a slow one (PIT, 3 us) that is 0.08
 * s.
 */
#define WINDOW_ROUNDS 25000

struct reading {
    uint64_t ref;
    uint64_t cycles;
};

static struct reading read_dated(const struct arch_ref_clock *c)
{
    struct reading best = {0, 0};
    uint64_t width = UINT64_MAX;
    for (unsigned i = 0; i < READINGS; i++) {
        uint64_t before = cpu_cycles(), ref = c->read(), took = cpu_cycles() - before;
        if (took < width) {
            width = took;
            best = (struct reading){ref, before + took / 2};
        }
    }
    return best;
}

/* a * b / c without overflow of the product; c is not 0. */
static uint64_t mul_div(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t q = a / c, rest = a % c; /* a * b / c = q * b + rest * b / c */
    while (rest > UINT64_MAX / b) {   /* b: at most 10^10 Hz, so this costs few bits of many */
        rest /= 2;
        c /= 2;
    }
    return q * b + rest * b / c;
}

/* Reads every clock until `enough` of them made TICKS_MIN, or one says that the window is over. */
static void wait_window(const struct arch_ref_clock *clock, const struct reading *start, unsigned n,
                        unsigned enough)
{
    bool over = n == 0;
    for (unsigned round = 0; !over && round < WINDOW_ROUNDS; round++) {
        unsigned known = 0;
        for (unsigned i = 0; i < n; i++) {
            uint64_t ticks = clock[i].read() - start[i].ref;
            known += ticks >= TICKS_MIN;
            over |= ticks >= clock[i].hz / WINDOW_PER_S;
        }
        over |= known >= enough;
    }
}

unsigned calibrate_window(struct hz_source out[CALIBRATE_SOURCES], unsigned refs)
{
    struct arch_ref_clock clock[CALIBRATE_REFS];
    struct reading start[CALIBRATE_REFS] = {{0, 0}}, end[CALIBRATE_REFS] = {{0, 0}};
    unsigned clocks = arch_ref_clocks(clock, refs), n = 0;
    uint64_t stated = arch_cycle_hz_stated();

    for (unsigned i = 0; i < clocks; i++)
        start[i] = read_dated(&clock[i]);
    wait_window(clock, start, clocks, refs);
    for (unsigned i = 0; i < clocks; i++)
        end[i] = read_dated(&clock[i]);

    if (stated)
        out[n++] = (struct hz_source){"stated", stated};
    for (unsigned i = 0; i < clocks; i++) {
        uint64_t ticks = end[i].ref - start[i].ref;
        if (ticks >= TICKS_MIN)
            out[n++] = (struct hz_source){
                clock[i].name, mul_div(end[i].cycles - start[i].cycles, clock[i].hz, ticks)};
    }
    return n;
}

bool calibrate_agree(const struct hz_source *s, unsigned n, uint64_t ppm, unsigned *a, unsigned *b)
{
    uint64_t best = ppm + 1; /* difference in ppm of the larger */
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = i + 1; j < n; j++) {
            uint64_t hi = max_u64(s[i].hz, s[j].hz), lo = min_u64(s[i].hz, s[j].hz);
            /* Divided first: what a broken clock says may be too large to multiply. */
            uint64_t apart = lo ? (hi - lo) / max_u64(hi / 1000000, 1) : UINT64_MAX;
            if (apart < best) {
                best = apart;
                *a = i;
                *b = j;
            }
        }
    return best <= ppm;
}
