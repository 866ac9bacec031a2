/* Counting what is too small to draw.
 *
 * With a million blocks this is what a frame costs. So it reads packed rows only, calls nothing for
 * a block, and is not done again for what has not changed: all that is counted are sums of
 * integers, and a block that has moved is taken out of them where it was and added where it is. The
 * sheet that has followed a layout is the same, to the last count, as one made from nothing. */
#include "view/map/small_blocks.h"
#include "base/base.h"

#define WHOLE_MARK 4096 /* a mark that is covered entirely */

/* ---- marks ---- */

/* false: no memory */
static bool sw_hidden_open(struct sw_hidden *hidden, uint32_t columns, uint32_t rows) {
    size_t cells = (size_t)columns * rows;
    /* One more column and one more row, where ranges that reach the edge end. */
    *hidden = (struct sw_hidden){.columns = columns,
                                 .rows = rows,
                                 .count = SW_NEW_ZERO(uint32_t, cells),
                                 .across = SW_NEW_ZERO(int64_t, cells + rows),
                                 .down = SW_NEW_ZERO(int64_t, cells + columns)};
    return hidden->count && hidden->across && hidden->down;
}

bool sw_hidden_copy(struct sw_hidden *to, const struct sw_hidden *from) {
    size_t cells = (size_t)from->columns * from->rows;
    *to = (struct sw_hidden){.columns = from->columns,
                             .rows = from->rows,
                             .count = SW_NEW(uint32_t, cells),
                             .across = SW_NEW(int64_t, cells + from->rows),
                             .down = SW_NEW(int64_t, cells + from->columns)};
    if (!to->count || !to->across || !to->down) {
        return false;
    }
    memcpy(to->count, from->count, cells * sizeof *to->count);
    memcpy(to->across, from->across, (cells + from->rows) * sizeof *to->across);
    memcpy(to->down, from->down, (cells + from->columns) * sizeof *to->down);
    return true;
}

void sw_hidden_done(struct sw_hidden *hidden) {
    size_t cells = (size_t)hidden->columns * hidden->rows;
    SW_FREE(hidden->count, cells);
    SW_FREE(hidden->across, cells + hidden->rows);
    SW_FREE(hidden->down, cells + hidden->columns);
    *hidden = (struct sw_hidden){0};
}

static inline double smaller_of(double a, double b) {
    return a < b ? a : b;
}

static inline double larger_of(double a, double b) {
    return a > b ? a : b;
}

/* Rectangles in marks, clipped to the body, some at a time: where blocks lie is hard to foretell,
 * so that every jump would cost more than what it jumps over. Loops over arrays have none, and the
 * compiler handles several rectangles with one instruction. */
enum { BLOCK_BATCH = 256 };
struct batch {
    size_t count;
    double x0[BLOCK_BATCH], x1[BLOCK_BATCH], y0[BLOCK_BATCH], y1[BLOCK_BATCH];
};
/* Where they lie along one direction: the mark of the middle, the first and the last mark. */
struct marks {
    int32_t middle[BLOCK_BATCH], from[BLOCK_BATCH], to[BLOCK_BATCH];
    double width[BLOCK_BATCH]; /* at most 1 */
};

static void find_marks(const double *lo, const double *hi, size_t batch_count, uint32_t marks_count,
                       struct marks *marks) {
    double end = marks_count - 0.5; /* holds the last mark */
    for (size_t i = 0; i < batch_count; i++) {
        int32_t from = (int32_t)smaller_of(larger_of(lo[i], 0), end);
        int32_t last = (int32_t)smaller_of(larger_of(hi[i], 0), end);
        last -= (last > 0) & (last >= hi[i]); /* it ends where that one begins */
        marks->middle[i] = (int32_t)smaller_of(larger_of((lo[i] + hi[i]) / 2, 0), end);
        marks->from[i] = from;
        marks->to[i] = last < from ? from : last;
        marks->width[i] = smaller_of(hi[i] - lo[i], 1);
    }
}

/* Add them to the sums, or with `times` -1 take them out again. What is lower than a mark lies
 * along a row, what is narrower along a column, and what is both is a dot. */
