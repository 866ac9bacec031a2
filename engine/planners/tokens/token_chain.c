/* token-sharing: which of its inputs a function may write an output over. See token_sharing.c.
 *
 * A function takes over an input's token as an operator does. It may write its output y over its
 * input x when a chain of its operators leads from x to y in which each writes its result in place
 * over its argument (the graph marks the pair, or it is a pure reshape), the first of them is the
 * last operator of the function that uses x, and what lies between is read by the chain alone. Then
 * x is dead before y is written, whatever the operators do with the ids in between, which are those
 * of the operator layer.
 *
 * All of this is known from the graph. For each output the chains that lead to it are looked for once,
 * backwards, and recorded with the term that breaks them, if any; what depends on the state (what
 * else reads x, how large its block is) is asked when the output is placed (token_options.c).
 *
 * Cost: operators x arguments for each output, at most; in-place chains are short. */
#include "planners/tokens/token.h"

/* How the call at hand uses a token. */
struct chain_use {
    uint32_t call; /* the number of the call and 1: else all below is stale */
    uint32_t writers, writer;
    uint32_t first_reader, last_reader, last_user;
};

/* A tensor that a chain from y backwards has come to, written by `op`. */
struct link {
    uint32_t buffer, op;
    struct token_chain so_far;
};

struct chain_finder {
    struct token_graph *g;
    struct chain_use *uses;
    bool *known;     /* an earlier call uses the token */
    uint64_t *stamp; /* of the search that has been at the tensor */
    uint64_t search;
    SW_ARRAY(struct link) stack;
};

/* ---- how a call uses tokens ---- */

static struct chain_use *use_of(struct chain_finder *f, uint32_t root, uint32_t call) {
    struct chain_use *use = &f->uses[root];
    if (use->call != call + 1) {
        *use = (struct chain_use){.call = call + 1, .writer = SW_NONE, .first_reader = SW_NONE, .last_reader = SW_NONE};
    }
    return use;
}

/* Operator `o` of the call reads or writes these. Through a tuple it uses the tokens of all its branches. */
static void note_uses(struct chain_finder *f, uint32_t call, uint32_t o, const struct sw_ref *refs, uint32_t count,
                      bool written) {
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < sw_token_count(f->g, refs[i].buffer); k++) {
            struct chain_use *use = use_of(f, sw_token_at(f->g, refs[i].buffer, k), call);
            use->last_user = o;
            use->writers += written;
            if (written) {
                use->writer = o;
            } else {
                use->first_reader = use->first_reader == SW_NONE ? o : use->first_reader;
                use->last_reader = o;
            }
        }
    }
}

/* The inputs of the call, in the order in which its operators list them. */
static bool list_chain_inputs(struct chain_finder *f, uint32_t c) {
    struct token_graph *g = f->g;
    struct token_call *call = &g->calls[c];
    call->input = (uint32_t)g->inputs.count;
    f->search++;
    for (uint32_t o = call->first; o <= call->last; o++) {
        const struct sw_operator *op = sw_problem_operator(g->origin, o);
        for (uint32_t i = 0; i < op->input_count; i++) {
            uint32_t b = op->inputs[i].buffer;
            bool plain = g->info[b].root == b && !g->info[b].tuple;
            if (plain && f->stamp[b] != f->search && use_of(f, b, c)->writers == 0) {
                f->stamp[b] = f->search;
                if (!SW_PUSH(&g->inputs, ((struct token_input){b, !f->known[b]}))) {
                    return false;
                }
            }
        }
    }
    call->input_count = (uint32_t)g->inputs.count - call->input;
    return true;
}

static void note_known(struct chain_finder *f, const struct sw_ref *refs, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < sw_token_count(f->g, refs[i].buffer); k++) {
            f->known[sw_token_at(f->g, refs[i].buffer, k)] = true;
        }
    }
}

static void leave_call(struct chain_finder *f, const struct token_call *call) {
    for (uint32_t o = call->first; o <= call->last; o++) {
        const struct sw_operator *op = sw_problem_operator(f->g->origin, o);
        note_known(f, op->inputs, op->input_count);
        note_known(f, op->outputs, op->output_count);
        note_known(f, op->scratch, op->scratch_count);
    }
}

/* ---- chains ---- */

/* Does the operator write `out` in place over `in`? */
static bool writes_in_place(const struct token_graph *g, const struct sw_operator *op, uint32_t in, uint32_t out,
                            bool *reshape) {
    *reshape = sw_token_pure_reshape(g, op, in, out);
    return in != out && g->info[in].root == in && !g->info[in].tuple && sw_token_marked(op, in, out) &&
           (*reshape || (op->inplace != SW_INPLACE_NO && sw_token_plain(op, out, in)));
}

