/* One view as a picture: title, view, legend, and a caption that says where every figure comes
 * from. */
#include "formats/format.h"
#include "base/base.h"
#include "view/facts.h"
#include "view/moment/moment_words.h"
#include "view/fit/fit_sight.h"
#include "view/view_internal.h"
#include "view/pages/runs.h"

const char *sw_page_input(const struct sw_view_input *in) {
    return sw_path_name(in->run.input_name);
}

const char *sw_page_settings(struct sw_scene *scene, const struct sw_params *params) {
    const char *text = sw_scene_printf(scene, "seed %llu", (unsigned long long)params->seed);
    if (params->work) {
        text = sw_scene_printf(scene, "%s, work %s", text, SW_COUNT(params->work));
    }
    for (size_t i = 0; i < params->settings.count; i++) {
        text =
            sw_scene_printf(scene, "%s, %s=%s", text, params->settings.items[i].key, params->settings.items[i].value);
    }
    return text;
}

const char *sw_page_conditions(struct sw_scene *scene, const char *conditions, const struct sw_problem *problem) {
    return sw_scene_printf(scene, "Options %s; problem %016llx.", conditions,
                           (unsigned long long)sw_problem_digest(problem));
}

static const char *run_line(const struct sw_view_input *in, struct sw_scene *scene) {
    uint64_t step = sw_search_at(in->run.search), last = sw_search_known(in->run.search);
    size_t overrides = 0;
    sw_search_recipe(in->run.search, &overrides);
    const char *text = sw_scene_printf(scene, "Planner %s, %s.", SW_SEARCH_LABEL(in->run.search),
                                       sw_page_settings(scene, sw_search_params(in->run.search)));
    struct sw_error error;
    text = step == last && sw_search_failed(in->run.search, &error)
               ? sw_scene_printf(scene, "%s Given up after decision %s.", text, SW_COUNT(last))
           : sw_search_complete(in->run.search) && step == last
               ? sw_scene_printf(scene, last == 1 ? "%s Its one decision made." : "%s All %s decisions made.", text,
                                 SW_COUNT(last))
               : sw_scene_printf(scene, "%s After decision %s%s%s.", text, SW_COUNT(step),
                                 sw_search_complete(in->run.search) ? " of " : "",
                                 sw_search_complete(in->run.search) ? SW_COUNT(last) : "");
    const struct sw_decision *end = sw_search_decision(in->run.search);
    char reason[SW_REASON];
    if (end && end->kind == SW_DECISION_FINISH && end->reason) {
        text = sw_scene_printf(scene, "%s At the end: %s.", text, sw_decision_reason(end, reason));
    }
    return overrides ? sw_scene_printf(scene, "%s %zu override%s.", text, overrides, overrides == 1 ? "" : "s") : text;
}

/* What small pages do without: each the ones before it, too. */
enum { THRIFT_NONE, THRIFT_CAPTION, THRIFT_LEGEND, THRIFT_TITLES };

static const char *and_then(struct sw_scene *scene, const char *line, const char *more) {
    return sw_scene_printf(scene, "%s%s%s", line, *line && *more ? "; " : "", more);
}

/* "Peaks: sram 54 KiB with at most 50 KiB in use, dram 2 MiB": those that no line says. */
static const char *tier_figures(const struct sw_view_input *in, struct sw_scene *scene,
                                const struct sw_metrics *metrics) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    const char *peaks = "", *used = "";
    uint64_t most[SW_MAX_TIERS];
    scene->failed |= !sw_most_in_use(sw_search_layout(in->run.search), most);
    for (uint32_t t = 0; t < sw_problem_tier_count(problem) && !scene->failed; t++) {
        const char *name = sw_problem_tier(problem, t)->name, *bytes = sw_scene_bytes(scene, most[t]);
        bool ends = most[t] < metrics->tier_peak[t]; /* blocks lie at both */
        if (!sw_view_says(scene, "peak", t)) {
            peaks = sw_scene_printf(scene, "%s%s%s %s%s%s%s", peaks, *peaks ? ", " : "peaks: ", name,
                                    sw_scene_bytes(scene, metrics->tier_peak[t]), ends ? " with at most " : "",
                                    ends ? bytes : "", ends ? " in use" : "");
        } else if (ends) {
            used = sw_scene_printf(scene, "%s%sat most %s of %s in use", used, *used ? ", " : "", bytes, name);
        }
    }
    return and_then(scene, peaks, used);
}

/* Of a run with one memory, what neither a line nor the subtitle says. */
static const char *single_figures(const struct sw_view_input *in, struct sw_scene *scene,
                                  const struct sw_metrics *metrics) {
    const char *trial = sw_view_trial(in, scene, NULL);
    return metrics->placed == 0 && metrics->planned > 0 ? "nothing is placed"
           : *trial ? sw_scene_printf(scene, "this is %s, which was given up", trial)
           : in->run.steady && !sw_view_says(scene, "peak", SW_NONE)
               ? sw_scene_printf(scene, "peak %s", sw_scene_bytes(scene, metrics->peak))
               : "";
}

