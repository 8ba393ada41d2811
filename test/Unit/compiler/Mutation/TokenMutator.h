// Text of MLIR with some of its tokens changed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_UNIT_COMPILER_MUTATION_TOKENMUTATOR_H
#define TEST_UNIT_COMPILER_MUTATION_TOKENMUTATOR_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace mlc::mutation {

/// What a token is; a mutation puts another of its kind in its place.
enum class TokenKind {
  Value,     ///< %x
  Symbol,    ///< @f
  Attribute, ///< #df.zeros, #map
  Type,      ///< !df.string
  Operation, ///< df.add, with the name of its dialect
  Word,      ///< keywords, names of attributes
  Element,   ///< f32, i64, index
  Number,    ///< 4, -1, 0x7f, also a dimension
  Real,      ///< 1.0e-3
  String,    ///< "name"
  Mark,      ///< ( ) : , = -> ...
  Blank
};

struct Token {
  TokenKind kind;
  std::string text;
};

/// The tokens of MLIR text; together they are the text. Comments are left out. Dimensions and element types of shaped
/// types are tokens of their own.
std::vector<Token> tokenize(llvm::StringRef text);

/// Words, types, attributes and the like of many inputs, to put into others.
class TokenPool {
public:
  void add(const std::vector<Token> &tokens);
  /// One of that kind; empty where there is none.
  const std::string &draw(TokenKind kind, std::mt19937_64 &random) const;

private:
  std::vector<std::string> byKind[static_cast<int>(TokenKind::Blank) + 1];
};

/// Changes a text `count` times: a token becomes another one of its kind (of the text or of the pool, a hostile number,
/// another dtype), there alone or wherever it stands, so that types agree still; one goes; two change places; a line
/// goes or is written twice. A function of its arguments and the state of `random`.
std::string mutate(const std::vector<Token> &tokens, unsigned count, const TokenPool &pool, std::mt19937_64 &random);

} // namespace mlc::mutation

#endif // TEST_UNIT_COMPILER_MUTATION_TOKENMUTATOR_H
