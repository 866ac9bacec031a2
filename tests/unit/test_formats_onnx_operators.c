/* ONNX: the table of operators against the published list; worked examples of the specification; the order of nodes;
 * what is known before the run, and what only in one run. */
#include "unit/onnx_checks.h"

#include "formats/text/input_words.h"

#define OUT "output y\n"

/* ---- the table ---- */

struct listed {
    unsigned domains;
    const char *name;
};
enum { OWN = 1, RUNTIME = 2, EITHER = 3, ML = 4, BLOCKED = 8 };

static const struct listed published[] = {
#define X(domain, name) {domain, #name},
#include "unit/onnx_published.def"
#undef X
};
static const struct listed known[] = {
/* the names are lists of words */
#define ONNX_RULE(domain, shape, fold, operation, flags, kinds) {domain, kinds},
#include "formats/onnx/shapes/onnx_operators.def"
#undef ONNX_RULE
};
/* Operators with bodies are no rows: onnx_bodies.c reads them. */
static const char *const bodies[] = {"If", "Loop", "Scan", "SequenceMap"};

static void test_published(void **state) {
    (void)state;
    size_t missing = 0;
    for (size_t i = 0; i < COUNT(published); i++) {
        bool found = false;
        for (size_t k = 0; k < COUNT(known) && !found; k++) {
            struct sw_input_text name = {published[i].name, strlen(published[i].name)};
            found = (known[k].domains & published[i].domains) && sw_text_in(name, known[k].name);
        }
        for (size_t k = 0; k < COUNT(bodies) && !found; k++) {
            found = strcmp(bodies[k], published[i].name) == 0;
        }
        if (!found) {
            print_error("no row for %s\n", published[i].name);
            missing++;
        }
    }
    assert_int_equal(missing, 0);
    assert_true(COUNT(published) > 200);
}

/* ---- shapes ---- */

static void test_signals(void **state) {
    (void)state;
    static const struct example examples[] = {
        {"opset 17\ninput x float 10\nint n 10\nHannWindow n -> w periodic=0\nMul w,x -> y\n" OUT, "y=10"},
        {"opset 17\nint n 7\nHammingWindow n -> w output_datatype=11\ninput x double 7\nMul x,w -> y\n" OUT,
         "y=float64:7"},
        {"opset 17\nint n 9\nBlackmanWindow n -> w\ninput x float 3x1\nAdd w,x -> y\n" OUT, "y=3x9"},
        /* opset 17: the axis is an attribute */
        {"opset 17\ninput x float 1x10x10x1\nDFT x -> y axis=1\n" OUT, "y=1x10x10x2"},
        {"opset 17\ninput x float 1x10x10x1\nDFT x -> y axis=2 onesided=1\n" OUT, "y=1x10x6x2"},
        {"opset 17\ninput x float 1x10x10x2\nDFT x -> y inverse=1\n" OUT, "y=1x10x10x2"},
        {"opset 17\ninput x float 3x5x1\nint n 8\nDFT x,n -> y onesided=1\n" OUT, "y=3x5x2"},
        /* opset 20: an input, the last but one when it is not given */
        {"opset 20\ninput x float 1x10x10x1\nint a 1\nDFT x,_,a -> y onesided=1\n" OUT, "y=1x6x10x2"},
        {"opset 20\ninput x float 2x12x1\nDFT x -> y\n" OUT, "y=2x12x2"},
        {"opset 20\ninput x float 2x12x1\nint n 7\nDFT x,n -> y onesided=1\n" OUT, "y=2x4x2"},
        {"opset 20\ninput x float 2x7x2\nDFT x -> y onesided=1 inverse=1\n" OUT, "y=2x12x1"},
        {"opset 20\ninput x float 2x7x2\nint n 13\nDFT x,n -> y onesided=1 inverse=1\n" OUT, "y=2x13x1"},
        {"opset 17\ninput x float 1x128x1\nint s 8\nint l 16\nSTFT x,s,_,l -> y\n" OUT, "y=1x15x9x2"},
        {"opset 17\ninput x float 1x128x1\nint s 8\nweight w float 16\nSTFT x,s,w -> y onesided=0\n" OUT,
         "y=1x15x16x2"},
        {"opset 17\ninput x float 2x100x2\nint s 30\nweight w float 25\nSTFT x,s,w -> y\n" OUT, "y=2x3x25x2"},
        {"opset 17\ninput x float 2x513\nint b 8\nint n 16\nint r 8192\nreal l 0.\nreal u 4096.\nMelWeightMatrix "
         "b,n,r,l,u -> m\n"
         "input z float 4x9\nMatMul z,m -> y\n" OUT,
         "y=4x8"},
    };
    check_examples(examples, COUNT(examples));
}