uint64_t sw_page_padding(struct sw_scene *scene, const struct sw_search *search, const struct sw_metrics *metrics) {
    enum { MOST_PADDED = 5000 }; /* blocks */
    uint64_t padding = 0;
    scene->failed |= metrics->planned <= MOST_PADDED && !sw_layout_padding(sw_search_layout(search), &padding);
    return padding;
}

static const char *figure_line(const struct sw_view_input *in, struct sw_scene *scene) {
    struct sw_metrics metrics;
    sw_metrics_of(sw_search_layout(in->run.search), &metrics);
    bool single = metrics.single_tier, comparable = !*sw_view_bound_remark(in) && metrics.complete;
    const char *line = single ? single_figures(in, scene, &metrics) : tier_figures(in, scene, &metrics);
    bool said = sw_view_says(scene, "bound", SW_NONE) && !*sw_view_bound_remark(in);
    if ((!single || in->run.steady) && !said) {
        line = and_then(scene, line,
                        sw_scene_printf(scene, "lower bound %s%s", sw_scene_bytes(scene, metrics.lower_bound),
                                        sw_view_bound_remark(in)));
    }
    if (comparable && single && metrics.peak == metrics.lower_bound) {
        line = and_then(scene, line, "the peak is the lower bound");
    } else if (comparable && metrics.comparable && metrics.lower_bound && metrics.over_bound > 0) {
        line = and_then(scene, line,
                        sw_scene_printf(scene, "%s is %s over the bound", single ? "the peak" : "this",
                                        SW_PERCENT(metrics.over_bound, false)));
    }
    if (!single || !in->run.fault) { /* else it stands below the title */
        line = and_then(scene, line, sw_view_below(scene, in->run.search, true));
    }
    line = and_then(scene, line, sw_scene_printf(scene, "without reuse %s", sw_scene_bytes(scene, metrics.naive)));
    uint64_t padding = sw_page_padding(scene, in->run.search, &metrics);
    if (padding) {
        line = and_then(scene, line, sw_scene_printf(scene, "alignment costs %s", sw_scene_bytes(scene, padding)));
    }
    return sw_scene_printf(scene, "%s.", sw_scene_capital(scene, line));
}

/* Exact figures, which the file tells and the page does not: there a number has one unit. */
static const char *exact_figures(const struct sw_view_input *in, struct sw_scene *scene) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    struct sw_metrics metrics;
    sw_metrics_of(sw_search_layout(in->run.search), &metrics);
    const char *line =
        metrics.single_tier ? sw_scene_printf(scene, "Peak %s", SW_COUNTED(metrics.peak, "byte")) : "Peaks:";
    for (uint32_t t = 0; t < sw_problem_tier_count(problem) && !metrics.single_tier; t++) {
        line = sw_scene_printf(scene, "%s%s %s %s", line, t ? "," : "", sw_problem_tier(problem, t)->name,
                               SW_COUNTED(metrics.tier_peak[t], "byte"));
    }
    return sw_scene_printf(scene, "%s, lower bound %s, without reuse %s.", line,
                           SW_COUNTED(metrics.lower_bound, "byte"), SW_COUNTED(metrics.naive, "byte"));
}

/* Where steps last different times, and are drawn equally wide. */
static const char *page_time_words(const struct sw_view_input *in, struct sw_scene *scene) {
    uint32_t steps = sw_problem_steps(sw_search_problem(in->run.search));
    return sw_view_stretched(in) ? sw_scene_printf(scene, " of time %lld to %lld, all drawn equally wide",
                                                   sw_view_moment(in, 0), sw_view_moment(in, steps) - 1)
                                 : "";
}

/* How far the letters from the blank to the tilde go on in DejaVu Sans, in hundredths of its size. */
static const unsigned char letter_widths[] = {
    32, 41, 46, 84, 64, 96, 78, 28, 40,  40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 77, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79,
    61, 79, 70, 64, 62, 74, 69, 99, 69,  62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64,
    64, 28, 28, 58, 28, 98, 64, 62, 64,  64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84};

/* A byte of another letter counts a third of the widest, which have three. */
static double letter_width(char letter) {
    unsigned at = (unsigned char)letter - 32u;
    return at < sizeof letter_widths ? letter_widths[at] / 100.0 : 0.34;
}

double sw_page_text_width(const char *text, double size) {
    double width = 0;
    for (; *text; text++) {
        width += letter_width(*text);
    }
    return width * size;
}

/* It is bold, and as small as titles become. */
bool sw_page_title_fits(const char *title, double room) {
    return SW_PAGE_BOLD * sw_page_text_width(title, 8) <= room;
}

