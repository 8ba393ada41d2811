// Functions of the driver about graphs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/FakeDriver.h"

#include <cstring>

using namespace ptxemu;

namespace {
/// CUDA_KERNEL_NODE_PARAMS of version 1 and CUDA_MEMCPY3D, as the driver's ABI has them.
struct KernelNodeParams {
  const DriverFunction *function;
  unsigned grid[3], block[3], dynamicShared;
  void **parameters, **extra;
};
struct CopySide {
  size_t x, y, z, level;
  unsigned memoryType;
  const void *host;
  uint64_t device;
  void *array, *reserved;
  size_t pitch, height;
};
struct CopyNodeParams {
  CopySide from, to;
  size_t width, height, depth;
};
/// CUgraphNodeParams with CUDA_CONDITIONAL_NODE_PARAMS.
struct ConditionalNodeParams {
  int kind, reserved[3];
  uint64_t handle;
  int type;
  unsigned size;
  void **bodies, *context;
  char rest[232 - 32];
  long long reservedEnd;
};
} // namespace

static int workOfNode(Driver &driver, const KernelNodeParams &node, std::function<int()> &work) {
  if (!node.function)
    return kInvalidHandle;
  const LaunchShape shape{{node.grid[0], node.grid[1], node.grid[2]},
                          {node.block[0], node.block[1], node.block[2]},
                          node.dynamicShared,
                          {1, 1, 1}};
  return workOfLaunch(driver, driver.current(), *node.function, shape, node.parameters, node.extra, work);
}

/// The most bytes between rows of a copy (CU_DEVICE_ATTRIBUTE_MAX_PITCH).
static constexpr size_t kMostPitch = 0x7fffffff;

/// Copies of bytes on the device alone.
static int workOfNode(Driver &driver, const CopyNodeParams &node, std::function<int()> &work) {
  for (const CopySide *side : {&node.from, &node.to})
    if (side->memoryType != 2 || side->x || side->y || side->z || side->level || side->array || side->reserved ||
        side->pitch > kMostPitch || (side->pitch && side->pitch < node.width) ||
        !driver.current()->memory.holding(side->device, node.width))
      return kInvalidValue;
  if (node.height != 1 || node.depth != 1 || node.width == 0)
    return kInvalidValue;
  work = [device = driver.current(), to = node.to.device, from = node.from.device, size = node.width] {
    return copyOnDevice(*device, to, from, size);
  };
  return kSuccess;
}

/// A graph of its own, with copies of the bodies.
static std::shared_ptr<Graph> copyOf(const Graph &graph) {
  auto copy = std::make_shared<Graph>(graph);
  for (GraphNode &node : copy->nodes)
    if (node.body)
      node.body = copyOf(*node.body);
  return copy;
}

/// The graph, or a body in it, that the node of a handle is in; null: none.
static Graph *graphOf(Graph &graph, const GraphNodeHandle &handle) {
  if (handle.number < graph.handles.size() && graph.handles[handle.number].get() == &handle)
    return &graph;
  for (GraphNode &node : graph.nodes)
    if (Graph *inner = node.body ? graphOf(*node.body, handle) : nullptr)
      return inner;
  return nullptr;
}

/// Whether a condition holds now. A result.
static int readCondition(Driver &driver, DriverDevice &device, uint64_t condition, bool &holds) {
  const Allocation *place = device.memory.holding(condition, sizeof(uint32_t));
  if (!place || !place->init.test(0, sizeof(uint32_t))) {
    driver.report("a conditional node of a graph runs before its condition was set");
    return kLaunchFailed;
  }
  uint32_t value;
  memcpy(&value, place->data, sizeof value);
  holds = value != 0;
  return kSuccess;
}

/// Runs a node of a graph that was launched, and what stands in it.
static int runNode(Driver &driver, DriverDevice &device, const GraphNode &node) {
  if (!node.body)
    return node.run();
  for (;;) {
    bool holds = false;
    if (const int failed = readCondition(driver, device, node.condition, holds); failed || !holds)
      return failed;
    // Nodes of bodies stand in the order in which they were added, which is one of theirs.
    for (const GraphNode &inner : node.body->nodes)
      if (const int failed = runNode(driver, device, inner))
        return failed;
    if (!node.isLoop)
      return kSuccess;
  }
}

/// What a node does when the graph is launched, as it is now.
static std::function<int()> workOf(Driver &driver, DriverDevice &device, const GraphNode &node) {
  if (!node.body)
    return node.run;
  GraphNode launched = node;
  launched.body = copyOf(*node.body);
  return [&driver, &device, launched = std::move(launched)] { return runNode(driver, device, launched); };
}

/// The handles in a graph, and in bodies in it, that have a value of their own when it is launched.
static void findSetAtLaunch(const Driver &driver, const Graph &graph, std::vector<uint64_t> &handles) {
  for (const GraphNode &node : graph.nodes) {
    if (!node.body)
      continue;
    if (driver.conditions.at(node.condition).isSetAtLaunch)
      handles.push_back(node.condition);
    findSetAtLaunch(driver, *node.body, handles);
  }
}

