/* The user's config: a Lua file that returns a table of settings of the explorer.
 *
 * It runs in the sandbox of script.h. This reads what it says; whether there is such a command or pane is
 * for its users to say, with the line that stands here. */
#ifndef SW_LUA_CONFIG_H
#define SW_LUA_CONFIG_H

#include "formats/format.h"

enum sw_said { SW_UNSAID, SW_NO, SW_YES };

struct sw_config_key {
    char key[32];
    char line[256]; /* the command */
    bool unbind;    /* false instead of a command */
    uint32_t at;    /* line of the file */
};
struct sw_config {
    char path[4096];
    char theme[256], pane[32], map[16]; /* "": not said */
    char readers[4096];                 /* paths, each with its NUL, and an empty one at the end */
    uint32_t theme_line, pane_line, map_line, readers_line;
    enum sw_said ascii, mouse, ghosts, raw_time;
    SW_ARRAY(struct sw_config_key) keys; /* in the order of the file */
};

/* Where the config is when no other is named. False when there is none. */
bool sw_config_path(char *path, size_t size);
/* Fill a zeroed config. Errors have file and line. */
bool sw_config_read(const char *path, struct sw_config *, struct sw_error *);
bool sw_config_read_text(const char *path, const char *text, size_t length, struct sw_config *, struct sw_error *);
void sw_config_done(struct sw_config *);

#endif