/* So many columns of the text are in one line of that width. */
static unsigned columns_within(const char *text, double width) {
    unsigned columns = 0;
    for (; *text && width >= 0; text++) {
        width -= letter_width(*text) * SW_PAGE_CAPTION_SIZE;
        columns += width >= 0 && ((unsigned char)*text & 0xc0) != 0x80;
    }
    return columns;
}

void sw_page_caption(struct sw_scene *scene, const char *text, double width) {
    while (*text && !scene->failed) {
        unsigned room = columns_within(text, width);
        sw_scene_caption(scene, sw_view_line(scene, &text, SW_MAX(room, 12)));
    }
}

/* Beside the page's number, where it has one. */
static double caption_width(const struct sw_scene *scene) {
    return scene->width - 2 * SW_PAGE_MARGIN - (scene->number ? SW_PAGE_NUMBER : 0);
}

static void add_caption_lines(struct sw_scene *scene, const char *text) {
    sw_page_caption(scene, text, caption_width(scene));
}

void sw_page_remark(struct sw_scene *scene, const char *text) {
    const char **behind = NULL, *more = text;
    const char *first = sw_view_line(scene, &more, columns_within(text, caption_width(scene)));
    for (size_t i = 0; i < scene->caption.count && !scene->failed; i++) {
        const char *line = scene->caption.items[i], *both = sw_scene_printf(scene, "%s %s", line, text);
        size_t length = strlen(line);
        if (strstr(line, first)) {
            return;
        }
        bool fits = length > 0 && line[length - 1] == '.' &&
                    sw_page_text_width(both, SW_PAGE_CAPTION_SIZE) <= caption_width(scene);
        behind = fits ? &scene->caption.items[i] : behind;
    }
    if (behind) {
        *behind = sw_scene_printf(scene, "%s %s", *behind, text);
    } else {
        add_caption_lines(scene, text);
    }
}

/* What was found is drawn, and not the run that it stands beside. */
static bool is_of_fit(const struct sw_view_input *in, const struct sw_view *view) {
    return view->of_fit && in->run.fit;
}

/* Times of the input where it has its own. */
static const char *part_of_time(const struct sw_view_input *in, struct sw_scene *scene) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    uint32_t steps = sw_problem_steps(problem);
    double lo = fmax(in->look.viewport.time_lo, 0), hi = fmin(in->look.viewport.time_hi, steps);
    if (!(lo < hi) || (lo <= 0 && hi >= steps)) {
        return "";
    }
    bool own = sw_view_tells_time(in);
    long long from = sw_view_moment(in, (uint32_t)lo);
    long long to = sw_view_moment(in, (uint32_t)ceil(hi)) - 1;
    return from == to ? sw_scene_printf(scene, "%s %lld", own ? "time" : "step", from)
                      : sw_scene_printf(scene, "%s %lld to %lld", own ? "time" : "steps", from, to);
}

/* "steps 5 to 15, 3 MiB to 8 MiB", when a part of time or memory is shown; "". */
static const char *part_of_all(const struct sw_view_input *in, struct sw_scene *scene) {
    const char *time = part_of_time(in, scene), *bytes = "";
    bool part = in->look.tier != SW_NONE &&
                (in->look.viewport.bytes_lo > 0 ||
                 in->look.viewport.bytes_hi < (double)sw_layout_arena(sw_search_layout(in->run.search), in->look.tier));
    if (part) {
        bytes = sw_scene_printf(scene, "%s to %s",
                                sw_view_bytes(in, scene, (uint64_t)in->look.viewport.bytes_lo + in->run.base),
                                sw_view_bytes(in, scene, (uint64_t)in->look.viewport.bytes_hi + in->run.base));
    }
    return sw_scene_printf(scene, "%s%s%s", time, *time && *bytes ? ", " : "", bytes);
}

static void add_moment_caption(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_moment *moment) {
    size_t segments = moment->segments.count;
    add_caption_lines(scene,
                      sw_scene_printf(scene, "Input %s, digest %016llx: %s; %s%s%s. stowage %s.", sw_page_input(in),
                                      (unsigned long long)in->run.input_digest, moment->what,
                                      sw_scene_counted(scene, moment->blocks.count, "block"), segments ? " in " : "",
                                      segments ? sw_scene_counted(scene, segments, "segment") : "", STOWAGE_VERSION));
}

