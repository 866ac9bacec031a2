/* Counting what is too small to draw.
 *
 * With a million blocks this is what a frame costs. So it reads packed rows only, calls nothing for
 * a block, and is not done again for what has not changed: all that is counted are sums of
 * integers, and a block that has moved is taken out of them where it was and added where it is. The
 * sheet that has followed a layout is the same, to the last count, as one made from nothing. */
#include "view/map/small_blocks.h"
#include "base/base.h"

/* ---- marks ---- */

/* Of each class of blocks. Two more columns and rows, where ranges that reach the edge end. */
static size_t hidden_across_room(const struct sw_hidden *hidden) {
    return (size_t)hidden->classes * hidden->rows * (hidden->columns + 2);
}

static size_t hidden_down_room(const struct sw_hidden *hidden) {
    return (size_t)hidden->classes * hidden->columns * (hidden->rows + 2);
}

/* false: no memory */
static bool sw_hidden_open(struct sw_hidden *hidden, uint32_t columns, uint32_t rows, uint32_t classes) {
    *hidden = (struct sw_hidden){.columns = columns, .rows = rows, .classes = classes};
    hidden->count = SW_NEW_ZERO(uint32_t, (size_t)columns * rows);
    hidden->across = SW_NEW_ZERO(uint32_t, hidden_across_room(hidden));
    hidden->down = SW_NEW_ZERO(uint32_t, hidden_down_room(hidden));
    return hidden->count && hidden->across && hidden->down;
}

bool sw_hidden_copy(struct sw_hidden *to, const struct sw_hidden *from) {
    size_t cells = (size_t)from->columns * from->rows;
    *to =
        (struct sw_hidden){.columns = from->columns, .rows = from->rows, .classes = from->classes, .used = from->used};
    to->count = SW_NEW(uint32_t, cells);
    to->across = SW_NEW_ZERO(uint32_t, hidden_across_room(from));
    to->down = SW_NEW_ZERO(uint32_t, hidden_down_room(from));
    if (!to->count || !to->across || !to->down) {
        return false;
    }
    memcpy(to->count, from->count, cells * sizeof *to->count);
    size_t across = hidden_across_room(from) / from->classes, down = hidden_down_room(from) / from->classes;
    for (uint32_t class = 0; class < from->classes; class ++) {
        if (from->used >> class & 1) {
            memcpy(to->across + class * across, from->across + class * across, across * sizeof *to->across);
            memcpy(to->down + class * down, from->down + class * down, down * sizeof *to->down);
        }
    }
    return true;
}

void sw_hidden_done(struct sw_hidden *hidden) {
    SW_FREE(hidden->count, (size_t)hidden->columns * hidden->rows);
    SW_FREE(hidden->across, hidden_across_room(hidden));
    SW_FREE(hidden->down, hidden_down_room(hidden));
    *hidden = (struct sw_hidden){0};
}

static inline double smaller_of(double a, double b) {
    return a < b ? a : b;
}

static inline double larger_of(double a, double b) {
    return a > b ? a : b;
}

/* Rectangles in marks, clipped to the body, some at a time: where blocks lie is hard to foretell,
 * so that every jump would cost more than what it jumps over. */
enum { BLOCK_BATCH = 256 };
struct batch {
    size_t count;
    double x0[BLOCK_BATCH], x1[BLOCK_BATCH], y0[BLOCK_BATCH], y1[BLOCK_BATCH];
    uint8_t class[BLOCK_BATCH];
};

/* Cover from `lo` to `hi` along a line of marks as differences: marks at its ends are covered in part. What is added
 * is a whole number, so that the same block taken out leaves nothing. */
static inline void cover_line(uint32_t *line, double lo, double hi, double thick, uint32_t times) {
    uint32_t from = (uint32_t)lo, to = (uint32_t)hi, whole = (uint32_t)(SW_HIDDEN_WHOLE * thick);
    whole += (whole == 0) & (thick > 0); /* however thin, it is seen */
    uint32_t begins = (uint32_t)(whole * (1 - (lo - from))), ends = (uint32_t)(whole * (1 - (hi - to)));
    line[from] += begins * times;
    line[from + 1] += (whole - begins) * times;
    line[to] -= ends * times;
    line[to + 1] -= (whole - ends) * times;
}

/* Add them to the sums, or with `times` -1 take them out again. What is lower than a mark lies along at most two rows,
 * what is narrower along two columns. Where it is counted it covers a little more than it does, so that its class is
 * seen however small it is. */
