/* Memory ids: which tensors have one after the other held each, and how they came by it. The id of
 * the selected buffer, or else of the present decision, is opened. */
#include "view/facts.h"
#include "planners/planner.h"
#include "view/scene/lines.h"

#include <math.h>

static const struct sw_lines_head token_heads[] = {
    {"id", true}, {"bytes", true}, {"unit", false}, {"held by, in order of time", false}};
enum { TOKEN_COLUMNS = sizeof token_heads / sizeof *token_heads };

struct tokens {
    struct sw_lines lines;
    const struct sw_facts *facts;
    uint32_t open;    /* the id that is opened, or SW_NONE */
    uint32_t present; /* that of the decision, or SW_NONE */
};

static uint32_t token_tensor(const struct tokens *tokens, uint32_t id, uint32_t i) {
    return tokens->facts->ids.members.items[tokens->facts->ids.first.items[id] + i];
}

static uint32_t token_tensor_count(const struct tokens *tokens, uint32_t id) {
    const uint32_t *first = tokens->facts->ids.first.items;
    return first[id + 1] - first[id];
}

static const struct sw_decision *given(const struct tokens *tokens, uint32_t buffer) {
    uint64_t step = tokens->facts->decided.items[buffer];
    return step ? sw_search_journal(tokens->lines.search, step) : NULL;
}

/* ---- what touches an id ---- */

/* Names without repetition; more than a few are many. */
struct unit_name_list {
    const char *list;
    uint32_t known[6], count;
};
enum { NAMES = 6 };

static void add_unit_name(struct tokens *tokens, struct unit_name_list *names, uint32_t number, const char *name) {
    for (uint32_t i = 0; i < names->count && i < NAMES; i++) {
        if (names->known[i] == number) {
            return;
        }
    }
    if (names->count < NAMES) {
        names->known[names->count] = number;
        names->list = sw_scene_printf(tokens->lines.scene, "%s%s%s", names->list, *names->list ? "+" : "", name);
    } else if (names->count == NAMES) {
        names->list = sw_scene_printf(tokens->lines.scene, "%s+others", names->list);
    }
    names->count += names->count <= NAMES;
}

/* The units of the operators that touch it; without units their functions. */
static const char *touched_by(struct tokens *tokens, uint32_t id) {
    const struct sw_problem *problem = tokens->lines.problem;
    struct unit_name_list names = {.list = ""};
    for (uint32_t i = 0; i < token_tensor_count(tokens, id); i++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, token_tensor(tokens, id, i));
        for (uint32_t k = 0; k < buffer->access_count && !tokens->lines.scene->failed; k++) {
            if (buffer->accesses[k] >= sw_problem_operator_count(problem)) {
                continue;
            }
            uint32_t f = sw_problem_operator(problem, buffer->accesses[k])->function;
            if (f == SW_NONE) {
                continue;
            }
            const struct sw_function *function = sw_problem_function(problem, f);
            bool unit = function->unit != SW_NONE;
            add_unit_name(tokens, &names, unit ? function->unit * 2 : f * 2 + 1,
                          unit ? sw_problem_unit(problem, function->unit)->name : function->name);
        }
    }
    return names.list;
}

/* ---- how a tensor came by its id ---- */

struct token_way {
    enum sw_decision_kind kind;
    char sign; /* beside the id; 0: none */
    const char *words;
    const char *joins; /* before the other tensor's name; NULL: it is not named */
};

static const struct token_way *token_way_of(const struct sw_decision *decision) {
    static const struct token_way ways[] = {{SW_DECISION_NEW, 0, "a new id", NULL},
                                            {SW_DECISION_REQUEST, 0, "free, taken again", NULL},
                                            {SW_DECISION_ENLARGE, '+', "+ free, enlarged", NULL},
                                            {SW_DECISION_REUSE, '=', "= in place", "of"},
                                            {SW_DECISION_SHARE, '&', "& shared", "with"}};
    for (size_t i = 0; decision && i < sizeof ways / sizeof *ways; i++) {
        if (decision->kind == ways[i].kind) {
            return &ways[i];
        }
    }
    return NULL;
}

static char sign(const struct sw_decision *decision) {
    const struct token_way *way = token_way_of(decision);
    return way ? way->sign : 0;
}

/* Two names have room in a row, with what is said between them. */
static const char *token_tensor_name(const struct tokens *tokens, uint32_t buffer) {
    enum { BESIDE_NAMES = 42, LEAST_TOKEN_NAME = 16 }; /* characters of the other columns and of the words between */
    const struct sw_lines *lines = &tokens->lines;
    unsigned width =
        lines->room > BESIDE_NAMES + 2 * LEAST_TOKEN_NAME ? (lines->room - BESIDE_NAMES) / 2 : LEAST_TOKEN_NAME;
    return sw_view_buffer_name(lines->in, lines->scene, buffer, width);
}

