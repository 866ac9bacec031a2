/* Segments and what moves between tiers. A planner that cuts a tier into segments: the map with the
 * segments as bands; any other that moves blocks: the tiers as lanes with an arrow a move. Below,
 * the segments and the moves in figures. */
#include "view/charts/segments.h"
#include "base/base.h"
#include "base/sort.h"
#include "planners/planner.h"

/* ---- the map with bands ---- */

/* Blocks have the color of their segment. */
static void color_blocks(const struct sw_segments_view *s, struct sw_panel *panel) {
    const uint32_t *of = s->facts->segments.of.items;
    for (size_t i = 0; i < panel->marks.count; i++) {
        struct sw_mark *mark = &panel->marks.items[i];
        if (mark->kind == SW_MARK_RECT && mark->item.kind == SW_ITEM_BUFFER && of[mark->item.id] != SW_NONE) {
            mark->hue = (uint8_t)(of[mark->item.id] % SW_HUES);
        }
    }
}

static void color_legend(const struct sw_segments_view *s) {
    size_t kept = 0;
    if (!sw_medium(s->in)->legend) {
        return;
    }
    for (size_t i = 0; i < s->scene->legend.count; i++) {
        if (s->scene->legend.items[i].style != SW_STYLE_BLOCK) {
            s->scene->legend.items[kept++] = s->scene->legend.items[i];
        }
    }
    s->scene->legend.count = kept;
    sw_scene_legend(s->scene, SW_STYLE_BLOCK, 0, 0, "block, in the color of its segment");
}

/* On paper names of segments stand beside the map, at their lower edges. */
static void name_bands(const struct sw_segments_view *s, struct sw_panel *panel) {
    struct sw_space space = sw_view_space(s->in, panel);
    double last = -INFINITY;
    for (uint32_t p = 0; sw_medium(s->in)->fine && p < s->facts->segments.count && !s->scene->failed; p++) {
        double at = (double)s->facts->bottom.items[p];
        if (s->facts->bottom.items[p] != SW_UNBOUNDED && fabs(at - last) * space.y_scale >= SW_PAGE_ROW) {
            sw_view_level(s->scene, panel, SW_STYLE_DIM, true, at,
                          SW_LABELS(s->scene, sw_scene_printf(s->scene, "segment %u", p), ""));
            last = at;
        }
    }
}

static struct sw_mark band(const struct sw_segments_view *s, const struct sw_panel *panel, uint32_t p) {
    double lo = (double)s->facts->bottom.items[p];
    const char *const *labels = sw_medium(s->in)->fine ? NULL /* there it stands at the right */
                                                       : SW_LABELS(s->scene, sw_scene_printf(s->scene, "segment %u", p),
                                                                   sw_scene_printf(s->scene, "%u", p), "");
    return (struct sw_mark){.kind = SW_MARK_RECT,
                            .style = SW_STYLE_GAP,
                            .x0 = panel->x.lo,
                            .x1 = panel->x.hi,
                            .y0 = lo,
                            .y1 = lo + (double)s->facts->segments.bytes.items[p],
                            .labels = labels};
}

/* Below the blocks, so that names stay readable. Returns how many are too low to be drawn. */
static uint32_t draw_segment_bands(const struct sw_segments_view *s, struct sw_panel *panel) {
    struct sw_space space = sw_view_space(s->in, panel);
    size_t blocks = panel->marks.count, bands = 0;
    uint32_t low = 0;
    for (uint32_t p = 0; p < s->facts->segments.count && !s->scene->failed; p++) {
        struct sw_mark mark = band(s, panel, p);
        if (s->facts->bottom.items[p] == SW_UNBOUNDED || mark.y1 <= panel->y.lo || mark.y0 >= panel->y.hi) {
            continue;
        }
        if ((mark.y1 - mark.y0) * space.y_scale < s->in->marks_per_unit_y) {
            low++;
            continue;
        }
        sw_panel_mark(s->scene, panel, mark);
        bands++;
    }
    if (s->scene->failed || bands == 0) {
        return low;
    }
    if (sw_medium(s->in)->legend) {
        sw_scene_legend(s->scene, SW_STYLE_GAP, 0, 0, "unused in its segment");
    }
    struct sw_mark *marks = panel->marks.items;
    struct sw_mark *copy = sw_arena_copy(&s->scene->arena, marks + blocks, bands, sizeof *marks);
    s->scene->failed |= !copy;
    if (copy) {
        memmove(marks + bands, marks, blocks * sizeof *marks);
        memcpy(marks, copy, bands * sizeof *marks);
    }
    return low;
}

