/* The table of subcommands, and from the words of a command line to one of them. */
#include "cli/options.h"
#include "base/base.h"
#include "cli/shared/output.h"
#include "export/apart.h"
#include "formats/settings/load_options.h"
#include "formats/open_file.h"
#include "lua/config.h"
#include "lua/readers/reader.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <unistd.h>

enum { CSV = 1 << SW_OUTPUT_CSV, JSON = 1 << SW_OUTPUT_JSON, MD = 1 << SW_OUTPUT_MD };

/* In the order of SW_SUBCOMMANDS. */
static const struct sw_subcommand subcommands[] = {
    {"", "[FILE]", "open the explorer; without a terminal print the summary of plan",
     "Without FILE the model that ships is opened. FILE may be any readable format.\n"
     "\n"
     "  stowage model.json -p greedy-by-size\n"
     "  stowage model.json --screen 120x30\n",
     0, 1, CSV | JSON, SW_SHOWS_COST, sw_cli_explore, true},
    {"plan", "FILE", "run a planner to its end; print a summary, or write the plan",
     "With -o the plan itself is written, in the format of the name; else a summary is\n"
     "printed. Ctrl-C and the limits stop the run between two decisions.\n"
     "\n"
     "  stowage plan model.json\n"
     "  stowage plan model.json -p best --format json\n"
     "  stowage plan model.json --capacity 256K --base 0x20000000 -o plan.csv\n",
     1, 1, CSV | JSON, SW_SHOWS_COST_IN_SUMMARY, sw_cli_plan, true},
    {"trace", "FILE", "print one JSON object per decision, one per line",
     "Each object says what was decided, what was looked at, and why. With -o and a\n"
     "name that ends in .trace (or .trace.jsonl, .trace.gz, .trace.jsonl.gz) the whole\n"
     "run is written as a decision trace, with the model.\n"
     "\n"
     "  stowage trace model.json -p lifetime\n"
     "  stowage trace model.json --from 10 --to 12\n"
     "  stowage trace model.json --level operator\n"
     "  stowage trace model.json -p lifetime -o run.trace.gz\n",
     1, 1, 0, SW_SHOWS_NO_COST, sw_cli_trace, false},
    {"compare", "FILE", "run several planners on the same input and print a row for each",
     "Without -p all planners that apply are run. Those that do not apply, or find\n"
     "nothing, are named below the table. With -o and the name of a picture, a small\n"
     "map for each on the same axes; with --view convergence, or over --seeds, their\n"
     "curves. Where FILE tells the requests of an online allocator it is, without -p,\n"
     "compared with the others, all from an empty heap, and with an offline plan.\n"
     "\n"
     "  stowage compare model.json\n"
     "  stowage compare model.json -o planners.svg\n"
     "  stowage compare model.json --seeds 10 -o curves.pdf\n"
     "  stowage compare model.json -p first-fit,best-fit,greedy-by-size --format md\n",
     1, 1, CSV | JSON | MD, SW_SHOWS_COST, sw_cli_compare, false},
    {"check", "FILE PLAN", "check a plan against a model, with code that no planner uses",
     "PLAN is CSV or JSON. Every fault is a line; any fault makes the exit status 1.\n"
     "A planner that gives buffers other sizes (token-sharing) made its plan for\n"
     "those: JSON names it, for CSV say -p NAME.\n"
     "\n"
     "  stowage check model.json plan.csv\n",
     2, 2, JSON, SW_SHOWS_COST, sw_cli_check, false},
    {"export", "FILE -o OUT",
     "draw the layout, for a review, as SVG, PNG, PDF or a page for a browser; or the run as trace events",
     "The name given with -o chooses the kind of picture. A page for a browser (.html)\n"
     "is one file: one points at blocks, searches, goes through the decisions. The\n"
     "view report also has the best planner known and what would help. With a name\n"
     "that ends in .perfetto.json (or .perfetto.json.gz) the run is written as trace\n"
     "events, which Perfetto and chrome://tracing open: operators, live and reserved\n"
     "bytes, decisions and buffers as tracks.\n"
     "\n"
     "  stowage export model.json -o layout.svg\n"
     "  stowage export model.json -o review.html\n"
     "  stowage export model.json -p best --step 20 --size 800x500 -o layout.png\n"
     "  stowage export model.json -p best -o run.perfetto.json\n",
     1, 1, 0, SW_SHOWS_COST, sw_cli_export, true},
    {"diff", "OLD NEW", "compare two models or plans, matched by name, else by place and size",
     "Says what the change of the peak is due to, in parts that add up, what grew,\n"
     "came, went and moved, and where the two part; the exit status is 1 when NEW\n"
     "needs more. With -o and the name of a picture, both layouts; with -o NAME.md\n"
     "Markdown for a pull request, and NAME.svg beside it. Each option of a run may\n"
     "be that of one side: --old-planner, --new-arg and so on.\n"
     "Of two files that record requests (snapshots of PyTorch, logs), without -p:\n"
     "what is reserved, where the requests part, and which stacks hold more; with -o\n"
     "both curves on one axis.\n"
     "\n"
     "  stowage diff old.json new.json\n"
     "  stowage diff old.json new.json -p greedy-by-size -o change.svg\n"
     "  stowage diff model.lua model.lua --new-arg batch=8 -o change.md\n"
     "  stowage diff model.json model.json --old-planner best --new-planner auto\n"
     "  stowage diff monday.csv friday.csv\n"
     "  stowage diff before.pickle after.pickle\n",
     2, 2, CSV | JSON | MD, SW_SHOWS_NO_COST, sw_cli_diff, true},
    {"convert", "IN -o OUT", "read any format and write another, chosen by the name",
     "Logs of decisions can be written as decision traces (NAME.trace), with all that\n"
     "they say. With --order, or -p and a planner that orders operators, the model is\n"
     "written in that order; ONNX and TensorFlow Lite keep all their other bytes.\n"
     "\n"
     "  stowage convert model.onnx -p order -o better.onnx\n"
     "  stowage convert buffers.csv -o model.json\n"
     "  stowage convert ggml.log -o run.trace\n",
     1, 1, 0, SW_SHOWS_COST, sw_cli_convert, true},
    {"list", "TOPIC", "list planners, params, views, themes, scripts, formats, commands or keys",
     "Topics: planners, params, views, themes, scripts, formats, commands and keys of\n"
     "the explorer, and, for completion: subcommands, options, values of an option,\n"
     "topics.\n"
     "\n"
     "  stowage list planners\n"
     "  stowage list params -p lifetime\n"
     "  stowage list commands --format json\n",
     1, 2, JSON, SW_SHOWS_COST, sw_cli_list, false},
    {"run", "SCRIPT [KEY=VALUE...]", "run an experiment written in Lua, and print its report",
     "The script returns a table of cases, run and report; KEY=VALUE are its\n"
     "arguments. With -o its CSV files and plots go into that folder. Cases can be\n"
     "run by several processes, or split over machines: with --shard the rows go to\n"
     "-o, and --merge makes the report of all such files. The bytes are the same\n"
     "every time.\n"
     "\n"
     "  stowage run scripts/experiments/planners.lua -o out\n"
     "  stowage run sweep.lua model=resnet50 seeds=20 --jobs 8\n"
     "  stowage run sweep.lua --shard 1/4 -o 1.jsonl\n"
     "  stowage run sweep.lua --merge 1.jsonl 2.jsonl 3.jsonl 4.jsonl -o out\n",
     1, SIZE_MAX, 0, SW_SHOWS_COST, sw_cli_run, false},
    {"attach", "-- COMMAND [ARG...]", "step through the planner of another program while it runs",
     "COMMAND records what its planner decides (stowage/record.h,\n"
     "stowage_record.py). The explorer opens at its first decision and holds it\n"
     "there: s, o and c let it go on, back is free, and pins and forbidden ranges\n"
     "run COMMAND again. Without a terminal, or with --format, the summary of plan\n"
     "is printed. -o keeps what was recorded.\n"
     "\n"
     "  stowage attach -- ./my_compiler model.bin\n"
     "  stowage attach -o run.trace -- python3 planner.py\n"
     "  stowage attach --script steps.txt --screen 120x30 -- ./my_compiler model.bin\n",
     1, SIZE_MAX, JSON, SW_SHOWS_COST_IN_SUMMARY, sw_cli_attach, false},
    {"tune", "FILE", "search the settings of an online allocator for those that reserve least",
     "FILE tells requests: a snapshot of PyTorch's, a log, a table of events. They are\n"
     "served from an empty heap under many settings of cuda-caching, each setting\n"
     "alone and the best ones together; printed are the settings with the least peak,\n"
     "what they save, all that was tried, and which blocks hold the memory that is\n"
     "free at the peak. Of a log of bfc-arena the settings of that one are tried.\n"
     "With --limit, settings under which every request is served within it.\n"
     "\n"
     "  stowage tune snapshot.pickle\n"
     "  stowage tune snapshot.pickle --limit 12G\n"
     "  stowage tune requests.csv -p bfc-arena --format json\n",
     1, 1, CSV | JSON, SW_SHOWS_NO_COST, sw_cli_tune, false},
    {"fit", "FILE", "make a model need less: which regions of it in strips, and the changed model",
     "Regions of operators are computed in strips of rows, one after the other, so\n"
     "that large tensors are never there as a whole; operators stand in another\n"
     "order, write over what dies there, or run again instead of keeping what they\n"
     "made (--moves says which may). Printed is the front: how small the arena\n"
     "becomes, and what that costs in multiply-adds. With --capacity (of the arena\n"
     "with its tail, unless --capacity-of head) the cheapest change that fits, or why\n"
     "none does. With -o NAME.tflite the changed model is written, with its plan: it\n"
     "computes the same, on an interpreter that knows nothing of it. .cc and .hpp are\n"
     "the same as C++ source. -o NAME.onnx writes an ONNX model, in strips alone.\n"
     "\n"
     "  stowage fit model.tflite\n"
     "  stowage fit model.tflite --capacity 64K -o fitted.tflite\n"
     "  stowage fit model.tflite --moves strips,order --resolver SLICE,CONCATENATION\n"
     "  stowage fit model.tflite --max-macs 1.05 --max-flash 8K --format json\n"
     "  stowage fit model.onnx -o fitted.onnx\n",
     1, 1, CSV | JSON | MD, SW_SHOWS_NO_COST, sw_cli_fit, false},
    {"suggest", "FILE", "what lowers the peak of a run: moves that were tried, and the peak that came out",
     "Each move was made and the run went on to its end: one pin or two, a forbidden\n"
     "range, another candidate, planner or parameter, another order, writes in place,\n"
     "spills and recomputations. The best comes first; of equal ones the one that\n"
     "changes least. What is printed as commands can be typed in the explorer of the\n"
     "same run, or stand in a --script. With --capacity it is told which makes it fit;\n"
     "the exit status is 1 when none does.\n"
     "\n"
     "  stowage suggest model.json -p greedy-by-size\n"
     "  stowage suggest model.json -p first-fit --capacity 54K\n"
     "  stowage suggest model.json -p best-fit --format json\n",
     1, 1, CSV | JSON | MD, SW_SHOWS_NO_COST, sw_cli_suggest, false},
    {"gate", "BASELINE [MODEL|FOLDER...]", "hold what models need against a baseline, for continuous integration",
     "Each model is planned with the options that the baseline keeps for it, or those\n"
     "that are given. The exit status is 1 when one needs more than the baseline and\n"
     "--tolerance allow, is not in it, or is gone; it is told what that is due to, as\n"
     "diff does. --update writes the baseline, or those models of it that are named:\n"
     "a file to keep beside the models, which merges line by line. Without a MODEL it\n"
     "is about all that are in the baseline; of a folder, all models below it. Each\n"
     "model that fails has a picture beside -o OUT.md: OUT-1.svg and so on.\n"
     "\n"
     "  stowage gate memory.json nets/ --update\n"
     "  stowage gate memory.json\n"
     "  stowage gate memory.json nets/ --tolerance 1% -o gate.md --junit gate.xml\n"
     "  stowage gate memory.json nets/kws.tflite -p best-fit --update\n",
     1, SIZE_MAX, CSV | JSON | MD, SW_SHOWS_NO_COST, sw_cli_gate, true},
    {"survey", "PATH...", "every model below some folders: bounds, peaks, and what would help",
     "Each model is looked at in a process of its own, with limits of time (60 s, or\n"
     "--time-limit) and memory (4 GiB, or --memory-limit): its lower bound, what each\n"
     "planner needs, what another order of the operators saves, its largest buffers,\n"
     "and the first move that would help. One that crashes, hangs or is too large\n"
     "has a row that says so. -o takes .html, .md, .csv or .json. Ctrl-C stops a\n"
     "survey, and with --resume it goes on. --shard and --merge are as for run. The\n"
     "exit status is 1 when a model was not looked at to the end, 2 when none was.\n"
     "\n"
     "  stowage survey models\n"
     "  stowage survey models more/net.onnx --jobs 8 -o fleet.html\n"
     "  stowage survey models --resume -o fleet.html\n"
     "  stowage survey models --shard auto -o part.jsonl\n"
     "  stowage survey --merge 1.jsonl 2.jsonl -o fleet.md\n",
     1, SIZE_MAX, CSV | JSON | MD, SW_SHOWS_NO_COST, sw_cli_survey, true},
};
#define SUBCOMMANDS (sizeof subcommands / sizeof *subcommands)
_Static_assert(SW_AT_SURVEY == SUBCOMMANDS - 1, "a name for each subcommand");

