/* ONNX: shapes of what moves elements about, makes them, or gathers them up. */
#include "formats/onnx/onnx.h"
#include "base/base.h"

/* A shape given as the elements of an input. */
bool onnx_shape_input(struct onnx_step *step, uint32_t i, uint32_t *rank, int64_t *dims) {
    uint64_t count;
    const union onnx_number *data = onnx_need_data(step, i, &count);
    if (!data || count > ONNX_RANK) {
        return onnx_why(step, "it has more than 16 dimensions");
    }
    for (*rank = 0; *rank < count; ++*rank) {
        dims[*rank] = data[*rank].i;
    }
    return true;
}

static bool set_open(struct onnx_step *step, int type, uint32_t rank) {
    int64_t dims[ONNX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = ONNX_OPEN;
    }
    return onnx_set(step, 0, type, rank, dims);
}

/* A shape that only the run tells, of as many axes as the input has elements: every length is open. */
static bool open_shape(struct onnx_step *step, uint32_t i, int type) {
    const struct onnx_value *in = onnx_in(step, i);
    if (!in || !in->shape.known || in->shape.rank != 1 || in->shape.dims[0] > ONNX_RANK) {
        return onnx_why(step, "it depends on values that are known only when the model runs");
    }
    return set_open(step, type, (uint32_t)in->shape.dims[0]);
}

bool onnx_shape_concat(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    int64_t dims[ONNX_RANK];
    uint32_t axis;
    if (!x || !onnx_axis(step, onnx_setting(step, "axis", 1), x->shape.rank, &axis)) {
        return false;
    }
    memcpy(dims, x->shape.dims, x->shape.rank * sizeof *dims);
    for (uint32_t i = 1; i < step->node->input_count; i++) {
        const struct onnx_value *y = onnx_need_rank(step, i);
        if (!y) {
            return false;
        }
        bool fits = y->shape.rank == x->shape.rank;
        for (uint32_t k = 0; fits && k < x->shape.rank; k++) {
            int64_t other = y->shape.dims[k];
            bool open = dims[k] == ONNX_OPEN || other == ONNX_OPEN;
            fits = k == axis || other == dims[k] || open || step->bounded;
            /* a known length closes an open one, and the smaller one of two bounds holds */
            dims[k] = k == axis ? dims[k] : open ? SW_MAX(dims[k], other) : SW_MIN(dims[k], other);
        }
        int64_t more = fits ? y->shape.dims[axis] : 0;
        if (dims[axis] == ONNX_OPEN || more == ONNX_OPEN) {
            dims[axis] = ONNX_OPEN;
        } else if (!fits || __builtin_add_overflow(dims[axis], more, &dims[axis])) {
            return onnx_why(step, "the shapes of its inputs do not fit together");
        }
    }
    return onnx_set(step, 0, x->type, x->shape.rank, dims);
}

static bool split_sizes(struct onnx_step *step, int64_t length, int64_t *sizes, uint32_t count) {
    size_t given;
    uint64_t elements = 0;
    const union onnx_number *data = NULL;
    if (onnx_in(step, 1) && !(data = onnx_need_data(step, 1, &elements))) {
        return false;
    }
    if (data || onnx_ints(step->model, step->node, "split", sizes, count, &given)) {
        for (uint64_t i = 0; data && i < elements && i < count; i++) {
            sizes[i] = data[i].i;
        }
        return (data ? elements : given) == count || onnx_why(step, "there is not one size for every output");
    }
    int64_t parts = onnx_setting(step, "num_outputs", count);
    if (parts < 1 || parts < count) {
        return onnx_why(step, "num_outputs is not the number of outputs");
    }
    int64_t part = length / parts + (length % parts != 0);
    for (uint32_t i = 0; i < count; i++) {
        int64_t rest = length - part * i;
        sizes[i] = rest < 0 ? 0 : SW_MIN(rest, part);
    }
    return true;
}

