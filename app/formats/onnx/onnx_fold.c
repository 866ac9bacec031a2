/* ONNX: values computed before the run. Shapes travel through models as small tensors of integers,
 * now and then by way of floats; whatever is known is computed here, and so Reshape, Slice or
 * Resize know what they make. What cannot be computed simply stays unknown. */
#include "formats/onnx/onnx.h"
#include "base/minmax.h"

#include <math.h>
#include <string.h>

/* One node at work. */
struct fold {
    struct onnx_step *step;
    struct onnx_value *out;
    union onnx_number *to;
    uint64_t count; /* elements of the first output */
};

/* An input whose elements are known; NULL otherwise. */
static const struct onnx_value *known(const struct fold *fold, uint32_t i) {
    const struct onnx_value *value = onnx_in(fold->step, i);
    return value && value->shape.known && value->data ? value : NULL;
}

static bool real(const struct onnx_value *value) {
    return onnx_is_float(value->type);
}

static int64_t setting(const struct fold *fold, const char *name, int64_t otherwise) {
    return onnx_int(fold->step->model, fold->step->node, name, otherwise);
}

static bool is(const struct fold *fold, const char *kind) {
    return sw_pb_equal(fold->step->node->kind, kind);
}

static double as_real(const struct onnx_value *value, union onnx_number number) {
    return real(value) ? number.f : (double)number.i;
}

/* From one type to another. False: the number does not fit. */
static bool convert(const struct onnx_value *from, union onnx_number number, int type,
                    union onnx_number *to) {
    if (onnx_is_float(type)) {
        to->f = as_real(from, number);
        return true;
    }
    if (real(from) && !(fabs(number.f) < 9e18)) {
        return false;
    }
    to->i = real(from) ? (int64_t)number.f : number.i;
    if (type == ONNX_BOOL) {
        to->i = real(from) ? number.f != 0 : number.i != 0;
    }
    return true;
}

/* ---- places ---- */

/* Advance a place within a shape. */
static void advance(const struct onnx_shape *shape, int64_t *place) {
    for (uint32_t i = shape->rank; i-- > 0;) {
        if (++place[i] < shape->dims[i]) {
            return;
        }
        place[i] = 0;
    }
}

/* The number of an element; axes of length 1 are broadcast when the place has more axes or larger
 * ones. */
static uint64_t index_of(const struct onnx_shape *shape, uint32_t rank, const int64_t *place) {
    uint64_t index = 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        int64_t at = place[rank - shape->rank + i];
        index = index * (uint64_t)shape->dims[i] + (shape->dims[i] == 1 ? 0 : (uint64_t)at);
    }
    return index;
}

/* Can it be broadcast to a shape? */
static bool fits(const struct onnx_shape *shape, const struct onnx_shape *to) {
    bool good = shape->rank <= to->rank;
    for (uint32_t i = 0; good && i < shape->rank; i++) {
        good = shape->dims[i] == 1 || shape->dims[i] == to->dims[to->rank - shape->rank + i];
    }
    return good;
}

/* ---- element by element ---- */

static bool unary(const struct fold *fold, const struct onnx_value *x, union onnx_number a,
                  union onnx_number *to) {
    if (is(fold, "Not")) {
        to->i = !a.i;
    } else if (is(fold, "Neg") || is(fold, "Abs")) {
        bool flip = is(fold, "Neg") || (real(x) ? a.f < 0 : a.i < 0);
        if (real(x)) {
            to->f = flip ? -a.f : a.f;
        } else {
            to->i = a.i;
            return !flip || !__builtin_sub_overflow(0, a.i, &to->i);
        }
    } else if (!real(x)) {
        return false;
    } else if (is(fold, "Floor")) {
        to->f = floor(a.f);
    } else if (is(fold, "Ceil")) {
        to->f = ceil(a.f);
    } else if (is(fold, "Round")) {
        to->f = rint(a.f);
    } else if (is(fold, "Sqrt")) {
        to->f = sqrt(a.f);
    } else if (is(fold, "Reciprocal")) {
        to->f = 1 / a.f;
    } else if (is(fold, "Exp")) {
        to->f = exp(a.f);
    } else if (is(fold, "Log")) {
        to->f = log(a.f);
    } else {
        return false;
    }
    return true;
}

enum operation {
    NOTHING,
    ADD,
    SUB,
    MUL,
    DIV,
    MOD,
    POW,
    LEAST,
    MOST,
    EQUAL,
    LESS,
    LESS_EQUAL,
    MORE,
    MORE_EQUAL,
    AND,
    OR,
    XOR
};

