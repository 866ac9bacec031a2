/* Notes on a picture: JSON, at most a hundred, each with what it speaks of. */
#include "formats/notes.h"

#include "formats/text/json.h"
#include "formats/plans/finished_plan.h"

struct note_reader {
    struct sw_json json;
    const struct sw_problem *problem;
    uint64_t base;
    struct sw_notes *notes;
};

static size_t characters(const char *text) {
    size_t count = 0;
    for (; *text; text++) {
        count += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return count;
}

static bool read_note_text(struct note_reader *reader, struct sw_note *note) {
    const char *text = NULL;
    if (!sw_json_need(&reader->json, "text") || !sw_json_string(&reader->json, "text", &text)) {
        return false;
    }
    if (text[strspn(text, " \t\r\n")] == '\0') {
        return sw_json_fail(&reader->json, "text", "the note says nothing");
    }
    if (characters(text) > SW_NOTE_CHARACTERS) {
        return sw_json_fail(&reader->json, "text", "a note has at most %d characters, and this one %zu",
                            SW_NOTE_CHARACTERS, characters(text));
    }
    char *copy = sw_arena_string(&reader->notes->arena, text, strlen(text));
    if (!copy) {
        return sw_fail_memory(reader->json.error);
    }
    /* Notes are wrapped where they stand: line breaks are blanks. */
    for (char *at = copy; *at; at++) {
        *at = strchr("\t\r\n", *at) ? ' ' : *at;
    }
    note->text = copy;
    return true;
}

/* A buffer, or a buffer that is a part of one. */
static bool read_note_buffer(struct note_reader *reader, struct sw_note *note) {
    const char *name = NULL;
    if (!sw_json_string(&reader->json, "buffer", &name)) {
        return false;
    }
    if (!name) {
        return true;
    }
    uint32_t member = sw_problem_find_member(reader->problem, name);
    note->buffer = sw_problem_find_buffer(reader->problem, name);
    if (note->buffer == SW_NONE && member != SW_NONE) {
        note->buffer = sw_problem_member(reader->problem, member)->buffer;
    }
    if (note->buffer == SW_NONE) {
        return sw_json_fail(&reader->json, "buffer", "there is no buffer '%s'", sw_quote(name, strlen(name)).text);
    }
    note->name = sw_arena_string(&reader->notes->arena, name, strlen(name));
    return note->name || sw_fail_memory(reader->json.error);
}

/* "step" and "time" are the same, as the picture's axis tells it: the file's own time, which is the
 * number of the step in files that have no other. */
static bool read_step(struct note_reader *reader, struct sw_note *note) {
    const struct sw_json *json = &reader->json;
    bool has_step = sw_json_value(json, "step"), has_time = sw_json_value(json, "time");
    const char *key = has_time ? "time" : "step";
    uint32_t steps = sw_problem_steps(reader->problem);
    int64_t time = 0;
    if (!has_step && !has_time) {
        return true;
    }
    if (has_step && has_time) {
        return sw_json_fail(json, key, "\"step\" and \"time\" are the same: one of them is enough");
    }
    if (steps == 0) {
        return sw_json_fail(json, key, "there are no steps");
    }
    if (!sw_json_integer(json, key, sw_problem_time(reader->problem, 0), sw_problem_time(reader->problem, steps) - 1,
                         &time)) {
        return false;
    }
    /* The step that begins then, or else has begun before. */
    bool begins = sw_plan_step(reader->problem, time, &note->step);
    note->step -= !begins;
    return true;
}

static bool read_address(struct note_reader *reader, struct sw_note *note) {
    const struct sw_json *json = &reader->json;
    if (!sw_json_value(json, "address")) {
        return true;
    }
    if (note->step == SW_NONE || note->buffer != SW_NONE) {
        return sw_json_fail(json, "address", "an address goes with a step, and with no buffer");
    }
    if (!sw_json_bytes(json, "address", &note->address)) {
        return false;
    }
    if (note->address < reader->base) {
        return sw_json_fail(json, "address", "the address is below the base address");
    }
    note->address -= reader->base;
    return note->has_address = true;
}

static bool read_note_tier(struct note_reader *reader, struct sw_note *note) {
    const struct sw_json *json = &reader->json;
    const char *name = NULL;
    if (!sw_json_string(json, "tier", &name)) {
        return false;
    }
    if (!name) {
        return !note->has_address || sw_problem_tier_count(reader->problem) == 1 ||
               sw_json_fail(json, "address", "here are several memories: say which with \"tier\"");
    }
    if (!note->has_address) {
        return sw_json_fail(json, "tier", "a tier goes with an address");
    }
    note->tier = sw_problem_find_tier(reader->problem, name);
    return note->tier != SW_NONE ||
           sw_json_fail(json, "tier", "there is no tier '%s'", sw_quote(name, strlen(name)).text);
}

static bool read_at(const struct sw_json *json, struct sw_note *note) {
    const json_t *value = sw_json_value(json, "at");
    if (!value) {
        return true;
    }
    const json_t *x = json_array_get(value, 0), *y = json_array_get(value, 1);
    note->x = json_number_value(x);
    note->y = json_number_value(y);
    note->has_at = json_array_size(value) == 2 && json_is_number(x) && json_is_number(y) && note->x >= 0 &&
                   note->x <= 1 && note->y >= 0 && note->y <= 1;
    return note->has_at || sw_json_fail(json, "at",
                                        "\"at\" is two numbers from 0 to 1: parts of the picture's width and height, "
                                        "from its upper left corner");
}

static bool read_arrow(const struct sw_json *json, struct sw_note *note) {
    bool aims = note->buffer != SW_NONE || note->step != SW_NONE;
    note->arrow = aims;
    return sw_json_flag(json, "arrow", &note->arrow) &&
           (aims || !note->arrow ||
            sw_json_fail(json, "arrow", "the arrow points at nothing: name a buffer or a step"));
}

static bool read_note(struct note_reader *reader) {
    const struct sw_json *json = &reader->json;
    struct sw_note note = {.buffer = SW_NONE, .step = SW_NONE, .tier = SW_NONE};
    if (!SW_JSON_ONLY(json, "text", "buffer", "step", "time", "address", "tier", "at", "arrow") ||
        !read_note_text(reader, &note) || !read_note_buffer(reader, &note) || !read_step(reader, &note) ||
        !read_address(reader, &note) || !read_note_tier(reader, &note) || !read_at(json, &note)) {
        return false;
    }
    if (note.buffer != SW_NONE && note.step != SW_NONE) {
        return sw_json_fail(json, "step", "a note speaks of a buffer or of a step, not of both");
    }
    if (note.buffer == SW_NONE && note.step == SW_NONE && !note.has_at) {
        return sw_json_fail(json, NULL,
                            "the note speaks of nothing and stands nowhere: it needs \"buffer\", "
                            "\"step\", \"time\" or \"at\"");
    }
    return read_arrow(json, &note) && (SW_PUSH(&reader->notes->items, note) || sw_fail_memory(json->error));
}

static bool read_note_list(struct note_reader *reader) {
    struct sw_json *json = &reader->json;
    bool good = SW_JSON_ONLY(json, "notes") && sw_json_need(json, "notes") && sw_json_array(json, "notes");
    for (size_t i = 0; good && sw_json_item(json, "notes", i); i++) {
        good =
            (i < SW_NOTES_MOST || sw_json_fail(json, NULL, "a picture has at most %d notes, and here are %zu",
                                               SW_NOTES_MOST, json_array_size(json_object_get(json->root, "notes")))) &&
            read_note(reader);
    }
    return good;
}

bool sw_notes_read(const struct sw_input *input, const struct sw_problem *problem, uint64_t base,
                   struct sw_notes *notes, struct sw_error *error) {
    struct note_reader reader = {.problem = problem, .base = base, .notes = notes};
    bool good = sw_json_open(&reader.json, input, error) && read_note_list(&reader);
    sw_json_close(&reader.json);
    return good;
}

void sw_notes_done(struct sw_notes *notes) {
    SW_ARRAY_DONE(&notes->items);
    sw_arena_done(&notes->arena);
}
