/* Scenes: builders that cannot fail half-way (lack of memory is remembered in the scene), and text
 * that is safe to show. */
#include "view/scene/scene.h"
#include "base/base.h"

/* ---- text ---- */

static bool is_clean_text(const char *text, bool joins) {
    uint32_t before = 0;
    size_t skip;
    for (; *text; text += skip) {
        if (!sw_utf8_shown(text, SIZE_MAX, joins, &before, &skip)) {
            return false;
        }
    }
    return true;
}

const char *sw_scene_clean(struct sw_scene *scene, const char *text) {
    if (!text || is_clean_text(text, scene->joins)) {
        return text ? text : "";
    }
    char *copy = sw_arena_string(&scene->arena, text, strlen(text));
    if (!copy) {
        scene->failed = true;
        return "";
    }
    sw_utf8_clean(copy, scene->joins);
    return copy;
}

const char *sw_scene_vprintf(struct sw_scene *scene, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : sw_arena_new(&scene->arena, (size_t)length + 1, 1);
    if (text) {
        vsnprintf(text, (size_t)length + 1, format, again);
        sw_utf8_clean(text, scene->joins);
    } else {
        scene->failed = true;
    }
    va_end(again);
    return text ? text : "";
}

const char *sw_scene_printf(struct sw_scene *scene, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *text = sw_scene_vprintf(scene, format, arguments);
    va_end(arguments);
    return text;
}

const char *sw_scene_bytes(struct sw_scene *scene, uint64_t bytes) {
    char text[40];
    return sw_scene_printf(scene, "%s",
                           scene->units == SW_UNITS_AUTO && !scene->joins
                               ? sw_show_bytes(bytes, text)
                               : sw_show_bytes_in(scene->units, bytes, text));
}

const char *sw_scene_counted(struct sw_scene *scene, uint64_t count, const char *what) {
    return sw_scene_printf(scene, "%s", SW_COUNTED(count, what));
}

const char *sw_scene_capital(struct sw_scene *scene, const char *text) {
    bool small = *text >= 'a' && *text <= 'z';
    return small ? sw_scene_printf(scene, "%c%s", *text & ~0x20, text + 1) : sw_scene_printf(scene, "%s", text);
}

/* ---- labels ---- */

static bool is_label_digit(char c) {
    return c >= '0' && c <= '9';
}
static bool is_label_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static bool is_separator(char c) {
    return c == '_' || c == '.' || c == ':' || c == '-' || c == ' ' || c == '/' || c == ';';
}

/* Does a mark stand here that belongs to the character before it? */
static bool is_combining(const char *text) {
    uint32_t code = 0;
    return sw_utf8_decode(text, SIZE_MAX, &code) &&
           ((code >= 0x300 && code <= 0x36f) || (code >= 0x1ab0 && code <= 0x1aff) ||
            (code >= 0x1dc0 && code <= 0x1dff) || (code >= 0x20d0 && code <= 0x20ff) ||
            (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xfe20 && code <= 0xfe2f));
}

bool sw_label_splits(const char *text) {
    return is_separator(text[0]) && !is_combining(text + 1);
}

enum { LABELS = 7, LABEL_BYTES = 96 };

/* Collects alternatives, each strictly shorter than the one before. */
struct alternatives {
    struct sw_scene *scene;
    const char *texts[LABELS + 1];
    size_t count, last_length;
};

static void offer_label(struct alternatives *list, const char *text, size_t length) {
    if (list->count == LABELS - 1 || length == 0 || length >= list->last_length) {
        return;
    }
    char *copy = sw_arena_string(&list->scene->arena, text, length);
    if (!copy) {
        list->scene->failed = true;
        return;
    }
    list->texts[list->count++] = copy;
    list->last_length = length;
}

/* Where the last part that says something begins: after the last '/', or the last ';' of fused
 * names. */
