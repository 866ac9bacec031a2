/* A decision as one sentence, in the third person: "places conv3_out (2,048 B) at sram+4096: smallest free block
 * that fits". The sentences are the templates of decisions.def, which explains how they are written; here they are
 * filled in.
 *
 * A template is read once from left to right. {name} prints a value, {condition?text} prints the text when the
 * condition holds, and the text is a template again. Every name is first looked for among the operands of the kind,
 * then among the fields that all decisions have. */
#include "search/result/curve.h"
#include "base/base.h"
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
struct value {
    enum sort { ABSENT, TEXT, NUMBER, BYTES, COST, CHANGE } is;
    bool zero; /* a count, bytes or a flag that is 0: it prints, but conditions call it absent */
    const char *text;
    uint64_t number;
    double cost;
    const struct sw_before_after *change;
};

static void put_bytes(struct sentence *s, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++, s->length++) {
        if (s->length + 1 < s->size) {
            s->text[s->length] = text[i];
        }
    }
}

static void put_text(struct sentence *s, const char *text) {
    put_bytes(s, text, strlen(text));
}

/* ---- values ---- */

static struct value text_value(const char *text) {
    return (struct value){.is = text && *text ? TEXT : ABSENT, .text = text};
}

static struct value counted(enum sort is, uint64_t number) {
    return (struct value){.is = is, .number = number, .zero = number == 0};
}

static struct value buffer_value(const struct sentence *s, uint32_t buffer) {
    return text_value(buffer == SW_NONE ? NULL : sw_problem_buffer(s->problem, buffer)->name);
}

static struct value operand_value(const struct sentence *s, const struct sw_operand *operand) {
    const void *at = sw_decision_at(s->d, operand);
    uint32_t index;
    switch (operand->type) {
    case SW_OPERAND_buffer:
        return buffer_value(s, *(const uint32_t *)at);
    case SW_OPERAND_index:
        index = *(const uint32_t *)at;
        return (struct value){.is = index == SW_NONE ? ABSENT : NUMBER, .number = index};
    case SW_OPERAND_count:
        return counted(NUMBER, *(const uint64_t *)at);
    case SW_OPERAND_flag:
        return counted(NUMBER, *(const bool *)at);
    case SW_OPERAND_bytes:
        return counted(BYTES, *(const uint64_t *)at);
    case SW_OPERAND_change:
        return (struct value){.is = isnan(((const struct sw_before_after *)at)->after) ? ABSENT : CHANGE, .change = at};
    case SW_OPERAND_score:
        return (struct value){.is = isnan(*(const double *)at) ? ABSENT : COST, .cost = *(const double *)at};
    case SW_OPERAND_text:
        return text_value(*(const char *const *)at);
    }
    return (struct value){.is = ABSENT};
}

/* The fields that every decision has. */
static struct value field_value(const struct sentence *s, const char *name, size_t length) {
    const struct sw_decision *d = s->d;
    bool only = sw_curve_whole(d) && sw_problem_tier_count(s->problem) == 1; /* the only tier need not be named */
    const char *tier = d->tier == SW_NONE || only ? NULL : sw_problem_tier(s->problem, d->tier)->name;
    const char *op =
        d->time < sw_problem_operator_count(s->problem) ? sw_problem_operator(s->problem, d->time)->name : NULL;
    const struct {
        const char *name;
        struct value value;
    } fields[] = {
        {"buffer", buffer_value(s, d->buffer)},
        {"size", counted(BYTES, d->size)},
        {"offset", counted(BYTES, d->offset)},
        {"end", counted(BYTES, d->offset + d->size)},
        {"tier", text_value(tier)},
        {"op", text_value(op)},
        {"candidates", counted(NUMBER, d->candidates)},
        {"cost", {.is = isnan(d->cost) ? ABSENT : COST, .cost = d->cost}},
        {"moved", counted(NUMBER, d->measures == SW_AMOUNT_MOVED)},
        {"nothing", counted(NUMBER, d->measures == SW_AMOUNT_NOTHING)},
        {"unbounded", counted(NUMBER, SW_UNBOUNDED)},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strlen(fields[i].name) == length && memcmp(fields[i].name, name, length) == 0) {
            return fields[i].value;
        }
    }
    return (struct value){.is = ABSENT};
}

static bool is_number(const char *name, size_t length) {
    return length > 0 && *name >= '0' && *name <= '9';
}

static const struct sw_operand *operand_named(const struct sentence *s, const char *name, size_t length) {
    const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)s->d->kind);
    while (o->name && (strlen(o->name) != length || memcmp(o->name, name, length) != 0)) {
        o++;
    }
    return o->name ? o : NULL;
}

/* A name, a number, or the difference of two. */
static struct value value_of(const struct sentence *s, const char *name, size_t length) {
    const char *minus = memchr(name, '-', length);
    if (minus) {
        struct value a = value_of(s, name, (size_t)(minus - name)),
                     b = value_of(s, minus + 1, length - (size_t)(minus - name) - 1);
        a.number -= b.number;
        return a;
    }
    if (is_number(name, length)) {
        return (struct value){.is = NUMBER, .number = strtoull(name, NULL, 10)};
    }
    const struct sw_operand *operand = operand_named(s, name, length);
    return operand ? operand_value(s, operand) : field_value(s, name, length);
}

