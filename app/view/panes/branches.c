/* The tree of what-ifs: what each branch came to, and what it changed. */
#include "view/scene/lines.h"
#include "base/base.h"

static const struct sw_lines_head branch_heads[] = {{"", true},       {"branch", false}, {"at", true}, {"peak", true},
                                                    {"change", true}, {"bound", true},   {"E", true},  {"moved", true}};
enum { BRANCH_COLUMNS = sizeof branch_heads / sizeof *branch_heads, ALWAYS = 5 };

/* Bound, E and migration have a column when they tell branches apart. */
static uint32_t branch_columns(const struct sw_view_input *in) {
    uint32_t columns = ALWAYS;
    for (uint32_t i = 0; i < in->run.branch_count; i++) {
        const struct sw_branch_line *line = &in->run.branches[i];
        bool priced = !isnan(line->cost) || line->has_migration;
        columns = priced                                                                 ? BRANCH_COLUMNS
                  : line->bound != in->run.branches[0].bound && columns < BRANCH_COLUMNS ? ALWAYS + 1
                                                                                         : columns;
    }
    return columns;
}

static const char *change_words(const struct sw_lines *lines, const struct sw_branch_line *line) {
    if (!line->has_parent || !line->parent_ended || !line->ended || !line->feasible) {
        return "";
    }
    if (line->tier_peak && line->parent_tier_peak) { /* the tiers that changed */
        return sw_lines_tiers(lines, line->problem, line->tier_peak, line->parent_tier_peak);
    }
    bool more = line->peak > line->parent_peak;
    uint64_t by = more ? line->peak - line->parent_peak : line->parent_peak - line->peak;
    return by == 0 ? "=" : sw_scene_printf(lines->scene, "%s%s", more ? "+" : "-", sw_lines_bytes(lines, by));
}

/* Less of a tier, and more of none? */
static bool improves(const struct sw_branch_line *line) {
    bool less = false, more = false;
    for (uint32_t t = 0; t < sw_problem_tier_count(line->problem); t++) {
        less = less || line->tier_peak[t] < line->parent_tier_peak[t];
        more = more || line->tier_peak[t] > line->parent_tier_peak[t];
    }
    return less && !more;
}

static void add_branch_row(struct sw_lines *lines, const struct sw_branch_line *line, uint32_t columns) {
    struct sw_scene *scene = lines->scene;
    enum sw_style style = line->current ? SW_STYLE_STRONG : SW_STYLE_TEXT;
    sw_lines_row(lines, (struct sw_item){SW_ITEM_BRANCH, line->number}, line->current);
    bool bad = line->ended && (!line->feasible || (line->figured && !line->fits));
    bool better = line->has_parent && line->parent_ended && line->ended && line->feasible && !bad &&
                  (line->tier_peak && line->parent_tier_peak ? improves(line) : line->peak < line->parent_peak);
    sw_lines_cellf(lines, style, true, "%u", line->number);
    sw_lines_cellf(lines, style, false, "%*s%s%s%s", (int)(2 * (SW_MIN(line->depth, 32))), "", line->name,
                   *line->name ? ": " : "", line->what);
    sw_lines_cellf(lines, SW_STYLE_DIM, true, "%s", SW_COUNT(line->at));
    sw_lines_cell(lines, bad ? SW_STYLE_ERROR : style, true,
                  !line->ended      ? "not run"
                  : !line->feasible ? "no layout"
                  : line->tier_peak ? sw_lines_tiers(lines, line->problem, line->tier_peak, NULL)
                                    : sw_lines_bytes(lines, line->peak));
    sw_lines_cell(lines, better ? SW_STYLE_FITS : SW_STYLE_TEXT, true, change_words(lines, line));
    if (columns > ALWAYS) {
        sw_lines_cell(lines, SW_STYLE_DIM, true, sw_lines_bytes(lines, line->bound));
    }
    if (columns < BRANCH_COLUMNS) {
        return;
    }
    sw_lines_cell(lines, SW_STYLE_TEXT, true,
                  isnan(line->cost) ? "" : sw_scene_printf(scene, "%s", SW_NUMBER(line->cost)));
    sw_lines_cell(lines, SW_STYLE_TEXT, true, line->has_migration ? sw_lines_bytes(lines, line->migration) : "");
}

static void branches_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    const char *title =
        sw_scene_printf(scene, "%s branch%s", SW_COUNT(in->run.branch_count), in->run.branch_count == 1 ? "" : "es");
    uint32_t columns = branch_columns(in);
    struct sw_lines lines = sw_lines_begin(in, scene, "branches", title, box, columns, 1);
    if (in->run.branch_count == 0) {
        sw_lines_text(&lines, SW_STYLE_DIM, "Branches belong to a session of the explorer.");
        return;
    }
    uint32_t room = sw_lines_heads(&lines, branch_heads, columns, in->run.branch_count), focus = 0;
    while (focus + 1 < in->run.branch_count && !in->run.branches[focus].current) {
        focus++;
    }
    uint32_t first = sw_lines_first(&lines, focus >= room ? focus - room + 1 : 0, in->run.branch_count, room);
    for (uint32_t i = first; i < first + room && i < in->run.branch_count; i++) {
        add_branch_row(&lines, &in->run.branches[i], columns);
    }
    sw_lines_blank(&lines);
#define COMMAND_KEY(command) sw_view_key(in, scene, command)
    sw_lines_textf(&lines, SW_STYLE_DIM,
                   "A branch is made by %s pin, %s forbid, %s choose, %s move, %s planner, and by set, "
                   "resize, lifetime, capacity and reorder. %s goes to the next, %s shows two side by "
                   "side, :name and :drop do what they say.",
                   COMMAND_KEY("pin"), COMMAND_KEY("forbid"), COMMAND_KEY("choose"), COMMAND_KEY("hold"),
                   COMMAND_KEY("planner"), COMMAND_KEY("next-branch"), COMMAND_KEY("compare"));
#undef COMMAND_KEY
}

const struct sw_view sw_view_branches = {
    .name = "branches",
    .summary = "the tree of what-ifs, with what each came to",
    .scrolls = SW_SCROLLS_LIST,
    .build = branches_build,
    .keys = SW_KEYS_BRANCHES,
};
