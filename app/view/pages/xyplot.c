/* Curves as a page: round axes, a line with points per series, a legend. Where x has names, which lie on no line, each
 * series has its own place beside the others: a stem with a point. */
#include "view/pages/xyplot.h"
#include "base/base.h"
#include "base/sort.h"

#include "view/view_internal.h"

#define POINT_ROOM 6.0                                     /* half a point and its edge */
enum { MARKED = 80, MOST_UNDER = 4, MOST_LABEL_ROWS = 3 }; /* MARKED: points of a curve of which each is marked */

/* ---- looks ---- */

unsigned sw_series_hue(size_t series) {
    static const unsigned hues[SW_HUES] = {4, 5, 2, 6, 1, 0, 3, 7};
    return hues[series % SW_HUES];
}

enum sw_dash sw_series_dash(size_t series) {
    return (enum sw_dash)((series + series / SW_HUES) % SW_DASH_COUNT);
}

enum sw_shape sw_series_shape(size_t series) {
    return (enum sw_shape)((series + series / SW_HUES) % SW_SHAPE_COUNT);
}

/* ---- ranges ---- */

static double xy_place(bool log, double value) {
    return log ? log10(value) : value;
}

/* Beside the values; what differs in less than its labels can tell has more. */
static double xy_room(double lo, double hi, double share) {
    return hi > lo ? fmax(share * (hi - lo), 1e-8 * fmax(fabs(lo), fabs(hi))) : fmax(fabs(lo) * 0.1, 0.5);
}

static void find_xy_ranges(const struct sw_xyplot *plot, struct sw_panel *panel) {
    double x_lo = INFINITY, x_hi = -INFINITY, y_lo = INFINITY, y_hi = -INFINITY;
    for (size_t s = 0; s < plot->count; s++) {
        for (size_t i = 0; i < plot->series[s].count; i++) {
            double x = xy_place(plot->log_x, plot->series[s].points[i].x);
            double y = xy_place(plot->log_y, plot->series[s].points[i].y);
            x_lo = fmin(x_lo, x);
            x_hi = fmax(x_hi, x);
            y_lo = fmin(y_lo, y);
            y_hi = fmax(y_hi, y);
        }
    }
    if (x_lo > x_hi) {
        x_lo = y_lo = 0;
        x_hi = y_hi = 1;
    }
    /* From zero, as stems are; unless everything happens far above it: then a part of the axis is shown. */
    if (!plot->log_y && y_lo > 0 && (plot->names || y_lo < 0.6 * y_hi)) {
        y_lo = 0;
    }
    if (!plot->log_y && plot->names) {
        y_hi = fmax(y_hi, 0);
    }
    double x_room = xy_room(x_lo, x_hi, 0.03), y_room = xy_room(y_lo, y_hi, 0.08);
    panel->x.lo = plot->names ? fmin(x_lo, 1) - 0.5 : x_lo - x_room;
    panel->x.hi = plot->names ? fmax(x_hi, (double)plot->name_count) + 0.5 : x_hi + x_room;
    double point = POINT_ROOM / fmax(panel->body_height, 1) * y_hi;
    panel->y.lo = y_lo < 0 || y_lo > 0 ? y_lo - y_room : -fmax(y_room / 3, plot->log_y ? 0 : point); /* points at 0 */
    panel->y.hi = y_hi + y_room;
}

/* ---- ticks ---- */

static void add_tick(struct sw_scene *scene, struct sw_axis *axis, double at, const char *label) {
    if (at >= axis->lo && at <= axis->hi && !SW_PUSH(&axis->ticks, (struct sw_tick){at, label})) {
        scene->failed = true;
    }
}

/* The prefix in which numbers up to `most` are written: few digits before the point, and no exponent. */
struct number_prefix {
    double unit;
    const char *name;
};

