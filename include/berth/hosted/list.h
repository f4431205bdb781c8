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

#include "berth/digest.h"
#include "berth/hosted/load.h"
#include "berth/hosted/solve.h"
#include "berth/plan_file.h"

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
    bool given;      /* a plan that was given is wrong: no fault of berth, and
                        no damage */
} berth_list_error;

enum { BERTH_LIST_BLOCKS_MAX = 16 };

typedef struct berth_list {
    berth_port *port;
    berth_problem problem;
    /* The same for a solver: of a CSV, steps are the moments of the file, where
     * these fit into 32 bits, since by them it tells long lives from short. */
    berth_problem timed;
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

/* --- sources and plans ------------------------------------------------------
 */

/* Zero is the default of each field; names are borrowed. */
typedef struct berth_source_options {
    berth_list_options list;   /* of a CSV */
    berth_stage_options stage; /* of a model */
    berth_bytes signature;     /* size 0: subgraph of `stage` */
} berth_source_options;

/* A file that something is planned for. */
typedef struct berth_source {
    berth_port *port;
    const char *label; /* what plans of several files call it */
    bool is_csv;
    uint32_t signature;  /* index, or BERTH_NONE */
    berth_loaded loaded; /* of a model */
    berth_staged staged;
    berth_list list;
    uint8_t hash[BERTH_SHA256_BYTES]; /* of the file */
} berth_source;

/* path "-" is standard input. On failure `source` holds nothing, and may be
 * closed; while it is open it stays where it is. A model some of whose tensors
 * have no size is opened: see staged.lifetimes.dynamic_count. */
BERTH_MUST_USE berth_status berth_source_open(
    berth_port *port, const char *path, const berth_source_options *options,
    berth_source *source, berth_list_error *error);
void berth_source_close(berth_source *source);

/* What people call an item: "'b1' (line 3)", "#12 conv/output", "scratch of
 * operator 7 CONV_2D"; cut to `size`. */
void berth_source_name(const berth_source *source, uint32_t item, char *text,
                       size_t size);

/* Both judges of offsets by item, the second only of a model; fills peak, bound
 * and proof. BERTH_UNSOUND: error->load.diag of the judge that objects; its
 * items are items if it is the first (*judge 1), global tensors if it is the
 * second (2). */
BERTH_MUST_USE berth_status berth_source_judge(const berth_source *source,
                                               berth_plan *plan,
                                               uint32_t *judge,
                                               berth_list_error *error);

/* One file of a plan, and where its arena lies in the common one. */
typedef struct berth_part {
    const berth_source *source;
    berth_plan plan;         /* its offsets count from base_bytes */
    berth_strategy strategy; /* that was asked for */
    uint64_t base_bytes;
    uint64_t state_bytes; /* what its model keeps between runs, apart */
    uint64_t books_bytes;
} berth_part;

/* How several files share an arena. */
#define BERTH_SHARING_TABLE(X)                                                 \
    X(ALONE, "alone", "one file")                                              \
    X(EXCLUSIVE, "exclusive", "they never run at one time")                    \
    X(TOGETHER, "together", "each may run while others do")

typedef enum berth_sharing {
#define BERTH_SHARING_ENUM(name, text, help) BERTH_SHARING_##name,
    BERTH_SHARING_TABLE(BERTH_SHARING_ENUM)
#undef BERTH_SHARING_ENUM
} berth_sharing;

const char *berth_sharing_name(berth_sharing sharing);

/* A plan of one file or of several. */
typedef struct berth_plans {
    const berth_part *parts;
    uint32_t count;
    berth_sharing sharing;
    uint64_t peak_bytes; /* of the common arena */
    uint64_t bound_bytes;
    bool has_capacity;
    uint64_t capacity_bytes;
    berth_fit fit; /* into the capacity */
} berth_plans;

/* The buffers with their offsets, as docs/buffers-csv.md tells: what
 * berth_list_of_csv() reads again, but of several files, which have a column
 * model. Errors of writing stay in the stream. */
void berth_plans_csv(const berth_plans *plans, FILE *out);

/* docs/plan.schema.json. False: no memory. */
BERTH_MUST_USE bool berth_plans_json(const berth_plans *plans, FILE *out);

/* Fills the offsets of parts, which count from the start of the common arena
 * then, from any of the three kinds of file. They are not judged, nor believed.
 * BERTH_UNSOUND, with error->given: other buffers than those of the parts, or a
 *    plan file of another file or for another runtime.
 * BERTH_BAD_MODEL    damaged, or none of the three.
 * BERTH_UNSUPPORTED  of a later version.
 * On failure offsets may have been written. O(n log n). */
BERTH_MUST_USE berth_status berth_plans_read(berth_bytes file,
                                             berth_part *parts, uint32_t count,
                                             berth_list_error *error);

/* What the judges say of a plan file for TFLM. */
typedef struct berth_tflm_plan {
    uint32_t item_count;
    uint64_t peak_bytes; /* of TFLM's head */
    uint64_t bound_bytes;
    bool both; /* judges agree; of a model with several subgraphs, whose calls
                  TFLM orders in its own way, only the first is asked */
    char kernels[BERTH_PLAN_KERNELS_BYTES + 1];
} berth_tflm_plan;

/* Whether it is a plan file, and for TFLM. */
bool berth_plan_is_for_tflm(berth_bytes file);

/* Makes TFLM's problem anew, for the kernels that the file names, and asks. As
 * berth_plans_read(); BERTH_UNSUPPORTED: kernels that are not known. */
BERTH_MUST_USE berth_status berth_tflm_judge(const berth_source *source,
                                             berth_bytes file,
                                             berth_tflm_plan *judged,
                                             berth_list_error *error);

/* docs/plan-file.md, of one file. */
BERTH_MUST_USE berth_status berth_plans_file(const berth_plans *plans,
                                             FILE *out,
                                             berth_list_error *error);

#ifdef __cplusplus
}
#endif
#endif
