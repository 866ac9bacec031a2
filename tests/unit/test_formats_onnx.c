/* ONNX: what operators make, what is computed before the run, what is left out, and every error. */
#include "unit/formats.h"
#include "unit/onnx.h"
#include "unit/onnx_checks.h"

#include "formats/onnx/onnx_format.h"

#include <unistd.h>

#define IMAGE "input x float 1x3x224x224\n"
#define OUT "output y\n"

static void test_windows(void **state) {
    (void)state;
    static const struct example examples[] = {
        {IMAGE "weight w float 64x3x7x7\nConv x,w -> y strides=2,2 pads=3,3,3,3\n" OUT, "y=1x64x112x112"},
        {IMAGE "weight w float 64x3x3x3\nConv x,w -> y auto_pad=SAME_UPPER strides=2,2\n" OUT, "y=1x64x112x112"},
        {IMAGE "weight w float 64x3x4x4\nConv x,w -> y auto_pad=VALID strides=3,3\n" OUT, "y=1x64x74x74"},
        {IMAGE "weight w float 8x3x3x3\nConv x,w -> y dilations=2,2\n" OUT, "y=1x8x220x220"},
        {"input x float 1x32x8x8\nweight w float 32x1x3x3\nConv x,w -> y group=32 "
         "pads=1,1,1,1\n" OUT,
         "y=1x32x8x8"},
        {"input x float 2x4x50\nweight w float 6x4x5\nConv x,w -> y strides=2, pads=1,0\n" OUT, "y=2x6x24"},
        {"input x uint8 1x3x8x8\nweight w uint8 4x3x3x3\nConvInteger x,w -> y\n" OUT, "y=int32:1x4x6x6"},
        {"input x uint8 1x3x8x8\nweight w int8 4x3x3x3\nweight z uint8 -\nweight s float -\n"
         "QLinearConv x,s,z,w,s,z,s,z -> y\n" OUT,
         "y=uint8:1x4x6x6"},
        {"input x float 1x16x7x7\nweight w float 16x8x2x2\nConvTranspose x,w -> y "
         "strides=2,2\n" OUT,
         "y=1x8x14x14"},
        {"input x float 1x16x7x7\nweight w float 16x4x3x3\nConvTranspose x,w -> y strides=2,2 "
         "pads=1,1,1,1 output_padding=1,1 group=2\n" OUT,
         "y=1x8x14x14"},
        {"input x float 1x16x7x7\nweight w float 16x4x3x3\nConvTranspose x,w -> y strides=2,2 "
         "output_shape=15,16\n" OUT,
         "y=1x4x15x16"},
        {"input x float 1x16x7x7\nweight w float 16x4x3x3\nConvTranspose x,w -> y strides=3,3 "
         "auto_pad=SAME_LOWER\n" OUT,
         "y=1x4x21x21"},
        {"input x float 1x64x112x112\nMaxPool x -> y kernel_shape=3,3 strides=2,2\n" OUT, "y=1x64x55x55"},
        {"input x float 1x64x112x112\nMaxPool x -> y kernel_shape=3,3 strides=2,2 "
         "ceil_mode=1\n" OUT,
         "y=1x64x56x56"},
        /* a window that would begin in the padding behind the input is left out */
        {"input x float 1x1x4x4\nAveragePool x -> y kernel_shape=1,1 strides=3,3 pads=0,0,1,1 "
         "ceil_mode=1\n" OUT,
         "y=1x1x2x2"},
        {"input x float 1x1x5x5\nMaxPool x -> y,z kernel_shape=2,2 strides=2,2\n" OUT "output z\n",
         "y=1x1x2x2 z=int64:1x1x2x2"},
        {"input x float 3x8x5x6\nGlobalAveragePool x -> y\n" OUT, "y=3x8x1x1"},
        {"input x float 1x1x2x2\ninput i int64 1x1x2x2\nMaxUnpool x,i -> y kernel_shape=2,2 "
         "strides=2,2\n" OUT,
         "y=1x1x4x4"},
        {"input x float 1x8x20x20\ninput b float 5x4\ninput i int64 5\nRoiAlign x,b,i -> y "
         "output_height=7 output_width=6\n" OUT,
         "y=5x8x7x6"},
        {"input x float 1x8x4x6\nDepthToSpace x -> y blocksize=2\nSpaceToDepth x -> z "
         "blocksize=2\n" OUT "output z\n",
         "y=1x2x8x12 z=1x32x2x3"},
        {"input x float 1x3x10x10\ninput g float 1x4x5x2\nGridSample x,g -> y\n" OUT, "y=1x3x4x5"},
    };
    check_examples(examples, COUNT(examples));
}

