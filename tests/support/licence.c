/* The ways to run an operator, tried one after the other. */
#include "licence.h"

#include "berth/rows.h"
#include "random_model.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPERANDS_MAX = 40,
    CUTS_MAX = 64, /* operators of more rows are split by chance */
    NOISE = 0xA5,
    GAP_BYTES = 5,
    BYTES_MAX = 1 << 16 /* larger operands are left out */
};

/* One way to run it. */
typedef struct way {
    uint32_t cuts[CUTS_MAX + 1]; /* ranges [cuts[i], cuts[i + 1]) */
    uint32_t ranges;
    uint32_t order[CUTS_MAX];    /* in which ranges are run */
    uint32_t ring[OPERANDS_MAX]; /* rows; 0: lies whole */
    bool over;                   /* output over_out lies over input over_in */
    uint32_t over_in;
    uint32_t over_out; /* counted after the inputs */
    int64_t distance;
} way;

typedef struct trial {
    licence *self;
    const berth_graph *graph;
    const berth_shapes *shapes;
    const berth_kernel *kernel;
    const berth_node *node;
    uint32_t op;
    uint32_t count; /* operands */
    berth_rows rows;
    uint8_t *right[OPERANDS_MAX]; /* outputs, as they should be */
    /* of the run at hand */
    berth_operand all[OPERANDS_MAX];
    uint8_t *home[OPERANDS_MAX]; /* every operand whole */
    uint8_t *held[2 * OPERANDS_MAX];
    uint32_t held_count;
} trial;

static uint8_t *take(trial *t, size_t bytes)
{
    uint8_t *memory = malloc(bytes == 0 ? 1 : bytes);
    memset(memory, NOISE, bytes);
    t->held[t->held_count++] = memory;
    return memory;
}

static bool is_input(const trial *t, uint32_t k)
{
    return k < t->node->input_count;
}

static const berth_operand *given(const trial *t, uint32_t k)
{
    return is_input(t, k) ? &t->node->inputs[k]
                          : &t->node->outputs[k - t->node->input_count];
}

static bool is_there(const trial *t, uint32_t k)
{
    return !berth_operand_is(given(t, k), BERTH_OPERAND_ABSENT);
}

static size_t row_bytes(const berth_operand *operand)
{
    return (size_t)(operand->bytes / operand->rows);
}

static berth_hull hull_of(const trial *t, uint32_t k, uint32_t begin,
                          uint32_t end)
{
    return berth_op_hull(t->graph, t->shapes, t->op, k, BERTH_PHASE_ROWS, begin,
                         end);
}

/* --- one run ---------------------------------------------------------------
 */

static void lay_over(trial *t, const way *w)
{
    const berth_operand *in = given(t, w->over_in);
    const berth_operand *out = given(t, w->over_out);
    const int64_t before = w->distance < 0 ? -w->distance : 0;
    const int64_t after = w->distance > 0 ? w->distance : 0;
    uint8_t *block = take(t, (size_t)(before + after) + (size_t)in->bytes +
                                 (size_t)out->bytes);
    t->home[w->over_in] = block + before;
    t->home[w->over_out] = block + before + w->distance;
    memcpy(t->home[w->over_in], in->data, (size_t)in->bytes);
    t->all[w->over_in].data = t->home[w->over_in];
    t->all[w->over_out].data = t->home[w->over_out];
}

static void lay_out(trial *t, const way *w)
{
    t->held_count = 0;
    for (uint32_t k = 0; k < t->count; ++k) {
        berth_operand *operand = &t->all[k];
        *operand = *given(t, k);
        if (!is_there(t, k)) {
            continue;
        }
        t->home[k] =
            is_input(t, k) ? operand->data : take(t, (size_t)operand->bytes);
        operand->data = t->home[k];
        if (w->ring[k] != 0) {
            operand->ring = w->ring[k];
            operand->pitch = row_bytes(operand) + GAP_BYTES;
            operand->data = take(t, operand->ring * operand->pitch);
        }
    }
    if (w->over) {
        lay_over(t, w);
    }
}

