// Dims of values in hand-written tables. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_UNIT_RUNTIME_CORE_STATICDIMS_H
#define MLC_TEST_UNIT_RUNTIME_CORE_STATICDIMS_H

#include "mlcrt/abi.h"

namespace mlcrt {

/// Dims of a mlcrt_value, which live as long as the program.
template <int64_t... Sizes> inline constexpr int64_t kDims[] = {Sizes...};

/// One dimension, the rows of the batch.
inline constexpr const int64_t *kRows = kDims<MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH)>;

} // namespace mlcrt

#endif // MLC_TEST_UNIT_RUNTIME_CORE_STATICDIMS_H
