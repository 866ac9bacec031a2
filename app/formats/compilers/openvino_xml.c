/* Parsing OpenVINO's IR. expat reads the XML, in memory of ours; here is what its elements mean. */
#include "formats/compilers/openvino.h"
#include "base/base.h"

#include <expat.h>
#include <glib.h>

#define MOST_XML_DEPTH 256 /* of elements */
#define MOST_MAPS 4096

struct parser {
    struct ov_net *net;
    XML_Parser xml;
    const char *tag; /* where the element that is told of begins */
    struct sw_line_count lines;
    uint32_t scope, layer; /* inside of which we are; SW_NONE */
    unsigned depth;
    bool output; /* inside of a layer's <output> */
    bool port, dim, failed;
    bool otherwise; /* inside of an If's <else_...> */
    enum { LIST_NONE, LIST_MAP, LIST_BACK } list;
    char text[32];
};

static bool fail_parse(struct parser *parser, const char *what) {
    if (parser->failed) {
        return false;
    }
    parser->failed = true;
    struct sw_position at = sw_line_position(&parser->lines, parser->tag);
    return ov_fail(parser->net, at.line, at.column, "%s", what);
}

static bool fail_xml_memory(struct parser *parser) {
    parser->failed = true;
    return sw_fail_memory(parser->net->error);
}

/* The value in a list of names and values, by turns. */
static const char *attribute_of(const char *const *attributes, const char *name) {
    for (; attributes && *attributes; attributes += 2) {
        if (strcmp(*attributes, name) == 0) {
            return attributes[1];
        }
    }
    return NULL;
}

const char *ov_attribute(const struct ov_layer *layer, const char *name) {
    return attribute_of(layer->attributes, name);
}

/* A copy; without memory the parser fails, and the text is "". */
static const char *keep_xml_text(struct parser *parser, const char *text) {
    const char *copy = sw_arena_string(&parser->net->arena, text, strlen(text));
    if (!copy) {
        fail_xml_memory(parser);
    }
    return copy ? copy : "";
}

/* A copy of an attribute; "" when it is not there. */
static const char *keep_attribute(struct parser *parser, const char **attributes, const char *name) {
    const char *value = attribute_of(attributes, name);
    return value ? keep_xml_text(parser, value) : "";
}

/* "3/12" or "3/12/0", in a text of its own. */
static struct sw_input_text port_key(struct sw_arena *arena, char *room, size_t size, uint32_t scope, const char *layer,
                                     const char *port) {
    int length = snprintf(room, size, "%u/%s%s%s", scope, layer, port ? "/" : "", port ? port : "");
    struct sw_input_text key = {room, length < 0 || (size_t)length >= size ? size - 1 : (size_t)length};
    key.at = arena ? sw_arena_string(arena, room, key.length) : room;
    return key;
}

uint32_t ov_find_layer(const struct ov_net *net, uint32_t scope, const char *layer) {
    return ov_find_port(net, scope, layer, NULL);
}

uint32_t ov_find_port(const struct ov_net *net, uint32_t scope, const char *layer, const char *port) {
    char room[128];
    struct sw_input_text key = port_key(NULL, room, sizeof room, scope, layer, port);
    return sw_names_find(&net->by_id, key.at, key.length);
}

static bool remember_id(struct parser *parser, const char *layer, const char *port, uint32_t number) {
    char room[128];
    struct sw_input_text key = port_key(&parser->net->arena, room, sizeof room, parser->scope, layer, port);
    if (!key.at) {
        return fail_xml_memory(parser);
    }
    if (strlen(layer) + (port ? strlen(port) : 0) > 64) {
        return fail_parse(parser, "an id longer than 64 characters");
    }
    if (sw_names_find(&parser->net->by_id, key.at, key.length) != SW_NONE) {
        return fail_parse(parser, port ? "two ports of a layer have the same id" : "two layers have the same id");
    }
    return sw_names_set(&parser->net->by_id, key.at, key.length, number) || fail_xml_memory(parser);
}

/* ---- elements ---- */

