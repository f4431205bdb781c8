/* Dead bytes are filled as they die: a span that has ended gives its bytes,
 * except those that somebody alive stands on (in place, views). Where
 * AddressSanitizer is built in they are shut as well, until the next is born
 * there: then the operator that touches one is the last that runs. */
#include "berth/hosted/run.h"

#include <stdlib.h>
#include <string.h>

#ifdef __has_feature
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define SHUT(at, bytes) ASAN_POISON_MEMORY_REGION(at, bytes)
#define OPEN(at, bytes) ASAN_UNPOISON_MEMORY_REGION(at, bytes)
#else
#define SHUT(at, bytes) ((void)(at), (void)(bytes))
#define OPEN(at, bytes) ((void)(at), (void)(bytes))
#endif

struct berth_poison_span {
    uint32_t born;
    uint32_t dead;
    uint32_t item;
};

static int by_birth(const void *a, const void *b)
{
    const struct berth_poison_span *x = a;
    const struct berth_poison_span *y = b;
    return x->born < y->born ? -1 : x->born > y->born;
}

static berth_span span_of(const berth_problem *problem, uint32_t i, uint32_t k)
{
    const berth_item *item = &problem->items[i];
    return (item->flags & BERTH_ITEM_PINNED) != 0
               ? (berth_span){0, problem->step_count}
               : problem->spans[item->first_span + k];
}

static uint32_t list_spans(const berth_problem *problem,
                           struct berth_poison_span *spans)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < problem->item_count; ++i) {
        const berth_item *item = &problem->items[i];
        for (uint32_t k = 0; item->size > 0 && k < item->span_count; ++k) {
            const berth_span span = span_of(problem, i, k);
            if (spans != NULL) {
                spans[count] =
                    (struct berth_poison_span){span.born, span.dead, i};
            }
            ++count;
        }
    }
    return count;
}

bool berth_poison_begin(berth_port *port, const berth_problem *problem,
                        const berth_plan *plan, uint8_t *region,
                        uint64_t region_bytes, uint8_t fill,
                        berth_poison *poison)
{
    const uint32_t count = list_spans(problem, NULL);
    *poison = (berth_poison){.port = port,
                             .problem = problem,
                             .offset = plan->offset,
                             .region = region,
                             .region_bytes = region_bytes,
                             .fill = fill,
                             .span_count = count};
    if (!berth_block_take(
            port,
            (size_t)count * (sizeof(*poison->spans) + sizeof(uint32_t)) + 1u,
            &poison->block)) {
        return false;
    }
    poison->spans = poison->block.memory;
    poison->alive = (uint32_t *)(poison->spans + count);
    (void)list_spans(problem, poison->spans);
    qsort(poison->spans, count, sizeof(*poison->spans), by_birth);
    return true;
}

/* Fills [low, high) but for what is alive, however many stand there. */
static void fill_between(const berth_poison *poison, uint64_t low,
                         uint64_t high)
{
    while (low < high) {
        uint64_t next = high; /* where somebody alive begins, above low */
        bool held = false;
        for (uint32_t k = 0; k < poison->alive_count && !held; ++k) {
            const uint32_t item = poison->spans[poison->alive[k]].item;
            const uint64_t start = poison->offset[item];
            const uint64_t end = start + poison->problem->items[item].size;
            if (start <= low && low < end) {
                low = end;
                held = true;
            } else if (start > low && start < next) {
                next = start;
            }
        }
        if (!held) {
            uint8_t *at = poison->region + low;
            OPEN(at, (size_t)(next - low)); /* two may die on one place */
            memset(at, poison->fill, (size_t)(next - low));
            SHUT(at, (size_t)(next - low));
            low = next;
        }
    }
}

/* Those that are born up to `step` join; those that are dead leave. */
static void enter_step(berth_poison *poison, uint32_t step)
{
    uint32_t kept = 0;
    uint32_t left = poison->alive_count;
    while (poison->next_span < poison->span_count &&
           poison->spans[poison->next_span].born <= step) {
        const uint32_t item = poison->spans[poison->next_span].item;
        OPEN(poison->region + poison->offset[item],
             (size_t)poison->problem->items[item].size);
        poison->alive[left++] = poison->next_span++;
    }
    /* The dead move behind the living, where their bytes are looked at. */
    for (uint32_t k = 0; k < left; ++k) {
        const uint32_t span = poison->alive[k];
        if (poison->spans[span].dead > step) {
            poison->alive[k] = poison->alive[kept];
            poison->alive[kept++] = span;
        }
    }
    poison->alive_count = kept;
    for (uint32_t k = kept; k < left; ++k) {
        const uint32_t item = poison->spans[poison->alive[k]].item;
        const uint64_t low = poison->offset[item];
        fill_between(poison, low, low + poison->problem->items[item].size);
    }
}

void berth_poison_rewind(berth_poison *poison)
{
    poison->next_step = 0;
    poison->next_span = 0;
    poison->alive_count = 0;
    while (poison->next_span < poison->span_count &&
           poison->spans[poison->next_span].born == 0) {
        poison->alive[poison->alive_count++] = poison->next_span++;
    }
    fill_between(poison, 0, poison->region_bytes);
}

void berth_poison_before(void *self, const berth_engine_event *event)
{
    berth_poison *poison = self;
    if (poison->next_step <= event->step) {
        /* Steps that are jumped over have no say: what EXIT reads is alive,
         * though the body that was not run would have let it die. */
        enter_step(poison, event->step);
        poison->next_step = event->step + 1u;
    } else if (event->step + 1u < poison->next_step) {
        /* A loop's next turn: what died in the last one is written anew. */
        berth_poison_lift(poison);
    }
}

void berth_poison_lift(berth_poison *poison)
{
    OPEN(poison->region, (size_t)poison->region_bytes);
}

void berth_poison_end(berth_poison *poison)
{
    berth_poison_lift(poison);
    berth_block_give(poison->port, &poison->block);
    *poison = (berth_poison){0};
}
