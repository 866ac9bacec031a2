/* What stands beside the map, and how the table of buffers is sorted and filtered. Nothing here
 * changes a run. */
#include "command/command_line.h"
#include "base/base.h"
#include "command/look/look.h"
#include "command/look/regex.h"
#include "command/look/sorting.h"
#include "command/runs/branches.h"
#include "command/state.h"
#include "problem/moment/moment.h"

/* The table of buffers as it was last listed. */
struct listed {
    SW_ARRAY(uint32_t) list;
    uint64_t key; /* of all that it depends on */
    bool valid;
    char words[160];
};

/* The pane as it was last drawn, if it scrolls. */
struct drawn {
    bool valid;
    uint8_t side;
    int32_t scroll, over; /* what it was asked for, and how much of that went past its ends */
    int page;             /* rows of it: one of them stays in sight */
    bool has_above, has_below;
};

struct sw_tables {
    struct listed listed;
    struct drawn drawn;
    uint64_t menu;     /* open: a bit for each pane that has something to show; 0: it is closed */
    uint8_t menu_from; /* the pane that was there when it opened */
};

SW_SESSION_PART(tables, SW_ARRAY_DONE(&tables->listed.list));

/* ---- which pane ---- */

/* Pane 0 is that of the decision, which the screen shows when `side` is NULL. */
static unsigned pane_count(void) {
    unsigned count = 0;
    while (sw_view_pane(count)) {
        count++;
    }
    return count;
}

/* What is remembered from one start to the next: a line each, which sets it. The whole screen is not among it: a model
 * that is opened shows its map. */
void sw_panes_write(const struct sw_sight *sight, struct sw_sink *sink) {
    sw_sink_printf(sink, "pane %s\n", sw_view_pane(sight->side)->name);
    sw_sink_printf(sink, "share %u\n", sight->share);
}

enum sort_order { BY_BIRTH, BY_SIZE, BY_LIFE, BY_NAME, BY_OFFSET, SORT_ORDERS };
static const struct {
    const char *name, *words;
    bool falling; /* the largest first, unless said otherwise */
} sort_orders[SORT_ORDERS] = {{"birth", "by birth", false},
                              {"size", "by size", true},
                              {"life", "by length of life", true},
                              {"name", "by name", false},
                              {"offset", "by offset", false}};

enum filter { FILTER_ALL, FILTER_PEAK, FILTER_CURSOR, FILTER_UNPLACED, FILTER_MATCHING };

void sw_tables_write(const struct sw_sight *sight, struct sw_sink *sink) {
    char pattern[2 * sizeof sight->filter + 4];
    const char *const keeps[] = {"all", "peak", "cursor", "unplaced", pattern};
    sw_session_quote(sight->filter, pattern, sizeof pattern);
    sw_sink_printf(sink, "sort %s %s\n", sort_orders[sight->order].name, sight->falling ? "down" : "up");
    sw_sink_printf(sink, "filter %s\n", keeps[sight->filtered]);
    sw_decision_filter_write(sight, sink);
    sw_panes_write(sight, sink);
    sw_sink_printf(sink, "whole %s\n", sight->whole ? "on" : "off");
}

static void say_pane(struct sw_session *session) {
    session->sight.scroll = 0;
    const struct sw_view *view = sw_view_pane(session->sight.side);
    sw_session_say(session, false, "%s: %s", view->name, view->summary);
    session->status.is_passing = true;
}

/* Has the pane anything to show of this run? */
static bool applies(struct sw_session *session, unsigned pane) {
    const struct sw_view *view = sw_view_pane(pane);
    return (!view->of_runs || sw_beside_count(session) > 0) && sw_view_suits(view, sw_state_search(session), NULL) &&
           (!view->applies || view->applies(sw_state_search(session), &session->missed));
}

bool sw_pane_applies(struct sw_session *session) {
    return applies(session, session->sight.side);
}

/* To the next pane that has something to show; the others are reached by their names. Where people ask, a menu shows
 * all of them; it stands for nothing in the log. */
