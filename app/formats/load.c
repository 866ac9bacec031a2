/* Opening an input: read, apply what the command line says, build. */
#include "formats/graph_json.h"
#include "formats/json.h"

#include <string.h>

/* What a graph is called when the file does not say: the file's name without folder and extension.
 */
static bool name_after(const char *path, struct sw_builder *builder, struct sw_error *error) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    char text[128];
    if (strcmp(path, "-") == 0) {
        return sw_builder_name(builder, "stdin", error);
    }
    length = length < sizeof text - 1 ? length : sizeof text - 1;
    while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80) {
        length--; /* not in the middle of a character */
    }
    memcpy(text, name, length);
    text[length] = '\0';
    struct sw_input fake = {.name = path, .bytes = text, .length = length};
    if (!sw_text_check(&fake, NULL)) {
        return true; /* file names need not be UTF-8; graphs' names must be */
    }
    return sw_builder_name(builder, text, error);
}

/* Replace the tiers by those of a file. */
static bool load_tiers(const char *path, struct sw_builder *builder, struct sw_error *error) {
    struct sw_input input;
    if (!sw_input_open(path, &input, error)) {
        return false;
    }
    sw_builder_clear_tiers(builder);
    bool good = sw_tiers_read(&input, builder, error);
    sw_input_close(&input);
    return good;
}

static bool apply(const struct sw_load_options *options, struct sw_builder *builder,
                  struct sw_error *error) {
    if (options->tiers && !load_tiers(options->tiers, builder, error)) {
        return false;
    }
    if (options->has_capacity) {
        if (options->capacity > SW_MAX_BYTES) {
            return sw_fail(error, SW_ERROR_USAGE, "the capacity is larger than 2^61 bytes");
        }
        sw_builder_capacity(builder, options->capacity);
    }
    if (options->pins) {
        sw_builder_offsets(builder, SW_OFFSETS_PINS);
    }
    sw_builder_inplace(builder, options->inplace_safe);
    return true;
}

static struct sw_problem *build(const struct sw_input *input, const struct sw_load_options *options,
                                struct sw_builder *builder, struct sw_error *error) {
    const struct sw_format *format = sw_format_detect(input, error);
    if (!format || !name_after(input->name, builder, error) ||
        !format->read(input, builder, error)) {
        return NULL;
    }
    if (options && !apply(options, builder, error)) {
        return NULL;
    }
    struct sw_problem *problem = sw_builder_finish(builder, error);
    const char *end = sw_text_end(input), *at = sw_json_skip_space(sw_text_begin(input), end);
    if (!problem && at < end && *at == '{') {
        sw_json_refine(input, error);
    }
    return problem;
}

struct sw_problem *sw_load_input(const struct sw_input *input,
                                 const struct sw_load_options *options, struct sw_error *error) {
    struct sw_error own = {0};
    struct sw_builder *builder = sw_builder_new(&own);
    struct sw_problem *problem = builder ? build(input, options, builder, &own) : NULL;
    if (!problem && error) {
        *error = own;
        sw_error_at(error, *own.file ? NULL : input->name, own.line, own.column);
    }
    sw_builder_free(builder);
    return problem;
}

struct sw_problem *sw_load(const char *path, const struct sw_load_options *options,
                           uint64_t *digest, struct sw_error *error) {
    struct sw_input input;
    if (!sw_input_open(path, &input, error)) {
        return NULL;
    }
    struct sw_problem *problem = sw_load_input(&input, options, error);
    if (problem && digest) {
        *digest = sw_input_digest(&input);
    }
    sw_input_close(&input);
    return problem;
}
