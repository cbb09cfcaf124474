/*
 * The presets. Each seed's says what it repeats; README and tools/seeds.json hold the posted
 * numbers. Where a difference is the result, the coloured policy comes first, so that the others'
 * intervals are differences to it.
 */
#include "lab/preset.h"

REGISTER(preset, demo) = {
    .name = "demo",
    .what = "coloured against buddy and random placement on aged memory",
    .stage = {"run=bandwidth alloc=buddy,random,va age=4:95:50"},
};

/*
 * January 2003, page colouring on a 466 MHz DS10 (MODEL=ds10): bandwidth over the working set,
 * LMbench's L2 column (its 128 kB point is the first point of latency), FFT of 64K and 1M points.
 */
REGISTER(preset, seed002) = {
    .name = "seed002",
    .what = "page colouring on the DS10: bandwidth, latency, FFT (MODEL=ds10)",
    .stage =
        {
            "run=bandwidth,latency alloc=buddy,random,va,posted,bestbin,hier age=off,4:95:50 "
            "page_color=2048,1 reps=3 misses=total",
            "run=fft points=64K,1M alloc=va,buddy,random age=4:95:50 page_color=2048,1 reps=10 "
            "warmup=0 passes=1 misses=total",
        },
};

/* The same announcement's matrix product, 1000 x 1000 doubles on a 512K Athlon (MODEL=k75). */
REGISTER(preset, seed002_matmul) = {
    .name = "seed002_matmul",
    .what = "page colouring on the Athlon: matrix product of order 1000 (MODEL=k75)",
    .stage = {"run=matmul n=1000 alloc=va,buddy age=4:95:50 page_color=512,2 reps=2 warmup=0 "
              "passes=1 misses=total"},
};
