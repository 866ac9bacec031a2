/* Drawing random problems. See model.h. */
#include "model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t below(uint64_t *state, uint64_t bound) {
    return sw_random_below(state, bound);
}

static bool chance(uint64_t *state, unsigned percent) {
    return below(state, 100) < percent;
}

/* Small sizes collide more; round ones leave exact fits. */
static uint64_t draw_size(uint64_t *r) {
    static const uint64_t round[] = {4, 8, 16, 32, 64};
    return chance(r, 4) ? 0 : chance(r, 40) ? round[below(r, 5)] : 1 + below(r, 60);
}

static struct model_buffer *new_buffer(struct model *m, uint64_t *r) {
    struct model_buffer *b = &m->buffers[m->buffer_count];
    *b = (struct model_buffer){.kind = SW_KIND_INTERMEDIATE,
                               .planned = true,
                               .size = draw_size(r),
                               .alignment = 1,
                               .tiers = (1u << m->tier_count) - 1,
                               .tier = -1,
                               .writer = -1};
    snprintf(b->name, sizeof b->name, "b%d", m->buffer_count++);
    return b;
}

static void draw_span(uint64_t *r, int64_t horizon, int64_t *first, int64_t *last) {
    *first = (int64_t)below(r, (uint64_t)horizon);
    *last = *first + (int64_t)below(r, 1 + (uint64_t)(horizon - *first) / (1 + below(r, 3)));
    *last = *last < horizon ? *last : horizon - 1;
}

/* ---- lists of buffers ---- */

/* Cut the life into pieces: with holes between some, and some with a window of the bytes only. */
static void cut(struct model_buffer *b, uint64_t *r, bool windows) {
    int64_t at = b->first;
    b->pieces = 0;
    while (at <= b->last && b->pieces < MAX_PIECES - 1) {
        int64_t end = at + (int64_t)below(r, 3);
        end = end < b->last ? end : b->last;
        struct model_piece piece = {at, end, 0, b->size};
        if (windows && b->size > 1 && chance(r, 60)) {
            piece.lo = below(r, b->size);
            piece.hi = piece.lo + 1 + below(r, b->size - piece.lo);
        }
        b->piece[b->pieces++] = piece;
        if (windows && piece.hi < b->size && chance(r, 30) && b->pieces < MAX_PIECES - 1) {
            b->piece[b->pieces++] =
                (struct model_piece){at, end, piece.hi, piece.hi + 1 + below(r, b->size - piece.hi)};
        }
        at = end + 1 + (int64_t)below(r, 3);
    }
    b->last = b->piece[b->pieces - 1].last;
}

static void draw_list(struct model *m, uint64_t *r) {
    int64_t horizon = 4 + (int64_t)below(r, 14), scale = 1 + (int64_t)below(r, 3);
    int count = 3 + (int)below(r, 14);
    bool holes = chance(r, 50), windows = chance(r, 40);
    for (int i = 0; i < count; i++) {
        struct model_buffer *b = new_buffer(m, r);
        draw_span(r, horizon, &b->first, &b->last);
        b->piece[0] = (struct model_piece){b->first, b->last, 0, b->size};
        b->pieces = 1;
        if (b->size > 0 && holes && chance(r, 50)) {
            cut(b, r, windows);
        }
        /* Raw time need not be a step number, nor begin at 0. */
        for (int p = 0; p < b->pieces; p++) {
            b->piece[p].first = b->piece[p].first * scale - 5;
            b->piece[p].last = b->piece[p].last * scale - 5;
        }
        b->first = b->first * scale - 5;
        b->last = b->last * scale - 5;
    }
}

/* ---- graphs ---- */

static void touch(struct model *m, int buffer, int op) {
    struct model_buffer *b = &m->buffers[buffer];
    b->touched[op] = true;
}

static bool has(const int *list, int count, int item) {
    for (int i = 0; i < count; i++) {
        if (list[i] == item) {
            return true;
        }
    }
    return false;
}

