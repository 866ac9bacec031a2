/* Below the curves: the members that the last generation made, as far as the journal tells, or, of
 * planners without generations, the results that were better than all before. */
#include "view/charts/convergence.h"
#include "base/base.h"
#include "base/sort.h"

const char *sw_convergence_figure(const struct sw_view_input *in, struct sw_scene *scene, enum sw_measure measure,
                                  double value) {
    if (isnan(value)) {
        return "none";
    }
    if (measure == SW_MEASURE_COST) {
        return sw_scene_printf(scene, "%.6g", value);
    }
    return sw_view_said_bytes(in, scene, value > 0 ? (uint64_t)(value + 0.5) : 0);
}

/* ---- the members of a generation ---- */

struct generation_member {
    uint64_t step;       /* of its figure */
    uint32_t number;     /* SW_NONE: the planner does not number them */
    uint32_t parents[2]; /* or the two that were crossed; SW_NONE */
    uint32_t continuity; /* SW_NONE: its planner does not tell */
    bool drawn, crossed, mutated, known;
    double figure;
};
struct members {
    SW_ARRAY(struct generation_member) list;
    SW_ARRAY(struct generation_member) origin; /* by number: what was done to each since the last generation */
    struct generation_member next;             /* what was done to the one that is measured next */
    enum sw_measure measure;
    bool ordered; /* they are orders, with a continuity, and there is room for it */
};

enum { MOST_NUMBERS = 1 << 20, ORDER_ROOM = 52 };

static struct generation_member *member_origin(struct members *m, uint32_t number) {
    if (number >= MOST_NUMBERS || !SW_RESERVE(&m->origin, (size_t)number + 1)) {
        return NULL; /* its origin is not told then */
    }
    while (m->origin.count <= number) {
        m->origin.items[m->origin.count++] = (struct generation_member){.parents = {SW_NONE, SW_NONE}};
    }
    return &m->origin.items[number];
}

static void set_parents(struct generation_member *child, const struct sw_decision *decision) {
    child->parents[0] = sw_decision_member(decision, 0);
    child->parents[1] = sw_decision_member(decision, 1);
}

/* Two members that exchange parts; or more, of which each takes from the next. */
static void exchange_parts(struct members *m, const struct sw_decision *decision) {
    const uint32_t parents[] = {decision->exchange.first, decision->exchange.second, decision->exchange.third,
                                decision->exchange.fourth};
    uint32_t count = 2;
    while (count < 4 && parents[count] != SW_NONE) {
        count++;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct generation_member *one = member_origin(m, parents[i]);
        if (one) {
            one->crossed = true;
            one->parents[0] = count == 2 ? parents[0] : parents[i];
            one->parents[1] = count == 2 ? parents[1] : parents[(i + 1) % count];
        }
    }
}

static bool measure_member(struct members *m, const struct sw_decision *decision) {
    enum sw_measure measure = m->measure;
    struct generation_member member = m->next, *origin = NULL;
    uint32_t number = sw_decision_member(decision, 0);
    if (decision->measures == SW_AMOUNT_MOVED && number != SW_NONE) {
        origin = member_origin(m, number);
        member = origin ? *origin : member;
    }
    member.number = number;
    member.step = decision->step;
    member.continuity = SW_NONE;
    member.known = sw_trend_figure(decision, &measure, &member.figure) && measure == m->measure;
    m->next = (struct generation_member){.parents = {SW_NONE, SW_NONE}};
    return SW_PUSH(&m->list, member);
}

static bool take_member(struct members *m, const struct sw_decision *decision) {
    struct generation_member *mutated;
    switch ((enum sw_decision_kind)decision->kind) {
    case SW_DECISION_INDIVIDUAL:
        m->next.drawn = true;
        return true;
    case SW_DECISION_CROSSOVER: /* a child of two */
        m->next.crossed = true;
        set_parents(&m->next, decision);
        return true;
    case SW_DECISION_EXCHANGE:
        exchange_parts(m, decision);
        return true;
    case SW_DECISION_SWAP:
        m->next.mutated = true;
        set_parents(&m->next, decision);
        return true;
    case SW_DECISION_MUTATE:
        mutated = member_origin(m, decision->mutate.member);
        if (mutated) {
            mutated->mutated = true;
        }
        return true;
    case SW_DECISION_SORT_BLOCKS: /* of the one that was decoded before */
        if (m->list.count > 0) {
            m->list.items[m->list.count - 1].continuity = (uint32_t)decision->sort_blocks.continuity;
        }
        return true;
    case SW_DECISION_DECODE:
    case SW_DECISION_EVALUATE:
    case SW_DECISION_EVALUATE_COST:
    case SW_DECISION_EVALUATE_MEMBER:
    case SW_DECISION_EVALUATE_POPULATION:
        return measure_member(m, decision);
    default:
        return true;
    }
}

static int compare_members(const void *a, const void *b) {
    const struct generation_member *x = a, *y = b;
    if (x->known != y->known || !x->known) {
        return (y->known - x->known) ? y->known - x->known : (x->step > y->step) - (x->step < y->step);
    }
    return x->figure != y->figure ? (x->figure > y->figure) - (x->figure < y->figure)
                                  : (x->step > y->step) - (x->step < y->step);
}

