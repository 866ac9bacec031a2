/* The colors of blocks: by what they are to say (color_classes.h), so that a block keeps its color in every plan of the
 * model, but no two blocks that touch look alike.
 *
 * First each block gets a look by its times alone, one that no block has which is alive with it or just before or after
 * it, as far as there are enough: then it stays the same wherever the blocks lie. Where more are alive than there are
 * looks, those that do touch are given other tones.
 *
 * Blocks touch where one ends in memory or in time and the other begins, or takes its bytes over.
 * What begins and what ends at the same place is found by sorting with a radix and walking along
 * both: linear in the blocks. They take their colors in the order in which they were decided, so
 * that nothing that is seen changes when one more is placed, unless that cannot be had otherwise.
 */
#include "view/map/map.h"
#include "base/base.h"

#include "base/sort.h"

enum {
    MANY_COLORED = 20000, /* of more only those that are drawn individually are looked at */
    NO_HUE = 255
};

enum block_edge { EDGE_FIRST, EDGE_END, EDGE_LOW, EDGE_HIGH, EDGE_COUNT };

struct contact {
    uint32_t a, b; /* numbers */
};
struct touching_blocks {
    struct sw_map *map;
    size_t count;                         /* numbers: of buffers, or of places among the colored ones */
    SW_ARRAY(uint32_t) buffers;           /* of each rectangle: its number */
    SW_ARRAY(uint64_t) edges[EDGE_COUNT]; /* of each rectangle: steps [first, end), bytes [low, high) */
    SW_ARRAY(struct contact) contacts;    /* some twice */
    uint32_t *orders[EDGE_COUNT];         /* rectangles by each edge */
    struct sw_keyed *keyed;               /* scratch, to sort them */
    uint32_t *starts, *others;            /* each buffer's neighbors */
    uint8_t *looks;                       /* of each number, the one by its times */
    uint8_t *hues;
    bool failed;
};

/* Names that differ only in their number are often neighbors, so the number walks through the
 * colors. */
static unsigned name_hue(const struct sw_problem *problem, uint32_t b) {
    uint64_t stem = 0, number = 0;
    for (const char *name = sw_problem_buffer(problem, b)->name; *name; name++) {
        if (*name >= '0' && *name <= '9') {
            number = number * 10 + (uint64_t)(*name - '0');
        } else {
            stem = stem * 131 + (unsigned char)*name;
        }
    }
    return (unsigned)((sw_mix(stem) + number * 3) % SW_HUES);
}

/* The buffer that a number stands for. */
static uint32_t buffer_of(const struct touching_blocks *t, uint32_t number) {
    return t->map->colored.count ? t->map->colored.items[number] : number;
}

/* ---- rectangles ---- */

static bool looks_at_all(const struct sw_map *map) {
    return sw_problem_planned_count(map->problem) <= MANY_COLORED;
}

static bool drawn_singly(const struct sw_map *map, const uint64_t at[EDGE_COUNT]) {
    const struct sw_viewport *port = &map->in->look.viewport;
    double x0 = sw_view_x(map->in, (double)at[EDGE_FIRST]), x1 = sw_view_x(map->in, (double)at[EDGE_END]);
    return (double)at[EDGE_FIRST] < port->time_hi && (double)at[EDGE_END] > port->time_lo &&
           (double)at[EDGE_LOW] < map->space.y_hi && (double)at[EDGE_HIGH] > map->space.y_lo &&
           (x1 - x0) * map->space.x_scale >= 1 && (double)(at[EDGE_HIGH] - at[EDGE_LOW]) * map->space.y_scale >= 1;
}

