/* The processes of a survey: a model each, with a limit of time and one of memory. */
#include "base/base.h"
#include "cli/shared/run.h"
#include "cli/survey/survey.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SURVEYED = 256 };

struct looker {
    pid_t process; /* 0: none */
    int from;
    double deadline;
    bool late; /* it was ended for that */
    struct survey_model *model;
    struct sw_sink said; /* frames */
};
struct lookers {
    struct sw_survey *survey;
    struct looker items[MOST_SURVEYED];
    unsigned most;
    size_t next, done; /* of those wanted */
    double start, told;
    bool shown;
};

static double time_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- in the model's process ---- */

static uint64_t survey_memory(const struct sw_survey *survey) {
    return survey->cli->memory_limit ? survey->cli->memory_limit : SURVEY_MEMORY;
}

/* Nothing that it says is seen but frames; Ctrl-C is for the program, which ends it. */
static void become_looker(const struct sw_survey *survey, const struct survey_model *model, int to) {
    const struct rlimit no_core = {0, 0};
    struct rlimit memory = {survey_memory(survey), survey_memory(survey)};
    int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
    }
    signal(SIGINT, SIG_IGN);
    setrlimit(RLIMIT_CORE, &no_core);
#ifndef __SANITIZE_ADDRESS__ /* which takes all addresses at once */
    setrlimit(RLIMIT_AS, &memory);
#else
    (void)memory;
#endif
    sw_survey_look(survey->cli, model->path, to);
    _exit(0);
}

/* ---- in the program ---- */

static bool start_looker(struct lookers *lookers, struct looker *looker, struct sw_error *error) {
    struct sw_survey *survey = lookers->survey;
    struct survey_model *model = &survey->models.items[survey->wanted.items[lookers->next]];
    pid_t parent = getpid();
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return sw_fail(error, SW_ERROR_IO, "cannot start a process: %s", strerror(errno));
    }
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent) {
            become_looker(survey, model, ends[1]);
        }
        _exit(1);
    }
    int code = errno;
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return sw_fail(error, SW_ERROR_IO, "cannot start a process: %s", strerror(code));
    }
    double seconds = survey->cli->time_limit > 0 ? survey->cli->time_limit : SURVEY_SECONDS;
    *looker = (struct looker){.process = process, .from = ends[0], .deadline = time_now() + seconds, .model = model};
    lookers->next++;
    return true;
}

/* The frame that tells how it ended, and the figures that are known: the last of each. */
static struct survey_frame last_frames(const struct sw_sink *said, const char **text, struct sw_sink *figures) {
    struct survey_frame last = {SURVEY_SO_FAR, 0}, frame;
    *text = "";
    for (size_t at = 0; at + sizeof frame <= said->text.count; at += sizeof frame + frame.length) {
        memcpy(&frame, said->text.items + at, sizeof frame);
        if (frame.length > said->text.count - at - sizeof frame) {
            break; /* it was cut off */
        }
        last = frame;
        *text = said->text.items + at + sizeof frame;
        if (frame.kind == SURVEY_SO_FAR || frame.kind == SURVEY_DONE) {
            figures->text.count = 0;
            sw_sink_add(figures, *text, frame.length);
        }
    }
    return last;
}

/* Its process has gone: how. */
static void tell_how_it_ended(struct lookers *lookers, struct looker *looker, int status) {
    struct sw_survey *survey = lookers->survey;
    struct sw_sink figures = {0};
    const char *text, *state = "crashed";
    char why[400], bytes[32];
    struct survey_frame last = last_frames(&looker->said, &text, &figures);
    int length = (int)SW_MIN(last.length, sizeof why - 1);
    if (looker->late) {
        state = "time";
        snprintf(why, sizeof why, "it was not ready after %.15g s",
                 survey->cli->time_limit > 0 ? survey->cli->time_limit : SURVEY_SECONDS);
    } else if (last.kind == SURVEY_OUT_OF_MEMORY) {
        state = "memory";
        snprintf(why, sizeof why, "it needs more than %s of memory", sw_show_bytes_long(survey_memory(survey), bytes));
    } else if (WIFSIGNALED(status)) {
        snprintf(why, sizeof why, "its process died of signal %d", WTERMSIG(status));
    } else if (last.kind == SURVEY_DONE) {
        state = "done";
        *why = '\0';
    } else if (last.kind == SURVEY_REFUSED) {
        state = "refused";
        snprintf(why, sizeof why, "%.*s", length, text);
    } else if (last.kind == SURVEY_UNREAD) {
        state = looker->model->named ? "refused" : "unread";
        snprintf(why, sizeof why, "%.*s", length, text);
    } else {
        snprintf(why, sizeof why, "its process ended with status %d", WEXITSTATUS(status));
    }
    sw_survey_row(survey, looker->model, state, why, &figures);
    sw_sink_done(&figures);
}

