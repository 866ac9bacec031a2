/* Why the peak is where it is, and why the lower bound is: in sentences.
 *
 * For the peak: the decision that set it, the blocks that stand there, and the room that was free
 * below it all that time. For the bound: what is alive at the step that binds, what of it only
 * waits there, and what would lower it (blame_advice.c). */
#include "base/base.h"
#include "planners/planner.h"
#include "view/blame/blame.h"
#include "search/result/run_plan.h"

/* ---- the peak ---- */

bool sw_blame_room(struct sw_gaps *gaps, const struct sw_layout *layout, const struct sw_rules *rules, uint32_t buffer,
                   uint32_t tier, uint64_t top, struct sw_room *room) {
    uint64_t size = sw_problem_buffer(sw_layout_problem(layout), buffer)->size;
    *room = (struct sw_room){0};
    if (!sw_gaps_find(gaps, layout, rules, buffer, SW_WHOLE_LIFE, tier, top)) {
        return false;
    }
    for (size_t i = 0; i < gaps->gaps.count; i++) {
        const struct sw_gap *gap = &gaps->gaps.items[i];
        uint64_t hi = SW_MIN(gap->hi, top), hole = hi > gap->lo ? hi - gap->lo : 0;
        room->all += hole;
        room->largest = SW_MAX(hole, room->largest);
        if (!room->fits && gap->start <= hi && hi - gap->start >= size) {
            room->fits = true;
            room->place = gap->start;
        }
    }
    return true;
}

static const char *alive_words(const struct sw_lines *lines, const struct sw_buffer *buffer) {
    return sw_scene_printf(lines->scene, "alive %s", sw_lines_life(lines, buffer));
}

/* When it is alive. On several cores that is no reason to lie apart: there the fact that is one. */
static const char *why_apart(const struct sw_lines *lines, uint32_t buffer, uint32_t other) {
    if (sw_problem_core_count(lines->problem) == 1) {
        return alive_words(lines, sw_problem_buffer(lines->problem, other));
    }
    struct sw_witness witness = sw_problem_witness(lines->problem, buffer, other);
    char text[SW_WITNESS_TEXT];
    sw_witness_describe(lines->problem, &witness, 24, text, sizeof text);
    return sw_scene_printf(lines->scene, "%s", text);
}

/* At most so many of a list, the rest counted: what is said after it shall be in sight as well. */
static uint32_t most_listed(const struct sw_lines *lines) {
    size_t third = lines->rows / 3;
    return sw_medium(lines->in)->brief || third < 5 ? 5 : third > 40 ? 40 : (uint32_t)third;
}

/* Was the block placed only after that? */
static bool is_later(const struct sw_lines *lines, const struct sw_peak *peak, uint32_t buffer) {
    return sw_layout_made(lines->layout, buffer, 0) > peak->step;
}

/* The blocks that keep it up: below it, and alive when it is. */
static void list_blocks_below(struct sw_lines *lines, const struct sw_peak *peak) {
    struct sw_neighbors near = sw_problem_neighbors(lines->problem, peak->buffer);
    uint32_t found = 0;
    for (uint32_t b; (b = sw_neighbors_next(&near)) != SW_NONE;) {
        const struct sw_buffer *buffer = sw_problem_buffer(lines->problem, b);
        struct sw_placement place;
        if (!sw_layout_placement(lines->layout, b, 0, &place) || place.tier != peak->tier ||
            place.offset >= peak->offset || buffer->size == 0 ||
            sw_problem_conflict(lines->problem, peak->buffer, b) == SW_CONFLICT_NONE || found++ >= most_listed(lines)) {
            continue;
        }
        bool now = b == lines->in->look.selected;
        if (sw_lines_row(lines, (struct sw_item){SW_ITEM_BUFFER, b}, now)) {
            sw_panel_name(lines->scene, lines->panel, now ? SW_STYLE_SELECTED : SW_STYLE_TEXT, " ", buffer->name);
            sw_lines_cell(lines, SW_STYLE_TEXT, true, sw_lines_bytes(lines, buffer->size));
            sw_lines_cellf(lines, SW_STYLE_DIM, false, "at %s, %s%s",
                           sw_lines_bytes(lines, place.offset + lines->in->run.base), why_apart(lines, peak->buffer, b),
                           is_later(lines, peak, b) ? ", placed later" : "");
        }
    }
    if (found > most_listed(lines)) {
        sw_lines_textf(lines, SW_STYLE_DIM, "  and %u more", found - most_listed(lines));
    }
}

