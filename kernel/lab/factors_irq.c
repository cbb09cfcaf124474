/* The factor `irq_desc`: stride and offset of the interrupt descriptors (seed 000's irq patch). */
#include "core/errno.h"
#include "irq/irq.h"
#include "lab/factor.h"

static int level_irq_desc(const char *text, struct setup *s, char *err, size_t err_bytes)
{
    struct irq_layout l;
    int bad = irq_layout_parse(text, &l, err, err_bytes);
    if (!bad) {
        s->smp.irq_stride_bytes = l.stride_bytes;
        s->smp.irq_offset_bytes = l.offset_bytes;
    }
    return bad;
}

REGISTER_FACTOR(irq_desc, ',', "16", "16|32|64|128[+OFFSET][,...]",
                "interrupt descriptors: stride and offset in bytes", level_irq_desc, NULL, NULL);
