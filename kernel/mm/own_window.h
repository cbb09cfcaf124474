/* The own window: addresses for own memory whose frames do not follow each other. For own.c. */
#ifndef TT_MM_OWN_WINDOW_H
#define TT_MM_OWN_WINDOW_H

#include "mm/own.h"

/* Nothing is handed out yet. */
void window_init_empty(void);

/* As own_array() and own_sbrk(), whose way with own_colors= they are. */
void *window_array(size_t bytes);
void *window_sbrk(ptrdiff_t delta);

/* own.c's: so many pages were asked for, and are not there. */
void own_refuse(uint64_t pages);

#endif
