// Blocks that Snappy packed. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A varint of the unpacked size, then elements that give literal bytes or copy bytes that came before.
#ifndef MLC_COMMON_SNAPPY_H
#define MLC_COMMON_SNAPPY_H

#include <string>
#include <string_view>

namespace mlc::common {

/// Unpacks a block in Snappy's raw format (without frames) into `bytes`, in the place of what they were. False: it is
/// damaged, and `problem` says how, with the byte of `packed`. What it claims to hold is believed as far as so many
/// bytes can say: 22 for each.
bool unpackSnappy(std::string_view packed, std::string &bytes, std::string &problem);

} // namespace mlc::common

#endif // MLC_COMMON_SNAPPY_H
