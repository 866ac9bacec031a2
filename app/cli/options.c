/* The table of options, and how the argument of each is read. */
#include "cli/options.h"
#include "cli/option_texts.h"
#include "formats/load_options.h"
#include "formats/open_file.h"
#include "cli/experiments/cluster.h"
#include "lua/config.h"
#include "formats/text/size.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one function per option ---- */

/* "--capacity 1x": what was wanted instead. */
static bool refuse(struct sw_error *error, const char *option, const char *value,
                   const char *wanted) {
    sw_fail(error, SW_ERROR_USAGE, "--%s %s: expected %s", option, value, wanted);
    return false;
}

/* A number of bytes, up to 2^61. */
static bool take_bytes(const char *option, const char *value, uint64_t *bytes,
                       struct sw_error *error) {
    struct sw_error why;
    return sw_parse_size(value, SW_MAX_BYTES, bytes, &why) ||
           sw_fail(error, SW_ERROR_USAGE, "--%s: %s", option, why.message);
}

/* One of some words; the index, or -1 after an error. */
static int choose(const char *option, const char *value, const char *const *words,
                  struct sw_error *error) {
    char list[1024] = "";
    size_t used = 0;
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], value) == 0) {
            return i;
        }
        int n = snprintf(list + used, sizeof list - used, "%s%s",
                         i == 0 ? "" : (words[i + 1] ? ", " : " or "), words[i]);
        used += (size_t)n < sizeof list - used ? (size_t)n : sizeof list - used - 1;
    }
    refuse(error, option, value, list);
    return -1;
}

static bool take_planner(struct sw_cli *cli, const char *value, struct sw_error *error) {
    if (!*value) {
        return refuse(error, "planner", "''", "the name of a planner (see: stowage list planners)");
    }
    cli->planner = value;
    return true;
}

static bool take_seed(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return sw_parse_integer(value, &cli->params.seed) ||
           refuse(error, "seed", value, "a number from 0 to 2^64 - 1");
}

/* KEY=VALUE of --set and --arg. A script reads its arguments as they are written; parameters may be sizes. */
static bool take_pair(struct sw_params *params, const char *option, const char *value,
                      const char *wanted, struct sw_error *error) {
    char digits[24];
    bool is_parameter = strcmp(option, "set") == 0;
    char key[sizeof((struct sw_setting *)0)->key];
    /* Names of tensors may hold the sign themselves. */
    const char *equals = strcmp(option, "dim") == 0 || strcmp(option, "value") == 0 ? strrchr(value, '=') : strchr(value, '=');
    if (!equals || equals == value) {
        return refuse(error, option, value, wanted);
    }
    size_t length = (size_t)(equals - value);
    if (length >= sizeof key) {
        return sw_fail(error, SW_ERROR_USAGE, "--%s %s: nothing has so long a name", option, value);
    }
    memcpy(key, value, length);
    key[length] = '\0';
    for (size_t i = 0; i < params->settings.count; i++) {
        if (strcmp(params->settings.items[i].key, key) == 0) {
            return sw_fail(error, SW_ERROR_USAGE, "--%s: %s is given twice", option, key);
        }
    }
    return sw_params_set(params, key, is_parameter ? sw_size_digits(equals + 1, digits) : equals + 1, error);
}

static bool take_set(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return take_pair(&cli->params, "set", value, "KEY=VALUE (see: stowage list params)", error);
}

static bool take_arg(struct sw_cli *cli, const char *value, struct sw_error *error) {
    cli->load.args = &cli->args;
    return take_pair(&cli->args, "arg", value, "KEY=VALUE, an argument of a model in Lua", error);
}

static bool take_dim(struct sw_cli *cli, const char *value, struct sw_error *error) {
    static const char wanted[] =
        "NAME=LENGTH or TENSOR:AXIS=LENGTH, a dimension that a model leaves open, up to 2^40";
    const char *equals = strrchr(value, '=');
    uint64_t length;
    if (!equals || !sw_parse_integer(equals + 1, &length) || length > UINT64_C(1) << 40 ||
        strncmp(equals + 1, "0x", 2) == 0 || strncmp(equals + 1, "0X", 2) == 0) {
        return refuse(error, "dim", value, wanted);
    }
    cli->load.dims = &cli->dims;
    return take_pair(&cli->dims, "dim", value, wanted, error);
}

static bool take_value(struct sw_cli *cli, const char *value, struct sw_error *error) {
    static const char wanted[] = "NAME=NUMBER, the value of an input of a model: sr=16000, flag=true";
    const char *equals = strrchr(value, '=');
    char *end = NULL;
    double number = equals ? strtod(equals + 1, &end) : 0;
    bool word = equals && (strcmp(equals + 1, "true") == 0 || strcmp(equals + 1, "false") == 0);
    if (!word && (!equals || end == equals + 1 || *end != '\0' || !isfinite(number))) {
        return refuse(error, "value", value, wanted);
    }
    cli->load.values = &cli->values;
    return take_pair(&cli->values, "value", value, wanted, error);
}

