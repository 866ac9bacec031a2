/* Real logs and programs of the optional data folder: the figures they are known to have, and what
 * happens when they are cut off. */
#include "unit/formats.h"

struct file {
    const char *name;
    uint32_t buffers;
    uint64_t naive, bound;
    const char *tier; /* the one that has this peak; NULL: the only one */
    uint64_t peak;
};
static const struct file files[] = {
    {"tflite/ad01_int8.tflm.log", 11, 2320, 768, NULL, 768},
    {"tflite/keyword_scrambled.tflm.log", 30, 3568, 672, NULL, 672},
    {"tflite/kws_ref_model.tflm.log", 14, 72656, 16000, NULL, 16000},
    {"tflite/micro_speech_quantized.tflm.log", 5, 7968, 5968, NULL, 5968},
    {"tflite/person_detect.tflm.log", 32, 241072, 55296, NULL, 55296},
    {"tflite/trained_lstm.tflm.log", 9, 8032, 5696, NULL, 5696},
    {"tflite/vww_96_int8.tflm.log", 32, 259744, 55296, NULL, 73728},
    {"vela/mobilenetv2.u65-256.dedicated.log", 117, 5080128, 384592, "Sram", 384592},
    {"vela/person_detect.u55-128.shared.log", 85, 477696, 74464, NULL, 74464},
    {"vela/vww96.u55-128.shared.log", 80, 363808, 74480, NULL, 74480},
    {"executorch/KeywordSpotting.pte", 19, 98894, 16000, NULL, 16000},
    {"executorch/add.pte", 3, 12, 12, NULL, 36},
};

static bool open_data(const char *name, struct sw_input *input) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", SW_TEST_DATA, name);
    struct sw_error error = {0};
    if (!sw_input_open(path, input, &error)) {
        printf("skipped: %s is not there\n", name);
        return false;
    }
    return true;
}

/* Of the buffers of one tier: how many, their sum, the largest sum at a step, where they end. */
static struct file measure(const struct sw_problem *problem, uint32_t tier) {
    struct file file = {0};
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, i);
        if (buffer->tier == tier || tier == SW_NONE) {
            file.buffers++;
            file.naive += buffer->size;
            file.peak = buffer->offset + buffer->size > file.peak ? buffer->offset + buffer->size : file.peak;
        }
    }
    for (uint32_t step = 0; step < sw_problem_steps(problem); step++) {
        uint64_t live = 0;
        for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
            const struct sw_buffer *buffer = sw_problem_buffer(problem, i);
            live += buffer->tier == tier || tier == SW_NONE ? sw_buffer_live_bytes(buffer, step) : 0;
        }
        file.bound = live > file.bound ? live : file.bound;
    }
    return file;
}

static void figures(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        struct sw_input input;
        struct sw_error error = {0};
        if (!open_data(files[i].name, &input)) {
            continue;
        }
        struct sw_problem *problem = sw_load_input(&input, NULL, &error);
        if (!problem) {
            fail_msg("%s:%u: %s", error.file, error.line, error.message);
        }
        uint32_t tier = files[i].tier ? sw_problem_find_tier(problem, files[i].tier) : SW_NONE;
        struct file got = measure(problem, tier);
        assert_int_equal(got.buffers, files[i].buffers);
        assert_int_equal(got.naive, files[i].naive);
        assert_int_equal(got.bound, files[i].bound);
        assert_int_equal(got.peak, files[i].peak);
        if (!files[i].tier) {
            assert_int_equal(sw_problem_naive(problem), files[i].naive);
            assert_int_equal(sw_problem_lower_bound(problem), files[i].bound);
        }
        assert_true(sw_problem_offsets_are_plan(problem) && sw_problem_has_plan(problem));
        assert_round_trip(problem, "x.json");
        sw_problem_unref(problem);
        sw_input_close(&input);
    }
}

/* Every byte of the first 4 KiB, then every 997th. */
static void cut_off(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        struct sw_input input;
        if (!open_data(files[i].name, &input)) {
            continue;
        }
        for (size_t length = 0; length < input.length; length += length < 4096 ? 1 : 997) {
            if (!in_share(length, 4)) {
                continue;
            }
            char *copy = SW_NEW(char, length); /* so that a byte too far is seen */
            struct sw_error error = {0};
            assert_true(copy || length == 0);
            if (length > 0) {
                memcpy(copy, input.bytes, length);
            }
            struct sw_input cut = {.name = files[i].name, .bytes = copy ? copy : "", .length = length};
            struct sw_problem *problem = sw_load_input(&cut, NULL, &error);
            assert_true(problem || (error.code == SW_ERROR_INPUT && *error.message));
            sw_problem_unref(problem);
            SW_FREE(copy, length);
        }
        sw_input_close(&input);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures),
        cmocka_unit_test(cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
