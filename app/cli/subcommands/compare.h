/* What the files of stowage compare share. */
#ifndef SW_CLI_COMPARE_H
#define SW_CLI_COMPARE_H

#include "cli/report/cli_report.h"
#include "search/result/figures.h"

/* order-genetic beside random-order over cli->seeds seeds; prints, and returns the exit status. */
int sw_compare_seeds(struct sw_cli *, const struct sw_problem *, enum sw_output);

/* A file that tells requests: the online allocators on them, and an offline plan beside; prints, and returns the exit
 * status. */
int sw_compare_requests(struct sw_cli *, const struct sw_problem *, enum sw_output);

/* Why a planner has no figures, or what is to be said of them: an item of a list, or a line. Nothing where `why` is "".
 */
void sw_compare_remark(struct sw_cli_report *, const struct sw_planner *, const char *why);

/* One of the planners that are compared, and what came of it. */
struct compared_row {
    const struct sw_planner *planner;
    struct sw_search *search; /* kept for a picture; else NULL */
    bool ran;                 /* false: `why` says what kept it from running */
    enum sw_outcome outcome;
    struct sw_figures figures;
    bool optimal;   /* proved */
    bool limited;   /* its work has the limit of a comparison */
    bool reordered; /* with the operators in another order, which has a lower bound of its own */
    uint64_t decisions, stopped_at;
    double seconds;
    char why[sizeof((struct sw_error *)0)->message];
};
struct compared_table {
    SW_ARRAY(struct compared_row) rows;
    const struct sw_problem *problem;
    uint64_t digest;
    bool picture;
    bool feasible; /* any of them */
    /* Some planner has such a figure, or proved its result. */
    bool has_migration, has_cost, has_optimal;
    bool has_stopped;      /* a limit ended some run */
    bool has_optimal_here; /* proved for the order of the file, */
    bool has_orders_best;  /* or for every order */
    bool asked;            /* of the order, by --set before or together */
};
/* What they found over their evaluations, in one picture. */
bool sw_compare_curves(const struct sw_cli *, const struct compared_table *, struct sw_error *);
/* The same over cli->seeds seeds, run here. */
bool sw_compare_seed_curves(const struct sw_cli *, const struct compared_table *, struct sw_error *);
/* A run with this seed, at its end; the caller's. A planner that ends by itself has no limit of work here, unless an
 * option sets one: evaluations are the measure. `evaluations` (0: its own) is for those that take any number. NULL: the
 * error says why. */
struct sw_search *sw_compare_seed(const struct sw_cli *, const struct sw_problem *, const struct sw_planner *,
                                  uint64_t seed, uint64_t evaluations, struct sw_result *, struct sw_error *);

/* ---- several.c: the parameters of one of several planners that get the same --set; for tune as well ---- */

/* What a planner that looks for a proof may spend: about two seconds. */
#define SW_PROOF_WORK UINT64_C(200000000)

bool sw_compare_has_parameter(const struct sw_planner *, const char *key);
/* Of the settings given those that the planner has. One that goes on until it has a proof gets a limit of work; one
 * with a budget of its own has that, and costs what it costs alone. */
bool sw_compare_settings(struct sw_params *to, const struct sw_params *from, const struct sw_planner *,
                         struct sw_error *);

#endif
