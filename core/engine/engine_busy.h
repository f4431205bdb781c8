/* engine_busy.h: one thread at a time, in every build.
 *
 * Where the machine can exchange a byte at one go, that is how the second
 * caller is found out. The smallest cores (ARMv6-M) cannot; they have one core
 * only, where an interrupt that comes between the look and the note runs to its
 * end before the look goes on, so that it is told apart all the same. Between
 * threads of a scheduler that preempts, those few cycles stay open there. */
#ifndef BERTH_ENGINE_BUSY_H
#define BERTH_ENGINE_BUSY_H

#include "engine_int.h"

static inline bool engine_busy_take(uint8_t *busy)
{
#if defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_1)
    return __atomic_exchange_n(busy, 1u, __ATOMIC_ACQUIRE) == 0;
#else
    if (__atomic_load_n(busy, __ATOMIC_ACQUIRE) != 0) {
        return false;
    }
    __atomic_store_n(busy, 1u, __ATOMIC_RELEASE);
    return true;
#endif
}

static inline berth_status engine_enter(berth_engine *engine, berth_diag *diag)
{
    return engine_busy_take(&engine->busy)
               ? BERTH_OK
               : berth_refuse(diag, BERTH_BUSY, "another is in this engine");
}

/* Returns status, so that a call may end with it. */
static inline berth_status engine_leave(berth_engine *engine,
                                        berth_status status)
{
    __atomic_store_n(&engine->busy, 0u, __ATOMIC_RELEASE);
    return status;
}

#endif
