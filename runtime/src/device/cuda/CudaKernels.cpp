//===- CudaKernels.cpp - The kernels of an artifact's image -------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/CudaKernels.h"

#include "runtime/src/device/cuda/CudaImage.h"
#include "runtime/src/device/cuda/CudaKind.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <tuple>

namespace mlcrt {

/// Shared memory that each kernel may have; more has to be asked for.
static constexpr int64_t kCommonShared = 48 << 10;
/// Bytes of parameters that a kernel has at most.
static constexpr int64_t kParameterBytes = 32764;
/// Lines of the driver's log that a message has at most.
static constexpr int kLogLines = 4;

static std::string quoted(const char *name) { return absl::StrCat("kernel '", name, "'"); }

/// The first lines of a log that say anything, in one.
static std::string firstLines(std::string_view log) {
  std::string text;
  for (int lines = 0; lines < kLogLines && !log.empty();) {
    const size_t end = log.find('\n');
    std::string_view line = log.substr(0, end);
    log.remove_prefix(end == log.npos ? log.size() : end + 1);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' '))
      line.remove_suffix(1);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t'))
      line.remove_prefix(1);
    if (line.empty())
      continue;
    absl::StrAppend(&text, lines++ == 0 ? "" : " | ", absl::string_view(line.data(), line.size()));
  }
  return text;
}

/// Whether PTX says which lines of a model it is from (mlc compile --line_info).
static bool hasLines(const mlcrt_image &image) {
  const std::string_view text(static_cast<const char *>(image.data), static_cast<size_t>(image.bytes));
  return image.kind == MLCRT_IMAGE_PTX && text.find("\n\t.loc\t") != text.npos;
}

static std::string sumsOf(const mlcrt_image &image, int chip) {
  if (!(image.flags & MLCRT_IMAGE_CHIP_SUMS))
    return {};
  const std::optional<CudaChip> made = CudaChip::parse(image.chip);
  return made && made->feature ? image.chip : cudaChipText(chip);
}

absl::StatusOr<std::unique_ptr<CudaKernels>> CudaKernels::load(CudaContext &context,
                                                               const std::vector<const mlcrt_image *> &images) {
  std::unique_ptr<CudaKernels> kernels(new CudaKernels(context));
  for (const mlcrt_image *image : images)
    kernels->others_.push_back(*image);
  if (absl::Status status = kernels->loadNext(); !status.ok())
    return status;
  return kernels;
}

/// Loads the next image that the driver takes.
absl::Status CudaKernels::loadNext() {
  const CudaDriver &driver = context_.driver();
  std::vector<char> info(4096), error(8192);
  absl::Status status = absl::FailedPreconditionError("there is no image");
  while (!others_.empty()) {
    const mlcrt_image image = others_.front();
    others_.erase(others_.begin());
    std::fill(info.begin(), info.end(), '\0');
    std::fill(error.begin(), error.end(), '\0');
    int options[] = {kCudaJitErrorLog, kCudaJitErrorLogBytes, kCudaJitInfoLog, kCudaJitInfoLogBytes, kCudaJitLineInfo};
    void *values[] = {error.data(), reinterpret_cast<void *>(error.size() - 1), info.data(),
                      reinterpret_cast<void *>(info.size() - 1), reinterpret_cast<void *>(1)};
    // The last one is for PTX that has lines.
    const size_t count = std::size(options) - (hasLines(image) ? 0 : 1);
    CudaModule loaded = nullptr;
    const CudaResult result =
        driver.cuModuleLoadDataEx(&loaded, image.data, static_cast<unsigned>(count), options, values);
    if (result == 0) {
      if (modules_.empty()) {
        image_ = describeImage(image);
        sums_ = sumsOf(image, context_.info().chip);
      }
      absl::StrAppend(&loaded_, modules_.empty() ? "" : ", ", describeImage(image));
      modules_.push_back(loaded);
      return absl::OkStatus();
    }
    std::string log = firstLines(error.data());
    if (log.empty())
      log = firstLines(info.data());
    status = absl::FailedPreconditionError(absl::StrCat("the ", describeImage(image), " does not load on '",
                                                        context_.info().name, "' (", cudaChipText(context_.info().chip),
                                                        "): ", driver.describe(result),
                                                        log.empty() ? "" : "; the driver says: ", log));
    if (result != kCudaNoBinaryForGpu && result != kCudaInvalidImage)
      return others_.empty() ? status
                             : withText(status, absl::StrCat(status.message(), "; with ", kGpuChipVariable, "=",
                                                             others_.front().chip, " it is not taken"));
  }
  return status;
}

