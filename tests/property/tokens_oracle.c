/* token-sharing, restated. See tokens_oracle.h. */
#include "tokens_oracle.h"

#include <stdlib.h>
#include <string.h>

enum { USES = 400 };

struct use {
    int root, at; /* at: operator after which it drops */
    bool unread;  /* only looks whether the count is 0 */
};

static uint64_t round_up(uint64_t x, uint64_t to) {
    while (x % to) {
        x++;
    }
    return x;
}

static uint64_t least_common(uint64_t a, uint64_t b) {
    uint64_t x = a;
    while (x % b) {
        x += a;
    }
    return x;
}

static void find_calls(struct tokens_plan *p) {
    for (int o = 0; o < p->g->ops; o++) {
        int f = p->g->o[o].function;
        if (o == 0 || f < 0 || f != p->g->o[o - 1].function) {
            p->first[p->calls] = o;
            p->own[p->calls++] = f < 0;
        }
        p->call_of[o] = p->calls - 1;
        p->last[p->calls - 1] = o;
    }
}

static void find_tuples(struct tokens_plan *p) {
    const struct graph *g = p->g;
    for (int b = 0; b < g->tensors; b++) {
        p->parts[b][0] = b;
        p->part_count[b] = g->t[b].planned;
    }
    for (int o = 0; o < g->ops; o++) {
        const struct op *op = &g->o[o];
        bool all = strcmp(op->kind, "tuple") == 0;
        for (int i = 0; i < op->ins; i++) {
            all &= g->t[op->in[i]].planned;
        }
        p->tuple[op->out[0]] |= all;
    }
}

/* Tuples are the tokens of their branches; an item has that of the first branch of its size not
 * taken yet, if it still fits. */
static void find_tokens(struct tokens_plan *p) {
    const struct graph *g = p->g;
    static bool taken[MOST][MOST];
    memset(taken, 0, sizeof taken);
    for (int o = 0; o < g->ops; o++) {
        const struct op *op = &g->o[o];
        int t = op->ins ? op->in[0] : -1, y = op->out[0], found = -1;
        if (p->tuple[y]) {
            p->part_count[y] = 0;
            for (int i = 0; i < op->ins; i++) {
                for (int k = 0; k < p->part_count[op->in[i]]; k++) {
                    check(p->part_count[y] < MOST, "the test has too few parts");
                    p->parts[y][p->part_count[y]++] = p->parts[op->in[i]][k];
                }
            }
        }
        if (strcmp(op->kind, "get-item") != 0 || !p->tuple[t]) {
            continue;
        }
        for (int pass = 0; pass < 2 && found < 0; pass++) {
            for (int k = 0; k < p->part_count[t] && found < 0; k++) {
                if (g->t[p->parts[t][k]].bytes == g->t[y].bytes && (pass || !taken[t][k])) {
                    found = k;
                }
            }
        }
        if (found >= 0) {
            int root = p->parts[t][found];
            taken[t][found] = true;
            p->item[y] = p->size[y] <= p->size[root];
            p->parts[y][0] = p->item[y] ? root : y;
            p->align[root] = p->item[y] ? least_common(p->align[root], p->align[y]) : p->align[root];
        }
    }
}

/* The tensors around a tuple belong to one layer: the function layer as soon as one of them leaves.
 */
