// The driver, as a program finds it: opened by name, called through its own prototypes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpTests.h"

#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <unistd.h>

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

using Address = uint64_t;

/// The functions of the driver that a runtime needs, looked up by their exported names.
struct Api {
#define FUNCTIONS(X)                                                                                                   \
  X(cuInit, unsigned)                                                                                                  \
  X(cuDriverGetVersion, int *)                                                                                         \
  X(cuGetErrorName, int, const char **)                                                                                \
  X(cuGetErrorString, int, const char **)                                                                              \
  X(cuDeviceGetCount, int *)                                                                                           \
  X(cuDeviceGet, int *, int)                                                                                           \
  X(cuDeviceGetName, char *, int, int)                                                                                 \
  X(cuDeviceGetAttribute, int *, int, int)                                                                             \
  X(cuDeviceTotalMem_v2, size_t *, int)                                                                                \
  X(cuDevicePrimaryCtxRetain, void **, int)                                                                            \
  X(cuDevicePrimaryCtxRelease_v2, int)                                                                                 \
  X(cuCtxSetCurrent, void *)                                                                                           \
  X(cuStreamCreate, void **, unsigned)                                                                                 \
  X(cuStreamDestroy_v2, void *)                                                                                        \
  X(cuStreamSynchronize, void *)                                                                                       \
  X(cuStreamWaitEvent, void *, void *, unsigned)                                                                       \
  X(cuStreamBeginCapture_v2, void *, int)                                                                              \
  X(cuStreamEndCapture, void *, void **)                                                                               \
  X(cuEventCreate, void **, unsigned)                                                                                  \
  X(cuEventRecord, void *, void *)                                                                                     \
  X(cuEventQuery, void *)                                                                                              \
  X(cuEventSynchronize, void *)                                                                                        \
  X(cuEventElapsedTime, float *, void *, void *)                                                                       \
  X(cuEventDestroy_v2, void *)                                                                                         \
  X(cuDeviceGetDefaultMemPool, void **, int)                                                                           \
  X(cuMemPoolSetAttribute, void *, int, void *)                                                                        \
  X(cuMemAllocAsync, Address *, size_t, void *)                                                                        \
  X(cuMemFreeAsync, Address, void *)                                                                                   \
  X(cuMemAlloc_v2, Address *, size_t)                                                                                  \
  X(cuMemFree_v2, Address)                                                                                             \
  X(cuMemGetInfo_v2, size_t *, size_t *)                                                                               \
  X(cuMemHostAlloc, void **, size_t, unsigned)                                                                         \
  X(cuMemFreeHost, void *)                                                                                             \
  X(cuMemcpyHtoDAsync_v2, Address, const void *, size_t, void *)                                                       \
  X(cuMemcpyDtoHAsync_v2, void *, Address, size_t, void *)                                                             \
  X(cuMemcpyDtoDAsync_v2, Address, Address, size_t, void *)                                                            \
  X(cuMemsetD8Async, Address, unsigned char, size_t, void *)                                                           \
  X(cuMemsetD32Async, Address, unsigned, size_t, void *)                                                               \
  X(cuModuleLoadDataEx, void **, const void *, unsigned, int *, void **)                                               \
  X(cuModuleUnload, void *)                                                                                            \
  X(cuModuleGetFunction, void **, void *, const char *)                                                                \
  X(cuModuleGetGlobal_v2, Address *, size_t *, void *, const char *)                                                   \
  X(cuFuncSetAttribute, void *, int, int)                                                                              \
  X(cuFuncGetAttribute, int *, int, void *)                                                                            \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *, void *, int, size_t)                                           \
  X(cuLaunchKernel, void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,     \
    void **)                                                                                                           \
  X(cuGraphCreate, void **, unsigned)                                                                                  \
  X(cuGraphAddKernelNode, void **, void *, void *const *, size_t, const void *)                                        \
  X(cuGraphAddMemcpyNode, void **, void *, void *const *, size_t, const void *, void *)                                \
  X(cuGraphConditionalHandleCreate, uint64_t *, void *, void *, unsigned, unsigned)                                    \
  X(cuGraphAddNode, void **, void *, void *const *, size_t, void *)                                                    \
  X(cuGraphExecKernelNodeSetParams, void *, void *, const void *)                                                      \
  X(cuGraphExecMemcpyNodeSetParams, void *, void *, const void *, void *)                                              \
  X(cuGraphInstantiateWithFlags, void **, void *, unsigned long long)                                                  \
  X(cuGraphLaunch, void *, void *)                                                                                     \
  X(cuGraphUpload, void *, void *)                                                                                     \
  X(cuGraphExecDestroy, void *)                                                                                        \
  X(cuGraphDestroy, void *)                                                                                            \
  X(cuGraphExecUpdate_v2, void *, void *, void *)                                                                      \
  X(cuTensorMapEncodeTiled, void *, int, unsigned, void *, const uint64_t *, const uint64_t *, const uint32_t *,       \
    const uint32_t *, int, int, int, int)                                                                              \
  X(cuLaunchKernelEx, const void *, void *, void **, void **)                                                          \
  X(cuCtxSynchronize, )
