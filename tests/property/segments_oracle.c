/* Lists of objects, and rules restated on them. See segments_oracle.h. */
#include "segments_oracle.h"

#include <stdio.h>
#include <string.h>

static int list_first(const struct list *l, int i) {
    int step = 0;
    while (!l->at[i][step]) {
        step++;
    }
    return step;
}

static int list_last(const struct list *l, int i) {
    int step = STEPS - 1;
    while (!l->at[i][step]) {
        step--;
    }
    return step;
}

void list_draw(struct list *l, uint64_t seed, int most) {
    uint64_t r = seed * 15485863 + 7;
    *l = (struct list){.m = {.seed = seed}};
    l->count = 2 + (int)sw_random_below(&r, (uint64_t)most - 1);
    l->steps = 6 + (int)sw_random_below(&r, STEPS - 5);
    l->crowded = sw_random_below(&r, 3) == 0;
    uint64_t sum = 0, largest = 0;
    for (int i = 0; i < l->count; i++) {
        l->size[i] = 1 + sw_random_below(&r, sw_random_below(&r, 2) ? 9 : 40);
        sum += l->size[i];
        largest = l->size[i] > largest ? l->size[i] : largest;
    }
    for (int s = 0; s < l->steps; s++) {
        for (uint64_t n = l->crowded ? 1 + sw_random_below(&r, 2) : 1; n > 0; n--) {
            l->at[sw_random_below(&r, (uint64_t)l->count)][s] = true;
        }
    }
    for (int i = 0; i < l->count; i++) {
        bool any = false;
        for (int s = 0; s < l->steps; s++) {
            any |= l->at[i][s];
        }
        if (!any) { /* all once; on a list without crowds a step changes hands */
            int s = (int)sw_random_below(&r, (uint64_t)l->steps), other = 0;
            while (other < l->count && !(other != i && l->at[other][s])) {
                other++;
            }
            if (!l->crowded && other < l->count && list_first(l, other) != list_last(l, other)) {
                l->at[other][s] = false;
            } else if (!l->crowded) {
                l->crowded = true;
            }
            l->at[i][s] = true;
        }
    }
    l->capacity = largest + sw_random_below(&r, sum);
    l->below = sw_random_below(&r, 3) ? 1 + sw_random_below(&r, 30) : 0;
}

struct sw_problem *list_build(const struct list *l) {
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    struct sw_tier tier = {.name = "device", .capacity = l->capacity};
    bool ok = builder && sw_builder_tier(builder, &tier, &error);
    for (int i = 0; ok && i < l->count; i++) {
        int64_t accesses[STEPS];
        size_t count = 0;
        char name[16];
        for (int s = 0; s < STEPS; s++) {
            if (l->at[i][s]) {
                accesses[count++] = s;
            }
        }
        snprintf(name, sizeof name, "b%d", i);
        struct sw_buffer_spec spec = {.name = name,
                                      .kind = SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = l->size[i],
                                      .has_first = true,
                                      .has_last = true,
                                      .first = accesses[0],
                                      .last = accesses[count - 1],
                                      .accesses = accesses,
                                      .access_count = count,
                                      .has_accesses = true};
        ok = sw_builder_buffer(builder, &spec, &error);
    }
    struct sw_problem *problem = ok ? sw_builder_finish(builder, &error) : NULL;
    check_that(problem != NULL, &l->m, "(building)", "%s", error.message);
    sw_builder_free(builder);
    return problem;
}

/* ---- rules 2 and 3 restated ---- */

/* The objects accessed from step a to step b: do they have the steps to themselves, are all small,
 * and is their sum not too large? */
static bool may_merge(const struct list *l, int a, int b, bool member[MOST]) {
    uint64_t sum = 0, largest = 0;
    int members = 0;
    for (int i = 0; i < l->count; i++) {
        bool inside = false, outside = false;
        for (int s = 0; s < STEPS; s++) {
            inside |= l->at[i][s] && s >= a && s <= b;
            outside |= l->at[i][s] && (s < a || s > b);
        }
        member[i] = inside;
        members += inside;
        sum += inside ? l->size[i] : 0;
        largest = l->size[i] > largest ? l->size[i] : largest;
        if (inside && (outside || l->size[i] >= l->below)) {
            return false;
        }
    }
    return members > 1 && sum <= largest;
}

