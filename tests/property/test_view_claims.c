/* What panes claim in words, on small random problems: blame, the bounds, the decision, the free space, the schedule,
 * the card.
 *
 * Each pane is built as text at the decisions of random runs, and its sentences are read as a person reads them. What
 * is said of bytes is reckoned again from the placements and the lives alone; what is said of all orders is looked up
 * in all orders (of up to 6 operators); what is said to help or to fit is done. */
#include "share.h"
#include "pane_reading.h"

#include "layout/cost.h"
#include "layout/made.h"
#include "search/result/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 1800, LOOKS = 6 };

static uint64_t proofs_compared, parents_compared;

/* ---- the bounds ---- */

static void check_peak_proof(const struct pane_scene *s, const char *line, uint64_t bound, int from) {
    uint64_t sum = 0, bytes, shared = 0;
    for (int i = from + 1; i < pane_line_count && pane_lines[i][0] == ' '; i++) {
        uint32_t b;
        if (line_reads(s, pane_lines[i], "  %N|%B|", &b, &bytes)) {
            sum += bytes;
        } else if (line_reads(s, pane_lines[i], "  may be shared|-%B|", &bytes)) {
            shared = bytes;
        }
    }
    if (sum - shared != bound) {
        refuse_line(s, line, "what is listed sums to %" PRIu64 ", less %" PRIu64, sum, shared);
    }
}

static void check_bounds(const struct pane_scene *s) {
    struct sw_view_input in = {.look.selected = SW_NONE};
    uint64_t bytes, other;
    uint32_t step, count, b;
    bool one = sw_problem_tier_count(s->problem) == 1;
    pane_build(s, "bounds", &in);
    for (int i = 0; i < pane_line_count; i++) { /* no plan takes less, unless it is said how */
        bool said = strstr(pane_lines[i], "without migration: ") || strstr(pane_lines[i], "; less where");
        const char *claim = strncmp(pane_lines[i], "peak", 4) == 0 ? strstr(pane_lines[i], ": at least ") : NULL;
        uint64_t sum = 0;
        for (uint32_t t = 0; t < sw_problem_tier_count(s->problem); t++) {
            sum += sw_layout_tier_peak(s->layout, t);
        }
        if (claim && !said && line_reads(s, claim, ": at least %B", &bytes) && s->complete && sum < bytes) {
            refuse_line(s, pane_lines[i], "this plan takes %" PRIu64, sum);
        }
    }
    LINE_THAT(s, i, one ? "peak: at least %B, alive at %O" : "peak: at least %B in all memories together, alive at %O",
              &bytes, &step) {
        uint64_t most = 0;
        for (uint32_t k = 0; k < sw_problem_steps(s->problem); k++) {
            most = sw_problem_profile(s->problem)[k] > most ? sw_problem_profile(s->problem)[k] : most;
        }
        if (bytes != most || scene_alive(s, step) < bytes) {
            refuse_line(s, pane_lines[i], "most is %" PRIu64 ", %" PRIu64 " there", most, scene_alive(s, step));
        }
        check_peak_proof(s, pane_lines[i], bytes, i);
    }
    LINE_THAT(s, i,
              one ? "peak: at least %B, the sum of %U buffers"
                  : "peak: at least %B in all memories together, the sum of %U buffers",
              &bytes, &count) {
        uint32_t set[MAX_BUFFERS], found = 0;
        for (int k = i + 1; k < pane_line_count && line_reads(s, pane_lines[k], "  %N|", &b); k++) {
            for (uint32_t n = 0; n < found; n++) {
                if (sw_problem_conflict(s->problem, set[n], b) == SW_CONFLICT_NONE) {
                    refuse_line(s, pane_lines[i], "b%u and b%u do not conflict", set[n], b);
                }
            }
            set[found++] = b;
        }
        check_peak_proof(s, pane_lines[i], bytes, i);
        if (found != count) {
            refuse_line(s, pane_lines[i], "%u are listed", found);
        }
    }
    LINE_THAT(s, i, "cost: at least ") {
        double least = strtod(pane_lines[i] + strlen("cost: at least "), NULL), is = 0, sum = 0;
        const struct sw_cost_model *model = sw_search_params(s->search)->cost;
        size_t faults = 1; /* of a plan that overflows nothing is claimed */
        if (s->complete && sw_search_check(s->search, &faults, NULL, NULL, NULL) && faults == 0 &&
            sw_cost_of_layout(s->layout, model, &is, NULL) && is < least * (1 - 1e-5)) {
            refuse_line(s, pane_lines[i], "this plan costs %g", is);
        }
        for (int k = i + 1; k < pane_line_count && line_reads(s, pane_lines[k], "  %N|", &b); k++) {
            sum += strtod(strchr(pane_lines[k], '|') + 1, NULL);
        }
        if (fabs(sum - least) > least * 1e-4) {
            refuse_line(s, pane_lines[i], "what is listed sums to %g", sum);
        }
    }
    LINE_THAT(s, i, "order: every order of the operators has %B", &bytes) {
        if (s->orders && s->least < bytes) {
            refuse_line(s, pane_lines[i], "one has %" PRIu64, s->least);
        }
        if (one && strstr(pane_lines[i], "this one has no more") && sw_problem_lower_bound(s->problem) != bytes) {
            refuse_line(s, pane_lines[i], "it has %" PRIu64, sw_problem_lower_bound(s->problem));
        }
        if (s->orders && one && strstr(pane_lines[i], "the best one has no more") && s->least != bytes) {
            refuse_line(s, pane_lines[i], "the best one has %" PRIu64, s->least);
        }
        const char *mine = strstr(pane_lines[i], "this one ");
        mine = mine && strncmp(mine + 9, "has ", 4) == 0 ? mine + 4 : mine;
        if (mine && one && line_reads(s, mine + 9, "%B", &other) && other != sw_problem_lower_bound(s->problem)) {
            refuse_line(s, pane_lines[i], "it has %" PRIu64, sw_problem_lower_bound(s->problem));
        }
    }
    LINE_THAT(s, i, "every order holds ") {
        const char *when = strstr(pane_lines[i], " when ");
        const char *own = strstr(pane_lines[i], "together") ? strrchr(pane_lines[i], ',') + 2
                                                            : pane_lines[i] + strlen("every order holds ");
        if (s->orders && line_reads(s, when + 6, "%O", &step) && line_reads(s, own, "%B", &bytes) &&
            s->with[step] < bytes) {
            refuse_line(s, pane_lines[i], "one with %" PRIu64, s->with[step]);
        }
        for (int k = i + 1; s->orders && k < pane_line_count && line_reads(s, pane_lines[k], "  %N|%B|", &b, &bytes);
             k++) {
            if (strstr(pane_lines[k], "in every order") && !(s->always[step] >> b & 1)) {
                refuse_line(s, pane_lines[k], "not in all");
            }
        }
    }
}