/* ---- from words to a subcommand ---- */

/* The subcommand that the first operand names, else the explorer. */
static size_t find_subcommand(const struct sw_cli_words *words) {
    for (size_t i = 1; words->count && !words->literal && i < SUBCOMMANDS; i++) {
        if (strcmp(words->operands[0], subcommands[i].name) == 0) {
            return i;
        }
    }
    return 0;
}

/* "stowage plna model.json" and "stowage plna": a misspelt command rather than a file. */
static bool check_subcommand(const struct sw_cli_words *words, struct sw_error *error) {
    const char *name = words->count ? words->operands[0] : "";
    if (words->count > 1 || (words->count && !words->literal && strcmp(name, "-") != 0 && !strpbrk(name, "./") &&
                             access(name, F_OK) != 0)) {
        const char *like = NULL;
        for (size_t i = 1; i < SUBCOMMANDS; i++) {
            like = sw_word_nearer(name, like, subcommands[i].name);
        }
        return like
                   ? sw_fail(error, SW_ERROR_USAGE, "'%s' is neither a command nor a file; did you mean %s?", name,
                             like)
                   : sw_fail(error, SW_ERROR_USAGE, "'%s' is neither a command nor a file (see: stowage --help)", name);
    }
    return true;
}

static bool check_operands(const struct sw_subcommand *command, size_t count, struct sw_error *error) {
    const char *wrong = count < command->least ? "needs" : count > command->most ? "takes only" : NULL;
    return !wrong || sw_fail(error, SW_ERROR_USAGE, "%s %s %s (see: stowage %s --help)", command->name, wrong,
                             command->arguments, command->name);
}

