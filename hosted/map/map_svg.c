/* One row as a picture without script: rectangles with their names as titles,
 * peak and bound, and the bytes in use below, all on one axis of time. */
#include "map_int.h"

#include <inttypes.h>
#include <string.h>

#include "report/report_int.h"

enum {
    SVG_WIDTH = 1200,
    SVG_HEIGHT = 720,
    SVG_LEFT = 96,
    SVG_RIGHT = 24,
    SVG_TOP = 84,
    SVG_BOTTOM = 520, /* of the rectangles */
    SVG_LIVE_TOP = 556,
    SVG_LIVE_BOTTOM = 660,
    SVG_TICKS = 6
};

typedef struct svg_view {
    const berth_map *map;
    const berth_map_row *row;
    FILE *out;
    uint64_t top; /* bytes at the top of the picture */
} svg_view;

/* --- text -------------------------------------------------------------------
 */

/* Text from a file: what cannot be in XML at all becomes a question mark, and
 * nothing of it is markup. */
static void put_xml(FILE *out, const char *text)
{
    for (const char *at = text; *at != '\0'; ++at) {
        const unsigned char c = (unsigned char)*at;
        if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\'') {
            (void)fprintf(out, "&#%u;", (unsigned)c);
        } else if (memcmp(at, "\xEF\xBF", strlen(at) < 2u ? 1u : 2u) == 0 &&
                   ((unsigned char)at[2] & 0xFEu) == 0xBEu) {
            (void)fputc('?', out); /* U+FFFE and U+FFFF */
            at += 2;
        } else {
            (void)fputc((int)c, out);
        }
    }
}

static void put_name(FILE *out, berth_bytes name, uint32_t columns)
{
    char text[WORD_NAME];
    (void)word_name(text, name, columns);
    put_xml(out, text);
}

/* --- where things are --------------------------------------------------------
 */

static uint64_t time_number(const berth_map *map, uint32_t step)
{
    return map->times == NULL || map->step_count == 0 ? step : map->times[step];
}

static double time_at(const svg_view *v, uint32_t step)
{
    const uint32_t last = v->map->step_count > 0 ? v->map->step_count : 1u;
    const double from = (double)time_number(v->map, 0);
    const double end = (double)time_number(v->map, last);
    const double at = (double)time_number(v->map, step);
    return SVG_LEFT +
           (at - from) / (end - from) * (SVG_WIDTH - SVG_LEFT - SVG_RIGHT);
}

static double bytes_at(const svg_view *v, uint64_t bytes)
{
    return SVG_BOTTOM - (double)bytes / (double)v->top * (SVG_BOTTOM - SVG_TOP);
}

static double live_at(const svg_view *v, uint64_t bytes)
{
    return SVG_LIVE_BOTTOM -
           (double)bytes / (double)v->top * (SVG_LIVE_BOTTOM - SVG_LIVE_TOP);
}

static bool is_alive_at_peak(const svg_view *v, const berth_map_entry *entry)
{
    for (uint32_t i = 0; i < entry->span_count; ++i) {
        const berth_span span = v->map->spans[entry->first_span + i];
        if (v->row->peak_step != BERTH_NONE && span.born <= v->row->peak_step &&
            v->row->peak_step < span.dead) {
            return true;
        }
    }
    return false;
}

/* --- parts -------------------------------------------------------------------
 */

static const char SVG_STYLE[] =
    "<style>\n"
    "svg{font:12px system-ui,sans-serif;--bg:#fbfbfa;--ink:#1d2330;"
    "--dim:#667085;--grid:#e3e5ea;--inner:#9db7d5;--peak:#f2a65a;"
    "--io:#7fc3a2;--scratch:#c4b5dd;--edge:#fff;--line:#c2362b;"
    "--bound:#2d5fa8;--live:#cfdcec}\n"
    "@media(prefers-color-scheme:dark){svg{--bg:#14171d;--ink:#e7eaf0;"
    "--dim:#98a2b3;--grid:#2a2f3a;--inner:#48658a;--peak:#c77a2e;"
    "--io:#3f8463;--scratch:#75649a;--edge:#14171d;--line:#ff7b6e;"
    "--bound:#86b4f5;--live:#263a54}}\n"
    ".bg{fill:var(--bg)}text{fill:var(--ink)}.dim{fill:var(--dim)}"
    ".h{font-size:18px;font-weight:600}.g{stroke:var(--grid)}"
    "rect.t{stroke:var(--edge);stroke-width:.6;fill:var(--inner)}"
    "rect.io{fill:var(--io)}rect.s{fill:var(--scratch)}"
    "rect.p{fill:var(--peak)}.l{font-size:11px;pointer-events:none}"
    ".pk{stroke:var(--line);stroke-width:1.5}"
    ".bd{stroke:var(--bound);stroke-width:1.5;stroke-dasharray:6 4}"
    ".lv{fill:var(--live);stroke:var(--inner)}"
    "text.r{text-anchor:end}text.m{text-anchor:middle}\n</style>\n";

