/* Drawing graphs for the tests of token-sharing. See tokens.h. */
#include "tokens.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t the_seed;

void check(bool truth, const char *format, ...) {
    if (truth) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "seed %llu: ", (unsigned long long)the_seed);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nrun again with SW_PROPERTY_SEED=%llu\n", (unsigned long long)the_seed);
    va_end(arguments);
    exit(1);
}

static uint64_t below(uint64_t *r, uint64_t bound) {
    return sw_random_below(r, bound);
}
static bool chance(uint64_t *r, unsigned percent) {
    return below(r, 100) < percent;
}

static enum sw_dtype dtype(int bits) {
    return bits == 0 ? SW_DTYPE_NONE : bits == 8 ? SW_DTYPE_INT8 : bits == 16 ? SW_DTYPE_INT16 : SW_DTYPE_FLOAT32;
}

static int new_tensor(struct graph *g, uint64_t *r, enum sw_kind kind) {
    struct tensor *t = &g->t[g->tensors];
    static const int bits[] = {8, 16, 32, 32};
    static const uint64_t aligns[] = {1, 1, 1, 4, 16, 6};
    *t = (struct tensor){.kind = kind, .planned = true, .bits = bits[below(r, 4)], .align = 1};
    snprintf(t->name, sizeof t->name, "b%d", g->tensors);
    t->rank = (int)below(r, 4);
    t->bytes = (uint64_t)t->bits / 8;
    for (int i = 0; i < t->rank; i++) {
        t->dims[i] = 1 + below(r, 6);
        t->bytes *= t->dims[i];
    }
    if (t->rank == 0) {
        t->bytes *= chance(r, 3) ? 0 : 1 + below(r, chance(r, 20) ? 900 : 60);
    }
    t->align = g->tiers < 0 ? 1 : aligns[below(r, 6)];
    return g->tensors++;
}

bool has(const int *list, int count, int item) {
    for (int i = 0; i < count; i++) {
        if (list[i] == item) {
            return true;
        }
    }
    return false;
}

/* Copy the form of a tensor, so that a reshape is pure and an item is found. */
static void same_form(struct graph *g, int to, int from) {
    struct tensor *t = &g->t[to];
    t->bits = g->t[from].bits;
    t->rank = 0;
    t->bytes = g->t[from].bytes;
}

static void draw_inputs(struct graph *g, uint64_t *r, struct op *o) {
    int known = g->tensors, want = g->chains ? 1 + chance(r, 20) : 1 + (int)below(r, 3);
    for (int i = 0; i < want && known > 0; i++) {
        int near = g->chains && chance(r, 80) ? 1 : known < 5 || chance(r, 20) ? known : 5;
        int back = (int)below(r, (uint64_t)near);
        int b = known - 1 - back;
        if (g->t[b].kind != SW_KIND_SCRATCH && (chance(r, 10) || !has(o->in, o->ins, b))) {
            o->in[o->ins++] = b;
        }
    }
}

/* Take branches out of a tuple that was just made. */
static void draw_items(struct graph *g, uint64_t *r, int tuple, int from) {
    for (int i = 0; i < g->o[from].ins && g->ops < OPS && g->tensors < MOST - 3; i++) {
        if (chance(r, 30)) {
            continue;
        }
        struct op *o = &g->o[g->ops];
        *o = (struct op){.kind = "get-item", .scratch = -1, .function = g->o[from].function};
        snprintf(o->name, sizeof o->name, "op%d", g->ops++);
        int y = new_tensor(g, r, chance(r, 15) ? SW_KIND_OUTPUT : SW_KIND_INTERMEDIATE);
        if (chance(r, 85)) {
            same_form(g, y, g->o[from].in[i]);
        }
        o->in[o->ins++] = tuple;
        o->out[o->outs++] = y;
    }
}

