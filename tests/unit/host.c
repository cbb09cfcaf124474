/*
 * The host side of the unit tests; see host.h. Linked into every test binary.
 */
#include "host.h"

#include "arch.h"
#include "core/console.h"
#include "core/handover.h"
#include "core/panic.h"
#include "mm/own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEAK __attribute__((weak))

uint64_t (*host_cycles)(void);
void (*host_relax)(void);
_Thread_local unsigned host_cpu;

/* ---- console ------------------------------------------------------------------------------- */

static char *console_text;
static size_t console_used, console_room;

WEAK void console_write(const char *s, size_t n)
{
    if (console_used + n + 1 > console_room) {
        console_room = 2 * (console_used + n + 1);
        console_text = realloc(console_text, console_room);
        if (!console_text)
            abort();
    }
    memcpy(console_text + console_used, s, n);
    console_used += n;
    console_text[console_used] = '\0';
}

WEAK bool console_at_line_start(void)
{
    return console_used == 0 || console_text[console_used - 1] == '\n';
}

WEAK void console_lock(void)
{
}

WEAK void console_unlock(void)
{
}

WEAK void console_seize(void)
{
}

const char *host_console(void)
{
    return console_used ? console_text : "";
}

void host_console_clear(void)
{
    free(console_text);
    console_text = NULL;
    console_used = console_room = 0;
}

/* ---- panic --------------------------------------------------------------------------------- */

bool host_panic_armed;
jmp_buf host_panic_jump;
char host_panic_message[512];

WEAK void panic(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(host_panic_message, sizeof(host_panic_message), fmt, ap);
    va_end(ap);
    if (host_panic_armed)
        longjmp(host_panic_jump, 1);
    fail_msg("unexpected panic: %s", host_panic_message);
    abort();
}

WEAK void panic_context(const char *fmt, ...)
{
    (void)fmt;
}

/* ---- memory -------------------------------------------------------------------------------- */

size_t host_own_limit_pages = SIZE_MAX;
static size_t own_live_pages, own_peak_pages;

static void *own_take(size_t pages, size_t align)
{
    if (pages > host_own_limit_pages || own_live_pages > host_own_limit_pages - pages)
        return NULL;
    void *p = aligned_alloc(align, pages * PAGE_SIZE);
    if (!p)
        return NULL;
    own_live_pages += pages;
    if (own_live_pages > own_peak_pages)
        own_peak_pages = own_live_pages;
    return p;
}

/* Arrays live for the boot by contract, so for the test binary's life: not a leak to report. */
WEAK void *own_array(size_t bytes)
{
    static void *kept[4096];
    static unsigned count;
    size_t pages = (bytes + PAGE_SIZE - 1) / PAGE_SIZE;
    void *p = own_take(pages, PAGE_SIZE);
    if (!p)
        return NULL;
    if (count == ARRAY_SIZE(kept))
        abort();
    kept[count++] = p;
    return memset(p, 0, pages * PAGE_SIZE);
}

WEAK void *own_page_alloc(void)
{
    void *p = own_take(1, PAGE_SIZE);
    if (p)
        memset(p, 0, PAGE_SIZE);
    return p;
}

WEAK void own_page_free(void *page)
{
    own_live_pages--;
    free(page);
}

WEAK struct own_usage own_usage(void)
{
    return (struct own_usage){.used_bytes = own_live_pages * PAGE_SIZE,
                              .peak_bytes = own_peak_pages * PAGE_SIZE};
}

WEAK void *arch_phys_to_virt(phys_t a)
{
    return (void *)(uintptr_t)a.a;
}

WEAK phys_t arch_virt_to_phys(const void *v)
{
    return phys((uintptr_t)v);
}

/* ---- processors ---------------------------------------------------------------------------- */

WEAK unsigned cpus_running(void)
{
    return 1;
}

WEAK unsigned cpu_place(unsigned id, uintptr_t pc[CPU_PLACE_MAX])
{
    (void)id, (void)pc;
    return 0;
}

WEAK void arch_cpus_stop(void)
{
}

WEAK unsigned long arch_irq_save(void)
{
    return 0;
}

WEAK void arch_irq_restore(unsigned long was)
{
    (void)was;
}

WEAK volatile uint64_t *handover_key[CPU_MAX];

WEAK void handover_tell_release(const void *key)
{
    (void)key;
}

WEAK void handover_tell_acquire(const void *key)
{
    (void)key;
}
