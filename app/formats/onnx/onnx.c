/* ONNX models: the graph of operators and activations, as they stand in the file. */
#include "formats/onnx/onnx.h"
#include "base/base.h"

#include "formats/onnx/onnx_edges.h"
#include "formats/text/unique.h"
#include "formats/onnx/onnx_format.h"
#include "formats/tools/placed.h"

/* Where a value really lives: a branch of an If may write into the If's output. */
static uint32_t home(const struct onnx_model *model, uint32_t value) {
    while (value != SW_NONE && model->values.items[value].alias != SW_NONE) {
        value = model->values.items[value].alias;
    }
    return value;
}

/* ---- what is left of the graph ---- */

/* The inputs of a node, then what its bodies use. */
static uint32_t argument_of(const struct onnx_model *model, const struct onnx_node *node, uint32_t i) {
    uint32_t at = i < node->input_count ? node->first_input + i : node->extra_first + (i - node->input_count);
    return home(model, model->arguments.items[at]);
}

static bool is_dropped(const struct onnx_node *node) {
    return node->constant || node->shadow;
}

/* Backwards: an operator is needed when what it makes is needed. False: none is. */
static bool mark_needed(struct onnx_model *model) {
    bool any = false;
    for (size_t i = 0; i < model->outputs.count; i++) {
        struct onnx_value *value = &model->values.items[home(model, model->outputs.items[i])];
        value->output = value->live = true;
    }
    for (size_t n = model->nodes.count; n-- > 0;) {
        struct onnx_node *node = &model->nodes.items[n];
        for (uint32_t i = 0; i < node->output_count && !is_dropped(node); i++) {
            uint32_t out = home(model, model->arguments.items[node->first_output + i]);
            node->live |= out != SW_NONE && model->values.items[out].live;
        }
        for (uint32_t i = 0; i < node->input_count + node->extra_count && node->live; i++) {
            uint32_t in = argument_of(model, node, i);
            if (in != SW_NONE) {
                model->values.items[in].live = true;
            }
        }
        any |= node->live;
    }
    return any;
}

/* What is known before the run counts as computed, except what follows from weights alone. */
static void unfold(struct onnx_model *model) {
    for (size_t n = 0; n < model->nodes.count; n++) {
        struct onnx_node *node = &model->nodes.items[n];
        for (uint32_t i = 0; i < node->input_count && node->constant && !node->shadow; i++) {
            uint32_t in = argument_of(model, node, i);
            node->constant = in == SW_NONE || model->values.items[in].constant;
        }
        for (uint32_t i = 0; i < node->output_count && !node->constant; i++) {
            uint32_t out = model->arguments.items[node->first_output + i];
            if (out != SW_NONE) {
                model->values.items[out].constant = false;
            }
        }
    }
    model->unfolded = true;
}

/* A model that does nothing but compute what is known before the run, such as shapes, is about just that. */
static void mark_live(struct onnx_model *model) {
    if (!mark_needed(model)) {
        unfold(model);
        mark_needed(model);
    }
}

bool onnx_open_model(struct onnx_model *model, const struct sw_input *input, const struct sw_load_options *options,
                     struct sw_error *error) {
    *model = (struct onnx_model){.input = input,
                                 .dims = options ? options->dims : NULL,
                                 .given = options ? options->values : NULL,
                                 .error = error};
    bool good = onnx_model_read(model);
    if (good) {
        mark_live(model);
    }
    return good;
}

static bool lacks_shape(const struct onnx_value *value) {
    return value && !value->shape.known && onnx_plain(value);
}

/* One message names the lengths that all inputs leave open. */
static bool check_input(struct onnx_model *model, const struct onnx_value *value) {
    struct sw_quote name = onnx_quote(value->name);
    if (!lacks_shape(value)) {
        return true;
    }
    if (!value->open) {
        return onnx_fail(model,
                         "the input %s has no shape in the file: give its lengths with --dim %s:0=1 "
                         "and so on, or export the model with shapes",
                         name.text, name.text);
    }
    for (size_t i = 0; i < model->open.count; i++) {
        const struct onnx_open *open = &model->open.items[i];
        if (!open->given && open->tensor.at == value->name.at &&
            !onnx_dims_miss(model, open->tensor, open->name, open->axis)) {
            return false;
        }
    }
    return true;
}

