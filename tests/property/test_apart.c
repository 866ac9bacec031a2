/* What is said of two runs, for pairs of planners on random problems, with and without demands:
 *
 * - up to where they are said to part they place the same blocks at the same addresses, and there they do not; the
 * same for any size of slices;
 * - what the sentence says of sizes, lifetimes, lists and live bytes is so in the model as it was drawn;
 * - a place at which a run is said to have seen room was free there, one at which it saw none was not;
 * - the block that is said to cost the peak lowers it when one pins it, runs to the end, and looks; no block before it
 * does, and where none is said to, none does. */
#include "layout/made.h"
#include "model.h"
#include "planners/planner.h"
#include "search/apart/setting_apart.h"
#include "search/result/run_plan.h"
#include "share.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>

enum { PROBLEMS = 1600, PAIRS = 6, MOST_DECISIONS = 4000 };

static uint64_t turns, places, figures, deeds, ends, nots, clauses, seen, costly, harmless, slower, told, several,
    by_price;

/* ---- reading ---- */

/* Does the text go on like this? Then move past it. %B: bytes; %I: a time; %N: a buffer; %O: an operator or a time. */
static bool reads(const char **text, const char *pattern, ...) {
    const char *at = *text;
    va_list to;
    va_start(to, pattern);
    bool good = true;
    for (; good && *pattern; pattern++) {
        if (*pattern != '%') {
            good = *at++ == *pattern;
            continue;
        }
        bool name = *++pattern == 'N' || *pattern == 'O';
        uint64_t value = 0;
        if (name && strncmp(at, *pattern == 'N' ? "b" : "op", *pattern == 'N' ? 1 : 2) == 0) {
            at += *pattern == 'N' ? 1 : 2;
        } else if (name) {
            good = *pattern == 'O' && strncmp(at, "time ", 5) == 0;
            at += good ? 5 : 0;
        }
        bool minus = *at == '-';
        at += minus;
        good = good && isdigit((unsigned char)*at);
        for (; isdigit((unsigned char)*at) || (*at == ',' && isdigit((unsigned char)at[1])); at++) {
            value = *at == ',' ? value : value * 10 + (uint64_t)(*at - '0');
        }
        if (*pattern == 'B') {
            good = good && strncmp(at, " B", 2) == 0;
            at += good ? 2 : 0;
        }
        *va_arg(to, int64_t *) = minus ? -(int64_t)value : (int64_t)value;
    }
    va_end(to);
    *text = good ? at : *text;
    return good;
}

/* ---- the model's own figures ---- */

static uint64_t live_then(const struct model *m, const struct model_buffer *b, int64_t time) {
    uint64_t bytes = 0;
    for (int i = 0; i < b->pieces; i++) {
        bytes += b->piece[i].first <= time && time <= b->piece[i].last ? b->piece[i].hi - b->piece[i].lo : 0;
    }
    (void)m;
    return b->pieces ? bytes : b->first <= time && time <= b->last ? b->size : 0;
}

/* The most bytes alive at any time at which the buffer is. */
static uint64_t broadest(const struct model *m, int64_t b) {
    uint64_t most = 0;
    for (int64_t t = m->buffers[b].first; t <= m->buffers[b].last; t++) {
        uint64_t live = 0;
        for (int i = 0; i < m->buffer_count; i++) {
            live += m->buffers[i].planned ? live_then(m, &m->buffers[i], t) : 0;
        }
        bool alive = live_then(m, &m->buffers[b], t) > 0 || m->buffers[b].size == 0;
        most = alive && live > most ? live : most;
    }
    return most;
}

/* ---- the clause of a planner's order ---- */

struct claim {
    const struct model *m;
    const char *planner;
    int64_t taken, other;
    uint64_t grain; /* sizes are rounded up to it */
};

static uint64_t size_of(const struct claim *c, int64_t b) {
    uint64_t size = c->m->buffers[b].size;
    return (size + c->grain - 1) / c->grain * c->grain;
}

