// Reads one checkpoint; nothing in it is trusted. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_CHECKPOINTREADER_H
#define MLCRT_CHECKPOINT_CHECKPOINTREADER_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/checkpoint/Manifest.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/core/State.h"
#include "runtime/src/core/Tensor.h"

#include <string>
#include <vector>

namespace mlcrt {

/// Name of the file that completes a checkpoint.
inline constexpr const char *kManifestName = "MANIFEST.json";

/// The text of the manifest of a checkpoint directory; errors as readManifest.
absl::StatusOr<std::string> readManifestText(const std::string &directory);
/// Reads the manifest of a checkpoint directory. kNotFound (E0401): `directory` is no complete checkpoint; else as
/// manifestFromText.
absl::StatusOr<CheckpointManifest> readManifest(const std::string &directory);

/// The tensors of a checkpoint, in any order.
class CheckpointReader {
public:
  /// Opens every file of the manifest, and proves its vocabularies. kDataLoss names a file that is missing, of another
  /// size, damaged or not well formed.
  static absl::StatusOr<CheckpointReader> open(const std::string &directory, const CheckpointManifest &manifest);

  /// Reads a variable of the manifest into `value`, proven by its checksum. kDataLoss names file, tensor and bytes.
  absl::Status read(const VariableRecord &variable, Tensor &value) const;
  /// Reads rows of a variable to `to`, proven: what is in files beside them and has no checksum of its own is read,
  /// too, but not kept. kDataLoss as above.
  absl::Status readRows(const VariableRecord &variable, RowRange rows, void *to) const;
  /// Proves a variable, or the parts of it that have some of `rows`, and keeps nothing.
  absl::Status prove(const VariableRecord &variable, RowRange rows) const;
  /// Reads `bytes` of the variable's bytes, row-major, from `offset` on. It was proven before.
  absl::Status readBytes(const VariableRecord &variable, int64_t offset, int64_t bytes, void *to) const {
    return readBytes(variable.parts(), offset, bytes, to);
  }
  /// The same of parts whose rows ascend, each once: those of one variable, or of several as rows of one.
  absl::Status readBytes(const std::vector<SliceRecord> &parts, int64_t offset, int64_t bytes, void *to) const;

private:
  std::vector<SafetensorsReader> files_; ///< in the manifest's order
};

/// CRC-32C of all bytes of a file. kDataLoss: unreadable.
absl::StatusOr<uint32_t> crcOfFile(const std::string &path);
/// Proves the checkpoint's vocabularies, if it has any. kDataLoss names the file.
absl::Status checkVocabularies(const std::string &directory, const CheckpointManifest &manifest);
/// Opens one file of a checkpoint, as CheckpointReader::open.
absl::StatusOr<SafetensorsReader> openCheckpointFile(const std::string &directory, const FileRecord &file);
/// Reads a part of a variable (VariableRecord::parts) from its file to `to`, as CheckpointReader::read. Null: proves
/// it.
absl::Status readPart(const SafetensorsReader &file, const VariableRecord &variable, const SliceRecord &part, void *to);
/// All rows of a variable; a scalar has one.
RowRange allRows(const VariableRecord &variable);

/// "f32[3, 4]".
std::string typeText(int32_t dtype, const std::vector<int64_t> &shape);

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_CHECKPOINTREADER_H
