/* cli_run.h: berth run in parts: what goes in (run_inputs.c), the runs
 * (command_run.c), tensors on the way (run_dumps.c), what comes out
 * (run_outputs.c), its largest values (run_top.c), all for programs
 * (run_json.c). */
#ifndef BERTH_HOSTED_CLI_RUN_H
#define BERTH_HOSTED_CLI_RUN_H

#include "cli.h"

#include "berth/hosted/run.h"
#include "berth/hosted/session.h"

#include <jansson.h>

typedef struct run_job {
    const cli_request *request;
    const char *path;
    berth_port *port;
    berth_session session;
    uint32_t subgraph;
    uint32_t input_count;
    uint32_t runs;       /* of each series */
    berth_array *inputs; /* [input_count]; zeroed where a seed makes it */
    berth_block inputs_block;
    /* --shape, and the shapes that arrays have and the model does not. */
    berth_named_shape shapes[3 * CLI_NAMED_MAX];
    uint32_t shape_count;
    char shape_names[2 * CLI_NAMED_MAX][16];
    uint32_t shape_name_count;
    /* Of inputs that shapes depend on. */
    int64_t values[CLI_NAMED_MAX][BERTH_SHAPE_VALUES_MAX];
    uint64_t first_ns; /* of the first run */
    uint64_t best_ns;  /* of all */
    uint64_t total_ns;
    bool poisoned_differs;
} run_job;

/* Reads the files that --input names, and finds the shapes that they ask for.
 * Any verdict but OK: a message was printed. */
berth_verdict run_read_inputs(run_job *job);
/* Where preparing failed: the arrays whose shapes the model was asked to take.
 */
void run_tell_resized(const run_job *job);
/* A shape more, for an input that is named by its local number; there is room
 * for two an input that may have a file. */
berth_named_shape *run_add_shape(run_job *job, uint32_t local);
/* Where shapes depend on the values of small inputs: adds these to the shapes,
 * so that the plan is made for them. */
void run_find_values(run_job *job, const berth_stage_options *stage);
/* The elements of input i, from its file or seed, into `data`; false: its type
 * has no seed. `step` counts runs. */
bool run_input_bytes(const run_job *job, uint32_t i, uint32_t step,
                     berth_type type, uint64_t elements, size_t bytes,
                     uint8_t *data);
/* Writes the inputs into the engine, for run number `step`. */
berth_verdict run_feed(run_job *job, uint32_t step);
void run_close_inputs(run_job *job);

/* What --expect found for an output. */
typedef struct run_comparison {
    bool asked;
    bool same_kind; /* type and shape */
    berth_difference difference;
} run_comparison;

typedef struct run_top {
    uint64_t index;
    double value;
} run_top;

/* What --top asks for. */
typedef struct run_ranking {
    run_top *top;
    uint32_t count;
    berth_file labels;
    berth_block block;
} run_ranking;

const char *run_save_error(int error); /* of berth_array_write() */

berth_verdict run_rank(const run_job *job, run_ranking *ranking);
void run_print_ranking(const run_ranking *ranking);
/* Line number `index` of the file, escaped; "" when there is none. `text`:
 * WORD_NAME bytes. */
void run_label(berth_bytes file, uint64_t index, char *text);

json_t *run_json_head(const run_job *job);
json_t *run_json_output(const berth_io *io, const run_comparison *found);
json_t *run_json_ranking(const run_ranking *ranking);

/* Prints, saves and compares the outputs. UNFIT: one is not as expected. */
berth_verdict run_show(run_job *job);

/* --dump-tensor: copies tensors as the steps that write them end. */
typedef struct run_dumps run_dumps;
run_dumps *run_dumps_open(run_job *job, berth_verdict *verdict);
void run_dumps_after(run_dumps *dumps, const berth_engine_event *event);
/* Saves what was caught. */
berth_verdict run_dumps_save(run_dumps *dumps);
void run_dumps_close(run_dumps *dumps);

/* Says why a session was not made, or a run failed; what that comes to. */
berth_verdict cli_refuse_session(const berth_session *session, const char *path,
                                 const berth_load_error *error);

/* "int8 1x96x96x3" */
const char *run_type_shape(char *text, size_t size, berth_type type,
                           uint32_t rank, const int32_t *dims);

#endif
