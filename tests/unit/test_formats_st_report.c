/* ST's NAME_generate_report.txt. */
#include "unit/formats.h"
#include "unit/noted.h"

static const char plain[] =
    "ST Edge AI Core v2.2.0-20266 2adc00962\n"
    "Created date          : 2026-08-04 12:16:55\n"
    "\n"
    "Generated C-graph summary\n"
    "------------------------------------------------------\n"
    "model name            : tiny\n"
    "activations size      : 1088 (1 segment)\n"
    "\n"
    "C-Arrays (6)\n"
    "------ --------------- ------------- ------------------------- ------------- ---------\n"
    "c_id   name (*_array)  item/size     domain/mem-pool           c-type        comment\n"
    "------ --------------- ------------- ------------------------- ------------- ---------\n"
    "0      in_output       64/256        activations/**default**   float         /input\n"
    "1      conv_weights    16/64         weights/weights           const float\n"
    "2      conv_scratch0   16/64         activations/**default**   float\n"
    "3      conv_output     128/512       activations/**default**   float\n"
    "4      nl_output       128/512       activations/**default**   float\n"
    "5      dense_output    2/8           activations/**default**   float         /output\n"
    "------ --------------- ------------- ------------------------- ------------- ---------\n"
    "\n"
    "C-Layers (3)\n"
    "------ ---------------- ---- --------------- --------- -------- ----------------- "
    "----------------------\n"
    "c_id   name (*_layer)   id   layer_type      macc      rom      tensors           shape "
    "(array id)\n"
    "------ ---------------- ---- --------------- --------- -------- ----------------- "
    "----------------------\n"
    "0      conv             2    Conv2D          342208    4864     I: in_output      f32(1x8x8) "
    "(0)\n"
    "                                                                S: conv_scratch0\n"
    "                                                                W: conv_weights   f32(4x4) "
    "(1)\n"
    "                                                                O: conv_output    f32(1x8x16) "
    "(3)\n"
    "------ ---------------- ---- --------------- --------- -------- ----------------- "
    "----------------------\n"
    "1      nl               3    Nonlinearity    19008     0        I: conv_output    f32(1x8x16) "
    "(3)\n"
    "                                                                O: nl_output      f32(1x8x16) "
    "(4)\n"
    "------ ---------------- ---- --------------- --------- -------- ----------------- "
    "----------------------\n"
    "2      dense            4    Dense           19        0        I: flat_output    f32(1x128) "
    "(4)\n"
    "                                                                O: dense_output   f32(1x2) "
    "(5)\n"
    "------ ---------------- ---- --------------- --------- -------- ----------------- "
    "----------------------\n"
    "\n"
    "Complexity report\n";
static const char pools[] =
    "Neural Network Tools for STM32 v1.3.0 (AI tools v5.1.2)\n"
    "\n"
    "activations size   : 160\n"
    "\n"
    "C-Arrays (3)\n"
    "c_id  name (*_array)      item/size           mem-pool     c-type         fmt         "
    "comment\n"
    "0     a_scratch0          32/32               activations  uint8_t        fxp/q(8,0)\n"
    "1     a_output            128/128             activations  uint8_t        int/us\n"
    "2     in_output           96/96               user         uint8_t        int/ua      /input\n"
    "\n"
    "C-Layers (1)\n"
    "c_id  name (*_layer)  id  type              macc        rom         tensors                "
    "shape (array id)\n"
    "0     a               0   conv2d            165896      104         I: in_output           "
    "[1, 96, 1] (2)\n"
    "                                                                    S: a_scratch0\n"
    "                                                                    O: a_output            "
    "[1, 128] (1)\n";

static void layers_and_arrays(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(plain);
    assert_int_equal(sw_problem_operator_count(problem), 3);
    assert_int_equal(sw_problem_buffer_count(problem), 5);
    assert_int_equal(sw_problem_tier_count(problem), 1);
    const struct sw_buffer *in = buffer_named(problem, "in_output");
    assert_int_equal(in->kind, SW_KIND_INPUT);
    assert_int_equal(in->size, 256);
    assert_int_equal(buffer_named(problem, "conv_scratch0")->kind, SW_KIND_SCRATCH);
    assert_int_equal(buffer_named(problem, "dense_output")->kind, SW_KIND_OUTPUT);
    assert_int_equal(buffer_named(problem, "nl_output")->last, 2);    /* by its number, under another name */
    assert_int_equal(sw_problem_operator(problem, 1)->pair_count, 1); /* a nonlinearity may write over its input */
    assert_string_equal(sw_problem_operator(problem, 0)->kind, "Conv2D");
    assert_true(noted(problem, "1 constants that operators read (64 bytes)"));
    assert_true(noted(problem, "take 1,088 bytes in ST's own plan"));
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

/* Reports of before 2021: inputs and outputs in memory of the user. */
static void several_pools(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(pools);
    assert_int_equal(sw_problem_tier_count(problem), 2);
    assert_string_equal(sw_problem_tier(problem, 1)->name, "user");
    assert_int_equal(buffer_named(problem, "in_output")->tier, 1);
    sw_problem_unref(problem);
}

#define HEAD "ST Edge AI Core v2.2.0\n"
static void refusals(void **state) {
    (void)state;
    static const struct refusal wrong[] = {
        {HEAD, 2, 1,
         "this report has no tables C-Arrays and C-Layers (of networks on an NPU it has none); "
         "open "
         "NAME_c_info.json, which is written beside it"},
        {HEAD "C-Arrays (2)\n0 a 1/4 activations s8\n", 4, 1,
         "the table C-Arrays has 1 rows, not 2: the report is cut off"},
        {HEAD "C-Arrays (1)\n0 a 1/4 activations s8\n\nC-Layers (1)\n", 6, 1,
         "the table C-Layers has 0 layers, not 1: the report is cut off"},
        {HEAD "C-Arrays (1)\n1 a 1/4 activations s8\n", 3, 2, "this is no row of the table C-Arrays"},
        {HEAD "C-Arrays (1)\n0 a 1/9999999999999999999 activations s8\n", 3, 26,
         "items and size of the array are not two numbers up to 2^61"},
        {HEAD "C-Arrays (1)\n0 a 1/4 activations s8\n\nC-Layers (1)\n0 l 0 Conv2D 0 0 I: b f32(1) (7)\n", 6, 18,
         "b is none of the C-Arrays"},
        {HEAD "C-Arrays (1)\n0 a 1/4 activations s8\n\nC-Layers (1)\n0 l\n", 6, 4,
         "this is no row of the table C-Layers"},
    };
    must_refuse_text(wrong, COUNT(wrong));
}

static void cut(void **state) {
    (void)state;
    cut_everywhere(plain);
    cut_everywhere(pools);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_and_arrays),
        cmocka_unit_test(several_pools),
        cmocka_unit_test(refusals),
        cmocka_unit_test(cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
