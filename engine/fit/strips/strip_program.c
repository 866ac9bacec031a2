/* Making a program: what runs for each strip, in calls. Which rows they read and make stands in its plan
 * (fit/strips/strip_plan.h). */
#include "fit/strips/program_internal.h"
#include "fit/strips/strip_plan.h"

#include "base/minmax.h"

enum { MOST_JOIN_ARGUMENTS = 10 }; /* arguments of a join: what runtimes take */

/* The values of a stream, in the strip at hand. */
struct held_rows {
    uint32_t value;  /* its rows; SW_NONE: it is not made yet */
    uint32_t kept;   /* the rows of `value` that are a part of the next join; SW_NONE: none are handed on */
    uint32_t joined; /* that join's result, of which only the place is known yet; SW_NONE: there is none */
};

/* A stream's rows that the rounds of a loop hand on. */
struct handed {
    uint32_t stream;
    uint32_t value, next; /* before the first round, and as a round leaves them */
};

struct cutter {
    struct sw_fit_program *program;
    struct sw_fit_refusal *refusal;
    const struct sw_problem *problem;
    const struct sw_fit_region *region;
    uint32_t number, strip;
    uint32_t first, end; /* strips of the loop: that many rounds; both 0: there is none */
    uint32_t loop;       /* the call that is the loop, while its rounds are made; SW_NONE */
    bool copies;         /* slices and joins of rows have bytes of their own */
    uint32_t whole;      /* with a loop: the region's result with room, as it is now */
    struct sw_fit_strips plan;
    SW_ARRAY(struct held_rows) held; /* of each stream */
    SW_ARRAY(uint32_t) slices;       /* values that are slices, of the strip at hand */
    SW_ARRAY(uint32_t) strips;       /* values: the region's result so far */
    SW_ARRAY(uint32_t) arguments;    /* of the call at hand */
    SW_ARRAY(struct handed) handed;  /* of the loop */
};

static bool no_strip_memory(struct sw_fit_refusal *refusal) {
    return sw_fit_refuse(refusal, SW_NONE, "no memory");
}

static const struct sw_operator *cutter_operator(const struct cutter *cutter, uint32_t op) {
    return sw_problem_operator(cutter->problem, op);
}

static uint32_t result_buffer(const struct cutter *cutter, uint32_t op) {
    return cutter_operator(cutter, op)->outputs[0].buffer;
}

static const struct sw_fit_stream *stream_at(const struct cutter *cutter, uint32_t stream) {
    return &cutter->plan.streams.items[stream];
}

static struct sw_fit_value *value_of_strip(const struct cutter *cutter, uint32_t value) {
    return &cutter->program->values.items[value];
}

static bool are_rows_same(struct sw_row_range a, struct sw_row_range b) {
    return a.lo == b.lo && a.hi == b.hi;
}

/* ---- calls and values ---- */

/* Add a value that the next call will make. */
static uint32_t add_strip_value(struct cutter *cutter, struct sw_fit_value value) {
    struct sw_fit_program *program = cutter->program;
    value.made_by = (uint32_t)program->calls.count;
    return SW_PUSH(&program->values, value) ? (uint32_t)program->values.count - 1 : SW_NONE;
}

static bool add_strip_call(struct cutter *cutter, struct sw_fit_call call, const uint32_t *inputs, size_t count) {
    struct sw_fit_program *program = cutter->program;
    call.first_input = (uint32_t)program->inputs.count;
    call.input_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        if (!SW_PUSH(&program->inputs, inputs[i])) {
            return no_strip_memory(cutter->refusal);
        }
    }
    return SW_PUSH(&program->calls, call) || no_strip_memory(cutter->refusal);
}

static bool in_rounds(const struct cutter *cutter) {
    return cutter->loop != SW_NONE;
}

static uint32_t rounds_of(const struct cutter *cutter) {
    return cutter->end - cutter->first;
}

static struct sw_fit_call call_of(const struct cutter *cutter, enum sw_fit_act act, uint32_t op) {
    return (struct sw_fit_call){.act = act,
                                .op = op,
                                .region = cutter->number,
                                .strip = cutter->strip,
                                .rounds = in_rounds(cutter) ? rounds_of(cutter) : 0};
}

/* Rows of a stream as a value with bytes of its own. */
static struct sw_fit_value rows_value(const struct cutter *cutter, uint32_t stream, struct sw_row_range rows) {
    const struct sw_fit_stream *t = stream_at(cutter, stream);
    return (struct sw_fit_value){.buffer = t->buffer,
                                 .padded_for = t->padded_for,
                                 .rows = rows,
                                 .left = t->left,
                                 .right = t->right,
                                 .size = (uint64_t)(rows.hi - rows.lo) * t->row_bytes,
                                 .within = SW_NONE};
}

