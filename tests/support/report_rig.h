/* report_rig.h: reports on a model that lies in memory, with what must hold of
 * every one of them. */
#ifndef REPORT_RIG_H
#define REPORT_RIG_H

#include "berth/model.h"

/* Makes a report with nearly all that can be asked for, prints it both ways,
 * and aborts, saying why, where one of these is broken: a model that cannot be
 * served is refused for a reason of its own and never for berth's; every plan
 * of ours passes both judges, none is under its bound, none beats `best`; the
 * rows of the ledger add up; the JSON is JSON, and no byte of the page moves a
 * terminal's cursor; nothing is left open.
 *
 * wish: bits that choose the options: 1 alignment 1, 2 keep tensor 0, 4 pin
 * tensor 1, 8 another shape for tensor 0, 48 the strategy, 64 a budget of 0, 128
 * the what-if list, under rules that 7 chooses.
 * True: the report is complete. */
bool report_rig_check(berth_bytes file, uint8_t wish);

#endif
