/* Decision traces: JSON Lines in which a planner, ours or any other, wrote down what it decided.
 *
 * The text is read once from its beginning to its end. Buffers, operators, tiers and events go into a model, which
 * becomes the problem; of decisions and tables only the places are kept. A further header begins another run, and what
 * was gathered of the one before is dropped, unless that is the one which was asked for (--run N).
 *
 * A writer may crash at any moment. So the last line may be cut, and the end may be missing: then everything before it
 * is opened, and a note says so. A line in the middle that is no object is an error. */
#include "formats/trace/read/trace_grow.h"
#include "base/base.h"
#include "formats/trace/read/trace_tape.h"

/* The kinds of objects, in the order in which their keys decide. */
static const enum sw_trace_key object_kinds[] = {
    SW_TRACE_STOWAGE_TRACE, SW_TRACE_GRAPH, SW_TRACE_DECISION, SW_TRACE_CANDIDATE, SW_TRACE_STATE,  SW_TRACE_END,
    SW_TRACE_GROUP,         SW_TRACE_ALLOC, SW_TRACE_FREE,     SW_TRACE_OPERATOR,  SW_TRACE_BUFFER, SW_TRACE_TIER};

static enum sw_trace_key object_kind(const struct sw_trace_object *object) {
    for (size_t i = 0; i < sizeof object_kinds / sizeof *object_kinds; i++) {
        if (object->values[object_kinds[i]].type != SW_TRACE_ABSENT) {
            return object_kinds[i];
        }
    }
    return SW_TRACE_KEY_COUNT;
}

struct trace_reader {
    struct sw_error *error;
    bool grows;    /* the problem is built: only decisions and what belongs to them may come */
    bool whole;    /* and the text will not grow: its last line needs no end */
    bool stuck;    /* something else came, */
    bool next_run; /* namely the header of another run */
    const struct sw_load_options *options;
    struct sw_builder *builder;
    struct sw_trace_tape *tape;
    struct sw_trace_model model;
    struct sw_trace_where where;
    uint64_t graph; /* where it stands; UINT64_MAX: there is none */
    uint32_t graph_line;
    uint64_t runs, wanted; /* headers seen; the run that was asked for, 0: the last */
    struct sw_trace_progress now;
    uint64_t unknown_kinds, unknown_fields;
    bool cut;                      /* the last line is */
    uint64_t most;                 /* where reading may stop, once there is a decision; 0: at the end */
    struct sw_trace_piece piece;   /* the present line, */
    struct sw_trace_object object; /* and what is in it */
};

static bool is_header(const char *begin, const char *end) {
    struct sw_trace_object object;
    struct sw_trace_fault fault;
    static const char word[] = "\"stowage-trace\"";
    return memmem(begin, (size_t)(end - begin), word, sizeof word - 1) &&
           sw_trace_object_read(&object, begin, end, &fault) &&
           object.values[SW_TRACE_STOWAGE_TRACE].type != SW_TRACE_ABSENT;
}

/* The first line that is not blank is a header, perhaps a broken one. */
static bool trace_detect(const struct sw_input *input) {
    const char *at = sw_text_begin(input), *end = sw_text_end(input);
    while (at < end && strchr(" \t\r\n", *at)) {
        at++;
    }
    const char *line = at < end && *at == '{' ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    static const char begins[] = "{\"stowage-trace\"";
    bool plain = (size_t)(end - at) >= sizeof begins - 1 && memcmp(at, begins, sizeof begins - 1) == 0;
    return plain || (at < end && *at == '{' && is_header(at, line ? line : end));
}

/* ---- the kinds ---- */

static bool copy_trace_text(struct trace_reader *reader, struct sw_trace_value value, const char **to) {
    *to = sw_trace_is_text(value) ? sw_trace_string(&reader->tape->arena, value) : "";
    return *to || sw_fail_memory(reader->error);
}

