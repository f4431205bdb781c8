/* device.h: a model and one block of memory in, an engine out. */
#ifndef DEVICE_H
#define DEVICE_H

#include "berth/berth.h"

/* plan: the file that `berth plan MODEL -o FILE.plan` wrote; size 0: plans
 * here, which takes the solver's memory for that while. The block is the
 * engine's as long as it is used. */
berth_status device_open(berth_bytes model, berth_bytes plan, berth_work block,
                         berth_engine **engine, berth_diag *diag);

#endif
