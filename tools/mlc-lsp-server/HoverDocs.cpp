// Documentation of ops: see HoverDocs.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HoverDocs.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdlib>
#include <thread>
#include <unistd.h>

using namespace mlc;
using llvm::StringRef;

/// The generated reference of our dialects, one page after the other.
static const unsigned char kReference[] = {
#include "Reference.inc"
};

std::string mlc::documentationOf(StringRef op) {
  StringRef all(reinterpret_cast<const char *>(kReference), sizeof(kReference));
  const std::string heading = "\n### `" + op.str() + "` (";
  size_t at = all.find(heading);
  if (at == StringRef::npos)
    return {};
  StringRef section = all.drop_front(at + 1).split('\n').second;
  section = section.take_front(std::min({section.find("\n### "), section.find("\n## "), section.size()}));
  // What traits say to C++ is no documentation of the op.
  StringRef before = section.take_front(std::min(section.find("\nTraits: "), section.size()));
  StringRef tables = section.drop_front(std::min(section.find("\n#### "), section.size()));
  return (before.trim() + "\n" + (before.size() == section.size() ? "" : tables)).str();
}

std::string mlc::withDocumentation(StringRef message) {
  auto parsed = llvm::json::parse(message);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return message.str();
  }
  llvm::json::Object *object = parsed->getAsObject();
  llvm::json::Object *result = object ? object->getObject("result") : nullptr;
  llvm::json::Object *contents = result ? result->getObject("contents") : nullptr;
  std::optional<StringRef> value = contents ? contents->getString("value") : std::nullopt;
  // Of an op it begins with a line of its name in quotes, and what symbol it is.
  if (!value || !value->starts_with("\""))
    return message.str();
  auto [head, rest] = value->split('\n');
  std::string documentation = documentationOf(head.split('"').second.split('"').first);
  if (documentation.empty())
    return message.str();
  (*contents)["value"] = (head + "\n\n" + documentation + "\n" + rest).str();
  return message.contains('\n') ? llvm::formatv("{0:2}", *parsed).str() : llvm::formatv("{0}", *parsed).str();
}

static void writeAll(int file, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return; // nobody reads: the server ends when its input does
    bytes = bytes.drop_front(written);
  }
}

/// Hands on the messages of `from`, each a header with its length and that many bytes.
static void filter(int from, int to) {
  static constexpr StringRef kLength = "Content-Length: ", kEnd = "\r\n\r\n";
  std::string buffer;
  char piece[1 << 16];
  while (true) {
    ssize_t count = read(from, piece, sizeof(piece));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return writeAll(to, buffer);
    buffer.append(piece, count);
    while (true) {
      StringRef text = buffer;
      size_t header = text.find(kEnd), length = text.find(kLength);
      unsigned long long size = 0;
      if (header == StringRef::npos || length > header ||
          text.slice(length + kLength.size(), text.find("\r\n", length)).getAsInteger(10, size) ||
          text.size() < header + kEnd.size() + size)
        break;
      std::string message = withDocumentation(text.substr(header + kEnd.size(), size));
      writeAll(to, (kLength + llvm::Twine(message.size()) + kEnd + message).str());
      buffer.erase(0, header + kEnd.size() + size);
    }
  }
}

namespace {
/// What stands between the server and its standard output until the process exits, which --help does by itself.
struct Filter {
  int output;
  std::thread reader;
};
} // namespace

static Filter *installed = nullptr;

static void finish() {
  llvm::outs().flush();
  close(STDOUT_FILENO); // the reader has seen all
  installed->reader.join();
  dup2(installed->output, STDOUT_FILENO);
}

void mlc::filterStandardOutput() {
  int ends[2];
  int output = dup(STDOUT_FILENO);
  if (output < 0 || pipe(ends) != 0 || dup2(ends[1], STDOUT_FILENO) < 0)
    return;
  close(ends[1]);
  llvm::outs(); // is destroyed after what is registered now has run
  installed = new Filter{output, std::thread([from = ends[0], output] { filter(from, output); })};
  std::atexit(finish);
}
