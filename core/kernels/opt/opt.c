/* The set of fast kernels in portable C; what it lacks is in ref. */
#include "kernels/kernel_int.h"

static const berth_kernels opt_set = {
    .name = "opt",
    .otherwise = &kernel_ref_set,
};

const berth_kernels *berth_kernels_opt(void)
{
    return &opt_set;
}
