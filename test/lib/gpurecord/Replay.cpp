// mlc-gpu-replay: runs recorded launches on the GPU of this machine, and compares what they write with the record.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   mlc-gpu-replay FILE...
//
// Tells of each file in which something differs what the first such launch is, then how many of all are equal. Exit
// status: 0: all are; 1: not all; 2: there is no GPU, or a file cannot be read.
//
#include "mlcrt/abi.h"
#include "runtime/src/device/cuda/CudaDevice.h"
#include "test/lib/gpurecord/LaunchRecord.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

using namespace mlcrt;

namespace {
struct Totals {
  int64_t launches = 0, different = 0, failed = 0;
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
  std::printf("%lld launches of %d modules: %lld have the bits of the record, %lld differ, %lld fail\n",
              static_cast<long long>(totals.launches), argc - 1,
              static_cast<long long>(totals.launches - totals.different - totals.failed),
              static_cast<long long>(totals.different), static_cast<long long>(totals.failed));
  return totals.different + totals.failed > 0 ? 1 : 0;
}
