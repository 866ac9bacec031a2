/* The command line: one file per subcommand, one line in the table of cli.c.
 *
 * cli.c parses every option into a `struct sw_cli` (getopt_long, one table of options with the set of
 * subcommands each belongs to; --help and the bash completion are made from it), refuses what a
 * subcommand does not take, and hands over. A subcommand returns the exit status: 0 done, 1 infeasible
 * or a check that failed, 2 bad usage or input (after one line on standard error by sw_cli_fail). */
#ifndef SW_CLI_CLI_H
#define SW_CLI_CLI_H

#include "base/text.h"
#include "data.h"
#include "formats/format.h"
#include "lua/planning/plugins.h"
#include "view/view.h"

enum sw_output { SW_OUTPUT_TEXT, SW_OUTPUT_CSV, SW_OUTPUT_JSON, SW_OUTPUT_MD };
enum sw_progress { SW_PROGRESS_AUTO, SW_PROGRESS_ALWAYS, SW_PROGRESS_NEVER };

/* --steps A:B:BY, or a list of them. */
enum { SW_STEPS_LISTED = 256 };
struct sw_steps {
    bool to_end; /* B is the last decision */
    uint64_t from, to, by;
    size_t count; /* > 0: these, rising, and not A:B */
    uint64_t list[SW_STEPS_LISTED];
};

struct sw_told {
    size_t option;      /* of the table */
    unsigned char side; /* 0: of both sides of diff; 1: --old-NAME; 2: --new-NAME */
    const char *value;  /* NULL: it takes none */
};

struct sw_cli {
    const struct sw_subcommand *commands, *command; /* the table, and the one that runs */
    size_t command_count;
    const char **files; /* positional arguments after the subcommand, ended by NULL */
    size_t file_count;
    SW_ARRAY(struct sw_told) told; /* each of them with its argument, in the order of the command line */
    char *const *words;            /* the whole command line, as it was given */
    int word_count;
    const char *what_ifs;        /* for the summary of a session: what was changed in it; "" or NULL: nothing */
    char conditions[2000];       /* the options that change the problem or the plan, as they were given; "" */
    uint64_t digest;             /* of the file that sw_cli_load read; 0: none */
    const char *planner;         /* NULL: auto; for compare a list A,B,... */
    struct sw_params params;     /* --seed --set --work */
    struct sw_load_options load; /* it owns its texts */
    /* --cost, --actions, --breeding, --policy: paths; `params` borrows from what they open */
    const char *cost, *actions, *breeding, *policy;
    char shipped[SW_LUA_PLUGIN_KINDS][4096]; /* the paths of those that were named as scripts that ship */
    struct sw_lua_plugins plugins;
    uint64_t base;
    uint64_t max_input; /* 0 = as usual */
    bool even_if_larger;
    bool infeasible;   /* the input itself says that nothing fits: the exit status is 1 */
    double time_limit; /* seconds; 0 = none */
    enum sw_output format;
    uint64_t seeds;     /* compare: order-genetic and random-order over so many; 0 = no */
    bool bounds;        /* plan: the proofs of the bounds, too */
    const char *output; /* -o; NULL = standard output, as text */
    enum sw_progress progress;
    /* trace */
    enum sw_level level;
    bool state;              /* --state: objects of a trace have the planner's state */
    const char *where;       /* --where: a condition on decisions, or NULL */
    uint64_t from, to;       /* steps, 1..; to = UINT64_MAX: the end */
    uint64_t max_candidates; /* --max-candidates: that are looked at in the whole trace */
    /* export and the explorer */
    const char *view, *theme, *title;
    uint64_t step;
    double width, height;                 /* --size WxH; 0 = default */
    struct sw_steps steps;                /* --steps */
    const char *frames;                   /* --frames DIR */
    double fps;                           /* --fps; 0 = not given */
    double scale;                         /* --scale; 0 = default */
    uint32_t dpi;                         /* --dpi; 0 = default */
    enum sw_coloring coloring;            /* --color-by */
    enum sw_units units;                  /* --units */
    const char *annotate;                 /* --annotate FILE */
    unsigned screen_width, screen_height; /* --screen WxH: one frame as text; 0: not given */
    const char *highlight;                /* --highlight BUFFER */
    int64_t time_lo, time_hi;             /* --time A:B, both inside */
    uint64_t address_lo, address_hi;      /* --address A:B */
    bool assume_overwrites;
    /* gates for scripts */
    uint64_t max_peak;              /* --max-peak BYTES */
    double max_fragmentation;       /* --max-fragmentation 10%: a fraction */
    bool update;                    /* gate: --update */
    uint64_t tolerance;             /* gate: --tolerance BYTES */
    double tolerance_part;          /* gate: --tolerance 1.5%: a fraction */
    const char *junit;              /* gate: --junit FILE */
    uint64_t limit;                 /* tune: --limit BYTES; 0 = none */
    double max_macs;                /* fit: --max-macs; 0 = no limit */
    uint32_t max_operators;         /* fit: --max-operators; 0 = no limit */
    uint64_t max_flash;             /* fit: --max-flash; 0 = no limit */
    unsigned moves;                 /* fit: --moves, a set of enum sw_fit_move_kind; 0: not given */
    const char *resolver;           /* fit: --resolver; NULL: not given */
    uint64_t effort;                /* suggest: --effort; 0 = not given */
    const char *take;               /* fit: --take; NULL: not given */
    uint32_t threads;               /* --threads N; 0: not given */
    bool write_anywhere;            /* scripts may write where the user may */
    bool own_model;                 /* no file was named: it is the model that ships */
    const char *record;             /* --record FILE: the script as an animated picture */
    const char *script;             /* --script FILE */
    bool ascii, text, no_mouse;     /* --ascii, --text, --no-mouse */
    const char *config;             /* --config FILE; "none" */
    SW_ARRAY(const char *) readers; /* --reader FILE */
    /* run */
    unsigned jobs;          /* --jobs; 0 = not given */
    bool run_command;       /* --run-command */
    bool no_hints;          /* the summary does not say what to do next */
    const char *shown;      /* what errors call the input; NULL: as its path says */
    uint32_t shard, shards; /* --shard I/N; 0 = not given */
    bool merge;             /* --merge */
    /* survey */
    bool resume;           /* --resume */
    uint64_t memory_limit; /* --memory-limit; 0 = not given */
};

