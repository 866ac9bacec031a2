/* TensorFlow Lite models in another order: the operators of the first subgraph change places in its list, and every
 * other byte stays. An operator that runs other subgraphs goes with all that they run. */
#include "formats/tflite/write/tflite_front.h"
#include "base/base.h"

#include "formats/graphs/order_file.h"

struct operator_order {
    struct tflite_model model;
    uint32_t *nodes, *place;           /* the operators in the new order; of each its place there */
    uint32_t front, count, node_count; /* steps: before all operators; and behind those */
};

/* ---- steps and operators ---- */

void tflite_owners(const struct tflite_model *model, uint32_t *owners) {
    uint32_t front = model->fronts;
    unsigned depth = 0;
    uint32_t owner = 0;
    for (uint32_t k = 0; front + k < model->steps.count; k++) {
        const struct tflite_step *step = &model->steps.items[front + k];
        if (depth == 0) {
            owner = model->operators.items[step->operator].number;
        }
        depth += step->kind == TFLITE_BEGIN;
        depth -= step->kind == TFLITE_END && depth > 0;
        owners[k] = owner;
    }
}

/* From the order of the steps to that of the operators. */
static bool order_from_steps(struct operator_order *o, const uint32_t *list, uint32_t count, struct sw_error *error) {
    uint32_t torn;
    o->front = o->model.fronts;
    if (o->model.steps.count != count || count == o->front) {
        return tflite_refuse(error, "its operators are not those that were put in order");
    }
    o->count = count - o->front;
    uint32_t *owner = sw_arena_new(&o->model.arena, o->count, sizeof *owner);
    uint32_t *rest = sw_arena_new(&o->model.arena, o->count, sizeof *rest);
    o->nodes = sw_arena_new(&o->model.arena, o->count, sizeof *o->nodes);
    if (!owner || !rest || !o->nodes) {
        return sw_fail_memory(error);
    }
    for (uint32_t k = 0; k < o->front; k++) {
        if (list[k] != k) {
            return tflite_refuse(error, "the steps before the first operator stay before it");
        }
    }
    for (uint32_t k = 0; k < o->count; k++) {
        rest[k] = list[o->front + k] - o->front;
    }
    tflite_owners(&o->model, owner);
    return sw_order_of_nodes(rest, o->count, owner, o->nodes, &o->node_count, &torn) ||
           tflite_refuse(error,
                         "the order takes apart operator %" PRIu32
                         ", which stays together with the subgraphs that it runs",
                         torn);
}

/* ---- what no tensor of the plan says ---- */

/* CALL_ONCE, tables and variables: what they share is no tensor. */
bool tflite_has_state(const struct tflite_model *model, const struct tflite_operator *op) {
    bool state = op->code == TFLITE_OP_call_once ||
                 (op->code >= TFLITE_OP_hashtable && op->code <= TFLITE_OP_hashtable_size) ||
                 (op->code >= TFLITE_OP_var_handle && op->code <= TFLITE_OP_assign_variable);
    const struct tflite_subgraph *graph = &model->subgraphs.items[op->subgraph];
    for (uint32_t i = 0; i < op->inputs.count && !state; i++) {
        int32_t number = tflite_item(model, op->inputs, i);
        state = number >= 0 && model->tensors.items[graph->first_tensor + (uint32_t)number].state == TFLITE_VARIABLE;
    }
    return state;
}

/* Every tensor is written before it is read, planned or not; operators with a state of their own keep their order. */
static bool is_possible(struct operator_order *o, struct sw_error *error) {
    const struct tflite_model *model = &o->model;
    const struct tflite_subgraph *graph = &model->subgraphs.items[0];
    uint32_t *writer = sw_arena_new(&o->model.arena, graph->tensor_count + 1, sizeof *writer), before = SW_NONE;
    bool good = writer || sw_fail_memory(error);
    for (uint32_t t = 0; good && t < graph->tensor_count; t++) {
        writer[t] = SW_NONE;
    }
    for (uint32_t n = 0; good && n < graph->operator_count; n++) {
        const struct tflite_operator *op = &model->operators.items[graph->first_operator + n];
        for (uint32_t i = 0; good && i < op->inputs.count; i++) {
            int32_t t = tflite_item(model, op->inputs, i);
            good = t < 0 || writer[t] == SW_NONE || o->place[writer[t]] < o->place[n] ||
                   tflite_refuse(error,
                                 "the order has operator %" PRIu32 " before operator %" PRIu32
                                 ", which writes what it reads",
                                 n, writer[t]);
        }
        for (uint32_t i = 0; i < op->outputs.count; i++) {
            int32_t t = tflite_item(model, op->outputs, i);
            if (t >= 0) {
                writer[t] = n;
            }
        }
        if (good && tflite_has_state(model, op)) {
            good = before == SW_NONE || o->place[before] < o->place[n] ||
                   tflite_refuse(error,
                                 "the order has operator %" PRIu32 " before operator %" PRIu32
                                 ": those with a state of their own keep their order",
                                 n, before);
            before = n;
        }
    }
    return good;
}

/* ---- writing ---- */

static bool write_operator_list(struct operator_order *o, struct sw_sink *sink, struct sw_error *error) {
    const struct sw_input *input = o->model.input;
    struct sw_flat graph;
    struct sw_flat_list list;
    size_t from = sink->text.count;
    if (!sw_flat_at(&o->model.root, o->model.subgraphs.items[0].at, &graph) ||
        !sw_flat_list(&graph, GRAPH_OPERATORS, 4, &list)) {
        return false;
    }
    sw_sink_add(sink, input->bytes, input->length);
    for (uint32_t k = 0; k < o->node_count && !sink->failed; k++) {
        size_t target = list.at + 4 * (size_t)o->nodes[k] + (size_t)sw_flat_item(&list, o->nodes[k]),
               at = list.at + 4 * (size_t)k;
        if (target <= at) {
            return tflite_refuse(error,
                                 "an operator stands before the list of operators, and references lead forward only");
        }
        for (unsigned b = 0; b < 4; b++) {
            sink->text.items[from + at + b] = (char)((target - at) >> 8 * b & 255);
        }
    }
    return !sink->failed || sw_fail_memory(error);
}

bool tflite_write_order(const struct sw_input *input, bool per_subgraph, bool may_have_plan, const uint32_t *list,
                        uint32_t count, struct sw_sink *sink, struct sw_error *error) {
    struct operator_order o = {.front = 0};
    bool good = tflite_model_read(&o.model, input, per_subgraph, error);
    if (good && o.model.plan.at && !may_have_plan) {
        good = tflite_refuse(
            error, "the model holds a plan for its own order: plan the new one with plan --order FILE -o NAME.tflite");
    }
    good = good && order_from_steps(&o, list, count, error);
    if (good && o.node_count != o.model.subgraphs.items[0].operator_count) {
        good = tflite_refuse(error, "its operators are not those that were put in order");
    }
    if (good) {
        o.place = sw_arena_new(&o.model.arena, o.node_count, sizeof *o.place);
        good = o.place || sw_fail_memory(error);
    }
    for (uint32_t k = 0; good && k < o.node_count; k++) {
        o.place[o.nodes[k]] = k;
    }
    good = good && is_possible(&o, error) && write_operator_list(&o, sink, error);
    tflite_model_done(&o.model);
    return good;
}

bool sw_tflite_write_order(const struct sw_input *input, const struct sw_load_options *options, const uint32_t *list,
                           uint32_t count, struct sw_sink *sink, struct sw_error *error) {
    return tflite_write_order(input, options && options->per_subgraph, false, list, count, sink, error);
}
