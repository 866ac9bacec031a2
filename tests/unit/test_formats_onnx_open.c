/* ONNX: lengths that only the run tells and their upper bounds; values that are no tensors; operators that are not
 * ONNX's own. */
#include "unit/onnx_checks.h"

#define OUT "output y\n"

/* A model, what --dim gives, shapes that come out, and words of a note. */
struct bound {
    const char *text, *dims, *wanted, *note;
};

static void check_bounds(const struct bound *bounds, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct sw_error error = {0};
        struct sw_problem *problem = load_dims(bounds[i].text, bounds[i].dims, &error);
        if (!problem) {
            fail_msg("%s\n%s", error.message, bounds[i].text);
        }
        check_shapes(problem, bounds[i].text, bounds[i].wanted);
        if (bounds[i].note) {
            check_note(problem, bounds[i].text, bounds[i].note);
        } else if (has_note(problem, "upper bounds")) {
            fail_msg("there is a bound in\n%s", bounds[i].text);
        }
        sw_problem_unref(problem);
    }
}

static void test_own_bounds(void **state) {
    (void)state;
    static const struct bound bounds[] = {
        {"input x float 4x5\nNonZero x -> y\n" OUT, NULL, "y=int64:2x20",
         "upper bounds by NonZero (every element): y:1=20"},
        /* what is known is no bound */
        {"input x float 3x4\nreals k 0.0,1.0,1.0\nNonZero k -> n\nints a 0\nSqueeze n,a -> "
         "i\nGather x,i -> y\n" OUT,
         NULL, "y=2x4", NULL},
        {"input b float 2x30x4\ninput s float 2x5x30\nint m 7\nNonMaxSuppression b,s,m -> y\n" OUT, NULL,
         "y=int64:70x3", "by NonMaxSuppression (most boxes of a class, times classes and batch): y:0=70"},
        {"input b float 2x30x4\ninput s float 2x5x30\nint m 1000\nNonMaxSuppression b,s,m -> "
         "y\n" OUT,
         NULL, "y=int64:300x3", "y:0=300"},
        {"input b float 2x30x4\ninput s float 2x5x30\ninput m int64 1\nNonMaxSuppression b,s,m -> "
         "y\n" OUT,
         NULL, "y=int64:300x3", "y:0=300"},
        {"input b float 2x30x4\ninput s float 2x5x30\nNonMaxSuppression b,s -> y\n" OUT, NULL, "y=int64:0x3", "y:0=0"},
        {"input x float 2x30\ninput k int64 1\nTopK x,k -> y,i\noutput i\n" OUT, NULL, "y=2x30 i=int64:2x30",
         "by TopK (the whole axis): i:1=30, y:1=30"},
        {"input x float 4x5\nUnique x -> y,i,v,c\noutput i\noutput v\noutput c\n" OUT, NULL,
         "y=20 i=int64:20 v=int64:20 c=int64:20", "by Unique (all are different): i:0=20, c:0=20, y:0=20"},
        {"input x float 4x5\nUnique x -> y axis=1\n" OUT, NULL, "y=4x5", "y:1=5"},
        {"input x float 4x5\ninput c bool 3\nCompress x,c -> y axis=0\nCompress x,c -> z\noutput "
         "z\n" OUT,
         NULL, "y=3x5 z=3", "by Compress (the whole length): z:0=3, y:0=3"},
        {"input x float 4x5\ninput s int64 1\ninput e int64 1\nints a 1\nSlice x,s,e,a -> y\n" OUT, NULL, "y=4x5",
         "by Slice (the whole axis): y:1=5"},
        {"input x float 6\ninput s int64 2\nSplit x,s -> y,z\noutput z\n" OUT, NULL, "y=6 z=6",
         "by Split (the whole axis): z:0=6, y:0=6"},
        /* the bound is the length for all that follows, and two bounds of one length agree on the smaller one */
        {"input x float 4x5\nNonZero x -> n\nTranspose n -> t\nCast t -> f to=1\nShape f -> "
         "s\nConstantOfShape s -> "
         "o\nAdd f,o -> y\n" OUT,
         NULL, "t=int64:20x2 y=20x2", "n:1=20"},
        {"input x float 4x5\ninput k float 9\nNonZero x -> n\nNonZero k -> m\nAdd n,m -> y\n" OUT, NULL,
         "n=int64:2x20 m=int64:1x9 y=int64:2x9", "n:1=20, m:1=9"},
        /* a condition that follows from a bound */
        {"input x float 4\nNonZero x -> n\nSize n -> s\nint z 0\nEqual s,z -> c\ngraph then\nRelu "
         "x -> a\noutput a\nend\n"
         "graph else\nNeg x -> b\noutput b\nend\nIf c -> y then_branch=@then "
         "else_branch=@else\nIdentity y -> r\noutput r\noutput n\n",
         NULL, "y=4", "1 If are decided as upper bounds decide them"},
    };
    check_bounds(bounds, COUNT(bounds));
}

