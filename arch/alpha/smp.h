/* Starting and stopping other processors (arch.h), and what else of the port asks about it. */
#ifndef ALPHA_SMP_H
#define ALPHA_SMP_H

#include <stdbool.h>

/* Is this a machine whose chipset we know (tsunami.h)? */
bool chipset_known(void);

/* Has arch_cpus_stop been called? */
bool cpu_stop_asked(void);

#endif