static void find_layers(struct tokens_plan *p) {
    const struct graph *g = p->g;
    int family[MOST];
    for (int b = 0; b < g->tensors; b++) {
        family[b] = b;
    }
    for (int round = 0; round < MOST; round++) {
        for (int o = 0; o < g->ops; o++) {
            const struct op *op = &g->o[o];
            bool item = strcmp(op->kind, "get-item") == 0 && p->tuple[op->in[0]];
            for (int i = 0; i < op->ins && (item || p->tuple[op->out[0]]); i++) {
                int a = op->in[i], b = op->out[0], low = family[a] < family[b] ? family[a] : family[b];
                family[a] = family[b] = low;
            }
        }
    }
    for (int b = 0; b < g->tensors; b++) {
        p->model[b] = g->t[b].kind == SW_KIND_INPUT || g->t[b].kind == SW_KIND_CONSTANT;
        int call = -1;
        p->inner[b] = !p->model[b];
        for (int a = 0; a < g->tensors; a++) {
            if (family[a] != family[b]) {
                continue;
            }
            p->inner[b] &= g->t[a].kind == SW_KIND_INTERMEDIATE || g->t[a].kind == SW_KIND_SCRATCH;
            for (int o = 0; o < g->ops; o++) {
                const struct op *op = &g->o[o];
                if (has(op->in, op->ins, a) || has(op->out, op->outs, a) || op->scratch == a) {
                    p->inner[b] &= !p->own[p->call_of[o]] && (call < 0 || call == p->call_of[o]);
                    call = p->call_of[o];
                }
            }
        }
    }
}

static const struct unit *unit_of(const struct tokens_plan *p, int o) {
    int f = p->g->o[o].function;
    return f < 0 || p->g->unit_of[f] < 0 ? NULL : &p->g->u[p->g->unit_of[f]];
}

/* (a) Sizes. */
static void adopt_size(struct tokens_plan *p, int b) {
    const struct tensor *t = &p->g->t[b];
    uint64_t channels[3] = {1, 1, 1}, total = 1;
    int demanded = 0, quantised = 0;
    bool by_producer = false;
    p->align[b] = t->align;
    for (int o = 0; o < p->g->ops; o++) {
        const struct op *op = &p->g->o[o];
        const struct unit *u = unit_of(p, o);
        bool reads = has(op->in, op->ins, b), writes = has(op->out, op->outs, b);
        if (reads && strcmp(op->kind, "fake_quantize") == 0 && quantised == 0) {
            for (int w = 0; w < o; w++) {
                bool produced = has(p->g->o[w].out, p->g->o[w].outs, b);
                quantised = produced ? (op->quantise ? op->quantise : 8) : quantised;
            }
        }
        if (!u || !u->dedicated || p->inner[b] || (!reads && !writes)) {
            continue;
        }
        total = least_common(total, u->align);
        int axis = u->axis < 0 || u->axis >= t->rank ? t->rank - 1 : u->axis;
        if (axis >= 0) {
            channels[axis] = least_common(channels[axis], u->channels);
        }
        if (u->bits && (demanded == 0 || (writes && !by_producer))) {
            demanded = u->bits;
            by_producer = writes;
        }
    }
    p->size[b] = t->bytes;
    if (p->tuple[b] || !t->planned) {
        p->size[b] = p->tuple[b] ? 0 : t->bytes;
        return;
    }
    int bits = quantised ? quantised : demanded ? demanded : t->bits;
    p->typed[b] = t->bytes / ((uint64_t)t->bits / 8) * ((uint64_t)bits / 8);
    p->size[b] = p->typed[b];
    p->term_count[b] = 0;
    p->terms[b][p->term_count[b]++] = p->typed[b];
    for (int i = 0; i < t->rank; i++) {
        if (channels[i] > 1) { /* of every so many bytes as the dimension is long */
            p->size[b] = p->size[b] ? p->size[b] / t->dims[i] * round_up(t->dims[i], channels[i]) : 0;
            p->terms[b][p->term_count[b]++] = p->size[b];
        }
    }
    p->padded[b] = p->size[b];
    p->size[b] = p->size[b] ? round_up(p->size[b], total) : 0;
    if (total > 1) {
        p->terms[b][p->term_count[b]++] = p->size[b];
    }
    p->align[b] = least_common(t->align, total);
    p->adopts[b] = bits != t->bits || p->size[b] != t->bytes || p->align[b] != t->align;
}

