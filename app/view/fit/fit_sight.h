/* What the views of fit share: which models there are, which one is looked at, its program, and words (fit_words.c). */
#ifndef SW_VIEW_FIT_SIGHT_H
#define SW_VIEW_FIT_SIGHT_H

#include "fit/find_fit.h"
#include "fit/trade.h"
#include "view/fit/fit_front.h"
#include "view/scene/lines.h"

struct sw_fit_seen {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    struct sw_fit_sight sight;
    const struct sw_fit_result *result;
    const struct sw_fit_model *as_is, *looked; /* the model as it is, and the one that the view shows */
    size_t number; /* of the one that is shown, in result->models; SIZE_MAX: it is none of these */
};
/* False: nothing was found, or nothing is known yet. */
bool sw_fit_seen(const struct sw_view_input *, struct sw_scene *, struct sw_fit_seen *);
/* The panel of a view that has nothing to show. */
void sw_fit_say_nothing(const struct sw_view_input *, struct sw_scene *, const char *id, struct sw_box);
/* The furniture of a plot that has such room beside it. */
struct sw_furniture sw_fit_furniture(const struct sw_fit_seen *, double left, double right);
/* For `applies`: has the run something to show, or can `:fit` find it? */
bool sw_fit_applies(const struct sw_search *, bool *missed);

/* The program of the model that is looked at, with what each region costs and saves in the order in which they are
 * taken. False: no memory. It is the caller's. */
struct sw_fit_shown_program {
    struct sw_fit_program program;
    struct sw_fit_trade *trades;
};
/* The problem of which the shown model's regions are cut. */
const struct sw_problem *sw_fit_cut_problem(const struct sw_fit_seen *);
bool sw_fit_shown_open(const struct sw_fit_seen *, struct sw_fit_shown_program *);
void sw_fit_shown_done(struct sw_fit_shown_program *);

/* "head" or "arena", whichever is to be small; and the multiply-adds of a model, in times those of the model as it is.
 */
const char *sw_fit_what(const struct sw_fit_seen *);
double sw_fit_work(const struct sw_fit_seen *, const struct sw_fit_model *);
/* "conv_1 to dw_3 in 6 strips": a region of the model; and any of its moves. */
const char *sw_fit_region_words(const struct sw_fit_seen *, const struct sw_fit_model *, const struct sw_fit_region *);
const char *sw_fit_move_words(const struct sw_fit_seen *, const struct sw_fit_model *, const struct sw_fit_move *);
/* What each region costs and saves, as rows of a table; `current`: a region; SW_NONE: none. In one row each where all
 * are level, in so wide a table on paper; else wrapped. */
bool sw_fit_trades_are_level(const struct sw_fit_seen *, const struct sw_fit_shown_program *, double width);
void sw_fit_add_trades(const struct sw_fit_seen *, struct sw_lines *, const struct sw_fit_shown_program *,
                       uint32_t current);
/* "the arena is 82,240 B as it is, 63,408 B (-22.9%) with 4 regions in strips, at 1.016 of the multiply-adds". */
const char *sw_fit_gain(const struct sw_fit_seen *);

/* Of a picture that `stowage fit` makes: title, subtitle and caption. */
void sw_fit_page_title(const struct sw_view_input *, struct sw_scene *);
const char *sw_fit_page_figures(const struct sw_view_input *, struct sw_scene *);

#endif
