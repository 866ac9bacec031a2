/* Several places at once: what actions of scripts may propose, and lives that are split between
 * tiers. See tier_search.c for the method.
 *
 * A split life is one place after the other, each in another tier than the one before, with a
 * transfer before the first step of each but the first. It is kept once, and a spot names it by
 * number, so that states remain lists of spots that are compared word by word. No block
 * is written over one with a split life, nor is that one written over another. */
#include "planners/tiers/tier_search.h"
#include "base/base.h"

/* ---- split lives ---- */

static bool same_places(const struct sw_placement *a, const struct sw_placement *b, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (a[i].buffer != b[i].buffer || a[i].tier != b[i].tier || a[i].offset != b[i].offset ||
            a[i].span.from != b[i].span.from || a[i].span.to != b[i].span.to) {
            return false;
        }
    }
    return true;
}

/* Its number, from 1; 0: no memory. */
static uint32_t life_with_places(struct sw_tier_lives *lives, const struct sw_placement *places, uint32_t count) {
    for (size_t i = 0; i < lives->starts.count; i++) {
        uint32_t length;
        const struct sw_placement *known = sw_tier_life(lives, (uint32_t)i + 1, &length);
        if (length == count && same_places(known, places, count)) {
            return (uint32_t)i + 1;
        }
    }
    if (!SW_PUSH(&lives->starts, lives->places.count)) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!SW_PUSH(&lives->places, places[i])) {
            lives->places.count = lives->starts.items[--lives->starts.count];
            return 0;
        }
    }
    return (uint32_t)lives->starts.count;
}

const struct sw_placement *sw_tier_life(const struct sw_tier_lives *lives, uint32_t life, uint32_t *count) {
    size_t from = lives->starts.items[life - 1];
    size_t to = life < lives->starts.count ? lives->starts.items[life] : lives->places.count;
    *count = (uint32_t)(to - from);
    return &lives->places.items[from];
}

uint64_t sw_tier_life_digest(const struct sw_tier_lives *lives, uint32_t life) {
    uint32_t count;
    const struct sw_placement *places = sw_tier_life(lives, life, &count);
    uint64_t digest = count;
    for (uint32_t i = 0; i < count; i++) {
        digest = sw_fold(sw_fold(digest, places[i].offset), places[i].tier);
        digest = sw_fold(digest, (uint64_t)places[i].span.from << 32 | places[i].span.to);
    }
    return digest;
}

bool sw_tier_put(struct sw_layout *layout, const struct sw_tier_plan *plan, uint32_t buffer,
                 const struct sw_tier_spot *spot) {
    if (spot->life == 0) {
        return sw_layout_place(layout, buffer, spot->tier, spot->offset);
    }
    uint32_t count;
    const struct sw_placement *places = sw_tier_life(&plan->lives, spot->life, &count);
    if (!sw_layout_lift(layout, buffer)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!sw_layout_place_span(layout, &places[i])) {
            return false;
        }
    }
    return true;
}

bool sw_tier_is_split(const struct sw_layout *layout, uint32_t buffer) {
    struct sw_placement at;
    return sw_layout_placement(layout, buffer, 0, &at) && at.span.to != UINT32_MAX;
}

/* ---- is a proposal legal? ---- */

struct move_look {
    struct sw_tier_search *search;
    struct sw_tier_room *room;
    const struct sw_moves *proposal;
    uint32_t subject;
    struct sw_tier_refusal *refusal;
};

static const struct sw_problem *looked_problem(const struct move_look *l) {
    return l->room->run->problem;
}

/* "proposed WHAT", or for another block than the subject "proposed WHAT, for NAME". */
static bool refuse_move(const struct move_look *l, const char *why, uint32_t buffer, const char *what) {
    char name[SW_SHORT_NAME];
    bool other = buffer != l->subject && buffer < sw_problem_buffer_count(looked_problem(l));
    l->refusal->why = why;
    snprintf(l->refusal->said, sizeof l->refusal->said, "proposed %s%s%s", what, other ? ", for " : "",
             other ? sw_place_name(looked_problem(l), buffer, name) : "");
    return false;
}

static const char not_legal[] = "the action proposes a place that is not legal";
static const char is_taken[] = "the action proposes a place that is taken";

/* How many places from `at` on are those of one block. */
static uint32_t group_at(const struct sw_moves *proposal, uint32_t at) {
    uint32_t end = at + 1;
    while (end < proposal->count && proposal->places[end].buffer == proposal->places[at].buffer) {
        end++;
    }
    return end - at;
}

/* May this block be moved at all, and is it named once? */
static bool may_move(const struct move_look *l, uint32_t at) {
    const struct sw_problem *problem = looked_problem(l);
    uint32_t buffer = l->proposal->places[at].buffer;
    struct sw_pin pin;
    if (buffer >= sw_problem_buffer_count(problem) || sw_problem_rank(problem, buffer).at == SW_NONE) {
        return refuse_move(l, not_legal, buffer, "a place for a block that is not planned");
    }
    if (sw_problem_buffer(problem, buffer)->first > l->search->time) {
        return refuse_move(l, not_legal, buffer, "a place for a block of a later step");
    }
    for (uint32_t i = 0; i < at; i++) {
        if (l->proposal->places[i].buffer == buffer) {
            return refuse_move(l, not_legal, buffer, "two lives of one block");
        }
    }
    return !sw_rules_pin(problem, &l->room->run->rules, buffer, &pin) ||
           refuse_move(l, not_legal, buffer, "a place for a block that is pinned");
}

