/* demo.soft_clip: x / sqrt(1 + (x / limit)^2), element by element. The limit, an attribute of the op, comes after the
 * operands. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mlcrt/abi.h"

#include <math.h>

int32_t demo_soft_clip(const mlcrt_buffer *operands, const mlcrt_buffer *results) {
  const float *x = (const float *)operands[0].data;
  float *y = (float *)results[0].data;
  const float limit = *(const float *)operands[1].data;
  int64_t count = 1;
  if (operands[0].dtype != MLCRT_F32 || operands[1].dtype != MLCRT_F32)
    return MLCRT_INVALID_ARGUMENT;
  for (int32_t d = 0; d < operands[0].rank; ++d)
    count *= operands[0].dims[d];
  for (int64_t i = 0; i < count; ++i)
    y[i] = x[i] / sqrtf(1.0f + (x[i] / limit) * (x[i] / limit));
  return MLCRT_OK;
}
