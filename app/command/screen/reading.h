/* A text that fills the screen, the help or a page, how far it is scrolled and what is looked for in it: for the files
 * of this folder. */
#ifndef SW_COMMAND_READING_H
#define SW_COMMAND_READING_H

#include "command/state.h"

struct sw_page {
    char title[120];
    struct sw_text_lines lines;
};

/* What is looked for: text_search.c. */
struct sw_seek {
    bool asking;           /* the prompt is open for it */
    char needle[80];       /* "": nothing */
    size_t at;             /* the row that was found; SIZE_MAX: none yet */
    int by;                /* matches to go on, or back, when it is drawn next */
    SW_ARRAY(size_t) rows; /* all that match, as last drawn */
};

struct sw_screenful {
    bool paging; /* `page` is shown, not the help */
    struct sw_page page;
    char topic[40];   /* of the help; "": all */
    size_t top, room; /* rows above; rows of a screenful, as last drawn */
    struct sw_seek seek;
};

/* text_search.c */
void sw_seek_answer(struct sw_session *, const char *text);
void sw_seek_close(struct sw_session *);
void sw_seek_forget(struct sw_session *);
bool sw_seek_key(struct sw_session *, const char *key); /* false: not for it */
/* While rows are drawn: before them; each text of row `row`, true where the row is the one that was found; after
 * them, true when the top of the text has moved and it is to be drawn again. */
void sw_seek_begin(struct sw_session *);
bool sw_seek_row(struct sw_session *, size_t row, const char *text);
bool sw_seek_settle(struct sw_session *, size_t room);
const char *sw_seek_text(const struct sw_session *, struct sw_scene *); /* for the footer */

/* help.c, text_page.c */
/* A text that fills the screen: all its rows, of which those from the top on, as many as there is room for, become part
 * of the panel. How many there are. */
typedef size_t sw_rows_fn(struct sw_session *, struct sw_scene *, struct sw_panel *, size_t room);
void sw_screenful_scene(struct sw_session *, struct sw_scene *, double width, double height, const char *title,
                        const char *id, sw_rows_fn *);
void sw_help_scene(struct sw_session *, struct sw_scene *, double width, double height);
void sw_page_scene(struct sw_session *, struct sw_scene *, double width, double height);
/* A line over the whole width, as a panel of its own. */
void sw_page_line(struct sw_scene *, const char *id, double top, double width, enum sw_style, const char *text);

#endif
