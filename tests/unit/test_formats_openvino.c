/* OpenVINO's IR. */
#include "unit/formats.h"
#include "unit/noted.h"

static const char plain[] =
    "<?xml version=\"1.0\"?>\n"
    "<net name=\"small\" version=\"11\">\n"
    "	<layers>\n"
    "		<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\">\n"
    "			<data shape=\"?,3,8,8\" element_type=\"f32\"/>\n"
    "			<output>\n"
    "				<port id=\"0\" precision=\"FP32\" names=\"x\">\n"
    "					<dim>-1</dim>\n"
    "					<dim>3</dim>\n"
    "					<dim>8</dim>\n"
    "					<dim>8</dim>\n"
    "				</port>\n"
    "			</output>\n"
    "		</layer>\n"
    "		<layer id=\"1\" name=\"w\" type=\"Const\" version=\"opset1\">\n"
    "			<data element_type=\"f16\" shape=\"4,3,1,1\" offset=\"0\" size=\"24\"/>\n"
    "			<output>\n"
    "				<port id=\"0\" "
    "precision=\"FP16\"><dim>4</dim><dim>3</dim><dim>1</dim><dim>1</dim></port>\n"
    "			</output>\n"
    "		</layer>\n"
    "		<layer id=\"2\" name=\"w32\" type=\"Convert\" version=\"opset1\">\n"
    "			<input><port id=\"0\" "
    "precision=\"FP16\"><dim>4</dim><dim>3</dim><dim>1</dim><dim>1</dim></port></input>\n"
    "			<output>\n"
    "				<port id=\"1\" "
    "precision=\"FP32\"><dim>4</dim><dim>3</dim><dim>1</dim><dim>1</dim></port>\n"
    "			</output>\n"
    "		</layer>\n"
    "		<layer id=\"4\" name=\"relu &amp; mo&#x72;e\" type=\"ReLU\" version=\"opset1\">\n"
    "			<input><port id=\"0\" "
    "precision=\"FP32\"><dim>-1</dim><dim>4</dim><dim>8</dim><dim>8</dim></port></input>\n"
    "			<output>\n"
    "				<port id=\"1\" "
    "precision=\"FP32\"><dim>-1</dim><dim>4</dim><dim>8</dim><dim>8</dim></port>\n"
    "			</output>\n"
    "		</layer>\n"
    "		<layer id=\"3\" name=\"conv\" type=\"Convolution\" version=\"opset1\">\n"
    "			<input>\n"
    "				<port id=\"0\" "
    "precision=\"FP32\"><dim>-1</dim><dim>3</dim><dim>8</dim><dim>8</dim></port>\n"
    "				<port id=\"1\" "
    "precision=\"FP32\"><dim>4</dim><dim>3</dim><dim>1</dim><dim>1</dim></port>\n"
    "			</input>\n"
    "			<output>\n"
    "				<port id=\"2\" "
    "precision=\"FP32\"><dim>-1</dim><dim>4</dim><dim>8</dim><dim>8</dim></port>\n"
    "			</output>\n"
    "		</layer>\n"
    "		<layer id=\"5\" name=\"flat\" type=\"Reshape\" version=\"opset1\">\n"
    "			<output><port id=\"1\" "
    "precision=\"FP32\"><dim>-1</dim><dim>256</dim></port></output>\n"
    "		</layer>\n"
    "		<layer id=\"6\" name=\"parts\" type=\"Split\" version=\"opset1\">\n"
    "			<output>\n"
    "				<port id=\"1\" "
    "precision=\"FP32\"><dim>2</dim><dim>128</dim></port>\n"
    "				<port id=\"2\" precision=\"I4\"><dim>2</dim><dim>128</dim></port>\n"
    "			</output>\n"
    "		</layer>\n"
    "		<layer id=\"7\" name=\"out\" type=\"Result\" version=\"opset1\"/>\n"
    "	</layers>\n"
    "	<edges>\n"
    "		<edge from-layer=\"0\" from-port=\"0\" to-layer=\"3\" to-port=\"0\"/>\n"
    "		<edge from-layer=\"1\" from-port=\"0\" to-layer=\"2\" to-port=\"0\"/>\n"
    "		<edge from-layer=\"2\" from-port=\"1\" to-layer=\"3\" to-port=\"1\"/>\n"
    "		<edge from-layer=\"3\" from-port=\"2\" to-layer=\"4\" to-port=\"0\"/>\n"
    "		<edge from-layer=\"4\" from-port=\"1\" to-layer=\"5\" to-port=\"0\"/>\n"
    "		<edge from-layer=\"5\" from-port=\"1\" to-layer=\"6\" to-port=\"0\"/>\n"
    "		<edge from-layer=\"6\" from-port=\"1\" to-layer=\"7\" to-port=\"0\"/>\n"
    "	</edges>\n"
    "</net>\n";
