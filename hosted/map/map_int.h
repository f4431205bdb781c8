/* map_int.h: the parts of a map. */
#ifndef BERTH_HOSTED_MAP_INT_H
#define BERTH_HOSTED_MAP_INT_H

#include "berth/hosted/map.h"

#define MAP_TOO_MANY_BYTES "more bytes than a page can show exactly (2^53)"

/* A zeroed block that lives as long as the map; NULL: no memory, and the error
 * says so. */
void *map_take(berth_map *map, size_t count, size_t item_bytes,
               berth_map_error *error);

/* Notes what failed; returns status. */
berth_status map_fail(berth_map_error *error, berth_load_stage stage,
                      berth_status status, const char *what);

/* Each fills its part. */
berth_status map_read_csv(berth_map *map, berth_file *file,
                          const berth_map_options *options,
                          berth_map_error *error);
berth_status map_read_model(berth_map *map, const char *path,
                            const berth_map_options *options,
                            berth_map_error *error);

/* Adds a row with room for its offsets and live bytes. */
berth_status map_add_row(berth_map *map, const char *name, berth_map_row **row,
                         berth_map_error *error);

/* Rows of berth's own planner, `first` first; of a CSV the peers' packers
 * too. */
berth_status map_solve_own(berth_map *map, berth_strategy first,
                           berth_map_error *error);
berth_status map_solve_peers(berth_map *map, berth_map_error *error);

/* Live bytes and the peak step of a row whose offsets are known. */
berth_status map_measure(berth_map *map, berth_map_row *row,
                         berth_map_error *error);

/* The data of the page, as JSON that may stand inside <script>. False: no
 * memory. */
bool map_put_data(const berth_map *map, FILE *out);

/* page.html, made into an array by the build; a zero follows. */
extern const unsigned char map_page[];
extern const size_t map_page_size;

/* The row that is shown first and has offsets, or NULL. */
const berth_map_row *map_first_row(const berth_map *map);

/* The beginning of a name that is long, cut between characters. */
berth_bytes map_cut(berth_bytes name, size_t most);

#endif