static struct number_prefix prefix_for(double most) {
    static const struct number_prefix prefixes[] = {{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"},
                                                    {1e6, "M"},  {1e4, "k"},  {1e-3, ""},  {1e-6, "\xc2\xb5"},
                                                    {1e-9, "n"}, {0, "p"}};
    size_t i = 0;
    while (most * (1 + 1e-9) < prefixes[i].unit) {
        i++;
    }
    struct number_prefix found = prefixes[i];
    found.unit = found.unit == 1e4 ? 1e3 : found.unit == 1e-3 ? 1 : found.unit > 0 ? found.unit : 1e-12;
    return found;
}

static const char *number_label(struct sw_scene *scene, double value, double step, struct number_prefix prefix) {
    int digits = (int)ceil(-log10(step / prefix.unit) - 1e-9);
    if (fabs(value) < step / 2) {
        return "0";
    }
    if (digits > 9 || fabs(value) >= 1e6 * prefix.unit) {
        return sw_scene_printf(scene, "%.6g", value); /* nothing that is counted here */
    }
    return *prefix.name || digits > 0 || value < 0
               ? sw_scene_printf(scene, "%.*f%s", SW_MAX(digits, 0), value / prefix.unit, prefix.name)
               : sw_scene_printf(scene, "%s", SW_COUNT((uint64_t)(value + 0.5)));
}

void sw_view_linear_ticks(struct sw_scene *scene, struct sw_axis *axis, unsigned most) {
    double least = (axis->hi - axis->lo) / most, power = pow(10, floor(log10(least)));
    double step = least <= power * 1.0000001 ? power
                  : least <= 2 * power       ? 2 * power
                  : least <= 5 * power       ? 5 * power
                                             : 10 * power;
    struct number_prefix prefix = prefix_for(fmax(fabs(axis->lo), fabs(axis->hi)));
    for (double k = ceil(axis->lo / step); k * step <= axis->hi && k + 1 > k && !scene->failed; k++) {
        add_tick(scene, axis, k * step + 0.0, number_label(scene, k * step, step, prefix));
    }
}

/* Powers of two for bytes, else of ten, with 2 and 5 in between where there is room. */
static void log_ticks(struct sw_scene *scene, struct sw_axis *axis, unsigned most, bool bytes) {
    static const double parts[] = {1, 2, 5};
    double base = bytes ? log10(2) : 1;
    double span = (axis->hi - axis->lo) / base;
    double stride = fmax(ceil(span / most), 1);
    unsigned between = !bytes && span * 3 <= most ? 3 : 1;
    double first = floor(axis->lo / base / stride) * stride;
    for (double k = first; k * base <= axis->hi && !scene->failed; k += stride) {
        for (unsigned i = 0; i < between; i++) {
            double value = bytes ? exp2(k) : pow(10, k) * parts[i];
            char text[24];
            add_tick(scene, axis, log10(value),
                     bytes && value >= 1
                         ? sw_scene_printf(scene, "%s", sw_show_bytes_long((uint64_t)value, text))
                         : number_label(scene, value, SW_MIN(pow(10, floor(log10(value))), 1e3), prefix_for(value)));
        }
    }
}

void sw_view_log_ticks(struct sw_scene *scene, struct sw_axis *axis, unsigned most) {
    log_ticks(scene, axis, most, false);
}

/* In the one unit that suits the largest, from zero on. */
static void byte_ticks(struct sw_scene *scene, struct sw_axis *axis, unsigned most) {
    static const struct sw_view_input on_page = {.medium = SW_ON_PAGE};
    double lo = axis->lo;
    enum sw_units asked = scene->units;
    scene->units = sw_units_for(asked, (uint64_t)fmin(fmax(axis->hi, 0), 0x1p62));
    axis->lo = fmax(lo, 0);
    sw_view_bytes_ticks(&on_page, scene, axis, most);
    axis->lo = lo;
    scene->units = asked;
}

static void add_xy_ticks(struct sw_scene *scene, struct sw_axis *axis, double most, bool log, bool bytes) {
    unsigned count = (unsigned)fmax(2, most);
    if (log) {
        log_ticks(scene, axis, count, bytes);
    } else if (bytes && axis->hi > 0) {
        byte_ticks(scene, axis, count);
    } else {
        sw_view_linear_ticks(scene, axis, count);
    }
}

/* ---- curves that lie on each other ---- */

/* A point, or a line between two, on a grid so fine that what shares a cell looks the same. */
struct xy_cell {
    int32_t x0, y0, x1, y1;
    uint32_t series, point;
};

SW_BY_FIELDS(compare_xy_cells, struct xy_cell, SW_UP(x0), SW_UP(y0), SW_UP(x1), SW_UP(y1), SW_UP(series), SW_UP(point))

static bool same_cell(const struct xy_cell *a, const struct xy_cell *b) {
    return a->x0 == b->x0 && a->y0 == b->y0 && a->x1 == b->x1 && a->y1 == b->y1;
}

struct xy_chart {
    const struct sw_xyplot *plot;
    struct sw_scene *scene;
    struct sw_panel *panel;
    SW_ARRAY(struct xy_cell) cells;
    SW_ARRAY(uint8_t) under; /* of each point, and of the line that ends there: how many later series are there, too */
    bool shared;
    unsigned parts; /* enum sw_xy_parts */
};

static void find_cell(const struct xy_chart *chart, const struct sw_xypoint *at, int32_t *x, int32_t *y) {
    const struct sw_panel *panel = chart->panel;
    double wide = (xy_place(chart->plot->log_x, at->x) - panel->x.lo) / (panel->x.hi - panel->x.lo);
    double high = (xy_place(chart->plot->log_y, at->y) - panel->y.lo) / (panel->y.hi - panel->y.lo);
    *x = (int32_t)lround(fmin(fmax(wide, -1), 2) * panel->body_width);
    *y = (int32_t)lround(fmin(fmax(high, -1), 2) * panel->body_height);
}

/* The cells [from, to) are one and the same, in the order of their series. */
static void count_under(struct xy_chart *chart, const size_t *starts, size_t from, size_t to) {
    unsigned later = 0;
    for (size_t i = to; i-- > from;) {
        const struct xy_cell *cell = &chart->cells.items[i];
        bool line = cell->x0 != cell->x1 || cell->y0 != cell->y1;
        later += i + 1 < to && cell[1].series != cell->series;
        chart->under.items[starts[cell->series] + 2 * (size_t)cell->point + line] = (uint8_t)SW_MIN(later, MOST_UNDER);
        chart->shared |= later > 0;
    }
}

static bool collect_cells(struct xy_chart *chart, size_t *starts) {
    for (size_t s = 0; s < chart->plot->count; s++) {
        const struct sw_xyseries *series = &chart->plot->series[s];
        struct xy_cell cell = {.series = (uint32_t)s}, line;
        starts[s] = chart->under.count;
        for (size_t i = 0; i < series->count; i++) {
            line = cell;
            find_cell(chart, &series->points[i], &cell.x0, &cell.y0);
            cell.point = line.point = (uint32_t)i;
            cell.x1 = line.x1 = cell.x0;
            cell.y1 = line.y1 = cell.y0;
            bool drawn = i > 0 && (line.x0 != line.x1 || line.y0 != line.y1);
            if (!SW_PUSH(&chart->cells, cell) || (drawn && !SW_PUSH(&chart->cells, line)) ||
                !SW_PUSH(&chart->under, 0) || !SW_PUSH(&chart->under, 0)) {
                return false;
            }
        }
    }
    return true;
}

static void find_shared(struct xy_chart *chart, size_t *starts) {
    if (!collect_cells(chart, starts)) {
        chart->scene->failed = true;
        return;
    }
    size_t count = chart->cells.count;
    if (count > 0) {
        qsort(chart->cells.items, count, sizeof *chart->cells.items, compare_xy_cells);
    }
    for (size_t from = 0, to = 0; from < count; from = to) {
        while (to < count && same_cell(&chart->cells.items[from], &chart->cells.items[to])) {
            to++;
        }
        count_under(chart, starts, from, to);
    }
}

/* ---- curves ---- */

/* A value as exact as it is worth reading. */
static const char *xy_value(struct sw_scene *scene, double value, bool bytes) {
    char text[40];
    if (bytes && value >= 0 && value < 0x1p62) {
        return sw_scene_printf(scene, "%s", sw_show_bytes_in(scene->units, (uint64_t)(value + 0.5), text));
    }
    if (value >= 1e4 && value < 1e15) {
        return sw_scene_printf(scene, "%s", SW_COUNT((uint64_t)(value + 0.5)));
    }
    return sw_scene_printf(scene, "%.6g", value);
}

static const char *titled_value(const struct xy_chart *chart, double value, bool bytes, const char *title) {
    const char *text = xy_value(chart->scene, value, bytes);
    return title ? sw_scene_printf(chart->scene, "%s (%s)", text, title) : text;
}

/* "unet at 25 (SRAM, % of the lower bound): 53.4 (E, % of that without SRAM)". */
static const char *tell_point(const struct xy_chart *chart, size_t s, const struct sw_xypoint *at) {
    const struct sw_xyplot *plot = chart->plot;
    const struct sw_xyseries *series = &plot->series[s];
    if (series->told) {
        return sw_scene_clean(chart->scene, series->told[at - series->points]);
    }
    size_t number = at->x >= 1 && at->x <= (double)plot->name_count ? (size_t)at->x : 0;
    const char *x = number ? plot->names[number - 1] : titled_value(chart, at->x, plot->bytes_x, plot->x);
    return sw_scene_printf(chart->scene, "%s at %s: %s", series->name, x,
                           titled_value(chart, at->y, plot->bytes_y, plot->y));
}

static void add_xy_line(struct xy_chart *chart, size_t s, struct sw_xypoint from, struct sw_xypoint to, uint8_t under) {
    struct sw_mark *line = sw_panel_mark(chart->scene, chart->panel,
                                         sw_mark_over(SW_MARK_LINE, SW_STYLE_BLOCK, from.x, to.x, from.y, to.y));
    line->hue = (uint8_t)sw_series_hue(s);
    line->pattern = (uint8_t)(chart->plot->names ? SW_DASH_NONE : sw_series_dash(s));
    line->under = under;
}

static void add_xy_point(struct xy_chart *chart, size_t s, struct sw_xypoint place, const struct sw_xypoint *at,
                         uint8_t under) {
    const char *told = tell_point(chart, s, at);
    struct sw_mark *mark = sw_panel_mark(
        chart->scene, chart->panel, sw_mark_over(SW_MARK_POINT, SW_STYLE_BLOCK, place.x, place.x, place.y, place.y));
    mark->hue = (uint8_t)sw_series_hue(s);
    mark->pattern = (uint8_t)sw_series_shape(s);
    mark->under = under;
    mark->labels = SW_LABELS(chart->scene, told);
}

/* Where names stand below: from the axis up, each series beside the one before it. */
static void add_stems(struct xy_chart *chart, size_t s) {
    const struct sw_xyseries *series = &chart->plot->series[s];
    double shift = (((double)s + 0.5) / (double)chart->plot->count - 0.5) * 0.72;
    for (size_t i = 0; i < series->count && !chart->scene->failed; i++) {
        struct sw_xypoint at = {xy_place(chart->plot->log_x, series->points[i].x) + shift,
                                xy_place(chart->plot->log_y, series->points[i].y)};
        double low = chart->plot->log_y ? chart->panel->y.lo : 0;
        add_xy_line(chart, s, (struct sw_xypoint){at.x, low}, at, 0);
        add_xy_point(chart, s, at, &series->points[i], 0);
    }
}

static void add_xy_curve(struct xy_chart *chart, size_t s, const uint8_t *under) {
    const struct sw_xyplot *plot = chart->plot;
    const struct sw_xyseries *series = &plot->series[s];
    struct sw_xypoint last = {0, 0};
    /* Points of a long curve would hide its line. */
    size_t apart = series->count > MARKED ? series->count / (MARKED / 2) : 1;
    for (int points = 0; points < 2; points++) {
        for (size_t i = 0; i < series->count && !chart->scene->failed && (chart->parts & (1u << points)); i++) {
            struct sw_xypoint at = {xy_place(plot->log_x, series->points[i].x),
                                    xy_place(plot->log_y, series->points[i].y)};
            if (!points && i > 0) {
                add_xy_line(chart, s, last, at, under[2 * i + 1]);
            } else if (points && (i % apart == 0 || i + 1 == series->count)) {
                add_xy_point(chart, s, at, &series->points[i], under[2 * i]);
            }
            last = at;
        }
    }
}

bool sw_xy_curves(const struct sw_xyplot *plot, struct sw_scene *scene, struct sw_panel *panel, unsigned parts) {
    struct xy_chart of_all = {.plot = plot, .scene = scene, .panel = panel, .parts = parts}, *chart = &of_all;
    size_t *starts = SW_NEW_ZERO(size_t, plot->count + 1);
    if (!starts) {
        chart->scene->failed = true;
        return false;
    }
    if (!plot->names) {
        find_shared(chart, starts);
    }
    for (size_t s = 0; s < plot->count && !chart->scene->failed; s++) {
        if (plot->names) {
            add_stems(chart, s);
        } else {
            add_xy_curve(chart, s, chart->under.items + starts[s]);
        }
    }
    SW_FREE(starts, plot->count + 1);
    SW_ARRAY_DONE(&chart->cells, &chart->under);
    return chart->shared;
}

/* ---- the page ---- */

static void add_xy_legend(const struct sw_xyplot *plot, struct sw_scene *scene) {
    for (size_t s = 0; s < plot->count; s++) {
        sw_scene_add_legend(scene, (struct sw_legend_entry){.style = SW_STYLE_BLOCK,
                                                            .hue = (uint8_t)sw_series_hue(s),
                                                            .pattern = (uint8_t)(plot->names ? 0 : sw_series_dash(s)),
                                                            .line = !plot->names,
                                                            .shape = (uint8_t)(1 + sw_series_shape(s)),
                                                            .text = plot->series[s].name});
    }
}

/* So many rows that each name has room, and what still has none is cut. */
static void add_name_ticks(const struct sw_xyplot *plot, struct sw_scene *scene, struct sw_panel *panel) {
    for (size_t i = 0; i < plot->name_count; i++) {
        double room = panel->body_width / (double)plot->name_count * panel->x.rows / SW_PAGE_CHARACTER;
        const char *name = sw_scene_clean(scene, plot->names[i]);
        add_tick(scene, &panel->x, (double)i + 1, sw_view_name_within(scene, name, (unsigned)fmax(room, 4)));
    }
}

static void place_xyplot(const struct sw_xyplot *plot, struct sw_scene *scene, struct sw_panel *panel) {
    struct sw_box box = sw_page_box(plot->width, plot->height, sw_page_foot(scene, plot->width - 2 * SW_PAGE_MARGIN));
    double widest = 0, room = (box.width - SW_PAGE_GUTTER - 38) / fmax((double)plot->name_count, 1);
    for (size_t i = 0; i < plot->name_count; i++) {
        widest = fmax(widest, SW_PAGE_CHARACTER * (double)sw_view_columns(plot->names[i]) + 8);
    }
    panel->x.rows = (uint8_t)fmin(fmax(ceil(widest / room), 1), MOST_LABEL_ROWS);
    box.height -= panel->x.rows * SW_PAGE_LABEL_ROW + (plot->x ? 18 : 4) - SW_PAGE_TICKS + 8;
    sw_page_place(panel, box, SW_PAGE_GUTTER + 14, 24);
}

static const char *axis_words(struct sw_scene *scene, const char *title, bool log) {
    return !title ? (log ? "(logarithmic)" : NULL) : sw_scene_printf(scene, "%s%s", title, log ? " (logarithmic)" : "");
}

/* Sentences that find no room below the title stand in the caption. */
static void add_xy_subtitle(const struct sw_xyplot *plot, struct sw_scene *scene) {
    const char *text = plot->subtitle ? sw_scene_clean(scene, plot->subtitle) : "", *rest = text;
    double room = plot->width - 2 * SW_PAGE_MARGIN;
    scene->subtitle = *text ? text : NULL;
    if (sw_page_text_width(text, SW_PAGE_SUBTITLE_SIZE) <= room) {
        return;
    }
    scene->subtitle = NULL;
    for (const char *end = text; (end = strstr(end, ". ")) != NULL; end++) {
        const char *part = sw_scene_printf(scene, "%.*s", (int)(end + 1 - text), text);
        bool fits = sw_page_text_width(part, SW_PAGE_SUBTITLE_SIZE) <= room;
        scene->subtitle = fits ? part : scene->subtitle;
        rest = fits ? end + 2 : rest;
    }
    sw_page_caption(scene, rest, room);
}

void sw_view_xyplot(const struct sw_xyplot *plot, struct sw_scene *scene) {
    scene->width = plot->width;
    scene->height = plot->height;
    scene->title = plot->title ? sw_scene_clean(scene, plot->title) : NULL;
    add_xy_subtitle(plot, scene);
    add_xy_legend(plot, scene);
    size_t made = scene->caption.count;
    sw_scene_caption(scene, "Made by stowage " STOWAGE_VERSION ".");
    sw_page_thin(scene, sw_page_thrift(scene, plot->width - 2 * SW_PAGE_MARGIN, plot->height));
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_PLOT, "xyplot");
    place_xyplot(plot, scene, panel);
    find_xy_ranges(plot, panel);
    panel->x.title = axis_words(scene, plot->x, plot->log_x);
    panel->y.title = axis_words(scene, plot->y, plot->log_y);
    if (plot->names) {
        add_name_ticks(plot, scene, panel);
    } else {
        add_xy_ticks(scene, &panel->x, panel->body_width / 80, plot->log_x, plot->bytes_x);
    }
    add_xy_ticks(scene, &panel->y, panel->body_height / 34, plot->log_y, plot->bytes_y);
    if (sw_xy_curves(plot, scene, panel, SW_XY_LINES | SW_XY_POINTS) && made < scene->caption.count) {
        scene->caption.items[made] =
            "Curves that are equal lie on each other: the lower ones are wider. Made by stowage " STOWAGE_VERSION ".";
    }
}
