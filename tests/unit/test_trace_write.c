/* Decision traces as they are written: an interpreter of its own, which knows of a trace only what its description
 * says, applies the changes line by line, and comes to the layout of the run at every decision. Every planner on every
 * model that ships, and on those of the tests. */
#include "share.h"
#include "unit/unit.h"

#include "formats/trace/trace_changes.h"
#include "formats/trace/trace_objects.h"
#include "formats/trace/trace_write.h"
#include "planners/planner.h"

#include <glob.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

/* ---- a trace in memory ---- */

struct text {
    char *bytes;
    size_t length;
};

static bool keep(void *context, struct sw_sink *sink, struct sw_error *error) {
    struct text *text = context;
    (void)error;
    text->bytes = realloc(text->bytes, text->length + sink->text.count + 1);
    assert_non_null(text->bytes);
    memcpy(text->bytes + text->length, sink->text.items, sink->text.count);
    text->length += sink->text.count;
    text->bytes[text->length] = '\0';
    sink->text.count = 0;
    return true;
}

/* ---- the interpreter ---- */

struct place {
    json_int_t tier, from, to; /* raw, inclusive */
    uint64_t offset;
    bool whole;
};
struct places {
    SW_ARRAY(struct place) list;
};

struct reading {
    const struct sw_problem *problem; /* for names and sizes only */
    json_t *buffers, *tiers;          /* from names to numbers */
    struct places *places;            /* of each buffer */
    json_t *transfers, *permits;      /* arrays of the objects read */
    uint64_t arenas[SW_MAX_TIERS];
    json_t *candidates; /* of the decision that follows */
    json_int_t group;
    json_t *decision;
    const char *at; /* the next line */
    const char *where;
    size_t explicit_changes, spans, forgotten, lifted, lowered; /* how often it mattered */
};

static json_int_t number_of(json_t *names, json_t *name) {
    assert_true(json_is_string(name));
    json_t *number = json_object_get(names, json_string_value(name));
    assert_non_null(number);
    return json_integer_value(number);
}

static void reading_start(struct reading *r, const struct sw_problem *problem, const char *text, const char *where) {
    *r = (struct reading){.problem = problem, .at = text, .where = where};
    r->buffers = json_object();
    r->tiers = json_object();
    r->transfers = json_array();
    r->permits = json_array();
    r->candidates = json_array();
    uint32_t count = sw_problem_buffer_count(problem);
    r->places = calloc(count + 1, sizeof *r->places);
    assert_non_null(r->places);
    for (uint32_t b = 0; b < count; b++) {
        json_object_set_new(r->buffers, sw_problem_buffer(problem, b)->name, json_integer(b));
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        json_object_set_new(r->tiers, sw_problem_tier(problem, t)->name, json_integer(t));
    }
}

static void reading_done(struct reading *r) {
    for (uint32_t b = 0; b < sw_problem_buffer_count(r->problem); b++) {
        SW_ARRAY_DONE(&r->places[b].list);
    }
    free(r->places);
    json_decref(r->buffers);
    json_decref(r->tiers);
    json_decref(r->transfers);
    json_decref(r->permits);
    json_decref(r->candidates);
    json_decref(r->decision);
}

static uint64_t size_of(const struct reading *r, json_int_t buffer) {
    return sw_problem_buffer(r->problem, (uint32_t)buffer)->size;
}

static void put(struct reading *r, json_int_t buffer, json_int_t tier, json_t *offset, json_t *from, json_t *to) {
    struct place place = {.tier = tier, .offset = (uint64_t)json_integer_value(offset), .whole = !from};
    assert_true(json_is_integer(offset));
    if (from) {
        assert_true(json_is_integer(from) && json_is_integer(to));
        place.from = json_integer_value(from);
        place.to = json_integer_value(to);
        r->spans++;
    }
    assert_true(SW_PUSH(&r->places[buffer].list, place));
    uint64_t end = place.offset + size_of(r, buffer);
    r->arenas[tier] = r->arenas[tier] > end ? r->arenas[tier] : end;
}

/* Returns whether a block that had a place lost it. */
/* A block with a place for its whole life is put there once more. */
static bool stays(const struct reading *r, const struct place *was, json_t *one) {
    json_t *offset = json_object_get(one, "offset");
    return was->whole && json_is_integer(offset) && !json_object_get(one, "from") &&
           was->offset == (uint64_t)json_integer_value(offset) &&
           was->tier == number_of(r->tiers, json_object_get(one, "tier"));
}

