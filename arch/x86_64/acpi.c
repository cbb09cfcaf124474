/* Finding ACPI tables (acpi.h): RSDP, then XSDT or RSDT (ACPI specification 6.4, chapter 5.2). */
#include "acpi.h"

#include "window.h"

#include <arch/boot.h>
#include <string.h>

/* Real machines have up to 40 tables or so, of up to some 100 KiB (the AML, which we skip). */
#define TABLES_MAX 256
#define LENGTH_MAX 0x100000

struct __attribute__((packed)) rsdp {
    char signature[8];
    uint8_t checksum; /* of the first 20 bytes */
    char oem[6];
    uint8_t revision; /* 2 and up: the rest is there */
    uint32_t rsdt;
    uint32_t length;
    uint64_t xsdt;
    uint8_t checksum_all;
    uint8_t reserved[3];
};
_Static_assert(sizeof(struct rsdp) == 36, "fixed by ACPI");

#define RSDP_V1_BYTES 20

static phys_t rsdp_at;
static const struct acpi_table *root; /* RSDT or XSDT; NULL: not looked for, or none */

void arch_set_rsdp(phys_t rsdp)
{
    rsdp_at = rsdp;
}

void acpi_forget(void)
{
    root = NULL;
}

static bool sums_to_zero(const void *p, size_t bytes)
{
    const uint8_t *b = p;
    uint8_t sum = 0;

    while (bytes--)
        sum += *b++;
    return sum == 0;
}

/* Maps and checks the table at a; signature NULL: any. */
static const struct acpi_table *table_at(uint64_t a, const char *signature)
{
    const struct acpi_table *t = a ? window_map_firmware(phys(a), sizeof(*t)) : NULL;

    if (!t || t->length < sizeof(*t) || t->length > LENGTH_MAX)
        return NULL;
    if (signature && memcmp(t->signature, signature, sizeof(t->signature)))
        return NULL;
    t = window_map_firmware(phys(a), t->length);
    return t && sums_to_zero(t, t->length) ? t : NULL;
}

static const struct acpi_table *find_root(void)
{
    const struct rsdp *r = NULL;

    if (rsdp_at.a)
        r = window_map_firmware(rsdp_at, sizeof(*r));
    if (!r || memcmp(r->signature, "RSD PTR ", sizeof(r->signature)) ||
        !sums_to_zero(r, RSDP_V1_BYTES))
        return NULL;

    const struct acpi_table *t = NULL;

    if (r->revision >= 2 && r->length >= sizeof(*r) && sums_to_zero(r, sizeof(*r)))
        t = table_at(r->xsdt, "XSDT");
    return t ? t : table_at(r->rsdt, "RSDT");
}

const struct acpi_table *acpi_find(const char signature[4])
{
    if (!root)
        root = find_root();
    if (!root)
        return NULL;

    size_t entry = root->signature[0] == 'X' ? 8 : 4;
    size_t count = (root->length - sizeof(*root)) / entry;

    for (size_t i = 0; i < count && i < TABLES_MAX; i++) {
        const struct acpi_table *t =
            table_at(acpi_field(root, sizeof(*root) + i * entry, entry), signature);

        if (t)
            return t;
    }
    return NULL;
}

uint64_t acpi_field(const struct acpi_table *t, size_t offset, size_t bytes)
{
    uint64_t v = 0;

    if (offset > t->length || bytes > t->length - offset)
        return 0;
    memcpy(&v, (const char *)t + offset, bytes); /* little-endian, unaligned in the RSDT */
    return v;
}

uint16_t acpi_pm_control(void)
{
    const struct acpi_table *fadt = acpi_find("FACP");

    return fadt ? (uint16_t)acpi_field(fadt, 64, 4) : 0; /* PM1a_CNT_BLK */
}
