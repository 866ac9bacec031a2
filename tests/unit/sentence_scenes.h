/* Runs, and what their decisions say: small problems that bring out every kind of decision, planner by planner.
 * For test_sentences.c. */
#ifndef SW_TESTS_SENTENCE_SCENES_H
#define SW_TESTS_SENTENCE_SCENES_H

#include <stdbool.h>

/* The first decision of each kind in a run, word for word. */
struct scene {
    const char *planner, *input;
    bool inplace;
    const char *settings[5][2];
    struct {
        const char *kind, *sentence;
    } rows[16];
    const char *also[5]; /* said by some decision of that run */
};

/* ---- small problems that bring out every kind ---- */

/* The tensor in the middle is the large one. */
static const char strips[] = "{\"format\":\"stowage-graph\",\"version\":1,\"operators\":["
                             "{\"name\":\"a\",\"kind\":\"conv_2d\",\"inputs\":[\"x\"],\"outputs\":[\"m\"],\"window\":{"
                             "\"kernel\":[1,1]},\"macs\":65536},"
                             "{\"name\":\"b\",\"kind\":\"conv_2d\",\"inputs\":[\"m\"],\"outputs\":[\"y\"],\"window\":{"
                             "\"kernel\":[3,3],\"pad\":[1,1,1,1]},\"macs\":589824}],"
                             "\"buffers\":["
                             "{\"name\":\"x\",\"kind\":\"input\",\"dtype\":\"int8\",\"shape\":[1,16,16,4]},"
                             "{\"name\":\"m\",\"dtype\":\"int8\",\"shape\":[1,16,16,64]},"
                             "{\"name\":\"y\",\"kind\":\"output\",\"dtype\":\"int8\",\"shape\":[1,16,16,4]}]}";

static const char requests[] = "event,id,size\n"
                               "alloc,a,100\n"
                               "alloc,b,3000000\n"
                               "alloc,c,9000000\n"
                               "free,b,\n"
                               "free,a,\n"
                               "alloc,d,2500000\n"
                               "alloc,z,0\n"
                               "free,c,\n"
                               "empty_cache\n"
                               "alloc,e,6000000000\n";

static const char orders[] = "id,start,end,size\n"
                             "a,1,4,5\n"
                             "b,1,6,3\n"
                             "c,1,6,4\n"
                             "d,2,3,2\n"
                             "e,5,6,1\n"
                             "f,5,6,6\n";

static const char in_place[] =
    "{\"format\":\"stowage-graph\",\"version\":1,\"name\":\"inpl\",\"operators\":[\n"
    "{\"name\":\"f1\",\"inputs\":[\"x\"],\"outputs\":[\"a\"]},{\"name\":\"r\",\"kind\":\"relu\","
    "\"inplace\":true,\"inputs\":[\"a\"],\"outputs\":[\"b\"]},{\"name\":\"g\",\"inputs\":[\"b\"],"
    "\"outputs\":[\"y\"]}],\n"
    "\"buffers\":[{\"name\":\"x\",\"kind\":\"input\",\"size\":64},{\"name\":\"a\",\"size\":100},{"
    "\"name\":\"b\",\"size\":100},{\"name\":\"y\",\"kind\":\"output\",\"size\":10}]}\n";

/* Six operators in an order that matters; in the best one four of them stand elsewhere. */
static const char tangled[] = "{\"format\":\"stowage-graph\",\"version\":1,\"operators\":[\n"
                              "{\"name\":\"op0\",\"inputs\":[\"x\"],\"outputs\":[\"t0\"]},\n"
                              "{\"name\":\"op1\",\"inputs\":[\"t0\"],\"outputs\":[\"t1\"]},\n"
                              "{\"name\":\"op2\",\"inputs\":[\"t1\"],\"outputs\":[\"t2\"]},\n"
                              "{\"name\":\"op3\",\"inputs\":[\"x\",\"t2\"],\"outputs\":[\"t3\"]},\n"
                              "{\"name\":\"op4\",\"inputs\":[\"t0\"],\"outputs\":[\"t4\"]},\n"
                              "{\"name\":\"op5\",\"inputs\":[\"t1\",\"t4\",\"t2\"],\"outputs\":[\"t5\"]}],\n"
                              "\"buffers\":[\n"
                              "{\"name\":\"x\",\"kind\":\"input\",\"size\":80},\n"
                              "{\"name\":\"t0\",\"size\":208},\n"
                              "{\"name\":\"t1\",\"size\":32},\n"
                              "{\"name\":\"t2\",\"size\":128},\n"
                              "{\"name\":\"t3\",\"size\":208},\n"
                              "{\"name\":\"t4\",\"size\":208},\n"
                              "{\"name\":\"t5\",\"size\":64,\"kind\":\"output\"}]}\n";

/* An output that is read before the end. */
static const char ends[] =
    "{\"format\":\"stowage-graph\",\"version\":1,\"name\":\"ends\",\"operators\":[\n"
    "{\"name\":\"e\",\"inputs\":[\"x\"],\"outputs\":[\"a\"]},{\"name\":\"f\",\"inputs\":[\"a\"],"
    "\"outputs\":[\"b\"]},{\"name\":\"g\",\"inputs\":[\"b\"],\"outputs\":[\"y\"]}],\n"
    "\"buffers\":[{\"name\":\"x\",\"kind\":\"input\",\"size\":64},{\"name\":\"a\",\"kind\":\"output\","
    "\"size\":100},{\"name\":\"b\",\"size\":100},{\"name\":\"y\",\"kind\":\"output\",\"size\":10}]}\n";

static const char built[] =
    "{\"format\":\"stowage-graph\",\"version\":1,\"name\":\"built\",\"offsets\":\"plan\","
    "\"operators\":[],\"buffers\":[{\"name\":\"a\",\"size\":50,\"first\":0,\"last\":1,\"offset\":0}"
    ",{\"name\":\"b\",\"size\":40,\"first\":1,\"last\":2,\"offset\":50}]}\n";

