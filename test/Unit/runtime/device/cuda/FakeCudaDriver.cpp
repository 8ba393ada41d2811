// A driver of GPUs for tests: does on host memory what it is asked for, and fails as it is told to.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeCuda.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

using Work = std::function<int()>;

/// Work in order, each piece done when something waits for it.
struct CudaStreamObject {
  std::deque<std::pair<int64_t, Work>> asked; ///< by number
  int64_t next = 0;
};
struct CudaEventObject {
  CudaStreamObject *stream = nullptr;
  int64_t number = 0;
};
struct CudaContextObject {};
struct CudaFunctionObject {
  std::string name;
  FakeCudaKernel kernel;
  unsigned maxDynamic;
};
struct CudaModuleObject {
  std::string image;
  std::map<std::string, std::unique_ptr<CudaFunctionObject>> functions;
};
/// A node knows where in its graph it is.
struct CudaGraphNodeObject {
  size_t number;
  const CudaFunctionObject *function; ///< null: a copy
};
struct CudaGraphObject {
  std::vector<std::unique_ptr<CudaGraphNodeObject>> nodes;
  std::vector<Work> work;
};
struct CudaGraphExecObject {
  std::vector<Work> work;
};

using Stream = CudaStreamObject *;

/// Nodes as the driver's manual has them: CUDA_KERNEL_NODE_PARAMS_v1 and CUDA_MEMCPY3D.
struct CudaKernelNode {
  CudaFunctionObject *func;
  unsigned grid[3], block[3], sharedMemBytes;
  void **kernelParams, **extra;
};
struct CudaCopyNode {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  unsigned srcMemoryType;
  const void *srcHost;
  uint64_t srcDevice;
  void *srcArray, *reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  unsigned dstMemoryType;
  void *dstHost;
  uint64_t dstDevice;
  void *dstArray, *reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
};

static thread_local CudaContextObject *current = nullptr;
static CudaContextObject context;
/// Held in each call: threads may have devices of their own.
static std::recursive_mutex turn;

/// from, to, n: to = 2 * from, of floats.
static int doubleFloats(const FakeCudaLaunch &launch) {
  const auto *from = reinterpret_cast<const float *>(launch.arguments[0]);
  auto *to = reinterpret_cast<float *>(launch.arguments[1]);
  for (uint64_t i = 0; i < launch.arguments[2]; ++i)
    to[i] = 2 * from[i];
  return 0;
}

/// A process that sets nothing has one GPU and one kernel.
static FakeCuda &fake() {
  static FakeCuda state = [] {
    FakeCuda made;
    made.kernels["double"] = {{8, 8, 8}, doubleFloats};
    return made;
  }();
  return state;
}

static constexpr int kInvalidValue = 1, kOutOfMemory = 2, kInvalidContext = 201, kNotFound = 500;

/// What a call returns before it does anything.
static int begin(const char *call, bool needsContext = true) {
  ++fake().calls[call];
  if (auto it = fake().failing.find(call); it != fake().failing.end()) {
    // Such an error is the context's end: what was asked for is not done any more.
    if (it->second >= 700 && it->second < 720)
      fake().lost = it->second;
    return it->second;
  }
  if (needsContext && fake().lost)
    return fake().lost;
  return needsContext && !current ? kInvalidContext : 0;
}
#define BEGIN(...)                                                                                                     \
  const std::lock_guard<std::recursive_mutex> ownTurn(turn);                                                           \
  if (const int result = begin(__VA_ARGS__))                                                                           \
  return result

static bool isWithin(const std::map<uint64_t, size_t> &pieces, const void *address, size_t bytes) {
  const auto begin = reinterpret_cast<uint64_t>(address);
  auto it = pieces.upper_bound(begin);
  return it != pieces.begin() && (--it, begin + bytes <= it->first + it->second);
}

static int ask(Stream stream, Work work) {
  stream->asked.emplace_back(stream->next++, std::move(work));
  return 0;
}

