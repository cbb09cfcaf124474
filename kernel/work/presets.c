/* The presets. Each seed's says what it repeats; README compares the results with the posts. */
#include "lab/preset.h"

REGISTER(preset, demo) = {
    .name = "demo",
    .what = "coloured against buddy and random placement on aged memory",
    .words = "run=bandwidth alloc=buddy,random,va age=4:95:50",
};
