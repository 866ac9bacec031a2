/* The actions of tier-search on one block. See tier_search.c for the method.
 *
 * An action is a list of places, in the order in which they are tried. Each trial happens on a
 * layout of its own, which holds the present state as far as the step of the walk and nothing of
 * the later ones: the block is put there, and the later steps are planned anew. The first place
 * that works is taken. */
#include "planners/tiers/tier_search.h"
#include "base/base.h"
#include "base/sort.h"

enum { SAME_TIER, OVERWRITE, CROSS_TIER }; /* and scripts' actions after them */
const char *const sw_tier_action_marks[][2] = {
    {"same-tier move", "A1"}, {"overwrite", "A2"}, {"cross-tier move", "A3"}, {NULL, NULL}};
const char *const sw_tier_action_words[] = {"same-tier", "overwrite", "cross-tier", NULL};

void sw_tier_read_actions(struct sw_tier_search *search, const char *words) {
    search->action_count = 0;
    while (search->action_count < SW_TIER_ACTIONS) {
        size_t length = strcspn(words, ",");
        for (uint8_t i = 0; i < SW_TIER_ACTIONS; i++) {
            if (strlen(sw_tier_action_words[i]) == length && memcmp(sw_tier_action_words[i], words, length) == 0) {
                search->actions[search->action_count++] = i;
                break;
            }
        }
        if (words[length] == '\0') {
            break;
        }
        words += length + 1;
    }
}

uint32_t sw_tier_action_count(const struct sw_tier_search *search, const struct sw_run *run) {
    return search->action_count + (uint32_t)run->params->action_count;
}

const char *sw_tier_action_name(const struct sw_tier_search *search, const struct sw_run *run, uint32_t action) {
    return action < search->action_count ? sw_tier_action_marks[search->actions[action]][0]
                                         : run->params->actions[action - search->action_count].name;
}

uint32_t sw_tier_subject(const struct sw_tier_search *search) {
    return search->plan->visits[search->plan->visit_at[search->time] + search->visit];
}

/* One action on one block. */
struct attempt {
    struct sw_tier_search *search;
    struct sw_run *run;
    struct sw_tier_room room; /* on the layout for trials */
    uint32_t id, action;
    const struct sw_buffer *buffer;
    struct sw_tier_spot here; /* where it lies now */
    const char *idle;         /* why there is nothing to try; NULL: see the places */
    char said[160];           /* what a script's action said of it */
    bool ranked;              /* the places are in the order of a script's rule */
    struct sw_moves proposal;
    bool several;          /* the proposal is more than one place for this block */
    size_t taken;          /* the place taken; looks.count: none, it stays */
    uint32_t tried, moved; /* places tried; later blocks that got another place */
    struct sw_tier_later later;
};

/* ---- the layout for trials ---- */

/* Later steps than that of the walk are empty again. */
static bool clear_later(struct attempt *a) {
    const uint32_t *order = sw_problem_order(a->run->problem);
    uint32_t end = a->search->plan->births[a->search->time + 1];
    for (uint32_t r = end; r < a->search->filled; r++) {
        if (!sw_layout_lift(a->room.layout, order[r])) {
            return false;
        }
    }
    a->search->filled = end;
    return true;
}

/* Make it the present state as far as the step of the walk. */
static bool prepare_trial(struct attempt *a) {
    struct sw_tier_search *search = a->search;
    const uint32_t *order = sw_problem_order(a->run->problem);
    uint32_t end = search->plan->births[search->time + 1];
    if (!search->trial) {
        search->trial = sw_layout_new(a->run->problem, NULL);
        search->good = search->filled = 0;
    }
    struct sw_layout *trial = a->room.layout = search->trial;
    if (!trial || !clear_later(a)) {
        return false;
    }
    search->good = SW_MIN(search->good, end);
    for (; search->good < end; search->good++) {
        if (!sw_tier_put(trial, search->plan, order[search->good], sw_tier_spot_at(&search->spots, search->good))) {
            return false;
        }
    }
    return true;
}

/* ---- the places of an action ---- */

static bool add_look(struct attempt *a, const struct sw_tier_space *space, uint64_t offset, enum sw_tier_looked is) {
    struct sw_tier_look look = {.is = is, .spot = {offset, space->tier, 0, 0}, .space = *space, .stuck = SW_NONE};
    if (is == SW_TIER_UNTRIED && sw_tier_same_spot(&look.spot, &a->here)) {
        look.is = SW_TIER_SAME;
    }
    return SW_PUSH(&a->search->looks, look);
}

