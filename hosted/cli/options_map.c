/* The options of berth map. */
#include "cli.h"

static bool apply_map_output(cli_request *request, const char *value)
{
    return cli_take_output(&request->map.output, value);
}

static bool apply_map_format(cli_request *request, const char *value)
{
    int index = 0;
    const bool known = cli_choose("format", "html|svg", value, &index);
    request->map.has_format = true;
    request->map.svg = index == 1;
    return known;
}

static const cli_option map_options[] = {
    {"output", "FILE",
     "Write there rather than to standard output; -o for short. A name that "
     "ends in .svg gives a picture, any other a page.",
     apply_map_output, false},
    {"format", "html|svg", "The same, whatever the name.", apply_map_format,
     false},
    {"strategy", "NAME",
     "Show this strategy first, or draw it; best unless told. The page has "
     "best, size-best, online, none, tflite and tflm besides.",
     cli_apply_strategy, false},
    {"align", "BYTES",
     "Align every tensor to this power of two rather than 16; buffers of a "
     "CSV that give no alignment rather than 1.",
     cli_apply_align, false},
    CLI_NAME_OPTIONS,
    CLI_RULE_OPTIONS,
    {"signature", "NAME",
     "Draw this signature, or number #1, rather than subgraph 0.",
     cli_apply_signature, false},
    {"time", "TIME", CLI_TIME_HELP, cli_apply_time, false},
    {"help", NULL, "Print this and stop.", cli_apply_help, false},
    {"version", NULL, "Print the version and stop.", cli_apply_version, false},
    {"man", NULL, "Print the man page's source.", cli_apply_man, true},
};

const cli_command CLI_MAP = {
    .name = "map",
    .summary = "the same as a picture of bytes over time",
    .options = map_options,
    .option_count = sizeof(map_options) / sizeof(map_options[0]),
    .page = &CLI_MAP_PAGE,
    .run = cli_map};
