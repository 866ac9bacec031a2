/* `out`, with which the report of an experiment writes: text, tables, CSV, plots. */
#include "lua/experiments/api.h"
#include "base/base.h"
#include "lua/sandbox/lua_internal.h"
#include "view/view.h"

#include <ctype.h>

void sw_report_done(struct sw_report *report) {
    sw_sink_done(&report->text);
    for (size_t i = 0; i < report->files.count; i++) {
        sw_sink_done(&report->files.items[i].bytes);
    }
    SW_ARRAY_DONE(&report->files);
}

static struct sw_report *report_of(lua_State *lua) {
    return *(struct sw_report **)luaL_checkudata(lua, 1, "stowage.out");
}

/* A new file; names are plain, so that they stay in the folder that the user named. */
static struct sw_report_file *add_file(lua_State *lua, struct sw_report *report, const char *name,
                                       const char *const *extensions) {
    struct sw_report_file file = {.name = ""};
    size_t length = strlen(name), i = 0;
    bool plain = length < sizeof file.name && *name != '.';
    for (const char *at = name; *at && plain; at++) {
        plain = isalnum((unsigned char)*at) || strchr("._-+", *at);
    }
    while (extensions[i] &&
           (length <= strlen(extensions[i]) || strcmp(name + length - strlen(extensions[i]), extensions[i]) != 0)) {
        i++;
    }
    if (!plain || !extensions[i]) {
        luaL_error(lua,
                   "'%s' is no name for this file: letters, digits, _, - and . only, and %s at "
                   "the end",
                   name, extensions[0]);
    }
    for (size_t k = 0; k < report->files.count; k++) {
        if (strcmp(report->files.items[k].name, name) == 0) {
            luaL_error(lua, "the report writes %s twice", name);
        }
    }
    snprintf(file.name, sizeof file.name, "%s", name);
    sw_script_check_memory(lua, SW_PUSH(&report->files, file));
    return &report->files.items[report->files.count - 1];
}

/* ---- columns and cells ---- */

/* Keys of the first row, in order, when the script names no columns. */
static void push_keys(lua_State *lua, int rows) {
    lua_Integer count = 0;
    lua_newtable(lua);
    int keys = lua_gettop(lua);
    if (lua_geti(lua, rows, 1) != LUA_TTABLE) {
        lua_settop(lua, keys);
        return;
    }
    sw_lua_push_pairs(lua, -1);
    int next = lua_gettop(lua) - 2;
    while (lua_pushvalue(lua, next), lua_call(lua, 0, 2), !lua_isnil(lua, -2)) {
        lua_pop(lua, 1);
        lua_rawseti(lua, keys, ++count);
    }
    lua_settop(lua, keys);
}

/* Field `name` of column k, or nil. The column itself stands for its key. */
static int column_field(lua_State *lua, int columns, lua_Integer k, const char *name) {
    int type = lua_geti(lua, columns, k);
    if (type == LUA_TTABLE) {
        type = lua_getfield(lua, -1, name);
        if (type == LUA_TNIL && strcmp(name, "key") == 0) {
            lua_pop(lua, 1);
            type = lua_geti(lua, -1, 1);
        }
        lua_remove(lua, -2);
    } else if (strcmp(name, "key") != 0) {
        lua_pop(lua, 1);
        lua_pushnil(lua);
        type = LUA_TNIL;
    }
    return type;
}

static void push_title(lua_State *lua, int columns, lua_Integer k) {
    if (column_field(lua, columns, k, "title") == LUA_TNIL) {
        lua_pop(lua, 1);
        column_field(lua, columns, k, "key");
    }
    if (lua_type(lua, -1) != LUA_TSTRING && lua_type(lua, -1) != LUA_TNUMBER) {
        luaL_error(lua, "column %d is a key, or a table with key, title, digits or bytes", (int)k);
    }
    lua_tostring(lua, -1);
}

/* The value of a cell: pushes it. */
static int push_cell_value(lua_State *lua, int rows, lua_Integer row, int columns, lua_Integer k) {
    if (lua_geti(lua, rows, row) != LUA_TTABLE) {
        luaL_error(lua, "row %d is no table", (int)row);
    }
    column_field(lua, columns, k, "key");
    int type = lua_gettable(lua, -2);
    lua_remove(lua, -2);
    return type;
}

