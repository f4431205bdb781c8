/* Amounts of TFLM's signal library: rings, FFT plans, arrays per channel. Its
 * operators keep their options in a FlexBuffers map. */
#include "micro/micro_int.h"

#include "ops/flexmap.h"

uint64_t micro_amount_option(const micro_op *op, const micro_row *row)
{
    int64_t value = 0;
    return berth_flexmap_at(op->info.custom_options, row->argument, &value) &&
                   value > 0
               ? (uint64_t)value
               : 0;
}

uint64_t micro_amount_option_and_one(const micro_op *op, const micro_row *row)
{
    return micro_add(micro_amount_option(op, row), 1);
}

static uint64_t option_at(const micro_op *op, uint32_t position)
{
    const micro_row row = {.argument = position};
    return micro_min(micro_amount_option(op, &row), MICRO_HUGE);
}

static uint64_t last_axis(const micro_op *op)
{
    const micro_tensor *input = micro_operand(op, 0);
    const uint32_t rank = input->dims.count;
    return rank == 0 ? 1 : micro_dim(input, rank - 1);
}

uint64_t micro_amount_outer(const micro_op *op, const micro_row *row)
{
    const micro_tensor *input = micro_operand(op, 0);
    const uint32_t rank = input->dims.count;
    uint64_t count = 1;
    for (uint32_t i = 0; i + row->argument < rank; ++i) {
        count = micro_mul(count, micro_dim(input, i));
    }
    return count;
}

uint64_t micro_amount_last_axis_bytes(const micro_op *op, const micro_row *row)
{
    (void)row;
    return micro_mul(last_axis(op), micro_operand(op, 0)->element_bytes);
}

/* A header of three sizes, two int32 and a pointer, then twice the capacity in
 * int16. */
static uint64_t ring(const micro_op *op, uint64_t capacity)
{
    return micro_add(8u + UINT64_C(4) * micro_word(op->run->abi),
                     micro_mul(4, capacity));
}

/* Options: frame_size, frame_step. The size rounded up to steps. */
uint64_t micro_amount_frame_ring(const micro_op *op, const micro_row *row)
{
    const uint64_t size = option_at(op, 0);
    const uint64_t step = option_at(op, 1);
    (void)row;
    if (step == 0) {
        return 0;
    }
    return ring(op, micro_mul(micro_add(size, step - 1) / step, step));
}

uint64_t micro_amount_delay_ring(const micro_op *op, const micro_row *row)
{
    (void)row;
    return ring(op, micro_add(last_axis(op), option_at(op, 0)));
}

/* Options: num_channels, left context, right context. */
uint64_t micro_amount_stack_ring(const micro_op *op, const micro_row *row)
{
    const uint64_t frames =
        micro_add(micro_add(option_at(op, 1), option_at(op, 2)), 1);
    (void)row;
    return ring(op, micro_mul(option_at(op, 0), frames));
}

/* A real FFT of kissfft: three pointers, the state of a complex one of half
 * the length (64 factors and two more integers, then a twiddle a point), and a
 * buffer and twiddles of its own. */
uint64_t micro_amount_fft_plan(const micro_op *op, const micro_row *row)
{
    const uint64_t half = option_at(op, 1) / 2;
    const uint64_t complex =
        UINT64_C(2) * micro_operand(op, row->operand)->element_bytes;
    if (half == 0) {
        return 0;
    }
    const uint64_t state =
        micro_add(264u + complex, micro_mul(complex, half - 1));
    return micro_add(UINT64_C(3) * micro_word(op->run->abi) + state,
                     micro_mul(complex, half * 3 / 2));
}

uint64_t micro_amount_fft_input(const micro_op *op, const micro_row *row)
{
    (void)row;
    return micro_mul(option_at(op, 1), micro_operand(op, 0)->element_bytes);
}
