/* The bar at the top, with the figures one always wants, and the bar at the bottom, with the keys.
 */
#include "formats/format.h"
#include "base/base.h"
#include "planners/planner.h"
#include "view/goal.h"
#include "view/view_internal.h"
#include "view/scene/short_names.h"

static struct sw_panel *add_screen_bar(struct sw_scene *scene, const char *id, struct sw_box box, enum sw_style fill) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, id);
    sw_panel_put(panel, box);
    panel->fill = (uint8_t)fill;
    sw_panel_row(scene, panel, SW_NO_ITEM, false);
    return panel;
}

/* Parts of the header in their order. Those of the lowest `rank` get their room first; `brief` stands for the text
 * where that has none. A name has a `least`: it may lose its middle down to so many columns. */
struct header_part {
    const char *text;
    int rank;
    bool right;
    const char *brief;
    unsigned least;
};
enum { HEADER_PARTS = 13, DECISION_RANK = 2, PLANNER_RANK = 5, FILE_RANK, RANKS = 9 };

static struct header_part progress_words(const struct sw_view_input *in, struct sw_scene *scene) {
    uint64_t at = sw_search_at(in->run.search), known = sw_search_known(in->run.search);
    bool complete = sw_search_complete(in->run.search);
    const struct sw_planner *planner = sw_search_planner(in->run.search);
    if ((planner->needs & SW_NEEDS_RECORDING) &&
        strcmp(sw_params_text(sw_search_params(in->run.search), planner, "continue"), "none") == 0) {
        known = sw_problem_recording(sw_search_problem(in->run.search))->decisions.count; /* so many are recorded */
        complete = !in->run.live;
    }
    bool open = !complete && at == known && !in->run.live; /* it is not known yet how many there will be */
    const char *brief =
        sw_scene_printf(scene, "%s/%s%s%s%s", SW_COUNT(at), open ? "?" : SW_COUNT(known), open || complete ? "" : "+",
                        in->run.live ? "  " : "", in->run.live ? in->run.live : "");
    return (struct header_part){sw_scene_printf(scene, "decision %s", brief), DECISION_RANK, false, brief, 0};
}

static const char *short_alone(struct sw_scene *scene, const char *name, unsigned columns) {
    char text[4 * SW_PLANNER_LABEL + 8];
    const struct sw_short alone = {.items = &name, .count = 1};
    sw_short_name(&alone, sw_scene_clean(scene, name), columns, text, sizeof text);
    return sw_scene_printf(scene, "%s", text);
}

/* Names in the header are as long as a line has room for several. */
static const char *header_name(struct sw_scene *scene, const char *before, const char *name) {
    enum { HEADER_NAME = 32 };
    return sw_scene_printf(scene, "%s%s", before, short_alone(scene, name, HEADER_NAME));
}

static struct header_part name_part(const char *name, int rank) {
    enum { LEAST_HEADER_NAME = 15 };
    return (struct header_part){name, rank, false, NULL, (unsigned)SW_MIN(sw_view_columns(name), LEAST_HEADER_NAME)};
}

/* Where in time the last decision belongs. */
static const char *place_in_time(const struct sw_view_input *in, struct sw_scene *scene) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    const struct sw_decision *decision = sw_search_decision(in->run.search);
    if (!decision || decision->time == SW_NONE) {
        return "";
    }
    if (decision->time < sw_problem_operator_count(problem)) {
        return header_name(scene, sw_scene_printf(scene, "operator %u ", decision->time),
                           sw_problem_operator(problem, decision->time)->name);
    }
    return in->look.raw_time ? sw_scene_printf(scene, "time %lld", (long long)sw_problem_time(problem, decision->time))
                             : sw_scene_printf(scene, "step %u", decision->time);
}

/* Which branch, once there are several. */
static struct header_part branch_words(const struct sw_view_input *in, struct sw_scene *scene) {
    struct header_part part = {.text = "", .rank = 1};
    for (uint32_t i = 0; in->run.branch_count > 1 && i < in->run.branch_count; i++) {
        const struct sw_branch_line *line = &in->run.branches[i];
        if (line->current) {
            const char *number = sw_scene_printf(scene, "branch %u", line->number);
            bool counts = line->number <= in->run.branch_count; /* not where some were dropped */
            part.text = *line->name ? header_name(scene, sw_scene_printf(scene, "%s ", number), line->name)
                        : counts    ? sw_scene_printf(scene, "%s of %u", number, in->run.branch_count)
                                    : number;
            part.brief = number;
        }
    }
    return part;
}

