/* Allocation for allocation as the interpreter makes them, August 2026: each is put below the one before, at a multiple
 * of its alignment. */
#include "formats/tflite/tflite_arena.h"
#include "base/base.h"

#include "formats/tflite/kernels/kernels.h"

/* The interpreter's structures: bytes where pointers have 64 bits, and 32. Each stands on a multiple of a pointer. */
enum structure {
    STRUCT_EVAL_TENSOR,
    STRUCT_TENSOR,
    STRUCT_POINTER,
    STRUCT_QUANTIZATION,
    STRUCT_NODE,
    STRUCT_SUBGRAPH,
    STRUCT_HANDLE,
    STRUCT_ALLOCATOR,
    STRUCT_ARENA,
    STRUCT_PLANNER,
    STRUCT_OPTIONS,
    STRUCT_LIFE,
    STRUCT_REQUEST
};
static const uint8_t sizes[][2] = {
    [STRUCT_EVAL_TENSOR] = {24, 12},                                   /* TfLiteEvalTensor */
    [STRUCT_TENSOR] = {64, 32},                                        /* TfLiteTensor */
    [STRUCT_POINTER] = {8, 4},       [STRUCT_QUANTIZATION] = {24, 12}, /* TfLiteAffineQuantization */
    [STRUCT_NODE] = {64, 32},                                          /* NodeAndRegistration */
    [STRUCT_SUBGRAPH] = {16, 8},                                       /* SubgraphAllocations */
    [STRUCT_HANDLE] = {8, 4},                                          /* ScratchBufferHandle */
    [STRUCT_ALLOCATOR] = {72, 36},                                     /* MicroAllocator */
    [STRUCT_ARENA] = {72, 36},                                         /* SingleArenaBufferAllocator */
    [STRUCT_PLANNER] = {72, 44},                                       /* GreedyMemoryPlanner */
    [STRUCT_OPTIONS] = {16, 8},                                        /* MicroBuiltinDataAllocator */
    [STRUCT_LIFE] = {32, 24},    /* AllocationInfo, of each tensor and workspace while it plans */
    [STRUCT_REQUEST] = {16, 12}, /* ScratchBufferRequest, of each workspace while kernels prepare */
};
enum { PLANNED_BUFFER = 40 }; /* what the planner keeps of each buffer */

struct tail {
    struct tflite_arena *arena;
    uint64_t used;
    bool wide;
};

static uint64_t structure_size(const struct tail *tail, enum structure what) {
    return sizes[what][!tail->wide];
}

static void add_tail_bytes(struct tail *tail, enum tflite_section section, uint64_t bytes, uint64_t alignment) {
    uint64_t after = bytes < SW_MAX_BYTES ? sw_align_up(tail->used + bytes, alignment) : SW_MAX_BYTES;
    after = SW_MIN(after, SW_MAX_BYTES); /* far beyond what any arena has */
    tail->arena->used[section] += after - tail->used;
    tail->used = after;
}

static void add_structures(struct tail *tail, enum tflite_section section, enum structure what, uint64_t count) {
    add_tail_bytes(tail, section, count * structure_size(tail, what), structure_size(tail, STRUCT_POINTER));
}

const char *tflite_section_name(enum tflite_section section) {
    static const char *const names[] = {"TfLiteEvalTensor data",
                                        "Persistent TfLiteTensor data",
                                        "Persistent TfLiteTensor quantization data",
                                        "Persistent buffer data",
                                        "TfLiteTensor variable buffer data",
                                        "NodeAndRegistration struct",
                                        NULL};
    return names[section];
}

/* The interpreter keeps a full TfLiteTensor for each input and output of the model, and a copy of its zero points in 32
 * bits. */
