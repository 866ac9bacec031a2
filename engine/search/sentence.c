/* A decision as one sentence, in the third person: "places conv3_out (2,048 B) at sram+4096: smallest free block
 * that fits". The sentences are the templates of decisions.def, which explains how they are written; here they are
 * filled in.
 *
 * A template is read once from left to right. {name} prints a value, {condition?text} prints the text when the
 * condition holds, and the text is a template again. Every name is first looked for among the operands of the kind,
 * then among the fields that all decisions have. */
#include "search/result/curve.h"
#include "base/base.h"
#include "problem/moment/moment.h"
#include "problem/requests.h"
#include "search/decision.h"

static const char *const templates[] = {
#define OPERAND(type, name, key)
#define DECISION(id, member, word, meaning, operands, sentence) sentence,
#define VARIANT(id, of, member, operands, sentence) sentence,
#include "search/decisions.def"
#undef DECISION
#undef VARIANT
#undef OPERAND
};

struct sentence {
    const struct sw_problem *problem;
    const struct sw_decision *d;
    char *text;
    size_t size, length; /* the length is that of the whole sentence, also past `size` */
    bool lacks;          /* something that must be named is absent */
};

/* What a name stands for. */
struct sentence_value_of {
    enum value_sort { VALUE_ABSENT, VALUE_TEXT, VALUE_NUMBER, VALUE_BYTES, VALUE_COST, VALUE_CHANGE } is;
    bool zero; /* a count, bytes or a flag that is 0: it prints, but conditions call it absent */
    const char *text;
    uint64_t number;
    double cost;
    const struct sw_before_after *change;
};

static void append_bytes(struct sentence *s, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++, s->length++) {
        if (s->length + 1 < s->size) {
            s->text[s->length] = text[i];
        }
    }
}

static void append(struct sentence *s, const char *text) {
    append_bytes(s, text, strlen(text));
}

/* ---- values ---- */

static struct sentence_value_of text_value(const char *text) {
    return (struct sentence_value_of){.is = text && *text ? VALUE_TEXT : VALUE_ABSENT, .text = text};
}

static struct sentence_value_of counted(enum value_sort is, uint64_t number) {
    return (struct sentence_value_of){.is = is, .number = number, .zero = number == 0};
}

static struct sentence_value_of buffer_value(const struct sentence *s, uint32_t buffer) {
    return text_value(buffer == SW_NONE ? NULL : sw_problem_buffer(s->problem, buffer)->name);
}

static struct sentence_value_of operand_value(const struct sentence *s, const struct sw_operand *operand) {
    const void *at = sw_decision_at(s->d, operand);
    uint32_t index;
    switch (operand->type) {
    case SW_OPERAND_buffer:
        return buffer_value(s, *(const uint32_t *)at);
    case SW_OPERAND_index:
        index = *(const uint32_t *)at;
        return (struct sentence_value_of){.is = index == SW_NONE ? VALUE_ABSENT : VALUE_NUMBER, .number = index};
    case SW_OPERAND_count:
        return counted(VALUE_NUMBER, *(const uint64_t *)at);
    case SW_OPERAND_flag:
        return counted(VALUE_NUMBER, *(const bool *)at);
    case SW_OPERAND_bytes:
        return counted(VALUE_BYTES, *(const uint64_t *)at);
    case SW_OPERAND_change:
        return (struct sentence_value_of){
            .is = isnan(((const struct sw_before_after *)at)->after) ? VALUE_ABSENT : VALUE_CHANGE, .change = at};
    case SW_OPERAND_score:
        return (struct sentence_value_of){.is = isnan(*(const double *)at) ? VALUE_ABSENT : VALUE_COST,
                                          .cost = *(const double *)at};
    case SW_OPERAND_text:
        return text_value(*(const char *const *)at);
    }
    return (struct sentence_value_of){.is = VALUE_ABSENT};
}

