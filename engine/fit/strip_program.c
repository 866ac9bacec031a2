/* Making a program: each region's strips backwards, to know which rows they need, then forwards, as calls. */
#include "fit/program_internal.h"

#include "base/minmax.h"

#include <stdio.h> /* snprintf */
#include <string.h>

enum { MOST_JOINED = 10 }; /* arguments of a join: what runtimes take */

/* Rows of a tensor, while the strip at hand is made: which are needed, and the value that has them. */
struct need {
    uint32_t buffer;
    struct sw_row_range rows;  /* the hull of what its readers want; empty: lo == hi */
    uint32_t value;       /* SW_NONE: it is not made yet */
};

struct cutter {
    struct sw_fit_program *program;
    struct sw_fit_refusal *refusal;
    const struct sw_problem *problem;
    const struct sw_fit_region *region;
    uint32_t number, strip, axis;
    bool copies;                     /* slices and joins of rows have bytes of their own */
    SW_ARRAY(struct need) needs;     /* of the region's tensors, and of those that it reads */
    SW_ARRAY(struct sw_strip) plans; /* of each operator, for the strip at hand */
    SW_ARRAY(uint32_t) slices;       /* values that are slices, of the strip at hand */
    SW_ARRAY(uint32_t) strips;       /* values: the region's result so far */
};

static bool no_memory(struct sw_fit_refusal *refusal) {
    return sw_fit_refuse(refusal, SW_NONE, "no memory");
}

static uint64_t row_bytes(const struct cutter *cutter, uint32_t buffer) {
    return sw_problem_buffer(cutter->problem, buffer)->size / sw_fit_rows(cutter->problem, buffer, cutter->axis);
}

static const struct sw_operator *operator_of(const struct cutter *cutter, uint32_t op) {
    return sw_problem_operator(cutter->problem, op);
}

static uint32_t result_of(const struct cutter *cutter, uint32_t op) {
    return operator_of(cutter, op)->outputs[0].buffer;
}

static struct sw_row_window rows_of(const struct cutter *cutter, uint32_t op) {
    const struct sw_operator *operator_ = operator_of(cutter, op);
    return sw_row_window_of(operator_->window, sw_fit_rows(cutter->problem, operator_->inputs[0].buffer, cutter->axis),
                            sw_fit_rows(cutter->problem, operator_->outputs[0].buffer, cutter->axis));
}

/* The need of a tensor; NULL: no memory. */
static struct need *need_of(struct cutter *cutter, uint32_t buffer) {
    for (size_t i = 0; i < cutter->needs.count; i++) {
        if (cutter->needs.items[i].buffer == buffer) {
            return &cutter->needs.items[i];
        }
    }
    struct need fresh = {.buffer = buffer, .value = SW_NONE};
    return SW_PUSH(&cutter->needs, fresh) ? &cutter->needs.items[cutter->needs.count - 1] : NULL;
}

/* ---- backwards: which rows ---- */

/* Padding by an operator of its own pads with zero, which is right where products are summed up. */
static bool may_pad(const struct sw_operator *operator_) {
    return operator_->macs > 0;
}

static bool pads(const struct sw_op_window *w) {
    return w->before[0] + w->after[0] + w->before[1] + w->after[1] > 0;
}

/* Does the operator run as one that does not pad, on an argument that was padded before? */
static bool is_padded(const struct cutter *cutter, uint32_t op) {
    const struct sw_operator *operator_ = operator_of(cutter, op);
    struct sw_row_window w = rows_of(cutter, op);
    struct sw_strip strip;
    if (!pads(operator_->window) || sw_fit_only_pads(operator_->window) || operator_->window->told) {
        return false;
    }
    return (cutter->region->way == SW_FIT_PAD && may_pad(operator_)) || !sw_strip_discard(&w, (struct sw_row_range){0, w.out}, &strip);
}