static void test_given_bounds(void **state) {
    (void)state;
    static const struct bound bounds[] = {
        {"input x float 4x5\nNonZero x -> n\nTranspose n -> y\n" OUT, "n:1=7", "n=int64:2x7 y=int64:7x2",
         "upper bounds by --dim: n:1=7"},
        /* what an operator cannot exceed stays */
        {"input x float 4x5\nNonZero x -> y\n" OUT, "y:1=70", "y=int64:2x20", "by NonZero (every element): y:1=20"},
        /* values and places are equally many */
        {"input x float 2x30\ninput k int64 1\nTopK x,k -> y,i\noutput i\n" OUT, "y:1=3", "y=2x3 i=int64:2x3",
         "by --dim: i:1=3, y:1=3"},
        /* pieces of a Split are not */
        {"input x float 6\ninput s int64 2\nSplit x,s -> y,z\noutput z\n" OUT, "y:0=2", "y=2 z=6", "by --dim: y:0=2"},
        {"input x float 4x6\ninput s int64 2\nReshape x,s -> y\n" OUT, "y:0=3 y:1=8", "y=3x8", "y:0=3, y:1=8"},
        {"input x float 4x6\ninput s int64 2\nReshape x,s -> a\nRelu a -> y\noutput y float 3xK\n", "a:0=3 a:1=8",
         "y=3x8", "a:0=3"},
        {"input x float 1\ninput s int64 3\nExpand x,s -> y\n" OUT, "y:0=1 y:1=2 y:2=3", "y=1x2x3", "y:2=3"},
        {"input n int64 -\nint z 0\nint one 1\nRange z,n,one -> y\n" OUT, "y:0=12", "y=int64:12", "y:0=12"},
        {"input x int64 4\ninput d int64 -\nreals v 0.0,1.0\nOneHot x,d,v -> y\n" OUT, "y:1=9", "y=4x9", "y:1=9"},
        {"input x float 1x3x8x8\ninput s int64 4\nResize x,_,_,s -> y\n" OUT, "y:0=1 y:1=3 y:2=16 y:3=17",
         "y=1x3x16x17", "y:3=17"},
        /* names with a colon and with an equals sign: the last ones count */
        {"input x float 4x5\nNonZero x -> a:1\nTranspose a:1 -> y\n" OUT, "a:1:1=3", "a:1=int64:2x3", "a:1:1=3"},
        /* the name of a dimension goes before a tensor's axis */
        {"input x float a:1\nNonZero x -> a\nTranspose a -> y\n" OUT, "a:1=6", "x=6 a=int64:1x6",
         "by NonZero (every element): a:1=6"},
        /* a dimension that only value_info names is a bound, too */
        {"input x float 4x5\nNonZero x -> y\noutput y int64 2xfound\n", "found=6", "y=int64:2x6", "by --dim: y:1=6"},
        /* an operator that is not known: its shape from the option, its type from the file */
        {"input x float 4\nown/Mystery x -> a\ninfo a float16 *\nRelu a -> y\n" OUT, "a:0=2 a:1=3",
         "a=float16:2x3 y=float16:2x3", "1 operators are not known here"},
        {"input x float *\nRelu x -> y\n" OUT, "x:0=2 x:1=3", "x=2x3 y=2x3", NULL},
    };
    check_bounds(bounds, COUNT(bounds));
}

static void test_unknown(void **state) {
    (void)state;
    static const struct bound bounds[] = {
        {"input x float 4\nown/Mystery x -> a\ninfo a float 3x3\nown/Mystery a -> b\ninfo b float "
         "2\nRelu b -> y\n" OUT,
         NULL, "a=3x3 b=2 y=2",
         "2 operators are not known here, and their outputs are as the file declares them or --dim "
         "gives them; "
         "the first is Mystery (Mystery)"},
    };
    struct sw_problem *problem = load(bounds[0].text);
    check_shapes(problem, bounds[0].text, bounds[0].wanted);
    check_note(problem, bounds[0].text, bounds[0].note);
    sw_problem_unref(problem);
}

