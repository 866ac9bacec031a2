/* The state of the planner: its tables one below the other, as the method has them. Each shows the rows around the one
 * that the decision touched, and says how many there are beside those. A table that is wider than the pane goes on
 * below itself with its other columns: none is cut. */
#include "view/scene/lines.h"
#include "base/base.h"
#include "planners/planner.h"

enum { LEAST_STATE_ROWS = 3 }; /* of a table, where it has as many */

static const char *state_cell_text(const struct sw_lines *lines, const struct sw_state_cell *cell) {
    switch (cell->kind) {
    case SW_CELL_NONE:
        return "";
    case SW_CELL_COUNT:
    case SW_CELL_STEP:
        return sw_scene_printf(lines->scene, "%s", SW_COUNT(cell->count));
    case SW_CELL_BYTES:
        return sw_scene_bytes(lines->scene, cell->count);
    case SW_CELL_OFFSET:
        return sw_scene_printf(lines->scene, "+%s", SW_COUNT(cell->count + lines->in->run.base));
    case SW_CELL_BUFFER:
        return sw_problem_buffer(lines->problem, (uint32_t)cell->count)->name;
    case SW_CELL_TIER:
        return sw_scene_clean(lines->scene, sw_problem_tier(lines->problem, (uint32_t)cell->count)->name);
    case SW_CELL_NUMBER:
        return sw_scene_printf(lines->scene, "%.10g", cell->number);
    case SW_CELL_TRUTH:
        return cell->count ? "yes" : "no";
    case SW_CELL_WORD:
        return sw_scene_printf(lines->scene, "%s", cell->word); /* the tables end before the scene is drawn */
    }
    return "";
}

static bool is_number_cell(enum sw_cell_kind kind) {
    return kind == SW_CELL_COUNT || kind == SW_CELL_BYTES || kind == SW_CELL_OFFSET || kind == SW_CELL_STEP ||
           kind == SW_CELL_NUMBER;
}

/* Numbers stand to the right; a column is of numbers when its first cell that is not blank is one. */
static bool column_is_numbers(const struct sw_state_table *table, uint32_t column) {
    for (size_t i = column; i < table->cells.count; i += table->column_count) {
        if (table->cells.items[i].kind != SW_CELL_NONE) {
            return is_number_cell(table->cells.items[i].kind);
        }
    }
    return false;
}

/* The column that takes what is left: the first of names, else the last. */
static uint32_t stretch_of(const struct sw_state_table *table) {
    for (uint32_t c = 0; c < table->column_count; c++) {
        for (size_t i = c; i < table->cells.count; i += table->column_count) {
            if (table->cells.items[i].kind == SW_CELL_BUFFER) {
                return c;
            }
        }
    }
    return table->column_count - 1;
}

/* The column that tells rows apart: a name near the beginning, else the first. */
static uint32_t key_of(const struct sw_state_table *table) {
    uint32_t c = stretch_of(table);
    return c <= 2 && c < table->cells.count && table->cells.items[c].kind == SW_CELL_BUFFER ? c : 0;
}

/* Some columns of a table: those from `first` to `end`, behind the one that tells its rows apart. */
struct state_part {
    const struct sw_state_table *table;
    uint32_t first, end;
};
typedef SW_ARRAY(struct state_part) state_parts;

/* Column k of a part; SW_NONE: it has no more. */
static uint32_t part_column(const struct state_part *part, uint32_t k) {
    uint32_t key = key_of(part->table);
    bool has = part->first > 0 && (key < part->first || key >= part->end);
    uint32_t c = has ? (k == 0 ? key : part->first + k - 1) : part->first + k;
    return (has && k == 0) || c < part->end ? c : SW_NONE;
}

static uint32_t state_part_columns(const struct state_part *part) {
    uint32_t count = 0;
    while (part_column(part, count) != SW_NONE) {
        count++;
    }
    return count;
}

static void add_state_row(struct sw_lines *lines, const struct state_part *part, uint64_t row) {
    const struct sw_state_table *table = part->table;
    const struct sw_state_cell *cells = &table->cells.items[(row - table->first) * table->column_count];
    struct sw_item item = {SW_ITEM_NONE, 0};
    bool touched = row == table->touched;
    for (uint32_t c = table->column_count; c-- > 0;) {
        item = cells[c].kind == SW_CELL_BUFFER ? (struct sw_item){SW_ITEM_BUFFER, cells[c].count} : item;
    }
    enum sw_style style = touched ? SW_STYLE_CURRENT : SW_STYLE_TEXT;
    sw_lines_row(lines, item, touched);
    for (uint32_t k = 0, c; (c = part_column(part, k)) != SW_NONE; k++) {
        const char *text = state_cell_text(lines, &cells[c]);
        if (cells[c].kind == SW_CELL_BUFFER) {
            sw_lines_name(lines, style, text);
        } else {
            sw_lines_cell(lines, style, column_is_numbers(table, c), text);
        }
    }
}

