#include "formats/tools/placed.h"
#include "base/base.h"
#include "base/names.h"
#include "base/sort.h"

/* ---- collecting ---- */

static char *copy_name(struct sw_placed *placed, const char *name, size_t length) {
    char *copy = sw_arena_string(&placed->arena, name, length);
    for (size_t done = 0; copy && (done += sw_utf8_valid(copy + done, length - done)) < length;) {
        copy[done] = '?';
    }
    return copy;
}

bool sw_placed_add(struct sw_placed *placed, const struct sw_placed_row *row, size_t name_length,
                   struct sw_error *error) {
    struct sw_placed_row copy = *row;
    uint64_t end;
    if (__builtin_add_overflow(row->offset, row->size, &end) || end > SW_MAX_BYTES) {
        return sw_fail(error, SW_ERROR_INPUT, "%s ends above 2^61 bytes", sw_quote(row->name, name_length).text);
    }
    if (placed->rows.count >= SW_NONE / 8) {
        return sw_fail(error, SW_ERROR_INPUT, "too many rows");
    }
    copy.name =
        name_length > 0 ? copy_name(placed, row->name, name_length) : copy_name(placed, "buffer", strlen("buffer"));
    copy.lead = (uint32_t)placed->rows.count;
    return (copy.name && SW_PUSH(&placed->rows, copy)) || sw_fail_memory(error);
}

void sw_placed_done(struct sw_placed *placed) {
    SW_ARRAY_DONE(&placed->rows);
    sw_arena_done(&placed->arena);
}

