#include "formats/tflite/kernels/kernels.h"

#include "formats/text/input_words.h"
#include "formats/tflite/kernels/rules.h"

#include <stdio.h>

static const struct {
    const char *name;
    enum chip chip;
    enum library library; /* a column of kernels.def */
    unsigned version;     /* of the library: enum esp_version or cmsis_version */
} libraries[] = {
    [SW_KERNELS_USUAL] = {"the reference kernels", CHIP_PLAIN, LIBRARY_REFERENCE, 0},
    [SW_KERNELS_NONE] = {"no kernels", CHIP_PLAIN, LIBRARY_REFERENCE, 0},
    [SW_KERNELS_REFERENCE] = {"the reference kernels", CHIP_PLAIN, LIBRARY_REFERENCE, 0},
    [SW_KERNELS_CMSIS] = {"CMSIS-NN's kernels with DSP instructions", CHIP_DSP, LIBRARY_CMSIS, CMSIS_NEWEST},
    [SW_KERNELS_CMSIS_NONE] = {"CMSIS-NN's kernels in plain C", CHIP_PLAIN, LIBRARY_CMSIS, CMSIS_NEWEST},
    [SW_KERNELS_CMSIS_DSP] = {"CMSIS-NN's kernels with DSP instructions", CHIP_DSP, LIBRARY_CMSIS, CMSIS_NEWEST},
    [SW_KERNELS_CMSIS_MVE] = {"CMSIS-NN's kernels with the vector extension", CHIP_MVE, LIBRARY_CMSIS, CMSIS_NEWEST},
    [SW_KERNELS_ESP] = {"ESP-NN's kernels on an ESP32-S3", CHIP_S3, LIBRARY_ESP, ESP_NEWEST},
    [SW_KERNELS_ESP_ANSI] = {"ESP-NN's kernels in plain C", CHIP_PLAIN, LIBRARY_ESP, ESP_NEWEST},
    [SW_KERNELS_ESP_S3] = {"ESP-NN's kernels on an ESP32-S3", CHIP_S3, LIBRARY_ESP, ESP_NEWEST},
    [SW_KERNELS_ESP_P4] = {"ESP-NN's kernels on an ESP32-P4", CHIP_P4, LIBRARY_ESP, ESP_NEWEST},
#define ESP_LIBRARIES(name, text, since)                                                                           \
    [SW_KERNELS_ESP_##name] = {"the kernels of ESP-NN " text " on an ESP32-S3", CHIP_S3, LIBRARY_ESP, ESP_##name}, \
    [SW_KERNELS_ESP_##name##                                                                                       \
        _ANSI] = {"the kernels of ESP-NN " text " in plain C", CHIP_PLAIN, LIBRARY_ESP, ESP_##name},               \
    [SW_KERNELS_ESP_##name##                                                                                       \
        _S3] = {"the kernels of ESP-NN " text " on an ESP32-S3", CHIP_S3, LIBRARY_ESP, ESP_##name},                \
    [SW_KERNELS_ESP_##name##                                                                                       \
        _P4] = {"the kernels of ESP-NN " text " on an ESP32-P4", CHIP_P4, LIBRARY_ESP, ESP_##name},
    SW_ESP_VERSIONS(ESP_LIBRARIES)
#define CMSIS_OF(name, part, text, words, chip) \
    [SW_KERNELS_CMSIS_##name##part] = {"the kernels of CMSIS-NN " text " " words, chip, LIBRARY_CMSIS, CMSIS_##name},
#define CMSIS_LIBRARIES(name, text, since)                        \
    CMSIS_OF(name, , text, "with DSP instructions", CHIP_DSP)     \
    CMSIS_OF(name, _NONE, text, "in plain C", CHIP_PLAIN)         \
    CMSIS_OF(name, _DSP, text, "with DSP instructions", CHIP_DSP) \
    CMSIS_OF(name, _MVE, text, "with the vector extension", CHIP_MVE)
        SW_CMSIS_VERSIONS(CMSIS_LIBRARIES)};

static const struct {
    uint32_t code;
    rule *rules[3];
} kernel_rules[] = {
#define KERNEL(name, reference, cmsis, esp) {TFLITE_OP_##name, {reference, cmsis, esp}},
#define CUSTOM(names, rule)
#include "formats/tflite/kernels/kernels.def"
#undef KERNEL
#undef CUSTOM
};
static const struct {
    const char *names; /* words */
    rule *rule;
} custom_rules[] = {
#define KERNEL(name, reference, cmsis, esp)
#define CUSTOM(names, rule) {names, rule},
#include "formats/tflite/kernels/kernels.def"
#undef KERNEL
#undef CUSTOM
};

const char *tflite_kernels_name(unsigned kernels) {
    return libraries[kernels].name;
}

const char *tflite_kernels_newest(unsigned kernels) {
#define VERSION_DATE(name, text, since) text " of " since,
    static const char *const esp[] = {SW_ESP_VERSIONS(VERSION_DATE)};
    static const char *const cmsis[] = {SW_CMSIS_VERSIONS(VERSION_DATE)};
    bool esp_newest = kernels == SW_KERNELS_ESP || kernels == SW_KERNELS_ESP_S3 || kernels == SW_KERNELS_ESP_P4;
    bool cmsis_newest = kernels >= SW_KERNELS_CMSIS && kernels <= SW_KERNELS_CMSIS_MVE;
    return esp_newest ? esp[ESP_NEWEST] : cmsis_newest ? cmsis[CMSIS_NEWEST] : NULL;
}

size_t tflite_kernels_versions(const struct tflite_versions **rows) {
    static const struct tflite_versions all[] = {{SW_KERNELS_REFERENCE, 1, 1},
                                                 {SW_KERNELS_CMSIS_V4_0_NONE, 4, CMSIS_VERSION_COUNT},
                                                 {SW_KERNELS_CMSIS_V4_0_DSP, 4, CMSIS_VERSION_COUNT},
                                                 {SW_KERNELS_CMSIS_V4_0_MVE, 4, CMSIS_VERSION_COUNT},
                                                 {SW_KERNELS_ESP_V1_1_ANSI, 4, ESP_VERSION_COUNT},
                                                 {SW_KERNELS_ESP_V1_1_S3, 4, ESP_VERSION_COUNT},
                                                 {SW_KERNELS_ESP_V1_1_P4, 4, ESP_VERSION_COUNT}};
    *rows = all;
    return sizeof all / sizeof *all;
}

void tflite_kernels_range(unsigned first, unsigned last, char *text, size_t room) {
#define VERSION_TEXT(name, text, since) text,
    static const char *const esp[] = {SW_ESP_VERSIONS(VERSION_TEXT)}, *const cmsis[] = {
                                                                          SW_CMSIS_VERSIONS(VERSION_TEXT)};
    const char *const *versions = libraries[first].library == LIBRARY_ESP ? esp : cmsis, *name = libraries[first].name;
    if (first == last) {
        snprintf(text, room, "%s", name);
        return;
    }
    const char *from = versions[libraries[first].version], *after = strstr(name, from) + strlen(from);
    snprintf(text, room, "%.*s to %s%s", (int)(after - name), name, versions[libraries[last].version], after);
}

static rule *find_custom(const struct tflite_operator *op) {
    for (size_t i = 0; i < sizeof custom_rules / sizeof *custom_rules; i++) {
        if (sw_text_in((struct sw_input_text){op->custom.text, op->custom.length}, custom_rules[i].names)) {
            return custom_rules[i].rule;
        }
    }
    return NULL;
}

bool rule_has_custom(const struct tflite_operator *op) {
    return find_custom(op) != NULL;
}

static rule *find_rule(const struct tflite_operator *op, enum library column) {
    rule *found = op->code == TFLITE_OP_custom ? find_custom(op) : NULL;
    for (size_t i = 0; op->code != TFLITE_OP_custom && i < sizeof kernel_rules / sizeof *kernel_rules; i++) {
        found = kernel_rules[i].code == op->code ? kernel_rules[i].rules[column] : found;
    }
    return found ? found : tflite_kernel_exists(op) ? rule_none : rule_unknown;
}

bool rule_call(struct kernel_call *call, struct tflite_model *model, const struct tflite_operator *op, unsigned kernels,
               bool wide, struct tflite_workspaces *out) {
    *call = (struct kernel_call){.model = model,
                                 .op = op,
                                 .library = libraries[kernels].library,
                                 .chip = libraries[kernels].chip,
                                 .version = libraries[kernels].version,
                                 .pointer = wide ? 8 : 4,
                                 .out = out};
    return tflite_options(model, op, &call->options);
}

bool tflite_kernel_workspaces(struct tflite_model *model, const struct tflite_operator *op, unsigned kernels, bool wide,
                              struct tflite_workspaces *out) {
    *out = (struct tflite_workspaces){.known = true};
    if (kernels == SW_KERNELS_NONE) {
        return true;
    }
    struct kernel_call call;
    if (!rule_call(&call, model, op, kernels, wide, out)) {
        return false;
    }
    out->known = find_rule(op, call.library)(&call);
    if (!out->known) {
        out->count = 0;
    }
    return !model->error || model->error->code == SW_OK;
}
