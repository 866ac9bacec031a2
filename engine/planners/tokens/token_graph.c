/* token-sharing: what the graph says before anything is allocated. See token_sharing.c.
 *
 * Calls, tuples and their branches, the layer of every tensor, counts, and the flat list of tasks
 * that the planner then carries out one by one. */
#include "planners/tokens/token.h"

#include <string.h>

bool sw_token_kind(const struct sw_operator *op, const char *kind) {
    return strcmp(op->kind, kind) == 0;
}

static bool whole_ref(const struct sw_ref *refs, uint32_t count, uint32_t buffer) {
    for (uint32_t i = 0; i < count; i++) {
        if (refs[i].buffer == buffer && refs[i].member == SW_NONE) {
            return true;
        }
    }
    return false;
}

bool sw_token_marked(const struct sw_operator *op, uint32_t in, uint32_t out) {
    if (op->inplace == SW_INPLACE_PAIRS) {
        for (uint32_t i = 0; i < op->pair_count; i++) {
            const struct sw_ref *pair = op->pairs[i];
            if (pair[0].buffer == in && pair[0].member == SW_NONE && pair[1].buffer == out &&
                pair[1].member == SW_NONE) {
                return true;
            }
        }
        return false;
    }
    bool marked = op->inplace == SW_INPLACE_ANY || sw_token_kind(op, "reshape");
    return marked && whole_ref(op->inputs, op->input_count, in) && whole_ref(op->outputs, op->output_count, out);
}

bool sw_token_pure_reshape(const struct token_graph *g, const struct sw_operator *op, uint32_t in, uint32_t out) {
    return sw_token_kind(op, "reshape") && op->output_count == 1 && op->input_count > 0 &&
           op->outputs[0].buffer == out && op->outputs[0].member == SW_NONE && op->inputs[0].buffer == in &&
           op->inputs[0].member == SW_NONE && op->scratch_count == 0 && g->info[in].steady && g->info[out].steady &&
           g->info[in].size == g->info[out].size;
}

bool sw_token_plain(const struct sw_operator *op, uint32_t fresh, uint32_t old) {
    uint32_t written = 0;
    bool plain = !sw_refs_name(op->outputs, op->output_count, old) &&
                 !sw_refs_name(op->scratch, op->scratch_count, old) &&
                 !sw_refs_name(op->scratch, op->scratch_count, fresh);
    for (uint32_t i = 0; i < op->input_count; i++) {
        plain &= op->inputs[i].buffer != fresh && (op->inputs[i].buffer != old || op->inputs[i].member == SW_NONE);
    }
    for (uint32_t i = 0; i < op->output_count; i++) {
        written += op->outputs[i].buffer == fresh;
    }
    return plain && written == 1;
}

/* ---- owning ---- */

void sw_token_graph_drop(struct token_graph *g) {
    if (!g || --g->owners > 0) {
        return;
    }
    sw_problem_unref(g->origin);
    sw_arena_done(&g->room);
    SW_ARRAY_DONE(&g->parts);
    SW_ARRAY_DONE(&g->inputs);
    SW_ARRAY_DONE(&g->chains);
    SW_ARRAY_DONE(&g->tasks);
    SW_ARRAY_DONE(&g->terms);
    SW_ARRAY_DONE(&g->pinned);
    SW_FREE(g, 1);
}

/* ---- calls ---- */

static void find_calls(struct token_graph *g) {
    for (uint32_t o = 0; o < g->operator_count; o++) {
        uint32_t function = sw_problem_operator(g->origin, o)->function;
        bool same = o > 0 && function != SW_NONE && function == sw_problem_operator(g->origin, o - 1)->function;
        if (!same) {
            g->calls[g->call_count++] = (struct token_call){
                .first = o,
                .unit = function == SW_NONE ? SW_NONE : sw_problem_function(g->origin, function)->unit,
                .own = function == SW_NONE};
        }
        g->calls[g->call_count - 1].last = o;
        g->call_of[o] = g->call_count - 1;
    }
}

/* ---- tuples and their branches ---- */