static void test_images(void **state) {
    (void)state;
    static const struct example examples[] = {
        {"opset 18\ninput x float 1x5x5\nints i 5,5\nints b 1,5\nCol2Im x,i,b -> y\n" OUT, "y=1x1x5x5"},
        {"opset 18\ninput x float 2x50x12\nints i 4,5,6\nints b 1,1,5\nCol2Im x,i,b -> y\n" OUT, "y=2x10x4x5x6"},
        {"opset 18\ninput x float 20x10x3\nints s 10,7,3\nCenterCropPad x,s -> y\n" OUT, "y=10x7x3"},
        {"opset 18\ninput x float 3x20x8\nints s 10,9\nCenterCropPad x,s -> y axes=1,-1\n" OUT, "y=3x10x9"},
        {"opset 20\ninput t float 2x2x3\nints s 2,3,5,6\nAffineGrid t,s -> y align_corners=1\n" OUT, "y=2x5x6x2"},
        {"opset 20\ninput t float 2x3x4\nints s 2,3,4,5,6\nAffineGrid t,s -> y\n" OUT, "y=2x4x5x6x3"},
        {"opset 11\ninput x float 2x3x4x4\nDet x -> y\n" OUT, "y=2x3"},
        {"opset 22\ninput x float 4x4\nDet x -> y\n" OUT, "y=-"},
        {"opset 26\ninput x float 2x3\nBitCast x -> y to=6\n" OUT, "y=int32:2x3"},
        {"opset 26\ninput x float 2x3\nint a 1\nCumProd x,a -> y\n" OUT, "y=2x3"},
        {"opset 28\ninput a float16 2x8\ninput b float16 2x8\nSwiGLU a,b -> y\n" OUT, "y=float16:2x8"},
        {"opset 24\ninput p float 2x4x16x8\ninput u float 2x4x1x8\ninput i int64 2\nTensorScatter p,u,i -> y\n" OUT,
         "y=2x4x16x8"},
        {"opset 27\ninput x float 2x4x8\nweight w float 4x1x4\nCausalConvWithState x,w -> y,s\noutput s\n" OUT,
         "y=2x4x8 s=2x4x3"},
        {"opset 27\ninput q float16 2x3x32\ninput k float16 2x3x16\ninput v float16 2x3x20\ninput p float 2x2x8x10\n"
         "LinearAttention q,k,v,p -> y,s q_num_heads=4 kv_num_heads=2 update_rule=linear\noutput s\n" OUT,
         "y=float16:2x3x40 s=2x2x8x10"},
        /* a stride beyond the kernel: the last step adds only the kernel */
        {"opset 11\ninput x float 1x2x7x5\nweight w float 2x3x1x1\nConvTranspose x,w -> y strides=2,2 "
         "auto_pad=SAME_UPPER\n" OUT,
         "y=1x3x13x9"},
        {"opset 11\ninput x float 1x2x7x5\nweight w float 2x3x3x3\nConvTranspose x,w -> y strides=2,2 "
         "auto_pad=SAME_LOWER\n" OUT,
         "y=1x3x14x10"},
        {"opset 23\ninput x uint8 2x3\nreal s 0.5\nDequantizeLinear x,s -> y output_dtype=10\n" OUT, "y=float16:2x3"},
    };
    check_examples(examples, COUNT(examples));
}

static void test_losses(void **state) {
    (void)state;
    static const struct example examples[] = {
        {"opset 13\ninput x float 3x5x2\ninput t int64 3x2\nNegativeLogLikelihoodLoss x,t -> y reduction=none\n" OUT,
         "y=3x2"},
        {"opset 22\ninput x float 3x5\ninput t int64 3\nweight w float 5\nNegativeLogLikelihoodLoss x,t,w -> y "
         "reduction=sum\n" OUT,
         "y=-"},
        {"opset 12\ninput x float16 3x5\ninput t int64 3\nSoftmaxCrossEntropyLoss x,t -> y,p\noutput p\n" OUT,
         "y=float16:- p=float16:3x5"},
        {"opset 13\ninput x float 3x5x6x7\ninput t int64 3x6x7\nSoftmaxCrossEntropyLoss x,t -> y,p "
         "reduction=none\noutput p\n" OUT,
         "y=3x6x7 p=3x5x6x7"},
    };
    check_examples(examples, COUNT(examples));
}

