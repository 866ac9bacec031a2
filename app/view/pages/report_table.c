/* The report's own tables: what one wants to know first, and how to make the plan again. */
#include "view/facts.h"
#include "base/sort.h"
#include "base/base.h"
#include "planners/planner.h"
#include "planners/tiers/tier_rules.h"
#include "view/blame/blame.h"
#include "view/pages/report.h"
#include "search/result/figures.h"

/* A text beside its key, on as many rows as it needs. */
static void pair(struct sw_lines *lines, enum sw_style style, const char *key, const char *text) {
    unsigned room = lines->room > 40 ? lines->room - 26 : 14;
    do {
        sw_lines_row(lines, SW_NO_ITEM, false);
        sw_lines_cell(lines, SW_STYLE_DIM, false, key);
        sw_lines_cell(lines, style, false, sw_view_line(lines->scene, &text, room));
        key = "";
    } while (*text && !lines->scene->failed);
}

static const char *count_words_of(struct sw_scene *scene, uint64_t value) {
    return sw_scene_printf(scene, "%s", SW_COUNT(value));
}

static const char *percent(struct sw_scene *scene, double fraction, bool sign) {
    return sw_scene_printf(scene, "%s", SW_PERCENT(fraction, sign));
}

/* ---- the summary ---- */

static void add_peak_pairs(struct sw_lines *lines, const struct sw_metrics *metrics) {
    struct sw_scene *scene = lines->scene;
    uint32_t step;
    uint64_t most = sw_view_live_peak(lines->problem, &step);
    if (metrics->single_tier) {
        pair(lines, SW_STYLE_PEAK, "peak",
             metrics->placed == 0 && metrics->planned > 0 ? "nothing is placed" : sw_scene_bytes(scene, metrics->peak));
    }
    const char *remark = sw_view_bound_remark(lines->in);
    pair(lines, SW_STYLE_TEXT, "lower bound",
         sw_scene_printf(scene, "%s%s", sw_scene_bytes(scene, metrics->lower_bound), remark));
    if (!*remark && metrics->comparable && metrics->complete && metrics->single_tier &&
        metrics->peak != metrics->lower_bound) {
        pair(lines, SW_STYLE_TEXT, "over the bound", percent(scene, metrics->over_bound, true));
        pair(lines, SW_STYLE_TEXT, "fragmentation",
             sw_scene_printf(scene, "%s of the peak", percent(scene, metrics->fragmentation, false)));
    }
    const char *below = sw_view_below(scene, lines->search, true);
    if (*below) {
        pair(lines, SW_STYLE_ERROR, "peak", below);
    }
    if (most > 0 && most != metrics->lower_bound) { /* else the bound is explained by it */
        pair(lines, SW_STYLE_TEXT, "most alive at once",
             sw_scene_printf(scene, "%s, at %s", sw_scene_bytes(scene, most), sw_lines_when(lines, step)));
    }
    uint64_t padding = sw_page_padding(scene, lines->search, metrics);
    if (padding) {
        pair(lines, SW_STYLE_TEXT, "alignment costs", sw_scene_bytes(scene, padding));
    }
    pair(lines, SW_STYLE_TEXT, "without reuse", sw_scene_bytes(scene, metrics->naive));
    if (metrics->comparable && metrics->complete && metrics->single_tier && metrics->peak) {
        pair(lines, SW_STYLE_TEXT, "saved by reuse",
             percent(scene, metrics->naive ? 1 - (double)metrics->peak / (double)metrics->naive : 0, false));
    }
}

/* Of the other branches of the session the one with the least peak, if that is less. */
static const struct sw_branch_line *best_branch(const struct sw_lines *lines, uint64_t peak) {
    const struct sw_branch_line *best = NULL;
    for (uint32_t i = 0; i < lines->in->run.branch_count; i++) {
        const struct sw_branch_line *line = &lines->in->run.branches[i];
        if (line->ended && line->feasible && line->fits && !line->tier_peak &&
            line->bound == sw_problem_lower_bound(lines->problem) && line->peak < peak) {
            peak = line->peak;
            best = line;
        }
    }
    return best;
}