/// Adds a node after others of the graph.
static int addNode(void **made, void *graphHandle, void *const *before, size_t count, GraphNode node,
                   const DriverFunction *function) {
  if (!graphHandle)
    return kInvalidHandle;
  Graph &graph = *static_cast<Graph *>(graphHandle);
  for (size_t i = 0; i < count; ++i) {
    const size_t number = static_cast<GraphNodeHandle *>(before[i])->number;
    if (number >= graph.handles.size() || graph.handles[number].get() != before[i])
      return kInvalidValue;
    node.after.push_back(number);
  }
  graph.handles.push_back(std::make_shared<GraphNodeHandle>(GraphNodeHandle{graph.nodes.size(), function}));
  graph.nodes.push_back(std::move(node));
  *made = graph.handles.back().get();
  return kSuccess;
}
template <typename Params>
static int addNode(Driver &driver, void **made, void *graphHandle, void *const *before, size_t count,
                   const Params &params, const DriverFunction *function, const std::string &kind) {
  GraphNode node;
  node.kind = kind;
  if (const int wrong = workOfNode(driver, params, node.run))
    return wrong;
  return addNode(made, graphHandle, before, count, std::move(node), function);
}

/// Changes a node of an executable graph, of what it was launched with before nothing.
template <typename Params>
static int changeNode(Driver &driver, void *executable, void *nodeHandle, const Params &params,
                      const DriverFunction *function) {
  if (!executable || !nodeHandle)
    return kInvalidHandle;
  const auto &node = *static_cast<GraphNodeHandle *>(nodeHandle);
  Graph *graph = graphOf(*static_cast<Graph *>(executable), node);
  if (!graph || !node.isGraphThere || node.function != function)
    return kInvalidValue;
  ++driver.nodesChanged;
  return workOfNode(driver, params, graph->nodes[node.number].run);
}

