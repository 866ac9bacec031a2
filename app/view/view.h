/* Views: pure functions from what there is to a scene.
 *
 * A view sees a problem, a run at some step, and where the user looks; it knows no terminal, no cairo
 * and no planner by name. To add one: one file in app/view/ that defines a `const struct sw_view`, and
 * one line in views.def. */
#ifndef SW_VIEW_VIEW_H
#define SW_VIEW_VIEW_H

#include "search/tree.h"
#include "search/trend.h"
#include "view/scene/medium.h"
#include "view/scene/scene.h"

/* What is visible of the map. x in steps (or raw time), y in bytes. */
struct sw_viewport {
    double time_lo, time_hi;   /* [lo, hi) in steps */
    double bytes_lo, bytes_hi; /* [lo, hi) */
};

/* What the color of a block says. */
#define SW_COLORINGS(X)     \
    X(AUTO, "auto")         \
    X(IDENTITY, "identity") \
    X(KIND, "kind") X(OPERATOR, "operator") X(SIZE, "size") X(LIFETIME, "lifetime") X(TIER, "tier") X(STACK, "stack")
enum sw_coloring {
#define X(id, word) SW_COLOR_##id,
    SW_COLORINGS(X)
#undef X
        SW_COLORINGS_COUNT
};
extern const char *const *const sw_coloring_words; /* NULL-ended */
/* Does the problem tell what it asks for? False: the error says what is missing. */
bool sw_coloring_suits(const struct sw_problem *, enum sw_coloring, struct sw_error *);

/* What a key does, for the footer: most useful first, shown while there is room; the last two (help and
 * quit) always are. */
struct sw_hint {
    const char *key, *label;
};

/* The buffers that the table of buffers lists. */
struct sw_listing {
    const uint32_t *items; /* NULL: all planned ones, in order of birth */
    uint32_t count;
    const char *words;   /* "largest first, alive at the peak" */
    bool whole, by_size; /* without a filter, the largest first or by address */
};

/* One of the runs that are compared side by side. */
struct sw_beside_run {
    const struct sw_search *search;
    uint32_t branch;                   /* its number, from 1 */
    const char *what;                  /* "best-fit", or its name */
    bool current;                      /* the one that commands are about */
    bool behind;                       /* it has not reached its place yet */
    struct sw_differences differences; /* of its layout from the first run's */
    /* What sets it apart from the first run (search/apart/setting_apart.h), as far as that is found out; NULL: nothing
     * is, or it was stopped. And why they part, in sentences; "" while it is not known. */
    const struct sw_apart *apart;
    const char *why;
    const char *names[2]; /* what the first run and this one are called in sentences */
    const char *given_up; /* why it is not found out, or not all of it; NULL: it is, or will be */
    uint64_t parted;      /* the first decision, of the first run, that differs; 0: none is known */
    uint64_t agreed;      /* decisions that are the same */
};
enum { SW_BESIDE_RUNS = 4 };
struct sw_beside_view {
    uint32_t count; /* 0: nothing is compared; else the first is what the others are compared with */
    struct sw_beside_run runs[SW_BESIDE_RUNS];
    const char *sync; /* "decision": what keeps them in step */
    bool diff;        /* blocks are drawn by what differs */
};

/* A branch of the tree of what-ifs, in the order in which the tree is drawn. */
struct sw_branch_line {
    uint32_t number, depth;
    const char *what, *name; /* name: "" when it has none */
    bool current, ended, feasible, fits, figured, has_migration, has_parent;
    uint64_t at, peak, bound, migration;
    uint64_t parent_peak;
    /* Of each tier, where several are in use in it or in its parent; else NULL. The second may be NULL alone. */
    const struct sw_problem *problem;
    const uint64_t *tier_peak, *parent_tier_peak;
    bool parent_ended;
    double cost; /* NaN: none */
};

