/* berth/berth.h: the umbrella; include this one.
 *
 * How the stages hang together, each arrow a plain struct:
 *
 *   model.h -> graph.h -> shape.h -> schedule.h -> lifetime.h -> plan.h
 *                                                       \-> ledger.h
 *   judges: berth_plan_check() in plan.h, berth_prove() in prove.h
 *   other runtimes: peer.h; TFLM's whole arena: micro.h
 *
 * Ownership  Nobody allocates. Every function that needs memory has a twin
 *            ending in _bytes() and takes a berth_work (base.h). Each stage
 *            borrows the stages before it.
 * Units      Sizes are bytes, times are steps, intervals are half-open.
 * Errors     berth_status; zero is success; details in berth_diag. A failing
 *            call changes none of its outputs.
 * Threads    Everything is immutable after init and may be shared.
 * Order      Same bytes in, same bytes out, on every target.
 * Versions   No ABI is promised before 1.0; link statically. */
#ifndef BERTH_BERTH_H
#define BERTH_BERTH_H

#include "berth/base.h"
#include "berth/model.h"
#include "berth/op.h"
#include "berth/graph.h"
#include "berth/shape.h"
#include "berth/rows.h"
#include "berth/schedule.h"
#include "berth/lifetime.h"
#include "berth/plan.h"
#include "berth/prove.h"
#include "berth/peer.h"
#include "berth/micro.h"
#include "berth/bake.h"
#include "berth/ledger.h"
#include "berth/kernel.h"
#include "berth/engine.h"

#endif
