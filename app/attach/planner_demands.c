/* What a planner is told in a file: demands, one JSON object a line; and what a person is told: the command line. */
#include "attach/child.h"
#include "formats/text/json_write.h"

static void put_demand(struct sw_sink *sink, const struct sw_demand *demand) {
    struct sw_json_out json = {.out = sink};
    sw_put_object(&json, NULL);
    sw_put_count(&json, "step", demand->step);
    sw_put_object(&json, demand->forbid ? "forbid" : "pin");
    sw_put_text(&json, "buffer", demand->buffer ? demand->buffer : "*");
    if (demand->tier) {
        sw_put_text(&json, "tier", demand->tier);
    }
    if (demand->forbid) {
        SW_PUT_COUNTS(&json, {"lo", demand->lo}, {"hi", demand->hi});
    } else {
        sw_put_count(&json, "offset", demand->lo);
    }
    sw_put_end(&json);
    sw_put_end(&json);
}

void sw_child_demands(struct sw_sink *sink, const struct sw_demand *demands, size_t count) {
    for (size_t i = 0; i < count; i++) {
        put_demand(sink, &demands[i]);
    }
}

bool sw_demands_write(const char *path, const struct sw_demand *demands, size_t count, struct sw_error *error) {
    struct sw_sink sink = {0};
    sw_child_demands(&sink, demands, count);
    bool good = sw_sink_commit(&sink, path, error);
    sw_sink_done(&sink);
    return good;
}

void sw_child_command_line(struct sw_sink *sink, const char *const *argv) {
    for (size_t i = 0; argv[i]; i++) {
        sw_sink_add(sink, " ", i > 0);
        sw_sink_argument(sink, argv[i]);
    }
}