/* What the planner minimizes where that is not the peak of the layout on view. */
static bool put_goal(const struct sw_view_input *in, struct sw_scene *scene, struct header_part *parts) {
    struct sw_goal goal;
    if (!sw_view_goal(in, scene, &goal)) {
        return false;
    }
    parts[0] = (struct header_part){goal.more, 7, true, NULL, 0};
    parts[1] = (struct header_part){goal.now, 0, true, goal.now_brief, 0};
    parts[2] = (struct header_part){goal.best, 2, true, NULL, 0};
    parts[3] = (struct header_part){goal.bound, 0, true, goal.bound_brief, 0};
    parts[4] = (struct header_part){goal.change, 3, true, NULL, 0};
    return true;
}

static void put_header_figures(const struct sw_view_input *in, struct sw_scene *scene, struct header_part *parts) {
    struct sw_metrics metrics;
    sw_metrics_of(sw_search_layout(in->run.search), &metrics);
    parts[5] =
        (struct header_part){metrics.fits || sw_view_moment_of(in->run.search) ? "" : "does not fit", 1, true, NULL, 0};
    if (put_goal(in, scene, parts)) {
        return;
    }
    char text[24];
    bool known = metrics.single_tier;
    struct sw_claims claims;
    sw_search_claims(in->run.search, &claims);
    bool addresses = !claims.no_addresses || metrics.placed > 0;
    uint64_t plan = 0;
    const char *trial = sw_view_trial(in, scene, &plan);
    const char *brief = known && *trial ? sw_scene_printf(scene, "trial %s", sw_show_bytes(metrics.peak, text)) : NULL;
    const char *peak = sw_scene_printf(scene, "%s", sw_show_bytes(metrics.peak, text));
    bool so_far = known && !brief && sw_view_tries(in);
    parts[1] = (struct header_part){
        brief ? sw_scene_printf(scene, "%s, plan %s", brief, sw_show_bytes(plan, text))
        : known
            ? sw_scene_printf(scene,
                              so_far      ? "peak so far %s"
                              : addresses ? "peak %s"
                                          : "in use %s",
                              peak)
            : sw_scene_printf(scene, "%s %s", sw_problem_tier(sw_search_problem(in->run.search), in->look.tier)->name,
                              sw_show_bytes(metrics.tier_peak[in->look.tier], text)),
        0, true, so_far ? sw_scene_printf(scene, "so far %s", peak) : brief, 0};
    /* The bound is one of all memory: beside the peak of one tier among several it says nothing. */
    parts[3] = (struct header_part){
        known ? sw_scene_printf(scene, "bound %s", sw_show_bytes(metrics.lower_bound, text)) : "", 0, true, NULL, 0};
    /* Before the end a peak below the bound says nothing about the plan. */
    bool meaningful = metrics.comparable && metrics.lower_bound > 0;
    parts[4] = (struct header_part){meaningful ? sw_scene_printf(scene, "%s", SW_PERCENT(metrics.over_bound, true))
                                               : sw_view_below(scene, in->run.search, true),
                                    3, true, NULL, 0};
}

static double part_columns(const char *text) {
    return *text ? (double)sw_view_columns(text) + 2 : 0;
}

/* How much wider than the room those up to a rank are, names at their least. */
static double over_room(const struct header_part *parts, int rank, double room) {
    double needed = 0;
    for (int i = 0; i < HEADER_PARTS; i++) {
        const struct header_part *part = &parts[i];
        needed += part->rank > rank ? 0 : *part->text && part->least ? part->least + 2.0 : part_columns(part->text);
    }
    return needed - room;
}

/* In brief those from a rank down to another, as many as must be so that all up to `needed` have room. */
static bool make_brief(struct header_part *parts, int from, int to, int needed, double room) {
    for (int rank = from; rank >= to; rank--) {
        for (int i = 0; i < HEADER_PARTS && over_room(parts, needed, room) > 0; i++) {
            struct header_part *part = &parts[i];
            part->text = part->rank == rank && *part->text && part->brief ? part->brief : part->text;
        }
    }
    return over_room(parts, needed, room) <= 0;
}

