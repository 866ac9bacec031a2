/* ONNX: values computed before the run. Shapes travel through models as small tensors of integers,
 * now and then by way of floats; whatever is known is computed here, and so Reshape, Slice or
 * Resize know what they make. What cannot be computed simply stays unknown. */
#include "formats/onnx/onnx.h"
#include "base/base.h"

/* An input, if its elements are known; NULL otherwise. */
static const struct onnx_value *known_input(const struct onnx_fold *fold, uint32_t i) {
    const struct onnx_value *value = onnx_in(fold->step, i);
    return value && value->shape.known && value->data ? value : NULL;
}

static bool is_real(const struct onnx_value *value) {
    return onnx_is_float(value->type);
}

static double as_real(const struct onnx_value *value, union onnx_number number) {
    return is_real(value) ? number.f : (double)number.i;
}

/* From one type to another. False: the number does not fit. */
static bool convert_number(const struct onnx_value *from, union onnx_number number, int type, union onnx_number *to) {
    if (onnx_is_float(type)) {
        to->f = as_real(from, number);
        return true;
    }
    if (is_real(from) && !(fabs(number.f) < 9e18)) {
        return false;
    }
    to->i = is_real(from) ? (int64_t)number.f : number.i;
    if (type == ONNX_BOOL) {
        to->i = is_real(from) ? number.f != 0 : number.i != 0;
    }
    return true;
}

/* ---- places ---- */

/* Advance a place within a shape. */
static void advance_place(const struct onnx_shape *shape, int64_t *place) {
    for (uint32_t i = shape->rank; i-- > 0;) {
        if (++place[i] < shape->dims[i]) {
            return;
        }
        place[i] = 0;
    }
}

/* The number of an element; axes of length 1 are broadcast when the place has more axes or larger
 * ones. */
static uint64_t index_of_place(const struct onnx_shape *shape, uint32_t rank, const int64_t *place) {
    uint64_t index = 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        int64_t at = place[rank - shape->rank + i];
        index = index * (uint64_t)shape->dims[i] + (shape->dims[i] == 1 ? 0 : (uint64_t)at);
    }
    return index;
}

/* Can it be broadcast to a shape? */
static bool fits_shape(const struct onnx_shape *shape, const struct onnx_shape *to) {
    bool good = shape->rank <= to->rank;
    for (uint32_t i = 0; good && i < shape->rank; i++) {
        good = shape->dims[i] == 1 || shape->dims[i] == to->dims[to->rank - shape->rank + i];
    }
    return good;
}

/* ---- element by element ---- */

static double negated(double a) {
    return -a;
}

static double reciprocal(double a) {
    return 1 / a;
}

static bool of_real(enum onnx_operation operation, double a, union onnx_number *to) {
    static double (*const functions[])(double) = {
        [ONNX_NEGATE] = negated, [ONNX_MAGNITUDE] = fabs, [ONNX_FLOOR] = floor, [ONNX_CEIL] = ceil,
        [ONNX_ROUND] = rint,     [ONNX_SQRT] = sqrt,      [ONNX_EXP] = exp,     [ONNX_RECIPROCAL] = reciprocal,
        [ONNX_LOG] = log};
    bool known = operation < sizeof functions / sizeof *functions && functions[operation];
    if (known) {
        to->f = functions[operation](a);
    }
    return known;
}

static bool of_integer(enum onnx_operation operation, int64_t a, union onnx_number *to) {
    if (operation == ONNX_NEGATE || operation == ONNX_MAGNITUDE) {
        to->i = a;
        return (operation == ONNX_MAGNITUDE && a >= 0) || !__builtin_sub_overflow(0, a, &to->i);
    }
    return false;
}

/* Of two numbers; none of the three is true where one is not a number. */
static bool compare_as(enum onnx_operation operation, bool less, bool equal, bool more, int64_t *to) {
    *to = operation == ONNX_EQUAL        ? equal
          : operation == ONNX_LESS       ? less
          : operation == ONNX_LESS_EQUAL ? less || equal
          : operation == ONNX_MORE       ? more
                                         : more || equal;
    return operation >= ONNX_EQUAL && operation <= ONNX_MORE_EQUAL;
}