static void add_block_edges(struct touching_blocks *t, uint32_t number, const struct sw_placement *place,
                            const struct sw_piece *piece, bool all) {
    uint32_t first = SW_MAX(piece->first, place->span.from);
    uint32_t last = SW_MIN(piece->last, place->span.to);
    uint64_t at[EDGE_COUNT] = {first, (uint64_t)last + 1, place->offset + piece->lo, place->offset + piece->hi};
    if (first > last || at[EDGE_LOW] >= at[EDGE_HIGH] || (!all && !drawn_singly(t->map, at))) {
        return;
    }
    t->failed |= !SW_PUSH(&t->buffers, number);
    for (int e = 0; e < EDGE_COUNT; e++) {
        t->failed |= !SW_PUSH(&t->edges[e], at[e]);
    }
}

static void list_buffer(struct touching_blocks *t, uint32_t number, uint32_t b, bool all) {
    const struct sw_map *map = t->map;
    const struct sw_buffer *buffer = sw_problem_buffer(map->problem, b);
    struct sw_placement place;
    for (uint32_t k = 0; sw_layout_placement(map->layout, b, k, &place); k++) {
        for (uint32_t p = 0; place.tier == map->in->look.tier && p < buffer->piece_count; p++) {
            add_block_edges(t, number, &place, &buffer->pieces[p], all);
        }
    }
}

/* Of many only those that the sheet lists: what is drawn individually is among them. */
static void list_rectangles(struct touching_blocks *t) {
    struct sw_map *map = t->map;
    bool all = looks_at_all(map);
    size_t count = all ? sw_problem_buffer_count(map->problem) : map->sheet->single.count;
    for (size_t i = 0; i < count && !t->failed; i++) {
        uint32_t b = all ? (uint32_t)i : map->sheet->single.items[i];
        const struct sw_buffer *buffer = sw_problem_buffer(map->problem, b);
        if (!buffer->planned || !buffer->size) {
            continue;
        }
        uint32_t number = all ? b : (uint32_t)map->colored.count;
        size_t before = t->buffers.count;
        list_buffer(t, number, b, all);
        if (!all && t->buffers.count > before) {
            t->failed |= !SW_PUSH(&map->colored, b);
        }
    }
    t->count = all ? count : map->colored.count;
}

/* ---- contacts ---- */

/* Stable. */
static void sort_by_edge(struct touching_blocks *t, const uint64_t *keys, const uint32_t *from, uint32_t *to) {
    size_t count = t->buffers.count;
    for (size_t i = 0; i < count; i++) {
        t->keyed[i] = (struct sw_keyed){keys[from[i]], from[i]};
    }
    t->failed |= !sw_sort_keyed(t->keyed, count);
    for (size_t i = 0; i < count; i++) {
        to[i] = t->keyed[i].index;
    }
}

static bool sort_all(struct touching_blocks *t) {
    size_t count = t->buffers.count;
    t->keyed = SW_NEW(struct sw_keyed, count + 1);
    for (int e = 0; e < EDGE_COUNT; e++) {
        t->orders[e] = SW_NEW(uint32_t, count + 1);
        t->failed |= !t->orders[e];
    }
    if (t->failed || !t->keyed) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        t->orders[EDGE_FIRST][i] = (uint32_t)i;
    }
    sort_by_edge(t, t->edges[EDGE_FIRST].items, t->orders[EDGE_FIRST], t->orders[EDGE_FIRST]);
    sort_by_edge(t, t->edges[EDGE_LOW].items, t->orders[EDGE_FIRST], t->orders[EDGE_LOW]);
    sort_by_edge(t, t->edges[EDGE_HIGH].items, t->orders[EDGE_FIRST], t->orders[EDGE_HIGH]);
    sort_by_edge(t, t->edges[EDGE_FIRST].items, t->orders[EDGE_LOW], t->orders[EDGE_FIRST]);
    sort_by_edge(t, t->edges[EDGE_END].items, t->orders[EDGE_LOW], t->orders[EDGE_END]);
    return !t->failed;
}

