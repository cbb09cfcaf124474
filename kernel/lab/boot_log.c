/* Boot, machine and memory records. Contract in boot_log.h. */
#include "lab/boot_log.h"

#include "arch.h"
#include "core/console.h"
#include "core/kprintf.h"
#include "core/panic.h"
#include "core/record.h"
#include "mm/memmap.h"
#include "mm/own.h"
#include "perf/caches.h"
#include "perf/clock.h"
#include "perf/counters.h"

#include "version.h"

#include <string.h>

#define LOG_VERSION 1 /* of the log's grammar: HACKING.md */

/* A command line of any length, in as many records as it takes. */
static void write_cmdline(const char *cmdline)
{
    char part[300];
    size_t length = strlen(cmdline), step = sizeof part - 1;
    size_t parts = (length + step - 1) / step;
    for (size_t i = 0; i < parts; i++) {
        struct record r;
        ksnprintf(part, sizeof part, "%s", cmdline + i * step);
        record_begin(&r, "boot");
        record_str(&r, "what", "cmdline");
        record_u64(&r, "part", i);
        record_u64(&r, "parts", parts);
        record_str(&r, "cmdline", part);
        record_end(&r);
    }
}

void boot_log_boot(const struct boot_info *bi)
{
    struct record r;
    kprintf("# Tintype %s, %s\n", TINTYPE_VERSION, ARCH_NAME);
    record_begin(&r, "boot");
    record_str(&r, "what", "kernel");
    record_u64(&r, "v", LOG_VERSION);
    record_str(&r, "version", TINTYPE_VERSION);
    record_str(&r, "arch", ARCH_NAME);
    record_str(&r, "way", boot_way_name(bi->way));
    record_str(&r, "loader", bi->loader);
    record_u64(&r, "check", CHECK);
    record_str(&r, "console", console_name());
    record_end(&r);
    write_cmdline(bi->cmdline);
}

static void write_cpu(void)
{
    struct arch_machine m;
    struct record r;
    arch_machine_info(&m);
    record_begin(&r, "machine");
    record_str(&r, "what", "cpu");
    record_str(&r, "vendor", m.vendor);
    record_str(&r, "cpu", m.cpu);
    record_u64(&r, "family", m.family);
    record_u64(&r, "model", m.model);
    record_u64(&r, "stepping", m.stepping);
    record_str(&r, "hypervisor", m.hypervisor);
    record_end(&r);
}

static void write_caches(void)
{
    struct arch_cache cache[8];
    unsigned n = machine_caches(cache, ARRAY_SIZE(cache));
    for (unsigned i = 0; i < n; i++) {
        struct record r;
        record_begin(&r, "machine");
        record_str(&r, "what", "cache");
        record_u64(&r, "level", cache[i].level);
        record_u64(&r, "size", cache[i].size_bytes);
        record_u64(&r, "ways", cache[i].ways);
        record_u64(&r, "line", cache[i].line_bytes);
        record_str(&r, "source", cache[i].source);
        record_end(&r);
    }
}

static void write_clock(void)
{
    const struct clock_info *c = clock_info();
    struct record r;
    record_begin(&r, "machine");
    record_str(&r, "what", "clock");
    record_str(&r, "counter", arch_cycle_source);
    record_str(&r, "source", c->source);
    record_u64(&r, "hz", c->hz);
    record_str(&r, "basis", c->basis);
    record_i64(&r, "invariant", c->invariant);
    record_u64(&r, "overhead", c->overhead);
    record_end(&r);
}

void boot_log_machine(void)
{
    write_cpu();
    write_caches();
    write_clock();
    counters_log();
}

#define RANGES_PER_RECORD 8 /* of at most 45 bytes each: two 64-bit numbers and a type */

/* "1000-9f000 ram": ranges in hexadecimal, so that a map of ten entries is two records. */
static void write_ranges(const struct memmap *map, unsigned from)
{
    struct record r;
    record_begin(&r, "memory");
    record_str(&r, "what", "map");
    record_u64(&r, "first", from);
    record_u64(&r, "of", map->count);
    record_array(&r, "ranges");
    for (unsigned i = from; i < map->count && i < from + RANGES_PER_RECORD; i++) {
        const struct mem_range *range = &map->range[i];
        char text[64];
        ksnprintf(text, sizeof text, "%llx-%llx %s",
                  (unsigned long long)pfn_to_phys(range->at.start).a,
                  (unsigned long long)pfn_to_phys(range->at.end).a,
                  range->type == MEMMAP_KERNEL ? "kernel" : mem_type_name(range->type));
        record_str(&r, NULL, text);
    }
    record_array_end(&r);
    record_end(&r);
}

void boot_log_memory(const struct memmap *map)
{
    struct own_usage own = own_usage();
    struct record r;
    for (unsigned i = 0; i < map->count; i += RANGES_PER_RECORD)
        write_ranges(map, i);
    record_begin(&r, "memory");
    record_str(&r, "what", "total");
    record_u64(&r, "ram_pages", memmap_pages(map, MEM_RAM));
    record_u64(&r, "page_bytes", PAGE_SIZE);
    record_u64(&r, "ranges", map->count);
    record_end(&r);
    record_begin(&r, "memory");
    record_str(&r, "what", "own");
    record_hex(&r, "start", own.range.start.a);
    record_hex(&r, "end", own.range.end.a);
    record_u64(&r, "used", own.used_bytes);
    record_u64(&r, "peak", own.peak_bytes);
    if (own_colors().given) {
        record_u64(&r, "colors", own_colors().colors);
        record_u64(&r, "allowed", own_colors().allowed);
        record_str(&r, "any_color", "image, boot modules, the page that starts CPUs");
    }
    record_end(&r);
}