static bool plan_operator(struct cutter *cutter, uint32_t op, struct sw_row_range wanted, struct sw_strip *strip) {
    const struct sw_operator *operator_ = operator_of(cutter, op);
    struct sw_row_window w = rows_of(cutter, op);
    bool padded = is_padded(cutter, op), own = pads(operator_->window) && !sw_fit_only_pads(operator_->window);
    own = own && !operator_->window->told;
    if (padded && !may_pad(operator_)) {
        return sw_fit_refuse(cutter->refusal, op, "its padding is not that of the whole image on any of its rows");
    }
    if (own && !padded ? !sw_strip_discard(&w, wanted, strip) : !sw_strip_pad(&w, wanted, strip)) {
        return sw_fit_refuse(cutter->refusal, op, "no rows give its rows %lld to %lld exactly", (long long)wanted.lo, (long long)wanted.hi - 1);
    }
    return true;
}

static void widen(struct sw_row_range *rows, struct sw_row_range by) {
    *rows = rows->lo == rows->hi ? by : (struct sw_row_range){SW_MIN(rows->lo, by.lo), SW_MAX(rows->hi, by.hi)};
}

static bool plan_strip(struct cutter *cutter, struct sw_row_range wanted) {
    const struct sw_fit_region *region = cutter->region;
    cutter->needs.count = cutter->slices.count = 0;
    struct need *need = need_of(cutter, result_of(cutter, region->last));
    if (!need) {
        return no_memory(cutter->refusal);
    }
    need->rows = wanted;
    for (uint32_t op = region->last + 1; op-- > region->first;) {
        const struct sw_operator *operator_ = operator_of(cutter, op);
        struct sw_strip *strip = &cutter->plans.items[op - region->first];
        need = need_of(cutter, result_of(cutter, op));
        if (!need) {
            return no_memory(cutter->refusal);
        }
        if (!plan_operator(cutter, op, need->rows, strip)) {
            return false;
        }
        for (uint32_t i = 0; i < operator_->input_count; i++) {
            need = need_of(cutter, operator_->inputs[i].buffer);
            if (!need) {
                return no_memory(cutter->refusal);
            }
            widen(&need->rows, strip->read);
        }
    }
    return true;
}

/* ---- forwards: calls and values ---- */

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

/* Rows of a tensor as a value that lies within `outer`, which has these rows and others, if they lie one behind the other and the alignment lets
 * it lie there. */
static struct sw_fit_value rows_within(const struct cutter *cutter, uint32_t outer, struct sw_row_range rows) {
    const struct sw_fit_value *whole = &cutter->program->values.items[outer];
    uint64_t bytes = row_bytes(cutter, whole->buffer), at = (uint64_t)(rows.lo - whole->rows.lo) * bytes;
    uint64_t alignment = sw_problem_buffer(cutter->problem, whole->buffer)->alignment;
    struct sw_fit_value value = {.buffer = whole->buffer, .rows = rows, .size = (uint64_t)(rows.hi - rows.lo) * bytes, .within = SW_NONE};
    if ((alignment <= 1 || at % alignment == 0) && !cutter->copies && sw_fit_rows_are_apart(cutter->problem, whole->buffer, cutter->axis)) {
        value.within = outer;
        value.at = at;
    }
    return value;
}

static struct sw_fit_call call_of(const struct cutter *cutter, enum sw_fit_act act, uint32_t op) {
    return (struct sw_fit_call){.act = act, .op = op, .region = cutter->number, .strip = cutter->strip};
}

/* Rows of a value: itself, a slice that this strip has already, or a new one. SW_NONE: no memory. */
static uint32_t slice(struct cutter *cutter, uint32_t op, uint32_t of, struct sw_row_range rows) {
    struct sw_fit_program *program = cutter->program;
    struct sw_fit_value whole = program->values.items[of];
    if (whole.rows.lo == rows.lo && whole.rows.hi == rows.hi) {
        return of;
    }
    for (size_t i = 0; i < cutter->slices.count; i++) {
        const struct sw_fit_value *slice = &program->values.items[cutter->slices.items[i]];
        if (slice->buffer == whole.buffer && slice->rows.lo == rows.lo && slice->rows.hi == rows.hi) {
            return cutter->slices.items[i];
        }
    }
    struct sw_fit_call call = call_of(cutter, SW_FIT_SLICE, op);
    call.output = add_value(cutter, rows_within(cutter, of, rows));
    bool good = call.output != SW_NONE && SW_PUSH(&cutter->slices, call.output) && add_call(cutter, call, &of, 1);
    return good ? call.output : SW_NONE;
}

