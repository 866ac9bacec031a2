/* The decisions around the present one: a list where there is height, else a strip of one row. */
#include "view/view_internal.h"
#include "base/base.h"
#include "planners/planner.h"
#include "planners/planner_table.h"
#include "view/goal.h"
#include "view/scene/short_names.h"
#include "search/result/run_plan.h"

/* The name of the tier of a decision, where there are several; else "". */
static const char *tier_of_row(const struct sw_view_input *in, const struct sw_decision *decision) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    bool named = sw_problem_tier_count(problem) > 1 && decision->tier != SW_NONE;
    return named ? sw_problem_tier(problem, decision->tier)->name : "";
}

static const char *offset_of(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_decision *decision,
                             const char *tier) {
    return sw_curve_addressed(decision)
               ? sw_scene_printf(scene, "%s+%s", tier, sw_scene_bytes(scene, decision->offset + in->run.base))
               : "";
}

/* ---- actions on a block, by what they cost: "A3 w to L0: E 161.125 to 120.625" ---- */

static const struct sw_operand *operand_of(const struct sw_decision *decision, const char *name) {
    const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)decision->kind);
    while (o->name && strcmp(o->name, name) != 0) {
        o++;
    }
    return o->name && sw_decision_value(decision, o, NULL, NULL) ? o : NULL;
}

/* Rows of a planner that has a name for its actions say tier and E in words. */
static bool tells_actions(const struct sw_view_input *in) {
    return sw_search_planner(in->run.search)->action_marks;
}

/* ": E 161.125 to 120.625"; "" where it has none. */
static const char *cost_words(const struct sw_view_input *in, struct sw_scene *scene,
                              const struct sw_decision *decision) {
    const struct sw_operand *o = operand_of(decision, "costs");
    struct sw_before_after costs = {(double)NAN, decision->cost};
    if (o) {
        costs = *(const struct sw_before_after *)sw_decision_at(decision, o);
    }
    bool fails = decision->kind == SW_DECISION_TRY && !decision->tried.succeeded;
    bool silent = fails || (!o && decision->buffer != SW_NONE);
    if (!tells_actions(in) || !sw_view_goal_is_cost(in) || isnan(costs.after) || silent) {
        return "";
    }
    const char *after = SW_NUMBER(costs.after);
    return isnan(costs.before)           ? sw_scene_printf(scene, ": E %s", after)
           : costs.before == costs.after ? sw_scene_printf(scene, ": E still %s", after)
                                         : sw_scene_printf(scene, ": E %s to %s", SW_NUMBER(costs.before), after);
}

/* Do its words say where its block lies after it? */
static bool says_where(const struct sw_view_input *in, const struct sw_decision *decision) {
    return tells_actions(in) && decision->buffer != SW_NONE && *tier_of_row(in, decision) &&
           (decision->kind == SW_DECISION_PRECONF || operand_of(decision, "costs"));
}

/* " to L0", " stays in L0". */
static const char *where_words(const struct sw_view_input *in, struct sw_scene *scene,
                               const struct sw_decision *decision, const char *place) {
    const char *way = decision->kind == SW_DECISION_REVERT                              ? "back to"
                      : decision->kind == SW_DECISION_TRY && !decision->tried.succeeded ? "stays in"
                                                                                        : "to";
    return says_where(in, decision) ? sw_scene_printf(scene, " %s %s", way, place) : "";
}

static bool acts_on_block(const struct sw_decision *decision) {
    return decision->buffer != SW_NONE && operand_of(decision, "action");
}

/* ---- what tells a decision from others of its kind ---- */

/* Operands that do, and how they are said, in this order; the name that stands before them is none. */
static const struct {
    const char *operand, *before, *after;
} telling_operands[] = {
    {"action", " ", ""},         {"state", " state ", ""},
    {"member", " member ", ""},  {"first", " members ", ""},
    {"second", ", ", ""},        {"third", ", ", ""},
    {"fourth", ", ", ""},        {"continuity", " continuity ", ""},
    {"done", " ", " done"},      {"kept", " ", " kept"},
    {"generation", " gen ", ""}, {"segment", " segment ", ""},
    {"chosen", " ", ""},         {"segments", " ", " segments"},
    {"count", " x", ""},         {"threshold", " within ", ""},
};