/* What a layout costs at each step in each tier, or, where nothing has a price, what is moved. */
enum sw_costs_kind { SW_COSTS_NONE, SW_COSTS_PRICED, SW_COSTS_MOVED };
struct sw_costs {
    enum sw_costs_kind kind;
    uint32_t steps, columns; /* columns: the tiers, and, where bytes are counted, host memory behind them */
    double *grid;            /* steps x columns; NULL: the model did not tell */
    double total;            /* E, or bytes moved */
    double parts;            /* the sum of the grid, and of each of its columns */
    double by_column[SW_MAX_TIERS + 1];
    uint32_t dearest; /* the step with the largest sum */
    double most;      /* that sum */
    bool whole;       /* E is the model's for the whole layout, and not the sum of the parts */
    char fault[200];  /* of the model */
};
/* Of the present layout. Zero it to start with; it is the caller's. False: no memory. */
bool sw_costs_of(const struct sw_search *, struct sw_costs *);
void sw_costs_done(struct sw_costs *);

/* What pictures of several steps of one run have in common, so that nothing jumps from one to the next:
 * how high each tier ever is, and every entry of their legends. Zero it, show it every step
 * (sw_steady_add), then lend it to the input of each picture. It is the caller's. */
struct sw_steady {
    uint64_t top[SW_MAX_TIERS];
    struct sw_scene legend; /* nothing else of it is used */
    size_t lines;           /* of the caption */
};
void sw_steady_done(struct sw_steady *);

/* A filmstrip: a run at several steps, drawn small on the same axes. All borrowed. */
struct sw_film {
    const struct sw_search *const *frames; /* each at its step */
    uint32_t count;
    uint64_t chosen;   /* of so many steps that were wanted */
    const char *words; /* how they were chosen: "those that were asked for" */
};
/* How many frames of the search's run are legible on a page of this size. */
uint32_t sw_film_room(const struct sw_search *, double width, double height);

/* A planner that was run on the model, and what came of it. */
struct sw_rival {
    const struct sw_planner *planner;
    bool shown;            /* it is the run that is looked at */
    bool known;            /* it has a single peak: */
    bool optimal, stopped; /* proved; a limit of work ended the run */
    bool beside;           /* it plans other sizes than the file has, or is below the bound by what is only assumed */
    uint64_t peak, bound;  /* the bound is that of what it planned */
    bool unfit;            /* its plan does not fit: it has that peak all the same */
    bool several;          /* it has a plan in several memories: */
    uint64_t tier_peak[SW_MAX_TIERS];
    double cost;                                     /* E; NaN: nothing has a price */
    char why[sizeof((struct sw_error *)0)->message]; /* it is not known; "" */
};

struct sw_view;
struct sw_facts; /* facts.h */
struct sw_notes; /* formats/notes.h */

/* A line of the log. */
struct sw_log_line {
    char *text; /* never NULL */
    enum sw_style style;
};

/* What stands round the body of a plot that is one of several on a page. */
struct sw_furniture {
    bool has_room; /* these units are given; else they are the medium's */
    double left, right, above, below;
    bool title, x_title;
    const char *y_title;     /* NULL: none */
    bool x_labels, y_labels; /* at the ticks; the ticks' lines are there in any case */
    /* A level has no text at its line: this puts it into the legend; NULL: it has its text. */
    void (*tell_level)(struct sw_scene *, const struct sw_mark *);
};

/* What frames have in common, kept from one to the next by a caller that draws several. Views that are lent it show the
 * same, sooner; where there is no memory for it, they do without. */
struct sw_frame_cache;
struct sw_frame_cache *sw_frame_cache_new(void);    /* NULL: no memory, and none is lent */
void sw_frame_cache_clear(struct sw_frame_cache *); /* before a problem is given up, which it may refer to */
void sw_frame_cache_free(struct sw_frame_cache *);

/* What making a model fit has come to (fit/find_fit.h). */
struct sw_fit_result;
struct sw_fit_model;
struct sw_fit_sight {
    const struct sw_fit_result *result;
    const struct sw_fit_model *chosen; /* NULL: none was chosen yet; it need not be one of the result's */
    bool has_capacity, of_head;        /* what it was to fit into; the head alone is to be small, and not the arena */
    uint64_t capacity;
    bool handed; /* the run is about the changed model by now */
};

