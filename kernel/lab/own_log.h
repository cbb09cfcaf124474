/*
 * own_colors= from the command line to the log: which cache it speaks of, and what came of it.
 */
#ifndef TT_LAB_OWN_LOG_H
#define TT_LAB_OWN_LOG_H

#include <stddef.h>

/*
 * Tells mm/own the colours of the first page_color= level. Without own_colors= a level that this
 * machine cannot have is no error here: the experiments will say so. 0, or -TT_EINVAL with a
 * message. After the command line, before own_init().
 */
int own_log_set_colors(char *err, size_t err_bytes);

/* Records the kernel's own live pages by colour, at the end of a boot: its page tables, stacks and
 * heap are at their largest then. */
void own_log_pages(void);

#endif
