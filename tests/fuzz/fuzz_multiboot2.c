/* Multiboot2 information of any content, then the memory map made of it. */
#include "fuzz.h"

#include "boot.h"

#include <string.h>

const void *boot_memory(uint64_t a, uint64_t bytes)
{
    (void)a, (void)bytes;
    fuzz_breach("the parser of Multiboot2 reads only what it is given");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct boot_info bi;
    void *info = malloc(bytes ? bytes : 1); /* aligned, and as long as the input */

    memcpy(info, data, bytes);
    /* A fuzzer finds the right total only by chance: half of the inputs get it for nothing. */
    if (bytes >= 8 && (data[4] & 1))
        memcpy(info, &(uint32_t){(uint32_t)bytes}, 4);
    memset(&bi, 0, sizeof bi);
    multiboot2_parse(&bi, info, bytes);
    free(info);
    fuzz_boot_info(&bi);
    return 0;
}
