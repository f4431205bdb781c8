/* trim_int.h: lives of which no two that share time may share bytes, for
 * bounds by steps. */
#ifndef BERTH_PLAN_TRIM_INT_H
#define BERTH_PLAN_TRIM_INT_H

#include "plan/plan_int.h"

typedef struct plan_span_of {
    uint32_t born;
    uint32_t dead; /* <= born: trimmed to nothing */
    uint32_t item;
} plan_span_of;

/* The lives of all items that count, in the order of items and their spans. */
typedef struct plan_trim {
    const berth_problem *problem;
    plan_span_of *life;
    uint32_t *first; /* by item: its first life; NULL without links */
    uint32_t count;
} plan_trim;

/* What a life that meets a weakly linked one loses. */
typedef enum plan_trim_set {
    TRIM_NEWBORN, /* the later born its beginning */
    TRIM_DYING    /* the one that dies earlier its end */
} plan_trim_set;

/* Has it bytes, and must they lie in region 0? */
bool plan_counts(const berth_problem *problem, uint32_t i);

bool plan_trim_need(const berth_problem *problem, size_t *bytes);
void plan_trim_init(plan_trim *trim, const berth_problem *problem,
                    berth_work *work);

/* Fills `life`: afterwards no two of its lives that meet are weakly linked.
 * Without links either set is all lives as they are. */
void plan_trim_to(plan_trim *trim, plan_trim_set set);

#endif