static bool fail_inputs(struct onnx_model *model) {
    size_t count = model->lengths.missing.count;
    const struct onnx_value *first = NULL;
    for (size_t i = 0; i < model->inputs.count && count == 1 && !first; i++) {
        const struct onnx_value *value = &model->values.items[model->inputs.items[i]];
        first = value->live && value->open && !value->shape.known ? value : NULL;
    }
    if (!first) {
        return onnx_dims_fail(model, "1", "the inputs leave %zu lengths open: give them, for instance with", count);
    }
    const char *name = onnx_text(model, first->name), *dim = onnx_text(model, first->open_dim);
    char axis[16];
    snprintf(axis, sizeof axis, "%u", (unsigned)first->open_axis);
    return name && dim
               ? onnx_dims_fail(model, "1", "the input %s leaves its dimension %s open: give it, for instance with",
                                name, *dim ? dim : axis)
               : onnx_fail_memory(model);
}

static bool makes_value(const struct onnx_model *model, const struct onnx_node *node, uint32_t value) {
    uint32_t i = 0;
    while (i < node->output_count && onnx_output(model, node, i) != value) {
        i++;
    }
    return i < node->output_count;
}

/* The operator before this one, or before that, that no missing shape excuses; and which output. */
static const struct onnx_node *culprit(const struct onnx_model *model, size_t at, uint32_t *out) {
    for (size_t n = at; n-- > 0;) {
        const struct onnx_node *node = &model->nodes.items[at];
        for (uint32_t i = 0; i < node->input_count && i < 64; i++) {
            uint32_t in = onnx_input(model, node, i);
            if (lacks_shape(onnx_value_at(model, in)) && makes_value(model, &model->nodes.items[n], in)) {
                at = n;
                *out = in;
                break;
            }
        }
    }
    return &model->nodes.items[at];
}

/* Are the shapes of all that an operator reads known? */
static bool reads_known(const struct onnx_model *model, const struct onnx_node *node) {
    bool known = true;
    for (uint32_t i = 0; known && i < node->input_count; i++) {
        known = !lacks_shape(onnx_value_at(model, onnx_input(model, node, i)));
    }
    return known;
}

/* The open axes of an output. */
static bool miss_output(struct onnx_model *model, const struct onnx_value *value) {
    for (uint32_t i = 0; i < value->shape.rank; i++) {
        if (value->shape.dims[i] == ONNX_OPEN && !onnx_dims_miss(model, value->name, (struct sw_pb_bytes){0}, i)) {
            return false;
        }
    }
    return true;
}

/* Which axes are open, and what to type for them and for those of all other operators with known inputs. */
static bool fail_open(struct onnx_model *model, const struct onnx_node *node, const struct onnx_value *value) {
    const char *name = onnx_text(model, value->name), *operator= onnx_node_name(model, node);
    uint32_t axis = 0;
    while (axis + 1 < value->shape.rank && value->shape.dims[axis] != ONNX_OPEN) {
        axis++;
    }
    bool good = name && operator&& miss_output(model, value);
    for (size_t n = 0; good && n < model->nodes.count; n++) {
        const struct onnx_node *other = &model->nodes.items[n];
        for (uint32_t i = 0; good && i < other->output_count && other->live && reads_known(model, other); i++) {
            const struct onnx_value *open = onnx_value_at(model, home(model, onnx_output(model, other, i)));
            good = !lacks_shape(open) || !open->live || !open->shape.dims || miss_output(model, open);
        }
    }
    return good ? onnx_dims_fail(model, "100",
                                 "operator %s (%s) leaves dimension %u of %s open until the model runs%s: give "
                                 "an upper bound, as with",
                                 operator, onnx_quote(node->kind).text, (unsigned)axis, name,
                                 model->lengths.missing.count > 1 ? ", and others" : "")
                : onnx_fail_memory(model);
}

