/* Plans are run. A random network goes through a reader, every planner plans it, and a small interpreter
 * executes it twice: with an array of its own for every buffer, and in the planned arena itself, every byte
 * at the offset planned. All results of the network must be the same, read after the last step. In-place
 * operators off and safe; networks with several outputs, inputs, constants and states among them, outputs
 * that are read later, one tensor as output twice, reshapes, scratch, parts of larger buffers; memories
 * in which blocks are moved. A plan with one block put elsewhere is either refused by the check or right.
 *
 * The interpreter is as hostile as an operator may be. One that is not in place destroys all it writes, and
 * its scratch, before it reads. One that is in place goes through its arguments byte by byte, and reads
 * those that it is not in place for from the end. */
#include "share.h"
#include "faults.h"
#include "property/model.h"
#include "unit/onnx.h"

#include <inttypes.h>
#include <stdarg.h>

enum { MOST_BYTES = 1 << 16, MOST_NAMES = 64 };

static uint64_t state_of_draw;
static unsigned draw(unsigned n) {
    state_of_draw = state_of_draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state_of_draw >> 33) % n;
}

/* ---- a network as text, and what the host wants of it ---- */

struct network {
    uint64_t seed;
    char text[16384];
    size_t used;
    char outputs[MOST_NAMES][12];
    unsigned output_count;
    unsigned operators;
    bool onnx;
};

static void __attribute__((format(printf, 2, 3))) say(struct network *n, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    n->used += (size_t)vsnprintf(n->text + n->used, sizeof n->text - n->used, format, arguments);
    va_end(arguments);
    if (n->used >= sizeof n->text) {
        abort();
    }
}

static void want(struct network *n, const char *name) {
    char *slot = n->outputs[n->output_count++];
    for (size_t i = 0; i + 1 < sizeof n->outputs[0] && name[i]; i++) {
        slot[i] = name[i];
        slot[i + 1] = '\0';
    }
}

enum { MOST_TENSORS = 48 };
struct tensor {
    char name[12];
    enum sw_kind kind;
    unsigned size;
    bool output, parted, state, used;
};
struct net {
    struct network *network;
    struct tensor tensors[MOST_TENSORS];
    unsigned count, tiers;
    unsigned readable[MOST_TENSORS], readable_count;
};

static unsigned new_tensor(struct net *net, enum sw_kind kind, unsigned size) {
    struct tensor *t = &net->tensors[net->count];
    *t = (struct tensor){.kind = kind, .size = size, .output = kind == SW_KIND_OUTPUT};
    snprintf(t->name, sizeof t->name, "%c%u", *sw_kind_name(kind), net->count);
    if (kind != SW_KIND_SCRATCH) {
        net->readable[net->readable_count++] = net->count;
    }
    return net->count++;
}

static unsigned some_size(void) {
    return 4 * (1 + draw(5));
}

/* What is new is read more often than what is old. */
static unsigned some_argument(const struct net *net) {
    unsigned count = net->readable_count, near = count < 4 ? count : 4;
    return net->readable[draw(3) ? count - 1 - draw(near) : draw(count)];
}

/* A whole tensor, or half of one. */
static void say_input(struct net *net, unsigned t, bool whole) {
    net->tensors[t].used = true;
    say(net->network, "\"%s%s\"", net->tensors[t].name,
        whole || !net->tensors[t].parted || draw(3) == 0 ? ""
        : draw(2)                                        ? "_lo"
                                                         : "_hi");
}

