/* Making a program: what runs for each strip, in calls. Which rows they read and make stands in its plan (fit/strip_plan.h). */
#include "fit/program_internal.h"
#include "fit/strip_plan.h"

#include "base/minmax.h"

enum { MOST_JOINED = 10 }; /* arguments of a join: what runtimes take */

/* The values of a stream, in the strip at hand. */
struct held {
    uint32_t value; /* its rows; SW_NONE: it is not made yet */
    uint32_t kept;  /* the rows of `value` that are a part of the next join; SW_NONE: none are handed on */
    uint32_t joined; /* that join's result, of which only the place is known yet; SW_NONE: there is none */
};

struct cutter {
    struct sw_fit_program *program;
    struct sw_fit_refusal *refusal;
    const struct sw_problem *problem;
    const struct sw_fit_region *region;
    uint32_t number, strip;
    struct sw_fit_strips plan;
    SW_ARRAY(struct held) held;  /* of each stream */
    SW_ARRAY(uint32_t) slices;   /* values that are slices, of the strip at hand */
    SW_ARRAY(uint32_t) strips;   /* values: the region's result so far */
    SW_ARRAY(uint32_t) arguments; /* of the call at hand */
};

static bool no_memory(struct sw_fit_refusal *refusal) {
    return sw_fit_refuse(refusal, SW_NONE, "no memory");
}

static const struct sw_operator *operator_of(const struct cutter *cutter, uint32_t op) {
    return sw_problem_operator(cutter->problem, op);
}

static uint32_t result_of(const struct cutter *cutter, uint32_t op) {
    return operator_of(cutter, op)->outputs[0].buffer;
}

static const struct sw_fit_stream *stream_at(const struct cutter *cutter, uint32_t stream) {
    return &cutter->plan.streams.items[stream];
}

static struct sw_fit_value *value_at(const struct cutter *cutter, uint32_t value) {
    return &cutter->program->values.items[value];
}

static bool same_rows(struct sw_row_range a, struct sw_row_range b) {
    return a.lo == b.lo && a.hi == b.hi;
}

/* ---- calls and values ---- */

/* Add a value that the next call will make. */
static uint32_t add_value(struct cutter *cutter, struct sw_fit_value value) {
    struct sw_fit_program *program = cutter->program;
    value.made_by = (uint32_t)program->calls.count;
    return SW_PUSH(&program->values, value) ? (uint32_t)program->values.count - 1 : SW_NONE;
}

static bool add_call(struct cutter *cutter, struct sw_fit_call call, const uint32_t *inputs, size_t count) {
    struct sw_fit_program *program = cutter->program;
    call.first_input = (uint32_t)program->inputs.count;
    call.input_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        if (!SW_PUSH(&program->inputs, inputs[i])) {
            return no_memory(cutter->refusal);
        }
    }
    return SW_PUSH(&program->calls, call) || no_memory(cutter->refusal);
}

static struct sw_fit_call call_of(const struct cutter *cutter, enum sw_fit_act act, uint32_t op) {
    return (struct sw_fit_call){.act = act, .op = op, .region = cutter->number, .strip = cutter->strip};
}

/* Rows of a stream as a value with bytes of its own. */
static struct sw_fit_value rows_of(const struct cutter *cutter, uint32_t stream, struct sw_row_range rows) {
    const struct sw_fit_stream *t = stream_at(cutter, stream);
    return (struct sw_fit_value){.buffer = t->buffer, .padded_for = t->padded_for, .rows = rows, .left = t->left, .right = t->right,
                                 .size = (uint64_t)(rows.hi - rows.lo) * t->row_bytes, .within = SW_NONE};
}

/* Rows of a stream as a value that lies within `outer`, which has these rows and others, if the alignment lets it lie there. */
static struct sw_fit_value rows_within(const struct cutter *cutter, uint32_t stream, uint32_t outer, struct sw_row_range rows) {
    struct sw_fit_value value = rows_of(cutter, stream, rows);
    uint64_t at = (uint64_t)(rows.lo - value_at(cutter, outer)->rows.lo) * stream_at(cutter, stream)->row_bytes;
    uint64_t alignment = sw_problem_buffer(cutter->problem, value.buffer)->alignment;
    if (alignment <= 1 || at % alignment == 0) {
        value.within = outer;
        value.at = at;
    }
    return value;
}