/* Another run begins. */
static void start_run(struct trace_reader *reader) {
    struct sw_trace_tape *tape = reader->tape;
    sw_trace_model_done(&reader->model);
    reader->model = (struct sw_trace_model){0};
    reader->graph = UINT64_MAX;
    reader->now.candidate_count = 0;
    reader->now.group = 0;
    reader->unknown_fields = reader->unknown_kinds = 0;
    tape->marks.count = tape->tables.count = tape->groups.count = tape->notes.count = 0;
    tape->end = SW_RECORDING_OPEN;
    tape->failure = "";
    tape->has_peak = tape->no_addresses = tape->has_migration = false;
    tape->stopped_at = tape->migration_bytes = 0;
}

/* What the writer of the trace has to say about the run. */
static bool read_trace_notes(struct sw_trace_tape *tape, struct sw_trace_value list, struct sw_error *error) {
    struct sw_trace_items items = sw_trace_items(list);
    struct sw_trace_value item;
    while (sw_trace_items_next(&items, &item)) {
        const char *note = sw_trace_is_text(item) ? sw_trace_string(&tape->arena, item) : "";
        if (!note || (*note && !SW_PUSH(&tape->notes, note))) {
            return sw_fail_memory(error);
        }
    }
    return true;
}

static bool read_trace_header(struct trace_reader *reader, const struct sw_trace_object *object) {
    const struct sw_trace_value *values = object->values;
    struct sw_trace_tape *tape = reader->tape;
    uint64_t version = 0;
    if (!sw_trace_unsigned(values[SW_TRACE_STOWAGE_TRACE], &version) || version != 1) {
        return sw_trace_fail(&reader->where, values[SW_TRACE_STOWAGE_TRACE],
                             "this is version 1 of the format, and the trace has another one");
    }
    if (!sw_trace_is_text(values[SW_TRACE_PLANNER])) {
        return sw_trace_fail(&reader->where, values[SW_TRACE_PLANNER], "the header of a trace names its planner");
    }
    start_run(reader);
    tape->ours = sw_trace_is(values[SW_TRACE_WRITER], "stowage");
    return copy_trace_text(reader, values[SW_TRACE_PLANNER], &tape->planner) &&
           copy_trace_text(reader, values[SW_TRACE_VERSION], &tape->version) &&
           copy_trace_text(reader, values[SW_TRACE_AS_SEEN_BY], &tape->as_seen_by) &&
           read_trace_notes(tape, values[SW_TRACE_NOTES], reader->error) &&
           sw_trace_model_header(&reader->model, &reader->where, object);
}

static bool read_decision(struct trace_reader *reader, const struct sw_trace_object *object) {
    const struct sw_trace_piece *piece = reader->where.piece;
    bool any = reader->now.candidate_count > 0;
    struct sw_trace_mark mark = {.at = piece->at,
                                 .line = reader->where.line,
                                 .candidates = any ? reader->now.candidates : piece->at,
                                 .candidate_line = any ? reader->now.candidate_line : reader->where.line,
                                 .candidate_count = reader->now.candidate_count,
                                 .group = reader->now.group > 0 ? reader->now.group - 1 : 0,
                                 .again = sw_trace_model_again(&reader->model, object->values[SW_TRACE_BUFFER]),
                                 .event = reader->model.events - 1};
    reader->now.candidate_count = 0;
    if (!sw_trace_is_text(object->values[SW_TRACE_DECISION])) {
        return sw_trace_fail(&reader->where, object->values[SW_TRACE_DECISION], "the kind of a decision is a text");
    }
    return SW_PUSH(&reader->tape->marks, mark) || sw_fail_memory(reader->error);
}

static bool count_candidate(struct trace_reader *reader, const struct sw_trace_object *object) {
    uint64_t most = 0;
    const struct sw_trace_value *value = &object->values[SW_TRACE_CANDIDATE];
    if (value->type == SW_TRACE_WHOLE &&
        !sw_trace_bytes(&reader->where, object, SW_TRACE_CANDIDATE, SW_MAX_BYTES, &most)) {
        return false;
    }
    if (reader->now.candidate_count++ == 0) {
        reader->now.candidates = reader->where.piece->at;
        reader->now.candidate_line = reader->where.line;
    }
    return true;
}

