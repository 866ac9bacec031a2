/* What every decision says: for each planner, every kind it makes, in a sentence of its own with
 * names and figures. A kind that a run makes and that has no row here fails, and so does a row that
 * no run makes; so a new kind, or a new planner, needs its sentence. */
#include "unit/formats.h"
#include "planners/planner.h"
#include "unit/sentence_scenes.h"

/* ---- the tests ---- */

static struct sw_problem *read_scene(const struct scene *scene) {
    struct sw_load_options options = {.inplace_safe = scene->inplace};
    return read_options(scene->input, &options);
}

static struct sw_search *begin(const struct scene *scene, const struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_params params = {.seed = 1};
    for (size_t i = 0; i < COUNT(scene->settings) && scene->settings[i][0]; i++) {
        assert_true(sw_params_set(&params, scene->settings[i][0], scene->settings[i][1], &error));
    }
    struct sw_search *search = sw_search_new(problem, sw_planner_find(scene->planner, &error), &params, &error);
    if (!search) {
        fail_msg("%s: %s", scene->planner, error.message);
    }
    sw_params_done(&params);
    return search;
}

static size_t row_of(const struct scene *scene, const char *kind) {
    for (size_t i = 0; i < COUNT(scene->rows) && scene->rows[i].kind; i++) {
        if (strcmp(scene->rows[i].kind, kind) == 0) {
            return i;
        }
    }
    fail_msg("%s makes a decision '%s', and its sentence is tested nowhere", scene->planner, kind);
    return 0;
}

/* No bare kind as the verb, nothing missing, no two colons, and figures that are figures. */
static void check_sentence(const char *planner, const char *kind, const char *text) {
    size_t length = strlen(kind);
    const char *colon = strstr(text, ": ");
    bool bare = strncmp(text, kind, length) == 0 && !(text[length] >= 'a' && text[length] <= 'z');
    if (bare || strlen(text) < 12 || !strchr(text, ' ') || strstr(text, "  ") || strstr(text, " :") ||
        strstr(text, "nan") || strstr(text, "4294967295") || strstr(text, "18446744073709551615") ||
        (colon && strstr(colon + 2, ": "))) {
        fail_msg("%s, %s: '%s' is no sentence", planner, kind, text);
    }
}

static void check_candidates(const char *planner, const char *kind, const struct sw_explanation *explanation) {
    for (size_t i = 0; i < explanation->candidates.count; i++) {
        const char *reason = explanation->candidates.items[i].reason;
        if (strlen(reason) < 5 || strstr(reason, "  ") || strstr(reason, " 1 blocks") ||
            strlen(reason) + 1 == sizeof explanation->candidates.items[i].reason) {
            fail_msg("%s, %s, candidate %zu: '%s'", planner, kind, i + 1, reason);
        }
    }
}

static void check_scene(const struct scene *scene) {
    struct sw_problem *problem = read_scene(scene);
    struct sw_search *search = begin(scene, problem);
    struct sw_explanation explanation = {0};
    bool met[COUNT(scene->rows)] = {false}, also[COUNT(scene->also)] = {false};
    while (sw_search_step_explained(search, &explanation, NULL) == SW_STEP_MORE) {
        const struct sw_decision *d = &explanation.decision;
        const char *kind = sw_decision_word((enum sw_decision_kind)d->kind);
        char text[1024], cut[8];
        int length = sw_decision_describe(sw_search_problem(search), d, text, sizeof text);
        size_t row = row_of(scene, kind);
        if (!met[row] && strcmp(text, scene->rows[row].sentence) != 0) {
            fail_msg("%s, %s\nsays   '%s'\nwanted '%s'", scene->planner, kind, text, scene->rows[row].sentence);
        }
        met[row] = true;
        for (size_t i = 0; i < COUNT(also) && scene->also[i]; i++) {
            also[i] |= strcmp(scene->also[i], text) == 0;
        }
        assert_int_equal(length, strlen(text));
        assert_int_equal(sw_decision_describe(sw_search_problem(search), d, cut, sizeof cut), length);
        check_sentence(scene->planner, kind, text);
        check_candidates(scene->planner, kind, &explanation);
    }
    /* A request that is refused in the end is no accident here. */
    assert_true(sw_search_complete(search) || sw_search_planner(search)->reserves);
    for (size_t i = 0; i < COUNT(scene->rows) && scene->rows[i].kind; i++) {
        if (!met[i]) {
            fail_msg("%s makes no decision '%s'", scene->planner, scene->rows[i].kind);
        }
    }
    for (size_t i = 0; i < COUNT(also) && scene->also[i]; i++) {
        if (!also[i]) {
            fail_msg("%s never says '%s'", scene->planner, scene->also[i]);
        }
    }
    sw_explanation_done(&explanation);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void sentences_of_every_planner(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(scenes); i++) {
        check_scene(&scenes[i]);
    }
}