static int compare_spaces(const void *a, const void *b) {
    const struct sw_tier_space *x = a, *y = b;
    uint64_t one = sw_tier_extent(x), other = sw_tier_extent(y);
    return one != other         ? SW_COMPARE(one, other)
           : x->tier != y->tier ? SW_COMPARE(x->tier, y->tier)
           : x->lo != y->lo     ? SW_COMPARE(x->lo, y->lo)
                                : SW_COMPARE(x->old, y->old);
}

/* R2's order: ascending size, ties the highest tier, then the lowest. */
static void sort_spaces(struct sw_tier_spaces *spaces) {
    sw_sort(spaces->items.items, spaces->items.count, sizeof *spaces->items.items, compare_spaces);
}

/* A1 and A3: the free spaces of a tier, each at R5's side and then at the other one. */
static bool add_tier_attempt(struct attempt *a, uint32_t tier) {
    struct sw_tier_spaces *spaces = &a->search->spaces;
    spaces->items.count = 0;
    if (a->buffer->size == 0) { /* needs no room: any tier will do, at its low end */
        struct sw_tier_space space = {.tier = tier, .old = SW_NONE, .below = SW_NONE, .above = SW_NONE, .fits = true};
        return add_look(a, &space, 0, SW_TIER_UNTRIED);
    }
    if (!sw_tier_free_spaces(&a->room, a->id, tier, spaces)) {
        return false;
    }
    sort_spaces(spaces);
    for (size_t i = 0; i < spaces->items.count; i++) {
        const struct sw_tier_space *space = &spaces->items.items[i];
        if (!add_look(a, space, space->first, space->fits ? SW_TIER_UNTRIED : SW_TIER_SMALL) ||
            (space->fits && space->second != space->first && !add_look(a, space, space->second, SW_TIER_UNTRIED))) {
            return false;
        }
    }
    return true;
}

/* What is left of the reusable blocks, in all tiers it may live in. */
static bool find_targets(struct attempt *a) {
    struct sw_tier_spaces *spaces = &a->search->spaces;
    uint64_t tiers = sw_place_tiers(a->run->problem, a->id);
    spaces->items.count = 0;
    for (uint32_t t = 0; t < sw_problem_tier_count(a->run->problem); t++) {
        size_t from = spaces->items.count;
        if (!(tiers >> t & 1)) {
            continue;
        }
        if (!sw_tier_free_spaces(&a->room, a->id, t, spaces)) {
            return false;
        }
        spaces->items.count = from; /* only the obstacles were wanted */
        if (!sw_tier_targets(&a->room, a->id, t, spaces)) {
            return false;
        }
    }
    sort_spaces(spaces);
    return true;
}

/* A2: the smallest sufficient reusable space; the others are listed, and a user may choose them. */
static bool add_targets(struct attempt *a) {
    const struct sw_tier_spaces *spaces = &a->search->spaces;
    const struct sw_tier_plan *plan = a->search->plan;
    bool found = false;
    if (plan->old_at[a->id] == plan->old_at[a->id + 1]) {
        a->idle = plan->exact ? "the graph permits no overwrite for it" : "its operator has no reusable space for it";
        return true;
    }
    if (!find_targets(a)) {
        return false;
    }
    for (size_t i = 0; i < spaces->items.count; i++) {
        const struct sw_tier_space *space = &spaces->items.items[i];
        if (!add_look(a, space, space->start,
                      !space->fits ? SW_TIER_SMALL
                      : found      ? SW_TIER_LARGER
                                   : SW_TIER_UNTRIED)) {
            return false;
        }
        found |= space->fits;
    }
    return true;
}

static bool add_other_tiers(struct attempt *a) {
    uint64_t tiers = sw_place_tiers(a->run->problem, a->id);
    if (a->buffer->tier != SW_NONE || (tiers & (tiers - 1)) == 0) {
        a->idle = a->buffer->tier != SW_NONE ? "its tier is given" : "it may live in one tier only";
        return true;
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(a->run->problem); t++) {
        if (t != a->here.tier && (tiers >> t & 1) && !add_tier_attempt(a, t)) {
            return false;
        }
    }
    return true;
}