static bool reads_program(const struct claim *c, const char **text) {
    int64_t other, mine = c->m->buffers[c->taken].first, its = c->m->buffers[c->other].first, said[2];
    if (reads(text, " in program order (alive from %I, %N from %I)", &said[0], &other, &said[1])) {
        check_that(other == c->other && said[0] == mine && said[1] == its && mine < its, c->m, c->planner,
                   "program order of b%d and b%d", (int)c->taken, (int)c->other);
        return true;
    }
    if (reads(text, " as listed (%N is alive from %I, too)", &other, &said[0])) {
        check_that(other == c->other && mine == its && said[0] == mine && c->taken < c->other, c->m, c->planner,
                   "listed order of b%d and b%d", (int)c->taken, (int)c->other);
        return true;
    }
    return false;
}

static bool reads_size(const struct claim *c, const char **text) {
    int64_t other, mine, its;
    if (reads(text, "larger (%B; %N has %B)", &mine, &other, &its)) {
        check_that(other == c->other && (uint64_t)mine == size_of(c, c->taken) &&
                       (uint64_t)its == size_of(c, c->other) && mine > its,
                   c->m, c->planner, "b%d is no larger than b%d", (int)c->taken, (int)c->other);
        return true;
    }
    if (reads(text, "equal in size (%B), and first", &mine)) {
        check_that((uint64_t)mine == size_of(c, c->taken) && (uint64_t)mine == size_of(c, c->other), c->m, c->planner,
                   "b%d is not as large as b%d", (int)c->taken, (int)c->other);
        return reads_program(c, text);
    }
    return false;
}

static bool reads_breadth(const struct claim *c, const char **text) {
    int64_t step, other, mine, its;
    uint64_t here = broadest(c->m, c->taken), there = broadest(c->m, c->other);
    if (reads(text, "it is alive at %O, where %B are alive; %N never where more than %B are", &step, &mine, &other,
              &its)) {
        check_that(other == c->other && (uint64_t)mine == here && (uint64_t)its == there && here > there, c->m,
                   c->planner, "b%d is alive with %llu at most, b%d with %llu", (int)c->taken, (unsigned long long)here,
                   (int)c->other, (unsigned long long)there);
        return true;
    }
    if (reads(text, "it is alive at %O, where %B are alive, as at %O, where %N is, but earlier", &step, &mine, &its,
              &other)) {
        check_that((uint64_t)mine == here && here == there, c->m, c->planner, "not equally broad");
        return true;
    }
    if (reads(text, "alive at %O as well as that, it is ", &step)) {
        check_that(here == there, c->m, c->planner, "not equally broad");
        return reads_size(c, text);
    }
    return false;
}

static bool reads_clause(struct claim *c, const char **text) {
    int64_t other, mine, its;
    if (reads(text, "it comes first")) {
        return reads_program(c, text);
    }
    if (reads(text, "it is larger, rounded up to 16 (%B; %N takes %B)", &mine, &other, &its)) {
        c->grain = 16;
        check_that((uint64_t)mine == size_of(c, c->taken) && (uint64_t)its == size_of(c, c->other) && mine > its &&
                       other == c->other,
                   c->m, c->planner, "rounded sizes");
        return true;
    }
    if (reads(text, "it is as large as %N, rounded up to 16 (%B), and listed later", &other, &mine)) {
        c->grain = 16;
        check_that((uint64_t)mine == size_of(c, c->taken) && (uint64_t)mine == size_of(c, c->other) &&
                       other == c->other && c->taken > c->other,
                   c->m, c->planner, "rounded sizes, or the list");
        return true;
    }
    return reads_breadth(c, text) || (reads(text, "it is ") && reads_size(c, text));
}

/* ---- one pair ---- */

struct pair {
    const struct model *m;
    struct sw_search *runs[2]; /* at their ends, with journals */
    const struct sw_apart_parting *parting;
    char text[SW_APART_SENTENCE];
    char label[80];
};

static const char *const names[2] = {"One", "Two"};

