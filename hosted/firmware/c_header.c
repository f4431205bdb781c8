/* The header: what firmware has to know of a model, as macros, so that "does it
 * fit" is answered by the compiler. Nothing in it needs more than stddef.h and
 * stdint.h. Tensors are named by number: names need not be unique. */
#include "firmware_int.h"

#include <inttypes.h>
#include <string.h>

/* Of a name in a comment, and in a string literal (C compilers must take 4095;
 * longer names are cut). */
#define HEADER_COMMENT_MAX 60u
#define HEADER_LITERAL_MAX 200u

enum { HEADER_PREFIX_MAX = FIRMWARE_NAME_MAX + 16 };

typedef struct header {
    const berth_firmware_text *text;
    FILE *out;
    char prefix[HEADER_PREFIX_MAX]; /* "BERTH_VWW_96_INT8" */
} header;

static void put_number(const header *h, const char *what, uint64_t value,
                       const char *comment)
{
    (void)fprintf(h->out, "#define %s_%s %" PRIu64, h->prefix, what, value);
    if (comment != NULL) {
        (void)fprintf(h->out, " /* %s */", comment);
    }
    (void)fputc('\n', h->out);
}

static void put_top(const header *h)
{
    const char *source = h->text->source;
    (void)fputs("/* Made by berth " BERTH_VERSION " from ", h->out);
    firmware_comment((berth_bytes){(const uint8_t *)source, strlen(source)},
                     200u, h->out);
    (void)fprintf(h->out,
                  ".\n * What stock TensorFlow Lite for Microcontrollers takes "
                  "with kernels\n * %s@%s on %s. Not to be edited. */\n",
                  berth_micro_kernels_name(h->text->options->kernels),
                  berth_micro_kernels_version(h->text->options->kernels),
                  berth_micro_target_name(h->text->options->target));
    (void)fprintf(h->out,
                  "#ifndef %s_H\n#define %s_H\n\n"
                  "#include <stddef.h>\n#include <stdint.h>\n\n",
                  h->prefix, h->prefix);
}

static void put_sizes(const header *h)
{
    const berth_micro *micro = h->text->micro;
    put_number(h, "MODEL_BYTES", h->text->file.size, NULL);
    put_number(h, "MODEL_ALIGN", 16, NULL);
    (void)fputs("\n/* kTensorArenaSize: the smallest that works, its start "
                "aligned to ARENA_ALIGN. */\n",
                h->out);
    put_number(h, "ARENA_BYTES", micro->arena_min_bytes, NULL);
    put_number(h, "ARENA_ALIGN", 16, NULL);
    put_number(h, "ARENA_USED_BYTES", micro->arena_used_bytes,
               "arena_used_bytes()");
    put_number(h, "HEAD_BYTES", micro->head_bytes, "activations and scratch");
    put_number(h, "TAIL_BYTES", micro->tail_bytes, "what stays");
    put_number(h, "RESOURCE_COUNT", micro->resource_count,
               "resource variables");
    (void)fputc('\n', h->out);
}

/* --- inputs and outputs -----------------------------------------------------
 */

/* Bytes of a tensor's item; BERTH_NOWHERE: it has none. Items ascend by tensor,
 * those of scratch come last. */
static uint64_t planned_bytes(const berth_micro *micro, uint32_t tensor)
{
    uint32_t low = 0;
    uint32_t high = micro->problem.item_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (micro->tensor_of_item[middle] < tensor) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < micro->problem.item_count &&
                   micro->tensor_of_item[low] == tensor
               ? micro->problem.items[low].size
               : BERTH_NOWHERE;
}

static void put_operand(const header *h, const char *what, uint32_t i,
                        uint32_t tensor)
{
    const berth_graph *graph = h->text->graph;
    const uint32_t local = tensor - graph->tensor_base[0];
    const berth_tensor info = berth_graph_tensor_info(graph, tensor);
    const uint64_t bytes = planned_bytes(h->text->micro, tensor);
    (void)fprintf(h->out, "#define %s_%s_%" PRIu32 "_NAME ", h->prefix, what,
                  i);
    firmware_literal(info.name, HEADER_LITERAL_MAX, h->out);
    (void)fprintf(h->out, "\n#define %s_%s_%" PRIu32 "_TENSOR %" PRIu32 "\n",
                  h->prefix, what, i, local);
    if (bytes != BERTH_NOWHERE) {
        (void)fprintf(h->out,
                      "#define %s_%s_%" PRIu32 "_ROOM_BYTES %" PRIu64 "\n",
                      h->prefix, what, i, bytes);
    }
}

