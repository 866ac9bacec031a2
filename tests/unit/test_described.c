/* Descriptions of structs (base/described.h), and that every planner's state has one that leaves nothing out. */
#include "unit/unit.h"

#include "base/described.h"
#include "planners/planner.h"

#include <stdio.h>
#include <string.h>

struct shared {
    size_t owners;
    uint64_t value;
};
struct piece {
    uint32_t *numbers;
    uint32_t count;
    bool odd;
};
struct thing {
    struct shared *shared;
    uint32_t wide;
    bool first, second;
    double ratio;
    uint64_t *room;
    SW_ARRAY(struct piece) pieces;
    struct piece *owned;
    uint64_t look; /* scratch */
    SW_ARRAY(uint64_t) looks;
    const uint64_t *inside; /* points into `wide`'s thing */
};

static void shared_drop(void *of) {
    struct shared *shared = of;
    if (--shared->owners == 0) {
        SW_FREE(shared, 1);
    }
}

static void mend(void *of) {
    struct thing *thing = of;
    thing->inside = &thing->look;
}

static const struct sw_pointed shared_pointed = {.drop = shared_drop};
SW_HOW_MANY(numbers_of, struct piece, o->count)
SW_HOW_MANY(room_of, struct thing, o->wide)
#define STATE struct piece
static const struct sw_described piece_described = {
    SW_STRUCT, .fields = SW_FIELDS(SW_KEPT(count, count), SW_ITEMS(numbers, numbers_of, .told = true), SW_TOLD(odd))};
#undef STATE
#define STATE struct thing
static const struct sw_described thing_described = {
    SW_STRUCT, .salt = 3, .mend = mend,
    .fields = SW_FIELDS(SW_POINTER(shared, &shared_pointed), SW_TOLD(wide), SW_TOLD(first), SW_KEPT(second, second),
                        SW_TOLD(ratio), SW_ITEMS(room, room_of), SW_LIST(pieces, .of = &piece_described),
                        SW_OWNED(owned, &piece_described), SW_SCRATCH(look, look), SW_LIST(looks, .scratch = true),
                        SW_SCRATCH(inside, inside))};
/* The same, with one field forgotten, among others and where it may look like padding, and one said twice. */
static const struct sw_described without_ratio = {
    SW_STRUCT, .fields = SW_FIELDS(SW_POINTER(shared, &shared_pointed), SW_KEPT(wide, second), SW_KEPT(room, inside))};
static const struct sw_described without_second = {
    SW_STRUCT, .fields = SW_FIELDS(SW_POINTER(shared, &shared_pointed), SW_KEPT(wide, first), SW_KEPT(ratio, inside))};
static const struct sw_described told_at_once = {
    SW_STRUCT,
    .fields = SW_FIELDS(SW_KEPT(shared, owned), SW_KEPT(look, look), SW_TOLD(looks), SW_KEPT(inside, inside))};
static const struct sw_described twice = {SW_STRUCT, .fields = SW_FIELDS(SW_KEPT(shared, inside), SW_TOLD(first))};
#undef STATE

/* Where values end and the next field begins is part of the digest. */
struct pair {
    struct piece *a, *b;
    struct shared *c, *d;
    uint64_t *e, *f;
    SW_ARRAY(uint64_t) x;
    SW_ARRAY(uint64_t) y;
};

static uint64_t shared_digest(const void *of) {
    return ((const struct shared *)of)->value;
}

static size_t two_items(const void *object) {
    (void)object;
    return 2;
}

static const struct sw_pointed borrowed = {.digest = shared_digest};
#define STATE struct pair
static const struct sw_described pair_described = {
    SW_STRUCT,
    .fields = SW_FIELDS(SW_OWNED(a, &piece_described), SW_OWNED(b, &piece_described), SW_POINTER(c, &borrowed),
                        SW_POINTER(d, &borrowed), SW_ITEMS(e, two_items, .told = true),
                        SW_ITEMS(f, two_items, .told = true), SW_LIST(x, .told = true), SW_LIST(y, .told = true))};
#undef STATE

static void assert_differ(struct pair one, struct pair other) {
    assert_true(sw_described_digest(&pair_described, &one) != sw_described_digest(&pair_described, &other));
}

