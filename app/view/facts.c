#include "view/facts.h"
#include "base/sort.h"
#include "base/base.h"
#include "view/view_internal.h"

/* ---- parts ---- */

static void parts_clear(struct sw_parts *parts) {
    parts->count = 0;
    parts->bytes.count = parts->of.count = parts->first.count = parts->members.count = 0;
}

static void parts_done(struct sw_parts *parts) {
    SW_ARRAY_DONE(&parts->bytes, &parts->of, &parts->first, &parts->members);
}

/* A detail that says in which part a buffer is. */
static bool join_part(struct sw_parts *parts, const struct sw_problem *problem, const struct sw_detail *detail) {
    uint32_t buffers = sw_problem_buffer_count(problem);
    if (parts->of.count == 0) {
        if (!SW_RESERVE(&parts->of, buffers)) {
            return false;
        }
        memset(parts->of.items, 0xff, buffers * sizeof *parts->of.items);
        parts->of.count = buffers;
    }
    if (detail->buffer < buffers && detail->integer >= 0 && detail->integer < SW_NONE) {
        uint32_t part = (uint32_t)detail->integer;
        parts->of.items[detail->buffer] = part;
        parts->count = part >= parts->count ? part + 1 : parts->count;
    }
    return true;
}

/* Members of each part, by counting: the order of birth stays. */
static bool sort_members(struct sw_parts *parts, const struct sw_problem *problem) {
    const uint32_t *order = sw_problem_order(problem), *of = parts->of.items;
    uint32_t planned = sw_problem_planned_count(problem), count = parts->count;
    if (count == 0) {
        return true;
    }
    if (!SW_RESERVE(&parts->first, count + 1u) || !SW_RESERVE(&parts->members, planned) ||
        !SW_RESERVE(&parts->bytes, count)) {
        return false;
    }
    while (parts->bytes.count < count) { /* a planner that does not say how large */
        parts->bytes.items[parts->bytes.count++] = 0;
    }
    uint32_t *first = parts->first.items;
    memset(first, 0, (count + 1u) * sizeof *first);
    parts->first.count = count + 1u;
    for (uint32_t i = 0; i < planned; i++) {
        if (of[order[i]] != SW_NONE) {
            first[of[order[i]] + 1]++;
        }
    }
    for (uint32_t p = 0; p < count; p++) {
        first[p + 1] += first[p];
    }
    parts->members.count = first[count];
    for (uint32_t i = planned; i-- > 0;) { /* from the back: each part is filled from its end */
        uint32_t part = of[order[i]];
        if (part != SW_NONE) {
            parts->members.items[--first[part + 1]] = order[i];
        }
    }
    /* first[p + 1] is now where part p begins. */
    memmove(first, first + 1, count * sizeof *first);
    first[count] = (uint32_t)parts->members.count;
    return true;
}

/* ---- what the planner says ---- */

static bool take_detail(struct sw_facts *facts, const struct sw_problem *problem, const struct sw_detail *detail) {
    const char *key = detail->key;
    if (strcmp(key, "ids") == 0) {
        return join_part(&facts->ids, problem, detail);
    }
    if (strcmp(key, "assignment") == 0) {
        return join_part(&facts->segments, problem, detail);
    }
    if (strcmp(key, "allocated") == 0 && detail->list) {
        return SW_PUSH(&facts->ids.bytes, (uint64_t)detail->integer);
    }
    if (strcmp(key, "segments") == 0 && detail->list) {
        return SW_PUSH(&facts->segments.bytes, (uint64_t)detail->integer);
    }
    if (strcmp(key, "saved_bytes") == 0) {
        facts->hands_out_ids = true;
        facts->adopted = detail->integer;
    } else if (strcmp(key, "migration_bound") == 0) {
        facts->has_bound = true;
        facts->migration_bound = (uint64_t)detail->integer;
    }
    return true;
}

