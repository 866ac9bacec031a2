#include "base/base.h"
#include "base/sort.h"

#include "cli/allocators/served.h"
#include "cli/shared/output.h"

enum { MOST_STACKS = 20 };

/* What a stack holds at the moment when most is asked for. */
struct held_by_stack {
    const char *origin; /* "" where no stack is told */
    uint64_t bytes[2], blocks[2];
};
struct served_side {
    const struct sw_problem *problem;
    const struct sw_requests *told;
    struct sw_served served;
    uint64_t asked_for; /* the most bytes that are asked for and not given back */
};
struct diff {
    struct served_side sides[2];
    SW_ARRAY(struct held_by_stack) stacks;
    size_t same;                      /* so many requests for memory at the beginning agree by size and stack */
    const struct sw_request *next[2]; /* the first that do not; NULL: the trace ends */
};

static const char *origin_of_buffer(const struct served_side *side, uint32_t buffer) {
    const char *origin = sw_problem_buffer(side->problem, buffer)->origin;
    return origin ? origin : "";
}

/* ---- both served ---- */

/* As recorded where a snapshot tells that, else from an empty heap. */
static bool serve_side(const struct sw_cli *cli, struct served_side *side, struct sw_error *error) {
    const struct sw_planner *planner = sw_served_own(side->problem, error);
    return planner && sw_serve(side->problem, planner, &cli->params, &side->served, error);
}

static bool frees(const struct sw_request *request) {
    return request->kind == SW_REQUEST_FREE || request->kind == SW_REQUEST_FREE_COMPLETED;
}

/* From here on the program holds the buffer, or does not. */
static void hold_buffer(const struct served_side *side, uint32_t buffer, bool held, bool *alive, uint64_t *bytes) {
    uint64_t size = sw_problem_buffer(side->problem, buffer)->asked;
    *bytes += alive[buffer] == held ? 0 : held ? size : -size;
    alive[buffer] = held;
}

/* Follow what the program holds, by buffer, over the first `stop` requests; what it held before them counts. The
 * largest sum of the sizes asked for, and behind how many requests it is reached first. */
static void follow_held(const struct served_side *side, size_t stop, bool *alive, uint64_t *most, size_t *at) {
    uint64_t bytes = 0;
    *at = 0;
    for (size_t i = 0; i < side->told->blocks.count; i++) {
        const struct sw_known_block *block = &side->told->blocks.items[i];
        if (block->state != SW_KNOWN_FREE && block->buffer != SW_NONE) {
            hold_buffer(side, block->buffer, true, alive, &bytes);
        }
    }
    *most = bytes;
    for (size_t i = 0; i < stop; i++) {
        const struct sw_request *request = &side->told->items.items[i];
        uint64_t size = request->buffer != SW_NONE ? sw_problem_buffer(side->problem, request->buffer)->asked : 0;
        bool over = request->kind == SW_REQUEST_OVER;
        if (size > 0 && over) {
            hold_buffer(side, request->over, false, alive, &bytes);
        }
        if (size > 0 && (over || request->kind == SW_REQUEST_ALLOC || frees(request))) {
            hold_buffer(side, request->buffer, !frees(request), alive, &bytes);
        }
        if (bytes > *most) {
            *most = bytes;
            *at = i + 1;
        }
    }
}

/* ---- by stack ---- */

static bool add_held(struct diff *diff, unsigned which, uint32_t buffer, uint64_t bytes) {
    struct held_by_stack held = {.origin = origin_of_buffer(&diff->sides[which], buffer)};
    held.bytes[which] = bytes;
    held.blocks[which] = 1;
    return SW_PUSH(&diff->stacks, held);
}

/* The buffers of one side that are alive when most is asked for. */
static bool list_alive(struct diff *diff, unsigned which) {
    struct served_side *side = &diff->sides[which];
    uint32_t count = sw_problem_buffer_count(side->problem);
    size_t peak, same;
    bool *alive = SW_NEW_ZERO(bool, (size_t)count + 1), good = alive != NULL;
    if (good) {
        follow_held(side, side->told->items.count, alive, &side->asked_for, &peak);
        memset(alive, 0, count * sizeof *alive);
        follow_held(side, peak, alive, &side->asked_for, &same);
    }
    for (uint32_t b = 0; good && b < count; b++) {
        good = !alive[b] || add_held(diff, which, b, sw_problem_buffer(side->problem, b)->asked);
    }
    SW_FREE(alive, (size_t)count + 1);
    return good;
}

static int by_origin(const void *a, const void *b) {
    return strcmp(((const struct held_by_stack *)a)->origin, ((const struct held_by_stack *)b)->origin);
}