static void find_sizes(struct tokens_plan *p) {
    const struct graph *g = p->g;
    for (int b = 0; b < g->tensors; b++) {
        adopt_size(p, b);
        p->bytes[b] = round_up(p->size[b], p->align[b]);
        p->tiers[b] = (1u << g->tiers) - 1;
    }
    find_tokens(p);
    unsigned users[MOST] = {0};
    for (int o = 0; o < g->ops; o++) {
        const struct unit *u = unit_of(p, o);
        for (int b = 0; b < g->tensors; b++) {
            const struct op *op = &g->o[o];
            if (!has(op->in, op->ins, b) && !has(op->out, op->outs, b) && op->scratch != b) {
                continue;
            }
            for (int k = 0; k < p->part_count[b]; k++) {
                users[p->parts[b][k]] |= u ? 2u << (u - g->u) : 1u;
                p->tiers[p->parts[b][k]] &= u ? u->tiers : 3;
            }
        }
    }
    for (int b = 0; b < g->tensors; b++) {
        if (users[b] && p->parts[b][0] == b && !p->tuple[b] && p->part_count[b] && !p->inner[b]) {
            p->saved += (uint64_t)(__builtin_popcount(users[b]) - 1) * p->bytes[b];
        }
    }
}

/* ---- memory ---- */

static void lay_out(struct tokens_plan *p) {
    uint64_t top[2] = {0, 0};
    for (int i = 0; i < p->cells; i++) {
        struct tokens_cell *c = &p->cell[i];
        c->offset = round_up(top[c->tier], c->align);
        while (p->g->hole_hi && c->tier == 0 && c->bytes && c->offset < p->g->hole_hi &&
               c->offset + c->bytes > p->g->hole_lo) {
            c->offset = round_up(p->g->hole_hi, c->align);
        }
        top[c->tier] = c->offset + round_up(c->bytes, c->align);
    }
}

uint64_t tokens_arena(const struct tokens_plan *p, int tier) {
    uint64_t top = 0;
    for (int i = 0; i < p->cells; i++) {
        const struct tokens_cell *c = &p->cell[i];
        uint64_t end = c->offset + round_up(c->bytes, c->align);
        top = c->tier == tier && end > top ? end : top;
    }
    return top;
}

static void enter_cell(struct tokens_plan *p, int b, int cell) {
    struct tokens_cell *c = &p->cell[cell];
    c->tensor[c->tensors++] = b;
    p->id[b] = cell;
}

static void fresh_cell(struct tokens_plan *p, int b, int tier) {
    check(p->cells < IDS, "the test has too few ids");
    p->cell[p->cells] = (struct tokens_cell){.bytes = p->bytes[b],
                                             .align = p->align[b],
                                             .tier = tier,
                                             .count = p->count[b],
                                             .free_since = -1,
                                             .written_by = -1};
    enter_cell(p, b, p->cells++);
    lay_out(p);
}

static uint64_t room_of(const struct tokens_plan *p, int tier) {
    return tier == 0 ? p->g->capacity : SW_UNBOUNDED;
}

/* Would a new id fit below the capacity? */
static bool fresh_cell_fits(struct tokens_plan *p, int b, int tier) {
    struct tokens_plan *trial = malloc(sizeof *trial);
    check(trial != NULL, "memory");
    *trial = *p;
    fresh_cell(trial, b, tier);
    const struct tokens_cell *c = &trial->cell[trial->cells - 1];
    bool fits = c->offset + c->bytes <= room_of(p, tier);
    free(trial);
    return fits;
}

