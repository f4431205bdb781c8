/* The text of a CSV: lines, fields, quotes, and what its first line calls its
 * columns. Columns may stand in any order and bear the names that other tools
 * have for them; one that is not known is refused, since leaving it out might
 * make another problem of the list. */
#include "list_int.h"

#include "report/csv_field.h"

#include <string.h>

static const struct csv_word {
    const char *word;
    csv_role role;
    uint64_t upper_add;
} csv_words[] = {
#define CSV_ROLE_WORD(name, text) {text, CSV_##name, 0},
    CSV_ROLE_TABLE(CSV_ROLE_WORD)
#undef CSV_ROLE_WORD
        {"buffer", CSV_ID, 0},
    {"buffer_id", CSV_ID, 0},
    {"begin", CSV_LOWER, 0},
    {"start", CSV_LOWER, 0},
    {"end", CSV_UPPER, 1}, /* the last moment of a life, not the one past it */
};

berth_status csv_fail(const csv_reader *r, csv_role role, berth_status status,
                      const char *what)
{
    const uint32_t column = role == CSV_ROLES ? BERTH_NONE : r->column[role];
    const bool shown = column < r->field_count;
    return list_fail_at(r->error, status, r->line, shown ? column + 1u : 0,
                        shown ? r->fields[column] : (berth_bytes){0}, what);
}

static berth_status fail_field(const csv_reader *r, uint32_t field,
                               const char *what)
{
    return list_fail_at(r->error, BERTH_BAD_MODEL, r->line, field + 1u,
                        r->fields[field], what);
}

uint32_t csv_count_lines(berth_bytes file)
{
    uint32_t count = 1;
    for (size_t i = 0; i < file.size && count < BERTH_NONE; ++i) {
        count += file.data[i] == '\n';
    }
    return count;
}

bool csv_needs_text(berth_bytes file)
{
    for (size_t i = 0; i < file.size; ++i) {
        const uint8_t byte = file.data[i];
        const bool ends = byte == '\n' || (byte == '\r' && i + 1u < file.size &&
                                           file.data[i + 1u] == '\n');
        if (byte == '"' || byte >= 0x7Fu || (byte < 0x20u && !ends)) {
            return true;
        }
    }
    return false;
}

bool csv_number(berth_bytes field, uint64_t *value)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < field.size; ++i) {
        const uint8_t digit = (uint8_t)(field.data[i] - '0');
        if (digit > 9u || !berth_mul_u64(sum, 10u, &sum) ||
            !berth_add_u64(sum, digit, &sum) || sum > INT64_MAX) {
            return false;
        }
    }
    *value = sum;
    return field.size > 0;
}

/* --- lines and fields --------------------------------------------------------
 */

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
    line.size = end == NULL ? line.size : (size_t)(end - line.data);
    const size_t taken = line.size + (end != NULL);
    r->left.data += taken;
    r->left.size -= taken;
    ++r->line;
    return trimmed(line);
}

/* Takes the quotes off a field at the start of `line`: "a ""b""" is a "b".
 * Returns its bytes in the line; 0: the quote does not end with its field, and
 * is a byte as any other. */
static size_t take_quoted(csv_reader *r, berth_bytes line, berth_bytes *field)
{
    size_t end = 1;
    size_t size = 0;
    for (; end < line.size; ++end) {
        if (line.data[end] == '"') {
            if (end + 1u == line.size || line.data[end + 1u] != '"') {
                break;
            }
            ++end;
        }
        r->text[size++] = line.data[end];
    }
    const size_t after = end < line.size ? end + 1u : end;
    const berth_bytes rest =
        trimmed((berth_bytes){line.data + after, line.size - after});
    if (end == line.size || (rest.size > 0 && rest.data[0] != ',')) {
        return 0;
    }
    *field = (berth_bytes){r->text, size};
    r->text += size;
    return line.size - rest.size;
}

/* Takes one field off the front of *line; its comma stays. */
static void take_field(csv_reader *r, berth_bytes *line)
{
    berth_bytes *field = &r->fields[r->field_count++];
    *line = trimmed(*line);
    size_t taken = line->size > 0 && line->data[0] == '"'
                       ? take_quoted(r, *line, field)
                       : 0;
    if (taken == 0) {
        const uint8_t *comma =
            line->size == 0 ? NULL : memchr(line->data, ',', line->size);
        taken = comma == NULL ? line->size : (size_t)(comma - line->data);
        *field = trimmed((berth_bytes){line->data, taken});
    }
    line->data += taken;
    line->size -= taken;
}

/* The next line that is not empty, cut at its commas. */
static berth_status next_line(csv_reader *r, bool *more)
{
    berth_bytes line = {0};
    while (line.size == 0 && r->left.size > 0) {
        line = take_line(r);
    }
    *more = line.size > 0;
    r->field_count = 0;
    while (*more) {
        if (r->field_count == CSV_FIELDS_MAX) {
            return csv_fail(r, CSV_ROLES, BERTH_BAD_MODEL,
                            "more columns than a list of buffers has");
        }
        take_field(r, &line);
        if (line.size == 0) {
            return BERTH_OK;
        }
        ++line.data; /* the comma */
        --line.size;
    }
    return BERTH_OK;
}

