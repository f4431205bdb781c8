/* array_int.h: what the files of this folder share.
 *
 *   array.c    by the first bytes of a file: which reader?
 *   npy_in.c   .npy in             npy_out.c   .npy out
 *   picture.c  PNG and JPEG to a tensor
 *   seeded.c   numbers from a key        values.c   elements as numbers */
#ifndef ARRAY_INT_H
#define ARRAY_INT_H

#include "berth/hosted/array.h"

/* False, with the error filled. */
bool array_fail(berth_array_error *error, const char *what);
bool array_fail_size(berth_array_error *error, const char *what,
                     uint64_t needed, uint64_t given);

/* The letters that numpy has for a type, "i1"; NULL: none. */
const char *array_numpy_type(berth_type type);
/* Bytes of an element in a .npy file, where 4-bit elements take one. */
uint32_t array_npy_element_bytes(berth_type type);

bool array_is_npy(berth_bytes file);
bool array_is_picture(berth_bytes file);
bool array_read_npy(berth_port *port, const berth_array_want *want,
                    berth_array *array, berth_array_error *error);
bool array_read_picture(berth_port *port, const berth_array_want *want,
                        const berth_normalisation *normalisation,
                        berth_array *array, berth_array_error *error);

/* A block of the array's own. */
bool array_take(berth_port *port, size_t bytes, berth_array *array,
                berth_array_error *error);

#endif
