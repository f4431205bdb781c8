/* curve.h: functions of one float, by operator. */
#ifndef BERTH_CURVE_H
#define BERTH_CURVE_H

#include "kernels/kernel_int.h"

struct curve {
    float alpha; /* LEAKY_RELU's; GELU: not 0 for the approximation by tanh */
    float least; /* where tables have no logarithm */
    float most;  /* where they have no inverse root */
};

typedef float curve_function(const struct curve *curve, float x);

/* On floats; NULL: the operator has none. */
curve_function *kernel_curve_f32(uint32_t code);
/* What tables are made of: differs at the ends. */
curve_function *kernel_curve_table(uint32_t code);

float kernel_curve_alpha(const berth_operator *op);

#endif
