/* JSON inputs: jansson's tree, and the positions that jansson does not keep.
 *
 * A reader walks the tree and tells this file where it is (enter, leave). The value at the end of that path is the
 * present one: members are asked for by their keys, and with the key NULL the present value itself. Only when something
 * is wrong is the text scanned again for the value on that path. A document lies in an arena of the engine's memory:
 * nothing in it is freed alone (no json_decref), and lack of memory is told from wrong input. */
#ifndef SW_FORMATS_JSON_H
#define SW_FORMATS_JSON_H

#include "formats/text/utf8.h"

#include <jansson.h>

#define SW_JSON_DEPTH 8 /* of paths that readers enter */

struct sw_json_step {
    const char *key; /* NULL: an element of an array */
    size_t index;
    const json_t *value;
};
struct sw_json {
    const struct sw_input *input;
    struct sw_error *error; /* of all that fails; borrowed */
    const json_t *root;
    bool no_nulls; /* a member that is null counts as not there */
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

void sw_json_enter(struct sw_json *, const char *key);
void sw_json_enter_index(struct sw_json *, size_t index);
static inline void sw_json_leave(struct sw_json *json) {
    json->depth--;
}
/* A member of the present value, or that itself; NULL: it is not there. */
const json_t *sw_json_value(const struct sw_json *, const char *key);

/* Go through the list under `key` of the present value (NULL: the list is the present value), of which the reader
 * stands at one element after another: for (size_t i = 0; sw_json_item(json, key, i); i++). A loop is left before its
 * end only when reading fails. Where no list is, there are no elements. */
bool sw_json_item(struct sw_json *, const char *key, size_t i);

/* Fail at the present value; at `key` inside it when that is not NULL (at the key's value, or the key itself). Returns
 * false. */
bool sw_json_fail(const struct sw_json *, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The present value is an object with no keys but these. Others are errors that name the nearest known one, unless they
 * begin with "x-" or "_", or `open` is set. */
bool sw_json_object(const struct sw_json *, const char *const *keys, size_t count, bool open);
#define SW_JSON_ONLY(json, ...)                                \
    sw_json_object((json), (const char *const[]){__VA_ARGS__}, \
                   sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *), false)

/* Is the member there? If not, say so. */
bool sw_json_need(const struct sw_json *, const char *key);
/* Typed values. Where there is none, `to` stays as it is, and that is fine. */
bool sw_json_integer(const struct sw_json *, const char *key, int64_t lowest, int64_t highest, int64_t *to);
bool sw_json_unsigned(const struct sw_json *, const char *key, uint64_t lowest, uint64_t highest, uint64_t *to);
bool sw_json_bytes(const struct sw_json *, const char *key, uint64_t *to); /* also as people write sizes: "64 KiB" */
bool sw_json_real(const struct sw_json *, const char *key, double *to);
bool sw_json_flag(const struct sw_json *, const char *key, bool *to);
bool sw_json_string(const struct sw_json *, const char *key, const char **to);
bool sw_json_array(const struct sw_json *, const char *key); /* or nothing */

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
const char *sw_json_skip(const char *at, const char *end); /* behind the value at `at` */
const char *sw_json_skip_space(const char *at, const char *end);

/* The positions of the elements of the array under a key of the object on the present path, one after
 * another: O(text) in all. */
struct sw_json_items {
    struct sw_json_walk walk;
    struct sw_line_count lines;
};
void sw_json_items_begin(struct sw_json_items *, const struct sw_json *, const char *key);
struct sw_position sw_json_items_next(struct sw_json_items *);

/* An error from the builder stands at an item: move it to the value in the item that it names last.
 */
void sw_json_refine(const struct sw_input *, struct sw_error *);

#endif