/* What ends where others begin, and meets them along the other direction, [from, to). */
static void join_edges(struct touching_blocks *t, enum block_edge ends, enum block_edge begins, enum block_edge from,
                       enum block_edge to) {
    const uint64_t *end = t->edges[ends].items, *begin = t->edges[begins].items;
    const uint64_t *low = t->edges[from].items, *high = t->edges[to].items;
    size_t count = t->buffers.count, i = 0, k = 0;
    while (i < count && k < count && !t->failed) {
        uint32_t a = t->orders[ends][i], b = t->orders[begins][k];
        if (end[a] != begin[b]) {
            i += end[a] < begin[b];
            k += end[a] > begin[b];
            continue;
        }
        struct contact contact = {t->buffers.items[a], t->buffers.items[b]};
        if (low[a] < high[b] && low[b] < high[a] && contact.a != contact.b) {
            t->failed |= !SW_PUSH(&t->contacts, contact);
        }
        if (high[a] <= high[b]) { /* nothing else that begins here can meet it */
            i++;
        } else {
            k++;
        }
    }
}

/* What begins at the same place in memory and overlaps in time: bytes that are handed on. */
static void join_shared(struct touching_blocks *t) {
    const uint64_t *low = t->edges[EDGE_LOW].items, *first = t->edges[EDGE_FIRST].items,
                   *end = t->edges[EDGE_END].items;
    for (size_t i = 1; i < t->buffers.count && !t->failed; i++) {
        uint32_t a = t->orders[EDGE_LOW][i - 1], b = t->orders[EDGE_LOW][i];
        struct contact contact = {t->buffers.items[a], t->buffers.items[b]};
        if (low[a] == low[b] && first[b] < end[a] && contact.a != contact.b) {
            t->failed |= !SW_PUSH(&t->contacts, contact);
        }
    }
}

/* Each buffer's neighbors, one after the other. */
static bool list_neighbors(struct touching_blocks *t) {
    size_t count = t->count;
    t->starts = SW_NEW_ZERO(uint32_t, count + 2);
    t->others = SW_NEW(uint32_t, 2 * t->contacts.count + 1);
    if (!t->starts || !t->others) {
        return false;
    }
    for (size_t i = 0; i < t->contacts.count; i++) {
        t->starts[t->contacts.items[i].a + 2]++;
        t->starts[t->contacts.items[i].b + 2]++;
    }
    for (size_t b = 0; b < count; b++) {
        t->starts[b + 2] += t->starts[b + 1];
    }
    for (size_t i = 0; i < t->contacts.count; i++) {
        struct contact contact = t->contacts.items[i];
        t->others[t->starts[contact.a + 1]++] = contact.b;
        t->others[t->starts[contact.b + 1]++] = contact.a;
    }
    return true;
}

/* ---- looks by the times alone ---- */

/* The problem whose classes and times count: planners that choose the order of the operators go on with the same
 * blocks. */
static const struct sw_problem *colored_problem(const struct sw_map *map) {
    const struct sw_problem *given = sw_search_given(map->in->run.search);
    bool same = sw_problem_buffer_count(given) == sw_problem_buffer_count(map->problem);
    return same ? given : map->problem;
}

/* What a block's color may be, as long as it keeps its meaning: the k-th, from the one that it asks for on. Where it
 * has a name alone to go by, the other hues follow the tones of its own. */
static unsigned look_from(const struct sw_map *map, unsigned look, unsigned k, bool by_tone) {
    unsigned base = look % SW_BASES, tone = look / SW_BASES;
    if (map->classes->by != SW_COLOR_IDENTITY) {
        return base + SW_BASES * ((tone + k) % SW_TONES);
    }
    unsigned hues = by_tone ? k / SW_TONES : k % SW_HUES, tones = by_tone ? k % SW_TONES : k / SW_HUES;
    return (base + 3 * hues) % SW_HUES + SW_BASES * ((tone + tones) % SW_TONES);
}

static unsigned look_count(const struct sw_map *map) {
    return map->classes->by == SW_COLOR_IDENTITY ? SW_HUES * SW_TONES : SW_TONES;
}

static unsigned asked_look(const struct sw_map *map, uint32_t b) {
    return map->classes->by == SW_COLOR_TIER ? map->in->look.tier % SW_HUES
           : map->classes->bases             ? map->classes->bases[b]
                                             : name_hue(map->problem, b);
}

