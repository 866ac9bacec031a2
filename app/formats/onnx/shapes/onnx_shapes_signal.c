/* ONNX: shapes of operators on signals and images, of training losses, and of what is left: Fourier transforms,
 * windows, patches and grids, determinants, losses. A length given as an input that only the run knows is open. */
#include "formats/onnx/onnx.h"
#include "base/base.h"

/* A single whole number given as an input: `otherwise` without one, ONNX_OPEN when only the run knows it. */
static bool number_input(struct onnx_step *step, uint32_t i, int64_t otherwise, int64_t *to) {
    const struct onnx_value *x = onnx_in(step, i);
    *to = x ? ONNX_OPEN : otherwise;
    if (!x || !x->data) {
        return true;
    }
    if (onnx_count(&x->shape) != 1 || !onnx_is_integer(x->type)) {
        return onnx_why(step, "a length or an axis is no single whole number");
    }
    *to = x->data->i;
    return true;
}

/* The same for a length, which is positive when it is given. */
static bool length_input(struct onnx_step *step, uint32_t i, int64_t otherwise, int64_t *to) {
    return number_input(step, i, otherwise, to) &&
           (!onnx_in(step, i) || *to == ONNX_OPEN || (*to > 0 && *to < INT64_C(1) << 60) ||
            onnx_why(step, "a length is not positive, or too large"));
}

/* Lengths given as the elements of an input, so many: all open when only the run knows them. */
static bool lengths_of(struct onnx_step *step, uint32_t i, uint32_t *count, int64_t *dims) {
    const struct onnx_value *x = onnx_need(step, i);
    if (!x || x->shape.rank != 1 || x->shape.dims[0] > ONNX_RANK) {
        return onnx_why(step, "lengths are not given as a list of at most 16");
    }
    *count = (uint32_t)x->shape.dims[0];
    for (uint32_t k = 0; k < *count; k++) {
        dims[k] = x->data ? x->data[k].i : ONNX_OPEN;
    }
    return true;
}

/* ---- signals ---- */

/* BlackmanWindow, HammingWindow, HannWindow. */
bool onnx_shape_window(struct onnx_step *step) {
    int64_t length;
    if (!onnx_in(step, 0)) {
        return onnx_why(step, "an input is missing");
    }
    return number_input(step, 0, ONNX_OPEN, &length) &&
           onnx_set(step, 0, onnx_type_setting(step, "output_datatype", ONNX_FLOAT), 1, &length);
}

/* How many frequencies a transform of so many samples has. */
static int64_t half_spectrum(int64_t length) {
    return length == ONNX_OPEN ? ONNX_OPEN : length / 2 + 1;
}

/* DFT: [..., signal, ..., 1 or 2]; the axis was an attribute before opset 20. One side of what a real signal becomes is
 * enough, and one side becomes a real signal again. */
bool onnx_shape_dft(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    int64_t dims[ONNX_RANK], axis, length;
    bool one = onnx_setting(step, "onesided", 0) != 0, back = onnx_setting(step, "inverse", 0) != 0;
    bool old = step->node->opset < 20;
    if (!x) {
        return false;
    }
    uint32_t rank = x->shape.rank, at = 0;
    if (rank < 2) {
        return onnx_why(step, "the input has no axis for real and imaginary parts");
    }
    axis = onnx_setting(step, "axis", 1);
    if ((!old && !number_input(step, 2, -2, &axis)) || !length_input(step, 1, 0, &length)) {
        return false;
    }
    memcpy(dims, x->shape.dims, rank * sizeof *dims);
    dims[rank - 1] = one && back ? 1 : 2;
    if (axis == ONNX_OPEN) { /* any of them may be the signal */
        for (uint32_t i = 0; i + 1 < rank && (one || length != 0); i++) {
            dims[i] = ONNX_OPEN;
        }
        return onnx_set(step, 0, x->type, rank, dims);
    }
    if (!onnx_axis(step, axis, rank, &at) || at == rank - 1) {
        return onnx_why(step, "an axis lies outside of the shape");
    }
    int64_t own = dims[at];
    if (length == 0) {
        length = one && back && own != ONNX_OPEN ? 2 * (own - 1) : own;
    }
    dims[at] = one && !back ? half_spectrum(length) : length;
    return onnx_set(step, 0, x->type, rank, dims);
}

