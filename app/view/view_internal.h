/* What the files of this folder share; no other folder includes it. */
#ifndef SW_VIEW_INTERNAL_H
#define SW_VIEW_INTERNAL_H

#include "view/pages/page.h"
#include "view/view.h"
#include "base/sort.h"

#define VIEW(name, file, pane) extern const struct sw_view name;
#include "view/views.def"
#undef VIEW

/* From data to marks of the resolution: what can be told apart inside a panel's body. */
struct sw_space {
    double x_lo, x_hi, y_lo, y_hi; /* data; x already in raw time when that is wanted */
    double x_scale, y_scale;       /* marks per unit of data */
    double columns, rows;          /* marks in the body, at least 1 */
};

/* Words and ticks tell the file's own times, and not steps: where raw time is shown, and on paper wherever
 * the two differ, for what reads a picture has the file and not the steps. And a step in such words, as a
 * number, and as "time 166912" or "step 39". */
bool sw_view_tells_time(const struct sw_view_input *);
bool sw_view_stretched(const struct sw_view_input *); /* and some steps are longer than a moment */
long long sw_view_moment(const struct sw_view_input *, uint32_t step);
const char *sw_view_when(const struct sw_view_input *, struct sw_scene *, uint32_t step);
/* A step on the x axis: itself, or its raw time. Fractions are allowed. */
double sw_view_x(const struct sw_view_input *, double step);
/* Place the panel, and the body inside it; sets the x axis from the viewport, with ticks when
 * `x_labels`. */
void sw_view_place(const struct sw_view_input *, struct sw_scene *, struct sw_panel *, struct sw_box, bool x_labels);
/* The same for an x axis of things that are counted, and no steps of time: [lo, hi). */
void sw_view_place_count(const struct sw_view_input *, struct sw_scene *, struct sw_panel *, struct sw_box,
                         const char *what, double lo, double hi);
/* A plot that the terminal draws in pixels: its input and its box, in points, and its place in cells (the panel's
 * `on_cells`), which is empty where it is drawn otherwise: then both are as they were. */
struct sw_box sw_view_in_pixels(const struct sw_view_input *, struct sw_view_input *own, struct sw_box *box);
/* Set the y axis and its ticks; the panel must have been placed. */
void sw_view_bytes_axis(const struct sw_view_input *, struct sw_scene *, struct sw_panel *, double lo, double hi);
/* Ticks of an axis of bytes, at most so many. */
void sw_view_bytes_ticks(const struct sw_view_input *, struct sw_scene *, struct sw_axis *, double most);
/* The same for numbers that are no bytes. */
void sw_view_number_axis(const struct sw_view_input *, struct sw_scene *, struct sw_panel *, double lo, double hi);
/* The same for addresses: they count from the base. */
void sw_view_address_axis(const struct sw_view_input *, struct sw_scene *, struct sw_panel *, double lo, double hi);
struct sw_space sw_view_space(const struct sw_view_input *, const struct sw_panel *);

/* The sums of the matrix of conflicts with so many blocks a side, as an earlier frame left them; false: it did not.
 * And leaving them. */
bool sw_frame_cache_matrix(struct sw_frame_cache *, const struct sw_problem *, uint32_t side, uint32_t *blocks,
                           uint64_t *pairs);
void sw_frame_cache_put_matrix(struct sw_frame_cache *, const struct sw_problem *, uint32_t side,
                               const uint32_t *blocks, uint64_t pairs);

/* What would lower the problem's bound, tried out once. NULL: nothing is lent, or no memory. */
struct sw_advice;
const struct sw_advice *sw_frame_cache_advice(struct sw_frame_cache *, const struct sw_problem *);
/* The place for what there is to say of all orders of a problem (blame/orders_look.h). */
struct sw_orders_look;
struct sw_orders_look *sw_frame_cache_orders(struct sw_frame_cache *);
/* What lowers the peak of the run, which stands at its end (blame/blame_try.c); NULL: it cannot be tried, or the error
 * says that there is no memory. */
