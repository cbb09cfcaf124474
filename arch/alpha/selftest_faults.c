/*
 * Self-tests that do what must not work, and check that exactly the right trap stops it: nx and
 * ro (on mapped pages), null, div0, opcode, unaligned. What KSEG cannot refuse is skipped under
 * the names that other ports have.
 */
#include "arch.h"
#include "core/kprintf.h"
#include "core/selftest.h"
#include "core/trap.h"
#include "core/trap_expect.h"
#include "mm/own.h"
#include "pal.h"
#include "trap.h"

#include <arch/boot.h>

/* entMM's codes. */
#define MM_NOT_VALID        0
#define MM_ACCESS           1
#define MM_FAULT_ON_EXECUTE 3

#define CODE_RET 0x6bfa8001 /* ret $31, ($26), 1 */

static void store(void *p)
{
    *(volatile uint32_t *)p = CODE_RET;
}

static void load(void *p)
{
    (void)*(volatile uint32_t *)p;
}

static void call(void *p)
{
    ((void (*)(void))p)();
}

/* ---- what KSEG cannot refuse --------------------------------------------------------------- */

static enum selftest_verdict no_protection(char *msg, size_t msg_bytes)
{
    ksnprintf(msg, msg_bytes, "the image lies in KSEG, which has no protection");
    return SELFTEST_SKIP;
}

REGISTER(selftest, text_write) = {
    .name = "text_write", .proves = "a store to the kernel's code faults", .run = no_protection};

REGISTER(selftest, rodata_write) = {
    .name = "rodata_write", .proves = "a store to constants faults", .run = no_protection};

static enum selftest_verdict guard(char *msg, size_t msg_bytes)
{
    ksnprintf(msg, msg_bytes, "the boot stack lies in KSEG, which has no guard pages");
    return SELFTEST_SKIP;
}

REGISTER(selftest, guard) = {
    .name = "guard", .proves = "the page below each stack cannot be touched", .run = guard};

/* ---- protection of mapped pages ------------------------------------------------------------ */

/* Maps a page that holds a `ret`, with prot, for act to be stopped at (or not: e NULL). */
static bool on_page(unsigned prot, void (*act)(void *), const struct trap_expected *e, char *msg,
                    size_t msg_bytes)
{
    void *const at = (void *)ARCH_WINDOW;
    uint32_t *page = own_page_alloc();
    struct arch_space s;
    struct trap_info t;
    bool ok = false;

    if (!page || arch_space_create(&s)) {
        ksnprintf(msg, msg_bytes, "no memory for a space");
        return false;
    }
    page[0] = CODE_RET;
    arch_space_switch(&s);
    if (arch_space_map(&s, ARCH_WINDOW, phys_to_pfn(arch_virt_to_phys(page)), 0, prot))
        ksnprintf(msg, msg_bytes, "cannot map a page");
    else if (e)
        ok = trap_stops(act, at, *e, msg, msg_bytes);
    else if (trap_guard(act, at, &t))
        ok = true;
    else
        ksnprintf(msg, msg_bytes, "stopped by %s", t.name);
    arch_space_switch(NULL);
    arch_space_destroy(&s);
    own_page_free(page);
    return ok;
}

/* Every right is used once where it is granted and once where it is not. */
static enum selftest_verdict wx(char *msg, size_t msg_bytes)
{
    const struct trap_expected no_store = {TRAP_VECTOR(ENT_MM, MM_ACCESS), ARCH_WINDOW,
                                           .write = true, .present = true};
    const struct trap_expected no_fetch = {TRAP_VECTOR(ENT_MM, MM_FAULT_ON_EXECUTE), ARCH_WINDOW,
                                           .exec = true, .present = true};
    struct arch_space s;

