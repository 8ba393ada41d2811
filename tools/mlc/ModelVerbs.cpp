// info and run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/mlc/ModelVerbs.h"
#include "runtime/src/export/ExportedModel.h"
#include "runtime/src/run/RunEntry.h"
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

static absl::StatusOr<std::string> runModel(const common::CommandLine &line, const std::string &path) {
  mlcrt::RunRequest request;
  request.entry = line.text("entry");
  request.inputs = line.texts("input");
  request.output = line.text("output");
  request.threads = static_cast<int>(line.integer("threads").value_or(mlcrt::ThreadPool::availableProcessors()));
  request.seed = line.integer("seed").value_or(0);
  request.json = line.on("json");
  auto program = mlcrt::openModel(path, request);
  if (!program.ok())
    return program.status();
  return mlcrt::runEntry(**program, request);
}

absl::StatusOr<std::string> mlc::runOnModel(const common::CommandLine &line, const VerbResult &model) {
  if (line.verb == "run")
    return runModel(line, model.exported.empty() ? model.library : model.exported);
  if (model.exported.empty())
    return describeLibrary(model.library, line.on("json"));
  auto signature = mlcrt::readSignature(model.exported);
  if (!signature.ok())
    return signature.status();
  return mlcrt::describeExport(*signature, line.on("json"));
}
