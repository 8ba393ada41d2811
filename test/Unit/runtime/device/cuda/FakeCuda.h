// What the fake driver of the tests does and has seen. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TEST_FAKECUDA_H
#define MLCRT_TEST_FAKECUDA_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// A launch as a kernel of the fake driver sees it.
struct FakeCudaLaunch {
  unsigned blocks[3], threads[3], sharedBytes;
  std::vector<uint64_t> arguments; ///< of each the bytes that the parameter has, others zero
};

/// A kernel: runs once for all blocks, when the stream comes to it; returns the driver's result.
struct FakeCudaKernel {
  std::vector<size_t> parameters; ///< their bytes
  std::function<int(const FakeCudaLaunch &)> run;
  int ownShared = 0, maxThreads = 1024;
};

/// The fake driver's state, of the process. A stream does nothing before something waits for it: what is read too late
/// or too early is seen. Memory of its devices is host memory that begins as garbage.
struct FakeCuda {
  static constexpr unsigned char kGarbage = 0x7f; ///< floats of 3.4e38

  // What it does.
  int version = 12040, initResult = 0, devices = 1, chip = 90;
  std::map<int, int> attributes; ///< of devices, beside the chip's; 0 of others
  int64_t totalBytes = int64_t{1} << 30;
  std::map<std::string, FakeCudaKernel> kernels;
  std::map<std::string, std::vector<char>> globals;      ///< variables of each module
  std::set<std::pair<std::string, std::string>> lacking; ///< texts of images, and kernels that they do not have
  std::map<std::string, int> failing;                    ///< results of calls, by name
  /// Loads an image: the result, and what the driver's log says.
  std::function<int(const char *image, std::string &log)> load;

  // What it has seen.
  std::map<std::string, int> calls;          ///< how often each was called
  std::vector<FakeCudaLaunch> launches;      ///< those that ran
  std::vector<std::string> images;           ///< those that were loaded
  bool keepsLines = false;                   ///< the last one was loaded with its lines
  std::map<std::string, int> maxShared;      ///< of cuFuncSetAttribute, by kernel
  int objects = 0;                           ///< contexts, streams, events, modules, graphs that are there
  std::map<uint64_t, size_t> memory, pinned; ///< pieces of device memory and of pinned host memory
  std::vector<size_t> pieces;                ///< sizes of all pieces of device memory that were ever taken
  int lost = 0;                              ///< the error that lost the context

  int64_t heldBytes() const {
    int64_t bytes = 0;
    for (const auto &[begin, size] : memory)
      bytes += static_cast<int64_t>(size);
    return bytes;
  }
};

/// The state of the library, which exports it by this name.
using FakeCudaStateFn = FakeCuda *();
#define FAKE_CUDA_STATE "fakeCudaState"

#endif // MLCRT_TEST_FAKECUDA_H
