/* The trap path: its entry points for PALcode, and how vectors are numbered. */
#ifndef ALPHA_TRAP_H
#define ALPHA_TRAP_H

struct trap_frame;

/* trap_info.vector: which entry of PALcode (ENT_*), and what it says within that entry. */
#define TRAP_VECTOR(entry, code) ((unsigned)(entry)*16 + (unsigned)(code) % 16)

/* Hands PALcode our entry points. Once, before anything may trap. */
void trap_init(void);

/* trap_entry.S */
void trap_set_gp(void);
void trap_interrupt(void);
void trap_arith(void);
void trap_mm(void);
void trap_if(void);
void trap_una(void);
void trap_sys(void);
void trap_int(void);

void trap_enter(struct trap_frame *f);

#endif
