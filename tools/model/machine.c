/*
 * Reading a machine file: which keys there are, and which combinations make sense. The format is
 * in machine_text.h, the keys' meaning in README.md.
 */
#include "tools/model/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/model/machine_text.h"

static const char *level_key(char key[32], uint32_t level, const char *name)
{
    snprintf(key, 32, "l%u_%s", level + 1, name);
    return key;
}

/* Complain about key lN_name. */
static void fail_level(struct machine_reader *reader, uint32_t level, const char *name,
                       const char *what, const char *valid)
{
    char key[32];

    level_key(key, level, name);
    machine_fail(reader, machine_entry(reader, key), key, what, valid);
}

static bool power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

uint32_t machine_sets(const struct machine *machine, uint32_t level)
{
    return (uint32_t)(machine->level[level].size_bytes / machine->line_bytes /
                      machine->level[level].ways);
}

static void read_level(struct machine_reader *reader, struct machine *machine, uint32_t k)
{
    struct machine_level *level = &machine->level[k];
    char key[32];

    level->size_bytes = machine_read_number(reader, level_key(key, k, "size"), machine->line_bytes,
                                            UINT64_C(1) << 30, MACHINE_REQUIRED);
    level->ways =
        (uint32_t)machine_read_number(reader, level_key(key, k, "ways"), 1, 64, MACHINE_REQUIRED);
    level->sector_bytes =
        (uint32_t)machine_read_number(reader, level_key(key, k, "sector"), machine->line_bytes,
                                      machine->page_bytes, machine->line_bytes);
    level->latency_cycles = machine_read_latency(reader, level_key(key, k, "latency"),
                                                 machine->clock_khz, MACHINE_REQUIRED);
    level->bandwidth_milli = machine_read_bandwidth(reader, level_key(key, k, "bandwidth"),
                                                    machine->clock_khz, machine->line_bytes);
    level->shared_by =
        (uint32_t)machine_read_number(reader, level_key(key, k, "shared_by"), 1, machine->cpus, 1);
    level->inclusion = machine_read_word(reader, level_key(key, k, "inclusion"),
                                         "neither|inclusive|exclusive", MACHINE_NEITHER);
    level->virtual_index =
        machine_read_word(reader, level_key(key, k, "index"), "physical|virtual", 0) == 1;
    level->write_back = machine_read_word(reader, level_key(key, k, "write"), "through|back",
                                          MACHINE_REQUIRED) == 1;
    level->write_allocate = machine_read_word(reader, level_key(key, k, "write_allocate"), "no|yes",
                                              MACHINE_REQUIRED) == 1;
    level->prefetch_next =
        machine_read_word(reader, level_key(key, k, "prefetch"), "none|next", 0) == 1;
    level->hash_bits = machine_read_masks(reader, level_key(key, k, "hash"), level->hash_mask);
}

static void check_geometry(struct machine_reader *reader, const struct machine *machine, uint32_t k)
{
    const struct machine_level *level = &machine->level[k];
    bool last = k == machine->levels - 1;

    if (level->size_bytes % ((uint64_t)level->ways * machine->line_bytes) != 0) {
        fail_level(reader, k, "size", "no whole number of sets", "a multiple of ways x line_bytes");
        return;
    }
    if (!power_of_two(machine_sets(machine, k)) && (level->hash_bits || level->virtual_index)) {
        fail_level(reader, k, "size", "a hashed or virtual index needs 2^n sets",
                   "2^n x ways x line_bytes");
    }
    if (level->hash_bits && machine_sets(machine, k) < (1u << level->hash_bits)) {
        fail_level(reader, k, "hash", "more hash bits than index bits", "fewer masks");
    }
    if (level->virtual_index && (k > 0 || level->hash_bits)) {
        fail_level(reader, k, "index", "only a plain level 1 is indexed virtually", "physical");
    }
    if (!power_of_two(level->sector_bytes) ||
        (!last && level->sector_bytes != machine->line_bytes)) {
        fail_level(reader, k, "sector", "no sector for this level",
                   last ? "2^n x line_bytes" : "only at the last level");
    }
    if (level->prefetch_next && (!last || level->inclusion == MACHINE_EXCLUSIVE)) {
        fail_level(reader, k, "prefetch", "not at this level",
                   "next, only at the last level and if that is not exclusive");
    }
    if (level->sector_bytes != machine->line_bytes && level->inclusion == MACHINE_EXCLUSIVE) {
        fail_level(reader, k, "sector", "an exclusive level fetches nothing", "line_bytes");
    }
}