bool onnx_shape_split(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    int64_t dims[ONNX_RANK], sum = 0;
    uint32_t axis, count = step->node->output_count;
    if (!x || !onnx_axis(step, onnx_setting(step, "axis", 0), x->shape.rank, &axis)) {
        return false;
    }
    int64_t *sizes = sw_arena_new(&step->model->arena, (size_t)count + 1, sizeof *sizes);
    if (!sizes) {
        return onnx_fail_memory(step->model);
    }
    memcpy(dims, x->shape.dims, x->shape.rank * sizeof *dims);
    const struct onnx_value *given = onnx_in(step, 1);
    bool open = (given && !given->data) || x->shape.dims[axis] == ONNX_OPEN;
    if (!open && !split_sizes(step, dims[axis], sizes, count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        dims[axis] = open ? x->shape.dims[axis] : sizes[i];
        if (open && dims[axis] != ONNX_OPEN) { /* a piece is at most the whole */
            onnx_bound(step, i, axis, "Split (the whole axis)");
        } else if (!open && (sizes[i] < 0 || __builtin_add_overflow(sum, sizes[i], &sum) ||
                             (sum > x->shape.dims[axis] && !step->bounded))) {
            return onnx_why(step, "the sizes of its outputs do not add up to the input's");
        }
        if (!onnx_set(step, i, x->type, x->shape.rank, dims)) {
            return false;
        }
    }
    return true;
}

/* Of an input that is open itself: what the shape tells is known, the rest is open. */
static bool reshape_open(struct onnx_step *step, const struct onnx_value *x, int64_t *dims, uint32_t rank, bool zero) {
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] == 0 && !zero && i < x->shape.rank) {
            dims[i] = x->shape.dims[i];
        }
        dims[i] = dims[i] == -1 ? ONNX_OPEN : dims[i];
    }
    return onnx_set(step, 0, x->type, rank, dims);
}

bool onnx_shape_reshape(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    int64_t dims[ONNX_RANK];
    uint32_t rank = 0, open = SW_NONE;
    size_t given = 0;
    if (!x) {
        return false;
    }
    if (step->node->opset < 5 && onnx_ints(step->model, step->node, "shape", dims, ONNX_RANK, &given)) {
        rank = (uint32_t)given;
    } else if (!onnx_shape_input(step, 1, &rank, dims)) {
        return open_shape(step, 1, x->type);
    }
    bool zero = onnx_setting(step, "allowzero", 0) != 0;
    if (!x->shape.known) {
        return reshape_open(step, x, dims, rank, zero);
    }
    uint64_t rest = 1, all = onnx_count(&x->shape);
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] == 0 && !zero) {
            if (i >= x->shape.rank) {
                return onnx_why(step, "a 0 of the shape stands for an axis that the input lacks");
            }
            dims[i] = x->shape.dims[i];
        }
        if (dims[i] == -1 && open == SW_NONE) {
            open = i;
        } else if (dims[i] < 0 || __builtin_mul_overflow(rest, (uint64_t)dims[i], &rest)) {
            return onnx_why(step, "the shape has a negative or impossible dimension");
        }
    }
    if (open != SW_NONE) {
        bool more = rest && all % rest && step->bounded;
        dims[open] = rest ? (int64_t)(all / rest + more) : 0;
        rest *= (uint64_t)dims[open];
    }
    return rest == all || step->bounded ? onnx_set(step, 0, x->type, rank, dims)
                                        : onnx_why(step, "the shape does not have as many elements as the input");
}

bool onnx_shape_transpose(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    int64_t dims[ONNX_RANK], order[ONNX_RANK];
    size_t count;
    if (!x) {
        return false;
    }
    if (!onnx_ints(step->model, step->node, "perm", order, ONNX_RANK, &count)) {
        for (count = 0; count < x->shape.rank; count++) {
            order[count] = (int64_t)(x->shape.rank - 1 - count);
        }
    }
    if (count != x->shape.rank) {
        return onnx_why(step, "perm does not have a number for every axis");
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t axis;
        if (!onnx_axis(step, order[i], x->shape.rank, &axis)) {
            return false;
        }
        dims[i] = x->shape.dims[axis];
    }
    return onnx_set(step, 0, x->type, x->shape.rank, dims);
}

