/* berth/hosted/list.h: planning problems with the names that people know their
 * parts by, and plans of them as files.
 *
 *     berth_list list;
 *     berth_list_error error;
 *     if (berth_list_open(&port, "buffers.csv", &options, &list, &error) ==
 *         BERTH_OK) {
 *         ... list.problem; list.entries[item].id
 *         berth_list_csv(&list, &plan, out);
 *     } else {
 *         berth_list_why(&error, text, sizeof(text));
 *     }
 *     berth_list_close(&list);
 *
 * A list comes from a CSV or from a model. Nothing that a file says is believed
 * before it was checked, and names from it are escaped wherever they go. */
#ifndef BERTH_HOSTED_LIST_H
#define BERTH_HOSTED_LIST_H

#include <stdio.h>

#include "berth/hosted/load.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_list_entry {
    berth_bytes id;   /* of a CSV as it is there; of a model "12" for tensor 12,
                         "12@2" in subgraph 2, "op7" for scratch of operator 7 */
    berth_bytes name; /* of the tensor; size 0: none */
    uint32_t line;    /* of the CSV, from 1; 0: it has none */
} berth_list_entry;

/* Why there is no list, or no plan. */
typedef struct berth_list_error {
    berth_load_error load;
    uint32_t line;   /* of a text, from 1; 0: the error is not about one */
    uint32_t column; /* of its fields, from 1; 0: the whole line */
    char text[64];   /* what stands there, escaped, or "" */
} berth_list_error;

enum { BERTH_LIST_BLOCKS_MAX = 16 };

typedef struct berth_list {
    berth_port *port;
    berth_problem problem;
    berth_list_entry *entries; /* by item */
    const uint64_t *times; /* of a CSV: step i goes from times[i] to times[i +
                              1]; NULL: steps are their own numbers */
    uint64_t *offset;      /* by item, where the CSV has that column:
                              BERTH_NOWHERE where the field is empty. Else NULL */
    bool has_alignment;    /* the columns that the CSV has */
    bool has_region;
    berth_file file; /* a CSV, which names point into */
    berth_block blocks[BERTH_LIST_BLOCKS_MAX];
    uint32_t block_count;
} berth_list;

typedef struct berth_list_options {
    uint32_t align; /* of buffers that name none; 0: 1 */
    bool fixed;     /* offsets of the CSV are where these buffers must lie */
} berth_list_options;

/* Whether it is a CSV of buffers: called so, or its first line has the columns
 * of one. */
bool berth_list_is_csv(const char *path, berth_bytes file);

/* A CSV as docs/buffers-csv.md tells. Takes the file over, whatever comes of
 * it. BERTH_BAD_MODEL with line and column: it is none, or contradicts itself.
 * BERTH_UNSUPPORTED: it asks for what berth does not do yet. On failure `list`
 * holds nothing, and may be closed. O(n log n). */
BERTH_MUST_USE berth_status berth_list_of_csv(berth_port *port,
                                              berth_file *file,
                                              const berth_list_options *options,
                                              berth_list *list,
                                              berth_list_error *error);

void berth_list_close(berth_list *list);

/* What an error comes to, in a line without a newline: "line 3, column 2: ...".
 * Cut to `size`. */
void berth_list_why(const berth_list_error *error, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