static void end_looker(struct lookers *lookers, struct looker *looker, bool tell) {
    int status = 0;
    if (looker->late || !tell) {
        kill(looker->process, SIGKILL);
    }
    close(looker->from);
    while (waitpid(looker->process, &status, 0) < 0 && errno == EINTR) {
    }
    if (tell) {
        tell_how_it_ended(lookers, looker, status);
        lookers->done++;
    }
    sw_sink_done(&looker->said);
    *looker = (struct looker){0};
}

/* True: that was all it had to say. */
static bool hear_looker(struct looker *looker) {
    char bytes[1 << 16];
    ssize_t count = read(looker->from, bytes, sizeof bytes);
    if (count > 0) {
        sw_sink_add(&looker->said, bytes, (size_t)count);
    }
    return count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN);
}

static const char *left_words(double seconds, char text[32]) {
    if (seconds < 90) {
        snprintf(text, 32, "%.0f s", ceil(seconds));
    } else if (seconds < 5400) {
        snprintf(text, 32, "%.0f min", seconds / 60);
    } else {
        snprintf(text, 32, "%.1f h", seconds / 3600);
    }
    return text;
}

static void tell_survey_progress(struct lookers *lookers) {
    const struct sw_survey *survey = lookers->survey;
    bool terminal = isatty(STDERR_FILENO);
    double now = time_now();
    size_t count = survey->wanted.count;
    char left[32];
    if (survey->cli->progress == SW_PROGRESS_NEVER || (survey->cli->progress == SW_PROGRESS_AUTO && !terminal) ||
        (now < lookers->told + (terminal ? 0.2 : 2.0) && lookers->done < count)) {
        return;
    }
    lookers->told = now;
    lookers->shown = true;
    fprintf(stderr, "%s%zu of %zu models", terminal ? "\r\033[K" : "", survey->known + lookers->done,
            survey->known + count);
    if (lookers->done > 0 && lookers->done < count) {
        double each = (now - lookers->start) / (double)lookers->done;
        fprintf(stderr, ", about %s left", left_words(each * (double)(count - lookers->done), left));
    }
    fputs(terminal ? "" : "\n", stderr);
    fflush(stderr);
}

/* Wait for one of them to say something, or to be late. */
static void wait_for_lookers(struct lookers *lookers) {
    struct pollfd polled[MOST_SURVEYED];
    double now = time_now(), next = now + 0.5;
    for (unsigned i = 0; i < lookers->most; i++) {
        struct looker *looker = &lookers->items[i];
        polled[i] = (struct pollfd){.fd = looker->process ? looker->from : -1, .events = POLLIN};
        next = looker->process ? fmin(next, looker->deadline) : next;
    }
    int ready = poll(polled, lookers->most, (int)ceil(fmax(next - now, 0) * 1000));
    now = time_now();
    for (unsigned i = 0; i < lookers->most; i++) {
        struct looker *looker = &lookers->items[i];
        if (!looker->process) {
            continue;
        }
        bool over = ready > 0 && polled[i].revents && hear_looker(looker);
        looker->late = !over && now >= looker->deadline;
        if (over || looker->late) {
            end_looker(lookers, looker, true);
        }
    }
}

bool sw_survey_run(struct sw_survey *survey, struct sw_error *error) {
    struct lookers lookers = {.survey = survey, .start = time_now()};
    unsigned busy = 1;
    bool good = true;
    lookers.most = survey->cli->jobs ? SW_MIN(survey->cli->jobs, (unsigned)MOST_SURVEYED) : 1;
    while (good && busy && !sw_cli_interrupted()) {
        busy = 0;
        for (unsigned i = 0; good && i < lookers.most; i++) {
            if (!lookers.items[i].process && lookers.next < survey->wanted.count) {
                good = start_looker(&lookers, &lookers.items[i], error);
            }
            busy += lookers.items[i].process != 0;
        }
        tell_survey_progress(&lookers);
        if (good && busy) {
            wait_for_lookers(&lookers);
        }
        for (size_t i = 0; good && i < survey->wanted.count && lookers.done > 0; i++) {
            good = !survey->models.items[survey->wanted.items[i]].line.failed || sw_fail_memory(error);
        }
    }
    for (unsigned i = 0; i < lookers.most; i++) {
        if (lookers.items[i].process) {
            end_looker(&lookers, &lookers.items[i], false);
        }
    }
    if (lookers.shown && isatty(STDERR_FILENO)) {
        fputs("\r\033[K", stderr);
    }
    if (good && sw_cli_interrupted()) {
        return sw_fail(error, SW_ERROR_CANCELED, "interrupted after %zu of %zu models%s", survey->known + lookers.done,
                       survey->known + survey->wanted.count,
                       survey->part >= 0 ? "; the same with --resume goes on" : "");
    }
    return good;
}
