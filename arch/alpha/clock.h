/* The clock interrupt, which keeps the cycle counter's upper half. */
#ifndef ALPHA_CLOCK_H
#define ALPHA_CLOCK_H

/* Starts it, and lets it through. Once, after the trap entries are in place. */
void clock_start(void);

#endif
