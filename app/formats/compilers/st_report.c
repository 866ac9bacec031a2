/* ST's NAME_generate_report.txt (X-CUBE-AI, ST Edge AI Core): the table C-Arrays has every array of the generated C code
 * with its size and its memory pool, the table C-Layers says in the order of execution which layer reads and writes
 * which. Where the arrays lie is not in it: what it tells of the tool's own plan is one figure. */
#include "formats/compilers/program.h"
#include "base/text.h"
#include "formats/text/scan.h"
#include "formats/tools/placed.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

struct reader {
    struct sw_scan scan;
    struct sw_program program;
    struct sw_index arrays; /* by name; values are numbered as arrays are */
    const char *tiers[SW_MAX_TIERS];
    uint32_t tier_count;
    int64_t array_count, layer_count, plan; /* as the titles say; -1: not seen */
};

static struct sw_text word_of(struct sw_scan *scan) {
    sw_scan_space(scan);
    struct sw_text word = {scan->at, 0};
    while (scan->at < scan->end && *scan->at != ' ' && *scan->at != '\t') {
        scan->at++;
    }
    word.length = (size_t)(scan->at - word.at);
    return word;
}

static bool begins(struct sw_text text, const char *word) {
    return text.length >= strlen(word) && memcmp(text.at, word, strlen(word)) == 0;
}

/* What follows the slash in "activations/POOL_0_DTCMRAM"; stars stand there for the only pool of all. In older reports
 * pools are "activations" and "user". */
static bool find_tier(struct reader *reader, struct sw_text pool, const char **tier) {
    const char *slash = memchr(pool.at, '/', pool.length);
    struct sw_text name = pool;
    if (slash) {
        name.length -= (size_t)(slash + 1 - pool.at);
        name.at = slash + 1;
    }
    if (name.length == 0 || name.at[0] == '*') {
        name = (struct sw_text){"activations", strlen("activations")};
    }
    for (uint32_t i = 0; i < reader->tier_count; i++) {
        if (sw_text_is(name, reader->tiers[i])) {
            *tier = reader->tiers[i];
            return true;
        }
    }
    if (reader->tier_count == SW_MAX_TIERS) {
        return sw_scan_fail(&reader->scan, reader->program.error, "more than %d memory pools",
                            SW_MAX_TIERS);
    }
    *tier = sw_arena_string(&reader->program.arena, name.at, name.length);
    reader->tiers[reader->tier_count++] = *tier;
    return *tier != NULL || sw_fail_memory(reader->program.error);
}

static enum sw_dtype dtype_of(struct sw_text word) {
    static const struct {
        const char *word;
        enum sw_dtype dtype;
    } types[] = {
        {"float", SW_DTYPE_FLOAT32}, {"int8_t", SW_DTYPE_INT8},     {"s8", SW_DTYPE_INT8},
        {"uint8_t", SW_DTYPE_UINT8}, {"u8", SW_DTYPE_UINT8},        {"int16_t", SW_DTYPE_INT16},
        {"s16", SW_DTYPE_INT16},     {"uint16_t", SW_DTYPE_UINT16}, {"u16", SW_DTYPE_UINT16},
        {"int32_t", SW_DTYPE_INT32}, {"s32", SW_DTYPE_INT32},       {"uint32_t", SW_DTYPE_UINT32},
        {"u32", SW_DTYPE_UINT32},    {"bool", SW_DTYPE_BOOL}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (sw_text_is(word, types[i].word)) {
            return types[i].dtype;
        }
    }
    return SW_DTYPE_NONE;
}

/* "9   conv1d_1_output   18944/75776   activations/POOL   s8   fmt   /output" */
static bool read_array(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    int64_t number = 0, items = 0, size = 0;
    struct sw_value value = {
        .kind = SW_KIND_INTERMEDIATE, .same = SW_NONE, .line = scan->line, .column = 1};
    if (!sw_scan_number(scan, &number) || number != (int64_t)reader->program.values.count) {
        return sw_scan_fail(scan, reader->program.error, "this is no row of the table C-Arrays");
    }
    value.name = word_of(scan);
    sw_scan_space(scan);
    if (value.name.length == 0 || !sw_scan_number(scan, &items) || !sw_scan_word(scan, "/") ||
        !sw_scan_number(scan, &size) || size < 0 || (uint64_t)size >= SW_MAX_BYTES) {
        return sw_scan_fail(scan, reader->program.error,
                            "items and size of the array are not two numbers up to 2^61");
    }
    value.size = (uint64_t)size;
    struct sw_text pool = word_of(scan), type = word_of(scan);
    if (begins(pool, "weights") || sw_text_is(type, "const")) {
        value.kind = SW_KIND_CONSTANT;
    } else if (!find_tier(reader, pool, &value.tier)) {
        return false;
    }
    value.dtype = dtype_of(type);
    value.output = sw_scan_find(scan->at, scan->end, "/output") != scan->end;
    if (sw_scan_find(scan->at, scan->end, "/input") != scan->end) {
        value.kind = SW_KIND_INPUT;
    }
    uint32_t ignored;
    return sw_program_value(&reader->program, &value, &ignored) &&
           (sw_index_put(&reader->arrays, value.name, (uint32_t)number) ||
            sw_fail_memory(reader->program.error));
}

