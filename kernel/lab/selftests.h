/* run=selftest: every registered self-test as a nested KTAP test. */
#ifndef TT_LAB_SELFTESTS_H
#define TT_LAB_SELFTESTS_H

void selftests_run(void);

#endif