/* STFT: a signal [batch, length, 1 or 2], frame by frame: [batch, frames, frequencies, 2]. A frame is as long as it
 * says, or as the window. */
bool onnx_shape_stft(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0), *window = onnx_in(step, 2);
    int64_t every, frame;
    if (!x || !onnx_in(step, 1)) {
        return onnx_why(step, "an input is missing");
    }
    if (x->shape.rank < 2 || !length_input(step, 1, 0, &every) || !length_input(step, 3, 0, &frame)) {
        return onnx_why(step, "the input is no signal");
    }
    if (frame == 0 || frame == ONNX_OPEN) {
        if (!window && frame == 0) {
            return onnx_why(step, "neither a window nor the length of a frame is given");
        }
        frame = window && window->shape.dims && window->shape.rank == 1 ? window->shape.dims[0] : ONNX_OPEN;
    }
    int64_t length = x->shape.dims[1], frames = ONNX_OPEN;
    if (length != ONNX_OPEN && frame != ONNX_OPEN && every != ONNX_OPEN) {
        if (frame > length && !step->bounded) {
            return onnx_why(step, "a frame is longer than the signal");
        }
        frames = frame > length ? 0 : (length - frame) / every + 1;
    }
    bool real = x->shape.rank < 3 || x->shape.dims[2] != 2; /* of a complex signal there is no side to leave out */
    bool one = real && onnx_setting(step, "onesided", 1) != 0;
    return onnx_set_lengths(step, 0, x->type, x->shape.dims[0], frames, one ? half_spectrum(frame) : frame, 2);
}

/* MelWeightMatrix: so many bins for the frequencies of a transform. */
bool onnx_shape_mel(struct onnx_step *step) {
    int64_t bins, length;
    if (!onnx_in(step, 0) || !onnx_in(step, 1)) {
        return onnx_why(step, "an input is missing");
    }
    if (!length_input(step, 0, 0, &bins) || !length_input(step, 1, 0, &length)) {
        return false;
    }
    return onnx_set_lengths(step, 0, onnx_type_setting(step, "output_datatype", ONNX_FLOAT), half_spectrum(length),
                            bins);
}

/* ---- images ---- */

/* Col2Im: patches [n, channels times a patch, places] become an image [n, channels, its lengths]. */
bool onnx_shape_col2im(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    int64_t dims[ONNX_RANK + 2], block[ONNX_RANK], patch = 1;
    uint32_t axes = 0, parts = 0;
    if (!x || !lengths_of(step, 1, &axes, dims + 2) || !lengths_of(step, 2, &parts, block) || x->shape.rank != 3 ||
        axes != parts || axes + 2 > ONNX_RANK) {
        return onnx_why(step, "the patches are not those of an image");
    }
    for (uint32_t i = 0; i < parts; i++) {
        if (block[i] == ONNX_OPEN || patch == ONNX_OPEN) {
            patch = ONNX_OPEN;
        } else if (block[i] < 1 || __builtin_mul_overflow(patch, block[i], &patch)) {
            return onnx_why(step, "a length is not positive, or too large");
        }
    }
    int64_t wide = x->shape.dims[1];
    if (wide != ONNX_OPEN && patch != ONNX_OPEN && wide % patch != 0 && !step->bounded) {
        return onnx_why(step, "the patches are not those of an image");
    }
    dims[0] = x->shape.dims[0];
    dims[1] = wide == ONNX_OPEN || patch == ONNX_OPEN ? ONNX_OPEN : wide / patch;
    return onnx_set(step, 0, x->type, axes + 2, dims);
}

