/* Opening an input: read, apply what the command line says, build. */
#include "formats/settings/load_options.h"
#include "base/base.h"
#include "formats/graphs/graph_json.h"
#include "formats/graphs/order_file.h"
#include "formats/wrapped/gzip.h"
#include "formats/text/json.h"
#include "formats/text/json_write.h"
#include "formats/wrapped/pasted.h"
#include "formats/known_by.h"
#include "problem/moment/moment.h"

const char *sw_path_name(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

bool sw_path_is_lua(const char *path) {
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".lua") == 0;
}

bool sw_notef(struct sw_builder *builder, struct sw_error *error, const char *format, ...) {
    struct sw_sink note = {0};
    va_list arguments;
    va_start(arguments, format);
    sw_sink_vprintf(&note, format, arguments);
    va_end(arguments);
    sw_sink_add(&note, "", 1);
    bool good = note.failed ? sw_fail_memory(error) : sw_builder_note(builder, note.text.items, error);
    sw_sink_done(&note);
    return good;
}

bool sw_note_count(struct sw_builder *builder, struct sw_error *error, uint64_t count, const char *format) {
    return count == 0 || sw_notef(builder, error, format, count);
}

/* What a graph is called when the file does not say: the file's name without folder and extension
 * (and .gz). */
static bool name_after(const char *path, struct sw_builder *builder, struct sw_error *error) {
    const char *name = sw_path_name(path);
    size_t length = sw_gzip_inner(name);
    const char *dot = memrchr(name, '.', length);
    char text[128];
    length = dot && dot != name ? (size_t)(dot - name) : length;
    if (strcmp(path, "-") == 0) {
        return sw_builder_name(builder, "stdin", error);
    }
    length = sw_utf8_cut(name, length, sizeof text - 1);
    memcpy(text, name, length);
    text[length] = '\0';
    struct sw_input fake = {.name = path, .bytes = text, .length = length};
    if (!sw_text_check(&fake, NULL)) {
        return true; /* file names need not be UTF-8; graphs' names must be */
    }
    return sw_builder_name(builder, text, error);
}

/* What an input says: itself, or, of a program or a log, the text it stands for. */
struct graph_text {
    struct sw_input input;
    struct sw_sink sink;
    const struct sw_format *by; /* the format that rewrites it; NULL: it says itself what it says */
    bool rewritten;
};

static bool open_graph_text(const struct sw_input *input, const struct sw_load_options *options,
                            struct graph_text *text, struct sw_error *error) {
    *text = (struct graph_text){.input = *input};
    for (size_t i = 0; i < sw_format_count() && !text->by; i++) {
        const struct sw_format *format = sw_format_get(i);
        text->by = sw_format_rewrites(format) && sw_format_is(format, input) ? format : NULL;
    }
    if (!(text->by && text->by->is_program) && options && options->args && !options->args_read &&
        options->args->settings.count > 0) {
        return sw_fail(error, SW_ERROR_USAGE, "--arg %s: --arg applies only to Lua models",
                       options->args->settings.items[0].key);
    }
    if (!text->by) {
        return true;
    }
    if (!sw_format_rewrite(text->by, input, options, &text->sink, error)) {
        return false;
    }
    text->rewritten = true;
    text->input.owner = NULL; /* the bytes are the sink's */
    text->input.bytes = text->sink.text.items;
    text->input.length = text->sink.text.count;
    text->input.whole = 0;
    return true;
}

/* Is the error about this input, and not about another file, such as that of the tiers? */
static bool error_is_about(const struct sw_error *error, const struct sw_input *input) {
    struct sw_error probe = {0};
    sw_error_at(&probe, input->name, 0, 0);
    return !*error->file || strcmp(error->file, probe.file) == 0;
}

/* An error about the text becomes one about the input. */
static void close_text(struct graph_text *text, bool good, struct sw_error *error) {
    if (!good && text->rewritten && error->code == SW_ERROR_INPUT && error_is_about(error, &text->input)) {
        text->by->locate(&text->sink, error);
    }
    sw_sink_done(&text->sink);
}