/* What there is to see: a run at some decision, and what was read out of it. */
struct sw_view_run {
    const struct sw_search *search;           /* at the decision to show */
    const struct sw_explanation *explanation; /* of that decision, or NULL */
    const char *input_name;                   /* file name, for titles and captions */
    const char *live;                         /* of a run that is being recorded: how far ahead it was read; or NULL */
    uint64_t input_digest, input_bytes;       /* input_bytes: its length; 0: it is not known */
    const char *conditions;                   /* options that change the problem or the plan; "" or NULL: none */
    const char *fault;                        /* why the run has no plan that counts, in a sentence; or NULL */
    uint64_t base;                            /* --base */
    /* What a view may read (SW_VIEW_READS_...); NULL: it gathers that itself. */
    const struct sw_facts *facts;
    const struct sw_tree *tree;
    const struct sw_trend *trend;
    const struct sw_costs *costs;
    const struct sw_log_line *log; /* oldest first */
    size_t log_count;
    const struct sw_branch_line *branches;
    uint32_t branch_count;
    const struct sw_rival *rivals; /* the run and others of its model, for the report; NULL: none were tried */
    size_t rival_count;
    uint64_t rival_work;              /* that each of the others might spend */
    struct sw_beside_view beside;     /* other runs */
    const struct sw_search *against;  /* the map shows what differs from this; or NULL */
    const uint8_t *changes;           /* per buffer, enum sw_change (matching.h): the map shows them; or NULL */
    const struct sw_problem *other;   /* that of another map, in which colors say the same; or NULL */
    const struct sw_layout *shown;    /* on the map in place of the run's layout; or NULL */
    const struct sw_film *film;       /* for the filmstrip; NULL: the present decision alone */
    const struct sw_steady *steady;   /* the picture is one of several of the run */
    const struct sw_notes *notes;     /* what the user wrote on it; or NULL */
    const struct sw_fit_sight *fit;   /* of the run's model, for the views of it; or NULL */
    const struct sw_suggest *suggest; /* what lowers its peak, as far as that is known; or NULL */
    uint32_t suggest_branch;          /* it is about another branch: its number; 0: it is not */
};

enum { SW_KEY_BYTES = 32 }; /* of a key, as a text */

/* Where the user looks. */
struct sw_view_look {
    uint32_t tier;     /* which tier the map shows; SW_NONE, on a page: all */
    uint32_t selected; /* buffer, or SW_NONE */
    uint32_t piece;    /* of a moment, a block that is no buffer: 1 + its number; 0: none is selected */
    bool paired;       /* with it a second buffer is to be told of: */
    uint32_t other;
    uint32_t cursor;    /* step of time under the cursor */
    uint32_t candidate; /* highlighted candidate, or SW_NONE */
    struct sw_viewport viewport;
    enum sw_coloring coloring;
    bool raw_time; /* axis in raw time instead of steps */
    bool ghosts;   /* draw refused candidates on the map */
    struct sw_listing listing;
    /* Which decisions the list keeps; NULL: all. */
    bool (*keeps)(void *context, const struct sw_decision *);
    void *keeps_context;
    const char *keeps_words; /* "those that raised the peak" */
    uint32_t fit_model;      /* which changed model is looked at: 1 + its number; 0: the chosen one */
    uint32_t suggestion;     /* which one is looked at, from 0 */
    bool holding;            /* a buffer is in the hand: */
    uint32_t held, held_tier;
    uint64_t held_offset;
    /* The explorer's pane. */
    const struct sw_view *side; /* which stands beside the map; NULL: the decision */
    bool whole;                 /* it has the screen to itself */
    unsigned share;             /* of it in the screen, in percent; 0: as fits */
    int32_t scroll;             /* rows that it is scrolled down: enum sw_scrolls */
    uint64_t menu;              /* the menu of panes is open: a bit for each that has something to show; else 0 */
    /* The key of a command, ":COMMAND" where it has none; NULL: no keys are known. */
    const char *(*key)(const void *keys, const char *command, char text[SW_KEY_BYTES]);
    const void *keys;
    /* The explorer's footer. */
    bool passing;                /* the status says no more than what is on view: one row will do */
    const struct sw_hint *hints; /* may be NULL */
    size_t hint_count;
    const char *guide; /* what the tour says now; NULL: none is made */
    unsigned guide_at, guide_count;
    /* The part of a document. */
    uint32_t page;      /* of a view that has several, from 0 */
    uint32_t first_row; /* where the table of buffers begins; 0: with what is selected in sight */
    uint32_t last_row;  /* where the table of operators ends; 0: where it likes */
};

