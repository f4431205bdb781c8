/* Which bytes are filled, and with AddressSanitizer shut, before which step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "berth/hosted/run.h"

#ifdef __has_feature
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define IS_SHUT(at) (__asan_address_is_poisoned(at) != 0)
enum { SHUTS = true };
#else
#define IS_SHUT(at) ((void)(at), false)
enum { SHUTS = false };
#endif

enum { STEPS = 4, REGION = 64, HALF = 32, LIVE = 0x11, DEAD = 0xee };

/* Below: x in steps 0 and 1, z from 2 on, the first half of z being w, which
 * stays. Above: y in 1 and 2. */
static const berth_item items[] = {
    {.size = HALF, .first_span = 0, .span_count = 1},
    {.size = HALF, .first_span = 1, .span_count = 1},
    {.size = HALF, .first_span = 2, .span_count = 1},
    {.size = HALF / 2, .first_span = 3, .span_count = 1},
};
static const berth_span spans[] = {{0, 2}, {1, 3}, {2, 3}, {2, 4}};
static uint64_t offsets[] = {0, HALF, 0, 0};
static const berth_problem problem = {.items = items,
                                      .item_count = 4,
                                      .spans = spans,
                                      .span_count = 4,
                                      .step_count = STEPS};
static const berth_plan plan = {.offset = offsets, .peak = REGION};

/* Alive before each step: sixteenths of the region, from below. */
static const bool alive[STEPS][4] = {{true, true, false, false},
                                     {true, true, true, true},
                                     {true, true, true, true},
                                     {true, false, false, false}};

static void expect_step(const uint8_t *region, const bool quarters[4])
{
    for (uint32_t i = 0; i < REGION; ++i) {
        const bool dead = !quarters[i / (REGION / 4)];
        assert_int_equal(IS_SHUT(region + i), dead && SHUTS);
    }
}

/* What lies there although it may not be touched. */
static uint8_t peek(berth_poison *poison, uint32_t at)
{
    berth_poison_lift(poison);
    return poison->region[at];
}

static void bytes_open_when_born_and_shut_when_dead(void **state)
{
    static _Alignas(16) uint8_t region[REGION];
    berth_port port = berth_port_of_libc();
    berth_poison poison;
    (void)state;
    assert_true(berth_poison_begin(&port, &problem, &plan, region, REGION, DEAD,
                                   &poison));
    for (uint32_t run = 0; run < 2; ++run) {
        memset(region, LIVE, REGION);
        berth_poison_rewind(&poison);
        expect_step(region, alive[0]);
        for (uint32_t s = 0; s < STEPS; ++s) {
            const berth_engine_event event = {.step = s};
            berth_poison_before(&poison, &event);
            expect_step(region, alive[s]);
        }
        assert_int_equal(peek(&poison, 0), LIVE);
        assert_int_equal(peek(&poison, HALF / 2), DEAD);
        assert_int_equal(peek(&poison, HALF), DEAD);
        expect_step(region, alive[1]); /* lifted */
    }
    berth_poison_end(&poison);
}

static void the_next_turn_of_a_loop_finds_all_open(void **state)
{
    static _Alignas(16) uint8_t region[REGION];
    berth_port port = berth_port_of_libc();
    berth_poison poison;
    const berth_engine_event late = {.step = 3};
    const berth_engine_event early = {.step = 1};
    (void)state;
    assert_true(berth_poison_begin(&port, &problem, &plan, region, REGION, DEAD,
                                   &poison));
    berth_poison_rewind(&poison);
    berth_poison_before(&poison, &late);
    expect_step(region, alive[3]);
    berth_poison_before(&poison, &early);
    expect_step(region, alive[1]);
    memset(region, LIVE, REGION);
    berth_poison_before(&poison, &late);
    assert_int_equal(region[HALF], LIVE);
    berth_poison_end(&poison);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_open_when_born_and_shut_when_dead),
        cmocka_unit_test(the_next_turn_of_a_loop_finds_all_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
