/* ONNX: operators of language models, most of them ONNX Runtime's: attention with its caches of keys and values,
 * embeddings, normalization of sums, products with weights in blocks. */
#include "formats/onnx/onnx.h"
#include "base/base.h"

/* An input of so many axes, or NULL after saying why. */
static const struct onnx_value *ranked(struct onnx_step *step, uint32_t i, uint32_t rank) {
    const struct onnx_value *x = onnx_need(step, i);
    if (x && x->shape.rank != rank) {
        onnx_why(step, "an input does not have the number of axes that the operator takes");
        return NULL;
    }
    return x;
}

/* How long a cache is after a step: as it was and what is new, or as it was when it is written in place. */
static bool longer(struct onnx_step *step, const struct onnx_value *past, uint32_t axis, int64_t more,
                   int64_t *length) {
    bool shared = onnx_setting(step, "past_present_share_buffer", 0) != 0;
    int64_t old = past ? past->shape.dims[axis] : 0;
    *length = old;
    return shared || !__builtin_add_overflow(old, more, length) || onnx_why(step, "a dimension comes out too large");
}

/* ---- attention ---- */

/* x [batch, length, input] and weights [input, hidden of Q, K and V]; beside the output the state, keys and
 * values in one, [2, batch, heads, length, head]. QAttention counts its inputs differently. */
static bool merged(struct onnx_step *step, uint32_t past_input, int type) {
    const struct onnx_value *x = ranked(step, 0, 3), *w = onnx_in(step, 1);
    const struct onnx_value *bias = onnx_in(step, 2), *past = onnx_in(step, past_input);
    int64_t sizes[3], hidden, heads = onnx_setting(step, "num_heads", 0), total;
    size_t count;
    if (!x) {
        return false;
    }
    if (onnx_ints(step->model, step->node, "qkv_hidden_sizes", sizes, 3, &count) && count == 3) {
        hidden = sizes[2];
    } else if (w && w->shape.known && w->shape.rank == 2) {
        hidden = w->shape.dims[1] / 3;
    } else if (bias && bias->shape.known && bias->shape.rank == 1) {
        hidden = bias->shape.dims[0] / 3;
    } else {
        return onnx_why(step, "this form of attention is not known here");
    }
    int64_t dims[] = {x->shape.dims[0], x->shape.dims[1], hidden};
    if (!onnx_set(step, 0, type ? type : x->type, 3, dims)) {
        return false;
    }
    if (!onnx_out(step, 1)) {
        return true;
    }
    if (heads < 1 || (past && !ranked(step, past_input, 5)) || !longer(step, past, 3, x->shape.dims[1], &total)) {
        return onnx_why(step, "num_heads is out of range");
    }
    return onnx_set_lengths(step, 1, type ? type : x->type, 2, x->shape.dims[0], heads, total, hidden / heads);
}

bool onnx_shape_attention(struct onnx_step *step) {
    return merged(step, 4, ONNX_NONE);
}
bool onnx_shape_attention_quantized(struct onnx_step *step) {
    const struct onnx_value *bias = onnx_in(step, 2);
    return merged(step, 8, bias ? bias->type : ONNX_FLOAT);
}

/* Keys or values, [batch, heads, length, head], as a cache holds them after the step. */
static bool set_cache(struct onnx_step *step, uint32_t output, uint32_t past_input, int64_t batch, int64_t heads,
                      int64_t length, int64_t head, int type) {
    const struct onnx_value *past = onnx_in(step, past_input);
    int64_t total;
    if ((past && !ranked(step, past_input, 4)) || !longer(step, past, 2, length, &total)) {
        return false;
    }
    return onnx_set_lengths(step, output, past ? past->type : type, batch, heads, total,
                            past ? past->shape.dims[3] : head);
}

/* Queries [batch, length, hidden], keys and values alike or already [batch, heads, length, head]; all three may
 * be packed into the first, keys and values into the second. `past` is the first of two inputs. */
