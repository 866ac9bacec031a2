/* What the files of this folder have for others: the texts that fill the screen, the prompt, the hints. */
#ifndef SW_COMMAND_SCREEN_H
#define SW_COMMAND_SCREEN_H

#include "command/state.h"

/* hints.c: the keys that matter now, most useful first; help and quit last. */
enum { SW_HINTS = 40 };
struct sw_hints {
    struct sw_hint list[SW_HINTS];
    char keys[SW_HINTS][16];
    size_t count;
};
void sw_hints_now(struct sw_session *, struct sw_hints *);

/* text_page.c */
void sw_page_begin(struct sw_session *, const char *title); /* an empty one, which is shown */
void sw_page_add(struct sw_session *, enum sw_style, const char *line);
/* A page of what a sink holds, which is freed. */
bool sw_page_text(struct sw_session *, const char *title, struct sw_sink *, struct sw_error *);
void sw_page_end(struct sw_session *); /* to its last line */

/* complete.c */
void sw_prompt_list(struct sw_session *); /* say what may come next */

/* prompt.c */
void sw_prompt_open(struct sw_session *, const char *text);
void sw_prompt_clear(struct sw_prompt *); /* of its line; the history stays */

#endif