/* ---- blame ---- */

static void check_changes(const struct pane_scene *s) {
    uint64_t by, to, now = sw_problem_lower_bound(s->problem);
    uint32_t b, old, op, step = sw_problem_bound_step(s->problem), count;
    for (int i = 0; i < pane_line_count; i++) {
        const char *falls = strstr(pane_lines[i], ": the bound falls by ");
        struct sw_edit edit = {.step = step};
        uint64_t size;
        if (strncmp(pane_lines[i], "No single ", 10) == 0 || strncmp(pane_lines[i], "Together, ", 10) == 0) {
            continue;
        }
        if (line_reads(s, pane_lines[i], "%N (%B) spilled", &b, &size)) {
            edit.kind = SW_EDIT_SPILL;
            edit.buffer = b;
        } else if (line_reads(s, pane_lines[i], "%N (%B) recomputed", &b, &size)) {
            edit.kind = SW_EDIT_RECOMPUTE;
            edit.buffer = b;
        } else if (line_reads(s, pane_lines[i], "%N written over %N by %O", &b, &old, &op)) {
            edit = (struct sw_edit){.kind = SW_EDIT_INPLACE, .step = op, .buffer = b, .other = old};
        } else if (line_reads(s, pane_lines[i], "%O moved from step %U to step %U", &op, &b, &old)) {
            edit = (struct sw_edit){.kind = SW_EDIT_MOVE, .step = b, .to = old};
        } else if (strncmp(pane_lines[i], "With --inplace safe", 19) == 0) {
            edit.kind = SW_EDIT_INPLACE_MARKED;
        } else {
            continue;
        }
        if (!falls || !line_reads(s, falls, ": the bound falls by %B to %B", &by, &to)) {
            continue;
        }
        struct sw_error error = {0};
        struct sw_problem *changed = sw_problem_changed(s->problem, &edit, 1, &error);
        if (!changed || now - by != to || sw_problem_lower_bound(changed) != to) {
            refuse_line(s, pane_lines[i], "from %" PRIu64 " to %" PRIu64 " %s", now,
                        changed ? sw_problem_lower_bound(changed) : 0, error.message);
        }
        sw_problem_unref(changed);
    }
    LINE_THAT(s, i, "It is met at %U steps", &count) {
        uint32_t met = 0;
        for (uint32_t k = 0; k < sw_problem_steps(s->problem); k++) {
            met += sw_problem_profile(s->problem)[k] == now;
        }
        if (met != count) {
            refuse_line(s, pane_lines[i], "%u", met);
        }
    }
    LINE_THAT(s, i, "Every buffer live here is in use") {
        for (b = 0; b < sw_problem_buffer_count(s->problem); b++) {
            struct sw_edit edit = {.kind = SW_EDIT_SPILL, .step = step, .buffer = b};
            if (sw_problem_may_change(s->problem, &edit, NULL)) {
                refuse_line(s, pane_lines[i], "b%u waits", b);
            }
        }
    }
    LINE_THAT(s, i, "No operator around this step can be moved") {
        for (uint32_t to_step = 0; to_step < sw_problem_operator_count(s->problem); to_step++) {
            struct sw_edit edit = {.kind = SW_EDIT_MOVE, .step = step, .to = to_step};
            if (to_step != step && step < sw_problem_operator_count(s->problem) &&
                sw_problem_may_change(s->problem, &edit, NULL)) {
                refuse_line(s, pane_lines[i], "to step %u it can", to_step);
            }
        }
    }
    LINE_THAT(s, i, "No order of the operators lowers the bound") {
        if (s->orders && s->least < now) {
            refuse_line(s, pane_lines[i], "one has %" PRIu64 ", this one %" PRIu64, s->least, now);
        }
    }
    LINE_THAT(s, i, "All operators in a better order (reorder auto): the bound falls by %B to %B;", &by, &to) {
        uint64_t needs;
        const char *every = strstr(pane_lines[i], "every order needs ");
        if (now - by != to || (s->orders && to < s->least)) {
            refuse_line(s, pane_lines[i], "%" PRIu64 ", the least %" PRIu64, now, s->least);
        }
        if (s->orders && strstr(pane_lines[i], "no order needs less") && s->least != to) {
            refuse_line(s, pane_lines[i], "one needs %" PRIu64, s->least);
        }
        if (s->orders && every && line_reads(s, every, "every order needs %B", &needs) && needs > s->least) {
            refuse_line(s, pane_lines[i], "one needs %" PRIu64, s->least);
        }
    }
    LINE_THAT(s, i, "Every order holds %B or more when %O runs", &to, &op) {
        const char *always = strstr(pane_lines[i], "always ");
        if (s->orders && s->with[op] < to) {
            refuse_line(s, pane_lines[i], "one with %" PRIu64, s->with[op]);
        }
        for (const char *at = always ? always + 6 : NULL; s->orders && at; at = strchr(at + 1, ' ')) {
            if (line_reads(s, at, " %N", &b) && !(s->always[op] >> b & 1)) {
                refuse_line(s, pane_lines[i], "not b%u", b);
            }
        }
    }
}