static bool same_tier_name(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

uint64_t sw_placed_peak(const struct sw_placed *placed, const char *tier) {
    uint64_t peak = 0;
    for (size_t i = 0; i < placed->rows.count; i++) {
        const struct sw_placed_row *row = &placed->rows.items[i];
        if (row->size > 0 && row->offset + row->size > peak && (!tier || same_tier_name(row->tier, tier))) {
            peak = row->offset + row->size;
        }
    }
    return peak;
}

/* ---- buffers that share bytes ---- */

struct indices {
    SW_ARRAY(uint32_t) list;
};

/* The leader of a group is its smallest row; paths are halved on the way. */
static uint32_t lead_of(struct sw_placed *placed, uint32_t row) {
    struct sw_placed_row *rows = placed->rows.items;
    while (rows[row].lead != row) {
        rows[row].lead = rows[rows[row].lead].lead;
        row = rows[row].lead;
    }
    return row;
}

static void join_rows(struct sw_placed *placed, uint32_t a, uint32_t b) {
    a = lead_of(placed, a);
    b = lead_of(placed, b);
    placed->rows.items[a < b ? b : a].lead = SW_MIN(a, b);
}

static bool rows_may_share(const struct sw_placed_row *a, const struct sw_placed_row *b, enum sw_alias alias) {
    bool meet = a->first <= b->last && b->first <= a->last && a->offset < b->offset + b->size &&
                b->offset < a->offset + a->size;
    return meet && (alias == SW_ALIAS_ANY || (alias == SW_ALIAS_SAME_START && a->offset == b->offset) ||
                    (a->offset == b->offset && a->first == b->first && a->last == b->last));
}

/* By tier, then address if that matters, then time. */
struct placed_places {
    const struct sw_placed_row *rows;
    bool by_offset;
};

static int compare_places(const void *a, const void *b, void *context) {
    const struct placed_places *places = context;
    const struct sw_placed_row *x = &places->rows[*(const uint32_t *)a];
    const struct sw_placed_row *y = &places->rows[*(const uint32_t *)b];
    int order = strcmp(x->tier ? x->tier : "", y->tier ? y->tier : "");
    order = order || !places->by_offset ? order : SW_COMPARE(x->offset, y->offset);
    order = order ? order : SW_COMPARE(x->first, y->first);
    order = order ? order : SW_COMPARE(x->last, y->last);
    return order ? order : SW_COMPARE(x, y);
}

/* Rows of one address stand together, in order of birth: each can only share with the one before it
 * that lives longest, or, where lifetimes must be the same, with the one before it. */
static void join_starts(struct sw_placed *placed, const struct indices *sorted, enum sw_alias alias) {
    const struct sw_placed_row *rows = placed->rows.items;
    uint32_t before = SW_NONE;
    for (size_t i = 0; i < sorted->list.count; i++) {
        uint32_t row = sorted->list.items[i];
        bool here = before != SW_NONE && same_tier_name(rows[before].tier, rows[row].tier) &&
                    rows[before].offset == rows[row].offset;
        if (here && rows_may_share(&rows[before], &rows[row], alias)) {
            join_rows(placed, before, row);
        }
        if (!here || alias == SW_ALIAS_SAME_LIFE || rows[row].last > rows[before].last) {
            before = row;
        }
    }
}

/* In order of birth, each row against those of its tier that still live. */
static bool join_all(struct sw_placed *placed, const struct indices *sorted) {
    const struct sw_placed_row *rows = placed->rows.items;
    struct indices alive = {0};
    bool good = true;
    for (size_t i = 0; good && i < sorted->list.count; i++) {
        uint32_t row = sorted->list.items[i];
        size_t kept = 0;
        for (size_t k = 0; k < alive.list.count; k++) {
            uint32_t other = alive.list.items[k];
            if (rows[other].last < rows[row].first || !same_tier_name(rows[other].tier, rows[row].tier)) {
                continue;
            }
            alive.list.items[kept++] = other;
            if (rows_may_share(&rows[other], &rows[row], SW_ALIAS_ANY)) {
                join_rows(placed, other, row);
            }
        }
        alive.list.count = kept;
        good = SW_PUSH(&alive.list, row);
    }
    SW_ARRAY_DONE(&alive.list);
    return good;
}

static bool find_placed_groups(struct sw_placed *placed, enum sw_alias alias, struct sw_error *error) {
    struct indices sorted = {0};
    struct placed_places places = {placed->rows.items, alias != SW_ALIAS_ANY};
    bool good = SW_RESERVE(&sorted.list, placed->rows.count);
    for (uint32_t i = 0; good && i < placed->rows.count; i++) {
        if (places.rows[i].size > 0) {
            sorted.list.items[sorted.list.count++] = i;
        }
    }
    if (good && sorted.list.count > 1) {
        qsort_r(sorted.list.items, sorted.list.count, sizeof(uint32_t), compare_places, &places);
    }
    if (good && alias == SW_ALIAS_ANY) {
        good = join_all(placed, &sorted);
    } else if (good) {
        join_starts(placed, &sorted, alias);
    }
    SW_ARRAY_DONE(&sorted.list);
    return good || sw_fail_memory(error);
}

/* ---- groups ---- */

/* One buffer to be: rows[from..to) of the members, which are sorted by leader. */
struct group {
    uint32_t lead, whole; /* whole: a member that covers all the others, or SW_NONE */
    uint32_t from, to;
    uint64_t lo, hi;
    int64_t first, last;
    const char *name;
};
struct groups {
    SW_ARRAY(struct group) list;
    uint32_t *members;  /* all rows, by leader */
    uint32_t *group_of; /* per row */
};

static void groups_done(struct groups *groups, size_t rows) {
    SW_ARRAY_DONE(&groups->list);
    SW_FREE(groups->members, rows);
    SW_FREE(groups->group_of, rows);
}

static void widen_group(struct group *group, const struct sw_placed_row *row) {
    group->lo = SW_MIN(row->offset, group->lo);
    group->hi = row->offset + row->size > group->hi ? row->offset + row->size : group->hi;
    group->first = SW_MIN(row->first, group->first);
    group->last = SW_MAX(row->last, group->last);
    group->to++;
}

/* Leaders come before their members, so one pass makes the groups and one fills them. */
static bool make_groups(struct sw_placed *placed, struct groups *groups, struct sw_error *error) {
    uint32_t count = (uint32_t)placed->rows.count, used = 0;
    groups->members = SW_NEW(uint32_t, count);
    groups->group_of = SW_NEW(uint32_t, count);
    if (!groups->members || !groups->group_of) {
        return sw_fail_memory(error);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct sw_placed_row *row = &placed->rows.items[i];
        uint32_t lead = lead_of(placed, i);
        if (lead == i) {
            struct group fresh = {.lead = i,
                                  .whole = SW_NONE,
                                  .lo = row->offset,
                                  .hi = row->offset + row->size,
                                  .first = row->first,
                                  .last = row->last};
            groups->group_of[i] = (uint32_t)groups->list.count;
            if (!SW_PUSH(&groups->list, fresh)) {
                return sw_fail_memory(error);
            }
        }
        groups->group_of[i] = groups->group_of[lead];
        widen_group(&groups->list.items[groups->group_of[i]], row);
    }
    for (size_t i = 0; i < groups->list.count; i++) {
        struct group *group = &groups->list.items[i];
        uint32_t members = group->to;
        group->from = group->to = used;
        used += members;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct sw_placed_row *row = &placed->rows.items[i];
        struct group *group = &groups->list.items[groups->group_of[i]];
        groups->members[group->to++] = i;
        if (group->whole == SW_NONE && row->offset == group->lo && row->offset + row->size == group->hi &&
            row->first == group->first && row->last == group->last) {
            group->whole = i;
        }
    }
    return true;
}

/* ---- names ---- */

/* Give the names that come again, in their order, a number: `x#2`, or the next with which it is no name of the file. */
static bool make_unique(struct sw_arena *arena, const char **const *names, size_t count) {
    struct sw_names numbers = {0}; /* the next number of a name; 0: the name itself is still free */
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        good = sw_names_set(&numbers, *names[i], strlen(*names[i]), 0);
    }
    for (size_t i = 0; good && i < count; i++) {
        uint32_t *number = sw_names_at(&numbers, *names[i], strlen(*names[i]));
        if (*number == 0) {
            *number = 2;
            continue;
        }
        size_t room = strlen(*names[i]) + 16;
        char *text = sw_arena_new(arena, room, 1);
        if (!text) {
            good = false;
            break;
        }
        do {
            snprintf(text, room, "%s#%" PRIu32, *names[i], (*number)++);
        } while (sw_names_find(&numbers, text, strlen(text)) != SW_NONE);
        *names[i] = text;
    }
    sw_names_done(&numbers);
    return good;
}

