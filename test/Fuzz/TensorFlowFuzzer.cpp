// Any bytes as a checkpoint of TensorFlow.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A byte that says what follows: a block of Snappy's; two bytes of size, that many of the index, then the data; or
// entries of an index that is made of them, whose checksums are right: sizes of key and value in a byte each, and
// these, until a key without bytes and a value of one; then the data. What is accepted is written and read back the
// same.
#include "MemoryBound.h"
#include "absl/strings/str_cat.h"
#include "common/data/Snappy.h"
#include "runtime/src/checkpoint/SortedTable.h"
#include "runtime/src/checkpoint/TensorBundle.h"
#include "runtime/src/checkpoint/WeightSource.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <unistd.h>

using namespace mlcrt;

static void require(bool fact) {
  if (!fact)
    std::abort();
}

static void write(const std::string &path, std::string_view text) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  require(file && std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fclose(file) == 0);
}

/// Takes up to `size` bytes off the beginning.
static std::string_view take(std::string_view &rest, size_t size) {
  const std::string_view taken = rest.substr(0, size);
  rest.remove_prefix(taken.size());
  return taken;
}

static std::string indexOf(std::string_view &rest) {
  std::map<std::string, std::string> entries;
  while (rest.size() > 1) {
    const auto keySize = static_cast<uint8_t>(rest[0]), valueSize = static_cast<uint8_t>(rest[1]);
    rest.remove_prefix(2);
    if (keySize == 0 && valueSize == 1)
      break;
    const std::string key(take(rest, keySize));
    entries[key] = take(rest, valueSize);
  }
  SortedTableWriter index;
  for (const auto &[key, value] : entries)
    index.add(key, value);
  return index.finish();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 3)
    return 0;
  const MemoryBound bound(size_t{64} << 20);
  std::string_view rest(reinterpret_cast<const char *>(data) + 1, size - 1);
  if (data[0] % 3 == 0) {
    std::string bytes, problem;
    require(!mlc::common::unpackSnappy(rest, bytes, problem) || bytes.size() <= 22 * rest.size());
    return 0;
  }
  static const std::string directory = [] {
    std::string name = absl::StrCat("/dev/shm/mlc-fuzz-tensorflow-", getpid());
    std::filesystem::create_directories(name);
    return name;
  }();
  const std::string prefix = directory + "/model";
  if (data[0] % 3 == 1) {
    const std::string_view sizes = take(rest, 2);
    write(prefix + ".index", take(rest, static_cast<uint8_t>(sizes[0]) + size_t{256} * static_cast<uint8_t>(sizes[1])));
  } else {
    write(prefix + ".index", indexOf(rest));
  }
  write(bundleDataPath(prefix, 0, 1), rest);
  absl::StatusOr<WeightSource> source = WeightSource::open(prefix);
  if (!source.ok()) {
    require(absl::IsDataLoss(source.status()));
    return 0;
  }
  std::vector<Tensor> values(source->tensors().size());
  std::vector<TensorInfo> infos;
  for (const SourceTensor &tensor : source->tensors()) {
    if (absl::Status status = source->read(tensor, values[infos.size()]); !status.ok()) {
      require(absl::IsDataLoss(status));
      return 0;
    }
    infos.push_back({tensor.name, tensor.dtype, tensor.shape});
  }
  const std::string again = directory + "/again";
  require(
      writeTensorBundle(again, infos, [&](size_t i) -> absl::StatusOr<const void *> { return values[i].data(); }).ok());
  absl::StatusOr<TensorBundleReader> reader = TensorBundleReader::open(again);
  require(reader.ok() && reader->tensors().size() == infos.size());
  for (const BundleTensor &tensor : reader->tensors())
    require(reader->prove(tensor).ok());
  return 0;
}