/* A value with padding around it. */
static uint32_t put_padding(struct cutter *cutter, uint32_t op, uint32_t of, const struct sw_strip *strip) {
    const struct sw_op_window *w = operator_of(cutter, op)->window;
    struct sw_fit_value value = cutter->program->values.items[of];
    struct sw_fit_call call = call_of(cutter, SW_FIT_PADDED, op);
    const struct sw_buffer *buffer = sw_problem_buffer(cutter->problem, value.buffer);
    uint64_t columns = buffer->shape_count > cutter->axis + 1 ? buffer->shape[cutter->axis + 1] : 1;
    call.above = (uint32_t)strip->before;
    call.below = (uint32_t)strip->after;
    call.left = w->before[1];
    call.right = w->after[1];
    if (call.above + call.below + call.left + call.right == 0) {
        return of;
    }
    value.rows = (struct sw_row_range){value.rows.lo - strip->before, value.rows.hi + strip->after};
    value.left = call.left;
    value.right = call.right;
    value.size = (uint64_t)(value.rows.hi - value.rows.lo) * (row_bytes(cutter, value.buffer) / columns) * (columns + call.left + call.right);
    value.whole = false;
    value.within = SW_NONE;
    value.at = 0;
    call.output = add_value(cutter, value);
    return call.output != SW_NONE && add_call(cutter, call, &of, 1) ? call.output : SW_NONE;
}

/* The value that has a tensor's rows: of one that is made outside the whole. */
static uint32_t value_of(struct cutter *cutter, uint32_t buffer) {
    struct need *need = need_of(cutter, buffer);
    uint32_t producer = sw_problem_producer(cutter->problem, buffer);
    bool inner = producer != SW_NONE && producer >= cutter->region->first && producer <= cutter->region->last;
    return !inner ? buffer : need ? need->value : SW_NONE;
}

static bool run_operator(struct cutter *cutter, uint32_t op, uint32_t *inputs) {
    const struct sw_operator *operator_ = operator_of(cutter, op);
    const struct sw_strip *strip = &cutter->plans.items[op - cutter->region->first];
    const uint32_t result = result_of(cutter, op);
    bool padded = is_padded(cutter, op), last = op == cutter->region->last;
    for (uint32_t i = 0; i < operator_->input_count; i++) {
        uint32_t value = value_of(cutter, operator_->inputs[i].buffer);
        value = value == SW_NONE ? SW_NONE : slice(cutter, op, value, strip->read);
        value = value == SW_NONE || !padded ? value : put_padding(cutter, op, value, strip);
        if (value == SW_NONE) {
            return no_memory(cutter->refusal);
        }
        inputs[i] = value;
    }
    struct sw_fit_call call = call_of(cutter, SW_FIT_RUN, op);
    uint64_t made = (uint64_t)(strip->made.hi - strip->made.lo), rows = sw_fit_rows(cutter->problem, result, cutter->axis);
    bool exact = strip->made.lo == strip->wanted.lo && strip->made.hi == strip->wanted.hi;
    struct sw_fit_value value = {.buffer = result, .rows = strip->made, .size = made * row_bytes(cutter, result), .within = SW_NONE};
    call.same = !padded;
    call.macs = operator_->macs / rows * made + operator_->macs % rows * made / rows;
    if (sw_fit_only_pads(operator_->window) || operator_->window->told) {
        call.above = (uint32_t)strip->before;
        call.below = (uint32_t)strip->after;
        call.left = operator_->window->before[1];
        call.right = operator_->window->after[1];
    }
    call.output = add_value(cutter, last && exact ? rows_within(cutter, result, strip->made) : value);
    struct need *need = need_of(cutter, result);
    if (call.output == SW_NONE || !need) {
        return no_memory(cutter->refusal);
    }
    need->value = call.output;
    if (!add_call(cutter, call, inputs, operator_->input_count)) {
        return false;
    }
    if (last && !exact) { /* the rows that are wanted go to their place in the whole */
        struct sw_fit_call cut = call_of(cutter, SW_FIT_SLICE, op);
        cut.output = add_value(cutter, rows_within(cutter, result, strip->wanted));
        if (cut.output == SW_NONE || !add_call(cutter, cut, &call.output, 1)) {
            return no_memory(cutter->refusal);
        }
        need->value = cut.output;
    }
    return true;
}

