/* Parsing OpenVINO's IR with glib's reader of XML. */
#include "formats/compilers/openvino.h"
#include "base/text.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 256 /* of elements */
#define MOST_MAPS 4096

struct parser {
    struct ov_net *net;
    GMarkupParseContext *context;
    uint32_t scope, layer; /* inside of which we are; SW_NONE */
    unsigned depth;
    bool output; /* inside of a layer's <output> */
    bool port, dim, failed;
    bool otherwise; /* inside of an If's <else_...> */
    enum { LIST_NONE, LIST_MAP, LIST_BACK } list;
    char text[32];
};

/* glib stands behind an element when it tells of it, and so perhaps on the next line. */
static void place(const struct parser *parser, uint32_t *line, uint32_t *column) {
    gint at_line = 1, at_column = 1;
    g_markup_parse_context_get_position(parser->context, &at_line, &at_column);
    *line = (uint32_t)(at_column <= 1 && at_line > 1 ? at_line - 1 : at_line);
    *column = (uint32_t)(at_column < 1 ? 1 : at_column);
}

static bool fail(struct parser *parser, const char *what) {
    if (!parser->failed) {
        uint32_t line, column;
        place(parser, &line, &column);
        sw_fail(parser->net->error, SW_ERROR_INPUT, "%s", what);
        sw_error_at(parser->net->error, parser->net->input->name, line, column);
    }
    parser->failed = true;
    return false;
}

static bool fail_memory(struct parser *parser) {
    parser->failed = true;
    return sw_fail_memory(parser->net->error);
}

static const char *attribute(const char **names, const char **values, const char *name) {
    for (; *names; names++, values++) {
        if (strcmp(*names, name) == 0) {
            return *values;
        }
    }
    return NULL;
}

/* A copy of an attribute; "" when it is not there. */
static const char *keep(struct parser *parser, const char **names, const char **values,
                        const char *name) {
    const char *value = attribute(names, values, name);
    value = value ? value : "";
    const char *copy = sw_arena_string(&parser->net->arena, value, strlen(value));
    parser->failed |= !copy && !fail_memory(parser);
    return copy ? copy : "";
}

/* "3/12" or "3/12/0", in a text of its own. */
static struct sw_text key_of(struct sw_arena *arena, char *room, size_t size, uint32_t scope,
                             const char *layer, const char *port) {
    int length = snprintf(room, size, "%u/%s%s%s", scope, layer, port ? "/" : "", port ? port : "");
    struct sw_text key = {room, length < 0 || (size_t)length >= size ? size - 1 : (size_t)length};
    key.at = arena ? sw_arena_string(arena, room, key.length) : room;
    return key;
}

uint32_t ov_find_layer(const struct ov_net *net, uint32_t scope, const char *layer) {
    char room[128];
    return sw_index_get(&net->by_id, key_of(NULL, room, sizeof room, scope, layer, NULL));
}

uint32_t ov_find_port(const struct ov_net *net, uint32_t scope, const char *layer,
                      const char *port) {
    char room[128];
    return sw_index_get(&net->by_id, key_of(NULL, room, sizeof room, scope, layer, port));
}

static bool remember(struct parser *parser, const char *layer, const char *port, uint32_t number) {
    char room[128];
    struct sw_text key = key_of(&parser->net->arena, room, sizeof room, parser->scope, layer, port);
    if (!key.at) {
        return fail_memory(parser);
    }
    if (strlen(layer) + (port ? strlen(port) : 0) > 64) {
        return fail(parser, "an id longer than 64 characters");
    }
    if (sw_index_get(&parser->net->by_id, key) != SW_NONE) {
        return fail(parser,
                    port ? "two ports of a layer have the same id" : "two layers have the same id");
    }
    return sw_index_put(&parser->net->by_id, key, number) || fail_memory(parser);
}

/* ---- elements ---- */

