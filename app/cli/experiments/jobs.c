/* Several processes for one experiment. Each gets the number of a case, runs it, sends the row
 * back, and gets the next; rows go to their places, so that it does not matter which process made them, or
 * when. */
#include "cli/experiments/cases.h"
#include "base/base.h"
#include "export/apart.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_JOBS = 256 };

struct worker {
    pid_t process;
    int to, from; /* pipes; -1: closed */
    bool busy;
    size_t at; /* the case it works on */
};
/* What a worker sends before the bytes of the row. */
struct reply {
    bool good;
    size_t length;
    struct sw_error error;
};
struct pool {
    struct sw_experiment *experiment;
    struct worker workers[MOST_JOBS];
    unsigned count;
    size_t next, done; /* of the cases wanted: to give out, and finished */
    bool failed;
    size_t failed_at; /* the first case that went wrong */
    struct sw_error error;
};

/* ---- in the worker ---- */

static void work_on_cases(const struct sw_experiment *experiment, int from, int to) {
    size_t at;
    while (sw_pipe_receive(from, &at, sizeof at)) {
        struct sw_sink row = {0};
        struct reply reply;
        memset(&reply, 0, sizeof reply);
        reply.good = sw_experiment_case(experiment, at, &row, &reply.error);
        reply.length = reply.good ? row.text.count : 0;
        bool sent = sw_pipe_send(to, &reply, sizeof reply) && sw_pipe_send(to, row.text.items, reply.length);
        sw_sink_done(&row);
        if (!sent) {
            return;
        }
    }
}

/* ---- in the program ---- */

static void close_pipes(struct worker *worker) {
    if (worker->to >= 0) {
        close(worker->to);
        close(worker->from);
    }
    worker->to = worker->from = -1;
}

static bool start_worker(struct pool *pool, struct sw_error *error) {
    struct worker *worker = &pool->workers[pool->count];
    int to[2] = {-1, -1}, from[2] = {-1, -1};
    pid_t process = pipe(to) == 0 && pipe(from) == 0 ? fork() : -1;
    int code = errno;
    if (process == 0) {
        for (unsigned i = 0; i < pool->count; i++) {
            close_pipes(&pool->workers[i]); /* else the end of the others would not be seen */
        }
        close(to[1]);
        close(from[0]);
        work_on_cases(pool->experiment, to[0], from[1]);
        _exit(0);
    }
    close(to[0]);
    close(from[1]);
    *worker = (struct worker){.process = process, .to = to[1], .from = from[0]};
    if (process < 0) {
        close_pipes(worker);
        return sw_fail(error, SW_ERROR_IO, "cannot start a process: %s", strerror(code));
    }
    pool->count++;
    return true;
}

/* Of several failures the one of the first case counts, as if one process had run them in order. */
static void fail_at_case(struct pool *pool, size_t at, const struct sw_error *error) {
    if (!pool->failed || at < pool->failed_at) {
        pool->failed = true;
        pool->failed_at = at;
        pool->error = *error;
    }
}

/* `starved`: the row was there, and no room for it here. */
static void bury_worker(struct pool *pool, struct worker *worker, bool starved) {
    struct sw_error error = {0};
    int status = 0;
    close_pipes(worker);
    waitpid(worker->process, &status, 0);
    worker->process = -1;
    if (starved) {
        sw_fail_memory(&error);
    } else if (WIFSIGNALED(status)) {
        sw_fail(&error, SW_ERROR_IO, "case %zu of %zu: its process died of signal %d", worker->at + 1,
                pool->experiment->cases.count, WTERMSIG(status));
    } else {
        sw_fail(&error, SW_ERROR_IO, "case %zu of %zu: its process ended with status %d", worker->at + 1,
                pool->experiment->cases.count, WEXITSTATUS(status));
    }
    if (worker->busy) {
        fail_at_case(pool, worker->at, &error);
    }
    worker->busy = false;
}

static void give_case(struct pool *pool, struct worker *worker) {
    if (pool->failed || pool->next >= pool->experiment->wanted.count || worker->to < 0) {
        return;
    }
    worker->at = pool->experiment->wanted.items[pool->next++];
    worker->busy = true;
    if (!sw_pipe_send(worker->to, &worker->at, sizeof worker->at)) {
        bury_worker(pool, worker, false);
    }
}

static bool take_row(struct sw_sink *row, int from, size_t length) {
    row->failed = !SW_RESERVE(&row->text, length);
    if (row->failed || !sw_pipe_receive(from, row->text.items, length)) {
        return false;
    }
    row->text.count = length;
    return true;
}

static void take_reply(struct pool *pool, struct worker *worker) {
    struct reply reply;
    struct sw_sink *row = &pool->experiment->rows.items[worker->at];
    if (!sw_pipe_receive(worker->from, &reply, sizeof reply) ||
        (reply.good && !take_row(row, worker->from, reply.length))) {
        bury_worker(pool, worker, row->failed);
        return;
    }
    worker->busy = false;
    if (!reply.good) {
        fail_at_case(pool, worker->at, &reply.error);
        return;
    }
    sw_experiment_progress(pool->experiment, ++pool->done);
}

/* Is there a row still to wait for? After a failure only those of earlier cases. */
static bool waits_for_row(const struct pool *pool) {
    bool waits = false;
    for (unsigned i = 0; i < pool->count; i++) {
        const struct worker *worker = &pool->workers[i];
        waits |= worker->busy && (!pool->failed || worker->at < pool->failed_at);
    }
    return waits;
}

static void serve_workers(struct pool *pool) {
    struct pollfd polled[MOST_JOBS];
    while (waits_for_row(pool) && !sw_cli_interrupted()) {
        for (unsigned i = 0; i < pool->count; i++) {
            polled[i] = (struct pollfd){.fd = pool->workers[i].busy ? pool->workers[i].from : -1, .events = POLLIN};
        }
        if (poll(polled, pool->count, 500) <= 0) {
            continue;
        }
        for (unsigned i = 0; i < pool->count; i++) {
            if (polled[i].revents && pool->workers[i].busy) {
                take_reply(pool, &pool->workers[i]);
                give_case(pool, &pool->workers[i]);
            }
        }
    }
}

static void stop_workers(struct pool *pool) {
    for (unsigned i = 0; i < pool->count; i++) {
        struct worker *worker = &pool->workers[i];
        close_pipes(worker);
        if (worker->process > 0) {
            if (worker->busy) {
                kill(worker->process, SIGTERM);
            }
            while (waitpid(worker->process, NULL, 0) < 0 && errno == EINTR) {
            }
        }
    }
}

bool sw_experiment_run_jobs(struct sw_experiment *experiment, unsigned jobs, struct sw_error *error) {
    struct pool pool = {.experiment = experiment};
    unsigned most = SW_MIN(jobs, MOST_JOBS);
    bool good = true;
    sw_experiment_progress(experiment, 0);
    while (good && pool.count < most && pool.count < experiment->wanted.count) {
        good = start_worker(&pool, error);
    }
    for (unsigned i = 0; good && i < pool.count; i++) {
        give_case(&pool, &pool.workers[i]);
    }
    if (good) {
        serve_workers(&pool);
    }
    stop_workers(&pool);
    if (good && sw_cli_interrupted()) {
        return sw_fail(error, SW_ERROR_CANCELED, "interrupted after %zu of %zu cases", pool.done,
                       experiment->wanted.count);
    }
    if (good && pool.failed) {
        *error = pool.error;
    }
    return good && !pool.failed;
}
