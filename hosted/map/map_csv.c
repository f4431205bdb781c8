/* Reads a CSV of buffers as MiniMalloc writes it: id,lower,upper,size and, if
 * they are there, offset and alignment, in any order. Lives are half-open.
 *
 * Times may be any numbers below 2^53, and far fewer than that matter: steps of
 * the problem are the ranks of the times that occur. */
#include "map_int.h"

#include <stdlib.h>
#include <string.h>

enum { CSV_FIELDS_MAX = 16, CSV_ALIGN_MAX = 1 << 20 };

typedef enum csv_role {
    CSV_ID,
    CSV_LOWER,
    CSV_UPPER,
    CSV_SIZE,
    CSV_OFFSET,
    CSV_ALIGNMENT,
    CSV_ROLES
} csv_role;

static const char *const CSV_NAMES[CSV_ROLES] = {"id",   "lower",  "upper",
                                                 "size", "offset", "alignment"};

typedef struct csv_reader {
    berth_bytes left;
    uint32_t line; /* of the fields */
    berth_bytes fields[CSV_FIELDS_MAX];
    uint32_t field_count;
    uint32_t column[CSV_ROLES]; /* BERTH_NONE: not there */
    berth_map_error *error;
} csv_reader;

static berth_status csv_fail(csv_reader *r, const char *what)
{
    r->error->line = r->line > 0 ? r->line : 1u;
    return map_fail(r->error, BERTH_LOAD_PLAN, BERTH_BAD_MODEL, what);
}

static bool is_space(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static berth_bytes trimmed(berth_bytes field)
{
    while (field.size > 0 && is_space(field.data[field.size - 1u])) {
        --field.size;
    }
    while (field.size > 0 && is_space(field.data[0])) {
        ++field.data;
        --field.size;
    }
    return field;
}

static berth_bytes take_line(csv_reader *r)
{
    berth_bytes line = r->left;
    const uint8_t *end = memchr(line.data, '\n', line.size);
    if (end != NULL) {
        line.size = (size_t)(end - line.data);
        r->left.data += line.size + 1u;
        r->left.size -= line.size + 1u;
    } else {
        r->left.data += line.size;
        r->left.size = 0;
    }
    ++r->line;
    return trimmed(line);
}

/* The next line that is not empty, cut at its commas; *more is false behind
 * the last. */
static berth_status next_line(csv_reader *r, bool *more)
{
    berth_bytes line = {0};
    while (line.size == 0 && r->left.size > 0) {
        line = take_line(r);
    }
    *more = line.size > 0;
    r->field_count = 0;
    while (*more) {
        const uint8_t *comma =
            line.size == 0 ? NULL : memchr(line.data, ',', line.size);
        const size_t length =
            comma == NULL ? line.size : (size_t)(comma - line.data);
        if (r->field_count == CSV_FIELDS_MAX) {
            return csv_fail(r, "more columns than a list of buffers has");
        }
        r->fields[r->field_count++] = trimmed((berth_bytes){line.data, length});
        if (comma == NULL) {
            return BERTH_OK;
        }
        line.data += length + 1u;
        line.size -= length + 1u;
    }
    return BERTH_OK;
}

static csv_role role_of(berth_bytes word)
{
    uint32_t role = 0;
    while (role < CSV_ROLES &&
           (strlen(CSV_NAMES[role]) != word.size ||
            memcmp(CSV_NAMES[role], word.data, word.size) != 0)) {
        ++role;
    }
    return (csv_role)role;
}

static berth_status read_header(csv_reader *r)
{
    bool more = false;
    if (r->left.size >= 3 && memcmp(r->left.data, "\xEF\xBB\xBF", 3) == 0) {
        r->left.data += 3;
        r->left.size -= 3u;
    }
    const berth_status status = next_line(r, &more);
    if (status != BERTH_OK) {
        return status;
    }
    if (!more) {
        return csv_fail(r, "an empty file");
    }
    memset(r->column, 0xFF, sizeof(r->column));
    for (uint32_t i = 0; i < r->field_count; ++i) {
        const csv_role role = role_of(r->fields[i]);
        if (role == CSV_ROLES || r->column[role] != BERTH_NONE) {
            return csv_fail(r, "columns are id,lower,upper,size and, if wanted,"
                               " offset and alignment, each once");
        }
        r->column[role] = i;
    }
    for (uint32_t role = CSV_ID; role <= CSV_SIZE; ++role) {
        if (r->column[role] == BERTH_NONE) {
            return csv_fail(r, "its first line has to name the columns id,"
                               "lower,upper,size");
        }
    }
    return BERTH_OK;
}

static bool read_number(berth_bytes field, uint64_t *value)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < field.size; ++i) {
        const uint8_t digit = (uint8_t)(field.data[i] - '0');
        if (digit > 9u || !berth_mul_u64(sum, 10u, &sum) ||
            !berth_add_u64(sum, digit, &sum) || sum > BERTH_MAP_BYTES_MAX) {
            return false;
        }
    }
    *value = sum;
    return field.size > 0;
}

/* What a line says, before times are ranked. */
typedef struct csv_row {
    uint64_t value[CSV_ROLES];
} csv_row;

