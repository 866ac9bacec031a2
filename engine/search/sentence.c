/* A decision as one sentence, in the third person: "places conv3_out (2048 B) at sram+4096:
 * smallest free block that fits". Every kind that a planner makes has words of its own, and says
 * its figures before and after. Each describe_... answers -1 for kinds that are not its own. */
#include "search/decision.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h> /* snprintf */

/* The parts of a sentence. */
struct words {
    const char *name, *other, *tier, *action, *op, *reason, *colon;
    int64_t time;
};

static struct words words_of(const struct sw_problem *problem, const struct sw_decision *d) {
    struct words w = {.name = "",
                      .other = "",
                      .tier = "",
                      .op = "",
                      .action = d->action ? d->action : "",
                      .reason = d->reason ? d->reason : ""};
    w.name = d->buffer == SW_NONE ? "" : sw_problem_buffer(problem, d->buffer)->name;
    w.other = d->other == SW_NONE ? "" : sw_problem_buffer(problem, d->other)->name;
    w.tier = d->tier == SW_NONE ? "" : sw_problem_tier(problem, d->tier)->name;
    if (d->time != SW_NONE) {
        w.time = sw_problem_time(problem, d->time);
        w.op = d->time < sw_problem_operator_count(problem)
                   ? sw_problem_operator(problem, d->time)->name
                   : "";
    }
    w.colon = *w.reason ? ": " : "";
    return w;
}

static const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

/* ", cost 161.125 -> 80.125", ", cost still 80.125", with one figure ", cost 80.125", or nothing.
 */
static const char *change(const struct sw_decision *d, const char *what, const char *unit,
                          char text[96]) {
    text[0] = '\0';
    if (!isnan(d->figures[0]) && d->figures[0] == d->figures[1]) {
        snprintf(text, 96, ", %s still %.15g%s", what, d->figures[1], unit);
    } else if (!isnan(d->figures[0]) && !isnan(d->figures[1])) {
        snprintf(text, 96, ", %s %.15g -> %.15g%s", what, d->figures[0], d->figures[1], unit);
    } else if (!isnan(d->figures[1])) {
        snprintf(text, 96, ", %s %.15g%s", what, d->figures[1], unit);
    }
    return text;
}

/* ---- memory ids: token-sharing ---- */

static int describe_adopt(const struct words *w, const struct sw_decision *d, char *text,
                          size_t size) {
    if (d->size == d->amount) {
        return snprintf(text, size,
                        "gives %s another dtype or alignment, of %" PRIu64 " B as before%s%s",
                        w->name, d->size, w->colon, w->reason);
    }
    return snprintf(text, size, "makes %s %s, %" PRIu64 " -> %" PRIu64 " B%s%s", w->name,
                    d->size < d->amount ? "smaller" : "larger", d->amount, d->size, w->colon,
                    w->reason);
}

static int describe_enlarge(const struct words *w, const struct sw_decision *d, char *text,
                            size_t size) {
    return snprintf(text, size,
                    "enlarges id %u by %" PRIu64 " B, %.0f -> %.0f B, for %s (%" PRIu64
                    " B) at %s+%" PRIu64 "%s%s",
                    (unsigned)d->part, d->amount, d->figures[0], d->figures[1], w->name, d->size,
                    w->tier, d->offset, w->colon, w->reason);
}

static int describe_share(const struct words *w, const struct sw_decision *d, char *text,
                          size_t size) {
    return snprintf(text, size, "shares id %u%s%s for %s (%" PRIu64 " B) at %s+%" PRIu64 "%s%s",
                    (unsigned)d->part, *w->op ? " with operator " : "", w->op, w->name, d->size,
                    w->tier, d->offset, w->colon, w->reason);
}

