/*
 * Clocks: resets, and the table in which releases and acquires meet.
 */
#include "tools/model/timing.h"

#include <string.h>

uint32_t timing_occupancy(uint32_t bytes, uint32_t bandwidth_milli)
{
    return (uint32_t)(((uint64_t)bytes * 1000 + bandwidth_milli - 1) / bandwidth_milli);
}

void timing_bus_reset(struct timing_bus *bus)
{
    memset(bus, 0, sizeof(*bus));
}

void timing_cpu_reset(struct timing_cpu *cpu, uint32_t outstanding)
{
    memset(cpu, 0, sizeof(*cpu));
    cpu->outstanding = outstanding;
}

void timing_sync_reset(struct timing_sync *sync)
{
    memset(sync, 0, sizeof(*sync));
}

/* Open addressing; the slot of the key or the free one where it would go. */
static uint32_t slot_of(const struct timing_sync *sync, uint64_t key)
{
    uint32_t slot = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % TIMING_SYNC_SLOTS;

    while (sync->key[slot] != 0 && sync->key[slot] != key + 1) {
        slot = (slot + 1) % TIMING_SYNC_SLOTS;
    }
    return slot;
}

bool timing_sync_release(struct timing_sync *sync, uint64_t key, uint64_t serial, uint64_t overlap)
{
    uint32_t slot = slot_of(sync, key);

    if (sync->key[slot] == 0) {
        /* a quarter stays free, so that searches end and stay short */
        if (key == UINT64_MAX || sync->used >= TIMING_SYNC_SLOTS / 4 * 3) {
            return false;
        }
        sync->used++;
        sync->key[slot] = key + 1;
    }
    if (serial > sync->serial[slot]) {
        sync->serial[slot] = serial;
    }
    if (overlap > sync->overlap[slot]) {
        sync->overlap[slot] = overlap;
    }
    return true;
}

bool timing_sync_acquire(const struct timing_sync *sync, uint64_t key, uint64_t *serial,
                         uint64_t *overlap)
{
    uint32_t slot = slot_of(sync, key);
    bool found = key != UINT64_MAX && sync->key[slot] != 0;

    *serial = found ? sync->serial[slot] : 0;
    *overlap = found ? sync->overlap[slot] : 0;
    return found;
}
