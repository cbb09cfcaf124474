/* Colour maps modulo N, by XOR masks and by table, and their naive twin. Contract in color.h. */
#include "mm/color.h"

#include "core/panic.h"

#include <string.h>

void color_map_modulo(struct color_map *m, uint32_t colors)
{
    check(1, colors >= 1 && colors <= COLORS_MAX);
    memset(m, 0, sizeof *m);
    unsigned t = (unsigned)__builtin_ctz(colors);
    m->kind = COLOR_MODULO;
    m->colors = colors;
    m->mask = is_power_of_two(colors) ? colors - 1 : COLOR_NO_MASK;
    m->max_order = MAX_ORDER;
    for (unsigned k = 0; k <= MAX_ORDER; k++) {
        m->shift[k] = (uint8_t)(k < t ? k : t);
        m->classes[k] = colors >> m->shift[k];
        m->interval[k] = k > t && m->classes[k] > 1;
    }
}

/* ---- xor ---------------------------------------------------------------------------------------
 *
 * Column j of M is the value that address bit j adds. Taking the columns of the frame number from
 * the lowest up, a column that is independent of the in-page columns and of those before it
 * becomes the next colour bit. So the low k bits of the frame number reach exactly the lowest
 * rank(k) colour bits, and a block of order k has one colour >> rank(k).
 */

static uint32_t column(const uint64_t *masks, unsigned n, unsigned bit)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v |= (uint32_t)(masks[i] >> bit & 1) << i;
    return v;
}

/* Subtracts what the known vectors account for, and collects its colour; returns what is left. */
static uint32_t reduce(const struct color_map *m, uint32_t v, color_t *color)
{
    for (unsigned i = 0; i < m->vectors; i++) {
        uint32_t lead = 31 - (uint32_t)__builtin_clz(m->vector[i].value);
        if (v >> lead & 1) {
            v ^= m->vector[i].value;
            *color ^= m->vector[i].color;
        }
    }
    return v;
}

bool color_map_xor(struct color_map *m, const uint64_t *masks, unsigned n)
{
    check(1, n <= COLOR_MASKS_MAX);
    memset(m, 0, sizeof *m);
    m->kind = COLOR_XOR;
    m->mask = COLOR_NO_MASK;
    m->max_order = MAX_ORDER;
    m->masks = n;
    memcpy(m->given, masks, n * sizeof *masks);
    for (unsigned bit = 0; bit < PAGE_SHIFT; bit++) {
        color_t none = 0;
        uint32_t rest = reduce(m, column(masks, n, bit), &none);
        if (rest)
            m->vector[m->vectors++] = (struct color_vector){rest, 0};
    }
    for (unsigned bit = 0; bit < 64 - PAGE_SHIFT; bit++) {
        if (bit <= MAX_ORDER)
            m->shift[bit] = (uint8_t)m->bits;
        color_t color = 0;
        uint32_t rest = reduce(m, column(masks, n, bit + PAGE_SHIFT), &color);
        if (rest) {
            if (m->bits == COLOR_BITS_MAX)
                return false;
            color_t own = 1u << m->bits++;
            m->vector[m->vectors++] = (struct color_vector){rest, own ^ color};
            color = own;
        }
        for (unsigned i = 0; i < m->bits; i++)
            m->row[i] |= (uint64_t)(color >> i & 1) << bit;
    }
    m->colors = 1u << m->bits;
    for (unsigned k = 0; k <= MAX_ORDER; k++)
        m->classes[k] = m->colors >> m->shift[k];
    return true;
}

/* ---- table -------------------------------------------------------------------------------------
 */

void color_map_table(struct color_map *m, const color_t *table, pfn_t start, uint32_t colors)
{
    check(1, colors >= 1 && colors <= COLORS_MAX);
    memset(m, 0, sizeof *m);
    m->kind = COLOR_TABLE;
    m->colors = colors;
    m->mask = COLOR_NO_MASK;
    m->table = table;
    m->table_start = start;
    m->classes[0] = colors;
    for (unsigned k = 1; k <= MAX_ORDER; k++) {
        m->shift[k] = COLOR_BITS_MAX; /* one list that stays empty */
        m->classes[k] = 1;
    }
}

/* ---- frame to colour ---------------------------------------------------------------------------
 */

color_t color_of_other(const struct color_map *m, pfn_t p)
{
    if (m->kind == COLOR_MODULO)
        return (color_t)(p.n % m->colors);
    if (m->kind == COLOR_TABLE)
        return m->table[p.n - m->table_start.n];
    color_t c = 0;
    for (unsigned i = 0; i < m->bits; i++)
        c |= (color_t)__builtin_parityll(p.n & m->row[i]) << i;
    return c;
}

/* The value of M x a, one address bit after the other, less what the in-page bits can add. */
static color_t xor_naive(const struct color_map *m, phys_t a)
{
    uint32_t value = 0;
    for (unsigned bit = 0; bit < 64; bit++) {
        if (a.a >> bit & 1)
            value ^= column(m->given, m->masks, bit);
    }
    color_t color = 0;
    reduce(m, value, &color);
    return color;
}

/* From the definition: count whole pages below a, walk round the circle in steps of N. */
color_t color_of_naive(const struct color_map *m, phys_t a)
{
    uint64_t page = a.a / PAGE_SIZE;
    switch (m->kind) {
    case COLOR_XOR:
        return xor_naive(m, a);
    case COLOR_TABLE:
        return m->table[page - m->table_start.n];
    case COLOR_MODULO:
        break;
    }
    return (color_t)(page - page / m->colors * m->colors);
}