static bool any_object(const struct list *l, int s) {
    for (int i = 0; i < l->count; i++) {
        if (l->at[i][s]) {
            return true;
        }
    }
    return false;
}

static void add_thing(const struct list *l, struct things *t, const bool member[MOST]) {
    struct thing *thing = &t->items[t->count++];
    *thing = (struct thing){.first = STEPS, .listed = MOST};
    for (int i = 0; i < l->count; i++) {
        if (member[i]) {
            thing->size += l->size[i];
            thing->has[i] = true;
            thing->listed = i < thing->listed ? i : thing->listed;
            for (int s = 0; s < STEPS; s++) {
                thing->at[s] |= l->at[i][s];
            }
            thing->first = list_first(l, i) < thing->first ? list_first(l, i) : thing->first;
        }
    }
}

void list_things(const struct list *l, struct things *t) {
    bool merged[MOST] = {false}, member[MOST];
    t->count = 0;
    for (int a = 0; a < STEPS; a++) {
        for (int b = STEPS - 1; b >= a && any_object(l, a); b--) {
            if (any_object(l, b) && may_merge(l, a, b, member)) {
                add_thing(l, t, member);
                for (int i = 0; i < l->count; i++) {
                    merged[i] |= member[i];
                }
                a = b;
                break;
            }
        }
    }
    for (int i = 0; i < l->count; i++) {
        if (!merged[i]) {
            memset(member, 0, sizeof member);
            member[i] = true;
            add_thing(l, t, member);
        }
    }
    for (int i = 0; i < t->count; i++) { /* larger, earlier, listed first: to the front */
        for (int k = i + 1; k < t->count; k++) {
            struct thing *x = &t->items[i], *y = &t->items[k], swap = *x;
            if (y->size > x->size ||
                (y->size == x->size && (y->first < x->first || (y->first == x->first && y->listed < x->listed)))) {
                *x = *y;
                *y = swap;
            }
        }
    }
}

bool things_begin_run(const struct things *t, int i, int s) {
    for (int before = s - 1; before >= 0; before--) {
        if (t->items[i].at[before]) {
            return false;
        }
        for (int k = 0; k < t->count; k++) {
            if (t->items[k].at[before]) {
                return true;
            }
        }
    }
    return true;
}

/* ---- rule 8 restated ---- */

uint64_t things_migration_in(const struct things *t, const uint32_t *sequence, uint32_t segment, bool literal) {
    uint64_t moved = 0;
    int resident = -1;
    for (int s = 0; s < STEPS; s++) {
        int next = -1;
        for (int i = 0; i < t->count; i++) {
            if (sequence[i] == segment && t->items[i].at[s]) {
                if (next >= 0) {
                    return INFINITE;
                }
                next = i;
            }
        }
        if (next < 0 || next == resident) {
            continue;
        }
        if (resident >= 0) {
            bool again = false, before = false;
            for (int k = 0; k < STEPS; k++) {
                again |= k >= s && t->items[resident].at[k];
                before |= k < s && t->items[next].at[k];
            }
            moved += literal || again ? t->items[resident].size : 0;
            moved += literal || before ? t->items[next].size : 0;
        }
        resident = next;
    }
    return moved;
}

uint64_t things_migration(const struct things *t, const uint32_t *sequence, uint32_t segments, bool literal) {
    uint64_t sum = 0;
    for (uint32_t s = 0; s < segments; s++) {
        uint64_t one = things_migration_in(t, sequence, s, literal);
        if (one == INFINITE) {
            return INFINITE;
        }
        sum += one;
    }
    return sum;
}

