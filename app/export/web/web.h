/* A page for a browser: pictures that one can point into, in one file.
 *
 * Every page is drawn as ever, but paths and texts are caught before they reach a surface, and written as SVG into the
 * text of the file: each block as a group of its own, with what it is as its <title>. It is drawn twice, in a light and
 * in a dark theme, and says both colors of everything. Beside the pictures stands what view/web knows of the runs, as
 * JSON for the page's own script (page.js). Without a script there are the pictures, their captions, and a table. */
#ifndef SW_EXPORT_WEB_H
#define SW_EXPORT_WEB_H

#include "export/drawing.h"
#include "view/web/web_data.h"

/* A color in both themes. */
struct web_ink {
    struct sw_color light, dark;
};
/* How something is painted: the text of its rule, with which it is told from others. */
struct web_look {
    char *rule;
};
/* Of one page: a block while its paths come one by one. */
struct web_block {
    char *path, *hatch;
    uint32_t fill, line, hatched; /* looks, from 1; 0: none */
};

struct sw_web {
    struct sw_theme light, dark;
    bool chosen, starts_dark; /* one of them is the user's choice, and shown at first; the dark one */
    struct sw_arena arena;
    SW_ARRAY(struct web_ink) inks;
    SW_ARRAY(struct web_look) looks;
    SW_ARRAY(struct sw_color) seen; /* what the first drawing of a page, in the dark theme, was painted with */
    size_t used;                    /* so many of them were met again by the second */
    bool second;
    SW_ARRAY(struct web_block) blocks; /* of the panel that is drawn, by mark */
    const struct sw_panel *panel;
    struct sw_web_runs runs;
    struct sw_sink body, panels, path, rule; /* the pictures; their plots as JSON; scratch */
    struct sw_scene words;                   /* texts made for titles */
    const struct sw_scene *scene;
    char *title, *family;
    uint32_t pages;
    enum sw_units units;
    uint8_t coloring; /* enum sw_coloring, as drawn */
    uint64_t base;
    bool failed;
};

/* Begin with the theme that was asked for, or with both usual ones (NULL). */
bool sw_web_open(struct sw_web *, const struct sw_theme *, struct sw_error *);
bool sw_web_add(struct sw_web *, const struct sw_scene *, struct sw_error *);
bool sw_web_write(struct sw_web *, struct sw_sink *, struct sw_error *);
void sw_web_close(struct sw_web *);

/* web_svg.c: one page, with the number of its place in the file. */
bool sw_web_draw(struct sw_web *, const struct sw_scene *, struct sw_error *);

#endif