static void say_operator(struct net *net, unsigned number) {
    struct network *n = net->network;
    unsigned inputs[3], count = 1 + draw(3), inplace = draw(3);
    bool reshape = draw(6) == 0;
    count = reshape ? 1 : count;
    for (unsigned i = 0; i < count; i++) {
        inputs[i] = some_argument(net);
    }
    bool update = !reshape && net->tensors[inputs[0]].state && draw(2);
    say(n, "%s{\"name\":\"op%u\",\"kind\":\"%s\",\"inputs\":[", number ? ",\n" : "", number,
        reshape ? "reshape" : "any");
    for (unsigned i = 0; i < count; i++) {
        say(n, "%s", i ? "," : "");
        say_input(net, inputs[i], reshape || (i == 0 && (update || inplace == 2)));
    }
    say(n, "],\"outputs\":[");
    unsigned outputs = reshape || draw(4) ? 1 : 2, first = net->count;
    for (unsigned i = 0; i < outputs; i++) {
        unsigned like = net->tensors[inputs[draw(count)]].size;
        unsigned t =
            new_tensor(net, draw(5) ? SW_KIND_INTERMEDIATE : SW_KIND_OUTPUT, reshape || draw(4) ? like : some_size());
        net->tensors[t].parted = draw(12) == 0;
        say(n, "%s\"%s\"", i ? "," : "", net->tensors[t].name);
    }
    say(n, update ? ",\"%s\"]" : "]", net->tensors[inputs[0]].name);
    if (inplace == 1) {
        say(n, ",\"inplace\":true");
    } else if (inplace == 2) {
        say(n, ",\"inplace\":[[\"%s\",\"%s\"]]", net->tensors[inputs[0]].name, net->tensors[first].name);
    }
    if (!reshape && draw(4) == 0) {
        say(n, ",\"scratch\":[\"%s\"]", net->tensors[new_tensor(net, SW_KIND_SCRATCH, some_size())].name);
    }
    say(n, "}");
}

static void say_buffer(struct net *net, const struct tensor *t, bool first) {
    struct network *n = net->network;
    say(n, "%s{\"name\":\"%s\",\"kind\":\"%s\",\"size\":%u%s%s", first ? "" : ",\n", t->name, sw_kind_name(t->kind),
        t->size, t->output && t->kind != SW_KIND_OUTPUT ? ",\"output\":true" : "", draw(4) ? "" : ",\"alignment\":8");
    if (t->kind == SW_KIND_CONSTANT) {
        say(n, ",\"tier\":\"t%u\"", draw(net->tiers));
    }
    say(n, "}");
    if (t->output) {
        want(n, t->name);
    }
}

static void say_parts(struct net *net) {
    const char *before = ",\n\"overlays\":[";
    for (unsigned i = 0; i < net->count; i++) {
        const struct tensor *t = &net->tensors[i];
        for (unsigned half = 0; t->parted && half < 2; half++) {
            say(net->network, "%s{\"of\":\"%s\",\"name\":\"%s_%s\",\"lo\":%u,\"hi\":%u}", before, t->name, t->name,
                half ? "hi" : "lo", half * t->size / 2, (half + 1) * t->size / 2);
            before = ",";
        }
    }
    say(net->network, *before == ',' && before[1] == '\0' ? "]" : "");
}

static void draw_network(struct network *n, uint64_t seed) {
    struct net net = {.network = n, .tiers = 1 + draw(2)};
    *n = (struct network){.seed = seed, .operators = 1 + draw(9)};
    say(n, "{\"tiers\":[");
    for (unsigned t = 0; t < net.tiers; t++) {
        say(n, "%s{\"name\":\"t%u\"", t ? "," : "", t);
        if (net.tiers == 1 ? draw(3) == 0 : t == 0) {
            say(n, ",\"capacity\":%u", 40 + 8 * draw(12));
        }
        say(n, ",\"bandwidth\":%u,\"latency\":%u}", t ? 4 : 16, t ? 10 : 1);
    }
    say(n, "],\n\"operators\":[");
    unsigned inputs = 1 + draw(3), constants = draw(2);
    for (unsigned i = 0; i < inputs + constants; i++) {
        struct tensor *t = &net.tensors[new_tensor(&net, i < inputs ? SW_KIND_INPUT : SW_KIND_CONSTANT, some_size())];
        t->state = i < inputs && draw(3) == 0; /* handed back changed */
        t->output = t->state || draw(4) == 0;
    }
    for (unsigned o = 0; o < n->operators; o++) {
        say_operator(&net, o);
    }
    say(n, "],\n\"buffers\":[");
    bool first = true;
    for (unsigned i = 0; i < net.count; i++) {
        const struct tensor *t = &net.tensors[i];
        if (t->used || t->kind != SW_KIND_CONSTANT || t->output) {
            say_buffer(&net, t, first);
            first = false;
        }
    }
    say(n, "]");
    say_parts(&net);
    say(n, "}\n");
}

