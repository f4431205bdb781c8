/* Random models with calls, run for real.
 *
 * Each model is planned and then executed twice: with every tensor in memory
 * of its own, and in the arena where the plan puts it. The operators are
 * nonsense that notices everything: elementwise ones work forward, element by
 * element; all others read all their operands anew for each element that they
 * write, so that an output over a living input shows. Loops turn a random
 * number of times and branches are taken at random, the same in both runs.
 * What the caller reads, and what is kept, must be equal at the end.
 *
 * This judge knows nothing of spans, ties or links, nor of the second judge's
 * values: it is what an engine would do. With a lag it looks again, after each
 * of so many steps, at the operands of every step: they must be as they were,
 * unless their own tensor has been written anew.
 *
 *     test_lifetime_runs [SEED [COUNT]] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

enum {
    SIZE = 24,
    LARGEST = 64,
    SUBGRAPHS_MAX = 5,
    KNOWN_MAX = 64,
    LAG_MAX = 6,
    OPERANDS_MAX = 16,
    COUNT = 400
};

static uint64_t seed = 1;
static unsigned rounds = COUNT;

/* --- chance --------------------------------------------------------------- */

static uint64_t chance_state;

static uint32_t chance(uint32_t below)
{
    chance_state = chance_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(chance_state >> 33) % below;
}

/* --- a random model ------------------------------------------------------- */

typedef struct sketch {
    rig *r;
    uint32_t subgraphs;
    int inputs[SUBGRAPHS_MAX]; /* the callees' interfaces */
    int outputs[SUBGRAPHS_MAX];
    int32_t known[KNOWN_MAX]; /* tensors that may be read, of SIZE bytes */
    uint32_t known_count;
} sketch;

static int32_t any(const sketch *s)
{
    /* late ones more often: deep graphs, and some long lives */
    const uint32_t back = chance(chance(2) == 0 ? 3 : s->known_count);
    return s->known[s->known_count - 1 - back % s->known_count];
}

static int32_t made(sketch *s, int32_t t)
{
    if (s->known_count < KNOWN_MAX) {
        s->known[s->known_count++] = t;
    }
    return t;
}

static void add_plain(sketch *s, uint32_t g)
{
    static const uint32_t codes[] = {
        BERTH_OP_RELU,    BERTH_OP_ADD,     BERTH_OP_MUL,
        BERTH_OP_RESHAPE, BERTH_OP_RESHAPE, BERTH_OP_CONV_2D,
        BERTH_OP_SPLIT,   BERTH_OP_SOFTMAX, BERTH_OP_DYNAMIC_UPDATE_SLICE,
        BERTH_OP_PRELU};
    const uint32_t code = codes[chance(sizeof(codes) / sizeof(codes[0]))];
    const int32_t a = any(s);
    const int32_t b = any(s);
    const int32_t y = rig_tensor(s->r, g, SIZE);
    if (code == BERTH_OP_SPLIT) {
        const int32_t z = rig_tensor(s->r, g, SIZE);
        const int32_t odd = rig_tensor(s->r, g, 1 + (int32_t)chance(60));
        rig_op(s->r, g, code, MB_INTS(a, b), MB_INTS(y, z, odd));
        rig_op(s->r, g, BERTH_OP_CONV_2D, MB_INTS(odd, z),
               MB_INTS(made(s, rig_tensor(s->r, g, SIZE))));
        made(s, z);
    } else if (code == BERTH_OP_RELU || code == BERTH_OP_RESHAPE) {
        rig_op(s->r, g, code, MB_INTS(a), MB_INTS(y));
    } else {
        rig_op(s->r, g, code, MB_INTS(a, b), MB_INTS(y));
    }
    made(s, y);
}

/* A subgraph behind g with that interface, or 0; loops need as many out as in.
 */
static uint32_t find_callee(const sketch *s, uint32_t g, int in, int out)
{
    const uint32_t first = g + 1 + chance(s->subgraphs - g);
    for (uint32_t k = 0; k < s->subgraphs; ++k) {
        const uint32_t h = (first + k) % s->subgraphs;
        if (h > g && s->inputs[h] == in && s->outputs[h] == out) {
            return h;
        }
    }
    return 0;
}