/* A word of load_options.c. */
static bool take_choice(const char *option, const char *value, unsigned *choice,
                        struct sw_error *error) {
    *choice = (unsigned)(choose(option, value, sw_load_choices(option), error) + 1);
    return *choice > 0;
}

static bool take_intervals(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return take_choice("intervals", value, &cli->load.intervals, error);
}

static bool take_kernels(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return take_choice("kernels", value, &cli->load.kernels, error);
}

static bool take_capacity_of(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return take_choice("capacity-of", value, &cli->load.capacity_of, error);
}

static bool take_target(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return take_choice("target", value, &cli->load.target, error);
}

static bool take_offsets(struct sw_cli *cli, const char *value, struct sw_error *error) {
    static const char *const words[] = {"concatenated", "per-subgraph", NULL};
    int i = choose("offline-offsets", value, words, error);
    cli->load.per_subgraph = i == 1;
    return i >= 0;
}

static bool take_array(struct sw_cli *cli, const char *value, struct sw_error *error) {
    if (!*value) {
        return refuse(error, "array", "''", "the name of an array");
    }
    cli->load.array = value;
    return true;
}

static bool take_run_command(struct sw_cli *cli, const char *value, struct sw_error *error) {
    (void)value, (void)error;
    cli->run_command = true;
    return true;
}

static bool take_run(struct sw_cli *cli, const char *value, struct sw_error *error) {
    if (*value < '1' || *value > '9' || value[strspn(value, "0123456789")] != '\0' || strlen(value) > 9) {
        return refuse(error, "run", value, "the number of a run, from 1");
    }
    cli->load.run = value;
    return true;
}

static bool take_device(struct sw_cli *cli, const char *value, struct sw_error *error) {
    size_t digits = strspn(value, "0123456789");
    if (digits == 0 || digits > 2 || value[digits] != '\0' || atoi(value) >= SW_MAX_TIERS) {
        return refuse(error, "device", value, "the number of a device, from 0 to 63");
    }
    cli->load.device = value;
    return true;
}

static bool take_join(struct sw_cli *cli, const char *value, struct sw_error *error) {
    if (!*value) {
        return refuse(error, "join", "''", "the name of a log");
    }
    cli->load.join = value;
    return true;
}

static bool take_order(struct sw_cli *cli, const char *value, struct sw_error *error) {
    if (!*value) {
        return refuse(error, "order", "''", "the name of a file");
    }
    cli->load.order = value;
    return true;
}

static bool take_where(struct sw_cli *cli, const char *value, struct sw_error *error) {
    (void)error;
    cli->where = value;
    return true;
}

static bool take_state(struct sw_cli *cli, const char *value, struct sw_error *error) {
    (void)value, (void)error;
    return cli->state = true;
}

static bool take_write_anywhere(struct sw_cli *cli, const char *value, struct sw_error *error) {
    (void)value, (void)error;
    return cli->write_anywhere = true;
}

static bool take_trust(struct sw_cli *cli, const char *value, struct sw_error *error) {
    (void)value, (void)error;
    return cli->load.trust = true;
}

static bool take_max_input(struct sw_cli *cli, const char *value, struct sw_error *error) {
    uint64_t bytes;
    (void)cli;
    if (!take_bytes("max-input", value, &bytes, error)) {
        return false;
    }
    sw_set_most_input(bytes);
    return bytes > 0 || refuse(error, "max-input", value, "a number of bytes, from 1");
}

static bool take_max_macs(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return (sw_parse_positive(value, &cli->max_macs) && cli->max_macs >= 1) || refuse(error, "max-macs", value, "a number from 1");
}

static bool take_max_operators(struct sw_cli *cli, const char *value, struct sw_error *error) {
    uint64_t count;
    if (!sw_parse_integer(value, &count) || count < 1 || count > UINT32_MAX) {
        return refuse(error, "max-operators", value, "a number from 1");
    }
    cli->max_operators = (uint32_t)count;
    return true;
}

static bool take_max_flash(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return take_bytes("max-flash", value, &cli->max_flash, error) && (cli->max_flash > 0 || refuse(error, "max-flash", value, "a number of bytes, from 1"));
}

static bool take_moves(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return sw_parse_moves(value, &cli->moves) || refuse(error, "moves", value, "some of strips, order, inplace, recompute and spill, with commas between");
}

static bool take_take(struct sw_cli *cli, const char *value, struct sw_error *error) {
    cli->take = value;
    return *value || refuse(error, "take", value, "a file with a list of moves in JSON");
}

static bool take_resolver(struct sw_cli *cli, const char *value, struct sw_error *error) {
    cli->resolver = value;
    return *value || refuse(error, "resolver", value, "names of operators, with commas between: SLICE,CONCATENATION");
}

