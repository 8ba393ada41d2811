// mlc tune-kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/mlc/TuneKernels.h"
#include "lib/Driver/OutputFile.h"
#include "mlc/Driver/KernelCandidates.h"
#include "mlc/Target/CUDA/Chips.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/device/cuda/MeasureTiles.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdio>

using namespace mlc;
using common::ExitCode;
using common::MessageList;

/// Sizes, and shapes of all kinds, that are measured: more of them take hours, and a table has no room for their lines.
static constexpr size_t kMostSizes = 32;
static constexpr int64_t kMostSize = 32768, kMostShapes = 2048;

static bool refuse(std::string what, std::string expected, MessageList &messages) {
  common::Message message = common::makeError("E0203", std::move(what));
  message.expected = std::move(expected);
  messages.add(std::move(message));
  return false;
}

static bool readSizes(const common::CommandLine &line, const char *flag, const char *usual, common::Bounds bounds,
                      std::vector<int64_t> &sizes, MessageList &messages) {
  const std::string text = line.text(flag, usual);
  for (llvm::StringRef word : llvm::split(text, ',')) {
    int64_t size = 0;
    if (word.getAsInteger(10, size) || !bounds.has(size) || sizes.size() == kMostSizes)
      return refuse("--" + std::string(flag) + " is '" + text + "'",
                    "up to " + std::to_string(kMostSizes) + " numbers from " + std::to_string(bounds.least) + " to " +
                        std::to_string(bounds.most) + ", commas between",
                    messages);
    sizes.push_back(size);
  }
  llvm::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return true;
}

static bool readForms(const common::CommandLine &line, std::vector<size_t> &forms, MessageList &messages) {
  const std::string text = line.text("forms", "nn,nt,tn");
  for (llvm::StringRef word : llvm::split(text, ',')) {
    const auto *form = llvm::find(common::kProductForms, std::string_view(word));
    const auto number = static_cast<size_t>(form - std::begin(common::kProductForms));
    if (form == std::end(common::kProductForms) || llvm::is_contained(forms, number))
      return refuse("--forms is '" + text + "'", "nn, nt, tn and tt, each once, commas between", messages);
    forms.push_back(number);
  }
  llvm::sort(forms);
  return true;
}

static bool readOptions(const common::CommandLine &line, CandidateOptions &options, MessageList &messages) {
  options.chips = line.texts("chip");
  for (const std::string &chip : options.chips)
    if (std::string problem = checkChip(chip); !problem.empty())
      return refuse("--chip: " + problem, {}, messages);
  const std::string kinds = line.text("kinds", "f32,tf32,f16,bf16");
  for (llvm::StringRef kind : llvm::split(kinds, ',')) {
    if (!llvm::is_contained(common::kKernelKinds, std::string_view(kind)) || llvm::is_contained(options.kinds, kind))
      return refuse("--kinds is '" + kinds + "'", "f32, f64, tf32, f16 and bf16, each once, commas between", messages);
    options.kinds.push_back(kind.str());
  }
  const common::Bounds sizes{kLeastMeasured, kMostSize};
  if (!readForms(line, options.forms, messages) ||
      !readSizes(line, "m", "32,128,512,2048", sizes, options.m, messages) ||
      !readSizes(line, "n", "32,128,512,2048", sizes, options.n, messages) ||
      !readSizes(line, "k", "128,1024", sizes, options.k, messages) ||
      !readSizes(line, "batches", "1", {1, 1024}, options.batches, messages) ||
      !readSizes(line, "splits", "4", {1, common::kMostSplits}, options.splits, messages))
    return false;
  // What is not cut is always measured.
  if (options.splits.front() != 1)
    options.splits.insert(options.splits.begin(), 1);
  const int64_t shapes = countShapes(options) * static_cast<int64_t>(options.kinds.size());
  return shapes <= kMostShapes ||
         refuse("--kinds, --forms, --m, --n, --k and --batches make " + std::to_string(shapes) + " shapes",
                "up to " + std::to_string(kMostShapes), messages);
}

static ExitCode write(const std::string &path, const std::string &bytes, MessageList &messages) {
  const std::error_code error = writeOutputFile(path, bytes);
  if (!error)
    return ExitCode::Success;
  const absl::Status status = mlcrt::writeError(path, "cannot write", error.value());
  messages.add(mlcrt::messageOf(status));
  return mlcrt::exitCodeOf(status);
}

ExitCode mlc::tuneKernels(const common::CommandLine &line, MessageList &messages, std::string &text) {
  CandidateOptions options;
  if (!readOptions(line, options, messages))
    return ExitCode::Usage;
  if (line.has("emit_candidates") && (line.has("output") || line.has("rounds"))) {
    refuse("--emit_candidates measures nothing", "no -o and no --rounds beside it", messages);
    return ExitCode::Usage;
  }
  if (line.on("json") && !line.has("emit_candidates") && !line.has("output")) {
    refuse("--json: a table is no JSON, and would go to stdout", "-o FILE for the table", messages);
    return ExitCode::Usage;
  }
  common::KernelCandidates candidates;
  if (!makeCandidates(options, candidates, messages))
    return ExitCode::CompileFailed;
  if (line.has("emit_candidates"))
    return write(line.text("emit_candidates"), writeCandidates(candidates), messages);
  mlcrt::MeasureOptions measuring;
  measuring.rounds = line.integer("rounds").value_or(measuring.rounds);
  const bool isQuiet = line.on("quiet");
  absl::StatusOr<common::KernelTable> table =
      mlcrt::measureTiles(candidates, measuring, [&](const std::string &measured) {
        if (!isQuiet)
          std::fprintf(stderr, "%s\n", measured.c_str());
      });
  if (!table.ok()) {
    messages.add(mlcrt::messageOf(table.status()));
    return mlcrt::exitCodeOf(table.status());
  }
  const std::string made = kernelTableText(*table);
  if (line.has("output"))
    return write(line.text("output"), made, messages);
  text = made;
  return ExitCode::Success;
}