/* The first that is not in use, else the one that is so least. */
static unsigned least_used(const struct sw_map *map, uint32_t b, const uint32_t used[SW_LOOKS]) {
    unsigned own = asked_look(map, b), best = own;
    for (unsigned k = 0; k < look_count(map); k++) {
        unsigned look = look_from(map, own, k, false);
        best = used[look] < used[best] ? look : best;
    }
    return best;
}

/* Along the births; what died earlier gives its look back, unless each block is to have its own. */
static void look_along(struct touching_blocks *t, const struct sw_keyed *births, const struct sw_keyed *deaths,
                       size_t count) {
    uint32_t used[SW_LOOKS] = {0};
    bool keeps = t->map->classes->few && t->map->classes->by == SW_COLOR_IDENTITY;
    for (size_t i = 0, dead = 0; i < count; i++) {
        uint32_t b = (uint32_t)births[i].index;
        while (!keeps && dead < i && deaths[dead].key + 1 < births[i].key) {
            used[t->looks[deaths[dead++].index]]--;
        }
        used[t->looks[b] = (uint8_t)least_used(t->map, b, used)]++;
    }
}

/* By identity only its name says what a buffer of two problems that differ looks like in both. */
static bool name_alone(const struct sw_map *map, const struct sw_problem *problem) {
    const struct sw_problem *other = map->in->run.other;
    return other && map->classes->by == SW_COLOR_IDENTITY && sw_problem_digest(other) != sw_problem_digest(problem);
}

/* Of many, of which few are drawn, each has the one that it asks for. */
static bool choose_looks(struct touching_blocks *t) {
    const struct sw_problem *problem = colored_problem(t->map);
    t->looks = SW_NEW_ZERO(uint8_t, t->count + 1);
    struct sw_keyed *births = SW_NEW(struct sw_keyed, t->count + 1), *deaths = SW_NEW(struct sw_keyed, t->count + 1);
    size_t count = 0;
    bool all = looks_at_all(t->map) && !name_alone(t->map, problem), good = t->looks && births && deaths;
    for (uint32_t i = 0; good && i < t->count; i++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, buffer_of(t, i));
        t->looks[i] = (uint8_t)asked_look(t->map, buffer_of(t, i));
        if (all && buffer->planned && buffer->size) {
            births[count] = (struct sw_keyed){buffer->first, i};
            deaths[count++] = (struct sw_keyed){buffer->last, i};
        }
    }
    good = good && sw_sort_keyed(births, count) && sw_sort_keyed(deaths, count);
    if (good) {
        look_along(t, births, deaths, count);
    }
    SW_FREE(births, t->count + 1);
    SW_FREE(deaths, t->count + 1);
    return good;
}

/* ---- looks of those that touch ---- */

/* The first from its own on that no neighbor has, nor is `barred`; or NO_HUE. `used`: how many
 * have each. */
static unsigned free_hue(const struct touching_blocks *t, uint32_t b, unsigned barred, uint32_t used[SW_LOOKS]) {
    memset(used, 0, SW_LOOKS * sizeof *used);
    for (uint32_t i = t->starts[b]; i < t->starts[b + 1]; i++) {
        if (t->hues[t->others[i]] != NO_HUE) {
            used[t->hues[t->others[i]]]++;
        }
    }
    for (unsigned k = 0; k < look_count(t->map); k++) {
        unsigned look = look_from(t->map, t->looks[b], k, true);
        if (!used[look] && look != barred) {
            return look;
        }
    }
    return NO_HUE;
}

/* Give all neighbors that have a color another one, if each has one left. */
static bool clear_hue(struct touching_blocks *t, uint32_t b, unsigned hue) {
    uint32_t used[SW_LOOKS];
    for (int moves = 0; moves < 2; moves++) {
        for (uint32_t i = t->starts[b]; i < t->starts[b + 1]; i++) {
            uint32_t other = t->others[i];
            if (t->hues[other] != hue) {
                continue;
            }
            unsigned instead = free_hue(t, other, hue, used);
            if (instead == NO_HUE) {
                return false;
            }
            t->hues[other] = moves ? (uint8_t)instead : (uint8_t)hue;
        }
    }
    return true;
}

