/* core/shape/shape_slice.c: SLICE and STRIDED_SLICE as one plan (first element,
 * step and count on each axis), which shapes and folding share. */
#include "shape_int.h"

static bool plan_slice(struct infer *in, struct slice_plan *plan)
{
    const struct dims dims = berth_infer_dims(in, 0);
    const struct values begin = berth_infer_values(in, 1);
    const struct values size = berth_infer_values(in, 2);
    infer_need(in, begin.count == dims.rank && size.count == dims.rank);
    plan->rank = dims.rank;
    for (uint32_t i = 0; i < dims.rank; ++i) {
        const int64_t start = berth_infer_int(in, &begin, i);
        const int64_t want = berth_infer_int(in, &size, i);
        const int64_t count = want == -1 ? dims.at[i] - start : want;
        infer_need(in, start >= 0 && count >= 0 && start + count <= dims.at[i]);
        plan->axes[i] =
            (struct slice_axis){.start = start, .step = 1, .count = count};
    }
    return in->verdict == VERDICT_FITS;
}

/* The five masks and the operands of a STRIDED_SLICE. */
struct strided {
    struct dims dims;
    struct values begin;
    struct values end;
    struct values step;
    uint32_t begin_mask;
    uint32_t end_mask;
    uint32_t ellipsis_mask;
    uint32_t new_axis_mask;
    uint32_t shrink_mask;
    bool offset; /* end holds lengths, not ends */
};

static uint32_t mask_of(const struct infer *in, berth_option field)
{
    return (uint32_t)(infer_option(in, field) & 0xffffffff);
}

