//===- TextRepair.cpp - Finds text that was made for people's eyes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/TextRepair.h"

using namespace mlc;
using namespace mlc::frontend;

/// The ASCII quote that the typographic one at `text` means: U+201C..U+201F (double), U+2018..U+201B (single); 0 if
/// there is none. All of them are the bytes E2 80 and one more.
static char plainQuote(llvm::StringRef text) {
  if (!text.starts_with("\xE2\x80") || text.size() < 3)
    return 0;
  unsigned char last = text[2];
  if (last >= 0x9C && last <= 0x9F)
    return '"';
  return last >= 0x98 && last <= 0x9B ? '\'' : 0;
}

/// Replaces one typographic quote by spaces and the plain one, so that the text between the quotes stays as it is.
static void replaceQuote(std::string &text, size_t offset, char plain, bool opening) {
  text[offset] = opening ? ' ' : plain;
  text[offset + 1] = ' ';
  text[offset + 2] = opening ? plain : ' ';
}

bool mlc::frontend::repairText(const SpecDocument &document, int source, std::string &text,
                               common::MessageList &messages) {
  llvm::StringRef start = text;
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF") || start.contains('\0')) {
    common::Message error = document.makeError("E0104", {1, 1, 1, source}, "the file is not UTF-8 text");
    bool wide = !start.contains('\0') || start.take_front(2) == "\xFF\xFE" || start.take_front(2) == "\xFE\xFF";
    error.sourceLine.clear();
    error.expected = "UTF-8";
    error.help = wide ? "it is UTF-16; save it as UTF-8" : "it holds null bytes; is it a spec?";
    messages.add(std::move(error));
    text.clear();
    return false;
  }
  // The tokenizer takes a UTF-8 byte order mark for text.
  if (start.starts_with("\xEF\xBB\xBF"))
    text.replace(0, 3, 3, ' ');
  bool sound = true;
  char open = 0;            // the plain quote of the string we are in
  bool typographic = false; // it was opened by a typographic one
  int64_t line = 1;
  size_t lineStart = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\n') {
      ++line;
      lineStart = i + 1;
      open = 0;
      continue;
    }
    if (!open && c == '#') {
      i = text.find('\n', i);
      if (i == std::string::npos)
        break;
      --i;
      continue;
    }
    if (open && c == '\\') {
      ++i;
      continue;
    }
    char plain = plainQuote(llvm::StringRef(text).substr(i));
    if (plain && (!open || (typographic && plain == open))) {
      if (!open) {
        int64_t column = i - lineStart + 1;
        common::Message error = document.makeError("E0104", {line, column, column + 3, source}, "a typographic quote");
        error.expected = std::string(1, plain);
        error.help = "type quotes in a plain text editor";
        messages.add(std::move(error));
        sound = false;
      }
      replaceQuote(text, i, plain, !open);
      typographic = !open;
      open = open ? 0 : plain;
      i += 2;
    } else if (c == '"' || c == '\'') {
      if (!open) {
        open = c;
        typographic = false;
      } else if (open == c) {
        open = 0;
      }
    }
  }
  return sound;
}