/* The fields that every decision has. */
static struct sentence_value_of field_value(const struct sentence *s, const char *name, size_t length) {
    const struct sw_decision *d = s->d;
    bool only = sw_curve_whole(d) && sw_problem_tier_count(s->problem) == 1; /* the only tier need not be named */
    const char *tier = d->tier == SW_NONE || only ? NULL : sw_problem_tier(s->problem, d->tier)->name;
    const char *op =
        d->time < sw_problem_operator_count(s->problem) ? sw_problem_operator(s->problem, d->time)->name : NULL;
    const struct {
        const char *name;
        struct sentence_value_of value;
    } fields[] = {
        {"buffer", buffer_value(s, d->buffer)},
        {"size", counted(VALUE_BYTES, d->size)},
        {"offset", counted(VALUE_BYTES, d->offset)},
        {"end", counted(VALUE_BYTES, d->offset + d->size)},
        {"tier", text_value(tier)},
        {"op", text_value(op)},
        {"candidates", counted(VALUE_NUMBER, d->candidates)},
        {"cost", {.is = isnan(d->cost) ? VALUE_ABSENT : VALUE_COST, .cost = d->cost}},
        {"moved", counted(VALUE_NUMBER, d->measures == SW_AMOUNT_MOVED)},
        {"nothing", counted(VALUE_NUMBER, d->measures == SW_AMOUNT_NOTHING)},
        {"unbounded", counted(VALUE_NUMBER, SW_UNBOUNDED)},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strlen(fields[i].name) == length && memcmp(fields[i].name, name, length) == 0) {
            return fields[i].value;
        }
    }
    return (struct sentence_value_of){.is = VALUE_ABSENT};
}

static const struct sw_operand *sentence_operand(const struct sentence *s, const char *name, size_t length) {
    const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)s->d->kind);
    while (o->name && (strlen(o->name) != length || memcmp(o->name, name, length) != 0)) {
        o++;
    }
    return o->name ? o : NULL;
}

/* A name, a number, or the difference of two. */
static struct sentence_value_of sentence_value(const struct sentence *s, const char *name, size_t length) {
    const char *minus = memchr(name, '-', length);
    if (minus) {
        struct sentence_value_of a = sentence_value(s, name, (size_t)(minus - name)),
                                 b = sentence_value(s, minus + 1, length - (size_t)(minus - name) - 1);
        a.number -= b.number;
        return a;
    }
    if (length > 0 && *name >= '0' && *name <= '9') {
        return (struct sentence_value_of){.is = VALUE_NUMBER, .number = strtoull(name, NULL, 10)};
    }
    const struct sw_operand *operand = sentence_operand(s, name, length);
    return operand ? operand_value(s, operand) : field_value(s, name, length);
}

/* ---- printing ---- */

/* A figure of cost, or of bytes where the template goes on with their unit. */
static void append_figure(struct sentence *s, double figure, bool bytes) {
    char text[40];
    if (bytes && figure >= 0 && figure < 0x1p63) {
        sw_show_count((uint64_t)(figure + 0.5), text);
    } else {
        sw_show_number(figure, text);
    }
    append(s, text);
}

/* "161.125 -> 80.125", "still 80.125", or one figure alone. */
static void put_change(struct sentence *s, const struct sw_before_after *change, bool bytes) {
    if (change->before == change->after) {
        append(s, "still ");
    } else if (!isnan(change->before)) {
        append_figure(s, change->before, bytes);
        append(s, " -> ");
    }
    append_figure(s, change->after, bytes);
}

/* `unit`: the template goes on with " B". */
static void put_value(struct sentence *s, struct sentence_value_of value, bool bare, bool score, bool unit) {
    char text[64] = "";
    switch (value.is) {
    case VALUE_ABSENT:
        s->lacks = true;
        break;
    case VALUE_TEXT:
        append(s, value.text);
        break;
    case VALUE_NUMBER:
        if (bare) {
            append(s, sw_show_count(value.number, text));
            return;
        }
        snprintf(text, sizeof text, "%" PRIu64, value.number);
        break;
    case VALUE_BYTES:
        append(s, bare ? sw_show_count(value.number, text) : SW_BYTES(value.number));
        return;
    case VALUE_COST:
        if (score && isnan(s->d->cost)) {
            append(s, SW_BYTES((uint64_t)(value.cost + 0.5))); /* the score is the arena */
            return;
        }
        if (score) { /* a ratio */
            snprintf(text, sizeof text, "%.6g", value.cost);
        } else {
            sw_show_number(value.cost, text);
        }
        break;
    case VALUE_CHANGE:
        put_change(s, value.change, unit);
        return;
    }
    append(s, text);
}

/* To be copied into a command: without separators. Where requests follow a moment it tells addresses. */
static void append_place(struct sentence *s) {
    uint64_t address = sw_problem_goes_on(s->problem)
                           ? sw_moment_address(sw_problem_told_requests(s->problem)->moment, s->d->offset)
                           : SW_UNTOLD;
    char offset[32];
    if (address != SW_UNTOLD) {
        snprintf(offset, sizeof offset, "0x%" PRIx64, address);
        append(s, offset);
        return;
    }
    put_value(s, field_value(s, "tier", 4), false, false, false);
    snprintf(offset, sizeof offset, "+%" PRIu64, s->d->offset);
    append(s, offset);
}