static void draw_operator(struct model *m, uint64_t *r, int o) {
    struct model_operator *op = &m->operators[o];
    *op = (struct model_operator){.after = -1};
    snprintf(op->name, sizeof op->name, "op%d", o);
    op->core = (int)below(r, (uint64_t)m->cores);
    op->inplace = chance(r, 40);
    op->after = o > 0 && chance(r, m->cores > 1 ? 50 : 5) ? (int)below(r, (uint64_t)o) : -1;
    int known = m->buffer_count;
    for (uint64_t want = below(r, 3) + (known > 0); want > 0 && known > 0; want--) {
        /* The young ones more often, as in a network. */
        int back = (int)below(r, (uint64_t)(known < 5 || chance(r, 20) ? known : 5));
        int input = known - 1 - back;
        if (m->buffers[input].kind != SW_KIND_SCRATCH && !has(op->inputs, op->input_count, input)) {
            op->inputs[op->input_count++] = input;
            touch(m, input, o);
        }
    }
    for (uint64_t want = 1 + below(r, 2); want > 0 && m->buffer_count < MAX_BUFFERS - 1; want--) {
        struct model_buffer *b = new_buffer(m, r);
        b->kind = chance(r, 12) ? SW_KIND_OUTPUT : SW_KIND_INTERMEDIATE;
        b->writer = o;
        op->outputs[op->output_count++] = m->buffer_count - 1;
        touch(m, m->buffer_count - 1, o);
    }
    if (chance(r, 25) && m->buffer_count < MAX_BUFFERS - 1) {
        struct model_buffer *b = new_buffer(m, r);
        b->kind = SW_KIND_SCRATCH;
        op->scratch[op->scratch_count++] = m->buffer_count - 1;
        touch(m, m->buffer_count - 1, o);
    }
}

/* Section 0 of the specification: births and deaths. */
static void imply_lives(struct model *m) {
    for (int i = 0; i < m->buffer_count; i++) {
        struct model_buffer *b = &m->buffers[i];
        b->first = b->last = -1;
        for (int o = 0; o < m->operator_count; o++) {
            if (b->touched[o]) {
                b->first = b->first < 0 ? o : b->first;
                b->last = o;
            }
        }
        if (b->kind == SW_KIND_INPUT) {
            b->first = 0;
            b->last = b->last < 0 ? 0 : b->last;
        }
        if (b->kind == SW_KIND_OUTPUT) {
            b->last = m->operator_count - 1;
        }
        b->piece[0] = (struct model_piece){b->first, b->last, 0, b->size};
    }
}

/* Program order on a core and `after`, closed transitively. */
static void order_operators(struct model *m) {
    int n = m->operator_count;
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            m->before[a][b] = (a < b && m->operators[a].core == m->operators[b].core) || m->operators[b].after == a;
        }
    }
    for (int k = 0; k < n; k++) {
        for (int a = 0; a < n; a++) {
            for (int b = 0; b < n; b++) {
                m->before[a][b] = m->before[a][b] || (m->before[a][k] && m->before[k][b]);
            }
        }
    }
}

void model_in_order(struct model *m, const struct sw_problem *ordered) {
    struct model given = *m;
    int at[MAX_OPERATORS];
    for (int o = 0; o < m->operator_count; o++) {
        at[o] = -1;
        for (int k = 0; k < m->operator_count; k++) {
            at[o] = strcmp(sw_problem_operator(ordered, (uint32_t)k)->name, given.operators[o].name) == 0 ? k : at[o];
        }
    }
    for (int o = 0; o < m->operator_count; o++) {
        m->operators[at[o]] = given.operators[o];
        m->operators[at[o]].after = given.operators[o].after < 0 ? -1 : at[given.operators[o].after];
        for (int b = 0; b < m->buffer_count; b++) {
            m->buffers[b].touched[at[o]] = given.buffers[b].touched[o];
        }
    }
    for (int b = 0; b < m->buffer_count; b++) {
        m->buffers[b].writer = given.buffers[b].writer < 0 ? -1 : at[given.buffers[b].writer];
    }
    imply_lives(m);
    order_operators(m);
}

