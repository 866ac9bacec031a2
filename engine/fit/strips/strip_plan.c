/* Which rows: of each stream, from the last one backwards, for all strips. */
#include "fit/strips/strip_plan.h"
#include "base/base.h"
#include "fit/strips/program_internal.h"

struct planner {
    const struct sw_problem *problem;
    const struct sw_fit_region *region;
    struct sw_fit_strips *strips;
    struct sw_fit_refusal *refusal;
};

static bool no_plan_memory(struct planner *planner) {
    return sw_fit_refuse(planner->refusal, SW_NONE, "no memory");
}

static const struct sw_operator *planner_operator(const struct planner *planner, uint32_t op) {
    return sw_problem_operator(planner->problem, op);
}

static struct sw_row_window rows_window(const struct planner *planner, uint32_t op) {
    const struct sw_operator *operator_ = planner_operator(planner, op);
    uint32_t axis = planner->strips->axis;
    return sw_row_window_of(operator_->window, sw_fit_rows(planner->problem, operator_->inputs[0].buffer, axis),
                            sw_fit_rows(planner->problem, operator_->outputs[0].buffer, axis));
}

/* ---- nodes and streams ---- */

static bool pads(const struct sw_op_window *w) {
    return w->before[0] + w->after[0] + w->before[1] + w->after[1] > 0;
}

static bool is_set(uint64_t bits, uint32_t bit) {
    return bit < 64 && (bits >> bit & 1) != 0;
}

/* Does the operator run as one that does not pad, on an argument that was padded before? */
static bool is_padded(const struct planner *planner, uint32_t op) {
    const struct sw_operator *operator_ = planner_operator(planner, op);
    struct sw_row_window w = rows_window(planner, op);
    struct sw_strip strip;
    if (!pads(operator_->window) || sw_fit_only_pads(operator_->window) || operator_->window->told) {
        return false;
    }
    return (is_set(planner->region->padded, op - planner->region->first) && sw_fit_padding_of(operator_)) ||
           !sw_strip_discard(&w, (struct sw_row_range){0, w.out}, &strip);
}

/* Are the rows of its result kept? */
static bool keeps_rows(const struct planner *planner, uint32_t op) {
    return op < planner->region->last && is_set(planner->region->kept, op - planner->region->first);
}

/* The stream of a tensor's own rows. False: no memory. */
static bool find_stream(struct planner *planner, uint32_t buffer, uint32_t *stream) {
    struct sw_fit_strips *strips = planner->strips;
    for (uint32_t t = 0; t < strips->streams.count; t++) {
        if (strips->streams.items[t].buffer == buffer && strips->streams.items[t].padded_for == SW_NONE) {
            *stream = t;
            return true;
        }
    }
    uint64_t rows = sw_fit_rows(planner->problem, buffer, strips->axis);
    struct sw_fit_stream fresh = {.buffer = buffer,
                                  .padded_for = SW_NONE,
                                  .node = SW_NONE,
                                  .image = {0, (int64_t)rows},
                                  .row_bytes = sw_problem_buffer(planner->problem, buffer)->size / rows};
    *stream = (uint32_t)strips->streams.count;
    return SW_PUSH(&strips->streams, fresh);
}

/* What an operator reads of a stream: it with padding around, which is made by a node of its own. It is kept where the
 * stream's rows are. */
static bool put_padding(struct planner *planner, uint32_t op, uint32_t *stream) {
    struct sw_fit_strips *strips = planner->strips;
    const struct sw_op_window *w = planner_operator(planner, op)->window;
    struct sw_fit_stream padded = strips->streams.items[*stream];
    const struct sw_buffer *buffer = sw_problem_buffer(planner->problem, padded.buffer);
    uint64_t columns = buffer->shape_count > strips->axis + 1 ? buffer->shape[strips->axis + 1] : 1;
    padded.padded_for = op;
    padded.image = (struct sw_row_range){0, (int64_t)sw_fit_rows(planner->problem, padded.buffer, strips->axis)};
    padded.left = w->before[1];
    padded.right = w->after[1];
    padded.row_bytes = padded.row_bytes / columns * (columns + padded.left + padded.right);
    padded.kept = padded.node != SW_NONE && keeps_rows(planner, strips->nodes.items[padded.node].op);
    padded.node = (uint32_t)strips->nodes.count;
    struct sw_fit_node node = {.op = op,
                               .puts_padding = true,
                               .first_input = (uint32_t)strips->inputs.count,
                               .input_count = 1,
                               .result = (uint32_t)strips->streams.count};
    bool good = SW_PUSH(&strips->inputs, *stream) && SW_PUSH(&strips->nodes, node) && SW_PUSH(&strips->streams, padded);
    *stream = node.result;
    return good;
}

