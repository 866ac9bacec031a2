/* Words and sentences for decisions, and the list an explanation is. */
#include "search/decision.h"

#include <inttypes.h>
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

int sw_decision_describe(const struct sw_problem *problem, const struct sw_decision *decision,
                         char *text, size_t size) {
    const char *reason = decision->reason ? decision->reason : "";
    const char *colon = *reason ? ": " : "";
    const char *name =
        decision->buffer == SW_NONE ? "" : sw_problem_buffer(problem, decision->buffer)->name;
    const char *tier =
        decision->tier == SW_NONE ? "" : sw_problem_tier(problem, decision->tier)->name;
    switch ((enum sw_decision_kind)decision->kind) {
    case SW_DECISION_PLACE:
        return snprintf(text, size, "places %s (%" PRIu64 " B) at %s+%" PRIu64 "%s%s", name,
                        decision->size, tier, decision->offset, colon, reason);
    case SW_DECISION_RELEASE:
        return snprintf(text, size, "releases %s: %" PRIu64 " B free at %s+%" PRIu64, name,
                        decision->size, tier, decision->offset);
    case SW_DECISION_COALESCE:
        return snprintf(text, size, "joins free spaces around %s: %" PRIu64 " B free at %s+%" PRIu64,
                        name, decision->size, tier, decision->offset);
    case SW_DECISION_GROW:
        return snprintf(text, size,
                        "enlarges the free space at %s+%" PRIu64 " by %" PRIu64
                        " B and places %s (%" PRIu64 " B) there%s%s",
                        tier, decision->offset, decision->amount, name, decision->size, colon,
                        reason);
    case SW_DECISION_APPEND:
        return snprintf(text, size, "appends %s (%" PRIu64 " B) at %s+%" PRIu64 "%s%s", name,
                        decision->size, tier, decision->offset, colon, reason);
    case SW_DECISION_EVALUATE:
        return snprintf(text, size, "measures %" PRIu64 " B%s%s", decision->amount, colon, reason);
    case SW_DECISION_FINISH:
        return snprintf(text, size, "answers %" PRIu64 " B%s%s", decision->amount, colon, reason);
    case SW_DECISION_KIND_COUNT:
        break;
    }
    return snprintf(text, size, "%s", reason);
}
