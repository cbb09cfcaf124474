/* Sizes of files. Contract in files.h. */
#include "work/files.h"

/* Files of at most so many times 4 KiB, of 1000: cumulative, from the survey's table. */
static const struct {
    uint16_t blocks, files;
} classes[] = {{1, 723},  {2, 817},   {4, 889},
               {8, 936},  {16, 965},  {32, 981},
               {64, 990}, {128, 995}, {FILE_KIB_MAX / 4, 998}};

#define CLASSES (sizeof classes / sizeof classes[0])

uint32_t file_kib(struct rng *rng)
{
    uint32_t of = rng_below(rng, classes[CLASSES - 1].files), i = 0;
    while (of >= classes[i].files)
        i++;
    uint32_t below = i ? classes[i - 1].blocks : 0;
    return 4 * (below + 1 + rng_below(rng, classes[i].blocks - below));
}