static void test_products(void **state) {
    (void)state;
    static const struct example examples[] = {
        {"input x float 5x7\nweight w float 9x7\nweight b float 9\nGemm x,w,b -> y transB=1\n" OUT, "y=5x9"},
        {"input x float 7x5\nweight w float 7x9\nGemm x,w -> y transA=1\n" OUT, "y=5x9"},
        {"input x float 2x1x4x5\ninput w float 3x5x6\nMatMul x,w -> y\n" OUT, "y=2x3x4x6"},
        {"input x float 5\ninput w float 3x5x6\nMatMul x,w -> y\n" OUT, "y=3x6"},
        {"input x float 4x5\ninput w float 5\nMatMul x,w -> y\n" OUT, "y=4"},
        {"input x float 5\ninput w float 5\nMatMul x,w -> y\n" OUT, "y=-"},
        {"input x int8 4x5\nweight w int8 5x2\nMatMulInteger x,w -> y\n" OUT, "y=int32:4x2"},
        {"input x float 2x3x4\ninput w float 2x4x5\nEinsum x,w -> y equation=bij,bjk->bik\n" OUT, "y=2x3x5"},
        {"input x float 2x7x3x4\ninput w float 7x4x5\nEinsum x,w -> y "
         "equation=...ij,...jk->...ik\n" OUT,
         "y=2x7x3x5"},
        {"input x float 3x4\nEinsum x -> y equation=ji\n" OUT, "y=4x3"},
        {"input x float 10x2x8\nweight w float 1x64x8\nweight r float 1x64x16\n"
         "LSTM x,w,r -> y,h,c hidden_size=16\n" OUT "output h\noutput c\n",
         "y=10x1x2x16 h=1x2x16 c=1x2x16"},
        {"input x float 2x10x8\nweight w float 2x48x8\nweight r float 2x48x16\n"
         "GRU x,w,r -> y,h hidden_size=16 direction=bidirectional layout=1\n" OUT "output h\n",
         "y=2x10x2x16 h=2x2x16"},
        {"opset 1\ninput x float 2x10x8\nweight w float 64x192\nweight b float 192\n"
         "input x2 float 2x10x64\ncom.microsoft/Attention x2,w,b -> y num_heads=4\n" OUT,
         "y=2x10x64"},
    };
    check_examples(examples, COUNT(examples));
}

