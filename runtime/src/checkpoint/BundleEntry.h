// What the index of a TensorFlow checkpoint says of a tensor. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_BUNDLEENTRY_H
#define MLCRT_CHECKPOINT_BUNDLEENTRY_H

#include "mlcrt/abi.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// The proto BundleHeaderProto.
struct BundleHeader {
  int64_t shards = 0;
  bool isBigEndian = false;
  int64_t minConsumer = 0; ///< of its version

  /// False if the text is no such message.
  bool parse(std::string_view text);
  std::string text() const;
};

/// A dimension of a slice; without a size it has all of it.
struct SliceExtent {
  int64_t start = 0;
  std::optional<int64_t> size;
};

/// The proto BundleEntryProto.
struct BundleEntry {
  int64_t dtype = 0; ///< TensorFlow's number
  std::vector<int64_t> shape;
  bool isRankUnknown = false;
  int64_t shard = 0, offset = 0, bytes = 0;
  uint32_t crc = 0; ///< masked
  std::vector<std::vector<SliceExtent>> slices;

  /// False if the text is no such message.
  bool parse(std::string_view text);
  std::string text() const;
};

/// Our dtype for TensorFlow's number, or none.
std::optional<mlcrt_dtype> dtypeFromTensorFlow(int64_t number);
/// TensorFlow's number for a dtype that is not MLCRT_STRING.
int64_t dtypeInTensorFlow(int32_t dtype);
/// "string", "complex64", ...; "dtype(N)".
std::string tensorFlowDtypeName(int64_t number);

/// TensorFlow's number for texts.
inline constexpr int64_t kTensorFlowString = 7;

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_BUNDLEENTRY_H