static const char loop[] = "<net name=\"rounds\" version=\"10\">\n"
                           "<layers>\n"
                           "<layer id=\"0\" name=\"x\" type=\"Parameter\"><output><port id=\"0\" "
                           "precision=\"FP32\"><dim>16</dim></port></output></layer>\n"
                           "<layer id=\"1\" name=\"k\" type=\"Parameter\"><output><port id=\"0\" "
                           "precision=\"FP32\"><dim>16</dim></port></output></layer>\n"
                           "<layer id=\"2\" name=\"loop\" type=\"TensorIterator\">\n"
                           "<input><port id=\"0\"><dim>16</dim></port><port id=\"1\"><dim>16</dim></port></input>\n"
                           "<output><port id=\"2\" precision=\"FP32\"><dim>16</dim></port></output>\n"
                           "<port_map>\n"
                           "<input external_port_id=\"0\" internal_layer_id=\"0\"/>\n"
                           "<input external_port_id=\"1\" internal_layer_id=\"1\"/>\n"
                           "<output external_port_id=\"2\" internal_layer_id=\"5\"/>\n"
                           "</port_map>\n"
                           "<back_edges><edge from-layer=\"5\" to-layer=\"0\"/></back_edges>\n"
                           "<body>\n"
                           "<layers>\n"
                           "<layer id=\"0\" name=\"state\" type=\"Parameter\"><output><port id=\"0\" "
                           "precision=\"FP32\"><dim>16</dim></port></output></layer>\n"
                           "<layer id=\"1\" name=\"same\" type=\"Parameter\"><output><port id=\"0\" "
                           "precision=\"FP32\"><dim>16</dim></port></output></layer>\n"
                           "<layer id=\"3\" name=\"mul\" type=\"Multiply\"><output><port id=\"2\" "
                           "precision=\"FP32\"><dim>16</dim></port></output></layer>\n"
                           "<layer id=\"4\" name=\"add\" type=\"Add\"><output><port id=\"2\" "
                           "precision=\"FP32\"><dim>16</dim></port></output></layer>\n"
                           "<layer id=\"5\" name=\"next\" type=\"Result\"/>\n"
                           "</layers>\n"
                           "<edges>\n"
                           "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"3\" to-port=\"0\"/>\n"
                           "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"3\" to-port=\"1\"/>\n"
                           "<edge from-layer=\"3\" from-port=\"2\" to-layer=\"4\" to-port=\"0\"/>\n"
                           "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"4\" to-port=\"1\"/>\n"
                           "<edge from-layer=\"4\" from-port=\"2\" to-layer=\"5\" to-port=\"0\"/>\n"
                           "</edges>\n"
                           "</body>\n"
                           "</layer>\n"
                           "<layer id=\"3\" name=\"pick\" type=\"If\">\n"
                           "<input><port id=\"0\"><dim>16</dim></port><port id=\"1\"><dim>16</dim></port></input>\n"
                           "<output><port id=\"2\" precision=\"FP32\"><dim>16</dim></port></output>\n"
                           "<then_port_map><input external_port_id=\"1\" internal_layer_id=\"0\"/><output "
                           "external_port_id=\"2\" internal_layer_id=\"2\"/></then_port_map>\n"
                           "<else_port_map><input external_port_id=\"1\" internal_layer_id=\"0\"/><output "
                           "external_port_id=\"2\" internal_layer_id=\"1\"/></else_port_map>\n"
                           "<then_body><layers>\n"
                           "<layer id=\"0\" name=\"a\" type=\"Parameter\"><output><port id=\"0\" "
                           "precision=\"FP32\"><dim>16</dim></port></output></layer>\n"
                           "<layer id=\"1\" name=\"neg\" type=\"Negative\"><output><port id=\"1\" "
                           "precision=\"FP32\"><dim>16</dim></port></output></layer>\n"
                           "<layer id=\"2\" name=\"r\" type=\"Result\"/></layers>\n"
                           "<edges><edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\" to-port=\"0\"/><edge "
                           "from-layer=\"1\" from-port=\"1\" to-layer=\"2\" to-port=\"0\"/></edges></then_body>\n"
                           "<else_body><layers>\n"
                           "<layer id=\"0\" name=\"b\" type=\"Parameter\"><output><port id=\"0\" "
                           "precision=\"FP32\"><dim>16</dim></port></output></layer>\n"
                           "<layer id=\"1\" name=\"s\" type=\"Result\"/></layers>\n"
                           "<edges><edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\" "
                           "to-port=\"0\"/></edges></else_body>\n"
                           "</layer>\n"
                           "<layer id=\"4\" name=\"out\" type=\"Result\"/>\n"
                           "</layers>\n"
                           "<edges>\n"
                           "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"2\" to-port=\"0\"/>\n"
                           "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"2\" to-port=\"1\"/>\n"
                           "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"3\" to-port=\"0\"/>\n"
                           "<edge from-layer=\"2\" from-port=\"2\" to-layer=\"3\" to-port=\"1\"/>\n"
                           "<edge from-layer=\"3\" from-port=\"2\" to-layer=\"4\" to-port=\"0\"/>\n"
                           "</edges>\n"
                           "</net>\n";
