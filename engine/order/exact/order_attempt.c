#include "order/exact/order_attempt.h"
#include "base/base.h"
#include "base/described.h"
#include "base/sort.h"

/* A set at which the search branched. */
struct attempt_frame {
    uint32_t done;      /* operators in it */
    uint32_t next, end; /* of `branches`: the next to try, and behind the last */
};
struct branch {
    uint64_t after, during;
    uint32_t op;
};
/* Sets in the order in which they were opened, and a hash table of their places there (1 is the first; 0: free). A copy
 * of an attempt goes the same way as long as no choice is forced on it, so all copies share the sets, and each knows
 * how many of them are its own. One that opens another set than the next one listed takes a list of its own. */
struct known {
    size_t owners;
    SW_ARRAY(struct sw_order_print) sets;
    uint32_t *places;
    size_t room; /* of the table: a power of 2, or 0 */
};
/* How hard to look for safe segments: in some graphs there are many, in others none, and a look costs more than all
 * else. */
struct effort {
    uint32_t look;          /* sets to look at; at most the aim's */
    uint32_t looked, found; /* looks since the effort changed, and segments that they found */
};
struct sw_order_attempt {
    struct sw_order_aim aim;
    struct sw_order_state state;
    SW_ARRAY(struct attempt_frame) frames;
    SW_ARRAY(struct branch) branches;
    struct known *known; /* sets that were opened; shared by the copies of an attempt */
    size_t known_count;  /* those of them that this attempt opened: the first ones */
    uint32_t level;      /* waypoints passed */
    bool opened;         /* the state was entered and not looked at */
    struct effort effort;
    uint64_t least, states;
    uint32_t segment[SW_ORDER_MOST_LOOKS];
};

static void drop_known(void *of) {
    struct known *known = of;
    if (--known->owners == 0) {
        SW_ARRAY_DONE(&known->sets);
        SW_FREE(known->places, known->room);
        SW_FREE(known, 1);
    }
}

static bool copy_state(void *to, const void *from) {
    bool good = sw_order_state_init(to, ((const struct sw_order_state *)from)->graph);
    if (good) {
        sw_order_state_copy(to, from);
    }
    return good;
}

static void end_state(void *of) {
    sw_order_state_done(of);
}

static const struct sw_pointed known_pointed = {.drop = drop_known};
static const struct sw_described state_described = {
    .size = sizeof(struct sw_order_state), .copy = copy_state, .done = end_state};
#define STATE struct sw_order_attempt
static const struct sw_described attempt_described = {
    SW_STRUCT,
    .fields = SW_FIELDS(SW_KEPT(aim, aim), SW_PART(state, &state_described), SW_LIST(frames), SW_LIST(branches),
                        SW_POINTER(known, &known_pointed), SW_KEPT(known_count, states), SW_SCRATCH(segment, segment))};
#undef STATE

struct sw_order_attempt *sw_order_attempt_new(const struct sw_order_aim *aim) {
    struct sw_order_attempt *attempt = SW_NEW_ZERO(struct sw_order_attempt, 1);
    if (!attempt) {
        return NULL;
    }
    attempt->aim = *aim;
    attempt->opened = true;
    attempt->least = UINT64_MAX;
    attempt->effort.look = SW_MIN(aim->look, SW_ORDER_MOST_LOOKS);
    attempt->known = SW_NEW_ZERO(struct known, 1);
    if (attempt->known) {
        attempt->known->owners = 1;
    }
    if (!attempt->known || !sw_order_state_init(&attempt->state, aim->graph)) {
        sw_order_attempt_free(attempt);
        return NULL;
    }
    return attempt;
}

struct sw_order_attempt *sw_order_attempt_clone(const struct sw_order_attempt *from) {
    return sw_described_clone(&attempt_described, from);
}

void sw_order_attempt_borrow(struct sw_order_attempt *attempt, const struct sw_order_aim *aim) {
    attempt->aim.graph = aim->graph;
    attempt->aim.cuts = aim->cuts;
    attempt->aim.level = aim->level;
}

void sw_order_attempt_free(struct sw_order_attempt *attempt) {
    sw_described_close(&attempt_described, attempt);
}