/* ---- a network as ONNX ---- */

/* Floats of 4 elements, or of one, which is spread over them. */
static void draw_onnx(struct network *n, uint64_t seed) {
    static const char *const unary[] = {"Relu", "Sigmoid", "Identity", "Softmax", "Dropout", "Neg"};
    static const char *const binary[] = {"Add", "Mul", "Sub"};
    struct {
        char name[12];
        bool wide;
    } values[MOST_TENSORS];
    unsigned count = 0, inputs = 1 + draw(3);
    *n = (struct network){.seed = seed, .operators = 1 + draw(9), .onnx = true};
    for (unsigned i = 0; i < inputs; i++) {
        values[count].wide = draw(4);
        snprintf(values[count].name, sizeof values->name, "x%u", count);
        say(n, "input %s float %s\n", values[count].name, values[count].wide ? "1x4" : "1x1");
        count++;
    }
    say(n, "weight w float 1x4\nints s 2,2\n");
    for (unsigned o = 0; o < n->operators; o++) {
        unsigned near = count < 3 ? count : 3;
        unsigned a = draw(2) ? count - 1 - draw(near) : draw(count), b = draw(count);
        bool two = draw(2);
        snprintf(values[count].name, sizeof values->name, "y%u", count);
        if (two && draw(5) == 0) {
            say(n, "Add %s,w -> %s\n", values[a].name, values[count].name);
            values[count].wide = true;
        } else if (two) {
            say(n, "%s %s,%s -> %s\n", binary[draw(3)], values[a].name, values[b].name, values[count].name);
            values[count].wide = values[a].wide || values[b].wide;
        } else {
            say(n, "%s %s -> %s\n", unary[draw(6)], values[a].name, values[count].name);
            values[count].wide = values[a].wide;
        }
        count++;
    }
    say(n, "output %s\n", values[count - 1].name);
    want(n, values[count - 1].name);
    for (unsigned i = 0; i + 1 < count; i++) {
        if (draw(4) == 0) {
            say(n, "output %s\n", values[i].name);
            want(n, values[i].name);
        }
    }
}

/* ---- the interpreter ---- */

enum { MOST_BUFFERS = 64 };
/* Where the bytes of a buffer are at present: in an array of its own, or in an arena. */
struct machine {
    const struct sw_problem *problem;
    const struct sw_layout *layout; /* NULL: every buffer for itself */
    unsigned char own[MOST_BUFFERS][256];
    unsigned char *arenas; /* one behind the other, MOST_BYTES each */
};

static unsigned char *bytes_of(struct machine *m, uint32_t buffer, uint32_t step) {
    struct sw_placement place;
    if (!m->layout || !sw_layout_at(m->layout, buffer, step, &place)) {
        return m->own[buffer]; /* on the device nowhere: in host memory */
    }
    return m->arenas + place.tier * MOST_BYTES + place.offset;
}

struct argument {
    unsigned char *at;
    uint64_t size;
    uint32_t buffer;
    bool whole;
};

static struct argument resolve(struct machine *m, struct sw_ref ref, uint32_t step) {
    const struct sw_buffer *buffer = sw_problem_buffer(m->problem, ref.buffer);
    struct argument a = {m->own[ref.buffer], buffer->size, ref.buffer, true};
    if (buffer->planned) {
        a.at = bytes_of(m, ref.buffer, step);
    }
    if (ref.member != SW_NONE) {
        const struct sw_member *member = sw_problem_member(m->problem, ref.member);
        a.at += member->lo;
        a.size = member->hi - member->lo;
        a.whole = false;
    }
    return a;
}

/* What an operator computes, and what the host writes, follows from names, so that neither changes with the order. */
static unsigned of_name(const char *name) {
    unsigned sum = 5;
    for (; *name; name++) {
        sum = 33 * sum + (unsigned char)*name;
    }
    return sum;
}

