/* Notes on a picture: JSON, at most a hundred, each with what it speaks of. */
#include "formats/notes.h"

#include "formats/text/json.h"
#include "formats/plans/finished_plan.h"
#include "formats/text/size.h"

#include <string.h>

struct note_reader {
    struct sw_json json;
    const struct sw_problem *problem;
    uint64_t base;
    struct sw_notes *notes;
    struct sw_error *error;
};

enum { NOTE_TEXT, NOTE_BUFFER, NOTE_STEP, NOTE_TIME, NOTE_ADDRESS, NOTE_TIER, NOTE_AT, NOTE_ARROW, NOTE_KEYS };
static const char *const note_keys[NOTE_KEYS] = {"text", "buffer", "step", "time", "address", "tier", "at", "arrow"};

static size_t characters(const char *text) {
    size_t count = 0;
    for (; *text; text++) {
        count += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return count;
}

static const char *keep_note_text(struct note_reader *reader, const char *text) {
    const char *copy = sw_arena_string(&reader->notes->arena, text, strlen(text));
    if (!copy) {
        sw_fail_memory(reader->error);
    }
    return copy;
}

static bool read_note_text(struct note_reader *reader, const json_t *value, struct sw_note *note) {
    const char *text = NULL;
    if (!value) {
        return sw_json_missing(&reader->json, "text", reader->error);
    }
    if (!sw_json_string(&reader->json, "text", value, &text, reader->error)) {
        return false;
    }
    if (!text || text[strspn(text, " \t\r\n")] == '\0') {
        return sw_json_fail(&reader->json, "text", reader->error, "the note says nothing");
    }
    if (characters(text) > SW_NOTE_CHARACTERS) {
        return sw_json_fail(&reader->json, "text", reader->error, "a note has at most %d characters, and this one %zu",
                            SW_NOTE_CHARACTERS, characters(text));
    }
    char *copy = sw_arena_string(&reader->notes->arena, text, strlen(text));
    if (!copy) {
        return sw_fail_memory(reader->error);
    }
    /* Notes are wrapped where they stand: line breaks are blanks. */
    for (char *at = copy; *at; at++) {
        *at = strchr("\t\r\n", *at) ? ' ' : *at;
    }
    note->text = copy;
    return true;
}

/* A buffer, or a buffer that is a part of one. */
static bool read_note_buffer(struct note_reader *reader, const json_t *value, struct sw_note *note) {
    const char *name = NULL;
    if (!value) {
        return true;
    }
    if (!sw_json_string(&reader->json, "buffer", value, &name, reader->error)) {
        return false;
    }
    uint32_t member = sw_problem_find_member(reader->problem, name ? name : "");
    note->buffer = sw_problem_find_buffer(reader->problem, name ? name : "");
    if (note->buffer == SW_NONE && member != SW_NONE) {
        note->buffer = sw_problem_member(reader->problem, member)->buffer;
    }
    if (note->buffer == SW_NONE) {
        return sw_json_fail(&reader->json, "buffer", reader->error, "there is no buffer '%s'",
                            sw_quote(name ? name : "", name ? strlen(name) : 0).text);
    }
    note->name = keep_note_text(reader, name);
    return note->name != NULL;
}

/* "step" and "time" are the same, as the picture's axis tells it: the file's own time, which is the
 * number of the step in files that have no other. */
static bool read_step(struct note_reader *reader, json_t *const v[NOTE_KEYS], struct sw_note *note) {
    int64_t time = 0;
    const char *key = v[NOTE_TIME] ? note_keys[NOTE_TIME] : note_keys[NOTE_STEP];
    uint32_t steps = sw_problem_steps(reader->problem);
    if (!v[NOTE_STEP] && !v[NOTE_TIME]) {
        return true;
    }
    if (v[NOTE_STEP] && v[NOTE_TIME]) {
        return sw_json_fail(&reader->json, key, reader->error,
                            "\"step\" and \"time\" are the same: one of them is enough");
    }
    if (steps == 0) {
        return sw_json_fail(&reader->json, key, reader->error, "there are no steps");
    }
    if (!sw_json_integer(&reader->json, key, v[NOTE_TIME] ? v[NOTE_TIME] : v[NOTE_STEP],
                         sw_problem_time(reader->problem, 0), sw_problem_time(reader->problem, steps) - 1, &time,
                         reader->error)) {
        return false;
    }
    /* The step that begins then, or else has begun before. */
    bool begins = sw_plan_step(reader->problem, time, &note->step);
    note->step -= !begins;
    return true;
}

static bool read_address(struct note_reader *reader, const json_t *value, struct sw_note *note) {
    if (!value) {
        return true;
    }
    if (note->step == SW_NONE || note->buffer != SW_NONE) {
        return sw_json_fail(&reader->json, "address", reader->error, "an address goes with a step, and with no buffer");
    }
    if (json_is_string(value)) {
        struct sw_error why;
        if (!sw_parse_size(json_string_value(value), SW_MAX_BYTES, &note->address, &why)) {
            return sw_json_fail(&reader->json, "address", reader->error, "%s", why.message);
        }
    } else if (!sw_json_unsigned(&reader->json, "address", value, 0, SW_MAX_BYTES, &note->address, reader->error)) {
        return false;
    }
    if (note->address < reader->base) {
        return sw_json_fail(&reader->json, "address", reader->error, "the address is below the base address");
    }
    note->address -= reader->base;
    return note->has_address = true;
}

static bool read_note_tier(struct note_reader *reader, const json_t *value, struct sw_note *note) {
    uint32_t tiers = sw_problem_tier_count(reader->problem);
    const char *name = NULL;
    if (!value) {
        return !note->has_address || tiers == 1 ||
               sw_json_fail(&reader->json, "address", reader->error,
                            "here are several memories: say which with \"tier\"");
    }
    if (!sw_json_string(&reader->json, "tier", value, &name, reader->error)) {
        return false;
    }
    if (!note->has_address) {
        return sw_json_fail(&reader->json, "tier", reader->error, "a tier goes with an address");
    }
    for (uint32_t t = 0; name && t < tiers; t++) {
        if (strcmp(sw_problem_tier(reader->problem, t)->name, name) == 0) {
            note->tier = t;
            return true;
        }
    }
    return sw_json_fail(&reader->json, "tier", reader->error, "there is no tier '%s'",
                        sw_quote(name ? name : "", name ? strlen(name) : 0).text);
}

static bool read_at(struct note_reader *reader, const json_t *value, struct sw_note *note) {
    static const char wanted[] = "\"at\" is two numbers from 0 to 1: parts of the picture's width "
                                 "and height, from its upper left corner";
    if (!value) {
        return true;
    }
    const json_t *x = json_array_get(value, 0), *y = json_array_get(value, 1);
    note->x = json_number_value(x);
    note->y = json_number_value(y);
    if (!json_is_array(value) || json_array_size(value) != 2 || !json_is_number(x) || !json_is_number(y) ||
        !(note->x >= 0 && note->x <= 1 && note->y >= 0 && note->y <= 1)) {
        return sw_json_fail(&reader->json, "at", reader->error, "%s", wanted);
    }
    return note->has_at = true;
}

static bool read_arrow(struct note_reader *reader, const json_t *value, struct sw_note *note) {
    bool aims = note->buffer != SW_NONE || note->step != SW_NONE;
    note->arrow = aims;
    if (!sw_json_flag(&reader->json, "arrow", value, &note->arrow, reader->error)) {
        return false;
    }
    return aims || !note->arrow ||
           sw_json_fail(&reader->json, "arrow", reader->error, "the arrow points at nothing: name a buffer or a step");
}

static bool read_note(struct note_reader *reader, const json_t *object) {
    struct sw_note note = {.buffer = SW_NONE, .step = SW_NONE, .tier = SW_NONE};
    json_t *v[NOTE_KEYS];
    if (!sw_json_collect(&reader->json, object, note_keys, NOTE_KEYS, false, v, reader->error) ||
        !read_note_text(reader, v[NOTE_TEXT], &note) || !read_note_buffer(reader, v[NOTE_BUFFER], &note) ||
        !read_step(reader, v, &note) || !read_address(reader, v[NOTE_ADDRESS], &note) ||
        !read_note_tier(reader, v[NOTE_TIER], &note) || !read_at(reader, v[NOTE_AT], &note)) {
        return false;
    }
    if (note.buffer != SW_NONE && note.step != SW_NONE) {
        return sw_json_fail(&reader->json, "step", reader->error,
                            "a note speaks of a buffer or of a step, not of both");
    }
    if (note.buffer == SW_NONE && note.step == SW_NONE && !note.has_at) {
        return sw_json_fail(&reader->json, NULL, reader->error,
                            "the note speaks of nothing and stands nowhere: it needs \"buffer\", "
                            "\"step\", \"time\" or \"at\"");
    }
    return read_arrow(reader, v[NOTE_ARROW], &note) &&
           (SW_PUSH(&reader->notes->items, note) || sw_fail_memory(reader->error));
}

static bool read_note_list(struct note_reader *reader) {
    static const char *const keys[] = {"notes"};
    json_t *array;
    if (!sw_json_collect(&reader->json, reader->json.root, keys, 1, false, &array, reader->error) ||
        (!array && !sw_json_missing(&reader->json, "notes", reader->error)) ||
        !sw_json_array(&reader->json, "notes", array, reader->error)) {
        return false;
    }
    const json_t *item;
    for (size_t i = 0; sw_json_item(&reader->json, "notes", array, i, &item); i++) {
        if (i == SW_NOTES_MOST) {
            return sw_json_fail(&reader->json, NULL, reader->error, "a picture has at most %d notes, and here are %zu",
                                SW_NOTES_MOST, json_array_size(array));
        }
        if (!read_note(reader, item)) {
            return false;
        }
    }
    return true;
}

bool sw_notes_read(const struct sw_input *input, const struct sw_problem *problem, uint64_t base,
                   struct sw_notes *notes, struct sw_error *error) {
    struct note_reader reader = {.problem = problem, .base = base, .notes = notes, .error = error};
    if (!sw_json_open(&reader.json, input, error)) {
        return false;
    }
    bool good = read_note_list(&reader);
    sw_json_close(&reader.json);
    return good;
}

void sw_notes_done(struct sw_notes *notes) {
    SW_ARRAY_DONE(&notes->items);
    sw_arena_done(&notes->arena);
}
