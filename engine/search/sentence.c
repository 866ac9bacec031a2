/* A decision as one sentence, in the third person: "places conv3_out (2048 B) at sram+4096:
 * smallest free block that fits". Every kind that a planner makes has words of its own. */
#include "search/decision.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h> /* snprintf */

/* The parts of a sentence. */
struct words {
    const char *name, *other, *tier, *action, *reason, *colon;
};

static struct words words_of(const struct sw_problem *problem, const struct sw_decision *d) {
    struct words w = {.name = "",
                      .other = "",
                      .tier = "",
                      .action = d->action ? d->action : "",
                      .reason = d->reason ? d->reason : ""};
    w.name = d->buffer == SW_NONE ? "" : sw_problem_buffer(problem, d->buffer)->name;
    w.other = d->other == SW_NONE ? "" : sw_problem_buffer(problem, d->other)->name;
    w.tier = d->tier == SW_NONE ? "" : sw_problem_tier(problem, d->tier)->name;
    w.colon = *w.reason ? ": " : "";
    return w;
}

static const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

/* Memory ids: token-sharing. Returns -1 for kinds that have none. */
static int describe_id(const struct words *w, const struct sw_decision *d, char *text,
                       size_t size) {
    const char *verb = "";
    switch ((enum sw_decision_kind)d->kind) {
    case SW_DECISION_ADOPT:
        return snprintf(text, size, "makes %s %" PRIu64 " B instead of %" PRIu64 " B%s%s", w->name,
                        d->size, d->amount, w->colon, w->reason);
    case SW_DECISION_TOKEN:
        return snprintf(text, size, "gives %s (%" PRIu64 " B) a token with count %" PRIu64 "%s%s",
                        w->name, d->size, d->amount, w->colon, w->reason);
    case SW_DECISION_RELEASE:
        return snprintf(
            text, size, "releases id %u after %s: %" PRIu64 " B free at %s+%" PRIu64 "%s%s",
            (unsigned)d->part, w->name, d->size, w->tier, d->offset, w->colon, w->reason);
    case SW_DECISION_ENLARGE:
        return snprintf(text, size,
                        "enlarges id %u by %" PRIu64 " B for %s (%" PRIu64 " B) at %s+%" PRIu64
                        "%s%s",
                        (unsigned)d->part, d->amount, w->name, d->size, w->tier, d->offset,
                        w->colon, w->reason);
    case SW_DECISION_REUSE:
        return snprintf(
            text, size, "writes %s (%" PRIu64 " B) over %s, id %u at %s+%" PRIu64 "%s%s", w->name,
            d->size, w->other, (unsigned)d->part, w->tier, d->offset, w->colon, w->reason);
    case SW_DECISION_NEW:
        verb = "makes";
        break;
    case SW_DECISION_REQUEST:
        verb = "takes";
        break;
    case SW_DECISION_SHARE:
        verb = "shares";
        break;
    default:
        return -1;
    }
    return snprintf(text, size, "%s id %u for %s (%" PRIu64 " B) at %s+%" PRIu64 "%s%s", verb,
                    (unsigned)d->part, w->name, d->size, w->tier, d->offset, w->colon, w->reason);
}

/* Blocks and addresses. Returns -1 for kinds that have none. */
static int describe_placing(const struct words *w, const struct sw_decision *d, char *text,
                            size_t size) {
    const char *verb = "";
    switch ((enum sw_decision_kind)d->kind) {
    case SW_DECISION_RELEASE:
        return snprintf(text, size, "releases %s: %" PRIu64 " B free at %s+%" PRIu64, w->name,
                        d->size, w->tier, d->offset);
    case SW_DECISION_COALESCE:
        return snprintf(text, size,
                        "joins free spaces around %s: %" PRIu64 " B free at %s+%" PRIu64, w->name,
                        d->size, w->tier, d->offset);
    case SW_DECISION_GROW:
        return snprintf(text, size,
                        "enlarges the free space at %s+%" PRIu64 " by %" PRIu64
                        " B and places %s (%" PRIu64 " B) there%s%s",
                        w->tier, d->offset, d->amount, w->name, d->size, w->colon, w->reason);
    case SW_DECISION_EVICT:
        return snprintf(text, size, "moves %s (%" PRIu64 " B) out of %s%s%s%s%s", w->name, d->size,
                        w->tier, *w->other ? " for " : "", w->other, w->colon, w->reason);
    case SW_DECISION_FETCH:
        return snprintf(text, size, "moves %s (%" PRIu64 " B) into %s%s%s", w->name, d->size,
                        w->tier, w->colon, w->reason);
    case SW_DECISION_BACKTRACK:
        return snprintf(text, size, "takes %s back from %s+%" PRIu64 "%s%s", w->name, w->tier,
                        d->offset, w->colon, w->reason);
    case SW_DECISION_BRANCH:
        return snprintf(text, size,
                        "opens a node with %s (%" PRIu64 " B) first, at %s+%" PRIu64 "%s%s",
                        w->name, d->size, w->tier, d->offset, w->colon, w->reason);
    case SW_DECISION_PRUNE:
        return snprintf(text, size,
                        "cuts off the node with %s (%" PRIu64 " B) at %s+%" PRIu64 "%s%s", w->name,
                        d->size, w->tier, d->offset, w->colon, w->reason);
    case SW_DECISION_PLACE:
        verb = "places";
        break;
    case SW_DECISION_APPEND:
        verb = "appends";
        break;
    case SW_DECISION_PRECONF:
        return snprintf(text, size, "plans %s (%" PRIu64 " B) ahead at %s+%" PRIu64 "%s%s", w->name,
                        d->size, w->tier, d->offset, w->colon, w->reason);
    default:
        return -1;
    }
    return snprintf(text, size, "%s %s (%" PRIu64 " B) at %s+%" PRIu64 "%s%s", verb, w->name,
                    d->size, w->tier, d->offset, w->colon, w->reason);
}