static void check_block(const struct pane_scene *s, uint32_t b, uint32_t tier, uint64_t offset) {
    uint64_t at, bytes, size, shown;
    uint32_t other;
    struct sw_placement p;
    bool plain;
    LINE_THAT(s, i, "As things lie now there is room for it lower, at %B", &at) {
        if (at >= offset || !scene_fits(s, s->layout, b, tier, at)) {
            refuse_line(s, pane_lines[i], "not there");
        }
    }
    LINE_THAT(s, i, "Below it ") {
        uint64_t is = scene_free_below(s, b, tier, offset, &plain);
        for (at = 0; at < offset; at++) { /* "it could move down" is not said */
            if (scene_fits(s, s->layout, b, tier, at)) {
                refuse_line(s, pane_lines[i], "at %" PRIu64 " there is", at);
            }
        }
        bytes = is;
        if (plain && ((line_reads(s, pane_lines[i], "Below it nothing is free") && is) ||
                      (line_reads(s, pane_lines[i], "Below it only %B are free", &bytes) && is != bytes) ||
                      (line_reads(s, pane_lines[i], "Below it %B are free", &bytes) && is != bytes))) {
            refuse_line(s, pane_lines[i], "%" PRIu64 " are", is);
        }
        const char *needs = strstr(pane_lines[i], "and it needs ");
        if (needs && line_reads(s, needs, "and it needs %B", &size) && size != sw_problem_buffer(s->problem, b)->size) {
            refuse_line(s, pane_lines[i], "it does not");
        }
    }
    LINE_THAT(s, i, "  %N|%B|at %B, ", &other, &size, &shown) {
        if (!sw_layout_placement(s->layout, other, 0, &p) || p.offset != shown || p.tier != tier || shown >= offset ||
            size != sw_problem_buffer(s->problem, other)->size) {
            refuse_line(s, pane_lines[i], "not so");
        }
    }
}