/* Rows between an operand's home and its ring. */
static void carry(trial *t, const way *w, uint32_t begin, uint32_t end,
                  bool inputs)
{
    for (uint32_t k = 0; k < t->count; ++k) {
        const berth_operand *operand = &t->all[k];
        if (w->ring[k] == 0 || is_input(t, k) != inputs) {
            continue;
        }
        const berth_hull hull = hull_of(t, k, begin, end);
        const size_t bytes = row_bytes(operand);
        if (inputs) {
            memset(operand->data, NOISE, operand->ring * operand->pitch);
        }
        for (uint32_t row = hull.begin; row < hull.end; ++row) {
            uint8_t *home = t->home[k] + row * bytes;
            uint8_t *slot = berth_operand_row(operand, row);
            memcpy(inputs ? slot : home, inputs ? home : slot, bytes);
        }
    }
}

static berth_status run_ranges(trial *t, berth_node *node, const way *w)
{
    berth_status status = BERTH_OK;
    if (t->kernel->begin != NULL) {
        status = t->kernel->begin(node);
    }
    for (uint32_t i = 0; status == BERTH_OK && i < w->ranges; ++i) {
        const uint32_t begin = w->cuts[w->order[i]];
        const uint32_t end = w->cuts[w->order[i] + 1];
        carry(t, w, begin, end, true);
        status = t->kernel->rows(node, begin, end);
        carry(t, w, begin, end, false);
    }
    if (status == BERTH_OK && t->kernel->end != NULL) {
        status = t->kernel->end(node);
    }
    return status;
}

/* The output that is wrong after a run; `count`: none. */
static uint32_t wrong_output(const trial *t)
{
    for (uint32_t k = t->node->input_count; k < t->count; ++k) {
        if (is_there(t, k) && t->right[k] != NULL &&
            memcmp(t->home[k], t->right[k], (size_t)given(t, k)->bytes) != 0) {
            return k;
        }
    }
    return t->count;
}

static bool run_way(trial *t, const way *w)
{
    lay_out(t, w);
    berth_node node = *t->node;
    node.inputs = t->all;
    node.outputs = t->all + node.input_count;
    node.scratch = take(t, node.scratch_bytes);
    const bool same =
        run_ranges(t, &node, w) == BERTH_OK && wrong_output(t) == t->count;
    for (uint32_t i = 0; i < t->held_count; ++i) {
        free(t->held[i]);
    }
    return same;
}

static bool complain(trial *t, const way *w, const char *what)
{
    licence *self = t->self;
    if (self->why[0] == '\0') {
        (void)snprintf(self->why, sizeof(self->why),
                       "%s of %" PRIu32 " rows: %s, %" PRIu32
                       " ranges, distance %" PRId64 " of output %" PRIu32
                       " over input %" PRIu32,
                       berth_op_name(t->node->op->code), t->rows.count, what,
                       w->ranges, w->distance, w->over_out, w->over_in);
    }
    return false;
}

/* --- splits ----------------------------------------------------------------
 */

/* Bit i of `mask`: a cut behind row i. */
static void cut_by_mask(const trial *t, way *w, uint64_t mask)
{
    w->ranges = 0;
    w->cuts[0] = 0;
    for (uint32_t row = 1; row <= t->rows.count; ++row) {
        if (row == t->rows.count || (mask >> ((row - 1) % 64) & 1u) != 0) {
            w->order[w->ranges] = w->ranges;
            w->ranges += 1;
            w->cuts[w->ranges] = row;
        }
    }
}

/* Ranges of `step` rows. */
static void cut_evenly(const trial *t, way *w, uint32_t step)
{
    w->ranges = 0;
    w->cuts[0] = 0;
    while (w->cuts[w->ranges] < t->rows.count) {
        const uint32_t next = w->cuts[w->ranges] + step;
        w->order[w->ranges] = w->ranges;
        w->ranges += 1;
        w->cuts[w->ranges] = next < t->rows.count ? next : t->rows.count;
    }
}

static uint64_t some_mask(trial *t)
{
    return (uint64_t)seed_below(&t->self->seed, UINT32_MAX) << 32 |
           seed_below(&t->self->seed, UINT32_MAX);
}