static bool multi_head(struct onnx_step *step, uint32_t past) {
    const struct onnx_value *q = onnx_need(step, 0), *k = onnx_in(step, 1), *v = onnx_in(step, 2);
    int64_t heads = onnx_setting(step, "num_heads", 0), length, width;
    if (!q || heads < 1 || (q->shape.rank != 3 && q->shape.rank != 5) || (k && !onnx_need(step, 1)) ||
        (v && !onnx_need(step, 2))) {
        return onnx_why(step, "this form of attention is not known here");
    }
    const int64_t *in = q->shape.dims;
    if (v && (v->shape.rank == 3 || v->shape.rank == 4)) {
        length = v->shape.dims[v->shape.rank == 4 ? 2 : 1];
        width = v->shape.rank == 3 ? v->shape.dims[2] : 0;
        if (v->shape.rank == 4 && __builtin_mul_overflow(heads, v->shape.dims[3], &width)) {
            return onnx_why(step, "a dimension comes out too large");
        }
    } else if (!v && (!k || k->shape.rank == 5)) {
        length = k ? k->shape.dims[1] : in[1];
        width = q->shape.rank == 3 ? in[2] : heads;
        if (q->shape.rank == 5 && __builtin_mul_overflow(heads, in[4], &width)) {
            return onnx_why(step, "a dimension comes out too large");
        }
    } else {
        return onnx_why(step, "this form of attention is not known here");
    }
    int64_t dims[] = {in[0], in[1], width};
    int64_t head = q->shape.rank == 5 ? in[4] : in[2] / heads;
    return onnx_set(step, 0, q->type, 3, dims) &&
           (!onnx_out(step, 1) || set_cache(step, 1, past, in[0], heads, length, head, q->type)) &&
           (!onnx_out(step, 2) || set_cache(step, 2, past + 1, in[0], heads, length, width / heads, q->type)) &&
           (!onnx_out(step, 3) || onnx_why(step, "the products of queries and keys are not known here"));
}
bool onnx_shape_multi_head(struct onnx_step *step) {
    return multi_head(step, 6);
}
bool onnx_shape_multi_head_decoder(struct onnx_step *step) {
    return multi_head(step, 5);
}

/* Several queries share keys and values. The caches grow to the total length, if that is known, and at most by what
 * is new. */
bool onnx_shape_group_query(struct onnx_step *step) {
    const struct onnx_value *q = ranked(step, 0, 3), *k = onnx_in(step, 1);
    const struct onnx_value *past = onnx_in(step, 3), *all = onnx_in(step, 6);
    int64_t heads = onnx_setting(step, "num_heads", 0), shared = onnx_setting(step, "kv_num_heads", 0);
    if (!q || heads < 1 || shared < 1 || heads > 1 << 20 || shared > 1 << 20) {
        return onnx_why(step, "num_heads is out of range");
    }
    bool packed = !k;
    int64_t head = q->shape.dims[2] / (packed ? heads + 2 * shared : heads), length = 0;
    int64_t dims[] = {q->shape.dims[0], q->shape.dims[1], packed ? head * heads : q->shape.dims[2]};
    if (!onnx_set(step, 0, q->type, 3, dims) || (past && !ranked(step, 3, 4))) {
        return false;
    }
    bool known = all && all->data && onnx_count(&all->shape) == 1;
    int64_t old = past ? past->shape.dims[2] : 0;
    if (known) {
        length = SW_MAX(old, all->data->i);
    } else if (onnx_setting(step, "sliding_window_cache", 0)) {
        length = old;
    } else if (__builtin_add_overflow(old, q->shape.dims[1], &length)) {
        return onnx_why(step, "a dimension comes out too large");
    }
    for (uint32_t i = 1; i < 3; i++) {
        const struct onnx_value *cache = onnx_in(step, i + 2);
        int64_t state[] = {q->shape.dims[0], shared, length, cache && past ? past->shape.dims[3] : head};
        if (!onnx_set(step, i, cache ? cache->type : q->type, 4, state)) {
            return false;
        }
        if (past && length > old && !known) {
            onnx_bound(step, i, 2, "GroupQueryAttention (the cache and all that is new)");
        }
    }
    return true;
}

/* Tokens without padding, [tokens, hidden]; the values' width comes from the third input or from the weights. */
bool onnx_shape_packed_attention(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0), *w = onnx_need(step, 1), *v = onnx_in(step, 2);
    bool many = sw_pb_equal(step->node->kind, "PackedMultiHeadAttention");
    const struct onnx_value *from = many && v ? v : w;
    if (!x || !from || x->shape.rank != 2 || !from->shape.known || from->shape.rank != 2) {
        return onnx_why(step, "this form of attention is not known here");
    }
    return onnx_set_lengths(step, 0, x->type, x->shape.dims[0], from->shape.dims[1] / (many ? 1 : 3));
}

/* ONNX's own, since opset 23: queries, keys and values [batch, heads, length, head], or with the heads beside one
 * another in three axes. */