static void test_digests(void **state) {
    (void)state;
    struct piece piece = {.odd = true};
    struct shared shared = {.value = 5}, nothing = {.value = 0};
    uint64_t one[] = {1, 2}, rest[] = {2};
    assert_differ((struct pair){.a = &piece}, (struct pair){.b = &piece});
    assert_differ((struct pair){.c = &shared}, (struct pair){.d = &shared});
    assert_differ((struct pair){.c = &nothing}, (struct pair){.c = NULL});
    assert_differ((struct pair){.e = one}, (struct pair){.f = one});
    assert_differ((struct pair){.x = {one, 2, 2}}, (struct pair){.y = {one, 2, 2}});
    assert_differ((struct pair){.x = {one, 2, 2}}, (struct pair){.x = {one, 1, 2}, .y = {rest, 1, 1}});
}

static bool add_piece(struct thing *thing, uint32_t count) {
    struct piece piece = {SW_NEW_ZERO(uint32_t, count), count, count % 2 == 1};
    if (piece.numbers && SW_PUSH(&thing->pieces, piece)) {
        return true;
    }
    SW_FREE(piece.numbers, count);
    return false;
}

static struct thing *thing_new(void) {
    struct thing *thing = SW_NEW_ZERO(struct thing, 1);
    assert_non_null(thing);
    thing->shared = SW_NEW_ZERO(struct shared, 1);
    thing->owned = SW_NEW_ZERO(struct piece, 1);
    thing->wide = 5;
    thing->second = true;
    thing->ratio = 0.5;
    thing->look = 7;
    assert_true(thing->shared && thing->owned);
    thing->shared->owners = 1;
    thing->owned->count = 4;
    assert_true(sw_described_make(&thing_described, thing) && sw_described_make(&piece_described, thing->owned) &&
                add_piece(thing, 2) && add_piece(thing, 3) && SW_PUSH(&thing->looks, 1));
    return thing;
}

static void test_copies(void **state) {
    (void)state;
    size_t held = sw_mem_held();
    struct thing *thing = thing_new();
    thing->room[4] = 99;
    thing->pieces.items[1].numbers[2] = 17;
    thing->owned->numbers[3] = 23;
    struct thing *copy = sw_described_clone(&thing_described, thing);
    assert_non_null(copy);
    assert_ptr_equal(copy->shared, thing->shared);
    assert_int_equal(thing->shared->owners, 2);
    assert_true(copy->wide == 5 && copy->second && !copy->first && copy->ratio == 0.5);
    assert_true(copy->room != thing->room && copy->room[4] == 99);
    assert_true(copy->pieces.count == 2 && copy->pieces.items[1].numbers[2] == 17);
    assert_true(copy->owned != thing->owned && copy->owned->numbers[3] == 23);
    assert_true(copy->look == 0 && copy->looks.count == 0 && copy->inside == &copy->look);
    assert_true(sw_described_digest(&thing_described, copy) == sw_described_digest(&thing_described, thing));
    copy->pieces.items[1].numbers[2]++;
    assert_true(sw_described_digest(&thing_described, copy) != sw_described_digest(&thing_described, thing));
    /* 5 of `room`, room for 8 pieces and their numbers, and what is owned with its numbers; no scratch. */
    assert_int_equal(sw_described_bytes(&thing_described, copy),
                     sizeof *copy + 5 * sizeof(uint64_t) + 9 * sizeof(struct piece) + (2 + 3 + 4) * sizeof(uint32_t));
    sw_described_close(&thing_described, thing);
    assert_int_equal(copy->shared->owners, 1);
    sw_described_close(&thing_described, copy);
    sw_described_close(&thing_described, NULL);
    assert_int_equal(sw_mem_held(), held);
}

/* Whichever allocation of a copy fails: there is no copy, and nothing is held for one. */
static void test_memory(void **state) {
    (void)state;
    struct thing *thing = thing_new();
    size_t held = sw_mem_held();
    bool hit = true;
    size_t most = 0;
    for (; hit; most++) {
        struct limit limit = {.left = most};
        sw_mem_hook(limited, &limit);
        struct thing *copy = sw_described_clone(&thing_described, thing);
        hit = limit.hit;
        sw_described_close(&thing_described, copy);
        sw_mem_hook(NULL, NULL);
        assert_true(hit == !copy && sw_mem_held() == held && thing->shared->owners == 1);
    }
    assert_int_equal(most - 1, 7); /* the thing, `room`, the list, two pieces' numbers, `owned` and its numbers */
    sw_described_close(&thing_described, thing);
}