static void put_operands(const header *h, const char *what,
                         const uint32_t *tensors, uint32_t count)
{
    (void)fprintf(h->out, "#define %s_%s_COUNT %" PRIu32 "\n", h->prefix, what,
                  count);
    for (uint32_t i = 0; i < count; ++i) {
        if (tensors[i] != BERTH_NONE) {
            put_operand(h, what, i, tensors[i]);
        }
    }
}

static void put_ends(const header *h)
{
    const berth_graph *graph = h->text->graph;
    (void)fputs("/* Inputs and outputs. ROOM_BYTES: the tensor's, rounded up "
                "to 16. */\n",
                h->out);
    put_operands(h, "INPUT", berth_graph_subgraph_inputs(graph, 0),
                 graph->subgraphs[0].input_count);
    put_operands(h, "OUTPUT", berth_graph_subgraph_outputs(graph, 0),
                 graph->subgraphs[0].output_count);
    (void)fputc('\n', h->out);
}

/* --- the plan ---------------------------------------------------------------
 */

static void put_offsets(const header *h)
{
    const berth_micro *micro = h->text->micro;
    const berth_graph *graph = h->text->graph;
    (void)fputs("/* The head: where each activation lies, from the start of "
                "the arena. Subgraph and\n * tensor are its number; the name "
                "is the file's. */\n",
                h->out);
    for (uint32_t i = 0; i < micro->problem.item_count; ++i) {
        const uint32_t tensor = micro->tensor_of_item[i];
        if (tensor == BERTH_NONE) {
            continue;
        }
        const uint32_t subgraph = graph->tensors[tensor].subgraph;
        (void)fprintf(
            h->out, "#define %s_OFFSET_%" PRIu32 "_%" PRIu32 " %" PRIu64 " /* ",
            h->prefix, subgraph, tensor - graph->tensor_base[subgraph],
            micro->offset[i]);
        firmware_comment(berth_graph_tensor_info(graph, tensor).name,
                         HEADER_COMMENT_MAX, h->out);
        (void)fputs(" */\n", h->out);
    }
    (void)fputc('\n', h->out);
}

/* --- the resolver -----------------------------------------------------------
 */

/* Builtin operators and the custom ones that TFLM knows. */
#define HEADER_KINDS_MAX 512u

/* Adds the first operator of each kind; their number. */
static uint32_t put_adders(const header *h)
{
    const berth_graph *graph = h->text->graph;
    uint8_t seen[HEADER_KINDS_MAX] = {0};
    uint32_t count = 0;
    if (berth_micro_kind_count() > HEADER_KINDS_MAX) {
        return 0;
    }
    for (uint32_t op = 0; op < graph->op_count; ++op) {
        if (berth_micro_first_of_kind(graph, op, seen)) {
            (void)fprintf(h->out, " \\\n    (void)(resolver).%s();",
                          berth_micro_adder(graph, op));
            ++count;
        }
    }
    return count;
}

/* Operators that TFLM does not know, by name, each once. */
#define HEADER_OWN_MAX 32u

typedef struct own_operators {
    uint32_t op[HEADER_OWN_MAX];
    uint32_t count;
} own_operators;

static bool same_name(const berth_graph *graph, uint32_t a, uint32_t b)
{
    const berth_operator x = berth_graph_op_info(graph, a);
    const berth_operator y = berth_graph_op_info(graph, b);
    return x.code == y.code && x.custom_name.size == y.custom_name.size &&
           (x.custom_name.size == 0 ||
            memcmp(x.custom_name.data, y.custom_name.data,
                   x.custom_name.size) == 0);
}