/* " members 1, 4 gen 2", " x3 within 40K", " to L0: E 161.125 to 120.625"; "" where the kind and the name tell it. An
 * action on a block stands before its name. */
static const char *telling_words(const struct sw_view_input *in, struct sw_scene *scene,
                                 const struct sw_decision *decision, const char *place) {
    const char *text = "";
    bool acts = acts_on_block(decision);
    const struct sw_operand *operands = sw_decision_operands((enum sw_decision_kind)decision->kind);
    for (size_t i = 0; i < sizeof telling_operands / sizeof *telling_operands; i++) {
        for (const struct sw_operand *o = operands; o->name; o++) {
            double number = 0;
            const char *word = NULL;
            bool alone = o->type == SW_OPERAND_count && strcmp(o->name, "count") == 0;
            if (strcmp(o->name, telling_operands[i].operand) != 0 || !sw_decision_value(decision, o, &number, &word) ||
                (alone && number < 2) || (acts && strcmp(o->name, "action") == 0) ||
                ((*text || acts) && strcmp(o->name, "segment") == 0)) {
                continue;
            }
            const char *value = o->type == SW_OPERAND_text ? sw_scene_clean(scene, word)
                                : o->type == SW_OPERAND_bytes
                                    ? sw_scene_bytes(scene, (uint64_t)number)
                                    : sw_scene_printf(scene, "%s", SW_COUNT((uint64_t)number));
            text =
                sw_scene_printf(scene, "%s%s%s%s", text, telling_operands[i].before, value, telling_operands[i].after);
        }
    }
    const char *costs = cost_words(in, scene, decision), *way = where_words(in, scene, decision, place);
    return *costs || *way ? sw_scene_printf(scene, "%s%s%s", text, way, costs) : text;
}

static bool chooses_operators(const struct sw_view_input *in) {
    const struct sw_planner *planner = sw_search_planner(in->run.search);
    return planner->reorders || planner->rewrites;
}

/* What a decision is about: a buffer, or, while the operators are put in order, one of them. NULL: neither. */
static const char *decision_name(const struct sw_view_input *in, const struct sw_decision *decision) {
    if (!decision || decision->buffer == SW_NONE) {
        return decision && chooses_operators(in) ? sw_decision_action(decision) : NULL;
    }
    return sw_problem_buffer(sw_search_problem(in->run.search), decision->buffer)->name;
}

/* The bytes that it is about: of its buffer, or, without one, the first that its kind tells. */
static uint64_t decision_bytes(const struct sw_view_input *in, const struct sw_decision *decision) {
    const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)decision->kind);
    bool orders = chooses_operators(in) && decision->buffer == SW_NONE && decision->measures != SW_AMOUNT_NOTHING;
    for (; orders && o->name; o++) {
        if (o->type == SW_OPERAND_bytes && strcmp(o->name, "threshold") != 0) { /* that is told beside the kind */
            return *(const uint64_t *)sw_decision_at(decision, o);
        }
    }
    return decision->size;
}

/* "try", "try A3". */
static const char *called_words(struct sw_scene *scene, const struct sw_decision *decision) {
    const char *word = sw_decision_called(decision);
    return acts_on_block(decision)
               ? sw_scene_printf(scene, "%s %s", word, sw_planner_action_mark(sw_decision_action(decision)))
               : word;
}

