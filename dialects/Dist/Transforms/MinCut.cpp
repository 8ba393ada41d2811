// Dinic's maximum flow, and placements by minimum cut or by steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Dist/Transforms/MinCut.h"

#include <algorithm>
#include <cassert>
#include <deque>

using namespace mlc::dist;

static constexpr unsigned kUnreached = ~0u;

//===-- flow ----------------------------------------------------------------------===//

unsigned FlowNetwork::addNode() {
  edgesOf.emplace_back();
  return static_cast<unsigned>(edgesOf.size() - 1);
}

void FlowNetwork::addEdge(unsigned from, unsigned to, int64_t capacity) {
  assert(capacity >= 0 && from < edgesOf.size() && to < edgesOf.size());
  edgesOf[from].push_back(static_cast<unsigned>(edges.size()));
  edges.push_back({to, capacity});
  edgesOf[to].push_back(static_cast<unsigned>(edges.size()));
  edges.push_back({from, 0});
}

/// Distances from the source along edges with capacity left; whether the sink is reached.
bool FlowNetwork::findLevels(unsigned source) {
  level.assign(edgesOf.size(), kUnreached);
  level[source] = 0;
  std::deque<unsigned> open = {source};
  while (!open.empty()) {
    unsigned node = open.front();
    open.pop_front();
    for (unsigned e : edgesOf[node])
      if (edges[e].left > 0 && level[edges[e].to] == kUnreached) {
        level[edges[e].to] = level[node] + 1;
        open.push_back(edges[e].to);
      }
  }
  return level[sink] != kUnreached;
}

/// Pushes at most `most` from `node` to the sink along rising levels; what got there. A path is no longer than the
/// graph is deep, but a program may be: no recursion.
int64_t FlowNetwork::push(unsigned source, int64_t most) {
  std::vector<unsigned> path; // edges from the source on
  unsigned node = source;
  while (node != sink) {
    if (next[node] < edgesOf[node].size()) {
      unsigned e = edgesOf[node][next[node]];
      if (edges[e].left > 0 && level[edges[e].to] == level[node] + 1) {
        path.push_back(e);
        node = edges[e].to;
      } else {
        ++next[node];
      }
    } else if (path.empty()) {
      return 0;
    } else {
      // A dead end: nobody goes there again in this phase.
      node = edges[path.back() ^ 1].to;
      path.pop_back();
      ++next[node];
    }
  }
  for (unsigned e : path)
    most = std::min(most, edges[e].left);
  for (unsigned e : path) {
    edges[e].left -= most;
    edges[e ^ 1].left += most;
  }
  return most;
}

int64_t FlowNetwork::maximize(unsigned source, unsigned theSink) {
  sink = theSink;
  int64_t flow = 0;
  while (findLevels(source)) {
    next.assign(edgesOf.size(), 0);
    while (int64_t pushed = push(source, kInfinite))
      flow += pushed;
  }
  return flow;
}

std::vector<bool> FlowNetwork::sourceSide() const {
  // All from which no capacity leads to the sink.
  std::vector<bool> side(edgesOf.size(), true);
  side[sink] = false;
  std::deque<unsigned> open = {sink};
  while (!open.empty()) {
    unsigned node = open.front();
    open.pop_front();
    for (unsigned e : edgesOf[node]) {
      unsigned before = edges[e].to;
      if (edges[e ^ 1].left > 0 && side[before]) {
        side[before] = false;
        open.push_back(before);
      }
    }
  }
  return side;
}

//===-- placements ------------------------------------------------------------------===//

bool PlacementProblem::isFixed(unsigned node) const {
  return costs[node].size() - std::count(costs[node].begin(), costs[node].end(), kNever) == 1;
}

unsigned PlacementProblem::firstDevice(unsigned node) const {
  unsigned device = 0;
  while (costs[node][device] == kNever)
    ++device;
  return device;
}

/// Cost of one value: for each device other than its own on which it is used. Unplaced users (kUnreached) count for
/// nothing.
static int64_t costOf(const PlacementProblem::Crossing &crossing, const Placement &placement) {
  std::vector<unsigned> devices;
  for (unsigned user : crossing.to)
    if (placement[user] != kUnreached && placement[user] != placement[crossing.from])
      devices.push_back(placement[user]);
  std::sort(devices.begin(), devices.end());
  return crossing.cost * (std::unique(devices.begin(), devices.end()) - devices.begin());
}

int64_t mlc::dist::costOf(const PlacementProblem &problem, const Placement &placement) {
  int64_t cost = 0;
  for (size_t node = 0; node < placement.size(); ++node)
    cost += problem.costs[node][placement[node]];
  for (const auto &crossing : problem.crossings)
    cost += ::costOf(crossing, placement);
  return cost;
}

