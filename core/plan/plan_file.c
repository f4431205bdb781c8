/* A plan as a file. All numbers are little-endian and made of bytes, so that
 * any host reads any file. docs/plan-file.md tells the same, for others. */
#include "berth/plan_file.h"
#include "base/base_int.h"

#include <string.h>

/* Positions in the head; the rows follow it, and the sum follows them. */
enum plan_file_at {
    AT_MAGIC = 0,
    AT_VERSION = 8,
    AT_MAKER = 12,
    AT_SHARE = 16,
    AT_ITEMS = 20,
    AT_PEAK = 24,
    AT_HASH = 32,
    AT_KERNELS = 64,
    AT_ROWS = 96
};

/* Positions in a row. */
enum plan_row_at { ROW_OFFSET = 0, ROW_SIZE = 8, ROW_KEY = 16, ROW_BYTES = 20 };

enum { SUM_BYTES = 4, FILE_ALIGN = 16 };

/* One that text mode, a cut to seven bits and a C string all would break. */
static const uint8_t plan_magic[8] = {0x89, 'B', 'P', 'L', 'N', '\r', '\n', 0};

static uint32_t file_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
           (uint32_t)at[3] << 24;
}

static uint64_t file_u64(const uint8_t *at)
{
    return (uint64_t)file_u32(at) | (uint64_t)file_u32(at + 4) << 32;
}

static void store_u32(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    at[2] = (uint8_t)(value >> 16);
    at[3] = (uint8_t)(value >> 24);
}

static void store_u64(uint8_t *at, uint64_t value)
{
    store_u32(at, (uint32_t)value);
    store_u32(at + 4, (uint32_t)(value >> 32));
}

static uint64_t file_size(uint32_t items)
{
    return AT_ROWS + (uint64_t)ROW_BYTES * items + SUM_BYTES;
}

static uint32_t key_for(const uint32_t *keys, uint32_t item)
{
    return keys == NULL ? item : keys[item];
}

/* --- writing ----------------------------------------------------------------
 */

berth_status berth_plan_file_bytes(uint32_t item_count, size_t *bytes,
                                   berth_diag *diag)
{
    size_t need = 0;
    const uint64_t size = file_size(item_count);
    if (size > SIZE_MAX ||
        !berth_work_need(&need, (size_t)size, 1, FILE_ALIGN)) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "more than size_t counts");
    }
    *bytes = need;
    return BERTH_OK;
}

/* A name, then nothing but zeros. */
static bool is_name(const char *kernels)
{
    uint32_t length = 0;
    while (length < BERTH_PLAN_KERNELS_BYTES && kernels[length] != '\0') {
        ++length;
    }
    for (uint32_t i = length; i < BERTH_PLAN_KERNELS_BYTES; ++i) {
        if (kernels[i] != '\0') {
            return false;
        }
    }
    return length > 0;
}

static void store_head(uint8_t *out, const berth_plan_tag *tag, uint32_t items,
                       uint64_t peak)
{
    memcpy(out + AT_MAGIC, plan_magic, sizeof(plan_magic));
    store_u32(out + AT_VERSION, BERTH_PLAN_FILE_VERSION);
    store_u32(out + AT_MAKER, (uint32_t)tag->maker);
    store_u32(out + AT_SHARE, tag->share);
    store_u32(out + AT_ITEMS, items);
    store_u64(out + AT_PEAK, peak);
    memcpy(out + AT_HASH, tag->model_hash, BERTH_SHA256_BYTES);
    memcpy(out + AT_KERNELS, tag->kernels, BERTH_PLAN_KERNELS_BYTES);
}