static void draw_graph(struct model *m, uint64_t *r) {
    m->cores = chance(r, 25) ? 2 + (int)below(r, 2) : 1;
    m->inplace_safe = m->cores == 1 && chance(r, 60);
    for (uint64_t inputs = below(r, 3); inputs > 0; inputs--) {
        new_buffer(m, r)->kind = SW_KIND_INPUT;
    }
    m->operator_count = 2 + (int)below(r, 10);
    for (int o = 0; o < m->operator_count; o++) {
        draw_operator(m, r, o);
    }
    /* Inputs that no operator reads would have no operator to compare on several cores. */
    for (int i = 0; i < m->buffer_count && m->cores > 1; i++) {
        struct model_operator *op = &m->operators[0];
        if (m->buffers[i].kind == SW_KIND_INPUT && !has(op->inputs, op->input_count, i) &&
            op->input_count < MAX_ARGUMENTS) {
            op->inputs[op->input_count++] = i;
            touch(m, i, 0);
        }
    }
    if (chance(r, 20) && m->buffer_count < MAX_BUFFERS) {
        struct model_buffer *weights = new_buffer(m, r);
        weights->kind = SW_KIND_CONSTANT;
        weights->planned = false;
    }
    imply_lives(m);
    order_operators(m);
}

/* ---- the rest ---- */

static void draw_memory(struct model *m, uint64_t *r) {
    m->tier_count = chance(r, 30) ? 2 + (int)below(r, 2) : 1;
    for (int t = 0; t < m->tier_count; t++) {
        bool limited = m->tier_count > 1 ? t + 1 < m->tier_count || chance(r, 20) : chance(r, 15);
        m->capacity[t] = limited ? 20 + below(r, 150) : SW_UNBOUNDED;
    }
}

static void draw_demands(struct model *m, uint64_t *r) {
    static const uint64_t alignments[] = {2, 4, 8, 16, 3, 12};
    bool aligned = chance(r, 40);
    for (int i = 0; i < m->buffer_count; i++) {
        struct model_buffer *b = &m->buffers[i];
        if (aligned && chance(r, 50)) {
            b->alignment = alignments[below(r, 6)];
        }
        if (m->tier_count > 1 && b->planned && chance(r, 25)) {
            if (chance(r, 50)) {
                b->tier = (int)below(r, (uint64_t)m->tier_count);
            } else {
                b->tiers = 1 + (unsigned)below(r, (1u << m->tier_count) - 1);
            }
        }
    }
    if (chance(r, 20)) {
        m->reserved_count = 1 + (int)below(r, 2);
        for (int i = 0; i < m->reserved_count; i++) {
            m->reserved[i].tier = (int)below(r, (uint64_t)m->tier_count);
            m->reserved[i].lo = i == 0 && chance(r, 50) ? 0 : below(r, 80);
            m->reserved[i].hi = m->reserved[i].lo + 1 + below(r, 20);
        }
    }
    if (chance(r, 25)) {
        int a = (int)below(r, (uint64_t)m->buffer_count), b = (int)below(r, (uint64_t)m->buffer_count);
        if (a != b && m->buffers[a].planned && m->buffers[b].planned) {
            m->separate[0][0] = a;
            m->separate[0][1] = b;
            m->separate_count = 1;
        }
    }
}

void model_draw(struct model *m, uint64_t seed) {
    uint64_t r = seed * 7919 + 1;
    *m = (struct model){.seed = seed, .cores = 1, .tier_count = 1};
    draw_memory(m, &r);
    if (chance(&r, 50)) {
        draw_graph(m, &r);
    } else {
        draw_list(m, &r);
    }
    draw_demands(m, &r);
}

void model_draw_plain(struct model *m, uint64_t seed, int most) {
    uint64_t r = seed * 104729 + 3;
    *m = (struct model){.seed = seed, .cores = 1, .tier_count = 1, .capacity = {SW_UNBOUNDED}};
    int64_t horizon = 3 + (int64_t)below(&r, 14);
    for (uint64_t count = 2 + below(&r, (uint64_t)most - 1); count > 0; count--) {
        struct model_buffer *b = new_buffer(m, &r);
        draw_span(&r, horizon, &b->first, &b->last);
        b->piece[0] = (struct model_piece){b->first, b->last, 0, b->size};
        b->pieces = 1;
    }
}