static bool turn_pane(struct sw_session *session, unsigned by) {
    unsigned side = session->sight.side, count = pane_count();
    uint64_t open = 0;
    bool asked = session->within.doors & (SW_DOOR_KEYS | SW_DOOR_PROMPT);
    for (unsigned i = 0; asked && i < count && i < 64; i++) {
        open |= (uint64_t)applies(session, i) << i;
    }
    do {
        side = (side + by) % count;
    } while (!applies(session, side)); /* that of the decision always has, or that of the moment */
    if (!session->tables->menu) {
        session->tables->menu_from = session->sight.side;
    }
    session->sight.side = (uint8_t)side;
    session->tables->menu = open;
    say_pane(session);
    return true;
}

static enum sw_taken take_pane_line(struct sw_session *session, const char *line, struct sw_error *error) {
    return sw_session_command_by(session, SW_DOOR_KEYS, line, error) ? SW_TAKEN : SW_REFUSED;
}

/* The menu closes with the next key that is not its own, and that key does what it does; Esc brings back the pane that
 * was there before. */
enum sw_taken sw_tables_key(struct sw_session *session, const char *key, struct sw_error *error) {
    bool down = strcmp(key, "Down") == 0, up = strcmp(key, "Up") == 0;
    const char *walk = sw_walk_line(session, key), *line;
    if (!session->tables->menu && walk) {
        return take_pane_line(session, walk, error);
    }
    if (!session->tables->menu || session->mode != SW_MODE_NORMAL) {
        return SW_PASSED;
    }
    if (down || up) {
        return take_pane_line(session, down ? "pane" : "previous-pane", error);
    }
    const struct sw_command *command = sw_keymap_find(&session->keymap, key, &line);
    if (command == &sw_commands[SW_DO_pane] || command == &sw_commands[SW_DO_previous_pane]) {
        return SW_PASSED;
    }
    session->tables->menu = 0;
    if (strcmp(key, "Esc") == 0 && session->sight.side != session->tables->menu_from) {
        char back[64];
        snprintf(back, sizeof back, "pane %s", sw_view_pane(session->tables->menu_from)->name);
        return take_pane_line(session, back, error);
    }
    return strcmp(key, "Esc") == 0 || strcmp(key, "Enter") == 0 ? SW_TAKEN : SW_PASSED;
}

bool sw_pane_show(struct sw_session *session, const struct sw_view *view) {
    session->sight.side = (uint8_t)sw_view_pane_number(view);
    session->tables->menu = 0;
    say_pane(session);
    return true;
}

bool sw_do_pane(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const struct sw_view *view = given->count ? given->value[0].view : NULL;
    return view ? sw_view_suits(view, sw_state_search(session), error) && sw_pane_show(session, view)
                : turn_pane(session, 1);
}
SW_PLAIN_COMMAND(graph, sw_pane_show(session, sw_view_find("neighbourhood", NULL)));
SW_PLAIN_COMMAND(previous_pane, turn_pane(session, pane_count() - 1));

/* Beside the map its width, below it its height. */
enum { NATURAL_SHARE = 36, LEAST_SHARE = 16, MOST_SHARE = 80 };

static bool resize(struct sw_session *session, int by) {
    int share = session->sight.share ? session->sight.share : NATURAL_SHARE;
    share += by;
    share = share < LEAST_SHARE ? LEAST_SHARE : share > MOST_SHARE ? MOST_SHARE : share;
    session->sight.share = (uint8_t)share;
    session->sight.whole = false;
    sw_session_say(session, false, "the pane has %d%% of the screen", share);
    return true;
}

enum { SCROLLED = 8, MOST_SCROLLED = 10000 }; /* SCROLLED: rows where nothing was drawn */

/* Of its height the title has a row, and the line that says how much is below, a list also its heads. */
static int page_of(const struct sw_panel *panel) {
    int rows = (int)panel->height - (panel->flows ? 3 : 4);
    return rows > 1 ? rows : 1;
}