/* request_cell(size): in each space, the free blocks by allocated bytes, then time of release. */
static void request_cell(struct tokens_plan *p, int b) {
    uint64_t want = p->bytes[b];
    for (int tier = 0; tier < p->g->tiers; tier++) {
        bool last = p->tiers[b] >> tier == 1;
        int first = -1, largest = -1;
        if (!(p->tiers[b] >> tier & 1)) {
            continue;
        }
        for (int i = 0; i < p->cells; i++) {
            const struct tokens_cell *c = &p->cell[i];
            if (c->free_since < 0 || c->tier != tier ||
                (p->g->match > 0 && (c->bytes < want / p->g->match || c->bytes > want * p->g->match))) {
                continue;
            }
            const struct tokens_cell *f = first < 0 ? NULL : &p->cell[first];
            const struct tokens_cell *l = largest < 0 ? NULL : &p->cell[largest];
            if (c->bytes >= want &&
                (!f || c->bytes < f->bytes || (c->bytes == f->bytes && c->free_since < f->free_since))) {
                first = i;
            }
            bool enlarges = last || tokens_arena(p, tier) + want - c->bytes <= room_of(p, tier);
            if (c->bytes < want && enlarges &&
                (!l || c->bytes > l->bytes || (c->bytes == l->bytes && c->free_since >= l->free_since))) {
                largest = i;
            }
        }
        int taken = first >= 0 ? first : largest;
        if (taken >= 0) {
            struct tokens_cell *c = &p->cell[taken];
            c->bytes = c->bytes > want ? c->bytes : want;
            c->align = least_common(c->align, p->align[b]);
            c->free_since = -1;
            c->count = p->count[b];
            enter_cell(p, b, taken);
            lay_out(p);
            return;
        }
        if (last || fresh_cell_fits(p, b, tier)) {
            fresh_cell(p, b, tier);
            return;
        }
    }
}

static bool written_over(const struct tokens_plan *p, int o, int b) {
    return strcmp(p->g->o[o].kind, "reshape") == 0 && p->g->o[o].outs == 1 && p->g->o[o].out[0] == b;
}

/* May the graph mean it: x is read only, b is written only, each as itself. */
static bool is_plain(const struct op *op, int x, int b) {
    int written = 0;
    for (int k = 0; k < op->outs; k++) {
        written += op->out[k] == b;
        if (op->out[k] == x) {
            return false;
        }
    }
    for (int k = 0; k < op->ins; k++) {
        if (op->in[k] == b) {
            return false;
        }
    }
    return written == 1 && op->scratch != x;
}

/* What the settings and the script say. */
static bool is_wanted(const struct tokens_plan *p, const struct tokens_cell *c, int b, bool pure) {
    return p->g->reuse <= (pure ? 1 : 0) && (p->g->snug == 0 || c->bytes <= p->g->snug * p->bytes[b]);
}

/* The reuse condition, inputs in listed order. */
static bool reuse_by_operator(struct tokens_plan *p, int o, int b, bool inner) {
    const struct op *op = &p->g->o[o];
    bool reshape = strcmp(op->kind, "reshape") == 0;
    for (int i = 0; i < op->ins && (op->inplace || reshape); i++) {
        int x = op->in[i];
        if (p->tuple[x] || p->part_count[x] == 0 || p->model[p->parts[x][0]] || (inner && !p->inner[p->parts[x][0]])) {
            continue;
        }
        struct tokens_cell *c = &p->cell[p->id[p->parts[x][0]]];
        bool pure = written_over(p, o, b) && i == 0 && p->size[x] == p->size[b] && op->scratch < 0;
        if ((!pure && (!op->inplace || !is_plain(op, x, b))) || !is_wanted(p, c, b, pure)) {
            continue;
        }
        if (c->written_by != o && (pure || (c->count == 1 && p->size[x] >= p->size[b])) && c->bytes >= p->bytes[b] &&
            (p->tiers[b] >> c->tier & 1) && c->align % p->align[b] == 0) {
            c->count += p->count[b];
            c->written_by = o;
            enter_cell(p, b, p->id[p->parts[x][0]]);
            return true;
        }
    }
    return false;
}

/* ---- a function takes over an input's token ---- */

/* Does the operator use the bytes of token x, also through a tuple? */
static bool reads_token(const struct tokens_plan *p, int o, int x) {
    const struct op *op = &p->g->o[o];
    for (int i = 0; i < op->ins; i++) {
        if (has(p->parts[op->in[i]], p->part_count[op->in[i]], x)) {
            return true;
        }
    }
    return false;
}