static bool read_state(struct trace_reader *reader, const struct sw_trace_object *object) {
    struct sw_trace_tape *tape = reader->tape;
    const char *name;
    if (!copy_trace_text(reader, object->values[SW_TRACE_STATE], &name)) {
        return false;
    }
    uint32_t number = sw_names_find(&tape->table_names, name, strlen(name));
    if (number == SW_NONE) {
        number = tape->table_name_count++;
        if (!sw_names_set(&tape->table_names, name, strlen(name), number)) {
            return sw_fail_memory(reader->error);
        }
    }
    struct sw_trace_table table = {reader->where.piece->at, reader->where.line, number, tape->marks.count};
    return SW_PUSH(&tape->tables, table) || sw_fail_memory(reader->error);
}

/* A group opens: the next number, or the one that it tells. */
static bool read_group(struct trace_reader *reader, const struct sw_trace_object *object) {
    struct sw_trace_tape *tape = reader->tape;
    uint64_t number = reader->now.group;
    const char *name;
    if (!sw_trace_bytes(&reader->where, object, SW_TRACE_NUMBER, SW_NONE - 2, &number) ||
        !copy_trace_text(reader, object->values[SW_TRACE_GROUP], &name)) {
        return false;
    }
    reader->now.group = (uint32_t)number + 1;
    if (number > tape->groups.count + 1000) {
        return true; /* numbers with large gaps have no names */
    }
    while (tape->groups.count <= number) {
        if (!SW_PUSH(&tape->groups, NULL)) {
            return sw_fail_memory(reader->error);
        }
    }
    tape->groups.items[number] = name;
    return true;
}

static bool read_end(struct trace_reader *reader, const struct sw_trace_object *object) {
    struct sw_trace_tape *tape = reader->tape;
    const struct sw_trace_value *values = object->values;
    tape->end = sw_trace_is(values[SW_TRACE_END], "failed") ? SW_RECORDING_FAILED : SW_RECORDING_DONE;
    tape->has_peak = values[SW_TRACE_PEAK].type > SW_TRACE_NULL;
    tape->no_addresses = values[SW_TRACE_NO_ADDRESSES].type == SW_TRACE_TRUE;
    tape->has_migration = values[SW_TRACE_MIGRATION_BYTES].type > SW_TRACE_NULL;
    return sw_trace_bytes(&reader->where, object, SW_TRACE_PEAK, SW_MAX_BYTES, &tape->peak) &&
           sw_trace_bytes(&reader->where, object, SW_TRACE_STOPPED_AT, SW_MAX_BYTES, &tape->stopped_at) &&
           sw_trace_bytes(&reader->where, object, SW_TRACE_MIGRATION_BYTES, SW_MAX_BYTES, &tape->migration_bytes) &&
           copy_trace_text(reader, values[SW_TRACE_REASON], &tape->failure);
}

/* Does an object of the kind change the problem? */
static bool is_of_problem(enum sw_trace_key kind) {
    switch (kind) {
    case SW_TRACE_STOWAGE_TRACE:
    case SW_TRACE_GRAPH:
    case SW_TRACE_ALLOC:
    case SW_TRACE_FREE:
    case SW_TRACE_OPERATOR:
    case SW_TRACE_BUFFER:
    case SW_TRACE_TIER:
        return true;
    default:
        return false;
    }
}

static bool read_object(struct trace_reader *reader, const struct sw_trace_object *object) {
    const struct sw_trace_where *where = &reader->where;
    reader->stuck = reader->grows && is_of_problem(object_kind(object));
    if (reader->stuck) {
        reader->next_run = object_kind(object) == SW_TRACE_STOWAGE_TRACE;
        return true;
    }
    reader->unknown_fields += object->unknown;
    switch (object_kind(object)) {
    case SW_TRACE_GRAPH:
        if (reader->graph != UINT64_MAX || reader->model.buffer_list.count > 0 ||
            reader->model.operator_list.count > 0) {
            return sw_trace_fail(where, object->values[SW_TRACE_GRAPH],
                                 reader->graph != UINT64_MAX
                                     ? "this run has a graph already"
                                     : "a graph must stand before all buffers and operators of its run");
        }
        reader->graph = where->piece->at;
        reader->graph_line = where->line;
        return true;
    case SW_TRACE_DECISION:
        return read_decision(reader, object);
    case SW_TRACE_CANDIDATE:
        return count_candidate(reader, object);
    case SW_TRACE_STATE:
        return read_state(reader, object);
    case SW_TRACE_END:
        return read_end(reader, object);
    case SW_TRACE_GROUP:
        return read_group(reader, object);
    case SW_TRACE_ALLOC:
    case SW_TRACE_FREE:
        return sw_trace_model_event(&reader->model, where, object);
    case SW_TRACE_OPERATOR:
        return sw_trace_model_operator(&reader->model, where, object);
    case SW_TRACE_BUFFER:
        return sw_trace_model_buffer(&reader->model, where, object);
    case SW_TRACE_TIER:
        return sw_trace_model_tier(&reader->model, where, object);
    default:
        reader->unknown_kinds++;
        reader->unknown_fields -= object->unknown;
        return true;
    }
}