static void shuffle(trial *t, way *w)
{
    for (uint32_t i = w->ranges; i > 1; --i) {
        const uint32_t j = seed_below(&t->self->seed, i);
        const uint32_t other = w->order[j];
        w->order[j] = w->order[i - 1];
        w->order[i - 1] = other;
    }
}

static bool try_splits(trial *t)
{
    enum { ALL_UP_TO = 5, BY_CHANCE = 8 };
    const bool all = t->rows.count <= ALL_UP_TO;
    const uint64_t masks = all ? 1ull << (t->rows.count - 1) : BY_CHANCE;
    for (uint64_t i = 0; i < masks; ++i) {
        way w = {.ranges = 0};
        cut_by_mask(t, &w, all ? i : i == 0 ? UINT64_MAX : some_mask(t));
        t->self->tally.splits += 1;
        if (!run_way(t, &w)) {
            return complain(t, &w, "another result when split");
        }
        if (t->rows.order == BERTH_ROWS_INDEPENDENT && w.ranges > 1) {
            shuffle(t, &w);
            t->self->tally.orders += 1;
            if (!run_way(t, &w)) {
                return complain(t, &w, "another result in another order");
            }
        }
    }
    return true;
}

/* --- rings -----------------------------------------------------------------
 */

static bool has_rows(const trial *t, uint32_t k)
{
    return is_there(t, k) && given(t, k)->rows > 1 && given(t, k)->bytes > 0 &&
           !berth_operand_is(given(t, k), BERTH_OPERAND_CONSTANT);
}

/* The most rows of an operand that a range touches. */
static uint32_t need_of(const trial *t, const way *w, uint32_t k)
{
    uint32_t need = 1;
    for (uint32_t i = 0; i < w->ranges; ++i) {
        const berth_hull hull = hull_of(t, k, w->cuts[i], w->cuts[i + 1]);
        const uint32_t rows = hull.end - hull.begin;
        need = rows > need ? rows : need;
    }
    return need;
}

static bool try_ring(trial *t, const way *w)
{
    t->self->tally.rings += 1;
    return run_way(t, w) || complain(t, w, "another result in a ring");
}

static bool try_rings_of(trial *t, way *w, uint32_t k)
{
    enum { ALL_UP_TO = 8 };
    const uint32_t rows = given(t, k)->rows;
    const uint32_t need = need_of(t, w, k);
    bool ok = true;
    for (uint32_t ring = need; ok && ring < rows; ++ring) {
        if (ring > need + 1 && ring + 1 < rows && rows > ALL_UP_TO) {
            continue;
        }
        w->ring[k] = ring;
        ok = try_ring(t, w);
    }
    w->ring[k] = 0;
    return ok;
}

static bool try_rings(trial *t)
{
    bool ok = true;
    for (uint32_t step = 1; ok && step <= 3 && step <= t->rows.count; ++step) {
        way w = {.ranges = 0};
        cut_evenly(t, &w, step);
        for (uint32_t k = 0; ok && k < t->count; ++k) {
            ok = !has_rows(t, k) || try_rings_of(t, &w, k);
        }
        for (uint32_t k = 0; k < t->count; ++k) {
            w.ring[k] = has_rows(t, k) ? need_of(t, &w, k) : 0;
        }
        ok = ok && try_ring(t, &w);
    }
    return ok;
}

/* --- distances -------------------------------------------------------------
 */

static bool try_distance(trial *t, const way *pair, int64_t distance)
{
    for (uint32_t i = 0; i < 3; ++i) {
        way w = *pair;
        w.distance = distance;
        cut_by_mask(t, &w, i == 0 ? 0 : i == 1 ? UINT64_MAX : some_mask(t));
        t->self->tally.distances += 1;
        if (!run_way(t, &w)) {
            return complain(t, &w, "another result in place");
        }
    }
    return true;
}

/* Whether a step beyond the last distance has to change the result: windows and
 * elementwise operators compute on what they read. (Copies may get away with
 * it, or call memcpy on what overlaps, which ASan stops.) */