bool onnx_shape_flatten(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    if (!x) {
        return false;
    }
    int64_t axis = onnx_setting(step, "axis", 1), dims[] = {1, 1};
    axis += axis < 0 ? x->shape.rank : 0;
    if (axis < 0 || axis > x->shape.rank) {
        return onnx_why(step, "an axis lies outside of the shape");
    }
    for (uint32_t i = 0; i < x->shape.rank; i++) {
        int64_t *to = &dims[i < axis ? 0 : 1];
        if (__builtin_mul_overflow(*to, x->shape.dims[i], to)) {
            return onnx_why(step, "a dimension comes out too large");
        }
    }
    return onnx_set(step, 0, x->type, 2, dims);
}

bool onnx_shape_squeeze(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    bool marked[ONNX_RANK];
    int64_t dims[ONNX_RANK];
    uint32_t rank = 0;
    size_t count = 0;
    if (!x || !onnx_axes(step, 1, x->shape.rank, marked, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < x->shape.rank; i++) {
        bool gone = count > 0 ? marked[i] : x->shape.dims[i] == 1;
        if (gone && x->shape.dims[i] != 1 && x->shape.dims[i] != ONNX_OPEN && !step->bounded) {
            return onnx_why(step, "an axis to be squeezed is not 1 long");
        }
        if (!gone) {
            dims[rank++] = x->shape.dims[i];
        }
    }
    return onnx_set(step, 0, x->type, rank, dims);
}

bool onnx_shape_unsqueeze(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    bool marked[ONNX_RANK];
    int64_t dims[ONNX_RANK];
    size_t count = 0;
    if (!x) {
        return false;
    }
    /* Axes count in the result. Its rank follows from how many axes there are. */
    if (!onnx_ints(step->model, step->node, "axes", dims, ONNX_RANK, &count) && onnx_in(step, 1)) {
        uint64_t elements = 0;
        if (!onnx_need_data(step, 1, &elements)) {
            return false;
        }
        count = elements > ONNX_RANK ? ONNX_RANK + 1 : (size_t)elements;
    }
    if (x->shape.rank + count > ONNX_RANK) {
        return onnx_why(step, "it has more than 16 dimensions");
    }
    uint32_t rank = x->shape.rank + (uint32_t)count, from = 0;
    if (!onnx_axes(step, 1, rank, marked, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < rank; i++) {
        if (!marked[i] && from == x->shape.rank) {
            return onnx_why(step, "an axis is named twice");
        }
        dims[i] = marked[i] ? 1 : x->shape.dims[from++];
    }
    return onnx_set(step, 0, x->type, rank, dims);
}

/* ---- slices ---- */

bool onnx_slice_of(struct onnx_step *step, const struct onnx_shape *x, int64_t *starts, int64_t *strides,
                   int64_t *dims) {
    int64_t lists[4][ONNX_RANK]; /* starts, ends, axes, steps */
    static const char *const names[] = {"starts", "ends", "axes", "steps"};
    bool given[4];
    size_t counts[4] = {0};
    for (uint32_t k = 0; k < 4; k++) {
        given[k] = onnx_ints(step->model, step->node, names[k], lists[k], ONNX_RANK, &counts[k]);
        uint32_t rank = 0;
        if (!given[k] && onnx_in(step, k + 1)) {
            if (!onnx_shape_input(step, k + 1, &rank, lists[k])) {
                return false;
            }
            counts[k] = rank;
            given[k] = true;
        }
        if (given[k] ? counts[k] != counts[0] : k < 2) {
            return onnx_why(step, "starts, ends, axes and steps are not equally many");
        }
    }
    for (uint32_t i = 0; i < x->rank; i++) {
        starts[i] = 0;
        strides[i] = 1;
        dims[i] = x->dims[i];
    }
    for (size_t i = 0; i < counts[0]; i++) {
        uint32_t axis;
        if (!onnx_axis(step, given[2] ? lists[2][i] : (int64_t)i, x->rank, &axis)) {
            return false;
        }
        int64_t stride = given[3] ? lists[3][i] : 1, length = x->dims[axis];
        int64_t start = lists[0][i], end = lists[1][i];
        if (stride == 0 || stride == INT64_MIN) {
            return onnx_why(step, "a step is out of range");
        }
        if (length == ONNX_OPEN) {
            if (start >= 0 && end >= 0 && end < INT64_C(1) << 31 && stride > 0) {
                dims[axis] = end > start ? (end - start - 1) / stride + 1 : 0;
                onnx_bound(step, 0, axis, "Slice (from its start to its end)");
            }
            continue;
        }
        start += start < 0 ? length : 0;
        end += end < 0 ? length : 0;
        int64_t low = stride < 0 ? -1 : 0, high = stride < 0 ? length - 1 : length;
        start = start < 0 ? 0 : start > high ? high : start;
        end = end < low ? low : end > length ? length : end;
        int64_t span = stride > 0 ? end - start : start - end;
        int64_t size = stride > 0 ? stride : -stride;
        starts[axis] = start < 0 ? 0 : start;
        strides[axis] = stride;
        dims[axis] = span > 0 ? (span - 1) / size + 1 : 0;
    }
    return true;
}

/* If only the run tells the ends of a slice, it is at most the whole axis. If only the run tells which axes, that is
 * so for every axis that it may mean. */
static bool slice_at_most(struct onnx_step *step, const struct onnx_value *x) {
    bool marked[ONNX_RANK];
    int64_t axes[ONNX_RANK];
    uint32_t rank = 0, axis;
    const struct onnx_value *starts = onnx_in(step, 1);
    bool told = onnx_in(step, 3) && onnx_shape_input(step, 3, &rank, axes);
    uint32_t first = starts && starts->shape.known && starts->shape.rank == 1 &&
                             starts->shape.dims[0] < x->shape.rank && !onnx_in(step, 3)
                         ? (uint32_t)starts->shape.dims[0]
                         : x->shape.rank;
    for (uint32_t i = 0; i < ONNX_RANK; i++) {
        marked[i] = !told && i < first;
    }
    for (uint32_t i = 0; i < rank && told; i++) {
        if (!onnx_axis(step, axes[i], x->shape.rank, &axis)) {
            return false;
        }
        marked[axis] = true;
    }
    for (uint32_t i = 0; i < x->shape.rank; i++) {
        if (marked[i] && x->shape.dims[i] != ONNX_OPEN) {
            onnx_bound(step, 0, i, "Slice (the whole axis)");
        }
    }
    return onnx_set_like(step, 0, x, x->type);
}

/* Are the ends given as inputs that only the run knows? */
static bool slice_open(const struct onnx_step *step) {
    bool open = false;
    for (uint32_t i = 1; i < 5; i++) {
        const struct onnx_value *in = onnx_in(step, i);
        open |= in && !in->data;
    }
    return open;
}

bool onnx_shape_slice(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    int64_t starts[ONNX_RANK], strides[ONNX_RANK], dims[ONNX_RANK];
    if (!x || slice_open(step)) {
        return x && slice_at_most(step, x);
    }
    return onnx_slice_of(step, &x->shape, starts, strides, dims) && onnx_set(step, 0, x->type, x->shape.rank, dims);
}

/* ---- gathering ---- */

bool onnx_shape_gather(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0), *at = onnx_need_rank(step, 1);
    int64_t dims[3 * ONNX_RANK];
    uint32_t axis, rank = 0;
    if (!x || !at || !onnx_axis(step, onnx_setting(step, "axis", 0), x->shape.rank, &axis)) {
        return false;
    }
    for (uint32_t i = 0; i < x->shape.rank; i++) {
        if (i != axis) {
            dims[rank++] = x->shape.dims[i];
            continue;
        }
        for (uint32_t k = 0; k < at->shape.rank; k++) {
            dims[rank++] = at->shape.dims[k];
        }
    }
    return onnx_set(step, 0, x->type, rank, dims);
}

bool onnx_shape_gather_elements(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0), *at = onnx_need_rank(step, 1);
    return x && at && onnx_set_like(step, 0, at, x->type);
}

