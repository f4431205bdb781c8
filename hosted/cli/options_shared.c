/* Options that several commands have. */
#include "cli.h"

#include <string.h>

static berth_bytes option_text(const char *text)
{
    return (berth_bytes){(const uint8_t *)text, strlen(text)};
}

bool cli_apply_shape(cli_request *request, const char *value)
{
    uint32_t *count = &request->report.stage.shape_count;
    if (*count == CLI_NAMED_MAX) {
        cli_complain("--shape: at most %d of them", CLI_NAMED_MAX);
        return false;
    }
    if (!cli_read_shape(value, &request->shapes[*count])) {
        cli_complain("--shape %s: not NAME=1,96,96,3 with at most %u numbers",
                     value, BERTH_RANK_MAX);
        return false;
    }
    ++*count;
    return true;
}

static bool add_name(const char *option, berth_bytes *names, uint32_t *count,
                     const char *value)
{
    if (*count == CLI_NAMED_MAX) {
        cli_complain("--%s: at most %d of them", option, CLI_NAMED_MAX);
        return false;
    }
    if (value[0] == '\0') {
        cli_complain("--%s: the name is empty", option);
        return false;
    }
    names[(*count)++] = option_text(value);
    return true;
}

bool cli_apply_keep(cli_request *request, const char *value)
{
    return add_name("keep", request->keep, &request->report.stage.keep_count,
                    value);
}

bool cli_apply_pin(cli_request *request, const char *value)
{
    return add_name("pin", request->pin, &request->report.stage.pin_count,
                    value);
}

bool cli_apply_signature(cli_request *request, const char *value)
{
    request->report.signature = option_text(value);
    if (value[0] == '\0') {
        cli_complain("--signature: the name is empty");
        return false;
    }
    return true;
}

/* No such name: the one that was meant, or else every one there is. */
bool cli_refuse_name(const char *option, const char *value,
                     const char *(*name)(uint32_t), uint32_t count)
{
    cli_nearest nearest;
    cli_nearest_begin(&nearest, value);
    for (uint32_t i = 0; i < count; ++i) {
        cli_nearest_try(&nearest, name(i));
    }
    const char *near = cli_nearest_word(&nearest);
    cli_complain("--%s %s: no such %s%s%s%s", option, value, option,
                 near == NULL ? "" : "; did you mean ",
                 near == NULL ? "" : near, near == NULL ? "" : "?");
    if (near == NULL) {
        (void)fputs("berth: there are", stderr);
        for (uint32_t i = 0; i < count; ++i) {
            (void)fprintf(stderr, "%s %s", i == 0 ? "" : ",", name(i));
        }
        (void)fputc('\n', stderr);
    }
    return false;
}

static const char *strategy_at(uint32_t index)
{
    return berth_strategy_name((berth_strategy)index);
}

bool cli_apply_strategy(cli_request *request, const char *value)
{
    for (uint32_t i = 0; i < BERTH_STRATEGY_COUNT; ++i) {
        if (strcmp(strategy_at(i), value) == 0) {
            request->report.strategy = (berth_strategy)i;
            return true;
        }
    }
    return cli_refuse_name("strategy", value, strategy_at,
                           BERTH_STRATEGY_COUNT);
}

bool cli_apply_align(cli_request *request, const char *value)
{
    uint64_t align = 0;
    if (!cli_read_bytes(value, &align) || align == 0 ||
        (align & (align - 1u)) != 0 || align > 1u << 20) {
        cli_complain("--align %s: not a power of two from 1 to 1M", value);
        return false;
    }
    request->report.stage.align = (uint32_t)align;
    return true;
}

/* A flag of the stages' options, by its field. */
#define RULE_APPLY(field)                                                      \
    bool cli_apply_##field(cli_request *request, const char *value)            \
    {                                                                          \
        (void)value;                                                           \
        request->report.stage.field = true;                                    \
        return true;                                                           \
    }
CLI_RULE_FLAGS(RULE_APPLY)
#undef RULE_APPLY

bool cli_apply_lag(cli_request *request, const char *value)
{
    uint64_t steps = 0;
    if (!cli_read_bytes(value, &steps) || steps > BERTH_STEPS_MAX) {
        cli_complain("--lag %s: not a number of steps", value);
        return false;
    }
    request->report.stage.lag = (uint32_t)steps;
    return true;
}