CudaKernels::~CudaKernels() {
  for (CudaModule module : modules_)
    context_.driver().cuModuleUnload(module);
}

absl::Status CudaKernels::countParameters(const char *name, Kernel &kernel) const {
  const auto tell = context_.driver().cuFuncGetParamInfo;
  if (!tell)
    return absl::OkStatus();
  std::vector<size_t> sizes;
  for (size_t offset = 0, bytes = 0; tell(kernel.function, sizes.size(), &offset, &bytes) == 0;)
    sizes.push_back(bytes);
  // Descriptors come last.
  const size_t numMaps = kernel.needs.numMaps(), count = std::max(sizes.size(), numMaps) - numMaps;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i < count && sizes[i] > sizeof(int64_t))
      return absl::InternalError(absl::StrCat(quoted(name), ": parameter ", i, " has ", sizes[i],
                                              " bytes; expected: at most ", sizeof(int64_t)));
    if (i >= count && sizes[i] != sizeof(CudaTensorMap))
      return absl::InternalError(absl::StrCat(quoted(name), ": parameter ", i, " has ", sizes[i],
                                              " bytes; expected: ", sizeof(CudaTensorMap), ", of a tensor map"));
  }
  kernel.numParameters = static_cast<int64_t>(count);
  return absl::OkStatus();
}

/// The kernel of the first image that has it, and the image.
absl::StatusOr<std::pair<CudaFunction, CudaModule>> CudaKernels::lookUp(const char *name) {
  for (size_t i = 0; i < modules_.size() || !others_.empty(); ++i) {
    if (i == modules_.size())
      if (absl::Status status = loadNext(); !status.ok())
        return status;
    CudaFunction function = nullptr;
    const CudaResult result = context_.driver().cuModuleGetFunction(&function, modules_[i], name);
    if (result == kCudaNotFound)
      continue;
    if (absl::Status status = context_.check(result, "cuModuleGetFunction", quoted(name)); !status.ok())
      return status;
    return std::make_pair(function, modules_[i]);
  }
  return absl::InternalError(absl::StrCat("there is no kernel '", name, "' in the ", loaded_));
}

absl::StatusOr<CudaKernels::Kernels::value_type *> CudaKernels::find(const char *name) {
  if (auto it = kernels_.find(std::string_view(name)); it != kernels_.end())
    return &*it;
  const CudaDriver &driver = context_.driver();
  Kernel kernel;
  auto found = lookUp(name);
  if (!found.ok())
    return found.status();
  CudaModule module = nullptr;
  std::tie(kernel.function, module) = *found;
  int threads = 0, shared = 0;
  if (absl::Status status =
          context_.check(driver.cuFuncGetAttribute(&threads, kCudaFunctionMaxThreads, kernel.function),
                         "cuFuncGetAttribute", quoted(name));
      !status.ok())
    return status;
  if (absl::Status status =
          context_.check(driver.cuFuncGetAttribute(&shared, kCudaFunctionSharedBytes, kernel.function),
                         "cuFuncGetAttribute", quoted(name));
      !status.ok())
    return status;
  kernel.maxThreads = threads;
  kernel.ownShared = shared;
  absl::StatusOr<CudaNeeds> needs = CudaNeeds::read(context_, module, name);
  if (!needs.ok())
    return needs.status();
  kernel.needs = std::move(*needs);
  if (absl::Status status = countParameters(name, kernel); !status.ok())
    return status;
  return &*kernels_.emplace(name, std::move(kernel)).first;
}

