/*
 * Clocks: where times come from, how fast they run, and how sure we are.
 *
 * One cycle counter per machine (tsc, rpcc), calibrated against two reference clocks that must
 * agree within CLOCK_AGREE_PPM, retried CLOCK_TRIES times; if they never agree the frequency is
 * unknown (hz == 0), the log says so and results stay in cycles. Under a hypervisor a note says
 * that times are emulation times.
 */
#ifndef TT_PERF_CLOCK_H
#define TT_PERF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_AGREE_PPM 2000 /* two crystals of +-100 ppm, a 10 ms window, +-1 tick of each */
#define CLOCK_TRIES     5

struct clock_info {
    const char *source;    /* "tsc", "rpcc", "model" */
    uint64_t hz;           /* 0: unknown */
    const char *basis;     /* "pit+acpi_pm", "stated", "unknown" */
    int invariant;         /* 1, 0, or -1 unknown */
    uint64_t overhead;     /* cycles of an empty measured interval, minimum of many */
};

/* Calibrates; bounded to about CLOCK_TRIES * 10 ms. Once, at boot. */
void clock_init(void);
const struct clock_info *clock_info(void);

/* Start and end of a measured interval: serialised reads of the current source. */
uint64_t clock_read(void);

/*
 * Cycles between two readings less the overhead; never wraps: when the overhead is larger than
 * the interval the result is 0 and *underflow, if not NULL, is set.
 */
uint64_t clock_elapsed(uint64_t start, uint64_t end, bool *underflow);

/* Waits about ns nanoseconds by the calibrated clock (or a bounded loop when unknown). */
void clock_delay_ns(uint64_t ns);

/* Nanoseconds of cycles; 0 when hz is unknown. Integer, for code without floating point. */
uint64_t clock_ns(uint64_t cycles);

#endif
