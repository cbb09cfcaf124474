/* Parsing irq_desc=. Contract in layout.h. */
#include "irq/layout.h"

#include "core/cmdline.h"
#include "core/errno.h"
#include "core/kprintf.h"
#include "core/types.h"

int irq_layout_parse(const char *s, struct irq_layout *out, char *err, size_t err_bytes)
{
    char stride[8];
    bool ok;
    uint64_t v = 0, offset = 0;
    const char *rest = parse_item(s, '+', stride, sizeof stride, &ok);
    bool good = ok && !parse_u64(stride, IRQ_DESC_BYTES, 128, &v) && is_power_of_two(v);
    if (rest)
        good = good && !parse_u64(rest, 0, 127, &offset) && offset % 4 == 0;
    if (!good) {
        ksnprintf(err, err_bytes,
                  "%s: valid: 16, 32, 64 or 128, and +OFFSET, a multiple of 4 below 128", s);
        return -TT_EINVAL;
    }
    *out = (struct irq_layout){(uint32_t)v, (uint32_t)offset};
    return 0;
}
