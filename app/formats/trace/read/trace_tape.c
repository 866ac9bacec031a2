/* Binding: every decision of a trace in the numbers of a problem. */
#include "formats/trace/read/trace_tape.h"
#include "base/base.h"
#include "base/sort.h"

#include "planners/planner.h"

/* ---- names and times ---- */

uint32_t sw_trace_buffer(const struct sw_problem *problem, struct sw_trace_value name, uint32_t again) {
    char text[1024], *whole = text;
    size_t length = sw_trace_is_text(name) ? sw_trace_text(name, text, sizeof text - 16) : 0, size = length + 16;
    if (length == 0) {
        return SW_NONE;
    }
    if (length >= sizeof text - 16) {
        whole = SW_NEW(char, size);
        if (!whole) {
            return SW_NONE;
        }
        sw_trace_text(name, whole, size);
    }
    if (again > 0) {
        snprintf(whole + length, 16, "#%" PRIu32, again);
    }
    uint32_t found = sw_problem_find_buffer(problem, whole);
    if (found == SW_NONE) {
        uint32_t member = sw_problem_find_member(problem, whole);
        found = member == SW_NONE ? SW_NONE : sw_problem_member(problem, member)->buffer;
    }
    if (whole != text) {
        SW_FREE(whole, size);
    }
    return found;
}

uint32_t sw_trace_tier(const struct sw_problem *problem, struct sw_trace_value name) {
    char text[512];
    bool fits = sw_trace_is_text(name) && sw_trace_text(name, text, sizeof text) < sizeof text;
    return fits ? sw_problem_find_tier(problem, text) : SW_NONE;
}

uint32_t sw_trace_step(const struct sw_trace_tape *tape, const struct sw_problem *problem, int64_t time, bool last) {
    uint32_t steps = sw_problem_steps(problem);
    if (tape->instants.count > 0) {
        const struct sw_trace_instant *instant = sw_trace_instant_at(&tape->instants, time);
        return last ? instant->last : instant->first;
    }
    if (steps == 0 || time < sw_problem_time(problem, 0) || time >= sw_problem_time(problem, steps)) {
        return SW_NONE;
    }
    return (uint32_t)SW_FIRST(i, steps, sw_problem_time(problem, (uint32_t)i) > time) - 1;
}

/* Into an object that is zeroed, or held another line. */
static bool next_tape_line(struct sw_trace_tape *tape, uint64_t at, struct sw_trace_piece *piece,
                           struct sw_trace_object *object, uint32_t line, struct sw_error *error) {
    struct sw_trace_fault fault;
    if (!sw_trace_text_line(&tape->text, at, piece, error)) {
        return false;
    }
    return sw_trace_object_next(object, piece->begin, piece->end, &fault) ||
           sw_trace_text_fail(&tape->text, piece, line, fault.at, error, "%s", fault.text);
}

bool sw_trace_line(struct sw_trace_tape *tape, uint64_t at, struct sw_trace_piece *piece,
                   struct sw_trace_object *object, uint32_t line, struct sw_error *error) {
    memset(object, 0, sizeof *object);
    return next_tape_line(tape, at, piece, object, line, error);
}

/* ---- one decision ---- */

struct binding {
    struct sw_error *error;
    struct sw_trace_tape *tape;
    const struct sw_problem *problem;
    struct sw_recording *recording;
    struct sw_names phrases; /* texts that many decisions share, each once */
    SW_ARRAY(const char *) phrase_list;
    SW_ARRAY(char) scratch;
    SW_ARRAY(char)
    last_written; /* the last of those texts, as it stands in the trace: the next one is often the same */
    const char *last_phrase;
    uint32_t likely; /* the buffer behind the one that was named last: many traces name them in their order */
    uint64_t unknown_buffers, unknown_tiers, unplanned, between; /* what is noted */
    uint32_t unknown_line, tier_line;
    uint64_t arenas[SW_MAX_TIERS];
    size_t index;
    int64_t span_end; /* of the last span, as the trace has it, and its buffer */
    uint32_t span_of;
    /* the present one: */
    struct sw_trace_where where;
    const struct sw_trace_mark *mark;
    struct sw_trace_object object;
    struct sw_recorded *fresh;
};