static const char old[] = "<?xml version=\"1.0\" ?>\n"
                          "<!-- before version 10 -->\n"
                          "<net batch=\"1\" name=\"old\" version=\"4\">\n"
                          "<layers>\n"
                          "<layer id=\"0\" name=\"data\" precision=\"FP16\" type=\"Input\"><output><port "
                          "id=\"0\"><dim>1</dim><dim>8</dim></port></output></layer>\n"
                          "<layer id=\"1\" name=\"fc\" precision=\"FP16\" type=\"FullyConnected\">\n"
                          "<input><port id=\"0\"><dim>1</dim><dim>8</dim></port></input>\n"
                          "<output><port id=\"3\"><dim>1</dim><dim>4</dim></port></output>\n"
                          "<blobs><weights offset=\"0\" size=\"64\"/></blobs></layer>\n"
                          "</layers>\n"
                          "<edges><edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\" to-port=\"0\"/></edges>\n"
                          "</net>\n";

static void assert_life(const struct sw_problem *problem, const char *name, uint64_t size, uint32_t first,
                        uint32_t last) {
    const struct sw_buffer *buffer = buffer_named(problem, name);
    assert_int_equal(buffer->size, size);
    assert_int_equal(buffer->first, first);
    assert_int_equal(buffer->last, last);
}

static struct sw_problem *read_dim(const char *text, const char *key, const char *value, struct sw_error *error) {
    struct sw_params dims = {0};
    assert_true(sw_params_set(&dims, key, value, error));
    struct sw_load_options options = {.dims = &dims};
    struct sw_input input = text_input(text, strlen(text));
    struct sw_problem *problem = sw_load_input(&input, &options, error);
    sw_params_done(&dims);
    return problem;
}

/* Layers that stand before what they read run after it; lengths follow where they can. */
static void layers(void **state) {
    (void)state;
    struct sw_error error = {0};
    struct sw_problem *problem = read_dim(plain, "x:0", "2", &error);
    assert_non_null(problem);
    assert_string_equal(sw_problem_name(problem), "small");
    assert_int_equal(sw_problem_operator_count(problem), 4);
    assert_life(problem, "x", 1536, 0, 0);
    assert_life(problem, "conv", 2048, 0, 1);
    assert_life(problem, "relu & more", 2048, 1, 2);
    assert_life(problem, "flat", 2048, 2, 3);
    assert_life(problem, "parts", 1024, 3, 3);
    assert_life(problem, "parts:2", 128, 3, 3);
    assert_int_equal(buffer_named(problem, "parts")->kind, SW_KIND_OUTPUT);
    assert_int_equal(sw_problem_operator(problem, 1)->pair_count, 1);
    assert_true(noted(problem, "1 constants that operators read (48 bytes)"));
    assert_true(noted(problem, "1 layers with a result that is known before the run"));
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
    struct sw_input input = text_input(plain, strlen(plain));
    assert_null(sw_load_input(&input, NULL, &error));
    assert_string_equal(error.message,
                        "the model needs x:0, which is left open: give it, for instance with --dim x:0=1, "
                        "or save the model with fixed shapes (model.reshape)");
    assert_null(read_dim(plain, "y:0", "2", &error));
    assert_string_equal(error.message, "--dim y:0: no layer leaves a dimension of this name open (LAYER:AXIS)");
    assert_null(read_dim(old, "y:0", "2", &error));
    assert_string_equal(error.message, "--dim y:0: no layer leaves a dimension of this name open (LAYER:AXIS)");
}

