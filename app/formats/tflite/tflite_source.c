/* A planned TensorFlow Lite model as C++ source, for firmware: the model itself with the plan in it, or the plan alone
 * as the BufferPlan that TensorFlow Lite Micro's NonPersistentMemoryPlannerShim takes. */
#include "formats/tflite/kernels/kernels.h"
#include "base/base.h"
#include "formats/tflite/tflite_model.h"
#include "planners/planner.h"

enum { PER_LINE = 12, SOURCE_NAME = 64 };

/* The input's name without its ending, as a part of identifiers. */
static void source_name(const char *source, char name[SOURCE_NAME]) {
    const char *path = sw_path_name(source), *end = strchr(path, '.');
    size_t length = end ? (size_t)(end - path) : strlen(path);
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < SOURCE_NAME; i++) {
        bool letter = (path[i] >= 'a' && path[i] <= 'z') || (path[i] >= 'A' && path[i] <= 'Z');
        bool digit = path[i] >= '0' && path[i] <= '9';
        name[used++] = letter || digit ? path[i] : '_';
    }
    name[used] = '\0';
}

/* The same as an identifier of its own: 9.tflite becomes model_9. */
static void whole_name(const char *source, char name[SOURCE_NAME + 8]) {
    char part[SOURCE_NAME];
    source_name(source, part);
    bool digit = part[0] >= '0' && part[0] <= '9', begins = part[0] != '\0' && part[0] != '_';
    snprintf(name, SOURCE_NAME + 8, "%s%s", digit ? "model_" : begins ? "" : "model", part);
}

static void put_source_head(struct sw_sink *sink, const char *source, uint64_t digest, const char *what) {
    char name[SOURCE_NAME];
    source_name(source, name);
    sw_sink_printf(sink,
                   "/* Made by stowage " STOWAGE_VERSION "; do not edit.\n"
                   " * %s\n"
                   " * model    %s, digest %016" PRIx64,
                   what, name, digest);
}

static void put_run_head(struct sw_sink *sink, const struct sw_result *result, const char *what) {
    put_source_head(sink, result->source, result->digest, what);
    sw_sink_printf(sink, "\n * planner  %s, seed %" PRIu64 ", %" PRIu64 " decisions */\n",
                   sw_search_planner(result->search)->name, sw_search_params(result->search)->seed,
                   sw_search_at(result->search));
}

/* ---- the model as an array ---- */

static void put_array_bytes(struct sw_sink *sink, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        sw_sink_printf(sink, "%s0x%02x,", i % PER_LINE ? " " : "\n    ", (unsigned)(unsigned char)bytes[i]);
    }
}

static void put_model_array(struct sw_sink *sink, const char *source, const char *bytes, size_t length) {
    char name[SOURCE_NAME];
    source_name(source, name);
    sw_sink_printf(sink,
                   "\nextern const unsigned char g_%s[];\nextern const unsigned int g_%s_len;\n"
                   "\nalignas(16) const unsigned char g_%s[] = {",
                   name, name, name);
    put_array_bytes(sink, bytes, length);
    sw_sink_printf(sink, "\n};\nconst unsigned int g_%s_len = %zu;\n", name, length);
}

void sw_tflite_source(struct sw_sink *sink, const char *source, uint64_t digest, const char *bytes, size_t length) {
    put_source_head(sink, source, digest, "A TensorFlow Lite model.");
    sw_sink_printf(sink, " */\n");
    put_model_array(sink, source, bytes, length);
}

static bool write_model(const struct sw_result *result, struct sw_sink *sink, struct sw_error *error) {
    struct sw_sink model = {0};
    if (!sw_tflite_write_plan(result, &model, error)) {
        sw_sink_done(&model);
        return false;
    }
    put_run_head(sink, result, "A TensorFlow Lite model with its offline memory plan (" TFLITE_PLAN ").");
    put_model_array(sink, result->source, model.text.items, model.text.count);
    sw_sink_done(&model);
    return !sink->failed || sw_fail_memory(error);
}

const struct sw_format sw_format_tflite_source = {
    .name = "tflite-source",
    .summary = "the planned TensorFlow Lite model as an array in C++ source, to be linked into firmware",
    .extensions = ".cc .cpp",
    .write_plan = write_model,
    .holds_model = true,
    .obeyed = true,
    .say_plan = sw_tflite_say_plan,
};

/* ---- a model in strips of rows ---- */