/* A text of the trace for people, kept once. NULL: no memory. */
static const char *find_phrase(struct binding *b, struct sw_trace_value value) {
    size_t room = (size_t)value.length + 1;
    if (!SW_RESERVE(&b->scratch, room)) {
        return NULL;
    }
    sw_trace_text(value, b->scratch.items, room);
    sw_utf8_clean(b->scratch.items, true);
    uint32_t known = sw_names_find(&b->phrases, b->scratch.items, strlen(b->scratch.items));
    if (known != SW_NONE) {
        return b->phrase_list.items[known];
    }
    const char *copy = sw_arena_string(&b->recording->texts, b->scratch.items, strlen(b->scratch.items));
    bool ok = copy && sw_names_set(&b->phrases, copy, strlen(copy), (uint32_t)b->phrase_list.count) &&
              SW_PUSH(&b->phrase_list, copy);
    return ok ? copy : NULL;
}

static const char *phrase(struct binding *b, struct sw_trace_value value) {
    bool plain = value.type == SW_TRACE_TEXT;
    if (plain && b->last_phrase && value.length == b->last_written.count &&
        memcmp(value.text, b->last_written.items, value.length) == 0) {
        return b->last_phrase;
    }
    const char *found = find_phrase(b, value);
    b->last_phrase = NULL;
    if (found && plain && value.length > 0 && SW_RESERVE(&b->last_written, value.length)) {
        memcpy(b->last_written.items, value.text, value.length);
        b->last_written.count = value.length;
        b->last_phrase = found;
    }
    return found;
}

static bool is_called(const struct sw_problem *problem, uint32_t buffer, struct sw_trace_value name) {
    const char *called = buffer < sw_problem_buffer_count(problem) ? sw_problem_buffer(problem, buffer)->name : NULL;
    return called && name.type == SW_TRACE_TEXT && name.length > 0 && strncmp(called, name.text, name.length) == 0 &&
           called[name.length] == '\0';
}

static uint32_t buffer_named(struct binding *b, struct sw_trace_value name) {
    uint32_t again = name.text == b->object.values[SW_TRACE_BUFFER].text ? b->mark->again : 0;
    uint32_t found =
        again == 0 && is_called(b->problem, b->likely, name) ? b->likely : sw_trace_buffer(b->problem, name, again);
    b->likely = found == SW_NONE ? b->likely : found + 1;
    if (found == SW_NONE && name.type > SW_TRACE_NULL) {
        b->unknown_line = b->unknown_buffers++ ? b->unknown_line : b->mark->line;
    }
    return found;
}

static uint32_t tier_named(struct binding *b, struct sw_trace_value name) {
    uint32_t found = sw_trace_tier(b->problem, name);
    if (found == SW_NONE && name.type > SW_TRACE_NULL) {
        b->tier_line = b->unknown_tiers++ ? b->tier_line : b->mark->line;
    }
    return found;
}

/* Where a decision that names no tier puts its buffer. */
static uint32_t usual_tier(const struct sw_problem *problem, uint32_t buffer) {
    const struct sw_buffer *b = buffer == SW_NONE ? NULL : sw_problem_buffer(problem, buffer);
    if (!b || sw_problem_tier_count(problem) == 1) {
        return sw_problem_tier_count(problem) == 1 ? 0 : SW_NONE;
    }
    return b->tier != SW_NONE ? b->tier : b->tiers ? (uint32_t)__builtin_ctzll(b->tiers) : 0;
}

