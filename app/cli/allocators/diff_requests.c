#include "cli/allocators/diff_requests.h"

#include "cli/allocators/rows.h"
#include "cli/allocators/served.h"
#include "cli/shared/output.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STACKS = 20 };

/* What a stack holds at the moment when most is asked for. */
struct held {
    const char *origin; /* "" where no stack is told */
    uint64_t bytes[2], blocks[2];
};
struct side {
    const struct sw_problem *problem;
    const struct sw_requests *told;
    struct sw_served served;
    uint64_t asked_for; /* the most bytes that are asked for and not given back */
};
struct diff {
    struct side sides[2];
    SW_ARRAY(struct held) stacks;
    size_t same;                     /* so many requests for memory at the beginning agree by size and stack */
    const struct sw_request *next[2]; /* the first that do not; NULL: the trace ends */
};

static const char *origin_of(const struct side *side, uint32_t buffer) {
    const char *origin = sw_problem_buffer(side->problem, buffer)->origin;
    return origin ? origin : "";
}

/* ---- both served ---- */

/* As recorded where a snapshot tells that, else from an empty heap. */
static bool serve(const struct sw_cli *cli, struct side *side, struct sw_error *error) {
    const struct sw_planner *planner = sw_served_own(side->problem, error);
    return planner && sw_serve(side->problem, planner, &cli->params, &side->served, error);
}

static bool frees(const struct sw_request *request) {
    return request->kind == SW_REQUEST_FREE || request->kind == SW_REQUEST_FREE_COMPLETED;
}

/* Follow what the program holds, by buffer, over the first `stop` requests; what it held before them counts. The largest
 * sum of the sizes asked for, and behind how many requests it is reached first. */
static void follow(const struct side *side, size_t stop, bool *alive, uint64_t *most, size_t *at) {
    uint64_t bytes = 0;
    *at = 0;
    for (size_t i = 0; i < side->told->blocks.count; i++) {
        const struct sw_known_block *block = &side->told->blocks.items[i];
        if (block->state != SW_KNOWN_FREE && block->buffer != SW_NONE) {
            alive[block->buffer] = true;
            bytes += sw_problem_buffer(side->problem, block->buffer)->asked;
        }
    }
    *most = bytes;
    for (size_t i = 0; i < stop; i++) {
        const struct sw_request *request = &side->told->items.items[i];
        uint64_t size = request->buffer != SW_NONE ? sw_problem_buffer(side->problem, request->buffer)->asked : 0;
        if (size > 0 && request->kind == SW_REQUEST_OVER && alive[request->over]) {
            alive[request->over] = false;
            bytes -= sw_problem_buffer(side->problem, request->over)->asked;
        }
        if (size > 0 && (request->kind == SW_REQUEST_ALLOC || request->kind == SW_REQUEST_OVER)) {
            alive[request->buffer] = true;
            bytes += size;
        } else if (size > 0 && frees(request) && alive[request->buffer]) {
            alive[request->buffer] = false;
            bytes -= size;
        }
        if (bytes > *most) {
            *most = bytes;
            *at = i + 1;
        }
    }
}

/* ---- by stack ---- */

static bool add(struct diff *diff, unsigned which, uint32_t buffer, uint64_t bytes) {
    struct held held = {.origin = origin_of(&diff->sides[which], buffer)};
    held.bytes[which] = bytes;
    held.blocks[which] = 1;
    return SW_PUSH(&diff->stacks, held);
}

/* The buffers of one side that are alive when most is asked for. */
static bool list_alive(struct diff *diff, unsigned which) {
    struct side *side = &diff->sides[which];
    uint32_t count = sw_problem_buffer_count(side->problem);
    size_t peak, same;
    bool *alive = SW_NEW_ZERO(bool, (size_t)count + 1), good = alive != NULL;
    if (good) {
        follow(side, side->told->items.count, alive, &side->asked_for, &peak);
        memset(alive, 0, count * sizeof *alive);
        follow(side, peak, alive, &side->asked_for, &same);
    }
    for (uint32_t b = 0; good && b < count; b++) {
        good = !alive[b] || add(diff, which, b, sw_problem_buffer(side->problem, b)->asked);
    }
    SW_FREE(alive, (size_t)count + 1);
    return good;
}

static int by_origin(const void *a, const void *b) {
    return strcmp(((const struct held *)a)->origin, ((const struct held *)b)->origin);
}

static uint64_t change_of(const struct held *held) {
    return held->bytes[0] > held->bytes[1] ? held->bytes[0] - held->bytes[1] : held->bytes[1] - held->bytes[0];
}