/* Why it cannot lie lower as everything else lies. */
static void say_no_lower(struct sw_lines *lines, const struct sw_buffer *buffer, const struct sw_room *room,
                         bool over) {
    const char *all = sw_lines_bytes(lines, room->all), *size = sw_lines_bytes(lines, buffer->size);
    if (room->largest >= buffer->size) {
        sw_lines_textf(lines, SW_STYLE_TEXT,
                       "Below it a hole of %s is free for all of its life, large enough, but "
                       "not at its alignment of %llu.",
                       sw_lines_bytes(lines, room->largest), (unsigned long long)buffer->alignment);
    } else if (room->all >= buffer->size) {
        sw_lines_textf(lines, SW_STYLE_PEAK,
                       "Below it %s are free for all of its life, enough, but in "
                       "pieces: the largest has %s. This is fragmentation.",
                       all, sw_lines_bytes(lines, room->largest));
    } else {
        sw_lines_textf(lines, SW_STYLE_TEXT, "Below it %s free for all of its life, and it needs %s%s.",
                       room->all ? sw_scene_printf(lines->scene, "only %s are", all) : "nothing is", size,
                       over ? ": it can lie lower only where something below it lies "
                              "elsewhere"
                            : "");
    }
}

/* What is free below the block, as things lie now. */
static void say_room(struct sw_lines *lines, const struct sw_peak *peak, bool over) {
    const struct sw_buffer *buffer = sw_problem_buffer(lines->problem, peak->buffer);
    const struct sw_rules *rules = sw_search_rules(lines->search);
    struct sw_gaps gaps = {0};
    struct sw_room lower, below;
    struct sw_pin pin;
    if (sw_rules_pin(lines->problem, rules, peak->buffer, &pin)) {
        sw_lines_text(lines, SW_STYLE_TEXT, "It is pinned there.");
    } else if (!sw_blame_room(&gaps, lines->layout, rules, peak->buffer, peak->tier, peak->offset + buffer->size - 1,
                              &lower) ||
               !sw_blame_room(&gaps, lines->layout, rules, peak->buffer, peak->tier, peak->offset, &below)) {
        lines->scene->failed = true;
    } else if (lower.fits) {
        sw_lines_textf(lines, SW_STYLE_FITS,
                       "As things lie now there is room for it lower, at %s: it could move "
                       "down.",
                       sw_lines_bytes(lines, lower.place + lines->in->run.base));
    } else {
        say_no_lower(lines, buffer, &below, over);
    }
    sw_gaps_done(&gaps);
}

/* "63K (64,512 B)": where a difference may be lost in rounding. */
static const char *exactly(const struct sw_lines *lines, uint64_t bytes) {
    const char *shown = sw_lines_bytes(lines, bytes), *exact = sw_scene_printf(lines->scene, "%s B", SW_COUNT(bytes));
    return bytes < 1024 || strcmp(shown, exact) == 0 ? shown : sw_scene_printf(lines->scene, "%s (%s)", shown, exact);
}

/* What the decision did, which may have been about another block, or about many. `over`: the peak is above the bound.
 */
static void blame_block(struct sw_lines *lines, const struct sw_peak *peak, bool over, const char *it) {
    const struct sw_decision *decision = sw_search_journal(lines->search, peak->step);
    const struct sw_buffer *buffer = sw_problem_buffer(lines->problem, peak->buffer);
    char reason[SW_REASON];
    uint64_t end = peak->offset + buffer->size; /* below the peak where the planner rounds the arena up */
    uint64_t unused = sw_layout_arena(lines->layout, peak->tier) -
                      sw_layout_tier_peak(lines->layout, peak->tier); /* filled from its far end */
    const char *ends = "there";
    if (unused > 0) {
        ends = sw_scene_printf(lines->scene, "at %s; %s beside it that no block ever uses do not count",
                               exactly(lines, end + lines->in->run.base), exactly(lines, unused));
    } else if (end < peak->bytes) {
        ends = sw_scene_printf(lines->scene, "at %s, and the arena %s above", exactly(lines, end + lines->in->run.base),
                               exactly(lines, peak->bytes - end));
    }
    sw_lines_textf(lines, SW_STYLE_TEXT, "Decision %s set %s: %s (%s) went to %s and ends %s.", SW_COUNT(peak->step),
                   it, sw_lines_buffer(lines, peak->buffer), sw_lines_bytes(lines, buffer->size),
                   sw_lines_bytes(lines, peak->offset + lines->in->run.base), ends);
    if (decision && decision->buffer == peak->buffer && decision->reason && *decision->reason) {
        sw_lines_textf(lines, SW_STYLE_DIM, "Why there: %s.", sw_decision_reason(decision, reason));
    } else if (decision) {
        char sentence[SW_MESSAGE];
        sw_decision_describe(lines->problem, decision, sentence, sizeof sentence);
        sw_lines_textf(lines, SW_STYLE_DIM, "That decision %s.", sentence);
    }
    if (peak->offset == 0) {
        sw_lines_text(lines, SW_STYLE_TEXT, "It lies at the bottom: no place is lower.");
    } else if (unused == 0) { /* else the address is no cost */
        say_room(lines, peak, over);
    }
    list_blocks_below(lines, peak);
}

