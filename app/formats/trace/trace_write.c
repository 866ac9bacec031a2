/* A decision trace from its header to its end. */
#include "formats/trace/trace_write.h"
#include "base/base.h"
#include "formats/graphs/graph_json.h"
#include "formats/trace/trace_changes.h"
#include "formats/trace/trace_objects.h"
#include "planners/planner.h"

enum { ENOUGH = 1 << 16 }; /* bytes that are collected before they are poured out */

struct sw_trace_writer {
    const struct sw_search *search;
    const struct sw_problem *problem;
    bool states;
    sw_trace_pour_fn *pour;
    void *context;
    struct sw_sink out;
    struct sw_json_out json; /* into it */
    struct sw_trace_layout layout;
    uint32_t group; /* of the last decision */
};

/* ---- names ---- */

static bool path_ends_in(const char *path, size_t length, const char *ending) {
    size_t wanted = strlen(ending);
    return length >= wanted && memcmp(path + length - wanted, ending, wanted) == 0;
}

bool sw_trace_named(const char *path, bool *gzip) {
    size_t length = strlen(path);
    bool packed = path_ends_in(path, length, ".gz");
    length -= packed ? 3 : 0;
    if (gzip) {
        *gzip = packed;
    }
    return path_ends_in(path, length, ".trace") || path_ends_in(path, length, ".trace.jsonl");
}

/* ---- pouring ---- */

static bool pour(struct sw_trace_writer *writer, size_t enough, struct sw_error *error) {
    if (writer->out.failed) {
        return sw_fail_memory(error);
    }
    return writer->out.text.count < enough || writer->pour(writer->context, &writer->out, error);
}

/* ---- the header ---- */

/* A planner that sees the problem in its own way sees it so again: the graph is the one that it was given. */
static bool is_seen_by_name(const struct sw_trace_writer *writer) {
    return sw_search_planner(writer->search)->derive && sw_problem_origin(writer->problem) != writer->problem;
}

static void put_header(struct sw_trace_writer *writer) {
    struct sw_json_out *json = &writer->json;
    const struct sw_params *params = sw_search_params(writer->search);
    const char *planner = sw_search_planner(writer->search)->name;
    sw_put_object(json, NULL);
    sw_put_count(json, "stowage-trace", 1);
    sw_put_text(json, "planner", planner);
    sw_put_text(json, "model", sw_problem_name(writer->problem));
    sw_put_object(json, "parameters");
    sw_put_count(json, "seed", params->seed);
    for (size_t i = 0; i < params->settings.count; i++) {
        sw_put_text(json, params->settings.items[i].key, params->settings.items[i].value);
    }
    sw_put_end(json);
    sw_put_text(json, "writer", "stowage");
    if (is_seen_by_name(writer)) {
        sw_put_text(json, "as_seen_by", planner);
    }
    sw_put_end(json);
}

/* The graph as its format has it, on one line: line breaks stand between its values only, for in texts they are
 * escaped. */
static bool put_trace_graph(struct sw_trace_writer *writer, struct sw_error *error) {
    const struct sw_problem *problem = is_seen_by_name(writer) ? sw_problem_origin(writer->problem) : writer->problem;
    struct sw_sink graph = {0};
    bool good = sw_graph_json_write(problem, &graph, error);
    sw_put_object(&writer->json, NULL);
    sw_put_raw(&writer->json, "graph");
    for (size_t at = 0, length; good && at < graph.text.count; at += length) {
        const char *line = graph.text.items + at, *end = memchr(line, '\n', graph.text.count - at);
        length = end ? (size_t)(end - line) : graph.text.count - at;
        sw_sink_add(&writer->out, line, length);
        for (; at + length < graph.text.count && strchr("\n ", line[length]); length++) {
        }
    }
    sw_put_end(&writer->json);
    sw_sink_done(&graph);
    return good;
}

struct sw_trace_writer *sw_trace_writer_new(const struct sw_search *search, bool states, sw_trace_pour_fn *pour_fn,
                                            void *context, struct sw_error *error) {
    if (sw_search_planner(search)->rewrites) {
        sw_fail(error, SW_ERROR_UNSUPPORTED, "a trace is about one model, and %s goes on with another one",
                sw_search_planner(search)->name);
        return NULL;
    }
    struct sw_trace_writer *writer = SW_NEW_ZERO(struct sw_trace_writer, 1);
    if (!writer) {
        sw_fail_memory(error);
        return NULL;
    }
    writer->search = search;
    writer->problem = sw_search_problem(search);
    writer->states = states;
    writer->pour = pour_fn;
    writer->context = context;
    writer->json.out = &writer->out;
    put_header(writer);
    if (!sw_trace_layout_start(&writer->layout, writer->problem, error) || !put_trace_graph(writer, error) ||
        !pour(writer, ENOUGH, error)) {
        sw_trace_writer_free(writer);
        return NULL;
    }
    return writer;
}

void sw_trace_writer_free(struct sw_trace_writer *writer) {
    if (writer) {
        sw_trace_layout_done(&writer->layout);
        sw_sink_done(&writer->out);
        SW_FREE(writer, 1);
    }
}

/* ---- decisions ---- */

static void put_group(struct sw_trace_writer *writer, uint32_t group) {
    const char *noun = sw_search_planner(writer->search)->group_noun;
    struct sw_sink name = {0};
    if (group == writer->group) {
        return;
    }
    writer->group = group;
    sw_sink_printf(&name, "%s %" PRIu32, noun ? noun : "group", group);
    sw_sink_add(&name, "", 1);
    sw_put_object(&writer->json, NULL);
    sw_put_text(&writer->json, "group", name.failed ? "" : name.text.items);
    sw_put_count(&writer->json, "number", group);
    sw_put_end(&writer->json);
    writer->out.failed |= name.failed;
    sw_sink_done(&name);
}

bool sw_trace_writer_decision(struct sw_trace_writer *writer, const struct sw_explanation *why,
                              struct sw_error *error) {
    struct sw_json_out *json = &writer->json;
    put_group(writer, why->decision.group);
    for (size_t i = 0; i < why->candidates.count; i++) {
        sw_trace_put_candidate(writer->problem, &why->candidates.items[i], json);
    }
    sw_trace_open_decision(writer->problem, why, json);
    if (!sw_trace_put_changes(&writer->layout, sw_search_layout(writer->search), &why->decision, json, error)) {
        return false;
    }
    sw_trace_close_decision(writer->problem, why, json);
    if (writer->states) {
        sw_trace_put_states(writer->search, json);
    }
    return pour(writer, ENOUGH, error);
}

/* ---- the end ---- */

bool sw_trace_writer_end(struct sw_trace_writer *writer, const char *failure, uint64_t stopped_at,
                         struct sw_error *error) {
    struct sw_json_out *json = &writer->json;
    struct sw_claims claims;
    struct sw_metrics metrics;
    sw_search_claims(writer->search, &claims);
    sw_metrics_of(sw_search_layout(writer->search), &metrics);
    sw_put_object(json, NULL);
    sw_put_text(json, "end", failure ? "failed" : "done");
    if (failure) {
        sw_put_text(json, "reason", failure);
    } else { /* each of several tiers has its own, and the decisions have them */
        sw_put_known(json, "peak", metrics.single_tier, metrics.peak);
    }
    if (stopped_at) {
        sw_put_count(json, "stopped_at", stopped_at);
    }
    if (claims.no_addresses) {
        sw_put_truth(json, "no_addresses", true);
    }
    if (claims.has_migration) {
        sw_put_count(json, "migration_bytes", claims.migration_bytes);
    }
    sw_put_end(json);
    return pour(writer, 0, error);
}