static void check_blame(const struct pane_scene *s) {
    struct sw_view_input in = {.look.selected = SW_NONE};
    uint64_t peak, over, bound, size, at;
    uint32_t b, step, decision;
    uint32_t tier = 0; /* the highest that is in use */
    while (tier + 1 < sw_problem_tier_count(s->problem) && sw_layout_arena(s->layout, tier) == 0) {
        tier++;
    }
    uint64_t now = sw_problem_lower_bound(s->problem);
    uint64_t highest = sw_layout_arena(s->layout, tier),
             counts = scene_peak(s, s->layout, tier); /* a planner may round the first up */
    pane_build(s, "blame", &in);
    for (int i = 0; i < pane_line_count; i++) {
        bool more =
            line_reads(s, pane_lines[i], "The peak is %B, %B more than the lower bound of %B", &peak, &over, &bound);
        bool least =
            !more && line_reads(s, pane_lines[i], "The peak is %B, the lower bound: no layout does with less", &peak);
        if (((more || least || line_reads(s, pane_lines[i], "The peak so far is %B", &peak)) && peak != counts) ||
            (least && peak != now) || (more && (peak - over != bound || bound != now))) {
            refuse_line(s, pane_lines[i], "%" PRIu64 ", %" PRIu64, counts, now);
        }
    }
    LINE_THAT(s, i, "The peak of t%U, the highest memory in use, is %B", &step, &peak) {
        if (peak != counts || step != tier) {
            refuse_line(s, pane_lines[i], "%" PRIu64, counts);
        }
    }
    LINE_THAT(s, i, "Decision %U set it: %N (%B) went to %B and ends ", &decision, &b, &size, &at) {
        struct sw_placement p;
        uint64_t end, rest = 0;
        const char *ends = strstr(pane_lines[i], "and ends at ");
        bool rounded =
            ends && line_reads(s, ends, "and ends at %B, and the arena %B above", &end, &rest) && end == at + size;
        if (ends && line_reads(s, ends, "and ends at %B; %B beside it that no block ever uses", &end, &peak)) {
            rounded = false;
            rest = end != at + size || highest - peak != counts || (end > counts && at < peak) ? UINT64_MAX
                                                                                               : highest - end;
        } else if (counts != highest) {
            rest = UINT64_MAX;
        }
        uint32_t k = 0; /* which of its places */
        while (sw_layout_placement(s->layout, b, k, &p) && p.offset != at) {
            k++;
        }
        if (!sw_layout_placement(s->layout, b, k, &p) || at + size + rest != highest ||
            (counts == highest && rounded != (rest > 0)) || size != sw_problem_buffer(s->problem, b)->size ||
            decision > sw_search_at(s->search)) {
            refuse_line(s, pane_lines[i], "the peak is %" PRIu64, highest);
        }
        if (sw_layout_transfer_count(s->layout) == 0) {
            check_block(s, b, p.tier, at);
        }
    }
    LINE_THAT(s, i, "The lower bound of %B is what is alive at %O", &bound, &step) {
        if (bound != now || scene_alive(s, step) < bound) {
            refuse_line(s, pane_lines[i], "%" PRIu64 " are", scene_alive(s, step));
        }
    }
    check_changes(s);
}

/* What does not fit. */
static void check_misfit(const struct pane_scene *s) {
    uint64_t size, all, hole, capacity, at, missing, bytes;
    uint32_t b = 0, other, tier, step, count;
    LINE_THAT(s, i, "%N does not fit into t%U (%B) at %O", &b, &tier, &capacity, &step) {
        if (sw_problem_tier(s->problem, tier)->capacity != capacity || sw_problem_buffer(s->problem, b)->first > step) {
            refuse_line(s, pane_lines[i], "another capacity or step");
        }
        LINE_THAT(s, k, "It needs %B; %B are free during its life, the largest hole has %B", &size, &all, &hole) {
            const char *rest = strstr(pane_lines[k], ": ");
            bool plain;
            uint64_t is = scene_free_below(s, b, tier, capacity, &plain);
            if (size != sw_problem_buffer(s->problem, b)->size || hole > all || (plain && is != all) ||
                (strstr(pane_lines[k], "are missing") && rest && line_reads(s, rest, ": %B are missing", &missing) &&
                 missing != size - all) ||
                (strstr(pane_lines[k], "enough, but in pieces") && (all < size || hole >= size))) {
                refuse_line(s, pane_lines[k], "%" PRIu64 " are free", is);
            }
            const char *room = strstr(pane_lines[k], "there is room for it at ");
            bool fits = false;
            for (at = 0; at + size <= capacity; at++) {
                fits = fits || scene_fits(s, s->layout, b, tier, at);
            }
            if (fits != (room != NULL) || (room && line_reads(s, room, "there is room for it at %B", &at) &&
                                           !scene_fits(s, s->layout, b, tier, at))) {
                refuse_line(s, pane_lines[k], fits ? "there is room" : "there is none");
            }
        }
        LINE_THAT(s, k, "No layout") {
            const char *alive = strstr(pane_lines[k], ": ");
            uint64_t bound = sw_problem_lower_bound(s->problem);
            if (bound <= capacity || !alive ||
                !line_reads(s, alive, ": %B are alive at once, %B more", &bytes, &missing) || bytes != bound ||
                missing != bound - capacity) {
                refuse_line(s, pane_lines[k], "the bound is %" PRIu64, bound);
            }
        }
        LINE_THAT(s, k, "With %N (%B) elsewhere, in another tier or at another address, it would fit at %B", &other,
                  &bytes, &at) {
            struct sw_layout *copy = sw_layout_clone(s->layout, NULL);
            if (!copy || !sw_layout_lift(copy, other) || !scene_fits(s, copy, b, tier, at)) {
                refuse_line(s, pane_lines[k], "it does not");
            }
            sw_layout_free(copy);
        }
        LINE_THAT(s, k, "No single block that may move makes room") {
            for (other = 0; other < sw_problem_buffer_count(s->problem); other++) {
                struct sw_layout *copy = sw_layout_clone(s->layout, NULL);
                bool lifted = other != b && !sw_problem_buffer(s->problem, other)->pinned &&
                              sw_layout_placed(copy, other) && sw_layout_lift(copy, other);
                for (at = 0; lifted && at + sw_problem_buffer(s->problem, b)->size <= capacity; at++) {
                    if (scene_fits(s, copy, b, tier, at)) {
                        refuse_line(s, pane_lines[k], "b%u does, at %" PRIu64, other, at);
                    }
                }
                sw_layout_free(copy);
            }
        }
        LINE_THAT(s, k, "It was the first: %U blocks end above the capacity, the highest at %B", &count, &bytes) {
            uint32_t above = 0;
            for (other = 0; other < sw_problem_buffer_count(s->problem); other++) {
                struct sw_placement p;
                uint64_t its = sw_problem_buffer(s->problem, other)->size;
                above +=
                    its && sw_layout_placement(s->layout, other, 0, &p) && p.tier == tier && p.offset + its > capacity;
            }
            if (above != count || bytes != scene_top(s, s->layout, tier)) {
                refuse_line(s, pane_lines[k], "%u do, to %" PRIu64, above, scene_top(s, s->layout, tier));
            }
        }
    }
}

