/* Runs the registered self-tests (core/selftest.h). */
#include "lab/selftests.h"

#include "core/ktap.h"
#include "core/panic.h"
#include "core/selftest.h"

void selftests_run(void)
{
    static const enum ktap_verdict verdict[] = {KTAP_OK, KTAP_FAIL, KTAP_SKIP};
    ktap_begin(registered_count(selftest));
    for_each_registered (selftest, t) {
        char why[160] = "";
        panic_context("selftest %s", t->name);
        enum selftest_verdict v = t->run(why, sizeof why);
        ktap_result(verdict[v], t->name, v == SELFTEST_OK ? NULL : "%s", why);
    }
    panic_context("%s", "");
    unsigned failed = ktap_end();
    ktap_result(failed ? KTAP_FAIL : KTAP_OK, "selftest", failed ? "%u failed" : NULL, failed);
}