static bool add_ends(struct tail *tail, struct tflite_model *model, struct tflite_list list) {
    add_tail_bytes(tail, TFLITE_BUFFERS, list.count * structure_size(tail, STRUCT_POINTER), TFLITE_ALIGNMENT);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct tflite_tensor *tensor = tflite_tensor_at(model, 0, tflite_item(model, list, i));
        struct sw_flat_list scales, zeros;
        if (!tensor) {
            continue;
        }
        if (!tflite_quantization(model, tensor, &scales, &zeros)) {
            return false;
        }
        add_structures(tail, TFLITE_TENSORS, STRUCT_TENSOR, 1);
        if (scales.count > 0 && zeros.count > 0) {
            add_structures(tail, TFLITE_QUANTIZATION, STRUCT_QUANTIZATION, 1);
            add_tail_bytes(tail, TFLITE_QUANTIZATION, 4 * ((uint64_t)scales.count + 1), 4);
        }
    }
    return true;
}

/* ---- resources ---- */

/* An operator that assigns to a resource, which the operator that made its handle names with two texts. The first of
 * them to prepare brings the resource's bytes into the tail. */
struct assignment {
    struct sw_flat_text container, name;
    size_t op;
};
enum role {
    NO_ASSIGNMENT,
    FIRST_ASSIGNMENT,
    LATER_ASSIGNMENT,
    HANDED_IN /* by another subgraph: which resource it is, is not known */
};

