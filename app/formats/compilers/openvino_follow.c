/* OpenVINO's IR: which lengths that the file leaves open follow from others. Attributes are in the XML, and small
 * constants in the .bin beside it. Where that is not there, what the file does say decides: a length that it fixes does
 * not come from one that it leaves open, and the other way round. */
#include "formats/compilers/openvino.h"
#include "base/base.h"

enum { OV_MOST_RANK = 32 };

bool ov_is_one_of(const char *word, const char *words) {
    return sw_text_in((struct sw_input_text){word, strlen(word)}, words);
}

const struct ov_port *ov_source(const struct ov_net *net, const struct ov_layer *layer, size_t number) {
    uint32_t e = layer->first_edge;
    for (; e != SW_NONE && number > 0; number--) {
        e = net->edges.items[e].next;
    }
    return e == SW_NONE ? NULL : &net->ports.items[net->edges.items[e].source];
}

size_t ov_source_count(const struct ov_net *net, const struct ov_layer *layer) {
    size_t count = 0;
    for (uint32_t e = layer->first_edge; e != SW_NONE; e = net->edges.items[e].next) {
        count++;
    }
    return count;
}

bool ov_count(const struct ov_net *net, const struct ov_port *port, uint64_t *count, size_t *open) {
    *count = 1;
    *open = 0;
    bool empty = false, good = true;
    for (size_t i = 0; i < port->rank; i++) {
        int64_t length = net->dims.items[port->first_dim + i];
        *open += length == OV_OPEN;
        empty |= length == 0;
        good = good && (length <= 0 || !__builtin_mul_overflow(*count, (uint64_t)length, count));
    }
    *count = empty ? 0 : *count;
    return good || empty;
}

static int64_t dim(const struct ov_net *net, const struct ov_port *port, size_t axis) {
    return port && axis < port->rank ? net->dims.items[port->first_dim + axis] : OV_OPEN;
}

/* Does the file leave the length open? */
static bool is_axis_open(const struct ov_net *net, const struct ov_port *port, size_t axis) {
    return net->declared.items[port->first_dim + axis] == OV_OPEN;
}

