/* What blocks are called on the map. Names of tensors are often paths, of which many end alike:
 * "model/activation_7/Relu" is told from the others by its middle, and shortened to that. */
#include "view/map/map.h"

#include <string.h>

enum { MANY_NAMES = 50000 }; /* names; more could not be read */

struct name_part {
    const char *text;
    size_t length;
};

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
static struct name_part part_at(const char *at) {
    struct name_part part = {at, 0};
    while (at[part.length] && !splits_path(at[part.length])) {
        part.length++;
    }
    return part;
}

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

/* All parts of all names, and all ends of them. */
static bool gather_name_parts(struct sw_map *map) {
    uint32_t buffers = sw_problem_buffer_count(map->problem);
    size_t parts = 1;
    for (uint32_t b = 0; b < buffers; b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(map->problem, b);
        for (const char *at = buffer->name; needs_name(buffer) && *at; at++) {
            parts += 2 * (size_t)splits_path(*at);
        }
        parts += 2;
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
        for (const char *at = buffer->name; needs_name(buffer); at++) {
            struct name_part part = part_at(at);
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
static struct name_part core_of(const struct sw_map *map, const char *name) {
    struct name_part core = {name, 0}, end = {name, strlen(name)};
    for (const char *at = name;; at++) {
        struct name_part part = part_at(at);
        bool last = !at[part.length];
        if (alone(map, at, part.length)) {
            core = last ? (struct name_part){at, 0} : part;
        } else if (last && core.length == 0) {
            core = end;
        }
        if (alone(map, at, strlen(at))) {
            end = (struct name_part){at, strlen(at)};
        }
        at += part.length;
        if (last) {
            return core;
        }
    }
}

const char *const *sw_map_labels(struct sw_map *map, const char *text, const char *name) {
    bool path = strpbrk(name, "/;") && sw_problem_planned_count(map->problem) <= MANY_NAMES &&
                sw_scene_clean(map->scene, name) == name;
    if (path && !map->names.slots) {
        path = gather_name_parts(map);
    }
    struct name_part core = path ? core_of(map, name) : (struct name_part){name, 0};
    if (core.length == 0) {
        return sw_scene_labels(map->scene, text);
    }
    /* `text` is the name with a mark before it, or without. */
    size_t at = strlen(text) - strlen(name) + (size_t)(core.text - name);
    return sw_scene_labels_by(map->scene, text, at, core.length);
}

void sw_map_names_done(struct sw_map *map) {
    SW_FREE(map->names.slots, map->names.room);
}
