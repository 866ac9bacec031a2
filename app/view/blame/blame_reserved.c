/* Why an online allocator reserves so much: the requests that forced it to grow, where the reserved bytes are now, and,
 * where a request got nothing, what was missing. Every figure is the planner's own, from its decisions and its tables.
 */
#include "planners/online/online_look.h"
#include "view/blame/avoided.h"
#include "view/blame/blame.h"

enum { RAISES_LOOKED_AT = 20000, RAISES_SHOWN = 8 };

static const char *request_name(const struct sw_lines *lines, uint32_t buffer) {
    return buffer == SW_NONE ? "a request" : sw_view_buffer_name(lines->in, lines->scene, buffer, 24);
}

/* ---- growth ---- */

/* A request that raised the most that was reserved. */
struct raise {
    const struct sw_decision *decision; /* the last that did so for it */
    uint64_t bytes;
};

static void add_raise(struct sw_lines *lines, const struct raise *raise) {
    const struct sw_decision *d = raise->decision;
    sw_lines_row(lines, (struct sw_item){d->buffer == SW_NONE ? SW_ITEM_NONE : SW_ITEM_BUFFER, d->buffer}, false);
    uint64_t size = d->buffer == SW_NONE ? 0 : sw_problem_buffer(lines->problem, d->buffer)->size;
    sw_lines_cellf(lines, SW_STYLE_TEXT, false, "  %s", request_name(lines, d->buffer));
    sw_lines_cellf(lines, SW_STYLE_PEAK, true, "+%s", sw_lines_bytes(lines, raise->bytes));
    sw_lines_cellf(lines, SW_STYLE_DIM, false, "decision %s, asked for %s", SW_COUNT(d->step),
                   sw_lines_bytes(lines, size));
}

/* The requests that made what is reserved grow, as the planner counts them; those that raised the most, the last first.
 */
static void say_growth(struct sw_lines *lines, uint64_t peak) {
    struct raise found[RAISES_SHOWN];
    size_t count = 0;
    uint64_t raised = 0, grown = 0, at = sw_search_at(lines->search),
             end = at > RAISES_LOOKED_AT ? at - RAISES_LOOKED_AT : 0;
    bool open = false; /* the decision before, which is later in the run, raised it for the same request */
    for (uint64_t i = at; i > end; i--) {
        const struct sw_decision *d = sw_search_journal(lines->search, i);
        if (!d) {
            return; /* no journal is kept */
        }
        if (d->peak > d->peak_before) {
            raised += !open;
            if (!open && count < RAISES_SHOWN) {
                found[count++] = (struct raise){.decision = d};
            }
            found[count - 1].bytes += raised == count ? d->peak - d->peak_before : 0;
            open = d->buffer != SW_NONE;
        }
        open = open && d->kind != SW_DECISION_ASK;
    }
    struct sw_details details = {0};
    lines->scene->failed |= !sw_search_details(lines->search, &details);
    sw_details_figure(&details, "grown", &grown);
    sw_details_done(&details);
    char times[32];
    const char *within =
        end > 0 ? sw_scene_printf(lines->scene, " in the last %s decisions", SW_COUNT(RAISES_LOOKED_AT)) : "";
    const char *most = sw_lines_bytes(lines, peak);
    sw_show_count(raised, times);
    if (raised == 0) {
        sw_lines_textf(lines, SW_STYLE_STRONG, "At most %s were reserved, and no request%s raised that.", most, within);
    } else if (raised == grown) {
        sw_lines_textf(lines, SW_STYLE_STRONG, "At most %s were reserved. They grew %s time%s, for:", most, times,
                       raised == 1 ? "" : "s");
    } else {
        sw_lines_textf(lines, SW_STYLE_STRONG,
                       "At most %s were reserved. %s grew what is reserved; the most rose %s time%s%s, for:", most,
                       sw_scene_counted(lines->scene, grown, "request"), times, raised == 1 ? "" : "s", within);
    }
    for (size_t i = 0; i < count && !lines->scene->failed; i++) {
        add_raise(lines, &found[i]);
    }
    if (raised > count) {
        sw_lines_textf(lines, SW_STYLE_DIM, "  and %s more before them", SW_COUNT(raised - count));
    }
}

/* ---- where the bytes are ---- */

static void say_where(struct sw_lines *lines) {
    struct sw_online_look look;
    uint64_t bytes[SW_RESERVED_PARTS];
    if (!sw_online_look(sw_search_planner(lines->search), sw_search_planner_state(lines->search), &look)) {
        return;
    }
    sw_online_reserved(sw_search_planner_state(lines->search), bytes);
    uint64_t all = look.heap->reserved;
    sw_lines_textf(lines, SW_STYLE_STRONG, "Now %s are reserved:", sw_lines_bytes(lines, all));
    for (unsigned part = 0; part < SW_RESERVED_PARTS; part++) {
        if (bytes[part] == 0 || !sw_lines_row(lines, SW_NO_ITEM, false)) {
            continue;
        }
        sw_lines_cellf(lines, SW_STYLE_TEXT, false, "  %s", sw_reserved_names[part]);
        sw_lines_cell(lines, SW_STYLE_TEXT, true, sw_lines_bytes(lines, bytes[part]));
        sw_lines_cellf(lines, SW_STYLE_DIM, false, "%s", SW_PERCENT((double)bytes[part] / (double)all, false));
    }
}

/* ---- out of memory ---- */

