/* Measuring counters against each other. Contract in cpu_offset.h. */
#include "core/cpu_offset.h"

#include "core/cpu.h"
#include "core/errno.h"
#include "core/record.h"

/* Of some 0.2 us each on hardware; the smallest distance settles within some dozens. */
#define EXCHANGES 200

/* An exchange takes thousands of cycles in an emulator; this many have stopped. */
#define ANSWER_SPINS 10000000ul

/* The two words are written by one side each; a line of its own for each. */
static struct {
    uint32_t asked __attribute__((aligned(LINE_BYTES)));    /* number of the exchange, from 1 */
    uint32_t answered __attribute__((aligned(LINE_BYTES))); /* the same, when `stamp` is there */
    uint64_t stamp;
} ball;

static bool wait_for(uint32_t *word, uint32_t value)
{
    for (unsigned long i = 0; i < ANSWER_SPINS; i++) {
        if (load_acquire(word) == value)
            return true;
        cpu_relax();
    }
    return false;
}

static void answer(void *arg)
{
    (void)arg;
    for (uint32_t n = 1; n <= EXCHANGES; n++) {
        if (!wait_for(&ball.asked, n))
            return;
        ball.stamp = cpu_cycles();
        store_release(&ball.answered, n);
    }
}

static bool exchange_all(struct cpu_offset *out)
{
    uint64_t shortest = UINT64_MAX;
    for (uint32_t n = 1; n <= EXCHANGES; n++) {
        uint64_t before = cpu_cycles();
        store_release(&ball.asked, n);
        if (!wait_for(&ball.answered, n))
            return false;
        uint64_t after = cpu_cycles();
        if (after - before < shortest) {
            shortest = after - before;
            out->cycles = (int64_t)(ball.stamp - (before + shortest / 2));
            out->error = (shortest + 1) / 2;
        }
    }
    return true;
}

int cpu_offset_measure(unsigned id, struct cpu_offset *out)
{
    char why[8];
    store_once(&ball.asked, 0);
    store_once(&ball.answered, 0);
    int bad = cpu_start_call(id, answer, NULL);
    if (bad)
        return bad;
    bool done = exchange_all(out);
    bad = cpu_wait_call(id, CPUS_RUN_CYCLES, why, sizeof why);
    return bad || done ? bad : -TT_ETIMEDOUT;
}

void cpu_offset_log(void)
{
    for (unsigned id = 1; id < cpus_running(); id++) {
        struct cpu_offset o;
        struct record r;
        int bad = cpu_offset_measure(id, &o);
        record_begin(&r, "machine");
        record_str(&r, "what", "offset");
        record_u64(&r, "cpu", id);
        if (bad) {
            record_null(&r, "cycles");
        } else {
            record_i64(&r, "cycles", o.cycles);
            record_u64(&r, "error", o.error);
        }
        record_end(&r);
    }
}
