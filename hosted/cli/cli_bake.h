/* cli_bake.h: berth bake, in two files: command_bake.c does it, bake_words.c
 * tells what came of it. */
#ifndef BERTH_HOSTED_CLI_BAKE_H
#define BERTH_HOSTED_CLI_BAKE_H

#include "cli.h"

/* What is being baked, and for whom the messages are. */
typedef struct bake_job {
    const cli_request *request;
    const char *path;
    berth_port port;
    berth_loaded loaded;
    berth_firmware firmware;
    char name[CLI_WORD_MAX]; /* in C */
} bake_job;

/* Before and after. */
void bake_print_text(const bake_job *job);
void bake_print_json(const bake_job *job);

/* Why there is nothing to write, and what that comes to. */
berth_verdict bake_explain_no_gain(const bake_job *job);

#endif