#define DECLARE(name, ...) int (*name)(__VA_ARGS__) = nullptr;
  FUNCTIONS(DECLARE)
  void (*reset)() = nullptr;
  const char *(*lastFinding)() = nullptr;
  Api() {
    void *library = dlopen(PTXEMU_DRIVER_PATH, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    if (!library)
      return;
#define LOOK_UP(name, ...)                                                                                             \
  name = reinterpret_cast<decltype(name)>(dlsym(library, #name));                                                      \
  EXPECT_NE(name, nullptr) << #name;
    FUNCTIONS(LOOK_UP)
    reset = reinterpret_cast<void (*)()>(dlsym(library, "ptxemuReset"));
    lastFinding = reinterpret_cast<const char *(*)()>(dlsym(library, "ptxemuLastFinding"));
  }
};
const Api &api() {
  static const Api made;
  return made;
}

/// y[i] = 2 * x[i], of n floats.
const char *const kDouble = R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 calls = 7;
.visible .entry twice(.param .u64 x, .param .u64 y, .param .u32 n) {
  .reg .b64 %d<6>; .reg .b32 %r<6>; .reg .f32 %f<3>; .reg .pred %p;
  ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y]; ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  setp.ge.u32 %p, %r4, %r0;
  @%p bra done;
  mul.wide.u32 %d2, %r4, 4;
  add.u64 %d3, %d0, %d2;
  add.u64 %d4, %d1, %d2;
  ld.global.f32 %f0, [%d3];
  add.f32 %f1, %f0, %f0;
  st.global.f32 [%d4], %f1;
done:
  ret;
}
.extern .shared .align 16 .b8 dynamic[];
.visible .entry fill(.param .u64 y) {
  .reg .b64 %d<3>; .reg .b32 %r<3>;
  mov.u32 %r0, dynamic;
  mov.u32 %r1, %dynamic_smem_size;
  ld.param.u64 %d0, [y];
  st.shared.u32 [%r0], %r1;
  ld.shared.u32 %r2, [%r0];
  st.global.u32 [%d0], %r2;
  ret;
}
)";

class Driver : public testing::Test {
protected:
  void TearDown() override {
    for (const std::string &name : set_)
      unsetenv(name.c_str());
    if (api().reset)
      api().reset();
    unlink(report_.c_str());
  }
  void set(const std::string &name, const std::string &value) {
    setenv(name.c_str(), value.c_str(), 1);
    set_.push_back(name);
  }
  /// Begins anew with the settings made until now.
  void start() {
    report_ = "/tmp/ptxemu-report-" + std::to_string(getpid());
    set("PTXEMU_REPORT", report_);
    api().reset();
    ASSERT_EQ(api().cuInit(0), 0);
    ASSERT_EQ(api().cuDevicePrimaryCtxRetain(&context, 0), 0);
    ASSERT_EQ(api().cuCtxSetCurrent(context), 0);
    ASSERT_EQ(api().cuStreamCreate(&stream, 1), 0);
  }
  void load() {
    ASSERT_EQ(api().cuModuleLoadDataEx(&module, kDouble, 0, nullptr, nullptr), 0) << api().lastFinding();
    ASSERT_EQ(api().cuModuleGetFunction(&twice, module, "twice"), 0);
    ASSERT_EQ(api().cuModuleGetFunction(&fillFunction, module, "fill"), 0);
  }
  Address allocate(size_t size) {
    Address address = 0;
    EXPECT_EQ(api().cuMemAllocAsync(&address, size, stream), 0);
    return address;
  }
  int launch(Address x, Address y, unsigned n, void *on, unsigned threads = 64) {
    void *parameters[] = {&x, &y, &n};
    return api().cuLaunchKernel(twice, (n + threads - 1) / threads, 1, 1, threads, 1, 1, 0, on, parameters, nullptr);
  }
  std::string reported() {
    std::ifstream in(report_);
    return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  }
  void *context = nullptr, *stream = nullptr, *module = nullptr, *twice = nullptr, *fillFunction = nullptr;
  std::vector<std::string> set_;
  std::string report_;
};

TEST_F(Driver, TextOfThisTestAssembles) { ptxemu::expectAssembles(kDouble, "sm_80"); }

TEST_F(Driver, StreamsAreOfOneDevice) {
  set("PTXEMU_DEVICES", "2");
  start();
  load();
  void *event = nullptr, *other = nullptr, *ofOther = nullptr, *eventOfOther = nullptr;
  EXPECT_EQ(api().cuEventCreate(&event, 2), 0);
  EXPECT_EQ(api().cuDevicePrimaryCtxRetain(&other, 1), 0);
  EXPECT_EQ(api().cuCtxSetCurrent(other), 0);
  EXPECT_EQ(api().cuStreamCreate(&ofOther, 1), 0);
  EXPECT_EQ(api().cuEventCreate(&eventOfOther, 2), 0);
  // Kernels are those of the device that has the module, events are recorded where they are, and awaited anywhere.
  EXPECT_EQ(launch(0, 0, 1, ofOther), 400);
  EXPECT_THAT(reported(), HasSubstr("kernel 'twice' of device 0: launch in a stream of device 1"));
  EXPECT_EQ(api().cuEventRecord(event, ofOther), 400);
  EXPECT_THAT(reported(), HasSubstr("an event of device 0 is recorded in a stream of device 1"));
  EXPECT_EQ(api().cuEventRecord(eventOfOther, ofOther), 0);
  EXPECT_EQ(api().cuStreamWaitEvent(stream, eventOfOther, 0), 0);
}