/* A1 and A3: the places that can be tried change places with each other, as a script's rule ranks them. */
static bool rank_looks(struct attempt *a) {
    struct sw_tier_search *search = a->search;
    struct sw_tier_ranking ranking = {0};
    SW_ARRAY(struct sw_tier_look) looks = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < search->looks.count; i++) {
        const struct sw_tier_look *look = &search->looks.items[i];
        ok = look->is != SW_TIER_UNTRIED ||
             (SW_PUSH(&looks, *look) && sw_tier_rank_place(&ranking, &look->space, look->spot.offset));
    }
    ok = ok && sw_tier_rank(&a->room, a->id, 0, &ranking);
    for (size_t i = 0, next = 0; ok && ranking.why && i < search->looks.count; i++) {
        if (search->looks.items[i].is == SW_TIER_UNTRIED) {
            search->looks.items[i] = looks.items[ranking.order[next++]];
        }
    }
    a->ranked = ok && ranking.why;
    sw_tier_ranking_done(&ranking);
    SW_ARRAY_DONE(&looks);
    return ok;
}

/* A script's action proposes places, which are checked like any other. */
static enum sw_step add_proposal(struct attempt *a) {
    const struct sw_action *action = &a->run->params->actions[a->action - a->search->action_count];
    const struct sw_moves *p = &a->proposal;
    struct sw_tier_refusal refusal = {0};
    bool legal;
    if (!action->propose(action->context, a->run->layout, a->room.layout, a->id, a->search->time, &a->proposal,
                         a->run->error)) {
        return SW_STEP_FAILED;
    }
    a->proposal.reason[sizeof p->reason - 1] = '\0';
    if (p->count == 0 || p->count > SW_MOVES_PLACES) {
        a->idle = "the action proposes no place";
        snprintf(a->said, sizeof a->said, "%s", p->reason);
        return SW_STEP_MORE;
    }
    if (!sw_tier_moves_check(a->search, &a->room, a->id, p, &legal, &refusal)) {
        return sw_step_memory(a->run);
    }
    if (!legal) {
        a->idle = refusal.why;
        snprintf(a->said, sizeof a->said, "%s", refusal.said);
        return SW_STEP_MORE;
    }
    const struct sw_placement *first = &p->places[0];
    for (uint32_t i = p->count; i-- > 0;) {
        first = p->places[i].buffer == a->id ? &p->places[i] : first;
    }
    a->several = p->count > 1 || first->buffer != a->id;
    uint64_t offset = first->offset, end = offset + sw_problem_buffer(a->run->problem, first->buffer)->size;
    struct sw_tier_look look = {.is = sw_tier_moves_same(a->search, a->run, p) ? SW_TIER_SAME : SW_TIER_UNTRIED,
                                .spot = {offset, first->tier, 0, 0},
                                .space = {offset, end, offset, first->tier, SW_NONE, SW_NONE, SW_NONE, .fits = true},
                                .stuck = SW_NONE};
    return SW_PUSH(&a->search->looks, look) ? SW_STEP_MORE : sw_step_memory(a->run);
}

/* SAME_TIER, ..., SW_TIER_ACTIONS: one of a script. */
static uint32_t search_action(const struct attempt *a) {
    return a->action < a->search->action_count ? a->search->actions[a->action] : SW_TIER_ACTIONS;
}

static enum sw_step list_places(struct attempt *a) {
    struct sw_pin pin;
    bool ok = true;
    a->search->looks.count = 0;
    if (sw_rules_pin(a->run->problem, &a->run->rules, a->id, &pin)) {
        a->idle = "it is pinned";
        return SW_STEP_MORE;
    }
    switch (search_action(a)) {
    case SAME_TIER:
        ok = add_tier_attempt(a, a->here.tier);
        break;
    case OVERWRITE:
        ok = add_targets(a);
        break;
    case CROSS_TIER:
        ok = add_other_tiers(a);
        break;
    default:
        return add_proposal(a);
    }
    bool ranks = ok && sw_tier_ranks(a->run) && a->buffer->size > 0 && search_action(a) != OVERWRITE;
    return ok && (!ranks || rank_looks(a)) ? SW_STEP_MORE : sw_tier_room_failed(&a->room);
}

/* ---- trying them ---- */

