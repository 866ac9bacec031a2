#include "export/late.h"
#include "base/base.h"

#include <dlfcn.h>

#define LIBRARY "libpangocairo-1.0.so.0" /* it needs the others, so that their functions are found in it, too */

struct sw_late sw_late;

static const struct late_function {
    const char *name;
    size_t at; /* in struct sw_late */
} functions[] = {
#define X(name) {#name, offsetof(struct sw_late, name)},
#include "export/late.def"
#undef X
};

bool sw_late_load(struct sw_error *error) {
    static bool loaded;
    void *library = loaded ? NULL : dlopen(LIBRARY, RTLD_LAZY);
    bool good = loaded || library;
    for (size_t i = 0; good && !loaded && i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(library, functions[i].name);
        memcpy((char *)&sw_late + functions[i].at, &found, sizeof found);
        good = found != NULL;
    }
    loaded = good;
    const char *why = good ? NULL : dlerror();
    return good || sw_fail(error, SW_ERROR_IO, "pictures are drawn with Cairo and Pango: %s", why ? why : LIBRARY);
}