TEST_F(Driver, TellsOfItsDevices) {
  set("PTXEMU_CHIP", "90");
  set("PTXEMU_DEVICES", "2");
  set("PTXEMU_MEMORY", "1000000");
  set("PTXEMU_SMS", "7");
  set("PTXEMU_DRIVER", "12020");
  start();
  int value = 0;
  size_t size = 0;
  EXPECT_EQ(api().cuDeviceGetCount(&value), 0);
  EXPECT_EQ(value, 2);
  EXPECT_EQ(api().cuDeviceGetAttribute(&value, 75, 1), 0);
  EXPECT_EQ(value, 9);
  EXPECT_EQ(api().cuDeviceGetAttribute(&value, 16, 1), 0);
  EXPECT_EQ(value, 7);
  EXPECT_EQ(api().cuDeviceGetAttribute(&value, 16, 2), 101);
  EXPECT_EQ(api().cuDriverGetVersion(&value), 0);
  EXPECT_EQ(value, 12020);
  EXPECT_EQ(api().cuDeviceTotalMem_v2(&size, 0), 0);
  EXPECT_EQ(size, 1000000u);
  const char *text = nullptr;
  EXPECT_EQ(api().cuGetErrorName(700, &text), 0);
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  set("PTXEMU_DEVICES", "0");
  api().reset();
  EXPECT_EQ(api().cuInit(0), 100);
}

TEST_F(Driver, RunsAKernel) {
  start();
  load();
  const std::vector<float> in = {1, 2, 3};
  std::vector<float> out(3, 0);
  const Address x = allocate(12), y = allocate(12);
  EXPECT_EQ(api().cuMemcpyHtoDAsync_v2(x, in.data(), 12, stream), 0);
  EXPECT_EQ(launch(x, y, 3, stream), 0);
  EXPECT_EQ(api().cuMemcpyDtoHAsync_v2(out.data(), y, 12, stream), 0);
  // Nothing has happened yet.
  EXPECT_THAT(out, ElementsAre(0, 0, 0));
  EXPECT_EQ(api().cuStreamSynchronize(stream), 0);
  EXPECT_THAT(out, ElementsAre(2, 4, 6));
  Address calls = 0;
  size_t size = 0;
  EXPECT_EQ(api().cuModuleGetGlobal_v2(&calls, &size, module, "calls"), 0);
  EXPECT_EQ(size, 4u);
  unsigned value = 0;
  EXPECT_EQ(api().cuMemcpyDtoHAsync_v2(&value, calls, 4, stream), 0);
  EXPECT_EQ(api().cuCtxSynchronize(), 0);
  EXPECT_EQ(value, 7u);
  EXPECT_EQ(api().cuModuleGetGlobal_v2(&calls, &size, module, "nothing"), 500);
  EXPECT_EQ(api().cuModuleUnload(module), 0);
}

TEST_F(Driver, CopiesReadTheHostLate) {
  for (const char *order : {"forward", "reverse", "random:3"}) {
    set("PTXEMU_ORDER", order);
    start();
    float value = 1;
    const Address x = allocate(4);
    EXPECT_EQ(api().cuMemcpyHtoDAsync_v2(x, &value, 4, stream), 0);
    value = 2; // too early: the copy was not waited for
    float back = 0;
    EXPECT_EQ(api().cuMemcpyDtoHAsync_v2(&back, x, 4, stream), 0);
    EXPECT_EQ(api().cuStreamSynchronize(stream), 0);
    EXPECT_EQ(back, 2) << order;
  }
}

TEST_F(Driver, StreamsAreOrderedByEventsOnly) {
  // Without the event the second stream reads before the first has written.
  for (bool ordered : {true, false}) {
    set("PTXEMU_ORDER", "forward");
    start();
    load();
    void *other = nullptr, *event = nullptr;
    EXPECT_EQ(api().cuStreamCreate(&other, 1), 0);
    EXPECT_EQ(api().cuEventCreate(&event, 0), 0);
    const Address x = allocate(4), y = allocate(4);
    EXPECT_EQ(api().cuMemsetD32Async(x, 0, 1, stream), 0);
    EXPECT_EQ(api().cuStreamSynchronize(stream), 0);
    EXPECT_EQ(api().cuMemsetD32Async(x, 0x3f800000, 1, stream), 0);
    EXPECT_EQ(api().cuEventRecord(event, stream), 0);
    if (ordered)
      EXPECT_EQ(api().cuStreamWaitEvent(other, event, 0), 0);
    EXPECT_EQ(launch(x, y, 1, other), 0);
    float back = -1;
    EXPECT_EQ(api().cuMemcpyDtoHAsync_v2(&back, y, 4, other), 0);
    EXPECT_EQ(api().cuStreamSynchronize(other), 0);
    EXPECT_EQ(back, ordered ? 2 : 0);
    EXPECT_EQ(api().cuEventQuery(event), ordered ? 0 : 600);
    EXPECT_EQ(api().cuEventSynchronize(event), 0);
    EXPECT_EQ(api().cuEventQuery(event), 0);
  }
}

