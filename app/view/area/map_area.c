#include "view/area/map_area.h"
#include "base/base.h"
#include "planners/planner.h"
#include "view/moment/moment_views.h"
#include "view/scene/lines.h"

/* ---- the way of a search ---- */

enum { WAY_ROWS = 12 };

/* "h1 +960 cross-tier move": what a row of open nodes says of its node; "" of the one where nothing is decided yet. */
static const char *search_way_node(const struct sw_view_input *in, struct sw_scene *scene,
                                   const struct sw_state_table *table, uint64_t row) {
    const struct sw_state_cell *cells = &table->cells.items[(row - table->first) * table->column_count];
    const char *text = "";
    bool named = false;
    for (uint32_t c = 0; c < table->column_count; c++) {
        const char *part = cells[c].kind == SW_CELL_BUFFER
                               ? sw_view_buffer_name(in, scene, (uint32_t)cells[c].count, 20)
                           : cells[c].kind == SW_CELL_OFFSET
                               ? sw_scene_printf(scene, "+%s", sw_scene_bytes(scene, cells[c].count + in->run.base))
                           : cells[c].kind == SW_CELL_WORD ? sw_scene_clean(scene, cells[c].word)
                                                           : "";
        named |= cells[c].kind == SW_CELL_BUFFER;
        text = *part ? sw_scene_printf(scene, "%s%s%s", text, *text ? " " : "", part) : text;
    }
    return named ? text : "";
}

/* The way from the root to the present node, its end in sight; "" where no tree of blocks is searched. */
static const char *search_way(const struct sw_view_input *in, struct sw_scene *scene, unsigned room) {
    struct sw_state_tables tables = {.most = WAY_ROWS};
    const char *text = "";
    uint64_t depth = 0;
    bool opened = false;
    sw_search_state(in->run.search, &tables);
    for (size_t i = 0; i < tables.items.count && !tables.failed; i++) {
        const struct sw_state_table *table = &tables.items.items[i];
        if (strcmp(table->name, "open nodes") != 0) {
            continue;
        }
        depth = table->row_count;
        opened = depth > 0;
        for (uint64_t row = table->end; row-- > table->first;) {
            const char *node = search_way_node(in, scene, table, row);
            depth = *node ? depth : row; /* nothing is decided there */
            const char *longer = *text ? sw_scene_printf(scene, "%s > %s", node, text) : node;
            if (*node && sw_view_columns(longer) + 28 > room) {
                text = sw_scene_printf(scene, "... > %s", text);
                break;
            }
            text = *node ? longer : text;
        }
    }
    scene->failed |= tables.failed;
    sw_state_tables_done(&tables);
    return opened ? sw_scene_printf(scene, "node at depth %s%s%s", SW_COUNT(depth), *text ? ": " : "", text) : "";
}

/* A line above the map. */
static void add_map_note(struct sw_scene *scene, struct sw_box *box, const char *id, const char *text) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, id);
    sw_panel_put(panel, sw_box_take(box, 1));
    panel->columns = 1;
    sw_panel_row(scene, panel, SW_NO_ITEM, false);
    sw_panel_cell(scene, panel, SW_STYLE_CURRENT, false, text);
}

enum { LEAST_MAP_ROWS = 6 };

static void add_way(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box *box) {
    const struct sw_planner *planner = sw_search_planner(in->run.search);
    if (planner->one_layout || !planner->state || box->height < LEAST_MAP_ROWS || sw_search_at(in->run.search) == 0) {
        return;
    }
    const char *text = search_way(in, scene, (unsigned)box->width);
    if (*text) {
        add_map_note(scene, box, "way", text);
    }
}

/* ---- which layout is shown ---- */

/* The decision that decoded an order into the layout that is there; NULL: it is not one of an order. It lies not far
 * back, and a frame must not take long. */
static const struct sw_decision *decoded_last(const struct sw_search *search) {
    enum { MOST_BACK = 4096 };
    uint64_t at = sw_search_at(search), end = at > MOST_BACK ? at - MOST_BACK : 0;
    for (uint64_t step = at; step > end; step--) {
        const struct sw_decision *decision = sw_search_journal(search, step);
        if (!decision || decision->kind == SW_DECISION_FINISH || decision->kind == SW_DECISION_INCUMBENT) {
            return NULL;
        }
        if (decision->kind == SW_DECISION_DECODE) {
            return decision;
        }
    }
    return NULL;
}

