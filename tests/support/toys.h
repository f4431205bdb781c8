/* toys.h: little models of floats for tests of the engine, and operators of
 * their own whose arithmetic is plain.
 *
 *     toy *t = toy_new();
 *     int32_t x = toy_float(t, 0, "x", 8), y = toy_float(t, 0, "y", 8);
 *     toy_custom(t, 0, "inc", MB_INTS(x), MB_INTS(y));
 *     mb_io(t->b, 0, MB_INTS(x), MB_INTS(y));
 *     engine_rig *e = toy_open(t, &(engine_wishes){0});
 *     toy_free(t);
 *
 * Subgraph 0 is there. Operators, of any number of floats:
 *
 *   inc    y = x + 1
 *   below  y (one bool) = x[0] < 10
 *   even   y = x; BERTH_BAD_DATA where x[0] is odd
 *   strict refuses any model
 *   spy    y = x; what is in its output before, at toy_seen */
#ifndef TOYS_H
#define TOYS_H

#include "engine_rig.h"
#include "model_builder.h"

typedef struct toy {
    mb *b;
    berth_bytes file;
} toy;

const berth_kernels *toy_kernels(void);
extern float toy_seen;

toy *toy_new(void);
void toy_free(toy *t);
int32_t toy_tensor(toy *t, uint32_t g, const char *name, berth_type type,
                   int32_t count);
int32_t toy_float(toy *t, uint32_t g, const char *name, int32_t count);
int32_t toy_constant(toy *t, uint32_t g, int32_t count, float value);
int32_t toy_variable(toy *t, uint32_t g, const char *name, int32_t count);
void toy_custom(toy *t, uint32_t g, const char *name, mb_ints in, mb_ints out);
void toy_op(toy *t, uint32_t g, uint32_t code, mb_ints in, mb_ints out);
void toy_while(toy *t, uint32_t g, int64_t cond, int64_t body, mb_ints in,
               mb_ints out);
void toy_if(toy *t, uint32_t g, int64_t then_, int64_t else_, mb_ints in,
            mb_ints out);
void toy_call_once(toy *t, uint32_t g, int64_t callee);
int32_t toy_handle(toy *t, uint32_t g, const char *name);

/* The file, finished at the first call; the kernels are the toys'. */
engine_rig *toy_rig(toy *t, const engine_wishes *wishes);
/* And opened; fails the test if it is refused. */
engine_rig *toy_open(toy *t, const engine_wishes *wishes);
/* Prepare refuses so, and says what. */
void toy_refused(toy *t, const engine_wishes *wishes, berth_status status,
                 const char *what);

float *toy_in(const engine_rig *e, uint32_t i);
float *toy_out(const engine_rig *e, uint32_t i);
void toy_run(engine_rig *e);

#endif