void sw_pane_drawn(struct sw_session *session, const struct sw_scene *scene) {
    struct drawn drawn = {.side = session->sight.side, .scroll = session->sight.scroll};
    for (size_t i = 0; i < scene->panels.count && !scene->failed; i++) {
        const struct sw_panel *panel = &scene->panels.items[i];
        if (panel->scrolls) {
            drawn.valid = true;
            drawn.over += panel->over;
            drawn.page = page_of(panel);
            drawn.has_above |= panel->hidden_above > 0 || (panel->flows && session->sight.scroll > 0);
            drawn.has_below |=
                panel->hidden_below > 0 || (panel->flows && !session->sight.side && !session->sight.scroll);
        }
    }
    session->tables->drawn = drawn;
}

/* Was the pane drawn as it is now, and are there but keys and the prompt that scroll it? Only then may it matter
 * how much of it was to be seen: the log tells the rows. */
static bool pane_is_seen(const struct sw_session *session) {
    const struct drawn *drawn = &session->tables->drawn;
    return drawn->valid && drawn->side == session->sight.side && drawn->scroll == session->sight.scroll &&
           !(session->within.doors & ~(unsigned)(SW_DOOR_KEYS | SW_DOOR_PROMPT)) && session->within.doors;
}

/* What was asked for past the ends was never seen, and is taken back: the log gets what comes of it. */
static bool log_rows(struct sw_session *session, int rows, struct sw_error *error) {
    char line[40];
    snprintf(line, sizeof line, "%s %d", rows < 0 ? "scroll-up" : "scroll-down", rows < 0 ? -rows : rows);
    session->exchanged = true;
    return rows == 0 || sw_state_log(session, line, error);
}

static void say_no_scrolling(struct sw_session *session) {
    sw_session_say(session, false, "the pane '%s' does not scroll; %s gives it the screen",
                   sw_view_pane(session->sight.side)->name, SW_KEY(session, "whole"));
}

bool sw_pane_scroll(struct sw_session *session, const uint64_t *wanted, bool down, struct sw_error *error) {
    enum sw_scrolls scrolls = sw_view_pane(session->sight.side)->scrolls;
    if (scrolls == SW_SCROLLS_NOT) {
        say_no_scrolling(session);
        return true;
    }
    bool seen = pane_is_seen(session), pages = seen && !wanted;
    uint64_t rows = wanted ? *wanted : pages ? (uint64_t)session->tables->drawn.page : SCROLLED;
    if (seen && !(down ? session->tables->drawn.has_below : session->tables->drawn.has_above)) {
        snprintf(session->status.text, sizeof session->status.text, "there is nothing more %s",
                 down ? "below" : "above"); /* but not in the log, which may be what is scrolled */
        session->status.is_passing = true;
        return log_rows(session, 0, error);
    }
    int by = rows < MOST_SCROLLED ? (int)rows : MOST_SCROLLED, from = session->sight.scroll;
    int to = from - (seen ? session->tables->drawn.over : 0) + (down ? by : -by);
    int least = scrolls == SW_SCROLLS_LIST ? -MOST_SCROLLED : 0;
    to = to < least ? least : to > MOST_SCROLLED ? MOST_SCROLLED : to;
    session->sight.scroll = (int16_t)to;
    sw_session_say(session, false, "%s", to == from ? "there is nothing more above" : "");
    return !seen || (session->tables->drawn.over == 0 && !pages) || log_rows(session, to - from, error);
}

SW_PLAIN_COMMAND(scroll_down, sw_pane_scroll(session, sw_given_number(given, 0), true, error));
SW_PLAIN_COMMAND(scroll_up, sw_pane_scroll(session, sw_given_number(given, 0), false, error));

bool sw_do_share(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    uint64_t share = given->value[0].number;
    if (share == 0) {
        session->sight.share = 0;
        sw_session_say(session, false, "the pane is as large as fits");
        return true;
    }
    if (share < LEAST_SHARE || share > MOST_SHARE) {
        return sw_fail(error, SW_ERROR_USAGE, "a pane has from %d to %d percent of the screen", LEAST_SHARE,
                       MOST_SHARE);
    }
    session->sight.share = (uint8_t)share;
    return resize(session, 0);
}

SW_PLAIN_COMMAND(wider, resize(session, 4));
SW_PLAIN_COMMAND(narrower, resize(session, -4));

