/* device.h: a model and one block of memory in, an engine out. */
#ifndef DEVICE_H
#define DEVICE_H

#include "berth/berth.h"

berth_status device_open(berth_bytes file, berth_work block,
                         berth_engine **engine, berth_diag *diag);

#endif
