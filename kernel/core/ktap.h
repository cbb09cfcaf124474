/*
 * KTAP version 1 on the console: a verdict per experiment and self-test.
 *
 *     KTAP version 1
 *     1..2
 *       KTAP version 1        (nested: two spaces, own version line and plan)
 *       1..3
 *       ok 1 wx
 *       ok 2 red_zone # SKIP reason
 *       not ok 3 poison # message
 *     ok 1 selftest
 *     not ok 2 bandwidth # colour count differs
 *
 * An expected failure prints `ok ... # XFAIL reason`. Levels nest up to KTAP_DEPTH. Names and
 * reasons lose their '#', and a reason that begins like a directive ("skip", "todo") gets a word in
 * front: TAP consumers would take a failure with such a text for a skipped test.
 */
#ifndef TT_CORE_KTAP_H
#define TT_CORE_KTAP_H

#define KTAP_DEPTH 4

enum ktap_verdict { KTAP_OK, KTAP_FAIL, KTAP_SKIP, KTAP_XFAIL };

/* Opens a level of `plan` tests (0: unknown yet, plan printed at the end). */
void ktap_begin(unsigned plan);

/* Reports one test; reason is NULL or one line (required for FAIL, SKIP and XFAIL). */
__attribute__((format(printf, 3, 4))) void ktap_result(enum ktap_verdict v, const char *name,
                                                       const char *reason, ...);

/* Closes the level; returns how many of its tests failed. Missing tests of the plan count. */
unsigned ktap_end(void);

/*
 * Totals over all levels so far, for the end record: leaves only. A parent (the result that
 * follows a ktap_end) is counted only when it fails although none of its own tests did. An
 * expected failure counts as passed, a test that the plan promised and nobody reported as failed.
 */
struct ktap_totals {
    unsigned passed, failed, skipped;
};
struct ktap_totals ktap_totals(void);

#endif