/* Lengths that only the run tells are open, and --dim closes them. */
static void test_open(void **state) {
    (void)state;
    static const struct {
        const char *text, *message, *dims, *wanted;
    } open[] = {
        {"opset 17\ninput n int64 -\nHannWindow n -> y\n" OUT, "--dim y:0=100", "y:0=5", "y=5"},
        {"opset 20\ninput x uint8 90\nImageDecoder x -> y\n" OUT, "--dim y:0=100 --dim y:1=100", "y:0=8 y:1=9",
         "y=uint8:8x9x3"},
        {"opset 17\ninput x float 1x64x1\ninput s int64 -\nint l 16\nSTFT x,s,_,l -> y\n" OUT, "--dim y:1=100", "y:1=4",
         "y=1x4x9x2"},
        {"opset 18\ninput x float 1x8x5\ninput i int64 2\nints b 2,2\nCol2Im x,i,b -> y\n" OUT,
         "--dim y:2=100 --dim y:3=100", "y:2=4 y:3=6", "y=1x2x4x6"},
        {"opset 20\ninput t float 3x2x3\ninput s int64 4\nAffineGrid t,s -> y\n" OUT, "--dim y:1=100", "y:1=4 y:2=5",
         "y=3x4x5x2"},
        {"opset 20\ninput x float 6x12x1\ninput a int64 -\nDFT x,_,a -> y onesided=1\n" OUT, "--dim y:0=100",
         "y:0=6 y:1=7", "y=6x7x2"},
        {"opset 20\ninput x string 4\nStringSplit x -> p,c\nShape p -> y\noutput c\n" OUT, NULL, NULL,
         "c=int64:4 y=int64:2"},
        {"opset 20\ninput x string 4\nStringSplit x -> p,c maxsplit=2\nShape p -> y\noutput c\n" OUT, NULL, NULL,
         "y=int64:2"},
    };
    for (size_t i = 0; i < COUNT(open); i++) {
        struct sw_error error = {0};
        struct sw_problem *problem = load_dims(open[i].text, NULL, &error);
        if (open[i].message) {
            assert_null(problem);
            if (!strstr(error.message, open[i].message)) {
                fail_msg("no '%s' in: %s", open[i].message, error.message);
            }
            error = (struct sw_error){0};
            problem = load_dims(open[i].text, open[i].dims, &error);
        }
        if (!problem) {
            fail_msg("%s\n%s", error.message, open[i].text);
        }
        check_shapes(problem, open[i].text, open[i].wanted);
        sw_problem_unref(problem);
    }
}

/* ---- what is bounded is no constant ---- */

static uint32_t operators_of(const struct sw_problem *problem) {
    return sw_problem_operator_count(problem);
}

