#include "fuzz/fuzz.h"
#include "faults.h"

#include "formats/graphs/graph_json.h"
#include "formats/plans/finished_plan.h"
#include "problem/moment/moment.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

void fuzz_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

struct sw_input fuzz_input(const uint8_t *data, size_t size) {
    return (struct sw_input){.name = "input", .bytes = (const char *)data, .length = size};
}

void fuzz_check_error(const struct sw_input *input, const struct sw_error *error) {
    if (error->code == SW_OK || !*error->message) {
        fuzz_fail("refused without a word");
    }
    uint32_t lines = 1;
    for (size_t i = 0; i < input->length; i++) {
        lines += input->bytes[i] == '\n';
    }
    if (error->line > lines || error->column > input->length + 1) {
        fuzz_fail("the error is at %u:%u, outside the text: %s", error->line, error->column, error->message);
    }
}

struct sw_problem *fuzz_read(const struct sw_format *format, const struct sw_input *input) {
    struct sw_error error = {0};
    struct sw_problem *problem = NULL;
    struct sw_builder *builder = sw_builder_new(&error);
    if (builder && sw_format_read(format, input, NULL, builder, &error)) {
        problem = sw_builder_finish(builder, &error);
    }
    sw_builder_free(builder);
    if (!problem) {
        fuzz_check_error(input, &error);
    }
    return problem;
}

struct sw_problem *fuzz_rewrite(const struct sw_format *format, const struct sw_input *input) {
    struct sw_sink text = {0}, again = {0};
    struct sw_error error = {0};
    struct sw_problem *problem = NULL;
    if (!sw_format_rewrite(format, input, NULL, &text, &error)) {
        fuzz_check_error(input, &error);
        sw_sink_done(&text);
        return NULL;
    }
    if (!sw_format_rewrite(format, input, NULL, &again, &error) || again.text.count != text.text.count ||
        memcmp(again.text.items, text.text.items, text.text.count) != 0) {
        fuzz_fail("%s: other bytes the second time", format->name);
    }
    struct sw_input trace = fuzz_input((const uint8_t *)text.text.items, text.text.count);
    if (!sw_format_trace.detect(&trace)) {
        fuzz_fail("%s: this is no decision trace:\n%.*s", format->name, (int)text.text.count, text.text.items);
    }
    struct sw_builder *builder = sw_builder_new(&error);
    if (builder && sw_format_trace.read(&trace, NULL, builder, &error)) {
        problem = sw_builder_finish(builder, &error);
    }
    sw_builder_free(builder);
    if (!problem) {
        format->locate(&text, &error);
        fuzz_check_error(input, &error);
    }
    sw_sink_done(&text);
    sw_sink_done(&again);
    return problem;
}

/* A buffer lives from its event to the one before its free. */
static void check_request(const struct sw_problem *problem, const struct sw_request *request, uint8_t *state) {
    const struct sw_buffer *buffer = sw_problem_buffer(problem, request->buffer);
    bool alloc = request->kind == SW_REQUEST_ALLOC;
    int64_t first = sw_problem_time(problem, buffer->first);
    if (request->size != buffer->size || state[request->buffer] != (alloc ? 0 : 1)) {
        fuzz_fail("%s is %s out of turn, or with another size", buffer->name, alloc ? "asked for" : "freed");
    }
    /* A free comes at the time behind the last step, which the problem knows only where something happens then. */
    if (alloc ? first != request->time : request->time <= first) {
        fuzz_fail("%s lives from another time on than its request says", buffer->name);
    }
    state[request->buffer]++;
}