static int describe_id(const struct words *w, const struct sw_decision *d, char *text,
                       size_t size) {
    unsigned id = (unsigned)d->part;
    switch ((enum sw_decision_kind)d->kind) {
    case SW_DECISION_ADOPT:
        return describe_adopt(w, d, text, size);
    case SW_DECISION_TOKEN:
        return snprintf(text, size, "gives %s (%" PRIu64 " B) a token with count %" PRIu64 "%s%s",
                        w->name, d->size, d->amount, w->colon, w->reason);
    case SW_DECISION_RELEASE:
        return snprintf(
            text, size, "releases id %u, which held %s: %" PRIu64 " B free at %s+%" PRIu64 "%s%s",
            id, w->name, d->size, w->tier, d->offset, *w->reason ? ", as " : "", w->reason);
    case SW_DECISION_ENLARGE:
        return describe_enlarge(w, d, text, size);
    case SW_DECISION_REUSE:
        return snprintf(text, size,
                        "writes %s (%" PRIu64 " B) over %s, in place, id %u at %s+%" PRIu64 "%s%s",
                        w->name, d->size, w->other, id, w->tier, d->offset, w->colon, w->reason);
    case SW_DECISION_NEW:
        return snprintf(text, size, "makes id %u for %s (%" PRIu64 " B) at %s+%" PRIu64 "%s%s", id,
                        w->name, d->size, w->tier, d->offset, w->colon, w->reason);
    case SW_DECISION_REQUEST:
        return snprintf(text, size,
                        "takes id %u (%" PRIu64 " B) from the free pool for %s (%" PRIu64
                        " B) at %s+%" PRIu64 "%s%s",
                        id, d->amount, w->name, d->size, w->tier, d->offset, w->colon, w->reason);
    case SW_DECISION_SHARE:
        return describe_share(w, d, text, size);
    default:
        return -1;
    }
}

/* ---- blocks and addresses ---- */

static int describe_free(const struct words *w, const struct sw_decision *d, char *text,
                         size_t size) {
    switch ((enum sw_decision_kind)d->kind) {
    case SW_DECISION_RELEASE:
        return snprintf(text, size, "releases %s: %" PRIu64 " B free at %s+%" PRIu64 "%s%s",
                        w->name, d->size, w->tier, d->offset, *w->reason ? ", as " : "", w->reason);
    case SW_DECISION_COALESCE:
        return snprintf(text, size,
                        "joins the freed space of %s with its neighbours, %" PRIu64 " -> %" PRIu64
                        " B free at %s+%" PRIu64 "%s%s",
                        w->name, d->amount, d->size, w->tier, d->offset, w->colon, w->reason);
    case SW_DECISION_GROW:
        return snprintf(text, size,
                        "enlarges the free space at %s+%" PRIu64 " by %" PRIu64
                        " B for %s (%" PRIu64 " B)%s%s%s%s%s",
                        w->tier, d->offset, d->amount, w->name, d->size,
                        *w->other ? ", which moves " : "", w->other,
                        *w->other ? " and all above it up" : "", w->colon, w->reason);
    case SW_DECISION_APPEND:
        return snprintf(text, size,
                        "appends %s (%" PRIu64 " B) at %s+%" PRIu64 ", arena %" PRIu64
                        " -> %" PRIu64 " B%s%s",
                        w->name, d->size, w->tier, d->offset, d->offset + d->size - d->amount,
                        d->offset + d->size, w->colon, w->reason);
    default:
        return -1;
    }
}

/* Moves between the device and the host. */
static int describe_move(const struct words *w, const struct sw_decision *d, char *text,
                         size_t size) {
    char migration[96];
    change(d, "migration", " B", migration);
    if (d->kind == SW_DECISION_EVICT) {
        return snprintf(text, size, "moves %s (%" PRIu64 " B) out of %s%s%s%s%s%s", w->name,
                        d->size, w->tier, *w->other ? " for " : "", w->other, migration, w->colon,
                        w->reason);
    }
    return d->kind == SW_DECISION_FETCH
               ? snprintf(text, size, "moves %s (%" PRIu64 " B) into %s%s%s%s", w->name, d->size,
                          w->tier, migration, w->colon, w->reason)
               : -1;
}