/* Rows of a stream as a value that lies within `outer`, which has these rows and others, if they lie one behind the
 * other and the alignment lets it lie there. */
static struct sw_fit_value rows_within(const struct cutter *cutter, uint32_t stream, uint32_t outer,
                                       struct sw_row_range rows) {
    struct sw_fit_value value = rows_value(cutter, stream, rows);
    uint64_t at = (uint64_t)(rows.lo - value_of_strip(cutter, outer)->rows.lo) * stream_at(cutter, stream)->row_bytes;
    uint64_t alignment = sw_problem_buffer(cutter->problem, value.buffer)->alignment;
    bool apart = !cutter->copies && sw_fit_rows_are_apart(cutter->problem, value.buffer, cutter->plan.axis);
    if (apart && (alignment <= 1 || at % alignment == 0)) {
        value.within = outer;
        value.at = at;
    }
    return value;
}

/* Which counter of the loop tells where a call begins: one that begins and moves on as it does, or a new one. */
static void set_begin(struct cutter *cutter, struct sw_fit_call *call, int64_t begin) {
    struct sw_fit_program *program = cutter->program;
    uint32_t known = 0;
    for (size_t i = (size_t)cutter->loop + 1; i < program->calls.count; i++) {
        const struct sw_fit_call *other = &program->calls.items[i];
        if (other->step == 0) {
            continue;
        }
        if (other->step == call->step && sw_fit_begins_at(program, other) == begin) {
            call->begin = other->begin;
            return;
        }
        known = SW_MAX(known, other->begin + 1);
    }
    call->begin = known;
    program->calls.items[cutter->loop].begins = known + 1;
}

/* Rows of a value: itself, a slice that this strip has already, or a new one. In a loop those of what is there before
 * move on by `step` rows. SW_NONE: no memory. */
static uint32_t slice_rows(struct cutter *cutter, uint32_t op, uint32_t stream, struct sw_row_range rows,
                           int64_t step) {
    uint32_t of = cutter->held.items[stream].value;
    if (are_rows_same(value_of_strip(cutter, of)->rows, rows)) {
        return of;
    }
    for (size_t i = 0; i < cutter->slices.count; i++) {
        const struct sw_fit_value *other = value_of_strip(cutter, cutter->slices.items[i]);
        if (other->buffer == stream_at(cutter, stream)->buffer &&
            other->padded_for == stream_at(cutter, stream)->padded_for && are_rows_same(other->rows, rows) &&
            cutter->program->calls.items[other->made_by].step == step) {
            return cutter->slices.items[i];
        }
    }
    struct sw_fit_call call = call_of(cutter, SW_FIT_SLICE, op);
    call.step = step;
    if (step != 0) {
        set_begin(cutter, &call, rows.lo - value_of_strip(cutter, of)->rows.lo);
    }
    call.output =
        add_strip_value(cutter, step != 0 ? rows_value(cutter, stream, rows) : rows_within(cutter, stream, of, rows));
    bool good = call.output != SW_NONE && SW_PUSH(&cutter->slices, call.output) && add_strip_call(cutter, call, &of, 1);
    return good ? call.output : SW_NONE;
}

/* ---- one node in one strip ---- */

/* Its arguments: rows of streams. */
static bool find_arguments(struct cutter *cutter, const struct sw_fit_node *node, struct sw_row_range rows) {
    cutter->arguments.count = 0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t stream = cutter->plan.inputs.items[node->first_input + i];
        bool outside = in_rounds(cutter) && stream_at(cutter, stream)->node == SW_NONE;
        uint32_t value = slice_rows(
            cutter, node->op, stream, rows,
            outside ? sw_fit_strip_at(&cutter->plan, cutter->first + 1, node->result)->rows.read.lo - rows.lo : 0);
        if (value == SW_NONE || !SW_PUSH(&cutter->arguments, value)) {
            return no_strip_memory(cutter->refusal);
        }
    }
    return true;
}

/* What the model's operator does with these rows, or what is put around them. */
static struct sw_fit_call work_call(const struct cutter *cutter, const struct sw_fit_node *node,
                                    const struct sw_strip *rows) {
    const struct sw_operator *operator_ = cutter_operator(cutter, node->op);
    struct sw_fit_call call = call_of(cutter, node->puts_padding ? SW_FIT_PADDED : SW_FIT_RUN, node->op);
    if (node->puts_padding || sw_fit_only_pads(operator_->window) || operator_->window->told) {
        call.above = (uint32_t)rows->before;
        call.below = (uint32_t)rows->after;
        call.left = operator_->window->before[1];
        call.right = operator_->window->after[1];
    }
    call.least = node->puts_padding && sw_fit_padding_of(operator_) == SW_FIT_LEAST;
    if (!node->puts_padding) {
        uint64_t made = (uint64_t)(rows->made.hi - rows->made.lo),
                 all = sw_fit_rows(cutter->problem, result_buffer(cutter, node->op), cutter->plan.axis);
        call.same = !node->padded;
        call.macs = (operator_->macs / all * made + operator_->macs % all * made / all) * SW_MAX(call.rounds, 1);
    }
    return call;
}