TEST_F(Driver, CapturesStreamsToGraphs) {
  for (const char *order : {"forward", "reverse", "random"}) {
    set("PTXEMU_ORDER", order);
    start();
    load();
    void *side = nullptr, *fork = nullptr, *join = nullptr, *graph = nullptr, *executable = nullptr;
    EXPECT_EQ(api().cuStreamCreate(&side, 1), 0);
    EXPECT_EQ(api().cuEventCreate(&fork, 2), 0);
    EXPECT_EQ(api().cuEventCreate(&join, 2), 0);
    const Address x = allocate(4), y = allocate(4), z = allocate(4);
    // x = 1; y = 2x on one side, z = 2x on the other; x = 2z after both.
    EXPECT_EQ(api().cuStreamBeginCapture_v2(stream, 1), 0);
    EXPECT_EQ(api().cuMemsetD32Async(x, 0x3f800000, 1, stream), 0);
    EXPECT_EQ(api().cuEventRecord(fork, stream), 0);
    EXPECT_EQ(api().cuStreamWaitEvent(side, fork, 0), 0);
    EXPECT_EQ(launch(x, y, 1, stream), 0);
    EXPECT_EQ(launch(x, z, 1, side), 0);
    EXPECT_EQ(api().cuEventRecord(join, side), 0);
    EXPECT_EQ(api().cuStreamWaitEvent(stream, join, 0), 0);
    EXPECT_EQ(launch(z, x, 1, stream), 0);
    EXPECT_EQ(api().cuStreamEndCapture(stream, &graph), 0);
    EXPECT_EQ(api().cuGraphInstantiateWithFlags(&executable, graph, 0), 0);
    EXPECT_EQ(api().cuGraphUpload(executable, stream), 0);
    EXPECT_EQ(api().cuGraphDestroy(graph), 0);
    float values[3] = {};
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(api().cuGraphLaunch(executable, stream), 0);
    EXPECT_EQ(api().cuMemcpyDtoHAsync_v2(&values[0], x, 4, stream), 0);
    EXPECT_EQ(api().cuMemcpyDtoHAsync_v2(&values[1], y, 4, stream), 0);
    EXPECT_EQ(api().cuMemcpyDtoHAsync_v2(&values[2], z, 4, stream), 0);
    EXPECT_EQ(api().cuStreamSynchronize(stream), 0) << reported();
    EXPECT_THAT(values, ElementsAre(4, 2, 2)) << order;
    EXPECT_EQ(api().cuGraphExecDestroy(executable), 0);
  }
}

TEST_F(Driver, RefusesWhatACaptureForbids) {
  start();
  load();
  void *graph = nullptr, *side = nullptr, *event = nullptr;
  EXPECT_EQ(api().cuStreamCreate(&side, 1), 0);
  EXPECT_EQ(api().cuEventCreate(&event, 2), 0);
  const Address x = allocate(4);
  EXPECT_EQ(api().cuStreamBeginCapture_v2(stream, 1), 0);
  EXPECT_EQ(api().cuStreamSynchronize(stream), 900);
  EXPECT_EQ(api().cuMemsetD32Async(x, 0, 1, stream), 901);
  EXPECT_EQ(api().cuStreamEndCapture(stream, &graph), 901);
  EXPECT_EQ(graph, nullptr);
  // Work on another stream that does not come back.
  EXPECT_EQ(api().cuStreamBeginCapture_v2(stream, 1), 0);
  EXPECT_EQ(api().cuEventRecord(event, stream), 0);
  EXPECT_EQ(api().cuEventQuery(event), 907);
  EXPECT_EQ(api().cuStreamWaitEvent(side, event, 0), 0);
  EXPECT_EQ(api().cuMemsetD32Async(x, 0, 1, side), 0);
  EXPECT_EQ(api().cuStreamEndCapture(stream, &graph), 904);
  // An event from outside.
  EXPECT_EQ(api().cuEventRecord(event, side), 0);
  EXPECT_EQ(api().cuStreamBeginCapture_v2(stream, 1), 0);
  EXPECT_EQ(api().cuStreamWaitEvent(stream, event, 0), 905);
  EXPECT_EQ(api().cuStreamEndCapture(stream, &graph), 901);
  Address address = 0;
  EXPECT_EQ(api().cuStreamBeginCapture_v2(stream, 0), 0);
  EXPECT_EQ(api().cuMemAlloc_v2(&address, 16), 900);
  EXPECT_EQ(api().cuStreamEndCapture(stream, &graph), 901);
}