/* ---- lengths that follow ---- */

#define MOST_LAYERS 24

/* A model made of lines: "KIND NAME SHAPE SOURCES ATTRIBUTES", a shape as 2x?x3 or -, with its element type behind a
 * colon; sources are numbers of lines. */
static void write_model(const char *const *lines, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "<net name=\"m\" version=\"11\"><layers>\n"), edges = 0;
    static char list[20000];
    for (size_t i = 0; lines[i]; i++) {
        char kind[40], name[420], shape[60], sources[60], attributes[300] = "";
        assert_true(sscanf(lines[i], "%39s %419s %59s %59s %299[^\n]", kind, name, shape, sources, attributes) >= 4);
        char *type = strchr(shape, ':');
        used += (size_t)snprintf(text + used, size - used,
                                 "<layer id=\"%zu\" name=\"%s\" type=\"%s\"><data %s/><output><port id=\"0\" "
                                 "precision=\"%s\">",
                                 i, name, kind, attributes, type ? type + 1 : "U8");
        if (type) {
            *type = '\0';
        }
        for (char *part = strtok(shape, "x"); part && *part != '-'; part = strtok(NULL, "x")) {
            used += (size_t)snprintf(text + used, size - used, "<dim>%s</dim>", *part == '?' ? "-1" : part);
        }
        used += (size_t)snprintf(text + used, size - used, "</port></output></layer>\n");
        int port = 0;
        for (char *part = strtok(sources, ","); part && *part != '-'; part = strtok(NULL, ","), port++) {
            edges += (size_t)snprintf(list + edges, sizeof list - edges,
                                      "<edge from-layer=\"%s\" from-port=\"0\" to-layer=\"%zu\" to-port=\"%d\"/>\n",
                                      part, i, port);
        }
    }
    snprintf(text + used, size - used, "</layers><edges>%.*s</edges></net>\n", (int)edges, list);
}

#define INPUT_OF(name) "Parameter " name " ?x?x8 -"