/* Where only one line of it is drawn, that says what is wrong, or what the picture is of. */
static void add_page_caption(const struct sw_view_input *in, const struct sw_view *view, struct sw_scene *scene,
                             unsigned thrift) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    if (sw_problem_moment(problem)) {
        add_moment_caption(in, scene, sw_problem_moment(problem));
        return;
    }
    if (in->run.fault && *in->run.fault && !view->pages) {
        const char *fault = sw_scene_printf(scene, "%s.", sw_scene_capital(scene, in->run.fault));
        if (thrift >= THRIFT_CAPTION) {
            sw_scene_caption(scene, fault);
        } else {
            add_caption_lines(scene, fault);
        }
    }
    const char *part = part_of_all(in, scene);
    bool document = view->pages != NULL; /* which tells the figures on its first page */
    const char *file = sw_scene_printf(scene, "Input %s, digest %016llx: %s, %s", sw_page_input(in),
                                       (unsigned long long)in->run.input_digest,
                                       sw_scene_counted(scene, sw_problem_planned_count(problem), "block"),
                                       sw_scene_counted(scene, sw_problem_steps(problem), "step"));
    const char *input = sw_scene_printf(scene, "%s%s. stowage %s.", file, page_time_words(in, scene), STOWAGE_VERSION);
    const char *torn = sw_scene_printf(scene, "A part: %s; blocks with torn edges go on outside.", part);
    const char *brief = *part ? torn : sw_scene_printf(scene, "%s.", file);
    if (*part) {
        input = sw_scene_printf(scene, "%s %s", torn, input);
    }
    if (thrift >= THRIFT_CAPTION) {
        if (sw_page_text_width(input, SW_PAGE_CAPTION_SIZE) > caption_width(scene)) {
            sw_scene_caption(scene, brief);
        }
        sw_scene_caption(scene, input);
    }
    if (is_of_fit(in, view)) {
        add_caption_lines(scene, sw_fit_page_figures(in, scene));
    } else if (!document) {
        add_caption_lines(scene, figure_line(in, scene));
        add_caption_lines(scene, run_line(in, scene));
    }
    if (in->run.conditions && *in->run.conditions && !document) {
        add_caption_lines(scene, sw_page_conditions(scene, in->run.conditions, problem));
    }
    if (thrift < THRIFT_CAPTION) {
        add_caption_lines(scene, input);
    }
}

double sw_legend_sample(const struct sw_legend_entry *entry) {
    return entry->line && entry->style == SW_STYLE_BLOCK ? SW_PAGE_CURVE : SW_PAGE_SWATCH;
}

bool sw_page_legend_wraps(double *used, double width, const struct sw_legend_entry *entry) {
    double wanted =
        sw_legend_sample(entry) + SW_PAGE_LEGEND_SPACE + 6 + SW_PAGE_CHARACTER * (double)sw_view_columns(entry->text);
    bool wraps = *used + wanted > width && *used > 0;
    *used = wraps ? wanted : *used + wanted;
    return wraps;
}

/* A generous guess before anything is measured: the back end never needs more rows. */
static double legend_rows(const struct sw_scene *scene, double width) {
    double rows = 1, used = 0;
    for (size_t i = 0; i < scene->legend.count; i++) {
        rows += sw_page_legend_wraps(&used, width, &scene->legend.items[i]);
    }
    return scene->legend.count ? rows : 0;
}

static double foot_of(double rows, double lines) {
    return rows * SW_PAGE_LEGEND_ROW + (rows > 0 ? SW_PAGE_LEGEND_GAP : 0) + SW_PAGE_CAPTION_GAP +
           SW_PAGE_CAPTION_LINE * lines;
}

double sw_page_foot(const struct sw_scene *scene, double width) {
    return foot_of(legend_rows(scene, width), (double)sw_scene_caption_lines(scene));
}

struct sw_box sw_page_box(double width, double height, double foot) {
    double top = SW_PAGE_MARGIN + SW_PAGE_TITLE;
    return (struct sw_box){SW_PAGE_MARGIN, top, fmax(width - 2 * SW_PAGE_MARGIN, 1),
                           fmax(height - top - SW_PAGE_MARGIN - foot, 1)};
}

void sw_page_place(struct sw_panel *panel, struct sw_box box, double gutter, double right) {
    sw_panel_put(panel, box);
    panel->body_left = box.left + gutter;
    panel->body_top = box.top + SW_PAGE_HEADING;
    panel->body_width = fmax(box.width - gutter - right, 1);
    panel->body_height = fmax(box.height - SW_PAGE_HEADING - SW_PAGE_TICKS, 1);
}

/* ---- small pages ---- */

double sw_page_plot_height(const struct sw_view_input *in, double height, double wanted) {
    double plot = fmax(wanted, SW_PAGE_VIEW);
    return !sw_medium(in)->still ? wanted : plot + 4 * SW_PAGE_ROW > height ? height : plot;
}

static unsigned thrift_for(double rows, double lines, double height) {
    double most = height - 2 * SW_PAGE_MARGIN - SW_PAGE_TITLE, room = most - SW_PAGE_VIEW;
    return fmin(room, most - height * SW_PAGE_VIEW_SHARE) >= foot_of(rows, lines) ? THRIFT_NONE
           : room >= foot_of(rows, 1)                                             ? THRIFT_CAPTION
           : room >= foot_of(0, 1)                                                ? THRIFT_LEGEND
                                                                                  : THRIFT_TITLES;
}

unsigned sw_page_thrift(const struct sw_scene *scene, double width, double height) {
    return thrift_for(legend_rows(scene, width), (double)scene->caption.count, height);
}