static const char recorded[] =
    "{\"stowage-trace\":1,\"planner\":\"ours\"}\n"
    "{\"buffer\":\"a\",\"size\":50,\"first\":0,\"last\":1}\n{\"buffer\":\"b\",\"size\":40,\"first\":1,\"last\":2}\n"
    "{\"buffer\":\"c\",\"size\":30,\"first\":1,\"last\":2,\"alignment\":8}\n"
    "{\"decision\":\"place\",\"buffer\":\"a\",\"offset\":0,\"reason\":\"the first\"}\n"
    "{\"decision\":\"contemplate\",\"buffer\":\"b\",\"reason\":\"two places are free\"}\n"
    "{\"decision\":\"append\",\"buffer\":\"b\",\"offset\":50}\n"
    "{\"decision\":\"move\",\"buffer\":\"b\",\"offset\":60,\"reason\":\"on second thoughts\"}\n"
    "{\"decision\":\"place\",\"buffer\":\"c\",\"offset\":70}\n"
    "{\"decision\":\"place\",\"buffer\":\"c\",\"offset\":24,\"sentence\":\"puts c where it likes\"}\n"
    "{\"end\":\"done\"}\n";

static const char frees[] =
    "{\"format\":\"stowage-graph\",\"version\":1,\"name\":\"frees\",\"operators\":[\n"
    "{\"name\":\"op0\",\"inputs\":[],\"outputs\":[\"b0\"]},{\"name\":\"op1\",\"inputs\":[\"b0\"],"
    "\"outputs\":[\"b1\"]},{\"name\":\"op2\",\"inputs\":[\"b1\"],\"outputs\":[\"b2\"]},{\"name\":"
    "\"op3\",\"inputs\":[\"b1\",\"b2\"],\"outputs\":[\"b3\"]},{\"name\":\"op4\",\"inputs\":[\"b3\"]"
    ",\"outputs\":[\"b4\"]},{\"name\":\"op5\",\"inputs\":[\"b4\"],\"outputs\":[\"b5\"]}],\n"
    "\"buffers\":[{\"name\":\"b0\",\"size\":100},{\"name\":\"b1\",\"size\":50},{\"name\":\"b2\","
    "\"size\":120},{\"name\":\"b3\",\"size\":10},{\"name\":\"b4\",\"size\":30},{\"name\":\"b5\","
    "\"size\":150}]}\n";

static const char grained[] = "id,start,end,size,alignment\n"
                              "a,7,12,6,4\n"
                              "b,8,13,9,4\n"
                              "c,6,12,7,8\n"
                              "d,3,7,7,1\n"
                              "e,5,11,15,1\n"
                              "f,5,7,6,8\n"
                              "g,6,11,15,1\n"
                              "h,6,11,9,8\n"
                              "i,4,10,10,4\n"
                              "j,5,7,15,1\n";

static const char hard[] = "id,start,end,size\n"
                           "b0,6,8,1\n"
                           "b1,5,9,13\n"
                           "b2,3,5,12\n"
                           "b3,2,4,7\n"
                           "b4,8,13,17\n"
                           "b5,6,9,18\n"
                           "b6,1,6,1\n"
                           "b7,4,7,4\n"
                           "b8,2,6,9\n"
                           "b9,3,4,19\n";

static const char tiers[] = "{\n"
                            " \"format\":\"stowage-graph\",\n"
                            " \"version\":1,\n"
                            " \"name\":\"two_tiers\",\n"
                            " \"alignment\":1,\n"
                            " \"tiers\":[\n"
                            "  {\"name\":\"sram\",\"capacity\":100,\"bandwidth\":16,\"latency\":1,\"conflict\":0},\n"
                            "  {\"name\":\"dram\",\"capacity\":1024,\"bandwidth\":4,\"latency\":10,\"conflict\":0}\n"
                            " ],\n"
                            " \"operators\":[\n"
                            "  {\"name\":\"op0\",\"inputs\":[\"w\"],\"outputs\":[\"h1\"]},\n"
                            "  {\"name\":\"op1\",\"inputs\":[\"h1\"],\"outputs\":[\"h2\"]},\n"
                            "  {\"name\":\"op2\",\"inputs\":[\"h2\"],\"outputs\":[\"h3\"]},\n"
                            "  {\"name\":\"op3\",\"inputs\":[\"w\",\"h3\"],\"outputs\":[\"y\"]}\n"
                            " ],\n"
                            " \"buffers\":[\n"
                            "  {\"name\":\"w\",\"kind\":\"input\",\"size\":60},\n"
                            "  {\"name\":\"h1\",\"size\":60},\n"
                            "  {\"name\":\"h2\",\"size\":60},\n"
                            "  {\"name\":\"h3\",\"size\":60},\n"
                            "  {\"name\":\"y\",\"kind\":\"output\",\"size\":10}\n"
                            " ]\n"
                            "}\n";

static const char objects[] =
    "{\"format\":\"stowage-graph\",\"version\":1,\"name\":\"objects\",\"tiers\":[{\"name\":"
    "\"device\",\"capacity\":100}],\"operators\":[],\"buffers\":[\n"
    "{\"name\":\"A\",\"size\":50,\"first\":1,\"last\":9,\"accesses\":[1,7]},{\"name\":\"B\","
    "\"size\":40,\"first\":1,\"last\":9,\"accesses\":[2,6]},\n"
    "{\"name\":\"C\",\"size\":30,\"first\":1,\"last\":9,\"accesses\":[3,5]},{\"name\":\"D\","
    "\"size\":20,\"first\":1,\"last\":9,\"accesses\":[4]},{\"name\":\"E\",\"size\":10,\"first\":1,"
    "\"last\":9,\"accesses\":[8]}]}\n";

static const char mergeable[] =
    "{\"format\":\"stowage-graph\",\"version\":1,\"name\":\"merge\",\"tiers\":[{\"name\":"
    "\"device\",\"capacity\":100}],\"operators\":[],\"buffers\":[\n"
    "{\"name\":\"R1\",\"size\":60,\"first\":1,\"last\":10,\"accesses\":[1,2,5]},{\"name\":\"R2\","
    "\"size\":50,\"first\":1,\"last\":10,\"accesses\":[3,4]},\n"
    "{\"name\":\"R3\",\"size\":40,\"first\":1,\"last\":10,\"accesses\":[6]},{\"name\":\"S1\","
    "\"size\":8,\"first\":1,\"last\":10,\"accesses\":[7]},{\"name\":\"S2\",\"size\":6,\"first\":1,"
    "\"last\":10,\"accesses\":[8,10]},{\"name\":\"S3\",\"size\":4,\"first\":1,\"last\":10,"
    "\"accesses\":[9]}]}\n";