/* "One, now running x, takes b3 first: ...; Two takes b4 (12 B)." */
static void check_turn(struct pair *p) {
    const char *at = p->text;
    for (unsigned i = 0; i < 2; i++) {
        int64_t taken, bytes;
        const struct sw_decision *mine = &p->parting->why[i].decision, *other = &p->parting->why[!i].decision;
        at += reads(&at, i ? "; " : "") ? 0 : 0;
        check_that(reads(&at, names[i]), p->m, p->label, "no name in '%s'", p->text);
        if (reads(&at, ", now running ")) {
            at = strchr(at, ',') + 1;
        }
        check_that(reads(&at, " takes %N", &taken) && taken == mine->buffer, p->m, p->label, "not taken: '%s'",
                   p->text);
        reads(&at, " first");
        if (reads(&at, ": ")) {
            struct claim c = {p->m, p->label, mine->buffer, other->buffer, 1};
            check_that(reads_clause(&c, &at), p->m, p->label, "clause '%s' of '%s'", at, p->text);
            clauses++;
        } else {
            check_that(reads(&at, " (%B)", &bytes) && (uint64_t)bytes == mine->size, p->m, p->label, "size in '%s'",
                       p->text);
            const char *because = p->parting->because[i];
            if (*because) {
                check_that(reads(&at, ": ") && strncmp(at, because, strlen(because)) == 0, p->m, p->label,
                           "no '%s' in '%s'", because, p->text);
                at += strlen(because);
                told++;
            }
        }
    }
    check_that(strcmp(at, ".") == 0, p->m, p->label, "'%s' at the end of '%s'", at, p->text);
}

/* Would the block share bytes there with one that is placed and in conflict with it? */
static bool collides(const struct sw_search *run, uint32_t buffer, uint32_t tier, uint64_t offset) {
    const struct sw_problem *problem = sw_search_problem(run);
    struct sw_placement at;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        if (b != buffer && sw_layout_placement(sw_search_layout(run), b, 0, &at) && at.tier == tier &&
            sw_problem_collide(problem, buffer, offset, b, at.offset)) {
            return true;
        }
    }
    return false;
}

/* Where a block lies, or is pinned, so that nothing else goes there. */
static bool lies_or_waits(const struct sw_search *run, uint32_t buffer, struct sw_placement *at) {
    struct sw_pin pin;
    if (sw_layout_placement(sw_search_layout(run), buffer, 0, at)) {
        return true;
    }
    bool pinned = sw_rules_pin(sw_search_problem(run), sw_search_rules(run), buffer, &pin);
    at->tier = pinned ? pin.tier : SW_NONE;
    at->offset = pinned ? pin.offset : 0;
    return pinned;
}

/* "At T+8 One saw room, too." "At T+8 Two saw no room: overlaps b3, ..." */
static void check_seen(struct pair *p) {
    for (unsigned i = 0; i < 2; i++) {
        char room[120], none[120];
        const struct sw_decision *other = &p->parting->why[!i].decision;
        const char *tier = sw_problem_tier(p->parting->problem[i], other->tier)->name;
        snprintf(room, sizeof room, "At %s+%llu %s saw room, too", tier, (unsigned long long)other->offset, names[i]);
        snprintf(none, sizeof none, "At %s+%llu %s saw no room: overlaps ", tier, (unsigned long long)other->offset,
                 names[i]);
        struct sw_search *then = sw_search_fork(p->runs[i], NULL);
        check_that(then && sw_search_seek(then, p->parting->step[i] - 1, NULL), p->m, p->label, "seek");
        bool taken = collides(then, other->buffer, other->tier, other->offset);
        const char *overlaps = strstr(p->text, none);
        if (strstr(p->text, room)) {
            /* Lifetime-best-fit enlarges what is too small: what lies there moves. */
            check_that(!taken || sw_search_planner(p->runs[i])->derives_lives, p->m, p->label, "no room: '%s'",
                       p->text);
            seen++;
        } else if (overlaps) {
            int64_t what;
            struct sw_placement at;
            overlaps += strlen(none);
            check_that(reads(&overlaps, "%N", &what) && lies_or_waits(then, (uint32_t)what, &at), p->m, p->label,
                       "nothing overlaps: '%s'", p->text);
            check_that(sw_problem_conflict(sw_search_problem(then), other->buffer, (uint32_t)what) != SW_CONFLICT_NONE,
                       p->m, p->label, "no conflict with b%d: '%s'", (int)what, p->text);
            check_that(at.offset < other->offset + other->size &&
                           other->offset < at.offset + sw_problem_buffer(sw_search_problem(then), (uint32_t)what)->size,
                       p->m, p->label, "b%d lies elsewhere: '%s'", (int)what, p->text);
            seen++;
        }
        sw_search_free(then);
    }
}

static bool places_block(const struct sw_decision *d) {
    return d->kind == SW_DECISION_PLACE || d->kind == SW_DECISION_PRECONF || d->kind == SW_DECISION_GROW ||
           d->kind == SW_DECISION_APPEND;
}