uint64_t things_least_migration(const struct list *l, const struct things *t, bool literal, bool owners_stay) {
    uint64_t at = 0, best = INFINITE, ways = 1;
    uint32_t segments = 0, sequence[MOST], choices[MOST];
    for (; (int)segments < t->count && at + t->items[segments].size <= l->capacity; segments++) {
        at += t->items[segments].size;
    }
    for (int i = 0; i < t->count; i++) {
        choices[i] = 0;
        while (choices[i] < segments && t->items[choices[i]].size >= t->items[i].size) {
            choices[i]++;
        }
        ways *= owners_stay && (uint32_t)i < segments ? 1 : choices[i];
    }
    for (uint64_t way = 0; way < ways; way++) {
        uint64_t rest = way;
        for (int i = 0; i < t->count; i++) {
            bool fixed = owners_stay && (uint32_t)i < segments;
            sequence[i] = fixed ? (uint32_t)i : (uint32_t)(rest % choices[i]);
            rest /= fixed ? 1 : choices[i];
        }
        uint64_t one = things_migration(t, sequence, segments, literal);
        best = one < best ? one : best;
    }
    return best;
}

/* ---- the bound, byte by byte ---- */

static int next_access(const struct list *l, int i, int after) {
    for (int s = after + 1; s < STEPS; s++) {
        if (l->at[i][s]) {
            return s;
        }
    }
    return STEPS;
}

/* Within a step: last uses, then the rest, then births. */
static int turn_of(const struct list *l, int i, int s) {
    return list_first(l, i) == s ? 2 : list_last(l, i) == s ? 0 : 1;
}

/* Every byte is a page of its own. `when` is (step, turn, object), so that all accesses are apart.
 */
static int moment_of(const struct list *l, int i, int s) {
    return s >= STEPS ? STEPS * 3 * MOST : (s * 3 + turn_of(l, i, s)) * MOST + i;
}

uint64_t list_bound(const struct list *l) {
    bool in[MOST][64] = {{false}}, seen[MOST] = {false};
    uint64_t used = 0, again = 0;
    for (int now = 0; now < STEPS * 3 * MOST; now++) {
        int i = now % MOST, s = now / MOST / 3;
        if (i >= l->count || !l->at[i][s] || moment_of(l, i, s) != now) {
            continue;
        }
        for (uint64_t b = 0; b < l->size[i]; b++) {
            if (in[i][b]) {
                continue;
            }
            while (used == l->capacity) { /* the byte wanted last goes, but none of this object */
                int worst = -1, far = -1;
                uint64_t byte = 0;
                for (int k = 0; k < l->count; k++) {
                    int next = next_access(l, k, moment_of(l, k, s) > now ? s - 1 : s);
                    for (uint64_t c = 0; c < l->size[k]; c++) {
                        if (k != i && in[k][c] && moment_of(l, k, next) > far) {
                            far = moment_of(l, k, next);
                            worst = k;
                            byte = c;
                        }
                    }
                }
                in[worst][byte] = false;
                used--;
            }
            in[i][b] = true;
            used++;
            again += seen[i];
        }
        seen[i] = true;
    }
    return 2 * again;
}

/* ---- farthest-next-use, restated ---- */

uint64_t list_farthest(const struct list *l, bool *stuck) {
    bool in[MOST] = {false};
    uint64_t used = 0, moved = 0;
    *stuck = false;
    for (int now = 0; now < STEPS * 3 * MOST; now++) {
        int i = now % MOST, s = now / MOST / 3;
        if (i >= l->count || !l->at[i][s] || moment_of(l, i, s) != now || in[i]) {
            continue;
        }
        while (used + l->size[i] > l->capacity) {
            int out = -1, far = -1;
            for (int k = 0; k < l->count; k++) {
                int next = next_access(l, k, s);
                bool better = next > far || (next == far && l->size[k] > l->size[out]);
                if (in[k] && !l->at[k][s] && better) {
                    far = next;
                    out = k;
                }
            }
            if (out < 0) {
                *stuck = true;
                return 0;
            }
            in[out] = false;
            used -= l->size[out];
            moved += next_access(l, out, s) < STEPS ? l->size[out] : 0;
        }
        in[i] = true;
        used += l->size[i];
        moved += list_first(l, i) < s ? l->size[i] : 0;
    }
    return moved;
}
