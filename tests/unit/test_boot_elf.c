/* The loader's reader of kernels: a made-up kernel, every one of its fields damaged. */
#include "boot_data.h"

#include "elf.h"
#include "multiboot2.h"

/* A kernel of three segments; what it has in memory is its own file offset plus one. */
struct kernel {
    struct {
        uint8_t ident[16];
        uint16_t type, machine;
        uint32_t version;
        uint64_t entry, phoff, shoff;
        uint32_t flags;
        uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
    } elf;
    struct segment {
        uint32_t type, flags;
        uint64_t offset, vaddr, paddr, filesz, memsz, align;
    } ph[4];
    struct {
        uint32_t magic, arch, length, checksum;
        uint16_t entry_type, entry_flags;
        uint32_t entry_bytes, entry, padding;
        uint16_t move_type, move_flags;
        uint32_t move_bytes, lowest, highest, align, preference;
        uint16_t end_type, end_flags;
        uint32_t end_bytes;
    } mb2;
    char text[64];
    char data[100];
};

static struct kernel k;
static struct elf_plan plan;

static void fix_checksum(void)
{
    k.mb2.checksum = -(k.mb2.magic + k.mb2.arch + k.mb2.length);
}

static void make(void)
{
    const uint64_t base = 0xffffffff80000000;
    memset(&k, 0, sizeof k);
    memcpy(k.elf.ident, "\177ELF\2\1\1", 7);
    k.elf.type = 2;
    k.elf.machine = 62;
    k.elf.phoff = offsetof(struct kernel, ph);
    k.elf.phentsize = sizeof k.ph[0];
    k.elf.phnum = 4;
    k.ph[0] = (struct segment){
        1, 5, offsetof(struct kernel, text), base + 0x200000, 0x200000, 64, 64, 4096};
    k.ph[1] =
        (struct segment){4, 4, offsetof(struct kernel, text), base + 0x200000, 0x200000, 64, 64, 4};
    k.ph[2] = (struct segment){
        1, 6, offsetof(struct kernel, data), base + 0x201000, 0x201000, 100, 5000, 4096};
    k.ph[3] = (struct segment){1, 6, 0, 0, 0x7000, 0, 0, 4096}; /* empty: no place in memory */
    k.mb2.magic = MB2_HEADER_MAGIC;
    k.mb2.length = sizeof k.mb2;
    k.mb2.entry_type = MB2_HEADER_ENTRY_EFI64;
    k.mb2.entry_bytes = 12;
    k.mb2.entry = 0x200010;
    k.mb2.move_type = MB2_HEADER_RELOCATABLE;
    k.mb2.move_bytes = 24;
    k.mb2.lowest = 0x200000;
    k.mb2.highest = 0xc0000000;
    k.mb2.align = 0x200000;
    k.mb2.end_bytes = 8;
    fix_checksum();
    memset(k.text, 't', sizeof k.text);
    memset(k.data, 'd', sizeof k.data);
}

/* Reads a copy of exactly `bytes` bytes, and copies it out if it is found good. */
static const char *read_bytes(size_t bytes)
{
    char *copy = malloc(bytes ? bytes : 1);
    memcpy(copy, &k, bytes);
    const char *wrong = elf_read(&plan, copy, bytes);
    if (!wrong) {
        assert_true(plan.start < plan.end && plan.end <= 1ull << 32);
        assert_true(plan.end - plan.start <= 1ull << 30);
        assert_true(plan.entry >= plan.start && plan.entry < plan.end);
        assert_int_equal((plan.start | plan.end) & 4095, 0);
        if (plan.end - plan.start < 64 << 20) { /* what does not fit is seen by ASan here */
            char *to = malloc(plan.end - plan.start);
            elf_copy(&plan, copy, to);
            free(to);
        }
    }
    free(copy);
    return wrong;
}

static const char *read_all(void)
{
    return read_bytes(sizeof k);
}

#define assert_wrong(words)                                                                        \
    do {                                                                                           \
        const char *wrong = read_all();                                                            \
        if (!wrong || !strstr(wrong, words))                                                       \
            fail_msg("\"%s\" has no \"%s\"", wrong ? wrong : "(fine)", words);                     \
    } while (0)

