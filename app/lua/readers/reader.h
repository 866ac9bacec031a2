/* Readers that are scripts: those that ship (scripts/readers, the lines READER of formats.def), and a user's own. */
#ifndef SW_LUA_READER_H
#define SW_LUA_READER_H

#include "formats/format.h"

/* Read the file, which calls stowage.reader once, and put its format before all others. */
bool sw_lua_reader_add(const char *path, struct sw_error *);
/* The same, unless that file was added before. */
bool sw_lua_reader_require(const char *path, struct sw_error *);
/* The files that were added; NULL: no more. */
const char *sw_lua_reader_file(size_t);
/* Take out all that were added. */
void sw_lua_readers_done(void);

/* Runs the script of a format on an input: the `run` of formats. */
sw_script_read_fn sw_lua_reader_run;

#endif