/* The rows beside those that were kept: together they are what the strip has of the stream. */
static bool join_kept(struct cutter *cutter, const struct sw_fit_node *node, uint32_t fresh) {
    struct held_rows *held = &cutter->held.items[node->result];
    struct sw_fit_call call = call_of(cutter, SW_FIT_JOIN, node->op);
    bool behind = value_of_strip(cutter, fresh)->rows.lo >= value_of_strip(cutter, held->kept)->rows.hi;
    const uint32_t parts[] = {behind ? held->kept : fresh, behind ? fresh : held->kept};
    call.output = held->joined;
    value_of_strip(cutter, call.output)->made_by = (uint32_t)cutter->program->calls.count;
    *held = (struct held_rows){.value = call.output, .kept = SW_NONE, .joined = SW_NONE};
    return add_strip_call(cutter, call, parts, 2);
}

/* Rows that go to a place of their own, in the region's result or behind those that were kept, are made there, or cut
 * out of what was made. */
static bool run_node(struct cutter *cutter, uint32_t number) {
    const struct sw_fit_node *node = &cutter->plan.nodes.items[number];
    const struct sw_strip *rows = &sw_fit_strip_at(&cutter->plan, cutter->strip, node->result)->rows;
    struct sw_fit_call call = work_call(cutter, node, rows);
    bool last = number + 1 == cutter->plan.nodes.count, joins = cutter->held.items[node->result].joined != SW_NONE;
    bool placed =
        joins ||
        (last && !in_rounds(cutter)); /* within something else; the result's rows of a round are copied there */
    bool exact = are_rows_same(rows->made, rows->wanted);
    uint32_t outer = last ? result_buffer(cutter, node->op) : cutter->held.items[node->result].joined, made;
    if (!find_arguments(cutter, node, rows->read)) {
        return false;
    }
    made = call.output = add_strip_value(cutter, placed && exact ? rows_within(cutter, node->result, outer, rows->made)
                                                                 : rows_value(cutter, node->result, rows->made));
    if (made == SW_NONE) {
        return no_strip_memory(cutter->refusal);
    }
    if (!add_strip_call(cutter, call, cutter->arguments.items, cutter->arguments.count)) {
        return false;
    }
    if ((last || joins) && !exact) {
        struct sw_fit_call cut = call_of(cutter, SW_FIT_SLICE, node->op);
        cut.output = add_strip_value(cutter, rows_within(cutter, node->result, placed ? outer : made, rows->wanted));
        if (cut.output == SW_NONE || !add_strip_call(cutter, cut, &made, 1)) {
            return no_strip_memory(cutter->refusal);
        }
        made = cut.output;
    }
    cutter->held.items[node->result].value = made;
    return joins ? join_kept(cutter, node, made)
                 : !last || SW_PUSH(&cutter->strips, made) || no_strip_memory(cutter->refusal);
}

/* ---- rows that are kept ---- */

/* The next strip that makes rows of the stream; SW_NONE: none does. */
static uint32_t next_making(const struct cutter *cutter, uint32_t stream) {
    for (uint32_t s = cutter->strip + 1; s < cutter->plan.strips; s++) {
        if (!sw_fit_no_rows(sw_fit_strip_at(&cutter->plan, s, stream)->fresh)) {
            return s;
        }
    }
    return SW_NONE;
}

/* Does a node behind this one read the stream in this strip? */
static bool is_read_behind(const struct cutter *cutter, uint32_t number, uint32_t stream) {
    for (uint32_t n = number + 1; n < cutter->plan.nodes.count; n++) {
        const struct sw_fit_node *node = &cutter->plan.nodes.items[n];
        bool runs = !sw_fit_no_rows(sw_fit_strip_at(&cutter->plan, cutter->strip, node->result)->fresh);
        for (uint32_t i = 0; runs && i < node->input_count; i++) {
            if (cutter->plan.inputs.items[node->first_input + i] == stream) {
                return true;
            }
        }
    }
    return false;
}

/* Rows that are handed to the rounds of a loop, and on from round to round: they have bytes of their own all the time.
 */
