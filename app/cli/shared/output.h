/* What leaves the program: errors, results to a file or standard output, what scripts print. */
#ifndef SW_CLI_OUTPUT_H
#define SW_CLI_OUTPUT_H

#include "cli/cli.h"

/* Print "stowage: FILE:LINE:COLUMN: message" and return the exit status: 2, or 1 when the answer is that it cannot be
 * done. */
int sw_cli_fail(const struct sw_error *);
/* The same of what is made up here: a message, of a file or none (NULL); and of a lack of memory. */
int sw_cli_tell(enum sw_code, const char *file, const char *format, ...) __attribute__((format(printf, 3, 4)));
int sw_cli_fail_memory(void);
/* What a script prints goes to standard error: beside the results, not into them. */
void sw_cli_aside(void *context, const char *line);

/* The format that a file name asks for; false when its extension says nothing. */
bool sw_output_of(const char *path, enum sw_output *);
/* The format of what a command prints: --format, else the extension of -o, else text. */
bool sw_cli_output(const struct sw_cli *, enum sw_output *, struct sw_error *);
/* Text for a terminal, in place: control characters that came in with names become '?'. */
void sw_cli_clean(struct sw_sink *);
/* Write to -o or standard output and free the sink; the status given, or 2 after saying why. */
int sw_cli_put(const struct sw_cli *, struct sw_sink *, int status);

/* Is the file none of those that the command line names to be read? */
bool sw_cli_spares(const struct sw_cli *, const char *path, struct sw_error *);

#endif