const struct sw_order_state *sw_order_attempt_state(const struct sw_order_attempt *attempt) {
    return &attempt->state;
}
SW_GETTER(uint64_t, sw_order_attempt_least, sw_order_attempt, least)
SW_GETTER(uint64_t, sw_order_attempt_states, sw_order_attempt, states)

/* ---- sets that were opened ---- */

/* Where a set stands in the table, or would. There is a free place. */
static size_t place_of_set(const struct known *known, struct sw_order_print print) {
    size_t at = (size_t)print.a & (known->room - 1);
    while (known->places[at] != 0) {
        const struct sw_order_print *here = &known->sets.items[known->places[at] - 1];
        if (sw_order_print_is(*here, print)) {
            break;
        }
        at = (at + 1) & (known->room - 1);
    }
    return at;
}

static bool is_set_known(const struct sw_order_attempt *attempt, struct sw_order_print print) {
    const struct known *known = attempt->known;
    if (known->room == 0) {
        return false;
    }
    uint32_t place = known->places[place_of_set(known, print)];
    return place != 0 && place <= attempt->known_count;
}

/* A larger table. */
static bool grow_known(struct known *known) {
    size_t room = known->room ? 2 * known->room : 1024;
    uint32_t *places = SW_NEW_ZERO(uint32_t, room);
    if (!places) {
        return false;
    }
    SW_FREE(known->places, known->room);
    known->places = places;
    known->room = room;
    for (size_t i = 0; i < known->sets.count; i++) {
        places[place_of_set(known, known->sets.items[i])] = (uint32_t)i + 1;
    }
    return true;
}

static bool append_set(struct known *known, struct sw_order_print print) {
    if ((known->sets.count * 3 >= known->room * 2 && !grow_known(known)) || !SW_PUSH(&known->sets, print)) {
        return false;
    }
    known->places[place_of_set(known, print)] = (uint32_t)known->sets.count;
    return true;
}

/* A list of the attempt's own. */
static bool split_attempt(struct sw_order_attempt *attempt) {
    struct known *own = SW_NEW_ZERO(struct known, 1);
    if (!own) {
        return false;
    }
    own->owners = 1;
    for (size_t i = 0; i < attempt->known_count; i++) {
        if (!append_set(own, attempt->known->sets.items[i])) {
            drop_known(own);
            return false;
        }
    }
    drop_known(attempt->known);
    attempt->known = own;
    return true;
}

/* So many bytes a set takes at most: the list and the table may both have twice the room they need. */
enum { BYTES_OF_SET = 2 * sizeof(struct sw_order_print) + 3 * sizeof(uint32_t) };

static enum sw_order_outcome remember_set(struct sw_order_attempt *attempt) {
    struct sw_order_print print = attempt->state.print;
    const struct known *known = attempt->known;
    if ((attempt->known_count + 1) * BYTES_OF_SET > attempt->aim.memory || attempt->known_count >= UINT32_MAX / 4) {
        return SW_ORDER_TOO_LARGE;
    }
    if (attempt->known_count < known->sets.count) { /* a copy has been here before */
        if (sw_order_print_is(known->sets.items[attempt->known_count], print)) {
            attempt->known_count++;
            return SW_ORDER_GOES_ON;
        }
        if (!split_attempt(attempt)) {
            return SW_ORDER_NO_MEMORY;
        }
    }
    if (!append_set(attempt->known, print)) {
        return SW_ORDER_NO_MEMORY;
    }
    attempt->known_count++;
    return SW_ORDER_GOES_ON;
}

/* ---- decisions ---- */

static bool may_run(const struct sw_order_attempt *attempt, uint32_t op) {
    return !attempt->aim.level || attempt->aim.level[op] <= attempt->level;
}

/* An operator that may run at once; of several the one that frees most, then the first of the file. None because of
 * which another operator might save less by writing in place when it is moved to the front. */
static uint32_t safe_move(const struct sw_order_attempt *attempt) {
    const struct sw_order_state *state = &attempt->state;
    const bool *loses = attempt->aim.graph->loses;
    uint32_t best = SW_NONE;
    uint64_t least = 0;
    for (uint32_t i = 0; i < state->ready_count; i++) {
        uint32_t op = state->ready[i];
        uint64_t after = sw_order_state_after(state, op);
        if (after <= state->live && sw_order_state_during(state, op) <= attempt->aim.threshold &&
            may_run(attempt, op) && !sw_order_state_opens(state, op) && !(loses && loses[op]) &&
            (best == SW_NONE || after < least || (after == least && op < best))) {
            best = op;
            least = after;
        }
    }
    return best;
}

