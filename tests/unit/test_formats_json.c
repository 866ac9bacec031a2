/* Graphs as JSON: everything version 1 can say, both ways, and every way to be wrong. */
#include "unit/formats.h"

#include <stdlib.h>
#include <unistd.h>

static const char full[] = "{\"format\":\"stowage-graph\",\"version\":1,\"name\":\"example\",\"alignment\":8,\n"
                           " \"tiers\":[{\"name\":\"sram\",\"capacity\":65536,\"bandwidth\":16,\"latency\":1.25,"
                           "\"conflict\":0.1},{\"name\":\"dram\"}],\n"
                           " \"units\":[{\"name\":\"npu\",\"dedicated\":true,\"dtype\":\"int8\",\"alignment\":64,"
                           "\"channel_multiple\":16,\"channel_axis\":-1,\"tiers\":[\"sram\"]},{\"name\":\"cpu\"}],\n"
                           " \"functions\":[{\"name\":\"f0\",\"unit\":\"npu\"},{\"name\":\"f1\"}],\n"
                           " \"overlays\":[{\"of\":\"big\",\"name\":\"left\",\"lo\":0,\"hi\":512},"
                           "{\"of\":\"left\",\"name\":\"corner\",\"lo\":16,\"hi\":32}],\n"
                           " \"separate\":[[\"x\",\"tmp\"]],\n"
                           " \"reserved\":[{\"tier\":\"sram\",\"lo\":0,\"hi\":16}],\n"
                           " \"operators\":[\n"
                           "  {\"name\":\"conv\",\"kind\":\"conv2d\",\"function\":\"f0\",\"core\":\"A\","
                           "\"inputs\":[\"x\",\"w\",\"v\"],\"outputs\":[\"left\"],\"scratch\":[\"tmp\"],"
                           "\"dtype\":\"float32\",\"window\":{\"kernel\":[3,5],\"stride\":[2,1],\"pad\":[1,0,2,2],"
                           "\"axis\":2,\"told\":true},\"macs\":1200},\n"
                           "  {\"name\":\"relu\",\"core\":\"B\",\"inputs\":[\"big\"],\"outputs\":[\"y\"],"
                           "\"inplace\":true,\"after\":[\"conv\"]},\n"
                           "  {\"name\":\"add\",\"core\":\"A\",\"inputs\":[\"y\",\"corner\"],\"outputs\":[\"z\"],"
                           "\"inplace\":[[\"y\",\"z\"]],\"after\":[\"relu\"]},\n"
                           "  {\"name\":\"nothing\"}],\n"
                           " \"buffers\":[{\"name\":\"x\",\"kind\":\"input\",\"shape\":[1,3,8,8],\"dtype\":\"int4\"},\n"
                           "  {\"name\":\"w\",\"kind\":\"constant\",\"size\":100},\n"
                           "  {\"name\":\"v\",\"kind\":\"constant\",\"size\":100,\"tiers\":[\"sram\",\"dram\"]},\n"
                           "  {\"name\":\"big\",\"size\":1024,\"alignment\":1},{\"name\":\"y\",\"size\":1024},\n"
                           "  {\"name\":\"z\",\"kind\":\"output\",\"size\":1024,\"tier\":\"dram\"},\n"
                           "  {\"name\":\"tmp\",\"kind\":\"scratch\",\"size\":64,\"tiers\":[\"sram\"],\"first\":0,"
                           "\"last\":2,\"pieces\":[{\"first\":0,\"last\":0,\"lo\":0,\"hi\":64},"
                           "{\"first\":2,\"last\":2,\"lo\":8,\"hi\":16}],\"offset\":64,\"hint\":32,"
                           "\"origin\":\"f (f.py:1)\\nmain\",\"accesses\":[0,2,2]}],\n"
                           " \"x-tool\":{\"any\":[1,{}]},\"_comment\":\"skipped\"}\n";