bool onnx_shape_gather_nd(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0), *at = onnx_need(step, 1);
    int64_t dims[2 * ONNX_RANK], batch = onnx_setting(step, "batch_dims", 0);
    uint32_t rank = 0;
    if (!x || !at) {
        return false;
    }
    int64_t depth = at->shape.rank > 0 ? at->shape.dims[at->shape.rank - 1] : -1;
    if (depth < 0 || batch < 0 || depth > x->shape.rank || batch + depth > x->shape.rank) {
        return onnx_why(step, "the indices have more parts than the input has axes");
    }
    for (uint32_t i = 0; i + 1 < at->shape.rank; i++) {
        dims[rank++] = at->shape.dims[i];
    }
    for (uint32_t i = (uint32_t)(batch + depth); i < x->shape.rank; i++) {
        dims[rank++] = x->shape.dims[i];
    }
    return onnx_set(step, 0, x->type, rank, dims);
}

/* ---- making ---- */

bool onnx_shape_shape(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    if (!x) {
        return false;
    }
    int64_t rank = x->shape.rank, start = onnx_setting(step, "start", 0);
    int64_t end = onnx_setting(step, "end", rank);
    start += start < 0 ? rank : 0;
    end += end < 0 ? rank : 0;
    start = start < 0 ? 0 : start > rank ? rank : start;
    end = end < 0 ? 0 : end > rank ? rank : end;
    int64_t count = end > start ? end - start : 0;
    return onnx_set(step, 0, ONNX_INT64, 1, &count);
}

