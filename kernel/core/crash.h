/*
 * Deliberate crashes, for the tests of panic (crash=panic|null|text|div|stack).
 */
#ifndef TT_CORE_CRASH_H
#define TT_CORE_CRASH_H

/* Crashes the way that crash= says; returns when it was not given. After the boot records. */
void crash_now(void);

#endif
