//===- SpecFormat.cpp - Blanks and line ends of a spec, comments kept ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/TextReader.h"
#include "mlc/Frontend/EstimatorSpec/SpecTools.h"

using namespace mlc;
using namespace mlc::frontend;

namespace {
/// A token of the text, or a comment.
struct Token {
  enum Kind { Word, String, Open, Close, ListOpen, ListClose, Comma, Colon, Comment } kind;
  std::string text;
  /// Line ends before it.
  int lines;
};

/// The tokens of a text that the reader takes.
std::vector<Token> tokensOf(llvm::StringRef text) {
  std::vector<Token> tokens;
  int lines = 0;
  text.consume_front("\xEF\xBB\xBF");
  while (!text.empty()) {
    char c = text.front();
    size_t size = 1;
    Token::Kind kind = Token::Word;
    if (c == '\n' || c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      lines += c == '\n';
      text = text.drop_front();
      continue;
    }
    if (c == '#') {
      size = std::min(text.find('\n'), text.size());
      kind = Token::Comment;
    } else if (c == '"' || c == '\'') {
      while (size < text.size() && text[size] != c)
        size += text[size] == '\\' ? 2 : 1;
      ++size;
      kind = Token::String;
    } else if (c == '{' || c == '<') {
      kind = Token::Open;
    } else if (c == '}' || c == '>') {
      kind = Token::Close;
    } else if (c == '[') {
      kind = Token::ListOpen;
    } else if (c == ']') {
      kind = Token::ListClose;
    } else if (c == ',' || c == ';') {
      kind = Token::Comma;
    } else if (c == ':') {
      kind = Token::Colon;
    } else {
      size = std::min(text.find_first_of(" \t\r\n\f\v#\"'{}<>[],;:"), text.size());
    }
    llvm::StringRef piece = text.take_front(size);
    tokens.push_back({kind, (kind == Token::Comment ? piece.rtrim() : piece).str(), tokens.empty() ? 0 : lines});
    lines = 0;
    text = text.drop_front(std::min(size, text.size()));
  }
  return tokens;
}

class Formatter {
public:
  explicit Formatter(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  std::string format() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      bool separator = tokens_[i].kind == Token::Comma && listColumns_.empty();
      if (separator || (tokens_[i].kind == Token::Colon && kindAt(i + 1) == Token::Open)) {
        // A line end before what is dropped is one before the next.
        carried_ = std::max(carried_, tokens_[i].lines);
        continue;
      }
      put(i);
      last_ = &tokens_[i];
    }
    if (!line_.empty())
      endLine();
    return text_;
  }

private:
  Token::Kind kindAt(size_t index) const { return index < tokens_.size() ? tokens_[index].kind : Token::Comma; }

  /// Whether the field whose name stands at `index` is a block.
  bool isBlock(size_t index) const {
    return kindAt(index + 1) == Token::Open || (kindAt(index + 1) == Token::Colon && kindAt(index + 2) == Token::Open);
  }

  void endLine() {
    text_ += line_ + "\n";
    line_.clear();
  }

  void put(size_t index) {
    const Token &token = tokens_[index];
    int lines = std::max(token.lines, carried_);
    carried_ = 0;
    bool glued = token.kind == Token::Comma || token.kind == Token::Colon;
    if (token.kind == Token::Close)
      --depth_;
    if (last_ && last_->kind == Token::Comment)
      lines = std::max(lines, 1);
    if (last_ && lines > 0 && !glued && last_->kind != Token::Colon) {
      endLine();
      // One empty line at most, and none after an opening or before a closing brace.
      if (lines > 1 && last_->kind != Token::Open && token.kind != Token::Close)
        text_ += "\n";
      size_t indent = 2 * std::max(depth_, 0);
      if (!listColumns_.empty())
        indent = listColumns_.back() - (token.kind == Token::ListClose ? 1 : 0);
      line_ = std::string(indent, ' ');
    } else if (last_) {
      line_ += gap(index);
    }
    line_ += token.kind == Token::Open ? "{" : token.kind == Token::Close ? "}" : token.text;
    if (token.kind == Token::Open)
      ++depth_;
    else if (token.kind == Token::ListOpen)
      listColumns_.push_back(line_.size());
    else if (token.kind == Token::ListClose && !listColumns_.empty())
      listColumns_.pop_back();
  }

  /// The blanks between a token and the one before it on its line.
  std::string gap(size_t index) const {
    Token::Kind kind = tokens_[index].kind, before = last_->kind;
    if (kind == Token::Comment)
      return "  ";
    if (kind == Token::Comma || kind == Token::Colon || kind == Token::ListClose || before == Token::ListOpen ||
        (before == Token::Open && kind == Token::Close) || last_->text == "-")
      return "";
    bool field = kind == Token::Word && before != Token::Open && before != Token::Colon && listColumns_.empty();
    if (!field)
      return " ";
    // Between two fields two blanks; of blocks that follow each other one is enough.
    return before == Token::Close && isBlock(index) ? " " : "  ";
  }

  std::vector<Token> tokens_;
  const Token *last_ = nullptr;
  std::string text_;
  std::string line_;
  int depth_ = 0;
  int carried_ = 0;
  /// Where the elements of the open lists begin.
  std::vector<size_t> listColumns_;
};
} // namespace

bool mlc::frontend::formatSpec(const std::string &file, const std::string &text, common::MessageList &messages,
                               std::string &result) {
  SpecDocument document(file, text);
  size_t before = messages.errorCount();
  if (!readSpecText(document, messages) || messages.errorCount() > before)
    return false;
  result = Formatter(tokensOf(text)).format();
  return true;
}