static bool change(struct reading *r, json_t *changes) {
    bool moved = false;
    json_t *one, *cleared = json_object();
    size_t i;
    json_array_foreach(changes, i, one) {
        json_t *name = json_object_get(one, "buffer");
        json_int_t buffer = number_of(r->buffers, name);
        if (!json_object_get(cleared, json_string_value(name))) {
            json_object_set_new(cleared, json_string_value(name), json_true());
            moved = moved || (r->places[buffer].list.count > 0 && !stays(r, &r->places[buffer].list.items[0], one));
            r->places[buffer].list.count = 0;
        }
        if (json_is_null(json_object_get(one, "offset"))) {
            r->lifted++;
            continue;
        }
        put(r, buffer, number_of(r->tiers, json_object_get(one, "tier")), json_object_get(one, "offset"),
            json_object_get(one, "from"), json_object_get(one, "to"));
    }
    json_decref(cleared);
    return moved;
}

static void extend(struct reading *r, json_t *list, const char *key, const char *again) {
    if (json_is_true(json_object_get(r->decision, again))) {
        json_array_clear(list);
        r->forgotten++;
    }
    json_array_extend(list, json_object_get(r->decision, key) ? json_object_get(r->decision, key) : r->candidates);
}

static bool is_placing(const char *kind) {
    return strcmp(kind, "place") == 0 || strcmp(kind, "move") == 0 || strcmp(kind, "append") == 0;
}

static void obey(struct reading *r) {
    json_t *d = r->decision, *changes = json_object_get(d, "changes"), *arenas = json_object_get(d, "arenas"), *bytes;
    json_t *buffer = json_object_get(d, "buffer"), *tier = json_object_get(d, "tier"),
           *offset = json_object_get(d, "offset");
    bool lists = json_object_get(d, "transfers") || json_object_get(d, "permits"), moved = false;
    const char *kind = json_string_value(json_object_get(d, "decision")), *name;
    r->explicit_changes += changes != NULL;
    if (changes) {
        moved = change(r, changes);
    } else if (!lists && is_placing(kind) && buffer && tier && offset) {
        json_int_t b = number_of(r->buffers, buffer), t = number_of(r->tiers, tier);
        struct place *was = r->places[b].list.items;
        moved = r->places[b].list.count > 0 &&
                !(was->whole && was->tier == t && was->offset == (uint64_t)json_integer_value(offset));
        r->places[b].list.count = 0;
        put(r, b, t, offset, NULL, NULL);
    }
    json_t *none = r->candidates; /* an empty array for what is absent */
    r->candidates = json_array();
    extend(r, r->transfers, "transfers", "transfers_again");
    extend(r, r->permits, "permits", "permits_again");
    json_decref(r->candidates);
    r->candidates = none;
    assert_true(arenas || !moved); /* where blocks move, they are told */
    json_object_foreach(arenas, name, bytes) {
        json_int_t t = json_integer_value(json_object_get(r->tiers, name));
        r->lowered += (uint64_t)json_integer_value(bytes) < r->arenas[t];
        r->arenas[t] = (uint64_t)json_integer_value(bytes);
    }
}

/* The next object; NULL: no line is left. The caller frees it. */
static json_t *next_object(struct reading *r) {
    json_error_t error;
    if (!*r->at) {
        return NULL;
    }
    const char *end = strchr(r->at, '\n');
    assert_non_null(end);
    json_t *object = json_loadb(r->at, (size_t)(end - r->at), JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(object)) {
        fail_msg("%s: %s: %.*s", r->where, error.text, (int)(end - r->at), r->at);
    }
    r->at = end + 1;
    return object;
}

/* On to the next decision; false: to the end, which is in `decision` then. */
static bool advance(struct reading *r) {
    json_array_clear(r->candidates);
    for (json_t *object; (object = next_object(r)); json_decref(object)) {
        if (json_object_get(object, "candidate")) {
            json_array_append(r->candidates, object);
        } else if (json_object_get(object, "group")) {
            assert_int_equal(json_array_size(r->candidates), 0);
            r->group = json_integer_value(json_object_get(object, "number"));
        } else if (json_object_get(object, "decision") || json_object_get(object, "end")) {
            json_decref(r->decision);
            r->decision = object;
            if (json_object_get(object, "decision")) {
                obey(r);
                return true;
            }
            assert_int_equal(json_array_size(r->candidates), 0);
            assert_int_equal(*r->at, '\0');
            return false;
        }
    }
    fail_msg("%s: no end", r->where);
    return false;
}

/* ---- is it the same? ---- */

#define SAME(r, step, what, condition)                                                                         \
    do {                                                                                                       \
        if (!(condition)) {                                                                                    \
            char *text = json_dumps((r)->decision, 0);                                                         \
            fail_msg("%s, decision %llu: %s differs: %s", (r)->where, (unsigned long long)(step), what, text); \
        }                                                                                                      \
    } while (0)

