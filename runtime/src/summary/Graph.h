// The graph of a model as TensorBoard shows it. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_SUMMARY_GRAPH_H
#define MLCRT_SUMMARY_GRAPH_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// An op or a variable.
struct GraphNode {
  std::string name; ///< with the scopes that it stands in: "dnn/hiddenlayer_0/matmul"
  std::string op;
  std::vector<int32_t> inputs;               ///< nodes, by number
  std::optional<std::vector<int64_t>> shape; ///< of its first result, -1: of the data
};

} // namespace mlcrt

#endif // MLCRT_SUMMARY_GRAPH_H
