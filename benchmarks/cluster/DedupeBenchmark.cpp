// The rows that a step pulls: ids made distinct, and their rows copied.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A batch of ids of each of several features, by Zipf's law and scattered over the rows of its table as a hash scatters
// them. Distinct: RowSet against std::sort and std::unique, by turns. Bytes: an id and a row for each distinct id
// against one for each id. Rows: out of a table as a server copies them, and into one as a training task does, against
// the copy of as many bytes that lie together.
#include "benchmarks/cluster/Times.h"
#include "runtime/src/core/RowSet.h"
#include "runtime/src/core/Rows.h"
#include "runtime/src/core/Tensor.h"

#include "CLI/CLI.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

using namespace mlcrt;

/// Ids of ranks with P(k) ~ 1 / k^exponent, by inversion of the integral.
static std::vector<int64_t> zipfIds(size_t count, int64_t rows, double exponent, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<int64_t> ids(count);
  for (int64_t &id : ids) {
    const double u = uniform(random), n = static_cast<double>(rows);
    const double rank = exponent == 1 ? std::pow(n + 1, u) - 1
                                      : std::pow(u * (std::pow(n + 1, 1 - exponent) - 1) + 1, 1 / (1 - exponent)) - 1;
    const auto k = static_cast<uint64_t>(std::min(rank, n - 1)) + 1;
    id = static_cast<int64_t>((k * 0x9E3779B97F4A7C15 ^ seed) % static_cast<uint64_t>(rows));
  }
  return ids;
}

int main(int argc, char **argv) {
  size_t batch = 4096, features = 26;
  int64_t width = 32;
  int repeats = 15;
  double exponent = 1.05;
  std::vector<int64_t> tables = {500000, 33000000, 1000000000};
  CLI::App app("De-duplication of ids, and copies of rows");
  app.add_option("--batch", batch, "ids of each feature");
  app.add_option("--features", features, "features, each with a table of its own");
  app.add_option("--width", width, "f32 elements of a row");
  app.add_option("--exponent", exponent, "of Zipf's law");
  app.add_option("--rows", tables, "rows of all tables together");
  app.add_option("--repeats", repeats, "of which the median counts");
  CLI11_PARSE(app, argc, argv);

  std::printf("%zu x %zu ids, Zipf %.2f, rows of %lld f32, medians of %d\n", batch, features, exponent,
              static_cast<long long>(width), repeats);
  std::printf("%-14s %9s %9s %9s %9s %8s %8s %11s %11s\n", "rows", "unique", "bytes", "ns/id", "sort", "faster", "copy",
              "gather GB/s", "scatter GB/s");
  for (int64_t all : tables) {
    const int64_t rows = all / static_cast<int64_t>(features);
    std::vector<RowSet> sets(features, RowSet(rows));
    std::vector<std::vector<int64_t>> sorted(features);
    std::vector<double> ours, theirs, gathers, scatters, copies;
    const int64_t rowSize = width * 4;
    const bool hasTable = all * rowSize <= int64_t{6} << 30;
    Tensor table = hasTable ? Tensor(MLCRT_F32, {rows, width}) : Tensor(MLCRT_F32, {1, width});
    if (hasTable)
      std::fill_n(table.as<float>(), rows * width, 1.0f);
    size_t distinct = 0, wireBytes = 0;
    for (int r = 0; r < repeats; ++r) {
      std::vector<std::vector<int64_t>> ids;
      for (size_t f = 0; f < features; ++f)
        ids.push_back(zipfIds(batch, rows, exponent, static_cast<uint64_t>(r) * 1000 + f + 1));
      std::vector<const std::vector<int64_t> *> unique(features);
      const double total = static_cast<double>(batch * features);
      theirs.push_back(1e9 / total * seconds([&] {
                         for (size_t f = 0; f < features; ++f) {
                           sorted[f].assign(ids[f].begin(), ids[f].end());
                           std::sort(sorted[f].begin(), sorted[f].end());
                           sorted[f].erase(std::unique(sorted[f].begin(), sorted[f].end()), sorted[f].end());
                         }
                       }));
      ours.push_back(1e9 / total * seconds([&] {
                       for (size_t f = 0; f < features; ++f) {
                         sets[f].add(ids[f].data(), ids[f].size());
                         unique[f] = &sets[f].take();
                         sets[f].clear();
                       }
                     }));
      for (size_t f = 0; f < features; ++f) {
        if (*unique[f] != sorted[f]) {
          std::fprintf(stderr, "feature %zu: the distinct ids differ\n", f);
          return 1;
        }
        distinct += sorted[f].size();
        wireBytes += unique[f]->size() * static_cast<size_t>(8 + rowSize);
      }
      if (!hasTable)
        continue;
      const auto count = static_cast<int64_t>(unique[0]->size());
      std::vector<float> packed(static_cast<size_t>(count * width)), other(packed.size());
      const double bytes = static_cast<double>(count * rowSize);
      absl::Status status;
      copies.push_back(bytes / seconds([&] { std::memcpy(other.data(), packed.data(), packed.size() * 4); }) / 1e9);
      gathers.push_back(
          bytes /
          seconds([&] { status.Update(gatherRows({table.buffer()}, unique[0]->data(), count, packed.data())); }) / 1e9);
      scatters.push_back(bytes / seconds([&] {
                           status.Update(scatterRows({table.buffer()}, unique[0]->data(), count, packed.data()));
                         }) /
                         1e9);
      if (!status.ok()) {
        std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
        return 1;
      }
    }
    const double ids = static_cast<double>(batch * features) * repeats;
    std::printf("%-14lld %9.4f %9.4f %9.2f %9.2f %7.1fx", static_cast<long long>(all),
                static_cast<double>(distinct) / ids,
                static_cast<double>(wireBytes) / (ids * static_cast<double>(8 + rowSize)), median(ours), median(theirs),
                median(theirs) / median(ours));
    if (hasTable)
      std::printf(" %8.1f %11.1f %11.1f", median(copies), median(gathers), median(scatters));
    std::printf("\n");
  }
}
