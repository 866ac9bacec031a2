#include "command/command_log.h"
#include "base/base.h"
#include "command/state.h"

struct log_entry {
    char *line; /* owned */
    struct sw_log_stop stop;
};

struct sw_command_log {
    SW_ARRAY(struct log_entry) entries;
};

SW_SESSION_PART(command_log, SW_TEXTS_DONE(&command_log->entries, .line));

size_t sw_log_count(const struct sw_command_log *log) {
    return log->entries.count;
}

const char *sw_log_last(const struct sw_command_log *log) {
    return log->entries.items[log->entries.count - 1].line;
}

/* How many steps a line of `step` or `back` is: without a number one. */
static bool read_steps(const char *line, unsigned long long *count) {
    line += strcspn(line, " ");
    *count = 1;
    return !*line || sscanf(line, "%llu", count) == 1;
}

static bool merge_steps(struct sw_command_log *log, const char *line) {
    struct log_entry *last = log->entries.count ? &log->entries.items[log->entries.count - 1] : NULL;
    const struct sw_command *command = sw_command_of(line);
    unsigned long long old, more;
    char both[48];
    if ((command != &sw_commands[SW_DO_step] && command != &sw_commands[SW_DO_back]) || !last || last->stop.stopped ||
        sw_command_of(last->line) != command || !read_steps(last->line, &old) || !read_steps(line, &more) ||
        old + more > UINT32_MAX) {
        return false;
    }
    snprintf(both, sizeof both, "%s %llu", command->name, old + more);
    char *copy = sw_state_copy(both);
    if (copy) {
        sw_state_drop(last->line);
        last->line = copy;
    }
    return copy != NULL;
}

bool sw_log_add(struct sw_command_log *log, const char *line, bool merge, struct sw_error *error) {
    if (merge && merge_steps(log, line)) {
        return true;
    }
    const struct log_entry entry = {.line = sw_state_copy(line)};
    if (!entry.line || !SW_PUSH(&log->entries, entry)) {
        sw_state_drop(entry.line);
        return sw_fail_memory(error);
    }
    return true;
}

void sw_log_stopped(struct sw_command_log *log, struct sw_log_stop stop) {
    log->entries.items[log->entries.count - 1].stop = stop;
}

/* The length of a command and its first word, which may be quoted. */
static size_t first_words(const char *line) {
    size_t at = strcspn(line, " ");
    at += strspn(line + at, " ");
    for (bool quoted = false; line[at] && (quoted || line[at] != ' '); at++) {
        if (quoted && line[at] == '\\' && line[at + 1]) {
            at++;
        } else if (line[at] == '"') {
            quoted = !quoted;
        }
    }
    return at;
}

char *sw_log_line(const struct sw_command_log *log, size_t i, const struct sw_log_stop *running, bool *until,
                  uint64_t *until_at) {
    const struct log_entry *entry = &log->entries.items[i];
    bool runs = running && i + 1 == log->entries.count;
    const struct sw_log_stop *stop = runs ? running : &entry->stop;
    *until = stop->stopped && stop->made_branch && !(sw_command_of(entry->line)->flags & SW_COMMAND_COUNTS);
    *until_at = stop->at;
    if (!stop->stopped || *until) {
        return sw_state_copy(entry->line);
    }
    struct sw_sink text = {0};
    if (stop->made_branch) {
        sw_sink_printf(&text, "%.*s", (int)first_words(entry->line), entry->line);
    } else {
        sw_sink_printf(&text, "goto");
    }
    sw_sink_printf(&text, " %" PRIu64, stop->at);
    const char *ended = sw_sink_ended(&text);
    char *line = ended ? sw_state_copy(ended) : NULL;
    sw_sink_done(&text);
    return line;
}

uint64_t sw_log_mark(const struct sw_command_log *log, uint64_t seed) {
    uint64_t mark = sw_fold(seed, log->entries.count);
    if (log->entries.count > 0) {
        const struct log_entry *last = &log->entries.items[log->entries.count - 1];
        mark = sw_fold_bytes(mark, last->line, strlen(last->line));
        mark = sw_fold(mark, last->stop.stopped ? last->stop.at + 1 : 0);
    }
    return mark;
}
