/* shape_rig.h: models by hand, taken through the shape stage, with tensors and
 * expectations as text.
 *
 *     shape_rig *r = shape_rig_new();
 *     int32_t x = shape_rig_tensor(r, "2x3");
 *     int32_t k = shape_rig_tensor(r, "i32 1 = 1");
 *     int32_t y = shape_rig_tensor(r, "scalar");
 *     shape_rig_op(r, (mb_op_spec){.code = ..., .inputs = MB_INTS(x, k),
 *                                  .outputs = MB_INTS(y)});
 *     shape_rig_io(r, MB_INTS(x), MB_INTS(y));
 *     assert_int_equal(shape_rig_infer(r, NULL, 0), BERTH_OK);
 *     shape_rig_expect(r, y, "3");
 *     shape_rig_free(r);
 *
 * A tensor: a type (f32 when left out; i32 i64 i16 i8 u8 bool i4 f16 c64 str
 * res), a shape ("1x8x8x3", "scalar", "unknown" for a file without one),
 * "sig -1x8" for a signature, "var" for a variable, "= 1 2 3" for a constant.
 *
 * An expectation: "2x3" where it is static, "~2x3" where that is the file's
 * word, "? WHERE" where it is dynamic and who made it so. Values are not looked
 * at: let an operator such as FILL turn them into a shape. */
#ifndef SHAPE_RIG_H
#define SHAPE_RIG_H

#include "berth/shape.h"
#include "model_builder.h"

enum { SHAPE_RIG_MEMORY_MAX = 8 };

typedef struct shape_rig {
    mb *builder;
    uint32_t subgraph; /* where tensors and operators go */
    const berth_model *model;
    berth_graph graph;
    berth_shapes shapes;
    berth_diag diag;
    void *memory[SHAPE_RIG_MEMORY_MAX];
    uint32_t memory_count;
} shape_rig;

shape_rig *shape_rig_new(void);
void shape_rig_free(shape_rig *r);

/* Goes on in a new subgraph, and returns its number. */
uint32_t shape_rig_subgraph(shape_rig *r);
int32_t shape_rig_tensor(shape_rig *r, const char *text);
void shape_rig_op(shape_rig *r, mb_op_spec spec);
void shape_rig_io(shape_rig *r, mb_ints inputs, mb_ints outputs);

/* Finishes the file, once, and opens model and graph; fails the test where that
 * fails. */
void shape_rig_graph(shape_rig *r);
/* Overrides of subgraph 0. */
berth_status shape_rig_infer(shape_rig *r,
                             const berth_shape_override *overrides,
                             uint32_t count);

/* Tensor t of subgraph g as an expectation would be written, in a static
 * buffer. */
const char *shape_rig_text(const shape_rig *r, uint32_t g, int32_t t);
void shape_rig_expect(const shape_rig *r, int32_t t, const char *text);
void shape_rig_expect_in(const shape_rig *r, uint32_t g, int32_t t,
                         const char *text);

#endif