/* Replace the tiers by those of a file. */
static bool load_tiers(const struct sw_load_options *options, struct sw_builder *builder, struct sw_error *error) {
    struct sw_input input;
    struct graph_text text;
    if (!sw_input_open(options->tiers, &input, error)) {
        return false;
    }
    if (options->uses) {
        options->uses(options->uses_context, options->tiers);
    }
    sw_builder_clear_tiers(builder);
    bool good = open_graph_text(&input, options, &text, error) && sw_tiers_read(&text.input, builder, error);
    close_text(&text, good, error);
    sw_error_at(good ? NULL : error, *error->file ? NULL : input.name, error->line, error->column);
    sw_input_close(&input);
    return good;
}

static bool tiers_of_text(const struct sw_load_options *options, struct sw_builder *builder, struct sw_error *error) {
    sw_builder_clear_tiers(builder);
    if (sw_tiers_read(options->tiers_text, builder, error)) {
        return true;
    }
    sw_error_at(error, options->tiers_text->name, error->line, error->column);
    return false;
}

static bool apply_options(const struct sw_load_options *options, struct sw_builder *builder, struct sw_error *error) {
    if (options->tiers && !load_tiers(options, builder, error)) {
        return false;
    }
    if (options->tiers_text && !tiers_of_text(options, builder, error)) {
        return false;
    }
    if (options->has_capacity) {
        if (options->capacity > SW_MAX_BYTES) {
            return sw_fail(error, SW_ERROR_USAGE, "the capacity is larger than 2^61 bytes");
        }
        bool arena = options->capacity_of == SW_CAPACITY_OF_ARENA;
        uint64_t outside = arena ? sw_builder_outside_bytes(builder) : 0;
        uint64_t least = arena ? sw_builder_least_arena(builder) : 0;
        if (least > options->capacity) {
            return sw_fail(error, SW_ERROR_INFEASIBLE,
                           "infeasible: the runtime needs an arena of %" PRIu64
                           " bytes while it plans, and it has only %" PRIu64,
                           least, options->capacity);
        }
        if (outside > options->capacity) {
            return sw_fail(error, SW_ERROR_INFEASIBLE,
                           "infeasible: what no plan places takes %" PRIu64 " bytes of the arena already, and it has "
                           "only %" PRIu64,
                           outside, options->capacity);
        }
        sw_builder_capacity(builder, options->capacity - outside);
    }
    if (options->capacity_of == SW_CAPACITY_OF_ARENA && sw_builder_outside_bytes(builder) == 0) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "--capacity-of arena: this file does not tell what the arena holds "
                       "besides what is planned");
    }
    if (options->pins) {
        sw_builder_offsets(builder, SW_OFFSETS_PINS);
    }
    if (options->inplace_safe) { /* a reader may have found that the plan in the file wants it */
        sw_builder_inplace(builder, true);
    }
    return true;
}

/* The operators in the order of a file. What the model itself does not allow is said of the model. */
static struct sw_problem *in_order(const struct sw_load_options *options, const struct sw_problem *problem,
                                   struct sw_error *error) {
    struct sw_input input;
    if (!sw_input_open(options->order, &input, error)) {
        return NULL;
    }
    if (options->uses) {
        options->uses(options->uses_context, options->order);
    }
    struct sw_problem *ordered = sw_order_file_apply(&input, problem, error);
    if (!ordered && error->code == SW_ERROR_INPUT) {
        sw_error_at(error, *error->file ? NULL : input.name, error->line, error->column);
    }
    sw_input_close(&input);
    return ordered;
}

/* The operators in the order in which a runtime takes them by itself. */
static struct sw_problem *in_runtime_order(const struct sw_format *format, const struct sw_input *input,
                                           const struct sw_load_options *options, const struct sw_problem *problem,
                                           struct sw_error *error) {
    uint32_t count = sw_problem_operator_count(problem), *order = SW_NEW(uint32_t, count);
    bool priority = sw_order_of(options->order) == SW_ORDER_OF_ONNXRUNTIME_PRIORITY;
    bool good = (order || sw_fail_memory(error)) && sw_problem_has_orders(problem, error) &&
                format->runtime_order(input, options, priority, order, count, error);
    struct sw_problem *ordered = good ? sw_problem_in_order(problem, order, error) : NULL;
    SW_FREE(order, count);
    return ordered;
}