/* Why an output has no shape, told of the operator where that begins. */
static bool fail_unknown(struct onnx_model *model, size_t at, uint32_t out) {
    const struct onnx_node *node = culprit(model, at, &out);
    const struct onnx_value *value = &model->values.items[out];
    if (value->shape.dims) {
        return fail_open(model, node, value);
    }
    const char *name = onnx_node_name(model, node);
    struct sw_quote text = onnx_quote(value->name);
    bool sized = onnx_bits(value->type) > 0; /* else lengths alone would not do */
    return onnx_fail(model,
                     "operator %s (%s): the shape of its output %s does not follow: %s "
                     "(%s%s%srun ONNX's shape inference first)",
                     name ? name : "", onnx_quote(node->kind).text, text.text,
                     node->why ? node->why : "an input's shape is not known",
                     sized ? "give its lengths with --dim " : "", sized ? text.text : "",
                     sized ? ":0=1 and so on, or " : "");
}

/* Everything that will be planned must have a size. */
static bool check_values(struct onnx_model *model) {
    for (size_t i = 0; i < model->inputs.count; i++) {
        const struct onnx_value *value = &model->values.items[model->inputs.items[i]];
        if (value->live && !check_input(model, value)) {
            return false;
        }
    }
    if (model->lengths.missing.count > 0) {
        return fail_inputs(model);
    }
    for (size_t n = 0; n < model->nodes.count; n++) {
        const struct onnx_node *node = &model->nodes.items[n];
        for (uint32_t i = 0; i < node->output_count && node->live; i++) {
            uint32_t made = onnx_output(model, node, i), out = home(model, made);
            const struct onnx_value *value = onnx_value_at(model, out);
            if (lacks_shape(value) && value->live && /* of two branches the other one is to blame: */
                !model->values.items[made].shape.known) {
                return fail_unknown(model, n, out);
            }
        }
    }
    return true;
}

/* ---- to the builder ---- */

struct onnx_builder {
    struct onnx_model *model;
    struct sw_builder *builder;
    const char **names; /* of the values that are planned */
    struct sw_unique buffers, operators;
    struct onnx_tops tops;
    struct onnx_waits waits;
    const char **steps; /* the names of the operators that run */
    uint32_t *makers;   /* of each value, the operator that makes it, plus 1 */
    uint32_t *carried;  /* of each node of the graph, the one that it last handed a buffer, plus 1 */
    SW_ARRAY(const char *) inputs;
    SW_ARRAY(const char *) outputs;
    SW_ARRAY(const char *) pairs;
    SW_ARRAY(const char *) after;
    uint64_t weights, weight_bytes;
    uint64_t others; /* values that are no tensors of elements of a fixed size */
    struct sw_pb_bytes other;
};

static bool buffer_of_value(struct onnx_builder *writer, uint32_t number) {
    struct onnx_model *model = writer->model;
    const struct onnx_value *value = &model->values.items[number];
    if (writer->names[number]) {
        return true;
    }
    if (!onnx_plain(value)) {
        writer->other = writer->others++ ? writer->other : value->name;
        return true;
    }
    const char *name = sw_unique_name(&writer->buffers, &model->arena, onnx_text(model, value->name));
    uint64_t bits = onnx_bits(value->type), bytes, count = onnx_count(&value->shape);
    if (!name) {
        return onnx_fail_memory(model);
    }
    if (bits == 0) {
        return onnx_fail(model,
                         "the tensor %s holds elements of a type that is not known (run ONNX's shape "
                         "inference first)",
                         onnx_quote(value->name).text);
    }
    if (__builtin_mul_overflow(count, bits, &bytes) || bytes > 8 * SW_MAX_BYTES - 7) {
        return onnx_fail(model, "the tensor %s is larger than 2^61 bytes", onnx_quote(value->name).text);
    }
    struct sw_buffer_spec spec = {.name = name,
                                  .kind = value->input    ? SW_KIND_INPUT
                                          : value->output ? SW_KIND_OUTPUT
                                                          : SW_KIND_INTERMEDIATE,
                                  .output = value->output,
                                  .dtype = onnx_dtype(value->type),
                                  .has_size = true,
                                  .size = (bytes + 7) / 8,
                                  .shape = (const uint64_t *)value->shape.dims,
                                  .shape_count = value->shape.rank};
    writer->names[number] = name;
    return sw_builder_buffer(writer->builder, &spec, model->error) || !(model->failed = true);
}

