/* What PyTorch's Inductor writes for its simulator before it reorders a graph for less peak memory (the artifact NAME_fused of
 * a TORCH_TRACE log): nodes, the buffers that they write, and their sizes. It is a problem, no decision: which order was taken
 * is not in it.
 *
 * Inductor counts a buffer from the node that writes it to the last that reads it. Of a node with several results the whole is
 * one buffer, which costs memory (size_alloc) and is never given back (size_free is 0), and its results are buffers of other
 * nodes, which cost nothing and are given back. Here the results are what the first node writes, and the whole is none. */
#include "formats/text/json.h"
#include "formats/text/unique.h"
#include "formats/tools/placed.h"
#include "formats/trace/read/trace_names.h"

#include <inttypes.h>
#include <string.h>

struct buffer {
    const char *name;
    const json_t *deps;
    uint64_t allocated, freed;
    bool input, output;
    uint32_t node;  /* that writes it; SW_NONE */
    uint32_t whole; /* the buffer that it is a part of; SW_NONE */
    struct sw_position position;
};
struct node {
    const char *name;
    struct sw_position position;
};
struct reader {
    struct sw_json json;
    struct sw_error *error;
    struct sw_builder *builder;
    SW_ARRAY(struct buffer) buffers;
    SW_ARRAY(struct node) nodes;
    SW_ARRAY(const char *) reads, writes; /* of the present node */
    struct sw_trace_names names;
    struct sw_trace_names inputs; /* of the present node */
    uint64_t unknown, uneven;
    struct sw_arena arena;
    struct sw_unique node_names;
};

static bool need(struct reader *reader, const char *key, const json_t *value) {
    return value || sw_json_missing(&reader->json, key, reader->error);
}

/* ---- buffers ---- */

static bool read_buffer(struct reader *reader, const json_t *item, struct sw_position position) {
    static const char *const keys[] = {"name", "size_alloc", "size_free", "is_input", "is_output", "deps"};
    json_t *v[6];
    struct buffer buffer = {.node = SW_NONE, .whole = SW_NONE, .position = position};
    const struct sw_json *json = &reader->json;
    if (!sw_json_collect(json, item, keys, 6, true, v, reader->error)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        if (!need(reader, keys[i], v[i])) {
            return false;
        }
    }
    buffer.deps = v[5];
    if (!sw_json_string(json, keys[0], v[0], &buffer.name, reader->error) ||
        !sw_json_unsigned(json, keys[1], v[1], 0, SW_MAX_BYTES, &buffer.allocated, reader->error) ||
        !sw_json_unsigned(json, keys[2], v[2], 0, SW_MAX_BYTES, &buffer.freed, reader->error) ||
        !sw_json_flag(json, keys[3], v[3], &buffer.input, reader->error) ||
        !sw_json_flag(json, keys[4], v[4], &buffer.output, reader->error) ||
        !sw_json_array(json, keys[5], v[5], reader->error)) {
        return false;
    }
    if (!*buffer.name) {
        return sw_json_fail(json, keys[0], reader->error, "the name of a buffer is empty");
    }
    if (sw_trace_names_find(&reader->names, buffer.name) != SW_NONE) {
        return sw_json_fail(json, keys[0], reader->error, "there are two buffers with this name");
    }
    return (sw_trace_names_set(&reader->names, buffer.name, (uint32_t)reader->buffers.count) &&
            SW_PUSH(&reader->buffers, buffer)) ||
           sw_fail_memory(reader->error);
}

typedef bool item_fn(struct reader *, const json_t *, struct sw_position);

static bool each(struct reader *reader, const char *key, const json_t *array, item_fn *read) {
    if (!need(reader, key, array) || !sw_json_array(&reader->json, key, array, reader->error)) {
        return false;
    }
    struct sw_json_items items;
    sw_json_items_begin(&items, &reader->json, key);
    sw_json_enter(&reader->json, key);
    for (size_t i = 0; i < json_array_size(array); i++) {
        sw_json_enter_index(&reader->json, i);
        if (!read(reader, json_array_get(array, i), sw_json_items_next(&items))) {
            return false;
        }
        sw_json_leave(&reader->json);
    }
    sw_json_leave(&reader->json);
    return true;
}