/* ---- the text ---- */

static bool is_blank_piece(const struct sw_trace_piece *piece) {
    for (const char *at = piece->begin; at < piece->end; at++) {
        if (*at != ' ' && *at != '\t') {
            return false;
        }
    }
    return true;
}

/* The runs of the file, also those that are not read. */
static bool list_run(struct trace_reader *reader, const struct sw_trace_object *object, bool header) {
    struct sw_trace_tape *tape = reader->tape;
    struct sw_trace_run run = {.planner = "", .line = reader->where.line};
    if (!header) {
        if (tape->runs.count > 0) {
            tape->runs.items[tape->runs.count - 1].decisions += object_kind(object) == SW_TRACE_DECISION;
        }
        return true;
    }
    return copy_trace_text(reader, object->values[SW_TRACE_PLANNER], &run.planner) &&
           (SW_PUSH(&tape->runs, run) || sw_fail_memory(reader->error));
}

static bool read_trace_line(struct trace_reader *reader, const struct sw_trace_piece *piece) {
    struct sw_trace_fault fault;
    reader->where.piece = piece;
    if (is_blank_piece(piece)) {
        return true;
    }
    if (!sw_trace_object_next(&reader->object, piece->begin, piece->end, &fault)) {
        if (!piece->ended && reader->runs > 0) {
            reader->cut = true; /* its writer stopped in the middle */
            return true;
        }
        return sw_trace_text_fail(&reader->tape->text, piece, reader->where.line, fault.at, reader->error, "%s",
                                  fault.text);
    }
    bool header = object_kind(&reader->object) == SW_TRACE_STOWAGE_TRACE;
    reader->runs += header;
    if (!reader->grows && !list_run(reader, &reader->object, header)) {
        return false;
    }
    if (reader->runs == 0) {
        return sw_trace_text_fail(&reader->tape->text, piece, reader->where.line, piece->begin, reader->error,
                                  "the first line of a trace is its header");
    }
    if (reader->grows) {
        return read_object(reader, &reader->object);
    }
    if (reader->wanted > 0 && reader->runs != reader->wanted) {
        return true;
    }
    return header ? read_trace_header(reader, &reader->object) : read_object(reader, &reader->object);
}

static bool read_trace_lines(struct trace_reader *reader) {
    struct sw_trace_piece *piece = &reader->piece;
    piece->next = reader->now.next;
    while (piece->next < reader->tape->text.length && !reader->stuck) {
        if (reader->most > 0 && piece->next >= reader->most && reader->tape->marks.count > 0) {
            reader->now.partial = true;
            return true;
        }
        if (!sw_trace_text_line(&reader->tape->text, piece->next, piece, reader->error)) {
            return false;
        }
        if (reader->grows && !reader->whole && !piece->ended) {
            return true; /* the rest of it will follow */
        }
        reader->where.line += reader->where.line < UINT32_MAX;
        if (!read_trace_line(reader, piece)) {
            return false;
        }
        if (piece->ended && !reader->stuck) {
            reader->now.next = piece->next;
            reader->now.line = reader->where.line;
        }
    }
    return true;
}

/* Where reading goes on when the text has grown: behind the last line that has its end. */
static void keep_progress(struct trace_reader *reader) {
    struct sw_trace_progress *now = &reader->now;
    now->events = reader->model.events;
    now->last = reader->wanted == 0 || reader->wanted == reader->runs;
    now->chosen = reader->wanted > 0;
    reader->tape->progress = *now;
}