/* The rows' names come first, then those of compounds. */
static bool name_groups(struct sw_placed *placed, struct groups *groups, struct sw_error *error) {
    SW_ARRAY(const char **) names = {0};
    bool good = SW_RESERVE(&names, placed->rows.count + groups->list.count);
    for (size_t i = 0; good && i < placed->rows.count; i++) {
        names.items[names.count++] = &placed->rows.items[i].name;
    }
    for (size_t i = 0; good && i < groups->list.count; i++) {
        struct group *group = &groups->list.items[i];
        if (group->whole != SW_NONE) {
            continue;
        }
        const char *name = placed->rows.items[group->lead].name;
        size_t room = strlen(name) + 16;
        char *text = sw_arena_new(&placed->arena, room, 1);
        good = text != NULL;
        if (good) {
            snprintf(text, room, "%s+%" PRIu32, name, group->to - group->from - 1);
            group->name = text;
            names.items[names.count++] = &group->name;
        }
    }
    good = good && make_unique(&placed->arena, names.items, names.count);
    SW_ARRAY_DONE(&names);
    return good || sw_fail_memory(error);
}

/* ---- into the builder ---- */

/* The strictest alignment that its place in the compound buffer allows a part to have. */
static uint64_t group_alignment(const struct sw_placed *placed, const struct groups *groups,
                                const struct group *group) {
    uint64_t alignment = 0;
    for (uint32_t i = group->from; i < group->to; i++) {
        const struct sw_placed_row *row = &placed->rows.items[groups->members[i]];
        if (row->alignment > alignment && (row->offset - group->lo) % row->alignment == 0) {
            alignment = row->alignment;
        }
    }
    return alignment;
}

static bool add_placed_parts(struct sw_placed *placed, const struct groups *groups, const struct group *group,
                             struct sw_builder *builder, struct sw_error *error) {
    for (uint32_t i = group->from; i < group->to; i++) {
        uint32_t row = groups->members[i];
        const struct sw_placed_row *part = &placed->rows.items[row];
        sw_builder_at(builder, part->line, part->column);
        if (row != group->whole && !sw_builder_overlay(builder, group->name, part->name, part->offset - group->lo,
                                                       part->offset - group->lo + part->size, error)) {
            return false;
        }
    }
    return true;
}

static bool add_placed_group(struct sw_placed *placed, const struct groups *groups, struct group *group,
                             struct sw_builder *builder, struct sw_error *error) {
    const struct sw_placed_row *lead = &placed->rows.items[group->lead];
    SW_ARRAY(struct sw_piece_spec) pieces = {0};
    bool good = true;
    if (group->whole != SW_NONE) {
        lead = &placed->rows.items[group->whole];
        group->name = lead->name;
    }
    for (uint32_t i = group->from; group->whole == SW_NONE && good && i < group->to; i++) {
        const struct sw_placed_row *row = &placed->rows.items[groups->members[i]];
        struct sw_piece_spec piece = {row->first, row->last, row->offset - group->lo,
                                      row->offset - group->lo + row->size};
        good = SW_PUSH(&pieces, piece);
    }
    struct sw_buffer_spec spec = sw_told_buffer(group->name, group->hi - group->lo, group->first, group->last);
    if (group->to - group->from == 1 || group->whole != SW_NONE) {
        spec.kind = lead->kind;
        spec.dtype = lead->dtype;
    }
    spec.alignment = group_alignment(placed, groups, group);
    spec.tier = lead->tier;
    spec.pieces = pieces.items;
    spec.piece_count = pieces.count;
    spec.has_offset = true;
    spec.offset = group->lo;
    sw_builder_at(builder, lead->line, lead->column);
    good = good ? sw_builder_buffer(builder, &spec, error) : sw_fail_memory(error);
    SW_ARRAY_DONE(&pieces);
    return good && add_placed_parts(placed, groups, group, builder, error);
}

bool sw_placed_build(struct sw_placed *placed, enum sw_alias alias, struct sw_builder *builder,
                     struct sw_error *error) {
    struct groups groups = {0};
    size_t count = placed->rows.count;
    bool good = (alias == SW_ALIAS_NONE || find_placed_groups(placed, alias, error)) &&
                (count == 0 || (make_groups(placed, &groups, error) && name_groups(placed, &groups, error)));
    for (size_t i = 0; good && i < groups.list.count; i++) {
        good = add_placed_group(placed, &groups, &groups.list.items[i], builder, error);
    }
    if (good && groups.list.count < count) {
        good = sw_notef(builder, error,
                        "tensors that share the bytes of others while those live, and lie in one "
                        "buffer with them: %zu",
                        count - groups.list.count);
    }
    groups_done(&groups, count);
    sw_builder_offsets(builder, SW_OFFSETS_PLAN);
    return good;
}
