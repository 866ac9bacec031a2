/* Commands that hold one run against another: the options of each. */
#ifndef SW_CLI_SIDES_H
#define SW_CLI_SIDES_H

#include "cli/options.h"

/* The command line of one side: those options of a run that are told of both, and, stronger, of this one (1: old, 2:
 * new). `kept`, which is weaker than both, comes from a file; NULL. Its options are in `own->told`, without a side.
 * sw_cli_side_done in any case. False: the error says why. */
bool sw_cli_side(const struct sw_cli *, unsigned side, const struct sw_told *kept, size_t count, struct sw_cli *own,
                 struct sw_error *);
void sw_cli_side_done(struct sw_cli *own);
/* Is everything the same on both that is not about how the model is read? */
bool sw_cli_sides_alike(const struct sw_cli *, const struct sw_cli *);

#endif
