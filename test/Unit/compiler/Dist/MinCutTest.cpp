// Maximum flows and placements against all there are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Dist/Transforms/MinCut.h"

#include "gtest/gtest.h"

#include <random>

using namespace mlc::dist;

TEST(FlowNetwork, FindsTheFlowOfATextbook) {
  // Cormen et al., figure 26.1.
  FlowNetwork network(6);
  network.addEdge(0, 1, 16);
  network.addEdge(0, 2, 13);
  network.addEdge(2, 1, 4);
  network.addEdge(1, 3, 12);
  network.addEdge(3, 2, 9);
  network.addEdge(2, 4, 14);
  network.addEdge(4, 3, 7);
  network.addEdge(3, 5, 20);
  network.addEdge(4, 5, 4);
  EXPECT_EQ(network.maximize(0, 5), 23);
  EXPECT_EQ(network.sourceSide(), std::vector<bool>({true, true, true, false, true, false}));
}

TEST(FlowNetwork, ALongChainNeedsNoDeepStack) {
  constexpr unsigned kNodes = 200000;
  FlowNetwork network(kNodes);
  for (unsigned i = 0; i + 1 < kNodes; ++i)
    network.addEdge(i, i + 1, 2 + i % 3);
  EXPECT_EQ(network.maximize(0, kNodes - 1), 2);
}

TEST(FlowNetwork, IsTheLeastCutOfRandomGraphs) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const unsigned nodes = 2 + random() % 7;
    std::vector<std::tuple<unsigned, unsigned, int64_t>> edges;
    FlowNetwork network(nodes);
    for (unsigned i = 0, count = random() % 24; i < count; ++i) {
      edges.emplace_back(random() % nodes, random() % nodes, random() % 10);
      auto [from, to, capacity] = edges.back();
      network.addEdge(from, to, capacity);
    }
    auto cutOf = [&](unsigned side) {
      int64_t cut = 0;
      for (auto [from, to, capacity] : edges)
        if ((side >> from & 1) && !(side >> to & 1))
          cut += capacity;
      return cut;
    };
    int64_t least = FlowNetwork::kInfinite;
    for (unsigned side = 0; side < 1u << nodes; ++side)
      if ((side & 1) && !(side >> 1 & 1))
        least = std::min(least, cutOf(side));
    ASSERT_EQ(network.maximize(0, 1), least) << "round " << round;
    unsigned found = 0;
    std::vector<bool> side = network.sourceSide();
    for (unsigned node = 0; node < nodes; ++node)
      found |= side[node] << node;
    ASSERT_EQ(cutOf(found), least) << "round " << round;
  }
}

namespace {

/// A random problem: on `devices` devices, of which free nodes choose between the first `choices`; some nodes may be on
/// one device only.
PlacementProblem randomProblem(std::mt19937 &random, unsigned nodes, unsigned devices, unsigned choices) {
  PlacementProblem problem;
  for (unsigned node = 0; node < nodes; ++node) {
    std::vector<int64_t> costs(devices, PlacementProblem::kNever);
    if (random() % 3 == 0)
      costs[random() % devices] = random() % 20;
    else
      for (unsigned device = 0; device < choices; ++device)
        costs[device] = random() % 20;
    problem.costs.push_back(costs);
  }
  for (unsigned i = 0, count = random() % (2 * nodes); i < count; ++i) {
    PlacementProblem::Crossing crossing{
        static_cast<unsigned>(random() % nodes), {}, static_cast<int64_t>(random() % 15)};
    for (unsigned k = 0, users = 1 + random() % 3; k < users; ++k)
      crossing.to.push_back(random() % nodes);
    problem.crossings.push_back(crossing);
  }
  return problem;
}

/// The cost of the cheapest of all placements.
int64_t leastCost(const PlacementProblem &problem) {
  const size_t nodes = problem.costs.size(), devices = problem.costs[0].size();
  size_t all = 1;
  for (size_t node = 0; node < nodes; ++node)
    all *= devices;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (size_t number = 0; number < all; ++number) {
    Placement placement;
    bool may = true;
    for (size_t node = 0, rest = number; node < nodes; ++node, rest /= devices) {
      placement.push_back(rest % devices);
      may &= problem.costs[node][placement.back()] != PlacementProblem::kNever;
    }
    if (may)
      least = std::min(least, costOf(problem, placement));
  }
  return least;
}

void expectAllowed(const PlacementProblem &problem, const Placement &placement) {
  for (size_t node = 0; node < placement.size(); ++node)
    ASSERT_NE(problem.costs[node][placement[node]], PlacementProblem::kNever) << "node " << node;
}

} // namespace

