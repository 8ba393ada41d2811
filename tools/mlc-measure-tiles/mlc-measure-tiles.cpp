// mlc-measure-tiles: measures candidates of mlc tune-kernels on the GPU of this machine; prints a table of tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   mlc-measure-tiles CANDIDATES [ROUNDS] > TABLE
//
// It needs the driver, and nothing of LLVM. Exit status: 0: the table is printed; 1: the GPU failed; 2: there is no
// GPU, or the file cannot be read.
//
#include "runtime/src/device/cuda/MeasureTiles.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

int main(int argc, char **argv) {
  mlcrt::MeasureOptions options;
  if (argc == 3)
    options.rounds = std::atoll(argv[2]);
  if ((argc != 2 && argc != 3) || options.rounds < 1) {
    std::fprintf(stderr, "usage: mlc-measure-tiles CANDIDATES [ROUNDS]\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  mlc::common::KernelCandidates candidates;
  const std::string wrong = file ? readCandidates(bytes, candidates) : "it cannot be read";
  if (!wrong.empty()) {
    std::fprintf(stderr, "mlc-measure-tiles: '%s': %s\n", argv[1], wrong.c_str());
    return 2;
  }
  absl::StatusOr<mlc::common::KernelTable> table = mlcrt::measureTiles(
      candidates, options, [](const std::string &line) { std::fprintf(stderr, "%s\n", line.c_str()); });
  if (!table.ok()) {
    std::fprintf(stderr, "mlc-measure-tiles: %s\n", std::string(table.status().message()).c_str());
    return absl::IsFailedPrecondition(table.status()) ? 2 : 1;
  }
  const std::string text = kernelTableText(*table);
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0 ? 0 : 1;
}
