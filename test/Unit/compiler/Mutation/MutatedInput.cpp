// The inputs of this tree's tests, mutated: see MutatedInput.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MutatedInput.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

using namespace mlc::mutation;
using llvm::StringRef;

/// The passes and pipelines that RUN lines give mlc-opt, with their options.
static std::vector<std::string> runsOf(StringRef content) {
  std::vector<std::string> runs;
  llvm::Regex option("(^|[ '\"])--([a-z][a-z0-9-]*)(=([^ '\"]*))?");
  llvm::SmallVector<StringRef> lines;
  content.split(lines, '\n');
  for (StringRef line : lines) {
    if (!line.contains("RUN:"))
      continue;
    llvm::SmallVector<StringRef> found;
    for (; option.match(line, &found); line = line.substr(found[0].end() - line.begin()))
      if (mlir::PassInfo::lookup(found[2]) || mlir::PassPipelineInfo::lookup(found[2]))
        runs.push_back(found[2].str() + found[3].str());
  }
  return runs;
}

void Corpus::add(const std::string &path, StringRef content) {
  std::vector<std::string> runs = runsOf(content);
  for (const std::string &run : runs)
    if (!llvm::is_contained(allRuns, run))
      allRuns.push_back(run);
  Input input{path, runs, {}};
  llvm::SmallVector<StringRef> parts;
  content.split(parts, "// -----");
  for (StringRef part : parts) {
    std::vector<Token> tokens = tokenize(part);
    // A text of a hundred kilobytes takes the time of a thousand others.
    if (tokens.size() < 4 || tokens.size() > 6000)
      continue;
    pool.add(tokens);
    input.parts.push_back({std::move(tokens), part.contains("df.function")});
  }
  if (!input.parts.empty())
    inputs.push_back(std::move(input));
}

Corpus::Corpus(const std::string &root) {
  std::vector<std::string> paths;
  for (const char *folder : {"test", "examples"}) {
    std::error_code error;
    for (auto &entry : std::filesystem::recursive_directory_iterator(root + "/" + folder, error))
      if (entry.path().extension() == ".mlir")
        paths.push_back(entry.path().string());
  }
  llvm::sort(paths);
  for (const std::string &path : paths)
    if (auto buffer = llvm::MemoryBuffer::getFile(path))
      add(path, (*buffer)->getBuffer());
}

/// What crashes MLIR's own parser (LLVM 22): an array of elements that are neither integers nor floats of whole bytes
/// that it knows, and the short form of linalg.reduce with attributes that its op does not take.
static bool crashesUpstream(StringRef text) {
  static llvm::Regex array("array<[[:space:]]*(index|none|tensor|memref|vector|[^:>]*[^:>a-z0-9_ ])");
  return array.match(text) || text.contains("linalg.reduce") || text.contains("linalg.map");
}

Trial Corpus::makeTrial(uint64_t seed) const {
  std::mt19937_64 random(seed);
  const Input &input = inputs[random() % inputs.size()];
  Trial trial;
  trial.file = input.file;
  // One mutation goes deeper than many; without any a pass gets what another pass was tested with.
  const unsigned counts[] = {0, 1, 1, 1, 1, 2, 2, 3};
  const Part &part = input.parts[random() % input.parts.size()];
  trial.text = mutate(part.tokens, counts[random() % std::size(counts)], pool, random);
  if (crashesUpstream(trial.text))
    trial.text = "module {}\n";
  unsigned kind = random() % 32;
  if (kind < 3)
    return trial;
  if (kind == 3 && part.isProgram)
    trial.run = "compile";
  else if (kind < 24 && !input.runs.empty())
    trial.run = input.runs[random() % input.runs.size()];
  else
    trial.run = allRuns[random() % allRuns.size()];
  return trial;
}
