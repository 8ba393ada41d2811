// Vocabularies in checkpoints and files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/Vocabulary.h"

#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/CheckpointReader.h"
#include "runtime/src/checkpoint/Safetensors.h"
#include "runtime/src/checkpoint/StatusMessage.h"

#include <algorithm>
#include <filesystem>
#include <unordered_map>

namespace mlcrt {

/// Above this no vocabulary is taken for one.
static constexpr int64_t kMaxVocabularyBytes = int64_t{1} << 34;

absl::StatusOr<Vocabulary> vocabularyOf(const mlcrt_artifact &artifact, const std::string &name) {
  for (int32_t t = 0; t < artifact.num_tables; ++t) {
    const mlcrt_table &table = artifact.tables[t];
    if (table.name != name)
      continue;
    Vocabulary vocabulary;
    vocabulary.numOov = table.num_oov;
    vocabulary.terms.reserve(static_cast<size_t>(table.num_terms));
    for (int64_t i = 0; i < table.num_terms; ++i)
      vocabulary.terms.push_back(table.dtype == MLCRT_STRING
                                     ? std::string(table.data + table.offsets[i], table.data + table.offsets[i + 1])
                                     : std::to_string(table.ints[i]));
    return vocabulary;
  }
  return absl::NotFoundError("no table '" + name + "' in the artifact");
}

absl::Status writeVocabularies(const std::string &path, const mlcrt_artifact &artifact, CheckpointManifest &manifest) {
  std::vector<std::string> bytes;
  std::vector<std::vector<int64_t>> ends;
  std::vector<TensorInfo> tensors;
  manifest.tables.clear();
  for (const VocabularyRecord &use : manifest.vocabularies) {
    auto known = [&](const TableRecord &table) { return table.name == use.table; };
    if (std::any_of(manifest.tables.begin(), manifest.tables.end(), known))
      continue;
    absl::StatusOr<Vocabulary> vocabulary = vocabularyOf(artifact, use.table);
    if (!vocabulary.ok())
      return vocabulary.status();
    manifest.tables.push_back({use.table, vocabulary->numOov});
    std::string &text = bytes.emplace_back();
    std::vector<int64_t> &at = ends.emplace_back();
    for (const std::string &term : vocabulary->terms) {
      text += term;
      at.push_back(static_cast<int64_t>(text.size()));
    }
    TensorInfo terms, offsets;
    terms.name = use.table + ".terms";
    terms.dtype = MLCRT_U8;
    terms.shape = {static_cast<int64_t>(text.size())};
    offsets.name = use.table + ".ends";
    offsets.dtype = MLCRT_I64;
    offsets.shape = {static_cast<int64_t>(at.size())};
    tensors.push_back(std::move(terms));
    tensors.push_back(std::move(offsets));
  }
  absl::StatusOr<SafetensorsFile> file = writeSafetensors(path, tensors, [&](size_t i) -> absl::StatusOr<const void *> {
    return i % 2 == 0 ? static_cast<const void *>(bytes[i / 2].data()) : ends[i / 2].data();
  });
  if (!file.ok())
    return file.status();
  manifest.vocabularyFile = {std::filesystem::path(path).filename().string(), file->size, file->crc};
  return absl::OkStatus();
}

absl::StatusOr<Vocabulary> readVocabulary(const std::string &directory, const CheckpointManifest &manifest,
                                          const std::string &table) {
  const FileRecord &file = manifest.vocabularyFile;
  std::string path = directory + "/" + file.path;
  auto damaged = [&](const std::string &what) { return fileError(absl::StatusCode::kDataLoss, "E0403", path, what); };
  auto record = std::find_if(manifest.tables.begin(), manifest.tables.end(),
                             [&](const TableRecord &each) { return each.name == table; });
  if (record == manifest.tables.end())
    return damaged("lacks the vocabulary '" + table + "'");
  absl::StatusOr<SafetensorsReader> reader = openCheckpointFile(directory, file);
  if (!reader.ok())
    return reader.status();
  const TensorInfo *terms = reader->find(table + ".terms"), *ends = reader->find(table + ".ends");
  if (!terms || !ends || terms->dtype != MLCRT_U8 || ends->dtype != MLCRT_I64)
    return damaged("lacks the vocabulary '" + table + "'");
  std::string text(static_cast<size_t>(terms->bytes), '\0');
  std::vector<int64_t> at(static_cast<size_t>(ends->bytes) / sizeof(int64_t));
  if (absl::Status status = reader->read(*terms, text.data()); !status.ok())
    return status;
  if (absl::Status status = reader->read(*ends, at.data()); !status.ok())
    return status;
  Vocabulary vocabulary;
  vocabulary.numOov = record->numOov;
  int64_t start = 0;
  for (int64_t end : at) {
    if (end < start || end > terms->bytes)
      return damaged("has a vocabulary whose terms do not follow each other");
    vocabulary.terms.emplace_back(text, static_cast<size_t>(start), static_cast<size_t>(end - start));
    start = end;
  }
  return vocabulary;
}

absl::StatusOr<Vocabulary> readVocabularyFile(const std::string &path, int64_t limit) {
  absl::StatusOr<std::string> text = readWholeFile(path, kMaxVocabularyBytes);
  if (absl::IsNotFound(text.status()))
    return fileError(absl::StatusCode::kNotFound, "E0400", path, "no such file");
  if (!text.ok())
    return text.status();
  Vocabulary vocabulary;
  for (size_t start = 0;
       start < text->size() && (limit < 0 || static_cast<int64_t>(vocabulary.terms.size()) < limit);) {
    size_t end = std::min(text->find('\n', start), text->size());
    size_t length = end - start;
    if (length > 0 && (*text)[end - 1] == '\r')
      --length;
    vocabulary.terms.emplace_back(*text, start, length);
    start = end + 1;
  }
  return vocabulary;
}

std::vector<int64_t> matchTerms(const Vocabulary &before, const Vocabulary &now) {
  std::unordered_map<std::string_view, int64_t> ids;
  for (size_t i = 0; i < before.terms.size(); ++i)
    ids.emplace(before.terms[i], static_cast<int64_t>(i));
  std::vector<int64_t> from;
  for (const std::string &term : now.terms) {
    auto it = ids.find(term);
    from.push_back(it == ids.end() ? -1 : it->second);
  }
  for (int64_t bucket = 0; bucket < now.numOov; ++bucket)
    from.push_back(before.numOov == now.numOov ? static_cast<int64_t>(before.terms.size()) + bucket : -1);
  return from;
}

} // namespace mlcrt
