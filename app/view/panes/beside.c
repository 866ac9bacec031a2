/* Two to four runs side by side: a map and a curve each, the same window, and below them what sets
 * them apart. */
#include "view/facts.h"
#include "base/base.h"
#include "search/apart/setting_apart.h"
#include "view/scene/lines.h"

enum { LEAST_COLUMN = 26, ROOMY_WIDTH = 110 };

static const struct sw_lines_head beside_heads[] = {
    {"", true}, {"run", false},     {"decision", true}, {"peak", true},      {"bound", true},
    {"", true}, {"the same", true}, {"moved", true},    {"only here", true}, {"first elsewhere", false}};
enum { BESIDE_COLUMNS = sizeof beside_heads / sizeof *beside_heads };

/* What the run shows in its own bar: its name and its figures. */
static void head(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_beside_run *run,
                 struct sw_box box) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, "run");
    enum sw_style style = run->current ? SW_STYLE_HEADER : SW_STYLE_FOOTER;
    struct sw_metrics metrics;
    char peak[24];
    sw_metrics_of(sw_search_layout(run->search), &metrics);
    const char *peaks =
        metrics.single_tier
            ? sw_show_bytes(metrics.peak, peak)
            : sw_scene_printf(scene, "%s %s", sw_problem_tier(sw_search_problem(run->search), in->look.tier)->name,
                              sw_show_bytes(metrics.tier_peak[in->look.tier], peak));
    sw_panel_put(panel, box);
    panel->fill = (uint8_t)style;
    panel->stretch = 0;
    panel->columns = 2;
    sw_panel_row(scene, panel, (struct sw_item){SW_ITEM_BRANCH, run->branch}, false);
    sw_panel_cell(scene, panel, style, false,
                  sw_scene_printf(scene, "%s%u %s", run->current ? ">" : " ", run->branch, run->what));
    sw_panel_cell(scene, panel, style, true,
                  sw_scene_printf(scene, "%s%s  %s %s", SW_COUNT(sw_search_at(run->search)), run->behind ? "..." : "",
                                  peaks,
                                  metrics.single_tier && metrics.comparable ? SW_PERCENT(metrics.over_bound, true)
                                                                            : sw_view_below(scene, run->search, true)));
}

static void add_run_column(const struct sw_view_input *in, struct sw_scene *scene, uint32_t i, struct sw_box box) {
    struct sw_view_input own = *in;
    const struct sw_beside_run *run = &in->run.beside.runs[i];
    double live = box.height >= 24 ? 5 : box.height >= 14 ? 4 : 0;
    own.run.search = run->search;
    own.run.explanation = run->current ? in->run.explanation : NULL;
    own.look.candidate = run->current ? in->look.candidate : SW_NONE;
    /* The first run is shown by what differs from the second. */
    own.run.against = in->run.beside.diff ? in->run.beside.runs[i ? 0 : 1].search : NULL;
    head(in, scene, run, sw_box_take(&box, 1));
    sw_view_build_map(&own, scene, sw_box_take(&box, box.height - live), true);
    if (live > 0) {
        sw_view_build_live(&own, scene, box, false);
    }
}

/* A block that lies elsewhere, and the decision of the first run about it; 0: none is known. */
struct elsewhere {
    uint32_t buffer;
    uint64_t decision;
};

static bool is_moved(const struct sw_layout *mine, const struct sw_layout *other, uint32_t buffer) {
    struct sw_placement place;
    return sw_layout_difference(mine, other, buffer) == SW_DIFFERENCE_MOVED &&
           sw_layout_placement(other, buffer, 0, &place) && sw_layout_placement(mine, buffer, 0, &place);
}

/* The first block, in the order of the first run, that lies elsewhere in the other: orders may
 * differ without any consequence. Decisions about whole layouts place no single block: then by birth. */
