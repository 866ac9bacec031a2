/* The event loop: input, then a slice of what runs, then a frame when it is time for one. */
#include "tui/tui_internal.h"
#include "problem/moment/moment.h"
#include "base/base.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

enum {
    WORK_SLICE = 10,     /* milliseconds of work between two looks at the keyboard */
    FRAME_TIME = 33,     /* milliseconds between frames while something runs */
    WATCH = 1000,        /* between two looks at the files that the graph was made from */
    ATTACHED = 100,      /* between two looks at a command that runs */
    LATE = 150,          /* a frame is shown after this long even when keys keep coming */
    FIRST_WORK = 100000, /* of the first slice; later ones follow the clock */
};

struct event_loop {
    struct sw_session *session, **owner;
    struct sw_frame frame;
    struct sw_plots plots;
    const char *fallback; /* theme */
    unsigned long drawn;  /* of the session's display */
    bool dirty, gone;
    double last_frame;
    uint64_t work; /* of a slice */
    struct {
        bool on; /* the button went down on a block */
        uint32_t buffer,
            tier;       /* the block, and the tier on the map of which it lay: it can be dropped on that map alone */
        double down;    /* where the mouse was, in cells */
        uint64_t bytes; /* under it then */
    } drag;
    int sync;   /* a byte is written here whenever everything is done; -1 = none */
    bool quiet; /* nothing has happened since it was told that all is done */
};

static double loop_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* ---- input ---- */

static void click_item(struct sw_session *session, struct sw_item item) {
    static const char *const commands[] = {[SW_ITEM_OPERATOR] = "cursor",
                                           [SW_ITEM_CANDIDATE] = "candidate",
                                           [SW_ITEM_DECISION] = "goto",
                                           [SW_ITEM_STEP] = "cursor",
                                           [SW_ITEM_BRANCH] = "branch"};
    char name[700], line[760];
    if (item.kind == SW_ITEM_BUFFER) {
        const struct sw_problem *problem = sw_search_problem(sw_session_search(session));
        sw_session_quote(sw_problem_buffer(problem, (uint32_t)item.id)->name, name, sizeof name);
        snprintf(line, sizeof line, "select %s", name);
    } else if (item.kind == SW_ITEM_PIECE) {
        const struct sw_moment *moment = sw_view_moment_of(sw_session_search(session));
        snprintf(line, sizeof line, "select 0x%llx", (unsigned long long)moment->blocks.items[item.id].address);
    } else if (item.kind < SW_ITEM_PIECE && commands[item.kind]) {
        uint64_t number = item.id + (item.kind == SW_ITEM_CANDIDATE); /* candidates are counted from 1 */
        snprintf(line, sizeof line, "%s %llu", commands[item.kind], (unsigned long long)number);
    } else {
        return;
    }
    sw_session_command(session, line, NULL);
}

/* The step of time and the byte under the mouse; false outside of the map, or on an axis of raw
 * time. */
static bool locate_event(struct event_loop *loop, const struct sw_input_event *event, uint64_t *step, uint64_t *bytes) {
    const struct sw_panel *panel = NULL;
    double x = 0, y = 0;
    struct sw_view_input in = {0};
    if (!sw_scene_locate(&loop->frame.scene, event->across, event->down, &panel, &x, &y) || panel->decided ||
        !sw_session_view(loop->session, &in, NULL) || in.look.raw_time) {
        return false;
    }
    *step = x > 0 ? (uint64_t)x : 0;
    *bytes = y > 0 && panel->tier != SW_NONE ? (uint64_t)y : 0;
    return true;
}

/* The decision under the mouse, on an axis of decisions. */
static bool locate_decision(struct event_loop *loop, const struct sw_input_event *event, struct sw_item *item) {
    const struct sw_panel *panel = NULL;
    double x = 0, y = 0;
    bool there = sw_scene_locate(&loop->frame.scene, event->across, event->down, &panel, &x, &y) && panel->decided;
    *item = (struct sw_item){SW_ITEM_DECISION, there && x > 0 ? (uint64_t)x : 0};
    return there;
}