/// CUDA_KERNEL_NODE_PARAMS of version 1 and CUDA_MEMCPY3D, of what a test uses.
struct KernelNode {
  void *function;
  unsigned grid[3], block[3], shared;
  void **parameters, **extra;
};
struct CopyNode {
  size_t fromX[4];
  unsigned fromType;
  const void *fromHost;
  Address from;
  void *fromArray, *fromReserved;
  size_t fromPitch, fromHeight, toX[4];
  unsigned toType;
  void *toHost;
  Address to;
  void *toArray, *toReserved;
  size_t toPitch, toHeight, width, height, depth;
};

TEST_F(Driver, ChangesNodesOfGraphsThatWereMadeOneByOne) {
  start();
  load();
  const Address x = allocate(8), y = allocate(8), z = allocate(8);
  void *graph = nullptr, *nodes[2] = {}, *executable = nullptr, *function = nullptr;
  EXPECT_EQ(api().cuModuleGetFunction(&function, module, "twice"), 0);
  Address from = x, to = y;
  unsigned count = 1;
  void *parameters[] = {&from, &to, &count};
  KernelNode kernel = {function, {1, 1, 1}, {32, 1, 1}, 0, parameters, nullptr};
  CopyNode copy = {};
  copy.fromType = copy.toType = 2;
  copy.from = y, copy.to = z, copy.width = 4, copy.height = copy.depth = 1;
  EXPECT_EQ(api().cuGraphCreate(&graph, 0), 0);
  EXPECT_EQ(api().cuGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &kernel), 0);
  EXPECT_EQ(api().cuGraphAddMemcpyNode(&nodes[1], graph, &nodes[0], 1, &copy, nullptr), 0);
  EXPECT_EQ(api().cuGraphInstantiateWithFlags(&executable, graph, 0), 0);
  EXPECT_EQ(api().cuMemsetD32Async(x, 0x3f800000, 2, stream), 0);
  EXPECT_EQ(api().cuMemsetD32Async(z, 0, 2, stream), 0);
  EXPECT_EQ(api().cuGraphLaunch(executable, stream), 0);
  // What was launched before the change is as it was, however late it runs.
  count = 2;
  copy.width = 8;
  EXPECT_EQ(api().cuGraphExecKernelNodeSetParams(executable, nodes[0], &kernel), 0);
  EXPECT_EQ(api().cuGraphExecMemcpyNodeSetParams(executable, nodes[1], &copy, nullptr), 0);
  float values[4] = {};
  EXPECT_EQ(api().cuMemcpyDtoHAsync_v2(&values[0], z, 8, stream), 0);
  EXPECT_EQ(api().cuGraphLaunch(executable, stream), 0);
  EXPECT_EQ(api().cuMemcpyDtoHAsync_v2(&values[2], z, 8, stream), 0);
  EXPECT_EQ(api().cuStreamSynchronize(stream), 0) << reported();
  EXPECT_THAT(values, ElementsAre(2, 0, 2, 2));
  // What is no such node, or of no graph that is there.
  EXPECT_EQ(api().cuGraphExecKernelNodeSetParams(executable, nodes[1], &kernel), 1);
  EXPECT_EQ(api().cuGraphExecMemcpyNodeSetParams(executable, nodes[0], &copy, nullptr), 1);
  copy.width = 9;
  EXPECT_EQ(api().cuGraphExecMemcpyNodeSetParams(executable, nodes[1], &copy, nullptr), 1);
  copy.width = 8, copy.fromPitch = size_t{1} << 31;
  EXPECT_EQ(api().cuGraphExecMemcpyNodeSetParams(executable, nodes[1], &copy, nullptr), 1);
  EXPECT_EQ(api().cuGraphDestroy(graph), 0);
  EXPECT_EQ(api().cuGraphExecKernelNodeSetParams(executable, nodes[0], &kernel), 1);
  EXPECT_EQ(api().cuGraphExecDestroy(executable), 0);
}

/// CUgraphNodeParams with CUDA_CONDITIONAL_NODE_PARAMS.
struct ConditionalNode {
  int kind, reserved[3];
  uint64_t handle;
  int type;
  unsigned size;
  void **bodies, *context;
  char rest[232 - 32];
  long long reservedEnd;
};

/// Counts down what is at `count`, and tells the condition whether it is not 0.
static const char *const kCountDown = R"(.version 7.0
.target sm_80
.address_size 64
.extern .func cudaGraphSetConditional (.param .b64 handle, .param .b32 value);
.visible .entry count_down(.param .u64 count, .param .u64 handle) {
  .reg .b64 %d<3>; .reg .b32 %r<3>; .reg .pred %p;
  ld.param.u64 %d0, [count]; ld.param.u64 %d1, [handle];
  ld.global.u32 %r0, [%d0];
  sub.u32 %r1, %r0, 1;
  st.global.u32 [%d0], %r1;
  setp.ne.u32 %p, %r1, 0;
  selp.u32 %r2, 1, 0, %p;
  { .param .b64 p0; st.param.b64 [p0+0], %d1; .param .b32 p1; st.param.b32 [p1+0], %r2;
    call.uni cudaGraphSetConditional, (p0, p1); }
  ret;
}
)";