/* ---- nodes ---- */

/* Every name in a list that is one of a buffer. */
static bool read_names(struct reader *reader, const char *key, const json_t *list, uint32_t node) {
    if (!need(reader, key, list) || !sw_json_array(&reader->json, key, list, reader->error)) {
        return false;
    }
    sw_json_enter(&reader->json, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        sw_json_enter_index(&reader->json, i);
        if (!json_is_string(item)) {
            return sw_json_fail(&reader->json, NULL, reader->error, "this must be the name of a buffer");
        }
        uint32_t found = sw_trace_names_find(&reader->names, json_string_value(item));
        if (found == SW_NONE) {
            return sw_json_fail(&reader->json, NULL, reader->error, "there is no buffer with this name");
        }
        if (reader->buffers.items[found].node != SW_NONE) {
            return sw_json_fail(&reader->json, NULL, reader->error, "another node writes this buffer already");
        }
        reader->buffers.items[found].node = node;
        sw_json_leave(&reader->json);
    }
    sw_json_leave(&reader->json);
    return true;
}

static bool read_node(struct reader *reader, const json_t *item, struct sw_position position) {
    static const char *const keys[] = {"name", "buffer_names"};
    json_t *v[2];
    struct node node = {.position = position};
    if (!sw_json_collect(&reader->json, item, keys, 2, true, v, reader->error) || !need(reader, keys[0], v[0]) ||
        !sw_json_string(&reader->json, keys[0], v[0], &node.name, reader->error) ||
        !read_names(reader, keys[1], v[1], (uint32_t)reader->nodes.count)) {
        return false;
    }
    node.name = sw_unique_name(&reader->node_names, &reader->arena, *node.name ? node.name : "node");
    return (node.name && SW_PUSH(&reader->nodes, node)) || sw_fail_memory(reader->error);
}

/* ---- the graph ---- */

static bool is_whole(const struct buffer *buffer) {
    return buffer->allocated > 0 && buffer->freed == 0;
}

static bool is_part(const struct buffer *buffer) {
    return buffer->allocated == 0 && buffer->freed > 0;
}

/* A part's whole is the one that its node reads. */
static void find_wholes(struct reader *reader) {
    for (size_t i = 0; i < reader->buffers.count; i++) {
        struct buffer *buffer = &reader->buffers.items[i];
        for (size_t k = 0; is_part(buffer) && buffer->whole == SW_NONE && k < json_array_size(buffer->deps); k++) {
            const char *name = json_string_value(json_array_get(buffer->deps, k));
            uint32_t found = name ? sw_trace_names_find(&reader->names, name) : SW_NONE;
            buffer->whole = found != SW_NONE && is_whole(&reader->buffers.items[found]) ? found : SW_NONE;
        }
    }
    for (size_t i = 0; i < reader->buffers.count; i++) {
        const struct buffer *buffer = &reader->buffers.items[i];
        reader->uneven += buffer->allocated != buffer->freed && !is_whole(buffer) && !is_part(buffer);
    }
}

/* Is it memory of its own in the graph? */
static bool has_memory(const struct buffer *buffer) {
    return buffer->allocated > 0 && buffer->freed > 0 ? true : is_part(buffer);
}

/* The parts of each whole, and the buffers of each node, as lists: the first, and the next of each. */
struct chains {
    SW_ARRAY(uint32_t) of_node, of_whole, next_in_node, next_in_whole;
};

static bool chain(struct reader *reader, size_t nodes, struct chains *chains) {
    size_t count = reader->buffers.count;
    for (size_t i = 0; i < nodes; i++) {
        if (!SW_PUSH(&chains->of_node, SW_NONE)) {
            return sw_fail_memory(reader->error);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!SW_PUSH(&chains->of_whole, SW_NONE) || !SW_PUSH(&chains->next_in_node, SW_NONE) ||
            !SW_PUSH(&chains->next_in_whole, SW_NONE)) {
            return sw_fail_memory(reader->error);
        }
    }
    for (size_t i = count; i-- > 0;) {
        const struct buffer *buffer = &reader->buffers.items[i];
        if (buffer->node != SW_NONE) {
            chains->next_in_node.items[i] = chains->of_node.items[buffer->node];
            chains->of_node.items[buffer->node] = (uint32_t)i;
        }
        if (buffer->whole != SW_NONE) {
            chains->next_in_whole.items[i] = chains->of_whole.items[buffer->whole];
            chains->of_whole.items[buffer->whole] = (uint32_t)i;
        }
    }
    return true;
}

