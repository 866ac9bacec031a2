/* Options of loading as text, and copies of them. Made from load_options.def. */
#ifndef SW_FORMATS_LOAD_OPTIONS_H
#define SW_FORMATS_LOAD_OPTIONS_H

#include "formats/format.h"
#include "formats/settings/value.h"

enum sw_load_option {
#define LOAD_OPTION(name, field, ...) SW_LOAD_OPTION_##field,
#include "formats/settings/load_options.def"
#undef LOAD_OPTION
    SW_LOAD_OPTIONS
};

/* Its name, and the type of its value. */
const char *sw_load_option_name(enum sw_load_option);
const struct sw_value_type *sw_load_option_type(enum sw_load_option);

/* Tell each option that was given, in the order of the table, with its value as text ("" of a flag). */
typedef void sw_load_tell(void *context, enum sw_load_option, const char *value);
void sw_load_options_tell(const struct sw_load_options *, sw_load_tell *, void *context);

/* Are those that were given heeded by a format with these bits of enum sw_heeds? The error says which is not. */
bool sw_load_options_heeded(const struct sw_load_options *, unsigned heeds, struct sw_error *);

/* Does the value of this option name a file? */
bool sw_load_option_is_file(enum sw_load_option, const char *value);
/* Of a switch the word that turns it on; NULL: it is none. */
const char *sw_load_option_on(enum sw_load_option);

/* Options that own their texts and settings: zero them to start with, end with sw_load_options_done. */
/* Take an option as sw_load_options_tell told it; messages call it `name`. */
bool sw_load_options_take(struct sw_load_options *own, enum sw_load_option, const char *name, const char *value,
                          struct sw_error *);
/* Which option has this name; SW_LOAD_OPTIONS: none. */
enum sw_load_option sw_load_option_find(const char *name);
/* A copy of everything in the table, and of `trust`. False: no memory. */
bool sw_load_options_copy(struct sw_load_options *own, const struct sw_load_options *from);
void sw_load_options_done(struct sw_load_options *own);

#endif