static bool begin_scope(struct parser *parser, bool otherwise) {
    struct ov_net *net = parser->net;
    struct ov_scope scope = {.owner = parser->layer, .otherwise = otherwise, .next = SW_NONE};
    uint32_t number = (uint32_t)net->scopes.count;
    if (parser->layer != SW_NONE) {
        struct ov_layer *owner = &net->layers.items[parser->layer];
        if (owner->first_scope == SW_NONE) {
            owner->first_scope = number;
        } else {
            net->scopes.items[owner->last_scope].next = number;
        }
        owner->last_scope = number;
    }
    parser->scope = number;
    parser->layer = SW_NONE;
    return SW_PUSH(&net->scopes, scope) || fail_memory(parser);
}

static bool begin_layer(struct parser *parser, const char **names, const char **values) {
    struct ov_net *net = parser->net;
    uint32_t line, column;
    place(parser, &line, &column);
    struct ov_layer layer = {.id = keep(parser, names, values, "id"),
                             .name = keep(parser, names, values, "name"),
                             .kind = keep(parser, names, values, "type"),
                             .precision = keep(parser, names, values, "precision"),
                             .scope = parser->scope,
                             .line = line,
                             .column = column,
                             .first_port = SW_NONE,
                             .last_port = SW_NONE,
                             .first_scope = SW_NONE,
                             .first_map = SW_NONE,
                             .last_map = SW_NONE,
                             .first_edge = SW_NONE,
                             .last_edge = SW_NONE};
    if (!*layer.id || !*layer.kind) {
        return fail(parser, "a layer without id or type");
    }
    parser->layer = (uint32_t)net->layers.count;
    return remember(parser, layer.id, NULL, parser->layer) &&
           (SW_PUSH(&net->layers, layer) || fail_memory(parser));
}

static bool begin_port(struct parser *parser, const char **names, const char **values) {
    struct ov_net *net = parser->net;
    struct ov_layer *layer = &net->layers.items[parser->layer];
    const char *type = attribute(names, values, "precision");
    struct ov_port port = {.id = keep(parser, names, values, "id"),
                           .layer = parser->layer,
                           .first_dim = net->dims.count,
                           .type = type ? keep(parser, names, values, "precision") : NULL,
                           .value = SW_NONE,
                           .next = SW_NONE};
    uint32_t number = (uint32_t)net->ports.count;
    if (layer->first_port == SW_NONE) {
        layer->first_port = number;
    } else {
        net->ports.items[layer->last_port].next = number;
    }
    layer->last_port = number;
    parser->port = true;
    return remember(parser, layer->id, port.id, number) &&
           (SW_PUSH(&net->ports, port) || fail_memory(parser));
}

static bool add_edge(struct parser *parser, const char **names, const char **values) {
    struct ov_net *net = parser->net;
    uint32_t line, column;
    place(parser, &line, &column);
    struct ov_edge edge = {.from_layer = keep(parser, names, values, "from-layer"),
                           .from_port = keep(parser, names, values, "from-port"),
                           .to_layer = keep(parser, names, values, "to-layer"),
                           .to_port = keep(parser, names, values, "to-port"),
                           .scope = parser->scope,
                           .line = line,
                           .column = column,
                           .source = SW_NONE,
                           .next = SW_NONE};
    return SW_PUSH(&net->edges, edge) || fail_memory(parser);
}

static bool add_map(struct parser *parser, enum ov_map_kind kind, const char **names,
                    const char **values) {
    bool back = kind == OV_MAP_BACK;
    struct ov_map map = {
        .kind = kind,
        .outside = keep(parser, names, values, back ? "from-layer" : "external_port_id"),
        .inside = keep(parser, names, values, back ? "to-layer" : "internal_layer_id"),
        .sliced = attribute(names, values, "axis") != NULL,
        .otherwise = parser->otherwise,
        .next = SW_NONE};
    struct ov_layer *layer = &parser->net->layers.items[parser->layer];
    uint32_t number = (uint32_t)parser->net->maps.count;
    if (++layer->map_count > MOST_MAPS) {
        return fail(parser, "a body with more than 4096 inputs and outputs");
    }
    if (layer->first_map == SW_NONE) {
        layer->first_map = number;
    } else {
        parser->net->maps.items[layer->last_map].next = number;
    }
    layer->last_map = number;
    return SW_PUSH(&parser->net->maps, map) || fail_memory(parser);
}

