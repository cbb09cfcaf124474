/*
 * zlib's CRC-32 (reflected polynomial 0xedb88320, initial value and final XOR of all ones).
 *
 * Four bits at a time: a line of 512 bytes costs some 2,000 operations, nothing beside the time
 * that it takes on a serial line, and the table is 64 bytes instead of 1,024: entry i is i shifted
 * out bit by bit through the polynomial.
 */
#include "core/record.h"

uint32_t crc32_zlib(uint32_t crc, const void *data, size_t n)
{
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    const unsigned char *p = data;

    crc = ~crc;
    for (; n; n--, p++) {
        crc = (crc >> 4) ^ table[(crc ^ *p) & 15];
        crc = (crc >> 4) ^ table[(crc ^ (*p >> 4)) & 15];
    }
    return ~crc;
}
