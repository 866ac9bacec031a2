#include "export/late.h"
#include "base/base.h"

#include <dlfcn.h>

/* A table of functions of a library. */
struct late_function {
    const char *name;
    size_t at; /* in the struct */
};

/* False, with the loader's reason, where it or one of them is not there. */
static bool load_late(const char *name, const struct late_function *functions, size_t count, void *into,
                      const char *what, struct sw_error *error) {
    void *library = dlopen(name, RTLD_LAZY);
    bool good = library != NULL;
    for (size_t i = 0; good && i < count; i++) {
        void *found = dlsym(library, functions[i].name);
        memcpy((char *)into + functions[i].at, &found, sizeof found);
        good = found != NULL;
    }
    const char *why = good ? NULL : dlerror();
    return good || sw_fail(error, SW_ERROR_IO, "%s: %s", what, why ? why : name);
}

#define LIST_LENGTH(list) (sizeof(list) / sizeof *(list))

struct sw_late sw_late;

bool sw_late_load(struct sw_error *error) {
    static const struct late_function functions[] = {
#define X(name) {#name, offsetof(struct sw_late, name)},
#include "export/late.def"
#undef X
    };
    /* It needs the others, so that their functions are found in it, too. */
    static bool loaded;
    loaded = loaded || load_late("libpangocairo-1.0.so.0", functions, LIST_LENGTH(functions), &sw_late,
                                 "pictures are drawn with Cairo and Pango", error);
    return loaded;
}

#ifdef SW_HAS_CHAFA
struct sw_chafa sw_chafa;

bool sw_late_load_chafa(struct sw_error *error) {
    static const struct late_function functions[] = {
#define X(name) {#name, offsetof(struct sw_chafa, name)},
#include "export/chafa.def"
#undef X
    };
    static bool loaded;
    loaded = loaded || load_late("libchafa.so.0", functions, LIST_LENGTH(functions), &sw_chafa,
                                 "parts of cells are drawn with Chafa", error);
    return loaded;
}
#else
bool sw_late_load_chafa(struct sw_error *error) {
    return sw_fail(error, SW_ERROR_UNSUPPORTED, "this program was built without Chafa, which draws parts of cells");
}
#endif
