// Tests of record and field boundaries and of the index and its cache.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/CsvScanner.h"
#include "InputTestSupport.h"
#include "runtime/src/input/RecordIndex.h"

#include <algorithm>
#include <random>
#include <thread>

using namespace mlcrt;
using namespace mlcrt::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

static CsvFormat noHeader() {
  CsvFormat format;
  format.header = false;
  return format;
}

/// "line:text" of each record.
static std::vector<std::string> records(std::string_view text, const CsvFormat &format = noHeader()) {
  std::vector<std::string> result;
  CsvScanner scanner(text, format);
  while (true) {
    const CsvScanner::Result found = scanner.next();
    if (found == CsvScanner::Result::UnterminatedQuote)
      result.push_back("open " + std::to_string(scanner.line()) + ":" + std::to_string(scanner.field()));
    if (found != CsvScanner::Result::Record)
      return result;
    result.push_back(std::to_string(scanner.line()) + ":" +
                     std::string(text.substr(scanner.begin(), scanner.end() - scanner.begin())));
  }
}

static std::vector<std::string> fields(std::string_view record, const CsvFormat &format = noHeader(),
                                       int64_t malformed = 0) {
  std::vector<CsvField> split;
  EXPECT_EQ(splitRecord(record, format, split), malformed);
  std::vector<std::string> result;
  for (const CsvField &field : split) {
    std::string text(field.text);
    if (field.escaped)
      text.resize(static_cast<size_t>(unescapeField(field, text.data())));
    result.push_back(text);
  }
  return result;
}

TEST(CsvScanner, TheRestOfTheLine) {
  CsvFormat format = noHeader();
  format.restOfLine = true;
  EXPECT_THAT(fields("1 3:1 7:0.5", format), ElementsAre("1", "3:1 7:0.5"));
  EXPECT_THAT(fields(" -1\t 3:1 # 4:1", format), ElementsAre("-1", "3:1 "));
  EXPECT_THAT(fields("2", format), ElementsAre("2", ""));
  EXPECT_THAT(fields("2  ", format), ElementsAre("2", ""));
  EXPECT_THAT(fields("  # nothing", format), ElementsAre("", ""));
}

TEST(CsvScanner, LineEnds) {
  EXPECT_THAT(records("a,b\nc,d\n"), ElementsAre("1:a,b", "2:c,d"));
  EXPECT_THAT(records("a,b\r\nc,d\r\n"), ElementsAre("1:a,b", "2:c,d"));
  EXPECT_THAT(records("a,b\nc,d"), ElementsAre("1:a,b", "2:c,d"));
  EXPECT_THAT(records("a,b\r\nc,d\r"), ElementsAre("1:a,b", "2:c,d"));
  EXPECT_THAT(records("\n\na\n\r\n\nb\n\n"), ElementsAre("3:a", "6:b"));
  EXPECT_THAT(records(""), IsEmpty());
  EXPECT_THAT(records("\n\r\n"), IsEmpty());
  EXPECT_THAT(records("\xef\xbb\xbf"
                      "a\nb"),
              ElementsAre("1:a", "2:b"));
}

TEST(CsvScanner, QuotesHoldLineEndsAndDelimiters) {
  EXPECT_THAT(records("1,\"x\ny\",2\n3,4\n"), ElementsAre("1:1,\"x\ny\",2", "3:3,4"));
  EXPECT_THAT(records("\"a \"\"b\"\"\n\n,c\"\r\nd\r\n"), ElementsAre("1:\"a \"\"b\"\"\n\n,c\"", "4:d"));
  // A quote within an unquoted field is an ordinary character.
  EXPECT_THAT(records("5\" pipe,a\nb,c\n"), ElementsAre("1:5\" pipe,a", "2:b,c"));
  EXPECT_THAT(records("a, \"x\ny\"\n"), ElementsAre("1:a, \"x", "2:y\""));
  CsvFormat spaces = noHeader();
  spaces.skipInitialSpace = true;
  EXPECT_THAT(records("a, \"x\ny\"\nz\n", spaces), ElementsAre("1:a, \"x\ny\"", "3:z"));
  CsvFormat plain = noHeader();
  plain.useQuoteDelim = false;
  EXPECT_THAT(records("\"x\ny\"\n", plain), ElementsAre("1:\"x", "2:y\""));
}

TEST(CsvScanner, UnterminatedQuoteIsPlaced) {
  EXPECT_THAT(records("a,b\n1,2\nx,\"y\nz,w\n"), ElementsAre("1:a,b", "2:1,2", "open 3:2"));
  EXPECT_THAT(records("\"a\nb\",\"c"), ElementsAre("open 2:2"));
}

TEST(CsvScanner, CommentsAndSkippedLines) {
  CsvFormat format = noHeader();
  format.comment = {"#", "//"};
  format.skipLines = 2;
  EXPECT_THAT(records("junk \"\nmore\n# c\na#,1\n// d\n\"x\n# y\",2\n#", format),
              ElementsAre("4:a#,1", "6:\"x\n# y\",2"));
}

