/* How full each tier is at every step, against its capacity, with what moves between the tiers. */
#include "view/map/levels.h"
#include "planners/planner.h"
#include "view/charts/segments.h"

#include <math.h>

struct tier {
    const uint64_t *use; /* bytes at each step */
    uint64_t most, capacity;
    uint32_t when;
    uint32_t in, out; /* moves */
    uint64_t bytes_in, bytes_out;
    double bottom, height, hi; /* of its body, above the floor of the plots; its axis' end */
    bool shown;
};
struct occupancy {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    const struct sw_facts *facts;
    const struct sw_problem *problem;
    const struct sw_layout *layout;
    uint32_t steps, count; /* tiers */
    struct tier tiers[SW_MAX_TIERS];
    const struct sw_levels *levels; /* where they have it from */
    struct sw_levels own;
    double gap;          /* above a plot, where the bytes of moves stand */
    double below;        /* the host's line, above the floor of the plots */
    bool arrows, merged; /* merged: an arrow stands for several moves */
};

/* ---- bytes in use ---- */

/* Of the layout as it is now, kept from an earlier frame or reckoned here. False: no memory. */
static bool measure_tiers(struct occupancy *o) {
    o->levels = sw_frame_cache_levels(o->in->kept, o->layout);
    if (!o->levels) {
        if (!sw_levels_open(&o->own, o->layout)) {
            return false;
        }
        o->levels = &o->own;
    }
    for (uint32_t t = 0; t < o->count; t++) {
        const struct sw_tier_use *level = &o->levels->tiers[t];
        o->tiers[t].capacity = sw_problem_tier(o->problem, t)->capacity;
        o->tiers[t].use = level->use;
        o->tiers[t].most = level->most;
        o->tiers[t].when = level->when;
    }
    return true;
}

static void count_tier_moves(struct occupancy *o) {
    for (size_t i = 0; i < o->facts->moves.count; i++) {
        const struct sw_transfer *move = &o->facts->moves.items[i];
        uint64_t bytes = sw_problem_buffer(o->problem, move->buffer)->size;
        if (move->from != SW_NONE) {
            o->tiers[move->from].out++;
            o->tiers[move->from].bytes_out += bytes;
        }
        if (move->to != SW_NONE) {
            o->tiers[move->to].in++;
            o->tiers[move->to].bytes_in += bytes;
        }
    }
}

/* ---- a plot a tier ---- */

static const char *percent_of(const struct tier *tier, char text[16]) {
    return tier->capacity != SW_UNBOUNDED && tier->capacity > 0
               ? sw_show_percent((double)tier->most / (double)tier->capacity, false, text)
               : NULL;
}

/* With the operator at which most is in use, where that has room. */
static const char *tier_title(const struct occupancy *o, uint32_t t, double width) {
    const struct tier *tier = &o->tiers[t];
    const struct sw_medium *medium = sw_medium(o->in);
    char percent[16];
    const char *name = sw_problem_tier(o->problem, t)->name;
    const char *most = sw_view_bytes(o->in, o->scene, tier->most);
    const char *of = tier->capacity != SW_UNBOUNDED ? sw_view_bytes(o->in, o->scene, tier->capacity) : NULL;
    if (!medium->axis_titles) {
        return of ? sw_scene_printf(o->scene, "%s: most %s of %s, %s", name, most, of, percent_of(tier, percent))
                  : sw_scene_printf(o->scene, "%s: most %s, no limit", name, most);
    }
    const char *at = sw_view_when(o->in, o->scene, tier->when);
    const char *text = of ? sw_scene_printf(o->scene, "%s: at most %s of %s in use, %s, at ", name, most, of,
                                            percent_of(tier, percent))
                          : sw_scene_printf(o->scene, "%s, without limit: at most %s in use, at ", name, most);
    const char *op = tier->when < sw_problem_operator_count(o->problem)
                         ? sw_scene_printf(o->scene, "%s, ", sw_problem_operator(o->problem, tier->when)->name)
                         : "";
    double letters = (double)(sw_view_columns(text) + sw_view_columns(op) + sw_view_columns(at));
    bool fits = letters * medium->character * 1.2 < width - medium->gutter - medium->right; /* titles are bold */
    return sw_scene_printf(o->scene, "%s%s%s", text, fits ? op : "", at);
}

