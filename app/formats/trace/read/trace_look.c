/* Looking at one decision of a trace: its candidates, figures and tables, read when they are asked for. */
#include "formats/trace/read/trace_tape.h"
#include "base/base.h"
#include "base/sort.h"
#include "formats/trace/trace_objects.h"

/* A text for people, cut to what has room. */
static void show_text(struct sw_trace_value value, char *to, size_t room) {
    sw_trace_text(value, to, room);
    sw_utf8_clean(to, true);
}

/* ---- candidates ---- */

/* "variant B: reason: x is in the way". */
static void read_reason(const struct sw_problem *problem, const struct sw_trace_object *object,
                        struct sw_candidate *candidate) {
    char what[100] = "", why[140] = "", blocker[90] = "";
    const struct sw_trace_value *values = object->values;
    if (sw_trace_is_text(values[SW_TRACE_CANDIDATE])) {
        show_text(values[SW_TRACE_CANDIDATE], what, sizeof what);
    }
    if (sw_trace_is_text(values[SW_TRACE_REASON])) {
        show_text(values[SW_TRACE_REASON], why, sizeof why);
        if (!*what && !sw_trace_is_text(values[SW_TRACE_BLOCKER])) { /* all that there is */
            show_text(values[SW_TRACE_REASON], candidate->reason, sizeof candidate->reason);
            return;
        }
    }
    if (sw_trace_is_text(values[SW_TRACE_BLOCKER])) {
        show_text(values[SW_TRACE_BLOCKER], blocker, sizeof blocker);
        candidate->below = sw_trace_buffer(problem, values[SW_TRACE_BLOCKER], 0);
        candidate->occupied = candidate->verdict == SW_VERDICT_REFUSED;
    }
    bool named = *blocker && strstr(why, blocker);
    snprintf(candidate->reason, sizeof candidate->reason, "%s%s%s%s%s%s", what, *what && *why ? ": " : "", why,
             *blocker && !named && (*why || *what) ? ": " : "", named ? "" : blocker,
             *blocker && !named ? " is in the way" : "");
}

static void read_recorded_candidate(const struct sw_problem *problem, const struct sw_decision *d,
                                    const struct sw_trace_object *object, struct sw_candidate *candidate) {
    const struct sw_trace_value *values = object->values;
    uint64_t number = 0;
    bool address = sw_trace_unsigned(values[SW_TRACE_CANDIDATE], &number);
    *candidate = (struct sw_candidate){.tier = SW_NONE, .below = SW_NONE, .above = SW_NONE, .offset = number};
    candidate->verdict = sw_trace_is(values[SW_TRACE_VERDICT], "chosen") ? SW_VERDICT_CHOSEN
                         : sw_trace_is(values[SW_TRACE_VERDICT], "fits") ? SW_VERDICT_FITS
                                                                         : SW_VERDICT_REFUSED;
    if (address) {
        uint32_t usual = sw_problem_tier_count(problem) == 1 ? 0 : d->tier;
        candidate->tier =
            values[SW_TRACE_TIER].type > SW_TRACE_NULL ? sw_trace_tier(problem, values[SW_TRACE_TIER]) : usual;
    } else if (sw_trace_unsigned(values[SW_TRACE_OFFSET], &number)) {
        candidate->offset = number;
    }
    candidate->size =
        sw_trace_unsigned(values[SW_TRACE_SIZE], &number) ? (number > SW_MAX_BYTES ? SW_UNBOUNDED : number) /* no end */
        : values[SW_TRACE_SIZE].type == SW_TRACE_ABSENT && address ? d->size /* what it was looked at for */
                                                                   : SW_UNBOUNDED;
    read_reason(problem, object, candidate);
    if (values[SW_TRACE_BELOW].type > SW_TRACE_NULL) {
        candidate->below = sw_trace_buffer(problem, values[SW_TRACE_BELOW], 0);
    }
    if (values[SW_TRACE_ABOVE].type > SW_TRACE_NULL) {
        candidate->above = sw_trace_buffer(problem, values[SW_TRACE_ABOVE], 0);
    }
    candidate->occupied |= values[SW_TRACE_OCCUPIED].type == SW_TRACE_TRUE;
}

