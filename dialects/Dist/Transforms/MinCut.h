// Placement as a problem of graphs: nodes with a cost on each device, values with a cost for each device they cross to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DIST_TRANSFORMS_MINCUT_H
#define DIALECTS_DIST_TRANSFORMS_MINCUT_H

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace mlc::dist {

/// A directed graph with capacities, whose maximum flow and minimum cut Dinic's algorithm finds: O(nodes^2 edges), far
/// less on graphs of programs.
class FlowNetwork {
public:
  /// More than any cut that is asked for may cost.
  static constexpr int64_t kInfinite = std::numeric_limits<int64_t>::max() / 4;

  explicit FlowNetwork(unsigned numNodes) : edgesOf(numNodes) {}

  unsigned addNode();
  /// `capacity` >= 0; several edges between two nodes add up.
  void addEdge(unsigned from, unsigned to, int64_t capacity);
  /// The value of a maximum flow. Called once.
  int64_t maximize(unsigned source, unsigned sink);
  /// After `maximize`: for each node whether it is on the source's side of the minimum cut with the most nodes there.
  std::vector<bool> sourceSide() const;

private:
  struct Edge {
    unsigned to;
    int64_t left; ///< capacity that no flow uses
  };
  bool findLevels(unsigned source);
  int64_t push(unsigned node, int64_t most);

  std::vector<Edge> edges; ///< edge i and its reverse i ^ 1
  std::vector<std::vector<unsigned>> edgesOf;
  std::vector<unsigned> level, next;
  unsigned sink = 0;
};

/// What is placed: nodes, and values that they make and use.
struct PlacementProblem {
  /// The cost of a device on which a node may not be.
  static constexpr int64_t kNever = -1;

  /// For each node its cost on each device, >= 0 or kNever.
  std::vector<std::vector<int64_t>> costs;
  /// A value costs `cost` for each device, other than that of `from`, on which one of `to` is.
  struct Crossing {
    unsigned from;
    std::vector<unsigned> to;
    int64_t cost;
  };
  std::vector<Crossing> crossings;

  /// Whether the node may be on one device only.
  bool isFixed(unsigned node) const;
  /// The first device on which the node may be.
  unsigned firstDevice(unsigned node) const;
};

/// A device for each node.
using Placement = std::vector<unsigned>;

/// What a placement costs; each node must be where it may be.
int64_t costOf(const PlacementProblem &problem, const Placement &placement);

/// The two devices that all nodes with a choice have to choose from, if there are just two.
std::optional<std::pair<unsigned, unsigned>> devicesOfChoice(const PlacementProblem &problem);

/// The cheapest placement where `devices` are what devicesOfChoice says; of equals the one with the most nodes on the
/// first of them.
Placement placeByMinCut(const PlacementProblem &problem, std::pair<unsigned, unsigned> devices);

/// A placement for any number of devices: nodes in order, each where it is cheapest beside those before it, then
/// single moves while one makes it cheaper.
Placement placeGreedily(const PlacementProblem &problem);

} // namespace mlc::dist

#endif // DIALECTS_DIST_TRANSFORMS_MINCUT_H
