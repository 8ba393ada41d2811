// Where CSV records begin and end, and what their fields are.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/CsvScanner.h"

#include <algorithm>
#include <cstring>
#include <emmintrin.h>

namespace mlcrt {

static constexpr char kQuote = '"';

static bool isBlank(char c) { return c == ' ' || c == '\t'; }

/// Position of `c` in text[from, to), or `to`.
static size_t findChar(std::string_view text, char c, size_t from, size_t to) {
  if (from >= to)
    return to;
  const void *found = std::memchr(text.data() + from, c, to - from);
  return found ? static_cast<size_t>(static_cast<const char *>(found) - text.data()) : to;
}

/// `end` without a carriage return before it.
static size_t dropReturn(std::string_view text, size_t begin, size_t end) {
  return end > begin && text[end - 1] == '\r' ? end - 1 : end;
}

CsvScanner::CsvScanner(std::string_view text, const CsvFormat &format) : text_(text), format_(format) {
  if (text.substr(0, 3) == "\xef\xbb\xbf")
    position_ = 3;
  for (int64_t i = 0; i < format.skipLines && position_ < text.size(); ++i) {
    position_ = std::min(findChar(text, '\n', position_, text.size()) + 1, text.size());
    ++nextLine_;
  }
}

bool CsvScanner::isComment(std::string_view line) const {
  for (const std::string &prefix : format_.comment)
    if (line.substr(0, prefix.size()) == prefix)
      return true;
  return false;
}

CsvScanner::Result CsvScanner::next() {
  while (position_ < text_.size()) {
    const size_t begin = position_;
    const size_t lineEnd = findChar(text_, '\n', begin, text_.size());
    const size_t end = dropReturn(text_, begin, lineEnd);
    line_ = nextLine_;
    if (begin == end || (!format_.comment.empty() && isComment(text_.substr(begin, end - begin)))) {
      position_ = std::min(lineEnd + 1, text_.size());
      ++nextLine_;
      continue;
    }
    begin_ = static_cast<int64_t>(begin);
    if (format_.useQuoteDelim && findChar(text_, kQuote, begin, end) != end)
      return scanQuoted();
    end_ = static_cast<int64_t>(end);
    position_ = std::min(lineEnd + 1, text_.size());
    ++nextLine_;
    return Result::Record;
  }
  return Result::End;
}

CsvScanner::Result CsvScanner::scanQuoted() {
  size_t i = position_;
  int64_t line = nextLine_;
  for (field_ = 1;; ++field_) {
    if (format_.skipInitialSpace)
      while (i < text_.size() && isBlank(text_[i]) && text_[i] != format_.fieldDelim)
        ++i;
    if (i < text_.size() && text_[i] == kQuote) {
      const int64_t openLine = line;
      while (true) {
        const size_t quote = findChar(text_, kQuote, i + 1, text_.size());
        if (quote == text_.size()) {
          line_ = openLine;
          return Result::UnterminatedQuote;
        }
        line += std::count(text_.begin() + static_cast<int64_t>(i), text_.begin() + static_cast<int64_t>(quote), '\n');
        i = quote + 1;
        if (i == text_.size() || text_[i] != kQuote)
          break;
      }
    }
    while (i < text_.size() && text_[i] != format_.fieldDelim && text_[i] != '\n')
      ++i;
    if (i == text_.size() || text_[i] == '\n')
      break;
    ++i;
  }
  end_ = static_cast<int64_t>(dropReturn(text_, static_cast<size_t>(begin_), i));
  position_ = std::min(i + 1, text_.size());
  nextLine_ = line + 1;
  return Result::Record;
}

namespace {

/// 64 bytes of which each is compared with a character: bit i of what comes back is for byte i.
struct Block {
  __m128i parts[4];

  explicit Block(const char *text) {
    for (int i = 0; i < 4; ++i)
      parts[i] = _mm_loadu_si128(reinterpret_cast<const __m128i *>(text + 16 * i));
  }
  uint64_t equal(char c) const {
    const __m128i pattern = _mm_set1_epi8(c);
    uint64_t result = 0;
    for (int i = 0; i < 4; ++i)
      result |= static_cast<uint64_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(parts[i], pattern))) << (16 * i);
    return result;
  }
};
constexpr size_t kBlock = sizeof(Block);

} // namespace

