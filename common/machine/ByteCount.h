// Bytes as people write them. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_BYTECOUNT_H
#define MLC_COMMON_BYTECOUNT_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace mlc::common {

/// What texts of parseByteCount look like, for messages.
constexpr const char kByteCountForm[] = "bytes, as 4294967296, 512MiB or 4GB";

/// Bytes >= 0 of "4294967296", "512MiB", "1.5 GB", a fraction of a byte cut off; nothing if the text says none, or more
/// than fit.
std::optional<int64_t> parseByteCount(std::string_view text);

} // namespace mlc::common

#endif // MLC_COMMON_BYTECOUNT_H
