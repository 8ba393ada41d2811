//===- Tensor.h - Aligned, zeroed owner of a buffer, and the names and sizes of dtypes ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_TENSOR_H
#define MLCRT_CORE_TENSOR_H

#include "absl/container/inlined_vector.h"
#include "mlcrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mlcrt {

/// Bytes of one element of `dtype` (a mlcrt_dtype; MLCRT_STRING: of one mlcrt_string); 0 if it is no dtype.
int64_t dtypeSize(int32_t dtype);
/// Lower-case name of `dtype`: "f32", "i64", "bool", "string", ...; "dtype(N)" if it is none.
std::string dtypeName(int32_t dtype);
/// The dtype of that name, or none.
std::optional<mlcrt_dtype> dtypeOf(std::string_view name);

/// Sizes of dimensions; those of common ranks without memory of their own.
using Dims = absl::InlinedVector<int64_t, 6>;

/// A tensor in memory that someone else owns.
struct TensorView {
  void *data = nullptr;
  int32_t dtype = MLCRT_F32;
  Dims dims;
  int64_t rowStride = 0; ///< elements from one row to the next; 0: dense

  int32_t rank() const { return static_cast<int32_t>(dims.size()); }
};

/// A named type of tensors whose dims it owns. Dims of a mlcrt_value are someone else's.
struct TensorSpec {
  const char *name = "";
  int32_t dtype = MLCRT_F32;
  Dims dims;

  TensorSpec() = default;
  TensorSpec(const char *name, int32_t dtype, Dims dims) : name(name), dtype(dtype), dims(std::move(dims)) {}
  /*implicit*/ TensorSpec(const mlcrt_value &value)
      : name(value.name), dtype(value.dtype), dims(value.dims, value.dims + value.rank) {}

  int32_t rank() const { return static_cast<int32_t>(dims.size()); }
  /// As compiled code has it; valid as long as this is.
  mlcrt_value value() const { return {name, dtype, rank(), dims.data()}; }
};

/// Product of `rank` dims (1 for a scalar), or -1 if a dim is negative or the product overflows.
int64_t elementCount(const int64_t *dims, int32_t rank);
inline int64_t elementCount(const Dims &dims) { return elementCount(dims.data(), static_cast<int32_t>(dims.size())); }
/// Number of elements of `view`, as elementCount.
int64_t elementCount(const TensorView &view);
/// Elements of one row, an element of the first dimension; of a scalar all.
int64_t elementsOfRow(const int64_t *dims, int32_t rank);
inline int64_t elementsOfRow(const TensorView &view) { return elementsOfRow(view.dims.data(), view.rank()); }
inline int64_t elementsOfRow(const mlcrt_value &value) { return elementsOfRow(value.dims, value.rank); }
/// Bytes of `view`'s elements, or -1 as elementCount.
int64_t byteCount(const TensorView &view);
/// Bytes of one row, as elementsOfRow.
int64_t bytesOfRow(const TensorView &view);
/// Bytes from one row to the next.
int64_t rowPitch(const TensorView &view);
/// Copies all elements to dense memory.
void copyDense(const TensorView &view, void *to);
/// "f32[128x10]", for messages.
std::string describe(const TensorView &view);

/// "f32[?, 3]", for messages: a symbolic dimension is '?'.
std::string typeText(const TensorSpec &spec);

/// A dense tensor in memory that someone else owns.
TensorView makeBuffer(void *data, mlcrt_dtype dtype, std::initializer_list<int64_t> dims);
/// As compiled code gets it, with `dims` as memory for those of the view.
mlcrt_buffer toBuffer(const TensorView &view, int64_t *dims);

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
  /// Zeroed, of static shape. Dims are >= 0.
  Tensor(mlcrt_dtype dtype, const std::vector<int64_t> &dims);
  /// Zeroed, with room for at least `bytes` whatever the dims say (padding of a storage layout).
  Tensor(mlcrt_dtype dtype, const std::vector<int64_t> &dims, int64_t bytes);

  /// Sets dtype and shape; grows the memory if needed (the contents are then zeros), else keeps the bytes as they are.
  void resize(int32_t dtype, const int64_t *dims, int32_t rank);
  void resize(int32_t dtype, const Dims &dims) { resize(dtype, dims.data(), static_cast<int32_t>(dims.size())); }

  mlcrt_dtype dtype() const { return static_cast<mlcrt_dtype>(buffer_.dtype); }
  std::vector<int64_t> dims() const { return {buffer_.dims.begin(), buffer_.dims.end()}; }
  int32_t rank() const { return buffer_.rank(); }
  int64_t dim(int32_t i) const { return buffer_.dims[i]; }
  int64_t elements() const { return elementCount(buffer_); }
  int64_t bytes() const { return byteCount(buffer_); }
  int64_t capacityBytes() const { return memory_.size(); }

  void useLargePages() { memory_.useLargePages(); }
  /// Makes all elements zeros, as AlignedBytes::release.
  void release() { memory_.release(); }

  /// Valid until the tensor is resized beyond its capacity, moved or destroyed.
  const TensorView &buffer() const { return buffer_; }
  void *data() const { return buffer_.data; }
  /// Elements as T; the caller knows the dtype.
  template <typename T> T *as() const { return static_cast<T *>(buffer_.data); }
  /// Takes over the dims that compiled code left in a copy of buffer(). False if they do not fit the capacity.
  bool adoptDims(const mlcrt_buffer &changed);

private:
  AlignedBytes memory_;
  TensorView buffer_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_TENSOR_H
