// What tensors look like in payloads: a function of the artifact and the batch's symbols. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_TENSORWIRE_H
#define MLCRT_CLUSTER_TENSORWIRE_H

#include "runtime/src/cluster/Transport.h"
#include "runtime/src/core/EntryRunner.h"

#include <vector>

namespace mlcrt {

/// Variables one behind the other, row-major. Their order is that of the list.
class VariableWire {
public:
  /// Of an artifact: variables of lifetime train; those of them that steps and summaries of training tasks read.
  static std::vector<int32_t> ofTraining(const Artifact &artifact);
  static std::vector<int32_t> readByTrainers(const Artifact &artifact);

  VariableWire(State &state, std::vector<int32_t> variables) : state_(state), variables_(std::move(variables)) {}
  /// Appends the variables as they lie in memory: they must not change until the message is gone.
  void send(OutgoingMessage &message);
  /// Appends copies.
  void sendCopy(OutgoingMessage &message);
  /// Overwrites the variables. kInvalidArgument if the payload is too short; some were overwritten then.
  absl::Status receive(IncomingMessage &message);

private:
  void addCopy(int32_t index, OutgoingMessage &message);

  State &state_;
  const std::vector<int32_t> variables_;
};

/// Sets of sums, one behind the other: first the numbers of rows of all sparse gradients, then each sum in the
/// artifact's order; of a sparse gradient, three sums "NAME.ids", "NAME.rows" and "NAME.count", only the rows there
/// are.
class SumWire {
public:
  explicit SumWire(const Artifact &artifact);

  /// Bytes of a set in memory for these symbols, or -1 if that overflows: what `receive` allocates.
  int64_t bytes(const Symbols &symbols) const;
  void send(const SumSet &sums, OutgoingMessage &message) const;
  /// Shapes a set for the symbols and fills it. kInvalidArgument if counts or sizes do not fit, or ids do not ascend
  /// or are no rows of their variable.
  absl::Status receive(IncomingMessage &message, const Symbols &symbols, SumSet &sums) const;

private:
  const Artifact &artifact_;
  /// For each sum the index of that which counts its rows, or -1.
  std::vector<int32_t> countOf_;
  std::vector<int32_t> counts_; ///< those that count
  /// For each of them the rows of the variable that the gradient is of.
  std::vector<int64_t> tableRows_;
};

/// Outputs of static shape, one behind the other.
class OutputWire {
public:
  static void send(const EntryOutputs &outputs, OutgoingMessage &message);
  static void sendCopy(const EntryOutputs &outputs, OutgoingMessage &message);
  static absl::Status receive(IncomingMessage &message, EntryOutputs &outputs);
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_TENSORWIRE_H