static bool reals(enum onnx_operation operation, double a, double b, union onnx_number *to) {
    if (operation > ONNX_MOST) {
        return compare_as(operation, a<b, a == b, a> b, &to->i);
    }
    to->f = operation == ONNX_ADD     ? a + b
            : operation == ONNX_SUB   ? a - b
            : operation == ONNX_MUL   ? a * b
            : operation == ONNX_DIV   ? a / b
            : operation == ONNX_MOD   ? fmod(a, b)
            : operation == ONNX_POW   ? pow(a, b)
            : operation == ONNX_LEAST ? SW_MIN(a, b)
                                      : SW_MAX(a, b);
    return operation != ONNX_NOTHING;
}

static bool integers(enum onnx_operation operation, int64_t a, int64_t b, bool like_c, int64_t *to) {
    double power;
    switch (operation) {
    case ONNX_ADD:
        return !__builtin_add_overflow(a, b, to);
    case ONNX_SUB:
        return !__builtin_sub_overflow(a, b, to);
    case ONNX_MUL:
        return !__builtin_mul_overflow(a, b, to);
    case ONNX_DIV:
        return b != 0 && b != -1 ? (*to = a / b, true) : b == -1 && !__builtin_sub_overflow(0, a, to);
    case ONNX_MOD:
        if (b == 0 || b == -1) {
            *to = 0;
            return b != 0;
        }
        *to = a % b;
        *to += *to != 0 && !like_c && (*to < 0) != (b < 0) ? b : 0;
        return true;
    case ONNX_POW:
        power = pow((double)a, (double)b);
        *to = fabs(power) < 9e15 ? (int64_t)power : 0;
        return fabs(power) < 9e15;
    default:
        *to = operation == ONNX_LEAST  ? SW_MIN(a, b)
              : operation == ONNX_MOST ? SW_MAX(a, b)
              : operation == ONNX_AND  ? a && b
              : operation == ONNX_OR   ? a || b
                                       : !a != !b;
        return operation == ONNX_LEAST || operation == ONNX_MOST || (operation >= ONNX_AND && operation <= ONNX_XOR) ||
               compare_as(operation, a<b, a == b, a> b, to);
    }
}

bool onnx_fold_binary(const struct onnx_fold *fold) {
    enum onnx_operation operation = fold->operation;
    const struct onnx_value *a = known_input(fold, 0);
    int64_t place[ONNX_RANK] = {0};
    uint32_t inputs = fold->step->node->input_count, rank = fold->out->shape.rank;
    bool like_c = onnx_setting(fold->step, "fmod", 0) != 0;
    if (!a || !fits_shape(&a->shape, &fold->out->shape)) {
        return false;
    }
    for (uint64_t i = 0; i < fold->count; i++, advance_place(&fold->out->shape, place)) {
        union onnx_number sum = a->data[index_of_place(&a->shape, rank, place)];
        for (uint32_t k = 1; k < inputs; k++) {
            const struct onnx_value *b = known_input(fold, k);
            if (!b || !fits_shape(&b->shape, &fold->out->shape)) {
                return false;
            }
            union onnx_number other = b->data[index_of_place(&b->shape, rank, place)];
            bool good = is_real(a) ? reals(operation, sum.f, as_real(b, other), &sum)
                                   : !is_real(b) && integers(operation, sum.i, other.i, like_c, &sum.i);
            if (!good) {
                return false;
            }
        }
        fold->to[i] = sum;
    }
    return true;
}

/* From one type to another, or to the same. */
bool onnx_fold_copy(const struct onnx_fold *fold) {
    const struct onnx_value *x = known_input(fold, 0);
    bool good = x && onnx_count(&x->shape) == fold->count;
    for (uint64_t i = 0; good && i < fold->count; i++) {
        good = convert_number(x, x->data[i], fold->out->type, &fold->to[i]);
    }
    return good;
}

bool onnx_fold_unary(const struct onnx_fold *fold) {
    const struct onnx_value *x = known_input(fold, 0);
    bool good = x && onnx_count(&x->shape) == fold->count;
    for (uint64_t i = 0; good && i < fold->count; i++) {
        if (fold->operation == ONNX_NOT) {
            fold->to[i].i = !x->data[i].i;
        } else {
            good = is_real(x) ? of_real(fold->operation, x->data[i].f, &fold->to[i])
                              : of_integer(fold->operation, x->data[i].i, &fold->to[i]);
        }
    }
    return good;
}

