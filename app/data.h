/* Where to find what ships with the program: models, themes, scripts. */
#ifndef SW_DATA_H
#define SW_DATA_H

#include "base/error.h"

#include <stddef.h>

/* The path of something that ships ("scripts/models", "themes"): below $STOWAGE_DATA, the folder share/stowage that is
 * beside the program or up to two folders above it (in a build folder it leads to the sources), or where it was to be
 * installed; the first of them that has it. False, with a message that names it, when none does. */
bool sw_data_path(const char *relative, char *path, size_t size, struct sw_error *);

/* Where the user's own files are: in $OWN, when OWN is not NULL and it is set; else in $XDG, when it is an
 * absolute path, or $HOME/FALLBACK, and there at `relative`. False when none of them is set. */
bool sw_home_path(const char *own, const char *xdg, const char *fallback, const char *relative, char *path,
                  size_t size);

#endif