static bool check_belonging(size_t at, const struct sw_cli *cli, struct sw_error *error) {
    const char *name = at ? subcommands[at].name : "the explorer";
    for (size_t i = 0; i < cli->told.count; i++) {
        const struct sw_told *told = &cli->told.items[i];
        if (!(sw_option_get(told->option)->commands & 1u << at) || (told->side && at != SW_AT_DIFF)) {
            return sw_fail(error, SW_ERROR_USAGE, "option --%s does not belong to %s",
                           sw_option_spelled(told->option + told->side * (size_t)SW_OPTIONS), name);
        }
    }
    if (cli->format != SW_OUTPUT_TEXT && !(subcommands[at].formats & 1u << cli->format)) {
        return sw_fail(error, SW_ERROR_USAGE, "%s has no format %s", name,
                       sw_option_words(sw_option_get(sw_option_find("format")))[cli->format]);
    }
    return true;
}

/* Said before a long run, not after. */
static bool spares_inputs(const struct sw_cli *cli, struct sw_error *error) {
    return (!cli->output || sw_cli_spares(cli, cli->output, error)) &&
           (!cli->junit || sw_cli_spares(cli, cli->junit, error)) &&
           (!cli->record || sw_cli_spares(cli, cli->record, error));
}

/* Print what a sink holds; the exit status. */
static int show_sink(struct sw_sink *out) {
    struct sw_error error;
    int status = sw_sink_commit(out, "-", &error) ? 0 : sw_cli_fail(&error);
    sw_sink_done(out);
    return status;
}

