/* The part of an experiment that a scheduler gives this process. */
#ifndef SW_CLI_CLUSTER_H
#define SW_CLI_CLUSTER_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Part `*shard` of `*shards`, from 1, out of the environment. `of`: the number of parts where the scheduler does not
 * know it (GNU parallel); 0: it does (Slurm, Open MPI). False: the error says what is missing. */
bool sw_cluster_part(uint32_t of, uint32_t *shard, uint32_t *shards, struct sw_error *);

#endif