const struct sw_suggest *sw_frame_cache_suggest(struct sw_frame_cache *, const struct sw_search *, struct sw_error *);
/* Which settings of its online allocator would have reserved less; NULL: no memory, or nothing is kept. */
struct sw_avoided;
const struct sw_avoided *sw_frame_cache_avoided(struct sw_frame_cache *, const struct sw_search *);

/* A horizontal line over the whole x axis; `labels` NULL-ended alternatives. */
void sw_view_level(struct sw_scene *, struct sw_panel *, enum sw_style, bool dashed, double at,
                   const char *const *labels);
/* Does the label of a line, for which there is room, say this figure: "peak", "bound"? On plots of the tier, or, of
 * SW_NONE, on any. */
bool sw_view_says(const struct sw_scene *, const char *word, uint32_t tier);
/* A dashed line at the step of time under the cursor; not on what stands still. */
void sw_view_mark_cursor(const struct sw_view_input *, struct sw_scene *, struct sw_panel *);
/* A text above a point. */
void sw_view_point(struct sw_scene *, struct sw_panel *, enum sw_style, double x, double y, const char *const *labels);
/* A row of `count` equal cells, [0, count) wide and 1 high, for the legend below a plot in a terminal; `gutter` beside
 * it. */
/* Do the colors of blocks say more than which block it is? Then the map's legend tells what. */
bool sw_view_colors_speak(const struct sw_view_input *);
struct sw_panel *sw_view_legend_row(struct sw_scene *, const char *id, struct sw_box, double gutter, unsigned count);
/* "peak 7.66M", "peak", "". Where the peak is the bound, one line says so: "peak = bound 7.66M". */
#define SW_PEAK_IS "peak = "
const char *const *sw_view_figure(const struct sw_view_input *, struct sw_scene *, const char *word, uint64_t bytes);
/* " without migration" where blocks are moved out of the way, else "": the lower bound is one of layouts that
 * move nothing, and the peak may be below it. */
const char *sw_view_bound_remark(const struct sw_view_input *);
/* Does the planner keep a better layout than the one on view, maybe, and is the end of its run not known yet? Then
 * nothing on view is the plan for sure. */
bool sw_view_tries(const struct sw_view_input *);
/* Of a layout that the run tried and gave up: "trial 3 of 14", or "a trial"; else "". `plan`, which may be NULL,
 * receives the peak of the plan. */
const char *sw_view_trial(const struct sw_view_input *, struct sw_scene *, uint64_t *plan);
/* How a peak below the lower bound is told (sw_below_words); the scene has failed where there was no memory. */
const char *sw_view_below(struct sw_scene *, const struct sw_search *, bool brief);
/* 7.66M in a terminal, 7.66 MiB on paper. And the same in a sentence, where small numbers need their unit: "703 B". */
const char *sw_view_bytes(const struct sw_view_input *, struct sw_scene *, uint64_t bytes);
const char *sw_view_said_bytes(const struct sw_view_input *, struct sw_scene *, uint64_t bytes);

/* Pages of several runs: seed and settings of a planner; the room
 * that legend and caption take; the last rows of tables that are cut say how many follow. */
const char *sw_page_settings(struct sw_scene *, const struct sw_params *);
/* "Options --capacity 64K; problem 0123." */
const char *sw_page_conditions(struct sw_scene *, const char *conditions, const struct sw_problem *);
/* Lines of the caption, as many as the text takes. */
void sw_page_caption(struct sw_scene *, const char *text, double width);
/* A sentence of the caption that is said once: behind another that leaves room, else in lines of its own. */
void sw_page_remark(struct sw_scene *, const char *text);
/* Of text in points, at this size of letters; is there room for the title of a panel? */
double sw_page_text_width(const char *text, double size);
bool sw_page_title_fits(const char *title, double room);
/* Does an entry of the legend begin a new row? `used`: how wide this row is so far. */
bool sw_page_legend_wraps(double *used, double width, const struct sw_legend_entry *);
double sw_page_foot(const struct sw_scene *, double width);
/* How much furniture a page of this height has to do without, once legend and caption are known; and doing
 * without. */