static uint64_t held_change(const struct held_by_stack *held) {
    return held->bytes[0] > held->bytes[1] ? held->bytes[0] - held->bytes[1] : held->bytes[1] - held->bytes[0];
}

static int by_change(const void *a, const void *b) {
    uint64_t x = held_change(a), y = held_change(b);
    return x != y ? SW_COMPARE(y, x) : by_origin(a, b);
}

static bool list_stacks(struct diff *diff) {
    size_t kept = 0;
    if (!list_alive(diff, 0) || !list_alive(diff, 1)) {
        return false;
    }
    struct held_by_stack *items = diff->stacks.items;
    sw_sort(items, diff->stacks.count, sizeof *items, by_origin);
    for (size_t i = 0; i < diff->stacks.count; i++) {
        if (kept > 0 && by_origin(&items[kept - 1], &items[i]) == 0) {
            for (unsigned w = 0; w < 2; w++) {
                items[kept - 1].bytes[w] += items[i].bytes[w];
                items[kept - 1].blocks[w] += items[i].blocks[w];
            }
        } else {
            items[kept++] = items[i];
        }
    }
    diff->stacks.count = kept;
    sw_sort(items, kept, sizeof *items, by_change);
    return true;
}

/* ---- where they part ---- */

static const struct sw_request *next_alloc(const struct served_side *side, size_t *at) {
    while (*at < side->told->items.count && side->told->items.items[*at].kind != SW_REQUEST_ALLOC) {
        ++*at;
    }
    return *at < side->told->items.count ? &side->told->items.items[(*at)++] : NULL;
}

static void find_parting(struct diff *diff) {
    size_t at[2] = {0, 0};
    for (;; diff->same++) {
        const struct sw_request *old = next_alloc(&diff->sides[0], &at[0]),
                                *fresh = next_alloc(&diff->sides[1], &at[1]);
        bool same = old && fresh && old->size == fresh->size &&
                    strcmp(origin_of_buffer(&diff->sides[0], old->buffer),
                           origin_of_buffer(&diff->sides[1], fresh->buffer)) == 0;
        if (!same) {
            diff->next[0] = old;
            diff->next[1] = fresh;
            return;
        }
    }
}

/* ---- words ---- */

static const char *site_of(const char *origin, char text[SW_SERVED_SITE + 1]) {
    return *origin ? sw_served_site(origin, text) : "(no stack is told)";
}

static void put_held_change(struct sw_cli_report *out, uint64_t old, uint64_t fresh) {
    sw_row_words(out, "%s%s",
                 old == fresh  ? ""
                 : old > fresh ? "-"
                               : "+",
                 SW_COUNT(old > fresh ? old - fresh : fresh - old));
}

static void put_served_totals(const struct diff *diff, struct sw_cli_report *out) {
    static const struct sw_report_column columns[] = {
        {.head = "", .left = true}, {.head = "old"}, {.head = "new"}, {.head = "change"}};
    const struct sw_served *a = &diff->sides[0].served, *b = &diff->sides[1].served;
    const struct {
        const char *name;
        uint64_t old, fresh;
    } figures[] = {{"requests", a->allocs, b->allocs},
                   {"peak reserved", a->reserved, b->reserved},
                   {"allocated", a->allocated, b->allocated},
                   {"asked for", diff->sides[0].asked_for, diff->sides[1].asked_for},
                   {"lower bound", a->lower_bound, b->lower_bound},
                   {"growths", a->grown, b->grown},
                   {"out of memory", a->ooms, b->ooms}};
    sw_rows_begin(out, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        sw_row_text(out, figures[i].name);
        SW_ROW_COUNTS(out, true, figures[i].old, figures[i].fresh);
        put_held_change(out, figures[i].old, figures[i].fresh);
    }
    sw_rows_end(out);
}

/* The change comes first where people read, and only the largest changes are there; for programs all stacks are told.
 */
static void put_stacks(const struct diff *diff, struct sw_cli_report *out) {
    static const struct sw_report_column columns[] = {{.head = "change"},
                                                      {.name = "old"},
                                                      {.name = "new"},
                                                      {.key = "old_blocks", .head = "blocks, old"},
                                                      {.key = "new_blocks", .head = "new"},
                                                      {.json = "origin"},
                                                      {.csv = "asked_for_in", .head = "asked for in", .left = true}};
    char text[SW_SERVED_SITE + 1];
    bool read = sw_report_is_read(out);
    sw_rows_begin(out, "stacks", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0;
         i < diff->stacks.count && (!read || (i < MOST_STACKS && held_change(&diff->stacks.items[i]) > 0)); i++) {
        const struct held_by_stack *held = &diff->stacks.items[i];
        put_held_change(out, held->bytes[0], held->bytes[1]);
        SW_ROW_COUNTS(out, true, held->bytes[0], held->bytes[1], held->blocks[0], held->blocks[1]);
        sw_row_text(out, held->origin);
        sw_row_text(out, site_of(held->origin, text));
    }
    sw_rows_end(out);
}