static bool plan_operator(struct planner *planner, uint32_t op) {
    struct sw_fit_strips *strips = planner->strips;
    const struct sw_operator *operator_ = planner_operator(planner, op);
    struct sw_fit_node node = {.op = op, .padded = is_padded(planner, op), .input_count = operator_->input_count};
    if (node.padded && !sw_fit_padding_of(operator_)) {
        return sw_fit_refuse(planner->refusal, op, "its padding is not that of the whole image on any of its rows");
    }
    if (node.padded && operator_->input_count > 1) {
        return sw_fit_refuse(planner->refusal, op, "it pads several arguments");
    }
    uint32_t stream, padded = SW_NONE;
    bool good = true;
    if (node.padded) {
        good = find_stream(planner, operator_->inputs[0].buffer, &padded) && put_padding(planner, op, &padded);
    }
    node.first_input = (uint32_t)strips->inputs.count;
    for (uint32_t i = 0; good && i < operator_->input_count; i++) {
        stream = padded;
        good = (padded != SW_NONE || find_stream(planner, operator_->inputs[i].buffer, &stream)) &&
               SW_PUSH(&strips->inputs, stream);
    }
    good = good && find_stream(planner, operator_->outputs[0].buffer, &node.result);
    if (good) {
        strips->streams.items[node.result].node = (uint32_t)strips->nodes.count;
        strips->streams.items[node.result].kept = keeps_rows(planner, op);
        if (sw_fit_only_pads(operator_->window)) {
            int64_t above = operator_->window->before[0];
            strips->streams.items[node.result].image = (struct sw_row_range){
                above, above + (int64_t)sw_fit_rows(planner->problem, operator_->inputs[0].buffer, strips->axis)};
        }
        good = SW_PUSH(&strips->nodes, node);
    }
    return good || no_plan_memory(planner);
}

/* ---- strips of the result ---- */

uint64_t sw_fit_strip_unit(const struct sw_problem *problem, const struct sw_fit_region *region) {
    const struct sw_buffer *result =
        sw_problem_buffer(problem, sw_problem_operator(problem, region->last)->outputs[0].buffer);
    uint64_t rows = sw_fit_region_rows(problem, region->last), alignment = SW_MAX(result->alignment, 1);
    uint64_t unit = alignment / sw_common_divisor(alignment, result->size / rows);
    return (rows + unit - 1) / unit < region->strips ? 1 : unit;
}

/* Where the strip of rows number `s`, from the first rows on, begins: where the one before it ends, or at equal shares;
 * there at a multiple of as many rows as make the alignment come out, where there are enough. */
static int64_t begin_of(const struct sw_problem *problem, const struct sw_fit_region *region, uint32_t s) {
    uint64_t rows = sw_fit_region_rows(problem, region->last), unit = sw_fit_strip_unit(problem, region),
             units = (rows + unit - 1) / unit;
    if (s == region->strips) {
        return (int64_t)rows;
    }
    if (region->loop) {
        return s == 0 ? 0 : (int64_t)(region->lead + (uint64_t)(s - 1) * region->rows);
    }
    if (region->ends[0] > 0) {
        return s == 0 ? 0 : region->ends[s - 1];
    }
    return (int64_t)(s * units / region->strips * unit);
}

void sw_fit_set_ends(const struct sw_problem *problem, struct sw_fit_region *region) {
    uint16_t ends[SW_FIT_ENDS] = {0};
    for (uint32_t s = 0; s + 1 < region->strips && s < SW_FIT_ENDS; s++) {
        ends[s] = (uint16_t)begin_of(problem, region, s + 1);
    }
    memcpy(region->ends, ends, sizeof ends);
}

