// Settings that name metrics, variables and sets of rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/SettingsCheck.h"
#include "common/checkpoint/CheckpointPolicy.h"
#include "common/cluster/RowCut.h"
#include "common/cluster/ShardPins.h"
#include "common/settings/EarlyStopping.h"
#include "common/settings/Exporter.h"
#include "common/settings/Settings.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlc;

bool mlc::checkSettings(const ArtifactInfo &info, common::MessageList &messages) {
  std::vector<std::string> variables;
  common::ExportableModel model{info.name, {}, /*predicts=*/false};
  std::vector<std::string> &metrics = model.metrics;
  for (const VariableInfo &variable : info.variables)
    if (!(variable.flags & MLCRT_VARIABLE_EVAL))
      variables.push_back(variable.value.name);
  for (const EntryInfo &entry : info.entries) {
    model.predicts |= entry.role == MLCRT_ROLE_PREDICT;
    if (entry.role == MLCRT_ROLE_EVAL_RESULT)
      for (const ValueInfo &output : entry.outputs)
        if (output.dims.empty() && output.dtype != MLCRT_STRING)
          metrics.push_back(output.name);
  }
  auto manifest = llvm::json::parse(info.manifest);
  const llvm::json::Object *object = manifest ? manifest->getAsObject() : nullptr;
  const llvm::json::Value *list = object ? object->get("settings") : nullptr;
  if (!list) {
    if (!manifest)
      llvm::consumeError(manifest.takeError());
    return true;
  }
  common::SettingsTable settings;
  if (!common::settingsFromJson(llvm::formatv("{0}", *list).str(), settings, messages))
    return false;
  std::vector<common::EarlyStoppingRule> rules;
  std::vector<common::CheckpointPolicy> policies;
  std::vector<common::ExporterRule> exporters;
  const std::vector<std::string> evalSets = common::evalSetNames(settings);
  bool good = common::readEarlyStopping(settings, evalSets, metrics, rules, messages);
  good &= common::readExporters(settings, evalSets, model, exporters, messages);
  good &= common::readCheckpointPolicies(settings, variables, policies, messages);
  std::vector<common::ShardPin> pins;
  std::optional<common::RowCut> cut;
  good &= common::readRowCut(settings, evalSets, cut, messages);
  good &= common::readShardPins(settings, variables, pins, messages);
  return good;
}