static struct elsewhere find_elsewhere(const struct sw_beside_run *run, const struct sw_beside_run *first) {
    enum { DECISIONS_COMPARED = 100000 };
    const struct sw_layout *mine = sw_search_layout(run->search);
    const struct sw_layout *other = sw_search_layout(first->search);
    const struct sw_problem *problem = sw_search_problem(first->search);
    uint64_t end = sw_search_at(first->search);
    end = SW_MIN(end, DECISIONS_COMPARED);
    for (uint64_t i = 1; i <= end && run->differences.moved; i++) {
        const struct sw_decision *decision = sw_search_journal(first->search, i);
        if (decision->buffer != SW_NONE && decision->tier != SW_NONE && is_moved(mine, other, decision->buffer)) {
            return (struct elsewhere){decision->buffer, i};
        }
    }
    uint32_t planned = sw_problem_planned_count(problem);
    for (uint32_t i = 0; i < planned && run->differences.moved; i++) {
        uint32_t b = sw_problem_order(problem)[i];
        if (is_moved(mine, other, b)) {
            return (struct elsewhere){b, 0};
        }
    }
    return (struct elsewhere){SW_NONE, 0};
}

static void add_run_row(struct sw_lines *lines, const struct sw_beside_run *run, const struct sw_beside_run *lead) {
    bool first = run == lead;
    struct sw_scene *scene = lines->scene;
    struct sw_metrics metrics;
    sw_metrics_of(sw_search_layout(run->search), &metrics);
    sw_lines_row(lines, (struct sw_item){SW_ITEM_BRANCH, run->branch}, run->current);
    enum sw_style style = run->current ? SW_STYLE_STRONG : SW_STYLE_TEXT;
    bool end = sw_view_at_end(run->search);
    sw_lines_cellf(lines, style, true, "%u", run->branch);
    sw_lines_cell(lines, style, false, run->what);
    sw_lines_cellf(lines, style, true, "%s%s", SW_COUNT(sw_search_at(run->search)),
                   end           ? ", end"
                   : run->behind ? " ..."
                                 : "");
    sw_lines_cell(lines, style, true,
                  metrics.single_tier ? sw_view_bytes(lines->in, scene, metrics.peak)
                                      : sw_lines_tiers(lines, sw_search_problem(run->search), metrics.tier_peak, NULL));
    sw_lines_cell(lines, style, true, metrics.single_tier ? sw_view_bytes(lines->in, scene, metrics.lower_bound) : "-");
    sw_lines_cell(lines, style, true,
                  metrics.comparable && metrics.single_tier
                      ? sw_scene_printf(scene, "%s", SW_PERCENT(metrics.over_bound, true))
                      : sw_view_below(scene, run->search, true));
    const uint64_t counts[] = {run->differences.same, run->differences.moved, run->differences.here};
    for (size_t i = 0; i < 3; i++) {
        sw_lines_cell(lines, style, true, first ? "" : sw_scene_printf(scene, "%s", SW_COUNT(counts[i])));
    }
    struct elsewhere parts = first ? (struct elsewhere){SW_NONE, 0} : find_elsewhere(run, lead);
    if (parts.buffer != SW_NONE) {
        sw_lines_name(lines, style, sw_problem_buffer(lines->problem, parts.buffer)->name);
    } else {
        sw_lines_cell(lines, SW_STYLE_DIM, false, first ? "" : "none");
    }
}

/* ---- why they part ---- */

/* Columns of a terminal, at most: characters of some scripts take two. */
static unsigned shown_columns(const char *text) {
    unsigned columns = 0;
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        columns += (byte & 0xc0) != 0x80; /* the first byte of a character, */
        columns += byte >= 0xe0;          /* which has three bytes or more */
    }
    return columns;
}

/* The first line of the text that takes no more columns than that. */
static const char *narrow_line(struct sw_scene *scene, const char **text, unsigned room) {
    for (unsigned most = room;; most--) {
        const char *rest = *text, *line = sw_view_line(scene, &rest, most);
        if (shown_columns(line) <= room || most <= room / 2) {
            *text = rest;
            return line;
        }
    }
}

/* Text over all columns. Names of blocks may be of any script. */
static void tell(struct sw_lines *lines, enum sw_style style, const char *text) {
    while (*text && !lines->scene->failed) {
        sw_lines_row(lines, SW_NO_ITEM, false);
        sw_lines_cell(lines, style, false, narrow_line(lines->scene, &text, lines->room));
    }
}

