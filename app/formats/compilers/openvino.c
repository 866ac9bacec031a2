/* OpenVINO's IR (the .xml beside a .bin): layers with the shapes of all their results. Weights and what follows from
 * weights alone is computed before the run. A layer runs where it stands in the file, or after what it reads. */
#include "formats/compilers/openvino.h"
#include "base/base.h"
#include "formats/open_file.h"
#include "formats/settings/lengths.h"

#include <glib.h>
#include <sys/stat.h>
#include <unistd.h>

struct ov_reader {
    struct ov_net net;
    struct sw_program program;
    struct sw_lengths lengths; /* --dim LAYER:AXIS=LENGTH */
    SW_ARRAY(char) key;        /* "LAYER:AXIS", the last one asked for */
    struct ov_weights weights;
    uint64_t bounds;          /* lengths that are at most so long; */
    const char *bounded;      /* the first of them */
    SW_ARRAY(uint32_t) stack; /* layers that wait for what they read */
    uint64_t folded, weight_bytes, states, bodies;
};

/* ---- edges ---- */

/* Edges of a layer stand in the order of its ports, which the file's need not. */
static void link_edge(struct ov_net *net, struct ov_layer *layer, uint32_t number) {
    struct ov_edge *edges = net->edges.items;
    long long port = strtoll(edges[number].to_port, NULL, 10);
    uint32_t *link = &layer->first_edge;
    if (*link != SW_NONE && strtoll(edges[layer->last_edge].to_port, NULL, 10) <= port) {
        link = &edges[layer->last_edge].next;
    }
    while (*link != SW_NONE && strtoll(edges[*link].to_port, NULL, 10) <= port) {
        link = &edges[*link].next;
    }
    edges[number].next = *link;
    *link = number;
    layer->last_edge = edges[number].next == SW_NONE ? number : layer->last_edge;
}

static bool resolve_edges(struct ov_reader *reader) {
    struct ov_net *net = &reader->net;
    for (uint32_t i = 0; i < net->edges.count; i++) {
        struct ov_edge *edge = &net->edges.items[i];
        uint32_t target = ov_find_layer(net, edge->scope, edge->to_layer);
        edge->source = ov_find_port(net, edge->scope, edge->from_layer, edge->from_port);
        if (edge->source == SW_NONE || target == SW_NONE) {
            return ov_fail(&reader->net, edge->line, edge->column,
                           "the edge %s at no %s of the model: from layer %s, port %s to layer %s",
                           target == SW_NONE ? "ends" : "begins", target == SW_NONE ? "layer" : "port",
                           edge->from_layer, edge->from_port, edge->to_layer);
        }
        net->ports.items[edge->source].read = true;
        link_edge(net, &net->layers.items[target], i);
    }
    return true;
}

/* The layers of each scope, in the order of the file. */
static bool sort_scopes(struct ov_reader *reader) {
    struct ov_net *net = &reader->net;
    size_t used = 0;
    if (!SW_RESERVE(&net->members, net->layers.count)) {
        return sw_fail_memory(net->error);
    }
    for (size_t i = 0; i < net->layers.count; i++) {
        net->scopes.items[net->layers.items[i].scope].count++;
    }
    for (size_t i = 0; i < net->scopes.count; i++) {
        net->scopes.items[i].first = used;
        used += net->scopes.items[i].count;
        net->scopes.items[i].count = 0;
    }
    for (size_t i = 0; i < net->layers.count; i++) {
        struct ov_scope *scope = &net->scopes.items[net->layers.items[i].scope];
        net->members.items[scope->first + scope->count++] = (uint32_t)i;
    }
    net->members.count = net->layers.count;
    return true;
}

static const struct ov_port *edge_source(const struct ov_net *net, uint32_t edge) {
    return &net->ports.items[net->edges.items[edge].source];
}

/* ---- dimensions that are open ---- */

static bool any_later(const struct ov_net *net, const struct ov_layer *layer) {
    for (uint32_t e = layer->first_edge; e != SW_NONE; e = net->edges.items[e].next) {
        if (edge_source(net, e)->later) {
            return true;
        }
    }
    return false;
}

