// The inputs of this tree's tests, mutated, and what is run on them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_UNIT_COMPILER_MUTATION_MUTATEDINPUT_H
#define TEST_UNIT_COMPILER_MUTATION_MUTATEDINPUT_H

#include "TokenMutator.h"

#include <string>
#include <vector>

namespace mlc::mutation {

/// What one number stands for: a text, and what is run on it.
struct Trial {
  std::string file; ///< that the text was made of
  std::string text;
  /// A pass or pipeline with its options, as after mlc-opt's `--`; "compile" for `mlc compile --emit=llvm`; empty to
  /// print it and read it again.
  std::string run;
};

/// The modules of test/ and examples/, cut at `// -----`, with the passes that their RUN lines name.
class Corpus {
public:
  explicit Corpus(const std::string &root);

  bool empty() const { return inputs.empty(); }
  /// The same for the same seed, as long as the tree is.
  Trial makeTrial(uint64_t seed) const;

private:
  struct Part {
    std::vector<Token> tokens;
    bool isProgram; ///< df as built, which mlc compile takes
  };
  struct Input {
    std::string file;
    std::vector<std::string> runs;
    std::vector<Part> parts;
  };
  void add(const std::string &path, llvm::StringRef content);

  std::vector<Input> inputs;
  std::vector<std::string> allRuns;
  TokenPool pool;
};

} // namespace mlc::mutation

#endif // TEST_UNIT_COMPILER_MUTATION_MUTATEDINPUT_H