static bool read_operand(struct binding *b, const struct sw_operand *o, struct sw_trace_value value) {
    struct sw_decision *d = &b->fresh->decision;
    char *at = (char *)&d->place + o->at;
    uint64_t number = 0;
    struct sw_trace_items pair = sw_trace_items(value);
    struct sw_trace_value item;
    switch (o->type) {
    case SW_OPERAND_buffer:
        *(uint32_t *)at = value.type <= SW_TRACE_NULL ? SW_NONE : buffer_named(b, value);
        return true;
    case SW_OPERAND_index:
        *(uint32_t *)at = sw_trace_unsigned(value, &number) && number < SW_NONE ? (uint32_t)number : SW_NONE;
        return true;
    case SW_OPERAND_count:
    case SW_OPERAND_bytes: /* null stands for no bound */
        *(uint64_t *)at = value.type == SW_TRACE_NULL ? SW_UNBOUNDED : sw_trace_unsigned(value, &number) ? number : 0;
        return true;
    case SW_OPERAND_flag:
        *(bool *)at = value.type == SW_TRACE_TRUE;
        return true;
    case SW_OPERAND_score:
        *(double *)at = sw_trace_number(value);
        return true;
    case SW_OPERAND_change:
        for (unsigned i = 0; i < 2 && sw_trace_items_next(&pair, &item); i++) {
            double figure = sw_trace_number(item);
            *(i ? &((struct sw_before_after *)(void *)at)->after : &((struct sw_before_after *)(void *)at)->before) =
                figure;
        }
        return true;
    case SW_OPERAND_text:
        *(const char **)at = sw_trace_is_text(value) ? phrase(b, value) : NULL;
        return !sw_trace_is_text(value) || *(const char **)at || sw_fail_memory(b->error);
    }
    return true;
}

static bool read_decision_operands(struct binding *b) {
    struct sw_trace_items members = sw_trace_members(b->object.values[SW_TRACE_OPERANDS]);
    struct sw_trace_value key, value;
    while (sw_trace_members_next(&members, &key, &value)) {
        const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)b->fresh->decision.kind);
        while (o->name && !sw_trace_is(key, o->name)) {
            o++;
        }
        if (o->name && !read_operand(b, o, value)) {
            return false;
        }
    }
    return true;
}

/* The kind by its word: one of ours, or a foreign one. */
static bool read_decision_kind(struct binding *b) {
    struct sw_decision *d = &b->fresh->decision;
    char word[64], member[64] = "";
    enum sw_decision_kind kind;
    struct sw_trace_value said = b->object.values[SW_TRACE_DECISION];
    bool fits = sw_trace_text(said, word, sizeof word) < sizeof word;
    bool variant = sw_trace_is_text(b->object.values[SW_TRACE_VARIANT]) &&
                   sw_trace_text(b->object.values[SW_TRACE_VARIANT], member, sizeof member) < sizeof member;
    if (fits && (variant ? sw_decision_kind_of(word, member, &kind) : sw_decision_named(word, &kind, NULL)) &&
        kind != SW_DECISION_FOREIGN) {
        sw_decision_become(d, kind);
        return true;
    }
    sw_decision_become(d, SW_DECISION_FOREIGN);
    d->foreign.word = phrase(b, said);
    return d->foreign.word || sw_fail_memory(b->error);
}

static void read_decision_time(struct binding *b) {
    struct sw_decision *d = &b->fresh->decision;
    struct sw_trace_value value = b->object.values[SW_TRACE_TIME];
    const struct sw_buffer *buffer = d->buffer == SW_NONE ? NULL : sw_problem_buffer(b->problem, d->buffer);
    int64_t time;
    if (value.type == SW_TRACE_NULL) {
        d->time = SW_NONE;
    } else if (sw_trace_signed(value, &time)) {
        d->time = sw_trace_step(b->tape, b->problem, time, false);
    } else if (buffer) {
        d->time = buffer->planned ? buffer->first : SW_NONE;
    } else if (b->mark->event >= 0) {
        d->time = sw_trace_step(b->tape, b->problem, b->mark->event, false);
    }
}