absl::Status CudaKernels::checkShape(const char *name, const Kernel &kernel, const int64_t *shape) const {
  const CudaDeviceInfo &info = context_.info();
  static constexpr const char *axes[] = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i) {
    if (shape[i] < 0 || shape[i] > info.maxGrid[i])
      return absl::InternalError(absl::StrCat(quoted(name), " with ", shape[i], " blocks in ", axes[i],
                                              "; expected: at most ", info.maxGrid[i]));
    if (shape[3 + i] < 1 || shape[3 + i] > info.maxBlock[i])
      return absl::InternalError(absl::StrCat(quoted(name), " with blocks of ", shape[3 + i], " threads in ", axes[i],
                                              "; expected: 1 to ", info.maxBlock[i]));
  }
  if (const int64_t threads = shape[3] * shape[4] * shape[5]; threads > info.maxThreads)
    return absl::InternalError(
        absl::StrCat(quoted(name), " with blocks of ", threads, " threads; expected: at most ", info.maxThreads));
  else if (kernel.maxThreads > 0 && threads > kernel.maxThreads)
    return absl::InternalError(absl::StrCat(quoted(name), " with blocks of ", threads, " threads; expected: at most ",
                                            kernel.maxThreads, ", for which the registers suffice"));
  if (shape[6] < 0 || shape[6] > info.maxSharedBytes - kernel.ownShared)
    return absl::InternalError(absl::StrCat(quoted(name), " with ", shape[6], " bytes of shared memory beside ",
                                            kernel.ownShared, " of its own; expected: at most ", info.maxSharedBytes,
                                            " together"));
  return absl::OkStatus();
}

absl::Status CudaKernels::launch(const char *name, const int64_t *shape, const int64_t *arguments, int64_t count,
                                 CudaRecording *recording) {
  const CudaDriver &driver = context_.driver();
  absl::StatusOr<Kernels::value_type *> found = find(name);
  if (!found.ok())
    return found.status();
  Kernel &kernel = (*found)->second;
  std::array<int64_t, 7> own;
  std::copy_n(shape, own.size(), own.begin());
  own[6] += kernel.needs.sharedBytes();
  shape = own.data();
  if (absl::Status status = checkShape(name, kernel, shape); !status.ok())
    return status;
  if (count < 0 || (kernel.numParameters >= 0 && count != kernel.numParameters))
    return absl::InternalError(absl::StrCat(quoted(name), " with ", count,
                                            " arguments; expected: ", std::max<int64_t>(kernel.numParameters, 0)));
  const int64_t most = (kParameterBytes - static_cast<int64_t>(kernel.needs.numMaps() * sizeof(CudaTensorMap))) /
                       static_cast<int64_t>(sizeof(int64_t));
  if (count > most)
    return absl::InternalError(absl::StrCat(quoted(name), " with ", count, " arguments; expected: at most ", most));
  if (shape[0] == 0 || shape[1] == 0 || shape[2] == 0)
    return absl::OkStatus();
  if (!kernel.mayHaveMore && shape[6] + kernel.ownShared > kCommonShared) {
    const auto most = static_cast<int>(context_.info().maxSharedBytes - kernel.ownShared);
    if (absl::Status status =
            context_.check(driver.cuFuncSetAttribute(kernel.function, kCudaFunctionMaxDynamicSharedBytes, most),
                           "cuFuncSetAttribute", quoted(name));
        !status.ok())
      return status;
    kernel.mayHaveMore = true;
  }
  const absl::StatusOr<const std::vector<CudaTensorMap> *> maps =
      kernel.needs.encode(context_, (*found)->first, arguments, count);
  if (!maps.ok())
    return maps.status();
  if (recording) {
    recording->addLaunch((*found)->first, kernel.function, shape, arguments, count, **maps);
    return absl::OkStatus();
  }
  // The driver reads as many bytes of each as the parameter has: of numbers of fewer the low ones.
  parameters_.resize(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    parameters_[static_cast<size_t>(i)] = const_cast<int64_t *>(arguments + i);
  for (const CudaTensorMap &map : **maps)
    parameters_.push_back(const_cast<CudaTensorMap *>(&map));
  auto size = [&](int i) { return static_cast<unsigned>(shape[i]); };
  if (absl::Status status =
          context_.check(driver.cuLaunchKernel(kernel.function, size(0), size(1), size(2), size(3), size(4), size(5),
                                               size(6), context_.stream(), parameters_.data(), nullptr),
                         "cuLaunchKernel", quoted(name));
      !status.ok())
    return status;
  context_.launched(name);
  return absl::OkStatus();
}

} // namespace mlcrt
