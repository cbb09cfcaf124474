/*
 * Self-tests: small named checks that run on the target (run=selftest), one record each.
 */
#ifndef TT_CORE_SELFTEST_H
#define TT_CORE_SELFTEST_H

#include "core/registry.h"

#include <stddef.h>

enum selftest_verdict { SELFTEST_OK, SELFTEST_FAIL, SELFTEST_SKIP };

struct selftest {
    const char *name;
    const char *proves; /* one line: what a pass means */
    /* Says why in msg for FAIL and SKIP. */
    enum selftest_verdict (*run)(char *msg, size_t msg_bytes);
};
DECLARE_REGISTRY(selftest);

#endif
