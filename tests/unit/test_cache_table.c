/* Hash tables and queues: 10^6 operations against naive arrays, and damage that the checks see. */
#include "host.h"

#include "cache/queue.h"
#include "core/rng.h"

#include <stdlib.h>
#include <string.h>

#define OBJECTS    500
#define BITS       6
#define OPERATIONS 1000000

/* An object has its two pairs of links at odd places, and junk around them. */
#define STRIDE 44

static struct {
    uint8_t objects[OBJECTS * STRIDE] __attribute__((aligned(4)));
    uint32_t head[(1 << BITS) + 2]; /* with a word of junk at both ends */
    struct table table;
    struct queue queue;
    /* the oracle: chains and queue as arrays, newest first and oldest first */
    uint32_t chain[1 << BITS][OBJECTS], length[1 << BITS];
    uint32_t bucket[OBJECTS];
    uint32_t order[OBJECTS], queued;
    bool in_table[OBJECTS], in_queue[OBJECTS];
} t;

#define JUNK 0xa5a5a5a5u

static int set_up(void **state)
{
    struct links chains = links_of(t.objects, STRIDE, 8, 24);
    struct links uses = links_of(t.objects, STRIDE, 36, 16);
    (void)state;
    memset(&t, 0, sizeof t);
    memset(t.objects, 0xa5, sizeof t.objects);
    t.head[0] = t.head[(1 << BITS) + 1] = JUNK;
    table_init(&t.table, BITS, &chains, t.head + 1);
    queue_init(&t.queue, &uses);
    return 0;
}

static void take_out(uint32_t *array, uint32_t *n, uint32_t nr)
{
    uint32_t i = 0;
    while (array[i] != nr)
        i++;
    memmove(array + i, array + i + 1, (--*n - i) * sizeof *array);
}

static uint32_t bucket_of(const void *arg, uint32_t nr)
{
    (void)arg;
    return t.bucket[nr];
}

static void compare(void)
{
    const char *broken = table_check(&t.table, OBJECTS, bucket_of, NULL);
    if (!broken)
        broken = queue_check(&t.queue, OBJECTS);
    if (broken)
        fail_msg("%s", broken);
    struct table_shape naive = {0}, shape = table_shape(&t.table);
    for (uint32_t b = 0; b < 1 << BITS; b++) {
        uint32_t i = 0;
        for_each_in_chain(&t.table, b, nr) assert_int_equal(nr, t.chain[b][i++]);
        assert_int_equal(i, t.length[b]);
        naive.used += i > 0;
        naive.longest = i > naive.longest ? i : naive.longest;
        naive.probes += i * (i + 1) / 2;
    }
    assert_memory_equal(&naive, &shape, sizeof naive);
    uint32_t at = t.queue.first;
    for (uint32_t i = 0; i < t.queued; i++, at = *links_next(&t.queue.links, at))
        assert_int_equal(at, t.order[i]);
    assert_int_equal(t.queue.count, t.queued);
    assert_int_equal(t.head[0], JUNK);
    assert_int_equal(t.head[(1 << BITS) + 1], JUNK);
    for (uint32_t nr = 0; nr < OBJECTS; nr++) {
        for (unsigned field = 0; field < STRIDE; field += 4) {
            if (field != 8 && field != 24 && field != 36 && field != 16)
                assert_int_equal(*(uint32_t *)(t.objects + nr * STRIDE + field), JUNK);
        }
    }
}

static void table_step(struct rng *rng, uint32_t nr)
{
    if (t.in_table[nr]) {
        uint32_t b = t.bucket[nr];
        table_remove(&t.table, nr);
        take_out(t.chain[b], &t.length[b], nr);
    } else {
        uint32_t b = t.bucket[nr] = rng_below(rng, 1 << BITS);
        table_insert(&t.table, b, nr);
        memmove(t.chain[b] + 1, t.chain[b], t.length[b]++ * sizeof(uint32_t));
        t.chain[b][0] = nr;
    }
    t.in_table[nr] = !t.in_table[nr];
}

