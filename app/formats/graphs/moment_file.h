/* A moment (problem/moment/moment.h) in JSON, and its blocks as a table. */
#ifndef SW_FORMATS_MOMENT_FILE_H
#define SW_FORMATS_MOMENT_FILE_H

#include "formats/text/json.h"
#include "formats/text/json_write.h"
#include "problem/moment/moment.h"

/* "in_use", as JSON has it; "in use", "not told". */
const char *sw_moment_figure_key(enum sw_moment_figure);
const char *sw_held_state_words(enum sw_held_state);

/* The fields of what a moment is made of: one table for files and scripts. */
enum sw_moment_kind {
    SW_MOMENT_IS_ADDRESS,
    SW_MOMENT_IS_BYTES,
    SW_MOMENT_IS_COUNT, /* at least 1 */
    SW_MOMENT_IS_TEXT,
    SW_MOMENT_IS_FLAG,  /* false: left out */
    SW_MOMENT_IS_STATE, /* a script may leave it out */
    SW_MOMENT_IS_FIGURE
};
struct sw_moment_field {
    const char *name; /* NULL behind the last one */
    enum sw_moment_kind kind;
    bool needed;
    size_t at;
};
extern const struct sw_moment_field sw_moment_segment_fields[], sw_moment_block_fields[], sw_moment_told_fields[],
    sw_moment_failure_fields[], sw_moment_about_fields[];
enum { SW_MOMENT_MOST_FIELDS = 12 }; /* with those that a file or a script adds */
static inline void *sw_moment_field_of(const void *part, const struct sw_moment_field *field) {
    return (char *)(uintptr_t)part + field->at;
}
/* The names of the fields and others behind them, up to NULL; how many they are. */
size_t sw_moment_field_names(const struct sw_moment_field *, const char *const *others, const char **names);
/* The words of a state or a figure, and how many there are. */
const char *const *sw_moment_kind_words(enum sw_moment_kind, unsigned *count);

/* What the moment is made of, as members of the object that is open; `more` adds to what failed, and may be NULL. */
typedef void sw_moment_more_fn(const struct sw_moment *, struct sw_json_out *);
void sw_moment_json_put(const struct sw_moment *, sw_moment_more_fn *more, struct sw_json_out *);
/* From the present value, which is such an object. Sums and sentences that stand beside that are passed over: they are
 * made anew. */
bool sw_moment_json_read(struct sw_json *, struct sw_builder *);
/* What the problem goes on from, as a member "moment", and its requests as a member "then"; and back, from the present
 * value, which has both. */
void sw_then_json_put(const struct sw_problem *, struct sw_json_out *);
bool sw_then_json_read(struct sw_json *, struct sw_builder *);
/* Its blocks, a row each. */
void sw_moment_csv_put(const struct sw_moment *, struct sw_sink *);

#endif
