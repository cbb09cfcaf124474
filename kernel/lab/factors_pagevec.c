/* The factor `pagevec`: capacity, header and place of pagevecs (seed 004). */
#include "core/kprintf.h"
#include "lab/factor.h"

static int level_pagevec(const char *text, struct setup *s, char *err, size_t err_bytes)
{
    return pagevec_layout_parse(text, &s->smp.pagevec, err, err_bytes);
}

static const char *nth_kind(unsigned i)
{
    unsigned n = 0;
    while (n < i && pagevec_kinds[n])
        n++;
    return pagevec_kinds[n] ? pagevec_kinds[n]->name : NULL;
}

static void list_pagevec(void)
{
    for (const struct pagevec_kind *const *k = pagevec_kinds; *k; k++)
        kprintf("#     %-12s %s\n", (*k)->name, (*k)->origin);
}

REGISTER_FACTOR(pagevec, ',', "15u8", "KIND[+OFFSET][,...]|all",
                "pagevecs: entries and header, and where they start in a line", level_pagevec,
                nth_kind, list_pagevec);
