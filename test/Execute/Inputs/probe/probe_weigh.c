/* The operand times what attributes are: a number, the sum of an array, and 2 if a boolean is true.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mlcrt/abi.h"

int32_t weigh(const mlcrt_buffer *operands, const mlcrt_buffer *results) {
  int64_t sum = 0;
  double number;
  if (operands[1].dtype != MLCRT_F64 || operands[1].rank != 0 || operands[2].dtype != MLCRT_I64 ||
      operands[2].rank != 1 || operands[3].dtype != MLCRT_BOOL || operands[3].rank != 0)
    return 1;
  for (int64_t i = 0; i < operands[2].dims[0]; ++i)
    sum += ((const int64_t *)operands[2].data)[i];
  number = *(const double *)operands[1].data * (double)sum * (*(const char *)operands[3].data ? 2.0 : 1.0);
  *(double *)results[0].data = *(const double *)operands[0].data * number;
  return 0;
}