berth_status berth_plan_file_write(const berth_problem *problem,
                                   const uint32_t *keys, const berth_plan *plan,
                                   const berth_plan_tag *tag, berth_work *work,
                                   berth_bytes *file, berth_diag *diag)
{
    const uint32_t items = problem->item_count;
    size_t need = 0;
    if ((unsigned)tag->maker >= BERTH_PLAN_FOR_COUNT ||
        !is_name(tag->kernels) || problem->region_count > 1) {
        return berth_refuse(diag, BERTH_BAD_ARG,
                            "no tag of a plan, or more than one region");
    }
    BERTH_TRY(berth_plan_file_bytes(items, &need, diag));
    BERTH_TRY(berth_work_check(work, need, diag));
    const size_t size = (size_t)file_size(items);
    uint8_t *out = berth_work_take(work, size, 1, FILE_ALIGN);
    store_head(out, tag, items, plan->peak);
    uint8_t *row = out + AT_ROWS;
    for (uint32_t i = 0; i < items; ++i, row += ROW_BYTES) {
        store_u64(row + ROW_OFFSET, plan->offset[i]);
        store_u64(row + ROW_SIZE, problem->items[i].size);
        store_u32(row + ROW_KEY, key_for(keys, i));
    }
    store_u32(row, berth_crc32((berth_bytes){out, size - SUM_BYTES}));
    *file = (berth_bytes){out, size};
    return BERTH_OK;
}

/* --- reading ----------------------------------------------------------------
 */

static berth_status plan_file_damage(berth_diag *diag, size_t at,
                                     const char *what)
{
    (void)berth_refuse(diag, BERTH_BAD_MODEL, what);
    if (diag != NULL) {
        diag->file_offset = at;
    }
    return BERTH_BAD_MODEL;
}

/* Everything that can be said of the bytes alone. */
static berth_status check_bytes(berth_bytes file, berth_diag *diag)
{
    const uint8_t *data = file.data;
    if (file.size < sizeof(plan_magic) ||
        memcmp(data, plan_magic, sizeof(plan_magic)) != 0) {
        return plan_file_damage(diag, 0, "not a plan file");
    }
    if (file.size < (size_t)AT_ROWS + SUM_BYTES) {
        return plan_file_damage(diag, file.size,
                                "the plan file ends in its head");
    }
    if (file_u32(data + AT_VERSION) != BERTH_PLAN_FILE_VERSION) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "a plan file of another version");
    }
    if (file.size != file_size(file_u32(data + AT_ITEMS))) {
        return plan_file_damage(diag, file.size,
                                "the plan file is cut short or longer "
                                "than its items");
    }
    const size_t sum = file.size - SUM_BYTES;
    if (berth_crc32((berth_bytes){data, sum}) != file_u32(data + sum)) {
        return plan_file_damage(diag, sum,
                                "the plan file's checksum does not match");
    }
    if (file_u32(data + AT_MAKER) >= BERTH_PLAN_FOR_COUNT) {
        return berth_refuse(diag, BERTH_UNSUPPORTED,
                            "a plan of a kind that is not known here");
    }
    return is_name((const char *)data + AT_KERNELS)
               ? BERTH_OK
               : plan_file_damage(diag, AT_KERNELS,
                                  "the kernel set has no name");
}

berth_status berth_plan_file_tag(berth_bytes file, berth_plan_tag *tag,
                                 berth_diag *diag)
{
    BERTH_TRY(check_bytes(file, diag));
    tag->maker = (berth_plan_for)file_u32(file.data + AT_MAKER);
    tag->share = file_u32(file.data + AT_SHARE);
    memcpy(tag->model_hash, file.data + AT_HASH, BERTH_SHA256_BYTES);
    memcpy(tag->kernels, file.data + AT_KERNELS, BERTH_PLAN_KERNELS_BYTES);
    return BERTH_OK;
}

