/* Random ONNX models of small images: windows of all kinds, branches, sums, channels side by side, numbers as floats or
 * quantized. A seed says everything about a network. */
#ifndef SW_FIT_ONNX_NETWORKS_H
#define SW_FIT_ONNX_NETWORKS_H

#include <stddef.h>
#include <stdint.h>

/* The file, which the caller frees. */
unsigned char *onnx_network(uint64_t seed, size_t *length);

#endif
