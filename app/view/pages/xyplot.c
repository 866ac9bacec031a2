/* Curves as a page: axes with round ticks, a line with markers per series, a legend. */
#include "view/pages/xyplot.h"
#include "base/base.h"

#include "view/view_internal.h"

#define XY_MARKER 3.5 /* half the side of a marker, in points */
enum { MARKED = 80 }; /* points of a curve of which each has a marker */

/* ---- axes ---- */

static double along(const struct sw_xyplot *plot, double x) {
    return plot->log_x ? log10(x) : x;
}

static void find_xy_ranges(const struct sw_xyplot *plot, struct sw_panel *panel) {
    double x_lo = INFINITY, x_hi = -INFINITY, y_lo = INFINITY, y_hi = -INFINITY;
    for (size_t s = 0; s < plot->count; s++) {
        for (size_t i = 0; i < plot->series[s].count; i++) {
            double x = along(plot, plot->series[s].points[i].x), y = plot->series[s].points[i].y;
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
    /* From zero, unless everything happens far above it: then a part of the axis is shown. */
    if (y_lo > 0 && y_lo < 0.6 * y_hi) {
        y_lo = 0;
    }
    double x_room = x_hi > x_lo ? 0.03 * (x_hi - x_lo) : fmax(fabs(x_lo) * 0.1, 0.5);
    double y_room = y_hi > y_lo ? 0.08 * (y_hi - y_lo) : fmax(fabs(y_lo) * 0.1, 0.5);
    panel->x.lo = x_lo - x_room;
    panel->x.hi = x_hi + x_room;
    panel->y.lo = y_lo < 0 || y_lo > 0 ? y_lo - y_room : -y_room / 3; /* room for markers at 0 */
    panel->y.hi = y_hi + y_room;
}

static void add_tick(struct sw_scene *scene, struct sw_axis *axis, double at, const char *label) {
    if (at >= axis->lo && at <= axis->hi && !SW_PUSH(&axis->ticks, (struct sw_tick){at, label})) {
        scene->failed = true;
    }
}

static const char *number_label(struct sw_scene *scene, double value, double step) {
    int digits = step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);
    if (fabs(value) >= 1e6 || digits > 6) {
        return sw_scene_printf(scene, "%.6g", value);
    }
    value = fabs(value) < step / 2 ? 0 : value;
    if (digits == 0 && value >= 10000) {
        return sw_scene_printf(scene, "%s", SW_COUNT((uint64_t)(value + 0.5)));
    }
    return sw_scene_printf(scene, "%.*f", digits, value);
}

static const char *bytes_label(struct sw_scene *scene, double value) {
    char text[24];
    return sw_scene_printf(scene, "%s", sw_show_bytes_long((uint64_t)value, text));
}

/* 1, 2 or 5 times a power of ten, or a power of two; at most `most` of them in the range. */
static double round_tick_step(double least, bool bytes) {
    double power = bytes ? exp2(ceil(log2(least) - 1e-9)) : pow(10, floor(log10(least)));
    if (bytes) {
        return fmax(power, 1);
    }
    return least <= power * 1.0000001 ? power
           : least <= 2 * power       ? 2 * power
           : least <= 5 * power       ? 5 * power
                                      : 10 * power;
}

static void linear_ticks(struct sw_scene *scene, struct sw_axis *axis, unsigned most, bool bytes) {
    double step = round_tick_step((axis->hi - axis->lo) / most, bytes);
    for (double k = ceil(axis->lo / step); k * step <= axis->hi && !scene->failed; k++) {
        double at = k * step;
        bool whole = bytes && at >= 0;
        add_tick(scene, axis, at, whole ? bytes_label(scene, at) : number_label(scene, at, step));
    }
}

void sw_view_linear_ticks(struct sw_scene *scene, struct sw_axis *axis, unsigned most) {
    linear_ticks(scene, axis, most, false);
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
            add_tick(scene, axis, log10(value),
                     bytes ? bytes_label(scene, value) : number_label(scene, value, SW_MIN(value, 1)));
        }
    }
}

void sw_view_log_ticks(struct sw_scene *scene, struct sw_axis *axis, unsigned most) {
    log_ticks(scene, axis, most, false);
}

/* ---- curves ---- */

static struct sw_mark mark_of(size_t series, enum sw_mark_kind kind) {
    /* After eight series the colors come again with the next hatching. */
    return (struct sw_mark){.kind = (uint8_t)kind, .style = SW_STYLE_BLOCK, .hue = (uint8_t)(series % SW_HUES)};
}

