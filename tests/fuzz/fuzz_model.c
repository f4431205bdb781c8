/* Property: any bytes are refused with a reason and a place in the file, or
 * every accessor can be asked everything and never looks outside them. The
 * answer is the same without a diag; one byte less of memory is refused; so
 * are bytes that start unaligned. */
#include "model_walk.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool what)
{
    if (!what) {
        abort();
    }
}

/* What init says with this much memory, and without a diag. */
static berth_status open_with(berth_bytes file, size_t lent)
{
    uint8_t *memory = malloc(lent == 0 ? 1 : lent);
    must(memory != NULL);
    berth_work work = berth_work_of(memory, lent);
    const berth_model *model = NULL;
    const berth_status status = berth_model_init(file, &work, &model, NULL);
    free(memory);
    return status;
}

/* A copy that starts `shift` bytes behind an aligned address and ends where its
 * block ends. */
static uint8_t *copy_shifted(const uint8_t *data, size_t size, size_t shift)
{
    uint8_t *block = malloc(size + shift + (size == 0));
    must(block != NULL);
    if (size != 0) {
        memcpy(block + shift, data, size);
    }
    return block;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *block = copy_shifted(data, size, 0);
    const berth_bytes file = {block, size};
    berth_diag diag;
    const berth_status status = model_open_and_walk(file, &diag);
    size_t need = 0;
    const berth_status asked = berth_model_bytes(file, &need, NULL);
    must(asked == BERTH_OK || asked == status);
    must(open_with(file, need) == status);
    if (asked == BERTH_OK) {
        must(open_with(file, need - 1) == BERTH_NO_SPACE);
    }
    free(block);

    block = copy_shifted(data, size, 1);
    const berth_status shifted =
        berth_model_bytes((berth_bytes){block + 1, size}, &need, NULL);
    must(shifted == BERTH_MISALIGNED || shifted == status);
    free(block);
    return 0;
}
