/*
 * Calibration: the frequency of the cycle counter from several sources that may each be wrong.
 */
#ifndef TT_PERF_CALIBRATE_H
#define TT_PERF_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

#define CALIBRATE_REFS    4                    /* reference clocks looked at */
#define CALIBRATE_SOURCES (CALIBRATE_REFS + 1) /* and the stated frequency */

/* What one source says about the cycle counter. */
struct hz_source {
    const char *name;
    uint64_t hz;
};

/*
 * One window against the first `refs` reference clocks at once (CALIBRATE_REFS: all there are);
 * fills out[] with what each of them, and the machine's statement, says, and returns how many. The
 * window ends when `refs` clocks made the ticks that their word needs, after 1.25 ms at the latest;
 * a clock that made fewer, or stands still, says nothing. Bounded also when all of them stand
 * still.
 */
unsigned calibrate_window(struct hz_source out[CALIBRATE_SOURCES], unsigned refs);

/*
 * The two of s[0..n) that agree best, into *a and *b (indices, a < b); false if no two agree
 * within ppm.
 */
bool calibrate_agree(const struct hz_source *s, unsigned n, uint64_t ppm, unsigned *a, unsigned *b);

#endif
