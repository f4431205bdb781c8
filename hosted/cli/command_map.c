/* berth map: the page or the picture is made whole beside its place, and moved
 * there at the end. */
#include "cli.h"

#include "berth/hosted/map.h"

#include "report/report_int.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

static bool is_svg(const cli_map_request *request)
{
    const size_t length = request->output == NULL ? 0 : strlen(request->output);
    return request->has_format
               ? request->svg
               : length > 4u &&
                     strcasecmp(request->output + length - 4u, ".svg") == 0;
}

/* What to write, and as what. */
typedef struct map_picture {
    const cli_request *request;
    const char *path;
    const berth_map *map;
} map_picture;

static bool write_map(const void *what, FILE *out)
{
    const map_picture *picture = what;
    if (is_svg(&picture->request->map)) {
        berth_map_svg(picture->map, out);
        return true;
    }
    if (!berth_map_html(picture->map, out)) {
        cli_complain_of(picture->path, "no memory for the page");
        return false;
    }
    return true;
}

/* What is on it, in a line. */
static void tell(const char *path, const berth_map *map)
{
    char name[256];
    char count[WORD_NUMBER];
    char steps[WORD_NUMBER];
    const berth_map_row *row = &map->rows[0];
    berth_report_name((berth_bytes){(const uint8_t *)path, strlen(path)}, name,
                      sizeof(name));
    (void)printf(
        "%s: %s %s, %s %s", name, word_number(count, map->problem.item_count),
        map->is_csv ? "buffers" : "tensors",
        word_number(steps, map->step_count), map->is_csv ? "moments" : "steps");
    if (row->status == BERTH_OK) {
        (void)printf(
            "; %s %s bytes%s", row->name, word_number(count, row->peak_bytes),
            row->proven && !row->is_peer && !map->partial ? ", proven least"
                                                          : "");
    }
    (void)putchar('\n');
}

/* A page with holes, or with a plan of others that is wrong, is written, and
 * the exit code says so. */
static berth_verdict judge_map(const char *path, const berth_map *map)
{
    if (map->partial) {
        cli_complain_of(path, "tensors whose size depends on values are not on "
                              "the map (see berth report)");
        return BERTH_VERDICT_NO_NUMBER;
    }
    if (map->rows[0].status != BERTH_OK) {
        char why[256];
        (void)snprintf(why, sizeof(why), "%s: %s", map->rows[0].name,
                       map->rows[0].note);
        cli_complain_of(path, why);
        return BERTH_VERDICT_NO_NUMBER;
    }
    for (uint32_t i = 0; i < map->row_count; ++i) {
        const berth_map_row *row = &map->rows[i];
        if (strcmp(row->name, "given") == 0 && !row->sound) {
            cli_complain_of(path, row->note);
            return BERTH_VERDICT_UNFIT;
        }
    }
    return BERTH_VERDICT_OK;
}

static berth_verdict draw(const cli_request *request, const char *path,
                          const berth_map *map)
{
    const map_picture picture = {request, path, map};
    const char *output = request->map.output;
    const bool written = output == NULL ? write_map(&picture, stdout)
                                        : cli_save(output, write_map, &picture);
    if (!written) {
        return BERTH_VERDICT_SYSTEM;
    }
    if (output != NULL) {
        tell(output, map);
    }
    return judge_map(path, map);
}

static berth_verdict map_one(const cli_request *request, const char *path)
{
    const berth_map_options options = {.stage = request->report.stage,
                                       .signature = request->report.signature,
                                       .strategy = request->report.strategy};
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    berth_port port = berth_port_of_libc();
    berth_map map;
    berth_map_error error;
    cli_watch watch;
    cli_watch_begin(&watch, request, &port);
    const berth_status status =
        berth_map_open(&port, path, &options, &map, &error);
    cli_watch_end(&watch);
    if (status != BERTH_OK) {
        return cli_fail_list(name, &error);
    }
    const berth_verdict verdict = draw(request, name, &map);
    berth_map_close(&map);
    return verdict;
}

berth_verdict cli_map(const cli_request *request, char *const *paths, int count)
{
    if (count != 1) {
        cli_complain("map takes one file (see berth map --help)");
    } else if (request->map.output == NULL && isatty(STDOUT_FILENO)) {
        cli_complain("a page is nothing for a terminal: -o map.html");
    } else if (cli_is_apart(request->map.output, paths, count)) {
        return map_one(request, paths[0]);
    }
    return BERTH_VERDICT_USAGE;
}