static const char *state_title(struct sw_scene *scene, const struct state_part *part) {
    return sw_scene_printf(scene, "%s%s: %s", part->table->name, part->first > 0 ? ", continued" : "",
                           sw_scene_counted(scene, part->table->row_count, "row"));
}

/* `scrolls`: the keys that scroll move its rows. */
static void add_state_table(const struct sw_view_input *in, struct sw_scene *scene, const struct state_part *part,
                            bool scrolls, struct sw_box box) {
    const struct sw_state_table *table = part->table;
    const char *id = part->first > 0 ? sw_scene_printf(scene, "state:%s:%u", table->name, part->first)
                                     : sw_scene_printf(scene, "state:%s", table->name);
    uint32_t columns = state_part_columns(part), stretch = 0;
    while (stretch + 1 < columns && part_column(part, stretch) != stretch_of(table)) {
        stretch++;
    }
    struct sw_lines lines = sw_lines_begin(in, scene, id, state_title(scene, part), box, columns, stretch);
    uint64_t room = lines.rows, count = table->row_count;
    if (room >= 2 && count > 0 && sw_lines_row(&lines, SW_NO_ITEM, false)) {
        for (uint32_t k = 0, c; (c = part_column(part, k)) != SW_NONE; k++) {
            /* A copy: the tables end before the scene is drawn. */
            sw_lines_cellf(&lines, SW_STYLE_DIM, column_is_numbers(table, c), "%s", table->columns[c]);
        }
        room--;
    }
    room = room < count && room > 1 ? room - 1 : room; /* the last row says how many more there are */
    uint64_t first = table->touched == SW_NO_ROW || table->touched < room / 2 ? 0 : table->touched - room / 2;
    bool grows = sw_medium(in)->still && table->end - table->first == count; /* a page becomes as high as it needs */
    first = grows ? 0 : first;
    first = sw_view_first(lines.panel, scrolls ? in->look.scroll : 0, first, count, room);
    first = first < table->first ? table->first : first;
    uint64_t end = first + room < table->end ? first + room : table->end;
    for (uint64_t row = first; row < end && !scene->failed; row++) {
        add_state_row(&lines, part, row);
    }
    lines.panel->hidden_above = first;
    if (first > 0 && sw_medium(in)->still) {
        lines.panel->title = sw_scene_printf(scene, "%s, %s above", lines.panel->title, SW_COUNT(first));
    }
    lines.panel->hidden_below = count - (end > first ? end : first);
}

/* ---- which columns ---- */

/* Characters that a column takes. A longer name loses its middle. */
static unsigned state_width(const struct sw_lines *lines, const struct sw_state_table *table, uint32_t column) {
    size_t width = sw_view_columns(table->columns[column]), widest = sw_medium(lines->in)->whole_names ? 40 : 18;
    for (size_t i = column; i < table->cells.count; i += table->column_count) {
        const struct sw_state_cell *cell = &table->cells.items[i];
        size_t need = sw_view_columns(state_cell_text(lines, cell));
        need = cell->kind == SW_CELL_BUFFER && need > widest ? widest : need;
        width = SW_MAX(width, need);
    }
    return (unsigned)width;
}

/* A table as one part, or as many as it takes for all of its columns to be seen whole. */
static bool cut_into_parts(const struct sw_lines *lines, const struct sw_state_table *table, state_parts *parts) {
    struct state_part part = {.table = table};
    unsigned key = state_width(lines, table, key_of(table)), used = 0;
    for (uint32_t c = 0; c < table->column_count; c++) {
        unsigned width = state_width(lines, table, c) + (c > part.first || part.first > 0);
        if (c > part.first && used + width > lines->room) {
            part.end = c;
            if (!SW_PUSH(parts, part)) {
                return false;
            }
            part.first = c;
            used = key;
            width = state_width(lines, table, c) + 1;
        }
        used += width;
    }
    part.end = table->column_count;
    return SW_PUSH(parts, part);
}

static double rows_wanted(const struct state_part *part) {
    double rows = (double)part->table->row_count;
    return rows > 0 ? rows + 2 : 1;
}