/* A length that is neither given nor follows counts as 1 from here on. What comes of it is a guess, in which elements
 * need not come out even: then a shape of the same elements, or a part, is not told to be missing too. Of what is known
 * before the run no length is needed. */
static bool close_dim(struct ov_reader *reader, struct ov_layer *layer, struct ov_port *port, size_t axis) {
    struct ov_net *net = &reader->net;
    int64_t *dim = &net->dims.items[port->first_dim + axis];
    bool bound = false;
    size_t size = strlen(layer->name) + 24;
    if (!SW_RESERVE(&reader->key, size)) {
        return sw_fail_memory(net->error);
    }
    char *key = reader->key.items;
    g_snprintf(key, size, "%s:%zu", layer->name, axis);
    uint64_t given; /* --dim LAYER:AXIS */
    if (sw_lengths_get(&reader->lengths, key, strlen(key), &given)) {
        *dim = (int64_t)given;
    } else {
        *dim = ov_follows(net, layer, port, axis, &bound);
        reader->bounds += bound;
        if (bound && !reader->bounded && !(reader->bounded = sw_arena_string(&net->arena, key, strlen(key)))) {
            return sw_fail_memory(net->error);
        }
    }
    if (*dim != OV_OPEN || layer->constant) {
        return true;
    }
    bool guess = any_later(net, layer) &&
                 (ov_is_one_of(layer->kind, ov_reshaping) || ov_is_one_of(layer->kind, "Split VariadicSplit"));
    if (!guess && !sw_lengths_miss(&reader->lengths, key, strlen(key), layer->line, layer->column)) {
        return sw_fail_memory(net->error);
    }
    *dim = 1;
    port->later = true;
    return true;
}

static bool close_ov_dims(struct ov_reader *reader, struct ov_layer *layer, struct ov_port *port) {
    port->later = any_later(&reader->net, layer);
    for (size_t axis = 0; axis < port->rank; axis++) {
        if (reader->net.dims.items[port->first_dim + axis] == OV_OPEN && !close_dim(reader, layer, port, axis)) {
            return false;
        }
    }
    return true;
}

static bool check_dims(struct ov_reader *reader) {
    return sw_lengths_check(&reader->lengths, reader->net.input,
                            "no layer leaves a dimension of this name open (LAYER:AXIS)", "the model needs",
                            ", or save the model with fixed shapes (model.reshape)", reader->net.error);
}

/* ---- values ---- */

static const struct {
    const char *word;
    unsigned bits;
    enum sw_dtype dtype;
} precisions[] = {
    {"FP32", 32, SW_DTYPE_FLOAT32}, {"FP16", 16, SW_DTYPE_FLOAT16}, {"BF16", 16, SW_DTYPE_BFLOAT16},
    {"FP64", 64, SW_DTYPE_FLOAT64}, {"I64", 64, SW_DTYPE_INT64},    {"I32", 32, SW_DTYPE_INT32},
    {"I16", 16, SW_DTYPE_INT16},    {"I8", 8, SW_DTYPE_INT8},       {"I4", 4, SW_DTYPE_INT4},
    {"U64", 64, SW_DTYPE_UINT64},   {"U32", 32, SW_DTYPE_UINT32},   {"U16", 16, SW_DTYPE_UINT16},
    {"U8", 8, SW_DTYPE_UINT8},      {"U4", 4, SW_DTYPE_UINT4},      {"BOOL", 8, SW_DTYPE_BOOL},
    {"boolean", 8, SW_DTYPE_BOOL},  {"BIN", 1, SW_DTYPE_NONE},      {"U1", 1, SW_DTYPE_NONE},
    {"U2", 2, SW_DTYPE_NONE},       {"U3", 3, SW_DTYPE_NONE},       {"U6", 6, SW_DTYPE_NONE},
    {"NF4", 4, SW_DTYPE_NONE},      {"F4E2M1", 4, SW_DTYPE_NONE},   {"F8E4M3", 8, SW_DTYPE_FLOAT8},
    {"F8E5M2", 8, SW_DTYPE_FLOAT8}, {"F8E8M0", 8, SW_DTYPE_FLOAT8}, {"Q78", 16, SW_DTYPE_NONE},
    {"F32", 32, SW_DTYPE_FLOAT32},  {"F16", 16, SW_DTYPE_FLOAT16},  {"F64", 64, SW_DTYPE_FLOAT64},
};

