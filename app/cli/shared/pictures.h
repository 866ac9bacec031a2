/* Pictures that compare and diff make: what their options mean, and writing them. */
#ifndef SW_CLI_PICTURES_H
#define SW_CLI_PICTURES_H

#include "cli/cli.h"
#include "export/export.h"
#include "view/pages/runs.h"

/* Does the name of -o ask for a picture? False, after an error: an option is there that does nothing. */
bool sw_picture_asked(const struct sw_cli *, bool *picture, struct sw_error *);
/* "table.svg" is the name of a picture, "table.csv", "-" and NULL are not. */
bool sw_picture_named(const char *path);
/* Does --dpi, if it is given, mean something? False, after an error: it does not. */
bool sw_picture_takes_dpi(const struct sw_cli *, bool png, struct sw_error *);
/* Title and size as the options say; how fine it is drawn depends on how much there is to draw. */
struct sw_runs_page sw_picture_page(const struct sw_cli *, const struct sw_problem *);
/* Draw the page to -o, and free it. */
bool sw_picture_write(const struct sw_cli *, struct sw_scene *, struct sw_error *);

/* ---- export: its pictures, which fit draws as well ---- */

/* What comes of an export: one picture (or one document), or pictures of several steps. */
enum sw_export_way { SW_EXPORT_ONE, SW_EXPORT_FILM, SW_EXPORT_FRAMES, SW_EXPORT_ANIMATION };
enum sw_export_way sw_export_way(const struct sw_cli *);

/* The input of a picture of the search where it stands, as --highlight, --time and --address say. */
bool sw_export_look(const struct sw_cli *, struct sw_search *, uint64_t digest, struct sw_view_input *,
                    struct sw_error *);
struct sw_export sw_export_options(const struct sw_cli *);

/* The three ways that show several steps. The search is moved. `fault`: why it has no plan at its end, or
 * NULL. */
bool sw_export_steps(const struct sw_cli *, struct sw_search *, uint64_t digest, const char *fault, struct sw_error *);

#endif
