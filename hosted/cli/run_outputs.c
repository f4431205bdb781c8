/* What comes out of a model: shown, saved, compared. */
#include "cli_run.h"

#include "report/report_int.h"

#include <errno.h>
#include <string.h>

enum { SHOWN_MAX = 8 };

const char *run_save_error(int error)
{
    return error == EINVAL    ? "is there, and no ordinary file"
           : error == ENOTSUP ? "numpy has no such element type"
                              : strerror(error);
}

static berth_verdict save_output(const char *path, const berth_io *io)
{
    const int error = berth_array_write(path, io->type, io->rank, io->dims,
                                        io->data, io->bytes);
    if (error == 0) {
        return BERTH_VERDICT_OK;
    }
    cli_complain_of(path, run_save_error(error));
    return BERTH_VERDICT_SYSTEM;
}

/* --- comparing ---------------------------------------------------------------
 */

static bool has_shape_of(const berth_array *array, const berth_io *io)
{
    return !array->has_shape ||
           (array->rank == io->rank &&
            (io->rank == 0 || memcmp(array->dims, io->dims,
                                     io->rank * sizeof(io->dims[0])) == 0));
}

static berth_verdict compare_output(const run_job *job, uint32_t i,
                                    const berth_io *io, run_comparison *found)
{
    const char *path = job->request->run.expects.path[i];
    const berth_array_want want = {.type = io->type,
                                   .rank = io->rank,
                                   .dims = io->dims,
                                   .bytes = io->bytes};
    berth_array array;
    berth_array_error error;
    char why[256];
    char shape[WORD_SHAPE];
    found->asked = true;
    if (!berth_array_read(job->port, path, &want, NULL, &array, &error)) {
        (void)snprintf(why, sizeof(why), "%s%s%s", error.what,
                       error.os_error != 0 ? ": " : "",
                       error.os_error != 0 ? strerror(error.os_error) : "");
        cli_complain_of(path, why);
        return error.os_error != 0 ? BERTH_VERDICT_SYSTEM : BERTH_VERDICT_UNFIT;
    }
    found->same_kind = has_shape_of(&array, io) && array.bytes == io->bytes;
    if (found->same_kind) {
        found->difference =
            berth_array_compare(io->type, berth_io_elements(io), io->data,
                                array.data, job->request->run.tolerance);
    } else {
        (void)snprintf(
            why, sizeof(why), "another shape; output %u is %s", i,
            run_type_shape(shape, sizeof(shape), io->type, io->rank, io->dims));
        cli_complain_of(path, why);
    }
    berth_array_close(job->port, &array);
    return found->same_kind && found->difference.count == 0
               ? BERTH_VERDICT_OK
               : BERTH_VERDICT_UNFIT;
}

static void print_comparison(const run_comparison *found, uint64_t elements)
{
    char numbers[2][WORD_NUMBER];
    const berth_difference *d = &found->difference;
    if (!found->asked || !found->same_kind) {
        return;
    }
    if (d->count == 0) {
        (void)printf("          as expected, %s values",
                     word_number(numbers[0], elements));
        if (d->largest > 0.0) {
            (void)printf("; largest difference %.3g", d->largest);
        }
        (void)putchar('\n');
        return;
    }
    (void)printf("          not as expected: %s of %s values differ, the first "
                 "at %llu: %.9g, not %.9g; largest difference %.3g\n",
                 word_number(numbers[0], d->count),
                 word_number(numbers[1], elements),
                 (unsigned long long)d->first, d->got, d->expected, d->largest);
}

/* --- text --------------------------------------------------------------------
 */

