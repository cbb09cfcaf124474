/*
 * Which guest instructions mean something to the plugin: commands hidden in no-ops, and those
 * that change translations.
 */
#ifndef TOOLS_MODEL_PLUGIN_DECODE_H
#define TOOLS_MODEL_PLUGIN_DECODE_H

#include <stddef.h>
#include <stdint.h>

enum decoded_kind {
    DECODED_NOTHING,
    DECODED_COMMAND,   /* command and argument are set */
    DECODED_TLB_ENTRY, /* drops one translation; which one is not known */
    DECODED_TLB_ALL,   /* drops them all */
};

struct decoded {
    enum decoded_kind kind;
    uint8_t command;
    uint8_t argument;
};

/* One instruction of size bytes. Valid commands only: others are plain no-ops. */
struct decoded decode_x86(const uint8_t *code, size_t size);
struct decoded decode_alpha(const uint8_t *code, size_t size);

#endif
