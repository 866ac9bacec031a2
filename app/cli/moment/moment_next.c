/* stowage plan MOMENT --then REQUESTS: the heap begins as the moment shows it, and serves the requests of a table. */
#include "base/base.h"
#include "cli/moment/moment_parts.h"
#include "cli/shared/output.h"
#include "heap/heap_moment.h"
#include "planners/planner.h"

static const struct sw_report_column next_columns[] = {
    {.name = "event", .left = true},
    {.name = "id", .left = true},
    {.name = "size"},
    {.name = "block"},
    {.name = "address"},
    {.json = "new_segment", .csv = "new_segment", .head = "new segment"},
    {.json = "refused", .csv = "refused"},
    {.json = "given_back", .csv = "given_back"},
    {.json = "served", .csv = "served"},
    {.json = "reason", .csv = "reason"},
};

struct moment_next {
    const struct sw_problem *asked;
    const struct sw_requests *requests;
    const struct sw_planner *planner;
    struct sw_moment_start start;
    uint64_t failed; /* requests */
};

/* ---- one request ---- */

static const char *event_words(unsigned kind) {
    return kind == SW_REQUEST_ALLOC ? "alloc" : kind == SW_REQUEST_EMPTY ? "empty_cache" : "free";
}

static void put_next_row(const struct moment_next *next, const struct sw_request *request,
                         const struct sw_moment_answer *answer, struct sw_cli_report *out) {
    bool alloc = request->kind == SW_REQUEST_ALLOC;
    const struct sw_buffer *buffer =
        request->buffer == SW_NONE ? NULL : sw_problem_buffer(next->asked, request->buffer);
    sw_row_text(out, event_words(request->kind));
    sw_row_text(out, buffer ? buffer->name : NULL);
    sw_row_known(out, alloc, request->size);
    sw_row_known(out, alloc && answer->block > 0, answer->block);
    if (answer->address == SW_NO_ADDRESS) {
        sw_row_none(out);
    } else if (sw_report_is_read(out)) {
        sw_row_words(out, "0x%" PRIx64, answer->address);
    } else {
        sw_row_known(out, true, answer->address);
    }
    sw_row_known(out, answer->segment > 0, answer->segment);
    sw_row_known(out, answer->refused > 0, answer->refused);
    sw_row_known(out, answer->given > 0, answer->given);
    sw_row_truth(out, alloc, !answer->failed);
    sw_row_text(out, answer->why);
    if (alloc || answer->given > 0) {
        sw_row_note(out, "  %s", answer->why);
    }
    if (answer->refused > 0) {
        sw_row_note(out, "  refused: %s more%s", SW_BYTES(answer->refused),
                    answer->failed ? "" : ", before it was served");
    }
    if (answer->given > 0) {
        sw_row_note(out, "  given back: %s", SW_BYTES(answer->given));
    }
}

static bool serve_next(struct moment_next *next, const struct sw_request *request, struct sw_cli_report *out,
                       struct sw_error *error) {
    struct sw_moment_answer answer;
    struct sw_turn turn = SW_TURN_NEW;
    turn.kind = (enum sw_request_kind)request->kind;
    turn.buffer = request->buffer == SW_NONE ? SW_NONE : next->start.held + request->buffer;
    turn.size = request->size;
    turn.stream = sw_requests_stream(next->start.known, next->requests->streams.items[request->stream]);
    if (turn.stream == SW_NONE) {
        return sw_fail_memory(error);
    }
    if (!sw_moment_go_on(next->start.heap, &turn, &answer, error)) {
        return false;
    }
    next->failed += answer.failed;
    put_next_row(next, request, &answer, out);
    return true;
}

/* ---- the report ---- */

static void put_bound(const struct moment_next *next, struct sw_cli_report *out) {
    static const char *const keys[] = {[SW_MOMENT_BOUND_GIVEN] = "given",
                                       [SW_MOMENT_BOUND_TOLD] = "told",
                                       [SW_MOMENT_BOUND_FAILED] = "failure",
                                       [SW_MOMENT_BOUND_NONE] = "none"};
    const struct sw_heap *heap = next->start.heap;
    uint64_t most = SW_MIN(heap->limit, heap->device);
    sw_put_text(&out->json, "planner", next->planner->name);
    sw_put_known(&out->json, "limit", most != SW_UNBOUNDED, most);
    sw_put_text(&out->json, "limit_from", keys[next->start.bound]);
    sw_sink_printf(out->words, "%s, from what the moment shows. ", next->planner->name);
    switch (next->start.bound) {
    case SW_MOMENT_BOUND_GIVEN:
        sw_sink_printf(out->words, "It may reserve %s, as given.\n\n", SW_BYTES(most));
        break;
    case SW_MOMENT_BOUND_TOLD:
        sw_sink_printf(out->words, "It may reserve %s, as the moment tells.\n\n", SW_BYTES(most));
        break;
    case SW_MOMENT_BOUND_FAILED:
        sw_sink_printf(out->words,
                       "No limit is told. As a request failed, it\nmay reserve no more than now, %s; --capacity "
                       "gives another limit.\n\n",
                       SW_BYTES(most));
        break;
    default:
        sw_sink_printf(out->words, "No limit is told, so new segments are\nnever refused; --capacity gives one.\n\n");
    }
}

