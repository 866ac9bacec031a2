/* What a difference is due to (problem/compare/due.h), on random pairs of models. The new model is made of the old one
 * here, one kind of change after the other, so all models in between are known; what the planner needs for each is the
 * part that must be told. Each kind is tried alone and with others, with new names, and with another planner. */
#include "share.h"
#include "stowage.h"
#include "stowage_runs.h"

#include "search/result/figures.h"

enum { SHARE = 4000, MOST_ITEMS = 40, MOST_REFS = 4 };

struct net_buffer {
    char name[24];
    enum sw_kind kind;
    uint64_t size, alignment;
    int first, last; /* of lists */
};
struct net_operator {
    char name[24];
    int in[MOST_REFS], out[2]; /* identities of buffers */
    int in_count, out_count;
    bool came;
};
/* Buffers have identities, which stay; `listed` is their order in the file. */
struct net {
    bool is_list;
    struct net_buffer buffers[MOST_ITEMS];
    bool there[MOST_ITEMS];
    int buffer_count, listed[MOST_ITEMS], listed_count;
    struct net_operator operators[MOST_ITEMS];
    int operator_count, made_count;
    int old_count; /* buffers below are of the old side: what came is not changed once more */
};

static uint64_t due_seed;
static int below(int bound) {
    return (int)sw_random_below(&due_seed, (uint64_t)bound);
}

static void must(bool truth, const char *what, uint64_t seed, unsigned kinds, const char *planner) {
    if (!truth) {
        printf("seed %" PRIu64 ", kinds %#x, planner %s: %s\n", seed, kinds, planner, what);
        exit(1);
    }
}

/* ---- a net, and the problem that it is ---- */

static int add_net_buffer(struct net *net, int at, enum sw_kind kind) {
    int id = net->buffer_count++;
    struct net_buffer *b = &net->buffers[id];
    snprintf(b->name, sizeof b->name, "b%d", id);
    b->kind = kind;
    b->size = 16 + (uint64_t)below(200);
    b->alignment = 1;
    b->first = below(12);
    b->last = b->first + below(6);
    net->there[id] = true;
    memmove(net->listed + at + 1, net->listed + at, (size_t)(net->listed_count - at) * sizeof *net->listed);
    net->listed[at] = id;
    net->listed_count++;
    return id;
}

static void add_net_operator(struct net *net, int at, bool came) {
    memmove(net->operators + at + 1, net->operators + at, (size_t)(net->operator_count - at) * sizeof *net->operators);
    net->operators[at] = (struct net_operator){.came = came};
    snprintf(net->operators[at].name, sizeof net->operators[at].name, "op%d", net->made_count++);
    net->operator_count++;
}

static void draw_net(struct net *net) {
    *net = (struct net){.is_list = below(4) == 0};
    int input = add_net_buffer(net, 0, SW_KIND_INPUT), count = 4 + below(9);
    for (int i = 0; i < count; i++) {
        add_net_operator(net, i, false);
        struct net_operator *op = &net->operators[i];
        op->in[op->in_count++] = i == 0 ? input : below(net->buffer_count);
        int other = below(net->buffer_count);
        if (other != op->in[0]) {
            op->in[op->in_count++] = other;
        }
        op->out[op->out_count++] =
            add_net_buffer(net, net->listed_count, i + 1 == count ? SW_KIND_OUTPUT : SW_KIND_INTERMEDIATE);
    }
}

static int last_use(const struct net *net, int buffer) {
    int last = -1;
    for (int i = 0; i < net->operator_count; i++) {
        const struct net_operator *op = &net->operators[i];
        for (int k = 0; k < op->in_count; k++) {
            last = op->in[k] == buffer ? i : last;
        }
        for (int k = 0; k < op->out_count; k++) {
            last = op->out[k] == buffer ? i : last;
        }
    }
    return last;
}

static int birth(const struct net *net, int buffer) {
    for (int i = 0; i < net->operator_count; i++) {
        for (int k = 0; k < net->operators[i].out_count; k++) {
            if (net->operators[i].out[k] == buffer) {
                return i;
            }
        }
    }
    return -1;
}