/* Those of the config, and those that are named. What is wrong with the user's own config is said where it is needed:
 * in a terminal, and by list. */
static bool open_readers(const struct sw_cli *cli, struct sw_error *error) {
    struct sw_config *config = sw_cli_config(cli, true, error);
    bool good = config || (!cli->config && error->code != SW_ERROR_MEMORY);
    for (const char *path = config ? config->readers : NULL; good && path && *path; path += strlen(path) + 1) {
        good = sw_lua_reader_add(path, error);
        sw_error_at(good || *error->file ? NULL : error, config->path, config->readers_line, 0);
    }
    for (size_t i = 0; good && i < cli->readers.count; i++) {
        good = sw_lua_reader_add(cli->readers.items[i], error);
    }
    sw_cli_config_free(config);
    return good;
}

static int dispatch(struct sw_cli *cli, const struct sw_cli_words *words, struct sw_error *error) {
    struct sw_sink out = {0};
    if (words->version) {
        sw_sink_printf(&out, "stowage %s\n", SW_VERSION);
        return show_sink(&out);
    }
    size_t at = find_subcommand(words);
    cli->command = &subcommands[at];
    cli->files = words->operands + (at ? 1 : 0);
    cli->file_count = words->count - (at ? 1 : 0);
    if (words->help) {
        if (!at && !check_subcommand(words, error)) {
            return sw_cli_fail(error);
        }
        sw_help(cli, at || words->count ? cli->command : NULL, &out);
        return show_sink(&out);
    }
    if ((!at && !check_subcommand(words, error)) || !check_belonging(at, cli, error) ||
        !check_operands(cli->command, cli->file_count, error) || !spares_inputs(cli, error)) {
        return sw_cli_fail(error);
    }
    if (cli->from > cli->to) {
        return sw_cli_tell(SW_ERROR_USAGE, NULL, "--from %ju lies after --to %ju", (uintmax_t)cli->from,
                           (uintmax_t)cli->to);
    }
    const struct sw_script_options how = {.seed = 1, .trusted = cli->load.trust, .print = sw_cli_aside};
    const char *const scripts[] = {cli->cost, cli->actions, cli->breeding, cli->policy};
    if (!sw_lua_plugins_open(&cli->plugins, scripts, &how, &cli->params, error)) {
        return sw_cli_fail(error);
    }
    int status = open_readers(cli, error) ? cli->command->run(cli) : sw_cli_fail(error);
    status = status == 2 && cli->infeasible ? 1 : status;
    sw_lua_readers_done();
    sw_lua_plugins_close(&cli->plugins);
    return status;
}