/* As many elements, each as wide: then every one is read where the new one is written. */
static bool same_elements(const struct onnx_value *a, const struct onnx_value *b) {
    return onnx_count(&a->shape) == onnx_count(&b->shape) && onnx_bits(a->type) == onnx_bits(b->type);
}

/* Inputs over which an output may be written: as large, and not a single one spread over it. An operator of any
 * number of inputs may add them up one after the other: then the third is read when the result of the first two
 * has been written. */
static bool pair_inputs(struct onnx_builder *writer, const struct onnx_node *node) {
    struct onnx_model *model = writer->model;
    uint32_t out = home(model, model->arguments.items[node->first_output]);
    bool sums = sw_pb_equal(node->kind, "Sum") || sw_pb_equal(node->kind, "Mean") || sw_pb_equal(node->kind, "Max") ||
                sw_pb_equal(node->kind, "Min");
    uint32_t count = sums && node->input_count > 2 ? 2 : node->input_count;
    for (uint32_t i = 0; i < count && out != SW_NONE; i++) {
        uint32_t in = argument_of(model, node, i);
        if (in == SW_NONE || in == out || !writer->names[in] || !writer->names[out] ||
            !same_elements(&model->values.items[in], &model->values.items[out])) {
            continue;
        }
        if (!SW_PUSH(&writer->pairs, writer->names[in]) || !SW_PUSH(&writer->pairs, writer->names[out])) {
            return onnx_fail_memory(model);
        }
    }
    return true;
}

/* Constants that operators read, each counted once. */
static void count_weight(struct onnx_builder *writer, const struct onnx_value *value) {
    uint64_t bits = onnx_bits(value->type);
    writer->weights++;
    if (!__builtin_mul_overflow(onnx_count(&value->shape), bits, &bits) && bits < SW_MAX_BYTES &&
        writer->weight_bytes < SW_MAX_BYTES) {
        writer->weight_bytes += bits / 8 + (bits % 8 != 0);
    }
}

static bool collect_arguments(struct onnx_builder *writer, const struct onnx_node *node) {
    struct onnx_model *model = writer->model;
    writer->inputs.count = writer->outputs.count = writer->pairs.count = 0;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t out = home(model, model->arguments.items[node->first_output + i]);
        if (out == SW_NONE || !model->values.items[out].live) {
            continue;
        }
        if (!buffer_of_value(writer, out) || (writer->names[out] && !SW_PUSH(&writer->outputs, writer->names[out]))) {
            return onnx_fail_memory(model);
        }
    }
    for (uint32_t i = 0; i < node->input_count + node->extra_count; i++) {
        uint32_t in = argument_of(model, node, i);
        const char *name = in == SW_NONE ? NULL : writer->names[in];
        if (in != SW_NONE && model->values.items[in].constant && !model->values.items[in].counted) {
            model->values.items[in].counted = true;
            count_weight(writer, &model->values.items[in]);
        }
        if (name && !sw_unique_in(writer->inputs.items, writer->inputs.count, name) &&
            !SW_PUSH(&writer->inputs, name)) {
            return onnx_fail_memory(model);
        }
    }
    return !node->inplace || pair_inputs(writer, node);
}

/* Which nodes of the graph hand this one a buffer. */
static void mark_handed(struct onnx_builder *writer, const struct onnx_node *node, uint32_t top) {
    for (uint32_t i = 0; i < node->input_count + node->extra_count; i++) {
        uint32_t in = argument_of(writer->model, node, i);
        if (in != SW_NONE && writer->names[in] && writer->makers[in]) {
            writer->carried[writer->tops.owner[writer->makers[in] - 1]] = top + 1;
        }
    }
}

/* Operators that the node of operator `at` must run behind although no buffer says so. Of one with several operators
 * the first stands for all. */
