/* TensorFlow Lite models: tensors and operators, and the plan that the file or a log holds. */
#include "formats/tflite/tflite_model.h"
#include "base/base.h"

#include "formats/tflite/kernels/kernels.h"
#include "formats/tflite/tflite_arena.h"
#include "formats/tflite/tflite_greedy.h"
#include "formats/tflite/tflite_lives.h"
#include "formats/tflite/tflite_notes.h"
#include "formats/tools/tflm_log.h"

enum { MOST_ARENAS = 8, MOST_NAMED = 4 };

struct step_names {
    const char **items;
    size_t count, capacity;
};
struct tflite_builder {
    const struct sw_input *input;
    struct tflite_model *model;
    struct sw_builder *builder;
    struct sw_error *error;
    const char **names;              /* by tensor */
    const struct sw_tflm_row **rows; /* by tensor: what the joined log says of it */
    uint32_t *scratch_count;
    struct step_names inputs, outputs, workspaces, pairs, after;
    const char **makers; /* of the first subgraph's tensors that are not planned: the step that wrote it last; NULL */
    const char *front, *state; /* the last step before the first operator, and the last with a state of its own; NULL */
    const struct tflite_tensor *arenas[MOST_ARENAS]; /* of an Ethos-U */
    uint32_t arena_count;
    uint64_t over; /* results that lie over arguments in the plan of the file */
    struct tflite_places
        places; /* of what lies in its place within another tensor; `parts` NULL: nothing is placed yet */
    SW_ARRAY(struct sw_piece_spec) pieces; /* of the buffer at hand */
    size_t next_rectangle;
    struct tflite_told told;
    SW_ARRAY(const char *) unknown; /* steps with kernels that no rule tells, the first of them */
};

/* ---- a log of what the interpreter did ---- */

/* Lifetimes as TensorFlow Lite Micro counts them. */
static void use_list(const struct tflite_model *model, uint32_t subgraph, struct tflite_list list, bool write,
                     int64_t scope, struct tflite_life *lives) {
    for (uint32_t i = 0; i < list.count; i++) {
        const struct tflite_tensor *tensor = tflite_tensor_at(model, subgraph, tflite_item(model, list, i));
        if (tensor) {
            struct tflite_life *life = &lives[tensor - model->tensors.items];
            life->first = write && life->first < 0 ? scope : life->first;
            life->last = scope;
        }
    }
}

/* Of the model's only subgraph. */
static void count_lives(const struct tflite_model *model, struct tflite_life *lives) {
    const struct tflite_subgraph *graph = &model->subgraphs.items[0];
    for (size_t i = 0; i < model->tensors.count; i++) {
        lives[i] = (struct tflite_life){-1, -1};
    }
    use_list(model, 0, graph->inputs, true, 0, lives);
    for (uint32_t i = 0; i < graph->operator_count; i++) {
        const struct tflite_operator *op = &model->operators.items[graph->first_operator + i];
        use_list(model, 0, op->outputs, true, i + 1, lives);
        use_list(model, 0, op->inputs, false, i + 1, lives);
    }
    use_list(model, 0, graph->outputs, false, graph->operator_count, lives);
}

__attribute__((format(printf, 4, 5))) static bool differs(const struct sw_input *log, const struct sw_tflm_row *row,
                                                          struct sw_error *error, const char *format, ...) {
    char text[SW_MESSAGE - 64];
    SW_FORMAT_INTO(text, format);
    sw_fail(error, SW_ERROR_INPUT, "the log is not that of this model: %s", text);
    sw_error_at(error, log->name, row ? row->line : 0, row ? 1 : 0);
    return false;
}

/* The interpreter names its tensors to the planner in their order, then the workspaces of kernels.
 */
static bool match_row(struct tflite_builder *writer, const struct sw_input *input, size_t i,
                      const struct tflite_life *life, const struct sw_tflm_row *row) {
    const struct tflite_tensor *tensor = &writer->model->tensors.items[i];
    uint64_t size = sw_align_up(tensor->size, TFLITE_ALIGNMENT);
    if ((uint64_t)row->size != size) {
        return differs(input, row, writer->error,
                       "buffer %" PRId64 " has %" PRId64 " bytes, tensor %" PRIu32 " needs %" PRIu64, row->id,
                       row->size, tensor->number, size);
    }
    if (life && (life->first != row->first || life->last != row->last)) {
        return differs(input, row, writer->error,
                       "buffer %" PRId64 " is used from %" PRId64 " to %" PRId64 ", tensor %" PRIu32 " from %" PRId64
                       " to %" PRId64,
                       row->id, row->first, row->last, tensor->number, life->first, life->last);
    }
    writer->rows[i] = row;
    return true;
}

