/* What kernels of GPUs get beside what a launch has for all chips. -*- C -*-
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A launch (the service device_launch) is the same for all images of an artifact. An image whose kernel NAME needs more
 * defines a global variable NAME MLCRT_NEEDS_SUFFIX: a mlcrt_kernel_needs, and after it any number of mlcrt_tensor_map.
 *
 * Copies of boxes of a tensor between the memory of a GPU and that of a block (PTX: cp.async.bulk.tensor) take a
 * descriptor of 128 bytes, which only the driver makes (cuTensorMapEncodeTiled). The kernel has a parameter of 128
 * bytes for each mlcrt_tensor_map, in their order, after those for the arguments of the launch, from which all that a
 * descriptor is made of follows.
 */
#ifndef MLCRT_KERNEL_NEEDS_H
#define MLCRT_KERNEL_NEEDS_H

#include <stdint.h>

#define MLCRT_NEEDS_SUFFIX "$needs"
#define MLCRT_TENSOR_MAP_RANK 5
/* A size that is argument k of the launch; one of nothing counts as 1, since no box of it is copied. */
#define MLCRT_TENSOR_MAP_ARGUMENT(k) (-1 - (int64_t)(k))

typedef struct mlcrt_kernel_needs {
  int64_t shared_bytes; /* of a block's memory, beside those of the launch */
} mlcrt_kernel_needs;

typedef struct mlcrt_tensor_map {
  int64_t buffer;  /* the argument that is the tensor's address */
  int64_t offset;  /* bytes from there to its first element */
  int64_t dtype;   /* mlcrt_dtype: f16, bf16 or f32 */
  int64_t swizzle; /* bytes of rows in a block's memory whose pieces of 16 change places: 0 (none do), 32, 64, 128 */
  int64_t rank;    /* 1 to MLCRT_TENSOR_MAP_RANK */
  int64_t sizes[MLCRT_TENSOR_MAP_RANK];   /* in elements, >= 0, or an argument; of dimension 0 they are neighbours */
  int64_t strides[MLCRT_TENSOR_MAP_RANK]; /* in bytes, multiples of 16; that of dimension 0 is not read */
  int64_t box[MLCRT_TENSOR_MAP_RANK];     /* what one copy brings, in elements: 1 to 256 */
} mlcrt_tensor_map;

#ifdef __cplusplus
static_assert(sizeof(mlcrt_kernel_needs) == 8 && sizeof(mlcrt_tensor_map) == 160, "the border's sizes");
#else
_Static_assert(sizeof(mlcrt_kernel_needs) == 8 && sizeof(mlcrt_tensor_map) == 160, "the border's sizes");
#endif

#endif /* MLCRT_KERNEL_NEEDS_H */