/* What a node writes: its buffers, and of a whole the parts. */
static bool list_writes(struct reader *reader, const struct chains *chains, uint32_t node) {
    reader->writes.count = 0;
    for (uint32_t b = chains->of_node.items[node]; b != SW_NONE; b = chains->next_in_node.items[b]) {
        const struct buffer *buffer = &reader->buffers.items[b];
        if (has_memory(buffer) && buffer->whole == SW_NONE && !buffer->input && !SW_PUSH(&reader->writes, buffer->name)) {
            return sw_fail_memory(reader->error);
        }
        for (uint32_t p = chains->of_whole.items[b]; p != SW_NONE; p = chains->next_in_whole.items[p]) {
            const struct buffer *part = &reader->buffers.items[p];
            if (!part->input && !SW_PUSH(&reader->writes, part->name)) {
                return sw_fail_memory(reader->error);
            }
        }
    }
    return true;
}

/* One more that a node reads, once. */
static bool add_read(struct reader *reader, uint32_t buffer, uint32_t node) {
    const char *name = reader->buffers.items[buffer].name;
    if (!has_memory(&reader->buffers.items[buffer]) || sw_trace_names_find(&reader->inputs, name) == node) {
        return true;
    }
    return (sw_trace_names_set(&reader->inputs, name, node) && SW_PUSH(&reader->reads, name)) || sw_fail_memory(reader->error);
}

/* What it reads: what its buffers depend on; the node that takes a part out of a whole reads that part. */
static bool list_reads(struct reader *reader, const struct chains *chains, uint32_t node) {
    reader->reads.count = 0;
    for (uint32_t b = chains->of_node.items[node]; b != SW_NONE; b = chains->next_in_node.items[b]) {
        const struct buffer *buffer = &reader->buffers.items[b];
        if (buffer->whole != SW_NONE && !add_read(reader, b, node)) {
            return false;
        }
        for (size_t k = 0; k < json_array_size(buffer->deps); k++) {
            const char *name = json_string_value(json_array_get(buffer->deps, k));
            uint32_t found = name ? sw_trace_names_find(&reader->names, name) : SW_NONE;
            reader->unknown += found == SW_NONE;
            if (found != SW_NONE && reader->buffers.items[found].node != node && !add_read(reader, found, node)) {
                return false;
            }
        }
    }
    return true;
}

static bool build_nodes(struct reader *reader, const struct chains *chains) {
    for (uint32_t i = 0; i < reader->nodes.count; i++) {
        const struct node *node = &reader->nodes.items[i];
        if (!list_reads(reader, chains, i) || !list_writes(reader, chains, i)) {
            return false;
        }
        struct sw_operator_spec spec = {.name = node->name,
                                        .inputs = reader->reads.items,
                                        .input_count = reader->reads.count,
                                        .outputs = reader->writes.items,
                                        .output_count = reader->writes.count};
        sw_builder_at(reader->builder, node->position.line, node->position.column);
        if (!sw_builder_operator(reader->builder, &spec, reader->error)) {
            return false;
        }
    }
    return true;
}

static bool build_buffers(struct reader *reader) {
    for (size_t i = 0; i < reader->buffers.count; i++) {
        const struct buffer *buffer = &reader->buffers.items[i];
        bool given = buffer->input || (buffer->node == SW_NONE && buffer->whole == SW_NONE);
        struct sw_buffer_spec spec = {.name = buffer->name,
                                      .has_size = true,
                                      .size = buffer->freed > buffer->allocated ? buffer->freed : buffer->allocated,
                                      .kind = given            ? SW_KIND_INPUT
                                              : buffer->output ? SW_KIND_OUTPUT
                                                               : SW_KIND_INTERMEDIATE};
        spec.output = buffer->output;
        sw_builder_at(reader->builder, buffer->position.line, buffer->position.column);
        if (has_memory(buffer) && !sw_builder_buffer(reader->builder, &spec, reader->error)) {
            return false;
        }
    }
    return true;
}

