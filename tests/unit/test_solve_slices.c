/* A search in slices: watched to its end it finds what it finds unwatched,
 * ended at any moment it has a plan that the judge passes, and a port without
 * memory is told apart from a plan that is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "berth/hosted/solve.h"
#include "meter.h"
#include "plan_case.h"

/* Ends the search when it has been asked so often. */
typedef struct patience {
    uint64_t asked;
    uint64_t most;
    uint64_t peak_bytes;
    uint64_t bound_bytes;
    uint64_t nodes;
} patience;

/* What is told gets better only. */
static bool wait_on(void *watcher, const berth_progress *progress)
{
    patience *p = watcher;
    if (progress->slice == 0) {
        assert_int_equal(p->asked, 0);
        assert_true(progress->peak_bytes == BERTH_NOWHERE);
    } else {
        assert_true(progress->peak_bytes <= p->peak_bytes);
        assert_true(progress->bound_bytes >= p->bound_bytes);
        assert_true(progress->nodes >= p->nodes);
        assert_true(progress->bound_bytes <= progress->peak_bytes);
    }
    p->peak_bytes = progress->peak_bytes;
    p->bound_bytes = progress->bound_bytes;
    p->nodes = progress->nodes;
    return ++p->asked < p->most;
}

static void make_random(plan_case *c, test_random *random)
{
    enum { STEPS = 24 };
    case_start(c, STEPS);
    for (uint32_t i = 0; i < 48; ++i) {
        const uint32_t born = random_below(random, STEPS - 1u);
        const uint32_t length = 1u + random_below(random, STEPS - born - 1u);
        (void)case_item(c, 1u + random_below(random, 60), born, born + length);
    }
}

static berth_status watched(const plan_case *c, uint64_t most, berth_plan *plan,
                            patience *p)
{
    const berth_plan_options options = {.strategy = BERTH_STRATEGY_BEST};
    berth_diag diag = berth_diag_none();
    meter m = {0};
    berth_port port = meter_port(&m);
    *p = (patience){.most = most};
    port.go_on = wait_on;
    port.watcher = p;
    const berth_status status =
        berth_solve(&port, &c->problem, &options, plan, &diag);
    assert_int_equal(m.taken, 0);
    assert_int_equal(port.lent_bytes, 0);
    return status;
}

static void watched_to_its_end_it_finds_the_same(void **state)
{
    static plan_case c;
    test_random random = {1};
    (void)state;
    for (uint32_t round = 0; round < 20; ++round) {
        uint64_t offset[PLAN_CASE_MAX];
        berth_plan plan = {.offset = offset};
        berth_plan plain = {0};
        patience p;
        make_random(&c, &random);
        assert_int_equal(watched(&c, UINT64_MAX, &plan, &p), BERTH_OK);
        assert_int_equal(case_solve(&c, BERTH_STRATEGY_BEST, &plain, NULL),
                         BERTH_OK);
        assert_int_equal(plan.peak, plain.peak);
        assert_int_equal(plan.bound, plain.bound);
        assert_int_equal(plan.nodes, plain.nodes);
        assert_memory_equal(offset, c.offset,
                            c.problem.item_count * sizeof(*offset));
    }
}

static void ended_at_any_moment_it_has_a_plan(void **state)
{
    static plan_case c;
    test_random random = {2};
    (void)state;
    for (uint32_t round = 0; round < 10; ++round) {
        make_random(&c, &random);
        uint64_t last = BERTH_NOWHERE;
        for (uint64_t most = 0; most < 8; ++most) {
            uint64_t offset[PLAN_CASE_MAX];
            berth_plan plan = {.offset = offset};
            patience p;
            assert_int_equal(watched(&c, most, &plan, &p), BERTH_OK);
            assert_int_equal(problem_judge(&c.problem, &plan, NULL), BERTH_OK);
            assert_true(p.asked <= (most == 0 ? 1 : most));
            assert_true(plan.peak <= last);
            last = most < 2 ? BERTH_NOWHERE : plan.peak;
        }
    }
}

static void solve_metered(meter *m, const char *name)
{
    static plan_case c;
    test_random random = {3};
    berth_port port = meter_port(m);
    const berth_plan_options options = {.strategy = BERTH_STRATEGY_BEST};
    berth_status status = BERTH_OK;
    for (uint32_t round = 0; round < 6 && status == BERTH_OK; ++round) {
        uint64_t offset[PLAN_CASE_MAX];
        berth_plan plan = {.offset = offset};
        berth_diag diag = berth_diag_none();
        patience p = {.most = 3};
        make_random(&c, &random);
        if (strcmp(name, "watched") == 0) {
            port.go_on = wait_on;
            port.watcher = &p;
        }
        status = berth_solve(&port, &c.problem, &options, &plan, &diag);
        if (status == BERTH_OK) {
            status = berth_judge(&port, &c.problem, &plan, &diag);
        }
        assert_true(status == BERTH_OK ||
                    (diag.needed_bytes > 0 && diag.what[0] != '\0'));
        assert_int_equal(port.lent_bytes, 0);
    }
    assert_int_equal(status, m->failing == 0 ? BERTH_OK : BERTH_NO_SPACE);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    meter_shrink(solve_metered, "plain");
    meter_shrink(solve_metered, "watched");
}

static void the_judge_fills_in_what_offsets_say(void **state)
{
    plan_case c;
    berth_port port = berth_port_of_libc();
    berth_diag diag = berth_diag_none();
    uint64_t offset[2] = {0, 8};
    berth_plan plan = {.offset = offset};
    (void)state;
    case_start(&c, 3);
    (void)case_item(&c, 8, 0, 2);
    (void)case_item(&c, 4, 1, 3);
    assert_int_equal(berth_judge(&port, &c.problem, &plan, &diag), BERTH_OK);
    assert_int_equal(plan.peak, 12);
    assert_int_equal(plan.bound, 12);
    assert_int_equal(plan.proof, BERTH_PROOF_PROVEN);

    offset[1] = 9;
    assert_int_equal(berth_judge(&port, &c.problem, &plan, &diag), BERTH_OK);
    assert_int_equal(plan.peak, 13);
    assert_int_equal(plan.proof, BERTH_PROOF_OPEN);

    offset[1] = 7;
    assert_int_equal(berth_judge(&port, &c.problem, &plan, &diag),
                     BERTH_UNSOUND);
    assert_int_equal(plan.peak, 11);
    assert_int_equal(diag.tensor + diag.other, 1);
    assert_int_equal(diag.step, 1);

    offset[1] = UINT64_MAX - 3u;
    assert_int_equal(berth_judge(&port, &c.problem, &plan, &diag),
                     BERTH_UNSOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watched_to_its_end_it_finds_the_same),
        cmocka_unit_test(ended_at_any_moment_it_has_a_plan),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(the_judge_fills_in_what_offsets_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
