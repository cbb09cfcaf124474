/*
 * For fuzz targets: what must hold after any input, whatever it was. A breach aborts, which
 * libFuzzer reports with the input; so do AddressSanitizer and UndefinedBehaviorSanitizer.
 */
#ifndef TT_FUZZ_H
#define TT_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define must(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fuzz_breach(#condition);                                                               \
        }                                                                                          \
    } while (0)

__attribute__((noreturn)) void fuzz_breach(const char *condition);

/* libFuzzer's entry. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct boot_info;

/* What boot_main does after parsing, then what the kernel does with the map; checks both. */
void fuzz_boot_info(struct boot_info *bi);

#endif
