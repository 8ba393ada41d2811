// Numbers in the heads of messages: little endian. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_WIRENUMBER_H
#define MLCRT_CLUSTER_WIRENUMBER_H

#include <cstdint>
#include <string>

namespace mlcrt {

/// Appends the lower `bytes` bytes of a number, 8 at most.
inline void appendNumber(std::string &to, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    to.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

/// The number in the next `count` bytes, 8 at most.
inline uint64_t readNumber(const char *bytes, unsigned count) {
  uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i)
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return value;
}

} // namespace mlcrt

#endif // MLCRT_CLUSTER_WIRENUMBER_H
