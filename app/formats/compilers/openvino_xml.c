/* Parsing OpenVINO's IR. The XML is read here, as far as such files go: elements, attributes, the usual entities,
 * comments, CDATA, without namespaces and schemas. glib's reader would end the program when memory runs out. */
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
    const char *at, *end, *tag; /* tag: where the element that is told of begins */
    const char *line_start;     /* of the last place that was asked for */
    uint32_t line;
    SW_ARRAY(struct sw_text) open; /* elements */
    SW_ARRAY(const char *) names;  /* attributes of the element, NULL behind the last */
    SW_ARRAY(const char *) values;
    uint32_t scope, layer; /* inside of which we are; SW_NONE */
    unsigned depth;
    bool output; /* inside of a layer's <output> */
    bool port, dim, failed;
    bool otherwise; /* inside of an If's <else_...> */
    enum { LIST_NONE, LIST_MAP, LIST_BACK } list;
    char text[32];
};

/* Places are asked for in the order of the text: lines are counted once. */
static void place(struct parser *parser, uint32_t *line, uint32_t *column) {
    const char *found;
    while (parser->line_start < parser->tag &&
           (found = memchr(parser->line_start, '\n', (size_t)(parser->tag - parser->line_start)))) {
        parser->line_start = found + 1;
        parser->line += parser->line < UINT32_MAX;
    }
    size_t behind = (size_t)(parser->tag - parser->line_start) + 1;
    *line = parser->line;
    *column = behind < UINT32_MAX ? (uint32_t)behind : UINT32_MAX;
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

const char *ov_attribute(const struct ov_layer *layer, const char *name) {
    for (const char *const *at = layer->attributes; at && *at; at += 2) {
        if (strcmp(*at, name) == 0) {
            return at[1];
        }
    }
    return NULL;
}

/* An attribute; "" when it is not there. */
static const char *keep(const char **names, const char **values, const char *name) {
    const char *value = attribute(names, values, name);
    return value ? value : "";
}

/* "3/12" or "3/12/0", in a text of its own. */
static struct sw_text key_of(struct sw_arena *arena, char *room, size_t size, uint32_t scope, const char *layer,
                             const char *port) {
    int length = snprintf(room, size, "%u/%s%s%s", scope, layer, port ? "/" : "", port ? port : "");
    struct sw_text key = {room, length < 0 || (size_t)length >= size ? size - 1 : (size_t)length};
    key.at = arena ? sw_arena_string(arena, room, key.length) : room;
    return key;
}

uint32_t ov_find_layer(const struct ov_net *net, uint32_t scope, const char *layer) {
    return ov_find_port(net, scope, layer, NULL);
}

uint32_t ov_find_port(const struct ov_net *net, uint32_t scope, const char *layer, const char *port) {
    char room[128];
    struct sw_text key = key_of(NULL, room, sizeof room, scope, layer, port);
    return sw_names_find(&net->by_id, key.at, key.length);
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
    if (sw_names_find(&parser->net->by_id, key.at, key.length) != SW_NONE) {
        return fail(parser, port ? "two ports of a layer have the same id" : "two layers have the same id");
    }
    return sw_names_set(&parser->net->by_id, key.at, key.length, number) || fail_memory(parser);
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
    struct ov_layer layer = {.id = keep(names, values, "id"),
                             .name = keep(names, values, "name"),
                             .kind = keep(names, values, "type"),
                             .precision = keep(names, values, "precision"),
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
    return remember(parser, layer.id, NULL, parser->layer) && (SW_PUSH(&net->layers, layer) || fail_memory(parser));
}

static bool begin_port(struct parser *parser, const char **names, const char **values) {
    struct ov_net *net = parser->net;
    struct ov_layer *layer = &net->layers.items[parser->layer];
    const char *type = attribute(names, values, "precision");
    struct ov_port port = {.id = keep(names, values, "id"),
                           .layer = parser->layer,
                           .first_dim = net->dims.count,
                           .type = type ? keep(names, values, "precision") : NULL,
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
    return remember(parser, layer->id, port.id, number) && (SW_PUSH(&net->ports, port) || fail_memory(parser));
}

static bool add_edge(struct parser *parser, const char **names, const char **values) {
    struct ov_net *net = parser->net;
    uint32_t line, column;
    place(parser, &line, &column);
    struct ov_edge edge = {.from_layer = keep(names, values, "from-layer"),
                           .from_port = keep(names, values, "from-port"),
                           .to_layer = keep(names, values, "to-layer"),
                           .to_port = keep(names, values, "to-port"),
                           .scope = parser->scope,
                           .line = line,
                           .column = column,
                           .source = SW_NONE,
                           .next = SW_NONE};
    return SW_PUSH(&net->edges, edge) || fail_memory(parser);
}

static bool add_map(struct parser *parser, enum ov_map_kind kind, const char **names, const char **values) {
    bool back = kind == OV_MAP_BACK;
    struct ov_map map = {.kind = kind,
                         .outside = keep(names, values, back ? "from-layer" : "external_port_id"),
                         .inside = keep(names, values, back ? "to-layer" : "internal_layer_id"),
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

/* <data axis="1"/> */
static bool keep_data(struct parser *parser) {
    struct ov_net *net = parser->net;
    size_t count = parser->names.count - 1, used = 0; /* NULL stands behind the last */
    const char **list = sw_arena_new(&net->arena, 2 * count + 1, sizeof *list);
    if (!list) {
        return fail_memory(parser);
    }
    for (size_t i = 0; i < count; i++) {
        list[used++] = parser->names.items[i];
        list[used++] = parser->values.items[i];
    }
    list[used] = NULL;
    net->layers.items[parser->layer].attributes = list;
    return true;
}

static bool begin_net(struct parser *parser, const char **names, const char **values) {
    const char *version = attribute(names, values, "version");
    if (parser->scope != SW_NONE) {
        return fail(parser, "a <net> within another one");
    }
    parser->net->name = keep(names, values, "name");
    parser->net->version = version ? strtoll(version, NULL, 10) : 0;
    return !parser->failed && begin_scope(parser, false);
}

static bool begin_inside_layer(struct parser *parser, const char *element, const char **names, const char **values) {
    bool back = parser->list == LIST_BACK;
    parser->otherwise |= strncmp(element, "else_", 5) == 0;
    if (strcmp(element, "data") == 0 && parser->list == LIST_NONE && !parser->output) {
        return keep_data(parser);
    }
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

static bool begin(struct parser *parser, const char *element, const char **names, const char **values) {
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
    if (end == text || strspn(end, " \t\r\n") != strlen(end) || length < OV_OPEN || (uint64_t)length == SW_MAX_BYTES ||
        length > INT64_C(1) << 60) {
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

/* ---- XML ---- */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == ':' || (unsigned char)c >= 0x80;
}

static bool next_is(const struct parser *parser, const char *word) {
    size_t length = strlen(word);
    return (size_t)(parser->end - parser->at) >= length && memcmp(parser->at, word, length) == 0;
}

static void skip_blanks(struct parser *parser) {
    while (parser->at < parser->end && is_blank(*parser->at)) {
        parser->at++;
    }
}

static struct sw_text take_name(struct parser *parser) {
    struct sw_text name = {parser->at, 0};
    while (parser->at < parser->end && is_name(*parser->at)) {
        parser->at++;
    }
    name.length = (size_t)(parser->at - name.at);
    return name;
}

/* "&amp;", "&#65;" or "&#x41;": the character, written to `to`. Where it ends in the text; NULL: it is none. */
static const char *decode(const char *at, const char *end, char **to) {
    static const char *const words[] = {"amp;&", "lt;<", "gt;>", "quot;\"", "apos;'"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]) - 1;
        if ((size_t)(end - at) > length && memcmp(at + 1, words[i], length) == 0) {
            *(*to)++ = words[i][length];
            return at + 1 + length;
        }
    }
    bool hex = end - at > 2 && at[2] == 'x';
    char *stop = NULL;
    const char *digits = at + (hex ? 3 : 2);
    if (end - at < 4 || at[1] != '#' || !memchr(digits, ';', (size_t)(end - digits))) {
        return NULL;
    }
    unsigned long code = g_ascii_isxdigit(*digits) ? strtoul(digits, &stop, hex ? 16 : 10) : 0;
    if (!stop || *stop != ';' || code < 32 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
        return NULL;
    }
    *to += sw_utf8_encode((uint32_t)code, *to);
    return stop + 1;
}

/* An attribute's value, a copy; what stands for a character is never shorter than it. */
static bool take_value(struct parser *parser, const char **value) {
    char quote = parser->at < parser->end ? *parser->at : '\0';
    const char *stop =
        quote == '"' || quote == '\'' ? memchr(parser->at + 1, quote, (size_t)(parser->end - parser->at - 1)) : NULL;
    if (!stop) {
        return fail(parser, "the XML is wrong: an attribute has no value in quotes");
    }
    const char *at = parser->at + 1;
    char *copy = sw_arena_string(&parser->net->arena, at, (size_t)(stop - at)), *to = copy;
    if (!copy) {
        return fail_memory(parser);
    }
    while (at < stop) {
        if (*at != '&') {
            *to++ = *at++;
        } else if (!(at = decode(at, stop, &to))) {
            return fail(parser, "the XML is wrong: & stands for no character");
        }
    }
    *to = '\0';
    *value = copy;
    parser->at = stop + 1;
    return true;
}

static bool take_attributes(struct parser *parser) {
    parser->names.count = parser->values.count = 0;
    for (skip_blanks(parser); parser->at < parser->end && is_name(*parser->at); skip_blanks(parser)) {
        struct sw_text name = take_name(parser);
        const char *copy = sw_arena_string(&parser->net->arena, name.at, name.length), *value = NULL;
        skip_blanks(parser);
        if (!next_is(parser, "=")) {
            return fail(parser, "the XML is wrong: an attribute has no value in quotes");
        }
        parser->at++;
        skip_blanks(parser);
        if (!take_value(parser, &value)) {
            return false;
        }
        if (!copy || !SW_PUSH(&parser->names, copy) || !SW_PUSH(&parser->values, value)) {
            return fail_memory(parser);
        }
    }
    const char *none = NULL;
    return (SW_PUSH(&parser->names, none) && SW_PUSH(&parser->values, none)) || fail_memory(parser);
}

/* "<layer id="0">", "<dim/>", "</layer>" */
static bool read_element(struct parser *parser) {
    char element[64];
    parser->at++;
    bool closing = next_is(parser, "/");
    parser->at += closing;
    struct sw_text name = take_name(parser);
    if (name.length == 0 || name.length >= sizeof element) {
        return fail(parser, "the XML is wrong: < begins no element");
    }
    memcpy(element, name.at, name.length);
    element[name.length] = '\0';
    bool empty = false;
    if (!closing && !take_attributes(parser)) {
        return false;
    }
    skip_blanks(parser);
    empty = !closing && next_is(parser, "/");
    parser->at += empty;
    if (!next_is(parser, ">")) {
        return fail(parser, "the XML is wrong: an element is not closed with >");
    }
    parser->at++;
    if (!closing && !(SW_PUSH(&parser->open, name) || fail_memory(parser))) {
        return false;
    }
    if (!closing && !begin(parser, element, parser->names.items, parser->values.items)) {
        return false;
    }
    if (!closing && !empty) {
        return !parser->failed;
    }
    if (parser->open.count == 0 || !sw_text_is(parser->open.items[parser->open.count - 1], element)) {
        return fail(parser, "the XML is wrong: this element was not begun, or others in it are not ended");
    }
    parser->open.count--;
    return end(parser, element) && !parser->failed;
}

/* What stands between elements: only the text of dimensions matters. */
static bool read_text(struct parser *parser) {
    const char *stop = memchr(parser->at, '<', (size_t)(parser->end - parser->at)), *from = parser->at;
    parser->at = stop ? stop : parser->end;
    size_t length = (size_t)(parser->at - from), used = strlen(parser->text);
    if (parser->dim && length < sizeof parser->text - used) {
        memcpy(parser->text + used, from, length);
        parser->text[used + length] = '\0';
    } else if (parser->dim) {
        snprintf(parser->text, sizeof parser->text, "too long");
    }
    for (; from < parser->at && parser->open.count == 0; from++) {
        if (!is_blank(*from)) {
            return fail(parser, "the XML is wrong: text outside of all elements");
        }
    }
    return true;
}

static bool skip_to(struct parser *parser, const char *word) {
    const char *found = memmem(parser->at, (size_t)(parser->end - parser->at), word, strlen(word));
    parser->at = found ? found + strlen(word) : parser->end;
    return found || fail(parser, "the XML is cut off");
}

static bool read_all(struct parser *parser) {
    while (parser->at < parser->end) {
        bool good;
        parser->tag = parser->at;
        if (*parser->at != '<') {
            good = read_text(parser);
        } else if (next_is(parser, "<!--")) {
            good = skip_to(parser, "-->");
        } else if (next_is(parser, "<?")) {
            good = skip_to(parser, "?>");
        } else if (next_is(parser, "<![CDATA[")) {
            good = skip_to(parser, "]]>");
        } else {
            good = next_is(parser, "<!") ? skip_to(parser, ">") : read_element(parser);
        }
        if (!good) {
            return false;
        }
    }
    parser->tag = parser->end;
    return parser->open.count == 0 || fail(parser, "the XML is cut off: an element is not ended");
}

bool ov_parse(struct ov_net *net) {
    struct parser parser = {.net = net, .scope = SW_NONE, .layer = SW_NONE, .line = 1};
    parser.at = parser.tag = parser.line_start = sw_text_begin(net->input);
    parser.end = sw_text_end(net->input);
    bool good = read_all(&parser);
    if (good && net->layers.count == 0) {
        good = fail(&parser, "the model has no layers");
    }
    SW_ARRAY_DONE(&parser.open);
    SW_ARRAY_DONE(&parser.names);
    SW_ARRAY_DONE(&parser.values);
    return good && !parser.failed;
}

void ov_done(struct ov_net *net) {
    SW_ARRAY_DONE(&net->layers);
    SW_ARRAY_DONE(&net->ports);
    SW_ARRAY_DONE(&net->dims);
    SW_ARRAY_DONE(&net->declared);
    SW_ARRAY_DONE(&net->edges);
    SW_ARRAY_DONE(&net->maps);
    SW_ARRAY_DONE(&net->scopes);
    SW_ARRAY_DONE(&net->members);
    sw_names_done(&net->by_id);
    sw_arena_done(&net->arena);
}
