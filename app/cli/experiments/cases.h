/* An experiment as `stowage run` sees it: a list of cases, a row for each, a report. */
#ifndef SW_CLI_EXPERIMENT_H
#define SW_CLI_EXPERIMENT_H

#include "cli/shared/run.h"
#include "lua/experiments/api.h"

struct sw_experiment {
    const struct sw_cli *cli;
    const char *path;      /* of the script */
    struct sw_params args; /* KEY=VALUE of the command line, as settings */
    struct sw_lua_host host;
    SW_ARRAY(struct sw_sink) cases; /* one line of JSON each */
    SW_ARRAY(struct sw_sink) rows;  /* the same of their rows; as many as cases */
    SW_ARRAY(uint32_t) wanted;      /* the cases to run, ascending */
    uint64_t digest;                /* of script, modules, arguments and cases */
    char name[64];
};

/* Run the script once for its name and its cases. */
bool sw_experiment_list(struct sw_experiment *, struct sw_error *);
/* Run one case in a state of its own. An error names the case. */
bool sw_experiment_case(const struct sw_experiment *, size_t at, struct sw_sink *row, struct sw_error *);
/* Run all that are wanted: here, or with several processes. */
bool sw_experiment_run(struct sw_experiment *, struct sw_error *);
bool sw_experiment_run_jobs(struct sw_experiment *, unsigned jobs, struct sw_error *);
/* Say how far it is. */
void sw_experiment_progress(const struct sw_experiment *, size_t done);
/* Let the script make its report of all rows. */
bool sw_experiment_report(const struct sw_experiment *, struct sw_report *, struct sw_error *);
void sw_experiment_done(struct sw_experiment *);

/* Shards: rows of some cases as lines of JSON, and back. */
void sw_experiment_write(const struct sw_experiment *, struct sw_sink *);
bool sw_experiment_merge(struct sw_experiment *, const char *const *files, size_t count, struct sw_error *);

/* ---- cluster.c: the part of an experiment that a scheduler gives this process ---- */

/* Part `*shard` of `*shards`, from 1, out of the environment. `of`: the number of parts where the scheduler does not
 * know it (GNU parallel); 0: it does (Slurm, Open MPI). False: the error says what is missing. */
bool sw_cluster_part(uint32_t of, uint32_t *shard, uint32_t *shards, struct sw_error *);

#endif