static void test_moves(void **state) {
    (void)state;
    static const struct example examples[] = {
        {"input x float 1x2x3\ninput z float 1x5x3\nConcat x,z -> y axis=-2\n" OUT, "y=1x7x3"},
        {"opset 11\ninput x float 2x7\nSplit x -> y,z axis=1 split=3,4\n" OUT "output z\n", "y=2x3 z=2x4"},
        {"input x float 2x8\nints s 3,5\nSplit x,s -> y,z axis=1\n" OUT "output z\n", "y=2x3 z=2x5"},
        {"opset 18\ninput x float 7\nSplit x -> y,z num_outputs=2\n" OUT "output z\n", "y=4 z=3"},
        {"input x float 2x3x4\nints s 0,-1\nReshape x,s -> y\n" OUT, "y=2x12"},
        {"opset 4\ninput x float 2x3x4\nReshape x -> y shape=4,-1\n" OUT, "y=4x6"},
        {"opset 14\ninput x float 0x3\nints s 3,0\nReshape x,s -> y allowzero=1\n" OUT, "y=3x0"},
        {"input x float 2x3x4\nTranspose x -> y perm=1,2,0\n" OUT, "y=3x4x2"},
        {"input x float 2x3x4\nTranspose x -> y\n" OUT, "y=4x3x2"},
        {"input x float 2x3x4x5\nFlatten x -> y axis=2\nFlatten x -> z axis=-1\nFlatten x -> a "
         "axis=0\n" OUT "output z\noutput a\n",
         "y=6x20 z=24x5 a=1x120"},
        {"opset 11\ninput x float 1x3x1x4\nSqueeze x -> y axes=0,2\nSqueeze x -> z\n" OUT "output z\n", "y=3x4 z=3x4"},
        {"input x float 1x3x1x4\nints a -2\nSqueeze x,a -> y\n" OUT, "y=1x3x4"},
        {"opset 11\ninput x float 3x4\nUnsqueeze x -> y axes=0,3\n" OUT, "y=1x3x4x1"},
        {"input x float 3x4\nints a 1,-1\nUnsqueeze x,a -> y\n" OUT, "y=3x1x4x1"},
        {"opset 9\ninput x float 10x20\nSlice x -> y starts=0,5 ends=3,-1\n" OUT, "y=3x14"},
        {"input x float 10x20\nints s 9\nints e -9223372036854775808\nints a 0\nints t -3\n"
         "Slice x,s,e,a,t -> y\n" OUT,
         "y=4x20"},
        {"input x float 10x20\nints s 2\nints e 9223372036854775807\nints a 1\nints t 4\n"
         "Slice x,s,e,a,t -> y\n" OUT,
         "y=10x5"},
        {"input x float 10x20\nints s 7\nints e 3\nSlice x,s,e -> y\n" OUT, "y=0x20"},
        {"input x float 10x20x5\ninput i int64 2x3\nGather x,i -> y axis=1\n" OUT, "y=10x2x3x5"},
        {"input x float 10x20\nint i 4\nGather x,i -> y\n" OUT, "y=20"},
        {"input x float 4x5\ninput i int64 2x5\nGatherElements x,i -> y\n" OUT, "y=2x5"},
        {"input x float 4x5x6\ninput i int64 7x2\nGatherND x,i -> y\n" OUT, "y=7x6"},
        {"input x float 3x1\nints s 2,1,6\nExpand x,s -> y\n" OUT, "y=2x3x6"},
        {"input x float 3x4\nints s 2,3\nTile x,s -> y\n" OUT, "y=6x12"},
        {"input x float 1x3x4\nints s 0,1,2,0,1,-1\nPad x,s -> y\n" OUT, "y=1x5x5"},
        {"opset 10\ninput x float 3x4\nPad x -> y pads=1,0,0,2\n" OUT, "y=4x6"},
        {"opset 18\ninput x float 3x4x5\nints s 2,3\nints a -1\nPad x,s,_,a -> y\n" OUT, "y=3x4x10"},
        {"input x float 1x3x20x30\nreals r 1.0,1.0,2.0,0.5\nResize x,_,r -> y\n" OUT, "y=1x3x40x15"},
        {"input x float 1x3x20x30\nints s 1,3,7,8\nResize x,_,_,s -> y\n" OUT, "y=1x3x7x8"},
        {"opset 18\ninput x float 1x3x20x30\nints s 10,60\nResize x,_,_,s -> y axes=2,3 "
         "keep_aspect_ratio_policy=not_larger\n" OUT,
         "y=1x3x10x15"},
        {"opset 10\ninput x float 1x3x20x30\nreals r 1.0,1.0,2.0,2.0\nResize x,r -> y\n" OUT, "y=1x3x40x60"},
        {"opset 9\ninput x float 1x3x20x30\nreals r 1.0,1.0,3.0,2.0\nUpsample x,r -> y\n" OUT, "y=1x3x60x60"},
        {"opset 7\ninput x float 1x3x20x30\nUpsample x -> y scales=1.,1.,2.,2.\n" OUT, "y=1x3x40x60"},
        {"input x float 2x3x4\nReduceMean x -> y axes=-1,\nReduceMax x -> z keepdims=0\n" OUT "output z\n",
         "y=2x3x1 z=-"},
        {"opset 18\ninput x float 2x3x4\nints a 0,2\nReduceMean x,a -> y keepdims=0\nReduceSum x "
         "-> z noop_with_empty_axes=1\n" OUT "output z\n",
         "y=3 z=2x3x4"},
        {"input x float 2x3x4\nArgMax x -> y axis=2 keepdims=0\n" OUT, "y=int64:2x3"},
        {"input x float 2x30\nints k 5\nTopK x,k -> y,z\n" OUT "output z\n", "y=2x5 z=int64:2x5"},
        {"opset 9\ninput x float 2x30\nTopK x -> y,z k=7\n" OUT "output z\n", "y=2x7 z=int64:2x7"},
        {"input x int64 2x3\nint d 10\nreals v 0.0,1.0\nOneHot x,d,v -> y\n" OUT, "y=2x3x10"},
        {"input x float 4x4\nEyeLike x -> y dtype=7\nAdd y,y -> z\noutput z\n", "z=int64:4x4"},
    };
    check_examples(examples, COUNT(examples));
}

static void test_elementwise(void **state) {
    (void)state;
    static const struct example examples[] = {
        {"input x float 2x1x4\ninput z float 3x1\nAdd x,z -> y\n" OUT, "y=2x3x4"},
        {"opset 6\ninput x float 2x3x4\nweight b float 3\nAdd x,b -> y broadcast=1 axis=1\n" OUT, "y=2x3x4"},
        {"input x float 2x3\ninput z float 2x3\nLess x,z -> c\nWhere c,x,z -> y\n" OUT "output c\n",
         "c=bool:2x3 y=2x3"},
        {"input x float 2x3\nCast x -> y to=10\nCastLike x,y -> z\n" OUT "output z\n", "y=float16:2x3 z=float16:2x3"},
        {"input x float 2x3\nweight s float -\nweight z int8 -\nQuantizeLinear x,s,z -> q\n"
         "DequantizeLinear q,s,z -> y\n" OUT,
         "q=int8:2x3 y=2x3"},
        {"input x float 2x3\nDynamicQuantizeLinear x -> y,s,z\n" OUT "output s\noutput z\n",
         "y=uint8:2x3 s=- z=uint8:-"},
        {"input x float 2x3x4\nweight s float 4\nLayerNormalization x,s -> y,m,d\n" OUT "output m\n",
         "y=2x3x4 m=2x3x1"},
        {"input x float 2x3x4\nweight s float 3\nBatchNormalization x,s,s,s,s -> y\nSoftmax y -> "
         "p\noutput p\n",
         "y=2x3x4 p=2x3x4"},
        {"input x float 2x3\nSum x,x,x -> y\nClip y -> z\nDropout z -> d,m\noutput d\noutput m\n", "d=2x3 m=bool:2x3"},
        {"RandomNormal -> r shape=2,3\nRelu r -> y\n" OUT, "r=2x3 y=2x3"},
        {"input x float 4x4\ncom.microsoft/Gelu x -> y\n" OUT, "y=4x4"},
    };
    check_examples(examples, COUNT(examples));
}

