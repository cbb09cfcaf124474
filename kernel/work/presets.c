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

/*
 * The same announcement's matrix product, 1000 x 1000 doubles on a 512K Athlon (MODEL=k75). An
 * eighth of the rows, so that there is time for five placements: a whole product takes four
 * minutes.
 */
REGISTER(preset, seed002_matmul) = {
    .name = "seed002_matmul",
    .what = "page colouring on the Athlon: matrix product of order 1000 (MODEL=k75)",
    .stage = {"run=matmul n=1000 rows=eighth alloc=va,buddy age=4:95:50 page_color=512,2 "
              "reps=5 warmup=0 passes=1 misses=total"},
};

/*
 * April 1999, alignment of page and interrupt descriptors on four Xeons (MODEL=xeon4, SMP=4): the
 * four kernels as four levels, ref, p-al, irq and both, each against ref; CPUs take turns after
 * every operation, and after every eighth.
 */
REGISTER(preset, seed000) = {
    .name = "seed000",
    .what = "page and interrupt descriptors on four Xeons (MODEL=xeon4 SMP=4)",
    .stage =
        {
            "run=pagestruct levels=ref/p-al:page_struct=2.2:48/irq:irq_desc=32/"
            "both:page_struct=2.2:48+irq_desc=32 page_struct=2.2:40 cpus=4 interleave=1,8 reps=10 "
            "warmup=1 passes=2 misses=total",
            "run=irqdesc irq_desc=16,32 cpus=4 interleave=1,8 reps=10 warmup=1 "
            "passes=1 misses=total",
        },
};

/*
 * March 2006, 56 or 64 bytes for a page's descriptor (MODEL=cobra, SMP=2): pages sent by one CPU
 * and completed by the other, and who walks the array how.
 */
REGISTER(preset, seed001) = {
    .name = "seed001",
    .what = "56 or 64 bytes per page between two CPUs (MODEL=cobra SMP=2)",
    .stage =
        {
            "run=txpage page_struct=2.6:56,2.6v:64 tx_irq=other,same cpus=2 interleave=1,4 reps=5 "
            "warmup=1 passes=1 misses=total",
            "run=walk page_struct=2.6:56,2.6v:64,2.6:64 reps=5 warmup=0 passes=1 misses=total",
        },
};

/*
 * May 1999, what 2.2.8 did to the buffer cache and should do, on two Pentium Pros with 128 MB
 * (MODEL=ppro, SMP=2): page hashes by size and by where inodes lie; getblk as 2.2.7 and as 2.2.16
 * had it, with the list alone, the proposed bit, and nothing; how good list and bit are at choosing
 * pages to give up; and the hashes of names, d_lookup being in its profiles. 4000 files are about
 * as many as 2.2 kept inodes for.
 */
REGISTER(preset, seed003) = {
    .name = "seed003",
    .what = "page and buffer hashes, getblk, list or bit, on two Pentium Pros (MODEL=ppro SMP=2)",
    .stage =
        {
            "run=pagehash hash=2.2:11,2.2:13,2.2:14,2.2:15,2.2:16,2.2.16:11,2.2.16:13,2.2.16:14,"
            "2.2.16:15,2.2.16:16,mul:11,mul:13,mul:14,mul:15,mul:16 age=off,4:95:50 cpus=1,2 "
            "page_struct=2.2 files=4000 subject=160M reps=5 warmup=0 passes=1 misses=total",
            "run=getblk levels=2.2.7:lru=list+buffer=flushtime/2.2.16:lru=none+buffer=flushtime/"
            "list:lru=list+buffer=none/bit:lru=referenced+buffer=none/none:lru=none+buffer=none "
            "hash=2.2,mul11 cpus=1,2 interleave=1,8 page_struct=2.2 reps=5 warmup=0 passes=1 "
            "misses=total",
            "run=reclaim lru=list,referenced,none hash=2.2:13 cpus=1,2 page_struct=2.2 reps=10 "
            "warmup=0 passes=4 misses=total",
            "run=names hash=2.2,mul,2.2:14,mul:14,2.2:15,2.2:16,2.2:17 age=off,4:95:50 cpus=2 "
            "page_struct=2.2 reps=5 warmup=0 passes=1 misses=total",
        },
};

/* The same post's other suggestion: a hash of its own for the swap cache. */
REGISTER(preset, seed003_swap) = {
    .name = "seed003_swap",
    .what = "page hashes with a swap cache in the table (MODEL=ppro SMP=2)",
    .stage = {"run=pagehash hash=2.2:11,swap:11,2.2.16:11,mul:11,2.2:14,swap:14,2.2.16:14,mul:14 "
              "swap=quarter,none cpus=2 page_struct=2.2 files=2500 reps=5 warmup=0 passes=1 "
              "misses=total"},
};

/*
 * September 2004, pagevecs of 64 bytes instead of 72 on four Pentium IIIs (MODEL=piii4, SMP=4), and
 * what else was proposed in that thread and later.
 */
REGISTER(preset, seed004) = {
    .name = "seed004",
    .what = "pagevecs on four Pentium IIIs (MODEL=piii4 SMP=4)",
    .stage = {"run=pagevec pagevec=16p32,15p32,4,lg,31 page_struct=2.2 cpus=1,4 interleave=1,16 "
              "reps=10 warmup=1 passes=1 misses=total"},
};