static void test_bounds_run(void **state) {
    (void)state;
    static const struct {
        const char *text, *wanted;
        uint32_t operators;
    } models[] = {
        {"input b float 1x30x4\ninput s float 1x5x30\nint m 7\nNonMaxSuppression b,s,m -> n\nShape n -> y\n" OUT,
         "n=int64:35x3 y=int64:2", 2},
        {"input x float 4x5\nNonZero x -> n\nShape n -> y\n" OUT, "n=int64:2x20 y=int64:2", 2},
        {"input x float 4x5\nNonZero x -> n\nSize n -> y\n" OUT, "y=int64:-", 2},
        {"input x float 9\nUnique x -> u\nShape u -> s\nConstantOfShape s -> y\n" OUT, "s=int64:1 y=9", 3},
        {"input x float 4\ninput c bool 4\nCompress x,c -> z\nShape z -> y\n" OUT, "y=int64:1", 2},
        {"input x float 4\ninput k int64 1\nTopK x,k -> v,i\nShape i -> y\n" OUT, "y=int64:1", 2},
        {"input x float 4\nReduceMax x -> m keepdims=0\nCast m -> c to=9\ngraph a\nNeg x -> p\noutput p\nend\n"
         "graph b\nConcat x,x -> q axis=0\noutput q\nend\nIf c -> z then_branch=@a else_branch=@b\nShape z -> y\n" OUT,
         "z=8 y=int64:1", 6},
        {"input x float 6\ninput s int64 2\nSplit x,s -> a,b\nShape a -> y\n" OUT, "a=6 y=int64:1", 2},
        {"input x float 4\nNonZero x -> n\nSplitToSequence n -> q axis=1\nSequenceLength q -> y\n" OUT, "y=int64:-", 3},
        {"input x float 3x4\nNonZero x -> n\nTranspose n -> t\ngraph b\nConstant _ -> o value_float=1.0\noutput "
         "o\nend\n"
         "input t2 float 5\nScan t -> z body=@b num_scan_inputs=1\nShape z -> y\n" OUT,
         "t=int64:12x2 z=12 y=int64:1", 4},
        /* a loop that its body ends after a round */
        {"input x float 3\nint m 5\nreal zero 0.\ngraph body\ninput i int64 -\ninput g bool -\ninput s float 3\n"
         "Relu s -> t\nNot g -> c\noutput c\noutput t\noutput t\nend\nLoop m,_,x -> f,z body=@body\nShape z -> "
         "y\noutput f\n" OUT,
         "z=5x3 y=int64:2", 2},
        /* a length that does not follow from the bound is known, and the same in every run */
        {"input x float 3x4\nNonZero x -> n\nints k 2,6\nReshape n,k -> r\nShape r -> y\noutput r\n" OUT, "r=int64:2x6",
         2},
        {"input x float 3x4\ninput m float 3x4\nNonZero m -> n\nTranspose n -> t\ninput u float 12\nScatterND x,t,u -> "
         "z\n"
         "Shape z -> s\nConstantOfShape s -> o\nAdd z,o -> y\n" OUT,
         "z=3x4 y=3x4", 4},
        {"input x float 3x4\nNonZero x -> n\nTranspose n -> t\nReduceMax t -> r axes=0, keepdims=0\nShape r -> s\nCast "
         "s -> c to=1\n"
         "Cast r -> f to=1\nAdd f,c -> y\n" OUT,
         "y=2", 5},
        /* what the file or the operators tell exactly stays known */
        {"input x float 4x5\nNonZero x -> n\nRelu x -> r\nShape r -> s\nReshape n,s -> y\n" OUT, "y=int64:4x5", 2},
    };
    for (size_t i = 0; i < COUNT(models); i++) {
        struct sw_problem *problem = load(models[i].text);
        check_shapes(problem, models[i].text, models[i].wanted);
        if (operators_of(problem) != models[i].operators) {
            fail_msg("%u operators, not %u, in\n%s", operators_of(problem), models[i].operators, models[i].text);
        }
        sw_problem_unref(problem);
    }
}

/* A model that makes nothing but shapes. */
static void test_only_shapes(void **state) {
    (void)state;
    static const struct example examples[] = {
        {"input x float 2x3\nShape x -> y\n" OUT, "x=2x3 y=int64:2"},
        {"input x float 2x3\nShape x -> s\nints k 1\nConcat s,k -> y axis=0\n" OUT, "s=int64:2 y=int64:3"},
    };
    check_examples(examples, COUNT(examples));
    struct sw_problem *problem = load(examples[0].text);
    check_note(problem, examples[0].text, "all that the model makes is known before the run");
    assert_int_equal(operators_of(problem), 1);
    sw_problem_unref(problem);
}

/* ---- the order of nodes ---- */

/* The operators in the order of the problem, by what they make. */
static void check_order(const char *text, const char *wanted, bool noted) {
    struct sw_problem *problem = load(text);
    char got[200] = "";
    for (uint32_t i = 0; i < operators_of(problem); i++) {
        const struct sw_operator *operator= sw_problem_operator(problem, i);
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i ? " " : "",
                 sw_problem_buffer(problem, operator->outputs[0].buffer)->name);
    }
    if (strcmp(got, wanted) != 0 || has_note(problem, "before what they read") != noted) {
        fail_msg("'%s', not '%s', in\n%s", got, wanted, text);
    }
    sw_problem_unref(problem);
}