static void count_batch(struct sw_hidden *hidden, const struct batch *batch, bool counts, int times) {
    struct marks x, y;
    int32_t amounts[BLOCK_BATCH];
    uint32_t home = counts ? (uint32_t)times : 0;
    find_marks(batch->x0, batch->x1, batch->count, hidden->columns, &x);
    find_marks(batch->y0, batch->y1, batch->count, hidden->rows, &y);
    for (size_t i = 0; i < batch->count; i++) {
        int32_t amount = (int32_t)(WHOLE_MARK * x.width[i] * y.width[i]);
        amounts[i] = (amount < 1 ? 1 : amount) * times;
    }
    for (size_t i = 0; i < batch->count; i++) {
        size_t c = (size_t)x.middle[i], r = (size_t)y.middle[i];
        const struct marks *along[2] = {&y, &x};
        int64_t *lines[2] = {hidden->down + c * (hidden->rows + 1), hidden->across + r * (hidden->columns + 1)};
        int low = y.width[i] < 1, dot = low & (x.width[i] < 1);
        const int32_t *froms[2] = {along[low]->from, x.middle};
        const int32_t *tos[2] = {along[low]->to, x.middle};
        hidden->count[r * hidden->columns + c] += home;
        lines[low][froms[dot][i]] += amounts[i];
        lines[low][tos[dot][i] + 1] -= amounts[i];
    }
}

void sw_hidden_add(struct sw_hidden *hidden, double x0, double x1, double y0, double y1, bool counts) {
    struct batch one;
    one.count = 1;
    one.x0[0] = x0;
    one.x1[0] = x1;
    one.y0[0] = y0;
    one.y1[0] = y1;
    count_batch(hidden, &one, counts, 1);
}

/* ---- blocks ---- */

enum block_look { BLOCK_OUTSIDE, BLOCK_LISTED, BLOCK_HIDDEN };

/* Put a block that is too small into the batch, or say that it is not. */
static inline enum block_look look_at_block(const struct sw_small_blocks *sheet, const struct sw_layout_block *block,
                                            struct batch *batch) {
    const struct sw_viewport *port = &sheet->viewport;
    const struct sw_space *space = &sheet->space;
    if (!block->whole) {
        return BLOCK_LISTED;
    }
    double x0 = block->first, x1 = block->last + 1.0;
    double y0 = (double)block->lo, y1 = (double)block->hi;
    if (block->tier != sheet->tier || x0 >= port->time_hi || x1 <= port->time_lo || y0 >= space->y_hi ||
        y1 <= space->y_lo) {
        return BLOCK_OUTSIDE;
    }
    if (sheet->raw_time) {
        x0 = (double)sw_problem_time(sheet->problem, block->first);
        x1 = (double)sw_problem_time(sheet->problem, block->last + 1);
    }
    if (!(x1 > x0) || !(y1 > y0)) {
        return BLOCK_OUTSIDE;
    }
    if ((x1 - x0) * space->x_scale >= 1 && (y1 - y0) * space->y_scale >= 1) {
        return BLOCK_LISTED;
    }
    size_t at = batch->count++;
    batch->x0[at] = x0;
    batch->x1[at] = x1;
    batch->y0[at] = y0;
    batch->y1[at] = y1;
    return BLOCK_HIDDEN;
}

/* From data to marks. A block that is too small in one direction stays so after clipping; both
 * sides below 1 is what is taken for a dot. */
static void clip(const struct sw_space *space, struct batch *batch) {
    for (size_t i = 0; i < batch->count; i++) {
        batch->x0[i] = larger_of((batch->x0[i] - space->x_lo) * space->x_scale, 0);
        batch->x1[i] = smaller_of((batch->x1[i] - space->x_lo) * space->x_scale, space->columns);
    }
    for (size_t i = 0; i < batch->count; i++) {
        batch->y0[i] = larger_of((batch->y0[i] - space->y_lo) * space->y_scale, 0);
        batch->y1[i] = smaller_of((batch->y1[i] - space->y_lo) * space->y_scale, space->rows);
    }
}

/* All blocks of a layout in the window that lie elsewhere in `other`. What is to be listed goes
 * into `listed`. False: no memory. */