/* ---- the decision ---- */

/* Does all lie where it did before the decision, but for its own block? */
static bool rest_stays(const struct pane_scene *s, uint32_t own) {
    struct sw_placement a, b;
    for (uint32_t i = 0; i < sw_problem_buffer_count(s->problem); i++) {
        bool here = sw_layout_placement(s->layout, i, 0, &a), there = sw_layout_placement(s->before, i, 0, &b);
        if (i != own && (here != there || (here && (a.tier != b.tier || a.offset != b.offset)))) {
            return false;
        }
    }
    return true;
}

/* Is it a planner that shows one layout after the other? */
static bool shows_layouts(const struct pane_scene *s) {
    const char *name = sw_search_planner(s->search)->name;
    return !strcmp(name, "branch-and-bound") || !strcmp(name, "auto") || !strncmp(name, "order", 5) ||
           !strcmp(name, "random-order");
}

/* What the peak was where the decision put its block: of the layout before it, or, where a search is about another
 * layout by now, of what lies there without that block. */
static uint64_t peak_it_found(const struct pane_scene *s, const struct sw_decision *d, uint32_t tier) {
    struct sw_placement at;
    if (!shows_layouts(s) || d->kind == SW_DECISION_GROW || rest_stays(s, d->buffer) || d->buffer == SW_NONE ||
        !sw_layout_placement(s->layout, d->buffer, 0, &at) || sw_layout_made(s->layout, d->buffer, 0) != d->step) {
        return scene_peak(s, s->before, tier);
    }
    struct sw_layout *rest = sw_layout_new(s->problem, NULL);
    for (uint32_t b = 0; rest && b < sw_problem_buffer_count(s->problem); b++) {
        if (b != d->buffer && sw_layout_placement(s->layout, b, 0, &at) &&
            !sw_layout_place(rest, b, at.tier, at.offset)) {
            break;
        }
    }
    uint64_t peak = scene_peak(s, rest, tier);
    sw_layout_free(rest);
    parents_compared++;
    return peak;
}

/* A search shows another layout: what lay there before is nothing that a block or its absence adds to. */
static bool may_compare(const struct pane_scene *s, const struct sw_decision *d) {
    struct sw_placement at;
    bool placed = d->buffer != SW_NONE && sw_layout_placement(s->layout, d->buffer, 0, &at) &&
                  sw_layout_made(s->layout, d->buffer, 0) == d->step;
    return !shows_layouts(s) || placed || d->kind == SW_DECISION_BACKTRACK || rest_stays(s, d->buffer);
}

