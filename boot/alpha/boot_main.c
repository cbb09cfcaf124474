/*
 * The boot path of Alpha: checks the HWRPB, fills the one boot_info from it and from what the
 * loader left below the image, then enters the kernel.
 *
 * Runs once, on our own stack and the firmware's page tables, which are the only ones that map the
 * HWRPB at its fixed address. Everything else is read through KSEG.
 */
#include "boot_info.h"
#include "core/kprintf.h"
#include "hwrpb_read.h"

#include <arch/boot.h>
#include <string.h>

/* Where the console architecture puts the HWRPB for a starting system. */
#define HWRPB_VA 0x10000000

/* What QEMU's loader leaves below the image (hw/alpha/dp264.c): text, and the initrd's place. */
#define PARAM_BELOW_IMAGE 0x6000
#define PARAM_TEXT_BYTES  0x100

struct param {
    char text[PARAM_TEXT_BYTES];
    uint64_t initrd_va; /* in KSEG; 0: none */
    uint64_t initrd_bytes;
};

/* amask's bits of the instructions that the image is compiled to use: BWX and FIX (21264). */
#define AMASK_NEEDED 3

static struct boot_info boot_info;

void boot_main(char *image);

static void take_params(struct boot_info *bi, const struct param *p)
{
    size_t n = strnlen(p->text, sizeof(p->text));

    /* The loader cuts without a word, so a text that fills its place is taken for cut. */
    bi->cmdline_cut = n >= sizeof(p->text) - 1;
    memcpy(bi->cmdline, p->text, n);

    if (p->initrd_va < ARCH_KSEG || p->initrd_bytes == 0)
        return;
    uint64_t pa = p->initrd_va - ARCH_KSEG;

    bi->module[bi->module_count++] =
        (struct boot_module){{phys(pa), phys(pa + p->initrd_bytes)}, "initrd"};
}

void boot_main(char *image)
{
    struct boot_info *bi = &boot_info;
    const struct hwrpb *h = (const struct hwrpb *)HWRPB_VA;
    char why[128];

    bi->way = BOOT_HWRPB;
    bi->image.start = phys((uintptr_t)image - ARCH_KSEG);
    bi->image.end = phys((uintptr_t)__image_end - ARCH_KSEG);
    take_params(bi, (const struct param *)(image - PARAM_BELOW_IMAGE));
    strcpy(bi->loader, "unknown");
    if (__builtin_alpha_amask(AMASK_NEEDED)) {
        strcpy(bi->error, "this CPU is older than a 21264: it has not both BWX and FIX");
        kernel_main(bi);
    }
    if (hwrpb_check(h, why, sizeof(why))) {
        ksnprintf(bi->error, sizeof(bi->error), "HWRPB at 0x%x: %s", HWRPB_VA, why);
        kernel_main(bi);
    }
    /* The fixed address goes with the firmware's page tables. */
    h = (const struct hwrpb *)(ARCH_KSEG + h->phys_addr);
    arch_hwrpb = h;
    bi->hwrpb = phys(h->phys_addr);
    if (strcmp(h->ssn, "QEMU") == 0)
        strcpy(bi->loader, "QEMU -kernel");
    if (hwrpb_clusters(h, bi, why, sizeof(why)))
        ksnprintf(bi->error, sizeof(bi->error), "HWRPB: %s", why);
    kernel_main(bi);
}
