// Blocks that Snappy packed. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A varint of the unpacked size, then elements that give literal bytes or copy bytes that came before.
#ifndef MLCRT_CHECKPOINT_SNAPPY_H
#define MLCRT_CHECKPOINT_SNAPPY_H

#include "absl/status/statusor.h"

#include <string>
#include <string_view>

namespace mlcrt {

/// The bytes of a block in Snappy's raw format (without frames). kDataLoss: it is damaged; the text names the byte of
/// `packed`. What it claims to hold is believed as far as so many bytes can say: 22 for each.
absl::StatusOr<std::string> unpackSnappy(std::string_view packed);

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_SNAPPY_H