static void draw_op(struct graph *g, uint64_t *r) {
    struct op *o = &g->o[g->ops];
    int before = g->ops > 0 ? g->o[g->ops - 1].function : -1;
    *o = (struct op){.kind = "", .scratch = -1, .function = -1};
    snprintf(o->name, sizeof o->name, "op%d", g->ops++);
    if (g->functions > 0) {
        o->function = chance(r, 60) ? before : (int)below(r, (uint64_t)g->functions + 1) - 1;
    }
    draw_inputs(g, r, o);
    o->inplace = chance(r, g->chains ? 90 : 35);
    unsigned what = (unsigned)below(r, 100);
    if (o->ins > 0 && what < 15) {
        o->kind = "reshape";
    } else if (o->ins > 0 && what < 25) {
        o->kind = "tuple";
    } else if (what < 40) {
        o->kind = "fake_quantize";
        o->quantise = chance(r, 30) ? 16 : 0;
    }
    bool tuple = strcmp(o->kind, "tuple") == 0, reshape = strcmp(o->kind, "reshape") == 0;
    int outs = tuple || reshape || (g->chains && chance(r, 80)) ? 1 : 1 + (int)below(r, 2);
    for (int i = 0; i < outs; i++) {
        int b = new_tensor(g, r, chance(r, 15) ? SW_KIND_OUTPUT : SW_KIND_INTERMEDIATE);
        if (reshape && chance(r, 80)) {
            same_form(g, b, o->in[0]);
        }
        o->out[o->outs++] = b;
    }
    if (!tuple && chance(r, g->chains ? 5 : 25)) {
        o->scratch = new_tensor(g, r, SW_KIND_SCRATCH);
    }
    if (tuple) {
        draw_items(g, r, o->out[0], g->ops - 1);
    }
}

static void draw_units(struct graph *g, uint64_t *r) {
    g->units = chance(r, 60) ? 1 + (int)below(r, UNITS) : 0;
    for (int i = 0; i < g->units; i++) {
        static const uint64_t aligns[] = {1, 8, 16, 64}, channels[] = {1, 4, 16};
        struct unit *u = &g->u[i];
        *u = (struct unit){.dedicated = chance(r, 60),
                           .align = aligns[below(r, 4)],
                           .channels = channels[below(r, 3)],
                           .axis = chance(r, 40) ? (int)below(r, 4) - 1 : 1};
        u->bits = chance(r, 70) ? 8 << below(r, 2) : 0;
        snprintf(u->name, sizeof u->name, "u%d", i);
        u->tiers = g->tiers == 2 && chance(r, 40) ? 2 : (1u << g->tiers) - 1; /* all reach the last */
    }
    g->functions = chance(r, 75) ? 1 + (int)below(r, 4) : 0;
    for (int f = 0; f < g->functions; f++) {
        g->unit_of[f] = (int)below(r, (uint64_t)g->units + 1) - 1;
    }
}

void tokens_draw(struct graph *g, uint64_t seed, int ops) {
    uint64_t r = seed * 6007 + 11;
    *g = (struct graph){.tiers = chance(&r, 25) ? 2 : 1, .capacity = SW_UNBOUNDED, .chains = chance(&r, 30)};
    if (g->tiers == 2) {
        g->capacity = 50 + below(&r, 600);
    }
    if (chance(&r, 15)) {
        g->hole_lo = below(&r, 300);
        g->hole_hi = g->hole_lo + 1 + below(&r, 60);
    }
    draw_units(g, &r);
    for (uint64_t inputs = below(&r, 3); inputs > 0; inputs--) {
        new_tensor(g, &r, SW_KIND_INPUT);
    }
    if (chance(&r, 25)) {
        int w = new_tensor(g, &r, SW_KIND_CONSTANT);
        g->t[w].planned = chance(&r, 50);
    }
    if (chance(&r, 20)) {
        new_tensor(g, &r, SW_KIND_INTERMEDIATE); /* no operator produces it */
    }
    uint64_t s = seed * 31 + 7; /* the settings of the planner */
    static const uint64_t matches[] = {16, 1, 2, 4, 0};
    g->match = chance(&s, 50) ? 16 : matches[below(&s, 5)];
    g->reuse = chance(&s, 60) ? 0 : 1 + (int)below(&s, 2);
    g->snug = chance(&s, 30) ? 1 + below(&s, 3) : 0;
    int want = 2 + (int)below(&r, (uint64_t)ops - 1);
    while (g->ops < want && g->tensors < MOST - 4) {
        draw_op(g, &r);
    }
}