/* What the host writes: inputs before the first step, constants before their first use. */
static void write_by_host(struct machine *m, uint32_t step) {
    for (uint32_t b = 0; b < sw_problem_buffer_count(m->problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(m->problem, b);
        bool host = buffer->kind == SW_KIND_INPUT || buffer->kind == SW_KIND_CONSTANT;
        if (host && (buffer->planned ? buffer->first == step : step == 0)) {
            unsigned char *at = buffer->planned ? bytes_of(m, b, step) : m->own[b];
            for (uint64_t i = 0; i < buffer->size; i++) {
                at[i] = (unsigned char)(17 * of_name(buffer->name) + 5 * i + 3);
            }
        }
    }
}

/* All moves before a step happen at once. */
static void move(struct machine *m, uint32_t step) {
    static unsigned char kept[MOST_BUFFERS][256];
    for (int pass = 0; m->layout && step > 0 && pass < 2; pass++) {
        for (uint32_t b = 0; b < sw_problem_buffer_count(m->problem); b++) {
            const struct sw_buffer *buffer = sw_problem_buffer(m->problem, b);
            if (!buffer->planned || buffer->first >= step || buffer->last < step) {
                continue;
            }
            if (pass == 0) {
                memcpy(kept[b], bytes_of(m, b, step - 1), buffer->size);
            } else if (bytes_of(m, b, step - 1) != bytes_of(m, b, step)) {
                memcpy(bytes_of(m, b, step), kept[b], buffer->size);
            }
        }
    }
}

/* How an operator may be in place for an argument. */
static bool in_step(const struct sw_operator *op, const struct argument *in, const struct argument *outputs) {
    for (uint32_t k = 0; k < op->output_count; k++) {
        if (outputs[k].buffer == in->buffer) {
            return true; /* brought up to date */
        }
    }
    if (op->inplace == SW_INPLACE_ANY) {
        return in->whole;
    }
    for (uint32_t k = 0; op->inplace == SW_INPLACE_PAIRS && k < op->pair_count; k++) {
        if (op->pairs[k][0].buffer == in->buffer && in->whole) {
            return true;
        }
    }
    return false;
}

static bool is_shared(const struct sw_operator *op, const struct argument *inputs, const struct argument *out) {
    for (uint32_t i = 0; i < op->input_count; i++) {
        if (inputs[i].buffer == out->buffer) {
            return true;
        }
    }
    if (op->inplace == SW_INPLACE_ANY) {
        return true;
    }
    for (uint32_t k = 0; op->inplace == SW_INPLACE_PAIRS && k < op->pair_count; k++) {
        if (op->pairs[k][1].buffer == out->buffer) {
            return true;
        }
    }
    return false;
}

static void run_operator(struct machine *m, uint32_t step) {
    const struct sw_operator *op = sw_problem_operator(m->problem, step);
    struct argument inputs[8], outputs[8], scratch[8];
    uint64_t longest = 0;
    for (uint32_t i = 0; i < op->input_count; i++) {
        inputs[i] = resolve(m, op->inputs[i], step);
    }
    for (uint32_t i = 0; i < op->scratch_count; i++) {
        scratch[i] = resolve(m, op->scratch[i], step);
        memset(scratch[i].at, 0xee, scratch[i].size);
    }
    for (uint32_t o = 0; o < op->output_count; o++) {
        outputs[o] = resolve(m, op->outputs[o], step);
        longest = outputs[o].size > longest ? outputs[o].size : longest;
    }
    if (strcmp(op->kind, "reshape") == 0) {
        memmove(outputs[0].at, inputs[0].at, outputs[0].size);
        return;
    }
    for (uint32_t o = 0; o < op->output_count; o++) {
        if (!is_shared(op, inputs, &outputs[o])) {
            memset(outputs[o].at, 0xdd, outputs[o].size);
        }
    }
    unsigned first = op->output_count > 0 ? of_name(sw_problem_buffer(m->problem, op->outputs[0].buffer)->name) : 0;
    for (uint64_t i = 0; i < longest; i++) {
        unsigned sum = 7 * first + 1;
        for (uint32_t k = 0; k < op->input_count; k++) {
            const struct argument *in = &inputs[k];
            bool same = in_step(op, in, outputs);
            uint64_t at = same ? i : in->size - 1 - i % in->size;
            sum = 31 * sum + (at < in->size ? in->at[at] : 9);
            for (uint64_t j = 0; !same && j < in->size; j++) { /* and any other of its bytes */
                sum = 33 * sum + in->at[j];
            }
        }
        for (uint32_t o = 0; o < op->output_count; o++) {
            if (i < outputs[o].size) {
                outputs[o].at[i] = (unsigned char)(sum >> 3 ^ sum ^ (o + 1));
            }
        }
    }
    for (uint32_t i = 0; i < op->scratch_count; i++) {
        memset(scratch[i].at, 0xee, scratch[i].size);
    }
}

static void run(struct machine *m) {
    if (m->layout) {
        memset(m->arenas, 0xcc, (size_t)SW_MAX_TIERS / 32 * MOST_BYTES);
    }
    memset(m->own, 0xbb, sizeof m->own);
    for (uint32_t step = 0; step < sw_problem_steps(m->problem); step++) {
        move(m, step);
        write_by_host(m, step);
        run_operator(m, step);
    }
}

/* Is what the host reads after the run as it should be? Names the first result that is not. */
static const char *differing(const struct network *n, struct machine *alone, struct machine *shared) {
    uint32_t last = sw_problem_steps(alone->problem) - 1;
    for (unsigned i = 0; i < n->output_count; i++) {
        uint32_t b = sw_problem_find_buffer(alone->problem, n->outputs[i]);
        if (b == SW_NONE || !sw_problem_buffer(alone->problem, b)->planned) {
            continue; /* what the reader folded, or an alias: it has no bytes in the arena */
        }
        const unsigned char *place = bytes_of(shared, b, last);
        if (memcmp(alone->own[b], place, sw_problem_buffer(alone->problem, b)->size) != 0) {
            return n->outputs[i];
        }
    }
    return NULL;
}

/* ---- every planner ---- */

static uint64_t reordered, refused_orders, executed, refused, moved_ones, shared_ones, spoilt, caught, harmless;
static struct machine alone, shared;

/* That a memory is too small is the planners' business. */
static void fault_found(void *text, const struct sw_fault *fault) {
    if (*(char *)text == '\0' && fault->kind != SW_FAULT_CAPACITY) {
        sw_fault_describe(shared.problem, fault, text, 200);
    }
}

static void blame_it(const struct network *n, const struct sw_search *search, bool safe, const char *what,
                     const char *name) {
    fprintf(stderr, "seed %" PRIu64 ", %s, in place %s: %s %s\n%s", n->seed, sw_search_planner(search)->name,
            safe ? "safe" : "off", what, name, n->text);
    const struct sw_problem *problem = shared.problem;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        struct sw_placement p;
        for (uint32_t k = 0; sw_layout_placement(shared.layout, b, k, &p); k++) {
            fprintf(stderr, "%s at %u+%" PRIu64 ", steps %u..%u\n", sw_problem_buffer(problem, b)->name, p.tier,
                    p.offset, p.span.from, p.span.to);
        }
    }
    exit(1);
}

