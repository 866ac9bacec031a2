/* A run as a decision trace: poured into its file as the run goes on. */
#include "base/base.h"
#include "cli/shared/output.h"
#include "cli/shared/run.h"
#include "cli/shared/summary.h"
#include "formats/sink_file.h"
#include "formats/trace/trace_write.h"

bool sw_cli_count_candidates(const struct sw_cli *cli, const struct sw_explanation *why, uint64_t *count,
                             struct sw_error *error) {
    *count += why->candidates.count;
    return *count <= cli->max_candidates ||
           sw_fail(error, SW_ERROR_USAGE,
                   "the trace ends before decision %" PRIu64 ", with which %s candidates are looked at, more than "
                   "--max-candidates %" PRIu64,
                   why->decision.step, SW_COUNT(*count), cli->max_candidates);
}

bool sw_cli_trace_without(const struct sw_cli *cli, const char *option, const char *has, struct sw_error *error) {
    return !sw_cli_given(cli, option) ||
           sw_fail(error, SW_ERROR_USAGE, "--%s: %s is to be a decision trace, which has %s", option,
                   sw_path_name(cli->output), has);
}

/* A trace is of a whole run, at its own addresses. */
static bool check_whole_run(const struct sw_cli *cli, struct sw_error *error) {
    static const char *const others[] = {"from", "to", "where", "level", "base"};
    bool good = true;
    for (size_t i = 0; good && i < sizeof others / sizeof *others; i++) {
        good = sw_cli_trace_without(cli, others[i], "the whole run", error);
    }
    return good;
}

static bool pour_into_file(void *context, struct sw_sink *sink, struct sw_error *error) {
    return sw_sink_file_pour(context, sink, error);
}

/* A run that is under way, or has ended. */
struct trace_course {
    const struct sw_cli *cli;
    struct sw_search *search;
    struct sw_trace_writer *writer;
    uint64_t candidates; /* looked at so far */
    enum sw_step step;
    uint64_t stopped_at;
    struct sw_error why; /* of a run that failed, or broke a rule */
    int status;
};

/* Decision by decision. False: nothing is to be written. */
static bool run_through(struct trace_course *course, struct sw_error *error) {
    struct sw_explanation why = {0};
    struct sw_watch watch = sw_watch_start(course->cli, course->search, false);
    bool good = true;
    course->step = SW_STEP_MORE;
    while (good && course->step == SW_STEP_MORE) {
        if (sw_watch_stop(&watch, course->search)) {
            course->stopped_at = sw_search_at(course->search);
            break;
        }
        course->step = sw_search_step_explained(course->search, &why, &course->why);
        good =
            course->step != SW_STEP_MORE || (sw_cli_count_candidates(course->cli, &why, &course->candidates, error) &&
                                             sw_trace_writer_decision(course->writer, &why, error));
    }
    sw_watch_end(&watch);
    sw_explanation_done(&why);
    if (good && sw_cli_interrupted()) {
        good = sw_fail(error, SW_ERROR_CANCELED, "interrupted at decision %" PRIu64 ": no trace is written",
                       sw_search_at(course->search));
    } else if (good && course->step == SW_STEP_FAILED && course->why.code != SW_ERROR_INFEASIBLE) {
        *error = course->why;
        good = false;
    }
    return good;
}

/* What came of the run, before the trace takes its place: that may need memory. */
static bool judge_course(struct trace_course *course, struct sw_error *error) {
    course->status = course->step == SW_STEP_MORE ? 0 : sw_summary_verdict(course->search, &course->why);
    if (course->status == 2) {
        *error = course->why;
    }
    return course->status < 2;
}

static bool write_trace(struct trace_course *course, struct sw_error *error) {
    bool gzip;
    sw_trace_named(course->cli->output, &gzip);
    struct sw_sink_file *file = sw_sink_file_open(course->cli->output, gzip, error);
    if (!file) {
        return false;
    }
    course->writer = sw_trace_writer_new(course->search, course->cli->state, pour_into_file, file, error);
    bool good = course->writer && run_through(course, error) &&
                sw_trace_writer_end(course->writer, course->step == SW_STEP_FAILED ? course->why.message : NULL,
                                    course->stopped_at, error) &&
                judge_course(course, error);
    sw_trace_writer_free(course->writer);
    if (!good) {
        sw_sink_file_drop(file);
        return false;
    }
    return sw_sink_file_close(file, error);
}

int sw_cli_trace_file(struct sw_cli *cli) {
    struct sw_error error = {0};
    if (!check_whole_run(cli, &error)) {
        return sw_cli_fail(&error);
    }
    struct sw_problem *problem = sw_cli_load(cli, NULL);
    struct trace_course course = {.cli = cli, .search = problem ? sw_cli_search(cli, problem) : NULL};
    int status = 2;
    if (course.search) {
        bool written = write_trace(&course, &error);
        status = written ? course.status : 2;
        if (!written || status) {
            status = sw_cli_fail(written ? &course.why : &error);
        }
    }
    sw_search_free(course.search);
    sw_problem_unref(problem);
    return status;
}
