/* Candidates and decisions as objects. Keys that would say nothing are left out: a million decisions are written. */
#include "formats/trace/trace_objects.h"
#include "base/base.h"

static void put_buffer_name(const struct sw_problem *problem, struct sw_json_out *json, const char *key,
                            uint32_t buffer) {
    if (buffer != SW_NONE) {
        sw_put_text(json, key, sw_problem_buffer(problem, buffer)->name);
    }
}

/* ---- operands ---- */

void sw_trace_put_operand(const struct sw_problem *problem, const struct sw_decision *decision,
                          const struct sw_operand *operand, struct sw_json_out *json) {
    const void *at = sw_decision_at(decision, operand);
    const char *key = operand->name;
    switch (operand->type) {
    case SW_OPERAND_buffer:
        sw_put_text(json, key,
                    *(const uint32_t *)at == SW_NONE ? NULL : sw_problem_buffer(problem, *(const uint32_t *)at)->name);
        return;
    case SW_OPERAND_text:
        sw_put_text(json, key, *(const char *const *)at);
        return;
    case SW_OPERAND_index:
        sw_put_known(json, key, *(const uint32_t *)at != SW_NONE, *(const uint32_t *)at);
        return;
    case SW_OPERAND_count:
    case SW_OPERAND_bytes:
        sw_put_known(json, key, *(const uint64_t *)at != SW_UNBOUNDED, *(const uint64_t *)at);
        return;
    case SW_OPERAND_flag:
        sw_put_truth(json, key, *(const bool *)at);
        return;
    case SW_OPERAND_score:
        sw_put_number(json, key, *(const double *)at);
        return;
    case SW_OPERAND_change:
        sw_put_list(json, key);
        sw_put_number(json, NULL, ((const struct sw_before_after *)at)->before);
        sw_put_number(json, NULL, ((const struct sw_before_after *)at)->after);
        sw_put_end(json);
        return;
    }
}

/* A change that has only what was before is there, too. */
static bool is_operand_there(const struct sw_decision *decision, const struct sw_operand *o) {
    return sw_decision_value(decision, o, NULL, NULL) ||
           (o->type == SW_OPERAND_change &&
            !isnan(((const struct sw_before_after *)sw_decision_at(decision, o))->before));
}

static void put_decision_operands(const struct sw_problem *problem, const struct sw_decision *decision,
                                  struct sw_json_out *json) {
    bool any = false;
    for (const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)decision->kind); o->name; o++) {
        if (is_operand_there(decision, o)) {
            if (!any) {
                sw_put_object(json, "operands");
            }
            sw_trace_put_operand(problem, decision, o, json);
            any = true;
        }
    }
    if (any) {
        sw_put_end(json);
    }
}

/* ---- candidates ---- */

void sw_trace_put_candidate(const struct sw_problem *problem, const struct sw_candidate *candidate,
                            struct sw_json_out *json) {
    sw_put_object(json, NULL);
    if (candidate->tier != SW_NONE) {
        sw_put_count(json, "candidate", candidate->offset);
        sw_put_text(json, "tier", sw_problem_tier(problem, candidate->tier)->name);
    } else {
        sw_put_text(json, "candidate", "");
        if (candidate->offset) {
            sw_put_count(json, "offset", candidate->offset);
        }
    }
    sw_put_known(json, "size", candidate->size != SW_UNBOUNDED, candidate->size);
    sw_put_text(json, "verdict", sw_verdict_word(candidate->verdict));
    sw_put_text(json, "reason", candidate->reason);
    put_buffer_name(problem, json, "below", candidate->below);
    put_buffer_name(problem, json, "above", candidate->above);
    sw_put_if(json, "occupied", candidate->occupied);
    sw_put_end(json);
}

/* ---- decisions ---- */

bool sw_trace_places(const struct sw_problem *problem, const struct sw_decision *decision) {
    const char *word = sw_decision_word((enum sw_decision_kind)decision->kind);
    bool placing = strcmp(word, "place") == 0 || strcmp(word, "move") == 0 || strcmp(word, "append") == 0;
    return placing && decision->buffer != SW_NONE && decision->tier != SW_NONE &&
           sw_problem_buffer(problem, decision->buffer)->planned;
}