/* A node is cut off; `amount` is the most that would have helped, when that is the reason. */
static int describe_cut(const struct words *w, const struct sw_decision *d, char *text,
                        size_t size) {
    uint64_t end = d->offset + d->size;
    if (d->buffer == SW_NONE && d->amount == 0) {
        return snprintf(text, size, "cuts off this node%s%s", w->colon, w->reason);
    }
    if (d->buffer == SW_NONE) {
        return snprintf(text, size,
                        "cuts off this node: at time %" PRId64 ", %" PRIu64
                        " B still to be placed above %" PRIu64 " would end at %" PRIu64
                        " B, and more than %" PRIu64 " B is no better (rule floor)",
                        w->time, d->size, d->offset, end, d->amount);
    }
    if (d->amount > 0) {
        return snprintf(text, size,
                        "cuts off this node: %s (%" PRIu64 " B) at %s+%" PRIu64
                        " would end at %" PRIu64 " B, and more than %" PRIu64
                        " B is no better (rule capacity)",
                        w->name, d->size, w->tier, d->offset, end, d->amount);
    }
    return snprintf(text, size, "cuts off the node with %s (%" PRIu64 " B) at %s+%" PRIu64 "%s%s",
                    w->name, d->size, w->tier, d->offset, w->colon, w->reason);
}

static int describe_placing(const struct words *w, const struct sw_decision *d, char *text,
                            size_t size) {
    switch ((enum sw_decision_kind)d->kind) {
    case SW_DECISION_PLACE:
        return snprintf(text, size, "places %s (%" PRIu64 " B) at %s+%" PRIu64 "%s%s%s%s", w->name,
                        d->size, w->tier, d->offset,
                        !*w->other ? "" : d->amount ? ", over " : ", in place with ", w->other,
                        w->colon, w->reason);
    case SW_DECISION_PRECONF:
        return snprintf(text, size, "plans %s (%" PRIu64 " B) ahead at %s+%" PRIu64 "%s%s%s%s",
                        w->name, d->size, w->tier, d->offset, *w->other ? ", over " : "", w->other,
                        w->colon, w->reason);
    case SW_DECISION_BACKTRACK:
        return snprintf(text, size, "takes %s (%" PRIu64 " B) back from %s+%" PRIu64 "%s%s",
                        w->name, d->size, w->tier, d->offset, w->colon, w->reason);
    case SW_DECISION_BRANCH:
        return snprintf(text, size,
                        "opens a node with %u candidate%s, first %s (%" PRIu64 " B) at %s+%" PRIu64
                        "%s%s",
                        (unsigned)d->candidates, plural(d->candidates), w->name, d->size, w->tier,
                        d->offset, w->colon, w->reason);
    case SW_DECISION_PRUNE:
        return describe_cut(w, d, text, size);
    default:
        return -1;
    }
}

/* ---- tier-search: actions, and states with their cost ---- */

static int describe_try(const struct words *w, const struct sw_decision *d, char *text,
                        size_t size) {
    char cost[96];
    if (d->amount == 0) { /* nothing came of it */
        return snprintf(text, size, "tries %s on %s, which stays at %s+%" PRIu64 "%s%s", w->action,
                        w->name, w->tier, d->offset, w->colon, w->reason);
    }
    return snprintf(text, size, "tries %s on %s, to %s+%" PRIu64 "%s%s%s%s%s", w->action, w->name,
                    w->tier, d->offset, *w->other ? " over " : "", w->other,
                    change(d, "cost", "", cost), w->colon, w->reason);
}

static int describe_state(const struct words *w, const struct sw_decision *d, char *text,
                          size_t size) {
    char cost[96];
    bool kept = d->kind == SW_DECISION_ACCEPT;
    change(d, "cost", "", cost);
    switch ((enum sw_decision_kind)d->kind) {
    case SW_DECISION_TRY:
        return describe_try(w, d, text, size);
    case SW_DECISION_ACCEPT:
    case SW_DECISION_REVERT:
        return d->buffer == SW_NONE
                   ? snprintf(text, size, "%s%s%s%s",
                              kept ? "takes the cheapest recorded state"
                                   : "goes back to the state of the last update",
                              cost, w->colon, w->reason)
                   : snprintf(text, size, "%s the %s of %s%s%s%s", kept ? "keeps" : "takes back",
                              w->action, w->name, cost, w->colon, w->reason);
    case SW_DECISION_UPDATE:
        return snprintf(text, size, "ends segment %u%s%s%s", (unsigned)d->part, cost, w->colon,
                        w->reason);
    default:
        return -1;
    }
}

/* ---- populations, sequences and orders ---- */