/* What only making the graph needs. */
struct token_maker {
    struct token_graph *g;
    uint32_t *writers;    /* per buffer: how often it is written */
    uint32_t *leader;     /* union-find over tensors that have one fate */
    uint32_t *first_call; /* per leader: the call that touches it; SW_NONE: none yet */
    bool *many;           /* per leader: several calls, or it leaves its call */
    bool *odd;            /* has members, is pinned, kept separate or has a lifetime of its own */
    SW_ARRAY(bool) taken; /* per part: a get-item has it */
    bool *placed;
    uint32_t *stamp;
    bool ok;
    struct sw_arena room;
};

static void find_odd(struct token_maker *m) {
    const struct sw_problem *p = m->g->origin;
    for (uint32_t b = 0; b < m->g->buffer_count; b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(p, b);
        m->writers[b] = sw_token_given(p, b);
        m->odd[b] = !buffer->planned || buffer->pinned || buffer->lifetime_given || m->writers[b] > 0 ||
                    sw_problem_core_count(p) > 1;
    }
    for (uint32_t i = 0; i < sw_problem_member_count(p); i++) {
        m->odd[sw_problem_member(p, i)->buffer] = true;
    }
    size_t count;
    const uint32_t(*separate)[2] = sw_problem_separate(p, &count);
    for (size_t i = 0; i < count; i++) {
        m->odd[separate[i][0]] = m->odd[separate[i][1]] = true;
    }
    for (uint32_t o = 0; o < m->g->operator_count; o++) {
        const struct sw_operator *op = sw_problem_operator(p, o);
        for (uint32_t i = 0; i < op->output_count; i++) {
            m->writers[op->outputs[i].buffer]++;
        }
        for (uint32_t i = 0; i < op->scratch_count; i++) {
            m->writers[op->scratch[i].buffer] += 2;
        }
    }
    for (uint32_t b = 0; b < m->g->buffer_count; b++) {
        m->g->info[b].steady = m->writers[b] <= 1;
    }
}

/* The only result of an operator, a plain tensor that no other operator writes; or SW_NONE. */
static uint32_t plain_result(const struct token_maker *m, const struct sw_operator *op) {
    uint32_t b = op->output_count == 1 ? op->outputs[0].buffer : SW_NONE;
    bool plain = b != SW_NONE && op->outputs[0].member == SW_NONE && !m->odd[b] && m->writers[b] == 1 &&
                 op->scratch_count == 0 && !whole_ref(op->inputs, op->input_count, b);
    return plain ? b : SW_NONE;
}

/* Which operators are tuples that need no bytes of their own? Inputs of each are decided before it. */
static void find_tuples(struct token_maker *m) {
    for (uint32_t o = 0; o < m->g->operator_count; o++) {
        const struct sw_operator *op = sw_problem_operator(m->g->origin, o);
        uint32_t t = sw_token_kind(op, "tuple") ? plain_result(m, op) : SW_NONE;
        bool fits = t != SW_NONE && op->input_count > 0;
        for (uint32_t i = 0; fits && i < op->input_count; i++) {
            const struct token_info *in = &m->g->info[op->inputs[i].buffer];
            fits = op->inputs[i].member == SW_NONE && (in->tuple || (in->root != SW_NONE && in->steady));
        }
        if (fits) {
            m->g->info[t].tuple = true;
            m->g->info[t].root = SW_NONE;
        }
    }
}

static bool add_token_part(struct token_maker *m, uint32_t root) {
    return SW_PUSH(&m->g->parts, root) && SW_PUSH(&m->taken, false);
}

static void read_tuple(struct token_maker *m, uint32_t t, const struct sw_operator *op) {
    struct token_graph *g = m->g;
    uint32_t part = (uint32_t)g->parts.count;
    for (uint32_t i = 0; m->ok && i < op->input_count; i++) {
        const struct token_info *in = &g->info[op->inputs[i].buffer];
        for (uint32_t k = 0; m->ok && k < in->part_count; k++) {
            m->ok = add_token_part(m, g->parts.items[in->part + k]);
        }
        m->ok = m->ok && (in->tuple || add_token_part(m, in->root));
    }
    g->info[t].part = part;
    g->info[t].part_count = (uint32_t)g->parts.count - part;
}

