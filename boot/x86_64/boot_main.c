/*
 * The common C part of the x86_64 boot paths: fills the one boot_info, then enters the kernel.
 *
 * Called once by boot32.S. The loader cleared .bss, so boot_info starts out all zeros.
 */
#include "boot.h"

#include "arch.h"
#include "multiboot2.h"

#include <arch/boot.h>

static struct boot_info boot_info;

const void *boot_memory(uint64_t a, uint64_t bytes)
{
    if (a == 0 || a >= ARCH_EARLY_MAP || bytes > ARCH_EARLY_MAP - a)
        return NULL;
    return (const void *)(ARCH_DIRECT + a);
}

static void multiboot2_take(struct boot_info *bi, uint64_t info)
{
    const void *from = boot_memory(info, sizeof(struct mb2_info));

    if (!from || info % 8) {
        boot_error(bi, "multiboot2: no boot information at 0x%llx", (unsigned long long)info);
        return;
    }
    multiboot2_parse(bi, from, ARCH_EARLY_MAP - info);

    /* The loader's memory is about to be reused: the RSDP is the copy in boot_info from now on. */
    if (bi->rsdp_copy[0])
        bi->rsdp = arch_virt_to_phys(bi->rsdp_copy);
}

void boot_main(enum boot_way way, uint64_t info)
{
    struct boot_info *bi = &boot_info;
    uint64_t start = LINK_PHYS + arch_load_delta;

    bi->way = way;
    bi->image.start = phys(start);
    bi->image.end = phys(start + (uintptr_t)__image_end - (uintptr_t)__image_start);

    switch (way) {
    case BOOT_PVH:
        pvh_parse(bi, info);
        break;
    case BOOT_MULTIBOOT2:
    case BOOT_EFI:
        multiboot2_take(bi, info);
        break;
    default:
        boot_error(bi, "entered by boot way %u, which this image has not", (unsigned)way);
    }
    boot_strip_name(bi->cmdline);
    boot_check_modules(bi);
    modules_init(bi);
    arch_set_rsdp(bi->rsdp);
    screen_say(bi);
    kernel_main(bi);
}