static bool same_place(const struct sw_problem *problem, const struct sw_placement *p, const struct place *read) {
    bool whole = p->span.from == 0 && p->span.to == UINT32_MAX;
    if (p->tier != (uint32_t)read->tier || p->offset != read->offset || whole != read->whole) {
        return false;
    }
    uint32_t last = sw_problem_steps(problem) - 1, to = p->span.to < last ? p->span.to : last;
    return whole ||
           (sw_problem_time(problem, p->span.from) == read->from && sw_problem_time(problem, to + 1) - 1 == read->to);
}

static void same_layout(struct reading *r, const struct sw_layout *layout, uint64_t step) {
    const struct sw_problem *problem = r->problem;
    struct sw_placement p;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        uint32_t k = 0;
        for (; sw_layout_placement(layout, b, k, &p); k++) {
            SAME(r, step, sw_problem_buffer(problem, b)->name,
                 k < r->places[b].list.count && same_place(problem, &p, &r->places[b].list.items[k]));
        }
        SAME(r, step, sw_problem_buffer(problem, b)->name, k == r->places[b].list.count);
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        SAME(r, step, "an arena", r->arenas[t] == sw_layout_arena(layout, t));
    }
    SAME(r, step, "transfers", json_array_size(r->transfers) == sw_layout_transfer_count(layout));
    for (size_t i = 0; i < sw_layout_transfer_count(layout); i++) {
        struct sw_transfer transfer = sw_layout_transfer_get(layout, i);
        json_t *read = json_array_get(r->transfers, i), *from = json_object_get(read, "from"),
               *to = json_object_get(read, "to");
        SAME(r, step, "a transfer",
             number_of(r->buffers, json_object_get(read, "buffer")) == transfer.buffer &&
                 json_integer_value(json_object_get(read, "step")) == sw_problem_time(problem, transfer.step) &&
                 (transfer.from == SW_NONE ? json_is_null(from) : number_of(r->tiers, from) == transfer.from) &&
                 (transfer.to == SW_NONE ? json_is_null(to) : number_of(r->tiers, to) == transfer.to));
    }
    SAME(r, step, "permits", json_array_size(r->permits) == sw_layout_permit_count(layout));
    for (size_t i = 0; i < sw_layout_permit_count(layout); i++) {
        struct sw_permit permit = sw_layout_permit_get(layout, i);
        json_t *read = json_array_get(r->permits, i);
        SAME(r, step, "a permit",
             number_of(r->buffers, json_object_get(read, "new")) == permit.fresh &&
                 number_of(r->buffers, json_object_get(read, "old")) == permit.old &&
                 json_integer_value(json_object_get(read, "step")) == sw_problem_time(problem, permit.step));
    }
}

static uint64_t count_or(json_t *object, const char *key, uint64_t fallback) {
    json_t *value = json_object_get(object, key);
    return value ? (uint64_t)json_integer_value(value) : fallback;
}

static const char *text_or(json_t *object, const char *key, const char *fallback) {
    json_t *value = json_object_get(object, key);
    return value ? json_string_value(value) : fallback;
}

static bool same_name(const struct reading *r, json_t *object, const char *key, uint32_t buffer) {
    json_t *name = json_object_get(object, key);
    return buffer == SW_NONE ? !name : name && number_of(r->buffers, name) == buffer;
}

static bool same_cost(json_t *value, double cost) {
    return isnan(cost) ? !value || json_is_null(value) : value && json_number_value(value) == cost;
}

static bool same_operand(const struct reading *r, json_t *value, const struct sw_decision *d,
                         const struct sw_operand *o) {
    const void *at = sw_decision_at(d, o);
    const struct sw_before_after *both = at;
    switch (o->type) {
    case SW_OPERAND_buffer:
        return number_of(r->buffers, value) == *(const uint32_t *)at;
    case SW_OPERAND_text:
        return strcmp(json_string_value(value), *(const char *const *)at) == 0;
    case SW_OPERAND_index:
        return json_integer_value(value) == *(const uint32_t *)at;
    case SW_OPERAND_count:
    case SW_OPERAND_bytes:
        return *(const uint64_t *)at == SW_UNBOUNDED ? json_is_null(value)
                                                     : (uint64_t)json_integer_value(value) == *(const uint64_t *)at;
    case SW_OPERAND_flag:
        return json_is_true(value);
    case SW_OPERAND_score:
        return same_cost(value, *(const double *)at);
    case SW_OPERAND_change:
        return same_cost(json_array_get(value, 0), both->before) && same_cost(json_array_get(value, 1), both->after);
    }
    return false;
}

