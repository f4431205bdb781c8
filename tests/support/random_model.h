/* random_model.h: a random valid model from a seed: a few operators, among them
 * views, operators that may run in place, joins and splits, forks, unread
 * results, state, branches and loops, two levels deep. */
#ifndef RANDOM_MODEL_H
#define RANDOM_MODEL_H

#include "model_builder.h"

uint32_t seed_below(uint64_t *seed, uint32_t n); /* n > 0 */

/* The builder owns the bytes. Seed by seed the same model for ever. */
berth_bytes random_model(mb *builder, uint64_t seed);

#endif