static const char *last_part(const char *name, size_t length) {
    size_t at = length;
    while (at > 1 && ((name[at - 2] != '/' && name[at - 2] != ';') || is_combining(name + at - 1))) {
        at--;
    }
    return name + (at > 1 ? at - 1 : 0);
}

/* What stands at the end of every second name and tells nothing apart. */
static bool says_little(const char *text, size_t length) {
    static const char *const words[] = {"out", "output", "outputs", "result", "tensor",
                                        "tmp", "temp",   "buf",     "buffer", "memory"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == length && !memcmp(words[i], text, length)) {
            return true;
        }
    }
    return false;
}

/* Where the last component begins. */
static size_t last_component(const char *text, size_t length) {
    while (length > 0 && !sw_label_splits(text + length - 1)) {
        length--;
    }
    return length;
}

static size_t drop_little(const char *text, size_t length) {
    size_t all = length;
    while (length > 0 && sw_label_splits(text + length - 1)) {
        length--;
    }
    if (length == 0) {
        return all;
    }
    size_t at = last_component(text, length), rest = at;
    while (rest > 0 && sw_label_splits(text + rest - 1)) {
        rest--;
    }
    return rest > 0 && says_little(text + at, length - at) ? rest : length;
}

struct short_name {
    char text[LABEL_BYTES];
    size_t used;
    bool number, full; /* full: it did not fit */
};

static void append_text(struct short_name *to, const char *text, size_t length) {
    to->full |= to->used + length > sizeof to->text;
    if (!to->full) {
        memcpy(to->text + to->used, text, length);
        to->used += length;
    }
}

/* A component as its first letter and first number, behind a separator where two numbers would meet
 * or two letters. */
static void append_initial(struct short_name *to, const char *text, size_t length) {
    size_t at = 0, skip = 1;
    while (at + 1 < length && !is_label_digit(text[at]) && !is_label_letter(text[at]) &&
           (unsigned char)text[at] < 0x80) {
        at++;
    }
    bool digits = is_label_digit(text[at]);
    bool after_digit = to->used > 0 && is_label_digit(to->text[to->used - 1]);
    if (to->used > 0 && (!digits || after_digit)) {
        append_text(to, "_", 1);
    }
    if (!digits) {
        do { /* a letter with the marks that belong to it */
            uint32_t code;
            skip = sw_utf8_decode(text + at, SIZE_MAX, &code);
            skip = skip ? skip : 1;
            append_text(to, text + at, skip);
            at += skip;
        } while (at < length && is_combining(text + at));
    }
    while (at < length && !is_label_digit(text[at])) {
        at++;
    }
    for (; at < length && is_label_digit(text[at]); at++) {
        append_text(to, text + at, 1);
        to->number = true;
    }
}

/* "layer1_0_conv3" -> "l1_0_conv3", and, with `last`, "l1_0_c3": every component keeps what tells
 * it from its siblings. */
static void offer_initials(struct alternatives *list, const char *text, size_t length, bool last) {
    struct short_name to = {.used = 0};
    size_t components = 0;
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (end < length && !sw_label_splits(text + end)) {
            end++;
        }
        if (end > at && end == length && !last && components > 0 && !is_label_digit(text[at])) {
            append_text(&to, "_", 1);
            append_text(&to, text + at, end - at);
        } else if (end > at) {
            append_initial(&to, text + at, end - at);
        }
        components += end > at;
        at = end + 1;
    }
    if (!to.full && (components > 1 || to.number)) {
        offer_label(list, to.text, to.used);
    }
}

const char *const *sw_scene_label_list(struct sw_scene *scene, const char *const *texts) {
    size_t count = 0;
    while (texts[count]) {
        count++;
    }
    const char *const *copy = sw_arena_copy(&scene->arena, texts, count + 1, sizeof *texts);
    scene->failed |= !copy;
    return copy;
}