/* The method of MicroMutableOpResolver that adds the operator: AddConv2D for conv_2d. */
static void add_method(struct sw_sink *sink, const char *kind) {
    static const char *const words[][2] = {
        {"2d", "2D"}, {"cumsum", "CumSum"}, {"matmul", "MatMul"}, {"lstm", "LSTM"}, {"padv2", "PadV2"}};
    sw_sink_printf(sink, "Add");
    for (size_t length; *kind; kind += length + (kind[length] == '_')) {
        length = strcspn(kind, "_");
        const char *word = NULL;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            word = strlen(words[i][0]) == length && memcmp(words[i][0], kind, length) == 0 ? words[i][1] : word;
        }
        if (word) {
            sw_sink_printf(sink, "%s", word);
        } else {
            bool small = *kind >= 'a' && *kind <= 'z';
            sw_sink_printf(sink, "%c%.*s", small ? *kind - 'a' + 'A' : *kind, (int)length - 1, kind + 1);
        }
    }
}

static bool runs(const struct tflite_model *model, uint32_t code) {
    for (size_t i = 0; i < model->operators.count; i++) {
        if (model->operators.items[i].code == code) {
            return true;
        }
    }
    return false;
}

/* Write `before`, the method and `after` for each operator of TensorFlow Lite that the model runs, once; how many there
 * are. Operators that go by a name are the application's own: the resolver has no methods for them. */
static uint32_t put_resolver_calls(struct sw_sink *sink, const struct tflite_model *model, const char *before,
                                   const char *after) {
    enum { MOST_CODES = 512 };
    uint32_t count = 0;
    for (uint32_t code = 0; code < MOST_CODES; code++) {
        const char *kind = code == TFLITE_OP_custom ? NULL : tflite_code_name(code);
        if (kind && runs(model, code)) {
            sw_sink_printf(sink, "%s", before);
            add_method(sink, kind);
            sw_sink_printf(sink, "%s", after);
            count++;
        }
    }
    return count;
}

static void add_header(struct sw_sink *sink, const struct tflite_fitted *fitted, const struct tflite_model *model,
                       const char *name) {
    struct sw_sink calls = {0};
    uint32_t count = put_resolver_calls(&calls, model, "\n        && static_cast<int>(resolver.", "()) == 0");
    sw_sink_printf(
        sink,
        "#ifndef STOWAGE_%s_FITTED_HPP\n#define STOWAGE_%s_FITTED_HPP\n\n"
        "constexpr unsigned int g_%s_head = %" PRIu64 ";\nconstexpr unsigned int g_%s_arena = %" PRIu64 ";\n\n"
        "/* Adds what the model needs to a tflite::MicroMutableOpResolver<g_%s_operators> or a larger one%s. */\n"
        "constexpr unsigned int g_%s_operators = %" PRIu32 ";\n"
        "template <class Resolver> bool add_operators_of_%s(Resolver &resolver) {\n    return true",
        name, name, name, fitted->head, name, fitted->arena, name,
        runs(model, TFLITE_OP_custom)
            ? ":\n * the application's own operators need room, too, and are added with AddCustom"
            : "",
        name, count, name);
    sw_sink_add(sink, calls.text.items, calls.text.count);
    sw_sink_printf(sink, ";\n}\n\nalignas(16) constexpr unsigned char g_%s[] = {", name);
    put_array_bytes(sink, fitted->bytes, fitted->length);
    sw_sink_printf(sink, "\n};\nconstexpr unsigned int g_%s_len = %zu;\n\n#endif\n", name, fitted->length);
    sink->failed = sink->failed || calls.failed;
    sw_sink_done(&calls);
}

bool sw_tflite_fit_source(struct sw_sink *sink, const struct tflite_fitted *fitted, struct sw_error *error) {
    struct sw_input input = {.name = "the changed model", .bytes = fitted->bytes, .length = fitted->length};
    struct tflite_model model = {0};
    char name[SOURCE_NAME];
    source_name(fitted->source, name);
    if (!tflite_model_read(&model, &input, false, error)) {
        tflite_model_done(&model);
        return false;
    }
    sw_sink_printf(sink,
                   "/* Made by stowage " STOWAGE_VERSION "; do not edit.\n"
                   " * A TensorFlow Lite model in strips of rows, with its offline memory plan (" TFLITE_PLAN ").\n"
                   " * model      %s, digest %016" PRIx64 "\n"
                   " * head       %" PRIu64 " bytes\n"
                   " * arena      %" PRIu64 " bytes, as the program that wrote this counts the tail\n"
                   " * resolver  ",
                   name, fitted->digest, fitted->head, fitted->arena);
    put_resolver_calls(sink, &model, " ", "");
    sw_sink_printf(sink, "%s */\n", runs(&model, TFLITE_OP_custom) ? ", and the application's own operators" : "");
    if (fitted->header) {
        add_header(sink, fitted, &model, name);
    } else {
        put_model_array(sink, fitted->source, fitted->bytes, fitted->length);
    }
    tflite_model_done(&model);
    return !sink->failed || sw_fail_memory(error);
}