void model_pin_some(struct model *m, const struct sw_layout *layout) {
    uint64_t r = m->seed * 31 + 5;
    for (int i = 0; i < m->buffer_count; i++) {
        struct sw_placement p;
        struct model_buffer *b = &m->buffers[i];
        if (b->planned && chance(&r, 20) && sw_layout_placement(layout, (uint32_t)i, 0, &p) &&
            (m->capacity[p.tier] == SW_UNBOUNDED || p.offset + b->size <= m->capacity[p.tier])) {
            b->pinned = true;
            b->tier = (int)p.tier;
            b->offset = p.offset;
        }
    }
}

/* ---- handing it over ---- */

static void must(bool ok, const struct model *m, const struct sw_error *error) {
    check_that(ok, m, "(building)", "%s", error->message);
}

static void build_tiers(struct sw_builder *builder, const struct model *m) {
    struct sw_error error = {0};
    for (int t = 0; t < m->tier_count; t++) {
        char name[16];
        snprintf(name, sizeof name, "t%d", t);
        struct sw_tier tier = {.name = name, .capacity = m->capacity[t]};
        if (m->tier_count > 1) { /* so that it matters where a block lies */
            tier.bandwidth = 16 >> t;
            tier.latency = 1 + 3 * t;
        }
        must(sw_builder_tier(builder, &tier, &error), m, &error);
    }
    for (int i = 0; i < m->reserved_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%d", m->reserved[i].tier);
        must(sw_builder_reserve(builder, name, m->reserved[i].lo, m->reserved[i].hi, &error), m, &error);
    }
}

static void build_operator(struct sw_builder *builder, const struct model *m, int o) {
    struct sw_error error = {0};
    const struct model_operator *op = &m->operators[o];
    const char *inputs[MAX_ARGUMENTS], *outputs[MAX_ARGUMENTS], *scratch[MAX_ARGUMENTS];
    for (int i = 0; i < op->input_count; i++) {
        inputs[i] = m->buffers[op->inputs[i]].name;
    }
    for (int i = 0; i < op->output_count; i++) {
        outputs[i] = m->buffers[op->outputs[i]].name;
    }
    for (int i = 0; i < op->scratch_count; i++) {
        scratch[i] = m->buffers[op->scratch[i]].name;
    }
    char core[16];
    snprintf(core, sizeof core, "core%d", op->core);
    const char *after = op->after >= 0 ? m->operators[op->after].name : NULL;
    struct sw_operator_spec spec = {.name = op->name,
                                    .core = m->cores > 1 ? core : NULL,
                                    .kind = m->adds && op->inplace ? "add" : NULL,
                                    .inplace = op->inplace ? SW_INPLACE_ANY : SW_INPLACE_NO,
                                    .inputs = inputs,
                                    .outputs = outputs,
                                    .scratch = scratch,
                                    .after = &after,
                                    .input_count = (size_t)op->input_count,
                                    .output_count = (size_t)op->output_count,
                                    .scratch_count = (size_t)op->scratch_count,
                                    .after_count = after != NULL};
    must(sw_builder_operator(builder, &spec, &error), m, &error);
}

static void build_buffer(struct sw_builder *builder, const struct model *m, int i, const uint64_t *plan) {
    static const char *const names[] = {"t0", "t1", "t2"};
    struct sw_error error = {0};
    const struct model_buffer *b = &m->buffers[i];
    const char *tiers[MAX_TIERS];
    struct sw_piece_spec pieces[MAX_PIECES];
    struct sw_buffer_spec spec = {.name = b->name,
                                  .kind = b->kind,
                                  .has_size = true,
                                  .size = b->size,
                                  .alignment = b->alignment,
                                  .tier = b->tier >= 0 ? names[b->tier] : NULL,
                                  .tiers = tiers,
                                  .pieces = pieces,
                                  .piece_count = (size_t)b->pieces};
    for (int t = 0; t < m->tier_count && b->tiers + 1 != 1u << m->tier_count; t++) {
        if (b->tiers >> t & 1) {
            tiers[spec.tier_count++] = names[t];
        }
    }
    for (int p = 0; p < b->pieces; p++) {
        pieces[p] = (struct sw_piece_spec){b->piece[p].first, b->piece[p].last, b->piece[p].lo, b->piece[p].hi};
    }
    if (b->pieces == 1 && b->piece[0].hi - b->piece[0].lo == b->size) {
        spec.piece_count = 0;
        spec.has_first = spec.has_last = true;
        spec.first = b->first;
        spec.last = b->last;
    }
    int64_t accesses[] = {b->first, b->last};
    if (m->accesses && m->operator_count == 0) {
        spec.has_accesses = true;
        spec.accesses = accesses;
        spec.access_count = 2;
    }
    if (b->planned && (b->pinned || plan)) {
        spec.has_offset = true;
        spec.offset = plan ? plan[i] : b->offset;
    }
    must(sw_builder_buffer(builder, &spec, &error), m, &error);
}

