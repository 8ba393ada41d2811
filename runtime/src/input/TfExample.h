// The features of a serialized tf.Example. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the wire format where the bytes lie: no message is built and nothing is copied, and features that nobody asked
// for are stepped over. message Example { Features features = 1; }, Features { map<string, Feature> feature = 1; },
// Feature { oneof { BytesList bytes_list = 1; FloatList float_list = 2; Int64List int64_list = 3; } }, each list
// { repeated ... value = 1; }, numbers packed or not. Of a feature that is there twice the last counts.
#ifndef MLCRT_INPUT_TFEXAMPLE_H
#define MLCRT_INPUT_TFEXAMPLE_H

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// A feature as found in an example.
struct ExampleFeature {
  enum Kind : uint8_t { Absent, Bytes, Floats, Ints };
  Kind kind = Absent;
  /// The content of the BytesList, FloatList or Int64List message.
  std::string_view list;
};

/// "bytes list", "float list" or "int64 list"; "nothing" for Absent.
std::string_view kindName(ExampleFeature::Kind kind);

/// The names of the features that are asked for.
class ExampleNames {
public:
  /// The number of `name` (from 0 in the order of first adds).
  int add(const std::string &name);
  int size() const { return static_cast<int>(names_.size()); }
  /// The number of `name`, or -1.
  int find(std::string_view name) const {
    if (slots_.empty())
      return -1;
    for (size_t slot = hash(name) & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
      const int index = slots_[slot];
      if (index < 0 || names_[static_cast<size_t>(index)] == name)
        return index;
    }
  }

private:
  static size_t hash(std::string_view name);

  std::vector<std::string> names_;
  std::vector<int> slots_; // open addressing, at most half full
};

/// Finds the features of `names` in `record`, a serialized Example: found[i] is that of name i. False if the record is
/// no such message; `position` is then the byte at fault.
bool splitExample(std::string_view record, const ExampleNames &names, ExampleFeature *found, int64_t &position);

/// Goes over the values of a list; a value per call.
class ExampleCursor {
public:
  explicit ExampleCursor(std::string_view list) : at_(list.data()), end_(list.data() + list.size()) {}

  enum class Step { Value, End, Damaged };
  Step next(std::string_view &value);
  Step next(float &value);
  Step next(int64_t &value);

private:
  /// Steps into the next field: a packed run, or a single value of wire type `single`. False: at the end, or damaged.
  bool enter(uint64_t packedTag, uint64_t singleTag, Step &step);

  const char *at_, *end_;
  const char *run_ = nullptr; // end of the packed run that at_ is in
  bool single_ = false;
};

} // namespace mlcrt

#endif // MLCRT_INPUT_TFEXAMPLE_H
