// MANIFEST.json of a checkpoint: what it holds and the checksums that prove it. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_MANIFEST_H
#define MLCRT_CHECKPOINT_MANIFEST_H

#include "absl/status/statusor.h"
#include "mlcrt/abi.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mlcrt {

/// A file with what identifies its contents.
struct FileRecord {
  std::string path; ///< data files: as read; files of the checkpoint: name within its directory
  int64_t size = 0;
  uint32_t crc = 0; ///< CRC-32C of all bytes
};

/// Rows of a variable in a file.
struct SliceRecord {
  int64_t file = 0;           ///< index into CheckpointManifest.files
  int64_t begin = 0, end = 0; ///< rows [begin, end); a scalar has one row
  int64_t offset = 0;         ///< of the first byte in the file
  int64_t bytes = 0;
  uint32_t crc = 0; ///< CRC-32C of the bytes
};

/// A variable in a checkpoint.
struct VariableRecord {
  std::string name;
  mlcrt_dtype dtype = MLCRT_F32;
  std::vector<int64_t> shape;
  int64_t file = 0;   ///< index into CheckpointManifest.files; of a sliced variable 0, as are offset and crc
  int64_t offset = 0; ///< of the first byte in the file
  int64_t bytes = 0;
  uint32_t crc = 0;   ///< CRC-32C of the bytes
  std::string slotOf; ///< name of the variable this is an optimizer slot of, or empty
  std::string slot;   ///< name of the slot ("accumulator"), or empty
  /// Ascending, all rows once; empty where one file has the whole variable. In files the slices are tensors of the
  /// variable's name.
  std::vector<SliceRecord> slices;

  /// The slices, or the one that is all of it.
  std::vector<SliceRecord> parts() const;
};

/// Rows (axis 0) or columns (axis 1) of a variable stand for the terms of a table.
struct VocabularyRecord {
  std::string variable;
  int64_t axis = 0;
  std::string table;
};

/// A table of terms in CheckpointManifest.vocabularyFile.
struct TableRecord {
  std::string name;
  int64_t numOov = 0;
};

/// A batch before the reader's position that no step was done with: others were done before it.
struct OutstandingBatch {
  int64_t step = 0; ///< its number
  int64_t epoch = 0, position = 0, rows = 0;
};

/// How far a rule of early stopping is.
struct StopRecord {
  std::string metric, eval, stopIf;
  int64_t bestStep = -1; ///< of the best evaluation; -1: none counted yet
  double best = 0;
  int64_t lastStep = -1; ///< of the last evaluation that counted
  double last = 0;
  /// The evaluation of this checkpoint's step was due and is not in the fields above: whoever resumes does it first.
  bool isPending = false;
};

/// Everything in MANIFEST.json.
struct CheckpointManifest {
  /// Newest version of the format; a reader refuses newer ones. A manifest is written as the oldest that can say what
  /// it holds: 2 if it has slices, else 1.
  static constexpr int64_t kFormat = 2;

  std::string model; ///< name of the artifact
  std::string stateFingerprint;
  std::string policy; ///< name of the train.checkpoint that chose a part of the state; empty: all of it is here
  int64_t step = 0;
  int64_t seed = 0;
  int64_t virtualShards = 1;
  std::string sums;     ///< in what order devices added, where that was not the program's (Devices::sums)
  int64_t epoch = 0;    ///< of the reader
  int64_t position = 0; ///< of the reader: examples of the epoch that are done
  std::vector<OutstandingBatch> outstanding;
  std::vector<FileRecord> dataFiles;
  int64_t wallTime = 0;  ///< seconds since 1970
  bool keep = false;     ///< never retired (keep_checkpoint_every_n_hours)
  int64_t keepSince = 0; ///< seconds since 1970 of the last one kept so, or of the first start
  std::vector<StopRecord> earlyStopping;
  std::vector<FileRecord> files;
  int64_t servers = 0;             ///< that wrote the files; 0: one process did
  std::vector<std::string> shards; ///< their plan, as ShardPlan::describe
  std::vector<VariableRecord> variables;
  std::vector<VocabularyRecord> vocabularies;
  FileRecord vocabularyFile; ///< empty path: there is none
  std::vector<TableRecord> tables;
  /// Path and text of the settings in force, to name what differs.
  std::vector<std::pair<std::string, std::string>> settings;

  const VariableRecord *find(std::string_view name) const;
};

/// What is wrong with the parts of a variable (rows that are missing or there twice, sizes, places beyond a file's
/// end), or an empty text.
std::string faultOfParts(const VariableRecord &variable, const std::vector<FileRecord> &files);

/// The text of MANIFEST.json: a JSON object whose last line is its key "crc32c", the checksum of all lines before.
std::string manifestToText(const CheckpointManifest &manifest);

/// Reads and checks it. kDataLoss: damaged (`path` names the file); kFailedPrecondition: a newer format.
absl::StatusOr<CheckpointManifest> manifestFromText(std::string_view text, const std::string &path);

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_MANIFEST_H