bool onnx_fold_where(const struct onnx_fold *fold) {
    const struct onnx_value *c = known_input(fold, 0), *x = known_input(fold, 1), *y = known_input(fold, 2);
    int64_t place[ONNX_RANK] = {0};
    uint32_t rank = fold->out->shape.rank;
    const struct onnx_shape *shape = &fold->out->shape;
    if (!c || !x || !y || !fits_shape(&c->shape, shape) || !fits_shape(&x->shape, shape) ||
        !fits_shape(&y->shape, shape)) {
        return false;
    }
    for (uint64_t i = 0; i < fold->count; i++, advance_place(&fold->out->shape, place)) {
        const struct onnx_value *from = c->data[index_of_place(&c->shape, rank, place)].i ? x : y;
        fold->to[i] = from->data[index_of_place(&from->shape, rank, place)];
    }
    return true;
}

bool onnx_fold_clip(const struct onnx_fold *fold) {
    const struct onnx_value *x = known_input(fold, 0), *low = onnx_in(fold->step, 1), *high = onnx_in(fold->step, 2);
    if (!x || is_real(x) || (low && !low->data) || (high && !high->data) || fold->step->node->opset < 11) {
        return false;
    }
    for (uint64_t i = 0; i < fold->count; i++) {
        int64_t v = x->data[i].i;
        v = low && onnx_count(&low->shape) && v < low->data->i ? low->data->i : v;
        v = high && onnx_count(&high->shape) && v > high->data->i ? high->data->i : v;
        fold->to[i].i = v;
    }
    return true;
}

/* ---- moving ---- */

/* An axis, counted from the first, and how many elements lie before it and behind it. */
static int64_t split_at_axis(const struct onnx_shape *shape, int64_t axis, uint64_t *before, uint64_t *after) {
    *before = *after = 1;
    axis += axis < 0 ? shape->rank : 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        *before *= i < axis ? (uint64_t)shape->dims[i] : 1;
        *after *= i > axis ? (uint64_t)shape->dims[i] : 1;
    }
    return axis;
}

bool onnx_fold_concat(const struct onnx_fold *fold) {
    uint64_t before, after, at = 0;
    int64_t axis = split_at_axis(&fold->out->shape, onnx_setting(fold->step, "axis", 1), &before, &after);
    for (uint32_t k = 0; k < fold->step->node->input_count; k++) {
        if (!known_input(fold, k)) {
            return false;
        }
    }
    for (uint64_t row = 0; row < before && fold->count > 0; row++) {
        for (uint32_t k = 0; k < fold->step->node->input_count; k++) {
            const struct onnx_value *x = known_input(fold, k);
            uint64_t run = (uint64_t)x->shape.dims[axis] * after;
            for (uint64_t i = 0; i < run && at < fold->count; i++) {
                fold->to[at++] = x->data[row * run + i];
            }
        }
    }
    return at == fold->count;
}

bool onnx_fold_slice(const struct onnx_fold *fold) {
    const struct onnx_value *x = known_input(fold, 0);
    int64_t starts[ONNX_RANK], strides[ONNX_RANK], dims[ONNX_RANK], place[ONNX_RANK] = {0};
    if (!x || !onnx_slice_of(fold->step, &x->shape, starts, strides, dims)) {
        return false;
    }
    for (uint64_t i = 0; i < fold->count; i++, advance_place(&fold->out->shape, place)) {
        uint64_t index = 0;
        for (uint32_t k = 0; k < x->shape.rank; k++) {
            index = index * (uint64_t)x->shape.dims[k] + (uint64_t)(starts[k] + place[k] * strides[k]);
        }
        fold->to[i] = x->data[index];
    }
    return true;
}