void fuzz_requests(const struct sw_problem *problem) {
    const struct sw_requests *requests = sw_problem_told_requests(problem);
    uint32_t count = sw_problem_buffer_count(problem), time = 0;
    if (!requests || requests->references < 1 || !requests->allocator || requests->implied) {
        fuzz_fail("the problem tells no requests");
    }
    uint8_t *state = calloc(count + 1, 1); /* 1: it is there, 2: it was freed */
    if (!state) {
        fuzz_fail("no memory");
    }
    for (size_t i = 0; i < requests->items.count; i++) {
        const struct sw_request *request = &requests->items.items[i];
        bool of_buffer = request->kind == SW_REQUEST_ALLOC || request->kind == SW_REQUEST_FREE;
        if (request->time < time || request->stream >= requests->streams.count ||
            request->pool >= requests->pools.count || of_buffer != (request->buffer != SW_NONE) ||
            (of_buffer && request->buffer >= count)) {
            fuzz_fail("request %zu is out of order, or names what is not there", i);
        }
        time = request->time;
        if (of_buffer) {
            check_request(problem, request, state);
        }
    }
    free(state);
}

void fuzz_serve(const struct sw_problem *problem, const char *name) {
    enum { MOST = 3000 };
    struct sw_error error = {0};
    const struct sw_planner *planner = sw_planner_find(name, &error);
    struct sw_search *search =
        planner && sw_planner_applies(planner, problem, &error) ? sw_search_new(problem, planner, NULL, &error) : NULL;
    enum sw_step step = SW_STEP_MORE;
    uint64_t begin = search ? sw_search_digest(search) : 0;
    for (int i = 0; search && step == SW_STEP_MORE && i < MOST; i++) {
        step = sw_search_step(search, &error);
    }
    if ((!search || step == SW_STEP_FAILED) && (error.code == SW_OK || !*error.message)) {
        fuzz_fail("%s fails and does not say why", name);
    }
    if (search && (!sw_search_seek(search, 0, &error) || sw_search_digest(search) != begin)) {
        fuzz_fail("%s does not come back to its beginning", name);
    }
    sw_search_free(search);
}

/* Write into a sink; false when the format cannot hold the problem. */
static bool write_problem(const struct sw_problem *problem, const struct sw_format *format, bool may_refuse,
                          struct sw_sink *sink) {
    struct sw_error error = {0};
    if (format->write_problem(problem, sink, &error)) {
        return true;
    }
    if (!may_refuse || error.code != SW_ERROR_UNSUPPORTED) {
        fuzz_fail("%s cannot write: %s", format->name, error.message);
    }
    return false;
}

void fuzz_round_trip(const struct sw_problem *problem, const struct sw_format *format, bool may_refuse) {
    struct sw_sink first = {0}, second = {0};
    if (!write_problem(problem, format, may_refuse, &first)) {
        sw_sink_done(&first);
        return;
    }
    struct sw_input input = fuzz_input((const uint8_t *)first.text.items, first.text.count);
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    struct sw_problem *again = NULL;
    if (format->read(&input, NULL, builder, &error)) {
        again = sw_builder_finish(builder, &error);
    }
    sw_builder_free(builder);
    if (!again) {
        fuzz_fail("%s does not read what it wrote: %u:%u: %s\n%.*s", format->name, error.line, error.column,
                  error.message, (int)first.text.count, first.text.items);
    }
    if (sw_problem_digest(again) != sw_problem_digest(problem)) {
        fuzz_fail("%s reads back another problem:\n%.*s", format->name, (int)first.text.count, first.text.items);
    }
    write_problem(again, format, false, &second);
    if (first.text.count != second.text.count || memcmp(first.text.items, second.text.items, first.text.count) != 0) {
        fuzz_fail("%s writes other bytes the second time:\n%.*s", format->name, (int)first.text.count,
                  first.text.items);
    }
    sw_problem_unref(again);
    sw_sink_done(&first);
    sw_sink_done(&second);
}

void fuzz_readable(const struct sw_problem *problem, const struct sw_format *format) {
    struct sw_sink sink = {0};
    bool table =
        sw_problem_moment(problem) && strcmp(format->name, "buffers-csv") == 0; /* which is only read by people */
    if (!table && write_problem(problem, format, true, &sink)) {
        struct sw_input input = fuzz_input((const uint8_t *)sink.text.items, sink.text.count);
        struct sw_problem *again = fuzz_read(format, &input);
        if (!again || sw_problem_planned_count(again) != sw_problem_planned_count(problem)) {
            fuzz_fail("%s does not read what it wrote:\n%.*s", format->name, (int)sink.text.count, sink.text.items);
        }
        sw_problem_unref(again);
    }
    sw_sink_done(&sink);
}