/* Those of the first two ranks always stand there, and planner and file where they can. */
static void shorten_first(struct header_part *parts, double room) {
    struct header_part brief[HEADER_PARTS];
    memcpy(brief, parts, sizeof brief);
    if (make_brief(brief, DECISION_RANK, 1, FILE_RANK, room) ||
        (memcpy(brief, parts, sizeof brief) && make_brief(brief, DECISION_RANK, 1, PLANNER_RANK, room))) {
        memcpy(parts, brief, sizeof brief);
    }
    make_brief(parts, 1, 0, 1, room);
}

/* What the other name needs at least. */
static double other_name(const struct header_part *parts, int rank) {
    double least = 0;
    for (int i = 0; i < HEADER_PARTS; i++) {
        least += parts[i].rank > rank && parts[i].least ? parts[i].least + 2 : 0;
    }
    return least;
}

/* A name in the room that it has, the other one at its least where both have room. */
static const char *name_in_room(struct sw_scene *scene, const struct header_part *parts, const struct header_part *part,
                                double room) {
    double own = room - 2 - other_name(parts, part->rank);
    own = own < part->least ? room - 2 : own;
    return (double)sw_view_columns(part->text) <= own || own < part->least
               ? part->text
               : short_alone(scene, part->text, (unsigned)own);
}

/* The parts that have room, by rank; a shorter one of a later rank may still fit. */
static void choose_parts(struct sw_scene *scene, struct header_part *parts, double width) {
    double room = width - 1;
    shorten_first(parts, room);
    bool dropped = false; /* then the seed, too, which is the least of all */
    for (int rank = 0; rank < RANKS; rank++) {
        for (int i = 0; i < HEADER_PARTS; i++) {
            struct header_part *part = &parts[i];
            if (part->rank != rank || !*part->text) {
                continue;
            }
            /* The decision, and that the plan does not fit, are to have room as well. */
            double others = rank > 1 ? 0 : part_columns(parts[3].text) + part_columns(parts[HEADER_PARTS - 1].text);
            if (part->brief && part_columns(part->text) + others > room) {
                part->text = part->brief;
            } else if (part->least) {
                part->text = name_in_room(scene, parts, part, room);
            }
            double wanted = part_columns(part->text);
            if ((wanted > room && rank > 1) || (rank == RANKS - 1 && dropped)) {
                part->text = "";
                dropped = true;
            } else {
                room -= wanted;
            }
        }
    }
}

void sw_view_build_header(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_panel *panel = add_screen_bar(scene, "header", box, SW_STYLE_HEADER);
    const struct sw_params *params = sw_search_params(in->run.search);
    char label[SW_PLANNER_LABEL];
    const char *seed = sw_scene_printf(scene, "seed %llu", (unsigned long long)params->seed);
    struct header_part parts[HEADER_PARTS] = {
        name_part(sw_scene_clean(scene, sw_path_name(in->run.input_name)), FILE_RANK),
        name_part(sw_scene_printf(scene, "%s", sw_search_label(in->run.search, label)), PLANNER_RANK),
        {.text = seed, .rank = 8},
        progress_words(in, scene),
        {.text = place_in_time(in, scene), .rank = 7},
        branch_words(in, scene),
    };
    for (int i = 1; i < 6 && sw_view_moment_of(in->run.search); i++) { /* there is no run to tell of */
        parts[i] = (struct header_part){.text = ""};
    }
    for (int i = 6; i < HEADER_PARTS; i++) {
        parts[i] = (struct header_part){.text = "", .right = i > 6};
    }
    put_header_figures(in, scene, parts + 7);
    choose_parts(scene, parts, box.width);
    for (int i = 0; i < HEADER_PARTS; i++) {
        if (i == 6) { /* takes what is left between the two groups */
            panel->stretch = scene->failed ? 0 : panel->rows.items[0].count;
            sw_panel_cell(scene, panel, SW_STYLE_HEADER, false, "");
        } else if (*parts[i].text) {
            sw_panel_cell(scene, panel, SW_STYLE_HEADER, parts[i].right, sw_scene_printf(scene, " %s", parts[i].text));
        }
    }
}

enum { MOST_HINTS = 8, LAST_HINTS = 2 };

static double hint_width(const struct sw_hint *hint) {
    return (double)(sw_view_columns(hint->key) + sw_view_columns(hint->label) + 4);
}

