#include "peer_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

void peer_ask(rig *r, berth_peer peer, uint32_t subgraph, peer_answer *answer)
{
    rig_graph(r);
    assert_true(r->graph.tensor_count <= PEER_RIG_TENSORS);
    *answer = (peer_answer){.diag = berth_diag_none()};
    answer->plan.address = answer->address;
    size_t need = 0;
    answer->status = berth_peer_bytes(&r->graph, &r->shapes, subgraph, peer,
                                      &need, &answer->diag);
    if (answer->status != BERTH_OK) {
        return;
    }
    void *memory = malloc(need);
    assert_non_null(memory);
    answer->status = berth_peer_solve(&r->graph, &r->shapes, subgraph, peer,
                                      berth_work_of(memory, need),
                                      &answer->plan, &answer->diag);
    free(memory);
}

void peer_assert_peak(rig *r, berth_peer peer, uint64_t peak)
{
    peer_answer answer;
    peer_ask(r, peer, 0, &answer);
    if (answer.status != BERTH_OK || !answer.plan.sound) {
        fail_msg("%s: %s", berth_status_name(answer.status),
                 answer.status == BERTH_OK ? answer.plan.unsound.what
                                           : answer.diag.what);
    }
    assert_int_equal(answer.plan.peak, peak);
    assert_true(answer.plan.bound <= peak);
    assert_int_equal(answer.plan.proof == BERTH_PROOF_PROVEN,
                     answer.plan.bound == peak);
}
