/* Reading SRAT and SLIT. Contract in srat.h. */
#include "srat.h"

#include "core/errno.h"
#include "core/kprintf.h"

#include <string.h>

#define SRAT_ENTRIES  48 /* header of 36 bytes, 12 reserved */
#define SLIT_COUNT    36
#define SLIT_MATRIX   44
#define ENTRY_CPU     0
#define ENTRY_MEMORY  1
#define ENTRY_X2APIC  2
#define CPU_BYTES     16
#define MEMORY_BYTES  40
#define X2APIC_BYTES  24
#define ENABLED       1 /* of every kind's flags */
#define MEMORY_UNUSED 2 /* hot-pluggable: a place for memory, without any */

static uint64_t field(const uint8_t *at, size_t bytes)
{
    uint64_t v = 0;

    memcpy(&v, at, bytes);
    return v;
}

static int refuse(char *why, size_t why_bytes, const char *text)
{
    ksnprintf(why, why_bytes, "%s", text);
    return -TT_EINVAL;
}

/* Adds a domain to the sorted list; false when there is no room. */
static bool add_domain(struct arch_numa *raw, uint32_t domain)
{
    unsigned i = 0;

    while (i < raw->nodes && raw->domain[i] < domain)
        i++;
    if (i < raw->nodes && raw->domain[i] == domain)
        return true;
    if (raw->nodes == NUMA_NODES)
        return false;
    memmove(&raw->domain[i + 1], &raw->domain[i], (raw->nodes - i) * sizeof(raw->domain[0]));
    raw->domain[i] = domain;
    raw->nodes++;
    return true;
}

static unsigned node_of_domain(const struct arch_numa *raw, uint32_t domain)
{
    unsigned i = 0;

    while (raw->domain[i] != domain)
        i++;
    return i;
}

struct entry {
    bool cpu, memory;
    uint32_t domain, apic_id;
    uint64_t start, bytes;
};

/* What an entry says, if it says anything that is in force. */
static struct entry read_entry(const uint8_t *e)
{
    struct entry r = {0};
    uint8_t kind = e[0], length = e[1];

    if (kind == ENTRY_CPU && length >= CPU_BYTES && (field(e + 4, 4) & ENABLED)) {
        r.cpu = true;
        r.domain = e[2] | (uint32_t)(field(e + 9, 3) << 8);
        r.apic_id = e[3];
    } else if (kind == ENTRY_X2APIC && length >= X2APIC_BYTES && (field(e + 12, 4) & ENABLED)) {
        r.cpu = true;
        r.domain = (uint32_t)field(e + 4, 4);
        r.apic_id = (uint32_t)field(e + 8, 4);
    } else if (kind == ENTRY_MEMORY && length >= MEMORY_BYTES &&
               (field(e + 28, 4) & (ENABLED | MEMORY_UNUSED)) == ENABLED) {
        r.memory = true;
        r.domain = (uint32_t)field(e + 2, 4);
        r.start = field(e + 8, 8);
        r.bytes = field(e + 16, 8);
    }
    return r;
}

/* Calls add for every entry in force; NULL, or what is wrong. */
static const char *each_entry(const uint8_t *t, size_t bytes, struct arch_numa *raw,
                              const char *(*add)(struct arch_numa *raw, const struct entry *e))
{
    for (size_t at = SRAT_ENTRIES; at < bytes;) {
        size_t left = bytes - at;

        if (left < 2 || t[at + 1] < 2 || t[at + 1] > left)
            return "SRAT: an entry is cut or of no length";

        struct entry e = read_entry(t + at);
        const char *wrong = e.cpu || e.memory ? add(raw, &e) : NULL;

        if (wrong)
            return wrong;
        at += t[at + 1];
    }
    return NULL;
}

static const char *add_to_domains(struct arch_numa *raw, const struct entry *e)
{
    return add_domain(raw, e->domain) ? NULL : "SRAT: more domains than this kernel knows";
}

static const char *add_to_node(struct arch_numa *raw, const struct entry *e)
{
    unsigned node = node_of_domain(raw, e->domain);

    if (e->cpu) {
        if (e->apic_id < NUMA_CPUS)
            raw->node_of_cpu[e->apic_id] = (uint8_t)node;
        return NULL;
    }
    if (!e->bytes)
        return NULL;
    if (e->start + e->bytes < e->start)
        return "SRAT: a range of memory wraps";
    if (raw->ranges == NUMA_RANGES)
        return "SRAT: more ranges of memory than this kernel knows";
    raw->range[raw->ranges++] = (struct arch_numa_range){
        .at = {phys(e->start), phys(e->start + e->bytes)}, .node = (uint8_t)node};
    return NULL;
}

int srat_parse(const void *table, size_t bytes, struct arch_numa *raw, char *why, size_t why_bytes)
{
    memset(raw, 0, sizeof(*raw));
    memset(raw->node_of_cpu, NUMA_NO_NODE, sizeof(raw->node_of_cpu));
    if (bytes < SRAT_ENTRIES)
        return refuse(why, why_bytes, "SRAT: shorter than its header");

    /* Twice, because nodes are numbered in the order of domains. */
    const char *wrong = each_entry(table, bytes, raw, add_to_domains);

    if (!wrong)
        wrong = each_entry(table, bytes, raw, add_to_node);
    if (!wrong && !raw->ranges)
        wrong = "SRAT: no memory in it";
    return wrong ? refuse(why, why_bytes, wrong) : 0;
}

int slit_parse(const void *table, size_t bytes, struct arch_numa *raw, char *why, size_t why_bytes)
{
    const uint8_t *t = table;

    raw->has_distances = false;
    if (bytes < SLIT_MATRIX)
        return refuse(why, why_bytes, "SLIT: shorter than its header");

    uint64_t n = field(t + SLIT_COUNT, 8);

    if (n > UINT32_MAX || n * n > bytes - SLIT_MATRIX)
        return refuse(why, why_bytes, "SLIT: shorter than its matrix");
    for (unsigned a = 0; a < raw->nodes; a++) {
        for (unsigned b = 0; b < raw->nodes; b++) {
            if (raw->domain[a] >= n || raw->domain[b] >= n)
                return refuse(why, why_bytes, "SLIT: a domain of the SRAT is not in it");
            raw->distance[a][b] = t[SLIT_MATRIX + raw->domain[a] * n + raw->domain[b]];
        }
    }
    raw->has_distances = true;
    return 0;
}