static void put_decision_place(const struct sw_problem *problem, const struct sw_decision *d,
                               struct sw_json_out *json) {
    put_buffer_name(problem, json, "buffer", d->buffer);
    if (d->tier != SW_NONE) {
        sw_put_text(json, "tier", sw_problem_tier(problem, d->tier)->name);
    }
    if (sw_curve_addressed(d) || d->offset) {
        sw_put_count(json, "offset", d->offset);
    }
    if (d->size != (d->buffer == SW_NONE ? 0 : sw_problem_buffer(problem, d->buffer)->size)) {
        sw_put_count(json, "size", d->size);
    }
}

/* Without it the time is that of the buffer's first step; of a decision without a buffer there is none. */
static void put_when(const struct sw_problem *problem, const struct sw_decision *d, struct sw_json_out *json) {
    const struct sw_buffer *buffer = d->buffer == SW_NONE ? NULL : sw_problem_buffer(problem, d->buffer);
    if (d->time == SW_NONE) {
        if (buffer) {
            sw_put_null(json, "time");
        }
        return;
    }
    if (!buffer || !buffer->planned || d->time != buffer->first) {
        sw_put_time(json, "time", sw_problem_time(problem, d->time));
    }
    if (d->live) {
        sw_put_count(json, "live", d->live);
    }
}

static void put_decision_figures(const struct sw_decision *d, size_t looked_at, struct sw_json_out *json) {
    char reason[SW_REASON];
    const char *why = sw_decision_reason(d, reason);
    if (!isnan(d->cost)) {
        sw_put_number(json, "cost", d->cost);
    }
    if (*why) {
        sw_put_text(json, "reason", why);
    }
    sw_put_if(json, "forced", d->forced);
    if (d->measures != SW_AMOUNT_MEMORY) {
        sw_put_text(json, "measures", d->measures == SW_AMOUNT_MOVED ? "moved" : "nothing");
    }
    if (d->candidates != looked_at) {
        sw_put_count(json, "looked_at", d->candidates);
    }
}

void sw_trace_open_decision(const struct sw_problem *problem, const struct sw_explanation *why,
                            struct sw_json_out *json) {
    const struct sw_decision *d = &why->decision;
    enum sw_decision_kind kind = (enum sw_decision_kind)d->kind;
    sw_put_object(json, NULL);
    sw_put_text(json, "decision", sw_decision_called(d));
    if (sw_decision_family(kind) != kind) {
        sw_put_text(json, "variant", sw_decision_member_name(kind));
    }
    put_decision_place(problem, d, json);
    put_when(problem, d, json);
    put_decision_figures(d, why->candidates.count, json);
    put_decision_operands(problem, d, json);
}

static void put_moved_blocks(const struct sw_problem *problem, const struct sw_explanation *why,
                             struct sw_json_out *json) {
    if (why->moved.count == 0) {
        return;
    }
    sw_put_list(json, "moved");
    for (size_t i = 0; i < why->moved.count; i++) {
        const struct sw_moved *moved = &why->moved.items[i];
        sw_put_object(json, NULL);
        sw_put_text(json, "buffer", sw_problem_buffer(problem, moved->buffer)->name);
        sw_put_text(json, "tier", sw_problem_tier(problem, moved->tier)->name);
        SW_PUT_COUNTS(json, {"from", moved->from}, {"to", moved->to});
        sw_put_end(json);
    }
    sw_put_end(json);
}

/* In full, however long the names are. */
static void put_decision_sentence(const struct sw_problem *problem, const struct sw_decision *decision,
                                  struct sw_json_out *json) {
    char text[512];
    int length = sw_decision_describe(problem, decision, text, sizeof text);
    if (length < (int)sizeof text) {
        sw_put_text(json, "sentence", text);
        return;
    }
    size_t size = (size_t)length + 1;
    char *longer = SW_NEW(char, size);
    if (!longer) {
        json->out->failed = true;
        return;
    }
    sw_decision_describe(problem, decision, longer, size);
    sw_put_text(json, "sentence", longer);
    SW_FREE(longer, size);
}

void sw_trace_close_decision(const struct sw_problem *problem, const struct sw_explanation *why,
                             struct sw_json_out *json) {
    put_moved_blocks(problem, why, json);
    put_decision_sentence(problem, &why->decision, json);
    sw_put_count(json, "peak", why->decision.peak);
    sw_put_end(json);
}
