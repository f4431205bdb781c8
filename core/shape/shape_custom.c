/* core/shape/shape_custom.c: the custom operators that LiteRT and TFLM bring
 * along. Their options are flexbuffer maps. */
#include "ops/flexmap.h"
#include "shape_int.h"

#include <string.h>

static int64_t flex_option(struct infer *in, const char *key, int64_t otherwise)
{
    int64_t value = otherwise;
    if (!berth_flexmap_int(in->info.custom_options, key, &value)) {
        value = otherwise;
    }
    infer_need(in, value >= 0 && value <= INT32_MAX);
    return value >= 0 && value <= INT32_MAX ? value : 0;
}

/* Boxes, classes, scores, and how many. */
static void detection_postprocess(struct infer *in)
{
    const int64_t detections = flex_option(in, "max_detections", 0);
    const int64_t classes = flex_option(in, "max_classes_per_detection", 1);
    const int64_t most = detections * classes;
    const int64_t box[] = {1, most, 4};
    const int64_t one = 1;
    const struct dims boxes = berth_dims_of(3, box);
    const struct dims each = berth_dims_of(2, box);
    const struct dims count = berth_dims_of(1, &one);
    berth_infer_out(in, 0, &boxes);
    berth_infer_out(in, 1, &each);
    berth_infer_out(in, 2, &each);
    berth_infer_out(in, 3, &count);
}

static int64_t next_power_of_two(int64_t value)
{
    int64_t power = 1;
    while (power < value) {
        power *= 2;
    }
    return power;
}

/* Samples x channels become channels x windows x frequencies. */
static void audio_spectrogram(struct infer *in)
{
    const struct dims audio = berth_infer_ranked(in, 0, 2);
    const int64_t window = flex_option(in, "window_size", 0);
    const int64_t stride = flex_option(in, "stride", 0);
    infer_need(in, window >= 2 && stride >= 1);
    if (in->verdict == VERDICT_FITS) {
        const int64_t left = audio.at[0] - window;
        const int64_t out[] = {audio.at[1], left < 0 ? 0 : left / stride + 1,
                               next_power_of_two(window) / 2 + 1};
        const struct dims dims = berth_dims_of(3, out);
        berth_infer_out(in, 0, &dims);
    }
}

static void mfcc(struct infer *in)
{
    struct dims out = berth_infer_ranked(in, 0, 3);
    out.at[2] = flex_option(in, "dct_coefficient_count", 0);
    berth_infer_out(in, 0, &out);
}

shape_fn berth_custom_shape_function(berth_bytes name)
{
    static const struct {
        const char *name;
        size_t size;
        shape_fn function;
    } known[] = {
#define KNOWN(text, function) {text, sizeof(text) - 1, function}
        KNOWN("TFLite_Detection_PostProcess", detection_postprocess),
        KNOWN("AudioSpectrogram", audio_spectrogram),
        KNOWN("Mfcc", mfcc),
#undef KNOWN
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); ++i) {
        if (name.size == known[i].size &&
            memcmp(name.data, known[i].name, name.size) == 0) {
            return known[i].function;
        }
    }
    return NULL;
}
