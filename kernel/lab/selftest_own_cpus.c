/* Self-test: the kernel's own pages taken and given back by all CPUs at once, none of them twice.
 */
#include "core/cpu.h"
#include "core/kprintf.h"
#include "core/selftest.h"
#include "mm/own.h"

#define ROUNDS 500
#define HELD   8

static const char *volatile broken;

/* Each page carries its holder's mark while it is held. */
static void churn(void *arg)
{
    uint64_t *page[HELD] = {NULL}, mark = cpu_id() + 1;
    (void)arg;
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t **p = &page[i % HELD];
        if (*p) {
            if (**p != mark)
                broken = "a page was given away twice";
            own_page_free(*p);
        }
        *p = own_page_alloc();
        if (!*p) {
            broken = "no page left";
            break;
        }
        if (**p)
            broken = "a page is not zeroed";
        **p = mark;
        if (i % 16 == 0)
            cpu_relax();
    }
    for (unsigned i = 0; i < HELD; i++)
        if (page[i])
            own_page_free(page[i]);
}

static enum selftest_verdict run(char *msg, size_t msg_bytes)
{
    if (cpus_running() == 1) {
        ksnprintf(msg, msg_bytes, "one CPU runs");
        return SELFTEST_SKIP;
    }
    size_t before = own_usage().used_bytes;
    broken = NULL;
    if (cpus_run(cpus_running(), churn, NULL, msg, msg_bytes))
        return SELFTEST_FAIL;
    if (!broken && own_usage().used_bytes != before)
        broken = "the count of used bytes is not what it was";
    ksnprintf(msg, msg_bytes, "%s", broken ? broken : "");
    return broken ? SELFTEST_FAIL : SELFTEST_OK;
}

REGISTER(selftest, own_cpus) = {
    .name = "own_cpus",
    .proves = "own pages taken and given back by all CPUs at once are nobody else's",
    .run = run,
};