/* Of those that plan the model as it is, in its order. */
static const struct sw_rival *best_rival(const struct sw_view_run *run, uint64_t *others) {
    const struct sw_rival *best = NULL;
    *others = 0;
    for (size_t i = 0; i < run->rival_count; i++) {
        const struct sw_rival *one = &run->rivals[i];
        if (!one->known || one->beside || one->planner->reorders) {
            continue;
        }
        if (!best || one->peak < best->peak || (one->peak == best->peak && one->shown)) {
            *others = best && one->peak == best->peak ? *others + 1 : 0;
            best = one;
        } else {
            *others += one->peak == best->peak;
        }
    }
    return best;
}

static void add_claims(struct sw_lines *lines) {
    struct sw_figures figures;
    if (!sw_figures_of(lines->search, &figures, NULL)) {
        lines->scene->failed = true;
        return;
    }
    if (!isnan(figures.cost)) {
        pair(lines, SW_STYLE_TEXT, "cost E", sw_scene_printf(lines->scene, "%s", SW_NUMBER(figures.cost)));
    }
    if (figures.claims.has_migration) {
        pair(lines, SW_STYLE_TEXT, "migration", sw_scene_bytes(lines->scene, figures.claims.migration_bytes));
    }
    const struct sw_metrics *metrics = &figures.metrics;
    uint64_t others;
    const struct sw_rival *best = best_rival(&lines->in->run, &others);
    bool beaten = metrics->single_tier && metrics->complete && best && best->peak < metrics->peak;
    pair(lines, figures.broken ? SW_STYLE_ERROR : SW_STYLE_TEXT, "optimal",
         figures.broken     ? "no: the plan breaks a rule"
         : figures.at_bound ? "yes: it is the lower bound"
         : figures.optimal  ? "yes: proved by the planner"
         : beaten           ? "no: less is known"
                            : "not proved");
}

/* In several memories there is no one peak: what costs least, where memories have a price. */
static void add_cheapest(struct sw_lines *lines) {
    const struct sw_view_run *run = &lines->in->run;
    const struct sw_rival *best = NULL, *own = NULL;
    for (size_t i = 0; i < run->rival_count; i++) {
        const struct sw_rival *one = &run->rivals[i];
        bool fair = one->several && !one->beside && !one->planner->reorders && !isnan(one->cost);
        best = fair && (!best || one->cost < best->cost) ? one : best;
        own = fair && one->shown ? one : own;
    }
    if (best && own && own->cost <= best->cost) {
        pair(lines, SW_STYLE_TEXT, "best known", "this plan: no planner that was tried costs less");
    } else if (best) {
        pair(lines, SW_STYLE_TEXT, "best known",
             sw_scene_printf(lines->scene, "E %s, by %s%s", SW_NUMBER(best->cost), best->planner->name,
                             own ? sw_scene_printf(lines->scene, ": %s of this plan's",
                                                   percent(lines->scene, best->cost / own->cost, false))
                                 : ""));
    }
}