SW_PLAIN_COMMAND(whole, sw_state_switch(session, given, &session->sight.whole, "the pane has the whole screen",
                                        "map and pane"));

/* ---- the table of buffers ---- */

/* By what the buffer is sorted; those that are not placed come last. */
static uint64_t sort_key(const struct sw_session *session, const struct sw_layout *layout, uint32_t b) {
    const struct sw_buffer *buffer = sw_problem_buffer(sw_state_problem(session), b);
    struct sw_placement place;
    enum sort_order order = (enum sort_order)session->sight.order;
    return order == BY_SIZE                            ? buffer->size
           : order == BY_LIFE                          ? buffer->last - buffer->first
           : order != BY_OFFSET                        ? 0
           : sw_layout_placement(layout, b, 0, &place) ? place.offset
                                                       : UINT64_MAX;
}

static const char *name_in_table(const void *context, uint32_t b) {
    return sw_problem_buffer(context, b)->name;
}

/* The list is by birth, and stays so among equal ones. */
static bool sort_list(const struct sw_session *session, uint32_t *items, size_t count) {
    const struct sw_sight *sight = &session->sight;
    const struct sw_layout *layout = sw_search_layout(sw_state_search(session));
    bool by_name = sight->order == BY_NAME;
    if (sight->order == BY_BIRTH) {
        return true;
    }
    struct sw_keyed *keyed = SW_NEW(struct sw_keyed, count + 1);
    for (size_t i = 0; keyed && i < count; i++) {
        uint64_t key = by_name ? 0 : sort_key(session, layout, items[i]);
        keyed[i] = (struct sw_keyed){sight->falling ? ~key : key, items[i]};
    }
    bool good =
        keyed && (by_name ? sw_sort_by_name(keyed, count, sight->falling, name_in_table, sw_state_problem(session))
                          : sw_sort_keyed(keyed, count));
    for (size_t i = 0; good && i < count; i++) {
        items[i] = keyed[i].index;
    }
    SW_FREE(keyed, count + 1);
    return good;
}

static bool keeps_buffer(const struct sw_session *session, const struct sw_regex *pattern, uint32_t b,
                         struct sw_error *error) {
    bool found;
    const struct sw_sight *sight = &session->sight;
    const struct sw_buffer *buffer = sw_problem_buffer(sw_state_problem(session), b);
    switch ((enum filter)sight->filtered) {
    case FILTER_PEAK:
        return sw_buffer_alive(buffer, sw_problem_bound_step(sw_state_problem(session)));
    case FILTER_CURSOR:
        return sw_buffer_alive(buffer, sight->cursor);
    case FILTER_UNPLACED:
        return !sw_layout_placed(sw_search_layout(sw_state_search(session)), b);
    case FILTER_MATCHING:
        return sw_regex_matches(pattern, buffer->name, &found, error) && found;
    case FILTER_ALL:
        break;
    }
    return true;
}

static const char *const keep_words[] = {"", ", alive at the peak of live bytes", ", alive at the cursor",
                                         ", not placed", ", named like "};

/* What the list depends on. */
static uint64_t list_key(const struct sw_session *session) {
    const struct sw_sight *sight = &session->sight;
    const struct sw_search *search = sw_state_search(session);
    bool moves = sight->order == BY_OFFSET || sight->filtered == FILTER_UNPLACED;
    uint64_t key = sw_fold((uint64_t)(uintptr_t)sw_state_problem(session), sight->order * 2u + sight->falling);
    key = sw_fold(sw_fold(key, sight->filtered), sight->filtered == FILTER_CURSOR ? sight->cursor : 0);
    key = sw_fold(key, moves ? sw_layout_digest(sw_search_layout(search)) : 0);
    return sw_fold_bytes(key, sight->filter, strlen(sight->filter));
}

