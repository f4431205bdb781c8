/* Words: numbers, names and shapes as people read them. */
#include "report_int.h"

#include <string.h>

const char *word_number(char *text, uint64_t value)
{
    char digits[WORD_NUMBER];
    const int count =
        snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
    char *to = text;
    for (int i = 0; i < count; ++i) {
        if (i > 0 && (count - i) % 3 == 0) {
            *to++ = ',';
        }
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

/* Length of the UTF-8 sequence at `at`, and its code point; 0 if the bytes are
 * none: overlong, a surrogate, past U+10FFFF, or cut off. */
static uint32_t decode_utf8(const uint8_t *at, size_t left, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80u, 0x800u, 0x10000u};
    const uint8_t lead = at[0];
    const uint32_t length = lead < 0x80u              ? 1u
                            : (lead & 0xE0u) == 0xC0u ? 2u
                            : (lead & 0xF0u) == 0xE0u ? 3u
                            : (lead & 0xF8u) == 0xF0u ? 4u
                                                      : 0u;
    if (length == 0 || length > left) {
        return 0;
    }
    uint32_t value = length == 1u ? lead : lead & (0x7Fu >> length);
    for (uint32_t i = 1; i < length; ++i) {
        if ((at[i] & 0xC0u) != 0x80u) {
            return 0;
        }
        value = value << 6 | (at[i] & 0x3Fu);
    }
    const bool surrogate = value >= 0xD800u && value <= 0xDFFFu;
    if (value < least[length] || surrogate || value > 0x10FFFFu) {
        return 0;
    }
    *point = value;
    return length;
}

/* What moves a cursor, or turns the order of a line around, is no text. */
static bool is_printable(uint32_t point)
{
    const bool control = point < 0x20u || (point >= 0x7Fu && point < 0xA0u);
    const bool invisible = (point >= 0x200Bu && point <= 0x200Fu) ||
                           (point >= 0x2028u && point <= 0x202Eu) ||
                           (point >= 0x2060u && point <= 0x206Fu) ||
                           point == 0xFEFFu;
    return !control && !invisible;
}

static char *put_hex(char *to, uint8_t byte)
{
    static const char digits[] = "0123456789abcdef";
    *to++ = '\\';
    *to++ = 'x';
    *to++ = digits[byte >> 4];
    *to++ = digits[byte & 15u];
    return to;
}

uint32_t word_name(char *text, berth_bytes name, uint32_t columns)
{
    char *to = text;
    char *cut = text; /* where … goes if the rest does not fit */
    uint32_t used = 0;
    uint32_t cut_used = 0;
    for (size_t i = 0; i < name.size;) {
        uint32_t point = 0;
        const uint32_t length =
            decode_utf8(name.data + i, name.size - i, &point);
        const bool plain = length > 0 && is_printable(point);
        const uint32_t bytes = length > 0 ? length : 1u;
        const uint32_t width = plain ? 1u : 4u * bytes;
        const size_t room = (size_t)WORD_NAME - 8u - (size_t)(to - text);
        if (used + width > columns || 4u * (size_t)bytes > room) {
            memcpy(cut, "\xE2\x80\xA6", 4u);
            return cut_used + 1u;
        }
        for (uint32_t k = 0; k < bytes; ++k) {
            if (plain) {
                *to++ = (char)name.data[i + k];
            } else {
                to = put_hex(to, name.data[i + k]);
            }
        }
        used += width;
        i += bytes;
        if (used < columns) {
            cut = to;
            cut_used = used;
        }
    }
    *to = '\0';
    return used;
}

size_t word_utf8(char *text, berth_bytes name)
{
    char *to = text;
    for (size_t i = 0; i < name.size;) {
        uint32_t point = 0;
        const uint32_t length =
            decode_utf8(name.data + i, name.size - i, &point);
        if (length == 0) {
            to = put_hex(to, name.data[i++]);
            continue;
        }
        memcpy(to, name.data + i, length);
        to += length;
        i += length;
    }
    return (size_t)(to - text);
}

uint32_t report_local_tensor(const berth_graph *graph, uint32_t tensor)
{
    return tensor - graph->tensor_base[graph->tensors[tensor].subgraph];
}

uint32_t report_local_op(const berth_graph *graph, uint32_t op)
{
    return op - graph->op_base[graph->ops[op].subgraph];
}

const char *word_tensor(char *text, const berth_graph *graph, uint32_t tensor)
{
    const uint32_t subgraph = graph->tensors[tensor].subgraph;
    const uint32_t local = report_local_tensor(graph, tensor);
    if (subgraph == 0) {
        (void)snprintf(text, WORD_NUMBER, "#%u", local);
    } else {
        (void)snprintf(text, WORD_NUMBER, "#%u@%u", local, subgraph);
    }
    return text;
}

const char *word_shape(char *text, size_t size, const berth_shapes *shapes,
                       uint32_t tensor)
{
    const berth_shape *shape = &shapes->of[tensor];
    const int32_t *dims = berth_shape_dims(shapes, tensor);
    size_t at = 0;
    (void)snprintf(text, size, "%s",
                   shape->state == BERTH_SHAPE_DYNAMIC ? "?" : "scalar");
    if (shape->state == BERTH_SHAPE_DYNAMIC) {
        return text;
    }
    for (uint32_t i = 0; i < shape->rank && at + 24u < size; ++i) {
        const int n = snprintf(text + at, size - at, "%s%d",
                               i == 0 ? "" : "\xC3\x97", dims[i]);
        at += (size_t)n;
    }
    return text;
}

berth_bytes report_op_type(const berth_graph *graph, uint32_t op)
{
    const berth_operator info = berth_graph_op_info(graph, op);
    if (info.custom_name.size > 0) {
        return info.custom_name;
    }
    const char *name = berth_op_name(graph->ops[op].code);
    return word_bytes(name, strlen(name));
}

uint64_t report_permille(uint64_t part, uint64_t whole)
{
    if (whole == 0) {
        return 0;
    }
    /* Beyond 2^53 the last bits do not matter for three digits. */
    const double permille = (double)part * 1000.0 / (double)whole + 0.5;
    return permille < (double)INT64_MAX ? (uint64_t)permille : INT64_MAX;
}

const char *berth_verdict_name(berth_verdict verdict)
{
    static const char *const names[] = {
#define VERDICT_NAME(name, text, code, help) text,
        BERTH_VERDICT_TABLE(VERDICT_NAME)
#undef VERDICT_NAME
    };
    return names[verdict];
}

int berth_verdict_exit_code(berth_verdict verdict)
{
    static const int codes[] = {
#define VERDICT_CODE(name, text, code, help) code,
        BERTH_VERDICT_TABLE(VERDICT_CODE)
#undef VERDICT_CODE
    };
    return codes[verdict];
}

const char *berth_report_role_name(berth_report_role role)
{
    static const char *const names[] = {"waiting",    "its input",
                                        "its output", "its scratch",
                                        "state",      "not at the peak"};
    return names[role];
}

void berth_report_name(berth_bytes name, char *text, size_t size)
{
    char word[WORD_NAME];
    (void)word_name(word, name, WORD_NAME - 16u);
    (void)snprintf(text, size, "%s", word);
}
