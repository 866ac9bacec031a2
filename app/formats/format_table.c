/* The table of formats, made from formats.def. */
#include "formats/graphs/buffers_csv.h"
#include "formats/graphs/graph_json.h"
#include "formats/wrapped/gzip.h"
#include "formats/onnx/onnx_format.h"
#include "formats/tflite/tflite_model.h"
#include "formats/plans/finished_plan.h"
#include "formats/pytorch/pytorch.h"
#include "formats/text/foreign.h"
#include "formats/text/utf8.h"
#include "formats/known_by.h"
#include "planners/fit/fit_look.h"
#include "planners/planner.h"

#include <string.h>
#include <strings.h>

static const struct sw_format *const formats[] = {
#define FORMAT(name, file) &name,
#define READER(name, file) &name,
#include "formats.def"
#undef FORMAT
#undef READER
};
static SW_ARRAY(const struct sw_format *) added; /* by the user, at the start of the program */

bool sw_format_add(const struct sw_format *format) {
    if (!format) {
        SW_ARRAY_DONE(&added);
    }
    return !format || SW_PUSH(&added, format);
}

size_t sw_format_count(void) {
    return added.count + sizeof formats / sizeof *formats;
}

const struct sw_format *sw_format_get(size_t i) {
    return i < added.count ? added.items[i] : formats[i - added.count];
}

bool sw_format_is(const struct sw_format *format, const struct sw_input *input) {
    return format->detect ? format->detect(input) : format->words && sw_words_found(format->words, input);
}

bool sw_format_reads(const struct sw_format *format) {
    return format->read || (format->run && !format->rewrites);
}

bool sw_format_read(const struct sw_format *format, const struct sw_input *input, const struct sw_load_options *options,
                    struct sw_builder *builder, struct sw_error *error) {
    bool good = format->read ? format->read(input, options, builder, error)
                             : format->run(format, input, options, builder, NULL, error);
    sw_error_at(good ? NULL : error, *error->file ? NULL : input->name, error->line, error->column);
    return good;
}

bool sw_format_rewrites(const struct sw_format *format) {
    return format->rewrite || (format->run && format->rewrites);
}

bool sw_format_rewrite(const struct sw_format *format, const struct sw_input *input,
                       const struct sw_load_options *options, struct sw_sink *sink, struct sw_error *error) {
    return format->rewrite ? format->rewrite(input, options, sink, error)
                           : format->run(format, input, options, NULL, sink, error);
}

void sw_format_tell_added(struct sw_error *error) {
    for (size_t i = 0; error && i < added.count; i++) {
        size_t used = strlen(error->message);
        snprintf(error->message + used, sizeof error->message - used, "%s%s",
                 i ? ", " : "; its words are not those of the reader ", added.items[i]->name);
    }
}

/* The extension of a path that is so long, dot included; "" when it has none. */
static const char *extension_of(const char *path, size_t length) {
    const char *slash = memrchr(path, '/', length);
    const char *name = slash ? slash + 1 : path;
    const char *dot = memrchr(name, '.', length - (size_t)(name - path));
    return dot && dot != name ? dot : path + length;
}

/* Is the extension one of a list separated by spaces? */
static bool is_extension_listed(const char *list, const char *extension, size_t length) {
    for (const char *at = list; length > 0 && *at;) {
        size_t word = strcspn(at, " ");
        if (word == length && strncasecmp(at, extension, length) == 0) {
            return true;
        }
        at += word;
        at += strspn(at, " ");
    }
    return false;
}