/* Note the order of the steps, where it is not the file's. */
static bool note_order(const struct sw_load_options *options, struct sw_builder *builder, struct sw_error *error) {
    switch (sw_order_of(options->order)) {
    case SW_ORDER_OF_ONNXRUNTIME:
        return sw_notef(
            builder, error,
            "steps are in the order that ONNX Runtime takes by itself, of a graph that it does not optimize");
    case SW_ORDER_OF_ONNXRUNTIME_PRIORITY:
        return sw_notef(builder, error,
                        "steps are in the order that ONNX Runtime takes with execution_order=PRIORITY_BASED, of a "
                        "graph that it does not optimize");
    case SW_ORDER_OF_FILE:
        break;
    }
    return sw_notef(builder, error, "steps are in the order of %s", sw_path_name(options->order));
}

static bool heeds_options(const struct sw_format *format, const struct sw_load_options *options,
                          struct sw_error *error) {
    if (sw_order_of(options->order) != SW_ORDER_OF_FILE && !format->runtime_order) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "--order %s: only an ONNX model has such an order; a file of that name is ./%s", options->order,
                       options->order);
    }
    return sw_load_options_heeded(options, format->heeds, error);
}

static bool note_pasted(const struct sw_pasted *pasted, struct sw_builder *builder, struct sw_error *error) {
    struct sw_sink words = {0};
    sw_pasted_words(pasted, &words);
    const char *text = sw_sink_ended(&words);
    bool good = text ? sw_builder_note(builder, text, error) : sw_fail_memory(error);
    sw_sink_done(&words);
    return good;
}

static struct sw_problem *build_problem(const struct sw_input *input, const struct sw_format *format,
                                        const struct sw_pasted *pasted, const struct sw_load_options *options,
                                        struct sw_builder *builder, struct sw_error *error) {
    if ((options && !heeds_options(format, options, error)) ||
        !name_after(options && options->named ? options->named : input->name, builder, error) ||
        !sw_format_read(format, input, options, builder, error) || (pasted && !note_pasted(pasted, builder, error)) ||
        (input->array && *input->array &&
         !sw_notef(builder, error, "the model is the array %s of this source", input->array))) {
        return NULL;
    }
    if (options &&
        (!apply_options(options, builder, error) || (options->order && !note_order(options, builder, error)))) {
        return NULL;
    }
    struct sw_problem *problem = sw_builder_finish(builder, error);
    const char *end = sw_text_end(input), *at = sw_json_skip_space(sw_text_begin(input), end);
    if (!problem && input->whole == 0 && at < end && *at == '{') {
        sw_json_refine(input, error);
    }
    if (problem && options && options->order) {
        struct sw_problem *ordered = sw_order_of(options->order) == SW_ORDER_OF_FILE
                                         ? in_order(options, problem, error)
                                         : in_runtime_order(format, input, options, problem, error);
        sw_problem_unref(problem);
        problem = ordered;
    }
    return problem;
}

/* A text that something was rewritten to is known by what it says, anything else by its name as well. */
static const struct sw_format *format_of(const struct graph_text *text, struct sw_error *error) {
    struct sw_input input = text->input;
    input.name = text->by ? "text" : input.name;
    return sw_format_detect(&input, error);
}

/* Of all that was read. */
static bool digest_text(const struct graph_text *text, const struct sw_load_options *options, uint64_t *digest,
                        struct sw_error *error) {
    struct sw_input joined;
    *digest = sw_input_digest(&text->input);
    bool file = options && sw_order_of(options->order) == SW_ORDER_OF_FILE;
    const char *const others[] = {options ? options->join : NULL, options ? options->then : NULL,
                                  file ? options->order : NULL};
    if (options && options->order && !file) {
        *digest = sw_fold_bytes(*digest, options->order, strlen(options->order));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i]) {
            if (!sw_input_open(others[i], &joined, error)) {
                return false;
            }
            *digest = sw_fold(*digest, sw_input_digest(&joined));
            sw_input_close(&joined);
        }
    }
    return true;
}