static void test_unsorted(void **state) {
    (void)state;
    /* in order: nothing moves, whatever other orders there are */
    check_order("input x float 4\nRelu x -> a\nNeg x -> b\nAbs a -> c\nExp b -> d\nAdd c,d -> y\n" OUT, "a b c d y",
                false);
    check_order("input x float 4\nRelu a -> y\nNeg x -> a\n" OUT, "a y", true);
    /* what is missing comes right before its reader, all else stays */
    check_order("input x float 4\nRelu x -> a\nAdd a,q -> b\nAbs x -> c\nAdd b,c -> y\nExp p -> q\nNeg x -> p\n" OUT,
                "a p q b c y", true);
    /* a body reads from outside what the file makes later */
    check_order(
        "input x float 4\ninput c bool -\ngraph a\nNeg q -> p\noutput p\nend\ngraph b\nAbs q -> r\noutput r\nend\n"
        "If c -> y then_branch=@a else_branch=@b\nRelu x -> q\n" OUT,
        "q y y y", true);
    /* within a body, and within a function */
    check_order("input x float 4\ninput c bool -\ngraph a\nExp p -> o\nNeg x -> p\noutput o\nend\ngraph b\nAbs x -> "
                "r\noutput r\nend\n"
                "If c -> y then_branch=@a else_branch=@b\n" OUT,
                "p y y y", true);
    check_order("input x float 4\nfunction F u -> w\nAbs t -> w\nNeg u -> t\nend\nown/F x -> y\n" OUT, "t w", true);
    /* what follows from shapes is known all the same */
    check_order("input x float 2x6\nReshape x,s -> y\nConcat t,k -> s axis=0\nShape z -> t\nints k 6\nRelu x -> "
                "r\nReduceSum r -> z "
                "axes=1, keepdims=0\noutput r\n" OUT,
                "r y", true);
}

#define Q100 "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"
#define Q400 Q100 Q100 Q100 Q100
static void test_circles(void **state) {
    (void)state;
    static const struct example wrong[] = {
        {"input x float 4\nRelu y -> y\n" OUT, "the operator y reads what it makes itself"},
        /* names are whole */
        {"input x float 4\nRelu " Q400 " -> " Q400 "\n" OUT, "the operator " Q400 " reads what it makes itself"},
        {"input x float 4\nAdd x,b" Q400 " -> a" Q400 "\nNeg a" Q400 " -> b" Q400 "\nAbs b" Q400 " -> y\n" OUT,
         "none can run first: b" Q400 " and a" Q400},
        /* what is given has no maker: the fault is another one */
        {"input x float 4\nNeg x -> a\nRelu a -> x\nAbs x -> y\n" OUT, "two tensors are named x"},
        {"input x float 4\nweight w float 4\nAdd x,w -> a\nRelu a -> w\nAbs w -> y\n" OUT, "two tensors are named w"},
        {"input x float 4\nRelu x -> x\nAbs x -> y\n" OUT, "two tensors are named x"},
        {"input x float 4\nfunction F u -> w\nNeg u -> t\nRelu t -> u\nAbs u -> w\nend\nown/F x -> y\n" OUT,
         "two tensors are named u"},
        {"input x float 4\ninput c bool -\ngraph t\nweight w float 4\nAdd x,w -> a\nRelu a -> w\nAbs w -> r\noutput "
         "r\nend\n"
         "graph e\nAbs x -> r\noutput r\nend\nIf c -> y then_branch=@t else_branch=@e\n" OUT,
         "two tensors are named w"},
        {"input x float 4\nAdd x,b -> a\nNeg a -> b\nAbs b -> y\n" OUT,
         "operators wait for one another, so that none can run first: b and a"},
        {"input x float 4\nRelu x -> s\nAdd s,c -> a\nNeg a -> b\nExp b -> c\nAbs c -> y\n" OUT,
         "none can run first: b, c and a"},
        {"input x float 4\ninput c bool -\ngraph t\nNeg q -> p\nExp p -> q\noutput q\nend\ngraph e\nAbs x -> r\noutput "
         "r\nend\n"
         "If c -> y then_branch=@t else_branch=@e\n" OUT,
         "none can run first: q and p"},
        {"input x float 4\ninput c bool -\ngraph t\nNeg z -> p\noutput p\nend\ngraph e\nAbs x -> r\noutput r\nend\n"
         "If c -> y then_branch=@t else_branch=@e\nRelu y -> z\n" OUT,
         "none can run first: z and y"},
        {"input x float 4\nRelu z -> y\n" OUT, "operator Relu_0 reads the tensor z, which no operator makes"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct sw_error error = {0};
        assert_null(load_dims(wrong[i].text, NULL, &error));
        if (!strstr(error.message, wrong[i].wanted)) {
            fail_msg("no '%s' in: %s", wrong[i].wanted, error.message);
        }
    }
}

/* ---- --value ---- */

static struct sw_problem *load_value(const char *text, const char *key, const char *value, struct sw_error *error) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_load_options options = {.values = &params};
    assert_true(sw_params_set(&params, key, value, error));
    onnx_bytes model = onnx_encode(text);
    struct sw_input input = text_input(model.items, model.count);
    struct sw_problem *problem = sw_load_input(&input, &options, error);
    SW_ARRAY_DONE(&model);
    sw_params_done(&params);
    return problem;
}

