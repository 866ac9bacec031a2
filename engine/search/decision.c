/* Words and sentences for decisions, and the list an explanation is. */
#include "search/decision.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h> /* vsnprintf */

static const struct {
    const char *word, *meaning;
} kinds[] = {
#define X(id, word, meaning) {word, meaning},
    SW_DECISION_KINDS(X)
#undef X
};

const char *sw_decision_word(enum sw_decision_kind kind) {
    return kinds[kind].word;
}

const char *sw_decision_meaning(enum sw_decision_kind kind) {
    return kinds[kind].meaning;
}

const char *sw_verdict_word(enum sw_verdict verdict) {
    static const char *const words[] = {"chosen", "fits", "refused"};
    return words[verdict];
}

void sw_explanation_clear(struct sw_explanation *explanation) {
    explanation->decision = (struct sw_decision){0};
    explanation->candidates.count = 0;
    explanation->moved.count = 0;
}

void sw_explanation_done(struct sw_explanation *explanation) {
    SW_ARRAY_DONE(&explanation->candidates);
    SW_ARRAY_DONE(&explanation->moved);
}

bool sw_explain(struct sw_explanation *explanation, enum sw_verdict verdict, uint32_t tier,
                uint64_t offset, uint64_t size, uint32_t below, uint32_t above, const char *format,
                ...) {
    if (!explanation) {
        return true;
    }
    struct sw_candidate candidate = {.verdict = verdict,
                                     .tier = tier,
                                     .offset = offset,
                                     .size = size,
                                     .below = below,
                                     .above = above};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(candidate.reason, sizeof candidate.reason, format, arguments);
    va_end(arguments);
    return SW_PUSH(&explanation->candidates, candidate);
}

void sw_decision_clear(struct sw_decision *decision) {
    *decision = (struct sw_decision){.buffer = SW_NONE,
                                     .other = SW_NONE,
                                     .tier = SW_NONE,
                                     .time = SW_NONE,
                                     .cost = (double)NAN,
                                     .reason = "",
                                     .members = {SW_NONE, SW_NONE},
                                     .part = SW_NONE,
                                     .figures = {(double)NAN, (double)NAN, (double)NAN}};
}

/* The parts of a sentence. */
struct words {
    const char *name, *other, *tier, *action, *reason, *colon;
};

static struct words words_of(const struct sw_problem *problem, const struct sw_decision *d) {
    struct words w = {.name = "", .other = "", .tier = "", .action = d->action ? d->action : "",
                      .reason = d->reason ? d->reason : ""};
    w.name = d->buffer == SW_NONE ? "" : sw_problem_buffer(problem, d->buffer)->name;
    w.other = d->other == SW_NONE ? "" : sw_problem_buffer(problem, d->other)->name;
    w.tier = d->tier == SW_NONE ? "" : sw_problem_tier(problem, d->tier)->name;
    w.colon = *w.reason ? ": " : "";
    return w;
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
        return snprintf(text, size, "releases id %u after %s: %" PRIu64 " B free at %s+%" PRIu64
                        "%s%s", (unsigned)d->part, w->name, d->size, w->tier, d->offset, w->colon,
                        w->reason);
    case SW_DECISION_ENLARGE:
        return snprintf(text, size, "enlarges id %u by %" PRIu64 " B for %s (%" PRIu64 " B) at %s+%"
                        PRIu64 "%s%s", (unsigned)d->part, d->amount, w->name, d->size, w->tier,
                        d->offset, w->colon, w->reason);
    case SW_DECISION_REUSE:
        return snprintf(text, size, "writes %s (%" PRIu64 " B) over %s, id %u at %s+%" PRIu64
                        "%s%s", w->name, d->size, w->other, (unsigned)d->part, w->tier, d->offset,
                        w->colon, w->reason);
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

/* Blocks and addresses. */
static int describe_placing(const struct words *w, const struct sw_decision *d, char *text,
                            size_t size) {
    switch ((enum sw_decision_kind)d->kind) {
    case SW_DECISION_RELEASE:
        return snprintf(text, size, "releases %s: %" PRIu64 " B free at %s+%" PRIu64, w->name,
                        d->size, w->tier, d->offset);
    case SW_DECISION_COALESCE:
        return snprintf(text, size, "joins free spaces around %s: %" PRIu64 " B free at %s+%" PRIu64,
                        w->name, d->size, w->tier, d->offset);
    case SW_DECISION_GROW:
        return snprintf(text, size,
                        "enlarges the free space at %s+%" PRIu64 " by %" PRIu64
                        " B and places %s (%" PRIu64 " B) there%s%s",
                        w->tier, d->offset, d->amount, w->name, d->size, w->colon, w->reason);
    case SW_DECISION_APPEND:
        return snprintf(text, size, "appends %s (%" PRIu64 " B) at %s+%" PRIu64 "%s%s", w->name,
                        d->size, w->tier, d->offset, w->colon, w->reason);
    case SW_DECISION_EVICT:
        return snprintf(text, size, "moves %s (%" PRIu64 " B) out of %s%s%s", w->name, d->size,
                        w->tier, w->colon, w->reason);
    case SW_DECISION_FETCH:
        return snprintf(text, size, "moves %s (%" PRIu64 " B) into %s%s%s", w->name, d->size,
                        w->tier, w->colon, w->reason);
    case SW_DECISION_TRY:
        return snprintf(text, size, "tries %s on %s%s%s", w->action, w->name, w->colon, w->reason);
    default:
        return snprintf(text, size, "%s %s (%" PRIu64 " B) at %s+%" PRIu64 "%s%s",
                        d->kind == SW_DECISION_PLACE ? "places" : sw_decision_word(d->kind),
                        w->name, d->size, w->tier, d->offset, w->colon, w->reason);
    }
}

int sw_decision_describe(const struct sw_problem *problem, const struct sw_decision *d, char *text,
                         size_t size) {
    struct words w = words_of(problem, d);
    switch ((enum sw_decision_kind)d->kind) {
    case SW_DECISION_EVALUATE:
    case SW_DECISION_FINISH:
        if (!isnan(d->cost)) {
            return snprintf(text, size, "%s a cost of %.15g%s%s",
                            d->kind == SW_DECISION_FINISH ? "answers" : "measures", d->cost,
                            w.colon, w.reason);
        }
        if (d->amount == SW_UNBOUNDED) { /* a sequence of segment-genetic that cannot be */
            return snprintf(text, size, "measures infinite migration%s%s", w.colon, w.reason);
        }
        return snprintf(text, size, "%s %" PRIu64 " B%s%s",
                        d->kind == SW_DECISION_FINISH ? "answers" : "measures", d->amount, w.colon,
                        w.reason);
    default:
        break;
    }
    if (d->kind == SW_DECISION_MUTATE && d->buffer != SW_NONE && d->other != SW_NONE) {
        return snprintf(text, size, "exchanges %s and %s%s%s", w.name, w.other, w.colon, w.reason);
    }
    bool tokens = d->part != SW_NONE || d->kind == SW_DECISION_ADOPT || d->kind == SW_DECISION_TOKEN;
    int length = d->buffer != SW_NONE && tokens ? describe_id(&w, d, text, size) : -1;
    if (length >= 0) {
        return length;
    }
    if (d->buffer != SW_NONE && d->tier != SW_NONE) {
        return describe_placing(&w, d, text, size);
    }
    if (d->buffer != SW_NONE) {
        return snprintf(text, size, "%s %s%s%s", sw_decision_word(d->kind), w.name, w.colon,
                        w.reason);
    }
    return snprintf(text, size, "%s%s%s", sw_decision_word(d->kind), w.colon, w.reason);
}