static bool take_max_candidates(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return (sw_parse_integer(value, &cli->max_candidates) && cli->max_candidates > 0) ||
           refuse(error, "max-candidates", value, "a number from 1 to 2^64 - 1");
}

static bool take_capacity(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return cli->load.has_capacity = take_bytes("capacity", value, &cli->load.capacity, error);
}

static bool take_threads(struct sw_cli *cli, const char *value, struct sw_error *error) {
    uint64_t threads;
    if (!sw_parse_integer(value, &threads) || threads < 1 || threads > SW_MOST_THREADS) {
        return refuse(error, "threads", value, "a number from 1 to 64");
    }
    cli->threads = (uint32_t)threads;
    return true;
}

static bool take_highlight(struct sw_cli *cli, const char *value, struct sw_error *error) {
    if (!*value) {
        return refuse(error, "highlight", "''", "the name of a buffer");
    }
    cli->highlight = value;
    return true;
}

static bool take_time(struct sw_cli *cli, const char *value, struct sw_error *error) {
    char *colon = NULL, *end = NULL;
    errno = 0;
    long long lo = strtoll(value, &colon, 10);
    long long hi = colon != value && *colon == ':' ? strtoll(colon + 1, &end, 10) : 0;
    if (!end || end == colon + 1 || *end || errno || lo > hi) {
        return refuse(error, "time", value, "two times, A:B, the second not before the first");
    }
    cli->time_lo = lo;
    cli->time_hi = hi;
    cli->has_time = true;
    return true;
}

static bool take_address(struct sw_cli *cli, const char *value, struct sw_error *error) {
    char left[40];
    const char *colon = strchr(value, ':');
    size_t length = colon ? (size_t)(colon - value) : 0;
    if (!colon || length >= sizeof left) {
        return refuse(error, "address", value, "two addresses, A:B, with K, M or G");
    }
    memcpy(left, value, length);
    left[length] = '\0';
    if (!take_bytes("address", left, &cli->address_lo, error) ||
        !take_bytes("address", colon + 1, &cli->address_hi, error)) {
        return false;
    }
    if (cli->address_lo >= cli->address_hi) {
        return refuse(error, "address", value, "two addresses, A:B, the second above the first");
    }
    cli->has_address = true;
    return true;
}

static bool take_limit(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return take_bytes("limit", value, &cli->limit, error) &&
           (cli->limit > 0 || refuse(error, "limit", value, "a number of bytes, from 1"));
}

static bool take_max_peak(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return cli->has_max_peak = take_bytes("max-peak", value, &cli->max_peak, error);
}

static bool take_max_fragmentation(struct sw_cli *cli, const char *value, struct sw_error *error) {
    char *end = NULL;
    double percent = strtod(value, &end);
    if (end == value || strcmp(end, "%") != 0 || !(percent >= 0) || percent > 100) {
        return refuse(error, "max-fragmentation", value, "a percentage from 0% to 100%");
    }
    cli->max_fragmentation = percent / 100;
    cli->has_max_fragmentation = true;
    return true;
}

static bool take_tiers(struct sw_cli *cli, const char *value, struct sw_error *error) {
    if (!*value) {
        return refuse(error, "tiers", "''", "the name of a file");
    }
    cli->load.tiers = value;
    return true;
}

static bool take_pins(struct sw_cli *cli, const char *value, struct sw_error *error) {
    (void)value, (void)error;
    cli->load.pins = true;
    return true;
}

static bool take_assume(struct sw_cli *cli, const char *value, struct sw_error *error) {
    (void)value, (void)error;
    cli->assume_overwrites = true;
    return true;
}

static bool take_inplace(struct sw_cli *cli, const char *value, struct sw_error *error) {
    static const char *const words[] = {"off", "safe", NULL};
    int at = choose("inplace", value, words, error);
    cli->load.inplace_safe = at == 1;
    return at >= 0;
}

/* A path, or the name of a script that ships, which becomes its path; "none" is what is built in. */
static bool take_plugin(struct sw_cli *cli, const char *option, enum sw_lua_plugin kind, const char *value, const char **path,
                        struct sw_error *error) {
    if (!*value) {
        return refuse(error, option, "''", "the name of a file, or of a script that ships");
    }
    struct sw_error why = {0};
    bool found = sw_lua_plugin_path(kind, value, cli->shipped[kind], sizeof cli->shipped[kind], &why);
    *path = strcmp(value, "none") == 0 ? NULL : cli->shipped[kind];
    return found || !*path || sw_fail(error, SW_ERROR_USAGE, "--%s: %s", option, why.message);
}

static bool take_cost(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return take_plugin(cli, "cost", SW_LUA_COSTS, value, &cli->cost, error);
}