static bool begin_scope(struct parser *parser, bool otherwise) {
    struct ov_net *net = parser->net;
    struct ov_scope scope = {.owner = parser->layer, .otherwise = otherwise, .next = SW_NONE};
    uint32_t number = (uint32_t)net->scopes.count;
    if (parser->layer != SW_NONE) {
        struct ov_layer *owner = &net->layers.items[parser->layer];
        uint32_t *link =
            owner->first_scope == SW_NONE ? &owner->first_scope : &net->scopes.items[owner->last_scope].next;
        *link = owner->last_scope = number;
    }
    parser->scope = number;
    parser->layer = SW_NONE;
    return SW_PUSH(&net->scopes, scope) || fail_xml_memory(parser);
}

static bool begin_layer(struct parser *parser, const char **attributes) {
    struct ov_net *net = parser->net;
    struct sw_position at = sw_line_position(&parser->lines, parser->tag);
    struct ov_layer layer = {.id = keep_attribute(parser, attributes, "id"),
                             .name = keep_attribute(parser, attributes, "name"),
                             .kind = keep_attribute(parser, attributes, "type"),
                             .precision = keep_attribute(parser, attributes, "precision"),
                             .scope = parser->scope,
                             .line = at.line,
                             .column = at.column,
                             .first_port = SW_NONE,
                             .last_port = SW_NONE,
                             .first_scope = SW_NONE,
                             .first_map = SW_NONE,
                             .last_map = SW_NONE,
                             .first_edge = SW_NONE,
                             .last_edge = SW_NONE};
    if (!*layer.id || !*layer.kind) {
        return fail_parse(parser, "a layer without id or type");
    }
    parser->layer = (uint32_t)net->layers.count;
    return remember_id(parser, layer.id, NULL, parser->layer) &&
           (SW_PUSH(&net->layers, layer) || fail_xml_memory(parser));
}

static bool begin_port(struct parser *parser, const char **attributes) {
    struct ov_net *net = parser->net;
    struct ov_layer *layer = &net->layers.items[parser->layer];
    const char *type = attribute_of(attributes, "precision");
    struct ov_port port = {.id = keep_attribute(parser, attributes, "id"),
                           .layer = parser->layer,
                           .first_dim = net->dims.count,
                           .type = type ? keep_attribute(parser, attributes, "precision") : NULL,
                           .value = SW_NONE,
                           .next = SW_NONE};
    uint32_t number = (uint32_t)net->ports.count;
    uint32_t *link = layer->first_port == SW_NONE ? &layer->first_port : &net->ports.items[layer->last_port].next;
    *link = layer->last_port = number;
    parser->port = true;
    return remember_id(parser, layer->id, port.id, number) && (SW_PUSH(&net->ports, port) || fail_xml_memory(parser));
}

static bool add_xml_edge(struct parser *parser, const char **attributes) {
    struct ov_net *net = parser->net;
    struct sw_position at = sw_line_position(&parser->lines, parser->tag);
    struct ov_edge edge = {.from_layer = keep_attribute(parser, attributes, "from-layer"),
                           .from_port = keep_attribute(parser, attributes, "from-port"),
                           .to_layer = keep_attribute(parser, attributes, "to-layer"),
                           .to_port = keep_attribute(parser, attributes, "to-port"),
                           .scope = parser->scope,
                           .line = at.line,
                           .column = at.column,
                           .source = SW_NONE,
                           .next = SW_NONE};
    return SW_PUSH(&net->edges, edge) || fail_xml_memory(parser);
}

static bool add_xml_map(struct parser *parser, enum ov_map_kind kind, const char **attributes) {
    bool back = kind == OV_MAP_BACK;
    struct ov_map map = {.kind = kind,
                         .outside = keep_attribute(parser, attributes, back ? "from-layer" : "external_port_id"),
                         .inside = keep_attribute(parser, attributes, back ? "to-layer" : "internal_layer_id"),
                         .sliced = attribute_of(attributes, "axis") != NULL,
                         .otherwise = parser->otherwise,
                         .next = SW_NONE};
    struct ov_layer *layer = &parser->net->layers.items[parser->layer];
    uint32_t number = (uint32_t)parser->net->maps.count;
    if (++layer->map_count > MOST_MAPS) {
        return fail_parse(parser, "a body with more than 4096 inputs and outputs");
    }
    uint32_t *link = layer->first_map == SW_NONE ? &layer->first_map : &parser->net->maps.items[layer->last_map].next;
    *link = layer->last_map = number;
    return SW_PUSH(&parser->net->maps, map) || fail_xml_memory(parser);
}