/* The tier of the map under the mouse; SW_NONE: the mouse is over no map. */
static uint32_t locate_tier(struct event_loop *loop, const struct sw_input_event *event) {
    const struct sw_panel *panel = NULL;
    double x, y;
    return sw_scene_locate(&loop->frame.scene, event->across, event->down, &panel, &x, &y) ? panel->tier : SW_NONE;
}

/* The button went down on a block of the map. */
static void start_drag(struct event_loop *loop, const struct sw_input_event *event, struct sw_item item,
                       uint64_t bytes) {
    loop->drag.on = item.kind == SW_ITEM_BUFFER && bytes > 0;
    loop->drag.buffer = loop->drag.on ? (uint32_t)item.id : SW_NONE;
    loop->drag.down = event->down;
    loop->drag.bytes = bytes;
    loop->drag.tier = locate_tier(loop, event);
}

/* It came up elsewhere: the block goes to the nearest free place there. */
static void end_drag(struct event_loop *loop, const struct sw_input_event *event) {
    struct sw_session *session = loop->session;
    uint64_t step = 0, bytes = 0;
    char name[700], line[800];
    struct sw_placement place;
    const struct sw_search *search = sw_session_search(session);
    const struct sw_problem *problem = sw_search_problem(search);
    bool moved =
        loop->drag.on && fabs(event->down - loop->drag.down) >= 0.5 && locate_tier(loop, event) == loop->drag.tier;
    loop->drag.on = false;
    if (!moved || loop->drag.buffer >= sw_problem_buffer_count(problem) || !locate_event(loop, event, &step, &bytes) ||
        !sw_layout_placement(sw_search_layout(search), loop->drag.buffer, 0, &place)) {
        return;
    }
    uint64_t from = loop->drag.bytes;
    uint64_t down = from > bytes ? from - bytes : 0, up = bytes > from ? bytes - from : 0;
    uint64_t to = place.offset > down ? place.offset - down + up : up;
    struct sw_view_input in = {0};
    sw_session_view(session, &in, NULL);
    to += in.run.base;
    sw_session_quote(sw_problem_buffer(problem, loop->drag.buffer)->name, name, sizeof name);
    snprintf(line, sizeof line, "hold %s %llu", name, (unsigned long long)to);
    if (sw_session_command(session, line, NULL)) {
        sw_session_command(session, "put", NULL);
    }
}

/* What is under the mouse: on a picture the mark there, else what the cell stands for. */
static struct sw_item locate_item(struct event_loop *loop, const struct sw_input_event *event, uint32_t *hidden) {
    const struct sw_cell *cell = sw_grid_cell(&loop->frame.grid, event->column, event->row);
    const struct sw_panel *panel = NULL;
    double x = 0, y = 0;
    if (cell && cell->picture) {
        bool there = sw_scene_locate(&loop->frame.scene, event->across, event->down, &panel, &x, &y);
        const struct sw_mark *mark = there ? sw_scene_mark(panel, x, y) : NULL;
        *hidden = mark ? mark->hidden : 0;
        return mark ? mark->item : SW_NO_ITEM;
    }
    *hidden = cell ? cell->hidden : 0;
    return cell ? cell->item : SW_NO_ITEM;
}