/* The part of the name that is kept longest, and its shorter forms. */
static const char *const *shorten(struct alternatives *list, const char *part, size_t length) {
    offer_label(list, part, length);
    length = drop_little(part, length);
    offer_label(list, part, length);
    offer_initials(list, part, length, false);
    offer_initials(list, part, length, true);
    list->texts[list->count] = "";
    return sw_scene_label_list(list->scene, list->texts);
}

const char *const *sw_scene_labels(struct sw_scene *scene, const char *name) {
    name = sw_scene_clean(scene, name);
    size_t length = strlen(name);
    struct alternatives list = {.scene = scene, .texts = {name}, .count = 1, .last_length = length};
    const char *part = last_part(name, length);
    return shorten(&list, part, length - (size_t)(part - name));
}

const char *const *sw_scene_labels_by(struct sw_scene *scene, const char *name, size_t at, size_t length) {
    size_t all = strlen(name);
    struct alternatives list = {.scene = scene, .texts = {name}, .count = 1, .last_length = all};
    offer_label(&list, name + at, all - at);
    return shorten(&list, name + at, length);
}

/* ---- panels ---- */

static struct sw_panel *empty_panel(struct sw_panel *panel) {
    panel->marks.count = panel->merged.count = panel->rows.count = panel->texts.count = panel->x.ticks.count =
        panel->y.ticks.count = 0;
    return panel;
}

struct sw_panel *sw_scene_panel(struct sw_scene *scene, enum sw_panel_kind kind, const char *id) {
    static struct sw_panel sink; /* what a scene without memory draws into; it is never shown */
    if (scene->panels.count == scene->panels.capacity) {
        size_t old = scene->panels.capacity;
        if (!SW_RESERVE(&scene->panels, old + 16)) {
            scene->failed = true;
            return empty_panel(&sink);
        }
        memset(scene->panels.items + old, 0, (scene->panels.capacity - old) * sizeof *scene->panels.items);
    }
    struct sw_panel *panel = &scene->panels.items[scene->panels.count++];
    *panel = (struct sw_panel){.kind = kind,
                               .id = id,
                               .marks = panel->marks,
                               .merged = panel->merged,
                               .rows = panel->rows,
                               .texts = panel->texts,
                               .x = {.hi = 1, .ticks = panel->x.ticks},
                               .y = {.hi = 1, .ticks = panel->y.ticks},
                               .stretch = SW_NONE,
                               .tier = SW_NONE};
    return empty_panel(panel);
}

void sw_panel_put(struct sw_panel *panel, struct sw_box box) {
    panel->left = box.left;
    panel->top = box.top;
    panel->width = box.width;
    panel->height = box.height;
}

struct sw_mark *sw_panel_mark(struct sw_scene *scene, struct sw_panel *panel, struct sw_mark mark) {
    static struct sw_mark lost;
    if (scene->failed || !SW_PUSH(&panel->marks, mark)) {
        scene->failed = true;
        lost = mark;
        return &lost;
    }
    return &panel->marks.items[panel->marks.count - 1];
}

struct sw_row *sw_panel_row(struct sw_scene *scene, struct sw_panel *panel, struct sw_item item, bool current) {
    static struct sw_row lost;
    struct sw_row row = {.item = item, .current = current, .first = (uint32_t)panel->texts.count};
    if (scene->failed || !SW_PUSH(&panel->rows, row)) {
        scene->failed = true;
        lost = row;
        return &lost;
    }
    return &panel->rows.items[panel->rows.count - 1];
}

void sw_panel_cell(struct sw_scene *scene, struct sw_panel *panel, enum sw_style style, bool right, const char *text) {
    struct sw_text cell = {.text = sw_scene_clean(scene, text), .style = (uint8_t)style, .right = right};
    if (scene->failed || panel->rows.count == 0 || !SW_PUSH(&panel->texts, cell)) {
        scene->failed = true;
        return;
    }
    struct sw_row *row = &panel->rows.items[panel->rows.count - 1];
    row->count++;
    if (row->count > panel->columns) {
        panel->columns = row->count;
    }
}