static void drop_arrows(struct sw_panel *panel) {
    size_t kept = 0;
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        if (mark->kind != SW_MARK_ARROW || mark->style != SW_STYLE_TRANSFER) {
            panel->marks.items[kept++] = *mark;
        }
    }
    panel->marks.count = kept;
}

/* How many bytes an arrow moves, where there is room beside it. */
static void label_arrows(const struct sw_segments_view *s, struct sw_panel *panel) {
    struct sw_space space = sw_view_space(s->in, panel);
    const struct sw_layout *layout = sw_search_layout(s->in->run.search);
    double free_from = 0;
    for (size_t i = 0; i < s->facts->moves.count && !s->scene->failed; i++) {
        const struct sw_transfer *move = &s->facts->moves.items[i];
        struct sw_placement place;
        double x = sw_view_x(s->in, move->step);
        double at = (x - space.x_lo) * space.x_scale;
        uint32_t inside = move->to == 0 ? move->step : move->step - 1;
        if ((move->to != 0 && (move->from != 0 || move->step == 0)) || at < free_from || x >= space.x_hi ||
            !sw_layout_at(layout, move->buffer, inside, &place)) {
            continue;
        }
        const char *text = sw_scene_printf(s->scene, " %s", sw_view_bytes(s->in, s->scene, sw_segments_size(s, move)));
        double y = fmin(fmax((double)place.offset + (double)sw_segments_size(s, move), panel->y.lo), panel->y.hi);
        if (at + sw_segments_text_marks(s, text) <= space.columns) {
            sw_segments_label(s, panel, x, y, text);
            free_from = at + sw_segments_text_marks(s, text) + 1;
        }
    }
}

/* The segments fill the height, unless the user zoomed. */
static void fit(const struct sw_segments_view *s, struct sw_view_input *in) {
    struct sw_viewport all = sw_viewport_all(in->run.search, 0);
    double top = (double)sw_layout_arena(sw_search_layout(in->run.search), 0);
    bool fits = in->look.viewport.bytes_lo <= 0 && in->look.viewport.bytes_hi >= all.bytes_hi;
    for (uint32_t p = 0; p < s->facts->segments.count; p++) {
        uint64_t lo = s->facts->bottom.items[p];
        double end = (double)lo + (double)s->facts->segments.bytes.items[p];
        top = lo != SW_UNBOUNDED && end > top ? end : top;
    }
    if (in->look.tier != 0 || fits) {
        in->look.viewport.bytes_lo = 0;
        in->look.viewport.bytes_hi = sw_view_top(top, sw_problem_tier(s->problem, 0)->capacity);
    }
    in->look.tier = 0;
    in->look.ghosts = false;
}

/* Is the run's layout that of the best sequence when a generation last ended, and not of the answer? */
static bool shows_best(const struct sw_segments_view *s) {
    return sw_search_planner(s->in->run.search)->member && s->facts->claims.has_migration &&
           !sw_view_at_end(s->in->run.search);
}

static void build_bands(const struct sw_segments_view *s, struct sw_box box, bool arrows) {
    struct sw_view_input in = *s->in;
    struct sw_segments_view mine = *s;
    fit(s, &in);
    mine.in = &in;
    sw_view_build_map(&in, s->scene, box, true);
    if (s->scene->failed) {
        return;
    }
    struct sw_panel *panel = &s->scene->panels.items[s->scene->panels.count - 1];
    const struct sw_parts *parts = &s->facts->segments;
    panel->id = "segments";
    color_blocks(&mine, panel);
    color_legend(&mine);
    uint32_t low = draw_segment_bands(&mine, panel);
    name_bands(&mine, panel);
    if (arrows) {
        label_arrows(&mine, panel);
    } else {
        drop_arrows(panel);
    }
    const char *few = low ? sw_scene_printf(s->scene, ", %s too low to draw", SW_COUNT(low)) : "";
    panel->title = sw_scene_printf(s->scene, "%s%s: %s%s", sw_segments_tier(s, 0), shows_best(s) ? ", the best" : "",
                                   sw_scene_counted(s->scene, parts->count, "segment"), few);
}