/* Rows of a value: itself, a slice that this strip has already, or a new one. SW_NONE: no memory. */
static uint32_t slice(struct cutter *cutter, uint32_t op, uint32_t stream, struct sw_row_range rows) {
    uint32_t of = cutter->held.items[stream].value;
    if (same_rows(value_at(cutter, of)->rows, rows)) {
        return of;
    }
    for (size_t i = 0; i < cutter->slices.count; i++) {
        const struct sw_fit_value *other = value_at(cutter, cutter->slices.items[i]);
        if (other->buffer == stream_at(cutter, stream)->buffer && other->padded_for == stream_at(cutter, stream)->padded_for &&
            same_rows(other->rows, rows)) {
            return cutter->slices.items[i];
        }
    }
    struct sw_fit_call call = call_of(cutter, SW_FIT_SLICE, op);
    call.output = add_value(cutter, rows_within(cutter, stream, of, rows));
    bool good = call.output != SW_NONE && SW_PUSH(&cutter->slices, call.output) && add_call(cutter, call, &of, 1);
    return good ? call.output : SW_NONE;
}

/* ---- one node in one strip ---- */

/* Its arguments: rows of streams. */
static bool find_arguments(struct cutter *cutter, const struct sw_fit_node *node, struct sw_row_range rows) {
    cutter->arguments.count = 0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = slice(cutter, node->op, cutter->plan.inputs.items[node->first_input + i], rows);
        if (value == SW_NONE || !SW_PUSH(&cutter->arguments, value)) {
            return no_memory(cutter->refusal);
        }
    }
    return true;
}

/* What the model's operator does with these rows, or what is put around them. */
static struct sw_fit_call work_of(const struct cutter *cutter, const struct sw_fit_node *node, const struct sw_strip *rows) {
    const struct sw_operator *operator_ = operator_of(cutter, node->op);
    struct sw_fit_call call = call_of(cutter, node->puts_padding ? SW_FIT_PADDED : SW_FIT_RUN, node->op);
    if (node->puts_padding || sw_fit_only_pads(operator_->window)) {
        call.above = (uint32_t)rows->before;
        call.below = (uint32_t)rows->after;
        call.left = operator_->window->before[1];
        call.right = operator_->window->after[1];
    }
    call.least = node->puts_padding && sw_fit_padding_of(operator_) == SW_FIT_LEAST;
    if (!node->puts_padding) {
        uint64_t made = (uint64_t)(rows->made.hi - rows->made.lo), all = sw_fit_rows(cutter->problem, result_of(cutter, node->op), cutter->plan.axis);
        call.same = !node->padded;
        call.macs = operator_->macs / all * made + operator_->macs % all * made / all;
    }
    return call;
}

/* The rows beside those that were kept: together they are what the strip has of the stream. */
static bool join_kept(struct cutter *cutter, const struct sw_fit_node *node, uint32_t fresh) {
    struct held *held = &cutter->held.items[node->result];
    struct sw_fit_call call = call_of(cutter, SW_FIT_JOIN, node->op);
    bool behind = value_at(cutter, fresh)->rows.lo >= value_at(cutter, held->kept)->rows.hi;
    const uint32_t parts[] = {behind ? held->kept : fresh, behind ? fresh : held->kept};
    call.output = held->joined;
    value_at(cutter, call.output)->made_by = (uint32_t)cutter->program->calls.count;
    *held = (struct held){.value = call.output, .kept = SW_NONE, .joined = SW_NONE};
    return add_call(cutter, call, parts, 2);
}