static void append_value(struct sentence *s, const char *name, size_t length) {
    char reason[SW_REASON];
    const char *why = sw_decision_reason(s->d, reason), *ending = memchr(name, '~', length);
    char time[32];
    if (length == 5 && memcmp(name, "place", 5) == 0) {
        append_place(s);
    } else if (length == 3 && memcmp(name, "why", 3) == 0) {
        append(s, *why ? ": " : "");
        append(s, why);
    } else if (length == 6 && memcmp(name, "reason", 6) == 0) {
        append(s, why);
    } else if (length == 4 && memcmp(name, "time", 4) == 0 && s->d->time != SW_NONE) {
        snprintf(time, sizeof time, "%" PRId64, sw_problem_time(s->problem, s->d->time));
        append(s, time);
    } else if (ending) {
        bool one = sentence_value(s, name, (size_t)(ending - name)).number == 1;
        append_bytes(s, ending + 1, one ? 0 : length - (size_t)(ending - name) - 1);
    } else {
        bool bare = *name == '#';
        const struct sw_operand *operand = sentence_operand(s, name, length);
        put_value(s, sentence_value(s, name + bare, length - bare), bare, operand && operand->type == SW_OPERAND_score,
                  strncmp(name + length, "} B", 3) == 0);
    }
}

/* ---- templates ---- */

static bool condition_holds(const struct sentence *s, const char *condition, size_t length) {
    if (length > 0 && *condition == '!') {
        return !condition_holds(s, condition + 1, length - 1);
    }
    if (length == 6 && memcmp(condition, "reason", 6) == 0) {
        return s->d->reason && *s->d->reason;
    }
    size_t at = 0;
    while (at < length && condition[at] != '=' && condition[at] != '<') {
        at++;
    }
    struct sentence_value_of a = sentence_value(s, condition, at);
    if (at == length) {
        return a.is != VALUE_ABSENT && !a.zero;
    }
    struct sentence_value_of b = sentence_value(s, condition + at + 1, length - at - 1);
    return condition[at] == '=' ? a.number == b.number : a.number < b.number;
}

/* Where the brace that opens before `at` is closed, and where its condition ends: at a '?' or there, too. */
static const char *closing(const char *at, const char **question) {
    *question = NULL;
    for (unsigned depth = 1;; at++) {
        if (*at == '{') {
            depth++;
        } else if (*at == '}' && --depth == 0) {
            return at;
        } else if (*at == '?' && depth == 1 && !*question) {
            *question = at;
        }
    }
}

static void fill_in(struct sentence *s, const char *at, const char *end) {
    while (at < end) {
        const char *open = memchr(at, '{', (size_t)(end - at)), *question;
        append_bytes(s, at, (size_t)((open ? open : end) - at));
        if (!open) {
            return;
        }
        const char *close = closing(open + 1, &question);
        if (!question) {
            append_value(s, open + 1, (size_t)(close - open - 1));
        } else if (condition_holds(s, open + 1, (size_t)(question - open - 1))) {
            fill_in(s, question + 1, close);
        }
        at = close + 1;
    }
}

/* Without a template that can be filled in: "place conv3_out: pinned here". */
static void name_only(struct sentence *s) {
    struct sentence_value_of name = buffer_value(s, s->d->buffer);
    s->length = 0;
    append(s, sw_decision_called(s->d));
    append(s, name.is == VALUE_TEXT ? " " : "");
    append(s, name.is == VALUE_TEXT ? name.text : "");
    append_value(s, "why", 3);
}

int sw_decision_describe(const struct sw_problem *problem, const struct sw_decision *d, char *text, size_t size) {
    struct sentence s = {.problem = problem, .d = d, .text = text, .size = size};
    if (d->said) {
        append(&s, d->said);
    } else {
        fill_in(&s, templates[d->kind], templates[d->kind] + strlen(templates[d->kind]));
    }
    if (s.lacks) {
        name_only(&s);
    }
    if (d->fault) {
        append(&s, "; ");
        append(&s, d->fault);
    }
    if (size > 0) {
        text[s.length < size ? s.length : size - 1] = '\0';
    }
    return (int)s.length;
}