/* One block elsewhere: the check says so, or nothing is lost. */
static void spoil(const struct network *n, const struct sw_search *search, bool safe) {
    struct sw_layout *layout = sw_layout_clone(sw_search_layout(search), NULL);
    uint32_t count = sw_problem_buffer_count(alone.problem);
    uint32_t a = draw(count), b = draw(count);
    struct sw_placement from, to, second;
    char text[200] = "";
    if (layout && sw_layout_placement(layout, a, 0, &from) && sw_layout_placement(layout, b, 0, &to) &&
        !sw_layout_placement(layout, a, 1, &second) && from.span.to == UINT32_MAX) {
        uint64_t shift = draw(3) ? 0 : 4 * draw(4);
        if (sw_layout_place(layout, a, to.tier, to.offset + shift)) {
            shared.layout = layout;
            sw_fault_count(layout, fault_found, text);
            run(&shared);
            const char *name = differing(n, &alone, &shared);
            spoilt++;
            caught += *text != 0;
            harmless += !name;
            if (!*text && name) {
                blame_it(n, search, safe, "a plan that the check calls valid spoils", name);
            }
        }
    }
    sw_layout_free(layout);
}

static void execute(const struct network *n, const struct sw_search *search, bool safe) {
    const struct sw_layout *layout = sw_search_layout(search);
    char text[200] = "";
    shared.problem = alone.problem = sw_layout_problem(layout);
    if (sw_search_planner(search)->reorders) { /* the network as it was, against the plan of another order */
        alone.problem = sw_search_given(search);
        reordered += alone.problem != shared.problem;
    }
    shared.layout = layout;
    shared_ones += sw_layout_permit_count(layout) > 0;
    moved_ones += sw_layout_transfer_count(layout) > 0;
    sw_fault_count(layout, fault_found, text);
    if (*text) {
        blame_it(n, search, safe, "the check finds:", text);
    }
    run(&alone);
    run(&shared);
    executed++;
    const char *name = differing(n, &alone, &shared);
    if (name) {
        blame_it(n, search, safe, "another result in", name);
    }
    spoil(n, search, safe);
}

