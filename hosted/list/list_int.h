/* list_int.h: the parts of a list. */
#ifndef BERTH_HOSTED_LIST_INT_H
#define BERTH_HOSTED_LIST_INT_H

#include "berth/hosted/list.h"

/* --- memory and errors --------------------------------------------------- */

/* A zeroed block that lives as long as the list; NULL: no memory, and the error
 * says so. */
void *list_take(berth_list *list, size_t count, size_t item_bytes,
                berth_list_error *error);

/* Notes what failed; returns status. */
berth_status list_fail(berth_list_error *error, berth_status status,
                       const char *what);

/* The same of a field of a line, which is shown. */
berth_status list_fail_at(berth_list_error *error, berth_status status,
                          uint32_t line, uint32_t column, berth_bytes field,
                          const char *what);

/* --- the text of a CSV --------------------------------------------------- */

enum { CSV_FIELDS_MAX = 16 };

/* What a column is about. */
#define CSV_ROLE_TABLE(X)                                                      \
    X(ID, "id")                                                                \
    X(LOWER, "lower")                                                          \
    X(UPPER, "upper")                                                          \
    X(SIZE, "size")                                                            \
    X(ALIGNMENT, "alignment")                                                  \
    X(OFFSET, "offset")                                                        \
    X(REGION, "region")                                                        \
    X(GAPS, "gaps")                                                            \
    X(HINT, "hint")                                                            \
    X(NAME, "name")                                                            \
    X(MODEL, "model")

typedef enum csv_role {
#define CSV_ROLE_ENUM(name, text) CSV_##name,
    CSV_ROLE_TABLE(CSV_ROLE_ENUM)
#undef CSV_ROLE_ENUM
        CSV_ROLES
} csv_role;

typedef struct csv_reader {
    berth_bytes left;
    uint32_t line; /* of the fields, from 1 */
    berth_bytes fields[CSV_FIELDS_MAX];
    uint32_t field_count;
    uint32_t column_count;      /* of the first line */
    uint32_t column[CSV_ROLES]; /* of each role; BERTH_NONE: not there */
    uint64_t upper_add;         /* 1 where the last moment is named instead */
    uint8_t *text;              /* room to take quotes out, or NULL: none */
    berth_list_error *error;
} csv_reader;

/* One line, its numbers read. */
typedef struct csv_row {
    uint64_t value[CSV_ROLES]; /* of the roles that are numbers */
    berth_bytes id;
    berth_bytes name;
    berth_bytes gaps;
    berth_bytes model;
} csv_row;

/* Begins a text: reads its first line, which must name the columns in `needed`,
 * a mask of roles. text: room for as many bytes as the file has, if it has
 * quotes. */
berth_status csv_begin(csv_reader *r, berth_bytes file, uint8_t *text,
                       uint32_t needed, berth_list_error *error);

/* The next line that is not empty; *more is false behind the last. */
berth_status csv_next(csv_reader *r, csv_row *row, bool *more);

/* Refuses the field of a role in the line at hand. */
berth_status csv_fail(const csv_reader *r, csv_role role, berth_status status,
                      const char *what);

/* Whether the first line has that column. */
static inline bool csv_has(const csv_reader *r, csv_role role)
{
    return r->column[role] != BERTH_NONE;
}

/* Decimal digits, all of them; false: none, other bytes, or beyond 2^63. */
bool csv_number(berth_bytes field, uint64_t *value);

/* Lines of a text, counting one without an end; saturates. */
uint32_t csv_count_lines(berth_bytes file);

#endif