const struct sw_format *sw_format_detect(const struct sw_input *input, struct sw_error *error) {
    for (size_t i = 0; i < sw_format_count(); i++) {
        if (sw_format_is(sw_format_get(i), input)) {
            return sw_format_get(i);
        }
    }
    if (sw_text_begin(input) == sw_text_end(input)) {
        sw_text_fail(input, input->bytes, error, "the file is empty");
        return NULL;
    }
    /* By its name, so that the reader can say what it misses. */
    size_t length = sw_gzip_inner(input->name);
    const char *extension = extension_of(input->name, length);
    length -= (size_t)(extension - input->name);
    const char *foreign = sw_foreign_binary(input, extension, length);
    if (foreign) {
        sw_fail(error, SW_ERROR_INPUT, "%s", foreign);
        sw_error_at(error, input->name, 0, 0);
        return NULL;
    }
    if (!sw_foreign_words(input, error)) {
        sw_format_tell_added(error);
        return NULL;
    }
    for (size_t i = 0; i < sw_format_count(); i++) {
        if (sw_format_reads(sw_format_get(i)) && is_extension_listed(sw_format_get(i)->extensions, extension, length)) {
            return sw_format_get(i);
        }
    }
    static const char session[] = "stowage-session ";
    bool is_session = input->length >= sizeof session && memcmp(input->bytes, session, sizeof session - 1) == 0;
    if (is_session || sw_foreign_text(input, error)) {
        sw_fail(error, SW_ERROR_INPUT,
                is_session ? "this is a session of the explorer, which opens it: stowage FILE"
                           : "the file is in none of the formats that can be read (see: stowage list formats)");
        sw_error_at(error, input->name, 0, 0);
    }
    sw_format_tell_added(error);
    return NULL;
}

/* "\".csv\" or \".json\"" for a message: the usual extension of every format that can write. */
static void list_extensions(bool plan, char *text, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        bool writes = plan ? formats[i]->write_plan != NULL : formats[i]->write_problem != NULL;
        size_t word = strcspn(formats[i]->extensions, " ");
        if (writes && used + word + 5 < size) {
            memcpy(text + used, used ? " or " : "", used ? 4 : 0);
            used += used ? 4 : 0;
            memcpy(text + used, formats[i]->extensions, word);
            used += word;
        }
    }
    text[used] = '\0';
}

const struct sw_format *sw_format_ordered(const char *path) {
    const char *extension = extension_of(path, strlen(path));
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i]->write_order && is_extension_listed(formats[i]->extensions, extension, strlen(extension))) {
            return formats[i];
        }
    }
    return NULL;
}

/* ".requests.csv": the end of a name that says more than its last extension. */
static const char *long_extension_of(const char *path, const char *extension) {
    const char *longer = extension_of(path, (size_t)(extension - path));
    return longer < extension ? longer : extension;
}

static const struct sw_format *find_writing_format(const char *extension, bool plan) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        bool writes = plan ? formats[i]->write_plan != NULL : formats[i]->write_problem != NULL;
        if (writes && is_extension_listed(formats[i]->extensions, extension, strlen(extension))) {
            return formats[i];
        }
    }
    return NULL;
}

const struct sw_format *sw_format_for_output(const char *path, bool plan, struct sw_error *error) {
    const char *extension = extension_of(path, strlen(path));
    const struct sw_format *found = find_writing_format(long_extension_of(path, extension), plan);
    found = found ? found : find_writing_format(extension, plan);
    if (found) {
        return found;
    }
    char known[1024];
    list_extensions(plan, known, sizeof known);
    const char *what = plan ? "a plan" : "a graph";
    if (*extension) {
        sw_fail(error, SW_ERROR_USAGE, "%s cannot be written as %s; the name must end in %s", what, extension, known);
    } else {
        sw_fail(error, SW_ERROR_USAGE, "how to write %s follows from the name, which must end in %s", what, known);
    }
    sw_error_at(error, path, 0, 0);
    return NULL;
}

bool sw_plan_is_changed(const struct sw_result *result) {
    const struct sw_search *search = result->search;
    struct sw_fit_look look;
    bool other =
        search && sw_search_planner(search)->rewrites && sw_layout_problem(result->layout) != sw_search_given(search);
    return other && !(sw_fit_look(search, &look) && look.now && look.now->moves.items.count == 0);
}

bool sw_format_write_plan(const struct sw_format *format, const struct sw_result *result, struct sw_sink *sink,
                          struct sw_error *error) {
    if (sw_plan_is_changed(result) && !format->holds_model) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED,
                       "the plan is of a model that %s has changed: it is written with that model, as .tflite or .cc",
                       sw_search_planner(result->search)->name);
    }
    return format->write_plan(result, sink, error);
}
