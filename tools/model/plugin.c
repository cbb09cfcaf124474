/*
 * Loading the plugin, and putting its callbacks into translated code.
 *
 *   -plugin ttmodel.so,machine=tools/machines/ds10.conf,ram=FILE[,split=on]
 *
 * ram is the file behind the guest's RAM (memory-backend-file with share=on). Instructions are
 * counted by translation block, at its start: a block left early by a fault or by an access to a
 * device counts whole.
 */
#include "tools/model/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = QEMU_PLUGIN_API_USED;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

struct plugin plugin;

/* With several CPUs: the inline counter would be one for all. */
static void on_block(unsigned int vcpu, void *instructions)
{
    plugin.cpu[vcpu].instructions += (uintptr_t)instructions;
}

static void instrument(struct qemu_plugin_insn *insn)
{
    const uint8_t *code = qemu_plugin_insn_data(insn);
    size_t size = qemu_plugin_insn_size(insn);
    struct decoded decoded = plugin.alpha ? decode_alpha(code, size) : decode_x86(code, size);

    if (decoded.kind == DECODED_COMMAND) {
        uintptr_t word = (uintptr_t)decoded.command << 8 | decoded.argument;

        qemu_plugin_register_vcpu_insn_exec_cb(insn, plugin_on_command, QEMU_PLUGIN_CB_NO_REGS,
                                               (void *)word);
    } else if (decoded.kind != DECODED_NOTHING) {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, plugin_on_tlb, QEMU_PLUGIN_CB_NO_REGS,
                                               (void *)(uintptr_t)decoded.kind);
    }
    /* reads and writes in one: filtered by kind, QEMU 7.2 gives the wrong ones */
    qemu_plugin_register_vcpu_mem_cb(insn, plugin_on_access, QEMU_PLUGIN_CB_NO_REGS,
                                     QEMU_PLUGIN_MEM_RW,
                                     (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    size_t instructions = qemu_plugin_tb_n_insns(tb);

    (void)id;
    if (plugin.vcpus == 1) {
        qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64,
                                                 &plugin.cpu[0].instructions, instructions);
    } else {
        qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS,
                                             (void *)(uintptr_t)instructions);
    }
    for (size_t i = 0; i < instructions; i++) {
        instrument(qemu_plugin_tb_get_insn(tb, i));
    }
}

static int complain(const char *what, const char *detail)
{
    fprintf(stderr, "model: %s%s\n", what, detail);
    return -1;
}

static int check_qemu(const qemu_info_t *info)
{
    char range[64];

    snprintf(range, sizeof(range), "%d to %d", info->version.min, info->version.cur);
    if (info->version.cur < QEMU_PLUGIN_API_USED) {
        return complain("this QEMU is too old: it needs plugin API 1, it has ", range);
    }
    if (info->version.min > QEMU_PLUGIN_API_USED) {
        return complain("this QEMU is too new: it needs plugin API 1, it has ", range);
    }
    if (!info->system_emulation) {
        return complain("only qemu-system-* has physical memory, this is user emulation of ",
                        info->target_name);
    }
    if (strcmp(info->target_name, "x86_64") == 0) {
        plugin.page_shift = 12;
        plugin.kseg = UINT64_MAX;
    } else if (strcmp(info->target_name, "alpha") == 0) {
        plugin.page_shift = 13;
        plugin.kseg = PLUGIN_KSEG_BASE >> PLUGIN_KSEG_SHIFT;
        plugin.alpha = true;
    } else {
        return complain("valid targets are x86_64 and alpha, this is ", info->target_name);
    }
    return 0;
}

static int create(const char *machine_path, bool split)
{
    struct machine machine;
    char error[MACHINE_ERROR_BYTES];

    if (machine_load(&machine, machine_path, error) != 0) {
        fprintf(stderr, "model: machine=%s: %s\n", machine_path, error);
        return -1;
    }
    if (plugin.vcpus > machine.cpus) {
        fprintf(stderr, "model: machine %s has %u CPUs, QEMU was started with %u\n", machine.name,
                machine.cpus, plugin.vcpus);
        return -1;
    }
    /* Positions in a virtually indexed cache, and what the TLB holds, follow the guest's pages. */
    machine.page_bytes = 1u << plugin.page_shift;
    for (uint32_t k = 0; k < machine.levels; k++) {
        if (machine.level[k].sector_bytes > machine.page_bytes) {
            return complain("a sector is larger than the guest's page in machine ", machine.name);
        }
    }
    plugin.model = model_create(&machine);
    if (!plugin.model) {
        return complain("out of memory", "");
    }
    plugin.line_shift = plugin.model->line_shift;
    plugin.line_mask = machine.line_bytes - 1;
    if (split) {
        model_set_split(plugin.model, true);
    }
    for (uint32_t i = 0; i < plugin.vcpus; i++) {
        plugin.cpu[i].model = &plugin.model->cpu[i];
        plugin.cpu[i].generation = UINT64_C(1) << PLUGIN_GENERATION_SHIFT;
        plugin.cpu[i].box = (uint8_t)i;
        model_set_instructions(plugin.model, i, &plugin.cpu[i].instructions);
    }
    return 0;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    const char *machine_path = NULL;
    bool split = false;

    if (check_qemu(info) != 0) {
        return -1;
    }
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "machine=", 8) == 0) {
            machine_path = argv[i] + 8;
        } else if (strncmp(argv[i], "ram=", 4) == 0) {
            plugin.ram_path = strdup(argv[i] + 4);
        } else if (strcmp(argv[i], "split=on") == 0 || strcmp(argv[i], "split=off") == 0) {
            split = strcmp(argv[i], "split=on") == 0;
        } else {
            return complain("valid arguments are machine=FILE, ram=FILE and split=on|off, not ",
                            argv[i]);
        }
    }
    if (!machine_path || !plugin.ram_path) {
        return complain("machine=FILE and ram=FILE are needed", "");
    }
    plugin.vcpus = (uint32_t)info->system.smp_vcpus;
    if (create(machine_path, split) != 0) {
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    return 0;
}
