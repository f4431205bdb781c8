/* Finds a kernel: by code in sorted rows, by name among the caller's own, then
 * in the set that this one falls back on. */
#include "kernels/kernel_int.h"

static const berth_kernel *find_custom(const berth_kernels *kernels,
                                       berth_bytes name)
{
    for (uint32_t i = 0; i < kernels->custom_count; ++i) {
        const char *own = kernels->custom[i].name;
        size_t n = 0;
        while (n < name.size && own[n] != '\0' &&
               (uint8_t)own[n] == name.data[n]) {
            ++n;
        }
        if (n == name.size && own[n] == '\0') {
            return kernels->custom[i].kernel;
        }
    }
    return NULL;
}

static const berth_kernel_row *find_row(const berth_kernels *kernels,
                                        uint32_t code)
{
    uint32_t low = 0;
    uint32_t high = kernels->row_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (kernels->rows[middle].code < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < kernels->row_count && kernels->rows[low].code == code
               ? &kernels->rows[low]
               : NULL;
}

const berth_kernel *berth_kernel_find(const berth_kernels *kernels,
                                      const berth_operator *op,
                                      uint32_t *version)
{
    *version = 0;
    for (; kernels != NULL; kernels = kernels->otherwise) {
        if (op->code == BERTH_OP_CUSTOM) {
            const berth_kernel *own = find_custom(kernels, op->custom_name);
            if (own != NULL) {
                return own;
            }
            continue;
        }
        const berth_kernel_row *row = find_row(kernels, op->code);
        if (row != NULL) {
            *version = row->version;
            return row->kernel;
        }
    }
    return NULL;
}