/* Lines, and how many bytes the last one has when every input is 2x3x8. */
static void lengths_that_follow(void **state) {
    (void)state;
    static const struct {
        const char *lines[MOST_LAYERS];
        uint64_t size;
    } models[] = {
        {{INPUT_OF("a"), "ReLU x ?x?x8 0", NULL}, 48},
        {{INPUT_OF("a"), "Const w 8x4 -", "MatMul x ?x?x4 0,1", NULL}, 24},
        {{INPUT_OF("a"), "Const w 4x8 -", "MatMul x ?x?x4 0,1 transpose_b=\"true\"", NULL}, 24},
        {{INPUT_OF("a"), INPUT_OF("b"), "MatMul x ?x?x? 0,1 transpose_b=\"true\"", NULL}, 18},
        {{INPUT_OF("a"), "Const o 3 -", "Transpose x 8x?x? 0,1", NULL}, 48},
        {{INPUT_OF("a"), "Const o 1 -", "ReduceMean x ?x?x1 0,1 keep_dims=\"true\"", NULL}, 6},
        {{INPUT_OF("a"), "Const o 1 -", "ReduceMax x ?x? 0,1 keep_dims=\"false\"", NULL}, 6},
        {{INPUT_OF("a"), "Const o 1 -", "Slice x ?x?x4 0,1,1,1,1", NULL}, 24},
        {{INPUT_OF("a"), INPUT_OF("b"), "Concat x ?x?x8 0,1 axis=\"-2\"", NULL}, 96},
        {{INPUT_OF("a"), INPUT_OF("b"), "Concat x ?x?x16 0,1 axis=\"2\"", NULL}, 96},
        {{INPUT_OF("a"), "Const o 4 -", "Reshape x ?x?x2x4 0,1 special_zero=\"true\"", NULL}, 48},
        {{INPUT_OF("a"), "Const o 2 -", "Reshape x ?x8 0,1 special_zero=\"true\"", NULL}, 48},
        {{INPUT_OF("a"), "Const o 1 -", "Unsqueeze x ?x1x?x8 0,1", NULL}, 48},
        {{INPUT_OF("a"), "Const o 1 -", "Split x ?x?x4 0,1 num_splits=\"2\"", NULL}, 24},
        {{INPUT_OF("a"), INPUT_OF("b"), "Einsum x ?x?x? 0,1 equation=\"bid,bjd-&gt;bij\"", NULL}, 18},
        {{"Parameter a ?x?:I64 -", "Const t 9x4 -", "Const o - -", "Gather x ?x?x4 1,0,2 batch_dims=\"0\"", NULL}, 24},
        {{INPUT_OF("a"), INPUT_OF("b"), INPUT_OF("c"), "ScaledDotProductAttention x ?x?x8 0,1,2", NULL}, 48},
        {{INPUT_OF("a"), INPUT_OF("b"), "GatherElements x ?x?x8 0,1", NULL}, 48},
        {{INPUT_OF("a"), "ShapeOf s 3:I64 0", "Parameter b 1 -", "Broadcast x ?x?x8 2,1", NULL}, 48},
        {{INPUT_OF("a"), "ShapeOf s 3:I64 0", "ShapeOf t 1:I64 1", "Concat u 4:I64 2,1 axis=\"0\"", "Parameter b 1 -",
          "Broadcast x ?x?x?x8 4,3", NULL},
         144},
        {{INPUT_OF("a"), "Const o 1 -", "CumSum x ?x?x8 0,1", NULL}, 48},
        {{INPUT_OF("a"), "NonZero x 3x? 0", NULL}, 144},
    };
    for (size_t i = 0; i < COUNT(models); i++) {
        static char text[30000];
        size_t last = 0;
        write_model(models[i].lines, text, sizeof text);
        struct sw_params dims = {0};
        struct sw_error error = {0};
        for (; models[i].lines[last + 1]; last++) {
            if (strstr(models[i].lines[last], "Parameter") && strchr(models[i].lines[last], '?')) {
                char key[] = {models[i].lines[last][10], ':', '0', '\0'};
                assert_true(sw_params_set(&dims, key, "2", &error));
                key[2] = '1';
                assert_true(sw_params_set(&dims, key, "3", &error));
            }
        }
        struct sw_load_options options = {.dims = &dims};
        struct sw_problem *problem = read_options(text, &options);
        if (buffer_named(problem, "x")->size != models[i].size) {
            fail_msg("%s: %u bytes", models[i].lines[last], (unsigned)buffer_named(problem, "x")->size);
        }
        assert_true(noted(problem, "upper bounds") == (strstr(models[i].lines[last], "NonZero") != NULL ||
                                                       strstr(models[i].lines[last], "Slice") != NULL));
        sw_problem_unref(problem);
        sw_params_done(&dims);
    }
}

/* What does not follow is told at once, each length by its first layer, with whole names. */
static void missing_lengths(void **state) {
    (void)state;
    static char text[30000], name[300], line[400], long_option[340];
    memset(name, 'n', sizeof name - 1);
    snprintf(line, sizeof line, "Strange %s ?x?x8 0", name);
    const char *lines[] = {INPUT_OF("a"), line, "ReLU x ?x?x8 1", INPUT_OF("b"), "Add y ?x?x8 2,3", NULL};
    write_model(lines, text, sizeof text);
    struct sw_error error = {0};
    struct sw_input input = text_input(text, strlen(text));
    assert_null(sw_load_input(&input, NULL, &error));
    assert_non_null(strstr(error.message,
                           "the model needs 6 lengths that are left open: give them, for instance with --dim "
                           "a:0=1 --dim a:1=1 --dim n"));
    snprintf(long_option, sizeof long_option, " --dim %s:1=1 --dim b:0=1 --dim b:1=1, or", name);
    assert_non_null(strstr(error.message, long_option));
}

static void bodies(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(loop);
    assert_life(problem, "state", 64, 0, 3); /* the loop's variable, until its round ends */
    assert_life(problem, "mul", 64, 1, 2);
    assert_life(problem, "loop", 64, 2, 5); /* what the body makes last */
    assert_life(problem, "pick", 64, 4, 5);
    assert_int_equal(sw_problem_buffer_count(problem), 6);
    assert_true(noted(problem, "3 bodies of loops and branches stand for one round each"));
    sw_problem_unref(problem);
}