static bool collect_waits(struct onnx_builder *writer, size_t node, uint32_t at) {
    struct onnx_model *model = writer->model;
    uint32_t top = writer->tops.owner[at];
    if (writer->waits.too_many) {
        return at == 0 || SW_PUSH(&writer->after, writer->steps[at - 1]) || onnx_fail_memory(model);
    }
    for (uint32_t k = at; k < writer->tops.count && writer->tops.owner[k] == top; node++) {
        if (model->nodes.items[node].live) {
            mark_handed(writer, &model->nodes.items[node], top);
            k++;
        }
    }
    for (uint32_t i = writer->waits.at[top]; i < writer->waits.at[top + 1]; i++) {
        uint32_t other = writer->waits.list[i];
        if (writer->carried[other] != top + 1 &&
            !SW_PUSH(&writer->after, writer->steps[writer->tops.items.items[other].last])) {
            return onnx_fail_memory(model);
        }
    }
    return true;
}

/* Operator `at` of those that run. */
static bool add_node_operator(struct onnx_builder *writer, size_t number, uint32_t at) {
    struct onnx_model *model = writer->model;
    const struct onnx_node *node = &model->nodes.items[number];
    const uint32_t *owner = writer->tops.owner;
    bool joined = at > 0 && owner[at] == owner[at - 1];
    const char *name = sw_unique_name(&writer->operators, &model->arena, onnx_node_name(model, node));
    const char *kind = onnx_text(model, node->kind);
    if (!name || !kind) {
        return onnx_fail_memory(model);
    }
    writer->steps[at] = name;
    writer->after.count = 0;
    if (!collect_arguments(writer, node) || (!joined && !collect_waits(writer, number, at))) {
        return false;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t out = home(model, model->arguments.items[node->first_output + i]);
        if (out != SW_NONE) {
            writer->makers[out] = at + 1;
        }
    }
    struct sw_op_window window;
    uint64_t macs;
    bool has_window = onnx_window(model, &model->nodes.items[number], &window, &macs);
    struct sw_operator_spec spec = {.name = name,
                                    .kind = kind,
                                    .window = has_window ? &window : NULL,
                                    .macs = macs,
                                    .inplace = writer->pairs.count ? SW_INPLACE_PAIRS : SW_INPLACE_NO,
                                    .inputs = writer->inputs.items,
                                    .input_count = writer->inputs.count,
                                    .outputs = writer->outputs.items,
                                    .output_count = writer->outputs.count,
                                    .pairs = (const char *const(*)[2])writer->pairs.items,
                                    .pair_count = writer->pairs.count / 2,
                                    .after = writer->after.items,
                                    .after_count = writer->after.count,
                                    .joined = joined};
    return sw_builder_operator(writer->builder, &spec, model->error) || !(model->failed = true);
}

#define onnx_note(writer, ...) sw_notef((writer)->builder, (writer)->model->error, __VA_ARGS__)

/* What one rule bounds, from this value on. */
static bool note_bounded(struct onnx_builder *writer, const char *rule, bool given, size_t from) {
    struct onnx_model *model = writer->model;
    char list[1400] = ""; /* names are whole */
    size_t more = 0;
    for (size_t i = from; i < model->values.count; i++) {
        const struct onnx_value *value = &model->values.items[i];
        uint32_t axes = given                       ? value->given_axes
                        : value->bound_rule == rule ? value->bound_axes & ~value->given_axes
                                                    : 0;
        for (uint32_t k = 0; k < value->shape.rank && writer->names[i]; k++) {
            size_t used = strlen(list);
            if (!(axes >> k & 1)) {
                continue;
            }
            if (used > 190) {
                more++;
                continue;
            }
            snprintf(list + used, sizeof list - used, "%s%s:%u=%lld", used ? ", " : "", onnx_quote(value->name).text,
                     (unsigned)k, (long long)value->shape.dims[k]);
        }
    }
    return more ? onnx_note(writer, "upper bounds by %s: %s, and %zu more", rule, list, more)
                : onnx_note(writer, "upper bounds by %s: %s", rule, list);
}