static bool begin_net(struct parser *parser, const char **names, const char **values) {
    const char *version = attribute(names, values, "version");
    if (parser->scope != SW_NONE) {
        return fail(parser, "a <net> within another one");
    }
    parser->net->name = keep(parser, names, values, "name");
    parser->net->version = version ? strtoll(version, NULL, 10) : 0;
    return !parser->failed && begin_scope(parser, false);
}

static bool begin_inside_layer(struct parser *parser, const char *element, const char **names,
                               const char **values) {
    bool back = parser->list == LIST_BACK;
    parser->otherwise |= strncmp(element, "else_", 5) == 0;
    if (strcmp(element, "output") == 0 && parser->list == LIST_NONE) {
        parser->output = true;
    } else if (strcmp(element, "port") == 0 && parser->output) {
        return begin_port(parser, names, values);
    } else if (strcmp(element, "dim") == 0 && parser->port) {
        parser->dim = true;
        parser->text[0] = '\0';
    } else if (g_str_has_suffix(element, "port_map")) {
        parser->list = LIST_MAP;
    } else if (strcmp(element, "back_edges") == 0) {
        parser->list = LIST_BACK;
    } else if (parser->list == LIST_MAP && strcmp(element, "input") == 0) {
        return add_map(parser, OV_MAP_IN, names, values);
    } else if (parser->list == LIST_MAP && strcmp(element, "output") == 0) {
        return add_map(parser, OV_MAP_OUT, names, values);
    } else if (back && strcmp(element, "edge") == 0) {
        return add_map(parser, OV_MAP_BACK, names, values);
    } else if (g_str_has_suffix(element, "body")) {
        return begin_scope(parser, parser->otherwise);
    }
    return true;
}

static bool begin(struct parser *parser, const char *element, const char **names,
                  const char **values) {
    if (parser->depth++ > MOST_DEPTH) {
        return fail(parser, "elements more than 256 levels deep");
    }
    if (parser->layer != SW_NONE) {
        return begin_inside_layer(parser, element, names, values);
    }
    if (strcmp(element, "net") == 0) {
        return begin_net(parser, names, values);
    }
    if (parser->scope == SW_NONE) {
        return fail(parser, "this is no model of OpenVINO: its XML begins with <net>");
    }
    if (strcmp(element, "layer") == 0) {
        return begin_layer(parser, names, values);
    }
    return strcmp(element, "edge") != 0 || add_edge(parser, names, values);
}

/* "-1", or in the text of a range "1..8" the last number. */
static bool end_dim(struct parser *parser) {
    struct ov_net *net = parser->net;
    char *end;
    const char *text = parser->text + strspn(parser->text, " \t\r\n");
    long long length = strtoll(text, &end, 10);
    parser->dim = false;
    if (end == text || strspn(end, " \t\r\n") != strlen(end) || length < OV_OPEN ||
        (uint64_t)length == SW_MAX_BYTES || length > INT64_C(1) << 60) {
        return fail(parser, "the dimension is not a number up to 2^60, or -1 where it is open");
    }
    net->ports.items[net->ports.count - 1].rank++;
    int64_t dim = length;
    return SW_PUSH(&net->dims, dim) || fail_memory(parser);
}

