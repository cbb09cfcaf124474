/*
 * Audit of page tables: walks every entry of a root and counts the translations that break the
 * rules the kernel promises (see audit.c). Used by the self-test `wx`; needs no memory.
 */
#ifndef X86_AUDIT_H
#define X86_AUDIT_H

#include "core/types.h"

struct audit {
    uint64_t leaves;   /* translations seen */
    uint64_t offences; /* of those, how many break a rule */
    uintptr_t first;   /* virtual address of the first offence */
    const char *why;   /* which rule it breaks; NULL: none */
};

struct audit audit_tables(phys_t root);

#endif