static int runTo(Stream stream, int64_t number) {
  if (fake().lost)
    return fake().lost;
  while (!stream->asked.empty() && stream->asked.front().first <= number) {
    const Work work = std::move(stream->asked.front().second);
    stream->asked.pop_front();
    if (const int result = work())
      return fake().lost = result;
  }
  return 0;
}

static Work copyOf(void *to, const void *from, size_t bytes) {
  return [=] {
    std::memcpy(to, from, bytes);
    return 0;
  };
}

/// The work of a launch; none: it cannot be.
static Work launchOf(CudaFunctionObject *function, const unsigned *grid, const unsigned *block, unsigned shared,
                     void **parameters) {
  if (shared > function->maxDynamic || grid[0] * grid[1] * grid[2] == 0)
    return nullptr;
  FakeCudaLaunch launch = {{grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, shared, {}};
  for (size_t i = 0; i < function->kernel.parameters.size(); ++i)
    std::memcpy(&launch.arguments.emplace_back(0), parameters[i], function->kernel.parameters[i]);
  return [launch, run = function->kernel.run] {
    fake().launches.push_back(launch);
    return run ? run(launch) : 0;
  };
}
static Work workOf(const CudaKernelNode &node) {
  return launchOf(node.func, node.grid, node.block, node.sharedMemBytes, node.kernelParams);
}

/// The work of a copy on the device; none: it cannot be.
static Work workOf(const CudaCopyNode &node) {
  const size_t bytes = node.WidthInBytes;
  const auto *from = reinterpret_cast<const void *>(node.srcDevice);
  auto *to = reinterpret_cast<void *>(node.dstDevice);
  if (node.srcMemoryType != 2 || node.dstMemoryType != 2 || node.Height != 1 || node.Depth != 1 || node.srcXInBytes ||
      node.dstXInBytes || node.reserved0 || node.reserved1 || node.srcPitch || node.dstPitch ||
      !isWithin(fake().memory, from, bytes) || !isWithin(fake().memory, to, bytes))
    return nullptr;
  return copyOf(to, from, bytes);
}

/// Nodes come after the one that was added last.
static int addNode(CudaGraphNodeObject **made, CudaGraphObject *graph, CudaGraphNodeObject *const *before, size_t count,
                   const CudaFunctionObject *function, Work work) {
  const size_t number = graph->nodes.size();
  if (!work || count != (number > 0 ? 1 : 0) || (count > 0 && *before != graph->nodes.back().get()))
    return kInvalidValue;
  graph->nodes.push_back(std::make_unique<CudaGraphNodeObject>(CudaGraphNodeObject{number, function}));
  graph->work.push_back(std::move(work));
  *made = graph->nodes.back().get();
  return 0;
}

extern "C" {

FakeCuda *fakeCudaState() { return &fake(); }

int cuInit(unsigned) {
  BEGIN("cuInit", false);
  return fake().initResult;
}
int cuDriverGetVersion(int *version) {
  *version = fake().version;
  return 0;
}
int cuGetErrorName(int result, const char **name) {
  static const std::map<int, const char *> names = {{1, "CUDA_ERROR_INVALID_VALUE"},
                                                    {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                    {3, "CUDA_ERROR_NOT_INITIALIZED"},
                                                    {100, "CUDA_ERROR_NO_DEVICE"},
                                                    {200, "CUDA_ERROR_INVALID_IMAGE"},
                                                    {201, "CUDA_ERROR_INVALID_CONTEXT"},
                                                    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                                                    {218, "CUDA_ERROR_INVALID_PTX"},
                                                    {500, "CUDA_ERROR_NOT_FOUND"},
                                                    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                    {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
                                                    {719, "CUDA_ERROR_LAUNCH_FAILED"},
                                                    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"}};
  auto it = names.find(result);
  *name = it == names.end() ? nullptr : it->second;
  return it == names.end() ? kInvalidValue : 0;
}
int cuGetErrorString(int result, const char **text) {
  static std::string said;
  if (cuGetErrorName(result, text))
    return kInvalidValue;
  said = std::string("text of ") + *text;
  *text = said.c_str();
  return 0;
}

int cuDeviceGetCount(int *count) {
  BEGIN("cuDeviceGetCount", false);
  *count = fake().devices;
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal + 10; // numbers of the driver's own
  return 0;
}
int cuDeviceGetName(char *name, int size, int device) {
  const std::string said = "Fake GPU " + std::to_string(device - 10);
  std::strncpy(name, said.c_str(), static_cast<size_t>(size));
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 75 ? fake().chip / 10 : attribute == 76 ? fake().chip % 10 : fake().attributes[attribute];
  return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = static_cast<size_t>(fake().totalBytes);
  return 0;
}
int cuDevicePrimaryCtxRetain(CudaContextObject **made, int) {
  BEGIN("cuDevicePrimaryCtxRetain", false);
  ++fake().objects;
  *made = &context;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  --fake().objects;
  return 0;
}
int cuCtxSetCurrent(CudaContextObject *made) {
  BEGIN("cuCtxSetCurrent", false);
  current = made;
  return 0;
}

int cuStreamCreate(Stream *stream, unsigned) {
  BEGIN("cuStreamCreate");
  ++fake().objects;
  *stream = new CudaStreamObject;
  return 0;
}
int cuStreamDestroy_v2(Stream stream) {
  --fake().objects;
  delete stream;
  return 0;
}
int cuStreamSynchronize(Stream stream) {
  BEGIN("cuStreamSynchronize");
  return runTo(stream, stream->next);
}
int cuEventCreate(CudaEventObject **event, unsigned) {
  BEGIN("cuEventCreate");
  ++fake().objects;
  *event = new CudaEventObject;
  return 0;
}
int cuEventDestroy_v2(CudaEventObject *event) {
  --fake().objects;
  delete event;
  return 0;
}
#ifndef FAKE_CUDA_LACKS_EVENTS
int cuEventRecord(CudaEventObject *event, Stream stream) {
  BEGIN("cuEventRecord");
  event->stream = stream;
  event->number = stream->next - 1;
  return 0;
}
#endif
int cuStreamWaitEvent(Stream stream, CudaEventObject *event, unsigned) {
  BEGIN("cuStreamWaitEvent");
  // The other stream does what came before the event when this one comes to the wait.
  return ask(stream, [of = event->stream, number = event->number] { return of ? runTo(of, number) : 0; });
}
int cuEventElapsedTime(float *milliseconds, CudaEventObject *from, CudaEventObject *to) {
  BEGIN("cuEventElapsedTime");
  // Each thing that the stream was asked for takes half of a millisecond.
  *milliseconds = static_cast<float>(to->number - from->number) / 2;
  return 0;
}
int cuEventSynchronize(CudaEventObject *event) {
  BEGIN("cuEventSynchronize");
  return event->stream ? runTo(event->stream, event->number) : 0;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  BEGIN("cuMemAlloc");
  if (fake().heldBytes() + static_cast<int64_t>(bytes) > fake().totalBytes)
    return kOutOfMemory;
  void *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(memory, FakeCuda::kGarbage, std::min<size_t>(bytes, 1 << 20)); // of large pieces tests use the begin
  *address = reinterpret_cast<uint64_t>(memory);
  fake().memory[*address] = bytes;
  fake().pieces.push_back(bytes);
  return 0;
}
int cuMemFree_v2(uint64_t address) {
  if (fake().memory.erase(address) != 1)
    return kInvalidValue;
  std::free(reinterpret_cast<void *>(address));
  return 0;
}
int cuMemGetInfo_v2(size_t *free, size_t *total) {
  *free = static_cast<size_t>(fake().totalBytes - fake().heldBytes());
  *total = static_cast<size_t>(fake().totalBytes);
  return 0;
}
int cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  BEGIN("cuMemHostAlloc");
  *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  fake().pinned[reinterpret_cast<uint64_t>(*memory)] = bytes;
  return 0;
}
int cuMemFreeHost(void *memory) {
  fake().pinned.erase(reinterpret_cast<uint64_t>(memory));
  std::free(memory);
  return 0;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, Stream stream) {
  BEGIN("cuMemcpyHtoDAsync");
  void *const there = reinterpret_cast<void *>(to);
  if (!isWithin(fake().pinned, from, bytes) || !isWithin(fake().memory, there, bytes))
    return kInvalidValue;
  return ask(stream, copyOf(there, from, bytes));
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, Stream stream) {
  BEGIN("cuMemcpyDtoHAsync");
  const void *const there = reinterpret_cast<const void *>(from);
  if (!isWithin(fake().pinned, to, bytes) || !isWithin(fake().memory, there, bytes))
    return kInvalidValue;
  return ask(stream, copyOf(to, there, bytes));
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, Stream stream) {
  BEGIN("cuMemcpyDtoDAsync");
  void *const target = reinterpret_cast<void *>(to);
  const void *const source = reinterpret_cast<const void *>(from);
  if (!isWithin(fake().memory, target, bytes) || !isWithin(fake().memory, source, bytes))
    return kInvalidValue;
  return ask(stream, copyOf(target, source, bytes));
}

int cuMemcpyPeerAsync(uint64_t to, CudaContextObject *, uint64_t from, CudaContextObject *, size_t bytes,
                      Stream stream) {
  BEGIN("cuMemcpyPeerAsync");
  void *const target = reinterpret_cast<void *>(to);
  const void *const source = reinterpret_cast<const void *>(from);
  if (!isWithin(fake().memory, target, bytes) || !isWithin(fake().memory, source, bytes))
    return kInvalidValue;
  return ask(stream, copyOf(target, source, bytes));
}
int cuDeviceCanAccessPeer(int *can, int, int) {
  BEGIN("cuDeviceCanAccessPeer", false);
  *can = 1;
  return 0;
}
int cuCtxEnablePeerAccess(CudaContextObject *, unsigned) {
  BEGIN("cuCtxEnablePeerAccess");
  return fake().calls["cuCtxEnablePeerAccess"] > 1 ? 704 : 0; // PEER_ACCESS_ALREADY_ENABLED
}

int cuModuleLoadDataEx(CudaModuleObject **module, const void *image, unsigned count, int *options, void **values) {
  BEGIN("cuModuleLoadDataEx");
  std::string log;
  if (const int result = fake().load ? fake().load(static_cast<const char *>(image), log) : 0) {
    char *buffer = nullptr;
    size_t size = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == 5)
        buffer = static_cast<char *>(values[i]);
      if (options[i] == 6)
        size = reinterpret_cast<size_t>(values[i]);
    }
    if (buffer)
      std::strncpy(buffer, log.c_str(), size);
    return result;
  }
  ++fake().objects;
  fake().keepsLines = false;
  for (unsigned i = 0; i < count; ++i)
    fake().keepsLines |= options[i] == 13 && values[i];
  fake().images.emplace_back(static_cast<const char *>(image));
  *module = new CudaModuleObject{fake().images.back(), {}};
  return 0;
}
int cuModuleUnload(CudaModuleObject *module) {
  --fake().objects;
  delete module;
  return 0;
}
int cuModuleGetFunction(CudaFunctionObject **function, CudaModuleObject *module, const char *name) {
  BEGIN("cuModuleGetFunction");
  auto it = fake().kernels.find(name);
  if (it == fake().kernels.end() || fake().lacking.count({module->image, name}))
    return kNotFound;
  std::unique_ptr<CudaFunctionObject> &made = module->functions[name];
  made.reset(new CudaFunctionObject{name, it->second, static_cast<unsigned>(48 * 1024 - it->second.ownShared)});
  *function = made.get();
  return 0;
}
int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, CudaModuleObject *, const char *name) {
  BEGIN("cuModuleGetGlobal");
  auto it = fake().globals.find(name);
  if (it == fake().globals.end())
    return kNotFound;
  *address = reinterpret_cast<uint64_t>(it->second.data());
  *bytes = it->second.size();
  return 0;
}
int cuFuncSetAttribute(CudaFunctionObject *function, int attribute, int value) {
  BEGIN("cuFuncSetAttribute");
  if (attribute != 8)
    return kInvalidValue;
  fake().maxShared[function->name] = value;
  function->maxDynamic = static_cast<unsigned>(value);
  return 0;
}
int cuFuncGetAttribute(int *value, int attribute, CudaFunctionObject *function) {
  BEGIN("cuFuncGetAttribute");
  *value = attribute == 0 ? function->kernel.maxThreads : attribute == 1 ? function->kernel.ownShared : 0;
  return 0;
}
int cuFuncGetParamInfo(CudaFunctionObject *function, size_t index, size_t *offset, size_t *bytes) {
  if (index >= function->kernel.parameters.size())
    return kInvalidValue;
  *offset = 8 * index;
  *bytes = function->kernel.parameters[index];
  return 0;
}
int cuLaunchKernel(CudaFunctionObject *function, unsigned x, unsigned y, unsigned z, unsigned threadsX,
                   unsigned threadsY, unsigned threadsZ, unsigned shared, Stream stream, void **parameters, void **) {
  BEGIN("cuLaunchKernel");
  const unsigned grid[] = {x, y, z}, block[] = {threadsX, threadsY, threadsZ};
  Work work = launchOf(function, grid, block, shared, parameters);
  return work ? ask(stream, std::move(work)) : kInvalidValue;
}

int cuGraphCreate(CudaGraphObject **graph, unsigned) {
  BEGIN("cuGraphCreate");
  ++fake().objects;
  *graph = new CudaGraphObject;
  return 0;
}
int cuGraphAddKernelNode(CudaGraphNodeObject **made, CudaGraphObject *graph, CudaGraphNodeObject *const *before,
                         size_t count, const CudaKernelNode *node) {
  BEGIN("cuGraphAddKernelNode");
  return addNode(made, graph, before, count, node->func, workOf(*node));
}
int cuGraphAddMemcpyNode(CudaGraphNodeObject **made, CudaGraphObject *graph, CudaGraphNodeObject *const *before,
                         size_t count, const CudaCopyNode *node, CudaContextObject *of) {
  BEGIN("cuGraphAddMemcpyNode");
  return of == &context ? addNode(made, graph, before, count, nullptr, workOf(*node)) : kInvalidValue;
}
int cuGraphExecKernelNodeSetParams(CudaGraphExecObject *exec, CudaGraphNodeObject *node, const CudaKernelNode *to) {
  BEGIN("cuGraphExecKernelNodeSetParams");
  Work work = workOf(*to);
  if (!work || node->function != to->func)
    return kInvalidValue;
  exec->work[node->number] = std::move(work);
  return 0;
}
int cuGraphExecMemcpyNodeSetParams(CudaGraphExecObject *exec, CudaGraphNodeObject *node, const CudaCopyNode *to,
                                   CudaContextObject *of) {
  BEGIN("cuGraphExecMemcpyNodeSetParams");
  Work work = workOf(*to);
  if (!work || node->function || of != &context)
    return kInvalidValue;
  exec->work[node->number] = std::move(work);
  return 0;
}
int cuGraphInstantiateWithFlags(CudaGraphExecObject **exec, CudaGraphObject *graph, unsigned long long) {
  BEGIN("cuGraphInstantiate");
  ++fake().objects;
  *exec = new CudaGraphExecObject{graph->work};
  return 0;
}
int cuGraphLaunch(CudaGraphExecObject *exec, Stream stream) {
  BEGIN("cuGraphLaunch");
  for (const Work &work : exec->work)
    ask(stream, work);
  return 0;
}
int cuGraphExecDestroy(CudaGraphExecObject *exec) {
  --fake().objects;
  delete exec;
  return 0;
}
int cuGraphDestroy(CudaGraphObject *graph) {
  --fake().objects;
  delete graph;
  return 0;
}
}
