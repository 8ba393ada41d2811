// Tokens of PTX.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Lexer.h"

#include <cctype>
#include <cstdlib>
#include <cstring>

namespace ptxemu {

static bool inWord(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

void Lexer::skipBlanks() {
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
    } else if (c == '/' && text_.substr(at_, 2) == "//") {
      at_ = text_.find('\n', at_);
      if (at_ == std::string_view::npos) {
        at_ = text_.size();
        return;
      }
      ++line_;
    } else if (c == '/' && text_.substr(at_, 2) == "/*") {
      size_t end = text_.find("*/", at_ + 2);
      end = end == std::string_view::npos ? text_.size() : end + 2;
      for (; at_ < end; ++at_)
        line_ += text_[at_] == '\n';
      --at_;
    } else if (!isspace(static_cast<unsigned char>(c))) {
      return;
    }
  }
}

Token Lexer::number(Token token) {
  const size_t begin = at_;
  const std::string_view rest = text_.substr(at_);
  const char second = rest.size() > 1 ? rest[1] : 0;
  if (rest[0] == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
    const size_t digits = second == 'f' || second == 'F' ? 8 : 16;
    token.kind = digits == 8 ? Token::Single : Token::Double;
    token.bits = std::strtoull(std::string(rest.substr(2, digits)).c_str(), nullptr, 16);
    at_ += 2;
    const size_t from = at_;
    while (at_ < text_.size() && isxdigit(static_cast<unsigned char>(text_[at_])))
      ++at_;
    if (at_ - from != digits)
      token.kind = Token::Bad;
    token.text = text_.substr(begin, at_ - begin);
    return token;
  }
  const bool hex = rest[0] == '0' && (second == 'x' || second == 'X');
  const bool binary = rest[0] == '0' && (second == 'b' || second == 'B');
  if (hex || binary)
    at_ += 2;
  bool fraction = false;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (hex ? isxdigit(static_cast<unsigned char>(c)) : isdigit(static_cast<unsigned char>(c))) {
      ++at_;
    } else if (!hex && c == '.' && at_ + 1 < text_.size() && isdigit(static_cast<unsigned char>(text_[at_ + 1]))) {
      fraction = true;
      ++at_;
    } else if (!hex && (c == 'e' || c == 'E')) {
      fraction = true;
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-'))
        ++at_;
    } else {
      break;
    }
  }
  const std::string digits(text_.substr(begin, at_ - begin));
  if (fraction) {
    const double value = std::strtod(digits.c_str(), nullptr);
    memcpy(&token.bits, &value, sizeof value);
    token.kind = Token::Double;
  } else {
    token.kind = Token::Integer;
    token.bits = binary ? std::strtoull(digits.c_str() + 2, nullptr, 2) : std::strtoull(digits.c_str(), nullptr, 0);
    if (at_ < text_.size() && (text_[at_] == 'U' || text_[at_] == 'u'))
      ++at_;
  }
  if (at_ < text_.size() && inWord(text_[at_]))
    token.kind = Token::Bad;
  token.text = text_.substr(begin, at_ - begin);
  return token;
}

Token Lexer::next() {
  const size_t before = at_;
  skipBlanks();
  Token token;
  token.line = line_;
  token.glued = at_ == before;
  if (at_ >= text_.size())
    return token;
  const char c = text_[at_];
  const size_t begin = at_;
  if (isdigit(static_cast<unsigned char>(c)))
    return number(token);
  if (c == '"') {
    const size_t end = text_.find('"', at_ + 1);
    token.kind = end == std::string_view::npos ? Token::Bad : Token::String;
    at_ = end == std::string_view::npos ? text_.size() : end + 1;
    token.text = text_.substr(begin + 1, at_ - begin - 2);
    return token;
  }
  if (c == '.' && at_ + 1 < text_.size() && inWord(text_[at_ + 1])) {
    token.kind = Token::Dot;
    ++at_;
    for (;;) {
      while (at_ < text_.size() && inWord(text_[at_]))
        ++at_;
      if (text_.substr(at_, 2) != "::")
        break;
      at_ += 2;
    }
    token.text = text_.substr(begin + 1, at_ - begin - 1);
    return token;
  }
  if (inWord(c) || (c == '%' && at_ + 1 < text_.size() && inWord(text_[at_ + 1]))) {
    token.kind = Token::Word;
    ++at_;
    while (at_ < text_.size() && inWord(text_[at_]))
      ++at_;
    token.text = text_.substr(begin, at_ - begin);
    return token;
  }
  token.kind = strchr("{}()[];,:|+-!@=<>_~*&", c) ? Token::Punct : Token::Bad;
  ++at_;
  token.text = text_.substr(begin, 1);
  return token;
}

} // namespace ptxemu