/* The next decision from step `*at` on that does more than keep a list of free space; NULL: none. */
static const struct sw_decision *next_counted(const struct sw_search *run, uint64_t *at) {
    while (++*at <= sw_search_known(run)) {
        const struct sw_decision *d = sw_search_journal(run, *at);
        if (d->kind != SW_DECISION_RELEASE && d->kind != SW_DECISION_COALESCE) {
            return d;
        }
    }
    return NULL;
}

/* Up to there they do the same, and there they do not. */
static void check_parting(struct pair *p) {
    uint64_t at[2] = {0, 0}, agreed = 0;
    const struct sw_decision *a, *b;
    for (;;) {
        a = next_counted(p->runs[0], &at[0]);
        b = next_counted(p->runs[1], &at[1]);
        bool reached = (p->parting->step[0] && at[0] >= p->parting->step[0]) ||
                       (p->parting->step[1] && at[1] >= p->parting->step[1]);
        if (!a || !b || reached) {
            break;
        }
        check_that(a->buffer == b->buffer && a->tier == b->tier && a->offset == b->offset &&
                       (a->kind == b->kind || (places_block(a) && places_block(b))),
                   p->m, p->label, "they part before, in decisions %llu and %llu", (unsigned long long)at[0],
                   (unsigned long long)at[1]);
        agreed++;
    }
    check_that(agreed == p->parting->agreed, p->m, p->label, "%llu agree, not %llu", (unsigned long long)agreed,
               (unsigned long long)p->parting->agreed);
    enum sw_apart_kind kind = p->parting->kind;
    check_that((kind == SW_APART_NOT) == (!a && !b) && (kind == SW_APART_END) == (!a != !b), p->m, p->label,
               "the ends: %s", p->text);
    if (!a || !b) {
        ends += kind == SW_APART_END;
        nots += kind == SW_APART_NOT;
        return;
    }
    check_that(at[0] == p->parting->step[0] && at[1] == p->parting->step[1], p->m, p->label, "other decisions");
    bool both = places_block(a) && places_block(b);
    switch (kind) {
    case SW_APART_TURN:
        check_that(both && a->buffer != b->buffer, p->m, p->label, "no other turn");
        check_turn(p);
        turns++;
        break;
    case SW_APART_PLACE:
        check_that(a->buffer == b->buffer && (a->tier != b->tier || a->offset != b->offset), p->m, p->label,
                   "no other place");
        check_seen(p);
        places++;
        break;
    case SW_APART_FIGURE:
        check_that(a->buffer == b->buffer && (a->kind == b->kind || both), p->m, p->label, "not the same");
        figures++;
        break;
    default:
        deeds++;
    }
}

/* ---- what costs the peak ---- */

/* What a question is about, of a run that is over. */
static double figure_of(const struct sw_search *run, const struct sw_apart_cost *cost) {
    double price = 0;
    if (cost->priced) {
        sw_search_cost(run, &price, NULL);
        return price;
    }
    return (double)(cost->memory == SW_NONE ? sw_layout_peak(sw_search_layout(run))
                                            : sw_layout_tier_peak(sw_search_layout(run), cost->memory));
}

/* The same with the block pinned where the other run has it; infinite: that cannot be. */
static double figure_with(const struct pair *p, const struct sw_apart_cost *cost, uint32_t buffer,
                          const struct sw_placement *there) {
    unsigned which = cost->which;
    struct sw_search *run = sw_search_fork(p->runs[which], NULL);
    struct sw_override pin = {.kind = SW_OVERRIDE_PIN, .buffer = buffer, .tier = there->tier, .offset = there->offset};
    struct sw_metrics metrics, before;
    double figure = INFINITY;
    sw_metrics_of(sw_search_layout(p->runs[which]), &before);
    check_that(run && sw_search_seek(run, cost->from, NULL), p->m, p->label, "seek");
    if (sw_search_force(run, &pin, NULL) && sw_search_run(run, 0, NULL, NULL, NULL) == SW_STEP_DONE) {
        sw_metrics_of(sw_search_layout(run), &metrics);
        if (metrics.complete && (metrics.fits || !before.fits) &&
            (metrics.single_tier || cost->memory != SW_NONE || cost->priced)) {
            figure = figure_of(run, cost);
        }
    }
    sw_search_free(run);
    return figure;
}