/* ---- printing ---- */

/* A figure of cost, or of bytes where the template goes on with their unit. */
static void put_figure(struct sentence *s, double figure, bool bytes) {
    char text[40];
    if (bytes && figure >= 0 && figure < 0x1p63) {
        sw_show_count((uint64_t)(figure + 0.5), text);
    } else {
        sw_show_number(figure, text);
    }
    put_text(s, text);
}

/* "161.125 -> 80.125", "still 80.125", or one figure alone. */
static void put_change(struct sentence *s, const struct sw_before_after *change, bool bytes) {
    if (change->before == change->after) {
        put_text(s, "still ");
    } else if (!isnan(change->before)) {
        put_figure(s, change->before, bytes);
        put_text(s, " -> ");
    }
    put_figure(s, change->after, bytes);
}

/* `unit`: the template goes on with " B". */
static void put_value(struct sentence *s, struct value value, bool bare, bool score, bool unit) {
    char text[64] = "";
    switch (value.is) {
    case ABSENT:
        s->lacks = true;
        break;
    case TEXT:
        put_text(s, value.text);
        break;
    case NUMBER:
        if (bare) {
            put_text(s, sw_show_count(value.number, text));
            return;
        }
        snprintf(text, sizeof text, "%" PRIu64, value.number);
        break;
    case BYTES:
        put_text(s, bare ? sw_show_count(value.number, text) : SW_BYTES(value.number));
        return;
    case COST:
        if (score && isnan(s->d->cost)) {
            put_text(s, SW_BYTES((uint64_t)(value.cost + 0.5))); /* the score is the arena */
            return;
        }
        if (score) { /* a ratio */
            snprintf(text, sizeof text, "%.6g", value.cost);
        } else {
            sw_show_number(value.cost, text);
        }
        break;
    case CHANGE:
        put_change(s, value.change, unit);
        return;
    }
    put_text(s, text);
}

static void put_place(struct sentence *s) {
    put_value(s, field_value(s, "tier", 4), false, false, false);
    char offset[32]; /* to be copied into a command: without separators */
    snprintf(offset, sizeof offset, "+%" PRIu64, s->d->offset);
    put_text(s, offset);
}

static void put_name(struct sentence *s, const char *name, size_t length) {
    char reason[SW_REASON];
    const char *why = sw_decision_reason(s->d, reason), *ending = memchr(name, '~', length);
    char time[32];
    if (length == 5 && memcmp(name, "place", 5) == 0) {
        put_place(s);
    } else if (length == 3 && memcmp(name, "why", 3) == 0) {
        put_text(s, *why ? ": " : "");
        put_text(s, why);
    } else if (length == 6 && memcmp(name, "reason", 6) == 0) {
        put_text(s, why);
    } else if (length == 4 && memcmp(name, "time", 4) == 0 && s->d->time != SW_NONE) {
        snprintf(time, sizeof time, "%" PRId64, sw_problem_time(s->problem, s->d->time));
        put_text(s, time);
    } else if (ending) {
        bool one = value_of(s, name, (size_t)(ending - name)).number == 1;
        put_bytes(s, ending + 1, one ? 0 : length - (size_t)(ending - name) - 1);
    } else {
        bool bare = *name == '#';
        const struct sw_operand *operand = operand_named(s, name, length);
        put_value(s, value_of(s, name + bare, length - bare), bare, operand && operand->type == SW_OPERAND_score,
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
    struct value a = value_of(s, condition, at);
    if (at == length) {
        return a.is != ABSENT && !a.zero;
    }
    struct value b = value_of(s, condition + at + 1, length - at - 1);
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
        put_bytes(s, at, (size_t)((open ? open : end) - at));
        if (!open) {
            return;
        }
        const char *close = closing(open + 1, &question);
        if (!question) {
            put_name(s, open + 1, (size_t)(close - open - 1));
        } else if (condition_holds(s, open + 1, (size_t)(question - open - 1))) {
            fill_in(s, question + 1, close);
        }
        at = close + 1;
    }
}

/* Without a template that can be filled in: "place conv3_out: pinned here". */
static void name_only(struct sentence *s) {
    struct value name = buffer_value(s, s->d->buffer);
    s->length = 0;
    put_text(s, sw_decision_called(s->d));
    put_text(s, name.is == TEXT ? " " : "");
    put_text(s, name.is == TEXT ? name.text : "");
    put_name(s, "why", 3);
}

int sw_decision_describe(const struct sw_problem *problem, const struct sw_decision *d, char *text, size_t size) {
    struct sentence s = {.problem = problem, .d = d, .text = text, .size = size};
    if (d->said) {
        put_text(&s, d->said);
    } else {
        fill_in(&s, templates[d->kind], templates[d->kind] + strlen(templates[d->kind]));
    }
    if (s.lacks) {
        name_only(&s);
    }
    if (d->fault) {
        put_text(&s, "; ");
        put_text(&s, d->fault);
    }
    if (size > 0) {
        text[s.length < size ? s.length : size - 1] = '\0';
    }
    return (int)s.length;
}
