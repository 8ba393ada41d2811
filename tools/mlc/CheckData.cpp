// Runs the data check of the runtime on what the frontend says of a spec.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/mlc/CheckData.h"
#include "runtime/src/train/DataCheck.h"
#include "runtime/src/train/DataHealth.h"

using namespace mlc;

absl::Status mlc::checkData(const common::CommandLine &line, const frontend::DataFacts &facts, std::string &text,
                            common::MessageList &messages) {
  auto format = mlcrt::parseInputFormat(facts.input);
  if (!format.ok())
    return format.status();
  mlcrt::DataErrors errors;
  mlcrt::DataFindings train;
  common::MessageList warnings;
  for (const frontend::DataSet &set : facts.sets) {
    mlcrt::DataFindings findings;
    findings.name = set.name;
    absl::Status status =
        mlcrt::checkData(set.files, *format, facts.checks, line.integer("rows").value_or(0), findings, errors);
    if (!status.ok())
      return status;
    std::string found = mlcrt::describeFindings(findings, facts.checks, line.on("json"));
    text += (text.empty() || found.empty() || line.on("json") ? "" : "\n") + found;
    const bool isTraining = set.name == "train";
    for (const common::Message &warning : isTraining ? mlcrt::judgeTrainingData(findings, facts.checks)
                                                     : mlcrt::judgeNewData(findings, facts.checks, train))
      warnings.add(warning);
    if (isTraining)
      train = std::move(findings);
  }
  for (const common::Message &message : errors.messages)
    messages.add(message);
  if (errors.further > 0) {
    common::Message note;
    note.severity = common::Severity::Note;
    note.what = std::to_string(errors.further) + " further errors";
    messages.add(std::move(note));
  }
  for (const common::Message &warning : warnings.messages())
    messages.add(warning);
  return absl::OkStatus();
}
