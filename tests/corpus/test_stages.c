/* Graph, schedule and lifetimes of every model of the corpus, and of every
 * subgraph in it: what must hold of any of them. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "berth/lifetime.h"
#include "corpus.h"

typedef struct tally {
    unsigned files;
    unsigned refused; /* by the reader or the graph */
    unsigned subgraphs;
    unsigned unscheduled;
    unsigned warned;
    double bytes_most; /* of a step and tensor, above 64 KB */
} tally;

static void *lend(size_t bytes, berth_work *work)
{
    void *memory = malloc(bytes + 1);
    assert_non_null(memory);
    *work = berth_work_of(memory, bytes);
    return memory;
}

static void assert_topological(const berth_graph *graph)
{
    uint32_t *at = calloc(graph->op_count + 1u, sizeof(*at));
    assert_non_null(at);
    for (uint32_t i = 0; i < graph->op_count; ++i) {
        at[graph->order[i]] = i;
    }
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        const uint32_t *inputs = berth_graph_inputs(graph, op);
        for (uint32_t i = 0; i < graph->ops[op].input_count; ++i) {
            const uint32_t producer = inputs[i] == BERTH_NONE
                                          ? BERTH_NONE
                                          : graph->tensors[inputs[i]].producer;
            assert_true(producer == BERTH_NONE || at[producer] < at[op]);
        }
    }
    free(at);
}

static bool is_alive(const berth_problem *p, uint32_t item, uint32_t step)
{
    const berth_span *span = p->spans + p->items[item].first_span;
    for (uint32_t i = 0; i < p->items[item].span_count; ++i) {
        if (span[i].born <= step && step < span[i].dead) {
            return true;
        }
    }
    return false;
}

/* Operators that only write what needs no bytes may have nothing to do. */
static bool may_be_idle(const berth_lifetimes *l, const berth_step *step)
{
    for (uint32_t i = 0; i < step->write_count; ++i) {
        if (step->writes[i] != BERTH_NONE &&
            l->item_of_tensor[step->writes[i]] != BERTH_NONE) {
            return false;
        }
    }
    return step->kind == BERTH_STEP_OP;
}

static void assert_alive(const berth_schedule *schedule,
                         const berth_lifetimes *l)
{
    const berth_problem *p = &l->problem;
    for (uint32_t s = 0; s < schedule->step_count; ++s) {
        const berth_step *step = &schedule->steps[s];
        for (uint32_t i = 0; i < step->read_count; ++i) {
            const uint32_t t = step->reads[i];
            if (t != BERTH_NONE && l->item_of_tensor[t] != BERTH_NONE &&
                !may_be_idle(l, step)) {
                assert_true(is_alive(p, l->item_of_tensor[t], s));
            }
        }
        for (uint32_t i = 0; i < step->write_count; ++i) {
            const uint32_t t = step->writes[i];
            if (t != BERTH_NONE && l->item_of_tensor[t] != BERTH_NONE) {
                assert_true(is_alive(p, l->item_of_tensor[t], s));
            }
        }
    }
    for (uint32_t item = 0; item < p->item_count; ++item) {
        const berth_item *row = &p->items[item];
        const berth_span *span = p->spans + row->first_span;
        if ((row->flags & BERTH_ITEM_INPUT) != 0) {
            assert_int_equal(span[0].born, 0);
        }
        if ((row->flags & BERTH_ITEM_OUTPUT) != 0) {
            assert_int_equal(span[row->span_count - 1].dead, p->step_count);
        }
    }
}

static void assert_well_formed(const berth_problem *problem)
{
    size_t need = 0;
    assert_int_equal(berth_problem_check_bytes(problem, &need), BERTH_OK);
    berth_work work;
    void *memory = lend(need, &work);
    berth_diag diag;
    const berth_status status = berth_problem_check(problem, work, &diag);
    if (status != BERTH_OK) {
        fail_msg("%s: item %u", diag.what, diag.tensor);
    }
    free(memory);
}

