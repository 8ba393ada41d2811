// Data sets of a run, sampled.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/DataSamples.h"

#include "runtime/src/checkpoint/Vocabulary.h"
#include "runtime/src/train/DataHealth.h"

#include <sys/stat.h>

namespace mlcrt {

using mlc::common::ColumnCheck;

/// Terms that are looked up for a sample; of a larger vocabulary no value is told to be unknown.
static constexpr size_t kMostTerms = 200000;

DataSamples::DataSamples(const Configuration &configuration, const Artifact &artifact, Reporter &reporter)
    : configuration_(configuration), reporter_(reporter), checks_(configuration.checks()) {
  if (!configuration.input())
    checks_.clear();
  for (ColumnCheck &check : checks_) {
    if (check.kind != ColumnCheck::Kind::Terms)
      continue;
    absl::StatusOr<Vocabulary> vocabulary = vocabularyOf(artifact.table(), check.table);
    if (vocabulary.ok() && vocabulary->terms.size() <= kMostTerms)
      check.terms = std::move(vocabulary->terms);
    else
      check.kind = ColumnCheck::Kind::Any;
  }
}

void DataSamples::judgeTraining(const std::vector<DataFile> &files) {
  const BatchSource source = configuration_.trainSource();
  if (checks_.empty() || !source.isFiles())
    return;
  train_ = sampleData(files, *configuration_.formatOf(source), checks_);
  for (const mlc::common::Message &warning : judgeTrainingData(train_, checks_))
    reporter_.message(warning);
}

void DataSamples::findTraining() {
  if (checks_.empty())
    return;
  const absl::StatusOr<std::vector<std::string>> paths =
      matchFiles(configuration_.settings().getStrings("train.files"));
  if (!paths.ok())
    return;
  // Without the checksums of whole files, which a sample does not need.
  std::vector<DataFile> files;
  for (const std::string &path : *paths) {
    struct stat info;
    if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
      return;
    DataFile file;
    file.path = path;
    file.size = info.st_size;
    file.mtimeNs = int64_t{info.st_mtim.tv_sec} * 1000000000 + info.st_mtim.tv_nsec;
    files.push_back(std::move(file));
  }
  train_ = sampleData(files, *configuration_.input(), checks_);
}

void DataSamples::judgeEvaluation(const EvalSet &set, const std::vector<DataFile> &files) {
  const BatchSource source = configuration_.evalSource(set);
  if (checks_.empty() || configuration_.rowPart(set) != RowPart::All || !source.isFiles())
    return;
  DataFindings found = sampleData(files, *configuration_.formatOf(source), checks_);
  found.name = set.name.empty() ? "eval" : set.name;
  for (const mlc::common::Message &warning : judgeNewData(found, checks_, train_))
    reporter_.message(warning);
}

} // namespace mlcrt