/* Each table has the rows that it needs, as far as there are; a long one takes what the others leave. */
static void share_rows_of_tables(const state_parts *parts, double each, double height, double *heights) {
    size_t count = parts->count;
    double left = height, open = 0;
    for (size_t i = 0; i < count; i++) {
        double wants = rows_wanted(&parts->items[i]);
        heights[i] = fmin(wants, LEAST_STATE_ROWS + 2) * each;
        left -= heights[i];
        open += wants * each > heights[i];
    }
    for (size_t round = 0; round <= count && left >= each && open > 0;
         round++) { /* each fills one table, or all that is left */
        double part = floor(left / open / each) * each;
        part = part < each ? each : part;
        open = 0;
        for (size_t i = 0; i < count && left >= each; i++) {
            double wants = rows_wanted(&parts->items[i]) * each - heights[i];
            double more = fmin(fmin(wants, part), left);
            more = more > 0 ? more : 0;
            heights[i] += more;
            left -= more;
            open += wants > more;
        }
    }
}

static void say_none(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    const struct sw_planner *planner = sw_search_planner(in->run.search);
    struct sw_lines lines = sw_lines_begin(in, scene, "state", "state", box, 1, 0);
    sw_lines_textf(&lines, SW_STYLE_DIM,
                   planner->state ? "%s keeps nothing in mind at this step." : "%s does not tell its state.",
                   planner->name);
}

/* The table of which the most is hidden. */
static const struct sw_state_table *most_hidden_table(const state_parts *parts, double each, const double *heights) {
    double most = 0;
    size_t found = 0;
    for (size_t i = 0; i < parts->count; i++) {
        double hidden = (double)parts->items[i].table->row_count - heights[i] / each;
        found = hidden > most ? i : found;
        most = fmax(most, hidden);
    }
    return parts->items[found].table;
}

static void build_tables(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_state_tables *tables,
                         struct sw_box box) {
    bool page = sw_medium(in)->still;
    double row = sw_medium(in)->row, extra = page ? SW_PAGE_HEADING : 0; /* between tables of a page */
    double bottom = box.top + box.height, *heights = NULL;
    const struct sw_lines lines = {.in = in,
                                   .scene = scene,
                                   .problem = sw_search_problem(in->run.search),
                                   .room = sw_view_room(in, box.width - 2)};
    state_parts parts = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < tables->items.count; i++) {
        ok = cut_into_parts(&lines, &tables->items.items[i], &parts);
    }
    heights = ok ? SW_NEW(double, parts.count) : NULL;
    if (heights) {
        share_rows_of_tables(&parts, row, box.height - extra * (double)(parts.count - 1), heights);
        const struct sw_state_table *scrolls = most_hidden_table(&parts, row, heights);
        size_t shown = 0;
        for (size_t i = 0; i < parts.count && box.top + 2 * row <= bottom && !scene->failed; i++, shown++) {
            struct sw_box part = {box.left, box.top, box.width, fmin(heights[i], bottom - box.top)};
            add_state_table(in, scene, &parts.items[i], parts.items[i].table == scrolls, part);
            box.top += heights[i] + extra;
        }
        if (shown > 0 && shown < parts.count) { /* what has no room at all is said */
            struct sw_panel *last = &scene->panels.items[scene->panels.count - 1];
            last->title = sw_scene_printf(scene, "%s; no room for %s", last->title,
                                          sw_scene_counted(scene, parts.count - shown, "table"));
        }
        SW_FREE(heights, parts.count);
    } else {
        scene->failed = true;
    }
    SW_ARRAY_DONE(&parts);
}

static void state_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    uint64_t far = (uint64_t)labs(in->look.scroll);
    struct sw_state_tables tables = {.most = 2 * ((uint64_t)(box.height / sw_medium(in)->row) + far) + 2};
    sw_search_state(in->run.search, &tables);
    scene->failed |= tables.failed;
    if (tables.items.count == 0) {
        say_none(in, scene, box);
    } else {
        build_tables(in, scene, &tables, box);
    }
    sw_state_tables_done(&tables);
}

static bool state_applies(const struct sw_search *search, bool *missed) {
    (void)missed;
    return sw_search_planner(search)->state != NULL;
}

const struct sw_view sw_view_state = {
    .name = "state",
    .summary = "what the planner keeps: queues, free lists, pools, stacks",
    .takes = SW_TAKES_BUFFER,
    .scrolls = SW_SCROLLS_LIST,
    .applies = state_applies,
    .build = state_build,
};
