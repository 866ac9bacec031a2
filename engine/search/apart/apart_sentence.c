/* Why two runs part, in sentences. See setting_apart.h. */
#include "base/base.h"
#include "planners/place.h"
#include "search/apart/apart_internal.h"

/* What is being written. */
struct apart_text {
    const struct sw_apart *apart;
    const char *const *names;
    uint64_t base;
    char *text;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void apart_add(struct apart_text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t left = t->used < t->size ? t->size - t->used : 0;
    int length = vsnprintf(left ? t->text + t->used : NULL, left, format, arguments);
    va_end(arguments);
    t->used += length > 0 ? (size_t)length : 0;
}

static const struct sw_decision *decision_of(const struct apart_text *t, unsigned i) {
    return &t->apart->parting.why[i].decision;
}

static const struct sw_problem *problem_of_run(const struct apart_text *t, unsigned i) {
    return t->apart->parting.problem[i];
}

/* Names are cut: there may be three in a sentence. As long as the block around it. */
static const char *cut_name(const struct apart_text *t, unsigned i, uint32_t buffer, char text[SW_SHORT_NAME]) {
    const struct sw_problem *problem = problem_of_run(t, i);
    return buffer < sw_problem_buffer_count(problem) ? sw_place_name(problem, buffer, text) : "a block";
}
#define NAME_OF_BUFFER(t, i, buffer) cut_name(t, i, buffer, (char[SW_SHORT_NAME]){0})

/* The decision as a sentence without its end. */
static void add_described(struct apart_text *t, unsigned i) {
    char text[SW_MESSAGE];
    struct sw_decision addressed = *decision_of(t, i);
    addressed.offset += addressed.tier != SW_NONE ? t->base : 0;
    sw_decision_describe(problem_of_run(t, i), &addressed, text, sizeof text);
    apart_add(t, "%s %s", t->names[i], text);
}

/* ": smallest free block that fits" */
static void add_reason(struct apart_text *t, unsigned i) {
    char text[SW_REASON];
    const char *reason = sw_decision_reason(decision_of(t, i), text);
    apart_add(t, "%s%s", *reason ? ": " : "", reason);
}

/* ---- what led to it ---- */

/* By the order in which its planner takes blocks: before this one, which has no place yet? */
static bool find_turn(const struct apart_text *t, unsigned i, uint32_t other, char clause[SW_BECAUSE]) {
    const struct sw_planner *inner = t->apart->parting.acting[i];
    sw_turn_fn *turn = inner ? inner->turn : sw_search_planner(t->apart->runs[i])->turn;
    const struct sw_decision *d = decision_of(t, i);
    const struct sw_problem *problem = problem_of_run(t, i);
    return turn && sw_decision_puts_block(d) && other < sw_problem_buffer_count(problem) && other != d->buffer &&
           turn(problem, d->buffer, other, clause, SW_BECAUSE);
}

/* After the reason. */
static void add_because(struct apart_text *t, unsigned i) {
    uint32_t next = t->apart->parting.next[i];
    const char *because = t->apart->parting.because[i];
    char clause[SW_BECAUSE];
    apart_add(t, "%s%s", *because ? "; " : "", because);
    if (find_turn(t, i, next, clause)) {
        apart_add(t, "; it has its turn before %s, since %s", NAME_OF_BUFFER(t, i, next), clause);
    }
}

/* In sentences of its own. */
static void add_what_led(struct apart_text *t) {
    for (unsigned i = 0; i < 2; i++) {
        const char *because = t->apart->parting.because[i];
        if (*because) {
            apart_add(t, " In %s, %s.", t->names[i], because);
        }
    }
}

/* ---- another block has its turn ---- */

static void apart_add_turn(struct apart_text *t, unsigned i) {
    const struct sw_planner *inner = t->apart->parting.acting[i];
    const char *because = t->apart->parting.because[i];
    char clause[SW_BECAUSE];
    apart_add(t, "%s%s%s%s takes %s", t->names[i], inner ? ", now running " : "", inner ? inner->name : "",
              inner ? "," : "", NAME_OF_BUFFER(t, i, decision_of(t, i)->buffer));
    if (find_turn(t, i, decision_of(t, !i)->buffer, clause)) {
        apart_add(t, "%s: %s", i == 0 ? " first" : "", clause);
    } else {
        apart_add(t, " (%s)%s%s", SW_BYTES(decision_of(t, i)->size), *because ? ": " : "", because);
    }
}

/* ---- the same block goes to another place ---- */

static const char *tier_name(const struct apart_text *t, unsigned i) {
    return sw_problem_tier(problem_of_run(t, i), decision_of(t, i)->tier)->name;
}

static void add_place(struct apart_text *t, unsigned i) {
    apart_add(t, "%.40s+%llu", tier_name(t, i), (unsigned long long)(decision_of(t, i)->offset + t->base));
}

static bool covers(const struct sw_candidate *candidate, uint64_t offset) {
    return candidate->offset <= offset &&
           (candidate->size == SW_UNBOUNDED || offset - candidate->offset < candidate->size);
}

/* What a run saw where the other put the block: the free space that begins there, else what lies over it. */
static const struct sw_candidate *find_seen(const struct sw_explanation *why, uint32_t tier, uint64_t offset) {
    const struct sw_candidate *found = NULL;
    for (size_t k = 0; k < why->candidates.count; k++) {
        const struct sw_candidate *one = &why->candidates.items[k];
        bool place = !one->runs && !one->changes && one->tier == tier;
        if (place && one->offset == offset && one->verdict != SW_VERDICT_REFUSED) {
            return one;
        }
        if (place && covers(one, offset) && (!found || (one->offset == offset && found->offset != offset))) {
            found = one;
        }
    }
    return found;
}

/* What run `i` saw at the place of the other. */
static void add_seen(struct apart_text *t, unsigned i) {
    const struct sw_decision *other = decision_of(t, !i);
    const struct sw_explanation *why = &t->apart->parting.why[i];
    const struct sw_candidate *seen = find_seen(why, other->tier, other->offset);
    apart_add(t, "At ");
    add_place(t, !i);
    if (!seen) {
        apart_add(t, " %s did not look", t->names[i]);
    } else if (seen->verdict == SW_VERDICT_REFUSED) {
        apart_add(t, " %s saw no room: %s", t->names[i], sw_candidate_words(seen));
    } else if (seen->offset != other->offset) {
        apart_add(t, " %s saw the free space from %.40s+%llu on", t->names[i], tier_name(t, !i),
                  (unsigned long long)(seen->offset + t->base));
    } else {
        apart_add(t, " %s saw room, too", t->names[i]);
    }
}

static void apart_add_places(struct apart_text *t) {
    apart_add(t, "Both take %s (%s). ", NAME_OF_BUFFER(t, 0, decision_of(t, 0)->buffer),
              SW_BYTES(decision_of(t, 0)->size));
    for (unsigned i = 0; i < 2; i++) {
        apart_add(t, "%s puts it at ", t->names[i]);
        add_place(t, i);
        add_reason(t, i);
        apart_add(t, i ? ". " : "; ");
    }
    for (unsigned i = 0; i < 2; i++) {
        add_seen(t, i);
        apart_add(t, i ? "." : ". ");
    }
    add_what_led(t);
}

/* ---- the same with another figure ---- */

static void add_value(struct apart_text *t, unsigned i, const struct sw_operand *o) {
    const struct sw_decision *d = decision_of(t, i);
    const char *word;
    double number;
    if (!sw_decision_value(d, o, &number, &word)) {
        apart_add(t, "none");
    } else if (word) {
        apart_add(t, "%s", word);
    } else if (o->type == SW_OPERAND_flag) {
        apart_add(t, "yes");
    } else if (o->type == SW_OPERAND_buffer) {
        apart_add(t, "%s", NAME_OF_BUFFER(t, i, (uint32_t)number));
    } else if (o->type == SW_OPERAND_bytes) {
        apart_add(t, "%s", number == (double)SW_UNBOUNDED ? "no limit" : SW_BYTES((uint64_t)number));
    } else {
        apart_add(t, "%.10g", number);
    }
}

/* The first operand that differs; its name is NULL where none does. */
static const struct sw_operand *differing_operand(const struct apart_text *t) {
    const struct sw_decision *a = decision_of(t, 0), *b = decision_of(t, 1);
    const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)a->kind);
    for (; o->name; o++) {
        double x = 0, y = 0;
        const char *s, *u;
        bool there = sw_decision_value(a, o, &x, &s);
        if (there != sw_decision_value(b, o, &y, &u) || (there && (s ? strcmp(s, u) != 0 : x != y))) {
            break;
        }
    }
    return o;
}

