/* What the table of decisions says: words, operands, the older form; and the list that an explanation is. */
#include "search/decision.h"
#include "base/base.h"

/* ---- kinds ---- */

static const struct {
    const char *word, *member;
    enum sw_decision_kind family;
} kind_rows[] = {
#define OPERAND(type, name, key)
#define DECISION(id, member, word, meaning, operands, sentence) {word, #member, SW_DECISION_##id},
#define VARIANT(id, of, member, operands, sentence) {NULL, #member, SW_DECISION_##of},
#include "search/decisions.def"
#undef DECISION
#undef VARIANT
#undef OPERAND
};

enum sw_decision_kind sw_decision_family(enum sw_decision_kind kind) {
    return kind_rows[kind].family;
}

const char *sw_decision_word(enum sw_decision_kind kind) {
    return kind_rows[kind_rows[kind].family].word;
}

bool sw_decision_named(const char *word, enum sw_decision_kind *kind, struct sw_error *error) {
    char all[1024] = "";
    const char *like = NULL;
    for (int i = 0; i < SW_DECISION_KIND_COUNT; i++) {
        const char *one = kind_rows[i].word;
        if (one && strcmp(one, word) == 0) {
            *kind = (enum sw_decision_kind)i;
            return true;
        }
    }
    for (int i = 0; error && i < SW_DECISION_KIND_COUNT; i++) {
        const char *one = kind_rows[i].word;
        like = one ? sw_word_nearer(word, like, one) : like;
        SW_TEXT_ADD(all, "%s%s", one && *all ? ", " : "", one ? one : "");
    }
    return sw_fail(error, SW_ERROR_USAGE, "no decision is a '%s'%s%s; there are %s", word,
                   like ? ", did you mean " : "", like ? like : "", all);
}

const char *sw_decision_member_name(enum sw_decision_kind kind) {
    return kind_rows[kind].member;
}

bool sw_decision_kind_of(const char *word, const char *member, enum sw_decision_kind *kind) {
    if (!member) {
        return sw_decision_named(word, kind, NULL);
    }
    for (int i = 0; i < SW_DECISION_KIND_COUNT; i++) {
        if (strcmp(kind_rows[i].member, member) == 0 && strcmp(kind_rows[kind_rows[i].family].word, word) == 0) {
            *kind = (enum sw_decision_kind)i;
            return true;
        }
    }
    return false;
}

bool sw_decision_is(const struct sw_decision *decision, enum sw_decision_kind kind) {
    return kind_rows[decision->kind].family == kind_rows[kind].family;
}

bool sw_decision_puts_block(const struct sw_decision *d) {
    return (d->kind == SW_DECISION_PLACE || d->kind == SW_DECISION_PRECONF || d->kind == SW_DECISION_GROW ||
            d->kind == SW_DECISION_APPEND) &&
           d->buffer != SW_NONE && d->tier != SW_NONE;
}

const char *sw_decision_called(const struct sw_decision *decision) {
    return decision->kind == SW_DECISION_FOREIGN && decision->foreign.word
               ? decision->foreign.word
               : sw_decision_word((enum sw_decision_kind)decision->kind);
}

/* ---- operands ---- */

#define ABSENT_buffer SW_NONE
#define ABSENT_index SW_NONE
#define ABSENT_count 0
#define ABSENT_bytes 0
#define ABSENT_flag false
#define ABSENT_change \
    { (double)NAN, (double)NAN }
#define ABSENT_score (double)NAN
#define ABSENT_text NULL

void sw_decision_become(struct sw_decision *decision, enum sw_decision_kind kind) {
    static const struct sw_decision absent[] = {
#define OPERAND(type, name, key) .name = ABSENT_##type,
#define DECISION(id, member, word, meaning, operands, sentence) {.member = {operands}},
#define VARIANT(id, of, member, operands, sentence) {.member = {operands}},
#include "search/decisions.def"
#undef DECISION
#undef VARIANT
#undef OPERAND
    };
    enum { FIRST_OPERAND = offsetof(struct sw_decision, place) };
    decision->kind = (uint16_t)kind;
    memcpy((char *)decision + FIRST_OPERAND, (const char *)&absent[kind] + FIRST_OPERAND,
           sizeof *decision - FIRST_OPERAND);
}

void sw_decision_clear(struct sw_decision *decision) {
    *decision =
        (struct sw_decision){.buffer = SW_NONE, .tier = SW_NONE, .time = SW_NONE, .cost = (double)NAN, .reason = ""};
    sw_decision_become(decision, SW_DECISION_PLACE);
}