/* tier-search: actions, and states with their cost. */
static int describe_state(const struct words *w, const struct sw_decision *d, char *text,
                          size_t size) {
    char cost[80] = "";
    if (!isnan(d->figures[0]) && !isnan(d->figures[1])) {
        snprintf(cost, sizeof cost, ", cost %.15g -> %.15g", d->figures[0], d->figures[1]);
    } else if (!isnan(d->cost)) {
        snprintf(cost, sizeof cost, ", cost %.15g", d->cost);
    }
    switch ((enum sw_decision_kind)d->kind) {
    case SW_DECISION_TRY:
        return d->amount == 0 /* nothing came of it */
                   ? snprintf(text, size, "tries %s on %s%s%s", w->action, w->name, w->colon,
                              w->reason)
                   : snprintf(text, size, "tries %s on %s, to %s+%" PRIu64 "%s%s", w->action,
                              w->name, w->tier, d->offset, w->colon, w->reason);
    case SW_DECISION_ACCEPT:
    case SW_DECISION_REVERT:
        return d->buffer == SW_NONE
                   ? snprintf(text, size, "%s%s%s%s",
                              d->kind == SW_DECISION_ACCEPT ? "keeps the recorded state"
                                                            : "goes back to an earlier state",
                              cost, w->colon, w->reason)
                   : snprintf(text, size, "%s the %s of %s%s%s%s",
                              d->kind == SW_DECISION_ACCEPT ? "keeps" : "takes back", w->action,
                              w->name, cost, w->colon, w->reason);
    case SW_DECISION_UPDATE:
        return snprintf(text, size, "ends segment %u%s%s%s", (unsigned)d->part, cost, w->colon,
                        w->reason);
    default:
        return -1;
    }
}

/* "member 4" with what it was found to need. */
static int describe_member(const struct words *w, const struct sw_decision *d, const char *verb,
                           const char *what, char *text, size_t size) {
    if (d->amount == SW_UNBOUNDED) {
        return snprintf(text, size, "%s %s %u, which cannot be%s%s", verb, what,
                        (unsigned)d->members[0], w->colon, w->reason);
    }
    if (!isnan(d->cost)) {
        return snprintf(text, size, "%s %s %u, which costs %.15g to move%s%s", verb, what,
                        (unsigned)d->members[0], d->cost, w->colon, w->reason);
    }
    return snprintf(text, size, "%s %s %u, which moves %" PRIu64 " B%s%s", verb, what,
                    (unsigned)d->members[0], d->amount, w->colon, w->reason);
}

static int describe_crossover(const struct words *w, const struct sw_decision *d, char *text,
                              size_t size) {
    unsigned a = (unsigned)d->members[0], b = (unsigned)d->members[1];
    if (d->size > 0) { /* a window of an order */
        return snprintf(text, size,
                        "crosses members %u and %u, keeping %" PRIu64 " blocks from place %" PRIu64
                        " on with continuity %" PRIu64 "%s%s",
                        a, b, d->size, d->offset, d->amount, w->colon, w->reason);
    }
    return snprintf(text, size,
                    "crosses members %u and %u, exchanging %" PRIu64 " object%s of segment %u%s%s",
                    a, b, d->amount, plural(d->amount), (unsigned)d->part, w->colon, w->reason);
}

static int describe_generation(const struct words *w, const struct sw_decision *d, char *text,
                               size_t size) {
    if (!isnan(d->cost)) {
        return snprintf(text, size, "ends generation %u: best %.6g, mean %.6g, worst %.6g%s%s",
                        (unsigned)d->part, d->figures[0], d->figures[1], d->figures[2],
                        *w->reason ? "; " : "", w->reason);
    }
    return snprintf(text, size, "ends generation %u: best %.0f B, mean %.0f B, worst %.0f B%s%s",
                    (unsigned)d->part, d->figures[0], d->figures[1], d->figures[2],
                    *w->reason ? "; " : "", w->reason);
}