static bool take_breeding(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return take_plugin(cli, "breeding", SW_LUA_BREEDING, value, &cli->breeding, error);
}

static bool take_actions(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return take_plugin(cli, "actions", SW_LUA_ACTIONS, value, &cli->actions, error);
}

static bool take_seeds(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return (sw_parse_integer(value, &cli->seeds) && cli->seeds > 0 && cli->seeds <= 1000) ||
           refuse(error, "seeds", value, "a number of seeds, from 1 to 1000");
}

static bool take_work(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return (sw_parse_integer(value, &cli->params.work) && cli->params.work > 0) ||
           refuse(error, "work", value, "a number of units of work, from 1");
}

static bool take_time_limit(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return sw_parse_positive(value, &cli->time_limit) ||
           refuse(error, "time-limit", value, "seconds above 0");
}

static bool take_even_if_larger(struct sw_cli *cli, const char *value, struct sw_error *error) {
    (void)value;
    (void)error;
    cli->even_if_larger = true;
    return true;
}

static bool take_base(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return sw_parse_integer(value, &cli->base) ||
           refuse(error, "base", value, "an address such as 0x20000000");
}

static bool take_format(struct sw_cli *cli, const char *value, struct sw_error *error) {
    static const char *const words[] = {"text", "csv", "json", "md", NULL};
    int at = choose("format", value, words, error);
    cli->format = (enum sw_output)(at < 0 ? 0 : at);
    cli->has_format = true;
    return at >= 0;
}

static bool take_output(struct sw_cli *cli, const char *value, struct sw_error *error) {
    if (!*value) {
        return refuse(error, "output", "''", "the name of a file, or - for standard output");
    }
    cli->output = value;
    return true;
}

static bool take_progress(struct sw_cli *cli, const char *value, struct sw_error *error) {
    static const char *const words[] = {"auto", "always", "never", NULL};
    int at = choose("progress", value, words, error);
    cli->progress = (enum sw_progress)(at < 0 ? 0 : at);
    return at >= 0;
}

static bool take_level(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return sw_level_parse(value, &cli->level) ||
           refuse(error, "level", value, "event, decision, operator, group or run");
}

static bool take_from(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return (sw_parse_integer(value, &cli->from) && cli->from > 0) ||
           refuse(error, "from", value, "the number of a decision, from 1");
}

static bool take_to(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return (sw_parse_integer(value, &cli->to) && cli->to > 0) ||
           refuse(error, "to", value, "the number of a decision, from 1");
}

static bool take_view(struct sw_cli *cli, const char *value, struct sw_error *error) {
    if (!sw_view_find(value, error)) {
        return false;
    }
    cli->view = value;
    return true;
}

static bool take_theme(struct sw_cli *cli, const char *value, struct sw_error *error) {
    if (!*value) {
        return refuse(error, "theme", "''", "the name of a theme, or a file ending in .lua");
    }
    cli->theme = value;
    return true;
}

static bool take_title(struct sw_cli *cli, const char *value, struct sw_error *error) {
    (void)error;
    cli->title = value;
    return true;
}

static bool take_step(struct sw_cli *cli, const char *value, struct sw_error *error) {
    cli->has_step = true;
    return sw_parse_integer(value, &cli->step) ||
           refuse(error, "step", value, "the number of a decision, from 0");
}

static bool take_steps(struct sw_cli *cli, const char *value, struct sw_error *error) {
    cli->steps.given = true;
    return sw_parse_steps(value, &cli->steps) ||
           refuse(error, "steps", value, "A:B or A:B:BY, or 3,10,25, rising; the last may be end");
}

static bool take_frames(struct sw_cli *cli, const char *value, struct sw_error *error) {
    (void)error;
    cli->frames = value;
    return true;
}

static bool take_fps(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return (sw_parse_positive(value, &cli->fps) && cli->fps >= 0.01 && cli->fps <= 60) ||
           refuse(error, "fps", value, "steps a second, from 0.01 to 60");
}

static bool take_size(struct sw_cli *cli, const char *value, struct sw_error *error) {
    uint64_t width, height;
    if (!sw_parse_page(value, &width, &height) && !sw_parse_pair(value, 30000, &width, &height)) {
        return refuse(error, "size", value,
                      "WIDTHxHEIGHT in points, from 320x200 to 30000x30000, or 16:9, 4:3, a4, "
                      "a4-portrait, a3, a3-portrait, letter or letter-portrait");
    }
    cli->width = (double)width;
    cli->height = (double)height;
    return true;
}

static bool take_scale(struct sw_cli *cli, const char *value, struct sw_error *error) {
    if (!sw_parse_positive(value, &cli->scale) || cli->scale < 0.25 || cli->scale > 8) {
        return refuse(error, "scale", value, "a number from 0.25 to 8");
    }
    return true;
}