static void check_costs(struct pair *p, const struct sw_apart_cost *cost) {
    const struct sw_layout *plans[2] = {sw_search_layout(p->runs[0]), sw_search_layout(p->runs[1])};
    double figure[2];
    for (int i = 0; i < 2; i++) {
        figure[i] = figure_of(p->runs[i], cost);
        check_that(cost->kind == SW_APART_COST_OTHERS ||
                       (cost->memory == SW_NONE && cost->kind == SW_APART_COST_SAME) ||
                       figure[i] == (cost->priced ? cost->price[i] : (double)cost->peak[i]),
                   p->m, p->label, "the peak of run %d", i);
    }
    check_that((cost->kind == SW_APART_COST_SAME) <= (figure[0] == figure[1]), p->m, p->label, "the same peak");
    if (cost->kind != SW_APART_COST_ONE && cost->kind != SW_APART_COST_NONE_DOES) {
        return;
    }
    check_that(figure[cost->which] > figure[!cost->which], p->m, p->label, "which is higher");
    uint64_t found = UINT64_MAX;
    if (cost->kind == SW_APART_COST_ONE) {
        struct sw_placement there;
        check_that(sw_layout_placement(plans[!cost->which], cost->buffer, 0, &there) && there.tier == cost->tier &&
                       there.offset == cost->offset,
                   p->m, p->label, "the other run has b%u elsewhere", cost->buffer);
        double with = figure_with(p, cost, cost->buffer, &there);
        check_that(with == (cost->priced ? cost->price_then : (double)cost->then) && with < figure[cost->which], p->m,
                   p->label, "b%u gives %g", cost->buffer, with);
        several += cost->memory != SW_NONE;
        by_price += cost->priced;
        found = sw_layout_made(plans[cost->which], cost->buffer, 0);
        costly++;
    } else {
        check_that(cost->open == 0, p->m, p->label, "not all were tried");
        harmless++;
    }
    /* None of those that it placed before lowers it. */
    for (uint32_t b = 0; b < sw_problem_buffer_count(sw_search_given(p->runs[0])); b++) {
        struct sw_placement here, there;
        bool still = sw_layout_placement(plans[cost->which], b, 0, &here) && here.span.to == UINT32_MAX &&
                     sw_layout_placement(plans[!cost->which], b, 0, &there) && there.span.to == UINT32_MAX;
        bool elsewhere = still && (here.tier != there.tier || here.offset != there.offset);
        if (elsewhere && sw_layout_made(plans[cost->which], b, 0) < found &&
            sw_problem_buffer(sw_search_given(p->runs[0]), b)->size > 0) {
            double with = figure_with(p, cost, b, &there);
            check_that(with >= figure[cost->which], p->m, p->label, "b%u lowers it to %g", b, with);
        }
    }
}

/* ---- both, in slices of any size ---- */

static void check_slices(const struct pair *p, const struct sw_apart *whole, uint64_t slice) {
    struct sw_apart *apart = sw_apart_new(p->runs[0], p->runs[1], NULL);
    char text[SW_APART_SENTENCE];
    check_that(apart != NULL, p->m, p->label, "no memory");
    while (sw_apart_work(apart, slice, NULL)) {
    }
    sw_apart_sentence(apart, names, 0, text, sizeof text);
    check_that(strcmp(text, p->text) == 0, p->m, p->label, "in slices: '%s', not '%s'", text, p->text);
    uint32_t count, slow;
    const struct sw_apart_cost *a = sw_apart_costs(whole, &count), *b = sw_apart_costs(apart, &slow);
    check_that(count == slow, p->m, p->label, "in slices there are other questions");
    for (; count > 0; count--, a++, b++) {
        check_that(a->kind == b->kind && a->which == b->which && a->tried == b->tried && a->refused == b->refused &&
                       a->then == b->then && a->buffer == b->buffer && a->open == b->open && a->memory == b->memory,
                   p->m, p->label, "in slices something else costs the peak");
    }
    sw_apart_free(apart);
    slower++;
}