static void add_key_hint(struct sw_scene *scene, struct sw_panel *panel, const struct sw_hint *hint, bool labeled) {
    sw_panel_cell(scene, panel, SW_STYLE_KEY, false, sw_scene_printf(scene, labeled ? " %s" : "%s", hint->key));
    if (labeled) {
        sw_panel_cell(scene, panel, SW_STYLE_FOOTER, false, sw_scene_printf(scene, "%s ", hint->label));
    }
}

/* Of the last hints, with their labels or without. */
static double hints_width(const struct sw_view_input *in, bool labeled) {
    size_t last = in->look.hint_count < LAST_HINTS ? 0 : in->look.hint_count - LAST_HINTS;
    double width = 0;
    for (size_t i = last; i < in->look.hint_count; i++) {
        width += labeled ? hint_width(&in->look.hints[i]) : (double)sw_view_columns(in->look.hints[i].key) + 1;
    }
    return width;
}

/* The last hints, help and quit, always have their place, without labels if need be; the others
 * while there is room. */
static void add_hints(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel, double room) {
    size_t last = in->look.hint_count < LAST_HINTS ? 0 : in->look.hint_count - LAST_HINTS, shown = 0;
    double used = 0;
    room -= hints_width(in, true);
    for (size_t i = 0; i < in->look.hint_count; i++) {
        double wanted = i < last ? hint_width(&in->look.hints[i]) : 0;
        if (i < last && (used + wanted > room || shown == MOST_HINTS - LAST_HINTS)) {
            continue; /* a shorter one may still fit */
        }
        used += wanted;
        shown++;
        add_key_hint(scene, panel, &in->look.hints[i], room >= 0);
    }
}

/* What is to be said takes as many rows as it needs, for its reason often stands at the end; at most a third of
 * the screen, the rest is in the log. */
double sw_view_footer_rows(const struct sw_view_input *in, const char *status) {
    if (!status || !*status) {
        return 1;
    }
    double most = floor(in->height / 3), rows = 0, last = 0, keys = hints_width(in, false);
    if (in->look.passing || (double)sw_view_columns(status) + 1 + keys <= in->width) {
        return 1;
    }
    for (; *status && rows < most; rows++) {
        size_t length = sw_view_wrap(status, (unsigned)in->width - 2);
        last = (double)length + 2;
        status += length;
        status += strspn(status, " ");
    }
    rows += rows < most && last + keys > in->width; /* one for the keys */
    return rows < 1 ? 1 : rows;
}

/* All rows of the status but the last; returns what is left for that. */
static const char *add_status(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel,
                              enum sw_style style, const char *status, double rows) {
    for (double row = 1; row < rows; row++) {
        const char *line = sw_view_line(scene, &status, (unsigned)in->width - 2);
        sw_panel_cell(scene, panel, style, false, sw_scene_printf(scene, " %s", line));
        sw_panel_row(scene, panel, SW_NO_ITEM, false);
    }
    return status;
}

/* What is to be said, if anything, and the keys that matter. */
void sw_view_build_footer(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box, const char *status,
                          bool status_is_error) {
    struct sw_panel *panel = add_screen_bar(scene, "footer", box, SW_STYLE_FOOTER);
    double room = box.width + 1; /* no blank after the last */
    if (status && *status) {
        enum sw_style style = status_is_error ? SW_STYLE_ERROR : SW_STYLE_FOOTER;
        status = add_status(in, scene, panel, style, status, box.height);
        const char *text = sw_scene_printf(scene, " %s", status);
        double most = box.width - hints_width(in, false);
        if ((double)sw_view_columns(text) > most) { /* more than a third of the screen */
            const char *rest = in->look.passing ? " ..." : " ... (:log)";
            int kept = (int)sw_view_wrap(text, (unsigned)most - (unsigned)strlen(rest));
            text = sw_scene_printf(scene, "%.*s%s", kept, text, rest);
        }
        panel->stretch = 0;
        sw_panel_cell(scene, panel, style, false, text);
        room -= (double)sw_view_columns(text) + 2;
    }
    add_hints(in, scene, panel, room);
    if (!scene->failed && panel->texts.count == 0) {
        sw_panel_cell(scene, panel, SW_STYLE_FOOTER, false, "");
    }
}
