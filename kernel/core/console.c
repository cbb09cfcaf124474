/*
 * The console: one serial port, and a ring in memory that is always written. See console.h.
 */
#include "core/console.h"

#include "arch.h"
#include "core/cmdline.h"
#include "core/cpu.h"
#include "core/errno.h"
#include "core/kprintf.h"

#include <arch/io.h>
#include <string.h>

#define DEFAULT_PORT "ttyS0"
#define DEFAULT_BAUD 115200
#define UNSET        (MAX_BAUD + 1) /* no ,BAUD: what the port is known to have, or DEFAULT_BAUD */
#define VALUE_MAX    32             /* bytes of console=, its NUL included */
#define MIN_BAUD     50
#define MAX_BAUD     115200 /* what a 16550 clocked at 1.8432 MHz divides down from */

#define NO_SUCH_PORT "no such port; valid are " IO_SERIAL_NAMES " and none"

static char name[64] = "none (not opened yet)";
static const char *complaint; /* about console=, told when the command line is parsed; or NULL */
static bool port_open;

/* Read by gdb and screens; not static, so that gdb finds them by name. */
char console_ring[CONSOLE_RING];
size_t console_ring_total; /* bytes ever written: the next one goes to total % CONSOLE_RING */

static bool at_line_start = true;

/* ---- one CPU at a time --------------------------------------------------------------------- */

/*
 * The longest piece is a panic's backtrace of some 100 lines: at 9600 baud 8 s. A round of waiting
 * takes about 40 ns; 10^9 of them are longer than that, so a holder that is still there is dead.
 */
#define HOLDER_SPINS 1000000000ul

static uint32_t holder; /* CPU number + 1; 0: free */
static unsigned depth;  /* the holder's */
static bool seized;     /* by a panic: nobody else writes any more */

void console_lock(void)
{
    uint32_t me = cpu_id() + 1;
    if (load_once(&holder) != me) {
        /* After a panic has seized the console, the CPU that stands here is about to be stopped. */
        for (unsigned long i = 0; !compare_exchange(&holder, 0, me); i++) {
            if (i >= HOLDER_SPINS && !load_once(&seized)) {
                store_once(&holder,
                           me); /* the log may be mixed up now, which is better than lost */
                depth = 0;
                break;
            }
            cpu_relax();
        }
    }
    depth++;
}

void console_unlock(void)
{
    if (--depth == 0)
        store_release(&holder, 0);
}

void console_seize(void)
{
    store_once(&seized, true);
    store_release(&holder, cpu_id() + 1);
    depth = 1;
}

/* ---- the port ------------------------------------------------------------------------------ */

/* "ttyS0", "ttyS1,9600": false, perhaps with complaint, when it is neither. */
static bool split_value(const char *value, char *port, size_t port_bytes, unsigned *baud)
{
    bool ok;
    uint64_t speed = UNSET;
    const char *rest = parse_item(value, ',', port, port_bytes, &ok);

    if (rest && (parse_u64(rest, 0, MAX_BAUD, &speed) ||
                 (speed && (speed < MIN_BAUD || MAX_BAUD % speed)))) {
        complaint = "the speed divides 115200, or is 0: as it is set";
        return false;
    }
    *baud = (unsigned)speed;
    return ok;
}

static int open_at(const char *port, unsigned baud)
{
    int result = arch_uart_open(port, baud);
    port_open = result == 0;
    if (port_open)
        ksnprintf(name, sizeof(name), "%s,%u", port, baud);
    return result;
}

/* The name becomes that of the port found, where `what` says where to look. */
static int open_port(const char *what, unsigned baud)
{
    char port[VALUE_MAX];
    unsigned known = DEFAULT_BAUD;

    strcpy(port, what);
    int result = arch_uart_find(port, sizeof(port), &known);
    if (!result)
        result = open_at(port, baud == UNSET ? known : baud);
    if (result)
        ksnprintf(name, sizeof(name), "none (%s does not answer)", what);
    return result;
}

/* ttyS0, or else the port that firmware names. */
static int open_auto(unsigned baud)
{
    if (open_at(DEFAULT_PORT, baud == UNSET ? DEFAULT_BAUD : baud) && open_port("spcr", baud))
        strcpy(name, "none (" DEFAULT_PORT " does not answer)");
    return 0;
}

void console_init(const char *cmdline)
{
    char value[VALUE_MAX], port[VALUE_MAX];
    unsigned baud;

    complaint = NULL;
    port_open = false;
    if (!cmdline_early(cmdline, "console", value, sizeof(value))) {
        open_auto(UNSET);
        return;
    }
    if (strcmp(value, "none") == 0) {
        strcpy(name, "none");
        return;
    }
    if (split_value(value, port, sizeof(port), &baud) &&
        (strcmp(port, "auto") ? open_port(port, baud) : open_auto(baud)) != -TT_EINVAL)
        return;
    /* A wrong console= is an error like any other, but it needs a place where it can be read. */
    if (!complaint)
        complaint = NO_SUCH_PORT;
    open_auto(UNSET);
}

void console_write(const char *s, size_t n)
{
    if (!n)
        return;
    console_lock();
    at_line_start = s[n - 1] == '\n';
    for (; n; n--, s++) {
        console_ring[console_ring_total++ % CONSOLE_RING] = *s;
        if (!port_open)
            continue;
        if (*s == '\n')
            arch_uart_putc('\r');
        arch_uart_putc(*s);
    }
    console_unlock();
}

bool console_at_line_start(void)
{
    return at_line_start;
}

const char *console_name(void)
{
    return name;
}

/* console_init has done the work, unless the value was too long for it to see. */
static int parse_console(const struct option *o, const char *value, char *err, size_t err_bytes)
{
    (void)o;
    if (strlen(value) >= VALUE_MAX)
        complaint = NO_SUCH_PORT;
    if (!complaint)
        return 0;
    ksnprintf(err, err_bytes, "%s", complaint);
    return -TT_EINVAL;
}

REGISTER(option, console) = {.name = "console",
                             .grammar = "PORT[,BAUD]|none",
                             .help = "where the log goes (auto): " IO_SERIAL_NAMES,
                             .parse = parse_console};