/* --- the first line ----------------------------------------------------------
 */

static const struct csv_word *find_word(berth_bytes field)
{
    for (size_t i = 0; i < sizeof(csv_words) / sizeof(csv_words[0]); ++i) {
        const char *word = csv_words[i].word;
        if (strlen(word) == field.size &&
            memcmp(word, field.data, field.size) == 0) {
            return &csv_words[i];
        }
    }
    return NULL;
}

static berth_status check_needed(const csv_reader *r, uint32_t needed)
{
    static const char *const missing[CSV_ROLES] = {
#define CSV_ROLE_MISSING(name, text)                                           \
    "its first line has to name a column " text,
        CSV_ROLE_TABLE(CSV_ROLE_MISSING)
#undef CSV_ROLE_MISSING
    };
    for (uint32_t role = 0; role < CSV_ROLES; ++role) {
        if ((needed >> role & 1u) != 0 && !csv_has(r, (csv_role)role)) {
            return csv_fail(r, CSV_ROLES, BERTH_BAD_MODEL, missing[role]);
        }
    }
    return BERTH_OK;
}

berth_status csv_begin(csv_reader *r, berth_bytes file, uint8_t *text,
                       uint32_t needed, berth_list_error *error)
{
    static const uint8_t mark[] = {0xEF, 0xBB, 0xBF};
    bool more = false;
    *r = (csv_reader){.left = file, .text = text, .error = error};
    if (file.size >= sizeof(mark) &&
        memcmp(file.data, mark, sizeof(mark)) == 0) {
        r->left.data += sizeof(mark);
        r->left.size -= sizeof(mark);
    }
    BERTH_TRY(next_line(r, &more));
    if (!more) {
        r->line = 1;
        return csv_fail(r, CSV_ROLES, BERTH_BAD_MODEL, "an empty file");
    }
    memset(r->column, 0xFF, sizeof(r->column));
    for (uint32_t i = 0; i < r->field_count; ++i) {
        const struct csv_word *word = find_word(r->fields[i]);
        if (word == NULL) {
            return fail_field(r, i,
                              "columns are id, lower, upper and size, and if "
                              "wanted alignment, offset, region, gaps, hint, "
                              "name and model");
        }
        if (csv_has(r, word->role)) {
            return fail_field(r, i, "this column was named before");
        }
        r->column[word->role] = i;
        r->upper_add += word->upper_add;
    }
    r->column_count = r->field_count;
    return check_needed(r, needed);
}

/* --- the other lines ---------------------------------------------------------
 */

static berth_bytes field_of(const csv_reader *r, csv_role role)
{
    return csv_has(r, role) ? r->fields[r->column[role]] : (berth_bytes){0};
}

/* A field as it is told again: escaped, where it has to be. */
static berth_bytes clean_field(csv_reader *r, csv_role role)
{
    berth_bytes left = field_of(r, role);
    uint8_t *const start = r->text;
    if (csv_is_plain(left)) {
        return left;
    }
    while (left.size > 0) {
        char text[CSV_ESCAPED_MAX];
        csv_take_escaped(&left, text);
        const size_t length = strlen(text);
        memcpy(r->text, text, length);
        r->text += length;
    }
    return (berth_bytes){start, (size_t)(r->text - start)};
}

static berth_status read_numbers(const csv_reader *r, csv_row *row)
{
    static const struct csv_number_role {
        csv_role role;
        bool may_lack;
        uint64_t if_empty;
    } numbers[] = {
        {CSV_LOWER, false, 0},
        {CSV_UPPER, false, 0},
        {CSV_SIZE, false, 0},
        {CSV_ALIGNMENT, true, 0},
        {CSV_OFFSET, true, BERTH_NOWHERE},
        {CSV_REGION, true, 0},
    };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        const csv_role role = numbers[i].role;
        const berth_bytes field = field_of(r, role);
        row->value[role] = numbers[i].if_empty;
        if (!csv_has(r, role) || (field.size == 0 && numbers[i].may_lack)) {
            continue;
        }
        if (!csv_number(field, &row->value[role])) {
            return csv_fail(r, role, BERTH_BAD_MODEL,
                            "not a whole number from 0 to 2^63 - 1");
        }
    }
    if (csv_has(r, CSV_UPPER)) {
        row->value[CSV_UPPER] += r->upper_add;
    }
    return row->value[CSV_UPPER] <= INT64_MAX
               ? BERTH_OK
               : csv_fail(r, CSV_UPPER, BERTH_BAD_MODEL,
                          "a life ends beyond 2^63 - 1");
}

berth_status csv_next(csv_reader *r, csv_row *row, bool *more)
{
    BERTH_TRY(next_line(r, more));
    if (!*more) {
        return BERTH_OK;
    }
    if (r->field_count != r->column_count) {
        return csv_fail(r, CSV_ROLES, BERTH_BAD_MODEL,
                        "has not as many fields as the first line");
    }
    row->id = clean_field(r, CSV_ID);
    row->name = clean_field(r, CSV_NAME);
    row->model = clean_field(r, CSV_MODEL);
    row->gaps = field_of(r, CSV_GAPS);
    return read_numbers(r, row);
}
