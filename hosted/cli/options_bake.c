/* The options of berth bake. */
#include "cli.h"

static bool take_path(const char *option, const char **path, const char *value)
{
    if (value[0] == '\0' || (value[0] == '-' && value[1] == '\0')) {
        cli_complain("--%s: needs the name of a file", option);
        return false;
    }
    if (*path != NULL) {
        cli_complain("--%s: given twice", option);
        return false;
    }
    *path = value;
    return true;
}

static bool apply_output(cli_request *request, const char *value)
{
    return take_path("output", &request->bake.output, value);
}

static bool apply_header(cli_request *request, const char *value)
{
    return take_path("header", &request->bake.header, value);
}

static bool apply_array(cli_request *request, const char *value)
{
    return take_path("c", &request->bake.array, value);
}

static bool apply_plan(cli_request *request, const char *value)
{
    return take_path("plan", &request->bake.plan, value);
}

static bool apply_tflm(cli_request *request, const char *value)
{
    (void)value;
    request->bake.tflm = true;
    return true;
}

static bool apply_assume(cli_request *request, const char *value)
{
    (void)value;
    request->bake.options.in_place = true;
    return true;
}

static bool apply_no_views(cli_request *request, const char *value)
{
    (void)value;
    request->bake.options.no_views = true;
    return true;
}

static const cli_option bake_options[] = {
    {"tflm", NULL,
     "For TensorFlow Lite for Microcontrollers; the only runtime that takes "
     "plans so far, and it has to be named.",
     apply_tflm, false},
    {"output", "FILE",
     "Write the model with its plan there; -o for short. May be the model "
     "itself.",
     apply_output, false},
    {"target", "NAME",
     "The processor: x86-64 (default), m4, m7, m55, esp32s3, ... (see berth "
     "report --help).",
     cli_apply_target, false},
    {"kernels", "SET[@VERSION]",
     "The kernels whose scratch is planned for: reference (default), cmsis-nn, "
     "esp-nn.",
     cli_apply_kernels, false},
    {"assume-reference-kernels", NULL,
     "Let an output lie over an input where TFLM's reference kernels work in "
     "place. Wrong results with kernels that do not.",
     apply_assume, false},
    {"no-views", NULL,
     "Never give input and output of a RESHAPE one address. They may have one "
     "otherwise, since TFLM's kernel then copies nothing.",
     apply_no_views, false},
    {"header", "FILE",
     "Write a C header: sizes, offsets, operators, and static assertions.",
     apply_header, false},
    {"c", "FILE", "Write the model as a C array aligned to 16.", apply_array,
     false},
    {"plan", "FILE", "Write the plan as a file (docs/plan-file.md).",
     apply_plan, false},
    {"format", "text|json", "Text for people, or JSON for programs.",
     cli_apply_format, false},
    {"help", NULL, "Print this and stop.", cli_apply_help, false},
    {"version", NULL, "Print the version and stop.", cli_apply_version, false},
    {"man", NULL, "Print the man page's source.", cli_apply_man, true},
};

const cli_command CLI_BAKE = {
    .name = "bake",
    .summary = "gives TFLM a better plan, in the model",
    .options = bake_options,
    .option_count = sizeof(bake_options) / sizeof(bake_options[0]),
    .page = &CLI_BAKE_PAGE,
    .run = cli_bake};
