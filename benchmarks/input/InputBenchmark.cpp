// How fast data files are read: CSV against a hand-written loop over the same columns, and TFRecord.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//     mlc_input_benchmark [ROWS] [ROUNDS]
//
// Writes the files into a temporary directory (so they are in the page cache), then reads each in turn, ROUNDS times,
// by one thread: the reader opens the data set, which reads, indexes, checks and parses every row; the loop reads the
// same columns and checks nothing. Prints medians in MB of file per second, and the ratio; for the CSV file with
// multi-valued cells and for TFRecord there is no loop.
#include "benchmarks/input/HandLoop.h"
#include "runtime/src/input/Dataset.h"
#include "runtime/src/input/TfRecord.h"
#include "test/Unit/runtime/input/ExampleTestSupport.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

using namespace mlcrt;
using mlc::benchmarks::Cell;

namespace {

struct Random {
  uint64_t state = 1;
  uint64_t next(uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  }
};

constexpr int kFloats = 8, kInts = 4, kTexts = 8;

/// Rows as a click log has them: 8 floats, 4 integers, 8 short texts.
std::string csvText(int64_t rows) {
  std::string text;
  for (int i = 0; i < kFloats + kInts + kTexts; ++i)
    text += (i ? ",c" : "c") + std::to_string(i);
  text += '\n';
  Random random;
  for (int64_t row = 0; row < rows; ++row) {
    char cell[64];
    for (int i = 0; i < kFloats; ++i) {
      std::snprintf(cell, sizeof(cell), "%.4f,", static_cast<double>(random.next(1000000)) / 1000 - 500);
      text += cell;
    }
    for (int i = 0; i < kInts; ++i)
      text += std::to_string(random.next(100000)) + ",";
    for (int i = 0; i < kTexts; ++i) {
      std::snprintf(cell, sizeof(cell), "%08llx%c", static_cast<unsigned long long>(random.next(1u << 31)),
                    i + 1 < kTexts ? ',' : '\n');
      text += cell;
    }
  }
  return text;
}

InputColumn makeColumn(std::string name, mlcrt_dtype dtype) {
  InputColumn column;
  column.name = std::move(name);
  column.dtype = dtype;
  column.categorical = dtype == MLCRT_STRING;
  return column;
}

InputFormat csvFormat() {
  InputFormat format;
  for (int i = 0; i < kFloats + kInts + kTexts; ++i)
    format.columns.push_back(makeColumn("c" + std::to_string(i), i < kFloats           ? MLCRT_F32
                                                                 : i < kFloats + kInts ? MLCRT_I64
                                                                                       : MLCRT_STRING));
  return format;
}

/// An integer and two multi-valued columns, one with weights.
std::string multiText(int64_t rows) {
  std::string text = "x,ids,tags\n";
  Random random;
  for (int64_t row = 0; row < rows; ++row) {
    text += std::to_string(row) + ",";
    for (uint64_t k = 0, n = random.next(12); k < n; ++k)
      text += (k ? "|" : "") + std::to_string(random.next(1000000));
    text += ",";
    for (uint64_t k = 0, n = random.next(8); k < n; ++k)
      text += (k ? "|tag" : "tag") + std::to_string(random.next(10000)) + ":0." + std::to_string(random.next(100));
    text += "\n";
  }
  return text;
}

/// The rows of csvText as tf.Examples.
std::string tfRecordText(int64_t rows) {
  std::string text;
  Random random;
  for (int64_t row = 0; row < rows; ++row) {
    test::ExampleWriter example;
    for (int i = 0; i < kFloats + kInts + kTexts; ++i) {
      const std::string name = "c" + std::to_string(i);
      if (i < kFloats)
        example.floats(name, {static_cast<float>(random.next(1000000)) / 1000});
      else if (i < kFloats + kInts)
        example.ints(name, {static_cast<int64_t>(random.next(100000))});
      else
        example.bytes(name, {std::to_string(random.next(100000000))});
    }
    text += frameRecord(example.str());
  }
  return text;
}

std::vector<TensorSpec> featuresOf(const InputFormat &format, std::vector<std::string> &names) {
  std::vector<TensorSpec> features;
  names.reserve(3 * format.columns.size());
  int symbol = 0;
  for (const InputColumn &column : format.columns) {
    const int64_t dim = column.multiValue ? MLCRT_DIM_SYMBOL(++symbol) : MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH);
    features.emplace_back(names.emplace_back(column.name).c_str(), column.dtype, Dims{dim});
    if (!column.multiValue)
      continue;
    features.emplace_back(names.emplace_back(column.name + MLCRT_ENDS_SUFFIX).c_str(), MLCRT_I64, Dims{-1});
    if (column.multiValue->weightSeparator)
      features.emplace_back(names.emplace_back(column.name + MLCRT_WEIGHT_SUFFIX).c_str(), MLCRT_F32, Dims{dim});
  }
  return features;
}