static bool read_fields(struct binding *b) {
    struct sw_decision *d = &b->fresh->decision;
    const struct sw_trace_value *values = b->object.values;
    uint64_t group = b->mark->group, looked_at = b->mark->candidate_count;
    d->buffer = buffer_named(b, values[SW_TRACE_BUFFER]);
    d->size = d->buffer == SW_NONE ? 0 : sw_problem_buffer(b->problem, d->buffer)->size;
    d->tier = tier_named(b, values[SW_TRACE_TIER]);
    bool has_offset = values[SW_TRACE_OFFSET].type > SW_TRACE_NULL;
    if (values[SW_TRACE_TIER].type <= SW_TRACE_NULL && has_offset && !b->tape->ours) {
        d->tier = usual_tier(b->problem, d->buffer);
    }
    if (!sw_trace_bytes(&b->where, &b->object, SW_TRACE_OFFSET, SW_MAX_BYTES, &d->offset) ||
        !sw_trace_bytes(&b->where, &b->object, SW_TRACE_SIZE, INT64_MAX, &d->size) ||
        !sw_trace_bytes(&b->where, &b->object, SW_TRACE_LIVE, INT64_MAX, &d->live) ||
        !sw_trace_bytes(&b->where, &b->object, SW_TRACE_LOOKED_AT, UINT32_MAX, &looked_at)) {
        return false;
    }
    read_decision_time(b);
    d->cost = sw_trace_number(values[SW_TRACE_COST]);
    d->forced = values[SW_TRACE_FORCED].type == SW_TRACE_TRUE;
    d->measures = sw_trace_is(values[SW_TRACE_MEASURES], "moved")     ? SW_AMOUNT_MOVED
                  : sw_trace_is(values[SW_TRACE_MEASURES], "nothing") ? SW_AMOUNT_NOTHING
                                                                      : SW_AMOUNT_MEMORY;
    d->group = (uint32_t)group;
    d->candidates = (uint32_t)looked_at;
    d->reason = sw_trace_is_text(values[SW_TRACE_REASON]) ? phrase(b, values[SW_TRACE_REASON]) : "";
    return d->reason || sw_fail_memory(b->error);
}

/* Its planner's sentence, where it says something else than ours. */
static bool read_sentence(struct binding *b) {
    struct sw_decision *d = &b->fresh->decision;
    struct sw_trace_value said = b->object.values[SW_TRACE_SENTENCE];
    if (!sw_trace_is_text(said) || said.length == 0) {
        return true;
    }
    const char *kept = NULL;
    char ours[1024];
    if (!SW_RESERVE(&b->scratch, (size_t)said.length + 1)) {
        return sw_fail_memory(b->error);
    }
    sw_trace_text(said, b->scratch.items, (size_t)said.length + 1);
    int length = sw_decision_describe(b->problem, d, ours, sizeof ours);
    if (length < (int)sizeof ours && strcmp(ours, b->scratch.items) == 0) {
        return true;
    }
    kept = phrase(b, said);
    d->said = kept;
    return kept || sw_fail_memory(b->error);
}

/* ---- what it does to the layout ---- */

static bool push_effect(struct binding *b, struct sw_effect effect) {
    return SW_PUSH(&b->recording->effects, effect) || sw_fail_memory(b->error);
}

/* The last effect on the buffer in this decision. */
static const struct sw_effect *last_on(const struct binding *b, uint32_t buffer) {
    for (size_t i = b->recording->effects.count; i-- > b->fresh->first_effect;) {
        const struct sw_effect *e = &b->recording->effects.items[i];
        if (e->kind <= SW_EFFECT_LIFT && e->buffer == buffer) {
            return e;
        }
    }
    return NULL;
}

static bool may_place(struct binding *b, uint32_t buffer, struct sw_trace_value at, uint64_t offset) {
    const struct sw_buffer *placed = sw_problem_buffer(b->problem, buffer);
    if (offset > SW_MAX_BYTES - placed->size) {
        return sw_trace_fail(&b->where, at, "this block would end above 2^61 bytes");
    }
    return true;
}

/* Of times between two steps the first step behind them counts for a beginning, the last one before them for an end. A
 * span with no step at all is left out. */
static bool change_span(struct binding *b, const struct sw_trace_object *change, struct sw_effect effect) {
    int64_t from = 0, to = 0;
    const struct sw_effect *before = last_on(b, effect.buffer);
    if (!sw_trace_time(&b->where, change, SW_TRACE_FROM, &from) ||
        !sw_trace_time(&b->where, change, SW_TRACE_TO, &to)) {
        return false;
    }
    effect.kind = SW_EFFECT_SPAN;
    effect.a = sw_trace_step(b->tape, b->problem, from, false);
    effect.b = sw_trace_step(b->tape, b->problem, to, true);
    bool follows = before && before->kind == SW_EFFECT_SPAN;
    if (effect.a == SW_NONE || effect.b == SW_NONE || from > to ||
        (follows && (before->b > effect.b || (b->span_of == effect.buffer && from <= b->span_end)))) {
        return sw_trace_fail(&b->where, change->values[SW_TRACE_FROM],
                             "the spans of a buffer lie within its time and follow one another");
    }
    effect.a += follows && effect.a <= before->b ? before->b + 1 - effect.a : 0;
    b->span_of = effect.buffer;
    b->span_end = to;
    if (effect.a > effect.b) {
        b->between++;
        return true;
    }
    struct sw_effect lift = {.kind = SW_EFFECT_LIFT, .buffer = effect.buffer};
    return (follows || push_effect(b, lift)) && push_effect(b, effect);
}