static bool hand_on(struct cutter *cutter, uint32_t stream, struct sw_row_range kept) {
    struct held_rows *held = &cutter->held.items[stream];
    struct sw_fit_call call =
        call_of(cutter, SW_FIT_SLICE, cutter->plan.nodes.items[stream_at(cutter, stream)->node].op);
    struct sw_fit_value value = rows_value(cutter, stream, kept);
    size_t i = 0;
    while (in_rounds(cutter) && cutter->handed.items[i].stream != stream) {
        i++;
    }
    value.within = in_rounds(cutter) ? cutter->handed.items[i].value : SW_NONE;
    call.keeps = true;
    call.output = held->kept = add_strip_value(cutter, value);
    struct handed handed = {.stream = stream, .value = call.output, .next = SW_NONE};
    if (call.output == SW_NONE || (!in_rounds(cutter) && !SW_PUSH(&cutter->handed, handed))) {
        return no_strip_memory(cutter->refusal);
    }
    if (in_rounds(cutter)) {
        cutter->handed.items[i].next = call.output;
    }
    return add_strip_call(cutter, call, &held->value, 1);
}

/* Nothing reads the stream any more before rows are added to it: what is needed then goes to its place in the next
 * join, and the other rows die. */
static bool keep_rows(struct cutter *cutter, uint32_t stream) {
    struct held_rows *held = &cutter->held.items[stream];
    uint32_t next = next_making(cutter, stream), of = held->value;
    if (next == SW_NONE || held->kept != SW_NONE || of == SW_NONE) {
        return true;
    }
    for (uint32_t s = cutter->strip + 1; s < next; s++) {
        if (!sw_fit_no_rows(sw_fit_strip_at(&cutter->plan, s, stream)->need)) {
            return true;
        }
    }
    const struct sw_fit_strip *strip = sw_fit_strip_at(&cutter->plan, next, stream);
    if (sw_fit_no_rows(strip->kept)) {
        return true;
    }
    struct sw_row_range both = {SW_MIN(strip->kept.lo, strip->fresh.lo), SW_MAX(strip->kept.hi, strip->fresh.hi)};
    struct sw_fit_value joined = rows_value(cutter, stream, both);
    held->joined = add_strip_value(cutter, joined);
    if (held->joined == SW_NONE) {
        return no_strip_memory(cutter->refusal);
    }
    if (cutter->end > 0 && next >= cutter->first && next <= cutter->end) {
        return hand_on(cutter, stream, strip->kept);
    }
    struct sw_fit_value place = rows_within(cutter, stream, held->joined, strip->kept);
    if (are_rows_same(value_of_strip(cutter, of)->rows,
                      strip->kept)) { /* all of them: it lies there itself, unless it lies somewhere already */
        if (value_of_strip(cutter, of)->within == SW_NONE) {
            value_of_strip(cutter, of)->within = place.within;
            value_of_strip(cutter, of)->at = place.at;
        }
        held->kept = of;
        return true;
    }
    struct sw_fit_call call =
        call_of(cutter, SW_FIT_SLICE, cutter->plan.nodes.items[stream_at(cutter, stream)->node].op);
    call.keeps = true;
    call.output = held->kept = add_strip_value(cutter, place);
    return call.output == SW_NONE ? no_strip_memory(cutter->refusal) : add_strip_call(cutter, call, &of, 1);
}

/* Of the streams that a node reads, and the one that it makes, those that nothing reads behind it. */
static bool keep_behind(struct cutter *cutter, uint32_t number) {
    const struct sw_fit_node *node = &cutter->plan.nodes.items[number];
    bool good = true;
    for (uint32_t i = 0; good && i <= node->input_count; i++) {
        uint32_t stream = i < node->input_count ? cutter->plan.inputs.items[node->first_input + i] : node->result;
        good = !stream_at(cutter, stream)->kept || is_read_behind(cutter, number, stream) || keep_rows(cutter, stream);
    }
    return good;
}

/* ---- the region's result ---- */

