/*
 * The guest's commands, and the area of guest RAM in which it reads the answers.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/model/plugin.h"

/* Map the guest's RAM; at ANNOUNCE, because QEMU may create the file after loading plugins. */
static bool map_ram(void)
{
    struct stat status;
    void *ram;
    int file;

    if (plugin.ram) {
        return true;
    }
    file = open(plugin.ram_path, O_RDWR | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0) {
        fprintf(stderr, "model: ram=%s cannot be opened\n", plugin.ram_path);
        if (file >= 0) {
            close(file);
        }
        return false;
    }
    ram = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (ram == MAP_FAILED) {
        fprintf(stderr, "model: ram=%s cannot be mapped\n", plugin.ram_path);
        return false;
    }
    plugin.ram = ram;
    plugin.ram_bytes = (uint64_t)status.st_size;
    return true;
}

static void describe_level(struct model_level_info *info, const struct machine *machine,
                           const struct machine_level *level)
{
    info->size_bytes = level->size_bytes;
    info->ways = level->ways;
    info->line_bytes = machine->line_bytes;
    info->sector_bytes = level->sector_bytes;
    info->latency_cycles = level->latency_cycles;
    info->bandwidth_milli = level->bandwidth_milli;
    info->shared_by = level->shared_by;
    info->virtual_index = level->virtual_index;
    info->write_back = level->write_back;
    info->write_allocate = level->write_allocate;
    info->inclusion = (uint8_t)level->inclusion;
    info->prefetch = level->prefetch_next;
    info->hash_bits = (uint8_t)level->hash_bits;
    memcpy(info->hash_mask, level->hash_mask, sizeof(info->hash_mask));
}

static void describe(struct model_area *area)
{
    const struct machine *machine = &plugin.model->machine;
    struct model_machine_info *info = &area->machine;

    memset(area, 0, sizeof(*area));
    memcpy(info->name, machine->name, sizeof(info->name));
    info->cpus = machine->cpus;
    info->levels = machine->levels;
    info->clock_khz = machine->clock_khz;
    info->page_bytes = machine->page_bytes;
    info->memory_latency_cycles = machine->memory_latency_cycles;
    info->memory_bandwidth_milli = machine->memory_bandwidth_milli;
    info->transfer_latency_cycles = machine->transfer_latency_cycles;
    info->outstanding_misses = machine->outstanding_misses;
    info->tlb_entries = machine->tlb_entries;
    info->tlb_ways = machine->tlb_ways;
    info->tlb_miss_cycles = machine->tlb_miss_cycles;
    for (uint32_t k = 0; k < machine->levels; k++) {
        describe_level(&info->level[k], machine, &machine->level[k]);
    }
    area->version = MODEL_VERSION;
    area->area_bytes = MODEL_AREA_BYTES;
    area->split_on = plugin.model->split_on;
    /* last: a guest that sees the magic sees the rest */
    __atomic_store_n(&area->magic, MODEL_MAGIC, __ATOMIC_RELEASE);
}

static void announce(uint64_t phys)
{
    if (!map_ram()) {
        return;
    }
    if (phys % MODEL_AREA_ALIGN != 0 || phys + MODEL_AREA_BYTES > plugin.ram_bytes) {
        fprintf(stderr, "model: the guest announced an area at 0x%llx, not aligned or not in RAM\n",
                (unsigned long long)phys);
        return;
    }
    plugin.area_phys = phys;
    plugin.area = (struct model_area *)(plugin.ram + phys);
    for (uint32_t i = 0; i < plugin.vcpus; i++) {
        plugin.cpu[i].box = (uint8_t)i;
        plugin_flush(&plugin.cpu[i]);
    }
    model_flush(plugin.model);
    model_reset(plugin.model);
    describe(plugin.area);
}

void plugin_operand(unsigned int vcpu, uint64_t phys)
{
    struct plugin_cpu *cpu = &plugin.cpu[vcpu];
    uint8_t command = cpu->pending;
    uint64_t offset = phys - plugin.area_phys - offsetof(struct model_area, box);

    cpu->pending = 0;
    if (command == MODEL_CMD_ANNOUNCE) {
        announce(phys);
    } else if (plugin.area && offset % sizeof(struct model_box) == 0 &&
               offset / sizeof(struct model_box) < MODEL_MAX_CPUS) {
        cpu->box = (uint8_t)(offset / sizeof(struct model_box));
    }
}

static enum model_status latch(uint8_t index)
{
    struct model_snapshot *snapshot;

    if (index >= MODEL_MAX_SNAPSHOTS) {
        return MODEL_BAD_ARGUMENT;
    }
    snapshot = &plugin.area->snapshot[index];
    for (uint32_t i = 0; i < plugin.vcpus; i++) {
        model_read(plugin.model, i, &snapshot->cpu[plugin.cpu[i].box]);
    }
    memcpy(plugin.area->range, plugin.model->range, sizeof(plugin.area->range));
    snapshot->latched++;
    return MODEL_OK;
}

