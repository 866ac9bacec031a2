/* The table of views, made from views.def. */
#include "formats/format.h"
#include "base/base.h"
#include "problem/moment/moment.h"
#include "view/view_internal.h"

static const struct {
    const struct sw_view *view;
    unsigned pane;
} views[] = {
#define VIEW(name, file, pane) {&name, pane},
#include "view/views.def"
#undef VIEW
};

size_t sw_view_count(void) {
    return sizeof views / sizeof *views;
}

const struct sw_view *sw_view_get(size_t i) {
    return i < sw_view_count() ? views[i].view : NULL;
}

const struct sw_view *sw_view_pane(size_t i) {
    for (size_t v = 0; v < sw_view_count(); v++) {
        if (views[v].pane == i + 1) {
            return views[v].view;
        }
    }
    return NULL;
}

size_t sw_view_pane_number(const struct sw_view *view) {
    size_t pane = 0;
    while (sw_view_pane(pane) != view) {
        pane++;
    }
    return pane;
}

const struct sw_view *sw_view_find(const char *name, struct sw_error *error) {
    char list[2048] = "; there are: ";
    const char *like = NULL;
    size_t used = strlen(list);
    for (size_t i = 0; i < sw_view_count(); i++) {
        like = sw_word_nearer(name, like, views[i].view->name);
        if (!strcmp(views[i].view->name, name)) {
            return views[i].view;
        }
        int length = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", views[i].view->name);
        used += length > 0 && (size_t)length < sizeof list - used ? (size_t)length : 0;
    }
    sw_fail_unknown(error, "view", name, like, list);
    return NULL;
}

const struct sw_moment *sw_view_moment_of(const struct sw_search *search) {
    return sw_problem_moment(sw_search_problem(search));
}

static bool is_about(const struct sw_view *view, bool moment) {
    return view->of == SW_VIEW_OF_BOTH || (view->of == SW_VIEW_OF_MOMENTS) == moment;
}

bool sw_view_suits(const struct sw_view *view, const struct sw_search *search, struct sw_error *error) {
    bool moment = sw_view_moment_of(search) != NULL;
    char list[512] = "";
    size_t used = 0;
    for (size_t i = 0; moment && i < sw_view_count(); i++) {
        int length = is_about(views[i].view, true)
                         ? snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", views[i].view->name)
                         : 0;
        used += length > 0 && (size_t)length < sizeof list - used ? (size_t)length : 0;
    }
    return is_about(view, moment) ||
           (moment
                ? sw_fail(error, SW_ERROR_USAGE,
                          "the view '%s' is about a run; of one moment of an allocator there are: %s", view->name, list)
                : sw_fail(error, SW_ERROR_USAGE,
                          "the view '%s' is about one moment of an allocator, and this file has lifetimes",
                          view->name));
}

const struct sw_view *sw_view_usual(const struct sw_search *search) {
    return sw_view_moment_of(search) ? &sw_view_moment_map : &sw_view_layout;
}

const struct sw_view *sw_view_first_pane(const struct sw_search *search) {
    return sw_view_moment_of(search) ? &sw_view_moment_pane : &sw_view_decision;
}

const char *sw_view_key(const struct sw_view_input *in, struct sw_scene *scene, const char *command) {
    char text[SW_KEY_BYTES];
    return in->look.key ? sw_scene_printf(scene, "%s", in->look.key(in->look.keys, command, text)) : NULL;
}

double sw_view_top(double used, uint64_t capacity) {
    double top = capacity != SW_UNBOUNDED && (double)capacity <= 1.5 * used ? fmax(used, (double)capacity) : used;
    return top > 0 ? top * 1.04 : 1;
}