/* Everything a view may look at. All borrowed. */
struct sw_view_input {
    struct sw_view_run run;
    struct sw_view_look look;
    /* On what it is drawn. */
    enum sw_medium_kind medium;
    double width, height;                      /* units (cells or points) that the scene may use */
    double marks_per_unit_x, marks_per_unit_y; /* distinct marks in a unit: 1x2 for half blocks, 1x1 for points */
    double cell_width, cell_height;            /* where the terminal draws plots in pixels: a cell in points; else 0 */
    bool text;                                 /* no pictures: lines of text only */
    bool zooms;                                /* one can go nearer: nothing is too small to be drawn */
    bool points;                               /* one can point at marks: what each hides is told */
    enum sw_units units;                       /* of a picture */
    const struct sw_furniture *furniture;      /* of a plot among others on a page; NULL: the usual */
    const char *title;                         /* of a picture; NULL: made from the input's name */
    const char *command;                       /* the command line that made the picture; or NULL */
    struct sw_frame_cache *kept;               /* what earlier frames have left; or NULL */
};

/* What is finer than a point, with many blocks than two, is not worth telling apart in a picture; one of a million
 * blocks stays a picture. */
static inline double sw_view_marks_per_point(const struct sw_view_input *in) {
    return sw_problem_planned_count(sw_search_problem(in->run.search)) > 5000 ? 0.5 : 1;
}

/* What the medium is like. */
static inline const struct sw_medium *sw_medium(const struct sw_view_input *in) {
    return &sw_media[in->medium];
}

/* The layout that the map shows. */
static inline const struct sw_layout *sw_view_shown(const struct sw_view_input *in) {
    return in->run.shown ? in->run.shown : sw_search_layout(in->run.search);
}

/* What a view reads besides the layout: in->facts, tree, trend, costs. Each is optional, for a view that is lent none
 * gathers its own. */
enum {
    SW_VIEW_READS_FACTS = 1,
    SW_VIEW_READS_TREE = 2,
    SW_VIEW_READS_TREND = 4,
    SW_VIEW_READS_COSTS = 8,
    SW_VIEW_READS_SUGGESTIONS = 16
};
/* Which keys the footer offers while a view is beside the map. */
enum sw_pane_keys {
    SW_KEYS_USUAL,
    SW_KEYS_TABLE,
    SW_KEYS_BRANCHES,
    SW_KEYS_MATRIX,
    SW_KEYS_FRONT,
    SW_KEYS_GRAPH,
    SW_KEYS_SUGGEST
};
/* What a view heeds of where the user looks. */
enum { SW_TAKES_TIME = 1, SW_TAKES_ADDRESS = 2, SW_TAKES_BUFFER = 4, SW_TAKES_COLORING = 8 };
/* What it is about: a run; a moment of an allocator, which has no times (problem/moment/moment.h); either. */
enum sw_view_of { SW_VIEW_OF_RUNS, SW_VIEW_OF_MOMENTS, SW_VIEW_OF_BOTH };
/* What in->scroll moves in a pane: text from its top on; a list from the row that it is about, either way. */
enum sw_scrolls { SW_SCROLLS_NOT, SW_SCROLLS_TEXT, SW_SCROLLS_LIST };
struct sw_view {
    const char *name; /* for --view */
    const char *summary;
    unsigned reads; /* SW_VIEW_READS_...: what it reads out of a run, which a caller may keep from frame to frame */
    unsigned takes; /* SW_TAKES_... */
    enum sw_view_of of;
    bool of_fit;  /* it is about in->run.fit */
    bool of_runs; /* it is about in->run.beside: shown while runs are compared */
    enum sw_scrolls scrolls;
    enum sw_pane_keys keys;
    /* Has it anything to show of this run, now or later? `missed`: there was no memory. NULL: always. */
    bool (*applies)(const struct sw_search *, bool *missed);
    /* Add panels to the scene, inside the box. */
    void (*build)(const struct sw_view_input *, struct sw_scene *, struct sw_box);
    /* On paper: how many pages it has, of which build() makes in->page; NULL: one. */
    uint32_t (*pages)(const struct sw_view_input *);
};
size_t sw_view_count(void);
const struct sw_view *sw_view_get(size_t);
/* The panes in the order in which the keys go through them; NULL past their end. */
const struct sw_view *sw_view_pane(size_t);
size_t sw_view_pane_number(const struct sw_view *); /* of one of them */
const struct sw_view *sw_view_find(const char *name, struct sw_error *);
/* Is it about what the search holds, a run or a moment? False: the error says which views are. */
bool sw_view_suits(const struct sw_view *, const struct sw_search *, struct sw_error *);
/* The view of which pictures are made where none is named: the map. */
const struct sw_view *sw_view_usual(const struct sw_search *);
/* The pane that is shown at first. */
const struct sw_view *sw_view_first_pane(const struct sw_search *);
/* The moment that there is to see; NULL: a run is. */
const struct sw_moment *sw_view_moment_of(const struct sw_search *);