static bool match_tensors(struct tflite_builder *writer, const struct sw_input *input, const struct sw_tflm_log *log,
                          size_t *used) {
    struct tflite_model *model = writer->model;
    bool simple = model->subgraphs.count == 1;
    struct tflite_life *lives = sw_arena_new(&model->arena, model->tensors.count + 1, sizeof *lives);
    if (!lives) {
        return sw_fail_memory(writer->error);
    }
    count_lives(model, lives);
    for (size_t i = 0; i < model->tensors.count; i++) {
        const struct tflite_tensor *tensor = &model->tensors.items[i];
        if (tensor->state != TFLITE_PLANNED) {
            continue;
        }
        if (*used == log->rows.count) {
            return differs(input, NULL, writer->error,
                           "it has only %zu buffers, and tensor %" PRIu32 " is still to come", log->rows.count,
                           tensor->number);
        }
        if (!match_row(writer, input, i, simple ? &lives[i] : NULL, &log->rows.items[(*used)++])) {
            return false;
        }
    }
    return true;
}

/* The step that runs in a scope, and the last that belongs to another; SW_NONE: none. */
static uint32_t step_in_scope(const struct tflite_model *model, int64_t scope, bool last) {
    uint32_t low = 0, high = (uint32_t)model->steps.count;
    while (low < high) { /* the first step behind the scope, or in it */
        uint32_t middle = low + (high - low) / 2;
        if (model->steps.items[middle].scope < scope + last) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low -= last && low > 0;
    return low < model->steps.count && model->steps.items[low].scope == scope ? low : SW_NONE;
}

/* Workspaces are numbered. NULL: no memory. */
static const char *name_workspace(struct tflite_model *model, const char *op, uint32_t number) {
    return sw_unique_printf(&model->arena, "%s.scratch%" PRIu32, op, number);
}

static bool add_workspace(struct tflite_builder *writer, struct sw_buffer_spec spec) {
    struct tflite_model *model = writer->model;
    spec.name = name_workspace(model, model->steps.items[spec.first].name, ++writer->scratch_count[spec.first]);
    if (!spec.name) {
        return sw_fail_memory(writer->error);
    }
    spec.kind = SW_KIND_SCRATCH;
    spec.has_size = true;
    spec.has_first = spec.has_last = spec.last != spec.first;
    writer->told.workspace_count++;
    writer->told.workspace_bytes += spec.size;
    return sw_builder_buffer(writer->builder, &spec, writer->error);
}

static bool add_logged(struct tflite_builder *writer, const struct sw_input *input, const struct sw_tflm_row *row) {
    struct tflite_model *model = writer->model;
    uint32_t first = step_in_scope(model, row->first, false), last = step_in_scope(model, row->last, true);
    if (first == SW_NONE || last == SW_NONE || model->steps.items[first].kind != TFLITE_RUN) {
        return differs(input, row, writer->error,
                       "buffer %" PRId64 " is used from %" PRId64 " to %" PRId64 ", where the model has no operator",
                       row->id, row->first, row->last);
    }
    return add_workspace(writer, (struct sw_buffer_spec){.size = (uint64_t)row->size,
                                                         .first = first,
                                                         .last = last,
                                                         .has_offset = true,
                                                         .offset = (uint64_t)row->offset});
}

/* ---- workspaces by rule ---- */

/* Kernels prepare in the order of the file. One that several calls run keeps its workspaces from the first to the last.
 */
struct asked_kernel {
    uint32_t first, last; /* steps */
    struct tflite_workspaces workspaces;
};

static void find_steps(const struct tflite_model *model, struct asked_kernel *asked) {
    for (size_t i = 0; i < model->operators.count; i++) {
        asked[i].first = SW_NONE;
    }
    for (uint32_t i = 0; i < model->steps.count; i++) {
        const struct tflite_step *step = &model->steps.items[i];
        if (step->kind == TFLITE_RUN) {
            struct asked_kernel *op = &asked[step->operator];
            op->first = op->first == SW_NONE ? i : op->first;
            op->last = i;
        }
    }
}

static bool name_unknown(struct tflite_builder *writer, uint32_t step) {
    const char *name = writer->model->steps.items[step].name;
    writer->told.unknown_count++;
    return writer->told.unknown_count > MOST_NAMED || SW_PUSH(&writer->unknown, name) || sw_fail_memory(writer->error);
}

/* Where the file has a plan for all tensors, workspaces lie where the interpreter finds room for them. */
static bool place_workspaces(struct tflite_builder *writer, const struct asked_kernel *asked, size_t workspaces,
                             uint64_t *offsets) {
    struct tflite_model *model = writer->model;
    struct tflite_life *lives = sw_arena_new(&model->arena, model->tensors.count + 1, sizeof *lives);
    struct tflite_block *blocks = sw_arena_new(&model->arena, model->tensors.count + workspaces + 1, sizeof *blocks);
    size_t count = 0;
    uint64_t end;
    if (!lives || !blocks) {
        return sw_fail_memory(writer->error);
    }
    tflite_count_lives(model, NULL, lives);
    for (size_t i = 0; i < model->tensors.count; i++) {
        const struct tflite_tensor *tensor = &model->tensors.items[i];
        if (tensor->state == TFLITE_PLANNED) {
            blocks[count++] = tflite_block_of(tensor->size, lives[i].first, lives[i].last, tensor->offset);
        }
    }
    for (size_t i = 0; i < model->operators.count; i++) {
        for (unsigned k = 0; k < asked[i].workspaces.count; k++) {
            blocks[count++] = tflite_block_of(asked[i].workspaces.sizes[k], asked[i].first, asked[i].last, -1);
        }
    }
    bool good = tflite_place_blocks(&model->arena, blocks, count, &end);
    for (size_t i = 0; good && i < workspaces; i++) {
        offsets[i] = blocks[count - workspaces + i].offset;
    }
    return good || sw_fail_memory(writer->error);
}

static bool ask_kernels(struct tflite_builder *writer, const struct sw_load_options *options,
                        struct asked_kernel *asked, size_t *count) {
    struct tflite_model *model = writer->model;
    find_steps(model, asked);
    for (size_t i = 0; i < model->operators.count; i++) {
        if (asked[i].first == SW_NONE) {
            continue; /* its workspaces have no time, and no bytes either */
        }
        if (!tflite_kernel_workspaces(model, &model->operators.items[i], options->kernels,
                                      options->target == SW_TARGET_HOST, &asked[i].workspaces) ||
            (!asked[i].workspaces.known && !name_unknown(writer, asked[i].first))) {
            return false;
        }
        *count += asked[i].workspaces.count;
    }
    return true;
}

static bool has_whole_plan(const struct tflite_model *model) {
    for (size_t i = 0; model->plan.at && i < model->tensors.count; i++) {
        if (model->tensors.items[i].state == TFLITE_PLANNED && model->tensors.items[i].offset < 0) {
            return false;
        }
    }
    return model->plan.at != 0;
}

static bool add_asked(struct tflite_builder *writer, const struct sw_load_options *options) {
    struct tflite_model *model = writer->model;
    struct asked_kernel *asked = sw_arena_new(&model->arena, model->operators.count + 1, sizeof *asked);
    size_t count = 0, next = 0;
    bool good = (asked || sw_fail_memory(writer->error)) && ask_kernels(writer, options, asked, &count);
    bool placed = good && count > 0 && has_whole_plan(model);
    uint64_t *offsets = placed ? sw_arena_new(&model->arena, count, sizeof *offsets) : NULL;
    good = good && (!placed || offsets || sw_fail_memory(writer->error)) &&
           (!placed || place_workspaces(writer, asked, count, offsets));
    for (size_t i = 0; good && i < model->operators.count; i++) {
        for (unsigned k = 0; good && k < asked[i].workspaces.count; k++, next++) {
            good = add_workspace(writer, (struct sw_buffer_spec){.size = asked[i].workspaces.sizes[k],
                                                                 .first = asked[i].first,
                                                                 .last = asked[i].last,
                                                                 .has_offset = placed,
                                                                 .offset = placed ? offsets[next] : 0});
        }
    }
    return good;
}

/* ---- the library of a log ---- */

static bool is_wide(const struct sw_load_options *options, const struct sw_tflm_log *log) {
    for (size_t i = 0; log && i < log->sections.count; i++) {
        const struct sw_tflm_section *section = &log->sections.items[i];
        if (strcmp(section->name, tflite_section_name(TFLITE_EVAL_TENSORS)) == 0 && section->count > 0) {
            return section->used / section->count >= 24;
        }
    }
    return options->target == SW_TARGET_HOST;
}

static int compare_sizes(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Do the kernels ask for just these `count` sizes, which are sorted and rounded up as the interpreter does? */
static bool asks_for(struct tflite_model *model, unsigned kernels, bool wide, struct asked_kernel *asked,
                     const uint64_t *sizes, uint64_t *scratch, size_t count) {
    size_t found = 0;
    for (size_t i = 0; i < model->operators.count; i++) {
        struct tflite_workspaces *one = &asked[i].workspaces;
        if (asked[i].first == SW_NONE) {
            continue;
        }
        if (!tflite_kernel_workspaces(model, &model->operators.items[i], kernels, wide, one) || !one->known ||
            found + one->count > count) {
            return false;
        }
        for (unsigned k = 0; k < one->count; k++) {
            scratch[found++] = (one->sizes[k] + TFLITE_ALIGNMENT - 1) / TFLITE_ALIGNMENT * TFLITE_ALIGNMENT;
        }
    }
    qsort(scratch, found, sizeof *scratch, compare_sizes);
    return found == count && memcmp(scratch, sizes, count * sizeof *sizes) == 0;
}

/* Note which library's kernels ran: all libraries that ask for the workspaces of the log, which are its rows from
 * `used` on. */
static bool note_library(struct tflite_builder *writer, bool wide, const struct sw_tflm_log *log, size_t used) {
    struct tflite_model *model = writer->model;
    size_t count = log->rows.count - used, length = 0;
    struct asked_kernel *asked = sw_arena_new(&model->arena, model->operators.count + 1, sizeof *asked);
    uint64_t *sizes = sw_arena_new(&model->arena, 2 * count + 1, sizeof *sizes);
    char names[1024] = "";
    if (!asked || !sizes) {
        return sw_fail_memory(writer->error);
    }
    if (count == 0) {
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t size = (uint64_t)log->rows.items[used + i].size;
        sizes[i] = (size + TFLITE_ALIGNMENT - 1) / TFLITE_ALIGNMENT * TFLITE_ALIGNMENT;
    }
    qsort(sizes, count, sizeof *sizes, compare_sizes);
    find_steps(model, asked);
    const struct tflite_versions *rows;
    size_t row_count = tflite_kernels_versions(&rows);
    unsigned found = 0;
    for (size_t row = 0; row < row_count; row++) {
        const struct tflite_versions *one = &rows[row];
        for (unsigned i = 0; i < one->count; i++) {
            unsigned first = i, kernels = one->first + i * one->step;
            while (i < one->count &&
                   asks_for(model, one->first + i * one->step, wide, asked, sizes, sizes + count, count)) {
                i++;
            }
            if (i > first && ++found <= MOST_NAMED) {
                char name[SW_MESSAGE / 4];
                tflite_kernels_range(kernels, one->first + (i - 1) * one->step, name, sizeof name);
                length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length ? " or " : "", name);
            }
        }
    }
    snprintf(names + length, sizeof names - length, "%s", found > MOST_NAMED ? " or others" : "");
    return length > 0 ? sw_notef(writer->builder, writer->error, "the workspaces in the log are what %s ask for", names)
                      : sw_builder_note(writer->builder,
                                        "none of the libraries of kernels that are known (--kernels) asks for just the "
                                        "workspaces in the log",
                                        writer->error);
}

/* ---- buffers ---- */

/* Tensors that can be the arena of an Ethos-U: no operator writes them, and the file says where they
 * lie. There are one or two; of more only the first are looked at. */
static void find_arenas(struct tflite_builder *writer) {
    const struct tflite_model *model = writer->model;
    for (size_t i = 0; model->ethos && i < model->tensors.count; i++) {
        const struct tflite_tensor *tensor = &model->tensors.items[i];
        if (tensor->state == TFLITE_PLANNED && !tensor->written && tensor->offset >= 0 &&
            writer->arena_count < MOST_ARENAS) {
            writer->arenas[writer->arena_count++] = tensor;
        }
    }
}

/* The arena that a tensor lies in; NULL: it stands for itself. */
static const struct tflite_tensor *arena_of(const struct tflite_builder *writer, const struct tflite_tensor *part) {
    for (uint32_t i = 0; part->offset >= 0 && i < writer->arena_count; i++) {
        const struct tflite_tensor *arena = writer->arenas[i];
        if (arena == part) {
            break; /* itself an arena: it may lie in an earlier one */
        }
        if (arena->subgraph == part->subgraph && arena->offset <= part->offset && part->size <= arena->size &&
            (uint64_t)(part->offset - arena->offset) <= arena->size - part->size) {
            return arena;
        }
    }
    return NULL;
}

/* The tensor that has bytes of its own in which this one lies: itself, most often. */
static size_t root_of(const struct tflite_builder *writer, size_t tensor) {
    return writer->places.parts ? writer->places.parts[tensor].root : tensor;
}

/* Which bytes of a tensor are needed when. None: all of them, all its life. */
static bool collect_pieces(struct tflite_builder *writer, size_t tensor) {
    const struct tflite_places *places = &writer->places;
    writer->pieces.count = 0;
    while (writer->next_rectangle < places->rectangles.count &&
           places->rectangles.items[writer->next_rectangle].root <= tensor) {
        const struct tflite_rectangle *one = &places->rectangles.items[writer->next_rectangle++];
        if (one->root == tensor && !SW_PUSH(&writer->pieces, one->piece)) {
            return sw_fail_memory(writer->error);
        }
    }
    return true;
}

/* All the names that were fused into one tensor, a line each; NULL when it has only one. */
static bool find_fused_names(struct tflite_builder *writer, const struct tflite_tensor *tensor, const char **origin) {
    *origin = NULL;
    if (!tensor->name.length || !memchr(tensor->name.text, ';', tensor->name.length)) {
        return true;
    }
    char *text = (char *)(uintptr_t)sw_unique_text(&writer->model->arena, tensor->name.text, tensor->name.length);
    for (char *at = text; at && (at = strchr(at, ';'));) {
        *at = '\n';
    }
    *origin = text;
    return text || sw_fail_memory(writer->error);
}

static bool add_tensor_buffer(struct tflite_builder *writer, size_t i) {
    struct tflite_model *model = writer->model;
    const struct tflite_tensor *tensor = &model->tensors.items[i];
    const struct sw_tflm_row *row = writer->rows[i];
    uint64_t shape[8];
    struct sw_buffer_spec spec = {.name = writer->names[i],
                                  .kind = tensor->input    ? SW_KIND_INPUT
                                          : tensor->output ? SW_KIND_OUTPUT
                                                           : SW_KIND_INTERMEDIATE,
                                  .output = tensor->output,
                                  .dtype = tflite_dtype(tensor->type),
                                  .has_size = true,
                                  .size = row ? (uint64_t)row->size : tensor->size,
                                  .has_offset = row || tensor->offset >= 0,
                                  .offset = (uint64_t)(row ? row->offset : tensor->offset)};
    for (uint32_t k = 0; k < tensor->shape.count && tensor->shape.count <= 8; k++) {
        shape[spec.shape_count++] = (uint64_t)tflite_item(model, tensor->shape, k);
    }
    spec.shape = shape;
    if (!find_fused_names(writer, tensor, &spec.origin) || !collect_pieces(writer, i)) {
        return false;
    }
    if (writer->pieces.count > 0) {
        spec.pieces = writer->pieces.items;
        spec.piece_count = writer->pieces.count;
    } else if (tensor->idle) { /* in the first step, which is there for such */
        spec.has_first = spec.has_last = true;
    } else if (tensor->input && model->steps.items[0].kind != TFLITE_RUN) {
        spec.has_first = true;
        spec.first = model->entry;
        spec.has_last = !tensor->read && !tensor->output;
        spec.last = model->entry;
    } else if (tensor->kept) {
        spec.has_first = spec.has_last = true;
        spec.last = (int64_t)model->steps.count - 1;
    } else if (!tensor->written) { /* it is filled before the run */
        spec.kind = model->ethos && !tensor->output ? SW_KIND_SCRATCH : spec.kind;
        spec.has_first = true;
    }
    return sw_builder_buffer(writer->builder, &spec, writer->error);
}

/* What the offsets, of the file or of the log, put in its place within another tensor. */
static bool find_shared_places(struct tflite_builder *writer, bool joined) {
    struct tflite_model *model = writer->model;
    int64_t *offsets = sw_arena_new(&model->arena, model->tensors.count + 1, sizeof *offsets);
    if (!offsets) {
        return sw_fail_memory(writer->error);
    }
    for (size_t i = 0; i < model->tensors.count; i++) {
        offsets[i] = !joined ? model->tensors.items[i].offset : writer->rows[i] ? writer->rows[i]->offset : -1;
    }
    return model->ethos || (!joined && model->plan.at == 0) || tflite_find_places(model, offsets, &writer->places);
}

static bool add_tensor_buffers(struct tflite_builder *writer) {
    struct tflite_model *model = writer->model;
    find_arenas(writer);
    for (size_t i = 0; i < model->tensors.count; i++) {
        const struct tflite_tensor *tensor = &model->tensors.items[i];
        if (tensor->state == TFLITE_PLANNED && !arena_of(writer, tensor) && root_of(writer, i) == i &&
            !add_tensor_buffer(writer, i)) {
            return false;
        }
    }
    for (size_t i = 0; i < model->tensors.count; i++) {
        size_t root = root_of(writer, i);
        uint64_t at = root != i ? writer->places.parts[i].at : 0;
        if (root != i && !sw_builder_overlay(writer->builder, writer->names[root], writer->names[i], at,
                                             at + model->tensors.items[i].size, writer->error)) {
            return false;
        }
    }
    for (size_t i = 0; model->ethos && i < model->tensors.count; i++) {
        const struct tflite_tensor *part = &model->tensors.items[i];
        const struct tflite_tensor *arena = part->state == TFLITE_PLANNED ? arena_of(writer, part) : NULL;
        uint64_t at = arena ? (uint64_t)(part->offset - arena->offset) : 0;
        if (arena && !sw_builder_overlay(writer->builder, writer->names[arena - model->tensors.items], writer->names[i],
                                         at, at + part->size, writer->error)) {
            return false;
        }
        writer->told.parts += arena != NULL;
    }
    return true;
}

/* ---- operators ---- */

/* The names of the planned tensors of a list, each once. */
static bool collect_list(struct tflite_builder *writer, uint32_t subgraph, struct tflite_list list, bool write) {
    struct tflite_model *model = writer->model;
    struct step_names *names = write ? &writer->outputs : &writer->inputs;
    for (uint32_t i = 0; i < list.count; i++) {
        const struct tflite_tensor *tensor = tflite_tensor_at(model, subgraph, tflite_item(model, list, i));
        const char *name = tensor ? writer->names[tensor - model->tensors.items] : NULL;
        if (name && !sw_unique_in(names->items, names->count, name) && !SW_PUSH(names, name)) {
            return sw_fail_memory(writer->error);
        }
    }
    return true;
}

/* Arguments over which the result may be written: as many elements, each as wide. The plan in the file may have it so.
 */
static bool pair_arguments(struct tflite_builder *writer, const struct tflite_operator *op) {
    struct tflite_model *model = writer->model;
    const struct tflite_tensor *out =
        op->outputs.count == 1 ? tflite_listed(model, op->subgraph, op->outputs, 0) : NULL;
    for (uint32_t i = 0; out && out->state == TFLITE_PLANNED && i < op->inputs.count; i++) {
        const struct tflite_tensor *in = tflite_tensor_at(model, op->subgraph, tflite_item(model, op->inputs, i));
        if (!in || in == out || in->state != TFLITE_PLANNED || in->elements != out->elements || in->bits != out->bits) {
            continue;
        }
        writer->over += model->plan.at && out->size > 0 && out->offset >= 0 && out->offset == in->offset;
        if (!SW_PUSH(&writer->pairs, writer->names[in - model->tensors.items]) ||
            !SW_PUSH(&writer->pairs, writer->names[out - model->tensors.items])) {
            return sw_fail_memory(writer->error);
        }
    }
    return true;
}

/* What a step reads and writes: an operator its arguments; the begin of a subgraph fills its
 * inputs, its end takes its outputs, and there the operator that called it still needs all of its
 * own. */
static bool collect_step(struct tflite_builder *writer, const struct tflite_step *step) {
    const struct tflite_model *model = writer->model;
    const struct tflite_subgraph *graph = &model->subgraphs.items[step->subgraph];
    if (step->operator== SW_NONE) {
        return true;
    }
    const struct tflite_operator *op = &model->operators.items[step->operator];
    if (step->kind == TFLITE_BEGIN) {
        return collect_list(writer, step->subgraph, graph->inputs, true);
    }
    if (step->kind == TFLITE_END) {
        return collect_list(writer, step->subgraph, graph->outputs, false) &&
               (!step->last || (collect_list(writer, op->subgraph, op->inputs, false) &&
                                collect_list(writer, op->subgraph, op->outputs, false)));
    }
    if (writer->places.still && writer->places.still[step->operator]) { /* bytes that stay where they are, it only reads */
        return collect_list(writer, op->subgraph, op->inputs, false);
    }
    return collect_list(writer, op->subgraph, op->inputs, false) &&
           collect_list(writer, op->subgraph, op->outputs, true) &&
           (!tflite_works_in_place(op->code) || op->custom.length > 0 || pair_arguments(writer, op));
}

/* Its workspaces in the log, which are named by number. */
static bool collect_workspaces(struct tflite_builder *writer, uint32_t number, const char *op) {
    bool good = true;
    for (uint32_t i = 1; good && i <= writer->scratch_count[number]; i++) {
        const char *name = name_workspace(writer->model, op, i);
        good = (name && SW_PUSH(&writer->workspaces, name)) || sw_fail_memory(writer->error);
    }
    return good;
}

/* The operators of the first subgraph that wrote what this one reads, where no buffer says so: texts, handles, tensors
 * without bytes. */
static bool collect_makers(struct tflite_builder *writer, const struct tflite_operator *op) {
    struct tflite_model *model = writer->model;
    for (uint32_t i = 0; i < op->inputs.count; i++) {
        int32_t tensor = tflite_item(model, op->inputs, i);
        const char *maker = tensor >= 0 ? writer->makers[tensor] : NULL;
        if (maker && !sw_unique_in(writer->after.items, writer->after.count, maker) &&
            !SW_PUSH(&writer->after, maker)) {
            return sw_fail_memory(writer->error);
        }
    }
    return true;
}

static void note_makers(struct tflite_builder *writer, const struct tflite_operator *op, const char *step) {
    struct tflite_model *model = writer->model;
    for (uint32_t i = 0; i < op->outputs.count; i++) {
        const struct tflite_tensor *tensor = tflite_tensor_at(model, 0, tflite_item(model, op->outputs, i));
        if (tensor && tensor->state != TFLITE_PLANNED) {
            writer->makers[tensor->number] = step;
        }
    }
}

/* What it must run behind although no buffer says so. Of the steps of one operator the first waits for all. */
static bool collect_ties(struct tflite_builder *writer, bool state, const struct tflite_operator *op, bool joined) {
    writer->after.count = 0;
    if ((writer->front && !joined && !SW_PUSH(&writer->after, writer->front)) ||
        (state && writer->state && !SW_PUSH(&writer->after, writer->state))) {
        return sw_fail_memory(writer->error);
    }
    return joined || !op || collect_makers(writer, op);
}

/* `joined`: part of the same operator as the step before. `op`: the operator of the first
 * subgraph to which the step belongs; NULL: it stands before all of them. */
static bool add_step_operator(struct tflite_builder *writer, uint32_t number, struct sw_unique *names,
                              const struct tflite_operator *op, bool joined) {
    struct tflite_model *model = writer->model;
    const struct tflite_step *step = &model->steps.items[number];
    struct tflite_window window = {.known = false};
    const char *kind = step->kind == TFLITE_END ? "end" : step->kind == TFLITE_SETUP ? "setup" : "begin";
    if (step->kind == TFLITE_RUN) {
        kind = tflite_operator_kind(model, &model->operators.items[step->operator]);
        if (!tflite_window(model, &model->operators.items[step->operator], &window)) {
            return false;
        }
    }
    bool state = step->kind == TFLITE_RUN && tflite_has_state(model, &model->operators.items[step->operator]);
    const char *name = sw_unique_name(names, &model->arena, step->name);
    writer->inputs.count = writer->outputs.count = 0;
    writer->pairs.count = writer->workspaces.count = 0;
    if (!kind || !name) {
        return sw_fail_memory(writer->error);
    }
    if (!collect_step(writer, step) || !collect_workspaces(writer, number, step->name) ||
        !collect_ties(writer, state, op, joined)) {
        return false;
    }
    struct sw_operator_spec spec = {.name = name,
                                    .kind = kind,
                                    .inplace = writer->pairs.count ? SW_INPLACE_PAIRS : SW_INPLACE_NO,
                                    .inputs = writer->inputs.items,
                                    .outputs = writer->outputs.items,
                                    .scratch = writer->workspaces.items,
                                    .input_count = writer->inputs.count,
                                    .output_count = writer->outputs.count,
                                    .scratch_count = writer->workspaces.count,
                                    .pairs = (const char *const(*)[2])writer->pairs.items,
                                    .pair_count = writer->pairs.count / 2,
                                    .after = writer->after.items,
                                    .after_count = writer->after.count,
                                    .window = window.known ? &window.window : NULL,
                                    .macs = window.macs,
                                    .joined = joined};
    writer->state = state ? name : writer->state;
    if (op) {
        note_makers(writer, op, name);
    }
    writer->front = number < model->fronts ? name : writer->front;
    return sw_builder_operator(writer->builder, &spec, writer->error);
}

static bool add_step_operators(struct tflite_builder *writer) {
    struct sw_unique names = {0};
    struct tflite_model *model = writer->model;
    uint32_t front = model->fronts;
    uint32_t *owners = sw_arena_new(&model->arena, model->steps.count + 1, sizeof *owners);
    const struct tflite_subgraph *graph = &model->subgraphs.items[0];
    writer->makers = sw_arena_new(&model->arena, (size_t)graph->tensor_count + 1, sizeof *writer->makers);
    bool good = (owners && writer->makers) || sw_fail_memory(writer->error);
    if (good) {
        tflite_owners(model, owners);
    }
    for (uint32_t i = 0; good && i < model->steps.count; i++) {
        const struct tflite_operator *op =
            i < front ? NULL : &model->operators.items[graph->first_operator + owners[i - front]];
        good = add_step_operator(writer, i, &names, op, i > front && owners[i - front] == owners[i - front - 1]);
    }
    sw_unique_done(&names);
    return good;
}

/* ---- the whole arena ---- */

/* "TfLiteEvalTensor data 528, ..., the rest 120" */
static void list_sections(const struct tflite_arena *arena, char *text, size_t room) {
    for (int s = 0; s < TFLITE_SECTIONS; s++) {
        const char *name = tflite_section_name((enum tflite_section)s);
        if (arena->used[s] > 0) {
            sw_text_add(text, room, "%s%s %" PRIu64, *text ? ", " : "", name ? name : "the rest", arena->used[s]);
        }
    }
}

/* The log knows the tail; its sections are those of a RecordingMicroAllocator. */
static void take_sections(const struct sw_tflm_log *log, struct tflite_arena *arena) {
    uint64_t named = 0, tail = (uint64_t)log->tail;
    arena->planning = arena->planning > arena->tail ? arena->planning - arena->tail + tail : tail;
    arena->tail = tail;
    memset(arena->used, 0, sizeof arena->used);
    for (size_t i = 0; i < log->sections.count; i++) {
        for (int s = 0; s < TFLITE_REST; s++) {
            if (strcmp(log->sections.items[i].name, tflite_section_name((enum tflite_section)s)) == 0) {
                arena->used[s] = (uint64_t)log->sections.items[i].used;
                named += arena->used[s];
            }
        }
    }
    arena->used[TFLITE_REST] = named < tail ? tail - named : 0;
    arena->unknown = 0;
}

/* How long a pointer is where the log was printed: a TfLiteEvalTensor has three words. */
/* Espressif's compilers give enumerations four bytes, Arm's one. */
static bool is_esp(const struct sw_load_options *options) {
    return options->kernels >= SW_KERNELS_ESP;
}

/* What the structures of an older TensorFlow Lite Micro took is not known. */
static bool is_older_cmsis(enum sw_kernels kernels) {
    return kernels >= SW_KERNELS_CMSIS_V4_0 && kernels < SW_KERNELS_CMSIS_V2026;
}

static bool add_arena(struct tflite_builder *writer, const struct sw_load_options *options,
                      const struct sw_tflm_log *log) {
    const struct tflite_told *told = &writer->told;
    struct tflite_arena arena;
    bool wide = is_wide(options, log), logged = log && log->tail >= 0;
    char sections[400] = "";
    if (!tflite_arena_compute(writer->model, options->kernels, wide, told->workspace_count, &arena)) {
        return false;
    }
    uint64_t tail = arena.tail, least_arena = arena.planning;
    if (logged) {
        take_sections(log, &arena);
    }
    list_sections(&arena, sections, sizeof sections);
    bool least = !logged && (arena.unknown > 0 || told->unknown_count > 0);
    sw_builder_outside(writer->builder, arena.tail, arena.planning, least);
    return tflite_add_counter(writer->builder, writer->input, options, wide, tail, least_arena, writer->error) &&
           sw_notef(writer->builder, writer->error, "the arena's tail takes %s%s bytes%s: %s", least ? "at least " : "",
                    SW_COUNT(arena.tail),
                    logged                             ? ", as the log says"
                    : wide                             ? ", computed for a 64-bit computer"
                    : is_esp(options)                  ? ", estimated for an Espressif chip as for a Cortex-M"
                    : is_older_cmsis(options->kernels) ? ", estimated for a Cortex-M as with the newest CMSIS-NN"
                                                       : ", computed for a Cortex-M",
                    sections) &&
           (arena.unknown == 0 ||
            sw_notef(writer->builder, writer->error,
                     "that is an estimate: what the kernels of %" PRIu64 " operators keep is not in it",
                     arena.unknown)) &&
           sw_notef(writer->builder, writer->error,
                    "while it plans the interpreter needs an arena of %s%s bytes, computed", least ? "at least " : "",
                    SW_COUNT(arena.planning));
}

/* ---- all of it ---- */

/* `log`: the plan that the interpreter made; NULL. `recorded`: what it says of the arena; NULL. */
static bool build_tflite_problem(struct tflite_builder *writer, const struct sw_load_options *options,
                                 const struct sw_input *input, const struct sw_tflm_log *log,
                                 const struct sw_tflm_log *recorded) {
    struct tflite_model *model = writer->model;
    size_t used = 0;
    writer->told = (struct tflite_told){.model = model,
                                        .builder = writer->builder,
                                        .error = writer->error,
                                        .joined = log != NULL,
                                        .kernels = options->kernels};
    writer->names = tflite_names(model);
    writer->rows = sw_arena_new(&model->arena, model->tensors.count + 1, sizeof *writer->rows);
    writer->scratch_count = sw_arena_new(&model->arena, model->steps.count + 1, sizeof *writer->scratch_count);
    if (!writer->names || !writer->rows || !writer->scratch_count) {
        return sw_fail_memory(writer->error);
    }
    if ((log && !match_tensors(writer, input, log, &used)) ||
        !sw_builder_alignment(writer->builder, TFLITE_ALIGNMENT, writer->error) ||
        !find_shared_places(writer, log != NULL) || !add_tensor_buffers(writer)) {
        return false;
    }
    for (size_t i = used; log && i < log->rows.count; i++) {
        if (!add_logged(writer, input, &log->rows.items[i])) {
            return false;
        }
    }
    if ((!log && !add_asked(writer, options)) || !add_step_operators(writer)) {
        return false;
    }
    writer->told.in_place = writer->places.part_count;
    writer->told.others = writer->places.others;
    writer->told.unknown = writer->unknown.items;
    writer->told.unknown_listed = writer->unknown.count;
    if (writer->over > 0) {
        sw_builder_inplace(writer->builder, true);
    }
    return tflite_note(&writer->told) && (!log || note_library(writer, is_wide(options, log), log, used)) &&
           add_arena(writer, options, recorded) &&
           (writer->over == 0 ||
            sw_notef(writer->builder, writer->error,
                     "%" PRIu64 " %s over an argument in the file's plan, so operators may, as with --inplace safe",
                     writer->over, writer->over == 1 ? "result lies" : "results lie"));
}

static bool read_joined(struct tflite_model *model, struct tflite_builder *writer,
                        const struct sw_load_options *options) {
    const char *path = options->join;
    struct sw_input input;
    struct sw_tflm_log log = {0};
    if (!sw_input_open(path, &input, writer->error)) {
        return false;
    }
    bool good = sw_tflm_log_parse(&log, true, &input, writer->error);
    if (!good) {
        sw_error_at(writer->error, *writer->error->file ? NULL : input.name, writer->error->line,
                    writer->error->column);
    }
    bool planned = log.rows.count > 0;
    model->plan.at = planned ? 0 : model->plan.at; /* the log says what happened */
    good = good && build_tflite_problem(writer, options, &input, planned ? &log : NULL, &log) &&
           (planned || log.head < 0 ||
            sw_notef(writer->builder, writer->error,
                     "the log has no rows of a plan; it says that the arena's head takes %s bytes",
                     SW_COUNT((uint64_t)log.head)));
    sw_tflm_log_done(&log);
    sw_input_close(&input);
    return good;
}

static bool tflite_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                        struct sw_error *error) {
    static const struct sw_load_options usual;
    struct tflite_model model;
    options = options ? options : &usual;
    struct tflite_builder writer = {.model = &model, .input = input, .builder = builder, .error = error};
    bool good = tflite_model_read(&model, input, options->per_subgraph, error);
    if (good && options->join) {
        if (options->uses) {
            options->uses(options->uses_context, options->join);
        }
        good = read_joined(&model, &writer, options);
    } else {
        good = good && build_tflite_problem(&writer, options, NULL, NULL, NULL);
    }
    SW_ARRAY_DONE(&writer.inputs, &writer.outputs, &writer.workspaces, &writer.unknown, &writer.pairs, &writer.after,
                  &writer.pieces);
    tflite_places_done(&writer.places);
    tflite_model_done(&model);
    return good;
}

static bool tflite_detect(const struct sw_input *input) {
    return sw_flat_marked(input, "TFL3");
}

const struct sw_format sw_format_tflite = {
    .name = "tflite",
    .summary = "TensorFlow Lite models: step i is the i-th operator; lives from the operator that "
               "writes a tensor to the last that reads it, both inside",
    .extensions = ".tflite",
    .most_binary = UINT64_C(1) << 31,
    .heeds = SW_HEEDS_JOIN | SW_HEEDS_OFFSETS | SW_HEEDS_KERNELS,
    .detect = tflite_detect,
    .read = tflite_read,
    .write_order = sw_tflite_write_order,
    .write_plan = sw_tflite_write_plan,
    .holds_model = true,
    .obeyed = true,
    .say_plan = sw_tflite_say_plan,
};
