/* The front: how small the arena becomes, against the multiply-adds that this costs. A point a model. */
#include "view/fit/fit_sight.h"
#include "base/base.h"

#define MODEL_FIGURES_WIDTH 350.0 /* of the table, in points: all but the moves */
#define MODEL_MARKER 3.5          /* half the side of a marker, in points */
enum { FRONT_COLUMNS = 7, LEAST_FRONT_PLOT = 12 /* rows: below that the table alone */ };

struct front {
    struct sw_fit_seen seen;
    struct sw_panel *panel;
    size_t least;  /* the number of the model that needs least */
    size_t chosen; /* of the one that was chosen; SIZE_MAX: none of these */
    struct sw_fit_order order;
};

static bool fine(const struct front *f) {
    return sw_medium(f->seen.in)->fine;
}

/* ---- which models ---- */

static void find_front_order(struct front *f) {
    const struct sw_fit_result *result = f->seen.result;
    f->seen.scene->failed |= !sw_fit_order_find(result, &f->order);
    f->least = sw_fit_least(result);
    f->chosen = SIZE_MAX;
    for (size_t i = 0; i < result->models.count; i++) {
        f->chosen = &result->models.items[i] == f->seen.sight.chosen ? i : f->chosen;
    }
}

static const struct sw_fit_model *model_at(const struct front *f, size_t place) {
    return &f->seen.result->models.items[f->order.items[place]];
}

/* ---- axes ---- */

static void set_front_axes(struct front *f, struct sw_box box) {
    const struct sw_fit_seen *seen = &f->seen;
    double most = 1, hi = 0, lo = INFINITY;
    for (size_t i = 0; i < f->order.count; i++) {
        most = fmax(most, sw_fit_work(seen, model_at(f, i)));
        hi = fmax(hi, (double)model_at(f, i)->bytes);
        lo = fmin(lo, (double)model_at(f, i)->bytes);
    }
    double span = fmax(hi - lo, hi * 0.05);
    if (seen->sight.has_capacity && (double)seen->sight.capacity <= hi + span &&
        (double)seen->sight.capacity >= lo - span) {
        hi = fmax(hi, (double)seen->sight.capacity);
        lo = fmin(lo, (double)seen->sight.capacity);
    }
    /* The axis begins at zero, unless all models lie far above it. */
    lo = lo < 0.6 * hi ? 0 : fmax(lo - 0.1 * (hi - lo) - 0.01 * hi, 0);
    sw_view_place_count(seen->in, seen->scene, f->panel, box, "of the multiply-adds", 1, most + 1);
    double room = fmax(most - 1, 0.001) * 0.06;
    f->panel->x.lo = 1 - room;
    f->panel->x.hi = fmax(most, 1.001) + room;
    f->panel->x.ticks.count = 0;
    double apart = sw_medium(seen->in)->tick_room;
    sw_view_linear_ticks(seen->scene, &f->panel->x, (unsigned)fmin(fmax(2, f->panel->body_width / apart), 12));
    sw_view_bytes_axis(seen->in, seen->scene, f->panel, lo, hi + 0.1 * (hi - lo));
    f->panel->y.title = sw_medium(seen->in)->axis_titles ? sw_fit_what(seen) : NULL;
}

/* ---- marks ---- */

/* `full` and `word`: NULL, both or none. */
static const char *const *model_labels(const struct front *f, const char *dot, const char *full, const char *word) {
    struct sw_scene *scene = f->seen.scene;
    const char *blank = *dot ? " " : "";
    return word ? SW_LABELS(scene, sw_scene_printf(scene, "%s%s%s", dot, blank, full),
                            sw_scene_printf(scene, "%s%s%s", dot, blank, word), dot)
                : SW_LABELS(scene, dot);
}

