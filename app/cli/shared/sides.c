#include "cli/shared/sides.h"
#include "base/base.h"
#include "cli/shared/output.h"
#include "formats/settings/load_options.h"

/* "KEY" of KEY=VALUE, where an option is told several times. */
static size_t key_length(const struct sw_option *option, const char *value) {
    return option->repeats && value ? strcspn(value, "=") : 0;
}

static bool tells_the_same(const struct sw_told *a, const struct sw_told *b) {
    const struct sw_option *option = sw_option_get(a->option);
    size_t length = key_length(option, a->value);
    return a->option == b->option && length == key_length(option, b->value) &&
           (length == 0 || strncmp(a->value, b->value, length) == 0);
}

/* Of a list, those of one side, unless something that is told already says it otherwise. */
static bool add_told(struct sw_cli *own, const struct sw_told *list, size_t count, unsigned side) {
    size_t stronger = own->told.count;
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        struct sw_told told = {list[i].option, 0, list[i].value};
        bool wanted = list[i].side == side && sw_option_get(told.option)->commands & SW_OF_A_SIDE;
        for (size_t k = 0; wanted && k < stronger; k++) {
            wanted = !tells_the_same(&told, &own->told.items[k]);
        }
        good = !wanted || SW_PUSH(&own->told, told);
    }
    return good;
}

/* An error of --seed may be one of --old-seed. */
static bool name_side(const struct sw_cli *cli, unsigned side, const struct sw_told *told, struct sw_error *error) {
    struct sw_error why = *error;
    const char *name = sw_option_get(told->option)->name;
    size_t length = strlen(name);
    for (size_t i = 0; i < cli->told.count; i++) {
        const struct sw_told *said = &cli->told.items[i];
        if (said->side == side && said->option == told->option && said->value == told->value &&
            strncmp(why.message, "--", 2) == 0 && strncmp(why.message + 2, name, length) == 0) {
            sw_fail(error, why.code, "--%s%.3000s", sw_option_spelled(told->option + side * (size_t)SW_OPTIONS),
                    why.message + 2 + length);
        }
    }
    return false;
}

bool sw_cli_side(const struct sw_cli *cli, unsigned side, const struct sw_told *kept, size_t count, struct sw_cli *own,
                 struct sw_error *error) {
    *own = *cli;
    memset(&own->load, 0, sizeof own->load);
    memset(&own->told, 0, sizeof own->told);
    memset(&own->plugins, 0, sizeof own->plugins);
    own->params = SW_PARAMS_DEFAULT;
    own->load.trust = cli->load.trust;
    own->load.print = sw_cli_aside;
    own->planner = own->cost = own->actions = own->breeding = own->policy = NULL;
    own->base = 0;
    own->time_limit = 0;
    bool good = (side == 0 || add_told(own, cli->told.items, cli->told.count, side)) &&
                add_told(own, cli->told.items, cli->told.count, 0) && add_told(own, kept, count, 0);
    if (!good) {
        return sw_fail_memory(error);
    }
    for (size_t i = 0; i < own->told.count; i++) {
        const struct sw_told *told = &own->told.items[i];
        if (!sw_option_take(sw_option_get(told->option), own, told->value, error)) {
            return name_side(cli, side, told, error);
        }
    }
    const struct sw_script_options how = {.seed = 1, .trusted = own->load.trust, .print = sw_cli_aside};
    const char *const scripts[] = {own->cost, own->actions, own->breeding, own->policy};
    return sw_lua_plugins_open(&own->plugins, scripts, &how, &own->params, error);
}

void sw_cli_side_done(struct sw_cli *own) {
    sw_lua_plugins_close(&own->plugins);
    sw_params_done(&own->params);
    sw_load_options_done(&own->load);
    SW_ARRAY_DONE(&own->told);
}

/* Is each of the first told to the second in the same words? */
static bool told_to(const struct sw_cli *a, const struct sw_cli *b) {
    bool all = true;
    for (size_t i = 0; all && i < a->told.count; i++) {
        const struct sw_told *told = &a->told.items[i];
        all = sw_option_loads(sw_option_get(told->option));
        for (size_t k = 0; !all && k < b->told.count; k++) {
            const struct sw_told *other = &b->told.items[k];
            all = other->option == told->option && (!told->value || strcmp(told->value, other->value) == 0);
        }
    }
    return all;
}

bool sw_cli_sides_alike(const struct sw_cli *a, const struct sw_cli *b) {
    return told_to(a, b) && told_to(b, a);
}