/* The strips side by side, a few at a time, until one value has all rows. */
static bool join(struct cutter *cutter) {
    struct sw_fit_program *program = cutter->program;
    uint32_t result = result_of(cutter, cutter->region->last);
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
                call.output = add_value(cutter, rows_within(cutter, result, rows));
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

/* Where strip s begins: at a multiple of as many rows as make the alignment come out, where there are enough. */
static int64_t begin_of(const struct cutter *cutter, uint32_t s) {
    uint32_t result = result_of(cutter, cutter->region->last);
    uint64_t rows = sw_fit_rows(cutter->problem, result, cutter->axis), n = cutter->region->strips;
    uint64_t alignment = SW_MAX(sw_problem_buffer(cutter->problem, result)->alignment, 1);
    uint64_t unit = alignment / sw_common_divisor(alignment, row_bytes(cutter, result)), units = (rows + unit - 1) / unit;
    if (units < n) {
        unit = 1;
        units = rows;
    }
    return s == n ? (int64_t)rows : (int64_t)((s * units / n) * unit);
}

static bool cut_region(struct cutter *cutter) {
    const struct sw_fit_region *region = cutter->region;
    uint32_t count = region->last - region->first + 1, most = 0;
    if (region->strips < 2 || region->strips > sw_fit_region_rows(cutter->problem, region->last)) {
        return sw_fit_refuse(cutter->refusal, region->last, "its %llu rows are not cut into %u strips",
                             (unsigned long long)sw_fit_region_rows(cutter->problem, region->last), region->strips);
    }
    cutter->copies = false;
    for (uint32_t op = region->first; op <= region->last; op++) {
        most = SW_MAX(most, operator_of(cutter, op)->input_count);
        cutter->copies = cutter->copies || operator_of(cutter, op)->window->told;
    }
    uint32_t *inputs = SW_NEW(uint32_t, most);
    bool good = inputs && SW_RESERVE(&cutter->plans, count);
    cutter->plans.count = count;
    cutter->axis = operator_of(cutter, region->first)->window->axis;
    cutter->strips.count = 0;
    if (!good) {
        no_memory(cutter->refusal);
    }
    for (uint32_t s = 0; good && s < region->strips; s++) {
        cutter->strip = s;
        good = plan_strip(cutter, (struct sw_row_range){begin_of(cutter, s), begin_of(cutter, s + 1)});
        for (uint32_t op = region->first; good && op <= region->last; op++) {
            good = run_operator(cutter, op, inputs);
        }
        const struct need *result = good ? need_of(cutter, result_of(cutter, region->last)) : NULL;
        good = good && ((result && SW_PUSH(&cutter->strips, result->value)) || no_memory(cutter->refusal));
    }
    SW_FREE(inputs, most);
    return good && join(cutter);
}

/* ---- the whole ---- */

static bool add_tensors(struct cutter *cutter) {
    for (uint32_t b = 0; b < sw_problem_buffer_count(cutter->problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(cutter->problem, b);
        struct sw_fit_value value = {.buffer = b, .whole = true, .size = buffer->size, .within = SW_NONE, .made_by = SW_NONE};
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
    SW_ARRAY_DONE(&cutter.needs);
    SW_ARRAY_DONE(&cutter.plans);
    SW_ARRAY_DONE(&cutter.slices);
    SW_ARRAY_DONE(&cutter.strips);
    return good;
}

void sw_fit_program_done(struct sw_fit_program *program) {
    SW_ARRAY_DONE(&program->calls);
    SW_ARRAY_DONE(&program->values);
    SW_ARRAY_DONE(&program->inputs);
    *program = (struct sw_fit_program){0};
}