static const char *const *most_labels(const struct occupancy *o, const struct tier *tier) {
    char percent[16];
    const char *most = sw_view_bytes(o->in, o->scene, tier->most), *part = percent_of(tier, percent);
    return SW_LABELS(o->scene, sw_scene_printf(o->scene, "most %s%s%s", most, part ? ", " : "", part ? part : ""),
                     sw_scene_printf(o->scene, "%s", part ? part : most), "");
}

static void build_tier(struct occupancy *o, uint32_t t, struct sw_box box, double floor_, bool first, bool x_labels) {
    struct tier *tier = &o->tiers[t];
    struct sw_panel *panel = sw_scene_panel(o->scene, SW_PANEL_PLOT, "occupancy");
    panel->title = tier_title(o, t, box.width);
    sw_view_place(o->in, o->scene, panel, box, x_labels);
    double above = fmin(first ? 0 : o->gap, panel->body_height - 1);
    panel->body_top += above;
    panel->body_height -= above;
    double hi = (double)tier->most * 1.04;
    bool near = tier->capacity != SW_UNBOUNDED && (double)tier->capacity <= 4 * hi;
    hi = near ? fmax(hi, (double)tier->capacity * (sw_medium(o->in)->fine ? 1.04 : 1)) : hi;
    sw_view_bytes_axis(o->in, o->scene, panel, 0, fmax(hi, 1));
    panel->y.title = sw_medium(o->in)->axis_titles ? "in use" : NULL;
    sw_view_bars(o->in, o->scene, panel, tier->use, tier->most ? tier->most : UINT64_MAX);
    if (near) {
        sw_view_level(o->scene, panel, SW_STYLE_CAPACITY, false, (double)tier->capacity,
                      sw_view_figure(o->in, o->scene, "capacity", tier->capacity));
    }
    if (tier->most) {
        sw_view_level(o->scene, panel, SW_STYLE_PEAK, true, (double)tier->most, most_labels(o, tier));
    }
    sw_view_mark_cursor(o->in, o->scene, panel);
    if (sw_medium(o->in)->legend) {
        sw_view_bars_legend(o->scene, panel, "bytes in use");
    }
    tier->bottom = floor_ - panel->body_top - panel->body_height;
    tier->height = panel->body_height;
    tier->hi = panel->y.hi;
}

/* ---- arrows over the plots ---- */

/* Where the bytes in use end: an arrow leaves them, and adds to them. */
static double level(const void *context, uint32_t t, uint32_t step, bool arrives) {
    const struct occupancy *o = context;
    if (t == SW_NONE || !o->tiers[t].shown) {
        return o->below;
    }
    const struct tier *tier = &o->tiers[t];
    uint32_t at = arrives || step == 0 ? step : step - 1;
    uint64_t use = at < o->steps ? tier->use[at] : 0;
    return tier->bottom + fmin((double)use / tier->hi, 1) * tier->height;
}

/* In the gap above the lower of two tiers; on paper above its title, and what goes down stands
 * above what comes up. */
static double text_at(const void *context, uint32_t from, uint32_t to) {
    const struct occupancy *o = context;
    uint32_t lower = from < to ? to : from;
    double row = sw_medium(o->in)->fine && to > from ? 12 : 0;
    if (lower == SW_NONE) {
        return o->below + row + (sw_medium(o->in)->fine ? 1 : 0);
    }
    return o->tiers[lower].bottom + o->tiers[lower].height + row + (sw_medium(o->in)->fine ? SW_PAGE_HEADING - 1 : 0.5);
}

/* A plot without axes over all the others, in units of the page. */
static void build_arrows(struct occupancy *o, struct sw_box box) {
    struct sw_segments_view s = {o->in, o->scene, o->facts, o->problem, false};
    struct sw_panel *panel = sw_scene_panel(o->scene, SW_PANEL_PLOT, "transfers");
    sw_view_place(o->in, o->scene, panel, box, false);
    panel->width -= panel->body_left - panel->left;
    panel->left = panel->body_left;
    panel->x.title = NULL;
    panel->y.lo = 0;
    panel->y.hi = panel->body_height;
    struct sw_arrows style = {.level = level, .text = text_at, .context = o};
    uint64_t seen;
    o->merged = sw_segments_arrows(&s, panel, &style, &seen);
    if (o->below > 0) {
        static const char *const host[] = {SW_HOST_NAME, "host", "", NULL};
        sw_view_level(o->scene, panel, SW_STYLE_DIM, true, o->below, host);
    }
}