static bool make_value(struct ov_reader *reader, const struct ov_layer *layer, struct ov_port *port,
                       enum sw_kind kind) {
    const char *type = port->type ? port->type : layer->precision;
    struct sw_value value = {.kind = kind, .same = SW_NONE, .line = layer->line, .column = layer->column};
    size_t at = 0, count = sizeof precisions / sizeof *precisions, open;
    uint64_t elements;
    while (at < count && g_ascii_strcasecmp(type, precisions[at].word) != 0) {
        at++;
    }
    if (at == count) {
        return ov_fail(&reader->net, layer->line, layer->column, "layer %s: elements of type \"%s\" have no size",
                       sw_quote(layer->name, strlen(layer->name)).text, type);
    }
    if (!ov_count(&reader->net, port, &elements, &open) || !sw_bytes_of(elements, precisions[at].bits, &value.size)) {
        return ov_fail(&reader->net, layer->line, layer->column, "layer %s: its result is larger than 2^61 bytes",
                       sw_quote(layer->name, strlen(layer->name)).text);
    }
    value.dtype = precisions[at].dtype;
    value.name = (struct sw_input_text){layer->name, strlen(layer->name)};
    if (&reader->net.ports.items[layer->first_port] != port) {
        size_t length = value.name.length + strlen(port->id) + 2;
        char *name = sw_arena_new(&reader->net.arena, length, 1);
        if (!name) {
            return sw_fail_memory(reader->net.error);
        }
        g_snprintf(name, length, "%s:%s", layer->name, port->id);
        value.name = (struct sw_input_text){name, strlen(name)};
    }
    return sw_program_value(&reader->program, &value, &port->value);
}

static bool make_values(struct ov_reader *reader, struct ov_layer *layer, enum sw_kind kind) {
    for (uint32_t p = layer->first_port; p != SW_NONE; p = reader->net.ports.items[p].next) {
        struct ov_port *port = &reader->net.ports.items[p];
        if (port->value == SW_NONE && (!close_ov_dims(reader, layer, port) || !make_value(reader, layer, port, kind))) {
            return false;
        }
        /* Before version 10 there are no Results: what nothing reads is one. */
        if (reader->net.version < 10 && layer->scope == 0 && !port->read) {
            reader->program.values.items[port->value].output = true;
        }
    }
    return ov_reckon(&reader->net, layer, &reader->weights) || sw_fail_memory(reader->net.error);
}

/* ---- nodes ---- */

static bool begin_ov_node(struct ov_reader *reader, const struct ov_layer *layer, const char *kind) {
    struct sw_program_node node = {.name = {layer->name, strlen(layer->name)},
                                   .kind = {kind, strlen(kind)},
                                   .inplace = ov_is_one_of(layer->kind, ov_elementwise) ||
                                              ov_is_one_of(layer->kind, ov_reshaping),
                                   .line = layer->line,
                                   .column = layer->column};
    return sw_program_node(&reader->program, &node);
}

static bool read_ov_inputs(struct ov_reader *reader, const struct ov_layer *layer) {
    for (uint32_t e = layer->first_edge; e != SW_NONE; e = reader->net.edges.items[e].next) {
        if (!sw_program_argument(&reader->program, edge_source(&reader->net, e)->value, SW_ROLE_READ)) {
            return false;
        }
    }
    return true;
}

static bool write_outputs(struct ov_reader *reader, const struct ov_layer *layer) {
    for (uint32_t p = layer->first_port; p != SW_NONE; p = reader->net.ports.items[p].next) {
        if (!sw_program_argument(&reader->program, reader->net.ports.items[p].value, SW_ROLE_WRITE)) {
            return false;
        }
    }
    return true;
}

/* ---- bodies ---- */