/* Shapes that travel as tensors, as exporters write them. */
static void test_folding(void **state) {
    (void)state;
    static const struct example examples[] = {
        {"input x float 2x3x4\nShape x -> s\nint i 0\nGather s,i -> n\nints a 0\nUnsqueeze n,a -> "
         "u\nints r -1\nConcat u,r -> t axis=0\nReshape x,t -> y\n" OUT,
         "y=2x12"},
        {"input x float 1x3x20x30\nShape x -> s\nints b 2\nints e 4\nSlice s,b,e -> h\nCast h -> f "
         "to=1\nreal k 1.5\nMul f,k -> g\nFloor g -> q\nCast q -> i to=7\nSlice s,z,b -> c\nints z "
         "0\n"
         "Concat c,i -> t axis=0\nResize x,_,_,t -> y\n" OUT,
         "y=1x3x30x45"},
        {"opset 15\ninput x float 5x6x7\nShape x -> s start=1 end=-1\nints m 7\nConcat s,m -> t "
         "axis=0\nExpand one,t -> y\nreals one 1.0\nAdd x,y -> z\noutput z\n",
         "z=5x6x7"},
        {"input x float 6x4\nSize x -> n\nint two 2\nDiv n,two -> h\nints a 0\nUnsqueeze h,a -> t\n"
         "int six 5\nMod h,six -> r\nUnsqueeze r,a -> q\nConcat q,r6 -> p axis=0\nints r6 -1\n"
         "Reshape x,p -> y\n" OUT,
         "y=2x12"},
        {"input x float 2x3x4\nShape x -> s\nReduceProd s -> p keepdims=1\nReshape x,p -> y\n" OUT, "y=24"},
        {"input x float 2x3x4\nShape x -> s\nConstantOfShape c -> o value=#1,\nints c 3\nints m "
         "-1\n"
         "Mul o,m -> n\nEqual s3,n -> e\nints s3 2,-1,1\nWhere e,s,s3 -> t\nExpand v,t -> w\n"
         "weight v float 2x3x1\nAdd x,w -> y\n" OUT,
         "y=2x3x4"},
        {"input x float 4x5\nint b 0\nint e 3\nint d 1\nRange b,e,d -> r\nGather x,r -> y\n" OUT, "y=3x5"},
        /* pads as one exporter makes them: a reversed table of pairs */
        {"input x float 1x3x8x9\nints p 1,2,3,4\nConstantOfShape c -> o value=#0,\nints c 4\n"
         "Concat p,o -> q axis=0\nReshape q,two -> r\nints two -1,2\nSlice r,m1,min,z,m1 -> f\n"
         "ints m1 -1\nints min -9223372036854775807\nints z 0\nTranspose f -> t perm=1,0\n"
         "Reshape t,m1 -> u\nCast u -> v to=7\nPad x,v -> y\n" OUT,
         "y=1x3x15x12"},
        {"input x float 2x3x4\nShape x -> s\nSplit s -> a,b,c axis=0\nMul a,b -> ab\nConcat ab,c "
         "-> "
         "t axis=0\nReshape x,t -> y\n" OUT,
         "y=6x4"},
        {"input x float 2x3x4\nShape x -> s\nNonZero o -> n\nreals o 0.0,1.0,1.0\nints a 0\n"
         "Squeeze n,a -> i\nGather s,i -> g\nReduceProd g -> p axes=0, keepdims=1\nConcat two,p -> "
         "t axis=0\nints two 2\nReshape x,t -> y\n" OUT,
         "y=2x12"},
        {"input x float 2x3x4\nShape x -> s\nints i 0,2\nTile ones,three -> b\nints ones 1\nints "
         "three 3\nMin s,nine -> m\nints nine 2\nUnsqueeze zero,a0 -> at\nints zero 1\nints a0 0\n"
         "ScatterND m,at,new -> t\nints new 6\nReshape x,t -> y\n" OUT,
         "y=2x6x2"},
        {"input x float 6\nConstant -> s value_ints=2,3\nReshape x,s -> y\n" OUT, "y=2x3"},
        {"input x float 6\nConstant -> s value=#3,2\nReshape x,s -> y\n" OUT, "y=3x2"},
    };
    check_examples(examples, COUNT(examples));
}

