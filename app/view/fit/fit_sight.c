/* What a search of fit has found, as views show it. */
#include "view/fit/fit_sight.h"

#include "planners/fit/fit_look.h"
#include "planners/planner.h"

#include <math.h>

bool sw_fit_sight_of(const struct sw_search *search, struct sw_fit_sight *sight) {
    struct sw_fit_look look;
    if (!sw_fit_look(search, &look)) {
        return false;
    }
    *sight = (struct sw_fit_sight){.result = look.result,
                                   .has_capacity = look.request->has_capacity,
                                   .capacity = look.request->capacity,
                                   .of_head = look.request->limits.of_head,
                                   .handed = look.handed,
                                   .chosen = look.now};
    if (!look.now && look.chosen < look.result->models.count) {
        sight->chosen = &look.result->models.items[look.chosen];
    }
    return true;
}

static bool needs_less(const struct sw_fit_model *a, const struct sw_fit_model *b) {
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->macs < b->macs;
}

bool sw_fit_order_find(const struct sw_fit_result *result, struct sw_fit_order *order) {
    const struct sw_fit_model *models = result->models.items;
    uint64_t macs = UINT64_MAX;
    size_t next = 1;
    while (next > 0) {
        next = 0;
        for (size_t i = 1; i < result->models.count; i++) {
            bool fewer = models[i].macs < macs && models[i].bytes < models[0].bytes;
            next = fewer && (next == 0 || needs_less(&models[i], &models[next])) ? i : next;
        }
        macs = models[next].macs;
        if (!SW_PUSH(order, next)) { /* the last one is the model as it is: 0 */
            return false;
        }
    }
    return true;
}

size_t sw_fit_least(const struct sw_fit_result *result) {
    size_t least = 0;
    for (size_t i = 1; i < result->models.count; i++) {
        least = result->models.items[i].bytes < result->models.items[least].bytes ? i : least;
    }
    return least;
}

bool sw_fit_seen(const struct sw_view_input *in, struct sw_scene *scene, struct sw_fit_seen *seen) {
    *seen = (struct sw_fit_seen){.in = in, .scene = scene};
    if (in->run.fit) {
        seen->sight = *in->run.fit;
    } else if (!sw_fit_sight_of(in->run.search, &seen->sight)) {
        return false;
    }
    seen->result = seen->sight.result;
    if (!seen->result || seen->result->models.count == 0) {
        return false;
    }
    const struct sw_fit_model *models = seen->result->models.items;
    size_t count = seen->result->models.count, wanted = in->look.fit_model;
    seen->as_is = &models[0];
    seen->looked = wanted > 0 && wanted <= count ? &models[wanted - 1] : seen->sight.chosen;
    seen->looked = seen->looked ? seen->looked : &models[sw_fit_least(seen->result)]; /* the best so far */
    seen->number = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        seen->number = &models[i] == seen->looked ? i : seen->number;
    }
    return true;
}

static bool any_windows(const struct sw_problem *problem) {
    for (uint32_t op = 0; op < sw_problem_operator_count(problem); op++) {
        if (sw_problem_operator(problem, op)->window) {
            return true;
        }
    }
    return false;
}

bool sw_fit_applies(const struct sw_search *search, bool *missed) {
    (void)missed;
    struct sw_fit_sight sight;
    return sw_fit_sight_of(search, &sight) && any_windows(sw_search_given(search));
}

void sw_fit_say_nothing(const struct sw_view_input *in, struct sw_scene *scene, const char *id, struct sw_box box) {
    struct sw_lines lines = sw_lines_begin(in, scene, id, id, box, 1, 0);
    bool searching = sw_search_planner(in->run.search)->rewrites,
         windows = any_windows(sw_search_given(in->run.search));
    sw_lines_text(&lines, SW_STYLE_DIM,
                  searching ? "The search for changes has planned no model yet: it first looks at all regions."
                  : windows
                      ? "Changes that make the model need less were not looked for: :fit does that, and stowage fit on "
                        "the command line."
                      : "No operator of the model has a window of rows, so nothing of it can be computed in strips.");
}

struct sw_furniture sw_fit_furniture(const struct sw_fit_seen *seen, double left, double right) {
    const struct sw_medium *medium = sw_medium(seen->in);
    return (struct sw_furniture){.has_room = true,
                                 .left = left,
                                 .right = right,
                                 .above = medium->heading,
                                 .below = medium->ticks,
                                 .title = true,
                                 .x_title = true,
                                 .x_labels = true,
                                 .y_labels = true};
}

const struct sw_problem *sw_fit_cut_problem(const struct sw_fit_seen *seen) {
    return seen->result->variants[seen->looked->variant].base.problem;
}

bool sw_fit_shown_open(const struct sw_fit_seen *seen, struct sw_fit_shown_program *shown) {
    struct sw_fit_refusal refusal;
    size_t count = seen->looked->region_count;
    *shown = (struct sw_fit_shown_program){.trades = SW_NEW_ZERO(struct sw_fit_trade, count)};
    bool good =
        (count == 0 || shown->trades) &&
        sw_fit_program_make(sw_fit_cut_problem(seen), seen->looked->regions, count, &shown->program, &refusal) &&
        sw_fit_trades_find(&shown->program, shown->trades);
    if (!good) {
        sw_fit_shown_done(shown);
        seen->scene->failed = true;
    }
    return good;
}

void sw_fit_shown_done(struct sw_fit_shown_program *shown) {
    SW_FREE(shown->trades, shown->program.region_count);
    sw_fit_program_done(&shown->program);
    shown->trades = NULL;
}

bool sw_fit_trades_are_level(const struct sw_fit_seen *seen, const struct sw_fit_shown_program *shown, double width) {
    double of_words = 0, of_text = 0;
    for (size_t i = 0; i < shown->program.region_count && sw_medium(seen->in)->fine && !seen->scene->failed; i++) {
        char text[240];
        sw_fit_trade_text(&shown->trades[i], text, sizeof text);
        const char *words = sw_fit_region_words(seen, seen->looked, &shown->program.regions[shown->trades[i].region]);
        of_words = fmax(of_words, sw_page_text_width(words, SW_PAGE_TABLE_SIZE));
        of_text = fmax(of_text, sw_page_text_width(text, SW_PAGE_TABLE_SIZE));
    }
    return sw_medium(seen->in)->fine && of_words + of_text + SW_PAGE_COLUMN <= width;
}

void sw_fit_add_trades(const struct sw_fit_seen *seen, struct sw_lines *lines, const struct sw_fit_shown_program *shown,
                       uint32_t current) {
    bool level = sw_fit_trades_are_level(seen, shown, lines->panel->width);
    for (size_t i = 0; i < shown->program.region_count && !seen->scene->failed; i++) {
        const struct sw_fit_trade *trade = &shown->trades[i];
        char text[240];
        bool here = trade->region == current;
        if (!level) {
            sw_fit_trade_text(trade, text, sizeof text);
            sw_lines_textf(lines, here ? SW_STYLE_SELECTED : SW_STYLE_TEXT, "%s: %s",
                           sw_fit_region_words(seen, seen->looked, &shown->program.regions[trade->region]), text);
            continue;
        }
        sw_lines_row(lines, SW_NO_ITEM, here);
        sw_fit_trade_text(trade, text, sizeof text);
        sw_lines_cell(lines, here ? SW_STYLE_SELECTED : SW_STYLE_TEXT, false,
                      sw_fit_region_words(seen, seen->looked, &shown->program.regions[trade->region]));
        sw_lines_cellf(lines, SW_STYLE_TEXT, false, "%s", text);
    }
}
