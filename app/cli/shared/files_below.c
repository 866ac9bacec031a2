#include "cli/shared/files_below.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST_FOLDER = 64 };

struct folder_walk {
    sw_file_found *found;
    void *context;
    struct sw_error *error;
};

static int is_not_hidden(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static bool fail_at_folder(const struct folder_walk *walk, const char *folder, const char *what, const char *why) {
    sw_fail(walk->error, SW_ERROR_IO, "%s%s", what, why);
    sw_error_at(walk->error, folder, 0, 0);
    return false;
}

static bool walk_folder(const struct folder_walk *walk, const char *folder, unsigned depth);

static bool walk_entry(const struct folder_walk *walk, const char *folder, const char *name, unsigned depth) {
    char path[4096];
    struct stat about, link;
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    if (snprintf(path, sizeof path, "%s%s%s", folder, slash, name) >= (int)sizeof path) {
        return fail_at_folder(walk, folder, "a name in this folder is too long", "");
    }
    if (stat(path, &about) != 0 || lstat(path, &link) != 0) {
        return true; /* it is gone, or a link that leads nowhere */
    }
    if (S_ISREG(about.st_mode)) {
        return walk->found(walk->context, path, &about, walk->error);
    }
    return !S_ISDIR(link.st_mode) || walk_folder(walk, path, depth + 1);
}

static bool walk_folder(const struct folder_walk *walk, const char *folder, unsigned depth) {
    struct dirent **entries;
    if (depth > DEEPEST_FOLDER) {
        return fail_at_folder(walk, folder, "this folder lies too deep", "");
    }
    int count = scandir(folder, &entries, is_not_hidden, alphasort);
    if (count < 0) {
        return fail_at_folder(walk, folder, "cannot read this folder: ", strerror(errno));
    }
    bool good = true;
    for (int i = 0; i < count; i++) {
        good = good && walk_entry(walk, folder, entries[i]->d_name, depth);
        free(entries[i]); /* scandir's own, from malloc */
    }
    free(entries);
    return good;
}

bool sw_files_below(const char *folder, sw_file_found *found, void *context, struct sw_error *error) {
    return walk_folder(&(struct folder_walk){found, context, error}, folder, 0);
}
