/* Which models a gate is for: files, all models below a folder, or those of the baseline. */
#include "base/base.h"
#include "base/sort.h"
#include "cli/gate/gate.h"
#include "cli/shared/files_below.h"

struct path_search {
    struct sw_gate_paths *paths;
    struct sw_baseline *baseline;
    struct sw_error *error;
};

static bool add_gate_path(struct path_search *s, const char *path) {
    const char *kept = sw_arena_string(&s->paths->arena, path, strlen(path)),
               *name = kept ? sw_baseline_name(s->baseline, path) : NULL;
    bool there = false;
    for (size_t i = 0; name && !there && i < s->paths->items.count; i++) {
        there = strcmp(s->paths->items.items[i].name, name) == 0;
    }
    return (name && (there || SW_PUSH(&s->paths->items, (struct sw_gate_path){kept, name}))) ||
           sw_fail_memory(s->error);
}

/* Does a reader know it by its content? What cannot be opened is no model. */
static bool names_model(const char *path) {
    struct sw_input input;
    struct sw_error why = {0};
    bool is = false;
    if (sw_input_open(path, &input, &why)) {
        for (size_t i = 0; !is && i < sw_format_count(); i++) {
            is = sw_format_is(sw_format_get(i), &input);
        }
        sw_input_close(&input);
    }
    return is;
}

/* The baseline may lie in the folder itself. */
static bool add_if_model(void *context, const char *path, const struct stat *about, struct sw_error *error) {
    struct path_search *s = context;
    (void)about, (void)error;
    bool other = sw_may_write(path, &s->baseline->path, 1, &(struct sw_error){0});
    return !other || !names_model(path) || add_gate_path(s, path);
}

static bool is_listed(const struct sw_gate_paths *paths, const char *name) {
    bool is = false;
    for (size_t i = 0; !is && i < paths->items.count; i++) {
        is = strcmp(paths->items.items[i].name, name) == 0;
    }
    return is;
}

/* Of the baseline, what lies in the folder ("" is all) and was not found there. */
static bool mark_gone(struct path_search *s, const char *folder) {
    const char *name = *folder ? sw_baseline_name(s->baseline, folder) : "";
    size_t length = name ? strlen(name) : 0;
    for (size_t i = 0; name && i < s->baseline->kept.count; i++) {
        struct sw_gate_kept *kept = &s->baseline->kept.items[i];
        bool inside = length == 0 || (strncmp(kept->name, name, length) == 0 && kept->name[length] == '/');
        kept->gone |= inside && !is_listed(s->paths, kept->name);
    }
    return name || sw_fail_memory(s->error);
}

/* The path of a model of the baseline. */
static bool add_kept_path(struct path_search *s, const char *folder, const char *name) {
    char path[8192];
    struct stat about;
    bool relative = *name != '/' && *folder;
    snprintf(path, sizeof path, "%s%s%s", relative ? folder : "", relative ? "/" : "", name);
    return stat(path, &about) != 0 || add_gate_path(s, path);
}

static bool find_paths(struct path_search *s, const struct sw_cli *cli, const char *folder) {
    bool good = true;
    struct stat about;
    for (size_t i = 1; good && i < cli->file_count; i++) {
        const char *path = cli->files[i];
        bool is_folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
        if (strcmp(path, "-") == 0) {
            return sw_fail(s->error, SW_ERROR_USAGE, "a gate is for files: standard input has no name to keep");
        }
        good =
            is_folder ? sw_files_below(path, add_if_model, s, s->error) && mark_gone(s, path) : add_gate_path(s, path);
    }
    for (size_t i = 0; good && cli->file_count == 1 && i < s->baseline->kept.count; i++) {
        good = add_kept_path(s, folder, s->baseline->kept.items[i].name);
    }
    return good && (cli->file_count > 1 || mark_gone(s, ""));
}

bool sw_gate_paths_find(struct sw_gate_paths *paths, const struct sw_cli *cli, struct sw_baseline *baseline,
                        struct sw_error *error) {
    struct path_search s = {.paths = paths, .baseline = baseline, .error = error};
    const char *slash = strrchr(baseline->path, '/');
    char folder[4096] = "";
    *paths = (struct sw_gate_paths){.arena = {0}};
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - baseline->path) : 0, baseline->path);
    bool good = find_paths(&s, cli, folder);
    if (good && paths->items.count == 0 && cli->file_count > 1) {
        return sw_fail(error, SW_ERROR_INPUT, "no model is there");
    }
    return good;
}

void sw_gate_paths_done(struct sw_gate_paths *paths) {
    SW_ARRAY_DONE(&paths->items);
    sw_arena_done(&paths->arena);
}
