/* Why an online allocator reserves so much: the requests that forced it to grow, where the reserved bytes are now, and, where
 * a request got nothing, what was missing. Every figure is the planner's own, from its decisions and its tables. */
#include "view/blame/blame.h"
#include "view/map/journal_index.h"

#include <string.h>

enum { FAR = 20000, MOST = 8 };

static const char *name_of(const struct sw_lines *lines, uint32_t buffer) {
    return buffer == SW_NONE ? "a request" : sw_view_buffer_name(lines->in, lines->scene, buffer, 24);
}

/* ---- growth ---- */

static void add_growth(struct sw_lines *lines, const struct sw_decision *d) {
    char at[32];
    if (!sw_lines_row(lines, (struct sw_item){d->buffer == SW_NONE ? SW_ITEM_NONE : SW_ITEM_BUFFER, d->buffer}, false)) {
        return;
    }
    uint64_t size = d->buffer == SW_NONE ? 0 : sw_problem_buffer(lines->problem, d->buffer)->size;
    sw_lines_cell(lines, SW_STYLE_TEXT, false, sw_scene_printf(lines->scene, "  %s", name_of(lines, d->buffer)));
    sw_lines_cell(lines, SW_STYLE_PEAK, true, sw_scene_printf(lines->scene, "+%s", sw_lines_bytes(lines, d->peak - d->peak_before)));
    sw_lines_cell(lines, SW_STYLE_DIM, false,
                  sw_scene_printf(lines->scene, "decision %s, asked for %s", sw_show_count(d->step, at), sw_lines_bytes(lines, size)));
}

/* The decisions that raised what is reserved, the last first. */
static void say_growth(struct sw_lines *lines, uint64_t peak) {
    const struct sw_search *search = lines->in->run.search;
    const struct sw_decision *found[MOST];
    size_t count = 0;
    uint64_t all = 0, at = sw_search_at(search), end = at > FAR ? at - FAR : 0;
    for (uint64_t i = at; i > end; i--) {
        const struct sw_decision *d = sw_search_journal(search, i);
        if (!d) {
            return; /* no journal is kept */
        }
        if (d->peak > d->peak_before) {
            all++;
            if (count < MOST) {
                found[count++] = d;
            }
        }
    }
    char number[32];
    const char *within = end > 0 ? sw_scene_printf(lines->scene, " in the last %d decisions", (int)FAR) : "";
    sw_lines_text(lines, SW_STYLE_STRONG,
                  all ? sw_scene_printf(lines->scene, "At most %s were reserved. They grew %s time%s%s, for:", sw_lines_bytes(lines, peak),
                                        sw_show_count(all, number), all == 1 ? "" : "s", within)
                      : sw_scene_printf(lines->scene, "At most %s were reserved, and no request%s forced that to grow.",
                                        sw_lines_bytes(lines, peak), within));
    for (size_t i = 0; i < count && !lines->scene->failed; i++) {
        add_growth(lines, found[i]);
    }
    if (all > count) {
        sw_lines_text(lines, SW_STYLE_DIM, sw_scene_printf(lines->scene, "  and %s more before them", sw_show_count(all - count, number)));
    }
}

/* ---- where the bytes are ---- */

static void say_where(struct sw_lines *lines) {
    struct sw_state_tables tables = {.most = 64};
    sw_search_state(lines->in->run.search, &tables);
    lines->scene->failed |= tables.failed;
    for (size_t i = 0; i < tables.items.count && !lines->scene->failed; i++) {
        const struct sw_state_table *t = &tables.items.items[i];
        if (strcmp(t->name, "where the reserved bytes are") != 0 || t->end < t->row_count || t->row_count == 0) {
            continue;
        }
        uint64_t all = t->cells.items[(t->row_count - 1) * t->column_count + 1].count;
        sw_lines_text(lines, SW_STYLE_STRONG, sw_scene_printf(lines->scene, "Now %s are reserved:", sw_lines_bytes(lines, all)));
        for (uint64_t row = 0; row + 1 < t->row_count; row++) {
            const struct sw_state_cell *c = &t->cells.items[row * t->column_count];
            char percent[16];
            if (c[1].count == 0 || !sw_lines_row(lines, (struct sw_item){SW_ITEM_NONE, 0}, false)) {
                continue;
            }
            sw_lines_cell(lines, SW_STYLE_TEXT, false, sw_scene_printf(lines->scene, "  %s", c[0].word));
            sw_lines_cell(lines, SW_STYLE_TEXT, true, sw_lines_bytes(lines, c[1].count));
            sw_lines_cell(lines, SW_STYLE_DIM, false,
                          sw_scene_printf(lines->scene, "%s", sw_show_percent((double)c[1].count / (double)all, false, percent)));
        }
    }
    sw_state_tables_done(&tables);
}

/* ---- out of memory ---- */

static void say_refused(struct sw_lines *lines) {
    const struct sw_search *search = lines->in->run.search;
    const struct sw_decision *d = sw_search_decision(search);
    if (!d || d->kind != SW_DECISION_FAIL) {
        return;
    }
    uint64_t free_ = d->fail.reserved - d->fail.allocated;
    sw_lines_text(lines, SW_STYLE_ERROR,
                  sw_scene_printf(lines->scene, "Out of memory: %s asked for %s; %s are reserved, of which %s are not allocated.",
                                  name_of(lines, d->buffer), sw_lines_bytes(lines, d->size),
                                  sw_lines_bytes(lines, d->fail.reserved), sw_lines_bytes(lines, free_)));
    sw_lines_text(lines, SW_STYLE_TEXT,
                  free_ >= d->size ? sw_scene_printf(lines->scene,
                                                     "They would be enough in one piece; the largest free block has %s: fragmentation.",
                                                     sw_lines_bytes(lines, d->fail.largest))
                                   : sw_scene_printf(lines->scene, "Even in one piece they would be too few, by %s.",
                                                     sw_lines_bytes(lines, d->size - free_)));
    sw_lines_blank(lines);
}

bool sw_blame_reserved(struct sw_lines *lines) {
    struct sw_metrics metrics;
    if (!sw_search_planner(lines->in->run.search)->reserves) {
        return false;
    }
    sw_metrics_of(sw_search_layout(lines->in->run.search), &metrics);
    say_refused(lines);
    say_growth(lines, metrics.peak);
    sw_lines_blank(lines);
    say_where(lines);
    return true;
}
