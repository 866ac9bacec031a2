/* ONNX models for tests, written as lines and encoded here:
 *
 *   opset 13                         (the version; 13 when absent)
 *   input x float 1x3xN              (types: float, int64, bool, string ...; - for a number; ? = no
 * length) info y float 1x2                 (value_info) weight w float 64x3x7x7          (an
 * initializer without its data) ints s 2,3,-1                    (an initializer of int64, here
 * with its elements; `ints s` has none) int k 5                          (a single one) reals
 * r 1.0,2.5 Conv x,w -> y strides=2,2 group=1 auto_pad=SAME_UPPER graph body ... end (a graph for
 * attributes: then_branch=@body) function Twice x -> y ... end output y
 *
 * `_` leaves an argument out. An attribute is a graph (@), a list (1,2 or 1,), a number, or a text;
 * of numbers with a point it is a float. `value=#2,3` is a tensor of int64, `keys=[a,b]` a list of texts. */
#ifndef SW_UNIT_ONNX_H
#define SW_UNIT_ONNX_H

#include "formats/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef SW_ARRAY(char) onnx_bytes;

static inline void put(onnx_bytes *to, const void *at, size_t length) {
    const char *from = at;
    for (size_t i = 0; i < length; i++) {
        if (!SW_PUSH(to, from[i])) {
            abort();
        }
    }
}
static inline void put_varint(onnx_bytes *to, uint64_t value) {
    do {
        char byte = (char)((value & 127) | (value > 127 ? 128 : 0));
        put(to, &byte, 1);
        value >>= 7;
    } while (value > 0);
}
static inline void put_int(onnx_bytes *to, unsigned field, int64_t value) {
    put_varint(to, field << 3);
    put_varint(to, (uint64_t)value);
}
static inline void put_bytes(onnx_bytes *to, unsigned field, const void *at, size_t length) {
    put_varint(to, field << 3 | 2);
    put_varint(to, length);
    put(to, at, length);
}
static inline void put_text(onnx_bytes *to, unsigned field, const char *text) {
    put_bytes(to, field, text, strlen(text));
}
static inline void put_message(onnx_bytes *to, unsigned field, onnx_bytes *message) {
    put_bytes(to, field, message->items, message->count);
    SW_ARRAY_DONE(message);
}
static inline void put_float(onnx_bytes *to, unsigned field, float value) {
    put_varint(to, field << 3 | 5);
    put(to, &value, sizeof value); /* tests run on little-endian machines */
}

static inline int onnx_type_of(const char *name) {
    static const char *const names[] = {"none",   "float",  "uint8",     "int8",       "uint16",  "int16",
                                        "int32",  "int64",  "string",    "bool",       "float16", "double",
                                        "uint32", "uint64", "complex64", "complex128", "bfloat16"};
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return atoi(name);
}

/* 1x3xN, or -; * tells nothing. seq:float is a sequence, opt:float may be there or not,
 * map:float maps from int64. */
static inline void put_type(onnx_bytes *info, const char *type, const char *shape) {
    static const struct {
        const char *name;
        unsigned field, inner;
    } forms[] = {{"seq:", 4, 1}, {"opt:", 9, 1}, {"map:", 5, 2}};
    onnx_bytes tensor = {0}, dims = {0}, value = {0};
    size_t form = 0;
    while (form < 3 && strncmp(type, forms[form].name, 4) != 0) {
        form++;
    }
    put_int(&tensor, 1, onnx_type_of(form < 3 ? type + 4 : type));
    for (const char *at = shape; !strchr("-*", *shape) && *at;) {
        onnx_bytes dim = {0};
        char word[32];
        size_t length = strcspn(at, "x");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (*word >= '0' && *word <= '9') {
            put_int(&dim, 1, atoll(word));
        } else if (*word != '?') {
            put_text(&dim, 2, word);
        }
        put_message(&dims, 1, &dim);
        at += length + (at[length] == 'x');
    }
    if (*shape != '*') {
        put_message(&tensor, 2, &dims);
    }
    SW_ARRAY_DONE(&dims);
    put_message(&value, 1, &tensor);
    if (form < 3) {
        onnx_bytes outer = {0}, inner = value;
        memset(&value, 0, sizeof value);
        put_message(&outer, forms[form].inner, &inner);
        put_message(&value, forms[form].field, &outer);
    }
    put_message(info, 2, &value);
}