void fuzz_as_table(const struct sw_problem *problem) {
    struct sw_sink sink = {0};
    write_problem(problem, &sw_format_requests_csv, false, &sink);
    struct sw_input input = fuzz_input((const uint8_t *)sink.text.items, sink.text.count);
    struct sw_problem *again = fuzz_read(&sw_format_requests_csv, &input);
    if (!again) {
        fuzz_fail("a table of requests cannot be read:\n%.*s", (int)sink.text.count, sink.text.items);
    }
    sw_problem_unref(again);
    sw_sink_done(&sink);
}

/* ---- plans ---- */

static const char graph[] = "{\"format\":\"stowage-graph\",\"version\":1,"
                            "\"tiers\":[{\"name\":\"sram\",\"capacity\":4096},{\"name\":\"dram\"}],"
                            "\"operators\":["
                            "{\"name\":\"o0\",\"inputs\":[\"a\"],\"outputs\":[\"b\"],\"inplace\":true},"
                            "{\"name\":\"o1\",\"inputs\":[\"b\"],\"outputs\":[\"c\"],\"scratch\":[\"d\"]},"
                            "{\"name\":\"o2\",\"inputs\":[\"c\",\"a\"],\"outputs\":[\"e\"]}],"
                            "\"buffers\":[{\"name\":\"a\",\"kind\":\"input\",\"size\":64},"
                            "{\"name\":\"b\",\"size\":64,\"tier\":\"sram\"},{\"name\":\"c\",\"size\":100,"
                            "\"alignment\":16},"
                            "{\"name\":\"d\",\"kind\":\"scratch\",\"size\":32,\"tiers\":[\"dram\"]},"
                            "{\"name\":\"e\",\"kind\":\"output\",\"size\":10},{\"name\":\"w\",\"kind\":\"constant\","
                            "\"size\":7},"
                            "{\"name\":\"h\",\"size\":40,\"pieces\":[{\"first\":0,\"last\":0,\"lo\":0,\"hi\":40},"
                            "{\"first\":2,\"last\":2,\"lo\":8,\"hi\":24}]}]}";

const struct sw_problem *fuzz_problem(void) {
    static struct sw_problem *problem;
    if (!problem) {
        struct sw_input input = fuzz_input((const uint8_t *)graph, sizeof graph - 1);
        problem = fuzz_read(&sw_format_graph_json, &input);
        if (!problem) {
            fuzz_fail("the graph to match plans with is not valid");
        }
    }
    return problem;
}

void fuzz_plan(const uint8_t *data, size_t size, const struct sw_format *format) {
    const struct sw_problem *problem = fuzz_problem();
    struct sw_input input = fuzz_input(data, size);
    struct sw_error error = {0};
    struct sw_layout *layout = sw_plan_parse(&input, problem, 0, NULL, NULL, &error);
    if (!layout) {
        fuzz_check_error(&input, &error);
        return;
    }
    sw_fault_count(layout, NULL, NULL);
    struct sw_sink sink = {0};
    struct sw_result result = {.layout = layout};
    if (!format->write_plan(&result, &sink, &error)) {
        fuzz_fail("%s cannot write: %s", format->name, error.message);
    }
    struct sw_input copy = fuzz_input((const uint8_t *)sink.text.items, sink.text.count);
    struct sw_layout *again = sw_plan_parse(&copy, problem, 0, NULL, NULL, &error);
    if (!again || sw_layout_digest(again) != sw_layout_digest(layout)) {
        fuzz_fail("%s does not read back the same plan: %s\n%.*s", format->name, error.message, (int)sink.text.count,
                  sink.text.items);
    }
    sw_layout_free(again);
    sw_layout_free(layout);
    sw_sink_done(&sink);
}