static bool run_scope(struct ov_reader *reader, uint32_t number);

/* Where an edge brings a value to a port of the layer, or to its only one; NULL: none does. */
static const struct ov_port *arriving(const struct ov_net *net, const struct ov_layer *layer, const char *port) {
    for (uint32_t e = layer->first_edge; e != SW_NONE; e = net->edges.items[e].next) {
        if (!port || strcmp(net->edges.items[e].to_port, port) == 0) {
            return edge_source(net, e);
        }
    }
    return NULL;
}

static bool ov_is_own(struct ov_reader *reader, uint32_t value) {
    return reader->program.values.items[sw_program_root(&reader->program, value)].kind == SW_KIND_INTERMEDIATE;
}

/* The number of the only result of a body's layer; SW_NONE: there is no such layer, or it has none. */
static uint32_t port_inside(const struct ov_net *net, uint32_t scope, const char *id) {
    uint32_t layer = ov_find_layer(net, scope, id);
    return layer == SW_NONE ? SW_NONE : net->layers.items[layer].first_port;
}

/* The layers of a body that get what the round before has left. */
static void mark_ov_carried(struct ov_net *net, const struct ov_layer *layer, uint32_t scope) {
    for (uint32_t m = layer->first_map; m != SW_NONE; m = net->maps.items[m].next) {
        const struct ov_map *map = &net->maps.items[m];
        uint32_t inside = map->kind == OV_MAP_BACK ? ov_find_layer(net, scope, map->inside) : SW_NONE;
        if (inside != SW_NONE) {
            net->layers.items[inside].carried = true;
        }
    }
}

/* What comes from outside is the body's value itself, unless the body changes it or sees a slice. */
static bool enter_body(struct ov_reader *reader, const struct ov_layer *layer, uint32_t number, bool *begun) {
    struct ov_net *net = &reader->net;
    const struct ov_scope *scope = &net->scopes.items[number];
    mark_ov_carried(net, layer, number);
    for (uint32_t m = layer->first_map; m != SW_NONE; m = net->maps.items[m].next) {
        const struct ov_map *map = &net->maps.items[m];
        uint32_t inside = map->kind == OV_MAP_IN && map->otherwise == scope->otherwise
                              ? ov_find_layer(net, number, map->inside)
                              : SW_NONE;
        const struct ov_port *from = inside == SW_NONE ? NULL : arriving(net, layer, map->outside);
        uint32_t to = inside == SW_NONE ? SW_NONE : net->layers.items[inside].first_port;
        if (!from || to == SW_NONE || from->value == SW_NONE || net->ports.items[to].value != SW_NONE) {
            continue;
        }
        struct ov_port *port = &net->ports.items[to];
        for (size_t i = 0; i < port->rank && from->rank == port->rank && !map->sliced; i++) {
            int64_t *dim = &net->dims.items[port->first_dim + i];
            *dim = *dim == OV_OPEN ? net->dims.items[from->first_dim + i] : *dim;
        }
        if (!map->sliced && !net->layers.items[inside].carried) {
            port->value = from->value;
            net->layers.items[inside].constant = net->layers.items[from->layer].constant;
            continue;
        }
        if (!make_values(reader, &net->layers.items[inside], SW_KIND_INTERMEDIATE) ||
            (!*begun && !begin_ov_node(reader, layer, "begin")) ||
            !sw_program_argument(&reader->program, from->value, SW_ROLE_READ) ||
            !sw_program_argument(&reader->program, port->value, SW_ROLE_WRITE)) {
            return false;
        }
        *begun = true;
    }
    return true;
}

/* The value that the body's Result gets; SW_NONE: there is no such thing. */
static uint32_t ov_result_of(const struct ov_net *net, uint32_t scope, const char *id) {
    uint32_t layer = ov_find_layer(net, scope, id);
    const struct ov_port *from = layer == SW_NONE ? NULL : arriving(net, &net->layers.items[layer], NULL);
    return from ? from->value : SW_NONE;
}