static enum operation operation_of(struct sw_pb_bytes kind) {
    static const char *const kinds[] = {"Add",
                                        "Sub",
                                        "Mul",
                                        "Div",
                                        "Mod",
                                        "Pow",
                                        "Min",
                                        "Max",
                                        "Equal",
                                        "Less",
                                        "LessOrEqual",
                                        "Greater",
                                        "GreaterOrEqual",
                                        "And",
                                        "Or",
                                        "Xor"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (sw_pb_equal(kind, kinds[i])) {
            return (enum operation)(i + 1);
        }
    }
    return sw_pb_equal(kind, "Sum") ? ADD : NOTHING;
}

static bool reals(enum operation operation, double a, double b, union onnx_number *to) {
    switch (operation) {
    case ADD:
        to->f = a + b;
        return true;
    case SUB:
        to->f = a - b;
        return true;
    case MUL:
        to->f = a * b;
        return true;
    case DIV:
        to->f = a / b;
        return true;
    case MOD:
        to->f = fmod(a, b);
        return true;
    case POW:
        to->f = pow(a, b);
        return true;
    case LEAST:
        to->f = SW_MIN(a, b);
        return true;
    case MOST:
        to->f = SW_MAX(a, b);
        return true;
    case EQUAL:
        to->i = a == b;
        return true;
    case LESS:
        to->i = a < b;
        return true;
    case LESS_EQUAL:
        to->i = a <= b;
        return true;
    case MORE:
        to->i = a > b;
        return true;
    case MORE_EQUAL:
        to->i = a >= b;
        return true;
    default:
        return false;
    }
}

static bool integers(enum operation operation, int64_t a, int64_t b, bool like_c, int64_t *to) {
    double power;
    switch (operation) {
    case ADD:
        return !__builtin_add_overflow(a, b, to);
    case SUB:
        return !__builtin_sub_overflow(a, b, to);
    case MUL:
        return !__builtin_mul_overflow(a, b, to);
    case DIV:
        return b != 0 && b != -1 ? (*to = a / b, true)
                                 : b == -1 && !__builtin_sub_overflow(0, a, to);
    case MOD:
        if (b == 0 || b == -1) {
            *to = 0;
            return b != 0;
        }
        *to = a % b;
        *to += *to != 0 && !like_c && (*to < 0) != (b < 0) ? b : 0;
        return true;
    case POW:
        power = pow((double)a, (double)b);
        *to = fabs(power) < 9e15 ? (int64_t)power : 0;
        return fabs(power) < 9e15;
    case LEAST:
        *to = SW_MIN(a, b);
        return true;
    case MOST:
        *to = SW_MAX(a, b);
        return true;
    case EQUAL:
        *to = a == b;
        return true;
    case LESS:
        *to = a < b;
        return true;
    case LESS_EQUAL:
        *to = a <= b;
        return true;
    case MORE:
        *to = a > b;
        return true;
    case MORE_EQUAL:
        *to = a >= b;
        return true;
    case AND:
        *to = a && b;
        return true;
    case OR:
        *to = a || b;
        return true;
    case XOR:
        *to = !a != !b;
        return true;
    default:
        return false;
    }
}

static bool binary(const struct fold *fold, enum operation operation) {
    const struct onnx_value *a = known(fold, 0);
    int64_t place[ONNX_RANK] = {0};
    uint32_t inputs = fold->step->node->input_count, rank = fold->out->shape.rank;
    bool like_c = setting(fold, "fmod", 0) != 0;
    if (!a || !fits(&a->shape, &fold->out->shape)) {
        return false;
    }
    for (uint64_t i = 0; i < fold->count; i++, advance(&fold->out->shape, place)) {
        union onnx_number sum = a->data[index_of(&a->shape, rank, place)];
        for (uint32_t k = 1; k < inputs; k++) {
            const struct onnx_value *b = known(fold, k);
            if (!b || !fits(&b->shape, &fold->out->shape)) {
                return false;
            }
            union onnx_number other = b->data[index_of(&b->shape, rank, place)];
            bool good = real(a) ? reals(operation, sum.f, as_real(b, other), &sum)
                                : !real(b) && integers(operation, sum.i, other.i, like_c, &sum.i);
            if (!good) {
                return false;
            }
        }
        fold->to[i] = sum;
    }
    return true;
}

