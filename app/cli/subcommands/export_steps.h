/* What the files of `stowage export` share. */
#ifndef SW_CLI_EXPORT_H
#define SW_CLI_EXPORT_H

#include "cli/cli.h"
#include "export/export.h"

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