/* Is what the plan costs in the answer of a subcommand? */
enum sw_shows_cost { SW_SHOWS_COST, SW_SHOWS_NO_COST, SW_SHOWS_COST_IN_SUMMARY /* not in a plan that is no JSON */ };

struct sw_subcommand {
    const char *name;
    const char *arguments; /* "FILE PLAN" */
    const char *summary;   /* one sentence */
    const char *help;      /* a paragraph and examples, for --help */
    size_t least, most;    /* how many positional arguments */
    unsigned formats;      /* for --format, besides text: bit per enum sw_output */
    enum sw_shows_cost shows_cost;
    int (*run)(struct sw_cli *);
    bool takes_moments; /* also a file that tells one moment of an allocator, without times */
};

/* The config: of --config, else, when `usual`, the user's own; it is empty when there is none. NULL: the error says
 * why. */
struct sw_config;
struct sw_config *sw_cli_config(const struct sw_cli *, bool usual, struct sw_error *);
void sw_cli_config_free(struct sw_config *);

int sw_cli_explore(struct sw_cli *); /* `stowage [FILE]` */
int sw_cli_attach(struct sw_cli *);
/* What a session takes from the command line; without a path. */
struct sw_session_options sw_cli_session_options(const struct sw_cli *);
/* The explorer, a frame or a recording of a session that is open. It may become another one; the caller frees it. */
struct sw_session;
int sw_cli_explore_session(const struct sw_cli *, struct sw_session **, bool terminal);
int sw_cli_plan(struct sw_cli *);
int sw_cli_trace(struct sw_cli *);
int sw_cli_compare(struct sw_cli *);
int sw_cli_check(struct sw_cli *);
int sw_cli_export(struct sw_cli *);
int sw_cli_diff(struct sw_cli *);
int sw_cli_convert(struct sw_cli *);
int sw_cli_list(struct sw_cli *);
int sw_cli_run(struct sw_cli *);
int sw_cli_tune(struct sw_cli *);
int sw_cli_fit(struct sw_cli *);
int sw_cli_gate(struct sw_cli *);
int sw_cli_suggest(struct sw_cli *);
int sw_cli_survey(struct sw_cli *);

/* Was the option of this long name given? */
bool sw_cli_given(const struct sw_cli *, const char *option);

/* Parse and run. */
int sw_cli_main(int argc, char **argv);

enum { SW_MOST_THREADS = 64 };

/* The model that is opened when no FILE is given. */
#define SW_CLI_MODEL "scripts/models/mobilenet_v1_025_96.json"

/* What a moment is told where something is to be planned. */
#define SW_CLI_NO_PLAN                                                                                             \
    "this is one moment of an allocator, without times: there is nothing to plan; stowage plan, export, diff and " \
    "the explorer show it"
/* False, and the error says so: the problem is such a moment, and an option was given that has a meaning only for what
 * is planned. */
bool sw_cli_heeds_moment(const struct sw_cli *, const struct sw_problem *, struct sw_error *);
/* Load cli->files[0] as the options say. NULL after sw_cli_fail has printed why. */
struct sw_problem *sw_cli_load(struct sw_cli *, uint64_t *digest);
/* A new search for cli->planner (NULL: auto) on the problem; NULL after printing why. */
struct sw_search *sw_cli_search(struct sw_cli *, const struct sw_problem *);
struct sw_search *sw_cli_try(struct sw_cli *, const struct sw_problem *, struct sw_error *); /* prints nothing */
/* Run it to its end or its limits, with progress on standard error. Fills everything of the result.
 * False after printing why (no memory; infeasibility is not a failure here). */
bool sw_cli_finish(struct sw_cli *, struct sw_search *, struct sw_result *);
/* Did Ctrl-C end a run? And the same for sw_search_run to ask. */
bool sw_cli_interrupted(void);
bool sw_cli_is_interrupted(void *, const struct sw_search *, const struct sw_decision *);
/* What came of a run. Undecided: a limit stopped it before every block had a place. */
enum sw_outcome { SW_OUTCOME_FEASIBLE, SW_OUTCOME_INFEASIBLE, SW_OUTCOME_UNDECIDED };
enum sw_outcome sw_cli_outcome(const struct sw_result *);
/* 0 or 1, as the contract says, for a run that has ended. */
int sw_cli_status(const struct sw_result *);
/* The summary of a run that `plan` prints. */
struct sw_cli_report;
void sw_cli_summary(const struct sw_cli *, const struct sw_result *, struct sw_cli_report *);
/* Write a plan to cli->output by its extension, or the summary to standard output. Exit status. */
int sw_cli_write(struct sw_cli *, const struct sw_result *);

#endif
