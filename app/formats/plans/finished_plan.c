/* From what a file says of placements to a layout. */
#include "formats/plans/finished_plan.h"
#include "base/base.h"
#include "base/sort.h"
#include "planners/planner.h"
#include "formats/trace/read/trace_plan.h"

__attribute__((format(printf, 4, 5))) static bool complain_of_row(struct sw_plan_maker *maker, size_t source,
                                                                  enum sw_column column, const char *format, ...) {
    maker->source = source;
    maker->column = column;
    SW_FORMAT_INTO(maker->complaint, format);
    return false;
}

/* The plan says one thing and the graph another: told, or an error. */
__attribute__((format(printf, 5, 6))) static bool disagree(struct sw_plan_maker *maker, size_t source,
                                                           enum sw_column column, const char *buffer,
                                                           const char *format, ...) {
    char text[sizeof maker->complaint];
    SW_FORMAT_INTO(text, format);
    if (!maker->mismatch) {
        return complain_of_row(maker, source, column, "%s", text);
    }
    maker->mismatch(maker->context, buffer, text);
    return true;
}

static bool note_lack_of_memory(struct sw_plan_maker *maker) {
    maker->memory = true;
    return false;
}

bool sw_plan_step(const struct sw_problem *problem, int64_t time, uint32_t *step) {
    *step = (uint32_t)SW_FIRST(i, sw_problem_steps(problem), sw_problem_time(problem, (uint32_t)i) >= time);
    return sw_problem_time(problem, *step) == time;
}

static const char *quote_name(const char *text, struct sw_quote *quote) {
    *quote = sw_quote(text, strlen(text));
    return quote->text;
}

static bool find_plan_tier(struct sw_plan_maker *maker, const struct sw_plan_entry *entry,
                           const struct sw_buffer *buffer, size_t source, uint32_t *tier) {
    struct sw_quote quote;
    if (entry->tier) {
        *tier = sw_problem_find_tier(maker->problem, entry->tier);
        return *tier != SW_NONE || complain_of_row(maker, source, SW_COLUMN_TIER, "the graph has no tier '%s'",
                                                   quote_name(entry->tier, &quote));
    }
    if (buffer->tiers && (buffer->tiers & (buffer->tiers - 1)) == 0) {
        *tier = (uint32_t)__builtin_ctzll(buffer->tiers);
        return true;
    }
    return complain_of_row(maker, source, SW_COLUMN_ID, "the plan does not say in which tier '%s' lies",
                           quote_name(entry->name, &quote));
}

static bool check_life(struct sw_plan_maker *maker, const struct sw_plan_entry *entry, const struct sw_buffer *buffer,
                       size_t source, struct sw_plan_row *row) {
    const struct sw_problem *problem = maker->problem;
    struct sw_quote quote;
    int64_t first = sw_problem_time(problem, buffer->first);
    int64_t last = sw_problem_time(problem, buffer->last + 1) - 1;
    row->from = buffer->first;
    row->to = buffer->last;
    row->whole = true;
    if (!entry->has_life || (entry->first == first && entry->last == last)) {
        return true;
    }
    uint32_t after = 0;
    bool begins = entry->first >= first && sw_plan_step(problem, entry->first, &row->from);
    bool ends = entry->last <= last && sw_plan_step(problem, entry->last + 1, &after) && after > 0;
    if (!begins || !ends) {
        row->from = buffer->first;
        return disagree(maker, source, begins ? SW_COLUMN_UPPER : SW_COLUMN_LOWER, entry->name,
                        "'%s' lives from %" PRId64 " to %" PRId64 " in the plan, from %" PRId64 " to %" PRId64
                        " in the graph (both inside)",
                        quote_name(entry->name, &quote), entry->first, entry->last, first, last);
    }
    row->to = after - 1;
    row->whole = false;
    return true;
}