/* The line from one model to the next: with no more multiply-adds than here, no model needs less. */
static void draw_steps(struct front *f) {
    double x = f->panel->x.hi, y = 0;
    for (size_t i = 0; i + 1 < f->order.count && !f->seen.scene->failed; i++) {
        const struct sw_fit_model *model = model_at(f, i);
        double at = sw_fit_work(&f->seen, model), bytes = (double)model->bytes;
        struct sw_mark line = sw_mark_over(SW_MARK_LINE, SW_STYLE_DIM, at, x, bytes, bytes);
        if (fine(f)) {
            line.style = SW_STYLE_BLOCK;
        }
        sw_panel_mark(f->seen.scene, f->panel, line);
        if (i > 0) {
            line.x0 = x;
            line.y0 = y;
            line.y1 = bytes;
            sw_panel_mark(f->seen.scene, f->panel, line);
        }
        x = at;
        y = bytes;
    }
}

/* The word beside a model's point; NULL: none. */
static const char *called(const struct front *f, size_t number) {
    const struct sw_fit_result *result = f->seen.result;
    bool asked = f->seen.sight.has_capacity,
         enough = asked && result->fits; /* enough: the search ended there, and smaller models were not looked for */
    bool chosen = number == f->chosen && (asked || number != f->least), least = number == f->least && !enough;
    return number == 0 && chosen ? "as it is, chosen"
           : number == 0         ? "as it is"
           : chosen && least     ? "chosen, the least"
           : chosen              ? "chosen"
           : least               ? "the least"
                                 : NULL;
}

static void draw_model(struct front *f, size_t number) {
    const struct sw_fit_model *model = &f->seen.result->models.items[number];
    struct sw_panel *panel = f->panel;
    struct sw_scene *scene = f->seen.scene;
    const char *word = called(f, number);
    double x = sw_fit_work(&f->seen, model), y = (double)model->bytes;
    bool looked = number == f->seen.number;
    const char *full =
        word ? sw_scene_printf(scene, "%s: %s", word,
                               sw_medium(f->seen.in)->long_units ? sw_view_bytes(f->seen.in, scene, model->bytes)
                                                                 : SW_BYTES(model->bytes))
             : NULL;
    if (!fine(f)) {
        enum sw_style style = looked ? SW_STYLE_SELECTED : word ? SW_STYLE_STRONG : SW_STYLE_TEXT;
        sw_view_point(scene, panel, style, x, y, model_labels(f, looked ? "@" : "o", full, word));
        return;
    }
    double wide = MODEL_MARKER * (panel->x.hi - panel->x.lo) / panel->body_width,
           high = MODEL_MARKER * (panel->y.hi - panel->y.lo) / panel->body_height;
    struct sw_mark dot =
        sw_mark_over(SW_MARK_RECT, looked ? SW_STYLE_CURRENT : SW_STYLE_BLOCK, x - wide, x + wide, y - high, y + high);
    dot.hue = number == 0 ? 1 : 0;
    dot.pattern = number == 0 ? SW_PATTERN_OUTPUT : SW_PATTERN_INPUT;
    sw_panel_mark(scene, panel, dot);
    if (full) {
        sw_view_point(scene, panel, looked ? SW_STYLE_STRONG : SW_STYLE_TEXT, x, y + 1.5 * high,
                      model_labels(f, "", full, word));
    }
}

static void draw_front_plot(struct front *f, struct sw_box box) {
    const struct sw_fit_seen *seen = &f->seen;
    f->panel = sw_scene_panel(seen->scene, SW_PANEL_PLOT, "front");
    f->panel->title = sw_scene_printf(seen->scene, "%s against multiply-adds", sw_fit_what(seen));
    set_front_axes(f, box);
    if (seen->sight.has_capacity) {
        sw_view_level(seen->scene, f->panel, SW_STYLE_CAPACITY, false, (double)seen->sight.capacity,
                      sw_view_figure(seen->in, seen->scene, "capacity", seen->sight.capacity));
    }
    draw_steps(f);
    /* Draw the models with names last, so that they lie over the others. */
    for (int named = 0; named < 2; named++) {
        for (size_t i = 0; i < f->order.count && !seen->scene->failed; i++) {
            size_t number = f->order.items[i];
            if ((called(f, number) || number == seen->number) == named) {
                draw_model(f, number);
            }
        }
    }
}

/* ---- the table ---- */

