/* Candidates and decisions as objects. Keys that would say nothing are left out: a million decisions are written. */
#include "formats/trace/trace_objects.h"
#include "search/result/curve.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_word(struct sw_sink *out, const char *word) {
    sw_sink_add(out, word, strlen(word));
}

/* ,"key":"text" */
static void put_text(struct sw_sink *out, const char *key, const char *text) {
    sw_sink_printf(out, ",\"%s\":", key);
    sw_sink_json(out, text);
}

static void put_count(struct sw_sink *out, const char *key, uint64_t count) {
    sw_sink_printf(out, ",\"%s\":%" PRIu64, key, count);
}

static void put_name(const struct sw_problem *problem, struct sw_sink *out, const char *key, uint32_t buffer) {
    if (buffer != SW_NONE) {
        put_text(out, key, sw_problem_buffer(problem, buffer)->name);
    }
}

static void put_number_or_null(struct sw_sink *out, bool there, uint64_t number) {
    if (there) {
        sw_sink_printf(out, "%" PRIu64, number);
    } else {
        put_word(out, "null");
    }
}

/* ---- operands ---- */

static void put_change(struct sw_sink *out, const struct sw_before_after *change) {
    put_word(out, "[");
    sw_sink_number(out, change->before);
    put_word(out, ",");
    sw_sink_number(out, change->after);
    put_word(out, "]");
}

void sw_trace_put_operand(const struct sw_problem *problem, const struct sw_decision *decision,
                          const struct sw_operand *operand, struct sw_sink *out) {
    const void *at = sw_decision_at(decision, operand);
    const char *text = NULL;
    switch (operand->type) {
    case SW_OPERAND_buffer:
        text = *(const uint32_t *)at == SW_NONE ? NULL : sw_problem_buffer(problem, *(const uint32_t *)at)->name;
        break;
    case SW_OPERAND_text:
        text = *(const char *const *)at;
        break;
    case SW_OPERAND_index:
        put_number_or_null(out, *(const uint32_t *)at != SW_NONE, *(const uint32_t *)at);
        return;
    case SW_OPERAND_count:
    case SW_OPERAND_bytes:
        put_number_or_null(out, *(const uint64_t *)at != SW_UNBOUNDED, *(const uint64_t *)at);
        return;
    case SW_OPERAND_flag:
        put_word(out, *(const bool *)at ? "true" : "false");
        return;
    case SW_OPERAND_score:
        sw_sink_number(out, *(const double *)at);
        return;
    case SW_OPERAND_change:
        put_change(out, at);
        return;
    }
    if (text) {
        sw_sink_json(out, text);
    } else {
        put_word(out, "null");
    }
}

/* A change that has only what was before is there, too. */
static bool is_there(const struct sw_decision *decision, const struct sw_operand *o) {
    return sw_decision_value(decision, o, NULL, NULL) ||
           (o->type == SW_OPERAND_change && !isnan(((const struct sw_before_after *)sw_decision_at(decision, o))->before));
}

static void put_operands(const struct sw_problem *problem, const struct sw_decision *decision, struct sw_sink *out) {
    bool any = false;
    for (const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)decision->kind); o->name; o++) {
        if (is_there(decision, o)) {
            sw_sink_printf(out, "%s\"%s\":", any ? "," : ",\"operands\":{", o->name);
            sw_trace_put_operand(problem, decision, o, out);
            any = true;
        }
    }
    put_word(out, any ? "}" : "");
}

/* ---- candidates ---- */

void sw_trace_put_candidate(const struct sw_problem *problem, const struct sw_candidate *candidate, struct sw_sink *out) {
    put_word(out, "{\"candidate\":");
    if (candidate->tier != SW_NONE) {
        sw_sink_printf(out, "%" PRIu64, candidate->offset);
        put_text(out, "tier", sw_problem_tier(problem, candidate->tier)->name);
    } else {
        put_word(out, "\"\"");
        if (candidate->offset) {
            put_count(out, "offset", candidate->offset);
        }
    }
    put_word(out, ",\"size\":");
    put_number_or_null(out, candidate->size != SW_UNBOUNDED, candidate->size);
    put_text(out, "verdict", sw_verdict_word(candidate->verdict));
    put_text(out, "reason", candidate->reason);
    put_name(problem, out, "below", candidate->below);
    put_name(problem, out, "above", candidate->above);
    put_word(out, candidate->occupied ? ",\"occupied\":true}\n" : "}\n");
}

/* ---- decisions ---- */