const struct sw_operand *sw_decision_operands(enum sw_decision_kind kind) {
    switch (kind) {
#define OPERAND(type_, name_, key_) \
    {.name = #name_, .type = SW_OPERAND_##type_, .key = SW_KEY_##key_, .at = offsetof(self, name_)},
#define LIST(id, member, ...)                                                \
    case SW_DECISION_##id: {                                                 \
        typedef __typeof__(((struct sw_decision *)NULL)->member) self;       \
        static const struct sw_operand list[] = {__VA_ARGS__{.name = NULL}}; \
        return list;                                                         \
    }
#define DECISION(id, member, word, meaning, operands, sentence) LIST(id, member, operands)
#define VARIANT(id, of, member, operands, sentence) LIST(id, member, operands)
#include "search/decisions.def"
#undef DECISION
#undef VARIANT
#undef OPERAND
#undef LIST
    case SW_DECISION_KIND_COUNT:
        break;
    }
    return NULL;
}

const struct sw_operand *sw_decision_operand_named(const char *name) {
    for (int k = 0; k < SW_DECISION_KIND_COUNT; k++) {
        for (const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)k); o->name; o++) {
            if (strcmp(o->name, name) == 0) {
                return o;
            }
        }
    }
    return NULL;
}

const void *sw_decision_at(const struct sw_decision *decision, const struct sw_operand *operand) {
    return (const char *)&decision->place + operand->at;
}

bool sw_decision_value(const struct sw_decision *decision, const struct sw_operand *operand, double *number,
                       const char **text) {
    const void *at = sw_decision_at(decision, operand);
    double value = (double)NAN;
    const char *word = NULL;
    bool there = false;
    switch (operand->type) {
    case SW_OPERAND_buffer:
    case SW_OPERAND_index:
        there = *(const uint32_t *)at != SW_NONE;
        value = there ? (double)*(const uint32_t *)at : value;
        break;
    case SW_OPERAND_count:
    case SW_OPERAND_bytes:
        value = (double)*(const uint64_t *)at;
        there = value > 0;
        break;
    case SW_OPERAND_flag:
        there = *(const bool *)at;
        value = there;
        break;
    case SW_OPERAND_change:
        value = ((const struct sw_before_after *)at)->after;
        there = !isnan(value);
        break;
    case SW_OPERAND_score:
        value = *(const double *)at;
        there = !isnan(value);
        break;
    case SW_OPERAND_text:
        word = *(const char *const *)at;
        there = word != NULL;
        break;
    }
    if (number) {
        *number = value;
    }
    if (text) {
        *text = word;
    }
    return there;
}

/* ---- the older form ---- */

/* The first operand with the key that is present; else any; NULL: this kind has none. */
static const struct sw_operand *at_key(const struct sw_decision *decision, enum sw_operand_key key) {
    const struct sw_operand *found = NULL;
    for (const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)decision->kind); o->name; o++) {
        if (o->key == key && sw_decision_value(decision, o, NULL, NULL)) {
            return o;
        }
        found = o->key == key ? o : found;
    }
    return found;
}

uint64_t sw_decision_amount(const struct sw_decision *decision) {
    const struct sw_operand *o = at_key(decision, SW_KEY_AMOUNT);
    const void *at = o ? sw_decision_at(decision, o) : NULL;
    return !o ? 0 : o->type == SW_OPERAND_flag ? *(const bool *)at : *(const uint64_t *)at;
}

static uint32_t operand_number(const struct sw_decision *decision, enum sw_operand_key key) {
    const struct sw_operand *o = at_key(decision, key);
    return o ? *(const uint32_t *)sw_decision_at(decision, o) : SW_NONE;
}

uint32_t sw_decision_other(const struct sw_decision *decision) {
    return operand_number(decision, SW_KEY_OTHER);
}

uint32_t sw_decision_part(const struct sw_decision *decision) {
    return operand_number(decision, SW_KEY_PART);
}

uint32_t sw_decision_member(const struct sw_decision *decision, unsigned which) {
    if (which >= 2) { /* only exchanges have more */
        bool more = decision->kind == SW_DECISION_EXCHANGE && which < 4;
        return !more ? SW_NONE : which == 2 ? decision->exchange.third : decision->exchange.fourth;
    }
    return operand_number(decision, which == 0 ? SW_KEY_MEMBER_0 : SW_KEY_MEMBER_1);
}

double sw_decision_figure(const struct sw_decision *decision, unsigned which) {
    for (const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)decision->kind); o->name; o++) {
        const void *at = sw_decision_at(decision, o);
        if (o->type == SW_OPERAND_score && o->key == SW_KEY_FIGURE_0 + which) {
            return *(const double *)at;
        }
        if (o->type == SW_OPERAND_change && which < 2) {
            return which == 0 ? ((const struct sw_before_after *)at)->before
                              : ((const struct sw_before_after *)at)->after;
        }
    }
    return (double)NAN;
}

