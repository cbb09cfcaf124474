/* Provoked traps compared with what was expected. Contract in trap_expect.h. */
#include "core/trap_expect.h"

#include "core/kprintf.h"
#include "core/trap.h"

bool trap_stops(void (*act)(void *), void *arg, struct trap_expected e, char *msg, size_t msg_bytes)
{
    struct trap_info t;

    if (trap_guard(act, arg, &t)) {
        ksnprintf(msg, msg_bytes, "nothing stopped it");
        return false;
    }
    if (t.vector != e.vector) {
        ksnprintf(msg, msg_bytes, "%s (vector %u) instead of vector %u", t.name, t.vector,
                  e.vector);
        return false;
    }
    if (t.kind == TRAP_PAGE_FAULT && (t.address != e.address || t.write != e.write ||
                                      t.exec != e.exec || t.present != e.present)) {
        ksnprintf(msg, msg_bytes, "at %lx instead of %lx; write %d, exec %d, present %d", t.address,
                  e.address, t.write, t.exec, t.present);
        return false;
    }
    return true;
}