static void check_decision(const struct pane_scene *s) {
    struct sw_view_input in = {.look.selected = SW_NONE};
    const struct sw_decision *d = sw_search_decision(s->search);
    uint64_t by, to, rest;
    uint32_t count, tier = d ? d->tier : SW_NONE;
    pane_build(s, "decision", &in);
    uint64_t now = scene_peak(s, s->layout, tier), was = s->before ? peak_it_found(s, d, tier) : 0;
    for (int i = 0; i < pane_line_count; i++) {
        const char *raises = strstr(pane_lines[i], "It raises the peak"),
                   *lowers = strstr(pane_lines[i], "It lowers the peak");
        const char *first = strstr(pane_lines[i], "It sets the first peak"),
                   *bound = strstr(pane_lines[i], "the lower bound");
        const char *words = raises ? raises : lowers;
        words = words ? strstr(words, " by ") : NULL;
        if ((raises || lowers) && s->before && !may_compare(s, d)) {
            refuse_line(s, pane_lines[i], "that was another layout: %s", sw_decision_called(d));
        }
        if (words && s->before && line_reads(s, words, " by %B to %B", &by, &to) &&
            (to != now || (raises ? was + by != now : was - by != now))) {
            refuse_line(s, pane_lines[i], "from %" PRIu64 " to %" PRIu64, was, now);
        }
        words = first ? strchr(first, ',') : NULL;
        if (words && s->before && line_reads(s, words, ", %B", &to) && (was || to != now)) {
            refuse_line(s, pane_lines[i], "from %" PRIu64 " to %" PRIu64, was, now);
        }
        words = (raises || first) && bound ? strstr(pane_lines[i], " over the lower bound") : NULL;
        if (words) {
            while (words > pane_lines[i] && words[-1] != ',') {
                words--;
            }
            if (line_reads(s, words, " %B over", &by) && now - by != sw_problem_lower_bound(s->problem)) {
                refuse_line(s, pane_lines[i], "of %" PRIu64, sw_problem_lower_bound(s->problem));
            }
        }
        if ((raises || first) && strstr(pane_lines[i], "which is the lower bound") &&
            now != sw_problem_lower_bound(s->problem)) {
            refuse_line(s, pane_lines[i], "of %" PRIu64, sw_problem_lower_bound(s->problem));
        }
        if (line_reads(s, pane_lines[i], "It ends %B below the peak", &by)) {
            words = strstr(pane_lines[i], "stays at ");
            if (words && line_reads(s, words, "stays at %B", &to) &&
                (to != now || (s->before && was != now) || d->offset + d->size + by != now)) {
                refuse_line(s, pane_lines[i], "from %" PRIu64 " to %" PRIu64 ", its end %" PRIu64, was, now,
                            d->offset + d->size);
            }
        } else if (line_reads(s, pane_lines[i], "The peak") && (words = strstr(pane_lines[i], "stays at ")) &&
                   s->before && line_reads(s, words, "stays at %B", &to) && (to != now || was != now)) {
            refuse_line(s, pane_lines[i], "from %" PRIu64 " to %" PRIu64, was, now);
        }
        if (line_reads(s, pane_lines[i], "It leaves %B of that space free", &rest) ||
            line_reads(s, pane_lines[i], "It fills that space exactly")) {
            rest = strstr(pane_lines[i], "exactly") ? 0 : rest;
            for (size_t k = 0; s->why && k < s->why->candidates.count; k++) {
                const struct sw_candidate *c = &s->why->candidates.items[k];
                const char *own = c->verdict == SW_VERDICT_CHOSEN ? strstr(c->reason, "leaves ") : NULL;
                if ((c->verdict == SW_VERDICT_CHOSEN && c->size - d->size != rest) ||
                    (own && line_reads(s, own, "leaves %B", &by) &&
                     (strstr(own, " above it") ? by >= rest : by != rest))) {
                    refuse_line(s, pane_lines[i], "of %" PRIu64 ", where the planner says '%s'", c->size, c->reason);
                }
            }
        }
        if (line_reads(s, pane_lines[i], "%U other place", &count) && s->before && d->buffer != SW_NONE) {
            for (size_t k = 0; s->why && k < s->why->candidates.count; k++) {
                const struct sw_candidate *c = &s->why->candidates.items[k];
                count -= c->verdict == SW_VERDICT_FITS;
                if (c->verdict == SW_VERDICT_FITS && strstr(pane_lines[i], "would have fitted") &&
                    !strstr(c->reason, "overwritten") &&
                    (strncmp(c->reason, "id ", 3) != 0 || sw_problem_buffer(s->problem, d->buffer)->alignment == 1) &&
                    !scene_fits(s, s->before, d->buffer, c->tier, c->offset) &&
                    !scene_fits(s, s->layout, d->buffer, c->tier, c->offset)) {
                    refuse_line(s, pane_lines[i], "not at %" PRIu64 " of t%u (%s)", c->offset, c->tier, c->reason);
                }
            }
            if (count) {
                refuse_line(s, pane_lines[i], "not so many");
            }
        }
    }
}