static void test_loops(void **state) {
    (void)state;
#define BODY(lines) "graph body\ninput i int64 -\ninput g bool -\n" lines "end\n"
    static const struct bound bounds[] = {
        /* a loop that may end earlier */
        {"input x float 3\nint m 5\n" BODY(
             "input s float 3\nRelu s -> t\nReduceMax t -> r keepdims=0\nCast r -> c to=9\n"
             "output c\noutput t\noutput t\n") "Loop m,_,x -> z,y body=@body\noutput z\n" OUT,
         NULL, "z=3 y=5x3", "by Loop (every round): y:0=5"},
        /* one of which only the run tells the rounds */
        {"input x float 3\ninput m int64 -\n" BODY("input s float 3\nRelu s -> t\nIdentity g -> c\noutput c\noutput t\n"
                                                   "output t\n") "Loop m,_,x -> z,y body=@body\n" OUT,
         "y:0=8", "y=8x3", "by --dim: y:0=8"},
        /* a state that every round makes longer, as detectors collect their masks */
        {"input x float 9x4\nNonZero x -> n\nShape n -> s\nint one 1\nGather s,one -> m\nreals "
         "e 0.\nints z 0\nints w 0,2,3\n"
         "ConstantOfShape w -> start\ninput k float 1x2x3\n" BODY(
             "input s float ?x2x3\nConcat s,k -> t axis=0\nIdentity g -> c\noutput c\noutput "
             "t\n") "Loop m,_,start -> y body=@body\n" OUT,
         NULL, "y=36x2x3", "by Loop (what every round adds): y:0=36"},
        /* one that doubles: only the option can tell */
        {"input x float 1\nint m 6\n" BODY("input s float ?\nConcat s,s -> t axis=0\nIdentity g -> c\noutput c\noutput "
                                           "t\n") "Loop m,_,x -> y body=@body\n" OUT,
         "y:0=64", "y=64", "by --dim: y:0=64"},
        /* lengths that are open within the body, until a slice closes them */
        {"input x float 1x20\ninput h int64 1\nints one 1\nConcat one,h -> size axis=0\nint m "
         "3\nints z 0\nints e 8\nints a 1\n" BODY(
             "input s float 1x20\nExpand s,size -> t\nSlice t,z,e,a -> u\nSlice u,z,one,z -> "
             "v\nIdentity g -> c\noutput c\n"
             "output s\noutput v\n") "Loop m,_,x -> w,y body=@body\n" OUT,
         NULL, "y=3x1x8", NULL},
    };
    check_bounds(bounds, COUNT(bounds) - 1);
    struct sw_problem *problem = load(bounds[COUNT(bounds) - 1].text);
    check_shapes(problem, bounds[COUNT(bounds) - 1].text, bounds[COUNT(bounds) - 1].wanted);
    sw_problem_unref(problem);
}

/* The parts of torchvision's detectors: anchors from shapes, proposals by TopK and NonMaxSuppression, levels by
 * NonZero and put together again by ScatterElements, empty results behind an If, masks collected by a Loop. */