/* The least peak that is known for the problem, what has it, and how the plan that is shown compares. */
static void add_best(struct sw_lines *lines, const struct sw_metrics *metrics) {
    struct sw_scene *scene = lines->scene;
    const struct sw_branch_line *branch = best_branch(lines, metrics->peak);
    uint64_t others;
    const struct sw_rival *best = best_rival(&lines->in->run, &others);
    bool plan = metrics->single_tier && metrics->complete;
    if (plan && branch && (!best || branch->peak < best->peak)) {
        pair(lines, SW_STYLE_TEXT, "best known",
             sw_scene_printf(scene, "%s: branch %u, %s", sw_scene_bytes(scene, branch->peak), branch->number,
                             branch->what));
        return;
    }
    if (!best) {
        add_cheapest(lines);
        return;
    }
    const char *more = others ? sw_scene_printf(scene, " and %s more", SW_COUNT(others)) : "";
    uint64_t less = plan && metrics->peak > best->peak ? metrics->peak - best->peak : 0;
    pair(lines, SW_STYLE_TEXT, "best known",
         best->shown || (plan && metrics->peak == best->peak)
             ? sw_scene_printf(
                   scene, "this plan: no planner that was tried needs less%s",
                   others ? sw_scene_printf(scene, ", and %s need%s as much", SW_COUNT(others), others == 1 ? "s" : "")
                          : "")
         : less ? sw_scene_printf(scene, "%s, by %s%s: %s less than this plan (%s)", sw_scene_bytes(scene, best->peak),
                                  best->planner->name, more, sw_view_bytes(lines->in, scene, less),
                                  percent(scene, -(double)less / (double)metrics->peak, true))
                : sw_scene_printf(scene, "%s, by %s%s", sw_scene_bytes(scene, best->peak), best->planner->name, more));
}

static void key_figures(struct sw_lines *lines, const struct sw_metrics *metrics) {
    struct sw_scene *scene = lines->scene;
    const char *name = sw_problem_name(lines->problem);
    pair(lines, SW_STYLE_TEXT, "model", name && *name ? name : sw_page_input(lines->in));
    const struct sw_decision *last = sw_search_decision(lines->search);
    const char *label = SW_SEARCH_LABEL(lines->search);
    char reason[SW_REASON];
    pair(lines, SW_STYLE_TEXT, "planned by",
         last && last->kind == SW_DECISION_FINISH && last->reason
             ? sw_scene_printf(scene, "%s: %s", label, sw_decision_reason(last, reason))
             : sw_scene_printf(scene, "%s", label));
    pair(lines, SW_STYLE_TEXT, "blocks",
         metrics->complete ? count_words_of(scene, metrics->planned)
                           : sw_scene_printf(scene, "%s of %s placed", count_words_of(scene, metrics->placed),
                                             count_words_of(scene, metrics->planned)));
    uint32_t operators = sw_problem_operator_count(lines->problem);
    if (operators) {
        pair(lines, SW_STYLE_TEXT, "operators", count_words_of(scene, operators));
    }
    pair(lines, SW_STYLE_TEXT, "steps", count_words_of(scene, sw_problem_steps(lines->problem)));
    add_peak_pairs(lines, metrics);
    add_claims(lines);
    add_best(lines, metrics);
}

static const struct sw_lines_head tier_heads[] = {{"memory", false}, {"capacity", true}, {"peak", true},
                                                  {"of it", true},   {"in use", true},   {"free", true}};
enum { TIER_COLUMNS = sizeof tier_heads / sizeof *tier_heads };

/* In use at once: less than the peak where blocks lie at both ends. */
static void add_memory_row(struct sw_lines *lines, const struct sw_metrics *metrics, uint32_t t, uint64_t most) {
    const struct sw_tier *tier = sw_problem_tier(lines->problem, t);
    uint64_t used = metrics->tier_peak[t], capacity = tier->capacity;
    bool bounded = capacity != SW_UNBOUNDED, over = bounded && used > capacity;
    enum sw_style style = over ? SW_STYLE_ERROR : SW_STYLE_TEXT;
    sw_lines_row(lines, SW_NO_ITEM, false);
    sw_lines_cell(lines, style, false, tier->name);
    sw_lines_cell(lines, style, true, bounded ? sw_view_bytes(lines->in, lines->scene, capacity) : "unbounded");
    sw_lines_cell(lines, style, true, sw_view_bytes(lines->in, lines->scene, used));
    sw_lines_cell(lines, style, true,
                  bounded && capacity ? percent(lines->scene, (double)used / (double)capacity, false) : "");
    sw_lines_cell(lines, style, true, sw_view_bytes(lines->in, lines->scene, most));
    sw_lines_cell(
        lines, style, true,
        !bounded ? ""
        : over   ? sw_scene_printf(lines->scene, "%s too few", sw_view_bytes(lines->in, lines->scene, used - capacity))
                 : sw_view_bytes(lines->in, lines->scene, capacity - most));
}