static struct sw_problem *build_net(const struct net *net) {
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    bool good = builder != NULL;
    for (int i = 0; good && i < net->listed_count; i++) {
        const struct net_buffer *b = &net->buffers[net->listed[i]];
        struct sw_buffer_spec spec = {.name = b->name,
                                      .kind = net->is_list ? SW_KIND_INTERMEDIATE : b->kind,
                                      .has_size = true,
                                      .size = b->size,
                                      .alignment = b->alignment,
                                      .has_first = net->is_list,
                                      .has_last = net->is_list,
                                      .first = b->first,
                                      .last = b->last};
        good = sw_builder_buffer(builder, &spec, &error);
    }
    for (int i = 0; good && !net->is_list && i < net->operator_count; i++) {
        const struct net_operator *op = &net->operators[i];
        const char *in[MOST_REFS], *out[2];
        for (int k = 0; k < op->in_count; k++) {
            in[k] = net->buffers[op->in[k]].name;
        }
        for (int k = 0; k < op->out_count; k++) {
            out[k] = net->buffers[op->out[k]].name;
        }
        struct sw_operator_spec spec = {.name = op->name,
                                        .kind = "add",
                                        .inputs = in,
                                        .input_count = (size_t)op->in_count,
                                        .outputs = out,
                                        .output_count = (size_t)op->out_count};
        good = sw_builder_operator(builder, &spec, &error);
    }
    struct sw_problem *problem = good ? sw_builder_finish(builder, &error) : NULL;
    sw_builder_free(builder);
    if (!problem) {
        printf("a net is not built: %s\n", error.message);
        exit(1);
    }
    return problem;
}

/* ---- changes, each of one kind alone ---- */

/* An operator that reads what is alive there, for no longer, and writes a buffer that another such one may read. */
static bool change_came(struct net *net) {
    if (net->is_list) {
        add_net_buffer(net, below(net->listed_count + 1), SW_KIND_INTERMEDIATE);
        return true;
    }
    int at = 1 + below(net->operator_count - 1), read = -1;
    for (int b = 0; b < net->buffer_count; b++) {
        bool alive = net->there[b] && birth(net, b) < at && last_use(net, b) >= at;
        read = alive && (read < 0 || below(2)) ? b : read;
    }
    int made = add_net_buffer(net, 1 + below(net->listed_count), SW_KIND_INTERMEDIATE);
    add_net_operator(net, at, true);
    struct net_operator *op = &net->operators[at];
    op->out[op->out_count++] = made;
    if (read >= 0) {
        op->in[op->in_count++] = read;
    }
    if (below(2)) {
        add_net_operator(net, at + 1, true);
        net->operators[at + 1].in[net->operators[at + 1].in_count++] = made;
    }
    return true;
}

/* What came before the old model was as it is goes again. */
static bool change_went(struct net *net) {
    int kept = 0;
    bool went = false;
    for (int i = 0; i < net->operator_count; i++) {
        if (!net->operators[i].came) {
            net->operators[kept++] = net->operators[i];
        } else {
            for (int k = 0; k < net->operators[i].out_count; k++) {
                net->there[net->operators[i].out[k]] = false;
            }
        }
    }
    if (net->is_list) {
        net->there[net->listed[below(net->listed_count)]] = false;
    }
    net->operator_count = kept;
    kept = 0;
    for (int i = 0; i < net->listed_count; i++) {
        went |= !net->there[net->listed[i]];
        net->listed[kept] = net->listed[i];
        kept += net->there[net->listed[i]];
    }
    net->listed_count = kept;
    return went;
}

/* One that both sides have, or may have. */
static int any_old(const struct net *net) {
    int b = 0;
    do {
        b = net->listed[below(net->listed_count)];
    } while (b >= net->old_count);
    return b;
}

static bool change_sizes(struct net *net) {
    for (int times = 1 + below(3); times > 0; times--) {
        net->buffers[any_old(net)].size += 1 + (uint64_t)below(100);
    }
    return true;
}

/* One more operator of those that there are reads a buffer that was dead then. */
static bool change_lives(struct net *net) {
    if (net->is_list) {
        net->buffers[any_old(net)].last += 1 + below(3);
        return true;
    }
    for (int tries = 0; tries < 40; tries++) {
        int at = below(net->operator_count), b = any_old(net);
        struct net_operator *op = &net->operators[at];
        if (!op->came && op->in_count < MOST_REFS && birth(net, b) < at && last_use(net, b) < at &&
            net->buffers[b].kind != SW_KIND_OUTPUT) {
            op->in[op->in_count++] = b;
            return true;
        }
    }
    return false;
}