static void check_policy(struct machine_reader *reader, const struct machine *machine, uint32_t k)
{
    const struct machine_level *level = &machine->level[k];
    const struct machine_level *first = &machine->level[0];

    if (level->shared_by != 1 && level->shared_by != machine->cpus) {
        fail_level(reader, k, "shared_by", "neither private nor shared by all", "1 or cpus");
    }
    if (k == 0 && level->shared_by != 1) {
        fail_level(reader, k, "shared_by", "level 1 is private", "1");
    }
    if (k > 0 && level->shared_by < machine->level[k - 1].shared_by) {
        fail_level(reader, k, "shared_by", "private outside a shared level",
                   "at least that of the level inside");
    }
    if (k > 0 && level->latency_cycles < machine->level[k - 1].latency_cycles) {
        fail_level(reader, k, "latency", "shorter than the level inside", "an ascending latency");
    }
    if (!(level->write_back && level->write_allocate)) {
        if (k > 0) {
            fail_level(reader, k, level->write_back ? "write_allocate" : "write",
                       "only level 1 may write through or not allocate", "back, yes");
        } else if (machine->levels == 1 || machine->level[1].shared_by != 1 ||
                   machine->level[1].inclusion == MACHINE_EXCLUSIVE) {
            fail_level(reader, k, level->write_back ? "write_allocate" : "write",
                       "needs a private level 2 that is not exclusive behind it", "back, yes");
        }
    }
    if (level->inclusion != MACHINE_NEITHER && k == 0) {
        fail_level(reader, k, "inclusion", "there is nothing inside level 1", "neither");
    }
    if (level->inclusion == MACHINE_EXCLUSIVE &&
        (k == 0 || !first->write_back ||
         (k > 1 && machine->level[k - 1].inclusion != MACHINE_INCLUSIVE))) {
        fail_level(reader, k, "inclusion", "exclusive does not fit the levels inside",
                   "behind a write-back level 1, or behind an inclusive level");
    }
}

