/* ONNX: ai.onnx.ml, what scikit-learn and its like are exported to: scalers, encoders, trees and classifiers. A row
 * of the input is an example. */
#include "formats/onnx/onnx.h"
#include "base/base.h"

/* How many numbers or texts an attribute lists. */
static int64_t count_listed(const struct onnx_step *step, const char *name) {
    struct onnx_attribute list;
    if (!onnx_attribute(step->model, step->node, name, &list)) {
        return 0;
    }
    struct sw_pb_numbers floats = sw_pb_numbers(list.body, 7, SW_PB_FIXED32);
    struct sw_pb_numbers whole = sw_pb_numbers(list.body, 8, SW_PB_VARINT);
    int64_t count = onnx_count_texts(&list);
    for (uint64_t value; sw_pb_number(&floats, &value) || sw_pb_number(&whole, &value);) {
        count++;
    }
    return count;
}

static int64_t longest_ml_list(const struct onnx_step *step, const char *a, const char *b) {
    int64_t first = count_listed(step, a), second = count_listed(step, b);
    return SW_MAX(first, second);
}

/* Scaler, Normalizer: whatever comes in, floats come out. */
bool onnx_shape_ml_float(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    return x && onnx_set_like(step, 0, x, ONNX_FLOAT);
}

/* How many examples there are: a list is one. */
static bool count_examples(struct onnx_step *step, int64_t *count) {
    const struct onnx_value *x = onnx_need(step, 0);
    if (!x || x->shape.rank < 1) {
        return onnx_why(step, "the input is no table");
    }
    *count = x->shape.rank == 1 ? 1 : x->shape.dims[0];
    return true;
}

/* [examples, targets] */
static bool set_scores(struct onnx_step *step, uint32_t output, int64_t wide) {
    int64_t dims[] = {0, wide};
    return count_examples(step, &dims[0]) && onnx_set(step, output, ONNX_FLOAT, 2, dims);
}

bool onnx_shape_ml_linear_regressor(struct onnx_step *step) {
    return set_scores(step, 0, onnx_setting(step, "targets", 1));
}
bool onnx_shape_ml_tree_regressor(struct onnx_step *step) {
    return set_scores(step, 0, onnx_setting(step, "n_targets", 1));
}
bool onnx_shape_ml_svm_regressor(struct onnx_step *step) {
    return set_scores(step, 0, 1);
}

/* A label for every example, a number or a text, and a score for every class. */
static bool classify(struct onnx_step *step, const char *texts, const char *numbers, int64_t classes) {
    int64_t count;
    struct onnx_value *label = onnx_out(step, 0);
    bool text = count_listed(step, texts) > 0;
    int64_t labels = longest_ml_list(step, texts, numbers);
    if (!count_examples(step, &count) || !set_scores(step, 1, SW_MAX(classes, labels))) {
        return false;
    }
    if (label && text) {
        label->type = ONNX_STRING;
        return true;
    }
    return onnx_set(step, 0, ONNX_INT64, 1, &count);
}

/* One function for two classes still gives two scores. */
bool onnx_shape_ml_linear_classifier(struct onnx_step *step) {
    return classify(step, "classlabels_strings", "classlabels_ints", count_listed(step, "intercepts"));
}
bool onnx_shape_ml_tree_classifier(struct onnx_step *step) {
    return classify(step, "classlabels_strings", "classlabels_int64s", 1);
}
/* Without probabilities every pair of classes has a vote. */
bool onnx_shape_ml_svm_classifier(struct onnx_step *step) {
    int64_t classes = longest_ml_list(step, "classlabels_strings", "classlabels_ints");
    int64_t votes = classes < 1 << 20 ? classes * (classes - 1) / 2 : classes;
    bool pairs = count_listed(step, "prob_a") == 0 && count_listed(step, "vectors_per_class") > 0;
    return classify(step, "classlabels_strings", "classlabels_ints", pairs ? SW_MAX(votes, 2) : classes);
}