static inline void put_info(onnx_bytes *graph, unsigned field, const char *name, const char *type, const char *shape) {
    onnx_bytes info = {0};
    put_text(&info, 1, name);
    if (type) {
        put_type(&info, type, shape);
    }
    put_message(graph, field, &info);
}

/* A tensor of int64 ("2,3") or float; a single one when `scalar`. */
static inline onnx_bytes tensor_of(const char *name, const char *list, bool real, bool scalar) {
    onnx_bytes tensor = {0}, raw = {0};
    int64_t count = 0;
    for (const char *at = list; *at; count++) {
        char *end;
        if (real) {
            float value = strtof(at, &end);
            put(&raw, &value, sizeof value);
        } else {
            int64_t value = strtoll(at, &end, 10);
            put(&raw, &value, sizeof value);
        }
        at = *end == ',' ? end + 1 : end;
    }
    if (!scalar) {
        put_int(&tensor, 1, count);
    }
    put_int(&tensor, 2, real ? 1 : 7);
    put_text(&tensor, 8, name);
    put_message(&tensor, 9, &raw);
    return tensor;
}

/* Graphs and functions named so far in a text. */
struct onnx_parts {
    char names[8][32];
    onnx_bytes graphs[8];
    size_t count;
};

static inline void put_attribute(onnx_bytes *node, char *word, const struct onnx_parts *parts) {
    onnx_bytes attribute = {0};
    char *value = strchr(word, '=');
    *value++ = '\0';
    put_text(&attribute, 1, word);
    if (*value == '@') {
        for (size_t i = 0; i < parts->count; i++) {
            if (strcmp(parts->names[i], value + 1) == 0) {
                put_bytes(&attribute, 6, parts->graphs[i].items, parts->graphs[i].count);
            }
        }
    } else if (*value == '$') {
        put_text(&attribute, 21, value + 1);
    } else if (*value == '#') {
        onnx_bytes tensor = tensor_of("", value + 1, strchr(value, '.') != NULL, !strchr(value, ','));
        put_message(&attribute, 5, &tensor);
    } else if (*value == '[') {
        char *rest = NULL;
        for (char *text = strtok_r(value, "[,]", &rest); text; text = strtok_r(NULL, "[,]", &rest)) {
            put_text(&attribute, 9, text);
        }
    } else if (strspn(value, "-0123456789.,") != strlen(value)) {
        put_text(&attribute, 4, value);
    } else {
        bool real = strchr(value, '.'), list = strchr(value, ',');
        for (char *at = value, *end; *at; at = *end == ',' ? end + 1 : end) {
            if (real) {
                put_float(&attribute, list ? 7 : 2, strtof(at, &end));
            } else {
                put_int(&attribute, list ? 8 : 3, strtoll(at, &end, 10));
            }
        }
    }
    put_message(node, 5, &attribute);
}

static inline void put_names(onnx_bytes *to, unsigned field, char *list) {
    char *rest = NULL;
    for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        put_text(to, field, strcmp(name, "_") == 0 ? "" : name);
    }
}