static int by_change(const void *a, const void *b) {
    uint64_t x = change_of(a), y = change_of(b);
    return x != y ? (x < y) - (x > y) : by_origin(a, b);
}

static bool list_stacks(struct diff *diff) {
    size_t kept = 0;
    if (!list_alive(diff, 0) || !list_alive(diff, 1)) {
        return false;
    }
    struct held *items = diff->stacks.items;
    if (diff->stacks.count > 1) {
        qsort(items, diff->stacks.count, sizeof *items, by_origin);
    }
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
    if (kept > 1) {
        qsort(items, kept, sizeof *items, by_change);
    }
    return true;
}

/* ---- where they part ---- */

static const struct sw_request *next_alloc(const struct side *side, size_t *at) {
    while (*at < side->told->items.count && side->told->items.items[*at].kind != SW_REQUEST_ALLOC) {
        ++*at;
    }
    return *at < side->told->items.count ? &side->told->items.items[(*at)++] : NULL;
}

static void find_parting(struct diff *diff) {
    size_t at[2] = {0, 0};
    for (;; diff->same++) {
        const struct sw_request *old = next_alloc(&diff->sides[0], &at[0]), *fresh = next_alloc(&diff->sides[1], &at[1]);
        bool same = old && fresh && old->size == fresh->size &&
                    strcmp(origin_of(&diff->sides[0], old->buffer), origin_of(&diff->sides[1], fresh->buffer)) == 0;
        if (!same) {
            diff->next[0] = old;
            diff->next[1] = fresh;
            return;
        }
    }
}

/* ---- words ---- */

static const char *site_of(const char *origin, char text[SW_ROWS_SITE + 1]) {
    return *origin ? sw_rows_site(origin, text) : "(no stack is told)";
}

static void change(struct sw_rows *rows, uint64_t old, uint64_t fresh) {
    char number[32], text[40];
    uint64_t by = old > fresh ? old - fresh : fresh - old;
    snprintf(text, sizeof text, "%s%s", by == 0 ? "" : old > fresh ? "-" : "+", sw_show_count(by, number));
    sw_rows_text(rows, text);
}

static void print_totals(const struct diff *diff, enum sw_output output, struct sw_sink *out) {
    static const char *const heads[] = {"", "old", "new", "change"};
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
    struct sw_rows rows = {.heads = heads, .columns = 4, .left = 1};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        sw_rows_text(&rows, figures[i].name);
        sw_rows_count(&rows, figures[i].old, false);
        sw_rows_count(&rows, figures[i].fresh, false);
        change(&rows, figures[i].old, figures[i].fresh);
    }
    sw_rows_print(&rows, output, out);
    sw_rows_done(&rows);
}

/* The change comes first where people read. As CSV the figures are exact, and all stacks are told. */
static void print_stacks(const struct diff *diff, enum sw_output output, struct sw_sink *out) {
    static const char *const heads[] = {"change", "old", "new", "blocks, old", "new", "asked for in"};
    static const char *const exact_heads[] = {"old", "new", "old_blocks", "new_blocks", "asked_for_in"};
    bool exact = output == SW_OUTPUT_CSV;
    struct sw_rows rows = {.heads = exact ? exact_heads : heads, .columns = exact ? 5 : 6, .left = exact ? 1 << 4 : 1 << 5};
    char text[SW_ROWS_SITE + 1];
    for (size_t i = 0; i < diff->stacks.count && (exact || i < MOST_STACKS); i++) {
        const struct held *held = &diff->stacks.items[i];
        if (!exact && change_of(held) == 0) {
            break;
        }
        if (!exact) {
            change(&rows, held->bytes[0], held->bytes[1]);
        }
        for (unsigned w = 0; w < 2; w++) {
            sw_rows_count(&rows, held->bytes[w], exact);
        }
        for (unsigned w = 0; w < 2; w++) {
            sw_rows_count(&rows, held->blocks[w], exact);
        }
        sw_rows_text(&rows, site_of(held->origin, text));
    }
    sw_rows_print(&rows, output, out);
    sw_rows_done(&rows);
}