static bool writes_token(const struct tokens_plan *p, int o, int x) {
    const struct op *op = &p->g->o[o];
    bool writes = op->scratch == x;
    for (int i = 0; i < op->outs; i++) {
        writes |= has(p->parts[op->out[i]], p->part_count[op->out[i]], x);
    }
    return writes;
}

/* Is the operator the only one of its call that reads the token, or, for an input, the last? */
static bool alone_with(const struct tokens_plan *p, int o, int x, bool last_is_enough) {
    int c = p->call_of[o];
    for (int k = p->first[c]; k <= p->last[c]; k++) {
        if (k != o && reads_token(p, k, x) && (k > o || !last_is_enough)) {
            return false;
        }
    }
    return true;
}

static int writer_in_call(const struct tokens_plan *p, int c, int x) {
    for (int k = p->first[c]; k <= p->last[c]; k++) {
        if (writes_token(p, k, x)) {
            return k;
        }
    }
    return -1;
}

/* How many operators there are in the chain from x to b, which operator o writes; 0: none leads
 * there. `pure`: all are pure reshapes. */
static int chain_from(const struct tokens_plan *p, int x, int o, int b, bool *pure) {
    const struct op *op = &p->g->o[o];
    for (int i = 0; i < op->ins; i++) {
        int u = op->in[i], writer = writer_in_call(p, p->call_of[o], u), rest = 0;
        bool reshape = written_over(p, o, b) && i == 0 && p->size[u] == p->size[b] && op->scratch < 0;
        bool own = !p->tuple[u] && p->part_count[u] == 1 && p->parts[u][0] == u;
        if (!own || (!reshape && (!op->inplace || !is_plain(op, u, b)))) {
            continue;
        }
        bool below = true;
        if (u == x && writer < 0 && alone_with(p, o, x, true)) {
            *pure = reshape;
            return 1;
        }
        if (u != x && writer >= 0 && alone_with(p, o, u, false)) {
            rest = chain_from(p, x, writer, u, &below);
        }
        if (rest > 0) {
            *pure = below && reshape;
            return rest + 1;
        }
    }
    return 0;
}

static bool reuse_input(struct tokens_plan *p, int o, int b, int x) {
    int c = p->call_of[o], length;
    bool pure = false, known = false,
         free_to_go = !p->tuple[x] && p->part_count[x] == 1 && p->parts[x][0] == x && !p->model[x] && !p->inner[x] &&
                      p->id[x] >= 0;
    if (!free_to_go || (length = chain_from(p, x, o, b, &pure)) == 0) {
        return false;
    }
    for (int k = 0; k < p->first[c]; k++) {
        known |= reads_token(p, k, x) || writes_token(p, k, x);
    }
    struct tokens_cell *cell = &p->cell[p->id[x]];
    bool taken = cell->written_by >= 0 && p->call_of[cell->written_by] == c;
    bool dead = cell->count == (known ? 1 : 0) && (length > 1 || p->size[x] >= p->size[b]);
    if (taken || (!pure && !dead) || !is_wanted(p, cell, b, pure) || cell->bytes < p->bytes[b] ||
        !(p->tiers[b] >> cell->tier & 1) || cell->align % p->align[b] != 0) {
        return false;
    }
    cell->count += p->count[b];
    cell->written_by = o;
    enter_cell(p, b, p->id[x]);
    p->functions_reuse++;
    p->long_chains += length > 1;
    return true;
}

static bool reuse_by_function(struct tokens_plan *p, int o, int b) {
    int c = p->call_of[o];
    for (int k = p->first[c]; k <= p->last[c]; k++) {
        for (int i = 0; i < p->g->o[k].ins; i++) {
            if (reuse_input(p, o, b, p->g->o[k].in[i])) {
                return true;
            }
        }
    }
    return false;
}

/* ---- the layers ---- */

static void drop_use(struct tokens_plan *p, const struct use *u, int call, bool inner) {
    struct tokens_cell *c = &p->cell[p->id[u->root]];
    c->count -= !u->unread;
    if (c->count == 0) {
        c->free_since = ++p->clock;
        if (!inner) {
            c->freed_at[call] = p->clock;
        }
    }
}

