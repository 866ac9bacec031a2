/* Another file of the same program, which has no implementation of the recorder. */
#include "second.h"

void second_buffer(struct stowage_record *r, const char *id) {
    stowage_record_buffer(r, id, 64, 0, 1, 1);
}

void second_run(const char *path) {
    struct stowage_record *r = stowage_record_open(path, "second", NULL);
    stowage_record_decision(r, "place", "x", NULL, 0, "from %s", "the second file");
    stowage_record_close(r);
}
