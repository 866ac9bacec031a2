/* What ESP-NN's kernels ask for on Espressif's chips: ansi (portable C) asks for nothing of its own, the ESP32-S3 pads
 * and aligns inputs and filters for its vector unit, the ESP32-P4 gathers windows. Shapes are taken in 16 bits.
 *
 * Versions differ: conv_older and depthwise_older are what 1.2.1 and 1.2.3 replaced (SW_ESP_VERSIONS).
 *
 * Source: the functions esp_nn_get_*_scratch_size of ESP-NN and kernels/esp_nn of Espressif's TensorFlow Lite Micro,
 * 2026. */
#include "formats/tflite/kernels/rules.h"
#include "base/minmax.h"

/* ---- convolutions ---- */

static bool is_pointwise(const struct convolution *c) {
    return c->filter.w == 1 && c->filter.h == 1 && c->pad_w == 0 && c->pad_h == 0 && c->stride_w == 1 &&
           c->stride_h == 1;
}

/* Channels in eights: a copy of the filter, one of the input unless it has them, and room to transpose. */
static int64_t pointwise(const struct convolution *c, int64_t margin) {
    int64_t channels = rule_whole(c->in.c, 8), pixels = c->in.w * c->in.h;
    return (c->in.c % 8 ? pixels * channels : 0) + channels * c->out.c + (pixels < 8 ? 0 : 16 * channels) + margin;
}

/* On both chips, before they got ways of their own. */
static int64_t conv_older(const struct convolution *c) {
    enum { MARGIN = 32 };
    if (is_pointwise(c)) {
        return pointwise(c, MARGIN);
    }
    int64_t padded = c->pad_w == 0 && c->pad_h == 0 ? 0 : (c->in.w + 2 * c->pad_w) * (c->in.h + 2 * c->pad_h) * c->in.c;
    return padded + c->filter.w * c->filter.h * rule_whole(c->in.c, 16) * c->out.c + MARGIN + 4 * c->out.c;
}

/* -1: more than its 32 bits. */
static int64_t conv_s3(const struct convolution *c, enum esp_version version) {
    const int64_t margin = version < ESP_V1_2_3 ? 32 : 64;
    if (version < ESP_V1_2_1) {
        return conv_older(c);
    }
    if (is_pointwise(c)) {
        return pointwise(c, margin);
    }
    int64_t row = c->filter.w * c->in.c, window = row * c->filter.h, sums = 4 * c->out.c;
    if (row < 16 && window >= 16) { /* windows are gathered */
        return sums + 16 + c->out.c * rule_whole(window, 16) + 16 + rule_whole(window, 16) + margin;
    }
    int64_t right = SW_MAX(0, c->out.w * c->stride_w + c->filter.w - 1 - c->in.w);
    int64_t below = SW_MAX(0, c->out.h * c->stride_h + c->filter.h - 1 - c->in.h);
    if (right > UINT16_MAX || below > UINT16_MAX) {
        return -1;
    }
    int64_t padded = c->pad_w == 0 && c->pad_h == 0 ? 0 : (c->in.w + 2 * c->pad_w) * (c->in.h + 2 * c->pad_h) * c->in.c;
    int64_t edges = right || below ? (c->in.w + right) * (c->in.h + below) * c->in.c : 0;
    int64_t filters = c->filter.w * c->filter.h * rule_whole(c->in.c, 16) * c->out.c;
    return padded + filters + rule_whole(row, 16) * c->filter.h * c->out.c + edges + margin + sums;
}

/* A padded input that does not fit the cache goes through it in strips of rows. */
static int64_t padded_p4(const struct convolution *c, int64_t sums) {
    enum { CACHE = 32768 };
    int64_t width = c->in.w + 2 * c->pad_w, input = width * (c->in.h + 2 * c->pad_h) * c->in.c;
    if (input + sums <= CACHE) {
        return input + c->filter.w * c->filter.h * rule_whole(c->in.c, 16) * c->out.c;
    }
    int64_t channels = c->in.c, filters = 0, rows = 1;
    if (c->filter.w * c->in.c < 16) {
        channels = rule_whole((16 + c->filter.w - 1) / c->filter.w, 16);
        filters = c->filter.w * c->filter.h * channels * c->out.c;
    }
    int64_t row = width * channels, left = CACHE - sums - filters;
    if (left > 0 && c->filter.h * row <= left) {
        rows = SW_MIN((left - c->filter.h * row) / (c->stride_h * row) + 1, c->out.h);
    }
    return ((rows - 1) * c->stride_h + c->filter.h + 2 * c->pad_h) * row + filters;
}

static int64_t conv_p4(const struct convolution *c, enum esp_version version) {
    enum { MARGIN = 32 };
    if (version < ESP_V1_2_3) {
        return conv_older(c);
    }
    int64_t sums = 4 * c->out.c, row = c->filter.w * c->in.c, window = row * c->filter.h;
    if (is_pointwise(c)) {
        return c->in.c < 16 ? sums + 16 * c->out.c + 32 + MARGIN : pointwise(c, MARGIN);
    }
    bool padded = c->pad_w != 0 || c->pad_h != 0;
    if (!padded && row >= 16) {
        return c->filter.w * c->filter.h * rule_whole(c->in.c, 16) * c->out.c + MARGIN + sums;
    }
    if (window >= 16) {
        return sums + window + MARGIN;
    }
    if (!padded) {
        int64_t channels = rule_whole((16 + c->filter.w - 1) / c->filter.w, 16);
        return sums + c->filter.w * c->filter.h * channels * c->out.c + c->in.w * c->in.h * channels + MARGIN;
    }
    return padded_p4(c, sums) + MARGIN + sums;
}

static bool is_chip(const struct kernel_call *call) {
    return call->chip == CHIP_S3 || call->chip == CHIP_P4;
}

