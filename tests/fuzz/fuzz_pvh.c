/* PVH start info in a memory of pieces (tests/unit/sparse_memory.h), then the map made of it. */
#include "fuzz.h"

#include "boot.h"
#include "sparse_memory.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct boot_info bi;

    memset(&bi, 0, sizeof bi);
    pvh_parse(&bi, sparse_load(data, bytes));
    sparse_clear();
    fuzz_boot_info(&bi);
    return 0;
}