static bool is_candidate(const struct sw_trace_object *object) {
    const struct sw_trace_value *values = object->values;
    return values[SW_TRACE_CANDIDATE].type != SW_TRACE_ABSENT &&
           values[SW_TRACE_STOWAGE_TRACE].type == SW_TRACE_ABSENT && values[SW_TRACE_GRAPH].type == SW_TRACE_ABSENT &&
           values[SW_TRACE_DECISION].type == SW_TRACE_ABSENT;
}

static bool read_recorded_candidates(struct sw_trace_tape *tape, const struct sw_problem *problem,
                                     const struct sw_trace_mark *mark, const struct sw_decision *d,
                                     struct sw_explanation *to, struct sw_error *error) {
    struct sw_trace_piece piece = {.next = mark->candidates};
    struct sw_trace_object object;
    for (uint32_t line = mark->candidate_line; piece.next < mark->at; line++) {
        if (!sw_trace_text_line(&tape->text, piece.next, &piece, error)) {
            return false;
        }
        if (piece.begin == piece.end || !memchr(piece.begin, '{', (size_t)(piece.end - piece.begin))) {
            continue; /* a blank line */
        }
        struct sw_candidate candidate;
        if (!sw_trace_line(tape, piece.at, &piece, &object, line, error)) {
            return false;
        }
        if (is_candidate(&object)) {
            read_recorded_candidate(problem, d, &object, &candidate);
            if (!SW_PUSH(&to->candidates, candidate)) {
                return sw_fail_memory(error);
            }
        }
    }
    return true;
}

/* ---- what stands in the decision itself ---- */

static bool read_moved(const struct sw_problem *problem, struct sw_trace_value list, struct sw_explanation *to) {
    struct sw_trace_items items = sw_trace_items(list);
    struct sw_trace_value item;
    while (sw_trace_items_next(&items, &item)) {
        struct sw_trace_object object;
        sw_trace_object_inside(&object, item);
        struct sw_moved moved = {.buffer = sw_trace_buffer(problem, object.values[SW_TRACE_BUFFER], 0),
                                 .tier = sw_trace_tier(problem, object.values[SW_TRACE_TIER])};
        bool known = sw_trace_unsigned(object.values[SW_TRACE_FROM], &moved.from) &&
                     sw_trace_unsigned(object.values[SW_TRACE_TO], &moved.to) && moved.buffer != SW_NONE &&
                     moved.tier != SW_NONE;
        if (known && !SW_PUSH(&to->moved, moved)) {
            return false;
        }
    }
    return true;
}

static bool read_recorded_figures(struct sw_trace_value object, struct sw_explanation *to) {
    struct sw_trace_items members = sw_trace_members(object);
    struct sw_trace_value key, value;
    while (sw_trace_members_next(&members, &key, &value)) {
        struct sw_figure figure = {.value = sw_trace_number(value)};
        show_text(key, figure.name, sizeof figure.name);
        if (!SW_PUSH(&to->figures, figure)) {
            return false;
        }
    }
    return true;
}

static bool explain_recorded(const struct sw_recording *recording, const struct sw_problem *problem, uint64_t decision,
                             struct sw_explanation *to, struct sw_error *error) {
    struct sw_trace_tape *tape = sw_trace_tape_of(recording);
    const struct sw_recorded *recorded = &recording->decisions.items[decision];
    const struct sw_trace_mark *mark = &tape->marks.items[recorded->where];
    struct sw_trace_piece piece;
    struct sw_trace_object object;
    if (!read_recorded_candidates(tape, problem, mark, &recorded->decision, to, error) ||
        !sw_trace_line(tape, mark->at, &piece, &object, mark->line, error)) {
        return false;
    }
    if (!read_moved(problem, object.values[SW_TRACE_MOVED], to) ||
        !read_recorded_figures(object.values[SW_TRACE_FIGURES], to)) {
        return sw_fail_memory(error);
    }
    if (sw_trace_is_text(object.values[SW_TRACE_SOURCE])) {
        show_text(object.values[SW_TRACE_SOURCE], to->source, sizeof to->source);
    }
    return true;
}

/* ---- tables ---- */

enum { MOST_TABLES = 64, LOOK_BACK = 4096 };

struct state_columns {
    const char *names[SW_STATE_COLUMNS + 1];
    struct sw_trace_value kinds[SW_STATE_COLUMNS]; /* a word, or a list of words, a row each */
    uint32_t count;
};