static void test_detector(void **state) {
    (void)state;
    static const char text[] =
        "opset 11\ninput image float 3x320x320\nUnsqueeze image -> batch axes=0,\nweight w float "
        "8x3x3x3\n"
        "Conv batch,w -> features strides=16,16 pads=1,1,1,1\nweight wb float 4x8x1x1\nweight ws "
        "float 1x8x1x1\n"
        "Conv features,wb -> deltas\nConv features,ws -> objectness\nints flat 1,-1\nReshape "
        "objectness,flat -> scores\n"
        "ints rows -1,4\nTranspose deltas -> turned perm=0,2,3,1\nReshape turned,rows -> boxes\n"
        "Shape scores -> shape\nint one 1\nGather shape,one -> all\nints many 1000\nUnsqueeze all "
        "-> all1 axes=0,\n"
        "Concat all1,many -> both axis=0\nReduceMin both -> least axes=0, keepdims=1\nTopK "
        "scores,least -> best,places\n"
        "ints a -1\nReshape places,a -> place\nGather boxes,place -> proposals\n"
        /* small boxes go, then those that overlap */
        "reals limit 0.5\nReshape best,a -> score\nGreater score,limit -> large\nNonZero large -> "
        "kept\n"
        "Transpose kept -> columns perm=1,0\nSqueeze columns -> keep axes=1,\nGather "
        "proposals,keep -> left\n"
        "Gather score,keep -> leftscore\nSize keep -> count\nint none 0\nEqual count,none -> "
        "empty\n"
        "graph nothing\nConstantOfShape zero -> e0 value=#0,\noutput e0\nend\nints zero 0\n"
        "graph some\nUnsqueeze left -> b axes=0,\nUnsqueeze leftscore -> s axes=0,1\nint most 50\n"
        "NonMaxSuppression b,s,most -> nms\nints two 2\nGather nms,two -> col axis=1\nSqueeze col "
        "-> chosen axes=1,\noutput chosen\nend\n"
        "If empty -> picks then_branch=@nothing else_branch=@some\nGather left,picks -> found\n"
        /* features for each, level by level */
        "weight lw float 4x1\nMatMul found,lw -> level0\nreals third 0.3\nLess level0,third -> "
        "level1\nNonZero level1 -> on\n"
        "int row 0\nGather on,row -> rois\nGather found,rois -> boxesl\nShape boxesl -> "
        "shapel\nGather shapel,row -> nl\n"
        "Unsqueeze nl -> nl1 axes=0,\nConstantOfShape nl1 -> batchl value=#0,\nRoiAlign "
        "features,boxesl,batchl -> pooled "
        "output_height=7 output_width=7\nShape found -> shapef\nGather shapef,row -> nf\nUnsqueeze "
        "nf -> nf1 axes=0,\n"
        "ints rest 8,7,7\nConcat nf1,rest -> merged axis=0\nConstantOfShape merged -> blank\nShape "
        "pooled -> ps\n"
        "ints r4 -1,1,1,1\nReshape rois,r4 -> index\nExpand index,ps -> indices\nScatterElements "
        "blank,indices,pooled -> together\n"
        "Flatten together -> rowsf\nweight fc float 392x5\nMatMul rowsf,fc -> classes\nSoftmax "
        "classes -> y axis=1\n"
        /* detections per image, as a sequence */
        "SplitToSequence found -> parts axis=0 keepdims=1\nSequenceAt parts,row -> "
        "firstbox\nConcatFromSequence parts -> joined axis=0\n"
        "output y\noutput firstbox\noutput joined\n";
    struct sw_problem *problem = load(text);
    check_shapes(problem, text,
                 "features=1x8x20x20 proposals=400x4 kept=int64:1x400 left=400x4 nms=int64:50x3 "
                 "found=50x4 pooled=50x8x7x7 "
                 "together=50x8x7x7 y=50x5 firstbox=1x4 joined=50x4");
    check_note(problem, text, "upper bounds by NonZero (every element): kept:1=400, on:1=50");
    check_note(problem, text, "1 If are decided as upper bounds decide them");
    check_note(problem, text, "left out: 1 values that are sequences, maps, optional or texts, the first parts");
    sw_problem_unref(problem);
}