unsigned sw_page_thrift(const struct sw_scene *, double width, double height);
void sw_page_thin(struct sw_scene *, unsigned thrift);
void sw_page_say_hidden(struct sw_scene *);
/* Write the bytes in sentences of a page about one or two problems in the page's unit (page_units.c); `input` and
 * `other_input` are the names of their files. The others are NULL where there is one. */
void sw_page_one_unit(struct sw_scene *, const struct sw_problem *, const char *input, const struct sw_problem *other,
                      const char *other_input);
/* What a page leaves for its view, with `foot` below it for legend and caption. */
struct sw_box sw_page_box(double width, double height, double foot);
/* How high a plot is that would get `wanted` of this height. A page too low for both leaves the plot all of it, and no
 * table stands below. */
double sw_page_plot_height(const struct sw_view_input *, double height, double wanted);
/* Place a plot over the whole width of a page, with so much room beside its body. */
void sw_page_place(struct sw_panel *, struct sw_box, double gutter, double right);

/* Build with the facts of the run (facts.h): those that are lent, or gathered for it. */
typedef void sw_build_with_facts(const struct sw_view_input *, const struct sw_facts *, struct sw_scene *,
                                 struct sw_box);
void sw_view_with_facts(const struct sw_view_input *, struct sw_scene *, struct sw_box, sw_build_with_facts *);

/* Round ticks of an axis of numbers that need not be whole; of one that is the logarithm of a count. */
void sw_view_linear_ticks(struct sw_scene *, struct sw_axis *, unsigned most);
void sw_view_log_ticks(struct sw_scene *, struct sw_axis *, unsigned most);

/* The first row of a list in a pane, of which `room` of `count` rows are shown: `first`, or so many further as it is
 * scrolled and there are; the panel is told by how many it would have gone too far, and what is above and below. */
uint64_t sw_view_first(struct sw_panel *, int32_t scroll, uint64_t first, uint64_t count, uint64_t room);
/* The panel has that part of its rows, found before there was a panel. */
void sw_view_scrolled(struct sw_panel *, const struct sw_panel *part);

/* The name of a buffer or an operator in a sentence or a title: where it has more than `width` characters it loses
 * what those before and after it begin with, too, and then parts of its middle. On paper it is whole. And how long
 * it may be in rows of so many characters. */
const char *sw_view_buffer_name(const struct sw_view_input *, struct sw_scene *, uint32_t buffer, unsigned width);
const char *sw_view_operator_name(const struct sw_view_input *, struct sw_scene *, uint32_t step, unsigned width);
unsigned sw_view_name_room(unsigned room);
/* The text with a shorter name of the buffer in it, where it names that; for rows of so many characters. */
const char *sw_view_shorter(const struct sw_view_input *, struct sw_scene *, const char *text, uint32_t buffer,
                            unsigned room);

/* "3..7", both inside; in the file's times where those are not steps. */
const char *sw_view_life(struct sw_scene *, const struct sw_problem *, const struct sw_buffer *);

/* The longest form of a name that has so many characters, or so many of them as the gutter has room for; where none
 * is as short, one that loses its middle. */
const char *sw_view_name_within(struct sw_scene *, const char *name, unsigned room);
const char *sw_view_gutter_name(const struct sw_view_input *, struct sw_scene *, const char *name);
/* How many characters fit in a panel `width` units wide. */
unsigned sw_view_room(const struct sw_view_input *, double width);

/* Is the run over, and does it stand at its end? */
bool sw_view_at_end(const struct sw_search *);
/* Only one tier: bound and live bytes, which are over all, then belong to the map shown. */
bool sw_view_single(const struct sw_view_input *);
/* The largest live sum, and the capacity or SW_UNBOUNDED. */
uint64_t sw_view_live_peak(const struct sw_problem *, uint32_t *step);
/* " if all were served" behind live bytes of requests that follow a moment, some of which may get nothing; "". */
const char *sw_view_if_served(const struct sw_problem *);
uint64_t sw_view_capacity(const struct sw_view_input *);