bool onnx_shape_size(struct onnx_step *step) {
    return onnx_need(step, 0) && onnx_set(step, 0, ONNX_INT64, 0, NULL);
}

bool onnx_shape_constant(struct onnx_step *step) {
    static const struct {
        const char *name;
        int type;
        bool list;
    } forms[] = {{"value_float", ONNX_FLOAT, false},
                 {"value_floats", ONNX_FLOAT, true},
                 {"value_int", ONNX_INT64, false},
                 {"value_ints", ONNX_INT64, true}};
    struct onnx_attribute given;
    struct onnx_value *out = onnx_out(step, 0), tensor = {.type = ONNX_NONE};
    struct sw_pb_bytes name;
    if (out && onnx_attribute(step->model, step->node, "value", &given) && given.t.at) {
        if (!onnx_tensor(step->model, given.t, &tensor, &name)) {
            return false;
        }
        out->type = tensor.type;
        out->shape = tensor.shape;
        out->data = tensor.data;
        return true;
    }
    for (size_t i = 0; out && i < sizeof forms / sizeof *forms; i++) {
        if (!onnx_attribute(step->model, step->node, forms[i].name, &given)) {
            continue;
        }
        size_t count = 1;
        union onnx_number *one = sw_arena_new(&step->model->arena, 1, sizeof *one);
        const union onnx_number *data = one;
        if (!one) {
            return onnx_fail_memory(step->model);
        }
        if (forms[i].list) {
            data = onnx_list(step->model, &given, forms[i].type == ONNX_FLOAT, &count);
        } else if (forms[i].type == ONNX_FLOAT) {
            one->f = (double)given.f;
        } else {
            one->i = given.i;
        }
        int64_t length = (int64_t)count;
        out->data = data;
        return data ? onnx_set(step, 0, forms[i].type, forms[i].list, &length) : onnx_why(step, "its list is too long");
    }
    if (onnx_attribute(step->model, step->node, "value_string", &given)) {
        return onnx_set(step, 0, ONNX_STRING, 0, NULL);
    }
    if (onnx_attribute(step->model, step->node, "value_strings", &given)) {
        int64_t texts = onnx_count_texts(&given);
        return onnx_set(step, 0, ONNX_STRING, 1, &texts);
    }
    return onnx_why(step, "it has no value of a kind that is known here");
}