void sw_page_thin(struct sw_scene *scene, unsigned thrift) {
    if (thrift >= THRIFT_LEGEND) {
        scene->legend.count = 0;
    }
    scene->caption_shown = thrift >= THRIFT_CAPTION ? 1 : 0;
    for (size_t i = 0; i < scene->panels.count && thrift >= THRIFT_TITLES; i++) {
        scene->panels.items[i].x.title = scene->panels.items[i].y.title = NULL;
    }
}

/* Of a moment: what it is, and what it comes to. */
static void set_moment_head(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_moment *moment) {
    struct sw_sink figures = {0};
    sw_moment_put_figures(moment, &figures);
    const char *text = sw_sink_ended(&figures);
    scene->failed |= !text;
    scene->title = in->title
                       ? sw_scene_clean(scene, in->title)
                       : sw_scene_printf(scene, "%s, one moment of an allocator",
                                         sw_runs_name(scene, sw_search_problem(in->run.search), sw_page_input(in)));
    scene->subtitle = text ? sw_scene_capital(scene, text) : "";
    sw_sink_done(&figures);
}

static void set_title(const struct sw_view_input *in, struct sw_scene *scene) {
    scene->title = in->title
                       ? sw_scene_clean(scene, in->title)
                       : sw_scene_printf(scene, "%s, planned by %s",
                                         sw_runs_name(scene, sw_search_problem(in->run.search), sw_page_input(in)),
                                         SW_SEARCH_LABEL(in->run.search));
}

/* What is wrong, in a word or two: the caption has the whole sentence. */
static const char *fault_word(const struct sw_view_input *in, const struct sw_metrics *metrics) {
    return !strncmp(in->run.fault, "undecided", 9) ? "Unfinished"
           : metrics->complete && !metrics->fits   ? "Does not fit"
                                                   : "Infeasible";
}

static void add_fault_word(const struct sw_view_input *in, struct sw_scene *scene) {
    struct sw_metrics metrics;
    sw_metrics_of(sw_search_layout(in->run.search), &metrics);
    const char *line = scene->subtitle;
    scene->warns = true;
    scene->subtitle = sw_scene_printf(scene, "%s: %c%s", fault_word(in, &metrics),
                                      *line >= 'A' && *line <= 'Z' ? *line | 0x20 : *line, *line ? line + 1 : "");
}

/* "Peak 54 KiB, lower bound 36 KiB; ", with the capacity when that is what is wrong; else without what lines say. */
static const char *page_figures(const struct sw_view_input *in, struct sw_scene *scene,
                                const struct sw_metrics *metrics) {
    uint64_t capacity = sw_problem_tier(sw_search_problem(in->run.search), 0)->capacity, plan = 0;
    const char *trial = sw_view_trial(in, scene, &plan), *line = "";
    bool whole = (in->run.fault && *in->run.fault) || *trial || *sw_view_bound_remark(in);
    if (!metrics->single_tier) {
        return "";
    }
    if (metrics->placed == 0 && metrics->planned > 0) {
        line = "Nothing is placed";
    } else if (*trial) {
        line = sw_scene_printf(scene, "%s: peak %s; the plan %s", sw_scene_capital(scene, trial),
                               sw_scene_bytes(scene, metrics->peak), sw_scene_bytes(scene, plan));
    } else if (whole || !sw_view_says(scene, "peak", SW_NONE)) {
        line = sw_scene_printf(scene, "Peak %s", sw_scene_bytes(scene, metrics->peak));
    }
    if (in->run.fault && capacity != SW_UNBOUNDED) {
        line = sw_scene_printf(scene, "%s, capacity %s", line, sw_scene_bytes(scene, capacity));
    }
    if (whole || !sw_view_says(scene, "bound", SW_NONE)) {
        line = sw_scene_printf(scene, "%s%s %s%s", line, *line ? ", lower bound" : "Lower bound",
                               sw_scene_bytes(scene, metrics->lower_bound), sw_view_bound_remark(in));
    }
    if (in->run.fault) {
        line = and_then(scene, line, sw_view_below(scene, in->run.search, true));
    }
    return *line ? sw_scene_printf(scene, "%s; ", line) : "";
}

/* Below the title: what one wants to know first. */
static void set_page_subtitle(const struct sw_view_input *in, struct sw_scene *scene) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    struct sw_metrics metrics;
    sw_metrics_of(sw_search_layout(in->run.search), &metrics);
    const char *blocks = sw_scene_counted(scene, metrics.planned, "block"),
               *steps = sw_scene_counted(scene, sw_problem_steps(problem), "step");
    const char *line = metrics.complete
                           ? sw_scene_printf(scene, "%s, %s", blocks, steps)
                           : sw_scene_printf(scene, "%s of %s placed, %s", SW_COUNT(metrics.placed), blocks, steps);
    line = sw_scene_printf(scene, "%s%s", page_figures(in, scene, &metrics), line);
    const char *part = part_of_all(in, scene);
    scene->subtitle = *part ? sw_scene_printf(scene, "%s; here %s", line, part) : line;
    if (in->run.fault) {
        add_fault_word(in, scene);
    }
}

