// mlc_fma_probe THREADS: for each line on stdin prints the f32 FMA rate of THREADS threads, in GFLOP/s.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a product of matrices can reach at best: independent chains of FMAs on registers, with the widest vectors that
// the processor has, for about 20 ms. 24 chains (AVX-512, 32 registers) or 12 (AVX2, 16) cover latency x pipes.
#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

/// Runs `iterations` rounds of all chains; returns something that depends on all results.
using Chains = float (*)(int64_t iterations);

static constexpr int kChains512 = 24, kChains256 = 12;

__attribute__((target("avx512f"))) static float chains512(int64_t iterations) {
  __m512 sum[kChains512], x = _mm512_set1_ps(0.999f), y = _mm512_set1_ps(1e-3f);
  for (__m512 &s : sum)
    s = x;
  for (int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 24
    for (int c = 0; c < kChains512; ++c)
      sum[c] = _mm512_fmadd_ps(sum[c], x, y);
    // Registers are opaque from round to round: no round can be folded into another.
#pragma GCC unroll 24
    for (int c = 0; c < kChains512; ++c)
      asm volatile("" : "+v"(sum[c]));
  }
  for (int c = 1; c < kChains512; ++c)
    sum[0] = _mm512_add_ps(sum[0], sum[c]);
  return _mm512_cvtss_f32(sum[0]);
}

__attribute__((target("avx2,fma"))) static float chains256(int64_t iterations) {
  __m256 sum[kChains256], x = _mm256_set1_ps(0.999f), y = _mm256_set1_ps(1e-3f);
  for (__m256 &s : sum)
    s = x;
  for (int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < kChains256; ++c)
      sum[c] = _mm256_fmadd_ps(sum[c], x, y);
#pragma GCC unroll 12
    for (int c = 0; c < kChains256; ++c)
      asm volatile("" : "+x"(sum[c]));
  }
  for (int c = 1; c < kChains256; ++c)
    sum[0] = _mm256_add_ps(sum[0], sum[c]);
  return _mm256_cvtss_f32(sum[0]);
}

static double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Runs the chains on all threads at once; returns the seconds from the common start to the last end.
static double timeChains(Chains chains, int64_t iterations, int threads) {
  static std::atomic<float> sink;
  std::atomic<int> ready{0};
  std::atomic<bool> go{false};
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t)
    others.emplace_back([&] {
      ready.fetch_add(1);
      while (!go.load(std::memory_order_acquire)) {
      }
      sink.store(chains(iterations));
    });
  while (ready.load() < threads - 1) {
  }
  double start = seconds();
  go.store(true, std::memory_order_release);
  sink.store(chains(iterations));
  for (std::thread &other : others)
    other.join();
  return seconds() - start;
}

int main(int argc, char **argv) {
  int threads = argc == 2 ? std::atoi(argv[1]) : 0;
  if (threads < 1) {
    std::fprintf(stderr, "usage: mlc_fma_probe THREADS\n");
    return 2;
  }
  bool wide = __builtin_cpu_supports("avx512f");
  if (!wide && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))) {
    std::fprintf(stderr, "mlc_fma_probe: the processor has neither AVX-512 nor AVX2 with FMA\n");
    return 1;
  }
  Chains chains = wide ? chains512 : chains256;
  double flops = 2.0 * (wide ? 16 * kChains512 : 8 * kChains256);
  int64_t iterations = 100'000;
  // As many rounds as take about 20 ms.
  iterations = static_cast<int64_t>(iterations * std::max(0.02 / timeChains(chains, iterations, 1), 1.0));
  for (int c = std::getchar(); c != EOF; c = std::getchar()) {
    if (c != '\n')
      continue;
    std::printf("{\"gflops\": %.2f, \"vector_bits\": %d}\n",
                threads * flops * iterations / timeChains(chains, iterations, threads) * 1e-9, wide ? 512 : 256);
    std::fflush(stdout);
  }
  return 0;
}
