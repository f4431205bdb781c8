/* What goes into a model: files, or numbers from a seed. */
#include "cli_run.h"

#include "report/report_int.h"

#include <string.h>

const char *run_type_shape(char *text, size_t size, berth_type type,
                           uint32_t rank, const int32_t *dims)
{
    size_t at = (size_t)snprintf(text, size, "%s", berth_type_name(type));
    for (uint32_t i = 0; i < rank && at < size; ++i) {
        at += (size_t)snprintf(text + at, size - at, i == 0 ? " %d" : "x%d",
                               dims[i]);
    }
    if (rank == 0 && at < size) {
        (void)snprintf(text + at, size - at, " scalar");
    }
    return text;
}

/* The tensor of input i, as the file has it; the shape that --shape gives
 * counts for pictures. */
typedef struct run_wanted {
    berth_tensor tensor;
    uint32_t global;
    uint32_t local;
    uint32_t rank;
    int32_t dims[BERTH_RANK_MAX];
    uint64_t bytes;
    berth_quantization quantization;
} run_wanted;

static run_wanted wanted_of(const run_job *job, uint32_t i)
{
    const berth_graph *graph = &job->session.loaded.graph;
    const uint32_t tensor =
        berth_graph_subgraph_inputs(graph, job->subgraph)[i];
    run_wanted wanted = {.tensor = berth_graph_tensor_info(graph, tensor),
                         .global = tensor,
                         .local = tensor - graph->tensor_base[job->subgraph]};
    const uint32_t rank = wanted.tensor.shape.count;
    wanted.rank = rank < BERTH_RANK_MAX ? rank : BERTH_RANK_MAX;
    for (uint32_t k = 0; k < wanted.rank; ++k) {
        wanted.dims[k] = berth_ivec_at(wanted.tensor.shape, k);
    }
    for (uint32_t k = 0; k < job->request->report.stage.shape_count; ++k) {
        const berth_named_shape *shape = &job->request->shapes[k];
        if (berth_load_find_tensor(&job->session.loaded, job->subgraph,
                                   shape->name) == tensor) {
            wanted.rank = shape->rank;
            memcpy(wanted.dims, shape->dims, sizeof(wanted.dims));
        }
    }
    uint64_t bits = berth_type_bits(wanted.tensor.type);
    for (uint32_t k = 0; k < wanted.rank; ++k) {
        bits *= (uint64_t)(wanted.dims[k] < 0 ? 1 : wanted.dims[k]);
    }
    wanted.bytes = (bits + 7u) / 8u;
    wanted.quantization = berth_model_quantization(job->session.loaded.model,
                                                   job->subgraph, wanted.local);
    return wanted;
}

static berth_verdict refuse_array(const char *path,
                                  const berth_array_error *error)
{
    char numbers[2][WORD_NUMBER];
    char why[512];
    size_t at = (size_t)snprintf(
        why, sizeof(why), "%s",
        error->os_error != 0 ? strerror(error->os_error) : error->what);
    if (error->text[0] != '\0') {
        at +=
            (size_t)snprintf(why + at, sizeof(why) - at, " (%s)", error->text);
    }
    if (error->needed != BERTH_NOWHERE && error->os_error == 0) {
        at += (size_t)snprintf(why + at, sizeof(why) - at, ": %s, not %s",
                               word_number(numbers[0], error->given),
                               word_number(numbers[1], error->needed));
    }
    if (error->at != BERTH_NOWHERE) {
        (void)snprintf(why + at, sizeof(why) - at, ", at byte %s",
                       word_number(numbers[0], error->at));
    }
    cli_complain_of(path, why);
    return error->os_error != 0 ? BERTH_VERDICT_SYSTEM : BERTH_VERDICT_DAMAGED;
}

