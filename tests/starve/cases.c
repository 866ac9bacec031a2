/* The commands: every subcommand, every kind of output. `in/` is where inputs lie; what a command writes goes into
 * the present folder, which is empty. */
#include "starve/cases.h"

#define GRAPH "../in/graph.json"
#define SCRIPT(text) .script = text

const struct starve_case starve_cases[] = {
    {.words = "--version"},
    {.words = "--help"},
    {.words = "plan --help"},
    {.words = "nonsense"},
    {.words = "list planners"},
    {.words = "list params"},
    {.words = "list views"},
    {.words = "list themes"},
    {.words = "list scripts --format json"},
    {.words = "list formats"},
    {.words = "list commands --format json"},
    {.words = "list keys"},
    {.words = "list subcommands"},
    {.words = "list options plan"},
    {.words = "plan " GRAPH " -p first-fit"},
    {.words = "plan " GRAPH " -p first-fit --bounds"},
    {.words = "plan " GRAPH " -p best-fit --format csv"},
    {.words = "plan " GRAPH " -p greedy-by-size --format json"},
    {.words = "plan " GRAPH " -p greedy-by-size --capacity 60"},
    {.words = "plan " GRAPH " -p greedy-by-size --max-peak 1 -o plan.csv"},
    {.words = "plan " GRAPH " -p first-fit -o plan.csv"},
    {.words = "plan " GRAPH " -p first-fit -o plan.json"},
    {.words = "plan " GRAPH " -p first-fit --base 0x20000000 -o plan.h"},
    {.words = "plan " GRAPH " -p first-fit -o plan.md"},
    {.words = "plan " GRAPH " -p first-fit -o -"},
    {.words = "plan " GRAPH " -p branch-and-bound --threads 2"},
    {.words = "plan " GRAPH " -p random-order --work 5 --progress always"},
    {.words = "plan " GRAPH " -p token-sharing -o plan.json"},
    {.words = "plan ../in/tiers.json -p tier-search --work 4000 --cost ../in/cost.lua --actions "
              "../in/action.lua"},
    {.words = "plan ../in/tiers.json -p tier-search --work 4000 --actions ../in/rules.lua --format json"},
    {.words = "plan ../in/tiers.json -p tier-search --work 4000 --set segments=at:1,2 --format json"},
    {.words = "plan ../in/tiers.json -p tier-search --work 4000 --tiers ../in/sram.json -o plan.json"},
    {.words = "plan ../in/plan.csv -p as-built"},
    {.words = "plan ../in/model.lua --arg n=2 -p first-fit"},
    {.words = "plan ../in/tiny.tflite -p first-fit -o planned.tflite"},
    {.words = "plan " GRAPH " -p ../in/planner.lua -o plan.csv"},
    {.words = "plan ../in/inclusive_gaps -p first-fit"},
    {.words = "plan ../in/table.gz -p first-fit"},
    {.words = "plan ../in/all -p first-fit"},
    {.words = "plan ../in/loop -p first-fit"},
    {.words = "plan ../in/folding_8 -p first-fit"},
    {.words = "plan ../in/folding_11 -p first-fit"},
    {.words = "plan ../in/tile_without_factors -p first-fit"},
    {.words = "plan ../in/bodies_4 -p first-fit"},
    {.words = "plan ../in/unsorted_7 -p first-fit"},
    {.words = "plan ../in/bounds_run_9 -p first-fit"},
    {.words = "plan ../in/maps_1 -p first-fit"},
    {.words = "plan ../in/rates --value sr=16000 -p first-fit"},
    {.words = "convert ../in/unsorted_7 -p order -o sorted.onnx"},
    {.words = "fit ../in/strips_47 -o fitted.onnx"},
    {.words = "plan ../in/windows.json -p fit"},
    {.words = "fit ../in/windows.json --capacity 300 --capacity-of head"},
    {.words = "plan ../in/elementwise_10 -p first-fit"},
    {.words = "plan ../in/devices.pickle -p first-fit"},
    {.words = "plan ../in/protocol4.pickle -p first-fit"},
    {.words = "plan ../in/moment"},
    {.words = "plan ../in/moment --format json"},
    {.words = "plan ../in/moment -o blocks.csv"},
    {.words = "plan ../in/caching.json --then ../in/then.csv --format json"},
    {.words = "plan ../in/moment --then ../in/then.csv"},
    {.words = "plan ../in/moment.printed"},
    {.words = "plan ../in/oom.pickle"},
    {.words = "diff ../in/moment ../in/moment.pickle"},
    {.words = "diff ../in/moment.pickle ../in/oom.pickle --format csv"},
    {.words = "convert ../in/moment -o moment.json"},
    {.words = "convert ../in/moment.json -o again.json"},
    {.words = "run ../in/held.lua"},
    {.words = "plan ../in/st_c_info -p first-fit"},
    {.words = "plan ../in/second -p first-fit"},
    {.words = "plan ../in/signatures -p first-fit"},
    {.words = "plan ../in/ethos -p first-fit"},
    {.words = "plan ../in/twice -p first-fit"},
    {.words = "plan ../in/xla -p first-fit"},
    {.words = "plan ../in/ggml_log"},
    {.words = "plan ../in/ggml_runs --run 1"},
    {.words = "trace ../in/tt_mlir"},
    {.words = "plan ../in/m-bufferinfo.csv"},
    {.words = "plan ../in/inductor -p first-fit"},
    {.words = "convert ../in/ggml_log -o run.trace.gz"},
    {.words = "plan ../in/moves -p first-fit"},
    {.words = "plan ../in/st_report -p first-fit"},
    {.words = "plan ../in/scheduled -p first-fit"},
    {.words = "plan ../in/branches -p first-fit"},
    {.words = "plan ../in/loop.xml -p first-fit"},
    {.words = "plan ../in/plain.xml --dim x:0=2 -p first-fit"},
    {.words = "plan ../in/memref -p first-fit"},
    {.words = "plan ../in/pack -p first-fit"},
    {.words = "plan ../in/until_2025 -p first-fit"},
    {.words = "plan ../in/m-buffer-assignment.txt -p first-fit"},
    {.words = "convert ../in/folding_8 -o graph.json"},
    {.words = "list planners --format json"},
    {.words = "suggest ../in/misses.csv -p greedy-by-size --effort 9000"},
    {.words = "suggest " GRAPH " -p best-fit --effort 4000 --format json"},
    {.words = "../in/misses.csv -p greedy-by-size --screen 100x30 --script ../in/script",
     SCRIPT("last\npane blame\nsuggest\ntake-suggestion 1\nlast\n")},
    {.words = "trace " GRAPH " -p greedy-by-size"},
    {.words = "trace " GRAPH " -p greedy-by-size --level operator"},
    {.words = "trace " GRAPH " -p lifetime-best-fit --where size>8 -o trace.jsonl"},
    {.words = "trace " GRAPH " -p lifetime-best-fit --state -o run.trace"},
    {.words = "trace " GRAPH " -p lifetime-best-fit --level event"},
    {.words = "trace ../in/tiers.json -p tier-search --work 4000 --level event"},
    {.words = "plan " GRAPH " -p lifetime-best-fit --policy own_fit --format json"},
    {.words = "export " GRAPH " -p lifetime-best-fit --view queues -o queues.svg"},
    {.words = "trace " GRAPH " -p token-sharing -o run.trace.gz"},
    {.words = "trace ../in/tiers.json -p tier-search --work 400 -o run.trace"},
    {.words = "plan ../in/their.trace"},
    {.words = "plan ../in/events.trace --format json"},
    {.words = "plan ../in/gaps.trace -o plan.json"},
    {.words = "trace ../in/their.trace --state"},
    {.words = "trace ../in/tiers.trace --state -o run.trace"},
    {.words = "compare ../in/their.trace -p recorded,first-fit --format json"},
    {.words = "compare ../in/overlap.trace -p recorded"},
    {.words = "plan ../in/overlap.trace"},
    {.words = "check ../in/their.trace ../in/their.trace"},
    {.words = "diff ../in/their.trace ../in/runs.trace"},
    {.words = "convert ../in/inplace.trace -o graph.json"},
    {.words = "export ../in/overlap.trace -o layout.svg"},
    {.words = "../in/their.trace --screen 100x30 --script ../in/script", SCRIPT("last\npane state\nback 2\nstep\n")},
    {.words = "plan ../in/tangled.json -p order"},
    {.words = "plan ../in/tangled.json -p order-exact --set before=op3<op5 --set together=op1,op2 "
              "--bounds --format json"},
    {.words = "plan ../in/tangled.json -p order-beam -o plan.json"},
    {.words = "convert ../in/tangled.json -p order-lpmf -o other.json"},
    {.words = "export ../in/tangled.json -p order-greedy --view schedule -o moves.svg"},
    {.words = "../in/tangled.json -p order-greedy --screen 100x30 --script ../in/script",
     SCRIPT("step 3\nnext op4\nlast\npane schedule\nbefore op3 op5\nreorder auto\nlast\npane "
            "bounds\npane blame\n")},
    {.words = "compare " GRAPH " -p first-fit,best-fit,token-sharing,as-built"},
    {.words = "compare " GRAPH " -p first-fit,best-fit --format json"},
    {.words = "compare " GRAPH " -p first-fit,best-fit --format csv"},
    {.words = "compare " GRAPH " -p first-fit,best-fit -o table.md"},
    {.words = "compare " GRAPH " --seeds 2 --work 60"},
    {.words = "compare " GRAPH " -p first-fit,best-fit -o planners.svg"},
    {.words = "compare " GRAPH " -p random-order,order-genetic --view convergence --work 60 -o curves.png"},
    {.words = "compare " GRAPH " --seeds 2 --work 60 -o seeds.pdf"},
    {.words = "compare " GRAPH " --seeds 2 --work 60 -o seeds.svg"},
    {.words = "compare " GRAPH " -p first-fit,best-fit,greedy-by-size --color-by kind -o planners.html"},
    {.words = "check " GRAPH " ../in/plan.csv"},
    {.words = "check " GRAPH " ../in/plan.json --format json"},
    {.words = "check " GRAPH " ../in/wrong.csv"},
    {.words = "check " GRAPH " ../in/wrong.csv --format json"},
    {.words = "diff " GRAPH " ../in/other.json -p first-fit"},
    {.words = "diff ../in/plan.csv ../in/wrong.csv"},
    {.words = "diff ../in/plan.csv ../in/moved.csv --format json"},
    {.words = "diff ../in/plan.csv ../in/moved.csv --format csv"},
    {.words = "diff ../in/plan.csv ../in/moved.csv --format md"},
    {.words = "diff " GRAPH " ../in/other.json -p first-fit -o change.svg"},
    {.words = "diff " GRAPH " ../in/other.json --old-planner first-fit --new-planner best-fit -o change.html"},
    {.words = "diff " GRAPH " ../in/other.json --old-planner first-fit --new-planner best-fit -o change.md"},
    {.words = "gate base.json " GRAPH " ../in/other.json -p first-fit --update"},
    {.words = "gate ../in/base.json " GRAPH " ../in/other.json --junit gate.xml -o gate.md"},
    {.words = "gate ../in/base.json --format json"},
    {.words = "convert ../in/plan.csv -o graph.json"},
    {.words = "convert " GRAPH " -o buffers.csv"},
    {.words = "survey --merge ../in/rows.jsonl"}, /* what looks at models is a process each, and may lack memory */
    {.words = "survey --merge ../in/rows.jsonl -o fleet.html"},
    {.words = "survey --merge ../in/rows.jsonl -o fleet.json"},
    {.words = "survey --merge ../in/rows.jsonl --format md"},
    {.words = "export " GRAPH " -p first-fit -o layout.svg"},
    {.words = "export " GRAPH " -p first-fit -o run.perfetto.json"},
    {.words = "export ../in/tiers.json -p tier-search --work 400 -o run.perfetto.json.gz"},
    {.words = "export ../in/oom.pickle -o run.perfetto.json"},
    {.words = "export ../in/moment -o run.perfetto.json"},
    {.words = "export " GRAPH " -p first-fit -o layout.html"},
    {.words = "export " GRAPH " -p first-fit -o layout.png --dpi 36"},
    {.words = "export " GRAPH " -p first-fit -o layout.pdf --annotate ../in/notes.json"},
    {.words = "export " GRAPH " -p first-fit --view report -o report.pdf"},
    {.words = "export " GRAPH " -p first-fit --view report -o report.html"},
    {.words = "export ../in/model.lua --arg n=400 -p first-fit --color-by size --size 320x200 -o small.svg"},
    {.words = "export ../in/model.lua --arg n=400 -p first-fit --color-by lifetime --size 320x200 -o small.html"},
    {.words = "export ../in/oom.pickle --view moment-map --color-by stack -o moment.svg"},
    {.words = "export " GRAPH " -p first-fit --view filmstrip -o film.svg"},
    {.words = "export " GRAPH " -p first-fit --steps 0:end -o steps.svg"},
    {.words = "export " GRAPH " -p first-fit --steps 1:2 --dpi 18 --frames frames"},
    {.words = "export " GRAPH " -p first-fit --view neighbourhood --highlight t -o view.svg"},
    {.words = "export " GRAPH " -p first-fit --view text -o view.svg"},
    {.words = "export " GRAPH " -p first-fit --view blame -o view.svg"},
    {.words = "export " GRAPH " -p branch-and-bound --view search-tree -o view.svg"},
    {.words = "export ../in/tiers.json -p segment-genetic --work 40 --view occupancy -o view.svg"},
    {.words = "run ../in/experiment.lua n=2"},
    {.words = "run ../in/experiment.lua -o out"},
    {.words = "run ../in/plots.lua -o out --theme dark --scale 2"},
    {.words = "run ../in/orders.lua"},
    {.words = "run ../in/moves.lua"},
    {.words = "run ../in/experiment.lua --jobs 2"},
    {.words = "run ../in/experiment.lua --shard 1/2 -o rows.jsonl"},
    {.words = GRAPH " -p first-fit"},
    {.words = GRAPH " -p greedy-by-size --screen 100x30"},
    {.words = GRAPH " -p greedy-by-size --screen 110x40 --script ../in/script",
     SCRIPT("last\ngoto-peak\npin t 320\nlast\nundo\nredo\nresize t 70\nlast\ncapacity "
            "200\nplanner best-fit\nlast\n"
            "compare first-fit best-fit\ndiff on\nbranches\n")},
    {.words = GRAPH " -p greedy-by-size --screen 110x40 --script ../in/script",
     SCRIPT("break size > 50\ncontinue\npane blame\nmark a a note\nlast\nforbid t 0 16\nlast\nlog\n")},
    {.words = GRAPH " -p greedy-by-size --screen 110x40 --script ../in/script",
     SCRIPT("last\nlua print(stowage.decision().kind) stowage.command('pin t 256')\nwhole on\npane "
            "log\n")},
    {.words = GRAPH " -p greedy-by-size --screen 110x40 --script ../in/script",
     SCRIPT("last\nfind [tu]\nnext-match\nfilter [stu]\nsort size\nonly [tx]\ncolor-by size\ncolor-by\n")},
    {.words = GRAPH " -p greedy-by-size --screen 90x30 --script ../in/script", SCRIPT("last\nexport layout.svg\n")},
    {.words = GRAPH " -p greedy-by-size --screen 90x30 --script ../in/script", SCRIPT("last\nwrite plan.csv\n")},
    {.words = GRAPH " -p greedy-by-size --screen 90x30 --script ../in/script", SCRIPT("last\nsave kept.stowage\n")},
    {.words = "../in/kept.stowage --screen 100x30"},
    {.words = GRAPH " -p ../in/first.lua --screen 110x40 --script ../in/script",
     SCRIPT("last\nback 2\nforbid t 0 64\nlast\ncompare first-fit\n")},
    {.words = GRAPH " -p greedy-by-size --screen 60x20 --script ../in/script --record film.svg",
     SCRIPT("step\nstep\npane bounds\n")},
    {.words = "../in/tangled.json -p order-exact --screen 100x30 --script ../in/script",
     SCRIPT("step 5\npane search-tree\n")},
    {.words = "../in/tangled.json -p order-greedy --screen 100x30 --script ../in/script",
     SCRIPT("step 3\npane decisions\n")},
    {.words = "../in/tiers.json -p segment-genetic --work 40 --screen 100x30 --script ../in/script",
     SCRIPT("goto 9\n")},
    {.words = "../in/tiers.json -p farthest-next-use --screen 100x30 --script ../in/script", SCRIPT("step 2\n")},
    {.words = "../in/tiers.json -p tier-search --work 4000 --screen 100x30 --script ../in/script",
     SCRIPT("step 9\nscroll-down 3\n")},
    {.words = GRAPH " -p order-genetic --work 60 --screen 100x30 --script ../in/script", SCRIPT("step 4\npane\n")},
    {.words = GRAPH " -p branch-and-bound --screen 100x30 --script ../in/script",
     SCRIPT("step 8\nselect t\ngraph\nwalk right\nwhole on\n")},
};
const unsigned starve_case_count = sizeof starve_cases / sizeof *starve_cases;

