/* LOGISTIC and TANH of 16 bits as TensorFlow Lite's reference kernels have
 * them: tanh(x) = 2 logistic(2 x) - 1, and both are mirrored at 0, so that a
 * table of the logistic function at 0, 1/24, 2/24 ... and straight lines in
 * between do. */
#include "kernels/curve16.h"

#include "kernels/fixed.h"

/* 2^16 logistic(i / 24), each raised by half of what the line to the next one
 * lacks in its middle. */
static const uint16_t sigmoids[256] = {
    32768, 33451, 34133, 34813, 35493, 36169, 36843, 37513, 38180, 38841, 39498,
    40149, 40794, 41432, 42064, 42688, 43304, 43912, 44511, 45102, 45683, 46255,
    46817, 47369, 47911, 48443, 48964, 49475, 49975, 50464, 50942, 51409, 51865,
    52311, 52745, 53169, 53581, 53983, 54374, 54755, 55125, 55485, 55834, 56174,
    56503, 56823, 57133, 57433, 57724, 58007, 58280, 58544, 58800, 59048, 59288,
    59519, 59743, 59959, 60168, 60370, 60565, 60753, 60935, 61110, 61279, 61441,
    61599, 61750, 61896, 62036, 62172, 62302, 62428, 62549, 62666, 62778, 62886,
    62990, 63090, 63186, 63279, 63368, 63454, 63536, 63615, 63691, 63765, 63835,
    63903, 63968, 64030, 64090, 64148, 64204, 64257, 64308, 64357, 64405, 64450,
    64494, 64536, 64576, 64614, 64652, 64687, 64721, 64754, 64786, 64816, 64845,
    64873, 64900, 64926, 64950, 64974, 64997, 65019, 65039, 65060, 65079, 65097,
    65115, 65132, 65149, 65164, 65179, 65194, 65208, 65221, 65234, 65246, 65258,
    65269, 65280, 65291, 65301, 65310, 65319, 65328, 65337, 65345, 65352, 65360,
    65367, 65374, 65381, 65387, 65393, 65399, 65404, 65410, 65415, 65420, 65425,
    65429, 65433, 65438, 65442, 65445, 65449, 65453, 65456, 65459, 65462, 65465,
    65468, 65471, 65474, 65476, 65479, 65481, 65483, 65485, 65488, 65489, 65491,
    65493, 65495, 65497, 65498, 65500, 65501, 65503, 65504, 65505, 65507, 65508,
    65509, 65510, 65511, 65512, 65513, 65514, 65515, 65516, 65517, 65517, 65518,
    65519, 65520, 65520, 65521, 65522, 65522, 65523, 65523, 65524, 65524, 65525,
    65525, 65526, 65526, 65526, 65527, 65527, 65528, 65528, 65528, 65529, 65529,
    65529, 65529, 65530, 65530, 65530, 65530, 65531, 65531, 65531, 65531, 65531,
    65532, 65532, 65532, 65532, 65532, 65532, 65533, 65533, 65533, 65533, 65533,
    65533, 65533, 65533, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534,
    65534, 65534, 65535,
};

berth_status kernel_curve16_of(float scale, int32_t most, struct curve16 *curve,
                               berth_diag *diag)
{
    enum { POINT = 12, SHIFT_MOST = 31, WIDEST = 32767 };
    int32_t log = 0;
    if (kernel_is_power_of_two(scale, &log) && log + POINT >= 0 &&
        log + POINT <= most) {
        *curve = (struct curve16){3 << (log + POINT), 0};
        return BERTH_OK;
    }
    double multiplier = (double)scale * 4096.0 * 3.0;
    int32_t shift = 0;
    for (; multiplier <= WIDEST / 2.0 && shift < SHIFT_MOST; ++shift) {
        multiplier *= 2;
    }
    if (multiplier < 1 || multiplier > WIDEST) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "a scale of 16 bits that is too large or small");
    }
    *curve = (struct curve16){(int32_t)multiplier, shift};
    return BERTH_OK;
}

static int32_t curve_place(const struct curve16 *curve, int32_t x)
{
    const int32_t half = curve->shift > 0 ? 1 << (curve->shift - 1) : 0;
    return wrap_add(x * curve->multiplier, half) >> curve->shift;
}

/* 2^(16 + bits) logistic of size / 2^bits 24ths. */
static int32_t curve_lookup(int32_t size, int32_t bits)
{
    const int32_t at = size >> bits;
    if (at >= 255) {
        return (int32_t)(UINT32_C(0xFFFF) << bits);
    }
    const int32_t rest = size & ((1 << bits) - 1);
    return ((int32_t)sigmoids[at] << bits) +
           rest * (sigmoids[at + 1] - sigmoids[at]);
}

int32_t kernel_logistic16(const struct curve16 *curve, int32_t x)
{
    enum { BITS = 9, ONE = 1 << (16 + BITS), HALF = 1 << BITS };
    const int32_t place = curve_place(curve, x);
    const bool negative = place < 0;
    const int32_t size = negative ? -place : place;
    /* beyond the table the reference takes a rounder number */
    const int32_t value =
        size >> BITS >= 255 ? 0x7FFF << 10 : curve_lookup(size, BITS);
    return (negative ? ONE - value + HALF - 1 : value + HALF) >> (BITS + 1);
}

int32_t kernel_tanh16(const struct curve16 *curve, int32_t x)
{
    enum { BITS = 8, ONE = 1 << (15 + BITS), HALF = 1 << (BITS - 1) };
    const int32_t place = curve_place(curve, x);
    const bool negative = place < 0;
    const int32_t value = curve_lookup(negative ? -place : place, BITS);
    return (negative ? ONE - value + HALF - 1 : value - ONE + HALF) >> BITS;
}
