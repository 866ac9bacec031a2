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
static const char loop[] =
    "<net name=\"rounds\" version=\"10\">\n"
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
static const char old[] =
    "<?xml version=\"1.0\" ?>\n"
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

static void assert_life(const struct sw_problem *problem, const char *name, uint64_t size,
                        uint32_t first, uint32_t last) {
    const struct sw_buffer *buffer = buffer_named(problem, name);
    assert_int_equal(buffer->size, size);
    assert_int_equal(buffer->first, first);
    assert_int_equal(buffer->last, last);
}

static struct sw_problem *read_dim(const char *text, const char *key, const char *value,
                                   struct sw_error *error) {
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
    assert_true(noted(problem, "1 layers whose result is known before the run"));
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
    assert_null(read_dim(plain, "y:0", "2", &error));
    assert_non_null(
        strstr(error.message, "leaves dimension 0 open: give it, for instance with --dim x:0=1"));
    assert_null(read_dim(old, "y:0", "2", &error));
    assert_string_equal(error.message,
                        "--dim y:0: no layer leaves a dimension of this name open (LAYER:AXIS)");
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
#define INPUT                                                                                      \
    HEAD "<layer id=\"0\" name=\"p\" type=\"Parameter\">" PORT("<dim>2</dim>") "</layer>\n"
#define RELU "<layer id=\"1\" name=\"r\" type=\"ReLU\">" PORT("<dim>2</dim>") "</layer>\n"
static void refusals(void **state) {
    (void)state;
    static const struct refusal wrong[] = {
        {HEAD, 2, 1, "the XML is cut off: an element is not ended"},
        {HEAD "</net>", 2, 1,
         "the XML is wrong: this element was not begun, or others in it are not ended"},
        {HEAD "<layer id=0>", 2, 1, "the XML is wrong: an attribute has no value in quotes"},
        {HEAD "<layer id=\"&x;\">", 2, 1, "the XML is wrong: & stands for no character"},
        {HEAD "<layer id=\"0\" /x>", 2, 1, "the XML is wrong: an element is not closed with >"},
        {HEAD "< >", 2, 1, "the XML is wrong: < begins no element"},
        {HEAD "</layers></net>x", 2, 16, "the XML is wrong: text outside of all elements"},
        {HEAD "<!-- -- ", 2, 1, "the XML is cut off"},
        {"<net name=\"n\" version=\"10\"><layers/></net>", 1, 43, "the model has no layers"},
        {INPUT "</layers></net>", 1, 1, "there is nothing to plan: no layer runs"},
        {INPUT "<layer id=\"0\" type=\"ReLU\"/></layers></net>", 3, 1,
         "two layers have the same id"},
        {INPUT "<layer id=\"1\"/></layers></net>", 3, 1, "a layer without id or type"},
        {INPUT RELU
         "</layers>\n<edges><edge from-layer=\"7\" from-port=\"0\" to-layer=\"1\"/></edges></net>",
         5, 8, "the edge begins at no port of the model: from layer 7, port 0 to layer 1"},
        {INPUT RELU
         "</layers>\n<edges><edge from-layer=\"0\" from-port=\"0\" to-layer=\"9\"/></edges></net>",
         5, 8, "the edge ends at no layer of the model: from layer 0, port 0 to layer 9"},
        {INPUT RELU
         "</layers>\n<edges><edge from-layer=\"1\" from-port=\"0\" to-layer=\"1\"/></edges></net>",
         3, 1, "layer r needs its own result"},
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
        cmocka_unit_test(layers),   cmocka_unit_test(bodies), cmocka_unit_test(before_version_10),
        cmocka_unit_test(refusals), cmocka_unit_test(cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