static void plan_and_execute(const struct network *n, const struct sw_problem *problem,
                             const struct sw_planner *planner, bool safe) {
    struct sw_error error = {0};
    if (!model_applies(planner, problem)) {
        return;
    }
    struct sw_params params = short_run(planner);
    if (strcmp(planner->name, "tier-search") == 0 &&
        !sw_params_set(&params, "overwrite", draw(4) ? "permitted" : "off", NULL)) {
        exit(1);
    }
    struct sw_search *search = sw_search_new(problem, planner, &params, &error);
    struct sw_claims claims = {0};
    enum sw_step step = SW_STEP_MORE;
    for (unsigned i = 0; search && i < 3000 && step == SW_STEP_MORE; i++) {
        step = sw_search_step(search, &error);
    }
    if (search) {
        sw_search_claims(search, &claims);
    }
    struct sw_metrics metrics = {0};
    if (search) {
        sw_metrics_of(sw_search_layout(search), &metrics);
    }
    if (search && step == SW_STEP_DONE && !claims.no_addresses && metrics.complete) {
        execute(n, search, safe);
    } else {
        refused++;
    }
    sw_search_free(search);
    sw_params_done(&params);
}

static struct sw_problem *read_network(const struct network *n, bool safe) {
    struct sw_load_options options = {.inplace_safe = safe};
    struct sw_error error = {0};
    onnx_bytes encoded = {0};
    struct sw_input input = {.name = "network", .bytes = n->text, .length = n->used};
    if (n->onnx) {
        encoded = onnx_encode(n->text);
        input.bytes = encoded.items;
        input.length = encoded.count;
    }
    struct sw_problem *problem = sw_load_input(&input, &options, &error);
    SW_ARRAY_DONE(&encoded);
    if (!problem && !(n->onnx && strstr(error.message, "nothing to plan"))) {
        fprintf(stderr, "seed %" PRIu64 ": %u:%u: %s\n%s", n->seed, error.line, error.column, error.message, n->text);
        exit(1);
    }
    return problem;
}

/* ---- in another order ---- */

/* Some legal moves of operators, one after the other. False: none was. */
static bool draw_order(const struct sw_problem *problem, uint32_t *order) {
    uint32_t count = sw_problem_operator_count(problem);
    bool other = false;
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    for (int tries = 0; tries < 20; tries++) {
        uint32_t at = draw(count), to = draw(count), held = order[at];
        int by = to < at ? -1 : 1;
        for (uint32_t i = at; i != to; i += (uint32_t)by) {
            order[i] = order[i + (uint32_t)by];
        }
        order[to] = held;
        if (sw_problem_may_order(problem, order, NULL, NULL)) {
            other |= at != to;
            continue;
        }
        for (uint32_t i = to; i != at; i -= (uint32_t)by) {
            order[i] = order[i - (uint32_t)by];
        }
        order[at] = held;
    }
    return other;
}