/* Read on from where reading stopped. */
static struct trace_reader reader_again(struct sw_trace_tape *tape, struct sw_error *error) {
    struct trace_reader reader = {.error = error,
                                  .grows = true,
                                  .graph = UINT64_MAX,
                                  .tape = tape,
                                  .runs = 1,
                                  .now = tape->progress,
                                  .model = {.events = tape->progress.events},
                                  .where = {.text = &tape->text, .line = tape->progress.line, .error = error}};
    reader.now.partial = false;
    return reader;
}

/* What was read joins the recording. */
static enum sw_trace_growth take_up_growth(struct trace_reader *reader, const struct sw_problem *problem, size_t before,
                                           bool was_open) {
    struct sw_trace_tape *tape = reader->tape;
    struct sw_recording *recording = (struct sw_recording *)(uintptr_t)sw_problem_recording(problem); /* it may grow */
    keep_progress(reader);
    if (!sw_trace_bind(tape, problem, recording, before, reader->error)) {
        return SW_TRACE_BROKEN;
    }
    bool more = tape->marks.count > before || (was_open && tape->end != SW_RECORDING_OPEN);
    return reader->stuck ? SW_TRACE_OTHERWISE : more ? SW_TRACE_GREW : SW_TRACE_SAME;
}

enum sw_trace_growth sw_trace_grow(const struct sw_problem *problem, struct sw_error *error) {
    struct sw_trace_tape *tape = sw_trace_tape_of(sw_problem_recording(problem));
    struct trace_reader reader = reader_again(tape, error);
    size_t before = tape->marks.count;
    bool was_open = tape->end == SW_RECORDING_OPEN;
    bool chosen = tape->progress.chosen;
    if (!tape->progress.last) {
        return SW_TRACE_NEXT;
    }
    if (!sw_trace_text_grow(&tape->text, error)) {
        return SW_TRACE_BROKEN;
    }
    bool good = read_trace_lines(&reader);
    reader.error = good ? error : NULL;
    enum sw_trace_growth growth = take_up_growth(&reader, problem, before, was_open);
    if (!good || growth == SW_TRACE_BROKEN) { /* what came before stays */
        return SW_TRACE_BROKEN;
    }
    tape->progress.chosen = chosen;
    tape->progress.last = !(chosen && reader.next_run);
    if (tape->progress.last) {
        return growth;
    }
    bool more = tape->marks.count > before || (was_open && tape->end != SW_RECORDING_OPEN);
    return more ? SW_TRACE_GREW : SW_TRACE_NEXT;
}

/* NULL: the problem is of no trace. */
static const struct sw_trace_tape *tape_of(const struct sw_problem *problem) {
    const struct sw_recording *recording = sw_problem_recording(problem);
    return recording ? sw_trace_tape_of(recording) : NULL;
}

bool sw_trace_unread(const struct sw_problem *problem, double *part) {
    const struct sw_trace_tape *tape = tape_of(problem);
    *part = tape && tape->text.length > 0 ? (double)tape->progress.next / (double)tape->text.length : 1;
    return tape && tape->progress.partial;
}

void sw_trace_read_no_further(const struct sw_problem *problem) {
    sw_trace_tape_of(sw_problem_recording(problem))->progress.partial = false;
}

/* What is known when a trace has been read to its end only. */
static bool tell_late(const struct trace_reader *reader, const struct sw_problem *problem) {
    const struct sw_trace_tape *tape = reader->tape;
    char text[160];
    snprintf(text, sizeof text, "all of the trace is read: %zu decisions", tape->marks.count);
    if (!sw_tape_note(problem, text) ||
        (tape->end == SW_RECORDING_OPEN &&
         !sw_tape_note(problem, "the end of the run is missing: its planner stopped before it, or still runs"))) {
        return false;
    }
    snprintf(text, sizeof text, "the last line, %" PRIu32 ", is cut and is left out", reader->where.line);
    if (reader->cut && !sw_tape_note(problem, text)) {
        return false;
    }
    snprintf(text, sizeof text, "a limit ended the run after decision %" PRIu64, tape->stopped_at);
    return tape->stopped_at == 0 || sw_tape_note(problem, text);
}