static void test_left_out(void **state) {
    (void)state;
    /* weights listed as inputs, a constant subgraph, a dead mask, an operator that is not needed */
    struct sw_problem *problem =
        load("opset 7\ninput x float 1x4\ninput w float 4x4\nweight w float 4x4\nweight v float 4x4\n"
             "Add w,v -> ww\nMatMul x,ww -> a\nRelu a -> b\nDropout b -> c,mask\nExp a -> nobody\n"
             "Identity c -> y\n" OUT);
    assert_int_equal(sw_problem_operator_count(problem), 4);
    assert_int_equal(sw_problem_planned_count(problem), 5);
    assert_int_equal(sw_problem_buffer_count(problem), 5);
    assert_int_equal(sw_problem_find_buffer(problem, "mask"), SW_NONE);
    assert_int_equal(buffer_named(problem, "x")->kind, SW_KIND_INPUT);
    assert_int_equal(buffer_named(problem, "y")->kind, SW_KIND_OUTPUT);
    assert_int_equal(buffer_named(problem, "a")->kind, SW_KIND_INTERMEDIATE);
    assert_string_equal(sw_problem_operator(problem, 0)->name, "MatMul_1");
    assert_string_equal(sw_problem_operator(problem, 0)->kind, "MatMul");
    assert_int_equal(sw_problem_operator(problem, 0)->input_count, 1);
    size_t permits;
    sw_problem_permits(problem, &permits);
    assert_int_equal(permits, 3); /* Relu, Dropout and Identity over what they read */
    const char *const *notes = sw_problem_notes(problem, &permits);
    assert_int_equal(permits, 3);
    assert_string_equal(notes[1], "left out: 1 constants that operators read (64 bytes), kernels' "
                                  "workspaces, and 1 operators with a result that is known before the run");
    assert_string_equal(notes[2], "left out: 1 operators and 0 inputs that no output depends on");
    sw_problem_unref(problem);

    /* an input that is handed back lives to the end */
    problem = load("input x float 2\nRelu x -> a\nRelu a -> y\noutput x\n" OUT);
    assert_int_equal(buffer_named(problem, "x")->last, 1);
    sw_problem_unref(problem);

    /* and nothing is written over it, nor over an output that is read later */
    problem = load("input x float 2\nRelu x -> c\nNeg c -> y\noutput c\noutput x\n" OUT);
    assert_true(buffer_named(problem, "x")->output && buffer_named(problem, "c")->output);
    assert_int_equal(buffer_named(problem, "x")->kind, SW_KIND_INPUT);
    sw_problem_permits(problem, &permits);
    assert_int_equal(permits, 0);
    sw_problem_unref(problem);

    /* of many operands only the first two: the others are read when those have been added up */
    problem = load("input a float 2\ninput b float 2\ninput c float 2\nSum a,b,c -> y\n" OUT);
    sw_problem_permits(problem, &permits);
    assert_int_equal(permits, 2);
    sw_problem_unref(problem);

    /* a broadcast operand is no place for the result */
    problem = load("input x float 4x4\ninput b float 4\nRelu b -> c\nAdd c,x -> y\n" OUT);
    const struct sw_permit *list = sw_problem_permits(problem, &permits);
    assert_int_equal(permits, 2);
    assert_int_equal(list[1].old, sw_problem_find_buffer(problem, "x"));
    sw_problem_unref(problem);

    /* nor one of as many bytes but wider elements */
    problem = load("input x float 1x4\ninput b float 4x1\nLess x,b -> y\n" OUT);
    sw_problem_permits(problem, &permits);
    assert_int_equal(buffer_named(problem, "y")->size, buffer_named(problem, "x")->size);
    assert_int_equal(permits, 0);
    sw_problem_unref(problem);
}

static void test_declared(void **state) {
    (void)state;
    static const struct example examples[] = {
        {"input x float 4\nown/Mystery x -> a\ninfo a float16 3x3\nRelu a -> y\n" OUT, "a=float16:3x3 y=float16:3x3"},
        {"input x float 4\nNonZero x -> y\noutput y int64 1x3\n", "y=int64:1x3"},
        {"input x float 4\nRelu x -> y\noutput y float 5\n", "y=5"},
    };
    check_examples(examples, COUNT(examples));
    struct sw_problem *problem = load(examples[2].text);
    size_t count;
    const char *const *notes = sw_problem_notes(problem, &count);
    assert_int_equal(count, 3);
    assert_string_equal(notes[2], "1 shapes are as the file declares them although its operators "
                                  "imply others, the first that of y");
    sw_problem_unref(problem);
}