/* A pin moves a block without a decision, and a moment has what it has. */
static void blame_no_decision(struct sw_lines *lines, const struct sw_peak *peak, const char *it) {
    struct sw_pin pin;
    if (sw_problem_goes_on(lines->problem)) {
        sw_lines_textf(lines, SW_STYLE_TEXT, "No decision set %s: the moment already had as much reserved.", it);
        return;
    }
    uint32_t b = peak->buffer;
    bool pinned = b != SW_NONE && sw_rules_pin(lines->problem, sw_search_rules(lines->search), b, &pin);
    sw_lines_text(lines, SW_STYLE_TEXT,
                  b == SW_NONE ? sw_scene_printf(lines->scene, "No decision set %s.", it)
                               : sw_scene_printf(lines->scene, "No decision set %s: %s ends there, %s.", it,
                                                 sw_view_buffer_name(lines->in, lines->scene, b, 24),
                                                 pinned ? "where it was pinned by hand" : "moved there by hand"));
}

/* The layout on view is one that was given up: said before its figures are. */
static void say_trial(struct sw_lines *lines) {
    uint64_t plan = 0;
    const char *trial = sw_view_trial(lines->in, lines->scene, &plan);
    if (*trial) {
        const char *key = sw_view_key(lines->in, lines->scene, "goto-peak");
        sw_lines_textf(lines, SW_STYLE_WARNING,
                       "On view is %s, which was given up; the plan has a peak of %s%s%s. Of this trial:", trial,
                       sw_lines_bytes(lines, plan), key ? " (" : "",
                       key ? sw_scene_printf(lines->scene, "%s goes to where that was set)", key) : "");
    } else if (sw_view_tries(lines->in)) {
        sw_lines_textf(lines, SW_STYLE_WARNING,
                       "%s may try several layouts, and its run is not over: which one is the plan shows at its end. "
                       "Of the layout on view:",
                       sw_search_planner(lines->search)->name);
    }
}

/* `told`: peak and bound are told beside it. */
static void blame_peak(struct sw_lines *lines, bool told) {
    struct sw_metrics metrics;
    sw_metrics_of(lines->layout, &metrics);
    if (metrics.placed == 0) {
        sw_lines_text(lines, SW_STYLE_TEXT, "Nothing is placed yet, so there is no peak.");
        return;
    }
    const struct sw_decision *decision;
    struct sw_peak set;
    sw_search_peak(lines->search, lines->layout, &set);
    decision = sw_search_journal(lines->search, set.step);
    say_trial(lines);
    const char *peak = exactly(lines, metrics.peak), *below = sw_view_below(lines->scene, lines->search, false);
    const char *text =
        !metrics.single_tier
            ? sw_scene_printf(lines->scene, "The peak of %s, the highest memory in use, is %s.",
                              sw_scene_clean(lines->scene, sw_problem_tier(lines->problem, set.tier)->name),
                              exactly(lines, set.bytes))
        : *below ? sw_scene_printf(lines->scene, "The peak is %s, %s.", peak, below)
        : !metrics.comparable
            ? sw_scene_printf(lines->scene, "The peak%s is %s.", sw_view_at_end(lines->search) ? "" : " so far", peak)
        : metrics.peak > metrics.lower_bound
            ? sw_scene_printf(lines->scene, "The peak is %s, %s more than the lower bound of %s.", peak,
                              exactly(lines, metrics.peak - metrics.lower_bound), exactly(lines, metrics.lower_bound))
            : sw_scene_printf(lines->scene,
                              "The peak is %s, the lower bound: no layout does with "
                              "less.",
                              peak);
    const char *it = "the peak";
    if (!told || !metrics.single_tier || *below) {
        sw_lines_text(lines, SW_STYLE_STRONG, text);
        it = "it";
    }
    if (set.step > 0 && set.buffer != SW_NONE) {
        blame_block(lines, &set, metrics.comparable && metrics.peak > metrics.lower_bound, it);
    } else if (decision) {
        char reason[SW_REASON];
        /* What such a decision gives as its reason is how the search fared, not what it placed. */
        const char *why = decision->kind == SW_DECISION_SEARCH ? "many steps of a search in one"
                                                               : sw_decision_reason(decision, reason);
        sw_lines_textf(lines, SW_STYLE_TEXT, "Decision %s set %s: %s.", SW_COUNT(decision->step), it, why);
    } else {
        blame_no_decision(lines, &set, it);
    }
}

