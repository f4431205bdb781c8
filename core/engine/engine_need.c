/* What is to be lent: sizes from counts, cuts, alignments and guards. */
#include "engine_int.h"

#include <string.h>

#define GUARD_BYTE 0xa5u

uint64_t engine_guard_bytes(uint32_t flags)
{
    return (flags & BERTH_ENGINE_CANARIES) != 0 ? BERTH_CANARY_BYTES : 0u;
}

/* --- the books ---------------------------------------------------------- */

/* One part more, aligned for anything that stands in books. */
static bool add_books(uint64_t *end, uint64_t count, uint64_t item_bytes,
                      uint64_t *begin)
{
    uint64_t bytes = 0;
    uint64_t at = 0;
    if (!berth_round_up_u64(*end, ENGINE_GRAIN, &at) ||
        !berth_mul_u64(count, item_bytes, &bytes) ||
        !berth_add_u64(at, bytes, end)) {
        return false;
    }
    *begin = at;
    return true;
}

static berth_status lay_books(const engine_counts *n, engine_layout *layout,
                              berth_diag *diag)
{
    engine_layout l = {.counts = *n, .end = sizeof(berth_engine)};
    const bool fits =
        n->records < ENGINE_REF_MAX && n->steps < UINT32_MAX &&
        n->slots < UINT32_MAX && n->dims < ENGINE_SHAPE_OF_FILE &&
        add_books(&l.end, n->records, sizeof(engine_record), &l.records) &&
        add_books(&l.end, n->steps, sizeof(engine_step), &l.steps) &&
        add_books(&l.end, n->slots, sizeof(engine_slot), &l.slots) &&
        add_books(&l.end, n->dims, sizeof(int32_t), &l.dims) &&
        add_books(&l.end, n->variables, sizeof(engine_variable),
                  &l.variables) &&
        add_books(&l.end, n->io, sizeof(uint32_t), &l.io) &&
        add_books(&l.end, n->known, sizeof(engine_known), &l.known) &&
        add_books(&l.end, n->wishes, sizeof(engine_wish), &l.wishes) &&
        add_books(&l.end, n->bench, 1u, &l.bench) &&
        add_books(&l.end, n->blobs, 1u, &l.blobs);
    if (!fits) {
        return berth_refuse(diag, BERTH_TOO_LARGE,
                            "books of more than 32 bits count");
    }
    *layout = l;
    return BERTH_OK;
}

/* --- regions and state -------------------------------------------------- */

/* The highest end in each region, and the largest alignment. */
static berth_status measure_regions(const berth_engine_source *source,
                                    berth_engine_need *need, berth_diag *diag)
{
    const berth_problem *problem = &source->lifetimes->problem;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const berth_item *item = &problem->items[i];
        const uint32_t region =
            source->plan->region == NULL ? 0 : source->plan->region[i];
        uint64_t end = 0;
        if (region >= BERTH_REGIONS_MAX) {
            return berth_refuse(diag, BERTH_BAD_ARG,
                                "a plan of more regions than an engine has");
        }
        if (!berth_add_u64(source->plan->offset[i], item->size, &end)) {
            return berth_refuse(diag, BERTH_TOO_LARGE,
                                "a plan that ends beyond 64 bits");
        }
        need->align = item->align > need->align ? item->align : need->align;
        if (item->size > 0 && end > need->region_bytes[region]) {
            need->region_bytes[region] = end;
        }
        if (region >= need->region_count) {
            need->region_count = region + 1u;
        }
    }
    return BERTH_OK;
}

/* Guards around a block that has bytes, then its place behind the others. */
static bool need_block(uint32_t flags, uint64_t align, uint64_t *bytes,
                       uint64_t *total)
{
    uint64_t at = 0;
    return *bytes == 0 ||
           (berth_add_u64(*bytes, 2u * engine_guard_bytes(flags), bytes) &&
            berth_round_up_u64(*total, align, &at) &&
            berth_add_u64(at, *bytes, total));
}

static berth_status close_need(uint32_t flags, berth_engine_need *need,
                               berth_diag *diag)
{
    bool fits = true;
    /* Behind a guard things stand as aligned as before it. */
    const uint32_t least = ENGINE_GRAIN;
    if (engine_guard_bytes(flags) > 0 && need->align > least) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "guards of 16 bytes before a stricter alignment");
    }
    for (uint32_t r = 0; r < need->region_count; ++r) {
        fits = fits && need_block(flags, need->align, &need->region_bytes[r],
                                  &need->total_bytes);
    }
    fits =
        fits &&
        need_block(flags, need->align, &need->state_bytes,
                   &need->total_bytes) &&
        need_block(flags, need->align, &need->books_bytes, &need->total_bytes);
    return fits ? BERTH_OK
                : berth_refuse(diag, BERTH_TOO_LARGE,
                               "blocks of more bytes than 64 bits count");
}