static const char *origin_text(struct sw_lines *lines, const struct generation_member *member) {
    const char *text = member->drawn ? "drawn" : "";
    if (member->parents[0] != SW_NONE && member->parents[1] != SW_NONE) {
        text = sw_scene_printf(lines->scene, "%u and %u", member->parents[0], member->parents[1]);
        text = member->crossed ? text : sw_scene_printf(lines->scene, "%u", member->parents[0]);
    }
    return member->mutated ? sw_scene_printf(lines->scene, "%s%schanged", text, *text ? ", " : "") : text;
}

static void draw_member_row(struct sw_lines *lines, const struct members *m, const struct generation_member *member,
                            double best) {
    bool now = member->step == sw_search_at(lines->search);
    enum sw_style style = member->known && member->figure <= best ? SW_STYLE_STRONG
                          : member->known                         ? SW_STYLE_TEXT
                                                                  : SW_STYLE_DIM;
    sw_lines_row(lines, (struct sw_item){SW_ITEM_DECISION, member->step}, now);
    sw_lines_cell(lines, style, true,
                  member->number == SW_NONE ? "" : sw_scene_printf(lines->scene, "%u", member->number));
    sw_lines_cell(lines, style, false, origin_text(lines, member));
    sw_lines_cell(lines, style, true,
                  member->known ? sw_convergence_figure(lines->in, lines->scene, m->measure, member->figure)
                                : "impossible");
    if (m->ordered) {
        sw_lines_cellf(lines, style, true, "%s", member->continuity == SW_NONE ? "" : SW_COUNT(member->continuity));
    }
    sw_lines_cellf(lines, SW_STYLE_DIM, true, "%s", SW_COUNT(member->step));
}

static const struct sw_lines_head member_heads[] = {
    {"member", true}, {"from", false}, {"figure", true}, {"decision", true}};
static const struct sw_lines_head order_heads[] = {
    {"member", true}, {"from", false}, {"figure", true}, {"continuity", true}, {"decision", true}};

void sw_convergence_population(struct sw_lines *lines, const struct sw_trend *trend,
                               const struct sw_trend_round *round) {
    struct members m = {.next = {.parents = {SW_NONE, SW_NONE}}, .measure = trend->measure};
    bool good = true;
    for (uint64_t step = round->begin + 1; step <= round->step && good; step++) {
        good = take_member(&m, sw_search_journal(lines->search, step));
    }
    lines->scene->failed = lines->scene->failed || !good;
    uint32_t count = (uint32_t)m.list.count;
    SW_SORT_LIST(&m.list, compare_members);
    m.ordered = count > 0 && m.list.items[0].continuity != SW_NONE && lines->room >= ORDER_ROOM;
    if (count > 0 && lines->rows > lines->panel->rows.count + 1) {
        sw_lines_head_row(lines, m.ordered ? order_heads : member_heads, m.ordered ? 5 : 4);
    }
    for (uint32_t i = 0; i < count && !lines->scene->failed; i++) {
        if (lines->panel->rows.count >= lines->rows) {
            lines->panel->hidden_below += count - i;
            break;
        }
        draw_member_row(lines, &m, &m.list.items[i], m.list.items[0].figure);
    }
    SW_ARRAY_DONE(&m.list, &m.origin);
}

/* ---- without generations ---- */

/* The first point as good as point i: the best only falls, so halving finds it. */
static size_t gain_of(const struct sw_trend *trend, size_t i) {
    double best = trend->points.items[i].best;
    return SW_FIRST(k, i, !(trend->points.items[k].best > best));
}

static const struct sw_lines_head gain_heads[] = {
    {"decision", true}, {"best so far", true}, {"gain", true}, {"why", false}};

void sw_convergence_gains(struct sw_lines *lines, const struct sw_trend *trend) {
    size_t end = sw_trend_point_after(trend, sw_search_at(lines->search));
    if (end > 0 && lines->rows > lines->panel->rows.count + 1) {
        sw_lines_head_row(lines, gain_heads, 4);
    }
    while (end > 0 && !lines->scene->failed) {
        end = gain_of(trend, end - 1);
        const struct sw_trend_point *point = &trend->points.items[end];
        const struct sw_decision *decision = sw_search_journal(lines->search, point->step);
        double before = end ? trend->points.items[end - 1].best : (double)NAN;
        if (!sw_lines_row(lines, (struct sw_item){SW_ITEM_DECISION, point->step},
                          point->step == sw_search_at(lines->search))) {
            continue;
        }
        sw_lines_cellf(lines, SW_STYLE_DIM, true, "%s", SW_COUNT(point->step));
        sw_lines_cell(lines, SW_STYLE_TEXT, true,
                      sw_convergence_figure(lines->in, lines->scene, trend->measure, point->best));
        sw_lines_cell(lines, SW_STYLE_TEXT, true,
                      end ? sw_scene_printf(lines->scene, "%s", SW_PERCENT(point->best / before - 1, true)) : "");
        char reason[SW_REASON];
        sw_lines_cellf(lines, SW_STYLE_DIM, false, "%s", sw_decision_reason(decision, reason));
    }
}
