/* Everything about one buffer: the selected one, or else the one that the decision is about. */
#include "view/scene/lines.h"
#include "view/moment/moment_views.h"
#include "view/map/journal_index.h"

static void add_facts(struct sw_lines *lines, const struct sw_buffer *buffer) {
    struct sw_scene *scene = lines->scene;
    const char *dtype = sw_dtype_name(buffer->dtype), *shape = "";
    for (uint32_t i = 0; i < buffer->shape_count; i++) {
        shape = sw_scene_printf(scene, "%s%s%llu", shape, i ? "x" : "", (unsigned long long)buffer->shape[i]);
    }
    sw_lines_textf(lines, SW_STYLE_TEXT, "%s, %s%s%s%s%s", sw_buffer_kind(buffer),
                   sw_scene_counted(scene, buffer->size, "byte"), *dtype || *shape ? ": " : "", dtype,
                   *dtype && *shape ? " " : "", shape);
    const char *more = buffer->asked < buffer->size
                           ? sw_scene_printf(scene, "asked for: %s", sw_scene_counted(scene, buffer->asked, "byte"))
                           : "";
    if (buffer->alignment > 1) {
        more = sw_scene_printf(scene, "%s%saligned to %llu", more, *more ? ", " : "",
                               (unsigned long long)buffer->alignment);
    }
    if (buffer->pinned) {
        more = sw_scene_printf(scene, "%s%spinned to %llu", more, *more ? ", " : "",
                               (unsigned long long)(buffer->offset + lines->in->run.base));
    }
    if (buffer->tier != SW_NONE) {
        more = sw_scene_printf(scene, "%s%sonly in %s", more, *more ? ", " : "",
                               sw_problem_tier(lines->problem, buffer->tier)->name);
    }
    sw_lines_text(lines, SW_STYLE_DIM, more);
}

static void add_life(struct sw_lines *lines, uint32_t b, const struct sw_buffer *buffer) {
    struct sw_scene *scene = lines->scene;
    sw_lines_textf(lines, SW_STYLE_TEXT, "alive %s, %u step%s%s", sw_lines_life(lines, buffer),
                   buffer->last - buffer->first + 1, buffer->last == buffer->first ? "" : "s",
                   buffer->piece_count > 1 ? sw_scene_printf(scene, ", in %u pieces", buffer->piece_count) : "");
    if (sw_problem_operator_count(lines->problem) == 0) {
        return;
    }
    uint32_t maker = sw_problem_producer(lines->problem, b), last = SW_NONE;
    sw_lines_text(lines, SW_STYLE_TEXT,
                  maker != SW_NONE                ? sw_scene_printf(scene, "written by %s", sw_lines_when(lines, maker))
                  : buffer->kind == SW_KIND_INPUT ? "written by the host before the start"
                                                  : "written by no operator");
    for (uint32_t i = 0; i < buffer->access_count; i++) {
        uint32_t step = buffer->accesses[i];
        if (step != last && step < sw_problem_operator_count(lines->problem) &&
            sw_problem_reads(lines->problem, step, b)) {
            sw_lines_textf(lines, SW_STYLE_TEXT, "read by %s", sw_lines_when(lines, step));
        }
        last = step;
    }
    if (buffer->output) {
        sw_lines_text(lines, SW_STYLE_TEXT, "read by the host at the end");
    }
}

/* The nearest block above and below that it may not lie over: one that is alive in a gap of its life is none. */
static void add_card_neighbors(struct sw_lines *lines, uint32_t b, const struct sw_placement *place) {
    uint64_t lo = place->offset, hi = lo + sw_problem_buffer(lines->problem, b)->size;
    uint64_t above = UINT64_MAX, below = 0;
    uint32_t upper = SW_NONE, lower = SW_NONE;
    struct sw_neighbors near = sw_problem_neighbors(lines->problem, b);
    for (uint32_t other; (other = sw_neighbors_next(&near)) != SW_NONE;) {
        struct sw_placement at;
        if (!sw_layout_placement(lines->layout, other, 0, &at) || at.tier != place->tier ||
            sw_problem_conflict(lines->problem, b, other) == SW_CONFLICT_NONE) {
            continue;
        }
        uint64_t end = at.offset + sw_problem_buffer(lines->problem, other)->size;
        if (at.offset >= hi && at.offset < above) {
            above = at.offset;
            upper = other;
        } else if (end <= lo && (lower == SW_NONE || end > below)) {
            below = end;
            lower = other;
        }
    }
    const char *gap;
    if (upper != SW_NONE) {
        gap =
            above > hi ? sw_scene_printf(lines->scene, ", %s higher", sw_lines_bytes(lines, above - hi)) : ", touching";
        sw_lines_textf(lines, SW_STYLE_DIM, "above: %s%s", sw_lines_buffer(lines, upper), gap);
    }
    gap = lo > below ? sw_scene_printf(lines->scene, ", %s lower", sw_lines_bytes(lines, lo - below)) : ", touching";
    sw_lines_textf(lines, SW_STYLE_DIM, "below: %s%s", lower != SW_NONE ? sw_lines_buffer(lines, lower) : "the bottom",
                   gap);
}