static bool add_warnings(struct sw_lines *lines, const struct sw_metrics *metrics) {
    struct sw_scene *scene = lines->scene;
    struct sw_error error;
    size_t overrides = 0, before = lines->panel->rows.count;
    bool end = sw_search_at(lines->search) == sw_search_known(lines->search);
    sw_search_recipe(lines->search, &overrides);
    if (lines->in->run.fault) {
        sw_lines_textf(lines, SW_STYLE_WARNING, "%s.", lines->in->run.fault);
    } else if (end && sw_search_failed(lines->search, &error)) {
        sw_lines_textf(lines, SW_STYLE_WARNING, "The run ended without a layout: %s.", error.message);
    } else if (!end || !sw_search_complete(lines->search)) {
        sw_lines_textf(lines, SW_STYLE_WARNING, "This is the run after decision %s, not its end.",
                       count_words_of(scene, sw_search_at(lines->search)));
    }
    if (!metrics->complete) {
        sw_lines_textf(lines, SW_STYLE_WARNING, "%s of %s ha%s no place.",
                       count_words_of(scene, metrics->planned - metrics->placed),
                       sw_scene_counted(scene, metrics->planned, "block"),
                       metrics->planned - metrics->placed == 1 ? "s" : "ve");
    }
    if (!metrics->fits && !lines->in->run.fault) {
        sw_lines_text(lines, SW_STYLE_WARNING, "The plan does not fit: a memory needs more than its capacity.");
    }
    size_t faults = 0;
    scene->failed |= !sw_search_check(lines->search, &faults, NULL, NULL, NULL);
    if (faults && metrics->complete) {
        sw_lines_text(lines, SW_STYLE_WARNING,
                      sw_scene_printf(scene, "The plan breaks %s rule%s; see: stowage check.",
                                      count_words_of(scene, faults), faults == 1 ? "" : "s"));
    }
    const char *below = sw_view_below(scene, lines->search, false);
    if (*below) {
        sw_lines_textf(lines, SW_STYLE_WARNING, "The peak is %s.", below);
    }
    if (overrides) {
        sw_lines_textf(lines, SW_STYLE_WARNING, "%zu override%s changed what the planner would do.", overrides,
                       overrides == 1 ? "" : "s");
    }
    return lines->panel->rows.count > before;
}

/* What is left of the box below the table that was made last. */
static struct sw_box below_table(const struct sw_scene *scene, struct sw_box box) {
    if (scene->failed || scene->panels.count == 0) {
        return box;
    }
    const struct sw_panel *last = &scene->panels.items[scene->panels.count - 1];
    sw_box_take(&box, ((double)last->rows.count + 2.5) * SW_PAGE_ROW);
    box.height = fmax(box.height, 0);
    return box;
}

/* Side by side the tables need so much; on a narrower page one stands below the other. */
#define LEAST_BESIDE 640.0
#define LEAST_BELOW 700.0 /* of the page's height: lower ones are two */

/* Does a table of them tell what no other place does? */
static bool tells_memories(const struct sw_problem *problem) {
    return sw_problem_tier_count(problem) > 1 || sw_problem_tier(problem, 0)->capacity != SW_UNBOUNDED;
}

static struct sw_box add_memories(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box,
                                  const struct sw_metrics *metrics) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    uint32_t tiers = sw_problem_tier_count(problem);
    uint64_t most[SW_MAX_TIERS];
    scene->failed |= !sw_most_in_use(sw_search_layout(in->run.search), most);
    if (scene->failed || !tells_memories(problem)) {
        return box;
    }
    struct sw_lines lines = sw_lines_begin(in, scene, "memories", "memories", box, TIER_COLUMNS, 0);
    uint32_t shown = sw_lines_heads(&lines, tier_heads, TIER_COLUMNS, tiers);
    for (uint32_t t = 0; t < shown && !scene->failed; t++) {
        add_memory_row(&lines, metrics, t, most[t]);
    }
    lines.panel->hidden_below = tiers - shown;
    return below_table(scene, box);
}