static const char tokens[] =
    "{\"format\":\"stowage-graph\",\"version\":1,\"name\":\"tokens\",\n"
    "\"units\":[{\"name\":\"cpu\"},{\"name\":\"npu\",\"dedicated\":true,\"dtype\":\"int8\","
    "\"alignment\":64}],\n"
    "\"functions\":[{\"name\":\"host\",\"unit\":\"cpu\"},{\"name\":\"body\",\"unit\":\"npu\"},{"
    "\"name\":\"tail\",\"unit\":\"cpu\"}],\n"
    "\"operators\":[{\"name\":\"f1\",\"function\":\"host\",\"inputs\":[\"x\"],\"outputs\":[\"a\"]},"
    "\n"
    "{\"name\":\"f2\",\"function\":\"body\",\"inputs\":[\"a\"],\"outputs\":[\"b\"]},\n"
    "{\"name\":\"r2\",\"inplace\":true,\"function\":\"body\",\"inputs\":[\"b\"],\"outputs\":["
    "\"b2\"]},\n"
    "{\"name\":\"f3\",\"function\":\"body\",\"inputs\":[\"a\",\"b2\"],\"outputs\":[\"c\"]},\n"
    "{\"name\":\"f4\",\"function\":\"tail\",\"inputs\":[\"c\"],\"outputs\":[\"e\"]},\n"
    "{\"name\":\"f5\",\"function\":\"tail\",\"inputs\":[\"e\"],\"outputs\":[\"d\"]}],\n"
    "\"buffers\":[{\"name\":\"x\",\"kind\":\"input\",\"shape\":[1024],\"dtype\":\"float32\"},{"
    "\"name\":\"a\",\"shape\":[1024],\"dtype\":\"float32\"},{\"name\":\"b\",\"shape\":[512],"
    "\"dtype\":\"float32\"},{\"name\":\"b2\",\"shape\":[512],\"dtype\":\"float32\"},\n"
    "{\"name\":\"c\",\"shape\":[1024],\"dtype\":\"float32\"},{\"name\":\"e\",\"shape\":[128],"
    "\"dtype\":\"float32\"},{\"name\":\"d\",\"kind\":\"output\",\"shape\":[1024],\"dtype\":"
    "\"float32\"}]}\n";

/* ---- the sentences ---- */