/* The chain so far and one operator before it. */
static struct token_chain chain_before(struct chain_finder *f, const struct link *link, uint32_t in, bool reshape) {
    const struct chain_use *use = &f->uses[in];
    struct token_chain chain = link->so_far;
    chain.input = in;
    chain.length++;
    chain.reshape &= reshape;
    chain.one_core &= sw_problem_operator(f->g->origin, link->op)->core == chain.core;
    if (use->writers == 0 && use->last_user != link->op) {
        chain.answer = CHAIN_LATER;
        chain.op = use->last_user;
        chain.through = in;
    } else if (use->writers > 0 && (use->first_reader != link->op || use->last_reader != link->op)) {
        chain.answer = CHAIN_READ;
        chain.op = use->first_reader != link->op ? use->first_reader : use->last_reader;
        chain.through = in;
    }
    return chain;
}

/* What the operator of a link writes over: an input of the call ends the chain, a tensor that one
 * earlier operator of the call writes goes on with it. `whole`: only chains that nothing breaks. */
static bool go_back_chain(struct chain_finder *f, struct link link, bool whole) {
    struct token_graph *g = f->g;
    const struct sw_operator *op = sw_problem_operator(g->origin, link.op);
    for (uint32_t i = op->input_count; i-- > 0;) { /* the last on the stack is the first of the list */
        uint32_t in = op->inputs[i].buffer;
        bool reshape;
        if (f->stamp[in] == f->search || !writes_in_place(g, op, in, link.buffer, &reshape)) {
            continue;
        }
        struct token_chain chain = chain_before(f, &link, in, reshape);
        const struct chain_use *use = &f->uses[in];
        if (whole && chain.answer != CHAIN_WHOLE) {
            continue;
        }
        f->stamp[in] = f->search;
        bool between = use->writers == 1 && use->writer < link.op;
        if (use->writers == 0 ? !SW_PUSH(&g->chains, chain)
                              : between && !SW_PUSH(&f->stack, ((struct link){in, use->writer, chain}))) {
            return false;
        }
    }
    return true;
}

/* Chains that nothing breaks come first: the first of an input is the one that counts. */
static bool find_chains(struct chain_finder *f, uint32_t y, uint32_t o) {
    struct token_info *info = &f->g->info[y];
    info->chain = (uint32_t)f->g->chains.count;
    for (int pass = 0; pass < 2; pass++) {
        f->search++;
        f->stack.count = 0;
        struct token_chain none = {
            .reshape = true, .one_core = true, .core = sw_problem_operator(f->g->origin, o)->core};
        bool ok = SW_PUSH(&f->stack, ((struct link){y, o, none}));
        while (ok && f->stack.count > 0) {
            ok = go_back_chain(f, f->stack.items[--f->stack.count], pass == 0);
        }
        if (!ok) {
            return false;
        }
    }
    info->chain_count = (uint32_t)f->g->chains.count - info->chain;
    return true;
}

static bool look_at_call(struct chain_finder *f, uint32_t c) {
    struct token_graph *g = f->g;
    const struct token_call *call = &g->calls[c];
    for (uint32_t o = call->first; o <= call->last; o++) {
        const struct sw_operator *op = sw_problem_operator(g->origin, o);
        note_uses(f, c, o, op->inputs, op->input_count, false);
        note_uses(f, c, o, op->outputs, op->output_count, true);
        note_uses(f, c, o, op->scratch, op->scratch_count, true);
    }
    bool ok = list_chain_inputs(f, c);
    for (uint32_t o = call->first; ok && o <= call->last; o++) {
        const struct sw_operator *op = sw_problem_operator(g->origin, o);
        for (uint32_t i = 0; ok && i < op->output_count; i++) {
            uint32_t y = op->outputs[i].buffer;
            bool first = g->info[y].root == y && g->info[y].chain_count == 0 && g->info[y].layer == TOKEN_FUNCTION;
            ok = !first || find_chains(f, y, o);
        }
    }
    return ok;
}

bool sw_token_find_chains(struct token_graph *g) {
    size_t n = (size_t)g->buffer_count + 1;
    struct chain_finder f = {.g = g,
                             .uses = SW_NEW_ZERO(struct chain_use, n),
                             .known = SW_NEW_ZERO(bool, n),
                             .stamp = SW_NEW_ZERO(uint64_t, n)};
    bool ok = f.uses && f.known && f.stamp;
    for (uint32_t c = 0; ok && c < g->call_count; c++) {
        ok = g->calls[c].own || look_at_call(&f, c);
        leave_call(&f, &g->calls[c]);
    }
    SW_FREE(f.uses, n);
    SW_FREE(f.known, n);
    SW_FREE(f.stamp, n);
    SW_ARRAY_DONE(&f.stack);
    return ok;
}

const struct token_chain *sw_token_chain(const struct token_graph *g, uint32_t in, uint32_t out) {
    const struct token_info *info = &g->info[out];
    for (uint32_t i = info->chain; i < info->chain + info->chain_count; i++) {
        if (g->chains.items[i].input == in) {
            return &g->chains.items[i];
        }
    }
    return NULL;
}
