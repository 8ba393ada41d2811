// Who writes the files of a checkpoint: this process, or the servers that hold the state. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_SHARDWRITER_H
#define MLCRT_CHECKPOINT_SHARDWRITER_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/checkpoint/Manifest.h"
#include "runtime/src/core/Artifact.h"
#include "runtime/src/core/State.h"
#include "runtime/src/core/ThreadPool.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// Rows of a tensor in a file that was written.
struct ShardPart {
  int32_t tensor = 0; ///< index in Artifact::tensors
  RowRange rows;      ///< of the tensor; a scalar has one
  int64_t offset = 0, bytes = 0;
  uint32_t crc = 0;
};

/// A file that was written.
struct ShardFile {
  FileRecord file; ///< its path is the name it has in a complete checkpoint
  /// The name it has until then, if that is another: nobody but who completes the checkpoint gives it its own.
  std::string temporary;
  std::vector<ShardPart> parts;
};

/// "ps-00001-of-00004.safetensors".
std::string shardName(int64_t number, int64_t shards);
/// Whether a file is called so, or as the temporary name of such a file.
bool isShardName(std::string_view name);
/// The name that the file has for a run until the checkpoint is complete: what a run that was given up writes late
/// never has the name of another run's file.
std::string temporaryShardName(const std::string &name, uint64_t run);

/// Writes rows of tensors to one file: those of lifetime train among `tensors` (indices, ascending) that have some of
/// the rows that `held` says of their variables. `values` gives the bytes of these rows of a variable, valid until the
/// next call; tensors of one variable ask again. Errors as writeSafetensors.
absl::StatusOr<ShardFile> writeShard(const std::string &path, const Artifact &artifact,
                                     const std::vector<int32_t> &tensors,
                                     const std::function<RowRange(int32_t variable)> &held,
                                     const std::function<const void *(int32_t variable)> &values);
/// The same for values that are nowhere whole: `pieces` hands the bytes of these rows of a variable to `write`, one
/// piece after another.
using RowPieces = std::function<absl::Status(int32_t variable, RowRange rows,
                                             const std::function<absl::Status(const void *, int64_t)> &write)>;
absl::StatusOr<ShardFile> writeShardByPieces(const std::string &path, const Artifact &artifact,
                                             const std::vector<int32_t> &tensors,
                                             const std::function<RowRange(int32_t variable)> &held,
                                             const RowPieces &pieces);

/// Keeps what the state was after a step and writes it while training goes on. `snapshot` is called by the thread that
/// trains, `write` by the one that saves; a snapshot comes when no write is on its way.
class ShardWriter {
public:
  virtual ~ShardWriter() = default;
  /// Copies the variables of the indices that `wanted` says, as they are after `step`, over what was copied before.
  virtual absl::Status snapshot(int64_t step, const std::vector<bool> &wanted) = 0;
  /// Writes tensors (indices, ascending), whose variables were copied, to files in `directory`, durably. On an error,
  /// some files may be there.
  virtual absl::StatusOr<std::vector<ShardFile>> write(const std::string &directory,
                                                       const std::vector<int32_t> &tensors) = 0;
  /// Training is at `step`, and no write is on its way: a copy of an earlier one is needed no more.
  virtual void forget(int64_t) {}
  /// Says in a manifest who wrote.
  virtual void describe(CheckpointManifest &) const {}
};

/// Of a process that has all of the state: one file. The copy is made by all threads of the pool and kept for the next
/// one: it takes as much memory as the state.
class LocalShards : public ShardWriter {
public:
  LocalShards(const Artifact &artifact, State &state, ThreadPool &pool)
      : artifact_(artifact), state_(state), pool_(pool) {}
  absl::Status snapshot(int64_t step, const std::vector<bool> &wanted) override;
  absl::StatusOr<std::vector<ShardFile>> write(const std::string &directory,
                                               const std::vector<int32_t> &tensors) override;

private:
  const Artifact &artifact_;
  State &state_;
  ThreadPool &pool_;
  std::vector<Tensor> copy_;
};

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_SHARDWRITER_H