/// splitRecord for a record without quotes. False at the first quote; `fields` is then anything. Fields that are there
/// already are written over: most records have as many as the one before.
static bool splitPlain(std::string_view record, const CsvFormat &format, std::vector<CsvField> &fields) {
  const char delimiter = format.fieldDelim, quote = format.useQuoteDelim ? kQuote : delimiter;
  const char *const text = record.data();
  const size_t size = record.size();
  const bool skipBlanks = format.skipInitialSpace;
  CsvField *out = fields.data();
  size_t room = fields.size(), count = 0, begin = 0;
  const auto add = [&](size_t end) {
    if (skipBlanks)
      while (begin != end && isBlank(text[begin]))
        ++begin;
    if (count == room) {
      fields.resize(room = 2 * room + 8);
      out = fields.data();
    }
    out[count++] = {{text + begin, end - begin}, false};
    begin = end + 1;
  };
  for (size_t at = 0; at < size; at += kBlock) {
    const size_t rest = size - at;
    uint64_t delimiters, quotes;
    if (rest >= kBlock) {
      const Block block(text + at);
      delimiters = block.equal(delimiter), quotes = block.equal(quote);
    } else if (size >= kBlock) {
      // The last bytes of the record, of which the first were seen already.
      const Block block(text + size - kBlock);
      delimiters = block.equal(delimiter) >> (kBlock - rest), quotes = block.equal(quote) >> (kBlock - rest);
    } else {
      char copy[kBlock] = {};
      std::memcpy(copy, text, size);
      const Block block(copy);
      const uint64_t ours = (uint64_t{1} << rest) - 1;
      delimiters = block.equal(delimiter) & ours, quotes = block.equal(quote) & ours;
    }
    if (quotes && format.useQuoteDelim)
      return false;
    for (; delimiters; delimiters &= delimiters - 1)
      add(at + static_cast<size_t>(__builtin_ctzll(delimiters)));
  }
  add(size);
  fields.resize(count);
  return true;
}

/// splitRecord for rows whose second field is the rest of the line.
static void splitRest(std::string_view record, std::vector<CsvField> &fields) {
  record = record.substr(0, findChar(record, '#', 0, record.size()));
  const auto isNoBlank = [](char c) { return !isBlank(c); };
  const auto begin = std::find_if(record.begin(), record.end(), isNoBlank);
  const auto end = std::find_if(begin, record.end(), isBlank);
  const auto rest = std::find_if(end, record.end(), isNoBlank);
  const auto text = [&](auto from, auto to) {
    return record.substr(static_cast<size_t>(from - record.begin()), static_cast<size_t>(to - from));
  };
  fields.assign({{text(begin, end), false}, {text(rest, record.end()), false}});
}

int64_t splitRecord(std::string_view record, const CsvFormat &format, std::vector<CsvField> &fields) {
  if (format.restOfLine) {
    splitRest(record, fields);
    return 0;
  }
  if (splitPlain(record, format, fields))
    return 0;
  fields.clear();
  const char delimiter = format.fieldDelim;
  const char *p = record.data();
  const char *const end = p + record.size();
  int64_t malformed = 0;
  while (true) {
    if (format.skipInitialSpace)
      while (p != end && isBlank(*p) && *p != delimiter)
        ++p;
    if (p != end && *p == kQuote && format.useQuoteDelim) {
      const char *const begin = ++p;
      bool escaped = false;
      while (p != end) {
        p = static_cast<const char *>(std::memchr(p, kQuote, static_cast<size_t>(end - p)));
        if (!p) // the scanner lets no such record pass
          p = end;
        if (p == end || p + 1 == end || p[1] != kQuote)
          break;
        escaped = true;
        p += 2;
      }
      fields.push_back({{begin, static_cast<size_t>(p - begin)}, escaped});
      if (p != end)
        ++p;
      if (p != end && *p != delimiter) {
        if (malformed == 0)
          malformed = static_cast<int64_t>(fields.size());
        while (p != end && *p != delimiter)
          ++p;
      }
    } else {
      const char *const begin = p;
      while (p != end && *p != delimiter)
        ++p;
      fields.push_back({{begin, static_cast<size_t>(p - begin)}, false});
    }
    if (p == end)
      return malformed;
    ++p;
  }
}

int64_t unescapeField(const CsvField &field, char *out) {
  char *const begin = out;
  for (size_t i = 0; i < field.text.size(); ++i) {
    *out++ = field.text[i];
    if (field.text[i] == kQuote)
      ++i;
  }
  return out - begin;
}

} // namespace mlcrt