static bool needs(const struct net_operator *later, const struct net_operator *op) {
    for (int i = 0; i < later->in_count; i++) {
        for (int k = 0; k < op->out_count; k++) {
            if (later->in[i] == op->out[k]) {
                return true;
            }
        }
    }
    return false;
}

/* Two neighbors that do not need one another, with nothing new behind them. */
static bool change_order(struct net *net) {
    if (net->is_list) {
        int a = below(net->listed_count - 1), *at = &net->listed[a], b = at[0];
        if (b >= net->old_count || at[1] >= net->old_count || (a + 2 < net->listed_count && at[2] >= net->old_count)) {
            return false;
        }
        at[0] = at[1];
        at[1] = b;
        return true;
    }
    for (int i = 0; i + 1 < net->operator_count; i++) {
        struct net_operator *a = &net->operators[i], *b = a + 1;
        bool new_behind = i + 2 < net->operator_count && b[1].came;
        if (!a->came && !b->came && !new_behind && !needs(b, a)) {
            struct net_operator keep = *a;
            *a = *b;
            *b = keep;
            return true;
        }
    }
    return false;
}

static bool change_rest(struct net *net) {
    net->buffers[any_old(net)].alignment = 32;
    return true;
}

static bool (*const changes[])(struct net *) = {
    [SW_DUE_WENT] = change_went,   [SW_DUE_SIZES] = change_sizes, [SW_DUE_CAME] = change_came,
    [SW_DUE_LIVES] = change_lives, [SW_DUE_ORDER] = change_order, [SW_DUE_REST] = change_rest,
};

/* New names for what both sides have, where place and size tell it: not where a size or a use changed. */
static void rename_all(struct net *net) {
    for (int i = 0; i < net->operator_count; i++) {
        snprintf(net->operators[i].name, sizeof net->operators[i].name, "renamed_op%d", i);
    }
    for (int i = 0; i < net->buffer_count; i++) {
        snprintf(net->buffers[i].name, sizeof net->buffers[i].name, "renamed%d", i);
    }
}

/* ---- what is told, against what is so ---- */

static const char *const tried[] = {"first-fit", "best-fit", "greedy-by-size", "greedy-by-breadth",
                                    "lifetime-best-fit"};
enum { TRIED = sizeof tried / sizeof *tried };

static uint64_t peak_of(const struct sw_problem *problem, const char *planner) {
    struct sw_error error = {0};
    struct sw_search *search = sw_search_new(problem, sw_planner_find(planner, &error), NULL, &error);
    bool ended = search && sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE;
    if (!ended) {
        printf("%s has no plan: %s\n", planner, error.message);
        exit(1);
    }
    uint64_t peak = sw_layout_peak(sw_search_layout(search));
    sw_search_free(search);
    return peak;
}

static bool figure_of(void *context, const struct sw_problem *problem, bool *known, uint64_t *figure,
                      struct sw_error *error) {
    (void)error;
    *known = true;
    *figure = peak_of(problem, context);
    return true;
}

struct due_count {
    uint64_t pairs, parts[SW_DUE_KINDS], apart[SW_DUE_KINDS], alone;
};

