//===- CudaNeeds.cpp - What kernels get beside what a launch has --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/CudaNeeds.h"

#include "mlcrt/abi.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace mlcrt {

/// The driver's numbers: CU_TENSOR_MAP_DATA_TYPE_*, CU_TENSOR_MAP_SWIZZLE_*, and those of no interleaving, of reads of
/// whole lines of 128 bytes into the second cache, and of zeros for what lies outside of the tensor.
static constexpr int kFloat16 = 6, kFloat32 = 7, kBfloat16 = 9;
static constexpr int kNoInterleaving = 0, kReadLines = 2, kFillZeros = 0;
static constexpr int64_t kMostElements = 256; ///< of a box, in a dimension

static int typeOf(int64_t dtype) {
  switch (dtype) {
  case MLCRT_F16:
    return kFloat16;
  case MLCRT_F32:
    return kFloat32;
  case MLCRT_BF16:
    return kBfloat16;
  default:
    return -1;
  }
}

static int swizzleOf(int64_t bytes) {
  static constexpr int64_t kinds[] = {0, 32, 64, 128};
  const auto *found = std::find(std::begin(kinds), std::end(kinds), bytes);
  return found == std::end(kinds) ? -1 : static_cast<int>(found - std::begin(kinds));
}

/// What is wrong with an entry of a table, or nothing. What the driver refuses it tells itself.
static std::string problemOf(const mlcrt_tensor_map &map) {
  if (map.buffer < 0 || map.offset < 0)
    return absl::StrCat("argument ", map.buffer, " and byte ", map.offset, "; expected: none below 0");
  if (typeOf(map.dtype) < 0)
    return absl::StrCat("dtype ", map.dtype, "; expected: f32, f16 or bf16");
  if (swizzleOf(map.swizzle) < 0)
    return absl::StrCat("a swizzle of ", map.swizzle, " bytes; expected: 0, 32, 64 or 128");
  if (map.rank < 1 || map.rank > MLCRT_TENSOR_MAP_RANK)
    return absl::StrCat("rank ", map.rank, "; expected: 1 to ", MLCRT_TENSOR_MAP_RANK);
  for (int64_t i = 0; i < map.rank; ++i)
    if (map.box[i] < 1 || map.box[i] > kMostElements)
      return absl::StrCat("a box of ", map.box[i], " elements in dimension ", i, "; expected: 1 to ", kMostElements);
  return {};
}

absl::StatusOr<CudaNeeds> CudaNeeds::read(CudaContext &context, CudaModule module, const std::string &kernel) {
  const CudaDriver &driver = context.driver();
  const std::string name = kernel + MLCRT_NEEDS_SUFFIX;
  CudaNeeds needs;
  CudaAddress address = 0;
  size_t bytes = 0;
  const CudaResult result = driver.cuModuleGetGlobal_v2(&address, &bytes, module, name.c_str());
  if (result == kCudaNotFound)
    return needs;
  if (absl::Status status = context.check(result, "cuModuleGetGlobal", name); !status.ok())
    return status;
  constexpr size_t kHead = sizeof(mlcrt_kernel_needs), kMap = sizeof(mlcrt_tensor_map);
  if (bytes < kHead || (bytes - kHead) % kMap)
    return absl::InternalError(
        absl::StrCat("'", name, "' has ", bytes, " bytes; expected: ", kHead, " and a multiple of ", kMap));
  if (bytes > kHead && !driver.cuTensorMapEncodeTiled)
    return absl::FailedPreconditionError(
        absl::StrCat("kernel '", kernel, "' needs tensor maps, for which the CUDA driver '", driver.library,
                     "' for CUDA ", cudaVersionText(driver.version),
                     " lacks the function cuTensorMapEncodeTiled; expected: a driver for CUDA 12.0 or later"));
  std::vector<char> table(bytes);
  if (absl::Status status = context.check(driver.cuMemcpyDtoHAsync_v2(table.data(), address, bytes, context.stream()),
                                          "cuMemcpyDtoHAsync", name);
      !status.ok())
    return status;
  if (absl::Status status = context.synchronize(name); !status.ok())
    return status;
  mlcrt_kernel_needs head;
  std::memcpy(&head, table.data(), kHead);
  if (head.shared_bytes < 0)
    return absl::InternalError(
        absl::StrCat("'", name, "' has ", head.shared_bytes, " bytes of shared memory; expected: none below 0"));
  needs.sharedBytes_ = head.shared_bytes;
  needs.maps_.resize((bytes - kHead) / kMap);
  needs.encoded_.resize(needs.maps_.size());
  for (size_t i = 0; i < needs.maps_.size(); ++i) {
    std::memcpy(&needs.maps_[i], table.data() + kHead + i * kMap, kMap);
    if (std::string problem = problemOf(needs.maps_[i]); !problem.empty())
      return absl::InternalError(absl::StrCat("'", name, "': map ", i, " has ", problem));
  }
  return needs;
}

absl::StatusOr<const std::vector<CudaTensorMap> *> CudaNeeds::encode(CudaContext &context, const std::string &kernel,
                                                                     const int64_t *arguments, int64_t count) {
  auto argument = [&](int64_t number) -> absl::StatusOr<int64_t> {
    if (number < count)
      return arguments[number];
    return absl::InternalError(absl::StrCat("kernel '", kernel, "' with ", count,
                                            " arguments; expected, by a tensor map: one of number ", number));
  };
  for (size_t i = 0; i < maps_.size(); ++i) {
    const mlcrt_tensor_map &map = maps_[i];
    const absl::StatusOr<int64_t> buffer = argument(map.buffer);
    if (!buffer.ok())
      return buffer.status();
    uint64_t sizes[MLCRT_TENSOR_MAP_RANK], strides[MLCRT_TENSOR_MAP_RANK] = {};
    uint32_t box[MLCRT_TENSOR_MAP_RANK], steps[MLCRT_TENSOR_MAP_RANK];
    for (int64_t k = 0; k < map.rank; ++k) {
      const absl::StatusOr<int64_t> size =
          map.sizes[k] >= 0 ? absl::StatusOr<int64_t>(map.sizes[k]) : argument(-1 - map.sizes[k]);
      if (!size.ok())
        return size.status();
      sizes[k] = static_cast<uint64_t>(std::max<int64_t>(*size, 1));
      box[k] = static_cast<uint32_t>(map.box[k]);
      steps[k] = 1;
      if (k > 0)
        strides[k - 1] = static_cast<uint64_t>(map.strides[k]);
    }
    if (absl::Status status =
            context.check(context.driver().cuTensorMapEncodeTiled(
                              &encoded_[i], typeOf(map.dtype), static_cast<unsigned>(map.rank),
                              reinterpret_cast<void *>(*buffer + map.offset), sizes, strides, box, steps,
                              kNoInterleaving, swizzleOf(map.swizzle), kReadLines, kFillZeros),
                          "cuTensorMapEncodeTiled", absl::StrCat("map ", i, " of kernel '", kernel, "'"));
        !status.ok())
      return status;
  }
  return &encoded_;
}

} // namespace mlcrt