static void test_other_values(void **state) {
    (void)state;
    static const struct bound bounds[] = {
        {"input a float 2x3\ninput b float 4x3\nSequenceConstruct a,b -> q\nint i 1\nSequenceAt "
         "q,i -> y\nSequenceLength q -> n\n"
         "ConcatFromSequence q -> c axis=0\noutput n\noutput c\n" OUT,
         NULL, "y=4x3 c=8x3", "by SequenceAt (the largest element): c:0=8, y:0=4"},
        {"input a float 2x3\nSequenceEmpty -> e\nSequenceInsert e,a -> f\nSequenceInsert f,a -> "
         "g\nSequenceErase g -> h\n"
         "ConcatFromSequence h -> y axis=0 new_axis=1\n" OUT,
         NULL, "y=1x2x3", "left out: 4 values that are sequences, maps, optional or texts, the first e"},
        {"input q seq:float 2x3\nint i 0\nSequenceAt q,i -> y\n" OUT, NULL, "y=2x3",
         "left out: 1 values that are sequences, maps, optional or texts, the first q"},
        {"input q seq:float 2x3\nConcatFromSequence q -> y axis=0\n" OUT, "y:0=9", "y=9x3", "by --dim: y:0=9"},
        {"input q opt:float 2x3\nOptionalHasElement q -> h\nOptionalGetElement q -> y\noutput "
         "h\n" OUT,
         NULL, "y=2x3 h=bool:-", "the first q"},
        {"input a float 2x3\nOptional a -> o\nOptionalGetElement o -> y\n" OUT, NULL, "y=2x3", "the first o"},
        {"input a float 7x3\nints s 3\nint k 3\nSplitToSequence a,k -> q axis=0\nint i "
         "0\nSequenceAt q,i -> y\n" OUT,
         NULL, "y=3x3", "the first q"},
        {"input a string 4\nStringNormalizer a -> b\nai.onnx.ml/LabelEncoder b -> y "
         "keys_strings=[x,z] values_int64s=0,1\n" OUT,
         NULL, "y=int64:4", "left out: 2 values that are sequences, maps, optional or texts, the first a"},
        {"input a string 4\ninput x float 4\nIdentity a -> b\nRelu x -> y\noutput b\n" OUT, NULL, "y=4",
         "left out: 2 values that are sequences, maps, optional or texts, the first a"},
        {"input m map:float -\nai.onnx.ml/DictVectorizer m -> y int64_vocabulary=4,5,6\n" OUT, NULL, "y=1x3",
         "the first m"},
    };
    for (size_t i = 0; i < COUNT(bounds); i++) {
        struct bound one = bounds[i];
        one.note = one.note ? one.note : "";
        check_bounds(&one, 1);
    }
}

static void test_machine_learning(void **state) {
    (void)state;
#define ML(line) "input x float 5x4\nai.onnx.ml/" line "\n"
    static const struct example examples[] = {
        {ML("Scaler x -> y offset=1., scale=1.,") OUT, "y=5x4"},
        {"input x int64 5x4\nai.onnx.ml/Normalizer x -> y\n" OUT, "y=5x4"},
        {ML("Imputer x -> y") OUT, "y=5x4"},
        {ML("Binarizer x -> y") OUT, "y=5x4"},
        {ML("LinearRegressor x -> y targets=3") OUT, "y=5x3"},
        {ML("TreeEnsembleRegressor x -> y n_targets=2") OUT, "y=5x2"},
        {ML("SVMRegressor x -> y") OUT, "y=5x1"},
        {ML("LinearClassifier x -> l,y classlabels_ints=0,1,2 intercepts=1.,1.,1.") "output "
                                                                                    "l\n" OUT,
         "l=int64:5 y=5x3"},
        {ML("TreeEnsembleClassifier x -> l,y classlabels_int64s=0,1") "output l\n" OUT, "l=int64:5 y=5x2"},
        {ML("TreeEnsembleClassifier x -> l,y classlabels_strings=[no,yes]\nai.onnx.ml/ZipMap y -> "
            "z classlabels_strings=[no,yes]") "output l\noutput z\n" OUT,
         "y=5x2"},
        {ML("SVMClassifier x -> l,y classlabels_ints=0,1,2,3 prob_a=1.,") OUT, "y=5x4"},
        {ML("SVMClassifier x -> l,y classlabels_ints=0,1,2,3 vectors_per_class=1,1,1,1") OUT, "y=5x6"},
        {"input x int64 5x4\nai.onnx.ml/OneHotEncoder x -> y cats_int64s=1,2,3\n" OUT, "y=5x4x3"},
        {ML("ArrayFeatureExtractor x,i -> y") "ints i 0,2\n" OUT, "y=5x2"},
        {"input x float 5x4\ninput z int64 5x2\nai.onnx.ml/FeatureVectorizer x,z -> y "
         "inputdimensions=4,2\n" OUT,
         "y=5x6"},
        {"input x int64 5\nai.onnx.ml/LabelEncoder x -> y keys_int64s=1, values_floats=1.,\n" OUT, "y=5"},
    };
    check_examples(examples, COUNT(examples));
}