TEST(CsvScanner, Fields) {
  EXPECT_THAT(fields("a,,\"b,c\",\"\",\"d\"\"e\""), ElementsAre("a", "", "b,c", "", "d\"e"));
  EXPECT_THAT(fields(","), ElementsAre("", ""));
  EXPECT_THAT(fields("\"\"\"\""), ElementsAre("\""));
  EXPECT_THAT(fields("a,\"b\"x,c", noHeader(), 2), ElementsAre("a", "b", "c"));
  CsvFormat tab = noHeader();
  tab.fieldDelim = '\t';
  tab.skipInitialSpace = true;
  EXPECT_THAT(fields("a\t\t b\t\" c\"", tab), ElementsAre("a", "", "b", " c"));
}

/// Records around the sizes that are looked at at once, in memory that ends with them.
TEST(CsvScanner, FieldsOfRecordsOfAnyLength) {
  std::mt19937 random(3);
  const std::string alphabet = "abcdef,, \t";
  for (int trial = 0; trial < 4000; ++trial) {
    CsvFormat format = noHeader();
    format.skipInitialSpace = trial % 2;
    std::vector<char> record(random() % 200 + 1);
    for (char &c : record)
      c = alphabet[random() % alphabet.size()];
    record.shrink_to_fit();
    std::vector<std::string> expected(1);
    for (const char c : record) {
      if (c == ',')
        expected.emplace_back();
      else if (!format.skipInitialSpace || !expected.back().empty() || (c != ' ' && c != '\t'))
        expected.back() += c;
    }
    const std::string_view text(record.data(), record.size());
    ASSERT_EQ(fields(text, format), expected) << text;
    // A quote anywhere but at a field's start is a character as any other.
    char &mark = record[random() % record.size()];
    mark = 'x';
    std::vector<std::string> marked = fields(text, format);
    mark = '"';
    if (std::any_of(marked.begin(), marked.end(), [](const std::string &field) { return field.substr(0, 1) == "x"; }))
      continue;
    for (std::string &field : marked)
      std::replace(field.begin(), field.end(), 'x', '"');
    ASSERT_EQ(fields(text, format), marked) << text;
  }
}

/// The records of random texts are those of a scanner that looks at one character at a time.
TEST(CsvScanner, AgreesWithAPlainStateMachine) {
  std::mt19937 random(7);
  const std::string alphabet = "a,\"\n\r ";
  for (int trial = 0; trial < 20000; ++trial) {
    std::string text;
    for (int length = static_cast<int>(random() % 24); length > 0; --length)
      text += alphabet[random() % alphabet.size()];
    std::vector<std::string> expected;
    std::string record;
    bool quoted = false, fieldStart = true;
    int64_t line = 1, begin = 1, field = 1, openLine = 0, openField = 0;
    auto finish = [&] {
      if (!record.empty() && record.back() == '\r')
        record.pop_back();
      if (!record.empty())
        expected.push_back(std::to_string(begin) + ":" + record);
      record.clear();
    };
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '\n' && !quoted) {
        finish();
        begin = ++line;
        fieldStart = true;
        field = 1;
        continue;
      }
      record += c;
      line += c == '\n';
      if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
        record += text[++i];
      } else if (c == '"' && (quoted || fieldStart)) {
        quoted = !quoted;
        openLine = line;
        openField = field;
        fieldStart = false;
      } else if (!quoted) {
        fieldStart = c == ',';
        field += c == ',';
      }
    }
    if (quoted)
      expected.push_back("open " + std::to_string(openLine) + ":" + std::to_string(openField));
    else
      finish();
    ASSERT_EQ(records(text), expected) << testing::PrintToString(text);
  }
}

TEST(RecordIndex, RecordsLinesAndHeader) {
  const std::string text = "# c\nx,y\n1,\"a\nb\"\n\n2,c\n3,d\n";
  CsvFormat format;
  format.comment = {"#"};
  const auto index = RecordIndex::build("f.csv", text, format);
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_EQ(index->header(text), "x,y");
  EXPECT_EQ(index->headerLine(), 2);
  ASSERT_EQ(index->size(), 3);
  EXPECT_EQ(index->record(text, 0), "1,\"a\nb\"");
  EXPECT_EQ(index->record(text, 2), "3,d");
  EXPECT_EQ(index->line(0), 3);
  EXPECT_EQ(index->line(1), 6);
  EXPECT_EQ(index->line(2), 7);
}

TEST(RecordIndex, BadTexts) {
  const auto error = [](std::string_view text, const CsvFormat &format) {
    return message(RecordIndex::build("f.csv", text, format).status());
  };
  EXPECT_EQ(error("", CsvFormat()), "f.csv: the file is empty, expected a line with the names of the columns");
  EXPECT_EQ(error("\n", noHeader()), "f.csv: the file is empty, expected at least one row");
  EXPECT_EQ(error(std::string_view("a\nb\0c\n", 6), noHeader()), "f.csv:2: found a NUL byte at byte 3, expected text");
  EXPECT_EQ(error("a,b\n1,\"2\n", noHeader()),
            "f.csv:2:2: a quote opens here and is never closed, expected '\"' before the end of the file");
}