static bool take_details(struct sw_facts *facts, const struct sw_search *search) {
    struct sw_details details = {0};
    const struct sw_problem *problem = sw_search_problem(search);
    if (facts->says_bound_only == sw_search_planner(search) && facts->bound_of == sw_problem_digest(problem)) {
        return true;
    }
    facts->says_bound_only = NULL;
    facts->has_bound = false;
    bool good = sw_search_details(search, &details);
    for (size_t i = 0; good && i < details.items.count; i++) {
        good = take_detail(facts, problem, &details.items.items[i]);
    }
    if (good && details.items.count == 1 && facts->has_bound) {
        facts->says_bound_only = sw_search_planner(search);
        facts->bound_of = sw_problem_digest(problem);
    }
    sw_details_done(&details);
    for (int i = 0; good && i < 2; i++) {
        struct sw_parts *parts = i ? &facts->segments : &facts->ids;
        size_t listed = parts->bytes.count;
        parts->count = listed > parts->count ? (uint32_t)listed : parts->count;
        parts->count = parts->of.count ? parts->count : 0; /* no buffer is in any */
        good = sort_members(parts, problem);
    }
    return good;
}

/* ---- what the journal says of ids ---- */

static bool gives_id(const struct sw_decision *decision) {
    static const enum sw_decision_kind giving_kinds[] = {SW_DECISION_NEW, SW_DECISION_REQUEST, SW_DECISION_ENLARGE,
                                                         SW_DECISION_REUSE, SW_DECISION_SHARE};
    bool gives = false;
    for (size_t i = 0; i < sizeof giving_kinds / sizeof *giving_kinds; i++) {
        gives = gives || decision->kind == giving_kinds[i];
    }
    return gives && sw_decision_part(decision) != SW_NONE;
}

static bool find_id_decisions(struct sw_facts *facts, const struct sw_search *search) {
    uint32_t buffers = sw_problem_buffer_count(sw_search_problem(search));
    if (facts->ids.count == 0) {
        return true;
    }
    if (!SW_RESERVE(&facts->decided, buffers)) {
        return false;
    }
    memset(facts->decided.items, 0, buffers * sizeof *facts->decided.items);
    facts->decided.count = buffers;
    for (uint64_t i = 1; i <= sw_search_at(search); i++) {
        const struct sw_decision *decision = sw_search_journal(search, i);
        if (decision && decision->buffer < buffers && gives_id(decision) &&
            facts->decided.items[decision->buffer] == 0) {
            facts->decided.items[decision->buffer] = i;
        }
    }
    return true;
}

/* ---- what the layout says ---- */

/* A segment begins where the lowest of its objects lies. One that no object is assigned to is not in the layout. */
static bool find_bottoms(struct sw_facts *facts, const struct sw_layout *layout) {
    const struct sw_parts *parts = &facts->segments;
    const struct sw_problem *problem = sw_layout_problem(layout);
    if (!SW_RESERVE(&facts->bottom, parts->count)) {
        return false;
    }
    facts->bottom.count = parts->count;
    for (uint32_t p = 0; p < parts->count; p++) {
        uint64_t lo = SW_UNBOUNDED, hi = 0;
        for (uint32_t i = parts->first.items[p]; i < parts->first.items[p + 1]; i++) {
            struct sw_placement place;
            uint32_t b = parts->members.items[i];
            for (uint32_t k = 0; sw_layout_placement(layout, b, k, &place); k++) {
                uint64_t end = place.offset + sw_problem_buffer(problem, b)->size;
                lo = place.tier == 0 && place.offset < lo ? place.offset : lo;
                hi = place.tier == 0 && end > hi ? end : hi;
            }
        }
        facts->bottom.items[p] = lo;
        facts->stale |= lo != SW_UNBOUNDED && hi - lo > parts->bytes.items[p];
    }
    return true;
}

SW_BY_FIELDS(compare_moves, struct sw_transfer, SW_UP(step), SW_UP(buffer), SW_UP(from), SW_UP(to))

