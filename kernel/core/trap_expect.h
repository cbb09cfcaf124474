/*
 * Self-tests that provoke a trap and say exactly which one has to come. The ports' fault tests
 * call it.
 */
#ifndef TT_CORE_TRAP_EXPECT_H
#define TT_CORE_TRAP_EXPECT_H

#include "core/types.h"

/* What the trap has to look like. */
struct trap_expected {
    unsigned vector;   /* the port's own number */
    uintptr_t address; /* this and the rest: compared for page faults only */
    bool write, exec, present;
};

/* Runs act(arg), which must end in the trap e; what came instead goes to msg. */
bool trap_stops(void (*act)(void *), void *arg, struct trap_expected e, char *msg,
                size_t msg_bytes);

#endif