/* What standard output swallowed until now may still fail to arrive. */
static int flush(int status) {
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "stowage: standard output: %s\n", strerror(errno ? errno : EIO));
        return 2;
    }
    return status;
}

/* ---- where a picture's figures come from ---- */

/* A path is told without its folders, as the input's is; what does not fit ends in dots. */
static void add_condition(struct sw_cli *cli, const char *option, const char *value) {
    size_t used = strlen(cli->conditions), room = sizeof cli->conditions - used;
    int length =
        snprintf(cli->conditions + used, room, "%s--%s%s%s", used ? " " : "", option, *value ? " " : "", value);
    if (length >= 0 && (size_t)length >= room) {
        memcpy(cli->conditions + sizeof cli->conditions - 4, "...", 4);
    }
}

static void add_load_option(void *context, enum sw_load_option option, const char *value) {
    add_condition(context, sw_load_option_name(option),
                  sw_load_option_is_file(option, value) ? sw_path_name(value) : value);
}

static void note_conditions(struct sw_cli *cli) {
    char number[32];
    sw_load_options_tell(&cli->load, add_load_option, cli);
    for (size_t i = 0; i < cli->told.count; i++) {
        const struct sw_told *told = &cli->told.items[i];
        if (told->side) {
            const char *value = told->value ? told->value : "";
            bool file = sw_option_takes_file(sw_option_get(told->option));
            add_condition(cli, sw_option_spelled(told->option + told->side * (size_t)SW_OPTIONS),
                          file ? sw_path_name(value) : value);
        }
    }
    if (cli->base) {
        snprintf(number, sizeof number, "0x%" PRIx64, cli->base);
        add_condition(cli, "base", number);
    }
    const char *const files[][2] = {
        {"cost", cli->cost}, {"actions", cli->actions}, {"breeding", cli->breeding}, {"policy", cli->policy}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i][1]) {
            add_condition(cli, files[i][0], sw_path_name(files[i][1]));
        }
    }
}

int sw_cli_main(int argc, char **argv) {
    struct sw_cli cli = {.params = SW_PARAMS_DEFAULT,
                         .level = SW_LEVEL_DECISION,
                         .from = 1,
                         .to = UINT64_MAX,
                         .max_candidates = UINT64_C(1) << 20,
                         .commands = subcommands,
                         .command_count = SUBCOMMANDS,
                         .words = argv,
                         .word_count = argc};
    struct sw_cli_words words = {0};
    struct sw_error error = {0};
    int status;
    /* When memory lacks it fails like for a locale that is not there, and the widths of the C locale would be printed.
     */
    sw_apart_was_starved();
    if (!setlocale(LC_CTYPE, "") && sw_apart_was_starved()) {
        return sw_cli_fail_memory();
    }
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write that failed, and is said so */
    words.operands = SW_NEW_ZERO(const char *, (size_t)argc + 1);
    if (!words.operands) {
        return sw_cli_fail_memory();
    }
    if (sw_options_parse(argc, argv, &cli, &words, &error)) {
        if (cli.max_input) {
            sw_set_most_input(cli.max_input);
        }
        note_conditions(&cli);
        status = flush(dispatch(&cli, &words, &error));
    } else {
        status = sw_cli_fail(&error);
    }
    sw_params_done(&cli.params);
    sw_load_options_done(&cli.load);
    SW_ARRAY_DONE(&cli.told, &cli.readers);
    SW_FREE(words.operands, (size_t)argc + 1);
    return status;
}
