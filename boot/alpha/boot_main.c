/*
 * The boot path of Alpha: checks the HWRPB, fills the one boot_info from it and from what the
 * loader left below the image, then enters the kernel.
 *
 * Runs once, on our own stack and the firmware's page tables, which are the only ones that map the
 * HWRPB at its fixed address. Everything else is read through KSEG.
 */
#include "boot_info.h"
#include "core/kprintf.h"

#include <arch/boot.h>
#include <stdarg.h>
#include <string.h>

/* Where the console architecture puts the HWRPB for a starting system. */
#define HWRPB_VA 0x10000000

/* "HWRPB" and three NULs: as the string it is specified to be, and as QEMU writes it. */
#define HWRPB_ID         0x4250525748
#define HWRPB_ID_SWAPPED 0x4857525042000000

/* The first revision with the fields that are read here; QEMU's firmware states none. */
#define HWRPB_REVISION      5
#define HWRPB_REVISION_NONE 0

/* What QEMU's loader leaves below the image (hw/alpha/dp264.c): text, and the initrd's place. */
#define PARAM_BELOW_IMAGE 0x6000
#define PARAM_TEXT_BYTES  0x100

struct param {
    char text[PARAM_TEXT_BYTES];
    uint64_t initrd_va; /* in KSEG; 0: none */
    uint64_t initrd_bytes;
};

/* Memory data descriptor table of the HWRPB. */
struct cluster {
    uint64_t start_pfn, pages, pages_tested, bitmap_va, bitmap_pa, bitmap_checksum, usage;
};

struct mddt {
    uint64_t checksum, extra, count;
    struct cluster cluster[];
};

/* usage: 0 is the system's, bit 0 the console's, bit 1 not volatile. */
#define USAGE_SYSTEM 0

/* Firmware has a handful; a larger count is not believed. */
#define CLUSTERS_MAX 64

static struct boot_info boot_info;

void boot_main(char *image);

__attribute__((format(printf, 2, 3))) static void boot_error(struct boot_info *bi, const char *fmt,
                                                             ...)
{
    va_list ap;

    if (bi->error[0])
        return;
    va_start(ap, fmt);
    kvsnprintf(bi->error, sizeof(bi->error), fmt, ap);
    va_end(ap);
}

static void *kseg(uint64_t pa)
{
    return (void *)(ARCH_KSEG + pa);
}

/* The HWRPB through KSEG if it is one, else NULL and the reason in bi->error. */
static const struct hwrpb *find_hwrpb(struct boot_info *bi)
{
    const struct hwrpb *mapped = (const struct hwrpb *)HWRPB_VA;
    const uint64_t *word = (const uint64_t *)mapped;
    uint64_t sum = 0;

    if (mapped->id != HWRPB_ID && mapped->id != HWRPB_ID_SWAPPED) {
        boot_error(bi, "no HWRPB at 0x%x: its id is 0x%lx", HWRPB_VA, mapped->id);
        return NULL;
    }
    if (mapped->revision < HWRPB_REVISION && mapped->revision != HWRPB_REVISION_NONE) {
        boot_error(bi, "HWRPB: revision %lu, needed is %u", mapped->revision, HWRPB_REVISION);
        return NULL;
    }
    if (mapped->size_bytes < sizeof(*mapped)) {
        boot_error(bi, "HWRPB: %lu bytes long, needed are %lu", mapped->size_bytes,
                   sizeof(*mapped));
        return NULL;
    }
    for (size_t i = 0; i < offsetof(struct hwrpb, checksum) / sizeof(*word); i++)
        sum += word[i];
    if (sum != mapped->checksum) {
        boot_error(bi, "HWRPB: checksum 0x%lx, should be 0x%lx", mapped->checksum, sum);
        return NULL;
    }
    if (mapped->page_bytes != PAGE_SIZE) {
        boot_error(bi, "HWRPB: pages of %lu bytes, this image is built for %u", mapped->page_bytes,
                   PAGE_SIZE);
        return NULL;
    }
    return kseg(mapped->phys_addr);
}

static void take_clusters(struct boot_info *bi, const struct hwrpb *h)
{
    const struct mddt *m = (const struct mddt *)((const char *)h + h->mddt_offset);

    if (m->count == 0 || m->count > CLUSTERS_MAX) {
        boot_error(bi, "HWRPB: %lu memory clusters, expected are 1 to %u", m->count, CLUSTERS_MAX);
        return;
    }
    for (uint64_t i = 0; i < m->count; i++) {
        const struct cluster *c = &m->cluster[i];

        bi->map[bi->map_count++] = (struct boot_range){
            .start = c->start_pfn << PAGE_SHIFT,
            .size = c->pages << PAGE_SHIFT,
            .type = c->usage == USAGE_SYSTEM ? MEM_RAM : MEM_RESERVED,
        };
    }
}

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
    const struct hwrpb *h = find_hwrpb(bi);

    bi->way = BOOT_HWRPB;
    bi->image.start = phys((uintptr_t)image - ARCH_KSEG);
    bi->image.end = phys((uintptr_t)__image_end - ARCH_KSEG);
    take_params(bi, (const struct param *)(image - PARAM_BELOW_IMAGE));
    strcpy(bi->loader, "unknown");
    if (h) {
        arch_hwrpb = h;
        bi->hwrpb = phys(h->phys_addr);
        if (strcmp(h->ssn, "QEMU") == 0)
            strcpy(bi->loader, "QEMU -kernel");
        take_clusters(bi, h);
    }
    kernel_main(bi);
}