/* The branch that a get-item takes: the first of its own declared size that no earlier one took,
 * failing that the first of its size. It must fit into the token, as adopted. */
static void read_item(struct token_maker *m, const struct sw_operator *op) {
    struct token_graph *g = m->g;
    uint32_t y = plain_result(m, op);
    if (y == SW_NONE || op->input_count != 1 || op->inputs[0].member != SW_NONE) {
        return;
    }
    const struct token_info *tuple = &g->info[op->inputs[0].buffer];
    uint32_t found = SW_NONE;
    uint64_t size = sw_problem_buffer(g->origin, y)->size;
    for (uint32_t k = tuple->part; k < tuple->part + tuple->part_count; k++) {
        if (sw_problem_buffer(g->origin, g->parts.items[k])->size == size &&
            (found == SW_NONE || (m->taken.items[found] && !m->taken.items[k]))) {
            found = k;
        }
    }
    if (found == SW_NONE) {
        return;
    }
    m->taken.items[found] = true;
    struct token_info *root = &g->info[g->parts.items[found]];
    uint64_t multiple = sw_multiple_up_to(root->alignment, g->info[y].alignment, SW_MAX_BYTES);
    const struct sw_buffer *branch = sw_problem_buffer(g->origin, g->parts.items[found]);
    if (g->info[y].size <= root->size && multiple <= SW_MAX_ALIGNMENT &&
        (!branch->pinned || branch->offset % multiple == 0)) {
        g->info[y].root = g->parts.items[found];
        root->alignment = multiple;
        root->tiers &= g->info[y].tiers;
    }
}

/* In program order, so that branches of branches are roots already. */
static bool read_tuples(struct token_maker *m) {
    for (uint32_t o = 0; m->ok && o < m->g->operator_count; o++) {
        const struct sw_operator *op = sw_problem_operator(m->g->origin, o);
        uint32_t b = op->output_count == 1 ? op->outputs[0].buffer : SW_NONE;
        if (b != SW_NONE && m->g->info[b].tuple && sw_token_kind(op, "tuple")) {
            read_tuple(m, b, op);
        } else if (sw_token_kind(op, "get-item")) {
            read_item(m, op);
        }
    }
    return m->ok;
}

/* ---- layers ---- */

uint32_t sw_token_leader(uint32_t *leader, uint32_t b) {
    while (leader[b] != b) {
        leader[b] = leader[leader[b]];
        b = leader[b];
    }
    return b;
}

void sw_token_unite(uint32_t *leader, uint32_t a, uint32_t b) {
    a = sw_token_leader(leader, a);
    b = sw_token_leader(leader, b);
    leader[a > b ? a : b] = a > b ? b : a;
}

/* Visit the arguments of an operator: inputs, outputs, scratch. */
static const struct sw_ref *argument_at(const struct sw_operator *op, uint32_t i) {
    if (i < op->input_count) {
        return &op->inputs[i];
    }
    i -= op->input_count;
    if (i < op->output_count) {
        return &op->outputs[i];
    }
    i -= op->output_count;
    return i < op->scratch_count ? &op->scratch[i] : NULL;
}

