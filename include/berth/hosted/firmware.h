/* berth/hosted/firmware.h: from a model to what goes into firmware with stock
 * TensorFlow Lite for Microcontrollers: a copy of the model with a better plan,
 * a C header with its sizes, the model as a C array, the plan as a file.
 *
 *     berth_firmware firmware;
 *     berth_firmware_make(&loaded, &options, &firmware, &error);
 *     if (firmware.gains) {
 *         ... firmware.file, berth_firmware_header(), berth_firmware_array()
 *     }
 *     berth_firmware_close(&firmware);
 *
 * Nothing is handed out unchecked: the copy is opened again by berth's own
 * reader and compared, its plan passes both judges, and the head predicted for
 * the copy is the one promised. */
#ifndef BERTH_HOSTED_FIRMWARE_H
#define BERTH_HOSTED_FIRMWARE_H

#include <stdio.h>

#include "berth/bake.h"
#include "berth/hosted/load.h"
#include "berth/peer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_firmware_options {
    berth_micro_options micro;
    berth_bake_options bake;
} berth_firmware_options;

typedef struct berth_firmware {
    berth_port *port;
    const berth_loaded *loaded; /* borrowed: the model as it came */
    berth_micro_options micro;  /* what was predicted for, defaults filled in */
    berth_micro before;         /* the model as it came */
    berth_micro after;          /* the copy, if it gains */
    berth_bake_plan plan;
    bool gains; /* the copy's head is smaller; else there is no copy */
    bool sound; /* both judges agree with the plan; else no copy */
    berth_diag unsound;
    berth_bytes file;         /* the copy */
    const berth_model *model; /* of the copy */
    berth_graph graph;
    berth_block blocks[8];
    uint32_t block_count;
} berth_firmware;

/* BERTH_UNSUPPORTED  TFLM would not start with this model (diag: what, op,
 *                    tensor), or the copy cannot be written (bake.h).
 * Others: of the stages that it goes through. Where the plan does not gain, or
 * no plan is sound, that is no failure: see `gains` and `sound`. On failure
 * nothing is left open. */
BERTH_MUST_USE berth_status berth_firmware_make(
    const berth_loaded *loaded, const berth_firmware_options *options,
    berth_firmware *firmware, berth_load_error *error);
void berth_firmware_close(berth_firmware *firmware);

/* The name that C code gives to a model: the last part of the path, without its
 * suffix, in lower case, other characters than letters and digits folded into
 * one underscore. Never empty, never more than size - 1 characters. */
void berth_firmware_name(const char *path, char *name, size_t size);

/* What the C files are about: firmware of a copy, or of the model as it came
 * where it is not worth baking. */
typedef struct berth_firmware_text {
    const char *name;   /* berth_firmware_name() */
    const char *source; /* path to tell in a comment, escaped there */
    berth_bytes file;
    const berth_graph *graph;
    const berth_micro *micro;
    const berth_micro_options *options;
} berth_firmware_text;

berth_firmware_text berth_firmware_text_of(const berth_firmware *firmware,
                                           const char *name,
                                           const char *source);

/* A header of macros and static assertions, valid C11 and C++11; and the file
 * as an array aligned to 16. Errors of writing stay in the stream. */
void berth_firmware_header(const berth_firmware_text *text, FILE *out);
void berth_firmware_array(const berth_firmware_text *text, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