/* What a body makes it makes where the layer's result lies, or where the next round looks for it. */
static void leave_body(struct ov_reader *reader, const struct ov_layer *layer, uint32_t number, size_t before) {
    struct ov_net *net = &reader->net;
    for (uint32_t m = layer->first_map; m != SW_NONE; m = net->maps.items[m].next) {
        const struct ov_map *map = &net->maps.items[m];
        bool back = map->kind == OV_MAP_BACK;
        if (map->kind == OV_MAP_IN || map->sliced || map->otherwise != net->scopes.items[number].otherwise) {
            continue;
        }
        uint32_t made = ov_result_of(net, number, back ? map->outside : map->inside);
        uint32_t port =
            back ? port_inside(net, number, map->inside) : ov_find_port(net, layer->scope, layer->id, map->outside);
        uint32_t whole = port == SW_NONE ? SW_NONE : net->ports.items[port].value;
        if (made != SW_NONE && whole != SW_NONE && ov_is_own(reader, made) && ov_is_own(reader, whole) &&
            sw_program_root(&reader->program, made) >= before) {
            sw_program_join(&reader->program, whole, made);
        }
    }
}

static bool read_results(struct ov_reader *reader, const struct ov_layer *layer, uint32_t number) {
    struct ov_net *net = &reader->net;
    for (uint32_t m = layer->first_map; m != SW_NONE; m = net->maps.items[m].next) {
        const struct ov_map *map = &net->maps.items[m];
        uint32_t made = map->kind == OV_MAP_IN
                            ? SW_NONE
                            : ov_result_of(net, number, map->kind == OV_MAP_BACK ? map->outside : map->inside);
        if (made == SW_NONE) {
            continue;
        }
        /* What the next round gets is copied there when it could not be made there. */
        uint32_t port = map->kind == OV_MAP_BACK ? port_inside(net, number, map->inside) : SW_NONE;
        uint32_t variable = port == SW_NONE ? SW_NONE : net->ports.items[port].value;
        if (!sw_program_argument(&reader->program, made, SW_ROLE_READ) ||
            (variable != SW_NONE && !sw_program_argument(&reader->program, variable, SW_ROLE_WRITE))) {
            return false;
        }
    }
    return true;
}

static bool run_bodies(struct ov_reader *reader, uint32_t number) {
    struct ov_net *net = &reader->net;
    struct ov_layer *layer = &net->layers.items[number];
    if (!make_values(reader, layer, SW_KIND_INTERMEDIATE)) {
        return false;
    }
    for (uint32_t s = layer->first_scope; s != SW_NONE; s = net->scopes.items[s].next) {
        bool begun = false;
        size_t before = reader->program.values.count;
        reader->bodies++;
        if (!enter_body(reader, layer, s, &begun) || !run_scope(reader, s)) {
            return false;
        }
        leave_body(reader, layer, s, before);
    }
    if (!begin_ov_node(reader, layer, layer->kind) || !read_ov_inputs(reader, layer)) {
        return false;
    }
    for (uint32_t s = layer->first_scope; s != SW_NONE; s = net->scopes.items[s].next) {
        if (!read_results(reader, layer, s)) {
            return false;
        }
    }
    return write_outputs(reader, layer);
}

/* ---- layers ---- */

/* Is the result known before the run? */
static bool is_known(const struct ov_reader *reader, const struct ov_layer *layer) {
    const struct ov_net *net = &reader->net;
    if (ov_is_one_of(layer->kind, "Const ShapeOf PriorBox PriorBoxClustered")) {
        return true;
    }
    if (layer->first_edge == SW_NONE || ov_is_one_of(layer->kind, "RandomUniform ReadValue Assign Memory")) {
        return false;
    }
    for (uint32_t e = layer->first_edge; e != SW_NONE; e = net->edges.items[e].next) {
        if (!net->layers.items[edge_source(net, e)->layer].constant) {
            return false;
        }
    }
    return true;
}