/* Asked for, else of the metadata, else what is usual (count 0). */
static berth_normalisation normalisation_of(const run_job *job, uint32_t i)
{
    const cli_run_request *run = &job->request->run;
    berth_normalisation how = {.count = 0};
    if (run->mean_count == 0 && run->std_count == 0) {
        if (job->subgraph == 0) {
            (void)berth_metadata_normalisation(job->session.loaded.model, i,
                                               &how);
        }
        return how;
    }
    const uint32_t count =
        run->mean_count > run->std_count ? run->mean_count : run->std_count;
    how.count = count;
    for (uint32_t k = 0; k < count; ++k) {
        how.mean[k] = run->mean_count == 0
                          ? 0.0f
                          : run->mean[k < run->mean_count ? k : 0];
        how.std[k] =
            run->std_count == 0 ? 1.0f : run->std[k < run->std_count ? k : 0];
    }
    return how;
}

static bool same_shape(const berth_array *array, const run_wanted *wanted)
{
    return array->rank == wanted->rank &&
           (array->rank == 0 ||
            memcmp(array->dims, wanted->dims,
                   array->rank * sizeof(array->dims[0])) == 0);
}

berth_named_shape *run_add_shape(run_job *job, uint32_t local)
{
    char *name = job->shape_names[job->shape_name_count++];
    (void)snprintf(name, sizeof(job->shape_names[0]), "#%u", local);
    berth_named_shape *shape = &job->shapes[job->shape_count++];
    *shape = (berth_named_shape){.name = {(const uint8_t *)name, strlen(name)}};
    return shape;
}

/* An array of another shape than the model's: the input is resized. */
static bool resize_as(run_job *job, const run_wanted *wanted,
                      const berth_array *array)
{
    if (!array->has_shape || same_shape(array, wanted)) {
        return true;
    }
    if (array->rank > BERTH_RANK_MAX) {
        return false;
    }
    berth_named_shape *shape = run_add_shape(job, wanted->local);
    shape->rank = array->rank;
    memcpy(shape->dims, array->dims, array->rank * sizeof(shape->dims[0]));
    return true;
}

/* What input i takes. */
static void tell_input(const run_job *job, uint32_t i)
{
    const run_wanted wanted = wanted_of(job, i);
    char name[WORD_NAME];
    char shape[WORD_SHAPE];
    (void)word_name(name, wanted.tensor.name, 60u);
    (void)fprintf(stderr, "berth: input %u is %s, %s\n", i, name,
                  run_type_shape(shape, sizeof(shape), wanted.tensor.type,
                                 wanted.rank, wanted.dims));
}

void run_tell_resized(const run_job *job)
{
    for (uint32_t i = 0; i < job->request->run.inputs.count; ++i) {
        const berth_array *array = &job->inputs[i];
        const run_wanted wanted = wanted_of(job, i);
        char shape[WORD_SHAPE];
        if (array->has_shape && !same_shape(array, &wanted)) {
            cli_complain_of(job->request->run.inputs.path[i],
                            run_type_shape(shape, sizeof(shape),
                                           wanted.tensor.type, array->rank,
                                           array->dims));
            tell_input(job, i);
        }
    }
}

/* Each input that neither a file nor a seed fills, by name. */
static berth_verdict refuse_missing(const run_job *job)
{
    cli_complain("no --input for %u of the model's %u inputs, and no --random",
                 job->input_count - job->request->run.inputs.count,
                 job->input_count);
    for (uint32_t i = job->request->run.inputs.count; i < job->input_count;
         ++i) {
        tell_input(job, i);
    }
    return BERTH_VERDICT_USAGE;
}

static berth_verdict read_one(run_job *job, uint32_t i)
{
    const char *path = job->request->run.inputs.path[i];
    const run_wanted wanted = wanted_of(job, i);
    const berth_normalisation how = normalisation_of(job, i);
    const berth_array_want want = {.type = wanted.tensor.type,
                                   .rank = wanted.rank,
                                   .dims = wanted.dims,
                                   .bytes = wanted.bytes,
                                   .quantization = &wanted.quantization};
    berth_array_error error;
    if (!berth_array_read(job->port, path, &want, &how, &job->inputs[i],
                          &error)) {
        const berth_verdict verdict = refuse_array(path, &error);
        if (error.os_error == 0) {
            tell_input(job, i);
        }
        return verdict;
    }
    if (!resize_as(job, &wanted, &job->inputs[i])) {
        cli_complain_of(path, "an array of more axes than an input can have");
        return BERTH_VERDICT_USAGE;
    }
    return BERTH_VERDICT_OK;
}