/* CenterCropPad: some axes, or all, become as long as it says. */
bool onnx_shape_center(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    int64_t dims[ONNX_RANK], wanted[ONNX_RANK], axes[ONNX_RANK];
    uint32_t count = 0;
    size_t given;
    if (!x || !lengths_of(step, 1, &count, wanted)) {
        return false;
    }
    bool some = onnx_ints(step->model, step->node, "axes", axes, ONNX_RANK, &given);
    if (count != (some ? given : x->shape.rank)) {
        return onnx_why(step, "there is not one length for every axis");
    }
    memcpy(dims, x->shape.dims, x->shape.rank * sizeof *dims);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at;
        if (!onnx_axis(step, some ? axes[i] : (int64_t)i, x->shape.rank, &at)) {
            return false;
        }
        dims[at] = wanted[i];
    }
    return onnx_set(step, 0, x->type, x->shape.rank, dims);
}

/* AffineGrid: for every place of images [n, c, lengths] two or three coordinates. */
bool onnx_shape_affine_grid(struct onnx_step *step) {
    const struct onnx_value *theta = onnx_need_rank(step, 0);
    int64_t size[ONNX_RANK], dims[5];
    uint32_t count = 0;
    if (!theta || !lengths_of(step, 1, &count, size) || theta->shape.rank != 3 || (count != 4 && count != 5)) {
        return onnx_why(step, "the size is not that of images in two or three dimensions");
    }
    dims[0] = size[0] == ONNX_OPEN ? theta->shape.dims[0] : size[0];
    memcpy(dims + 1, size + 2, (count - 2) * sizeof *dims);
    dims[count - 1] = count - 2;
    return onnx_set(step, 0, theta->type, count, dims);
}

/* ImageDecoder: as high and wide as the picture in the file. */
bool onnx_shape_image(struct onnx_step *step) {
    bool gray = sw_pb_equal(onnx_string(step->model, step->node, "pixel_format"), "Grayscale");
    return onnx_set_lengths(step, 0, ONNX_UINT8, ONNX_OPEN, ONNX_OPEN, gray ? 1 : 3);
}

/* ---- numbers ---- */

/* Det: of each square matrix one number. */
bool onnx_shape_det(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    uint32_t rank = x ? x->shape.rank : 0;
    if (x && (rank < 2 || (x->shape.dims[rank - 1] != x->shape.dims[rank - 2] && x->shape.known && !step->bounded))) {
        return onnx_why(step, "the input holds no square matrices");
    }
    return x && onnx_set(step, 0, x->type, rank - 2, x->shape.dims);
}

/* BitCast: the same bits, as another type as wide. */
bool onnx_shape_bit_cast(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    int type = onnx_type_setting(step, "to", 0);
    if (x && onnx_bits(type) != onnx_bits(x->type)) {
        return onnx_why(step, "the elements of one type are wider than those of the other");
    }
    return x && onnx_set_like(step, 0, x, type);
}

/* ---- losses ---- */

/* NegativeLogLikelihoodLoss: scores [n, classes, ...] against the classes that are right, [n, ...]. */
bool onnx_shape_loss(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0), *right = x ? onnx_need_rank(step, 1) : NULL;
    struct sw_pb_bytes how = onnx_string(step->model, step->node, "reduction");
    if (!right || x->shape.rank < 2 || right->shape.rank + 1 != x->shape.rank) {
        return onnx_why(step, "scores and classes do not fit together");
    }
    return sw_pb_equal(how, "none") ? onnx_set_like(step, 0, right, x->type) : onnx_set(step, 0, x->type, 0, NULL);
}

/* SoftmaxCrossEntropyLoss: beside the loss the logarithms of the probabilities. */
bool onnx_shape_cross_entropy(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need_rank(step, 0);
    return onnx_shape_loss(step) && onnx_set_like(step, 1, x, x->type);
}
