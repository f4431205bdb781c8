/* The largest values of the first output, with the lines of a file as names. */
#include "cli_run.h"

#include "report/report_int.h"

#include <math.h>
#include <string.h>

enum { LABEL_MAX = 96 };

/* The file's line number `index`, escaped; "" when there is none. */
void run_label(berth_bytes file, uint64_t index, char *text)
{
    const uint8_t *at = file.data;
    const uint8_t *end = file.data == NULL ? NULL : file.data + file.size;
    for (; index > 0 && at < end; --index) {
        const uint8_t *next = memchr(at, '\n', (size_t)(end - at));
        at = next == NULL ? end : next + 1;
    }
    const uint8_t *stop =
        at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    size_t length = (size_t)((stop == NULL ? end : stop) - at);
    if (length > 0 && at[length - 1] == '\r') {
        --length;
    }
    (void)word_name(text, word_bytes((const char *)at, length), LABEL_MAX);
}

/* Anything is larger than what is no number. */
static bool is_larger(double a, double b)
{
    return a > b || (isnan(b) && !isnan(a));
}

/* The largest, ties by index; returns how many. */
static uint32_t find_top(const berth_io *io, run_top *top, uint32_t most)
{
    uint32_t count = 0;
    const uint64_t elements = berth_io_elements(io);
    for (uint64_t i = 0; i < elements; ++i) {
        const double value =
            berth_array_value(io->type, io->data, i, &io->quantization);
        uint32_t at = count;
        while (at > 0 && is_larger(value, top[at - 1].value)) {
            --at;
        }
        if (at < most) {
            count += count < most ? 1u : 0u;
            memmove(&top[at + 1], &top[at], (count - at - 1u) * sizeof(top[0]));
            top[at] = (run_top){i, value};
        }
    }
    return count;
}

berth_verdict run_rank(const run_job *job, run_ranking *ranking)
{
    const cli_run_request *run = &job->request->run;
    berth_io io;
    if (run->top == 0 ||
        berth_engine_output(job->session.engine, 0, &io) != BERTH_OK) {
        return BERTH_VERDICT_OK;
    }
    const uint64_t elements = berth_io_elements(&io);
    const uint32_t most = elements < run->top ? (uint32_t)elements : run->top;
    if (!berth_block_take(job->port, ((size_t)most + 1u) * sizeof(run_top),
                          &ranking->block)) {
        cli_complain("no memory for --top");
        return BERTH_VERDICT_SYSTEM;
    }
    ranking->top = ranking->block.memory;
    ranking->count = find_top(&io, ranking->top, most);
    if (run->labels == NULL) {
        return BERTH_VERDICT_OK;
    }
    const int error =
        berth_file_open_whole(job->port, run->labels, &ranking->labels);
    if (error != 0) {
        cli_complain_of(run->labels, strerror(error));
    }
    return error == 0 ? BERTH_VERDICT_OK : BERTH_VERDICT_SYSTEM;
}

void run_print_ranking(const run_ranking *ranking)
{
    for (uint32_t i = 0; i < ranking->count; ++i) {
        char label[WORD_NAME] = "";
        run_label(ranking->labels.bytes, ranking->top[i].index, label);
        (void)printf("%4u  %10.6g  #%llu%s%s\n", i + 1, ranking->top[i].value,
                     (unsigned long long)ranking->top[i].index,
                     label[0] != '\0' ? "  " : "", label);
    }
}