static bool each(const struct fold *fold, bool converts) {
    const struct onnx_value *x = known(fold, 0);
    if (!x || onnx_count(&x->shape) != fold->count) {
        return false;
    }
    for (uint64_t i = 0; i < fold->count; i++) {
        if (converts ? !convert(x, x->data[i], fold->out->type, &fold->to[i])
                     : !unary(fold, x, x->data[i], &fold->to[i])) {
            return false;
        }
    }
    return true;
}

static bool where(const struct fold *fold) {
    const struct onnx_value *c = known(fold, 0), *x = known(fold, 1), *y = known(fold, 2);
    int64_t place[ONNX_RANK] = {0};
    uint32_t rank = fold->out->shape.rank;
    const struct onnx_shape *shape = &fold->out->shape;
    if (!c || !x || !y || !fits(&c->shape, shape) || !fits(&x->shape, shape) ||
        !fits(&y->shape, shape)) {
        return false;
    }
    for (uint64_t i = 0; i < fold->count; i++, advance(&fold->out->shape, place)) {
        const struct onnx_value *from = c->data[index_of(&c->shape, rank, place)].i ? x : y;
        fold->to[i] = from->data[index_of(&from->shape, rank, place)];
    }
    return true;
}

static bool clip(const struct fold *fold) {
    const struct onnx_value *x = known(fold, 0), *low = onnx_in(fold->step, 1),
                            *high = onnx_in(fold->step, 2);
    if (!x || real(x) || (low && !low->data) || (high && !high->data) ||
        fold->step->node->opset < 11) {
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

static bool concat(const struct fold *fold) {
    uint64_t before = 1, after = 1, at = 0;
    int64_t axis = setting(fold, "axis", 1);
    const struct onnx_shape *shape = &fold->out->shape;
    axis += axis < 0 ? shape->rank : 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        uint64_t *to = i < axis ? &before : &after;
        *to *= i == axis ? 1 : (uint64_t)shape->dims[i];
    }
    for (uint32_t k = 0; k < fold->step->node->input_count; k++) {
        if (!known(fold, k)) {
            return false;
        }
    }
    for (uint64_t row = 0; row < before && fold->count > 0; row++) {
        for (uint32_t k = 0; k < fold->step->node->input_count; k++) {
            const struct onnx_value *x = known(fold, k);
            uint64_t run = (uint64_t)x->shape.dims[axis] * after;
            for (uint64_t i = 0; i < run && at < fold->count; i++) {
                fold->to[at++] = x->data[row * run + i];
            }
        }
    }
    return at == fold->count;
}

static bool slice(const struct fold *fold) {
    const struct onnx_value *x = known(fold, 0);
    int64_t starts[ONNX_RANK], strides[ONNX_RANK], dims[ONNX_RANK], place[ONNX_RANK] = {0};
    if (!x || !onnx_slice_of(fold->step, &x->shape, starts, strides, dims)) {
        return false;
    }
    for (uint64_t i = 0; i < fold->count; i++, advance(&fold->out->shape, place)) {
        uint64_t index = 0;
        for (uint32_t k = 0; k < x->shape.rank; k++) {
            index =
                index * (uint64_t)x->shape.dims[k] + (uint64_t)(starts[k] + place[k] * strides[k]);
        }
        fold->to[i] = x->data[index];
    }
    return true;
}

static bool gather(const struct fold *fold) {
    const struct onnx_value *x = known(fold, 0), *at = known(fold, 1);
    int64_t axis = setting(fold, "axis", 0);
    uint64_t before = 1, after = 1, n = 0;
    if (!x || !at) {
        return false;
    }
    axis += axis < 0 ? x->shape.rank : 0;
    for (uint32_t i = 0; i < x->shape.rank; i++) {
        before *= i < axis ? (uint64_t)x->shape.dims[i] : 1;
        after *= i > axis ? (uint64_t)x->shape.dims[i] : 1;
    }
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

static bool transpose(const struct fold *fold) {
    const struct onnx_value *x = known(fold, 0);
    int64_t order[ONNX_RANK], place[ONNX_RANK] = {0}, from[ONNX_RANK] = {0};
    size_t count;
    if (!x) {
        return false;
    }
    uint32_t rank = x->shape.rank;
    bool given = onnx_ints(fold->step->model, fold->step->node, "perm", order, ONNX_RANK, &count);
    for (uint64_t i = 0; i < fold->count; i++, advance(&fold->out->shape, place)) {
        for (uint32_t k = 0; k < rank; k++) {
            int64_t axis = given ? order[k] : (int64_t)(rank - 1 - k);
            axis += axis < 0 ? rank : 0;
            if (place[k] >= x->shape.dims[axis]) {
                return false;
            }
            from[axis] = place[k];
        }
        fold->to[i] = x->data[index_of(&x->shape, rank, from)];
    }
    return true;
}

/* Expand and Tile: an axis goes round as often as it fits. */
static bool repeat(const struct fold *fold) {
    const struct onnx_value *x = known(fold, 0);
    int64_t place[ONNX_RANK] = {0}, from[ONNX_RANK];
    if (!x || x->shape.rank > fold->out->shape.rank) {
        return false;
    }
    uint32_t rank = fold->out->shape.rank, skip = rank - x->shape.rank;
    for (uint64_t i = 0; i < fold->count; i++, advance(&fold->out->shape, place)) {
        for (uint32_t k = 0; k < x->shape.rank; k++) {
            from[k] = place[skip + k] % x->shape.dims[k];
        }
        fold->to[i] = x->data[index_of(&x->shape, x->shape.rank, from)];
    }
    return true;
}

static bool pad(const struct fold *fold) {
    const struct onnx_value *x = known(fold, 0), *pads = known(fold, 1),
                            *fill = onnx_in(fold->step, 2);
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
    } else if (real(x)) {
        zero.f = 0;
    }
    for (uint64_t i = 0; i < fold->count; i++, advance(&fold->out->shape, place)) {
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
static bool scatter_nd(const struct fold *fold) {
    const struct onnx_value *x = known(fold, 0), *at = known(fold, 1), *news = known(fold, 2);
    struct sw_pb_bytes how = onnx_string(fold->step->model, fold->step->node, "reduction");
    if (!x || !at || !news || at->shape.rank == 0 ||
        (how.length > 0 && !sw_pb_equal(how, "none"))) {
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

static bool shape(const struct fold *fold) {
    const struct onnx_value *x = onnx_in(fold->step, 0);
    if (is(fold, "Size")) {
        uint64_t count = onnx_count(&x->shape);
        fold->to[0].i = (int64_t)count;
        return count <= INT64_MAX;
    }
    int64_t start = setting(fold, "start", 0);
    start += start < 0 ? x->shape.rank : 0;
    start = start < 0 ? 0 : start;
    for (uint64_t i = 0; i < fold->count; i++) {
        fold->to[i].i = x->shape.dims[start + (int64_t)i];
    }
    return true;
}

static bool fill(const struct fold *fold) {
    struct onnx_attribute given;
    struct onnx_value tensor = {.type = ONNX_NONE};
    struct sw_pb_bytes name;
    union onnx_number value = {.f = 0};
    if (onnx_attribute(fold->step->model, fold->step->node, "value", &given) && given.has_t) {
        if (!onnx_tensor(fold->step->model, given.t, &tensor, &name) || !tensor.data ||
            onnx_count(&tensor.shape) < 1) {
            return false;
        }
        value = tensor.data[0];
    }
    for (uint64_t i = 0; i < fold->count; i++) {
        fold->to[i] = value;
    }
    return true;
}

static bool range(const struct fold *fold) {
    const struct onnx_value *start = known(fold, 0), *delta = known(fold, 2);
    for (uint64_t i = 0; i < fold->count && start && delta; i++) {
        if (real(start)) {
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

static bool reduce(const struct fold *fold, enum operation operation) {
    const struct onnx_value *x = known(fold, 0);
    bool marked[ONNX_RANK];
    size_t axes = 0;
    int64_t place[ONNX_RANK] = {0};
    if (!x || !onnx_axes(fold->step, 1, x->shape.rank, marked, &axes) || fold->count == 0) {
        return false;
    }
    bool all = axes == 0 && !setting(fold, "noop_with_empty_axes", 0);
    uint64_t count = onnx_count(&x->shape);
    bool *seen = sw_arena_new(&fold->step->model->arena, fold->count, sizeof *seen);
    if (!seen) {
        return onnx_fail_memory(fold->step->model);
    }
    for (uint64_t i = 0; i < count; i++, advance(&x->shape, place)) {
        uint64_t at = 0;
        for (uint32_t k = 0; k < x->shape.rank; k++) {
            at = all || marked[k] ? at : at * (uint64_t)x->shape.dims[k] + (uint64_t)place[k];
        }
        union onnx_number *to = &fold->to[at];
        if (!seen[at]) {
            *to = x->data[i];
        } else if (real(x) ? !reals(operation, to->f, x->data[i].f, to)
                           : !integers(operation, to->i, x->data[i].i, false, &to->i)) {
            return false;
        }
        seen[at] = true;
    }
    return count > 0;
}

static bool non_zero(const struct fold *fold) {
    const struct onnx_value *x = known(fold, 0);
    int64_t place[ONNX_RANK] = {0};
    if (!x) {
        return false;
    }
    uint64_t found = 0, wide = (uint64_t)fold->out->shape.dims[1], count = onnx_count(&x->shape);
    for (uint64_t i = 0; i < count; i++, advance(&x->shape, place)) {
        bool hit = real(x) ? x->data[i].f != 0 : x->data[i].i != 0;
        for (uint32_t k = 0; k < x->shape.rank && hit && found < wide; k++) {
            fold->to[k * wide + found].i = place[k];
        }
        found += hit;
    }
    return found == wide;
}

/* ---- the way of one node ---- */

static bool copies(const struct fold *fold) {
    static const char *const kinds[] = {"Identity", "Reshape",   "Flatten", "Squeeze",
                                        "Cast",     "Unsqueeze", "CastLike"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (is(fold, kinds[i])) {
            return true;
        }
    }
    return false;
}

static bool compute(const struct fold *fold) {
    static const struct {
        const char *kind;
        bool (*fold)(const struct fold *);
    } ways[] = {{"Shape", shape},      {"Size", shape},  {"ConstantOfShape", fill},
                {"Concat", concat},    {"Slice", slice}, {"Gather", gather},
                {"Where", where},      {"Range", range}, {"Transpose", transpose},
                {"Expand", repeat},    {"Tile", repeat}, {"Pad", pad},
                {"NonZero", non_zero}, {"Clip", clip},   {"ScatterND", scatter_nd}};
    static const struct {
        const char *kind;
        enum operation operation;
    } sums[] = {{"ReduceSum", ADD}, {"ReduceProd", MUL}, {"ReduceMax", MOST}, {"ReduceMin", LEAST}};
    enum operation operation = operation_of(fold->step->node->kind);
    if (operation != NOTHING) {
        return binary(fold, operation);
    }
    if (copies(fold)) {
        return each(fold, true);
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (is(fold, ways[i].kind)) {
            return ways[i].fold(fold);
        }
    }
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        if (is(fold, sums[i].kind)) {
            return reduce(fold, sums[i].operation);
        }
    }
    return each(fold, false);
}

/* Split has several outputs, each a run along the axis. */
static bool split(struct onnx_step *step) {
    const struct onnx_value *x = onnx_in(step, 0);
    int64_t axis = onnx_int(step->model, step->node, "axis", 0);
    uint64_t before = 1, after = 1, start = 0;
    if (!x || !x->data) {
        return true;
    }
    axis += axis < 0 ? x->shape.rank : 0;
    for (uint32_t i = 0; i < x->shape.rank; i++) {
        before *= i < axis ? (uint64_t)x->shape.dims[i] : 1;
        after *= i > axis ? (uint64_t)x->shape.dims[i] : 1;
    }
    uint64_t row = (uint64_t)x->shape.dims[axis] * after;
    for (uint32_t i = 0; i < step->node->output_count; i++) {
        struct onnx_value *out = onnx_out(step, i);
        if (!out || !out->shape.known) {
            return true; /* where the next one begins is not known */
        }
        uint64_t run = (uint64_t)out->shape.dims[axis] * after;
        union onnx_number *to = sw_arena_new(&step->model->arena, before * run + 1, sizeof *to);
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

bool onnx_fold(struct onnx_step *step) {
    struct fold fold = {.step = step, .out = onnx_out(step, 0)};
    if (sw_pb_equal(step->node->kind, "Split")) {
        return split(step);
    }
    if (!fold.out || fold.out->data || !fold.out->shape.known ||
        !(onnx_is_float(fold.out->type) || onnx_is_integer(fold.out->type))) {
        return true;
    }
    bool shapes = sw_pb_equal(step->node->kind, "Shape") || sw_pb_equal(step->node->kind, "Size");
    bool small = shapes;
    fold.count = onnx_count(&fold.out->shape);
    for (uint32_t i = 0; i < step->node->input_count && !small; i++) {
        const struct onnx_value *in = onnx_in(step, i);
        small = in && in->data;
    }
    if (!small || fold.count > ONNX_SMALL) {
        return true;
    }
    const char *why = step->why;
    size_t wanted = (size_t)fold.count + 1;
    fold.to = sw_arena_new(&step->model->arena, wanted, sizeof *fold.to);
    if (!fold.to) {
        return onnx_fail_memory(step->model);
    }
    if (compute(&fold)) {
        fold.out->data = fold.to;
    }
    step->why = why;
    return !step->model->failed;
}
