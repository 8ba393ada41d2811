// Serialized tf.Examples for tests. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_UNIT_RUNTIME_INPUT_EXAMPLETESTSUPPORT_H
#define MLC_TEST_UNIT_RUNTIME_INPUT_EXAMPLETESTSUPPORT_H

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt::test {

inline std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
inline std::string lengthField(int number, std::string_view bytes) {
  return varint(static_cast<uint64_t>(number) << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}
inline std::string fixed32(float value) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &value, 4);
  return bytes;
}

/// A Feature message.
inline std::string bytesFeature(const std::vector<std::string> &values) {
  std::string list;
  for (const std::string &value : values)
    list += lengthField(1, value);
  return lengthField(1, list);
}
inline std::string floatFeature(const std::vector<float> &values, bool packed = true) {
  std::string run, list;
  for (const float value : values) {
    run += fixed32(value);
    list += "\x0d" + fixed32(value);
  }
  return lengthField(2, packed ? (values.empty() ? "" : lengthField(1, run)) : list);
}
inline std::string intFeature(const std::vector<int64_t> &values, bool packed = true) {
  std::string run, list;
  for (const int64_t value : values) {
    run += varint(static_cast<uint64_t>(value));
    list += "\x08" + varint(static_cast<uint64_t>(value));
  }
  return lengthField(3, packed ? (values.empty() ? "" : lengthField(1, run)) : list);
}

/// Collects features into an Example message.
class ExampleWriter {
public:
  ExampleWriter &add(std::string_view name, std::string_view feature) {
    features_ += lengthField(1, lengthField(1, name) + lengthField(2, feature));
    return *this;
  }
  ExampleWriter &bytes(std::string_view name, const std::vector<std::string> &values) {
    return add(name, bytesFeature(values));
  }
  ExampleWriter &floats(std::string_view name, const std::vector<float> &values, bool packed = true) {
    return add(name, floatFeature(values, packed));
  }
  ExampleWriter &ints(std::string_view name, const std::vector<int64_t> &values, bool packed = true) {
    return add(name, intFeature(values, packed));
  }
  std::string str() const { return lengthField(1, features_); }

private:
  std::string features_;
};

} // namespace mlcrt::test

#endif // MLC_TEST_UNIT_RUNTIME_INPUT_EXAMPLETESTSUPPORT_H