/* Names lie all over memory: those that come soon are fetched while others are read. */
static void hint(const struct sw_session *session, uint32_t i) {
    enum { NAMES_AHEAD = 12 };
    const struct sw_problem *problem = sw_state_problem(session);
    const uint32_t *order = sw_problem_order(problem);
    uint32_t count = sw_problem_planned_count(problem);
    if (session->sight.filtered == FILTER_MATCHING && count - i > 2 * NAMES_AHEAD) {
        __builtin_prefetch(sw_problem_buffer(problem, order[i + 2 * NAMES_AHEAD]));
        __builtin_prefetch(sw_problem_buffer(problem, order[i + NAMES_AHEAD])->name);
    }
}

/* Those that are kept, by birth. Which are alive at a step is found without asking all. */
static bool list_kept(const struct sw_session *session, struct listed *listed, struct sw_error *error) {
    const struct sw_problem *problem = sw_state_problem(session);
    const struct sw_sight *sight = &session->sight;
    bool at_step = sight->filtered == FILTER_PEAK || sight->filtered == FILTER_CURSOR;
    uint32_t step = sight->filtered == FILTER_PEAK ? sw_problem_bound_step(problem) : sight->cursor;
    struct sw_neighbors alive = sw_problem_alive(problem, step, step);
    struct sw_regex regex = {0};
    if (sight->filtered == FILTER_MATCHING && !sw_regex_open(&regex, sight->filter, SW_REGEX_FOLD, error)) {
        return false;
    }
    listed->list.count = 0;
    for (uint32_t i = 0; i < sw_problem_planned_count(problem); i++) {
        hint(session, i);
        uint32_t b = at_step ? sw_neighbors_next(&alive) : sw_problem_order(problem)[i];
        if (b == SW_NONE || error->code != SW_OK) {
            break;
        }
        if (keeps_buffer(session, &regex, b, error)) {
            listed->list.items[listed->list.count++] = b;
        }
    }
    sw_regex_close(&regex);
    return error->code == SW_OK;
}

static bool fill(struct sw_session *session, struct listed *listed) {
    const struct sw_sight *sight = &session->sight;
    struct sw_error error = {0};
    bool good = SW_RESERVE(&listed->list, sw_problem_planned_count(sw_state_problem(session))) &&
                list_kept(session, listed, &error) && sort_list(session, listed->list.items, listed->list.count);
    session->missed |= !good;
    snprintf(listed->words, sizeof listed->words, "%s%s%s%.60s", sort_orders[sight->order].words,
             sight->falling ? ", descending" : "", keep_words[sight->filtered],
             sight->filtered == FILTER_MATCHING ? sight->filter : "");
    return good;
}

static struct sw_listing list_now(struct sw_session *session) {
    struct listed *listed = &session->tables->listed;
    uint64_t key = list_key(session);
    if (!listed->valid || listed->key != key) {
        listed->valid = fill(session, listed);
        listed->key = key;
    }
    const struct sw_sight *sight = &session->sight;
    return listed->valid ? (struct sw_listing){.items = listed->list.items,
                                               .count = (uint32_t)listed->list.count,
                                               .words = listed->words,
                                               .whole = sight->filtered == FILTER_ALL,
                                               .by_size = strcmp(sort_orders[sight->order].name, "size") == 0}
                         : (struct sw_listing){0};
}

void sw_sight_pane(struct sw_session *session, enum sw_pane_keys keys) {
    unsigned pane = 0;
    while (sw_view_pane(pane)->keys != keys) {
        pane++;
    }
    session->sight.side = (uint8_t)pane;
}

static void show_table(struct sw_session *session) {
    char text[32];
    sw_sight_pane(session, SW_KEYS_TABLE);
    struct sw_listing listing = list_now(session);
    const struct sw_moment *moment = sw_view_moment_of(sw_state_search(session));
    if (moment) { /* its table has what is free as well */
        const char *order = listing.by_size ? "the largest first" : "by address";
        sw_session_say(session, false, "%s blocks, %s",
                       sw_show_count(listing.whole ? moment->blocks.count : listing.count, text),
                       listing.whole || !listing.words ? order : listing.words);
        return;
    }
    sw_session_say(session, false, "%s buffers, %s", sw_show_count(listing.count, text),
                   listing.words ? listing.words : "");
}

