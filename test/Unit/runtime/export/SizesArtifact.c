/* A hand-written artifact whose rows have sizes that each call tells, for tests of exports.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * predict: x f32[rows, n], words string[rows, n], m i64[rows, n, k] -> total f32[rows], twice f32[rows, n]: the sum of
 * a row's x, sizes of words and m; and 2 x.
 */
#include "mlcrt/abi.h"

#define BATCH MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH)
#define N MLCRT_DIM_SYMBOL(1)
#define K MLCRT_DIM_SYMBOL(2)

static int32_t run_predict(mlcrt_frame *frame) {
  const mlcrt_buffer *b = frame->buffers;
  const float *x = b[0].data;
  const mlcrt_string *words = b[1].data;
  const int64_t *m = b[2].data;
  float *total = b[3].data, *twice = b[4].data;
  const int64_t rows = b[2].dims[0], n = b[2].dims[1], k = b[2].dims[2];
  for (int64_t row = 0; row < rows; ++row) {
    total[row] = 0;
    for (int64_t i = 0; i < n; ++i) {
      twice[row * n + i] = 2 * x[row * n + i];
      total[row] += x[row * n + i] + (float)words[row * n + i].size;
      for (int64_t j = 0; j < k; ++j)
        total[row] += (float)m[(row * n + i) * k + j];
    }
  }
  return MLCRT_OK;
}

static const mlcrt_value features[] = {{"x", MLCRT_F32, MLCRT_DIMS(BATCH, N)},
                                       {"words", MLCRT_STRING, MLCRT_DIMS(BATCH, N)},
                                       {"m", MLCRT_I64, MLCRT_DIMS(BATCH, N, K)}};
static const mlcrt_value outputs[] = {{"total", MLCRT_F32, MLCRT_DIMS(BATCH)},
                                      {"twice", MLCRT_F32, MLCRT_DIMS(BATCH, N)}};
static const mlcrt_operand operands[] = {{MLCRT_SOURCE_FEATURE, 0, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0},
                                         {MLCRT_SOURCE_FEATURE, 1, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0},
                                         {MLCRT_SOURCE_FEATURE, 2, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0},
                                         {MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE, 0, MLCRT_SPACE_HOST, 0},
                                         {MLCRT_SOURCE_OUTPUT, 1, MLCRT_WRITE, 0, MLCRT_SPACE_HOST, 0}};
static const mlcrt_segment segment = {"predict", MLCRT_SEGMENT_STEP, MLCRT_DEVICE_HOST, 0, 5, operands, run_predict, 0,
                                      0};
static const mlcrt_entry entry = {"predict", MLCRT_ROLE_PREDICT, 1, &segment, 0, 2, 0, outputs};
static const mlcrt_artifact table = {
    .struct_size = sizeof(mlcrt_artifact),
    .version = MLCRT_ABI_VERSION,
    .name = "sizes",
    .state_fingerprint = "1",
    .plan_fingerprint = "1",
    .manifest = "{}",
    .num_features = 3,
    .features = features,
    .num_entries = 1,
    .entries = &entry,
};

const mlcrt_artifact *mlc_artifact_query(uint32_t max_version, const void *reserved) {
  (void)reserved;
  return max_version < table.version ? 0 : &table;
}