bool onnx_shape_attention_onnx(struct onnx_step *step) {
    const struct onnx_value *q = onnx_need(step, 0), *k = onnx_need(step, 1), *v = onnx_need(step, 2);
    if (!q || !k || !v) {
        return false;
    }
    uint32_t rank = q->shape.rank;
    int64_t heads[2] = {onnx_setting(step, "q_num_heads", 0), onnx_setting(step, "kv_num_heads", 0)};
    if ((rank != 3 && rank != 4) || k->shape.rank != rank || v->shape.rank != rank ||
        (rank == 3 && (heads[0] < 1 || heads[1] < 1))) {
        return onnx_why(step, "this form of attention is not known here");
    }
    const int64_t *in = q->shape.dims;
    int64_t many = rank == 4 ? k->shape.dims[1] : heads[1], length = k->shape.dims[rank - 2];
    int64_t key = k->shape.dims[rank - 1] / (rank == 4 ? 1 : heads[1]);
    int64_t value = v->shape.dims[rank - 1] / (rank == 4 ? 1 : heads[1]);
    int64_t three[] = {in[0], in[1], value}, four[] = {in[0], in[1], in[rank - 2], value};
    if (rank == 3 && __builtin_mul_overflow(heads[0], value, &three[2])) {
        return onnx_why(step, "a dimension comes out too large");
    }
    const struct onnx_value *past = onnx_in(step, 4);
    int64_t total;
    if ((past && !ranked(step, 4, 4)) || !longer(step, past, 2, length, &total)) {
        return false;
    }
    int64_t keys[] = {in[0], many, total, key}, values[] = {in[0], many, total, value};
    int64_t products[] = {in[0], rank == 4 ? in[1] : heads[0], in[rank - 2], total};
    return onnx_set(step, 0, q->type, rank, rank == 3 ? three : four) && onnx_set(step, 1, k->type, 4, keys) &&
           onnx_set(step, 2, v->type, 4, values) && onnx_set(step, 3, q->type, 4, products);
}

/* LinearAttention, since opset 27: queries, keys and values [batch, length, heads times head]; beside what comes out
 * the state [batch, heads, key, value], which does not grow. */
bool onnx_shape_linear_attention(struct onnx_step *step) {
    const struct onnx_value *q = ranked(step, 0, 3), *k = ranked(step, 1, 3), *v = ranked(step, 2, 3);
    int64_t heads = onnx_setting(step, "q_num_heads", 0), shared = onnx_setting(step, "kv_num_heads", 0);
    const struct onnx_value *past = onnx_in(step, 3);
    if (!q || !k || !v || heads < 1 || shared < 1 || heads % shared != 0 || q->shape.dims[2] % heads != 0 ||
        v->shape.dims[2] % shared != 0) {
        return onnx_why(step, "num_heads is out of range");
    }
    int64_t value = v->shape.dims[2] / shared, dims[] = {q->shape.dims[0], q->shape.dims[1], 0};
    int64_t state[] = {q->shape.dims[0], shared, q->shape.dims[2] / heads, value};
    if (__builtin_mul_overflow(heads, value, &dims[2])) {
        return onnx_why(step, "a dimension comes out too large");
    }
    return onnx_set(step, 0, q->type, 3, dims) && onnx_set(step, 1, past ? past->type : q->type, 4, state);
}

/* CausalConvWithState, since opset 27: an input [batch, channels, length] and weights [channels, 1, kernel]; beside
 * what comes out the last places of the input, one fewer than the kernel has. */
bool onnx_shape_causal_conv(struct onnx_step *step) {
    const struct onnx_value *x = ranked(step, 0, 3), *w = ranked(step, 1, 3);
    if (!x || !w || w->shape.dims[2] < 1 || (w->shape.dims[0] != x->shape.dims[1] && !step->bounded)) {
        return onnx_why(step, "the input's channels are not those of the weights");
    }
    int64_t state[] = {x->shape.dims[0], x->shape.dims[1], w->shape.dims[2] - 1};
    return onnx_set_like(step, 0, x, x->type) && onnx_set(step, 1, x->type, 3, state);
}

/* ---- embeddings ---- */

/* Words [batch, length] become [batch, length, hidden]; beside them how long each text is, and the sums before
 * normalization. The table of words is the third input; quantized, its scale tells the type. */
bool onnx_shape_embed_norm(struct onnx_step *step) {
    const struct onnx_value *ids = onnx_need(step, 0), *words = onnx_need(step, 2), *typed = words;
    if (!ids || !words || ids->shape.rank != 2 || words->shape.rank != 2) {
        return onnx_why(step, "words or their table do not have two axes");
    }
    if (sw_pb_equal(step->node->kind, "QEmbedLayerNormalization")) {
        typed = onnx_in(step, 8);
    }
    int64_t dims[] = {ids->shape.dims[0], ids->shape.dims[1], words->shape.dims[1]};
    int type = typed && typed->type ? typed->type : ONNX_FLOAT;
    return onnx_set(step, 0, type, 3, dims) && onnx_set(step, 1, ONNX_INT32, 1, dims) &&
           onnx_set(step, 2, type, 3, dims);
}