/* "member 4" with what it was found to need. */
static int describe_member(const struct words *w, const struct sw_decision *d, const char *verb,
                           char *text, size_t size) {
    char migration[96];
    unsigned member = (unsigned)d->members[0];
    if (d->amount == SW_UNBOUNDED) {
        return snprintf(text, size, "%s member %u, which is impossible%s%s", verb, member, w->colon,
                        w->reason);
    }
    if (*change(d, "migration", isnan(d->cost) ? " B" : " to move", migration)) {
        return snprintf(text, size, "%s member %u%s%s%s", verb, member, migration, w->colon,
                        w->reason);
    }
    if (!isnan(d->cost)) {
        return snprintf(text, size, "%s member %u, which costs %.15g to move%s%s", verb, member,
                        d->cost, w->colon, w->reason);
    }
    return snprintf(text, size, "%s member %u, which moves %" PRIu64 " B%s%s", verb, member,
                    d->amount, w->colon, w->reason);
}

static int describe_decode(const struct words *w, const struct sw_decision *d, char *text,
                           size_t size) {
    char best[96], member[32] = "a random order";
    if (d->members[0] != SW_NONE) {
        snprintf(member, sizeof member, "member %u", (unsigned)d->members[0]);
    }
    return snprintf(text, size, "decodes %s by first fit to a peak of %" PRIu64 " B%s%s%s", member,
                    d->amount, change(d, "best", " B", best), w->colon, w->reason);
}

static int describe_crossover(const struct words *w, const struct sw_decision *d, char *text,
                              size_t size) {
    unsigned a = (unsigned)d->members[0], b = (unsigned)d->members[1];
    if (d->measures != SW_AMOUNT_MOVED) { /* a window of an order */
        return snprintf(text, size,
                        "crosses member %u with member %u, keeping places %" PRIu64 " to %" PRIu64
                        " of member %u, of continuity %" PRIu64 "%s%s",
                        a, b, d->offset, d->offset + d->size - 1, a, d->amount, w->colon,
                        w->reason);
    }
    return snprintf(text, size,
                    "crosses members %u and %u, exchanging %" PRIu64 " object%s of segment %u%s%s",
                    a, b, d->amount, plural(d->amount), (unsigned)d->part, w->colon, w->reason);
}

static int describe_exchange(const struct words *w, const struct sw_decision *d, char *text,
                             size_t size) {
    unsigned a = (unsigned)d->members[0], b = (unsigned)d->members[1];
    if (d->kind == SW_DECISION_MUTATE) {
        return d->buffer == SW_NONE ? snprintf(text, size, "exchanges nothing in member %u%s%s", a,
                                               w->colon, w->reason)
                                    : snprintf(text, size, "exchanges %s and %s in member %u%s%s",
                                               w->name, w->other, a, w->colon, w->reason);
    }
    return b == (unsigned)SW_NONE
               ? snprintf(text, size, "exchanges %s and %s in the child of member %u%s%s", w->name,
                          w->other, a, w->colon, w->reason)
               : snprintf(text, size, "exchanges %s and %s in the child of members %u and %u%s%s",
                          w->name, w->other, a, b, w->colon, w->reason);
}

static int describe_generation(const struct words *w, const struct sw_decision *d, char *text,
                               size_t size) {
    if (isnan(d->figures[0])) {
        return snprintf(text, size, "ends generation %u without any possible member%s%s",
                        (unsigned)d->part, *w->reason ? "; " : "", w->reason);
    }
    if (!isnan(d->cost)) {
        return snprintf(text, size, "ends generation %u: best %.6g, mean %.6g, worst %.6g%s%s",
                        (unsigned)d->part, d->figures[0], d->figures[1], d->figures[2],
                        *w->reason ? "; " : "", w->reason);
    }
    return snprintf(text, size, "ends generation %u: best %.0f B, mean %.0f B, worst %.0f B%s%s",
                    (unsigned)d->part, d->figures[0], d->figures[1], d->figures[2],
                    *w->reason ? "; " : "", w->reason);
}