static void add_call(sketch *s, uint32_t g)
{
    const uint32_t h = g + 1 + chance(s->subgraphs - g - 1);
    const int in = s->inputs[h];
    const int out = s->outputs[h];
    int32_t from[4];
    int32_t to[4];
    from[0] = any(s);
    for (int i = 0; i < in; ++i) {
        from[i + 1] = any(s);
    }
    const uint32_t kind = chance(4);
    const uint32_t other = find_callee(s, g, in, out);
    const uint32_t cond = find_callee(s, g, in, chance(2) == 0 ? out : 1);
    for (int i = 0; i < out; ++i) {
        to[i] = rig_tensor(s->r, g, SIZE);
    }
    const mb_ints given = {from + 1, (size_t)in};
    const mb_ints tested = {from, (size_t)in + 1};
    const mb_ints got = {to, (size_t)out};
    if (kind == 0) {
        rig_if(s->r, g, h, other, tested, got);
    } else if (kind == 1) {
        rig_case(s->r, g, MB_INTS((int32_t)h, (int32_t)other, (int32_t)h),
                 tested, got);
    } else if (kind == 2 && in == out && cond != 0) {
        rig_while(s->r, g, cond, h, given, got);
    } else {
        rig_call(s->r, g, h, given, got);
    }
    for (int i = 0; i < out; ++i) {
        made(s, to[i]);
    }
}

static void fill_subgraph(sketch *s, uint32_t g)
{
    int32_t in[3];
    int32_t out[3];
    s->known_count = 0;
    made(s, rig_constant(s->r, g, SIZE));
    for (int i = 0; i < s->inputs[g]; ++i) {
        in[i] = made(s, rig_tensor(s->r, g, SIZE));
    }
    const uint32_t ops = chance(g == 0 ? 8 : 5);
    for (uint32_t i = 0; i < ops; ++i) {
        if (g + 1 < s->subgraphs && chance(3) == 0) {
            add_call(s, g);
        } else {
            add_plain(s, g);
        }
    }
    for (int i = 0; i < s->outputs[g]; ++i) {
        out[i] = any(s);
    }
    rig_io(s->r, g, (mb_ints){in, (size_t)s->inputs[g]},
           (mb_ints){out, (size_t)s->outputs[g]});
}

static rig *random_model(void)
{
    sketch s = {.r = rig_new()};
    s.subgraphs = 1 + chance(SUBGRAPHS_MAX);
    for (uint32_t g = 0; g < s.subgraphs; ++g) {
        (void)rig_subgraph(s.r);
        s.inputs[g] = 1 + (int)chance(2);
        s.outputs[g] = 1 + (int)chance(2);
    }
    for (uint32_t g = 0; g < s.subgraphs; ++g) {
        fill_subgraph(&s, g);
    }
    return s.r;
}

/* --- execution ------------------------------------------------------------ */

/* An operand that somebody still reads. */
typedef struct late_read {
    uint32_t tensor;
    uint32_t writes; /* of its class, when it was read */
    uint8_t bytes[LARGEST];
} late_read;

typedef struct late_step {
    late_read reads[OPERANDS_MAX];
    uint32_t count;
} late_step;

typedef struct machine {
    const rig *r;
    uint8_t **at;  /* by tensor */
    bool *written; /* by tensor */
    uint64_t luck;
    uint32_t turns;   /* of all loops: an end to runs that would be long */
    uint32_t lag;     /* 0: nobody reads late */
    uint32_t clock;   /* steps run */
    uint32_t *writes; /* by tensor: of its class, counted at the root */
    late_step late[LAG_MAX]; /* by clock, modulo the lag */
} machine;

static uint32_t luck(machine *m, uint32_t below)
{
    m->luck = m->luck * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(m->luck >> 33) % below;
}

static size_t size_of(const machine *m, uint32_t t)
{
    return (size_t)m->r->shape[t].bytes;
}

static uint8_t digest(const machine *m, uint32_t t)
{
    uint32_t sum = 17;
    for (size_t i = 0; i < size_of(m, t); ++i) {
        sum = sum * 31 + m->at[t][i];
    }
    return (uint8_t)(sum ^ sum >> 8 ^ sum >> 16);
}

static void copy_forward(const machine *m, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < size_of(m, to) && m->at[from] != m->at[to]; ++i) {
        m->at[to][i] = m->at[from][i];
    }
}

