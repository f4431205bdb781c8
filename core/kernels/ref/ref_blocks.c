/* SPACE_TO_DEPTH and DEPTH_TO_SPACE: a block of b x b pixels against b * b
 * times the depth. As moves: the output's height and width fall into blocks and
 * places within a block. */
#include "kernels/move.h"

static const char *const misfit_blocks = "blocks do not fit the shapes";

/* One is `b` times as high and wide as the other, which is b * b as deep. */
static bool fits_blocks(const berth_operand *wide, const berth_operand *deep,
                        int64_t b)
{
    return wide->rank == 4 && deep->rank == 4 && b > 0 && b <= 1 << 15 &&
           wide->dims[0] == deep->dims[0] &&
           wide->dims[1] == b * deep->dims[1] &&
           wide->dims[2] == b * deep->dims[2] &&
           deep->dims[3] == b * b * wide->dims[3];
}

static const char *plan_space_to_depth(const berth_node *node, struct move *m)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *to = &node->outputs[0];
    const int64_t b =
        berth_option_int(node->op, BERTH_OPT_SpaceToDepthOptions_block_size);
    if (!fits_blocks(from, to, b)) {
        return misfit_blocks;
    }
    move_add(m, to->dims[0], kernel_step(from, 0));
    move_add(m, to->dims[1], b * kernel_step(from, 1));
    move_add(m, to->dims[2], b * kernel_step(from, 2));
    move_add(m, b, kernel_step(from, 1));
    move_add(m, b, kernel_step(from, 2));
    move_add(m, from->dims[3], 1);
    return NULL;
}

static const char *plan_depth_to_space(const berth_node *node, struct move *m)
{
    const berth_operand *from = &node->inputs[0];
    const berth_operand *to = &node->outputs[0];
    const int64_t b =
        berth_option_int(node->op, BERTH_OPT_DepthToSpaceOptions_block_size);
    if (!fits_blocks(to, from, b)) {
        return misfit_blocks;
    }
    move_add(m, from->dims[0], kernel_step(from, 0));
    move_add(m, from->dims[1], kernel_step(from, 1));
    move_add(m, b, b * to->dims[3]);
    move_add(m, from->dims[2], kernel_step(from, 2));
    move_add(m, b, to->dims[3]);
    move_add(m, to->dims[3], 1);
    return NULL;
}

MOVE_KERNEL(space_to_depth, 1, NULL);
MOVE_KERNEL(depth_to_space, 1, NULL);