/* ---- figures ---- */

static void add_moves_sum(const struct sw_segments_view *s, struct sw_lines *lines) {
    const struct sw_facts *facts = s->facts;
    const char *text = sw_scene_printf(
        s->scene, "%s%s of %s.", shows_best(s) && s->bands ? "The best when a generation last ended: " : "",
        sw_scene_counted(s->scene, facts->moves.count, "move"), sw_lines_bytes(lines, facts->moved));
    if (facts->claims.has_migration) {
        text = sw_scene_printf(s->scene, "%s Migration %s%s", text, shows_best(s) ? "of the best so far " : "",
                               sw_lines_bytes(lines, facts->claims.migration_bytes));
        text = facts->has_bound ? sw_scene_printf(s->scene, "%s, at least %s is needed.", text,
                                                  sw_lines_bytes(lines, facts->migration_bound))
                                : sw_scene_printf(s->scene, "%s.", text);
        if (facts->claims.migration_bytes < facts->moved) {
            text = sw_scene_printf(s->scene, "%s What is not needed again moves out free.", text);
        }
        if (facts->free_moves) {
            text = sw_scene_printf(s->scene,
                                   "%s %s more count nothing: the first time in, or out for "
                                   "good.",
                                   text, SW_COUNT(facts->free_moves));
        }
    }
    sw_lines_text(lines, SW_STYLE_STRONG, text);
    if (facts->segments.count && !s->bands) {
        sw_lines_text(lines, SW_STYLE_DIM,
                      facts->stale ? "The layout is still that of an older sequence: no bands yet."
                      : facts->claims.has_migration
                          ? "The best sequence so far has not been made the layout yet: no bands yet."
                          : "The best sequence so far still has clashes: it has no layout.");
    }
}

static void add_band_row(const struct sw_segments_view *s, struct sw_lines *lines, uint32_t p) {
    const struct sw_parts *parts = &s->facts->segments;
    uint32_t count = parts->first.items[p + 1] - parts->first.items[p], shown = 0;
    const uint32_t *members = parts->members.items + parts->first.items[p];
    bool mine = s->in->look.selected < parts->of.count && parts->of.items[s->in->look.selected] == p;
    uint64_t at = s->facts->bottom.items[p];
    sw_lines_row(lines, (struct sw_item){count ? SW_ITEM_BUFFER : SW_ITEM_NONE, count ? members[0] : 0}, mine);
    const char *text = sw_scene_printf(
        s->scene, "segment %u, %s%s%s: %u buffer%s", p, sw_lines_bytes(lines, parts->bytes.items[p]),
        s->bands && at != SW_UNBOUNDED ? " at " : "",
        s->bands && at != SW_UNBOUNDED ? SW_COUNT(at + s->in->run.base) : "", count, count == 1 ? "" : "s");
    for (; shown < count; shown++) {
        const char *name = sw_view_buffer_name(lines->in, s->scene, members[shown], 24);
        if (sw_view_columns(text) + sw_view_columns(name) + 16 > lines->room) {
            break;
        }
        text = sw_scene_printf(s->scene, "%s%s %s", text, shown ? "," : ":", name);
    }
    if (shown > 0 && shown < count) {
        text = sw_scene_printf(s->scene, "%s and %u more", text, count - shown);
    }
    sw_lines_cell(lines, mine ? SW_STYLE_SELECTED : SW_STYLE_TEXT, false, text);
}

/* At most a third of the rows, or what the moves leave; the selected buffer's stays in sight. */
static void add_band_rows(const struct sw_segments_view *s, struct sw_lines *lines) {
    const struct sw_parts *parts = &s->facts->segments;
    size_t used = lines->panel->rows.count + s->facts->moves.count + 1;
    size_t left = lines->rows > used ? lines->rows - used : 0;
    size_t room = s->facts->moves.count ? SW_MAX(lines->rows / 3, left) : lines->rows;
    uint32_t mine = s->in->look.selected < parts->of.count ? parts->of.items[s->in->look.selected] : 0;
    uint32_t shown = parts->count <= room ? parts->count : room > 1 ? (uint32_t)room - 1 : 0;
    uint32_t first = mine == SW_NONE || mine < shown ? 0 : mine + 1 - shown;
    for (uint32_t p = first; p < first + shown && !s->scene->failed; p++) {
        add_band_row(s, lines, p);
    }
    if (shown < parts->count && shown > 0) {
        sw_lines_textf(lines, SW_STYLE_DIM, "and %s more segments", SW_COUNT(parts->count - shown));
    }
}