/* "at 45 KiB": where a decision's block begins; "" when it placed none. */
static const char *page_place(const struct sw_view_input *in, struct sw_scene *scene,
                              const struct sw_decision *decision) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    if (!sw_curve_addressed(decision)) {
        return "";
    }
    const char *offset = sw_view_bytes(in, scene, decision->offset + in->run.base);
    return sw_view_single(in)
               ? sw_scene_printf(scene, "at %s", offset)
               : sw_scene_printf(scene, "at %s+%s", sw_problem_tier(problem, decision->tier)->name, offset);
}

static const char *sw_page_peak(const struct sw_view_input *in, struct sw_scene *scene) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    const struct sw_layout *layout = sw_search_layout(in->run.search);
    if (sw_view_single(in)) {
        return sw_scene_printf(scene, "%speak %s", *sw_view_trial(in, scene, NULL) ? "trial, " : "",
                               sw_view_bytes(in, scene, sw_layout_tier_peak(layout, 0)));
    }
    const char *text = "peaks";
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        if (sw_layout_arena(layout, t) > 0) {
            text = sw_scene_printf(scene, "%s%s %s %s", text, text[5] ? "," : "", sw_problem_tier(problem, t)->name,
                                   sw_view_bytes(in, scene, sw_layout_tier_peak(layout, t)));
        }
    }
    return text[5] ? text : "nothing placed";
}

const char *sw_page_decision(const struct sw_view_input *in, struct sw_scene *scene) {
    const struct sw_decision *decision = sw_search_decision(in->run.search);
    if (!decision) {
        return "before the first decision";
    }
    const char *text = sw_scene_printf(scene, "%s  %s", SW_COUNT(decision->step), sw_decision_called(decision));
    return decision->buffer == SW_NONE
               ? text
               : sw_scene_printf(scene, "%s %s", text,
                                 sw_problem_buffer(sw_search_problem(in->run.search), decision->buffer)->name);
}

/* Of the decision's own tier, where there are several. */
static const char *outcome_peak(const struct sw_view_input *in, struct sw_scene *scene,
                                const struct sw_decision *decision) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    if (!sw_view_single(in) && (!decision || decision->tier == SW_NONE)) {
        return sw_page_peak(in, scene);
    }
    uint64_t peak = sw_view_single(in) ? 0 : sw_layout_tier_peak(sw_search_layout(in->run.search), decision->tier);
    const char *text = sw_view_single(in)
                           ? sw_page_peak(in, scene)
                           : sw_scene_printf(scene, "%s peak %s", sw_problem_tier(problem, decision->tier)->name,
                                             sw_view_bytes(in, scene, peak));
    return decision && !decision->another && !sw_curve_whole(decision) && decision->peak > decision->peak_before
               ? sw_scene_printf(scene, "%s (+%s)", text,
                                 sw_view_bytes(in, scene, decision->peak - decision->peak_before))
               : text;
}

const char *sw_page_outcome(const struct sw_view_input *in, struct sw_scene *scene) {
    const struct sw_decision *decision = sw_search_decision(in->run.search);
    struct sw_error error;
    const char *peak = outcome_peak(in, scene, decision);
    if (sw_search_failed(in->run.search, &error) && sw_search_at(in->run.search) == sw_search_known(in->run.search)) {
        return sw_scene_printf(scene, "no room; %s", peak);
    }
    const char *place = !decision                           ? ""
                        : decision->kind != SW_DECISION_TRY ? page_place(in, scene, decision)
                        : decision->tried.succeeded         ? "succeeds"
                                                            : "refused";
    return *place ? sw_scene_printf(scene, "%s; %s", place, peak) : peak;
}

/* Of one of several steps: what was decided there. */
static void set_step(const struct sw_view_input *in, struct sw_scene *scene) {
    const struct sw_decision *decision = sw_search_decision(in->run.search);
    char text[SW_MESSAGE];
    if (!decision) {
        scene->subtitle = "Before the first decision.";
        return;
    }
    struct sw_decision addressed = *decision;
    addressed.offset += in->run.base;
    sw_decision_describe(sw_search_problem(in->run.search), &addressed, text, sizeof text);
    scene->subtitle = sw_view_says(scene, "peak", SW_NONE)
                          ? sw_scene_printf(scene, "Decision %s %s.", SW_COUNT(decision->step), text)
                          : sw_scene_printf(scene, "Decision %s %s. So far: %s.", SW_COUNT(decision->step), text,
                                            sw_page_peak(in, scene));
}

