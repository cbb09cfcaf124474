/*
 * Bench only: a cache plugin that works as QEMU's own example does (contrib/plugins/cache.c), to
 * compare speeds with. Per access it asks QEMU for the physical address; per access and per
 * instruction it takes a mutex, searches the set linearly, block by block, and on a miss searches
 * it again for a free block and for the one used longest ago; a miss is also counted, atomically,
 * in a record of its instruction, found by address when the instruction is translated. Each set's
 * blocks and ages are arrays of their own, as there.
 *
 * The geometry is the ds10 machine's (the EV6's 64 KiB instruction cache beside it, which QEMU's
 * plugin models and ours does not: fetch=off leaves it out). Not done, and not per access: names
 * and disassembly of instructions, the list of the worst ones. Counts are printed at exit, so that
 * its work can be seen to be the same.
 *
 *   -plugin naive.so[,fetch=off]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/model/qemu_plugin_v1.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = QEMU_PLUGIN_API_USED;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);
/* Where the host has the instruction: QEMU's plugin uses it as the instruction's address. */
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);

#define LINE_SHIFT 6u
#define MAX_CPUS   8u
#define BUCKETS    65536u

struct block {
    uint64_t tag;
    bool valid;
};

struct set {
    struct block *block;
    uint64_t *age;
    uint64_t generation;
};

struct cache {
    pthread_mutex_t lock;
    struct set *set;
    uint64_t sets;
    uint32_t ways;
    uint64_t accesses;
    uint64_t misses;
};

/* An instruction; one however often it is translated. */
struct record {
    struct record *next;
    uint64_t address;
    uint64_t l1d_misses;
    uint64_t l1i_misses;
    uint64_t l2_misses;
};

static struct cache l1d[MAX_CPUS];
static struct cache l1i[MAX_CPUS];
static struct cache l2[MAX_CPUS];
static uint32_t cpus;
static bool fetch_on = true;
static struct record *records[BUCKETS];
static pthread_mutex_t records_lock = PTHREAD_MUTEX_INITIALIZER;

static void *zeroed(size_t number, size_t bytes)
{
    void *memory = calloc(number, bytes);

    if (!memory) {
        fprintf(stderr, "naive: out of memory\n");
        exit(1);
    }
    return memory;
}

static void cache_set_up(struct cache *cache, uint64_t bytes, uint32_t ways)
{
    pthread_mutex_init(&cache->lock, NULL);
    cache->ways = ways;
    cache->sets = (bytes >> LINE_SHIFT) / ways;
    cache->set = zeroed(cache->sets, sizeof(*cache->set));
    for (uint64_t i = 0; i < cache->sets; i++) {
        cache->set[i].block = zeroed(ways, sizeof(struct block));
        cache->set[i].age = zeroed(ways, sizeof(uint64_t));
    }
}

static int block_with(const struct cache *cache, const struct set *set, uint64_t tag)
{
    for (uint32_t way = 0; way < cache->ways; way++) {
        if (set->block[way].tag == tag && set->block[way].valid) {
            return (int)way;
        }
    }
    return -1;
}

static int block_free(const struct cache *cache, const struct set *set)
{
    for (uint32_t way = 0; way < cache->ways; way++) {
        if (!set->block[way].valid) {
            return (int)way;
        }
    }
    return -1;
}

static int block_oldest(const struct cache *cache, const struct set *set)
{
    uint32_t oldest = 0;

    for (uint32_t way = 1; way < cache->ways; way++) {
        if (set->age[way] < set->age[oldest]) {
            oldest = way;
        }
    }
    return (int)oldest;
}

/* True on a hit. */
static bool cache_look_up(struct cache *cache, uint64_t address)
{
    uint64_t line = address >> LINE_SHIFT;
    struct set *set = &cache->set[line & (cache->sets - 1)];
    int way = block_with(cache, set, line);
    bool hit = way >= 0;

    if (!hit) {
        way = block_free(cache, set);
        if (way < 0) {
            way = block_oldest(cache, set);
        }
        set->block[way].tag = line;
        set->block[way].valid = true;
    }
    set->age[way] = set->generation++;
    return hit;
}

/* The same with its lock, and counted. */
static bool cache_access(struct cache *cache, uint64_t address, uint64_t *misses)
{
    bool hit;

    pthread_mutex_lock(&cache->lock);
    hit = cache_look_up(cache, address);
    if (!hit) {
        __atomic_fetch_add(misses, 1, __ATOMIC_SEQ_CST);
        cache->misses++;
    }
    cache->accesses++;
    pthread_mutex_unlock(&cache->lock);
    return hit;
}

static void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t virt, void *data)
{
    const struct qemu_plugin_hwaddr *address = qemu_plugin_get_hwaddr(info, virt);
    struct record *record = data;
    uint64_t phys;

    if (address && qemu_plugin_hwaddr_is_io(address)) {
        return;
    }
    phys = address ? qemu_plugin_hwaddr_phys_addr(address) : virt;
    vcpu %= cpus;
    if (!cache_access(&l1d[vcpu], phys, &record->l1d_misses)) {
        cache_access(&l2[vcpu], phys, &record->l2_misses);
    }
}

static void on_instruction(unsigned int vcpu, void *data)
{
    struct record *record = data;

    vcpu %= cpus;
    if (!cache_access(&l1i[vcpu], record->address, &record->l1i_misses)) {
        cache_access(&l2[vcpu], record->address, &record->l2_misses);
    }
}

static struct record *record_of(uint64_t address)
{
    struct record **bucket = &records[address * UINT64_C(0x9e3779b97f4a7c15) >> 48];
    struct record *record;

    pthread_mutex_lock(&records_lock);
    for (record = *bucket; record && record->address != address; record = record->next) {
    }
    if (!record) {
        record = zeroed(1, sizeof(*record));
        record->address = address;
        record->next = *bucket;
        *bucket = record;
    }
    pthread_mutex_unlock(&records_lock);
    return record;
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        struct record *record = record_of((uintptr_t)qemu_plugin_insn_haddr(insn));

        qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, record);
        if (fetch_on) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_instruction, QEMU_PLUGIN_CB_NO_REGS,
                                                   record);
        }
    }
}

static void on_exit_print(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    fprintf(stderr, "naive: accesses %llu l1_misses %llu l2_misses %llu fetches %llu\n",
            (unsigned long long)l1d[0].accesses, (unsigned long long)l1d[0].misses,
            (unsigned long long)l2[0].misses, (unsigned long long)l1i[0].accesses);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "fetch=off") != 0) {
            fprintf(stderr, "naive: the only argument is fetch=off, not %s\n", argv[i]);
            return -1;
        }
        fetch_on = false;
    }
    cpus =
        (uint32_t)info->system.smp_vcpus < MAX_CPUS ? (uint32_t)info->system.smp_vcpus : MAX_CPUS;
    for (uint32_t i = 0; i < cpus; i++) {
        cache_set_up(&l1d[i], 64u << 10, 2);
        cache_set_up(&l1i[i], 64u << 10, 2);
        cache_set_up(&l2[i], 2u << 20, 1);
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    qemu_plugin_register_atexit_cb(id, on_exit_print, NULL);
    return 0;
}