/* Place what the operator is the first to touch, in the given layer. */
static void place_first_touched(struct tokens_plan *p, int o, bool inner, struct use *unread, int *unreads) {
    const struct op *op = &p->g->o[o];
    bool node = inner || p->own[p->call_of[o]];
    for (int i = 0; i < op->ins; i++) {
        for (int k = 0; k < p->part_count[op->in[i]]; k++) {
            int root = p->parts[op->in[i]][k];
            if (!p->placed[root] && p->inner[root] == inner) {
                p->placed[root] = true;
                request_cell(p, root);
                if (!node) { /* a function drops it by itself, for it was the first to touch it */
                    unread[(*unreads)++] = (struct use){root, o, true};
                }
            }
        }
    }
    for (int i = 0; i < op->outs; i++) {
        int b = op->out[i];
        if (p->part_count[b] == 0 || p->inner[p->parts[b][0]] != inner || p->placed[b]) {
            continue;
        }
        p->placed[b] = true;
        if (p->tuple[b] || p->item[b]) {
            enter_cell(p, b, p->id[p->parts[b][0]]);
            continue;
        }
        if (node ? !reuse_by_operator(p, o, b, inner) : !reuse_by_function(p, o, b)) {
            request_cell(p, b);
        }
        unread[(*unreads)++] = (struct use){b, o, true};
    }
    if (op->scratch >= 0 && p->inner[op->scratch] == inner && !p->placed[op->scratch]) {
        p->placed[op->scratch] = true;
        request_cell(p, op->scratch);
    }
}

/* What an operator drops: scratch, then inputs in listed order. */
static int uses_of(const struct tokens_plan *p, int o, bool inner, struct use *list) {
    const struct op *op = &p->g->o[o];
    int n = 0, y = op->outs ? op->out[0] : -1;
    if (op->scratch >= 0 && p->inner[op->scratch] == inner) {
        list[n++] = (struct use){op->scratch, o, false};
    }
    for (int i = 0; i < op->ins; i++) {
        for (int k = 0; k < p->part_count[op->in[i]]; k++) {
            int root = p->parts[op->in[i]][k];
            bool item = y >= 0 && p->item[y];
            if (p->inner[root] == inner && (!item || root == p->parts[y][0])) {
                list[n++] = (struct use){root, o, false};
                if (item) {
                    break;
                }
            }
        }
    }
    return n;
}

/* What a call of a declared function drops: each tensor it did not bring to life, once. */
static int uses_of_call(const struct tokens_plan *p, int call, struct use *list) {
    int n = 0, mine[MOST] = {0};
    for (int b = 0; b < p->g->tensors; b++) { /* those first touched here */
        int at = -1;
        for (int o = p->g->ops - 1; o >= 0; o--) {
            const struct op *op = &p->g->o[o];
            bool touches = op->scratch == b || has(op->out, op->outs, b);
            for (int i = 0; i < op->ins; i++) {
                touches |= has(p->parts[op->in[i]], p->part_count[op->in[i]], b);
            }
            at = touches ? o : at;
        }
        mine[b] = p->model[b] ? 0 : at >= 0 && p->call_of[at] == call;
    }
    for (int o = p->first[call]; o <= p->last[call]; o++) {
        const struct op *op = &p->g->o[o];
        int args[3 * ARGS], count = 0;
        for (int i = 0; i < op->ins; i++) {
            args[count++] = op->in[i];
        }
        for (int i = 0; i < op->outs; i++) {
            args[count++] = op->out[i];
        }
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < p->part_count[args[i]]; k++) {
                int root = p->parts[args[i]][k];
                if (!p->inner[root] && !mine[root]) {
                    mine[root] = 1;
                    list[n++] = (struct use){root, p->last[call], false};
                }
            }
        }
    }
    return n;
}