std::optional<std::pair<unsigned, unsigned>> mlc::dist::devicesOfChoice(const PlacementProblem &problem) {
  std::vector<unsigned> devices;
  for (unsigned node = 0; node < problem.costs.size(); ++node) {
    if (problem.isFixed(node))
      continue;
    for (unsigned device = 0; device < problem.costs[node].size(); ++device)
      if (problem.costs[node][device] != PlacementProblem::kNever &&
          std::find(devices.begin(), devices.end(), device) == devices.end())
        devices.push_back(device);
    if (devices.size() > 2)
      return std::nullopt;
  }
  if (devices.size() != 2)
    return std::nullopt;
  return std::pair(std::min(devices[0], devices[1]), std::max(devices[0], devices[1]));
}

Placement mlc::dist::placeByMinCut(const PlacementProblem &problem, std::pair<unsigned, unsigned> devices) {
  const unsigned first = devices.first, second = devices.second;
  const auto numNodes = static_cast<unsigned>(problem.costs.size());
  const unsigned source = numNodes, sink = numNodes + 1;
  FlowNetwork network(numNodes + 2);
  // The source's side is the first device. A node pays what its edge to the other side holds.
  auto isElsewhere = [&](unsigned node) {
    return problem.costs[node][first] == PlacementProblem::kNever &&
           problem.costs[node][second] == PlacementProblem::kNever;
  };
  auto capacity = [](int64_t cost) { return cost == PlacementProblem::kNever ? FlowNetwork::kInfinite : cost; };
  for (unsigned node = 0; node < numNodes; ++node) {
    if (isElsewhere(node))
      continue;
    network.addEdge(node, sink, capacity(problem.costs[node][first]));
    network.addEdge(source, node, capacity(problem.costs[node][second]));
  }
  for (const auto &crossing : problem.crossings) {
    const bool fromElsewhere = isElsewhere(crossing.from);
    // Used on the second device, made on the first (or elsewhere): paid once, by a node that all its users pull along.
    unsigned toSecond = network.addNode(), toFirst = network.addNode();
    network.addEdge(fromElsewhere ? source : crossing.from, toSecond, crossing.cost);
    network.addEdge(toFirst, fromElsewhere ? sink : crossing.from, crossing.cost);
    for (unsigned user : crossing.to) {
      if (isElsewhere(user))
        continue; // paid wherever the value is made
      network.addEdge(toSecond, user, FlowNetwork::kInfinite);
      network.addEdge(user, toFirst, FlowNetwork::kInfinite);
    }
  }
  network.maximize(source, sink);
  std::vector<bool> onFirst = network.sourceSide();
  Placement placement(numNodes);
  for (unsigned node = 0; node < numNodes; ++node)
    placement[node] = isElsewhere(node) ? problem.firstDevice(node) : onFirst[node] ? first : second;
  return placement;
}

Placement mlc::dist::placeGreedily(const PlacementProblem &problem) {
  const size_t numNodes = problem.costs.size();
  std::vector<std::vector<const PlacementProblem::Crossing *>> crossingsOf(numNodes);
  for (const auto &crossing : problem.crossings) {
    crossingsOf[crossing.from].push_back(&crossing);
    for (unsigned user : crossing.to)
      if (crossingsOf[user].empty() || crossingsOf[user].back() != &crossing)
        crossingsOf[user].push_back(&crossing);
  }
  Placement placement(numNodes, kUnreached);
  for (unsigned node = 0; node < numNodes; ++node)
    if (problem.isFixed(node))
      placement[node] = problem.firstDevice(node);
  // The cheapest device of a node beside those that are placed; where it is, if that is as cheap.
  auto choose = [&](unsigned node) {
    unsigned before = placement[node], best = before;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (unsigned device = 0; device < problem.costs[node].size(); ++device) {
      if (problem.costs[node][device] == PlacementProblem::kNever)
        continue;
      placement[node] = device;
      int64_t cost = problem.costs[node][device];
      for (const auto *crossing : crossingsOf[node])
        if (placement[crossing->from] != kUnreached)
          cost += ::costOf(*crossing, placement);
      if (cost < least || (cost == least && device == before)) {
        least = cost;
        best = device;
      }
    }
    placement[node] = best;
    return best != before;
  };
  for (unsigned node = 0; node < numNodes; ++node)
    if (placement[node] == kUnreached)
      choose(node);
  // Each move makes it cheaper, so it ends; the bound keeps it short.
  constexpr int kMostRounds = 32;
  bool moved = true;
  for (int round = 0; moved && round < kMostRounds; ++round) {
    moved = false;
    for (unsigned node = 0; node < numNodes; ++node)
      if (!problem.isFixed(node) && choose(node))
        moved = true;
  }
  return placement;
}