static void test_dims(void **state) {
    (void)state;
    static const char sorted[] = "input x float Nx3xsx?\nints z 0\nints one 1\nints m -1\nShape x "
                                 "-> s\nSlice s,z,one -> s0\n"
                                 "Concat s0,m -> t axis=0\nReshape x,t -> y\noutput y float Nx?\n";
    struct sw_error error = {0};
    struct sw_problem *problem = load_dims(sorted, "N=2 s=5 x:3=7", &error);
    assert_non_null(problem);
    check_shapes(problem, sorted, "x=2x3x5x7 y=2x105");
    sw_problem_unref(problem);
    static const struct {
        const char *dims, *message;
    } wrong[] = {
        {NULL, "the inputs leave 3 lengths open: give them, for instance with --dim N=1 --dim s=1 --dim x:3=1"},
        {"N=2", "the inputs leave 2 lengths open: give them, for instance with --dim s=1 --dim x:3=1"},
        {"N=2 s=1", "the input x leaves its dimension 3 open: give it, for instance with --dim x:3=1"},
        {"N=2 s=5 x:3=7 M=3", "--dim M: no dimension of this name is open; there are N, s, x:3"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_null(load_dims(sorted, wrong[i].dims, &error));
        assert_string_equal(error.message, wrong[i].message);
        assert_int_equal(error.code, i == 3 ? SW_ERROR_USAGE : SW_ERROR_INPUT);
    }
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_load_options options = {.dims = &params};
    assert_true(sw_params_set(&params, "N", "1", &error));
    struct sw_input input = text_input("id,lower,upper,size\n", 20);
    assert_null(sw_load_input(&input, &options, &error));
    assert_string_equal(error.message, "--dim N: this file leaves no dimension open");
    assert_int_equal(error.code, SW_ERROR_USAGE);
    sw_params_done(&params);
}

/* As many as a model has, with names of any length, all told at once and all heeded. */
static void test_many_dims(void **state) {
    (void)state;
    enum { MANY = 70, LONG = 28 };
    static char text[20000], dims[20000];
    char tail[LONG + 1], option[LONG + 40];
    memset(tail, 'n', LONG);
    tail[LONG] = '\0';
    size_t used = 0, given = 0;
    for (int i = 0; i < MANY; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "input x%d float d%d%sx2\nRelu x%d -> y%d\n", i, i,
                                 i < 20 ? tail : "", i, i);
        given += (size_t)snprintf(dims + given, sizeof dims - given, "%sd%d%s=3", i ? " " : "", i, i < 20 ? tail : "");
    }
    for (int i = 0; i < MANY; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "output y%d\n", i);
    }
    struct sw_error error = {0};
    assert_null(load_dims(text, NULL, &error));
    for (int i = 0; i < MANY; i++) {
        snprintf(option, sizeof option, " --dim d%d%s=1", i, i < 20 ? tail : "");
        if (!strstr(error.message, option)) {
            fail_msg("no %s in %s", option, error.message);
        }
    }
    struct sw_problem *problem = load_dims(text, dims, &error);
    assert_non_null(problem);
    check_shapes(problem, text, "x69=3x2 y3=3x2");
    sw_problem_unref(problem);
}

