/* What came of it, for people and for programs. */
#include "cli_bake.h"

#include "report/report_int.h"

#include <inttypes.h>

static void print_row(const char *what, uint64_t before, uint64_t after,
                      const char *comment)
{
    char text[2][WORD_NUMBER];
    (void)printf("    %-16s %14s %14s%s%s\n", what,
                 word_number(text[0], before), word_number(text[1], after),
                 comment[0] == '\0' ? "" : "   ", comment);
}

static const char *share_text(uint32_t share)
{
    static const char *const texts[] = {
        "no two live tensors share bytes",
        "RESHAPEs share one address",
        "outputs lie over inputs (reference kernels)",
        ("RESHAPEs share one address, outputs lie over inputs (reference "
         "kernels)"),
    };
    return texts[share & 3u];
}

void bake_print_text(const bake_job *job)
{
    const berth_firmware *firmware = &job->firmware;
    const berth_micro *before = &firmware->before;
    const berth_micro *after =
        firmware->gains ? &firmware->after : &firmware->before;
    const berth_bake_plan *plan = &firmware->plan;
    (void)printf("tflm with %s@%s on %s\n",
                 berth_micro_kernels_name(firmware->micro.kernels),
                 berth_micro_kernels_version(firmware->micro.kernels),
                 berth_micro_target_name(firmware->micro.target));
    (void)printf("    %-16s %14s %14s\n", "bytes", "before", "after");
    print_row("head", before->head_bytes, after->head_bytes,
              !firmware->gains                        ? "nothing to gain"
              : plan->head_bytes == plan->bound_bytes ? "the least there is"
                                                      : "");
    print_row("tail", before->tail_bytes, after->tail_bytes, "");
    print_row("smallest arena", before->arena_min_bytes, after->arena_min_bytes,
              "kTensorArenaSize");
    if (firmware->gains) {
        (void)printf("    %s; plan by %s\n", share_text(plan->share),
                     berth_strategy_name(plan->strategy));
    }
    if (plan->online_count > 0) {
        (void)printf("    %" PRIu32 " left to TFLM, for the sake of variables "
                     "in later subgraphs\n",
                     plan->online_count);
    }
}

void bake_print_json(const bake_job *job)
{
    const berth_firmware *firmware = &job->firmware;
    const berth_micro *before = &firmware->before;
    const berth_micro *after =
        firmware->gains ? &firmware->after : &firmware->before;
    (void)printf(
        "{\"kernels\": \"%s@%s\", \"target\": \"%s\", \"gains\": %s,\n"
        " \"before\": {\"head_bytes\": %" PRIu64 ", \"tail_bytes\": %" PRIu64
        ", \"arena_used_bytes\": %" PRIu64 ", \"arena_min_bytes\": %" PRIu64
        "},\n"
        " \"after\": {\"head_bytes\": %" PRIu64 ", \"tail_bytes\": %" PRIu64
        ", \"arena_used_bytes\": %" PRIu64 ", \"arena_min_bytes\": %" PRIu64
        "},\n"
        " \"bound_bytes\": %" PRIu64 ", \"share_views\": %s, "
        "\"share_in_place\": %s, \"strategy\": \"%s\"}\n",
        berth_micro_kernels_name(firmware->micro.kernels),
        berth_micro_kernels_version(firmware->micro.kernels),
        berth_micro_target_name(firmware->micro.target),
        firmware->gains ? "true" : "false", before->head_bytes,
        before->tail_bytes, before->arena_used_bytes, before->arena_min_bytes,
        after->head_bytes, after->tail_bytes, after->arena_used_bytes,
        after->arena_min_bytes, firmware->plan.bound_bytes,
        (firmware->plan.share & BERTH_BAKE_VIEWS) != 0 ? "true" : "false",
        (firmware->plan.share & BERTH_BAKE_INPLACE) != 0 ? "true" : "false",
        berth_strategy_name(firmware->plan.strategy));
}

/* Says why there is nothing to write. */
berth_verdict bake_explain_no_gain(const bake_job *job)
{
    char number[2][WORD_NUMBER];
    char why[256];
    const uint64_t head = job->firmware.before.head_bytes;
    const uint64_t bound = job->firmware.plan.bound_bytes;
    if (head <= bound) {
        (void)snprintf(why, sizeof(why),
                       "cannot profit: TFLM's head is %s bytes already, and no "
                       "plan takes less; nothing written",
                       word_number(number[0], head));
    } else {
        (void)snprintf(why, sizeof(why),
                       "cannot profit: found no head smaller than the %s bytes "
                       "it has (none is under %s); nothing written",
                       word_number(number[0], head),
                       word_number(number[1], bound));
    }
    cli_complain_of(job->path, why);
    return BERTH_VERDICT_UNFIT;
}
