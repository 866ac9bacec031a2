/* What a reader makes a moment of: segments, blocks, sums that the input tells, the request that failed. See
 * problem/moment/moment.h. */
#include "lua/readers/reader_reading.h"
#include "base/base.h"
#include "formats/graphs/moment_file.h"
#include "formats/known_by.h"

/* A text of the moment's own; NULL: there is no such field, or it is empty. */
static const char *kept_field(lua_State *lua, struct sw_moment *moment, const char *name) {
    size_t length;
    const char *text = sw_reading_text(lua, 2, name, &length);
    if (!text || length == 0) {
        return NULL;
    }
    const char *kept = sw_moment_text(moment, text, length);
    sw_script_check_memory(lua, kept != NULL);
    return kept;
}

/* Words of scripts for those of files. */
static const char *word_of_file(const char *word) {
    static const struct {
        const char *script, *file;
    } words[] = {{"used", "in use"}, {"untold", "not told"}, {"peak_used", "peak_in_use"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i].script) == 0) {
            return words[i].file;
        }
    }
    return word;
}

static void told_word_field(lua_State *lua, const struct sw_moment_field *field, unsigned *to) {
    unsigned count;
    const char *word = sw_reading_text(lua, 2, field->name, NULL);
    const char *const *words = sw_moment_kind_words(field->kind, &count);
    if (!word && field->kind == SW_MOMENT_IS_STATE) {
        return;
    }
    for (*to = 0; *to < count && (!word || strcmp(word_of_file(word), words[*to]) != 0);) {
        ++*to;
    }
    if (*to == count) {
        luaL_error(lua, "there is no '%s' %s", field->name, word ? word : "given");
    }
}

static void bytes_field_of(lua_State *lua, const struct sw_moment_field *field, uint64_t *to) {
    bool there;
    int64_t bytes = sw_reading_integer(lua, 2, field->name, 0, &there);
    if (there && (bytes < 0 || (uint64_t)bytes > SW_MAX_BYTES)) {
        lua_pushfstring(lua, "'%s' is no number of bytes from 0 to 2^61", field->name);
        sw_reading_fail(lua, sw_reading_of(lua), (struct sw_position){0}, lua_tostring(lua, -1));
    } else if (field->needed && !there) {
        luaL_error(lua, "'%s' is missing", field->name);
    }
    *to = there ? (uint64_t)bytes : *to;
}

/* The table of a method, of these fields and `other` (NULL), into a part of the moment. */
static struct sw_moment *read_told_fields(lua_State *lua, const char *what, const struct sw_moment_field *fields,
                                          const char *other, void *part) {
    struct sw_moment *moment = sw_reading_of(lua)->moment;
    const char *known[SW_MOMENT_MOST_FIELDS];
    sw_moment_field_names(fields, (const char *const[]){other, NULL}, known);
    sw_reading_fields(lua, known, what);
    for (; fields->name; fields++) {
        void *to = sw_moment_field_of(part, fields);
        const char *text;
        switch (fields->kind) {
        case SW_MOMENT_IS_ADDRESS:
        case SW_MOMENT_IS_COUNT:
            *(uint64_t *)to = (uint64_t)sw_reading_integer(lua, 2, fields->name, *(int64_t *)to, NULL);
            break;
        case SW_MOMENT_IS_TEXT:
            text = kept_field(lua, moment, fields->name);
            *(const char **)to = text ? text : *(const char **)to;
            break;
        case SW_MOMENT_IS_FLAG:
            *(bool *)to = lua_getfield(lua, 2, fields->name) != LUA_TNIL && lua_toboolean(lua, -1);
            lua_pop(lua, 1);
            break;
        case SW_MOMENT_IS_STATE:
        case SW_MOMENT_IS_FIGURE:
            told_word_field(lua, fields, to);
            break;
        default:
            bytes_field_of(lua, fields, to);
        }
    }
    return moment;
}

/* segment{address, size, allocator, pool, stream, expandable}: its number. */
static int add_segment(lua_State *lua) {
    struct sw_moment_segment segment = {.address = SW_UNTOLD};
    struct sw_moment *moment = read_told_fields(lua, "segment", sw_moment_segment_fields, NULL, &segment);
    sw_script_check_memory(lua, sw_moment_add_segment(moment, &segment));
    lua_pushinteger(lua, (lua_Integer)moment->segments.count);
    return 1;
}

/* block{address, size, requested, count, state, name, origin, segment}: in use unless `state` says something else. */
static int add_block(lua_State *lua) {
    struct sw_moment_block block = {
        .address = SW_UNTOLD, .requested = SW_UNTOLD, .count = 1, .segment = SW_NONE, .buffer = SW_NONE};
    struct sw_moment *moment = read_told_fields(lua, "block", sw_moment_block_fields, "segment", &block);
    int64_t segment = sw_reading_integer(lua, 2, "segment", 0, NULL);
    if (segment > 0 && (uint64_t)segment <= moment->segments.count) {
        block.segment = (uint32_t)segment - 1;
    }
    if ((int64_t)block.count < 1 || (block.count > 1 && block.address != SW_UNTOLD)) {
        return luaL_error(lua, "'count' is a number from 1 on, and 1 where there is an address");
    }
    sw_script_check_memory(lua, sw_moment_add_block(moment, &block));
    return 0;
}

/* tell{figure, bytes, about, allocator, pool}: a sum or a limit that the input tells, exact to `about` bytes. */
static int tell_figure(lua_State *lua) {
    struct sw_moment_told told = {0};
    struct sw_moment *moment = read_told_fields(lua, "tell", sw_moment_told_fields, NULL, &told);
    sw_script_check_memory(lua, sw_moment_tell(moment, &told));
    return 0;
}

/* failed{size, about, rounded, segment, least, allocator, pool, stream, origin, way}: the request that failed. */
static int tell_failure(lua_State *lua) {
    struct sw_moment_failure failure = sw_moment_no_failure;
    read_told_fields(lua, "failed", sw_moment_failure_fields, NULL, &failure)->failure = failure;
    return 0;
}

/* about{what, planner, settings}: what the input is, as words behind "this is"; the planner that has the rules of the
 * allocator which printed it, and its settings as that planner's. */
static int tell_what(lua_State *lua) {
    read_told_fields(lua, "about", sw_moment_about_fields, NULL, sw_reading_of(lua)->moment);
    return 0;
}

void sw_reading_push_moment(lua_State *lua, struct sw_lua_reading *reading) {
    static const struct luaL_Reg methods[] = {{"segment", add_segment}, {"block", add_block}, {"tell", tell_figure},
                                              {"failed", tell_failure}, {"about", tell_what}, {NULL, NULL}};
    reading->moment = sw_moment_new();
    sw_script_check_memory(lua, reading->moment != NULL);
    reading->moment->what = reading->format->summary;
    lua_createtable(lua, 0, 5);
    sw_reading_methods(lua, reading, methods);
}

bool sw_reading_build_moment(struct sw_lua_reading *reading) {
    if (reading->moment->segments.count + reading->moment->blocks.count + reading->moment->told.count == 0 &&
        reading->moment->failure.size == SW_UNTOLD) {
        return sw_only_words(reading->format->words, reading->input, &reading->error);
    }
    return sw_moment_settle(reading->moment, &reading->error) &&
           sw_moment_build(reading->moment, reading->builder, &reading->error);
}