TEST(Placement, AValueIsPaidOncePerDevice) {
  PlacementProblem problem{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {{0, {1, 2, 3}, 7}}};
  EXPECT_EQ(costOf(problem, {0, 0, 0, 0}), 0);
  EXPECT_EQ(costOf(problem, {0, 1, 1, 0}), 7);
  EXPECT_EQ(costOf(problem, {0, 1, 2, 1}), 14);
}

TEST(Placement, MinCutIsTheBestOfTwoDevices) {
  std::mt19937 random(2);
  int choices = 0;
  for (int round = 0; round < 400; ++round) {
    PlacementProblem problem = randomProblem(random, 2 + random() % 9, 2, 2);
    auto devices = devicesOfChoice(problem);
    if (!devices)
      continue;
    ++choices;
    Placement placement = placeByMinCut(problem, *devices);
    expectAllowed(problem, placement);
    ASSERT_EQ(costOf(problem, placement), leastCost(problem)) << "round " << round;
  }
  EXPECT_GT(choices, 300);
}

TEST(Placement, MinCutIsTheBestBesideNodesThatAreElsewhere) {
  std::mt19937 random(3);
  int choices = 0;
  for (int round = 0; round < 300; ++round) {
    PlacementProblem problem = randomProblem(random, 2 + random() % 6, 4, 2);
    auto devices = devicesOfChoice(problem);
    if (!devices)
      continue;
    ++choices;
    Placement placement = placeByMinCut(problem, *devices);
    expectAllowed(problem, placement);
    ASSERT_EQ(costOf(problem, placement), leastCost(problem)) << "round " << round;
  }
  EXPECT_GT(choices, 200);
}

TEST(Placement, OfEqualsTheFirstDevice) {
  PlacementProblem problem{{{1, 1}, {2, 2}}, {{0, {1}, 3}}};
  EXPECT_EQ(placeByMinCut(problem, {0, 1}), Placement({0, 0}));
}

TEST(Placement, ThreeDevicesAreNoChoiceOfTwo) {
  EXPECT_FALSE(devicesOfChoice({{{0, 0, 0}}, {}}));
  EXPECT_FALSE(devicesOfChoice({{{0, -1, -1}}, {}}));
  EXPECT_FALSE(devicesOfChoice({{{0, 0, -1}, {0, -1, 0}}, {}}));
  EXPECT_EQ(devicesOfChoice({{{0, -1, 0}, {-1, 5, -1}}, {}}), std::pair(0u, 2u));
}

/// Steps end where no single node's move makes it cheaper; how far from the best that is, is bounded here by
/// experience.
TEST(Placement, StepsEndWhereNoMoveHelps) {
  std::mt19937 random(4);
  double found = 0, best = 0;
  for (int round = 0; round < 200; ++round) {
    PlacementProblem problem = randomProblem(random, 2 + random() % 6, 3, 3);
    Placement placement = placeGreedily(problem);
    expectAllowed(problem, placement);
    const int64_t cost = costOf(problem, placement);
    for (size_t node = 0; node < placement.size(); ++node)
      for (unsigned device = 0; device < 3; ++device) {
        Placement moved = placement;
        moved[node] = device;
        if (problem.costs[node][device] != PlacementProblem::kNever) {
          ASSERT_GE(costOf(problem, moved), cost) << "round " << round;
        }
      }
    found += static_cast<double>(cost);
    best += static_cast<double>(leastCost(problem));
  }
  EXPECT_LT(found, 1.05 * best);
}
