/* The phases of the workload `faults`: touching, forking, unmapping. Contract in faults_run.h. */
#include "core/trap.h"
#include "work/faults_run.h"

#include <arch/cpu.h>

/* Different for all touches of a pass that write the same page. */
static uint32_t value_of(struct faults_run *f, const struct touch *t)
{
    return (t->page * FAULTS_SPACES + t->space + 1) * 0x9e3779b1u + (uint32_t)f->oracle.copies;
}

static void touch_all(void *arg)
{
    struct faults_run *f = arg;
    unsigned current = FAULTS_SPACES;
    for (uint32_t i = 0; i < f->touches; i++) {
        const struct touch *t = &f->touch[i];
        if (t->space != current) {
            current = t->space;
            vm_switch(&f->space[current]);
        }
        if (t->write)
            *faults_word(t->page, f->word) = f->order[i];
        else
            (void)*faults_word(t->page, f->word);
    }
}

/*
 * Runs the touches of a phase, timed; -1: failed, or full. Phases alternate in the word they write,
 * so that a copy must bring the other along.
 */
static int phase(struct faults_run *f, const struct touch_plan plan[FAULTS_SPACES])
{
    struct trap_info trap;
    struct lab_interval i;
    f->word ^= 1;
    f->touches = faults_interleave(plan, &f->rng, f->touch, f->order);
    for (uint32_t t = 0; t < f->touches; t++) { /* `order` has served: now the values written */
        f->order[t] = value_of(f, &f->touch[t]);
        oracle_touch(&f->oracle, &f->touch[t], f->word, f->order[t]);
    }
    uint64_t traps = trap_count(TRAP_PAGE_FAULT), faults = FAULTS_SUM(f, faults);
    lab_start(&i);
    bool ended = trap_guard(touch_all, f, &trap);
    lab_stop(&i);
    compiler_barrier(); /* faults count where the compiler sees no call */
    vm_switch(NULL);
    if (!ended) {
        f->full = FAULTS_SUM(f, no_memory) > 0;
        return f->full ? -1 : lab_fail(f->s, "exception: %s at %#lx", trap.name, trap.address);
    }
    lab_add(&f->time, &i);
    faults = FAULTS_SUM(f, faults) - faults;
    f->faults += faults;
    if (trap_count(TRAP_PAGE_FAULT) - traps != faults)
        return lab_fail(f->s, "%llu page faults taken, %llu handled",
                        (unsigned long long)(trap_count(TRAP_PAGE_FAULT) - traps),
                        (unsigned long long)faults);
    return 0;
}

static int create(struct faults_run *f, unsigned number)
{
    if (vm_create(&f->space[number], lab_memory(f->s), number, number + 1))
        return lab_fail(f->s, "no memory left for an address space");
    f->space[number].trace = f->trace;
    f->spaces = number + 1;
    return 0;
}

static int map(struct faults_run *f, unsigned number, uint32_t first, uint32_t end)
{
    struct vm_area a = {faults_address(first), faults_address(end), PROT_R | PROT_W, 0, true};
    int bad = vm_map(&f->space[number], &a);
    return bad ? lab_fail(f->s, "vm_map: error %d", bad) : 0;
}

static int fill(struct faults_run *f)
{
    for (unsigned i = 0; i < 2; i++) {
        if (create(f, i) || map(f, i, 0, f->pages))
            return -1;
    }
    const struct touch_plan plan[FAULTS_SPACES] = {{0, f->pages, 100, 75}, {0, f->pages, 100, 75}};
    return phase(f, plan);
}

static int fork_and_write(struct faults_run *f)
{
    struct touch_plan plan[FAULTS_SPACES];
    for (unsigned i = 0; i < 2; i++) {
        if (create(f, 2 + i))
            return -1;
        if (vm_copy(&f->space[2 + i], &f->space[i]))
            return lab_fail(f->s, "no memory left for the page tables of a fork");
        oracle_fork(&f->oracle, 2 + i, i);
    }
    for (unsigned i = 0; i < FAULTS_SPACES; i++)
        plan[i] = (struct touch_plan){0, f->pages, 50, 100};
    return phase(f, plan);
}

static int unmap_and_protect(struct faults_run *f)
{
    uint32_t quarter = f->pages / 4, half = f->pages / 2;
    if (!quarter)
        return 0;
    int bad = vm_unmap(&f->space[2], faults_address(0), faults_address(quarter));
    if (!bad)
        bad = vm_protect(&f->space[0], faults_address(half), faults_address(f->pages), PROT_R);
    if (!bad)
        bad = vm_protect(&f->space[0], faults_address(half), faults_address(f->pages),
                         PROT_R | PROT_W);
    if (bad)
        return lab_fail(f->s, "unmapping or protecting: error %d", bad);
    oracle_unmap(&f->oracle, 2, 0, quarter);
    oracle_protect(&f->oracle, 0, half, f->pages);
    const struct touch_plan plan[FAULTS_SPACES] = {
        [0] = {half, f->pages, 100, 100}, [2] = {0, quarter, 100, 0}};
    return map(f, 2, 0, quarter) ? -1 : phase(f, plan);
}

int faults_phases(struct faults_run *f)
{
    return fill(f) || fork_and_write(f) || unmap_and_protect(f) ? -1 : 0;
}
