/* meter.h: a port that counts, and whose memory may run out. */
#ifndef METER_H
#define METER_H

#include "berth/hosted/port.h"

typedef struct meter {
    uint64_t calls;
    uint64_t failing; /* the call that fails; 0: none */
    bool for_good;    /* and all after it */
    int64_t taken;    /* blocks not given back */
} meter;

/* Borrows m. */
berth_port meter_port(meter *m);

/* Calls `run` with a meter of which nothing fails, then for each allocation
 * that it made with one where that fails, once and for good. `run` asserts what
 * has to come out for its meter; here, that nothing is left taken. */
void meter_shrink(void (*run)(meter *m, const char *name), const char *name);

#endif
