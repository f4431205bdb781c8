/* The options of berth run. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool add_path(const char *option, cli_paths *list, const char *value)
{
    if (value[0] == '\0') {
        cli_complain("--%s: needs the name of a file", option);
        return false;
    }
    if (list->count == CLI_NAMED_MAX) {
        cli_complain("--%s: at most %d of them", option, CLI_NAMED_MAX);
        return false;
    }
    list->path[list->count++] = value;
    return true;
}

static bool apply_input(cli_request *request, const char *value)
{
    return add_path("input", &request->run.inputs, value);
}

static bool apply_expect(cli_request *request, const char *value)
{
    return add_path("expect", &request->run.expects, value);
}

static bool apply_output(cli_request *request, const char *value)
{
    return add_path("output", &request->run.outputs, value);
}

static bool apply_dump(cli_request *request, const char *value)
{
    const char *equals = strrchr(value, '=');
    if (equals == NULL || equals == value || equals[1] == '\0') {
        cli_complain("--dump-tensor %s: not NAME=FILE.npy", value);
        return false;
    }
    return add_path("dump-tensor", &request->run.dumps, value);
}

static bool apply_random(cli_request *request, const char *value)
{
    request->run.seed = value;
    if (strlen(value) > CLI_SEED_MAX) {
        cli_complain("--random: a seed has at most %d bytes", CLI_SEED_MAX);
        return false;
    }
    return true;
}

bool cli_read_count(const char *option, const char *value, uint32_t least,
                    uint32_t *count)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 ||
        number < least || number > CLI_COUNT_MAX) {
        cli_complain("--%s %s: not a number from %u to %d", option, value,
                     least, CLI_COUNT_MAX);
        return false;
    }
    *count = (uint32_t)number;
    return true;
}

static bool apply_case(cli_request *request, const char *value)
{
    return cli_read_count("case", value, 0, &request->run.seed_case);
}

static bool apply_repeat(cli_request *request, const char *value)
{
    return cli_read_count("repeat", value, 1, &request->run.repeat);
}

bool cli_apply_threads(cli_request *request, const char *value)
{
    return cli_read_count("threads", value, 1, &request->run.threads);
}

static bool apply_top(cli_request *request, const char *value)
{
    return cli_read_count("top", value, 1, &request->run.top);
}

static bool apply_labels(cli_request *request, const char *value)
{
    request->run.labels = value;
    return true;
}

static bool apply_state(cli_request *request, const char *value)
{
    request->run.state = value;
    return true;
}

static bool apply_poison(cli_request *request, const char *value)
{
    (void)value;
    request->run.poison = true;
    return true;
}

static bool apply_arena(cli_request *request, const char *value)
{
    request->run.has_arena = true;
    if (!cli_read_bytes(value, &request->run.arena_bytes)) {
        cli_complain("--arena %s: not a number of bytes (61440, 60K)", value);
        return false;
    }
    return true;
}

static bool read_float(const char *option, const char *text, double *value,
                       const char **end)
{
    char *stop = NULL;
    *value = strtod(text, &stop);
    *end = stop;
    if (stop == text || !isfinite(*value)) {
        cli_complain("--%s %s: not a number", option, text);
        return false;
    }
    return true;
}

static bool apply_tolerance(cli_request *request, const char *value)
{
    const char *end = NULL;
    if (!read_float("tolerance", value, &request->run.tolerance, &end)) {
        return false;
    }
    if (*end != '\0' || request->run.tolerance < 0.0) {
        cli_complain("--tolerance %s: not a number, 0 or more", value);
        return false;
    }
    return true;
}

/* One number, or one for each channel: "127.5" or "123.7,116.3,103.5". */
static bool read_channels(const char *option, const char *value,
                          float values[4], uint32_t *count)
{
    const char *at = value;
    *count = 0;
    for (;;) {
        double number = 0;
        if (*count == 4 || !read_float(option, at, &number, &at)) {
            break;
        }
        values[(*count)++] = (float)number;
        if (*at == '\0') {
            if (*count != 2) {
                return true;
            }
            break;
        }
        if (*at++ != ',') {
            break;
        }
    }
    cli_complain("--%s %s: give 1, 3 or 4 numbers with commas", option, value);
    return false;
}

static bool apply_mean(cli_request *request, const char *value)
{
    return read_channels("mean", value, request->run.mean,
                         &request->run.mean_count);
}

