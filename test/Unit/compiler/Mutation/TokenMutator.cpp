// Text of MLIR with some of its tokens changed: see TokenMutator.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TokenMutator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace mlc::mutation;
using llvm::StringRef;

static bool isWordPart(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; }

/// The element types that df, linalg and kern have, and some that they lack.
static const char *const kElements[] = {"f16", "bf16", "f32",  "f64",  "i1",    "i8",   "i16",  "i32",   "i64",
                                        "ui8", "ui16", "ui32", "ui64", "index", "i128", "f128", "f8E5M2"};

/// Numbers at borders: of loops, of shapes, of integers, of memory.
static const char *const kNumbers[] = {"0",
                                       "1",
                                       "-1",
                                       "2",
                                       "3",
                                       "7",
                                       "8",
                                       "63",
                                       "64",
                                       "65",
                                       "1024",
                                       "2147483647",
                                       "2147483648",
                                       "-2147483648",
                                       "4294967296",
                                       "1152921504606846976",
                                       "9223372036854775807",
                                       "-9223372036854775808"};
static const char *const kReals[] = {"0.0", "-0.0", "1.0", "-1.0", "0.5", "1.0e+30", "1.0e-45", "1.0e+300"};

static bool isElement(StringRef word) { return llvm::is_contained(kElements, word); }

/// `4x?x8xf32` as its parts; false if the word at the front is no shape.
static bool takeShape(StringRef &text, std::vector<Token> &tokens) {
  StringRef rest = text;
  std::vector<Token> parts;
  while (true) {
    size_t size = rest.starts_with("?") ? 1 : rest.take_while(llvm::isDigit).size();
    if (size == 0 || size >= rest.size() || rest[size] != 'x')
      break;
    parts.push_back({TokenKind::Number, rest.take_front(size).str()});
    parts.push_back({TokenKind::Mark, "x"});
    rest = rest.drop_front(size + 1);
  }
  if (parts.empty())
    return false;
  llvm::append_range(tokens, parts);
  text = rest;
  return true;
}

std::vector<Token> mlc::mutation::tokenize(StringRef text) {
  std::vector<Token> tokens;
  auto take = [&](TokenKind kind, size_t size) {
    tokens.push_back({kind, text.take_front(size).str()});
    text = text.drop_front(size);
  };
  auto wordAfter = [&](size_t begin) { return begin + text.drop_front(begin).take_while(isWordPart).size(); };
  while (!text.empty()) {
    char c = text.front();
    if (text.starts_with("//")) {
      text = text.drop_until([](char c) { return c == '\n'; });
    } else if (llvm::isSpace(c)) {
      take(TokenKind::Blank, text.take_while(llvm::isSpace).size());
    } else if (c == '"') {
      size_t end = 1;
      while (end < text.size() && text[end] != '"' && text[end] != '\n')
        end += text[end] == '\\' ? 2 : 1;
      take(TokenKind::String, std::min(end + 1, text.size()));
    } else if (c == '%' || c == '@' || c == '#' || c == '!') {
      size_t end = std::max<size_t>(wordAfter(1), 1);
      take(c == '%'   ? TokenKind::Value
           : c == '@' ? TokenKind::Symbol
           : c == '#' ? TokenKind::Attribute
                      : TokenKind::Type,
           end);
    } else if (takeShape(text, tokens)) {
      size_t end = wordAfter(0);
      if (end > 0)
        take(isElement(text.take_front(end)) ? TokenKind::Element : TokenKind::Word, end);
    } else if (llvm::isDigit(c) || (c == '-' && text.size() > 1 && llvm::isDigit(text[1]))) {
      size_t end = wordAfter(1);
      if (end < text.size() && (text[end] == '+' || text[end] == '-') && llvm::toLower(text[end - 1]) == 'e' &&
          !text.starts_with("0x"))
        end = wordAfter(end + 1);
      bool isReal = text.take_front(end).contains('.');
      take(isReal ? TokenKind::Real : TokenKind::Number, end);
    } else if (isWordPart(c)) {
      size_t end = wordAfter(0);
      StringRef word = text.take_front(end);
      take(isElement(word) ? TokenKind::Element : word.contains('.') ? TokenKind::Operation : TokenKind::Word, end);
    } else {
      take(TokenKind::Mark, text.starts_with("->") ? 2 : 1);
    }
  }
  return tokens;
}

void TokenPool::add(const std::vector<Token> &tokens) {
  for (const Token &token : tokens)
    if (token.kind != TokenKind::Blank && token.kind != TokenKind::Mark)
      byKind[static_cast<int>(token.kind)].push_back(token.text);
}