static void put_after(const struct moment_next *next, struct sw_cli_report *out) {
    const struct sw_heap *heap = next->start.heap;
    uint64_t largest = sw_heap_largest_free(heap);
    sw_put_object(&out->json, "after");
    SW_PUT_COUNTS(&out->json, {"reserved", heap->reserved}, {"in_use", heap->allocated},
                  {"free", heap->reserved - heap->active}, {"largest_free", largest}, {"failed", next->failed});
    sw_put_end(&out->json);
    sw_sink_printf(out->words, "\nThen\n");
    sw_report_bytes(out->words, "reserved", heap->reserved, "%s", "");
    sw_report_bytes(out->words, "in use", heap->allocated, "%s", "");
    sw_report_bytes(out->words, "free", heap->reserved - heap->active, "%s", "");
    sw_report_bytes(out->words, "largest free", largest, "%s", "");
}

static int report_next(struct sw_cli *cli, const struct sw_problem *problem, struct moment_next *next) {
    struct sw_cli_report out;
    struct sw_error error = {0};
    bool good = true;
    sw_cli_report_start(&out, cli->output && cli->format == SW_OUTPUT_TEXT ? SW_OUTPUT_JSON : cli->format);
    sw_report_about(&out, problem);
    sw_sink_printf(out.words, ", and then\n");
    put_bound(next, &out);
    sw_rows_begin(&out, "requests", next_columns, sizeof next_columns / sizeof *next_columns);
    for (size_t i = 0; good && i < next->requests->items.count; i++) {
        const struct sw_request *request = &next->requests->items.items[i];
        bool known = request->kind == SW_REQUEST_ALLOC || request->kind == SW_REQUEST_FREE ||
                     request->kind == SW_REQUEST_FREE_ASKED || request->kind == SW_REQUEST_FREE_COMPLETED ||
                     request->kind == SW_REQUEST_EMPTY;
        good = !known || serve_next(next, request, &out, &error);
    }
    sw_rows_end(&out);
    if (!good) {
        sw_cli_report_drop(&out);
        return sw_cli_fail(&error);
    }
    put_after(next, &out);
    sw_put_end(&out.json);
    return sw_cli_report_finish(cli, &out, next->failed > 0 ? 1 : 0);
}

int sw_moment_next(struct sw_cli *cli, const struct sw_problem *problem) {
    const struct sw_moment *moment = sw_problem_moment(problem);
    struct sw_error error = {0};
    struct moment_next next = {0};
    uint64_t digest;
    const char *name = cli->planner ? cli->planner : moment->planner;
    int status = 2;
    if (!name) {
        return sw_cli_tell(SW_ERROR_USAGE, NULL, "--then needs an allocator: -p cuda-caching or -p bfc-arena");
    }
    struct sw_load_options how = {.trust = cli->load.trust, .print = sw_cli_aside};
    struct sw_problem *asked = NULL;
    next.planner = sw_planner_find(name, &error);
    if (next.planner && (asked = sw_load(cli->then, &how, &digest, &error))) {
        next.asked = asked;
        next.requests = sw_problem_told_requests(asked);
        if (!next.requests || next.requests->blocks.count > 0) {
            sw_fail(&error, SW_ERROR_UNSUPPORTED, "--then takes a table of requests: event,id,size,stream");
            sw_error_at(&error, cli->then, 0, 0);
        } else if (sw_moment_start(moment, next.planner, &cli->params, sw_problem_tier(problem, 0)->capacity,
                                   sw_problem_buffer_count(asked), &next.start, &error)) {
            status = report_next(cli, problem, &next);
        }
    }
    if (error.code) {
        sw_cli_fail(&error);
    }
    sw_moment_start_end(&next.start);
    sw_problem_unref(asked);
    return status;
}