/* Both decisions in full: what they did has no single figure that tells it. */
static void add_both(struct apart_text *t) {
    for (unsigned i = 0; i < 2; i++) {
        add_described(t, i);
        add_because(t, i);
        apart_add(t, i ? "." : ". ");
    }
}

static void apart_add_figure(struct apart_text *t) {
    const struct sw_decision *a = decision_of(t, 0), *b = decision_of(t, 1);
    const struct sw_operand *o = a->size != b->size ? NULL : differing_operand(t);
    if (o && (!o->name || o->type == SW_OPERAND_text || o->type == SW_OPERAND_change)) {
        add_both(t);
        return;
    }
    apart_add(t, "Both decide the same (%s%s%s), with another figure: %s is ", sw_decision_called(a),
              a->buffer != SW_NONE ? " " : "", a->buffer != SW_NONE ? NAME_OF_BUFFER(t, 0, a->buffer) : "",
              o ? o->name : "size");
    for (unsigned i = 0; i < 2; i++) {
        if (o) {
            add_value(t, i, o);
        } else {
            apart_add(t, "%s", SW_BYTES(decision_of(t, i)->size));
        }
        apart_add(t, " in %s", t->names[i]);
        add_reason(t, i);
        apart_add(t, i ? "." : "; ");
    }
    add_what_led(t);
}