static bool end(struct parser *parser, const char *element) {
    struct ov_net *net = parser->net;
    parser->depth--;
    if (parser->dim && strcmp(element, "dim") == 0) {
        return end_dim(parser);
    }
    if (parser->layer == SW_NONE && g_str_has_suffix(element, "body") && parser->scope != SW_NONE &&
        net->scopes.items[parser->scope].owner != SW_NONE) {
        parser->layer = net->scopes.items[parser->scope].owner;
        parser->scope = net->layers.items[parser->layer].scope;
    } else if (parser->layer != SW_NONE && strcmp(element, "layer") == 0) {
        parser->layer = SW_NONE;
        parser->output = parser->port = false;
    } else if (strcmp(element, "port") == 0) {
        parser->port = false;
    } else if (strcmp(element, "output") == 0) {
        parser->output = false;
    } else if (g_str_has_suffix(element, "port_map") || strcmp(element, "back_edges") == 0) {
        parser->list = LIST_NONE;
    }
    parser->otherwise &= strncmp(element, "else_", 5) != 0;
    return true;
}

/* ---- glib ---- */

static void stop(GError **error) {
    g_set_error_literal(error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, "stopped");
}

static void on_begin(GMarkupParseContext *context, const char *element, const char **names,
                     const char **values, void *data, GError **error) {
    struct parser *parser = data;
    (void)context;
    if (!begin(parser, element, names, values) || parser->failed) {
        stop(error);
    }
}

static void on_end(GMarkupParseContext *context, const char *element, void *data, GError **error) {
    struct parser *parser = data;
    (void)context;
    if (!end(parser, element) || parser->failed) {
        stop(error);
    }
}

static void on_text(GMarkupParseContext *context, const char *text, gsize length, void *data,
                    GError **error) {
    struct parser *parser = data;
    size_t used = strlen(parser->text);
    (void)context;
    (void)error;
    if (parser->dim && length < sizeof parser->text - used) {
        memcpy(parser->text + used, text, length);
        parser->text[used + length] = '\0';
    } else if (parser->dim) {
        snprintf(parser->text, sizeof parser->text, "too long");
    }
}

/* glib's words stand behind "Error on line 1 char 2: ". */
static bool fail_xml(struct parser *parser, const GError *why) {
    char text[200];
    const char *words = strstr(why->message, ": ");
    snprintf(text, sizeof text, "the XML is wrong: %.150s", words ? words + 2 : why->message);
    size_t kept = sw_utf8_cut(text, strlen(text), sizeof text - 1);
    text[kept] = '\0';
    for (char *at = text; *at; at++) {
        *at = *at == '\n' ? ' ' : *at;
    }
    return fail(parser, text);
}

bool ov_parse(struct ov_net *net) {
    static const GMarkupParser callbacks = {
        .start_element = on_begin, .end_element = on_end, .text = on_text};
    const char *text = sw_text_begin(net->input);
    struct parser parser = {.net = net, .scope = SW_NONE, .layer = SW_NONE};
    GError *why = NULL;
    parser.context = g_markup_parse_context_new(&callbacks, 0, &parser, NULL);
    bool good = g_markup_parse_context_parse(parser.context, text,
                                             (gssize)(sw_text_end(net->input) - text), &why) &&
                g_markup_parse_context_end_parse(parser.context, &why);
    if (!good && !parser.failed) {
        fail_xml(&parser, why);
    } else if (good && net->layers.count == 0) {
        good = fail(&parser, "the model has no layers");
    }
    g_clear_error(&why);
    g_markup_parse_context_free(parser.context);
    return good && !parser.failed;
}

void ov_done(struct ov_net *net) {
    SW_ARRAY_DONE(&net->layers);
    SW_ARRAY_DONE(&net->ports);
    SW_ARRAY_DONE(&net->dims);
    SW_ARRAY_DONE(&net->edges);
    SW_ARRAY_DONE(&net->maps);
    SW_ARRAY_DONE(&net->scopes);
    SW_ARRAY_DONE(&net->members);
    sw_index_done(&net->by_id);
    sw_arena_done(&net->arena);
}