/* What the blocks under the mouse are that are too small to draw. */
static void say_merged(struct event_loop *loop, const struct sw_input_event *event, uint32_t hidden) {
    struct sw_scene *scene = &loop->frame.scene;
    const struct sw_panel *found = NULL;
    double x = 0, y = 0;
    struct sw_view_input in = {0};
    bool there =
        sw_scene_locate(scene, event->across, event->down, &found, &x, &y) && sw_session_view(loop->session, &in, NULL);
    const struct sw_mark *mark = there ? sw_scene_mark(found, x, y) : NULL;
    struct sw_panel *panel = found ? &scene->panels.items[found - scene->panels.items] : NULL;
    if (mark && mark->item.kind == SW_ITEM_MERGED && panel->about == sw_session_search(loop->session)) {
        sw_session_say(loop->session, false, "%s",
                       sw_view_merged_words(&in, scene, panel, (size_t)(mark - found->marks.items)));
    } else if (hidden) {
        sw_session_say(loop->session, false, "%s too small to draw: zoom in to see them", SW_COUNTED(hidden, "block"));
    }
}

static void handle_mouse(struct event_loop *loop, const struct sw_input_event *event) {
    struct sw_session *session = loop->session;
    bool up = event->kind == SW_INPUT_WHEEL_UP;
    uint64_t step = 0, bytes = 0;
    char line[80];
    if (sw_session_mode(session) == SW_MODE_PROMPT) {
        return;
    }
    if (sw_session_mode(session) == SW_MODE_HELP) {
        if (event->kind == SW_INPUT_WHEEL_UP || event->kind == SW_INPUT_WHEEL_DOWN) {
            sw_session_key(session, up ? "Up" : "Down", NULL);
        }
        return;
    }
    uint32_t hidden;
    struct sw_item decision, item = locate_item(loop, event, &hidden);
    bool there = locate_event(loop, event, &step, &bytes);
    if (event->kind == SW_INPUT_RELEASE) {
        end_drag(loop, event);
    } else if (event->kind == SW_INPUT_CLICK) {
        start_drag(loop, event, item, there ? bytes : 0);
        if (locate_decision(loop, event, &decision)) {
            click_item(session, decision);
        } else if (item.kind == SW_ITEM_MERGED) {
            say_merged(loop, event, hidden);
        } else if (item.kind != SW_ITEM_NONE) {
            click_item(session, item);
        } else if (there) {
            snprintf(line, sizeof line, "cursor %llu", (unsigned long long)step);
            sw_session_command(session, line, NULL);
        }
    } else if (there) {
        snprintf(line, sizeof line, "%s %llu %llu", up ? "zoom-in" : "zoom-out", (unsigned long long)step,
                 (unsigned long long)bytes);
        sw_session_command(session, line, NULL);
    } else if (item.kind == SW_ITEM_CANDIDATE) {
        sw_session_command(session, up ? "previous-candidate" : "next-candidate", NULL);
    }
}

static void draw_screen(struct event_loop *loop);

/* Work that nothing can interrupt: what goes on stands on the screen meanwhile. */
static void show_wait(void *context) {
    draw_screen(context);
}

/* Another program is waited for: Esc and Ctrl-C end it. */
static bool watch_wait(void *context) {
    struct event_loop *loop = context;
    struct sw_input_event event;
    struct sw_signals signals = sw_terminal_signals();
    if (signals.quit == SIGINT) {
        sw_terminal_heeded();
        return false;
    }
    if (signals.quit) {
        return false; /* the loop ends the program */
    }
    if (signals.stopped) {
        sw_terminal_suspend(signals.stopped);
    }
    if (signals.resized) {
        sw_curses_resize();
    }
    if (loop_seconds() - loop->last_frame >= FRAME_TIME) {
        draw_screen(loop);
    }
    while ((event = sw_curses_read()).kind != SW_INPUT_NONE) {
        if (event.kind == SW_INPUT_KEY && (strcmp(event.key, "Esc") == 0 || strcmp(event.key, "Ctrl-C") == 0)) {
            return false;
        }
    }
    return true;
}

/* A session is being taken up: how far, now and then; Esc and Ctrl-C stop it there. */
static bool show_replay(void *context, uint32_t line, uint32_t lines) {
    struct event_loop *loop = context;
    if (loop_seconds() - loop->last_frame >= FRAME_TIME) {
        sw_session_say(loop->session, false, "replaying %u of %u, %u%%; Esc stops", line, lines,
                       lines ? (uint32_t)((uint64_t)line * 100 / lines) : 100);
    }
    return watch_wait(context);
}