static void read_columns(const struct sw_trace_object *object, struct sw_state_tables *tables,
                         struct state_columns *columns) {
    struct sw_trace_items names = sw_trace_items(object->values[SW_TRACE_COLUMNS]),
                          kinds = sw_trace_items(object->values[SW_TRACE_KINDS]);
    struct sw_trace_value item;
    *columns = (struct state_columns){.count = 0};
    while (columns->count < SW_STATE_COLUMNS && sw_trace_items_next(&names, &item)) {
        char name[80];
        show_text(item, name, sizeof name);
        columns->names[columns->count] = sw_state_text(tables, name, strlen(name));
        sw_trace_items_next(&kinds, &columns->kinds[columns->count++]);
    }
    if (columns->count == 0) {
        columns->names[columns->count++] = "value";
    }
}

static enum sw_cell_kind cell_kind(struct sw_trace_value kind) {
    for (size_t i = 1; i < SW_TRACE_CELL_WORDS; i++) {
        if (sw_trace_is(kind, sw_trace_cell_words[i])) {
            return (enum sw_cell_kind)i;
        }
    }
    return SW_CELL_NONE;
}

static struct sw_state_cell word_cell(struct sw_trace_value value, struct sw_state_tables *tables) {
    char text[256];
    show_text(value, text, sizeof text);
    return sw_cell_word(sw_state_text(tables, text, strlen(text)));
}

/* A cell by the kind that its column tells, else by what it is. */
static struct sw_state_cell state_cell(const struct sw_trace_tape *tape, const struct sw_problem *problem,
                                       struct sw_trace_value value, enum sw_cell_kind kind,
                                       struct sw_state_tables *tables) {
    uint64_t number = 0;
    int64_t time = 0;
    bool whole = sw_trace_unsigned(value, &number);
    uint32_t named = sw_trace_is_text(value) && kind != SW_CELL_TIER && kind != SW_CELL_WORD
                         ? sw_trace_buffer(problem, value, 0)
                         : SW_NONE;
    if (value.type <= SW_TRACE_NULL) {
        return sw_cell_none();
    }
    if (value.type == SW_TRACE_TRUE || value.type == SW_TRACE_FALSE) {
        return sw_cell_truth(value.type == SW_TRACE_TRUE);
    }
    if (sw_trace_is_text(value)) {
        uint32_t tier = kind == SW_CELL_TIER ? sw_trace_tier(problem, value) : SW_NONE;
        return tier != SW_NONE    ? sw_cell_tier(tier)
               : named != SW_NONE ? sw_cell_buffer(named)
                                  : word_cell(value, tables);
    }
    if (kind == SW_CELL_STEP && sw_trace_signed(value, &time)) {
        return sw_cell_step(sw_trace_step(tape, problem, time, false));
    }
    if (whole && kind != SW_CELL_NUMBER) {
        return kind == SW_CELL_BYTES    ? sw_cell_bytes(number)
               : kind == SW_CELL_OFFSET ? sw_cell_offset(number)
                                        : sw_cell_count(number);
    }
    return value.type == SW_TRACE_WHOLE || value.type == SW_TRACE_REAL ? sw_cell_number(sw_trace_number(value))
                                                                       : word_cell(value, tables);
}

/* Without a word about its kind, a column tells by its name whether its numbers are bytes. */
static enum sw_cell_kind kind_by_name(const char *name) {
    return strcmp(name, "offset") == 0 || strcmp(name, "address") == 0 ? SW_CELL_OFFSET
           : strcmp(name, "size") == 0 || strcmp(name, "bytes") == 0   ? SW_CELL_BYTES
                                                                       : SW_CELL_NONE;
}

static void put_row(const struct sw_trace_tape *tape, const struct sw_problem *problem, struct state_columns *columns,
                    struct sw_trace_items kinds[], struct sw_trace_value row, bool wanted,
                    struct sw_state_tables *tables) {
    struct sw_state_cell cells[SW_STATE_COLUMNS];
    struct sw_trace_items items = sw_trace_items(row);
    for (uint32_t c = 0; c < columns->count; c++) {
        struct sw_trace_value value = {.type = SW_TRACE_ABSENT}, kind = columns->kinds[c];
        if (!sw_trace_items_next(&items, &value)) {
            value = (struct sw_trace_value){.type = SW_TRACE_ABSENT};
        }
        if (kind.type == SW_TRACE_LIST && !sw_trace_items_next(&kinds[c], &kind)) {
            kind = (struct sw_trace_value){.type = SW_TRACE_ABSENT};
        }
        enum sw_cell_kind is = sw_trace_is_text(kind) ? cell_kind(kind) : kind_by_name(columns->names[c]);
        cells[c] = wanted ? state_cell(tape, problem, value, is, tables) : sw_cell_none();
    }
    if (wanted) {
        sw_state_row(tables, cells, columns->count);
    }
}