/* The last request that got nothing; NULL: none, as far back as is looked. */
static const struct sw_decision *last_refused(const struct sw_search *search) {
    uint64_t at = sw_search_at(search), end = at > RAISES_LOOKED_AT ? at - RAISES_LOOKED_AT : 0;
    const struct sw_decision *d = sw_search_decision(search);
    for (uint64_t i = at; d && d->kind != SW_DECISION_FAIL; d = i > end ? sw_search_journal(search, i) : NULL) {
        i--;
    }
    return d;
}

static void say_refused(struct sw_lines *lines) {
    const struct sw_decision *d = last_refused(lines->search);
    if (!d) {
        return;
    }
    uint64_t free_ = d->fail.reserved - d->fail.allocated;
    bool now = d->step == sw_search_at(lines->search);
    const char *when = now ? "" : sw_scene_printf(lines->scene, " at decision %s", SW_COUNT(d->step));
    sw_lines_textf(
        lines, SW_STYLE_ERROR, "Out of memory%s: %s asked for %s; %s %s reserved, of which %s %s not allocated.", when,
        request_name(lines, d->buffer), sw_lines_bytes(lines, d->size), sw_lines_bytes(lines, d->fail.reserved),
        now ? "are" : "were", sw_lines_bytes(lines, free_), now ? "are" : "were");
    sw_lines_text(
        lines, SW_STYLE_TEXT,
        free_ < d->size
            ? sw_scene_printf(lines->scene, "Even in one piece they would be too few, by %s.",
                              sw_lines_bytes(lines, d->size - free_))
            : sw_scene_printf(lines->scene,
                              "They would be enough in one piece; the largest free block %s %s: fragmentation.",
                              now ? "has" : "had", sw_lines_bytes(lines, d->fail.largest)));
    sw_lines_blank(lines);
}

/* ---- other settings ---- */

static const char *count_refused(const struct sw_lines *lines, uint64_t refused) {
    return refused == 0 ? "none refused" : sw_scene_printf(lines->scene, "%s refused", SW_COUNT(refused));
}

static void add_try(struct sw_lines *lines, const struct sw_avoided_try *one, const struct sw_avoided_try *usual) {
    sw_lines_row(lines, SW_NO_ITEM, false);
    bool less = one->reserved <= usual->reserved;
    uint64_t by = less ? usual->reserved - one->reserved : one->reserved - usual->reserved;
    sw_lines_cellf(lines, SW_STYLE_TEXT, false, "  %s", one->text);
    sw_lines_cell(lines, SW_STYLE_TEXT, true, sw_lines_bytes(lines, one->reserved));
    sw_lines_cellf(lines, SW_STYLE_DIM, false, "%s%s, %s", less ? "-" : "+", sw_lines_bytes(lines, by),
                   count_refused(lines, one->refused));
}

static void say_tried(struct sw_lines *lines, const struct sw_avoided *avoided) {
    char tried[32];
    const struct sw_avoided_try *usual = &avoided->usual;
    if (avoided->none) {
        return;
    }
    sw_lines_blank(lines);
    if (avoided->too_large) {
        sw_lines_textf(lines, SW_STYLE_DIM,
                       "Other settings are not tried here: %s requests are too many. stowage tune tries them.",
                       SW_COUNT(avoided->requests));
        return;
    }
    if (avoided->partial) {
        sw_lines_text(lines, SW_STYLE_DIM,
                      "What other settings would reserve is not known: the log leaves out requests, and they would "
                      "share what is reserved.");
        return;
    }
    const char *from = avoided->from_empty ? ", from an empty heap with what was alive before" : "";
    const char *basis =
        sw_scene_printf(lines->scene, "over all requests%s; the settings of this run reserve %s, %s", from,
                        sw_lines_bytes(lines, usual->reserved), count_refused(lines, usual->refused));
    const char *before = usual->refused > 0 ? "avoided that" : "needed less";
    const char *left = avoided->left_out == 0 ? ""
                                              : sw_scene_printf(lines->scene, " %s more are left to stowage tune.",
                                                                SW_COUNT(avoided->left_out));
    sw_show_count(avoided->tried, tried);
    if (avoided->helping == 0) {
        sw_lines_textf(lines, SW_STYLE_STRONG,
                       "None of %s other settings that were tried, one at a time, would have %s (%s).%s", tried, before,
                       basis, left);
        return;
    }
    sw_lines_textf(lines, SW_STYLE_STRONG, "What would have %s, one setting at a time (%s):", before, basis);
    for (size_t i = 0; i < avoided->count; i++) {
        add_try(lines, &avoided->best[i], usual);
    }
    sw_lines_textf(lines, SW_STYLE_DIM, "  %s of %s that were tried would have.%s", SW_COUNT(avoided->helping), tried,
                   left);
}

static void say_avoided(struct sw_lines *lines) {
    const struct sw_avoided *kept = sw_frame_cache_avoided(lines->in->kept, lines->search);
    struct sw_avoided *own = kept ? NULL : SW_NEW(struct sw_avoided, 1);
    if (kept) {
        say_tried(lines, kept);
    } else if (own && sw_avoided_of(lines->search, own)) {
        say_tried(lines, own);
    } else {
        lines->scene->failed = true;
    }
    SW_FREE(own, 1);
}

bool sw_blame_reserved(struct sw_lines *lines) {
    struct sw_metrics metrics;
    if (!sw_search_planner(lines->search)->reserves) {
        return false;
    }
    sw_metrics_of(lines->layout, &metrics);
    say_refused(lines);
    say_growth(lines, metrics.peak);
    sw_lines_blank(lines);
    say_where(lines);
    say_avoided(lines);
    return true;
}