static void color(struct touching_blocks *t, uint32_t b) {
    uint32_t used[SW_LOOKS];
    unsigned hue = free_hue(t, b, NO_HUE, used), own = t->looks[b];
    for (unsigned k = 0; hue == NO_HUE && k < look_count(t->map); k++) {
        unsigned wanted = look_from(t->map, own, k, true);
        hue = clear_hue(t, b, wanted) ? wanted : NO_HUE;
    }
    if (hue == NO_HUE) { /* all are taken: the one that fewest neighbors have */
        hue = own;
        for (unsigned k = 0; k < look_count(t->map); k++) {
            unsigned look = look_from(t->map, own, k, true);
            hue = used[look] < used[hue] ? look : hue;
        }
    }
    t->hues[b] = (uint8_t)hue;
}

static void color_all(struct touching_blocks *t) {
    size_t count = t->count;
    const struct sw_search *search = t->map->in->run.search;
    /* Searches decide about the same buffers again and again. */
    uint64_t last = looks_at_all(t->map) ? sw_search_at(search) : 0, most = 4 * (uint64_t)count;
    memset(t->hues, NO_HUE, count);
    for (uint64_t i = 1; i <= last && i <= most; i++) {
        const struct sw_decision *decision = sw_search_journal(search, i);
        if (decision && decision->buffer < count && t->hues[decision->buffer] == NO_HUE &&
            sw_layout_placed(t->map->layout, decision->buffer)) {
            color(t, decision->buffer);
        }
    }
    for (size_t i = 0; i < t->buffers.count; i++) {
        if (t->hues[t->buffers.items[i]] == NO_HUE) {
            color(t, t->buffers.items[i]);
        }
    }
}

static void free_contacts(struct touching_blocks *t) {
    size_t rectangles = t->buffers.count + 1;
    SW_FREE(t->keyed, rectangles);
    for (int e = 0; e < EDGE_COUNT; e++) {
        SW_FREE(t->orders[e], rectangles);
        SW_ARRAY_DONE(&t->edges[e]);
    }
    SW_FREE(t->looks, t->count + 1);
    SW_FREE(t->starts, t->count + 2);
    SW_FREE(t->others, 2 * t->contacts.count + 1);
    SW_ARRAY_DONE(&t->buffers, &t->contacts);
}

uint8_t sw_map_hue(const struct sw_map *map, uint32_t b) {
    size_t at = b;
    if (!looks_at_all(map)) {
        const uint32_t *found = map->colored.count == 0
                                    ? NULL
                                    : bsearch(&b, map->colored.items, map->colored.count, sizeof b, sw_buffers_compare);
        at = found ? (size_t)(found - map->colored.items) : SIZE_MAX;
    }
    return at == SIZE_MAX || map->hues[at] == NO_HUE ? (uint8_t)asked_look(map, b) : map->hues[at];
}

bool sw_map_classify(struct sw_map *map) {
    const struct sw_problem *problem = colored_problem(map);
    enum sw_coloring asked = map->in->look.coloring;
    const struct sw_problem *other = map->in->run.other;
    map->classes = other ? NULL : sw_frame_cache_classes(map->in->kept, problem, asked);
    if (!map->classes && sw_color_classes_of(&map->own_classes, problem, other, asked)) {
        map->classes = &map->own_classes;
    }
    if (map->classes) {
        map->counted = (struct sw_block_classes){map->classes->bases, map->classes->problem, map->classes->by};
    }
    return map->classes != NULL;
}

bool sw_view_colors_speak(const struct sw_view_input *in) {
    struct sw_map map = {.in = in, .problem = sw_search_problem(in->run.search)};
    bool speak = sw_map_classify(&map) && map.classes->by != SW_COLOR_IDENTITY;
    sw_color_classes_done(&map.own_classes);
    return speak;
}