static void every_planner_and_every_kind_is_there(void **state) {
    bool said[SW_DECISION_KIND_COUNT] = {false};
    (void)state;
    for (size_t p = 0; p < sw_planner_count(); p++) {
        bool there = false;
        for (size_t i = 0; i < COUNT(scenes); i++) {
            there |= strcmp(sw_planner_get(p)->name, scenes[i].planner) == 0;
        }
        if (!there) {
            fail_msg("no sentence of %s is tested", sw_planner_get(p)->name);
        }
    }
    for (size_t i = 0; i < COUNT(scenes); i++) {
        for (size_t r = 0; r < COUNT(scenes[i].rows) && scenes[i].rows[r].kind; r++) {
            for (int k = 0; k < SW_DECISION_KIND_COUNT; k++) {
                said[k] |= strcmp(sw_decision_word((enum sw_decision_kind)k), scenes[i].rows[r].kind) == 0;
            }
        }
    }
    for (int k = 0; k < SW_DECISION_KIND_COUNT; k++) {
        if (!said[k]) {
            fail_msg("no planner's '%s' is tested", sw_decision_word((enum sw_decision_kind)k));
        }
    }
}

/* ---- the table of decisions ---- */

static bool is_text(const struct sw_operand *o) {
    return o->type == SW_OPERAND_buffer || o->type == SW_OPERAND_text;
}

/* Conditions call an operand by its name alone, whatever the kind. */
static void operands_of_one_name_are_of_one_sort(void **state) {
    (void)state;
    for (int k = 0; k < SW_DECISION_KIND_COUNT; k++) {
        for (const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)k); o->name; o++) {
            const struct sw_operand *first = sw_decision_operand_named(o->name);
            if (is_text(first) != is_text(o)) {
                fail_msg("%s of %s is a text, or a number, unlike that of another kind", o->name,
                         sw_decision_word((enum sw_decision_kind)k));
            }
        }
    }
}

/* Give each operand a value, or take it away. */
static void fill(struct sw_decision *d, bool present) {
    static const struct sw_before_after change = {3, 2};
    sw_decision_become(d, (enum sw_decision_kind)d->kind);
    for (const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)d->kind); present && o->name; o++) {
        void *at = (char *)d + ((const char *)sw_decision_at(d, o) - (const char *)d);
        switch (o->type) {
        case SW_OPERAND_buffer:
        case SW_OPERAND_index:
            *(uint32_t *)at = 0;
            break;
        case SW_OPERAND_count:
        case SW_OPERAND_bytes:
            *(uint64_t *)at = 1;
            break;
        case SW_OPERAND_flag:
            *(bool *)at = true;
            break;
        case SW_OPERAND_change:
            *(struct sw_before_after *)at = change;
            break;
        case SW_OPERAND_score:
            *(double *)at = 1.5;
            break;
        case SW_OPERAND_text:
            *(const char **)at = "act";
            break;
        }
    }
}

/* A template that names what there is not would say the word of the kind and nothing else. */
static void every_template_names_what_there_is(void **state) {
    struct sw_builder *builder = sw_builder_new(NULL);
    struct sw_buffer_spec spec = {.name = "b0",
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = 8,
                                  .has_first = true,
                                  .has_last = true,
                                  .last = 1};
    struct sw_decision d;
    char text[600], dry[256];
    (void)state;
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    struct sw_problem *problem = sw_builder_finish(builder, NULL);
    assert_non_null(problem);
    sw_builder_free(builder);
    for (int k = 0; k < SW_DECISION_KIND_COUNT; k++) {
        sw_decision_clear(&d);
        d.kind = (uint16_t)k;
        d.buffer = d.tier = d.time = 0;
        d.size = 8;
        d.reason = "why {} did";
        d.subject = "it";
        snprintf(dry, sizeof dry, "%s b0", sw_decision_word((enum sw_decision_kind)k));
        for (int present = 0; present < 2; present++) {
            fill(&d, present);
            sw_decision_describe(problem, &d, text, sizeof text);
            if (strpbrk(text, "{}?~#") || (present && strncmp(text, dry, strlen(dry)) == 0)) {
                fail_msg("'%s' says '%s'", dry, text);
            }
        }
        double number;
        fill(&d, true);
        for (const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)k); o->name; o++) {
            assert_true(sw_decision_value(&d, o, &number, NULL));
        }
    }
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_of_every_planner),
        cmocka_unit_test(every_planner_and_every_kind_is_there),
        cmocka_unit_test(operands_of_one_name_are_of_one_sort),
        cmocka_unit_test(every_template_names_what_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