bool onnx_shape_constant_of_shape(struct onnx_step *step) {
    int64_t dims[ONNX_RANK];
    uint32_t rank = 0;
    struct onnx_attribute given;
    struct onnx_value tensor = {.type = ONNX_FLOAT};
    struct sw_pb_bytes name;
    if (onnx_attribute(step->model, step->node, "value", &given) && given.t.at &&
        !onnx_tensor(step->model, given.t, &tensor, &name)) {
        return false;
    }
    return onnx_shape_input(step, 0, &rank, dims) ? onnx_set(step, 0, tensor.type, rank, dims)
                                                  : open_shape(step, 0, tensor.type);
}

bool onnx_shape_expand(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    int64_t dims[ONNX_RANK];
    uint32_t rank = 0;
    if (!x || !onnx_shape_input(step, 1, &rank, dims)) {
        return x && open_shape(step, 1, x->type);
    }
    return onnx_broadcast(step, &x->shape, &rank, dims) && onnx_set(step, 0, x->type, rank, dims);
}

bool onnx_shape_tile(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    int64_t dims[ONNX_RANK];
    uint32_t rank = 0;
    if (!x || !onnx_shape_input(step, 1, &rank, dims)) {
        return x && open_shape(step, 1, x->type);
    }
    if (rank != x->shape.rank) {
        return onnx_why(step, "there is not one factor for every axis");
    }
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] < 0 || __builtin_mul_overflow(dims[i], x->shape.dims[i], &dims[i])) {
            return onnx_why(step, "a factor is negative or too large");
        }
    }
    return onnx_set(step, 0, x->type, rank, dims);
}

bool onnx_shape_pad(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    int64_t pads[2 * ONNX_RANK], dims[ONNX_RANK];
    bool marked[ONNX_RANK];
    size_t count = 0, axes = 0;
    if (!x) {
        return false;
    }
    if (!onnx_ints(step->model, step->node, "pads", pads, 2 * ONNX_RANK, &count) &&
        !onnx_ints(step->model, step->node, "paddings", pads, 2 * ONNX_RANK, &count)) {
        uint64_t elements;
        const union onnx_number *data = onnx_need_data(step, 1, &elements);
        for (; data && count < elements && count < 2 * ONNX_RANK; count++) {
            pads[count] = data[count].i;
        }
        if (!data) {
            return onnx_in(step, 1) && set_open(step, x->type, x->shape.rank); /* by how much, only the run knows */
        }
    }
    if (!onnx_axes(step, 3, x->shape.rank, marked, &axes)) {
        return false;
    }
    memcpy(dims, x->shape.dims, x->shape.rank * sizeof *dims);
    axes = axes ? axes : x->shape.rank;
    if (count != 2 * axes) {
        return onnx_why(step, "pads does not have two numbers for every axis");
    }
    uint64_t elements = 0;
    const union onnx_number *order = onnx_in(step, 3) ? onnx_need_data(step, 3, &elements) : NULL;
    for (uint32_t i = 0; i < axes; i++) {
        uint32_t axis = i;
        if (order && i < elements && !onnx_axis(step, order[i].i, x->shape.rank, &axis)) {
            return false;
        }
        if (__builtin_add_overflow(dims[axis], pads[i], &dims[axis]) ||
            __builtin_add_overflow(dims[axis], pads[axes + i], &dims[axis])) {
            return onnx_why(step, "a dimension comes out too large");
        }
    }
    return onnx_set(step, 0, x->type, x->shape.rank, dims);
}

bool onnx_shape_range(struct onnx_step *step) {
    double ends[3];
    int type = ONNX_NONE;
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t count;
        const struct onnx_value *end = onnx_need(step, i);
        if (end && !end->data) {
            int64_t open = ONNX_OPEN;
            return onnx_set(step, 0, end->type, 1, &open);
        }
        const union onnx_number *data = onnx_need_data(step, i, &count);
        if (!data || count != 1) {
            return onnx_why(step, "start, limit or step is no single number");
        }
        type = onnx_in(step, i)->type;
        ends[i] = onnx_is_float(type) ? data->f : (double)data->i;
    }
    double count = ceil((ends[1] - ends[0]) / ends[2]);
    if (isnan(count) || count > (double)(INT64_C(1) << 60)) {
        return onnx_why(step, "start, limit and step do not make a list");
    }
    int64_t length = count > 0 ? (int64_t)count : 0;
    return onnx_set(step, 0, type, 1, &length);
}