/* Rows that go to a place of their own, in the region's result or behind those that were kept, are made there, or cut out of what was made. */
static bool run_node(struct cutter *cutter, uint32_t number) {
    const struct sw_fit_node *node = &cutter->plan.nodes.items[number];
    const struct sw_strip *rows = &sw_fit_strip_at(&cutter->plan, cutter->strip, node->result)->rows;
    struct sw_fit_call call = work_of(cutter, node, rows);
    bool last = number + 1 == cutter->plan.nodes.count, joins = cutter->held.items[node->result].joined != SW_NONE;
    bool exact = same_rows(rows->made, rows->wanted);
    uint32_t outer = last ? result_of(cutter, node->op) : cutter->held.items[node->result].joined, made;
    if (!find_arguments(cutter, node, rows->read)) {
        return false;
    }
    made = call.output = add_value(cutter, (last || joins) && exact ? rows_within(cutter, node->result, outer, rows->made)
                                                                    : rows_of(cutter, node->result, rows->made));
    if (made == SW_NONE) {
        return no_memory(cutter->refusal);
    }
    if (!add_call(cutter, call, cutter->arguments.items, cutter->arguments.count)) {
        return false;
    }
    if ((last || joins) && !exact) {
        struct sw_fit_call cut = call_of(cutter, SW_FIT_SLICE, node->op);
        cut.output = add_value(cutter, rows_within(cutter, node->result, outer, rows->wanted));
        if (cut.output == SW_NONE || !add_call(cutter, cut, &made, 1)) {
            return no_memory(cutter->refusal);
        }
        made = cut.output;
    }
    cutter->held.items[node->result].value = made;
    return joins ? join_kept(cutter, node, made) : !last || SW_PUSH(&cutter->strips, made) || no_memory(cutter->refusal);
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

/* Nothing reads the stream any more before rows are added to it: what is needed then goes to its place in the next join, and the other rows
 * die. */
static bool keep_rows(struct cutter *cutter, uint32_t stream) {
    struct held *held = &cutter->held.items[stream];
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
    struct sw_fit_value joined = rows_of(cutter, stream, both);
    held->joined = add_value(cutter, joined);
    if (held->joined == SW_NONE) {
        return no_memory(cutter->refusal);
    }
    struct sw_fit_value place = rows_within(cutter, stream, held->joined, strip->kept);
    if (same_rows(value_at(cutter, of)->rows, strip->kept)) { /* all of them: it lies there itself, unless it lies somewhere already */
        if (value_at(cutter, of)->within == SW_NONE) {
            value_at(cutter, of)->within = place.within;
            value_at(cutter, of)->at = place.at;
        }
        held->kept = of;
        return true;
    }
    struct sw_fit_call call = call_of(cutter, SW_FIT_SLICE, cutter->plan.nodes.items[stream_at(cutter, stream)->node].op);
    call.keeps = true;
    call.output = held->kept = add_value(cutter, place);
    return call.output == SW_NONE ? no_memory(cutter->refusal) : add_call(cutter, call, &of, 1);
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

/* The strips side by side, a few at a time, until one value has all rows. */
static bool join(struct cutter *cutter) {
    struct sw_fit_program *program = cutter->program;
    uint32_t result = result_of(cutter, cutter->region->last), stream = cutter->plan.nodes.items[cutter->plan.nodes.count - 1].result;
    cutter->strip = SW_NONE;
    while (cutter->strips.count > 0) {
        size_t count = cutter->strips.count, made = 0, groups = (count + MOST_JOINED - 1) / MOST_JOINED;
        for (size_t g = 0; g < groups; g++) {
            size_t from = g * count / groups, to = (g + 1) * count / groups;
            const uint32_t *parts = &cutter->strips.items[from];
            struct sw_row_range rows = {program->values.items[parts[0]].rows.lo, program->values.items[parts[to - from - 1]].rows.hi};
            struct sw_fit_call call = call_of(cutter, SW_FIT_JOIN, cutter->region->last);
            if (groups == 1) {
                call.output = result;
                program->values.items[result].made_by = (uint32_t)program->calls.count;
            } else if (to - from > 1) {
                call.output = add_value(cutter, rows_within(cutter, stream, result, rows));
            } else {
                cutter->strips.items[made++] = parts[0];
                continue;
            }
            if (call.output == SW_NONE || !add_call(cutter, call, parts, to - from)) {
                return no_memory(cutter->refusal);
            }
            for (size_t i = from; i < to && call.output != result && program->values.items[call.output].within == SW_NONE; i++) {
                struct sw_fit_value *part = &program->values.items[cutter->strips.items[i]]; /* what it is part of lies elsewhere */
                part->within = SW_NONE;
                part->at = 0;
            }
            cutter->strips.items[made++] = call.output;
        }
        cutter->strips.count = groups == 1 ? 0 : made;
    }
    return true;
}

/* Tensors that are there before are as they are. */
static bool begin_streams(struct cutter *cutter) {
    cutter->held.count = cutter->strips.count = 0;
    for (uint32_t t = 0; t < cutter->plan.streams.count; t++) {
        const struct sw_fit_stream *stream = stream_at(cutter, t);
        struct held held = {.value = stream->node == SW_NONE ? stream->buffer : SW_NONE, .kept = SW_NONE, .joined = SW_NONE};
        if (!SW_PUSH(&cutter->held, held)) {
            return no_memory(cutter->refusal);
        }
    }
    return true;
}

static bool cut_region(struct cutter *cutter) {
    bool good = sw_fit_strips_plan(cutter->problem, cutter->region, &cutter->plan, cutter->refusal) && begin_streams(cutter);
    for (uint32_t s = 0; good && s < cutter->region->strips; s++) {
        cutter->strip = s;
        cutter->slices.count = 0;
        for (uint32_t n = 0; good && n < cutter->plan.nodes.count; n++) {
            const struct sw_fit_strip *strip = sw_fit_strip_at(&cutter->plan, s, cutter->plan.nodes.items[n].result);
            good = sw_fit_no_rows(strip->fresh) || (run_node(cutter, n) && keep_behind(cutter, n));
        }
    }
    for (size_t a = 0, b = cutter->strips.count; cutter->region->backwards && a + 1 < b; a++, b--) { /* rows in their order */
        uint32_t first = cutter->strips.items[a];
        cutter->strips.items[a] = cutter->strips.items[b - 1];
        cutter->strips.items[b - 1] = first;
    }
    return good && join(cutter);
}

/* ---- the whole ---- */

static bool add_tensors(struct cutter *cutter) {
    for (uint32_t b = 0; b < sw_problem_buffer_count(cutter->problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(cutter->problem, b);
        struct sw_fit_value value = {.buffer = b, .whole = true, .padded_for = SW_NONE, .size = buffer->size, .within = SW_NONE, .made_by = SW_NONE};
        if (!SW_PUSH(&cutter->program->values, value)) {
            return no_memory(cutter->refusal);
        }
    }
    return true;
}

/* Rows of the tensors that a region reads or makes whole. */
static void set_rows(struct cutter *cutter) {
    for (uint32_t op = cutter->region->first; op <= cutter->region->last; op++) {
        const struct sw_operator *operator_ = operator_of(cutter, op);
        uint32_t axis = operator_->window->axis;
        for (uint32_t i = 0; i <= operator_->input_count; i++) {
            uint32_t buffer = i < operator_->input_count ? operator_->inputs[i].buffer : operator_->outputs[0].buffer;
            cutter->program->values.items[buffer].rows = (struct sw_row_range){0, (int64_t)sw_fit_rows(cutter->problem, buffer, axis)};
        }
    }
}

static bool add_as_is(struct cutter *cutter, uint32_t op) {
    const struct sw_operator *operator_ = operator_of(cutter, op);
    struct sw_fit_call call = {.act = SW_FIT_AS_IS, .op = op, .region = SW_NONE, .strip = SW_NONE, .output = SW_NONE, .macs = operator_->macs};
    for (uint32_t i = 0; i < operator_->output_count; i++) {
        struct sw_fit_value *value = &cutter->program->values.items[operator_->outputs[i].buffer];
        value->made_by = value->made_by == SW_NONE ? (uint32_t)cutter->program->calls.count : value->made_by;
    }
    return add_call(cutter, call, NULL, 0);
}

bool sw_fit_program_make(const struct sw_problem *problem, const struct sw_fit_region *regions, size_t count, struct sw_fit_program *program,
                         struct sw_fit_refusal *refusal) {
    struct cutter cutter = {.program = program, .refusal = refusal, .problem = problem};
    program->problem = problem;
    program->regions = regions;
    program->region_count = count;
    bool good = add_tensors(&cutter);
    uint32_t next = 0, operators = sw_problem_operator_count(problem);
    for (size_t r = 0; good && r < count; r++) {
        cutter.region = &regions[r];
        cutter.number = (uint32_t)r;
        good = regions[r].first >= next && regions[r].last >= regions[r].first && regions[r].last < operators
                   ? sw_fit_is_region(problem, regions[r].first, regions[r].last, refusal)
                   : sw_fit_refuse(refusal, regions[r].first, "regions overlap, or are not in order");
        for (; good && next < regions[r].first; next++) {
            good = add_as_is(&cutter, next);
        }
        if (good) {
            set_rows(&cutter);
            good = cut_region(&cutter);
        }
        next = regions[r].last + 1;
    }
    for (; good && next < operators; next++) {
        good = add_as_is(&cutter, next);
    }
    sw_fit_strips_done(&cutter.plan);
    SW_ARRAY_DONE(&cutter.held);
    SW_ARRAY_DONE(&cutter.slices);
    SW_ARRAY_DONE(&cutter.strips);
    SW_ARRAY_DONE(&cutter.arguments);
    return good;
}

void sw_fit_program_done(struct sw_fit_program *program) {
    SW_ARRAY_DONE(&program->calls);
    SW_ARRAY_DONE(&program->values);
    SW_ARRAY_DONE(&program->inputs);
    *program = (struct sw_fit_program){0};
}
