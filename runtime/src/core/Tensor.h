//===- Tensor.h - Aligned, zeroed owner of a buffer, and the names and sizes of dtypes ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_TENSOR_H
#define MLCRT_CORE_TENSOR_H

#include "mlcrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// Bytes of one element of `dtype` (a mlcrt_dtype; MLCRT_STRING: of one mlcrt_string); 0 if it is no dtype.
int64_t dtypeSize(int32_t dtype);
/// Lower-case name of `dtype`: "f32", "i64", "bool", "string", ...; "dtype(N)" if it is none.
std::string dtypeName(int32_t dtype);
/// The dtype of that name, or none.
std::optional<mlcrt_dtype> dtypeOf(std::string_view name);

/// Product of `rank` dims (1 for a scalar), or -1 if a dim is negative or the product overflows.
int64_t elementCount(const int64_t *dims, int32_t rank);
/// Number of elements of `buffer`, as elementCount.
int64_t elementCount(const mlcrt_buffer &buffer);
/// Bytes of `buffer`'s elements, or -1 as elementCount.
int64_t byteCount(const mlcrt_buffer &buffer);
/// Bytes of one row, an element of the first dimension; of a scalar all.
int64_t bytesOfRow(const mlcrt_buffer &buffer);
/// "f32[128x10]", for messages.
std::string describe(const mlcrt_buffer &buffer);

/// "f32[?, 3]", for messages: a symbolic dimension is '?'.
std::string typeText(const mlcrt_value &value);

/// A buffer over memory that someone else owns.
mlcrt_buffer makeBuffer(void *data, mlcrt_dtype dtype, std::initializer_list<int64_t> dims);

/// Bytes at an address that is a multiple of MLCRT_ALIGNMENT; zeros when allocated. Movable, not copyable. Large ones
/// are zero pages of the system, which take memory once they are written.
class AlignedBytes {
public:
  AlignedBytes() = default;
  /// `bytes` >= 0; 0 still gives a valid, aligned address.
  explicit AlignedBytes(int64_t bytes);
  ~AlignedBytes();
  AlignedBytes(AlignedBytes &&other) noexcept;
  AlignedBytes &operator=(AlignedBytes &&other) noexcept;

  /// Makes room for `bytes`. Growing drops the contents and zeroes; otherwise nothing happens.
  void reserve(int64_t bytes);
  /// Makes all bytes zeros again. Large ones give their memory back, and take small pages from then on: who releases
  /// writes little of them.
  void release();
  /// Large ones take large pages from now on, where the system has them: for who reads and writes all over.
  void useLargePages();
  void *data() const { return data_; }
  int64_t size() const { return size_; }

private:
  void *data_ = nullptr;
  int64_t size_ = 0;
};

/// A dense row-major tensor that owns its elements. Its capacity may exceed what its dims need, so that it can be
/// resized for batches of different lengths without allocating.
class Tensor {
public:
  Tensor() = default;
  /// Zeroed, of static shape. Up to MLCRT_MAX_RANK dims, each >= 0.
  Tensor(mlcrt_dtype dtype, const std::vector<int64_t> &dims);
  /// Zeroed, with room for at least `bytes` whatever the dims say (padding of a storage layout).
  Tensor(mlcrt_dtype dtype, const std::vector<int64_t> &dims, int64_t bytes);

  /// Sets dtype and shape; grows the memory if needed (the contents are then zeros), else keeps the bytes as they are.
  void resize(int32_t dtype, const int64_t *dims, int32_t rank);

  mlcrt_dtype dtype() const { return static_cast<mlcrt_dtype>(buffer_.dtype); }
  std::vector<int64_t> dims() const { return {buffer_.dims, buffer_.dims + buffer_.rank}; }
  int32_t rank() const { return buffer_.rank; }
  int64_t dim(int32_t i) const { return buffer_.dims[i]; }
  int64_t elements() const { return elementCount(buffer_); }
  int64_t bytes() const { return byteCount(buffer_); }
  int64_t capacityBytes() const { return memory_.size(); }

  void useLargePages() { memory_.useLargePages(); }
  /// Makes all elements zeros, as AlignedBytes::release.
  void release() { memory_.release(); }

  /// The view that compiled code gets; valid until the tensor is resized beyond its capacity, moved or destroyed.
  const mlcrt_buffer &buffer() const { return buffer_; }
  void *data() const { return buffer_.data; }
  /// Elements as T; the caller knows the dtype.
  template <typename T> T *as() const { return static_cast<T *>(buffer_.data); }
  /// Takes over the dims that compiled code left in a copy of buffer(). False if they do not fit the capacity.
  bool adoptDims(const mlcrt_buffer &changed);

private:
  AlignedBytes memory_;
  mlcrt_buffer buffer_ = {nullptr, MLCRT_F32, 0, {0, 0, 0, 0, 0, 0}};
};

} // namespace mlcrt

#endif // MLCRT_CORE_TENSOR_H