/* "O: conv1d_output   f32(1x297x64) (14)": the array is told by its name, else by its number. */
static bool read_tensor(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    char role = *scan->at;
    const char *from = scan->at;
    scan->at += 2;
    struct sw_text name = word_of(scan);
    uint32_t array = sw_index_get(&reader->arrays, name);
    const char *open = memrchr(scan->at, '(', (size_t)(scan->end - scan->at));
    if (array == SW_NONE && open) {
        int64_t number = -1;
        scan->at = open + 1;
        sw_scan_number(scan, &number);
        array = number >= 0 && number < (int64_t)reader->program.values.count ? (uint32_t)number
                                                                              : SW_NONE;
    }
    scan->at = from;
    if (array == SW_NONE) {
        return sw_scan_fail(scan, reader->program.error, "%s is none of the C-Arrays",
                            sw_quote(name.at, name.length).text);
    }
    struct sw_value *value = &reader->program.values.items[array];
    if (role == 'S' && value->kind == SW_KIND_INTERMEDIATE) {
        value->kind = SW_KIND_SCRATCH;
    }
    return sw_program_argument(&reader->program, array,
                               role == 'O'   ? SW_ROLE_WRITE
                               : role == 'S' ? SW_ROLE_SCRATCH
                                             : SW_ROLE_READ);
}

static bool is_elementwise(struct sw_text type) {
    static const char *const types[] = {"nl", "nonlinearity", "eltwise", "scalebias", "bn"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i]) == type.length && strncasecmp(types[i], type.at, type.length) == 0) {
            return true;
        }
    }
    return false;
}

/* "2   conv1d_1   7   Conv2D   7375104   98816   I: ...", or another tensor of the layer above. */
static bool read_layer(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    int64_t number = 0;
    if (sw_scan_number(scan, &number)) {
        struct sw_node node = {.name = word_of(scan), .line = scan->line, .column = 1};
        word_of(scan);
        node.kind = word_of(scan);
        node.inplace = is_elementwise(node.kind);
        if (number != (int64_t)reader->program.nodes.count || node.kind.length == 0) {
            return sw_scan_fail(scan, reader->program.error,
                                "this is no row of the table C-Layers");
        }
        if (!sw_program_node(&reader->program, &node)) {
            return false;
        }
    } else if (reader->program.nodes.count == 0) {
        return true; /* the head of the table */
    }
    for (; scan->at + 2 < scan->end; scan->at++) {
        if (scan->at[1] == ':' && scan->at[2] == ' ' && scan->at[-1] == ' ' &&
            strchr("ISWO", *scan->at)) {
            return read_tensor(reader);
        }
    }
    return true;
}

/* ---- the tables ---- */

enum section { SECTION_NONE, SECTION_ARRAYS, SECTION_LAYERS };

/* "C-Arrays (32)" */
static bool title(struct sw_scan *scan, const char *word, int64_t *count) {
    return sw_scan_word(scan, word) && sw_scan_number(scan, count) && sw_scan_word(scan, ")");
}

static bool read_row(struct reader *reader, enum section *section) {
    struct sw_scan *scan = &reader->scan;
    bool digit = scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9';
    if (scan->at == scan->end) { /* a table ends in a blank line */
        bool begun = *section == SECTION_ARRAYS ? reader->program.values.count > 0
                                                : reader->program.nodes.count > 0;
        *section = begun ? SECTION_NONE : *section;
        return true;
    }
    if (*scan->at == '-' || (*section == SECTION_ARRAYS && !digit)) {
        return true;
    }
    return *section == SECTION_ARRAYS ? read_array(reader) : read_layer(reader);
}