/* LabelEncoder, CategoryMapper: one for every element, of the type that the table leads to. */
bool onnx_shape_ml_label(struct onnx_step *step) {
    const struct onnx_value *x = onnx_in(step, 0);
    struct onnx_value *out = onnx_out(step, 0), tensor = {.type = ONNX_NONE};
    struct onnx_attribute values;
    struct sw_pb_bytes name;
    if (!x || !out) {
        return onnx_why(step, "an input is missing");
    }
    int type = x->type == ONNX_STRING ? ONNX_INT64 : ONNX_STRING; /* of tables that go both ways */
    if (onnx_attribute(step->model, step->node, "values_tensor", &values) && values.t.at) {
        if (!onnx_tensor(step->model, values.t, &tensor, &name)) {
            return false;
        }
        type = tensor.type;
    } else if (count_listed(step, "values_int64s")) {
        type = ONNX_INT64;
    } else if (count_listed(step, "values_floats")) {
        type = ONNX_FLOAT;
    } else if (count_listed(step, "values_strings")) {
        type = ONNX_STRING;
    }
    if (type == ONNX_STRING) {
        out->type = type;
        return true;
    }
    return onnx_need(step, 0) && onnx_set_like(step, 0, x, type);
}

/* OneHotEncoder: a further axis, one place for every category. */
bool onnx_shape_ml_one_hot(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    int64_t dims[ONNX_RANK + 1];
    if (!x || x->shape.rank >= ONNX_RANK) {
        return onnx_why(step, "it has more than 16 dimensions");
    }
    memcpy(dims, x->shape.dims, x->shape.rank * sizeof *dims);
    dims[x->shape.rank] = longest_ml_list(step, "cats_int64s", "cats_strings");
    return onnx_set(step, 0, ONNX_FLOAT, x->shape.rank + 1, dims);
}

/* ArrayFeatureExtractor: some columns. */
bool onnx_shape_ml_columns(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0), *at = onnx_need(step, 1);
    int64_t dims[ONNX_RANK + 1] = {1};
    if (!x || !at || x->shape.rank < 1) {
        return onnx_why(step, "the input is no table");
    }
    uint64_t count = onnx_count(&at->shape);
    uint32_t rank = SW_MAX(x->shape.rank, 2);
    if (count > SW_MAX_BYTES) {
        return onnx_why(step, "it has too many elements");
    }
    if (x->shape.rank > 1) {
        memcpy(dims, x->shape.dims, x->shape.rank * sizeof *dims);
    }
    dims[rank - 1] = (int64_t)count;
    return onnx_set(step, 0, x->type, rank, dims);
}

/* FeatureVectorizer: the columns of all inputs side by side. */
bool onnx_shape_ml_vector(struct onnx_step *step) {
    int64_t dims[2] = {0, 0};
    if (!count_examples(step, &dims[0])) {
        return false;
    }
    for (uint32_t i = 0; i < step->node->input_count; i++) {
        const struct onnx_value *x = onnx_need(step, i);
        if (!x || x->shape.rank < 1 || x->shape.rank > 2 ||
            __builtin_add_overflow(dims[1], x->shape.dims[x->shape.rank - 1], &dims[1])) {
            return onnx_why(step, "an input is no table");
        }
    }
    return onnx_set(step, 0, ONNX_FLOAT, 2, dims);
}

/* ZipMap: for every example a map from labels to scores. */
bool onnx_shape_ml_zip(struct onnx_step *step) {
    struct onnx_value *out = onnx_out(step, 0);
    if (out) {
        out->form = ONNX_SEQUENCE;
        out->type = ONNX_NONE;
    }
    return true;
}

/* DictVectorizer: one place for every word of the vocabulary. */
bool onnx_shape_ml_dictionary(struct onnx_step *step) {
    struct onnx_value *out = onnx_out(step, 0);
    return onnx_set_lengths(step, 0, out && out->declared_type ? out->declared_type : ONNX_FLOAT, 1,
                            longest_ml_list(step, "string_vocabulary", "int64_vocabulary"));
}

/* CastMap: a map as a list of its values, so long as it says at most. */
bool onnx_shape_ml_cast_map(struct onnx_step *step) {
    struct sw_pb_bytes to = onnx_string(step->model, step->node, "cast_to");
    struct sw_pb_bytes form = onnx_string(step->model, step->node, "map_form");
    struct onnx_value *out = onnx_out(step, 0);
    if (out && sw_pb_equal(to, "TO_STRING")) {
        out->type = ONNX_STRING;
        return true;
    }
    int64_t most = onnx_setting(step, "max_map", 1);
    return onnx_set_lengths(step, 0, sw_pb_equal(to, "TO_INT64") ? ONNX_INT64 : ONNX_FLOAT, 1,
                            sw_pb_equal(form, "SPARSE") ? most : ONNX_OPEN);
}
