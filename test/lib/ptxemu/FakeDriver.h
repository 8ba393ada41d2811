// A CUDA driver without a GPU: what its functions work on.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_FAKEDRIVER_H
#define MLC_TEST_LIB_PTXEMU_FAKEDRIVER_H

#include "test/lib/ptxemu/DeviceMemory.h"
#include "test/lib/ptxemu/Launch.h"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <vector>

namespace ptxemu {

struct Stream;
struct Capture;

/// Work of a device that is not yet done.
struct Task {
  std::vector<std::shared_ptr<Task>> after; ///< what must be done before
  std::function<int()> run;                 ///< a result
  Stream *stream = nullptr;
  bool done = false;
};
using TaskRef = std::shared_ptr<Task>;

struct DriverFunction;
struct Graph;

/// A node of a graph: work, and the nodes before it. A conditional one has a body instead of work.
struct GraphNode {
  std::vector<size_t> after;
  std::function<int()> run;
  std::string kind;            ///< what an update may not change
  std::shared_ptr<Graph> body; ///< null: it is no conditional node
  uint64_t condition = 0;      ///< handle, the address of a number of 32 bits
  bool isLoop = false;         ///< goes round while the condition holds; else once if it does
};
/// What a program has of a node that it added.
struct GraphNodeHandle {
  size_t number;
  const DriverFunction *function; ///< null: a copy
  bool isGraphThere = true;
};
struct Graph {
  std::vector<GraphNode> nodes;
  std::vector<std::shared_ptr<GraphNodeHandle>> handles; ///< where nodes were added one by one; executable ones too
};

/// A handle of a conditional node.
struct GraphCondition {
  const Graph *graph;         ///< that the node is to be in
  bool hasNode = false;       ///< it decides for one node
  bool isSetAtLaunch = false; ///< to `first`
  uint32_t first = 0;
};

/// Where a stream or an event stands in a capture.
struct CapturePoint {
  std::shared_ptr<Capture> capture;
  std::vector<size_t> nodes; ///< the last ones
};
/// A graph that is being recorded.
struct Capture {
  Graph graph;
  Stream *origin = nullptr;
  int mode = 0;
  bool broken = false;
  std::set<Stream *> streams;
};

struct Stream {
  unsigned device = 0;
  bool blocking = true; ///< waits for the default stream
  TaskRef last;
  CapturePoint point;
};

struct Event {
  TaskRef task; ///< that records it; null: it counts as done
  unsigned device = 0;
  CapturePoint point;
  std::shared_ptr<std::chrono::steady_clock::time_point> time;
  bool timed = true;
  unsigned queries = 0;
};

struct LoadedModule;
/// A function of a module, with its attributes.
struct DriverFunction {
  LoadedModule *module;
  const Kernel *kernel;
  uint64_t maxDynamicShared = 48 * 1024;
};
struct LoadedModule {
  std::unique_ptr<Module> module;
  unsigned device = 0;
  std::map<std::string, std::unique_ptr<DriverFunction>> functions;
};

/// One device.
struct DriverDevice {
  explicit DriverDevice(uint64_t memory, unsigned number) : memory(memory, number) { nullStream.device = number; }
  DeviceMemory memory;
  Stream nullStream;
  std::set<Stream *> streams;
  unsigned retained = 0;
  std::set<const DriverDevice *> peers; ///< whose memory it may read
};

/// What other libraries over the driver, which are built with it, use of this.
#define PTXEMU_SHARED __attribute__((visibility("default")))

/// All that the driver knows. It is made by the first call and, for tests, made anew by ptxemuReset.
class PTXEMU_SHARED Driver {
public:
  static Driver &get();
  static void reset();
  ~Driver();

  // Set by the environment.
  unsigned chip = 80, version = 12040;
  RunOptions options;
  uint64_t memorySize = 4ull << 30;

  /// What each function of the driver begins with: an injected error, an error that stays, or kSuccess.
  int enter(const char *function, bool needsContext = true);
  /// Keeps an error that all later calls give.
  int fail(int result);

  /// The device of this thread's context; nullptr without one.
  DriverDevice *current();
  Stream &streamOf(void *handle);

  /// Puts work into a stream, or into the graph that it records.
  int submit(Stream &stream, const std::string &kind, std::function<int()> run, TaskRef *made = nullptr);
  /// Does what must be done before `task` is, and it; the schedule says what else.
  int finish(const TaskRef &task);
  int finishAll(unsigned device);
  /// Whether a call that waits may come now: not from a stream that records.
  int mayWait(Stream *stream);

  void report(const std::string &text);
  void addCounters(const Counters &counters);
  /// Checks that nothing lost the device after so many launches.
  int noteLaunch();

  std::vector<std::unique_ptr<DriverDevice>> devices;
  std::map<std::string, Counters> counters;
  uint64_t bytesToDevice = 0, bytesToHost = 0, bytesOnDevice = 0, bytesBetween = 0, launches = 0, graphLaunches = 0;
  uint64_t graphsMade = 0, nodesChanged = 0, allocations = 0, waits = 0;
  uint64_t earlyWaits = 0;                       ///< those for an event after which its stream has more to do
  std::map<uint64_t, GraphCondition> conditions; ///< by handle
  std::vector<std::unique_ptr<void *>> bodies;   ///< where programs find those of conditional nodes
  uint64_t ncclCopies = 0, ncclCollectives = 0;
  uint64_t allocatedBytes = 0, failAllocationsAfter = ~0ull;
  int sticky = kSuccess;
  bool initialized = false;
  std::recursive_mutex mutex;
  std::string lastText; ///< of the last finding
  std::set<Capture *> captures;

private:
  Driver();
  void writeCounters();
  int runTask(const TaskRef &task);
  void collect(const TaskRef &task, std::set<Task *> &needed);

  struct Fault {
    std::string function;
    uint64_t call;
    int result;
    uint64_t seen = 0;
  };
  std::vector<Fault> faults_;
  uint64_t loseAfter_ = ~0ull;
  int loseResult_ = kLaunchFailed;
  std::deque<TaskRef> pending_;
  std::mt19937_64 random_;
  std::string reportPath_, countersPath_;
};

/// The work of a launch, whose parameters are read now, on a device. A result.
int workOfLaunch(Driver &driver, DriverDevice *device, const DriverFunction &function, const LaunchShape &shape,
                 void **parameters, void **extra, std::function<int()> &work);

/// Copies between host and device, at the time they happen. A result.
PTXEMU_SHARED int copyToDevice(DriverDevice &device, uint64_t to, const void *from, size_t size);
PTXEMU_SHARED int copyToHost(DriverDevice &device, void *to, uint64_t from, size_t size);
int copyOnDevice(DriverDevice &device, uint64_t to, uint64_t from, size_t size);
PTXEMU_SHARED int copyBetween(DriverDevice &target, uint64_t to, DriverDevice &source, uint64_t from, size_t size);
int fillDevice(DriverDevice &device, uint64_t to, uint32_t value, unsigned width, size_t count);

} // namespace ptxemu

/// What stands at the begin of each function.
#define PTXEMU_ENTER(...)                                                                                              \
  Driver &driver = Driver::get();                                                                                      \
  std::lock_guard<std::recursive_mutex> lock(driver.mutex);                                                            \
  if (const int early = driver.enter(__func__, ##__VA_ARGS__))                                                         \
    return early;

#define PTXEMU_EXPORT extern "C" __attribute__((visibility("default")))

#endif // MLC_TEST_LIB_PTXEMU_FAKEDRIVER_H