static const char *target_at(uint32_t index)
{
    return berth_micro_target_name(berth_micro_target_at(index));
}

static const char *kernels_at(uint32_t index)
{
    return berth_micro_kernels_name(berth_micro_kernels_at(index));
}

/* Of a set that is there in other versions: which. */
static bool refuse_version(const char *value)
{
    const size_t length = strcspn(value, "@");
    bool found = false;
    for (uint32_t i = 0; i < berth_micro_kernels_count(); ++i) {
        const char *name = kernels_at(i);
        if (value[length] == '\0' || strlen(name) != length ||
            strncmp(name, value, length) != 0) {
            continue;
        }
        if (!found) {
            cli_complain("--kernels %s: no such version", value);
        }
        (void)fprintf(stderr, "%s %s@%s", found ? "," : "berth: there are",
                      name,
                      berth_micro_kernels_version(berth_micro_kernels_at(i)));
        found = true;
    }
    if (found) {
        (void)fputc('\n', stderr);
    }
    return found;
}

bool cli_apply_target(cli_request *request, const char *value)
{
    request->report.target = berth_micro_target_find(value);
    return request->report.target != NULL ||
           cli_refuse_name("target", value, target_at,
                           berth_micro_target_count());
}

bool cli_apply_kernels(cli_request *request, const char *value)
{
    const berth_micro_kernels *found = berth_micro_kernels_find(value);
    uint32_t *count = &request->report.kernels_count;
    if (*count == 2) {
        cli_complain("--kernels: one set, or two to compare");
        return false;
    }
    if (found != NULL) {
        request->report.kernels[(*count)++] = found;
        return true;
    }
    if (refuse_version(value)) {
        return false;
    }
    return cli_refuse_name("kernels", value, kernels_at,
                           berth_micro_kernels_count());
}

/* One of the words of "text|json": its number, or -1. */
static int word_index(const char *words, const char *value)
{
    const size_t length = strlen(value);
    for (int i = 0; *words != '\0'; ++i) {
        const size_t word = strcspn(words, "|");
        if (word == length && strncmp(words, value, length) == 0) {
            return i;
        }
        words += word;
        words += *words == '|';
    }
    return -1;
}

/* "text|json" as "text or json". */
static void tell_words(const char *words)
{
    while (*words != '\0') {
        const size_t word = strcspn(words, "|");
        const char *next = words + word + (words[word] == '|');
        (void)fprintf(stderr, "%.*s%s", (int)word, words,
                      *next == '\0'               ? "\n"
                      : strchr(next, '|') == NULL ? " or "
                                                  : ", ");
        words = next;
    }
}

bool cli_choose(const char *option, const char *words, const char *value,
                int *index)
{
    *index = word_index(words, value);
    if (*index < 0) {
        (void)fprintf(stderr, "berth: --%s %s: ", option, value);
        tell_words(words);
    }
    return *index >= 0;
}

bool cli_apply_format(cli_request *request, const char *value)
{
    int index = 0;
    const bool known = cli_choose("format", "text|json", value, &index);
    request->format = index == 1 ? CLI_JSON : CLI_TEXT;
    return known;
}

bool cli_take_output(const char **output, const char *value)
{
    if (value[0] == '\0' || strcmp(value, "-") == 0) {
        cli_complain("--output: needs the name of a file");
        return false;
    }
    if (*output != NULL) {
        cli_complain("--output: given twice");
        return false;
    }
    *output = value;
    return true;
}

bool cli_apply_time(cli_request *request, const char *value)
{
    if (!cli_read_time(value, &request->time_ns)) {
        cli_complain("--time %s: not a time (try 500ms, 5s or 2m)", value);
        return false;
    }
    return true;
}

bool cli_apply_help(cli_request *request, const char *value)
{
    (void)value;
    request->help = true;
    return true;
}

bool cli_apply_version(cli_request *request, const char *value)
{
    (void)value;
    request->version = true;
    return true;
}

bool cli_apply_man(cli_request *request, const char *value)
{
    (void)value;
    request->man = true;
    return true;
}