static void test_bodies(void **state) {
    (void)state;
    /* Both branches stand in the list and write into the result; the second one's is larger. */
    struct sw_problem *problem =
        load("input x float 4x4\ninput c bool -\ngraph then\nRelu x -> t1\nExp t1 -> t2\noutput "
             "t2\nend\n"
             "graph else\nConcat x,x -> e1 axis=0\noutput e1\nend\nIf c -> y then_branch=@then "
             "else_branch=@else\nNeg y -> z\noutput z\n");
    check_shapes(problem, "If", "t1=4x4 y=8x4 z=8x4");
    assert_int_equal(sw_problem_find_buffer(problem, "t2"), SW_NONE);
    assert_int_equal(sw_problem_operator_count(problem), 5);
    assert_int_equal(buffer_named(problem, "y")->first, 1);
    assert_int_equal(buffer_named(problem, "c")->last, 3);
    sw_problem_unref(problem);

    /* A condition that is known: only one branch, and no If. */
    problem = load("input x float 4x4\nweight k bool -\nShape x -> s\nSize s -> n\nint two 2\n"
                   "Equal n,two -> c\ngraph then\nRelu x -> t1\noutput t1\nend\ngraph else\nExp x -> "
                   "e1\noutput e1\nend\nIf c -> y then_branch=@then else_branch=@else\nNeg y -> z\n"
                   "output z\n");
    assert_int_equal(sw_problem_operator_count(problem), 2);
    assert_string_equal(sw_problem_operator(problem, 0)->kind, "Relu");
    sw_problem_unref(problem);

    /* A branch that hands on what lies outside: the If itself copies it. */
    problem = load("input x float 4\ninput c bool -\nRelu x -> a\ngraph then\noutput a\nend\n"
                   "graph else\nExp a -> e\noutput e\nend\nIf c -> y then_branch=@then "
                   "else_branch=@else\noutput y\n");
    assert_int_equal(sw_problem_operator_count(problem), 3);
    assert_int_equal(buffer_named(problem, "a")->last, 2);
    sw_problem_unref(problem);

    /* A loop: what its body uses lives until it ends; results grow with the rounds. */
    problem = load("input x float 3\ninput v float 3\nint m 5\nRelu v -> w\ngraph body\ninput i int64 "
                   "-\ninput g bool -\ninput s float 3\nAdd s,w -> s2\nIdentity g -> g2\nNeg s2 -> "
                   "o\noutput g2\noutput s2\noutput o\nend\nLoop m,_,x -> y,all body=@body\n" OUT "output all\n");
    check_shapes(problem, "Loop", "y=3 all=5x3");
    assert_int_equal(sw_problem_operator_count(problem), 2);
    assert_int_equal(buffer_named(problem, "w")->last, 1);
    sw_problem_unref(problem);

    problem = load("input x float 7x3\ninput h float 3\ngraph body\ninput s float -\ninput e float "
                   "-\nAdd s,e -> s2\nNeg s2 -> o\noutput s2\noutput o\nend\nScan h,x -> y,all "
                   "body=@body num_scan_inputs=1\n" OUT "output all\n");
    check_shapes(problem, "Scan", "y=3 all=7x3");
    sw_problem_unref(problem);

    /* Functions are written out, each call with its attributes. */
    problem = load("input x float 2x3x4\nfunction Turn a -> b\nTranspose a -> t perm=$perm\nRelu t -> "
                   "b\nend\nown/Turn x -> y perm=2,0,1\nown/Turn y -> z perm=1,0,2\noutput z\n");
    check_shapes(problem, "function", "b=4x2x3");
    assert_int_equal(sw_problem_operator_count(problem), 4);
    sw_problem_unref(problem);
}

static void test_refusals(void **state) {
    (void)state;
/* Where nothing tells the type of its elements lengths alone would not do. */
#define REST " (run ONNX's shape inference first)"
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"input x float 4\nown/Mystery x -> a\nRelu a -> y\n" OUT,
         "operator Mystery_0 (Mystery): the shape of its output a does not follow: this operator "
         "is not known here" REST},
        {"input x float 4\nown/Mystery x -> a\ninfo a float *\nRelu a -> y\n" OUT,
         "operator Mystery_0 (Mystery): the shape of its output a does not follow: this operator "
         "is not known here (give its lengths with --dim a:0=1 and so on, or run ONNX's shape "
         "inference first)"},
        {"input x float 4\nints s 3\nReshape x,s -> y\n" OUT,
         "operator Reshape_0 (Reshape): the shape of its output y does not follow: the shape does "
         "not have as many elements as the input" REST},
        {"input x float 4\ninput z float 3\nAdd x,z -> y\n" OUT,
         "operator Add_0 (Add): the shape of its output y does not follow: the shapes of its "
         "inputs do not fit together" REST},
        {IMAGE "weight w float 8x4x3x3\nConv x,w -> y\n" OUT,
         "operator Conv_0 (Conv): the shape of its output y does not follow: the input's channels "
         "are not those of the weights times the groups" REST},
        {"input x float 1x3x2x2\nweight w float 8x3x3x3\nConv x,w -> y\n" OUT,
         "operator Conv_0 (Conv): the shape of its output y does not follow: the window is larger "
         "than the input" REST},
        {"input x float 4\nRelu z -> y\n" OUT, "operator Relu_0 reads the tensor z, which no operator makes"},
        {"input x float 4\nRelu x -> a\n" OUT, "the graph's output y is made by no operator"},
        {"input x float 4\nRelu x -> y\nExp x -> y\n" OUT, "two tensors are named y"},
        {"input x\nRelu x -> y\n" OUT, "the input x has no shape in the file: give its lengths "
                                       "with --dim x:0=1 and so on, or export the model "
                                       "with shapes"},
        {"weight x float 4\nRelu x -> y\n" OUT, "there is nothing to plan: no operator of the graph runs"},
        {"input x float 1152921504606846976x4\nRelu x -> y\n" OUT, "the tensor x is larger than 2^61 bytes"},
        {"input x float 4\nints n\nTile x,n -> y\n" OUT,
         "operator Tile_0 (Tile): the shape of its output y does not follow: there is not one "
         "factor "
         "for every axis" REST},
        {"input c bool -\nIf c -> y\n" OUT, "operator If_0 (If) has no then_branch"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct sw_error error = {0};
        struct sw_problem *problem = load_dims(wrong[i].text, NULL, &error);
        if (problem) {
            fail_msg("accepted:\n%s", wrong[i].text);
        }
        assert_int_equal(error.code, SW_ERROR_INPUT);
        if (strcmp(error.message, wrong[i].message) != 0) {
            fail_msg("for\n%s\nwanted %s\ngot    %s", wrong[i].text, wrong[i].message, error.message);
        }
        assert_string_equal(error.file, "file");
    }
}

