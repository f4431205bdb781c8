/* load_int.h: how the stages of a load fail. */
#ifndef BERTH_HOSTED_LOAD_INT_H
#define BERTH_HOSTED_LOAD_INT_H

#include "berth/hosted/load.h"

/* Notes stage and status; returns status. */
berth_status load_fail(berth_load_error *error, berth_load_stage stage,
                       berth_status status);

/* The system had no memory for a block of that many bytes. */
berth_status load_no_memory(berth_load_error *error, berth_load_stage stage,
                            size_t bytes);

#endif
