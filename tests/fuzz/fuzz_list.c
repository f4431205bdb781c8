/* Property: any bytes as a CSV of buffers are refused with a reason, a line and
 * a place in it, or are a problem whose plan is judged right, and which written
 * as CSV, JSON and plan file and read again is the same plan. Any bytes as a
 * plan of it are refused with a reason, or hold an offset for every buffer,
 * which the judge and a few lines here agree about.
 *
 * The list comes first, then a line "---", then the plan. */
#include "berth/hosted/list.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 4096, BUFFERS_MOST = 200 };

static const char separator[] = "\n---\n";

static void demand(bool holds)
{
    if (!holds) {
        __builtin_trap();
    }
}

static berth_file file_of(berth_port *port, const uint8_t *data, size_t size)
{
    uint8_t *memory = port->take(port->self, size);
    demand(memory != NULL);
    if (size > 0) {
        memcpy(memory, data, size);
    }
    return (berth_file){.bytes = {memory, size}, .memory = memory};
}

/* --- the judge, once more ----------------------------------------------------
 */

static bool spans_meet(const berth_problem *problem, uint32_t a, uint32_t b)
{
    const berth_item *x = &problem->items[a];
    const berth_item *y = &problem->items[b];
    for (uint32_t i = 0; i < x->span_count; ++i) {
        const berth_span *s = &problem->spans[x->first_span + i];
        for (uint32_t k = 0; k < y->span_count; ++k) {
            const berth_span *t = &problem->spans[y->first_span + k];
            if (s->born < t->dead && t->born < s->dead) {
                return true;
            }
        }
    }
    return false;
}

static bool is_right(const berth_problem *problem, const uint64_t *offset)
{
    for (uint32_t a = 0; a < problem->item_count; ++a) {
        const uint64_t size = problem->items[a].size;
        if (offset[a] > UINT64_MAX - size ||
            offset[a] % problem->items[a].align != 0) {
            return false;
        }
        for (uint32_t b = 0; b < a; ++b) {
            const uint64_t other = problem->items[b].size;
            if (size > 0 && other > 0 && offset[a] < offset[b] + other &&
                offset[b] < offset[a] + size && spans_meet(problem, a, b)) {
                return false;
            }
        }
    }
    return true;
}

/* --- plans -------------------------------------------------------------------
 */

static void write_as(int form, const berth_plans *plans, FILE *out)
{
    berth_list_error error = {.load = {.diag = berth_diag_none()}};
    if (form == 0) {
        berth_plans_csv(plans, out);
    } else if (form == 1) {
        demand(berth_plans_json(plans, out));
    } else {
        demand(berth_plans_file(plans, out, &error) == BERTH_OK);
    }
}

/* In each form, the same offsets come back. */
static void write_and_read(const berth_part *part, uint64_t *again)
{
    const berth_plans plans = {.parts = part,
                               .count = 1,
                               .peak_bytes = part->plan.peak,
                               .bound_bytes = part->plan.bound};
    const size_t items = part->source->list.problem.item_count;
    for (int form = 0; form < 3; ++form) {
        char *text = NULL;
        size_t length = 0;
        berth_part back = *part;
        berth_list_error error;
        FILE *out = open_memstream(&text, &length);
        demand(out != NULL);
        write_as(form, &plans, out);
        demand(fclose(out) == 0);
        back.plan.offset = again;
        demand(berth_plans_read((berth_bytes){(uint8_t *)text, length}, &back,
                                1, &error) == BERTH_OK);
        demand(items == 0 ||
               memcmp(again, part->plan.offset, items * sizeof(*again)) == 0);
        free(text);
    }
}

static void read_given(const berth_source *source, berth_bytes plan,
                       uint64_t *offset)
{
    berth_part part = {.source = source, .plan = {.offset = offset}};
    berth_list_error error;
    uint32_t judge = 0;
    char why[256];
    const berth_status status = berth_plans_read(plan, &part, 1, &error);
    if (status != BERTH_OK) {
        berth_list_why(&error, why, sizeof(why));
        demand(error.load.diag.what[0] != '\0' && why[0] != '\0');
        demand(error.given == (status == BERTH_UNSOUND));
        return;
    }
    const berth_status judged =
        berth_source_judge(source, &part.plan, &judge, &error);
    demand(judged == BERTH_OK || judged == BERTH_UNSOUND);
    demand((judged == BERTH_OK) == is_right(&source->list.problem, offset));
    demand(judged != BERTH_OK || part.plan.peak >= part.plan.bound);
}

static void check_list(const berth_source *source, berth_bytes plan)
{
    const berth_problem *problem = &source->list.problem;
    const berth_plan_options options = {.strategy = BERTH_STRATEGY_SIZE_BEST};
    uint64_t offset[BUFFERS_MOST];
    uint64_t again[BUFFERS_MOST];
    berth_part part = {.source = source, .plan = {.offset = offset}};
    berth_diag diag = berth_diag_none();
    if (problem->item_count > BUFFERS_MOST) {
        return;
    }
    const berth_status status =
        berth_solve(source->port, problem, &options, &part.plan, &diag);
    if (status != BERTH_OK) { /* beyond 2^60 bytes */
        demand(status == BERTH_TOO_LARGE && diag.what[0] != '\0');
        return;
    }
    demand(is_right(problem, offset));
    write_and_read(&part, again);
    read_given(source, plan, again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const berth_list_options options = {.align = 0};
    berth_port port = berth_port_of_libc();
    berth_source source = {.port = &port,
                           .label = "list",
                           .is_csv = true,
                           .signature = BERTH_NONE};
    berth_list_error error;
    size_t list = 0;
    if (size > MOST) {
        return 0;
    }
    while (list < size &&
           (size - list < sizeof(separator) - 1u ||
            memcmp(data + list, separator, sizeof(separator) - 1u) != 0)) {
        ++list;
    }
    const size_t plan =
        list < size ? list + sizeof(separator) - 1u : size; /* where it is */
    berth_file file = file_of(&port, data, list);
    const berth_status status =
        berth_list_of_csv(&port, &file, &options, &source.list, &error);
    if (status == BERTH_OK) {
        check_list(&source, (berth_bytes){data + plan, size - plan});
    } else {
        demand(error.load.diag.what[0] != '\0');
        demand(status != BERTH_BAD_MODEL || error.line > 0);
    }
    berth_list_close(&source.list);
    demand(port.lent_bytes == 0);
    return 0;
}