static void push_number(lua_State *lua, double value, lua_Integer digits, bool bytes) {
    char text[64];
    bool whole = value == floor(value) && fabs(value) < 9e15;
    if (bytes && value >= 0 && value < 9e18) {
        sw_show_bytes_long((uint64_t)value, text);
    } else if (digits >= 0) {
        snprintf(text, sizeof text, "%.*f", (int)(digits > 9 ? 9 : digits), value);
    } else if (whole) {
        char count[32];
        snprintf(text, sizeof text, "%s%s", value < 0 ? "-" : "", sw_show_count((uint64_t)fabs(value), count));
    } else {
        snprintf(text, sizeof text, "%.4g", value);
    }
    lua_pushstring(lua, text);
}

/* Replace the value on top by what people read. */
static bool make_cell_text(lua_State *lua, int columns, lua_Integer k) {
    int type = lua_type(lua, -1);
    if (type == LUA_TNUMBER) {
        double value = lua_tonumber(lua, -1);
        lua_Integer digits = column_field(lua, columns, k, "digits") == LUA_TNUMBER ? lua_tointeger(lua, -1) : -1;
        column_field(lua, columns, k, "bytes");
        bool bytes = lua_toboolean(lua, -1);
        lua_pop(lua, 3);
        push_number(lua, value, digits, bytes);
        return true;
    }
    if (type == LUA_TNIL || type == LUA_TBOOLEAN) {
        bool truth = lua_toboolean(lua, -1);
        lua_pop(lua, 1);
        lua_pushstring(lua, type == LUA_TNIL ? "-" : truth ? "yes" : "no");
        return type == LUA_TNIL;
    }
    if (type != LUA_TSTRING) {
        luaL_error(lua, "a cell is a number, a text, true, false or nothing, not a table");
    }
    return false;
}

/* Arguments self, rows, columns at `rows`, `rows` + 1: numbers of both. */
static void check_table(lua_State *lua, int rows, lua_Integer *height, lua_Integer *width) {
    luaL_checktype(lua, rows, LUA_TTABLE);
    lua_settop(lua, rows + 1);
    if (lua_isnil(lua, rows + 1)) {
        push_keys(lua, rows);
        lua_replace(lua, rows + 1);
    }
    luaL_checktype(lua, rows + 1, LUA_TTABLE);
    *height = luaL_len(lua, rows);
    *width = luaL_len(lua, rows + 1);
    if (*width < 1 || *width > 100) {
        luaL_error(lua, "a table has from 1 to 100 columns");
    }
    sw_script_charge(lua, (uint64_t)*height * (uint64_t)*width * 20);
}

/* ---- tables ---- */

struct text_grid {
    int rows, columns, cells; /* places on the stack; cells: texts, row 0 the titles */
    lua_Integer height, width;
    size_t widths[101];
    bool right[101]; /* only numbers below the title */
};

static void fill_grid(lua_State *lua, struct text_grid *grid) {
    lua_newtable(lua);
    grid->cells = lua_gettop(lua);
    for (lua_Integer k = 1; k <= grid->width; k++) {
        grid->right[k] = grid->height > 0;
        grid->widths[k] = 1;
        for (lua_Integer row = 0; row <= grid->height; row++) {
            if (row == 0) {
                push_title(lua, grid->columns, k);
            } else {
                push_cell_value(lua, grid->rows, row, grid->columns, k);
                grid->right[k] = make_cell_text(lua, grid->columns, k) && grid->right[k];
            }
            size_t wide = sw_view_columns(lua_tostring(lua, -1));
            grid->widths[k] = SW_MAX(wide, grid->widths[k]);
            lua_rawseti(lua, grid->cells, row * grid->width + k);
        }
    }
}

static void write_cell(struct sw_sink *sink, const char *text, size_t width, bool right, bool last, bool markdown) {
    size_t wide = sw_view_columns(text), pad = width > wide ? width - wide : 0;
    if (right) {
        sw_sink_printf(sink, "%*s", (int)pad, "");
    }
    for (; *text; text++) {
        sw_sink_printf(sink, "%s%c", markdown && *text == '|' ? "\\" : "", (unsigned char)*text < 0x20 ? ' ' : *text);
    }
    if (!right && (markdown || !last)) {
        sw_sink_printf(sink, "%*s", (int)pad, "");
    }
}