const char *sw_decision_action(const struct sw_decision *decision) {
    const struct sw_operand *o = at_key(decision, SW_KEY_ACTION);
    return o ? *(const char *const *)sw_decision_at(decision, o) : NULL;
}

bool sw_decision_set(struct sw_decision *decision, enum sw_operand_key key, uint64_t value) {
    const struct sw_operand *o = at_key(decision, key);
    if (!o) {
        return false;
    }
    void *at = (char *)&decision->place + o->at;
    switch (o->type) {
    case SW_OPERAND_buffer:
    case SW_OPERAND_index:
        *(uint32_t *)at = (uint32_t)value;
        return true;
    case SW_OPERAND_count:
    case SW_OPERAND_bytes:
        *(uint64_t *)at = value;
        return true;
    case SW_OPERAND_flag:
        *(bool *)at = value != 0;
        return true;
    case SW_OPERAND_change:
    case SW_OPERAND_score:
    case SW_OPERAND_text:
        break;
    }
    return false;
}

const char *sw_decision_reason(const struct sw_decision *decision, char text[SW_REASON]) {
    const char *reason = decision->reason ? decision->reason : "", *hole = strstr(reason, "{}");
    if (!hole || !decision->subject) {
        return reason;
    }
    snprintf(text, SW_REASON, "%.*s%s%s", (int)(hole - reason), reason, decision->subject, hole + 2);
    return text;
}

/* ---- explanations ---- */

bool sw_candidate_only_said(const struct sw_candidate *candidate) {
    return candidate->tier == SW_NONE && candidate->offset == 0 && candidate->size == 0 && !candidate->runs &&
           !candidate->changes;
}

const char *sw_verdict_word(enum sw_verdict verdict) {
    static const char *const words[] = {"chosen", "fits", "refused"};
    return words[verdict];
}

const char *sw_candidate_words(const struct sw_candidate *candidate) {
    const char *refused = strstr(candidate->reason, ") refused "), *colon = refused ? strstr(refused, ": ") : NULL;
    return colon ? colon + 2 : candidate->reason;
}

void sw_explanation_clear(struct sw_explanation *explanation) {
    explanation->decision = (struct sw_decision){0};
    explanation->candidates.count = 0;
    explanation->moved.count = 0;
    explanation->figures.count = 0;
    explanation->source[0] = '\0';
}

void sw_explanation_done(struct sw_explanation *explanation) {
    SW_ARRAY_DONE(&explanation->candidates, &explanation->moved, &explanation->figures);
}

static bool push_candidate(struct sw_explanation *explanation, struct sw_candidate candidate, const char *format,
                           va_list arguments) {
    vsnprintf(candidate.reason, sizeof candidate.reason, format, arguments);
    return SW_PUSH(&explanation->candidates, candidate);
}

/* The body of what appends a candidate with these fields. */
#define EXPLAIN_BY(explanation, format, ...)                                                                      \
    va_list arguments;                                                                                            \
    va_start(arguments, format);                                                                                  \
    bool good =                                                                                                   \
        !(explanation) || push_candidate((explanation), (struct sw_candidate){__VA_ARGS__}, (format), arguments); \
    va_end(arguments);                                                                                            \
    return good

bool sw_explain(struct sw_explanation *explanation, enum sw_verdict verdict, uint32_t tier, uint64_t offset,
                uint64_t size, uint32_t below, uint32_t above, const char *format, ...) {
    EXPLAIN_BY(explanation, format, .verdict = verdict, .tier = tier, .offset = offset, .size = size, .below = below,
               .above = above);
}

bool sw_explain_operator(struct sw_explanation *explanation, enum sw_verdict verdict, uint32_t op, bool backward,
                         uint64_t during, uint64_t after, const char *format, ...) {
    EXPLAIN_BY(explanation, format, .verdict = verdict, .tier = SW_NONE, .offset = after, .size = during,
               .below = SW_NONE, .above = SW_NONE, .runs = true, .backward = backward, .op = op);
}

bool sw_explain_change(struct sw_explanation *explanation, enum sw_verdict verdict, uint32_t op, uint64_t bytes,
                       const char *format, ...) {
    EXPLAIN_BY(explanation, format, .verdict = verdict, .tier = SW_NONE, .size = bytes, .below = SW_NONE,
               .above = SW_NONE, .changes = true, .op = op);
}

const char *const sw_level_names[SW_LEVEL_COUNT + 1] = {"event", "decision", "operator", "group", "run"};

const char *sw_level_name(enum sw_level level) {
    return (unsigned)level < SW_LEVEL_COUNT ? sw_level_names[level] : "";
}