bool onnx_fold_gather(const struct onnx_fold *fold) {
    const struct onnx_value *x = known_input(fold, 0), *at = known_input(fold, 1);
    uint64_t before, after, n = 0;
    if (!x || !at) {
        return false;
    }
    int64_t axis = split_at_axis(&x->shape, onnx_setting(fold->step, "axis", 0), &before, &after);
    int64_t length = x->shape.dims[axis];
    uint64_t picks = onnx_count(&at->shape);
    for (uint64_t row = 0; row < before && fold->count > 0; row++) {
        for (uint64_t p = 0; p < picks; p++) {
            int64_t pick = at->data[p].i;
            pick += pick < 0 ? length : 0;
            if (pick < 0 || pick >= length) {
                return false;
            }
            for (uint64_t i = 0; i < after && n < fold->count; i++) {
                fold->to[n++] = x->data[(row * (uint64_t)length + (uint64_t)pick) * after + i];
            }
        }
    }
    return n == fold->count;
}

bool onnx_fold_transpose(const struct onnx_fold *fold) {
    const struct onnx_value *x = known_input(fold, 0);
    int64_t order[ONNX_RANK], place[ONNX_RANK] = {0}, from[ONNX_RANK] = {0};
    size_t count;
    if (!x) {
        return false;
    }
    uint32_t rank = x->shape.rank;
    bool given = onnx_ints(fold->step->model, fold->step->node, "perm", order, ONNX_RANK, &count);
    for (uint64_t i = 0; i < fold->count; i++, advance_place(&fold->out->shape, place)) {
        for (uint32_t k = 0; k < rank; k++) {
            int64_t axis = given ? order[k] : (int64_t)(rank - 1 - k);
            axis += axis < 0 ? rank : 0;
            if (place[k] >= x->shape.dims[axis]) {
                return false;
            }
            from[axis] = place[k];
        }
        fold->to[i] = x->data[index_of_place(&x->shape, rank, from)];
    }
    return true;
}

/* Expand and Tile: an axis goes round as often as it fits. */
bool onnx_fold_repeat(const struct onnx_fold *fold) {
    const struct onnx_value *x = known_input(fold, 0);
    int64_t place[ONNX_RANK] = {0}, from[ONNX_RANK];
    if (!x || x->shape.rank > fold->out->shape.rank) {
        return false;
    }
    uint32_t rank = fold->out->shape.rank, skip = rank - x->shape.rank;
    for (uint64_t i = 0; i < fold->count; i++, advance_place(&fold->out->shape, place)) {
        for (uint32_t k = 0; k < x->shape.rank; k++) {
            from[k] = place[skip + k] % x->shape.dims[k];
        }
        fold->to[i] = x->data[index_of_place(&x->shape, x->shape.rank, from)];
    }
    return true;
}

bool onnx_fold_pad(const struct onnx_fold *fold) {
    const struct onnx_value *x = known_input(fold, 0), *pads = known_input(fold, 1), *fill = onnx_in(fold->step, 2);
    struct sw_pb_bytes mode = onnx_string(fold->step->model, fold->step->node, "mode");
    int64_t place[ONNX_RANK] = {0};
    if (!x || !pads || onnx_in(fold->step, 3) || (fill && !fill->data) ||
        (mode.length > 0 && !sw_pb_equal(mode, "constant"))) {
        return false;
    }
    uint32_t rank = x->shape.rank;
    if (onnx_count(&pads->shape) != 2 * (uint64_t)rank) {
        return false;
    }
    union onnx_number zero = {.i = 0};
    if (fill && onnx_count(&fill->shape) == 1) {
        zero = fill->data[0];
    } else if (is_real(x)) {
        zero.f = 0;
    }
    for (uint64_t i = 0; i < fold->count; i++, advance_place(&fold->out->shape, place)) {
        uint64_t index = 0;
        bool inside = true;
        for (uint32_t k = 0; k < rank; k++) {
            int64_t at = place[k] - pads->data[k].i;
            inside = inside && at >= 0 && at < x->shape.dims[k];
            index = index * (uint64_t)x->shape.dims[k] + (uint64_t)(inside ? at : 0);
        }
        fold->to[i] = inside ? x->data[index] : zero;
    }
    return true;
}