static bool look_at_blocks(struct sw_small_blocks *sheet, const struct sw_layout *layout, const struct sw_layout *other,
                           int times, struct sw_buffer_list *listed) {
    struct sw_layout_block blocks[BLOCK_BATCH];
    struct batch batch;
    const struct sw_viewport *port = &sheet->viewport;
    /* A step more at both ends, for these are whole steps and the window's ends are not. */
    uint32_t first = (uint32_t)fmin(fmax(floor(port->time_lo) - 1, 0), UINT32_MAX);
    uint32_t last = (uint32_t)fmin(fmax(ceil(port->time_hi), 0), UINT32_MAX);
    uint32_t rank = 0;
    for (size_t some; (some = sw_layout_blocks_of(layout, other, first, last, &rank, blocks, BLOCK_BATCH)) > 0;) {
        batch.count = 0;
        for (size_t i = 0; i < some; i++) {
            if (look_at_block(sheet, &blocks[i], &batch) == BLOCK_LISTED && !SW_PUSH(listed, blocks[i].buffer)) {
                return false;
            }
        }
        clip(&sheet->space, &batch);
        count_batch(&sheet->hidden, &batch, true, times);
        sheet->hidden_count += times > 0 ? batch.count : 0 - batch.count;
    }
    return true;
}

int sw_buffers_compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool has_listed(const uint32_t *items, size_t items_count, uint32_t b) {
    return items_count > 0 && bsearch(&b, items, items_count, sizeof *items, sw_buffers_compare) != NULL;
}

/* ---- sheets ---- */

bool sw_small_blocks_open(struct sw_small_blocks *sheet, const struct sw_view_input *in, struct sw_space space) {
    *sheet = (struct sw_small_blocks){.search = in->run.search,
                                      .problem = sw_search_problem(in->run.search),
                                      .tier = in->look.tier,
                                      .raw_time = in->look.raw_time,
                                      .viewport = in->look.viewport,
                                      .space = space};
    if (!sw_hidden_open(&sheet->hidden, (uint32_t)space.columns, (uint32_t)space.rows) ||
        !look_at_blocks(sheet, sw_view_shown(in), NULL, 1, &sheet->single)) {
        return false;
    }
    SW_SORT_LIST(&sheet->single, sw_buffers_compare);
    return true;
}

void sw_small_blocks_done(struct sw_small_blocks *sheet) {
    sw_hidden_done(&sheet->hidden);
    SW_ARRAY_DONE(&sheet->single);
    sw_layout_free(sheet->layout);
    *sheet = (struct sw_small_blocks){0};
}

bool sw_small_blocks_suits(const struct sw_small_blocks *sheet, const struct sw_view_input *in,
                           const struct sw_space *space) {
    return sheet->search == in->run.search && sheet->problem == sw_search_problem(in->run.search) &&
           sheet->tier == in->look.tier && sheet->raw_time == in->look.raw_time &&
           memcmp(&sheet->viewport, &in->look.viewport, sizeof in->look.viewport) == 0 &&
           memcmp(&sheet->space, space, sizeof *space) == 0;
}

/* Take `gone` out of the list, and put `come` into it; both are sorted on the way. */
static bool exchange_listed(struct sw_small_blocks *sheet, struct sw_buffer_list *gone, struct sw_buffer_list *come) {
    size_t kept = 0;
    SW_SORT_LIST(gone, sw_buffers_compare);
    for (size_t i = 0; gone->count > 0 && i < sheet->single.count; i++) {
        uint32_t b = sheet->single.items[i];
        sheet->single.items[kept] = b;
        kept += !has_listed(gone->items, gone->count, b);
    }
    sheet->single.count = gone->count > 0 ? kept : sheet->single.count;
    for (size_t i = 0; i < come->count; i++) {
        if (!SW_PUSH(&sheet->single, come->items[i])) {
            return false;
        }
    }
    if (come->count > 0) {
        SW_SORT_LIST(&sheet->single, sw_buffers_compare);
    }
    return true;
}

bool sw_small_blocks_follow(struct sw_small_blocks *sheet, const struct sw_view_input *in) {
    const struct sw_layout *layout = sw_view_shown(in);
    struct sw_buffer_list gone = {0}, come = {0};
    bool good = look_at_blocks(sheet, sheet->layout, layout, -1, &gone) &&
                look_at_blocks(sheet, layout, sheet->layout, 1, &come) && exchange_listed(sheet, &gone, &come);
    SW_ARRAY_DONE(&gone, &come);
    return good;
}

bool sw_small_blocks_unhide(const struct sw_small_blocks *sheet, struct sw_hidden *hidden, uint32_t buffer,
                            const struct sw_layout *layout) {
    struct sw_layout_block block;
    struct batch one;
    one.count = 0;
    if (buffer >= sw_problem_buffer_count(sheet->problem) || !sw_layout_block(layout, buffer, &block) ||
        look_at_block(sheet, &block, &one) != BLOCK_HIDDEN) {
        return false;
    }
    clip(&sheet->space, &one);
    count_batch(hidden, &one, true, -1);
    return true;
}