static void add_places(struct sw_lines *lines, uint32_t b) {
    struct sw_placement place;
    uint32_t k = 0;
    for (; sw_layout_placement(lines->layout, b, k, &place) && !lines->scene->failed; k++) {
        bool part = place.span.to != UINT32_MAX;
        const char *when = part ? sw_scene_printf(lines->scene, " for %lld..%lld", (long long)place.span.from,
                                                  (long long)place.span.to)
                                : "";
        sw_lines_textf(lines, SW_STYLE_STRONG, "at %s+%s%s", sw_problem_tier(lines->problem, place.tier)->name,
                       SW_COUNT(place.offset + lines->in->run.base), when);
        if (!part) {
            add_card_neighbors(lines, b, &place);
        }
    }
    if (k == 0) {
        sw_lines_text(lines, SW_STYLE_DIM, "not placed yet");
    }
}

enum { CARD_DECISIONS = 12 };

/* The first decisions about it, and how many there are so far. O(decisions), or, where it is known
 * which buffer each decision was about, of those about this one. */
static uint32_t find_card_decisions(const struct sw_view_input *in, uint32_t b, uint64_t steps[CARD_DECISIONS]) {
    const struct sw_search *search = in->run.search;
    const struct sw_journal_index *past = sw_frame_cache_past(in->kept, search);
    uint32_t found = 0;
    if (!past) {
        for (uint64_t i = 1; i <= sw_search_at(search); i++) {
            const struct sw_decision *decision = sw_search_journal(search, i);
            if (decision && decision->buffer == b && found++ < CARD_DECISIONS) {
                steps[found - 1] = i;
            }
        }
        return found;
    }
    /* From the last one back: what is written last are the first ones. */
    uint64_t ring[CARD_DECISIONS];
    for (uint32_t i = past->last[b]; i > 0; i = past->before.items[i - 1]) {
        if (i <= sw_search_at(search)) {
            ring[found++ % CARD_DECISIONS] = i;
        }
    }
    for (uint32_t i = 0; i < found && i < CARD_DECISIONS; i++) {
        steps[i] = ring[(found - 1 - i) % CARD_DECISIONS];
    }
    return found;
}

static void add_decisions(struct sw_lines *lines, uint32_t b) {
    uint64_t steps[CARD_DECISIONS];
    uint32_t found = find_card_decisions(lines->in, b, steps);
    for (uint32_t i = 0; i < found && i < CARD_DECISIONS && !lines->scene->failed; i++) {
        char text[SW_MESSAGE];
        struct sw_decision addressed = *sw_search_journal(lines->search, steps[i]);
        addressed.offset += lines->in->run.base;
        sw_decision_describe(lines->problem, &addressed, text, sizeof text);
        sw_lines_textf(lines, SW_STYLE_TEXT, "decision %s %s", SW_COUNT(steps[i]), text);
    }
    if (found > CARD_DECISIONS) {
        sw_lines_textf(lines, SW_STYLE_DIM, "and %u more decisions", found - CARD_DECISIONS);
    }
}

static void add_card_parts(struct sw_lines *lines, uint32_t b) {
    for (uint32_t i = 0; i < sw_problem_member_count(lines->problem); i++) {
        const struct sw_member *part = sw_problem_member(lines->problem, i);
        if (part->buffer == b) {
            sw_lines_textf(lines, SW_STYLE_DIM, "part %s: bytes %llu..%llu", part->name, (unsigned long long)part->lo,
                           (unsigned long long)part->hi);
        }
    }
}

/* The selected buffer, or that of the decision. On paper no other can be selected: where there is
 * neither, one of those that stand at the peak. */
static uint32_t card_subject(const struct sw_view_input *in, const char **title) {
    const struct sw_decision *decision = sw_search_decision(in->run.search);
    *title = in->look.selected != SW_NONE ? "selected buffer" : "buffer of this decision";
    if (in->look.selected != SW_NONE || (decision && decision->buffer != SW_NONE) || !sw_medium(in)->still) {
        return in->look.selected != SW_NONE ? in->look.selected : decision ? decision->buffer : SW_NONE;
    }
    *title = "buffer at the peak";
    return sw_layout_at_peak(sw_search_layout(in->run.search), in->look.tier == SW_NONE ? 0 : in->look.tier);
}

static void card_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    if (sw_view_moment_of(in->run.search)) {
        sw_view_build_held_card(in, scene, box);
        return;
    }
    const char *title;
    uint32_t b = card_subject(in, &title);
    struct sw_lines lines = sw_lines_begin(in, scene, "card", title, box, 1, 0);
    sw_lines_flow(&lines);
    if (b == SW_NONE) {
        sw_lines_text(&lines, SW_STYLE_DIM, "No buffer is selected, and the decision is about none.");
        return;
    }
    const struct sw_buffer *buffer = sw_problem_buffer(lines.problem, b);
    sw_lines_text(&lines, SW_STYLE_CURRENT, buffer->name);
    add_facts(&lines, buffer);
    add_life(&lines, b, buffer);
    sw_lines_blank(&lines);
    add_places(&lines, b);
    sw_lines_blank(&lines);
    add_decisions(&lines, b);
    add_card_parts(&lines, b);
    sw_lines_origin(&lines, buffer->origin);
}

const struct sw_view sw_view_card = {
    .name = "card",
    .of = SW_VIEW_OF_BOTH,
    .summary = "one buffer: its users, where it lies, what was decided",
    .takes = SW_TAKES_BUFFER,
    .scrolls = SW_SCROLLS_TEXT,
    .build = card_build,
};
