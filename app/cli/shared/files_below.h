/* The files below a folder, as gate and survey look at them. */
#ifndef SW_CLI_FILES_BELOW_H
#define SW_CLI_FILES_BELOW_H

#include "base/error.h"
#include <sys/stat.h>

/* A file was found. False ends the search, and the error says why. */
typedef bool sw_file_found(void *context, const char *path, const struct stat *, struct sw_error *);

/* Each plain file below the folder, by name, without hidden ones. Links to files are followed, those to folders are
 * not: they may lead back. False: the error says why; also for folders more than 64 deep. */
bool sw_files_below(const char *folder, sw_file_found *, void *context, struct sw_error *);

#endif
