// Copies tensors from one kind of files to another.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/Convert.h"

#include "common/cli/OutputOverInput.h"
#include "runtime/src/checkpoint/CheckpointStore.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/checkpoint/TensorFlowNames.h"
#include "runtime/src/checkpoint/WeightSource.h"

#include <filesystem>

namespace mlcrt {

static constexpr const char *kGlobalStep = "global_step";

/// The files that a source is read from.
static std::vector<std::string> filesOf(const WeightSource &source) {
  if (source.tensorFlow())
    return source.tensorFlow()->bundle().paths();
  if (!source.manifest())
    return {source.place()};
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(source.place()))
    files.push_back(entry.path().string());
  return files;
}

absl::StatusOr<ConvertedCheckpoint> convertCheckpoint(const std::string &source, const std::string &destination,
                                                      std::optional<int64_t> step, WeightFormat format) {
  absl::StatusOr<WeightSource> opened = WeightSource::open(source, step);
  if (!opened.ok()) {
    absl::StatusOr<std::string> directory = findCheckpoint(source, step);
    return directory.ok() ? adviseOnDamage(opened.status(), *directory) : opened.status();
  }
  const bool isTensorFlow = format == WeightFormat::TensorFlow;
  ConvertedCheckpoint result;
  result.source = opened->place();
  if (opened->tensorFlow())
    for (const BundleOther &other : opened->tensorFlow()->bundle().others())
      if (other.name != kObjectGraph)
        result.leftOut.push_back(other.name);

  std::vector<TensorInfo> tensors;
  const auto has = [&](std::string_view name) { return opened->find(name) != nullptr; };
  for (const SourceTensor &each : opened->tensors()) {
    TensorInfo &tensor = tensors.emplace_back();
    tensor.name = isTensorFlow ? nameInTensorFlow(each.name, has, each.slot) : each.name;
    tensor.dtype = each.dtype;
    tensor.shape = each.shape;
  }
  absl::StatusOr<std::optional<int64_t>> savedAt = opened->step();
  if (!savedAt.ok())
    return savedAt.status();
  if (isTensorFlow && *savedAt && !has(kGlobalStep))
    tensors.push_back({kGlobalStep, MLCRT_I64, {}});

  std::vector<std::string> outputs = {destination};
  if (isTensorFlow)
    outputs = {destination + ".index", bundleDataPath(destination, 0, 1)};
  for (const std::string &output : outputs)
    if (const auto error = mlc::common::outputOverInput(output, filesOf(*opened)))
      return messageStatus(absl::StatusCode::kInvalidArgument, *error);
  // A tensor that is damaged ends the writing: the file appears on its commit only.
  Tensor value;
  auto readTensor = [&](size_t i) -> absl::StatusOr<const void *> {
    if (i == opened->tensors().size())
      return &**savedAt;
    if (absl::Status status = opened->read(opened->tensors()[i], value); !status.ok())
      return status;
    return value.data();
  };
  absl::Status status = isTensorFlow ? writeTensorBundle(destination, tensors, readTensor)
                                     : writeSafetensors(destination, tensors, readTensor).status();
  if (status.ok() && isTensorFlow)
    status = noteTensorFlowCheckpoint(destination);
  if (!status.ok())
    return opened->manifest() ? adviseOnDamage(status, opened->place()) : status;
  return result;
}

} // namespace mlcrt