static void same_operands(struct reading *r, const struct sw_decision *d) {
    json_t *operands = json_object_get(r->decision, "operands");
    size_t count = 0;
    for (const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)d->kind); o->name; o++) {
        json_t *value = json_object_get(operands, o->name);
        const struct sw_before_after *both = sw_decision_at(d, o);
        bool there = sw_decision_value(d, o, NULL, NULL) || (o->type == SW_OPERAND_change && !isnan(both->before));
        SAME(r, d->step, o->name, (value != NULL) == there);
        SAME(r, d->step, o->name, !value || same_operand(r, value, d, o));
        count += value != NULL;
    }
    SAME(r, d->step, "operands", count == json_object_size(operands));
}

static void same_candidates(struct reading *r, const struct sw_explanation *why) {
    uint64_t step = why->decision.step;
    SAME(r, step, "candidates", json_array_size(r->candidates) == why->candidates.count);
    for (size_t i = 0; i < why->candidates.count; i++) {
        const struct sw_candidate *c = &why->candidates.items[i];
        json_t *read = json_array_get(r->candidates, i), *address = json_object_get(read, "candidate"),
               *size = json_object_get(read, "size");
        SAME(r, step, "a candidate's place",
             c->tier == SW_NONE ? json_is_string(address) && count_or(read, "offset", 0) == c->offset
                                : number_of(r->tiers, json_object_get(read, "tier")) == c->tier &&
                                      (uint64_t)json_integer_value(address) == c->offset);
        SAME(r, step, "a candidate's size",
             c->size == SW_UNBOUNDED ? json_is_null(size) : (uint64_t)json_integer_value(size) == c->size);
        SAME(r, step, "a candidate's reason",
             strcmp(text_or(read, "reason", "?"), c->reason) == 0 &&
                 strcmp(text_or(read, "verdict", "?"), sw_verdict_word(c->verdict)) == 0);
        SAME(r, step, "a candidate's neighbors",
             same_name(r, read, "below", c->below) && same_name(r, read, "above", c->above) &&
                 json_is_true(json_object_get(read, "occupied")) == c->occupied);
    }
}

static void same_decision(struct reading *r, const struct sw_explanation *why) {
    const struct sw_decision *d = &why->decision;
    const struct sw_problem *problem = r->problem;
    const struct sw_buffer *buffer = d->buffer == SW_NONE ? NULL : sw_problem_buffer(problem, d->buffer);
    json_t *j = r->decision, *time = json_object_get(j, "time"), *tier = json_object_get(j, "tier");
    char reason[SW_REASON], sentence[2000];
    enum sw_decision_kind kind = SW_DECISION_KIND_COUNT;
    SAME(r, d->step, "the kind",
         sw_decision_kind_of(text_or(j, "decision", ""), text_or(j, "variant", NULL), &kind) &&
             kind == (enum sw_decision_kind)d->kind);
    SAME(r, d->step, "the buffer", same_name(r, j, "buffer", d->buffer));
    SAME(r, d->step, "the tier", d->tier == SW_NONE ? !tier : number_of(r->tiers, tier) == d->tier);
    SAME(r, d->step, "the offset", count_or(j, "offset", 0) == d->offset);
    SAME(r, d->step, "the size", count_or(j, "size", buffer ? buffer->size : 0) == d->size);
    SAME(r, d->step, "the time",
         d->time == SW_NONE ? (buffer ? json_is_null(time) : !time)
         : time             ? json_integer_value(time) == sw_problem_time(problem, d->time)
                            : buffer && buffer->first == d->time);
    SAME(r, d->step, "live", d->time == SW_NONE || count_or(j, "live", 0) == d->live);
    SAME(r, d->step, "the cost", same_cost(json_object_get(j, "cost"), d->cost));
    SAME(r, d->step, "the reason", strcmp(text_or(j, "reason", ""), sw_decision_reason(d, reason)) == 0);
    SAME(r, d->step, "forced", json_is_true(json_object_get(j, "forced")) == d->forced);
    SAME(r, d->step, "what it measures",
         strcmp(text_or(j, "measures", "memory"), d->measures == SW_AMOUNT_MEMORY  ? "memory"
                                                  : d->measures == SW_AMOUNT_MOVED ? "moved"
                                                                                   : "nothing") == 0);
    SAME(r, d->step, "how many it looked at",
         count_or(j, "looked_at", json_array_size(r->candidates)) == d->candidates);
    SAME(r, d->step, "the group", r->group == d->group);
    SAME(r, d->step, "the peak", count_or(j, "peak", 0) == d->peak);
    assert_true(sw_decision_describe(problem, d, sentence, sizeof sentence) < (int)sizeof sentence);
    SAME(r, d->step, "the sentence", strcmp(text_or(j, "sentence", ""), sentence) == 0);
    SAME(r, d->step, "what moved", json_array_size(json_object_get(j, "moved")) == why->moved.count);
    same_operands(r, d);
    same_candidates(r, why);
}

