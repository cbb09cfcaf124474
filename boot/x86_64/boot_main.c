/*
 * The common C part of the x86_64 boot paths: fills the one boot_info, then enters the kernel.
 *
 * Called once by boot32.S. The loader cleared .bss, so boot_info starts out all zeros.
 */
#include "boot.h"

#include "core/kprintf.h"

#include <arch/boot.h>
#include <stdarg.h>

static struct boot_info boot_info;

const void *boot_memory(uint64_t a, uint64_t bytes)
{
    if (a == 0 || a >= ARCH_EARLY_MAP || bytes > ARCH_EARLY_MAP - a)
        return NULL;
    return (const void *)(ARCH_DIRECT + a);
}

bool boot_copy_string(char *to, size_t bytes, uint64_t a)
{
    size_t n = 0;

    for (; n + 1 < bytes; n++) {
        const char *c = boot_memory(a + n, 1);

        if (!c)
            break;
        to[n] = *c;
        if (!to[n])
            return true;
    }
    to[n] = '\0';

    /* Full: it fits only if the next character is the end. */
    const char *end = boot_memory(a + n, 1);

    return end && !*end;
}

void boot_error(struct boot_info *bi, const char *fmt, ...)
{
    va_list ap;

    if (bi->error[0])
        return;
    va_start(ap, fmt);
    kvsnprintf(bi->error, sizeof(bi->error), fmt, ap);
    va_end(ap);
}

void boot_main(enum boot_way way, uint64_t info)
{
    struct boot_info *bi = &boot_info;
    uint64_t start = LINK_PHYS + arch_load_delta;

    bi->way = way;
    bi->image.start = phys(start);
    bi->image.end = phys(start + (uintptr_t)__image_end - (uintptr_t)__image_start);

    if (way == BOOT_PVH)
        pvh_parse(bi, info);
    else
        boot_error(bi, "entered by boot way %u, which this image has not", (unsigned)way);

    arch_set_rsdp(bi->rsdp);
    kernel_main(bi);
}
