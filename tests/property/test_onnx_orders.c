/* What a planner of orders finds in an ONNX model can be written. Random models with shapes that are computed,
 * sequences, optional values, functions, branches of either kind, loops, and nodes that no output depends on: an order
 * that the problem allows is one that the writer allows, and the other way round; what is written is read as the
 * problem in that order. */
#include "share.h"
#include "unit/onnx.h"

#include "formats/onnx/onnx_format.h"
#include "order/order_state.h"
#include "problem/change/whole_order.h"

#include <inttypes.h>
#include <stdarg.h>

enum { CASES = 10000, MOST_VALUES = 80 };

static uint64_t state_of_draw;
static unsigned draw(unsigned n) {
    state_of_draw = state_of_draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state_of_draw >> 33) % n;
}

/* ---- a model as text ---- */

enum form { TENSOR, SEQUENCE, OPTIONAL, SHAPE };
struct value {
    char name[40];
    enum form form;
    unsigned length;
};
struct network {
    uint64_t seed;
    char text[32768];
    size_t used;
    struct value values[MOST_VALUES];
    unsigned count, graphs;
};

static struct { uint64_t operators, ties, moved, refused, joined; } seen;

static void fail(const struct network *n, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
static void fail(const struct network *n, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "seed %" PRIu64 ": ", n->seed);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n%s\n", n->text);
    va_end(arguments);
    exit(1);
}

static void say(struct network *n, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct network *n, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    n->used += (size_t)vsnprintf(n->text + n->used, sizeof n->text - n->used, format, arguments);
    va_end(arguments);
    if (n->used >= sizeof n->text) {
        abort();
    }
}

/* A value to come, and its name. */
static const char *fresh(struct network *n, enum form form, unsigned length) {
    struct value *value = &n->values[n->count];
    snprintf(value->name, sizeof value->name, "%s%u", draw(40) ? "v" : "a_name_that_is_rather_long_", n->count);
    value->form = form;
    value->length = length;
    n->count++;
    return value->name;
}

/* One of a form, mostly one of the last; NULL: there is none. */
static const struct value *some(const struct network *n, enum form form) {
    const struct value *found = NULL;
    unsigned most = 1 + draw(6);
    for (unsigned i = n->count; i-- > 0 && most > 0;) {
        if (n->values[i].form == form) {
            found = &n->values[i];
            most--;
        }
    }
    return found;
}

static const char *unary(void) {
    static const char *const kinds[] = {"Relu", "Neg", "Exp", "Sigmoid", "Identity"};
    return kinds[draw(5)];
}

/* Bodies are told before the node that has them. */
static void say_if(struct network *n, const struct value *a) {
    const struct value *b = some(n, TENSOR);
    unsigned g = n->graphs;
    n->graphs += 2;
    const char *condition = draw(3) ? (draw(2) ? "yes" : "no") : "open";
    char own[24]; /* what the body makes; at times a node that comes later makes one of that name, too */
    if (draw(3)) {
        snprintf(own, sizeof own, "t%u_y", g);
    } else {
        snprintf(own, sizeof own, "v%u", n->count + 1 + draw(4));
    }
    say(n, "graph t%u\n%s %s -> t%u_a\n%s t%u_a -> %s\noutput %s\nend\n", g, unary(), a->name, g, unary(), g, own, own);
    say(n, "graph e%u\n%s %s -> e%u_y\noutput e%u_y\nend\n", g, unary(), b->name, g, g);
    unsigned length = strcmp(condition, "yes") == 0  ? a->length
                      : strcmp(condition, "no") == 0 ? b->length
                      : a->length > b->length        ? a->length
                                                     : b->length;
    say(n, "If %s -> %s then_branch=@t%u else_branch=@e%u\n", condition, fresh(n, TENSOR, length), g, g);
}

static void say_loop(struct network *n, const struct value *a) {
    const struct value *b = some(n, TENSOR);
    unsigned g = n->graphs++;
    say(n, "graph l%u\ninput l%u_i int64 -\ninput l%u_c bool -\ninput l%u_s float %u\n", g, g, g, g, a->length);
    say(n, "ReduceMax %s -> l%u_m keepdims=1\nAdd l%u_s,l%u_m -> l%u_t\nIdentity l%u_c -> l%u_d\n", b->name, g, g, g, g,
        g, g);
    say(n, "output l%u_d\noutput l%u_t\nend\nLoop rounds,_,%s -> %s body=@l%u\n", g, g, a->name,
        fresh(n, TENSOR, a->length), g);
}