bool sw_map_choose_hues(struct sw_map *map) {
    struct touching_blocks t = {.map = map};
    list_rectangles(&t);
    map->hue_count = t.count + 1;
    map->hues = t.hues = SW_NEW(uint8_t, map->hue_count);
    bool good = !t.failed && t.hues && choose_looks(&t) && sort_all(&t);
    if (good) {
        join_edges(&t, EDGE_HIGH, EDGE_LOW, EDGE_FIRST, EDGE_END);
        join_edges(&t, EDGE_END, EDGE_FIRST, EDGE_LOW, EDGE_HIGH);
        join_shared(&t);
        good = !t.failed && list_neighbors(&t);
    }
    if (good) {
        color_all(&t);
    }
    free_contacts(&t);
    return good;
}

static bool look_in_tier(const struct sw_view_input *in, uint8_t *looks, struct sw_color_classes *classes) {
    struct sw_map map = {
        .in = in, .problem = sw_search_problem(in->run.search), .layout = sw_search_layout(in->run.search)};
    struct sw_placement place;
    bool good = sw_map_classify(&map) && sw_map_choose_hues(&map);
    for (uint32_t b = 0; good && b < sw_problem_buffer_count(map.problem); b++) {
        if (sw_layout_placement(map.layout, b, 0, &place) ? place.tier == in->look.tier : in->look.tier == 0) {
            looks[b] = sw_map_hue(&map, b);
        }
    }
    SW_FREE(map.hues, map.hue_count);
    sw_color_classes_done(classes);
    *classes = map.own_classes;
    return good;
}

bool sw_map_looks(const struct sw_search *search, const struct sw_problem *other, enum sw_coloring coloring,
                  uint8_t *looks, struct sw_color_classes *classes) {
    struct sw_view_input in = {.run = {.search = search, .other = other}, .look.coloring = coloring};
    bool good = true;
    for (uint32_t t = 0; good && t < sw_problem_tier_count(sw_search_problem(search)); t++) {
        in.look.tier = t;
        good = look_in_tier(&in, looks, classes);
    }
    return good;
}

bool sw_map_hues(const struct sw_view_input *in, struct sw_scene *scene, struct sw_map_hues *all) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    uint32_t count = sw_problem_buffer_count(problem);
    struct sw_color_classes classes = {0};
    uint8_t *hues = sw_arena_new(&scene->arena, count + 1, sizeof *hues);
    bool few = count <= MANY_COLORED;
    bool good = hues && (few ? sw_map_looks(in->run.search, in->run.other, in->look.coloring, hues, &classes)
                             : sw_color_classes_of(&classes, problem, in->run.other, in->look.coloring));
    for (uint32_t b = 0; good && !few && b < count; b++) {
        hues[b] = classes.bases ? classes.bases[b] : (uint8_t)name_hue(problem, b);
    }
    for (unsigned base = 0; good && base < SW_BASES; base++) {
        all->words[base] = sw_color_class_words(&classes, scene, base);
    }
    sw_color_classes_done(&classes);
    all->of = hues;
    scene->failed |= !good;
    return good;
}

void sw_map_hues_legend(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_map_hues *all) {
    bool seen[SW_BASES] = {false};
    for (size_t p = 0; p < scene->panels.count; p++) {
        const struct sw_panel *panel = &scene->panels.items[p];
        for (size_t i = 0; i < panel->marks.count; i++) {
            const struct sw_mark *mark = &panel->marks.items[i];
            seen[mark->hue % SW_BASES] |= mark->style == SW_STYLE_BLOCK && mark->item.kind == SW_ITEM_BUFFER;
        }
    }
    for (unsigned base = 0; sw_medium(in)->legend && base < SW_BASES; base++) {
        if (seen[base]) {
            sw_scene_legend(scene, SW_STYLE_BLOCK, base, 0, all->words[base] ? all->words[base] : "block");
        }
    }
}
