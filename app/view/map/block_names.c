/* What blocks are called on the map. What nearly all names begin or end with is told once, below a picture, and left
 * out of them. Names of tensors are often paths, of which many end alike: "model/activation_7/Relu" is told from the
 * others by its middle, and shortened to that. */
#include "base/base.h"
#include "view/map/map.h"

#include <string.h>

enum { MANY_NAMES = 50000 }; /* names; more could not be read */

/* A part of a path, or its end from some part on. */
struct sw_map_name_slot {
    uint64_t hash; /* 0: free */
    uint32_t owner;
    bool several; /* other names have it, too */
};

static bool splits_path(char c) {
    return c == '/' || c == ';';
}

/* The part that begins at `at`; the next one begins at its end, and one more. */
static struct sw_name_part part_at(const char *at) {
    struct sw_name_part part = {at, 0};
    while (at[part.length] && !splits_path(at[part.length])) {
        part.length++;
    }
    return part;
}

/* ---- which parts and names several have ---- */

static uint64_t hash_of(const char *text, size_t length) {
    uint64_t hash = length + 1;
    for (size_t i = 0; i < length; i++) {
        hash = hash * 0x100000001b3 + (unsigned char)text[i];
    }
    hash = sw_mix(hash);
    return hash ? hash : 1;
}

static struct sw_map_name_slot *find_name_slot(const struct sw_map *map, const char *text, size_t length) {
    uint64_t hash = hash_of(text, length);
    size_t at = hash & (map->names.room - 1);
    while (map->names.slots[at].hash && map->names.slots[at].hash != hash) {
        at = (at + 1) & (map->names.room - 1);
    }
    map->names.slots[at].hash = hash;
    return &map->names.slots[at];
}

static void count_name_part(const struct sw_map *map, uint32_t owner, const char *text, size_t length) {
    struct sw_map_name_slot *slot = find_name_slot(map, text, length);
    slot->several |= slot->owner != SW_NONE && slot->owner != owner;
    slot->owner = owner;
}

static bool needs_name(const struct sw_buffer *buffer) {
    return buffer->planned && buffer->size > 0;
}

/* ---- what nearly all names begin or end with ---- */

/* Behind a path a word stays with its number: of "model/act_7" that is "act_7", of "buffer_7" it is "7". */
static bool ends_part(const char *name, size_t at, bool path) {
    return sw_label_splits(name + at) && (!path || strchr("/;:.", name[at]));
}

/* The length of a beginning, or of an end, that has one part more; 0: nothing would be left of the name. */
static size_t longer_affix(const char *name, size_t taken, bool end) {
    size_t length = strlen(name), at = end ? length - taken : taken;
    bool path = !end && strcspn(name, "/;:.") < taken;
    while (end && at > 0 && !ends_part(name, at - 1, path)) {
        at--;
    }
    while (end && at > 0 && ends_part(name, at - 1, path)) {
        at--;
    }
    while (!end && at < length && !ends_part(name, at, path)) {
        at++;
    }
    while (!end && at < length && ends_part(name, at, path)) {
        at++;
    }
    return end && at > 0 ? length - at : !end && at < length ? at : 0;
}

static bool has_affix(const char *name, struct sw_name_part affix, bool end) {
    size_t length = strlen(name);
    return affix.length < length && memcmp(end ? name + length - affix.length : name, affix.text, affix.length) == 0;
}

/* Part by part, what three of four names have: the one that most have, if any, is left by votes, and then counted. */
static struct sw_name_part find_affix(struct sw_map *map, bool end) {
    struct sw_name_part affix = {"", 0};
    for (;;) {
        struct sw_name_part model = affix;
        size_t votes = 0, holders = 0, all = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (uint32_t b = 0; b < sw_problem_buffer_count(map->problem); b++) {
                const struct sw_buffer *buffer = sw_problem_buffer(map->problem, b);
                if (!needs_name(buffer)) {
                    continue;
                }
                const char *name = buffer->name;
                size_t length = has_affix(name, affix, end) ? longer_affix(name, affix.length, end) : 0;
                bool same = length && length == model.length && has_affix(name, model, end);
                all += (size_t)pass;
                holders += pass && same;
                if (!pass && votes == 0 && length) {
                    model = (struct sw_name_part){end ? name + strlen(name) - length : name, length};
                    votes = 1;
                } else if (!pass && length) {
                    votes += same ? 1 : (size_t)-1;
                }
            }
        }
        const char *text = sw_scene_printf(map->scene, "%.*s", (int)model.length, model.text);
        if (holders < 3 || 4 * holders < 3 * all || strncmp(text, model.text, model.length) != 0) {
            return affix;
        }
        affix = (struct sw_name_part){text, model.length};
    }
}

/* The name without what it has of them, unless that leaves nothing that says anything. */
static struct sw_name_part rest_of_name(const struct sw_map *map, const char *name) {
    struct sw_name_part rest = {name, strlen(name)};
    if (map->names.before.length && has_affix(name, map->names.before, false)) {
        rest.text += map->names.before.length;
        rest.length -= map->names.before.length;
    }
    if (map->names.after.length && map->names.after.length < rest.length && has_affix(name, map->names.after, true)) {
        rest.length -= map->names.after.length;
    }
    for (size_t i = 0; i < rest.length; i++) {
        if (!sw_label_splits(rest.text + i)) {
            return rest;
        }
    }
    return (struct sw_name_part){name, strlen(name)};
}

