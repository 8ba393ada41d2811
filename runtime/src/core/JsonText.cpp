// Numbers, strings and buffers as JSON text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/JsonText.h"

#include "runtime/src/core/Tensor.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

namespace mlcrt {

std::string jsonString(std::string_view text) {
  return nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <typename T> static std::string shortest(T value) {
  if (std::isnan(value))
    return "\"NaN\"";
  if (std::isinf(value))
    return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, end);
}

std::string jsonNumber(double value) { return shortest(value); }
std::string jsonNumber(float value) { return shortest(value); }
std::string jsonNumber(int64_t value) { return std::to_string(value); }

template <typename T> static T load(const TensorView &buffer, int64_t i) {
  T value;
  if (buffer.rowStride != 0)
    if (const int64_t row = elementsOfRow(buffer); row > 0)
      i = i / row * buffer.rowStride + i % row;
  std::memcpy(&value, static_cast<const char *>(buffer.data) + i * sizeof(T), sizeof(T));
  return value;
}

/// IEEE half to float; exact.
static float halfToFloat(uint16_t half) {
  int exponent = half >> 10 & 31, fraction = half & 1023;
  float magnitude = exponent == 31  ? (fraction ? std::numeric_limits<float>::quiet_NaN() : INFINITY)
                    : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                    : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}

static float bfloatToFloat(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

std::string jsonElement(const TensorView &buffer, int64_t i) {
  switch (buffer.dtype) {
  case MLCRT_F32:
    return jsonNumber(load<float>(buffer, i));
  case MLCRT_F64:
    return jsonNumber(load<double>(buffer, i));
  case MLCRT_F16:
    return jsonNumber(halfToFloat(load<uint16_t>(buffer, i)));
  case MLCRT_BF16:
    return jsonNumber(bfloatToFloat(load<uint16_t>(buffer, i)));
  case MLCRT_I8:
    return std::to_string(load<int8_t>(buffer, i));
  case MLCRT_I16:
    return std::to_string(load<int16_t>(buffer, i));
  case MLCRT_I32:
    return std::to_string(load<int32_t>(buffer, i));
  case MLCRT_I64:
    return std::to_string(load<int64_t>(buffer, i));
  case MLCRT_U8:
    return std::to_string(load<uint8_t>(buffer, i));
  case MLCRT_U16:
    return std::to_string(load<uint16_t>(buffer, i));
  case MLCRT_U32:
    return std::to_string(load<uint32_t>(buffer, i));
  case MLCRT_U64:
    return std::to_string(load<uint64_t>(buffer, i));
  case MLCRT_BOOL:
    return load<uint8_t>(buffer, i) ? "true" : "false";
  case MLCRT_STRING: {
    auto text = load<mlcrt_string>(buffer, i);
    return jsonString({text.data, static_cast<size_t>(text.size)});
  }
  default:
    return "null";
  }
}

double numberElement(const TensorView &buffer, int64_t i) {
  switch (buffer.dtype) {
  case MLCRT_F32:
    return load<float>(buffer, i);
  case MLCRT_F64:
    return load<double>(buffer, i);
  case MLCRT_F16:
    return halfToFloat(load<uint16_t>(buffer, i));
  case MLCRT_BF16:
    return bfloatToFloat(load<uint16_t>(buffer, i));
  case MLCRT_BOOL:
    return load<uint8_t>(buffer, i) ? 1 : 0;
  case MLCRT_I8:
    return load<int8_t>(buffer, i);
  case MLCRT_I16:
    return load<int16_t>(buffer, i);
  case MLCRT_I32:
    return load<int32_t>(buffer, i);
  case MLCRT_I64:
    return static_cast<double>(load<int64_t>(buffer, i));
  case MLCRT_U8:
    return load<uint8_t>(buffer, i);
  case MLCRT_U16:
    return load<uint16_t>(buffer, i);
  case MLCRT_U32:
    return load<uint32_t>(buffer, i);
  case MLCRT_U64:
    return static_cast<double>(load<uint64_t>(buffer, i));
  default:
    return std::numeric_limits<double>::quiet_NaN();
  }
}

std::vector<double> numberElements(const TensorView &buffer) {
  std::vector<double> values(buffer.dtype == MLCRT_STRING ? 0 : static_cast<size_t>(elementCount(buffer)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = numberElement(buffer, static_cast<int64_t>(i));
  return values;
}

static void appendNested(const TensorView &buffer, int32_t dim, int64_t &next, std::string &text) {
  if (dim == buffer.rank()) {
    text += jsonElement(buffer, next++);
    return;
  }
  text += '[';
  for (int64_t i = 0; i < buffer.dims[dim]; ++i) {
    if (i)
      text += ',';
    appendNested(buffer, dim + 1, next, text);
  }
  text += ']';
}

std::string jsonValue(const TensorView &buffer, int64_t row) {
  std::string text;
  int64_t next = 0;
  if (row >= 0 && buffer.rank() > 0 && buffer.dims[0] > 0)
    next = elementCount(buffer) / buffer.dims[0] * row;
  appendNested(buffer, row >= 0 ? 1 : 0, next, text);
  return text;
}

JsonObject &JsonObject::raw(std::string_view key, std::string_view value) {
  if (!text_.empty())
    text_ += ',';
  text_ += jsonString(key);
  text_ += ':';
  text_ += value;
  return *this;
}

} // namespace mlcrt
