/* base_int.h: the habit of every module's .c files: say what failed. */
#ifndef BERTH_BASE_INT_H
#define BERTH_BASE_INT_H

#include "berth/base.h"

/* Fills diag, if wanted, with `what` and nothing else; returns status. */
static inline berth_status berth_refuse(berth_diag *diag, berth_status status,
                                        const char *what)
{
    if (diag != NULL) {
        *diag = berth_diag_none();
        diag->what = what;
    }
    return status;
}

/* The bytes still free in lent memory. */
static inline size_t berth_work_room(const berth_work *work)
{
    return work->next == NULL ? 0 : (size_t)(work->end - work->next);
}

/* NO_SPACE, with the number that helps, unless needed bytes are there. */
static inline berth_status berth_work_check(const berth_work *work,
                                            size_t needed, berth_diag *diag)
{
    if (berth_work_room(work) >= needed) {
        return BERTH_OK;
    }
    (void)berth_refuse(diag, BERTH_NO_SPACE, "lent memory is too small");
    if (diag != NULL) {
        diag->needed_bytes = needed;
        diag->limit_bytes = berth_work_room(work);
    }
    return BERTH_NO_SPACE;
}

#endif