static void count_tokens(struct tokens_plan *p) {
    struct use list[USES];
    for (int c = 0; c < p->calls; c++) {
        int n = p->own[c] ? uses_of(p, p->first[c], false, list) : uses_of_call(p, c, list);
        for (int i = 0; i < n; i++) {
            p->count[list[i].root]++;
        }
        for (int o = p->first[c]; o <= p->last[c] && !p->own[c]; o++) {
            n = uses_of(p, o, true, list);
            for (int i = 0; i < n; i++) {
                p->count[list[i].root]++;
            }
        }
    }
    for (int b = 0; b < p->g->tensors; b++) {
        p->count[b] += p->model[b];
        for (int k = 0; k < p->part_count[b] && p->g->t[b].kind == SW_KIND_OUTPUT; k++) {
            p->count[p->parts[b][k]]++;
        }
    }
}

static void function_layer(struct tokens_plan *p) {
    struct use list[USES], unread[USES];
    for (int c = 0; c < p->calls; c++) {
        int unreads = 0;
        for (int o = p->first[c]; o <= p->last[c]; o++) {
            place_first_touched(p, o, false, unread, &unreads);
        }
        for (int i = 0; i < p->cells; i++) {
            p->cell[i].held[c] = p->cell[i].free_since < 0;
        }
        int n = p->own[c] ? uses_of(p, p->first[c], false, list) : uses_of_call(p, c, list);
        for (int i = 0; i < unreads; i++) {
            drop_use(p, &unread[i], c, false);
        }
        for (int i = 0; i < n; i++) {
            drop_use(p, &list[i], c, false);
        }
    }
}

/* Inner tensors: from what is free while their call runs. The time of a release is the call's end
 * for the function layer, the operator for inner tensors. */
static void operator_layer(struct tokens_plan *p) {
    struct use list[USES], unread[USES];
    int own_ids = p->cells;
    long inner_since[IDS] = {0}, inner_step[IDS] = {0};
    for (int c = 0; c < p->calls; c++) {
        if (p->own[c]) {
            continue;
        }
        for (int i = 0; i < p->cells; i++) {
            struct tokens_cell *cell = &p->cell[i];
            long since = inner_since[i] ? inner_step[i] * 100000 + inner_since[i] : 0;
            for (int k = 0; k < c && i < own_ids; k++) {
                long then = cell->freed_at[k] ? (p->last[k] + 1) * 100000L + cell->freed_at[k] : 0;
                since = then > since ? then : since;
            }
            cell->free_since = i < own_ids && cell->held[c] ? -1 : since * IDS + i;
        }
        for (int o = p->first[c]; o <= p->last[c]; o++) {
            int unreads = 0;
            place_first_touched(p, o, true, unread, &unreads);
            int n = uses_of(p, o, true, list);
            for (int i = 0; i < unreads + n; i++) {
                const struct use *u = i < unreads ? &unread[i] : &list[i - unreads];
                int id = p->id[u->root];
                drop_use(p, u, c, true);
                if (p->cell[id].count == 0 && p->cell[id].free_since == p->clock) {
                    inner_since[id] = p->clock;
                    inner_step[id] = o + 1;
                    p->cell[id].free_since = (inner_step[id] * 100000 + p->clock) * IDS + id;
                }
            }
        }
    }
}

void tokens_restate(struct tokens_plan *p, const struct graph *g) {
    *p = (struct tokens_plan){.g = g};
    for (int b = 0; b < MOST; b++) {
        p->id[b] = -1;
    }
    find_calls(p);
    find_tuples(p);
    find_layers(p);
    find_sizes(p);
    count_tokens(p);
    for (int b = 0; b < g->tensors; b++) {
        if (p->model[b] && g->t[b].planned && (g->t[b].kind == SW_KIND_INPUT || touched(g, b))) {
            for (int tier = 0; tier < g->tiers; tier++) {
                if ((p->tiers[b] >> tier & 1) && (p->tiers[b] >> tier == 1 || fresh_cell_fits(p, b, tier))) {
                    fresh_cell(p, b, tier);
                    break;
                }
            }
            p->placed[b] = true;
        }
    }
    function_layer(p);
    operator_layer(p);
}