static bool read_change(struct binding *b, struct sw_trace_value item) {
    struct sw_trace_object change;
    sw_trace_object_inside(&change, item);
    const struct sw_trace_value *values = change.values;
    struct sw_effect effect = {.kind = SW_EFFECT_PLACE};
    effect.buffer =
        sw_trace_buffer(b->problem, values[SW_TRACE_BUFFER],
                        values[SW_TRACE_BUFFER].length == b->object.values[SW_TRACE_BUFFER].length && b->mark->again &&
                                memcmp(values[SW_TRACE_BUFFER].text, b->object.values[SW_TRACE_BUFFER].text,
                                       values[SW_TRACE_BUFFER].length) == 0
                            ? b->mark->again
                            : 0);
    if (effect.buffer == SW_NONE) {
        b->unknown_line = b->unknown_buffers++ ? b->unknown_line : b->mark->line;
        return true;
    }
    if (!sw_problem_buffer(b->problem, effect.buffer)->planned) {
        b->unplanned++;
        return true;
    }
    if (values[SW_TRACE_OFFSET].type <= SW_TRACE_NULL) {
        effect.kind = SW_EFFECT_LIFT;
        return push_effect(b, effect);
    }
    effect.tier = values[SW_TRACE_TIER].type > SW_TRACE_NULL ? tier_named(b, values[SW_TRACE_TIER])
                                                             : usual_tier(b->problem, effect.buffer);
    if (effect.tier == SW_NONE) {
        return true;
    }
    if (!sw_trace_bytes(&b->where, &change, SW_TRACE_OFFSET, SW_MAX_BYTES, &effect.value) ||
        !may_place(b, effect.buffer, values[SW_TRACE_OFFSET], effect.value)) {
        return false;
    }
    return values[SW_TRACE_FROM].type > SW_TRACE_NULL ? change_span(b, &change, effect) : push_effect(b, effect);
}

static bool read_decision_transfer(struct binding *b, struct sw_trace_value item) {
    struct sw_trace_object transfer;
    sw_trace_object_inside(&transfer, item);
    const struct sw_trace_value *values = transfer.values;
    struct sw_effect effect = {.kind = SW_EFFECT_TRANSFER, .buffer = buffer_named(b, values[SW_TRACE_BUFFER])};
    int64_t time = 0;
    if (!sw_trace_time(&b->where, &transfer, SW_TRACE_STEP, &time)) {
        return false;
    }
    effect.a = sw_trace_step(b->tape, b->problem, time, false);
    effect.b = tier_named(b, values[SW_TRACE_FROM]);
    effect.tier = tier_named(b, values[SW_TRACE_TO]);
    return effect.buffer == SW_NONE || effect.a == SW_NONE || push_effect(b, effect);
}

static bool read_permit(struct binding *b, struct sw_trace_value item) {
    struct sw_trace_object permit;
    sw_trace_object_inside(&permit, item);
    struct sw_effect effect = {.kind = SW_EFFECT_PERMIT,
                               .buffer = buffer_named(b, permit.values[SW_TRACE_NEW]),
                               .b = buffer_named(b, permit.values[SW_TRACE_OLD])};
    int64_t time = 0;
    if (!sw_trace_time(&b->where, &permit, SW_TRACE_STEP, &time)) {
        return false;
    }
    effect.a = sw_trace_step(b->tape, b->problem, time, false);
    return effect.buffer == SW_NONE || effect.b == SW_NONE || effect.a == SW_NONE || push_effect(b, effect);
}

static bool read_decision_list(struct binding *b, enum sw_trace_key key,
                               bool (*read)(struct binding *, struct sw_trace_value)) {
    struct sw_trace_value list = b->object.values[key], item;
    struct sw_trace_items items = sw_trace_items(list);
    if (list.type > SW_TRACE_NULL && list.type != SW_TRACE_LIST) {
        return sw_trace_fail(&b->where, list, "%s is a list", sw_trace_key_word(key));
    }
    while (sw_trace_items_next(&items, &item)) {
        if (!read(b, item)) {
            return false;
        }
    }
    return true;
}