static const char *decoded_words(struct sw_scene *scene, const struct sw_search *search, uint32_t about) {
    const struct sw_decision *decoded = decoded_last(search);
    if (!decoded) {
        return "";
    }
    uint32_t member = decoded->decode.member;
    const char *owner = member == SW_NONE ? "a random order" : sw_scene_printf(scene, "member %u", member);
    if (decoded->step == sw_search_at(search)) {
        return sw_scene_printf(scene, "the layout of %s", owner);
    }
    const char *text = sw_scene_printf(scene, "the layout of %s, of decision %s", owner, SW_COUNT(decoded->step));
    const struct sw_decision *now = sw_search_decision(search);
    bool fresh = now->kind == SW_DECISION_INDIVIDUAL && about != SW_NONE && about != member;
    return fresh ? sw_scene_printf(scene, "%s; member %u has none yet", text, about) : text;
}

/* Of a planner with a population: the member that the decision is about comes on view, where it has a layout, and a
 * line says which layout it is. The layout is the caller's; NULL: the run's is shown. */
static struct sw_layout *add_member(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box *box) {
    const struct sw_search *search = in->run.search;
    const struct sw_planner *planner = sw_search_planner(search);
    const struct sw_decision *decision = sw_search_decision(search);
    if (!decision || planner->one_layout || decision->kind == SW_DECISION_FINISH || box->height < LEAST_MAP_ROWS) {
        return NULL;
    }
    uint32_t about = sw_decision_member(decision, 0);
    bool of_member = planner->member && about != SW_NONE && decision->kind != SW_DECISION_DECODE;
    struct sw_layout *own = NULL;
    scene->failed |= of_member && !sw_search_member(search, about, &own);
    const char *text = own ? sw_scene_printf(scene, "the layout of member %u", about)
                       : of_member || sw_decision_is(decision, SW_DECISION_DECODE) || planner->seeded
                           ? decoded_words(scene, search, about)
                           : "";
    struct sw_claims claims;
    sw_search_claims(search, &claims);
    /* Of one that counts moves the run's layout is that of the best sequence at that time. */
    if (!own && !*text && planner->member && claims.has_migration &&
        sw_layout_placed_count(sw_search_layout(search)) > 0) {
        text = of_member ? sw_scene_printf(
                               scene, "the layout of the best when a generation last ended; member %u has none", about)
                         : "the layout of the best when a generation last ended";
    }
    if (*text) {
        add_map_note(scene, box, "shown-layout", text);
    }
    return own;
}

/* ---- tiers ---- */

enum { STRIP_ROWS = 4, STRIP_TICKS = 1 };

/* The tiers that are shown: those in use, as many as have room; first of all the one in which something was decided,
 * then the one that is looked at. */
static uint32_t choose_strips(const struct sw_view_input *in, uint32_t room, bool takes[SW_MAX_TIERS]) {
    const struct sw_decision *decision = sw_search_decision(in->run.search);
    uint32_t count = sw_problem_tier_count(sw_search_problem(in->run.search)), shown = 0;
    uint32_t decided = decision && decision->tier < count ? decision->tier : in->look.tier;
    memset(takes, 0, SW_MAX_TIERS * sizeof *takes);
    for (uint32_t i = 0; i < count + 2 && shown < SW_MAX(room, 1); i++) {
        uint32_t tier = i == 0 ? decided : i == 1 ? in->look.tier : i - 2;
        if (!takes[tier] && (i < 2 || sw_view_uses(in, tier))) {
            takes[tier] = true;
            shown++;
        }
    }
    return shown;
}