/* ---- runs ---- */

struct totals {
    size_t runs, decisions, explicit_changes, spans, forgotten, lifted, lowered, planners;
};

/* Write the run, so many decisions of it; how it ended. */
static bool write_run(struct sw_search *search, uint64_t most, bool states, struct text *text, struct sw_error *error) {
    struct sw_explanation why = {0};
    enum sw_step step = SW_STEP_MORE;
    struct sw_trace_writer *writer = sw_trace_writer_new(search, states, keep, text, error);
    bool good = writer != NULL;
    while (good && sw_search_at(search) < most &&
           (step = sw_search_step_explained(search, &why, error)) == SW_STEP_MORE) {
        good = sw_trace_writer_decision(writer, &why, error);
    }
    good = good && sw_trace_writer_end(writer, step == SW_STEP_FAILED ? error->message : NULL,
                                       step == SW_STEP_MORE ? sw_search_at(search) : 0, error);
    sw_trace_writer_free(writer);
    sw_explanation_done(&why);
    return good;
}

static void check_header(struct reading *r, const struct sw_search *search) {
    const struct sw_problem *origin = sw_problem_origin(r->problem);
    json_t *header = next_object(r), *graph = next_object(r);
    assert_int_equal(json_integer_value(json_object_get(header, "stowage-trace")), 1);
    assert_string_equal(text_or(header, "planner", ""), sw_search_planner(search)->name);
    assert_string_equal(text_or(header, "model", "?"), sw_problem_name(r->problem));
    assert_int_equal(json_object_get(header, "as_seen_by") != NULL,
                     origin != r->problem && sw_search_planner(search)->derive != NULL);
    char *whole = json_dumps(json_object_get(graph, "graph"), JSON_COMPACT);
    struct sw_input input = {.name = "graph", .bytes = whole, .length = strlen(whole)};
    struct sw_error error = {0};
    struct sw_problem *again = sw_load_input(&input, NULL, &error);
    if (!again) {
        fail_msg("%s: the graph: %s", r->where, error.message);
    }
    const struct sw_problem *wanted = json_object_get(header, "as_seen_by") ? origin : r->problem;
    assert_int_equal(sw_problem_buffer_count(again), sw_problem_buffer_count(wanted));
    if (!sw_problem_inplace_safe(wanted)) {
        assert_int_equal(sw_problem_digest(again), sw_problem_digest(wanted));
    }
    sw_problem_unref(again);
    free(whole);
    json_decref(header);
    json_decref(graph);
}

static void check_run(const struct sw_problem *problem, const struct sw_planner *planner, uint64_t work, uint64_t most,
                      const char *where, struct totals *totals) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    struct text text = {0};
    struct reading r;
    params.work = work;
    struct sw_search *written = sw_search_new(problem, planner, &params, &error);
    if (!written) {
        return; /* the planner needs what this problem lacks */
    }
    struct sw_search *search = sw_search_new(problem, planner, &params, &error);
    assert_non_null(search);
    assert_true(write_run(written, most, false, &text, &error));
    reading_start(&r, sw_search_problem(search), text.bytes, where);
    check_header(&r, search);
    struct sw_explanation why = {0};
    while (advance(&r)) {
        assert_int_equal(sw_search_step_explained(search, &why, &error), SW_STEP_MORE);
        same_decision(&r, &why);
        same_layout(&r, sw_search_layout(search), why.decision.step);
    }
    assert_int_equal(sw_search_at(search), sw_search_at(written));
    if (strcmp(text_or(r.decision, "end", ""), "done") == 0) {
        struct sw_metrics metrics;
        sw_metrics_of(sw_search_layout(written), &metrics);
        json_t *peak = json_object_get(r.decision, "peak"); /* null where each tier has its own */
        assert_true(metrics.single_tier ? (uint64_t)json_integer_value(peak) == metrics.peak : json_is_null(peak));
    }
    totals->runs++;
    totals->decisions += sw_search_at(written);
    totals->explicit_changes += r.explicit_changes;
    totals->spans += r.spans;
    totals->forgotten += r.forgotten;
    totals->lifted += r.lifted;
    totals->lowered += r.lowered;
    sw_explanation_done(&why);
    reading_done(&r);
    free(text.bytes);
    sw_search_free(written);
    sw_search_free(search);
}