static bool take_dpi(struct sw_cli *cli, const char *value, struct sw_error *error) {
    uint64_t dpi;
    if (!sw_parse_integer(value, &dpi) || dpi < 18 || dpi > 2400) {
        return refuse(error, "dpi", value, "pixels per inch, from 18 to 2400");
    }
    cli->dpi = (double)dpi;
    return true;
}

static bool take_units(struct sw_cli *cli, const char *value, struct sw_error *error) {
    static const char *const words[] = {"auto", "bytes", "kib", "mib", NULL};
    int chosen = choose("units", value, words, error);
    cli->units = chosen < 0 ? SW_UNITS_AUTO : (enum sw_units)chosen;
    return chosen >= 0;
}

static bool take_annotate(struct sw_cli *cli, const char *value, struct sw_error *error) {
    if (!*value) {
        return refuse(error, "annotate", "''", "the name of a file with notes");
    }
    cli->annotate = value;
    return true;
}

static bool take_screen(struct sw_cli *cli, const char *value, struct sw_error *error) {
    uint64_t width, height;
    if (!sw_parse_pair(value, 1000, &width, &height)) {
        return refuse(error, "screen", value, "WIDTHxHEIGHT in cells, each from 1 to 1000");
    }
    cli->has_screen = true;
    cli->screen_width = (unsigned)width;
    cli->screen_height = (unsigned)height;
    return true;
}

static bool take_record(struct sw_cli *cli, const char *value, struct sw_error *error) {
    (void)error;
    cli->record = value;
    return true;
}

static bool take_script(struct sw_cli *cli, const char *value, struct sw_error *error) {
    (void)error;
    cli->script = value;
    return true;
}

static bool take_ascii(struct sw_cli *cli, const char *value, struct sw_error *error) {
    (void)value, (void)error;
    cli->ascii = true;
    return true;
}

static bool take_config(struct sw_cli *cli, const char *value, struct sw_error *error) {
    if (!*value) {
        return refuse(error, "config", "''", "the name of a file, or none");
    }
    cli->config = value;
    return true;
}

static bool take_reader(struct sw_cli *cli, const char *value, struct sw_error *error) {
    return SW_PUSH(&cli->readers, value) || sw_fail_memory(error);
}

static bool take_text(struct sw_cli *cli, const char *value, struct sw_error *error) {
    (void)value, (void)error;
    cli->text = true;
    return true;
}

static bool take_bounds(struct sw_cli *cli, const char *value, struct sw_error *error) {
    (void)value, (void)error;
    cli->bounds = true;
    return true;
}

static bool take_no_mouse(struct sw_cli *cli, const char *value, struct sw_error *error) {
    (void)value, (void)error;
    cli->no_mouse = true;
    return true;
}

static bool take_jobs(struct sw_cli *cli, const char *value, struct sw_error *error) {
    uint64_t jobs;
    if (!sw_parse_integer(value, &jobs) || jobs < 1 || jobs > 256) {
        return refuse(error, "jobs", value, "a number of processes, from 1 to 256");
    }
    cli->jobs = (unsigned)jobs;
    return true;
}

static bool take_shard(struct sw_cli *cli, const char *value, struct sw_error *error) {
    char left[24];
    uint64_t parts = 0;
    if (strcmp(value, "auto") == 0 ||
        (strncmp(value, "auto/", 5) == 0 && sw_parse_integer(value + 5, &parts) && parts > 0 &&
         parts <= 1000000)) {
        return sw_cluster_part((uint32_t)parts, &cli->shard, &cli->shards, error);
    }
    size_t length = strcspn(value, "/");
    uint64_t at = 0, count = 0;
    if (value[length] && length < sizeof left) {
        memcpy(left, value, length);
        left[length] = '\0';
        if (sw_parse_integer(left, &at) && sw_parse_integer(value + length + 1, &count) && at > 0 &&
            at <= count && count <= 1000000) {
            cli->shard = (uint32_t)at;
            cli->shards = (uint32_t)count;
            return true;
        }
    }
    return refuse(error, "shard", value, "I/N, the part I of N: 1/4; or auto, or auto/N");
}

static bool take_merge(struct sw_cli *cli, const char *value, struct sw_error *error) {
    (void)value, (void)error;
    return cli->merge = true;
}

/* ---- the table ---- */

#define RUNS                                                                                       \
    (SW_FOR_EXPLORE | SW_FOR_ATTACH | SW_FOR_PLAN | SW_FOR_TRACE | SW_FOR_COMPARE | SW_FOR_EXPORT | SW_FOR_DIFF)
#define LOADS (RUNS | SW_FOR_CHECK | SW_FOR_CONVERT | SW_FOR_FIT)
#define ENDS                                                                                       \
    (SW_FOR_EXPLORE | SW_FOR_ATTACH | SW_FOR_PLAN | SW_FOR_COMPARE | SW_FOR_TRACE | SW_FOR_EXPORT | SW_FOR_DIFF)