static void find_layers(struct token_maker *m) {
    struct token_graph *g = m->g;
    for (uint32_t o = 0; o < g->operator_count; o++) { /* a tuple, its branches and items */
        const struct sw_operator *op = sw_problem_operator(g->origin, o);
        bool item = sw_token_kind(op, "get-item"), tuple = sw_token_kind(op, "tuple");
        for (uint32_t i = 0; (item || tuple) && op->output_count > 0 && i < op->input_count; i++) {
            uint32_t in = op->inputs[i].buffer, out = op->outputs[0].buffer;
            if (g->info[tuple ? out : in].tuple) {
                sw_token_unite(m->leader, in, out);
            }
        }
    }
    for (uint32_t o = 0; o < g->operator_count; o++) {
        const struct sw_operator *op = sw_problem_operator(g->origin, o);
        uint32_t call = g->call_of[o];
        for (uint32_t i = 0; argument_at(op, i); i++) {
            uint32_t lead = sw_token_leader(m->leader, argument_at(op, i)->buffer);
            m->many[lead] |= g->calls[call].own || (m->first_call[lead] != SW_NONE && m->first_call[lead] != call);
            m->first_call[lead] = call;
        }
    }
    for (uint32_t b = 0; b < g->buffer_count; b++) {
        m->many[sw_token_leader(m->leader, b)] |=
            sw_problem_buffer(g->origin, b)->output || sw_token_given(g->origin, b);
    }
    for (uint32_t b = 0; b < g->buffer_count; b++) {
        g->info[b].layer = sw_token_given(g->origin, b)             ? TOKEN_MODEL
                           : m->many[sw_token_leader(m->leader, b)] ? TOKEN_FUNCTION
                                                                    : TOKEN_OPERATOR;
    }
}

/* ---- what each token is ---- */

/* The memory spaces and units of the operators that touch a token. */
static void reach_token(struct token_graph *g, uint32_t root, uint32_t unit) {
    if (root != SW_NONE) {
        g->info[root].tiers &= unit == SW_NONE ? UINT64_MAX : sw_problem_unit(g->origin, unit)->tiers;
        /* Units past the 63rd count as one. */
        g->info[root].units |= UINT64_C(1) << (unit == SW_NONE ? 0 : unit < 62 ? unit + 1 : 63);
    }
}

static void find_reach(struct token_graph *g) {
    for (uint32_t o = 0; o < g->operator_count; o++) {
        const struct sw_operator *op = sw_problem_operator(g->origin, o);
        for (uint32_t i = 0; argument_at(op, i); i++) {
            const struct token_info *info = &g->info[argument_at(op, i)->buffer];
            for (uint32_t k = 0; k < info->part_count; k++) {
                reach_token(g, g->parts.items[info->part + k], g->calls[g->call_of[o]].unit);
            }
            reach_token(g, info->root, g->calls[g->call_of[o]].unit);
        }
    }
    for (uint32_t b = 0; b < g->buffer_count; b++) {
        const struct token_info *info = &g->info[b];
        if (info->root == b && info->layer != TOKEN_OPERATOR && info->units != 0) {
            g->saved_bytes += ((uint64_t)__builtin_popcountll(info->units) - 1) * info->bytes;
        }
    }
}

static bool pieces_have_hull(const struct sw_buffer *b) {
    return b->piece_count > 1 || (b->piece_count == 1 && (b->pieces[0].lo > 0 || b->pieces[0].hi < b->size));
}

static void begin_info(struct token_graph *g) {
    size_t separate;
    sw_problem_separate(g->origin, &separate);
    g->simple = separate == 0 && sw_problem_core_count(g->origin) == 1;
    for (uint32_t b = 0; b < g->buffer_count; b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(g->origin, b);
        g->info[b] = (struct token_info){.root = buffer->planned ? b : SW_NONE,
                                         .alignment = buffer->alignment,
                                         .tiers = sw_place_tiers(g->origin, b),
                                         .size = buffer->size,
                                         .before = buffer->size,
                                         .dtype = buffer->dtype,
                                         .hull = pieces_have_hull(buffer)};
        g->simple &= !buffer->lifetime_given;
    }
}

/* ---- tasks ---- */

static void add_task(struct token_maker *m, enum token_task_kind kind, uint32_t buffer, uint32_t op,
                     enum token_layer layer) {
    struct token_graph *g = m->g;
    uint32_t call = op == SW_NONE ? SW_NONE : g->call_of[op];
    m->ok = m->ok && SW_PUSH(&g->tasks, (struct token_task){kind, buffer, op, call, layer});
    if (kind == TASK_DROP) {
        g->info[buffer].count++;
    }
}