static void everything(void **state) {
    (void)state;
    struct sw_problem *p = must_read(full);
    assert_string_equal(sw_problem_name(p), "example");
    assert_int_equal(sw_problem_alignment(p), 8);
    assert_int_equal(sw_problem_tier_count(p), 2);
    assert_int_equal(sw_problem_tier(p, 0)->capacity, 65536);
    assert_true(sw_problem_tier(p, 0)->latency == 1.25 && sw_problem_tier(p, 0)->conflict == 0.1);
    assert_true(sw_problem_tier(p, 1)->capacity == SW_UNBOUNDED);
    assert_int_equal(sw_problem_unit(p, 0)->channel_multiple, 16);
    assert_int_equal(sw_problem_unit(p, 0)->channel_axis, -1);
    assert_int_equal(sw_problem_unit(p, 1)->channel_axis, 1);
    assert_int_equal(sw_problem_unit(p, 0)->tiers, 1);
    assert_int_equal(sw_problem_unit(p, 1)->tiers, 3);
    assert_int_equal(sw_problem_function(p, 0)->unit, 0);
    assert_int_equal(sw_problem_function(p, 1)->unit, SW_NONE);
    assert_int_equal(sw_problem_core_count(p), 3); /* A, B, and the nameless one */
    uint32_t corner = sw_problem_find_member(p, "corner");
    assert_int_equal(sw_problem_member(p, corner)->lo, 16);
    const struct sw_operator *conv = sw_problem_operator(p, 0);
    assert_string_equal(conv->kind, "conv2d");
    assert_int_equal(conv->dtype, SW_DTYPE_FLOAT32);
    const struct sw_op_window *window = conv->window;
    assert_true(window && window->told && window->axis == 2 && window->kernel[0] == 3 && window->kernel[1] == 5);
    assert_true(window->stride[0] == 2 && window->stride[1] == 1 && window->dilation[0] == 1 &&
                window->dilation[1] == 1);
    assert_true(window->before[0] == 1 && window->after[0] == 0 && window->before[1] == 2 && window->after[1] == 2);
    assert_int_equal(conv->macs, 1200);
    assert_null(sw_problem_operator(p, 1)->window);
    assert_int_equal(conv->outputs[0].member, sw_problem_find_member(p, "left"));
    assert_int_equal(sw_problem_operator(p, 1)->inplace, SW_INPLACE_ANY);
    assert_int_equal(sw_problem_operator(p, 2)->pair_count, 1);
    assert_int_equal(sw_problem_operator(p, 2)->after[0], 1);
    assert_int_equal(buffer_named(p, "x")->size, 96); /* 192 values of 4 bits */
    assert_int_equal(buffer_named(p, "x")->alignment, 8);
    assert_int_equal(buffer_named(p, "big")->alignment, 1);
    assert_false(buffer_named(p, "w")->planned);
    assert_true(buffer_named(p, "v")->planned);
    assert_int_equal(buffer_named(p, "z")->tier, 1);
    const struct sw_buffer *tmp = buffer_named(p, "tmp");
    assert_int_equal(tmp->tiers, 1);
    assert_int_equal(tmp->piece_count, 2);
    assert_int_equal(tmp->pieces[1].hi, 16);
    assert_int_equal(tmp->access_count, 3);
    assert_true(tmp->pinned && tmp->offset == 64 && tmp->has_hint && tmp->hint == 32);
    assert_string_equal(tmp->origin, "f (f.py:1)\nmain");
    assert_null(buffer_named(p, "z")->origin);
    assert_round_trip(p, "x.json");
    sw_problem_unref(p);
}

