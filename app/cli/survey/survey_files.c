/* Which files a survey looks at. */
#include "base/base.h"
#include "cli/shared/files_below.h"
#include "cli/survey/survey.h"

#include <errno.h>

static bool add_model(struct sw_survey *survey, const char *path, const struct stat *about, bool named,
                      struct sw_error *error) {
    const char *kept = sw_arena_string(&survey->arena, path, strlen(path));
    struct survey_model model = {.path = kept,
                                 .named = named,
                                 .size = (uint64_t)about->st_size,
                                 .mtime = (int64_t)about->st_mtim.tv_sec * 1000000000 + about->st_mtim.tv_nsec};
    return (kept && SW_PUSH(&survey->models, model)) || sw_fail_memory(error);
}

static bool add_found(void *context, const char *path, const struct stat *about, struct sw_error *error) {
    return add_model(context, path, about, false, error);
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
            sw_fail(error, SW_ERROR_IO, "cannot open: %s", strerror(errno));
            sw_error_at(error, path, 0, 0);
            return false;
        }
        good = S_ISDIR(about.st_mode) ? sw_files_below(path, add_found, survey, error)
                                      : add_model(survey, path, &about, true, error);
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