static bool are_strips(const struct sw_fit_region *region, uint64_t rows) {
    if (region->loop) {
        return region->strips >= 4 && region->lead > 0 && region->rows > 0 &&
               region->lead + (uint64_t)(region->strips - 2) * region->rows < rows;
    }
    bool good =
        region->strips >= 2 && region->strips <= rows && (region->ends[0] == 0 || region->strips <= SW_FIT_ENDS + 1);
    for (uint32_t s = 0; good && region->ends[0] > 0 && s + 1 < region->strips; s++) {
        good = region->ends[s] > (s > 0 ? region->ends[s - 1] : 0) && region->ends[s] < rows;
    }
    return good;
}

static bool set_strips(struct planner *planner) {
    const struct sw_fit_region *region = planner->region;
    struct sw_fit_strips *strips = planner->strips;
    uint64_t rows = sw_fit_region_rows(planner->problem, region->last);
    if (!are_strips(region, rows)) {
        return sw_fit_refuse(planner->refusal, region->last, "its %llu rows are not cut into %u strips",
                             (unsigned long long)rows, region->strips);
    }
    if ((region->backwards || region->loop || region->kept > 0) &&
        sw_fit_is_told(planner->problem, region->first, region->last)) {
        return sw_fit_refuse(planner->refusal, region->last,
                             "where slices are copies strips are computed forwards, and no rows are kept");
    }
    if (region->backwards && region->loop) {
        return sw_fit_refuse(planner->refusal, region->last, "loops run forwards alone");
    }
    size_t count = strips->streams.count * region->strips;
    if (!SW_RESERVE(&strips->items, count)) {
        return no_plan_memory(planner);
    }
    strips->items.count = count;
    strips->strips = region->strips;
    memset(strips->items.items, 0, count * sizeof *strips->items.items);
    uint32_t result = strips->nodes.items[strips->nodes.count - 1].result;
    for (uint32_t s = 0; s < region->strips; s++) {
        uint32_t number = region->backwards ? region->strips - 1 - s : s;
        sw_fit_strip_at(strips, s, result)->need = (struct sw_row_range){
            begin_of(planner->problem, region, number), begin_of(planner->problem, region, number + 1)};
    }
    return true;
}

/* ---- backwards: which rows ---- */

static void widen(struct sw_row_range *rows, struct sw_row_range by) {
    *rows = sw_fit_no_rows(*rows) ? by : (struct sw_row_range){SW_MIN(rows->lo, by.lo), SW_MAX(rows->hi, by.hi)};
}

/* What strips from `s` on need. */
static struct sw_row_range need_from(const struct sw_fit_strips *strips, uint32_t s, uint32_t stream) {
    struct sw_row_range all = {0, 0};
    for (; s < strips->strips; s++) {
        struct sw_row_range need = sw_fit_strip_at(strips, s, stream)->need;
        if (!sw_fit_no_rows(need)) {
            widen(&all, need);
        }
    }
    return all;
}

/* A call that pads has a row of the image in its hands, always: those of padding alone are made with the row beside
 * them. */
static void take_image(struct sw_row_range *fresh, struct sw_row_range image, int64_t end) {
    fresh->hi = SW_MAX(fresh->hi, image.lo + 1);
    fresh->lo = SW_MIN(fresh->lo, image.hi - 1);
    if (fresh->hi >= image.hi) {
        fresh->hi = SW_MAX(fresh->hi, end);
    }
}

static struct sw_row_range mirrored(struct sw_row_range rows, bool mirrors) {
    return mirrors && !sw_fit_no_rows(rows) ? (struct sw_row_range){-rows.hi, -rows.lo} : rows;
}

/* Which rows of a stream are made in which strip, and which are kept. Backwards it is the same with rows counted from
 * the other end. */
