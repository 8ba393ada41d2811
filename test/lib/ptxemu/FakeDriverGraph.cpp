// Functions of the driver about graphs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/FakeDriver.h"

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

/// Copies of bytes on the device alone.
static int workOfNode(Driver &driver, const CopyNodeParams &node, std::function<int()> &work) {
  for (const CopySide *side : {&node.from, &node.to})
    if (side->memoryType != 2 || side->x || side->y || side->z || side->level || side->array || side->reserved ||
        !driver.current()->memory.holding(side->device, node.width))
      return kInvalidValue;
  if (node.height != 1 || node.depth != 1 || node.width == 0)
    return kInvalidValue;
  work = [device = driver.current(), to = node.to.device, from = node.from.device, size = node.width] {
    return copyOnDevice(*device, to, from, size);
  };
  return kSuccess;
}

/// Adds a node after others of the graph.
template <typename Params>
static int addNode(Driver &driver, void **made, void *graphHandle, void *const *before, size_t count,
                   const Params &params, const DriverFunction *function, const std::string &kind) {
  if (!graphHandle)
    return kInvalidHandle;
  Graph &graph = *static_cast<Graph *>(graphHandle);
  GraphNode node;
  node.kind = kind;
  for (size_t i = 0; i < count; ++i) {
    const size_t number = static_cast<GraphNodeHandle *>(before[i])->number;
    if (number >= graph.handles.size() || graph.handles[number].get() != before[i])
      return kInvalidValue;
    node.after.push_back(number);
  }
  if (const int wrong = workOfNode(driver, params, node.run))
    return wrong;
  graph.handles.push_back(std::make_shared<GraphNodeHandle>(GraphNodeHandle{graph.nodes.size(), function}));
  graph.nodes.push_back(std::move(node));
  *made = graph.handles.back().get();
  return kSuccess;
}

/// Changes a node of an executable graph, of what it was launched with before nothing.
template <typename Params>
static int changeNode(Driver &driver, void *executable, void *nodeHandle, const Params &params,
                      const DriverFunction *function) {
  if (!executable || !nodeHandle)
    return kInvalidHandle;
  Graph &graph = *static_cast<Graph *>(executable);
  const auto &node = *static_cast<GraphNodeHandle *>(nodeHandle);
  if (node.number >= graph.handles.size() || graph.handles[node.number].get() != nodeHandle || !node.isGraphThere ||
      node.function != function)
    return kInvalidValue;
  ++driver.nodesChanged;
  return workOfNode(driver, params, graph.nodes[node.number].run);
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
  *executable = new Graph(*static_cast<Graph *>(graph));
  ++driver.graphsMade;
  return kSuccess;
}
PTXEMU_EXPORT int cuGraphDestroy(void *graph) {
  PTXEMU_ENTER()
  for (const auto &handle : static_cast<Graph *>(graph)->handles)
    handle->isGraphThere = false;
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
  if (const int failed = driver.submit(stream, "graph", [] { return kSuccess; }, &first))
    return failed;
  std::vector<TaskRef> made(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (const int failed = driver.submit(stream, "node", graph.nodes[i].run, &made[i]))
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