static void print_parting(const struct diff *diff, struct sw_sink *out) {
    char count[32], text[SW_ROWS_SITE + 1];
    if (!diff->next[0] && !diff->next[1]) {
        sw_sink_printf(out, diff->same == 1 ? "\nThe one request is the same by size and stack.\n"
                                            : "\nAll %s requests are the same by size and stack.\n", sw_show_count(diff->same, count));
        return;
    }
    if (diff->same == 0) {
        sw_sink_printf(out, "\nThey differ from the first request on:");
    } else if (diff->same == 1) {
        sw_sink_printf(out, "\nThe first request is the same by size and stack. Then");
    } else {
        sw_sink_printf(out, "\nThe first %s requests are the same by size and stack. Then", sw_show_count(diff->same, count));
    }
    for (unsigned w = 0; w < 2; w++) {
        const struct sw_request *next = diff->next[w];
        sw_sink_printf(out, "%s the %s one ", w ? ", and" : "", w ? "new" : "old");
        if (next) {
            sw_sink_printf(out, "asks for %s B in ", sw_show_count(next->size, count));
            sw_sink_text(out, site_of(origin_of(&diff->sides[w], next->buffer), text));
        } else {
            sw_sink_printf(out, "ends");
        }
    }
    sw_sink_printf(out, ".\n");
}

static void print_words(const struct diff *diff, enum sw_output output, struct sw_sink *out) {
    size_t changed = 0;
    char count[32];
    print_totals(diff, output, out);
    print_parting(diff, out);
    for (size_t i = 0; i < diff->stacks.count; i++) {
        changed += change_of(&diff->stacks.items[i]) > 0;
    }
    if (changed == 0) {
        sw_sink_printf(out, "\nWhen most is asked for, each stack holds as many bytes in both.\n");
        return;
    }
    sw_sink_printf(out, "\nAlive when most is asked for, by the stack that asked for it, the largest change first");
    if (changed > MOST_STACKS) {
        sw_sink_printf(out, " (%d of %s)", (int)MOST_STACKS, sw_show_count(changed, count));
    }
    sw_sink_printf(out, ":\n\n");
    print_stacks(diff, output, out);
}

static void print_json(const struct diff *diff, struct sw_sink *out) {
    static const char *const names[] = {"old", "new"};
    sw_sink_printf(out, "{");
    for (unsigned w = 0; w < 2; w++) {
        sw_sink_printf(out, "\"%s\":{\"allocs\":%" PRIu64 ",\"asked_for\":%" PRIu64 ",", names[w], diff->sides[w].served.allocs,
                       diff->sides[w].asked_for);
        sw_served_json(&diff->sides[w].served, out);
        sw_sink_printf(out, "},\n ");
    }
    sw_sink_printf(out, "\"same_requests\":%zu,\"needs_more\":%s,\n \"stacks\":[", diff->same,
                   diff->sides[1].served.reserved > diff->sides[0].served.reserved ? "true" : "false");
    for (size_t i = 0; i < diff->stacks.count; i++) {
        const struct held *held = &diff->stacks.items[i];
        sw_sink_printf(out, "%s{\"old\":%" PRIu64 ",\"new\":%" PRIu64 ",\"old_blocks\":%" PRIu64 ",\"new_blocks\":%" PRIu64 ",\"origin\":",
                       i ? ",\n  " : "", held->bytes[0], held->bytes[1], held->blocks[0], held->blocks[1]);
        sw_sink_json(out, held->origin);
        sw_sink_printf(out, "}");
    }
    sw_sink_printf(out, "]}\n");
}

int sw_diff_requests(struct sw_cli *cli, const struct sw_problem *old, const struct sw_problem *fresh, bool picture,
                     enum sw_output output) {
    struct diff diff = {.sides = {{.problem = old, .told = sw_problem_told_requests(old)},
                                  {.problem = fresh, .told = sw_problem_told_requests(fresh)}}};
    struct sw_error error = {0};
    struct sw_sink out = {0};
    struct sw_online_history *histories = picture ? SW_NEW(struct sw_online_history, 2) : NULL;
    if (picture && !histories) {
        sw_fail_memory(&error);
        return sw_cli_fail(&error);
    }
    for (unsigned w = 0; w < 2 && picture; w++) {
        diff.sides[w].served.history = &histories[w];
    }
    bool good = serve(cli, &diff.sides[0], &error) && serve(cli, &diff.sides[1], &error) &&
                (list_stacks(&diff) || sw_fail_memory(&error));
    int status, more = diff.sides[1].served.reserved > diff.sides[0].served.reserved ? 1 : 0;
    if (good && picture) {
        status = sw_diff_curves(cli, old, &diff.sides[0].served, &diff.sides[1].served, &error) ? more : sw_cli_fail(&error);
    } else if (good) {
        find_parting(&diff);
        if (output == SW_OUTPUT_JSON) {
            print_json(&diff, &out);
        } else if (output == SW_OUTPUT_CSV) {
            print_stacks(&diff, output, &out);
        } else {
            print_words(&diff, output, &out);
        }
        status = sw_cli_put(cli, &out, more);
    } else {
        status = sw_cli_fail(&error);
    }
    SW_ARRAY_DONE(&diff.stacks);
    SW_FREE(histories, 2);
    return status;
}