/* Some runs look at so much that their first decisions must do. */
static void check_model(const char *path, const struct sw_load_options *options, struct totals *totals) {
    struct sw_error error = {0};
    struct sw_problem *problem = sw_load(path, options, NULL, &error);
    if (!problem) {
        fail_msg("%s: %s", path, error.message);
    }
    uint64_t most = cases(12000);
    for (size_t i = 0; i < sw_planner_count(); i++) {
        char where[400];
        const struct sw_planner *planner = sw_planner_get(i);
        if (planner->rewrites ||
            !in_share(totals->planners++, SW_SANITIZED ? 8 : 4)) { /* no trace holds what rewrites: cli-fit */
            continue;
        }
        snprintf(where, sizeof where, "%s of %s", planner->name, path);
        bool large = sw_problem_buffer_count(problem) > 60;
        most = large && most > 2000 && !getenv("STOWAGE_LONG") ? 600 : most;
        if (SW_SANITIZED) { /* what is compared was compared without: these look at memory */
            most = large ? 20 : 100;
        }
        check_run(problem, planner, 400000, most, where, totals);
    }
    sw_problem_unref(problem);
}

static size_t each(const char *pattern, const struct sw_load_options *options, struct totals *totals) {
    glob_t found = {0};
    size_t count = 0;
    if (glob(pattern, 0, NULL, &found) == 0) {
        count = found.gl_pathc;
    }
    for (size_t i = 0; i < count; i++) {
        check_model(found.gl_pathv[i], options, totals);
    }
    globfree(&found);
    return count;
}

static void all_planners_on_all_models(void **state) {
    struct totals totals = {0};
    struct sw_load_options bounded = {.has_capacity = true, .capacity = 140},
                           half = {.has_capacity = true, .capacity = 100 << 10}, safe = {.inplace_safe = true};
    (void)state;
    assert_true(each(SW_TEST_SOURCE "/scripts/models/*.json", NULL, &totals) >= 5);
    assert_true(each(SW_TEST_SOURCE "/scripts/models/*.lua", NULL, &totals) >= 13);
    assert_true(each(SW_TEST_SOURCE "/tests/golden/models/*", NULL, &totals) >= 8);
    assert_true(each(SW_TEST_SOURCE "/tests/tui/models/*", NULL, &totals) >= 6);
    assert_true(each(SW_TEST_SOURCE "/tests/fuzz/corpus/plan_json/moves", NULL, &totals) == 1);
    check_model(SW_TEST_SOURCE "/scripts/models/two_tiers.json", &bounded, &totals);
    check_model(SW_TEST_SOURCE "/scripts/models/mobilenet_v1_025_96.json", &half, &totals);
    check_model(SW_TEST_SOURCE "/tests/tui/models/small.json", &safe, &totals);
    check_model(SW_TEST_SOURCE "/scripts/models/branches.json", &safe, &totals);
    if (getenv("STOWAGE_LONG")) {
        print_message("in full: decisions of traces %zu\n", totals.decisions);
    }
    print_message(
        "%zu runs, %zu decisions, %zu with changes, %zu spans, %zu lists begun anew, %zu lifted, %zu lowered\n",
        totals.runs, totals.decisions, totals.explicit_changes, totals.spans, totals.forgotten, totals.lifted,
        totals.lowered);
    /* A share may have none: layouts_at_random has all. */
    assert_true(!getenv("STOWAGE_LONG") || (totals.spans > 0 && totals.lifted > 0 && totals.lowered > 0));
}

/* ---- layouts at random ---- */

struct dice {
    uint64_t seed;
};

static uint32_t roll(struct dice *dice, uint32_t below) {
    dice->seed = dice->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(dice->seed >> 33) % below;
}

enum { BUFFERS = 150, TIERS = 3, STEPS = 40 };

/* Times far apart, so that steps and raw times differ. */
static struct sw_problem *random_problem(struct dice *dice) {
    struct sw_builder *builder = sw_builder_new(NULL);
    struct sw_error error = {0};
    for (int t = 0; t < TIERS; t++) {
        struct sw_tier tier = {.name = (const char *[]){"a", "b", "c \"d\""}[t], .capacity = SW_UNBOUNDED};
        assert_true(sw_builder_tier(builder, &tier, &error));
    }
    for (int b = 0; b < BUFFERS; b++) {
        char name[16];
        int64_t first = 10 * roll(dice, STEPS);
        snprintf(name, sizeof name, "b\n%d", b);
        add_plain(builder, name, first, first + 10 * roll(dice, 20) + 9, roll(dice, 50));
    }
    return must_finish(builder);
}