static void run_op(const machine *m, const berth_step *step)
{
    const uint32_t code = m->r->graph.ops[step->op].code;
    const berth_op_contract *contract = berth_op_contract_of(code);
    const uint32_t y = step->writes[0];
    if ((contract->flags & BERTH_OP_VIEW) != 0) {
        copy_forward(m, step->reads[0], y);
        return;
    }
    if ((contract->flags & BERTH_OP_UPDATES_0) != 0) {
        copy_forward(m, step->reads[0], y);
        for (size_t i = 0; i < size_of(m, y); i += 3) {
            m->at[y][i] = m->at[step->reads[1]][i];
        }
        return;
    }
    for (uint32_t k = 0; k < step->write_count; ++k) {
        const uint32_t out = step->writes[k];
        for (size_t i = 0; i < size_of(m, out); ++i) {
            uint8_t value = (uint8_t)(code + k * 7 + (k > 0 ? i : 0));
            for (uint32_t in = 0; in < step->read_count; ++in) {
                const uint32_t t = step->reads[in];
                const bool rows = (contract->inplace_inputs >> in & 1u) != 0 &&
                                  k == 0 && size_of(m, t) == size_of(m, out);
                value = (uint8_t)(value * 5 +
                                  (rows ? m->at[t][i] : digest(m, t) + i));
            }
            m->at[out][i] = value;
        }
    }
}

static void run_moves(const machine *m, const berth_step *step)
{
    uint8_t held[4][SIZE];
    if (step->kind == BERTH_STEP_BACK) { /* all at once */
        for (uint32_t i = 0; i < step->read_count; ++i) {
            memcpy(held[i], m->at[step->reads[i]], SIZE);
        }
        for (uint32_t i = 0; i < step->read_count; ++i) {
            memcpy(m->at[step->writes[i]], held[i], SIZE);
        }
        return;
    }
    for (uint32_t i = 0; i < step->write_count; ++i) {
        copy_forward(m, step->reads[i], step->writes[i]);
    }
}

/* Behind the last branch of an operator, from the EXIT of any. */
static uint32_t behind_branches(const berth_schedule *s, uint32_t exit)
{
    uint32_t pc = exit + 1;
    while (pc < s->step_count && s->steps[pc].kind == BERTH_STEP_ELSE &&
           s->steps[pc].op == s->steps[exit].op) {
        pc = s->steps[pc].partner + 1;
    }
    return pc;
}

static uint32_t take_test(machine *m, uint32_t pc)
{
    const berth_schedule *s = &m->r->schedule;
    const berth_step *step = &s->steps[pc];
    const uint32_t callees = m->r->graph.ops[step->op].callee_count;
    if (berth_graph_call_of(m->r->graph.ops[step->op].code) ==
        BERTH_CALL_LOOP) {
        const bool on = luck(m, 3) > 0 && ++m->turns < 40;
        return on ? pc + 1 : step->partner;
    }
    ++pc;
    for (uint32_t skip = luck(m, callees); skip > 0; --skip) {
        pc = s->steps[pc].partner + 1;
    }
    return pc;
}

/* --- readers that lag behind ---------------------------------------------- */

/* The tensor whose bytes these are. */
static uint32_t root_of(const machine *m, uint32_t t)
{
    const berth_lifetimes *l = &m->r->lifetimes;
    for (uint32_t i = 0; i < l->problem.tie_count; ++i) {
        if (l->tensor_of_item[l->problem.ties[i].b] == t) {
            t = l->tensor_of_item[l->problem.ties[i].a];
            i = UINT32_MAX; /* from the first again */
        }
    }
    return t;
}

static void look_again(const machine *m)
{
    for (uint32_t i = 0; i < m->lag; ++i) {
        for (uint32_t k = 0; k < m->late[i].count; ++k) {
            const late_read *read = &m->late[i].reads[k];
            const uint32_t t = read->tensor;
            if (m->writes[root_of(m, t)] == read->writes &&
                memcmp(m->at[t], read->bytes, size_of(m, t)) != 0) {
                fail_msg("seed %llu: tensor %u is lost before it is read, %u "
                         "steps late",
                         (unsigned long long)seed, t, m->lag);
            }
        }
    }
}

