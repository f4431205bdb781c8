/* berth/hosted/load.h: a path in, every stage out.
 *
 *     berth_port port = berth_port_of_libc();
 *     berth_loaded loaded;
 *     berth_staged staged;
 *     berth_load_error error;
 *     if (berth_load(&port, "model.tflite", &loaded, &error) == BERTH_OK &&
 *         berth_stage(&loaded, NULL, &staged, &error) == BERTH_OK) {
 *         ... loaded.graph, staged.shapes, staged.schedule, staged.lifetimes
 * ... berth_unstage(&staged);
 *     }
 *     berth_unload(&loaded);
 *
 * A loaded model can be staged several times: for other signatures, shapes or
 * lifetimes. Both closes are idempotent and safe on what failed to open. */
#ifndef BERTH_HOSTED_LOAD_H
#define BERTH_HOSTED_LOAD_H

#include "berth/hosted/port.h"
#include "berth/lifetime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BERTH_LOAD_STAGE_TABLE(X)                                              \
    X(FILE, "file")                                                            \
    X(MODEL, "model")                                                          \
    X(GRAPH, "graph")                                                          \
    X(NAMES, "names")                                                          \
    X(SHAPES, "shapes")                                                        \
    X(SCHEDULE, "schedule")                                                    \
    X(LIFETIMES, "lifetimes")                                                  \
    X(PLAN, "plan")                                                            \
    X(ENGINE, "engine")

typedef enum berth_load_stage {
#define BERTH_LOAD_STAGE_ENUM(name, text) BERTH_LOAD_##name,
    BERTH_LOAD_STAGE_TABLE(BERTH_LOAD_STAGE_ENUM)
#undef BERTH_LOAD_STAGE_ENUM
        BERTH_LOAD_STAGE_COUNT
} berth_load_stage;

const char *berth_load_stage_name(berth_load_stage stage);

/* Why there is nothing to use. */
typedef struct berth_load_error {
    berth_load_stage stage;
    berth_status status;  /* what the stage said */
    int os_error;         /* of errno.h; 0: the system did not fail */
    berth_file_kind kind; /* what the file is, if not a model */
    berth_bytes name;     /* NAMES: no such tensor */
    berth_diag diag;
} berth_load_error;

/* The file, verified, and its graph. Immutable; borrowed by what is staged. */
typedef struct berth_loaded {
    berth_port *port;
    berth_file file;
    const berth_model *model;
    berth_graph graph;
    berth_block model_block;
    berth_block graph_block;
    uint64_t verify_ns; /* how long it took, without reading a stream */
    uint64_t graph_ns;
} berth_loaded;

BERTH_MUST_USE berth_status berth_load(berth_port *port, const char *path,
                                       berth_loaded *loaded,
                                       berth_load_error *error);
/* The same for a file that is open; it is taken over, whatever comes of it. */
BERTH_MUST_USE berth_status berth_load_opened(berth_port *port,
                                              berth_file *file,
                                              berth_loaded *loaded,
                                              berth_load_error *error);
void berth_unload(berth_loaded *loaded);

/* The caller's shape for an input that is named. */
typedef struct berth_named_shape {
    berth_bytes name;
    uint32_t rank;
    int32_t dims[BERTH_RANK_MAX];
    const int64_t *values; /* and its value (berth_shape_override), or NULL */
} berth_named_shape;

/* Zero is the default of each field. Names are those of tensors, or those
 * that a signature of the subgraph gives to inputs and outputs, or "#12". */
typedef struct berth_stage_options {
    uint32_t subgraph;
    uint32_t align;
    const berth_named_shape *shapes;
    const berth_bytes *keep;
    const berth_bytes *pin;
    uint32_t shape_count;
    uint32_t keep_count;
    uint32_t pin_count;
    bool no_scratch;
    bool no_inplace;
    bool no_views;
    bool keep_inputs; /* these and the lag: lifetime.h */
    bool hold_inputs;
    bool hold_outputs;
    uint32_t lag;
} berth_stage_options;

typedef struct berth_staged {
    const berth_loaded *loaded;
    uint32_t subgraph;
    berth_shapes shapes;
    berth_schedule schedule;
    berth_lifetimes lifetimes;
    berth_block names_block;
    berth_block shapes_block;
    berth_block schedule_block;
    berth_block lifetimes_block;
    /* The names of the options, resolved: into lifetimes' options. */
    berth_lifetime_options lifetime_options;
    uint64_t shapes_ns;
    uint64_t schedule_ns;
    uint64_t lifetimes_ns;
    berth_load_stage reached; /* the stage that failed, or PLAN */
} berth_staged;

/* On failure `staged` holds the stages that succeeded (see `reached`), so that
 * what can be said still can be; it must be unstaged all the same. */
BERTH_MUST_USE berth_status berth_stage(const berth_loaded *loaded,
                                        const berth_stage_options *options,
                                        berth_staged *staged,
                                        berth_load_error *error);

/* The same in two halves, for those who want to do something between them:
 * names and shapes first, then schedule and lifetimes. */
BERTH_MUST_USE berth_status berth_stage_shapes(
    const berth_loaded *loaded, const berth_stage_options *options,
    berth_staged *staged, berth_load_error *error);
BERTH_MUST_USE berth_status berth_stage_rest(berth_staged *staged,
                                             berth_load_error *error);
void berth_unstage(berth_staged *staged);

/* More lifetimes for the same shapes and schedule, in a block of their own
 * (berth_block_give() it). */
BERTH_MUST_USE berth_status berth_stage_lifetimes(
    const berth_staged *staged, const berth_lifetime_options *options,
    berth_block *block, berth_lifetimes *lifetimes, berth_load_error *error);

/* A tensor of the subgraph by its name, by the name that a signature gives it,
 * or by "#12"; global, or BERTH_NONE. */
uint32_t berth_load_find_tensor(const berth_loaded *loaded, uint32_t subgraph,
                                berth_bytes name);

/* Index of a signature by "#1", for number 1 of the model, or else by its name;
 * of several that bear it, the first. BERTH_NONE: no such. */
uint32_t berth_load_find_signature(const berth_loaded *loaded,
                                   berth_bytes name);

/* The subgraph to run: that of the signature which is called so, if `name` has
 * any bytes; *signature is its index then, else BERTH_NONE, and *subgraph stays
 * as it is. BERTH_BAD_ARG: no such signature. BERTH_UNSUPPORTED: no such
 * subgraph. */
BERTH_MUST_USE berth_status berth_load_choose(const berth_loaded *loaded,
                                              berth_bytes name,
                                              uint32_t *signature,
                                              uint32_t *subgraph,
                                              berth_load_error *error);

#ifdef __cplusplus
}
#endif
#endif