uint32_t sw_token_count(const struct token_graph *g, uint32_t b) {
    return g->info[b].part_count > 0 ? g->info[b].part_count : g->info[b].root != SW_NONE;
}

uint32_t sw_token_at(const struct token_graph *g, uint32_t b, uint32_t k) {
    return g->info[b].part_count > 0 ? g->parts.items[g->info[b].part + k] : g->info[b].root;
}

/* Does this pass deal with the token? The operator layer with its own, the function layer with the
 * rest. */
static bool concerns(const struct token_graph *g, uint32_t root, enum token_layer layer) {
    return (g->info[root].layer == TOKEN_OPERATOR) == (layer == TOKEN_OPERATOR);
}

static void place_first(struct token_maker *m, enum token_task_kind kind, uint32_t b, uint32_t op,
                        enum token_layer layer) {
    if (!m->placed[b]) {
        m->placed[b] = true;
        add_task(m, kind, b, op, layer);
    }
}

static void place_arguments(struct token_maker *m, uint32_t o, enum token_layer layer) {
    const struct token_graph *g = m->g;
    const struct sw_operator *op = sw_problem_operator(g->origin, o);
    for (uint32_t i = 0; i < op->input_count; i++) {
        for (uint32_t k = 0; k < sw_token_count(g, op->inputs[i].buffer); k++) {
            uint32_t root = sw_token_at(g, op->inputs[i].buffer, k);
            if (concerns(g, root, layer)) {
                place_first(m, TASK_SOURCE, root, o, layer);
            }
        }
    }
    for (uint32_t i = 0; i < op->output_count; i++) {
        uint32_t b = op->outputs[i].buffer;
        bool alias = g->info[b].part_count > 0 || g->info[b].root != b;
        if (sw_token_count(g, b) > 0 && concerns(g, sw_token_at(g, b, 0), layer)) {
            place_first(m, alias ? TASK_ALIAS : TASK_OUTPUT, b, o, layer);
        }
    }
    for (uint32_t i = 0; i < op->scratch_count; i++) {
        uint32_t b = op->scratch[i].buffer;
        if (g->info[b].root == b && concerns(g, b, layer)) {
            place_first(m, TASK_SCRATCH, b, o, layer);
        }
    }
}

/* An operator's own order of release: unread results, scratch, then inputs as listed. */
static void drop_arguments(struct token_maker *m, uint32_t o, const bool *fresh, enum token_layer layer) {
    const struct token_graph *g = m->g;
    const struct sw_operator *op = sw_problem_operator(g->origin, o);
    uint32_t item = SW_NONE; /* a branch of a tuple: only its own token is used */
    for (uint32_t i = 0; i < op->output_count; i++) {
        uint32_t b = op->outputs[i].buffer;
        if (g->info[b].root != SW_NONE && g->info[b].root != b) {
            item = g->info[b].root;
        } else if (g->info[b].root == b && concerns(g, b, layer)) {
            add_task(m, fresh[i] ? TASK_UNREAD : TASK_DROP, b, o, layer);
        }
    }
    for (uint32_t i = 0; i < op->scratch_count; i++) {
        if (g->info[op->scratch[i].buffer].root == op->scratch[i].buffer && concerns(g, op->scratch[i].buffer, layer)) {
            add_task(m, TASK_DROP, op->scratch[i].buffer, o, layer);
        }
    }
    for (uint32_t i = 0; i < op->input_count; i++) {
        for (uint32_t k = 0; k < sw_token_count(g, op->inputs[i].buffer); k++) {
            uint32_t root = sw_token_at(g, op->inputs[i].buffer, k);
            if (concerns(g, root, layer) && (item == SW_NONE || root == item)) {
                add_task(m, TASK_DROP, root, o, layer);
                if (item != SW_NONE) {
                    break; /* a tensor that is two branches is used once */
                }
            }
        }
    }
}

