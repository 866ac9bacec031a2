#include "data.h"
#include "base/base.h"

#include <unistd.h>

/* From how many folders above the program share/stowage is looked for: build/stowage has it beside it (meson makes a
 * link to the sources there), PREFIX/bin/stowage one folder up, and the tests' build/tests/unit/NAME two. */
enum { FOLDERS_UP = 3 };

static bool readable(const char *folder, const char *relative, char *path, size_t size) {
    return folder && *folder && (size_t)snprintf(path, size, "%s/%s", folder, relative) < size &&
           access(path, R_OK) == 0;
}

/* Below the share/stowage that is nearest to this program. No path of the sources is in the program itself, which may
 * be built on one machine and used on another. */
static bool beside_program(const char *relative, char *path, size_t size) {
    char program[PATH_MAX], share[PATH_MAX], folder[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    if (length <= 0 || (size_t)length >= sizeof program) {
        return false;
    }
    program[length] = '\0';
    for (int up = 0; up < FOLDERS_UP; up++) {
        char *slash = strrchr(program, '/');
        if (!slash) {
            return false;
        }
        *slash = '\0';
        if ((size_t)snprintf(share, sizeof share, "%s/share/stowage", program) < sizeof share &&
            realpath(share, folder) && readable(folder, relative, path, size)) {
            return true;
        }
    }
    return false;
}

bool sw_data_path(const char *relative, char *path, size_t size, struct sw_error *error) {
    return readable(getenv("STOWAGE_DATA"), relative, path, size) || beside_program(relative, path, size) ||
           readable(SW_DATA_DIR, relative, path, size) ||
           sw_fail(error, SW_ERROR_IO, "%s is not installed; STOWAGE_DATA can name the folder that holds it", relative);
}

bool sw_home_path(const char *own, const char *xdg, const char *fallback, const char *relative, char *path,
                  size_t size) {
    const char *direct = own ? getenv(own) : NULL, *folder = getenv(xdg), *home = getenv("HOME");
    if (direct && *direct) {
        return (size_t)snprintf(path, size, "%s", direct) < size;
    }
    if (folder && *folder == '/') {
        return (size_t)snprintf(path, size, "%s/%s", folder, relative) < size;
    }
    return home && *home == '/' && (size_t)snprintf(path, size, "%s/%s/%s", home, fallback, relative) < size;
}