/* ---- handing it over ---- */

bool touched(const struct graph *g, int b) {
    for (int o = 0; o < g->ops; o++) {
        if (has(g->o[o].in, g->o[o].ins, b) || has(g->o[o].out, g->o[o].outs, b) || g->o[o].scratch == b) {
            return true;
        }
    }
    return false;
}

static void must(bool ok, const struct sw_error *error) {
    check(ok, "%s", error->message);
}

static void give_memory(struct sw_builder *builder, const struct graph *g) {
    struct sw_error error = {0};
    static const char *const tiers[] = {"t0", "t1"};
    for (int t = 0; t < g->tiers; t++) {
        struct sw_tier tier = {.name = tiers[t], .capacity = t == 0 ? g->capacity : SW_UNBOUNDED};
        must(sw_builder_tier(builder, &tier, &error), &error);
    }
    if (g->hole_hi) {
        must(sw_builder_reserve(builder, "t0", g->hole_lo, g->hole_hi, &error), &error);
    }
    for (int i = 0; i < g->units; i++) {
        const struct unit *u = &g->u[i];
        struct sw_unit_spec spec = {.name = u->name,
                                    .dedicated = u->dedicated,
                                    .dtype = dtype(u->bits),
                                    .alignment = u->align,
                                    .channel_multiple = u->channels,
                                    .has_channel_axis = u->axis != 1,
                                    .channel_axis = u->axis,
                                    .tiers = tiers + (u->tiers == 2),
                                    .tier_count = u->tiers == 2};
        must(sw_builder_unit(builder, &spec, &error), &error);
    }
    for (int f = 0; f < g->functions; f++) {
        char name[16];
        snprintf(name, sizeof name, "f%d", f);
        must(sw_builder_function(builder, name, g->unit_of[f] < 0 ? NULL : g->u[g->unit_of[f]].name, &error), &error);
    }
}

struct sw_problem *tokens_build(const struct graph *g) {
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    give_memory(builder, g);
    for (int i = 0; i < g->ops; i++) {
        const struct op *o = &g->o[i];
        const char *in[ARGS], *out[ARGS], *scratch = o->scratch < 0 ? "" : g->t[o->scratch].name;
        char function[16];
        snprintf(function, sizeof function, "f%d", o->function);
        for (int k = 0; k < o->ins; k++) {
            in[k] = g->t[o->in[k]].name;
        }
        for (int k = 0; k < o->outs; k++) {
            out[k] = g->t[o->out[k]].name;
        }
        struct sw_operator_spec spec = {.name = o->name,
                                        .kind = o->kind,
                                        .function = o->function < 0 ? NULL : function,
                                        .dtype = dtype(o->quantise),
                                        .inplace = o->inplace ? SW_INPLACE_ANY : SW_INPLACE_NO,
                                        .inputs = in,
                                        .input_count = (size_t)o->ins,
                                        .outputs = out,
                                        .output_count = (size_t)o->outs,
                                        .scratch = &scratch,
                                        .scratch_count = o->scratch >= 0};
        must(sw_builder_operator(builder, &spec, &error), &error);
    }
    static const char *const both[] = {"t0", "t1"};
    for (int i = 0; i < g->tensors; i++) {
        const struct tensor *t = &g->t[i];
        if (t->kind != SW_KIND_INPUT && !touched(g, i)) {
            continue;
        }
        struct sw_buffer_spec spec = {.name = t->name,
                                      .kind = t->kind,
                                      .dtype = dtype(t->bits),
                                      .shape = t->dims,
                                      .shape_count = (size_t)t->rank,
                                      .has_size = t->rank == 0,
                                      .size = t->bytes,
                                      .alignment = t->align};
        if (t->kind == SW_KIND_CONSTANT && t->planned) {
            spec.tiers = both;
            spec.tier_count = (size_t)g->tiers;
        }
        must(sw_builder_buffer(builder, &spec, &error), &error);
    }
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    must(problem != NULL, &error);
    sw_builder_free(builder);
    return problem;
}
