/* Which files a survey looks at. */
#include "base/base.h"
#include "cli/survey/survey.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

enum { DEEPEST_FOLDER = 64 };

static bool fail_at_path(struct sw_error *error, const char *path, const char *what) {
    sw_fail(error, SW_ERROR_IO, "%s: %s", what, strerror(errno));
    sw_error_at(error, path, 0, 0);
    return false;
}

static bool add_model(struct sw_survey *survey, const char *path, const struct stat *about, bool named,
                      struct sw_error *error) {
    const char *kept = sw_arena_string(&survey->arena, path, strlen(path));
    struct survey_model model = {.path = kept,
                                 .named = named,
                                 .size = (uint64_t)about->st_size,
                                 .mtime = (int64_t)about->st_mtim.tv_sec * 1000000000 + about->st_mtim.tv_nsec};
    return (kept && SW_PUSH(&survey->models, model)) || sw_fail_memory(error);
}

static int is_not_hidden(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* Links to files are followed, those to folders are not: they may lead back. */
static bool walk_folder(struct sw_survey *survey, const char *folder, unsigned depth, struct sw_error *error) {
    struct dirent **entries;
    int count = scandir(folder, &entries, is_not_hidden, alphasort);
    bool good = count >= 0 || fail_at_path(error, folder, "cannot read this folder");
    for (int i = 0; i < count; i++) {
        char path[4096];
        struct stat about, link;
        int length = snprintf(path, sizeof path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/",
                              entries[i]->d_name);
        if (good && length > 0 && (size_t)length < sizeof path && stat(path, &about) == 0 && lstat(path, &link) == 0) {
            if (S_ISREG(about.st_mode)) {
                good = add_model(survey, path, &about, false, error);
            } else if (S_ISDIR(link.st_mode) && depth < DEEPEST_FOLDER) {
                good = walk_folder(survey, path, depth + 1, error);
            }
        }
        free(entries[i]); /* scandir's own, from malloc */
    }
    if (count >= 0) {
        free(entries);
    }
    return good;
}

int sw_survey_by_path(const void *of_a, const void *of_b) {
    return strcmp(((const struct survey_model *)of_a)->path, ((const struct survey_model *)of_b)->path);
}

/* What two operands have in common is looked at once. */
static void drop_twins(struct sw_survey *survey) {
    size_t kept = 0;
    for (size_t i = 0; i < survey->models.count; i++) {
        if (kept == 0 || strcmp(survey->models.items[kept - 1].path, survey->models.items[i].path) != 0) {
            survey->models.items[kept++] = survey->models.items[i];
        }
    }
    survey->models.count = kept;
}

bool sw_survey_find(struct sw_survey *survey, struct sw_error *error) {
    bool good = true;
    for (size_t i = 0; good && i < survey->cli->file_count; i++) {
        const char *path = survey->cli->files[i];
        struct stat about;
        if (stat(path, &about) != 0) {
            return fail_at_path(error, path, "cannot open");
        }
        good =
            S_ISDIR(about.st_mode) ? walk_folder(survey, path, 0, error) : add_model(survey, path, &about, true, error);
    }
    if (good && survey->models.count == 0) {
        sw_fail(error, SW_ERROR_INPUT, "there is no file below this folder");
        sw_error_at(error, survey->cli->files[0], 0, 0);
        return false;
    }
    if (good) {
        qsort(survey->models.items, survey->models.count, sizeof *survey->models.items, sw_survey_by_path);
        drop_twins(survey);
    }
    return good;
}