bool sw_trace_places(const struct sw_problem *problem, const struct sw_decision *decision) {
    const char *word = sw_decision_word((enum sw_decision_kind)decision->kind);
    bool placing = strcmp(word, "place") == 0 || strcmp(word, "move") == 0 || strcmp(word, "append") == 0;
    return placing && decision->buffer != SW_NONE && decision->tier != SW_NONE &&
           sw_problem_buffer(problem, decision->buffer)->planned;
}

static void put_where(const struct sw_problem *problem, const struct sw_decision *d, struct sw_sink *out) {
    put_name(problem, out, "buffer", d->buffer);
    if (d->tier != SW_NONE) {
        put_text(out, "tier", sw_problem_tier(problem, d->tier)->name);
    }
    if (sw_curve_addressed(d) || d->offset) {
        put_count(out, "offset", d->offset);
    }
    if (d->size != (d->buffer == SW_NONE ? 0 : sw_problem_buffer(problem, d->buffer)->size)) {
        put_count(out, "size", d->size);
    }
}

/* Without it the time is that of the buffer's first step; of a decision without a buffer there is none. */
static void put_when(const struct sw_problem *problem, const struct sw_decision *d, struct sw_sink *out) {
    const struct sw_buffer *buffer = d->buffer == SW_NONE ? NULL : sw_problem_buffer(problem, d->buffer);
    if (d->time == SW_NONE) {
        put_word(out, buffer ? ",\"time\":null" : "");
        return;
    }
    if (!buffer || !buffer->planned || d->time != buffer->first) {
        sw_sink_printf(out, ",\"time\":%" PRId64, sw_problem_time(problem, d->time));
    }
    if (d->live) {
        put_count(out, "live", d->live);
    }
}

static void put_figures(const struct sw_decision *d, size_t looked_at, struct sw_sink *out) {
    char reason[SW_REASON];
    const char *why = sw_decision_reason(d, reason);
    if (!isnan(d->cost)) {
        put_word(out, ",\"cost\":");
        sw_sink_number(out, d->cost);
    }
    if (*why) {
        put_text(out, "reason", why);
    }
    put_word(out, d->forced ? ",\"forced\":true" : "");
    if (d->measures != SW_AMOUNT_MEMORY) {
        put_text(out, "measures", d->measures == SW_AMOUNT_MOVED ? "moved" : "nothing");
    }
    if (d->candidates != looked_at) {
        put_count(out, "looked_at", d->candidates);
    }
}

void sw_trace_open_decision(const struct sw_problem *problem, const struct sw_explanation *why, struct sw_sink *out) {
    const struct sw_decision *d = &why->decision;
    enum sw_decision_kind kind = (enum sw_decision_kind)d->kind;
    put_word(out, "{\"decision\":");
    sw_sink_json(out, sw_decision_called(d));
    if (sw_decision_family(kind) != kind) {
        put_text(out, "variant", sw_decision_member_name(kind));
    }
    put_where(problem, d, out);
    put_when(problem, d, out);
    put_figures(d, why->candidates.count, out);
    put_operands(problem, d, out);
}

static void put_moved(const struct sw_problem *problem, const struct sw_explanation *why, struct sw_sink *out) {
    for (size_t i = 0; i < why->moved.count; i++) {
        const struct sw_moved *moved = &why->moved.items[i];
        put_word(out, i ? ",{\"buffer\":" : ",\"moved\":[{\"buffer\":");
        sw_sink_json(out, sw_problem_buffer(problem, moved->buffer)->name);
        put_text(out, "tier", sw_problem_tier(problem, moved->tier)->name);
        put_count(out, "from", moved->from);
        put_count(out, "to", moved->to);
        put_word(out, "}");
    }
    put_word(out, why->moved.count ? "]" : "");
}

/* In full, however long the names are. */
static void put_sentence(const struct sw_problem *problem, const struct sw_decision *decision, struct sw_sink *out) {
    char text[512];
    int length = sw_decision_describe(problem, decision, text, sizeof text);
    if (length < (int)sizeof text) {
        put_text(out, "sentence", text);
        return;
    }
    size_t size = (size_t)length + 1;
    char *longer = SW_NEW(char, size);
    if (!longer) {
        out->failed = true;
        return;
    }
    sw_decision_describe(problem, decision, longer, size);
    put_text(out, "sentence", longer);
    SW_FREE(longer, size);
}

void sw_trace_close_decision(const struct sw_problem *problem, const struct sw_explanation *why, struct sw_sink *out) {
    put_moved(problem, why, out);
    put_sentence(problem, &why->decision, out);
    put_count(out, "peak", why->decision.peak);
    put_word(out, "}\n");
}
