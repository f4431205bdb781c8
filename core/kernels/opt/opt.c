/* The set of fast kernels in portable C, from its table; what it lacks is in
 * ref. */
#include "kernels/kernel_int.h"

#define BERTH_OPT(name, version, kernel) extern const berth_kernel kernel;
#include "kernels/opt/c/opt.def"
#undef BERTH_OPT

static const berth_kernel_row opt_rows[] = {
#define BERTH_OPT(name, version, kernel) {BERTH_OP_##name, version, &kernel},
#include "kernels/opt/c/opt.def"
#undef BERTH_OPT
};

static const berth_kernels opt_set = {
    .name = "opt",
    .rows = opt_rows,
    .row_count = sizeof(opt_rows) / sizeof(opt_rows[0]),
    .otherwise = &kernel_ref_set,
};

const berth_kernels *berth_kernels_opt(void)
{
    return &opt_set;
}