static void list_name(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel,
                      enum sw_style style, const struct sw_decision *decision) {
    enum { TOLD_NAME = 24 };
    const char *word = called_words(scene, decision), *name = decision_name(in, decision);
    const char *more = telling_words(in, scene, decision, tier_of_row(in, decision));
    if (*more) {
        const char *brief = !name                         ? ""
                            : decision->buffer == SW_NONE ? name
                                                          : sw_view_buffer_name(in, scene, decision->buffer, TOLD_NAME);
        bool cost = *more == ':';
        sw_panel_name(scene, panel, style, cost && !name ? sw_scene_printf(scene, "%s:", word) : word,
                      sw_scene_printf(scene, "%s%s", brief, name ? more : more + 1 + cost));
    } else if (!name) {
        sw_panel_cell(scene, panel, style, false, word);
    } else {
        sw_panel_name(scene, panel, style, word, name);
    }
}

/* Which columns the list has. Of a planner that minimizes E narrow lists have neither size nor peak. */
struct list_columns {
    bool priced, sizes;
};
static struct list_columns columns_of_list(const struct sw_view_input *in, const struct sw_panel *panel) {
    enum { NARROW_LIST = 56, NARROW_WITH_WORDS = 72 };
    bool priced = sw_view_goal_is_cost(in);
    return (struct list_columns){priced && !tells_actions(in),
                                 !priced || sw_view_room(in, panel->width) >=
                                                (unsigned)(tells_actions(in) ? NARROW_WITH_WORDS : NARROW_LIST)};
}

static void list_row(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel,
                     struct list_columns has, uint64_t step) {
    const struct sw_decision *decision = sw_search_journal(in->run.search, step);
    if (!decision) {
        return;
    }
    uint64_t size = decision_bytes(in, decision);
    bool raises = sw_search_raised(in->run.search, step) > 0;
    bool now = step == sw_search_at(in->run.search), later = step > sw_search_at(in->run.search);
    enum sw_style style = now ? SW_STYLE_CURRENT : later ? SW_STYLE_DIM : SW_STYLE_TEXT;
    sw_panel_row(scene, panel, (struct sw_item){SW_ITEM_DECISION, step}, now);
    sw_panel_cell(scene, panel, style, true, sw_scene_printf(scene, "%s", SW_COUNT(step)));
    list_name(in, scene, panel, style, decision);
    if (has.sizes) {
        sw_panel_cell(scene, panel, style, true, size ? sw_scene_bytes(scene, size) : "");
    }
    const char *tier = says_where(in, decision) ? "" : tier_of_row(in, decision);
    sw_panel_cell(scene, panel, style, true, offset_of(in, scene, decision, tier));
    if (has.priced) {
        bool known = !isnan(decision->cost);
        sw_panel_cell(scene, panel, style, true, known ? sw_scene_printf(scene, "%.6g", decision->cost) : "");
    }
    bool none = decision->peak == 0 && decision->buffer == SW_NONE; /* nothing has a place, and this is about none */
    if (has.sizes) {
        sw_panel_cell(scene, panel, raises ? SW_STYLE_PEAK : style, true,
                      none ? "" : sw_scene_bytes(scene, decision->peak));
    }
}

static void list_heads(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel,
                       struct list_columns has) {
    const char *size = sw_search_planner(in->run.search)->reorders ? "bytes" : "size";
    const char *const heads[] = {
        "", "decision", has.sizes ? size : NULL, "offset", has.priced ? "E" : NULL, has.sizes ? "peak" : NULL};
    sw_panel_row(scene, panel, SW_NO_ITEM, false);
    for (int i = 0; i < 6; i++) {
        if (heads[i]) {
            sw_panel_cell(scene, panel, SW_STYLE_DIM, i != 1, heads[i]);
        }
    }
    panel->columns = 3u + has.priced + (has.sizes ? 2u : 0u);
    panel->stretch = 1;
}

