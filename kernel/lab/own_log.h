/*
 * own_colors= from the command line to the log: which cache it speaks of, and what came of it.
 */
#ifndef TT_LAB_OWN_LOG_H
#define TT_LAB_OWN_LOG_H

#include <stddef.h>

struct arch_space;

/*
 * Tells mm/own the colours of the first page_color= level. A preset's stages must agree on that
 * one: own memory is taken once, before the first of them. Without own_colors= nothing here is an
 * error: the experiments will say so. 0, or -TT_EINVAL with a message. After the command line,
 * before own_init().
 */
int own_log_set_colors(const char *cmdline, char *err, size_t err_bytes);

/*
 * With own_colors=: finds every page of own memory by a walk of the page tables (a sample's space
 * included, NULL: none) and its colour by the map's naive definition, and remembers what it saw.
 * NULL, or what is wrong: a page of a colour that was not allowed.
 */
const char *own_log_check(const struct arch_space *s);

/* Writes what the last check of an experiment saw. */
void own_log_experiment(const char *experiment);

/*
 * Records the kernel's own live pages by colour, with own_colors= also of each kind, at the end of
 * a boot: its page tables, stacks and heap are at their largest then. And the pages of the image,
 * which own_colors= cannot move, and which no boot has to wait for before it measures.
 */
void own_log_pages(void);

#endif
