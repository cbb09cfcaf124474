/*
 * Self-tests that do what must not work, and check that exactly the right exception stops it:
 * text_write, rodata_write, nx, guard, null, div0. (A stack overflow ends in a double fault, which
 * cannot be guarded: crash=stack.)
 */
#include "arch.h"
#include "core/kprintf.h"
#include "core/selftest.h"
#include "core/trap_expect.h"
#include "desc.h"
#include "pte.h"
#include "stacks.h"

#include <arch/boot.h>

/* Stores what is there already: should it be possible, nothing breaks. */
static void store(void *p)
{
    volatile char *c = p;

    char same = *c;

    *c = same;
}

static void load(void *p)
{
    (void)*(volatile char *)p;
}

static void call(void *p)
{
    ((void (*)(void))p)();
}

/* Both the image's address and its alias in the direct map must refuse the store. */
static enum selftest_verdict refuses_store(char *at, char *msg, size_t msg_bytes)
{
    char *alias = arch_phys_to_virt(arch_virt_to_phys(at));
    struct trap_expected e = {
        .vector = VECTOR_PAGE_FAULT, .address = (uintptr_t)at, .write = true, .present = true};

    if (!trap_stops(store, at, e, msg, msg_bytes))
        return SELFTEST_FAIL;
    e.address = (uintptr_t)alias;
    return trap_stops(store, alias, e, msg, msg_bytes) ? SELFTEST_OK : SELFTEST_FAIL;
}

static enum selftest_verdict text_write(char *msg, size_t msg_bytes)
{
    return refuses_store(__text_start, msg, msg_bytes);
}

REGISTER(selftest, text_write) = {
    .name = "text_write",
    .proves = "a store to the kernel's code faults, through both of its addresses",
    .run = text_write,
};

static enum selftest_verdict rodata_write(char *msg, size_t msg_bytes)
{
    return refuses_store(__rodata_start, msg, msg_bytes);
}

REGISTER(selftest, rodata_write) = {
    .name = "rodata_write",
    .proves = "a store to constants faults, through both of their addresses",
    .run = rodata_write,
};

static enum selftest_verdict nx(char *msg, size_t msg_bytes)
{
    static char code[16] = {(char)0xc3}; /* ret */
    char on_stack[16] = {(char)0xc3};
    char *const places[] = {code, on_stack, arch_phys_to_virt(arch_virt_to_phys(code)),
                            arch_phys_to_virt(arch_virt_to_phys(__text_start))};

    if (!pte_nx()) {
        ksnprintf(msg, msg_bytes, "the CPU has no NX bit");
        return SELFTEST_SKIP;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(places); i++) {
        struct trap_expected e = {.vector = VECTOR_PAGE_FAULT,
                                  .address = (uintptr_t)places[i],
                                  .exec = true,
                                  .present = true};

        if (!trap_stops(call, places[i], e, msg, msg_bytes))
            return SELFTEST_FAIL;
    }
    return SELFTEST_OK;
}

REGISTER(selftest, nx) = {
    .name = "nx",
    .proves = "a call into data, into the stack and into the direct map faults",
    .run = nx,
};

static enum selftest_verdict guard(char *msg, size_t msg_bytes)
{
    char *const pages[] = {boot_stack.guard, ist_stack[0].guard, ist_stack[1].guard,
                           ist_stack[2].guard};

    for (unsigned i = 0; i < ARRAY_SIZE(pages); i++) {
        char *last = pages[i] + PAGE_SIZE - 1; /* where an overflow arrives first */

        if (!trap_stops(
                load, last,
                (struct trap_expected){.vector = VECTOR_PAGE_FAULT, .address = (uintptr_t)last},
                msg, msg_bytes))
            return SELFTEST_FAIL;
    }
    return SELFTEST_OK;
}

REGISTER(selftest, guard) = {
    .name = "guard",
    .proves = "the page below each stack cannot be touched",
    .run = guard,
};

static enum selftest_verdict null(char *msg, size_t msg_bytes)
{
    /* Address 0, and the image's physical address, where the identity map was. */
    const uintptr_t at[] = {0, LINK_PHYS + arch_load_delta};

    for (unsigned i = 0; i < ARRAY_SIZE(at); i++) {
        if (!trap_stops(load, (void *)at[i],
                        (struct trap_expected){.vector = VECTOR_PAGE_FAULT, .address = at[i]}, msg,
                        msg_bytes))
            return SELFTEST_FAIL;
    }
    return SELFTEST_OK;
}

REGISTER(selftest, null) = {
    .name = "null",
    .proves = "a null pointer faults, and so does an identity-mapped address",
    .run = null,
};

static void divide(void *arg)
{
    (void)arg;
    __asm__ volatile("xorl %%ecx, %%ecx\n\tdivl %%ecx" ::: "rax", "rcx", "rdx", "cc");
}

static enum selftest_verdict div0(char *msg, size_t msg_bytes)
{
    return trap_stops(divide, NULL, (struct trap_expected){.vector = VECTOR_DIVIDE}, msg, msg_bytes)
               ? SELFTEST_OK
               : SELFTEST_FAIL;
}

REGISTER(selftest, div0) = {
    .name = "div0",
    .proves = "a division by zero is reported as such",
    .run = div0,
};