/* As many moves of a changed model as a row of a page has room for, and how many follow; in a terminal all. */
static const char *moves_within(const struct front *f, const struct sw_fit_model *model, double width) {
    struct sw_scene *scene = f->seen.scene;
    size_t count = model->moves.items.count;
    const char *all = "", *shown = count ? sw_scene_counted(scene, count, "change") : "";
    for (size_t i = 0; i < count; i++) {
        const char *one = sw_fit_move_words(&f->seen, model, &model->moves.items.items[i]);
        all = i ? sw_scene_printf(scene, "%s; %s", all, one) : one;
        const char *text = i + 1 < count ? sw_scene_printf(scene, "%s; and %zu more", all, count - i - 1) : all;
        bool fits = SW_PAGE_BOLD * sw_page_text_width(text, SW_PAGE_TABLE_SIZE) <= width;
        shown = fits ? text : shown;
    }
    return sw_medium(f->seen.in)->still ? shown : all;
}

static void add_model_row(struct front *f, struct sw_lines *lines, size_t number) {
    const struct sw_fit_model *model = &f->seen.result->models.items[number];
    bool looked = number == f->seen.number;
    enum sw_style style = looked ? SW_STYLE_SELECTED : SW_STYLE_TEXT;
    sw_lines_row(lines, SW_NO_ITEM, looked);
    const char *word = called(f, number);
    sw_lines_cellf(lines, style, true, "%s", SW_COUNT(model->arena));
    sw_lines_cellf(lines, style, true, "%s", SW_COUNT(model->head));
    sw_lines_cellf(lines, style, true, "%s", SW_COUNT(sw_problem_outside(model->problem)));
    sw_lines_cellf(lines, style, true, "%.3f", sw_fit_work(&f->seen, model));
    sw_lines_cellf(lines, style, true, "%s", SW_COUNT(model->calls));
    sw_lines_cell(lines, looked ? SW_STYLE_SELECTED : SW_STYLE_STRONG, false, word ? word : "");
    sw_lines_cell(lines, style, false, moves_within(f, model, lines->panel->width - MODEL_FIGURES_WIDTH));
}

static void add_front_table(struct front *f, struct sw_box box) {
    static const struct sw_lines_head heads[FRONT_COLUMNS] = {
        {"arena", true},     {"head", true}, {"tail", true},  {"multiply-adds", true},
        {"operators", true}, {"", false},    {"moves", false}};
    uint32_t count = (uint32_t)f->order.count, at = 0;
    const char *title = fine(f) ? NULL : sw_scene_printf(f->seen.scene, "models: %s", sw_fit_gain(&f->seen));
    struct sw_lines lines =
        sw_lines_begin(f->seen.in, f->seen.scene, "models", title, box, FRONT_COLUMNS, FRONT_COLUMNS - 1);
    uint32_t room = sw_lines_heads(&lines, heads, FRONT_COLUMNS, count);
    for (uint32_t i = 0; i < count; i++) { /* the one that is looked at stays in sight */
        at = f->order.items[i] == f->seen.number ? i : at;
    }
    uint32_t first = sw_lines_first(&lines, at >= room ? at + 1 - room : 0, count, room);
    lines.panel->hidden_below = 0; /* rows count as they find no room */
    for (uint32_t i = first; i < count && !f->seen.scene->failed; i++) {
        add_model_row(f, &lines, f->order.items[i]);
    }
}

static void front_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct front f = {0};
    double unit = sw_medium(in)->row;
    if (!sw_fit_seen(in, scene, &f.seen)) {
        sw_fit_say_nothing(in, scene, "front", box);
        return;
    }
    find_front_order(&f);
    if (box.height >= LEAST_FRONT_PLOT * unit) {
        double table = fmin((double)(f.order.count + 2) * unit, floor(box.height / unit * 0.45) * unit);
        draw_front_plot(&f, sw_box_take(&box, box.height - table));
        box.height = table;
    }
    add_front_table(&f, box);
    SW_ARRAY_DONE(&f.order);
}

const struct sw_view sw_view_front = {
    .name = "front",
    .summary = "how small the arena becomes by changes, against multiply-adds",
    .of_fit = true,
    .keys = SW_KEYS_FRONT,
    .scrolls = SW_SCROLLS_LIST,
    .applies = sw_fit_applies,
    .build = front_build,
};