const std::string &TokenPool::draw(TokenKind kind, std::mt19937_64 &random) const {
  static const std::string none;
  const std::vector<std::string> &all = byKind[static_cast<int>(kind)];
  return all.empty() ? none : all[random() % all.size()];
}

/// [first, last) of the line that token `at` is in.
static std::pair<size_t, size_t> lineAround(const std::vector<Token> &tokens, size_t at) {
  auto endsLine = [](const Token &token) { return StringRef(token.text).contains('\n'); };
  size_t first = at, last = at;
  while (first > 0 && !endsLine(tokens[first - 1]))
    --first;
  while (last < tokens.size() && !endsLine(tokens[last]))
    ++last;
  return {first, std::min(last + 1, tokens.size())};
}

/// A token of the kind of tokens[at]: of the text itself, of the pool, or of those that are hostile.
static std::string another(const std::vector<Token> &tokens, size_t at, const TokenPool &pool,
                           std::mt19937_64 &random) {
  TokenKind kind = tokens[at].kind;
  if (kind == TokenKind::Number && random() % 2)
    return random() % 4 == 0 ? "?" : kNumbers[random() % std::size(kNumbers)];
  if (kind == TokenKind::Real && random() % 2)
    return kReals[random() % std::size(kReals)];
  if (kind == TokenKind::Element && random() % 2)
    return kElements[random() % std::size(kElements)];
  if (random() % 3) {
    std::vector<const Token *> others;
    for (const Token &token : tokens)
      if (token.kind == kind && token.text != tokens[at].text)
        others.push_back(&token);
    if (!others.empty())
      return others[random() % others.size()]->text;
  }
  const std::string &drawn = pool.draw(kind, random);
  return drawn.empty() ? tokens[at].text : drawn;
}

/// In eighths: how many of the tokens of a kind that are drawn are replaced. Another keyword seldom parses, another
/// number nearly always.
static unsigned shareOf(TokenKind kind) {
  switch (kind) {
  case TokenKind::Number:
  case TokenKind::Real:
  case TokenKind::Element:
  case TokenKind::Type:
  case TokenKind::Attribute:
    return 8;
  case TokenKind::String:
  case TokenKind::Operation:
    return 3;
  case TokenKind::Value:
  case TokenKind::Symbol:
    return 2;
  case TokenKind::Word:
    return 1;
  case TokenKind::Mark:
  case TokenKind::Blank:
    return 0;
  }
  return 0;
}

std::string mlc::mutation::mutate(const std::vector<Token> &original, unsigned count, const TokenPool &pool,
                                  std::mt19937_64 &random) {
  std::vector<Token> tokens = original;
  for (unsigned i = 0; i < count; ++i) {
    std::vector<size_t> places;
    for (size_t at = 0; at < tokens.size(); ++at)
      if (tokens[at].kind != TokenKind::Blank)
        places.push_back(at);
    if (places.empty())
      break;
    size_t at = places[random() % places.size()];
    // Most texts must parse still, or nothing but the parser is tested.
    unsigned kind = random() % 16;
    if (kind < 12) {
      for (int tries = 0; tries < 8 && random() % 8 >= shareOf(tokens[at].kind); ++tries)
        at = places[random() % places.size()];
      const std::string old = tokens[at].text, text = another(tokens, at, pool, random);
      const TokenKind of = tokens[at].kind;
      tokens[at].text = text;
      if (kind < 7 && (of == TokenKind::Number || of == TokenKind::Element || of == TokenKind::Type))
        for (Token &token : tokens)
          if (token.kind == of && token.text == old)
            token.text = text;
    } else if (kind == 12) {
      tokens.erase(tokens.begin() + at);
    } else if (kind == 13) {
      size_t other = places[random() % places.size()];
      for (size_t candidate : places)
        if (candidate > at && tokens[candidate].kind == tokens[at].kind && random() % 2) {
          other = candidate;
          break;
        }
      std::swap(tokens[at].text, tokens[other].text);
    } else {
      auto [first, last] = lineAround(tokens, at);
      if (kind == 14) {
        tokens.erase(tokens.begin() + first, tokens.begin() + last);
      } else {
        std::vector<Token> line(tokens.begin() + first, tokens.begin() + last);
        tokens.insert(tokens.begin() + last, line.begin(), line.end());
      }
    }
  }
  std::string text;
  for (const Token &token : tokens)
    text += token.text;
  return text;
}