static void place_spans(struct dice *dice, struct sw_layout *layout, uint32_t buffer) {
    uint32_t from = 0, count = 1 + roll(dice, 3);
    assert_true(sw_layout_lift(layout, buffer));
    for (uint32_t k = 0; k < count; k++) {
        struct sw_placement p = {buffer, roll(dice, TIERS), roll(dice, 200), {from, from + roll(dice, 5)}};
        assert_true(sw_layout_place_span(layout, &p));
        from = p.span.to + 1;
    }
}

static void disturb(struct dice *dice, struct sw_layout *layout) {
    uint32_t b = roll(dice, BUFFERS);
    struct sw_transfer transfer = {b, roll(dice, 10), roll(dice, 2) ? SW_NONE : roll(dice, TIERS), roll(dice, TIERS)};
    struct sw_permit permit = {b, roll(dice, BUFFERS), roll(dice, 10)};
    switch (roll(dice, 10)) {
    case 0:
    case 1:
        assert_true(sw_layout_place(layout, b, roll(dice, TIERS), roll(dice, 300)));
        return;
    case 2:
        assert_true(sw_layout_lift(layout, b));
        return;
    case 3:
    case 4:
        place_spans(dice, layout, b);
        return;
    case 5:
    case 6:
        assert_true(sw_layout_transfer(layout, &transfer));
        return;
    case 7:
        assert_true(sw_layout_permit(layout, &permit));
        return;
    case 8:
        assert_true(roll(dice, 2) ? sw_layout_forget_transfers(layout) : sw_layout_forget_permits(layout));
        return;
    default:
        sw_layout_set_arena(layout, roll(dice, TIERS), roll(dice, 400));
    }
}

/* A decision that does what its kind says, or something else, or more. */
static struct sw_decision random_decision(struct dice *dice, struct sw_layout *layout) {
    struct sw_decision d;
    sw_decision_clear(&d);
    sw_decision_become(&d, roll(dice, 3) ? SW_DECISION_PLACE : SW_DECISION_RELEASE);
    d.buffer = roll(dice, 20) ? roll(dice, BUFFERS) : SW_NONE;
    d.tier = roll(dice, 20) ? roll(dice, TIERS) : SW_NONE;
    d.offset = roll(dice, 300);
    if (roll(dice, 4) && d.kind == SW_DECISION_PLACE && d.buffer != SW_NONE && d.tier != SW_NONE) {
        assert_true(sw_layout_place(layout, d.buffer, d.tier, d.offset));
    }
    for (uint32_t n = roll(dice, 2) ? 0 : roll(dice, 6); n > 0; n--) {
        disturb(dice, layout);
    }
    return d;
}

static void layouts_at_random(void **state) {
    struct totals totals = {0};
    (void)state;
    for (uint64_t seed = 1 + first_case(40), seed_end = seed + cases(40); seed < seed_end; seed++) {
        struct dice dice = {seed};
        struct sw_error error = {0};
        struct sw_problem *problem = random_problem(&dice);
        struct sw_layout *layout = sw_layout_new(problem, &error), *clone = NULL;
        struct sw_trace_layout kept;
        struct reading r;
        reading_start(&r, problem, "", "a random layout");
        assert_true(sw_trace_layout_start(&kept, problem, &error));
        for (uint64_t step = 1; step <= 1000; step++) {
            struct sw_sink sink = {0};
            struct sw_explanation why = {.decision = random_decision(&dice, layout)};
            if (roll(&dice, 10) == 0) { /* as a search does for its history: chunks are shared then */
                sw_layout_free(clone);
                clone = sw_layout_clone(layout, &error);
            }
            struct sw_json_out json = {.out = &sink};
            sw_trace_open_decision(problem, &why, &json);
            assert_true(sw_trace_put_changes(&kept, layout, &why.decision, &json, &error));
            sw_trace_close_decision(problem, &why, &json);
            sw_sink_printf(&sink, "{\"end\":\"done\"}\n");
            sw_sink_add(&sink, "", 1);
            r.at = sink.text.items;
            assert_true(advance(&r));
            same_layout(&r, layout, step);
            sw_sink_done(&sink);
        }
        totals.spans += r.spans;
        totals.forgotten += r.forgotten;
        totals.lifted += r.lifted;
        totals.lowered += r.lowered;
        reading_done(&r);
        sw_trace_layout_done(&kept);
        sw_layout_free(clone);
        sw_layout_free(layout);
        sw_problem_unref(problem);
    }
    assert_true(totals.spans > 0 && totals.forgotten > 0 && totals.lifted > 0 && totals.lowered > 0);
}