/* ---- the free space ---- */

static void check_free(const struct pane_scene *s, uint32_t tier, uint32_t step) {
    struct sw_view_input in = {.look.selected = SW_NONE, .look.tier = tier, .look.cursor = step};
    uint64_t used, rest, arena = sw_layout_arena(s->layout, tier), is = 0, largest = 0, run = 0, most;
    uint32_t holes, found = 0, share;
    pane_build(s, "free", &in);
    for (uint64_t at = 0; at < arena; at++) {
        bool taken = false;
        for (uint32_t b = 0; b < sw_problem_buffer_count(s->problem) && !taken; b++) {
            struct sw_placement p;
            const struct sw_buffer *buffer = sw_problem_buffer(s->problem, b);
            taken = sw_buffer_alive(buffer, step) && sw_layout_at(s->layout, b, step, &p) && p.tier == tier &&
                    at >= p.offset && at < p.offset + buffer->size;
        }
        is += taken;
        run = taken ? 0 : run + 1;
        found += run == 1;
        largest = run > largest ? run : largest;
    }
    LINE_THAT(s, i, "%B used, %B free in %U hole", &used, &rest, &holes) {
        if (used != is || rest != arena - is || holes != found) {
            refuse_line(s, pane_lines[i], "%" PRIu64 " of %" PRIu64 ", %u holes", is, arena, found);
        }
    }
    LINE_THAT(s, i, "the largest hole is %B; %U", &most, &share) {
        double elsewhere = 100.0 * (double)(arena - is - largest) / (double)(arena - is);
        if (most != largest || fabs(elsewhere - share) > 1) {
            refuse_line(s, pane_lines[i], "%" PRIu64 ", %.1f%%", largest, elsewhere);
        }
    }
}

/* ---- the schedule ---- */

static void check_schedule(const struct pane_scene *s) {
    struct sw_view_input in = {.look.selected = SW_NONE};
    uint64_t bytes;
    if (sw_problem_operator_count(s->problem) < 2 || sw_problem_core_count(s->problem) > 1) {
        return;
    }
    pane_build(s, "schedule", &in);
    for (int i = 0; i < pane_line_count; i++) {
        const char *every = strstr(pane_lines[i], "Every order needs ");
        if (s->orders && every && line_reads(s, every, "Every order needs %B", &bytes) && bytes > s->least) {
            refuse_line(s, pane_lines[i], "one needs %" PRIu64, s->least);
        }
        if (s->orders && line_reads(s, pane_lines[i], "No order of the operators needs less") &&
            s->least < sw_problem_lower_bound(sw_search_given(s->search))) {
            refuse_line(s, pane_lines[i], "one needs %" PRIu64, s->least);
        }
    }
}

/* ---- the card ---- */

static void check_card(const struct pane_scene *s, uint32_t buffer) {
    struct sw_view_input in = {.look.selected = buffer};
    struct sw_placement mine, p;
    uint64_t gap, size, lowest = 0, highest = UINT64_MAX, own = sw_problem_buffer(s->problem, buffer)->size;
    uint32_t b;
    pane_build(s, "card", &in);
    if (!sw_layout_placement(s->layout, buffer, 0, &mine) || mine.span.to != UINT32_MAX || own == 0) {
        return;
    }
    for (b = 0; b < sw_problem_buffer_count(s->problem); b++) {
        if (b != buffer && sw_problem_conflict(s->problem, buffer, b) != SW_CONFLICT_NONE &&
            sw_layout_placement(s->layout, b, 0, &p) && p.tier == mine.tier &&
            (size = sw_problem_buffer(s->problem, b)->size) > 0) {
            lowest = p.offset + size <= mine.offset && p.offset + size > lowest ? p.offset + size : lowest;
            highest = p.offset >= mine.offset + own && p.offset < highest ? p.offset : highest;
        }
    }
    for (int i = 0; i < pane_line_count; i++) {
        const char *comma = strrchr(pane_lines[i], ',');
        bool below = line_reads(s, pane_lines[i], "below: "), above = line_reads(s, pane_lines[i], "above: ");
        if (comma && (below || above)) {
            gap = strcmp(comma, ", touching") == 0 || !line_reads(s, comma, ", %B", &gap) ? 0 : gap;
            uint64_t is = below ? mine.offset - lowest : highest - mine.offset - own;
            if (gap != is) {
                refuse_line(s, pane_lines[i], "%" PRIu64, is);
            }
        }
    }
}

/* ---- what is proved, and what other planners found ---- */

struct found {
    const char *planner;
    bool optimal, orders; /* it says that nothing is smaller, in any order of the operators */
    bool reordered;
    uint64_t peak;
};
static struct found found[8];
static size_t found_count;