/* The arguments belong to the model and to the tiers, each of which may be a program. */
static bool all_read(const struct sw_params *args, uint64_t read, struct sw_error *error) {
    for (size_t i = 0; i < args->settings.count && i < 64; i++) {
        if (!(read >> i & 1)) {
            return sw_fail(error, SW_ERROR_USAGE, "--arg %s: neither the model nor the tiers read it",
                           args->settings.items[i].key);
        }
    }
    return true;
}

/* `pasted`: the input is a cleaned copy, of which a note is taken; NULL. The error is zeroed. */
static struct sw_problem *load_as_it_is(const struct sw_input *input, const struct sw_pasted *pasted,
                                        const struct sw_load_options *options, uint64_t *digest,
                                        struct sw_error *error) {
    struct sw_load_options shared;
    uint64_t read = 0, others = 0;
    bool shares = options && options->tiers && options->args && options->args->settings.count > 0;
    if (shares || digest) {
        shared = options ? *options : (struct sw_load_options){0};
        shared.args_read = shares ? &read : shared.args_read;
        shared.others = &others;
        options = &shared;
    }
    struct graph_text text;
    struct sw_problem *problem = NULL;
    const struct sw_format *format = open_graph_text(input, options, &text, error) ? format_of(&text, error) : NULL;
    struct sw_builder *builder = format ? sw_builder_new(error) : NULL;
    if (builder) {
        problem = build_problem(&text.input, format, pasted, options, builder, error);
    }
    if (problem && shares && !all_read(options->args, read, error)) {
        sw_problem_unref(problem);
        problem = NULL;
    }
    if (problem && digest && !digest_text(&text, options, digest, error)) {
        sw_problem_unref(problem);
        problem = NULL;
    }
    if (problem && digest && others) {
        *digest = sw_fold(*digest, others);
    }
    close_text(&text, problem != NULL, error);
    sw_error_at(problem ? NULL : error, *error->file ? NULL : input->name, error->line, error->column);
    sw_builder_free(builder);
    return problem;
}

/* ---- pasted text ---- */

static const struct sw_format *format_by_content(const struct sw_input *input) {
    for (size_t i = 0; i < sw_format_count(); i++) {
        if (sw_format_is(sw_format_get(i), input)) {
            return sw_format_get(i);
        }
    }
    return NULL;
}

/* How much a reading tells: of two readings of a text the one that tells more is right. */
static size_t count_told(const struct sw_problem *problem) {
    const struct sw_moment *moment = sw_problem_moment(problem);
    return sw_problem_buffer_count(problem) + sw_problem_operator_count(problem) +
           (moment ? moment->blocks.count + moment->segments.count + moment->told.count : 0);
}

/* A reader of logs may take a line for what it is and pass over the next, to which a quote or a color was added. All
 * others take a text as it is or refuse it. */
static bool may_be_pasted(const struct sw_input *input, const struct sw_format *format,
                          const struct sw_problem *problem, const struct sw_error *error) {
    bool unwrapped = input->whole == 0 && !(input->array && *input->array);
    bool text = !format || (format->most_binary == 0 && !format->is_program);
    bool unsure = problem ? format && format->words && !format->words->members : error->code == SW_ERROR_INPUT;
    const char *end = sw_text_end(input), *at = sw_json_skip_space(sw_text_begin(input), end);
    bool markup = format && at < end && *at == '<'; /* in which entities are no decoration */
    return unwrapped && text && unsure && !markup && sw_text_check(input, NULL);
}

struct reading {
    struct sw_problem *problem;
    uint64_t sum, *digest; /* NULL: no digest is wanted */
    size_t taken;          /* places from which something was taken off */
    bool torn;             /* of lines that were broken for certain, and are whole */
    size_t joined;         /* lines that go on in the next */
    struct sw_error error;
};

