/* opt_bytes.h: operators that make a byte of a byte, as a table of 256. */
#ifndef BERTH_OPT_BYTES_H
#define BERTH_OPT_BYTES_H

#include "kernels/kernel_int.h"

/* The node makes elements of 8 bits of elements of 8 bits, and rows [begin,
 * end) are so many that a table pays. */
bool kernel_opt_bytes_pay(const berth_node *node, uint32_t begin, uint32_t end);

/* Does what `rows` would: asks it once for every byte there is. `rows` looks at
 * nothing but the element, and accepts all values. */
berth_status kernel_opt_bytes(const berth_node *node, uint32_t begin,
                              uint32_t end, berth_kernel_rows *rows);

#endif
