/* list_int.h: the parts of a list. */
#ifndef BERTH_HOSTED_LIST_INT_H
#define BERTH_HOSTED_LIST_INT_H

#include "berth/hosted/list.h"
#include "berth/plan_file.h"

#include <string.h>

/* --- memory and errors --------------------------------------------------- */

/* A zeroed block that lives as long as the list; NULL: no memory, and the error
 * says so. */
void *list_take(berth_list *list, size_t count, size_t item_bytes,
                berth_list_error *error);

/* Notes what failed; returns status. */
berth_status list_fail(berth_list_error *error, berth_status status,
                       const char *what);

/* The system has no memory; returns BERTH_NO_SPACE. */
berth_status list_no_memory(berth_list_error *error);

/* As list_fail() of a field of a line, which is shown. */
berth_status list_fail_at(berth_list_error *error, berth_status status,
                          uint32_t line, uint32_t column, berth_bytes field,
                          const char *what);

/* --- sources ------------------------------------------------------------- */

/* What is staged must outlive the list, and its loaded model too. */
berth_status list_of_model(const berth_staged *staged, berth_list *list,
                           berth_list_error *error);

/* "#12 conv/output", "#3@1 x". */
void list_name_tensor(const berth_source *source, uint32_t tensor, char *text,
                      size_t size);

/* --- plans --------------------------------------------------------------- */

#define LIST_JSON_FORMAT  "berth plan"
#define LIST_JSON_VERSION 1

/* A word of our own, or a path, as bytes. */
static inline berth_bytes list_text(const char *text)
{
    return (berth_bytes){(const uint8_t *)text, strlen(text)};
}

/* What a plan file of this source belongs to, and what it calls the items. */
berth_plan_tag list_tag(const berth_source *source);
const uint32_t *list_keys(const berth_source *source);

/* --- plans that are read ------------------------------------------------- */

/* An item by its id. */
typedef struct list_slot {
    berth_bytes id;
    uint32_t item;
    uint32_t next; /* of the first of its id: how many have been found */
} list_slot;

/* Whose offsets are looked for. */
typedef struct list_match {
    berth_part *parts;
    uint32_t count;
    uint32_t part;    /* the one found last */
    list_slot *slots; /* of all parts, one after the other, each sorted */
    uint32_t *first;  /* slot of each part; first[count] is their number */
    berth_block block;
} list_match;

/* Forgets all offsets of the parts. */
berth_status list_match_begin(list_match *match, berth_part *parts,
                              uint32_t count, berth_list_error *error);
void list_match_end(list_match *match);

/* Goes on with the part of that label; false: there is none. */
bool list_match_part(list_match *match, berth_bytes label);

/* One row of the plan. size: BERTH_NOWHERE if it does not say. NULL, or why it
 * cannot be. */
const char *list_match_set(list_match *match, berth_bytes id, uint64_t size,
                           uint64_t offset);

/* Refuses a plan without all offsets. */
berth_status list_match_all(const list_match *match, berth_list_error *error);

/* A plan that is about something else. */
berth_status list_refuse_given(berth_list_error *error, uint32_t line,
                               uint32_t column, berth_bytes field,
                               const char *what);

berth_status list_read_csv(list_match *match, berth_bytes file,
                           berth_list_error *error);
berth_status list_read_json(list_match *match, berth_bytes file,
                            berth_list_error *error);

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
    uint8_t *text; /* room for fields that are not as they stand in the file */
    berth_list_error *error;
} csv_reader;

/* One line, its numbers read. */
typedef struct csv_row {
    uint64_t value[CSV_ROLES]; /* of the roles that are numbers */
    berth_bytes id; /* escaped, as the next two: plans are matched by them, and
                       written that way */
    berth_bytes name;
    berth_bytes model;
    berth_bytes gaps;
} csv_row;

/* Whether any field of the text may be other than it stands there: quoted, or
 * no printable ASCII. Then csv_begin() needs room, CSV_TEXT_TIMES its size. */
enum { CSV_TEXT_TIMES = 5 };
bool csv_needs_text(berth_bytes file);

/* Begins a text: reads its first line, which must name the columns in `needed`,
 * a mask of roles. */
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

/* Decimal digits, all of them; false: none, other bytes, or 2^63
 * and more. */
bool csv_number(berth_bytes field, uint64_t *value);

/* Lines of a text, counting one without an end; saturates. */
uint32_t csv_count_lines(berth_bytes file);

#endif