/* Updates of whole slices at given places; what is written twice keeps the last. */
bool onnx_fold_scatter_nd(const struct onnx_fold *fold) {
    const struct onnx_value *x = known_input(fold, 0), *at = known_input(fold, 1), *news = known_input(fold, 2);
    struct sw_pb_bytes how = onnx_string(fold->step->model, fold->step->node, "reduction");
    if (!x || !at || !news || at->shape.rank == 0 || (how.length > 0 && !sw_pb_equal(how, "none"))) {
        return false;
    }
    int64_t depth = at->shape.dims[at->shape.rank - 1];
    uint64_t run = 1;
    if (depth > x->shape.rank || depth == 0) {
        return false;
    }
    for (uint32_t i = (uint32_t)depth; i < x->shape.rank; i++) {
        run *= (uint64_t)x->shape.dims[i];
    }
    uint64_t places = onnx_count(&at->shape) / (uint64_t)depth;
    if (places * run != onnx_count(&news->shape)) {
        return false;
    }
    memcpy(fold->to, x->data, fold->count * sizeof *fold->to);
    for (uint64_t p = 0; p < places; p++) {
        uint64_t index = 0;
        for (int64_t k = 0; k < depth; k++) {
            int64_t one = at->data[p * (uint64_t)depth + (uint64_t)k].i, length = x->shape.dims[k];
            one += one < 0 ? length : 0;
            if (one < 0 || one >= length) {
                return false;
            }
            index = index * (uint64_t)length + (uint64_t)one;
        }
        memcpy(fold->to + index * run, news->data + p * run, run * sizeof *fold->to);
    }
    return true;
}

/* ---- making and gathering up ---- */

bool onnx_fold_size(const struct onnx_fold *fold) {
    uint64_t count = onnx_count(&onnx_in(fold->step, 0)->shape);
    fold->to[0].i = (int64_t)count;
    return count <= INT64_MAX;
}

bool onnx_fold_shape(const struct onnx_fold *fold) {
    const struct onnx_value *x = onnx_in(fold->step, 0);
    int64_t start = onnx_setting(fold->step, "start", 0);
    start += start < 0 ? x->shape.rank : 0;
    start = start < 0 ? 0 : start;
    bool known = true;
    for (uint64_t i = 0; i < fold->count; i++) {
        fold->to[i].i = x->shape.dims[start + (int64_t)i];
        known &= fold->to[i].i != ONNX_OPEN;
    }
    return known;
}

bool onnx_fold_fill(const struct onnx_fold *fold) {
    struct onnx_attribute given;
    struct onnx_value tensor = {.type = ONNX_NONE};
    struct sw_pb_bytes name;
    union onnx_number value = {.f = 0};
    if (onnx_attribute(fold->step->model, fold->step->node, "value", &given) && given.t.at) {
        if (!onnx_tensor(fold->step->model, given.t, &tensor, &name) || !tensor.data || onnx_count(&tensor.shape) < 1) {
            return false;
        }
        value = tensor.data[0];
    }
    for (uint64_t i = 0; i < fold->count; i++) {
        fold->to[i] = value;
    }
    return true;
}

bool onnx_fold_range(const struct onnx_fold *fold) {
    const struct onnx_value *start = known_input(fold, 0), *delta = known_input(fold, 2);
    for (uint64_t i = 0; i < fold->count && start && delta; i++) {
        if (is_real(start)) {
            fold->to[i].f = start->data->f + (double)i * delta->data->f;
        } else {
            int64_t far;
            if (__builtin_mul_overflow((int64_t)i, delta->data->i, &far) ||
                __builtin_add_overflow(start->data->i, far, &fold->to[i].i)) {
                return false;
            }
        }
    }
    return start && delta;
}