bool sw_do_sort(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    struct sw_sight *sight = &session->sight;
    const struct sw_given_value *value = given->value;
    bool moment = sw_view_moment_of(sw_state_search(session)) != NULL; /* its blocks have no times */
    unsigned order = given->count ? value[0].choice - 1
                     : moment     ? (sight->order == BY_SIZE ? BY_BIRTH : BY_SIZE)
                                  : (sight->order + 1u) % SORT_ORDERS;
    if (moment && (order == BY_LIFE || order == BY_NAME)) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "the blocks of a moment are sorted by size, or by offset");
    }
    sight->order = (uint8_t)order;
    sight->falling = value[1].word ? value[1].choice == 2 : sort_orders[order].falling;
    show_table(session);
    return true;
}

bool sw_do_filter(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    struct sw_sight *sight = &session->sight;
    unsigned place = given->value[0].choice; /* the words stand in the order of their numbers */
    unsigned keep = place ? place - 1 : given->count ? FILTER_MATCHING : FILTER_ALL;
    (void)error;
    memset(sight->filter, 0, sizeof sight->filter);
    if (keep == FILTER_MATCHING) {
        snprintf(sight->filter, sizeof sight->filter, "%s", given->words[0]);
    }
    sight->filtered = (uint8_t)keep;
    show_table(session);
    return true;
}

/* In the panes front and suggestions, where they have a list, the keys of candidates go along it, and the one of a
 * block's decision takes what is looked at. */
enum sw_taken sw_tables_press(struct sw_session *session, const struct sw_command **command, const char **line) {
    static const enum sw_command_id here[SW_COMMANDS] = {[SW_DO_next_candidate] = SW_DO_next_row,
                                                         [SW_DO_previous_candidate] = SW_DO_previous_row,
                                                         [SW_DO_goto_block] = SW_DO_take_model};
    enum sw_command_id other = here[*command - sw_commands];
    enum sw_pane_keys keys = sw_view_pane(session->sight.side)->keys;
    if (other && keys == SW_KEYS_SUGGEST && sw_suggestions_any(session)) {
        sw_suggestion_press(session, other == SW_DO_next_row, other == SW_DO_previous_row, command, line);
    } else if (other && keys == SW_KEYS_FRONT && sw_front_known(session)) {
        *command = &sw_commands[other];
        *line = (*command)->name;
    }
    return SW_PASSED;
}

void sw_tables_view(struct sw_session *session, struct sw_view_input *in) {
    in->look.menu = session->tables->menu;
    if (in->look.side) {
        in->look.listing = list_now(session);
    }
}

size_t sw_row_beside(size_t at, size_t count, bool forward) {
    if (at >= count) {
        return forward ? 0 : count - 1;
    }
    return forward ? at + (at + 1 < count) : at - (at > 0);
}

/* The buffer before or after the selected one in the table; the first or last when none is. */
static bool step_row(struct sw_session *session, bool forward) {
    if (sw_view_pane(session->sight.side)->keys == SW_KEYS_MATRIX) {
        sw_pair_row(session, forward);
        return true;
    }
    if (sw_view_pane(session->sight.side)->keys == SW_KEYS_FRONT) {
        sw_front_row(session, forward);
        return true;
    }
    struct sw_listing listing = list_now(session);
    uint32_t at = 0;
    sw_sight_pane(session, SW_KEYS_TABLE);
    if (listing.whole && !listing.by_size && sw_moment_step(session, forward, false)) {
        return true;
    }
    if (listing.count == 0) {
        sw_session_say(session, false, "the table has no rows");
        return true;
    }
    while (at < listing.count && listing.items[at] != session->sight.selected) {
        at++;
    }
    at = (uint32_t)sw_row_beside(at, listing.count, forward);
    session->sight.selected = listing.items[at];
    session->sight.scroll = 0;
    const struct sw_buffer *buffer = sw_problem_buffer(sw_state_problem(session), listing.items[at]);
    session->sight.cursor = buffer->first;
    sw_session_say(session, false, "%s", buffer->name);
    return true;
}

SW_PLAIN_COMMAND(next_row, step_row(session, true));
SW_PLAIN_COMMAND(previous_row, step_row(session, false));