static bool run_layer(struct ov_reader *reader, uint32_t number) {
    struct ov_layer *layer = &reader->net.layers.items[number];
    bool parameter = strcmp(layer->kind, "Parameter") == 0 || strcmp(layer->kind, "Input") == 0;
    if (strcmp(layer->kind, "Result") == 0) {
        const struct ov_port *from = arriving(&reader->net, layer, NULL);
        if (from && layer->scope == 0) {
            reader->program.values.items[from->value].output = true;
        }
        return true;
    }
    if (parameter) {
        return make_values(reader, layer, layer->scope == 0 ? SW_KIND_INPUT : SW_KIND_INTERMEDIATE);
    }
    layer->constant = is_known(reader, layer);
    if (layer->constant) {
        reader->folded += strcmp(layer->kind, "Const") != 0;
        return make_values(reader, layer, SW_KIND_CONSTANT);
    }
    if (layer->first_scope != SW_NONE && reader->net.version >= 10) {
        return run_bodies(reader, number);
    }
    reader->states += strcmp(layer->kind, "ReadValue") == 0;
    reader->bodies += layer->first_scope != SW_NONE;
    return make_values(reader, layer, SW_KIND_INTERMEDIATE) && begin_ov_node(reader, layer, layer->kind) &&
           read_ov_inputs(reader, layer) && write_outputs(reader, layer);
}

/* One layer after all that it reads. */
static bool run_after(struct ov_reader *reader, uint32_t number) {
    struct ov_net *net = &reader->net;
    size_t bottom = reader->stack.count;
    bool good = SW_PUSH(&reader->stack, number) || sw_fail_memory(net->error);
    while (good && reader->stack.count > bottom) {
        uint32_t top = reader->stack.items[reader->stack.count - 1];
        struct ov_layer *layer = &net->layers.items[top];
        if (layer->state == OV_NEW) {
            layer->state = OV_OPENED;
            for (uint32_t e = layer->first_edge; good && e != SW_NONE; e = net->edges.items[e].next) {
                uint32_t other = edge_source(net, e)->layer;
                if (net->layers.items[other].state == OV_OPENED) {
                    good = ov_fail(&reader->net, layer->line, layer->column, "layer %s needs its own result",
                                   sw_quote(layer->name, strlen(layer->name)).text);
                } else if (net->layers.items[other].state == OV_NEW) {
                    good = SW_PUSH(&reader->stack, other) || sw_fail_memory(net->error);
                }
            }
            continue;
        }
        reader->stack.count--;
        if (layer->state == OV_OPENED) {
            layer->state = OV_DONE;
            good = run_layer(reader, top);
        }
    }
    return good;
}

static bool run_scope(struct ov_reader *reader, uint32_t number) {
    struct ov_net *net = &reader->net;
    const struct ov_scope *scope = &net->scopes.items[number];
    for (size_t i = 0; i < scope->count; i++) {
        uint32_t layer = net->members.items[scope->first + i];
        if (net->layers.items[layer].state == OV_NEW && !run_after(reader, layer)) {
            return false;
        }
    }
    return true;
}

/* ---- the model ---- */

static bool add_ov_notes(struct ov_reader *reader) {
    struct sw_builder *builder = reader->program.builder;
    struct sw_error *error = reader->net.error;
    return sw_builder_note(builder,
                           "step i is the i-th layer of the file that runs; a tensor lives from the layer that "
                           "makes it to the last that reads it, both inclusive",
                           error) &&
           sw_builder_note(builder,
                           "what a device's plugin fuses or reorders is not in the file, nor are "
                           "its workspaces",
                           error) &&
           sw_program_note(&reader->program) &&
           (reader->bounds == 0 ||
            sw_notef(builder, error,
                     "%" PRIu64 " lengths are upper bounds, as what a slice or a choice keeps is not known: %s%s",
                     reader->bounds, reader->bounded, reader->bounds > 1 ? ", ..." : "")) &&
           (reader->folded == 0 ||
            sw_notef(builder, error, "left out: %" PRIu64 " layers with a result that is known before the run",
                     reader->folded)) &&
           (reader->states == 0 ||
            sw_notef(builder, error, "%" PRIu64 " states that last from run to run are seen as results only",
                     reader->states)) &&
           (reader->bodies == 0 ||
            sw_notef(builder, error,
                     reader->net.version >= 10
                         ? "%" PRIu64 " bodies of loops and branches stand for one round each, one after the other"
                         : "%" PRIu64 " loops: what their bodies need while they run is left out",
                     reader->bodies));
}