/* The other branch has no shapes, as in a model for two sample rates. */
#define RATES(type, shape)                                                                                \
    "input x float 8\ninput sr " type " " shape "\nint k 16000\nEqual sr,k -> c\n"                        \
    "graph fast\nRelu x -> a\noutput a\nend\ngraph slow\nown/Mystery x -> b\nNeg b -> d\noutput d\nend\n" \
    "If c -> z then_branch=@fast else_branch=@slow\nExp z -> y\n" OUT

static void test_values(void **state) {
    (void)state;
    struct sw_error error = {0};
    static const struct {
        const char *text, *key, *value, *wanted;
        uint32_t operators;
    } good[] = {
        /* the condition is computed in every run, and so is the If */
        {RATES("int64", "-"), "sr", "16000", "sr=int64:- c=bool:- z=8 y=8", 4},
        {RATES("int64", "1"), "sr", "16000", "sr=int64:1 z=8 y=8", 4},
        {"input x float 8\ninput c bool -\ngraph a\nown/Mystery x -> b\noutput b\nend\ngraph e\nNeg x -> d\noutput "
         "d\nend\n"
         "If c -> y then_branch=@a else_branch=@e\n" OUT,
         "c", "false", "y=8", 2},
        {"input n int64 -\nint z 0\nint one 1\nRange z,n,one -> y\n" OUT, "n", "12", "n=int64:- y=int64:12", 1},
        /* what follows from it is no constant */
        {"input n int64 1\nConstantOfShape n -> a\nShape a -> y\n" OUT, "n", "5", "a=5 y=int64:1", 2},
        /* how often a body runs */
        {"input x float 3\ninput m int64 -\ngraph body\ninput i int64 -\ninput g bool -\ninput s float 3\nRelu s -> "
         "t\nIdentity g -> c\n"
         "output c\noutput t\noutput t\nend\nLoop m,_,x -> f,z body=@body\nShape z -> y\noutput f\n" OUT,
         "m", "7", "z=7x3 y=int64:2", 2},
        {"input r float -\ninput x float 1x1x4x4\nreals one 1.0,1.0\nints u 0\nUnsqueeze r,u -> v\nConcat one,v,v -> s "
         "axis=0\n"
         "Resize x,_,s -> y\n" OUT,
         "r", "2.5", "y=1x1x10x10", 3},
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        struct sw_problem *problem = load_value(good[i].text, good[i].key, good[i].value, &error);
        if (!problem) {
            fail_msg("%s\n%s", error.message, good[i].text);
        }
        check_shapes(problem, good[i].text, good[i].wanted);
        if (operators_of(problem) != good[i].operators) {
            fail_msg("%u operators, not %u, in\n%s", operators_of(problem), good[i].operators, good[i].text);
        }
        sw_problem_unref(problem);
    }
    struct sw_problem *problem = load_value(good[0].text, "sr", "16000", &error);
    check_note(problem, good[0].text, "1 If are decided by --value; the other branch is left out");
    sw_problem_unref(problem);
    static const struct {
        const char *key, *value, *message;
    } wrong[] = {
        {"sr", "8000", "own/Mystery"},
        {"rate", "1",
         "--value rate: the model has no input of this name that a single number could be given; there are sr"},
        {"c", "1", "--value c: the model has no input of this name that a single number could be given; there are sr"},
        {"x", "1", "--value x: this input does not have a single element"},
        {"sr", "1.5",
         "--value sr=1.5: the elements of this input are of another kind: whole numbers that fit its type"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        error = (struct sw_error){0};
        assert_null(load_value(RATES("int64", "-"), wrong[i].key, wrong[i].value, &error));
        const char *wanted = i == 0 ? "this operator is not known here" : wrong[i].message;
        if (!strstr(error.message, wanted)) {
            fail_msg("no '%s' in: %s", wanted, error.message);
        }
    }
    /* without it the branch may be taken, and needs shapes */
    error = (struct sw_error){0};
    assert_null(load_dims(RATES("int64", "-"), NULL, &error));
}

static void test_maps(void **state) {
    (void)state;
    static const struct example examples[] = {
        {"opset 17\ninput a float 2x3\ninput b float 4x3\nSequenceConstruct a,b -> q\ninput k float 3x5\ngraph "
         "body\ninput e float ?x3\n"
         "input w float 3x5\nMatMul e,w -> r\noutput r\nend\nSequenceMap q,k -> m body=@body\nint i 0\nSequenceAt m,i "
         "-> y\n"
         "SequenceLength m -> n\noutput n\n" OUT,
         "y=4x5 n=int64:-"},
        /* before opset 9 a Scan had an axis of batches, and was told how long each list is */
        {"opset 8\ngraph body\ninput s float 2\ninput e float 2\nAdd s,e -> t\nIdentity t -> o\noutput t\noutput "
         "o\nend\n"
         "input i float 1x2\ninput x float 1x3x2\nScan _,i,x -> f,y num_scan_inputs=1 body=@body\noutput f\n" OUT,
         "f=1x2 y=1x3x2"},
        {"opset 9\ngraph body\ninput s float 2\ninput e float 2\nAdd s,e -> t\nIdentity t -> o\noutput t\noutput "
         "o\nend\n"
         "input i float 2\ninput x float 3x2\nScan i,x -> f,y num_scan_inputs=1 body=@body\noutput f\n" OUT,
         "f=2 y=3x2"},
    };
    check_examples(examples, COUNT(examples));
}

/* "kernel stride dilation pad macs" of the last operator; "none" and the multiply-adds where there is no window. */
static void check_window(const char *lines, const char *wanted) {
    char text[160] = "none";
    struct sw_problem *problem = load(lines);
    const struct sw_operator *op = sw_problem_operator(problem, sw_problem_operator_count(problem) - 1);
    const struct sw_op_window *w = op->window;
    if (w) {
        assert_int_equal(w->axis, 2);
        snprintf(text, sizeof text, "%ux%u %u,%u %u,%u %u,%u,%u,%u", w->kernel[0], w->kernel[1], w->stride[0],
                 w->stride[1], w->dilation[0], w->dilation[1], w->before[0], w->after[0], w->before[1], w->after[1]);
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), " %d", (int)op->macs);
    if (strcmp(text, wanted) != 0) {
        fail_msg("%s: not %s in\n%s", text, wanted, lines);
    }
    sw_problem_unref(problem);
}