/* The strips side by side, a few at a time, until one value has the rows of all. */
static bool join_strip(struct cutter *cutter) {
    struct sw_fit_program *program = cutter->program;
    uint32_t result = result_buffer(cutter, cutter->region->last),
             stream = cutter->plan.nodes.items[cutter->plan.nodes.count - 1].result;
    bool whole = cutter->end == 0;
    cutter->strip = SW_NONE;
    while (cutter->strips.count > 0) {
        size_t count = cutter->strips.count, made = 0, groups = (count + MOST_JOIN_ARGUMENTS - 1) / MOST_JOIN_ARGUMENTS;
        for (size_t g = 0; g < groups; g++) {
            size_t from = g * count / groups, to = (g + 1) * count / groups;
            const uint32_t *parts = &cutter->strips.items[from];
            struct sw_row_range rows = {program->values.items[parts[0]].rows.lo,
                                        program->values.items[parts[to - from - 1]].rows.hi};
            struct sw_fit_call call = call_of(cutter, SW_FIT_JOIN, cutter->region->last);
            if (groups == 1 && whole) {
                call.output = result;
                program->values.items[result].made_by = (uint32_t)program->calls.count;
            } else if (to - from > 1) {
                call.output = add_strip_value(cutter, rows_within(cutter, stream, result, rows));
            } else {
                cutter->strips.items[made++] = parts[0];
                continue;
            }
            if (call.output == SW_NONE || !add_strip_call(cutter, call, parts, to - from)) {
                return no_strip_memory(cutter->refusal);
            }
            for (size_t i = from;
                 i < to && call.output != result && program->values.items[call.output].within == SW_NONE; i++) {
                struct sw_fit_value *part =
                    &program->values.items[cutter->strips.items[i]]; /* what it is part of lies elsewhere */
                part->within = SW_NONE;
                part->at = 0;
            }
            cutter->strips.items[made++] = call.output;
        }
        cutter->strips.count = made;
        if (groups == 1) {
            break;
        }
    }
    return true;
}

/* Tensors that are there before are as they are. */
static bool begin_streams(struct cutter *cutter) {
    cutter->held.count = cutter->strips.count = 0;
    for (uint32_t t = 0; t < cutter->plan.streams.count; t++) {
        const struct sw_fit_stream *stream = stream_at(cutter, t);
        struct held_rows held = {
            .value = stream->node == SW_NONE ? stream->buffer : SW_NONE, .kept = SW_NONE, .joined = SW_NONE};
        if (!SW_PUSH(&cutter->held, held)) {
            return no_strip_memory(cutter->refusal);
        }
    }
    return true;
}

static bool run_strip(struct cutter *cutter, uint32_t s) {
    bool good = true;
    cutter->strip = s;
    cutter->slices.count = 0;
    for (uint32_t n = 0; good && n < cutter->plan.nodes.count; n++) {
        const struct sw_fit_strip *strip = sw_fit_strip_at(&cutter->plan, s, cutter->plan.nodes.items[n].result);
        good = sw_fit_no_rows(strip->fresh) || (run_node(cutter, n) && keep_behind(cutter, n));
    }
    return good;
}

/* ---- loops ---- */

static int64_t rows_moved(struct sw_row_range from, struct sw_row_range to) {
    return to.lo - from.lo;
}

static bool same_length(struct sw_row_range a, struct sw_row_range b) {
    return a.hi - a.lo == b.hi - b.lo;
}

/* Are the rows that a strip was handed those of the one before it, moved on as its new rows are? */
static bool hands_alike(const struct cutter *cutter, uint32_t s, uint32_t stream) {
    const struct sw_fit_strip *a = sw_fit_strip_at(&cutter->plan, s - 1, stream),
                              *b = sw_fit_strip_at(&cutter->plan, s, stream);
    bool none = sw_fit_no_rows(a->kept) && sw_fit_no_rows(b->kept);
    return !sw_fit_no_rows(a->fresh) && !sw_fit_no_rows(b->fresh) &&
           (none || (same_length(a->kept, b->kept) && rows_moved(a->kept, b->kept) == rows_moved(a->fresh, b->fresh)));
}

/* Does an operator do in a strip what it does in the one before it, on other rows? */
static bool is_node_alike(const struct cutter *cutter, uint32_t s, const struct sw_fit_node *node) {
    const struct sw_fit_strip *a = sw_fit_strip_at(&cutter->plan, s - 1, node->result),
                              *b = sw_fit_strip_at(&cutter->plan, s, node->result);
    int64_t down = rows_moved(a->fresh, b->fresh), read = rows_moved(a->rows.read, b->rows.read);
    if (!hands_alike(cutter, s, node->result) || down <= 0 || read <= 0 || !same_length(a->fresh, b->fresh) ||
        !same_length(a->rows.made, b->rows.made) || !same_length(a->rows.wanted, b->rows.wanted) ||
        !same_length(a->rows.read, b->rows.read) || rows_moved(a->rows.made, b->rows.made) != down ||
        rows_moved(a->rows.wanted, b->rows.wanted) != down || a->rows.before != b->rows.before ||
        a->rows.after != b->rows.after) {
        return false;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t from = cutter->plan.inputs.items[node->first_input + i];
        if (stream_at(cutter, from)->node != SW_NONE &&
            rows_moved(sw_fit_strip_at(&cutter->plan, s - 1, from)->fresh,
                       sw_fit_strip_at(&cutter->plan, s, from)->fresh) != read) {
            return false;
        }
    }
    return true;
}