static void compare_nets(uint64_t seed, unsigned wanted, struct due_count *count) {
    static struct net nets[SW_DUE_PLANNER + 1];
    due_seed = seed;
    const char *planner = tried[below(TRIED)], *other = wanted & SW_DUE(SW_DUE_PLANNER) ? tried[below(TRIED)] : planner;
    bool by_bound = below(8) == 0;
    unsigned made = strcmp(planner, other) ? SW_DUE(SW_DUE_PLANNER) : 0;
    draw_net(&nets[0]);
    if (!nets[0].is_list && wanted & SW_DUE(SW_DUE_WENT)) {
        change_came(&nets[0]);
    }
    nets[0].old_count = nets[0].buffer_count;
    struct sw_problem *problems[SW_DUE_PLANNER + 1] = {build_net(&nets[0])};
    for (int kind = 0; kind < SW_DUE_PLANNER; kind++) {
        nets[kind + 1] = nets[kind];
        if (wanted & SW_DUE(kind) && changes[kind](&nets[kind + 1])) {
            made |= SW_DUE(kind);
        }
        problems[kind + 1] = build_net(&nets[kind + 1]);
    }
    struct sw_problem *fresh = problems[SW_DUE_PLANNER];
    if (!(made & ~(SW_DUE(SW_DUE_PLANNER) | SW_DUE(SW_DUE_REST))) && !nets[0].is_list) {
        rename_all(&nets[SW_DUE_PLANNER]); /* and nothing else is a change */
        sw_problem_unref(fresh);
        fresh = problems[SW_DUE_PLANNER] = build_net(&nets[SW_DUE_PLANNER]);
    }
    struct sw_pairing pairing;
    struct sw_due due;
    struct sw_error error = {0};
    struct sw_due_sides sides = {.old = peak_of(problems[0], planner),
                                 .fresh = peak_of(fresh, other),
                                 .other = planner != other && strcmp(planner, other),
                                 .figure = by_bound ? NULL : figure_of,
                                 .context = (void *)(uintptr_t)planner};
    bool good = sw_pairing_make(&pairing, problems[0], fresh) && sw_due_find(&pairing, &sides, &due, &error);
    must(good, error.message, seed, made, planner);
    int64_t sum = 0, last = SW_DUE_KINDS;
    unsigned told = 0;
    for (size_t i = 0; i < due.count; i++) {
        sum += due.parts[i].figure;
        told |= due.parts[i].kinds;
        for (int kind = 0; kind < SW_DUE_PLANNER; kind++) {
            if (due.parts[i].kinds == SW_DUE(kind)) {
                const struct sw_problem *before = problems[kind], *after = problems[kind + 1];
                int64_t bound = (int64_t)(sw_problem_lower_bound(after) - sw_problem_lower_bound(before));
                int64_t part = by_bound ? bound : (int64_t)(peak_of(after, planner) - peak_of(before, planner));
                must(due.parts[i].figure == part, "a part is another", seed, made, planner);
                must(due.parts[i].bound == bound, "the bound of a part is another", seed, made, planner);
                must(last == SW_DUE_KINDS || last < kind, "the order is another", seed, made, planner);
                last = kind;
                count->parts[kind] += part != 0;
                count->apart[kind]++;
            }
        }
    }
    must(sum == (int64_t)(sides.fresh - sides.old), "the parts do not add up", seed, made, planner);
    must(told == due.kinds, "a kind has no part", seed, made, planner);
    must((due.kinds & ~SW_DUE(SW_DUE_PLANNER)) == (made & ~SW_DUE(SW_DUE_PLANNER)), "other kinds are told", seed, made,
         planner);
    must(by_bound || !((due.kinds ^ made) & SW_DUE(SW_DUE_PLANNER)), "the planner is told, or not", seed, made,
         planner);
    if (!by_bound && made && !(made & (made - 1))) {
        must(due.count == 1 && due.parts[0].kinds == made, "it is not that part alone", seed, made, planner);
        count->alone++;
    }
    must(made || by_bound || due.count == 0, "there are parts, and nothing changed", seed, made, planner);
    count->pairs++;
    sw_pairing_done(&pairing);
    for (int i = 0; i <= SW_DUE_PLANNER; i++) {
        sw_problem_unref(problems[i]);
    }
}

int main(void) {
    struct due_count count = {0};
    uint64_t first = first_case(SHARE), last = first + cases(SHARE);
    for (uint64_t i = first; i < last; i++) {
        uint64_t state = i + 1;
        unsigned all = (unsigned)sw_random_below(&state, SW_DUE(SW_DUE_KINDS));
        compare_nets(i + 1, all, &count);
        compare_nets(i + 1, SW_DUE(i % SW_DUE_KINDS), &count);
        compare_nets(i + 1, 0, &count);
    }
    printf("%" PRIu64 " pairs, %" PRIu64 " with one kind alone", count.pairs, count.alone);
    for (int kind = 0; kind < SW_DUE_PLANNER; kind++) {
        printf(", kind %d: %" PRIu64 " of %" PRIu64, kind, count.parts[kind], count.apart[kind]);
        must(count.parts[kind] > 0, "this kind was never tried", 0, SW_DUE(kind), "any");
    }
    printf("\n");
    return 0;
}