SW_BY_FIELDS(by_branch_worth, struct branch, SW_UP(after), SW_UP(during), SW_UP(op))

/* All that may run next, as a frame. */
static enum sw_order_outcome branch_out(struct sw_order_attempt *attempt, struct sw_order_event *event) {
    const struct sw_order_state *state = &attempt->state;
    uint32_t from = (uint32_t)attempt->branches.count, refused = 0;
    for (uint32_t i = 0; i < state->ready_count; i++) {
        uint32_t op = state->ready[i];
        uint64_t during = sw_order_state_during(state, op);
        if (!may_run(attempt, op)) {
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
    if (!SW_PUSH(&attempt->frames, (struct attempt_frame){state->done, from, end})) {
        return SW_ORDER_NO_MEMORY;
    }
    sw_sort(attempt->branches.items + from, end - from, sizeof *attempt->branches.items, by_branch_worth);
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

/* To the set at which the search branched last. */
static void go_back(struct sw_order_attempt *attempt) {
    uint32_t done = attempt->frames.count ? attempt->frames.items[attempt->frames.count - 1].done : attempt->state.done;
    while (attempt->state.done > done) {
        sw_order_state_back(&attempt->state);
    }
}

/* A segment of the state; 0: none was found. After some looks in vain fewer sets are looked at, after some that paid
 * more. */
static uint32_t find_segment(struct sw_order_attempt *attempt) {
    enum { TRIED_LOOKS = 64, FEW_TRIED = 2, MANY_TRIED = 8, LEAST_TRIED = 4 };
    struct effort *effort = &attempt->effort;
    if (effort->looked == TRIED_LOOKS) {
        uint32_t most = SW_MIN(attempt->aim.look, SW_ORDER_MOST_LOOKS);
        uint32_t half = SW_MIN(most, SW_MAX(effort->look / 2, LEAST_TRIED));
        effort->look = effort->found < FEW_TRIED     ? half
                       : effort->found >= MANY_TRIED ? SW_MIN(most, 2 * effort->look)
                                                     : effort->look;
        effort->looked = effort->found = 0;
    }
    uint32_t length = sw_order_safe_segment(&attempt->state, attempt->aim.threshold, attempt->aim.level, attempt->level,
                                            effort->look, attempt->segment);
    effort->looked++;
    effort->found += length > 0;
    return length;
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
    if (is_set_known(attempt, attempt->state.print)) {
        attempt->opened = false;
        event->kind = SW_ORDER_EVENT_PRUNE;
        event->why = SW_ORDER_KNOWN;
        go_back(attempt);
        return SW_ORDER_GOES_ON;
    }
    if (attempt->states >= attempt->aim.budget) {
        return SW_ORDER_BUDGET;
    }
    attempt->states++;
    enum sw_order_outcome outcome = remember_set(attempt);
    if (outcome != SW_ORDER_GOES_ON) {
        return outcome;
    }
    if (attempt->aim.look > 1 && attempt->state.ready_count > 1 && !attempt->aim.graph->pairs) {
        length = find_segment(attempt);
    }
    if (length == 0) {
        attempt->opened = false;
        return branch_out(attempt, event);
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
    struct attempt_frame *top = &attempt->frames.items[attempt->frames.count - 1];
    while (top->next < top->end) {
        uint32_t op = attempt->branches.items[top->next++].op;
        if (!is_set_known(attempt, sw_order_print_with(&attempt->state, op))) {
            event->bytes = sw_order_state_during(&attempt->state, op);
            sw_order_state_run(&attempt->state, op);
            attempt->opened = true;
            event->kind = SW_ORDER_EVENT_RUN;
            event->operator_ = op;
            return SW_ORDER_GOES_ON;
        }
    }
    attempt->frames.count--;
    attempt->branches.count = attempt->frames.count ? attempt->frames.items[attempt->frames.count - 1].end : 0;
    go_back(attempt);
    event->kind = SW_ORDER_EVENT_PRUNE;
    event->why = SW_ORDER_ALL_TRIED;
    return SW_ORDER_GOES_ON;
}

/* ---- looking, and interfering ---- */

static const struct attempt_frame *top_frame(const struct sw_order_attempt *attempt) {
    return !attempt->opened && attempt->frames.count > 0 ? &attempt->frames.items[attempt->frames.count - 1] : NULL;
}

static enum sw_order_standing standing_of(const struct sw_order_attempt *attempt, uint32_t op) {
    return !may_run(attempt, op)                                                 ? SW_ORDER_LATER
           : sw_order_state_during(&attempt->state, op) > attempt->aim.threshold ? SW_ORDER_TOO_MUCH
           : is_set_known(attempt, sw_order_print_with(&attempt->state, op))     ? SW_ORDER_TRIED
                                                                                 : SW_ORDER_LEFT;
}

static void add_op_choice(const struct sw_order_attempt *attempt, uint32_t op, bool tried,
                          struct sw_order_choice *choice) {
    *choice = (struct sw_order_choice){op, sw_order_state_during(&attempt->state, op),
                                       sw_order_state_after(&attempt->state, op),
                                       tried ? SW_ORDER_TRIED : standing_of(attempt, op)};
}

SW_BY_FIELDS(by_operator, struct sw_order_choice, SW_UP(op))

uint32_t sw_order_attempt_choices(const struct sw_order_attempt *attempt, struct sw_order_choice *choices) {
    const struct attempt_frame *top = top_frame(attempt);
    const struct sw_order_state *state = &attempt->state;
    uint32_t count = 0;
    for (uint32_t i = top ? (uint32_t)(top == attempt->frames.items ? 0 : (top - 1)->end) : 0; top && i < top->end;
         i++) {
        add_op_choice(attempt, attempt->branches.items[i].op, i < top->next, &choices[count++]);
    }
    uint32_t listed = count;
    for (uint32_t i = 0; i < state->ready_count; i++) {
        bool known = false;
        for (uint32_t k = 0; k < listed && !known; k++) {
            known = choices[k].op == state->ready[i];
        }
        if (!known) {
            add_op_choice(attempt, state->ready[i], false, &choices[count++]);
        }
    }
    qsort(choices + listed, count - listed, sizeof *choices, by_operator);
    return count;
}

bool sw_order_attempt_branches(const struct sw_order_attempt *attempt) {
    return top_frame(attempt) != NULL;
}

bool sw_order_attempt_prefer(struct sw_order_attempt *attempt, uint32_t op) {
    if (!top_frame(attempt)) {
        return false;
    }
    struct attempt_frame *top = &attempt->frames.items[attempt->frames.count - 1];
    for (uint32_t i = top->next; i < top->end; i++) {
        if (attempt->branches.items[i].op == op) {
            struct branch held = attempt->branches.items[i];
            memmove(attempt->branches.items + top->next + 1, attempt->branches.items + top->next,
                    (i - top->next) * sizeof held);
            attempt->branches.items[top->next] = held;
            return true;
        }
    }
    return false;
}

uint64_t sw_order_attempt_digest(const struct sw_order_attempt *attempt) {
    uint64_t digest = sw_fold(sw_fold(attempt->state.print.a, attempt->state.done), attempt->known_count);
    digest = sw_fold(sw_fold(digest, attempt->frames.count), (uint64_t)attempt->level << 1 | attempt->opened);
    for (size_t i = 0; i < attempt->branches.count; i++) {
        digest = sw_fold(digest, attempt->branches.items[i].op);
    }
    for (size_t i = 0; i < attempt->frames.count; i++) {
        digest = sw_fold(digest, (uint64_t)attempt->frames.items[i].next << 32 | attempt->frames.items[i].end);
    }
    return sw_fold(sw_fold(digest, attempt->least), attempt->states);
}

size_t sw_order_attempt_bytes(const struct sw_order_attempt *attempt) {
    size_t shared = attempt->known_count * BYTES_OF_SET / attempt->known->owners;
    return sizeof *attempt + attempt->state.block_size + attempt->frames.count * sizeof(struct attempt_frame) +
           attempt->branches.count * sizeof(struct branch) + shared;
}