const struct starve_file starve_files[] = {
    {"graph.json", .text = "{\"operators\":[{\"name\":\"a\",\"inputs\":[\"x\"],\"outputs\":[\"t\"],\"scratch\":["
                           "\"s\"]},\n"
                           " {\"name\":\"b\",\"inputs\":[\"t\"],\"outputs\":[\"u\"],\"inplace\":[[\"t\",\"u\"]]},\n"
                           " {\"name\":\"c\",\"inputs\":[\"t\",\"u\"],\"outputs\":[\"y\"]}],\n"
                           " \"buffers\":[{\"name\":\"x\",\"kind\":\"input\",\"size\":100},{\"name\":\"s\",\"kind\":"
                           "\"scratch\",\"size\":12},\n"
                           " {\"name\":\"t\",\"size\":64},{\"name\":\"u\",\"size\":64},{\"name\":\"y\",\"kind\":"
                           "\"output\",\"size\":50}]}\n"},
    {"windows.json",
     .text = "{\"operators\":[{\"name\":\"a\",\"inputs\":[\"x\"],\"outputs\":[\"m\"],\"window\":{\"kernel\":[3,3],"
             "\"pad\":[1,1,1,1]},\"macs\":9},\n"
             " {\"name\":\"b\",\"inputs\":[\"m\"],\"outputs\":[\"y\"],\"window\":{\"kernel\":[3,3],\"pad\":[1,1,1,1]},"
             "\"macs\":9}],\n"
             " \"buffers\":[{\"name\":\"x\",\"kind\":\"input\",\"dtype\":\"int8\",\"shape\":[1,6,4,1]},\n"
             " {\"name\":\"m\",\"dtype\":\"int8\",\"shape\":[1,6,4,9]},{\"name\":\"y\",\"kind\":\"output\",\"dtype\":"
             "\"int8\",\"shape\":[1,6,4,1]}]}\n"},
    {"other.json", .text = "{\"operators\":[{\"name\":\"a\",\"inputs\":[\"x\"],\"outputs\":[\"t\"]},\n"
                           " {\"name\":\"c\",\"inputs\":[\"t\"],\"outputs\":[\"y\"],\"scratch\":[\"new\"]}],\n"
                           " \"buffers\":[{\"name\":\"x\",\"kind\":\"input\",\"size\":100},{\"name\":\"new\","
                           "\"kind\":\"scratch\",\"size\":12},\n"
                           " {\"name\":\"t\",\"size\":96},{\"name\":\"y\",\"kind\":\"output\",\"size\":50}]}\n"},
    {"base.json",
     .text =
         "{\"format\":\"stowage-baseline\",\"version\":1,\"models\":[\n"
         "{\"model\":\"graph.json\",\"options\":[\"planner=first-fit\"],\"tiers\":[{\"name\":\"memory\",\"peak\":90}],"
         "\"graph\":\n{\"operators\":[{\"name\":\"a\",\"outputs\":[\"t\"],\"scratch\":[\"old\"]},\n"
         " {\"name\":\"c\",\"inputs\":[\"t\"],\"outputs\":[\"y\"]}],\n"
         " \"buffers\":[{\"name\":\"t\",\"size\":30},{\"name\":\"old\",\"kind\":\"scratch\",\"size\":40},"
         "{\"name\":\"y\",\"kind\":\"output\",\"size\":50}]}},\n"
         "{\"model\":\"lost.json\",\"options\":[],\"tiers\":[],\"graph\":{}},\nnull]}\n"},
    {"tiers.json", .text = "{\"tiers\":[{\"name\":\"sram\",\"capacity\":160,\"bandwidth\":16,\"latency\":1},"
                           "{\"name\":\"dram\",\"bandwidth\":2,\"latency\":30}],\n"
                           " \"operators\":[{\"name\":\"a\",\"inputs\":[\"x\"],\"outputs\":[\"t\"]},\n"
                           " {\"name\":\"b\",\"inputs\":[\"t\"],\"outputs\":[\"u\"]},{\"name\":\"c\",\"inputs\":["
                           "\"x\",\"u\"],\"outputs\":[\"y\"]}],\n"
                           " \"buffers\":[{\"name\":\"x\",\"kind\":\"input\",\"size\":100},{\"name\":\"t\","
                           "\"size\":64},{\"name\":\"u\",\"size\":64},\n"
                           " {\"name\":\"y\",\"kind\":\"output\",\"size\":50}]}\n"},
    {"sram.json", .text = "{\"tiers\":[{\"name\":\"sram\",\"capacity\":200,\"bandwidth\":16,\"latency\":1},"
                          "{\"name\":\"dram\",\"bandwidth\":2,\"latency\":30}]}\n"},
    {"plan.csv", .text = "id,lower,upper,size,offset\nx,0,1,100,0\ns,0,1,12,164\nt,0,3,64,100\nu,1,"
                         "3,64,0\ny,2,3,50,164\n"},
    {"moved.csv", .text = "id,lower,upper,size,offset\nx,0,1,100,76\ns,0,1,12,64\nt,0,3,64,0\nu,1,"
                          "3,80,64\nz,2,3,50,144\n"},
    {"wrong.csv", .text = "id,lower,upper,size,offset\nx,0,1,100,0\ns,0,1,12,20\nt,0,3,64,30\nu,1,"
                          "3,64,0\ny,2,3,50,16\n"},
    {"plan.json", .text = "{\"placements\":[{\"buffer\":\"x\",\"tier\":\"memory\",\"offset\":0,"
                          "\"size\":100,\"first\":0,\"last\":0},\n"
                          " {\"buffer\":\"s\",\"tier\":\"memory\",\"offset\":164,\"size\":12,"
                          "\"first\":0,\"last\":0},\n"
                          " {\"buffer\":\"t\",\"tier\":\"memory\",\"offset\":100,\"size\":64,"
                          "\"first\":0,\"last\":2},\n"
                          " {\"buffer\":\"u\",\"tier\":\"memory\",\"offset\":0,\"size\":64,"
                          "\"first\":1,\"last\":2},\n"
                          " {\"buffer\":\"y\",\"tier\":\"memory\",\"offset\":164,\"size\":50,"
                          "\"first\":2,\"last\":2}]}\n"},
    {"tangled.json", .text = "{\"format\":\"stowage-graph\",\"version\":1,\"name\":\"g\","
                             "\"operators\":[{\"name\":\"op0\",\"i"
                             "nputs\":[\"x\"],\"outputs\":[\"t0\"]},{\"name\":\"op1\",\"inputs\":["
                             "\"t0\"],\"outputs\":[\"t1\""
                             "]},{\"name\":\"op2\",\"inputs\":[\"t1\"],\"outputs\":[\"t2\"]},{"
                             "\"name\":\"op3\",\"inputs\":[\""
                             "x\",\"t2\"],\"outputs\":[\"t3\"]},{\"name\":\"op4\",\"inputs\":["
                             "\"t0\"],\"outputs\":[\"t4\"]},{"
                             "\"name\":\"op5\",\"inputs\":[\"t1\",\"t4\",\"t2\"],\"outputs\":["
                             "\"t5\"]}],\"buffers\":[{\"name"
                             "\":\"x\",\"kind\":\"input\",\"size\":80},{\"name\":\"t0\",\"size\":"
                             "208},{\"name\":\"t1\",\"size"
                             "\":32},{\"name\":\"t2\",\"size\":128},{\"name\":\"t3\",\"size\":208},"
                             "{\"name\":\"t4\",\"size\":"
                             "208},{\"name\":\"t5\",\"size\":64,\"kind\":\"output\"}]}\n"},
    {"notes.json", .text = "{\"notes\":[{\"text\":\"the "
                           "largest\",\"buffer\":\"x\"},{\"text\":\"here\",\"step\":1}]}\n"},
    {"model.lua", .text = "local args = ... local g = {operators = {}, buffers = {{name = 'b0', kind = 'input', "
                          "size = 8}}}\n"
                          "for i = 1, args.n or 2 do\n"
                          "  g.operators[i] = {name = 'o' .. i, inputs = {'b' .. i - 1}, outputs = {'b' .. i}}\n"
                          "  g.buffers[i + 1] = {name = 'b' .. i, size = 8 * i}\nend\nreturn g\n"},
    {"cost.lua", .from = "scripts/costs/energy.lua"},
    {"action.lua", .from = "scripts/actions/swap.lua"},
    {"rules.lua", .text =
                      "return {places = function(_, p) local o = {} for i = 1, #p do o[i] = #p + 1 - i end return o "
                      "end,\n  boundaries = function() return {2} end}\n"},
    {"planner.lua", .from = "scripts/planners/long_first.lua"},
    {"their.trace", .from = "tests/fuzz/corpus/trace/plain"},
    {"events.trace", .from = "tests/fuzz/corpus/trace/events"},
    {"gaps.trace", .from = "tests/fuzz/corpus/trace/gaps"},
    {"tiers.trace", .from = "tests/fuzz/corpus/trace/tiers"},
    {"runs.trace", .from = "tests/fuzz/corpus/trace/runs"},
    {"inplace.trace", .from = "tests/fuzz/corpus/trace/inplace"},
    {"overlap.trace", .from = "tests/fuzz/corpus/trace/overlap"},
    {"inclusive_gaps", .from = "tests/fuzz/corpus/buffers_csv/inclusive_gaps"},
    {"table.gz", .from = "tests/fuzz/corpus/gzip/table.gz"},
    {"all", .from = "tests/fuzz/corpus/dsa_json/all"},
    {"loop", .from = "tests/fuzz/corpus/pte/loop"},
    {"folding_8", .from = "tests/fuzz/corpus/onnx/folding_8"},
    {"strips_47", .from = "tests/fuzz/corpus/onnx/strips_47"},
    {"folding_11", .from = "tests/fuzz/corpus/onnx/folding_11"},
    {"tile_without_factors", .from = "tests/fuzz/corpus/onnx/tile_without_factors"},
    {"bodies_4", .from = "tests/fuzz/corpus/onnx/bodies_4"},
    {"unsorted_7", .from = "tests/fuzz/corpus/onnx/unsorted_7"},
    {"bounds_run_9", .from = "tests/fuzz/corpus/onnx/bounds_run_9"},
    {"maps_1", .from = "tests/fuzz/corpus/onnx/maps_1"},
    {"rates", .from = "tests/fuzz/corpus/onnx/rates"},
    {"elementwise_10", .from = "tests/fuzz/corpus/onnx/elementwise_10"},
    {"devices.pickle", .from = "tests/fuzz/corpus/pytorch/devices.pickle"},
    {"protocol4.pickle", .from = "tests/fuzz/corpus/pytorch/protocol4.pickle"},
    {"moment", .from = "tests/fuzz/corpus/bfc_moment/dump_2024"},
    {"moment.json", .from = "tests/fuzz/corpus/graph_json/moment.json"},
    {"moment.pickle", .from = "tests/fuzz/corpus/pytorch/moment.pickle"},
    {"moment.printed", .from = "tests/fuzz/corpus/pytorch/moment.printed"},
    {"oom.pickle", .from = "tests/fuzz/corpus/pytorch/moment_oom.pickle"},
    {"caching.json",
     .text =
         "{\"format\":\"stowage-graph\",\"version\":1,\"moment\":{\"what\":\"a heap\",\"planner\":\"cuda-caching\","
         "\"settings\":\"max_split_size_mb:20\",\"failed\":{\"size\":11534336},\n"
         " \"told\":[{\"figure\":\"limit\",\"bytes\":41943040}],\"segments\":[{\"address\":4194304,\"size\":41943040,"
         "\"pool\":\"private (0, 1), large\",\"stream\":\"7\",\"blocks\":[\n"
         " {\"address\":4194304,\"size\":31457280,\"state\":\"free\"},"
         "{\"address\":35651584,\"size\":10485760,\"state\":\"in use\",\"origin\":\"f\"}]}]}}\n"},
    {"then.csv", .text = "event,id,size\nalloc,a,512\nalloc,b,1048576\nfree,a,\nempty_cache,,\n"},
    {"held.lua", .text = "return {name = 'held', cases = function() return {{}} end,\n"
                         "run = function()\n"
                         "  local graph = stowage.load('caching.json')\n"
                         "  local moment = graph:moment()\n"
                         "  local after = graph:go_on{requests = {{alloc = 'a', size = 512}, {free = 'a'}}}\n"
                         "  return {sizes = #moment.sizes, free = after.free}\nend,\n"
                         "report = function(rows, out) out:table(rows) end}\n"},
    {"st_c_info", .from = "tests/fuzz/corpus/st_c_info/plain"},
    {"second", .from = "tests/fuzz/corpus/tflm_log/second"},
    {"signatures", .from = "tests/fuzz/corpus/tflite/signatures"},
    {"ethos", .from = "tests/fuzz/corpus/tflite/ethos"},
    {"twice", .from = "tests/fuzz/corpus/vela_log/twice"},
    {"xla", .from = "tests/fuzz/corpus/xla/plain"},
    {"ggml_log", .from = "tests/fuzz/corpus/ggml_log/plain"},
    {"ggml_runs", .from = "tests/fuzz/corpus/ggml_log/runs"},
    {"tt_mlir", .from = "tests/fuzz/corpus/tt_mlir/plain"},
    {"m-bufferinfo.csv", .from = "tests/fuzz/corpus/xla_msa/values"},
    {"m-allocinfo.csv", .from = "tests/fuzz/corpus/xla_msa/places"},
    {"m-scheduleinfo.csv", .from = "tests/fuzz/corpus/xla_msa/schedule"},
    {"inductor", .from = "tests/fuzz/corpus/inductor/plain"},
    {"moves", .from = "tests/fuzz/corpus/plan_json/moves"},
    {"st_report", .from = "tests/fuzz/corpus/st_report/plain"},
    {"scheduled", .from = "tests/fuzz/corpus/hlo/scheduled"},
    {"misses.csv", .text = "id,lower,upper,size\na,0,1,27\nb,0,2,18\nc,1,3,18\nd,2,4,36\n"},
    {"branches", .from = "tests/fuzz/corpus/hlo/branches"},
    {"loop.xml", .from = "tests/fuzz/corpus/openvino/loop"},
    {"plain.xml", .from = "tests/fuzz/corpus/openvino/plain"},
    {"memref", .from = "tests/fuzz/corpus/mlir/memref"},
    {"pack", .from = "tests/fuzz/corpus/mlir/pack"},
    {"until_2025", .from = "tests/fuzz/corpus/xla_report/until_2025"},
    {"m.txt", .from = "tests/fuzz/corpus/hlo/scheduled"},
    {"m-buffer-assignment.txt", .text = "allocation 0: size 128, preallocated-temp:\n value: <1 "
                                        "fusion @0> (size=128,offset=0): f\n"},
    {"kept.stowage", .text = "stowage-session 1\ninput graph.json\ndigest "
                             "3c1ebaa7be043316\nplanner greedy-by-size\nseed 1\n"
                             "program d452329c5f67fdab first.lua\ncommands\nlast\npin t "
                             "320\nlast\nresize t 70\nlast\nplanner \"first.lua\"\n"
                             "last\nbreak size > 50\nfilter [tu]\nmark a\n"},
    {"first.lua", .text = "return {name = 'lowest', summary = 'each buffer at its lowest free place', plan = "
                          "function(problem, layout)\n"
                          "  for _, b in ipairs(problem.buffers) do\n"
                          "    for _, gap in ipairs(b.planned and layout:free(b, b.tiers[1]) or {}) do\n"
                          "      if not gap.hi or gap.hi - gap.start >= b.size then\n"
                          "        coroutine.yield{buffer = b, tier = b.tiers[1], offset = gap.start, reason = "
                          "'lowest of ' .. b.name}\n"
                          "        break\n"
                          "      end\n"
                          "    end\n"
                          "  end\n"
                          "end}\n"},
    {"rows.jsonl",
     .text = "{\"model\":\"a.json\",\"survey\":\"c0ffee\",\"of\":2,\"size\":1,\"changed\":2,\"state\":\"done\","
             "\"why\":null,\"figures\":{\"name\":\"a\",\"operators\":1,\"buffers\":2,\"lower_bound\":64,"
             "\"best\":96,\"best_planner\":\"first-fit\",\"order_saves\":16,\"planners\":[{\"name\":"
             "\"first-fit\",\"peak\":96,\"optimal\":true}],\"largest\":[{\"name\":\"x\",\"size\":64}],"
             "\"helps\":{\"kind\":\"pin\",\"peak\":64,\"saves\":32,\"planner\":\"first-fit\",\"commands\":"
             "\"pin x 0\"}}}\n"
             "{\"model\":\"b.json\",\"survey\":\"c0ffee\",\"of\":2,\"size\":1,\"changed\":2,\"state\":"
             "\"refused\",\"why\":\"1:1: no\",\"figures\":null}\n"},
    {"tiny.tflite", .from = "tests/fuzz/corpus/tflite/plain"},
    {"orders.lua", .text = "return {name = 'orders', cases = function() return {{}} end,\n"
                           "run = function()\n"
                           "  local graph = stowage.load('tangled.json')\n"
                           "  local order = graph:order()\n"
                           "  return {peak = order.live_peak, bound = graph:with{order = order}.lower_bound}\nend,\n"
                           "report = function(rows, out) out:table(rows) end}\n"},
    {"moves.lua",
     .text = "return {name = 'moves', cases = function() return {{}} end,\n"
             "run = function()\n"
             "local window = {kernel = {3, 3}, pad = {1, 1, 1, 1}}\n"
             "local g = stowage.graph{name = 'g', operators = {\n"
             "{name = 'a', inputs = {'x'}, outputs = {'m'}, window = window, macs = 9},\n"
             "{name = 'b', inputs = {'m'}, outputs = {'y'}, window = window, macs = 9}}, buffers = {\n"
             "{name = 'x', kind = 'input', dtype = 'int8', shape = {1, 6, 4, 1}},\n"
             "{name = 'm', dtype = 'int8', shape = {1, 6, 4, 9}},\n"
             "{name = 'y', kind = 'output', dtype = 'int8', shape = {1, 6, 4, 1}}}}\n"
             "local why\n"
             "local f = g:fit{moves = {'strips', {name = 'own', search = function(p, try)\n"
             "try{{kind = 'order', operators = {'a', 'b'}}, {kind = 'strips', first = 'a', last = 'b', strips = 3}}\n"
             "why = select(2, try{{kind = 'strips', first = 'a', strips = 30}}) end}}, cost = function(m) return "
             "m.head end}\n"
             "local best = f.models[f.chosen]\n"
             "return {models = #f.models, head = best.head, bound = g:with{moves = best.moves}.lower_bound, why = why} "
             "end,\n"
             "report = function(rows, out) out:table(rows) end}\n"},
    {"experiment.lua", .text = "return {name = 'tiny', cases = function(args)\n"
                               "  local list = {}\n"
                               "  for i = 1, args.n or 2 do list[i] = {planner = i % 2 == 0 and 'first-fit' or "
                               "'best-fit'} end\n"
                               "  return list\nend,\n"
                               "run = function(case)\n"
                               "  local result = stowage.load('graph.json'):plan{planner = case.planner}\n"
                               "  return {planner = case.planner, peak = result.peak}\nend,\n"
                               "report = function(rows, out)\n"
                               "  out:text('peaks')\n  out:markdown(rows, {'planner', 'peak'})\n"
                               "  out:csv('rows.csv', rows, {'planner', 'peak'})\n"
                               "  out:plot('rows.svg', {title = 'peaks', x = 'n', y = 'peak', series = {{name = 'p', "
                               "points = {{1, rows[1].peak},"
                               " {2, rows[2].peak}}}}})\nend}\n"},
    {"plots.lua",
     .text = "return {name = 'plots', cases = function() return {{n = 1}, {n = 2}} end,\n"
             "run = function(case) return {n = case.n} end,\n"
             "report = function(rows, out)\n"
             "  local both = {{name = 'p', points = {{1, 8}, {2, 64}}}, {name = 'q', points = {{1, 8}, {2, 9}}}}\n"
             "  out:plot('named.svg', {names = {'a', 'b'}, y = 'peak', series = both})\n"
             "  out:plot('bytes.html', {x = 'n', log_x = true, log_y = true, bytes_y = true, series = both})\n"
             "end}\n"},
};
const unsigned starve_file_count = sizeof starve_files / sizeof *starve_files;