static void attend_session(struct event_loop *loop) {
    sw_session_show_waits(loop->session, show_wait, loop);
    sw_session_watch_replays(loop->session, show_replay, loop);
    sw_session_watch_waits(loop->session, watch_wait, loop);
}

/* `recover` has taken up another session: go on with that one. */
static void follow_session(struct event_loop *loop) {
    struct sw_session *next = sw_session_next(loop->session);
    if (next) {
        sw_session_free(loop->session);
        *loop->owner = loop->session = next;
        attend_session(loop);
        loop->dirty = true;
    }
}

/* All input there is; true when there was some. */
static bool handle_input(struct event_loop *loop) {
    bool any = false;
    struct sw_input_event event;
    double until = loop_seconds() + LATE;
    while (!sw_session_wants_quit(loop->session) && loop_seconds() < until &&
           (event = sw_curses_read()).kind != SW_INPUT_NONE) {
        any = true;
        if (event.kind == SW_INPUT_KEY) {
            sw_session_key(loop->session, event.key, NULL);
        } else if (event.kind == SW_INPUT_PASTE) {
            sw_session_paste(loop->session, event.text);
        } else if (event.kind == SW_INPUT_PASTE_END) {
            sw_session_paste_end(loop->session);
        } else {
            handle_mouse(loop, &event);
        }
        follow_session(loop);
    }
    return any;
}

static void handle_signals(struct event_loop *loop) {
    struct sw_signals signals = sw_terminal_signals();
    if (signals.quit == SIGINT) { /* Ctrl-C */
        sw_terminal_heeded();
        sw_session_interrupt(loop->session);
        loop->dirty = true;
    } else if (signals.quit) {
        sw_session_autosave_end(loop->session, true);
        sw_frame_done(&loop->frame);
        sw_terminal_leave();
        sw_plots_done(&loop->plots);
        sw_session_attached_end(loop->session); /* which may take two seconds */
        sw_terminal_die(signals.quit);
    }
    if (signals.stopped) {
        sw_terminal_suspend(signals.stopped);
        loop->dirty = true;
    } else if (signals.continued) {
        /* The process was stopped without notice: what the screen shows is not known. */
        sw_curses_end();
        sw_curses_resume();
        loop->dirty = true;
    }
    if (signals.resized) {
        sw_curses_resize();
        loop->dirty = true;
    }
}

/* ---- work and drawing ---- */

static void run_slice(struct event_loop *loop) {
    double start = loop_seconds();
    struct sw_error error = {0};
    sw_session_slice(loop->session, loop->work, &error);
    double spent = loop_seconds() - start;
    /* Twice or half as much at most, so that one odd slice does not matter. */
    double factor = spent > 0.1 ? WORK_SLICE / spent : 2;
    factor = factor > 2 ? 2 : factor < 0.5 ? 0.5 : factor;
    double work = (double)loop->work * factor;
    loop->work = work < 1000 ? 1000 : work > 1e12 ? (uint64_t)1e12 : (uint64_t)work;
    loop->dirty = true;
}

static void draw_screen(struct event_loop *loop) {
    unsigned columns = 0, rows = 0;
    struct sw_error error = {0};
    struct sw_session *session = loop->session;
    const struct sw_display *display = sw_session_display(session);
    sw_curses_size(&columns, &rows);
    sw_curses_mouse(display->mouse);
    if (loop->drawn != display->drawn) {
        loop->drawn = display->drawn;
        sw_curses_forget();
    }
    sw_plots_choose(&loop->plots, session, &loop->frame);
    if (!sw_frame_draw(&loop->frame, session, columns, rows, loop->fallback, &error)) {
        sw_session_say(session, true, "%s", error.message);
        return;
    }
    bool again = !sw_plots_drawn(&loop->plots, session, &loop->frame);
    bool prompt = sw_session_mode(session) == SW_MODE_PROMPT;
    sw_curses_draw(&loop->frame.grid, &loop->frame.theme, prompt ? (int)sw_session_caret(session, columns) : -1);
    again |= !sw_plots_paint(&loop->plots, session, &loop->frame);
    loop->last_frame = loop_seconds();
    loop->dirty = again;
    loop->quiet = false;
}

