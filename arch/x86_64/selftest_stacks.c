/*
 * Self-test `ist`: the stacks of #DF, NMI and #MC of every CPU are distinct and mapped, and where
 * they are own memory (further CPUs', and with own_colors= also CPU 0's) of its colours, above a
 * page without translation.
 */
#include "arch.h"
#include "core/cpu.h"
#include "core/kprintf.h"
#include "core/selftest.h"
#include "desc.h"
#include "mm/own.h"
#include "stacks.h"

static phys_t behind(uint64_t va)
{
    return arch_space_lookup(NULL, va, NULL);
}

static const char *examine(uint64_t top, bool own)
{
    uint64_t va = top - PAGE_SIZE;

    if (own != (va >= ARCH_OWN && va < ARCH_OWN_END))
        return own ? "is not own memory" : "is not in the image";
    if (behind(va).a == PHYS_NONE.a)
        return "is not mapped";
    for (; behind(va).a != PHYS_NONE.a; va -= PAGE_SIZE) {
        if (top - va > 0x10000)
            return "has no end";
        if (own && !own_color_allowed_naive(behind(va)))
            return "has a colour that own_colors= does not name";
    }
    return NULL;
}

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    for (unsigned id = 0; id < cpus_running(); id++) {
        for (unsigned i = IST_DOUBLE_FAULT; i < IST_END; i++) {
            uint64_t top = desc_ist(id, i);
            const char *why = examine(top, id > 0 || own_colors().given);

            if (!why && i > IST_DOUBLE_FAULT && top == desc_ist(id, i - 1))
                why = "is another one's, too";
            if (why) {
                ksnprintf(msg, msg_bytes, "CPU %u: the stack of IST entry %u %s", id, i, why);
                return SELFTEST_FAIL;
            }
        }
    }
    return SELFTEST_OK;
}

REGISTER(selftest, ist) = {
    .name = "ist",
    .proves = "every CPU's stacks of #DF, NMI and #MC are where they should be",
    .run = run,
};
