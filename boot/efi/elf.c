/* The kernel's ELF file and the Multiboot2 header in it (elf.h). */
#include "elf.h"

#include "bytes.h"
#include "multiboot2.h"

#include <stdbool.h>

#define PAGE        4096u
#define LIMIT       0x100000000ull
#define IMAGE_MAX   0x40000000ull /* 1 GiB: what the kernel's first page tables map */
#define HEADERS_MAX 64
#define PT_LOAD     1
#define EM_X86_64   62
#define ET_EXEC     2

struct elf_header {
    uint8_t ident[16];
    uint16_t type, machine;
    uint32_t version;
    uint64_t entry, program_headers, section_headers;
    uint32_t flags;
    uint16_t bytes, program_header_bytes, program_header_count;
    uint16_t section_header_bytes, section_header_count, names;
};

struct program_header {
    uint32_t type, flags;
    uint64_t offset, virtual, physical, file_bytes, memory_bytes, align;
};

_Static_assert(sizeof(struct elf_header) == 64 && sizeof(struct program_header) == 56, "ELF64");

static const char *take_segment(struct elf_plan *plan, const struct program_header *p, size_t bytes)
{
    if (plan->segments == ELF_SEGMENTS_MAX)
        return "too many segments";
    if (p->offset > bytes || p->file_bytes > bytes - p->offset)
        return "a segment lies outside of the file: it was cut";
    if (p->file_bytes > p->memory_bytes)
        return "a segment is larger in the file than in memory";
    if (p->physical >= LIMIT || p->memory_bytes > LIMIT - p->physical)
        return "a segment lies above 4 GiB";

    uint64_t start = p->physical & ~(uint64_t)(PAGE - 1);
    uint64_t end = (p->physical + p->memory_bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);

    for (unsigned i = 0; i < plan->segments; i++) {
        const struct elf_segment *s = &plan->segment[i];

        if (p->physical < s->at + s->bytes && s->at < p->physical + p->memory_bytes)
            return "two segments overlap";
    }
    plan->segment[plan->segments++] =
        (struct elf_segment){p->offset, p->file_bytes, p->physical, p->memory_bytes};
    if (start < plan->start)
        plan->start = start;
    if (end > plan->end)
        plan->end = end;
    return NULL;
}

static const char *take_segments(struct elf_plan *plan, const char *file, size_t bytes)
{
    struct elf_header h;

    if (bytes < sizeof(h))
        return "too short for an ELF file";
    bytes_copy(&h, file, sizeof(h));
    if (h.ident[0] != 0x7f || h.ident[1] != 'E' || h.ident[2] != 'L' || h.ident[3] != 'F')
        return "not an ELF file";
    if (h.ident[4] != 2 || h.ident[5] != 1 || h.machine != EM_X86_64 || h.type != ET_EXEC)
        return "not a 64-bit x86 kernel";
    if (h.program_header_bytes != sizeof(struct program_header) ||
        h.program_header_count > HEADERS_MAX || h.program_headers > bytes ||
        h.program_header_count * sizeof(struct program_header) > bytes - h.program_headers)
        return "its program headers lie outside of the file";

    for (unsigned i = 0; i < h.program_header_count; i++) {
        struct program_header p;

        bytes_copy(&p, file + h.program_headers + i * sizeof(p), sizeof(p));
        if (p.type != PT_LOAD || p.memory_bytes == 0)
            continue;

        const char *wrong = take_segment(plan, &p, bytes);

        if (wrong)
            return wrong;
    }
    if (!plan->segments)
        return "nothing in it is to be loaded";
    if (plan->end - plan->start > IMAGE_MAX)
        return "larger than 1 GiB in memory";
    return NULL;
}

/* The header starts on a multiple of 8, and its four words sum up to 0. */
static const char *find_header(const char *file, size_t bytes, size_t *length)
{
    for (size_t at = 0; at + 16 <= bytes && at + 16 <= MB2_HEADER_SEARCH; at += 8) {
        uint32_t word[4];

        bytes_copy(word, file + at, sizeof(word));
        if (word[0] == MB2_HEADER_MAGIC && word[0] + word[1] + word[2] + word[3] == 0 &&
            word[1] == MB2_ARCH_I386 && word[2] >= 16 && word[2] <= bytes - at) {
            *length = word[2];
            return file + at;
        }
    }
    return NULL;
}

static void take_tag(struct elf_plan *plan, uint16_t type, const char *tag, size_t bytes)
{
    uint32_t word[4];

    if (type == MB2_HEADER_ENTRY_EFI64 && bytes >= 12) {
        bytes_copy(word, tag + 8, 4);
        plan->entry = word[0];
    } else if (type == MB2_HEADER_RELOCATABLE && bytes >= 24) {
        bytes_copy(word, tag + 8, sizeof(word));
        plan->lowest = word[0];
        plan->highest = word[1];
        plan->align = word[2];
    }
}

static const char *take_header(struct elf_plan *plan, const char *file, size_t bytes)
{
    size_t length = 0;
    const char *header = find_header(file, bytes, &length);

    if (!header)
        return "no Multiboot2 header in its first 32 KiB";
    for (size_t at = 16; length - at >= 8;) {
        uint16_t type;
        uint32_t size;

        bytes_copy(&type, header + at, sizeof(type));
        bytes_copy(&size, header + at + 4, sizeof(size));
        if (type == MB2_HEADER_END)
            break;
        if (size < 8 || size > length - at)
            return "a tag of its Multiboot2 header is of no possible size";
        take_tag(plan, type, header + at, size);
        at += (size + 7) & ~(size_t)7;
        if (at > length)
            break;
    }

    if (plan->align & (plan->align - 1))
        return "its alignment is no power of two";
    if (plan->align < PAGE)
        plan->align = PAGE;
    if (!plan->entry)
        return "no entry for EFI in its Multiboot2 header";
    return NULL;
}

static bool entry_is_inside(const struct elf_plan *plan)
{
    for (unsigned i = 0; i < plan->segments; i++) {
        const struct elf_segment *s = &plan->segment[i];

        if (plan->entry >= s->at && plan->entry - s->at < s->file_bytes)
            return true;
    }
    return false;
}

const char *elf_read(struct elf_plan *plan, const void *file, size_t bytes)
{
    *plan = (struct elf_plan){.start = LIMIT};

    const char *wrong = take_segments(plan, file, bytes);

    if (!wrong)
        wrong = take_header(plan, file, bytes);
    if (!wrong && !entry_is_inside(plan))
        wrong = "its entry for EFI lies outside of what is loaded";
    return wrong;
}

void elf_copy(const struct elf_plan *plan, const void *file, void *to)
{
    bytes_zero(to, plan->end - plan->start);
    for (unsigned i = 0; i < plan->segments; i++) {
        const struct elf_segment *s = &plan->segment[i];

        bytes_copy((char *)to + (s->at - plan->start), (const char *)file + s->offset,
                   s->file_bytes);
    }
}