/* ---- putting it together ---- */

static void add_end(struct apart_text *t) {
    unsigned over = t->apart->parting.step[0] == 0 ? 0 : 1;
    struct sw_error why = {0};
    if (sw_search_failed(t->apart->runs[over], &why)) {
        apart_add(t, "%s ends here without a layout (%s); ", t->names[over], why.message);
    } else {
        apart_add(t, "%s is at its end; ", t->names[over]);
    }
    add_described(t, !over);
    add_because(t, !over);
    apart_add(t, ".");
}

static void add_none(struct apart_text *t) {
    const struct sw_apart_parting *parting = &t->apart->parting;
    if (parting->given_up) {
        apart_add(t, "%s and %s were compared for %s; they make the same.", t->names[0], t->names[1],
                  SW_COUNTED(parting->agreed, "decision"));
    } else {
        apart_add(t, "%s and %s %s.", t->names[0], t->names[1],
                  parting->placings && parting->placings == parting->agreed
                      ? "put every block at the same place, in the same order"
                      : "make the same decisions to their end");
    }
}

int sw_apart_sentence(const struct sw_apart *apart, const char *const names[2], uint64_t base, char *text,
                      size_t size) {
    struct apart_text t = {.apart = apart, .names = names, .base = base, .text = text, .size = size};
    if (size > 0) {
        text[0] = '\0';
    }
    switch (apart->parting.kind) {
    case SW_APART_NOT:
        add_none(&t);
        break;
    case SW_APART_TURN:
        apart_add_turn(&t, 0);
        apart_add(&t, "; ");
        apart_add_turn(&t, 1);
        apart_add(&t, ".");
        break;
    case SW_APART_PLACE:
        apart_add_places(&t);
        break;
    case SW_APART_FIGURE:
        apart_add_figure(&t);
        break;
    case SW_APART_DEED:
        add_both(&t);
        break;
    case SW_APART_END:
        add_end(&t);
        break;
    }
    return (int)t.used;
}
