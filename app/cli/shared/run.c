/* What every subcommand that plans has in common: find, load, run, stop, write. */
#include "cli/shared/output.h"
#include "base/base.h"
#include "cli/shared/run.h"
#include "export/apart.h"
#include "lua/planning/lua_planner.h"

#include "planners/planner.h"
#include "problem/moment/moment.h"
#include "search/result/figures.h"

#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- load and start ---- */

/* Reading is one call that cannot be interrupted, so a clock says that it goes on. */
static void on_alarm(int number) {
    static const char text[] = "\r\033[Kreading the input ...";
    (void)number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        return; /* nothing reads it */
    }
}

static void alarm_after(const struct sigaction *action, long microseconds) {
    struct itimerval timer = {.it_value.tv_usec = microseconds};
    sigaction(SIGALRM, action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* A model may read more files than were named; none of them is written over. */
struct model_reading {
    const struct sw_cli *cli;
    struct sw_error error; /* code: what was read is what is to be written */
};

static void on_read(void *context, const char *path) {
    struct model_reading *reading = context;
    const char *targets[] = {reading->cli->output, reading->cli->record};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        if (targets[i] && !reading->error.code) {
            sw_may_write(targets[i], &path, 1, &reading->error);
        }
    }
}

bool sw_cli_heeds_moment(const struct sw_cli *cli, const struct sw_problem *problem, struct sw_error *error) {
    static const char *const of_plans[] = {"planner",       "seed",   "set",        "cost",     "actions",
                                           "breeding",      "work",   "time-limit", "capacity", "capacity-of",
                                           "tiers",         "order",  "pins",       "inplace",  "base",
                                           "threads",       "bounds", "max-peak",   "seeds",    "max-fragmentation",
                                           "even-if-larger"};
    for (size_t i = 0; sw_problem_moment(problem) && i < sizeof of_plans / sizeof *of_plans; i++) {
        if (sw_cli_given(cli, of_plans[i])) {
            return sw_fail(error, SW_ERROR_USAGE, "--%s: " SW_CLI_NO_PLAN "; --then REQUESTS.csv goes on from it",
                           of_plans[i]);
        }
    }
    return true;
}

struct sw_problem *sw_cli_load(struct sw_cli *cli, uint64_t *digest) {
    struct sw_error error = {0};
    struct model_reading reading = {.cli = cli};
    cli->load.print = sw_cli_aside;
    bool tell = cli->progress != SW_PROGRESS_NEVER && isatty(STDERR_FILENO);
    double start = seconds_now();
    if (tell) {
        alarm_after(&(struct sigaction){.sa_handler = on_alarm, .sa_flags = SA_RESTART}, 500000);
    }
    struct sw_load_options how = cli->load;
    how.uses = on_read;
    how.uses_context = &reading;
    struct sw_problem *problem = sw_load(cli->files[0], &how, &cli->digest, &error);
    if (!problem && cli->shown && strcmp(error.file, cli->files[0]) == 0) {
        sw_error_at(&error, cli->shown, error.line, error.column);
    }
    if (problem && reading.error.code) {
        sw_problem_unref(problem);
        problem = NULL;
        error = reading.error;
    }
    if (problem && sw_problem_moment(problem) && !cli->command->takes_moments) {
        sw_fail(&error, SW_ERROR_INPUT, SW_CLI_NO_PLAN);
    } else if (problem) {
        sw_cli_heeds_moment(cli, problem, &error);
    }
    if (problem && error.code) {
        sw_error_at(&error, cli->shown ? cli->shown : cli->files[0], 0, 0);
        sw_problem_unref(problem);
        problem = NULL;
    }
    if (digest) {
        *digest = cli->digest;
    }
    if (tell) {
        alarm_after(&(struct sigaction){.sa_handler = SIG_DFL}, 0);
        fputs(seconds_now() - start > 0.4 ? "\r\033[K" : "", stderr);
    }
    if (!problem) {
        cli->infeasible = sw_cli_fail(&error) == 1;
    }
    return problem;
}

static bool heeded(const char *option, unsigned reads, const struct sw_planner *const *planners, size_t count,
                   struct sw_error *error) {
    char names[2048];
    for (size_t i = 0; i < count; i++) {
        if (planners[i]->reads & reads) {
            return true;
        }
    }
    sw_planners_that_read(reads, names, sizeof names);
    return sw_fail(error, SW_ERROR_USAGE, "--%s: %s would not heed it; these do: %s", option,
                   count == 1 ? planners[0]->name : "the planners", names);
}

/* Operators are those of one planner. */
static bool bred(const struct sw_cli *cli, const struct sw_planner *const *planners, size_t count,
                 struct sw_error *error) {
    const struct sw_breeding *breeding = cli->params.breeding;
    for (size_t i = 0; i < count; i++) {
        if (!breeding || strcmp(planners[i]->name, breeding->planner) == 0) {
            return true;
        }
    }
    return sw_fail(error, SW_ERROR_USAGE, "--breeding: %s has operators of %s, and none of %s", breeding->name,
                   breeding->planner, count == 1 ? planners[0]->name : "the planners");
}

bool sw_cli_heeded(const struct sw_cli *cli, const struct sw_planner *const *planners, size_t count, bool priced,
                   struct sw_error *error) {
    return (!cli->actions || heeded("actions", SW_READS_ACTIONS, planners, count, error)) &&
           (!cli->breeding ||
            (heeded("breeding", SW_READS_BREEDING, planners, count, error) && bred(cli, planners, count, error))) &&
           (!cli->policy || heeded("policy", SW_READS_POLICY, planners, count, error)) &&
           (!cli->cost || priced || heeded("cost", SW_READS_COST, planners, count, error));
}

/* A summary, a report and most pictures say what the plan costs; a trace, a difference and a plan in a file that is
 * not JSON do not. */
static bool shows_cost(const struct sw_cli *cli) {
    const char *dot = cli->output ? strrchr(cli->output, '.') : NULL;
    bool json = (cli->format == SW_OUTPUT_JSON) || (dot && strcmp(dot, ".json") == 0);
    bool text = !cli->output && cli->format != SW_OUTPUT_CSV;
    return cli->command->shows_cost == SW_SHOWS_COST_IN_SUMMARY ? json || text
                                                                : cli->command->shows_cost == SW_SHOWS_COST;
}

struct sw_search *sw_cli_try(struct sw_cli *cli, const struct sw_problem *problem, struct sw_error *error) {
    const struct sw_planner *planner =
        sw_lua_planner_find(cli->planner ? cli->planner : sw_planner_usual(problem), error);
    /* A limit of time is there to be used: a planner that would stop at a budget of its own goes on. */
    if (planner && cli->time_limit > 0 && cli->params.work == 0 && planner->goes_on) {
        cli->params.work = SW_WORK_UNBOUNDED;
    }
    bool good = planner && sw_planner_applies(planner, problem, error) &&
                (cli->level != SW_LEVEL_EVENT || sw_params_tell(&cli->params, planner, error)) &&
                sw_cli_heeded(cli, &planner, 1, shows_cost(cli), error);
    return good ? sw_search_new(problem, planner, &cli->params, error) : NULL;
}

struct sw_search *sw_cli_search(struct sw_cli *cli, const struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_search *search = sw_cli_try(cli, problem, &error);
    if (!search) {
        sw_cli_fail(&error);
    }
    return search;
}

/* ---- run ---- */

static volatile sig_atomic_t was_interrupted;

static void on_interrupt(int number) {
    (void)number;
    was_interrupted = 1;
}

/* How far a run is, on one line of standard error that is written over. */
static void watch_show(struct sw_watch *watch, const struct sw_search *search, double time) {
    const struct sw_layout *layout = sw_search_layout(search);
    char peak[24];
    fprintf(stderr, "%s%s: decision %" PRIu64 ", %" PRIu32 " of %" PRIu32 " placed, peak %s, %.1f s%s",
            watch->terminal ? "\r\033[K" : "", sw_search_planner(search)->name, sw_search_at(search),
            sw_layout_placed_count(layout), sw_problem_planned_count(sw_search_problem(search)),
            sw_show_bytes_long(sw_layout_peak(layout), peak), time - watch->start, watch->terminal ? "" : "\n");
    fflush(stderr);
    watch->shown = true;
    watch->next = time + (watch->terminal ? 0.1 : 1.0);
}

uint64_t sw_cli_work_limit(const struct sw_search *search) {
    return sw_search_planner(search)->budgets ? 0 : sw_search_params(search)->work;
}

/* A second Ctrl-C ends the program as ever. */
static void catch_interrupt(struct sigaction *old) {
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, old);
}