/* Two columns where the page is wide; else, and false, both are the whole box. */
static bool divide_report(struct sw_box box, double part, struct sw_box *left, struct sw_box *right) {
    *left = *right = box;
    if (box.width < LEAST_BESIDE) {
        return false;
    }
    left->width = floor(box.width * part);
    right->left += left->width + 24;
    right->width -= left->width + 24;
    return true;
}

bool sw_report_why_apart(const struct sw_view_input *in) {
    return in->width - 2 * SW_PAGE_MARGIN < LEAST_BESIDE && in->height < LEAST_BELOW;
}

void sw_report_why(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_view_input brief = *in;
    brief.medium = SW_SMALL_ON_PAGE;
    if (sw_report_has_planners(in)) { /* which has the rest of it */
        sw_blame_why(&brief, scene, box);
    } else {
        sw_view_blame.build(&brief, scene, box);
    }
}

/* ---- the planners ---- */

bool sw_report_has_planners(const struct sw_view_input *in) {
    return in->run.rival_count > 0;
}

static const struct sw_lines_head rival_heads[] = {
    {"planner", false}, {"peak", true}, {"over the bound", true}, {"", false}};
enum { RIVAL_COLUMNS = sizeof rival_heads / sizeof *rival_heads };

static int lower_rival_first(const void *of_a, const void *of_b) {
    const struct sw_rival *a = *(const struct sw_rival *const *)of_a, *b = *(const struct sw_rival *const *)of_b;
    bool priced = a->several && (a->cost < b->cost || a->cost > b->cost); /* without prices it is NaN */
    return a->known != b->known                ? b->known - a->known
           : a->several != b->several          ? b->several - a->several
           : a->unfit != b->unfit              ? b->unfit - a->unfit
           : priced                            ? SW_COMPARE(a->cost, b->cost)
           : !a->several && a->peak != b->peak ? SW_COMPARE(a->peak, b->peak)
           : a->shown != b->shown              ? b->shown - a->shown
                                               : SW_COMPARE(a, b);
}

static const char *rival_remark(struct sw_lines *lines, const struct sw_rival *rival) {
    uint64_t bound = sw_problem_lower_bound(lines->problem);
    const char *what = rival->planner->reorders ? "another order"
                       : rival->beside && rival->bound != bound
                           ? sw_scene_printf(lines->scene, "other blocks, of bound %s",
                                             sw_view_bytes(lines->in, lines->scene, rival->bound))
                       : rival->beside  ? "if results may lie over arguments"
                       : rival->optimal ? "proved"
                       : rival->stopped ? "stopped at its limit"
                                        : "";
    if (rival->several && !isnan(rival->cost)) {
        what = sw_scene_printf(lines->scene, "%s%sE %s", what, *what ? ", " : "", SW_NUMBER(rival->cost));
    }
    for (uint32_t t = 0; rival->several && t < sw_problem_tier_count(lines->problem); t++) {
        what = sw_scene_printf(lines->scene, "%s%s%s %s", what, *what ? ", " : "",
                               sw_problem_tier(lines->problem, t)->name,
                               sw_view_bytes(lines->in, lines->scene, rival->tier_peak[t]));
    }
    what = rival->unfit                     ? "does not fit"
           : rival->known || rival->several ? what
                                            : sw_scene_clean(lines->scene, rival->why);
    return rival->shown ? sw_scene_printf(lines->scene, "this plan%s%s", *what ? ", " : "", what) : what;
}

