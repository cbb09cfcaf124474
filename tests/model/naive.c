/*
 * Bench only: a cache plugin written the way QEMU's own example does it, to compare speeds with.
 * For each access it asks QEMU for the physical address, takes a lock, and searches each level's
 * set linearly, with an age per line. Two levels of the ds10 machine's geometry; misses are
 * printed at exit, so that its work can be seen to be the same as ours.
 *
 *   -plugin naive.so
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/model/qemu_plugin_v1.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = QEMU_PLUGIN_API_USED;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

#define LINE_SHIFT 6

struct block {
    uint64_t tag;
    uint64_t age;
    bool valid;
};

struct level {
    struct block *block; /* sets x ways */
    uint64_t sets;
    uint32_t ways;
    uint64_t clock;
    uint64_t accesses;
    uint64_t misses;
};

static struct level levels[2] = {{.sets = 512, .ways = 2}, {.sets = 32768, .ways = 1}};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool access_level(struct level *level, uint64_t phys)
{
    uint64_t line = phys >> LINE_SHIFT;
    struct block *set = &level->block[line % level->sets * level->ways];
    struct block *oldest = set;

    level->accesses++;
    level->clock++;
    for (uint32_t i = 0; i < level->ways; i++) {
        if (set[i].valid && set[i].tag == line) {
            set[i].age = level->clock;
            return true;
        }
    }
    for (uint32_t i = 0; i < level->ways; i++) {
        if (!set[i].valid) {
            oldest = &set[i];
            break;
        }
        if (set[i].age < oldest->age) {
            oldest = &set[i];
        }
    }
    level->misses++;
    oldest->valid = true;
    oldest->tag = line;
    oldest->age = level->clock;
    return false;
}

static void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t virt, void *data)
{
    const struct qemu_plugin_hwaddr *address = qemu_plugin_get_hwaddr(info, virt);
    uint64_t phys;

    (void)vcpu;
    (void)data;
    if (!address || qemu_plugin_hwaddr_is_io(address)) {
        return;
    }
    phys = qemu_plugin_hwaddr_phys_addr(address);
    pthread_mutex_lock(&lock);
    if (!access_level(&levels[0], phys)) {
        access_level(&levels[1], phys);
    }
    pthread_mutex_unlock(&lock);
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), on_access,
                                         QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
    }
}

static void on_exit_print(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    fprintf(stderr, "naive: accesses %llu l1_misses %llu l2_misses %llu\n",
            (unsigned long long)levels[0].accesses, (unsigned long long)levels[0].misses,
            (unsigned long long)levels[1].misses);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    (void)argc;
    (void)argv;
    for (int i = 0; i < 2; i++) {
        levels[i].block = calloc(levels[i].sets * levels[i].ways, sizeof(struct block));
        if (!levels[i].block) {
            return -1;
        }
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    qemu_plugin_register_atexit_cb(id, on_exit_print, NULL);
    return 0;
}
