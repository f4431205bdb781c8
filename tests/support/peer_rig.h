/* peer_rig.h: a peer's plan of a model that a rig has built. */
#ifndef PEER_RIG_H
#define PEER_RIG_H

#include "berth/peer.h"
#include "rig.h"

enum { PEER_RIG_TENSORS = 128 };

typedef struct peer_answer {
    berth_status status;
    berth_diag diag;
    berth_peer_plan plan;
    uint64_t address[PEER_RIG_TENSORS];
} peer_answer;

/* Solves in memory of exactly the size asked for, after rig_graph(). */
void peer_ask(rig *r, berth_peer peer, uint32_t subgraph, peer_answer *answer);

/* Fails the test unless there is a sound plan of that peak. */
void peer_assert_peak(rig *r, berth_peer peer, uint64_t peak);

#endif
