// What tensors look like in payloads: a function of the artifact and the batch's symbols. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_TENSORWIRE_H
#define MLCRT_CLUSTER_TENSORWIRE_H

#include "runtime/src/cluster/Transport.h"
#include "runtime/src/core/EntryRunner.h"
#include "runtime/src/core/ShardPlan.h"
#include "runtime/src/core/SumRanges.h"

#include <vector>

namespace mlcrt {

/// Rows of variables one after the other, row-major. Their order is that of the list: what training tasks read goes in
/// the order of the operands of train_grad, which is that of their first use, so that it comes as it is needed.
class VariableWire {
public:
  /// Of an artifact: variables of lifetime train; those of them that steps and summaries of training tasks read, but
  /// for those that steps read by rows alone if such are pulled by rows (RowWire).
  static std::vector<int32_t> ofTraining(const Artifact &artifact);
  static std::vector<int32_t> readByTrainers(const Artifact &artifact, bool pullsRows);

  /// A server's: all that `state` holds of `variables` (ShardPlan::held).
  static VariableWire ofServer(State &state, const std::vector<int32_t> &variables, const ShardPlan &plan, int server);
  /// A training task's: the same rows, of whole variables.
  static VariableWire ofTrainer(State &state, const std::vector<int32_t> &variables, const ShardPlan &plan, int server);

  /// Appends the rows as they lie in memory: they must not change until the message is gone.
  void send(OutgoingMessage &message);
  /// Appends copies.
  void sendCopy(OutgoingMessage &message);
  /// Overwrites the rows. kInvalidArgument if the payload is too short; some were overwritten then.
  absl::Status receive(IncomingMessage &message);
  /// Appends where the rows lie, so that a payload is received in place: for whoever is alone with the state. False,
  /// and nothing appended, if some have a storage layout of their own. Says changed() of what came so.
  bool place(std::vector<Placement::Span> &spans) const;
  /// The value of a variable came to where it lies: what devices have of it is an old one.
  void changed(int32_t variable) const { state_->changed(variable); }
  /// The variables of these spans.
  std::vector<int32_t> variables() const;

private:
  struct Piece {
    int32_t variable;
    RowRange rows; ///< of what the state holds
  };
  explicit VariableWire(State &state) : state_(&state) {}
  void add(Piece piece, bool isCopy, OutgoingMessage &message);

  State *state_;
  std::vector<Piece> pieces_;
};

/// What a server gets of sets of sums (ShardPlan::sums), one set after the other: each sum in the artifact's order,
/// which is that in which they become final. Of a sparse one, three sums "NAME.ids", "NAME.rows" and "NAME.count", the
/// number of its entries, then the entries. Ids are those of whole variables.
class SumWire {
public:
  /// `ranges`: the server's.
  SumWire(const Artifact &artifact, const SumRanges &ranges);

  /// Bytes of a set of dense sums in memory for these symbols, or -1 if that overflows: what `receive` allocates beside
  /// what it reads.
  int64_t bytes(const Symbols &symbols) const;
  /// Bytes that `send` makes of a set of sums for these symbols at most: of a sparse sum as many rows as there can be.
  /// INT64_MAX if that overflows.
  int64_t mostSent(const Symbols &symbols) const;
  /// Appends the server's part of whole sums.
  void send(const SumSet &sums, OutgoingMessage &message) const;
  /// Appends that of one sum; of a sparse one, given by its "t.ids", that of all three parts, of another part nothing.
  void sendSum(const SumSet &sums, int32_t index, std::vector<Slice> &slices) const;
  /// Shapes a set for the symbols and fills it; ids become those of the server's rows. kInvalidArgument if counts or
  /// sizes do not fit, or ids do not ascend or are no rows of the server's.
  /// From sum `first` on: those before it are in their place.
  absl::Status receive(IncomingMessage &message, const Symbols &symbols, SumSet &sums, int32_t first = 0) const;
  /// A server's. Shapes the sums at the front of a message whose size follows from `symbols`, and appends where they
  /// belong; returns the first sum after them.
  int32_t place(const Symbols &symbols, SumSet &sums, std::vector<Placement::Span> &spans) const;

private:
  absl::Status receiveEntries(IncomingMessage &message, int32_t ids, const Symbols &symbols, SumSet &sums) const;

  const Artifact &artifact_;
  const SumRanges ranges_;
};

/// Outputs of static shape, one after the other.
class OutputWire {
public:
  static void send(const EntryOutputs &outputs, OutgoingMessage &message);
  static void sendCopy(const EntryOutputs &outputs, OutgoingMessage &message);
  static absl::Status receive(IncomingMessage &message, EntryOutputs &outputs);
  /// Shapes the outputs and appends where they lie.
  static void place(EntryOutputs &outputs, std::vector<Placement::Span> &spans);
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_TENSORWIRE_H