static const char *how(const struct tokens *tokens, uint32_t buffer) {
    const struct sw_decision *decision = given(tokens, buffer);
    struct sw_scene *scene = tokens->lines.scene;
    uint32_t with = decision ? sw_decision_other(decision) : SW_NONE;
    const char *other = with == SW_NONE ? NULL : token_tensor_name(tokens, with);
    const struct token_way *way = token_way_of(decision);
    if (!way || !other || !way->joins) {
        return way ? way->words : "";
    }
    return sw_scene_printf(scene, "%s %s %s", way->words, way->joins, other);
}

/* As many names as the column has place for; the others are counted. */
static const char *holders(struct tokens *tokens, uint32_t id) {
    struct sw_scene *scene = tokens->lines.scene;
    uint32_t count = token_tensor_count(tokens, id), shown = 0;
    size_t room = tokens->lines.room > 50 ? tokens->lines.room - 34 : 16;
    const char *list = "";
    while (shown < count && !scene->failed) {
        uint32_t b = token_tensor(tokens, id, shown);
        char mark[2] = {sign(given(tokens, b)), '\0'};
        const char *name = token_tensor_name(tokens, b);
        if (shown > 0 && sw_view_columns(list) + sw_view_columns(name) > room) {
            break;
        }
        list = sw_scene_printf(scene, "%s%s%s%s", list, shown ? ", " : "", mark, name);
        shown++;
    }
    if (shown < count) {
        list = sw_scene_printf(scene, "%s and %u more", list, count - shown);
    }
    return count > 1 ? sw_scene_printf(scene, "%u: %s", count, list) : list;
}

/* ---- rows ---- */

static void add_id(struct tokens *tokens, uint32_t id) {
    struct sw_lines *lines = &tokens->lines;
    bool open = id == tokens->open, any = token_tensor_count(tokens, id) > 0;
    enum sw_style style = open && lines->in->look.selected != SW_NONE ? SW_STYLE_SELECTED
                          : id == tokens->present                     ? SW_STYLE_CURRENT
                                                                      : SW_STYLE_TEXT;
    struct sw_item item = {any ? SW_ITEM_BUFFER : SW_ITEM_NONE, any ? token_tensor(tokens, id, 0) : 0};
    sw_lines_row(lines, item, open);
    sw_lines_cellf(lines, style, true, "%u", id);
    sw_lines_cell(lines, style, true, sw_scene_bytes(lines->scene, tokens->facts->ids.bytes.items[id]));
    sw_lines_cell(lines, SW_STYLE_DIM, false, touched_by(tokens, id));
    sw_lines_cell(lines, style, false, open ? "" : holders(tokens, id));
}

static void add_tensor_row(struct tokens *tokens, uint32_t b) {
    struct sw_lines *lines = &tokens->lines;
    const struct sw_buffer *buffer = sw_problem_buffer(lines->problem, b);
    const struct sw_decision *decision = sw_search_decision(lines->search);
    enum sw_style style = b == lines->in->look.selected       ? SW_STYLE_SELECTED
                          : decision && decision->buffer == b ? SW_STYLE_CURRENT
                                                              : SW_STYLE_TEXT;
    sw_lines_row(lines, (struct sw_item){SW_ITEM_BUFFER, b}, b == lines->in->look.selected);
    sw_lines_cell(lines, style, true, "");
    sw_lines_cell(lines, style, true, sw_scene_bytes(lines->scene, buffer->size));
    sw_lines_cellf(lines, SW_STYLE_DIM, false, "%u..%u", buffer->first, buffer->last);
    sw_lines_cellf(lines, style, false, "  %s: %s", token_tensor_name(tokens, b), how(tokens, b));
}

/* The rows are the ids, with those of the opened one's tensors below it; the row to keep in sight
 * is the opened id's, or of the selected tensor in it. */
static void add_token_rows(struct tokens *tokens) {
    struct sw_lines *lines = &tokens->lines;
    uint32_t ids = tokens->facts->ids.count, open = tokens->open;
    uint32_t below = open != SW_NONE ? token_tensor_count(tokens, open) : 0, total = ids + below, focus = 0;
    if (open != SW_NONE) {
        focus = open;
        for (uint32_t i = 0; i < below; i++) {
            focus = token_tensor(tokens, open, i) == lines->in->look.selected ? open + 1 + i : focus;
        }
    }
    size_t before = lines->panel->rows.count;
    uint32_t room = sw_lines_heads(lines, token_heads, TOKEN_COLUMNS, total);
    size_t left = lines->rows > lines->panel->rows.count ? lines->rows - lines->panel->rows.count : 0;
    room = before > 0 && room > left ? (uint32_t)left : room;
    uint32_t first = room && focus > (room - 1) / 2 ? focus - (room - 1) / 2 : 0;
    first = sw_lines_first(lines, first, total, room);
    for (uint32_t i = first; i < first + room && !lines->scene->failed; i++) {
        if (open == SW_NONE || i <= open) {
            add_id(tokens, i);
        } else if (i <= open + below) {
            add_tensor_row(tokens, token_tensor(tokens, open, i - open - 1));
        } else {
            add_id(tokens, i - below);
        }
    }
    if (first > 0 && sw_medium(lines->in)->still) {
        lines->panel->title = sw_scene_printf(lines->scene, "%s, %u above", lines->panel->title, first);
    }
}