static void put_head(const svg_view *v)
{
    const berth_map_row *row = v->row;
    char peak[WORD_NUMBER];
    char bound[WORD_NUMBER];
    const berth_bytes title = word_bytes(v->map->title, strlen(v->map->title));
    (void)fprintf(v->out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
                  "%d\" role=\"img\" aria-labelledby=\"t d\">\n<title "
                  "id=\"t\">",
                  SVG_WIDTH, SVG_HEIGHT);
    put_name(v->out, title, 120u);
    (void)fprintf(v->out,
                  ": its memory over time</title>\n<desc id=\"d\">Strategy "
                  "%s: peak %s bytes, bound %s bytes.</desc>\n%s<rect "
                  "class=\"bg\" width=\"%d\" height=\"%d\"/>\n<text "
                  "class=\"h\" x=\"%d\" y=\"34\">",
                  row->name, word_number(peak, row->peak_bytes),
                  word_number(bound, row->bound_bytes), SVG_STYLE, SVG_WIDTH,
                  SVG_HEIGHT, SVG_LEFT);
    put_name(v->out, title, 90u);
    (void)fprintf(v->out,
                  "</text>\n<text class=\"dim\" x=\"%d\" y=\"56\">%s: %s bytes"
                  "%s%s. Orange: alive at the peak.",
                  SVG_LEFT, row->name, peak,
                  row->is_peer      ? ", its own bound "
                  : v->map->partial ? ", of what has a size; bound "
                  : row->proven     ? ", proven least"
                                    : ", no plan is below ",
                  row->proven && !row->is_peer && !v->map->partial ? ""
                                                                   : bound);
    put_xml(v->out, row->note[0] == '\0' ? "" : " Note: ");
    put_xml(v->out, row->note);
    (void)fputs("</text>\n", v->out);
}

/* The power of two that makes about SVG_TICKS lines. */
static uint64_t tick_of(uint64_t top)
{
    uint64_t tick = 1;
    while (top / tick > SVG_TICKS) {
        tick *= 2u;
    }
    return tick;
}

static void put_grid(const svg_view *v)
{
    char text[WORD_NUMBER];
    const uint64_t tick = tick_of(v->top);
    for (uint64_t at = 0; at <= v->top; at += tick) {
        (void)fprintf(v->out,
                      "<path class=\"g\" d=\"M%d %.1fH%d\"/><text class=\"dim "
                      "r\" x=\"%d\" y=\"%.1f\">%s</text>\n",
                      SVG_LEFT, bytes_at(v, at), SVG_WIDTH - SVG_RIGHT,
                      SVG_LEFT - 8, bytes_at(v, at) + 4, word_number(text, at));
    }
    const uint32_t steps = v->map->step_count;
    const uint32_t every = (uint32_t)tick_of(steps > 0 ? steps : 1u);
    for (uint32_t at = 0; at <= steps; at += every) {
        (void)fprintf(v->out,
                      "<text class=\"dim m\" x=\"%.1f\" y=\"%d\">%s</text>\n",
                      time_at(v, at), SVG_LIVE_BOTTOM + 18,
                      word_number(text, time_number(v->map, at)));
    }
    (void)fprintf(v->out,
                  "<text class=\"dim m\" x=\"%d\" y=\"%d\">%s</text>\n<text "
                  "class=\"dim\" x=\"%d\" y=\"%d\">bytes in use</text>\n<text "
                  "class=\"dim\" x=\"%d\" y=\"%d\">bytes</text>\n",
                  SVG_WIDTH / 2, SVG_LIVE_BOTTOM + 40,
                  v->map->is_csv ? "time" : "step", SVG_LEFT, SVG_LIVE_TOP - 8,
                  SVG_LEFT, SVG_TOP - 6);
}