/* One place for a whole life, or places that follow one another from birth to death. */
static bool spans_are_legal(const struct move_look *l, uint32_t at, uint32_t count) {
    const struct sw_placement *p = &l->proposal->places[at];
    const struct sw_buffer *b = sw_problem_buffer(looked_problem(l), p->buffer);
    if (count == 1) {
        return (p->span.from <= b->first && p->span.to >= b->last) ||
               refuse_move(l, not_legal, p->buffer, "for a part of its life only");
    }
    if (sw_problem_core_count(looked_problem(l)) > 1) {
        return refuse_move(l, not_legal, p->buffer, "to split a life, which several cores exclude");
    }
    for (uint32_t i = 0; i < count; i++) {
        bool begins = i ? p[i].span.from == p[i - 1].span.to + 1 : p[0].span.from == b->first;
        bool ends = i + 1 < count ? p[i].span.to >= p[i].span.from : p[i].span.to == b->last;
        if (!begins || !ends || p[i].span.to < p[i].span.from || p[i].span.to > b->last) {
            return refuse_move(l, not_legal, p->buffer,
                               "spans that do not follow one another from its first step to its last");
        }
        if (i && p[i].tier == p[i - 1].tier) {
            return refuse_move(l, not_legal, p->buffer, "two spans in a row in the same tier");
        }
    }
    return true;
}

static bool fits_there(const struct move_look *l, const struct sw_placement *place) {
    struct sw_tier_spot spot = {place->offset, place->tier, 0, 0};
    const char *unfit = sw_tier_unfit(looked_problem(l), place->buffer, &spot);
    return !unfit || refuse_move(l, not_legal, place->buffer, unfit);
}

static bool is_legal(const struct move_look *l) {
    for (uint32_t at = 0, count; at < l->proposal->count; at += count) {
        count = group_at(l->proposal, at);
        if (!may_move(l, at) || !spans_are_legal(l, at, count)) {
            return false;
        }
        for (uint32_t i = at; i < at + count; i++) {
            if (!fits_there(l, &l->proposal->places[i])) {
                return false;
            }
        }
    }
    return true;
}

/* Which block is in the way of one of the places? */
static bool find_blocker(const struct move_look *l, const struct sw_placement *place, bool whole, bool *is_free,
                         uint32_t *blocker) {
    struct sw_run *run = l->room->run;
    struct sw_tier_spot spot = {place->offset, place->tier, 0, 0};
    if (whole) {
        return sw_tier_is_free(l->room, place->buffer, &spot, is_free, blocker);
    }
    uint64_t before = run->gaps.visited;
    bool ok = sw_gaps_blocker(&run->gaps, l->room->layout, &run->rules, place->buffer, place->span, place->tier,
                              place->offset, is_free, blocker);
    run->work += run->gaps.visited - before;
    return ok;
}

static bool refuse_taken(const struct move_look *l, const struct sw_placement *place, uint32_t blocker) {
    char name[SW_SHORT_NAME], text[120];
    snprintf(text, sizeof text, "%.40s+%llu, where %s %s", sw_problem_tier(looked_problem(l), place->tier)->name,
             (unsigned long long)place->offset,
             blocker == SW_NONE ? "a range" : sw_place_name(looked_problem(l), blocker, name),
             blocker == SW_NONE ? "is reserved or forbidden" : "lies");
    return refuse_move(l, is_taken, place->buffer, text);
}

/* Put everything there, one after the other, on a layout from which all that move have been lifted.
 * With `legal` each is looked at first; it becomes false where one is in the way of another. */
static bool put_all(const struct move_look *l, bool *legal) {
    const struct sw_moves *proposal = l->proposal;
    for (uint32_t at = 0, count; at < proposal->count; at += count) {
        count = group_at(proposal, at);
        for (uint32_t i = at; i < at + count; i++) {
            bool is_free = true;
            uint32_t blocker = SW_NONE;
            if (legal && !find_blocker(l, &proposal->places[i], count == 1, &is_free, &blocker)) {
                return false;
            }
            if (!is_free) {
                *legal = refuse_taken(l, &proposal->places[i], blocker);
                return true;
            }
        }
        for (uint32_t i = at; i < at + count; i++) {
            const struct sw_placement *place = &proposal->places[i];
            if (!(count == 1 ? sw_layout_place(l->room->layout, place->buffer, place->tier, place->offset)
                             : sw_layout_place_span(l->room->layout, place))) {
                return false;
            }
        }
    }
    return true;
}

static const struct sw_tier_spot *spot_of(struct sw_tier_search *search, const struct sw_tier_room *room,
                                          uint32_t buffer) {
    return sw_tier_spot_at(&search->spots, sw_problem_rank(room->run->problem, buffer).at);
}

