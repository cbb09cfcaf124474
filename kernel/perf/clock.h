/*
 * Clocks: where times come from, how fast they run, and how sure we are.
 *
 * One cycle counter per machine (tsc, rpcc). All reference clocks are read at both ends of one
 * window; two sources (the frequency that the machine states is one) must agree on the counter's
 * frequency within CLOCK_AGREE_PPM, retried CLOCK_TRIES times. If they never agree the frequency
 * is unknown (hz == 0), the log says so and results stay in cycles. Where there is nothing to
 * compare a stated frequency with, it is taken and the basis says only "stated". Under QEMU's TCG
 * the source is "emulation"; under another hypervisor it keeps its name, and a note is written.
 */
#ifndef TT_PERF_CLOCK_H
#define TT_PERF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_AGREE_PPM 2000 /* two crystals of +-100 ppm, +-1 tick of 1,400 of each */
#define CLOCK_TRIES     5

struct clock_info {
    const char *source; /* "tsc", "rpcc", "model", "emulation" */
    uint64_t hz;        /* 0: unknown */
    const char *basis;  /* "acpi_pm+pit", "stated+hpet", "stated", "unknown" */
    int invariant;      /* 1, 0, or -1 unknown */
    uint64_t overhead;  /* cycles of an empty measured interval, minimum of many */
};

/*
 * Calibrates, bounded to about CLOCK_TRIES * 1.25 ms; writes a note when the frequency is unknown
 * (with what each source said) or the times are not a real machine's. Once, at boot.
 */
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
