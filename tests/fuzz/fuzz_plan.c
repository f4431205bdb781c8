/* Any bytes are a planning problem, mostly malformed. Whatever it is:
 *
 *   - nobody reads or writes out of bounds, and every call gives a status that
 *     its contract names;
 *   - what the check accepts and a strategy solves, the judge accepts, and the
 *     peak is not below the bound;
 *   - a well-formed problem of one region without limit, without fixed offsets
 *     and links always gets a plan;
 *   - a solver that is stopped and resumed ends where one call ends;
 *   - the judge answers for any offsets at all.
 *
 * The first bytes choose the strategy and how wild numbers are; see make(). */
#include "berth/plan.h"

#include <stdlib.h>
#include <string.h>

#define MAX   24u
#define NODES 512u /* `best` climbs for long where it can prove nothing */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct fuzz_input {
    const uint8_t *at;
    const uint8_t *end;
    bool wild;
} fuzz_input;

typedef struct fuzz_case {
    berth_problem problem;
    berth_item items[MAX];
    berth_span spans[MAX * 2];
    berth_link links[MAX];
    berth_tie ties[MAX];
    berth_region regions[3];
    uint32_t step_op[256];
} fuzz_case;

static uint32_t byte(fuzz_input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

/* A small number, or one of any size where the input is wild. */
static uint64_t number(fuzz_input *in)
{
    const uint64_t low = byte(in);
    return in->wild && low >= 240 ? (uint64_t)byte(in) << ((low - 240) * 4)
                                  : low;
}

static int64_t signed_number(fuzz_input *in)
{
    const uint64_t value = number(in);
    return (value & 1u) != 0 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

static void make_items(fuzz_case *c, fuzz_input *in, uint32_t count)
{
    berth_problem *p = &c->problem;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t kind = byte(in);
        berth_item *item = &c->items[i];
        *item = (berth_item){.size = number(in),
                             .fixed = BERTH_NOWHERE,
                             .align = 1u << (kind & 7u),
                             .first_span = p->span_count,
                             .span_count = 1u + (kind >> 7),
                             .regions = 1};
        if ((kind & 8u) != 0) {
            const uint32_t more = byte(in);
            item->flags = (more & 1u) != 0 ? BERTH_ITEM_PINNED : 0;
            item->fixed = (more & 2u) != 0 ? number(in) : BERTH_NOWHERE;
            item->regions = (more & 4u) != 0 ? byte(in) : 7u;
            item->align = (more & 8u) != 0 ? (uint32_t)number(in) : item->align;
        }
        uint32_t from = 0;
        for (uint32_t k = 0; k < item->span_count; ++k) {
            berth_span span = {byte(in), byte(in)};
            if (!in->wild) { /* in order; short, so that few steps are shared */
                span.born = from + span.born % 100u;
                span.dead = span.born + 1 + span.dead % 8u;
                from = span.dead + 1;
            } else {
                span.dead += span.born;
            }
            c->spans[p->span_count++] = span;
        }
    }
    p->item_count = count;
}

/* Where the input is not wild, links and ties are in order, within range and
 * mostly legal, so that what is behind the check is reached. */
static void make_links(fuzz_case *c, fuzz_input *in, uint32_t count)
{
    berth_problem *p = &c->problem;
    uint32_t a = 0;
    uint32_t b = 0;
    for (uint32_t k = 0; k < count; ++k) {
        berth_link link = {byte(in), byte(in), signed_number(in),
                           signed_number(in)};
        if (!in->wild) {
            const uint32_t step = link.a % 3u;
            a += step;
            b = (step == 0 ? b : a) + 1 + link.b % 4u;
            if (b >= p->item_count) {
                return;
            }
            link.a = a;
            link.b = b;
            link.lo = (link.lo < 0 ? 0 : link.lo) - (int64_t)c->items[b].size;
            link.hi = (int64_t)c->items[a].size - (link.hi < 0 ? 0 : link.hi);
        }
        c->links[p->link_count++] = link;
    }
}

static void make_ties(fuzz_case *c, fuzz_input *in, uint32_t count)
{
    berth_problem *p = &c->problem;
    uint32_t b = 0;
    for (uint32_t k = 0; k < count; ++k) {
        berth_tie tie = {byte(in), byte(in), signed_number(in)};
        if (!in->wild) {
            b += (k > 0 ? 1u : 0u) + tie.b % 4u;
            if (b >= p->item_count) {
                return;
            }
            tie.a %= p->item_count;
            tie.b = b;
        }
        c->ties[p->tie_count++] = tie;
    }
}

static void make(fuzz_case *c, fuzz_input *in)
{
    berth_problem *p = &c->problem;
    memset(c, 0, sizeof(*c));
    in->wild = (byte(in) & 1u) != 0;
    p->items = c->items;
    p->spans = c->spans;
    p->links = c->links;
    p->ties = c->ties;
    p->step_count = 256;
    const uint32_t parts = byte(in);
    if ((parts & 1u) != 0) {
        p->regions = c->regions;
        p->region_count = 1 + (parts >> 6);
        for (uint32_t r = 0; r < p->region_count && r < 3; ++r) {
            c->regions[r].capacity = number(in);
            c->regions[r].align = 1u << (byte(in) & 7u);
        }
        p->region_count = p->region_count > 3 ? 3 : p->region_count;
    }
    if ((parts & 2u) != 0) {
        p->step_op = c->step_op;
        const uint32_t rows = 1 + byte(in);
        for (uint32_t t = 0; t < 256; ++t) {
            c->step_op[t] = t / rows;
        }
    }
    make_items(c, in, byte(in) % (MAX + 1));
    make_links(c, in, (parts & 4u) != 0 ? byte(in) % MAX : 0);
    make_ties(c, in, (parts & 8u) != 0 ? byte(in) % MAX : 0);
}

static void hold(bool true_)
{
    if (!true_) {
        __builtin_trap();
    }
}

static uint8_t *lend(size_t bytes)
{
    uint8_t *memory = malloc(bytes > 0 ? bytes : 1);
    hold(memory != NULL);
    return memory;
}

static berth_status judge(const berth_problem *problem, const berth_plan *plan)
{
    size_t need = 0;
    berth_status status = berth_plan_check_bytes(problem, &need);
    if (status == BERTH_OK) {
        uint8_t *memory = lend(need);
        status =
            berth_plan_check(problem, plan, berth_work_of(memory, need), NULL);
        free(memory);
    }
    return status;
}

static berth_status solve(const berth_problem *problem,
                          const berth_plan_options *options, berth_plan *plan)
{
    size_t need = 0;
    berth_status status = berth_plan_bytes(problem, options, &need, NULL);
    if (status == BERTH_OK) {
        uint8_t *memory = lend(need);
        status = berth_plan_solve(problem, options, berth_work_of(memory, need),
                                  plan, NULL);
        free(memory);
    }
    return status;
}

static void resume(const berth_problem *problem,
                   const berth_plan_options *options, uint64_t slice,
                   const berth_plan *whole)
{
    uint64_t offset[MAX];
    berth_plan plan = {.offset = offset};
    berth_solver *solver = NULL;
    size_t need = 0;
    bool done = false;
    hold(berth_plan_bytes(problem, options, &need, NULL) == BERTH_OK);
    uint8_t *memory = lend(need);
    berth_work work = berth_work_of(memory, need);
    hold(berth_solver_begin(problem, options, &work, &solver, NULL) ==
         BERTH_OK);
    while (!done && plan.nodes < NODES) {
        hold(berth_solver_more(solver, slice, &plan, &done, NULL) == BERTH_OK);
    }
    if (whole->nodes < NODES) { /* it had come to its end */
        hold(done && plan.peak == whole->peak && plan.nodes == whole->nodes);
        hold(memcmp(offset, whole->offset,
                    problem->item_count * sizeof(*offset)) == 0);
    }
    free(memory);
}

static bool always_solvable(const berth_problem *problem)
{
    bool fixed = false;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        fixed = fixed || problem->items[i].fixed != BERTH_NOWHERE;
    }
    return !fixed && problem->link_count == 0 && problem->region_count == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size, false};
    fuzz_case c;
    uint64_t offset[MAX] = {0};
    berth_plan plan = {.offset = offset};
    const berth_plan_options options = {
        .strategy = (berth_strategy)(byte(&in) % BERTH_STRATEGY_COUNT),
        .node_budget = NODES};
    const uint64_t slice = 1 + byte(&in);
    make(&c, &in);

    const bool peer = options.strategy == BERTH_STRATEGY_TFLITE ||
                      options.strategy == BERTH_STRATEGY_TFLM;
    const bool well_formed = judge(&c.problem, &plan) != BERTH_BAD_ARG &&
                             judge(&c.problem, &plan) != BERTH_TOO_LARGE;
    const berth_status status = solve(&c.problem, &options, &plan);
    if (status == BERTH_OK) {
        hold(judge(&c.problem, &plan) == BERTH_OK);
        hold(plan.peak >= plan.bound);
        resume(&c.problem, &options, slice, &plan);
        offset[byte(&in) % MAX] += number(&in);
        (void)judge(&c.problem, &plan);
    } else {
        hold(status == BERTH_BAD_ARG || status == BERTH_TOO_LARGE ||
             status == BERTH_UNSUPPORTED || status == BERTH_UNSOUND ||
             (status == BERTH_NO_SPACE && c.problem.region_count == 1));
        hold(!well_formed || peer || !always_solvable(&c.problem));
    }
    return 0;
}