/* Lift all that move. The subject, which is lifted already, goes back when it is not among them. */
static bool lift_all(const struct move_look *l) {
    bool moves = false;
    for (uint32_t i = 0; i < l->proposal->count; i++) {
        uint32_t buffer = l->proposal->places[i].buffer;
        uint32_t rank = sw_problem_rank(looked_problem(l), buffer).at;
        uint32_t good = l->search->good;
        l->search->good = SW_MIN(good, rank); /* until they are back */
        moves = moves || buffer == l->subject;
        if (!sw_layout_lift(l->room->layout, buffer)) {
            return false;
        }
    }
    return moves || sw_tier_put(l->room->layout, l->search->plan, l->subject, spot_of(l->search, l->room, l->subject));
}

bool sw_tier_moves_check(struct sw_tier_search *search, struct sw_tier_room *room, uint32_t subject,
                         const struct sw_moves *proposal, bool *legal, struct sw_tier_refusal *refusal) {
    struct move_look l = {search, room, proposal, subject, refusal};
    *legal = is_legal(&l);
    return !*legal || (lift_all(&l) && put_all(&l, legal) && sw_tier_moves_undo(search, room, subject, proposal));
}

bool sw_tier_moves_place(struct sw_tier_search *search, struct sw_tier_room *room, uint32_t subject,
                         const struct sw_moves *proposal) {
    struct move_look l = {search, room, proposal, subject, NULL};
    return lift_all(&l) && put_all(&l, NULL);
}

bool sw_tier_moves_undo(struct sw_tier_search *search, struct sw_tier_room *room, uint32_t subject,
                        const struct sw_moves *proposal) {
    for (uint32_t i = 0; i < proposal->count; i++) {
        uint32_t buffer = proposal->places[i].buffer;
        if (!sw_tier_put(room->layout, search->plan, buffer, spot_of(search, room, buffer))) {
            return false;
        }
    }
    return sw_layout_lift(room->layout, subject);
}

/* ---- what it becomes ---- */

/* The spot of the block with its places at `at`; false: no memory. */
static bool spot_at(struct sw_tier_search *search, const struct sw_moves *proposal, uint32_t at,
                    struct sw_tier_spot *spot) {
    const struct sw_placement *place = &proposal->places[at];
    uint32_t count = group_at(proposal, at);
    *spot = (struct sw_tier_spot){place->offset, place->tier, 0, 0};
    if (count > 1) {
        spot->life = life_with_places(&search->plan->lives, place, count);
    }
    return count == 1 || spot->life != 0;
}

bool sw_tier_moves_adopt(struct sw_tier_search *search, struct sw_run *run, const struct sw_moves *proposal) {
    for (uint32_t at = 0; at < proposal->count; at += group_at(proposal, at)) {
        uint32_t buffer = proposal->places[at].buffer;
        struct sw_tier_spot spot;
        if (!spot_at(search, proposal, at, &spot)) {
            return false;
        }
        spot.made = (uint32_t)sw_layout_stamped(run->layout);
        if (!sw_tier_set_spot(search, sw_problem_rank(run->problem, buffer).at, &spot) ||
            !sw_tier_put(run->layout, search->plan, buffer, &spot)) {
            return false;
        }
    }
    return true;
}

bool sw_tier_moves_same(struct sw_tier_search *search, const struct sw_run *run, const struct sw_moves *proposal) {
    for (uint32_t at = 0; at < proposal->count; at += group_at(proposal, at)) {
        const struct sw_placement *place = &proposal->places[at];
        const struct sw_tier_spot *spot =
            sw_tier_spot_at(&search->spots, sw_problem_rank(run->problem, place->buffer).at);
        uint32_t count = group_at(proposal, at), length = 1;
        const struct sw_placement *known = spot->life ? sw_tier_life(&search->plan->lives, spot->life, &length) : NULL;
        bool is_same = known ? length == count && same_places(known, place, count)
                             : count == 1 && place->tier == spot->tier && place->offset == spot->offset;
        if (!is_same) {
            return false;
        }
    }
    return true;
}

void sw_tier_moves_words(const struct sw_moves *proposal, uint32_t subject, char *text, size_t size) {
    uint32_t blocks = 0, spans = 1;
    for (uint32_t at = 0; at < proposal->count; at += group_at(proposal, at)) {
        blocks++;
        spans = proposal->places[at].buffer == subject ? group_at(proposal, at) : spans;
    }
    if (spans > 1) {
        snprintf(text, size, "its life is split into %u, ", (unsigned)spans);
    }
    if (blocks > 1) {
        sw_text_add(text, size, "%u blocks move at once, ", (unsigned)blocks);
    }
}

uint32_t sw_tier_moves_until(const struct sw_tier_plan *plan, const struct sw_run *run,
                             const struct sw_moves *proposal) {
    uint32_t until = 0;
    for (uint32_t i = 0; i < proposal->count; i++) {
        uint32_t reach = plan->reach[sw_problem_rank(run->problem, proposal->places[i].buffer).at];
        until = SW_MAX(reach, until);
    }
    return until;
}
