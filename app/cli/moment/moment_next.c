/* stowage plan MOMENT --then REQUESTS: what became of each request, by the decisions of a run that goes on from the
 * moment. */
#include "base/base.h"
#include "cli/moment/moment_parts.h"
#include "planners/online/online_look.h"
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
    const struct sw_search *search;
    struct sw_online_look look;
    uint64_t at;     /* the next decision that is not yet told */
    uint64_t failed; /* requests */
};

/* What became of a request. */
struct next_answer {
    uint64_t address, block; /* of an ALLOC, in a segment that the moment shows; SW_NO_ADDRESS: in none */
    uint64_t segment;        /* bytes of the new segment that it got, or mapped pages; 0: it needed none */
    uint64_t refused;        /* bytes that the device or the limit refused last; 0: nothing */
    uint64_t given;          /* bytes that were given back for it, or by it */
    bool failed;
    char why[SW_REASON];
};

/* ---- one request ---- */

static const char *event_words(unsigned kind) {
    return kind == SW_REQUEST_ALLOC ? "alloc" : kind == SW_REQUEST_EMPTY ? "empty_cache" : "free";
}

/* The address of an offset in the arena that is shown. Where a new segment comes to lie the device decides. */
static uint64_t address_shown(const struct moment_next *next, uint64_t offset) {
    const struct sw_requests *requests = next->look.requests;
    for (size_t i = 0; i + 1 < requests->windows.count; i++) { /* the last is of new segments */
        const struct sw_request_window *window = &requests->windows.items[i];
        if (offset >= window->base && offset - window->base < window->hi - window->lo) {
            return window->lo + (offset - window->base);
        }
    }
    return SW_NO_ADDRESS;
}

/* Does a request begin with it? */
static bool begins_request(const struct sw_decision *d) {
    return d->kind == SW_DECISION_ASK || d->kind == SW_DECISION_FREE || d->kind == SW_DECISION_WAIT ||
           (d->kind == SW_DECISION_GIVE && d->buffer == SW_NONE);
}

static void hear_decision(const struct moment_next *next, const struct sw_decision *d, const struct sw_request *request,
                          struct next_answer *answer) {
    bool says = d->kind == SW_DECISION_GET || d->kind == SW_DECISION_FAIL || d->kind == SW_DECISION_NOTHING;
    switch (d->kind) {
    case SW_DECISION_ROUND:
        answer->block = d->size;
        break;
    case SW_DECISION_GET:
        answer->segment += d->size;
        break;
    case SW_DECISION_REFUSED:
        answer->refused = d->size;
        break;
    case SW_DECISION_GIVE:
        answer->given += d->size;
        says = request->kind == SW_REQUEST_EMPTY;
        break;
    case SW_DECISION_FAIL:
        answer->failed = true;
        break;
    case SW_DECISION_SPLIT:
        answer->block = d->split.kept;
        break;
    default:
        says |= d->kind == SW_DECISION_FIND && answer->segment == 0;
    }
    if (d->kind == SW_DECISION_FIND || (d->kind == SW_DECISION_GET && d->get.placed)) {
        answer->block = SW_MAX(answer->block, d->size);
        answer->address = address_shown(next, d->offset);
    }
    if (says) {
        char text[SW_REASON];
        snprintf(answer->why, sizeof answer->why, "%s", sw_decision_reason(d, text));
    }
}

/* The decisions of the next request. False: the run ended before it. */
static bool hear_request(struct moment_next *next, const struct sw_request *request, struct next_answer *answer) {
    uint64_t known = sw_search_known(next->search);
    const struct sw_decision *d = next->at <= known ? sw_search_journal(next->search, next->at) : NULL;
    *answer = (struct next_answer){.address = SW_NO_ADDRESS};
    if (!d) {
        return sw_search_complete(next->search); /* what gives back a block that nothing has decides nothing */
    }
    if (d->buffer != request->buffer || (d->kind == SW_DECISION_ASK) != (request->kind == SW_REQUEST_ALLOC)) {
        return true;
    }
    do {
        hear_decision(next, d, request, answer);
        d = ++next->at <= known ? sw_search_journal(next->search, next->at) : NULL;
    } while (d && !begins_request(d));
    if (request->kind != SW_REQUEST_ALLOC || answer->failed || request->size == 0) {
        answer->block = 0;
    }
    return true;
}

static void put_next_row(const struct moment_next *next, const struct sw_request *request,
                         const struct next_answer *answer, struct sw_cli_report *out) {
    bool alloc = request->kind == SW_REQUEST_ALLOC;
    const struct sw_buffer *buffer =
        request->buffer == SW_NONE ? NULL : sw_problem_buffer(sw_search_problem(next->search), request->buffer);
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
        sw_row_note(out, "  no new segment: another %s are more than it may reserve%s", SW_BYTES(answer->refused),
                    answer->failed ? "" : ", before it was served");
    }
    if (answer->given > 0) {
        sw_row_note(out, "  given back: %s", SW_BYTES(answer->given));
    }
}

/* ---- the report ---- */

static void put_bound(const struct moment_next *next, struct sw_cli_report *out) {
    static const char *const keys[] = {[SW_MOMENT_BOUND_GIVEN] = "given",
                                       [SW_MOMENT_BOUND_TOLD] = "told",
                                       [SW_MOMENT_BOUND_FAILED] = "failure",
                                       [SW_MOMENT_BOUND_NONE] = "none"};
    const struct sw_heap *heap = next->look.heap;
    uint64_t most = SW_MIN(heap->limit, heap->device);
    sw_put_text(&out->json, "planner", sw_search_planner(next->search)->name);
    sw_put_known(&out->json, "limit", most != SW_UNBOUNDED, most);
    sw_put_text(&out->json, "limit_from", keys[next->look.bound]);
    sw_sink_printf(out->words, "%s, from what the moment shows. ", sw_search_planner(next->search)->name);
    switch (next->look.bound) {
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
    const struct sw_heap *heap = next->look.heap;
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

void sw_moment_next(const struct sw_search *search, struct sw_cli_report *out) {
    const struct sw_planner *planner = sw_search_planner(search);
    struct moment_next next = {.search = search, .at = 1};
    struct next_answer answer;
    sw_online_look(planner, sw_search_planner_state(search), &next.look);
    sw_report_about(out, sw_search_problem(search));
    sw_sink_printf(out->words, ", and then\n");
    put_bound(&next, out);
    sw_rows_begin(out, "requests", next_columns, sizeof next_columns / sizeof *next_columns);
    for (size_t i = 0; i < next.look.requests->items.count; i++) {
        const struct sw_request *request = &next.look.requests->items.items[i];
        bool known = request->kind == SW_REQUEST_ALLOC || request->kind == SW_REQUEST_FREE ||
                     request->kind == SW_REQUEST_FREE_ASKED || request->kind == SW_REQUEST_FREE_COMPLETED ||
                     request->kind == SW_REQUEST_EMPTY;
        if (known && hear_request(&next, request, &answer)) {
            next.failed += answer.failed;
            put_next_row(&next, request, &answer, out);
        }
    }
    sw_rows_end(out);
    put_after(&next, out);
    sw_put_end(&out->json);
}
