/* Which operators can be a region. */
#include "base/base.h"
#include "fit/strips/program_internal.h"

bool sw_fit_refuse(struct sw_fit_refusal *refusal, uint32_t op, const char *format, ...) {
    refusal->op = op;
    SW_FORMAT_INTO(refusal->reason, format);
    return false;
}

uint64_t sw_fit_rows(const struct sw_problem *problem, uint32_t buffer, uint32_t axis) {
    return sw_problem_buffer(problem, buffer)->shape[axis];
}

bool sw_fit_only_pads(const struct sw_op_window *w) {
    return w->kernel[0] == 1 && w->kernel[1] == 1 && w->stride[0] == 1 && w->stride[1] == 1 &&
           w->before[0] + w->after[0] + w->before[1] + w->after[1] > 0;
}

enum sw_fit_padding sw_fit_padding_of(const struct sw_operator *operator_) {
    bool largest = strcmp(operator_->kind, "max_pool_2d") == 0 || strcmp(operator_->kind, "MaxPool") == 0;
    return largest ? SW_FIT_LEAST : operator_->macs > 0 ? SW_FIT_ZERO : SW_FIT_NO_PADDING;
}

bool sw_fit_is_told(const struct sw_problem *problem, uint32_t first, uint32_t last) {
    for (uint32_t op = first; op <= last; op++) {
        if (sw_problem_operator(problem, op)->window->told) {
            return true;
        }
    }
    return false;
}

bool sw_fit_rows_are_apart(const struct sw_problem *problem, uint32_t number, uint32_t axis) {
    const struct sw_buffer *buffer = sw_problem_buffer(problem, number);
    for (uint32_t i = 0; i < axis && i < buffer->shape_count; i++) {
        if (buffer->shape[i] != 1) {
            return false;
        }
    }
    return true;
}

/* Does the tensor consist of rows of whole bytes? */
static bool has_rows(const struct sw_buffer *buffer, uint32_t axis) {
    uint64_t elements = 1;
    if (buffer->shape_count <= axis || !buffer->planned || buffer->size == 0) {
        return false;
    }
    for (uint32_t i = 0; i < buffer->shape_count; i++) {
        elements *= buffer->shape[i];
    }
    /* A size that was rounded up, or several elements in a byte, leave no whole number of bytes to a row. */
    return elements > 0 && sw_dtype_bits(buffer->dtype) % 8 == 0 &&
           buffer->size == elements * (sw_dtype_bits(buffer->dtype) / 8);
}

static bool check_ref(const struct sw_problem *problem, uint32_t op, struct sw_ref ref,
                      struct sw_fit_refusal *refusal) {
    const struct sw_operator *operator_ = sw_problem_operator(problem, op);
    const struct sw_buffer *buffer = sw_problem_buffer(problem, ref.buffer);
    if (ref.member != SW_NONE) {
        return sw_fit_refuse(refusal, op, "%.40s is a part of %.40s", sw_problem_member(problem, ref.member)->name,
                             buffer->name);
    }
    if (!has_rows(buffer, operator_->window->axis)) {
        return sw_fit_refuse(refusal, op, "%.60s is not known to consist of rows", buffer->name);
    }
    if (buffer->pinned || buffer->tier != SW_NONE) {
        return sw_fit_refuse(refusal, op, "%.60s has a fixed place", buffer->name);
    }
    return true;
}

/* Rows or columns: dimension `axis`; 1 where there is none. */
static uint64_t axis_length(const struct sw_problem *problem, uint32_t buffer, uint32_t axis) {
    const struct sw_buffer *tensor = sw_problem_buffer(problem, buffer);
    return axis < tensor->shape_count ? tensor->shape[axis] : 1;
}

/* Does the window make as many rows and columns as the result has, of each argument? All that is computed from windows
 * rests on that. */
static bool has_right_shape(const struct sw_problem *problem, const struct sw_operator *op) {
    const struct sw_op_window *w = op->window;
    for (uint32_t i = 0; i < op->input_count; i++) {
        for (uint32_t k = 0; k < 2; k++) {
            uint64_t in = axis_length(problem, op->inputs[i].buffer, w->axis + k),
                     out = axis_length(problem, op->outputs[0].buffer, w->axis + k);
            uint64_t room = in + w->before[k] + w->after[k], reach = (uint64_t)(w->kernel[k] - 1) * w->dilation[k] + 1;
            if (in > SW_MAX_WINDOW || room < reach || (room - reach) / w->stride[k] + 1 != out) {
                return false;
            }
        }
    }
    return true;
}

