/* TensorFlow Lite models with a plan in which slices and concatenations copy nothing: which tensors share their bytes,
 * and when bytes are needed. */
#include "unit/nets.h"
#include "unit/noted.h"

#include <unistd.h>

static void in_place(void **state) {
    (void)state;
    static const struct {
        const char *what;
        int tensor, offset; /* moved there; -1: stays */
        uint32_t parts;
        bool valid;
    } cases[] = {{"all in their places", -1, 0, 3, true},
                 {"a slice elsewhere in its argument", 1, 112, 2, false},
                 {"a slice that is copied", 1, 512, 2, true},
                 {"a part over rows that are still needed", 2, 128, 2, false},
                 {"a part over rows that no slice takes", 3, 0, 2, true},
                 {"the result over rows that no slice takes, but not only", 4, 96, 1, false},
                 {"a part one row too high", 2, 224, 2, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct net net = copies();
        struct flat flat;
        if (cases[i].tensor >= 0) {
            net.offsets[cases[i].tensor] = cases[i].offset;
        }
        write_net(&flat, &net);
        struct sw_problem *problem = load_bytes((const char *)flat.bytes, flat.count);
        if (sw_problem_member_count(problem) != cases[i].parts) {
            fail_msg("%s: %u parts", cases[i].what, sw_problem_member_count(problem));
        }
        assert_valid(problem, cases[i].valid);
        if (i == 0) {
            uint64_t peak;
            assert_true(sw_problem_plan_peak(problem, &peak));
            assert_int_equal(peak, 512);
            assert_int_equal(sw_problem_buffer_count(problem), 3);
            const struct sw_buffer *x = buffer_named(problem, "x");
            assert_int_equal(sw_buffer_live_bytes(x, 0), 256);
            assert_int_equal(sw_buffer_live_bytes(x, 1), 128);
            assert_int_equal(sw_buffer_live_bytes(x, 2), 128);
            assert_int_equal(sw_buffer_live_bytes(buffer_named(problem, "y"), 1), 128);
            assert_int_equal(sw_buffer_live_bytes(buffer_named(problem, "y"), 2), 256);
            assert_true(noted(problem, "3 tensors are slices, or parts of concatenations, that lie in their places"));
            assert_round_trip(problem, "x.json");
        }
        sw_problem_unref(problem);
    }
}

/* What is no copy of bytes as they are, or not of these: then both have bytes of their own, and the same plan is at
 * fault. */
static void no_copies(void **state) {
    (void)state;
    for (int i = 0; i < 10; i++) {
        struct net net = copies();
        struct flat flat;
        uint32_t parts = i < 3 ? 1 : 2;
        switch (i) {
        case 0:
            net.ops[3].options[1] = 1;
            break; /* the concatenation is a rectifier, too */
        case 1:
            net.tensors[4].zero_point = 4;
            break; /* its result has another scale */
        case 2:
            net.ops[3].options[0] = 2;
            net.tensors[4].shape[1] = 4;
            net.tensors[4].shape[2] = 16;
            break; /* columns, not rows */
        case 3:
            net.tensors[6].buffer = 0;
            break; /* where the slice begins is known when it runs */
        case 4:
            net.tensors[6].buffer = 5;
            break; /* it begins at row 0 */
        case 5:
            net.output = 1;
            break; /* the slice is a result */
        case 6:
            net.ops[2].output = 1;
            net.ops[3].inputs[1] = 3;
            parts = 1;
            break; /* written twice; q is written by nothing */
        case 7:
            net.tensors[1].type = UINT8_TYPE;
            break; /* another element type */
        case 8:    /* the left half of each row */
            net.tensors[0].shape[2] = 16;
            memcpy(net.offsets, (const int[]){0, 256, 512, 640, 512, 0}, 6 * sizeof(int));
            break;
        default:
            net.ops[0].kind = 45;
            break; /* no slice */
        }
        write_net(&flat, &net);
        struct sw_problem *problem = load_bytes((const char *)flat.bytes, flat.count);
        if (sw_problem_member_count(problem) != parts) {
            fail_msg("case %d: %u parts", i, sw_problem_member_count(problem));
        }
        assert_valid(problem, false);
        sw_problem_unref(problem);
    }
    struct net net = copies(); /* without a plan nothing lies anywhere */
    struct flat flat;
    net.planned = false;
    write_net(&flat, &net);
    struct sw_problem *problem = load_bytes((const char *)flat.bytes, flat.count);
    assert_int_equal(sw_problem_member_count(problem), 0);
    assert_int_equal(sw_buffer_live_bytes(buffer_named(problem, "x"), 0), 256);
    sw_problem_unref(problem);
}

/* What the interpreter printed says where tensors lie, too. */
static void in_a_log(void **state) {
    (void)state;
    static const char text[] = "0 (id=0): size=256, offset=0, first_used=0 last_used=1\n"
                               "1 (id=1): size=128, offset=128, first_used=1 last_used=3\n"
                               "2 (id=2): size=128, offset=256, first_used=2 last_used=4\n"
                               "3 (id=3): size=128, offset=384, first_used=3 last_used=4\n"
                               "4 (id=4): size=256, offset=256, first_used=4 last_used=5\n"
                               "5 (id=5): size=256, offset=0, first_used=5 last_used=5\n";
    char path[] = "/tmp/stowage-places-XXXXXX";
    int file = mkstemp(path);
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    struct net net = copies();
    struct flat flat;
    struct sw_error error = {0};
    struct sw_load_options options = {.join = path};
    net.planned = false;
    write_net(&flat, &net);
    struct sw_input input = text_input((const char *)flat.bytes, flat.count);
    struct sw_problem *problem = sw_load_input(&input, &options, &error);
    unlink(path);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(sw_problem_member_count(problem), 3);
    assert_valid(problem, true);
    sw_problem_unref(problem);
}

/* A slice of what is made behind it is none that a model can have. */
static void out_of_order(void **state) {
    (void)state;
    struct net net = copies();
    struct flat flat;
    struct sw_error error = {0};
    net.ops[0].inputs[0] = 2;
    net.ops[1].inputs[0] = 0;
    net.offsets[1] = 384;
    write_net(&flat, &net);
    struct sw_input input = text_input((const char *)flat.bytes, flat.count);
    assert_null(sw_load_input(&input, NULL, &error));
    assert_non_null(strstr(error.message, "which is first written later"));
}

static void cut_short(void **state) {
    (void)state;
    struct net net = copies();
    struct flat flat;
    write_net(&flat, &net);
    for (size_t length = 0; length < flat.count; length++) {
        struct sw_error error = {0};
        char *copy = malloc(length + 1);
        assert_non_null(copy);
        memcpy(copy, flat.bytes, length);
        struct sw_input input = text_input(copy, length);
        struct sw_problem *problem = sw_load_input(&input, NULL, &error);
        assert_true(problem || error.code == SW_ERROR_INPUT);
        sw_problem_unref(problem);
        free(copy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_place),     cmocka_unit_test(no_copies), cmocka_unit_test(in_a_log),
        cmocka_unit_test(out_of_order), cmocka_unit_test(cut_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