/* Rows below a table's lower edge. */
static void cut_rows(struct sw_panel *panel) {
    double rows = floor(panel->height / SW_PAGE_ROW + 1e-6) - (panel->title && *panel->title);
    size_t most = rows > 1 ? (size_t)rows : 1;
    if (panel->rows.count > most) {
        panel->hidden_below += panel->rows.count - most;
        panel->rows.count = most;
    }
}

/* The last row of a table that is cut says how many follow. */
void sw_page_say_hidden(struct sw_scene *scene) {
    for (size_t i = 0; i < scene->panels.count && !scene->failed; i++) {
        struct sw_panel *panel = &scene->panels.items[i];
        if (panel->kind == SW_PANEL_TABLE) {
            cut_rows(panel);
        }
        if (panel->kind == SW_PANEL_TABLE && panel->hidden_below > 0 && panel->rows.count > 1) {
            panel->rows.count--;
            panel->hidden_below++;
            sw_panel_row(scene, panel, SW_NO_ITEM, false);
            sw_panel_cell(scene, panel, SW_STYLE_DIM, false,
                          sw_scene_printf(scene, "%s more", SW_COUNT(panel->hidden_below)));
        }
    }
}

static void add_steady_legend(const struct sw_steady *steady, struct sw_scene *scene) {
    for (size_t i = 0; i < steady->legend.legend.count; i++) {
        sw_scene_add_legend(scene, steady->legend.legend.items[i]);
    }
}

/* The largest figure of a picture of one run. */
static uint64_t most_bytes(const struct sw_view_input *in) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    uint64_t most = sw_problem_lower_bound(problem);
    for (uint32_t tier = 0; tier < sw_problem_tier_count(problem); tier++) {
        uint64_t arena = sw_layout_arena(sw_search_layout(in->run.search), tier);
        most = SW_MAX(arena, most);
    }
    return most;
}

/* Title and subtitle, of a run or of one of its steps. */
static void set_head(const struct sw_view_input *in, struct sw_scene *scene) {
    const struct sw_moment *moment = sw_view_moment_of(in->run.search);
    if (moment) {
        set_moment_head(in, scene, moment);
        return;
    }
    set_title(in, scene);
    if (!in->run.steady) {
        set_page_subtitle(in, scene);
        return;
    }
    set_step(in, scene);
    if (in->run.fault) {
        add_fault_word(in, scene);
    }
}

/* The first lines of the caption, which are those of the view, move behind the others; one that is alone behind a
 * sentence, where there is room. */
static void put_last(struct sw_scene *scene, size_t own) {
    for (size_t i = 0; i < own && scene->caption.count > own; i++) {
        const char *first = scene->caption.items[0];
        memmove(scene->caption.items, scene->caption.items + 1,
                (scene->caption.count - 1) * sizeof *scene->caption.items);
        scene->caption.count--;
        if (own == 1) {
            sw_page_remark(scene, first);
        } else {
            sw_scene_caption(scene, first);
        }
    }
}

/* What the subtitle was to say, without what lines of the view say now; a view may have put words before it. */
static const char *say_less(const struct sw_view_input *in, struct sw_scene *scene, const char *said) {
    const char *own = scene->subtitle;
    size_t length = said ? strlen(said) : 0, all = own ? strlen(own) : 0;
    if (!said || all < length || strcmp(own + all - length, said) != 0) {
        return said;
    }
    set_head(in, scene);
    said = scene->subtitle;
    scene->subtitle = all > length ? sw_scene_printf(scene, "%.*s%s", (int)(all - length), own, said) : said;
    return said;
}

static void build_view(const struct sw_view_input *in, const struct sw_view *view, struct sw_scene *scene,
                       double reserved, unsigned thrift) {
    scene->width = in->width;
    scene->height = in->height;
    scene->units = sw_units_for(in->units, most_bytes(in));
    if (in->run.film) { /* panels beside each other are compared */
        scene->units = scene->units == SW_UNITS_FITTED_MIB   ? SW_UNITS_MIB
                       : scene->units == SW_UNITS_FITTED_KIB ? SW_UNITS_KIB
                                                             : scene->units;
    }
    scene->joins = true;
    scene->about = in->run.search;
    scene->base = in->run.base;
    if (is_of_fit(in, view)) {
        sw_fit_page_title(in, scene);
    } else {
        set_head(in, scene);
    }
    if (in->run.steady) {
        add_steady_legend(in->run.steady, scene);
    }
    uint32_t pages = sw_view_pages(in, view);
    scene->number = pages > 1 ? sw_scene_printf(scene, "%u of %u", in->look.page + 1, pages) : NULL;
    const char *said = scene->subtitle;
    view->build(in, scene, sw_page_box(in->width, in->height, reserved));
    said = is_of_fit(in, view) ? said : say_less(in, scene, said);
    size_t own = scene->caption.count;
    add_page_caption(in, view, scene, thrift);
    put_last(scene, own);
    scene->exact = sw_view_moment_of(in->run.search) ? NULL : exact_figures(in, scene);
    if (in->run.fault && said && !strstr(scene->subtitle, said)) { /* the view's own says nothing of it */
        add_fault_word(in, scene);
    }
    sw_page_one_unit(scene, sw_search_problem(in->run.search), in->run.input_name, NULL, NULL);
    sw_page_say_hidden(scene);
    sw_page_thin(scene, thrift);
    sw_view_annotate(in, scene);
}

