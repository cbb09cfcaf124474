/*
 * The two clocks of a CPU, and what they share.
 *
 * Both start from one cycle per instruction. `serial`: an access costs its full latency where it
 * is found, one after the other: instructions + accesses x (L1 latency - 1) + what each miss waits
 * beyond L1. No bus, no overlap: the time of code in which everything depends on the load before.
 *
 * `overlap`: L1 hits cost nothing beyond the instruction; a miss occupies one of the machine's
 * `outstanding_misses` entries and the bus of the level that serves it, and the CPU waits only
 * when all entries are taken (they are given back in order of issue). At a reading, the clock is
 * at least the completion of the last miss. The time of code in which nothing depends on anything.
 * Real programs lie between the two.
 *
 * Left out, in both: instruction fetch, page walks' own memory traffic, dependences, branches,
 * issue width, store forwarding, a hit on a line that is still on its way (counted as a hit, no
 * wait), DRAM pages and banks, write-backs' latency (their bus occupancy counts), the write-
 * through traffic of stores that hit the next level.
 *
 * A bus is shared by CPUs whose clocks are not in step (QEMU runs them in turn), so it is a ring
 * of windows of time, each filled up to its length, whoever asks and in whatever order.
 */
#ifndef TOOLS_MODEL_TIMING_H
#define TOOLS_MODEL_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/model/machine.h"

/* A window must hold the longest line transfer: the parser refuses slower buses. */
#define TIMING_WINDOW_SHIFT  10u
#define TIMING_WINDOW_CYCLES (1u << TIMING_WINDOW_SHIFT)
/* 1024 windows of 1024 cycles: CPUs may be 1M cycles apart before one misses the other's use. */
#define TIMING_WINDOWS 1024u

struct timing_bus {
    struct timing_window {
        uint64_t number; /* which window of time this is, + 1; 0: none */
        uint64_t used;   /* cycles taken of it, <= TIMING_WINDOW_CYCLES */
    } window[TIMING_WINDOWS];
};

struct timing_cpu {
    uint64_t serial_stall;  /* beyond one cycle per instruction and the L1 latency */
    uint64_t overlap_stall; /* beyond one cycle per instruction */
    uint64_t done[MACHINE_MAX_OUTSTANDING]; /* completions, in order of issue; others are past */
    uint32_t oldest;
    uint32_t outstanding; /* entries there are */
};

/* Cycles a transfer of bytes takes on a bus, rounded up. */
uint32_t timing_occupancy(uint32_t bytes, uint32_t bandwidth_milli);

/* A bus and a CPU at time 0. */
void timing_bus_reset(struct timing_bus *bus);
void timing_cpu_reset(struct timing_cpu *cpu, uint32_t outstanding);

/*
 * Put a transfer on the bus that could end at cycle ready. Returns the cycle at which it does:
 * ready, or later when the windows of time from there on are full. A CPU that lags more than
 * TIMING_WINDOWS windows behind another finds the bus free.
 */
static inline uint64_t timing_bus_take(struct timing_bus *bus, uint64_t ready, uint32_t occupancy)
{
    for (uint64_t number = ready >> TIMING_WINDOW_SHIFT;; number++) {
        struct timing_window *window = &bus->window[number % TIMING_WINDOWS];
        uint64_t end;

        if (window->number != number + 1) {
            if (window->number > number + 1) {
                return ready;
            }
            window->number = number + 1;
            window->used = 0;
        }
        end = window->used + occupancy;
        if (end <= TIMING_WINDOW_CYCLES) {
            window->used = end;
            end += number << TIMING_WINDOW_SHIFT;
            return end > ready ? end : ready;
        }
    }
}

/*
 * A miss of a CPU that has retired `instructions`: latency_cycles to use when nothing is in the
 * way, beyond_l1 of them beyond an L1 hit; occupancy cycles on bus (0: none).
 */
static inline void timing_miss(struct timing_cpu *cpu, uint64_t instructions,
                               uint32_t latency_cycles, uint32_t beyond_l1, struct timing_bus *bus,
                               uint32_t occupancy)
{
    uint64_t now = instructions + cpu->overlap_stall;
    uint64_t done = cpu->done[cpu->oldest];

    cpu->serial_stall += beyond_l1;
    if (done > now) {
        cpu->overlap_stall += done - now;
        now = done;
    }
    done = now + latency_cycles;
    if (occupancy != 0) {
        done = timing_bus_take(bus, done, occupancy);
    }
    cpu->done[cpu->oldest] = done;
    cpu->oldest = cpu->oldest + 1 == cpu->outstanding ? 0 : cpu->oldest + 1;
}

/* Wait, in both clocks: a TLB miss. */
static inline void timing_stall(struct timing_cpu *cpu, uint32_t cycles)
{
    cpu->serial_stall += cycles;
    cpu->overlap_stall += cycles;
}

/* The overlap clock, with everything outstanding completed. */
static inline uint64_t timing_overlap(const struct timing_cpu *cpu, uint64_t instructions)
{
    uint64_t now = instructions + cpu->overlap_stall;

    for (uint32_t i = 0; i < cpu->outstanding; i++) {
        now = cpu->done[i] > now ? cpu->done[i] : now;
    }
    return now;
}

/* Published clocks, by key: where CPUs' clocks meet. */
#define TIMING_SYNC_SLOTS 4096u

struct timing_sync {
    uint64_t key[TIMING_SYNC_SLOTS]; /* key + 1, 0: free. A key of UINT64_MAX is refused */
    uint64_t serial[TIMING_SYNC_SLOTS];
    uint64_t overlap[TIMING_SYNC_SLOTS];
    uint32_t used;
};

void timing_sync_reset(struct timing_sync *sync);

/* Publish clocks under a key: the later of these and what is there. False: table full. */
bool timing_sync_release(struct timing_sync *sync, uint64_t key, uint64_t serial, uint64_t overlap);

/* What was published under a key; false (and zeros) when nothing was. */
bool timing_sync_acquire(const struct timing_sync *sync, uint64_t key, uint64_t *serial,
                         uint64_t *overlap);

#endif
