/* The options of berth plan and of berth check. */
#include "cli.h"

#include <string.h>

static bool apply_output(cli_request *request, const char *value)
{
    return cli_take_output(&request->plan.output, value);
}

bool cli_apply_capacity(cli_request *request, const char *value)
{
    request->plan.has_capacity = true;
    if (!cli_read_bytes(value, &request->plan.capacity_bytes)) {
        cli_complain("--capacity %s: not a number of bytes (try 1048576, 76K "
                     "or 2M; K is 1024)",
                     value);
        return false;
    }
    return true;
}

static bool apply_plan_format(cli_request *request, const char *value)
{
    int index = 0;
    const bool known =
        cli_choose("format", "text|csv|json|plan", value, &index);
    request->format = known ? (cli_format)index : CLI_TEXT;
    request->has_format = true;
    return known;
}

static bool apply_fixed(cli_request *request, const char *value)
{
    (void)value;
    request->plan.fixed = true;
    return true;
}

static bool share_as(cli_request *request, berth_sharing sharing)
{
    if (request->plan.sharing != BERTH_SHARING_ALONE &&
        request->plan.sharing != sharing) {
        cli_complain("--exclusive and --together exclude each other");
        return false;
    }
    request->plan.sharing = sharing;
    return true;
}

bool cli_apply_exclusive(cli_request *request, const char *value)
{
    (void)value;
    return share_as(request, BERTH_SHARING_EXCLUSIVE);
}

bool cli_apply_together(cli_request *request, const char *value)
{
    (void)value;
    return share_as(request, BERTH_SHARING_TOGETHER);
}

static const cli_option plan_options[] = {
    {"output", "FILE",
     "Write the plan there; -o for short. A name that ends in .csv, .json or "
     ".plan tells the format.",
     apply_output, false},
    {"format", "text|csv|json|plan",
     "The verdict for people, the offsets as CSV or JSON "
     "(docs/buffers-csv.md, docs/plan.schema.json), or a plan file "
     "(docs/plan-file.md).",
     apply_plan_format, false},
    {"capacity", "BYTES",
     "Answer whether it fits: 1048576, 76K, 2M (K is 1024). The search ends at "
     "a plan that does, or at the proof that none does (exit code 1).",
     cli_apply_capacity, false},
    {"time", "TIME", CLI_TIME_HELP, cli_apply_time, false},
    {"strategy", "NAME",
     "Plan with this strategy rather than best (see berth(1)).",
     cli_apply_strategy, false},
    {"align", "BYTES",
     "Align every tensor to this power of two rather than 16; buffers of a "
     "CSV that give no alignment rather than 1.",
     cli_apply_align, false},
    {"fixed", NULL,
     "Keep the offsets that the CSV brings, and place the buffers whose offset "
     "is empty.",
     apply_fixed, false},
    {"exclusive", NULL,
     "Plan one arena for several files of which only one runs at a time.",
     cli_apply_exclusive, false},
    {"together", NULL,
     "Plan one arena for several files that may run at one time.",
     cli_apply_together, false},
    CLI_NAME_OPTIONS,
    CLI_RULE_OPTIONS,
    {"signature", "NAME",
     "Plan this signature, or number #1, rather than subgraph 0.",
     cli_apply_signature, false},
    {"help", NULL, "Print this and stop.", cli_apply_help, false},
    {"version", NULL, "Print the version and stop.", cli_apply_version, false},
    {"man", NULL, "Print the man page's source.", cli_apply_man, true},
};

const cli_command CLI_PLAN = {
    .name = "plan",
    .summary = "where every tensor or buffer lies, and is it the least",
    .options = plan_options,
    .option_count = sizeof(plan_options) / sizeof(plan_options[0]),
    .page = &CLI_PLAN_PAGE,
    .run = cli_plan};

static const cli_option check_options[] = {
    {"capacity", "BYTES", "Say no to a plan that takes more than that as well.",
     cli_apply_capacity, false},
    {"exclusive", NULL,
     "The plan is of several files of which only one runs at a time.",
     cli_apply_exclusive, false},
    {"together", NULL, "The plan is of several files that may run at one time.",
     cli_apply_together, false},
    {"strategy", "NAME",
     "What made the plan, if that was tflite or tflm: these know neither views "
     "nor operators in place.",
     cli_apply_strategy, false},
    {"align", "BYTES",
     "What every offset has to be a multiple of, rather than 16; for buffers "
     "of a CSV that give no alignment, rather than 1.",
     cli_apply_align, false},
    CLI_NAME_OPTIONS,
    CLI_RULE_OPTIONS,
    {"signature", "NAME", "The signature that the plan is of.",
     cli_apply_signature, false},
    {"help", NULL, "Print this and stop.", cli_apply_help, false},
    {"version", NULL, "Print the version and stop.", cli_apply_version, false},
    {"man", NULL, "Print the man page's source.", cli_apply_man, true},
};

const cli_command CLI_CHECK = {
    .name = "check",
    .summary = "is this plan right for this model or list?",
    .options = check_options,
    .option_count = sizeof(check_options) / sizeof(check_options[0]),
    .page = &CLI_CHECK_PAGE,
    .run = cli_check};
