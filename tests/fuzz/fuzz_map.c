/* Property: any bytes as a CSV of buffers are refused with a reason and a line,
 * or become a page whose data is JSON that cannot end its element, with every
 * plan at or above its bound. */
#include "berth/hosted/map.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 4096 };

static char folder[] = "/tmp/berth-fuzz-XXXXXX";
static char path[sizeof(folder) + 16];

static void remove_folder(void)
{
    (void)unlink(path);
    (void)rmdir(folder);
}

static void write_list(const uint8_t *data, size_t size)
{
    if (path[0] == '\0') {
        if (mkdtemp(folder) == NULL) {
            __builtin_trap();
        }
        (void)snprintf(path, sizeof(path), "%s/list.csv", folder);
        (void)atexit(remove_folder);
    }
    FILE *out = fopen(path, "wb");
    if (out == NULL || fwrite(data, 1, size, out) != size || fclose(out) != 0) {
        __builtin_trap();
    }
}

static void check_page(const char *page)
{
    static const char open[] = "id=\"data\">";
    const char *from = strstr(page, open);
    if (from == NULL) {
        __builtin_trap();
    }
    from += strlen(open);
    const size_t length = strcspn(from, "<>&");
    json_t *value = json_loadb(from, length, JSON_ALLOW_NUL, NULL);
    if (value == NULL ||
        strncmp(from + length, "</script>\n<script>\n", 19) != 0) {
        __builtin_trap();
    }
    json_decref(value);
}

static void check_map(const berth_map *map)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL || !berth_map_html(map, out)) {
        __builtin_trap();
    }
    berth_map_svg(map, out);
    if (fclose(out) != 0) {
        __builtin_trap();
    }
    check_page(text);
    free(text);
    for (uint32_t i = 0; i < map->row_count; ++i) {
        const berth_map_row *row = &map->rows[i];
        if (row->status == BERTH_OK && row->sound &&
            (row->peak_bytes < row->bound_bytes ||
             row->top_bytes != row->peak_bytes)) {
            __builtin_trap();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const berth_map_options options = {.strategy = BERTH_STRATEGY_BEST};
    berth_port port = berth_port_of_libc();
    berth_map map;
    berth_map_error error;
    if (size > MOST) {
        return 0;
    }
    write_list(data, size);
    const berth_status status =
        berth_map_open(&port, path, &options, &map, &error);
    if (status == BERTH_OK) {
        check_map(&map);
    } else if (error.load.diag.what[0] == '\0' ||
               (status == BERTH_BAD_MODEL && error.line == 0)) {
        __builtin_trap();
    }
    berth_map_close(&map);
    if (port.lent_bytes != 0) {
        __builtin_trap();
    }
    return 0;
}