static void read_machine(struct machine_reader *reader, struct machine *machine)
{
    const struct machine_entry *name = machine_entry(reader, "name");
    uint32_t latest;

    if (!name || strlen(name->value) >= sizeof(machine->name)) {
        machine_fail(reader, name, "name", name ? "too long" : "missing", "1 to 15 characters");
        return;
    }
    strcpy(machine->name, name->value);
    machine->cpus =
        (uint32_t)machine_read_number(reader, "cpus", 1, MODEL_MAX_CPUS, MACHINE_REQUIRED);
    /* 1 MHz to 10 GHz */
    machine->clock_khz = (uint32_t)machine_read_milli(reader, "clock_mhz", 1000, 10000000);
    machine->page_bytes =
        (uint32_t)machine_read_number(reader, "page_bytes", 4096, 65536, MACHINE_REQUIRED);
    machine->line_bytes =
        (uint32_t)machine_read_number(reader, "line_bytes", 16, 256, MACHINE_REQUIRED);
    machine->levels =
        (uint32_t)machine_read_number(reader, "levels", 1, MODEL_MAX_LEVELS, MACHINE_REQUIRED);
    if (!power_of_two(machine->page_bytes)) {
        machine_fail(reader, machine_entry(reader, "page_bytes"), "page_bytes", "not 2^n",
                     "4096, 8192, 16384, 32768 or 65536");
    }
    if (!power_of_two(machine->line_bytes)) {
        machine_fail(reader, machine_entry(reader, "line_bytes"), "line_bytes", "not 2^n",
                     "16, 32, 64, 128 or 256");
    }
    for (uint32_t k = 0; k < machine->levels && !reader->failed; k++) {
        read_level(reader, machine, k);
    }
    if (reader->failed) {
        return; /* perhaps there is not even a level */
    }
    latest = machine->level[machine->levels - 1].latency_cycles;
    machine->memory_latency_cycles =
        machine_read_latency(reader, "memory_latency", machine->clock_khz, MACHINE_REQUIRED);
    if (machine->memory_latency_cycles < latest) {
        machine_fail(reader, machine_entry(reader, "memory_latency"), "memory_latency",
                     "shorter than the last level's", "an ascending latency");
    }
    machine->memory_bandwidth_milli =
        machine_read_bandwidth(reader, "memory_bandwidth", machine->clock_khz, machine->line_bytes);
    machine->transfer_latency_cycles =
        machine_read_latency(reader, "transfer_latency", machine->clock_khz,
                             machine->cpus == 1 ? machine->memory_latency_cycles : UINT64_MAX);
    if (machine->transfer_latency_cycles < machine->level[0].latency_cycles) {
        machine_fail(reader, machine_entry(reader, "transfer_latency"), "transfer_latency",
                     "shorter than level 1's", "at least l1_latency");
    }
    machine->outstanding_misses = (uint32_t)machine_read_number(
        reader, "outstanding_misses", 1, MACHINE_MAX_OUTSTANDING, MACHINE_REQUIRED);
    machine->tlb_entries =
        (uint32_t)machine_read_number(reader, "tlb_entries", 0, MACHINE_MAX_TLB, 0);
    if (machine->tlb_entries) {
        machine->tlb_ways = (uint32_t)machine_read_number(reader, "tlb_ways", 1,
                                                          machine->tlb_entries, MACHINE_REQUIRED);
        machine->tlb_miss_cycles =
            machine_read_latency(reader, "tlb_miss", machine->clock_khz, MACHINE_REQUIRED);
        if (machine->tlb_entries % machine->tlb_ways != 0 ||
            !power_of_two(machine->tlb_entries / machine->tlb_ways)) {
            machine_fail(reader, machine_entry(reader, "tlb_ways"), "tlb_ways",
                         "tlb_entries / tlb_ways is not 2^n", "2^n sets");
        }
    }
}

int machine_parse(struct machine *machine, const char *file, char error[MACHINE_ERROR_BYTES])
{
    static struct machine_text text;
    struct machine_reader reader = {.text = &text, .error = error};

    memset(machine, 0, sizeof(*machine));
    if (machine_text_split(&text, file, error) != 0) {
        return -1;
    }
    read_machine(&reader, machine);
    for (uint32_t k = 0; k < machine->levels && !reader.failed; k++) {
        check_geometry(&reader, machine, k);
        if (!reader.failed) {
            check_policy(&reader, machine, k);
        }
    }
    for (uint32_t i = 0; i < text.entries && !reader.failed; i++) {
        if (!text.entry[i].used) {
            machine_fail(&reader, &text.entry[i], text.entry[i].key,
                         "no such key for this many levels",
                         "name cpus clock_mhz page_bytes line_bytes levels l1_size... "
                         "memory_latency memory_bandwidth transfer_latency outstanding_misses "
                         "tlb_entries tlb_ways tlb_miss");
        }
    }
    return reader.failed ? -1 : 0;
}

int machine_load(struct machine *machine, const char *path, char error[MACHINE_ERROR_BYTES])
{
    /* the largest machine file is 4 KiB */
    static char text[65536];
    FILE *file = fopen(path, "r");
    size_t length;

    if (!file) {
        snprintf(error, MACHINE_ERROR_BYTES, "%.200s: cannot be read", path);
        return -1;
    }
    length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = '\0';
    if (strlen(text) != length || length == sizeof(text) - 1) {
        snprintf(error, MACHINE_ERROR_BYTES, "%.200s: not a text file of at most 64 KiB", path);
        return -1;
    }
    return machine_parse(machine, text, error);
}
