/* The reference clocks of a PC; each probe fills *r and returns true when the clock runs here. */
#ifndef X86_REF_CLOCKS_H
#define X86_REF_CLOCKS_H

#include "core/ref_clock.h"

bool acpi_pm_probe(struct arch_ref_clock *r);
bool hpet_probe(struct arch_ref_clock *r);

#endif