/* Of the readings, the one that tells most, then the one before which most was taken off; of what no reader takes, the
 * error of the first that is known, or got further. */
static bool read_pasted_text(const struct sw_input *input, enum sw_pasted_way way,
                             const struct sw_load_options *options, const struct sw_format **known,
                             struct reading *best) {
    struct sw_pasted pasted;
    struct reading next = {0};
    if (!sw_pasted_clean(input, way, &pasted, &best->error)) {
        sw_pasted_done(&pasted);
        return false;
    }
    for (size_t i = 0; i < SW_PASTED_KINDS; i++) {
        next.taken += pasted.taken[i];
    }
    next.torn = pasted.torn;
    next.joined = pasted.joined;
    struct sw_input copy = *input;
    copy.owner = NULL; /* the bytes are the copy's */
    copy.bytes = pasted.bytes.items;
    copy.length = pasted.bytes.count;
    /* A moment has no order of its own that joined lines could spoil. */
    bool folded =
        pasted.folded && best->problem && sw_problem_moment(best->problem) && pasted.joined > 2 * best->joined;
    /* Where a reader knows the text, lines are joined only if they are broken for certain, or likely were and the whole
     * lines tell more. */
    bool worth = way == SW_PASTED_LINES ? sw_pasted_changed(&pasted) && (!best->problem || sw_pasted_strange(&pasted))
                                        : pasted.torn || folded || (pasted.joined > 0 && !*known);
    const struct sw_format *format = worth ? format_by_content(&copy) : NULL;
    bool other = best->problem && *known && format != *known;
    if (format && !format->is_program && format->most_binary == 0 && !other) {
        next.problem = load_as_it_is(&copy, &pasted, options, best->digest ? &next.sum : NULL, &next.error);
    }
    size_t told = next.problem ? count_told(next.problem) : 0, before = best->problem ? count_told(best->problem) : 0;
    /* Of broken lines both parts may count, and as it stands a text may say as much, and say it wrong. */
    bool whole = next.torn && !best->torn;
    bool tied = (next.torn || way == SW_PASTED_LINES) && next.taken >= best->taken &&
                (told == before || (whole && told * 2 > before));
    bool better = told > 0 && (!best->problem || told > before || tied);
    if (next.error.line > 0 && error_is_about(&next.error, input)) {
        sw_pasted_locate(&pasted, input, &next.error.line, &next.error.column);
    }
    bool further = way == SW_PASTED_LINES && best->error.line > 0 && next.error.line > best->error.line;
    bool says = next.error.code == SW_ERROR_INPUT && !best->problem && (!*known || further);
    if (better || says) {
        struct reading old = *best;
        next.digest = old.digest;
        *best = next;
        next = old;
        *known = format;
    }
    sw_problem_unref(next.problem);
    sw_pasted_done(&pasted);
    return best->error.code != SW_ERROR_MEMORY;
}

/* ---- from a moment on ---- */

/* What was read as something else, and is none of it, was to be a table of requests. */
static void say_no_requests(const char *path, struct sw_error *error) {
    struct sw_input input;
    struct sw_error own = {0};
    if (error->code == SW_ERROR_INPUT && sw_input_open(path, &input, &own)) {
        if (format_by_content(&input) != &sw_format_requests_csv) {
            sw_fail(error, SW_ERROR_INPUT,
                    "--then takes a table of requests: event,id,size,stream; event is alloc, free or empty_cache");
            sw_error_at(error, path, 0, 0);
        }
        sw_input_close(&input);
    }
}