static const char *style_of(const svg_view *v, const berth_map_entry *entry)
{
    if (is_alive_at_peak(v, entry)) {
        return "t p";
    }
    if (strcmp(entry->class_text, "scratch") == 0) {
        return "t s";
    }
    return strcmp(entry->class_text, "input") == 0 ||
                   strcmp(entry->class_text, "output") == 0
               ? "t io"
               : "t";
}

static void put_life(const svg_view *v, uint32_t index, berth_span span)
{
    const berth_map_entry *entry = &v->map->entries[index];
    const uint64_t offset = v->row->offset[index];
    const double x = time_at(v, span.born);
    const double y = bytes_at(v, offset + entry->bytes);
    const double w = time_at(v, span.dead) - x;
    const double h = bytes_at(v, offset) - y;
    const berth_bytes scratch = word_bytes("scratch", 7u);
    const berth_bytes name =
        entry->tensor == BERTH_NONE && !v->map->is_csv ? scratch : entry->name;
    char bytes[WORD_NUMBER];
    char at[WORD_NUMBER];
    (void)fprintf(v->out,
                  "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
                  "height=\"%.2f\"><title>",
                  style_of(v, entry), x, y, w, h);
    put_name(v->out, name, 200u);
    (void)fprintf(
        v->out, ": %s bytes at %s, %" PRIu64 " to %" PRIu64 "</title></rect>\n",
        word_number(bytes, entry->bytes), word_number(at, offset),
        time_number(v->map, span.born), time_number(v->map, span.dead));
    if (w > 56 && h > 15) {
        (void)fprintf(v->out, "<text class=\"l\" x=\"%.1f\" y=\"%.1f\">", x + 5,
                      y + h / 2 + 4);
        put_name(v->out, name, (uint32_t)((w - 10) / 6.4));
        (void)fputs("</text>\n", v->out);
    }
}

static void put_lives(const svg_view *v)
{
    for (uint32_t i = 0; i < v->map->entry_count; ++i) {
        const berth_map_entry *entry = &v->map->entries[i];
        if (v->row->offset[i] == BERTH_NOWHERE || entry->bytes == 0) {
            continue;
        }
        for (uint32_t k = 0; k < entry->span_count; ++k) {
            put_life(v, i, v->map->spans[entry->first_span + k]);
        }
    }
}

static void put_live_curve(const svg_view *v)
{
    (void)fprintf(v->out, "<path class=\"lv\" d=\"M%d %d", SVG_LEFT,
                  SVG_LIVE_BOTTOM);
    for (uint32_t i = 0; i < v->map->step_count; ++i) {
        if (i == 0 || v->row->live[i] != v->row->live[i - 1u]) {
            (void)fprintf(v->out, "H%.2fV%.2f", time_at(v, i),
                          live_at(v, v->row->live[i]));
        }
    }
    (void)fprintf(v->out, "H%dV%dZ\"/>\n", SVG_WIDTH - SVG_RIGHT,
                  SVG_LIVE_BOTTOM);
}

static void put_line(const svg_view *v, const char *style, const char *word,
                     uint64_t bytes, int x)
{
    char text[WORD_NUMBER];
    (void)fprintf(v->out,
                  "<path class=\"%s\" d=\"M%d %.1fH%d\"/><path class=\"%s\" "
                  "d=\"M%d %.1fH%d\"/><text class=\"r\" x=\"%d\" y=\"%.1f\">%s "
                  "%s</text>\n",
                  style, SVG_LEFT, bytes_at(v, bytes), SVG_WIDTH - SVG_RIGHT,
                  style, SVG_LEFT, live_at(v, bytes), SVG_WIDTH - SVG_RIGHT, x,
                  bytes_at(v, bytes) - 6, word, word_number(text, bytes));
}

void berth_map_svg(const berth_map *map, FILE *out)
{
    static const berth_map_row none = {
        .name = "none", .note = "no plan", .peak_step = BERTH_NONE};
    const berth_map_row *row = map_first_row(map);
    svg_view view = {.map = map, .row = row == NULL ? &none : row, .out = out};
    const uint64_t peak = view.row->peak_bytes;
    const uint64_t end =
        view.row->top_bytes > peak ? view.row->top_bytes : peak;
    view.top = end + end / 16u + 1u;
    put_head(&view);
    put_grid(&view);
    if (row != NULL) {
        put_lives(&view);
        put_live_curve(&view);
        put_line(&view, "bd", "bound", row->bound_bytes, SVG_WIDTH - 260);
        put_line(&view, "pk", "peak", peak, SVG_WIDTH - SVG_RIGHT);
    }
    (void)fputs("</svg>\n", out);
}
