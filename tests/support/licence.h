/* licence.h: runs an operator in every way that rows.h and op.h allow, and
 * tells whether the bits come out the same.
 *
 * The whole in one go says what is right. Then: every split into ranges of rows
 * (some of many), ranges in any order, every ring that holds what a range
 * touches (slots that nobody may look at hold noise, rows have gaps between
 * them), and every distance at which an output may lie over an input. Beyond
 * the largest distance the bits should differ somewhere: who does not see that
 * does not see anything, so it is counted. */
#ifndef LICENCE_H
#define LICENCE_H

#include "naive.h"

typedef struct licence_tally {
    uint64_t operators; /* looked at */
    uint64_t splits;
    uint64_t orders;
    uint64_t rings;
    uint64_t pairs; /* of an output and an input that may overlap */
    uint64_t distances;
    uint64_t mutants; /* distances beyond that were tried */
    uint64_t caught;  /* and changed the result */
} licence_tally;

/* For naive_watch_ops(): judges each operator that has run, with the kernel
 * that ran it. */
typedef struct licence {
    uint64_t seed;
    licence_tally tally;
    char why[256]; /* the first thing that was wrong; "" */
} licence;

void licence_judge(void *self, const naive *n, uint32_t op,
                   const berth_kernel *kernel, const berth_node *node);

#endif