static void add_rival_row(struct sw_lines *lines, const struct sw_rival *rival) {
    uint64_t bound = rival->bound ? rival->bound : sw_problem_lower_bound(lines->problem);
    enum sw_style style = rival->shown                     ? SW_STYLE_STRONG
                          : rival->known || rival->several ? SW_STYLE_TEXT
                                                           : SW_STYLE_DIM;
    bool over = (rival->known || rival->unfit) && bound && rival->peak >= bound;
    sw_lines_row(lines, SW_NO_ITEM, false);
    sw_lines_cell(lines, style, false, rival->planner->name);
    if (lines->panel->columns == RIVAL_COLUMNS) {
        sw_lines_cell(lines, style, true,
                      rival->known || rival->unfit ? sw_view_bytes(lines->in, lines->scene, rival->peak) : "");
        sw_lines_cell(lines, style, true,
                      !over                  ? ""
                      : rival->peak == bound ? "0%"
                                             : percent(lines->scene, (double)rival->peak / (double)bound - 1, true));
    }
    sw_lines_cell(lines, SW_STYLE_DIM, false, rival_remark(lines, rival));
}

static struct sw_box list_rivals(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    uint32_t count = (uint32_t)in->run.rival_count;
    const struct sw_rival **ranked = sw_arena_new(&scene->arena, count, sizeof *ranked);
    bool peaks = false;
    scene->failed |= !ranked;
    for (uint32_t i = 0; ranked && i < count; i++) {
        ranked[i] = &in->run.rivals[i];
        peaks |= ranked[i]->known || ranked[i]->unfit;
    }
    uint32_t columns = peaks ? RIVAL_COLUMNS : 2;
    struct sw_lines lines =
        sw_lines_begin(in, scene, "planners", "planners that were tried", box, columns, columns - 1);
    if (ranked) {
        qsort(ranked, count, sizeof *ranked, lower_rival_first);
    }
    sw_lines_textf(&lines, SW_STYLE_DIM, "%s with at most %s units of work.",
                   in->run.rivals[0].shown ? "Each of the others" : "Each", SW_COUNT(in->run.rival_work));
    if (peaks) {
        sw_lines_heads(&lines, rival_heads, RIVAL_COLUMNS, count);
    }
    for (uint32_t i = 0; i < count && !scene->failed; i++) {
        add_rival_row(&lines, ranked[i]);
    }
    return below_table(scene, box);
}

/* Of a list of requests nothing is known but settings of its allocator, which the summary has. */
static bool has_help(const struct sw_view_input *in) {
    return in->run.suggest || sw_problem_operator_count(sw_search_problem(in->run.search)) > 0;
}

const char *sw_report_planners(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_box left, right;
    struct sw_view_input brief = *in;
    brief.medium = SW_SMALL_ON_PAGE;
    if (!has_help(in)) {
        list_rivals(in, scene, box);
        return "Planners";
    }
    if (divide_report(box, 0.49, &left, &right)) {
        list_rivals(in, scene, left);
        sw_blame_help(&brief, scene, right);
    } else { /* what would help is a few rows, and of the planners the first ones tell most */
        sw_blame_help(&brief, scene, left);
        list_rivals(in, scene, below_table(scene, left));
    }
    return "Planners, and what would help";
}

/* Key figures, memories, warnings and the verdict; with the planners and what would help, where they stand with it.
 * What is left of the box. */
