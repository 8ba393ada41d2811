// Functions of the driver about functions of modules, launches and tensor maps.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/FakeDriver.h"
#include "test/lib/ptxemu/TensorMap.h"

#include <cstring>

using namespace ptxemu;

PTXEMU_EXPORT int cuFuncSetAttribute(void *handle, int attribute, int value) {
  PTXEMU_ENTER()
  auto &function = *static_cast<DriverFunction *>(handle);
  if (attribute == 8) { // dynamic shared memory
    const ProcessorLimits limits = limitsOf(driver.chip);
    if (value < 0 || function.kernel->dynamicOffset + static_cast<uint64_t>(value) > limits.sharedPerBlock)
      return kInvalidValue;
    function.maxDynamicShared = static_cast<uint64_t>(value);
    return kSuccess;
  }
  return attribute == 9 || (attribute >= 10 && attribute <= 15) ? kSuccess : kInvalidValue;
}
PTXEMU_EXPORT int cuFuncGetAttribute(int *value, int attribute, void *handle) {
  PTXEMU_ENTER()
  const auto &function = *static_cast<DriverFunction *>(handle);
  const Kernel &kernel = *function.kernel;
  switch (attribute) {
  case 0: // threads of a block
    *value = static_cast<int>(kernel.entry->maxThreads        ? kernel.entry->maxThreads
                              : kernel.entry->requiredThreads ? kernel.entry->requiredThreads
                                                              : 1024);
    return kSuccess;
  case 1:
    *value = static_cast<int>(kernel.staticShared);
    return kSuccess;
  case 2: // constant memory
    *value = 0;
    return kSuccess;
  case 3:
    *value = static_cast<int>(kernel.localBytes);
    return kSuccess;
  case 4:
    *value = static_cast<int>(kernel.registersEstimate);
    return kSuccess;
  case 5:
  case 6: // versions of PTX and binary
    *value = static_cast<int>(driver.chip);
    return kSuccess;
  case 8:
    *value = static_cast<int>(function.maxDynamicShared);
    return kSuccess;
  default:
    *value = 0;
    return attribute >= 0 && attribute <= 15 ? kSuccess : kInvalidValue;
  }
}
PTXEMU_EXPORT int cuFuncGetParamInfo(void *handle, size_t index, size_t *offset, size_t *bytes) {
  PTXEMU_ENTER()
  const auto &parameters = static_cast<const DriverFunction *>(handle)->kernel->parameters;
  if (index >= parameters.size())
    return kInvalidValue;
  *offset = parameters[index].offset;
  if (bytes)
    *bytes = parameters[index].size;
  return kSuccess;
}
PTXEMU_EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *handle, int threads,
                                                              size_t dynamicShared) {
  PTXEMU_ENTER()
  if (threads <= 0)
    return kInvalidValue;
  const auto &function = *static_cast<DriverFunction *>(handle);
  *blocks = static_cast<int>(
      blocksPerProcessor(*function.kernel, static_cast<unsigned>(threads), dynamicShared, limitsOf(driver.chip)));
  return kSuccess;
}

int ptxemu::workOfLaunch(Driver &driver, DriverDevice *device, const DriverFunction &function, const LaunchShape &shape,
                         void **parameters, void **extra, std::function<int()> &work) {
  const Kernel &kernel = *function.kernel;
  std::string why;
  if (const Result wrong = checkLaunch(kernel, shape, limitsOf(driver.chip), function.maxDynamicShared, why)) {
    driver.report("kernel '" + kernel.name + "': launch: " + why);
    return wrong;
  }
  // Parameters are read now: by pointers, or from one buffer.
  std::vector<uint8_t> bytes(kernel.parameterBytes, 0);
  if (extra) {
    const void *buffer = nullptr;
    size_t size = 0;
    for (void **at = extra; reinterpret_cast<uintptr_t>(*at) != 0; at += 2) {
      if (reinterpret_cast<uintptr_t>(*at) == 1)
        buffer = at[1];
      else if (reinterpret_cast<uintptr_t>(*at) == 2)
        size = *static_cast<size_t *>(at[1]);
      else
        return kInvalidValue;
    }
    if (!buffer || size < bytes.size())
      return kInvalidValue;
    memcpy(bytes.data(), buffer, bytes.size());
  } else {
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      if (!parameters || !parameters[i])
        return kInvalidValue;
      memcpy(bytes.data() + kernel.parameters[i].offset, parameters[i], kernel.parameters[i].size);
    }
  }
  work = [&driver, &kernel, shape, bytes = std::move(bytes), device] {
    if (const int lost = driver.noteLaunch())
      return lost;
    const LaunchResult result = launch(kernel, shape, bytes, device->memory, driver.options);
    driver.addCounters(result.counters);
    for (const Finding &finding : result.findings)
      driver.report(finding.text());
    return static_cast<int>(result.result());
  };
  return kSuccess;
}