/* <data axis="1"/> */
static bool keep_data(struct parser *parser, const char **attributes) {
    size_t count = 0;
    while (attributes[count]) {
        count++;
    }
    const char **list = sw_arena_new(&parser->net->arena, count + 1, sizeof *list);
    if (!list) {
        return fail_xml_memory(parser);
    }
    for (size_t i = 0; i < count; i++) {
        list[i] = keep_xml_text(parser, attributes[i]);
    }
    parser->net->layers.items[parser->layer].attributes = list;
    return true;
}

static bool begin_net(struct parser *parser, const char **attributes) {
    const char *version = attribute_of(attributes, "version");
    if (parser->scope != SW_NONE) {
        return fail_parse(parser, "a <net> within another one");
    }
    parser->net->name = keep_attribute(parser, attributes, "name");
    parser->net->version = version ? strtoll(version, NULL, 10) : 0;
    return !parser->failed && begin_scope(parser, false);
}

static bool begin_inside_layer(struct parser *parser, const char *element, const char **attributes) {
    bool back = parser->list == LIST_BACK;
    parser->otherwise |= strncmp(element, "else_", 5) == 0;
    if (strcmp(element, "data") == 0 && parser->list == LIST_NONE && !parser->output) {
        return keep_data(parser, attributes);
    }
    if (strcmp(element, "output") == 0 && parser->list == LIST_NONE) {
        parser->output = true;
    } else if (strcmp(element, "port") == 0 && parser->output) {
        return begin_port(parser, attributes);
    } else if (strcmp(element, "dim") == 0 && parser->port) {
        parser->dim = true;
        parser->text[0] = '\0';
    } else if (g_str_has_suffix(element, "port_map")) {
        parser->list = LIST_MAP;
    } else if (strcmp(element, "back_edges") == 0) {
        parser->list = LIST_BACK;
    } else if (parser->list == LIST_MAP && strcmp(element, "input") == 0) {
        return add_xml_map(parser, OV_MAP_IN, attributes);
    } else if (parser->list == LIST_MAP && strcmp(element, "output") == 0) {
        return add_xml_map(parser, OV_MAP_OUT, attributes);
    } else if (back && strcmp(element, "edge") == 0) {
        return add_xml_map(parser, OV_MAP_BACK, attributes);
    } else if (g_str_has_suffix(element, "body")) {
        return begin_scope(parser, parser->otherwise);
    }
    return true;
}

static bool begin_any(struct parser *parser, const char *element, const char **attributes) {
    if (parser->depth++ > MOST_XML_DEPTH) {
        return fail_parse(parser, "elements more than 256 levels deep");
    }
    if (parser->layer != SW_NONE) {
        return begin_inside_layer(parser, element, attributes);
    }
    if (strcmp(element, "net") == 0) {
        return begin_net(parser, attributes);
    }
    if (parser->scope == SW_NONE) {
        return fail_parse(parser, "this is no model of OpenVINO: its XML begins with <net>");
    }
    if (strcmp(element, "layer") == 0) {
        return begin_layer(parser, attributes);
    }
    return strcmp(element, "edge") != 0 || add_xml_edge(parser, attributes);
}

/* "-1", or in the text of a range "1..8" the last number. */
static bool end_dim(struct parser *parser) {
    struct ov_net *net = parser->net;
    char *end;
    const char *text = parser->text + strspn(parser->text, " \t\r\n");
    long long length = strtoll(text, &end, 10);
    parser->dim = false;
    if (end == text || strspn(end, " \t\r\n") != strlen(end) || length < OV_OPEN || (uint64_t)length == SW_MAX_BYTES ||
        length > INT64_C(1) << 60) {
        return fail_parse(parser, "the dimension is not a number up to 2^60, or -1 where it is open");
    }
    net->ports.items[net->ports.count - 1].rank++;
    int64_t dim = length;
    return SW_PUSH(&net->dims, dim) || fail_xml_memory(parser);
}

