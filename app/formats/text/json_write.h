/* JSON as it is written, item by item: the caller says what there is, and commas, brackets, line breaks and escapes
 * come from here. Nothing is kept but which brackets are open; the text goes into the caller's sink, which also
 * remembers that there was no memory. */
#ifndef SW_FORMATS_JSON_WRITE_H
#define SW_FORMATS_JSON_WRITE_H

#include "formats/format.h"

enum { SW_JSON_OPEN = 12 }; /* objects and lists inside one another; a deeper one fails the sink */

/* Fill in `out`, and leave the rest zero. */
struct sw_json_out {
    struct sw_sink *out; /* borrowed */
    unsigned depth;
    struct sw_json_open {
        char close;         /* its bracket */
        bool lines, filled; /* an item a line; it has an item already */
    } open[SW_JSON_OPEN];
};
/* A key is NULL for items of a list and for the outermost value, behind which the line ends. */
void sw_put_object(struct sw_json_out *, const char *key);
void sw_put_list(struct sw_json_out *, const char *key);
void sw_put_end(struct sw_json_out *); /* of what was opened last */
/* Of what was opened last: its items begin lines, each one space further in than those of the lines around it. The
 * first one of an object stays behind the bracket. */
void sw_put_lines(struct sw_json_out *);

void sw_put_text(struct sw_json_out *, const char *key, const char *text); /* NULL: null */
void sw_put_count(struct sw_json_out *, const char *key, uint64_t);
void sw_put_known(struct sw_json_out *, const char *key, bool known, uint64_t); /* not known: null */
void sw_put_time(struct sw_json_out *, const char *key, int64_t);
void sw_put_number(struct sw_json_out *, const char *key, double); /* not finite: null */
void sw_put_truth(struct sw_json_out *, const char *key, bool);
void sw_put_if(struct sw_json_out *, const char *key, bool); /* true, or nothing */
void sw_put_null(struct sw_json_out *, const char *key);
/* A number, true, false or null, formatted by the caller. */
void sw_put_printf(struct sw_json_out *, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The caller writes the value, as JSON, into this sink. */
struct sw_sink *sw_put_raw(struct sw_json_out *, const char *key);

struct sw_named_count {
    const char *key;
    uint64_t count;
};
void sw_put_counts(struct sw_json_out *, const struct sw_named_count *, size_t count);
#define SW_PUT_COUNTS(json, ...)                                      \
    sw_put_counts(json, (const struct sw_named_count[]){__VA_ARGS__}, \
                  sizeof((const struct sw_named_count[]){__VA_ARGS__}) / sizeof(struct sw_named_count))

#endif
