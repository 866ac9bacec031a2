// Five buffers from memory, planned by greedy-by-size: each decision with its reason, then offsets.
//     c++ -std=c++17 five_buffers.cpp $(pkg-config --cflags --libs stowage) && ./a.out
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <stowage.h>
static sw_error error; // the first failure, as a sentence
template <typename T> static T must(T result) { return result ? result : throw std::runtime_error(error.message); }
template <typename T> using Owned = std::unique_ptr<T, void (*)(T *)>;
struct Buffer { const char *name; int first, last; unsigned bytes; }; // alive from step first to step last, both inside

int main() try {
    Owned<sw_builder> builder(must(sw_builder_new(&error)), sw_builder_free);
    must(sw_builder_alignment(builder.get(), 64, &error));
    for (auto b : {Buffer{"input", 0, 1, 600}, {"conv", 1, 2, 900}, {"skip", 1, 4, 300}, {"relu", 2, 3, 900}, {"sum", 3, 4, 600}}) {
        sw_buffer_spec spec{};
        spec.name = b.name, spec.kind = SW_KIND_INTERMEDIATE, spec.size = b.bytes, spec.first = b.first, spec.last = b.last;
        spec.has_size = spec.has_first = spec.has_last = true;
        must(sw_builder_buffer(builder.get(), &spec, &error));
    }
    Owned<const sw_problem> problem(must(sw_builder_finish(builder.get(), &error)), sw_problem_unref);
    auto planner = must(sw_planner_find("greedy-by-size", &error));
    Owned<sw_search> search(must(sw_search_new(problem.get(), planner, nullptr, &error)), sw_search_free);
    sw_step step;
    while ((step = sw_search_step(search.get(), &error)) == SW_STEP_MORE) {
        char sentence[300];
        sw_decision_describe(problem.get(), sw_search_decision(search.get()), sentence, sizeof sentence);
        std::puts(sentence);
    }
    must(step == SW_STEP_DONE);
    auto layout = sw_search_layout(search.get());
    for (std::uint32_t i = 0; i < sw_problem_buffer_count(problem.get()); i++) {
        sw_placement place;
        sw_layout_placement(layout, i, 0, &place);
        std::printf("%-6s at %5ju\n", sw_problem_buffer(problem.get(), i)->name, std::uintmax_t{place.offset});
    }
    std::printf("peak %ju, at least %ju\n", std::uintmax_t{sw_layout_peak(layout)}, std::uintmax_t{sw_problem_lower_bound(problem.get())});
} catch (const std::exception &failure) {
    return std::fprintf(stderr, "%s\n", failure.what()), 1;
}
