/* The words of each status, and the diag in which nothing has failed. */
#include "berth/base.h"

static const struct status_words {
    const char *name;
    const char *text;
} STATUS_WORDS[] = {
#define STATUS_ROW(name, text) {#name, text},
    BERTH_STATUS_TABLE(STATUS_ROW)
#undef STATUS_ROW
};

_Static_assert(sizeof(STATUS_WORDS) / sizeof(STATUS_WORDS[0]) ==
                   BERTH_STATUS_COUNT,
               "a row of words for each status");

/* A value that is no status can only come from a caller's bug; it still gets
 * words, since text is what people debug with. */
static struct status_words words_of(berth_status status)
{
    static const struct status_words unknown = {"?", "no status of berth"};
    return (uint32_t)status < (uint32_t)BERTH_STATUS_COUNT
               ? STATUS_WORDS[status]
               : unknown;
}

const char *berth_status_name(berth_status status)
{
    return words_of(status).name;
}

const char *berth_status_text(berth_status status)
{
    return words_of(status).text;
}

berth_diag berth_diag_none(void)
{
    return (berth_diag){.what = "",
                        .subgraph = BERTH_NONE,
                        .op = BERTH_NONE,
                        .tensor = BERTH_NONE,
                        .other = BERTH_NONE,
                        .step = BERTH_NONE,
                        .file_offset = BERTH_NOWHERE,
                        .needed_bytes = BERTH_NOWHERE,
                        .limit_bytes = BERTH_NOWHERE};
}