static bool read_arenas(struct binding *b) {
    struct sw_trace_items members = sw_trace_members(b->object.values[SW_TRACE_ARENAS]);
    struct sw_trace_value key, value;
    while (sw_trace_members_next(&members, &key, &value)) {
        struct sw_effect effect = {.kind = SW_EFFECT_ARENA, .tier = tier_named(b, key)};
        if (!sw_trace_unsigned(value, &effect.value) || effect.value > SW_MAX_BYTES) {
            return sw_trace_fail(&b->where, value, "an arena is a whole number of bytes up to 2^61");
        }
        if (effect.tier != SW_NONE && !push_effect(b, effect)) {
            return false;
        }
    }
    return true;
}

/* What kinds do to the layout where the trace does not say it. */
static bool usual_effect(struct binding *b) {
    struct sw_decision *d = &b->fresh->decision;
    bool puts = d->kind == SW_DECISION_PLACE || d->kind == SW_DECISION_MOVE || d->kind == SW_DECISION_APPEND;
    if (!puts || d->buffer == SW_NONE || d->tier == SW_NONE ||
        b->object.values[SW_TRACE_OFFSET].type <= SW_TRACE_NULL) {
        return true;
    }
    if (!sw_problem_buffer(b->problem, d->buffer)->planned) {
        b->unplanned++;
        return true;
    }
    struct sw_effect effect = {.kind = SW_EFFECT_PLACE, .buffer = d->buffer, .tier = d->tier, .value = d->offset};
    return may_place(b, d->buffer, b->object.values[SW_TRACE_OFFSET], d->offset) && push_effect(b, effect);
}

static bool read_effects(struct binding *b) {
    const struct sw_trace_value *values = b->object.values;
    b->fresh->first_effect = (uint32_t)b->recording->effects.count;
    if (values[SW_TRACE_CHANGES].type == SW_TRACE_ABSENT && values[SW_TRACE_TRANSFERS].type == SW_TRACE_ABSENT &&
        values[SW_TRACE_PERMITS].type == SW_TRACE_ABSENT) {
        return usual_effect(b) && read_arenas(b);
    }
    struct sw_effect forget = {.kind = SW_EFFECT_FORGET_TRANSFERS};
    struct sw_effect forget_permits = {.kind = SW_EFFECT_FORGET_PERMITS};
    return read_decision_list(b, SW_TRACE_CHANGES, read_change) &&
           (values[SW_TRACE_TRANSFERS_AGAIN].type != SW_TRACE_TRUE || push_effect(b, forget)) &&
           read_decision_list(b, SW_TRACE_TRANSFERS, read_decision_transfer) &&
           (values[SW_TRACE_PERMITS_AGAIN].type != SW_TRACE_TRUE || push_effect(b, forget_permits)) &&
           read_decision_list(b, SW_TRACE_PERMITS, read_permit) && read_arenas(b);
}

/* The arenas after the decision that was added last. */
static void follow_arenas(struct binding *b) {
    const struct sw_recorded *last = &b->recording->decisions.items[b->recording->decisions.count - 1];
    for (uint32_t i = 0; i < last->effect_count; i++) {
        const struct sw_effect *e = &b->recording->effects.items[last->first_effect + i];
        if (e->kind == SW_EFFECT_ARENA) {
            b->arenas[e->tier] = e->value;
        } else if (e->kind == SW_EFFECT_PLACE || e->kind == SW_EFFECT_SPAN) {
            uint64_t end = e->value + sw_problem_buffer(b->problem, e->buffer)->size;
            b->arenas[e->tier] = SW_MAX(end, b->arenas[e->tier]);
        }
    }
}