/* Every beginning of a model is refused with a word, or is a smaller model; so is every model with
 * one byte changed. Copies of the exact length, so that reading past the end is found. */
static void truncate_all(const char *bytes, size_t length, size_t dense, size_t stride) {
    for (size_t cut = 0; cut < length; cut += cut < dense ? 1 : stride) {
        char *copy = malloc(cut + 1);
        memcpy(copy, bytes, cut);
        char *tight = realloc(copy, cut ? cut : 1);
        struct sw_input input = text_input(tight, cut);
        struct sw_error error = {0};
        struct sw_builder *builder = sw_builder_new(&error);
        bool good = sw_onnx_read(&input, NULL, builder, &error);
        struct sw_problem *problem = good ? sw_builder_finish(builder, &error) : NULL;
        assert_true(problem || (error.code != SW_OK && *error.message));
        sw_problem_unref(problem);
        sw_builder_free(builder);
        free(tight);
    }
}

static void test_truncation(void **state) {
    (void)state;
    onnx_bytes model =
        onnx_encode("input x float 1x3x8x8\nweight w float 4x3x3x3\nConv x,w -> a strides=2,2\nShape a -> s\n"
                    "Reshape a,t -> b\nints t 0,-1\ngraph g\nRelu b -> r\noutput r\nend\ninput c bool -\nIf c "
                    "-> "
                    "y then_branch=@g else_branch=@g\n" OUT);
    truncate_all(model.items, model.count, SIZE_MAX, 1);
    struct sw_error error = {0};
    struct sw_input input = text_input(model.items, model.count - 1);
    assert_null(sw_load_input(&input, NULL, &error));
    char message[96];
    snprintf(message, sizeof message, "a field is longer than what is left of the file, at offset %zu",
             model.count - 3);
    assert_string_equal(error.message, message);
    for (size_t i = 0; i < model.count; i++) {
        for (int change = 1; change < 256; change += 37) {
            model.items[i] = (char)(model.items[i] ^ change);
            struct sw_builder *builder = sw_builder_new(&error);
            struct sw_input changed = text_input(model.items, model.count);
            sw_onnx_read(&changed, NULL, builder, &error);
            sw_builder_free(builder);
            model.items[i] = (char)(model.items[i] ^ change);
        }
    }
    SW_ARRAY_DONE(&model);
    static const char *const names[] = {"squeezenet", "inception_v1", "resnet50", "densenet121"};
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[512];
        snprintf(path, sizeof path, SW_TEST_DATA "/onnx/light_%s.onnx", names[i]);
        if (access(path, R_OK) != 0) {
            print_message("skipped: there is no %s\n", path);
            continue;
        }
        assert_true(sw_input_open(path, &input, &error));
        truncate_all(input.bytes, input.length, 4096, 997);
        sw_input_close(&input);
    }
}

static void test_detection(void **state) {
    (void)state;
    onnx_bytes model = onnx_encode("input x float 4\nRelu x -> y\n" OUT);
    struct sw_input input = text_input(model.items, model.count);
    assert_ptr_equal(sw_format_detect(&input, NULL), &sw_format_onnx);
    input.length = 10; /* cut short within the graph */
    assert_ptr_equal(sw_format_detect(&input, NULL), &sw_format_onnx);
    SW_ARRAY_DONE(&model);
    static const char *const others[] = {"id,lower,upper,size\n", "{}", "", "\x08\x03", ":\x01 ", "\x80\x02}q"};
    for (size_t i = 0; i < COUNT(others); i++) {
        struct sw_input other = text_input(others[i], strlen(others[i]));
        assert_false(sw_format_onnx.detect(&other));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),     cmocka_unit_test(test_products), cmocka_unit_test(test_moves),
        cmocka_unit_test(test_elementwise), cmocka_unit_test(test_folding),  cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_declared),    cmocka_unit_test(test_dims),     cmocka_unit_test(test_many_dims),
        cmocka_unit_test(test_bodies),      cmocka_unit_test(test_refusals), cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_detection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
