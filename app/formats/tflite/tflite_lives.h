/* When the tensors of a TensorFlow Lite model are needed, and which lie in their places within others. */
#ifndef SW_FORMATS_TFLITE_LIVES_H
#define SW_FORMATS_TFLITE_LIVES_H

#include "formats/tflite/tflite_model.h"

/* Steps in which a tensor is alive, both inside. */
struct tflite_life {
    int64_t first, last;
};
/* Of all tensors: inputs and what no operator writes from the start, results to the end. `by_rows`, per operator, may
 * be NULL: what that reads first does not count. O(arguments) */
void tflite_count_lives(const struct tflite_model *, const bool *by_rows, struct tflite_life *lives);

/* A slice of rows that lie one behind the other in memory moves no byte where its result lies in its place within its
 * argument, and nor does a concatenation of such rows for an argument that lies in its place within the result. Such
 * tensors share their bytes. That is so by the graph: the operator copies these bytes there, and one operator alone
 * writes each of the two tensors. Where the offsets are others both have bytes of their own. Padding behind rows, an
 * update of rows and the variables of a loop share bytes, too, as long as nothing reads what they have changed. */
struct tflite_part {
    uint32_t root; /* it lies in the bytes of that tensor; itself: it has its own */
    uint64_t at;   /* where in them */
};
struct tflite_rectangle {
    uint32_t root;
    struct sw_piece_spec piece;
};
struct tflite_places {
    struct tflite_part *parts; /* of each tensor */
    uint64_t part_count;       /* how many lie within others */
    bool others;               /* some of them are no slices and no parts of concatenations */
    bool *by_rows;             /* of each operator: of its first argument it reads the bytes of its result alone */
    bool *still;               /* of each operator: it moves no byte */
    /* Which bytes are needed when, of tensors in which others lie, or that are read by rows, or in their places; by
     * root. */
    SW_ARRAY(struct tflite_rectangle) rectangles;
};
/* `offsets`: of each tensor, -1 for none. Zero the places first; they end with tflite_places_done whatever comes out.
 * False: no memory, or the file is damaged. O(arguments + tensors log tensors + changes^2 x parts) */
bool tflite_find_places(struct tflite_model *, const int64_t *offsets, struct tflite_places *);
void tflite_places_done(struct tflite_places *);

#endif
