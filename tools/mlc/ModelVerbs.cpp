// info.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/mlc/ModelVerbs.h"
#include "runtime/src/export/ExportedModel.h"
#include "runtime/src/train/Info.h"

using namespace mlc;

/// Describes a compiled shared library; an executable does it itself.
static absl::StatusOr<std::string> describeLibrary(const std::string &path, bool json) {
  auto artifact = mlcrt::Artifact::open(path, mlcrt::CpuCheck::Skip);
  if (!artifact.ok())
    return artifact.status();
  auto configuration = mlcrt::Configuration::fromArtifact(**artifact);
  if (!configuration.ok())
    return configuration.status();
  return mlcrt::describeArtifact(**artifact, *configuration, json);
}

absl::StatusOr<std::string> mlc::describeModel(const common::CommandLine &line, const VerbResult &model) {
  if (model.exported.empty())
    return describeLibrary(model.library, line.on("json"));
  auto signature = mlcrt::readSignature(model.exported);
  if (!signature.ok())
    return signature.status();
  return mlcrt::describeExport(*signature, line.on("json"));
}