/* Would a name of the model lead to nothing when the tensor is gone? */
static bool is_name_result(const struct sw_problem *problem, uint32_t buffer) {
    size_t count;
    const uint32_t(*separate)[2] = sw_problem_separate(problem, &count);
    for (uint32_t m = 0; m < sw_problem_member_count(problem); m++) {
        if (sw_problem_member(problem, m)->buffer == buffer) {
            return true;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (separate[i][0] == buffer || separate[i][1] == buffer) {
            return true;
        }
    }
    return false;
}

/* Strips of a region run one after the other, so none of its operators may wait for another one of it but for what that
 * makes. */
static bool check_after(const struct sw_problem *problem, uint32_t first, uint32_t op, struct sw_fit_refusal *refusal) {
    const struct sw_operator *operator_ = sw_problem_operator(problem, op);
    for (uint32_t i = 0; i < operator_->after_count; i++) {
        if (operator_->after[i] >= first) {
            return sw_fit_refuse(refusal, op, "it waits for %.60s",
                                 sw_problem_operator(problem, operator_->after[i])->name);
        }
    }
    return true;
}

static bool check_strip_operator(const struct sw_problem *problem, uint32_t op, struct sw_fit_refusal *refusal) {
    const struct sw_operator *operator_ = sw_problem_operator(problem, op);
    if (!operator_->window) {
        return sw_fit_refuse(refusal, op, "it has no window");
    }
    if (operator_->output_count != 1 || operator_->input_count == 0 || operator_->joined) {
        return sw_fit_refuse(refusal, op, "it has not one result, or is part of another operator");
    }
    if (operator_->scratch_count > 0) {
        return sw_fit_refuse(refusal, op, "it has a workspace, which may be another one for a strip");
    }
    for (uint32_t i = 0; i < operator_->input_count; i++) {
        if (!check_ref(problem, op, operator_->inputs[i], refusal)) {
            return false;
        }
    }
    return check_ref(problem, op, operator_->outputs[0], refusal) &&
           (has_right_shape(problem, operator_) ||
            sw_fit_refuse(refusal, op, "its window does not make its result of its arguments"));
}

/* Is the result read within the region, and nowhere else? */
static bool is_inner(const struct sw_problem *problem, uint32_t buffer, uint32_t op, uint32_t last) {
    const struct sw_buffer *tensor = sw_problem_buffer(problem, buffer);
    uint32_t count = 0;
    for (uint32_t i = 0; i < tensor->access_count; i++) {
        if (tensor->accesses[i] < op || tensor->accesses[i] > last) {
            return false;
        }
        count += tensor->accesses[i] > op;
    }
    return count > 0 && tensor->last <= last && !tensor->output;
}

bool sw_fit_is_region(const struct sw_problem *problem, uint32_t first, uint32_t last, struct sw_fit_refusal *refusal) {
    if (sw_problem_core_count(problem) > 1 || sw_problem_steps(problem) != sw_problem_operator_count(problem) ||
        !sw_problem_time_is_step(problem)) {
        return sw_fit_refuse(refusal, first,
                             "the model runs on several cores, or its time steps are not its operators");
    }
    for (uint32_t op = first; op <= last; op++) {
        if (!check_strip_operator(problem, op, refusal) || !check_after(problem, first, op, refusal)) {
            return false;
        }
        const struct sw_operator *operator_ = sw_problem_operator(problem, op);
        uint32_t result = operator_->outputs[0].buffer;
        if (operator_->window->axis != sw_problem_operator(problem, first)->window->axis) {
            return sw_fit_refuse(refusal, op, "its rows are another dimension than those of %.60s",
                                 sw_problem_operator(problem, first)->name);
        }
        if (sw_problem_producer(problem, result) != op) {
            return sw_fit_refuse(refusal, op, "%.60s is made by other operators, too",
                                 sw_problem_buffer(problem, result)->name);
        }
        if (op < last && !is_inner(problem, result, op, last)) {
            return sw_fit_refuse(refusal, op, "%.60s is used outside of the region, too",
                                 sw_problem_buffer(problem, result)->name);
        }
        if (op < last && is_name_result(problem, result)) {
            return sw_fit_refuse(refusal, op, "%.60s has parts, or is kept separate",
                                 sw_problem_buffer(problem, result)->name);
        }
    }
    const struct sw_operator *end = sw_problem_operator(problem, last);
    if (sw_fit_only_pads(end->window)) {
        return sw_fit_refuse(refusal, last, "it pads, and what it pads for comes behind it");
    }
    if (sw_fit_rows(problem, end->outputs[0].buffer, end->window->axis) < 2) {
        return sw_fit_refuse(refusal, last, "its result has one row");
    }
    return true;
}

uint64_t sw_fit_region_rows(const struct sw_problem *problem, uint32_t last) {
    const struct sw_operator *end = sw_problem_operator(problem, last);
    return sw_fit_rows(problem, end->outputs[0].buffer, end->window->axis);
}

bool sw_fit_same_region(const struct sw_fit_region *a, const struct sw_fit_region *b) {
    return a->first == b->first && a->last == b->last && a->strips == b->strips && a->padded == b->padded &&
           a->kept == b->kept && a->backwards == b->backwards && memcmp(a->ends, b->ends, sizeof a->ends) == 0 &&
           a->lead == b->lead && a->rows == b->rows && a->loop == b->loop;
}

int sw_fit_region_text(const struct sw_problem *problem, const struct sw_fit_region *region, char *text, size_t size) {
    const char *first = sw_problem_operator(problem, region->first)->name,
               *last = sw_problem_operator(problem, region->last)->name;
    return snprintf(text, size, "%.40s%s%.40s in %u strips%s, %s%s%s", first,
                    region->last > region->first ? " to " : "", region->last > region->first ? last : "",
                    (unsigned)region->strips, region->loop ? " by a loop" : "",
                    region->padded == SW_FIT_PAD_ALL ? "padding"
                    : region->padded                 ? "partly padding"
                                                     : "discarding",
                    region->kept ? ", rows kept" : "", region->backwards ? ", from the last" : "");
}
