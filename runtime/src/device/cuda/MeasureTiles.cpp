//===- MeasureTiles.cpp - Which tile of products is the fastest on a GPU ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/MeasureTiles.h"

#include "runtime/src/device/cuda/CudaImage.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

using namespace mlc::common;

namespace mlcrt {

/// Microseconds of launches that a reading has at least, so that events tell them apart, and launches of one at most.
static constexpr double kLeastReading = 200;
static constexpr int64_t kMostLaunches = 100;

/// Numbers of 1/2 to 1 and their negatives: what a GPU takes for zeros, its clocks differ.
static std::vector<uint8_t> makeFactors(const std::string &kind, int64_t bytes) {
  std::vector<uint8_t> made(static_cast<size_t>(bytes));
  uint64_t state = 1;
  auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 16;
  };
  auto fill = [&](auto one, uint64_t fraction, uint64_t sign) {
    for (size_t at = 0; at + sizeof(one) <= made.size(); at += sizeof(one)) {
      const auto number = static_cast<decltype(one)>(one | (next() & (fraction | sign)));
      std::memcpy(made.data() + at, &number, sizeof(number));
    }
  };
  if (kind == "f64")
    fill(uint64_t(0x3fe0000000000000), 0xfffffffff, uint64_t(1) << 63);
  else if (kind == "f16")
    fill(uint16_t(0x3800), 0x3ff, 0x8000);
  else if (kind == "bf16")
    fill(uint16_t(0x3f00), 0x7f, 0x8000);
  else
    fill(uint32_t(0x3f000000), kind == "tf32" ? 0x7fe000 : 0x7fffff, 0x80000000);
  return made;
}

namespace {
using Key = std::tuple<size_t, int64_t, int64_t, int64_t, int64_t>;
Key keyOf(const ProductShape &shape) { return {shape.form, shape.m, shape.n, shape.k, shape.batches}; }

/// The candidates of one kind, on the device.
class Module {
public:
  Module(const KernelModule &module, const MeasureOptions &options) : module_(module), options_(options) {}
  ~Module() {
    for (void *buffer : buffers_)
      device_->free(buffer);
  }

  absl::Status open();
  const CudaDeviceInfo &info() const { return device_->info(); }
  const std::string &image() const { return device_->image(); }
  const std::string &forms() const { return forms_; } ///< those that were measured
  absl::Status measure(const std::function<void(const std::string &)> &told, KernelTable &table);

private:
  absl::StatusOr<double> time(const KernelCandidate &candidate, int64_t launches);
  absl::StatusOr<TileLine> measureShape(const std::vector<const KernelCandidate *> &candidates);

  const KernelModule &module_;
  const MeasureOptions &options_;
  std::unique_ptr<CudaDevice> device_;
  std::string forms_;
  std::vector<void *> buffers_; ///< each as large as any candidate's of its number
};
} // namespace