TEST(RecordIndex, DamagedBytesAreNeverTrusted) {
  const std::string text = "a\nb\n\nc\n\"d\ne\"\nf\n";
  const auto index = RecordIndex::build("f.csv", text, noHeader());
  ASSERT_TRUE(index.ok());
  const std::string bytes = index->serialize("key");
  const auto same = RecordIndex::deserialize(bytes, "key", static_cast<int64_t>(text.size()));
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_TRUE(*same == *index);
  EXPECT_EQ(RecordIndex::deserialize(bytes, "kez", static_cast<int64_t>(text.size())).status().code(),
            absl::StatusCode::kNotFound);
  // The text got shorter.
  EXPECT_EQ(RecordIndex::deserialize(bytes, "key", 10).status().code(), absl::StatusCode::kDataLoss);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] ^= 1;
    EXPECT_FALSE(RecordIndex::deserialize(damaged, "key", static_cast<int64_t>(text.size())).ok()) << i;
    EXPECT_FALSE(RecordIndex::deserialize(bytes.substr(0, i), "key", static_cast<int64_t>(text.size())).ok()) << i;
  }
}

class RecordIndexCache : public testing::Test {
protected:
  void SetUp() override {
    for (int i = 0; text.size() < static_cast<size_t>(kCachedIndexBytes); ++i)
      text += std::to_string(i) + ",row " + std::to_string(i * 31) + "\n";
    path = dir.write("data.csv", text);
    cache = dir.file("cache/mlc");
  }
  RecordIndex load() {
    const auto files = resolveFiles({path});
    EXPECT_TRUE(files.ok());
    file = files->front();
    auto index = loadRecordIndex(file, readText(path), noHeader(), cache,
                                 [this](std::string_view note) { notes.emplace_back(note); });
    EXPECT_TRUE(index.ok()) << index.status();
    return *std::move(index);
  }

  TemporaryDirectory dir;
  std::string text, path, cache;
  DataFile file;
  std::vector<std::string> notes;
};

TEST_F(RecordIndexCache, SecondLoadReadsTheEntry) {
  const RecordIndex built = load();
  const std::string entry = recordIndexPath(file, noHeader(), cache);
  ASSERT_TRUE(std::filesystem::exists(entry));
  const auto written = std::filesystem::last_write_time(entry);
  EXPECT_TRUE(load() == built);
  EXPECT_EQ(std::filesystem::last_write_time(entry), written);
  EXPECT_THAT(notes, IsEmpty());
  CsvFormat other = noHeader();
  other.skipLines = 1;
  EXPECT_NE(recordIndexPath(file, other, cache), entry);
}

TEST_F(RecordIndexCache, DamagedEntryIsRebuiltWithANote) {
  const RecordIndex built = load();
  const std::string entry = recordIndexPath(file, noHeader(), cache);
  const std::string good = readText(entry);
  std::string damaged = good;
  damaged[damaged.size() / 2] ^= 4;
  for (const std::string &bytes : {damaged, good.substr(0, 100), std::string()}) {
    notes.clear();
    std::ofstream(entry, std::ios::binary) << bytes;
    EXPECT_TRUE(load() == built);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_THAT(notes[0], HasSubstr("is damaged ("));
    EXPECT_TRUE(readText(entry) == good);
  }
}

TEST_F(RecordIndexCache, ChangedFileIsIndexedAgain) {
  const RecordIndex first = load();
  path = dir.write("data.csv", text + "1,2\n");
  EXPECT_EQ(load().size(), first.size() + 1);
  // The same size and the same time, other bytes.
  const auto time = std::filesystem::last_write_time(path);
  std::string changed = text + "1,2\n";
  changed[changed.size() - 3] = '\n';
  dir.write("data.csv", changed);
  std::filesystem::last_write_time(path, time);
  EXPECT_EQ(load().size(), first.size() + 2);
  EXPECT_THAT(notes, IsEmpty());
}

TEST_F(RecordIndexCache, DirectoryThatCannotBeWrittenCostsANote) {
  cache = dir.write("file", "not a directory");
  EXPECT_GT(load().size(), 0);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0], HasSubstr("is not kept"));
}

TEST_F(RecordIndexCache, ManyAtOnceAgree) {
  const auto files = resolveFiles({path});
  ASSERT_TRUE(files.ok());
  std::vector<int64_t> sizes(4);
  std::vector<std::thread> threads;
  for (int64_t &size : sizes)
    threads.emplace_back([&, out = &size] {
      const auto index = loadRecordIndex(files->front(), text, noHeader(), cache, nullptr);
      *out = index.ok() ? index->size() : -1;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_GT(sizes[0], 0);
  EXPECT_THAT(sizes, testing::Each(sizes[0]));
}