TEST_F(Driver, RunsBodiesOfConditionalNodes) {
  start();
  load();
  void *counting = nullptr, *countDown = nullptr;
  EXPECT_EQ(api().cuModuleLoadDataEx(&counting, kCountDown, 0, nullptr, nullptr), 0) << reported();
  EXPECT_EQ(api().cuModuleGetFunction(&countDown, counting, "count_down"), 0);
  const Address count = allocate(4), x = allocate(4);
  void *graph = nullptr, *set = nullptr, *loop = nullptr, *inLoop[2] = {}, *executable = nullptr;
  uint64_t handle = 0, other = 0;
  unsigned one = 1;
  void *ofCount[] = {const_cast<Address *>(&count), &handle};
  void *ofTwice[] = {const_cast<Address *>(&x), const_cast<Address *>(&x), &one};
  KernelNode counts = {countDown, {1, 1, 1}, {1, 1, 1}, 0, ofCount, nullptr};
  KernelNode doubles = {twice, {1, 1, 1}, {1, 1, 1}, 0, ofTwice, nullptr};
  EXPECT_EQ(api().cuGraphCreate(&graph, 0), 0);
  EXPECT_EQ(api().cuGraphConditionalHandleCreate(&handle, graph, nullptr, 0, 0), 0);
  EXPECT_EQ(api().cuGraphAddKernelNode(&set, graph, nullptr, 0, &counts), 0);
  ConditionalNode node = {};
  node.kind = 13, node.handle = handle, node.type = 1, node.size = 1;
  EXPECT_EQ(api().cuGraphAddNode(&loop, graph, &set, 1, &node), 0);
  void *body = node.bodies[0];
  EXPECT_EQ(api().cuGraphAddKernelNode(&inLoop[0], body, nullptr, 0, &doubles), 0);
  EXPECT_EQ(api().cuGraphAddKernelNode(&inLoop[1], body, &inLoop[0], 1, &counts), 0);
  // A handle is of one node, in the graph that it was made for.
  EXPECT_EQ(api().cuGraphAddNode(&loop, graph, &set, 1, &node), 1);
  EXPECT_EQ(api().cuGraphConditionalHandleCreate(&other, graph, nullptr, 0, 0), 0);
  node.handle = other;
  EXPECT_EQ(api().cuGraphAddNode(&loop, body, &inLoop[1], 1, &node), 1);
  EXPECT_EQ(api().cuGraphInstantiateWithFlags(&executable, graph, 0), 0);
  auto valueAfter = [&](unsigned rounds) {
    float value = 0;
    EXPECT_EQ(api().cuMemsetD32Async(x, 0x3f800000, 1, stream), 0);
    EXPECT_EQ(api().cuMemsetD32Async(count, rounds, 1, stream), 0);
    EXPECT_EQ(api().cuGraphLaunch(executable, stream), 0);
    EXPECT_EQ(api().cuMemcpyDtoHAsync_v2(&value, x, 4, stream), 0);
    EXPECT_EQ(api().cuStreamSynchronize(stream), 0) << reported();
    return value;
  };
  EXPECT_EQ(valueAfter(1), 1);
  EXPECT_EQ(valueAfter(4), 8);
  // A node of the body changes: what is doubled is not what is read.
  const Address y = allocate(4);
  ofTwice[1] = const_cast<Address *>(&y);
  EXPECT_EQ(api().cuGraphExecKernelNodeSetParams(executable, inLoop[0], &doubles), 0);
  EXPECT_EQ(valueAfter(4), 1);
  EXPECT_EQ(api().cuGraphExecDestroy(executable), 0);
  EXPECT_EQ(api().cuGraphDestroy(graph), 0);
}

TEST_F(Driver, ConditionsOutsideOfGraphsAreErrors) {
  start();
  void *counting = nullptr, *countDown = nullptr;
  EXPECT_EQ(api().cuModuleLoadDataEx(&counting, kCountDown, 0, nullptr, nullptr), 0) << reported();
  EXPECT_EQ(api().cuModuleGetFunction(&countDown, counting, "count_down"), 0);
  const Address count = allocate(4);
  uint64_t handle = 0;
  void *parameters[] = {const_cast<Address *>(&count), &handle};
  EXPECT_EQ(api().cuMemsetD32Async(count, 2, 1, stream), 0);
  EXPECT_EQ(api().cuLaunchKernel(countDown, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr), 0);
  EXPECT_EQ(api().cuStreamSynchronize(stream), 700);
}