/* How the population changes. */
static int describe_population(const struct words *w, const struct sw_decision *d, char *text,
                               size_t size) {
    unsigned member = (unsigned)d->members[0];
    switch ((enum sw_decision_kind)d->kind) {
    case SW_DECISION_INDIVIDUAL:
        return d->measures == SW_AMOUNT_MOVED
                   ? describe_member(w, d, "draws", text, size)
                   : snprintf(text, size, "draws member %u%s%s", member, w->colon, w->reason);
    case SW_DECISION_DECODE:
        return describe_decode(w, d, text, size);
    case SW_DECISION_CROSSOVER:
        return describe_crossover(w, d, text, size);
    case SW_DECISION_MUTATE:
    case SW_DECISION_SWAP:
        return describe_exchange(w, d, text, size);
    case SW_DECISION_SELECT:
        return snprintf(text, size, "keeps %" PRIu64 " of %u member%s%s%s", d->amount,
                        (unsigned)d->candidates, plural(d->candidates), w->colon, w->reason);
    case SW_DECISION_IMMIGRATE:
        return d->amount == 0 ? snprintf(text, size, "adds no member%s%s", w->colon, w->reason)
                              : snprintf(text, size, "adds %" PRIu64 " random member%s%s%s",
                                         d->amount, plural(d->amount), w->colon, w->reason);
    case SW_DECISION_GENERATION:
        return describe_generation(w, d, text, size);
    default:
        return -1;
    }
}

static int describe_merge(const struct words *w, const struct sw_decision *d, char *text,
                          size_t size) {
    if (d->buffer != SW_NONE) {
        return snprintf(text, size,
                        "merges %" PRIu64 " small objects, first %s, into %" PRIu64 " B%s%s",
                        d->amount, w->name, d->size, w->colon, w->reason);
    }
    return d->amount == 0
               ? snprintf(text, size, "merges nothing%s%s", w->colon, w->reason)
               : snprintf(text, size, "merges %" PRIu64 " access%s with the run before%s%s",
                          d->amount, d->amount == 1 ? "" : "es", w->colon, w->reason);
}

/* What a genetic planner prepares. */
static int describe_preparation(const struct words *w, const struct sw_decision *d, char *text,
                                size_t size) {
    switch ((enum sw_decision_kind)d->kind) {
    case SW_DECISION_SORT:
        return d->members[0] == SW_NONE
                   ? snprintf(text, size, "sorts %" PRIu64 " object%s by size%s%s", d->amount,
                              plural(d->amount), w->colon, w->reason)
                   : snprintf(text, size,
                              "sorts the blocks of member %u by start address, which gives "
                              "continuity %" PRIu64 "%s%s",
                              (unsigned)d->members[0], d->amount, w->colon, w->reason);
    case SW_DECISION_MERGE:
        return describe_merge(w, d, text, size);
    case SW_DECISION_CHOOSE:
        return snprintf(text, size, "chooses %u object%s of %" PRIu64 " B%s%s", (unsigned)d->part,
                        plural(d->part), d->size, w->colon, w->reason);
    case SW_DECISION_PARTITION:
        return snprintf(text, size, "cuts %" PRIu64 " B of memory into %u segment%s%s%s", d->size,
                        (unsigned)d->part, plural(d->part), w->colon, w->reason);
    default:
        return -1;
    }
}

/* ---- what was measured, found or proved ---- */

static int describe_evaluate(const struct words *w, const struct sw_decision *d, char *text,
                             size_t size) {
    char figures[96];
    if (d->members[0] != SW_NONE) {
        return describe_member(w, d, "measures", text, size);
    }
    if (!isnan(d->figures[2])) {
        return snprintf(
            text, size,
            isnan(d->cost) ? "measures the first population: best %.0f B, mean %.0f B, worst %.0f B"
                           : "measures the first population: best %.6g, mean %.6g, worst %.6g",
            d->figures[0], d->figures[1], d->figures[2]);
    }
    if (!isnan(d->cost)) {
        change(d, "cost", "", figures);
        return d->buffer == SW_NONE ? snprintf(text, size, "measures the pre-configuration%s%s%s",
                                               figures, w->colon, w->reason)
                                    : snprintf(text, size, "measures the %s of %s%s%s%s", w->action,
                                               w->name, figures, w->colon, w->reason);
    }
    if (d->measures == SW_AMOUNT_NOTHING) {
        return snprintf(text, size, "measures nothing%s%s", w->colon, w->reason);
    }
    if (d->amount == SW_UNBOUNDED) {
        return snprintf(text, size, "measures infinite migration%s%s", w->colon, w->reason);
    }
    return snprintf(text, size, "measures %s of %" PRIu64 " B%s%s%s",
                    d->measures == SW_AMOUNT_MOVED ? "a migration" : "a layout", d->amount,
                    change(d, "best", " B", figures), w->colon, w->reason);
}