/* The first field at or behind an offset; NULL: none. */
static const struct sw_field *field_from(const struct sw_described *d, size_t offset) {
    const struct sw_field *first = NULL;
    for (const struct sw_field *f = d->fields; f->name; f++) {
        first = f->offset >= offset && (!first || f->offset < first->offset) ? f : first;
    }
    return first;
}

/* A number that is told: are its bytes those of a whole number? */
static bool can_be_told(const struct sw_field *f) {
    size_t bytes = f->item ? f->item : f->size;
    return !f->told || f->of || (bytes <= 8 && (bytes & (bytes - 1)) == 0);
}

/* Is every byte of the struct, and of those in it, described once, or padding, and can what is told be folded? If not,
 * a clause says what is wrong. */
static bool all_described(const struct sw_described *d, char *said, size_t size) {
    size_t end = 0;
    const char *behind = "the beginning";
    if (!d->fields) {
        return true; /* it is its own hooks */
    }
    for (const struct sw_field *f = d->fields; f->name; f++) {
        if (f->of && f->of->fields != d->fields && !all_described(f->of, said, size)) {
            return false;
        }
        if (!can_be_told(f)) {
            snprintf(said, size, "`%s` is told, but is no number of 1, 2, 4 or 8 bytes", f->name);
            return false;
        }
        const struct sw_field *again = f + 1;
        while (again->name && (again->offset >= f->offset + f->size || f->offset >= again->offset + again->size)) {
            again++;
        }
        if (again->name) {
            snprintf(said, size, "`%s` is described twice, with `%s` and with `%s`",
                     again->offset > f->offset ? again->name : f->name, f->name, again->name);
            return false;
        }
    }
    while (end < d->size) {
        const struct sw_field *f = field_from(d, end);
        size_t begin = f ? f->offset : d->size, alignment = f ? f->alignment : d->alignment;
        if ((end + alignment - 1) / alignment * alignment != begin) {
            snprintf(said, size, "bytes %zu to %zu of %zu, behind `%s`, are not described", end, begin - 1, d->size,
                     behind);
            return false;
        }
        end = f ? f->offset + f->size : d->size;
        behind = f ? f->name : behind;
    }
    return true;
}

static void test_left_out(void **state) {
    (void)state;
    char said[200] = "";
    assert_true(all_described(&thing_described, said, sizeof said));
    assert_false(all_described(&without_ratio, said, sizeof said));
    assert_string_equal(said, "bytes 14 to 23 of 104, behind `wide`, are not described");
    assert_false(all_described(&twice, said, sizeof said));
    assert_string_equal(said, "`first` is described twice, with `shared` and with `first`");
    assert_false(all_described(&told_at_once, said, sizeof said));
    assert_string_equal(said, "`looks` is told, but is no number of 1, 2, 4 or 8 bytes");
    /* A forgotten byte next to padding is not seen so, but no copy has it. */
    assert_true(all_described(&without_second, said, sizeof said));
    struct thing thing = {.second = true}, copy;
    struct shared shared = {.owners = 1};
    thing.shared = &shared;
    unsigned char second;
    assert_true(sw_described_copy(&without_second, &copy, &thing));
    memcpy(&second, (char *)&copy + offsetof(struct thing, second), 1);
    assert_int_equal(second, 0xA5);
}

static void test_planners(void **state) {
    (void)state;
    for (size_t i = 0; i < sw_planner_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        char said[200] = "";
        const char *lacks = !planner->name        ? "name"
                            : !planner->summary   ? "summary"
                            : !planner->described ? "description of its state"
                            : !planner->step      ? "hook `step`"
                                                  : NULL;
        if (lacks) {
            fail_msg("planner %zu, %s, lacks its %s", i, planner->name ? planner->name : "without a name", lacks);
        }
        if (!all_described(planner->described, said, sizeof said)) {
            fail_msg("the state of %s: %s", planner->name, said);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies),   cmocka_unit_test(test_digests),  cmocka_unit_test(test_memory),
        cmocka_unit_test(test_left_out), cmocka_unit_test(test_planners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