/* ---- figures ---- */

static const char *moves_text(const struct sw_lines *lines, uint32_t moves, uint64_t bytes) {
    return moves ? sw_scene_printf(lines->scene, "%s (%s)", sw_lines_bytes(lines, bytes), SW_COUNT(moves)) : "-";
}

static void add_occupancy_row(struct sw_lines *lines, const struct occupancy *o, uint32_t t) {
    const struct tier *tier = &o->tiers[t];
    char percent[16];
    bool here = tier->capacity != SW_UNBOUNDED, full = here && tier->most >= tier->capacity;
    const char *part = percent_of(tier, percent);
    sw_lines_row(lines, (struct sw_item){SW_ITEM_STEP, tier->when}, false);
    sw_lines_cell(lines, SW_STYLE_TEXT, false, sw_problem_tier(o->problem, t)->name);
    sw_lines_cell(lines, full ? SW_STYLE_PEAK : SW_STYLE_TEXT, true, sw_lines_bytes(lines, tier->most));
    sw_lines_cellf(lines, SW_STYLE_TEXT, true, "%s", part ? part : "-");
    sw_lines_cell(lines, SW_STYLE_DIM, true, here ? sw_lines_bytes(lines, tier->capacity) : "no limit");
    sw_lines_cell(lines, SW_STYLE_TEXT, true, sw_lines_bytes(lines, sw_layout_tier_peak(o->layout, t)));
    sw_lines_cell(lines, tier->in ? SW_STYLE_TRANSFER : SW_STYLE_DIM, true,
                  moves_text(lines, tier->in, tier->bytes_in));
    sw_lines_cell(lines, tier->out ? SW_STYLE_TRANSFER : SW_STYLE_DIM, true,
                  moves_text(lines, tier->out, tier->bytes_out));
    sw_lines_cell(lines, SW_STYLE_TEXT, false, "");
}

static const char *sum_text(const struct occupancy *o, const struct sw_lines *lines) {
    if (o->count == 1 && !sw_layout_has_host(o->problem)) {
        return "There is one tier: nothing can move.";
    }
    if (o->facts->moves.count == 0) {
        return "Nothing moves between the tiers.";
    }
    const char *text =
        sw_scene_printf(o->scene, "%s of %s between tiers.", sw_scene_counted(o->scene, o->facts->moves.count, "move"),
                        sw_lines_bytes(lines, o->facts->moved));
    const struct sw_claims *claims = &o->facts->claims;
    if (claims->has_migration && claims->migration_bytes != o->facts->moved) {
        text = sw_scene_printf(o->scene, "%s Migration is %s of it: the first time in and out for good count nothing.",
                               text, sw_lines_bytes(lines, claims->migration_bytes));
    }
    text = o->merged ? sw_scene_printf(o->scene,
                                       "%s An arrow stands at the first of all that are near in "
                                       "time, with their number and bytes.",
                                       text)
                     : text;
    return o->facts->claims.no_addresses
               ? sw_scene_printf(o->scene, "%s %s gives no addresses: what is in use is not known.", text,
                                 sw_search_planner(o->in->run.search)->name)
               : text;
}

static void build_occupancy_table(struct occupancy *o, struct sw_box box) {
    static const struct sw_lines_head heads[] = {
        {"tier", false}, {"most in use", true}, {"of it", true},     {"capacity", true},
        {"arena", true}, {"moved in", true},    {"moved out", true}, {"", false}};
    enum { OCCUPANCY_COLUMNS = sizeof heads / sizeof *heads };
    struct sw_lines lines =
        sw_lines_begin(o->in, o->scene, "tiers", "tiers", box, OCCUPANCY_COLUMNS, OCCUPANCY_COLUMNS - 1);
    sw_lines_flow(&lines);
    sw_lines_text(&lines, SW_STYLE_STRONG, sum_text(o, &lines));
    sw_lines_heads(&lines, heads, OCCUPANCY_COLUMNS, o->count);
    for (uint32_t t = 0; t < o->count && !o->scene->failed; t++) {
        add_occupancy_row(&lines, o, t);
    }
}