TEST_F(Driver, UpdatesAGraphOfTheSameShape) {
  start();
  load();
  const Address x = allocate(4), y = allocate(4);
  void *graphs[3] = {}, *executable = nullptr;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(api().cuStreamBeginCapture_v2(stream, 1), 0);
    EXPECT_EQ(api().cuMemsetD32Async(x, i == 0 ? 0x3f800000 : 0x40000000, 1, stream), 0);
    if (i < 2)
      EXPECT_EQ(launch(x, y, 1, stream), 0);
    EXPECT_EQ(api().cuStreamEndCapture(stream, &graphs[i]), 0);
  }
  EXPECT_EQ(api().cuGraphInstantiateWithFlags(&executable, graphs[0], 0), 0);
  EXPECT_EQ(api().cuGraphExecUpdate_v2(executable, graphs[1], nullptr), 0);
  EXPECT_EQ(api().cuGraphExecUpdate_v2(executable, graphs[2], nullptr), 910);
  float value = 0;
  EXPECT_EQ(api().cuGraphLaunch(executable, stream), 0);
  EXPECT_EQ(api().cuMemcpyDtoHAsync_v2(&value, y, 4, stream), 0);
  EXPECT_EQ(api().cuStreamSynchronize(stream), 0);
  EXPECT_EQ(value, 4);
}

TEST_F(Driver, ErrorsOfKernelsStay) {
  start();
  load();
  const Address x = allocate(4), y = allocate(4);
  EXPECT_EQ(api().cuMemsetD32Async(x, 0, 1, stream), 0);
  EXPECT_EQ(launch(x, y, 2, stream), 0); // one element too many
  EXPECT_EQ(api().cuStreamSynchronize(stream), 700);
  Address more = 0;
  EXPECT_EQ(api().cuMemAlloc_v2(&more, 4), 700);
  EXPECT_EQ(api().cuStreamSynchronize(stream), 700);
  EXPECT_THAT(
      reported(),
      HasSubstr("ptxemu: kernel 'twice', line 15, block (0,0,0), thread (1,0,0): out of bounds: reads 4 bytes"));
}

TEST_F(Driver, FreedMemoryIsFound) {
  start();
  load();
  const Address x = allocate(4), y = allocate(4);
  EXPECT_EQ(api().cuMemsetD32Async(x, 0, 1, stream), 0);
  EXPECT_EQ(api().cuMemFreeAsync(x, stream), 0);
  EXPECT_EQ(launch(x, y, 1, stream), 0);
  EXPECT_EQ(api().cuStreamSynchronize(stream), 700);
  EXPECT_THAT(reported(), HasSubstr("use after free"));
}

TEST_F(Driver, ChecksLaunches) {
  start();
  load();
  Address x = allocate(4);
  EXPECT_EQ(launch(x, x, 1, stream, 2048), 1);
  EXPECT_THAT(reported(), HasSubstr("kernel 'twice': launch: a grid of 1 blocks of 2048 threads"));
  void *parameters[] = {&x};
  auto fill = [&](unsigned dynamic) {
    return api().cuLaunchKernel(fillFunction, 1, 1, 1, 1, 1, 1, dynamic, stream, parameters, nullptr);
  };
  EXPECT_EQ(fill(100 * 1024), 1);
  EXPECT_THAT(reported(),
              HasSubstr("102400 bytes of dynamic shared memory, and the function's attribute allows 49152"));
  EXPECT_EQ(api().cuFuncSetAttribute(fillFunction, 8, 100 * 1024), 0);
  EXPECT_EQ(fill(100 * 1024), 0);
  EXPECT_EQ(api().cuFuncSetAttribute(fillFunction, 8, 1000 * 1024), 1);
  unsigned value = 0;
  EXPECT_EQ(api().cuMemcpyDtoHAsync_v2(&value, x, 4, stream), 0);
  EXPECT_EQ(api().cuStreamSynchronize(stream), 0) << reported();
  EXPECT_EQ(value, 100u * 1024);
  int blocks = 0;
  EXPECT_EQ(api().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fillFunction, 256, 80 * 1024), 0);
  EXPECT_EQ(blocks, 2);
}

