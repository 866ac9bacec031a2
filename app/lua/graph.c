/* Graphs written in Lua. The file is a program: it gets the --arg values as a table, and returns a
 * table of the same shape as a graph in JSON, which is then written as JSON and read by the reader
 * of graphs. So there is one description of a graph, and one place that judges it. */
#include "lua/graph.h"
#include "base/base.h"

#include "formats/wrapped/gzip.h"
#include "lua/sandbox/lua_internal.h"
#include "lua/experiments/lua_json.h"

struct graph_job {
    struct sw_script *script;
    const struct sw_load_options *options;
    struct sw_sink *sink;
};

static int keep_arguments(lua_State *lua) {
    struct graph_job *job = lua_touserdata(lua, 1);
    sw_lua_push_arguments(lua, job->options ? job->options->args : NULL);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, job);
    return 0;
}

static int write_graph(lua_State *lua) {
    struct graph_job *job = lua_touserdata(lua, 1);
    const struct sw_load_options *options = job->options;
    if (options && options->args_read) {
        *options->args_read |= sw_lua_arguments_read(lua, options->args);
    } else if (options) {
        sw_lua_check_arguments(lua, options->args, "--arg ");
    }
    lua_rawgetp(lua, LUA_REGISTRYINDEX, job);
    if (!lua_istable(lua, -1)) {
        return luaL_error(lua,
                          "the script returns %s instead of a graph: end it with 'return' and "
                          "a table",
                          lua_isnil(lua, -1) ? "nothing" : luaL_typename(lua, -1));
    }
    sw_lua_json(lua, -1, job->sink);
    return 0;
}

static bool run_graph(struct graph_job *job, struct sw_error *error) {
    lua_State *lua = sw_script_lua(job->script);
    if (!sw_script_protect(job->script, keep_arguments, job, error)) {
        return false;
    }
    lua_rawgetp(lua, LUA_REGISTRYINDEX, job);
    if (!sw_script_run(job->script, 1, 1, error)) {
        return false;
    }
    lua_rawsetp(lua, LUA_REGISTRYINDEX, job); /* over the arguments: needs no memory */
    return sw_script_protect(job->script, write_graph, job, error);
}

static bool rewrite(const struct sw_input *input, const struct sw_load_options *options, struct sw_sink *sink,
                    struct sw_error *error) {
    const struct sw_script_options how = {.seed = 1,
                                          .trusted = options && options->trust,
                                          .print = options ? options->print : NULL,
                                          .context = options ? options->print_context : NULL};
    struct graph_job job = {NULL, options, sink};
    job.script = sw_script_open_text(input->name, input->bytes, input->length, &how, error);
    bool good = job.script && run_graph(&job, error);
    for (size_t i = 0; options && options->uses && job.script && i < sw_script_file_count(job.script); i++) {
        options->uses(options->uses_context, sw_script_file(job.script, i));
    }
    sw_script_close(job.script);
    sw_sink_add(sink, "", 1); /* `locate_in_graph` reads it as text */
    sink->text.count -= !sink->failed;
    return good && (!sink->failed || sw_fail_memory(error));
}

/* ---- where in the graph an error is ---- */

static const char *line_start(const struct sw_sink *text, uint32_t line) {
    const char *at = text->text.items, *end = at + text->text.count;
    for (uint32_t i = 1; i < line && at; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    return at;
}

/* The name of the item on a line: the last "name" there, which is the item's own. */
static bool name_on(const char *line, const char *end, char *name, size_t size) {
    static const char key[] = "\"name\":\"";
    const char *found = NULL;
    for (const char *at = line; at + sizeof key < end && *at != '\n'; at++) {
        if (memcmp(at, key, sizeof key - 1) == 0) {
            found = at + sizeof key - 1;
        }
    }
    size_t length = found ? strcspn(found, "\"\n") : 0;
    if (length == 0 || length >= size) {
        return false;
    }
    memcpy(name, found, length);
    name[length] = '\0';
    return true;
}

/* The list that the items of a line belong to: "operators". */
static bool list_around_line(const struct sw_sink *text, uint32_t line, char *list, size_t size) {
    for (; line > 0; line--) {
        const char *at = line_start(text, line);
        at = at && line == 1 ? at + 1 : at; /* the brace around everything */
        size_t length = at && *at == '"' ? strcspn(++at, "\"\n") : size;
        if (length < size && strncmp(at + length, "\":[", 3) == 0) {
            memcpy(list, at, length);
            list[length] = '\0';
            return true;
        }
    }
    return false;
}

static void locate_in_graph(const struct sw_sink *text, struct sw_error *error) {
    char name[1024], list[24], message[sizeof error->message];
    const char *line = error->line ? line_start(text, error->line) : NULL;
    const char *end = text->text.items + text->text.count;
    if (line && name_on(line, end, name, sizeof name) && list_around_line(text, error->line, list, sizeof list)) {
        snprintf(message, sizeof message, "%s", error->message);
        sw_fail(error, error->code, "in %s, %s: %s", list, name, message);
    }
    error->line = error->column = 0; /* positions in a text that the user has never seen */
}

static bool is_lua_file(const struct sw_input *input) {
    size_t length = sw_gzip_inner(input->name);
    return length > 4 && memcmp(input->name + length - 4, ".lua", 4) == 0;
}

const struct sw_format sw_format_lua = {
    .name = "graph-lua",
    .summary = "a graph as what a Lua program returns; --arg KEY=VALUE are its arguments",
    .extensions = ".lua",
    .detect = is_lua_file,
    .rewrite = rewrite,
    .locate = locate_in_graph,
    .is_program = true,
};