static void find_own(const header *h, own_operators *own)
{
    const berth_graph *graph = h->text->graph;
    own->count = 0;
    for (uint32_t op = 0; op < graph->op_count && own->count < HEADER_OWN_MAX;
         ++op) {
        bool listed = !h->text->micro->ops[op].lacking;
        for (uint32_t i = 0; i < own->count && !listed; ++i) {
            listed = same_name(graph, own->op[i], op);
        }
        if (!listed) {
            own->op[own->count++] = op;
        }
    }
}

static void put_operators(const header *h)
{
    const berth_graph *graph = h->text->graph;
    own_operators own;
    find_own(h, &own);
    (void)fprintf(h->out,
                  "/* Operators: tflite::MicroMutableOpResolver<%s_OP_COUNT> "
                  "r;\n * %s_ADD_OPERATORS(r) */\n"
                  "#define %s_ADD_OPERATORS(resolver) \\\n    do {",
                  h->prefix, h->prefix, h->prefix);
    const uint32_t known = put_adders(h);
    (void)fputs(" \\\n    } while (0)\n", h->out);
    const uint32_t all = known + own.count;
    /* A resolver of no operators would be an array of no elements. */
    put_number(h, "OP_COUNT", all == 0 ? 1 : all, NULL);
    for (uint32_t i = 0; i < own.count; ++i) {
        (void)fputs("/* TFLM has no operator ", h->out);
        firmware_comment(berth_graph_op_info(graph, own.op[i]).custom_name,
                         HEADER_COMMENT_MAX, h->out);
        (void)fputs(": add your own, OP_COUNT has room for it. */\n", h->out);
    }
    (void)fputc('\n', h->out);
}

/* --- assertions -------------------------------------------------------------
 */

static void put_assertions(const header *h)
{
    (void)fprintf(
        h->out,
        "#if defined(__cplusplus)\n"
        "#define %s_ASSERT(yes, what) static_assert(yes, what)\n"
        "extern \"C\" {\n"
        "#else\n"
        "#define %s_ASSERT(yes, what) _Static_assert(yes, what)\n"
        "#endif\n\n"
        "/* Does an arena of so many bytes hold it? A declaration, without its "
        "semicolon:\n * %s_FITS(kTensorArenaSize); */\n"
        "#define %s_FITS(arena_bytes) \\\n"
        "    %s_ASSERT((arena_bytes) >= %s_ARENA_BYTES, \\\n"
        "              \"the arena is too small for this model\")\n\n",
        h->prefix, h->prefix, h->prefix, h->prefix, h->prefix, h->prefix);
    (void)fprintf(h->out,
                  "/* Defined before this header is included: asked at once. "
                  "*/\n"
                  "#if defined(%s_TENSOR_ARENA_SIZE)\n"
                  "%s_FITS(%s_TENSOR_ARENA_SIZE);\n"
                  "#endif\n",
                  h->prefix, h->prefix, h->prefix);
    (void)fprintf(h->out,
                  "%s_ASSERT(%s_ARENA_BYTES <= SIZE_MAX && %s_MODEL_BYTES <= "
                  "SIZE_MAX,\n    \"model or arena is larger than this "
                  "machine's memory\");\n\n",
                  h->prefix, h->prefix, h->prefix);
    (void)fprintf(h->out,
                  "/* The model, where the C file that berth makes is linked. "
                  "*/\n"
                  "extern const unsigned char "
                  "berth_%s_model[%s_MODEL_BYTES];\n\n"
                  "#if defined(__cplusplus)\n}\n#endif\n#endif\n",
                  h->text->name, h->prefix);
}

void berth_firmware_header(const berth_firmware_text *text, FILE *out)
{
    header h = {.text = text, .out = out};
    char capitals[FIRMWARE_NAME_MAX];
    firmware_capitals(text->name, capitals, sizeof(capitals));
    (void)snprintf(h.prefix, sizeof(h.prefix), "BERTH_%s", capitals);
    put_top(&h);
    put_sizes(&h);
    put_ends(&h);
    put_offsets(&h);
    put_operators(&h);
    put_assertions(&h);
}
