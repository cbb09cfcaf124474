/* Judging a pass of the workload `faults`. Contract in faults_run.h. */
#include "work/faults_run.h"

static int check_values(struct faults_run *f, unsigned number)
{
    int bad = 0;
    vm_switch(&f->space[number]);
    for (uint32_t page = 0; !bad && page < f->pages; page++) {
        const uint32_t *expect = oracle_values(&f->oracle, number, page);
        for (unsigned word = 0; expect && word < ORACLE_WORDS; word++) {
            if (*faults_word(page, word) != expect[word])
                bad = lab_fail(f->s, "space %u, page %u, word %u: not what was written there",
                               number, (unsigned)page, word);
        }
    }
    vm_switch(NULL);
    return bad;
}

int faults_check(struct faults_run *f)
{
    if (FAULTS_SUM(f, demand) != f->oracle.demand || FAULTS_SUM(f, copied) != f->oracle.copied ||
        FAULTS_SUM(f, reused) != f->oracle.reused || FAULTS_SUM(f, refused))
        return lab_fail(f->s, "the faults by kind are not those that the accesses ask for");
    for (unsigned i = 0; i < f->spaces; i++) {
        const char *broken = vm_check(&f->space[i]);
        if (broken)
            return lab_fail(f->s, "space %u: %s", i, broken);
        if (check_values(f, i))
            return -1;
    }
    return 0;
}