bool sw_plan_add(struct sw_plan_maker *maker, const struct sw_plan_entry *entry, size_t source) {
    struct sw_quote quote;
    struct sw_plan_row row = {.source = source};
    row.buffer = sw_problem_find_buffer(maker->problem, entry->name);
    if (row.buffer == SW_NONE) {
        return disagree(maker, source, SW_COLUMN_ID, entry->name, "the graph has no buffer '%s'",
                        quote_name(entry->name, &quote));
    }
    const struct sw_buffer *buffer = sw_problem_buffer(maker->problem, row.buffer);
    if (!buffer->planned) {
        return disagree(maker, source, SW_COLUMN_ID, entry->name,
                        "'%s' is a constant without a tier: it is not planned", quote_name(entry->name, &quote));
    }
    if (entry->has_size && entry->size != buffer->size &&
        !disagree(maker, source, SW_COLUMN_SIZE, entry->name,
                  "'%s' has %" PRIu64 " bytes in the plan, %" PRIu64 " in the graph", quote_name(entry->name, &quote),
                  entry->size, buffer->size)) {
        return false;
    }
    if (!check_life(maker, entry, buffer, source, &row)) {
        return false;
    }
    if (!entry->has_offset) {
        return true;
    }
    if (entry->offset < maker->base) {
        return complain_of_row(maker, source, SW_COLUMN_OFFSET, "offset %" PRIu64 " is below the base address %" PRIu64,
                               entry->offset, maker->base);
    }
    row.offset = entry->offset - maker->base;
    if (row.offset > SW_MAX_BYTES) {
        return complain_of_row(maker, source, SW_COLUMN_OFFSET, "offset %" PRIu64 " is larger than 2^61", row.offset);
    }
    return find_plan_tier(maker, entry, buffer, source, &row.tier) &&
           (SW_PUSH(&maker->rows, row) || note_lack_of_memory(maker));
}

SW_BY_FIELDS(compare_plan_rows, struct sw_plan_row, SW_UP(buffer), SW_UP(from), SW_UP(source))

/* Two rows of one buffer must not hold at the same step. */
static bool check_twice(struct sw_plan_maker *maker, const struct sw_plan_row *before, const struct sw_plan_row *row) {
    if (before->to < row->from) {
        return true;
    }
    struct sw_quote quote;
    size_t later = SW_MAX(before->source, row->source);
    const char *name = sw_problem_buffer(maker->problem, row->buffer)->name;
    return disagree(maker, later, SW_COLUMN_ID, name, "'%s' is placed twice at the same time",
                    quote_name(name, &quote));
}

/* Rows in order, each buffer's by time; of two that hold at the same time the first counts. */
static bool sort_rows(struct sw_plan_maker *maker) {
    struct sw_plan_row *rows = maker->rows.items;
    size_t kept = 0;
    sw_sort(rows, maker->rows.count, sizeof *rows, compare_plan_rows);
    for (size_t i = 0; i < maker->rows.count; i++) {
        bool again = kept > 0 && rows[kept - 1].buffer == rows[i].buffer && rows[kept - 1].to >= rows[i].from;
        if (!again) {
            rows[kept++] = rows[i];
        } else if (!check_twice(maker, &rows[kept - 1], &rows[i])) {
            return false;
        }
    }
    maker->rows.count = kept;
    return true;
}

bool sw_plan_place(struct sw_plan_maker *maker, struct sw_layout *layout) {
    if (!sort_rows(maker)) {
        return false;
    }
    const struct sw_plan_row *rows = maker->rows.items;
    size_t count = maker->rows.count;
    bool host = sw_layout_has_host(maker->problem); /* it may be there for the rest */
    for (size_t i = 0; i < count; i++) {
        bool first = i == 0 || rows[i - 1].buffer != rows[i].buffer;
        bool alone = first && (i + 1 == count || rows[i + 1].buffer != rows[i].buffer);
        if (alone && !rows[i].whole && !host && !maker->mismatch) { /* a check finds that itself */
            const char *name = sw_problem_buffer(maker->problem, rows[i].buffer)->name;
            struct sw_quote quote;
            return complain_of_row(maker, rows[i].source, SW_COLUMN_LOWER,
                                   "the plan has '%s' for a part of its life only", quote_name(name, &quote));
        }
        struct sw_placement placement = {.buffer = rows[i].buffer,
                                         .tier = rows[i].tier,
                                         .offset = rows[i].offset,
                                         .span = {rows[i].from, rows[i].to}};
        bool placed = alone && rows[i].whole
                          ? sw_layout_place(layout, placement.buffer, placement.tier, placement.offset)
                          : sw_layout_place_span(layout, &placement);
        if (!placed) {
            return note_lack_of_memory(maker);
        }
    }
    return true;
}