enum sw_trace_growth sw_trace_read_on(const struct sw_problem *problem, uint64_t most, struct sw_error *error) {
    struct sw_trace_tape *tape = sw_trace_tape_of(sw_problem_recording(problem));
    struct trace_reader reader = reader_again(tape, error);
    size_t before = tape->marks.count;
    bool was_open = tape->end == SW_RECORDING_OPEN;
    reader.whole = true;
    reader.most = reader.now.next + most;
    if (!read_trace_lines(&reader)) {
        return SW_TRACE_BROKEN;
    }
    enum sw_trace_growth growth = take_up_growth(&reader, problem, before, was_open);
    if (growth != SW_TRACE_BROKEN && growth != SW_TRACE_OTHERWISE && !tape->progress.partial &&
        !tell_late(&reader, problem)) {
        sw_fail_memory(error);
        return SW_TRACE_BROKEN;
    }
    return growth;
}

static bool read_trace_graph(struct trace_reader *reader) {
    struct sw_trace_piece piece;
    struct sw_trace_object object;
    if (reader->graph == UINT64_MAX) {
        return true;
    }
    struct sw_trace_where where = {&reader->tape->text, &piece, reader->graph_line, reader->error};
    return sw_trace_line(reader->tape, reader->graph, &piece, &object, reader->graph_line, reader->error) &&
           sw_trace_model_graph(&reader->model, &where, &object, reader->options, reader->builder);
}

const struct sw_trace_run *sw_trace_runs(const struct sw_problem *problem, size_t *count, size_t *chosen) {
    const struct sw_trace_tape *tape = tape_of(problem);
    *count = tape ? tape->runs.count : 0;
    *chosen = tape ? tape->chosen : 0;
    return tape ? tape->runs.items : NULL;
}

const struct sw_demand *sw_trace_demands(const struct sw_problem *problem, size_t *count) {
    const struct sw_trace_tape *tape = tape_of(problem);
    *count = tape ? tape->demands.count : 0;
    return tape ? tape->demands.items : NULL;
}

/* ---- notes ---- */

static const char *plural_ending(uint64_t count) {
    return count == 1 ? "" : "s";
}

/* What is known of the trace as a whole, which is not told while the rest of it is still to be read. */
static bool note_the_end(const struct trace_reader *reader, bool grows) {
    struct sw_builder *builder = reader->builder;
    const struct sw_trace_tape *tape = reader->tape;
    return (tape->end != SW_RECORDING_OPEN || grows ||
            sw_notef(builder, reader->error,
                     "the end of the run is missing: its planner stopped before it, or still runs")) &&
           (tape->stopped_at == 0 ||
            sw_notef(builder, reader->error, "a limit ended the run after decision %" PRIu64, tape->stopped_at)) &&
           (reader->now.candidate_count == 0 ||
            sw_notef(builder, reader->error, "%" PRIu32 " candidate%s at the end %s to no decision",
                     reader->now.candidate_count, plural_ending(reader->now.candidate_count),
                     reader->now.candidate_count == 1 ? "belongs" : "belong")) &&
           (reader->unknown_kinds == 0 ||
            sw_notef(builder, reader->error, "%" PRIu64 " object%s of no known kind %s left out", reader->unknown_kinds,
                     plural_ending(reader->unknown_kinds), reader->unknown_kinds == 1 ? "is" : "are")) &&
           (reader->unknown_fields == 0 ||
            sw_notef(builder, reader->error, "%" PRIu64 " field%s with unknown names %s left out",
                     reader->unknown_fields, plural_ending(reader->unknown_fields),
                     reader->unknown_fields == 1 ? "is" : "are"));
}