static struct sw_box build_summary(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box,
                                   bool planners) {
    struct sw_metrics metrics;
    struct sw_box left, right;
    struct sw_view_input brief = *in;
    brief.medium = SW_SMALL_ON_PAGE;
    bool beside = divide_report(box, planners ? 0.49 : 0.44, &left, &right);
    sw_metrics_of(sw_search_layout(in->run.search), &metrics);
    struct sw_lines lines = sw_lines_begin(in, scene, "figures", "key figures", left, 2, 1);
    key_figures(&lines, &metrics);
    left = add_memories(in, scene, below_table(scene, left), &metrics);
    left = planners && beside ? list_rivals(in, scene, left) : left;
    right = beside ? right : left;
    lines = sw_lines_begin(in, scene, "warnings", "warnings", right, 1, 0);
    if (!add_warnings(&lines, &metrics)) {
        sw_lines_text(&lines, SW_STYLE_DIM, "none");
    }
    right = below_table(scene, right);
    if (!sw_report_why_apart(in)) {
        sw_report_why(in, scene, right);
        right = below_table(scene, right);
    }
    if (planners && has_help(in)) {
        sw_blame_help(&brief, scene, right);
        right = below_table(scene, right);
    }
    right = planners && !beside ? list_rivals(in, scene, right) : right;
    return !beside || left.height > right.height ? right : left;
}

/* Is the page of the summary high enough for the planners, too? Where memory lacks once, it is asked again: where it
 * goes on to lack, the page itself fails. */
static bool planners_fit_summary(const struct sw_view_input *in) {
    struct sw_box room = sw_page_box(in->width, in->height, SW_PAGE_CAPTION_GAP + 2 * SW_PAGE_CAPTION_LINE);
    bool fits = false, failed = true;
    for (int tries = 0; failed && tries < 2; tries++) {
        struct sw_scene measured = {.units = in->units};
        struct sw_box high = room;
        high.height = SW_PAGE_TABLE_HEIGHT;
        struct sw_box left = build_summary(in, &measured, high, true);
        failed = measured.failed;
        fits = !failed && high.height - left.height - SW_PAGE_ROW <= room.height;
        sw_scene_done(&measured);
    }
    return fits;
}

bool sw_report_with_planners(const struct sw_view_input *in) {
    return sw_report_has_planners(in) && !sw_report_why_apart(in) && planners_fit_summary(in);
}

const char *sw_report_summary(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    bool planners = sw_report_with_planners(in);
    build_summary(in, scene, box, planners);
    return !planners ? "Summary" : has_help(in) ? "Summary, planners, and what would help" : "Summary, and planners";
}

/* ---- the provenance ---- */

static void add_parameters(struct sw_lines *lines) {
    const struct sw_params *params = sw_search_params(lines->search);
    const struct sw_planner *planner = sw_search_planner(lines->search);
    struct sw_scene *scene = lines->scene;
    pair(lines, SW_STYLE_TEXT, "seed", sw_scene_printf(scene, "%" PRIu64, params->seed));
    pair(lines, SW_STYLE_TEXT, "work", params->work ? count_words_of(scene, params->work) : "no limit was set");
    if (params->cost) {
        pair(lines, SW_STYLE_TEXT, "cost model", params->cost->name);
    }
    for (size_t i = 0; i < params->action_count; i++) {
        pair(lines, SW_STYLE_TEXT, i ? "" : "further actions", params->actions[i].name);
    }
    if (params->tier_rules) {
        pair(lines, SW_STYLE_TEXT, "rules", params->tier_rules->name);
    }
    const char *key = "parameters";
    for (const struct sw_parameter *p = planner->parameters; p && p->name; p++) {
        const char *value = sw_params_text(params, planner, p->name);
        pair(lines, SW_STYLE_TEXT, key,
             sw_scene_printf(scene, "%s = %s%s", p->name, value ? value : "",
                             value == p->fallback ? " (the default)" : ""));
        key = "";
    }
    if (*key) {
        pair(lines, SW_STYLE_DIM, key, "it has none");
    }
}

static const char *override_words(const struct sw_lines *lines, const struct sw_recipe_entry *entry) {
    const struct sw_override *o = &entry->override;
    struct sw_scene *scene = lines->scene;
    const char *name = o->buffer < sw_problem_buffer_count(lines->problem)
                           ? sw_problem_buffer(lines->problem, o->buffer)->name
                           : "every block";
    const char *tier =
        o->tier < sw_problem_tier_count(lines->problem) ? sw_problem_tier(lines->problem, o->tier)->name : "";
    const char *what = o->kind == SW_OVERRIDE_PIN ? sw_scene_printf(scene, "%s at %s+%" PRIu64, name, tier, o->offset)
                       : o->kind == SW_OVERRIDE_FORBID
                           ? sw_scene_printf(scene, "%s not in %s+%" PRIu64 " to %" PRIu64, name, tier, o->lo, o->hi)
                           : sw_scene_printf(scene, "candidate %u is taken", o->choice + 1);
    return sw_scene_printf(scene, "after decision %s: %s", count_words_of(scene, entry->step), what);
}

