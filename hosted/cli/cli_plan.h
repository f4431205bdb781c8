/* cli_plan.h: berth plan and berth check, in four files: plan_job.c opens what
 * they are about, command_plan.c plans, command_check.c judges, plan_words.c
 * tells. */
#ifndef BERTH_HOSTED_CLI_PLAN_H
#define BERTH_HOSTED_CLI_PLAN_H

#include "cli.h"

/* The files that a plan is for. Sources stay where they are. */
typedef struct plan_job {
    const cli_request *request;
    char *const *paths;
    berth_port port;
    berth_source *sources;
    berth_part *parts;    /* by source, each with room for its offsets */
    berth_plans plans;    /* of the parts */
    uint64_t apart_bytes; /* what an arena for each comes to */
    uint32_t opened;      /* sources that are */
    berth_block arrays;
    berth_block labels;
    berth_block offsets;
} plan_job;

/* Opens all, or none and prints why. */
berth_verdict plan_open(plan_job *job, const cli_request *request,
                        char *const *paths, int count);
void plan_close(plan_job *job);

/* Peak and bound of all parts, and where each begins; state and books too. */
berth_verdict plan_add_up(plan_job *job);

/* A path without its folders. */
const char *plan_label(const char *path);

/* For people. */
void plan_print(const plan_job *job, FILE *out);

/* "proven least", or how far above the bound. */
enum { PLAN_WORDS = 64 };
const char *plan_above_bound(char text[PLAN_WORDS], uint64_t peak,
                             uint64_t bound);

/* No plan fits, or none was found. */
void plan_complain_of_fit(const plan_job *job);

#endif
