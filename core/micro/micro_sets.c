/* The kernel sets and the targets. A set is a table of rows, a version, and the
 * set that is asked for what it does not have; CONTRIBUTING.md shows how to
 * add one. */
#include "micro/micro_int.h"

#include <string.h>

static const micro_struct_sizes structs_2026_08 = {
#define MICRO_STRUCT(name, x64, x32, arm, ilp32, wheel)                        \
    [MICRO_STRUCT_##name] = {x64, x32, arm, ilp32, wheel},
#include "micro/structs.def"
#undef MICRO_STRUCT
};

/* The words of the tables. */
#define SIZES(x64, x32, arm, ilp32, wheel)                                     \
    {                                                                          \
        x64, x32, arm, ilp32, wheel                                            \
    }
#define EVERY(bytes)        SIZES(bytes, bytes, bytes, bytes, bytes)
#define WORDS(wide, narrow) SIZES(wide, narrow, narrow, narrow, wide)
#define IN(index)           (index)
#define OUT(index)          (MICRO_OUT | (index))
#define WORD                MICRO_UNIT_WORD
#define EVAL                MICRO_UNIT_EVAL

#define ROW(kind_, when_, unit_, name, operand_, argument_, times_)            \
    {                                                                          \
        .kind = MICRO_ROW_##kind_, .operand = (operand_), .unit = (unit_),     \
        .argument = (argument_), .when = (when_),                              \
        .amount = micro_amount_##name, .times = (times_)                       \
    }
#define TEMPS                                                                  \
    {                                                                          \
        .kind = MICRO_ROW_TEMPS                                                \
    }
#define TEMP_INPUTS                                                            \
    {                                                                          \
        .kind = MICRO_ROW_TEMP_INPUTS                                          \
    }
#define NO_TEMPS END
#define TEMP(operand_)                                                         \
    {                                                                          \
        .kind = MICRO_ROW_TEMP, .operand = (operand_)                          \
    }
#define TEMP_IF(condition, operand_)                                           \
    {                                                                          \
        .kind = MICRO_ROW_TEMP, .operand = (operand_),                         \
        .when = micro_when_##condition                                         \
    }
#define REFUSE(condition)                                                      \
    {                                                                          \
        .kind = MICRO_ROW_REFUSE, .when = micro_when_##condition               \
    }
#define DEMAND(kind_, operand_, argument_)                                     \
    {                                                                          \
        .kind = MICRO_ROW_##kind_, .operand = (operand_),                      \
        .argument = (argument_)                                                \
    }
#define ONLY(operand, types)      DEMAND(ONLY, operand, types)
#define ALIKE(operand, other)     DEMAND(ALIKE, operand, other)
#define CONSTANT(operand)         DEMAND(CONSTANT, operand, 0)
#define PRESENT(operand)          DEMAND(PRESENT, operand, 0)
#define MOST_AXES(operand, count) DEMAND(MOST_AXES, operand, count)
#define BIT(type)                 (UINT32_C(1) << BERTH_##type)
#define F32                       BIT(FLOAT32)
#define I8                        BIT(INT8)
#define I16                       BIT(INT16)
#define I32                       BIT(INT32)
#define I64                       BIT(INT64)
#define U8                        BIT(UINT8)
#define BOOLEAN                   BIT(BOOL)
#define KEEP(unit, name, operand, argument)                                    \
    ROW(KEEP, NULL, unit, name, operand, argument, NULL)
#define KEEP_IF(condition, unit, name, operand, argument)                      \
    ROW(KEEP, micro_when_##condition, unit, name, operand, argument, NULL)
#define KEEP_EACH(count, unit, name, operand, argument)                        \
    ROW(KEEP, NULL, unit, name, operand, argument, micro_amount_##count)
#define KEEP_EACH_IF(condition, count, unit, name, operand, argument)          \
    ROW(KEEP, micro_when_##condition, unit, name, operand, argument,           \
        micro_amount_##count)
#define VARIABLE(unit, name, operand, argument)                                \
    ROW(VARIABLE, NULL, unit, name, operand, argument, NULL)
#define SCRATCH(unit, name, operand, argument)                                 \
    ROW(SCRATCH, NULL, unit, name, operand, argument, NULL)
#define SCRATCH_IF(condition, unit, name, operand, argument)                   \
    ROW(SCRATCH, micro_when_##condition, unit, name, operand, argument, NULL)
#define SCRATCH_SOME(unit, name, operand, argument)                            \
    ROW(SCRATCH_SOME, NULL, unit, name, operand, argument, NULL)
#define END                                                                    \
    {                                                                          \
        .kind = MICRO_ROW_END                                                  \
    }

#define MICRO_KERNEL(name, init_, ...)                                         \
    {.code = MICRO_CODE_##name,                                                \
     .init = init_,                                                            \
     .rows = (const micro_row[]){__VA_ARGS__, END}},
/* With rows that belong to Init: so many, the first ones. */
#define MICRO_KERNEL_INIT(name, init_, init_rows_, ...)                        \
    {.code = MICRO_CODE_##name,                                                \
     .init = init_,                                                            \
     .init_rows = (init_rows_),                                                \
     .rows = (const micro_row[]){__VA_ARGS__, END}},

static const micro_kernel reference_kernels[] = {
#include "micro/reference.def"
};

static const micro_kernel cmsis_nn_kernels[] = {
#include "micro/cmsis_nn.def"
};

/* One row of CMSIS-NN 7.0.0 (2024-11) is not that of 2026.06. */
static const micro_kernel cmsis_nn_7_kernels[] = {MICRO_KERNEL(
    CONV_2D, EVERY(60), REFUSE(other_weights), TEMP(IN(0)), TEMP(IN(1)),
    TEMP(OUT(0)), KEEP_IF(integer_in, 4, dim, IN(1), 0),
    KEEP_IF(integer_in, 4, dim, IN(1), 0), TEMP(IN(0)), TEMP(IN(1)),
    TEMP(IN(2)), TEMP(OUT(0)), SCRATCH_SOME(1, cmsis_conv_7, 0, 0))};

static const micro_kernel esp_nn_kernels[] = {
#include "micro/esp_nn.def"
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CORE(name)   (1u << MICRO_CORE_##name)
#define ABI(name)    (1u << MICRO_##name)
#define ANY          UINT32_MAX

/* Newest first within a name. */
static const berth_micro_kernels reference_2026_08 = {
    .name = "reference",
    .version = "2026.08",
    .help = "TFLM's own portable kernels (tflite-micro 90b983c)",
    .kernels = reference_kernels,
    .kernel_count = COUNT(reference_kernels),
    .cores = ANY,
    .abis = ANY,
    .structs = &structs_2026_08,
};

static const berth_micro_kernels cmsis_nn_2026_06 = {
    .name = "cmsis-nn",
    .version = "2026.06",
    .help = "CMSIS-NN 4ab83cc in tflite-micro 90b983c",
    .base = &reference_2026_08,
    .kernels = cmsis_nn_kernels,
    .kernel_count = COUNT(cmsis_nn_kernels),
    .cores = CORE(C) | CORE(DSP) | CORE(MVE),
    .abis = ABI(X32) | ABI(ARM) | ABI(ILP32),
    .structs = &structs_2026_08,
};

static const berth_micro_kernels cmsis_nn_7 = {
    .name = "cmsis-nn",
    .version = "7.0.0",
    .help = "CMSIS-NN 7.0.0 (2024-11) in tflite-micro 90b983c",
    .base = &cmsis_nn_2026_06,
    .kernels = cmsis_nn_7_kernels,
    .kernel_count = COUNT(cmsis_nn_7_kernels),
    .cores = CORE(C) | CORE(DSP) | CORE(MVE),
    .abis = ABI(X32) | ABI(ARM) | ABI(ILP32),
    .structs = &structs_2026_08,
};

static const berth_micro_kernels esp_nn_1_2 = {
    .name = "esp-nn",
    .version = "1.2.3",
    .help = "ESP-NN 1.2.3 in esp-tflite-micro 1.4.0, from its sources",
    .base = &reference_2026_08,
    .kernels = esp_nn_kernels,
    .kernel_count = COUNT(esp_nn_kernels),
    .cores = CORE(ESP) | CORE(ESP_S3),
    .abis = ABI(ILP32),
    .structs = &structs_2026_08,
};

static const berth_micro_kernels *const sets[] = {
    &reference_2026_08,
    &cmsis_nn_2026_06,
    &cmsis_nn_7,
    &esp_nn_1_2,
};

static const berth_micro_target targets[] = {
    {"x86-64", "64-bit x86 Linux, the newest source", MICRO_X64, MICRO_CORE_C},
    {"x86-32", "32-bit x86 Linux (-m32)", MICRO_X32, MICRO_CORE_C},
    {"m0", "Cortex-M0", MICRO_ARM, MICRO_CORE_C},
    {"m0plus", "Cortex-M0+", MICRO_ARM, MICRO_CORE_C},
    {"m3", "Cortex-M3", MICRO_ARM, MICRO_CORE_C},
    {"m4", "Cortex-M4", MICRO_ARM, MICRO_CORE_DSP},
    {"m7", "Cortex-M7", MICRO_ARM, MICRO_CORE_DSP},
    {"m23", "Cortex-M23", MICRO_ARM, MICRO_CORE_C},
    {"m33", "Cortex-M33 with the DSP extension", MICRO_ARM, MICRO_CORE_DSP},
    {"m33-nodsp", "Cortex-M33 without it", MICRO_ARM, MICRO_CORE_C},
    {"m52", "Cortex-M52 with Helium", MICRO_ARM, MICRO_CORE_MVE},
    {"m55", "Cortex-M55 with Helium", MICRO_ARM, MICRO_CORE_MVE},
    {"m85", "Cortex-M85 with Helium", MICRO_ARM, MICRO_CORE_MVE},
    {"rp2040", "Raspberry Pi Pico (Cortex-M0+)", MICRO_ARM, MICRO_CORE_C},
    {"rp2350", "Raspberry Pi Pico 2 (Cortex-M33)", MICRO_ARM, MICRO_CORE_DSP},
    {"esp32", "ESP32 (Xtensa LX6)", MICRO_ILP32, MICRO_CORE_ESP},
    {"esp32s2", "ESP32-S2 (Xtensa LX7)", MICRO_ILP32, MICRO_CORE_ESP},
    {"esp32s3", "ESP32-S3 (Xtensa LX7)", MICRO_ILP32, MICRO_CORE_ESP_S3},
    {"esp32c3", "ESP32-C3 (RISC-V)", MICRO_ILP32, MICRO_CORE_ESP},
    {"esp32c6", "ESP32-C6 (RISC-V)", MICRO_ILP32, MICRO_CORE_ESP},
    {"esp32p4", "ESP32-P4 (RISC-V)", MICRO_ILP32, MICRO_CORE_ESP_P4},
    {"riscv32", "any 32-bit RISC-V", MICRO_ILP32, MICRO_CORE_C},
    {"pypi", "the tflite-micro package from PyPI, 0.dev20261023", MICRO_WHEEL,
     MICRO_CORE_C},
};

uint32_t berth_micro_target_count(void)
{
    return COUNT(targets);
}

const berth_micro_target *berth_micro_target_at(uint32_t index)
{
    return index < COUNT(targets) ? &targets[index] : NULL;
}

static bool is_text(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; ++i) {
        if (a[i] != b[i] || a[i] == '\0') {
            return false;
        }
    }
    return a[length] == '\0';
}

static size_t length_of(const char *text, char stop)
{
    size_t length = 0;
    while (text[length] != '\0' && text[length] != stop) {
        ++length;
    }
    return length;
}

const berth_micro_target *berth_micro_target_find(const char *name)
{
    for (uint32_t i = 0; i < COUNT(targets); ++i) {
        if (is_text(targets[i].name, name, length_of(name, '\0'))) {
            return &targets[i];
        }
    }
    return NULL;
}

const char *berth_micro_target_name(const berth_micro_target *target)
{
    return target->name;
}

const char *berth_micro_target_help(const berth_micro_target *target)
{
    return target->help;
}

uint32_t berth_micro_kernels_count(void)
{
    return COUNT(sets);
}

const berth_micro_kernels *berth_micro_kernels_at(uint32_t index)
{
    return index < COUNT(sets) ? sets[index] : NULL;
}

const berth_micro_kernels *berth_micro_kernels_find(const char *name)
{
    const size_t length = length_of(name, '@');
    const char *version = name[length] == '@' ? name + length + 1 : NULL;
    for (uint32_t i = 0; i < COUNT(sets); ++i) {
        if (is_text(sets[i]->name, name, length) &&
            (version == NULL ||
             is_text(sets[i]->version, version, length_of(version, '\0')))) {
            return sets[i];
        }
    }
    return NULL;
}

const char *berth_micro_kernels_name(const berth_micro_kernels *kernels)
{
    return kernels->name;
}

const char *berth_micro_kernels_version(const berth_micro_kernels *kernels)
{
    return kernels->version;
}

const char *berth_micro_kernels_help(const berth_micro_kernels *kernels)
{
    return kernels->help;
}

bool berth_micro_kernels_serve(const berth_micro_kernels *kernels,
                               const berth_micro_target *target)
{
    return (kernels->cores >> target->core & 1u) != 0 &&
           (kernels->abis >> target->abi & 1u) != 0;
}