static bool apply_std(cli_request *request, const char *value)
{
    if (!read_channels("std", value, request->run.std,
                       &request->run.std_count)) {
        return false;
    }
    for (uint32_t i = 0; i < request->run.std_count; ++i) {
        if (!(request->run.std[i] > 0.0f)) {
            cli_complain("--std %s: each is to be above 0", value);
            return false;
        }
    }
    return true;
}

bool cli_apply_engine_kernels(cli_request *request, const char *value)
{
    int index = 0;
    const bool known = cli_choose("kernels", "opt|ref", value, &index);
    request->run.reference = index == 1;
    return known;
}

bool cli_apply_profile(cli_request *request, const char *value)
{
    int index = 0;
    const bool known = cli_choose("profile", "litert|tflm", value, &index);
    request->run.profile =
        index == 1 ? BERTH_PROFILE_TFLM : BERTH_PROFILE_LITERT;
    return known;
}

static const cli_option run_options[] = {
    {"input", "FILE",
     "Fill the next input, in the model's order: a .npy array, a PNG or JPEG "
     "picture, or raw bytes. An array of another shape resizes the input.",
     apply_input, false},
    {"random", "SEED",
     "Fill the inputs that no file is given for with numbers made from any "
     "text: the same on every machine.",
     apply_random, false},
    {"case", "N", "Another set of numbers from the same seed; 0 unless told.",
     apply_case, false},
    {"output", "FILE",
     "Save the next output, in the model's order, as .npy; -o for short.",
     apply_output, false},
    {"expect", "FILE",
     "Compare the next output with a .npy array; exit code 1 if it differs.",
     apply_expect, false},
    {"tolerance", "T",
     "Floats are as expected if |a - b| <= T * max(1, max |b|); 0 unless told. "
     "Integers are compared bit by bit.",
     apply_tolerance, false},
    {"top", "K", "List the K largest values of the first output.", apply_top,
     false},
    {"labels", "FILE", "Name them by the lines of a file.", apply_labels,
     false},
    {"mean", "M[,M,M]",
     "Pictures: each value v from 0 to 255 becomes (v - M) / S. Else as the "
     "model's metadata says, else v / 255 for floats, v for uint8, v - 128 for "
     "int8.",
     apply_mean, false},
    {"std", "S[,S,S]", "See --mean.", apply_std, false},
    {"arena", "BYTES",
     "Lend so many bytes for the arena and no more; exit code 1 if the plan "
     "needs more.",
     apply_arena, false},
    {"repeat", "N",
     "Run N times and show the last; state goes on from run to run.",
     apply_repeat, false},
    {"threads", "N", "Share out the rows of operators among N threads.",
     cli_apply_threads, false},
    {"poison", NULL,
     "Run twice, filling the dead bytes before each step, differently; exit "
     "code 1 if the outputs differ.",
     apply_poison, false},
    {"state", "FILE",
     "Start from the variables saved there, if it is there, and save them "
     "there at the end.",
     apply_state, false},
    {"dump-tensor", "NAME=FILE",
     "Save a tensor as it is when it has been written; may be repeated.",
     apply_dump, false},
    {"kernels", "opt|ref",
     "The fast kernels, or the obvious ones that they are checked against.",
     cli_apply_engine_kernels, false},
    {"profile", "litert|tflm",
     "Whose arithmetic is meant where the two differ; litert unless told.",
     cli_apply_profile, false},
    {"strategy", "NAME", "Plan by this strategy rather than best.",
     cli_apply_strategy, false},
    {"align", "BYTES", "Align every tensor to this power of two, 16 or more.",
     cli_apply_align, false},
    {"shape", "NAME=1,96,96,3", "Give an input another shape; may be repeated.",
     cli_apply_shape, false},
    {"signature", "NAME",
     "Run this signature, or number #1, rather than subgraph 0.",
     cli_apply_signature, false},
    {"time", "TIME", CLI_TIME_HELP, cli_apply_time, false},
    {"format", "text|json", "For people or for programs.", cli_apply_format,
     false},
    {"help", NULL, "Print this and stop.", cli_apply_help, false},
    {"version", NULL, "Print the version and stop.", cli_apply_version, false},
    {"man", NULL, "Print the man page's source.", cli_apply_man, true},
};

const cli_command CLI_RUN = {
    .name = "run",
    .summary = "run a model in exactly the bytes that report names",
    .options = run_options,
    .option_count = sizeof(run_options) / sizeof(run_options[0]),
    .page = &CLI_RUN_PAGE,
    .run = cli_run_model};
