/* How much code a profile covers; linker.ld refuses a kernel with more. Plain numbers only. */
#ifndef TT_PERF_PROFILE_TEXT_H
#define TT_PERF_PROFILE_TEXT_H

#define PROFILE_TEXT_BYTES 0x80000

#endif
