/* strange_model.h: a well-formed .tflite file out of any bytes, for fuzzing
 * what comes behind the verifier: every operator of the schema with any
 * operands, types, shapes, options and callees. */
#ifndef STRANGE_MODEL_H
#define STRANGE_MODEL_H

#include "model_builder.h"

/* The builder owns the bytes. Bytes that are used up count as 0. */
berth_bytes strange_model(mb *builder, const uint8_t *data, size_t size);

#endif
