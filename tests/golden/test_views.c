/* Views as text: the display list of every view for a few problems at several sizes, compared with
 * files in expected/. UPDATE_GOLDEN=1 rewrites them; look at the difference before you commit it.
 */
#include "golden/compare.h"
#include "scene_dump.h"

#include "fit/find_fit.h"
#include "formats/notes.h"
#include "planners/planner.h"
#include "view/view.h"

struct golden {
    const char *name; /* of the expected file */
    const char *model, *planner, *view;
    double width, height;
    uint64_t step; /* UINT64_MAX: the end */
    bool ghosts, paper, raw_time, zoomed;
    uint32_t selected, candidate;
    uint32_t page;
    unsigned film;     /* so many frames, from the first step to the last */
    const char *notes; /* a file for --annotate */
    enum sw_units units;
    uint64_t base;
    bool best; /* others are set beside it, and what would help */
    bool fit;  /* changes that make the model need less are looked for; with a capacity until it fits */
    uint64_t capacity;
    uint32_t fit_model;
};

#define END UINT64_MAX
#define MODELS "scripts/models/"
#define OWN "tests/golden/models/"
#define TUI "tests/tui/models/"

static const struct golden goldens[] = {
    {"screen-120x30", MODELS "mobilenet_v1_025_96.json", "greedy-by-size", "screen", 120, 30, 12, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"screen-80x24", MODELS "mobilenet_v1_025_96.json", "lifetime-best-fit", "screen", 80, 24, 40, .selected = 3,
     .candidate = SW_NONE},
    {"screen-200x60", MODELS "mobilenet_v1_025_96.json", "best-fit", "screen", 200, 60, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"screen-40x12", MODELS "example2.json", "lifetime-best-fit", "screen", 40, 12, 4, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"screen-39x12", MODELS "example2.json", "lifetime-best-fit", "screen", 39, 12, 4, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"screen-start", MODELS "example1.json", "lifetime-best-fit", "screen", 100, 20, 0, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"screen-empty", OWN "empty.csv", "first-fit", "screen", 80, 24, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"screen-one", OWN "one.csv", "first-fit", "screen", 80, 24, END, .raw_time = true, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"layout-pieces", OWN "pieces.json", "first-fit", "layout", 60, 20, END, .selected = 2, .candidate = SW_NONE},
    {"layout-grow", MODELS "example2.json", "lifetime-best-fit", "layout", 60, 20, 4, .ghosts = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"layout-ghosts", OWN "pieces.json", "greedy-by-size", "layout", 60, 20, 4, .ghosts = true, .selected = SW_NONE,
     .candidate = 0},
    {"layout-zoomed", MODELS "mobilenet_v1_025_96.json", "first-fit", "layout", 40, 10, END, .zoomed = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"live-20x5", MODELS "mobilenet_v1_025_96.json", "first-fit", "live", 20, 5, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"decision-narrow", OWN "pieces.json", "best-fit", "decision", 30, 9, 3, .selected = SW_NONE, .candidate = 0},
    {"decision-wide", OWN "pieces.json", "best-fit", "decision", 70, 24, 3, .selected = SW_NONE, .candidate = SW_NONE},
    {"decision-stays", MODELS "mobilenet_v1_025_96.json", "greedy-by-size", "decision", 70, 24, 20, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"decisions-strip", MODELS "example1.json", "lifetime-best-fit", "decisions", 80, 1, 6, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"decisions-list", MODELS "example1.json", "lifetime-best-fit", "decisions", 60, 6, 6, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"bounds", MODELS "two_tiers.json", "tier-search", "bounds", 80, 30, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"bounds-cut", MODELS "two_tiers.json", "tier-search", "bounds", 80, 4, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"conflicts", MODELS "example1.json", "first-fit", "conflicts", 40, 8, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"conflicts-merged", MODELS "mobilenet_v1_025_96.json", "first-fit", "conflicts", 40, 6, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"flow", MODELS "two_cores.lua", "greedy-by-size", "flow", 80, 22, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"flow-merged", MODELS "mobilenet_v1_025_96.json", "first-fit", "flow", 24, 12, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"flow-buffers", OWN "search.csv", "first-fit", "flow", 60, 6, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"live-reserved", OWN "requests.csv", "cuda-caching", "live", 80, 14, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"reserved", OWN "requests.csv", "cuda-caching", "reserved", 80, 20, 20, .selected = SW_NONE, .candidate = SW_NONE},
    {"reserved-arena", OWN "requests.csv", "buddy", "reserved", 60, 14, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"reserved-none", OWN "search.csv", "first-fit", "reserved", 60, 6, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"blame-reserved", OWN "requests.csv", "bfc-arena", "blame", 80, 30, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"state-reserved", OWN "requests.csv", "cuda-caching", "state", 90, 40, 20, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"state-lifetime", MODELS "example1.json", "lifetime-best-fit", "state", 60, 24, 9, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"queues", MODELS "branches.json", "lifetime-best-fit", "queues", 70, 16, 19, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"queues-start", MODELS "example2.json", "lifetime-best-fit", "queues", 45, 8, 0, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"queues-small", MODELS "example2.json", "lifetime-best-fit", "queues", 40, 4, END, .selected = 1,
     .candidate = SW_NONE},
    {"queues-none", TUI "small.json", "first-fit", "queues", 45, 8, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"page-queues", MODELS "example2.json", "lifetime-best-fit", "queues", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-queues-free", MODELS "example1.json", "lifetime-best-fit", "queues", 600, 400, 9, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"state-queue", MODELS "mobilenet_v1_025_96.json", "greedy-by-size", "state", 60, 16, 9, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"state-tokens", TUI "small.json", "token-sharing", "state", 80, 24, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"state-orders", OWN "breed.csv", "order-genetic", "state", 80, 40, 620, .selected = SW_NONE, .candidate = SW_NONE},
    {"state-segments", OWN "swap.json", "segment-genetic", "state", 80, 40, 45, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"state-farthest", OWN "swap.json", "farthest-next-use", "state", 60, 16, 5, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"state-tiers", MODELS "two_tiers.json", "tier-search", "state", 80, 20, 20, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"state-search", OWN "search.csv", "branch-and-bound", "state", 80, 40, 25, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"state-portfolio", MODELS "branches.json", "auto", "state", 80, 24, 12, .selected = SW_NONE, .candidate = SW_NONE},
    {"state-improve", MODELS "branches.json", "improve", "state", 60, 20, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"search-tree-start", OWN "search.csv", "branch-and-bound", "search-tree", 70, 12, 3, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"search-tree-inside", OWN "search.csv", "branch-and-bound", "search-tree", 90, 24, 120, .selected = 7,
     .candidate = SW_NONE},
    {"search-tree-low", OWN "search.csv", "branch-and-bound", "search-tree", 60, 3, 120, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"search-tree-end", OWN "search.csv", "branch-and-bound", "search-tree", 60, 10, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"search-tree-unneeded", OWN "one.csv", "branch-and-bound", "search-tree", 60, 6, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"search-tree-empty", OWN "empty.csv", "branch-and-bound", "search-tree", 60, 6, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"search-tree-wrong", OWN "search.csv", "first-fit", "search-tree", 60, 6, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"convergence-population", MODELS "two_tiers.json", "order-genetic", "convergence", 70, 24, 190,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"convergence-members", OWN "breed.csv", "order-genetic", "convergence", 90, 30, 620, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"convergence-moved", OWN "migrate.json", "segment-genetic", "convergence", 70, 24, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"convergence-cost", MODELS "two_tiers.json", "tier-search", "convergence", 70, 20, 30, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"convergence-search", OWN "search.csv", "branch-and-bound", "convergence", 70, 20, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"convergence-low", OWN "search.csv", "branch-and-bound", "convergence", 70, 4, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"convergence-one", OWN "one.csv", "random-order", "convergence", 60, 20, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"convergence-empty", OWN "empty.csv", "order-genetic", "convergence", 60, 20, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"convergence-wrong", OWN "search.csv", "first-fit", "convergence", 60, 20, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"cost-tiers", MODELS "two_tiers.json", "tier-search", "cost", 60, 24, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"cost-start", MODELS "two_tiers.json", "first-fit", "cost", 60, 24, 2, .selected = SW_NONE, .candidate = SW_NONE},
    {"cost-low", MODELS "two_tiers.json", "tier-search", "cost", 60, 5, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"cost-merged", MODELS "two_tiers.json", "tier-search", "cost", 3, 14, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"cost-moved", OWN "migrate.json", "segment-genetic", "cost", 60, 24, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"cost-counted", OWN "migrate.json", "farthest-next-use", "cost", 60, 24, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"cost-one", OWN "one.csv", "first-fit", "cost", 60, 20, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"cost-empty", OWN "empty.csv", "first-fit", "cost", 60, 20, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"page-search-tree", OWN "search.csv", "branch-and-bound", "search-tree", 800, 500, 120, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-convergence", MODELS "two_tiers.json", "tier-search", "convergence", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-cost", MODELS "two_tiers.json", "tier-search", "cost", 800, 500, END, .paper = true, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"text", MODELS "mobilenet_v1_025_96.json", "best-fit", "text", 80, 30, 5, .selected = 3, .candidate = SW_NONE},
    {"text-tiers", MODELS "two_tiers.json", "tier-search", "text", 60, 14, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"page-notes", MODELS "mobilenet_v1_025_96.json", "greedy-by-size", "layout", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE, .notes = "scripts/notes/review.json", .units = SW_UNITS_BYTES},
    {"page-layout", OWN "pieces.json", "best-fit", "layout", 800, 500, END, .paper = true, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"tokens", TUI "small.json", "token-sharing", "tokens", 70, 16, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"tokens-selected", TUI "small.json", "token-sharing", "tokens", 45, 16, END, .selected = 2, .candidate = SW_NONE},
    {"tokens-start", TUI "small.json", "token-sharing", "tokens", 45, 8, 0, .selected = SW_NONE, .candidate = SW_NONE},
    {"tokens-small", TUI "small.json", "token-sharing", "tokens", 40, 4, 14, .selected = 1, .candidate = SW_NONE},
    {"tokens-none", TUI "small.json", "first-fit", "tokens", 45, 8, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"token-life", TUI "small.json", "token-sharing", "token-life", 80, 16, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"token-life-selected", MODELS "cpu_npu.lua", "token-sharing", "token-life", 60, 8, END, .selected = 20,
     .candidate = SW_NONE},
    {"token-life-narrow", TUI "small.json", "token-sharing", "token-life", 36, 6, 12, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"token-life-start", TUI "small.json", "token-sharing", "token-life", 45, 6, 0, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"token-life-none", TUI "small.json", "first-fit", "token-life", 45, 6, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"block-diagram", MODELS "two_cores.lua", "first-fit", "block-diagram", 130, 20, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"block-diagram-buffers", OWN "search.csv", "first-fit", "block-diagram", 60, 6, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"sequence", OWN "breed.csv", "random-order", "sequence", 80, 20, 3, .selected = 2, .candidate = SW_NONE},
    {"sequence-none", OWN "breed.csv", "first-fit", "sequence", 60, 6, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"tokens-empty", OWN "empty.csv", "first-fit", "tokens", 45, 8, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"segments", OWN "swap.json", "segment-genetic", "segments", 70, 30, END, .selected = 2, .candidate = SW_NONE},
    {"segments-crossed", OWN "migrate.json", "segment-genetic", "segments", 90, 44, 15, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"segments-mutated", OWN "swap.json", "segment-genetic", "segments", 70, 40, 42, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"segments-low", OWN "swap.json", "segment-genetic", "segments", 43, 8, END, .selected = 1, .candidate = SW_NONE},
    {"segments-start", OWN "swap.json", "segment-genetic", "segments", 43, 20, 0, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"segments-reference", OWN "swap.json", "farthest-next-use", "segments", 50, 20, END, .selected = 0,
     .candidate = SW_NONE},
    {"segments-none", TUI "small.json", "first-fit", "segments", 45, 20, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"segments-one", OWN "one.csv", "first-fit", "segments", 45, 20, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"segments-empty", OWN "empty.csv", "first-fit", "segments", 45, 20, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"page-segments", OWN "swap.json", "segment-genetic", "segments", 800, 500, END, .paper = true, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"neighbourhood-buffer", TUI "small.json", "first-fit", "neighbourhood", 50, 24, END, .selected = 3,
     .candidate = SW_NONE},
    {"neighbourhood-operator", TUI "small.json", "first-fit", "neighbourhood", 50, 24, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"neighbourhood-low", MODELS "mobilenet_v1_025_96.json", "first-fit", "neighbourhood", 45, 7, END, .selected = 5,
     .candidate = SW_NONE},
    {"neighbourhood-trace", OWN "swap.json", "farthest-next-use", "neighbourhood", 60, 12, END, .selected = 2,
     .candidate = SW_NONE},
    {"neighbourhood-placed", OWN "swap.json", "segment-genetic", "neighbourhood", 60, 12, END, .selected = 0,
     .candidate = SW_NONE},
    {"neighbourhood-one", OWN "one.csv", "first-fit", "neighbourhood", 60, 12, END, .selected = 0,
     .candidate = SW_NONE},
    {"neighbourhood-cursor", OWN "swap.json", "segment-genetic", "neighbourhood", 60, 12, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"neighbourhood-empty", OWN "empty.csv", "first-fit", "neighbourhood", 60, 12, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"live-pane", MODELS "mobilenet_v1_025_96.json", "first-fit", "live", 60, 20, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"log-empty", OWN "empty.csv", "first-fit", "log", 45, 8, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"page-report-best", MODELS "mobilenet_v1_025_96.json", "greedy-by-size", "report", 842, 595, END, .best = true,
     .paper = true, .selected = SW_NONE, .candidate = SW_NONE},
    {"page-report-planners", MODELS "mobilenet_v1_025_96.json", "greedy-by-size", "report", 842, 420, END, .best = true,
     .paper = true, .selected = SW_NONE, .candidate = SW_NONE, .page = 1},
    {"page-report-summary", MODELS "two_tiers.json", "tier-search", "report", 842, 595, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-report-layout", MODELS "two_tiers.json", "tier-search", "report", 842, 595, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE, .page = 2},
    {"page-report-buffers", MODELS "mobilenet_v1_025_96.json", "best-fit", "report", 842, 420, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE, .page = 3},
    {"page-report-provenance", MODELS "two_tiers.json", "tier-search", "report", 842, 595, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE, .page = 8},
    {"page-report-stopped", MODELS "example1.json", "first-fit", "report", 842, 595, 3, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-filmstrip", MODELS "example1.json", "first-fit", "filmstrip", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE, .film = 4},
    {"page-filmstrip-tiers", MODELS "two_tiers.json", "tier-search", "filmstrip", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE, .film = 3},
    {"page-filmstrip-one", OWN "empty.csv", "first-fit", "filmstrip", 400, 300, END, .paper = true, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"page-live", MODELS "mobilenet_v1_025_96.json", "first-fit", "live", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-decision", OWN "pieces.json", "best-fit", "decision", 800, 500, 3, .paper = true, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"page-decisions", MODELS "example1.json", "lifetime-best-fit", "decisions", 800, 500, 6, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-bounds", MODELS "two_tiers.json", "tier-search", "bounds", 800, 500, END, .paper = true, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"page-conflicts", MODELS "example1.json", "first-fit", "conflicts", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-conflicts-merged", MODELS "mobilenet_v1_025_96.json", "first-fit", "conflicts", 400, 240, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-flow", MODELS "two_cores.lua", "greedy-by-size", "flow", 800, 500, END, .paper = true, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"page-state-segments", OWN "swap.json", "segment-genetic", "state", 800, 500, 45, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-state-lifetime", MODELS "example1.json", "lifetime-best-fit", "state", 800, 500, 9, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-buffers", MODELS "mobilenet_v1_025_96.json", "first-fit", "buffers", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-card", MODELS "mobilenet_v1_025_96.json", "first-fit", "card", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-operators", MODELS "mobilenet_v1_025_96.json", "first-fit", "operators", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-free", OWN "pieces.json", "first-fit", "free", 800, 500, END, .paper = true, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"page-blame", MODELS "mobilenet_v1_025_96.json", "first-fit", "blame", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-branches", MODELS "example1.json", "first-fit", "branches", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-tokens", TUI "small.json", "token-sharing", "tokens", 800, 500, END, .paper = true, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"page-token-life", TUI "small.json", "token-sharing", "token-life", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-block-diagram", MODELS "two_cores.lua", "first-fit", "block-diagram", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-sequence", OWN "breed.csv", "order-genetic", "sequence", 800, 500, 64, .paper = true, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"page-neighbourhood", TUI "small.json", "first-fit", "neighbourhood", 800, 500, END, .paper = true, .selected = 3,
     .candidate = SW_NONE},
    {"page-log", OWN "empty.csv", "first-fit", "log", 800, 500, END, .paper = true, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"page-text", MODELS "example1.json", "lifetime-best-fit", "text", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-occupancy", OWN "swap.json", "segment-genetic", "occupancy", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-occupancy-tiers", MODELS "two_tiers.json", "first-fit", "occupancy", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-occupancy-empty", OWN "empty.csv", "first-fit", "occupancy", 800, 500, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-padded", OWN "padded.json", "first-fit", "layout", 800, 500, END, .paper = true, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"page-layout-a4", MODELS "mobilenet_v1_025_96.json", "first-fit", "layout", 842, 595, END, .paper = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-base", MODELS "mobilenet_v1_025_96.json", "first-fit", "layout", 800, 500, END, .paper = true,
     .base = 0x20000400, .selected = SW_NONE, .candidate = SW_NONE},
    {"layout-base", MODELS "mobilenet_v1_025_96.json", "first-fit", "layout", 60, 20, END, .base = 0x20000400,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"occupancy", OWN "swap.json", "segment-genetic", "occupancy", 70, 24, END, .selected = 2, .candidate = SW_NONE},
    {"occupancy-low", OWN "swap.json", "segment-genetic", "occupancy", 43, 6, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"occupancy-tiers", MODELS "two_tiers.json", "first-fit", "occupancy", 60, 20, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"occupancy-decided", OWN "migrate.json", "farthest-next-use", "occupancy", 60, 20, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"front", OWN "strips.json", "greedy-by-size", "front", 80, 24, END, .fit = true, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"layout-fit-search", OWN "strips.json", "fit", "layout", 60, 12, 4, .selected = SW_NONE, .candidate = SW_NONE},
    {"layout-fit", OWN "strips.json", "fit", "layout", 60, 12, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"front-fit", OWN "strips.json", "fit", "front", 60, 12, END, .fit_model = 1, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"before-after-schedule", OWN "schedules.json", "fit", "before-after", 80, 18, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"schedule-fit", OWN "schedules.json", "fit", "schedule", 60, 6, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"page-layout-fit", OWN "strips.json", "fit", "layout", 800, 500, END, .paper = true, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"page-report-front", OWN "strips.json", "fit", "report", 842, 595, END, .paper = true, .page = 2,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-report-no-front", MODELS "example1.json", "first-fit", "report", 842, 595, END, .paper = true, .page = 2,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"front-low", OWN "strips.json", "greedy-by-size", "front", 40, 6, END, .fit = true, .fit_model = 1,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"front-none", OWN "strips.json", "greedy-by-size", "front", 60, 6, END, .selected = SW_NONE, .candidate = SW_NONE},
    {"front-no-windows", OWN "pieces.json", "greedy-by-size", "front", 60, 6, END, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"strips", OWN "strips.json", "greedy-by-size", "strips", 80, 24, END, .fit = true, .selected = SW_NONE,
     .candidate = SW_NONE},
    {"strips-as-it-is", OWN "strips.json", "greedy-by-size", "strips", 60, 6, END, .fit = true, .fit_model = 1,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"before-after", OWN "strips.json", "greedy-by-size", "before-after", 80, 24, END, .fit = true, .capacity = 5500,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-front", OWN "strips.json", "greedy-by-size", "front", 800, 500, END, .paper = true, .fit = true,
     .capacity = 5500, .selected = SW_NONE, .candidate = SW_NONE},
    {"page-front-misfit", OWN "strips.json", "greedy-by-size", "front", 600, 400, END, .paper = true, .fit = true,
     .capacity = 5000, .selected = SW_NONE, .candidate = SW_NONE},
    {"page-strips", OWN "strips.json", "greedy-by-size", "strips", 800, 500, END, .paper = true, .fit = true,
     .selected = SW_NONE, .candidate = SW_NONE},
    {"page-before-after", OWN "strips.json", "greedy-by-size", "before-after", 800, 500, END, .paper = true,
     .fit = true, .selected = SW_NONE, .candidate = SW_NONE},
    {"page-tiers", MODELS "two_tiers.json", "first-fit", "layout", 800, 500, END, .paper = true, .selected = SW_NONE,
     .candidate = SW_NONE},
};

/* ---- building ---- */

static void build(const struct golden *golden, struct sw_view_input *in, struct sw_scene *scene) {
    static const struct sw_hint hints[] = {{"s", "step"},    {"S", "back"}, {"o", "next operator"},
                                           {":", "command"}, {"?", "help"}, {"q", "quit"}};
    in->look.hints = hints;
    in->look.hint_count = sizeof hints / sizeof *hints;
    in->width = golden->width;
    in->height = golden->height;
    in->medium = golden->paper ? SW_ON_PAGE : SW_ON_CELLS;
    in->marks_per_unit_x = 1;
    in->marks_per_unit_y = golden->paper ? 1 : 2;
    if (golden->zoomed) {
        in->look.viewport = (struct sw_viewport){4, 12, 8000, 30000};
    }
    if (!strcmp(golden->view, "screen")) {
        sw_view_screen(in, scene, NULL, false);
        return;
    }
    const struct sw_view *view = sw_view_find(golden->view, NULL);
    if (golden->paper) {
        in->look.tier = sw_problem_tier_count(sw_search_problem(in->run.search)) > 1 ? SW_NONE : 0;
        sw_view_page(in, view, scene);
    } else {
        scene->width = in->width;
        scene->height = in->height;
        view->build(in, scene, (struct sw_box){0, 0, in->width, in->height});
    }
}

enum { MOST_FRAMES = 8 };
static bool open_film(struct sw_search *search, unsigned count, struct sw_search **frames, struct sw_error *error) {
    uint64_t at = sw_search_at(search);
    bool good = true;
    for (unsigned i = 0; good && i < count; i++) {
        good = sw_search_seek(search, sw_search_known(search) * i / (count - 1), error);
        frames[i] = good ? sw_search_fork(search, error) : NULL;
        good = frames[i] != NULL;
    }
    return good && sw_search_seek(search, at, error);
}

static bool read_notes(const struct golden *golden, const struct sw_search *search, struct sw_notes *notes,
                       struct sw_error *error) {
    struct sw_input input;
    if (!golden->notes) {
        return true;
    }
    char path[256];
    snprintf(path, sizeof path, SW_TEST_SOURCE "/%s", golden->notes);
    if (!sw_input_open(path, &input, error)) {
        return false;
    }
    bool good = sw_notes_read(&input, sw_search_problem(search), 0, notes, error);
    sw_input_close(&input);
    return good;
}

static bool find_fit(const struct golden *golden, const struct sw_search *search, struct sw_fit_result *result,
                     struct sw_fit_sight *sight, struct sw_error *error) {
    struct sw_fit_request request = {.has_capacity = golden->capacity > 0, .capacity = golden->capacity, .seed = 1};
    if (!golden->fit || !sw_fit_run(sw_search_given(search), &request, result, error)) {
        return !golden->fit;
    }
    *sight = (struct sw_fit_sight){.result = result,
                                   .chosen = &result->models.items[result->chosen],
                                   .has_capacity = request.has_capacity,
                                   .capacity = request.capacity};
    return true;
}

static bool look(const struct golden *golden, struct sw_search *search, struct sw_sink *sink, struct sw_error *error) {
    struct sw_explanation explanation = {0};
    struct sw_scene scene = {0};
    struct sw_notes notes = {0};
    struct sw_fit_result result = {0};
    struct sw_fit_sight sight;
    bool good = sw_search_run(search, 0, NULL, NULL, error) == SW_STEP_DONE;
    good = good && (golden->step == END || sw_search_seek(search, golden->step, error));
    uint64_t at = sw_search_at(search);
    struct sw_search *frames[MOST_FRAMES] = {NULL};
    struct sw_suggest *found = NULL;
    struct sw_rival rivals[] = {
        {.planner = golden->best ? sw_search_planner(search) : NULL,
         .shown = true,
         .known = true,
         .peak = sw_layout_arena(sw_search_layout(search), 0)},
        {.planner = sw_planner_find("best-fit", NULL),
         .known = true,
         .optimal = true,
         .peak = sw_problem_lower_bound(sw_search_problem(search))},
        {.planner = sw_planner_find("order", NULL), .known = true, .peak = 1000, .bound = 1000},
        {.planner = sw_planner_find("token-sharing", NULL), .known = true, .beside = true, .peak = 2000, .bound = 1000},
        {.planner = sw_planner_find("first-fit", NULL), .known = true, .stopped = true, .peak = 1000000},
        {.planner = sw_planner_find("tier-search", NULL), .why = "infeasible"}};
    const struct sw_suggest_request wanted = {.work = 2000000, .kinds = ~(1U << SW_SUGGEST_PLANNER)};
    good = good && (!golden->best || ((found = sw_suggest_new(search, &wanted, error)) != NULL &&
                                      sw_suggest_step(found, 0, error) != SW_STEP_FAILED));
    struct sw_film film = {(const struct sw_search *const *)frames, golden->film, golden->film,
                           "those that were asked for"};
    good = good && (at == 0 || sw_search_explain(search, at, &explanation, error)) &&
           (golden->film == 0 || open_film(search, golden->film, frames, error)) &&
           read_notes(golden, search, &notes, error) && find_fit(golden, search, &result, &sight, error);
    if (good) {
        struct sw_view_input in = {.run.search = search,
                                   .run.explanation = at ? &explanation : NULL,
                                   .run.input_name = golden->model,
                                   .run.input_digest = 0xabcdef,
                                   .look.selected = golden->selected,
                                   .look.candidate = golden->candidate,
                                   .look.cursor = 2,
                                   .look.raw_time = golden->raw_time,
                                   .look.ghosts = golden->ghosts,
                                   .look.page = golden->page,
                                   .run.film = golden->film ? &film : NULL,
                                   .units = golden->units,
                                   .run.notes = &notes,
                                   .run.rivals = rivals,
                                   .run.rival_count = golden->best ? sizeof rivals / sizeof *rivals : 0,
                                   .run.rival_work = 1000000,
                                   .run.suggest = found,
                                   .run.fit = golden->fit ? &sight : NULL,
                                   .look.fit_model = golden->fit_model,
                                   .run.base = golden->base,
                                   .look.viewport = sw_viewport_all(search, 0)};
        build(golden, &in, &scene);
        scene_dump(&scene, sink);
        sw_sink_add(sink, "", 1);
        good = !sink->failed;
    }
    for (unsigned i = 0; i < MOST_FRAMES; i++) {
        sw_search_free(frames[i]);
    }
    sw_suggest_free(found);
    sw_fit_result_done(&result);
    sw_explanation_done(&explanation);
    sw_notes_done(&notes);
    sw_scene_done(&scene);
    return good;
}

static bool check(const struct golden *golden) {
    char path[512];
    struct sw_error error = {0};
    struct sw_load_options options = {0};
    struct sw_sink sink = {0};
    snprintf(path, sizeof path, SW_TEST_SOURCE "/%s", golden->model);
    struct sw_problem *problem = sw_load(path, &options, NULL, &error);
    const struct sw_planner *planner = sw_planner_find(golden->planner, &error);
    struct sw_params params = SW_PARAMS_DEFAULT;
    if (planner && planner->assumes &&
        !(sw_params_set(&params, "overwrite", "any", &error) && sw_params_set(&params, "choices", "plain", &error))) {
        planner = NULL;
    }
    struct sw_search *search = problem && planner ? sw_search_new(problem, planner, &params, &error) : NULL;
    sw_params_done(&params);
    bool good = search && look(golden, search, &sink, &error);
    if (good) {
        good = golden_compare(golden->name, &sink);
    } else {
        printf("%s: %s\n", golden->name, error.message);
    }
    sw_sink_done(&sink);
    sw_search_free(search);
    sw_problem_unref(problem);
    return good;
}

int main(void) {
    int failed = 0;
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        failed += !check(&goldens[i]);
    }
    printf("%zu views, %d not as expected\n", sizeof goldens / sizeof *goldens, failed);
    return failed ? 1 : 0;
}
