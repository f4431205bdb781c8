/* The planning problem that a CSV of buffers is.
 *
 * Times may be any numbers, and far fewer than that matter: steps of the
 * problem are the ranks of the times that occur. */
#include "list_int.h"

#include <stdlib.h>
#include <string.h>

enum { LIST_ALIGN_MAX = 1 << 20, LIST_SPANS_MAX = 1 << 28 };

/* What is being filled; there is room for every line and every gap. */
typedef struct list_builder {
    berth_list *list;
    const berth_list_options *options;
    csv_reader reader;
    berth_item *items;
    berth_span *spans; /* times' positions until they are ranked */
    uint64_t *times;   /* two of each span */
    uint32_t item_count;
    uint32_t span_count;
    berth_bytes model; /* of the first line */
} list_builder;

/* --- ranks of times ---------------------------------------------------------
 */

static int by_time(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x;
    const uint64_t b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

/* Where a time stands among the sorted ones. */
static uint32_t rank_of(const uint64_t *times, uint32_t count, uint64_t time)
{
    uint32_t from = 0;
    uint32_t end = count;
    while (end - from > 1u) {
        const uint32_t half = from + (end - from) / 2u;
        if (times[half] <= time) {
            from = half;
        } else {
            end = half;
        }
    }
    return from;
}

static uint32_t rank_times(uint64_t *times, uint32_t count)
{
    uint32_t kept = 0;
    qsort(times, count, sizeof(*times), by_time);
    for (uint32_t i = 0; i < count; ++i) {
        if (kept == 0 || times[kept - 1u] != times[i]) {
            times[kept++] = times[i];
        }
    }
    return kept;
}

/* --- one line ---------------------------------------------------------------
 */

static void add_span(list_builder *b, uint64_t lower, uint64_t upper)
{
    b->times[2u * (size_t)b->span_count] = lower;
    b->times[2u * (size_t)b->span_count + 1u] = upper;
    ++b->span_count;
}

/* "12-15" at the front of *gaps, which then begins behind it. */
static bool take_gap(berth_bytes *gaps, uint64_t *lower, uint64_t *upper)
{
    const uint8_t *space = memchr(gaps->data, ' ', gaps->size);
    const size_t length =
        space == NULL ? gaps->size : (size_t)(space - gaps->data);
    const uint8_t *dash = memchr(gaps->data, '-', length);
    if (dash == NULL) {
        return false;
    }
    const size_t half = (size_t)(dash - gaps->data);
    const bool good =
        csv_number((berth_bytes){gaps->data, half}, lower) &&
        csv_number((berth_bytes){dash + 1, length - half - 1u}, upper);
    const size_t taken = length + (space != NULL);
    gaps->data += taken;
    gaps->size -= taken;
    return good;
}

/* The pieces of a life between its gaps. */
static berth_status add_spans(list_builder *b, const csv_row *row)
{
    berth_bytes gaps = row->gaps;
    uint64_t from = row->value[CSV_LOWER];
    const uint64_t end = row->value[CSV_UPPER];
    if (gaps.size > 0 && memchr(gaps.data, '@', gaps.size) != NULL) {
        return csv_fail(&b->reader, CSV_GAPS, BERTH_UNSUPPORTED,
                        "a gap that frees only a part (@) is not served yet");
    }
    while (gaps.size > 0) {
        uint64_t lower = 0;
        uint64_t upper = 0;
        if (gaps.data[0] == ' ') {
            ++gaps.data;
            --gaps.size;
            continue;
        }
        if (!take_gap(&gaps, &lower, &upper)) {
            return csv_fail(&b->reader, CSV_GAPS, BERTH_BAD_MODEL,
                            "gaps are written 3-5 8-9");
        }
        upper += b->reader.upper_add;
        if (lower <= from || upper <= lower || upper >= end) {
            return csv_fail(&b->reader, CSV_GAPS, BERTH_BAD_MODEL,
                            "gaps ascend, and lie inside the life");
        }
        add_span(b, from, lower);
        from = upper;
    }
    add_span(b, from, end);
    return BERTH_OK;
}

static berth_status check_model(list_builder *b, const csv_row *row)
{
    if (b->item_count == 0) {
        b->model = row->model;
    }
    if (row->model.size == b->model.size &&
        (row->model.size == 0 ||
         memcmp(row->model.data, b->model.data, row->model.size) == 0)) {
        return BERTH_OK;
    }
    return csv_fail(&b->reader, CSV_MODEL, BERTH_UNSUPPORTED,
                    "the buffers of several models are no single list");
}

static berth_status check_row(const csv_reader *r, const csv_row *row)
{
    const uint64_t align = row->value[CSV_ALIGNMENT];
    if (row->value[CSV_LOWER] >= row->value[CSV_UPPER]) {
        return csv_fail(r, CSV_LOWER, BERTH_BAD_MODEL,
                        "a life has to end after it begins (upper is "
                        "exclusive)");
    }
    if (align > LIST_ALIGN_MAX || (align & (align - 1u)) != 0 ||
        (align == 0 && csv_has(r, CSV_ALIGNMENT) &&
         r->fields[r->column[CSV_ALIGNMENT]].size > 0)) {
        return csv_fail(r, CSV_ALIGNMENT, BERTH_BAD_MODEL,
                        "an alignment is a power of two up to 2^20");
    }
    return row->value[CSV_REGION] == 0
               ? BERTH_OK
               : csv_fail(r, CSV_REGION, BERTH_UNSUPPORTED,
                          "several regions are not served yet: only 0 is");
}

static berth_status add_row(list_builder *b, const csv_row *row)
{
    const uint32_t i = b->item_count;
    const uint32_t first = b->span_count;
    const uint64_t own = row->value[CSV_ALIGNMENT];
    BERTH_TRY(check_row(&b->reader, row));
    BERTH_TRY(check_model(b, row));
    BERTH_TRY(add_spans(b, row));
    const uint64_t align = own > 0                 ? own
                           : b->options->align > 0 ? b->options->align
                                                   : 1u;
    b->items[i] = (berth_item){
        .size = row->value[CSV_SIZE],
        .fixed = b->options->fixed ? row->value[CSV_OFFSET] : BERTH_NOWHERE,
        .align = (uint32_t)align,
        .first_span = first,
        .span_count = b->span_count - first,
        .regions = 1};
    if (b->items[i].fixed != BERTH_NOWHERE && b->items[i].fixed % align != 0) {
        return csv_fail(&b->reader, CSV_OFFSET, BERTH_BAD_MODEL,
                        "the offset is no multiple of the alignment");
    }
    b->list->entries[i] = (berth_list_entry){
        .id = row->id, .name = row->name, .line = b->reader.line};
    if (b->list->offset != NULL) {
        b->list->offset[i] = row->value[CSV_OFFSET];
    }
    ++b->item_count;
    return BERTH_OK;
}

/* --- the whole --------------------------------------------------------------
 */

static uint32_t count_byte(berth_bytes file, uint8_t byte)
{
    uint32_t count = 0;
    for (size_t i = 0; i < file.size && count < BERTH_NONE; ++i) {
        count += file.data[i] == byte;
    }
    return count;
}

static bool take_arrays(list_builder *b, berth_list_error *error)
{
    berth_list *list = b->list;
    const size_t lines = csv_count_lines(list->file.bytes);
    const size_t gaps =
        csv_has(&b->reader, CSV_GAPS) ? count_byte(list->file.bytes, '-') : 0;
    if (lines > LIST_SPANS_MAX || gaps > LIST_SPANS_MAX - lines) {
        (void)list_fail(error, BERTH_UNSUPPORTED,
                        "more lives than are served (2^28)");
        return false;
    }
    b->items = list_take(list, lines, sizeof(*b->items), error);
    b->spans = list_take(list, lines + gaps, sizeof(*b->spans), error);
    b->times = list_take(list, 2u * (lines + gaps), sizeof(*b->times), error);
    list->entries = list_take(list, lines, sizeof(*list->entries), error);
    if (csv_has(&b->reader, CSV_OFFSET)) {
        list->offset = list_take(list, lines, sizeof(*list->offset), error);
    }
    return b->items != NULL && b->spans != NULL && b->times != NULL &&
           list->entries != NULL &&
           (list->offset != NULL || !csv_has(&b->reader, CSV_OFFSET));
}

/* The same problem as the file counts time, if that fits into 32 bits. */
static berth_status keep_times(list_builder *b, uint64_t last,
                               berth_list_error *error)
{
    berth_list *list = b->list;
    list->timed = list->problem;
    if (last > UINT32_MAX - 1u) {
        return BERTH_OK;
    }
    berth_span *spans = list_take(list, b->span_count, sizeof(*spans), error);
    if (spans == NULL) {
        return error->load.status;
    }
    for (uint32_t i = 0; i < b->span_count; ++i) {
        const uint64_t *ends = &b->times[2u * (size_t)i];
        spans[i] =
            (berth_span){.born = (uint32_t)ends[0], .dead = (uint32_t)ends[1]};
    }
    list->timed.spans = spans;
    list->timed.step_count = (uint32_t)last;
    return BERTH_OK;
}

static berth_status rank_all(list_builder *b, berth_list_error *error)
{
    const uint32_t count = 2u * b->span_count;
    uint64_t *ranked = list_take(b->list, count, sizeof(*ranked), error);
    if (ranked == NULL) {
        return error->load.status;
    }
    if (count > 0) {
        memcpy(ranked, b->times, count * sizeof(*ranked));
    }
    const uint32_t moments = rank_times(ranked, count);
    for (uint32_t i = 0; i < b->span_count; ++i) {
        const uint64_t *ends = &b->times[2u * (size_t)i];
        b->spans[i] = (berth_span){.born = rank_of(ranked, moments, ends[0]),
                                   .dead = rank_of(ranked, moments, ends[1])};
    }
    b->list->times = ranked;
    b->list->problem =
        (berth_problem){.items = b->items,
                        .spans = b->spans,
                        .item_count = b->item_count,
                        .span_count = b->span_count,
                        .step_count = moments > 0 ? moments - 1u : 0};
    return keep_times(b, moments > 0 ? ranked[moments - 1u] : 0, error);
}

static berth_status fill_list(list_builder *b, berth_list_error *error)
{
    static const uint32_t needed =
        1u << CSV_ID | 1u << CSV_LOWER | 1u << CSV_UPPER | 1u << CSV_SIZE;
    berth_list *list = b->list;
    const berth_bytes file = list->file.bytes;
    uint8_t *text = NULL;
    bool more = true;
    csv_row row;
    if (csv_needs_text(file)) {
        text = list_take(list, file.size, CSV_TEXT_TIMES, error);
        if (text == NULL) {
            return error->load.status;
        }
    }
    BERTH_TRY(csv_begin(&b->reader, file, text, needed, error));
    if (!take_arrays(b, error)) {
        return error->load.status;
    }
    for (;;) {
        BERTH_TRY(csv_next(&b->reader, &row, &more));
        if (!more) {
            list->has_alignment = csv_has(&b->reader, CSV_ALIGNMENT);
            list->has_region = csv_has(&b->reader, CSV_REGION);
            return rank_all(b, error);
        }
        BERTH_TRY(add_row(b, &row));
    }
}

berth_status berth_list_of_csv(berth_port *port, berth_file *file,
                               const berth_list_options *options,
                               berth_list *list, berth_list_error *error)
{
    list_builder builder = {.list = list, .options = options};
    *list = (berth_list){.port = port, .file = *file};
    *file = (berth_file){0};
    *error = (berth_list_error){.load = {.diag = berth_diag_none()}};
    const berth_status status = fill_list(&builder, error);
    if (status != BERTH_OK) {
        berth_list_close(list);
    }
    return status;
}
