// The key of a name: of what random numbers are drawn for. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_NAMEKEY_H
#define MLC_COMMON_NAMEKEY_H

#include <farmhash.h>

#include <cstdint>
#include <string_view>

namespace mlc::common {

/// FarmHash Fingerprint64 of the name (link farmhash). With the seed of a run (exclusive or) it is the Philox key of
/// what the name stands for: an op that draws, or a tensor that begins with random numbers.
inline uint64_t nameKey(std::string_view name) { return util::Fingerprint64(name.data(), name.size()); }

} // namespace mlc::common

#endif // MLC_COMMON_NAMEKEY_H