static void add_parting(struct sw_lines *lines, const struct sw_beside_run *run, const struct sw_beside_run *first) {
    struct sw_scene *scene = lines->scene;
    const struct sw_apart_parting *parting = run->apart ? sw_apart_parting(run->apart) : NULL;
    const char *pair =
        lines->in->run.beside.count > 2 ? sw_scene_printf(scene, "Runs %u and %u: ", first->branch, run->branch) : "";
    if (!parting || !parting->known) {
        tell(lines, SW_STYLE_DIM,
             run->given_up ? sw_scene_printf(scene, "%swhere they part was not found out: %s.", pair,
                                             sw_scene_clean(scene, run->given_up))
                           : sw_scene_printf(scene, "%swhere they part is being found out ...", pair));
        return;
    }
    char text[2][32];
    const char *at =
        parting->kind == SW_APART_NOT ? ""
        : parting->step[0] == parting->step[1]
            ? sw_scene_printf(scene, "They part in decision %s. ", sw_show_count(parting->step[0], text[0]))
        : parting->kind == SW_APART_END
            ? sw_scene_printf(scene, "They part after %s. ", sw_scene_counted(scene, parting->agreed, "decision"))
            : sw_scene_printf(scene, "They part in decision %s of run %u, %s of run %u. ",
                              sw_show_count(parting->step[0], text[0]), first->branch,
                              sw_show_count(parting->step[1], text[1]), run->branch);
    tell(lines, SW_STYLE_TEXT, sw_scene_printf(scene, "%s%s%s", pair, at, sw_scene_clean(scene, run->why)));
}

/* ---- what costs the peak ---- */

/* "; 2 could not be pinned there, or the run did not end; 5 not tried" */
static const char *not_tried(struct sw_scene *scene, const struct sw_apart_cost *cost, bool open) {
    const char *refused =
        cost->refused
            ? sw_scene_printf(scene, "; %s could not be pinned there, or the run did not end", SW_COUNT(cost->refused))
            : "";
    return open && cost->open
               ? sw_scene_printf(scene, "%s; %s not tried for lack of work allowed", refused, SW_COUNT(cost->open))
               : refused;
}

/* What a question is about: "the peak", "the peak in sram", "E". */
static const char *costs_what(const struct sw_lines *lines, const struct sw_apart_cost *cost) {
    return cost->priced ? "E"
           : cost->memory == SW_NONE
               ? "the peak"
               : sw_scene_printf(lines->scene, "the peak in %s", sw_problem_tier(lines->problem, cost->memory)->name);
}

/* How much a plan needs, or how much more: bytes, or E. */
static const char *costs_figure(struct sw_lines *lines, const struct sw_apart_cost *cost, uint64_t bytes,
                                double price) {
    return cost->priced ? sw_scene_printf(lines->scene, "%s", SW_NUMBER(price)) : sw_lines_bytes(lines, bytes);
}

/* "; dram then has 120 B and not 60 B": of the other memories. */
static const char *other_memories(struct sw_lines *lines, const struct sw_apart_cost *cost) {
    const char *text = "";
    for (uint32_t t = 0; t < sw_problem_tier_count(lines->problem); t++) {
        if (t != cost->memory && (cost->priced || cost->memory != SW_NONE) && cost->peaks[0][t] != cost->peaks[1][t]) {
            text = sw_scene_printf(lines->scene, "%s; the peak in %s is then %s and not %s", text,
                                   sw_problem_tier(lines->problem, t)->name, sw_lines_bytes(lines, cost->peaks[1][t]),
                                   sw_lines_bytes(lines, cost->peaks[0][t]));
        }
    }
    return text;
}

