/* The set of reference kernels, from its table. */
#include "kernels/kernel_int.h"

static const berth_kernel_row ref_rows[] = {
#define BERTH_REF(name, version, kernel) {BERTH_OP_##name, version, &kernel},
#include "kernels/ref/ref.def"
#undef BERTH_REF
};

const berth_kernels kernel_ref_set = {
    .name = "ref",
    .rows = ref_rows,
    .row_count = sizeof(ref_rows) / sizeof(ref_rows[0]),
};

const berth_kernels *berth_kernels_ref(void)
{
    return &kernel_ref_set;
}
