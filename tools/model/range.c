/*
 * Named ranges of physical memory: what the guest wants counted apart. One piece, or several where
 * the frames of an array do not follow each other.
 */
#include "tools/model/model.h"

#include <stdlib.h>
#include <string.h>

void model_set_range(struct model *model, uint32_t index, const char name[MODEL_NAME_BYTES],
                     uint64_t start_phys, uint64_t end_phys)
{
    struct model_range *range = &model->range[index];

    memset(range, 0, sizeof(*range));
    memcpy(range->name, name, MODEL_NAME_BYTES - 1);
    range->start_phys = start_phys;
    range->end_phys = end_phys;
    model->pieces[index].count = 0;
    model->ranges = 0;
    for (uint32_t i = 0; i < MODEL_MAX_RANGES; i++) {
        if (model->range[i].start_phys < model->range[i].end_phys) {
            model->ranges = i + 1;
        }
    }
    model_choose_path(model);
}

/* How many pieces end at or below `at`. */
static size_t pieces_below(const struct model_pieces *pieces, uint64_t at)
{
    size_t low = 0;
    size_t high = pieces->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (pieces->piece[middle].end_phys <= at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool model_in_pieces(const struct model_pieces *pieces, uint64_t start_phys, uint64_t end_phys)
{
    size_t i = pieces_below(pieces, start_phys);

    return i < pieces->count && pieces->piece[i].start_phys < end_phys;
}

static bool insert(struct model_pieces *pieces, uint64_t start_phys, uint64_t end_phys)
{
    size_t i = pieces_below(pieces, start_phys);

    if (start_phys >= end_phys || model_in_pieces(pieces, start_phys, end_phys)) {
        return false;
    }
    if (pieces->count == pieces->room) {
        size_t room = pieces->room ? 2 * pieces->room : 64;
        struct model_piece *more = realloc(pieces->piece, room * sizeof(*more));

        if (!more) {
            return false;
        }
        pieces->piece = more;
        pieces->room = room;
    }
    memmove(&pieces->piece[i + 1], &pieces->piece[i], (pieces->count - i) * sizeof(*pieces->piece));
    pieces->piece[i] = (struct model_piece){start_phys, end_phys};
    pieces->count++;
    return true;
}

bool model_add_piece(struct model *model, uint32_t index, uint64_t start_phys, uint64_t end_phys)
{
    struct model_range *range = &model->range[index];
    struct model_pieces *pieces = &model->pieces[index];

    if (range->start_phys == range->end_phys ||
        (pieces->count == 0 && !insert(pieces, range->start_phys, range->end_phys)) ||
        !insert(pieces, start_phys, end_phys)) {
        return false;
    }
    range->start_phys = start_phys < range->start_phys ? start_phys : range->start_phys;
    range->end_phys = end_phys > range->end_phys ? end_phys : range->end_phys;
    return true;
}
