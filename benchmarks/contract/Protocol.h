// What both contestants of the benchmark do alike: the input, the check and the answers. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_BENCHMARKS_CONTRACT_PROTOCOL_H
#define MLC_BENCHMARKS_CONTRACT_PROTOCOL_H

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>

namespace mlcbench {

/// Element `i` of the input: in [-1, 1).
inline float inputElement(int64_t i) {
  auto hash = static_cast<uint32_t>(static_cast<uint64_t>(i) * 2654435761u);
  return static_cast<float>(hash >> 8) * 0x1p-23f - 1.0f;
}

/// Answers lines of stdin until it ends: `time N` runs N times and prints {"ns": nanoseconds per run}, `check 1` prints
/// a sum of the output in which no two elements can be confused, and the sum of the magnitudes. Returns 1 where `run`
/// fails.
template <typename Run> int answer(Run run, const float *const &output, int64_t elements) {
  std::string command;
  int64_t count = 0;
  while (std::cin >> command >> count) {
    auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < count; ++i)
      if (!run())
        return 1;
    std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - start;
    if (command == "time") {
      std::printf("{\"ns\": %.1f}\n", passed.count() / static_cast<double>(count));
    } else {
      double sum = 0, magnitude = 0;
      for (int64_t i = 0; i < elements; ++i) {
        double term = static_cast<double>(output[i]) * static_cast<double>(1 + i % 1021);
        sum += term;
        magnitude += std::abs(term);
      }
      std::printf("{\"sum\": %.17g, \"magnitude\": %.17g}\n", sum, magnitude);
    }
    std::fflush(stdout);
  }
  return 0;
}

} // namespace mlcbench

#endif // MLC_BENCHMARKS_CONTRACT_PROTOCOL_H