    if (!on_page(PROT_R, load, NULL, msg, msg_bytes) ||
        !on_page(PROT_R, store, &no_store, msg, msg_bytes) ||
        !on_page(PROT_R, call, &no_fetch, msg, msg_bytes) ||
        !on_page(PROT_R | PROT_W, store, NULL, msg, msg_bytes) ||
        !on_page(PROT_R | PROT_W, call, &no_fetch, msg, msg_bytes) ||
        !on_page(PROT_R | PROT_X, call, NULL, msg, msg_bytes) ||
        !on_page(PROT_R | PROT_X, store, &no_store, msg, msg_bytes))
        return SELFTEST_FAIL;
    if (arch_space_create(&s)) {
        ksnprintf(msg, msg_bytes, "no memory for a space");
        return SELFTEST_FAIL;
    }

    int refused = arch_space_map(&s, ARCH_WINDOW, pfn(0), 0, PROT_R | PROT_W | PROT_X);

    arch_space_destroy(&s);
    if (!refused) {
        ksnprintf(msg, msg_bytes, "a page may be writable and executable");
        return SELFTEST_FAIL;
    }
    return SELFTEST_OK;
}

REGISTER(selftest, wx) = {
    .name = "wx",
    .proves = "a mapped page allows what it was mapped for and nothing else",
    .run = wx,
};

/* ---- the other traps ----------------------------------------------------------------------- */

static enum selftest_verdict null(char *msg, size_t msg_bytes)
{
    /* Address 0, and where the firmware mapped the HWRPB. */
    const uintptr_t at[] = {0, 0x10000000};

    for (unsigned i = 0; i < ARRAY_SIZE(at); i++) {
        if (!trap_stops(load, (void *)at[i],
                        (struct trap_expected){TRAP_VECTOR(ENT_MM, MM_NOT_VALID), .address = at[i]},
                        msg, msg_bytes))
            return SELFTEST_FAIL;
    }
    return SELFTEST_OK;
}

REGISTER(selftest, null) = {
    .name = "null",
    .proves = "a null pointer faults, and so does what the firmware had mapped",
    .run = null,
};

/* One division of each width and sign, with a divisor that the compiler does not see. */
static volatile long one = 1, zero, quotient;

static void divide(void *arg)
{
    switch (*(const int *)arg) {
    case 0:
        quotient = one / zero;
        break;
    case 1:
        quotient = (long)((unsigned long)one % (unsigned long)zero);
        break;
    case 2:
        quotient = (int)one / (int)zero;
        break;
    default:
        quotient = (unsigned)one % (unsigned)zero;
        break;
    }
}

static enum selftest_verdict div0(char *msg, size_t msg_bytes)
{
    for (int i = 0; i < 4; i++) {
        struct trap_info t;

        if (trap_guard(divide, &i, &t) || t.kind != TRAP_ARITH) {
            ksnprintf(msg, msg_bytes, "case %d is not stopped as an arithmetic trap", i);
            return SELFTEST_FAIL;
        }
    }
    return SELFTEST_OK;
}

REGISTER(selftest, div0) = {
    .name = "div0",
    .proves = "a division by zero is reported as such",
    .run = div0,
};

static void illegal(void *arg)
{
    (void)arg;
    __asm__ volatile(".long 0x04000000"); /* opcode 1: reserved */
}

static enum selftest_verdict opcode(char *msg, size_t msg_bytes)
{
    struct trap_info t;

    if (!trap_guard(illegal, NULL, &t) && t.kind == TRAP_ILLEGAL)
        return SELFTEST_OK;
    ksnprintf(msg, msg_bytes, "an instruction that does not exist is not stopped as illegal");
    return SELFTEST_FAIL;
}

REGISTER(selftest, opcode) = {
    .name = "opcode",
    .proves = "an instruction that does not exist is reported as such",
    .run = opcode,
};

static enum selftest_verdict unaligned(char *msg, size_t msg_bytes)
{
    static uint64_t words[2];
    struct trap_info t;

    if (!trap_guard(load, (char *)words + 1, &t) && t.kind == TRAP_ALIGN)
        return SELFTEST_OK;
    ksnprintf(msg, msg_bytes, "a load from an odd address is not stopped as unaligned");
    return SELFTEST_FAIL;
}

REGISTER(selftest, unaligned) = {
    .name = "unaligned",
    .proves = "a load from an odd address is reported as unaligned",
    .run = unaligned,
};