static void add_one_block(struct sw_lines *lines, const struct sw_apart_cost *cost, const char *const *names) {
    struct sw_scene *scene = lines->scene;
    unsigned which = cost->which;
    const char *tier = sw_problem_tier_count(lines->problem) > 1
                           ? sw_scene_printf(scene, " in %s", sw_problem_tier(lines->problem, cost->tier)->name)
                           : "";
    uint64_t before = cost->tried - 1, peak = cost->peak[which], other = cost->peak[!which];
    double price = cost->price[which], other_price = cost->price[!which];
    bool partly = cost->priced ? cost->price_then > other_price : cost->then > other;
    const char *part = partly ? sw_scene_printf(scene, ", %s of the %s between them",
                                                costs_figure(lines, cost, peak - cost->then, price - cost->price_then),
                                                costs_figure(lines, cost, peak - other, price - other_price))
                              : "";
    const char *useless =
        before ? sw_scene_printf(scene, "; of the blocks that lie elsewhere, %s before it in that run %s not help",
                                 SW_COUNT(before), before == 1 ? "does" : "do")
               : "";
    tell(lines, SW_STYLE_PEAK,
         sw_scene_printf(scene,
                         "What costs %s: %s. With it at %s%s, as in %s, %s %s %s and not %s%s%s. Tried by a pin "
                         "before decision %s%s%s.",
                         costs_what(lines, cost), sw_lines_buffer(lines, cost->buffer),
                         SW_COUNT(cost->offset + lines->in->run.base), tier, names[!which], names[which],
                         cost->priced ? "costs" : "needs", costs_figure(lines, cost, cost->then, cost->price_then),
                         costs_figure(lines, cost, peak, price), part, other_memories(lines, cost),
                         SW_COUNT(cost->from + 1), useless, not_tried(scene, cost, false)));
}

static void answer_question(struct sw_lines *lines, const struct sw_beside_run *run, const struct sw_apart_cost *cost) {
    const char *const *names = run->names, *name = names[cost->which], *what = costs_what(lines, cost);
    if (run->given_up && cost->kind == SW_APART_COST_UNKNOWN) {
        tell(lines, SW_STYLE_DIM,
             sw_scene_printf(lines->scene, "Which difference costs %s was not found out: %s.", what,
                             sw_scene_clean(lines->scene, run->given_up)));
        return;
    }
    switch (cost->kind) {
    case SW_APART_COST_UNKNOWN:
        sw_lines_textf(lines, SW_STYLE_DIM, "Which difference costs %s is being found out%s ...", what,
                       cost->elsewhere
                           ? sw_scene_printf(lines->scene, ": %s of %s tried", SW_COUNT(cost->tried + cost->refused),
                                             sw_scene_counted(lines->scene, cost->elsewhere, "block"))
                           : "");
        return;
    case SW_APART_COST_NO_END:
        sw_lines_textf(lines, SW_STYLE_DIM,
                       "What costs the peak is not known: %s does not come to its end within the work allowed.", name);
        return;
    case SW_APART_COST_NO_PLAN:
        sw_lines_textf(lines, SW_STYLE_WARNING, "%s ends without a layout: there is no peak to compare.", name);
        return;
    case SW_APART_COST_OTHERS:
        sw_lines_text(lines, SW_STYLE_DIM,
                      "There is no peak to compare: the plans are of different models, or one gives no addresses.");
        return;
    case SW_APART_COST_SAME:
        sw_lines_textf(lines, SW_STYLE_TEXT, "Both end with a peak of %s.",
                       sw_problem_tier_count(lines->problem) == 1
                           ? sw_lines_bytes(lines, cost->peak[0])
                           : sw_lines_tiers(lines, lines->problem, cost->peaks[0], NULL));
        return;
    case SW_APART_COST_ONE:
        add_one_block(lines, cost, names);
        return;
    case SW_APART_COST_NONE_DOES:
        if (cost->tried == 0 && cost->refused + cost->open > 0) {
            tell(lines, SW_STYLE_TEXT,
                 sw_scene_printf(lines->scene,
                                 "What costs %s is not known: of %s that %s elsewhere, none was pinned where %s "
                                 "has it and %s then run to its end%s.",
                                 what, sw_scene_counted(lines->scene, cost->elsewhere, "block"),
                                 cost->elsewhere == 1 ? "lies" : "lie", names[!cost->which], name,
                                 not_tried(lines->scene, cost, true)));
            return;
        }
        sw_lines_textf(
            lines, SW_STYLE_PEAK,
            "No block alone costs %s: %s of %s that lie elsewhere were pinned where %s has them, one at a "
            "time, and %s never %s less than %s%s.%s",
            what, SW_COUNT(cost->tried), SW_COUNT(cost->elsewhere), names[!cost->which], name,
            cost->priced ? "cost" : "needed",
            costs_figure(lines, cost, cost->peak[cost->which], cost->price[cost->which]),
            not_tried(lines->scene, cost, true),
            sw_medium(lines->in)->still
                ? ""
                : sw_scene_printf(lines->scene, " In %s, :suggest tries pairs of pins and other moves.", name));
        return;
    }
}