/* What is alive at the step to come, if that can be told without the layout. */
static bool find_sweep(struct attempt *a, uint32_t rank, const struct sw_tier_spot *place) {
    struct sw_tier_search *search = a->search;
    bool serves = !a->several && search->time + 1 < search->plan->steps && sw_tier_sweep_serves(a->run);
    if (!serves) {
        return true;
    }
    search->sweep = search->sweep ? search->sweep : SW_NEW_ZERO(struct sw_tier_sweep, 1);
    if (!search->sweep ||
        !sw_tier_sweep_begin(search->sweep, a->run->problem, &search->spots, search->time + 1, rank, place, &serves)) {
        return false;
    }
    a->room.sweep = serves ? search->sweep : NULL;
    return true;
}

/* Put the block there and plan the later steps anew. */
static bool try_place(struct attempt *a, struct sw_tier_look *look) {
    struct sw_tier_search *search = a->search;
    uint32_t rank = sw_problem_rank(a->run->problem, a->id).at;
    a->later = (struct sw_tier_later){.known = search->planned ? &search->spots : NULL,
                                      .until = a->several ? sw_tier_moves_until(search->plan, a->run, &a->proposal)
                                                          : search->plan->reach[rank]};
    a->tried++;
    search->good = SW_MIN(search->good, rank); /* until it is back, or accepted */
    bool put = a->several ? sw_tier_moves_place(search, &a->room, a->id, &a->proposal)
                          : sw_layout_place(a->room.layout, a->id, look->spot.tier, look->spot.offset);
    if (!put || !find_sweep(a, rank, &look->spot) || !sw_tier_plan_later(&a->room, search->time + 1, &a->later)) {
        return false;
    }
    a->room.sweep = NULL;
    search->filled = SW_MAX(a->later.end, search->filled);
    look->is = a->later.fits ? SW_TIER_TAKEN : SW_TIER_STUCK;
    look->stuck = a->later.stuck;
    look->stuck_at = a->later.stuck_at;
    return a->later.fits || clear_later(a);
}

/* The first that works; or the one the user wants. */
static enum sw_step try_places(struct attempt *a) {
    struct sw_tier_search *search = a->search;
    size_t count = search->looks.count, from = 0, to = count;
    a->taken = count;
    if (a->run->choice >= 0) {
        from = (size_t)a->run->choice;
        to = from < count ? from + 1 : from;
        if (from > count || (from < count && search->looks.items[from].is != SW_TIER_UNTRIED &&
                             search->looks.items[from].is != SW_TIER_LARGER)) {
            return sw_place_no_candidate(a->run, (uint32_t)count + 1);
        }
    }
    for (size_t i = from; i < to && a->taken == count; i++) {
        struct sw_tier_look *look = &search->looks.items[i];
        if (look->is != SW_TIER_UNTRIED && a->run->choice < 0) {
            continue;
        }
        if (!try_place(a, look)) {
            return sw_tier_room_failed(&a->room);
        }
        a->taken = look->is == SW_TIER_TAKEN ? i : count;
    }
    if (a->run->choice >= 0 && from < count && a->taken == count) {
        char name[SW_SHORT_NAME];
        const struct sw_tier_look *look = &search->looks.items[from];
        return SW_STEP_FAIL(a->run, SW_ERROR_UNSUPPORTED,
                            "candidate %lld cannot be taken: %s would find no room at time %lld",
                            (long long)a->run->choice, sw_place_name(a->run->problem, look->stuck, name),
                            (long long)sw_problem_time(a->run->problem, look->stuck_at));
    }
    return SW_STEP_MORE;
}

/* The trial is the present from here on. */
static bool adopt_trial(struct attempt *a) {
    struct sw_tier_search *search = a->search;
    const uint32_t *order = sw_problem_order(a->run->problem);
    uint32_t own = sw_problem_rank(a->run->problem, a->id).at;
    uint32_t end = a->later.end + !a->several; /* the block itself comes last */
    if (a->several && !sw_tier_moves_adopt(search, a->run, &a->proposal)) {
        return false;
    }
    for (uint32_t r = search->plan->births[search->time + 1]; r < end; r++) {
        uint32_t rank = r < a->later.end ? r : own;
        struct sw_tier_spot spot = sw_tier_spot_of(a->room.layout, order[rank]);
        if (sw_tier_same_spot(&spot, sw_tier_spot_at(&search->spots, rank))) {
            continue;
        }
        a->moved += rank != own;
        a->run->work += SW_TIER_SETTLE_WORK;
        spot.made = (uint32_t)sw_layout_stamped(a->run->layout);
        if (!sw_tier_set_spot(search, rank, &spot) ||
            !sw_layout_place(a->run->layout, order[rank], spot.tier, spot.offset)) {
            return false;
        }
    }
    search->good = search->filled = SW_MAX(a->later.end, search->filled);
    search->planned = search->planned || !a->later.known;
    return sw_tier_settle_present(search, a->run->layout);
}