static void read_late(machine *m, late_step *step, const uint32_t *tensors,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count && step->count < OPERANDS_MAX; ++i) {
        const uint32_t t = tensors[i];
        late_read *read = &step->reads[step->count++];
        *read = (late_read){.tensor = t, .writes = m->writes[root_of(m, t)]};
        memcpy(read->bytes, m->at[t], size_of(m, t));
    }
}

static void run_late(machine *m, const berth_step *step)
{
    if (m->lag == 0) {
        return;
    }
    for (uint32_t i = 0; i < step->write_count; ++i) {
        ++m->writes[root_of(m, step->writes[i])];
    }
    look_again(m);
    late_step *late = &m->late[m->clock++ % m->lag];
    late->count = 0;
    read_late(m, late, step->reads, step->read_count);
    read_late(m, late, step->writes, step->write_count);
}

static void run_all(machine *m)
{
    const berth_schedule *s = &m->r->schedule;
    for (uint32_t pc = 0; pc < s->step_count;) {
        const berth_step *step = &s->steps[pc];
        if (step->kind == BERTH_STEP_TEST) {
            run_late(m, step);
            pc = take_test(m, pc);
            continue;
        }
        for (uint32_t i = 0; i < step->write_count; ++i) {
            m->written[step->writes[i]] = true;
        }
        if (step->kind == BERTH_STEP_OP) {
            run_op(m, step);
        } else {
            run_moves(m, step);
        }
        run_late(m, step);
        if (step->kind == BERTH_STEP_BACK) {
            pc = step->partner + 1;
        } else if (step->kind == BERTH_STEP_EXIT) {
            pc = behind_branches(s, pc);
        } else {
            ++pc;
        }
    }
}

/* --- two runs compared ---------------------------------------------------- */

static uint8_t *filled(size_t bytes, uint8_t with)
{
    uint8_t *memory = malloc(bytes + 1);
    assert_non_null(memory);
    memset(memory, with, bytes + 1);
    return memory;
}

/* Tensors in memory of their own, but for those with an offset in `arena`. */
static void execute(const rig *r, uint8_t **own, uint8_t *arena, uint32_t lag,
                    uint8_t **at, bool *written)
{
    machine m = {.r = r,
                 .at = at,
                 .written = written,
                 .luck = seed * 7 + 3,
                 .lag = lag,
                 .writes = calloc(r->graph.tensor_count, sizeof(uint32_t))};
    assert_non_null(m.writes);
    for (uint32_t t = 0; t < r->graph.tensor_count; ++t) {
        const uint32_t item = r->lifetimes.item_of_tensor[t];
        at[t] = arena == NULL || item == BERTH_NONE ? own[t]
                                                    : arena + r->offset[item];
    }
    const berth_graph_subgraph *main_ = &r->graph.subgraphs[0];
    const uint32_t *inputs = berth_graph_subgraph_inputs(&r->graph, 0);
    for (uint32_t i = 0; i < main_->input_count; ++i) {
        for (size_t k = 0; k < SIZE; ++k) {
            at[inputs[i]][k] = (uint8_t)(inputs[i] * 13 + k);
        }
    }
    run_all(&m);
    free(m.writes);
}

static void assert_same(const rig *r, uint32_t t, uint8_t **one, uint8_t **two)
{
    if (memcmp(one[t], two[t], (size_t)r->shape[t].bytes) != 0) {
        fail_msg("seed %llu: tensor %u differs", (unsigned long long)seed, t);
    }
}

static void assert_all_same(const rig *r, const uint32_t *list, uint32_t count,
                            uint8_t **one, uint8_t **two)
{
    for (uint32_t i = 0; i < count; ++i) {
        assert_same(r, list[i], one, two);
    }
}

