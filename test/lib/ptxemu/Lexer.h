// Tokens of PTX.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_LEXER_H
#define MLC_TEST_LIB_PTXEMU_LEXER_H

#include <cstdint>
#include <string>
#include <string_view>

namespace ptxemu {

struct Token {
  enum Kind : uint8_t {
    End,
    Word,    ///< identifier, with % or $
    Dot,     ///< .word or .word::word; the text has no dot
    Integer, ///< `bits`
    Single,  ///< 0f..., `bits` are those of an f32
    Double,  ///< 0d... or a decimal fraction, `bits` are those of an f64
    String,
    Punct, ///< one character
    Bad,
  } kind = End;
  std::string_view text;
  uint64_t bits = 0;
  int line = 1;
  bool glued = false; ///< nothing stands between it and the token before
};

/// Cuts a text into tokens; comments and blanks fall out.
class Lexer {
public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();

private:
  void skipBlanks();
  Token number(Token token);
  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
};

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_LEXER_H
