/* Property: any bytes are refused with a reason, or are a plan that the judge
 * has passed, and which written again gives the same bytes.
 *
 * The first bytes of an input make the problem; the checksum of the rest is
 * made right in half of the inputs, since no fuzzer guesses it. */
#include "berth/plan_file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ITEMS_MAX = 8, STEPS = 8, LENT = 65536 };

typedef struct small_world {
    berth_item items[ITEMS_MAX];
    berth_span spans[ITEMS_MAX];
    berth_problem problem;
} small_world;

static void make_world(small_world *world, const uint8_t *data)
{
    const uint32_t count = data[0] % (ITEMS_MAX + 1u);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t born = data[1 + i] % STEPS;
        const uint32_t length = data[1 + i] / STEPS % (STEPS - born);
        world->spans[i] = (berth_span){born, born + 1 + length};
        world->items[i] = (berth_item){.size = 16u * (data[9 + i] % 8u),
                                       .fixed = BERTH_NOWHERE,
                                       .align = 16,
                                       .first_span = i,
                                       .span_count = 1,
                                       .regions = 1};
    }
    world->problem = (berth_problem){.items = world->items,
                                     .spans = world->spans,
                                     .item_count = count,
                                     .span_count = count,
                                     .step_count = STEPS};
}

static void mend_sum(uint8_t *file, size_t size)
{
    const uint32_t crc = berth_crc32((berth_bytes){file, size - 4});
    for (uint32_t i = 0; i < 4; ++i) {
        file[size - 4 + i] = (uint8_t)(crc >> (8 * i));
    }
}

/* Reads with the tag that the file itself claims. */
static void read_and_write_again(berth_bytes file, const berth_problem *problem)
{
    static uint8_t lent[LENT];
    uint64_t offset[ITEMS_MAX];
    berth_plan plan = {.offset = offset};
    berth_plan_tag tag;
    berth_diag diag = berth_diag_none();
    if (berth_plan_file_tag(file, &tag, &diag) != BERTH_OK) {
        if (diag.what[0] == '\0') {
            __builtin_trap();
        }
        return;
    }
    if (berth_plan_file_read(file, &tag, problem, NULL,
                             berth_work_of(lent, LENT), &plan,
                             &diag) != BERTH_OK) {
        return;
    }
    if (berth_plan_check(problem, &plan, berth_work_of(lent, LENT), NULL) !=
            BERTH_OK ||
        plan.bound > plan.peak) {
        __builtin_trap();
    }
    berth_work work = berth_work_of(lent, LENT);
    berth_bytes again;
    if (berth_plan_file_write(problem, NULL, &plan, &tag, &work, &again,
                              NULL) != BERTH_OK ||
        again.size != file.size ||
        memcmp(again.data, file.data, file.size) != 0) {
        __builtin_trap();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { WORLD = 18 };
    small_world world;
    if (size < WORLD) {
        return 0;
    }
    make_world(&world, data);
    const size_t rest = size - WORLD;
    uint8_t *file = malloc(rest == 0 ? 1 : rest);
    if (file == NULL) {
        return 0;
    }
    memcpy(file, data + WORLD, rest);
    if (data[WORLD - 1] % 2 == 0 && rest >= 4) {
        mend_sum(file, rest);
    }
    read_and_write_again((berth_bytes){file, rest}, &world.problem);
    free(file);
    return 0;
}
