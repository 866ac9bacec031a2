// Five buffers from memory, planned by greedy-by-size: each decision with its reason, then where everything lies.
//
//     c++ -std=c++17 five_buffers.cpp $(pkg-config --cflags --libs stowage) && ./a.out
#include <stowage.h>

#include <cstdint>
#include <cstdio>
#include <memory>

struct Item {
    const char *name;
    int first, last; // steps in which it is alive, both inside
    std::uint64_t size;
};
static const Item list[] = {{"input", 0, 1, 600},
                            {"conv", 1, 2, 900},
                            {"skip", 1, 4, 300},
                            {"relu", 2, 3, 900},
                            {"sum", 3, 4, 600}};

template <auto free> struct Free {
    template <typename T> void operator()(T *what) const {
        free(what);
    }
};
using Builder = std::unique_ptr<sw_builder, Free<sw_builder_free>>;
using Problem = std::unique_ptr<const sw_problem, Free<sw_problem_unref>>;
using Search = std::unique_ptr<sw_search, Free<sw_search_free>>;

static int plan(sw_error &error) {
    Builder builder(sw_builder_new(&error));
    bool ok = builder && sw_builder_alignment(builder.get(), 64, &error);
    for (const Item &item : list) {
        sw_buffer_spec spec{};
        spec.name = item.name;
        spec.kind = SW_KIND_INTERMEDIATE;
        spec.has_size = spec.has_first = spec.has_last = true;
        spec.size = item.size;
        spec.first = item.first;
        spec.last = item.last;
        ok = ok && sw_builder_buffer(builder.get(), &spec, &error);
    }
    Problem problem(ok ? sw_builder_finish(builder.get(), &error) : nullptr);
    Search search(problem ? sw_search_new(problem.get(), sw_planner_find("greedy-by-size", &error),
                                          nullptr, &error)
                          : nullptr);
    sw_step step = search ? SW_STEP_MORE : SW_STEP_FAILED;
    while (step == SW_STEP_MORE && (step = sw_search_step(search.get(), &error)) == SW_STEP_MORE) {
        char sentence[300];
        sw_decision_describe(problem.get(), sw_search_decision(search.get()), sentence,
                             sizeof sentence);
        std::printf("%s\n", sentence);
    }
    if (step != SW_STEP_DONE) {
        return 1;
    }
    const sw_layout *layout = sw_search_layout(search.get());
    for (std::uint32_t i = 0; i < sw_problem_buffer_count(problem.get()); i++) {
        sw_placement place;
        sw_layout_placement(layout, i, 0, &place);
        std::printf("%-6s at %5llu\n", list[i].name, static_cast<unsigned long long>(place.offset));
    }
    std::printf("peak %llu, at least %llu\n",
                static_cast<unsigned long long>(sw_layout_peak(layout)),
                static_cast<unsigned long long>(sw_problem_lower_bound(problem.get())));
    return 0;
}

int main() {
    sw_error error{};
    int status = plan(error);
    if (status) {
        std::fprintf(stderr, "%s\n", error.message);
    }
    return status;
}
