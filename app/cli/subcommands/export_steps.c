/* stowage export, several steps of a run: side by side as a filmstrip, one after the other as
 * numbered pictures, or as one animation. */
#include "cli/shared/pictures.h"
#include "base/base.h"
#include "cli/shared/run.h"
#include "export/export.h"
#include "export/apart.h"
#include "search/result/run_plan.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define FPS 2.0      /* the default */
#define LONGEST 30.0 /* seconds; more steps go faster */
#define HOLD 3.0     /* seconds for which the last one stands */

static const char interrupted_text[] = "interrupted";

struct step_list {
    SW_ARRAY(uint64_t) items;
};

/* ---- which steps ---- */

/* A, A + BY, ..., and B in any case: the end is what one waits for. */
static bool list_range(const struct sw_steps *steps, uint64_t last, uint64_t most, struct step_list *list,
                       struct sw_error *error) {
    uint64_t to = steps->to_end ? last : steps->to;
    if (steps->from > to) {
        return sw_fail(error, SW_ERROR_USAGE, "--steps: the run ends at decision %" PRIu64, last);
    }
    uint64_t count = (to - steps->from) / steps->by;
    bool short_last = count * steps->by < to - steps->from;
    count += short_last ? 2 : 1;
    if (count > most) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "--steps: %" PRIu64 " pictures, and at most %" PRIu64 " can be made: choose fewer with A:B:BY",
                       count, most);
    }
    bool good = true;
    for (uint64_t i = 0; good && i < count; i++) {
        good = SW_PUSH(&list->items, i + 1 == count ? to : steps->from + i * steps->by);
    }
    return good || sw_fail_memory(error);
}

static bool list_steps(const struct sw_cli *cli, const struct sw_search *search, uint64_t most, struct step_list *list,
                       struct sw_error *error) {
    const struct sw_steps *steps = &cli->steps;
    uint64_t last = sw_search_known(search);
    uint64_t highest = steps->count ? steps->list[steps->count - 1] : steps->to_end ? 0 : steps->to;
    if (highest > last) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "--steps: there is no decision %" PRIu64 ": the run has %" PRIu64 " decisions", highest, last);
    }
    bool good = true;
    for (size_t i = 0; good && i < steps->count; i++) {
        good = SW_PUSH(&list->items, steps->list[i]);
    }
    good = good && (!steps->count || !steps->to_end || highest == last || SW_PUSH(&list->items, last));
    return good ? steps->count || list_range(steps, last, most, list, error) : sw_fail_memory(error);
}

/* ---- the filmstrip ---- */

/* The first, the last, and those that raised the peak of the plan. */
static bool list_turn_steps(const struct sw_search *search, struct step_list *list) {
    uint64_t last = sw_search_known(search);
    for (uint64_t i = 1; i <= last; i++) {
        bool turn = i == 1 || i == last || sw_search_raised(search, i) > 0;
        if (turn && !SW_PUSH(&list->items, i)) {
            return false;
        }
    }
    return last > 0 || SW_PUSH(&list->items, 0);
}

/* Of a list as many as fit, evenly, with the first and the last. */
static void thin_steps(struct step_list *list, size_t most) {
    size_t count = list->items.count;
    for (size_t i = 0; count > most && i < most; i++) {
        list->items.items[i] =
            list->items.items[most > 1 ? (i * (count - 1) + (most - 1) / 2) / (most - 1) : count - 1];
    }
    list->items.count = SW_MIN(count, most);
}

enum { USUAL = 12 };

/* Between two that are far apart one more, in the middle. */
static bool fill_between(struct step_list *list, uint64_t wanted) {
    while (list->items.count < wanted) {
        size_t widest = 0;
        uint64_t *at = list->items.items;
        for (size_t i = 1; i + 1 < list->items.count; i++) {
            widest = at[i + 1] - at[i] > at[widest + 1] - at[widest] ? i : widest;
        }
        if (list->items.count < 2 || at[widest + 1] - at[widest] < 2) {
            return true;
        }
        if (!SW_PUSH(&list->items, 0)) {
            return false;
        }
        at = list->items.items;
        memmove(at + widest + 2, at + widest + 1, (list->items.count - widest - 2) * sizeof *at);
        at[widest + 1] = at[widest] + (at[widest + 2] - at[widest]) / 2;
    }
    return true;
}

/* What is shown when no option says. */
static bool choose_steps(const struct sw_search *search, uint32_t room, struct step_list *list, struct sw_film *film) {
    film->words = "the first, the last, and those that raised the peak";
    if (!list_turn_steps(search, list)) {
        return false;
    }
    size_t turns = list->items.count;
    if (!fill_between(list, SW_MIN(room, USUAL))) {
        return false;
    }
    film->chosen = list->items.count;
    film->words =
        film->chosen > turns ? "the first, the last, those that raised the peak, and some between them" : film->words;
    return true;
}