static uint64_t number_or(const struct sw_trace_object *object, enum sw_trace_key key, uint64_t otherwise) {
    uint64_t number;
    return sw_trace_unsigned(object->values[key], &number) ? number : otherwise;
}

static void put_table(const struct sw_trace_tape *tape, const struct sw_problem *problem,
                      const struct sw_trace_object *object, bool stale, uint64_t after,
                      struct sw_state_tables *tables) {
    char name[120], whole[160];
    struct state_columns columns;
    struct sw_trace_items kinds[SW_STATE_COLUMNS], rows = sw_trace_items(object->values[SW_TRACE_ROWS]);
    struct sw_trace_value row;
    uint64_t there = 0, first = number_or(object, SW_TRACE_FIRST, 0);
    show_text(object->values[SW_TRACE_STATE], name, sizeof name);
    snprintf(whole, sizeof whole, stale ? "%s (after decision %llu)" : "%s", name, (unsigned long long)after);
    read_columns(object, tables, &columns);
    for (uint32_t c = 0; c < columns.count; c++) {
        kinds[c] = sw_trace_items(columns.kinds[c]);
    }
    while (sw_trace_items_next(&rows, &row)) {
        there++;
    }
    uint64_t all = number_or(object, SW_TRACE_ROW_COUNT, first + there);
    all = all < first + there ? first + there : all;
    struct sw_state_table *table = sw_state_table(tables, sw_state_text(tables, whole, strlen(whole)), columns.names,
                                                  all, number_or(object, SW_TRACE_TOUCHED, SW_NO_ROW));
    uint64_t from = table->first, to = table->end;
    for (uint64_t r = from; r < to && r < first; r++) { /* the trace does not have these */
        sw_state_row(tables, NULL, 0);
    }
    rows = sw_trace_items(object->values[SW_TRACE_ROWS]);
    for (uint64_t r = first; sw_trace_items_next(&rows, &row); r++) {
        put_row(tape, problem, &columns, kinds, row, r >= from && r < to, tables);
    }
    for (uint64_t r = first + there > from ? first + there : from; r < to; r++) {
        sw_state_row(tables, NULL, 0);
    }
}

/* How many tables stand before the decision that follows. */
static size_t tables_until(const struct sw_trace_tape *tape, uint64_t decisions) {
    return SW_FIRST(i, tape->tables.count, tape->tables.items[i].after > decisions);
}

/* The last table of every name, those of this decision as they are, older ones with a word about their age. Our writer
 * writes all tables that there are after every decision: one that is older is no longer there. */
static bool show_recorded_state(const struct sw_recording *recording, const struct sw_problem *problem,
                                uint64_t decisions, struct sw_state_tables *tables) {
    struct sw_trace_tape *tape = sw_trace_tape_of(recording);
    size_t until = tables_until(tape, decisions), found = 0, chosen[MOST_TABLES];
    for (size_t i = until; i-- > 0 && found < MOST_TABLES && found < tape->table_name_count && until - i < LOOK_BACK;) {
        bool have = tape->ours && tape->tables.items[i].after != decisions;
        for (size_t k = 0; k < found; k++) {
            have |= tape->tables.items[chosen[k]].name == tape->tables.items[i].name;
        }
        if (!have) {
            chosen[found++] = i;
        }
    }
    while (found-- > 0) {
        const struct sw_trace_table *at = &tape->tables.items[chosen[found]];
        struct sw_trace_piece piece;
        struct sw_trace_object object;
        if (!sw_trace_line(tape, at->at, &piece, &object, at->line, NULL)) {
            return false;
        }
        put_table(tape, problem, &object, at->after != decisions, at->after, tables);
    }
    return !tables->failed;
}

const struct sw_recording_reader sw_trace_reader = {.explain = explain_recorded, .state = show_recorded_state};