void sw_cli_catch_interrupt(void) {
    catch_interrupt(NULL);
}

struct sw_watch sw_watch_start(const struct sw_cli *cli, const struct sw_search *search, bool prints) {
    struct sw_watch watch = {.start = seconds_now(), .terminal = isatty(STDERR_FILENO)};
    bool always = cli->progress == SW_PROGRESS_ALWAYS;
    watch.on = always || (cli->progress == SW_PROGRESS_AUTO && watch.terminal && !(prints && isatty(STDOUT_FILENO)));
    watch.next = watch.start + (always ? 0 : 0.5);
    watch.time_limit = cli->time_limit;
    watch.work_limit = sw_cli_work_limit(search);
    catch_interrupt(&watch.old);
    return watch;
}

bool sw_watch_is_late(const struct sw_watch *watch) {
    return was_interrupted || (watch->time_limit > 0 && seconds_now() - watch->start >= watch->time_limit);
}

bool sw_watch_stop(struct sw_watch *watch, const struct sw_search *search) {
    bool begun = sw_search_at(search) > 0; /* opening a run is work, too, and then it makes one decision */
    if (sw_watch_is_late(watch) || (begun && watch->work_limit && sw_search_work(search) >= watch->work_limit)) {
        return true;
    }
    double time = seconds_now();
    if (watch->on && time >= watch->next) {
        watch_show(watch, search, time);
    }
    return false;
}