static berth_status check_tag(berth_bytes file, const berth_plan_tag *tag,
                              berth_diag *diag)
{
    berth_plan_tag found;
    BERTH_TRY(berth_plan_file_tag(file, &found, diag));
    if (memcmp(found.model_hash, tag->model_hash, BERTH_SHA256_BYTES) != 0) {
        return berth_refuse(diag, BERTH_BAD_ARG, "a plan of another model");
    }
    if (memcmp(found.kernels, tag->kernels, BERTH_PLAN_KERNELS_BYTES) != 0) {
        return berth_refuse(diag, BERTH_BAD_ARG, "a plan for other kernels");
    }
    if (found.maker != tag->maker || found.share != tag->share) {
        return berth_refuse(diag, BERTH_BAD_ARG, "a plan of another kind");
    }
    return BERTH_OK;
}

/* The items of the file must be those of the problem, one by one. */
static berth_status check_file_items(berth_bytes file,
                                     const berth_problem *problem,
                                     const uint32_t *keys, berth_diag *diag)
{
    if (file_u32(file.data + AT_ITEMS) != problem->item_count) {
        return berth_refuse(diag, BERTH_UNSOUND,
                            "a plan of another number of items");
    }
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const uint8_t *row = file.data + AT_ROWS + (size_t)ROW_BYTES * i;
        if (file_u64(row + ROW_SIZE) != problem->items[i].size ||
            file_u32(row + ROW_KEY) != key_for(keys, i)) {
            (void)berth_refuse(diag, BERTH_UNSOUND, "a plan of other items");
            if (diag != NULL) {
                diag->tensor = i;
            }
            return BERTH_UNSOUND;
        }
    }
    return BERTH_OK;
}

berth_status berth_plan_file_read_bytes(const berth_problem *problem,
                                        size_t *bytes, berth_diag *diag)
{
    /* The bound needs what any strategy does: nothing is searched. */
    static const berth_plan_options least = {.strategy = BERTH_STRATEGY_NONE};
    size_t solve = 0;
    size_t judge = 0;
    size_t need = 0;
    BERTH_TRY(berth_plan_bytes(problem, &least, &solve, diag));
    BERTH_TRY(berth_plan_check_bytes(problem, &judge));
    if (!BERTH_NEED(&need, uint64_t, problem->item_count) ||
        !berth_work_need(&need, solve > judge ? solve : judge, 1, FILE_ALIGN)) {
        return berth_refuse(diag, BERTH_TOO_LARGE, "more than size_t counts");
    }
    *bytes = need;
    return BERTH_OK;
}

berth_status berth_plan_file_read(berth_bytes file, const berth_plan_tag *tag,
                                  const berth_problem *problem,
                                  const uint32_t *keys, berth_work work,
                                  berth_plan *plan, berth_diag *diag)
{
    const uint32_t items = problem->item_count;
    size_t need = 0;
    uint32_t step = 0;
    BERTH_TRY(check_tag(file, tag, diag));
    BERTH_TRY(check_file_items(file, problem, keys, diag));
    BERTH_TRY(berth_plan_file_read_bytes(problem, &need, diag));
    BERTH_TRY(berth_work_check(&work, need, diag));
    berth_plan made = {.offset = BERTH_TAKE(&work, uint64_t, items),
                       .peak = file_u64(file.data + AT_PEAK)};
    for (uint32_t i = 0; i < items; ++i) {
        made.offset[i] = file_u64(file.data + AT_ROWS + (size_t)ROW_BYTES * i);
    }
    BERTH_TRY(berth_plan_bound(problem, work, &made.bound, &step, diag));
    made.proof =
        made.peak == made.bound ? BERTH_PROOF_PROVEN : BERTH_PROOF_OPEN;
    BERTH_TRY(berth_plan_check(problem, &made, work, diag));
    if (items > 0) {
        memcpy(plan->offset, made.offset, items * sizeof(*plan->offset));
    }
    if (plan->region != NULL) {
        memset(plan->region, 0, items);
    }
    plan->peak = made.peak;
    plan->bound = made.bound;
    plan->proof = made.proof;
    plan->nodes = 0;
    plan->strategy = BERTH_STRATEGY_BEST;
    return BERTH_OK;
}
