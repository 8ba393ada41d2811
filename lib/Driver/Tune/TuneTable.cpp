// The table of trials.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/Tune/Trial.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>

using namespace mlc;

static std::string valuesText(const Trial &trial) {
  std::string text;
  for (const auto &[path, value] : trial.values)
    text += (text.empty() ? "" : "  ") + path + "=" + value;
  return text.empty() ? "the spec as it is" : text;
}

/// Of several cuts the first that failed, or the last one.
static std::string endText(const Trial &trial) {
  if (trial.cuts.empty())
    return "-";
  const CutTraining *end = &trial.cuts.back();
  for (const CutTraining &cut : llvm::reverse(trial.cuts))
    if (cut.status != 0)
      end = &cut;
  const bool isSignalled = end->status == 128 + SIGINT || end->status == 128 + SIGTERM;
  if (end->status != 0 && !isSignalled)
    return "exit " + std::to_string(end->status);
  return end->reason.empty() ? "-" : trial.isFull || end->status != 0 ? end->reason : "halved";
}

static const Trial *specOf(const TuneTable &table) {
  auto found = llvm::find_if(table.order, [](const Trial *trial) { return trial->number == 0; });
  return found == table.order.end() || !(*found)->reached ? nullptr : *found;
}

static std::string checkText(const TuneTable &table, const TuneCheck &check) {
  const Advantage &found = check.advantage;
  return llvm::formatv("trial {0} against the spec on {1} other cuts: better by {2:f6}, standard error {3:f6}: {4}\n",
                       check.trial, table.checkCuts, found.mean, found.error,
                       table.taken == check.trial ? "taken"
                       : found.isSure()           ? "another one is better still"
                                                  : "not sure, the spec stays as it is")
      .str();
}

std::string mlc::tuneText(const TuneTable &table) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  const Trial *spec = table.cuts > 1 ? specOf(table) : nullptr;
  stream << llvm::formatv("{0,5}  {1,12}  ", "trial", table.metric);
  if (table.cuts > 1)
    stream << llvm::formatv("{0,10}  {1,9}  ", "better by", "error");
  stream << llvm::formatv("{0,9}  {1,-14}  settings\n", "at step", "ended");
  for (const Trial *trial : table.order) {
    stream << llvm::formatv("{0,5}  {1,12}  ", trial->number,
                            trial->reached ? llvm::formatv("{0:f6}", trial->reached->mean()).str() : "-");
    if (table.cuts > 1) {
      std::string by = "-", error = "-";
      if (spec && trial != spec && trial->reached && trial->isFull && spec->isFull) {
        const Advantage found = advantage(*trial->reached, *spec->reached, table.isGreaterBetter, table.share);
        by = llvm::formatv("{0:f6}", found.mean).str();
        error = llvm::formatv("{0:f6}", found.error).str();
      }
      stream << llvm::formatv("{0,10}  {1,9}  ", by, error);
    }
    stream << llvm::formatv("{0,9}  {1,-14}  {2}\n", trial->reached ? trial->reached->step : 0, endText(*trial),
                            valuesText(*trial));
  }
  if (table.cuts > 1)
    stream << table.cuts << " cuts (train.validation.seed " << table.firstSeed << " to "
           << table.firstSeed + table.cuts - 1 << "), as one holds out " << table.heldOut << " rows: " << table.metric
           << " is the mean over them\n";
  for (const TuneCheck &check : table.checks)
    stream << checkText(table, check);
  return text;
}

std::string mlc::tuneEvents(const TuneTable &table) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const Trial *trial : table.order) {
    llvm::json::Object values;
    for (const auto &[path, value] : trial->values)
      values[path] = value;
    llvm::json::Object object{{"event", "trial"},
                              {"trial", trial->number},
                              {"full", trial->isFull},
                              {"reason", endText(*trial)},
                              {"cuts", table.cuts},
                              {"settings", std::move(values)},
                              {"taken", table.taken == trial->number}};
    if (trial->reached) {
      object[table.metric] = trial->reached->mean();
      object["best_step"] = trial->reached->step;
      object["values"] = llvm::json::Array(trial->reached->values);
    }
    stream << llvm::json::Value(std::move(object)) << '\n';
  }
  for (const TuneCheck &check : table.checks)
    stream << llvm::json::Value(llvm::json::Object{{"event", "check"},
                                                   {"trial", check.trial},
                                                   {"cuts", table.checkCuts},
                                                   {"better_by", check.advantage.mean},
                                                   {"standard_error", check.advantage.error},
                                                   {"taken", table.taken == check.trial}})
           << '\n';
  return text;
}