static int launchKernel(Driver &driver, const DriverFunction &function, const LaunchShape &shape, void *streamHandle,
                        void **parameters, void **extra) {
  Stream &stream = driver.streamOf(streamHandle);
  if (function.module->device != stream.device) {
    driver.report("kernel '" + function.kernel->name + "' of device " + std::to_string(function.module->device) +
                  ": launch in a stream of device " + std::to_string(stream.device));
    return kInvalidHandle;
  }
  std::function<int()> work;
  if (const int wrong =
          workOfLaunch(driver, driver.devices[stream.device].get(), function, shape, parameters, extra, work))
    return wrong;
  return driver.submit(stream, "kernel " + function.kernel->name, std::move(work));
}

PTXEMU_EXPORT int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                                 unsigned blockY, unsigned blockZ, unsigned dynamicShared, void *stream,
                                 void **parameters, void **extra) {
  PTXEMU_ENTER()
  if (!function)
    return kInvalidHandle;
  const LaunchShape shape{{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, dynamicShared, {1, 1, 1}};
  return launchKernel(driver, *static_cast<DriverFunction *>(function), shape, stream, parameters, extra);
}

namespace {
/// CUlaunchConfig and CUlaunchAttribute, as the driver's ABI has them.
struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    unsigned cluster[3];
  } value;
};
struct LaunchConfig {
  unsigned grid[3], block[3], dynamicShared;
  void *stream;
  LaunchAttribute *attributes;
  unsigned count;
};
} // namespace

PTXEMU_EXPORT int cuLaunchKernelEx(const void *configuration, void *function, void **parameters, void **extra) {
  PTXEMU_ENTER()
  const LaunchConfig &config = *static_cast<const LaunchConfig *>(configuration);
  LaunchShape shape;
  for (unsigned i = 0; i < 3; ++i) {
    shape.grid[i] = config.grid[i];
    shape.block[i] = config.block[i];
  }
  shape.dynamicShared = config.dynamicShared;
  for (unsigned i = 0; i < config.count; ++i)
    if (config.attributes[i].id == 4) // cluster
      for (unsigned k = 0; k < 3; ++k)
        shape.cluster[k] = config.attributes[i].value.cluster[k];
  if (shape.cluster[0] * shape.cluster[1] * shape.cluster[2] != 1) {
    driver.report("clusters of several blocks are not supported by the interpreter");
    return kNotSupported;
  }
  return launchKernel(driver, *static_cast<DriverFunction *>(function), shape, config.stream, parameters, extra);
}

PTXEMU_EXPORT int cuTensorMapEncodeTiled(void *target, int type, unsigned rank, void *address, const uint64_t *sizes,
                                         const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                                         int interleave, int swizzle, int, int fill) {
  PTXEMU_ENTER()
  static constexpr uint8_t elementSizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  auto refuse = [&](const std::string &why) {
    driver.report("cuTensorMapEncodeTiled: " + why);
    return kInvalidValue;
  };
  if (reinterpret_cast<uintptr_t>(target) % 64)
    return refuse("a tensor map at no multiple of 64");
  if (type < 0 || type > 12 || rank < 1 || rank > 5)
    return refuse("type " + std::to_string(type) + " of rank " + std::to_string(rank));
  if (interleave != 0)
    return refuse("interleaved layouts are not supported");
  TensorMap map = {};
  map.magic = TensorMap::kMagic;
  map.address = reinterpret_cast<uint64_t>(address);
  map.rank = static_cast<uint8_t>(rank);
  map.elementSize = elementSizes[type];
  if (map.address % 16)
    return refuse("an address that is no multiple of 16");
  for (unsigned i = 0; i < rank; ++i) {
    if (sizes[i] == 0 || sizes[i] > 1ull << 32)
      return refuse("size " + std::to_string(sizes[i]) + " of dimension " + std::to_string(i));
    if (box[i] == 0 || box[i] > 256)
      return refuse("box of " + std::to_string(box[i]) + " in dimension " + std::to_string(i) + ", expected 1 to 256");
    if (steps[i] != 1)
      return refuse("steps other than 1 are not supported");
    map.sizes[i] = sizes[i];
    map.box[i] = static_cast<uint16_t>(box[i]);
    if (i + 1 < rank) {
      if (strides[i] % 16 || strides[i] >= 1ull << 40)
        return refuse("stride " + std::to_string(strides[i]) + ", expected a multiple of 16");
      map.strides[i] = strides[i];
    }
  }
  const unsigned rowBytes = map.box[0] * map.elementSize;
  if (rowBytes % 16)
    return refuse("rows of " + std::to_string(rowBytes) + " bytes in the box, expected a multiple of 16");
  if (swizzle < 0 || swizzle > 3)
    return refuse("swizzle " + std::to_string(swizzle));
  if (swizzle && rowBytes > 16u << swizzle)
    return refuse("rows of " + std::to_string(rowBytes) + " bytes in the box, the swizzle has " +
                  std::to_string(16u << swizzle));
  map.swizzle = static_cast<uint8_t>(swizzle);
  map.fillNaN = fill != 0;
  memset(target, 0, 128);
  memcpy(target, &map, sizeof map);
  return kSuccess;
}