static struct sw_search *fresh_run(const struct sw_problem *problem, const struct sw_planner *planner, uint64_t *r,
                                   bool demand) {
    struct sw_params params = short_run(planner);
    struct sw_search *run = sw_search_new(problem, planner, &params, NULL);
    sw_params_done(&params);
    if (run && demand) {
        struct sw_override pin = {.kind = SW_OVERRIDE_PIN,
                                  .buffer = (uint32_t)sw_random_below(r, sw_problem_buffer_count(problem))};
        sw_search_seek(run, sw_random_below(r, 4), NULL);
        pin.offset = sw_random_below(r, 12) * sw_problem_buffer(problem, pin.buffer)->alignment * 8;
        sw_search_force(run, &pin, NULL);
    }
    return run;
}

static void compare_pair(const struct model *m, const struct sw_problem *problem, const struct sw_planner *const two[2],
                         uint64_t *r) {
    struct pair p = {.m = m};
    struct sw_search *runs[2];
    snprintf(p.label, sizeof p.label, "%s and %s", two[0]->name, two[1]->name);
    for (int i = 0; i < 2; i++) {
        runs[i] = fresh_run(problem, two[i], r, sw_random_below(r, 4) == 0);
        check_that(runs[i] != NULL, m, p.label, "no run");
        p.runs[i] = sw_search_fork(runs[i], NULL);
        sw_search_run(p.runs[i], 0, NULL, NULL, NULL);
    }
    struct sw_apart *apart = sw_apart_new(runs[0], runs[1], NULL);
    struct sw_error error = {0};
    while (sw_apart_work(apart, UINT64_C(1) << 30, &error)) {
    }
    check_that(error.code == SW_OK, m, p.label, "%s", error.message);
    p.parting = sw_apart_parting(apart);
    check_that(p.parting->known, m, p.label, "where they part is not known");
    int length = sw_apart_sentence(apart, names, 0, p.text, sizeof p.text);
    check_that(length > 0 && length < SW_APART_SENTENCE, m, p.label, "a sentence of %d", length);
    bool failed = sw_search_failed(p.runs[0], NULL) || sw_search_failed(p.runs[1], NULL);
    check_parting(&p);
    uint32_t count;
    const struct sw_apart_cost *costs = sw_apart_costs(apart, &count);
    check_that(failed == (costs->kind == SW_APART_COST_NO_PLAN), m, p.label, "a run without a plan");
    for (uint32_t k = 0; k < count && !failed; k++) {
        check_costs(&p, &costs[k]);
    }
    if (sw_random_below(r, 4) == 0) {
        check_slices(&p, apart, 1 + sw_random_below(r, 3000));
    }
    sw_apart_free(apart);
    for (int i = 0; i < 2; i++) {
        sw_search_free(runs[i]);
        sw_search_free(p.runs[i]);
    }
}

int main(void) {
    for (uint64_t i = first_case(PROBLEMS), end = i + cases(PROBLEMS); i < end; i++) {
        uint64_t r = base_seed() + i * 7919;
        struct model m;
        if (i % 2) {
            model_draw_plain(&m, base_seed() + i, 14);
        } else {
            model_draw(&m, base_seed() + i);
        }
        struct sw_problem *problem = model_build(&m, NULL);
        for (int k = 0; k < PAIRS; k++) {
            const struct sw_planner *two[2];
            for (int j = 0; j < 2; j++) {
                do { /* those of one pass more often than all others */
                    two[j] = sw_planner_get(sw_random_below(&r, sw_planner_count()));
                } while (!model_applies(two[j], problem) || (!two[j]->turn && sw_random_below(&r, 3)));
            }
            compare_pair(&m, problem, two, &r);
        }
        sw_problem_unref(problem);
    }
    printf("%" PRIu64 " turns with %" PRIu64 " clauses and %" PRIu64 " told, %" PRIu64 " places with %" PRIu64
           " looks, %" PRIu64 " figures, %" PRIu64 " deeds, %" PRIu64 " ends, %" PRIu64 " alike; %" PRIu64
           " blocks cost the peak, %" PRIu64 " times none does; %" PRIu64 " in slices; %" PRIu64
           " of one of several memories, %" PRIu64 " of E\n",
           turns, clauses, told, places, seen, figures, deeds, ends, nots, costly, harmless, slower, several, by_price);
    bool all =
        turns && clauses && told && places && seen && figures && deeds && ends && nots && costly && harmless && slower;
    return all ? 0 : (printf("something was never met\n"), 1);
}