static void compare_runs(rig *r, uint64_t peak,
                         const berth_lifetime_options *options)
{
    const berth_graph_subgraph *main_ = &r->graph.subgraphs[0];
    const uint32_t tensors = r->graph.tensor_count;
    uint8_t **own = calloc(tensors, sizeof(*own));
    uint8_t **spare = calloc(tensors, sizeof(*spare));
    uint8_t **one = calloc(tensors, sizeof(*one));
    uint8_t **two = calloc(tensors, sizeof(*two));
    bool *written = calloc(tensors, sizeof(*written));
    assert_true(own != NULL && spare != NULL && one != NULL && two != NULL &&
                written != NULL);
    for (uint32_t t = 0; t < tensors; ++t) {
        own[t] = filled((size_t)r->shape[t].bytes, (uint8_t)t);
        spare[t] = filled((size_t)r->shape[t].bytes, (uint8_t)t);
    }
    uint8_t *arena = filled((size_t)peak, 0xEE);
    execute(r, own, NULL, 0, one, written);
    execute(r, spare, arena, options->lag, two, written);
    assert_all_same(r, berth_graph_subgraph_outputs(&r->graph, 0),
                    main_->output_count, one, two);
    if (options->keep_inputs || options->hold_inputs) {
        assert_all_same(r, berth_graph_subgraph_inputs(&r->graph, 0),
                        main_->input_count, one, two);
    }
    for (uint32_t i = 0; i < options->keep_count; ++i) {
        const uint32_t t = options->keep[i];
        /* not in a branch that was never taken */
        if (written[t] && r->lifetimes.item_of_tensor[t] != BERTH_NONE) {
            assert_same(r, t, one, two);
        }
    }
    for (uint32_t t = 0; t < tensors; ++t) {
        free(own[t]);
        free(spare[t]);
    }
    free(arena);
    free(own);
    free(spare);
    free(one);
    free(two);
    free(written);
}

typedef struct tally {
    unsigned models;
    unsigned refused; /* too many steps, or a condition that calls the body */
    unsigned long steps;
    unsigned long links;
    unsigned long ties;
    unsigned long holes; /* items with several spans */
} tally;

static void count_problem(const rig *r, tally *total)
{
    const berth_problem *p = &r->lifetimes.problem;
    total->steps += p->step_count;
    total->links += p->link_count;
    total->ties += p->tie_count;
    for (uint32_t i = 0; i < p->item_count; ++i) {
        total->holes += p->items[i].span_count > 1;
    }
}

static void run_one(tally *total)
{
    static const berth_strategy strategies[] = {
        BERTH_STRATEGY_BEST, BERTH_STRATEGY_ONLINE, BERTH_STRATEGY_SIZE_BEST,
        BERTH_STRATEGY_NONE};
    chance_state = seed;
    rig *r = random_model();
    if (rig_try_schedule(r, 0) != BERTH_OK || r->schedule.step_count > 400) {
        ++total->refused;
        rig_free(r);
        return;
    }
    uint32_t keep[2];
    for (int i = 0; i < 2; ++i) {
        keep[i] = chance(r->graph.tensor_count);
    }
    const uint32_t pin[] = {chance(r->graph.tensor_count)};
    const berth_lifetime_options options = {
        .align = 1u << chance(5),
        .keep = keep,
        .keep_count = chance(3),
        .pin = pin,
        .pin_count = chance(2),
        .no_views = chance(8) == 0,
        .no_inplace = chance(8) == 0,
        .keep_inputs = chance(4) == 0,
        .hold_inputs = chance(4) == 0,
        .hold_outputs = chance(4) == 0,
        .lag = chance(2) == 0 ? 0 : chance(LAG_MAX + 1),
    };
    rig_lifetimes(r, &options);
    count_problem(r, total);
    for (size_t i = 0; i < sizeof(strategies) / sizeof(strategies[0]); ++i) {
        const uint64_t peak = rig_plan(r, strategies[i]);
        compare_runs(r, peak, &options);
    }
    ++total->models;
    rig_free(r);
}

static void plans_compute_what_memory_without_sharing_does(void **state)
{
    (void)state;
    tally total = {0};
    const uint64_t first = seed;
    for (unsigned i = 0; i < rounds; ++i, ++seed) {
        run_one(&total);
    }
    printf("seeds %llu to %llu: %u models, %u refused; %lu steps, %lu links, "
           "%lu ties, %lu items with holes\n",
           (unsigned long long)first, (unsigned long long)(seed - 1),
           total.models, total.refused, total.steps, total.links, total.ties,
           total.holes);
    assert_true(rounds < COUNT || total.models > rounds / 2);
    assert_true(rounds < COUNT ||
                (total.links > 0 && total.ties > 0 && total.holes > 0));
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10)
                      : (argc > 1 ? 1u : COUNT);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_compute_what_memory_without_sharing_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