/* The format is a contract: these very bytes. */
static void written_form(void **state) {
    (void)state;
    struct sw_problem *p =
        must_read("{\"buffers\":[{\"size\":4,\"name\":\"a\\n\\\"\\u00e9\\u0001\",\"kind\":\"input\"},"
                  "{\"name\":\"b\",\"size\":8,\"kind\":\"intermediate\",\"alignment\":1}],"
                  "\"operators\":[{\"outputs\":[\"b\"],\"inputs\":[\"a\\n\\\"\xc3\xa9\\u0001\"],"
                  "\"name\":\"o\",\"inplace\":[],\"after\":[],\"scratch\":[]}],\"tiers\":[]}");
    assert_written(p, "x.json",
                   "{\"format\":\"stowage-graph\",\"version\":1,\"name\":\"file\",\n"
                   " \"tiers\":[\n"
                   "  {\"name\":\"memory\"}],\n"
                   " \"operators\":[\n"
                   "  {\"name\":\"o\",\"inputs\":[\"a\\n\\\"\xc3\xa9\\u0001\"],\"outputs\":"
                   "[\"b\"]}],\n"
                   " \"buffers\":[\n"
                   "  {\"name\":\"a\\n\\\"\xc3\xa9\\u0001\",\"kind\":\"input\",\"size\":4},\n"
                   "  {\"name\":\"b\",\"size\":8}]}\n");
    sw_problem_unref(p);
}

static void empty_and_marked(void **state) {
    (void)state;
    struct sw_problem *p = must_read("\xef\xbb\xbf \n{\"operators\":[],\"buffers\":[]}");
    assert_int_equal(sw_problem_buffer_count(p), 0);
    assert_round_trip(p, "x.json");
    sw_problem_unref(p);
}

