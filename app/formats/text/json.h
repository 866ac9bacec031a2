/* JSON inputs: jansson's tree, and the positions that jansson does not keep.
 *
 * A reader walks the tree and tells this file where it is (enter, leave). Only when something is
 * wrong is the text scanned again for the value on that path. A document lies in an arena of the
 * engine's memory: nothing in it is freed alone (no json_decref), and lack of memory is told from
 * wrong input. */
#ifndef SW_FORMATS_JSON_H
#define SW_FORMATS_JSON_H

#include "formats/text/utf8.h"

#include <jansson.h>

#define SW_JSON_DEPTH 8 /* of paths that readers enter */

struct sw_json_step {
    const char *key; /* NULL: an element of an array */
    size_t index;
};
struct sw_json {
    const struct sw_input *input;
    json_t *root;
    struct sw_json_step path[SW_JSON_DEPTH];
    unsigned depth;
    struct sw_arena memory; /* of the tree */
};
/* json_loadb into an arena, which the caller owns also when this fails; NULL: no JSON, or no memory. One
 * thread at a time. */
json_t *sw_json_parse(struct sw_arena *, const char *text, size_t length, size_t flags, json_error_t *why,
                      bool *out_of_memory);
bool sw_json_open(struct sw_json *, const struct sw_input *, struct sw_error *);
void sw_json_close(struct sw_json *);

static inline void sw_json_enter(struct sw_json *json, const char *key) {
    json->path[json->depth++] = (struct sw_json_step){key, 0};
}
static inline void sw_json_enter_index(struct sw_json *json, size_t index) {
    json->path[json->depth++] = (struct sw_json_step){NULL, index};
}
static inline void sw_json_leave(struct sw_json *json) {
    json->depth--;
}

/* Go through the list under `key` of the present object (NULL: the list at the end of the path), of which the reader
 * stands at one element after another: for (size_t i = 0; sw_json_item(json, key, list, i, &item); i++). A loop is left
 * before its end only when reading fails. `list` may be NULL, or no list: it has no elements then. */
bool sw_json_item(struct sw_json *, const char *key, const json_t *list, size_t i, const json_t **item);

/* Fail at the value on the present path; at `key` inside it when that is not NULL (at the key's
 * value, or the key itself). Returns false. */
bool sw_json_fail(const struct sw_json *, const char *key, struct sw_error *, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Sort the members of an object by a table of keys: values[i] is that of keys[i] or NULL. Keys
 * outside the table are errors that name the nearest known one, unless they begin with "x-" or "_",
 * or `open` is set. */
bool sw_json_collect(const struct sw_json *, const json_t *object, const char *const *keys, size_t count, bool open,
                     json_t **values, struct sw_error *);

#define SW_KEYS(table) (table), sizeof(table) / sizeof *(table) /* for `keys` and `count` */

/* Typed values. `key` is for messages; value may be NULL (nothing happens then, and that is fine).
 */
bool sw_json_integer(const struct sw_json *, const char *key, const json_t *value, int64_t lowest, int64_t highest,
                     int64_t *to, struct sw_error *);
bool sw_json_unsigned(const struct sw_json *, const char *key, const json_t *value, uint64_t lowest, uint64_t highest,
                      uint64_t *to, struct sw_error *);
bool sw_json_real(const struct sw_json *, const char *key, const json_t *value, double *to, struct sw_error *);
bool sw_json_flag(const struct sw_json *, const char *key, const json_t *value, bool *to, struct sw_error *);
bool sw_json_string(const struct sw_json *, const char *key, const json_t *value, const char **to, struct sw_error *);
/* Is it an array (or NULL)? */
bool sw_json_array(const struct sw_json *, const char *key, const json_t *value, struct sw_error *);
/* Say that a key is missing, at the object. */
bool sw_json_missing(const struct sw_json *, const char *key, struct sw_error *);

/* ---- the text ---- */

/* Members of the object, or elements of the array, at `at`. Never leaves the input, whatever it is.
 */
struct sw_json_walk {
    const char *at, *end;
    const char *key; /* its opening quote; NULL in an array */
    const char *key_end;
    const char *value;
};
void sw_json_walk_begin(struct sw_json_walk *, const char *at, const char *end);
bool sw_json_walk_next(struct sw_json_walk *);
/* Does it stand at a member with this key? */
bool sw_json_walk_is(const struct sw_json_walk *, const char *key);
const char *sw_json_skip_space(const char *at, const char *end);

/* The positions of the elements of the array under a key of the object on the present path, one after
 * another: O(text) in all. */
struct sw_json_items {
    struct sw_json_walk walk;
    const char *counted, *line_start;
    uint32_t line;
};
void sw_json_items_begin(struct sw_json_items *, const struct sw_json *, const char *key);
struct sw_position sw_json_items_next(struct sw_json_items *);

/* An error from the builder stands at an item: move it to the value in the item that it names last.
 */
void sw_json_refine(const struct sw_input *, struct sw_error *);

#endif
