// JSON files of ours that prove themselves: the last line is a checksum of all before. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_SEALEDJSON_H
#define MLCRT_CHECKPOINT_SEALEDJSON_H

#include "absl/status/statusor.h"
#include "runtime/src/checkpoint/Manifest.h"

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

using Json = nlohmann::ordered_json;

/// Eight digits.
std::string hexText(uint32_t crc);

/// The text of an object that is not empty; its last line is its key "crc32c".
std::string sealJson(const Json &object);
/// Reads what sealJson wrote. kDataLoss (E0403): truncated, damaged, or no object; `path` names the file.
absl::StatusOr<Json> openSealedJson(std::string_view text, const std::string &path);

/// [{"path", "size", "crc32c"}].
Json filesToJson(const std::vector<FileRecord> &files);

/// Whether a file of this name lies in the directory of the JSON file, which must not reach outside.
bool isPlainName(std::string_view name);

/// Reads members of JSON objects; remembers the first that is missing or of another type.
class JsonFields {
public:
  bool good() const { return bad_.empty(); }
  const std::string &bad() const { return bad_; }

  void read(const Json &object, const char *key, std::string &text) {
    const Json *value = member(object, key);
    if (value && value->is_string())
      text = value->get<std::string>();
    else
      fail(key);
  }
  /// An integer >= `min`.
  void read(const Json &object, const char *key, int64_t &number, int64_t min = 0) {
    const Json *value = member(object, key);
    if (value && value->is_number_integer() && !(value->is_number_unsigned() && value->get<uint64_t>() > INT64_MAX) &&
        value->get<int64_t>() >= min)
      number = value->get<int64_t>();
    else
      fail(key);
  }
  void read(const Json &object, const char *key, double &number) {
    const Json *value = member(object, key);
    if (value && value->is_number())
      number = value->get<double>();
    else
      fail(key);
  }
  void read(const Json &object, const char *key, bool &flag) {
    const Json *value = member(object, key);
    if (value && value->is_boolean())
      flag = value->get<bool>();
    else
      fail(key);
  }
  void readCrc(const Json &object, uint32_t &crc) {
    std::string text;
    read(object, "crc32c", text);
    unsigned parsed = 0;
    int end = 0;
    if (std::sscanf(text.c_str(), "%8x%n", &parsed, &end) != 1 || end != 8 || text.size() != 8)
      fail("crc32c");
    crc = parsed;
  }
  /// Sizes >= 0, from the list `shape`.
  /// `unknown`: a size that is allowed besides those that are not negative.
  void readShape(const Json &object, std::vector<int64_t> &shape, int64_t unknown = 0) {
    for (const Json &size : list(object, "shape")) {
      if (size.is_number_integer() && size.get<int64_t>() == unknown) {
        shape.push_back(unknown);
        continue;
      }
      if (!size.is_number_unsigned() || size.get<uint64_t>() > INT64_MAX)
        return fail("shape");
      shape.push_back(static_cast<int64_t>(size.get<uint64_t>()));
    }
  }
  const Json &list(const Json &object, const char *key) {
    static const Json empty = Json::array();
    const Json *value = member(object, key);
    if (value && value->is_array())
      return *value;
    fail(key);
    return empty;
  }
  const Json &object(const Json &object, const char *key) {
    static const Json empty = Json::object();
    const Json *value = member(object, key);
    if (value && value->is_object())
      return *value;
    fail(key);
    return empty;
  }
  void fail(const std::string &key) {
    if (bad_.empty())
      bad_ = key;
  }

private:
  static const Json *member(const Json &object, const char *key) {
    auto it = object.find(key);
    return object.is_object() && it != object.end() ? &*it : nullptr;
  }

  std::string bad_;
};

/// What filesToJson wrote.
std::vector<FileRecord> readFiles(JsonFields &fields, const Json &list);

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_SEALEDJSON_H