static uint8_t series_pattern(size_t series) {
    return (uint8_t)(1 + (series + series / SW_HUES) % (SW_PATTERN_COUNT - 1));
}

static void add_xy_curve(const struct sw_xyplot *plot, struct sw_scene *scene, struct sw_panel *panel, size_t s) {
    const struct sw_xyseries *series = &plot->series[s];
    double wide = XY_MARKER * (panel->x.hi - panel->x.lo) / panel->body_width;
    double high = XY_MARKER * (panel->y.hi - panel->y.lo) / panel->body_height;
    size_t apart =
        series->count > MARKED ? series->count / (MARKED / 2) : 1; /* markers of many points would hide the line */
    for (size_t i = 0; i < series->count && !scene->failed; i++) {
        double x = along(plot, series->points[i].x), y = series->points[i].y;
        if (i > 0) {
            struct sw_mark line = mark_of(s, SW_MARK_LINE);
            line.x0 = along(plot, series->points[i - 1].x);
            line.y0 = series->points[i - 1].y;
            line.x1 = x;
            line.y1 = y;
            sw_panel_mark(scene, panel, line);
        }
        if (i % apart != 0 && i + 1 < series->count) {
            continue;
        }
        struct sw_mark dot = mark_of(s, SW_MARK_RECT);
        dot.pattern = series_pattern(s);
        dot.x0 = x - wide;
        dot.x1 = x + wide;
        dot.y0 = y - high;
        dot.y1 = y + high;
        sw_panel_mark(scene, panel, dot);
    }
}

static double legend_height(const struct sw_xyplot *plot, double width) {
    double rows = 1, used = 0;
    for (size_t s = 0; s < plot->count; s++) {
        rows += sw_page_legend_wraps(&used, width, plot->series[s].name);
    }
    return plot->count ? rows * SW_PAGE_LEGEND_ROW + SW_PAGE_LEGEND_GAP : 0;
}

static void place_xyplot(const struct sw_xyplot *plot, struct sw_scene *scene, struct sw_panel *panel) {
    double width = fmax(plot->width - 2 * SW_PAGE_MARGIN, 1);
    double foot =
        legend_height(plot, width) + SW_PAGE_CAPTION_GAP + SW_PAGE_CAPTION_LINE * (double)scene->caption.count;
    /* The title of x stands right of the axis, below. */
    double right = plot->x ? 10 + SW_PAGE_CHARACTER * (double)sw_view_columns(plot->x) : 0;
    sw_page_place(panel, sw_page_box(plot->width, plot->height, foot), SW_PAGE_GUTTER + 14,
                  fmin(fmax(right, 34), width / 4));
}

void sw_view_xyplot(const struct sw_xyplot *plot, struct sw_scene *scene) {
    scene->width = plot->width;
    scene->height = plot->height;
    scene->title = plot->title ? sw_scene_clean(scene, plot->title) : NULL;
    scene->subtitle = plot->subtitle ? sw_scene_clean(scene, plot->subtitle) : NULL;
    sw_scene_caption(scene, "Made by stowage " STOWAGE_VERSION ".");
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_PLOT, "xyplot");
    place_xyplot(plot, scene, panel);
    find_xy_ranges(plot, panel);
    panel->x.title = plot->x ? sw_scene_clean(scene, plot->x) : NULL;
    panel->y.title = plot->y ? sw_scene_clean(scene, plot->y) : NULL;
    unsigned columns = (unsigned)fmax(2, panel->body_width / 80);
    if (plot->names) {
        for (size_t i = 0; i < plot->name_count; i++) {
            add_tick(scene, &panel->x, (double)i + 1, sw_scene_clean(scene, plot->names[i]));
        }
    } else if (plot->log_x) {
        log_ticks(scene, &panel->x, columns, plot->bytes_x);
    } else {
        linear_ticks(scene, &panel->x, columns, plot->bytes_x);
    }
    linear_ticks(scene, &panel->y, (unsigned)fmax(2, panel->body_height / 44), plot->bytes_y);
    for (size_t s = 0; s < plot->count; s++) {
        add_xy_curve(plot, scene, panel, s);
        sw_scene_legend(scene, SW_STYLE_BLOCK, (unsigned)(s % SW_HUES), series_pattern(s), plot->series[s].name);
    }
}