static void read_strided(struct infer *in, struct strided *s)
{
    s->dims = berth_infer_dims(in, 0);
    s->begin = berth_infer_values(in, 1);
    s->end = berth_infer_values(in, 2);
    s->step = berth_infer_values(in, 3);
    s->begin_mask = mask_of(in, BERTH_OPT_StridedSliceOptions_begin_mask);
    s->end_mask = mask_of(in, BERTH_OPT_StridedSliceOptions_end_mask);
    s->ellipsis_mask = mask_of(in, BERTH_OPT_StridedSliceOptions_ellipsis_mask);
    s->new_axis_mask =
        mask_of(in, BERTH_OPT_StridedSliceOptions_new_axis_mask) &
        ~s->ellipsis_mask;
    s->shrink_mask =
        mask_of(in, BERTH_OPT_StridedSliceOptions_shrink_axis_mask);
    s->offset = infer_option(in, BERTH_OPT_StridedSliceOptions_offset) != 0;
    infer_need(in, s->begin.count <= 2 * BERTH_RANK_MAX);
    infer_need(in, s->end.count == s->begin.count &&
                       s->step.count == s->begin.count);
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Where index `spec` of begin, end and step meets an axis of `dim` elements. */
static struct slice_axis strided_axis(struct infer *in, const struct strided *s,
                                      uint32_t spec, int64_t dim)
{
    struct slice_axis axis = {.step = berth_infer_int(in, &s->step, spec)};
    const bool back = axis.step < 0;
    const int64_t low = back ? -1 : 0;
    const int64_t high = back ? dim - 1 : dim;
    int64_t start = berth_infer_int(in, &s->begin, spec);
    int64_t end = berth_infer_int(in, &s->end, spec);
    int64_t length = 0;
    if (axis.step == 0 || axis.step == INT32_MIN) {
        berth_infer_refuse(in);
        return axis;
    }
    start = clamp(start < 0 ? start + dim : start, low, high);
    if ((s->begin_mask >> spec & 1u) != 0) {
        start = back ? dim - 1 : 0;
    }
    axis.start = start;
    axis.shrink = (s->shrink_mask >> spec & 1u) != 0;
    if (axis.shrink) {
        axis.count = 1;
        return axis;
    }
    if (s->offset) {
        length = end;
    } else if ((s->end_mask >> spec & 1u) != 0) {
        length = (back ? -1 : dim) - start;
    } else {
        length = clamp(end < 0 ? end + dim : end, low, high) - start;
    }
    if (length != 0 && (length < 0) == back) {
        axis.count =
            back ? (length + 1) / axis.step + 1 : (length - 1) / axis.step + 1;
    }
    return axis;
}

static void plan_add(struct infer *in, struct slice_plan *plan,
                     struct slice_axis axis)
{
    if (plan->rank == BERTH_RANK_MAX) {
        berth_infer_refuse(in);
        return;
    }
    plan->axes[plan->rank] = axis;
    plan->rank += 1;
}

static void plan_whole_axes(struct infer *in, const struct strided *s,
                            struct slice_plan *plan, uint32_t from,
                            uint32_t end)
{
    for (uint32_t d = from; d < end && d < s->dims.rank; ++d) {
        plan_add(in, plan,
                 (struct slice_axis){.step = 1, .count = s->dims.at[d]});
    }
}

/* Walks the specs; an ellipsis takes the axes that no other spec speaks of,
 * and so does the end of the list. */
static bool plan_strided(struct infer *in, struct slice_plan *plan)
{
    struct strided s;
    uint32_t specs = 0;
    uint32_t spoken = 0; /* axes of the input that specs speak of */
    uint32_t d = 0;
    read_strided(in, &s);
    plan->rank = 0;
    if (in->verdict != VERDICT_FITS) {
        return false;
    }
    specs = (uint32_t)s.begin.count;
    for (uint32_t i = 0; i < specs; ++i) {
        spoken += ((s.ellipsis_mask | s.new_axis_mask) >> i & 1u) == 0 ? 1 : 0;
    }
    infer_need(in, spoken <= s.dims.rank);
    for (uint32_t i = 0; i < specs && in->verdict == VERDICT_FITS; ++i) {
        if ((s.ellipsis_mask >> i & 1u) != 0) {
            const uint32_t rest = s.dims.rank - spoken;
            plan_whole_axes(in, &s, plan, d, d + rest);
            d += rest;
        } else if ((s.new_axis_mask >> i & 1u) != 0) {
            plan_add(in, plan,
                     (struct slice_axis){.step = 1, .count = 1, .fresh = true});
        } else {
            infer_need(in, d < s.dims.rank);
            plan_add(
                in, plan,
                strided_axis(in, &s, i, d < s.dims.rank ? s.dims.at[d] : 0));
            d += 1;
        }
    }
    plan_whole_axes(in, &s, plan, d, s.dims.rank);
    return in->verdict == VERDICT_FITS;
}

bool berth_slice_plan(struct infer *in, struct slice_plan *plan)
{
    return in->code == BERTH_OP_SLICE ? plan_slice(in, plan)
                                      : plan_strided(in, plan);
}

/* The file gives the output's shape whole: rank above 0, no axis open. */
static bool file_is_sure(const struct infer *in, struct dims *file)
{
    if (in->output_count == 0 || in->outputs[0] == BERTH_NONE) {
        return false;
    }
    const berth_ivec signature =
        berth_graph_tensor_info(in->all->graph, in->outputs[0]).signature;
    for (uint32_t i = 0; i < signature.count; ++i) {
        if (berth_ivec_at(signature, i) < 0) {
            return false;
        }
    }
    return berth_tensor_dims(in->all, in->outputs[0], file) && file->rank > 0;
}

/* A size of -1 reaches to the end, wherever it begins. */
static bool size_tells(const struct values *size, uint32_t axis)
{
    return axis < size->count && berth_values_at(size, axis) != -1;
}

/* Known sizes are enough. Where begin or size are computed while it runs, a
 * file that gives the shape whole is believed, as LiteRT does: that is how
 * loops that take a row in each round are made. */
void berth_shape_slice(struct infer *in)
{
    const struct dims dims = berth_infer_dims(in, 0);
    struct values begin = {0};
    struct values size = {0};
    struct dims file = {0};
    struct dims out = dims;
    if (!berth_infer_has(in, 1) || !berth_infer_has(in, 2)) {
        berth_infer_refuse(in);
        return;
    }
    const bool begin_known =
        berth_tensor_values(in->all, in->inputs[1], &begin);
    const bool size_known = berth_tensor_values(in->all, in->inputs[2], &size);
    const bool sure = file_is_sure(in, &file) && file.rank == dims.rank;
    infer_need(in, !begin_known || begin.count == dims.rank);
    infer_need(in, !size_known || size.count == dims.rank);
    for (uint32_t i = 0; i < dims.rank && in->verdict == VERDICT_FITS; ++i) {
        const int64_t start = begin_known ? berth_infer_int(in, &begin, i) : 0;
        if (size_known && size_tells(&size, i)) {
            out.at[i] = berth_infer_int(in, &size, i);
        } else if (size_known && begin_known) {
            out.at[i] = dims.at[i] - start;
        } else if (sure) {
            out.at[i] = file.at[i];
            in->all->marks[in->outputs[0]] |= MARK_UNCHECKED;
        } else {
            (void)berth_infer_values(in, size_known ? 1 : 2); /* depends */
        }
        infer_need(in, start >= 0 && start + out.at[i] <= dims.at[i]);
    }
    berth_infer_out(in, 0, &out);
}

void berth_shape_strided_slice(struct infer *in)
{
    struct slice_plan plan;
    struct dims out = {0};
    if (berth_slice_plan(in, &plan)) {
        for (uint32_t i = 0; i < plan.rank; ++i) {
            if (!plan.axes[i].shrink) {
                out.at[out.rank] = plan.axes[i].count;
                out.rank += 1;
            }
        }
        berth_infer_out(in, 0, &out);
    }
}