absl::Status Module::open() {
  std::vector<mlcrt_image> images(module_.images.size());
  std::vector<const mlcrt_image *> pointers;
  for (size_t i = 0; i < images.size(); ++i) {
    images[i].device_kind = "cuda";
    images[i].chip = module_.images[i].first.c_str();
    images[i].kind = MLCRT_IMAGE_PTX;
    images[i].data = module_.images[i].second.c_str();
    images[i].bytes = static_cast<int64_t>(module_.images[i].second.size()) + 1;
    pointers.push_back(&images[i]);
  }
  absl::StatusOr<std::unique_ptr<CudaDevice>> device =
      CudaDevice::open(absl::StrCat("/device:CUDA:", options_.ordinal), options_.ordinal, pointers, options_.device);
  if (!device.ok())
    return device.status();
  device_ = *std::move(device);
  std::vector<int64_t> sizes;
  for (const KernelCandidate &candidate : module_.candidates) {
    sizes.resize(std::max(sizes.size(), candidate.buffers.size()));
    for (size_t i = 0; i < candidate.buffers.size(); ++i)
      sizes[i] = std::max(sizes[i], candidate.buffers[i]);
  }
  for (int64_t bytes : sizes) {
    absl::StatusOr<void *> buffer = device_->allocate(bytes, 256);
    if (!buffer.ok())
      return buffer.status();
    buffers_.push_back(*buffer);
    const std::vector<uint8_t> factors = makeFactors(module_.kind, bytes);
    if (absl::Status status =
            device_->copy(Device::Memory::Host, factors.data(), Device::Memory::Device, *buffer, bytes);
        !status.ok())
      return status;
    // The device has read them when the next ones come.
    if (absl::Status status = device_->wait(); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

/// Microseconds of a product: of each of its kernels, launched so often one after another.
absl::StatusOr<double> Module::time(const KernelCandidate &candidate, int64_t launches) {
  double all = 0;
  for (const KernelCandidate::Launch &launch : candidate.launches) {
    const int64_t shape[7] = {launch.blocks, 1, 1, launch.threads, 1, 1, 0};
    std::vector<int64_t> arguments;
    for (const KernelCandidate::Argument &argument : launch.arguments)
      arguments.push_back(argument.isBuffer ? reinterpret_cast<int64_t>(buffers_[static_cast<size_t>(argument.value)])
                                            : argument.value);
    absl::StatusOr<double> milliseconds = device_->timeLaunches(launch.kernel.c_str(), shape, arguments.data(),
                                                                static_cast<int64_t>(arguments.size()), launches);
    if (!milliseconds.ok())
      return milliseconds.status();
    all += *milliseconds * 1000;
  }
  return all;
}

/// The fastest of candidates of one shape. Readings go round, so that clocks which change are all of theirs.
absl::StatusOr<TileLine> Module::measureShape(const std::vector<const KernelCandidate *> &candidates) {
  std::vector<int64_t> launches;
  for (const KernelCandidate *candidate : candidates) {
    absl::StatusOr<double> first = time(*candidate, 1); // loads the kernel, too
    if (first.ok())
      first = time(*candidate, 1);
    if (!first.ok())
      return first.status();
    launches.push_back(
        std::clamp(static_cast<int64_t>(kLeastReading / std::max(*first, 0.01)), int64_t(1), kMostLaunches));
  }
  std::vector<std::vector<double>> readings(candidates.size());
  for (int64_t round = 0; round < options_.rounds; ++round)
    for (size_t i = 0; i < candidates.size(); ++i) {
      absl::StatusOr<double> reading = time(*candidates[i], launches[i]);
      if (!reading.ok())
        return reading.status();
      readings[i].push_back(*reading);
    }
  std::vector<std::pair<double, size_t>> medians;
  for (size_t i = 0; i < candidates.size(); ++i) {
    auto middle = readings[i].begin() + static_cast<ptrdiff_t>(readings[i].size() / 2);
    std::nth_element(readings[i].begin(), middle, readings[i].end());
    medians.emplace_back(*middle, i);
  }
  std::sort(medians.begin(), medians.end());
  TileLine line;
  line.kind = module_.kind;
  line.of = candidates.front()->shape;
  line.tile = candidates[medians[0].second]->tile;
  line.splits = candidates[medians[0].second]->splits;
  line.microseconds = std::max(medians[0].first, 1e-3);
  if (medians.size() > 1) {
    line.next = candidates[medians[1].second]->tile;
    line.nextSplits = candidates[medians[1].second]->splits;
    line.nextMicroseconds = std::max(medians[1].first, 1e-3);
  }
  return line;
}

/// Sizes are of the class of the nearest one that was measured, by their ratio.
static Bounds boundsOf(int64_t size, const std::set<int64_t> &sizes) {
  auto between = [](int64_t x, int64_t y) {
    return static_cast<int64_t>(std::sqrt(static_cast<double>(x) * static_cast<double>(y)));
  };
  const auto it = sizes.find(size), next = std::next(it);
  Bounds bounds;
  if (it != sizes.begin())
    bounds.least = between(*std::prev(it), size) + 1;
  if (next != sizes.end())
    bounds.most = between(size, *next);
  return bounds;
}

/// "bf16 tn 64 x 128 x 32: 32x32x32/4 9.1 us; 64x64x32 9.4 us".
static std::string measuredText(const TileLine &line) {
  std::string text = absl::StrCat(line.kind, " ", std::string(kProductForms[line.of.form]), " ", line.of.m, " x ",
                                  line.of.k, " x ", line.of.n);
  if (line.of.batches > 1)
    absl::StrAppend(&text, " of ", line.of.batches, " matrices");
  absl::StrAppend(&text, ": ", tileText(line.tile, line.splits), " ", line.microseconds, " us");
  if (line.nextMicroseconds > 0)
    absl::StrAppend(&text, "; ", tileText(line.next, line.nextSplits), " ", line.nextMicroseconds, " us");
  return text;
}

absl::Status Module::measure(const std::function<void(const std::string &)> &told, KernelTable &table) {
  std::map<Key, std::vector<const KernelCandidate *>> shapes;
  std::set<int64_t> m, n, k, batches;
  std::set<size_t> forms;
  for (const KernelCandidate &candidate : module_.candidates) {
    shapes[keyOf(candidate.shape)].push_back(&candidate);
    m.insert(candidate.shape.m);
    n.insert(candidate.shape.n);
    k.insert(candidate.shape.k);
    batches.insert(candidate.shape.batches);
    forms.insert(candidate.shape.form);
  }
  if (shapes.size() != m.size() * n.size() * k.size() * batches.size() * forms.size())
    return absl::DataLossError(absl::StrCat("candidates of ", module_.kind, " lack shapes"));
  told(absl::StrCat(module_.kind, ": ", module_.candidates.size(), " candidates for ", shapes.size(), " shapes"));
  std::vector<TileLine> ofFirst;
  for (const auto &[key, candidates] : shapes) {
    absl::StatusOr<TileLine> line = measureShape(candidates);
    if (!line.ok())
      return line.status();
    line->chip = cudaChipText(info().chip);
    line->m = boundsOf(line->of.m, m);
    line->n = boundsOf(line->of.n, n);
    line->k = boundsOf(line->of.k, k);
    line->batches = boundsOf(line->of.batches, batches);
    told(measuredText(*line));
    // Lines of the first form are those of the forms that were not measured, too, and come after all others.
    if (line->of.form == *forms.begin()) {
      ofFirst.push_back(*std::move(line));
      continue;
    }
    line->form = line->of.form;
    table.lines.push_back(*std::move(line));
  }
  table.lines.insert(table.lines.end(), ofFirst.begin(), ofFirst.end());
  std::string names;
  for (size_t form : forms)
    absl::StrAppend(&names, names.empty() ? "" : ",", std::string(kProductForms[form]));
  forms_ = names;
  return absl::OkStatus();
}

absl::StatusOr<KernelTable> measureTiles(const KernelCandidates &candidates, const MeasureOptions &options,
                                         const std::function<void(const std::string &)> &told) {
  KernelTable table;
  for (const KernelModule &module : candidates.modules) {
    Module opened(module, options);
    absl::Status status = opened.open();
    if (status.ok())
      status = opened.measure(told, table);
    if (!status.ok())
      return status;
    table.devices.push_back(absl::StrCat(cudaChipText(opened.info().chip), " ", module.kind, " ", opened.info().name,
                                         ", ", opened.image(), ", ", candidates.madeBy, " tune-kernels: forms ",
                                         opened.forms(), ", medians of ", options.rounds, " readings"));
  }
  table.lines.insert(table.lines.end(), candidates.others.lines.begin(), candidates.others.lines.end());
  return table;
}

} // namespace mlcrt
