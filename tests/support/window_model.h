/* window_model.h: models of one operator with a window or a matrix, from a few
 * numbers: what kernel sets are compared and timed on. */
#ifndef WINDOW_MODEL_H
#define WINDOW_MODEL_H

#include "model_builder.h"

typedef struct window_spec {
    uint32_t code;  /* CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV,
                       FULLY_CONNECTED or a pool */
    uint8_t type;   /* of input and output */
    uint8_t filter; /* type of the weights; not of pools. A float32 input's
                       of another type come through a DEQUANTIZE */
    uint8_t bias;   /* type; FLOAT16 (that none has): no bias */
    bool per_axis;  /* a scale for each channel */
    bool valid;     /* padding */
    uint8_t activation;
    int32_t batch;
    int32_t height; /* of the input; 1 for a matrix, whose rows are `batch` */
    int32_t width;
    int32_t in;     /* channels */
    int32_t out;    /* channels; of depthwise a multiple of `in` */
    int32_t groups; /* 0: one */
    int32_t window_h;
    int32_t window_w;
    int32_t stride_h;
    int32_t stride_w;
    int32_t dilation_h;
    int32_t dilation_w;
    uint64_t seed; /* of weights, scales and zero points */
} window_spec;

/* The model; its bytes belong to b. */
berth_bytes window_model(mb *b, const window_spec *spec);

/* Products of one run; elements seen, for pools. */
uint64_t window_work(const window_spec *spec);

/* The next number of a generator, and elements from it: floats in [-1, 1),
 * halves in (-1/2, 1/2), anything for integers. */
uint64_t window_draw(uint64_t *seed);
void window_fill(void *data, uint8_t type, size_t bytes, uint64_t *seed);

#endif
