/*
 * Self-test: the symbol table fits the image that it is linked into.
 */
#include "core/console.h"
#include "core/kprintf.h"
#include "core/panic.h"
#include "core/record.h"
#include "core/selftest.h"
#include "core/symbols.h"
#include "core/types.h"

#include <string.h>

/* Functions of several files and of newlib: if the second link had moved one, these would tell. */
static const struct {
    const void *address;
    const char *name;
} known[] = {
    {kprintf, "kprintf"},
    {record_end, "record_end"},
    {console_write, "console_write"},
    {crc32_zlib, "crc32_zlib"},
    {symbol_of, "symbol_of"},
    {panic, "panic"},
    {panic_context, "panic_context"},
    {strlen, "strlen"},
};

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    const char *broken = symbols_check();
    if (broken) {
        ksnprintf(msg, msg_bytes, "%s", broken);
        return SELFTEST_FAIL;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(known); i++) {
        uintptr_t pc = (uintptr_t)known[i].address, offset;
        for (uintptr_t step = 0; step <= 1; step++) { /* functions are longer than a byte */
            const char *name = symbol_of(pc + step, &offset);
            if (name && strcmp(name, known[i].name) == 0 && offset == step)
                continue;
            ksnprintf(msg, msg_bytes, "%s+%lu is called %s", known[i].name, (unsigned long)step,
                      name ? name : "nothing");
            return SELFTEST_FAIL;
        }
    }
    if (symbol_of(0, NULL) || symbol_of(UINTPTR_MAX, NULL)) {
        ksnprintf(msg, msg_bytes, "an address outside of text has a name");
        return SELFTEST_FAIL;
    }
    return SELFTEST_OK;
}

REGISTER(selftest, symbols) = {
    .name = "symbols", .proves = "the symbol table names functions right", .run = run};