static void compare_found(const struct pane_scene *s, const struct sw_problem *given) {
    struct sw_figures f;
    size_t faults;
    if (!sw_figures_of(s->search, &f, NULL) || !f.ended || !f.placed || !f.metrics.single_tier ||
        sw_problem_tier_count(given) > 1 || sw_layout_permit_count(s->layout) > 0 || f.claims.has_migration ||
        !sw_layout_check(s->layout, &faults, NULL, NULL) || faults > 0) {
        return; /* it does not obey the rules that all share */
    }
    struct found *mine = &found[found_count++];
    *mine = (struct found){s->planner, f.optimal, f.claims.over_orders, s->problem != given, f.metrics.peak};
    for (size_t i = 0; i < found_count; i++) {
        for (size_t k = 0; k < found_count; k++) {
            const struct found *proved = &found[i], *other = &found[k];
            bool speaks = proved->optimal && (proved->orders || (!other->reordered && !proved->reordered));
            check_that(!speaks || other->peak >= proved->peak, s->m, proved->planner,
                       "%" PRIu64 " is said to be the least, and %s has %" PRIu64, proved->peak, other->planner,
                       other->peak);
            proofs_compared += speaks;
        }
    }
}

/* ---- random runs ---- */

static void look_at_panes(struct pane_scene *s, uint64_t *r) {
    uint32_t buffers = sw_problem_buffer_count(s->problem), steps = sw_problem_steps(s->problem);
    check_bounds(s);
    check_blame(s);
    if (sw_layout_transfer_count(s->layout) == 0) { /* else it lies here and there */
        check_misfit(s);
    }
    check_decision(s);
    check_schedule(s);
    if (steps > 0) {
        check_free(s, (uint32_t)sw_random_below(r, sw_problem_tier_count(s->problem)),
                   (uint32_t)sw_random_below(r, steps));
    }
    if (buffers > 0) {
        check_card(s, (uint32_t)sw_random_below(r, buffers));
    }
}

static void check_run(const struct model *m, struct sw_problem *problem, const struct sw_planner *planner,
                      uint64_t *r) {
    struct sw_params params = short_run(planner);
    struct sw_error error = {0};
    struct sw_search *search = sw_search_new(problem, planner, &params, &error);
    sw_params_done(&params);
    struct pane_scene s = {.m = m, .planner = planner->name, .search = search};
    while (search && sw_search_step(search, &error) == SW_STEP_MORE) {
    }
    uint64_t all = search ? sw_search_known(search) : 0;
    scene_try_orders(&s, problem);
    for (int i = 0; i < LOOKS && all > 0; i++) {
        uint64_t at = i == 0 ? all : 1 + sw_random_below(r, all);
        struct sw_explanation why = {0};
        struct sw_layout *before = NULL;
        if (!sw_search_seek(search, at - 1, &error)) {
            break;
        }
        const struct sw_problem *then = sw_search_problem(search);
        before = sw_layout_clone(sw_search_layout(search), NULL);
        if (!sw_search_seek(search, at, &error)) {
            sw_layout_free(before);
            break;
        }
        s.why = sw_search_explain(search, at, &why, &error) ? &why : NULL;
        s.problem = sw_search_problem(search);
        s.layout = sw_search_layout(search);
        struct sw_figures figures = {0};
        s.complete = sw_figures_of(search, &figures, &error) && figures.ended && figures.placed;
        s.before = then == s.problem ? before : NULL;
        uint64_t orders = s.orders;
        s.orders = s.problem == problem ? orders : 0;
        if (i == 0) {
            compare_found(&s, problem);
        }
        look_at_panes(&s, r);
        s.orders = orders;
        sw_explanation_done(&why);
        sw_layout_free(before);
    }
    sw_search_free(search);
}

int main(void) {
    struct model *m = calloc(1, sizeof *m);
    for (uint64_t i = first_case(PROBLEMS), i_end = i + cases(PROBLEMS); m && i < i_end; i++) {
        uint64_t seed = base_seed() + i, r = seed * 31337 + 5;
        if (seed % 3 == 0) {
            model_draw_plain(m, seed, 10);
        } else {
            model_draw(m, seed);
        }
        struct sw_problem *problem = model_build(m, NULL);
        found_count = 0;
        for (int k = 0; k < 3; k++) {
            const struct sw_planner *planner = sw_planner_get((size_t)sw_random_below(&r, sw_planner_built_in_count()));
            if (!planner->reserves && model_applies(planner, problem)) {
                check_run(m, problem, planner, &r);
            }
        }
        sw_problem_unref(problem);
    }
    free(m);
    uint64_t claims = pane_claims + proofs_compared;
    printf("%" PRIu64 " panes, %" PRIu64 " claims, %" PRIu64 " in trees\n", pane_looks, claims, parents_compared);
    return often(claims, 200000) && parents_compared > 0 ? 0 : 1;
}