/* One operator as a node: place everything, then release. */
static void visit_operator(struct token_maker *m, uint32_t o, enum token_layer layer) {
    const struct sw_operator *op = sw_problem_operator(m->g->origin, o);
    bool *fresh = SW_NEW_ZERO(bool, (size_t)op->output_count + 1);
    m->ok = m->ok && fresh;
    for (uint32_t i = 0; m->ok && i < op->output_count; i++) {
        uint32_t b = op->outputs[i].buffer;
        fresh[i] = !m->placed[b] && !sw_refs_name(op->outputs, i, b) && !sw_refs_name(op->inputs, op->input_count, b);
    }
    if (m->ok) {
        place_arguments(m, o, layer);
        drop_arguments(m, o, fresh, layer);
    }
    SW_FREE(fresh, (size_t)op->output_count + 1);
}

/* A declared function at the function layer: each of its tensors once. */
static void visit_function(struct token_maker *m, uint32_t c) {
    const struct token_graph *g = m->g;
    const struct token_call *call = &g->calls[c];
    size_t begin = g->tasks.count;
    for (uint32_t o = call->first; o <= call->last; o++) {
        place_arguments(m, o, TOKEN_FUNCTION);
    }
    size_t end = g->tasks.count;
    for (size_t i = begin; m->ok && i < end; i++) {
        if (g->tasks.items[i].kind != TASK_ALIAS) {
            m->stamp[g->tasks.items[i].buffer] = c;
            add_task(m, TASK_UNREAD, g->tasks.items[i].buffer, call->last, TOKEN_FUNCTION);
        }
    }
    for (uint32_t o = call->first; o <= call->last; o++) {
        const struct sw_operator *op = sw_problem_operator(g->origin, o);
        for (uint32_t i = 0; argument_at(op, i); i++) {
            uint32_t b = argument_at(op, i)->buffer;
            for (uint32_t k = 0; k < sw_token_count(g, b); k++) {
                uint32_t root = sw_token_at(g, b, k);
                if (g->info[root].layer != TOKEN_OPERATOR && m->stamp[root] != c) {
                    m->stamp[root] = c;
                    add_task(m, TASK_DROP, root, call->last, TOKEN_FUNCTION);
                }
            }
        }
    }
}

static void visit_operators(struct token_maker *m, uint32_t c) {
    const struct token_graph *g = m->g;
    const struct token_call *call = &g->calls[c];
    add_task(m, TASK_BEGIN, SW_NONE, call->first, TOKEN_OPERATOR);
    for (uint32_t o = call->first; o <= call->last; o++) {
        const struct sw_operator *op = sw_problem_operator(g->origin, o);
        for (uint32_t i = 0; argument_at(op, i); i++) {
            uint32_t b = argument_at(op, i)->buffer;
            if (g->info[b].root != SW_NONE && g->info[b].layer != TOKEN_OPERATOR && m->stamp[b] != c) {
                m->stamp[b] = c;
                add_task(m, TASK_SHARE, b, o, TOKEN_OPERATOR);
            }
        }
        visit_operator(m, o, TOKEN_OPERATOR);
    }
}

static void begin_tasks(struct token_maker *m) {
    struct token_graph *g = m->g;
    for (uint32_t b = 0; b < g->buffer_count; b++) {
        if (g->info[b].adopted) {
            add_task(m, TASK_ADOPT, b, SW_NONE, TOKEN_MODEL);
        }
    }
    for (uint32_t b = 0; b < g->buffer_count; b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(g->origin, b);
        if (buffer->planned) {
            add_task(m, TASK_TOKEN, b, SW_NONE, TOKEN_MODEL);
        }
        if (buffer->pinned) {
            m->ok = m->ok && SW_PUSH(&g->pinned, b);
        }
        for (uint32_t k = 0; buffer->output && k < sw_token_count(g, b); k++) {
            g->info[sw_token_at(g, b, k)].count++;
        }
    }
    for (uint32_t b = 0; b < g->buffer_count; b++) {
        if (g->info[b].layer == TOKEN_MODEL && g->info[b].root == b) {
            add_task(m, TASK_MODEL, b, SW_NONE, TOKEN_MODEL);
            g->info[b].count++;
            m->placed[b] = true;
        }
    }
}

