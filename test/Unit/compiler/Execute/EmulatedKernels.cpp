// Kernels of an artifact's PTX, run by the emulator of tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EmulatedKernels.h"
#include "test/lib/ptxemu/DeviceMemory.h"
#include "test/lib/ptxemu/Launch.h"

#include <algorithm>
#include <cstring>

using namespace mlc::execute;

struct EmulatedKernels::Loaded {
  ptxemu::DeviceMemory memory; ///< of the module's variables
  std::unique_ptr<ptxemu::Module> module;
  std::string error;
};

EmulatedKernels::EmulatedKernels(const mlcrt_artifact &artifact) : loaded(std::make_unique<Loaded>()) {
  const mlcrt_image *end = artifact.images + artifact.num_images;
  const mlcrt_image *image =
      std::find_if(artifact.images, end, [](const mlcrt_image &each) { return each.kind == MLCRT_IMAGE_PTX; });
  if (image == end) {
    loaded->error = "the artifact has no PTX";
    return;
  }
  loaded->module =
      ptxemu::loadModule({static_cast<const char *>(image->data), size_t(image->bytes) - 1}, loaded->memory);
  loaded->error = loaded->module->error;
}

EmulatedKernels::~EmulatedKernels() = default;

std::string EmulatedKernels::launch(const std::string &name, const int64_t *shape, const int64_t *arguments,
                                    int64_t count, const std::vector<std::pair<void *, size_t>> &memory) {
  if (!loaded->error.empty())
    return loaded->error;
  const ptxemu::Kernel *kernel = loaded->module->find(name);
  if (!kernel)
    return "no kernel '" + name + "'";
  if (kernel->parameters.size() != size_t(count))
    return "kernel '" + name + "' gets " + std::to_string(count) + " arguments; expected " +
           std::to_string(kernel->parameters.size());
  ptxemu::LaunchShape grid;
  for (int d = 0; d < 3; ++d) {
    grid.grid[d] = static_cast<unsigned>(shape[d]);
    grid.block[d] = static_cast<unsigned>(shape[3 + d]);
  }
  grid.dynamicShared = shape[6];
  std::vector<uint8_t> parameters(kernel->parameterBytes);
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(parameters.data() + kernel->parameters[i].offset, &arguments[i], kernel->parameters[i].size);
  std::string why;
  if (ptxemu::checkLaunch(*kernel, grid, ptxemu::limitsOf(80), /*maxDynamicShared=*/48 << 10, why) != ptxemu::kSuccess)
    return why;
  ptxemu::DeviceMemory device;
  for (auto [data, size] : memory)
    device.addHost(data, size);
  ptxemu::RunOptions options;
  options.countAccesses = false;
  options.findUninitialized = false; // the memory of tests is filled
  const ptxemu::LaunchResult result = ptxemu::launch(*kernel, grid, parameters, device, options);
  return result.findings.empty() ? std::string() : result.findings.front().text();
}