static void what_offsets_mean(void **state) {
    (void)state;
    const struct {
        const char *offsets;
        const char *second; /* of b */
        bool pinned, plan;
    } cases[] = {
        {"", ",\"offset\":8", true, true}, /* all have one: pins, and as-built applies */
        {"", "", true, false},
        {"\"offsets\":\"pins\",", ",\"offset\":8", true, true},
        {"\"offsets\":\"plan\",", ",\"offset\":8", false, true},
        {"\"offsets\":\"plan\",", "", false, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{%s\"operators\":[],\"buffers\":["
                 "{\"name\":\"a\",\"size\":8,\"first\":0,\"last\":1,\"offset\":0},"
                 "{\"name\":\"b\",\"size\":8,\"first\":0,\"last\":1%s}]}",
                 cases[i].offsets, cases[i].second);
        struct sw_problem *p = must_read(text);
        assert_int_equal(buffer_named(p, "a")->pinned, cases[i].pinned);
        assert_int_equal(sw_problem_has_plan(p), cases[i].plan);
        assert_round_trip(p, "x.json");
        sw_problem_unref(p);
        struct sw_load_options pins = {.pins = true};
        p = read_options(text, &pins);
        assert_true(buffer_named(p, "a")->pinned);
        sw_problem_unref(p);
    }
}

/* Of the reader's caller, or of the file: a graph that is written with it has it. */
static void inplace_is_an_option(void **state) {
    (void)state;
    struct sw_load_options safe = {.inplace_safe = true};
    struct sw_problem *p = must_read(full), *q = read_options(full, &safe);
    size_t count;
    sw_problem_permits(p, &count);
    assert_int_equal(count, 0);
    assert_true(sw_problem_inplace_safe(q));
    assert_round_trip(q, "x.json");
    assert_round_trip(p, "x.json");
    sw_problem_unref(p);
    sw_problem_unref(q);
    p = must_read("{\"inplace\":\"safe\",\"operators\":[],\"buffers\":[]}");
    assert_true(sw_problem_inplace_safe(p));
    sw_problem_unref(p);
}

/* ---- what is refused ---- */

#define G(buffers) "{\"operators\":[],\n\"buffers\":[" buffers "]}"
#define B(rest) G("{\"name\":\"a\",\"size\":64,\"first\":0,\"last\":9" rest "}")
#define O(operators)                                                                    \
    "{\"operators\":[" operators "],\n\"buffers\":[{\"name\":\"x\",\"kind\":\"input\"," \
    "\"size\":4}]}"
#define H(head) "{" head ",\n\"operators\":[],\"buffers\":[]}"

static void refused_syntax(void **state) {
    (void)state;
    const struct refusal refusals[] = {
        {"{", 1, 2, "not valid JSON: string or '}' expected near end of file"},
        {"{\"operators\":[1,]}", 1, 17, "not valid JSON: unexpected token near ']'"},
        {"{\n \"a\" 1}", 2, 6, "not valid JSON: ':' expected near '1'"},
        {"{\"a\":tru}", 1, 6, "not valid JSON: invalid token near 'tru'"},
        {"{\"a\":1,\n\"a\":2}", 2, 1, "not valid JSON: duplicate object key near '\"a\"'"},
        {"{\"a\":1,\n\"aaaaaaaaaaaaaaaaaaaaaaaaaaaa\":2,\"aaaaaaaaaaaaaaaaaaaaaaaaaaaa\":3}", 2, 34,
         "not valid JSON: duplicate object key"},
        {"{\"a\":99999999999999999999}", 1, 6, "not valid JSON: too big integer near '99999999999999999999'"},
        {"{\"a\":1e999}", 1, 6, "not valid JSON: real number overflow near '1e999'"},
        {"{\"a\":\"\\u0000\"}", 1, 6,
         "not valid JSON: \\u0000 is not allowed without "
         "JSON_ALLOW_NUL near '\"\\u0000\"'"},
        {"{} x", 1, 4, "not valid JSON: end of file expected near 'x'"},
        {"{\"a\":\"b\n\"}", 1, 7, "not valid JSON: unexpected newline near '\"b'"},
        {"{\"a\":\"\xff\"}", 1, 7, "byte 0xff is not valid UTF-8"},
    };
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct sw_error error = {0};
        struct sw_input input = text_input(refusals[i].text, strlen(refusals[i].text));
        assert_null(sw_load_input(&input, NULL, &error));
        /* The words are jansson's: only the place and the beginning are ours. */
        assert_int_equal(error.code, SW_ERROR_INPUT);
        if (error.line != refusals[i].line || error.column != refusals[i].column ||
            strncmp(error.message, refusals[i].message, 14) != 0) {
            fail_msg("%s\nwanted %u:%u, got %u:%u: %s", refusals[i].text, refusals[i].line, refusals[i].column,
                     error.line, error.column, error.message);
        }
    }
}