double sw_watch_end(struct sw_watch *watch) {
    if (watch->shown && watch->terminal) {
        fputs("\r\033[K", stderr);
    }
    sigaction(SIGINT, &watch->old, NULL);
    return seconds_now() - watch->start;
}

bool sw_cli_interrupted(void) {
    return was_interrupted;
}

bool sw_cli_is_interrupted(void *context, const struct sw_search *search, const struct sw_decision *decision) {
    (void)context, (void)search, (void)decision;
    return was_interrupted;
}

/* ---- other things that take long ---- */

struct sw_tally sw_tally_start(const struct sw_cli *cli, const char *what) {
    struct sw_tally tally = {.what = what, .terminal = isatty(STDERR_FILENO)};
    bool always = cli->progress == SW_PROGRESS_ALWAYS;
    tally.on = always || (cli->progress == SW_PROGRESS_AUTO && tally.terminal);
    tally.next = seconds_now() + (always ? 0 : 0.5);
    /* Ctrl-C that ended the run before does not end this as well; the next one ends the program. */
    tally.caught = !was_interrupted;
    if (tally.caught) {
        catch_interrupt(&tally.old);
    }
    return tally;
}

bool sw_tally_go_on(struct sw_tally *tally, uint64_t done, uint64_t count) {
    double time = seconds_now();
    if (tally->caught && was_interrupted) {
        return false;
    }
    if (tally->on && time >= tally->next) {
        sw_apart_speak();
        fprintf(stderr, "%s%s %" PRIu64 " of %" PRIu64, tally->terminal ? "\r\033[K" : "", tally->what, done + 1,
                count);
        if (tally->stops && tally->terminal && count > 0) {
            fprintf(stderr, ", %" PRIu64 "%%; %s", done * 100 / count, tally->stops);
        }
        fputs(tally->terminal ? "" : "\n", stderr);
        sw_apart_hush();
        tally->shown = true;
        tally->next = time + (tally->terminal ? 0.1 : 1.0);
    }
    return true;
}

void sw_tally_end(struct sw_tally *tally) {
    if (tally->shown && tally->terminal) {
        fputs("\r\033[K", stderr);
    }
    if (tally->caught) {
        sigaction(SIGINT, &tally->old, NULL);
    }
}

/* ---- the run ---- */

static bool is_late_slice(void *context, const struct sw_search *search, const struct sw_decision *decision) {
    (void)search, (void)decision;
    return sw_watch_is_late(context);
}

/* Step until the end or a limit, in slices of about 20 ms. Whether --work stops the run depends on
 * the work alone, never on how long a slice took. */
static enum sw_step run_slices(const struct sw_cli *cli, struct sw_search *search, struct sw_result *result,
                               struct sw_error *error) {
    struct sw_watch watch = sw_watch_start(cli, search, false);
    uint64_t slice = 1000;
    enum sw_step step;
    for (;;) {
        double before = seconds_now();
        uint64_t done = sw_search_work(search);
        uint64_t left = !watch.work_limit ? UINT64_MAX : watch.work_limit > done ? watch.work_limit - done : 1;
        step = sw_search_run(search, SW_MIN(left, slice), is_late_slice, &watch, error);
        if (step != SW_STEP_MORE) {
            break;
        }
        if (sw_watch_stop(&watch, search)) {
            result->stopped_at = sw_search_at(search);
            break;
        }
        double spent = seconds_now() - before;
        if (spent < 0.01 && slice < UINT64_MAX / 2) {
            slice *= 2;
        } else if (spent > 0.04 && slice > 1) {
            slice /= 2;
        }
    }
    result->seconds = sw_watch_end(&watch);
    return step;
}