static void share_out_rows(struct sw_fit_strips *strips, uint32_t stream, bool padding, bool backwards) {
    const struct sw_fit_stream *t = &strips->streams.items[stream];
    const struct sw_row_range image = mirrored(t->image, backwards);
    struct sw_row_range kept = {0, 0};
    int64_t made = INT64_MIN; /* the first row that is not made yet */
    for (uint32_t s = 0; s < strips->strips; s++) {
        struct sw_fit_strip *strip = sw_fit_strip_at(strips, s, stream);
        struct sw_row_range later = mirrored(need_from(strips, s, stream), backwards),
                            fresh = mirrored(strip->need, backwards), need = fresh;
        strip->kept = mirrored(kept, backwards);
        if (sw_fit_no_rows(need)) {
            continue;
        }
        if (t->kept) {
            fresh.lo = sw_fit_no_rows(kept) ? later.lo : made;
        }
        if (padding && !sw_fit_no_rows(fresh)) {
            take_image(&fresh, image, t->kept ? later.hi : need.hi);
        }
        strip->fresh = sw_fit_no_rows(fresh) ? (struct sw_row_range){0, 0} : mirrored(fresh, backwards);
        if (!t->kept || sw_fit_no_rows(fresh)) {
            continue;
        }
        made = fresh.hi;
        later = mirrored(need_from(strips, s + 1, stream), backwards);
        kept = sw_fit_no_rows(later) || later.lo >= made ? (struct sw_row_range){0, 0}
                                                         : (struct sw_row_range){later.lo, made};
    }
}

static bool plan_node(struct planner *planner, const struct sw_fit_node *node, struct sw_fit_strip *strip) {
    const struct sw_operator *operator_ = planner_operator(planner, node->op);
    const struct sw_fit_stream *result = &planner->strips->streams.items[node->result];
    struct sw_row_range wanted = strip->fresh;
    if (node->puts_padding) {
        struct sw_row_range read = {SW_MAX(wanted.lo, result->image.lo), SW_MIN(wanted.hi, result->image.hi)};
        strip->rows = (struct sw_strip){.wanted = wanted,
                                        .made = wanted,
                                        .read = read,
                                        .before = read.lo - wanted.lo,
                                        .after = wanted.hi - read.hi};
        return true;
    }
    struct sw_row_window w = rows_window(planner, node->op);
    bool own = pads(operator_->window) && !sw_fit_only_pads(operator_->window) && !operator_->window->told;
    if (own && !node->padded ? !sw_strip_discard(&w, wanted, &strip->rows) : !sw_strip_pad(&w, wanted, &strip->rows)) {
        return sw_fit_refuse(planner->refusal, node->op, "no rows give its rows %lld to %lld exactly",
                             (long long)wanted.lo, (long long)wanted.hi - 1);
    }
    if (node->padded) { /* the padding is there */
        strip->rows.read =
            (struct sw_row_range){strip->rows.read.lo - strip->rows.before, strip->rows.read.hi + strip->rows.after};
        strip->rows.before = strip->rows.after = 0;
    }
    return true;
}

static bool plan_rows(struct planner *planner) {
    struct sw_fit_strips *strips = planner->strips;
    for (size_t n = strips->nodes.count; n-- > 0;) {
        const struct sw_fit_node *node = &strips->nodes.items[n];
        share_out_rows(strips, node->result,
                       node->puts_padding || sw_fit_only_pads(planner_operator(planner, node->op)->window),
                       planner->region->backwards);
        for (uint32_t s = 0; s < strips->strips; s++) {
            struct sw_fit_strip *strip = sw_fit_strip_at(strips, s, node->result);
            if (sw_fit_no_rows(strip->fresh)) {
                continue;
            }
            if (!plan_node(planner, node, strip)) {
                return false;
            }
            for (uint32_t i = 0; i < node->input_count; i++) {
                widen(&sw_fit_strip_at(strips, s, strips->inputs.items[node->first_input + i])->need, strip->rows.read);
            }
        }
    }
    return true;
}

bool sw_fit_strips_plan(const struct sw_problem *problem, const struct sw_fit_region *region,
                        struct sw_fit_strips *strips, struct sw_fit_refusal *refusal) {
    struct planner planner = {.problem = problem, .region = region, .strips = strips, .refusal = refusal};
    strips->streams.count = strips->nodes.count = strips->inputs.count = 0;
    strips->axis = planner_operator(&planner, region->first)->window->axis;
    for (uint32_t op = region->first; op <= region->last; op++) {
        if (!plan_operator(&planner, op)) {
            return false;
        }
    }
    return set_strips(&planner) && plan_rows(&planner);
}

void sw_fit_strips_done(struct sw_fit_strips *strips) {
    SW_ARRAY_DONE(&strips->streams, &strips->nodes, &strips->inputs, &strips->items);
}
