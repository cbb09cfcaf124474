/* Where interrupt descriptors lie: irq_desc=STRIDE[+OFFSET]. */
#ifndef TT_IRQ_LAYOUT_H
#define TT_IRQ_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define IRQ_DESC_BYTES 16

struct irq_layout {
    uint32_t stride_bytes; /* 16, 32, 64 or 128 */
    uint32_t offset_bytes; /* of record 0 from a page boundary; a multiple of 4, below 128 */
};

/* As posted: records without a gap. The patch of seed 000 made it 32, and aligned. */
#define IRQ_LAYOUT_POSTED ((struct irq_layout){IRQ_DESC_BYTES, 0})

/* 0, or -TT_EINVAL with what would be valid. */
int irq_layout_parse(const char *s, struct irq_layout *out, char *err, size_t err_bytes);

#endif