void sw_panel_name(struct sw_scene *scene, struct sw_panel *panel, enum sw_style style, const char *before,
                   const char *name) {
    const char *text = *before ? sw_scene_printf(scene, "%s %s", before, name) : name;
    sw_panel_cell(scene, panel, style, false, text);
    size_t at = *before ? strlen(before) + 1 : 0;
    if (!scene->failed && at < UINT16_MAX) {
        panel->texts.items[panel->texts.count - 1].name = (uint16_t)(at + 1);
    }
}

void sw_scene_add_legend(struct sw_scene *scene, struct sw_legend_entry wanted) {
    wanted.text = sw_scene_clean(scene, wanted.text);
    for (size_t i = 0; i < scene->legend.count; i++) {
        const struct sw_legend_entry *entry = &scene->legend.items[i];
        if (entry->style == wanted.style && entry->pattern == wanted.pattern && entry->line == wanted.line &&
            entry->shape == wanted.shape && !strcmp(entry->text, wanted.text)) {
            return;
        }
    }
    if (!SW_PUSH(&scene->legend, wanted)) {
        scene->failed = true;
    }
}

void sw_scene_legend(struct sw_scene *scene, enum sw_style style, unsigned hue, unsigned pattern, const char *text) {
    sw_scene_add_legend(scene,
                        (struct sw_legend_entry){
                            .style = (uint8_t)style, .hue = (uint8_t)hue, .pattern = (uint8_t)pattern, .text = text});
}

void sw_scene_legend_line(struct sw_scene *scene, enum sw_style style, unsigned hue, enum sw_dash dash, bool band,
                          const char *text) {
    sw_scene_add_legend(scene, (struct sw_legend_entry){.style = (uint8_t)style,
                                                        .hue = (uint8_t)hue,
                                                        .pattern = (uint8_t)dash,
                                                        .line = true,
                                                        .band = band,
                                                        .text = text});
}

void sw_scene_caption(struct sw_scene *scene, const char *text) {
    text = sw_scene_clean(scene, text);
    if (!SW_PUSH(&scene->caption, text)) {
        scene->failed = true;
    }
}

size_t sw_scene_caption_lines(const struct sw_scene *scene) {
    return scene->caption_shown && scene->caption_shown < scene->caption.count ? scene->caption_shown
                                                                               : scene->caption.count;
}

void sw_scene_clear(struct sw_scene *scene) {
    sw_arena_done(&scene->arena);
    scene->panels.count = scene->legend.count = scene->caption.count = scene->notes.count = 0;
    scene->caption_shown = 0;
    scene->title = scene->subtitle = scene->number = scene->heading = scene->exact = NULL;
    scene->warns = false;
    scene->width = scene->height = scene->zoom = scene->dpi = 0;
    scene->units = SW_UNITS_AUTO;
    scene->joins = false;
    scene->about = NULL;
    scene->base = 0;
    scene->failed = false;
}

void sw_scene_done(struct sw_scene *scene) {
    for (size_t i = 0; i < scene->panels.capacity; i++) {
        struct sw_panel *panel = &scene->panels.items[i];
        SW_ARRAY_DONE(&panel->marks, &panel->merged, &panel->rows, &panel->texts, &panel->x.ticks, &panel->y.ticks);
    }
    SW_ARRAY_DONE(&scene->panels, &scene->legend, &scene->caption, &scene->notes);
    sw_arena_done(&scene->arena);
    scene->title = scene->subtitle = scene->number = scene->heading = scene->exact = NULL;
    scene->warns = false;
    scene->failed = false;
}

const char *sw_style_name(enum sw_style style) {
    static const char *const names[] = {
#define STYLE_NAME(id, name, meaning) name,
        SW_STYLES(STYLE_NAME)
#undef STYLE_NAME
    };
    return (unsigned)style < SW_STYLE_COUNT ? names[style] : "?";
}