/* ---- the rest ---- */

static void names(void **state) {
    (void)state;
    bool gzip = true;
    assert_true(sw_trace_named("a/b.trace", &gzip) && !gzip);
    assert_true(sw_trace_named("b.trace.jsonl", &gzip) && !gzip);
    assert_true(sw_trace_named("b.trace.gz", &gzip) && gzip);
    assert_true(sw_trace_named("b.trace.jsonl.gz", &gzip) && gzip);
    assert_false(sw_trace_named("b.jsonl", NULL));
    assert_false(sw_trace_named("b.json.gz", NULL));
    assert_false(sw_trace_named("trace", NULL));
    assert_false(sw_trace_named("-", NULL));
    assert_false(sw_trace_named("", NULL));
}

/* Words and members lead back to each kind. */
static void kinds(void **state) {
    (void)state;
    for (int i = 0; i < SW_DECISION_KIND_COUNT; i++) {
        enum sw_decision_kind kind = (enum sw_decision_kind)i, back;
        bool variant = sw_decision_family(kind) != kind;
        assert_true(sw_decision_kind_of(sw_decision_word(kind), sw_decision_member_name(kind), &back));
        assert_int_equal(back, kind);
        assert_true(sw_decision_kind_of(sw_decision_word(kind), NULL, &back));
        assert_int_equal(back == kind, !variant);
    }
    enum sw_decision_kind kind;
    assert_false(sw_decision_kind_of("place", "sort_blocks", &kind));
    assert_false(sw_decision_kind_of("plac", NULL, &kind));
}

/* Every table of every planner: as many kinds as columns, and per row where they differ. */
static void states_of_planners(void **state) {
    struct sw_error error = {0};
    struct sw_problem *problem = sw_load(SW_TEST_SOURCE "/scripts/models/two_tiers.json", NULL, NULL, &error);
    size_t tables = 0, mixed = 0;
    (void)state;
    assert_non_null(problem);
    for (size_t i = 0; i < sw_planner_count(); i++) {
        struct sw_search *search = sw_search_new(problem, sw_planner_get(i), NULL, &error);
        struct text text = {0};
        struct reading r;
        if (!search) {
            continue;
        }
        assert_true(write_run(search, 60, true, &text, &error));
        reading_start(&r, sw_search_problem(search), text.bytes, sw_planner_get(i)->name);
        for (json_t *object; (object = next_object(&r)); json_decref(object)) {
            json_t *columns = json_object_get(object, "columns"), *kinds_of = json_object_get(object, "kinds"),
                   *rows = json_object_get(object, "rows"), *row;
            size_t at;
            if (!json_object_get(object, "state")) {
                continue;
            }
            tables++;
            assert_int_equal(json_array_size(kinds_of), json_array_size(columns));
            json_array_foreach(rows, at, row) {
                assert_int_equal(json_array_size(row), json_array_size(columns));
                for (size_t c = 0; c < json_array_size(columns); c++) {
                    json_t *kind = json_array_get(kinds_of, c), *cell = json_array_get(row, c);
                    mixed += json_is_array(kind);
                    kind = json_is_array(kind) ? json_array_get(kind, at) : kind;
                    assert_true((strcmp(json_string_value(kind), "none") == 0) <= json_is_null(cell));
                }
            }
        }
        reading_done(&r);
        free(text.bytes);
        sw_search_free(search);
    }
    assert_true(tables > 100 && mixed > 0);
    sw_problem_unref(problem);
}

/* A pour that fails ends the trace with its error. */
static bool refuse(void *context, struct sw_sink *sink, struct sw_error *error) {
    (void)context, (void)sink;
    return sw_fail(error, SW_ERROR_IO, "full");
}

static void a_pour_that_fails(void **state) {
    struct sw_error error = {0};
    struct sw_problem *problem = sw_load(SW_TEST_SOURCE "/scripts/models/example1.json", NULL, NULL, &error);
    struct sw_search *search = sw_search_new(problem, sw_planner_get(0), NULL, &error);
    (void)state;
    struct sw_trace_writer *writer = sw_trace_writer_new(search, false, refuse, NULL, &error);
    assert_non_null(writer);
    assert_false(sw_trace_writer_end(writer, NULL, 0, &error));
    assert_string_equal(error.message, "full");
    sw_trace_writer_free(writer);
    sw_search_free(search);
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(kinds),
        cmocka_unit_test(states_of_planners),
        cmocka_unit_test(a_pour_that_fails),
        cmocka_unit_test(layouts_at_random),
        cmocka_unit_test(all_planners_on_all_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
