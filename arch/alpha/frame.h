/*
 * The frame that trap_entry.S builds on the interrupted stack, lowest address first.
 *
 * The last six words are PALcode's. On return the stubs load every register from here and leave
 * with the PALcode frame that ends at sp, so what sp points behind decides where rti goes.
 */
#ifndef ALPHA_FRAME_H
#define ALPHA_FRAME_H

#define FRAME_R0    0
#define FRAME_R19   128
#define FRAME_SP    208
#define FRAME_ENTRY 216
#define FRAME_ARG   224
#define FRAME_BYTES 256 /* without PALcode's part */
#define PAL_BYTES   48

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

/* What PALcode pushes, and rti takes back. */
struct pal_frame {
    uint64_t ps, pc, gp, r16, r17, r18;
};

struct trap_frame {
    uint64_t r0[16];  /* r0 to r15 */
    uint64_t r19[10]; /* r19 to r28 */
    uint64_t sp;      /* before the trap */
    uint64_t entry;   /* ENT_* */
    uint64_t arg[3];  /* what PALcode says about it: a0 to a2 at entry */
    uint64_t pad;
    struct pal_frame pal;
};

_Static_assert(offsetof(struct trap_frame, r19) == FRAME_R19, "trap_entry.S");
_Static_assert(offsetof(struct trap_frame, sp) == FRAME_SP, "trap_entry.S");
_Static_assert(offsetof(struct trap_frame, entry) == FRAME_ENTRY, "trap_entry.S");
_Static_assert(offsetof(struct trap_frame, arg) == FRAME_ARG, "trap_entry.S");
_Static_assert(offsetof(struct trap_frame, pal) == FRAME_BYTES, "trap_entry.S");
_Static_assert(sizeof(struct pal_frame) == PAL_BYTES, "trap_entry.S");
_Static_assert(sizeof(struct trap_frame) % 16 == 0, "C is entered with an aligned stack");

#endif
#endif