/* The tables of a view as lines of plain text, columns aligned: for standard output and pages. */
struct sw_sink;
void sw_view_text(const struct sw_view_input *, const struct sw_view *, struct sw_sink *);

/* The key of a command, for a sentence; NULL where no keys are known. */
const char *sw_view_key(const struct sw_view_input *, struct sw_scene *, const char *command);

/* Characters of a text: one column each, near enough for wrapping and for columns. */
size_t sw_view_columns(const char *text);
/* Bytes of the text that go on a line of `room` characters: up to a blank where there is one. */
size_t sw_view_wrap(const char *text, unsigned room);
/* The first line of a text, of at most `room` characters, as a copy in the scene. The text then begins with the next.
 */
const char *sw_view_line(struct sw_scene *, const char **text, unsigned room);
/* How many such lines it has: at least 1. */
unsigned sw_view_line_count(const char *text, unsigned room);

/* The viewport that shows everything of a run: all steps, and from 0 to a little above the largest of
 * peak, bound and capacity-if-near. */
struct sw_viewport sw_viewport_all(const struct sw_search *, uint32_t tier);

/* The whole explorer screen: header, map, live curve, decision pane, strip of decisions, footer. Falls
 * back to fewer panes when small; below 40x12 a single message says what size is needed. */
void sw_view_screen(const struct sw_view_input *, struct sw_scene *, const char *status, bool status_is_error);

/* How many pages a view has on paper: at least 1. */
uint32_t sw_view_pages(const struct sw_view_input *, const struct sw_view *);
/* Take note of what this step needs; the input is what sw_view_page will get. False: no memory. */
bool sw_steady_add(struct sw_steady *, const struct sw_view_input *, const struct sw_view *);
/* One view as a page of its own: title, the view, legend and caption with the run's provenance.
 * For `export`; in->width x in->height points, on SW_ON_PAGE. */
void sw_view_page(const struct sw_view_input *, const struct sw_view *, struct sw_scene *);
/* Where no size was asked for: a page of nothing but tables is built again, as high as they need. */
void sw_view_page_fit(const struct sw_view_input *, const struct sw_view *, struct sw_scene *);

/* What a merged mark of the map hides, in the panel's `merged`, for sw_web_tell. False: it is not known, or no memory.
 */
bool sw_view_tell_merged(const struct sw_view_input *, struct sw_scene *, struct sw_panel *, size_t mark);
/* The same in words: "9 blocks too small to draw, 1.5M; 60% full: conv 70%; largest conv_3 (392K)". */
const char *sw_view_merged_words(const struct sw_view_input *, struct sw_scene *, struct sw_panel *, size_t mark);
/* Of the merged marks on the maps of the run that the cursor crosses, from the lowest on, the one with this number,
 * counted from 1 and round and round: it gets a frame, and is told in words. Of a moment, of all marks. */
const char *sw_view_pick_merged(const struct sw_view_input *, struct sw_scene *, uint32_t number);

#endif