static int describe_figure(const struct words *w, const struct sw_decision *d, char *text,
                           size_t size) {
    char best[96];
    switch ((enum sw_decision_kind)d->kind) {
    case SW_DECISION_EVALUATE:
        return describe_evaluate(w, d, text, size);
    case SW_DECISION_INCUMBENT:
        return snprintf(text, size, "finds a layout of %" PRIu64 " B%s%s%s", d->amount,
                        change(d, "best", " B", best), w->colon, w->reason);
    case SW_DECISION_RESTART:
        return snprintf(text, size, "begins again, for a layout within %" PRIu64 " B%s%s",
                        d->amount, w->colon, w->reason);
    case SW_DECISION_SEARCH:
        return snprintf(text, size, "searches for %u step%s for a layout below %" PRIu64 " B%s%s",
                        (unsigned)d->members[0], plural(d->members[0]), d->amount, w->colon,
                        w->reason);
    case SW_DECISION_DEFER:
        return snprintf(text, size,
                        "leaves it to another method, towards the bound of %" PRIu64 " B%s%s",
                        d->amount, w->colon, w->reason);
    case SW_DECISION_REPAIR:
        return snprintf(text, size,
                        "puts %u block%s back below %" PRIu64 " B, pushes %u out, %u left%s%s",
                        (unsigned)d->members[0], plural(d->members[0]), d->amount,
                        (unsigned)d->members[1], (unsigned)d->part, w->colon, w->reason);
    case SW_DECISION_PROVED:
        return d->measures == SW_AMOUNT_NOTHING
                   ? snprintf(text, size, "proves that nothing fits%s%s", w->colon, w->reason)
                   : snprintf(text, size, "proves that %" PRIu64 " B is the least%s%s", d->amount,
                              w->colon, w->reason);
    case SW_DECISION_FINISH:
        if (!isnan(d->cost)) {
            return snprintf(text, size, "answers with a %s %.15g%s%s",
                            d->measures == SW_AMOUNT_MOVED ? "sequence whose moves cost"
                                                           : "layout that costs",
                            d->cost, w->colon, w->reason);
        }
        return snprintf(text, size, "answers with a %s %" PRIu64 " B%s%s",
                        d->measures == SW_AMOUNT_MOVED ? "sequence that moves" : "layout of",
                        d->amount, w->colon, w->reason);
    default:
        return -1;
    }
}

int sw_decision_describe(const struct sw_problem *problem, const struct sw_decision *d, char *text,
                         size_t size) {
    typedef int describe(const struct words *, const struct sw_decision *, char *, size_t);
    static describe *const always[] = {describe_figure, describe_state, describe_population,
                                       describe_preparation},
                           *const ids[] = {describe_id},
                           *const blocks[] = {describe_free, describe_move, describe_placing},
                           *const nodes[] = {describe_cut};
    struct words w = words_of(problem, d);
    bool token = d->buffer != SW_NONE && (d->part != SW_NONE || d->kind == SW_DECISION_ADOPT ||
                                          d->kind == SW_DECISION_TOKEN);
    const struct {
        describe *const *list;
        size_t count;
        bool wanted;
    } families[] = {
        {always, sizeof always / sizeof *always, true},
        {ids, 1, token},
        {blocks, sizeof blocks / sizeof *blocks, d->buffer != SW_NONE && d->tier != SW_NONE},
        {nodes, 1, d->kind == SW_DECISION_PRUNE}};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        for (size_t i = 0; families[f].wanted && i < families[f].count; i++) {
            int length = families[f].list[i](&w, d, text, size);
            if (length >= 0) {
                return length;
            }
        }
    }
    return snprintf(text, size, "%s%s%s%s%s", sw_decision_word((enum sw_decision_kind)d->kind),
                    *w.name ? " " : "", w.name, w.colon, w.reason);
}
