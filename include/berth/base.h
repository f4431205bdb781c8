/* berth/base.h: what every module shares: status, diagnosis, byte spans and
 * lent memory.
 *
 * berth's core never allocates. A call that needs memory has a twin ending in
 * _bytes() that tells how much; the caller lends at least that much as a
 * berth_work. Passed by value, a berth_work is scratch: what is taken is given
 * back when the call returns. Passed by address, what is taken is kept until
 * the caller takes the memory away.
 *
 *     size_t need = 0;
 *     berth_status s = berth_graph_bytes(model, &need, &diag);
 *     void *memory = malloc(need);
 *     berth_work work = berth_work_of(memory, need);
 *     s = berth_graph_init(model, &work, &graph, &diag);
 *
 * Nothing here keeps hidden state; all functions may run in any thread. */
#ifndef BERTH_BASE_H
#define BERTH_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BERTH_VERSION "0.1.0"

/* "No such index", for tensors, operators, subgraphs and items. */
#define BERTH_NONE UINT32_MAX

/* "No such place in the file", and "no number can be given". */
#define BERTH_NOWHERE UINT64_MAX

#if defined(__GNUC__)
#define BERTH_MUST_USE __attribute__((warn_unused_result))
#else
#define BERTH_MUST_USE
#endif

/* Each status is advice to the caller; the text says which. */
#define BERTH_STATUS_TABLE(X)                                                  \
    X(OK, "ok")                                                                \
    X(BAD_ARG, "the caller broke the contract; fix the call")                  \
    X(BAD_MODEL, "the model's bytes are damaged; get the file again")          \
    X(UNSUPPORTED, "sound, but this build cannot serve it")                    \
    X(NO_SPACE, "the memory lent is too small; lend needed_bytes")             \
    X(MISALIGNED, "the memory lent does not start at the asked alignment")     \
    X(TOO_LARGE, "a size does not fit this machine's size type")               \
    X(TOO_MANY_STEPS, "flattened, the schedule is longer than the limit")      \
    X(UNBOUNDED, "a tensor's size depends on values; no number can be given")  \
    X(UNSOUND, "the plan lets live bytes be overwritten")                      \
    X(BAD_DATA, "a value that was fed in is one the operator cannot take")     \
    X(BUSY, "another thread is in this engine; give each thread its own")      \
    X(STALE, "a shape has changed; plan again before running")                 \
    X(CANCELLED, "the caller asked to stop")                                   \
    X(INTERNAL, "an invariant of berth broke; please report it")

typedef enum berth_status {
#define BERTH_STATUS_ENUM(name, text) BERTH_##name,
    BERTH_STATUS_TABLE(BERTH_STATUS_ENUM)
#undef BERTH_STATUS_ENUM
        BERTH_STATUS_COUNT
} berth_status;

/* Returns from the caller with the status of a call that failed; the deepest
 * frame has filled the diag. */
#define BERTH_TRY(expr)                                                        \
    do {                                                                       \
        const berth_status try_status_ = (expr);                               \
        if (try_status_ != BERTH_OK) {                                         \
            return try_status_;                                                \
        }                                                                      \
    } while (0)

/* "NO_SPACE" and the advice of a status. Static text, never NULL. */
const char *berth_status_name(berth_status status);
const char *berth_status_text(berth_status status);

/* What failed first, and where; filled once, by the deepest frame. Every
 * function takes it as an optional last argument (NULL: not wanted). Fields
 * that do not apply hold BERTH_NONE or BERTH_NOWHERE; `op` and `tensor` count
 * within `subgraph`. */
typedef struct berth_diag {
    const char *what; /* static text, never freed; "" when nothing failed */
    uint32_t subgraph;
    uint32_t op;
    uint32_t tensor;
    uint32_t other;        /* a second tensor, where two are concerned */
    uint32_t step;         /* step of the schedule */
    uint64_t file_offset;  /* bytes from the start of the model */
    uint64_t needed_bytes; /* what would have been enough, or was asked */
    uint64_t limit_bytes;  /* what there was */
} berth_diag;

/* A diag in which nothing has failed. */
berth_diag berth_diag_none(void);

/* Bytes that somebody else owns. */
typedef struct berth_bytes {
    const uint8_t *data;
    size_t size;
} berth_bytes;

/* Memory lent by the caller. */
typedef struct berth_work {
    uint8_t *next;
    uint8_t *end;
} berth_work;

berth_work berth_work_of(void *memory, size_t size_bytes);

/* Takes count items of item_bytes each; NULL when they do not fit or the
 * product wraps, and then `work` is unchanged. align_bytes is a power of two.
 * The bytes taken are not cleared. */
void *berth_work_take(berth_work *work, size_t count, size_t item_bytes,
                      size_t align_bytes);

#define BERTH_TAKE(work, type, count)                                          \
    ((type *)berth_work_take((work), (count), sizeof(type), _Alignof(type)))

/* Adds to *total what a BERTH_TAKE of that size can use at most, whatever the
 * position of `next` (alignment included). False when the sum wraps; a chain
 * of these is how each _bytes() twin is written. */
bool berth_work_need(size_t *total, size_t count, size_t item_bytes,
                     size_t align_bytes);

#define BERTH_NEED(total, type, count)                                         \
    berth_work_need((total), (count), sizeof(type), _Alignof(type))

/* Checked arithmetic for every number that comes from outside: false on wrap,
 * and then *out is unchanged. align is a power of two. */
bool berth_add_u64(uint64_t a, uint64_t b, uint64_t *out);
bool berth_mul_u64(uint64_t a, uint64_t b, uint64_t *out);
bool berth_round_up_u64(uint64_t value, uint64_t align, uint64_t *out);

#ifdef __cplusplus
}
#endif
#endif