berth_status engine_measure(const berth_engine_source *source,
                            engine_layout *layout, berth_engine_need *need,
                            berth_diag *diag)
{
    engine_draft d = {.source = source, .diag = diag};
    berth_engine_need fresh = {.align = ENGINE_GRAIN,
                               .state_bytes = source->lifetimes->state_bytes,
                               .replan_bytes = BERTH_NOWHERE};
    BERTH_TRY(engine_walk(&d));
    BERTH_TRY(lay_books(&d.at, layout, diag));
    BERTH_TRY(measure_regions(source, &fresh, diag));
    fresh.books_bytes = layout->end;
    BERTH_TRY(close_need(source->flags, &fresh, diag));
    *need = fresh;
    return BERTH_OK;
}

/* --- lent blocks -------------------------------------------------------- */

static berth_status check_block(const berth_engine_block *block, uint64_t bytes,
                                uint32_t align, const char *what,
                                berth_diag *diag)
{
    if (bytes == 0) {
        return BERTH_OK;
    }
    if (((uintptr_t)block->at & (align - 1u)) != 0) {
        return berth_refuse(diag, BERTH_MISALIGNED, what);
    }
    if (block->at == NULL || block->bytes < bytes) {
        (void)berth_refuse(diag, BERTH_NO_SPACE, what);
        if (diag != NULL) {
            diag->needed_bytes = bytes;
            diag->limit_bytes = block->at == NULL ? 0 : block->bytes;
        }
        return BERTH_NO_SPACE;
    }
    return BERTH_OK;
}

berth_status engine_check_blocks(const berth_engine_need *need,
                                 const berth_engine_memory *memory,
                                 berth_diag *diag)
{
    static const char *const names[BERTH_REGIONS_MAX] = {
        "the arena", "region 1", "region 2", "region 3"};
    for (uint32_t r = 0; r < need->region_count; ++r) {
        BERTH_TRY(check_block(&memory->regions[r], need->region_bytes[r],
                              need->align, names[r], diag));
    }
    BERTH_TRY(check_block(&memory->state, need->state_bytes, need->align,
                          "the state", diag));
    return check_block(&memory->books, need->books_bytes, need->align,
                       "the books", diag);
}

/* The next block of so many bytes; total_bytes has said that there is room. */
static berth_engine_block cut_block(uint8_t **next, uint64_t bytes,
                                    uint32_t align)
{
    if (bytes == 0) {
        return (berth_engine_block){NULL, 0};
    }
    const size_t past = (size_t)((uintptr_t)*next & (align - 1u));
    uint8_t *at = *next + (past == 0 ? 0 : align - past);
    *next = at + (size_t)bytes;
    return (berth_engine_block){at, (size_t)bytes};
}

berth_status berth_engine_cut(const berth_engine_need *need, void *block,
                              size_t bytes, berth_engine_memory *memory,
                              berth_diag *diag)
{
    const berth_engine_block whole = {(uint8_t *)block, bytes};
    uint8_t *next = whole.at;
    berth_engine_memory cut = {0};
    BERTH_TRY(check_block(&whole, need->total_bytes, need->align,
                          "the block for an engine", diag));
    for (uint32_t r = 0; r < need->region_count; ++r) {
        cut.regions[r] = cut_block(&next, need->region_bytes[r], need->align);
    }
    cut.state = cut_block(&next, need->state_bytes, need->align);
    cut.books = cut_block(&next, need->books_bytes, need->align);
    *memory = cut;
    return BERTH_OK;
}

/* --- guards ------------------------------------------------------------- */

/* A block of no bytes may not be there, or be too small for guards. */
static bool is_guarded(const berth_engine_block *block)
{
    return block->at != NULL && block->bytes >= 2u * BERTH_CANARY_BYTES;
}

void engine_set_guards(const berth_engine_block *block)
{
    if (is_guarded(block)) {
        memset(block->at, GUARD_BYTE, BERTH_CANARY_BYTES);
        memset(block->at + block->bytes - BERTH_CANARY_BYTES, GUARD_BYTE,
               BERTH_CANARY_BYTES);
    }
}

bool engine_guards_stand(const berth_engine_block *block)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; is_guarded(block) && i < BERTH_CANARY_BYTES; ++i) {
        wrong |= block->at[i] ^ GUARD_BYTE;
        wrong |= block->at[block->bytes - 1u - i] ^ GUARD_BYTE;
    }
    return wrong == 0;
}