static void queue_step(struct rng *rng, uint32_t nr)
{
    if (!t.in_queue[nr]) {
        queue_add(&t.queue, nr);
        t.order[t.queued++] = nr;
        t.in_queue[nr] = true;
    } else if (rng_below(rng, 4)) {
        queue_touch(&t.queue, nr);
        take_out(t.order, &t.queued, nr);
        t.order[t.queued++] = nr;
    } else {
        queue_remove(&t.queue, nr);
        take_out(t.order, &t.queued, nr);
        t.in_queue[nr] = false;
    }
}

static void operations_against_the_oracle(void **state)
{
    struct rng rng = {5};
    (void)state;
    uint32_t range = OBJECTS;
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        if (i % 1000 == 0) { /* also a few objects again and again: empty queues, short chains */
            compare();
            range = rng_below(&rng, 2) ? OBJECTS : 3;
        }
        uint32_t nr = rng_below(&rng, range);
        if (rng_below(&rng, 2))
            table_step(&rng, nr);
        else
            queue_step(&rng, nr);
    }
    for (uint32_t nr = 0; nr < OBJECTS; nr++) {
        if (t.in_table[nr])
            table_step(&rng, nr);
        while (t.in_queue[nr])
            queue_step(&rng, nr);
    }
    compare();
    assert_int_equal(t.table.count + t.queue.count, 0);
}

static void wrong_calls_panic(void **state)
{
    (void)state;
    assert_panics(table_insert(&t.table, 1 << BITS, 1), "bucket");
    assert_panics(table_insert(&t.table, 0, TABLE_BUCKET), "TABLE_BUCKET");
}

#define SEES(check, text)                                                                          \
    do {                                                                                           \
        const char *broken_ = check;                                                               \
        assert_non_null(broken_);                                                                  \
        assert_non_null(strstr(broken_, text));                                                    \
    } while (0)

#define TABLE_CHECK table_check(&t.table, OBJECTS, bucket_of, NULL)

static void the_check_of_a_table_sees_damage(void **state)
{
    (void)state;
    for (uint32_t nr = 0; nr < 8; nr++)
        table_insert(&t.table, t.bucket[nr] = nr % 2, nr);
    assert_null(TABLE_CHECK);
    t.table.count++;
    SEES(TABLE_CHECK, "fewer");
    t.table.count -= 2;
    SEES(TABLE_CHECK, "more objects");
    t.table.count++;
    *links_prev(&t.table.links, 4) = 2;
    SEES(TABLE_CHECK, "point back");
    *links_prev(&t.table.links, 4) = 6;
    t.bucket[2] = 1;
    SEES(TABLE_CHECK, "another one's bucket");
    t.bucket[2] = 0;
    *links_next(&t.table.links, 2) = OBJECTS;
    SEES(TABLE_CHECK, "nowhere");
    *links_next(&t.table.links, 2) = 0;
    assert_null(TABLE_CHECK);
}

static void the_check_of_a_queue_sees_damage(void **state)
{
    (void)state;
    for (uint32_t nr = 0; nr < 5; nr++)
        queue_add(&t.queue, nr);
    assert_null(queue_check(&t.queue, OBJECTS));
    t.queue.count++;
    SEES(queue_check(&t.queue, OBJECTS), "shorter");
    t.queue.count -= 2;
    SEES(queue_check(&t.queue, OBJECTS), "longer");
    t.queue.count++;
    *links_prev(&t.queue.links, 3) = 1;
    SEES(queue_check(&t.queue, OBJECTS), "point back");
    *links_prev(&t.queue.links, 3) = 2;
    *links_next(&t.queue.links, 3) = OBJECTS;
    SEES(queue_check(&t.queue, OBJECTS), "nowhere");
    *links_next(&t.queue.links, 3) = 4;
    assert_null(queue_check(&t.queue, OBJECTS));
    t.queue.first = TABLE_NONE;
    SEES(queue_check(&t.queue, OBJECTS), "counted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(operations_against_the_oracle, set_up),
        cmocka_unit_test_setup(wrong_calls_panic, set_up),
        cmocka_unit_test_setup(the_check_of_a_table_sees_damage, set_up),
        cmocka_unit_test_setup(the_check_of_a_queue_sees_damage, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
