//===- Tensor.cpp - Aligned, zeroed owner of a buffer, and the names and sizes of dtypes ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Tensor.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace mlcrt {

namespace {
struct DtypeInfo {
  mlcrt_dtype dtype;
  const char *name;
  int64_t size;
};
} // namespace

static constexpr DtypeInfo kDtypes[] = {
    {MLCRT_F32, "f32", 4},   {MLCRT_F64, "f64", 8},
    {MLCRT_F16, "f16", 2},   {MLCRT_BF16, "bf16", 2},
    {MLCRT_I8, "i8", 1},     {MLCRT_I16, "i16", 2},
    {MLCRT_I32, "i32", 4},   {MLCRT_I64, "i64", 8},
    {MLCRT_U8, "u8", 1},     {MLCRT_U16, "u16", 2},
    {MLCRT_U32, "u32", 4},   {MLCRT_U64, "u64", 8},
    {MLCRT_BOOL, "bool", 1}, {MLCRT_STRING, "string", sizeof(mlcrt_string)},
};

static const DtypeInfo *findDtype(int32_t dtype) {
  for (const DtypeInfo &info : kDtypes)
    if (info.dtype == dtype)
      return &info;
  return nullptr;
}

int64_t dtypeSize(int32_t dtype) {
  const DtypeInfo *info = findDtype(dtype);
  return info ? info->size : 0;
}

std::string dtypeName(int32_t dtype) {
  const DtypeInfo *info = findDtype(dtype);
  return info ? info->name : "dtype(" + std::to_string(dtype) + ")";
}

std::optional<mlcrt_dtype> dtypeOf(std::string_view name) {
  for (const DtypeInfo &info : kDtypes)
    if (name == info.name)
      return info.dtype;
  return std::nullopt;
}

int64_t elementCount(const int64_t *dims, int32_t rank) {
  int64_t count = 1;
  for (int32_t i = 0; i < rank; ++i)
    if (dims[i] < 0 || __builtin_mul_overflow(count, dims[i], &count))
      return -1;
  return count;
}

int64_t elementCount(const TensorView &view) { return elementCount(view.dims); }

int64_t elementsOfRow(const int64_t *dims, int32_t rank) { return rank ? elementCount(dims + 1, rank - 1) : 1; }

int64_t byteCount(const TensorView &view) {
  int64_t count = elementCount(view);
  if (count < 0 || __builtin_mul_overflow(count, dtypeSize(view.dtype), &count))
    return -1;
  return count;
}

int64_t bytesOfRow(const TensorView &view) { return elementsOfRow(view) * dtypeSize(view.dtype); }

int64_t rowPitch(const TensorView &view) {
  return view.rowStride ? view.rowStride * dtypeSize(view.dtype) : bytesOfRow(view);
}

void copyDense(const TensorView &view, void *to) {
  const int64_t bytes = byteCount(view), row = bytesOfRow(view), pitch = rowPitch(view);
  if (bytes <= 0)
    return;
  if (pitch == row) {
    std::memcpy(to, view.data, static_cast<size_t>(bytes));
    return;
  }
  for (int64_t r = 0; r < view.dims[0]; ++r)
    std::memcpy(static_cast<char *>(to) + r * row, static_cast<const char *>(view.data) + r * pitch,
                static_cast<size_t>(row));
}

std::string describe(const TensorView &view) {
  std::string text = dtypeName(view.dtype) + "[";
  for (size_t i = 0; i < view.dims.size(); ++i)
    text += (i ? "x" : "") + std::to_string(view.dims[i]);
  return text + "]";
}

std::string typeText(const TensorSpec &spec) {
  std::string text = dtypeName(spec.dtype) + "[";
  for (size_t i = 0; i < spec.dims.size(); ++i)
    text += (i ? ", " : "") + (spec.dims[i] < 0 ? std::string("?") : std::to_string(spec.dims[i]));
  return text + "]";
}

TensorView makeBuffer(void *data, mlcrt_dtype dtype, std::initializer_list<int64_t> dims) {
  return {data, dtype, dims, /*rowStride=*/0};
}

