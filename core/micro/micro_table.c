/* TFLM's operators by code, and by the names of its custom ones. */
#include "micro/micro_int.h"

#include <string.h>

#define NONE                                                                   \
    {                                                                          \
        {0, 0, 0, 0, 0},                                                       \
        {                                                                      \
            1, 1, 1, 1, 1                                                      \
        }                                                                      \
    }
#define SAME(size, align)                                                      \
    {                                                                          \
        {size, size, size, size, size},                                        \
        {                                                                      \
            align, align, align, align, align                                  \
        }                                                                      \
    }
#define ENUMS(size, align, arm_size, arm_align)                                \
    {                                                                          \
        {size, size, arm_size, size, size},                                    \
        {                                                                      \
            align, align, arm_align, align, align                              \
        }                                                                      \
    }
#define POINTERS(wide, narrow)                                                 \
    {                                                                          \
        {wide, narrow, narrow, narrow, wide},                                  \
        {                                                                      \
            8, 4, 4, 4, 8                                                      \
        }                                                                      \
    }
/* The wheel is built from a newer source, with a pointer in it. */
#define FULLY_CONNECTED_OPTIONS                                                \
    {                                                                          \
        {16, 16, 5, 16, 32},                                                   \
        {                                                                      \
            4, 4, 1, 4, 8                                                      \
        }                                                                      \
    }

static const micro_operator operators[] = {
#define MICRO_OPERATOR(name, adder, options)                                   \
    {MICRO_CODE_##name, adder, NULL, options},
#define MICRO_CUSTOM(name, text, adder) {MICRO_CODE_##name, adder, text, NONE},
#include "micro/operators.def"
#undef MICRO_OPERATOR
#undef MICRO_CUSTOM
};

#define OPERATOR_COUNT (sizeof(operators) / sizeof(operators[0]))

const micro_operator *micro_operator_of(uint32_t code)
{
    for (uint32_t i = 0; i < OPERATOR_COUNT; ++i) {
        if (operators[i].code == code) {
            return &operators[i];
        }
    }
    return NULL;
}

static uint32_t custom_code(berth_bytes name)
{
    for (uint32_t i = 0; i < OPERATOR_COUNT; ++i) {
        const char *text = operators[i].custom_name;
        if (text == NULL) {
            continue;
        }
        size_t length = 0;
        while (text[length] != '\0') {
            ++length;
        }
        if (length == name.size && memcmp(text, name.data, length) == 0) {
            return operators[i].code;
        }
    }
    return MICRO_LACKING;
}

uint32_t micro_code_of(const berth_graph *graph, uint32_t op)
{
    const uint32_t code = graph->ops[op].code;
    if (code == BERTH_OP_CUSTOM) {
        return custom_code(berth_graph_op_info(graph, op).custom_name);
    }
    return code < BERTH_OP_CODE_COUNT && micro_operator_of(code) != NULL
               ? code
               : (uint32_t)MICRO_LACKING;
}

const char *berth_micro_adder(const berth_graph *graph, uint32_t op)
{
    const micro_operator *found = micro_operator_of(micro_code_of(graph, op));
    return found == NULL ? NULL : found->adder;
}

_Static_assert(MICRO_CODE_COUNT <= BERTH_MICRO_KINDS_MAX, "room for each");

uint32_t berth_micro_kind_count(void)
{
    return MICRO_CODE_COUNT;
}

bool berth_micro_first_of_kind(const berth_graph *graph, uint32_t op,
                               uint8_t *seen)
{
    const uint32_t code = micro_code_of(graph, op);
    if (code >= MICRO_CODE_COUNT || seen[code] != 0) {
        return false;
    }
    seen[code] = 1;
    return true;
}