uint32_t sw_view_pages(const struct sw_view_input *in, const struct sw_view *view) {
    uint32_t pages = view->pages ? view->pages(in) : 1;
    return pages ? pages : 1;
}

/* The legend lists what occurs, and the caption what notes did not find, which is known only after
 * building: build with room for what is usual, and again when that was wrong, until it is enough.
 */
void sw_view_page(const struct sw_view_input *in, const struct sw_view *view, struct sw_scene *scene) {
    double width = in->width - 2 * SW_PAGE_MARGIN;
    double usual = SW_PAGE_LEGEND_ROW + SW_PAGE_LEGEND_GAP + SW_PAGE_CAPTION_GAP + 3 * SW_PAGE_CAPTION_LINE;
    double reserved = usual, wanted;
    if (in->run.steady) { /* its legend is known before */
        double rows = legend_rows(&in->run.steady->legend, width), lines = (double)in->run.steady->lines;
        unsigned thrift = thrift_for(rows, lines, in->height);
        build_view(in, view, scene, foot_of(thrift >= THRIFT_LEGEND ? 0 : rows, thrift >= THRIFT_CAPTION ? 1 : lines),
                   thrift);
        return;
    }
    build_view(in, view, scene, reserved, THRIFT_NONE);
    unsigned thrift = sw_page_thrift(scene, width, in->height);
    sw_page_thin(scene, thrift);
    reserved = sw_page_foot(scene, width);
    if (scene->failed || (reserved == usual && thrift == THRIFT_NONE)) {
        return;
    }
    for (int tries = 0; tries < 4; tries++) {
        sw_scene_clear(scene);
        build_view(in, view, scene, reserved, thrift);
        wanted = sw_page_foot(scene, width);
        if (scene->failed || wanted <= reserved) {
            return;
        }
        reserved = wanted;
    }
}

void sw_steady_raise(struct sw_steady *steady, const struct sw_layout *layout) {
    for (uint32_t t = 0; t < sw_problem_tier_count(sw_layout_problem(layout)); t++) {
        steady->top[t] = SW_MAX(sw_layout_arena(layout, t), steady->top[t]);
    }
}

bool sw_steady_add(struct sw_steady *steady, const struct sw_view_input *in, const struct sw_view *view) {
    struct sw_scene scene = {0};
    struct sw_view_input alone = *in;
    alone.run.steady = NULL;
    build_view(&alone, view, &scene, 60, THRIFT_NONE);
    sw_steady_raise(steady, sw_search_layout(in->run.search));
    for (size_t i = 0; i < scene.legend.count; i++) {
        struct sw_legend_entry entry = scene.legend.items[i];
        entry.text = sw_scene_printf(&steady->legend, "%s", entry.text);
        sw_scene_add_legend(&steady->legend, entry);
    }
    steady->lines = SW_MAX(scene.caption.count, steady->lines);
    bool good = !scene.failed && !steady->legend.failed;
    sw_scene_done(&scene);
    return good;
}

void sw_steady_done(struct sw_steady *steady) {
    sw_scene_done(&steady->legend);
}

/* ---- tables are as high as they need ---- */

static bool only_tables(const struct sw_scene *scene) {
    for (size_t i = 0; i < scene->panels.count; i++) {
        if (scene->panels.items[i].kind != SW_PANEL_TABLE) {
            return false;
        }
    }
    return scene->panels.count > 0;
}

static double lower_edge(const struct sw_scene *scene) {
    double edge = 0;
    for (size_t i = 0; i < scene->panels.count; i++) {
        const struct sw_panel *panel = &scene->panels.items[i];
        double rows = (double)panel->rows.count + (panel->title && *panel->title) + 1;
        edge = fmax(edge, panel->top + SW_PAGE_ROW * rows);
    }
    return edge;
}

void sw_view_page_fit(const struct sw_view_input *in, const struct sw_view *view, struct sw_scene *scene) {
    struct sw_view_input fit = *in;
    if (scene->failed || !only_tables(scene)) {
        return;
    }
    fit.width = SW_PAGE_TABLE_WIDTH;
    fit.height = SW_PAGE_TABLE_HEIGHT;
    sw_scene_clear(scene);
    sw_view_page(&fit, view, scene);
    if (!scene->failed) {
        double below = sw_page_foot(scene, fit.width - 2 * SW_PAGE_MARGIN) + SW_PAGE_MARGIN;
        fit.height = fmin(fmax(ceil(lower_edge(scene) + below), 200), fit.height);
        sw_scene_clear(scene);
        sw_view_page(&fit, view, scene);
    }
}
