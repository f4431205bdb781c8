/* core/ops/contract.c: contracts by operator code, from one table. */
#include "berth/model.h"
#include "berth/op.h"

/* The table's own short words. */
#define VIEW           BERTH_OP_VIEW
#define STATEFUL       BERTH_OP_STATEFUL
#define CONTROL        BERTH_OP_CONTROL
#define DECODES        BERTH_OP_DECODES
#define READS_ENCODED  BERTH_OP_READS_ENCODED
#define UPDATES_0      BERTH_OP_UPDATES_0
#define FOLDS          BERTH_OP_FOLDS
#define LITERT_IN_0    BERTH_LITERT_INPLACE_0
#define LITERT_IN_1    BERTH_LITERT_INPLACE_1
#define LITERT_SAME    BERTH_LITERT_UNMODIFIED
#define LITERT_FOLDS   BERTH_LITERT_FOLDS
#define LITERT_DECODES BERTH_LITERT_DECODES
#define INPUT_0        (1u << 0)
#define INPUT_1        (1u << 1)
#define INPUT_2        (1u << 2)
#define INPUT_3        (1u << 3)
#define ALL_INPUTS     (1u << 31)

static const berth_op_contract contracts[BERTH_OP_CODE_COUNT] = {
#define BERTH_CONTRACT(name, flags, litert, values, inplace)                   \
    [BERTH_OP_##name] = {#name, flags, litert, values, inplace},
#include "contracts.def"
#undef BERTH_CONTRACT
};

/* Who writes code for an unknown operator may keep anything in it. */
static const berth_op_contract unknown = {"UNKNOWN", STATEFUL, 0, 0, 0};

const berth_op_contract *berth_op_contract_of(uint32_t code)
{
    return code < BERTH_OP_CODE_COUNT ? &contracts[code] : &unknown;
}

const char *berth_op_name(uint32_t code)
{
    return berth_op_contract_of(code)->name;
}