static bool read_lines(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    enum section section = SECTION_NONE;
    while (sw_scan_line(scan)) {
        if (reader->array_count < 0 && title(scan, "C-Arrays (", &reader->array_count)) {
            section = SECTION_ARRAYS;
        } else if (reader->layer_count < 0 && title(scan, "C-Layers (", &reader->layer_count)) {
            section = SECTION_LAYERS;
        } else if (reader->plan < 0 && sw_scan_word(scan, "activations size")) {
            sw_scan_space(scan);
            if (sw_scan_word(scan, ":")) {
                sw_scan_space(scan);
                sw_scan_number(scan, &reader->plan);
            }
        } else if (section != SECTION_NONE && !read_row(reader, &section)) {
            return false;
        }
    }
    return true;
}

static bool check_counts(struct reader *reader) {
    struct sw_program *program = &reader->program;
    if (reader->array_count < 0 && reader->layer_count < 0) {
        return sw_scan_fail(
            &reader->scan, program->error,
            "this report has no tables C-Arrays and C-Layers (of networks on an NPU "
            "it has none); open NAME_c_info.json, which is written beside it");
    }
    if ((int64_t)program->values.count != reader->array_count) {
        return sw_scan_fail(&reader->scan, program->error,
                            "the table C-Arrays has %zu rows, not %" PRId64
                            ": the report is cut off",
                            program->values.count, reader->array_count);
    }
    if ((int64_t)program->nodes.count != reader->layer_count) {
        return sw_scan_fail(&reader->scan, program->error,
                            "the table C-Layers has %zu layers, not %" PRId64
                            ": the report is cut off",
                            program->nodes.count, reader->layer_count);
    }
    return true;
}

static bool add_tiers(struct reader *reader) {
    for (uint32_t i = 0; reader->tier_count > 1 && i < reader->tier_count; i++) {
        struct sw_tier tier = {.name = reader->tiers[i], .capacity = SW_UNBOUNDED};
        if (!sw_builder_tier(reader->program.builder, &tier, reader->program.error)) {
            return false;
        }
    }
    for (size_t i = 0; reader->tier_count < 2 && i < reader->program.values.count; i++) {
        reader->program.values.items[i].tier = NULL;
    }
    return true;
}

static bool add_notes(struct reader *reader) {
    struct sw_builder *builder = reader->program.builder;
    struct sw_error *error = reader->program.error;
    return sw_builder_note(
               builder,
               "step i is layer i of the generated code; an array lives from the layer that "
               "writes it to the last that reads it, both inclusive",
               error) &&
           sw_program_note(&reader->program) &&
           sw_builder_note(
               builder,
               "where ST's tool puts the arrays is not in this report; NAME_c_info.json "
               "beside it has that",
               error) &&
           (reader->plan < 0 ||
            sw_notef(builder, error,
                     "the activations take %s bytes in ST's own plan, which may write "
                     "results over arguments (see --inplace safe)",
                     SW_COUNT((uint64_t)reader->plan)));
}

static bool report_read(const struct sw_input *input, const struct sw_load_options *options,
                        struct sw_builder *builder, struct sw_error *error) {
    (void)options;
    struct sw_error own = {0};
    struct reader reader = {.program = {.input = input, .builder = builder, .error = &own},
                            .array_count = -1,
                            .layer_count = -1,
                            .plan = -1};
    if (!sw_text_check(input, error)) {
        return false;
    }
    sw_scan_open(&reader.scan, input);
    bool good = read_lines(&reader) && check_counts(&reader) && add_tiers(&reader) &&
                sw_program_build(&reader.program) && add_notes(&reader);
    sw_program_done(&reader.program);
    sw_index_done(&reader.arrays);
    if (!good && error) {
        *error = own;
    }
    return good;
}

static bool report_detect(const struct sw_input *input) {
    static const char *const words[] = {"ST Edge AI Core v", "Neural Network Tools for STM32"};
    struct sw_text text = {sw_text_begin(input), 0};
    text.length = (size_t)(sw_text_end(input) - text.at);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (begins(text, words[i])) {
            return true;
        }
    }
    return false;
}

const struct sw_format sw_format_st_report = {
    .name = "st-report",
    .summary = "ST's NAME_generate_report.txt: step i is layer i; lives from the layer that writes "
               "an array to the "
               "last that reads it, both inside",
    .extensions = ".txt",
    .detect = report_detect,
    .read = report_read,
};