static bool is_complete_run(const struct sw_search *search) {
    struct sw_metrics metrics;
    sw_metrics_of(sw_search_layout(search), &metrics);
    return metrics.complete;
}

/* A planner that tries several layouts was stopped in the middle of one: go back to the best of
 * those it had measured. Without one the search stays where it is. */
static bool go_back_to_best(struct sw_search *search, uint64_t stopped_at, struct sw_error *error) {
    uint64_t best = 0, least = UINT64_MAX;
    if (is_complete_run(search) || sw_search_planner(search)->one_layout) {
        return true;
    }
    for (uint64_t step = 1; step <= stopped_at; step++) {
        const struct sw_decision *decision = sw_search_journal(search, step);
        if (sw_decision_is(decision, SW_DECISION_EVALUATE) && sw_decision_amount(decision) < least) {
            best = step;
            least = sw_decision_amount(decision);
        }
    }
    return !best || (sw_search_seek(search, best, error) &&
                     (is_complete_run(search) || sw_search_seek(search, stopped_at, error)));
}

/* Every offset written is base + offset: the last of them must exist. */
static bool check_base(const struct sw_cli *cli, const struct sw_layout *layout, struct sw_error *error) {
    uint64_t end;
    for (uint32_t t = 0; t < sw_problem_tier_count(sw_layout_problem(layout)); t++) {
        if (__builtin_add_overflow(cli->base, sw_layout_arena(layout, t), &end)) {
            return sw_fail(error, SW_ERROR_USAGE, "--base 0x%" PRIx64 ": the plan would end above 2^64", cli->base);
        }
    }
    return true;
}

bool sw_cli_complete(const struct sw_cli *cli, struct sw_search *search, struct sw_result *result,
                     struct sw_error *error) {
    result->stopped_at = 0;
    error->code = SW_OK;
    enum sw_step step = run_slices(cli, search, result, error);
    return sw_cli_conclude(cli, search, step, result, error);
}

bool sw_cli_figures(struct sw_result *result, struct sw_error *error) {
    struct sw_figures figures;
    if (!sw_figures_of(result->search, &figures, error)) {
        return false;
    }
    result->cost = figures.cost;
    result->broken = figures.broken;
    result->optimal = figures.optimal;
    return true;
}

bool sw_cli_conclude(const struct sw_cli *cli, struct sw_search *search, enum sw_step step, struct sw_result *result,
                     struct sw_error *error) {
    *result = (struct sw_result){.search = search,
                                 .source = cli->file_count ? cli->files[0] : NULL,
                                 .digest = cli->digest,
                                 .base = cli->base,
                                 .even_if_larger = cli->even_if_larger,
                                 .load = &cli->load,
                                 .seconds = result->seconds,
                                 .stopped_at = result->stopped_at};
    bool ok =
        !result->stopped_at || (sw_search_planner(search)->settle ? sw_search_settle(search, error)
                                                                  : go_back_to_best(search, result->stopped_at, error));
    result->layout = sw_search_layout(search);
    return ok && (step != SW_STEP_FAILED || error->code == SW_ERROR_INFEASIBLE) &&
           check_base(cli, result->layout, error) && sw_cli_figures(result, error);
}

bool sw_cli_finish(struct sw_cli *cli, struct sw_search *search, struct sw_result *result) {
    struct sw_error error = {0};
    if (!sw_cli_complete(cli, search, result, &error)) {
        sw_cli_fail(&error);
        return false;
    }
    return true;
}

enum sw_outcome sw_cli_outcome(const struct sw_result *result) {
    struct sw_metrics metrics;
    sw_metrics_of(result->layout, &metrics);
    bool failed = sw_search_failed(result->search, NULL);
    failed = failed || result->broken;
    struct sw_claims claims;
    sw_search_claims(result->search, &claims);
    if (claims.no_addresses && !failed && sw_search_complete(result->search)) {
        return SW_OUTCOME_FEASIBLE;
    }
    if (metrics.complete && metrics.fits && !failed) {
        return SW_OUTCOME_FEASIBLE;
    }
    if (result->stopped_at && sw_search_planner(result->search)->settle && !claims.infeasible) {
        return SW_OUTCOME_UNDECIDED; /* the best so far does not fit, and a better one may */
    }
    return failed || (metrics.complete && !metrics.fits) ? SW_OUTCOME_INFEASIBLE : SW_OUTCOME_UNDECIDED;
}

int sw_cli_status(const struct sw_result *result) {
    return sw_cli_outcome(result) == SW_OUTCOME_FEASIBLE ? 0 : 1;
}