PTXEMU_EXPORT int cuGraphCreate(void **graph, unsigned flags) {
  PTXEMU_ENTER()
  if (flags)
    return kInvalidValue;
  *graph = new Graph;
  return kSuccess;
}
PTXEMU_EXPORT int cuGraphAddKernelNode(void **node, void *graph, void *const *before, size_t count,
                                       const void *params) {
  PTXEMU_ENTER()
  const auto &given = *static_cast<const KernelNodeParams *>(params);
  if (!given.function)
    return kInvalidHandle;
  return addNode(driver, node, graph, before, count, given, given.function, "kernel " + given.function->kernel->name);
}
PTXEMU_EXPORT int cuGraphAddMemcpyNode(void **node, void *graph, void *const *before, size_t count, const void *params,
                                       void *) {
  PTXEMU_ENTER()
  return addNode(driver, node, graph, before, count, *static_cast<const CopyNodeParams *>(params), nullptr,
                 "on device");
}
PTXEMU_EXPORT int cuGraphConditionalHandleCreate(uint64_t *handle, void *graph, void *, unsigned first,
                                                 unsigned flags) {
  PTXEMU_ENTER()
  if (driver.version < 12030)
    return kNotSupported;
  if (!graph || flags > 1)
    return kInvalidValue;
  Allocation *place = driver.current()->memory.allocate(sizeof(uint32_t), "condition of a graph");
  if (!place)
    return kOutOfMemory;
  *handle = place->base;
  driver.conditions[*handle] = {static_cast<Graph *>(graph), false, flags == 1, first};
  return kSuccess;
}
/// Conditional nodes alone.
PTXEMU_EXPORT int cuGraphAddNode(void **made, void *graph, void *const *before, size_t count, void *params) {
  PTXEMU_ENTER()
  auto &given = *static_cast<ConditionalNodeParams *>(params);
  if (driver.version < 12030 || given.kind != 13)
    return kNotSupported;
  // A handle is of one node, in the graph that it was made for.
  auto condition = driver.conditions.find(given.handle);
  if (condition == driver.conditions.end() || condition->second.graph != graph || condition->second.hasNode ||
      given.type < 0 || given.type > 1 || given.size != 1) {
    driver.report("cuGraphAddNode: a conditional node of type " + std::to_string(given.type) + " with " +
                  std::to_string(given.size) + " bodies, whose handle is of another graph, of another node, or none");
    return kInvalidValue;
  }
  GraphNode node;
  node.kind = given.type == 1 ? "while" : "if";
  node.body = std::make_shared<Graph>();
  node.condition = given.handle;
  node.isLoop = given.type == 1;
  Graph *body = node.body.get();
  if (const int wrong = addNode(made, graph, before, count, std::move(node), nullptr))
    return wrong;
  condition->second.hasNode = true;
  driver.bodies.push_back(std::make_unique<void *>(body));
  given.bodies = driver.bodies.back().get();
  return kSuccess;
}
PTXEMU_EXPORT int cuGraphExecKernelNodeSetParams(void *executable, void *node, const void *params) {
  PTXEMU_ENTER()
  const auto &given = *static_cast<const KernelNodeParams *>(params);
  return changeNode(driver, executable, node, given, given.function);
}
PTXEMU_EXPORT int cuGraphExecMemcpyNodeSetParams(void *executable, void *node, const void *params, void *) {
  PTXEMU_ENTER()
  return changeNode(driver, executable, node, *static_cast<const CopyNodeParams *>(params), nullptr);
}
PTXEMU_EXPORT int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long) {
  PTXEMU_ENTER()
  if (!graph)
    return kInvalidValue;
  *executable = new Graph(*copyOf(*static_cast<Graph *>(graph)));
  ++driver.graphsMade;
  return kSuccess;
}
/// Nodes of a graph that is gone, and of bodies in it, can be changed no more.
static void forgetHandles(const Graph &graph) {
  for (const auto &handle : graph.handles)
    handle->isGraphThere = false;
  for (const GraphNode &node : graph.nodes)
    if (node.body)
      forgetHandles(*node.body);
}
PTXEMU_EXPORT int cuGraphDestroy(void *graph) {
  PTXEMU_ENTER()
  forgetHandles(*static_cast<Graph *>(graph));
  delete static_cast<Graph *>(graph);
  return kSuccess;
}
PTXEMU_EXPORT int cuGraphExecDestroy(void *executable) {
  PTXEMU_ENTER()
  delete static_cast<Graph *>(executable);
  return kSuccess;
}
PTXEMU_EXPORT int cuGraphUpload(void *executable, void *stream) {
  PTXEMU_ENTER()
  return executable && !driver.streamOf(stream).point.capture ? kSuccess : kInvalidValue;
}
PTXEMU_EXPORT int cuGraphGetNodes(void *graph, void **, size_t *count) {
  PTXEMU_ENTER()
  *count = static_cast<Graph *>(graph)->nodes.size();
  return kSuccess;
}
PTXEMU_EXPORT int cuGraphLaunch(void *executable, void *streamHandle) {
  PTXEMU_ENTER()
  if (!executable)
    return kInvalidValue;
  Stream &stream = driver.streamOf(streamHandle);
  const Graph &graph = *static_cast<Graph *>(executable);
  ++driver.graphLaunches;
  if (stream.point.capture) {
    // A graph in a graph: its nodes come after what the stream recorded.
    Capture &capture = *stream.point.capture;
    const size_t base = capture.graph.nodes.size();
    std::vector<bool> isLast(graph.nodes.size(), true);
    for (const GraphNode &node : graph.nodes) {
      GraphNode copy = node;
      for (size_t &before : copy.after) {
        isLast[before] = false;
        before += base;
      }
      if (copy.after.empty())
        copy.after = stream.point.nodes;
      capture.graph.nodes.push_back(std::move(copy));
    }
    stream.point.nodes.clear();
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (isLast[i])
        stream.point.nodes.push_back(base + i);
    return kSuccess;
  }
  // Nodes are tasks between a first and a last one, in no other order than the graph's own.
  TaskRef first, last;
  DriverDevice &device = *driver.devices[stream.device];
  std::vector<uint64_t> conditions;
  findSetAtLaunch(driver, graph, conditions);
  auto begin = [&driver, &device, conditions = std::move(conditions)] {
    for (uint64_t handle : conditions) {
      Allocation &place = *device.memory.holding(handle, sizeof(uint32_t));
      memcpy(place.data, &driver.conditions[handle].first, sizeof(uint32_t));
      place.init.set(0, sizeof(uint32_t));
    }
    return kSuccess;
  };
  if (const int failed = driver.submit(stream, "graph", begin, &first))
    return failed;
  std::vector<TaskRef> made(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (const int failed = driver.submit(stream, "node", workOf(driver, device, graph.nodes[i]), &made[i]))
      return failed;
    made[i]->after = {first};
    for (size_t before : graph.nodes[i].after)
      made[i]->after.push_back(made[before]);
  }
  if (const int failed = driver.submit(stream, "graph", [] { return kSuccess; }, &last))
    return failed;
  last->after = made;
  last->after.push_back(first);
  return kSuccess;
}
PTXEMU_EXPORT int cuGraphExecUpdate_v2(void *executable, void *graphHandle, void *resultInfo) {
  PTXEMU_ENTER()
  Graph &known = *static_cast<Graph *>(executable);
  const Graph &graph = *static_cast<Graph *>(graphHandle);
  bool same = known.nodes.size() == graph.nodes.size();
  for (size_t i = 0; same && i < graph.nodes.size(); ++i)
    same = known.nodes[i].kind == graph.nodes[i].kind && known.nodes[i].after == graph.nodes[i].after;
  if (resultInfo) // what changed: success, or the topology
    *static_cast<int *>(resultInfo) = same ? 0 : 2;
  if (!same)
    return kGraphExecUpdateFailure;
  known = graph;
  return kSuccess;
}
