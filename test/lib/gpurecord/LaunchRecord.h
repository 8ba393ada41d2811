// Launches of kernels with all that they read and wrote, in files that a machine with a GPU runs again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_LIB_GPURECORD_LAUNCHRECORD_H
#define TEST_LIB_GPURECORD_LAUNCHRECORD_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpurecord {

/// A piece of the device's memory: what it held before a launch, and after it.
struct Piece {
  std::vector<uint8_t> before, after;
};

/// What a kernel gets: a number, or the address of a byte of a piece.
struct Argument {
  int64_t value;      ///< the number, or how many bytes into the piece
  int64_t piece = -1; ///< -1: a number
};

struct Launch {
  std::string kernel;
  int64_t shape[7] = {}; ///< blocks, threads, bytes of shared memory, as of the service device_launch
  std::vector<Argument> arguments;
  std::vector<Piece> pieces;
};

/// PTX, and launches of its kernels.
struct Record {
  std::string ptx;
  std::vector<Launch> launches;
};

/// Writes a file of one module: the PTX, then launches as they come, until there are enough of a kernel.
class Writer {
public:
  /// Launches of a kernel that are kept, and bytes of one's memory at most.
  static constexpr int kMostLaunches = 2;
  static constexpr size_t kMostBytes = size_t(1) << 20;

  Writer(std::string path, std::string ptx) : path_(std::move(path)), ptx_(std::move(ptx)) {}
  /// Whether another launch of the kernel is kept.
  bool wants(const std::string &kernel) const;
  /// Returns an error, or nothing. A launch with too much memory is dropped.
  std::string add(const Launch &launch);

private:
  const std::string path_, ptx_;
  std::map<std::string, int> kept_;
};

/// Reads a file that a Writer wrote. Returns an error, or nothing.
std::string read(const std::string &path, Record &record);

} // namespace gpurecord

#endif // TEST_LIB_GPURECORD_LAUNCHRECORD_H
