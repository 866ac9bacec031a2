/* Which part of an experiment is this process's? Schedulers say it in the environment:
 *
 *   Slurm, a job array   SLURM_ARRAY_TASK_ID, _MIN, _STEP and _COUNT: task (ID - MIN) / STEP of COUNT
 *   Open MPI             OMPI_COMM_WORLD_RANK of OMPI_COMM_WORLD_SIZE
 *   both                 the ranks share the part of their task
 *   GNU parallel         PARALLEL_SEQ, from 1; how many there will be it does not say: --shard auto/N
 */
#include "cli/experiments/cases.h"

#include "formats/text/size.h"

#include <stdlib.h>

enum { MOST_TASKS = 1000000 };

/* A variable that must be a number from `least` on. */
static bool read_variable(const char *name, uint64_t least, uint64_t *value, struct sw_error *error) {
    const char *text = getenv(name);
    if (!text) {
        return sw_fail(error, SW_ERROR_USAGE, "--shard auto: %s is not set", name);
    }
    return (sw_parse_integer(text, value) && *value >= least) ||
           sw_fail(error, SW_ERROR_USAGE, "--shard auto: %s is '%s', and no number from %u on", name, text,
                   (unsigned)least);
}

static bool array_task(uint64_t *at, uint64_t *count, struct sw_error *error) {
    uint64_t id, least, step;
    if (!read_variable("SLURM_ARRAY_TASK_ID", 0, &id, error) ||
        !read_variable("SLURM_ARRAY_TASK_MIN", 0, &least, error) ||
        !read_variable("SLURM_ARRAY_TASK_STEP", 1, &step, error) ||
        !read_variable("SLURM_ARRAY_TASK_COUNT", 1, count, error)) {
        return false;
    }
    *at = id >= least ? (id - least) / step : UINT64_MAX;
    return (*at < *count && (id - least) % step == 0) ||
           sw_fail(error, SW_ERROR_USAGE,
                   "--shard auto: the tasks of the array are no range with equal steps; say --shard I/N");
}

static bool read_rank(uint64_t *at, uint64_t *count, struct sw_error *error) {
    return read_variable("OMPI_COMM_WORLD_RANK", 0, at, error) &&
           read_variable("OMPI_COMM_WORLD_SIZE", 1, count, error) &&
           (*at < *count ||
            sw_fail(error, SW_ERROR_USAGE, "--shard auto: OMPI_COMM_WORLD_RANK is not below OMPI_COMM_WORLD_SIZE"));
}

static bool take_part(uint64_t at, uint64_t count, uint32_t *shard, uint32_t *shards, struct sw_error *error) {
    if (count > MOST_TASKS) {
        return sw_fail(error, SW_ERROR_USAGE, "--shard auto: more than %d parts", MOST_TASKS);
    }
    *shard = (uint32_t)at + 1;
    *shards = (uint32_t)count;
    return true;
}

bool sw_cluster_part(uint32_t of, uint32_t *shard, uint32_t *shards, struct sw_error *error) {
    uint64_t task = 0, tasks = 1, at = 0, ranks = 1;
    if (of > 0) {
        if (!read_variable("PARALLEL_SEQ", 1, &at, error)) {
            return false;
        }
        return at <= of
                   ? take_part(at - 1, of, shard, shards, error)
                   : sw_fail(error, SW_ERROR_USAGE, "--shard auto/%u: PARALLEL_SEQ is %s", of, getenv("PARALLEL_SEQ"));
    }
    bool array = getenv("SLURM_ARRAY_TASK_ID"), mpi = getenv("OMPI_COMM_WORLD_RANK");
    if (!array && !mpi) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "--shard auto: this runs neither in an array of Slurm (SLURM_ARRAY_TASK_ID) nor "
                       "under Open MPI (OMPI_COMM_WORLD_RANK); under GNU parallel say --shard auto/N");
    }
    if ((array && !array_task(&task, &tasks, error)) || (mpi && !read_rank(&at, &ranks, error))) {
        return false;
    }
    if (tasks > MOST_TASKS || ranks > MOST_TASKS) {
        return take_part(0, MOST_TASKS + 1, shard, shards, error);
    }
    return take_part(task * ranks + at, tasks * ranks, shard, shards, error);
}