static void test_good(void **state)
{
    (void)state;
    make();
    assert_null(read_all());
    assert_int_equal(plan.start, 0x200000);
    assert_int_equal(plan.end, 0x203000);
    assert_int_equal(plan.entry, 0x200010);
    assert_int_equal(plan.segments, 2);
    assert_int_equal(plan.align, 0x200000);
    assert_int_equal(plan.lowest, 0x200000);
    assert_int_equal(plan.highest, 0xc0000000);

    char *to = malloc(0x3000);
    memset(to, 'x', 0x3000);
    elf_copy(&plan, &k, to);
    assert_int_equal(to[0], 't');
    assert_int_equal(to[63], 't');
    assert_int_equal(to[64], 0);
    assert_int_equal(to[0x1000], 'd');
    assert_int_equal(to[0x1063], 'd');
    assert_int_equal(to[0x1064], 0); /* .bss is clear, to the page's end */
    assert_int_equal(to[0x2fff], 0);
    free(to);
}

static void test_a_kernel_that_cannot_move(void **state)
{
    (void)state;
    make();
    k.mb2.move_type = 77;
    assert_null(read_all());
    assert_int_equal(plan.highest, 0);
}

static void test_every_truncation_is_refused(void **state)
{
    (void)state;
    make();
    for (size_t n = 0; n < offsetof(struct kernel, data) + sizeof k.data; n++)
        assert_non_null(read_bytes(n));
}

static void test_no_changed_byte_does_harm(void **state)
{
    (void)state;
    make();
    for (size_t i = 0; i < sizeof k; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            ((char *)&k)[i] ^= (char)(1 << bit);
            read_all();
            ((char *)&k)[i] ^= (char)(1 << bit);
        }
    }
}

static void test_refusals_of_the_file(void **state)
{
    (void)state;
    make(), k.elf.ident[1] = 'X';
    assert_wrong("not an ELF file");
    make(), k.elf.ident[4] = 1;
    assert_wrong("not a 64-bit x86 kernel");
    make(), k.elf.machine = 3;
    assert_wrong("not a 64-bit x86 kernel");
    make(), k.elf.type = 3;
    assert_wrong("not a 64-bit x86 kernel");
    make(), k.elf.phnum = 65;
    assert_wrong("program headers");
    make(), k.elf.phoff = UINT64_MAX - 100;
    assert_wrong("program headers");
    make(), k.elf.phentsize = 57;
    assert_wrong("program headers");
    make(), k.elf.phnum = 0;
    assert_wrong("nothing in it");
}

static void test_refusals_of_segments(void **state)
{
    (void)state;
    make(), k.ph[2].offset = UINT64_MAX;
    assert_wrong("outside of the file");
    make(), k.ph[2].offset = sizeof k - 99;
    assert_wrong("outside of the file");
    make(), k.ph[2].filesz = k.ph[2].memsz = UINT64_MAX;
    assert_wrong("outside of the file");
    make(), k.ph[2].memsz = 99;
    assert_wrong("larger in the file");
    make(), k.ph[2].paddr = 1ull << 32;
    assert_wrong("above 4 GiB");
    make(), k.ph[2].memsz = UINT64_MAX - 0x1000;
    assert_wrong("above 4 GiB");
    make(), k.ph[2].paddr = 0x20003f;
    assert_wrong("two segments overlap");
    make(), k.ph[2].paddr = 0x200040;
    assert_null(read_all());
    make(), k.ph[2].paddr = 0x50000000;
    assert_wrong("larger than 1 GiB");
}

static void test_refusals_of_the_header(void **state)
{
    (void)state;
    make(), k.mb2.magic++;
    assert_wrong("no Multiboot2 header");
    make(), k.mb2.checksum++;
    assert_wrong("no Multiboot2 header");
    make(), k.mb2.length = 4096, fix_checksum();
    assert_wrong("no Multiboot2 header");
    make(), k.mb2.length = 8, fix_checksum();
    assert_wrong("no Multiboot2 header");
    make(), k.mb2.arch = 4, fix_checksum();
    assert_wrong("no Multiboot2 header");
    make(), k.mb2.move_bytes = 0;
    assert_wrong("of no possible size");
    make(), k.mb2.move_bytes = 33;
    assert_wrong("of no possible size");
    make(), k.mb2.align = 0x300000;
    assert_wrong("no power of two");
    make(), k.mb2.entry_type = 3;
    assert_wrong("no entry for EFI");
    make(), k.mb2.entry = 0x200040; /* behind what the file fills */
    assert_wrong("outside of what is loaded");
    make(), k.mb2.entry = 0x1fffff;
    assert_wrong("outside of what is loaded");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_a_kernel_that_cannot_move),
        cmocka_unit_test(test_every_truncation_is_refused),
        cmocka_unit_test(test_no_changed_byte_does_harm),
        cmocka_unit_test(test_refusals_of_the_file),
        cmocka_unit_test(test_refusals_of_segments),
        cmocka_unit_test(test_refusals_of_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