/* The axes of planned tensors that some rule, or --dim, bounds: one note for each. */
static bool add_bounds(struct onnx_builder *writer) {
    static const char option[] = "--dim";
    struct onnx_model *model = writer->model;
    const char *done[24];
    size_t rules = 0;
    for (size_t first = 0; first < model->values.count; first++) {
        const struct onnx_value *value = &model->values.items[first];
        for (int given = 0; given < 2; given++) {
            uint32_t axes = given ? value->given_axes : value->bound_axes & ~value->given_axes;
            const char *rule = given ? option : value->bound_rule;
            bool fresh = axes != 0 && rule && writer->names[first] && rules < sizeof done / sizeof *done;
            for (size_t i = 0; i < rules; i++) {
                fresh = fresh && done[i] != rule;
            }
            if (fresh && !note_bounded(writer, done[rules++] = rule, rule == option, first)) {
                return false;
            }
        }
    }
    return sw_note_count(writer->builder, model->error, model->decided,
                         "%" PRIu64 " If are decided as upper bounds decide them");
}

static bool note_graph(struct onnx_builder *writer) {
    struct onnx_model *model = writer->model;
    size_t folded = 0, dead = 0, idle = 0, unknown = 0;
    const struct onnx_node *stranger = NULL;
    for (size_t i = 0; i < model->nodes.count; i++) {
        const struct onnx_node *node = &model->nodes.items[i];
        folded += node->constant && !node->shadow;
        dead += !node->live && !is_dropped(node);
        if (node->live && node->unknown) {
            stranger = unknown++ ? stranger : node;
        }
    }
    for (size_t i = 0; i < model->inputs.count; i++) {
        idle += !model->values.items[model->inputs.items[i]].live;
    }
    return onnx_note(writer,
                     "step i is the %si-th operator that runs; a tensor lives from the "
                     "operator that makes it to the last that reads it, both inclusive",
                     model->early.at ? "" : "file's ") &&
           (!model->early.at || onnx_note(writer,
                                          "the file has nodes before what they read, %s first: what "
                                          "such a node reads comes right before "
                                          "it here, and all else stays in the file's order",
                                          onnx_quote(model->early).text)) &&
           (!model->unfolded || onnx_note(writer, "all that the model makes is known before the run; "
                                                  "its operators are planned all the same")) &&
           onnx_note(writer,
                     "left out: %" PRIu64 " constants that operators read (%s bytes), kernels' workspaces, "
                     "and %zu operators with a result that is known before the run",
                     writer->weights, SW_COUNT(writer->weight_bytes), folded) &&
           (dead + idle == 0 ||
            onnx_note(writer, "left out: %zu operators and %zu inputs that no output depends on", dead, idle)) &&
           sw_note_count(writer->builder, model->error, model->branches,
                         "the branches of %" PRIu64 " If stand one after the other; only one of them runs") &&
           sw_note_count(writer->builder, model->error, model->steered,
                         "%" PRIu64 " If are decided by --value; the other branch is left out") &&
           sw_note_count(writer->builder, model->error, model->loops,
                         "%" PRIu64 " Loop, Scan or SequenceMap: what their bodies need while they run is left out") &&
           (writer->others == 0 ||
            onnx_note(writer, "left out: %" PRIu64 " values that are sequences, maps, optional or texts, the first %s",
                      writer->others, onnx_quote(writer->other).text)) &&
           (unknown == 0 || onnx_note(writer,
                                      "%zu operators are not known here, and their outputs are as the file declares "
                                      "them or "
                                      "--dim gives them; the first is %s (%s)",
                                      unknown, onnx_quote(stranger->name.length ? stranger->name : stranger->kind).text,
                                      onnx_quote(stranger->kind).text)) &&
           (!writer->waits.too_many || onnx_note(writer,
                                                 "the operators keep the file's order: more than %d "
                                                 "times one waits for what is known before the run",
                                                 ONNX_MOST_WAITS)) &&
           add_bounds(writer) &&
           (model->contradictions == 0 ||
            onnx_note(writer,
                      "%" PRIu64 " shapes are as the file declares them although its operators imply "
                      "others, the first that of %s",
                      model->contradictions, onnx_quote(model->contradicted).text));
}