/* What pages say: the input without its folders; of the last decision "17  place conv_3", and "at 45 KiB; peak 63 KiB
 * (+18 KiB)". */
const char *sw_page_input(const struct sw_view_input *);
/* Bytes that alignment costs; 0 where there are so many blocks that finding it takes longer than drawing the page. */
uint64_t sw_page_padding(struct sw_scene *, const struct sw_search *, const struct sw_metrics *);
const char *sw_page_decision(const struct sw_view_input *, struct sw_scene *);
const char *sw_page_outcome(const struct sw_view_input *, struct sw_scene *);

/* The end of an axis of bytes: a little above what is used, and above the capacity where that is near. */
double sw_view_top(double used, uint64_t capacity);
/* The steady heights are at least those of the layout. */
void sw_steady_raise(struct sw_steady *, const struct sw_layout *);
/* A tier's own range of addresses in the viewport; the same at every step when the picture is one of several. */
struct sw_viewport sw_view_tier(const struct sw_view_input *, uint32_t tier);
/* Was the tier, or will it be, in use? */
bool sw_view_uses(const struct sw_view_input *, uint32_t tier);

/* "528 B of what may lie in sram": what every order needs, and of what, where there are several memories. */
const char *sw_view_order_need(struct sw_scene *, const struct sw_problem *, const char *bytes);

/* fit/region_marks.c: where the regions lie that a run of fit computes in strips. */
void sw_view_mark_regions(const struct sw_view_input *, struct sw_scene *, struct sw_panel *);

/* Panels that screens are made of. */
void sw_view_build_map(const struct sw_view_input *, struct sw_scene *, struct sw_box, bool x_labels);
void sw_view_build_live(const struct sw_view_input *, struct sw_scene *, struct sw_box, bool x_labels);
void sw_view_build_decision(const struct sw_view_input *, struct sw_scene *, struct sw_box, unsigned edges);
void sw_view_build_decisions(const struct sw_view_input *, struct sw_scene *, struct sw_box, unsigned edges);
/* A map and a curve of each of the runs that are compared, as many as the box is wide enough for. */
void sw_view_build_beside(const struct sw_view_input *, struct sw_scene *, struct sw_box);
/* What a pane says that is about several runs, where there is one. */
struct sw_lines;
void sw_view_say_one_run(struct sw_lines *);
/* Is part of the map out of view? And where the window lies then, as a plot or in one line. */
bool sw_view_zoomed(const struct sw_view_input *);
void sw_view_build_overview(const struct sw_view_input *, struct sw_scene *, struct sw_box);
void sw_view_build_window(const struct sw_view_input *, struct sw_scene *, struct sw_box);
/* Find what in->notes speak of on the page, and list below it what is not there. */
void sw_view_annotate(const struct sw_view_input *, struct sw_scene *);
/* A value per step as bars, into a panel that has its axes; those of `most` stand out. */
void sw_view_bars(const struct sw_view_input *, struct sw_scene *, struct sw_panel *, const uint64_t *profile,
                  uint64_t most);
/* The legend of such bars: of the colors that occur. */
void sw_view_bars_legend(struct sw_scene *, const struct sw_panel *, const char *text);
/* The same as lines of text, in one column. */
void sw_view_build_text(const struct sw_view_input *, struct sw_scene *, struct sw_box);
void sw_view_build_header(const struct sw_view_input *, struct sw_scene *, struct sw_box);
/* Rows that it needs to say all of the status; 1 without one. */
double sw_view_footer_rows(const struct sw_view_input *, const char *status);
void sw_view_build_footer(const struct sw_view_input *, struct sw_scene *, struct sw_box, const char *status,
                          bool status_is_error);

#endif