/* KIND in,in -> out,out a=b ...; a kind may have a domain: com.microsoft/Gelu. */
static inline void put_node(onnx_bytes *to, unsigned field, char *line, const struct onnx_parts *parts) {
    onnx_bytes node = {0};
    char *rest = NULL, *kind = strtok_r(line, " ", &rest), *slash = strchr(kind, '/');
    char *word = strtok_r(NULL, " ", &rest);
    if (strcmp(word, "->") != 0) {
        put_names(&node, 1, word);
        word = strtok_r(NULL, " ", &rest);
    }
    put_names(&node, 2, strtok_r(NULL, " ", &rest));
    if (slash) {
        *slash = '\0';
        put_text(&node, 7, kind);
    }
    put_text(&node, 4, slash ? slash + 1 : kind);
    while ((word = strtok_r(NULL, " ", &rest))) {
        put_attribute(&node, word, parts);
    }
    put_message(to, field, &node);
}

static inline onnx_bytes onnx_encode(const char *text) {
    struct onnx_parts parts = {.count = 0};
    onnx_bytes model = {0}, graph = {0}, part = {0}, functions = {0}, opset = {0}, *to = &graph;
    char *copy = strdup(text), *rest = NULL, a[64], b[64], c[256];
    bool function = false;
    int version = 13;
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        line += strspn(line, " ");
        b[0] = c[0] = '\0';
        int words = sscanf(line, "%63s %63s %255s", a, b, c);
        char *type = b, shape[64] = "";
        if (words < 1) {
            continue;
        }
        if (strcmp(a, "opset") == 0) {
            version = atoi(b);
        } else if (strcmp(a, "input") == 0 || strcmp(a, "info") == 0) {
            sscanf(line, "%*s %*s %255s %63s", c, shape);
            put_info(to, a[2] == 'p' ? 11 : 13, b, c[0] ? c : NULL, shape[0] ? shape : "-");
        } else if (strcmp(a, "output") == 0) {
            sscanf(line, "%*s %*s %255s %63s", c, shape);
            put_info(to, 12, b, c[0] ? c : NULL, shape[0] ? shape : "-");
        } else if (strcmp(a, "weight") == 0) {
            onnx_bytes tensor = {0};
            sscanf(line, "%*s %*s %*s %63s", shape);
            for (const char *at = shape; *at && *shape != '-'; at += *at == 'x') {
                put_int(&tensor, 1, strtoll(at, (char **)&at, 10));
            }
            put_int(&tensor, 2, onnx_type_of(c));
            put_text(&tensor, 8, type);
            put_message(to, 5, &tensor);
        } else if (strcmp(a, "ints") == 0 || strcmp(a, "reals") == 0 || strcmp(a, "int") == 0 ||
                   strcmp(a, "real") == 0) {
            onnx_bytes tensor = tensor_of(b, c, *a == 'r', a[strlen(a) - 1] != 's');
            put_message(to, 5, &tensor);
        } else if (strcmp(a, "graph") == 0) {
            snprintf(parts.names[parts.count], sizeof parts.names[0], "%.31s", b);
            to = &part;
        } else if (strcmp(a, "function") == 0) {
            char *inner = NULL, *name = strtok_r(line + 9, " ", &inner);
            put_text(&part, 1, name);
            put_names(&part, 4, strtok_r(NULL, " ", &inner));
            strtok_r(NULL, " ", &inner);
            put_names(&part, 5, strtok_r(NULL, " ", &inner));
            put_text(&part, 10, "own");
            function = true;
            to = &part;
        } else if (strcmp(a, "end") == 0 && function) {
            put_message(&functions, 25, &part);
            function = false;
            to = &graph;
        } else if (strcmp(a, "end") == 0) {
            parts.graphs[parts.count++] = part;
            memset(&part, 0, sizeof part);
            to = &graph;
        } else {
            put_node(to, function ? 7 : 1, line, &parts);
        }
    }
    put_int(&model, 1, 8);
    put_message(&model, 7, &graph);
    put_int(&opset, 2, version);
    put_message(&model, 8, &opset);
    put(&model, functions.items, functions.count);
    SW_ARRAY_DONE(&functions);
    for (size_t i = 0; i < parts.count; i++) {
        SW_ARRAY_DONE(&parts.graphs[i]);
    }
    free(copy);
    return model;
}

#endif
