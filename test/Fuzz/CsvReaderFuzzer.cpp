// Any bytes as a data file: CSV of any form, plain, gzip or zstd, or TFRecord. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first byte chooses the form. Rows parsed when opening and rows parsed batch by batch are the same rows, or the
// same error; an index survives its cache entry.
#include "absl/strings/str_cat.h"
#include "runtime/src/input/BatchReader.h"
#include "runtime/src/input/RecordIndex.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

using namespace mlcrt;

static void require(bool fact) {
  if (!fact)
    std::abort();
}

static InputColumn column(std::string name, mlcrt_dtype dtype, bool categorical) {
  InputColumn result;
  result.name = std::move(name);
  result.dtype = dtype;
  result.categorical = categorical;
  return result;
}

/// Columns of every kind.
static InputFormat formatOf(uint8_t choice) {
  InputFormat format;
  if (choice & 1)
    format.tfrecord = TfRecordFormat();
  CsvFormat &csv = format.csv;
  csv.header = (choice & 2) == 0;
  csv.columnNames = csv.header ? std::vector<std::string>() : std::vector<std::string>{"a", "b", "c", "d", "e"};
  csv.fieldDelim = choice & 4 ? '\t' : ',';
  csv.skipInitialSpace = choice & 8;
  csv.useQuoteDelim = (choice & 16) == 0;
  csv.maxBadRows = choice & 32 ? 2 : 0;
  if (choice & 64)
    csv.comment = {"#", "//"};
  csv.skipLines = choice & 128 ? 1 : 0;
  format.missing = {"?"};
  format.columns = {column("a", MLCRT_F32, false), column("b", MLCRT_STRING, true), column("c", MLCRT_I64, true),
                    column("d", MLCRT_STRING, true), column("e", MLCRT_F64, false)};
  format.columns[0].defaultValue = "1.5";
  format.columns[3].multiValue = MultiValue{'|', 3, ':', {}};
  format.columns[4].shape = {2};
  format.columns[4].onMissing = OnMissing::SkipRow;
  return format;
}

static std::vector<TensorSpec> features() {
  const int64_t rows = MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH), values = MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH + 1);
  return {{"a", MLCRT_F32, {rows}},      {"b", MLCRT_STRING, {rows}}, {"c", MLCRT_I64, {rows}},
          {"d", MLCRT_STRING, {values}}, {"d.ends", MLCRT_I64, {-1}}, {"d.weight", MLCRT_F32, {values}},
          {"e", MLCRT_F64, {rows, 2}}};
}

/// All rows as text, or the error.
static std::string rowsOf(const std::string &path, const InputFormat &format, bool decoded) {
  absl::StatusOr<std::vector<DataFile>> files = resolveFiles({path});
  if (!files.ok())
    return files.status().ToString();
  DatasetOptions options;
  options.memoryLimit = decoded ? int64_t{1} << 30 : 0;
  auto dataset = Dataset::open(*files, format, features(), options);
  if (!dataset.ok())
    return dataset.status().ToString();
  BatchOptions batches;
  batches.batchSize = 7;
  BatchReader reader(**dataset, batches);
  Batch batch;
  reader.prepare(batch);
  std::string text;
  const int64_t count = reader.batchesPerEpoch();
  for (int64_t number = 0; number < count; ++number) {
    if (absl::Status status = reader.read(reader.stateOf(number), batch); !status.ok())
      return status.ToString();
    for (const TensorView &buffer : batch.columns()) {
      const int64_t elements = elementCount(buffer);
      if (buffer.dtype != MLCRT_STRING) {
        const int64_t width = buffer.dtype == MLCRT_F32 ? 4 : 8;
        text.append(static_cast<const char *>(buffer.data), static_cast<size_t>(elements * width));
        continue;
      }
      for (int64_t i = 0; i < elements; ++i) {
        const mlcrt_string &cell = static_cast<const mlcrt_string *>(buffer.data)[i];
        text.append(std::to_string(cell.size)).append(cell.data, static_cast<size_t>(cell.size));
      }
    }
  }
  return text;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1)
    return 0;
  const InputFormat format = formatOf(data[0]);
  const std::string_view text(reinterpret_cast<const char *>(data) + 1, size - 1);
  if (absl::StatusOr<RecordIndex> index = RecordIndex::build("fuzz", text, format.records()); index.ok()) {
    absl::StatusOr<RecordIndex> again =
        RecordIndex::deserialize(index->serialize("key"), "key", static_cast<int64_t>(text.size()));
    require(again.ok() && *again == *index);
  }
  static const std::string path = absl::StrCat("/dev/shm/mlc-fuzz-", getpid());
  std::FILE *file = std::fopen(path.c_str(), "wb");
  require(file && std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fclose(file) == 0);
  const std::string decoded = rowsOf(path, format, /*decoded=*/true), mapped = rowsOf(path, format, /*decoded=*/false);
  // Bad rows that may be dropped are known only where rows are parsed when opening.
  require(decoded == mapped);
  ::unlink(path.c_str());
  return 0;
}
