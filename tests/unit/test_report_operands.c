/* Reports on every operator of the schema with operands that it cannot have:
 * none, absent ones, too many, of no rank, of a length of 0 or of 2^31 - 1, the
 * same one everywhere. Such files are well formed: what can be said of them is
 * said, and nothing of it may be berth's own fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model_builder.h"
#include "report_rig.h"

enum { CODES = 212, KINDS = 6, OPERANDS = 8 };

static mb_tensor_spec kind_of_tensor(uint32_t kind)
{
    static const berth_type types[KINDS] = {BERTH_FLOAT32, BERTH_INT8,
                                            BERTH_INT32,   BERTH_FLOAT32,
                                            BERTH_INT8,    BERTH_STRING};
    static const int32_t dims[KINDS][9] = {{1, 4, 4, 2},
                                           {4, 4},
                                           {1},
                                           {0, 3, 3, 1},
                                           {INT32_MAX, INT32_MAX, 3},
                                           {1, 2, 1, 2, 1, 2, 1, 2, 1}};
    static const size_t ranks[KINDS] = {4, 2, 0, 4, 3, 9};
    return (mb_tensor_spec){
        .name = "t", .type = types[kind], .shape = {dims[kind], ranks[kind]}};
}

static void check_operator(uint32_t code, uint32_t kind, size_t in_count,
                           size_t out_count, bool absent)
{
    mb *b = mb_new();
    const uint32_t g = mb_subgraph(b, "g");
    const int32_t x = mb_tensor(b, g, kind_of_tensor(kind));
    int32_t in[OPERANDS];
    int32_t out[OPERANDS];
    for (uint32_t i = 0; i < OPERANDS; ++i) {
        in[i] = absent ? -1 : x;
        out[i] = i < out_count ? mb_tensor(b, g, kind_of_tensor(kind)) : -1;
    }
    mb_op(b, g,
          (mb_op_spec){.code = code,
                       .inputs = {in, in_count},
                       .outputs = {out, out_count}});
    mb_io(b, g, MB_INTS(x), (mb_ints){out, out_count});
    const uint8_t wish = (uint8_t)(code + kind); /* some of each */
    (void)report_rig_check(mb_finish(b), wish);
    mb_free(b);
}

static void no_operator_trips_over_its_operands(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < CODES; ++code) {
        for (uint32_t kind = 0; kind < KINDS; ++kind) {
            check_operator(code, kind, 0, 1, false);
            check_operator(code, kind, 1, 1, false);
            check_operator(code, kind, 3, 1, false);
            check_operator(code, kind, 5, 3, true);
        }
        check_operator(code, 0, 0, 0, false);
        check_operator(code, 0, 2, 0, false);
        check_operator(code, 0, OPERANDS, OPERANDS, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_operator_trips_over_its_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