bool onnx_fold_reduce(const struct onnx_fold *fold) {
    enum onnx_operation operation = fold->operation;
    const struct onnx_value *x = known_input(fold, 0);
    bool marked[ONNX_RANK];
    size_t axes = 0;
    int64_t place[ONNX_RANK] = {0};
    if (!x || !onnx_axes(fold->step, 1, x->shape.rank, marked, &axes) || fold->count == 0) {
        return false;
    }
    bool all = axes == 0 && !onnx_setting(fold->step, "noop_with_empty_axes", 0);
    uint64_t count = onnx_count(&x->shape);
    bool *seen = sw_arena_new(&fold->step->model->arena, fold->count, sizeof *seen);
    if (!seen) {
        return onnx_fail_memory(fold->step->model);
    }
    for (uint64_t i = 0; i < count; i++, advance_place(&x->shape, place)) {
        uint64_t at = 0;
        for (uint32_t k = 0; k < x->shape.rank; k++) {
            at = all || marked[k] ? at : at * (uint64_t)x->shape.dims[k] + (uint64_t)place[k];
        }
        union onnx_number *to = &fold->to[at];
        if (!seen[at]) {
            *to = x->data[i];
        } else if (is_real(x) ? !reals(operation, to->f, x->data[i].f, to)
                              : !integers(operation, to->i, x->data[i].i, false, &to->i)) {
            return false;
        }
        seen[at] = true;
    }
    return count > 0;
}

bool onnx_fold_non_zero(const struct onnx_fold *fold) {
    const struct onnx_value *x = known_input(fold, 0);
    int64_t place[ONNX_RANK] = {0};
    if (!x) {
        return false;
    }
    uint64_t found = 0, wide = (uint64_t)fold->out->shape.dims[1], count = onnx_count(&x->shape);
    for (uint64_t i = 0; i < count; i++, advance_place(&x->shape, place)) {
        bool hit = is_real(x) ? x->data[i].f != 0 : x->data[i].i != 0;
        for (uint32_t k = 0; k < x->shape.rank && hit && found < wide; k++) {
            fold->to[k * wide + found].i = place[k];
        }
        found += hit;
    }
    return found == wide;
}

/* ---- the way of one node ---- */

/* Split has several outputs, each a run along the axis. */
bool onnx_fold_split(const struct onnx_fold *fold) {
    struct onnx_step *step = fold->step;
    const struct onnx_value *x = onnx_in(step, 0);
    uint64_t before, after, start = 0;
    if (!x || !x->data) {
        return false;
    }
    int64_t axis = split_at_axis(&x->shape, onnx_setting(fold->step, "axis", 0), &before, &after);
    uint64_t row = (uint64_t)x->shape.dims[axis] * after;
    for (uint32_t i = 0; i < step->node->output_count; i++) {
        struct onnx_value *out = onnx_out(step, i);
        if (!out || !out->shape.known) {
            break; /* where the next one begins is not known */
        }
        uint64_t run = (uint64_t)out->shape.dims[axis] * after;
        union onnx_number *to = i == 0 ? fold->to : sw_arena_new(&step->model->arena, before * run + 1, sizeof *to);
        if (!to) {
            return onnx_fail_memory(step->model);
        }
        for (uint64_t r = 0; r < before && run > 0; r++) {
            memcpy(to + r * run, x->data + r * row + start, run * sizeof *to);
        }
        out->data = to;
        start += run;
    }
    return true;
}

bool onnx_fold_nothing(const struct onnx_fold *fold) {
    (void)fold;
    return false;
}

/* Is there anything to compute it from, and is what comes out small? */
static bool may_fold(const struct onnx_fold *fold, const struct onnx_rule *rule) {
    bool known = rule->flags & ONNX_OF_SHAPE;
    for (uint32_t i = 0; i < fold->step->node->input_count && !known; i++) {
        const struct onnx_value *in = onnx_in(fold->step, i);
        known = in && in->data;
    }
    return known && fold->count <= ONNX_SMALL;
}

bool onnx_fold(struct onnx_step *step, const struct onnx_rule *rule) {
    struct onnx_fold fold = {.step = step, .out = onnx_out(step, 0), .operation = rule->operation};
    if (!fold.out || fold.out->data || !fold.out->shape.known ||
        !(onnx_is_float(fold.out->type) || onnx_is_integer(fold.out->type))) {
        return true;
    }
    fold.count = onnx_count(&fold.out->shape);
    if (!may_fold(&fold, rule)) {
        return true;
    }
    const char *why = step->why;
    fold.to = sw_arena_new(&step->model->arena, (size_t)fold.count + 1, sizeof *fold.to);
    if (!fold.to) {
        return onnx_fail_memory(step->model);
    }
    if (rule->fold(&fold)) {
        fold.out->data = fold.to;
    }
    step->why = why;
    return !step->model->failed;
}