/* In a list of buffers people think in its times. */
static bool raw_time(const struct sw_segments_view *s) {
    return s->in->look.raw_time || !sw_problem_time_is_step(s->problem);
}

static void add_move(const struct sw_segments_view *s, struct sw_lines *lines, const struct sw_transfer *move) {
    bool now = move->buffer == s->in->look.selected;
    enum sw_style style = now ? SW_STYLE_SELECTED : move->step == s->in->look.cursor ? SW_STYLE_CURRENT : SW_STYLE_TEXT;
    sw_lines_row(lines, (struct sw_item){SW_ITEM_BUFFER, move->buffer}, now);
    sw_lines_cellf(lines, SW_STYLE_DIM, true, "%lld",
                   raw_time(s) ? (long long)sw_problem_time(s->problem, move->step) : (long long)move->step);
    sw_lines_name(lines, style, sw_problem_buffer(s->problem, move->buffer)->name);
    sw_lines_cell(lines, style, true, sw_scene_bytes(s->scene, sw_segments_size(s, move)));
    bool pair = sw_problem_tier_count(s->problem) == 1; /* the tier and the host: no names needed */
    sw_lines_cell(
        lines, SW_STYLE_TRANSFER, false,
        pair ? (move->to == 0 ? "in" : "out")
             : sw_scene_printf(s->scene, "%s -> %s", sw_segments_tier(s, move->from), sw_segments_tier(s, move->to)));
}

static void add_moves(const struct sw_segments_view *s, struct sw_lines *lines) {
    const struct sw_lines_head heads[] = {
        {raw_time(s) ? "time" : "step", true}, {"buffer", false}, {"bytes", true}, {"move", false}};
    const struct sw_transfer *moves = s->facts->moves.items;
    uint32_t count = (uint32_t)s->facts->moves.count;
    size_t used = lines->panel->rows.count, left = lines->rows > used ? lines->rows - used : 0;
    if (count == 0) {
        return;
    }
    if (left >= 3) {
        sw_lines_heads(lines, heads, 4, count);
        left--;
    }
    uint32_t at = (uint32_t)SW_FIRST(i, count, moves[i].step >= s->in->look.cursor);
    at = s->in->look.cursor == SW_NONE ? 0 : at;
    uint32_t room = left < count ? (uint32_t)left : count;
    uint32_t first = room && at > (room - 1) / 2 ? at - (room - 1) / 2 : 0;
    uint64_t cut = lines->panel->hidden_below; /* rows of segments */
    first = sw_lines_first(lines, first, count, room);
    lines->panel->hidden_below += cut;
    for (uint32_t i = first; i < first + room && !s->scene->failed; i++) {
        add_move(s, lines, &moves[i]);
    }
    if (first > 0 && sw_medium(s->in)->still) {
        lines->panel->title = sw_scene_printf(s->scene, "moves, %s of them above", SW_COUNT(first));
    }
}

/* Segments that the planner has cut, though no sequence assigns anything to them yet. */
static uint32_t cut_so_far(const struct sw_search *search) {
    for (uint64_t i = sw_search_at(search); i > 0; i--) {
        const struct sw_decision *decision = sw_search_journal(search, i);
        if (decision && decision->kind == SW_DECISION_PARTITION) {
            return decision->partition.segments;
        }
    }
    return 0;
}

static void say_no_segments(const struct sw_segments_view *s, struct sw_lines *lines) {
    const struct sw_search *search = s->in->run.search;
    bool over = sw_view_at_end(search);
    const char *name = sw_search_planner(search)->name;
    uint32_t cut = cut_so_far(search);
    if (sw_search_planner(search)->reserves) { /* its segments are others */
        sw_lines_textf(lines, SW_STYLE_DIM,
                       "%s cuts nothing into segments of time and moves nothing between memories; the "
                       "memory that it gets is in pane reserved.",
                       name);
        return;
    }
    sw_lines_text(
        lines, SW_STYLE_DIM,
        cut > 0 ? sw_scene_printf(s->scene, "%s has cut %s; nothing is assigned to them so far, and nothing moved.",
                                  name, sw_scene_counted(s->scene, cut, "segment"))
                : sw_scene_printf(s->scene, "%s has cut no tier into segments and moved nothing between tiers%s.", name,
                                  over ? "" : " so far"));
}