bool esp_conv(struct kernel_call *call) {
    struct convolution conv;
    bool spread = reference_int4_filter(call);
    if (!spread || rule_type(rule_input(call, 0)) != TYPE_INT8 || !is_chip(call)) {
        return spread && rule_input(call, 0) != NULL;
    }
    if (!rule_convolution(call, false, &conv) || conv.in.w < 1 || conv.in.h < 1 || conv.in.c < 1 || conv.filter.w < 1 ||
        conv.filter.h < 1) {
        return false;
    }
    return rule_ask(call, call->chip == CHIP_S3 ? conv_s3(&conv, call->version) : conv_p4(&conv, call->version));
}

/* ---- depthwise convolutions, on the ESP32-S3 ---- */

/* Filters of 3x3 over channels in sixteens: the input is padded, unless that is much, then a strip of it. */
static int64_t depthwise_3x3(const struct convolution *c, int64_t filter, bool strips) {
    enum { MOST_COPIED_BYTES = 40 * 1024 };
    bool pads = c->pad_w || c->pad_h;
    int64_t wide = pads ? 2 * c->pad_w : c->out.w * c->stride_w + c->filter.w - 1 - c->in.w;
    int64_t high = pads ? 2 * c->pad_h : c->out.h * c->stride_h + c->filter.h - 1 - c->in.h;
    if (wide > UINT16_MAX || high > UINT16_MAX) {
        return -1;
    }
    if (!wide && !high) {
        return filter + 16;
    }
    int64_t input = (c->in.w + wide) * (c->in.h + high) * c->in.c;
    return filter + (!strips || input <= MOST_COPIED_BYTES ? input : (c->in.w + wide) * c->filter.h * c->in.c) + 16;
}

/* Channels filled up to sixteens, and the output with them. */
static int64_t depthwise_filled(const struct convolution *c) {
    int64_t channels = rule_whole(c->in.c, 16);
    int64_t wide = 2 * c->pad_w + SW_MAX(0, c->out.w * c->stride_w + 2 - c->in.w);
    int64_t high = 2 * c->pad_h + SW_MAX(0, c->out.h * c->stride_h + 2 - c->in.h);
    if (wide > 2 * UINT16_MAX || high > 2 * UINT16_MAX) {
        return -1;
    }
    return 9 * channels + (c->in.w + wide) * (c->in.h + high) * channels + c->out.w * c->out.h * channels + 64;
}

/* Input, filter, output, biases, shifts and factors, each on its own 16 bytes. */
static int64_t depthwise_laid_out(const struct convolution *c) {
    int64_t channels = rule_whole(c->in.c, 8);
    int64_t at = rule_whole(2 * c->filter.w * c->filter.h * channels, 16);
    at = rule_whole(at + 2 * c->in.w * c->in.h * channels, 16);
    at = rule_whole(at + c->out.w * c->out.h * channels, 16);
    return at + 3 * 4 * channels + 16;
}

/* Up to 1.2.0; 1.1 forgot that 16 bits are aligned as well. */
static int64_t depthwise_older(const struct convolution *c, enum esp_version version) {
    int64_t filter = c->filter.w * c->filter.h * c->in.c * c->multiplier, input = c->in.w * c->in.h * c->in.c;
    bool square = c->multiplier == 1 && c->in.c % 8 == 0 && c->filter.w == 3 && c->filter.h == 3;
    if (square && c->in.c % 16 == 0) {
        return depthwise_3x3(c, filter, false);
    }
    return square || c->multiplier % 4 == 0 ? 2 * (filter + input) + (version < ESP_V1_2_0 ? 16 : 32) : 32;
}

static int64_t depthwise_s3(const struct convolution *c) {
    enum { MOST_COPIED_BYTES = 48 * 1024 };
    int64_t filter = c->filter.w * c->filter.h * c->in.c * c->multiplier, input = c->in.w * c->in.h * c->in.c;
    if (c->multiplier == 1 && c->in.c % 8 == 0) {
        if (c->filter.w != 3 || c->filter.h != 3) {
            int64_t both = 2 * (filter + input);
            return (both <= MOST_COPIED_BYTES ? both : 2 * (filter + c->in.w * c->filter.h * c->in.c)) + 32;
        }
        return c->in.c % 16 == 0 ? depthwise_3x3(c, filter, true)
               : c->in.c >= 12   ? depthwise_filled(c)
                                 : 2 * (filter + input) + 32;
    }
    if (c->multiplier == 1 && c->in.c > 3) {
        return depthwise_laid_out(c);
    }
    return c->multiplier % 4 == 0 ? 2 * (filter + input) + 32 : 32;
}

bool esp_depthwise_conv(struct kernel_call *call) {
    struct convolution conv;
    bool spread = reference_int4_filter(call);
    if (!spread || rule_type(rule_input(call, 0)) != TYPE_INT8 || call->chip != CHIP_S3) {
        return spread && rule_input(call, 0) != NULL;
    }
    return rule_convolution(call, true, &conv) && conv.multiplier >= 0 && conv.multiplier <= LONGEST_AXIS &&
           rule_ask(call, call->version < ESP_V1_2_1 ? depthwise_older(&conv, call->version) : depthwise_s3(&conv));
}

/* ---- softmax ---- */

/* An exponential per number of a row; the kernel takes dimension 1 for its length. */
bool esp_softmax(struct kernel_call *call) {
    const struct tflite_tensor *in = rule_input(call, 0);
    if (rule_type(in) != TYPE_INT8 || rule_type(rule_output(call, 0)) != TYPE_INT8 || !is_chip(call)) {
        return in != NULL;
    }
    int64_t length = rule_dim(call, in, 1);
    return length >= 0 && rule_ask(call, 4 * length);
}
