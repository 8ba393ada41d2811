// Pieces of JSON text, written without a document. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_JSONTEXT_H
#define MLCRT_CORE_JSONTEXT_H

#include "mlcrt/abi.h"
#include "runtime/src/core/Tensor.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// A quoted string; bytes that are no UTF-8 become U+FFFD.
std::string jsonString(std::string_view text);
/// The fewest digits that read back to the same value; "NaN", "Infinity" and "-Infinity" as strings.
std::string jsonNumber(double value);
std::string jsonNumber(float value);
std::string jsonNumber(int64_t value);

/// The element `i` (row-major) of a buffer of any dtype as a JSON value; a string is quoted.
std::string jsonElement(const TensorView &buffer, int64_t i);
/// A buffer, or row `row` of it (>= 0), as a value or nested lists.
std::string jsonValue(const TensorView &buffer, int64_t row = -1);
/// The element as a number; NaN for a string.
double numberElement(const TensorView &buffer, int64_t i);
/// All elements as numbers; none of a buffer of strings.
std::vector<double> numberElements(const TensorView &buffer);

/// One object on one line, members in the order of adding.
class JsonObject {
public:
  /// `value` is JSON text.
  JsonObject &raw(std::string_view key, std::string_view value);
  JsonObject &text(std::string_view key, std::string_view value) { return raw(key, jsonString(value)); }
  JsonObject &number(std::string_view key, double value) { return raw(key, jsonNumber(value)); }
  JsonObject &integer(std::string_view key, int64_t value) { return raw(key, jsonNumber(value)); }
  /// "{...}" without a line end.
  std::string str() const { return "{" + text_ + "}"; }

private:
  std::string text_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_JSONTEXT_H