static bool is_true(const struct ov_layer *layer, const char *name) {
    const char *text = ov_attribute(layer, name);
    return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

/* An axis, counted from the first; `count`: it is none. */
static size_t ov_axis(int64_t axis, size_t count) {
    axis += axis < 0 ? (int64_t)count : 0;
    return axis >= 0 && (uint64_t)axis < count ? (size_t)axis : count;
}

static size_t axis_attribute(const struct ov_layer *layer, const char *name, size_t count) {
    const char *text = ov_attribute(layer, name);
    return text ? ov_axis(strtoll(text, NULL, 10), count) : count;
}

/* Is it one number, which is known? */
static bool is_single(const struct ov_port *port) {
    return port && port->numbers && port->count == 1;
}

/* ---- kinds ---- */

const char ov_elementwise[] =
    "Abs Add Clamp Convert Cos Divide Elu Equal Erf Exp FakeQuantize Floor Gelu Greater HSigmoid HSwish Less Log "
    "LogicalAnd LogicalNot LogicalOr Maximum Minimum Mish Mod Multiply MVN Negative NotEqual PReLU Power ReLU "
    "ScaleShift Select Sigmoid Sin SoftMax Softmax SoftPlus Sqrt SquaredDifference Subtract Swish Tanh GreaterEqual "
    "LessEqual NormalizeL2 Normalize Round Ceiling LogSoftmax RMS BatchNormInference Acos Asin Atan Tan Sinh Cosh "
    "Sign SoftSign HardSigmoid Selu FloorMod LogicalXor IsNaN IsInf IsFinite BitwiseAnd BitwiseOr BitwiseXor "
    "BitwiseNot";
const char ov_reshaping[] = "Reshape Squeeze Unsqueeze Flatten";
/* The result has the first argument's shape. */
static const char same_shape_kinds[] =
    "CumSum Reverse ReverseSequence ScatterUpdate ScatterNDUpdate ScatterElementsUpdate LRN GRN GroupNormalization "
    "Roll ConvertLike ReadValue Assign Bucketize ShuffleChannels Identity";
static const char batched[] =
    "Convolution GroupConvolution ConvolutionBackpropData GroupConvolutionBackpropData MaxPool AvgPool Pooling "
    "Interpolate AdaptiveAvgPool AdaptiveMaxPool FullyConnected LSTMCell GRUCell RNNCell";

/* ---- shapes that agree ---- */

/* The length that all arguments agree on at an axis, counted from the last; one of length 1 is spread. Where one is
 * open and another one is longer than 1, that is it. */
static int64_t broadcast(const struct ov_net *net, const struct ov_layer *layer, size_t from_last, size_t least) {
    int64_t length = 1;
    bool open = false;
    for (uint32_t e = layer->first_edge; e != SW_NONE; e = net->edges.items[e].next) {
        const struct ov_port *source = &net->ports.items[net->edges.items[e].source];
        int64_t other =
            from_last < source->rank && from_last >= least ? dim(net, source, source->rank - 1 - from_last) : 1;
        open |= other == OV_OPEN;
        length = other != 1 && other != OV_OPEN ? other : length;
    }
    return open && length == 1 ? OV_OPEN : length;
}

static int64_t multiplied(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port,
                          size_t axis) {
    const struct ov_port *a = ov_source(net, layer, 0), *b = ov_source(net, layer, 1);
    size_t from_last = port->rank - 1 - axis;
    if (!a || !b || a->rank == 0 || b->rank == 0) {
        return OV_OPEN;
    }
    bool row = a->rank > 1, column = b->rank > 1;
    if (from_last == 0 && column) {
        return dim(net, b, b->rank - (is_true(layer, "transpose_b") ? 2 : 1));
    }
    if (row && from_last == (column ? 1 : 0)) {
        return dim(net, a, a->rank - (is_true(layer, "transpose_a") ? 1 : 2));
    }
    /* A batch: the dimensions before the two last. */
    return broadcast(net, layer, from_last + !row + !column, 2);
}

/* The axes that an argument says; `count` of them, each below `rank`. */
static bool axes_of(const struct ov_port *port, size_t rank, bool *marked) {
    if (!port || !port->numbers) {
        return false;
    }
    for (size_t i = 0; i < port->count; i++) {
        size_t axis = ov_axis(port->numbers[i], rank);
        if (axis == rank) {
            return false;
        }
        marked[axis] = true;
    }
    return true;
}

/* Does a result that the file says fits a length that it would come from? */
static bool fits_declared(const struct ov_net *net, const struct ov_port *port, size_t axis, const struct ov_port *from,
                          size_t other) {
    int64_t here = net->declared.items[port->first_dim + axis], there = net->declared.items[from->first_dim + other];
    return here == there;
}

/* ---- gathering ---- */

/* The length at `axis` of data[:a] + indices[batch:] + data[a + 1:]; where it comes from. */
static const struct ov_port *gathered(const struct ov_port *data, const struct ov_port *indices, size_t a, size_t batch,
                                      size_t axis, size_t *other) {
    size_t inside = indices->rank - batch;
    *other = axis < a ? axis : axis < a + inside ? axis - a + batch : axis - inside + 1;
    return axis < a || axis >= a + inside ? data : indices;
}

static int64_t follow_gather(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port,
                             size_t axis) {
    const struct ov_port *data = ov_source(net, layer, 0), *indices = ov_source(net, layer, 1),
                         *where = ov_source(net, layer, 2), *from;
    const char *text = ov_attribute(layer, "batch_dims");
    int64_t dims = text ? strtoll(text, NULL, 10) : 0, found = OV_OPEN;
    if (!data || !indices || data->rank == 0) {
        return OV_OPEN;
    }
    size_t batch = (size_t)(dims < 0 ? dims + (int64_t)indices->rank : dims), other, fitting = 0;
    if (batch > indices->rank || batch > data->rank || port->rank != data->rank - 1 + indices->rank - batch) {
        return OV_OPEN;
    }
    size_t fixed =
        is_single(where) ? ov_axis(where->numbers[0], data->rank) : axis_attribute(layer, "axis", data->rank);
    for (size_t a = batch; a < data->rank; a++) {
        bool good = fixed == data->rank || fixed == a;
        for (size_t i = 0; good && fixed == data->rank && i < port->rank; i++) {
            from = gathered(data, indices, a, batch, i, &other);
            good = fits_declared(net, port, i, from, other);
        }
        if (good) {
            from = gathered(data, indices, a, batch, axis, &other);
            int64_t length = dim(net, from, other);
            if (fitting++ > 0 && length != found) {
                return OV_OPEN;
            }
            found = length;
        }
    }
    return found;
}

static int64_t gather_nd(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port,
                         size_t axis) {
    const struct ov_port *data = ov_source(net, layer, 0), *indices = ov_source(net, layer, 1);
    const char *text = ov_attribute(layer, "batch_dims");
    size_t batch = text ? (size_t)strtoull(text, NULL, 10) : 0;
    if (!data || !indices || indices->rank == 0 || batch > 1) {
        return OV_OPEN;
    }
    if (axis + 1 < indices->rank) {
        return dim(net, indices, axis);
    }
    int64_t depth = dim(net, indices, indices->rank - 1);
    return depth < 0 || port->rank > data->rank + indices->rank
               ? OV_OPEN
               : dim(net, data, batch + (size_t)depth + axis - (indices->rank - 1));
}

/* ---- dimensions in another order, or fewer of them ---- */

/* The order is known, or all open lengths are equal, or else they keep their order: a batch stays before a sequence. */
static int64_t transpose(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port,
                         size_t axis) {
    const struct ov_port *from = ov_source(net, layer, 0), *order = ov_source(net, layer, 1);
    if (!from || from->rank != port->rank) {
        return OV_OPEN;
    }
    if (order && order->numbers && order->count == port->rank) {
        return dim(net, from, ov_axis(order->numbers[axis], from->rank));
    }
    size_t number = 0;
    for (size_t i = 0; i < axis; i++) {
        number += is_axis_open(net, port, i);
    }
    for (size_t i = 0; i < from->rank; i++) {
        if (is_axis_open(net, from, i) && number-- == 0) {
            return dim(net, from, i);
        }
    }
    return OV_OPEN;
}

/* Where the dimensions of a smaller result come from when each is one of a larger shape, in order: all ways that fit
 * what the file says must agree. `ways` counts steps, which are few. */
static bool align(const struct ov_net *net, const struct ov_port *port, size_t at, const struct ov_port *from,
                  size_t other, size_t axis, int64_t length, int64_t *found, unsigned *ways) {
    if (at == port->rank) {
        bool agrees = *found == OV_OPEN || *found == length;
        *found = length;
        return agrees;
    }
    if (++*ways > 2000) {
        return false;
    }
    for (; from->rank - other >= port->rank - at && other < from->rank; other++) {
        if (fits_declared(net, port, at, from, other) &&
            !align(net, port, at + 1, from, other + 1, axis, at == axis ? dim(net, from, other) : length, found,
                   ways)) {
            return false;
        }
    }
    return true;
}

static int64_t fewer(const struct ov_net *net, const struct ov_port *port, const struct ov_port *from, size_t axis) {
    int64_t found = OV_OPEN;
    unsigned ways = 0;
    return port->rank <= from->rank && align(net, port, 0, from, 0, axis, OV_OPEN, &found, &ways) ? found : OV_OPEN;
}

/* Without the axes that are marked; they are kept with length 1 where the ranks are equal. */
static int64_t without(const struct ov_net *net, const struct ov_port *port, const struct ov_port *from,
                       const bool *marked, size_t axis) {
    if (port->rank == from->rank) {
        return marked[axis] ? 1 : dim(net, from, axis);
    }
    for (size_t i = 0; i < from->rank; i++) {
        if (!marked[i] && axis-- == 0) {
            return dim(net, from, i);
        }
    }
    return OV_OPEN;
}

static int64_t reduce(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port, size_t axis) {
    const struct ov_port *from = ov_source(net, layer, 0);
    bool marked[OV_MOST_RANK] = {false};
    if (axes_of(ov_source(net, layer, 1), from->rank, marked)) {
        return without(net, port, from, marked, axis);
    }
    return port->rank == from->rank ? dim(net, from, axis) : fewer(net, port, from, axis);
}

/* ---- other shapes of the same elements ---- */

static int64_t target(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port, size_t axis) {
    const struct ov_port *from = ov_source(net, layer, 0), *shape = ov_source(net, layer, 1);
    uint64_t all, rest = 1;
    size_t open;
    if (!shape || !shape->numbers || shape->count != port->rank) {
        return OV_OPEN;
    }
    bool copies = is_true(layer, "special_zero");
    if (shape->numbers[axis] > 0 || (shape->numbers[axis] == 0 && !copies)) {
        return shape->numbers[axis];
    }
    if (shape->numbers[axis] == 0) {
        return dim(net, from, axis);
    }
    for (size_t i = 0; i < port->rank; i++) {
        int64_t length = i == axis ? 1 : shape->numbers[i] == 0 && copies ? dim(net, from, i) : shape->numbers[i];
        if (length <= 0 || __builtin_mul_overflow(rest, (uint64_t)length, &rest)) {
            return OV_OPEN;
        }
    }
    return ov_count(net, from, &all, &open) && open == 0 && all % rest == 0 && all / rest <= UINT64_C(1) << 60
               ? (int64_t)(all / rest)
               : OV_OPEN;
}

/* As many open lengths as before keep their order when the others have as many elements. */
static int64_t reshape(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port,
                       size_t axis) {
    const struct ov_port *from = ov_source(net, layer, 0);
    uint64_t all, rest, fixed = 1, other = 1;
    size_t open, own, here = 0, there = 0, number = 0;
    int64_t length = strcmp(layer->kind, "Reshape") == 0 ? target(net, layer, port, axis) : OV_OPEN;
    if (length != OV_OPEN || !from) {
        return length;
    }
    if (ov_count(net, from, &all, &open) && open == 0 && ov_count(net, port, &rest, &own) && own == 1 && rest > 0 &&
        all % rest == 0 && all / rest <= UINT64_C(1) << 60) {
        return (int64_t)(all / rest);
    }
    for (size_t i = 0; i < port->rank; i++) {
        int64_t declared = net->declared.items[port->first_dim + i];
        number += i < axis && declared == OV_OPEN;
        here += declared == OV_OPEN;
        if (declared > 0 && __builtin_mul_overflow(fixed, (uint64_t)declared, &fixed)) {
            return OV_OPEN;
        }
    }
    for (size_t i = 0; i < from->rank; i++) {
        int64_t declared = net->declared.items[from->first_dim + i];
        length = declared == OV_OPEN && there == number ? dim(net, from, i) : length;
        there += declared == OV_OPEN;
        if (declared > 0 && __builtin_mul_overflow(other, (uint64_t)declared, &other)) {
            return OV_OPEN;
        }
    }
    return here == there && fixed == other ? length : OV_OPEN;
}

/* ---- parts ---- */

static int64_t concat(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port, size_t axis) {
    size_t count = ov_source_count(net, layer), joined = axis_attribute(layer, "axis", port->rank);
    int64_t sum = 0;
    if (joined == port->rank) {
        return OV_OPEN;
    }
    for (uint32_t e = layer->first_edge; e != SW_NONE; e = net->edges.items[e].next) {
        int64_t length = dim(net, &net->ports.items[net->edges.items[e].source], axis);
        if (axis != joined) {
            sum = length != OV_OPEN ? length : sum; /* all are alike */
            count -= length == OV_OPEN;
        } else if (length == OV_OPEN || __builtin_add_overflow(sum, length, &sum)) {
            return OV_OPEN;
        }
    }
    return count > 0 ? sum : OV_OPEN;
}

static int64_t follow_split(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port,
                            size_t axis) {
    const struct ov_port *from = ov_source(net, layer, 0), *where = ov_source(net, layer, 1),
                         *lengths = ov_source(net, layer, 2);
    const char *parts = ov_attribute(layer, "num_splits");
    if (!from || from->rank != port->rank) {
        return OV_OPEN;
    }
    size_t cutting = is_single(where) ? ov_axis(where->numbers[0], port->rank) : port->rank;
    for (size_t i = 0; cutting == port->rank && i < port->rank; i++) {
        cutting = fits_declared(net, port, i, from, i) ? cutting : i;
    }
    if (cutting == port->rank) {
        return OV_OPEN;
    }
    int64_t whole = dim(net, from, axis), number = 0;
    if (axis != cutting || whole == OV_OPEN) {
        return whole;
    }
    if (parts) {
        int64_t count = strtoll(parts, NULL, 10);
        return count > 0 ? whole / count : OV_OPEN;
    }
    for (uint32_t p = layer->first_port; p != SW_NONE && &net->ports.items[p] != port; p = net->ports.items[p].next) {
        number++;
    }
    return lengths && lengths->numbers && (uint64_t)number < lengths->count && lengths->numbers[number] >= 0
               ? lengths->numbers[number]
               : OV_OPEN;
}

/* One axis of a slice: from `low` to `high` by `step`. */
static int64_t slice_extent(int64_t whole, int64_t low, int64_t high, int64_t step) {
    if (step <= 0) {
        return OV_OPEN;
    }
    low = SW_MIN(SW_MAX(low < 0 ? low + whole : low, 0), whole);
    high = SW_MIN(SW_MAX(high < 0 ? high + whole : high, 0), whole);
    return high > low ? (high - low - 1) / step + 1 : 0;
}

static bool masked(const struct ov_layer *layer, const char *name, size_t at) {
    const char *mask = ov_attribute(layer, name);
    for (; mask && at > 0; at--) {
        mask = strchr(mask, ',');
        mask = mask ? mask + 1 : NULL;
    }
    return mask && mask[strspn(mask, " \t\r\n")] == '1';
}

static bool mask_has(const struct ov_layer *layer, const char *name) {
    const char *mask = ov_attribute(layer, name);
    return mask && strchr(mask, '1');
}

/* A slice is at most as long as what it is cut from; exact where begin and end are known. */
static int64_t follow_slice(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port,
                            size_t axis, bool *bound) {
    const struct ov_port *from = ov_source(net, layer, 0), *begin = ov_source(net, layer, 1),
                         *end = ov_source(net, layer, 2), *step = ov_source(net, layer, 3),
                         *axes = ov_source(net, layer, 4);
    bool strided = strcmp(layer->kind, "StridedSlice") == 0;
    if (!from) {
        return OV_OPEN;
    }
    bool moved =
        mask_has(layer, "new_axis_mask") || mask_has(layer, "shrink_axis_mask") || mask_has(layer, "ellipsis_mask");
    if (moved || from->rank != port->rank) {
        int64_t length = port->rank < from->rank ? fewer(net, port, from, axis) : OV_OPEN;
        *bound = length != OV_OPEN;
        return length;
    }
    int64_t whole = dim(net, from, axis);
    size_t at = axis;
    if (!strided && axes && axes->numbers) {
        for (at = 0; at < axes->count && ov_axis(axes->numbers[at], port->rank) != axis; at++) {
        }
        if (at == axes->count) {
            return whole; /* not cut here */
        }
    }
    bool known = whole != OV_OPEN && begin && end && (!step || step->numbers);
    bool low = known && (masked(layer, "begin_mask", at) || begin->numbers);
    bool high = known && (masked(layer, "end_mask", at) || end->numbers);
    if (low && high && (axes ? axes->numbers != NULL : true)) {
        bool first = strided && masked(layer, "begin_mask", at), last = strided && masked(layer, "end_mask", at);
        if ((!first && at >= begin->count) || (!last && at >= end->count)) {
            return whole;
        }
        int64_t by = step && at < step->count ? step->numbers[at] : 1;
        return slice_extent(whole, first ? 0 : begin->numbers[at], last ? INT64_MAX : end->numbers[at], by);
    }
    *bound = whole != OV_OPEN;
    return whole;
}

/* ---- the rest ---- */

/* "bhid,bhjd->bhij": the length of a letter is the same everywhere. */
static int64_t einsum(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port, size_t axis) {
    (void)port;
    const char *text = ov_attribute(layer, "equation"), *arrow = text ? strstr(text, "->") : NULL;
    if (!arrow || strchr(text, '.') || strchr(text, ' ') || axis >= strlen(arrow + 2)) {
        return OV_OPEN;
    }
    char letter = arrow[2 + axis];
    for (size_t i = 0;; i++) {
        const char *stop = text + strcspn(text, ",-"), *found = memchr(text, letter, (size_t)(stop - text));
        if (found) {
            return dim(net, ov_source(net, layer, i), (size_t)(found - text));
        }
        if (stop >= arrow) {
            return OV_OPEN;
        }
        text = stop + 1;
    }
}

static int64_t spread(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port, size_t axis) {
    const struct ov_port *from = ov_source(net, layer, 0), *shape = ov_source(net, layer, 1);
    if (!from || !shape || !shape->numbers || shape->count > port->rank) {
        return OV_OPEN;
    }
    size_t from_last = port->rank - 1 - axis;
    int64_t own = from_last < from->rank ? dim(net, from, from->rank - 1 - from_last) : 1;
    int64_t wanted = from_last < shape->count ? shape->numbers[shape->count - 1 - from_last] : 1;
    if (strcmp(layer->kind, "Tile") == 0) {
        return own == OV_OPEN || wanted < 0 || __builtin_mul_overflow(own, wanted, &own) ? OV_OPEN : own;
    }
    const char *mode = ov_attribute(layer, "mode");
    bool both = mode && strcmp(mode, "bidirectional") == 0;
    return wanted < 0 ? OV_OPEN : both && wanted == 1 ? own : wanted;
}

static int64_t one_hot(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port,
                       size_t axis) {
    const struct ov_port *depth = ov_source(net, layer, 1);
    size_t where = axis_attribute(layer, "axis", port->rank);
    if (axis == where) {
        return is_single(depth) ? depth->numbers[0] : OV_OPEN;
    }
    return dim(net, ov_source(net, layer, 0), axis - (axis > where));
}

static int64_t range(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port, size_t axis) {
    (void)port, (void)axis;
    const struct ov_port *from = ov_source(net, layer, 0), *to = ov_source(net, layer, 1),
                         *by = ov_source(net, layer, 2);
    int64_t length;
    if (!is_single(from) || !is_single(to) || !is_single(by) || by->numbers[0] <= 0 ||
        __builtin_sub_overflow(to->numbers[0], from->numbers[0], &length)) {
        return OV_OPEN;
    }
    return length <= 0 ? 0 : (length - 1) / by->numbers[0] + 1;
}

static int64_t padded(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port, size_t axis) {
    (void)port;
    const struct ov_port *from = ov_source(net, layer, 0), *begin = ov_source(net, layer, 1),
                         *end = ov_source(net, layer, 2);
    int64_t length = dim(net, from, axis);
    if (length == OV_OPEN || !begin || !end || !begin->numbers || !end->numbers || axis >= begin->count ||
        axis >= end->count || __builtin_add_overflow(length, begin->numbers[axis], &length) ||
        __builtin_add_overflow(length, end->numbers[axis], &length)) {
        return OV_OPEN;
    }
    return length < 0 ? OV_OPEN : length;
}

/* Sequences: Y is [batch, directions, steps, width], the last states [batch, directions, width]. */
static int64_t sequence(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port,
                        size_t axis) {
    const struct ov_port *from = ov_source(net, layer, 0);
    return axis == 0 ? dim(net, from, 0) : axis == 2 && port->rank == 4 ? dim(net, from, 1) : OV_OPEN;
}

static int64_t follow_elementwise(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port,
                                  size_t axis) {
    return broadcast(net, layer, port->rank - 1 - axis, 0);
}

static int64_t attention(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port,
                         size_t axis) {
    const struct ov_port *values = ov_source(net, layer, 2);
    return axis + 1 == port->rank && values ? dim(net, values, values->rank - 1)
                                            : dim(net, ov_source(net, layer, 0), axis);
}

int64_t ov_follows(const struct ov_net *net, const struct ov_layer *layer, const struct ov_port *port, size_t axis,
                   bool *bound) {
    static const struct {
        const char *kinds; /* words */
        int64_t (*length)(const struct ov_net *, const struct ov_layer *, const struct ov_port *, size_t);
    } rules[] = {{"MatMul", multiplied},
                 {ov_elementwise, follow_elementwise},
                 {ov_reshaping, reshape},
                 {"Gather", follow_gather},
                 {"GatherND", gather_nd},
                 {"Transpose", transpose},
                 {"Concat", concat},
                 {"Split VariadicSplit", follow_split},
                 {"Broadcast Tile", spread},
                 {"OneHot", one_hot},
                 {"LSTMSequence GRUSequence RNNSequence", sequence},
                 {"Einsum", einsum},
                 {"Range", range},
                 {"Pad", padded},
                 {"ScaledDotProductAttention", attention}};
    const char *kind = layer->kind;
    const struct ov_port *first = ov_source(net, layer, 0);
    if (!first || port->rank > OV_MOST_RANK || first->rank > OV_MOST_RANK) {
        return OV_OPEN;
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (ov_is_one_of(kind, rules[i].kinds)) {
            return rules[i].length(net, layer, port, axis);
        }
    }
    if (ov_is_one_of(kind, same_shape_kinds) || (ov_is_one_of(kind, batched) && axis == 0)) {
        return dim(net, first, axis);
    }
    if (ov_is_one_of(kind, "Slice StridedSlice Crop")) {
        return follow_slice(net, layer, port, axis, bound);
    }
    if (strcmp(kind, "TopK") == 0 && first->rank == port->rank) {
        *bound = dim(net, first, axis) != OV_OPEN;
        return dim(net, first, axis);
    }
    if (strncmp(kind, "Reduce", 6) == 0) {
        return reduce(net, layer, port, axis);
    }
    if (strcmp(kind, "GatherElements") == 0) {
        return dim(net, ov_source(net, layer, 1), axis);
    }
    if (strcmp(kind, "NonZero") == 0 && axis == 1) {
        uint64_t all;
        size_t open;
        *bound = ov_count(net, first, &all, &open) && open == 0 && all <= UINT64_C(1) << 60;
        return *bound ? (int64_t)all : OV_OPEN;
    }
    return OV_OPEN;
}