static void test_language_models(void **state) {
    (void)state;
#define MS(inputs, line) inputs "com.microsoft/" line "\n"
    static const struct example examples[] = {
        {MS("input x float16 2x10x64\nweight b uint8 96x2x16\nweight s float16 192\n",
            "MatMulNBits x,b,s -> y K=64 N=96 bits=4 block_size=32") OUT,
         "y=float16:2x10x96"},
        {MS("input x float 2x10x64\ninput k float 2x10x64\n", "FusedMatMul x,k -> y transB=1 alpha=0.5") OUT,
         "y=2x10x10"},
        {MS("input x float 4x2x3x5\ninput k float 2x3x5x6\n", "FusedMatMul x,k -> y transBatchA=1") OUT, "y=2x3x4x6"},
        {MS("input x float 4x5\nweight w float 6x5\n", "FusedGemm x,w -> y transB=1 activation=Relu") OUT, "y=4x6"},
        {MS("input x float 1x3x8x8\nweight w float 4x3x3x3\n", "FusedConv x,w -> y activation=Relu pads=1,1,1,1") OUT,
         "y=1x4x8x8"},
        {MS("input i int32 2x10\ninput s int32 2x10\nweight w float 300x64\nweight p float "
            "512x64\n",
            "EmbedLayerNormalization i,s,w,p -> y,m,e") "output m\noutput e\n" OUT,
         "y=2x10x64 m=int32:2 e=2x10x64"},
        {MS("input x float 2x10x64\ninput r float 2x10x64\nweight g float 64\n",
            "SkipLayerNormalization x,r,g -> y,_,_,s") "output s\n" OUT,
         "y=2x10x64 s=2x10x64"},
        {MS("input x float 2x10x64\ninput r float 2x10x64\nweight g float 64\n",
            "SkipSimplifiedLayerNormalization x,r,g -> y,m,d,s") "output m\noutput s\n" OUT,
         "m=2x10x1 s=2x10x64"},
        {MS("input x float 2x10x64\nweight w float 64x192\nweight b float 192\ninput p float "
            "2x2x4x7x16\n",
            "Attention x,w,b,_,p -> y,s num_heads=4") "output s\n" OUT,
         "y=2x10x64 s=2x2x4x17x16"},
        {MS("input x float 2x10x64\nweight w float 64x160\nweight b float 160\n",
            "Attention x,w,b -> y num_heads=4 qkv_hidden_sizes=64,64,32") OUT,
         "y=2x10x32"},
        {MS("input x uint8 2x10x64\nweight w int8 64x192\nweight b float 192\nweight s float -\n",
            "QAttention x,w,b,s,s -> y num_heads=4") OUT,
         "y=2x10x64"},
        {MS("input q float 2x10x64\ninput k float 2x12x64\ninput v float 2x12x32\n",
            "MultiHeadAttention q,k,v -> y,a,b num_heads=4") "output a\noutput b\n" OUT,
         "y=2x10x32 a=2x4x12x16 b=2x4x12x8"},
        {MS("input q float 2x10x4x3x16\n", "MultiHeadAttention q -> y num_heads=4") OUT, "y=2x10x64"},
        {MS("input q float16 2x1x64\ninput k float16 2x1x32\ninput v float16 2x1x32\ninput pk "
            "float16 2x2x7x16\n"
            "input pv float16 2x2x7x16\ninput l int32 2\nints t 8\n",
            "GroupQueryAttention q,k,v,pk,pv,l,t -> y,a,b num_heads=4 kv_num_heads=2") "output "
                                                                                       "a\noutput "
                                                                                       "b\n" OUT,
         "y=float16:2x1x64 a=float16:2x2x8x16 b=float16:2x2x8x16"},
        {MS("input q float 2x1x128\ninput pk float 2x2x7x16\ninput pv float 2x2x7x16\ninput l "
            "int32 2\ninput t int32 -\n",
            "GroupQueryAttention q,_,_,pk,pv,l,t -> y,a,b num_heads=4 kv_num_heads=2") "output "
                                                                                       "a\noutput "
                                                                                       "b\n" OUT,
         "y=2x1x64 a=2x2x8x16"},
        {MS("input x float 2x4x10x16\ninput p int64 1\nweight c float 64x8\n", "RotaryEmbedding x,p,c,c -> y") OUT,
         "y=2x4x10x16"},
        {MS("input x float 2x10x64\nweight b float 64\n",
            "BiasGelu x,b -> a\ncom.microsoft/FastGelu a,b -> b1\ncom.microsoft/QuickGelu "
            "b1 -> y") OUT,
         "y=2x10x64"},
        {MS("input i int64 2x10\nweight w uint8 300x32\nweight s float16 300x2\n",
            "GatherBlockQuantized w,i,s -> y bits=4 block_size=32") OUT,
         "y=float16:2x10x64"},
        {MS("input x float 2x10x64\ninput r float 20x8\nweight w uint8 8x64x64\nweight s float "
            "8x64\n",
            "QMoE x,r,w,s,_,w,s -> y k=2") OUT,
         "y=2x10x64"},
        {MS("input x float 2x10x64\ninput m int32 2\n",
            "RemovePadding x,m -> a,o,c,n\ncom.microsoft/RestorePadding a,o -> y") "output a\n" OUT,
         "a=20x64 y=2x10x64"},
        {"opset 23\ninput q float 2x4x10x16\ninput k float 2x2x12x16\ninput v float "
         "2x2x12x8\nAttention q,k,v -> y\n" OUT,
         "y=2x4x10x8"},
        {"opset 23\ninput q float 2x10x64\ninput k float 2x12x32\ninput v float 2x12x32\nAttention "
         "q,k,v -> y q_num_heads=4 "
         "kv_num_heads=2\n" OUT,
         "y=2x10x64"},
    };
    check_examples(examples, COUNT(examples));
}