double seconds(const std::function<void()> &work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Opens `path` and returns the number of rows; ends the program on an error.
int64_t readByReader(const std::vector<DataFile> &files, const InputFormat &format) {
  std::vector<std::string> names;
  auto dataset = Dataset::open(files, format, featuresOf(format, names), DatasetOptions());
  if (!dataset.ok()) {
    std::fprintf(stderr, "%s\n", dataset.status().ToString().c_str());
    std::exit(1);
  }
  return (*dataset)->size();
}

} // namespace

int main(int argc, char **argv) {
  const int64_t rows = argc > 1 ? std::atoll(argv[1]) : 400000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  std::string dir = (std::filesystem::temp_directory_path() / "mlc-input-benchmark-XXXXXX").string();
  if (rows < 1 || rounds < 1 || !::mkdtemp(dir.data())) {
    std::fprintf(stderr, "usage: mlc_input_benchmark [ROWS] [ROUNDS]\n");
    return 2;
  }
  struct Case {
    const char *name, *file;
    std::string text;
    InputFormat format;
    bool byHand;
  };
  InputFormat multi, tfrecord = csvFormat();
  multi.columns = {makeColumn("x", MLCRT_I64), makeColumn("ids", MLCRT_I64), makeColumn("tags", MLCRT_STRING)};
  multi.columns[1].multiValue.emplace();
  multi.columns[2].multiValue = MultiValue{'|', 0, ':'};
  tfrecord.tfrecord.emplace();
  const Case cases[] = {{"csv", "a.csv", csvText(rows), csvFormat(), true},
                        {"csv, multi-valued", "b.csv", multiText(rows), multi, false},
                        {"tfrecord", "c.tfrecord", tfRecordText(rows), tfrecord, false}};
  std::vector<Cell> cells;
  for (int i = 0; i < kFloats + kInts + kTexts; ++i)
    cells.push_back(i < kFloats ? Cell::Float : i < kFloats + kInts ? Cell::Int : Cell::Text);
  for (const Case &test : cases) {
    const std::string path = dir + "/" + test.file;
    std::ofstream(path, std::ios::binary) << test.text;
    const auto files = resolveFiles({path});
    std::vector<double> ours, loop, ratios;
    for (int round = 0; files.ok() && round < rounds; ++round) {
      ours.push_back(seconds([&] {
        if (readByReader(*files, test.format) != rows)
          std::exit(1);
      }));
      if (!test.byHand)
        continue;
      loop.push_back(seconds([&] {
        if (mlc::benchmarks::readByHand(path, cells, ',').rows != rows)
          std::exit(1);
      }));
      ratios.push_back(loop.back() / ours.back());
    }
    const double size = static_cast<double>(test.text.size()) / 1e6;
    std::printf("%-18s %7.1f MB  reader %7.1f MB/s", test.name, size, size / median(ours));
    if (test.byHand)
      std::printf("  loop %7.1f MB/s  ratio %.2f", size / median(loop), median(ratios));
    std::printf("\n");
  }
  std::filesystem::remove_all(dir);
  return 0;
}
