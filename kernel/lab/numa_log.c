/* Records of nodes. Contract in numa_log.h. */
#include "lab/numa_log.h"

#include "core/cpu.h"
#include "core/record.h"

static void write_note(const char *text)
{
    struct record r;
    record_begin(&r, "note");
    record_str(&r, "level", "warning");
    record_str(&r, "text", text);
    record_end(&r);
}

static void write_node(const struct topology *t, const struct memmap *map, unsigned node)
{
    struct record r;
    record_begin(&r, "memory");
    record_str(&r, "what", "node");
    record_u64(&r, "node", node);
    record_u64(&r, "ram_pages", numa_pages(t->numa, map, node));
    record_array(&r, "cpus");
    for (unsigned cpu = 0; cpu < t->cpus; cpu++)
        if (t->home[cpu] == node)
            record_u64(&r, NULL, cpu);
    record_array_end(&r);
    record_array(&r, "distance");
    for (unsigned to = 0; to < t->numa->nodes; to++)
        record_u64(&r, NULL, t->numa->distance[node][to]);
    record_array_end(&r);
    record_end(&r);
}

const struct topology *numa_log(const struct memmap *map)
{
    static struct topology topology;
    static struct numa numa;
    static struct arch_numa raw;
    char why[160] = "";
    bool told = arch_numa_read(&raw, why, sizeof why);
    if (why[0])
        write_note(why);
    numa_build(&numa, told ? &raw : NULL, map, why, sizeof why);
    if (why[0])
        write_note(why);
    topology.numa = &numa;
    topology.cpus = cpus_running();
    for (unsigned cpu = 0; cpu < topology.cpus; cpu++) {
        uint32_t hw = arch_cpu_hw_id(cpu);
        topology.home[cpu] = hw < NUMA_CPUS ? numa.node_of_cpu[hw] : 0;
    }
    for (unsigned node = 0; node < numa.nodes; node++)
        write_node(&topology, map, node);
    return &topology;
}
