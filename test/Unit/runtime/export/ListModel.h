// A hand-written model with a weighted multi-valued feature. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_UNIT_RUNTIME_EXPORT_LISTMODEL_H
#define MLC_TEST_UNIT_RUNTIME_EXPORT_LISTMODEL_H

#include "runtime/src/export/RowBuffer.h"
#include "test/Unit/runtime/core/StaticDims.h"

#include <gtest/gtest.h>

namespace mlcrt {

/// An artifact whose entry reads n i64[rows], tags string[k], tags.ends, tags.weight and gives total f32[rows]: n plus
/// the weights of the row.
struct ListModel {
  mlcrt_value features[4] = {{"n", MLCRT_I64, 1, kRows},
                             {"tags", MLCRT_STRING, 1, kDims<MLCRT_DIM_SYMBOL(1)>},
                             {"tags.ends", MLCRT_I64, 1, kRows},
                             {"tags.weight", MLCRT_F32, 1, kDims<MLCRT_DIM_SYMBOL(1)>}};
  mlcrt_value output = {"total", MLCRT_F32, 1, kRows};
  mlcrt_operand operands[5] = {{MLCRT_SOURCE_FEATURE, 0, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0},
                               {MLCRT_SOURCE_FEATURE, 1, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0},
                               {MLCRT_SOURCE_FEATURE, 2, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0},
                               {MLCRT_SOURCE_FEATURE, 3, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0},
                               {MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE, 0, MLCRT_SPACE_HOST, 0}};
  mlcrt_segment segment = {"s", MLCRT_SEGMENT_STEP, MLCRT_DEVICE_HOST, 0, 5, operands, run, 0, nullptr};
  mlcrt_entry entry = {"e", MLCRT_ROLE_PREDICT, 1, &segment, 0, 1, nullptr, &output};
  mlcrt_artifact table = {};
  std::shared_ptr<const Artifact> artifact;

  static int32_t run(mlcrt_frame *frame) {
    const mlcrt_buffer *b = frame->buffers;
    const auto *ends = static_cast<const int64_t *>(b[2].data);
    for (int64_t row = 0; row < b[0].dims[0]; ++row) {
      auto total = static_cast<float>(static_cast<const int64_t *>(b[0].data)[row]);
      for (int64_t i = row > 0 ? ends[row - 1] : 0; i < ends[row]; ++i)
        total += static_cast<const float *>(b[3].data)[i];
      static_cast<float *>(b[4].data)[row] = total;
    }
    return MLCRT_OK;
  }

  ListModel() {
    table.struct_size = sizeof(table);
    table.version = MLCRT_ABI_VERSION;
    table.name = table.state_fingerprint = table.plan_fingerprint = table.manifest = "";
    table.num_features = 4;
    table.features = features;
    table.num_entries = 1;
    table.entries = &entry;
    auto made = Artifact::fromTable(&table);
    EXPECT_TRUE(made.ok()) << made.status();
    artifact = *made;
  }
};

} // namespace mlcrt

#endif // MLC_TEST_UNIT_RUNTIME_EXPORT_LISTMODEL_H
