// Kernels of products by several tiles, for a machine with a GPU to measure.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/kernels/KernelCandidates.h"

#include <algorithm>
#include <charconv>

namespace mlc::common {

static constexpr std::string_view kHeader = "mlc-kernel-candidates 2\n";

/// Texts after their lengths, and numbers, a line each.
static void addNumber(std::string &bytes, int64_t number) { bytes += std::to_string(number) + "\n"; }
static void addText(std::string &bytes, std::string_view text) {
  addNumber(bytes, static_cast<int64_t>(text.size()));
  bytes += text;
  bytes += "\n";
}

std::string writeCandidates(const KernelCandidates &candidates) {
  std::string bytes(kHeader);
  addText(bytes, candidates.madeBy);
  addText(bytes, kernelTableText(candidates.others));
  addNumber(bytes, static_cast<int64_t>(candidates.modules.size()));
  for (const KernelModule &module : candidates.modules) {
    addText(bytes, module.kind);
    addNumber(bytes, static_cast<int64_t>(module.images.size()));
    for (const auto &[chip, ptx] : module.images) {
      addText(bytes, chip);
      addText(bytes, ptx);
    }
    addNumber(bytes, static_cast<int64_t>(module.candidates.size()));
    for (const KernelCandidate &candidate : module.candidates) {
      for (int64_t number :
           {candidate.tile.rows, candidate.tile.columns, candidate.tile.depth, candidate.splits, candidate.shape.m,
            candidate.shape.n, candidate.shape.k, candidate.shape.batches, static_cast<int64_t>(candidate.shape.form)})
        addNumber(bytes, number);
      addNumber(bytes, static_cast<int64_t>(candidate.buffers.size()));
      for (int64_t size : candidate.buffers)
        addNumber(bytes, size);
      addNumber(bytes, static_cast<int64_t>(candidate.launches.size()));
      for (const KernelCandidate::Launch &launch : candidate.launches) {
        addText(bytes, launch.kernel);
        addNumber(bytes, launch.blocks);
        addNumber(bytes, launch.threads);
        addNumber(bytes, static_cast<int64_t>(launch.arguments.size()));
        for (const KernelCandidate::Argument &argument : launch.arguments) {
          addNumber(bytes, argument.isBuffer);
          addNumber(bytes, argument.value);
        }
      }
    }
  }
  return bytes;
}

namespace {
/// What writeCandidates added; once something is missing, all that is read is empty.
struct Input {
  std::string_view bytes;
  bool isWhole = true;

  int64_t number(int64_t least = 0) {
    int64_t value = 0;
    const size_t end = bytes.find('\n');
    const auto result = std::from_chars(bytes.data(), bytes.data() + std::min(end, bytes.size()), value);
    isWhole &= end != bytes.npos && result.ec == std::errc() && result.ptr == bytes.data() + end && value >= least;
    if (!isWhole)
      return 0;
    bytes.remove_prefix(end + 1);
    return value;
  }
  std::string text() {
    const auto size = static_cast<size_t>(number());
    isWhole = isWhole && size < bytes.size() && bytes[size] == '\n';
    if (!isWhole)
      return {};
    std::string value(bytes.substr(0, size));
    bytes.remove_prefix(size + 1);
    return value;
  }
  /// A count of what takes two bytes at least.
  int64_t count() {
    const int64_t value = number();
    isWhole &= value <= static_cast<int64_t>(bytes.size() / 2);
    return isWhole ? value : 0;
  }
};
} // namespace

/// A launch, whose buffers the candidate has.
static void readLaunch(Input &input, KernelCandidate &candidate) {
  KernelCandidate::Launch &launch = candidate.launches.emplace_back();
  launch.kernel = input.text();
  launch.blocks = input.number(/*least=*/1);
  launch.threads = input.number(/*least=*/1);
  for (int64_t a = input.count(); a > 0 && input.isWhole; --a) {
    KernelCandidate::Argument &argument = launch.arguments.emplace_back();
    argument.isBuffer = input.number() != 0;
    argument.value = input.number();
    input.isWhole &= !argument.isBuffer || static_cast<size_t>(argument.value) < candidate.buffers.size();
  }
}

std::string readCandidates(std::string_view bytes, KernelCandidates &candidates) {
  if (bytes.substr(0, kHeader.size()) != kHeader)
    return "this is no file of candidates, or one of another version";
  Input input{bytes.substr(kHeader.size())};
  candidates.madeBy = input.text();
  MessageList wrong;
  input.isWhole = parseKernelTable("candidates", input.text(), candidates.others, wrong) && input.isWhole;
  for (int64_t m = input.count(); m > 0 && input.isWhole; --m) {
    KernelModule &module = candidates.modules.emplace_back();
    module.kind = input.text();
    input.isWhole &= std::find(std::begin(kKernelKinds), std::end(kKernelKinds), module.kind) != std::end(kKernelKinds);
    for (int64_t i = input.count(); i > 0 && input.isWhole; --i) {
      std::string chip = input.text();
      module.images.emplace_back(std::move(chip), input.text());
    }
    for (int64_t c = input.count(); c > 0 && input.isWhole; --c) {
      KernelCandidate &candidate = module.candidates.emplace_back();
      for (int64_t *number : {&candidate.tile.rows, &candidate.tile.columns, &candidate.tile.depth, &candidate.splits,
                              &candidate.shape.m, &candidate.shape.n, &candidate.shape.k, &candidate.shape.batches})
        *number = input.number(/*least=*/1);
      candidate.shape.form = static_cast<size_t>(input.number());
      input.isWhole &= candidate.shape.form < std::size(kProductForms);
      for (int64_t i = input.count(); i > 0 && input.isWhole; --i)
        candidate.buffers.push_back(input.number());
      const int64_t launches = input.count();
      input.isWhole &= launches > 0;
      for (int64_t i = launches; i > 0 && input.isWhole; --i)
        readLaunch(input, candidate);
    }
  }
  return input.isWhole && input.bytes.empty() ? std::string() : "the file is cut or damaged";
}

} // namespace mlc::common