/* The type of a layer is that of its ports, and what nothing reads is a result. */
static void before_version_10(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(old);
    assert_life(problem, "data", 16, 0, 0);
    assert_life(problem, "fc", 8, 0, 0);
    assert_int_equal(buffer_named(problem, "fc")->kind, SW_KIND_OUTPUT);
    sw_problem_unref(problem);
}

#define PORT(dims) "<output><port id=\"0\" precision=\"FP32\">" dims "</port></output>"
#define HEAD "<net name=\"n\" version=\"10\"><layers>\n"
#define INPUT HEAD "<layer id=\"0\" name=\"p\" type=\"Parameter\">" PORT("<dim>2</dim>") "</layer>\n"
#define RELU "<layer id=\"1\" name=\"r\" type=\"ReLU\">" PORT("<dim>2</dim>") "</layer>\n"
static void refusals(void **state) {
    (void)state;
    static const struct refusal wrong[] = {
        {HEAD, 2, 1, "the XML is cut off: an element is not ended"},
        {HEAD "</net>", 2, 3, "the XML is wrong: mismatched tag"},
        {HEAD "<layer id=0>", 2, 11, "the XML is wrong: not well-formed (invalid token)"},
        {HEAD "<layer id=\"&x;\">", 2, 1, "the XML is wrong: undefined entity"},
        {HEAD "<layer id=\"0\" /x>", 2, 16, "the XML is wrong: not well-formed (invalid token)"},
        {HEAD "< >", 2, 2, "the XML is wrong: not well-formed (invalid token)"},
        {HEAD "</layers></net>x", 2, 16, "the XML is wrong: junk after document element"},
        {HEAD "<!-- - ", 2, 1, "the XML is cut off: an element is not ended"},
        {HEAD "<layer id=\"0\" id=\"1\"/>", 2, 15, "the XML is wrong: duplicate attribute"},
        {"<net name=\"n\" version=\"10\"><layers/></net>", 1, 43, "the model has no layers"},
        {INPUT "</layers></net>", 1, 1, "there is nothing to plan: no layer runs"},
        {INPUT "<layer id=\"0\" type=\"ReLU\"/></layers></net>", 3, 1, "two layers have the same id"},
        {INPUT "<layer id=\"1\"/></layers></net>", 3, 1, "a layer without id or type"},
        {INPUT RELU "</layers>\n<edges><edge from-layer=\"7\" from-port=\"0\" to-layer=\"1\"/></edges></net>", 5, 8,
         "the edge begins at no port of the model: from layer 7, port 0 to layer 1"},
        {INPUT RELU "</layers>\n<edges><edge from-layer=\"0\" from-port=\"0\" to-layer=\"9\"/></edges></net>", 5, 8,
         "the edge ends at no layer of the model: from layer 0, port 0 to layer 9"},
        {INPUT RELU "</layers>\n<edges><edge from-layer=\"1\" from-port=\"0\" to-layer=\"1\"/></edges></net>", 3, 1,
         "layer r needs its own result"},
        {HEAD "<layer id=\"0\" name=\"p\" type=\"Parameter\">" PORT("<dim>x</dim>"), 2, 85,
         "the dimension is not a number up to 2^60, or -1 where it is open"},
        {HEAD "<layer id=\"0\" name=\"p\" type=\"Parameter\">" PORT("<dim>-2</dim>"), 2, 86,
         "the dimension is not a number up to 2^60, or -1 where it is open"},
        {HEAD "<layer id=\"0\" name=\"p\" type=\"Parameter\">" PORT(
             "<dim>1152921504606846976</dim><dim>9</dim>") "</layer></layers></net>",
         2, 1, "layer p: its result is larger than 2^61 bytes"},
        {HEAD "<layer id=\"0\" name=\"p\" type=\"Parameter\"><output><port id=\"0\" "
              "precision=\"string\"/></output>"
              "</layer></layers></net>",
         2, 1, "layer p: elements of type \"string\" have no size"},
    };
    must_refuse_text(wrong, COUNT(wrong));
}

static void cut(void **state) {
    (void)state;
    cut_everywhere(plain);
    cut_everywhere(loop);
    cut_everywhere(old);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers), cmocka_unit_test(lengths_that_follow), cmocka_unit_test(missing_lengths),
        cmocka_unit_test(bodies), cmocka_unit_test(before_version_10),   cmocka_unit_test(refusals),
        cmocka_unit_test(cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