/* GatherBlockQuantized: rows of a table in blocks; two or more numbers may share a byte. */
bool onnx_shape_gather_blocks(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0), *at = onnx_need(step, 1), *scale = onnx_in(step, 2);
    int64_t dims[2 * ONNX_RANK], bits = onnx_setting(step, "bits", 4);
    uint32_t axis, packed, rank = 0;
    if (!x || !at || !onnx_axis(step, onnx_setting(step, "gather_axis", 0), x->shape.rank, &axis) ||
        !onnx_axis(step, onnx_setting(step, "quantize_axis", 1), x->shape.rank, &packed)) {
        return false;
    }
    int64_t each = x->type == ONNX_UINT8 && bits > 0 && bits < 8 ? 8 / bits : 1;
    for (uint32_t i = 0; i < x->shape.rank; i++) {
        if (i == axis) {
            memcpy(dims + rank, at->shape.dims, at->shape.rank * sizeof *dims);
            rank += at->shape.rank;
        } else if (__builtin_mul_overflow(x->shape.dims[i], i == packed ? each : 1, &dims[rank++])) {
            return onnx_why(step, "a dimension comes out too large");
        }
    }
    return onnx_set(step, 0, scale ? scale->type : ONNX_FLOAT, rank, dims);
}

/* ---- normalization ---- */

/* Mean and inverse deviation as LayerNormalization gives them; the sum of both inputs may come out as well, as the
 * fourth. */
bool onnx_shape_skip_norm(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    if (!x || x->shape.rank < 1) {
        return onnx_why(step, "the input is a single number");
    }
    uint32_t last = x->shape.rank - 1;
    return onnx_set_like(step, 0, x, x->type) && onnx_set_along(step, 1, x, last, 1, ONNX_FLOAT) &&
           onnx_set_along(step, 2, x, last, 1, ONNX_FLOAT) && onnx_set_like(step, 3, x, x->type);
}

/* The second output, if there is one, is a sum of the inputs. */
bool onnx_shape_same_twice(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    return x && onnx_set_like(step, 0, x, x->type) && onnx_set_like(step, 1, x, x->type);
}

/* The second input decides: NGramRepeatBlock passes scores on. */
bool onnx_shape_second(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 1);
    return x && onnx_set_like(step, 0, x, x->type);
}

/* BiasSplitGelu: one half of the last axis is multiplied with the other. */
bool onnx_shape_halved(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    if (!x || x->shape.rank < 1) {
        return onnx_why(step, "the input is a single number");
    }
    return onnx_set_along(step, 0, x, x->shape.rank - 1, x->shape.dims[x->shape.rank - 1] / 2, x->type);
}

/* RestorePadding: tokens [tokens, hidden] and their places [batch, length]. */
bool onnx_shape_restore_padding(struct onnx_step *step) {
    const struct onnx_value *x = ranked(step, 0, 2), *at = ranked(step, 1, 2);
    if (!x || !at) {
        return false;
    }
    return onnx_set_lengths(step, 0, x->type, at->shape.dims[0], at->shape.dims[1], x->shape.dims[1]);
}

/* RelativePositionBias: a table [buckets, heads], and lengths of queries and keys. */
bool onnx_shape_position_bias(struct onnx_step *step) {
    const struct onnx_value *table = ranked(step, 0, 2);
    int64_t dims[] = {1, 0, ONNX_OPEN, ONNX_OPEN};
    if (!table) {
        return false;
    }
    dims[1] = table->shape.dims[1];
    for (uint32_t i = 1; i < 3; i++) {
        const struct onnx_value *length = onnx_in(step, i);
        if (length && length->data && onnx_count(&length->shape) == 1) {
            dims[1 + i] = length->data->i;
        }
    }
    return onnx_set(step, 0, table->type, 4, dims);
}

/* ---- products ---- */

/* MatMulNBits and its like: the weights [K, N] are in blocks, their shape is in attributes. */
bool onnx_shape_matmul_blocks(struct onnx_step *step) {
    const struct onnx_value *x = onnx_need(step, 0);
    int64_t inner = onnx_setting(step, "K", 0), width = onnx_setting(step, "N", 0);
    if (!x || x->shape.rank < 1 || width < 1) {
        return onnx_why(step, "N is out of range");
    }
    if (inner != x->shape.dims[x->shape.rank - 1] && !step->bounded) {
        return onnx_why(step, "the matrices do not fit together");
    }
    return onnx_set_along(step, 0, x, x->shape.rank - 1, width, x->type);
}