static bool find_layout_moves(struct sw_facts *facts, const struct sw_layout *layout) {
    size_t count = sw_layout_transfer_count(layout);
    if (!SW_RESERVE(&facts->moves, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct sw_transfer move = sw_layout_transfer_get(layout, i);
        facts->moves.items[i] = move;
        facts->moved += sw_problem_buffer(sw_layout_problem(layout), move.buffer)->size;
    }
    facts->moves.count = count;
    return true;
}

/* Where a buffer is that is not in tier 0; has_host: there is no tier for it (sw_layout_has_host). */
static uint32_t host_tier(const struct sw_problem *problem, uint32_t buffer, bool has_host) {
    uint64_t lower = sw_problem_buffer(problem, buffer)->tiers >> 1;
    uint32_t tier = 1;
    if (has_host || lower == 0) {
        return SW_NONE;
    }
    for (; !(lower & 1); lower >>= 1) {
        tier++;
    }
    return tier;
}

/* A reference that places nothing still says what it evicts and fetches; where its layout has the moves that count,
 * only the others are looked for. */
static bool find_decided_moves(struct sw_facts *facts, const struct sw_search *search) {
    const struct sw_problem *problem = sw_search_problem(search);
    bool told = facts->moves.count > 0, has_host = sw_layout_has_host(problem); /* it looks at every buffer */
    for (uint64_t i = 1; i <= sw_search_at(search); i++) {
        const struct sw_decision *decision = sw_search_journal(search, i);
        bool out = decision && decision->kind == SW_DECISION_EVICT;
        if (!decision || decision->buffer == SW_NONE || decision->time == SW_NONE ||
            (!out && decision->kind != SW_DECISION_FETCH)) {
            continue;
        }
        uint32_t host = host_tier(problem, decision->buffer, has_host);
        struct sw_transfer move = {decision->buffer, decision->time, out ? 0 : host, out ? host : 0};
        uint64_t moved = sw_decision_amount(decision);
        if (moved == 0) {
            facts->free_moves++;
        } else if (told) {
            continue;
        } else if (!SW_PUSH(&facts->moves, move)) {
            return false;
        } else {
            facts->moved += moved;
        }
    }
    return true;
}

bool sw_facts_gather(struct sw_facts *facts, const struct sw_search *search) {
    const struct sw_layout *layout = sw_search_layout(search);
    parts_clear(&facts->ids);
    parts_clear(&facts->segments);
    facts->decided.count = facts->bottom.count = facts->moves.count = 0;
    facts->stale = facts->hands_out_ids = false;
    facts->adopted = 0;
    facts->moved = facts->free_moves = 0;
    sw_search_claims(search, &facts->claims);
    bool good = take_details(facts, search) && find_id_decisions(facts, search) && find_bottoms(facts, layout) &&
                find_layout_moves(facts, layout) && (!facts->claims.no_addresses || find_decided_moves(facts, search));
    SW_SORT_LIST(&facts->moves, compare_moves);
    return good;
}

void sw_view_with_facts(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box,
                        sw_build_with_facts *build) {
    struct sw_facts own = {0};
    if (!in->run.facts && !sw_facts_gather(&own, in->run.search)) {
        scene->failed = true;
    } else {
        build(in, in->run.facts ? in->run.facts : &own, scene, box);
    }
    sw_facts_done(&own);
}

void sw_facts_done(struct sw_facts *facts) {
    parts_done(&facts->ids);
    parts_done(&facts->segments);
    SW_ARRAY_DONE(&facts->decided, &facts->bottom, &facts->moves);
}

const char *sw_view_below(struct sw_scene *scene, const struct sw_search *search, bool brief) {
    const char *words = sw_below_words(search, brief);
    scene->failed |= !words;
    return words ? words : "";
}

const char *sw_below_words(const struct sw_search *search, bool brief) {
    static const char *const words[][2] = {
        [SW_BELOW_NOT] = {"", ""},
        [SW_BELOW_MOVED] = {"", ""},
        [SW_BELOW_PERMITTED] = {"below the bound by overlaps that the graph permits", "below, by permitted overlaps"},
        [SW_BELOW_ASSUMED] = {"below the bound only if operators can write over what they read",
                              "below, by assumed overwrites"},
        [SW_BELOW_WRONG] = {"BELOW THE BOUND: the plan is wrong, it lets buffers overlap that are "
                            "needed together",
                            "BELOW THE BOUND: WRONG"}};
    enum sw_below below;
    return sw_search_below(search, &below) ? words[below][brief] : NULL;
}

const char *sw_bound_remark(const struct sw_search *search) {
    struct sw_claims claims;
    sw_search_claims(search, &claims);
    bool moves = sw_layout_transfer_count(sw_search_layout(search)) > 0;
    return claims.has_migration || moves ? " without migration" : "";
}
