/*
 * Loads and stores that other CPUs take part in, and what they promise about order.
 *
 * Alpha orders nothing by itself, not even a load through a pointer behind the load of that
 * pointer; x86 orders everything but a store before a later load. What is written here holds on
 * both: each macro names its promise, and a word that two CPUs share is touched by nothing else.
 *
 *     load_once, store_once   one access of the word's width, no order at all
 *     load_acquire            later accesses come after it: reading a flag, a pointer to data
 *     store_release           earlier accesses come before it: setting a flag, publishing a pointer
 *     full_barrier            a store before it is seen before a load behind it is done
 *
 * A device needs more than this: cpu_mb() of <arch/cpu.h>.
 */
#ifndef TT_CORE_ATOMIC_H
#define TT_CORE_ATOMIC_H

#define load_once(p)        __atomic_load_n(p, __ATOMIC_RELAXED)
#define store_once(p, v)    __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define load_acquire(p)     __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define full_barrier()      __atomic_thread_fence(__ATOMIC_SEQ_CST)

/* The value before; acquire and release at once. */
#define fetch_add(p, v) __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL)
#define fetch_or(p, v)  __atomic_fetch_or(p, v, __ATOMIC_ACQ_REL)
#define fetch_and(p, v) __atomic_fetch_and(p, v, __ATOMIC_ACQ_REL)
#define exchange(p, v)  __atomic_exchange_n(p, v, __ATOMIC_ACQ_REL)

/* Sets *p to v if it is old; true if it was. Orders as acquire and release when it succeeds. */
#define compare_exchange(p, old, v)                                                                \
    __extension__({                                                                                \
        __typeof__(*(p)) expected_ = (old);                                                        \
        __atomic_compare_exchange_n(p, &expected_, v, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);      \
    })

#endif