static void test_windows(void **state) {
    (void)state;
    static const char *const examples[][2] = {
        {"input x float 1x4x9x7\nweight w float 8x4x3x3\nConv x,w -> y pads=1,1,1,1 strides=2,2\n" OUT,
         "3x3 2,2 1,1 1,1,1,1 5760"},
        {"input x float 1x4x9x7\nweight w float 8x2x3x1\nConv x,w -> y group=2 pads=2,0,1,0 dilations=2,1\n" OUT,
         "3x1 1,1 2,1 2,1,0,0 2688"},
        {"input x float 1x4x8x8\nweight w float 8x4x3x3\nConv x,w -> y auto_pad=SAME_UPPER strides=2,2\n" OUT,
         "3x3 2,2 1,1 0,1,0,1 4608"},
        {"input x float 1x4x8x8\nweight w float 8x4x3x3\nConv x,w -> y auto_pad=SAME_LOWER strides=2,2\n" OUT,
         "3x3 2,2 1,1 1,0,1,0 4608"},
        {"input x float 1x4x9x8\nweight w float 8x4x3x1\nConv x,w -> y auto_pad=SAME_UPPER strides=3,1\n" OUT,
         "3x1 3,1 1,1 0,0,0,0 2304"},
        {"input x float 1x4x9x8\nweight w float 8x4x1x1\nConv x,w -> y auto_pad=SAME_UPPER strides=3,1\n" OUT,
         "none 768"}, /* runtimes pad by 0 or by -1 */
        {"input x float 2x4x8x8\nweight w float 8x4x1x1\nConv x,w -> y\n" OUT, "none 4096"},
        {"input x float 1x4x8x8\nMaxPool x -> y kernel_shape=2,2 strides=2,2\n" OUT, "2x2 2,2 1,1 0,0,0,0 0"},
        {"input x float 1x4x8x8\nMaxPool x -> y kernel_shape=3,3 strides=2,2 ceil_mode=1\n" OUT,
         "none 0"}, /* the last window hangs over */
        {"input x float 1x4x8x8\nRelu x -> y\n" OUT, "1x1 1,1 1,1 0,0,0,0 0"},
        {"input x float 1x4x8x8\ninput z float 1x4x1x8\nAdd x,z -> y\n" OUT, "none 0"},
        {"input x float 1x4x8x8\ninput z float 1x3x8x8\nConcat x,z -> y axis=1\n" OUT, "1x1 1,1 1,1 0,0,0,0 0"},
        {"input x float 1x4x8x8\ninput z float 1x4x3x8\nConcat x,z -> y axis=2\n" OUT, "none 0"},
        {"input x float 1x4x8x8\nSoftmax x -> y\n" OUT, "none 0"},
        {"input x float 1x4x8x8\nMaxPool x -> y kernel_shape=2,2 strides=2,2 ceil_mode=1\n" OUT,
         "2x2 2,2 1,1 0,0,0,0 0"},
        {"input x float 1x4x6x6\nAveragePool x -> y kernel_shape=1,1 strides=3,1 ceil_mode=1\n" OUT,
         "none 0"}, /* runtimes count the last window or not */
        {"input x float 1x4x8x8\nweight s float 4\nBatchNormalization x,s,s,s,s -> y\n" OUT, "1x1 1,1 1,1 0,0,0,0 0"},
        {"opset 15\ninput x float 1x4x8x8\nweight s float 4\nBatchNormalization x,s,s,s,s -> y training_mode=1\n" OUT,
         "none 0"},
        {"input x float 1x4x8x8\nLRN x -> y size=3\n" OUT, "1x1 1,1 1,1 0,0,0,0 0"},
        {"input x float 1x4x8x8\nweight s float 4\nweight z uint8 4\nQuantizeLinear x,s,z -> y axis=1\n" OUT,
         "1x1 1,1 1,1 0,0,0,0 0"},
        {"input x float 1x4x8x8\nweight s float 8\nweight z uint8 8\nQuantizeLinear x,s,z -> y axis=2\n" OUT,
         "none 0"}, /* a scale for each row */
        {"input x uint8 1x4x8x8\nweight s float -\nDequantizeLinear x,s -> y axis=2\n" OUT, "1x1 1,1 1,1 0,0,0,0 0"},
        {"input x uint8 1x4x9x7\nweight s float -\nweight z uint8 -\nweight w int8 8x4x3x3\nweight v int8 "
         "-\nQLinearConv x,s,z,w,s,v,s,z -> y pads=1,1,1,1 strides=2,2\n" OUT,
         "3x3 2,2 1,1 1,1,1,1 5760"},
        {"input x uint8 1x4x8x8\nweight w uint8 8x4x3x3\nConvInteger x,w -> y\n" OUT, "3x3 1,1 1,1 0,0,0,0 10368"},
    };
    for (size_t i = 0; i < COUNT(examples); i++) {
        check_window(examples[i][0], examples[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),   cmocka_unit_test(test_signals),  cmocka_unit_test(test_images),
        cmocka_unit_test(test_losses),      cmocka_unit_test(test_open),     cmocka_unit_test(test_bounds_run),
        cmocka_unit_test(test_only_shapes), cmocka_unit_test(test_unsorted), cmocka_unit_test(test_circles),
        cmocka_unit_test(test_values),      cmocka_unit_test(test_maps),     cmocka_unit_test(test_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
