// Parquet files as CSV text: all types, encodings and codecs, and files that are damaged in every way.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of Inputs are what pyarrow wrote (make.py): one table, stored in five ways, whose text is types.csv.
#include "common/parquet/ParquetText.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>

using namespace mlc::common::parquet;
using testing::ElementsAre;
using testing::HasSubstr;

static std::string readInput(const std::string &name) {
  std::ifstream stream(PARQUET_INPUTS "/" + name, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << name;
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The text of a file, up to `most` bytes and some more; `problem` says why it ends early.
static std::string textOf(std::string_view file, const TextOptions &options, Problem &problem, size_t most = 1 << 20) {
  std::string text;
  const std::unique_ptr<ParquetText> reader = ParquetText::open(file, options, problem);
  for (std::string_view piece; reader && text.size() < most && !(piece = reader->next(problem)).empty();)
    text += piece;
  return text;
}

static std::string goodText(const std::string &name, const TextOptions &options = {}) {
  Problem problem;
  std::string text = textOf(readInput(name), options, problem);
  EXPECT_FALSE(problem) << name << ": " << problem.what;
  return text;
}

static Problem problemOf(std::string_view file, const TextOptions &options = {}) {
  Problem problem;
  textOf(file, options, problem);
  return problem;
}

static TextOptions columns(std::vector<WantedColumn> wanted) {
  return {/*all=*/false, std::move(wanted), /*isLenient=*/false};
}

static const char *const kFiles[] = {"plain.parquet", "dictionary-snappy.parquet", "groups-v2-zstd.parquet",
                                     "delta-gzip.parquet", "split-v2.parquet"};

TEST(ParquetTextTest, EveryWayToStoreATableIsTheSameText) {
  const std::string expected = readInput("types.csv");
  for (const char *name : kFiles)
    EXPECT_EQ(goodText(name), expected) << name;
}

TEST(ParquetTextTest, OnlyWhatIsAskedForIsRead) {
  const std::string text = goodText("groups-v2-zstd.parquet", columns({{"list", ';'}, {"full"}}));
  EXPECT_EQ(text.substr(0, text.find(";4")), "full,list\n0,1;2\n1,\n2,\n3,3\n4,") << "in the order of the file";
  EXPECT_THAT(goodText("plain.parquet", columns({{"f64", '|', /*isWhole=*/true}})), HasSubstr("\n0.1\n-3\n\"\"\n"));
  // No column: rows are counted all the same.
  EXPECT_EQ(goodText("nested.parquet", columns({})), "\"\"\n\"\"\n");
  EXPECT_EQ(goodText("empty.parquet"), "x\n");
  EXPECT_EQ(goodText("nested.parquet", columns({{"x"}, {"y"}})), "x,y\n7,a|b\n");
  Problem problem;
  const std::string file = readInput("nested.parquet");
  // Beside what is asked for, the text of what has one: neither structs nor separators in lists are errors.
  EXPECT_EQ(textOf(file, {/*all=*/true, {{"x"}}, /*isLenient=*/true}, problem), "");
  EXPECT_EQ(problem.what, "column 'nul' has a text with a NUL byte");
  problem = {};
  EXPECT_EQ(ParquetText::open(file, {/*all=*/true, {}, /*isLenient=*/true}, problem)->leftOut().size(), 4u);
  EXPECT_THAT(ParquetText::open(file, columns({}), problem)->names(),
              ElementsAre("s", "m", "ll", "half", "x", "y", "yy", "nul"));
}

TEST(ParquetTextTest, WhatIsNotReadIsRefusedByName) {
  const std::string nested = readInput("nested.parquet");
  const auto what = [&](const char *name) { return problemOf(nested, columns({{name}})).what; };
  EXPECT_EQ(what("s"), "column 's' is a nested struct");
  EXPECT_EQ(what("m"), "column 'm' is a map");
  EXPECT_EQ(what("ll"), "column 'll' is a list of lists or structs");
  EXPECT_EQ(what("half"), "column 'half' is of type FIXED_LEN_BYTE_ARRAY (FLOAT16)");
  EXPECT_EQ(problemOf(readInput("int96.parquet")).what, "column 'when' is of type INT96");
  const Problem codec = problemOf(readInput("brotli.parquet"));
  EXPECT_EQ(codec.what, "column 'x', row group 1: it is packed by codec BROTLI");
  EXPECT_EQ(codec.expected, "UNCOMPRESSED, SNAPPY, GZIP or ZSTD");
  const Problem lacks = problemOf(nested, columns({{"yz"}}));
  EXPECT_EQ(lacks.code, "E0317");
  EXPECT_EQ(lacks.what, "the file lacks the column 'yz'");
  EXPECT_THAT(lacks.help, HasSubstr("did you mean 'y"));
}

TEST(ParquetTextTest, WhatNoCellHoldsIsToldWithItsRow) {
  const std::string nested = readInput("nested.parquet");
  const Problem nul = problemOf(nested, columns({{"nul"}}));
  EXPECT_EQ(nul.code, "E0313");
  EXPECT_EQ(nul.row, 1);
  EXPECT_EQ(nul.what, "column 'nul' has a text with a NUL byte");
  const Problem separator = problemOf(nested, columns({{"yy"}}));
  EXPECT_EQ(separator.code, "E0315");
  EXPECT_EQ(separator.row, 1);
  EXPECT_EQ(separator.what, "a value in the list of column 'yy' contains '|', which stands between values");
  EXPECT_EQ(goodText("nested.parquet", columns({{"yy", ';'}})), "yy\na|b\n");
}

TEST(ParquetTextTest, EveryPrefixIsAnError) {
  for (const char *name : kFiles) {
    const std::string file = readInput(name);
    for (size_t size = 0; size < file.size(); ++size)
      ASSERT_EQ(problemOf(std::string_view(file).substr(0, size)).code, "E0311") << name << ", " << size << " bytes";
  }
  EXPECT_EQ(problemOf("PAR1").what, "the Parquet file ends early: its last bytes are no footer");
  EXPECT_EQ(problemOf("a,b\n1,2\n").what, "is no Parquet file");
  EXPECT_EQ(problemOf({"PAR1\0\0\0\0PARE", 12}).what, "the footer of the Parquet file is encrypted");
}

/// Pages have checksums: where one is damaged, the error says which. Elsewhere any answer is good that comes soon.
TEST(ParquetTextTest, EveryByteIsChangedInTurn) {
  for (const char *name : kFiles) {
    std::string file = readInput(name);
    size_t errors = 0;
    for (size_t i = 0; i < file.size(); ++i) {
      static constexpr int kMasks[] = {0x01, 0x80, 0xff};
      const char before = file[i];
      file[i] = static_cast<char>(file[i] ^ kMasks[i % 3]);
      Problem problem;
      const std::string text = textOf(file, {}, problem, 1 << 16);
      file[i] = before;
      errors += problem ? 1 : 0;
      ASSERT_TRUE(!problem || problem.code == "E0311" || problem.code == "E0313" || problem.code == "E0315")
          << name << ", byte " << i << ": " << problem.what;
    }
    EXPECT_GT(errors, file.size() / 2) << name;
  }
  std::string file = readInput("plain.parquet");
  const size_t at = file.find("prefix-22");
  file[at] ^= 1;
  EXPECT_THAT(problemOf(file).what,
              testing::MatchesRegex("column 'text', row group 1: the page at byte [0-9]* cannot be read: its checksum "
                                    "is wrong"));
}

TEST(ParquetTextTest, ClaimsCostNoMemory) {
  // A footer that is larger than the file, and one of a list that is longer than the footer.
  EXPECT_THAT(problemOf(std::string("PAR1") + "\xff\xff\xff\x7f" + "PAR1").what,
              HasSubstr("a footer of 2147483647 bytes"));
  const std::string list("\x29\xfc\xff\xff\xff\xff\x0f", 7); // a schema of 2^32 - 1 elements
  const std::string size("\x07\0\0\0", 4);
  EXPECT_THAT(problemOf("PAR1" + list + size + "PAR1").what, HasSubstr("the footer of the Parquet file is damaged"));
}