enum { MOST_FILM = 4096 };

static bool draw_film(const struct sw_cli *cli, struct sw_search *search, uint64_t digest, const char *fault,
                      struct step_list *list, struct sw_error *error) {
    struct sw_search *frames[MOST_FILM];
    struct sw_export options = sw_export_options(cli);
    struct sw_film film = {.words = "those that were asked for"};
    struct sw_ready ready;
    struct sw_view_input in;
    if (!sw_export_look(cli, search, digest, &in, error) || !sw_export_prepare(&in, &options, &ready, error)) {
        return false;
    }
    uint32_t room = sw_film_room(search, ready.in.width, ready.in.height);
    room = SW_MIN(room, MOST_FILM);
    if (sw_cli_given(cli, "steps")) {
        if (!list_steps(cli, search, UINT32_MAX, list, error)) {
            return false;
        }
        film.chosen = list->items.count;
    } else if (!choose_steps(search, room, list, &film)) {
        return sw_fail_memory(error);
    }
    thin_steps(list, room);
    struct sw_tally tally = sw_tally_start(cli, "step");
    bool good = true;
    for (size_t i = 0; good && i < list->items.count; i++) {
        good = sw_tally_go_on(&tally, i, list->items.count) ||
               sw_fail(error, SW_ERROR_CANCELED, "%s; nothing is written", interrupted_text);
        good = good && sw_search_seek(search, list->items.items[i], error);
        frames[i] = good ? sw_search_fork(search, error) : NULL;
        film.count += frames[i] != NULL;
        good = good && frames[i];
    }
    sw_tally_end(&tally);
    film.frames = (const struct sw_search *const *)frames;
    in.run.film = &film;
    in.run.fault = fault;
    good = good && sw_search_seek(search, sw_search_known(search), error) &&
           sw_export_file(&in, &options, cli->output, error);
    for (uint32_t i = 0; i < film.count; i++) {
        sw_search_free(frames[i]);
    }
    return good;
}

/* ---- pictures one after the other ---- */

struct play {
    const struct sw_cli *cli;
    struct sw_search *search;
    const struct step_list *list;
    const char *fault; /* of the run at its end */
    struct sw_ready ready;
    struct sw_steady steady;
    struct sw_tally tally;
    uint64_t done; /* of twice as many as there are: all are looked at first */
    struct sw_scene scene;
};

/* Go to a step and do something with the input that shows it. */
static bool with_step(struct play *play, uint64_t step,
                      bool (*act)(struct play *, struct sw_view_input *, void *, struct sw_error *), void *context,
                      struct sw_error *error) {
    struct sw_explanation explanation = {0};
    struct sw_view_input in = play->ready.in;
    bool good = sw_tally_go_on(&play->tally, play->done / 2, play->list->items.count) ||
                sw_fail(error, SW_ERROR_CANCELED, "%s", interrupted_text);
    good = good && sw_search_seek(play->search, step, error) &&
           (step == 0 || sw_search_explain(play->search, step, &explanation, error));
    if (good) {
        in.run.explanation = step ? &explanation : NULL;
        in.run.fault = step == sw_search_known(play->search) ? play->fault : NULL;
        good = act(play, &in, context, error);
    }
    play->done++;
    sw_explanation_done(&explanation);
    return good;
}

static bool note_axes(struct play *play, struct sw_view_input *in, void *context, struct sw_error *error) {
    (void)context;
    return sw_steady_add(&play->steady, in, play->ready.view) || sw_fail_memory(error);
}

/* Look at every step, so that all of them get the same axes and the same legend. */
static bool prepare_axes(struct play *play, uint64_t digest, struct sw_error *error) {
    struct sw_export options = sw_export_options(play->cli);
    struct sw_view_input in;
    if (!sw_export_look(play->cli, play->search, digest, &in, error) ||
        !sw_export_prepare(&in, &options, &play->ready, error)) {
        return false;
    }
    bool good = true;
    for (size_t i = 0; good && i < play->list->items.count; i++) {
        good = with_step(play, play->list->items.items[i], note_axes, NULL, error);
    }
    struct sw_view_input *ready = &play->ready.in;
    ready->run.steady = &play->steady;
    if (ready->look.tier != SW_NONE && !sw_cli_given(play->cli, "address")) {
        ready->look.viewport.bytes_hi =
            fmax(ready->look.viewport.bytes_hi, (double)play->steady.top[ready->look.tier] * 1.04);
    }
    return good;
}

static bool write_frame(struct play *play, struct sw_view_input *in, void *context, struct sw_error *error) {
    const char *path = context;
    struct sw_sink sink = {0};
    sw_scene_clear(&play->scene);
    sw_export_page(&play->ready, in, &play->scene);
    bool good = sw_export_scene_apart(&play->scene, &play->ready.theme, SW_PICTURE_PNG, &sink, error) &&
                sw_sink_commit(&sink, path, error);
    sw_sink_done(&sink);
    return good;
}