/* Nothing worked: the block goes back to where it was. */
static bool put_back(struct attempt *a) {
    if ((a->several && !sw_tier_moves_undo(a->search, &a->room, a->id, &a->proposal)) ||
        !sw_tier_put(a->room.layout, a->search->plan, a->id, &a->here)) {
        return false;
    }
    a->search->good = a->search->filled;
    return true;
}

/* ---- saying what happened ---- */

static const char *failure(const struct attempt *a) {
    if (a->idle) {
        return a->idle;
    }
    if (a->run->choice >= 0) {
        return "left where it is by the user";
    }
    if (a->tried > 0) {
        return "from no place it could go to do all later steps find room";
    }
    for (size_t i = 0; i < a->search->looks.count; i++) {
        if (a->search->looks.items[i].is == SW_TIER_SAME) {
            return "there is no other place than where it lies";
        }
    }
    return "there is no place that is large enough";
}

static bool explain_look(const struct attempt *a, const struct sw_tier_look *look) {
    const struct sw_problem *problem = a->run->problem;
    const struct sw_tier_space *space = &look->space;
    enum sw_verdict verdict = look->is == SW_TIER_TAKEN                                   ? SW_VERDICT_CHOSEN
                              : look->is == SW_TIER_UNTRIED || look->is == SW_TIER_LARGER ? SW_VERDICT_FITS
                                                                                          : SW_VERDICT_REFUSED;
    char name[SW_SHORT_NAME], next[SW_SHORT_NAME] = "", text[200] = "", moves[80] = "";
    const char *what = space->old != SW_NONE     ? "what is left of "
                       : space->above != SW_NONE ? "the next live buffer "
                       : space->hi == sw_problem_tier(problem, space->tier)->capacity
                           ? "the capacity"
                           : "a range that no buffer may use";
    bool ranked = a->ranked && a->run->choice < 0;
    if (a->several) {
        sw_tier_moves_words(&a->proposal, a->id, moves, sizeof moves);
    }
    switch (look->is) {
    case SW_TIER_SMALL:
        if (space->old != SW_NONE || space->above != SW_NONE) {
            sw_place_name(problem, space->old != SW_NONE ? space->old : space->above, next);
        }
        snprintf(text, sizeof text, "%s (%s) refused at %.24s+%llu: %s short of %s%s",
                 sw_place_name(problem, a->id, name), SW_BYTES(a->buffer->size),
                 sw_problem_tier(problem, space->tier)->name, (unsigned long long)space->start,
                 SW_BYTES(space->start + a->buffer->size - space->hi), what, next);
        break;
    case SW_TIER_SAME:
        snprintf(text, sizeof text, "it lies there already");
        break;
    case SW_TIER_LARGER:
        snprintf(text, sizeof text, "not tried: larger than the smallest that is sufficient");
        break;
    case SW_TIER_UNTRIED:
        snprintf(text, sizeof text, "not tried: %s",
                 a->run->choice < 0 ? "an earlier place works" : "the user chose otherwise");
        break;
    case SW_TIER_STUCK:
        snprintf(text, sizeof text, "%sthen %s (%s) finds no room at time %lld", moves,
                 sw_place_name(problem, look->stuck, name), SW_BYTES(sw_problem_buffer(problem, look->stuck)->size),
                 (long long)sw_problem_time(problem, look->stuck_at));
        break;
    case SW_TIER_TAKEN:
        snprintf(text, sizeof text, "chosen: %s%s%s%sall later steps find room; %u later block%s", moves,
                 ranked ? "in the order of " : "", ranked ? a->run->params->tier_rules->name : "", ranked ? ", " : "",
                 (unsigned)a->moved, a->moved == 1 ? " moves" : "s move");
        break;
    }
    bool over = space->old != SW_NONE && look->is != SW_TIER_SMALL;
    return sw_explain(a->run->explain, verdict, look->spot.tier, look->spot.offset, sw_tier_extent(space), space->below,
                      space->above, "%s%s%s", text, over ? ", over " : "",
                      over ? sw_place_name(problem, space->old, name) : "");
}