/* Is a strip the one before it, on other rows? With `further` as many further on as that one is behind the one before.
 */
static bool is_strip_alike(const struct cutter *cutter, uint32_t s, bool further) {
    for (uint32_t n = 0; n < cutter->plan.nodes.count; n++) {
        const struct sw_fit_node *node = &cutter->plan.nodes.items[n];
        const struct sw_fit_strip *a = sw_fit_strip_at(&cutter->plan, s - 1, node->result),
                                  *b = sw_fit_strip_at(&cutter->plan, s, node->result);
        if (!is_node_alike(cutter, s, node)) {
            return false;
        }
        if (further) {
            const struct sw_fit_strip *before = sw_fit_strip_at(&cutter->plan, s - 2, node->result);
            if (rows_moved(before->fresh, a->fresh) != rows_moved(a->fresh, b->fresh) ||
                rows_moved(before->rows.read, a->rows.read) != rows_moved(a->rows.read, b->rows.read)) {
                return false;
            }
        }
    }
    return true;
}

/* Is what a strip is handed what the strip before it was handed, moved on? Rows of a loop have their names in the first
 * round alone, so what the last round made can only be handed on where every round is handed as much. */
static bool hands_on_alike(const struct cutter *cutter, uint32_t s) {
    bool alike = true;
    for (uint32_t n = 0; alike && n < cutter->plan.nodes.count; n++) {
        uint32_t stream = cutter->plan.nodes.items[n].result;
        bool nothing = sw_fit_no_rows(sw_fit_strip_at(&cutter->plan, s - 1, stream)->kept) &&
                       sw_fit_no_rows(sw_fit_strip_at(&cutter->plan, s, stream)->kept);
        alike = nothing || hands_alike(cutter, s, stream);
    }
    return alike;
}

/* The longest run of strips that are alike, without the first and the last one: what it hands on is what it was handed.
 */
static bool find_rounds(struct cutter *cutter) {
    uint32_t begun = 1;
    cutter->first = cutter->end = 0;
    for (uint32_t s = 1; s + 1 < cutter->plan.strips; s++) {
        begun = s > 1 && is_strip_alike(cutter, s, s > begun + 1) ? begun : s;
        uint32_t end = hands_on_alike(cutter, s + 1) ? s + 1 : s;
        if (end > begun && end - begun > cutter->end - cutter->first) {
            cutter->first = begun;
            cutter->end = end;
        }
    }
    return rounds_of(cutter) >= 2 ||
           sw_fit_refuse(cutter->refusal, cutter->region->last,
                         "no two of its %u strips, without the first and the last, are alike", cutter->plan.strips);
}

/* The last stream with all rows for which the region's result has room. It lies in the result's bytes. */
static uint32_t add_room(struct cutter *cutter) {
    uint32_t result = result_buffer(cutter, cutter->region->last),
             stream = cutter->plan.nodes.items[cutter->plan.nodes.count - 1].result;
    return add_strip_value(cutter, rows_within(cutter, stream, result, value_of_strip(cutter, result)->rows));
}

/* A strip into its place. */
static bool add_update_call(struct cutter *cutter) {
    struct sw_fit_call call = call_of(cutter, SW_FIT_UPDATE, cutter->region->last);
    const uint32_t inputs[] = {cutter->whole, cutter->strips.items[0]};
    bool all = !in_rounds(cutter) && cutter->strip + 1 == cutter->plan.strips;
    if (in_rounds(cutter)) {
        uint32_t stream = cutter->plan.nodes.items[cutter->plan.nodes.count - 1].result;
        call.step = rows_moved(sw_fit_strip_at(&cutter->plan, cutter->first, stream)->fresh,
                               sw_fit_strip_at(&cutter->plan, cutter->first + 1, stream)->fresh);
        set_begin(cutter, &call, value_of_strip(cutter, inputs[1])->rows.lo);
    }
    call.output = all ? result_buffer(cutter, cutter->region->last) : add_room(cutter);
    if (call.output == SW_NONE) {
        return no_strip_memory(cutter->refusal);
    }
    value_of_strip(cutter, call.output)->made_by = (uint32_t)cutter->program->calls.count;
    cutter->whole = call.output;
    cutter->strips.count = 0;
    return add_strip_call(cutter, call, inputs, 2);
}

/* Bytes of the small tensors of a loop: its counters in the runtime's subgraphs, one behind the other. */
static uint64_t counter_bytes(uint32_t begins) {
    return SW_FIT_COUNTER * ((uint64_t)SW_FIT_COUNTER_COPIES * begins + 2 + (begins > 1 ? begins : 0));
}