/* The requests of the table, from the moment on, as a problem. */
static struct sw_problem *run_after_moment(const struct sw_problem *problem, const struct sw_load_options *options,
                                           struct sw_error *error) {
    const struct sw_moment *moment = sw_problem_moment(problem);
    struct sw_load_options how = {
        .trust = options->trust, .print = options->print, .print_context = options->print_context, .after = moment};
    if (!moment) {
        sw_fail(error, SW_ERROR_USAGE, "--then goes on from one moment of an allocator, and this is none");
        return NULL;
    }
    if (!sw_moment_is_whole(moment, error)) {
        return NULL;
    }
    struct sw_problem *asked = sw_load(options->then, &how, NULL, error), *made = NULL;
    if (!asked) {
        say_no_requests(options->then, error);
    }
    struct sw_builder *builder = asked ? sw_builder_new(error) : NULL;
    bool good = builder && sw_builder_name(builder, sw_problem_name(problem), error);
    for (size_t p = 0; p < 2; p++) {
        size_t count = 0;
        const char *const *notes = good ? sw_problem_notes(p == 0 ? problem : asked, &count) : NULL;
        for (size_t i = 0; good && i < count; i++) {
            good = sw_builder_note(builder, notes[i], error);
        }
    }
    if (good && sw_moment_then(moment, asked, builder, error)) {
        sw_builder_capacity(builder, sw_problem_tier(problem, 0)->capacity);
        made = sw_builder_finish(builder, error);
    }
    if (good && !made) {
        sw_error_at(error, options->then, 0, 0);
    }
    sw_builder_free(builder);
    sw_problem_unref(asked);
    return made;
}

static struct sw_problem *load_problem(const struct sw_input *input, const struct sw_load_options *options,
                                       uint64_t *digest, struct sw_error *error) {
    struct reading best = {.digest = digest};
    const struct sw_format *known = format_by_content(input);
    best.problem = load_as_it_is(input, NULL, options, digest ? &best.sum : NULL, &best.error);
    bool good = best.error.code != SW_ERROR_MEMORY;
    if (good && may_be_pasted(input, known, best.problem, &best.error)) {
        for (unsigned way = 0; good && way < SW_PASTED_WAYS; way++) {
            good = read_pasted_text(input, (enum sw_pasted_way)way, options, &known, &best);
        }
    }
    if (!good) {
        sw_problem_unref(best.problem);
        best.problem = NULL;
    }
    if (best.problem && options && options->then) {
        struct sw_problem *moment = best.problem;
        if (options->uses) {
            options->uses(options->uses_context, options->then);
        }
        best.problem = run_after_moment(moment, options, &best.error);
        sw_problem_unref(moment);
    }
    if (!best.problem && error) {
        *error = best.error;
    }
    if (best.problem && digest) {
        *digest = best.sum;
    }
    return best.problem;
}

struct sw_problem *sw_load_input(const struct sw_input *input, const struct sw_load_options *options,
                                 struct sw_error *error) {
    return load_problem(input, options, NULL, error);
}

struct sw_problem *sw_load(const char *path, const struct sw_load_options *options, uint64_t *digest,
                           struct sw_error *error) {
    struct sw_input input;
    if (!sw_input_open_array(path, options ? options->array : NULL, &input, error)) {
        return NULL;
    }
    if (options && options->uses) {
        options->uses(options->uses_context, path);
    }
    struct sw_problem *problem = load_problem(&input, options, digest, error);
    sw_input_close(&input);
    return problem;
}

static bool add_whole_input(const struct sw_input *input, struct sw_sink *sink, struct sw_error *error) {
    char block[1 << 15];
    uint64_t whole = input->whole ? input->whole : input->length;
    for (uint64_t at = 0; at < whole && !sink->failed;) {
        size_t length = whole - at < sizeof block ? (size_t)(whole - at) : sizeof block;
        if (!sw_input_read(input, at, block, length, error)) {
            return false;
        }
        sw_sink_add(sink, block, length);
        at += length;
    }
    return !sink->failed || sw_fail_memory(error);
}

bool sw_load_text(const char *path, const struct sw_load_options *options, struct sw_sink *sink,
                  const struct sw_format **by, struct sw_error *error) {
    struct sw_input input;
    struct graph_text text;
    if (!sw_input_open(path, &input, error)) {
        return false;
    }
    bool good = open_graph_text(&input, options, &text, error);
    if (good) {
        good = add_whole_input(&text.input, sink, error);
        *by = text.by;
    }
    sw_sink_done(&text.sink);
    sw_error_at(good ? NULL : error, *error->file ? NULL : path, error->line, error->column);
    sw_input_close(&input);
    return good;
}