/* ---- the bound ---- */

/* Is the buffer read or written at the step? */
static bool used_at(const struct sw_buffer *buffer, uint32_t step) {
    for (uint32_t i = 0; i < buffer->access_count; i++) {
        if (buffer->accesses[i] == step) {
            return true;
        }
    }
    return false;
}

static void add_alive_at_bound(struct sw_lines *lines, uint32_t b, uint32_t step) {
    const struct sw_buffer *buffer = sw_problem_buffer(lines->problem, b);
    bool used = buffer->access_count == 0 || used_at(buffer, step);
    bool now = b == lines->in->look.selected;
    const char *why = sw_problem_operator_count(lines->problem) == 0                        ? alive_words(lines, buffer)
                      : buffer->first == step && sw_problem_writes(lines->problem, step, b) ? "written here"
                      : used && buffer->last == step && !buffer->output                     ? "read here last"
                      : used
                          ? sw_scene_printf(lines->scene, "read here, and until %s", sw_lines_step(lines, buffer->last))
                          : sw_scene_printf(lines->scene, "waits for %s", sw_lines_step(lines, buffer->last));
    if (sw_lines_row(lines, (struct sw_item){SW_ITEM_BUFFER, b}, now)) {
        sw_panel_name(lines->scene, lines->panel, now ? SW_STYLE_SELECTED : SW_STYLE_TEXT, " ", buffer->name);
        sw_lines_cell(lines, SW_STYLE_TEXT, true, sw_lines_bytes(lines, sw_buffer_live_bytes(buffer, step)));
        sw_lines_cell(lines, used ? SW_STYLE_DIM : SW_STYLE_WARNING, false, why);
    }
}

static bool has_bound(const struct sw_problem *problem) {
    return sw_problem_steps(problem) > 0 && sw_problem_lower_bound(problem) > 0;
}

static void blame_bound(struct sw_lines *lines) {
    uint32_t step = sw_problem_bound_step(lines->problem), count, listed = 0;
    if (!has_bound(lines->problem)) {
        return;
    }
    if (sw_problem_bound_clique(lines->problem, &count)) {
        sw_lines_text(lines, SW_STYLE_TEXT,
                      "On several cores the bound is a set of buffers of which every two conflict: "
                      ":bounds lists it.");
        return;
    }
    sw_lines_textf(lines, SW_STYLE_STRONG, "The lower bound of %s is what is alive at %s.",
                   exactly(lines, sw_problem_lower_bound(lines->problem)), sw_lines_when(lines, step));
    struct sw_neighbors alive = sw_problem_alive(lines->problem, step, step);
    for (uint32_t b; (b = sw_neighbors_next(&alive)) != SW_NONE;) {
        if (sw_buffer_live_bytes(sw_problem_buffer(lines->problem, b), step) == 0) {
            continue;
        }
        if (listed++ < most_listed(lines)) {
            add_alive_at_bound(lines, b, step);
        }
    }
    if (listed > most_listed(lines)) {
        sw_lines_textf(lines, SW_STYLE_DIM, "  and %u more", listed - most_listed(lines));
    }
}

static void blame_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_lines lines = sw_lines_begin(in, scene, "blame", "why the peak, and why the bound", box, 3, 2);
    sw_lines_flow(&lines);
    if (!sw_blame_reserved(&lines)) {
        sw_blame_fit(&lines);
        blame_peak(&lines, false);
        sw_blame_try(&lines);
    }
    sw_lines_blank(&lines);
    blame_bound(&lines);
    if (has_bound(lines.problem)) {
        sw_blame_advice(&lines);
    }
}

void sw_blame_why(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_lines lines = sw_lines_begin(in, scene, "blame", "why the peak, and why the bound", box, 3, 2);
    if (!sw_blame_reserved(&lines)) {
        sw_blame_fit(&lines);
        blame_peak(&lines, true);
    }
    sw_lines_blank(&lines);
    blame_bound(&lines);
}

void sw_blame_help(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_lines lines = sw_lines_begin(in, scene, "help", "what would help", box, 3, 2);
    if (in->run.suggest) {
        sw_blame_made(&lines);
    }
    if (has_bound(lines.problem)) {
        sw_blame_advice(&lines);
    }
}

const struct sw_view sw_view_blame = {
    .name = "blame",
    .summary = "why the peak is where it is, and why the bound is",
    .takes = SW_TAKES_BUFFER,
    .scrolls = SW_SCROLLS_TEXT,
    .build = blame_build,
};