/* What all this is good for. */
static void add_tokens_sum(struct tokens *tokens) {
    struct sw_lines *lines = &tokens->lines;
    const struct sw_parts *ids = &tokens->facts->ids;
    uint64_t held = 0, allocated = 0;
    for (size_t i = 0; i < ids->members.count; i++) {
        held += sw_problem_buffer(lines->problem, ids->members.items[i])->size;
    }
    for (uint32_t i = 0; i < ids->count; i++) {
        allocated += ids->bytes.items[i];
    }
    const char *what = held >= allocated ? "sharing saves" : "padding costs";
    const char *text = sw_scene_printf(lines->scene, "%zu tensors of %s in ids of %s: %s %s.", ids->members.count,
                                       sw_lines_bytes(lines, held), sw_lines_bytes(lines, allocated), what,
                                       sw_lines_bytes(lines, held >= allocated ? held - allocated : allocated - held));
    if (tokens->facts->adopted != 0) {
        bool saves = tokens->facts->adopted > 0;
        int64_t bytes = saves ? tokens->facts->adopted : -tokens->facts->adopted;
        text = sw_scene_printf(lines->scene, "%s Element types and alignments adopted from units %s %s.", text,
                               saves ? "saved" : "cost", sw_lines_bytes(lines, (uint64_t)bytes));
    }
    sw_lines_text(lines, SW_STYLE_STRONG, text);
    if (lines->rows > 9) {
        sw_lines_text(lines, SW_STYLE_DIM, "= written in place, & shared without a copy, + the id was enlarged for it");
    }
}

static void choose_token(struct tokens *tokens) {
    const struct sw_view_input *in = tokens->lines.in;
    const struct sw_decision *decision = sw_search_decision(in->run.search);
    const struct sw_parts *ids = &tokens->facts->ids;
    uint32_t b = decision ? decision->buffer : SW_NONE;
    uint32_t id = decision ? sw_decision_part(decision) : SW_NONE;
    tokens->present = id < ids->count ? id : b < ids->of.count ? ids->of.items[b] : SW_NONE;
    tokens->open = in->look.selected < ids->of.count ? ids->of.items[in->look.selected] : tokens->present;
}

/* ---- on paper, the ids over time ---- */

#define LEAST_LANE 4.0
#define MOST_LANE 24.0

/* What makes the buffer: the unit of the operator that writes it, or, for what comes from outside, of
 * the first that reads it; functions where there are no units. */
static uint32_t tensor_maker(const struct sw_problem *problem, uint32_t b, const char **name) {
    const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
    uint32_t op = sw_problem_producer(problem, b);
    op = op == SW_NONE && buffer->access_count ? buffer->accesses[0] : op;
    uint32_t f = op < sw_problem_operator_count(problem) ? sw_problem_operator(problem, op)->function : SW_NONE;
    if (f == SW_NONE) {
        *name = "no unit";
        return SW_PATTERN_COUNT - 2;
    }
    const struct sw_function *function = sw_problem_function(problem, f);
    bool unit = function->unit != SW_NONE;
    *name = unit ? sw_problem_unit(problem, function->unit)->name : function->name;
    return unit ? function->unit : f;
}

/* One that is there together with an earlier holder for longer than it takes to write over it. */
static bool beside_another(const struct tokens *tokens, uint32_t id, uint32_t i) {
    const struct sw_problem *problem = tokens->lines.problem;
    const struct sw_buffer *own = sw_problem_buffer(problem, token_tensor(tokens, id, i));
    for (uint32_t k = i > 16 ? i - 16 : 0; k < i; k++) {
        if (sw_problem_buffer(problem, token_tensor(tokens, id, k))->last > own->first) {
            return true;
        }
    }
    return false;
}