static void say_node(struct network *n) {
    const struct value *a = some(n, TENSOR), *b = some(n, TENSOR), *q = some(n, SEQUENCE), *o = some(n, OPTIONAL),
                       *s = some(n, SHAPE);
    switch (draw(16)) {
    case 0:
    case 1:
        say(n, "%s %s -> %s\n", unary(), a->name, fresh(n, TENSOR, a->length));
        break;
    case 2:
        say(n, "ReduceMax %s -> %s keepdims=1\n", a->name, fresh(n, TENSOR, 1));
        break;
    case 3:
        say(n, "Add %s,%s -> %s\n", a->name, a->length == b->length ? b->name : a->name, fresh(n, TENSOR, a->length));
        break;
    case 4:
        if (a->length + b->length < 4000) {
            say(n, "Concat %s,%s -> %s axis=0\n", a->name, b->name, fresh(n, TENSOR, a->length + b->length));
        }
        break;
    case 5:
    case 6:
        say(n, "Shape %s -> %s\n", a->name, fresh(n, SHAPE, a->length));
        break;
    case 7:
        if (s) {
            say(n, "ConstantOfShape %s -> %s\n", s->name, fresh(n, TENSOR, s->length));
        }
        break;
    case 8:
        if (s && s->length == a->length) {
            say(n, "Reshape %s,%s -> %s\n", a->name, s->name, fresh(n, TENSOR, a->length));
        } else if (s) {
            say(n, "Expand one,%s -> %s\n", s->name, fresh(n, TENSOR, s->length));
        }
        break;
    case 9:
        say(n, "SequenceConstruct %s -> %s\n", a->name, fresh(n, SEQUENCE, a->length));
        break;
    case 10:
        if (q && q->length == a->length) {
            say(n, "SequenceInsert %s,%s -> %s\n", q->name, a->name, fresh(n, SEQUENCE, a->length));
        }
        break;
    case 11:
        if (q) {
            say(n, "SequenceAt %s,first -> %s\n", q->name, fresh(n, TENSOR, q->length));
        }
        break;
    case 12:
        if (o) {
            say(n, "OptionalGetElement %s -> %s\n", o->name, fresh(n, TENSOR, o->length));
        } else {
            say(n, "Optional %s -> %s\n", a->name, fresh(n, OPTIONAL, a->length));
        }
        break;
    case 13:
        if (n->graphs < 6) {
            say_if(n, a);
        }
        break;
    case 14:
        if (n->graphs < 7) {
            say_loop(n, a);
        }
        break;
    default:
        say(n, "own/Twice %s -> %s\n", a->name, fresh(n, TENSOR, a->length));
    }
}

static void draw_network(struct network *n, uint64_t seed) {
    state_of_draw = seed * 1000003;
    draw(2);
    *n = (struct network){.seed = seed};
    say(n, "opset 15\ninput open bool -\nints i0 1\nints i1 2\nint first 0\nint rounds 3\nreals one 1.0\n");
    say(n, "function Twice p -> r\nAdd p,p -> p2\nExp p2 -> r\nend\nLess i0,i1 -> w_yes\nLess i1,i0 -> w_no\nReshape "
           "w_yes,none -> yes\n");
    say(n, "Reshape w_no,none -> no\nints none\n");
    for (unsigned i = 1 + draw(3); i > 0; i--) {
        unsigned length = 1 + draw(40);
        say(n, "input %s float %u\n", fresh(n, TENSOR, length), length);
    }
    for (unsigned i = 4 + draw(24); i > 0 && n->count < MOST_VALUES; i--) {
        say_node(n);
    }
    unsigned outputs = 1 + draw(3);
    for (unsigned i = n->count; i-- > 0 && outputs > 0;) {
        if (n->values[i].form == TENSOR && (i + 1 == n->count || draw(3))) {
            say(n, "output %s\n", n->values[i].name);
            outputs--;
        }
    }
}

/* ---- orders ---- */

/* One that the problem allows, drawn step by step. False: no memory. */
static bool draw_order(const struct network *n, const struct sw_problem *problem, uint32_t *order) {
    struct sw_error error = {0};
    struct sw_order_graph *graph = sw_order_graph_new(problem, &error);
    struct sw_order_state state;
    if (!graph || !sw_order_state_init(&state, graph)) {
        fail(n, "%s", error.message);
    }
    for (uint32_t i = 0; i < graph->operator_count; i++) {
        uint32_t op = SW_NONE, which = draw(state.ready_count); /* `ready` is in no order of note */
        for (uint32_t k = 0; k < state.ready_count; k++) {
            uint32_t smaller = 0;
            for (uint32_t m = 0; m < state.ready_count; m++) {
                smaller += state.ready[m] < state.ready[k];
            }
            op = smaller == which ? state.ready[k] : op;
        }
        order[i] = op;
        sw_order_state_run(&state, op);
    }
    sw_order_state_done(&state);
    sw_order_graph_free(graph);
    return true;
}