static void turn_loop(struct event_loop *loop) {
    handle_signals(loop);
    loop->dirty |= handle_input(loop);
    loop->dirty |= sw_plots_news(&loop->plots);
    loop->dirty |= sw_session_watch(loop->session);
    loop->dirty |= sw_session_attached_turn(loop->session);
    if (sw_session_wants_quit(loop->session)) {
        return;
    }
    bool busy = sw_session_busy(loop->session);
    if (busy) {
        run_slice(loop);
        busy = sw_session_busy(loop->session);
    }
    bool indexing = !busy && sw_session_indexing(loop->session);
    if (indexing) {
        loop->dirty |= sw_session_index(loop->session);
    }
    double since = loop_seconds() - loop->last_frame;
    bool due = busy || indexing ? since >= FRAME_TIME : !sw_terminal_pending() || since >= LATE;
    if (loop->dirty && due) {
        draw_screen(loop);
    }
    int wait = -1;
    if (!loop->dirty || busy) {
        loop->dirty |= sw_session_autosave_now(loop->session, &wait);
    }
    if (!busy && !indexing && !loop->dirty && !sw_terminal_pending()) {
        /* Everything is done and drawn: say so to a test that waits for it. */
        if (!loop->quiet && loop->sync >= 0 && write(loop->sync, ".", 1) < 0 && errno != EINTR && errno != EAGAIN) {
            loop->sync = -1;
        }
        bool watches = sw_session_watches(loop->session);
        if (sw_session_attached(loop->session) && (wait < 0 || wait > ATTACHED)) {
            wait = ATTACHED;
        }
        loop->gone = !sw_terminal_wait(watches && (wait < 0 || wait > WATCH) ? WATCH : wait);
        loop->quiet = !sw_terminal_pending(); /* only time has passed */
    }
}

static int sync_fd(void) {
    const char *text = getenv("STOWAGE_SYNC_FD");
    char *end = NULL;
    long fd = text ? strtol(text, &end, 10) : -1;
    return text && *text && !*end && fd > 2 && fd < 1024 ? (int)fd : -1;
}

bool sw_tui_run(struct sw_session **owner, struct sw_error *error) {
    struct event_loop *loop = SW_NEW_ZERO(struct event_loop, 1);
    char note[160];
    if (!loop) {
        return sw_fail_memory(error);
    }
    loop->owner = owner;
    loop->session = *owner;
    loop->work = FIRST_WORK;
    loop->sync = sync_fd();
    loop->dirty = true;
    if (!sw_curses_open(note, sizeof note, error)) {
        SW_FREE(loop, 1);
        return false;
    }
    if (note[0]) {
        sw_session_say(loop->session, true, "%s", note);
    }
    sw_session_offer(loop->session);
    attend_session(loop);
    loop->fallback = sw_curses_colors() > 0 ? SW_FRAME_THEME : SW_FRAME_MONO;
    while (!sw_session_wants_quit(loop->session) && !loop->gone) {
        turn_loop(loop);
    }
    sw_session_show_waits(loop->session, NULL, NULL);
    sw_session_watch_waits(loop->session, NULL, NULL);
    sw_session_autosave_end(loop->session, loop->gone);
    sw_frame_done(&loop->frame);
    sw_curses_close();
    sw_plots_done(&loop->plots);
    SW_FREE(loop, 1);
    return true;
}
