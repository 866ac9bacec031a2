/* The ':' prompt from the inside: for prompt.c, complete.c and those that draw it or keep its history. */
#ifndef SW_COMMAND_PROMPT_H
#define SW_COMMAND_PROMPT_H

#include "command/state.h"

struct sw_prompt {
    char text[1024];
    size_t length, at; /* in bytes */
    SW_ARRAY(char *) history;
    size_t recalled;  /* index into history; count = the line being typed */
    char typed[1024]; /* that line, while an older one is shown */
    size_t fresh;     /* lines of the history that are not in the file yet */
    /* A paste: where it began, and that it has no room. */
    bool pasting, overfull;
    size_t pasted_at;
    /* Tab goes through what the line can become, as long as it is as Tab left it. */
    bool tabbing, lists;                 /* lists: what may come next is on the screen */
    char tabbed[1024];                   /* the line when Tab was first pressed, up to the caret */
    size_t tab_length, tab_at, tab_pick; /* as Tab left it; which possibility that is, from 1 */
};

enum { SW_HISTORY = 500 };                                     /* lines at most */
bool sw_prompt_remember(struct sw_prompt *, const char *line); /* in the history */
void sw_prompt_close_list(struct sw_session *);                /* if there is one */
void sw_prompt_complete(struct sw_session *, bool forward);
bool sw_prompt_continues(char byte);                      /* is it inside of a character? */
void sw_prompt_set(struct sw_prompt *, const char *text); /* the caret behind it */
void sw_prompt_insert(struct sw_prompt *, const char *text);
void sw_prompt_cut(struct sw_prompt *, size_t from, size_t to);

#endif
