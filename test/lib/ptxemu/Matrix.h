// Elements of fragments of matrices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_MATRIX_H
#define MLC_TEST_LIB_PTXEMU_MATRIX_H

#include "test/lib/ptxemu/Types.h"

namespace ptxemu {

/// Element `index` of a packed row of elements of `type` (F16, BF16, TF32, E4M3, E5M2, S8 or U8).
double elementOf(Type type, const uint32_t *words, unsigned index);

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_MATRIX_H