/* ---- the view ---- */

/* Tiers that hold anything or take part in a move; the first when none does. Those above are drawn
 * above; how many there are. */
static uint32_t choose_tiers(struct occupancy *o) {
    uint32_t shown = 0;
    for (uint32_t t = 0; t < o->count; t++) {
        o->tiers[t].shown = o->tiers[t].most || o->tiers[t].in || o->tiers[t].out;
        shown += o->tiers[t].shown;
    }
    o->tiers[0].shown |= shown == 0;
    return shown ? shown : 1;
}

static void build_tier_plots(struct occupancy *o, struct sw_box box, uint32_t shown) {
    double unit = sw_medium(o->in)->row;
    bool host = o->arrows && sw_layout_has_host(o->problem);
    double ticks = sw_medium(o->in)->ticks, last = box.top;
    o->gap = !o->arrows ? 0 : sw_medium(o->in)->fine ? 2 * unit : unit;
    double under = ticks + (host ? 2 * unit : 0);
    double between = sw_medium(o->in)->fine ? o->gap : 0; /* above all but the first */
    double height = floor((box.height - under - between * (shown - 1)) / shown);
    double floor_ = box.top + box.height;
    uint32_t place = 0;
    o->below = under - ticks > 0 ? ticks * 0.2 : 0;
    for (uint32_t t = 0; t < o->count && !o->scene->failed; t++) {
        if (!o->tiers[t].shown) {
            continue;
        }
        bool first = sw_medium(o->in)->fine && place == 0, low = ++place == shown;
        double high = height + (first ? 0 : between);
        struct sw_box one = {box.left, last, box.width, high + (low ? ticks : 0)};
        build_tier(o, t, one, floor_, first, low);
        last += high;
    }
    if (o->arrows) {
        build_arrows(o, box);
    }
}

static void build_occupancy(struct occupancy *o, struct sw_box box) {
    double unit = sw_medium(o->in)->row;
    count_tier_moves(o);
    uint32_t shown = choose_tiers(o);
    o->arrows = o->facts->moves.count > 0;
    double words = o->arrows ? 190 : 60; /* of the text above the table, where it is on paper */
    double more = sw_medium(o->in)->still ? ceil(words * sw_medium(o->in)->character / box.width) - 1 : 0;
    double table = (o->count + 4 + more) * unit;
    double least = (sw_medium(o->in)->fine ? 6 : 4) * unit * shown + unit;
    if (box.height - table < least) { /* figures say more than plots too low to read */
        table = box.height >= least + 3 * unit ? box.height - least : box.height;
    }
    double least_page = (SW_PAGE_HEADING + 2 * unit) * shown; /* of plots alone */
    if (sw_medium(o->in)->still && box.height >= least_page) {
        table = box.height - sw_page_plot_height(o->in, box.height, box.height - table);
    }
    if (table < box.height && o->steps > 0 && sw_layout_placed_count(o->layout) > 0) {
        build_tier_plots(o, sw_box_take(&box, box.height - table), shown);
        box.height = table;
    }
    if (box.height > 0) {
        build_occupancy_table(o, box);
    }
}

static void build_measured(const struct sw_view_input *in, const struct sw_facts *facts, struct sw_scene *scene,
                           struct sw_box box) {
    struct occupancy o = {.in = in,
                          .scene = scene,
                          .facts = facts,
                          .problem = sw_search_problem(in->run.search),
                          .layout = sw_search_layout(in->run.search)};
    o.steps = sw_problem_steps(o.problem);
    o.count = sw_problem_tier_count(o.problem);
    if (measure_tiers(&o)) {
        build_occupancy(&o, box);
    } else {
        scene->failed = true;
    }
    sw_levels_done(&o.own);
}

static void occupancy_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    sw_view_with_facts(in, scene, box, build_measured);
}

const struct sw_view sw_view_occupancy = {
    .name = "occupancy",
    .summary = "how full each tier is over time, and what is moved",
    .reads = SW_VIEW_READS_FACTS,
    .takes = SW_TAKES_TIME,
    .scrolls = SW_SCROLLS_TEXT,
    .build = occupancy_build,
};