/* All parts of all names, all ends of them, and what is left of them without what they have in common. */
static bool gather_name_parts(struct sw_map *map) {
    uint32_t buffers = sw_problem_buffer_count(map->problem);
    size_t parts = 1;
    for (uint32_t b = 0; b < buffers; b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(map->problem, b);
        for (const char *at = buffer->name; needs_name(buffer) && *at; at++) {
            parts += 2 * (size_t)splits_path(*at);
        }
        parts += 4;
    }
    map->names.room = 16;
    while (map->names.room < 2 * parts) {
        map->names.room *= 2;
    }
    map->names.slots = SW_NEW_ZERO(struct sw_map_name_slot, map->names.room);
    if (!map->names.slots) {
        map->scene->failed = true;
        return false;
    }
    for (size_t i = 0; i < map->names.room; i++) {
        map->names.slots[i].owner = SW_NONE;
    }
    for (uint32_t b = 0; b < buffers; b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(map->problem, b);
        if (needs_name(buffer)) {
            struct sw_name_part rest = rest_of_name(map, buffer->name);
            count_name_part(map, b, buffer->name, strlen(buffer->name));
            count_name_part(map, b, rest.text, rest.length);
        }
        for (const char *at = buffer->name; needs_name(buffer); at++) {
            struct sw_name_part part = part_at(at);
            count_name_part(map, b, at, part.length);
            if (at[part.length]) {
                count_name_part(map, b, at, strlen(at));
            }
            at += part.length;
            if (!*at) {
                break;
            }
        }
    }
    return true;
}

static bool alone(const struct sw_map *map, const char *text, size_t length) {
    return length > 0 && !find_name_slot(map, text, length)->several;
}

/* The last part that no other name has; else the shortest end. length 0: the last part will do. */
static struct sw_name_part core_of(const struct sw_map *map, const char *name) {
    struct sw_name_part core = {name, 0}, end = {name, strlen(name)};
    for (const char *at = name;; at++) {
        struct sw_name_part part = part_at(at);
        bool last = !at[part.length];
        if (alone(map, at, part.length)) {
            core = last ? (struct sw_name_part){at, 0} : part;
        } else if (last && core.length == 0) {
            core = end;
        }
        if (alone(map, at, strlen(at))) {
            end = (struct sw_name_part){at, strlen(at)};
        }
        at += part.length;
        if (last) {
            return core;
        }
    }
}

/* Once: on paper what the names have in common, and which parts tell them apart. */
static bool open_common_names(struct sw_map *map) {
    bool several = sw_problem_planned_count(map->problem) <= MANY_NAMES;
    if (several && !map->names.slots) {
        if (sw_medium(map->in)->still) {
            map->names.before = find_affix(map, false);
            map->names.after = find_affix(map, true);
        }
        several = gather_name_parts(map);
    }
    return several;
}

const char *const *sw_map_labels(struct sw_map *map, const char *text, const char *name) {
    if (sw_scene_clean(map->scene, name) != name || !open_common_names(map)) {
        return sw_scene_labels(map->scene, text);
    }
    struct sw_name_part rest = rest_of_name(map, name), core = core_of(map, name);
    if (rest.length < strlen(name) && alone(map, rest.text, rest.length)) {
        map->names.without_before |= rest.text > name;
        map->names.without_after |= rest.text[rest.length] != '\0';
        /* `text` is the name with a mark before it, or without. */
        text = sw_scene_printf(map->scene, "%.*s%.*s", (int)(strlen(text) - strlen(name)), text, (int)rest.length,
                               rest.text);
    } else {
        rest = (struct sw_name_part){name, strlen(name)};
    }
    const char *end = core.text + core.length;
    end = end > rest.text + rest.length ? rest.text + rest.length : end;
    if (core.length == 0 || core.text < rest.text || end <= core.text || !strpbrk(rest.text, "/;")) {
        return sw_scene_labels(map->scene, text);
    }
    return sw_scene_labels_by(map->scene, text, strlen(text) - rest.length + (size_t)(core.text - rest.text),
                              (size_t)(end - core.text));
}

void sw_map_tell_names(struct sw_map *map) {
    struct sw_scene *scene = map->scene;
    bool before = map->names.without_before, after = map->names.without_after;
    if ((!before && !after) || scene->width <= 0) {
        return;
    }
    const char *text =
        sw_scene_printf(scene, "Names of blocks are shown without %s%s%s%s them.", before ? map->names.before.text : "",
                        before && after ? " before and "
                        : before        ? " before"
                                        : "",
                        after ? map->names.after.text : "", after ? " behind" : "");
    sw_page_remark(scene, text);
}

void sw_map_names_done(struct sw_map *map) {
    SW_FREE(map->names.slots, map->names.room);
}