static bool tell(struct reader *reader) {
    return sw_builder_note(reader->builder,
                           "Inductor writes this before it reorders the graph: it is a problem. Which order was taken is not in "
                           "it, nor any decision; inputs that cannot be freed are left out",
                           reader->error) &&
           (reader->unknown == 0 || sw_notef(reader->builder, reader->error,
                                             "%" PRIu64 " time%s a buffer depends on one that is not listed", reader->unknown,
                                             reader->unknown == 1 ? "" : "s")) &&
           (reader->uneven == 0 ||
            sw_notef(reader->builder, reader->error, "%" PRIu64 " buffer%s another size when freed: the larger one counts",
                     reader->uneven, reader->uneven == 1 ? " has" : "s have"));
}

static bool read_all(struct reader *reader) {
    static const char *const keys[] = {"nodes", "buffers"};
    json_t *v[2];
    struct chains chains = {0};
    if (!sw_json_collect(&reader->json, reader->json.root, keys, 2, true, v, reader->error) ||
        !(sw_unique_init(&reader->node_names, json_array_size(v[0]) + 1) || sw_fail_memory(reader->error)) ||
        !each(reader, keys[1], v[1], read_buffer) || !each(reader, keys[0], v[0], read_node)) {
        return false;
    }
    find_wholes(reader);
    bool good = chain(reader, reader->nodes.count, &chains) && build_buffers(reader) && build_nodes(reader, &chains) &&
                tell(reader);
    SW_ARRAY_DONE(&chains.of_node);
    SW_ARRAY_DONE(&chains.of_whole);
    SW_ARRAY_DONE(&chains.next_in_node);
    SW_ARRAY_DONE(&chains.next_in_whole);
    return good;
}

static bool inductor_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                          struct sw_error *error) {
    struct sw_error own = {0};
    struct reader reader = {.error = &own, .builder = builder};
    (void)options;
    bool good = sw_json_open(&reader.json, input, &own) && read_all(&reader);
    sw_json_close(&reader.json);
    SW_ARRAY_DONE(&reader.buffers);
    SW_ARRAY_DONE(&reader.nodes);
    SW_ARRAY_DONE(&reader.reads);
    SW_ARRAY_DONE(&reader.writes);
    sw_trace_names_done(&reader.names);
    sw_trace_names_done(&reader.inputs);
    if (reader.node_names.table) {
        sw_unique_done(&reader.node_names);
    }
    sw_arena_done(&reader.arena);
    if (!good && error) {
        *error = own;
    }
    return good;
}

/* An object with nodes that have buffer_names, and buffers that have size_alloc: the first of each. */
static bool first_has(const char *list, const char *end, const char *key) {
    struct sw_json_walk items, members;
    sw_json_walk_begin(&items, list, end);
    if (list >= end || *list != '[' || !sw_json_walk_next(&items)) {
        return false;
    }
    const char *item = items.value;
    sw_json_walk_begin(&members, item, end);
    while (item < end && *item == '{' && sw_json_walk_next(&members)) {
        if (sw_json_walk_is(&members, key)) {
            return true;
        }
    }
    return false;
}

static bool inductor_detect(const struct sw_input *input) {
    const char *end = sw_text_end(input), *begin = sw_json_skip_space(sw_text_begin(input), end);
    struct sw_json_walk walk;
    bool nodes = false, buffers = false;
    if (begin == end || *begin != '{') {
        return false;
    }
    sw_json_walk_begin(&walk, begin, end);
    for (int i = 0; i < 8 && sw_json_walk_next(&walk); i++) {
        nodes |= sw_json_walk_is(&walk, "nodes") && first_has(walk.value, end, "buffer_names");
        buffers |= sw_json_walk_is(&walk, "buffers") && first_has(walk.value, end, "size_alloc");
    }
    return nodes && buffers;
}

const struct sw_format sw_format_inductor = {
    .name = "inductor",
    .summary = "PyTorch Inductor's graph before it is reordered for peak memory ({\"nodes\", \"buffers\"}): a problem, no "
               "decisions",
    .extensions = ".json",
    .detect = inductor_detect,
    .read = inductor_read,
};
