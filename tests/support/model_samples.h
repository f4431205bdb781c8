/* model_samples.h: small models with everything in them that a file can have,
 * for tests that damage them byte by byte. */
#ifndef MODEL_SAMPLES_H
#define MODEL_SAMPLES_H

#include "model_builder.h"

enum { MODEL_SAMPLE_COUNT = 3 };

/* 0: a chain with constants, options and a signature, the least that is real.
 * 1: control flow: IF in WHILE, CALL_ONCE, a composite, branches of a case.
 * 2: the rare parts: quantization of all kinds, sparsity, variants, strings,
 *    bytes stored apart, custom operators, a recipe, metadata.
 * Free with mb_free(); the file is in *file. */
mb *model_sample(uint32_t which, berth_bytes *file);

#endif
