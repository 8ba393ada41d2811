// Statistics, proofs and differences of checkpoints.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/Inspect.h"

#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

namespace mlcrt {

static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TensorStatistics statisticsOf(const TensorView &tensor) {
  TensorStatistics result;
  int64_t elements = elementCount(tensor), numbers = 0;
  double sum = 0;
  for (int64_t i = 0; i < elements; ++i) {
    double value = numberElement(tensor, i);
    if (std::isnan(value)) {
      ++result.nans;
      continue;
    }
    result.min = numbers ? std::min(result.min, value) : value;
    result.max = numbers ? std::max(result.max, value) : value;
    sum += value;
    ++numbers;
  }
  if (numbers == 0)
    result.min = result.max = kNaN;
  result.mean = numbers ? sum / static_cast<double>(numbers) : kNaN;
  return result;
}

CheckpointProof verifyCheckpoint(const std::string &directory) {
  CheckpointProof proof;
  absl::StatusOr<CheckpointManifest> manifest = readManifest(directory);
  if (!manifest.ok()) {
    proof.faults.push_back(manifest.status());
    return proof;
  }
  if (const FileRecord &file = manifest->vocabularyFile; !file.path.empty()) {
    ++proof.files;
    proof.bytes += file.size;
    if (absl::Status status = checkVocabularies(directory, *manifest); !status.ok())
      proof.faults.push_back(status);
  }
  AlignedBytes bytes;
  for (size_t i = 0; i < manifest->files.size(); ++i) {
    const FileRecord &file = manifest->files[i];
    std::string path = directory + "/" + file.path;
    ++proof.files;
    proof.bytes += file.size;
    absl::StatusOr<SafetensorsReader> reader = openCheckpointFile(directory, file);
    if (!reader.ok()) {
      proof.faults.push_back(reader.status());
      continue;
    }
    bool good = true;
    std::set<std::string> names;
    for (const VariableRecord &variable : manifest->variables)
      for (const SliceRecord &part : variable.parts()) {
        if (part.file != static_cast<int64_t>(i))
          continue;
        proof.variables += part.begin == 0;
        names.insert(variable.name);
        bytes.reserve(part.bytes);
        if (absl::Status status = readPart(*reader, variable, part, bytes.data()); !status.ok()) {
          proof.faults.push_back(status);
          good = false;
        }
      }
    for (const TensorInfo &tensor : reader->tensors())
      if (good && !names.count(tensor.name)) {
        proof.faults.push_back(fileError(absl::StatusCode::kDataLoss, "E0403", path,
                                         "tensor '" + tensor.name + "' is not in the manifest"));
        good = false;
      }
    absl::StatusOr<uint32_t> crc = crcOfFile(path);
    if (!crc.ok())
      proof.faults.push_back(crc.status());
    else if (*crc != file.crc && good) // else the tensor at fault says it better
      proof.faults.push_back(fileError(absl::StatusCode::kDataLoss, "E0403", path,
                                       "its header is damaged: the checksum of the file does not fit"));
  }
  return proof;
}

CheckpointProof verifyTensorFlowCheckpoint(const std::string &prefix) {
  CheckpointProof proof;
  absl::StatusOr<TensorBundleReader> bundle = TensorBundleReader::open(prefix);
  if (!bundle.ok()) {
    proof.faults.push_back(bundle.status());
    return proof;
  }
  proof.files = static_cast<int64_t>(bundle->paths().size());
  for (const BundleTensor &tensor : bundle->tensors()) {
    ++proof.variables;
    proof.bytes += tensor.bytes;
    if (absl::Status status = bundle->prove(tensor); !status.ok())
      proof.faults.push_back(status);
  }
  return proof;
}

/// Counts what differs between two tensors of one type.
static void compareValues(const Tensor &a, const Tensor &b, VariableDifference &difference) {
  int64_t size = dtypeSize(a.dtype());
  const char *bytesA = a.as<const char>(), *bytesB = b.as<const char>();
  for (int64_t i = 0, n = a.elements(); i < n; ++i) {
    if (std::memcmp(bytesA + i * size, bytesB + i * size, static_cast<size_t>(size)) == 0)
      continue;
    ++difference.elements;
    double distance = std::fabs(numberElement(a.buffer(), i) - numberElement(b.buffer(), i));
    if (std::isnan(distance) || distance > difference.largest)
      difference.largest = std::isnan(difference.largest) ? kNaN : distance;
  }
}

absl::StatusOr<std::vector<VariableDifference>> diffCheckpoints(const WeightSource &a, const WeightSource &b) {
  std::set<std::string> names;
  for (const WeightSource *source : {&a, &b})
    for (const SourceTensor &tensor : source->tensors())
      names.insert(tensor.name);

  std::vector<VariableDifference> differences;
  Tensor valueA, valueB;
  for (const std::string &name : names) {
    const SourceTensor *before = a.find(name), *after = b.find(name);
    VariableDifference difference;
    difference.name = name;
    difference.before = before ? typeText(before->dtype, before->shape) : "";
    difference.after = after ? typeText(after->dtype, after->shape) : "";
    difference.kind = !before                                 ? VariableDifference::Added
                      : !after                                ? VariableDifference::Removed
                      : difference.before != difference.after ? VariableDifference::Retyped
                                                              : VariableDifference::Changed;
    // All of both checkpoints is proven, whatever is compared.
    if (before)
      if (absl::Status status = a.read(*before, valueA); !status.ok())
        return status;
    if (after)
      if (absl::Status status = b.read(*after, valueB); !status.ok())
        return status;
    if (difference.kind == VariableDifference::Changed) {
      compareValues(valueA, valueB, difference);
      if (difference.elements == 0)
        continue;
    }
    differences.push_back(std::move(difference));
  }
  return differences;
}

} // namespace mlcrt