static bool end_any(struct parser *parser, const char *element) {
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

/* ---- XML ---- */

static const char *xml_event_at(const struct parser *parser) {
    return sw_text_begin(parser->net->input) + XML_GetCurrentByteIndex(parser->xml);
}

static void stop_unless(struct parser *parser, bool good) {
    if (!good || parser->failed) {
        XML_StopParser(parser->xml, XML_FALSE);
    }
}

static void XMLCALL begin_element(void *context, const char *element, const char **attributes) {
    struct parser *parser = context;
    parser->tag = xml_event_at(parser);
    stop_unless(parser, begin_any(parser, element, attributes));
}

static void XMLCALL end_element(void *context, const char *element) {
    struct parser *parser = context;
    if (XML_GetCurrentByteCount(parser->xml) > 0) { /* else "<dim/>" ends, which has begun in its place */
        parser->tag = xml_event_at(parser);
    }
    stop_unless(parser, !parser->failed && end_any(parser, element));
}

/* Of what stands between elements only the text of dimensions matters. */
static void XMLCALL add_xml_text(void *context, const char *text, int length) {
    struct parser *parser = context;
    size_t used = strlen(parser->text), more = (size_t)length;
    if (parser->dim && more < sizeof parser->text - used) {
        memcpy(parser->text + used, text, more);
        parser->text[used + more] = '\0';
    } else if (parser->dim) {
        snprintf(parser->text, sizeof parser->text, "too long");
    }
}

/* What expat found, and where. */
static bool fail_xml(struct parser *parser) {
    char text[100];
    enum XML_Error code = XML_GetErrorCode(parser->xml);
    if (parser->failed || code == XML_ERROR_NO_MEMORY) {
        return parser->failed ? false : fail_xml_memory(parser);
    }
    parser->tag = xml_event_at(parser);
    snprintf(text, sizeof text, "the XML is wrong: %s", XML_ErrorString(code));
    return fail_parse(parser, code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_UNCLOSED_TOKEN
                                  ? "the XML is cut off: an element is not ended"
                                  : text);
}

static bool read_xml(struct parser *parser) {
    enum { PIECE = 1 << 24 };
    const char *at = sw_text_begin(parser->net->input), *stop = sw_text_end(parser->net->input);
    XML_SetUserData(parser->xml, parser);
    XML_SetElementHandler(parser->xml, begin_element, end_element);
    XML_SetCharacterDataHandler(parser->xml, add_xml_text);
    for (bool last = false; !last;) {
        int length = (int)SW_MIN(stop - at, PIECE);
        last = length == stop - at;
        if (XML_Parse(parser->xml, at, length, last) == XML_STATUS_ERROR) {
            return fail_xml(parser);
        }
        at += length;
    }
    parser->tag = stop;
    return parser->net->layers.count > 0 || fail_parse(parser, "the model has no layers");
}

bool ov_parse(struct ov_net *net) {
    static const XML_Memory_Handling_Suite memory = {sw_mem_new_sized, sw_mem_resize_sized, sw_mem_free_sized};
    struct parser parser = {.net = net, .scope = SW_NONE, .layer = SW_NONE};
    parser.tag = parser.lines.begin = sw_text_begin(net->input);
    parser.xml = XML_ParserCreate_MM("UTF-8", &memory, NULL);
    bool good = parser.xml ? read_xml(&parser) : fail_xml_memory(&parser);
    XML_ParserFree(parser.xml);
    return good;
}

void ov_done(struct ov_net *net) {
    SW_ARRAY_DONE(&net->layers, &net->ports, &net->dims, &net->declared, &net->edges, &net->maps, &net->scopes,
                  &net->members);
    sw_names_done(&net->by_id);
    sw_arena_done(&net->arena);
}
