/* One unit for one number: what sentences of the engine tell exactly, "64,512 B" or "64,512 bytes", a page writes as
 * all of it does, "63 KiB". Numbers that would look the same then, though they differ, stay as they are. */
#include "base/base.h"
#include "base/sort.h"
#include "view/view_internal.h"

#include <ctype.h>

struct exact_bytes {
    uint64_t bytes;
    size_t length; /* of the text */
};

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-' || c == '/';
}

/* "64,512 B", "64512 bytes"; without a number before it or letters behind it. */
static bool reads_bytes(const char *text, const char *at, struct exact_bytes *found) {
    static const char *const words[] = {" bytes", " byte", " B"};
    const char *start = at;
    *found = (struct exact_bytes){0};
    if (!isdigit((unsigned char)*at) || (at > text && (is_word(at[-1]) || at[-1] == ','))) {
        return false;
    }
    for (; isdigit((unsigned char)*at) || (*at == ',' && isdigit((unsigned char)at[1])); at++) {
        if (*at != ',' && (__builtin_mul_overflow(found->bytes, 10, &found->bytes) ||
                           __builtin_add_overflow(found->bytes, (uint64_t)(*at - '0'), &found->bytes))) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(at, words[i], length) == 0 && !isalnum((unsigned char)at[length]) && at[length] != '_') {
            found->length = (size_t)(at - start) + length;
            return true;
        }
    }
    return false;
}

static bool has_bytes(const char *text) {
    struct exact_bytes found;
    for (const char *at = text; at && *at; at++) {
        if (reads_bytes(text, at, &found)) {
            return true;
        }
    }
    return false;
}

/* A name that looks like a number of bytes is to stay what it is. */
static bool is_named_like_bytes(const struct sw_problem *problem) {
    bool like = false;
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem) && !like; i++) {
        like = has_bytes(sw_problem_buffer(problem, i)->name);
    }
    for (uint32_t i = 0; i < sw_problem_operator_count(problem) && !like; i++) {
        like = has_bytes(sw_problem_operator(problem, i)->name);
    }
    for (uint32_t i = 0; i < sw_problem_tier_count(problem) && !like; i++) {
        like = has_bytes(sw_problem_tier(problem, i)->name);
    }
    return like;
}

/* Each text in which sentences stand; names of curves and blocks are no sentences. */
static void each_sentence(struct sw_scene *scene, void (*visit)(void *context, struct sw_scene *, const char **text),
                          void *context) {
    visit(context, scene, &scene->subtitle);
    for (size_t i = 0; i < scene->caption.count; i++) {
        visit(context, scene, &scene->caption.items[i]);
    }
    for (size_t p = 0; p < scene->panels.count; p++) {
        struct sw_panel *panel = &scene->panels.items[p];
        visit(context, scene, &panel->title);
        for (size_t i = 0; i < panel->texts.count; i++) {
            visit(context, scene, &panel->texts.items[i].text);
        }
    }
}

struct same_looks {
    SW_ARRAY(uint64_t) bytes; /* rising */
};

static void gather_bytes(void *context, struct sw_scene *scene, const char **text) {
    struct same_looks *looks = context;
    struct exact_bytes found;
    for (const char *at = *text; at && *at; at += found.length ? found.length : 1) {
        if (reads_bytes(*text, at, &found)) {
            scene->failed |= !SW_PUSH(&looks->bytes, found.bytes);
        }
    }
}

/* Keep those that another one looks like. */
static void keep_same_looks(struct sw_scene *scene, struct same_looks *looks) {
    uint64_t *all = looks->bytes.items;
    size_t count = 0, kept = 0;
    scene->failed |= !sw_sort_numbers(all, looks->bytes.count);
    for (size_t i = 0; i < looks->bytes.count; i++) {
        all[count] = all[i];
        count += i == 0 || all[i] != all[count - 1];
    }
    bool like_last = false;
    for (size_t i = 0; i < count; i++) {
        char text[40], next[40] = "";
        sw_show_bytes_in(scene->units, all[i], text);
        if (i + 1 < count) {
            sw_show_bytes_in(scene->units, all[i + 1], next);
        }
        bool like_next = strcmp(text, next) == 0;
        if (like_last || like_next) {
            all[kept++] = all[i];
        }
        like_last = like_next;
    }
    looks->bytes.count = kept;
}

/* "63 KiB (64,512 B)" becomes "63 KiB". */
static void write_bytes(void *context, struct sw_scene *scene, const char **text) {
    const struct same_looks *looks = context;
    struct exact_bytes found;
    for (const char *at = *text; at && *at;) {
        if (!reads_bytes(*text, at, &found)) {
            at++;
            continue;
        }
        char figure[40];
        size_t kept = SW_FIRST(i, looks->bytes.count, looks->bytes.items[i] >= found.bytes);
        bool stays = kept < looks->bytes.count && looks->bytes.items[kept] == found.bytes;
        sw_show_bytes_in(stays ? SW_UNITS_BYTES : scene->units, found.bytes, figure);
        size_t length = strlen(figure), before = (size_t)(at - *text);
        const char *rest = at + found.length;
        bool again =
            *rest == ')' && before >= length + 2 && at[-1] == '(' && strncmp(at - 2 - length, figure, length) == 0;
        before -= again ? 2 : 0;
        *text = sw_scene_printf(scene, "%.*s%s%s", (int)before, *text, again ? "" : figure, rest + again);
        at = **text ? *text + before + (again ? 0 : length) : NULL;
    }
}

void sw_page_one_unit(struct sw_scene *scene, const struct sw_problem *problem, const char *input,
                      const struct sw_problem *other, const char *other_input) {
    struct same_looks looks = {0};
    bool like = has_bytes(input) || has_bytes(other_input) || is_named_like_bytes(problem) ||
                (other && is_named_like_bytes(other));
    if (scene->units == SW_UNITS_AUTO || like) {
        return;
    }
    each_sentence(scene, gather_bytes, &looks);
    keep_same_looks(scene, &looks);
    each_sentence(scene, write_bytes, &looks);
    SW_ARRAY_DONE(&looks.bytes);
}
