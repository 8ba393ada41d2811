// Launches of kernels with all that they read and wrote, in files that a machine with a GPU runs again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/gpurecord/LaunchRecord.h"

#include <cstring>
#include <fstream>
#include <iterator>

using namespace gpurecord;

/// The first bytes of a file, with the version of what comes after them.
static constexpr char kMagic[8] = {'M', 'L', 'C', 'G', 'P', 'U', '0', '1'};

namespace {
/// Numbers and bytes, one after another; a count goes before what there is any number of.
struct Output {
  std::string bytes;
  void number(int64_t value) { bytes.append(reinterpret_cast<const char *>(&value), sizeof(value)); }
  template <typename Bytes> void text(const Bytes &value) {
    number(static_cast<int64_t>(value.size()));
    bytes.append(reinterpret_cast<const char *>(value.data()), value.size());
  }
};

struct Input {
  const std::string &bytes;
  size_t at = 0;
  bool isWhole = true;

  bool atEnd() const { return at == bytes.size(); }
  int64_t number() {
    int64_t value = 0;
    if (bytes.size() - at < sizeof(value))
      return isWhole = false;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    at += sizeof(value);
    return value;
  }
  /// A count of what has at least `each` bytes; 0 where there are not as many.
  size_t count(size_t each) {
    const int64_t value = number();
    if (value >= 0 && static_cast<size_t>(value) <= (bytes.size() - at) / each)
      return static_cast<size_t>(value);
    isWhole = false;
    return 0;
  }
  template <typename Bytes> void text(Bytes &value) {
    const size_t size = count(1);
    value.assign(bytes.begin() + static_cast<ptrdiff_t>(at), bytes.begin() + static_cast<ptrdiff_t>(at + size));
    at += size;
  }
};
} // namespace

bool Writer::wants(const std::string &kernel) const {
  const auto it = kept_.find(kernel);
  return it == kept_.end() || it->second < kMostLaunches;
}

std::string Writer::add(const Launch &launch) {
  size_t memory = 0;
  for (const Piece &piece : launch.pieces)
    memory += piece.before.size();
  if (memory > kMostBytes || !wants(launch.kernel))
    return {};
  Output output;
  if (kept_.empty()) {
    output.bytes.assign(kMagic, sizeof(kMagic));
    output.text(ptx_);
  }
  ++kept_[launch.kernel];
  output.text(launch.kernel);
  for (int64_t number : launch.shape)
    output.number(number);
  output.number(static_cast<int64_t>(launch.arguments.size()));
  for (const Argument &argument : launch.arguments) {
    output.number(argument.value);
    output.number(argument.piece);
  }
  output.number(static_cast<int64_t>(launch.pieces.size()));
  for (const Piece &piece : launch.pieces) {
    output.text(piece.before);
    output.text(piece.after);
  }
  std::ofstream file(path_, std::ios::binary | std::ios::app);
  file.write(output.bytes.data(), static_cast<std::streamsize>(output.bytes.size()));
  return file.flush() ? std::string() : "cannot write '" + path_ + "'";
}

std::string gpurecord::read(const std::string &path, Record &record) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return "cannot read '" + path + "'";
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (bytes.compare(0, sizeof(kMagic), kMagic, sizeof(kMagic)) != 0)
    return "'" + path + "' is no record of launches, or one of another version";
  Input input{bytes, sizeof(kMagic)};
  input.text(record.ptx);
  while (input.isWhole && !input.atEnd()) {
    Launch &launch = record.launches.emplace_back();
    input.text(launch.kernel);
    for (int64_t &number : launch.shape)
      number = input.number();
    launch.arguments.resize(input.count(2 * sizeof(int64_t)));
    for (Argument &argument : launch.arguments) {
      argument.value = input.number();
      argument.piece = input.number();
    }
    launch.pieces.resize(input.count(2 * sizeof(int64_t)));
    for (Piece &piece : launch.pieces) {
      input.text(piece.before);
      input.text(piece.after);
      input.isWhole &= piece.before.size() == piece.after.size();
    }
    for (const Argument &argument : launch.arguments)
      input.isWhole &= argument.piece >= -1 && argument.piece < static_cast<int64_t>(launch.pieces.size());
  }
  return input.isWhole ? std::string() : "'" + path + "' is cut or damaged";
}