static berth_status read_row(csv_reader *r, csv_row *row, berth_bytes *name)
{
    uint32_t wanted = 0;
    for (uint32_t role = CSV_ID; role < CSV_ROLES; ++role) {
        wanted += r->column[role] != BERTH_NONE;
    }
    if (r->field_count != wanted) {
        return csv_fail(r, "has not as many fields as the first line");
    }
    *name = r->fields[r->column[CSV_ID]];
    row->value[CSV_ALIGNMENT] = 0;
    for (uint32_t role = CSV_LOWER; role < CSV_ROLES; ++role) {
        const uint32_t at = r->column[role];
        if (at != BERTH_NONE &&
            !read_number(r->fields[at], &row->value[role])) {
            return csv_fail(r, "a number is none, or beyond 2^53");
        }
    }
    if (row->value[CSV_LOWER] >= row->value[CSV_UPPER]) {
        return csv_fail(r, "lower has to be below upper, which is exclusive");
    }
    const uint64_t align = row->value[CSV_ALIGNMENT];
    if (r->column[CSV_ALIGNMENT] != BERTH_NONE &&
        (align == 0 || align > CSV_ALIGN_MAX || (align & (align - 1u)) != 0)) {
        return csv_fail(r, "an alignment is a power of two up to 2^20");
    }
    return BERTH_OK;
}

static uint32_t count_lines(berth_bytes file)
{
    uint32_t count = 1;
    for (size_t i = 0; i < file.size && count < BERTH_NONE; ++i) {
        count += file.data[i] == '\n';
    }
    return count;
}

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

/* --- the problem ------------------------------------------------------------
 */

typedef struct csv_table {
    csv_row *rows;
    uint64_t *times;
    berth_item *items;
    berth_span *spans;
    uint32_t count;
} csv_table;

static berth_status take_table(berth_map *map, csv_table *table, uint32_t most,
                               berth_map_error *error)
{
    table->rows = map_take(map, most, sizeof(*table->rows), error);
    table->times = map_take(map, 2u * (size_t)most, sizeof(uint64_t), error);
    table->items = map_take(map, most, sizeof(*table->items), error);
    table->spans = map_take(map, most, sizeof(*table->spans), error);
    map->entries = map_take(map, most, sizeof(*map->entries), error);
    return table->rows == NULL || table->times == NULL ||
                   table->items == NULL || table->spans == NULL ||
                   map->entries == NULL
               ? error->load.status
               : BERTH_OK;
}

static berth_status read_rows(csv_reader *r, berth_map *map, csv_table *table)
{
    bool more = true;
    for (;;) {
        csv_row *row = &table->rows[table->count];
        berth_status status = next_line(r, &more);
        if (status != BERTH_OK || !more) {
            return status;
        }
        if (table->count == BERTH_MAP_ENTRIES_MAX) {
            return csv_fail(r, "more buffers than a page can show (2^20)");
        }
        status = read_row(r, row, &map->entries[table->count].name);
        if (status != BERTH_OK) {
            return status;
        }
        table->times[2u * (size_t)table->count] = row->value[CSV_LOWER];
        table->times[2u * (size_t)table->count + 1u] = row->value[CSV_UPPER];
        ++table->count;
    }
}

static void make_problem(berth_map *map, csv_table *table, uint32_t align)
{
    const uint32_t times = rank_times(table->times, 2u * table->count);
    for (uint32_t i = 0; i < table->count; ++i) {
        const uint64_t *value = table->rows[i].value;
        const uint32_t own = (uint32_t)value[CSV_ALIGNMENT];
        table->spans[i] = (berth_span){
            .born = rank_of(table->times, times, value[CSV_LOWER]),
            .dead = rank_of(table->times, times, value[CSV_UPPER])};
        table->items[i] = (berth_item){.size = value[CSV_SIZE],
                                       .fixed = BERTH_NOWHERE,
                                       .align = own > 0     ? own
                                                : align > 0 ? align
                                                            : 1u,
                                       .first_span = i,
                                       .span_count = 1,
                                       .regions = 1};
        map->entries[i] = (berth_map_entry){.name = map->entries[i].name,
                                            .bytes = value[CSV_SIZE],
                                            .class_text = "buffer",
                                            .tensor = BERTH_NONE,
                                            .step = BERTH_NONE,
                                            .first_span = i,
                                            .span_count = 1};
    }
    map->times = table->times;
    map->step_count = times > 0 ? times - 1u : 0;
    map->spans = table->spans;
    map->span_count = table->count;
    map->entry_count = table->count;
    map->problem = (berth_problem){.items = table->items,
                                   .spans = table->spans,
                                   .item_count = table->count,
                                   .span_count = table->count,
                                   .step_count = map->step_count};
}

/* The offsets that the file brings, as they are: the judge has a word on them,
 * but a wrong plan is what one wants to see. */
static berth_status add_given(berth_map *map, const csv_table *table,
                              berth_map_error *error)
{
    berth_map_row *row = NULL;
    const berth_status status = map_add_row(map, "given", &row, error);
    for (uint32_t i = 0; status == BERTH_OK && i < table->count; ++i) {
        const uint64_t offset = table->rows[i].value[CSV_OFFSET];
        const uint64_t end = offset + table->items[i].size; /* below 2^54 */
        row->offset[i] = offset;
        row->peak_bytes = end > row->peak_bytes ? end : row->peak_bytes;
    }
    return status;
}

berth_status map_read_csv(berth_map *map, const berth_map_options *options,
                          berth_map_error *error)
{
    csv_reader reader = {.left = map->file.bytes, .error = error};
    csv_table table = {0};
    berth_status status = read_header(&reader);
    if (status == BERTH_OK) {
        status = take_table(map, &table, count_lines(map->file.bytes), error);
    }
    if (status == BERTH_OK) {
        status = read_rows(&reader, map, &table);
    }
    if (status != BERTH_OK) {
        return status;
    }
    make_problem(map, &table, options->stage.align);
    return reader.column[CSV_OFFSET] == BERTH_NONE
               ? BERTH_OK
               : add_given(map, &table, error);
}
