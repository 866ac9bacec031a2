#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder share/stowage beside the folder this program lies in; false when that is unknown. */
static bool beside_program(char *path, size_t size) {
    ssize_t length = readlink("/proc/self/exe", path, size);
    if (length <= 0 || (size_t)length >= size) {
        return false;
    }
    path[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (!slash) {
            return false;
        }
        *slash = '\0';
    }
    size_t used = strlen(path);
    return (size_t)snprintf(path + used, size - used, "/share/stowage") < size - used;
}

bool sw_data_path(const char *relative, char *path, size_t size, struct sw_error *error) {
    char beside[4096];
    const char *folders[] = {getenv("STOWAGE_DATA"),
                             beside_program(beside, sizeof beside) ? beside : NULL, SW_SOURCE_DIR,
                             SW_DATA_DIR};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (folders[i] && *folders[i] &&
            (size_t)snprintf(path, size, "%s/%s", folders[i], relative) < size &&
            access(path, R_OK) == 0) {
            return true;
        }
    }
    return sw_fail(error, SW_ERROR_IO,
                   "%s is not installed; STOWAGE_DATA can name the folder that holds it", relative);
}

bool sw_home_path(const char *own, const char *xdg, const char *fallback, const char *relative,
                  char *path, size_t size) {
    const char *direct = own ? getenv(own) : NULL, *folder = getenv(xdg), *home = getenv("HOME");
    if (direct && *direct) {
        return (size_t)snprintf(path, size, "%s", direct) < size;
    }
    if (folder && *folder == '/') {
        return (size_t)snprintf(path, size, "%s/%s", folder, relative) < size;
    }
    return home && *home == '/' &&
           (size_t)snprintf(path, size, "%s/%s/%s", home, fallback, relative) < size;
}
