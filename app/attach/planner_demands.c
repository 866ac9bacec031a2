/* What a planner is told in a file: demands, one JSON object a line; and what a person is told: the command line. */
#include "attach/child.h"

#include <inttypes.h>

static void add_demand(struct sw_sink *sink, const struct sw_child_demand *demand) {
    sw_sink_printf(sink, "{\"step\":%" PRIu64 ",\"%s\":{\"buffer\":", demand->step, demand->forbid ? "forbid" : "pin");
    sw_sink_json(sink, demand->buffer ? demand->buffer : "*");
    if (demand->tier) {
        sw_sink_printf(sink, ",\"tier\":");
        sw_sink_json(sink, demand->tier);
    }
    if (demand->forbid) {
        sw_sink_printf(sink, ",\"lo\":%" PRIu64 ",\"hi\":%" PRIu64 "}}\n", demand->lo, demand->hi);
    } else {
        sw_sink_printf(sink, ",\"offset\":%" PRIu64 "}}\n", demand->lo);
    }
}

void sw_child_demands(struct sw_sink *sink, const struct sw_child_demand *demands, size_t count) {
    for (size_t i = 0; i < count; i++) {
        add_demand(sink, &demands[i]);
    }
}

bool sw_demands_write(const char *path, const struct sw_child_demand *demands, size_t count, struct sw_error *error) {
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
