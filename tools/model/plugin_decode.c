/*
 * Decoding the few instructions the plugin cares about, at translation time.
 */
#include "tools/model/plugin_decode.h"

#include <stdbool.h>
#include <string.h>

#include "kernel/perf/model_abi.h"

static struct decoded command(uint32_t word)
{
    struct decoded decoded = {DECODED_NOTHING, (uint8_t)(word >> 8), (uint8_t)word};

    if (decoded.command >= MODEL_CMD_ANNOUNCE && decoded.command < 0x80) {
        decoded.kind = DECODED_COMMAND;
    }
    return decoded;
}

static bool is_prefix(uint8_t byte)
{
    return byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3 ||
           byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 ||
           byte == 0x65;
}

struct decoded decode_x86(const uint8_t *code, size_t size)
{
    struct decoded none = {DECODED_NOTHING, 0, 0};
    struct decoded entry = {DECODED_TLB_ENTRY, 0, 0};
    struct decoded all = {DECODED_TLB_ALL, 0, 0};
    size_t i = 0;

    while (i < size && is_prefix(code[i])) {
        i++;
    }
    /* 40-4f is REX if anything follows it: else it is a one-byte inc or dec of 32-bit code */
    if (i + 1 < size && (code[i] & 0xf0) == 0x40) {
        i++;
    }
    if (i + 3 > size || code[i] != 0x0f) {
        return none;
    }
    code += i + 1;
    size -= i + 1;
    switch (code[0]) {
    case 0x1f: /* nopl disp32(%rax) */
        if (size == 6 && code[1] == 0x80 && code[4] == 0x51 && code[5] == 0x50) {
            return command((uint32_t)code[3] << 8 | code[2]);
        }
        return none;
    case 0x22: /* mov to a control register */
        return all;
    case 0x01: /* invlpg: /7 with a memory operand */
        return (code[1] & 0x38) == 0x38 && code[1] < 0xc0 ? entry : none;
    case 0x38: /* invpcid */
        return size >= 3 && code[1] == 0x82 ? all : none;
    default:
        return none;
    }
}

struct decoded decode_alpha(const uint8_t *code, size_t size)
{
    struct decoded decoded = {DECODED_NOTHING, 0, 0};
    uint32_t word;

    if (size != 4) {
        return decoded;
    }
    memcpy(&word, code, 4);
    if (word >> 16 == 0x23ff) { /* lda $31, disp($31) */
        return command(word & 0xffff);
    }
    if (word >> 26 == 0x1d) { /* hw_mtpr, in PALcode: QEMU's numbers of the registers */
        switch (word & 0xffff) {
        case 254: /* TBIS */
            decoded.kind = DECODED_TLB_ENTRY;
            break;
        case 255: /* TBIA */
        case 8:   /* PTBR */
            decoded.kind = DECODED_TLB_ALL;
            break;
        default:
            break;
        }
    }
    return decoded;
}