TEST_F(Driver, RefusesModules) {
  start();
  char log[256] = {};
  int names[] = {5, 6};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  auto load = [&](const std::string &text) {
    values[1] = reinterpret_cast<void *>(sizeof log);
    return api().cuModuleLoadDataEx(&module, text.c_str(), 2, names, values);
  };
  EXPECT_EQ(load(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n  bogus;\n}\n"), 218);
  EXPECT_STREQ(log, "ptxas application ptx input, line 5: unknown instruction 'bogus'");
  EXPECT_EQ(reinterpret_cast<size_t>(values[1]), strlen(log) + 1);
  EXPECT_EQ(load(".version 8.0\n.target sm_90\n.address_size 64\n"), 209);
  EXPECT_EQ(load(".version 8.7\n.target sm_80\n.address_size 64\n"), 222);
  EXPECT_THAT(log, HasSubstr("Unsupported .version 8.7; current version is '8.4'"));
  // More parameters than the version has room for.
  auto kernelOf = [](const std::string &version, size_t parameters) {
    std::string text = ".version " + version + "\n.target sm_80\n.address_size 64\n.visible .entry k(";
    for (size_t i = 0; i < parameters; ++i)
      text += (i ? ", .param .u64 p" : ".param .u64 p") + std::to_string(i);
    return text + ") {\n  ret;\n}\n";
  };
  EXPECT_EQ(load(kernelOf("8.0", 544)), 0);
  EXPECT_EQ(load(kernelOf("8.0", 545)), 218);
  EXPECT_THAT(log, HasSubstr("parameters of 4360 bytes, expected at most 4352"));
  EXPECT_EQ(load(kernelOf("8.1", 4095)), 0);
  EXPECT_EQ(load(kernelOf("8.1", 4096)), 218);
  set("PTXEMU_CHIP", "100");
  set("PTXEMU_DRIVER", "13000");
  start();
  EXPECT_EQ(load(".version 8.0\n.target sm_90a\n.address_size 64\n"), 209);
  EXPECT_EQ(load(".version 8.0\n.target sm_90\n.address_size 64\n"), 0);
}

TEST_F(Driver, InjectsFaults) {
  set("PTXEMU_FAIL_ALLOCATIONS_AFTER", "100");
  set("PTXEMU_FAIL", "cuMemcpyHtoDAsync_v2:2:1,cuEventCreate:1:999");
  start();
  Address address = 0;
  EXPECT_EQ(api().cuMemAlloc_v2(&address, 100), 0);
  EXPECT_EQ(api().cuMemAlloc_v2(&address, 1), 2);
  float value = 0;
  Address x = 0x200000000000;
  EXPECT_EQ(api().cuMemcpyHtoDAsync_v2(x, &value, 4, stream), 0);
  EXPECT_EQ(api().cuMemcpyHtoDAsync_v2(x, &value, 4, stream), 1);
  EXPECT_EQ(api().cuMemcpyHtoDAsync_v2(x, &value, 4, stream), 0);
  void *event = nullptr;
  EXPECT_EQ(api().cuEventCreate(&event, 0), 999);
  EXPECT_EQ(api().cuStreamSynchronize(stream), 999); // it stays

  unsetenv("PTXEMU_FAIL");
  unsetenv("PTXEMU_FAIL_ALLOCATIONS_AFTER");
  set("PTXEMU_LOSE_AFTER", "1:719");
  start();
  load();
  const Address y = allocate(4);
  EXPECT_EQ(api().cuMemsetD32Async(y, 0, 1, stream), 0);
  EXPECT_EQ(launch(y, y, 1, stream), 0);
  EXPECT_EQ(api().cuStreamSynchronize(stream), 0) << reported();
  EXPECT_EQ(launch(y, y, 1, stream), 0);
  EXPECT_EQ(api().cuStreamSynchronize(stream), 719);
  EXPECT_EQ(api().cuMemAlloc_v2(&address, 4), 719);
}

TEST_F(Driver, KnowsItsMemory) {
  set("PTXEMU_MEMORY", "4096");
  start();
  Address a = 0, b = 0;
  size_t left = 0, total = 0;
  EXPECT_EQ(api().cuMemAlloc_v2(&a, 4000), 0);
  EXPECT_EQ(api().cuMemGetInfo_v2(&left, &total), 0);
  EXPECT_EQ(left, 96u);
  EXPECT_EQ(api().cuMemAlloc_v2(&b, 97), 2);
  EXPECT_EQ(api().cuMemFree_v2(a), 0);
  EXPECT_EQ(api().cuMemFree_v2(a), 1); // twice
  EXPECT_EQ(api().cuMemAlloc_v2(&b, 97), 0);
  float value = 0;
  EXPECT_EQ(api().cuMemcpyDtoHAsync_v2(&value, b + 96, 4, stream), 1);
  EXPECT_EQ(api().cuMemcpyDtoHAsync_v2(&value, a, 4, stream), 1);
  void *host = nullptr;
  EXPECT_EQ(api().cuMemHostAlloc(&host, 64, 0), 0);
  EXPECT_EQ(api().cuMemFreeHost(host), 0);
  EXPECT_EQ(api().cuMemFreeHost(host), 1);
}

TEST_F(Driver, WritesCounters) {
  const std::string path = "/tmp/ptxemu-counters-" + std::to_string(getpid());
  set("PTXEMU_COUNTERS", path);
  start();
  load();
  const Address x = allocate(256), y = allocate(256);
  EXPECT_EQ(api().cuMemsetD32Async(x, 0, 64, stream), 0);
  EXPECT_EQ(launch(x, y, 64, stream), 0);
  EXPECT_EQ(api().cuStreamSynchronize(stream), 0);
  api().reset();
  std::ifstream in(path);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_THAT(text, HasSubstr("\"launches\": 1, \"graph_launches\": 0"));
  EXPECT_THAT(text, HasSubstr("{\"kernel\": \"twice\", \"launches\": 1, \"blocks\": 1, \"instructions\": 960"));
  EXPECT_THAT(text, HasSubstr("\"global_sectors\": 16, \"ideal_sectors\": 16"));
  unlink(path.c_str());
}

TEST_F(Driver, NeedsAContext) {
  start();
  EXPECT_EQ(api().cuCtxSetCurrent(nullptr), 0);
  void *other = nullptr;
  EXPECT_EQ(api().cuStreamCreate(&other, 1), 201);
  api().reset();
  EXPECT_EQ(api().cuStreamCreate(&other, 1), 3);
}

} // namespace