static void refused_heads(void **state) {
    (void)state;
    const struct refusal refusals[] = {
        {H("\"format\":\"other\""), 1, 11, "the format is \"other\", not \"stowage-graph\""},
        {H("\"format\":1"), 1, 11, "\"format\" must be a string, not a whole number"},
        {H("\"version\":2"), 1, 12, "version 2 of the format is unknown; this program reads 1"},
        {H("\"version\":\"1\""), 1, 12, "\"version\" must be a whole number, not a string"},
        {H("\"name\":null"), 1, 9, "\"name\" must be a string, not null"},
        {H("\"alignment\":0"), 1, 14, "alignment 0 is out of range (1 to 1073741824)"},
        {H("\"alignment\":1.0"), 1, 14, "\"alignment\" must be a whole number, not a number with a fraction"},
        {H("\"offsets\":\"maybe\""), 1, 12, "\"offsets\" must be \"plan\" or \"pins\""},
        {H("\"bufers\":[]"), 1, 2, "unknown key \"bufers\"; the nearest known key is \"buffers\""},
        {"{\"operators\":[]}", 1, 1, "\"buffers\" is missing"},
        {"\n {\"buffers\":[]}", 2, 2, "\"operators\" is missing"},
        {"{\"operators\":{},\"buffers\":[]}", 1, 14, "\"operators\" must be a list, not an object"},
        {"{\"operators\":[],\"buffers\":[3]}", 1, 28, "this must be an object, not a whole number"},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

static void refused_tiers_and_units(void **state) {
    (void)state;
    const struct refusal refusals[] = {
        {H("\"tiers\":[{}]"), 1, 11, "\"name\" is missing"},
        {H("\"tiers\":[{\"name\":\"\"}]"), 1, 19, "the name is empty"},
        {H("\"tiers\":[{\"name\":\"t\",\"capacity\":-1}]"), 1, 34, "capacity -1 is negative"},
        {H("\"tiers\":[{\"name\":\"t\",\"capacity\":2305843009213693953}]"), 1, 34,
         "capacity 2305843009213693953 is out of range (0 to 2305843009213693952)"},
        {H("\"tiers\":[{\"name\":\"t\",\"bandwidth\":\"fast\"}]"), 1, 35,
         "\"bandwidth\" must be a number, not a string"},
        {H("\"tiers\":[{\"name\":\"t\",\"latency\":-0.5}]"), 1, 33, "latency -0.5 is negative"},
        {H("\"tiers\":[{\"name\":\"t\"},\n{\"name\":\"t\"}]"), 2, 9, "two tiers are named t"},
        {H("\"units\":[{\"name\":\"u\",\"dedicated\":1}]"), 1, 35,
         "\"dedicated\" must be true or false, not a whole number"},
        {H("\"units\":[{\"name\":\"u\",\"dtype\":\"int9\"}]"), 1, 31, "unknown dtype \"int9\" (" SW_DTYPE_WORDS ")"},
        {H("\"units\":[{\"name\":\"u\",\"tiers\":[\"memory\",\"q\"]}]"), 1, 41, "u names tier q, which does not exist"},
        {H("\"units\":[{\"name\":\"u\"},{\"name\":\"u\"}]"), 1, 32, "two units are named u"},
        {H("\"functions\":[{\"name\":\"f\",\"unit\":\"q\"}]"), 1, 34, "function f names unit q, which does not exist"},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

static void refused_buffers(void **state) {
    (void)state;
    const struct refusal refusals[] = {
        {G("{\"size\":1}"), 2, 12, "\"name\" is missing"},
        {G("{\"name\":7}"), 2, 20, "\"name\" must be a string, not a whole number"},
        {G("{\"name\":\"a\",\"first\":0,\"last\":0}"), 2, 12, "\"size\" is missing"},
        {G("{\"name\":\"a\",\"siez\":1}"), 2, 24, "unknown key \"siez\"; the nearest known key is \"size\""},
        {G("{\"name\":\"a\",\"size\":-1}"), 2, 31, "size -1 is negative"},
        {G("{\"name\":\"a\",\"size\":\"1.5\"}"), 2, 31, "'1.5' is not a whole number of bytes"},
        {G("{\"name\":\"a\",\"size\":\"-1K\"}"), 2, 31, "'-1K' is negative"},
        {G("{\"name\":\"a\",\"size\":\"4194304 T\"}"), 2, 31, "'4194304 T' is too large: up to 2^61 bytes"},
        {G("{\"name\":\"a\",\"size\":true}"), 2, 31, "\"size\" must be a whole number, not true or false"},
        {G("{\"name\":\"a\",\"shape\":[1,-2],\"dtype\":\"int8\"}"), 2, 35, "the value -2 is negative"},
        {G("{\"name\":\"a\",\"shape\":[2]}"), 2, 32, "a shape without a size needs a \"dtype\""},
        {G("{\"name\":\"a\",\"shape\":[]}"), 2, 12, "\"size\" is missing"},
        {G("{\"name\":\"a\",\"size\":1}"), 2, 20,
         "buffer a has no lifetime: without operators it needs first and last"},
        {B(",\"kind\":\"weight\""), 2, 60,
         "unknown kind \"weight\" (input, output, constant, intermediate or scratch)"},
        {B(",\"alignment\":0"), 2, 65, "alignment 0 is out of range (1 to 1073741824)"},
        {B(",\"offset\":-1"), 2, 62, "offset -1 is negative"},
        {B(",\"tier\":\"q\""), 2, 60, "buffer a names tier q, which does not exist"},
        {B(",\"tiers\":[\"memory\",\"q\"]"), 2, 71, "a names tier q, which does not exist"},
        {B(",\"tiers\":[3]"), 2, 62, "this must be a string, not a whole number"},
        {G("{\"name\":\"a\",\"size\":1,\"first\":5,\"last\":4}"), 2, 50, "last 4 is before first 5"},
        {G("{\"name\":\"a\",\"size\":1,\"first\":5,\"last\":9223372036854775807}"), 2, 50,
         "last 9223372036854775807 is out of range (-4611686018427387904 to "
         "4611686018427387903)"},
        {B(",\"pieces\":[{\"first\":0,\"last\":9}]"), 2, 63, "\"lo\" is missing"},
        {B(",\"pieces\":[{\"first\":0,\"lo\":9,\"hi\":10}]"), 2, 63, "\"last\" is missing"},
        {B(",\"pieces\":[{\"first\":0,\"last\":9,\"lo\":4,\"hi\":4}]"), 2, 95,
         "hi 4 is not above lo 4 (hi is exclusive)"},
        {B(",\"pieces\":[{\"first\":0,\"last\":9,\"lo\":4,\"hi\":65}]"), 2, 95,
         "the piece ends at byte 65 of a, which has only 64"},
        {B(",\"pieces\":[{\"first\":1,\"last\":9,\"lo\":0,\"hi\":64}]"), 2, 42,
         "first is 0, but the pieces begin at 1"},
        {B(",\"pieces\":[{\"first\":0,\"last\":8,\"lo\":0,\"hi\":64}]"), 2, 51, "last is 9, but the pieces end at 8"},
        {B(",\"accesses\":{}"), 2, 64, "\"accesses\" must be a list, not an object"},
        {B("},{\"name\":\"a\",\"size\":1,\"first\":0,\"last\":0"), 2, 62, "two buffers are named a"},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

static void refused_operators(void **state) {
    (void)state;
    const struct refusal refusals[] = {
        {H("\"inplace\":\"always\""), 1, 12, "\"inplace\" of a graph must be \"safe\""},
        {H("\"inplace\":true"), 1, 12, "\"inplace\" must be a string, not true or false"},
        {O("{\"kind\":\"k\"}"), 1, 15, "\"name\" is missing"},
        {O("{\"name\":\"o\",\"inputs\":\"x\"}"), 1, 36, "\"inputs\" must be a list, not a string"},
        {O("{\"name\":\"o\",\"inputs\":[\"x\",\"q\"]}"), 1, 41, "operator o names input q, which does not exist"},
        {O("{\"name\":\"o\",\"inputs\":[\"x\",null]}"), 1, 41, "this must be a string, not null"},
        {O("{\"name\":\"o\",\"function\":\"f\"}"), 1, 38, "operator o names function f, which does not exist"},
        {O("{\"name\":\"o\",\"after\":[\"p\"]}"), 1, 36, "operator o waits for p, which does not stand before it"},
        {O("{\"name\":\"o\",\"inplace\":1}"), 1, 37, "\"inplace\" must be true, false or a list of pairs"},
        {O("{\"name\":\"o\",\"inplace\":[[\"x\"]]}"), 1, 38, "this must be a list of two names"},
        {O("{\"name\":\"o\",\"inplace\":[[\"x\",2]]}"), 1, 43, "this must be a string, not a whole number"},
        {O("{\"name\":\"o\",\"window\":3}"), 1, 36,
         "\"window\" must be an object with kernel, stride, dilation and pad"},
        {O("{\"name\":\"o\",\"window\":{\"kernel\":[3]}}"), 1, 46, "\"kernel\" must be a list of 2 numbers"},
        {O("{\"name\":\"o\",\"window\":{\"stride\":[0,1]}}"), 1, 47,
         "stride: the value 0 is out of range (1 to 1048576)"},
        {O("{\"name\":\"o\",\"window\":{\"pad\":[0,0,0,-1]}}"), 1, 50, "pad: the value -1 is negative"},
        {O("{\"name\":\"o\",\"window\":{\"told\":1}}"), 1, 44, "\"told\" must be true or false, not a whole number"},
        {O("{\"name\":\"o\",\"window\":{\"kernels\":[1,1]}}"), 1, 37,
         "unknown key \"kernels\"; the nearest known key is \"kernel\""},
        {O("{\"name\":\"o\",\"macs\":-1}"), 1, 34, "macs -1 is negative"},
        {O("{\"name\":\"o\"},\n{\"name\":\"o\"}"), 2, 9, "two operators are named o"},
        {O("{\"name\":\"o\",\"input\":[]}"), 1, 27, "unknown key \"input\"; the nearest known key is \"inputs\""},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

#define R(rest)                                                                         \
    "{" rest ",\n\"operators\":[],\"buffers\":[{\"name\":\"x\",\"size\":4,\"first\":0," \
    "\"last\":0}]}"
static void refused_rest(void **state) {
    (void)state;
    const struct refusal refusals[] = {
        {R("\"overlays\":[{\"name\":\"p\",\"lo\":0,\"hi\":1}]"), 1, 14, "\"of\" is missing"},
        {R("\"overlays\":[{\"of\":\"x\",\"name\":\"p\",\"lo\":0,\"hi\":5}]"), 1, 20,
         "overlay p ends at byte 5 of x, which has only 4"},
        {R("\"overlays\":[{\"of\":\"q\",\"name\":\"p\",\"lo\":0,\"hi\":1}]"), 1, 20,
         "overlay p is a part of q, which does not exist or is defined later"},
        {R("\"overlays\":[{\"of\":\"x\",\"name\":\"p\",\"lo\":2}]"), 1, 14, "\"hi\" is missing"},
        {R("\"separate\":[\"x\"]"), 1, 14, "this must be a list of two names"},
        {R("\"separate\":[[\"x\",\"q\"]]"), 1, 19, "\"separate\" names buffer q, which does not exist"},
        {R("\"reserved\":[{\"lo\":0,\"hi\":1}]"), 1, 14, "\"tier\" is missing"},
        {R("\"reserved\":[{\"tier\":\"q\",\"lo\":0,\"hi\":1}]"), 1, 22,
         "\"reserved\" names tier q, which does not exist"},
        {R("\"reserved\":[{\"tier\":\"memory\",\"lo\":3,\"hi\":1}]"), 1, 43,
         "hi 1 is not above lo 3 (hi is exclusive)"},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

/* A graph cut anywhere but in the white space at its end is refused, with a place inside it. */
static void truncation(void **state) {
    (void)state;
    for (size_t length = 0; length < sizeof full - 2; length++) {
        char *copy = SW_NEW(char, length);
        memcpy(copy, full, length);
        struct sw_input input = text_input(copy, length);
        struct sw_error error = {0};
        assert_null(sw_load_input(&input, NULL, &error));
        assert_int_equal(error.code, SW_ERROR_INPUT);
        assert_true(error.line <= 25);
        SW_FREE(copy, length);
    }
}

/* Every byte replaced by others: refused or read, never worse (the sanitizers watch). */
static void mutation(void **state) {
    (void)state;
    static const char bytes[] = "\"\\{}[],:-09a\n\xff";
    char copy[sizeof full];
    for (size_t i = 0; i < sizeof full - 1; i++) {
        for (size_t k = 0; k < sizeof bytes; k++) {
            memcpy(copy, full, sizeof full);
            copy[i] = bytes[k];
            struct sw_input input = text_input(copy, sizeof full - 1);
            struct sw_error error = {0};
            struct sw_problem *problem = sw_load_input(&input, NULL, &error);
            assert_true(problem || error.code == SW_ERROR_INPUT);
            sw_problem_unref(problem);
        }
    }
}

/* ---- --tiers and --capacity ---- */

static const char *write_file(const char *text) {
    static char path[] = "/tmp/stowage-test-XXXXXX";
    static char name[sizeof path];
    memcpy(name, path, sizeof path);
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    return name;
}

static void tiers_from_a_file(void **state) {
    (void)state;
    const char *path = write_file("{\"tiers\":[{\"name\":\"l1\",\"capacity\":10},\n"
                                  "{\"name\":\"l2\"}]}");
    struct sw_load_options options = {.tiers = path, .has_capacity = true, .capacity = 77};
    struct sw_problem *p = read_options("{\"tiers\":[{\"name\":\"old\"}],\"operators\":[],\"buffers\":[{\"name\":\"a\","
                                        "\"size\":1,\"first\":0,\"last\":0,\"tier\":\"l2\"}]}",
                                        &options);
    assert_int_equal(sw_problem_tier_count(p), 2);
    assert_int_equal(sw_problem_tier(p, 0)->capacity, 77);
    assert_int_equal(buffer_named(p, "a")->tier, 1);
    sw_problem_unref(p);
    unlink(path);
    const struct refusal refusals[] = {
        {"{\"tiers\":[{\"name\":\"a\"},\n{\"name\":\"a\"}]}", 2, 9, "two tiers are named a"},
        {"{\"tiers\":[]}", 1, 10, "there must be at least one tier"},
        {"{}", 1, 1, "\"tiers\" is missing"},
        {"[]", 1, 1, "this must be an object, not a list"},
        {"{\"tiers\":[],\n\"buffers\":[]}", 2, 1, "unknown key \"buffers\""},
        {"return {}", 1, 1, ""},
    };
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct sw_error error = {0};
        const char *text = "id,lower,upper,size\n";
        struct sw_input input = text_input(text, strlen(text));
        options.tiers = write_file(refusals[i].text);
        assert_null(sw_load_input(&input, &options, &error));
        assert_string_equal(error.file, options.tiers); /* the file at fault, not the graph */
        assert_int_equal(error.line, refusals[i].line);
        assert_int_equal(error.column, refusals[i].column);
        if (*refusals[i].message) {
            assert_string_equal(error.message, refusals[i].message);
        }
        unlink(options.tiers);
    }
}

static void capacity_is_bounded(void **state) {
    (void)state;
    struct sw_error error = {0};
    const char *text = "id,lower,upper,size\n";
    struct sw_input input = text_input(text, strlen(text));
    struct sw_load_options options = {.has_capacity = true, .capacity = SW_MAX_BYTES + 1};
    assert_null(sw_load_input(&input, &options, &error));
    assert_int_equal(error.code, SW_ERROR_USAGE);
    options.capacity = 0;
    struct sw_problem *p = read_options(text, &options);
    assert_int_equal(sw_problem_tier(p, 0)->capacity, 0);
    sw_problem_unref(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything),
        cmocka_unit_test(written_form),
        cmocka_unit_test(empty_and_marked),
        cmocka_unit_test(what_offsets_mean),
        cmocka_unit_test(inplace_is_an_option),
        cmocka_unit_test(refused_syntax),
        cmocka_unit_test(refused_heads),
        cmocka_unit_test(refused_tiers_and_units),
        cmocka_unit_test(refused_buffers),
        cmocka_unit_test(refused_operators),
        cmocka_unit_test(refused_rest),
        cmocka_unit_test(truncation),
        cmocka_unit_test(mutation),
        cmocka_unit_test(tiers_from_a_file),
        cmocka_unit_test(capacity_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
