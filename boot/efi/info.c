/* Writing Multiboot2 information (info.h). */
#include "info.h"

#include "bytes.h"

static size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

void info_begin(struct info *i, void *at, size_t room)
{
    *i = (struct info){.at = at, .room = room, .used = sizeof(struct mb2_info)};
}

/* What stays free for the end tag. */
static size_t left(const struct info *i)
{
    size_t taken = i->used + sizeof(struct mb2_tag);

    return i->room > taken ? i->room - taken : 0;
}

void *info_tag(struct info *i, uint32_t type, size_t bytes)
{
    struct mb2_tag *tag = (struct mb2_tag *)(i->at + i->used);
    size_t total = padded(sizeof(*tag) + bytes);

    if (total > left(i)) {
        i->full = true;
        return NULL;
    }
    bytes_zero(tag, total);
    *tag = (struct mb2_tag){type, (uint32_t)(sizeof(*tag) + bytes)};
    i->used += total;
    return tag + 1;
}

void info_string(struct info *i, uint32_t type, const char *s)
{
    size_t bytes = string_length(s) + 1;
    char *to = info_tag(i, type, bytes);

    if (to)
        bytes_copy(to, s, bytes);
}

void info_module(struct info *i, uint32_t start, uint32_t end, const char *label)
{
    size_t bytes = string_length(label) + 1;
    uint32_t *to = info_tag(i, MB2_MODULE, 2 * sizeof(*to) + bytes);

    if (!to)
        return;
    to[0] = start;
    to[1] = end;
    bytes_copy(to + 2, label, bytes);
}

void *info_map(struct info *i, size_t *room)
{
    size_t head = sizeof(struct mb2_map);

    *room = left(i) > head ? left(i) - head : 0;
    return i->at + i->used + head;
}

void info_end(struct info *i, size_t map_bytes, uint32_t entry_bytes, uint32_t entry_version)
{
    struct mb2_map *map = (struct mb2_map *)(i->at + i->used);
    size_t bytes = sizeof(*map) + map_bytes;

    *map = (struct mb2_map){{MB2_EFI_MAP, (uint32_t)bytes}, entry_bytes, entry_version};
    i->used += padded(bytes);

    struct mb2_tag *end = (struct mb2_tag *)(i->at + i->used);

    *end = (struct mb2_tag){MB2_END, sizeof(*end)};
    i->used += sizeof(*end);
    *(struct mb2_info *)i->at = (struct mb2_info){(uint32_t)i->used, 0};
}
