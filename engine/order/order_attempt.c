#include "order/order_attempt.h"
#include "base/minmax.h"

#include <stdlib.h>
#include <string.h>

/* A set at which the search branched. */
struct frame {
    uint32_t done;         /* operators in it */
    uint32_t next, end;    /* of `branches`: the next to try, and behind the last */
};
struct branch {
    uint64_t after, during;
    uint32_t op;
};
struct sw_order_attempt {
    struct sw_order_aim aim;
    struct sw_order_state state;
    SW_ARRAY(struct frame) frames;
    SW_ARRAY(struct branch) branches;
    struct sw_order_print *known; /* a hash table of sets that were opened; both words 0: free */
    size_t known_count, known_room;
    uint32_t level;   /* waypoints passed */
    bool opened;      /* the state was entered and not looked at */
    uint64_t least, states;
    uint32_t segment[SW_ORDER_MOST_LOOKS];
};

struct sw_order_attempt *sw_order_attempt_new(const struct sw_order_aim *aim) {
    struct sw_order_attempt *attempt = SW_NEW_ZERO(struct sw_order_attempt, 1);
    if (attempt && !sw_order_state_init(&attempt->state, aim->graph)) {
        SW_FREE(attempt, 1);
        return NULL;
    }
    if (attempt) {
        attempt->aim = *aim;
        attempt->opened = true;
        attempt->least = UINT64_MAX;
    }
    return attempt;
}

void sw_order_attempt_free(struct sw_order_attempt *attempt) {
    if (attempt) {
        sw_order_state_done(&attempt->state);
        SW_ARRAY_DONE(&attempt->frames);
        SW_ARRAY_DONE(&attempt->branches);
        SW_FREE(attempt->known, attempt->known_room);
        SW_FREE(attempt, 1);
    }
}

const struct sw_order_state *sw_order_attempt_state(const struct sw_order_attempt *attempt) {
    return &attempt->state;
}
uint64_t sw_order_attempt_least(const struct sw_order_attempt *attempt) {
    return attempt->least;
}
uint64_t sw_order_attempt_states(const struct sw_order_attempt *attempt) {
    return attempt->states;
}

/* ---- sets that were opened ---- */

/* Where a set stands in the table, or would. There is a free place. */
static size_t place_of(const struct sw_order_print *known, size_t room, struct sw_order_print print) {
    size_t at = (size_t)print.a & (room - 1);
    while ((known[at].a | known[at].b) != 0 && (known[at].a != print.a || known[at].b != print.b)) {
        at = (at + 1) & (room - 1);
    }
    return at;
}

static bool is_known(const struct sw_order_attempt *attempt, struct sw_order_print print) {
    return attempt->known_room > 0 && (print.a | print.b) != 0 &&
           attempt->known[place_of(attempt->known, attempt->known_room, print)].a == print.a;
}

static enum sw_order_outcome grow_known(struct sw_order_attempt *attempt) {
    size_t room = attempt->known_room ? 2 * attempt->known_room : 1024;
    if (room * sizeof *attempt->known > attempt->aim.memory) {
        return SW_ORDER_TOO_LARGE;
    }
    struct sw_order_print *known = SW_NEW_ZERO(struct sw_order_print, room);
    if (!known) {
        return SW_ORDER_NO_MEMORY;
    }
    for (size_t i = 0; i < attempt->known_room; i++) {
        if ((attempt->known[i].a | attempt->known[i].b) != 0) {
            known[place_of(known, room, attempt->known[i])] = attempt->known[i];
        }
    }
    SW_FREE(attempt->known, attempt->known_room);
    attempt->known = known;
    attempt->known_room = room;
    return SW_ORDER_GOES_ON;
}

static enum sw_order_outcome remember(struct sw_order_attempt *attempt) {
    struct sw_order_print print = attempt->state.print;
    enum sw_order_outcome outcome =
        attempt->known_count * 3 >= attempt->known_room * 2 ? grow_known(attempt) : SW_ORDER_GOES_ON;
    if (outcome == SW_ORDER_GOES_ON && (print.a | print.b) != 0) { /* the empty set is met once only */
        attempt->known[place_of(attempt->known, attempt->known_room, print)] = print;
        attempt->known_count++;
    }
    return outcome;
}

/* ---- decisions ---- */

static bool may(const struct sw_order_attempt *attempt, uint32_t op) {
    return !attempt->aim.level || attempt->aim.level[op] <= attempt->level;
}

/* An operator that may run at once; of several the one that frees most, then the first of the file. */
static uint32_t safe_move(const struct sw_order_attempt *attempt) {
    const struct sw_order_state *state = &attempt->state;
    uint32_t best = SW_NONE;
    uint64_t least = 0;
    for (uint32_t i = 0; i < state->ready_count; i++) {
        uint32_t op = state->ready[i];
        uint64_t after = sw_order_state_after(state, op);
        if (after <= state->live && sw_order_state_during(state, op) <= attempt->aim.threshold && may(attempt, op) &&
            (best == SW_NONE || after < least || (after == least && op < best))) {
            best = op;
            least = after;
        }
    }
    return best;
}

