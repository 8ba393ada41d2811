// Functions of the driver about devices, contexts, memory and modules.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/FakeDriver.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace ptxemu;

namespace ptxemu {

void setCurrentDevice(Driver *driver, int device);

struct ResultName {
  int result;
  const char *name, *text;
};
static const ResultName kResults[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain."},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {401, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "operation not supported on global/shared address space"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
    {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not ended in the same stream as it began"},
    {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work"},
    {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "dependency created on uncaptured work in another stream"},
    {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {907, "CUDA_ERROR_CAPTURED_EVENT", "operation not permitted on an event last recorded in a capturing stream"},
    {910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE",
     "the graph update was not performed because it included changes which violated constraints"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static int rangeError(DriverDevice &device, const char *what, uint64_t address, size_t size) {
  Driver::get().report(std::string(what) + " of " + std::to_string(size) +
                       " bytes: " + device.memory.explain(address, size));
  return kIllegalAddress;
}

int copyToDevice(DriverDevice &device, uint64_t to, const void *from, size_t size) {
  Allocation *target = device.memory.holding(to, size);
  if (!target)
    return rangeError(device, "a copy to the device", to, size);
  memcpy(target->data + (to - target->base), from, size);
  target->init.set(to - target->base, size);
  Driver::get().bytesToDevice += size;
  return kSuccess;
}

int copyToHost(DriverDevice &device, void *to, uint64_t from, size_t size) {
  Allocation *source = device.memory.holding(from, size);
  if (!source)
    return rangeError(device, "a copy to the host", from, size);
  memcpy(to, source->data + (from - source->base), size);
  Driver::get().bytesToHost += size;
  return kSuccess;
}

int copyOnDevice(DriverDevice &device, uint64_t to, uint64_t from, size_t size) {
  Allocation *source = device.memory.holding(from, size), *target = device.memory.holding(to, size);
  if (!source || !target)
    return rangeError(device, "a copy on the device", source ? to : from, size);
  memmove(target->data + (to - target->base), source->data + (from - source->base), size);
  if (source == target) {
    InitBits before = source->init;
    target->init.copyFrom(before, from - source->base, to - target->base, size);
  } else {
    target->init.copyFrom(source->init, from - source->base, to - target->base, size);
  }
  Driver::get().bytesOnDevice += size;
  return kSuccess;
}

int copyBetween(DriverDevice &target, uint64_t to, DriverDevice &source, uint64_t from, size_t size) {
  Allocation *there = target.memory.holding(to, size), *here = source.memory.holding(from, size);
  if (!here)
    return rangeError(source, "a copy from the device to another one", from, size);
  if (!there)
    return rangeError(target, "a copy to the device from another one", to, size);
  memcpy(there->data + (to - there->base), here->data + (from - here->base), size);
  there->init.copyFrom(here->init, from - here->base, to - there->base, size);
  Driver::get().bytesBetween += size;
  return kSuccess;
}

int fillDevice(DriverDevice &device, uint64_t to, uint32_t value, unsigned width, size_t count) {
  const size_t size = count * width;
  Allocation *target = device.memory.holding(to, size);
  if (!target)
    return rangeError(device, "a fill", to, size);
  for (size_t i = 0; i < count; ++i)
    memcpy(target->data + (to - target->base) + i * width, &value, width);
  target->init.set(to - target->base, size);
  Driver::get().bytesOnDevice += size;
  return kSuccess;
}

/// The newest ISA that a driver reads, times 10.
static unsigned isaOf(unsigned driver) {
  const unsigned major = driver / 1000, minor = driver % 1000 / 10;
  if (major >= 13)
    return 90 + minor;
  if (major == 12)
    return 80 + (minor <= 5 ? minor : minor == 6 ? 5 : minor - 1);
  return 70 + minor;
}

static void writeLog(unsigned count, const int *names, void **values, int bufferName, const std::string &text) {
  for (unsigned i = 0; i < count; ++i) {
    if (names[i] != bufferName || !values[i])
      continue;
    for (unsigned k = 0; k < count; ++k)
      if (names[k] == bufferName + 1) {
        const size_t room = reinterpret_cast<size_t>(values[k]);
        if (room)
          snprintf(static_cast<char *>(values[i]), room, "%s", text.c_str());
        values[k] = reinterpret_cast<void *>(std::min(room, text.size() + 1));
      }
  }
}

} // namespace ptxemu

PTXEMU_EXPORT int cuInit(unsigned) {
  PTXEMU_ENTER(false)
  if (driver.devices.empty())
    return kNoDevice;
  driver.initialized = true;
  return kSuccess;
}
PTXEMU_EXPORT int cuDriverGetVersion(int *version) {
  PTXEMU_ENTER(false)
  *version = static_cast<int>(driver.version);
  return kSuccess;
}
PTXEMU_EXPORT int cuGetErrorName(int result, const char **text) {
  for (const ResultName &known : kResults)
    if (known.result == result) {
      *text = known.name;
      return kSuccess;
    }
  *text = nullptr;
  return kInvalidValue;
}
PTXEMU_EXPORT int cuGetErrorString(int result, const char **text) {
  for (const ResultName &known : kResults)
    if (known.result == result) {
      *text = known.text;
      return kSuccess;
    }
  *text = nullptr;
  return kInvalidValue;
}
PTXEMU_EXPORT int cuDeviceGetCount(int *count) {
  PTXEMU_ENTER(false)
  *count = static_cast<int>(driver.devices.size());
  return driver.initialized ? kSuccess : kNotInitialized;
}
PTXEMU_EXPORT int cuDeviceGet(int *device, int ordinal) {
  PTXEMU_ENTER(false)
  if (ordinal < 0 || static_cast<size_t>(ordinal) >= driver.devices.size())
    return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}
PTXEMU_EXPORT int cuDeviceGetName(char *name, int size, int device) {
  PTXEMU_ENTER(false)
  if (device < 0 || static_cast<size_t>(device) >= driver.devices.size())
    return kInvalidDevice;
  snprintf(name, static_cast<size_t>(size), "PTX interpreter (sm_%u)", driver.chip);
  return kSuccess;
}
PTXEMU_EXPORT int cuDeviceTotalMem_v2(size_t *size, int device) {
  PTXEMU_ENTER(false)
  *size = driver.memorySize;
  return device < 0 || static_cast<size_t>(device) >= driver.devices.size() ? kInvalidDevice : kSuccess;
}
PTXEMU_EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  PTXEMU_ENTER(false)
  if (device < 0 || static_cast<size_t>(device) >= driver.devices.size())
    return kInvalidDevice;
  const ProcessorLimits limits = limitsOf(driver.chip);
  switch (attribute) {
  case 1: // threads of a block, and its dimensions
  case 2:
  case 3:
    *value = 1024;
    break;
  case 4:
    *value = 64;
    break;
  case 5: // dimensions of a grid
    *value = 0x7fffffff;
    break;
  case 6:
  case 7:
    *value = 65535;
    break;
  case 8: // shared memory of a block
    *value = 48 * 1024;
    break;
  case 9: // constant memory
    *value = 65536;
    break;
  case 10:
    *value = 32;
    break;
  case 12: // registers of a block
  case 82: // and of a multiprocessor
    *value = static_cast<int>(limits.registers);
    break;
  case 13: // clock in kHz
    *value = 1000000;
    break;
  case 16:
    *value = static_cast<int>(driver.options.processors);
    break;
  case 36: // memory clock in kHz
    *value = 1000000;
    break;
  case 37: // width of its bus in bits
    *value = 256;
    break;
  case 38: // second-level cache
    *value = 4 << 20;
    break;
  case 39:
    *value = static_cast<int>(limits.threads);
    break;
  case 40: // copy engines
    *value = 2;
    break;
  case 31:  // kernels at the same time
  case 41:  // unified addresses
  case 95:  // cooperative launches
  case 115: // memory pools
    *value = 1;
    break;
  case 75:
    *value = static_cast<int>(driver.chip / 10);
    break;
  case 76:
    *value = static_cast<int>(driver.chip % 10);
    break;
  case 81:
    *value = static_cast<int>(limits.shared);
    break;
  case 97:
    *value = static_cast<int>(limits.sharedPerBlock);
    break;
  case 106:
    *value = static_cast<int>(limits.blocks);
    break;
  case 111:
    *value = 1024;
    break;
  case 120: // clusters
  case 127: // tensor maps
    *value = driver.chip >= 90;
    break;
  default:
    *value = 0;
  }
  return kSuccess;
}

PTXEMU_EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  PTXEMU_ENTER(false)
  if (!driver.initialized)
    return kNotInitialized;
  if (device < 0 || static_cast<size_t>(device) >= driver.devices.size())
    return kInvalidDevice;
  ++driver.devices[static_cast<size_t>(device)]->retained;
  *context = driver.devices[static_cast<size_t>(device)].get();
  return kSuccess;
}
PTXEMU_EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  PTXEMU_ENTER(false)
  if (device < 0 || static_cast<size_t>(device) >= driver.devices.size())
    return kInvalidDevice;
  DriverDevice &known = *driver.devices[static_cast<size_t>(device)];
  if (known.retained == 0)
    return kInvalidContext;
  if (--known.retained == 0)
    driver.finishAll(static_cast<unsigned>(device));
  return kSuccess;
}
PTXEMU_EXPORT int cuDeviceCanAccessPeer(int *can, int device, int peer) {
  PTXEMU_ENTER(false)
  const auto count = static_cast<int>(driver.devices.size());
  if (device < 0 || device >= count || peer < 0 || peer >= count)
    return kInvalidDevice;
  *can = device != peer;
  return kSuccess;
}
PTXEMU_EXPORT int cuCtxEnablePeerAccess(void *peer, unsigned flags) {
  PTXEMU_ENTER()
  for (const auto &device : driver.devices)
    if (device.get() == peer && device->retained && peer != driver.current() && !flags)
      return driver.current()->peers.insert(device.get()).second ? kSuccess : kPeerAccessAlreadyEnabled;
  return kInvalidValue;
}
PTXEMU_EXPORT int cuCtxSetCurrent(void *context) {
  PTXEMU_ENTER(false)
  if (!context) {
    setCurrentDevice(&driver, -1);
    return kSuccess;
  }
  for (size_t i = 0; i < driver.devices.size(); ++i)
    if (driver.devices[i].get() == context && driver.devices[i]->retained) {
      setCurrentDevice(&driver, static_cast<int>(i));
      return kSuccess;
    }
  return kInvalidContext;
}
PTXEMU_EXPORT int cuCtxGetCurrent(void **context) {
  PTXEMU_ENTER(false)
  *context = driver.current();
  return kSuccess;
}
PTXEMU_EXPORT int cuCtxSynchronize() {
  PTXEMU_ENTER()
  if (const int refused = driver.mayWait(nullptr))
    return refused;
  ++driver.waits;
  return driver.finishAll(driver.current()->nullStream.device);
}

static int allocate(Driver &driver, uint64_t *address, size_t size) {
  ++driver.allocations;
  if (size == 0)
    return kInvalidValue;
  if (driver.allocatedBytes + size > driver.failAllocationsAfter)
    return kOutOfMemory;
  Allocation *made = driver.current()->memory.allocate(size);
  if (!made)
    return kOutOfMemory;
  driver.allocatedBytes += size;
  *address = made->base;
  return kSuccess;
}
PTXEMU_EXPORT int cuMemAlloc_v2(uint64_t *address, size_t size) {
  PTXEMU_ENTER()
  if (const int refused = driver.mayWait(nullptr))
    return refused;
  return allocate(driver, address, size);
}
PTXEMU_EXPORT int cuMemAllocAsync(uint64_t *address, size_t size, void *stream) {
  PTXEMU_ENTER()
  if (driver.streamOf(stream).point.capture) {
    driver.report("cuMemAllocAsync in a capture is not supported by the interpreter");
    return kNotSupported;
  }
  return allocate(driver, address, size);
}
PTXEMU_EXPORT int cuMemFree_v2(uint64_t address) {
  PTXEMU_ENTER()
  if (address == 0)
    return kSuccess;
  if (const int refused = driver.mayWait(nullptr))
    return refused;
  if (const int failed = driver.finishAll(driver.current()->nullStream.device))
    return failed;
  return driver.current()->memory.release(address) ? kSuccess : kInvalidValue;
}
PTXEMU_EXPORT int cuMemFreeAsync(uint64_t address, void *stream) {
  PTXEMU_ENTER()
  DriverDevice *device = driver.current();
  Allocation *known = device->memory.find(address);
  if (!known || known->base != address || known->freed)
    return kInvalidValue;
  return driver.submit(driver.streamOf(stream), "free",
                       [device, address] { return device->memory.release(address) ? kSuccess : kInvalidValue; });
}
PTXEMU_EXPORT int cuMemGetInfo_v2(size_t *left, size_t *total) {
  PTXEMU_ENTER()
  *total = driver.current()->memory.limit();
  *left = *total - driver.current()->memory.used();
  return kSuccess;
}
PTXEMU_EXPORT int cuMemHostAlloc(void **data, size_t size, unsigned) {
  PTXEMU_ENTER()
  if (size == 0)
    return kInvalidValue;
  *data = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
  if (!*data)
    return kOutOfMemory;
  memset(*data, 0xcd, size);
  for (std::unique_ptr<DriverDevice> &device : driver.devices)
    device->memory.addHost(*data, size);
  return kSuccess;
}
PTXEMU_EXPORT int cuMemFreeHost(void *data) {
  PTXEMU_ENTER()
  bool known = false;
  for (size_t i = 0; i < driver.devices.size(); ++i) {
    driver.finishAll(static_cast<unsigned>(i));
    known |= driver.devices[i]->memory.release(reinterpret_cast<uint64_t>(data));
  }
  if (!known)
    return kInvalidValue;
  free(data);
  return kSuccess;
}
PTXEMU_EXPORT int cuDeviceGetDefaultMemPool(void **pool, int device) {
  PTXEMU_ENTER(false)
  if (device < 0 || static_cast<size_t>(device) >= driver.devices.size())
    return kInvalidDevice;
  *pool = driver.devices[static_cast<size_t>(device)].get();
  return kSuccess;
}
PTXEMU_EXPORT int cuMemPoolSetAttribute(void *pool, int attribute, void *value) {
  PTXEMU_ENTER(false)
  return pool && value && attribute >= 1 && attribute <= 8 ? kSuccess : kInvalidValue;
}
PTXEMU_EXPORT int cuMemPoolTrimTo(void *pool, size_t) {
  PTXEMU_ENTER(false)
  return pool ? kSuccess : kInvalidValue;
}

/// What a module calls that tells a conditional node of a graph its condition, whose handle is its address here: the
/// driver has it from CUDA 12.3 on.
static constexpr char kSetConditional[] = R"(
.func cudaGraphSetConditional(.param .b64 handle, .param .b32 value)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [handle];
  ld.param.u32 %r1, [value];
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

PTXEMU_EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *names, void **values) {
  PTXEMU_ENTER()
  std::string text = static_cast<const char *>(image);
  if (driver.version >= 12030 && text.find(".extern .func cudaGraphSetConditional") != text.npos)
    text += kSetConditional;
  auto refuse = [&](int result, const std::string &why) {
    writeLog(count, names, values, 5, why);
    driver.lastText = why;
    return result;
  };
  auto loaded = std::make_unique<LoadedModule>();
  loaded->device = driver.current()->nullStream.device;
  // Version and target are looked at before the rest, which a driver might not understand.
  const Syntax head = parseText(text);
  if (head.version > isaOf(driver.version))
    return refuse(kUnsupportedPtxVersion, "ptxas application ptx input, line 1; fatal   : Unsupported .version " +
                                              std::to_string(head.version / 10) + "." +
                                              std::to_string(head.version % 10) + "; current version is '" +
                                              std::to_string(isaOf(driver.version) / 10) + "." +
                                              std::to_string(isaOf(driver.version) % 10) + "'");
  const bool fits = head.targetSuffix == 'a'   ? head.target == driver.chip
                    : head.targetSuffix == 'f' ? head.target / 10 == driver.chip / 10 && head.target <= driver.chip
                                               : head.target <= driver.chip;
  if (head.target && !fits)
    return refuse(kNoBinaryForGpu, "ptxas application ptx input; fatal   : a module for sm_" +
                                       std::to_string(head.target) +
                                       (head.targetSuffix ? std::string(1, head.targetSuffix) : "") +
                                       " does not run on sm_" + std::to_string(driver.chip));
  loaded->module = loadModule(text, driver.current()->memory);
  if (!loaded->module->error.empty())
    return refuse(kInvalidPtx, "ptxas application ptx input, " + loaded->module->error);
  for (const std::unique_ptr<Kernel> &kernel : loaded->module->kernels)
    if (kernel->staticShared > 48 * 1024)
      return refuse(kInvalidPtx, "ptxas error   : Entry function '" + kernel->name + "' uses too much shared data (" +
                                     std::to_string(kernel->staticShared) + " bytes, 49152 max)");
  writeLog(count, names, values, 3, "");
  writeLog(count, names, values, 5, "");
  *module = loaded.release();
  return kSuccess;
}
PTXEMU_EXPORT int cuModuleUnload(void *handle) {
  PTXEMU_ENTER()
  LoadedModule *module = static_cast<LoadedModule *>(handle);
  if (!module)
    return kInvalidHandle;
  driver.finishAll(module->device);
  unloadModule(*module->module, driver.devices[module->device]->memory);
  delete module;
  return kSuccess;
}
PTXEMU_EXPORT int cuModuleGetFunction(void **function, void *handle, const char *name) {
  PTXEMU_ENTER()
  LoadedModule &module = *static_cast<LoadedModule *>(handle);
  const Kernel *kernel = module.module->find(name);
  if (!kernel)
    return kNotFound;
  std::unique_ptr<DriverFunction> &known = module.functions[name];
  if (!known)
    known.reset(new DriverFunction{&module, kernel});
  *function = known.get();
  return kSuccess;
}
PTXEMU_EXPORT int cuModuleGetGlobal_v2(uint64_t *address, size_t *size, void *handle, const char *name) {
  PTXEMU_ENTER()
  LoadedModule &module = *static_cast<LoadedModule *>(handle);
  auto at = module.module->variables.find(name);
  if (at == module.module->variables.end())
    return kNotFound;
  if (address)
    *address = at->second.first;
  if (size)
    *size = at->second.second;
  return kSuccess;
}