static void test_quantized(void **state) {
    (void)state;
#define QS "weight s float -\nweight z uint8 -\n"
    static const struct example examples[] = {
        {MS("input a uint8 2x3\ninput b uint8 3\n" QS, "QLinearAdd a,s,z,b,s,z,s,z -> y") OUT, "y=uint8:2x3"},
        {MS("input a uint8 2x3\ninput b uint8 4x3\n" QS, "QLinearConcat s,z,a,s,z,b,s,z -> y axis=0") OUT,
         "y=uint8:6x3"},
        {MS("input c bool 2x1\ninput a uint8 2x3\ninput b uint8 3\n" QS, "QLinearWhere c,a,s,z,b,s,z,s,z -> y") OUT,
         "y=uint8:2x3"},
        {MS("input a uint8 2x3\n" QS, "QLinearLeakyRelu a,s,z,s,z -> b\ncom.microsoft/QLinearSigmoid b,s,z,s,z -> c\n"
                                      "com.microsoft/QLinearSoftmax c,s,z,s,z -> y") OUT,
         "y=uint8:2x3"},
        {MS("input a uint8 2x8x8x3\n" QS,
            "QLinearAveragePool a,s,z,s,z -> y kernel_shape=2,2 strides=2,2 channels_last=1") OUT,
         "y=uint8:2x4x4x3"},
        {MS("input a uint8 2x8x8x3\n" QS, "QLinearGlobalAveragePool a,s,z,s,z -> y channels_last=1") OUT,
         "y=uint8:2x1x1x3"},
        {MS("input a uint8 1x8x8x3\nweight w int8 4x3x3x3\n" QS, "QLinearConv a,s,z,w,s,z,s,z -> y channels_last=1")
             OUT,
         "y=uint8:1x6x6x4"},
        {MS("input a uint8 2x3x4\n" QS, "QLinearReduceMean a,s,z,s,z -> y axes=1, keepdims=0") OUT, "y=uint8:2x4"},
        {MS("input a float 2x5\nweight w int8 5x6\nweight s float 6\n", "DynamicQuantizeMatMul a,w,s -> y") OUT,
         "y=2x6"},
        {MS("input a uint8 2x5\nweight w int8 5x6\nweight s float -\n", "MatMulIntegerToFloat a,w,s,s -> y") OUT,
         "y=2x6"},
        {MS("input a uint8 2x5\nweight w int8 6x5\n" QS, "QGemm a,s,z,w,s,z -> y transB=1") OUT, "y=2x6"},
        {MS("input x float 1x8x9x3\nweight w float 4x3x3x3\n", "NhwcConv x,w -> y pads=1,1,1,1 strides=2,2") OUT,
         "y=1x4x5x4"},
        {MS("input x uint8 1x8x8x3\n", "NhwcMaxPool x -> y kernel_shape=2,2 strides=2,2") OUT, "y=uint8:1x4x4x3"},
        {"input x float 1x16x8x8\nweight w float 32x16x3x3\ncom.microsoft.nchwc/ReorderInput x -> "
         "a\n"
         "com.microsoft.nchwc/Conv a,w -> b pads=1,1,1,1\ncom.microsoft.nchwc/MaxPool b -> c "
         "kernel_shape=2,2 strides=2,2\n"
         "com.microsoft.nchwc/ReorderOutput c -> y channels=30 channels_last=1\n" OUT,
         "b=1x32x8x8 y=1x4x4x30"},
    };
    check_examples(examples, COUNT(examples));
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *text, *dims, *message;
    } wrong[] = {
        {"input x float 4x6\ninput s int64 2\nReshape x,s -> y\n" OUT, NULL,
         "operator Reshape_0 (Reshape) leaves dimension 0 of y open until the model runs, and "
         "others: "
         "give an upper bound, as with --dim y:0=100 --dim y:1=100"},
        {"input x float 4x6\ninput s int64 2\nReshape x,s -> y\n" OUT, "y:0=4",
         "operator Reshape_0 (Reshape) leaves dimension 1 of y open until the model runs: "
         "give an upper bound, as with --dim y:1=100"},
        {"input x float 3\ninput m int64 -\n" BODY("input s float 3\nIdentity g -> c\noutput "
                                                   "c\noutput s\noutput s\n") "Loop m,_,x -> z,y "
                                                                              "body=@body\n" OUT,
         NULL,
         "operator Loop_0 (Loop) leaves dimension 0 of y open until the model runs: "
         "give an upper bound, as with --dim y:0=100"},
        {"input x float 4\nRelu x -> y\n" OUT, "y:0=3", "--dim y:0: this dimension is not open, it is 4"},
        {"input x float 4\nRelu x -> y\n" OUT, "y:1=3", "--dim y:1: this tensor has 1 dimensions, counted from 0"},
        {"input x float 4\nRelu x -> y\n" OUT, "z:1=3", "--dim z:1: no dimension of this name is open"},
        {"input x float 4\nRelu x -> y\n" OUT, "y:=3", "--dim y:: no dimension of this name is open"},
        {"input x float 4\nint i 0\nSequenceAt x,i -> y\n" OUT, NULL,
         "operator SequenceAt_0 (SequenceAt): the shape of its output y does not follow: the input "
         "is no sequence (run ONNX's shape inference first)"},
        {"input x float 4x5\ninput z float 3\nAdd x,z -> a\nRelu a -> b\nExp b -> y\n" OUT, NULL,
         "operator Add_0 (Add): the shape of its output a does not follow: the shapes of its "
         "inputs do not fit together (run ONNX's shape inference first)"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct sw_error error = {0};
        struct sw_problem *problem = load_dims(wrong[i].text, wrong[i].dims, &error);
        if (problem) {
            fail_msg("accepted:\n%s", wrong[i].text);
        }
        if (strcmp(error.message, wrong[i].message) != 0) {
            fail_msg("for\n%s\nwanted %s\ngot    %s", wrong[i].text, wrong[i].message, error.message);
        }
    }
}