/* ---- both decisions ---- */

enum { MOST_HALF_CANDIDATES = 40 };

/* Lines of half the width, one list for each run. */
struct half_lines {
    SW_ARRAY(const char *) list;
};

static void add_half(struct sw_lines *lines, struct half_lines *half, unsigned room, const char *indent,
                     const char *text) {
    const char *before = "";
    while (*text && !lines->scene->failed) {
        const char *line = narrow_line(lines->scene, &text, room - (unsigned)strlen(before));
        if (!SW_PUSH(&half->list, sw_scene_printf(lines->scene, "%s%s", before, line))) {
            lines->scene->failed = true;
        }
        before = indent;
    }
}

static void add_half_candidate(struct sw_lines *lines, struct half_lines *half, unsigned room,
                               const struct sw_problem *problem, const struct sw_candidate *candidate) {
    struct sw_scene *scene = lines->scene;
    bool chosen = candidate->verdict == SW_VERDICT_CHOSEN;
    bool place = !candidate->runs && !candidate->changes && candidate->tier < sw_problem_tier_count(problem);
    const char *words = sw_candidate_words(candidate), *verdict = sw_verdict_word(candidate->verdict);
    const char *at =
        place
            ? sw_scene_printf(
                  scene,
                  "%s%s%s: ", sw_problem_tier_count(problem) > 1 ? sw_problem_tier(problem, candidate->tier)->name : "",
                  sw_problem_tier_count(problem) > 1 ? "+" : "", SW_COUNT(candidate->offset + lines->in->run.base))
            : "";
    bool said = strncmp(words, verdict, strlen(verdict)) == 0;
    add_half(lines, half, room, "  ",
             sw_scene_printf(scene, "%s %s%s%s%s", chosen ? "*" : " ", at, said ? "" : verdict,
                             said || !*words ? "" : ", ", sw_scene_clean(scene, words)));
}

static void fill_half(struct sw_lines *lines, struct half_lines *half, unsigned room, const struct sw_apart *apart,
                      unsigned i, const char *name) {
    const struct sw_apart_parting *parting = sw_apart_parting(apart);
    struct sw_scene *scene = lines->scene;
    if (parting->step[i] == 0) {
        add_half(lines, half, room, "", sw_scene_printf(scene, "%s is over.", name));
        return;
    }
    const struct sw_explanation *why = &parting->why[i];
    char text[SW_MESSAGE];
    struct sw_decision addressed = why->decision;
    addressed.offset += addressed.tier != SW_NONE ? lines->in->run.base : 0;
    sw_decision_describe(parting->problem[i], &addressed, text, sizeof text);
    add_half(lines, half, room, "", sw_scene_printf(scene, "%s, decision %s:", name, SW_COUNT(parting->step[i])));
    add_half(lines, half, room, "",
             sw_view_shorter(lines->in, scene, sw_scene_clean(scene, text), why->decision.buffer, room));
    for (size_t k = 0; k < why->candidates.count && k < MOST_HALF_CANDIDATES; k++) {
        add_half_candidate(lines, half, room, parting->problem[i], &why->candidates.items[k]);
    }
    if (why->candidates.count > MOST_HALF_CANDIDATES) {
        add_half(
            lines, half, room, "",
            sw_scene_printf(scene, "and %s more candidates", SW_COUNT(why->candidates.count - MOST_HALF_CANDIDATES)));
    }
}

/* The left half of a row, filled with blanks up to the right one. */
static const char *fill_left(struct sw_scene *scene, const char *text, unsigned width) {
    unsigned columns = shown_columns(text);
    return sw_scene_printf(scene, "%s%*s", text, columns < width ? (int)(width - columns) : 0, "");
}