static enum model_status region(unsigned int vcpu, uint8_t index, bool begin)
{
    if (index >= MODEL_MAX_REGIONS) {
        return MODEL_BAD_ARGUMENT;
    }
    if (begin) {
        model_region_begin(plugin.model, vcpu, index);
    } else {
        model_region_end(plugin.model, vcpu, index);
        plugin.area->region[index] = plugin.model->region[index];
    }
    return MODEL_OK;
}

static enum model_status name_range(const struct model_box *box, uint8_t index)
{
    if (index >= MODEL_MAX_RANGES || box->args[0] > box->args[1]) {
        return MODEL_BAD_ARGUMENT;
    }
    model_set_range(plugin.model, index, box->name, box->args[0], box->args[1]);
    return MODEL_OK;
}

static enum model_status add_piece(const struct model_box *box, uint8_t index)
{
    if (index >= MODEL_MAX_RANGES ||
        !model_add_piece(plugin.model, index, box->args[0], box->args[1])) {
        return MODEL_BAD_ARGUMENT;
    }
    return MODEL_OK;
}

static enum model_status sample_start(const struct model_box *box)
{
    uint64_t phys = box->args[MODEL_SAMPLE_PHYS];
    uint64_t buckets = box->args[MODEL_SAMPLE_BUCKETS];

    if (phys % sizeof(uint32_t) != 0 || phys > plugin.ram_bytes || buckets == 0 ||
        buckets > (plugin.ram_bytes - phys) / sizeof(uint32_t) ||
        box->args[MODEL_SAMPLE_SHIFT] > 32 || box->args[MODEL_SAMPLE_INTERVAL] == 0) {
        return MODEL_BAD_ARGUMENT;
    }
    model_sample_start(plugin.model, (uint32_t *)(plugin.ram + phys), buckets,
                       box->args[MODEL_SAMPLE_PC_BASE], (uint32_t)box->args[MODEL_SAMPLE_SHIFT],
                       box->args[MODEL_SAMPLE_INTERVAL]);
    return MODEL_OK;
}

static void reset(void)
{
    model_reset(plugin.model);
    memset(plugin.area->snapshot, 0, sizeof(plugin.area->snapshot));
    memset(plugin.area->region, 0, sizeof(plugin.area->region));
    memcpy(plugin.area->range, plugin.model->range, sizeof(plugin.area->range));
}

static enum model_status run(unsigned int vcpu, uint8_t command, uint8_t argument,
                             const struct model_box *box)
{
    uint64_t key = argument == MODEL_KEY_IN_BOX ? box->args[0] : argument;

    switch ((enum model_command)command) {
    case MODEL_CMD_LATCH:
        return latch(argument);
    case MODEL_CMD_RESET:
        reset();
        return MODEL_OK;
    case MODEL_CMD_FLUSH:
        model_flush(plugin.model);
        return MODEL_OK;
    case MODEL_CMD_REGION_BEGIN:
        return region(vcpu, argument, true);
    case MODEL_CMD_REGION_END:
        return region(vcpu, argument, false);
    case MODEL_CMD_RANGE:
        return name_range(box, argument);
    case MODEL_CMD_RANGE_MORE:
        return add_piece(box, argument);
    case MODEL_CMD_IDLE_BEGIN:
        model_idle_begin(plugin.model, vcpu);
        plugin_flush(&plugin.cpu[vcpu]);
        return MODEL_OK;
    case MODEL_CMD_IDLE_END:
        model_idle_end(plugin.model, vcpu);
        plugin_flush(&plugin.cpu[vcpu]);
        return MODEL_OK;
    case MODEL_CMD_RELEASE:
        return model_release(plugin.model, vcpu, key) ? MODEL_OK : MODEL_FULL;
    case MODEL_CMD_ACQUIRE:
        model_acquire(plugin.model, vcpu, key);
        return MODEL_OK;
    case MODEL_CMD_SAMPLE_START:
        return sample_start(box);
    case MODEL_CMD_SAMPLE_STOP:
        model_sample_stop(plugin.model);
        return MODEL_OK;
    case MODEL_CMD_SPLIT:
        model_set_split(plugin.model, argument != 0);
        plugin.area->split_on = argument != 0;
        return MODEL_OK;
    case MODEL_CMD_ANNOUNCE:
    case MODEL_CMD_ATTACH:
        break;
    }
    return MODEL_BAD_COMMAND;
}

void plugin_on_command(unsigned int vcpu, void *word)
{
    struct plugin_cpu *cpu = &plugin.cpu[vcpu];
    uint8_t command = (uint8_t)((uintptr_t)word >> 8);
    uint8_t argument = (uint8_t)(uintptr_t)word;
    struct model_box *box;

    if (command == MODEL_CMD_ANNOUNCE || command == MODEL_CMD_ATTACH) {
        cpu->pending = command;
        plugin_flush(cpu); /* so that the next access asks QEMU */
        return;
    }
    if (!plugin.area) {
        return;
    }
    box = &plugin.area->box[cpu->box];
    plugin_lock();
    box->status = run(vcpu, command, argument, box);
    plugin_unlock();
}