static const struct scene scenes[] = {
    {"cuda-caching",
     requests,
     false,
     {{"limit", "62914560"}},
     {
         {"request", "asks for 100 B for a: the next request"},
         {"round", "rounds a up, 100 -> 512 B: 512 B is the least"},
         {"find", "finds no free block of 512 B for a: no free block of its pool and stream is "
                  "large enough"},
         {"grow", "gets 2,097,152 B from the device at memory+0, where a lies now: a segment for "
                  "requests of up to 1 MiB"},
         {"split", "splits off 2,096,640 B at memory+512, which stays free: the rest is at least 512 B"},
         {"release", "frees b, 3,000,320 B at memory+2097152: the program gives it back"},
         {"merge", "joins the freed 512 B with what is free beside it, to 2,097,152 B at memory+0: "
                   "free neighbors become one block"},
         {"fail", "is out of memory for e (6,000,000,000 B), with 20,971,520 B reserved, 3,000,320 "
                  "B allocated and a largest free block of 17,971,200 B: no free block serves, and "
                  "the device or the limit allows no new segment"},
     },
     {"puts c into 17,971,200 B free at memory+5097472: the smallest of its pool and stream that "
      "is large enough",
      "frees a, 512 B at memory+0: the program gives it back",
      "puts d into 3,000,320 B free at memory+2097152: the smallest of its pool and stream that is "
      "large enough",
      "gives z nothing: a request for 0 bytes gets nothing"}},
    {"bfc-arena",
     requests,
     false,
     {{"limit", "62914560"}},
     {
         {"request", "asks for 100 B for a: the next request"},
         {"round", "rounds a up, 100 -> 256 B: up to a multiple of 256"},
         {"find", "finds no free block of 256 B for a: there is no free chunk"},
         {"grow", "gets 1,048,576 B from the device at memory+0: the next region"},
         {"split", "splits off 1,048,320 B at memory+256, which stays free: the chunk is at least "
                   "twice as large as needed"},
         {"release", "frees b, 4,194,304 B at memory+1048576: the program gives it back"},
         {"merge", "joins the freed 256 B with what is free beside it, to 1,048,576 B at memory+0: "
                   "free neighbors become one block"},
         {"fail", "is out of memory for e (6,000,000,000 B), with 5,242,880 B reserved, 4,194,304 "
                  "B allocated and a largest free block of 1,048,576 B: no free chunk is large "
                  "enough, and the arena cannot grow"},
     },
     {"puts a into 1,048,576 B free at memory+0: the smallest free chunk that is large enough",
      "puts b into 4,194,304 B free at memory+1048576: the smallest free chunk that is large "
      "enough",
      "puts c into 16,777,216 B free at memory+5242880: the smallest free chunk that is large "
      "enough",
      "frees a, 256 B at memory+0: the program gives it back"}},
    {"ggml-dyn",
     requests,
     false,
     {{"limit", "62914560"}},
     {
         {"request", "asks for 100 B for a: the next request"},
         {"round", "rounds a up, 100 -> 128 B: up to a multiple of the alignment"},
         {"find", "finds no free block of 128 B for a: no free block serves"},
         {"grow", "gets 128 B from the device at memory+0, where a lies now: no chunk has a free "
                  "block that is large enough, so a new one is made"},
         {"release", "frees b, 3,000,000 B at memory+128: the program gives it back"},
         {"merge", "joins the freed 128 B with what is free beside it, to 3,000,128 B at memory+0: "
                   "free neighbors become one block"},
         {"split", "splits off 500,128 B at memory+2500000, which stays free: whatever is left stays free"},
         {"fail", "is out of memory for e (6,000,000,000 B), with 12,000,128 B reserved, 2,500,000 "
                  "B allocated and a largest free block of 9,500,128 B: no free block is large "
                  "enough, and the memory may not grow"},
     },
     {"puts b into 3,000,000 B free at memory+128: of the chunks' last blocks, the one that raises "
      "the top least, or leaves least below it",
      "puts c into 9,000,000 B free at memory+3000128: of the chunks' last blocks, the one that "
      "raises the top least, or leaves least below it",
      "frees a, 128 B at memory+0: the program gives it back",
      "puts d into 3,000,128 B free at memory+0: the smallest that is large enough, the last block "
      "of each chunk spared"}},
    {"tlsf",
     requests,
     false,
     {{"limit", "62914560"}},
     {
         {"request", "asks for 100 B for a: the next request"},
         {"round", "rounds a up, 100 -> 104 B: up to a multiple of the alignment"},
         {"find", "puts a into 104 B free at memory+0: the newest of the first list that is not empty"},
         {"release", "frees b, 3,000,000 B at memory+104: the program gives it back"},
         {"merge", "joins the freed 104 B with what is free beside it, to 3,000,104 B at memory+0: "
                   "free neighbors become one block"},
         {"split", "splits off 500,104 B at memory+2500000, which stays free: the rest is large "
                   "enough for a block"},
         {"grow", "asks the device for 6,000,000,000 B in vain: the payload would reach above the limit"},
         {"fail", "is out of memory for e (6,000,000,000 B), with 12,000,104 B reserved, 2,500,000 B "
                  "allocated and a largest free block of 9,500,104 B: the limit does not leave so much"},
     },
     {"puts b into 3,000,000 B free at memory+104: the newest of the first list that is not empty",
      "puts c into 9,000,000 B free at memory+3000104: the newest of the first list that is not "
      "empty",
      "frees a, 104 B at memory+0: the program gives it back",
      "puts d into 3,000,104 B free at memory+0: the newest of the first list that is not empty"}},
    {"buddy",
     requests,
     false,
     {{"limit", "62914560"}},
     {
         {"request", "asks for 100 B for a: the next request"},
         {"round", "rounds a up, 100 -> 256 B: up to the least size of a block"},
         {"find", "finds no free block of 256 B for a: there is no free block"},
         {"grow", "gets 256 B from the device at memory+0: an empty arena becomes as large as the request"},
         {"release", "frees b, 4,194,304 B at memory+4194304: the program gives it back"},
         {"merge", "joins the freed 256 B with what is free beside it, to 512 B at memory+0: free "
                   "neighbors become one block"},
         {"split", "splits off 8,388,608 B at memory+8388608, which stays free: the block is "
                   "halved, and the low half kept"},
         {"fail", "is out of memory for e (8,589,934,592 B), with 33,554,432 B reserved, 4,194,304 "
                  "B allocated and a largest free block of 16,777,216 B: no free block is large "
                  "enough, and the arena may not grow"},
     },
     {"puts a into 256 B free at memory+0: the lowest of the smallest size that has a free block",
      "puts b into 4,194,304 B free at memory+4194304: the lowest of the smallest size that has a "
      "free block",
      "puts c into 16,777,216 B free at memory+16777216: the lowest of the smallest size that has "
      "a free block",
      "frees a, 256 B at memory+0: the program gives it back"}},
    {"free-list",
     requests,
     false,
     {{"limit", "62914560"}},
     {
         {"request", "asks for 100 B for a: the next request"},
         {"round", "rounds a up, 100 -> 112 B: up to a multiple of the alignment"},
         {"find", "finds no free block of 112 B for a: there is no free block"},
         {"grow", "gets 112 B from the device at memory+0, where a lies now: no free block is "
                  "large enough"},
         {"release", "frees b, 3,000,000 B at memory+112: the program gives it back"},
         {"merge", "joins the freed 112 B with what is free beside it, to 3,000,112 B at memory+0: "
                   "free neighbors become one block"},
         {"split", "splits off 500,112 B at memory+2500000, which stays free: the rest is at least "
                   "as large as the alignment"},
         {"fail", "is out of memory for e (6,000,000,000 B), with 12,000,112 B reserved, 2,500,000 "
                  "B allocated and a largest free block of 9,500,112 B: no free block is large "
                  "enough, and the arena may not grow"},
     },
     {"frees a, 112 B at memory+0: the program gives it back",
      "puts d into 3,000,112 B free at memory+0: the lowest that is large enough",
      "gives z nothing: a request for 0 bytes gets nothing",
      "asks the device for 5,990,499,888 B in vain: the arena would be larger than the limit"}},
    {"first-fit",
     orders,
     false,
     {{NULL, NULL}},
     {
         {"place", "places a (5 B) at memory+0: lowest offset that fits"},
     },
     {NULL}},
    {"best-fit",
     orders,
     false,
     {{NULL, NULL}},
     {
         {"place", "places a (5 B) at memory+0: nothing lies in its way, so it goes to the bottom"},
     },
     {NULL}},
    {"greedy-by-size",
     orders,
     false,
     {{NULL, NULL}},
     {
         {"place", "places f (6 B) at memory+0: nothing lies in its way, so it goes to the bottom"},
     },
     {NULL}},
    {"greedy-by-breadth",
     orders,
     false,
     {{NULL, NULL}},
     {
         {"place", "places a (5 B) at memory+0: nothing lies in its way, so it goes to the bottom"},
     },
     {NULL}},
    {"tflm-greedy",
     orders,
     false,
     {{NULL, NULL}},
     {
         {"place", "places f (6 B) at memory+0: lowest offset that fits"},
     },
     {NULL}},
    {"first-fit",
     in_place,
     true,
     {{NULL, NULL}},
     {
         {"place", "places x (64 B) at memory+0: lowest offset that fits"},
     },
     {"places b (100 B) at memory+64, in place with a: lowest offset that fits"}},
    {"as-built",
     built,
     false,
     {{NULL, NULL}},
     {
         {"place", "places a (50 B) at memory+0: as the plan says"},
     },
     {NULL}},
    {"recorded",
     recorded,
     false,
     {{NULL, NULL}},
     {
         {"place", "places a (50 B) at memory+0: the first"},
         {"other", "contemplate b (40 B): two places are free"},
         {"append", "appends b (40 B) at memory+50, arena 50 -> 90 B"},
         {"move", "moves b (40 B) to memory+60, from 50: on second thoughts"},
     },
     {"places c (30 B) at memory+70, over b; it is not aligned", "puts c where it likes; it lies over another block"}},
    {"lifetime-best-fit",
     frees,
     false,
     {{NULL, NULL}},
     {
         {"append", "appends b0 (100 B) at memory+0, arena 0 -> 100 B: no block is free, so the "
                    "arena grows at its end"},
         {"release", "releases b0: 100 B free at memory+0, as its last use is over"},
         {"grow", "enlarges the free space at memory+0 by 20 B for b2 (120 B), which moves b1 and "
                  "all above it up: the largest free block"},
         {"coalesce", "joins the freed space of b1 with 120 B free below, 50 -> 170 B free at "
                      "memory+0: it touches free space below"},
         {"place", "places b4 (30 B) at memory+0: smallest free block that fits"},
     },
     {NULL}},
    {"lifetime-best-fit",
     ends,
     false,
     {{"events", "true"}},
     {
         {"derive", "begins the lifetimes of 4 buffers, each where it is born: each ends there, until an operator "
                    "uses it later"},
         {"widen", "ends the lifetime of a at 1 and not at 0: f uses it"},
         {"append", "appends x (64 B) at memory+0, arena 0 -> 64 B: no block is free, so the arena grows at its end"},
         {"release", "releases x: 64 B free at memory+0, as its last use is over"},
         {"grow", "enlarges the free space at memory+0 by 36 B for b (100 B), which moves a and all above it up: the "
                  "largest free block"},
     },
     {"ends the lifetime of a at 2 and not at 1: an output of the network lives to the last step"}},
    {"lifetime-best-fit",
     hard,
     false,
     {{"events", "true"}},
     {
         {"derive", "begins the lifetimes of 10 buffers, each where it is born: each ends there, until an operator "
                    "uses it later"},
         {"widen", "ends the lifetime of b6 in the step that begins at time 6: the file gives its lifetime"},
         {"append", "appends b6 (1 B) at memory+0, arena 0 -> 1 B: no block is free, so the arena grows at its end"},
         {"release", "releases b3: 7 B free at memory+1, as its last use is over"},
         {"place", "places b1 (13 B) at memory+29: smallest free block that fits"},
         {"grow", "enlarges the free space at memory+17 by 6 B for b5 (18 B), which moves b1 and all above it up: "
                  "the largest free block"},
         {"coalesce", "joins the freed space of b6 with 7 B free above, 1 -> 8 B free at memory+0: it touches free "
                      "space above"},
     },
     {"joins the freed space of b1 with 18 B free below and 10 B free above, 13 -> 41 B free at memory+17: it touches "
      "free space below and above"}},
    {"lifetime-best-fit",
     in_place,
     true,
     {{NULL, NULL}},
     {
         {"append", "appends x (64 B) at memory+0, arena 0 -> 64 B: no block is free, so the arena "
                    "grows at its end"},
         {"release", "releases x: 64 B free at memory+0, as its last use is over"},
         {"place", "places b (100 B) at memory+64, in place with a: smallest free block that fits"},
     },
     {NULL}},
    {"improve",
     grained,
     false,
     {{NULL, NULL}},
     {
         {"place", "places e (15 B) at memory+0: nothing lies in its way, so it goes to the bottom"},
         {"incumbent", "finds a layout of 94 B, best 102 -> 94 B: every block has found a place "
                       "below the target"},
         {"repair", "puts 882 blocks back below 90 B, pushes 872 out, 2 left: fewer blocks are "
                    "left than ever"},
         {"finish", "answers with a layout of 93 B: the last rounds gained nothing"},
     },
     {NULL}},
    {"auto",
     grained,
     false,
     {{NULL, NULL}},
     {
         {"place", "places e (15 B) at memory+0: nothing lies in its way, so it goes to the bottom"},
         {"evaluate", "measures a layout of 102 B: greedy-by-size is the best so far"},
         {"append", "appends d (7 B) at memory+0, arena 0 -> 7 B: no block is free, so the arena "
                    "grows at its end"},
         {"grow", "enlarges the free space at memory+7 by 16 B for e (15 B), which moves i and all "
                  "above it up: the largest free block"},
         {"release", "releases d: 7 B free at memory+0, as its last use is over"},
         {"coalesce", "joins the freed space of f with 1 B free below and 2 B free above, 6 -> 9 B free at memory+87: "
                      "it touches free space below and above"},
         {"incumbent", "finds a layout of 102 B: greedy-by-size gives the best layout so far"},
         {"repair", "puts 882 blocks back below 90 B, pushes 872 out, 2 left: fewer blocks are "
                    "left than ever"},
         {"search", "searches through 5496 decisions for a layout below 102 B: nothing lower was "
                    "found on the way"},
         {"proved", "proves that 93 B is the least: every other layout was tried or cannot be "
                    "lower"},
         {"finish", "answers with a layout of 93 B: branch-and-bound wins, as it proved that "
                    "nothing is lower"},
     },
     {NULL}},
    {"auto",
     orders,
     false,
     {{NULL, NULL}},
     {
         {"place", "places f (6 B) at memory+0: nothing lies in its way, so it goes to the bottom"},
         {"evaluate", "measures a layout of 15 B: greedy-by-size is the best so far"},
         {"append", "appends a (5 B) at memory+0, arena 0 -> 5 B: no block is free, so the arena "
                    "grows at its end"},
         {"release", "releases d: 2 B free at memory+12, as its last use is over"},
         {"grow", "enlarges the free space at memory+0 by 1 B for f (6 B), which moves b and all "
                  "above it up: the largest free block"},
         {"incumbent", "finds a layout of 15 B: greedy-by-size gives the best layout so far"},
         {"proved", "proves that 14 B is the least: every other layout was tried or cannot be lower"},
         {"finish", "answers with a layout of 14 B: branch-and-bound wins, as it meets the lower bound"},
     },
     {NULL}},
    {"branch-and-bound",
     hard,
     false,
     {{NULL, NULL}},
     {
         {"incumbent", "finds a layout of 63 B: greedy-by-size gives the best layout so far"},
         {"evaluate", "measures a layout of 65 B, best still 63 B: greedy-by-breadth is no better "
                      "than the best so far"},
         {"branch", "opens a node with 10 candidates, first b5 (18 B) at memory+0: the lowest "
                    "candidate goes first"},
         {"place", "places b5 (18 B) at memory+0: its lowest offset on top of what is placed"},
         {"backtrack", "takes b6 (1 B) back from memory+56: no candidate is left at the node above"},
         {"prune", "cuts off this node: at time 4, 4 B still to be placed above 53 would end at 57 B, and "
                   "more than 56 B is no better (rule floor)"},
         {"proved", "proves that 52 B is the least: every other layout was tried or cannot be lower"},
     },
     {"finds a layout of 58 B, best 63 -> 58 B: lifetime-best-fit gives the best layout so far"}},
    {"branch-and-bound",
     hard,
     false,
     {{"branching", "pivot"}},
     {
         {"incumbent", "finds a layout of 63 B: greedy-by-size gives the best layout so far"},
         {"evaluate", "measures a layout of 65 B, best still 63 B: greedy-by-breadth is no better "
                      "than the best so far"},
         {"restart", "begins again, for a layout within 52 B: every round asks at the most crowded "
                     "step which block lies lowest there"},
         {"branch", "opens a node with 5 candidates, first b5 (18 B) at memory+0: at the step with "
                    "the least choice, the lowest candidate goes first"},
         {"place", "places b5 (18 B) at memory+0: its lowest offset on top of what is placed"},
         {"backtrack", "takes b3 (7 B) back from memory+40: the next candidate of the node above follows"},
         {"prune", "cuts off this node: at time 6, 6 B still to be placed above 47 would end at 53 B, and "
                   "more than 52 B is no better (rule floor)"},
         {"proved", "proves that 52 B is the least: every other layout was tried or cannot be lower"},
     },
     {NULL}},
    {"branch-and-bound",
     orders,
     false,
     {{"largest", "0"}},
     {
         {"defer", "leaves it to another method, towards the bound of 14 B: too many blocks to "
                   "search; the best greedy layout is improved"},
         {"place", "places f (6 B) at memory+0: nothing lies in its way, so it goes to the bottom"},
         {"evaluate", "measures a layout of 15 B: greedy-by-size is the best so far"},
         {"append", "appends a (5 B) at memory+0, arena 0 -> 5 B: no block is free, so the arena "
                    "grows at its end"},
         {"release", "releases d: 2 B free at memory+12, as its last use is over"},
         {"grow", "enlarges the free space at memory+0 by 1 B for f (6 B), which moves b and all "
                  "above it up: the largest free block"},
         {"incumbent", "finds a layout of 14 B, best 15 -> 14 B: every block has found a place "
                       "below the target"},
         {"finish", "answers with a layout of 14 B: too many blocks for more; the best greedy "
                    "layout, improved, meets the lower bound"},
     },
     {NULL}},
    {"branch-and-bound",
     orders,
     false,
     {{"nodes", "1"}},
     {
         {"incumbent", "finds a layout of 15 B: greedy-by-size gives the best layout so far"},
         {"evaluate", "measures a layout of 18 B, best still 15 B: greedy-by-breadth is no better "
                      "than the best so far"},
         {"branch", "opens a node with 6 candidates, first c (4 B) at memory+0: the lowest "
                    "candidate goes first"},
         {"place", "places c (4 B) at memory+0: its lowest offset on top of what is placed"},
         {"finish", "answers with a layout of 15 B: the best layout when the limit of nodes was reached"},
     },
     {NULL}},
    {"order-genetic",
     hard,
     false,
     {{"population", "4"}, {"generations", "2"}, {"choices", "plain"}},
     {
         {"individual", "draws member 0: a random order, different from those before"},
         {"decode", "decodes member 0 by first fit to a peak of 65 B, best 65 B: the lowest so far"},
         {"sort", "sorts the blocks of member 0 by start address, which gives continuity 3: so "
                  "many blocks can reuse the space of the one before them"},
         {"generation", "ends generation 0: best 58 B, mean 66 B, worst 76 B; the first population is complete"},
         {"crossover", "crosses member 1 with member 0, keeping places 4 to 5 of member 1, of continuity 1: one "
                       "of the most continuous windows, the rest in the other's order"},
         {"swap", "exchanges b4 and b8 in the child of members 1 and 0: two random positions, as a "
                  "further adjustment"},
         {"select", "keeps 4 of 8 members: the fittest of parents and children, without duplicates"},
         {"finish", "answers with a layout of 52 B: its peak is the lower bound, so nothing can be better"},
     },
     {"decodes member 2 by first fit to a peak of 76 B, best still 63 B: no lower than the best so "
      "far"}},
    {"random-order",
     hard,
     false,
     {{"evaluations", "3"}},
     {
         {"decode", "decodes a random order by first fit to a peak of 65 B, best 65 B: the best so far"},
         {"finish", "answers with a layout of 63 B: the best of all orders tried"},
     },
     {NULL}},
    {"tier-search",
     tiers,
     false,
     {{"choices", "plain"}, {"overwrite", "any"}},
     {
         {"preconf", "plans w (60 B) ahead at sram+0: smallest free space of the highest tier that fits"},
         {"evaluate", "measures the pre-configuration, cost 161.125: all later figures are compared with it"},
         {"try", "tries same-tier move on w, to sram+40, cost still 161.125: the first place from "
                 "which all later steps find room"},
         {"accept", "keeps the same-tier move of w, cost still 161.125: it stays applied for the "
                    "next action"},
         {"update", "ends segment 0, cost 80.125: a cheaper state was found in this segment"},
         {"revert", "goes back to the state of the last update, cost 120.625 -> 80.125: no "
                    "recorded state was cheaper"},
     },
     {"tries overwrite on w, which stays at sram+40: its operator has no reusable space for it",
      "plans h2 (60 B) ahead at dram+0, over h1: that block is used here for the last time",
      "tries cross-tier move on w, to dram+964, cost 161.125 -> 120.625: the first place from "
      "which all later steps find room",
      "measures the cross-tier move of w, cost 161.125 -> 120.625: recorded, as it is cheaper than "
      "the state of the last update and the cheapest of this segment so far",
      "takes the cheapest recorded state, cost 161.125 -> 80.125: it is strictly cheaper than the "
      "state of the last update"}},
    {"tier-search",
     tiers,
     false,
     {{"choices", "plain"}, {"events", "true"}, {"overwrite", "any"}},
     {
         {"preconf", "plans w (60 B) ahead at sram+0: smallest free space of the highest tier that fits"},
         {"evaluate", "measures the pre-configuration, cost 161.125: all later figures are compared with it"},
         {"release", "releases w: 60 B free at sram+0, as it is lifted to be tried elsewhere"},
         {"coalesce", "joins the freed space of w with 40 B free above, 60 -> 100 B free at sram+0: it touches free "
                      "space above"},
         {"try", "tries same-tier move on w, to sram+40, cost still 161.125: the first place from "
                 "which all later steps find room"},
         {"accept", "keeps the same-tier move of w, cost still 161.125: it stays applied for the "
                    "next action"},
         {"update", "ends segment 0, cost 80.125: a cheaper state was found in this segment"},
         {"revert", "goes back to the state of the last update, cost 120.625 -> 80.125: no "
                    "recorded state was cheaper"},
     },
     {"joins the freed space of w with 40 B free below, 60 -> 100 B free at sram+0: it touches free space below"}},
    {"tier-search",
     tiers,
     false,
     {{"choices", "plain"}, {"carry", "false"}, {"overwrite", "any"}},
     {
         {"preconf", "plans w (60 B) ahead at sram+0: smallest free space of the highest tier that fits"},
         {"evaluate", "measures the pre-configuration, cost 161.125: all later figures are compared with it"},
         {"try", "tries same-tier move on w, to sram+40, cost still 161.125: the first place from "
                 "which all later steps find room"},
         {"revert", "takes back the same-tier move of w, cost still 161.125: each action is tried "
                    "from the start of the step"},
         {"accept", "takes the cheapest recorded state, cost 161.125 -> 120.625: it is strictly "
                    "cheaper than the state of the last update"},
         {"update", "ends segment 0, cost 120.625: a cheaper state was found in this segment"},
     },
     {NULL}},
    {"tier-search",
     tiers,
     false,
     {{"choices", "plain"}, {"inside", "exhaustive"}, {"overwrite", "any"}},
     {
         {"preconf", "plans w (60 B) ahead at sram+0: smallest free space of the highest tier that fits"},
         {"evaluate", "measures the pre-configuration, cost 161.125: all later figures are compared with it"},
         {"try", "tries same-tier move on w, to sram+40, cost still 161.125: the first place from "
                 "which all later steps find room"},
         {"branch", "opens a node, with the same-tier move of w or without it: the ways part where "
                    "an action succeeds"},
         {"accept", "keeps the same-tier move of w, cost still 161.125: the way with it comes first"},
         {"backtrack", "goes back to the node of the cross-tier move of h1: the way without it is left"},
         {"revert", "takes back the cross-tier move of h1, cost 80.125 -> 120.625: now the way without it"},
         {"update", "ends segment 0, cost 80.125: a cheaper state was found in this segment"},
     },
     {"goes back to the node of the cross-tier move of h1: both ways from there are walked",
      "takes back the cross-tier move of w, cost 120.625 -> 161.125: now the way without it",
      "measures the actions that apply in segment 0, cost 80.125 -> 120.625: cheaper than the "
      "state of the last update, but not the cheapest of this segment"}},
    {"tier-search",
     tiers,
     false,
     {{"choices", "plain"}, {"inside", "beam:2"}, {"overwrite", "any"}},
     {
         {"preconf", "plans w (60 B) ahead at sram+0: smallest free space of the highest tier that fits"},
         {"evaluate", "measures the pre-configuration, cost 161.125: all later figures are compared with it"},
         {"try", "tries same-tier move on w, to sram+40, cost still 161.125: the first place from "
                 "which all later steps find room"},
         {"select", "keeps 2 of 2 states: there is room for all"},
         {"accept", "takes the cheapest recorded state, cost 161.125 -> 80.125: it is strictly "
                    "cheaper than the state of the last update"},
         {"update", "ends segment 0, cost 80.125: a cheaper state was found in this segment"},
     },
     {"tries overwrite on w in state 1, which stays at sram+40: its operator has no reusable space "
      "for it",
      "measures the cross-tier move of w, cost 161.125 -> 120.625: the same state is there already",
      "keeps 2 of 4 states: those of least cost"}},
    {"segment-genetic",
     objects,
     false,
     {{"choices", "plain"}, {"population", "6"}, {"survivors", "3"}, {"rounds", "4"}, {"mutation_first", "1"}},
     {
         {"merge", "merges nothing: no object has neighboring accesses to join"},
         {"sort", "sorts 5 objects by size: the largest first, then by first access"},
         {"choose", "chooses 2 objects of 90 B: as many of the largest objects as fit together"},
         {"partition", "cuts 90 B of memory into 2 segments: one segment for each chosen object, "
                       "which lies there at first"},
         {"individual", "draws member 0, which moves 140 B: each object but the chosen ones is in "
                        "a random segment that it fits"},
         {"evaluate", "measures the first population: best 140 B, mean 167 B, worst 180 B"},
         {"crossover", "crosses members 4 and 3, exchanging 1 object of segment 0: half of the objects "
                       "that any parent has in a random segment, where the parents differ"},
         {"mutate", "exchanges E and C in member 0: each goes to the segment of the other"},
         {"select", "keeps 3 of 6 members: those with the least migration, new and unprocessed"},
         {"immigrate", "adds 3 random members: they fill the population up"},
         {"generation", "ends generation 1: best 140 B, mean 163 B, worst 180 B; the next round"},
         {"finish", "answers with a sequence that moves 140 B: the rounds are over"},
     },
     {"measures member 0, migration 140 -> 180 B: more than before"}},
    {"segment-genetic",
     mergeable,
     false,
     {{"choices", "plain"}, {"population", "4"}, {"rounds", "0"}, {"merge_below", "10"}},
     {
         {"merge", "merges 2 accesses with the run before: no other object is accessed in between"},
         {"sort", "sorts 4 objects by size: the largest first, then by first access"},
         {"choose", "chooses 1 object of 60 B: as many of the largest objects as fit together"},
         {"partition", "cuts 60 B of memory into 1 segment: one segment for each chosen object, "
                       "which lies there at first"},
         {"individual", "draws member 0, which moves 120 B: each object but the chosen ones is in "
                        "a random segment that it fits"},
         {"evaluate", "measures the first population: best 120 B, mean 120 B, worst 120 B"},
         {"finish", "answers with a sequence that moves 120 B: the rounds are over"},
     },
     {"merges 3 small objects, first S1, into 18 B: they are small and have a stretch of the "
      "accesses to themselves"}},
    {"farthest-next-use",
     objects,
     false,
     {{NULL, NULL}},
     {
         {"fetch", "moves A (50 B) into device, migration still 0 B: it is accessed for the first "
                   "time, so that nothing is counted"},
         {"evict", "moves A (50 B) out of device for C, migration 0 -> 50 B: its next access is "
                   "the farthest"},
     },
     {"moves B (40 B) out of device for A, migration still 50 B: it is never accessed again, so "
      "that nothing is counted"}},
    {"token-sharing",
     tokens,
     false,
     {{NULL, NULL}},
     {
         {"adopt", "makes a smaller, 4,096 -> 1,024 B: the dedicated unit of its function demands it "
                   "(function layer)"},
         {"token", "gives x (4,096 B) a token with count 2: a model input or constant counts one "
                   "more than its readers"},
         {"new", "makes id 0 for x (4,096 B) at memory+0: a model input or constant has an id of "
                 "its own, which is never freed"},
         {"release", "releases id 1, which held a: 1,024 B free at memory+4096, as its last reader has run"},
         {"enlarge", "enlarges id 1 by 3,072 B, 1,024 -> 4,096 B, for d (4,096 B) at memory+4096: no "
                     "free block is large enough, and it is the largest below"},
         {"share", "shares id 0 with operator f1 for x (4,096 B) at memory+0: the operator's tensor "
                   "is its function's, so one id and no copy"},
         {"reuse", "writes b2 (2,048 B) over b, in place, id 3 at memory+9216: this operator is its "
                   "last reader"},
         {"request", "takes id 3 (2,048 B) from the free pool for e (512 B) at memory+9216: the "
                     "first block that is large enough"},
     },
     {NULL}},
    {"order",
     tangled,
     false,
     {{"then", "first-fit"}},
     {{"select", "keeps 2 of 2 ways to run 1 operator last, the best with 432 B alive at most: all "
                 "sets that may be reached"},
      {"incumbent", "finds an order with 528 B alive at most: the best of the last ways"},
      {"raise", "proves that no order needs less than 496 B, not only 432 B, since op4 needs that "
                "whenever it runs: a minimum cut"},
      {"proved", "proves that no order needs less than 528 B: the best order needs no more than the bound"},
      {"evaluate", "measures a layout of 528 B that first-fit makes of an order with 528 B alive "
                   "at most: the order with least alive"},
      {"hand-over", "gives 4 operators another place, for 528 B alive at most instead of 656 B; "
                    "first-fit goes on: no order needs less"},
      {"place", "places x (80 B) at memory+0: lowest offset that fits"}},
     {NULL}},
    {"order-exact",
     tangled,
     false,
     {{"then", "first-fit"}},
     {{"incumbent", "finds an order with 656 B alive at most: the best so far"},
      {"raise", "proves that no order needs less than 496 B, not only 432 B, since op4 needs that "
                "whenever it runs: a minimum cut"},
      {"cut", "finds by a cut that op5 runs with at least 432 B alive in every order: so "
              "much is known of all orders already"},
      {"waypoint", "finds that some least order first runs the 1 operator up to op0: no set within "
                   "it leaves less alive, and none around it"},
      {"attempt", "asks from the end whether there is an order within 511 B: between the bound and "
                  "the best order"},
      {"branch", "opens a set after which 2 operators may run last within 511 B: no move is safe"},
      {"run", "puts op3 before what runs later, with 480 B alive while it runs, 272 B before it: "
              "the first that is left to try"},
      {"prune", "goes back: no operator that may run fits"},
      {"safe", "puts last op2 at once, 320 B alive before it: it fits, and leaves no more alive "
               "than before"},
      {"proved", "proves that no order needs less than 528 B: the best order needs no more than the bound"},
      {"evaluate", "measures a layout of 528 B that first-fit makes of an order with 528 B alive "
                   "at most: the order with least alive"},
      {"hand-over", "gives 4 operators another place, for 528 B alive at most instead of 656 B; "
                    "first-fit goes on: no order needs less"},
      {"place", "places x (80 B) at memory+0: lowest offset that fits"}},
     {NULL}},
    {"order-beam",
     tangled,
     false,
     {{"then", "first-fit"}},
     {{"select", "keeps 1 of 1 ways to run 1 operator, the best with 288 B alive at most: all sets "
                 "that may be reached"},
      {"incumbent", "finds an order with 528 B alive at most: the best of the last ways"},
      {"hand-over", "gives 4 operators another place, for 528 B alive at most instead of 656 B; "
                    "first-fit goes on: the best order that was found"},
      {"place", "places x (80 B) at memory+0: lowest offset that fits"}},
     {NULL}},
    {"order-greedy",
     tangled,
     false,
     {{"then", "first-fit"}},
     {{"ready", "chooses op0 among 1 operator that may run next: no other may"},
      {"run", "runs op0, with 288 B alive while it runs, 288 B after it and at most 288 B so far: "
              "chosen by the rule"},
      {"incumbent", "finds an order with 528 B alive at most: all operators have their places"},
      {"hand-over", "gives 4 operators another place, for 528 B alive at most instead of 656 B; "
                    "first-fit goes on: the best order that was found"},
      {"place", "places x (80 B) at memory+0: lowest offset that fits"}},
     {NULL}},
    {"order-lpmf",
     tangled,
     false,
     {{"then", "first-fit"}},
     {{"ready", "chooses op0 among 1 operator that may run next: no other may"},
      {"run", "runs op0, with 288 B alive while it runs, 288 B after it and at most 288 B so far: "
              "chosen by the rule"},
      {"incumbent", "finds an order with 656 B alive at most: all operators have their places"},
      {"hand-over", "keeps the order of the file, with 656 B alive at most; first-fit goes on: the "
                    "best order that was found"},
      {"place", "places x (80 B) at memory+0: lowest offset that fits"}},
     {NULL}},
    {"fit",
     strips,
     false,
     {{NULL}},
     {{"look", "finds 46 ways to cut regions that begin with a; the best leaves 5,184 B alive there"},
      {"evaluate", "plans the model as it is, 17,408 B planned and 17,408 B with the tail: to begin with"},
      {"choose", "chooses the model with 1 move, 4,288 B planned and 4,288 B with the tail: no smaller one was found"},
      {"take", "cuts a to b into 14 strips, which computes 28 of 32 rows again, computes 1,064,960 multiply-adds more, "
               "lowers the bound from 17,408 B to 4,288 B"},
      {"hand-over", "goes on with the changed model of 59 operators, 4,288 B planned instead of 17,408 B"},
      {"place", "places x (1,024 B) at memory+3264: where the plan that was found has it"}},
     {NULL}},
};

#endif
