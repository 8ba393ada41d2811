//===- OtherFiles.cpp - Kinds of files by their first bytes --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "mlc/Frontend/EstimatorSpec/OtherFiles.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlc;
using namespace mlc::frontend;
using llvm::StringRef;

static constexpr const char *kDataHelp = "data belong to train { files: ... } or --train_files";

/// The first lines that are neither empty nor a comment.
static llvm::SmallVector<StringRef> firstLines(StringRef content, size_t count) {
  llvm::SmallVector<StringRef> lines;
  while (!content.empty() && lines.size() < count) {
    auto [line, rest] = content.split('\n');
    content = rest;
    if (StringRef text = line.trim(); !text.empty() && !text.starts_with("#"))
      lines.push_back(text);
  }
  return lines;
}

/// "name: ..." or "input {": how a line of a spec begins.
static bool beginsField(StringRef line) {
  StringRef rest = line.drop_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  return rest.size() < line.size() && (rest.ltrim().starts_with(":") || rest.ltrim().starts_with("{"));
}

/// Lines with equally many delimiters of one kind, of which the first is no line of a spec.
static bool isDelimited(StringRef content) {
  llvm::SmallVector<StringRef> lines = firstLines(content, 4);
  if (lines.empty() || beginsField(lines.front()) || lines.front().contains('{') || lines.front().contains('}'))
    return false;
  for (char delimiter : {',', '\t', ';', '|'}) {
    const size_t count = lines.front().count(delimiter);
    // Quoted delimiters would disagree; the last line may be cut.
    if (count > 0 && llvm::all_of(lines, [&](StringRef line) { return line.count(delimiter) == count; }))
      return true;
  }
  return false;
}

/// The header of a .safetensors file: its length in 8 bytes, then JSON.
static bool isSafetensors(StringRef content) {
  return content.size() > 9 && content[8] == '{' &&
         llvm::support::endian::read64le(content.data()) <= content.size() - 8;
}

namespace {
/// The beginning of a text, without what says nothing: blanks, comments of a spec or a module, aliases of attributes
/// and types, which may look like a spec's comments.
class Beginning {
public:
  explicit Beginning(StringRef text) : rest(text) {}

  /// What follows.
  StringRef skip() {
    while (true) {
      rest = rest.ltrim();
      if (rest.starts_with("//") || rest.starts_with("#") || rest.starts_with("!"))
        skipLine();
      else
        return rest;
    }
  }

private:
  /// One line, and what follows as far as brackets of an alias reach.
  void skipLine() {
    const StringRef whole = rest;
    auto [line, after] = rest.split('\n');
    rest = after;
    StringRef name = line.drop_front().take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    if (line.starts_with("//") || name.empty() || !line.drop_front(1 + name.size()).ltrim().starts_with("="))
      return;
    int64_t depth = 0;
    StringRef seen = line;
    while (true) {
      for (char c : seen)
        depth += StringRef("{[(").contains(c) ? 1 : StringRef("}])").contains(c) ? -1 : 0;
      if (depth <= 0)
        return;
      if (rest.empty()) {
        rest = whole.split('\n').second; // a comment, after all
        return;
      }
      std::tie(seen, rest) = rest.split('\n');
    }
  }

  StringRef rest;
};
} // namespace

bool mlc::frontend::isModuleContent(StringRef path, StringRef content) {
  if (content.starts_with("ML\xefR")) // bytecode
    return true;
  content.consume_front("\xEF\xBB\xBF");
  StringRef text = Beginning(content).skip();
  if (text.starts_with("\"") || text.starts_with("%") || text.starts_with("{-#"))
    return true;
  // A spec's fields have names without dots, and ':' or '{' after them.
  StringRef name = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  StringRef next = text.drop_front(name.size()).ltrim();
  if (name == "module")
    return next.starts_with("@") || next.starts_with("{") || next.starts_with("attributes");
  if (name.contains('.') && !next.empty() && !StringRef(":{=<[").contains(next.front()))
    return true;
  return path.ends_with(".mlir") || path.ends_with(".mlirbc");
}

std::optional<OtherFile> mlc::frontend::otherFileKind(StringRef path, StringRef content) {
  const std::string file = path.str();
  auto starts = [&](StringRef magic) { return content.starts_with(magic); };
  if (starts("\177ELF"))
    return OtherFile{"compiled code, no spec", "a compiled trainer runs by itself: " + file + " train --model_dir DIR"};
  if (starts("\x93NUMPY") || starts(StringRef("PK\3\4", 4)))
    return OtherFile{"an array of NumPy, no spec", kDataHelp};
  if (isSafetensors(content))
    return OtherFile{"tensors (.safetensors), no spec",
                     "a checkpoint is named by --model_dir or --checkpoint; weights of others by "
                     "train { warm_start { ckpt_to_initialize_from: ... } }"};
  if (starts("\x1f\x8b") || starts("\x28\xb5\x2f\xfd"))
    return OtherFile{"a compressed file, no spec", kDataHelp};
  if (isModuleContent(path, content))
    return OtherFile{"a module, no spec",
                     "modules go to compile, train, evaluate, predict and run: mlc compile " + file};
  // UTF-16 is text of another kind, which the reader tells.
  if (content.contains('\0') && !starts("\xFF\xFE") && !starts("\xFE\xFF"))
    return OtherFile{"binary data, no spec", "a spec is text: mlc spec init DATA --label COLUMN -o SPEC.pbtxt"};
  const StringRef text = content.ltrim();
  if (text.starts_with("{") || text.starts_with("["))
    return OtherFile{"JSON, no spec", "a spec is written as fields and blocks: name: \"model\"  input { csv {} ... }"};
  if (isDelimited(content))
    return OtherFile{"delimited text, no spec",
                     "mlc spec init " + file + " --label COLUMN -o SPEC.pbtxt writes a spec of it"};
  return std::nullopt;
}

OtherFile mlc::frontend::directoryKind(StringRef path) {
  const std::string directory = path.str();
  auto has = [&](StringRef name) {
    llvm::SmallString<256> file(path);
    llvm::sys::path::append(file, name);
    return llvm::sys::fs::exists(file);
  };
  if (has("signature.json"))
    return {"an exported model, no spec", "mlc predict " + directory + " --predict_files GLOB"};
  if (has("MANIFEST.json"))
    return {"a checkpoint, no spec", "mlc VERB SPEC --checkpoint " + directory};
  std::error_code failure;
  for (llvm::sys::fs::directory_iterator it(path, failure), end; it != end && !failure; it.increment(failure))
    if (llvm::sys::path::filename(it->path()).starts_with("ckpt-"))
      return {"a model_dir, no spec", "mlc VERB SPEC --model_dir " + directory};
  return {"a directory, no spec", ""};
}
