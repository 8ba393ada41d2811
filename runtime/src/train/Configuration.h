// What an artifact's manifest and the command line say about a run. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_CONFIGURATION_H
#define MLCRT_TRAIN_CONFIGURATION_H

#include "absl/status/statusor.h"
#include "common/data/ColumnCheck.h"
#include "common/settings/Settings.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/core/Artifact.h"
#include "runtime/src/core/Program.h"
#include "runtime/src/export/Signature.h"
#include "runtime/src/input/BatchSource.h"
#include "runtime/src/input/InputFormat.h"
#include "runtime/src/summary/Graph.h"
#include "runtime/src/train/RunOptions.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mlcrt {

/// A prediction key whose value is the same for every row: texts, or else integers.
struct PredictionConstant {
  std::string name;
  std::vector<std::string> texts;
  std::vector<int64_t> numbers;
};

/// An eval set of the spec.
struct EvalSet {
  std::string name;   ///< empty for the unnamed one
  std::string prefix; ///< of its settings: "eval.valid" has eval.valid.files, "eval" (unnamed) eval.files
};

/// The table of an embedding, which a checkpoint may initialize.
struct EmbeddingTable {
  std::string variable;
  std::string prefix; ///< of its settings: "feature_column.job_embedding.embedding" has ....ckpt_to_load_from
};

/// The manifest, with the settings in force.
class Configuration {
public:
  /// Reads table().manifest (docs/manifest.md). Settings that the trainer needs and the manifest lacks get the
  /// defaults of the spec's messages Train, Eval, Predict and RunConfig; those of table().settings the artifact's.
  /// kDataLoss: damaged.
  static absl::StatusOr<Configuration> fromArtifact(const Artifact &artifact);
  /// Of a manifest whose artifact is not made yet: without the settings that only compiled code has.
  static absl::StatusOr<Configuration> fromManifest(const std::string &manifest);

  /// Applies the options of the verb that stand for settings. All errors go to `messages`.
  bool apply(const RunOptions &options, mlc::common::MessageList &messages);

  /// Gives the program what it runs with: the values of table().settings, and files to save to and load from.
  absl::Status bind(Program &program) const;

  const mlc::common::SettingsTable &settings() const { return settings_; }
  mlc::common::SettingsTable &settings() { return settings_; }
  const std::vector<EvalSet> &evalSets() const { return evalSets_; }
  /// Null if the manifest has no key "input".
  const InputFormat *input() const { return input_ ? &*input_ : nullptr; }
  /// What a sample of data is looked at for; terms stand in the artifact's tables.
  const std::vector<mlc::common::ColumnCheck> &checks() const { return checks_; }
  /// "tf2", "tf1", or empty.
  const std::string &compat() const { return compat_; }
  /// What it was compiled for: "x86-64-v3", or empty.
  const std::string &cpu() const { return cpu_; }
  /// Version and build of the compiler, or empty.
  const std::string &compiler() const { return compiler_; }
  /// Names of classes by id, of each head that is a classifier. The only head is called "".
  const std::map<std::string, std::vector<std::string>> &classes() const { return classes_; }
  /// Names of what the predict entry gives, for exports; none of a model that does not say them.
  const std::vector<ServingSignature> &signatures() const { return signatures_; }
  /// Prediction keys beside the outputs of the entry.
  const std::vector<PredictionConstant> &predictionConstants() const { return predictionConstants_; }
  /// The graph of the model for TensorBoard; none if the manifest has none.
  const std::vector<GraphNode> &graph() const { return graph_; }
  /// The resolved spec as text, or empty.
  const std::string &spec() const { return spec_; }

  /// What rows and columns of variables stand for.
  const std::vector<VocabularyRecord> &vocabularies() const { return vocabularies_; }

  /// Tables of embeddings.
  const std::vector<EmbeddingTable> &embeddings() const { return embeddings_; }

  /// Paths and texts of the settings that have a value, and of what describes the columns.
  SettingTexts texts() const;
  /// Of those that are compiled in.
  SettingTexts compiledTexts() const;

  /// An Int setting that has a default, so a value.
  int64_t number(std::string_view path) const { return settings_.getInt(path).value_or(0); }
  /// Reads arrays, or a stream, where `setting` ("train.files", "eval.files", "predict.files") names files.
  void useArrays(const std::string &setting, std::shared_ptr<const MemoryArrays> arrays) {
    sources_[setting] = {setting, {}, std::move(arrays)};
  }
  void useStream(const std::string &setting, std::shared_ptr<BatchStream> stream) {
    sources_[setting] = {setting, {}, nullptr, std::move(stream)};
  }
  /// Reads other files than those that `setting` names, in the way that `source` tells.
  void useFiles(const std::string &setting, BatchSource source) {
    source.what = setting;
    sources_[setting] = std::move(source);
  }
  /// What the files of a source look like; null if nothing tells.
  const InputFormat *formatOf(const BatchSource &source) const { return source.format ? source.format.get() : input(); }
  /// What a setting of files stands for.
  BatchSource source(const std::string &setting, RowPart rows = RowPart::All) const;
  BatchSource trainSource() const { return source("train.files", RowPart::Training); }
  /// Of an eval set: its own, else with on_train_files or on_validation that of training.
  BatchSource evalSource(const EvalSet &set) const;
  /// The rows of evalSource that an eval set is of.
  RowPart rowPart(const EvalSet &set) const;
  /// What to read of files for a part of their rows; nothing if that is all. kInvalidArgument (E0226): a cut that
  /// cannot be made.
  absl::StatusOr<std::optional<RowSelection>> selectRows(RowPart part) const;
  /// Rows per call of an eval set or of "predict": its own batch_size, or that of training.
  int64_t batchSize(const std::string &prefix) const;

private:
  bool checkEvalSet(const std::string &asked, mlc::common::MessageList &messages) const;
  static absl::StatusOr<Configuration> read(const std::string &manifest, const Artifact *artifact);

  mlc::common::SettingsTable settings_;
  std::map<std::string, BatchSource> sources_; ///< in the place of files, by their setting
  std::vector<EvalSet> evalSets_;
  std::optional<InputFormat> input_;
  std::vector<mlc::common::ColumnCheck> checks_;
  std::vector<VocabularyRecord> vocabularies_;
  std::vector<EmbeddingTable> embeddings_;
  SettingTexts columns_;
  std::string compat_, cpu_, compiler_, spec_;
  std::map<std::string, std::vector<std::string>> classes_;
  std::vector<PredictionConstant> predictionConstants_;
  std::vector<ServingSignature> signatures_;
  std::vector<GraphNode> graph_;
};

} // namespace mlcrt

#endif // MLCRT_TRAIN_CONFIGURATION_H
