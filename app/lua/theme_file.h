/* Themes from Lua files: data without a single function. What a theme is stands in view/scene/theme.h. */
#ifndef SW_LUA_THEME_FILE_H
#define SW_LUA_THEME_FILE_H

#include "base/error.h"
#include "view/scene/theme.h"

/* By name from the shipped themes, or from a path that ends in .lua. Errors carry file and line. */
bool sw_theme_load(const char *name_or_path, struct sw_theme *, struct sw_error *);
/* Its file. */
bool sw_theme_path(const char *name_or_path, char *path, size_t size, struct sw_error *);
/* The names of the shipped ones, NULL-ended, static. */
const char *const *sw_theme_names(void);

#endif