/* Keep what the file declares. Where some of that is open, open the .bin beside it: its small constants say what
 * follows. */
static bool open_weights(struct ov_reader *reader, const struct sw_load_options *options) {
    struct ov_net *net = &reader->net;
    const char *name = net->input->name, *dot = strrchr(name, '.');
    bool open = false;
    if (!SW_RESERVE(&net->declared, net->dims.count)) {
        return sw_fail_memory(net->error);
    }
    for (size_t i = 0; i < net->dims.count; i++) {
        net->declared.items[net->declared.count++] = net->dims.items[i];
        open |= net->dims.items[i] == OV_OPEN;
    }
    if (!open || !dot || strcmp(dot, ".xml") != 0) {
        return true;
    }
    char *path = sw_arena_string(&net->arena, name, strlen(name));
    if (!path) {
        return sw_fail_memory(net->error);
    }
    memcpy(path + (dot - name), ".bin", 4);
    struct stat about;
    reader->weights.file = sw_open_regular(path, &about, NULL);
    if (reader->weights.file >= 0) {
        reader->weights.size = (uint64_t)about.st_size;
        reader->weights.digest = options ? options->others : NULL;
        if (options && options->uses) {
            options->uses(options->uses_context, path);
        }
    }
    return true;
}

static bool ir_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                    struct sw_error *error) {
    struct ov_reader reader = {.net = {.input = input, .error = error},
                               .program = {.input = input, .builder = builder, .error = error},
                               .lengths = {.given = options ? options->dims : NULL},
                               .weights = {.file = -1}};
    if (!sw_text_check(input, error)) {
        return false;
    }
    bool good = ov_parse(&reader.net) && resolve_edges(&reader) && sort_scopes(&reader) &&
                open_weights(&reader, options) && run_scope(&reader, 0) && check_dims(&reader);
    const char *name = good ? sw_unique_text(&reader.net.arena, reader.net.name, strlen(reader.net.name)) : NULL;
    if (good && name && *name) {
        good = sw_builder_name(builder, name, error);
    }
    if (good && reader.program.nodes.count == 0) {
        good = ov_fail(&reader.net, 1, 1, "there is nothing to plan: no layer runs");
    }
    good = good && sw_program_build(&reader.program) && add_ov_notes(&reader);
    SW_ARRAY_DONE(&reader.stack, &reader.key);
    sw_lengths_done(&reader.lengths);
    if (reader.weights.file >= 0) {
        close(reader.weights.file);
    }
    sw_program_done(&reader.program);
    ov_done(&reader.net);
    return good;
}

/* Is <net the first element? A declaration and comments may stand before it. */
static bool ir_detect(const struct sw_input *input) {
    const char *at = sw_text_begin(input), *end = sw_text_end(input);
    while (at < end) {
        while (at < end && g_ascii_isspace(*at)) {
            at++;
        }
        bool comment = end - at > 4 && memcmp(at, "<!--", 4) == 0;
        bool declaration = end - at > 2 && memcmp(at, "<?", 2) == 0;
        if (!comment && !declaration) {
            break;
        }
        const char *stop = memmem(at, (size_t)(end - at), comment ? "-->" : "?>", comment ? 3 : 2);
        at = stop ? stop + (comment ? 3 : 2) : end;
    }
    return end - at > 5 && memcmp(at, "<net", 4) == 0 && g_ascii_isspace(at[4]) &&
           memmem(at, (size_t)(end - at), "<layers", 7) != NULL;
}

const struct sw_format sw_format_openvino = {
    .name = "openvino",
    .summary = "OpenVINO's IR (.xml): step i is the i-th layer that runs; lives from the layer "
               "that makes a tensor to "
               "the last that reads it, both inside",
    .extensions = ".xml",
    .heeds = SW_HEEDS_DIMS,
    .detect = ir_detect,
    .read = ir_read,
};