static void print_parting(const struct diff *diff, struct sw_sink *out) {
    char count[32], text[SW_SERVED_SITE + 1];
    if (!diff->next[0] && !diff->next[1]) {
        sw_sink_printf(out,
                       diff->same == 1 ? "\nThe one request is the same by size and stack.\n"
                                       : "\nAll %s requests are the same by size and stack.\n",
                       sw_show_count(diff->same, count));
        return;
    }
    if (diff->same == 0) {
        sw_sink_printf(out, "\nThey differ from the first request on:");
    } else if (diff->same == 1) {
        sw_sink_printf(out, "\nThe first request is the same by size and stack. Then");
    } else {
        sw_sink_printf(out, "\nThe first %s requests are the same by size and stack. Then",
                       sw_show_count(diff->same, count));
    }
    for (unsigned w = 0; w < 2; w++) {
        const struct sw_request *next = diff->next[w];
        sw_sink_printf(out, "%s the %s one ", w ? ", and" : "", w ? "new" : "old");
        if (next) {
            sw_sink_printf(out, "asks for %s B in ", sw_show_count(next->size, count));
            sw_sink_text(out, site_of(origin_of_buffer(&diff->sides[w], next->buffer), text));
        } else {
            sw_sink_printf(out, "ends");
        }
    }
    sw_sink_printf(out, ".\n");
}

static void put_served(const struct diff *diff, struct sw_cli_report *report) {
    struct sw_json_out *json = &report->json;
    struct sw_sink *out = report->words;
    size_t changed = 0;
    sw_put_object(json, NULL);
    sw_put_lines(json);
    for (unsigned w = 0; w < 2; w++) {
        sw_put_object(json, w ? "new" : "old");
        SW_PUT_COUNTS(json, {"allocs", diff->sides[w].served.allocs}, {"asked_for", diff->sides[w].asked_for});
        sw_served_put(&diff->sides[w].served, json);
        sw_put_end(json);
    }
    sw_put_count(json, "same_requests", diff->same);
    sw_put_truth(json, "needs_more", diff->sides[1].served.reserved > diff->sides[0].served.reserved);
    if (sw_report_is_read(report)) {
        put_served_totals(diff, report);
    }
    print_parting(diff, out);
    for (size_t i = 0; i < diff->stacks.count; i++) {
        changed += held_change(&diff->stacks.items[i]) > 0;
    }
    sw_sink_printf(out, changed
                            ? "\nAlive when most is asked for, by the stack that asked for it, the largest change first"
                            : "\nWhen most is asked for, each stack holds as many bytes in both.\n");
    if (changed > MOST_STACKS) {
        sw_sink_printf(out, " (%d of %s)", (int)MOST_STACKS, SW_COUNT(changed));
    }
    if (changed > 0 || !sw_report_is_read(report)) {
        sw_sink_printf(out, ":\n\n");
        put_stacks(diff, report);
    }
    sw_put_end(json);
}

int sw_diff_requests(struct sw_cli *cli, const struct sw_problem *old, const struct sw_problem *fresh, bool picture,
                     enum sw_output output) {
    struct diff diff = {.sides = {{.problem = old, .told = sw_problem_told_requests(old)},
                                  {.problem = fresh, .told = sw_problem_told_requests(fresh)}}};
    struct sw_error error = {0};
    struct sw_cli_report out;
    struct sw_online_history *histories = picture ? SW_NEW(struct sw_online_history, 2) : NULL;
    if (picture && !histories) {
        return sw_cli_fail_memory();
    }
    for (unsigned w = 0; w < 2 && picture; w++) {
        diff.sides[w].served.history = &histories[w];
    }
    bool good = serve_side(cli, &diff.sides[0], &error) && serve_side(cli, &diff.sides[1], &error) &&
                (list_stacks(&diff) || sw_fail_memory(&error));
    int status, more = diff.sides[1].served.reserved > diff.sides[0].served.reserved ? 1 : 0;
    if (good && picture) {
        status =
            sw_diff_curves(cli, old, &diff.sides[0].served, &diff.sides[1].served, &error) ? more : sw_cli_fail(&error);
    } else if (good) {
        find_parting(&diff);
        sw_cli_report_start(&out, output);
        put_served(&diff, &out);
        status = sw_cli_report_finish(cli, &out, more);
    } else {
        status = sw_cli_fail(&error);
    }
    SW_ARRAY_DONE(&diff.stacks);
    SW_FREE(histories, 2);
    return status;
}
