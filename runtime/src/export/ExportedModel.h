// A model that was exported, loaded: what serves predictions. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_EXPORT_EXPORTEDMODEL_H
#define MLCRT_EXPORT_EXPORTEDMODEL_H

#include "absl/status/statusor.h"
#include "runtime/src/core/Program.h"
#include "runtime/src/export/MappedWeights.h"
#include "runtime/src/export/RowBuffer.h"
#include "runtime/src/export/Signature.h"

#include <memory>
#include <optional>
#include <string>

namespace mlcrt {

/// How an export is loaded.
struct ExportLoadOptions {
  /// Run the golden rows and compare.
  bool replay = true;
  /// Of a model that has code for GPUs, too, what runs: as of chooseCode.
  std::string device = "cpu";
  int64_t gpuMemory = -1; ///< bytes that it takes of a GPU at most; -1: as CudaOptions has it
};

/// Artifact, weights and signature. Predictions run its entry over its program.
struct ExportedModel {
  std::string directory;
  ExportSignature signature;
  std::shared_ptr<const Artifact> artifact; ///< what runs
  std::string whyHost;                      ///< as of CodeChoice
  std::unique_ptr<Program> program;
  std::unique_ptr<MappedWeights> weights; ///< large ones, which runners get from here
  std::optional<InputFormat> input;       ///< what the manifest says of files; none: nothing
  std::shared_ptr<const RowLayout> layout;
  const mlcrt_entry *entry = nullptr;

  /// What predictions get besides the rows.
  CallContext context() const;
};

/// What the model runs on: "gpu", "cpu", or "cpu: " and why it is not a GPU.
std::string deviceText(const ExportedModel &model);

/// Whether `directory` holds a signature.
bool isExport(const std::string &directory);

/// Reads only the signature. kNotFound (E0408): `directory` is no export; else as signatureFromText.
absl::StatusOr<ExportSignature> readSignature(const std::string &directory);

/// Loads an export: proves every file by its checksum before it is used, then replays the golden rows. kNotFound: no
/// export; kDataLoss: damaged files, or golden rows that give something else; kFailedPrecondition: a newer format or
/// ABI, or the processor lacks a feature, or there is no GPU that is asked for; kInvalidArgument: as of chooseCode.
absl::StatusOr<ExportedModel> loadExport(const std::string &directory, const ExportLoadOptions &options = {});

} // namespace mlcrt

#endif // MLCRT_EXPORT_EXPORTEDMODEL_H