struct sw_viewport sw_viewport_all(const struct sw_search *search, uint32_t tier) {
    const struct sw_problem *problem = sw_search_problem(search);
    uint32_t steps = sw_problem_steps(problem);
    const struct sw_moment *moment = sw_problem_moment(problem);
    uint64_t top = sw_layout_arena(sw_search_layout(search), tier);
    if (moment) { /* the segments one behind the other */
        top = 0;
        for (size_t i = 0; i < moment->segments.count; i++) {
            top += moment->segments.items[i].size;
        }
        return (struct sw_viewport){.time_hi = 1, .bytes_hi = top > 0 ? (double)top : 1};
    }
    if (sw_problem_tier_count(problem) == 1) {
        uint64_t bound = sw_problem_lower_bound(problem);
        const struct sw_decision *last = sw_search_journal(search, sw_search_known(search));
        /* The peak at the end of what is known, so that going back does not change the scale. */
        top = SW_MAX(bound, top);
        top = last && last->peak > top ? last->peak : top;
    }
    uint64_t capacity = tier < sw_problem_tier_count(problem) ? sw_problem_tier(problem, tier)->capacity : SW_UNBOUNDED;
    return (struct sw_viewport){.time_hi = steps ? steps : 1, .bytes_hi = sw_view_top((double)top, capacity)};
}

bool sw_view_uses(const struct sw_view_input *in, uint32_t tier) {
    return (in->run.steady && in->run.steady->top[tier] > 0) ||
           sw_layout_arena(sw_search_layout(in->run.search), tier) > 0;
}

struct sw_viewport sw_view_tier(const struct sw_view_input *in, uint32_t tier) {
    struct sw_viewport port = in->look.viewport, all = sw_viewport_all(in->run.search, tier);
    port.bytes_lo = all.bytes_lo;
    port.bytes_hi = all.bytes_hi;
    if (in->run.steady) { /* of what all steps have in common, and nothing of this one */
        const struct sw_problem *problem = sw_search_problem(in->run.search);
        uint64_t bound = sw_view_single(in) ? sw_problem_lower_bound(problem) : 0;
        port.bytes_hi = sw_view_top(fmax((double)in->run.steady->top[tier], (double)bound),
                                    sw_problem_tier(problem, tier)->capacity);
    }
    return port;
}

/* ---- tables as plain text ---- */

static void add_padded(struct sw_sink *out, const struct sw_text *text, size_t width) {
    size_t length = sw_view_columns(text->text);
    size_t pad = width > length ? width - length : 0;
    sw_sink_printf(out, "%*s", text->right ? (int)pad : 0, "");
    sw_sink_text(out, text->text);
    sw_sink_printf(out, "%*s", text->right ? 0 : (int)pad, "");
}

/* All columns but the last of a row are as wide as they need. */
static void add_text_rows(const struct sw_panel *panel, struct sw_sink *out) {
    size_t widths[8] = {0};
    for (size_t r = 0; r < panel->rows.count; r++) {
        const struct sw_row *row = &panel->rows.items[r];
        for (uint32_t c = 0; c + 1 < row->count && c < 8; c++) {
            size_t length = sw_view_columns(panel->texts.items[row->first + c].text);
            widths[c] = SW_MAX(length, widths[c]);
        }
    }
    for (size_t r = 0; r < panel->rows.count; r++) {
        const struct sw_row *row = &panel->rows.items[r];
        for (uint32_t c = 0; c < row->count; c++) {
            bool aligned = c + 1 < row->count && c < 8;
            sw_sink_printf(out, "%s", c ? "  " : "");
            add_padded(out, &panel->texts.items[row->first + c], aligned ? widths[c] : 0);
        }
        sw_sink_printf(out, "\n");
    }
}

void sw_view_text(const struct sw_view_input *in, const struct sw_view *view, struct sw_sink *out) {
    struct sw_scene scene = {0};
    view->build(in, &scene, (struct sw_box){0, 0, 200, 1e6});
    for (size_t i = 0; i < scene.panels.count && !scene.failed; i++) {
        if (scene.panels.items[i].kind == SW_PANEL_TABLE) {
            add_text_rows(&scene.panels.items[i], out);
        }
    }
    out->failed = out->failed || scene.failed;
    sw_scene_done(&scene);
}