static void print_head(const run_job *job)
{
    const berth_engine_need *need = &job->session.need;
    char numbers[4][WORD_NUMBER];
    char name[WORD_NAME];
    (void)word_name(name, word_bytes(job->path, strlen(job->path)), 80u);
    (void)printf("%s  ran in %s bytes: arena %s, state %s, books %s\n", name,
                 word_number(numbers[0], need->total_bytes),
                 word_number(numbers[1], need->region_bytes[0]),
                 word_number(numbers[2], need->state_bytes),
                 word_number(numbers[3], need->books_bytes));
    (void)printf(
        "          %s kernels, %s arithmetic; plan %.3f ms, prepare "
        "%.3f ms, first run %.3f ms",
        job->request->run.reference ? "ref" : "opt",
        job->request->run.profile == BERTH_PROFILE_TFLM ? "tflm" : "litert",
        (double)job->session.plan_ns / 1e6,
        (double)job->session.prepare_ns / 1e6, (double)job->first_ns / 1e6);
    if (job->runs > 1) {
        (void)printf(", best of %u %.3f ms", job->runs,
                     (double)job->best_ns / 1e6);
    }
    (void)putchar('\n');
    if (job->request->run.poison) {
        (void)printf("          poisoned: %s\n",
                     job->poisoned_differs
                         ? "outputs depend on dead bytes, please report"
                         : "no output depends on a dead byte");
    }
}

static void print_output(uint32_t i, const berth_io *io,
                         const run_comparison *found)
{
    char name[WORD_NAME];
    char shape[WORD_SHAPE];
    const uint64_t elements = berth_io_elements(io);
    (void)word_name(name, io->name, 40u);
    (void)printf(
        "output %-2u %s  %s ", i, name,
        run_type_shape(shape, sizeof(shape), io->type, io->rank, io->dims));
    for (uint64_t k = 0; k < elements && k < SHOWN_MAX && io->data != NULL;
         ++k) {
        (void)printf(" %.6g", berth_array_value(io->type, io->data, k, NULL));
    }
    (void)puts(elements > SHOWN_MAX ? " ..." : "");
    print_comparison(found, elements);
}

/* --- all of it ---------------------------------------------------------------
 */

static berth_verdict worse_of(berth_verdict a, berth_verdict b)
{
    return a > b ? a : b; /* the table of verdicts ascends */
}

static berth_verdict show_outputs(run_job *job, json_t *list)
{
    const cli_run_request *run = &job->request->run;
    const uint32_t count = berth_engine_output_count(job->session.engine);
    berth_verdict worst = BERTH_VERDICT_OK;
    for (uint32_t i = 0; i < count; ++i) {
        berth_io io;
        run_comparison found = {.asked = false};
        if (berth_engine_output(job->session.engine, i, &io) != BERTH_OK) {
            continue;
        }
        if (i < run->expects.count) {
            worst = worse_of(worst, compare_output(job, i, &io, &found));
        }
        if (i < run->outputs.count) {
            worst = worse_of(worst, save_output(run->outputs.path[i], &io));
        }
        if (list != NULL) {
            (void)json_array_append_new(list, run_json_output(&io, &found));
        } else {
            print_output(i, &io, &found);
        }
    }
    return worst;
}

static berth_verdict show_json(run_job *job, const run_ranking *ranking)
{
    json_t *head = run_json_head(job);
    json_t *list = json_array();
    const berth_verdict worst = show_outputs(job, list);
    (void)json_object_set_new(head, "outputs", list);
    if (ranking->count > 0) {
        (void)json_object_set_new(head, "top", run_json_ranking(ranking));
    }
    (void)json_dumpf(head, stdout, JSON_INDENT(2));
    (void)putchar('\n');
    json_decref(head);
    return worst;
}

static berth_verdict show_text(run_job *job, const run_ranking *ranking)
{
    print_head(job);
    const berth_verdict worst = show_outputs(job, NULL);
    run_print_ranking(ranking);
    return worst;
}

berth_verdict run_show(run_job *job)
{
    const cli_run_request *run = &job->request->run;
    const uint32_t count = berth_engine_output_count(job->session.engine);
    run_ranking ranking = {.top = NULL};
    if (run->expects.count > count || run->outputs.count > count) {
        cli_complain("more files for outputs than the model has: %u", count);
        return BERTH_VERDICT_USAGE;
    }
    berth_verdict worst = run_rank(job, &ranking);
    if (worst == BERTH_VERDICT_OK) {
        worst = job->request->format == CLI_JSON ? show_json(job, &ranking)
                                                 : show_text(job, &ranking);
    }
    berth_file_close(job->port, &ranking.labels);
    berth_block_give(job->port, &ranking.block);
    return job->poisoned_differs ? worse_of(worst, BERTH_VERDICT_UNFIT) : worst;
}
