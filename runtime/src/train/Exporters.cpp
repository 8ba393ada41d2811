// When exporters export, and what they keep.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Exporters.h"

#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/export/ExportDirectory.h"
#include "runtime/src/export/ExportedModel.h"

#include <algorithm>
#include <cmath>

namespace mlcrt {

using mlc::common::ExporterKind;
using mlc::common::ExporterRule;

static const char *betterName(const ExporterRule &rule) { return rule.isLargerBetter ? "LARGER" : "SMALLER"; }

absl::StatusOr<Exporters> Exporters::create(RunContext &context, const std::string &modelDir) {
  const Artifact &artifact = *context.artifact;
  const Configuration &configuration = context.configuration;
  const mlc::common::ExportableModel model{artifact.table().name ? artifact.table().name : "", scalarMetrics(artifact),
                                           artifact.entry(MLCRT_ROLE_PREDICT) != nullptr};
  std::vector<std::string> sets;
  for (const EvalSet &set : configuration.evalSets())
    sets.push_back(set.name);
  std::vector<ExporterRule> rules;
  mlc::common::MessageList messages;
  readExporters(configuration.settings(), sets, model, rules, messages);
  for (const ExporterRule &rule : rules)
    for (const EvalSet &set : configuration.evalSets())
      if (set.name == rule.eval && configuration.evalSource(set).empty() &&
          !(context.observer && context.observer->evaluates(set.name))) {
        mlc::common::Message message =
            mlc::common::makeError("E0224", "the exporter '" + rule.name + "' needs files to evaluate on",
                                   "--set " + set.prefix + ".files=GLOB");
        message.field = set.prefix + ".files";
        messages.add(std::move(message));
      }
  if (messages.hasErrors())
    return messageStatus(absl::StatusCode::kInvalidArgument, messages.messages().front());
  Exporters result;
  result.context_ = &context;
  result.modelDir_ = modelDir;
  for (ExporterRule &rule : rules)
    result.exporters_.push_back({std::move(rule), {}});
  result.export_ = std::make_unique<ModelExport>(context);
  return result;
}

std::string Exporters::baseOf(const Exporter &exporter) const { return modelDir_ + "/export/" + exporter.rule.name; }

/// The newest export by the same rule is the best of all.
absl::Status Exporters::findBest(Exporter &exporter) const {
  const ExporterRule &rule = exporter.rule;
  exporter.best.reset();
  absl::StatusOr<std::vector<ExportPath>> exports = listExports(baseOf(exporter));
  if (!exports.ok())
    return exports.status();
  for (auto entry = exports->rbegin(); entry != exports->rend() && !exporter.best; ++entry) {
    absl::StatusOr<ExportSignature> signature = readSignature(entry->path);
    if (!signature.ok())
      return signature.status();
    const auto &record = signature->exporter;
    if (record && record->eval == rule.eval && record->metric == rule.metric && record->better == betterName(rule))
      exporter.best = record->value;
  }
  return absl::OkStatus();
}

absl::Status Exporters::open() {
  for (Exporter &exporter : exporters_) {
    if (absl::Status status = removeLeftExports(baseOf(exporter)); !status.ok())
      return status;
    if (exporter.rule.kind == ExporterKind::Best)
      if (absl::Status status = findBest(exporter); !status.ok())
        return status;
  }
  return absl::OkStatus();
}

bool Exporters::follow(const std::string &evalSet) const {
  return std::any_of(exporters_.begin(), exporters_.end(), [&](const Exporter &exporter) {
    return exporter.rule.eval == evalSet && exporter.rule.kind != ExporterKind::Final;
  });
}

absl::Status Exporters::write(Exporter &exporter, const Model &model) {
  const ExporterRule &rule = exporter.rule;
  absl::StatusOr<ExportRequest> request =
      export_->describe(model.program, model.checkpoint, model.step, model.seed, model.rows);
  if (!request.ok())
    return request.status();
  request->base = baseOf(exporter);
  ExporterRecord &record = request->signature.exporter.emplace();
  record = {rule.name, exporterKindName(rule.kind), rule.eval, rule.metric, "", 0};
  if (exporter.best) {
    record.better = betterName(rule);
    record.value = *exporter.best;
  }
  const int64_t goldenRows = request->signature.goldenRows;
  absl::StatusOr<WrittenExport> written = writeExport(model.program, *std::move(request));
  if (!written.ok())
    return written.status();
  if (written->isNew) {
    JsonObject event;
    event.text("event", "export").text("exporter", rule.name).text("name", rule.eval).integer("step", model.step);
    context_->reporter.event(event.text("path", written->path).integer("golden_rows", goldenRows).str());
    context_->reporter.line("exported " + written->path +
                            (exporter.best ? ", best " + rule.metric + " " + numberText(*exporter.best) : ""));
  }
  absl::StatusOr<std::vector<std::string>> removed =
      retireExports(baseOf(exporter), rule.kind == ExporterKind::Final ? 0 : rule.exportsToKeep);
  return removed.status();
}

absl::Status Exporters::evaluated(const Model &model, const std::string &evalSet, const std::vector<Metric> &metrics) {
  for (Exporter &exporter : exporters_) {
    const ExporterRule &rule = exporter.rule;
    if (rule.eval != evalSet || rule.kind == ExporterKind::Final)
      continue;
    if (rule.kind == ExporterKind::Best) {
      auto metric =
          std::find_if(metrics.begin(), metrics.end(), [&](const Metric &m) { return m.name == rule.metric; });
      // A metric that is no finite number (of no rows) is no better than any.
      if (metric == metrics.end() || metric->values.size() != 1 || !std::isfinite(metric->values[0]))
        continue;
      const double value = metric->values[0];
      if (exporter.best && !(rule.isLargerBetter ? value > *exporter.best : value < *exporter.best))
        continue;
      exporter.best = value;
    }
    if (absl::Status status = write(exporter, model); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

bool Exporters::hasFinal() const {
  return std::any_of(exporters_.begin(), exporters_.end(),
                     [](const Exporter &exporter) { return exporter.rule.kind == ExporterKind::Final; });
}

absl::Status Exporters::ended(const Model &model) {
  for (Exporter &exporter : exporters_)
    if (exporter.rule.kind == ExporterKind::Final)
      if (absl::Status status = write(exporter, model); !status.ok())
        return status;
  return absl::OkStatus();
}

absl::StatusOr<bool> Exporters::areFinalAt(int64_t step) const {
  for (const Exporter &exporter : exporters_) {
    if (exporter.rule.kind != ExporterKind::Final)
      continue;
    absl::StatusOr<std::vector<ExportPath>> exports = listExports(baseOf(exporter));
    if (!exports.ok())
      return exports.status();
    if (exports->empty())
      return false;
    absl::StatusOr<ExportSignature> newest = readSignature(exports->back().path);
    if (!newest.ok())
      return newest.status();
    if (newest->step != step)
      return false;
  }
  return true;
}

std::vector<std::string> Exporters::directories() const {
  std::vector<std::string> names;
  for (const Exporter &exporter : exporters_)
    names.push_back("export/" + exporter.rule.name);
  return names;
}

absl::Status openFollowUps(RunContext &context, const std::string &modelDir, EarlyStopping &stopping,
                           Exporters &exporters) {
  absl::StatusOr<EarlyStopping> stops = EarlyStopping::create(context.configuration, *context.artifact);
  if (!stops.ok())
    return stops.status();
  stopping = *std::move(stops);
  absl::StatusOr<Exporters> exports = Exporters::create(context, modelDir);
  if (!exports.ok())
    return exports.status();
  exporters = *std::move(exports);
  return absl::OkStatus();
}

} // namespace mlcrt
