/* Words and sentences for decisions, and the list an explanation is. */
#include "search/decision.h"

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