static void count_batch(struct sw_hidden *hidden, const struct batch *batch, bool counts, uint32_t times) {
    const uint32_t sizes[2] = {hidden->columns, hidden->rows};
    const double ends[2] = {hidden->columns - 0.5, hidden->rows - 0.5}; /* hold the last mark */
    uint32_t home = counts ? times : 0;
    for (size_t i = 0; i < batch->count; i++) {
        const double los[2] = {batch->x0[i], batch->y0[i]}, his[2] = {batch->x1[i], batch->y1[i]};
        int along = his[1] - los[1] < 1 ? 0 : 1, other = 1 - along;
        size_t stride = sizes[along] + 2;
        uint32_t *lines = (along ? hidden->down : hidden->across) + (size_t)batch->class[i] * sizes[other] * stride;
        uint32_t first = (uint32_t)smaller_of(los[other], ends[other]);
        uint32_t second = first + (first + 1 < sizes[other]);
        double over = larger_of(his[other] - first - 1, 0), thick = larger_of(his[other] - los[other] - over, 0);
        cover_line(lines + first * stride, los[along], his[along], thick, times);
        cover_line(lines + second * stride, los[along], his[along], over, times);
        uint32_t c = (uint32_t)smaller_of((los[0] + his[0]) / 2, ends[0]);
        uint32_t r = (uint32_t)smaller_of((los[1] + his[1]) / 2, ends[1]);
        size_t row = (size_t)batch->class[i] * hidden->rows + r;
        hidden->used |= UINT32_C(1) << batch->class[i];
        hidden->count[(size_t)r * hidden->columns + c] += home;
        hidden->across[row * (hidden->columns + 2) + c] += home;
        hidden->across[row * (hidden->columns + 2) + c + 1] -= home;
    }
}

void sw_hidden_add(struct sw_hidden *hidden, double x0, double x1, double y0, double y1, unsigned class, bool counts) {
    struct batch one;
    one.count = 1;
    one.x0[0] = x0;
    one.x1[0] = larger_of(x1, x0);
    one.y0[0] = y0;
    one.y1[0] = larger_of(y1, y0);
    one.class[0] = (uint8_t)(class % hidden->classes);
    count_batch(hidden, &one, counts, 1);
}

/* ---- blocks ---- */

enum { MOST_CLASSED = 2000000 }; /* on a grid of more marks classes are not told apart */
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
    batch->class[at] = sw_block_class(&sheet->classes, block->buffer);
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
        double lo = larger_of((batch->x0[i] - space->x_lo) * space->x_scale, 0);
        batch->x0[i] = smaller_of(lo, space->columns);
        batch->x1[i] =
            larger_of(smaller_of((batch->x1[i] - space->x_lo) * space->x_scale, space->columns), batch->x0[i]);
    }
    for (size_t i = 0; i < batch->count; i++) {
        double lo = larger_of((batch->y0[i] - space->y_lo) * space->y_scale, 0);
        batch->y0[i] = smaller_of(lo, space->rows);
        batch->y1[i] = larger_of(smaller_of((batch->y1[i] - space->y_lo) * space->y_scale, space->rows), batch->y0[i]);
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
        count_batch(&sheet->hidden, &batch, true, (uint32_t)times);
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

bool sw_small_blocks_open(struct sw_small_blocks *sheet, const struct sw_view_input *in, struct sw_space space,
                          struct sw_block_classes classes) {
    *sheet = (struct sw_small_blocks){.search = in->run.search,
                                      .problem = sw_search_problem(in->run.search),
                                      .tier = in->look.tier,
                                      .raw_time = in->look.raw_time,
                                      .viewport = in->look.viewport,
                                      .space = space,
                                      .classes = classes};
    if (space.columns * space.rows > MOST_CLASSED) {
        sheet->classes.of = NULL;
    }
    uint32_t planes = sheet->classes.of ? SW_HUES : 1;
    if (!sw_hidden_open(&sheet->hidden, (uint32_t)space.columns, (uint32_t)space.rows, planes) ||
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
                           const struct sw_space *space, const struct sw_block_classes *classes) {
    return sheet->classes.problem == classes->problem && sheet->classes.by == classes->by &&
           sheet->search == in->run.search && sheet->problem == sw_search_problem(in->run.search) &&
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

bool sw_small_blocks_follow(struct sw_small_blocks *sheet, const struct sw_view_input *in,
                            struct sw_block_classes classes) {
    sheet->classes.of = sheet->hidden.classes > 1 ? classes.of : NULL; /* the same, but maybe elsewhere in memory */
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
    count_batch(hidden, &one, true, UINT32_MAX);
    return true;
}