static int digits_of(size_t count) {
    int digits = 1;
    for (; count >= 10; count /= 10) {
        digits++;
    }
    return digits > 4 ? digits : 4;
}

/* The error, and how much came about before it. */
static bool fail_after(struct sw_error *error, size_t written, size_t count) {
    struct sw_error first = *error;
    first.message[sizeof first.message - 1] = '\0';
    sw_fail(error, first.code, "%s; %zu of %zu frames are written", first.message, written, count);
    if (first.file[0]) {
        sw_error_at(error, first.file, first.line, first.column);
    }
    return false;
}

static bool open_folder(const char *path, bool *made, struct sw_error *error) {
    struct stat about;
    *made = mkdir(path, 0777) == 0;
    if (*made || (errno == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode))) {
        return true;
    }
    sw_fail(error, SW_ERROR_IO, "cannot make this folder: %s", strerror(errno));
    sw_error_at(error, path, 0, 0);
    return false;
}

static bool frame_path(const char *folder, size_t number, size_t count, char *path, size_t size) {
    char name[64];
    snprintf(name, sizeof name, "%zu", number);
    int zeros = digits_of(count) - (int)strlen(name);
    int length = snprintf(path, size, "%s/frame-%.*s%s.png", folder, zeros, "00000000000000000000", name);
    return length >= 0 && (size_t)length < size;
}

static bool write_frames(struct play *play, struct sw_error *error) {
    char path[4096];
    const char *folder = play->cli->frames;
    size_t count = play->list->items.count, written = 0;
    bool made, good = open_folder(folder, &made, error);
    if (!good) {
        return false;
    }
    for (; good && written < count; written += good) {
        good = (frame_path(folder, written + 1, count, path, sizeof path) ||
                sw_fail(error, SW_ERROR_IO, "the folder's name is too long")) &&
               with_step(play, play->list->items.items[written], write_frame, path, error);
    }
    if (!good && error->code == SW_ERROR_MEMORY) { /* all or nothing */
        for (; written > 0; written--) {
            frame_path(folder, written, count, path, sizeof path);
            unlink(path);
        }
    }
    if (!good && made && written == 0) {
        rmdir(folder);
    }
    return good || (error->code != SW_ERROR_MEMORY && fail_after(error, written, count));
}

static bool add_step_page(struct play *play, struct sw_view_input *in, void *context, struct sw_error *error) {
    sw_scene_clear(&play->scene);
    sw_export_page(&play->ready, in, &play->scene);
    return sw_animation_add(context, &play->scene, error);
}

static bool draw_animation(void *context, struct sw_sink *sink, struct sw_error *error) {
    struct play *play = context;
    size_t count = play->list->items.count;
    double fps = play->cli->fps > 0 ? play->cli->fps : fmax(FPS, (double)count / LONGEST);
    struct sw_animation *animation = sw_animation_new(&play->ready.theme, error);
    bool good = animation != NULL;
    for (size_t i = 0; good && i < count; i++) {
        good = with_step(play, play->list->items.items[i], add_step_page, animation, error);
    }
    good = good && sw_animation_write(animation, fps, HOLD, sink, error);
    sw_animation_free(animation);
    return good;
}

static bool write_animation(struct play *play, struct sw_error *error) {
    struct sw_sink sink = {0};
    bool good = sw_apart(draw_animation, play, &sink, error) && sw_sink_commit(&sink, play->cli->output, error);
    play->tally.shown |= play->tally.on; /* by the other process */
    sw_sink_done(&sink);
    return good;
}

bool sw_export_steps(const struct sw_cli *cli, struct sw_search *search, uint64_t digest, const char *fault,
                     struct sw_error *error) {
    struct step_list list = {0};
    enum sw_export_way way = sw_export_way(cli);
    bool good;
    if (way == SW_EXPORT_FILM) {
        good = draw_film(cli, search, digest, fault, &list, error);
    } else {
        struct play play = {
            .cli = cli, .search = search, .list = &list, .fault = fault, .tally = sw_tally_start(cli, "step")};
        good = list_steps(cli, search, SW_ANIMATION_MOST, &list, error) && prepare_axes(&play, digest, error) &&
               (way == SW_EXPORT_FRAMES ? write_frames(&play, error) : write_animation(&play, error));
        if (!good && error->code == SW_ERROR_CANCELED && !strcmp(error->message, interrupted_text)) {
            sw_fail(error, SW_ERROR_CANCELED, "%s; nothing is written", interrupted_text);
        }
        sw_tally_end(&play.tally);
        sw_steady_done(&play.steady);
        sw_scene_done(&play.scene);
    }
    SW_ARRAY_DONE(&list.items);
    return good;
}