static int compare_texts(struct sw_flat_text a, struct sw_flat_text b) {
    int order = memcmp(a.text, b.text, SW_MIN(a.length, b.length));
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int by_resource(const void *a, const void *b) {
    const struct assignment *x = a, *y = b;
    int order = compare_texts(x->name, y->name);
    order = order ? order : compare_texts(x->container, y->container);
    return order ? order : (x->op > y->op) - (x->op < y->op);
}

/* What each operator is to a resource; NULL with an error set, or without memory. */
static uint8_t *find_roles(struct tflite_model *model) {
    size_t count = model->operators.count, found = 0;
    uint8_t *roles = sw_arena_new(&model->arena, count + 1, sizeof *roles);
    uint32_t *makers = sw_arena_new(&model->arena, model->tensors.count + 1, sizeof *makers); /* operators, from 1 */
    struct assignment *all = sw_arena_new(&model->arena, count + 1, sizeof *all);
    if (!roles || !makers || !all) {
        tflite_fail_memory(model);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const struct tflite_operator *op = &model->operators.items[i];
        const struct tflite_tensor *handle = tflite_listed(model, op->subgraph, op->outputs, 0);
        if (op->code == TFLITE_OP_var_handle && handle) {
            makers[handle - model->tensors.items] = (uint32_t)i + 1;
        }
        handle = tflite_listed(model, op->subgraph, op->inputs, 0);
        if (op->code != TFLITE_OP_assign_variable || !handle) {
            continue;
        }
        uint32_t maker = makers[handle - model->tensors.items];
        struct sw_flat options;
        all[found].op = i;
        roles[i] = HANDED_IN;
        if (maker > 0) {
            roles[i] = LATER_ASSIGNMENT;
            if (!tflite_options(model, &model->operators.items[maker - 1], &options) ||
                !sw_flat_text(&options, 0, &all[found].container) || !sw_flat_text(&options, 1, &all[found].name)) {
                return NULL;
            }
            found++;
        }
    }
    qsort(all, found, sizeof *all, by_resource);
    for (size_t i = 0; i < found; i++) {
        bool same = i > 0 && compare_texts(all[i].name, all[i - 1].name) == 0 &&
                    compare_texts(all[i].container, all[i - 1].container) == 0;
        roles[all[i].op] = same ? LATER_ASSIGNMENT : FIRST_ASSIGNMENT;
    }
    return roles;
}

static void add_resource(struct tail *tail, struct tflite_model *model, const struct tflite_operator *op,
                         enum role role) {
    const struct tflite_tensor *value = tflite_listed(model, op->subgraph, op->inputs, 1);
    if (role == FIRST_ASSIGNMENT && value) {
        add_tail_bytes(tail, TFLITE_BUFFERS, value->size, TFLITE_ALIGNMENT);
    }
    tail->arena->unknown += role == HANDED_IN;
}

/* First the options of all operators, then the structures of all kernels, then what goes by shapes. */
static bool add_kernels(struct tail *tail, struct tflite_model *model, unsigned kernels) {
    const uint8_t *roles = find_roles(model);
    if (!roles) {
        return false;
    }
    for (int pass = 0; pass < 3; pass++) {
        for (size_t i = 0; i < model->operators.count; i++) {
            struct tflite_kept kept;
            if (!tflite_kernel_keeps(model, &model->operators.items[i], kernels, tail->wide, &kept)) {
                return false;
            }
            if (pass == 0) {
                add_tail_bytes(tail, TFLITE_REST, kept.options, kept.alignment);
                tail->arena->unknown += !kept.known;
            } else if (pass == 2 && model->operators.items[i].code == TFLITE_OP_assign_variable) {
                add_resource(tail, model, &model->operators.items[i], roles[i]);
            } else {
                uint64_t bytes = pass == 1 ? kept.own : kept.lists;
                add_tail_bytes(tail, TFLITE_BUFFERS, bytes, bytes > 0 ? TFLITE_ALIGNMENT : 1);
            }
        }
    }
    return true;
}

/* What the interpreter needs while it plans, between head and tail: requests of kernels, lives, and its planner's list.
 */
static uint64_t planning(const struct tail *tail, const struct tflite_model *model, uint64_t workspaces) {
    enum { SPARE_REQUESTS = 12 };
    uint64_t planned = workspaces;
    for (size_t i = 0; i < model->tensors.count; i++) {
        planned += model->tensors.items[i].state == TFLITE_PLANNED;
    }
    uint64_t at = (workspaces + SPARE_REQUESTS) * structure_size(tail, STRUCT_REQUEST);
    at = sw_align_up(at, structure_size(tail, STRUCT_POINTER)) +
         model->subgraphs.count * structure_size(tail, STRUCT_POINTER);
    at = sw_align_up(at, structure_size(tail, STRUCT_POINTER)) +
         (model->tensors.count + workspaces) * structure_size(tail, STRUCT_LIFE);
    return sw_align_up(at, TFLITE_ALIGNMENT) + planned * PLANNED_BUFFER;
}

bool tflite_arena_compute(struct tflite_model *model, unsigned kernels, bool wide, uint64_t workspaces,
                          struct tflite_arena *arena) {
    *arena = (struct tflite_arena){0};
    struct tail tail = {arena, 0, wide};
    const struct tflite_subgraph *main = &model->subgraphs.items[0];
    static const enum structure allocators[] = {STRUCT_ARENA, STRUCT_PLANNER, STRUCT_ALLOCATOR, STRUCT_OPTIONS};
    for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++) {
        add_structures(&tail, TFLITE_REST, allocators[i], 1);
    }
    add_structures(&tail, TFLITE_REST, STRUCT_SUBGRAPH, model->subgraphs.count);
    for (size_t i = 0; i < model->subgraphs.count; i++) {
        add_structures(&tail, TFLITE_EVAL_TENSORS, STRUCT_EVAL_TENSOR, model->subgraphs.items[i].tensor_count);
    }
    for (size_t i = 0; i < model->subgraphs.count; i++) {
        add_structures(&tail, TFLITE_NODES, STRUCT_NODE, model->subgraphs.items[i].operator_count);
    }
    if (!add_kernels(&tail, model, kernels)) {
        return false;
    }
    if (workspaces > 0) {
        add_structures(&tail, TFLITE_REST, STRUCT_HANDLE, workspaces);
    }
    for (size_t i = 0; i < model->tensors.count; i++) {
        if (model->tensors.items[i].state == TFLITE_VARIABLE) {
            add_tail_bytes(&tail, TFLITE_VARIABLES, model->tensors.items[i].size, TFLITE_ALIGNMENT);
        }
    }
    arena->planning = sw_align_up(tail.used, TFLITE_ALIGNMENT) + planning(&tail, model, workspaces);
    if (!add_ends(&tail, model, main->inputs) || !add_ends(&tail, model, main->outputs)) {
        return false;
    }
    arena->tail = tail.used;
    return true;
}