static bool add_node_operators(struct onnx_builder *writer, uint32_t count) {
    struct onnx_model *model = writer->model;
    uint32_t at = 0;
    bool good = onnx_tops_open(&writer->tops, model, count) && onnx_tops_waits(&writer->tops, &writer->waits);
    writer->steps = sw_arena_new(&model->arena, count, sizeof *writer->steps);
    writer->makers = sw_arena_new(&model->arena, model->values.count + 1, sizeof *writer->makers);
    writer->carried = sw_arena_new(&model->arena, writer->tops.items.count + 1, sizeof *writer->carried);
    good = good && ((writer->steps && writer->makers && writer->carried) || onnx_fail_memory(model));
    for (size_t i = 0; good && i < model->nodes.count; i++) {
        good = !model->nodes.items[i].live || add_node_operator(writer, i, at++);
    }
    return good;
}

static bool build_onnx_problem(struct onnx_builder *writer) {
    struct onnx_model *model = writer->model;
    uint32_t count = 0;
    for (size_t i = 0; i < model->nodes.count; i++) {
        count += model->nodes.items[i].live;
    }
    if (count == 0) {
        return onnx_fail(model, "there is nothing to plan: no operator of the graph runs");
    }
    writer->names = sw_arena_new(&model->arena, model->values.count + 1, sizeof *writer->names);
    if (!writer->names) {
        return onnx_fail_memory(model);
    }
    for (size_t i = 0; i < model->inputs.count; i++) {
        uint32_t input = model->inputs.items[i];
        if (model->values.items[input].live && !buffer_of_value(writer, input)) {
            return false;
        }
    }
    return add_node_operators(writer, count) && note_graph(writer);
}

bool sw_onnx_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                  struct sw_error *error) {
    struct onnx_model model;
    struct onnx_builder writer = {.model = &model, .builder = builder};
    bool good = onnx_open_model(&model, input, options, error) && check_values(&model) && build_onnx_problem(&writer);
    sw_unique_done(&writer.buffers);
    sw_unique_done(&writer.operators);
    SW_ARRAY_DONE(&writer.inputs, &writer.outputs, &writer.pairs, &writer.after);
    onnx_tops_close(&writer.tops);
    onnx_model_done(&model);
    if (!good) {
        sw_error_at(error, error->code == SW_ERROR_USAGE ? NULL : input->name, 0, 0);
    }
    return good;
}

/* A ModelProto: fields 1 to 8, 14, 20 and 25, each of its own kind, with a graph and a version
 * among them; in a file that was cut short, as far as it goes. */
static bool onnx_detect(const struct sw_input *input) {
    struct sw_pb pb = sw_pb_open(onnx_file(input));
    struct sw_pb_field field;
    bool graph = false, version = false;
    const unsigned char *start = pb.at;
    while (sw_pb_next(&pb, &field)) {
        enum sw_pb_wire wire = field.number == 1 || field.number == 5 ? SW_PB_VARINT : SW_PB_BYTES;
        bool known =
            field.number <= 8 || field.number == 14 || field.number == 20 || field.number == 25 || field.number == 26;
        if (!known || field.wire != wire) {
            return false;
        }
        version |= (field.number == 1 && field.value > 0 && field.value < 1000) || field.number == 8;
        graph |= field.number == 7;
        start = pb.at;
    }
    return version && (graph || (pb.fault && start < pb.end && *start == (7 << 3 | SW_PB_BYTES)));
}

const struct sw_format sw_format_onnx = {
    .name = "onnx",
    .summary = "ONNX models: step i is the i-th operator that runs; lives from the operator that makes "
               "a tensor to the last that reads it, both inside",
    .extensions = ".onnx",
    .most_binary = UINT64_C(1) << 31,
    .heeds = SW_HEEDS_DIMS | SW_HEEDS_VALUES,
    .detect = onnx_detect,
    .read = sw_onnx_read,
    .write_order = sw_onnx_write_order,
    .runtime_order = sw_onnx_runtime_order,
    .beside = sw_onnx_beside,
};