/* What a loop is given (`next` false), or what a round leaves: the tensor with room, what rounds read from outside, and
 * what they hand on. */
static bool list_variables(struct cutter *cutter, bool next) {
    cutter->arguments.count = 0;
    bool good = SW_PUSH(&cutter->arguments, cutter->whole);
    for (uint32_t t = 0; good && t < cutter->plan.streams.count; t++) {
        good = stream_at(cutter, t)->node != SW_NONE || SW_PUSH(&cutter->arguments, stream_at(cutter, t)->buffer);
    }
    for (size_t i = 0; good && i < cutter->handed.count; i++) {
        good = SW_PUSH(&cutter->arguments, next ? cutter->handed.items[i].next : cutter->handed.items[i].value);
    }
    return good || no_strip_memory(cutter->refusal);
}

static bool add_rounds(struct cutter *cutter) {
    struct sw_fit_program *program = cutter->program;
    uint32_t number = (uint32_t)program->calls.count;
    cutter->strip = cutter->first;
    cutter->loop = number;
    struct sw_fit_call loop = call_of(cutter, SW_FIT_LOOP, cutter->region->last),
                       next = call_of(cutter, SW_FIT_NEXT, cutter->region->last);
    loop.output = add_strip_value(
        cutter, (struct sw_fit_value){.buffer = SW_NONE, .padded_for = SW_NONE, .within = SW_NONE, .rows = {0, 1}});
    next.output = SW_NONE;
    cutter->strips.count = 0;
    bool good = (loop.output != SW_NONE || no_strip_memory(cutter->refusal)) && list_variables(cutter, false) &&
                add_strip_call(cutter, loop, cutter->arguments.items, cutter->arguments.count) &&
                run_strip(cutter, cutter->first) && add_update_call(cutter) && list_variables(cutter, true) &&
                (SW_PUSH(&cutter->arguments, loop.output) || no_strip_memory(cutter->refusal));
    if (good && program->calls.items[number].begins > SW_FIT_MOST_BEGINS) {
        good = sw_fit_refuse(cutter->refusal, cutter->region->last, "its rounds begin at %u places",
                             program->calls.items[number].begins);
    }
    if (good) {
        value_of_strip(cutter, loop.output)->size = counter_bytes(program->calls.items[number].begins);
        good = add_strip_call(cutter, next, cutter->arguments.items, cutter->arguments.count);
    }
    for (size_t i = 0; i < cutter->handed.count;
         i++) { /* the strip behind the loop puts its new rows behind what the last round left */
        const struct held_rows *held = &cutter->held.items[cutter->handed.items[i].stream];
        const struct sw_fit_strip *strip = sw_fit_strip_at(&cutter->plan, cutter->end, cutter->handed.items[i].stream);
        if (good && held->joined != SW_NONE) {
            *value_of_strip(cutter, held->joined) = rows_value(cutter, cutter->handed.items[i].stream,
                                                               (struct sw_row_range){strip->kept.lo, strip->fresh.hi});
        }
    }
    cutter->loop = SW_NONE;
    return good;
}

/* Strips before the loop, room for the others behind them, the loop, and each strip behind it into its place. */
static bool run_loop(struct cutter *cutter) {
    bool good = find_rounds(cutter);
    cutter->handed.count = 0;
    for (uint32_t s = 0; good && s < cutter->first; s++) {
        good = run_strip(cutter, s);
    }
    good = good && (cutter->strips.count < 2 || join_strip(cutter));
    if (good) {
        struct sw_fit_call grow = call_of(cutter, SW_FIT_GROW, cutter->region->last);
        cutter->strip = grow.strip = cutter->first - 1;
        grow.output = cutter->whole = add_room(cutter);
        good = (grow.output != SW_NONE || no_strip_memory(cutter->refusal)) &&
               add_strip_call(cutter, grow, cutter->strips.items, 1) && add_rounds(cutter);
    }
    for (uint32_t s = cutter->end; good && s < cutter->plan.strips; s++) {
        good = run_strip(cutter, s) && add_update_call(cutter);
    }
    return good;
}

static bool cut_into_strips(struct cutter *cutter) {
    cutter->first = cutter->end = 0;
    cutter->copies = sw_fit_is_told(cutter->problem, cutter->region->first, cutter->region->last);
    bool good =
        sw_fit_strips_plan(cutter->problem, cutter->region, &cutter->plan, cutter->refusal) && begin_streams(cutter);
    if (cutter->region->loop) {
        return good && run_loop(cutter);
    }
    for (uint32_t s = 0; good && s < cutter->region->strips; s++) {
        good = run_strip(cutter, s);
    }
    for (size_t a = 0, b = cutter->strips.count; cutter->region->backwards && a + 1 < b;
         a++, b--) { /* rows in their order */
        uint32_t first = cutter->strips.items[a];
        cutter->strips.items[a] = cutter->strips.items[b - 1];
        cutter->strips.items[b - 1] = first;
    }
    return good && join_strip(cutter);
}