static void add_holder(struct tokens *tokens, struct sw_panel *panel, uint32_t id, uint32_t i) {
    const struct sw_view_input *in = tokens->lines.in;
    struct sw_scene *scene = tokens->lines.scene;
    uint32_t b = token_tensor(tokens, id, i);
    const struct sw_buffer *buffer = sw_problem_buffer(tokens->lines.problem, b);
    const char *unit;
    uint32_t maker = tensor_maker(tokens->lines.problem, b, &unit);
    double lane = (double)tokens->facts->ids.count - id - 1;
    struct sw_mark mark =
        sw_mark_over(SW_MARK_RECT, SW_STYLE_BLOCK, sw_view_x(in, buffer->first), sw_view_x(in, buffer->last + 1.0),
                     lane + 0.08, lane + (beside_another(tokens, id, i) ? 0.5 : 0.92));
    mark.hue = (uint8_t)(maker % SW_HUES);
    mark.pattern = (uint8_t)(1 + maker % (SW_PATTERN_COUNT - 1));
    mark.item = (struct sw_item){SW_ITEM_BUFFER, b};
    if (mark.x0 >= panel->x.hi || mark.x1 <= panel->x.lo) {
        return;
    }
    char how_sign[2] = {sign(given(tokens, b)), '\0'};
    mark.labels = sw_scene_labels(scene, sw_scene_printf(scene, "%s%s", how_sign, buffer->name));
    sw_panel_mark(scene, panel, mark);
    sw_scene_legend(scene, SW_STYLE_BLOCK, mark.hue, mark.pattern, unit);
}

/* Returns how much of the height it takes: nothing when lanes would be too low to tell apart. */
static double build_lanes(struct tokens *tokens, const struct sw_view_input *in, struct sw_scene *scene,
                          struct sw_box box) {
    uint32_t ids = tokens->facts->ids.count;
    double frame = SW_PAGE_HEADING + SW_PAGE_TICKS;
    double lane = fmin((sw_page_plot_height(in, box.height, box.height * 0.6) - frame) / ids, MOST_LANE);
    if (!sw_medium(in)->fine || lane < LEAST_LANE) {
        return 0;
    }
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_PLOT, "token-map");
    bool units = sw_problem_unit_count(sw_search_problem(in->run.search)) > 0;
    panel->title = units ? "which buffer holds each memory id, in the color of the unit that writes it"
                         : "which buffer holds each memory id";
    box.height = frame + lane * ids;
    tokens->lines = (struct sw_lines){.in = in,
                                      .scene = scene,
                                      .panel = panel,
                                      .search = in->run.search,
                                      .problem = sw_search_problem(in->run.search)};
    sw_view_place(in, scene, panel, box, true);
    panel->y.hi = ids;
    for (uint32_t id = 0; id < ids && !scene->failed; id++) {
        for (uint32_t i = 0; i < token_tensor_count(tokens, id) && !scene->failed; i++) {
            add_holder(tokens, panel, id, i);
        }
        struct sw_tick tick = {
            ids - id - 0.5,
            sw_scene_printf(scene, "%u: %s", id, sw_view_bytes(in, scene, tokens->facts->ids.bytes.items[id]))};
        if (lane >= 9.5 && !SW_PUSH(&panel->y.ticks, tick)) {
            scene->failed = true;
        }
    }
    return box.height + SW_PAGE_ROW / 2;
}

static void build_tokens(const struct sw_view_input *in, const struct sw_facts *facts, struct sw_scene *scene,
                         struct sw_box box) {
    struct tokens tokens = {.facts = facts};
    const char *title =
        facts->ids.count ? sw_scene_printf(scene, "tokens: %s", sw_scene_counted(scene, facts->ids.count, "memory id"))
                         : "tokens";
    if (facts->ids.count) {
        sw_box_take(&box, build_lanes(&tokens, in, scene, box));
        if (sw_medium(in)->still && box.height < 3 * SW_PAGE_ROW) {
            return; /* the lanes say all that there is room for */
        }
    }
    tokens.lines = sw_lines_begin(in, scene, "tokens", title, box, TOKEN_COLUMNS, 3);
    if (facts->ids.count == 0) {
        const char *planner = sw_search_planner(in->run.search)->name;
        sw_lines_textf(&tokens.lines, SW_STYLE_DIM,
                       facts->hands_out_ids ? "%s has given out no memory id so far." : "%s gives out no memory ids.",
                       planner);
        return;
    }
    choose_token(&tokens);
    if (tokens.lines.rows > 3) {
        add_tokens_sum(&tokens);
    }
    add_token_rows(&tokens);
}

static void tokens_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    sw_view_with_facts(in, scene, box, build_tokens);
}

static bool tokens_applies(const struct sw_search *search, bool *missed) {
    struct sw_facts facts = {0};
    *missed |= !sw_facts_gather(&facts, search);
    bool shows = facts.hands_out_ids || facts.ids.count > 0;
    sw_facts_done(&facts);
    return shows;
}

const struct sw_view sw_view_tokens = {
    .name = "tokens",
    .summary = "memory ids, and the tensors that held each in turn",
    .reads = SW_VIEW_READS_FACTS,
    .takes = SW_TAKES_TIME | SW_TAKES_BUFFER,
    .scrolls = SW_SCROLLS_LIST,
    .applies = tokens_applies,
    .build = tokens_build,
};