/* One above the other, as on paper; one axis of time below them. */
static void build_strips(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    bool takes[SW_MAX_TIERS];
    uint32_t left = choose_strips(in, (uint32_t)((box.height - STRIP_TICKS) / STRIP_ROWS), takes);
    for (uint32_t t = 0; left > 0 && t < SW_MAX_TIERS; t++) {
        if (takes[t]) {
            struct sw_view_input one = *in;
            double height = left == 1 ? box.height : floor((box.height - STRIP_TICKS) / left);
            one.look.tier = t;
            if (t != in->look.tier) {
                one.look.viewport = sw_view_tier(in, t);
            }
            sw_view_build_map(&one, scene, sw_box_take(&box, height), --left == 0);
        }
    }
}

/* ---- before any block has a place ---- */

/* The buffer that the decision is about, or that its operator writes; SW_NONE: neither. */
static uint32_t waiting_subject(const struct sw_problem *problem, const struct sw_decision *decision) {
    uint32_t b = decision->buffer, step = decision->time;
    if (b == SW_NONE && step < sw_problem_operator_count(problem) &&
        sw_problem_operator(problem, step)->output_count > 0) {
        b = sw_problem_operator(problem, step)->outputs[0].buffer;
    }
    return b < sw_problem_buffer_count(problem) && sw_problem_buffer(problem, b)->planned ? b : SW_NONE;
}

/* A planner that has decided things and placed nothing works on something: the blocks that wait, around that one. */
static bool build_waiting(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    static const struct sw_lines_head heads[] = {
        {"", true}, {"block", false}, {"size", true}, {"alive", true}, {"made by", false}};
    const struct sw_search *search = in->run.search;
    const struct sw_decision *decision = sw_search_decision(search);
    if (!decision || sw_search_planner(search)->one_layout || sw_view_shown(in) != sw_search_layout(search) ||
        sw_layout_placed_count(sw_search_layout(search)) > 0 ||
        sw_problem_planned_count(sw_search_problem(search)) == 0) {
        return false;
    }
    struct sw_lines lines = sw_lines_begin(in, scene, "waiting", "", box, 5, 1);
    uint32_t count = sw_problem_planned_count(lines.problem), subject = waiting_subject(lines.problem, decision);
    uint32_t rank = subject == SW_NONE ? 0 : sw_problem_rank(lines.problem, subject).at;
    lines.panel->title =
        sw_scene_printf(scene, "no block has a place yet; %s, by birth", sw_scene_counted(scene, count, "block"));
    uint32_t room = sw_lines_heads(&lines, heads, 5, count), first = rank > room / 2 ? rank - room / 2 : 0;
    first = first + room > count ? (count > room ? count - room : 0) : first;
    for (uint32_t i = first; i < count && i < first + room && !scene->failed; i++) {
        uint32_t b = sw_problem_order(lines.problem)[i], maker = sw_problem_producer(lines.problem, b);
        const struct sw_buffer *buffer = sw_problem_buffer(lines.problem, b);
        enum sw_style style = b == subject ? SW_STYLE_CURRENT : SW_STYLE_TEXT;
        sw_lines_row(&lines, (struct sw_item){SW_ITEM_BUFFER, b}, false);
        sw_lines_cell(&lines, style, true, b == subject ? ">" : "");
        sw_lines_name(&lines, style, buffer->name);
        sw_lines_cell(&lines, style, true, sw_scene_bytes(scene, buffer->size));
        sw_lines_cell(&lines, style, true, sw_lines_life(&lines, buffer));
        sw_lines_cell(&lines, SW_STYLE_DIM, false, maker == SW_NONE ? "" : sw_view_operator_name(in, scene, maker, 24));
    }
    return true;
}

void sw_view_build_memory(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    if (sw_view_moment_of(in->run.search)) {
        sw_view_build_moment_map(in, scene, box);
        return;
    }
    if (sw_view_build_order(in, scene, box) || sw_view_build_residency(in, scene, box)) {
        return;
    }
    struct sw_layout *own = add_member(in, scene, &box);
    struct sw_view_input member = *in;
    member.run.shown = own;
    double before = box.height;
    add_way(in, scene, &box);
    if (before - box.height < 1 && build_waiting(&member, scene, box)) {
        return;
    }
    if (sw_problem_tier_count(sw_search_problem(in->run.search)) > 1) {
        build_strips(&member, scene, box);
    } else {
        sw_view_build_map(&member, scene, box, true);
    }
    sw_layout_free(own);
}
