// The values of a multi-valued column, row after row. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_VALUELIST_H
#define MLCRT_INPUT_VALUELIST_H

#include <cstdint>
#include <memory>

namespace mlcrt {

/// Values of a fixed size, one after the other, each with a weight if the column has weights. Grows as needed and
/// keeps its memory, which is aligned as buffers of compiled code are; growing moves the values.
class ValueList {
public:
  ValueList() = default;
  ValueList(int64_t valueBytes, bool weighted) : valueBytes_(valueBytes), weighted_(weighted) {}

  int64_t size() const { return size_; }
  /// Never null once reserve() was called.
  char *data() const { return values_.get(); }
  /// Null without weights.
  float *weights() const { return reinterpret_cast<float *>(weights_.get()); }

  /// Drops the values from `size` on; at most size().
  void shrink(int64_t size) { size_ = size; }
  /// Makes room for `count` values in all.
  void reserve(int64_t count);
  /// Appends a value, which the caller writes to the result.
  char *push(float weight = 1) {
    if (size_ == capacity_)
      grow(size_ + 1);
    if (weighted_)
      weights()[size_] = weight;
    return values_.get() + size_++ * valueBytes_;
  }
  /// Appends the values [begin, end) of a list of the same kind.
  void append(const ValueList &from, int64_t begin, int64_t end);

private:
  struct Free {
    void operator()(char *data) const;
  };
  using Memory = std::unique_ptr<char, Free>;
  static void regrow(Memory &memory, int64_t used, int64_t bytes);
  void grow(int64_t least);

  int64_t valueBytes_ = 1, size_ = 0, capacity_ = 0;
  bool weighted_ = false;
  Memory values_, weights_;
};

} // namespace mlcrt

#endif // MLCRT_INPUT_VALUELIST_H