berth_verdict run_read_inputs(run_job *job)
{
    const cli_run_request *run = &job->request->run;
    job->input_count =
        job->session.loaded.graph.subgraphs[job->subgraph].input_count;
    if (run->inputs.count > job->input_count) {
        cli_complain("%u times --input, but the model has %u input%s",
                     run->inputs.count, job->input_count,
                     job->input_count == 1 ? "" : "s");
        return BERTH_VERDICT_USAGE;
    }
    if (run->seed == NULL && run->inputs.count < job->input_count) {
        return refuse_missing(job);
    }
    if (!berth_block_take(job->port,
                          (job->input_count + 1u) * sizeof(*job->inputs),
                          &job->inputs_block)) {
        cli_complain("no memory for the inputs");
        return BERTH_VERDICT_SYSTEM;
    }
    job->inputs = job->inputs_block.memory;
    memset(job->inputs, 0, job->inputs_block.bytes);
    memcpy(job->shapes, job->request->shapes,
           job->request->report.stage.shape_count * sizeof(job->shapes[0]));
    job->shape_count = job->request->report.stage.shape_count;
    for (uint32_t i = 0; i < run->inputs.count; ++i) {
        const berth_verdict verdict = read_one(job, i);
        if (verdict != BERTH_VERDICT_OK) {
            return verdict;
        }
    }
    return BERTH_VERDICT_OK;
}

bool run_input_bytes(const run_job *job, uint32_t i, uint32_t step,
                     berth_type type, uint64_t elements, size_t bytes,
                     uint8_t *data)
{
    char key[CLI_SEED_MAX + 64];
    const cli_run_request *run = &job->request->run;
    if (i < run->inputs.count) {
        if (bytes > 0) {
            memcpy(data, job->inputs[i].data, bytes);
        }
        return true;
    }
    (void)snprintf(key, sizeof(key), "%s#%u#%u#%u", run->seed, i,
                   run->seed_case, step);
    return berth_array_seed(key, type, elements, data);
}

static berth_verdict feed_one(const run_job *job, uint32_t i, uint32_t step,
                              const berth_io *io)
{
    const bool is_file = i < job->request->run.inputs.count;
    if (io->constant) {
        if (is_file) {
            cli_complain("input %u is a constant of the model", i);
        }
        return is_file ? BERTH_VERDICT_USAGE : BERTH_VERDICT_OK;
    }
    if (is_file && job->inputs[i].bytes != io->bytes) {
        cli_complain("input %u takes %llu bytes, the array has %zu", i,
                     (unsigned long long)io->bytes, job->inputs[i].bytes);
        return BERTH_VERDICT_USAGE;
    }
    if (!run_input_bytes(job, i, step, io->type, berth_io_elements(io),
                         (size_t)io->bytes, io->data)) {
        cli_complain("input %u is %s, which --random cannot make", i,
                     berth_type_name(io->type));
        return BERTH_VERDICT_USAGE;
    }
    return BERTH_VERDICT_OK;
}

berth_verdict run_feed(run_job *job, uint32_t step)
{
    for (uint32_t i = 0; i < job->input_count; ++i) {
        berth_io io;
        if (berth_engine_input(job->session.engine, i, &io) != BERTH_OK ||
            io.bytes == 0) {
            continue; /* a handle, or nothing at all */
        }
        const berth_verdict verdict = feed_one(job, i, step, &io);
        if (verdict != BERTH_VERDICT_OK) {
            return verdict;
        }
    }
    return BERTH_VERDICT_OK;
}

void run_close_inputs(run_job *job)
{
    for (uint32_t i = 0; job->inputs != NULL && i < job->input_count; ++i) {
        berth_array_close(job->port, &job->inputs[i]);
    }
    berth_block_give(job->port, &job->inputs_block);
    job->inputs = NULL;
}
