// The terms that rows and columns of variables stand for. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_VOCABULARY_H
#define MLCRT_CHECKPOINT_VOCABULARY_H

#include "absl/status/statusor.h"
#include "runtime/src/checkpoint/Manifest.h"
#include "runtime/src/core/Artifact.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlcrt {

/// Terms in the order of their ids; integers as decimal text. The ids of OOV buckets follow.
struct Vocabulary {
  std::vector<std::string> terms;
  int64_t numOov = 0;

  int64_t size() const { return static_cast<int64_t>(terms.size()) + numOov; }
};

/// The vocabulary of the artifact's table; kNotFound if it has none of that name.
absl::StatusOr<Vocabulary> vocabularyOf(const mlcrt_artifact &artifact, const std::string &table);

/// Writes the tables that manifest.vocabularies names to `path` (two tensors each: <table>.terms, u8, the terms after
/// each other; <table>.ends, i64, where they end) and notes them and the file in the manifest. Errors as
/// writeSafetensors.
absl::Status writeVocabularies(const std::string &path, const mlcrt_artifact &artifact, CheckpointManifest &manifest);

/// Reads a vocabulary of a checkpoint, which CheckpointReader::open proved. kDataLoss names the file.
absl::StatusOr<Vocabulary> readVocabulary(const std::string &directory, const CheckpointManifest &manifest,
                                          const std::string &table);

/// Reads a file of one term per line, of which the first `limit` count (-1: all). kNotFound, kDataLoss name the file.
absl::StatusOr<Vocabulary> readVocabularyFile(const std::string &path, int64_t limit);

/// For each id of `now` the id that its term had in `before`, or -1. OOV buckets correspond if there are as many.
std::vector<int64_t> matchTerms(const Vocabulary &before, const Vocabulary &now);

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_VOCABULARY_H
