//===- CudaKernels.h - The kernels of an artifact's image ---------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_DEVICE_CUDA_CUDAKERNELS_H
#define MLCRT_DEVICE_CUDA_CUDAKERNELS_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mlcrt/abi.h"
#include "runtime/src/device/cuda/CudaContext.h"
#include "runtime/src/device/cuda/CudaNeeds.h"
#include "runtime/src/device/cuda/CudaRecording.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mlcrt {

/// Images that were loaded, and their kernels, each looked up when it is first launched.
class CudaKernels {
public:
  /// Loads the first of the images, which imagesFor() ranked, that the driver takes: after a cubin that is not for the
  /// GPU the next one is tried. Those after it are there for kernels that it does not have, each loaded when such a
  /// kernel is first launched; what they point to has to last. kFailedPrecondition: it does not load; the message has
  /// the first lines of the driver's log.
  static absl::StatusOr<std::unique_ptr<CudaKernels>> load(CudaContext &context,
                                                           const std::vector<const mlcrt_image *> &images);
  ~CudaKernels();
  CudaKernels(const CudaKernels &) = delete;

  /// Asks the context's stream for a kernel, or, where that is not null, the recording; `shape` and `arguments` as of
  /// the service device_launch. Nothing to do where a number of blocks is 0. kInternal: there is no such kernel, the
  /// shape is beyond a limit of the GPU or of the kernel, it has other parameters, or an error of the driver;
  /// kFailedPrecondition: the image that may have it does not load.
  absl::Status launch(const char *name, const int64_t *shape, const int64_t *arguments, int64_t count,
                      CudaRecording *recording = nullptr);

  /// What was loaded first: "PTX for sm_80".
  const std::string &image() const { return image_; }
  /// In what order kernels add where that is not the program's: that of the chip, "sm_90", or, in code for its own
  /// instructions, of these, "sm_90a". Empty: they add as the program says.
  const std::string &sums() const { return sums_; }

private:
  struct Kernel {
    CudaFunction function = nullptr;
    int64_t maxThreads = 0;     ///< of a block; 0: not told
    int64_t ownShared = 0;      ///< bytes of shared memory that the code has
    int64_t numParameters = -1; ///< but for maps; -1: the driver does not tell
    bool mayHaveMore = false;   ///< all shared memory of a block, not just the common limit
    CudaNeeds needs;            ///< of its image
  };

  using Kernels = std::map<std::string, Kernel, std::less<>>;

  explicit CudaKernels(CudaContext &context) : context_(context) {}
  absl::Status loadNext();
  absl::StatusOr<std::pair<CudaFunction, CudaModule>> lookUp(const char *name);
  absl::StatusOr<Kernels::value_type *> find(const char *name);
  absl::Status countParameters(const char *name, Kernel &kernel) const;
  absl::Status checkShape(const char *name, const Kernel &kernel, const int64_t *shape) const;

  CudaContext &context_;
  std::vector<CudaModule> modules_; ///< of the images that were loaded, the first one first
  std::vector<mlcrt_image> others_; ///< those that may be loaded next
  std::string image_, sums_;
  std::string loaded_; ///< all that were: "PTX for sm_90a, PTX for sm_80"
  Kernels kernels_;
  std::vector<void *> parameters_; ///< of the launch that is being asked for
};

} // namespace mlcrt

#endif // MLCRT_DEVICE_CUDA_CUDAKERNELS_H
