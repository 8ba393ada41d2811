// What servers copied of the state, as the chief takes it. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_COPIEDSTATE_H
#define MLCRT_CLUSTER_COPIEDSTATE_H

#include "runtime/src/cluster/ServerCalls.h"
#include "runtime/src/core/Artifact.h"
#include "runtime/src/core/RowFeed.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mlcrt {

/// What a server or the way to it says, as a message about its part of a checkpoint: kFailedPrecondition (E0411),
/// kResourceExhausted and kPermissionDenied (E0405), else kUnavailable (E0410).
absl::Status serverError(size_t server, const absl::Status &status, const std::string &place);

/// The copies that servers made for a snapshot (method "copied"), put together. However large they are, a few pieces of
/// kMostFilled bytes are here at a time.
class CopiedState {
public:
  /// Takes pieces of values, one after the other.
  using Write = std::function<absl::Status(const void *data, int64_t bytes)>;

  /// References outlive this; `run` as in the plan that the servers were loaded with.
  CopiedState(const Artifact &artifact, const ServerLinks &servers, uint64_t run, std::chrono::milliseconds timeout)
      : artifact_(artifact), servers_(servers), run_(run), timeout_(timeout) {}

  /// Hands all bytes of a variable, row-major, to `write`. Errors as serverError, about `place`, and those of `write`.
  absl::Status read(int32_t variable, const std::string &place, const Write &write) const;
  /// The same for some of its bytes, which are in it.
  absl::Status readBytes(int32_t variable, int64_t offset, int64_t bytes, const std::string &place,
                         const Write &write) const;
  /// The same for rows, ascending.
  absl::Status readRows(int32_t variable, const std::vector<int64_t> &rows, const std::string &place,
                        const Write &write) const;

private:
  struct Piece;
  struct Flight;
  /// Rows of a variable and whose they are, ascending.
  std::vector<std::pair<RowRange, size_t>> partsOf(int32_t variable) const;
  std::shared_ptr<Flight> ask(const Piece &piece) const;
  absl::Status take(const Piece &piece, std::shared_ptr<Flight> flight, char *to) const;
  absl::Status takeAll(const std::vector<Piece> &pieces, const std::string &place, const Write &write) const;

  const Artifact &artifact_;
  const ServerLinks &servers_;
  const uint64_t run_;
  const std::chrono::milliseconds timeout_;
};

/// Tables that stay on the servers, as they were copied: rows are taken when they are needed. The copy stays as long as
/// this is used.
class CopiedRows : public TableSource {
public:
  /// Gives `state` the variables of CheckpointRows::variablesInState; of other tables that entries which evaluate or
  /// predict read the rows stay where they are. Errors as CopiedState.
  static absl::StatusOr<std::unique_ptr<CopiedRows>> open(const CopiedState &copied, const Artifact &artifact,
                                                          State &state, const std::string &place);

  bool has(int32_t variable) const override { return isHere_[static_cast<size_t>(variable)]; }
  absl::Status readRows(int32_t variable, const std::vector<int64_t> &rows, char *to) override;
  absl::Status readBytes(int32_t variable, int64_t offset, int64_t bytes, void *to) const override;

private:
  CopiedRows(CopiedState copied, std::string place) : copied_(copied), place_(std::move(place)) {}

  const CopiedState copied_;
  const std::string place_; ///< for messages
  std::vector<bool> isHere_;
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_COPIEDSTATE_H