static bool has_mutants(const trial *t)
{
    static const uint16_t windows[] = {
        BERTH_OP_CONV_2D, BERTH_OP_DEPTHWISE_CONV_2D, BERTH_OP_AVERAGE_POOL_2D,
        BERTH_OP_MAX_POOL_2D};
    const uint32_t code = t->node->op->code;
    const berth_op_contract *contract = berth_op_contract_of(code);
    bool has = contract->inplace_inputs != 0 &&
               (contract->flags & BERTH_OP_UPDATES_0) == 0 &&
               code != BERTH_OP_ZEROS_LIKE;
    for (uint32_t i = 0; i < sizeof(windows) / sizeof(windows[0]); ++i) {
        has = has || windows[i] == code;
    }
    return has;
}

/* Row by row, at some distance beyond the last that is allowed. (The first may
 * be harmless: of a row that reads late only its reads as a whole are known.)
 */
static bool is_caught(trial *t, const way *pair, int64_t most)
{
    const int64_t reach = (int64_t)given(t, pair->over_in)->bytes - most;
    bool caught = false;
    for (int64_t d = 1; !caught && d <= reach; ++d) {
        way w = *pair;
        w.distance = most + d;
        cut_by_mask(t, &w, UINT64_MAX);
        caught = !run_way(t, &w);
    }
    return caught;
}

static bool try_pair(trial *t, uint32_t in, uint32_t out)
{
    enum { ALL_UP_TO = 48, NEAR = 12 };
    const int64_t most = berth_op_overlap(t->graph, t->shapes, t->op, in,
                                          out - t->node->input_count);
    const int64_t least = -(int64_t)given(t, out)->bytes;
    const way pair = {.over = true, .over_in = in, .over_out = out};
    if (most == INT64_MIN || given(t, out)->bytes == 0 ||
        given(t, in)->bytes == 0) {
        return true;
    }
    t->self->tally.pairs += 1;
    for (int64_t d = most; d >= least; --d) {
        if (most - d > NEAR && d - least > 2 && most - least > ALL_UP_TO) {
            d -= seed_below(&t->self->seed, (uint32_t)(most - least) / 8 + 1);
            d = d < least ? least : d;
        }
        if (!try_distance(t, &pair, d)) {
            return false;
        }
    }
    if (has_mutants(t)) {
        t->self->tally.mutants += 1;
        t->self->tally.caught += is_caught(t, &pair, most) ? 1 : 0;
    }
    return true;
}

static bool try_pairs(trial *t)
{
    bool ok = true;
    for (uint32_t in = 0; ok && in < t->node->input_count; ++in) {
        const bool moves =
            is_there(t, in) &&
            !berth_operand_is(given(t, in),
                              BERTH_OPERAND_CONSTANT | BERTH_OPERAND_FOLDED);
        for (uint32_t out = t->node->input_count; ok && moves && out < t->count;
             ++out) {
            ok = !is_there(t, out) || try_pair(t, in, out);
        }
    }
    return ok;
}

/* --- all of them -----------------------------------------------------------
 */

static bool is_small(const trial *t)
{
    bool small = t->count <= OPERANDS_MAX && t->rows.count > 0 &&
                 t->rows.count <= CUTS_MAX;
    for (uint32_t k = 0; small && k < t->count; ++k) {
        small = !is_there(t, k) || given(t, k)->bytes <= BYTES_MAX;
    }
    return small;
}

void licence_judge(void *self, const naive *n, uint32_t op,
                   const berth_kernel *kernel, const berth_node *node)
{
    trial t = {
        .self = self,
        .graph = naive_graph(n),
        .shapes = naive_shapes(n),
        .kernel = kernel,
        .node = node,
        .op = op,
        .count = node->input_count + node->output_count,
        .rows = berth_op_rows(naive_graph(n), naive_shapes(n), op),
    };
    const uint16_t flags = berth_op_contract_of(node->op->code)->flags;
    if ((flags & BERTH_OP_STATEFUL) != 0 || !is_small(&t)) {
        return;
    }
    t.self->tally.operators += 1;
    for (uint32_t k = node->input_count; k < t.count; ++k) {
        t.right[k] = given(&t, k)->data;
    }
    (void)(try_splits(&t) && try_rings(&t) && try_pairs(&t));
}
