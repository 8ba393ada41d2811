// Kernels of an artifact's PTX, run by the emulator of tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_EXECUTE_EMULATEDKERNELS_H
#define MLC_TEST_EXECUTE_EMULATEDKERNELS_H

#include "mlcrt/abi.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mlc::execute {

/// The kernels of the first image of PTX that an artifact has. With MLC_TEST_RECORD_LAUNCHES=DIRECTORY in the
/// environment some launches of each are written there, for a GPU to run again (test/lib/gpurecord).
class EmulatedKernels {
public:
  explicit EmulatedKernels(const mlcrt_artifact &artifact);
  ~EmulatedKernels();

  /// Runs a kernel, to its end, in these pieces of host memory, which are all of the device's: arguments as of the
  /// service device_launch. Returns what the emulator has found, nothing if all is well.
  std::string launch(const std::string &kernel, const int64_t *shape, const int64_t *arguments, int64_t count,
                     const std::vector<std::pair<void *, size_t>> &memory);

  struct Loaded;

private:
  std::shared_ptr<Loaded> loaded;
};

} // namespace mlc::execute

#endif // MLC_TEST_EXECUTE_EMULATEDKERNELS_H