/* ---- the plan alone ---- */

struct entries {
    struct sw_sink *sink;
    uint64_t tensors, workspaces, head;
};

static void put_plan_entry(void *context, const char *name, uint64_t offset, uint64_t size, bool workspace) {
    struct entries *entries = context;
    uint64_t end = offset + sw_align_up(size, TFLITE_ALIGNMENT);
    sw_sink_printf(entries->sink, "    {%" PRIu64 "}, /* %" PRIu64 ": ", offset,
                   entries->tensors + entries->workspaces);
    for (const char *at = name; *at; at++) { /* text for people, in a comment */
        bool plain = *at > ' ' && *at < 127 && *at != '*' && *at != '\\' && *at != '?';
        sw_sink_add(entries->sink, plain ? at : "_", 1);
    }
    sw_sink_printf(entries->sink, ", %" PRIu64 " B%s */\n", size, workspace ? ", a workspace" : "");
    entries->head = end > entries->head ? end : entries->head;
    entries->tensors += !workspace;
    entries->workspaces += workspace;
}

/* Which workspaces the plan has: those of the firmware's kernels must be the same. */
static const char *which_workspaces(const struct sw_result *result, char text[SOURCE_NAME]) {
    const struct sw_load_options *load = result->load;
    if (load && load->join) {
        return "that a run of it printed";
    }
    if (load && load->kernels == SW_KERNELS_NONE) {
        return "of kernels (left out: --kernels or --join LOG bring them)";
    }
    snprintf(text, SOURCE_NAME, "that %s ask for", tflite_kernels_name(load ? load->kernels : SW_KERNELS_USUAL));
    return text;
}

static bool write_buffers(const struct sw_result *result, struct sw_sink *sink, struct sw_error *error) {
    struct sw_sink list = {0};
    struct entries entries = {.sink = &list};
    char name[SOURCE_NAME + 8], workspaces[SOURCE_NAME];
    if (!tflite_plan_tell(result, put_plan_entry, &entries, error)) {
        sw_sink_done(&list);
        return false;
    }
    whole_name(result->source, name);
    uint64_t count = entries.tensors + entries.workspaces;
    put_run_head(sink, result, "The plan of a TensorFlow Lite model for tflite::NonPersistentMemoryPlannerShim.");
    sw_sink_printf(sink,
                   "#ifndef STOWAGE_%s_PLAN_HPP\n#define STOWAGE_%s_PLAN_HPP\n\n#include <cstdint>\n\n"
                   "#include \"tensorflow/lite/micro/memory_planner/memory_plan_struct.h\"\n\n"
                   "/* Offsets in the order in which the interpreter asks for buffers: %" PRIu64
                   " tensors, then %" PRIu64 " workspaces\n * %s. The model must hold no plan of its own. */\n"
                   "constexpr std::int32_t %s_head_bytes = %" PRIu64 ";\n"
                   "struct %s_plan_entries {\n    std::int32_t buffer_count;\n    tflite::BufferDescriptor "
                   "entries[%" PRIu64 "];\n};\n"
                   "alignas(tflite::BufferPlan) constexpr %s_plan_entries %s_plan_table = {%" PRIu64 ", {\n",
                   name, name, entries.tensors, entries.workspaces, which_workspaces(result, workspaces), name,
                   entries.head, name, count, name, name, count);
    sw_sink_add(sink, list.text.items, list.text.count);
    sw_sink_printf(sink,
                   "}};\nstatic_assert(sizeof(%s_plan_table) == tflite::SizeOfBufferPlan(%" PRIu64
                   "), \"a BufferPlan\");\n"
                   "inline const tflite::BufferPlan *%s_buffer_plan() {\n"
                   "    return reinterpret_cast<const tflite::BufferPlan *>(&%s_plan_table);\n}\n\n#endif\n",
                   name, count, name, name);
    bool good = !(sink->failed || list.failed) || sw_fail_memory(error);
    sw_sink_done(&list);
    return good;
}

const struct sw_format sw_format_tflite_buffers = {
    .name = "tflite-buffer-plan",
    .summary = "the plan of a TensorFlow Lite model as a BufferPlan in a C++ header, for "
               "NonPersistentMemoryPlannerShim",
    .extensions = ".hpp",
    .write_plan = write_buffers,
    .obeyed = true,
};