/* A model that a runtime loads may hold the plan of its tensors itself. */
static bool is_model(const struct sw_input *input) {
    for (size_t i = 0; i < sw_format_count(); i++) {
        const struct sw_format *format = sw_format_get(i);
        if (format->read && format->most_binary > 0 && format->detect(input)) {
            return true;
        }
    }
    return false;
}

/* Offsets of what has one in `model`. All that the problem plans must be among them: where a runtime puts the rest is
 * not known. */
static bool take_offsets(const struct sw_problem *model, struct sw_plan_maker *maker, struct sw_error *error) {
    const struct sw_problem *problem = maker->problem;
    uint32_t planned = 0, left = 0, first = SW_NONE;
    struct sw_quote quote;
    for (uint32_t i = 0; i < sw_problem_buffer_count(model); i++) {
        const struct sw_buffer *b = sw_problem_buffer(model, i);
        struct sw_plan_entry entry = {.name = b->name,
                                      .has_offset = true,
                                      .offset = b->offset + maker->base,
                                      .has_size = true,
                                      .size = b->size,
                                      .has_life = sw_plain_life(b),
                                      .first = sw_problem_time(model, b->first),
                                      .last = sw_problem_time(model, b->last + 1) - 1};
        if (b->planned && b->has_offset && !sw_plan_add(maker, &entry, i)) {
            return maker->memory ? sw_fail_memory(error) : sw_fail(error, SW_ERROR_INPUT, "%s", maker->complaint);
        }
    }
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, i);
        uint32_t same = b->planned ? sw_problem_find_buffer(model, b->name) : SW_NONE;
        bool without = b->planned && (same == SW_NONE || !sw_problem_buffer(model, same)->has_offset);
        planned += b->planned;
        left += without;
        first = without && first == SW_NONE ? i : first;
    }
    return left == 0 || sw_fail(error, SW_ERROR_INPUT,
                                left == planned ? "this model holds no plan: none of its %u buffers has an offset"
                                                : "this model holds an offset for %u of %u buffers, and none for '%s': "
                                                  "its runtime places the rest itself%s",
                                left == planned ? planned : planned - left, planned,
                                quote_name(sw_problem_buffer(problem, first)->name, &quote),
                                sw_problem_buffer(problem, first)->kind == SW_KIND_SCRATCH
                                    ? " (--kernels none leaves workspaces out)"
                                    : "");
}

static bool read_plan_model(const struct sw_input *input, struct sw_plan_maker *maker, struct sw_layout *layout,
                            struct sw_error *error) {
    struct sw_problem *model = sw_load_input(input, NULL, error);
    bool good = model && take_offsets(model, maker, error);
    if (good && !sw_plan_place(maker, layout)) {
        good = maker->memory ? sw_fail_memory(error) : sw_fail(error, SW_ERROR_INPUT, "%s", maker->complaint);
    }
    sw_problem_unref(model);
    return good;
}

struct sw_layout *sw_plan_parse(const struct sw_input *input, const struct sw_problem *problem, uint64_t base,
                                sw_plan_mismatch_fn *mismatch, void *context, struct sw_error *error) {
    struct sw_plan_maker maker = {.problem = problem, .base = base, .mismatch = mismatch, .context = context};
    struct sw_layout *layout = sw_layout_new(problem, error);
    if (!layout) {
        return NULL;
    }
    bool good = sw_format_graph_json.detect(input) ? sw_plan_json_read(input, &maker, layout, error)
                : is_model(input)                  ? read_plan_model(input, &maker, layout, error)
                                                   : sw_plan_csv_read(input, &maker, layout, error);
    SW_ARRAY_DONE(&maker.rows);
    if (!good) {
        sw_layout_free(layout);
        return NULL;
    }
    return layout;
}

/* The graph in the order that the plan was made for; the same reference where it tells none. The order is the plan's
 * word, and is judged by the graph. NULL on error. */
