// mlc-gpu-replay: runs recorded launches on the GPU of this machine, and compares what they write with the record.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   mlc-gpu-replay FILE...
//
// Tells of each file in which something differs what the first such launch is, then how many of all are equal. Kernels
// that use tensor cores, which add in an order of their own, only need to come near. Exit status: 0: all are; 1: not
// all; 2: there is no GPU, or a file cannot be read.
//
#include "mlcrt/abi.h"
#include "runtime/src/device/cuda/CudaDevice.h"
#include "test/lib/gpurecord/LaunchRecord.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

using namespace mlcrt;

namespace {
struct Totals {
  int64_t launches = 0, near = 0, different = 0, failed = 0;
};
} // namespace

/// The launch on the device: after it the pieces hold what it left.
static absl::Status run(CudaDevice &device, const gpurecord::Launch &launch,
                        std::vector<std::vector<uint8_t>> &results) {
  struct Memory {
    CudaDevice &device;
    std::vector<void *> pieces;
    ~Memory() {
      for (void *piece : pieces)
        device.free(piece);
    }
  } memory{device, {}};
  for (const gpurecord::Piece &piece : launch.pieces) {
    const auto bytes = static_cast<int64_t>(piece.before.size());
    absl::StatusOr<void *> made = device.allocate(bytes, 256);
    if (!made.ok())
      return made.status();
    memory.pieces.push_back(*made);
    if (absl::Status status =
            device.copy(Device::Memory::Host, piece.before.data(), Device::Memory::Device, *made, bytes);
        !status.ok())
      return status;
  }
  std::vector<int64_t> arguments;
  for (const gpurecord::Argument &argument : launch.arguments)
    arguments.push_back(argument.piece < 0
                            ? argument.value
                            : reinterpret_cast<int64_t>(memory.pieces[static_cast<size_t>(argument.piece)]) +
                                  argument.value);
  if (absl::Status status =
          device.launch(launch.kernel.c_str(), launch.shape, arguments.data(), static_cast<int64_t>(arguments.size()));
      !status.ok())
    return status;
  results.resize(launch.pieces.size());
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].resize(launch.pieces[i].after.size());
    if (absl::Status status = device.copy(Device::Memory::Device, memory.pieces[i], Device::Memory::Host,
                                          results[i].data(), static_cast<int64_t>(results[i].size()));
        !status.ok())
      return status;
  }
  return device.wait();
}

/// Whether the kernel multiplies matrices by tensor cores.
static bool usesMatrices(const std::string &ptx, const std::string &kernel) {
  const size_t begin = ptx.find(".entry " + kernel + "(");
  if (begin == std::string::npos)
    return false;
  const size_t found = ptx.find("mma.sync", begin);
  return found != std::string::npos && found < ptx.find("\n}", begin);
}

/// Whether what sums of f32 and numbers rounded from them were made of may have been added in another order: words as
/// f32 differ by a small part of the largest one, or as two halves by one place.
static bool isNear(const gpurecord::Launch &launch, const std::vector<std::vector<uint8_t>> &results) {
  for (size_t i = 0; i < results.size(); ++i) {
    const std::vector<uint8_t> &expected = launch.pieces[i].after, &found = results[i];
    auto wordOf = [](const std::vector<uint8_t> &bytes, size_t at) {
      uint32_t word = 0;
      std::memcpy(&word, bytes.data() + at, std::min<size_t>(4, bytes.size() - at));
      return word;
    };
    auto numberOf = [](uint32_t word) {
      float number;
      std::memcpy(&number, &word, 4);
      return static_cast<double>(number);
    };
    double largest = 0;
    for (size_t at = 0; at < expected.size(); at += 4)
      if (const double number = std::abs(numberOf(wordOf(expected, at))); number < 1e30)
        largest = std::max(largest, number);
    for (size_t at = 0; at < expected.size(); at += 4) {
      const uint32_t x = wordOf(expected, at), y = wordOf(found, at);
      auto halvesAreNear = [&](int shift) {
        const int difference = static_cast<int>(x >> shift & 0xffff) - static_cast<int>(y >> shift & 0xffff);
        return std::abs(difference) <= 1;
      };
      if (x != y && !(std::abs(numberOf(x) - numberOf(y)) <= 1e-5 * largest) &&
          !(halvesAreNear(0) && halvesAreNear(16)))
        return false;
    }
  }
  return true;
}

/// What differs first, or nothing.
static std::string compare(const gpurecord::Launch &launch, const std::vector<std::vector<uint8_t>> &results) {
  for (size_t i = 0; i < results.size(); ++i) {
    const std::vector<uint8_t> &expected = launch.pieces[i].after, &found = results[i];
    size_t first = expected.size(), count = 0;
    for (size_t at = 0; at < expected.size(); ++at)
      if (expected[at] != found[at]) {
        first = std::min(first, at);
        ++count;
      }
    if (count > 0)
      return "buffer " + std::to_string(i) + ": " + std::to_string(count) + " of " + std::to_string(expected.size()) +
             " bytes differ, the first is byte " + std::to_string(first);
  }
  return {};
}

/// Runs a file; false: it cannot be.
static bool replay(const char *path, Totals &totals) {
  gpurecord::Record record;
  if (std::string error = gpurecord::read(path, record); !error.empty()) {
    std::fprintf(stderr, "mlc-gpu-replay: %s\n", error.c_str());
    return false;
  }
  mlcrt_image image = {};
  image.device_kind = "cuda";
  image.chip = "sm_80";
  image.kind = MLCRT_IMAGE_PTX;
  image.data = record.ptx.c_str();
  image.bytes = static_cast<int64_t>(record.ptx.size()) + 1;
  absl::StatusOr<std::unique_ptr<CudaDevice>> device = CudaDevice::open("the GPU", 0, {&image}, CudaOptions());
  if (!device.ok()) {
    std::fprintf(stderr, "mlc-gpu-replay: %s: %s\n", path, std::string(device.status().message()).c_str());
    return false;
  }
  std::string problem;
  for (const gpurecord::Launch &launch : record.launches) {
    std::vector<std::vector<uint8_t>> results;
    ++totals.launches;
    const absl::Status status = run(**device, launch, results);
    const std::string difference = status.ok() ? compare(launch, results) : std::string(status.message());
    if (difference.empty())
      continue;
    if (status.ok() && usesMatrices(record.ptx, launch.kernel) && isNear(launch, results)) {
      ++totals.near;
      continue;
    }
    ++(status.ok() ? totals.different : totals.failed);
    if (problem.empty())
      problem = launch.kernel + ": " + difference;
    if (!status.ok())
      break; // the context may be lost
  }
  if (!problem.empty())
    std::printf("%s: %s\n", path, problem.c_str());
  return true;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: mlc-gpu-replay FILE...\n");
    return 2;
  }
  Totals totals;
  for (int i = 1; i < argc; ++i)
    if (!replay(argv[i], totals))
      return 2;
  std::printf(
      "%lld launches of %d modules: %lld have the bits of the record, %lld of tensor cores come near, %lld differ, "
      "%lld fail\n",
      static_cast<long long>(totals.launches), argc - 1,
      static_cast<long long>(totals.launches - totals.near - totals.different - totals.failed),
      static_cast<long long>(totals.near), static_cast<long long>(totals.different),
      static_cast<long long>(totals.failed));
  return totals.different + totals.failed > 0 ? 1 : 0;
}