/* Did the planner heed what the user demanded? If not, the decision says so. */
static bool check_demand(struct binding *b, const struct sw_demand *demand, const struct sw_effect *at) {
    const struct sw_buffer *buffer = sw_problem_buffer(b->problem, at->buffer);
    char text[160];
    uint32_t tier = demand->tier ? sw_problem_find_tier(b->problem, demand->tier) : at->tier;
    bool about = !demand->buffer || strcmp(demand->buffer, buffer->name) == 0;
    if (!about || demand->step > b->index + 1) {
        return true;
    }
    if (!demand->forbid && (at->value != demand->lo || at->tier != tier)) {
        snprintf(text, sizeof text, "pinned at %" PRIu64 ", placed at %" PRIu64 ": the planner ignored it", demand->lo,
                 at->value);
    } else if (demand->forbid && at->tier == tier && at->value < demand->hi && demand->lo < at->value + buffer->size) {
        snprintf(text, sizeof text, "placed in the forbidden range %" PRIu64 "..%" PRIu64 ": the planner ignored it",
                 demand->lo, demand->hi);
    } else {
        return true;
    }
    b->fresh->decision.fault = sw_arena_string(&b->recording->texts, text, strlen(text));
    return b->fresh->decision.fault || sw_fail_memory(b->error);
}

/* Does a later pin of the same buffer count in its place? */
static bool superseded(const struct binding *b, size_t which) {
    const struct sw_demand *demands = b->tape->demands.items, *old = &demands[which];
    bool later = false;
    for (size_t i = which + 1; !old->forbid && !later && i < b->tape->demands.count; i++) {
        const struct sw_demand *d = &demands[i];
        later = !d->forbid && d->step <= b->index + 1 && strcmp(d->buffer, old->buffer) == 0;
    }
    return later;
}

static bool check_demands(struct binding *b) {
    for (size_t i = b->fresh->first_effect; b->tape->demands.count > 0 && i < b->recording->effects.count; i++) {
        const struct sw_effect *effect = &b->recording->effects.items[i];
        for (size_t k = 0; effect->kind == SW_EFFECT_PLACE && k < b->tape->demands.count; k++) {
            if (!superseded(b, k) && !check_demand(b, &b->tape->demands.items[k], effect)) {
                return false;
            }
        }
    }
    return true;
}

static bool bind_one(struct binding *b, size_t index) {
    struct sw_recorded fresh = {.where = index, .judged = !b->tape->ours};
    struct sw_trace_piece piece;
    b->mark = &b->tape->marks.items[index];
    b->where = (struct sw_trace_where){&b->tape->text, &piece, b->mark->line, b->error};
    b->fresh = &fresh;
    b->index = index;
    sw_decision_clear(&fresh.decision);
    if (!next_tape_line(b->tape, b->mark->at, &piece, &b->object, b->mark->line, b->error) || !read_decision_kind(b) ||
        !read_fields(b) || !read_decision_operands(b) || !read_effects(b) || !read_sentence(b) || !check_demands(b)) {
        return false;
    }
    if (!sw_recording_add(b->recording, b->problem, &fresh)) {
        return sw_fail_memory(b->error);
    }
    follow_arenas(b);
    return true;
}

/* ---- the whole ---- */

__attribute__((format(printf, 2, 3))) static bool note_tape(const struct binding *b, const char *format, ...) {
    char text[200];
    SW_FORMAT_INTO(text, format);
    return sw_tape_note(b->problem, text);
}

static bool note_what_was_found(const struct binding *b) {
    uint64_t peak = 0;
    for (uint32_t t = 0; t < SW_MAX_TIERS; t++) {
        peak = SW_MAX(b->arenas[t], peak);
    }
    bool same_peak = !b->tape->has_peak || b->tape->peak == peak || b->tape->no_addresses || b->tape->ours;
    return ((b->unknown_buffers == 0 ||
             note_tape(b,
                       "%" PRIu64 " time%s the trace names a buffer that it does not tell of, first in line %" PRIu32,
                       b->unknown_buffers, b->unknown_buffers == 1 ? "" : "s", b->unknown_line)) &&
            (b->unknown_tiers == 0 ||
             note_tape(b, "%" PRIu64 " time%s the trace names a tier that there is not, first in line %" PRIu32,
                       b->unknown_tiers, b->unknown_tiers == 1 ? "" : "s", b->tier_line)) &&
            (b->unplanned == 0 ||
             note_tape(b, "%" PRIu64 " decision%s a buffer that is not planned, a constant, and %s it nowhere",
                       b->unplanned, b->unplanned == 1 ? " places" : "s place", b->unplanned == 1 ? "puts" : "put")) &&
            (b->between == 0 || note_tape(b, "%" PRIu64 " span%s between two steps and %s left out", b->between,
                                          b->between == 1 ? " lies" : "s lie", b->between == 1 ? "is" : "are")) &&
            (same_peak || note_tape(b, "the trace says that its peak is %s, and its decisions come to %s",
                                    SW_BYTES(b->tape->peak), SW_BYTES(peak)))) ||
           sw_fail_memory(b->error);
}