static void write_rule(struct sw_sink *sink, const struct text_grid *grid) {
    sw_sink_printf(sink, "|");
    for (lua_Integer k = 1; k <= grid->width; k++) {
        sw_sink_printf(sink, grid->right[k] ? " ---: |" : " :--- |");
    }
    sw_sink_printf(sink, "\n");
}

static int write_text_table(lua_State *lua, bool markdown) {
    struct sw_sink *sink = &report_of(lua)->text;
    struct text_grid grid = {.rows = 2, .columns = 3};
    check_table(lua, 2, &grid.height, &grid.width);
    fill_grid(lua, &grid);
    for (lua_Integer row = 0; row <= grid.height; row++) {
        sw_sink_printf(sink, markdown ? "| " : "");
        for (lua_Integer k = 1; k <= grid.width; k++) {
            bool last = k == grid.width;
            lua_rawgeti(lua, grid.cells, row * grid.width + k);
            write_cell(sink, lua_tostring(lua, -1), markdown ? 0 : grid.widths[k], grid.right[k], last, markdown);
            sw_sink_printf(sink, "%s", markdown ? (last ? " |" : " | ") : (last ? "" : "  "));
            lua_pop(lua, 1);
        }
        sw_sink_printf(sink, "\n");
        if (row == 0 && markdown) {
            write_rule(sink, &grid);
        }
    }
    return 0;
}

/* out:table(rows[, columns]) */
static int out_table(lua_State *lua) {
    return write_text_table(lua, false);
}

/* out:markdown(rows[, columns]) */
static int out_markdown(lua_State *lua) {
    return write_text_table(lua, true);
}

/* out:text(line) */
static int out_text(lua_State *lua) {
    struct sw_report *report = report_of(lua);
    size_t length = 0;
    const char *text = luaL_optlstring(lua, 2, "", &length);
    sw_sink_add(&report->text, text, length);
    sw_sink_add(&report->text, "\n", 1);
    sw_script_charge(lua, length / 16);
    return 0;
}

/* out:csv(name, rows[, columns]): values as they are. */
static int out_csv(lua_State *lua) {
    static const char *const extensions[] = {".csv", NULL};
    struct sw_report *report = report_of(lua);
    lua_Integer height, width;
    size_t at = report->files.count;
    const char *name = luaL_checkstring(lua, 2);
    check_table(lua, 3, &height, &width);
    add_file(lua, report, name, extensions);
    for (lua_Integer row = 0; row <= height; row++) {
        for (lua_Integer k = 1; k <= width; k++) {
            if (row == 0) {
                push_title(lua, 4, k);
            } else {
                push_cell_value(lua, 3, row, 4, k);
            }
            struct sw_sink *sink = &report->files.items[at].bytes;
            sw_sink_printf(sink, k > 1 ? "," : "");
            if (lua_type(lua, -1) == LUA_TNUMBER && !lua_isinteger(lua, -1)) {
                sw_sink_number(sink, lua_tonumber(lua, -1));
            } else if (!lua_isnil(lua, -1)) {
                sw_sink_csv(sink, sw_sandbox_text(lua, -1));
                lua_pop(lua, 1);
            }
            lua_pop(lua, 1);
        }
        sw_sink_printf(&report->files.items[at].bytes, "\n");
    }
    return 0;
}

/* ---- plots ---- */

static const char *plot_text(lua_State *lua, int index, const char *name) {
    lua_getfield(lua, index, name);
    const char *text = luaL_optstring(lua, -1, NULL);
    lua_pop(lua, 1); /* the table keeps it */
    return text;
}

static double coordinate(lua_State *lua, int part) {
    lua_geti(lua, -1, part);
    int exact;
    double value = lua_tonumberx(lua, -1, &exact);
    if (!exact || !(fabs(value) <= 1e300)) { /* no range of an axis overflows */
        luaL_error(lua, "a point is {x, y}, two numbers of at most 1e300");
    }
    lua_pop(lua, 1);
    return value;
}