struct sw_problem *model_build(const struct model *m, const uint64_t *plan) {
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    must(builder != NULL, m, &error);
    build_tiers(builder, m);
    for (int o = 0; o < m->operator_count; o++) {
        build_operator(builder, m, o);
    }
    for (int i = 0; i < m->buffer_count; i++) {
        build_buffer(builder, m, i, plan);
    }
    for (int i = 0; i < m->separate_count; i++) {
        must(sw_builder_separate(builder, m->buffers[m->separate[i][0]].name, m->buffers[m->separate[i][1]].name,
                                 &error),
             m, &error);
    }
    sw_builder_inplace(builder, m->inplace_safe);
    sw_builder_offsets(builder, plan ? SW_OFFSETS_PLAN : SW_OFFSETS_PINS);
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    must(problem != NULL, m, &error);
    sw_builder_free(builder);
    return problem;
}

/* ---- for the test programs ---- */

bool next_order(uint32_t *order, uint32_t count) {
    uint32_t i = count - 1, k = count - 1;
    while (i > 0 && order[i - 1] > order[i]) {
        i--;
    }
    if (i == 0) {
        return false;
    }
    while (order[k] < order[i - 1]) {
        k--;
    }
    uint32_t held = order[k];
    order[k] = order[i - 1];
    order[i - 1] = held;
    for (uint32_t lo = i, hi = count - 1; lo < hi; lo++, hi--) {
        held = order[lo];
        order[lo] = order[hi];
        order[hi] = held;
    }
    return true;
}

struct sw_params short_run(const struct sw_planner *planner) {
    static const struct {
        const char *key, *value;
    } few[] = {{"population", "5"}, {"generations", "2"}, {"evaluations", "9"},   {"survivors", "3"},
               {"rounds", "2"},     {"nodes", "40"},      {"branching", "pivot"}, {"overwrite", "any"}};
    struct sw_params params = SW_PARAMS_DEFAULT;
    params.work = strcmp(planner->name, "auto") == 0 || planner->reorders ? 200000 : 0; /* enough for all its turns */
    for (const struct sw_parameter *p = planner->parameters; p && p->name; p++) {
        for (size_t i = 0; i < sizeof few / sizeof few[0]; i++) {
            if (strcmp(p->name, few[i].key) == 0 && !sw_params_set(&params, few[i].key, few[i].value, NULL)) {
                exit(1);
            }
        }
    }
    return params;
}

bool moves_buffers(const struct sw_planner *planner) {
    return planner->needs & SW_NEEDS_ACCESSES;
}

uint64_t base_seed(void) {
    const char *text = getenv("SW_PROPERTY_SEED");
    return text ? strtoull(text, NULL, 10) : 1;
}

void check_that(bool truth, const struct model *m, const char *planner, const char *format, ...) {
    if (truth) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "seed %llu, %s: ", (unsigned long long)m->seed, planner);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nrun again with SW_PROPERTY_SEED=%llu\n", (unsigned long long)m->seed);
    va_end(arguments);
    exit(1);
}

bool model_applies(const struct sw_planner *planner, const struct sw_problem *problem) {
    if (!sw_planner_applies(planner, problem, NULL)) {
        return false;
    }
    bool picky = planner->reserves || planner->reorders;
    struct sw_search *search = picky ? sw_search_new(problem, planner, NULL, NULL) : NULL;
    bool suits = search || !picky;
    sw_search_free(search);
    return suits;
}
