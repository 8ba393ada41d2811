/* Fails. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mlcrt/abi.h"

int32_t fail(const mlcrt_buffer *operands, const mlcrt_buffer *results) {
  (void)operands;
  (void)results;
  return 3;
}