static int by_worth(const void *x, const void *y) {
    const struct branch *a = x, *b = y;
    if (a->after != b->after) {
        return a->after < b->after ? -1 : 1;
    }
    return a->during != b->during ? (a->during < b->during ? -1 : 1) : (a->op > b->op) - (a->op < b->op);
}

/* All that may run next, as a frame. */
static enum sw_order_outcome branch(struct sw_order_attempt *attempt, struct sw_order_event *event) {
    const struct sw_order_state *state = &attempt->state;
    uint32_t from = (uint32_t)attempt->branches.count, refused = 0;
    for (uint32_t i = 0; i < state->ready_count; i++) {
        uint32_t op = state->ready[i];
        uint64_t during = sw_order_state_during(state, op);
        if (!may(attempt, op)) {
            continue;
        }
        if (during > attempt->aim.threshold) {
            attempt->least = SW_MIN(attempt->least, during);
            refused++;
        } else if (!SW_PUSH(&attempt->branches, (struct branch){sw_order_state_after(state, op), during, op})) {
            return SW_ORDER_NO_MEMORY;
        }
    }
    uint32_t end = (uint32_t)attempt->branches.count;
    if (!SW_PUSH(&attempt->frames, (struct frame){state->done, from, end})) {
        return SW_ORDER_NO_MEMORY;
    }
    if (end > from) {
        qsort(attempt->branches.items + from, end - from, sizeof *attempt->branches.items, by_worth);
    }
    event->kind = end > from ? SW_ORDER_EVENT_BRANCH : SW_ORDER_EVENT_PRUNE;
    event->why = SW_ORDER_NOTHING_FITS;
    event->count = end - from;
    event->refused = refused;
    event->operator_ = end > from ? attempt->branches.items[from].op : SW_NONE;
    return SW_ORDER_GOES_ON;
}

/* A waypoint is reached: what lies before it need not be looked at again. */
static void pass_waypoints(struct sw_order_attempt *attempt) {
    while (attempt->level < attempt->aim.cut_count && attempt->state.done == attempt->aim.cuts[attempt->level]) {
        attempt->level++;
        attempt->frames.count = attempt->branches.count = 0;
        attempt->least = UINT64_MAX;
    }
}

/* Look at a state that was entered. */
static enum sw_order_outcome open_state(struct sw_order_attempt *attempt, struct sw_order_event *event) {
    pass_waypoints(attempt);
    if (attempt->state.done == attempt->aim.graph->operator_count) {
        return SW_ORDER_GOAL;
    }
    uint32_t move = attempt->aim.no_safe_moves ? SW_NONE : safe_move(attempt), length = 0;
    if (move != SW_NONE) {
        sw_order_state_run(&attempt->state, move);
        event->kind = SW_ORDER_EVENT_SAFE;
        event->operator_ = move;
        event->count = 1;
        return SW_ORDER_GOES_ON;
    }
    if (is_known(attempt, attempt->state.print)) {
        attempt->opened = false;
        event->kind = SW_ORDER_EVENT_PRUNE;
        event->why = SW_ORDER_KNOWN;
        return SW_ORDER_GOES_ON;
    }
    if (attempt->states >= attempt->aim.budget) {
        return SW_ORDER_BUDGET;
    }
    attempt->states++;
    enum sw_order_outcome outcome = remember(attempt);
    if (outcome != SW_ORDER_GOES_ON) {
        return outcome;
    }
    if (attempt->aim.look > 1 && attempt->state.ready_count > 1) {
        length = sw_order_safe_segment(&attempt->state, attempt->aim.threshold, attempt->aim.level, attempt->level,
                                       SW_MIN(attempt->aim.look, SW_ORDER_MOST_LOOKS), attempt->segment);
    }
    if (length == 0) {
        attempt->opened = false;
        return branch(attempt, event);
    }
    for (uint32_t i = 0; i < length; i++) {
        sw_order_state_run(&attempt->state, attempt->segment[i]);
    }
    event->kind = SW_ORDER_EVENT_SAFE;
    event->operator_ = attempt->segment[0];
    event->count = length;
    return SW_ORDER_GOES_ON;
}

enum sw_order_outcome sw_order_attempt_step(struct sw_order_attempt *attempt, struct sw_order_event *event) {
    if (attempt->opened) {
        return open_state(attempt, event);
    }
    if (attempt->frames.count == 0) {
        return SW_ORDER_EXHAUSTED;
    }
    struct frame *top = &attempt->frames.items[attempt->frames.count - 1];
    while (attempt->state.done > top->done) {
        sw_order_state_back(&attempt->state);
    }
    while (top->next < top->end) {
        uint32_t op = attempt->branches.items[top->next++].op;
        if (!is_known(attempt, sw_order_print_with(&attempt->state, op))) {
            sw_order_state_run(&attempt->state, op);
            attempt->opened = true;
            event->kind = SW_ORDER_EVENT_RUN;
            event->operator_ = op;
            return SW_ORDER_GOES_ON;
        }
    }
    attempt->frames.count--;
    attempt->branches.count = attempt->frames.count ? attempt->frames.items[attempt->frames.count - 1].end : 0;
    event->kind = SW_ORDER_EVENT_PRUNE;
    event->why = SW_ORDER_ALL_TRIED;
    return SW_ORDER_GOES_ON;
}