/* A column in which no row has anything needs no head. */
static void drop_empty_heads(struct sw_scene *scene, struct sw_panel *panel) {
    for (uint32_t c = 2; !scene->failed && c < panel->columns; c++) {
        bool empty = true;
        for (size_t r = 1; r < panel->rows.count && empty; r++) {
            const struct sw_row *row = &panel->rows.items[r];
            empty = c >= row->count || !*panel->texts.items[row->first + c].text;
        }
        if (empty && panel->rows.count > 1) {
            panel->texts.items[panel->rows.items[0].first + c].text = "";
        }
    }
}

/* Below another pane the list stays where it is. */
static int32_t scroll_of(const struct sw_view_input *in) {
    return in->look.side == &sw_view_decisions ? in->look.scroll : 0;
}

static void draw_list(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel,
                      struct list_columns has, uint64_t rows) {
    uint64_t known = sw_search_known(in->run.search), at = sw_search_at(in->run.search);
    uint64_t room = rows > 1 ? rows - 1 : 1;
    uint64_t first = 1 + sw_view_first(panel, scroll_of(in), at > room / 2 ? at - room / 2 - 1 : 0, known, room);
    for (uint64_t step = first; step <= known && step < first + room && !scene->failed; step++) {
        list_row(in, scene, panel, has, step);
    }
}

/* So many are looked at on either side of the present one, for a frame must not take long. */
enum { MOST_LOOKED_AT = 300000 };

static bool is_kept_decision(const struct sw_view_input *in, uint64_t step) {
    return in->look.keeps(in->look.keeps_context, sw_search_journal(in->run.search, step));
}

/* The nearest ones that are kept, on either side of the present decision, with it among them. */
static void draw_kept(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel,
                      struct list_columns has, uint64_t rows) {
    uint64_t known = sw_search_known(in->run.search), at = sw_search_at(in->run.search);
    uint64_t room = rows > 1 ? rows - 1 : 1, before = 0, after = 0;
    uint64_t low = at > MOST_LOOKED_AT ? at - MOST_LOOKED_AT : 0;
    uint64_t high = known - at > MOST_LOOKED_AT ? at + MOST_LOOKED_AT : known;
    for (uint64_t step = low + 1; step <= high; step++) {
        bool kept = is_kept_decision(in, step);
        before += kept && step <= at;
        after += kept && step > at;
    }
    uint64_t count = before + after, back = room - room / 3; /* rows up to the present one */
    uint64_t first = sw_view_first(panel, scroll_of(in), before > back ? before - back : 0, count, room);
    uint64_t passed = 0, shown = 0;
    for (uint64_t step = low + 1; step <= high && shown < room && !scene->failed; step++) {
        if (is_kept_decision(in, step) && passed++ >= first) {
            list_row(in, scene, panel, has, step);
            shown++;
        }
    }
    if (count == 0) {
        sw_panel_row(scene, panel, SW_NO_ITEM, false);
        sw_panel_cell(scene, panel, SW_STYLE_DIM, false, "none is like that so far");
    }
    bool whole = low == 0 && high == known;
    panel->title =
        sw_scene_printf(scene, "decisions: %s, %s%s", SW_COUNT(count), in->look.keeps_words,
                        whole ? "" : sw_scene_printf(scene, ", of the %s nearest", SW_COUNT(MOST_LOOKED_AT)));
}

enum { STRIP_DECISIONS = 32 };

/* Names of the decisions that the strip may show, and how long they may be in it. */
struct strip_names {
    const char *items[STRIP_DECISIONS + 2];
    struct sw_short all;
    unsigned width;
};

static void strip_names(const struct sw_view_input *in, unsigned room, struct strip_names *names) {
    uint64_t at = sw_search_at(in->run.search), known = sw_search_known(in->run.search);
    uint64_t from = at > STRIP_DECISIONS / 2 ? at - STRIP_DECISIONS / 2 : 1;
    names->width = room / 3 > 12 ? room / 3 : 12;
    names->all = (struct sw_short){.items = names->items};
    for (uint64_t step = from; step <= known && step <= from + STRIP_DECISIONS; step++) {
        const char *name = decision_name(in, sw_search_journal(in->run.search, step));
        if (name) {
            names->items[names->all.count++] = name;
        }
    }
    sw_short_open(&names->all);
}