static const struct sw_planner *look_for(const struct sw_trace_tape *tape) {
    for (size_t i = 0; i < sw_planner_built_in_count() && *tape->as_seen_by; i++) {
        if (strcmp(sw_planner_get(i)->name, tape->as_seen_by) == 0) {
            return sw_planner_get(i);
        }
    }
    return NULL;
}

/* What may change while the trace grows. */
static bool bind_head(struct binding *b) {
    struct sw_recording *r = b->recording;
    const struct sw_trace_tape *tape = b->tape;
    r->reader = &sw_trace_reader;
    r->own = b->tape;
    r->planner = tape->planner; /* the tape lives as long */
    r->version = tape->version;
    r->end = tape->end;
    r->failure = tape->failure;
    r->stopped_at = tape->stopped_at;
    r->no_addresses = tape->no_addresses;
    r->has_migration = tape->has_migration;
    r->migration_bytes = tape->migration_bytes;
    r->seen_by = look_for(tape);
    r->groups.count = 0;
    for (size_t i = 0; i < tape->groups.count; i++) {
        if (!SW_PUSH(&r->groups, tape->groups.items[i])) {
            return false;
        }
    }
    return true;
}

static void binding_done(struct binding *b) {
    sw_names_done(&b->phrases);
    SW_ARRAY_DONE(&b->phrase_list, &b->scratch, &b->last_written);
}

bool sw_trace_bind(struct sw_trace_tape *tape, const struct sw_problem *problem, struct sw_recording *recording,
                   size_t from, struct sw_error *error) {
    struct binding b = {.error = error, .tape = tape, .problem = problem, .recording = recording};
    bool good = bind_head(&b) || sw_fail_memory(error);
    for (size_t i = from; good && i < tape->marks.count; i++) {
        good = bind_one(&b, i);
    }
    binding_done(&b);
    return good;
}

static struct sw_recording *bind_tape(struct sw_tape *tape, const struct sw_problem *problem, struct sw_error *error) {
    struct binding b = {.error = error,
                        .tape = (struct sw_trace_tape *)(void *)tape,
                        .problem = problem,
                        .recording = sw_recording_new()};
    bool good = (b.recording && bind_head(&b) && SW_RESERVE(&b.recording->decisions, b.tape->marks.count + 1)) ||
                sw_fail_memory(error);
    for (size_t i = 0; good && i < b.tape->marks.count; i++) {
        good = bind_one(&b, i);
    }
    good = good && note_what_was_found(&b);
    binding_done(&b);
    if (!good) {
        sw_recording_free(b.recording);
        return NULL;
    }
    return b.recording;
}

static void close_tape(struct sw_tape *of) {
    struct sw_trace_tape *tape = (struct sw_trace_tape *)(void *)of;
    sw_trace_text_close(&tape->text);
    SW_ARRAY_DONE(&tape->marks, &tape->tables, &tape->groups, &tape->notes, &tape->instants, &tape->demands,
                  &tape->runs);
    sw_names_done(&tape->table_names);
    sw_arena_done(&tape->arena);
    SW_FREE(tape, 1);
}

static const struct sw_tape_kind tape_kind = {.bind = bind_tape, .release = sw_recording_free, .close = close_tape};

struct sw_trace_tape *sw_trace_tape_new(const struct sw_input *input, struct sw_error *error) {
    struct sw_trace_tape *tape = SW_NEW_ZERO(struct sw_trace_tape, 1);
    if (!tape) {
        sw_fail_memory(error);
        return NULL;
    }
    tape->tape = (struct sw_tape){.references = 1, .kind = &tape_kind};
    tape->planner = tape->version = tape->as_seen_by = tape->failure = "";
    if (!sw_trace_text_open(&tape->text, input, error)) {
        SW_FREE(tape, 1);
        return NULL;
    }
    return tape;
}

SW_GETTER(struct sw_trace_tape *, sw_trace_tape_of, sw_recording, own)