/* ---- the whole ---- */

static bool add_whole_tensors(struct cutter *cutter) {
    for (uint32_t b = 0; b < sw_problem_buffer_count(cutter->problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(cutter->problem, b);
        struct sw_fit_value value = {.buffer = b,
                                     .whole = true,
                                     .padded_for = SW_NONE,
                                     .size = buffer->size,
                                     .within = SW_NONE,
                                     .made_by = SW_NONE};
        if (!SW_PUSH(&cutter->program->values, value)) {
            return no_strip_memory(cutter->refusal);
        }
    }
    return true;
}

/* Rows of the tensors that a region reads or makes whole. */
static void set_rows(struct cutter *cutter) {
    for (uint32_t op = cutter->region->first; op <= cutter->region->last; op++) {
        const struct sw_operator *operator_ = cutter_operator(cutter, op);
        uint32_t axis = operator_->window->axis;
        for (uint32_t i = 0; i <= operator_->input_count; i++) {
            uint32_t buffer = i < operator_->input_count ? operator_->inputs[i].buffer : operator_->outputs[0].buffer;
            cutter->program->values.items[buffer].rows =
                (struct sw_row_range){0, (int64_t)sw_fit_rows(cutter->problem, buffer, axis)};
        }
    }
}

/* What waits for an operator waits for all of it, and that is none any more when it is cut. */
static bool waits_for_cut(const struct cutter *cutter, const struct sw_operator *operator_, uint32_t *cut) {
    const struct sw_fit_program *program = cutter->program;
    for (uint32_t i = 0; i < operator_->after_count; i++) {
        for (size_t r = 0; r < program->region_count; r++) {
            *cut = operator_->after[i];
            if (*cut >= program->regions[r].first && *cut <= program->regions[r].last) {
                return true;
            }
        }
    }
    return false;
}

static bool add_whole_call(struct cutter *cutter, uint32_t op) {
    const struct sw_operator *operator_ = cutter_operator(cutter, op);
    uint32_t cut;
    if (waits_for_cut(cutter, operator_, &cut)) {
        return sw_fit_refuse(cutter->refusal, cut, "%.60s waits for it", operator_->name);
    }
    struct sw_fit_call call = {
        .act = SW_FIT_AS_IS, .op = op, .region = SW_NONE, .strip = SW_NONE, .output = SW_NONE, .macs = operator_->macs};
    for (uint32_t i = 0; i < operator_->output_count; i++) {
        struct sw_fit_value *value = &cutter->program->values.items[operator_->outputs[i].buffer];
        value->made_by = value->made_by == SW_NONE ? (uint32_t)cutter->program->calls.count : value->made_by;
    }
    return add_strip_call(cutter, call, NULL, 0);
}

bool sw_fit_program_make(const struct sw_problem *problem, const struct sw_fit_region *regions, size_t count,
                         struct sw_fit_program *program, struct sw_fit_refusal *refusal) {
    struct cutter cutter = {.program = program, .refusal = refusal, .problem = problem, .loop = SW_NONE};
    program->problem = problem;
    program->regions = regions;
    program->region_count = count;
    bool good = add_whole_tensors(&cutter);
    uint32_t next = 0, operators = sw_problem_operator_count(problem);
    for (size_t r = 0; good && r < count; r++) {
        cutter.region = &regions[r];
        cutter.number = (uint32_t)r;
        good = regions[r].first >= next && regions[r].last >= regions[r].first && regions[r].last < operators
                   ? sw_fit_is_region(problem, regions[r].first, regions[r].last, refusal)
                   : sw_fit_refuse(refusal, regions[r].first, "regions overlap, or are not in order");
        for (; good && next < regions[r].first; next++) {
            good = add_whole_call(&cutter, next);
        }
        if (good) {
            set_rows(&cutter);
            good = cut_into_strips(&cutter);
        }
        next = regions[r].last + 1;
    }
    for (; good && next < operators; next++) {
        good = add_whole_call(&cutter, next);
    }
    sw_fit_strips_done(&cutter.plan);
    SW_ARRAY_DONE(&cutter.held, &cutter.slices, &cutter.strips, &cutter.arguments, &cutter.handed);
    return good;
}

void sw_fit_program_done(struct sw_fit_program *program) {
    SW_ARRAY_DONE(&program->calls, &program->values, &program->inputs);
    *program = (struct sw_fit_program){0};
}
