/* model_walk.h: opens any bytes and, if they are a model, asks everything that
 * can be asked of it. */
#ifndef MODEL_WALK_H
#define MODEL_WALK_H

#include "berth/model.h"

/* Calls every accessor for every part of a model and touches the first and the
 * last byte of all that they return, so that a sanitizer sees what lies outside
 * the file. Checks what verification promises (indexes in range); aborts where
 * that is broken. Returns a sum of what was seen. */
uint64_t model_walk(const berth_model *model);

/* Opens bytes that start 16-aligned, walks the model if there is one, and gives
 * its memory back. Aborts when the contract of berth_model_bytes() and
 * berth_model_init() is broken: outputs touched on failure, no diag, memory
 * asked for that is not enough. */
berth_status model_open_and_walk(berth_bytes file, berth_diag *diag);

#endif
