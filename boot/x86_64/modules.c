/*
 * Self-test `modules`: what the loader handed over is still what it was. A module whose label has
 * the word crc=XXXXXXXX (zlib's CRC-32) is held to that; of others the CRC is printed, for the
 * reader.
 *
 * Run after experiments (run=bandwidth,selftest) it says that they left the modules alone, wherever
 * in memory the loader put them.
 */
#include "boot.h"

#include "arch.h"
#include "core/kprintf.h"
#include "core/record.h"
#include "core/selftest.h"

#include <string.h>

static const struct boot_info *boot;

void modules_init(const struct boot_info *bi)
{
    boot = bi;
}

/* "name crc=12ab34cd": false when there is no such word. */
static bool expected_crc(const char *label, uint32_t *crc)
{
    const char *digits = strstr(label, "crc=");

    if (!digits)
        return false;
    *crc = 0;
    for (const char *d = digits + 4; *d && *d != ' '; d++) {
        const char *hex = "0123456789abcdef", *at = strchr(hex, *d);

        if (!at || d - digits >= 12)
            return false;
        *crc = *crc << 4 | (uint32_t)(at - hex);
    }
    return true;
}

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    unsigned without = 0;

    for (unsigned i = 0; i < boot->module_count; i++) {
        const struct boot_module *m = &boot->module[i];
        uint64_t bytes = phys_range_bytes(m->at);
        uint32_t want, crc = crc32_zlib(0, bytes ? arch_phys_to_virt(m->at.start) : "", bytes);

        kprintf("# module %u: 0x%llx to 0x%llx, crc %08x, label: %s\n", i,
                (unsigned long long)m->at.start.a, (unsigned long long)m->at.end.a, crc, m->label);
        if (!expected_crc(m->label, &want)) {
            without++;
        } else if (crc != want) {
            ksnprintf(msg, msg_bytes, "module %u has crc %08x, its label says %08x", i, crc, want);
            return SELFTEST_FAIL;
        }
    }
    if (without == boot->module_count) {
        ksnprintf(msg, msg_bytes,
                  boot->module_count ? "no label has a word crc=XXXXXXXX"
                                     : "the loader handed over no modules");
        return SELFTEST_SKIP;
    }
    return SELFTEST_OK;
}

REGISTER(selftest, modules) = {
    .name = "modules",
    .proves = "modules still have the CRC-32 that their labels name",
    .run = run,
};