static bool note_the_trace(const struct trace_reader *reader) {
    struct sw_builder *builder = reader->builder;
    const struct sw_trace_tape *tape = reader->tape;
    bool grows = reader->options && reader->options->grows; /* then what is missing is still to come */
    bool good = sw_notef(builder, reader->error, "a trace of %s%s%s: %zu decision%s%s",
                         *tape->planner ? tape->planner : "a planner", *tape->version ? " " : "", tape->version,
                         tape->marks.count, plural_ending(tape->marks.count), reader->now.partial ? " so far" : "");
    for (size_t i = 0; good && i < tape->notes.count; i++) {
        good = sw_builder_note(builder, tape->notes.items[i], reader->error);
    }
    return good &&
           (reader->runs <= 1 ||
            sw_notef(builder, reader->error,
                     "the trace has %" PRIu64 " runs: this is run %" PRIu64 " (--run N takes another one)",
                     reader->runs, reader->wanted ? reader->wanted : reader->runs)) &&
           (!tape->text.input.cut ||
            sw_builder_note(builder, "the gzip data is cut off: this is what came out of it", reader->error)) &&
           (!reader->cut || grows ||
            sw_notef(builder, reader->error, "the last line, %" PRIu32 ", is cut and is left out",
                     reader->where.line)) &&
           (reader->now.partial
                ? sw_builder_note(builder, "the trace is large: its beginning is shown while the rest is read",
                                  reader->error)
                : note_the_end(reader, grows));
}

/* ---- the whole ---- */

static bool wanted_run(const struct sw_load_options *options, uint64_t *wanted, struct sw_error *error) {
    const char *text = options ? options->run : NULL;
    char *end;
    *wanted = text ? strtoull(text, &end, 10) : 0;
    return !text || (*text >= '1' && *text <= '9' && *end == '\0' && *wanted < UINT32_MAX) ||
           sw_fail(error, SW_ERROR_USAGE, "--run %s: the runs of a trace are counted from 1", text);
}

static bool keep_demands(struct sw_trace_tape *tape, const struct sw_load_options *options) {
    for (size_t i = 0; options && i < options->demand_count; i++) {
        struct sw_demand demand = options->demands[i];
        demand.buffer = demand.buffer ? sw_arena_string(&tape->arena, demand.buffer, strlen(demand.buffer)) : NULL;
        demand.tier = demand.tier ? sw_arena_string(&tape->arena, demand.tier, strlen(demand.tier)) : NULL;
        bool kept = (!options->demands[i].buffer || demand.buffer) && (!options->demands[i].tier || demand.tier);
        if (!kept || !SW_PUSH(&tape->demands, demand)) {
            return false;
        }
    }
    return true;
}

static bool read_whole_trace(struct trace_reader *reader) {
    if (!read_trace_lines(reader)) {
        return false;
    }
    if (reader->wanted > reader->runs) {
        return sw_fail(reader->error, SW_ERROR_USAGE, "--run %" PRIu64 ": this trace has %" PRIu64 " run%s",
                       reader->wanted, reader->runs, plural_ending(reader->runs));
    }
    if (!read_trace_graph(reader) ||
        !sw_trace_model_build(&reader->model, reader->tape->marks.count > 0, reader->builder, reader->error) ||
        !note_the_trace(reader)) {
        return false;
    }
    struct sw_trace_tape *tape = reader->tape;
    keep_progress(reader);
    if (!keep_demands(tape, reader->options)) {
        return sw_fail_memory(reader->error);
    }
    tape->chosen = (reader->wanted ? reader->wanted : reader->runs) - 1;
    tape->instants = reader->model.instants;
    reader->model.instants = (struct sw_trace_instants){0};
    if (tape->marks.count > 0 || reader->model.events == 0) {
        sw_builder_tape(reader->builder, &tape->tape);
    }
    return true;
}

static bool trace_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                       struct sw_error *error) {
    struct trace_reader reader = {.error = error,
                                  .options = options,
                                  .builder = builder,
                                  .graph = UINT64_MAX,
                                  .most = options && !options->run && !options->grows ? options->first_bytes : 0};
    if (!wanted_run(options, &reader.wanted, error)) {
        return false;
    }
    reader.tape = sw_trace_tape_new(input, error);
    if (!reader.tape) {
        return false;
    }
    reader.where = (struct sw_trace_where){.text = &reader.tape->text, .error = error};
    bool good = read_whole_trace(&reader);
    sw_trace_model_done(&reader.model);
    sw_tape_unref(&reader.tape->tape); /* the builder has its own reference */
    return good;
}

const struct sw_format sw_format_trace = {
    .name = "trace",
    .summary = "decision traces: what a planner decided, one JSON object a line; opens as the planner recorded",
    .extensions = ".trace .trace.jsonl",
    .detect = trace_detect,
    .read = trace_read,
    .heeds = SW_HEEDS_RUN,
    .may_be_large = true,
};