static void add_both_decisions(struct sw_lines *lines, const struct sw_apart *apart, const char *const names[2]) {
    const struct sw_apart_parting *parting = sw_apart_parting(apart);
    struct half_lines half[2] = {0};
    bool paper = sw_medium(lines->in)->still; /* where characters have widths of their own: one below the other */
    unsigned room = paper ? lines->room : lines->room / 2 - 1;
    if (parting->kind == SW_APART_NOT) {
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        fill_half(lines, &half[i], room, apart, i, names[i]);
    }
    for (unsigned i = 0; i < 2 && paper; i++) {
        for (size_t k = 0; k < half[i].list.count; k++) {
            sw_lines_row(lines, SW_NO_ITEM, false);
            sw_lines_cell(lines, SW_STYLE_TEXT, false, half[i].list.items[k]);
        }
    }
    for (size_t k = 0; !paper && (k < half[0].list.count || k < half[1].list.count) && !lines->scene->failed; k++) {
        const char *left = k < half[0].list.count ? half[0].list.items[k] : "";
        const char *right = k < half[1].list.count ? half[1].list.items[k] : "";
        sw_lines_row(lines, SW_NO_ITEM, false);
        sw_lines_cell(lines, SW_STYLE_TEXT, false,
                      sw_scene_printf(lines->scene, "%s  %s", fill_left(lines->scene, left, room), right));
    }
    SW_ARRAY_DONE(&half[0].list, &half[1].list);
}

/* Two runs may be of one planner: then they are told apart by their numbers. */
static void add_run_pair(struct sw_lines *lines, const struct sw_beside_run *run, const struct sw_beside_run *first) {
    add_parting(lines, run, first);
    if (!run->apart || !sw_apart_parting(run->apart)->known) {
        return;
    }
    uint32_t count;
    const struct sw_apart_cost *costs = sw_apart_costs(run->apart, &count);
    for (uint32_t k = 0; k < count; k++) {
        answer_question(lines, run, &costs[k]);
    }
    sw_lines_blank(lines);
    add_both_decisions(lines, run->apart, run->names);
}

static void beside_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    uint32_t room = (uint32_t)(box.width / LEAST_COLUMN), count = in->run.beside.count;
    const char *maps =
        room < count ? sw_scene_printf(scene, "; maps of %u: more where it is wider", room ? room : 1) : "";
    const char *title = count > 1
                            ? sw_scene_printf(scene, "side by side, in step by %s%s%s", in->run.beside.sync, maps,
                                              in->run.beside.diff ? "; same blocks dim, ~ moved, + only here" : "")
                            : "side by side";
    /* Where there is room the figures stand next to the names. */
    uint32_t stretch = box.width >= ROOMY_WIDTH ? BESIDE_COLUMNS - 1 : 1;
    struct sw_lines lines = sw_lines_begin(in, scene, "beside", title, box, BESIDE_COLUMNS, stretch);
    lines.panel->edges = SW_EDGE_TOP;
    lines.panel->spare = 1u << 4 | 1u << 8; /* the bound, which is the same; what is only here */
    sw_lines_flow(&lines);
    if (count < 2) {
        sw_view_say_one_run(&lines);
        return;
    }
    sw_lines_head_row(&lines, beside_heads, BESIDE_COLUMNS);
    for (uint32_t i = 0; i < count; i++) {
        add_run_row(&lines, &in->run.beside.runs[i], &in->run.beside.runs[0]);
    }
    for (uint32_t i = 1; i < count; i++) {
        if (i > 1) {
            sw_lines_blank(&lines);
        }
        add_run_pair(&lines, &in->run.beside.runs[i], &in->run.beside.runs[0]);
    }
}

const struct sw_view sw_view_beside = {
    .name = "beside",
    .summary = "where the runs compared part, why, and what costs the peak",
    .scrolls = SW_SCROLLS_TEXT,
    .of_runs = true,
    .build = beside_build,
};

void sw_view_say_one_run(struct sw_lines *lines) {
    const char *key = sw_view_key(lines->in, lines->scene, "compare");
    sw_lines_textf(lines, SW_STYLE_DIM, "No runs are compared%s%s%s.", key ? "; " : "", key ? key : "",
                   key ? " compares this one with another" : "");
}

void sw_view_build_beside(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    uint32_t count = in->run.beside.count, room = (uint32_t)(box.width / LEAST_COLUMN);
    uint32_t shown = count < room ? count : room > 0 ? room : 1;
    double width = floor((box.width + 1) / shown); /* one column between */
    for (uint32_t i = 0; i < shown; i++) {
        add_run_column(in, scene, i, (struct sw_box){box.left + width * i, box.top, width - 1, box.height});
    }
}