static const struct sw_problem *in_its_order(const struct sw_input *input, const struct sw_problem *problem,
                                             struct sw_error *error) {
    struct sw_error own = {0};
    uint32_t *order = sw_plan_json_order(input, problem, &own);
    if (!order) {
        if (own.code == SW_OK) {
            return sw_problem_ref(problem);
        }
        if (error) {
            *error = own;
        }
        return NULL;
    }
    const struct sw_problem *ordered = sw_problem_in_order(problem, order, error);
    SW_FREE(order, sw_problem_operator_count(problem));
    return ordered;
}

/* The graph as the planner that a plan names sees it: one that gives buffers other sizes
 * (token-sharing by dtype and alignment) made its plan for those, one that orders operators for its order. */
static const struct sw_problem *seen_by_planner(const struct sw_input *input, const struct sw_problem *problem,
                                                struct sw_error *error) {
    char name[64];
    const struct sw_planner *planner =
        sw_plan_json_planner(input, name, sizeof name) ? sw_planner_find(name, NULL) : NULL;
    if (planner && planner->reorders) {
        return in_its_order(input, problem, error);
    }
    bool derives = sw_problem_origin(problem) == problem && planner && planner->derive &&
                   sw_planner_applies(planner, problem, NULL);
    return derives ? planner->derive(problem, NULL, error) : sw_problem_ref(problem);
}

/* A decision trace stands for the plan that its run comes to: then the input is that one's text, in the sink. */
static bool expand_trace(const char *path, struct sw_input *input, struct sw_sink *plan, struct sw_error *error) {
    if (!sw_format_trace.detect(input)) {
        return true;
    }
    bool good = sw_trace_plan(input, plan, error);
    if (good) {
        sw_input_close(input);
        *input = (struct sw_input){.name = path, .bytes = plan->text.items, .length = plan->text.count};
    }
    return good;
}

struct sw_layout *sw_plan_read(const char *path, const struct sw_problem *problem, uint64_t base,
                               sw_plan_mismatch_fn *mismatch, void *context, struct sw_error *error) {
    struct sw_input input;
    if (!sw_input_open(path, &input, error)) {
        return NULL;
    }
    struct sw_sink plan = {0};
    const struct sw_problem *seen =
        expand_trace(path, &input, &plan, error) ? seen_by_planner(&input, problem, error) : NULL;
    struct sw_layout *layout = seen ? sw_plan_parse(&input, seen, base, mismatch, context, error) : NULL;
    if (!layout && error) {
        sw_error_at(error, path, error->line, error->column);
    }
    sw_problem_unref(seen);
    sw_input_close(&input);
    sw_sink_done(&plan);
    return layout;
}

/* ---- what a plan assumes ---- */

static void keep_assumed_permit(void *context, const struct sw_permit *permit) {
    struct sw_assumed *assumed = context;
    if (assumed->items.count < assumed->items.capacity) {
        assumed->items.items[assumed->items.count++] = *permit;
    }
}

static void count_assumed(void *context, const struct sw_permit *permit) {
    (void)permit;
    ++*(size_t *)context;
}

bool sw_plan_assumed(const struct sw_result *result, struct sw_assumed *assumed) {
    size_t count = 0, faults;
    if (!result->search || !sw_search_assumes(result->search)) {
        return true;
    }
    return sw_layout_check_assuming(result->layout, &faults, count_assumed, NULL, &count) &&
           (count == 0 || (SW_RESERVE(&assumed->items, count) &&
                           sw_layout_check_assuming(result->layout, &faults, keep_assumed_permit, NULL, assumed)));
}

const char *sw_plan_assumed_words(const struct sw_result *result, char *text, size_t size) {
    size_t count = 0, faults;
    text[0] = '\0';
    if (!result->search || !sw_search_assumes(result->search)) {
        return text;
    }
    if (!sw_layout_check_assuming(result->layout, &faults, count_assumed, NULL, &count)) {
        return NULL;
    }
    if (count > 0) {
        snprintf(text, size,
                 "It assumes %zu overwrite%s that the graph does not permit: it is right only if "
                 "those operators can write over what they read.",
                 count, count == 1 ? "" : "s");
    }
    return text;
}