/* Populations, sequences and orders. */
static int describe_genetic(const struct words *w, const struct sw_decision *d, char *text,
                            size_t size) {
    unsigned member = (unsigned)d->members[0];
    switch ((enum sw_decision_kind)d->kind) {
    case SW_DECISION_INDIVIDUAL:
        return d->part == SW_NONE
                   ? describe_member(w, d, "draws", "member", text, size)
                   : snprintf(text, size, "draws order %u%s%s", member, w->colon, w->reason);
    case SW_DECISION_DECODE:
        return d->members[0] == SW_NONE
                   ? snprintf(text, size, "decodes an order to a peak of %" PRIu64 " B%s%s",
                              d->amount, w->colon, w->reason)
                   : snprintf(text, size, "decodes member %u to a peak of %" PRIu64 " B%s%s",
                              member, d->amount, w->colon, w->reason);
    case SW_DECISION_SORT:
        return d->members[0] == SW_NONE
                   ? snprintf(text, size, "sorts %" PRIu64 " %s", d->amount, w->reason)
                   : snprintf(text, size,
                              "sorts member %u, which then has continuity %" PRIu64 "%s%s", member,
                              d->amount, w->colon, w->reason);
    case SW_DECISION_CROSSOVER:
        return describe_crossover(w, d, text, size);
    case SW_DECISION_MUTATE:
    case SW_DECISION_SWAP:
        return snprintf(text, size, "exchanges %s and %s%s%s", w->name, w->other, w->colon,
                        w->reason);
    case SW_DECISION_SELECT:
        return snprintf(text, size, "keeps %" PRIu64 " member%s%s%s", d->amount, plural(d->amount),
                        w->colon, w->reason);
    case SW_DECISION_IMMIGRATE:
        return snprintf(text, size, "adds %" PRIu64 " member%s%s%s", d->amount, plural(d->amount),
                        w->colon, w->reason);
    case SW_DECISION_GENERATION:
        return describe_generation(w, d, text, size);
    case SW_DECISION_MERGE:
        return d->amount == 0 ? snprintf(text, size, "merges nothing%s%s", w->colon, w->reason)
                              : snprintf(text, size, "merges %" PRIu64 " time%s%s%s", d->amount,
                                         plural(d->amount), w->colon, w->reason);
    case SW_DECISION_CHOOSE:
        return snprintf(text, size, "chooses %u object%s%s%s", (unsigned)d->part, plural(d->part),
                        w->colon, w->reason);
    case SW_DECISION_PARTITION:
        return snprintf(text, size, "cuts memory into %u segment%s%s%s", (unsigned)d->part,
                        plural(d->part), w->colon, w->reason);
    default:
        return -1;
    }
}

/* What was measured, found or proved. */
static int describe_figure(const struct words *w, const struct sw_decision *d, char *text,
                           size_t size) {
    const char *verb = d->kind == SW_DECISION_FINISH      ? "answers"
                       : d->kind == SW_DECISION_INCUMBENT ? "finds a layout of"
                       : d->kind == SW_DECISION_PROVED    ? "proves"
                                                          : "measures";
    bool figure = d->kind == SW_DECISION_FINISH || d->kind == SW_DECISION_INCUMBENT ||
                  d->kind == SW_DECISION_PROVED || d->kind == SW_DECISION_EVALUATE;
    if (!figure) {
        return -1;
    }
    if (d->kind == SW_DECISION_EVALUATE && d->members[0] != SW_NONE) {
        return describe_member(w, d, "measures", "member", text, size);
    }
    if (!isnan(d->cost)) {
        return snprintf(text, size, "%s a cost of %.15g%s%s", verb, d->cost, w->colon, w->reason);
    }
    if (d->amount == SW_UNBOUNDED) {
        return snprintf(text, size, "%s infinite migration%s%s", verb, w->colon, w->reason);
    }
    return snprintf(text, size, "%s %" PRIu64 " B%s%s", verb, d->amount, w->colon, w->reason);
}

int sw_decision_describe(const struct sw_problem *problem, const struct sw_decision *d, char *text,
                         size_t size) {
    struct words w = words_of(problem, d);
    bool tokens =
        d->part != SW_NONE || d->kind == SW_DECISION_ADOPT || d->kind == SW_DECISION_TOKEN;
    int length = describe_figure(&w, d, text, size);
    length = length < 0 ? describe_state(&w, d, text, size) : length;
    length = length < 0 ? describe_genetic(&w, d, text, size) : length;
    if (length < 0 && d->buffer != SW_NONE && tokens) {
        length = describe_id(&w, d, text, size);
    }
    if (length < 0 && d->buffer != SW_NONE && d->tier != SW_NONE) {
        length = describe_placing(&w, d, text, size);
    }
    if (length < 0 && d->kind == SW_DECISION_PRUNE) {
        length = snprintf(text, size, "cuts off this node%s%s", w.colon, w.reason);
    }
    return length >= 0 ? length
                       : snprintf(text, size, "%s%s%s%s%s",
                                  sw_decision_word((enum sw_decision_kind)d->kind),
                                  *w.name ? " " : "", w.name, w.colon, w.reason);
}
