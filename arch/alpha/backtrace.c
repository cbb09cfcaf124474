/*
 * Backtraces by reading prologues: there is no chain of frame pointers on Alpha, but the calling
 * standard fixes what a function's first instructions look like (lda sp,-N(sp); stq ra,M(sp)), and
 * the symbol table says where it begins.
 *
 * Called from panic, possibly with a damaged stack: only words inside the image's RAM that are
 * aligned are read, the stack pointer must move upwards, and what is no text address ends it.
 */
#include "arch.h"
#include "core/symbols.h"
#include "frame.h"

#include <arch/boot.h>
#include <string.h>

/* Upper halves of instructions whose lower half is the displacement. */
#define LDA_SP_SP 0x23de /* lda sp, d(sp) */
#define STQ_RA_SP 0xb75e /* stq ra, d(sp) */

/* The compiler schedules other instructions in between; none of ours is longer. */
#define PROLOGUE_WORDS 64

struct cursor {
    uintptr_t pc, sp;
    uintptr_t ra; /* register, for the function that was interrupted; else 0 */
};

static bool in_text(uintptr_t pc)
{
    return pc >= (uintptr_t)__text_start && pc < (uintptr_t)__text_end && pc % 4 == 0;
}

static bool read_word(uintptr_t va, uintptr_t *word)
{
    if (va % sizeof(*word) || arch_space_lookup(NULL, va, NULL).a == PHYS_NONE.a)
        return false;
    *word = *(const uintptr_t *)va;
    return true;
}

/*
 * From a place in a function to the place that it returns to: what its prologue has done before pc
 * is undone. False at the end of the way.
 */
static bool step(struct cursor *c)
{
    uintptr_t offset, saved = c->ra;
    uintptr_t frame = 0;

    if (!symbol_of(c->pc, &offset))
        return false;

    const uint32_t *code = (const uint32_t *)(c->pc - offset);
    size_t words = offset / sizeof(*code);
    bool saved_found = c->ra != 0;

    for (size_t i = 0; i < words && i < PROLOGUE_WORDS; i++) {
        int16_t d = (int16_t)code[i];

        if (code[i] >> 16 == LDA_SP_SP && d < 0 && !frame)
            frame = (uintptr_t)-d;
        else if (code[i] >> 16 == STQ_RA_SP && frame) {
            saved_found = read_word(c->sp + (uintptr_t)d, &saved);
            break;
        }
    }
    if (!saved_found || !in_text(saved) || (!frame && !c->ra))
        return false;
    *c = (struct cursor){saved, c->sp + frame, 0};
    return true;
}

/* Division helpers (divide.S) return through t9 and trap before they touch the stack. */
static bool in_division(uintptr_t pc)
{
    const char *name = symbol_of(pc, NULL);

    return name && (strncmp(name, "__div", 5) == 0 || strncmp(name, "__rem", 5) == 0);
}

unsigned arch_backtrace(const struct trap_frame *f, uintptr_t *pc, unsigned max)
{
    struct cursor c = {0};
    unsigned n = 0;

    if (f) {
        c = (struct cursor){f->pal.pc, f->sp, f->r19[26 - 19]};
        if (n < max)
            pc[n++] = c.pc;
        if (in_division(c.pc)) {
            c.pc = f->r19[23 - 19];
            c.sp += 16; /* where a0 was kept around gentrap */
            if (n < max)
                pc[n++] = c.pc;
        } else if (!in_text(c.pc) && in_text(c.ra)) {
            c = (struct cursor){c.ra, c.sp, 0}; /* a jump to nowhere */
            if (n < max)
                pc[n++] = c.pc;
        }
    } else {
        __asm__ volatile("br %0, 1f\n1:\tmov $30, %1" : "=r"(c.pc), "=r"(c.sp));
    }
    while (n < max && step(&c))
        pc[n++] = c.pc;
    return n;
}