static void check_subgraph(const berth_graph *graph, uint32_t s,
                           size_t graph_bytes, tally *total)
{
    berth_diag diag;
    const berth_shape_options options = {.subgraph = s};
    size_t need[3] = {0};
    berth_work work;
    void *memory[3] = {NULL};
    berth_shapes shapes;
    berth_schedule schedule;
    berth_lifetimes lifetimes;
    ++total->subgraphs;
    assert_int_equal(berth_shapes_bytes(graph, &options, &need[0], &diag),
                     BERTH_OK);
    memory[0] = lend(need[0], &work);
    assert_int_equal(berth_shapes_init(graph, &options, &work, &shapes, &diag),
                     BERTH_OK);
    if (berth_schedule_bytes(graph, s, &need[1], &diag) != BERTH_OK) {
        ++total->unscheduled;
        free(memory[0]);
        return;
    }
    memory[1] = lend(need[1], &work);
    const berth_status status =
        berth_schedule_init(graph, s, &work, &schedule, &diag);
    if (status != BERTH_OK) { /* operands that do not fit a callee's */
        assert_int_equal(status, BERTH_UNSUPPORTED);
        ++total->unscheduled;
        free(memory[0]);
        free(memory[1]);
        return;
    }
    assert_true(schedule.step_count == berth_schedule_count(graph, s));
    assert_int_equal(
        berth_lifetimes_bytes(graph, &shapes, &schedule, NULL, &need[2], &diag),
        BERTH_OK);
    memory[2] = lend(need[2], &work);
    assert_int_equal(berth_lifetimes_init(graph, &shapes, &schedule, NULL,
                                          &work, &lifetimes, &diag),
                     BERTH_OK);
    assert_well_formed(&lifetimes.problem);
    assert_alive(&schedule, &lifetimes);
    const double bytes = (double)(graph_bytes + need[1] + need[2]) - 65536;
    const double units = schedule.step_count + (double)graph->tensor_count;
    if (bytes > 0 && bytes / units > total->bytes_most) {
        total->bytes_most = bytes / units;
    }
    for (int i = 0; i < 3; ++i) {
        free(memory[i]);
    }
}

static void check_file(const char *path, tally *total)
{
    const berth_bytes file = file_read(path);
    const berth_model *model = NULL;
    berth_diag diag;
    berth_work work;
    size_t need = 0;
    if (file.data == NULL ||
        berth_model_bytes(file, &need, &diag) != BERTH_OK) {
        free((void *)(uintptr_t)file.data);
        ++total->refused;
        return;
    }
    void *memory = lend(need, &work);
    void *graph_memory = NULL;
    berth_graph graph;
    if (berth_model_init(file, &work, &model, &diag) == BERTH_OK) {
        assert_int_equal(berth_graph_bytes(model, &need, &diag), BERTH_OK);
        graph_memory = lend(need, &work);
    }
    if (graph_memory == NULL ||
        berth_graph_init(model, &work, &graph, &diag) != BERTH_OK) {
        ++total->refused;
    } else {
        ++total->files;
        total->warned += graph.warning_count > 0;
        assert_topological(&graph);
        for (uint32_t s = 0; s < graph.subgraph_count; ++s) {
            check_subgraph(&graph, s, need, total);
        }
    }
    free(graph_memory);
    free(memory);
    free((void *)(uintptr_t)file.data);
}

static void walk(const char *folder, tally *total)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry = readdir(dir); entry != NULL;
         entry = readdir(dir)) {
        char path[1024];
        struct stat info;
        if (entry->d_name[0] == '.' ||
            snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >=
                (int)sizeof(path) ||
            stat(path, &info) != 0) {
            continue;
        }
        if (S_ISDIR(info.st_mode)) {
            walk(path, total);
        } else {
            check_file(path, total);
        }
    }
    closedir(dir);
}

static void every_model_gives_a_sound_problem(void **state)
{
    (void)state;
    if (!corpus_has("models")) {
        printf("SKIP the corpus is not there\n");
        skip();
    }
    char folder[1024];
    snprintf(folder, sizeof(folder), "%s", corpus_path("models"));
    tally total = {0};
    walk(folder, &total);
    printf("%u files, %u no model; %u subgraphs, %u without a schedule; "
           "%u files warned of; at most %.0f bytes a step and tensor\n",
           total.files, total.refused, total.subgraphs, total.unscheduled,
           total.warned, total.bytes_most);
    assert_true(total.files > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_gives_a_sound_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
