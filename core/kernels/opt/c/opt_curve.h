/* opt_curve.h: blocks of floats through elementary functions, without a branch,
 * so that compilers make vectors of them. In double inside, and so as near to
 * the exact function as core/base/real.h: at most 1 ulp of float. */
#ifndef BERTH_OPT_CURVE_H
#define BERTH_OPT_CURVE_H

#include <stddef.h>

enum { CURVE_BLOCK = 8 };

void kernel_opt_exp(float x[CURVE_BLOCK]);
void kernel_opt_logistic(float x[CURVE_BLOCK]);
void kernel_opt_tanh(float x[CURVE_BLOCK]);
void kernel_opt_elu(float x[CURVE_BLOCK]);

#endif