/* Two neighbors changed for each other, each whole: whatever the problem says of that. */
static void swap_neighbors(const struct sw_problem *problem, uint32_t *order, uint32_t count) {
    uint32_t at = draw(count), first = at, end, room[256];
    while (first > 0 && sw_problem_operator(problem, order[first])->joined) {
        first--;
    }
    for (at = first + 1; at < count && sw_problem_operator(problem, order[at])->joined; at++) {
    }
    for (end = at < count ? at + 1 : at; end < count && sw_problem_operator(problem, order[end])->joined; end++) {
    }
    memcpy(room, order + first, (at - first) * sizeof *room);
    memmove(order + first, order + at, (end - at) * sizeof *order);
    memcpy(order + first + (end - at), room, (at - first) * sizeof *room);
}

static void check_written(const struct network *n, const struct sw_input *input, const struct sw_problem *problem,
                          const uint32_t *order) {
    struct sw_error error = {0}, why = {0};
    struct sw_sink out = {0};
    uint32_t count = sw_problem_operator_count(problem);
    bool may = sw_problem_may_order(problem, order, NULL, &why);
    bool written = sw_format_onnx.write_order(input, NULL, order, count, &out, &error);
    if (may != written) {
        fail(n, "%s: %s",
             may ? "the problem allows it, the writer does not" : "the writer allows it, the problem does not",
             may ? error.message : why.message);
    }
    seen.refused += !may;
    if (may) {
        struct sw_input copy = {.name = "copy", .bytes = out.text.items, .length = out.text.count};
        struct sw_problem *ordered = sw_problem_in_order(problem, order, &error),
                          *again = sw_load_input(&copy, NULL, &error);
        if (!ordered || !again) {
            fail(n, "%s", error.message);
        }
        bool same = sw_problem_operator_count(again) == count &&
                    sw_problem_lower_bound(again) == sw_problem_lower_bound(ordered);
        for (uint32_t i = 0; same && i < count; i++) {
            same = strcmp(sw_problem_operator(again, i)->kind, sw_problem_operator(ordered, i)->kind) == 0;
            seen.moved += order[i] != i;
        }
        if (!same) {
            fail(n, "it is read as another problem");
        }
        sw_problem_unref(ordered);
        sw_problem_unref(again);
    }
    sw_sink_done(&out);
}

static void check_network(struct network *n) {
    struct sw_error error = {0};
    onnx_bytes model = onnx_encode(n->text);
    struct sw_input input = {.name = "model", .bytes = model.items, .length = model.count};
    struct sw_problem *problem = sw_load_input(&input, NULL, &error);
    uint32_t order[256], count = problem ? sw_problem_operator_count(problem) : 0;
    if (!problem && !strstr(error.message, "no operator of the graph runs")) {
        fail(n, "%s", error.message);
    }
    for (uint32_t op = 0; op < count; op++) {
        seen.ties += sw_problem_operator(problem, op)->after_count;
        seen.joined += sw_problem_operator(problem, op)->joined;
    }
    seen.operators += count;
    for (int k = 0; k < 3 && count > 0 && count <= 256; k++) {
        draw_order(n, problem, order);
        check_written(n, &input, problem, order);
        swap_neighbors(problem, order, count);
        check_written(n, &input, problem, order);
    }
    sw_problem_unref(problem);
    SW_ARRAY_DONE(&model);
}

int main(void) {
    static struct network network;
    const char *seed = getenv("SW_PROPERTY_SEED");
    uint64_t first = seed ? strtoull(seed, NULL, 10) : 1;
    for (uint64_t i = first_case(CASES), i_end = i + cases(CASES); i < i_end; i++) {
        draw_network(&network, first + i);
        check_network(&network);
    }
    printf("%" PRIu64 " operators, %" PRIu64 " ties that no buffer carries, %" PRIu64 " moved, %" PRIu64
           " joined, %" PRIu64 " orders refused\n",
           seen.operators, seen.ties, seen.moved, seen.joined, seen.refused);
    return often(seen.ties, 2000) && often(seen.moved, 20000) && often(seen.joined, 2000) && often(seen.refused, 2000)
               ? 0
               : 1;
}
