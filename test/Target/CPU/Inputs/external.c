/* A function that adds 2, and others that cannot be linked into artifacts.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mlcrt/abi.h"

#if defined(THREAD_LOCAL)
_Thread_local int calls;
#else
int calls;
#endif

#if defined(CONSTRUCTOR)
__attribute__((constructor)) static void construct(void) { calls = 1; }
#endif

float expf(float);

#if defined(OTHER_TYPE)
int64_t add_two(const mlcrt_buffer *operands, const mlcrt_buffer *results) {
#elif defined(OTHER_NAME)
int32_t add_three(const mlcrt_buffer *operands, const mlcrt_buffer *results) {
#else
int32_t add_two(const mlcrt_buffer *operands, const mlcrt_buffer *results) {
#endif
  const float *x = (const float *)operands[0].data;
  float *y = (float *)results[0].data;
  ++calls;
  for (int64_t i = 0; i < operands[0].dims[0]; ++i)
#if defined(IMPORTS)
    y[i] = expf(x[i]);
#else
    y[i] = x[i] + 2.0f;
#endif
#if defined(FAILS)
  return 1;
#else
  return operands[0].dtype == MLCRT_F32 && operands[0].rank == 1 && results[0].dims[0] == operands[0].dims[0] ? 0 : 2;
#endif
}
