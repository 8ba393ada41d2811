// Tables of tiles: which one multiplies products of which shapes, on which GPUs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/kernels/KernelTable.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <set>

namespace mlc::common {

static constexpr std::string_view kHeader = "mlc-kernel-table ", kVersion = "1";

/// Lines of a table, and classes of shapes that the bounds of a chip's lines of a kind make, at most: what is more was
/// not measured.
static constexpr size_t kMostLines = 4096, kMostClasses = 16384;

/// Numbers in a table are smaller, so that products of three of them fit.
static constexpr int64_t kMostNumber = 1 << 20;

int64_t Tile::blocksOf(const ProductShape &shape) const {
  auto tilesOf = [](int64_t size, int64_t extent) { return (size + extent - 1) / extent; };
  return tilesOf(shape.m, rows) * tilesOf(shape.n, columns) * shape.batches;
}

std::string tileText(const Tile &tile, int64_t splits) {
  return std::to_string(tile.rows) + "x" + std::to_string(tile.columns) + "x" + std::to_string(tile.depth) +
         (splits > 1 ? "/" + std::to_string(splits) : "");
}

bool TileLine::has(const ProductShape &shape) const {
  return form.value_or(shape.form) == shape.form && m.has(shape.m) && n.has(shape.n) && k.has(shape.k) &&
         batches.has(shape.batches) && blocks.has(tile.blocksOf(shape));
}

std::vector<TileLine> KernelTable::linesFor(std::string_view chip, std::string_view kind) const {
  std::vector<TileLine> found;
  for (std::string_view name : {chip, kAnyChip}) {
    std::copy_if(lines.begin(), lines.end(), std::back_inserter(found),
                 [&](const TileLine &line) { return line.chip == name && line.kind == kind; });
    if (!found.empty())
      break;
  }
  return found;
}

std::string chipClass(std::string_view chip) {
  constexpr std::string_view prefix = "sm_";
  if (chip.substr(0, prefix.size()) != prefix)
    return {};
  const size_t end = chip.find_first_not_of("0123456789", prefix.size());
  const bool isName = end != prefix.size() && chip.size() > prefix.size() &&
                      (end == chip.npos || (end + 1 == chip.size() && (chip[end] == 'a' || chip[end] == 'f')));
  return isName ? std::string(chip.substr(0, end)) : std::string();
}

static bool parseNumber(std::string_view text, int64_t &number) {
  const char *const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  return result.ec == std::errc() && result.ptr == end && number >= 1 && number <= kMostNumber;
}

static bool parseMicroseconds(std::string_view text, double &number) {
  const char *const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  return result.ec == std::errc() && result.ptr == end && std::isfinite(number) && number > 0;
}

/// "8..", "1..64" or "3", of which the first number is not above the last one.
static bool parseBounds(std::string_view text, Bounds &bounds) {
  const size_t dots = text.find("..");
  if (!parseNumber(text.substr(0, dots), bounds.least))
    return false;
  bounds.most = dots == text.npos ? bounds.least : Bounds::kNoMost;
  if (dots == text.npos || dots + 2 == text.size())
    return true;
  return parseNumber(text.substr(dots + 2), bounds.most) && bounds.least <= bounds.most;
}

/// Numbers with x between them, as many as there are.
static bool parseNumbers(std::string_view text, const std::vector<int64_t *> &numbers) {
  for (int64_t *number : numbers) {
    const size_t end = number == numbers.back() ? text.size() : text.find('x');
    if (end == text.npos || !parseNumber(text.substr(0, end), *number))
      return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

static bool parseTile(std::string_view text, Tile &tile) {
  return parseNumbers(text, {&tile.rows, &tile.columns, &tile.depth});
}

namespace {
/// Reads the lines of a text.
class Reader {
public:
  Reader(const std::string &file, KernelTable &table, MessageList &messages)
      : file_(file), table_(table), messages_(messages) {}

  bool read(std::string_view text);

private:
  struct Word {
    std::string_view text;
    int64_t column;
  };

  bool readTile(const std::vector<Word> &words);
  bool readField(const Word &word, TileLine &line, std::set<std::string> &known);
  bool checkShapes(const std::vector<TileLine> &lines);
  bool fail(const Word &word, std::string what, std::string expected);
  bool fail(int64_t number, std::string what, std::string expected);

  const std::string &file_;
  KernelTable &table_;
  MessageList &messages_;
  std::string_view source_; ///< the line at hand
  int64_t number_ = 0;
};
} // namespace

bool Reader::fail(const Word &word, std::string what, std::string expected) {
  Message message = makeError("E0228", std::move(what));
  message.place = {file_, number_, word.column, word.column + static_cast<int64_t>(word.text.size()), {}};
  message.sourceLine = std::string(source_);
  message.expected = std::move(expected);
  messages_.add(std::move(message));
  return false;
}

bool Reader::fail(int64_t number, std::string what, std::string expected) {
  Message message = makeError("E0228", std::move(what));
  message.place.file = file_;
  message.place.line = number;
  message.expected = std::move(expected);
  messages_.add(std::move(message));
  return false;
}

static std::string kindList() {
  std::string text;
  for (std::string_view kind : kKernelKinds)
    text += (text.empty() ? "" : ", ") + std::string(kind);
  return text;
}

/// A word NAME=VALUE of a line of tiles.
bool Reader::readField(const Word &word, TileLine &line, std::set<std::string> &known) {
  const size_t equals = word.text.find('=');
  const std::string name(word.text.substr(0, equals));
  const std::string_view value = word.text.substr(equals + 1);
  if (!known.insert(name).second)
    return fail(word, "field '" + name + "' stands twice", "each field once");
  auto refuse = [&](const std::string &expected) {
    return fail(word, "field '" + name + "' is '" + std::string(value) + "'", expected);
  };
  for (auto [field, bounds] :
       {std::pair{"m", &line.m}, {"n", &line.n}, {"k", &line.k}, {"batches", &line.batches}, {"blocks", &line.blocks}})
    if (name == field)
      return parseBounds(value, *bounds) ||
             refuse("FROM..TO or FROM.., whole numbers from 1 to " + std::to_string(kMostNumber));
  if (name == "splits")
    return (parseNumber(value, line.splits) && line.splits <= kMostSplits) ||
           refuse("a whole number from 1 to " + std::to_string(kMostSplits));
  if (name == "form") {
    const auto form = std::find(std::begin(kProductForms), std::end(kProductForms), value);
    if (form == std::end(kProductForms))
      return refuse("nn, nt, tn or tt");
    line.form = static_cast<size_t>(form - std::begin(kProductForms));
    return true;
  }
  if (name == "us")
    return parseMicroseconds(value, line.microseconds) || refuse("microseconds above 0");
  if (name == "of")
    return parseNumbers(value, {&line.of.m, &line.of.n, &line.of.k, &line.of.batches}) ||
           refuse("a shape: MxNxKxBATCHES");
  if (name == "next") {
    const size_t colon = value.find(':'), end = std::min(value.find('/'), colon);
    return (colon != value.npos && parseTile(value.substr(0, end), line.next) &&
            (end == colon || parseNumber(value.substr(end + 1, colon - end - 1), line.nextSplits)) &&
            parseMicroseconds(value.substr(colon + 1), line.nextMicroseconds)) ||
           refuse("TILE:MICROSECONDS or TILE/SPLITS:MICROSECONDS");
  }
  return fail(word, "unknown field '" + name + "'", "form, m, n, k, batches, blocks, splits, us, of or next");
}

bool Reader::readTile(const std::vector<Word> &words) {
  TileLine line;
  line.number = number_;
  if (words.size() < 4)
    return fail(
        words.front(), "a line of " + std::to_string(words.size()) + " words",
        "tile CHIP KIND [form=..] [m=..] [n=..] [k=..] [batches=..] [blocks=..] [splits=..] ROWSxCOLUMNSxDEPTH");
  line.chip = words[1].text;
  if (line.chip != kAnyChip && chipClass(line.chip) != line.chip)
    return fail(words[1], "chip '" + line.chip + "'", "a class of chips (sm_80, sm_90, ..), or any");
  line.kind = words[2].text;
  if (std::find(std::begin(kKernelKinds), std::end(kKernelKinds), line.kind) == std::end(kKernelKinds))
    return fail(words[2], "kind '" + line.kind + "'", "one of " + kindList());
  std::set<std::string> known;
  for (size_t i = 3; i < words.size(); ++i) {
    if (words[i].text.find('=') != words[i].text.npos) {
      if (!readField(words[i], line, known))
        return false;
      continue;
    }
    if (line.tile.rows > 0)
      return fail(words[i], "a second tile, '" + std::string(words[i].text) + "'", "one tile a line");
    if (!parseTile(words[i].text, line.tile)) {
      line.tile = {};
      return fail(words[i], "tile '" + std::string(words[i].text) + "'", "ROWSxCOLUMNSxDEPTH");
    }
  }
  if (line.tile.rows == 0)
    return fail(words.back(), "a line without a tile", "ROWSxCOLUMNSxDEPTH");
  table_.lines.push_back(std::move(line));
  return table_.lines.size() <= kMostLines ||
         fail(number_, "more than " + std::to_string(kMostLines) + " lines of tiles", "fewer");
}

/// Whether each shape has a line of these, of one chip and kind, and each line a shape that no line before has.
bool Reader::checkShapes(const std::vector<TileLine> &lines) {
  constexpr std::array<Bounds TileLine::*, 4> sides = {&TileLine::m, &TileLine::n, &TileLine::k, &TileLine::batches};
  // Within a class shapes have the same lines, but for their blocks.
  std::array<std::vector<int64_t>, 4> begins;
  size_t classes = 1;
  for (size_t d = 0; d < sides.size(); ++d) {
    std::set<int64_t> begin = {1};
    for (const TileLine &line : lines) {
      begin.insert((line.*sides[d]).least);
      if ((line.*sides[d]).most != Bounds::kNoMost)
        begin.insert((line.*sides[d]).most + 1);
    }
    begins[d].assign(begin.begin(), begin.end());
    classes *= begins[d].size();
    if (classes > kMostClasses)
      return fail(lines.front().number,
                  "bounds of " + lines.front().chip + " " + lines.front().kind + " make more than " +
                      std::to_string(kMostClasses) + " classes of shapes",
                  "fewer bounds");
  }
  const bool hasForms = std::any_of(lines.begin(), lines.end(), [](const TileLine &line) { return line.form; });
  const size_t forms = hasForms ? std::size(kProductForms) : 1;
  // The forms of a class stand one after the other.
  std::vector<bool> has(classes * forms);
  auto shapeOf = [&](size_t number) {
    std::array<int64_t, 4> at;
    for (size_t d = at.size(); d-- > 0; number /= begins[d].size())
      at[d] = begins[d][number % begins[d].size()];
    return at;
  };
  for (const TileLine &line : lines) {
    bool isReached = false;
    for (size_t i = 0; i < has.size(); ++i) {
      if (has[i])
        continue;
      const std::array<int64_t, 4> at = shapeOf(i / forms);
      bool isWithin = line.form.value_or(i % forms) == i % forms;
      for (size_t d = 0; d < at.size(); ++d)
        isWithin &= (line.*sides[d]).has(at[d]);
      isReached |= isWithin;
      has[i] = isWithin && line.blocks == Bounds();
    }
    if (!isReached)
      return fail(line.number, "no shape has this line: lines before it have all of its",
                  "lines for shapes of their own");
  }
  const auto missing = std::find(has.begin(), has.end(), false);
  if (missing == has.end())
    return true;
  const auto number = static_cast<size_t>(missing - has.begin());
  const std::array<int64_t, 4> at = shapeOf(number / forms);
  return fail(lines.back().number,
              "no line of " + lines.back().chip + " " + lines.back().kind + " has " +
                  (hasForms ? "form=" + std::string(kProductForms[number % forms]) + " " : "") +
                  "m=" + std::to_string(at[0]) + " n=" + std::to_string(at[1]) + " k=" + std::to_string(at[2]) +
                  " batches=" + std::to_string(at[3]) + ", whatever its blocks are",
              "a line for each shape");
}

bool Reader::read(std::string_view text) {
  bool isGood = true, hasHeader = false;
  std::set<std::pair<std::string, std::string>> groups;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    source_ = text.substr(0, end);
    if (!source_.empty() && source_.back() == '\r')
      source_.remove_suffix(1);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number_;
    if (!hasHeader) {
      if (source_.substr(0, kHeader.size()) != kHeader)
        break;
      if (std::string_view version = source_.substr(kHeader.size()); version != kVersion)
        return fail({version, static_cast<int64_t>(kHeader.size()) + 1},
                    "a table of version '" + std::string(version) + "'", "version " + std::string(kVersion));
      hasHeader = true;
      continue;
    }
    std::vector<Word> words;
    for (size_t at = 0; at < source_.size();) {
      const size_t begin = source_.find_first_not_of(" \t", at);
      if (begin == source_.npos)
        break;
      at = std::min(source_.find_first_of(" \t", begin), source_.size());
      words.push_back({source_.substr(begin, at - begin), static_cast<int64_t>(begin) + 1});
    }
    if (words.empty() || words.front().text.front() == '#')
      continue;
    if (words.front().text == "device") {
      table_.devices.emplace_back(words.size() > 1 ? source_.substr(static_cast<size_t>(words[1].column) - 1) : "");
    } else if (words.front().text == "tile") {
      isGood &= readTile(words);
      if (table_.lines.size() > kMostLines)
        return false;
    } else {
      isGood &= fail(words.front(), "a line of '" + std::string(words.front().text) + "'", "tile, device or a comment");
    }
  }
  if (!hasHeader)
    return fail(1, "this is no table of tiles", "a first line '" + std::string(kHeader) + std::string(kVersion) + "'");
  for (const TileLine &line : table_.lines)
    if (isGood && groups.insert({line.chip, line.kind}).second)
      isGood = checkShapes(table_.linesFor(line.chip, line.kind));
  return isGood;
}

bool parseKernelTable(const std::string &file, std::string_view text, KernelTable &table, MessageList &messages) {
  return Reader(file, table, messages).read(text);
}

static void addBounds(std::string &text, const char *name, const Bounds &bounds) {
  if (bounds == Bounds())
    return;
  text += std::string(" ") + name + "=" + std::to_string(bounds.least) + "..";
  if (bounds.most != Bounds::kNoMost)
    text += std::to_string(bounds.most);
}

static std::string microsecondsText(double microseconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", microseconds);
  return text;
}

std::string kernelTableText(const KernelTable &table, bool withFigures) {
  std::string text = std::string(kHeader) + std::string(kVersion) + "\n";
  if (withFigures)
    for (const std::string &device : table.devices)
      text += "device " + device + "\n";
  for (const TileLine &line : table.lines) {
    text += "tile " + line.chip + " " + line.kind;
    if (line.form)
      text += " form=" + std::string(kProductForms[*line.form]);
    addBounds(text, "m", line.m);
    addBounds(text, "n", line.n);
    addBounds(text, "k", line.k);
    addBounds(text, "batches", line.batches);
    addBounds(text, "blocks", line.blocks);
    if (line.splits > 1)
      text += " splits=" + std::to_string(line.splits);
    text += " " + tileText(line.tile);
    if (withFigures && line.microseconds > 0) {
      text += " us=" + microsecondsText(line.microseconds) + " of=" + std::to_string(line.of.m) + "x" +
              std::to_string(line.of.n) + "x" + std::to_string(line.of.k) + "x" + std::to_string(line.of.batches);
      if (line.nextMicroseconds > 0)
        text += " next=" + tileText(line.next, line.nextSplits) + ":" + microsecondsText(line.nextMicroseconds);
    }
    text += "\n";
  }
  return text;
}

} // namespace mlc::common