/* An ONNX model becomes a file in this order, which is read again; NULL: the file refuses it. */
static struct sw_problem *put_in_order(const struct network *n, const struct sw_problem *problem, bool safe,
                                       const uint32_t *order) {
    struct sw_load_options options = {.inplace_safe = safe};
    struct sw_error error = {0};
    struct sw_problem *other = NULL;
    if (!n->onnx) {
        other = sw_problem_in_order(problem, order, &error);
    } else {
        onnx_bytes encoded = onnx_encode(n->text);
        struct sw_input input = {.name = "network", .bytes = encoded.items, .length = encoded.count};
        struct sw_sink out = {0};
        if (sw_format_onnx.write_order(&input, &options, order, sw_problem_operator_count(problem), &out, &error)) {
            struct sw_input written = {.name = "network", .bytes = out.text.items, .length = out.text.count};
            other = sw_load_input(&written, &options, &error);
            error.code = other ? SW_OK : SW_ERROR_INPUT;
        }
        SW_ARRAY_DONE(&encoded);
        sw_sink_done(&out);
    }
    if (!other && (!n->onnx || error.code != SW_ERROR_UNSUPPORTED)) {
        fprintf(stderr, "seed %" PRIu64 ", another order: %s\n%s", n->seed, error.message, n->text);
        exit(1);
    }
    refused_orders += !other;
    return other;
}

/* The results of the network as it is, and of the network in another order in a planned arena. */
static void execute_in_order(const struct network *n, const struct sw_problem *problem, bool safe) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    uint32_t order[MOST_BUFFERS];
    if (sw_problem_operator_count(problem) > MOST_BUFFERS || !sw_problem_has_orders(problem, NULL) ||
        !draw_order(problem, order)) {
        return;
    }
    struct sw_problem *other = put_in_order(n, problem, safe, order);
    struct sw_search *search = other ? sw_search_new(other, sw_planner_find("best-fit", NULL), &params, &error) : NULL;
    struct sw_metrics metrics = {0};
    if (search && sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE) {
        sw_metrics_of(sw_search_layout(search), &metrics);
    }
    if (metrics.complete) {
        alone.problem = problem;
        shared.problem = other;
        shared.layout = sw_search_layout(search);
        run(&alone);
        run(&shared);
        reordered++;
        for (unsigned i = 0; i < n->output_count; i++) {
            uint32_t was = sw_problem_find_buffer(problem, n->outputs[i]),
                     now = sw_problem_find_buffer(other, n->outputs[i]);
            if (was == SW_NONE || !sw_problem_buffer(problem, was)->planned) {
                continue;
            }
            if (now == SW_NONE || memcmp(alone.own[was], bytes_of(&shared, now, sw_problem_steps(other) - 1),
                                         sw_problem_buffer(problem, was)->size) != 0) {
                blame_it(n, search, safe, "in another order another result in", n->outputs[i]);
            }
        }
    }
    sw_search_free(search);
    sw_problem_unref(other);
}

int main(void) {
    static struct network network;
    bool full = getenv("STOWAGE_LONG") != NULL;
    uint64_t first = base_seed() + (full ? 0 : first_case(4000)), count = full ? 100000 : cases(4000), planned = 0;
    static unsigned char memory[2 * MOST_BYTES];
    shared.arenas = memory;
    for (uint64_t seed = first; seed < first + count; seed++) {
        state_of_draw = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
        draw(2);
        if (seed % 4 == 0) {
            draw_onnx(&network, seed);
        } else {
            draw_network(&network, seed);
        }
        for (int safe = 0; safe < 2; safe++) {
            struct sw_problem *problem = read_network(&network, safe);
            planned += problem != NULL;
            for (size_t i = 0; problem && i < sw_planner_built_in_count(); i++) {
                plan_and_execute(&network, problem, sw_planner_get(i), safe);
            }
            if (problem) {
                execute_in_order(&network, problem, safe);
            }
            sw_problem_unref(problem);
        }
    }
    printf("%" PRIu64 " executed in another order, which %" PRIu64 " files refused\n", reordered, refused_orders);
    printf("%" PRIu64 " networks, %" PRIu64 " problems: %" PRIu64 " plans executed, %" PRIu64
           " with permitted overlaps, %" PRIu64 " with moves; %" PRIu64 " runs without a plan; %" PRIu64
           " plans spoilt: %" PRIu64 " refused by the check, %" PRIu64 " right all the same\n",
           count, planned, executed, shared_ones, moved_ones, refused, spoilt, caught, harmless);
    if (reordered == 0) {
        return 1;
    }
    if (full) {
        printf("in full: networks executed over their plans %" PRIu64 "\n", count);
    }
    return 0;
}
