/* The strategies as rows: an order, and how each class chooses its gap.
 *
 * A strategy tries its rows one after the other and keeps the smallest plan.
 * All but `best` have one row. `best` has every row that has ever won alone
 * (bench/plan_winners prints who does), the likely winners first since it stops
 * at the bound; then the peers' orders, so that at a peer's alignment it is not
 * above the peer. What comes of the last row, solver_rows.c decides: a search,
 * or a climb from the best of them. */
#include "plan/plan_int.h"

#define TFLM_PAD 15u

#define REPAIR(order_, fit_)                                                   \
    {                                                                          \
        .strategy = BERTH_STRATEGY_BEST, .order = (order_), .fit = (fit_),     \
        .repairs = true                                                        \
    }

#define REPAIR_FROM_ABOVE(order_, fit_)                                        \
    {                                                                          \
        .strategy = BERTH_STRATEGY_BEST, .order = (order_), .fit = (fit_),     \
        .repairs = true, .from_above = true                                    \
    }

#define ROW(name, order_, fit_)                                                \
    {                                                                          \
        .strategy = BERTH_STRATEGY_##name, .order = (order_), .fit = (fit_)    \
    }

static const plan_row single_rows[BERTH_STRATEGY_COUNT] = {
    [BERTH_STRATEGY_NONE] = ROW(NONE, ORDER_INDEX, FIT_ON_TOP),
    [BERTH_STRATEGY_ONLINE] = ROW(ONLINE, ORDER_FIRST_USE, FIT_FIRST),
    [BERTH_STRATEGY_TFLITE] = {.strategy = BERTH_STRATEGY_TFLITE,
                               .order = ORDER_TFLITE,
                               .fit = FIT_TFLITE,
                               .owners_only = true,
                               .peer = true},
    [BERTH_STRATEGY_TFLM] = {.strategy = BERTH_STRATEGY_TFLM,
                             .order = ORDER_TFLM,
                             .fit = FIT_FIRST,
                             .size_pad = TFLM_PAD,
                             .peer = true},
    [BERTH_STRATEGY_SIZE_FIRST] = ROW(SIZE_FIRST, ORDER_SIZE, FIT_FIRST),
    [BERTH_STRATEGY_SIZE_BEST] = ROW(SIZE_BEST, ORDER_SIZE, FIT_BEST),
    [BERTH_STRATEGY_AREA_FIRST] = ROW(AREA_FIRST, ORDER_AREA, FIT_FIRST),
    [BERTH_STRATEGY_AREA_BEST] = ROW(AREA_BEST, ORDER_AREA, FIT_BEST),
    [BERTH_STRATEGY_BIRTH_FIRST] = ROW(BIRTH_FIRST, ORDER_BIRTH, FIT_FIRST),
    [BERTH_STRATEGY_BIRTH_BEST] = ROW(BIRTH_BEST, ORDER_BIRTH, FIT_BEST),
    [BERTH_STRATEGY_DEATH_FIRST] = ROW(DEATH_FIRST, ORDER_DEATH, FIT_FIRST),
    [BERTH_STRATEGY_DEATH_BEST] = ROW(DEATH_BEST, ORDER_DEATH, FIT_BEST),
    [BERTH_STRATEGY_SPAN_FIRST] = ROW(SPAN_FIRST, ORDER_SPAN, FIT_FIRST),
    [BERTH_STRATEGY_SPAN_BEST] = ROW(SPAN_BEST, ORDER_SPAN, FIT_BEST),
    [BERTH_STRATEGY_BREADTH_FIRST] =
        ROW(BREADTH_FIRST, ORDER_BREADTH, FIT_FIRST),
    [BERTH_STRATEGY_BREADTH_BEST] = ROW(BREADTH_BEST, ORDER_BREADTH, FIT_BEST),
    [BERTH_STRATEGY_LOAD_FIRST] = ROW(LOAD_FIRST, ORDER_LOAD, FIT_FIRST),
    [BERTH_STRATEGY_LOAD_BEST] = ROW(LOAD_BEST, ORDER_LOAD, FIT_BEST),
};

static const plan_row best_rows[] = {
    ROW(SIZE_BEST, ORDER_SIZE, FIT_BEST),
    ROW(LOAD_FIRST, ORDER_LOAD, FIT_FIRST),
    ROW(BIRTH_FIRST, ORDER_BIRTH, FIT_FIRST),
    REPAIR(ORDER_PEAK, FIT_FIRST),
    REPAIR_FROM_ABOVE(ORDER_PEAK, FIT_FIRST),
    ROW(SIZE_FIRST, ORDER_SIZE, FIT_FIRST),
    ROW(BREADTH_FIRST, ORDER_BREADTH, FIT_FIRST),
    ROW(BREADTH_BEST, ORDER_BREADTH, FIT_BEST),
    ROW(LOAD_BEST, ORDER_LOAD, FIT_BEST),
    ROW(AREA_FIRST, ORDER_AREA, FIT_FIRST),
    ROW(AREA_BEST, ORDER_AREA, FIT_BEST),
    ROW(BIRTH_BEST, ORDER_BIRTH, FIT_BEST),
    ROW(DEATH_FIRST, ORDER_DEATH, FIT_FIRST),
    ROW(DEATH_BEST, ORDER_DEATH, FIT_BEST),
    ROW(SPAN_FIRST, ORDER_SPAN, FIT_FIRST),
    ROW(SPAN_BEST, ORDER_SPAN, FIT_BEST),
    ROW(ONLINE, ORDER_FIRST_USE, FIT_FIRST),
    ROW(TFLITE, ORDER_TFLITE, FIT_TFLITE),
    ROW(TFLM, ORDER_TFLM, FIT_FIRST),
    ROW(BEST, ORDER_CLIMB, FIT_FIRST),
};

#undef ROW
#undef REPAIR
#undef REPAIR_FROM_ABOVE

const plan_row *plan_rows(berth_strategy strategy, uint32_t *count)
{
    if (strategy == BERTH_STRATEGY_BEST) {
        *count = (uint32_t)(sizeof(best_rows) / sizeof(best_rows[0]));
        return best_rows;
    }
    *count = 1;
    return &single_rows[strategy];
}

static const struct {
    const char *name;
    const char *help;
} strategy_texts[] = {
#define STRATEGY_TEXT(name, text, help) {text, help},
    BERTH_STRATEGY_TABLE(STRATEGY_TEXT)
#undef STRATEGY_TEXT
};

_Static_assert(sizeof(strategy_texts) / sizeof(strategy_texts[0]) ==
                   BERTH_STRATEGY_COUNT,
               "a text for each strategy");

const char *berth_strategy_name(berth_strategy strategy)
{
    return (unsigned)strategy < BERTH_STRATEGY_COUNT
               ? strategy_texts[strategy].name
               : "?";
}

const char *berth_strategy_help(berth_strategy strategy)
{
    return (unsigned)strategy < BERTH_STRATEGY_COUNT
               ? strategy_texts[strategy].help
               : "";
}
