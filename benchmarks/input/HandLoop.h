// Reading a CSV file without any of the reader's duties: what the reader is measured against. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_BENCHMARKS_INPUT_HANDLOOP_H
#define MLC_BENCHMARKS_INPUT_HANDLOOP_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::benchmarks {

/// What a field of the file becomes.
enum class Cell { Skip, Float, Int, Text };

/// The columns of a file as arrays.
struct HandColumns {
  std::string bytes; ///< of the file; texts point into it
  std::vector<std::vector<float>> floats;
  std::vector<std::vector<int64_t>> ints;
  std::vector<std::vector<std::string_view>> texts;
  int64_t rows = 0;
};

/// Reads `path` (no quotes, a header) with read, memchr and from_chars. A field that is no number becomes 0; rows are
/// taken to have the fields of `cells`. Nothing is checked.
HandColumns readByHand(const std::string &path, const std::vector<Cell> &cells, char delimiter);

} // namespace mlc::benchmarks

#endif // MLC_BENCHMARKS_INPUT_HANDLOOP_H