static void build_moves_table(const struct sw_segments_view *s, struct sw_box box) {
    bool nothing = s->facts->segments.count == 0 && s->facts->moves.count == 0;
    struct sw_lines lines = sw_lines_begin(s->in, s->scene, "moves", nothing ? "segments" : "moves", box, 4, 1);
    if (nothing) {
        say_no_segments(s, &lines);
        return;
    }
    add_moves_sum(s, &lines);
    if (s->facts->segments.count) {
        add_band_rows(s, &lines);
    }
    add_moves(s, &lines);
}

static void build_segments_view(const struct sw_view_input *in, const struct sw_facts *facts, struct sw_scene *scene,
                                struct sw_box box) {
    struct sw_segments_view s = {in, scene, facts, sw_search_problem(in->run.search), false};
    double unit = sw_medium(in)->row;
    for (uint32_t p = 0; p < facts->segments.count && !facts->stale; p++) {
        s.bands |= facts->bottom.items[p] != SW_UNBOUNDED;
    }
    bool lanes = facts->moves.count && (!s.bands || sw_segments_crowded(&s, box.width));
    if (s.bands && sw_medium(in)->still && box.height >= 6 * unit && box.height < 16 * unit) {
        build_bands(&s, box, !lanes); /* no room for more */
        return;
    }
    if (box.height >= 12 * unit && (s.bands || lanes)) {
        struct sw_box plot = box;
        uint32_t tiers = sw_problem_tier_count(s.problem) + sw_layout_has_host(s.problem);
        double low = fmin(floor(box.height * (s.bands ? 0.25 : 0.4)), (s.bands ? 3 * tiers + 2 : 5 * tiers) * unit);
        if (s.bands) {
            /* On paper the map gets what neither lanes nor table need. */
            double rows = sw_segments_sequences_height(&s) / unit;
            rows = sw_medium(in)->fine || rows > 5 ? rows : 0; /* in cells lanes say more than one sequence */
            double lines = 6.0 + rows + (double)facts->moves.count + facts->segments.count;
            double rest = box.height - (lanes ? low : 0) - lines * unit;
            double shown = box.height - (lanes ? low : 0) - (rows + 6) * unit;
            if (lanes && rows > 0 && shown < box.height * 0.35) { /* the map says more than the lanes */
                shown += low;
                low = 0;
            }
            plot.height = floor(fmax(box.height * 0.45, sw_medium(in)->fine ? rest : 0));
            plot.height = rows > 0 ? floor(fmax(fmin(plot.height, shown), box.height * 0.25)) : plot.height;
            build_bands(&s, plot, !lanes);
            plot.top += plot.height;
        }
        if (lanes && (!s.bands || low >= 5 * unit)) {
            plot.height = low;
            sw_segments_lanes(&s, plot);
            plot.top += plot.height;
        }
        box.height -= plot.top - box.top;
        box.top = plot.top;
    }
    double sequences = sw_segments_sequences(&s, box);
    box.height -= sequences;
    box.top += sequences;
    build_moves_table(&s, box);
}

static void segments_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    sw_view_with_facts(in, scene, box, build_segments_view);
}

static bool segments_applies(const struct sw_search *search, bool *missed) {
    if (sw_problem_tier_count(sw_search_problem(search)) > 1 ||
        (sw_search_planner(search)->needs & (SW_NEEDS_CAPACITY | SW_NEEDS_TIERS))) {
        return true;
    }
    struct sw_facts facts = {0};
    *missed |= !sw_facts_gather(&facts, search);
    bool shows = facts.segments.count > 0 || facts.moves.count > 0;
    sw_facts_done(&facts);
    return shows;
}

const struct sw_view sw_view_segments = {
    .name = "segments",
    .summary = "segments as bands of the map, and moves between tiers",
    .reads = SW_VIEW_READS_FACTS,
    .takes = SW_TAKES_TIME | SW_TAKES_ADDRESS | SW_TAKES_BUFFER,
    .scrolls = SW_SCROLLS_LIST,
    .applies = segments_applies,
    .build = segments_build,
};