#define PICTURES (SW_FOR_EXPORT | SW_FOR_COMPARE | SW_FOR_DIFF | SW_FOR_FIT)
#define SAYS                                                                                       \
    (SW_FOR_EXPLORE | SW_FOR_ATTACH | SW_FOR_PLAN | SW_FOR_COMPARE | SW_FOR_CHECK | SW_FOR_DIFF | SW_FOR_LIST | \
     SW_FOR_TUNE | SW_FOR_FIT)
#define WRITES                                                                                     \
    (SW_FOR_ATTACH | SW_FOR_PLAN | SW_FOR_TRACE | SW_FOR_COMPARE | SW_FOR_CHECK | SW_FOR_EXPORT | SW_FOR_DIFF | \
     SW_FOR_CONVERT | SW_FOR_LIST | SW_FOR_RUN | SW_FOR_TUNE | SW_FOR_FIT)

static const struct sw_option options[] = {
    {"planner", 'p', "NAME", RUNS | SW_FOR_LIST | SW_FOR_CHECK | SW_FOR_CONVERT | SW_FOR_TUNE, false,
     "the planner, or a prefix that only one has (default auto); several for compare: A,B",
     take_planner},
    {"seed", 0, "N", RUNS | SW_FOR_CONVERT | SW_FOR_FIT, false, "the seed of randomized planners (default 1)", take_seed},
    {"set", 0, "KEY=VALUE", RUNS | SW_FOR_CONVERT | SW_FOR_TUNE, true, "a parameter of the planner (see: stowage list params)",
     take_set},
    {"cost", 0, "FILE|NAME", RUNS, false,
     "price memory traffic as this script does, or one that ships: energy", take_cost},
    {"actions", 0, "FILE|NAME", RUNS, false, "let tier-search try the actions of this script, too; swap ships",
     take_actions},
    {"breeding", 0, "FILE|NAME", RUNS, false,
     "let order-genetic or segment-genetic breed with the operators of this script; own and own_segments ship", take_breeding},
    {"work", 0, "N", RUNS | SW_FOR_CONVERT | SW_FOR_FIT, false, "stop after N units of work; the same on every machine",
     take_work},
    {"seeds", 0, "N", SW_FOR_COMPARE, false,
     "set order-genetic beside random-order over N seeds, at equal evaluations", take_seeds},
    {"time-limit", 0, "SECONDS", ENDS, false, "stop between two decisions after this time",
     take_time_limit},
    {"capacity", 0, "BYTES", LOADS, false, "the capacity of tier 0; K, M and G are powers of 1024",
     take_capacity},
    {"capacity-of", 0, "head|arena", LOADS, false,
     "what --capacity is of: what is planned (default), or the arena with its tail",
     take_capacity_of},
    {"tiers", 0, "FILE", LOADS, false, "take the tiers from this file: {\"tiers\":[...]}",
     take_tiers},
    {"order", 0, "FILE|onnxruntime|onnxruntime-priority", LOADS, false,
     "run the operators in this order: their names, one a line; or in the one that the runtime takes by itself", take_order},
    {"arg", 0, "KEY=VALUE", LOADS, true, "an argument of a model written in Lua: batch=8",
     take_arg},
    {"dim", 0, "NAME=LENGTH", LOADS, true,
     "the length of a dimension that a model leaves open: batch=1; of a tensor within it "
     "an upper bound: boxes:0=100",
     take_dim},
    {"value", 0, "NAME=NUMBER", LOADS, true,
     "the value of an input of one element that steers what a model does: sr=16000", take_value},
    {"intervals", 0, "half-open|inclusive|exclusive", LOADS, false,
     "which ends of the times of a table are inside", take_intervals},
    {"join", 0, "LOG", LOADS, false,
     "what TensorFlow Lite Micro printed of the model: adds its workspaces and plan", take_join},
    {"kernels", 0, "LIBRARY", LOADS, false,
     "whose kernels ask for workspaces: reference (default), cmsis-nn[:none|dsp|mve], "
     "esp-nn[:ansi|s3|p4], none",
     take_kernels},
    {"target", 0, "cortex-m|host", LOADS, false,
     "what TensorFlow Lite Micro runs on (default cortex-m)", take_target},
    {"array", 0, "NAME", LOADS, false,
     "which array of a C or C++ source with several models is meant", take_array},
    {"run", 0, "N", LOADS, false, "which run of a decision trace with several is meant (default the last)", take_run},
    {"device", 0, "N", LOADS | SW_FOR_TUNE, false,
     "which device of a PyTorch snapshot with several is meant (default the one with the most events)", take_device},
    {"offline-offsets", 0, "concatenated|per-subgraph", LOADS, false,
     "how a plan in a TensorFlow Lite model counts tensors of several subgraphs (default "
     "concatenated)",
     take_offsets},
    {"max-input", 0, "SIZE", LOADS | SW_FOR_RUN | SW_FOR_TUNE, false,
     "read no file that is larger, or expands to more (default: a quarter of the memory that there is)", take_max_input},
    {"trust", 0, NULL, LOADS | SW_FOR_RUN, false,
     "let scripts run without limits of time and memory", take_trust},
    {"write-anywhere", 0, NULL, SW_FOR_EXPLORE | SW_FOR_RUN, false,
     "let scripts write outside of the working directory, and over files that were there",
     take_write_anywhere},
    {"pins", 0, NULL, LOADS, false,
     "offsets in the file are demands, even when all buffers have one", take_pins},
    {"inplace", 0, "off|safe", LOADS, false,
     "let an operator that may do so write over its dying input (default off)", take_inplace},
    {"assume-overwrites", 0, NULL, SW_FOR_CHECK, false,
     "a buffer may lie over what the operator that writes it uses last: each is told", take_assume},
    {"base", 0, "ADDRESS", RUNS | SW_FOR_CHECK, false,
     "add this address to every offset shown or written", take_base},
    {"even-if-larger", 0, NULL, SW_FOR_PLAN | SW_FOR_EXPLORE, false,
     "write a plan into a model even when the interpreter's own needs no more",
     take_even_if_larger},
    {"bounds", 0, NULL, SW_FOR_PLAN, false,
     "say what proves the lower bounds of peak, cost and migration", take_bounds},
    {"level", 0, "LEVEL", SW_FOR_TRACE, false,
     "one object per event, decision (default), operator, group or run", take_level},
    {"state", 0, NULL, SW_FOR_TRACE, false,
     "add the planner's state after each decision: its queues, free lists, pools, stacks as tables",
     take_state},
    {"from", 0, "N", SW_FOR_TRACE, false, "leave out the decisions before this one", take_from},
    {"where", 0, "CONDITION", SW_FOR_TRACE, false,
     "only decisions of which this is true, in Lua: 'kind == grow and size > 64K'", take_where},
    {"to", 0, "N", SW_FOR_TRACE, false, "stop after this decision", take_to},
    {"max-candidates", 0, "COUNT", SW_FOR_TRACE, false,
     "look at no more candidates than this in the whole trace (default 1048576)",
     take_max_candidates},
    {"highlight", 0, "BUFFER", SW_FOR_EXPORT, false, "mark this buffer in the picture",
     take_highlight},
    {"time", 0, "A:B", SW_FOR_EXPORT, false, "draw these times only, both inside", take_time},
    {"address", 0, "A:B", SW_FOR_EXPORT, false,
     "draw these addresses only; K, M and G are powers of 1024", take_address},
    {"max-macs", 0, "TIMES", SW_FOR_FIT, false,
     "at most so many times the model's own multiply-adds: 1.1", take_max_macs},
    {"max-operators", 0, "COUNT", SW_FOR_FIT, false, "at most so many operators in all", take_max_operators},
    {"max-flash", 0, "BYTES", SW_FOR_FIT, false, "the changed model may be larger by so much: 32K", take_max_flash},
    {"moves", 0, "KIND,...", SW_FOR_FIT, false,
     "what may be done: strips, order, inplace, recompute, spill (default: all but spill)", take_moves},
    {"take", 0, "FILE", SW_FOR_FIT, false, "make the moves of this list in place of looking for some: JSON, as --format json prints them", take_take},
    {"resolver", 0, "OPERATOR,...", SW_FOR_FIT, false,
     "operators that the application has beside those of the model: SLICE,CONCATENATION,PAD", take_resolver},
    {"limit", 0, "BYTES", SW_FOR_TUNE, false,
     "no more may be reserved: exit with 1 when no settings serve all requests then", take_limit},
    {"threads", 0, "N", SW_FOR_PLAN, false,
     "run N times at once, each with the next seed, and keep the best (default 1)", take_threads},
    {"max-peak", 0, "BYTES", SW_FOR_PLAN, false,
     "exit with 1 when the plan needs more; K, M and G are powers of 1024", take_max_peak},
    {"max-fragmentation", 0, "PERCENT%", SW_FOR_PLAN, false,
     "exit with 1 when more of the peak lies above the lower bound", take_max_fragmentation},
    {"view", 0, "NAME", SW_FOR_EXPORT | SW_FOR_COMPARE | SW_FOR_FIT, false,
     "what to draw (see: stowage list views); compare: layout (default) or convergence; fit: front (default), strips or before-after", take_view},
    {"step", 0, "N", SW_FOR_EXPORT | SW_FOR_EXPLORE | SW_FOR_ATTACH, false,
     "after this decision (default: the last for a picture, the first for the explorer)",
     take_step},
    {"steps", 0, "A:B[:BY]|N,N,...", SW_FOR_EXPORT, false,
     "several steps: an animation, pictures in --frames, or the filmstrip", take_steps},
    {"frames", 0, "DIR", SW_FOR_EXPORT, false, "a numbered PNG for each of --steps, in this folder",
     take_frames},
    {"fps", 0, "N", SW_FOR_EXPORT, false,
     "steps a second of an animation (default 2, or more, so that it lasts 30 s at most)",
     take_fps},
    {"theme", 0, "NAME", PICTURES | SW_FOR_EXPLORE | SW_FOR_ATTACH, false,
     "colors: a theme that ships, or a file ending in .lua", take_theme},
    {"size", 0, "SIZE", PICTURES, false,
     "size of the picture: WIDTHxHEIGHT in points, or 16:9, 4:3, a4, a4-portrait, letter ...",
     take_size},
    {"scale", 0, "N", PICTURES, false,
     "draw everything N times as large, on a picture of the same size", take_scale},
    {"dpi", 0, "N", PICTURES, false, "pixels per inch of a PNG (default: 144)", take_dpi},
    {"units", 0, "auto|bytes|kib|mib", PICTURES, false,
     "what memory is counted in (auto: what fits the largest figure)", take_units},
    {"annotate", 0, "FILE", SW_FOR_EXPORT, false,
     "write the notes of this JSON file on the picture", take_annotate},
    {"title", 0, "TEXT", PICTURES, false, "title of the picture", take_title},
    {"script", 0, "FILE", SW_FOR_EXPLORE | SW_FOR_ATTACH, false, "run the commands in this file first",
     take_script},
    {"screen", 0, "WxH", SW_FOR_EXPLORE | SW_FOR_ATTACH, false,
     "print one frame as text and leave; needs no terminal", take_screen},
    {"record", 0, "FILE.svg", SW_FOR_EXPLORE, false,
     "draw every step of --script as one animated picture, --screen large, and leave", take_record},
    {"run-command", 0, NULL, SW_FOR_EXPLORE, false,
     "of a session that another program's planner recorded: its command may run again", take_run_command},
    {"ascii", 0, NULL, SW_FOR_EXPLORE | SW_FOR_ATTACH, false, "draw with ASCII characters only", take_ascii},
    {"text", 0, NULL, SW_FOR_EXPLORE | SW_FOR_ATTACH, false,
     "lines of text instead of pictures, for screen readers and poor terminals", take_text},
    {"no-mouse", 0, NULL, SW_FOR_EXPLORE | SW_FOR_ATTACH, false, "leave the mouse to the terminal", take_no_mouse},
    {"reader", 0, "FILE.lua", LOADS | SW_FOR_LIST | SW_FOR_TUNE | SW_FOR_RUN, true, "a reader written in Lua, asked before all others", take_reader},
    {"config", 0, "FILE", SW_FOR_EXPLORE | SW_FOR_ATTACH | SW_FOR_LIST, false,
     "settings, keys and readers from this file instead of ~/.config/stowage/config.lua, or none",
     take_config},
    {"jobs", 0, "N", SW_FOR_RUN, false, "share the cases among N processes", take_jobs},
    {"shard", 0, "I/N|auto|auto/N", SW_FOR_RUN, false,
     "run part I of N of the cases, and write their rows instead of a report; auto: as Slurm or "
     "Open MPI say; "
     "auto/N: as GNU parallel counts",
     take_shard},
    {"merge", 0, NULL, SW_FOR_RUN, false,
     "make the report of the rows in the files that follow, which --shard wrote", take_merge},
    {"format", 0, "FORMAT", SAYS, false, "text (default), csv, json or md", take_format},
    {"output", 'o', "FILE", WRITES, false, "write there; the name says how; - is standard output",
     take_output},
    {"progress", 0, "auto|always|never", ENDS | SW_FOR_RUN | SW_FOR_TUNE | SW_FOR_FIT, false,
     "say on standard error how far a long run is (auto: on a terminal)", take_progress},
};
#define OPTIONS (sizeof options / sizeof *options)
_Static_assert(OPTIONS <= 8 * sizeof(sw_given), "a bit for each option");

size_t sw_option_count(void) {
    return OPTIONS;
}

const struct sw_option *sw_option_get(size_t at) {
    return at < OPTIONS ? &options[at] : NULL;
}

bool sw_cli_given(const struct sw_cli *cli, const char *option) {
    size_t at = 0;
    while (at < OPTIONS && strcmp(options[at].name, option) != 0) {
        at++;
    }
    return at < OPTIONS && (cli->given >> at & 1);
}

bool sw_cli_config(const struct sw_cli *cli, bool usual, struct sw_config *config,
                   struct sw_error *error) {
    char path[4096];
    if (cli->config) {
        return strcmp(cli->config, "none") == 0 || sw_config_read(cli->config, config, error);
    }
    return !usual || !sw_config_path(path, sizeof path) || sw_config_read(path, config, error);
}
