/* berth/hosted/map.h: a plan as a picture: time across, bytes up, a rectangle
 * for each life of each tensor, under several strategies.
 *
 *     berth_map_options options = {.strategy = BERTH_STRATEGY_BEST};
 *     berth_map map;
 *     berth_map_error error;
 *     if (berth_map_open(&port, "model.tflite", &options, &map, &error) ==
 *         BERTH_OK) {
 *         good = berth_map_html(&map, out);       or berth_map_svg(&map, out)
 *     }
 *     berth_map_close(&map);
 *
 * The page is one file: no network, no other file, and a policy that allows
 * its own script and style only. What it shows lies in it as JSON. Names from
 * a file are data everywhere: never markup, never script. */
#ifndef BERTH_HOSTED_MAP_H
#define BERTH_HOSTED_MAP_H

#include <stdio.h>

#include "berth/hosted/list.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Beyond these a picture helps nobody. */
#define BERTH_MAP_ENTRIES_MAX (1u << 20)
#define BERTH_MAP_STEPS_MAX   (1u << 20)
/* Numbers of a page are exact up to here. */
#define BERTH_MAP_BYTES_MAX (UINT64_C(1) << 53)

/* Names of the options point into what the caller holds. */
typedef struct berth_map_options {
    berth_stage_options stage;
    berth_bytes signature;   /* size 0: subgraph of `stage` */
    berth_strategy strategy; /* shown first, and the one of the SVG */
} berth_map_options;

/* Why there is no map. */
typedef berth_list_error berth_map_error;

/* Something that takes bytes for a time. */
typedef struct berth_map_entry {
    berth_bytes name; /* of a file: any bytes */
    uint64_t bytes;
    const char *class_text; /* berth_class_name(), "scratch" or "buffer" */
    uint32_t tensor;        /* global; BERTH_NONE: scratch, or of a CSV */
    uint32_t step;          /* of who writes it, or whose scratch it is, or
                               BERTH_NONE */
    uint32_t first_span;    /* into map->spans */
    uint32_t span_count;
} berth_map_entry;

/* One way of planning. */
typedef struct berth_map_row {
    const char *name;    /* the strategy, or "given": offsets of the CSV */
    berth_status status; /* OK: all below holds; else there is nothing */
    const char *note;    /* what to know about it, or "" */
    uint64_t peak_bytes;
    uint64_t bound_bytes;
    uint64_t top_bytes; /* highest end on the map; of several arenas, drawn end
                           to end, it may be above their sum */
    uint64_t *offset;   /* by entry; BERTH_NOWHERE: has no bytes here */
    uint64_t *live;     /* by step: bytes in use */
    uint32_t peak_step; /* or BERTH_NONE */
    bool proven;
    bool sound;
    bool is_part; /* a peer's: it places the rest while it runs */
    bool is_peer; /* another runtime's own plan: its bound is of a problem of
                     its own, and it is drawn at berth's lives */
} berth_map_row;

enum { BERTH_MAP_ROWS_MAX = 8, BERTH_MAP_BLOCKS_MAX = 48 };

typedef struct berth_map {
    berth_port *port;
    const char *title; /* the path's last part */
    bool is_csv;
    bool partial;        /* tensors without a number are not on it */
    berth_loaded loaded; /* of a model */
    berth_staged staged;
    berth_list list; /* of a CSV */
    berth_problem problem;
    const berth_span *spans; /* of entries */
    uint32_t span_count;
    uint32_t step_count;
    const uint64_t *times;    /* of a CSV: step i goes from times[i] to
                                 times[i + 1]; NULL: steps are their numbers */
    berth_map_entry *entries; /* items of the problem first, in order */
    uint32_t entry_count;
    berth_map_row rows[BERTH_MAP_ROWS_MAX]; /* the one to show first, first */
    uint32_t row_count;
    berth_block blocks[BERTH_MAP_BLOCKS_MAX];
    uint32_t block_count;
} berth_map;

/* A model, or a CSV of buffers (list.h).
 * On failure `map` holds nothing, and may be closed. */
BERTH_MUST_USE berth_status berth_map_open(berth_port *port, const char *path,
                                           const berth_map_options *options,
                                           berth_map *map,
                                           berth_map_error *error);
void berth_map_close(berth_map *map);

/* The page. False: no memory; an error of `out` stays there. */
BERTH_MUST_USE bool berth_map_html(const berth_map *map, FILE *out);

/* The first row that has offsets, as a picture without script. */
void berth_map_svg(const berth_map *map, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
