/* rig_fixture.h: a rig with one subgraph for each test of a file.
 *
 *     cmocka_unit_test_setup_teardown(a_chain, start, finish)
 */
#ifndef RIG_FIXTURE_H
#define RIG_FIXTURE_H

#include "rig.h"

enum { N = 64 }; /* bytes of a tensor */

static rig *r;
static uint32_t g;

static inline int start(void **state)
{
    (void)state;
    r = rig_new();
    g = rig_subgraph(r);
    return 0;
}

static inline int finish(void **state)
{
    (void)state;
    rig_free(r);
    return 0;
}

static inline int32_t tensor(void)
{
    return rig_tensor(r, g, N);
}

#endif
