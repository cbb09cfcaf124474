/*
 * panic and the symbols in its backtrace: what is said, in which order, and how the boot ends.
 */
#include "host.h"

#include "arch.h"
#include "core/cmdline.h"
#include "core/console.h"
#include "core/exit.h"
#include "core/kprintf.h"
#include "core/ktap.h"
#include "core/panic.h"
#include "core/symbols.h"

#include <stdio.h>
#include <string.h>

/* ---- a symbol table, as tools/ksyms.awk would write it -------------------------------------- */

__asm__(".section .rodata\n"
        ".balign 8\n"
        ".globl __ksyms_start, __ksyms_end\n"
        "__ksyms_start:\n"
        ".quad 0x1000, 0x5000\n"
        ".long 3\n"
        ".long 0, 0x10, 0x800\n"
        ".asciz \"first\"\n"
        ".asciz \"second.part.0\"\n"
        ".asciz \"third\"\n"
        "__ksyms_end:\n"
        ".previous\n");

static void names_and_offsets(void **state)
{
    (void)state;
    static const struct {
        uintptr_t pc;
        const char *text;
    } cases[] = {
        {0xfff, "0xfff"},
        {0x1000, "first+0x0"},
        {0x100f, "first+0xf"},
        {0x1010, "second.part.0+0x0"},
        {0x17ff, "second.part.0+0x7ef"},
        {0x1800, "third+0x0"},
        {0x4fff, "third+0x37ff"},
        {0x5000, "0x5000"},
        {0, "0x0"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char text[40];
        symbol_format(text, sizeof(text), cases[i].pc);
        assert_string_equal(text, cases[i].text);
    }
    assert_int_equal(symbols_count(), 3);
    assert_null(symbols_check());
}

/* ---- a machine ----------------------------------------------------------------------------- */

struct trap_frame {
    bool nested; /* printing it panics */
};

static jmp_buf left;
static enum exit_way left_way;
static bool left_ok;
static const uintptr_t *trace;
static unsigned trace_length;

void arch_exit(enum exit_way way, bool ok)
{
    left_way = way;
    left_ok = ok;
    longjmp(left, 1);
}

void arch_halt(void)
{
    longjmp(left, 2);
}

unsigned arch_backtrace(const struct trap_frame *f, uintptr_t *pc, unsigned max)
{
    (void)f;
    assert_true(trace_length <= max);
    for (unsigned i = 0; i < trace_length; i++)
        pc[i] = trace[i];
    return trace_length;
}

void arch_trap_print(const struct trap_frame *f)
{
    if (f->nested)
        panic("while printing");
    kprintf("# registers\n");
}

/* The tests run in this order in one process, in which only the first panic is a whole one. */

static void a_trap_says_everything(void **state)
{
    (void)state;
    static const uintptr_t pcs[] = {0x1010, 0x1800, 0x1900, 0x1900, 0x1900};
    const struct trap_info t = {.kind = TRAP_PAGE_FAULT,
                                .name = "#PF page fault",
                                .pc = 0x1010,
                                .address = 0xdead000,
                                .write = true,
                                .present = true};
    struct trap_frame f = {.nested = false};
    trace = pcs;
    trace_length = ARRAY_SIZE(pcs);
    exit_init("exit=qemu");
    ktap_begin(2);
    ktap_result(KTAP_OK, "done", NULL);
    panic_context("%s, level %s", "bandwidth", "va");
    kprintf("half a line");
    host_console_clear();
    kprintf("half a line");
    if (setjmp(left) == 0)
        panic_trap(&t, &f);
    assert_int_equal(left_way, EXIT_QEMU);
    assert_false(left_ok);
    /* 0x1800 is a return address: the call before it is in the function before it. */
    const char want[] =
        "half a line\n"
        "# panic: #PF page fault: write 0xdead000 (protected) at second.part.0+0x0\n"
        "# running: bandwidth, level va\n"
        "# registers\n"
        "# backtrace:\n"
        "#   0000000000001010 second.part.0+0x0\n"
        "#   0000000000001800 second.part.0+0x7ef\n"
        "#   0000000000001900 third+0xff (3 times)\n"
        "{\"tt\":\"end\",\"seq\":0,\"verdict\":\"panic\",\"passed\":1,\"failed\":0,\"skipped\":0,"
        "\"reason\":\"#PF page fault: write 0xdead000 (protected) at "
        "second.part.0+0x0\",\"crc\":\"";
    assert_int_equal(strncmp(host_console(), want, sizeof(want) - 1), 0);
}

static void a_panic_inside_a_panic_leaves_and_the_next_one_halts(void **state)
{
    (void)state;
    host_console_clear();
    left_ok = true;
    if (setjmp(left) == 0)
        panic("second of its kind, %d", 2);
    assert_false(left_ok);
    assert_string_equal(host_console(), "\n# panic inside panic: second of its kind, 2\n");
    host_console_clear();
    int how = setjmp(left);
    if (how == 0)
        panic("third");
    assert_int_equal(how, 2);
    assert_string_equal(host_console(), "");
}

static unsigned complaints;

static void complain(const char *message, void *arg)
{
    (void)arg;
    assert_string_equal(message, "exit=away: valid is exit=halt|poweroff|reboot|qemu");
    complaints++;
}

static void exit_ways(void **state)
{
    (void)state;
    static const struct {
        const char *cmdline;
        enum exit_way way;
    } cases[] = {
        {"exit=halt", EXIT_HALT},
        {"exit=poweroff", EXIT_POWEROFF},
        {"exit=qemu exit=reboot", EXIT_REBOOT},
        {"exit=qemu", EXIT_QEMU},
        {"exit=away", EXIT_QEMU}, /* not understood: as before */
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        exit_init(cases[i].cmdline);
        if (setjmp(left) == 0)
            exit_machine(true);
        assert_int_equal(left_way, cases[i].way);
        assert_true(left_ok);
    }
    assert_int_equal(cmdline_parse("exit=away", complain, NULL), 1);
    assert_int_equal(complaints, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_offsets),
        cmocka_unit_test(exit_ways),
        cmocka_unit_test(a_trap_says_everything),
        cmocka_unit_test(a_panic_inside_a_panic_leaves_and_the_next_one_halts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