/* Tensors that no operator touches (their lifetimes are given) are requested last, and kept. */
static void place_rest(struct token_maker *m) {
    struct token_graph *g = m->g;
    for (uint32_t b = 0; b < g->buffer_count; b++) {
        if (g->info[b].root == b && !m->placed[b] && m->first_call[sw_token_leader(m->leader, b)] == SW_NONE) {
            uint32_t first = sw_problem_buffer(g->origin, b)->first;
            g->info[b].count++;
            g->info[b].layer = TOKEN_FUNCTION;
            place_first(m, TASK_SOURCE, b, first, TOKEN_FUNCTION);
        }
    }
}

static bool make_tasks(struct token_maker *m) {
    struct token_graph *g = m->g;
    memset(m->stamp, 0xff, g->buffer_count * sizeof *m->stamp);
    begin_tasks(m);
    for (uint32_t c = 0; m->ok && c < g->call_count; c++) {
        if (g->calls[c].own) {
            visit_operator(m, g->calls[c].first, TOKEN_FUNCTION);
        } else {
            visit_function(m, c);
        }
    }
    place_rest(m);
    memset(m->stamp, 0xff, g->buffer_count * sizeof *m->stamp);
    for (uint32_t c = 0; m->ok && c < g->call_count; c++) {
        if (!g->calls[c].own) {
            visit_operators(m, c);
        }
    }
    return m->ok;
}

/* ---- together ---- */

static bool maker_init(struct token_maker *m, uint32_t n) {
    m->writers = SW_NEW_IN(&m->room, uint32_t, n);
    m->leader = SW_NEW_IN(&m->room, uint32_t, n);
    m->first_call = SW_NEW_IN(&m->room, uint32_t, n);
    m->many = SW_NEW_IN(&m->room, bool, n);
    m->odd = SW_NEW_IN(&m->room, bool, n);
    m->placed = SW_NEW_IN(&m->room, bool, n);
    m->stamp = SW_NEW_IN(&m->room, uint32_t, n);
    m->ok = m->writers && m->leader && m->first_call && m->many && m->odd && m->placed && m->stamp;
    for (uint32_t i = 0; m->ok && i < n; i++) {
        m->leader[i] = i;
        m->first_call[i] = SW_NONE;
    }
    return m->ok;
}

static bool make_token_graph(struct token_maker *m) {
    struct token_graph *g = m->g;
    find_calls(g);
    begin_info(g);
    find_odd(m);
    find_tuples(m);
    find_layers(m);
    if (!sw_token_adopt(g)) {
        return false;
    }
    for (uint32_t b = 0; b < g->buffer_count; b++) {
        struct token_info *info = &g->info[b];
        info->bytes = info->tuple ? 0 : sw_align_up(info->size, info->alignment);
    }
    if (!read_tuples(m)) {
        return false;
    }
    find_reach(g);
    return sw_token_find_chains(g) && make_tasks(m);
}

struct token_graph *sw_token_graph_new(const struct sw_problem *origin, struct sw_error *error) {
    struct token_graph *g = SW_NEW_ZERO(struct token_graph, 1);
    if (!g) {
        sw_fail_memory(error);
        return NULL;
    }
    g->owners = 1;
    g->origin = sw_problem_ref(origin);
    g->buffer_count = sw_problem_buffer_count(origin);
    g->operator_count = sw_problem_operator_count(origin);
    g->calls = SW_NEW_IN(&g->room, struct token_call, g->operator_count);
    g->call_of = SW_NEW_IN(&g->room, uint32_t, g->operator_count);
    g->info = SW_NEW_IN(&g->room, struct token_info, g->buffer_count);
    struct token_maker m = {.g = g};
    bool ok = g->calls && g->call_of && g->info && maker_init(&m, g->buffer_count) && make_token_graph(&m);
    sw_arena_done(&m.room);
    SW_ARRAY_DONE(&m.taken);
    if (!ok) {
        sw_token_graph_drop(g);
        sw_fail_memory(error);
        return NULL;
    }
    return g;
}