bool onnx_shape_one_hot(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0), *values = onnx_in(step, 2);
    uint64_t count;
    const struct onnx_value *given = x ? onnx_need(step, 1) : NULL;
    bool open = given && !given->data;
    const union onnx_number *depth = given && !open ? onnx_need_data(step, 1, &count) : NULL;
    int64_t dims[ONNX_RANK + 1];
    uint32_t axis, from = 0;
    if (!given || (!open && count != 1) || !values || x->shape.rank >= ONNX_RANK ||
        !onnx_axis(step, onnx_setting(step, "axis", -1), x->shape.rank + 1, &axis)) {
        return onnx_why(step, "depth is no single number");
    }
    bool real = onnx_is_float(given->type);
    int64_t length = open ? ONNX_OPEN : real ? (depth->f >= 0 && depth->f < 1e15 ? (int64_t)depth->f : -1) : depth->i;
    for (uint32_t i = 0; i <= x->shape.rank; i++) {
        dims[i] = i == axis ? length : x->shape.dims[from++];
    }
    return onnx_set(step, 0, values->type, x->shape.rank + 1, dims);
}

/* ---- gathering up ---- */

bool onnx_shape_reduce(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    bool marked[ONNX_RANK], keep = onnx_setting(step, "keepdims", 1) != 0;
    int64_t dims[ONNX_RANK];
    uint32_t rank = 0;
    size_t count = 0;
    if (!x || !onnx_axes(step, 1, x->shape.rank, marked, &count)) {
        return false;
    }
    bool all = count == 0 && !onnx_setting(step, "noop_with_empty_axes", 0);
    for (uint32_t i = 0; i < x->shape.rank; i++) {
        bool gone = all || marked[i];
        if (!gone || keep) {
            dims[rank++] = gone ? 1 : x->shape.dims[i];
        }
    }
    return onnx_set(step, 0, x->type, rank, dims);
}

bool onnx_shape_arg(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    int64_t dims[ONNX_RANK];
    uint32_t axis, rank = 0;
    bool keep = onnx_setting(step, "keepdims", 1) != 0;
    if (!x || !onnx_axis(step, onnx_setting(step, "axis", 0), x->shape.rank, &axis)) {
        return false;
    }
    for (uint32_t i = 0; i < x->shape.rank; i++) {
        if (i != axis || keep) {
            dims[rank++] = i == axis ? 1 : x->shape.dims[i];
        }
    }
    return onnx_set(step, 0, ONNX_INT64, rank, dims);
}

bool onnx_shape_multinomial(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    if (!x || x->shape.rank != 2) {
        return onnx_why(step, "the input is no matrix");
    }
    return onnx_set_lengths(step, 0, onnx_type_setting(step, "dtype", ONNX_INT32), x->shape.dims[0],
                            onnx_setting(step, "sample_size", 1));
}

/* Samples at the places of a grid [n, h, w, 2]. */
bool onnx_shape_grid_sample(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0), *grid = onnx_need(step, 1);
    int64_t dims[ONNX_RANK];
    if (!x || !grid || x->shape.rank < 3 || grid->shape.rank != x->shape.rank) {
        return onnx_why(step, "input and grid have different ranks");
    }
    memcpy(dims, grid->shape.dims, x->shape.rank * sizeof *dims);
    memmove(dims + 2, dims + 1, (x->shape.rank - 2) * sizeof *dims);
    dims[0] = x->shape.dims[0];
    dims[1] = x->shape.dims[1];
    return onnx_set(step, 0, x->type, x->shape.rank, dims);
}
