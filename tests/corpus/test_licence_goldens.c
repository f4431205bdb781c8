/* Every operator of the golden one-operator models, in all ways that its row
 * allows (licence.h), with both sets of kernels. */
#include "corpus.h"
#include "licence.h"
#include "npy.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 1024 };

/* The inputs beside the model; false: they are not of its shapes. */
static bool fill_inputs(const naive *n, const char *model)
{
    char path[PATH_BYTES];
    const int stem = (int)(strlen(model) - strlen(".tflite"));
    bool filled = true;
    for (uint32_t i = 0; filled && i < naive_input_count(n); ++i) {
        npy array;
        const naive_tensor to = naive_input(n, i);
        (void)snprintf(path, sizeof(path), "%.*s.in%" PRIu32 ".npy", stem,
                       model, i);
        filled = npy_read(path, &array) && to.data != NULL &&
                 to.bytes == array.bytes;
        if (filled) {
            memcpy(to.data, array.data, array.bytes);
        }
        free((void *)(uintptr_t)array.file.data);
    }
    return filled;
}

static void judge_model(const char *path, const berth_kernels *kernels,
                        licence *judge)
{
    char why[256];
    const berth_bytes file = file_read(path);
    naive *n = naive_open(file, kernels, BERTH_PROFILE_LITERT, NULL, 0, why,
                          sizeof(why));
    if (n != NULL) {
        naive_watch_ops(n, licence_judge, judge);
        if (fill_inputs(n, path)) {
            (void)naive_run(n, why, sizeof(why));
        }
        naive_close(n);
    }
    free((void *)(uintptr_t)file.data);
}

static void judge_all(const berth_kernels *kernels)
{
    glob_t found = {.gl_pathc = 0};
    licence judge = {.seed = 1};
    char pattern[PATH_BYTES];
    if (!corpus_has("goldens/ops/index.tsv")) {
        skip();
    }
    (void)snprintf(pattern, sizeof(pattern), "%s/*/*.tflite",
                   corpus_path("goldens/ops"));
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    uint32_t wrong = 0;
    for (size_t i = 0; i < found.gl_pathc; ++i) {
        judge_model(found.gl_pathv[i], kernels, &judge);
        if (judge.why[0] != '\0') {
            print_error("%s (%s): %s\n", found.gl_pathv[i], kernels->name,
                        judge.why);
            judge.why[0] = '\0';
            wrong += 1;
        }
    }
    globfree(&found);
    const licence_tally *all = &judge.tally;
    print_message(
        "%s: %" PRIu64 " operators, %" PRIu64 " splits, %" PRIu64
        " orders, %" PRIu64 " rings, %" PRIu64 " pairs at %" PRIu64
        " distances; %" PRIu64 " of %" PRIu64 " one step beyond are seen\n",
        kernels->name, all->operators, all->splits, all->orders, all->rings,
        all->pairs, all->distances, all->caught, all->mutants);
    assert_int_equal(wrong, 0);
    assert_true(all->operators > 1000);
}

static void every_way_gives_the_same_bits_with_ref(void **state)
{
    (void)state;
    judge_all(berth_kernels_ref());
}

static void every_way_gives_the_same_bits_with_opt(void **state)
{
    (void)state;
    judge_all(berth_kernels_opt());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_gives_the_same_bits_with_ref),
        cmocka_unit_test(every_way_gives_the_same_bits_with_opt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
