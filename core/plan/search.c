/* The search itself: depth first, with a stack of decisions, each of which has
 * two sides. Where shapes are strange they are those of search_knot.c, else:
 *
 * Plans in which nothing can sink, built from below: of the classes that may
 * lie lowest one is chosen; it is placed there, or, when that has failed, it is
 * not. A failure that does not concern the component in which a decision was
 * made would be met with the other choice too: that decision is skipped. */
#include "plan/search_int.h"

/* What a decision costs beyond what it touches. */
#define SEARCH_NODE_EFFORT 64u

/* Steps of failure, in which component it lies. */
typedef struct search_fault {
    uint32_t born;
    uint32_t dead;
} search_fault;

static void count_node(search_world *world)
{
    ++world->nodes;
    world->effort += SEARCH_NODE_EFFORT + world->words;
}

static search_fault fault_of(const search_world *world)
{
    const search_class *kind = &world->kind[world->failed];
    return (search_fault){kind->born, kind->dead};
}

/* The next decision; SEARCH_LATER: there is one. */
static search_answer choose(search_world *world, search_frame *frame)
{
    bool stuck = false;
    if (world->strange) {
        *frame = (search_frame){.dead = UINT32_MAX};
        return plan_search_knot(world, frame) ? SEARCH_LATER : SEARCH_FOUND;
    }
    frame->item = plan_search_pick(world, &frame->born, &frame->dead, &stuck);
    if (!stuck) {
        return frame->item == BERTH_NONE ? SEARCH_FOUND : SEARCH_LATER;
    }
    /* All rest on one another. Where distances may be 0, so they can. */
    world->doubtful |= world->problem->link_count > 0;
    return SEARCH_NONE;
}

/* Decides once more; SEARCH_LATER: it went well. */
static search_answer decide(search_world *world, search_fault *fault)
{
    search_frame frame = {.refused = false};
    const search_answer answer = choose(world, &frame);
    *fault = (search_fault){frame.born, frame.dead};
    if (answer != SEARCH_LATER) {
        return answer;
    }
    if (world->depth == world->frame_room) {
        world->full = true;
        return SEARCH_NONE;
    }
    frame.noted = world->note_count;
    world->frame[world->depth++] = frame;
    world->here = frame.item;
    count_node(world);
    if (world->strange ? plan_search_untie(world)
                       : plan_search_place(world, frame.item)) {
        return SEARCH_LATER;
    }
    if (!world->strange) {
        *fault = fault_of(world);
    }
    return SEARCH_NONE;
}

/* Goes back to the last decision that can be turned, and turns it. False: there
 * is none left. */
static bool turn_back(search_world *world, search_fault fault)
{
    const bool parts = (world->rules & SEARCH_RULE_PARTS) != 0;
    while (world->depth > 0 && !world->full) {
        search_frame *frame = &world->frame[world->depth - 1];
        const bool concerned =
            !parts || (frame->born < fault.dead && fault.born < frame->dead);
        plan_search_undo(world, frame->noted);
        if (!concerned) {
            --world->depth;
            continue;
        }
        fault = (search_fault){frame->born, frame->dead};
        if (frame->refused) {
            --world->depth;
            continue;
        }
        frame->refused = true;
        world->here = frame->item;
        count_node(world);
        if (world->strange ? plan_search_untie(world)
                           : plan_search_refuse(world, frame->item)) {
            return true;
        }
    }
    return false;
}

search_answer plan_search_begin(search_world *world, int64_t target)
{
    world->here = 0;
    count_node(world);
    return plan_search_reset(world, target) ? SEARCH_LATER : SEARCH_NONE;
}

search_answer plan_search_more(search_world *world, uint64_t nodes)
{
    const uint64_t end = world->nodes + nodes;
    search_answer answer = SEARCH_LATER;
    while (answer == SEARCH_LATER && world->nodes < end) {
        search_fault fault = {0, 0};
        answer = decide(world, &fault);
        if (answer == SEARCH_NONE && turn_back(world, fault)) {
            answer = SEARCH_LATER;
        }
    }
    world->doubtful |= world->full;
    return world->full ? SEARCH_NONE : answer;
}