mlcrt_buffer toBuffer(const TensorView &view, int64_t *dims) {
  std::copy(view.dims.begin(), view.dims.end(), dims);
  return {view.data, view.dtype, view.rank(), dims, nullptr};
}

//===----------------------------------------------------------------------===//
// AlignedBytes
//===----------------------------------------------------------------------===//

/// From this size on pages come from the system: untouched ones cost nothing. Not below AddressSanitizer, which watches
/// the allocator's memory alone.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MLCRT_WATCHED_ALLOCATIONS
#endif
#endif
#if defined(MLCRT_WATCHED_ALLOCATIONS) || defined(__SANITIZE_ADDRESS__)
static bool isMapped(int64_t) { return false; }
#else
static bool isMapped(int64_t size) { return size >= int64_t{1} << 20; }
#endif

static size_t wholePages(int64_t size) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (static_cast<size_t>(size) + page - 1) / page * page;
}

AlignedBytes::AlignedBytes(int64_t bytes) {
  assert(bytes >= 0);
  // Whole cache lines: vector code may touch the rest of the last one.
  size_t size =
      (static_cast<size_t>(std::max<int64_t>(bytes, 1)) + MLCRT_ALIGNMENT - 1) / MLCRT_ALIGNMENT * MLCRT_ALIGNMENT;
  size_ = static_cast<int64_t>(size);
  if (isMapped(size_)) {
    void *pages = mmap(nullptr, wholePages(size_), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
      throw std::bad_alloc();
    data_ = pages;
    return;
  }
  data_ = std::aligned_alloc(MLCRT_ALIGNMENT, size);
  if (!data_)
    throw std::bad_alloc();
  std::memset(data_, 0, size);
}

AlignedBytes::~AlignedBytes() {
  if (data_ && isMapped(size_))
    munmap(data_, wholePages(size_));
  else
    std::free(data_);
}

void AlignedBytes::release() {
  if (!data_)
    return;
  if (isMapped(size_)) {
    // A large page would take 2 MiB for each row. Kernels without them refuse the advice, which is as good.
    (void)madvise(data_, wholePages(size_), MADV_NOHUGEPAGE);
    if (madvise(data_, wholePages(size_), MADV_DONTNEED) == 0)
      return;
  }
  std::memset(data_, 0, static_cast<size_t>(size_));
}

void AlignedBytes::useLargePages() {
  // Kernels without them refuse the advice, which is as good.
  if (data_ && isMapped(size_))
    (void)madvise(data_, wholePages(size_), MADV_HUGEPAGE);
}

AlignedBytes::AlignedBytes(AlignedBytes &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

AlignedBytes &AlignedBytes::operator=(AlignedBytes &&other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void AlignedBytes::reserve(int64_t bytes) {
  if (!data_ || bytes > size_)
    *this = AlignedBytes(bytes);
}

//===----------------------------------------------------------------------===//
// Tensor
//===----------------------------------------------------------------------===//

Tensor::Tensor(mlcrt_dtype dtype, const std::vector<int64_t> &dims) : Tensor(dtype, dims, 0) {}

Tensor::Tensor(mlcrt_dtype dtype, const std::vector<int64_t> &dims, int64_t bytes) {
  memory_.reserve(bytes);
  resize(dtype, dims.data(), static_cast<int32_t>(dims.size()));
}

void Tensor::resize(int32_t dtype, const int64_t *dims, int32_t rank) {
  assert(dtypeSize(dtype) > 0);
  buffer_.dtype = dtype;
  buffer_.dims.assign(dims, dims + rank);
  int64_t needed = byteCount(buffer_);
  if (needed < 0)
    throw std::bad_alloc();
  memory_.reserve(needed);
  buffer_.data = memory_.data();
}

bool Tensor::adoptDims(const mlcrt_buffer &changed) {
  int64_t needed = elementCount(changed.dims, changed.rank);
  if (changed.rank != buffer_.rank() || changed.dtype != buffer_.dtype || changed.data != buffer_.data || needed < 0 ||
      __builtin_mul_overflow(needed, dtypeSize(changed.dtype), &needed) || needed > memory_.size())
    return false;
  std::copy(changed.dims, changed.dims + changed.rank, buffer_.dims.begin());
  return true;
}

} // namespace mlcrt
