/* Files that a model names and that lie beside it: when a copy of the model goes elsewhere, they go with it. */
#ifndef SW_CLI_DATA_BESIDE_H
#define SW_CLI_DATA_BESIDE_H

#include "formats/format.h"

struct sw_data_beside;

/* Copies what the input, read from `from`, names and what is not beside `to` yet. Existing files stay as they are: one
 * that has other bytes, or anything else of that name, is an error, and so is a name that leads out of the folder, by
 * ".." or by a symbolic link. `to` is borrowed until the end. NULL: nothing of it is left. The caller ends it, once,
 * with one of the two below. Reads and writes all bytes of the data, in parts. */
struct sw_data_beside *sw_beside_bring(const struct sw_format *, const struct sw_input *, const char *from,
                                       const char *to, struct sw_error *);
/* They stay. A line for the user when there is something to say of them, else "". */
void sw_beside_keep(struct sw_data_beside *, struct sw_error *note);
/* Take away again what was made. */
void sw_beside_drop(struct sw_data_beside *);

#endif