/* The series on top of the stack; its points live in a userdata that stays there. */
static void read_series(lua_State *lua, struct sw_xyseries *series, const struct sw_xyplot *plot) {
    luaL_checktype(lua, -1, LUA_TTABLE);
    int at = lua_gettop(lua);
    series->name = plot_text(lua, at, "name");
    if (!series->name || lua_getfield(lua, at, "points") != LUA_TTABLE) {
        luaL_error(lua, "a series has a name and points");
    }
    series->count = (size_t)luaL_len(lua, -1);
    struct sw_xypoint *points = lua_newuserdatauv(lua, (series->count + 1) * sizeof *points, 0);
    lua_insert(lua, -2);
    for (size_t i = 0; i < series->count; i++) {
        lua_geti(lua, -1, (lua_Integer)i + 1);
        points[i] = (struct sw_xypoint){coordinate(lua, 1), coordinate(lua, 2)};
        if ((plot->log_x && points[i].x <= 0) || (plot->log_y && points[i].y <= 0)) {
            luaL_error(lua, "on a logarithmic axis every %s is above 0", plot->log_x && points[i].x <= 0 ? "x" : "y");
        }
        lua_pop(lua, 1);
    }
    sw_script_charge(lua, 8 * series->count);
    lua_pop(lua, 1);
    series->points = points;
    series->told = NULL;
}

/* The field `names`, a list of texts: pushes what holds them. */
static void read_plot_names(lua_State *lua, struct sw_xyplot *plot) {
    if (lua_getfield(lua, 3, "names") == LUA_TNIL) {
        lua_pushnil(lua);
        return;
    }
    luaL_checktype(lua, -1, LUA_TTABLE);
    plot->name_count = (size_t)luaL_len(lua, -1);
    const char **names = lua_newuserdatauv(lua, (plot->name_count + 1) * sizeof *names, 0);
    for (size_t i = 0; i < plot->name_count; i++) {
        lua_geti(lua, -2, (lua_Integer)i + 1);
        names[i] = luaL_checkstring(lua, -1); /* the list keeps it */
        lua_pop(lua, 1);
    }
    plot->names = names;
    sw_script_charge(lua, 4 * plot->name_count);
}

/* out:plot(name, {title, subtitle, x, y, names, log_x, log_y, bytes_x, bytes_y, series}) */
static int out_plot(lua_State *lua) {
    static const char *const extensions[] = {".svg", ".png", ".pdf", ".html", NULL};
    struct sw_report *report = report_of(lua);
    struct sw_error error = {0};
    const char *name = luaL_checkstring(lua, 2);
    luaL_checktype(lua, 3, LUA_TTABLE);
    lua_settop(lua, 3);
    struct sw_xyplot plot = {.title = plot_text(lua, 3, "title"),
                             .subtitle = plot_text(lua, 3, "subtitle"),
                             .x = plot_text(lua, 3, "x"),
                             .y = plot_text(lua, 3, "y"),
                             .log_x = sw_lua_truth(lua, 3, "log_x"),
                             .log_y = sw_lua_truth(lua, 3, "log_y"),
                             .bytes_x = sw_lua_truth(lua, 3, "bytes_x"),
                             .bytes_y = sw_lua_truth(lua, 3, "bytes_y"),
                             .width = 760,
                             .height = 430};
    read_plot_names(lua, &plot); /* at 4 and 5 */
    if (lua_getfield(lua, 3, "series") != LUA_TTABLE || luaL_len(lua, -1) > 40) {
        return luaL_error(lua, "a plot has a list of at most 40 series");
    }
    plot.count = (size_t)luaL_len(lua, -1);
    struct sw_xyseries *series = lua_newuserdatauv(lua, (plot.count + 1) * sizeof *series, 0);
    luaL_checkstack(lua, 2 * (int)plot.count + 16, NULL);
    for (size_t i = 0; i < plot.count; i++) {
        lua_geti(lua, 6, (lua_Integer)i + 1);
        read_series(lua, &series[i], &plot);
    }
    plot.series = series;
    struct sw_report_file *file = add_file(lua, report, name, extensions);
    if (report->draw && !report->draw(report->drawer, name, &plot, &file->bytes, &error)) {
        return luaL_error(lua, "%s: %s", name, error.message);
    }
    return 0;
}

void sw_lua_push_report(lua_State *lua, struct sw_report *report) {
    static const luaL_Reg methods[] = {{"text", out_text},         {"table", out_table}, {"csv", out_csv},
                                       {"markdown", out_markdown}, {"plot", out_plot},   {NULL, NULL}};
    struct sw_report **handle = lua_newuserdatauv(lua, sizeof *handle, 0);
    *handle = report;
    sw_lua_set_class(lua, "stowage.out", methods);
}