static void add_run_pairs(struct sw_lines *lines) {
    struct sw_scene *scene = lines->scene;
    uint64_t at = sw_search_at(lines->search), known = sw_search_known(lines->search);
    pair(lines, SW_STYLE_TEXT, "decisions",
         at == known && sw_search_complete(lines->search)
             ? sw_scene_printf(scene, "%s, to the end of the run", count_words_of(scene, at))
             : sw_scene_printf(scene, "%s, of %s that are known", count_words_of(scene, at),
                               count_words_of(scene, known)));
    size_t overrides = 0;
    const struct sw_recipe_entry *recipe = sw_search_recipe(lines->search, &overrides);
    for (size_t i = 0; i < overrides; i++) {
        pair(lines, SW_STYLE_TEXT, i ? "" : "overrides", override_words(lines, &recipe[i]));
    }
    if (!overrides) {
        pair(lines, SW_STYLE_DIM, "overrides", "none");
    }
    pair(lines, SW_STYLE_TEXT, "state", sw_scene_printf(scene, "%016" PRIx64, sw_search_digest(lines->search)));
}

void sw_report_provenance(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_lines lines = sw_lines_begin(in, scene, "provenance", "how to make this plan again", box, 2, 1);
    const struct sw_planner *planner = sw_search_planner(in->run.search);
    if (in->command) {
        pair(&lines, SW_STYLE_TEXT, "command", in->command);
    } else if (in->run.conditions && *in->run.conditions) {
        pair(&lines, SW_STYLE_TEXT, "options", in->run.conditions);
    }
    pair(&lines, SW_STYLE_TEXT, "input", in->run.input_name ? in->run.input_name : "");
    pair(&lines, SW_STYLE_TEXT, "file's digest", sw_scene_printf(scene, "%016" PRIx64, in->run.input_digest));
    if (in->run.input_bytes) {
        pair(&lines, SW_STYLE_TEXT, "length in bytes", count_words_of(scene, in->run.input_bytes));
    }
    pair(&lines, SW_STYLE_TEXT, "problem",
         sw_scene_printf(scene, "%s, %s, %s, %s memor%s; digest %016" PRIx64,
                         sw_scene_counted(scene, sw_problem_planned_count(lines.problem), "block"),
                         sw_scene_counted(scene, sw_problem_operator_count(lines.problem), "operator"),
                         sw_scene_counted(scene, sw_problem_steps(lines.problem), "step"),
                         count_words_of(scene, sw_problem_tier_count(lines.problem)), sw_view_single(in) ? "y" : "ies",
                         sw_problem_digest(lines.problem)));
    if (in->run.base) {
        pair(&lines, SW_STYLE_TEXT, "base address", sw_scene_printf(scene, "0x%" PRIx64, in->run.base));
    }
    sw_lines_blank(&lines);
    pair(&lines, SW_STYLE_TEXT, "planner", sw_scene_printf(scene, "%s: %s", planner->name, planner->summary));
    add_parameters(&lines);
    sw_lines_blank(&lines);
    add_run_pairs(&lines);
    sw_lines_blank(&lines);
    pair(&lines, SW_STYLE_TEXT, "program", "stowage " STOWAGE_VERSION);
    pair(&lines, SW_STYLE_TEXT, "",
         "The same input, planner, parameters and seed give the same plan, byte for byte, on "
         "every machine; the state above is a digest of layout, planner and step.");
}