static const char *strip_text(const struct sw_view_input *in, struct sw_scene *scene, const struct strip_names *names,
                              uint64_t step) {
    const struct sw_decision *decision = sw_search_journal(in->run.search, step);
    const char *name = decision_name(in, decision);
    char brief[1024] = "";
    if (!decision) {
        return "";
    }
    const char *offset = offset_of(in, scene, decision, tier_of_row(in, decision));
    if (name && sw_view_columns(name) > names->width) {
        sw_short_name(&names->all, name, names->width, brief, sizeof brief);
    } else if (name) {
        snprintf(brief, sizeof brief, "%s", name);
    }
    const char *more = telling_words(in, scene, decision, offset);
    bool placed = says_where(in, decision);
    return sw_scene_printf(scene, "%s %s%s%s%s%s%s", SW_COUNT(step), called_words(scene, decision), *brief ? " " : "",
                           brief, more, *offset && !placed ? " " : "", placed ? "" : offset);
}

/* One before, the present one, and as many after as fit; more before at the end of the run. */
static void draw_strip(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel, unsigned room) {
    uint64_t known = sw_search_known(in->run.search), at = sw_search_at(in->run.search);
    uint64_t low = at ? at : 1, high = low; /* [low, high) */
    const char *texts[2 * STRIP_DECISIONS];
    uint32_t from = STRIP_DECISIONS, to = STRIP_DECISIONS;
    unsigned used = 0;
    struct strip_names names;
    strip_names(in, room, &names);
    sw_panel_row(scene, panel, (struct sw_item){SW_ITEM_DECISION, at}, false);
    if (at == 0) {
        used = 14;
        texts[--from] = "nothing so far";
    }
    for (int turn = 0; turn < STRIP_DECISIONS && !scene->failed; turn++) {
        bool back = low > 1 && at && (turn == 1 || high > known);
        if ((!back && high > known) || from == 0 || to == 2 * STRIP_DECISIONS) {
            break;
        }
        const char *text = strip_text(in, scene, &names, back ? low - 1 : high);
        unsigned wanted = (unsigned)sw_view_columns(text) + 4;
        if (used + wanted > room && turn > 0) {
            break;
        }
        used += wanted;
        if (back) {
            texts[--from] = text;
            low--;
        } else {
            texts[to++] = text;
            high++;
        }
    }
    uint64_t step = low;
    for (uint32_t i = from; i < to; i++) {
        bool none = at == 0 && i == from;
        bool now = !none && step == at;
        enum sw_style style = now || none ? SW_STYLE_CURRENT : step > at ? SW_STYLE_DIM : SW_STYLE_TEXT;
        sw_panel_cell(scene, panel, style, false, sw_scene_printf(scene, "%s%s  ", now ? ">" : " ", texts[i]));
        step += !none;
    }
}

void sw_view_build_decisions(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box,
                             unsigned edges) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, "decisions");
    sw_panel_put(panel, box);
    panel->edges = edges;
    double unit = sw_medium(in)->row;
    uint64_t rows = (uint64_t)(box.height / unit);
    if (rows >= 3) {
        panel->title = "decisions";
        panel->margin = true;
        struct list_columns has = columns_of_list(in, panel);
        list_heads(in, scene, panel, has);
        if (in->look.keeps) {
            draw_kept(in, scene, panel, has, rows - 1);
        } else {
            draw_list(in, scene, panel, has, rows - 1);
        }
        drop_empty_heads(scene, panel);
    } else {
        draw_strip(in, scene, panel, sw_view_room(in, box.width));
    }
}

static void decisions_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    sw_view_build_decisions(in, scene, box, 0);
}

const struct sw_view sw_view_decisions = {
    .name = "decisions",
    .summary = "the list of decisions around the present one",
    .scrolls = SW_SCROLLS_LIST,
    .build = decisions_build,
};
