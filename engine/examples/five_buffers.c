/* Five buffers from memory, planned by greedy-by-size: each decision with its reason, then offsets.
 *     cc five_buffers.c $(pkg-config --cflags --libs stowage) && ./a.out */
#include <inttypes.h>
#include <stdio.h>
#include <stowage.h>
/* Alive from step `first` to step `last`, both inside. */
static const struct { const char *name; int first, last; unsigned bytes; } list[] = {
    {"input", 0, 1, 600}, {"conv", 1, 2, 900}, {"skip", 1, 4, 300}, {"relu", 2, 3, 900}, {"sum", 3, 4, 600}};
enum { COUNT = sizeof list / sizeof *list };
int main(void) {
    struct sw_error error = {0}; /* the first failure, as a sentence */
    struct sw_builder *builder = sw_builder_new(&error);
    bool ok = builder && sw_builder_alignment(builder, 64, &error);
    for (int i = 0; ok && i < COUNT; i++) {
        struct sw_buffer_spec spec = {.name = list[i].name, .kind = SW_KIND_INTERMEDIATE, .has_size = true, .size = list[i].bytes,
                                      .has_first = true, .first = list[i].first, .has_last = true, .last = list[i].last};
        ok = sw_builder_buffer(builder, &spec, &error);
    }
    struct sw_problem *problem = ok ? sw_builder_finish(builder, &error) : NULL;
    const struct sw_planner *planner = problem ? sw_planner_find("greedy-by-size", &error) : NULL;
    struct sw_search *search = planner ? sw_search_new(problem, planner, NULL, &error) : NULL;
    enum sw_step step = search ? SW_STEP_MORE : SW_STEP_FAILED;
    while (step == SW_STEP_MORE && (step = sw_search_step(search, &error)) == SW_STEP_MORE) {
        char sentence[300];
        sw_decision_describe(problem, sw_search_decision(search), sentence, sizeof sentence);
        puts(sentence);
    }
    for (uint32_t i = 0; step == SW_STEP_DONE && i < COUNT; i++) {
        struct sw_placement place;
        sw_layout_placement(sw_search_layout(search), i, 0, &place);
        printf("%-6s at %5" PRIu64 "\n", list[i].name, place.offset);
    }
    if (step == SW_STEP_DONE)
        printf("peak %" PRIu64 ", at least %" PRIu64 "\n", sw_layout_peak(sw_search_layout(search)), sw_problem_lower_bound(problem));
    else
        fprintf(stderr, "%s\n", error.message);
    sw_search_free(search), sw_problem_unref(problem), sw_builder_free(builder); /* NULL is allowed in all three */
    return step != SW_STEP_DONE;
}