/* Every beginning of a model, and every model with one byte changed, is refused with a word or is another model. */
static void test_truncation(void **state) {
    (void)state;
    static const char text[] = "input x float 4x5\nNonZero x -> n\nSplitToSequence n -> q axis=1\nint i "
                               "0\nSequenceAt q,i -> a\n"
                               "ai.onnx.ml/TreeEnsembleClassifier x -> l,p classlabels_strings=[no,yes]\nints z "
                               "0,5\nConstantOfShape z -> e\n" BODY(
                                   "input s float ?x5\nConcat s,x -> t axis=0\nIdentity g -> c\noutput c\noutput "
                                   "t\n") "int m 3\nLoop m,_,e -> y body=@body\noutput a\noutput p\noutput "
                                          "l\n" OUT;
    onnx_bytes model = onnx_encode(text);
    for (size_t round = 0; round < 2 * model.count; round++) {
        size_t at = round / 2, length = round % 2 ? model.count : at;
        char *tight = malloc(length ? length : 1); /* so that reading past the end is found */
        memcpy(tight, model.items, length);
        if (round % 2) {
            tight[at] = (char)(tight[at] ^ 37);
        }
        struct sw_input input = text_input(tight, length);
        struct sw_error error = {0};
        struct sw_problem *problem = sw_load_input(&input, NULL, &error);
        assert_true(problem || (error.code != SW_OK && *error.message));
        sw_problem_unref(problem);
        free(tight);
    }
    SW_ARRAY_DONE(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_bounds),       cmocka_unit_test(test_given_bounds),
        cmocka_unit_test(test_unknown),          cmocka_unit_test(test_loops),
        cmocka_unit_test(test_detector),         cmocka_unit_test(test_other_values),
        cmocka_unit_test(test_machine_learning), cmocka_unit_test(test_language_models),
        cmocka_unit_test(test_quantized),        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_truncation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