/* Every place, and last the one where the block lies: to leave it there. */
static bool explain_attempt(const struct attempt *a) {
    size_t count = a->search->looks.count;
    for (size_t i = 0; i < count; i++) {
        if (!explain_look(a, &a->search->looks.items[i])) {
            return false;
        }
    }
    bool stays = a->taken == count;
    return SW_EXPLAIN(a->run->explain, stays ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS, a->here.tier, a->here.offset,
                      a->buffer->size, "%s%s%s%s", stays ? "stays where it lies: " : "could be left where it lies",
                      stays ? failure(a) : "", a->said[0] ? ": " : "", a->said);
}

static void describe_attempt(struct attempt *a, struct sw_decision *decision) {
    const struct sw_tier_search *search = a->search;
    bool worked = a->taken < search->looks.count;
    const struct sw_tier_look *look = worked ? &search->looks.items[a->taken] : NULL;
    sw_decision_become(decision, SW_DECISION_TRY);
    decision->buffer = a->id;
    decision->size = a->buffer->size;
    decision->tried.costs = (struct sw_before_after){search->before, search->current};
    sw_tier_finish_decision(search, a->run, decision);
    decision->tried.action = sw_tier_action_name(search, a->run, a->action);
    decision->tier = worked ? look->spot.tier : a->here.tier;
    decision->offset = worked ? look->spot.offset : a->here.offset;
    decision->tried.over = worked ? look->space.old : SW_NONE;
    decision->tried.succeeded = worked;
    decision->candidates = (uint32_t)search->looks.count + 1;
    decision->forced = a->run->choice >= 0;
    decision->reason = !worked            ? failure(a)
                       : decision->forced ? "chosen by the user; all later steps find room"
                       : a->ranked        ? "the first place in the script's order from which all later steps find room"
                                          : "the first place from which all later steps find room";
}

/* Lift the block that the action is tried on. */
static bool lift_for_attempt(struct attempt *a, struct sw_tier_search *search, struct sw_run *run) {
    uint32_t id = sw_tier_subject(search), rank = sw_problem_rank(run->problem, id).at;
    *a = (struct attempt){.search = search,
                          .run = run,
                          .room = {.run = run, .plan = search->plan},
                          .id = id,
                          .action = search->action,
                          .buffer = sw_problem_buffer(run->problem, id),
                          .here = *sw_tier_spot_at(&search->spots, rank)};
    bool ok = prepare_trial(a) && sw_layout_lift(a->room.layout, id);
    search->good = SW_MIN(search->good, rank);
    return ok;
}

enum sw_step sw_tier_lifts(struct sw_tier_search *search, struct sw_run *run, bool *lifts) {
    struct attempt a;
    *lifts = false;
    if (!lift_for_attempt(&a, search, run)) {
        return sw_step_memory(run);
    }
    enum sw_step step = list_places(&a);
    for (size_t i = 0; step == SW_STEP_MORE && i < search->looks.count; i++) {
        *lifts |= search->looks.items[i].is == SW_TIER_UNTRIED;
    }
    *lifts &= a.buffer->size > 0 && a.here.life == 0;
    search->spaces.items.count = 0;
    bool seen = !*lifts || sw_tier_free_spaces(&a.room, a.id, a.here.tier, &search->spaces);
    return seen ? step : sw_step_memory(run);
}

enum sw_step sw_tier_try(struct sw_tier_search *search, struct sw_run *run, bool *worked,
                         struct sw_decision *decision) {
    struct attempt a;
    if (!lift_for_attempt(&a, search, run)) {
        return sw_step_memory(run);
    }
    if (list_places(&a) != SW_STEP_MORE || try_places(&a) != SW_STEP_MORE) {
        return SW_STEP_FAILED;
    }
    *worked = a.taken < search->looks.count;
    if (!(*worked ? adopt_trial(&a) : put_back(&a))) {
        return sw_step_memory(run);
    }
    search->before = search->current;
    if (*worked && !sw_tier_price(search, run, &search->current)) {
        return SW_STEP_FAILED;
    }
    describe_attempt(&a, decision);
    return !run->explain || explain_attempt(&a) ? SW_STEP_MORE : sw_step_memory(run);
}
